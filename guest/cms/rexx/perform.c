/*
 * The operations that are not on every path: NUMERIC, TRACE, traps, PROCEDURE EXPOSE, DROP, UPPER, the program stack
 * and PARSE (TRL, section 3). They change neither frame nor activation, so the run loop only hands over its operands.
 */
#include "charset.h"
#include "code.h"
#include "internal.h"

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

#define RESULTS()                                                                                                      \
	do {                                                                                                           \
		if (UNLIKELY(x->trace_results))                                                                        \
			rx_trace_value(x, ">>>", &x->sp[-1]);                                                          \
	} while (0)

/* Performs an operation; returns where the next one is. */
const u32 *rx_perform(struct rexx *x, enum op op, u32 operand, const u32 *pc)
{
	const struct frame *f = &x->frame[x->frames - 1];
	struct unit *u = f->unit;

	switch (op) {
	case OP_PUSH:
	case OP_QUEUE: {
		bool (*stack)(void *, const char *, uint32_t) = op == OP_PUSH ? x->host->push : x->host->queue;
		struct str *s = (struct str *)&rx_empty;

		if (operand) {
			RESULTS();
			s = text_of(x, &x->sp[-1]);
		}
		if (stack && !stack(x->host->context, s->t, s->length))
			RAISE(x, 5, 1);
		if (operand) {
			x->sp--;
			drop(x, *x->sp);
		}
		break;
	}
	case OP_TRAP: {
		struct trap *t = &x->act->trap[operand];

		t->how = (u8)pc[0];
		t->label = x->symbol[pc[1]];
		t->delayed = false;
		if (t->how == TRAP_OFF)
			x->pending[operand] = false;
		pc += 2;
		break;
	}
	case OP_TRACE:
		if (!rx_trace_setting(x, &x->sp[-1]))
			rx_raise_v(x, 24, 1, &x->sp[-1]);
		x->sp--;
		drop(x, *x->sp);
		break;
	case OP_DIGITS: {
		i32 n = 9;

		if (operand) {
			RESULTS();
			if (!rx_whole(x, &x->sp[-1], &n) || n <= 0)
				rx_raise_v(x, 26, 5, &x->sp[-1]);
			if ((u32)n <= x->act->fuzz)
				rx_raise_v(x, 33, 1, &x->sp[-1]);
			/* Numbers of that many digits have to fit. */
			if (n > 100000000)
				RAISE(x, 5, 1);
			x->sp--;
			drop(x, *x->sp);
		} else if (x->act->fuzz >= 9) {
			RAISE(x, 33, 1);
		}
		x->act->digits = (u32)n;
		rx_set_settings(x);
		break;
	}
	case OP_FUZZ: {
		i32 n = 0;

		if (operand) {
			RESULTS();
			if (!rx_whole(x, &x->sp[-1], &n) || n < 0)
				rx_raise_v(x, 26, 6, &x->sp[-1]);
			if ((u32)n >= x->act->digits)
				rx_raise_v(x, 33, 1, &x->sp[-1]);
			x->sp--;
			drop(x, *x->sp);
		}
		x->act->fuzz = (u32)n;
		rx_set_settings(x);
		break;
	}
	case OP_FORM:
		if (operand == 1) {
			struct str *s;
			char first;

			RESULTS();
			s = text_of(x, &x->sp[-1]);
			first = s->length ? upper(s->t[0]) : 0;
			if (first != 'S' && first != 'E')
				rx_raise_v(x, 33, 3, &x->sp[-1]);
			x->act->form = first == 'E' ? FORM_ENGINEERING : FORM_SCIENTIFIC;
			x->sp--;
			drop(x, *x->sp);
		} else {
			x->act->form = operand == 3 ? FORM_ENGINEERING : FORM_SCIENTIFIC;
		}
		break;
	case OP_PROCEDURE: {
		u32 here = (u32)(pc - 1 - u->code), first = *pc++;

		/* The first instruction after the label that this routine was called at. */
		if (first == ~0u || !x->act->may_procedure || u != x->main || f->entry < first || f->entry > here ||
		    (f->kind != FRAME_FUNCTION && f->kind != FRAME_SUBROUTINE && f->kind != FRAME_HANDLER))
			RAISE(x, 17, 1);
		x->act->may_procedure = false;
		x->act->pool = rx_pool_new(x, x->act->pool->level + 1);
		x->act->own_pool = true;
		rx_use_pool(x);
		break;
	}
	case OP_EXPOSE:
	case OP_EXPOSE_STEM:
		rx_expose(x, x->act->up->pool, x->act->pool, operand);
		break;
	case OP_EXPOSE_COMPOUND: {
		struct val key;

		/* Its tail is made of what is exposed so far, or else of names. */
		key = rx_tail(x, u, pc);
		pc += *pc + 1;
		rx_expose_compound(x, x->act->up->pool, x->act->pool, operand, key);
		drop(x, key);
		break;
	}
	case OP_EXPOSE_LIST:
		name_list(x, operand, x->act->up->pool);
		break;
	case OP_EXPOSED:
		break;
	case OP_DROP:
		rx_drop(x, operand);
		break;
	case OP_DROP_STEM:
		rx_drop_stem(x, operand);
		break;
	case OP_DROP_COMPOUND: {
		struct val key;

		key = rx_tail(x, u, pc);
		pc += *pc + 1;
		rx_drop_compound(x, operand, key);
		drop(x, key);
		break;
	}
	case OP_DROP_LIST:
		name_list(x, operand, 0);
		break;
	case OP_OPTIONS:
		RESULTS();
		x->sp--;
		drop(x, *x->sp);
		break;
	case OP_UPPER:
	case OP_UPPER_STEM:
	case OP_UPPER_COMPOUND:
		upper_variable(x, op, u, operand, pc);
		if (op == OP_UPPER_COMPOUND)
			pc += *pc + 1;
		break;

	case OP_PARSE:
		RESULTS();
		rx_parse_start(x, x->sp[-1], operand);
		x->sp--;
		break;
	case OP_PARSE_ARG:
		rx_parse_argument(x, 0, operand);
		break;
	case OP_PARSE_COMMA:
		if (x->parse.arg)
			rx_parse_argument(x, x->parse.argument + 1, x->parse.upper);
		else
			rx_parse_start(x, EMPTY, x->parse.upper);
		break;
	case OP_SOURCE: {
		struct val v;

		switch (operand) {
		case SOURCE_SOURCE:
			v = rx_parse_source(x);
			break;
		case SOURCE_VERSION:
			v = rx_parse_version(x);
			break;
		case SOURCE_NUMERIC: {
			char t[48];
			u32 n = rx_itoa((i32)x->act->digits, t);
			const char *form = x->act->form == FORM_ENGINEERING ? " ENGINEERING" : " SCIENTIFIC";

			t[n++] = ' ';
			n += rx_itoa((i32)x->act->fuzz, t + n);
			memcpy(t + n, form, rx_zlength(form));
			v = rx_text(x, t, n + rx_zlength(form));
			break;
		}
		default:
			v = rx_pull(x, operand != SOURCE_PULL);
			break;
		}
		*x->sp++ = v;
		break;
	}
	case OP_PATTERN_END:
		rx_parse_position(x, op, 0);
		break;
	case OP_PATTERN_STRING:
	case OP_PATTERN_AT:
	case OP_PATTERN_PLUS:
	case OP_PATTERN_MINUS:
		rx_parse_position(x, op, &x->sp[-1]);
		x->sp--;
		drop(x, *x->sp);
		break;
	case OP_SKIP: {
		struct val v;

		v = rx_parse_word(x, operand);
		if (UNLIKELY(x->trace_results))
			rx_trace_value(x, ">.>", &v);
		drop(x, v);
		break;
	}
	case OP_PARSED:
		rx_parse_end(x);
		break;
	default:
		RAISE(x, 49, 1);
	}
	return pc;
}
