/*
 * The table of built-in functions and what they all need of their arguments (TRL, section 4).
 */
#include "builtin.h"

#define MANY 250

/* In alphabetic order of the ASCII letters; looked for by name only once for each name in a program. */
const struct builtin_entry rx_builtins[] = {
	{ "ABBREV", rx_abbrev, 2, 3 },
	{ "ABS", rx_abs, 1, 1 },
	{ "ADDRESS", rx_address, 0, 0 },
	{ "ARG", rx_arg, 0, 2 },
	{ "B2X", rx_b2x, 1, 1 },
	{ "BITAND", rx_bitand, 1, 3 },
	{ "BITOR", rx_bitor, 1, 3 },
	{ "BITXOR", rx_bitxor, 1, 3 },
	{ "C2D", rx_c2d, 1, 2 },
	{ "C2X", rx_c2x, 1, 1 },
	{ "CENTER", rx_center, 2, 3 },
	{ "CENTRE", rx_center, 2, 3 },
	{ "COMPARE", rx_compare_function, 2, 3 },
	{ "CONDITION", rx_condition_function, 0, 1 },
	{ "COPIES", rx_copies, 2, 2 },
	{ "D2C", rx_d2c, 1, 2 },
	{ "D2X", rx_d2x, 1, 2 },
	{ "DATATYPE", rx_datatype, 1, 2 },
	{ "DATE", rx_date, 0, 3 },
	{ "DELSTR", rx_delstr, 2, 3 },
	{ "DELWORD", rx_delword, 2, 3 },
	{ "DIGITS", rx_digits, 0, 0 },
	{ "ERRORTEXT", rx_errortext, 1, 1 },
	{ "EXTERNALS", rx_externals, 0, 0 },
	{ "FIND", rx_find, 2, 3 },
	{ "FORM", rx_form, 0, 0 },
	{ "FORMAT", rx_format, 1, 5 },
	{ "FUZZ", rx_fuzz, 0, 0 },
	{ "INDEX", rx_index, 2, 3 },
	{ "INSERT", rx_insert, 2, 5 },
	{ "JUSTIFY", rx_justify, 2, 3 },
	{ "LASTPOS", rx_lastpos, 2, 3 },
	{ "LEFT", rx_left, 2, 3 },
	{ "LENGTH", rx_length, 1, 1 },
	{ "LINESIZE", rx_linesize, 0, 0 },
	{ "MAX", rx_max, 1, MANY },
	{ "MIN", rx_min, 1, MANY },
	{ "OVERLAY", rx_overlay, 2, 5 },
	{ "POS", rx_pos, 2, 3 },
	{ "QUEUED", rx_queued, 0, 0 },
	{ "RANDOM", rx_random, 0, 3 },
	{ "REVERSE", rx_reverse, 1, 1 },
	{ "RIGHT", rx_right, 2, 3 },
	{ "SIGN", rx_sign, 1, 1 },
	{ "SOURCELINE", rx_sourceline, 0, 1 },
	{ "SPACE", rx_space, 1, 3 },
	{ "STRIP", rx_strip, 1, 3 },
	{ "SUBSTR", rx_substr, 2, 4 },
	{ "SUBWORD", rx_subword, 2, 3 },
	{ "SYMBOL", rx_symbol, 1, 1 },
	{ "TIME", rx_time, 0, 1 },
	{ "TRACE", rx_trace_function, 0, 1 },
	{ "TRANSLATE", rx_translate, 1, 4 },
	{ "TRUNC", rx_trunc, 1, 2 },
	{ "VALUE", rx_value, 1, 3 },
	{ "VERIFY", rx_verify, 2, 4 },
	{ "WORD", rx_word_function, 2, 2 },
	{ "WORDINDEX", rx_wordindex, 2, 2 },
	{ "WORDLENGTH", rx_wordlength, 2, 2 },
	{ "WORDPOS", rx_wordpos, 2, 3 },
	{ "WORDS", rx_words, 1, 1 },
	{ "X2B", rx_x2b, 1, 1 },
	{ "X2C", rx_x2c, 1, 1 },
	{ "X2D", rx_x2d, 1, 2 },
	{ "XRANGE", rx_xrange, 0, 2 },
};

i32 rx_find_builtin(const char *name, u32 length)
{
	enum { STEP = 8, COUNT = sizeof rx_builtins / sizeof *rx_builtins };
	u32 i = 0;

	if (length == 0)
		return -1;
	/* Their first letters rise. */
	while (i + STEP < COUNT && rx_builtins[i + STEP].name[0] < name[0])
		i += STEP;
	for (; i < COUNT && rx_builtins[i].name[0] <= name[0]; i++) {
		const char *other = rx_builtins[i].name;
		u32 n = 0;

		while (n < length && other[n] == name[n])
			n++;
		if (n == length && other[n] == 0)
			return (i32)i;
	}
	return -1;
}

void rx_bad_argument(struct rexx *x, i32 subcode, struct val *v)
{
	rx_raise_v(x, 40, subcode, v);
}

void rx_bad_option(struct rexx *x, struct val *a, u32 i)
{
	rx_bad_argument(x, 28, &a[i]);
}

/* Argument i, a whole number not below `least`, where it is held as a string or is too small. */
i32 rx_arg_converted(struct rexx *x, struct val *a, u32 i, i32 least)
{
	i32 n;

	if (!rx_whole(x, &a[i], &n))
		rx_bad_argument(x, 12, &a[i]);
	if (n < least)
		rx_bad_argument(x, least ? 14 : 13, &a[i]);
	return n;
}

/* The first letter of an option, in upper case. */
char rx_arg_option(struct rexx *x, struct val *a, u32 i)
{
	struct str *s = text_of(x, &a[i]);

	if (!s->length)
		rx_bad_argument(x, 21, &a[i]);
	return upper(s->t[0]);
}

/* A single character. */
char rx_arg_pad(struct rexx *x, struct val *a, u32 n, u32 i, char standard)
{
	struct str *s;

	if (!GIVEN(i))
		return standard;
	s = text_of(x, &a[i]);
	if (s->length != 1)
		rx_bad_argument(x, 23, &a[i]);
	return s->t[0];
}
