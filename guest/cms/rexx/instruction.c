/*
 * Keyword instructions other than those that build blocks (TRL, section 3).
 */
#include "charset.h"
#include "compile.h"

static bool at_end(const struct compiler *c)
{
	return c->at.token.kind == T_END || c->at.token.kind == T_EOF;
}

/* [expression]: whether there was one. */
static u32 optional_expression(struct compiler *c)
{
	if (at_end(c))
		return 0;
	rx_expression(c);
	return 1;
}

static void popped(struct compiler *c)
{
	c->depth = 0;
}

static void with_optional(struct compiler *c, enum op op)
{
	u32 has = optional_expression(c);

	rx_clause_end(c);
	rx_emit(c, op, has);
	popped(c);
}

/* A symbol or string taken as it is. */
static void push_literal(struct compiler *c)
{
	struct token *t = &c->at.token;

	rx_given(c, t->kind == T_STRING ? rx_token_value(c, t) : STRING(rx_token_name(c, t)));
	rx_next_token(c);
}

static struct sym *label_name(struct compiler *c)
{
	struct token *t = &c->at.token;
	struct sym *name;

	if (t->kind == T_STRING) {
		struct val v = rx_token_value(c, t);

		name = rx_intern(c->x, v.s->t, v.s->length);
		drop(c->x, v);
	} else if (t->kind == T_SYMBOL || t->kind == T_CONSTANT) {
		name = rx_symbol_of(c, t);
	} else {
		rx_token_error(c, 19, 3);
	}
	rx_next_token(c);
	return name;
}

/* CALL or SIGNAL ON or OFF, which is the token at hand. */
static void trap(struct compiler *c, u32 how)
{
	bool on = rx_keyword(c, "ON");
	struct sym *label;
	u32 i;

	rx_next_token(c);
	for (i = 0; i < CONDITIONS; i++)
		if (rx_keyword(c, rx_condition_name(i)))
			break;
	if (i == CONDITIONS || (how == TRAP_CALL && (i == COND_NOVALUE || i == COND_SYNTAX)))
		rx_token_error(c, 25, how == TRAP_CALL ? on ? 1 : 2 : on ? 3 : 4);
	label = rx_symbol_of(c, &c->at.token);
	rx_next_token(c);
	if (on && !at_end(c)) {
		if (!rx_keyword(c, "NAME"))
			rx_token_error(c, 25, how == TRAP_CALL ? 5 : 6);
		rx_next_token(c);
		label = label_name(c);
	}
	rx_clause_end(c);
	rx_emit(c, OP_TRAP, i);
	rx_word(c, on ? how : TRAP_OFF);
	rx_word(c, label->id);
}

static void call(struct compiler *c)
{
	struct token t = c->at.token;
	struct sym *name;
	u32 count;

	if (at_end(c))
		rx_token_error(c, 19, 2);
	if (rx_keyword(c, "ON") || rx_keyword(c, "OFF")) {
		trap(c, TRAP_CALL);
		return;
	}
	if (t.kind != T_SYMBOL && t.kind != T_STRING && t.kind != T_CONSTANT)
		rx_token_error(c, 19, 2);
	name = label_name(c);
	count = rx_arguments(c, false);
	rx_clause_end(c);
	rx_emit(c, OP_CALL, name->id);
	rx_word(c, count | (t.kind == T_STRING ? CALL_QUOTED : 0));
	rx_pushes(c, 1);
	popped(c);
}

static void signal(struct compiler *c)
{
	struct token *t = &c->at.token;

	if (at_end(c))
		rx_token_error(c, 19, 4);
	if (rx_keyword(c, "ON") || rx_keyword(c, "OFF")) {
		trap(c, TRAP_SIGNAL);
		return;
	}
	if (rx_keyword(c, "VALUE"))
		rx_next_token(c);
	else if (t->kind == T_SYMBOL || t->kind == T_STRING || t->kind == T_CONSTANT) {
		struct sym *label = label_name(c);

		rx_clause_end(c);
		rx_emit(c, OP_SIGNAL, label->id);
		return;
	}
	rx_expression(c);
	rx_clause_end(c);
	rx_emit(c, OP_SIGNAL_VALUE, 0);
	popped(c);
}

