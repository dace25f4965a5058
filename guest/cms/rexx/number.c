/*
 * Numbers: from strings and to strings (TRL, section 2 "Numbers and arithmetic").
 *
 * A number is a sign, a whole number in base 10000, and a power of ten. Base 10000 keeps every product and every step
 * of a division within 32 bits, which is what a System/390 has. Limbs are taken from blocks that rx_limbs_reset empties
 * before each operation.
 */
#include "charset.h"
#include "internal.h"

#define BASE 10000u
#define EXPONENT_MOST 999999999

static const u16 power[5] = { 1, 10, 100, 1000, 10000 };

void rx_limbs_reset(struct rexx *x)
{
	struct limb_block *b = x->limbs;

	x->limb_used = 0;
	if (!b || !b->next)
		return;
	for (struct limb_block *o = b->next, *next; o; o = next) {
		next = o->next;
		rx_release(x, o, sizeof *o + o->count * sizeof *o->d);
	}
	b->next = 0;
}

u16 *rx_limbs(struct rexx *x, u32 n)
{
	struct limb_block *b = x->limbs;
	u16 *d;

	if (UNLIKELY(!b || n > b->count - x->limb_used)) {
		u32 count = b ? b->count * 2 : 96;

		if (n > 0x08000000u)
			RAISE(x, 5, 1);
		if (count < n)
			count = n;
		b = rx_allocate(x, sizeof *b + count * sizeof *b->d);
		b->next = x->limbs;
		b->count = count;
		x->limbs = b;
		x->limb_used = 0;
	}
	d = b->d + x->limb_used;
	x->limb_used += n;
	return d;
}

static void trim(struct num *n)
{
	while (n->limbs && n->d[n->limbs - 1] == 0)
		n->limbs--;
	if (n->limbs == 0)
		n->negative = false;
}

void rx_num_int(struct rexx *x, i32 v, struct num *n)
{
	u32 u = v < 0 ? 0u - (u32)v : (u32)v;

	n->d = rx_limbs(x, 4);
	n->negative = v < 0;
	n->exponent = 0;
	n->limbs = 0;
	for (; u; u /= BASE)
		n->d[n->limbs++] = (u16)(u % BASE);
}

/* ---- from strings ---- */

/* A plain whole number of at most nine digits; remembers in the string what it found. */
bool rx_int(struct val v, i32 *n)
{
	struct str *s = v.s;
	const char *t, *end;
	bool negative = false, canonical = true;
	i32 value = 0;
	const char *first;

	if (!s) {
		*n = v.n;
		return true;
	}
	if (s->known >= INT_YES) {
		*n = s->n;
		return true;
	}
	if (s->known == INT_NO)
		return false;
	s->known = INT_NO;
	t = s->t;
	end = t + s->length;
	while (t < end && is_blank(*t))
		t++, canonical = false;
	if (t < end && (*t == '-' || *t == '+')) {
		negative = *t == '-';
		canonical = canonical && negative;
		t++;
		while (t < end && is_blank(*t))
			t++, canonical = false;
	}
	while (end > t && is_blank(end[-1]))
		end--, canonical = false;
	if (t == end)
		return false;
	if (*t == '0' && (end - t > 1 || negative))
		canonical = false;
	while (end - t > 1 && *t == '0')
		t++;
	if (end - t > 9)
		return false;
	for (first = t; t < end; t++) {
		if (!is_digit(*t))
			return false;
		value = value * 10 + (*t - '0');
	}
	(void)first;
	s->n = negative ? -value : value;
	s->known = canonical ? INT_CANONICAL : INT_YES;
	*n = s->n;
	return true;
}

