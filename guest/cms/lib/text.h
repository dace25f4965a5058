/* Words, numbers and formatted lines (text.c, format.c). Knows no CMS and compiles on any host. */
#ifndef TEXT_H
#define TEXT_H

#include "../edf/edf.h"
#include <stdarg.h>

/* text.c */
u32 length_of(const char *text, u32 room);               /* without trailing blanks */
extern const u8 capital_of[256];
static inline char upper(char c) { return (char)capital_of[(u8)c]; }
static inline bool is_digit(char c) { return (u8)(c - '0') <= 9; }
int hex_digit(char c);                                   /* -1: it is none */
bool parse_number(const char *text, u32 length, u32 *value);   /* decimal, 31 bits */
bool parse_hex(const char *text, u32 length, u32 *value);
void pad(char *to, u32 room, const char *text, u32 length);    /* blank padded or cut */

/*
 * format.c: %s %d %u %c %x with width, '-' and '0'; %t is an 8-byte name without its trailing blanks, %l a text and its
 * length.
 */
u32 format(char *to, u32 room, const char *how, ...);
u32 format_list(char *to, u32 room, const char *how, va_list list);

/* A table of all 256 characters, of what `each` makes of one. */
#define FOUR_OF(each, c) each(c), each(c + 1), each(c + 2), each(c + 3)
#define SIXTEEN_OF(each, c) FOUR_OF(each, c), FOUR_OF(each, c + 4), FOUR_OF(each, c + 8), FOUR_OF(each, c + 12)
#define ALL_CHARACTERS(each)                                                                                           \
    SIXTEEN_OF(each, 0x00), SIXTEEN_OF(each, 0x10), SIXTEEN_OF(each, 0x20), SIXTEEN_OF(each, 0x30),                    \
    SIXTEEN_OF(each, 0x40), SIXTEEN_OF(each, 0x50), SIXTEEN_OF(each, 0x60), SIXTEEN_OF(each, 0x70),                    \
    SIXTEEN_OF(each, 0x80), SIXTEEN_OF(each, 0x90), SIXTEEN_OF(each, 0xa0), SIXTEEN_OF(each, 0xb0),                    \
    SIXTEEN_OF(each, 0xc0), SIXTEEN_OF(each, 0xd0), SIXTEEN_OF(each, 0xe0), SIXTEEN_OF(each, 0xf0)
#define BETWEEN(c, from, to) ((c) >= (u8)from && (c) <= (u8)to)

#define COUNT_OF(table) (sizeof(table) / sizeof *(table))

#endif
