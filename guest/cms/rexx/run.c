/*
 * The run loop: one operation after the other (code.h says what each does). Whole numbers of up to nine digits are
 * computed with here; everything else goes to arithmetic.c and compare.c.
 */
#include "charset.h"
#include "code.h"
#include "internal.h"

/* Where an operation may raise an error, call or trace, the state has to be in *x. */
#define SYNC() (x->sp = sp, f->pc = (u32)(pc - code))
#define RELOAD()                                                                                                       \
	do {                                                                                                           \
		f = &x->frame[x->frames - 1];                                                                          \
		u = f->unit;                                                                                           \
		code = u->code;                                                                                        \
		pc = code + f->pc;                                                                                     \
		sp = x->sp;                                                                                            \
		act = x->act;                                                                                          \
	} while (0)

/* What the slow paths share: a dyadic operator on the two topmost values. */
static void arithmetic(struct rexx *x, enum op op)
{
	struct val *a = x->sp - 2, r;

	r = rx_arith(x, (enum arith)(op - OP_ADD), &a[0], &a[1]);
	drop(x, a[0]);
	a[0] = r;
	x->sp--;
	drop(x, x->sp[0]);
}

static bool decide(enum op op, i32 order)
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

static void comparison(struct rexx *x, enum op op)
{
	struct val *a = x->sp - 2;
	i32 order = op >= OP_SEQ ? rx_compare_strict(x, &a[0], &a[1]) : rx_compare(x, &a[0], &a[1]);
	bool yes = decide(op, order);

	drop(x, a[0]);
	drop(x, a[1]);
	a[0] = INTEGER(yes);
	x->sp--;
}

/* Puts the topmost values one behind the other. */
static void join(struct rexx *x, u32 many, u32 blanks)
{
	struct val *a = x->sp - many, r;
	u32 length = 0, from = 0;
	struct str *s;
	char *to;

	for (u32 i = 0; i < many; i++) {
		char digits[12];
		u32 n = a[i].s ? a[i].s->length : rx_itoa(a[i].n, digits);

		if (n > 0x3FFFFFFFu - length)
			RAISE(x, 5, 1);
		length += n + (blanks >> i & 1);
	}
	/* An operand that nobody else has, and that has room, is appended to in its place. */
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
	for (u32 i = from; i < many; i++) {
		if (blanks >> i & 1)
			*to++ = ' ';
		if (a[i].s) {
			memcpy(to, a[i].s->t, a[i].s->length);
			to += a[i].s->length;
		} else {
			to += rx_itoa(a[i].n, to);
		}
	}
	s->length = length;
	s->known = INT_UNKNOWN;
	for (u32 i = from; i < many; i++)
		drop(x, a[i]);
	a[0] = r;
	x->sp -= many - 1;
}

/* a || b where the next operation assigns to the variable that a came from: the variable gives its reference up first, so
 * that join can append in place. */
static void release_target(struct rexx *x, const u32 *pc, struct val *first)
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

static void novalue(struct rexx *x, struct val name)
{
	if (x->act->trap[COND_NOVALUE].how != TRAP_OFF)
		rx_raise_condition(x, COND_NOVALUE, name);
	drop(x, name);
}

/* The value of a variable that has none is its name; NOVALUE may be trapped. True: it was, go on elsewhere. */
static bool unset_name(struct rexx *x, struct val name, struct val *out)
{
	if (x->act->trap[COND_NOVALUE].how != TRAP_OFF) {
		novalue(x, name);
		return true;
	}
	*out = name;
	return false;
}

static void upper_variable(struct rexx *x, enum op op, struct unit *u, u32 id, const u32 *pc)
{
	struct val v, key = EMPTY, up;
	struct var *var;

	if (op == OP_UPPER_COMPOUND) {
		key = rx_tail(x, u, pc);
		v = rx_compound(x, id, key);
		if (!is_unset(v)) {
			up = rx_upper(x, v);
			rx_assign_compound(x, id, key, up);
		}
		drop(x, key);
		return;
	}
	if (op == OP_UPPER_STEM)
		rx_raise(x, 32, 1, x->symbol[id]->name->t, x->symbol[id]->name->length);
	var = rx_var_find(x->act->pool, id);
	if (!var || is_unset(var->v))
		return;
	up = rx_upper(x, var->v);
	rx_assign(x, id, up);
}

