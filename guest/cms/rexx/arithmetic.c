/*
 * Arithmetic (TRL, section 2 "Numbers and arithmetic"; ANSI X3.274 says the same).
 *
 * Operands are truncated to DIGITS + 1 digits, the operation is exact on them as far as its rule goes, the result is
 * rounded to DIGITS. Whole numbers of up to nine digits never get this far unless DIGITS is below nine (run.c).
 */
#include "internal.h"

#define BASE 10000u
/* Beyond this, exponents overflow; far enough from what an i32 holds for sums and differences of two. */
#define EXPONENT_MOST 999999999

static void check_exponent(struct rexx *x, const struct num *n)
{
	i32 adjusted;

	if (!n->limbs)
		return;
	adjusted = rx_num_adjusted(n);
	if (adjusted > EXPONENT_MOST)
		RAISE(x, 42, 1);
	if (adjusted < -EXPONENT_MOST)
		RAISE(x, 42, 2);
}

static void truncate(struct num *n, u32 digits)
{
	u32 has = rx_num_digits(n);

	if (has > digits)
		rx_num_shift_right(n, has - digits, false);
}

/* Compares coefficients. */
static i32 compare_limbs(const struct num *a, const struct num *b)
{
	if (a->limbs != b->limbs)
		return a->limbs < b->limbs ? -1 : 1;
	for (u32 i = a->limbs; i-- > 0;)
		if (a->d[i] != b->d[i])
			return a->d[i] < b->d[i] ? -1 : 1;
	return 0;
}

static void trim(struct num *n)
{
	while (n->limbs && n->d[n->limbs - 1] == 0)
		n->limbs--;
	if (!n->limbs)
		n->negative = false;
}

static void add_limbs(struct rexx *x, const struct num *a, const struct num *b, struct num *r)
{
	u32 most = a->limbs > b->limbs ? a->limbs : b->limbs, carry = 0;
	u16 *d = rx_limbs(x, most + 2);

	for (u32 i = 0; i < most; i++) {
		u32 v = (i < a->limbs ? a->d[i] : 0u) + (i < b->limbs ? b->d[i] : 0u) + carry;

		carry = v >= BASE;
		d[i] = (u16)(carry ? v - BASE : v);
	}
	r->limbs = most;
	if (carry)
		d[r->limbs++] = 1;
	r->d = d;
}

/* a - b, a not below b */
static void subtract_limbs(struct rexx *x, const struct num *a, const struct num *b, struct num *r)
{
	u16 *d = rx_limbs(x, a->limbs + 2);
	u32 borrow = 0;

	for (u32 i = 0; i < a->limbs; i++) {
		u32 take = (i < b->limbs ? b->d[i] : 0u) + borrow;

		borrow = a->d[i] < take;
		d[i] = (u16)(a->d[i] + (borrow ? BASE : 0) - take);
	}
	r->d = d;
	r->limbs = a->limbs;
}

/* a + b: both are cut to digits + 1 places from the larger's first digit on. Not yet rounded. */
void rx_num_add(struct rexx *x, const struct num *a0, const struct num *b0, u32 digits, struct num *r)
{
	struct num a = *a0, b = *b0;
	i32 top, least, order;

	if (!a.limbs || !b.limbs) {
		*r = a.limbs ? a : b;
		return;
	}
	top = rx_num_adjusted(&a) > rx_num_adjusted(&b) ? rx_num_adjusted(&a) : rx_num_adjusted(&b);
	least = a.exponent < b.exponent ? a.exponent : b.exponent;
	if (top - least > (i32)digits)
		least = top - (i32)digits;
	for (struct num *n = &a; n; n = n == &a ? &b : 0) {
		if (n->exponent > least)
			rx_num_scale(x, n, (u32)(n->exponent - least));
		else if (n->exponent < least) {
			/* A copy: the caller's limbs are not to change. */
			u16 *d = rx_limbs(x, n->limbs + 2);

			memcpy(d, n->d, n->limbs * sizeof *d);
			n->d = d;
			rx_num_shift_right(n, (u32)(least - n->exponent), false);
		}
	}
	r->exponent = least;
	if (a.negative == b.negative || !a.limbs || !b.limbs) {
		r->negative = a.limbs ? a.negative : b.negative;
		add_limbs(x, &a, &b, r);
		trim(r);
		return;
	}
	order = compare_limbs(&a, &b);
	r->negative = order < 0 ? b.negative : a.negative;
	if (order < 0)
		subtract_limbs(x, &b, &a, r);
	else
		subtract_limbs(x, &a, &b, r);
	trim(r);
}

