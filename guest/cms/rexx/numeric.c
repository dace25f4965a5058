/*
 * Built-in functions on numbers (TRL, section 4): ABS DIGITS FORM FORMAT FUZZ MAX MIN RANDOM SIGN TRUNC.
 */
#include "builtin.h"

/* Argument i as a number, rounded as if by + (TRL: "as though the operation 0+number had been carried out"). */
static void rounded(struct rexx *x, struct val *v, struct num *n)
{
	if (!rx_is_number(x, *v))
		rx_bad_argument(x, 11, v);
	rx_limbs_reset(x);
	rx_number(x, v, n);
	rx_num_round(x, n, x->act->digits);
}

struct val rx_abs(struct rexx *x, struct val *a, u32 n)
{
	struct num m;

	(void)n;
	rounded(x, &a[0], &m);
	m.negative = false;
	return rx_format_number(x, &m, x->act->digits, x->act->form);
}

struct val rx_sign(struct rexx *x, struct val *a, u32 n)
{
	struct num m;

	(void)n;
	rounded(x, &a[0], &m);
	return INTEGER(!m.limbs ? 0 : m.negative ? -1 : 1);
}

static struct val extreme(struct rexx *x, struct val *a, u32 n, i32 wanted)
{
	u32 best = 0;
	u32 fuzz = x->act->fuzz;
	struct num m;

	for (u32 i = 0; i < n; i++) {
		if (is_omitted(a[i]))
			RAISE(x, 40, 5);
		if (!rx_is_number(x, a[i]))
			rx_bad_argument(x, 11, &a[i]);
	}
	x->act->fuzz = 0;
	for (u32 i = 1; i < n; i++)
		if (rx_compare(x, &a[i], &a[best]) == wanted)
			best = i;
	x->act->fuzz = fuzz;
	rounded(x, &a[best], &m);
	return rx_format_number(x, &m, x->act->digits, x->act->form);
}

struct val rx_max(struct rexx *x, struct val *a, u32 n)
{
	return extreme(x, a, n, 1);
}

struct val rx_min(struct rexx *x, struct val *a, u32 n)
{
	return extreme(x, a, n, -1);
}

struct val rx_digits(struct rexx *x, struct val *a, u32 n)
{
	(void)a;
	(void)n;
	return INTEGER((i32)x->act->digits);
}

struct val rx_fuzz(struct rexx *x, struct val *a, u32 n)
{
	(void)a;
	(void)n;
	return INTEGER((i32)x->act->fuzz);
}

struct val rx_form(struct rexx *x, struct val *a, u32 n)
{
	(void)a;
	(void)n;
	return rx_zstring(x, x->act->form == FORM_ENGINEERING ? "ENGINEERING" : "SCIENTIFIC");
}

/* The whole part and `places` decimals, never in exponential notation. */
struct val rx_trunc(struct rexx *x, struct val *a, u32 n)
{
	u32 places = GIVEN(1) ? (u32)rx_arg_whole(x, a, 1, 0) : 0, digits, whole;
	struct num m;
	struct str *r;
	char *to, *text;
	bool negative;

	rounded(x, &a[0], &m);
	negative = m.negative;
	if (m.exponent < 0 && (u32)-m.exponent > places)
		rx_num_shift_right(&m, (u32)-m.exponent - places, false);
	if (!m.limbs)
		negative = false;
	digits = rx_num_digits(&m);
	if (m.limbs && m.exponent > 0x1000000)
		RAISE(x, 5, 1);
	/* digits * 10^exponent, exponent >= -places */
	whole = !m.limbs || (i32)digits + m.exponent <= 0 ? 1 : (u32)((i32)digits + m.exponent);
	r = rx_str(x, (u32)negative + whole + (places ? places + 1 : 0));
	memset(r->t, '0', r->length);
	to = r->t;
	if (negative)
		*to++ = '-';
	if (places)
		to[whole] = '.';
	if (!m.limbs)
		return STRING(r);
	text = rx_scratch(x, digits);
	rx_num_text(&m, text);
	for (u32 i = 0; i < digits; i++) {
		/* Place of this digit: 0 is the units. */
		i32 place = m.exponent + (i32)(digits - 1 - i);

		if (place >= 0)
			to[whole - 1 - (u32)place] = text[i];
		else
			to[whole + (u32)-place] = text[i];
	}
	return STRING(r);
}

/* FORMAT(number, before, after, expp, expt) */
struct val rx_format(struct rexx *x, struct val *a, u32 n)
{
	struct num m;
	i32 before = GIVEN(1) ? rx_arg_whole(x, a, 1, 0) : -1, after = GIVEN(2) ? rx_arg_whole(x, a, 2, 0) : -1;
	i32 expp = GIVEN(3) ? rx_arg_whole(x, a, 3, 0) : -1;
	i32 expt = GIVEN(4) ? rx_arg_whole(x, a, 4, 0) : (i32)x->act->digits;
	i32 exponent = 0, adjusted, point, room, width;
	bool exponential = false;
	u32 digits, at;
	char *text, shown[16];
	u32 shown_length = 0;
	struct str *r;
	char *to;

