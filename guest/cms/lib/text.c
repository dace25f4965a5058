/* Text: what a command needs of words and numbers. Compiles on any host. */
#include "text.h"

#include <string.h>

u32 length_of(const char *text, u32 room)
{
    while (room > 0 && text[room - 1] == ' ')
        room--;
    return room;
}

/* The upper case of each character. */
#define UPPER(c)                                                                                                       \
    (u8)(BETWEEN(c, 'a', 'i') || BETWEEN(c, 'j', 'r') || BETWEEN(c, 's', 'z') ? (c) | 0x40 : (c))

const u8 capital_of[256] = { ALL_CHARACTERS(UPPER) };

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

int hex_digit(char c)
{
    c = upper(c);
    return is_digit(c) ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool parse_hex(const char *text, u32 length, u32 *value)
{
    u32 n = 0;

    if (length == 0 || length > 8)
        return false;
    for (u32 k = 0; k < length; k++) {
        int digit = hex_digit(text[k]);

        if (digit < 0)
            return false;
        n = n << 4 | (u32)digit;
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
