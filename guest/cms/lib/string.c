/* Text and storage: the few functions that a compiler expects, and what a command needs of words and numbers. */
#include "../nucleus/cms.h"

void *memcpy(void *to, const void *from, size_t length)
{
    u8 *t = to;
    const u8 *f = from;

    /* MVC moves 256 bytes at once. */
    for (; length >= 256; length -= 256, t += 256, f += 256)
        __asm__ volatile("mvc 0(256,%0),0(%1)" : : "a"(t), "a"(f) : "memory");
    while (length-- > 0)
        *t++ = *f++;
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

    /* Each byte is moved from the one before it. */
    while (length > 1) {
        size_t n = length > 256 ? 256 : length;

        *t = (u8)byte;
        if (n == 256)
            __asm__ volatile("mvc 1(255,%0),0(%0)" : : "a"(t) : "memory");
        else
            for (size_t k = 1; k < n; k++)
                *(volatile u8 *)(t + k) = (u8)byte;
        t += n;
        length -= n;
    }
    if (length != 0)
        *t = (u8)byte;
    return to;
}

int memcmp(const void *a, const void *b, size_t length)
{
    const u8 *x = a, *y = b;

    for (; length > 0; length--, x++, y++)
        if (*x != *y)
            return *x - *y;
    return 0;
}

size_t strlen(const char *text)
{
    size_t n = 0;

    while (text[n] != 0)
        n++;
    return n;
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
    for (u32 n = 0; n < room; n++)
        to[n] = n < length ? text[n] : ' ';
}
