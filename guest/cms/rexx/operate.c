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

/* How long they are together; too long is an error. */
static inline u32 joined_length(struct rexx *x, const struct val *at, u32 many, u32 blanks)
{
	u32 length = blanks >> JOIN_COUNTED;

	for (; many > 0; many--, at++) {
		length += LIKELY(at->s != 0) ? at->s->length : rx_itoa_length(at->n);
		if (UNLIKELY(length > 0x3FFFFFFFu))
			RAISE(x, 5, 1);
	}
	return length;
}

/* Puts the topmost values one after the other. */
void rx_join(struct rexx *x, u32 many, u32 blanks)
{
	struct val *a = x->sp - many, *at = a;
	u32 length = joined_length(x, a, many, blanks);
	struct str *s = a->s;
	char *to;

	/* An operand with no other reference, and with room, is appended to in its place. */
	if (s && s->refs == 1 && (size_t)s->size - offsetof(struct str, t) >= length) {
		to = s->t + s->length;
		blanks >>= 1;
		many--;
		at++;
	} else {
		s = rx_str(x, length);
		to = s->t;
	}
	for (; many > 0; many--, at++) {
		if (blanks & 1)
			*to++ = ' ';
		blanks >>= 1;
		if (LIKELY(at->s != 0)) {
			struct val part = *at;
			u32 n = part.s->length;

			copy_text(to, part.s->t, n);
			to += n;
			drop(x, part);
		} else {
			to += rx_itoa(at->n, to);
		}
	}
	s->length = length;
	s->known = INT_UNKNOWN;
	*a = STRING(s);
	x->sp = a + 1;
}

/* a || b where the next operation assigns to the variable that a came from: the variable gives its reference up first,
 * so that join can append in place. */
void rx_release_target(struct rexx *x, const u32 *pc, struct val *first)
{
	struct var *var;

	if (!CODE_IS(*pc, OP_ASSIGN) || !first->s || first->s->refs != 2)
		return;
	var = rx_var_find(x->act->pool, CODE_OPERAND(*pc));
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
	if (!(flags & LOOP_TO))
		made.limit = INTEGER(made.down ? -INT_MOST : INT_MOST);
	made.plain = !(flags & LOOP_FOR) && !made.limit.s && !made.by.s;
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
