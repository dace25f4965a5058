/*
 * The run loop: one operation after the other (code.h says what each does). Whole numbers of up to nine digits are
 * computed with here; everything else goes to arithmetic.c and compare.c.
 */
#include "charset.h"
#include "code.h"
#include "internal.h"

/*
 * The stack of values in execute(): `low` is two below the place where the next one goes, so that an operation's left
 * operand is low[0], its right one low[1], and what it pushes low[2]. Addresses in instructions are not negative.
 */
#define PUSH(value) (low[2] = (value), low++)
/* What is executed, for cases that several operations share, as long as `pc` has not moved. It is read again: nothing
 * is kept of it for all the others. */
#define OPERATION() ((enum op)(*(const volatile u32 *)(pc - 1) & 0xFF))
/* Where an operation may raise an error, call or trace, the state has to be in *x. */
#define SYNC() (x->sp = low + 2, f->pc = (u32)(pc - code))
#define RELOAD()                                                                                                       \
	do {                                                                                                           \
		f = &x->frame[x->frames - 1];                                                                          \
		u = f->unit;                                                                                           \
		code = u->code;                                                                                        \
		pc = code + f->pc;                                                                                     \
		low = x->sp - 2;                                                                                       \
		act = x->act;                                                                                          \
	} while (0)

/* The value of a variable that has none is its name; NOVALUE may be trapped: true, and execution goes on elsewhere.
 * Takes the name over. */