static void trace(struct compiler *c)
{
	struct token *t = &c->at.token;

	if (at_end(c)) {
		rx_given(c, EMPTY);
	} else if (rx_keyword(c, "VALUE")) {
		rx_next_token(c);
		rx_expression(c);
	} else if (t->kind == T_SYMBOL || t->kind == T_STRING || t->kind == T_CONSTANT) {
		push_literal(c);
	} else {
		rx_expression(c);
	}
	rx_clause_end(c);
	rx_emit(c, OP_TRACE, 0);
	popped(c);
}

static void numeric(struct compiler *c)
{
	u32 has;

	if (rx_keyword(c, "DIGITS") || rx_keyword(c, "FUZZ")) {
		bool digits = rx_keyword(c, "DIGITS");

		rx_next_token(c);
		has = optional_expression(c);
		rx_clause_end(c);
		rx_emit(c, digits ? OP_DIGITS : OP_FUZZ, has);
		popped(c);
		return;
	}
	if (!rx_keyword(c, "FORM"))
		rx_token_error(c, 25, 15);
	rx_next_token(c);
	has = 0;
	if (rx_keyword(c, "SCIENTIFIC") || rx_keyword(c, "ENGINEERING")) {
		has = rx_keyword(c, "SCIENTIFIC") ? 2 : 3;
		rx_next_token(c);
	} else if (!at_end(c)) {
		/* Without VALUE no expression begins with a symbol or a string. */
		if (rx_keyword(c, "VALUE"))
			rx_next_token(c);
		else if (rx_begins_term(c) && c->at.token.kind != T_OPEN)
			rx_token_error(c, 25, 11);
		rx_expression(c);
		has = 1;
	}
	if (has > 1 && !at_end(c))
		rx_token_error(c, 25, 11);
	rx_clause_end(c);
	rx_emit(c, OP_FORM, has);
	popped(c);
}

static void address(struct compiler *c)
{
	struct token *t = &c->at.token;
	u32 kind = 1;

	if (at_end(c)) {
		kind = 0;
	} else if (rx_keyword(c, "VALUE")) {
		rx_next_token(c);
		rx_expression(c);
	} else if (t->kind == T_SYMBOL || t->kind == T_STRING || t->kind == T_CONSTANT) {
		push_literal(c);
		if (!at_end(c)) {
			rx_expression(c);
			kind = 2;
		}
	} else {
		rx_expression(c);
	}
	rx_clause_end(c);
	rx_emit(c, OP_ADDRESS, kind);
	popped(c);
}

/* Names of variables, and in parentheses variables that have more of them. `list` OP_STOP: none of those. */
static void names(struct compiler *c, enum op simple, enum op list)
{
	struct token *t = &c->at.token;

	if (at_end(c))
		rx_token_error(c, 20, 1);
	while (!at_end(c)) {
		if (t->kind == T_OPEN && list != OP_STOP) {
			rx_next_token(c);
			if (t->kind != T_SYMBOL)
				rx_token_error(c, 20, 1);
			if (rx_symbol_kind(t) != NAME_SIMPLE)
				rx_token_error(c, 20, 1);
			rx_emit(c, list, rx_symbol_of(c, t)->id);
			rx_next_token(c);
			if (t->kind != T_CLOSE)
				rx_token_error(c, 46, 1);
		} else if (t->kind == T_SYMBOL) {
			rx_emit_symbol(c, simple, simple + 1, simple + 2, t);
		} else {
			rx_token_error(c, t->kind == T_CONSTANT ? 31 : 20, t->kind == T_CONSTANT ? 2 : 1);
		}
		rx_next_token(c);
	}
}

