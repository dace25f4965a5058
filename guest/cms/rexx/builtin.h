/*
 * What the files of built-in functions share. Each function gets its arguments on the value stack (n of them; omitted
 * ones are OMITTED), leaves them there and returns a new reference.
 */
#ifndef REXX_BUILTIN_H
#define REXX_BUILTIN_H

#include "charset.h"
#include "internal.h"

#define GIVEN(i) ((i) < n && !is_omitted(a[i]))

static inline struct val copy_of(struct val v)
{
	hold(v);
	return v;
}

/* functions.c */
__attribute__((noreturn)) void rx_bad_option(struct rexx *x, struct val *a, u32 i);
__attribute__((noreturn)) void rx_bad_argument(struct rexx *x, i32 subcode, struct val *v);

#define FUNCTION(name) struct val name(struct rexx *x, struct val *a, u32 n)

/* strings.c */
FUNCTION(rx_abbrev); FUNCTION(rx_center); FUNCTION(rx_compare_function); FUNCTION(rx_copies); FUNCTION(rx_delstr);
FUNCTION(rx_index); FUNCTION(rx_insert); FUNCTION(rx_lastpos); FUNCTION(rx_left); FUNCTION(rx_length);
FUNCTION(rx_overlay); FUNCTION(rx_pos); FUNCTION(rx_reverse); FUNCTION(rx_right); FUNCTION(rx_strip);
FUNCTION(rx_substr); FUNCTION(rx_translate); FUNCTION(rx_verify); FUNCTION(rx_xrange);

/* words.c */
FUNCTION(rx_delword); FUNCTION(rx_find); FUNCTION(rx_justify); FUNCTION(rx_space); FUNCTION(rx_subword);
FUNCTION(rx_word_function); FUNCTION(rx_wordindex); FUNCTION(rx_wordlength); FUNCTION(rx_wordpos); FUNCTION(rx_words);

/* convert.c */
FUNCTION(rx_b2x); FUNCTION(rx_bitand); FUNCTION(rx_bitor); FUNCTION(rx_bitxor); FUNCTION(rx_c2d); FUNCTION(rx_c2x);
FUNCTION(rx_d2c); FUNCTION(rx_d2x); FUNCTION(rx_x2b); FUNCTION(rx_x2c); FUNCTION(rx_x2d);

/* numeric.c */
FUNCTION(rx_abs); FUNCTION(rx_digits); FUNCTION(rx_form); FUNCTION(rx_format); FUNCTION(rx_fuzz); FUNCTION(rx_max);
FUNCTION(rx_min); FUNCTION(rx_random); FUNCTION(rx_sign); FUNCTION(rx_trunc);

/* inform.c */
FUNCTION(rx_address); FUNCTION(rx_arg); FUNCTION(rx_condition_function); FUNCTION(rx_datatype); FUNCTION(rx_errortext);
FUNCTION(rx_externals); FUNCTION(rx_linesize); FUNCTION(rx_queued); FUNCTION(rx_sourceline); FUNCTION(rx_symbol);
FUNCTION(rx_trace_function); FUNCTION(rx_value);

/* datetime.c */
FUNCTION(rx_date); FUNCTION(rx_time);

#endif