/* TRL's syntax of a number, blanks around it and after its sign. False if it isn't one. */
bool rx_parse_number(struct rexx *x, const char *t, u32 length, struct num *n)
{
	const char *end = t + length, *first, *last = 0, *point = 0;
	u32 digits = 0, at;
	i32 exponent = 0, fraction = 0;

	n->negative = false;
	while (t < end && is_blank(*t))
		t++;
	if (t < end && (*t == '-' || *t == '+')) {
		n->negative = *t++ == '-';
		while (t < end && is_blank(*t))
			t++;
	}
	while (end > t && is_blank(end[-1]))
		end--;
	for (first = t; t < end; t++) {
		if (is_digit(*t)) {
			digits++;
			if (point)
				fraction++;
		} else if (*t == '.' && !point) {
			point = t;
		} else {
			break;
		}
	}
	if (!digits)
		return false;
	last = t;
	if (t < end) {
		bool minus = false;

		if (*t != 'E' && *t != 'e')
			return false;
		t++;
		if (t < end && (*t == '-' || *t == '+'))
			minus = *t++ == '-';
		if (t == end)
			return false;
		for (; t < end; t++) {
			if (!is_digit(*t))
				return false;
			exponent = exponent > EXPONENT_MOST / 10 ? EXPONENT_MOST + 1 : exponent * 10 + (*t - '0');
		}
		if (minus)
			exponent = -exponent;
	}
	while (first < last && (*first == '0' || *first == '.')) {
		if (*first == '0')
			digits--;
		first++;
	}
	n->d = rx_limbs(x, digits / 4 + 2);
	n->limbs = 0;
	if (!digits) {
		n->exponent = 0;
		n->negative = false;
		return true;
	}
	/* From the least digit, four at a time. */
	at = 0;
	for (u32 limb = 0, place = 0; last > first;) {
		char c = *--last;

		if (c != '.') {
			limb += (u32)(c - '0') * power[place];
			place++;
		}
		if (place == 4 || (last == first && place)) {
			n->d[at++] = (u16)limb;
			limb = place = 0;
		}
	}
	n->limbs = at;
	trim(n);
	if (exponent > EXPONENT_MOST || exponent < -EXPONENT_MOST) {
		return false;
	}
	n->exponent = exponent - fraction;
	return true;
}

bool rx_is_number(struct rexx *x, struct val v)
{
	struct num n;
	i32 i;

	if (rx_int(v, &i))
		return true;
	rx_limbs_reset(x);
	return rx_parse_number(x, v.s->t, v.s->length, &n);
}

void rx_number(struct rexx *x, struct val *v, struct num *n)
{
	i32 i;

	if (rx_int(*v, &i))
		rx_num_int(x, i, n);
	else if (!rx_parse_number(x, v->s->t, v->s->length, n))
		rx_raise_v(x, 41, 1, v);
}

/* ---- shape ---- */

u32 rx_num_digits(const struct num *n)
{
	u32 top, count;

	if (!n->limbs)
		return 0;
	top = n->d[n->limbs - 1];
	count = top >= 1000 ? 4 : top >= 100 ? 3 : top >= 10 ? 2 : 1;
	return (n->limbs - 1) * 4 + count;
}

/* The power of ten of the first digit. */
i32 rx_num_adjusted(const struct num *n)
{
	return n->exponent + (i32)rx_num_digits(n) - 1;
}

static u32 digit_at(const struct num *n, u32 place)
{
	if (place / 4 >= n->limbs)
		return 0;
	return n->d[place / 4] / power[place % 4] % 10;
}

/* Takes `digits` digits away on the right; half of the last one rounds away from zero. In place. */
void rx_num_shift_right(struct num *n, u32 digits, bool round)
{
	u32 whole = digits / 4, part = digits % 4;
	bool up;

	if (digits == 0)
		return;
	up = round && digit_at(n, digits - 1) >= 5;
	n->exponent += (i32)digits;
	if (whole >= n->limbs) {
		n->limbs = 0;
	} else {
		u32 left = n->limbs - whole;

		for (u32 i = 0; i < left; i++) {
			u32 v = n->d[i + whole];

			if (part) {
				v /= power[part];
				if (i + 1 < left)
					v += n->d[i + whole + 1] % power[part] * power[4 - part];
			}
			n->d[i] = (u16)v;
		}
		n->limbs = left;
	}
	if (up) {
		u32 i = 0;

		while (i < n->limbs && n->d[i] == BASE - 1)
			n->d[i++] = 0;
		if (i == n->limbs)
			n->d[n->limbs++] = 1;
		else
			n->d[i]++;
	}
	trim(n);
}

/* Rounds to that many digits. */
void rx_num_round(struct rexx *x, struct num *n, u32 digits)
{
	u32 has = rx_num_digits(n);

	(void)x;
	if (has <= digits)
		return;
	rx_num_shift_right(n, has - digits, true);
	if (rx_num_digits(n) > digits)
		rx_num_shift_right(n, 1, false);
}

/* Multiplies by a power of ten and takes it out of the exponent: the value stays. */
void rx_num_scale(struct rexx *x, struct num *n, u32 zeros)
{
	u32 whole = zeros / 4, part = zeros % 4, carry = 0;
	u16 *d;

	if (zeros == 0 || !n->limbs) {
		n->exponent -= (i32)zeros;
		return;
	}
	d = rx_limbs(x, n->limbs + whole + 2);
	memset(d, 0, whole * sizeof *d);
	for (u32 i = 0; i < n->limbs; i++) {
		u32 v = n->d[i] * (u32)power[part] + carry;

		d[i + whole] = (u16)(v % BASE);
		carry = v / BASE;
	}
	n->limbs += whole;
	if (carry)
		d[n->limbs++] = (u16)carry;
	n->d = d;
	n->exponent -= (i32)zeros;
}