static void multiply(struct rexx *x, const struct num *a, const struct num *b, struct num *r)
{
	u32 many = a->limbs + b->limbs;
	u16 *d = rx_limbs(x, many + 2);

	memset(d, 0, (many + 1) * sizeof *d);
	for (u32 i = 0; i < a->limbs; i++) {
		u32 carry = 0, by = a->d[i];

		if (!by)
			continue;
		rx_poll(x);
		for (u32 k = 0; k < b->limbs; k++) {
			u32 v = d[i + k] + by * b->d[k] + carry;

			carry = v / BASE;
			d[i + k] = (u16)(v - carry * BASE);
		}
		d[i + b->limbs] = (u16)carry;
	}
	r->d = d;
	r->limbs = many;
	r->negative = a->negative != b->negative;
	r->exponent = a->exponent + b->exponent;
	trim(r);
}

/* Whole division of coefficients (Knuth, algorithm D): quotient, and what is left in *rest (at a's exponent). */
static void divide_limbs(struct rexx *x, const struct num *a, const struct num *b, struct num *q, struct num *rest)
{
	u32 n = b->limbs, m, scale;
	u16 *u, *v, *d;

	if (compare_limbs(a, b) < 0) {
		q->limbs = 0;
		q->d = rx_limbs(x, 2);
		*rest = *a;
		return;
	}
	m = a->limbs - n;
	d = rx_limbs(x, m + 3);
	u = rx_limbs(x, a->limbs + 2);
	if (n == 1) {
		u32 left = 0, by = b->d[0];

		for (u32 i = a->limbs; i-- > 0;) {
			u32 value = left * BASE + a->d[i];

			d[i] = (u16)(value / by);
			left = value % by;
		}
		q->d = d;
		q->limbs = a->limbs;
		trim(q);
		u[0] = (u16)left;
		rest->d = u;
		rest->limbs = 1;
		rest->exponent = a->exponent;
		rest->negative = a->negative;
		trim(rest);
		return;
	}
	v = rx_limbs(x, n + 1);
	scale = BASE / (b->d[n - 1] + 1u);
	for (u32 i = 0, carry = 0; i <= a->limbs; i++) {
		u32 value = (i < a->limbs ? a->d[i] : 0u) * scale + carry;

		u[i] = (u16)(value % BASE);
		carry = value / BASE;
	}
	for (u32 i = 0, carry = 0; i < n; i++) {
		u32 value = b->d[i] * scale + carry;

		v[i] = (u16)(value % BASE);
		carry = value / BASE;
	}
	for (u32 j = m + 1; j-- > 0;) {
		u32 two = u[j + n] * BASE + u[j + n - 1];
		u32 guess = two / v[n - 1], left = two % v[n - 1], carry = 0, borrow = 0;

		rx_poll(x);
		while (guess >= BASE || guess * v[n - 2] > left * BASE + u[j + n - 2]) {
			guess--;
			left += v[n - 1];
			if (left >= BASE)
				break;
		}
		for (u32 i = 0; i < n; i++) {
			u32 value = guess * v[i] + carry, low, take;

			carry = value / BASE;
			low = value % BASE;
			take = low + borrow;
			borrow = u[i + j] < take;
			u[i + j] = (u16)(u[i + j] + (borrow ? BASE : 0) - take);
		}
		{
			u32 take = carry + borrow;

			borrow = u[j + n] < take;
			u[j + n] = (u16)(u[j + n] + (borrow ? BASE : 0) - take);
		}
		if (borrow) {
			u32 up = 0;

			guess--;
			for (u32 i = 0; i < n; i++) {
				u32 value = u[i + j] + v[i] + up;

				up = value >= BASE;
				u[i + j] = (u16)(up ? value - BASE : value);
			}
			u[j + n] = (u16)((u[j + n] + up) % BASE);
		}
		d[j] = (u16)guess;
	}
	q->d = d;
	q->limbs = m + 1;
	trim(q);
	/* Unscale what is left. */
	for (u32 i = n, left = 0; i-- > 0;) {
		u32 value = left * BASE + u[i];

		u[i] = (u16)(value / scale);
		left = value % scale;
	}
	rest->d = u;
	rest->limbs = n;
	rest->exponent = a->exponent;
	rest->negative = a->negative;
	trim(rest);
}