/* DROP (list), EXPOSE (list): the words of the variable's value are names. */
static void name_list(struct rexx *x, u32 id, struct pool *expose_from)
{
	struct pool *mine = x->act->pool;
	struct var *var;
	struct val list;
	struct str *s;
	u32 at = 0;

	if (expose_from)
		rx_expose(x, expose_from, mine, id);
	var = rx_var_find(mine, id);
	list = var ? var->v : UNSET;
	if (is_unset(list))
		list = STRING(x->symbol[id]->name);
	s = text_of(x, &list);
	hold(list);
	while (at < s->length) {
		struct sym *sym;
		struct val key;
		enum name_kind kind;
		u32 from;

		while (at < s->length && is_blank(s->t[at]))
			at++;
		from = at;
		while (at < s->length && !is_blank(s->t[at]))
			at++;
		if (at == from)
			break;
		if (expose_from)
			x->act->pool = expose_from;
		kind = rx_name(x, s->t + from, at - from, true, &sym, &key);
		x->act->pool = mine;
		if (kind == NAME_BAD || kind == NAME_CONSTANT)
			rx_raise(x, kind == NAME_BAD ? 20 : 31, kind == NAME_BAD ? 1 : 2, s->t + from, at - from);
		if (expose_from) {
			if (kind == NAME_COMPOUND)
				rx_expose_compound(x, expose_from, mine, sym->id, key);
			else
				rx_expose(x, expose_from, mine, sym->id);
		} else if (kind == NAME_COMPOUND) {
			rx_drop_compound(x, sym->id, key);
		} else if (kind == NAME_STEM) {
			rx_drop_stem(x, sym->id);
		} else {
			rx_drop(x, sym->id);
		}
		drop(x, key);
	}
	drop(x, list);
}

static void begin_do(struct rexx *x, u32 flags, u32 order, u32 id)
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
	if (x->trace_results && flags & LOOP_CONTROL)
		rx_trace_value(x, ">>>", &v[-1]);
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
static bool loop_done(struct rexx *x, struct loop *l, struct val *v)
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

static void end_loop(struct rexx *x)
{
	struct loop *l = &x->loop[--x->loops];

	drop(x, l->limit);
	drop(x, l->by);
}

/* Forgets the loops inside the one with this id; false if it isn't active. */
static bool find_loop(struct rexx *x, const struct frame *f, u32 id)
{
	u32 i = x->loops;

	while (i > f->loop && x->loop[i - 1].id != id)
		i--;
	if (i == f->loop)
		return false;
	while (x->loops > i)
		end_loop(x);
	return true;
}

static void trace_top(struct rexx *x, const char *tag)
{
	rx_trace_value(x, tag, &x->sp[-1]);
}

#define INTERMEDIATE(tag)                                                                                              \
	do {                                                                                                           \
		if (UNLIKELY(x->trace_intermediates)) {                                                                \
			SYNC();                                                                                        \
			trace_top(x, tag);                                                                             \
		}                                                                                                      \
	} while (0)
#define RESULTS()                                                                                                      \
	do {                                                                                                           \
		if (UNLIKELY(x->trace_results)) {                                                                      \
			SYNC();                                                                                        \
			trace_top(x, ">>>");                                                                           \
		}                                                                                                      \
	} while (0)
/* Both operands are small whole numbers and DIGITS leaves them as they are. */
#define FAST() (LIKELY(act->digits >= 9) && rx_int(sp[-2], &a) && rx_int(sp[-1], &b))
#define RESULT(value)                                                                                                  \
	do {                                                                                                           \
		struct val old_a = sp[-2], old_b = sp[-1];                                                             \
		sp[-2] = INTEGER(value);                                                                               \
		sp--;                                                                                                  \
		drop(x, old_a);                                                                                        \
		drop(x, old_b);                                                                                        \
	} while (0)

