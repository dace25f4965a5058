/*
 * What a freestanding program has of the standard's <string.h> (lib/string.c). Where a length is known and one
 * instruction does it, the compiler writes that instead of a call.
 */
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

#define KNOWN_AND_SHORT(length) (__builtin_constant_p(length) && (length) <= 256)
#define memcpy(to, from, length)                                                                                       \
    (KNOWN_AND_SHORT(length) ? __builtin_memcpy(to, from, length) : memcpy(to, from, length))
#define memset(to, byte, length)                                                                                       \
    (KNOWN_AND_SHORT(length) ? __builtin_memset(to, byte, length) : memset(to, byte, length))
#define memcmp(a, b, length) (KNOWN_AND_SHORT(length) ? __builtin_memcmp(a, b, length) : memcmp(a, b, length))
#define strlen(text) (__builtin_constant_p(__builtin_strlen(text)) ? __builtin_strlen(text) : strlen(text))

/* So many bytes, most often few. EXECUTE puts their number less 1 into MVC. */
#define COPY_FEW copy_few
static inline void copy_few(void *to, const void *from, size_t length)
{
    if (__builtin_expect(length - 1 < 256, 1))
        __asm__ volatile("bras 1,0f\n\tmvc 0(1,%0),0(%1)\n0:\tex %2,0(1)" : : "a"(to), "a"(from), "a"(length - 1) : "1",
                         "memory");
    else
        (memcpy)(to, from, length);
}

#endif