/* a / b to digits + 1 digits at least, zeros at the end taken away. */
static void divide(struct rexx *x, const struct num *a0, const struct num *b, u32 digits, struct num *r)
{
	struct num a = *a0, rest;
	i32 more;

	if (!a.limbs) {
		*r = a;
		return;
	}
	more = (i32)digits + 1 + (i32)rx_num_digits(b) - (i32)rx_num_digits(&a);
	if (more > 0)
		rx_num_scale(x, &a, (u32)more);
	divide_limbs(x, &a, b, r, &rest);
	r->negative = a.negative != b->negative;
	r->exponent = a.exponent - b->exponent;
	trim(r);
	rx_num_round(x, r, digits);
	rx_num_strip(x, r);
}

/* The whole part of a / b, and what is left. */
static void integer_divide(struct rexx *x, const struct num *a0, const struct num *b0, u32 digits, struct num *q,
			   struct num *rest, i32 subcode)
{
	struct num a = *a0, b = *b0;

	q->exponent = 0;
	q->negative = a.negative != b.negative;
	if (!a.limbs || rx_num_adjusted(&a) < rx_num_adjusted(&b)) {
		q->limbs = 0;
		q->negative = false;
		q->d = a.d;
		*rest = a;
		return;
	}
	if (rx_num_adjusted(&a) - rx_num_adjusted(&b) > (i32)digits)
		RAISE(x, 26, subcode);
	if (a.exponent > b.exponent)
		rx_num_scale(x, &a, (u32)(a.exponent - b.exponent));
	else if (b.exponent > a.exponent)
		rx_num_scale(x, &b, (u32)(b.exponent - a.exponent));
	divide_limbs(x, &a, &b, q, rest);
	trim(q);
	if (rx_num_digits(q) > digits)
		RAISE(x, 26, subcode);
	/* a - 0 * b is a as it was. */
	if (!q->limbs)
		*rest = *a0;
}

static void power_of(struct rexx *x, const struct num *a, i32 n, u32 digits, struct num *r)
{
	u32 times = n < 0 ? (u32)-n : (u32)n, bit = 1;
	char t[12];
	u32 working = digits + rx_itoa((i32)times, t) + 1;
	struct num result;

	rx_num_int(x, 1, &result);
	if (!a->limbs) {
		if (n < 0)
			RAISE(x, 42, 3);
		if (n > 0)
			result.limbs = 0;
		*r = result;
		return;
	}
	while (bit <= times / 2)
		bit *= 2;
	for (; times && bit; bit /= 2) {
		/* Only the result lives on: two buffers would do, but blocks are emptied after the operation. */
		struct num next;

		multiply(x, &result, &result, &next);
		rx_num_round(x, &next, working);
		check_exponent(x, &next);
		if (times & bit) {
			struct num both;

			multiply(x, &next, a, &both);
			rx_num_round(x, &both, working);
			next = both;
		}
		check_exponent(x, &next);
		result = next;
	}
	if (n < 0) {
		struct num one;

		rx_num_int(x, 1, &one);
		divide(x, &one, &result, working, r);
	} else {
		*r = result;
	}
}

