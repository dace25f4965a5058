/*
 * DO, its END, LEAVE and ITERATE (TRL, section 3 "DO").
 *
 *	start, limits	OP_DO, the control variable is assigned, jump to test
 * again:	UNTIL; step
 * test:	TO and FOR; WHILE
 *	the body
 *	END: jump to again
 * exit:	OP_DO_END
 */
#include "charset.h"
#include "compile.h"

static bool at_end(const struct compiler *c)
{
	return c->at.token.kind == T_END || c->at.token.kind == T_EOF;
}

static struct block *top(struct compiler *c)
{
	return &c->block[c->blocks - 1];
}

static void exits(struct compiler *c)
{
	u32 word = rx_word(c, top(c)->exits);

	top(c)->exits = word;
}

static void phrase(struct compiler *c)
{
	rx_next_token(c);
	if (at_end(c))
		RAISE(c->x, 35, 1);
	rx_expression(c);
}

/* TO, BY and FOR in whatever order: their flags, and the order in two bits each. */
static u32 phrases(struct compiler *c, u32 *order)
{
	static const char *const words[] = { "TO", "BY", "FOR" };
	u32 has = 0, shift = 0;

	*order = 0;
	for (;;) {
		u32 i = 0;

		while (i < 3 && !rx_keyword(c, words[i]))
			i++;
		if (i == 3)
			return has;
		if (has & 1u << i)
			rx_token_error(c, 27, 1);
		has |= 1u << i;
		*order |= (i + 1) << shift;
		shift += 2;
		phrase(c);
	}
}

void rx_compile_do(struct compiler *c)
{
	struct token control = { 0 };
	enum name_kind kind = NAME_BAD;
	u32 flags = 0, order = 0, test, next_exit = 0, next_body = 0, next = 0;
	bool counted = false;

	if (at_end(c))
		return;
	c->reserved = UNTIL_DO;
	if (rx_is_assignment(c)) {
		control = c->at.token;
		if (control.kind != T_SYMBOL)
			rx_token_error(c, 31, 2);
		kind = rx_symbol_kind(&control);
		rx_next_token(c);
		rx_next_token(c);
		rx_expression(c);
		flags = phrases(c, &order) | LOOP_CONTROL;
		counted = true;
	} else if (rx_keyword(c, "FOREVER")) {
		rx_next_token(c);
	} else if (rx_keyword(c, "TO") || rx_keyword(c, "BY") || rx_keyword(c, "FOR")) {
		rx_token_error(c, 27, 1);
	} else if (!rx_keyword(c, "WHILE") && !rx_keyword(c, "UNTIL")) {
		rx_expression(c);
		flags = LOOP_FOR;
		counted = true;
	}
	/* What follows are conditions, in which TO, BY and FOR are variables as any. */
	c->reserved = UNTIL_CONDITION;
	top(c)->kind = BLOCK_LOOP;
	top(c)->loop = rx_emit(c, OP_DO, flags);
	rx_word(c, order);
	c->depth = 0;
	if (kind != NAME_BAD) {
		top(c)->full_name = rx_token_name(c, &control);
		rx_emit_symbol(c, OP_ASSIGN, OP_ASSIGN_STEM, OP_ASSIGN_COMPOUND, &control);
	}
	rx_emit(c, OP_JUMP, 0);
	test = rx_word(c, 0);
	top(c)->again = c->u->code_length;
	if (rx_keyword(c, "UNTIL")) {
		phrase(c);
		rx_emit(c, OP_JT, 4);
		exits(c);
		c->depth = 0;
		if (rx_keyword(c, "WHILE"))
			rx_token_error(c, 27, 1);
	}
	if (kind == NAME_SIMPLE && !rx_keyword(c, "WHILE")) {
		next = rx_emit(c, OP_DO_NEXT, rx_symbol_of(c, &control)->id);
		next_body = rx_word(c, 0);
		next_exit = rx_word(c, 0);
	} else if (kind != NAME_BAD) {
		rx_emit_symbol(c, OP_VAR, OP_STEM, OP_COMPOUND, &control);
		rx_pushes(c, 1);
		rx_emit(c, OP_DO_STEP, 0);
		rx_emit_symbol(c, OP_ASSIGN, OP_ASSIGN_STEM, OP_ASSIGN_COMPOUND, &control);
		rx_pushes(c, -1);
	}
	c->u->code[test] = c->u->code_length;
	if (kind != NAME_BAD) {
		rx_emit_symbol(c, OP_VAR, OP_STEM, OP_COMPOUND, &control);
		rx_pushes(c, 1);
		rx_emit(c, OP_DO_TEST, 0);
		rx_pushes(c, -1);
		exits(c);
	} else if (counted) {
		rx_emit(c, OP_DO_COUNT, 0);
		exits(c);
	}
	if (rx_keyword(c, "WHILE")) {
		phrase(c);
		rx_emit(c, OP_JF, 3);
		exits(c);
		c->depth = 0;
		if (rx_keyword(c, "UNTIL"))
			rx_token_error(c, 27, 1);
	}
	if (!at_end(c))
		rx_token_error(c, 27, 1);
	c->reserved = 0;
	if (next) {
		c->u->code[next_body] = c->u->code_length;
		c->u->code[next_exit] = top(c)->exits;
		top(c)->exits = next_exit;
	}
	rx_pushes(c, 2);
	c->depth = 0;
}

void rx_compile_end_of_loop(struct compiler *c, struct block *b)
{
	rx_emit(c, OP_END, b->loop);
	rx_word(c, b->again);
	rx_patch_chain(c, b->exits);
	rx_emit(c, OP_DO_END, 0);
}

void rx_compile_leave(struct compiler *c, bool leave)
{
	struct str *name = 0;
	struct block *b = 0;

	rx_next_token(c);
	if (!at_end(c)) {
		if (c->at.token.kind != T_SYMBOL)
			rx_token_error(c, 20, 1);
		name = rx_token_name(c, &c->at.token);
	}
	for (u32 i = c->blocks; i-- > 0 && !b;) {
		struct block *o = &c->block[i];

		if (o->kind != BLOCK_LOOP)
			continue;
		if (!name || (o->full_name && o->full_name->length == name->length &&
			      memcmp(o->full_name->t, name->t, name->length) == 0))
			b = o;
	}
	if (!b)
		rx_raise(c->x, 28, name ? leave ? 3 : 4 : leave ? 1 : 2, name ? name->t : 0, name ? name->length : 0);
	if (name) {
		drop(c->x, STRING(name));
		rx_next_token(c);
	}
	rx_clause_end(c);
	rx_emit(c, OP_LEAVE, b->loop);
	if (leave)
		b->exits = rx_word(c, b->exits);
	else
		rx_word(c, b->again);
}
