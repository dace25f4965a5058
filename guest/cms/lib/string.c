/* Text and storage: the few functions that a compiler expects, and what a command needs of words and numbers. */
#include "../nucleus/cms.h"

/* One instruction for up to 256 bytes: what EXECUTE puts into MVC and CLC is their length less 1. */
static inline void move(u8 *to, const u8 *from, u32 length)
{
    __asm__ volatile("bras 1,0f\n\tmvc 0(1,%0),0(%1)\n0:\tex %2,0(1)" : : "a"(to), "a"(from), "a"(length - 1) : "1", "memory");
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
    while (length-- > 0)
        t[length] = f[length];
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

    /* SRST may stop before it is through; `end` 0 is behind the last byte that there is. */
    __asm__ volatile("0:\tsrst %0,%1\n\tbrc 1,0b" : "+a"(end), "+a"(from) : "d"(byte) : "cc", "memory");
    return (size_t)(end - text);
}

int strcmp(const char *a, const char *b)
{
    while (*a != 0 && *a == *b)
        a++, b++;
    return (u8)*a - (u8)*b;
}

u32 length_of(const char *text, u32 room)
{
    while (room > 0 && text[room - 1] == ' ')
        room--;
    return room;
}

char upper(char c)
{
    return (c >= 'a' && c <= 'i') || (c >= 'j' && c <= 'r') || (c >= 's' && c <= 'z') ? (char)(c | 0x40) : c;
}

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool parse_number(const char *text, u32 length, u32 *value)
{
    u32 n = 0;

    if (length == 0 || length > 10)
        return false;
    for (u32 k = 0; k < length; k++) {
        if (!is_digit(text[k]) || n > 214748364u)
            return false;
        n = n * 10 + (u32)(text[k] - '0');
    }
    *value = n;
    return n <= 0x7fffffff;
}

bool parse_hex(const char *text, u32 length, u32 *value)
{
    u32 n = 0;

    if (length == 0 || length > 8)
        return false;
    for (u32 k = 0; k < length; k++) {
        char c = upper(text[k]);

        if (is_digit(c))
            n = n << 4 | (u32)(c - '0');
        else if (c >= 'A' && c <= 'F')
            n = n << 4 | (u32)(c - 'A' + 10);
        else
            return false;
    }
    *value = n;
    return true;
}

void pad(char *to, u32 room, const char *text, u32 length)
{
    length = length < room ? length : room;
    memcpy(to, text, length);
    memset(to + length, ' ', room - length);
}