/* Takes away zeros at the end. */
void rx_num_strip(struct rexx *x, struct num *n)
{
	u32 zeros = 0, limb = 0;

	(void)x;
	if (!n->limbs)
		return;
	while (n->d[limb] == 0)
		limb++;
	zeros = limb * 4;
	while (digit_at(n, zeros) == 0)
		zeros++;
	rx_num_shift_right(n, zeros, false);
}

/* ---- to strings ---- */

/* The digits; returns how many. */
u32 rx_num_text(const struct num *n, char *to)
{
	u32 count = rx_num_digits(n), at = count;

	for (u32 i = 0; i < n->limbs; i++) {
		u32 v = n->d[i];

		for (u32 k = 0; k < 4 && at; k++) {
			to[--at] = (char)('0' + (int)(v % 10));
			v /= 10;
		}
	}
	return count;
}

static char *zeros(char *to, u32 count)
{
	while (count--)
		*to++ = '0';
	return to;
}

/* A result: rounded to `digits`, in exponential notation when it has to be (TRL, "Exponential notation"). */
struct val rx_format_number(struct rexx *x, struct num *n, u32 digits, u8 form)
{
	u32 has, room;
	i32 exponent, adjusted;
	char *text, *to;
	const char *from;
	struct str *s;
	struct val v;

	rx_num_round(x, n, digits);
	if (!n->limbs)
		return INTEGER(0);
	has = rx_num_digits(n);
	exponent = n->exponent;
	if (exponent == 0 && has <= 9) {
		u32 u = 0;

		for (u32 i = n->limbs; i-- > 0;)
			u = u * BASE + n->d[i];
		return INTEGER(n->negative ? -(i32)u : (i32)u);
	}
	adjusted = exponent + (i32)has - 1;
	if (adjusted > EXPONENT_MOST)
		RAISE(x, 42, 1);
	if (adjusted < -EXPONENT_MOST)
		RAISE(x, 42, 2);
	room = has + 32;
	if (exponent > 0 && exponent <= (i32)digits)
		room += (u32)exponent;
	if (exponent < 0 && (u32)-exponent <= digits * 2)
		room += (u32)-exponent;
	text = rx_scratch(x, room + has);
	rx_num_text(n, text + room);
	from = text + room;
	to = text;
	if (n->negative)
		*to++ = '-';
	if (exponent >= 0 && has + (u32)exponent <= digits) {
		memcpy(to, from, has);
		to = zeros(to + has, (u32)exponent);
	} else if (exponent < 0 && (u32)-exponent <= digits * 2) {
		if (adjusted >= 0) {
			u32 before = has - (u32)-exponent;

			memcpy(to, from, before);
			to += before;
			*to++ = '.';
			memcpy(to, from + before, has - before);
			to += has - before;
		} else {
			*to++ = '0';
			*to++ = '.';
			to = zeros(to, (u32)-exponent - has);
			memcpy(to, from, has);
			to += has;
		}
	} else {
		u32 before = 1;
		i32 shown = adjusted;

		if (form == FORM_ENGINEERING) {
			i32 over = shown % 3;

			if (over < 0)
				over += 3;
			shown -= over;
			before += (u32)over;
		}
		for (u32 i = 0; i < before; i++)
			*to++ = i < has ? from[i] : '0';
		if (has > before) {
			*to++ = '.';
			memcpy(to, from + before, has - before);
			to += has - before;
		}
		if (shown) {
			*to++ = 'E';
			if (shown > 0)
				*to++ = '+';
			to += rx_itoa(shown, to);
		}
	}
	s = rx_str(x, (u32)(to - text));
	memcpy(s->t, text, s->length);
	v = STRING(s);
	return v;
}

/* A whole number of at most nine digits, however it is written. */
bool rx_whole(struct rexx *x, struct val *v, i32 *result)
{
	struct num n;
	u32 u = 0;

	if (rx_int(*v, result))
		return true;
	rx_limbs_reset(x);
	if (!rx_parse_number(x, v->s->t, v->s->length, &n))
		return false;
	if (!n.limbs) {
		*result = 0;
		return true;
	}
	rx_num_strip(x, &n);
	if (n.exponent < 0 || rx_num_adjusted(&n) > 8)
		return false;
	rx_num_scale(x, &n, (u32)n.exponent);
	for (u32 i = n.limbs; i-- > 0;)
		u = u * BASE + n.d[i];
	*result = n.negative ? -(i32)u : (i32)u;
	return true;
}
