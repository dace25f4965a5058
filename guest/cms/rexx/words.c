/*
 * Built-in functions on words (TRL, section 4): DELWORD FIND JUSTIFY SPACE SUBWORD WORD WORDINDEX WORDLENGTH WORDPOS
 * WORDS.
 */
#include "builtin.h"

/* The next word at or after *at: false if there is none. */
static bool next_word(const struct str *s, u32 *at, u32 *from, u32 *to)
{
	u32 i = *at;

	while (i < s->length && is_blank(s->t[i]))
		i++;
	*from = i;
	while (i < s->length && !is_blank(s->t[i]))
		i++;
	*to = i;
	*at = i;
	return *from < *to;
}

/* The nth word, from 1. */
static inline __attribute__((always_inline)) bool nth_word(const struct str *s, u32 n, u32 *from, u32 *to)
{
	const char *at = s->t, *end = at + s->length, *word;

	do {
		while (at < end && is_blank(*at))
			at++;
		word = at;
		while (at < end && !is_blank(*at))
			at++;
		if (word == at)
			return false;
	} while (--n > 0);
	*from = (u32)(word - s->t);
	*to = (u32)(at - s->t);
	return true;
}

struct val rx_words(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]);
	u32 at = 0, from, to;
	i32 count = 0;

	(void)n;
	while (next_word(s, &at, &from, &to))
		count++;
	return INTEGER(count);
}

struct val rx_word_function(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]);
	u32 from, to;

	(void)n;
	if (!nth_word(s, (u32)rx_arg_whole(x, a, 1, 1), &from, &to))
		return EMPTY;
	return rx_text(x, s->t + from, to - from);
}

struct val rx_wordindex(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]);
	u32 from, to;

	(void)n;
	return INTEGER(nth_word(s, (u32)rx_arg_whole(x, a, 1, 1), &from, &to) ? (i32)from + 1 : 0);
}

struct val rx_wordlength(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]);
	u32 from, to;

	(void)n;
	return INTEGER(nth_word(s, (u32)rx_arg_whole(x, a, 1, 1), &from, &to) ? (i32)(to - from) : 0);
}

struct val rx_subword(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]);
	u32 first = (u32)rx_arg_whole(x, a, 1, 1), many = GIVEN(2) ? (u32)rx_arg_whole(x, a, 2, 0) : ~0u;
	u32 from, to, at, f, t;

	if (!many || !nth_word(s, first, &from, &to))
		return EMPTY;
	at = to;
	while (--many && next_word(s, &at, &f, &t))
		to = t;
	return rx_text(x, s->t + from, to - from);
}

struct val rx_delword(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]), *r;
	u32 first = (u32)rx_arg_whole(x, a, 1, 1), many = GIVEN(2) ? (u32)rx_arg_whole(x, a, 2, 0) : ~0u;
	u32 from, to, at, f, t;

	if (!many || !nth_word(s, first, &from, &to))
		return copy_of(a[0]);
	at = to;
	while (--many && next_word(s, &at, &f, &t))
		to = t;
	/* The blanks after the last go too. */
	while (to < s->length && is_blank(s->t[to]))
		to++;
	if (s->length == to - from)
		return EMPTY;
	r = rx_str(x, s->length - (to - from));
	memcpy(r->t, s->t, from);
	memcpy(r->t + from, s->t + to, s->length - to);
	return STRING(r);
}

/* WORDPOS(phrase, string, start): words are compared one by one, so blanks between them don't count. */
static struct val find_phrase(const struct str *phrase, const struct str *s, u32 start)
{
	u32 at = 0, from, to, number = 0, probe = 0, pf, pt;

	if (!next_word(phrase, &probe, &pf, &pt))
		return INTEGER(0);
	while (next_word(s, &at, &from, &to)) {
		u32 here, f = from, t = to, p = 0;
		bool same = true;

		number++;
		if (number < start)
			continue;
		here = to;
		while (next_word(phrase, &p, &pf, &pt)) {
			if (t - f != pt - pf || memcmp(s->t + f, phrase->t + pf, pt - pf) != 0) {
				same = false;
				break;
			}
			probe = p;
			if (!next_word(phrase, &probe, &pf, &pt))
				break;
			if (!next_word(s, &here, &f, &t)) {
				same = false;
				break;
			}
		}
		if (same)
			return INTEGER((i32)number);
	}
	return INTEGER(0);
}

struct val rx_wordpos(struct rexx *x, struct val *a, u32 n)
{
	u32 start = GIVEN(2) ? (u32)rx_arg_whole(x, a, 2, 1) : 1;

	return find_phrase(text_of(x, &a[0]), text_of(x, &a[1]), start);
}

struct val rx_find(struct rexx *x, struct val *a, u32 n)
{
	u32 start = GIVEN(2) ? (u32)rx_arg_whole(x, a, 2, 1) : 1;

	return find_phrase(text_of(x, &a[1]), text_of(x, &a[0]), start);
}

struct val rx_space(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]), *r;
	u32 gap = GIVEN(1) ? (u32)rx_arg_whole(x, a, 1, 0) : 1, at = 0, from, to, length = 0, words = 0;
	char pad = rx_arg_pad(x, a, n, 2, ' ');
	char *p;

	while (next_word(s, &at, &from, &to)) {
		length += to - from;
		words++;
	}
	if (!words)
		return EMPTY;
	if (gap > (0x3FFFFFFFu - length) / words)
		RAISE(x, 5, 1);
	r = rx_str(x, length + (words - 1) * gap);
	p = r->t;
	at = 0;
	for (u32 i = 0; i < words; i++) {
		next_word(s, &at, &from, &to);
		if (i) {
			memset(p, pad, gap);
			p += gap;
		}
		memcpy(p, s->t + from, to - from);
		p += to - from;
	}
	return STRING(r);
}

/* CMS: words spread over a width, the blanks between them as even as possible, more of them on the left. */
struct val rx_justify(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]), *r;
	u32 width = (u32)rx_arg_whole(x, a, 1, 0), at = 0, from, to, length = 0, words = 0;
	char pad = rx_arg_pad(x, a, n, 2, ' ');
	u32 gaps, even, more;
	char *p, *end;

	while (next_word(s, &at, &from, &to)) {
		length += to - from + (words ? 1 : 0);
		if (words && length > width) {
			length = width;
			break;
		}
		words++;
	}
	if (!width)
		return EMPTY;
	r = rx_str(x, width);
	memset(r->t, pad, width);
	if (!words)
		return STRING(r);
	length = 0;
	at = 0;
	for (u32 i = 0; i < words; i++) {
		next_word(s, &at, &from, &to);
		length += to - from;
	}
	gaps = words - 1;
	even = gaps && length < width ? (width - length) / gaps : 0;
	more = gaps && length < width ? (width - length) % gaps : 0;
	p = r->t;
	end = p + width;
	at = 0;
	for (u32 i = 0; i < words && p < end; i++) {
		next_word(s, &at, &from, &to);
		if (to - from > (u32)(end - p))
			to = from + (u32)(end - p);
		memcpy(p, s->t + from, to - from);
		p += to - from + even + (i < more);
	}
	return STRING(r);
}
