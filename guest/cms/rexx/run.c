/*
 * The run loop: one operation after the other (code.h says what each does). Whole numbers of up to nine digits are
 * computed with here; everything else goes to arithmetic.c and compare.c.
 */
#include "charset.h"
#include "builtin.h"
#include "code.h"

/*
 * The stack of values in execute(): `low` is two below the place where the next one goes, so that an operation's left
 * operand is low[0], its right one low[1], and what it pushes low[2]. Addresses in instructions are not negative.
 */
#define PUSH(value) (low[2] = (value), low++)
/* What is executed, for cases that several operations share, as long as `pc` has not moved. It is read again: nothing
 * is kept of it for all the others. */
#define OPERATION() CODE_OPERATION(*(const volatile u32 *)(pc - 1))
/* Where an operation may raise an error, call or trace, the state has to be in *x. */
#define SYNC() (x->sp = low + 2, f->pc = pc)
#define RELOAD()                                                                                                       \
	do {                                                                                                           \
		f = &x->frame[x->frames - 1];                                                                          \
		code = f->unit->code;                                                                                  \
		pc = f->pc;                                                                                            \
		low = x->sp - 2;                                                                                       \
		rx_use_pool(x);                                                                                        \
		last = OP_CLAUSE;                                                                                      \
		TABLE();                                                                                               \
	} while (0)
/* Where operations go: x->operation, which is nearer than a table of its own. TRACE I has them go there by way of one
 * place, so that they need not ask for it. */
#define TABLE()                                                                                                        \
	do {                                                                                                           \
		if (UNLIKELY(x->operation_table != (x->trace_intermediates ? traced : direct))) {                      \
			x->operation_table = x->trace_intermediates ? traced : direct;                                 \
			memcpy(x->operation, x->operation_table, sizeof x->operation);                                 \
		}                                                                                                      \
	} while (0)
/* The next operation. Each ends with a jump of its own to the one after it. */
#define CASE(op) at_##op:
#define AT(op) [op] = &&at_##op
/* Several that are next to one another in code.h, at the first of them. */
#define SHARED(first, last) [first ... last] = &&at_##first
#define OTHERS(first, last) [first ... last] = &&at_OP_PUSH
#define OPERATIONS                                                                                                     \
	AT(OP_CLAUSE), SHARED(OP_KEYWORD, OP_LABEL), AT(OP_ERROR), AT(OP_STOP), AT(OP_INT), AT(OP_CONST),              \
	AT(OP_GIVEN), AT(OP_VAR), AT(OP_STEM), AT(OP_COMPOUND), AT(OP_OMITTED), AT(OP_FUNCTION), AT(OP_BUILTIN),       \
	AT(OP_ADD), AT(OP_SUBTRACT), AT(OP_MULTIPLY), AT(OP_DIVIDE), SHARED(OP_INTEGER_DIVIDE, OP_REMAINDER),          \
	AT(OP_POWER), SHARED(OP_CONCAT, OP_BLANK), AT(OP_JOIN), SHARED(OP_EQ, OP_LE), SHARED(OP_SEQ, OP_SLE),          \
	SHARED(OP_AND, OP_XOR), AT(OP_NOT), SHARED(OP_MINUS, OP_PLUS), AT(OP_ASSIGN), AT(OP_ASSIGN_STEM),              \
	AT(OP_ASSIGN_COMPOUND), AT(OP_JUMP), SHARED(OP_JF, OP_JT), AT(OP_DO), AT(OP_DO_TEST), AT(OP_DO_COUNT),         \
	AT(OP_DO_STEP), AT(OP_DO_NEXT), AT(OP_DO_END), AT(OP_LEAVE), AT(OP_END), AT(OP_SAY), AT(OP_COMMAND),           \
	OTHERS(OP_PUSH, OP_QUEUE), AT(OP_CALL), AT(OP_RETURN), AT(OP_EXIT), AT(OP_SIGNAL), AT(OP_SIGNAL_VALUE),        \
	OTHERS(OP_TRAP, OP_TRAP), AT(OP_INTERPRET), OTHERS(OP_TRACE, OP_FORM), AT(OP_ADDRESS),                         \
	OTHERS(OP_PROCEDURE, OP_PATTERN_MINUS), AT(OP_WORD), OTHERS(OP_SKIP, OP_PARSED)
