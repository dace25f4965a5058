/*
 * Built-in functions on characters (TRL, section 4): ABBREV CENTER COMPARE COPIES DELSTR INDEX INSERT LASTPOS LEFT
 * LENGTH OVERLAY POS REVERSE RIGHT STRIP SUBSTR TRANSLATE VERIFY XRANGE.
 */
#include "builtin.h"

static struct val filled(struct rexx *x, char pad, u32 n)
{
	struct str *s;

	if (!n)
		return EMPTY;
	s = rx_str(x, n);
	memset(s->t, pad, n);
	return STRING(s);
}

struct val rx_abbrev(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]), *t = text_of(x, &a[1]);
	u32 least = GIVEN(2) ? (u32)rx_arg_whole(x, a, 2, 0) : t->length;

	return INTEGER(t->length >= least && t->length <= s->length && memcmp(s->t, t->t, t->length) == 0);
}

struct val rx_center(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]), *r;
	u32 width = (u32)rx_arg_whole(x, a, 1, 0), left;
	char pad = rx_arg_pad(x, a, n, 2, ' ');

	if (!width)
		return EMPTY;
	r = rx_str(x, width);
	if (width <= s->length) {
		memcpy(r->t, s->t + (s->length - width) / 2, width);
		return STRING(r);
	}
	left = (width - s->length) / 2;
	memset(r->t, pad, width);
	memcpy(r->t + left, s->t, s->length);
	return STRING(r);
}

struct val rx_compare_function(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]), *t = text_of(x, &a[1]);
	char pad = rx_arg_pad(x, a, n, 2, ' ');
	u32 most = s->length > t->length ? s->length : t->length;

	for (u32 i = 0; i < most; i++)
		if ((i < s->length ? s->t[i] : pad) != (i < t->length ? t->t[i] : pad))
			return INTEGER((i32)i + 1);
	return INTEGER(0);
}

struct val rx_copies(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]), *r;
	u32 times = (u32)rx_arg_whole(x, a, 1, 0);

	(void)n;
	if (!times || !s->length)
		return EMPTY;
	if (s->length > 0x3FFFFFFFu / times)
		RAISE(x, 5, 1);
	r = rx_str(x, s->length * times);
	if (s->length == 1) {
		memset(r->t, s->t[0], times);
		return STRING(r);
	}
	for (u32 i = 0; i < times; i++)
		memcpy(r->t + i * s->length, s->t, s->length);
	return STRING(r);
}

struct val rx_delstr(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]), *r;
	u32 from = (u32)rx_arg_whole(x, a, 1, 1) - 1, many = GIVEN(2) ? (u32)rx_arg_whole(x, a, 2, 0) : s->length;

	if (from >= s->length)
		return copy_of(a[0]);
	if (many > s->length - from)
		many = s->length - from;
	if (many == s->length)
		return EMPTY;
	r = rx_str(x, s->length - many);
	memcpy(r->t, s->t, from);
	memcpy(r->t + from, s->t + from + many, s->length - from - many);
	return STRING(r);
}

/* INSERT and OVERLAY: before the position, the piece padded to its length, after it. */
struct val rx_insert(struct rexx *x, struct val *a, u32 n)
{
	struct str *piece = text_of(x, &a[0]), *s = text_of(x, &a[1]), *r;
	u32 at = GIVEN(2) ? (u32)rx_arg_whole(x, a, 2, 0) : 0;
	u32 length = GIVEN(3) ? (u32)rx_arg_whole(x, a, 3, 0) : piece->length;
	char pad = rx_arg_pad(x, a, n, 4, ' ');
	u32 before = at > s->length ? at : s->length, take = length < piece->length ? length : piece->length;
	u32 head = at < s->length ? at : s->length;

	r = rx_str(x, before + length);
	memset(r->t, pad, r->length);
	memcpy(r->t, s->t, head);
	memcpy(r->t + at, piece->t, take);
	memcpy(r->t + at + length, s->t + head, s->length - head);
	return STRING(r);
}

