/* Strings. */
#ifndef STRING_H
#define STRING_H

#include <stddef.h>

/* lib/string.c */
void *memcpy(void *to, const void *from, size_t length);
void *memmove(void *to, const void *from, size_t length);
void *memset(void *to, int byte, size_t length);
int memcmp(const void *a, const void *b, size_t length);
void *memchr(const void *text, int byte, size_t length);
size_t strlen(const char *text);
int strcmp(const char *a, const char *b);

/* strings.c */
int strcoll(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t length);
char *strcpy(char *to, const char *from);
char *strchr(const char *text, int c);
char *strrchr(const char *text, int c);
char *strstr(const char *text, const char *part);
char *strpbrk(const char *text, const char *of);
size_t strspn(const char *text, const char *of);
size_t strcspn(const char *text, const char *of);
char *strerror(int number);

#endif