static bool unset_name(struct rexx *x, struct val name, struct val *out)
{
	if (x->act->trap[COND_NOVALUE].how != TRAP_OFF)
		return rx_raise_condition(x, COND_NOVALUE, name);
	*out = name;
	return false;
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
/* rx_int, without a call where it is known what the value is. */
static inline bool whole(struct val v, i32 *n)
{
	i32 found;

	if (LIKELY(!v.s)) {
		*n = v.n;
		return true;
	}
	if (v.s->known >= INT_YES) {
		*n = v.s->n;
		return true;
	}
	if (v.s->known == INT_NO || !rx_int(v, &found))
		return false;
	*n = found;
	return true;
}

/* Both operands are held as whole numbers, and DIGITS leaves them as they are: nothing is to be dropped. */
#define INTEGERS() (LIKELY(act->digits >= 9) && LIKELY(!low[0].s) && LIKELY(!low[1].s))
#define INTEGER_RESULT(value) (low[0].n = (value), low--)
#define IN_RANGE(value) LIKELY((u32)((value) + INT_MOST) <= 2u * (u32)INT_MOST)

/* Both operands are small whole numbers and DIGITS leaves them as they are. */
#define FAST() (LIKELY(act->digits >= 9) && whole(low[0], &a) && whole(low[1], &b))
#define RESULT(value)                                                                                                  \
	do {                                                                                                           \
		struct val old_a = low[0], old_b = low[1];                                                             \
		low[0] = INTEGER(value);                                                                               \
		low--;                                                                                                 \
		drop(x, old_a);                                                                                        \
		drop(x, old_b);                                                                                        \
	} while (0)

/* A built-in function has as many arguments as it wants, and those that it needs. */
static inline void check_arguments(struct rexx *x, const struct builtin_entry *e, const struct val *first, u32 how)
{
	u32 count = how & CALL_ARGUMENTS;

	if (UNLIKELY(count < e->least || count > e->most))
		rx_raise(x, 40, count < e->least ? 3 : 4, e->name, rx_zlength(e->name));
	for (u32 i = 0; UNLIKELY(how & CALL_OMITTED) && i < e->least; i++)
		if (UNLIKELY(is_omitted(first[i])))
			rx_raise(x, 40, 5, e->name, rx_zlength(e->name));
}

/* OP_CALL, and a function that is not known to be built in: `how` is the word after it. False: a routine of the
 * program's own has begun; otherwise a function's value is on the stack. */
static __attribute__((noinline)) bool call(struct rexx *x, u32 operand, u32 how, enum op op)
{
	u32 arguments = how & CALL_ARGUMENTS;
	bool has = true;
	struct sym *name = x->symbol[operand];
	struct val *first = x->sp - arguments, r;

	for (u32 i = 0; i < arguments && op == OP_CALL && x->trace_results; i++)
		if (!is_omitted(first[i]))
			rx_trace_value(x, ">>>", &first[i]);
	if (name->label >= 0 && !(how & CALL_QUOTED)) {
		rx_call_internal(x, (u32)name->label, op == OP_CALL ? FRAME_SUBROUTINE : FRAME_FUNCTION, arguments);
		return false;
	}
	if (name->builtin == -2)
		name->builtin = rx_find_builtin(name->name->t, name->name->length);
	if (name->builtin >= 0) {
		const struct builtin_entry *e = &rx_builtins[name->builtin];

		check_arguments(x, e, first, how);
		r = e->perform(x, first, arguments);
	} else {
		r = rx_call_external(x, name, op == OP_CALL ? REXX_SUBROUTINE : REXX_FUNCTION, arguments, &has);
		if (!has && op == OP_FUNCTION)
			rx_raise(x, 44, 1, name->name->t, name->name->length);
	}
	for (u32 i = 0; i < arguments; i++)
		drop(x, *--x->sp);
	if (op == OP_FUNCTION) {
		*x->sp++ = r;
		return true;
	}
	if (!has) {
		rx_drop(x, x->sym_result->id);
		return true;
	}
	if (x->trace_results) {
		*x->sp++ = r;
		trace_top(x, ">>>");
		x->sp--;
	}
	rx_set_simple(x, x->sym_result, r);
	return true;
}

/* A function of its own: what returns twice (guarded) may keep nothing in registers. */
static __attribute__((noinline)) void execute(struct rexx *x)
{
	struct frame *f;
	struct unit *u;
	const u32 *code, *pc;
	struct val *low;
	struct act *act;
	i32 a, b;

	RELOAD();
	for (;;) {
		u32 word = *pc++, operand = word >> 8;

		switch ((enum op)(word & 0xFF)) {
		case OP_CLAUSE:
			f->clause = operand;
			if (UNLIKELY(x->attend | *x->host->attention)) {
				SYNC();
				f->pc--;
				if (rx_attend(x)) {
					RELOAD();
					break;
				}
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
			SYNC();
			f->pc--;
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
			PUSH(INTEGER((i32)operand));
			INTERMEDIATE(">L>");
			break;
		case OP_CONST:
			low[2] = u->constant[operand];
			hold(low[2]);
			low++;
			INTERMEDIATE(">L>");
			break;
		case OP_GIVEN:
			low[2] = u->constant[operand];
			hold(low[2]);
			low++;
			break;
		case OP_VAR: {
			struct var *var = rx_var_find(act->pool, operand);

			if (LIKELY(var != 0) && LIKELY(!is_unset(var->v))) {
				low[2] = var->v;
				hold(low[2]);
				low++;
			} else {
				struct val name = STRING(x->symbol[operand]->name);

				hold(name);
				SYNC();
				if (unset_name(x, name, &low[2])) {
					RELOAD();
					break;
				}
				low++;
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
				if (unset_name(x, v, &low[2])) {
					RELOAD();
					break;
				}
			} else {
				hold(v);
			}
			PUSH(v);
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
				if (unset_name(x, v, &low[2])) {
					RELOAD();
					break;
				}
			} else {
				hold(v);
				drop(x, key);
			}
			PUSH(v);
			INTERMEDIATE(">V>");
			break;
		}
		case OP_OMITTED:
			PUSH(OMITTED);
			break;

		case OP_ADD:
			if (INTEGERS() && IN_RANGE(low[0].n + low[1].n)) {
				INTEGER_RESULT(low[0].n + low[1].n);
			} else if (FAST() && IN_RANGE(a + b)) {
				RESULT(a + b);
			} else {
				SYNC();
				rx_operate(x, OP_ADD);
				low = x->sp - 2;
			}
			INTERMEDIATE(">O>");
			break;
		case OP_SUBTRACT:
			if (INTEGERS() && IN_RANGE(low[0].n - low[1].n)) {
				INTEGER_RESULT(low[0].n - low[1].n);
			} else if (FAST() && IN_RANGE(a - b)) {
				RESULT(a - b);
			} else {
				SYNC();
				rx_operate(x, OP_SUBTRACT);
				low = x->sp - 2;
			}
			INTERMEDIATE(">O>");
			break;
		case OP_MULTIPLY:
			if (FAST()) {
				i64 product = (i64)a * b;

				if (INTEGERS() && LIKELY(product <= INT_MOST && product >= -INT_MOST)) {
					INTEGER_RESULT((i32)product);
					INTERMEDIATE(">O>");
					break;
				}
				if (LIKELY(product <= INT_MOST && product >= -INT_MOST)) {
					RESULT((i32)product);
					INTERMEDIATE(">O>");
					break;
				}
			}
			SYNC();
			rx_operate(x, OPERATION());
			low = x->sp - 2;
			INTERMEDIATE(">O>");
			break;
		case OP_DIVIDE:
			if (FAST() && b != 0 && a % b == 0) {
				RESULT(a / b);
			} else {
				SYNC();
				rx_operate(x, OPERATION());
				low = x->sp - 2;
			}
			INTERMEDIATE(">O>");
			break;
		case OP_INTEGER_DIVIDE:
		case OP_REMAINDER:
			if (FAST() && b != 0) {
				RESULT(OPERATION() == OP_REMAINDER ? a % b : a / b);
			} else {
				SYNC();
				rx_operate(x, OPERATION());
				low = x->sp - 2;
			}
			INTERMEDIATE(">O>");
			break;
		case OP_POWER:
			SYNC();
			rx_operate(x, OPERATION());
			low = x->sp - 2;
			INTERMEDIATE(">O>");
			break;
		case OP_CONCAT:
		case OP_BLANK:
			SYNC();
			rx_release_target(x, pc, &low[0]);
			rx_join(x, 2, OPERATION() == OP_BLANK ? 2 : 0);
			low = x->sp - 2;
			INTERMEDIATE(">O>");
			break;
		case OP_JOIN: {
			u32 blanks = *pc++;

			SYNC();
			if ((*pc & 0xFF) == OP_ASSIGN)
				rx_release_target(x, pc, &low[2 - (i32)operand]);
			rx_join(x, operand, blanks);
			low = x->sp - 2;
			INTERMEDIATE(">O>");
			break;
		}
		case OP_EQ: case OP_NE: case OP_GT: case OP_LT: case OP_GE: case OP_LE:
			if (INTEGERS() && LIKELY(!act->fuzz)) {
				a = low[0].n;
				b = low[1].n;
				INTEGER_RESULT(rx_decide(OPERATION(), a < b ? -1 : a > b));
				INTERMEDIATE(">O>");
				break;
			}
			if (FAST() && LIKELY(!act->fuzz)) {
				RESULT(rx_decide(OPERATION(), a < b ? -1 : a > b));
				INTERMEDIATE(">O>");
				break;
			}
			/* fall through */
		case OP_SEQ: case OP_SNE: case OP_SGT: case OP_SLT: case OP_SGE: case OP_SLE:
			SYNC();
			rx_operate_compare(x, OPERATION());
			low = x->sp - 2;
			INTERMEDIATE(">O>");
			break;
		case OP_AND:
		case OP_OR:
		case OP_XOR: {
			bool left, right;

			SYNC();
			left = rx_logical(x, &low[0], 5);
			right = rx_logical(x, &low[1], 6);
			RESULT(OPERATION() == OP_AND ? left && right : OPERATION() == OP_OR ? left || right : left != right);
			INTERMEDIATE(">O>");
			break;
		}
		case OP_NOT: {
			bool yes;

			SYNC();
			yes = rx_logical(x, &low[1], 6);
			drop(x, low[1]);
			low[1] = INTEGER(!yes);
			INTERMEDIATE(">P>");
			break;
		}
		case OP_MINUS:
		case OP_PLUS:
			SYNC();
			if (act->digits >= 9 && whole(low[1], &a)) {
				drop(x, low[1]);
				low[1] = INTEGER(OPERATION() == OP_MINUS ? -a : a);
			} else {
				struct val r = rx_prefix(x, OPERATION() == OP_MINUS, &low[1]);

				drop(x, low[1]);
				low[1] = r;
			}
			INTERMEDIATE(">P>");
			break;

		case OP_ASSIGN: {
			struct var *var = rx_var_find(act->pool, operand);

			RESULTS();
			if (LIKELY(var != 0)) {
				struct val old = var->v;

				var->v = (--low)[2];
				drop(x, old);
			} else {
				SYNC();
				rx_var_make(x, act->pool, operand)->v = low[1];
				low--;
			}
			break;
		}
		case OP_ASSIGN_STEM:
			RESULTS();
			SYNC();
			rx_assign_stem(x, operand, low[1]);
			low--;
			break;
		case OP_ASSIGN_COMPOUND: {
			struct val key;

			RESULTS();
			SYNC();
			key = rx_tail(x, u, pc);
			pc += *pc + 1;
			rx_assign_compound(x, operand, key, low[1]);
			drop(x, key);
			low--;
			break;
		}

		case OP_JUMP:
			pc = code + *pc;
			break;
		case OP_JF:
		case OP_JT: {
			bool yes;

			RESULTS();
			if (LIKELY(!low[1].s && (u32)low[1].n <= 1)) {
				yes = low[1].n;
			} else {
				SYNC();
				yes = rx_logical(x, &low[1], (i32)operand);
				drop(x, low[1]);
			}
			low--;
			if (yes == (OPERATION() == OP_JT))
				pc = code + *pc;
			else
				pc++;
			break;
		}

		case OP_DO:
			SYNC();
			rx_begin_do(x, operand, *pc, (u32)(pc - 1 - code));
			pc++;
			low = x->sp - 2;
			break;
		case OP_DO_TEST: {
			bool done;

			SYNC();
			if (x->loops == f->loop)
				RAISE(x, 10, 1);
			done = rx_loop_done(x, &x->loop[x->loops - 1], &low[1]);
			low--;
			drop(x, low[2]);
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

			low[2] = l->by;
			hold(low[2]);
			low++;
			if (FAST() && a + b <= INT_MOST && a + b >= -INT_MOST) {
				RESULT(a + b);
			} else {
				SYNC();
				rx_operate(x, OP_ADD);
				low = x->sp - 2;
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
					pc = code + pc[rx_loop_done(x, l, &var->v)];
					break;
				}
			}
			if (!var || is_unset(var->v)) {
				/* Dropped in the loop: its name isn't a number. */
				PUSH(STRING(x->symbol[operand]->name));
				hold(low[1]);
			} else {
				low[2] = var->v;
				hold(low[2]);
				low++;
			}
			low[2] = l->by;
			hold(low[2]);
			low++;
			SYNC();
			rx_operate(x, OP_ADD);
			low = x->sp - 2;
			RESULTS();
			rx_assign(x, operand, (--low)[2]);
			SYNC();
			var = rx_var_find(act->pool, operand);
			pc = code + pc[rx_loop_done(x, &x->loop[x->loops - 1], &var->v)];
			break;
		}
		case OP_DO_END:
			rx_end_loop(x);
			break;
		case OP_LEAVE:
			SYNC();
			if (!rx_find_loop(x, f, operand))
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
				s = text_of(x, &low[1]);
				rx_say(x, REXX_SAY, s->t, s->length);
				low--;
				drop(x, low[2]);
			} else {
				SYNC();
				rx_say(x, REXX_SAY, "", 0);
			}
			break;
		case OP_COMMAND:
			RESULTS();
			SYNC();
			rx_command(x, &act->address, &low[1]);
			RELOAD();
			break;
		case OP_FUNCTION: {
			u32 how = *pc, arguments = how & CALL_ARGUMENTS;
			const struct sym *name = x->symbol[operand];
			const struct builtin_entry *e;
			struct val *first, r;

			/* One of the program's own comes first, unless its name is in quotes. */
			if (UNLIKELY(name->builtin < 0) || (UNLIKELY(name->label >= 0) && !(how & CALL_QUOTED))) {
				SYNC();
				f->pc++;
				if (!call(x, operand, how, OP_FUNCTION)) {
					RELOAD();
					break;
				}
				RELOAD();
				INTERMEDIATE(">F>");
				break;
			}
			pc++;
			SYNC();
			e = &rx_builtins[name->builtin];
			first = low + 2 - arguments;
			check_arguments(x, e, first, how);
			r = e->perform(x, first, arguments);
			for (low = first; arguments > 0; arguments--, first++)
				drop(x, *first);
			*low = r;
			low--;
			x->sp = low + 2;
			act = x->act;
			INTERMEDIATE(">F>");
			break;
		}
		case OP_CALL:
			SYNC();
			f->pc++;
			(void)call(x, operand, *pc, OP_CALL);
			RELOAD();
			break;
		case OP_RETURN:
			if (operand)
				RESULTS();
			SYNC();
			{
				struct val v = operand ? low[1] : EMPTY;
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
				x->result = (--low)[2];
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
			s = text_of(x, &low[1]);
			label = rx_find_symbol(x, s->t, s->length);
			if (!label)
				rx_raise(x, 16, 1, s->t, s->length);
			rx_signal(x, label);
			RELOAD();
			break;
		}
		case OP_INTERPRET:
			RESULTS();
			SYNC();
			low--;
			x->sp = low + 2;
			rx_interpret(x, low + 2, FRAME_INTERPRET);
			RELOAD();
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
				s = text_of(x, &low[1]);
				if (s->length > 250)
					RAISE(x, 29, 1);
				drop(x, act->other_address);
				act->other_address = act->address;
				act->address = (--low)[2];
			} else {
				RESULTS();
				rx_command(x, &low[0], &low[1]);
				RELOAD();
			}
			break;
		case OP_WORD:
			SYNC();
			PUSH(rx_parse_word(x, operand));
			break;
		/* All that is left: a table of all operations needs no look whether it has one. */
		case OP_PUSH: case OP_QUEUE: case OP_TRAP: case OP_TRACE: case OP_DIGITS: case OP_FUZZ: case OP_FORM:
		case OP_PROCEDURE: case OP_EXPOSE: case OP_EXPOSE_STEM: case OP_EXPOSE_COMPOUND: case OP_EXPOSE_LIST:
		case OP_EXPOSED: case OP_DROP: case OP_DROP_STEM: case OP_DROP_COMPOUND: case OP_DROP_LIST: case OP_OPTIONS:
		case OP_UPPER: case OP_UPPER_STEM: case OP_UPPER_COMPOUND: case OP_PARSE: case OP_PARSE_ARG:
		case OP_PARSE_COMMA: case OP_SOURCE: case OP_PATTERN_END: case OP_PATTERN_STRING: case OP_PATTERN_AT:
		case OP_PATTERN_PLUS: case OP_PATTERN_MINUS: case OP_SKIP: case OP_PARSED:
			SYNC();
			pc = rx_perform(x, OPERATION(), operand, pc);
			low = x->sp - 2;
			break;
		default:
			__builtin_unreachable();
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
