/* Storage: the few functions that a compiler expects. */
#include "../nucleus/cms.h"

/* Here they are functions. */
#undef memcpy
#undef memset
#undef memcmp
#undef strlen

/* One instruction for up to 256 bytes: what EXECUTE puts into MVC and CLC is their length less 1. */
static inline void move(u8 *to, const u8 *from, u32 length)
{
    __asm__ volatile("bras 1,0f\n\tmvc 0(1,%0),0(%1)\n0:\tex %2,0(1)" : : "a"(to), "a"(from), "a"(length - 1) : "1",
                     "memory");
}

static inline u32 compare(const u8 *a, const u8 *b, u32 length)
{
    u32 cc;

    __asm__ volatile("bras 1,0f\n\tclc 0(1,%1),0(%2)\n0:\tex %3,0(1)\n\tipm %0\n\tsrl %0,28"
                     : "=d"(cc) : "a"(a), "a"(b), "a"(length - 1) : "1", "cc", "memory");
    return cc;
}

void *memcpy(void *to, const void *from, size_t length)
{
    u8 *t = to;
    const u8 *f = from;

    for (; length > 256; length -= 256, t += 256, f += 256)
        __asm__ volatile("mvc 0(256,%0),0(%1)" : : "a"(t), "a"(f) : "memory");
    if (length != 0)
        move(t, f, length);
    return to;
}

void *memmove(void *to, const void *from, size_t length)
{
    u8 *t = to;
    const u8 *f = from;

    if (t <= f || t >= f + length)
        return memcpy(to, from, length);
    /* From the end on, in pieces, by way of another place where a piece overlaps where it goes. */
    while (length > 0) {
        u8 piece[256];
        size_t n = length < sizeof piece ? length : sizeof piece;

        length -= n;
        if (n <= (size_t)(t - f)) {
            move(t + length, f + length, (u32)n);
        } else {
            move(piece, f + length, (u32)n);
            move(t + length, piece, (u32)n);
        }
    }
    return to;
}

void *memset(void *to, int byte, size_t length)
{
    u8 *t = to;

    if (length == 0)
        return to;
    *t = (u8)byte;
    /* Each byte is moved from the one before it. */
    for (length--; length > 256; length -= 256, t += 256)
        __asm__ volatile("mvc 1(256,%0),0(%0)" : : "a"(t) : "memory");
    if (length != 0)
        move(t + 1, t, length);
    return to;
}

int memcmp(const void *a, const void *b, size_t length)
{
    const u8 *x = a, *y = b;

    for (; length > 0;) {
        u32 n = length > 256 ? 256 : length, cc = compare(x, y, n);

        if (cc != 0)
            return cc == 1 ? -1 : 1;
        x += n;
        y += n;
        length -= n;
    }
    return 0;
}

size_t strlen(const char *text)
{
    register u32 byte __asm__("0") = 0;
    const char *from = text, *end = NULL;

    /* SRST may stop before it is through; `end` 0 is after the last byte that there is. */
    __asm__ volatile("0:\tsrst %0,%1\n\tbrc 1,0b" : "+a"(end), "+a"(from) : "d"(byte) : "cc", "memory");
    return (size_t)(end - text);
}

int strcmp(const char *a, const char *b)
{
    while (*a != 0 && *a == *b)
        a++, b++;
    return (u8)*a - (u8)*b;
}

void *memchr(const void *text, int byte, size_t length)
{
    register u32 wanted __asm__("0") = (u8)byte;
    const char *from = text, *end = from + length;
    u32 cc;

    /* SRST may stop before it is through (condition code 3). */
    __asm__ volatile("0:\tsrst %0,%1\n\tbrc 1,0b\n\tipm %2\n\tsrl %2,28" : "+a"(end), "+a"(from),
                     "=d"(cc) : "d"(wanted) : "cc", "memory");
    return cc == 1 ? (void *)end : NULL;
}