	rounded(x, &a[0], &m);
	digits = rx_num_digits(&m);
	adjusted = m.limbs ? rx_num_adjusted(&m) : 0;
	if (m.limbs && expp != 0) {
		i32 places = m.exponent < 0 ? -m.exponent : 0;

		if (adjusted >= expt || places > 2 * expt)
			exponential = true;
	}
	if (m.limbs && (GIVEN(4) && expt == 0 && expp != 0))
		exponential = true;
	if (exponential) {
		i32 over = x->act->form == FORM_ENGINEERING ? ((adjusted % 3) + 3) % 3 : 0;

		exponent = adjusted - over;
		m.exponent -= exponent;
	}
	/* To `after` decimals; a carry may lengthen it, and then the exponent is another. */
	if (after >= 0 && m.limbs) {
		if (m.exponent < 0 && -m.exponent > after) {
			rx_num_shift_right(&m, (u32)(-m.exponent - after), true);
			if (exponential && m.limbs) {
				i32 top = rx_num_adjusted(&m), most = x->act->form == FORM_ENGINEERING ? 2 : 0;

				if (top > most) {
					i32 by = x->act->form == FORM_ENGINEERING ? 3 : 1;

					exponent += by;
					m.exponent -= by;
					if (m.exponent < 0 && -m.exponent > after)
						rx_num_shift_right(&m, (u32)(-m.exponent - after), true);
				}
			}
		}
	}
	digits = rx_num_digits(&m);
	if (!m.limbs)
		m.exponent = 0;
	if (m.limbs && m.exponent > 0x1000000)
		RAISE(x, 5, 1);
	if (m.limbs && m.exponent < -0x1000000)
		RAISE(x, 5, 1);
	/* Digits before the point, and after it. */
	point = m.limbs ? (i32)digits + m.exponent : 1;
	room = point < 1 ? 1 : point;
	if (after < 0)
		after = m.exponent < 0 && m.limbs ? -m.exponent : 0;
	width = room + (m.negative ? 1 : 0);
	if (before >= 0 && width > before)
		rx_bad_argument(x, 38, &a[0]);
	if (before < width)
		before = width;
	if (exponential) {
		i32 e = exponent < 0 ? -exponent : exponent;
		char number[12];
		u32 length = rx_itoa(e, number);

		if (expp > 0 && (i32)length > expp)
			rx_bad_argument(x, 38, &a[0]);
		if (exponent || expp > 0) {
			u32 pad = expp > (i32)length ? (u32)expp - length : 0;

			if (exponent == 0) {
				/* Blanks stand for an exponent of zero. */
				shown_length = (u32)(expp > 0 ? expp + 2 : 0);
				if (shown_length > sizeof shown)
					shown_length = sizeof shown;
				memset(shown, ' ', shown_length);
			} else {
				shown[shown_length++] = 'E';
				shown[shown_length++] = exponent < 0 ? '-' : '+';
				for (; pad && shown_length < sizeof shown - length; pad--)
					shown[shown_length++] = '0';
				memcpy(shown + shown_length, number, length);
				shown_length += length;
			}
		}
	}
	r = rx_str(x, (u32)before + (after ? (u32)after + 1 : 0) + shown_length);
	to = r->t;
	memset(to, ' ', (u32)(before - width));
	to += before - width;
	if (m.negative)
		*to++ = '-';
	memset(to, '0', (u32)room + (after ? (u32)after + 1 : 0));
	if (after)
		to[room] = '.';
	if (m.limbs) {
		text = rx_scratch(x, digits);
		rx_num_text(&m, text);
		for (at = 0; at < digits; at++) {
			i32 place = m.exponent + (i32)(digits - 1 - at);

			if (place >= 0)
				to[room - 1 - place] = text[at];
			else if (-place <= after)
				to[room - place] = text[at];
		}
	}
	to += (u32)room + (after ? (u32)after + 1 : 0);
	memcpy(to, shown, shown_length);
	return STRING(r);
}

/* A generator of 32 bits (Marsaglia, "Xorshift RNGs"); it is never zero. */
static u32 next_random(struct rexx *x)
{
	u32 s = x->seed;

	s ^= s << 13;
	s ^= s >> 17;
	s ^= s << 5;
	x->seed = s;
	return s;
}

struct val rx_random(struct rexx *x, struct val *a, u32 n)
{
	i32 least = 0, most = 999;

	if (n == 1 && GIVEN(0)) {
		most = rx_arg_whole(x, a, 0, 0);
	} else {
		if (GIVEN(0))
			least = rx_arg_whole(x, a, 0, 0);
		if (GIVEN(1))
			most = rx_arg_whole(x, a, 1, 0);
	}
	if (least > most)
		rx_bad_argument(x, 33, &a[0]);
	if (most - least > 100000)
		rx_bad_argument(x, 32, &a[0]);
	if (GIVEN(2)) {
		u32 seed = (u32)rx_arg_whole(x, a, 2, 0);

		x->seed = (seed + 1) * 2654435761u;
		if (!x->seed)
			x->seed = 1;
		for (u32 i = 0; i < 8; i++)
			next_random(x);
	} else if (!x->seed) {
		struct rexx_time t = { 0 };

		if (x->host->clock)
			x->host->clock(x->host->context, &t);
		x->seed = ((u32)t.microsecond * 1000003u) ^ ((u32)t.second * 7919u + (u32)t.minute * 104729u +
							   (u32)t.hour * 1299709u + (u32)t.day) ^ 0x9E3779B9u;
		if (!x->seed)
			x->seed = 1;
		for (u32 i = 0; i < 8; i++)
			next_random(x);
	}
	return INTEGER(least + (i32)(next_random(x) % (u32)(most - least + 1)));
}