static void execute(struct rexx *x)
{
	struct frame *f;
	struct unit *u;
	const u32 *code, *pc;
	struct val *sp;
	struct act *act;
	i32 a, b;

	RELOAD();
	for (;;) {
		u32 word = *pc++, operand = word >> 8;
		enum op op = (enum op)(word & 0xFF);

		switch (op) {
		case OP_CLAUSE:
			f->clause = operand;
			if (UNLIKELY(x->attend | *x->host->attention)) {
				pc--;
				SYNC();
				if (rx_attend(x)) {
					RELOAD();
					break;
				}
				pc++;
				act = x->act;
				if (x->attend & ATTEND_TRACE)
					rx_trace_clause(x, operand, false);
			}
			break;
		case OP_KEYWORD:
			f->clause = operand;
			if (UNLIKELY(x->attend & ATTEND_TRACE)) {
				SYNC();
				rx_trace_clause(x, operand, false);
			}
			break;
		case OP_LABEL:
			f->clause = operand;
			if (UNLIKELY(x->attend & ATTEND_TRACE)) {
				SYNC();
				rx_trace_clause(x, operand, true);
			}
			break;
		case OP_ERROR:
			SYNC();
			{
				struct val about = u->constant[pc[1]];

				rx_raise(x, (i32)operand, (i32)pc[0], about.s->length ? about.s->t : 0, about.s->length);
			}
		case OP_STOP:
			pc--;
			SYNC();
			if (UNLIKELY(x->attend & (ATTEND_CONDITION | ATTEND_PAUSE)) && rx_attend(x)) {
				RELOAD();
				break;
			}
			if (f->kind == FRAME_INTERPRET || f->kind == FRAME_DEBUG) {
				rx_pop_frame(x);
				RELOAD();
				break;
			}
			/* The end of the program is an EXIT, in a routine too. */
			x->finished = true;
			return;

		case OP_INT:
			*sp++ = INTEGER((i32)operand);
			INTERMEDIATE(">L>");
			break;
		case OP_CONST:
			*sp = u->constant[operand];
			hold(*sp);
			sp++;
			INTERMEDIATE(">L>");
			break;
		case OP_VAR: {
			struct var *var = rx_var_find(act->pool, operand);

			if (LIKELY(var != 0) && LIKELY(!is_unset(var->v))) {
				*sp = var->v;
				hold(*sp);
				sp++;
			} else {
				struct val name = STRING(x->symbol[operand]->name);

				hold(name);
				SYNC();
				if (unset_name(x, name, sp)) {
					RELOAD();
					break;
				}
				sp++;
			}
			INTERMEDIATE(">V>");
			break;
		}
		case OP_STEM: {
			struct val v = rx_stem_value(x, operand);

			if (is_unset(v)) {
				v = STRING(x->symbol[operand]->name);
				hold(v);
				SYNC();
				if (unset_name(x, v, sp)) {
					RELOAD();
					break;
				}
			} else {
				hold(v);
			}
			*sp++ = v;
			INTERMEDIATE(">V>");
			break;
		}
		case OP_COMPOUND: {
			struct val key, v;

			SYNC();
			key = rx_tail(x, u, pc);
			pc += *pc + 1;
			v = rx_compound(x, operand, key);
			if (UNLIKELY(x->trace_intermediates)) {
				struct val name = rx_compound_name(x, operand, key);

				rx_trace_value(x, ">C>", &name);
				drop(x, name);
			}
			if (UNLIKELY(is_unset(v))) {
				v = rx_compound_name(x, operand, key);
				drop(x, key);
				SYNC();
				if (unset_name(x, v, sp)) {
					RELOAD();
					break;
				}
			} else {
				hold(v);
				drop(x, key);
			}
			*sp++ = v;
			INTERMEDIATE(">V>");
			break;
		}
		case OP_OMITTED:
			*sp++ = OMITTED;
			break;

		case OP_ADD:
			if (FAST() && LIKELY(a + b <= INT_MOST && a + b >= -INT_MOST)) {
				RESULT(a + b);
			} else {
				SYNC();
				arithmetic(x, op);
				sp = x->sp;
			}
			INTERMEDIATE(">O>");
			break;
		case OP_SUBTRACT:
			if (FAST() && LIKELY(a - b <= INT_MOST && a - b >= -INT_MOST)) {
				RESULT(a - b);
			} else {
				SYNC();
				arithmetic(x, op);
				sp = x->sp;
			}
			INTERMEDIATE(">O>");
			break;
		case OP_MULTIPLY:
			if (FAST()) {
				i64 product = (i64)a * b;

				if (LIKELY(product <= INT_MOST && product >= -INT_MOST)) {
					RESULT((i32)product);
					INTERMEDIATE(">O>");
					break;
				}
			}
			SYNC();
			arithmetic(x, op);
			sp = x->sp;
			INTERMEDIATE(">O>");
			break;
		case OP_DIVIDE:
			if (FAST() && b != 0 && a % b == 0) {
				RESULT(a / b);
			} else {
				SYNC();
				arithmetic(x, op);
				sp = x->sp;
			}
			INTERMEDIATE(">O>");
			break;
		case OP_INTEGER_DIVIDE:
		case OP_REMAINDER:
			if (FAST() && b != 0) {
				RESULT(op == OP_REMAINDER ? a % b : a / b);
			} else {
				SYNC();
				arithmetic(x, op);
				sp = x->sp;
			}
			INTERMEDIATE(">O>");
			break;
		case OP_POWER:
			SYNC();
			arithmetic(x, op);
			sp = x->sp;
			INTERMEDIATE(">O>");
			break;
		case OP_CONCAT:
		case OP_BLANK:
			SYNC();
			release_target(x, pc, &sp[-2]);
			join(x, 2, op == OP_BLANK ? 2 : 0);
			sp = x->sp;
			INTERMEDIATE(">O>");
			break;
		case OP_JOIN: {
			u32 blanks = *pc++;

			SYNC();
			release_target(x, pc, &sp[-(i32)operand]);
			join(x, operand, blanks);
			sp = x->sp;
			INTERMEDIATE(">O>");
			break;
		}
		case OP_EQ: case OP_NE: case OP_GT: case OP_LT: case OP_GE: case OP_LE:
			if (FAST() && LIKELY(!act->fuzz)) {
				RESULT(decide(op, a < b ? -1 : a > b));
				INTERMEDIATE(">O>");
				break;
			}
			/* fall through */
		case OP_SEQ: case OP_SNE: case OP_SGT: case OP_SLT: case OP_SGE: case OP_SLE:
			SYNC();
			comparison(x, op);
			sp = x->sp;
			INTERMEDIATE(">O>");
			break;
		case OP_AND:
		case OP_OR:
		case OP_XOR: {
			bool left, right;

			SYNC();
			left = rx_logical(x, &sp[-2], 5);
			right = rx_logical(x, &sp[-1], 6);
			RESULT(op == OP_AND ? left && right : op == OP_OR ? left || right : left != right);
			INTERMEDIATE(">O>");
			break;
		}
		case OP_NOT: {
			bool yes;

			SYNC();
			yes = rx_logical(x, &sp[-1], 6);
			drop(x, sp[-1]);
			sp[-1] = INTEGER(!yes);
			INTERMEDIATE(">P>");
			break;
		}
		case OP_MINUS:
		case OP_PLUS:
			SYNC();
			if (act->digits >= 9 && rx_int(sp[-1], &a)) {
				drop(x, sp[-1]);
				sp[-1] = INTEGER(op == OP_MINUS ? -a : a);
			} else {
				struct val r = rx_prefix(x, op == OP_MINUS, &sp[-1]);

				drop(x, sp[-1]);
				sp[-1] = r;
			}
			INTERMEDIATE(">P>");
			break;

		case OP_ASSIGN: {
			struct var *var = rx_var_find(act->pool, operand);

			RESULTS();
			if (LIKELY(var != 0)) {
				struct val old = var->v;

				var->v = *--sp;
				drop(x, old);
			} else {
				SYNC();
				rx_var_make(x, act->pool, operand)->v = sp[-1];
				sp--;
			}
			break;
		}
		case OP_ASSIGN_STEM:
			RESULTS();
			SYNC();
			rx_assign_stem(x, operand, sp[-1]);
			sp--;
			break;
		case OP_ASSIGN_COMPOUND: {
			struct val key;

			RESULTS();
			SYNC();
			key = rx_tail(x, u, pc);
			pc += *pc + 1;
			rx_assign_compound(x, operand, key, sp[-1]);
			drop(x, key);
			sp--;
			break;
		}

		case OP_JUMP:
			pc = code + *pc;
			break;
		case OP_JF:
		case OP_JT: {
			bool yes;

			RESULTS();
			if (LIKELY(!sp[-1].s && (u32)sp[-1].n <= 1)) {
				yes = sp[-1].n;
			} else {
				SYNC();
				yes = rx_logical(x, &sp[-1], (i32)operand);
				drop(x, sp[-1]);
			}
			sp--;
			if (yes == (op == OP_JT))
				pc = code + *pc;
			else
				pc++;
			break;
		}

		case OP_DO:
			SYNC();
			begin_do(x, operand, *pc, (u32)(pc - 1 - code));
			pc++;
			sp = x->sp;
			break;
		case OP_DO_TEST: {
			bool done;

			SYNC();
			if (x->loops == f->loop)
				RAISE(x, 10, 1);
			done = loop_done(x, &x->loop[x->loops - 1], &sp[-1]);
			sp--;
			drop(x, *sp);
			if (done)
				pc = code + *pc;
			else
				pc++;
			break;
		}
		case OP_DO_COUNT: {
			struct loop *l = &x->loop[x->loops - 1];

			if (l->left-- <= 0)
				pc = code + *pc;
			else
				pc++;
			break;
		}
		case OP_DO_STEP: {
			struct loop *l = &x->loop[x->loops - 1];

			*sp = l->by;
			hold(*sp);
			sp++;
			if (FAST() && a + b <= INT_MOST && a + b >= -INT_MOST) {
				RESULT(a + b);
			} else {
				SYNC();
				arithmetic(x, OP_ADD);
				sp = x->sp;
			}
			break;
		}
		case OP_DO_NEXT: {
			struct var *var = rx_var_find(act->pool, operand);
			struct loop *l = &x->loop[x->loops - 1];

			if (LIKELY(var && !var->v.s && !l->by.s && act->digits >= 9 && !x->trace_results)) {
				i32 n = var->v.n + l->by.n;

				if (LIKELY(n <= INT_MOST && n >= -INT_MOST)) {
					var->v.n = n;
					if (LIKELY(!l->limit.s && !act->fuzz && !(l->has & LOOP_FOR))) {
						bool done = l->has & LOOP_TO &&
							    (l->down ? n < l->limit.n : n > l->limit.n);

						pc = code + pc[done];
						break;
					}
					SYNC();
					pc = code + pc[loop_done(x, l, &var->v)];
					break;
				}
			}
			if (!var || is_unset(var->v)) {
				/* Dropped in the loop: its name isn't a number. */
				*sp++ = STRING(x->symbol[operand]->name);
				hold(sp[-1]);
			} else {
				*sp = var->v;
				hold(*sp);
				sp++;
			}
			*sp = l->by;
			hold(*sp);
			sp++;
			SYNC();
			arithmetic(x, OP_ADD);
			sp = x->sp;
			RESULTS();
			rx_assign(x, operand, *--sp);
			SYNC();
			var = rx_var_find(act->pool, operand);
			pc = code + pc[loop_done(x, &x->loop[x->loops - 1], &var->v)];
			break;
		}
		case OP_DO_END:
			end_loop(x);
			break;
		case OP_LEAVE:
			SYNC();
			if (!find_loop(x, f, operand))
				RAISE(x, 28, 1);
			pc = code + *pc;
			break;
		case OP_END:
			SYNC();
			if (x->loops == f->loop || x->loop[x->loops - 1].id != operand)
				RAISE(x, 10, 1);
			pc = code + *pc;
			break;

		case OP_SAY:
			if (operand) {
				struct str *s;

				RESULTS();
				SYNC();
				s = text_of(x, &sp[-1]);
				rx_say(x, REXX_SAY, s->t, s->length);
				sp--;
				drop(x, *sp);
			} else {
				SYNC();
				rx_say(x, REXX_SAY, "", 0);
			}
			break;
		case OP_COMMAND:
			RESULTS();
			SYNC();
			rx_command(x, &act->address, &sp[-1]);
			RELOAD();
			break;
		case OP_PUSH:
		case OP_QUEUE: {
			struct str *s = (struct str *)&rx_empty;
			bool kept;

			SYNC();
			if (operand) {
				RESULTS();
				s = text_of(x, &sp[-1]);
			}
			kept = (op == OP_PUSH ? x->host->push : x->host->queue)(x->host->context, s->t, s->length);
			if (!kept)
				RAISE(x, 5, 1);
			if (operand) {
				sp--;
				drop(x, *sp);
			}
			break;
		}
		case OP_FUNCTION:
		case OP_CALL: {
			u32 arguments = *pc & CALL_ARGUMENTS;
			bool quoted = *pc++ & CALL_QUOTED;
			struct sym *name = x->symbol[operand];
			struct val r;
			bool has = true;

			if (UNLIKELY(x->trace_results) && op == OP_CALL) {
				SYNC();
				for (u32 i = 0; i < arguments; i++)
					if (!is_omitted(sp[(i32)i - (i32)arguments]))
						rx_trace_value(x, ">>>", &sp[(i32)i - (i32)arguments]);
			}
			SYNC();
			if (name->label >= 0 && !quoted) {
				rx_call_internal(x, (u32)name->label,
						 op == OP_CALL ? FRAME_SUBROUTINE : FRAME_FUNCTION, arguments);
				RELOAD();
				break;
			}
			if (UNLIKELY(name->builtin == -2))
				name->builtin = rx_find_builtin(name->name->t, name->name->length);
			if (LIKELY(name->builtin >= 0)) {
				const struct builtin_entry *e = &rx_builtins[name->builtin];
				struct val *first = sp - arguments;

				if (UNLIKELY(arguments < e->least || arguments > e->most))
					rx_raise(x, 40, arguments < e->least ? 3 : 4, e->name, rx_zlength(e->name));
				for (u32 i = 0; i < e->least; i++)
					if (is_omitted(first[i]))
						rx_raise(x, 40, 5, e->name, rx_zlength(e->name));
				r = e->perform(x, first, arguments);
			} else {
				r = rx_call_external(x, name, op == OP_CALL ? REXX_SUBROUTINE : REXX_FUNCTION,
						     arguments, &has);
				if (!has && op == OP_FUNCTION)
					rx_raise(x, 44, 1, name->name->t, name->name->length);
			}
			for (u32 i = 0; i < arguments; i++)
				drop(x, *--sp);
			*sp++ = r;
			SYNC();
			act = x->act;
			if (op == OP_CALL) {
				if (has)
					RESULTS();
				sp--;
				if (has)
					rx_set_simple(x, x->sym_result, r);
				else
					rx_drop(x, x->sym_result->id);
				SYNC();
			} else {
				INTERMEDIATE(">F>");
			}
			break;
		}
		case OP_RETURN:
			if (operand)
				RESULTS();
			SYNC();
			{
				struct val v = operand ? sp[-1] : EMPTY;
				enum frame_kind kind;

				while (x->frame[x->frames - 1].kind == FRAME_INTERPRET ||
				       x->frame[x->frames - 1].kind == FRAME_DEBUG) {
					if (operand && x->frame[x->frames - 1].stack < (u32)(x->sp - x->stack))
						x->sp--;
					rx_pop_frame(x);
					/* The value travels on top of the stack. */
					if (operand)
						*x->sp++ = v;
				}
				f = &x->frame[x->frames - 1];
				kind = f->kind;
				if (kind == FRAME_FUNCTION && !operand)
					RAISE(x, 45, 1);
				if (operand)
					x->sp--;
				if (kind == FRAME_MAIN) {
					x->result = v;
					x->has_result = operand;
					x->finished = true;
					return;
				}
				rx_pop_act(x);
				if (kind == FRAME_FUNCTION) {
					*x->sp++ = v;
				} else if (kind == FRAME_SUBROUTINE) {
					if (operand)
						rx_set_simple(x, x->sym_result, v);
					else
						rx_drop(x, x->sym_result->id);
				} else if (operand) {
					drop(x, v);
				}
				RELOAD();
				if (kind == FRAME_FUNCTION)
					INTERMEDIATE(">F>");
				else if (kind == FRAME_SUBROUTINE && operand && UNLIKELY(x->trace_results))
					rx_trace_value(x, ">>>", &v);
			}
			break;
		case OP_EXIT:
			if (operand) {
				RESULTS();
				x->result = *--sp;
				x->has_result = true;
			}
			SYNC();
			x->finished = true;
			return;
		case OP_SIGNAL:
			SYNC();
			rx_signal(x, x->symbol[operand]);
			RELOAD();
			break;
		case OP_SIGNAL_VALUE: {
			struct str *s;
			struct sym *label;

			RESULTS();
			SYNC();
			s = text_of(x, &sp[-1]);
			label = rx_find_symbol(x, s->t, s->length);
			if (!label)
				rx_raise(x, 16, 1, s->t, s->length);
			rx_signal(x, label);
			RELOAD();
			break;
		}
		case OP_TRAP: {
			struct trap *t = &act->trap[operand];

			t->how = (u8)pc[0];
			t->label = x->symbol[pc[1]];
			t->delayed = false;
			if (t->how == TRAP_OFF)
				x->pending[operand] = false;
			pc += 2;
			break;
		}
		case OP_INTERPRET:
			RESULTS();
			SYNC();
			sp--;
			x->sp = sp;
			rx_interpret(x, sp, FRAME_INTERPRET);
			RELOAD();
			break;
		case OP_TRACE:
			SYNC();
			if (!rx_trace_setting(x, &sp[-1]))
				rx_raise_v(x, 24, 1, &sp[-1]);
			sp--;
			drop(x, *sp);
			break;
		case OP_DIGITS: {
			i32 n = 9;

			SYNC();
			if (operand) {
				RESULTS();
				if (!rx_whole(x, &sp[-1], &n) || n <= 0)
					rx_raise_v(x, 26, 5, &sp[-1]);
				if ((u32)n <= act->fuzz)
					rx_raise_v(x, 33, 1, &sp[-1]);
				/* Numbers of that many digits have to fit. */
				if (n > 100000000)
					RAISE(x, 5, 1);
				sp--;
				drop(x, *sp);
			} else if (act->fuzz >= 9) {
				RAISE(x, 33, 1);
			}
			act->digits = (u32)n;
			break;
		}
		case OP_FUZZ: {
			i32 n = 0;

			SYNC();
			if (operand) {
				RESULTS();
				if (!rx_whole(x, &sp[-1], &n) || n < 0)
					rx_raise_v(x, 26, 6, &sp[-1]);
				if ((u32)n >= act->digits)
					rx_raise_v(x, 33, 1, &sp[-1]);
				sp--;
				drop(x, *sp);
			}
			act->fuzz = (u32)n;
			break;
		}
		case OP_FORM:
			SYNC();
			if (operand == 1) {
				struct str *s;
				char first;

				RESULTS();
				s = text_of(x, &sp[-1]);
				first = s->length ? upper(s->t[0]) : 0;
				if (first != 'S' && first != 'E')
					rx_raise_v(x, 33, 3, &sp[-1]);
				act->form = first == 'E' ? FORM_ENGINEERING : FORM_SCIENTIFIC;
				sp--;
				drop(x, *sp);
			} else {
				act->form = operand == 3 ? FORM_ENGINEERING : FORM_SCIENTIFIC;
			}
			break;
		case OP_ADDRESS:
			SYNC();
			if (operand == 0) {
				struct val other = act->other_address;

				act->other_address = act->address;
				act->address = other;
			} else if (operand == 1) {
				struct str *s;

				RESULTS();
				s = text_of(x, &sp[-1]);
				if (s->length > 250)
					RAISE(x, 29, 1);
				drop(x, act->other_address);
				act->other_address = act->address;
				act->address = *--sp;
			} else {
				RESULTS();
				rx_command(x, &sp[-2], &sp[-1]);
				RELOAD();
			}
			break;
		case OP_PROCEDURE: {
			u32 here = (u32)(pc - 1 - code), first = *pc++;

			SYNC();
			if (first == ~0u || !act->may_procedure || f->unit != x->main || f->kind == FRAME_MAIN ||
			    f->kind == FRAME_INTERPRET || f->kind == FRAME_DEBUG || f->entry < first || f->entry > here)
				RAISE(x, 17, 1);
			act->may_procedure = false;
			act->pool = rx_pool_new(x, act->pool->level + 1);
			act->own_pool = true;
			break;
		}
		case OP_EXPOSE:
		case OP_EXPOSE_STEM:
			SYNC();
			rx_expose(x, act->up->pool, act->pool, operand);
			break;
		case OP_EXPOSE_COMPOUND: {
			struct val key;

			SYNC();
			/* Its tail is made of what is exposed so far, or else of names. */
			key = rx_tail(x, u, pc);
			pc += *pc + 1;
			rx_expose_compound(x, act->up->pool, act->pool, operand, key);
			drop(x, key);
			break;
		}
		case OP_EXPOSE_LIST:
			SYNC();
			name_list(x, operand, act->up->pool);
			break;
		case OP_EXPOSED:
			break;
		case OP_DROP:
			rx_drop(x, operand);
			break;
		case OP_DROP_STEM:
			SYNC();
			rx_drop_stem(x, operand);
			break;
		case OP_DROP_COMPOUND: {
			struct val key;

			SYNC();
			key = rx_tail(x, u, pc);
			pc += *pc + 1;
			rx_drop_compound(x, operand, key);
			drop(x, key);
			break;
		}
		case OP_DROP_LIST:
			SYNC();
			name_list(x, operand, 0);
			break;
		case OP_OPTIONS:
			RESULTS();
			sp--;
			drop(x, *sp);
			break;
		case OP_UPPER:
		case OP_UPPER_STEM:
		case OP_UPPER_COMPOUND:
			SYNC();
			upper_variable(x, op, u, operand, pc);
			if (op == OP_UPPER_COMPOUND)
				pc += *pc + 1;
			break;

		case OP_PARSE:
			RESULTS();
			SYNC();
			rx_parse_start(x, sp[-1], operand);
			sp--;
			break;
		case OP_PARSE_ARG:
			SYNC();
			rx_parse_argument(x, 0, operand);
			break;
		case OP_PARSE_COMMA:
			SYNC();
			if (x->parse.arg)
				rx_parse_argument(x, x->parse.argument + 1, x->parse.upper);
			else
				rx_parse_start(x, EMPTY, x->parse.upper);
			break;
		case OP_SOURCE: {
			struct val v;

			SYNC();
			switch (operand) {
			case SOURCE_SOURCE:
				v = rx_parse_source(x);
				break;
			case SOURCE_VERSION:
				v = rx_parse_version(x);
				break;
			case SOURCE_NUMERIC: {
				char t[48];
				u32 n = rx_itoa((i32)act->digits, t);
				const char *form = act->form == FORM_ENGINEERING ? " ENGINEERING" : " SCIENTIFIC";

				t[n++] = ' ';
				n += rx_itoa((i32)act->fuzz, t + n);
				memcpy(t + n, form, rx_zlength(form));
				v = rx_text(x, t, n + rx_zlength(form));
				break;
			}
			default:
				v = rx_pull(x, operand != SOURCE_PULL);
				break;
			}
			*sp++ = v;
			break;
		}
		case OP_PATTERN_END:
			rx_parse_position(x, op, 0);
			break;
		case OP_PATTERN_STRING:
		case OP_PATTERN_AT:
		case OP_PATTERN_PLUS:
		case OP_PATTERN_MINUS:
			SYNC();
			rx_parse_position(x, op, &sp[-1]);
			sp--;
			drop(x, *sp);
			break;
		case OP_WORD:
			SYNC();
			*sp = rx_parse_word(x, operand);
			sp++;
			break;
		case OP_SKIP: {
			struct val v;

			SYNC();
			v = rx_parse_word(x, operand);
			if (UNLIKELY(x->trace_results))
				rx_trace_value(x, ">.>", &v);
			drop(x, v);
			break;
		}
		case OP_PARSED:
			rx_parse_end(x);
			break;
		}
	}
}

/* Executes until the program ends; an error that is raised comes back here. False: one was. */
static __attribute__((noinline)) bool guarded(struct rexx *x)
{
	void *jump[JUMP_WORDS];

	if (__builtin_setjmp(jump) == 0) {
		x->jump = jump;
		execute(x);
		return true;
	}
	return false;
}

/* Runs what is on the frames. The error that ended it, or 0. */
i32 rx_loop(struct rexx *x)
{
	while (!guarded(x))
		if (!rx_handle_error(x))
			return x->error;
	return 0;
}
