/*
 * Built-in functions that convert, and those on bits (TRL, section 4): B2X C2D C2X D2C D2X X2B X2C X2D BITAND BITOR
 * BITXOR. Characters are those of the native code set.
 */
#include "builtin.h"

#define BASE 10000u

/* The digits of a hexadecimal or binary string without its blanks, which are only between whole bytes or nibbles. */
static u32 gather(struct rexx *x, struct val *v, bool hex, char *to)
{
	struct str *s = text_of(x, v);
	u32 n = 0, group = 0, per = hex ? 2 : 4;
	bool first = true;

	for (u32 i = 0; i < s->length; i++) {
		char c = s->t[i];

		if (is_blank(c)) {
			if (i == 0 || i + 1 == s->length)
				rx_bad_argument(x, hex ? 25 : 24, v);
			if (is_blank(s->t[i - 1]))
				continue;
			if (!first && group % per)
				rx_bad_argument(x, hex ? 25 : 24, v);
			first = false;
			group = 0;
			continue;
		}
		if (hex ? rx_hex(c) < 0 : c != '0' && c != '1')
			rx_bad_argument(x, hex ? 25 : 24, v);
		to[n++] = c;
		group++;
	}
	if (!first && group % per)
		rx_bad_argument(x, hex ? 25 : 24, v);
	return n;
}

struct val rx_c2x(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]), *r;

	(void)n;
	if (!s->length)
		return EMPTY;
	r = rx_str(x, s->length * 2);
	for (u32 i = 0; i < s->length; i++) {
		unsigned char c = (unsigned char)s->t[i];

		r->t[2 * i] = rx_hex_digits[c >> 4];
		r->t[2 * i + 1] = rx_hex_digits[c & 15];
	}
	return STRING(r);
}

struct val rx_x2c(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]), *r;
	char *digits = rx_scratch(x, s->length + 1);
	u32 many = gather(x, &a[0], true, digits), at = 0;

	(void)n;
	if (!many)
		return EMPTY;
	r = rx_str(x, (many + 1) / 2);
	if (many % 2)
		r->t[at++] = (char)rx_hex(*digits++);
	for (; at < r->length; digits += 2)
		r->t[at++] = (char)(rx_hex(digits[0]) << 4 | rx_hex(digits[1]));
	return STRING(r);
}

struct val rx_x2b(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]), *r;
	char *digits = rx_scratch(x, s->length + 1);
	u32 many = gather(x, &a[0], true, digits);

	(void)n;
	if (!many)
		return EMPTY;
	r = rx_str(x, many * 4);
	for (u32 i = 0; i < many; i++)
		for (u32 k = 0; k < 4; k++)
			r->t[i * 4 + k] = (char)('0' + (rx_hex(digits[i]) >> (3 - k) & 1));
	return STRING(r);
}

struct val rx_b2x(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]), *r;
	char *digits = rx_scratch(x, s->length + 1);
	u32 many = gather(x, &a[0], false, digits), value = 0, at = 0;

	(void)n;
	if (!many)
		return EMPTY;
	r = rx_str(x, (many + 3) / 4);
	for (u32 i = 0; i < many; i++) {
		value = value << 1 | (digits[i] == '1');
		if ((many - i - 1) % 4 == 0) {
			r->t[at++] = rx_hex_digits[value];
			value = 0;
		}
	}
	return STRING(r);
}

/* ---- bytes as whole numbers ---- */

/* The number in `count` bytes, the sign bit counting if `is_signed`. Error 40 if it has more than DIGITS digits. */
static struct val from_bytes(struct rexx *x, const unsigned char *b, u32 count, bool is_signed)
{
	bool negative = is_signed && count && b[0] & 0x80;
	struct num n = { .negative = negative };
	u32 most = count / 4 * 3 + count % 4 + 2, used = 0, skip = 0;
	u16 *d;

	while (skip < count && b[skip] == (negative ? 0xFF : 0))
		skip++;
	if (!negative && count - skip <= 3) {
		i32 v = 0;

		for (; skip < count; skip++)
			v = v << 8 | b[skip];
		if (x->act->digits >= 9)
			return INTEGER(v);
	}
	if ((count - skip) > x->act->digits)
		RAISE(x, 40, 35);
	rx_limbs_reset(x);
	d = rx_limbs(x, most + 2);
	/* Two's complement: the complement, and one more at the end. */
	for (u32 i = skip; i < count; i++) {
		u32 carry = negative ? (unsigned char)~b[i] : b[i];

		rx_poll(x);
		for (u32 k = 0; k < used; k++) {
			u32 v = d[k] * 256u + carry;

			d[k] = (u16)(v % BASE);
			carry = v / BASE;
		}
		if (carry)
			d[used++] = (u16)carry;
	}
	if (negative) {
		u32 k = 0;

		while (k < used && d[k] == BASE - 1)
			d[k++] = 0;
		if (k == used)
			d[used++] = 1;
		else
			d[k]++;
	}
	n.d = d;
	n.limbs = used;
	if (rx_num_digits(&n) > x->act->digits)
		RAISE(x, 40, 35);
	return rx_format_number(x, &n, x->act->digits, FORM_SCIENTIFIC);
}

struct val rx_c2d(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]);
	const unsigned char *b = (const unsigned char *)s->t;

	if (GIVEN(1)) {
		u32 width = (u32)rx_arg_whole(x, a, 1, 0);

		if (!width)
			return INTEGER(0);
		if (width <= s->length)
			return from_bytes(x, b + s->length - width, width, true);
	}
	return from_bytes(x, b, s->length, false);
}

