/*
 * Lua's surroundings in CMS: what there is one of while a program runs.
 *
 * LUA MODULE may be in storage once and run several times at once, as stages of a pipeline or one called by another. So
 * all that changes is in struct port, and `port` is the one of the program that runs: others run only while this one
 * asks for something (ask).
 */
#ifndef PORT_H
#define PORT_H

#include "service.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

enum { HALT_ROOM = 0x1000, LINE_ROOM = 256 };

struct lua_State;
struct stream;
struct heap;

struct port {
    char halt_stack[HALT_ROOM];         /* start.S knows where it ends */
    jmp_buf leave;
    int code, error;
    bool stage;
    const char *line, *end;             /* what follows the command's name */
    struct lua_State *state;
    struct heap *heap;
    struct stream *standard[3], *streams;
    u32 temporary;                      /* how many names tmpnam() has given */
    bool record_is_held;                /* the stage's record that was read last */
};
extern struct port *port;                                /* port.c */

/* start.S */
int svc_request(struct request *request);
int svc_words(void *words);
void halt_typed(void);

/* port.c */
int ask(struct request *request);
void say(const char *text, size_t length);               /* lines to the terminal */
int command(const char *text, size_t length, u8 type);
enum { CALL_COMMAND = 0x01, CALL_TYPED = 0x0b };

/*
 * A message, by its number in help/messages.txt.
 */
void message(const char *module, u32 number, char severity, ...);       /* port.c */

/* heap.c: storage by its size. Without room: NULL. */
void *heap_resize(void *block, size_t old, size_t size);
bool heap_begin(void);
void heap_end(void);

/* stdio.c */
bool streams_begin(void);
void streams_end(void);
void terminal_flush(void);

/* cmslib.c: the library of the name cms. */
int luaopen_cms(struct lua_State *state);

/* main.c: a program, or lines typed. */
int lua_main(void);

/* files.c: files by records. */
struct fileid { char fn[8], ft[8], fm[2]; };
struct file_facts { char recfm; u32 lrecl, records; char fm[2]; u8 stamp[6]; };
/* fn [ft [fm]], the words apart by blanks or . */
bool fileid_of(const char *name, size_t length, struct fileid *id);
bool file_facts(const struct fileid *id, struct file_facts *facts);
int record_read(const struct fileid *id, u32 number, void *to, u32 room, u32 *length);
int record_write(const struct fileid *id, u32 number, const void *from, u32 length, char recfm);
int file_finish(const struct fileid *id);
int file_replace(const struct fileid *id, bool forget);  /* what is written takes its place, or is lost */
int file_erase(const struct fileid *id);
int error_of(int code, bool writing);                    /* the number for errno of a code of RDBUF or WRBUF */
enum { RECORD_MOST = 65535, CODE_END = 12 };

#endif