#define NEXT()                                                                                                         \
	do {                                                                                                           \
		u32 word = *pc++;                                                                                      \
		operand = CODE_OPERAND(word);                                                                          \
		goto *x->operation[CODE_PLACE(word) / 4];                                                              \
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

/* A function's value, after what it has done. */
static void trace_call(struct rexx *x)
{
	if (UNLIKELY(x->trace_intermediates))
		trace_top(x, ">F>");
}

/* TRACE I: what an operation has left is shown as this. */
static const char *const tags[] = {
	[OP_INT ... OP_CONST] = ">L>", [OP_VAR ... OP_COMPOUND] = ">V>", [OP_FUNCTION ... OP_BUILTIN] = ">F>",
	[OP_ADD ... OP_XOR] = ">O>", [OP_NOT ... OP_PLUS] = ">P>",
};

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

/* Both operands are held as whole numbers, and nothing is to be done but to compute with them. */
#define INTEGERS() LIKELY(!((uintptr_t)low[0].s | (uintptr_t)low[1].s | x->settings))
#define INTEGER_RESULT(value) (low[0].n = (value), low--)
#define IN_RANGE(value) LIKELY((u32)((value) + INT_MOST) <= 2u * (u32)INT_MOST)

/* Both operands are small whole numbers and DIGITS leaves them as they are. */
#define FAST() (LIKELY(x->act->digits >= 9) && whole(low[0], &a) && whole(low[1], &b))
#define RESULT(value)                                                                                                  \
	do {                                                                                                           \
		struct val old_a = low[0], old_b = low[1];                                                             \
		low[0] = INTEGER(value);                                                                               \
		low--;                                                                                                 \
		drop(x, old_a);                                                                                        \
		drop(x, old_b);                                                                                        \
	} while (0)

/* A function of its own: what returns twice (guarded) may keep nothing in registers. */
static __attribute__((noinline)) void execute(struct rexx *x)
{
	static const void *const direct[] = { OPERATIONS }, *const traced[] = { [0 ... OP_PARSED] = &&at_trace };
	enum op last;
	struct frame *f;
	const u32 *code, *pc;
	struct val *low;
	u32 operand;
	i32 a, b;

	RELOAD();
	NEXT();

at_trace:
	if (last < sizeof tags / sizeof *tags && tags[last]) {
		SYNC();
		trace_top(x, tags[last]);
	}
	last = OPERATION();
	goto *direct[last];

	CASE(OP_CLAUSE)
		f->clause = operand;
		if (UNLIKELY(x->attend | *x->attention)) {
			SYNC();
			f->pc--;
			if (rx_attend(x)) {
				RELOAD();
				NEXT();
			}
			if (x->attend & ATTEND_TRACE)
				rx_trace_clause(x, operand, false);
			TABLE();
		}
		NEXT();
	CASE(OP_KEYWORD)
		f->clause = operand;
		if (UNLIKELY(x->attend & ATTEND_TRACE)) {
			SYNC();
			rx_trace_clause(x, operand, OPERATION() == OP_LABEL);
			TABLE();
		}
		NEXT();
	CASE(OP_ERROR)
		SYNC();
		{
			struct val about = f->unit->constant[pc[1]];

			rx_raise(x, (i32)operand, (i32)pc[0], about.s->length ? about.s->t : 0, about.s->length);
		}
	CASE(OP_STOP)
		SYNC();
		f->pc--;
		if (UNLIKELY(x->attend & (ATTEND_CONDITION | ATTEND_PAUSE)) && rx_attend(x)) {
			RELOAD();
			NEXT();
		}
		if (f->kind == FRAME_INTERPRET || f->kind == FRAME_DEBUG) {
			rx_pop_frame(x);
			RELOAD();
			NEXT();
		}
		/* The end of the program is an EXIT, in a routine too. */
		x->finished = true;
		return;

	CASE(OP_INT)
		PUSH(INTEGER((i32)operand));
		NEXT();
	CASE(OP_CONST)
		low[2] = f->unit->constant[operand];
		hold(low[2]);
		low++;
		NEXT();
	CASE(OP_GIVEN)
		low[2] = f->unit->constant[operand];
		hold(low[2]);
		low++;
		NEXT();
	CASE(OP_VAR) {
		struct var *var = x->slot[operand];

		if (LIKELY(var != 0)) {
			struct str *text = var->v.s;

			low[2] = var->v;
			if (LIKELY(!text) || LIKELY(text->refs != REFS_STATIC)) {
				if (text)
					text->refs++;
				low++;
				NEXT();
			}
			if (!is_unset(var->v)) {
				low++;
				NEXT();
			}
		}
		low[2] = STRING(x->symbol[operand]->name);
		hold(low[2]);
		SYNC();
		if (unset_name(x, low[2], &low[2]))
			RELOAD();
		else
			low++;
		NEXT();
	}
	CASE(OP_STEM) {
		struct val v = rx_stem_value(x, operand);

		if (is_unset(v)) {
			v = STRING(x->symbol[operand]->name);
			hold(v);
			SYNC();
			if (unset_name(x, v, &low[2])) {
				RELOAD();
				NEXT();
			}
		} else {
			hold(v);
		}
		PUSH(v);
		NEXT();
	}
	CASE(OP_COMPOUND) {
		struct val key, v;

		SYNC();
		key = rx_tail(x, f->unit, pc);
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
				NEXT();
			}
		} else {
			hold(v);
			drop(x, key);
		}
		PUSH(v);
		NEXT();
	}
	CASE(OP_OMITTED)
		PUSH(OMITTED);
		NEXT();

	CASE(OP_ADD)
		if (INTEGERS() && IN_RANGE(low[0].n + low[1].n)) {
			INTEGER_RESULT(low[0].n + low[1].n);
			NEXT();
		}
		if (FAST() && IN_RANGE(a + b)) {
			RESULT(a + b);
		} else {
			SYNC();
			rx_operate(x, OP_ADD);
			low = x->sp - 2;
		}
		NEXT();
	CASE(OP_SUBTRACT)
		if (INTEGERS() && IN_RANGE(low[0].n - low[1].n)) {
			INTEGER_RESULT(low[0].n - low[1].n);
			NEXT();
		}
		if (FAST() && IN_RANGE(a - b)) {
			RESULT(a - b);
		} else {
			SYNC();
			rx_operate(x, OP_SUBTRACT);
			low = x->sp - 2;
		}
		NEXT();
	CASE(OP_MULTIPLY)
		if (INTEGERS()) {
			i64 product = (i64)low[0].n * low[1].n;

			if (LIKELY((u64)(product + INT_MOST) <= 2u * (u64)INT_MOST)) {
				INTEGER_RESULT((i32)product);
				NEXT();
			}
		} else if (FAST()) {
			i64 product = (i64)a * b;

			if (LIKELY((u64)(product + INT_MOST) <= 2u * (u64)INT_MOST)) {
				RESULT((i32)product);
				NEXT();
			}
		}
		SYNC();
		rx_operate(x, OPERATION());
		low = x->sp - 2;
		NEXT();
	CASE(OP_DIVIDE)
		if (FAST() && b != 0 && a % b == 0) {
			RESULT(a / b);
		} else {
			SYNC();
			rx_operate(x, OPERATION());
			low = x->sp - 2;
		}
		NEXT();
	CASE(OP_INTEGER_DIVIDE)
		if (FAST() && b != 0) {
			RESULT(OPERATION() == OP_REMAINDER ? a % b : a / b);
		} else {
			SYNC();
			rx_operate(x, OPERATION());
			low = x->sp - 2;
		}
		NEXT();
	CASE(OP_POWER)
		SYNC();
		rx_operate(x, OPERATION());
		low = x->sp - 2;
		NEXT();
	CASE(OP_CONCAT)
		SYNC();
		rx_release_target(x, pc, &low[0]);
		rx_join(x, 2, OPERATION() == OP_BLANK ? JOIN_BLANK(1) : 0);
		low = x->sp - 2;
		NEXT();
	CASE(OP_JOIN) {
		u32 blanks = *pc++;

		SYNC();
		if (CODE_IS(*pc, OP_ASSIGN))
			rx_release_target(x, pc, &low[2 - (i32)operand]);
		rx_join(x, operand, blanks);
		low = x->sp - 2;
		NEXT();
	}
	CASE(OP_EQ)
		if (INTEGERS()) {
			a = low[0].n;
			b = low[1].n;
			INTEGER_RESULT(rx_decide(OPERATION(), a < b ? -1 : a > b));
			NEXT();
		}
		if (FAST() && LIKELY(!x->act->fuzz)) {
			RESULT(rx_decide(OPERATION(), a < b ? -1 : a > b));
			NEXT();
		}
	CASE(OP_SEQ)
		SYNC();
		rx_operate_compare(x, OPERATION());
		low = x->sp - 2;
		NEXT();
	CASE(OP_AND) {
		bool left, right;

		SYNC();
		left = rx_logical(x, &low[0], 5);
		right = rx_logical(x, &low[1], 6);
		RESULT(OPERATION() == OP_AND ? left && right : OPERATION() == OP_OR ? left || right : left != right);
		NEXT();
	}
	CASE(OP_NOT) {
		bool yes;

		SYNC();
		yes = rx_logical(x, &low[1], 6);
		drop(x, low[1]);
		low[1] = INTEGER(!yes);
		NEXT();
	}
	CASE(OP_MINUS)
		SYNC();
		if (x->act->digits >= 9 && whole(low[1], &a)) {
			drop(x, low[1]);
			low[1] = INTEGER(OPERATION() == OP_MINUS ? -a : a);
		} else {
			struct val r = rx_prefix(x, OPERATION() == OP_MINUS, &low[1]);

			drop(x, low[1]);
			low[1] = r;
		}
		NEXT();

	CASE(OP_ASSIGN) {
		struct var *var = x->slot[operand];

		RESULTS();
		if (LIKELY(var != 0)) {
			struct val old = var->v;

			var->v = (--low)[2];
			drop(x, old);
		} else {
			SYNC();
			rx_var_make(x, x->act->pool, operand)->v = low[1];
			low--;
		}
		NEXT();
	}
	CASE(OP_ASSIGN_STEM)
		RESULTS();
		SYNC();
		rx_assign_stem(x, operand, low[1]);
		low--;
		NEXT();
	CASE(OP_ASSIGN_COMPOUND) {
		struct val key;

		RESULTS();
		SYNC();
		key = rx_tail(x, f->unit, pc);
		pc += *pc + 1;
		rx_assign_compound(x, operand, key, low[1]);
		drop(x, key);
		low--;
		NEXT();
	}

	CASE(OP_JUMP)
		pc = code + *pc;
		NEXT();
	CASE(OP_JF) {
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
		NEXT();
	}

	CASE(OP_DO)
		SYNC();
		rx_begin_do(x, operand, *pc, (u32)(pc - 1 - code));
		pc++;
		low = x->sp - 2;
		NEXT();
	CASE(OP_DO_TEST) {
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
		NEXT();
	}
	CASE(OP_DO_COUNT) {
		struct loop *l = &x->loop[x->loops - 1];

		if (l->left-- <= 0)
			pc = code + *pc;
		else
			pc++;
		NEXT();
	}
	CASE(OP_DO_STEP) {
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
		NEXT();
	}
	CASE(OP_DO_NEXT) {
		struct var *var = x->slot[operand];
		struct loop *l = &x->loop[x->loops - 1];

		if (LIKELY(var && !((uintptr_t)var->v.s | x->settings) && l->plain)) {
			i32 n = var->v.n + l->by.n;

			if (LIKELY(IN_RANGE(n))) {
				var->v.n = n;
				pc = code + pc[l->down ? n < l->limit.n : n > l->limit.n];
				NEXT();
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
		var = x->slot[operand];
		pc = code + pc[rx_loop_done(x, &x->loop[x->loops - 1], &var->v)];
		NEXT();
	}
	CASE(OP_DO_END)
		rx_end_loop(x);
		NEXT();
	CASE(OP_LEAVE)
		SYNC();
		if (!rx_find_loop(x, f, operand))
			RAISE(x, 28, 1);
		pc = code + *pc;
		NEXT();
	CASE(OP_END)
		if (UNLIKELY(x->loops == f->loop || x->loop[x->loops - 1].id != operand)) {
			SYNC();
			RAISE(x, 10, 1);
		}
		pc = code + *pc;
		NEXT();

	CASE(OP_SAY)
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
		NEXT();
	CASE(OP_COMMAND)
		RESULTS();
		SYNC();
		rx_command(x, &x->act->address, &low[1]);
		RELOAD();
		NEXT();
	CASE(OP_FUNCTION) {
		u32 how = *pc;
		const struct sym *name = x->symbol[operand];

		SYNC();
		/* One of the program's own comes first, unless its name is in quotes. TRACE changes what is done here. */
		if (name->builtin < 0 || (name->label >= 0 && !(how & CALL_QUOTED)) ||
		    rx_builtins[name->builtin].perform == rx_trace_function) {
			f->pc++;
			if (rx_call(x, operand, how, OP_FUNCTION))
				trace_call(x);
			RELOAD();
			NEXT();
		}
		/* It is known now, here and for each time to come. */
		rx_check_arguments(x, &rx_builtins[name->builtin], low + 2 - (how & CALL_ARGUMENTS), how);
		operand = (u32)name->builtin;
		f->unit->code[pc - 1 - code] = CODE_WORD(OP_BUILTIN, operand);
		f->unit->code[pc - code] = how & CALL_ARGUMENTS;
	}
	CASE(OP_BUILTIN) {
		u32 arguments = *pc++;
		struct val *end = low + 2, *first = end - arguments, r;

		SYNC();
		r = x->builtin[operand].perform(x, first, arguments);
		for (; arguments > 0; arguments--)
			drop(x, *--end);
		*first = r;
		low = first - 1;
		NEXT();
	}
	CASE(OP_CALL)
		SYNC();
		f->pc++;
		(void)rx_call(x, operand, *pc, OP_CALL);
		RELOAD();
		NEXT();
	CASE(OP_RETURN)
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
				trace_call(x);
			else if (kind == FRAME_SUBROUTINE && operand && UNLIKELY(x->trace_results))
				rx_trace_value(x, ">>>", &v);
		}
		NEXT();
	CASE(OP_EXIT)
		if (operand) {
			RESULTS();
			x->result = (--low)[2];
			x->has_result = true;
		}
		SYNC();
		x->finished = true;
		return;
	CASE(OP_SIGNAL)
		SYNC();
		rx_signal(x, x->symbol[operand]);
		RELOAD();
		NEXT();
	CASE(OP_SIGNAL_VALUE) {
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
		NEXT();
	}
	CASE(OP_INTERPRET)
		RESULTS();
		SYNC();
		low--;
		x->sp = low + 2;
		rx_interpret(x, low + 2, FRAME_INTERPRET);
		RELOAD();
		NEXT();
	CASE(OP_ADDRESS)
		SYNC();
		if (operand == 0) {
			struct val other = x->act->other_address;

			x->act->other_address = x->act->address;
			x->act->address = other;
		} else if (operand == 1) {
			struct str *s;

			RESULTS();
			s = text_of(x, &low[1]);
			if (s->length > 250)
				RAISE(x, 29, 1);
			drop(x, x->act->other_address);
			x->act->other_address = x->act->address;
			x->act->address = (--low)[2];
		} else {
			RESULTS();
			rx_command(x, &low[0], &low[1]);
			RELOAD();
		}
		NEXT();
	CASE(OP_WORD)
		SYNC();
		PUSH(rx_parse_word(x, operand));
		NEXT();
	/* All that is left. */
	CASE(OP_PUSH)
		SYNC();
		pc = rx_perform(x, OPERATION(), operand, pc);
		low = x->sp - 2;
		last = OP_CLAUSE;
		TABLE();
				NEXT();
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
