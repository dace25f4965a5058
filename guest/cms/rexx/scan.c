/*
 * Tokens (TRL, section 2 "Structure and general syntax"): blanks, nested comments, continuation, strings, symbols,
 * operators whose characters may stand apart.
 */
#include "charset.h"
#include "compile.h"

static const struct rexx_text *line_at(const struct compiler *c)
{
	return &c->u->line[c->at.line];
}

static u32 offset_here(const struct compiler *c)
{
	return (c->u->offset ? c->u->offset[c->at.line] : 0) + c->at.column;
}

static bool at_line_end(const struct compiler *c)
{
	return c->at.column >= line_at(c)->length;
}

static char here(const struct compiler *c)
{
	return line_at(c)->text[c->at.column];
}

static char after(const struct compiler *c, u32 more)
{
	const struct rexx_text *l = line_at(c);

	return c->at.column + more < l->length ? l->text[c->at.column + more] : 0;
}

/* After the comment that begins here; comments nest and go over lines. */
static void skip_comment(struct compiler *c)
{
	u32 depth = 0;

	for (;;) {
		if (at_line_end(c)) {
			if (c->at.line + 1 >= c->u->lines) {
				/* What follows can only be nothing: the clause that has the comment is in error. */
				c->at.column = line_at(c)->length;
				RAISE(c->x, 6, 1);
			}
			c->at.line++;
			c->at.column = 0;
			continue;
		}
		if (here(c) == '/' && after(c, 1) == '*') {
			depth++;
			c->at.column += 2;
		} else if (here(c) == '*' && after(c, 1) == '/') {
			c->at.column += 2;
			if (--depth == 0)
				return;
		} else {
			c->at.column++;
		}
	}
}

/* Blanks and comments; true if there was a blank. */
static bool skip_blanks(struct compiler *c)
{
	bool blank = false;

	for (;;) {
		const struct rexx_text *l = line_at(c);
		const char *from = l->text + c->at.column, *at = from, *end = l->text + l->length;

		while (at < end && is_blank(*at))
			at++;
		if (at > from) {
			blank = true;
			c->at.column += (u32)(at - from);
		}
		if (LIKELY(at + 1 >= end) || LIKELY(at[0] != '/') || at[1] != '*')
			return blank;
		skip_comment(c);
	}
}

/* Whether this character may be the next one after blanks; what is sure is that it is not. */
bool rx_may_follow(const struct compiler *c, char wanted)
{
	const struct rexx_text *l = line_at(c);
	u32 column = c->at.column;
	char ch;

	while (column < l->length && is_blank(l->text[column]))
		column++;
	if (column == l->length)
		return false;
	ch = l->text[column];
	if (ch == wanted)
		return true;
	if (is_symbol(ch) || ch == '(' || ch == ';')
		return false;
	/* There may be a comment in between, or the clause goes on on the next line. What is no token is an error here. */
	if (ch != '\'' && ch != '"')
		return true;
	do
		column++;
	while (column < l->length && l->text[column] != ch);
	return column == l->length;
}

struct operator {
	char t[4];
	u8 op, level;
};

