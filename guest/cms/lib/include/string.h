/* What a freestanding program has of the standard's <string.h>. */
#ifndef STRING_H
#define STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t length);
void *memmove(void *to, const void *from, size_t length);
void *memset(void *to, int byte, size_t length);
int memcmp(const void *a, const void *b, size_t length);
size_t strlen(const char *text);
void *memchr(const void *text, int byte, size_t length);
int strcmp(const char *a, const char *b);

#endif
