/* Storage, numbers, the end of the program. */
#ifndef STDLIB_H
#define STDLIB_H

#include <stddef.h>

enum { EXIT_SUCCESS = 0, EXIT_FAILURE = 1 };

/* heap.c */
void *malloc(size_t size);
void *realloc(void *block, size_t size);
void free(void *block);

/* decimal.c */
double strtod(const char *text, char **end);

/* port.c */
int abs(int n);
void exit(int code) __attribute__((noreturn));
void abort(void) __attribute__((noreturn));
char *getenv(const char *name);
int system(const char *command);

#endif