/* The backslash stands for every form of NOT. The longest are found because each character extends the one before. */
static const struct operator operators[] = {
	{ "+", OP_ADD, LEVEL_ADD }, { "-", OP_SUBTRACT, LEVEL_ADD },
	{ "*", OP_MULTIPLY, LEVEL_MULTIPLY }, { "/", OP_DIVIDE, LEVEL_MULTIPLY },
	{ "%", OP_INTEGER_DIVIDE, LEVEL_MULTIPLY }, { "//", OP_REMAINDER, LEVEL_MULTIPLY },
	{ "**", OP_POWER, LEVEL_POWER }, { "||", OP_CONCAT, LEVEL_CONCAT },
	{ "=", OP_EQ, LEVEL_COMPARE }, { "\\=", OP_NE, LEVEL_COMPARE }, { "/=", OP_NE, LEVEL_COMPARE },
	{ "<>", OP_NE, LEVEL_COMPARE }, { "><", OP_NE, LEVEL_COMPARE },
	{ ">", OP_GT, LEVEL_COMPARE }, { "<", OP_LT, LEVEL_COMPARE },
	{ ">=", OP_GE, LEVEL_COMPARE }, { "\\<", OP_GE, LEVEL_COMPARE },
	{ "<=", OP_LE, LEVEL_COMPARE }, { "\\>", OP_LE, LEVEL_COMPARE },
	{ "==", OP_SEQ, LEVEL_COMPARE }, { "\\==", OP_SNE, LEVEL_COMPARE }, { "/==", OP_SNE, LEVEL_COMPARE },
	{ ">>", OP_SGT, LEVEL_COMPARE }, { "<<", OP_SLT, LEVEL_COMPARE },
	{ ">>=", OP_SGE, LEVEL_COMPARE }, { "\\<<", OP_SGE, LEVEL_COMPARE },
	{ "<<=", OP_SLE, LEVEL_COMPARE }, { "\\>>", OP_SLE, LEVEL_COMPARE },
	{ "&", OP_AND, LEVEL_AND }, { "|", OP_OR, LEVEL_OR }, { "&&", OP_XOR, LEVEL_OR },
	{ "\\", OP_NOT, 0 },
};

static const struct operator *find_operator(const char *t, u32 n)
{
	/* Those that there are end before the last of their four characters. */
	for (const struct operator *o = operators; o < operators + sizeof operators / sizeof *operators; o++)
		if (o->t[0] == t[0] && n < sizeof o->t && o->t[n] == 0 && memcmp(o->t, t, n) == 0)
			return o;
	return 0;
}

static void scan_operator(struct compiler *c)
{
	struct token *k = &c->at.token;
	const struct operator *o, *longer;
	char t[4];
	u32 n = 0;

	t[n++] = IS_NOT(here(c)) ? '\\' : here(c);
	o = find_operator(t, n);
	if (!o) {
		char bad = here(c);

		c->at.column++;
		rx_raise(c->x, 13, 1, &bad, 1);
	}
	c->at.column++;
	while (n < 3) {
		u32 column = c->at.column, line = c->at.line;

		skip_blanks(c);
		if (c->at.line == line && !at_line_end(c) && !is_symbol(here(c))) {
			t[n] = IS_NOT(here(c)) ? '\\' : here(c);
			longer = find_operator(t, n + 1);
			if (longer) {
				o = longer;
				n++;
				c->at.column++;
				continue;
			}
		}
		c->at.line = line;
		c->at.column = column;
		break;
	}
	k->kind = T_OPERATOR;
	k->length = (u32)(line_at(c)->text + c->at.column - k->t);
	k->op = o->op;
	k->level = o->level;
}

static void scan_string(struct compiler *c)
{
	struct token *k = &c->at.token;
	const struct rexx_text *l = line_at(c);
	const char *at = l->text + c->at.column, *end = l->text + l->length;
	char quote = *at++;
	char suffix;

	k->kind = T_STRING;
	k->t = at;
	k->doubled = false;
	for (;;) {
		while (at < end && *at != quote)
			at++;
		if (at == end) {
			c->at.column = l->length;
			RAISE(c->x, 6, quote == '"' ? 3 : 2);
		}
		if (at + 1 == end || at[1] != quote)
			break;
		k->doubled = true;
		at += 2;
	}
	k->length = (u32)(at - k->t);
	c->at.column = (u32)(at - l->text) + 1;
	suffix = upper(after(c, 0));
	k->suffix = 0;
	if ((suffix == 'X' || suffix == 'B') && !is_symbol(after(c, 1))) {
		k->suffix = suffix;
		c->at.column++;
	}
	k->touching = after(c, 0) == '(';
}

