/*
 * The C library for CMS programs.
 *
 * A program is one object or several, compiled for 31-bit ESA/390 with characters in EBCDIC:
 *
 *   s390x-linux-gnu-gcc -m31 -mesa -march=z900 -O2 -ffreestanding -fno-pic -fno-pie -fno-stack-protector -msoft-float
 *       -fexec-charset=IBM037 -fno-asynchronous-unwind-tables -I guest/cms/sdk -c hello.c
 *   endicott cms text hello.o
 *   endicott punch CMSUSER HELLO.TEXT           and in CMS: READCARD HELLO TEXT, LOAD HELLO, GENMOD
 *
 * All of that is one command, while the system is down:
 *
 *   endicott cms run CMSUSER hello.c            the program's words after that
 *
 * Its `main` gets the words of the command as they were typed, and what it returns is the return code. The library is
 * CMSENTRY TEXT on the system disk; LOAD finds it. Global names of a program are cut to eight characters and differ in
 * more than case.
 */
#ifndef CMSLIB_H
#define CMSLIB_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int main(int argc, char *argv[]);

/* How the program was called: the words of eight characters with X'FF' after the last; the line as typed, or NULL. */
struct cms_call {
    const char (*word)[8];
    const char *line, *arguments, *end;
    uint8_t type;               /* 00 by words, 01 ADDRESS COMMAND, 02 a subcommand, 0B typed or ADDRESS CMS */
    /* Of a nucleus extension or subcommand environment: its SCBLOCK, of which word 1 is its own. */
    uint32_t *block;
};
extern struct cms_call cms_call;

/* Terminal. print() knows %s %d %u %c %x, widths, and %t: eight characters without the blanks after them. */
void type_text(const char *text, uint32_t length);
void print(const char *how, ...);
uint32_t read_text(char line[131]);             /* the next line, with a zero byte after it; its length */
bool stack_text(const char *text, uint32_t length, bool lifo);

/* Text. */
void *memcpy(void *to, const void *from, size_t length);
void *memmove(void *to, const void *from, size_t length);
void *memset(void *to, int byte, size_t length);
int memcmp(const void *a, const void *b, size_t length);
size_t strlen(const char *text);
int strcmp(const char *a, const char *b);
uint32_t format(char *to, uint32_t room, const char *how, ...);
bool parse_number(const char *text, uint32_t length, uint32_t *value);

/* A command, as if typed; its return code. */
int cms(const char *command);

/*
 * Files, record by record. The functions return 0, or the code of RDBUF and WRBUF: 12 end of file, 1 no such file, 13
 * disk full.
 */
struct cms_file {
    char function[8], name[8], type[8], mode[2];
    uint16_t item;
    void *buffer;
    uint32_t size;
    char format;                /* F or V */
    uint8_t flags;
    uint16_t items;
    uint32_t read;              /* how much was read */
    uint32_t number, count, write_at, read_at;
};
void file_name(struct cms_file *file, const char *name, const char *type, const char *mode);
int file_read(struct cms_file *file, void *buffer, uint32_t size, uint32_t *length);
int file_write(struct cms_file *file, const void *record, uint32_t length);
int file_close(struct cms_file *file);

/* Storage in whole pages, until the command ends, or `lasting` until it is released. */
void *get_pages(uint32_t bytes, bool lasting);
void free_pages(void *pages);

/* Variables of the exec that has called. False: there is no exec, or no such variable. */
bool get_var(const char *name, char *value, uint32_t room, uint32_t *length);
bool set_var(const char *name, const char *value, uint32_t length);

/* Ends the program with a message. */
void user_abend(uint32_t code) __attribute__((noreturn));

#endif