struct val rx_overlay(struct rexx *x, struct val *a, u32 n)
{
	struct str *piece = text_of(x, &a[0]), *s = text_of(x, &a[1]), *r;
	u32 at = GIVEN(2) ? (u32)rx_arg_whole(x, a, 2, 1) - 1 : 0;
	u32 length = GIVEN(3) ? (u32)rx_arg_whole(x, a, 3, 0) : piece->length;
	char pad = rx_arg_pad(x, a, n, 4, ' ');
	u32 take = length < piece->length ? length : piece->length;
	u32 size = at + length > s->length ? at + length : s->length;

	r = rx_str(x, size);
	memcpy(r->t, s->t, s->length);
	if (size > s->length)
		memset(r->t + s->length, pad, size - s->length);
	memset(r->t + at, pad, length);
	memcpy(r->t + at, piece->t, take);
	return STRING(r);
}

static struct val find_forward(const struct str *needle, const struct str *s, u32 from)
{
	if (!needle->length)
		return INTEGER(0);
	for (u32 i = from; i + needle->length <= s->length; i++)
		if (s->t[i] == needle->t[0] && memcmp(s->t + i, needle->t, needle->length) == 0)
			return INTEGER((i32)i + 1);
	return INTEGER(0);
}

struct val rx_pos(struct rexx *x, struct val *a, u32 n)
{
	u32 from = GIVEN(2) ? (u32)rx_arg_whole(x, a, 2, 1) - 1 : 0;

	return find_forward(text_of(x, &a[0]), text_of(x, &a[1]), from);
}

struct val rx_index(struct rexx *x, struct val *a, u32 n)
{
	u32 from = GIVEN(2) ? (u32)rx_arg_whole(x, a, 2, 1) - 1 : 0;

	return find_forward(text_of(x, &a[1]), text_of(x, &a[0]), from);
}

struct val rx_lastpos(struct rexx *x, struct val *a, u32 n)
{
	struct str *needle = text_of(x, &a[0]), *s = text_of(x, &a[1]);
	u32 from = GIVEN(2) ? (u32)rx_arg_whole(x, a, 2, 1) : s->length;

	if (from > s->length)
		from = s->length;
	if (!needle->length || needle->length > from)
		return INTEGER(0);
	for (u32 i = from - needle->length + 1; i-- > 0;)
		if (memcmp(s->t + i, needle->t, needle->length) == 0)
			return INTEGER((i32)i + 1);
	return INTEGER(0);
}

struct val rx_left(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]), *r;
	u32 width = (u32)rx_arg_whole(x, a, 1, 0);
	char pad = rx_arg_pad(x, a, n, 2, ' ');

	if (width == s->length)
		return copy_of(a[0]);
	if (!width)
		return EMPTY;
	r = rx_str(x, width);
	if (width < s->length) {
		memcpy(r->t, s->t, width);
	} else {
		memcpy(r->t, s->t, s->length);
		memset(r->t + s->length, pad, width - s->length);
	}
	return STRING(r);
}

struct val rx_right(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]), *r;
	u32 width = (u32)rx_arg_whole(x, a, 1, 0);
	char pad = rx_arg_pad(x, a, n, 2, ' ');

	if (width == s->length)
		return copy_of(a[0]);
	if (!width)
		return EMPTY;
	r = rx_str(x, width);
	if (width < s->length) {
		memcpy(r->t, s->t + s->length - width, width);
	} else {
		memset(r->t, pad, width - s->length);
		memcpy(r->t + width - s->length, s->t, s->length);
	}
	return STRING(r);
}

struct val rx_length(struct rexx *x, struct val *a, u32 n)
{
	(void)x;
	(void)n;
	return INTEGER((i32)(a[0].s ? a[0].s->length : rx_itoa_length(a[0].n)));
}