static void scan_symbol(struct compiler *c)
{
	struct token *k = &c->at.token;
	char first = here(c);
	const struct rexx_text *l = line_at(c);
	u32 from = c->at.column, column = from;

	while (column < l->length && is_symbol(l->text[column]))
		column++;
	c->at.column = column;
	k->t = l->text + from;
	k->kind = class_of(first) & CHAR_LETTER ? T_SYMBOL : T_CONSTANT;
	/* 1E+5 is one symbol: digits, perhaps a point, E, a sign, digits. */
	if (k->kind == T_CONSTANT && (after(c, 0) == '+' || after(c, 0) == '-') && is_digit(after(c, 1)) &&
	    upper(here(c) ? line_at(c)->text[c->at.column - 1] : 0) == 'E') {
		u32 digits = 0, points = 0, i, length = c->at.column - from - 1;

		for (i = 0; i < length; i++) {
			if (is_digit(k->t[i]))
				digits++;
			else if (k->t[i] == '.')
				points++;
			else
				break;
		}
		if (i == length && digits && points <= 1) {
			u32 more = 1;

			while (is_digit(after(c, more)))
				more++;
			if (!is_symbol(after(c, more)))
				c->at.column += more;
		}
	}
	k->length = c->at.column - from;
	if (k->length > 250)
		rx_raise(c->x, 30, 1, k->t, k->length);
	k->touching = after(c, 0) == '(';
}

/* The next token into c->at.token. At the end of a line there is one T_END; at the end of the text T_EOF stays. */
void rx_next_token(struct compiler *c)
{
	struct token *k = &c->at.token;
	bool blank = false;
	char ch;

	if (k->kind != T_END && k->kind != T_EOF)
		c->at.last_end = k->end;
	for (;;) {
		blank |= skip_blanks(c);
		k->blank = blank;
		k->touching = false;
		k->start = offset_here(c);
		if (at_line_end(c)) {
			k->length = 0;
			k->t = 0;
			k->kind = T_END;
			if (c->at.line + 1 >= c->u->lines) {
				k->kind = T_EOF;
			} else {
				c->at.line++;
				c->at.column = 0;
			}
			k->end = k->start;
			return;
		}
		ch = here(c);
		if (ch != ',')
			break;
		/* A comma that ends its line stands for a blank. */
		{
			struct place saved = c->at;

			c->at.column++;
			skip_blanks(c);
			if (at_line_end(c)) {
				if (c->at.line + 1 < c->u->lines) {
					c->at.line++;
					c->at.column = 0;
				}
				blank = true;
				continue;
			}
			c->at = saved;
		}
		break;
	}
	k->t = line_at(c)->text + c->at.column;
	if (ch == ';' || ch == '(' || ch == ')' || ch == ',' || ch == ':') {
		k->kind = ch == ';' ? T_END : ch == '(' ? T_OPEN : ch == ')' ? T_CLOSE : ch == ',' ? T_COMMA : T_COLON;
		k->length = 1;
		c->at.column++;
	} else if (ch == '\'' || ch == '"') {
		scan_string(c);
	} else if (is_symbol(ch)) {
		scan_symbol(c);
	} else {
		scan_operator(c);
	}
	k->end = offset_here(c);
}

void rx_first_token(struct compiler *c)
{
	c->at.token.kind = T_END;
	rx_next_token(c);
}

/* To the end of a clause that is in error, so that what follows is compiled; strings are skipped as such. */
void rx_skip_clause(struct compiler *c)
{
	while (c->at.token.kind != T_END && c->at.token.kind != T_EOF) {
		c->at.last_end = offset_here(c);
		if (at_line_end(c)) {
			c->at.token.kind = T_END;
			if (c->at.line + 1 >= c->u->lines) {
				c->at.token.kind = T_EOF;
			} else {
				c->at.line++;
				c->at.column = 0;
			}
			break;
		}
		if (here(c) == ';') {
			c->at.column++;
			c->at.token.kind = T_END;
			break;
		}
		if (here(c) == '\'' || here(c) == '"') {
			char quote = here(c);

			do
				c->at.column++;
			while (!at_line_end(c) && here(c) != quote);
		} else if (here(c) == '/' && after(c, 1) == '*') {
			/* An unmatched comment runs to the end of the text, and was the error. */
			u32 depth = 0;

			for (;;) {
				if (at_line_end(c)) {
					if (c->at.line + 1 >= c->u->lines)
						break;
					c->at.line++;
					c->at.column = 0;
				} else if (here(c) == '/' && after(c, 1) == '*') {
					depth++;
					c->at.column += 2;
				} else if (here(c) == '*' && after(c, 1) == '/') {
					c->at.column += 2;
					if (--depth == 0)
						break;
				} else {
					c->at.column++;
				}
			}
			continue;
		}
		if (!at_line_end(c))
			c->at.column++;
	}
}