struct val rx_x2d(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]), *bytes;
	char *digits = rx_scratch(x, s->length + 1);
	u32 many = gather(x, &a[0], true, digits), width = many;
	bool negative = false;
	struct val hold_it, r;
	u32 at = 0;

	if (GIVEN(1)) {
		width = (u32)rx_arg_whole(x, a, 1, 0);
		if (!width)
			return INTEGER(0);
		if (width > many)
			width = many;
		else
			negative = rx_hex(digits[many - width]) >= 8;
	}
	if (!width)
		return INTEGER(0);
	bytes = rx_str(x, (width + 1) / 2);
	digits += many - width;
	if (width % 2)
		bytes->t[at++] = (char)(rx_hex(*digits++) | (negative ? 0xF0 : 0));
	for (; at < bytes->length; digits += 2)
		bytes->t[at++] = (char)(rx_hex(digits[0]) << 4 | rx_hex(digits[1]));
	hold_it = STRING(bytes);
	r = from_bytes(x, (const unsigned char *)bytes->t, bytes->length, negative);
	drop(x, hold_it);
	return r;
}

/* The bytes of a whole number, as few as are needed (none are for 0), in scratch; they begin at *from. */
static u32 to_bytes(struct rexx *x, struct val *v, bool *negative, const unsigned char **bytes, bool signs)
{
	struct num n;
	u32 room, at;
	unsigned char *b;

	rx_limbs_reset(x);
	if (!rx_is_number(x, *v))
		rx_bad_argument(x, 12, v);
	rx_limbs_reset(x);
	rx_number(x, v, &n);
	rx_num_strip(x, &n);
	if (n.limbs && (n.exponent < 0 || rx_num_adjusted(&n) >= (i32)x->act->digits))
		rx_bad_argument(x, 12, v);
	if (n.negative && !signs)
		rx_bad_argument(x, 13, v);
	if (n.limbs)
		rx_num_scale(x, &n, (u32)n.exponent);
	*negative = n.negative;
	room = n.limbs * 2 + 2;
	b = (unsigned char *)rx_scratch(x, room);
	at = room;
	while (n.limbs) {
		u32 left = 0;

		rx_poll(x);
		for (u32 i = n.limbs; i-- > 0;) {
			u32 value = left * BASE + n.d[i];

			n.d[i] = (u16)(value / 256);
			left = value % 256;
		}
		b[--at] = (unsigned char)left;
		while (n.limbs && n.d[n.limbs - 1] == 0)
			n.limbs--;
	}
	if (*negative) {
		u32 i = room;

		for (u32 k = at; k < room; k++)
			b[k] = (unsigned char)~b[k];
		while (i > at && ++b[--i] == 0)
			;
	}
	*bytes = b + at;
	return room - at;
}

struct val rx_d2c(struct rexx *x, struct val *a, u32 n)
{
	bool negative;
	const unsigned char *b;
	u32 count, width = GIVEN(1) ? (u32)rx_arg_whole(x, a, 1, 0) : ~0u;
	struct str *r;

	count = to_bytes(x, &a[0], &negative, &b, GIVEN(1));
	if (width == ~0u)
		return count ? rx_text(x, (const char *)b, count) : rx_text(x, "\0", 1);
	if (!width)
		return EMPTY;
	r = rx_str(x, width);
	memset(r->t, negative ? 0xFF : 0, width);
	if (count > width)
		memcpy(r->t, b + count - width, width);
	else
		memcpy(r->t + width - count, b, count);
	return STRING(r);
}

struct val rx_d2x(struct rexx *x, struct val *a, u32 n)
{
	bool negative;
	const unsigned char *b;
	u32 count, width = GIVEN(1) ? (u32)rx_arg_whole(x, a, 1, 0) : ~0u, digits, skip = 0;
	struct str *r;

	count = to_bytes(x, &a[0], &negative, &b, GIVEN(1));
	digits = count * 2;
	if (width == ~0u) {
		if (!count)
			return INTEGER(0);
		skip = b[0] < 16;
		width = digits - skip;
	}
	if (!width)
		return EMPTY;
	r = rx_str(x, width);
	for (u32 i = 0; i < width; i++) {
		u32 from_end = width - 1 - i;

		if (from_end >= digits)
			r->t[i] = negative ? 'F' : '0';
		else
			r->t[i] = rx_hex_digits[from_end % 2 ? b[count - 1 - from_end / 2] >> 4 :
							       b[count - 1 - from_end / 2] & 15];
	}
	return STRING(r);
}

/* ---- bits ---- */

static struct val bits(struct rexx *x, struct val *a, u32 n, int how)
{
	struct str *s = text_of(x, &a[0]), *t = GIVEN(1) ? text_of(x, &a[1]) : (struct str *)&rx_empty, *r;
	bool padded = GIVEN(2);
	char pad = rx_arg_pad(x, a, n, 2, 0);
	struct str *longer = s->length >= t->length ? s : t, *shorter = longer == s ? t : s;

	if (!longer->length)
		return EMPTY;
	r = rx_str(x, longer->length);
	for (u32 i = 0; i < r->length; i++) {
		char c = longer->t[i], d;

		if (i >= shorter->length && !padded) {
			r->t[i] = c;
			continue;
		}
		d = i < shorter->length ? shorter->t[i] : pad;
		r->t[i] = (char)(how == 0 ? c & d : how == 1 ? c | d : c ^ d);
	}
	return STRING(r);
}

struct val rx_bitand(struct rexx *x, struct val *a, u32 n)
{
	return bits(x, a, n, 0);
}

struct val rx_bitor(struct rexx *x, struct val *a, u32 n)
{
	return bits(x, a, n, 1);
}

struct val rx_bitxor(struct rexx *x, struct val *a, u32 n)
{
	return bits(x, a, n, 2);
}