/* The result of a dyadic operator under the current settings. */
struct val rx_arith(struct rexx *x, enum arith op, struct val *va, struct val *vb)
{
	struct num a, b, r = { 0 }, rest = { 0 };
	u32 digits = x->act->digits;
	i32 n;

	rx_limbs_reset(x);
	rx_number(x, va, &a);
	if (op == ARITH_POWER) {
		if (!rx_is_number(x, *vb))
			rx_raise_v(x, 41, 2, vb);
		if (!rx_whole(x, vb, &n))
			rx_raise_v(x, 26, 8, vb);
		rx_limbs_reset(x);
		rx_number(x, va, &a);
		truncate(&a, digits + 1);
		power_of(x, &a, n, digits, &r);
		rx_num_round(x, &r, digits);
		check_exponent(x, &r);
		return rx_format_number(x, &r, digits, x->act->form);
	}
	if (rx_int(*vb, &n))
		rx_num_int(x, n, &b);
	else if (!rx_parse_number(x, vb->s->t, vb->s->length, &b))
		rx_raise_v(x, 41, 2, vb);
	truncate(&a, digits + 1);
	truncate(&b, digits + 1);
	switch (op) {
	case ARITH_SUBTRACT:
		if (b.limbs)
			b.negative = !b.negative;
		/* fall through */
	case ARITH_ADD:
		rx_num_add(x, &a, &b, digits, &r);
		break;
	case ARITH_MULTIPLY:
		multiply(x, &a, &b, &r);
		break;
	case ARITH_DIVIDE:
	case ARITH_INTEGER_DIVIDE:
	case ARITH_REMAINDER:
		if (!b.limbs)
			RAISE(x, 42, 3);
		if (op == ARITH_DIVIDE) {
			divide(x, &a, &b, digits, &r);
		} else if (op == ARITH_INTEGER_DIVIDE) {
			integer_divide(x, &a, &b, digits, &r, &rest, 11);
		} else {
			integer_divide(x, &a, &b, digits, &rest, &r, 12);
			r.negative = r.limbs && a.negative;
		}
		break;
	default:
		break;
	}
	rx_num_round(x, &r, digits);
	check_exponent(x, &r);
	return rx_format_number(x, &r, digits, x->act->form);
}

/* Prefix + and -: as 0 + a and 0 - a. */
struct val rx_prefix(struct rexx *x, bool minus, struct val *v)
{
	struct num a;

	rx_limbs_reset(x);
	if (!rx_is_number(x, *v))
		rx_raise_v(x, 41, 3, v);
	rx_limbs_reset(x);
	rx_number(x, v, &a);
	truncate(&a, x->act->digits + 1);
	if (minus && a.limbs)
		a.negative = !a.negative;
	rx_num_round(x, &a, x->act->digits);
	check_exponent(x, &a);
	return rx_format_number(x, &a, x->act->digits, x->act->form);
}

/* Exact order of two numbers. */
i32 rx_num_compare(const struct num *a, const struct num *b)
{
	if (!a->limbs || !b->limbs) {
		if (!a->limbs && !b->limbs)
			return 0;
		if (!a->limbs)
			return b->negative ? 1 : -1;
		return a->negative ? -1 : 1;
	}
	if (a->negative != b->negative)
		return a->negative ? -1 : 1;
	if (a->exponent == b->exponent) {
		i32 order = compare_limbs(a, b);

		return a->negative ? -order : order;
	}
	if (rx_num_adjusted(a) != rx_num_adjusted(b)) {
		bool less = rx_num_adjusted(a) < rx_num_adjusted(b);

		return less == a->negative ? 1 : -1;
	}
	return 2;	/* same magnitude, not aligned: the caller subtracts */
}