static bool same_word(const char *t, u32 length, const char *word)
{
	for (u32 i = 0; i < length; i++)
		if (!word[i] || upper(t[i]) != word[i])
			return false;
	return word[length] == 0;
}

/* Whether the token at hand is this keyword. */
bool rx_keyword(const struct compiler *c, const char *word)
{
	const struct token *k = &c->at.token;

	return k->kind == T_SYMBOL && upper(*k->t) == *word && same_word(k->t, k->length, word);
}

struct str *rx_token_name(struct compiler *c, const struct token *t)
{
	struct str *s = rx_str(c->x, t->length);

	for (u32 i = 0; i < t->length; i++)
		s->t[i] = upper(t->t[i]);
	return s;
}

/* Hexadecimal and binary strings: groups of digits, blanks between whole bytes (hexadecimal) or nibbles (binary). */
static struct val packed(struct compiler *c, const struct token *t, u32 base)
{
	u32 per = base == 16 ? 2 : 4, count = 0, digits = 0;
	const char *end = t->t + t->length;
	bool first_group = true;
	struct str *s;
	u32 bits, value = 0, at;

	for (const char *p = t->t; p < end; p++) {
		if (is_blank(*p)) {
			/* Neither first nor last; the group before must be whole, unless it is the first. */
			if (p == t->t || p + 1 == end)
				rx_raise(c->x, 15, base == 16 ? 1 : 2, 0, 0);
			if (is_blank(p[-1]))
				continue;
			if (!first_group && count % per)
				rx_raise(c->x, 15, base == 16 ? 1 : 2, 0, 0);
			first_group = false;
			count = 0;
			continue;
		}
		if (base == 16 ? rx_hex(*p) < 0 : *p != '0' && *p != '1')
			rx_raise(c->x, 15, base == 16 ? 3 : 4, p, 1);
		count++;
		digits++;
	}
	if (!first_group && count % per)
		rx_raise(c->x, 15, base == 16 ? 1 : 2, 0, 0);
	if (!digits)
		return EMPTY;
	bits = base == 16 ? 4 : 1;
	s = rx_str(c->x, (digits * bits + 7) / 8);
	at = s->length;
	count = 0;
	for (const char *p = end; p-- > t->t;) {
		if (is_blank(*p))
			continue;
		value |= (u32)(base == 16 ? rx_hex(*p) : *p == '1') << count;
		count += bits;
		if (count == 8) {
			s->t[--at] = (char)value;
			value = count = 0;
		}
	}
	if (count)
		s->t[--at] = (char)value;
	return STRING(s);
}

/* The value of a string or a constant symbol: a new reference. */
struct val rx_token_value(struct compiler *c, const struct token *t)
{
	struct str *s;
	u32 n = 0;

	if (t->kind != T_STRING)
		return STRING(rx_token_name(c, t));
	if (t->suffix)
		return packed(c, t, t->suffix == 'X' ? 16 : 2);
	if (!t->length)
		return EMPTY;
	if (!t->doubled)
		return rx_text(c->x, t->t, t->length);
	s = rx_str(c->x, t->length);
	for (u32 i = 0; i < t->length; i++) {
		s->t[n++] = t->t[i];
		/* Quotes of the string's own kind are always doubled. */
		if (t->t[i] == t->t[-1])
			i++;
	}
	s->length = n;
	return STRING(s);
}

/* An error about the token at hand. */
void rx_token_error(struct compiler *c, i32 error, i32 subcode)
{
	rx_raise(c->x, error, subcode, c->at.token.t, c->at.token.t ? c->at.token.length : 0);
}