struct val rx_reverse(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]), *r;

	(void)n;
	if (!s->length)
		return EMPTY;
	r = rx_str(x, s->length);
	for (u32 i = 0; i < s->length; i++)
		r->t[i] = s->t[s->length - 1 - i];
	return STRING(r);
}

struct val rx_strip(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]);
	char how = GIVEN(1) ? rx_arg_option(x, a, 1) : 'B';
	bool blanks = !GIVEN(2);
	char c = rx_arg_pad(x, a, n, 2, ' ');
	u32 from = 0, to = s->length;

	if (how != 'B' && how != 'L' && how != 'T')
		rx_bad_option(x, a, 1);
	if (how != 'T')
		while (from < to && (s->t[from] == c || (blanks && is_blank(s->t[from]))))
			from++;
	if (how != 'L')
		while (to > from && (s->t[to - 1] == c || (blanks && is_blank(s->t[to - 1]))))
			to--;
	if (from == 0 && to == s->length)
		return copy_of(a[0]);
	return rx_text(x, s->t + from, to - from);
}

struct val rx_substr(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]), *r;
	u32 from = (u32)rx_arg_whole(x, a, 1, 1) - 1;
	u32 rest = from < s->length ? s->length - from : 0;
	u32 length = GIVEN(2) ? (u32)rx_arg_whole(x, a, 2, 0) : rest;
	char pad = rx_arg_pad(x, a, n, 3, ' ');

	if (!length)
		return EMPTY;
	if (rest > length)
		rest = length;
	r = rx_str(x, length);
	if (rest)
		memcpy(r->t, s->t + from, rest);
	if (length > rest)
		memset(r->t + rest, pad, length - rest);
	return STRING(r);
}

struct val rx_translate(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]), *r, *in, *out;
	char pad, table[256];

	if (n == 1)
		return rx_upper(x, a[0]);
	if (!s->length)
		return EMPTY;
	pad = rx_arg_pad(x, a, n, 3, ' ');
	out = GIVEN(1) ? text_of(x, &a[1]) : (struct str *)&rx_empty;
	if (GIVEN(2)) {
		in = text_of(x, &a[2]);
		for (u32 i = 0; i < 256; i++)
			table[i] = (char)i;
		/* The first of several that are the same counts. */
		for (u32 i = in->length; i-- > 0;)
			table[(unsigned char)in->t[i]] = i < out->length ? out->t[i] : pad;
	} else if (!GIVEN(1)) {
		return rx_upper(x, a[0]);
	} else {
		for (u32 i = 0; i < 256; i++)
			table[i] = i < out->length ? out->t[i] : pad;
	}
	r = rx_str(x, s->length);
	for (u32 i = 0; i < s->length; i++)
		r->t[i] = table[(unsigned char)s->t[i]];
	return STRING(r);
}

struct val rx_verify(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]), *set = text_of(x, &a[1]);
	char how = GIVEN(2) ? rx_arg_option(x, a, 2) : 'N';
	u32 from = GIVEN(3) ? (u32)rx_arg_whole(x, a, 3, 1) - 1 : 0;
	u8 in[256];

	if (how != 'N' && how != 'M')
		rx_bad_option(x, a, 2);
	memset(in, 0, sizeof in);
	for (u32 i = 0; i < set->length; i++)
		in[(unsigned char)set->t[i]] = 1;
	for (u32 i = from; i < s->length; i++)
		if (in[(unsigned char)s->t[i]] == (how == 'M'))
			return INTEGER((i32)i + 1);
	return INTEGER(0);
}

struct val rx_xrange(struct rexx *x, struct val *a, u32 n)
{
	unsigned char from = (unsigned char)rx_arg_pad(x, a, n, 0, 0), to = (unsigned char)rx_arg_pad(x, a, n, 1, (char)0xFF);
	u32 length = (u32)(unsigned char)(to - from) + 1;
	struct val v = filled(x, 0, length);

	for (u32 i = 0; i < length; i++)
		v.s->t[i] = (char)(from + i);
	return v;
}
