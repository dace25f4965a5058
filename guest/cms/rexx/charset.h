/*
 * Characters: their classes in REXX and their upper case, for the execution character set of the compiler.
 */
#ifndef REXX_CHARSET_H
#define REXX_CHARSET_H

#include <stdbool.h>
#include <stdint.h>

#define CHAR_LETTER	0x01u	/* A-Z a-z @ # $ ! ? _, in EBCDIC the cent sign */
#define CHAR_DIGIT	0x02u
#define CHAR_DOT	0x04u
#define CHAR_BLANK	0x08u
#define CHAR_HEX	0x10u
#define CHAR_UPPER	0x20u	/* A-Z */
#define CHAR_LOWER	0x40u	/* a-z */
#define CHAR_SYMBOL	(CHAR_LETTER | CHAR_DIGIT | CHAR_DOT)

/* charset.c */
extern const uint8_t rx_class[256];
extern const uint8_t rx_folded[256];	/* upper case, 0: the character itself */

static inline uint8_t class_of(char c) { return rx_class[(unsigned char)c]; }
static inline bool is_digit(char c) { return (class_of(c) & CHAR_DIGIT) != 0; }
static inline bool is_blank(char c) { return (class_of(c) & CHAR_BLANK) != 0; }
static inline bool is_symbol(char c) { return (class_of(c) & CHAR_SYMBOL) != 0; }

static inline char upper(char c)
{
	uint8_t u = rx_folded[(unsigned char)c];

	return u ? (char)u : c;
}

/* NOT: the backslash, and what the code pages have for the logical not. EBCDIC: 5F, and B0 of other code pages. */
#if 'A' == 0x41
#define IS_NOT(c) ((c) == '\\' || (unsigned char)(c) == 0xAC || (unsigned char)(c) == 0xAA || (c) == '^')
#else
#define IS_NOT(c) ((c) == '\\' || (unsigned char)(c) == 0x5F || (unsigned char)(c) == 0xB0)
#endif

/* The value of a hexadecimal digit, -1 if it is none. */
int rx_hex(char c);
extern const char rx_hex_digits[16];

#endif
