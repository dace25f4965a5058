/*
 * PARSE, ARG and PULL: their sources and templates (TRL, section 5 "Parsing").
 *
 * Each group of variables ends at a pattern, so the pattern's code comes first: it finds what the group is given.
 */
#include "charset.h"
#include "compile.h"

static bool at_end(const struct compiler *c)
{
	return c->at.token.kind == T_END || c->at.token.kind == T_EOF;
}

static void add_target(struct compiler *c, enum name_kind kind)
{
	if (c->targets == c->target_size)
		c->target = rx_grow(c->x, c->target, &c->target_size, c->targets + 1, sizeof *c->target);
	c->target[c->targets].kind = (u8)kind;
	c->target[c->targets].token = c->at.token;
	c->targets++;
}

/* The words for the variables of the group that a pattern has just bounded. */
static void assign_targets(struct compiler *c)
{
	for (u32 i = 0; i < c->targets; i++) {
		u32 last = i + 1 == c->targets;

		if (c->target[i].kind == NAME_BAD) {
			rx_emit(c, OP_SKIP, last);
			continue;
		}
		rx_emit(c, OP_WORD, last);
		rx_pushes(c, 1);
		rx_emit_symbol(c, OP_ASSIGN, OP_ASSIGN_STEM, OP_ASSIGN_COMPOUND, &c->target[i].token);
		rx_pushes(c, -1);
	}
	c->targets = 0;
}

static void pattern(struct compiler *c, enum op op)
{
	rx_emit(c, op, 0);
	rx_pushes(c, -1);
	assign_targets(c);
}

/* The number or (variable) of a positional pattern, which is the token at hand. */
static void position(struct compiler *c)
{
	const struct token *t = &c->at.token;

	if (t->kind == T_OPEN) {
		rx_next_token(c);
		if (t->kind != T_SYMBOL)
			rx_token_error(c, 38, 3);
		rx_emit_symbol(c, OP_VAR, OP_STEM, OP_COMPOUND, t);
		rx_next_token(c);
		if (t->kind != T_CLOSE)
			rx_token_error(c, 38, 3);
	} else {
		i32 n;
		struct val v;

		if (t->kind != T_CONSTANT)
			rx_token_error(c, 38, 2);
		v = rx_token_value(c, t);
		if (!rx_int(v, &n)) {
			drop(c->x, v);
			rx_token_error(c, 26, 4);
		}
		rx_emit(c, OP_CONST, rx_constant(c, v));
	}
	rx_pushes(c, 1);
	rx_next_token(c);
}

void rx_compile_template(struct compiler *c, bool argument)
{
	const struct token *t = &c->at.token;

	c->targets = 0;
	for (;;) {
		if (at_end(c) || t->kind == T_COMMA) {
			rx_emit(c, OP_PATTERN_END, 0);
			assign_targets(c);
			if (at_end(c))
				break;
			(void)argument;
			rx_emit(c, OP_PARSE_COMMA, 0);
			rx_next_token(c);
		} else if (t->kind == T_SYMBOL) {
			add_target(c, rx_symbol_kind(t));
			rx_next_token(c);
		} else if (t->kind == T_CONSTANT && t->length == 1 && t->t[0] == '.') {
			add_target(c, NAME_BAD);
			rx_next_token(c);
		} else if (t->kind == T_CONSTANT) {
			position(c);
			pattern(c, OP_PATTERN_AT);
		} else if (t->kind == T_STRING) {
			rx_emit(c, OP_CONST, rx_constant(c, rx_token_value(c, t)));
			rx_pushes(c, 1);
			rx_next_token(c);
			pattern(c, OP_PATTERN_STRING);
		} else if (t->kind == T_OPEN) {
			position(c);
			pattern(c, OP_PATTERN_STRING);
		} else if (t->kind == T_OPERATOR && (t->op == OP_ADD || t->op == OP_SUBTRACT || t->op == OP_EQ)) {
			enum op op = t->op == OP_ADD ? OP_PATTERN_PLUS :
				     t->op == OP_SUBTRACT ? OP_PATTERN_MINUS : OP_PATTERN_AT;

			rx_next_token(c);
			position(c);
			pattern(c, op);
		} else {
			rx_token_error(c, 38, 1);
		}
	}
	rx_emit(c, OP_PARSED, 0);
}

/* After PARSE, PARSE UPPER. */
void rx_compile_parse(struct compiler *c, bool upper)
{
	static const struct {
		const char *word;
		u8 source;
	} sources[] = {
		{ "EXTERNAL", SOURCE_EXTERNAL }, { "LINEIN", SOURCE_LINEIN }, { "NUMERIC", SOURCE_NUMERIC },
		{ "PULL", SOURCE_PULL }, { "SOURCE", SOURCE_SOURCE }, { "VERSION", SOURCE_VERSION },
	};

	if (rx_keyword(c, "UPPER")) {
		upper = true;
		rx_next_token(c);
	}
	if (rx_keyword(c, "ARG")) {
		rx_next_token(c);
		rx_emit(c, OP_PARSE_ARG, upper);
		rx_compile_template(c, true);
		return;
	}
	if (rx_keyword(c, "VALUE")) {
		rx_next_token(c);
		c->reserved = UNTIL_WITH;
		if (rx_keyword(c, "WITH")) {
			rx_given(c, EMPTY);
		} else {
			rx_expression(c);
		}
		c->reserved = 0;
		if (!rx_keyword(c, "WITH"))
			rx_token_error(c, 38, 3);
		rx_next_token(c);
	} else if (rx_keyword(c, "VAR")) {
		rx_next_token(c);
		if (c->at.token.kind != T_SYMBOL)
			rx_token_error(c, 20, 1);
		rx_emit_symbol(c, OP_VAR, OP_STEM, OP_COMPOUND, &c->at.token);
		rx_pushes(c, 1);
		rx_next_token(c);
	} else {
		u32 i = 0, many = sizeof sources / sizeof *sources;

		while (i < many && !rx_keyword(c, sources[i].word))
			i++;
		if (i == many)
			rx_token_error(c, 25, 12);
		rx_next_token(c);
		rx_emit(c, OP_SOURCE, sources[i].source);
		rx_pushes(c, 1);
	}
	rx_emit(c, OP_PARSE, upper);
	rx_pushes(c, -1);
	rx_compile_template(c, false);
}
