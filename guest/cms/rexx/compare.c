/*
 * Comparisons and logical values (TRL, section 2 "Comparisons").
 */
#include "charset.h"
#include "internal.h"

static i32 order(int c)
{
	return c < 0 ? -1 : c > 0;
}

/* Blanks around are ignored; the shorter is padded with blanks. */
static i32 compare_text(const struct str *a, const struct str *b)
{
	const char *s = a->t, *t = b->t;
	u32 n = a->length, m = b->length, i;

	while (n && is_blank(*s))
		s++, n--;
	while (m && is_blank(*t))
		t++, m--;
	while (n && is_blank(s[n - 1]))
		n--;
	while (m && is_blank(t[m - 1]))
		m--;
	i = n < m ? n : m;
	if (i) {
		int c = memcmp(s, t, i);

		if (c)
			return order(c);
	}
	for (; i < n; i++)
		if (s[i] != ' ')
			return (unsigned char)s[i] < (unsigned char)' ' ? -1 : 1;
	for (; i < m; i++)
		if (t[i] != ' ')
			return (unsigned char)t[i] < (unsigned char)' ' ? 1 : -1;
	return 0;
}

/* = and its kin: as numbers if both are, to DIGITS less FUZZ digits; else as text. */
i32 rx_compare(struct rexx *x, struct val *a, struct val *b)
{
	struct num m, n, r = { 0 };
	u32 digits = x->act->digits - x->act->fuzz;
	i32 i, k, result;

	if (rx_int(*a, &i) && rx_int(*b, &k) && digits >= 9)
		return i < k ? -1 : i > k;
	/* Most text isn't a number, as its first character says. */
	for (struct val *v = a; v; v = v == a ? b : 0) {
		if (v->s && v->s->known == INT_NO) {
			char c = v->s->length ? v->s->t[0] : 0;

			if (!(class_of(c) & (CHAR_DIGIT | CHAR_DOT | CHAR_BLANK)) && c != '-' && c != '+')
				return compare_text(text_of(x, a), text_of(x, b));
		}
	}
	rx_limbs_reset(x);
	if (rx_int(*a, &i))
		rx_num_int(x, i, &m);
	else if (!rx_parse_number(x, a->s->t, a->s->length, &m))
		return compare_text(a->s, text_of(x, b));
	if (rx_int(*b, &i))
		rx_num_int(x, i, &n);
	else if (!rx_parse_number(x, b->s->t, b->s->length, &n))
		return compare_text(text_of(x, a), b->s);
	if (rx_num_digits(&m) > digits + 1)
		rx_num_shift_right(&m, rx_num_digits(&m) - digits - 1, false);
	if (rx_num_digits(&n) > digits + 1)
		rx_num_shift_right(&n, rx_num_digits(&n) - digits - 1, false);
	if (!m.limbs || !n.limbs || m.negative != n.negative) {
		result = rx_num_compare(&m, &n);
	} else {
		n.negative = !n.negative;
		rx_num_add(x, &m, &n, digits, &r);
		rx_num_round(x, &r, digits);
		result = !r.limbs ? 0 : r.negative ? -1 : 1;
	}
	return result;
}

i32 rx_compare_strict(struct rexx *x, struct val *a, struct val *b)
{
	const struct str *s, *t;
	u32 n;
	int c;

	if (!a->s && !b->s && a->n == b->n)
		return 0;
	s = text_of(x, a);
	t = text_of(x, b);
	n = s->length < t->length ? s->length : t->length;
	c = n ? memcmp(s->t, t->t, n) : 0;
	if (c)
		return order(c);
	return s->length < t->length ? -1 : s->length > t->length;
}

/* 0 or 1, and nothing else (error 34). */
bool rx_logical(struct rexx *x, struct val *v, i32 subcode)
{
	if (!v->s) {
		if (v->n == 0 || v->n == 1)
			return v->n;
	} else if (v->s->length == 1) {
		if (v->s->t[0] == '0')
			return false;
		if (v->s->t[0] == '1')
			return true;
	}
	rx_raise_v(x, 34, subcode, v);
}
