/*
 * Expressions (TRL, section 2 "Expressions and operators"): one token ahead, operators by how tightly they bind.
 * A row of concatenations becomes one operation, so that a line is put together once.
 */
#include "charset.h"
#include "compile.h"

u32 rx_word(struct compiler *c, u32 word)
{
	struct unit *u = c->u;

	if (u->code_length == u->code_size)
		u->code = rx_grow(c->x, u->code, &u->code_size, u->code_length + 1, sizeof *u->code);
	u->code[u->code_length] = word;
	return u->code_length++;
}

u32 rx_emit(struct compiler *c, enum op op, u32 operand)
{
	if (operand > OPERAND_MOST)
		RAISE(c->x, 5, 1);
	return rx_word(c, CODE_WORD(op, operand));
}

/* Keeps count of the values on the stack. */
void rx_pushes(struct compiler *c, i32 change)
{
	c->depth += (u32)change;
	if (c->depth > c->u->stack)
		c->u->stack = c->depth;
}

u32 rx_constant(struct compiler *c, struct val v)
{
	struct unit *u = c->u;

	/* The same text is likely to have been used not long ago. */
	for (u32 i = u->constants; v.s && i > 0 && i + 24 > u->constants; i--) {
		struct str *s = u->constant[i - 1].s;

		if (s && s->length == v.s->length && memcmp(s->t, v.s->t, s->length) == 0) {
			drop(c->x, v);
			return i - 1;
		}
	}
	if (u->constants == u->constant_size)
		u->constant = rx_grow(c->x, u->constant, &u->constant_size, u->constants + 1, sizeof *u->constant);
	u->constant[u->constants] = v;
	return u->constants++;
}

void rx_given(struct compiler *c, struct val v)
{
	rx_emit(c, OP_GIVEN, rx_constant(c, v));
	rx_pushes(c, 1);
}

enum name_kind rx_symbol_kind(const struct token *t)
{
	for (u32 i = 0; i < t->length; i++)
		if (t->t[i] == '.')
			return i + 1 == t->length ? NAME_STEM : NAME_COMPOUND;
	return NAME_SIMPLE;
}

static struct sym *intern_upper(struct compiler *c, const char *t, u32 length)
{
	char *name = rx_scratch(c->x, 250);

	for (u32 i = 0; i < length; i++)
		name[i] = upper(t[i]);
	return rx_intern(c->x, name, length);
}

struct sym *rx_symbol_of(struct compiler *c, const struct token *t)
{
	return intern_upper(c, t->t, t->length);
}

/* A variable of whatever kind, with the operation for each. */
void rx_emit_symbol(struct compiler *c, enum op simple, enum op stem, enum op compound, const struct token *t)
{
	enum name_kind kind = rx_symbol_kind(t);
	u32 dot = 0, count;

	if (kind != NAME_COMPOUND) {
		rx_emit(c, kind == NAME_SIMPLE ? simple : stem, rx_symbol_of(c, t)->id);
		return;
	}
	while (t->t[dot] != '.')
		dot++;
	rx_emit(c, compound, intern_upper(c, t->t, dot + 1)->id);
	count = rx_word(c, 0);
	for (u32 from = dot + 1;; ) {
		u32 end = from;

		while (end < t->length && t->t[end] != '.')
			end++;
		if (end > from && class_of(t->t[from]) & CHAR_LETTER) {
			rx_word(c, intern_upper(c, t->t + from, end - from)->id << 1);
		} else {
			struct str *s = rx_str(c->x, end - from);

			for (u32 i = 0; i < s->length; i++)
				s->t[i] = upper(t->t[from + i]);
			rx_word(c, rx_constant(c, STRING(s)) << 1 | 1);
		}
		c->u->code[count]++;
		if (end == t->length)
			break;
		from = end + 1;
	}
}

static bool is_reserved(const struct compiler *c)
{
	if (!c->reserved || c->at.token.kind != T_SYMBOL)
		return false;
	if (c->reserved & UNTIL_THEN && rx_keyword(c, "THEN"))
		return true;
	if (c->reserved & UNTIL_WITH && rx_keyword(c, "WITH"))
		return true;
	if (c->reserved & UNTIL_DO && (rx_keyword(c, "TO") || rx_keyword(c, "BY") || rx_keyword(c, "FOR")))
		return true;
	return c->reserved & (UNTIL_DO | UNTIL_CONDITION) && (rx_keyword(c, "WHILE") || rx_keyword(c, "UNTIL"));
}

bool rx_begins_term(const struct compiler *c)
{
	u8 kind = c->at.token.kind;

	return (kind == T_SYMBOL && !is_reserved(c)) || kind == T_CONSTANT || kind == T_STRING || kind == T_OPEN;
}

static void binary(struct compiler *c, u32 least);

/* Arguments up to the closing parenthesis (taken), or to the end of the clause: how many. */
u32 rx_arguments(struct compiler *c, bool closed)
{
	u32 reserved = c->reserved, count = 0;
	bool pending = false, comma = false;

	c->reserved = 0;
	for (;;) {
		u8 kind = c->at.token.kind;

		if (kind == T_END || kind == T_EOF) {
			if (closed)
				RAISE(c->x, 36, 1);
			break;
		}
		if (closed && kind == T_CLOSE) {
			/* A comma at the end: one more argument that isn't there. */
			if (comma && !pending) {
				rx_emit(c, OP_OMITTED, 0);
				rx_pushes(c, 1);
				count = (count + 1) | CALL_OMITTED;
			}
			break;
		}
		if (kind == T_COMMA) {
			comma = true;
			if (!pending) {
				rx_emit(c, OP_OMITTED, 0);
				rx_pushes(c, 1);
				count = (count + 1) | CALL_OMITTED;
			}
			pending = false;
			rx_next_token(c);
			continue;
		}
		if (pending)
			rx_token_error(c, closed ? 36 : 37, closed ? 1 : 2);
		binary(c, 1);
		count++;
		pending = true;
	}
	if (closed)
		rx_next_token(c);
	c->reserved = reserved;
	if ((count & CALL_ARGUMENTS) > 250)
		RAISE(c->x, 11, 1);
	return count;
}

