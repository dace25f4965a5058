/*
 * What operators and DO do when the run loop's quick ways do not apply: any numbers, comparisons, concatenation in
 * place, loops (TRL, section 2 "Operators", section 3 "DO").
 */
#include "code.h"
#include "internal.h"

/* What the slow paths share: a dyadic operator on the two topmost values. */
void rx_operate(struct rexx *x, enum op op)
{
	struct val *a = x->sp - 2, r;

	r = rx_arith(x, (enum arith)(op - OP_ADD), &a[0], &a[1]);
	drop(x, a[0]);
	a[0] = r;
	x->sp--;
	drop(x, x->sp[0]);
}

bool rx_decide(enum op op, i32 order)
{
	switch (op) {
	case OP_EQ: case OP_SEQ:
		return order == 0;
	case OP_NE: case OP_SNE:
		return order != 0;
	case OP_GT: case OP_SGT:
		return order > 0;
	case OP_LT: case OP_SLT:
		return order < 0;
	case OP_GE: case OP_SGE:
		return order >= 0;
	default:
		return order <= 0;
	}
}

void rx_operate_compare(struct rexx *x, enum op op)
{
	struct val *a = x->sp - 2;
	i32 order = op >= OP_SEQ ? rx_compare_strict(x, &a[0], &a[1]) : rx_compare(x, &a[0], &a[1]);
	bool yes = rx_decide(op, order);

	drop(x, a[0]);
	drop(x, a[1]);
	a[0] = INTEGER(yes);
	x->sp--;
}

/* Puts the topmost values one after the other. */
void rx_join(struct rexx *x, u32 many, u32 blanks)
{
	struct val *end = x->sp, *a = end - many, r;
	u32 length = 0, from = 0;
	struct str *s;
	char *to;

	for (const struct val *at = a; at < end; at++) {
		char digits[12];
		u32 n = at->s ? at->s->length : rx_itoa(at->n, digits);

		length += n;
		if (UNLIKELY(length > 0x3FFFFFFFu))
			RAISE(x, 5, 1);
	}
	for (u32 left = blanks; left; left &= left - 1)
		length++;
	/* An operand with no other reference, and with room, is appended to in its place. */
	if (a[0].s && a[0].s->refs == 1 && (size_t)a[0].s->size - offsetof(struct str, t) >= length) {
		s = a[0].s;
		from = 1;
		to = s->t + s->length;
		r = a[0];
	} else {
		s = rx_str(x, length);
		to = s->t;
		r = STRING(s);
	}
	blanks >>= from;
	for (struct val *at = a + from; at < end; at++, blanks >>= 1) {
		if (blanks & 1)
			*to++ = ' ';
		if (at->s) {
			u32 n = at->s->length;

			copy_text(to, at->s->t, n);
			to += n;
			drop(x, *at);
		} else {
			to += rx_itoa(at->n, to);
		}
	}
	s->length = length;
	s->known = INT_UNKNOWN;
	a[0] = r;
	x->sp -= many - 1;
}

/* a || b where the next operation assigns to the variable that a came from: the variable gives its reference up first,
 * so that join can append in place. */
void rx_release_target(struct rexx *x, const u32 *pc, struct val *first)
{
	struct var *var;

	if ((*pc & 0xFF) != OP_ASSIGN || !first->s || first->s->refs != 2)
		return;
	var = rx_var_find(x->act->pool, *pc >> 8);
	if (!var || var->v.s != first->s)
		return;
	var->v = UNSET;
	first->s->refs--;
	if ((size_t)first->s->size - offsetof(struct str, t) < (size_t)first->s->length + 64) {
		/* Room for more than this once. */
		struct str *s = rx_str(x, first->s->length + first->s->length / 2 + 64);

		s->length = first->s->length;
		memcpy(s->t, first->s->t, s->length);
		drop(x, *first);
		first->s = s;
	}
}

/* ---- DO ---- */

void rx_begin_do(struct rexx *x, u32 flags, u32 order, u32 id)
{
	u32 count = 0, left = order;
	struct val *v;
	struct loop *l, made = { .id = id, .has = (u8)flags };

	for (u32 o = order; o; o >>= 2)
		count++;
	if (flags == LOOP_FOR)
		count = 1;
	v = x->sp - count;
	if (x->loops == x->loop_size)
		x->loop = rx_grow(x, x->loop, &x->loop_size, x->loops + 1, sizeof *x->loop);
	made.limit = made.by = INTEGER(1);
	if (flags & LOOP_CONTROL && (v[-1].s || x->act->digits < 9)) {
		struct val start = rx_prefix(x, false, &v[-1]);

		drop(x, v[-1]);
		v[-1] = start;
	}
	for (u32 i = 0; i < count; i++, left >>= 2) {
		u32 which = flags == LOOP_FOR ? 3 : left & 3;

		if (x->trace_results)
			rx_trace_value(x, ">>>", &v[i]);
		if (which == 3) {
			if (!rx_whole(x, &v[i], &made.left))
				rx_raise_v(x, 26, flags == LOOP_FOR ? 2 : 3, &v[i]);
			if (made.left < 0)
				rx_raise_v(x, 26, flags == LOOP_FOR ? 2 : 3, &v[i]);
		} else {
			struct val n = rx_prefix(x, false, &v[i]);

			drop(x, v[i]);
			v[i] = n;
		}
	}
	/* Nothing fails from here on: the loop takes the values. */
	for (u32 i = 0; i < count; i++, order >>= 2) {
		u32 which = flags == LOOP_FOR ? 3 : order & 3;

		if (which == 1)
			made.limit = v[i];
		else if (which == 2)
			made.by = v[i];
		else
			drop(x, v[i]);
	}
	x->sp -= count;
	made.down = made.by.s ? made.by.s->t[0] == '-' : made.by.n < 0;
	l = &x->loop[x->loops++];
	*l = made;
}

/* Whether the loop is over, with this value of its control variable. */
bool rx_loop_done(struct rexx *x, struct loop *l, struct val *v)
{
	if (l->has & LOOP_TO) {
		i32 order;

		if (LIKELY(!v->s && !l->limit.s && x->act->digits >= 9 && !x->act->fuzz))
			order = v->n < l->limit.n ? -1 : v->n > l->limit.n;
		else
			order = rx_compare(x, v, &l->limit);
		if (l->down ? order < 0 : order > 0)
			return true;
	}
	if (l->has & LOOP_FOR && l->left-- <= 0)
		return true;
	return false;
}

void rx_end_loop(struct rexx *x)
{
	struct loop *l = &x->loop[--x->loops];

	drop(x, l->limit);
	drop(x, l->by);
}

/* Forgets the loops inside the one with this id; false if it isn't active. */
bool rx_find_loop(struct rexx *x, const struct frame *f, u32 id)
{
	u32 i = x->loops;

	while (i > f->loop && x->loop[i - 1].id != id)
		i--;
	if (i == f->loop)
		return false;
	while (x->loops > i)
		rx_end_loop(x);
	return true;
}