static void procedure(struct compiler *c)
{
	rx_emit(c, OP_PROCEDURE, 0);
	rx_word(c, c->label_first);
	if (!at_end(c)) {
		if (!rx_keyword(c, "EXPOSE"))
			rx_token_error(c, 25, 17);
		rx_next_token(c);
		names(c, OP_EXPOSE, OP_EXPOSE_LIST);
	}
	rx_emit(c, OP_EXPOSED, 0);
}

static void interpret(struct compiler *c)
{
	if (at_end(c))
		RAISE(c->x, 35, 1);
	rx_expression(c);
	rx_clause_end(c);
	rx_emit(c, OP_INTERPRET, 0);
	popped(c);
}

static void options(struct compiler *c)
{
	if (at_end(c))
		RAISE(c->x, 35, 1);
	rx_expression(c);
	rx_clause_end(c);
	rx_emit(c, OP_OPTIONS, 0);
	popped(c);
}

enum keyword { K_ADDRESS, K_ARG, K_CALL, K_DROP, K_EXIT, K_INTERPRET, K_ITERATE, K_LEAVE, K_NOP, K_NUMERIC, K_OPTIONS,
	       K_PARSE, K_PROCEDURE, K_PULL, K_PUSH, K_QUEUE, K_RETURN, K_SAY, K_SIGNAL, K_TRACE, K_UPPER, KEYWORDS };

static const char *const keywords[KEYWORDS] = {
	"ADDRESS", "ARG", "CALL", "DROP", "EXIT", "INTERPRET", "ITERATE", "LEAVE", "NOP", "NUMERIC", "OPTIONS",
	"PARSE", "PROCEDURE", "PULL", "PUSH", "QUEUE", "RETURN", "SAY", "SIGNAL", "TRACE", "UPPER",
};

/* The instruction whose keyword is at hand; false if it isn't a keyword. */
bool rx_keyword_instruction(struct compiler *c)
{
	u32 k = 0;
	char first = upper(c->at.token.t[0]);

	while (k < KEYWORDS && (keywords[k][0] != first || !rx_keyword(c, keywords[k])))
		k++;
	if (k == KEYWORDS)
		return false;
	if (k == K_ITERATE || k == K_LEAVE) {
		rx_compile_leave(c, k == K_LEAVE);
		return true;
	}
	rx_next_token(c);
	switch ((enum keyword)k) {
	case K_ADDRESS:
		address(c);
		break;
	case K_ARG:
		rx_emit(c, OP_PARSE_ARG, 1);
		rx_compile_template(c, true);
		break;
	case K_CALL:
		call(c);
		break;
	case K_DROP:
		names(c, OP_DROP, OP_DROP_LIST);
		break;
	case K_EXIT:
		with_optional(c, OP_EXIT);
		break;
	case K_INTERPRET:
		interpret(c);
		break;
	case K_NOP:
		rx_clause_end(c);
		break;
	case K_NUMERIC:
		numeric(c);
		break;
	case K_OPTIONS:
		options(c);
		break;
	case K_PARSE:
		rx_compile_parse(c, false);
		break;
	case K_PROCEDURE:
		procedure(c);
		break;
	case K_PULL:
		rx_emit(c, OP_SOURCE, SOURCE_PULL);
		rx_pushes(c, 1);
		rx_emit(c, OP_PARSE, 1);
		rx_pushes(c, -1);
		rx_compile_template(c, false);
		break;
	case K_PUSH:
		with_optional(c, OP_PUSH);
		break;
	case K_QUEUE:
		with_optional(c, OP_QUEUE);
		break;
	case K_RETURN:
		with_optional(c, OP_RETURN);
		break;
	case K_SAY:
		with_optional(c, OP_SAY);
		break;
	case K_SIGNAL:
		signal(c);
		break;
	case K_TRACE:
		trace(c);
		break;
	case K_UPPER:
		names(c, OP_UPPER, OP_STOP);
		break;
	default:
		break;
	}
	return true;
}