static void term(struct compiler *c)
{
	struct token t = c->at.token;

	switch (t.kind) {
	case T_OPEN: {
		u32 reserved = c->reserved;

		c->reserved = 0;
		rx_next_token(c);
		binary(c, 1);
		if (c->at.token.kind == T_COMMA)
			rx_token_error(c, 37, 1);
		if (c->at.token.kind != T_CLOSE)
			RAISE(c->x, 36, 1);
		c->reserved = reserved;
		rx_next_token(c);
		return;
	}
	case T_SYMBOL:
		/* Where a keyword ends the expression it is no variable either. */
		if (is_reserved(c))
			rx_token_error(c, 35, 1);
		break;
	case T_CONSTANT:
	case T_STRING:
		break;
	case T_CLOSE:
		rx_token_error(c, 37, 2);
	case T_COMMA:
		rx_token_error(c, 37, 1);
	default:
		rx_token_error(c, 35, 1);
	}
	if (t.touching) {
		u32 base = c->depth, count;
		struct sym *name;

		if (t.kind == T_STRING) {
			struct val v = rx_token_value(c, &t);

			name = rx_intern(c->x, v.s->t, v.s->length);
			drop(c->x, v);
		} else {
			name = rx_symbol_of(c, &t);
		}
		rx_next_token(c);
		rx_next_token(c);
		count = rx_arguments(c, true);
		rx_emit(c, OP_FUNCTION, name->id);
		rx_word(c, count | (t.kind == T_STRING ? CALL_QUOTED : 0));
		c->depth = base;
		rx_pushes(c, 1);
		return;
	}
	if (t.kind == T_SYMBOL) {
		rx_emit_symbol(c, OP_VAR, OP_STEM, OP_COMPOUND, &t);
	} else {
		struct val v = rx_token_value(c, &t);
		i32 n;

		if (v.s->length && rx_int(v, &n) && v.s->known == INT_CANONICAL && n >= 0 && n < 0x400000) {
			drop(c->x, v);
			rx_emit(c, OP_INT, (u32)n);
		} else {
			rx_emit(c, OP_CONST, rx_constant(c, v));
		}
	}
	rx_pushes(c, 1);
	rx_next_token(c);
}

static void deeper(struct compiler *c)
{
	const struct rexx_host *host = c->x->host;

	if (++c->nested > (host->nesting ? host->nesting : NEST_MOST))
		RAISE(c->x, 11, 1);
}

static void prefixed(struct compiler *c)
{
	u8 stack[32];
	u32 n = 0;

	while (c->at.token.kind == T_OPERATOR) {
		u8 op = c->at.token.op;

		if (op == OP_SUBTRACT)
			op = OP_MINUS;
		else if (op == OP_ADD)
			op = OP_PLUS;
		else if (op != OP_NOT)
			rx_token_error(c, 35, 1);
		rx_next_token(c);
		if (n == sizeof stack) {
			/* More prefixes than that: the rest by recursion. */
			deeper(c);
			prefixed(c);
			c->nested--;
			rx_emit(c, op, 0);
			while (n)
				rx_emit(c, stack[--n], 0);
			return;
		}
		stack[n++] = op;
	}
	term(c);
	while (n)
		rx_emit(c, stack[--n], 0);
}

/* A row of operands to be put one after the other; the first has been compiled. */
static void concatenation(struct compiler *c)
{
	u32 count = 1, blanks = 0;

	for (;;) {
		bool operator = c->at.token.kind == T_OPERATOR && c->at.token.op == OP_CONCAT;
		bool blank;

		if (!operator && !rx_begins_term(c))
			break;
		blank = !operator && c->at.token.blank;
		if (operator)
			rx_next_token(c);
		if (count == JOIN_MOST) {
			rx_emit(c, OP_JOIN, count);
			rx_word(c, blanks);
			rx_pushes(c, 1 - (i32)count);
			count = 1;
			blanks = 0;
		}
		binary(c, LEVEL_CONCAT + 1);
		if (blank)
			blanks += JOIN_BLANK(count);
		count++;
	}
	if (count == 2) {
		rx_emit(c, blanks ? OP_BLANK : OP_CONCAT, 0);
	} else {
		rx_emit(c, OP_JOIN, count);
		rx_word(c, blanks);
	}
	rx_pushes(c, 1 - (i32)count);
}

static void binary(struct compiler *c, u32 least)
{
	deeper(c);
	prefixed(c);
	for (;;) {
		const struct token *t = &c->at.token;

		if (t->kind == T_OPERATOR && t->level >= least && t->op != OP_CONCAT) {
			enum op op = t->op;
			u32 level = t->level;

			rx_next_token(c);
			binary(c, level + 1);
			rx_emit(c, op, 0);
			rx_pushes(c, -1);
		} else if (least <= LEVEL_CONCAT &&
			   (rx_begins_term(c) || (t->kind == T_OPERATOR && t->op == OP_CONCAT))) {
			concatenation(c);
		} else {
			break;
		}
	}
	c->nested--;
}

/* One expression; what ends it stays the token at hand. */
void rx_expression(struct compiler *c)
{
	binary(c, 1);
}
