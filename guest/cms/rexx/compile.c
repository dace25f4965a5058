/*
 * From source to code, clause by clause (TRL, section 2 "Clauses", section 3). Nothing recurses for nested
 * instructions: open DO, SELECT and IF are a stack of blocks.
 *
 * A clause that is in error becomes OP_ERROR, so the error is raised when the clause is reached, and only then.
 */
#include "charset.h"
#include "compile.h"

/* ---- where things are in the source ---- */

/* The line (from 0) that has the character at an offset. */
u32 rx_line_of(const struct unit *u, u32 offset)
{
	u32 low = 0, high = u->lines;

	if (!u->offset)
		return 0;
	while (high - low > 1) {
		u32 middle = (low + high) / 2;

		if (u->offset[middle] <= offset)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The source between two offsets, lines after the first joined as they are. */
struct val rx_source_text(struct rexx *x, const struct unit *u, u32 start, u32 end)
{
	struct val v = EMPTY;
	u32 line = rx_line_of(u, start);

	while (start < end && line < u->lines) {
		u32 base = u->offset ? u->offset[line] : 0;
		u32 length = u->line[line].length, from = start - base;
		u32 to = end - base < length ? end - base : length;

		if (from < to)
			rx_append(x, &v, u->line[line].text + from, to - from);
		line++;
		start = base + length + 1;
	}
	return v;
}

/* ---- blocks ---- */

static struct block *top(struct compiler *c)
{
	return c->blocks ? &c->block[c->blocks - 1] : 0;
}

static struct block *push_block(struct compiler *c, enum block_kind kind)
{
	struct block *b;

	if (c->blocks >= NEST_MOST)
		RAISE(c->x, 11, 1);
	if (c->blocks == c->block_size)
		c->block = rx_grow(c->x, c->block, &c->block_size, c->blocks + 1, sizeof *c->block);
	b = &c->block[c->blocks++];
	*b = (struct block){ .kind = (u8)kind, .line = c->at.line };
	return b;
}

static void pop_block(struct compiler *c)
{
	struct block *b = top(c);

	if (b->full_name)
		drop(c->x, STRING(b->full_name));
	c->blocks--;
}

/* Chains of words that are to hold the address of what comes next: each holds the one before. */
void rx_patch_chain(struct compiler *c, u32 chain)
{
	while (chain) {
		u32 next = c->u->code[chain];

		c->u->code[chain] = c->u->code_length;
		chain = next;
	}
}

/* ---- clauses ---- */

static u32 begin_clause(struct compiler *c, enum op op)
{
	struct unit *u = c->u;

	if (u->clauses == u->clause_size)
		u->clause = rx_grow(c->x, u->clause, &u->clause_size, u->clauses + 1, sizeof *u->clause);
	u->clause[u->clauses] = (struct clause){ c->at.token.start, c->at.token.end };
	rx_emit(c, op, u->clauses);
	return u->clauses++;
}

static void close_clause(struct compiler *c, u32 clause)
{
	if (c->at.last_end > c->u->clause[clause].start)
		c->u->clause[clause].end = c->at.last_end;
}

static bool at_end(const struct compiler *c)
{
	return c->at.token.kind == T_END || c->at.token.kind == T_EOF;
}

void rx_clause_end(struct compiler *c)
{
	if (c->at.token.kind == T_CLOSE)
		rx_token_error(c, 37, 2);
	if (c->at.token.kind == T_COMMA)
		rx_token_error(c, 37, 1);
	if (!at_end(c))
		rx_token_error(c, 21, 1);
}

static void skip_ends(struct compiler *c)
{
	while (c->at.token.kind == T_END)
		rx_next_token(c);
}

/* Whether the symbol at hand is followed by an equals sign (or, for a label, a colon). */
static bool followed_by(const struct compiler *c, bool colon)
{
	struct compiler ahead;

	if (!rx_may_follow(c, colon ? ':' : '='))
		return false;
	ahead = *c;
	rx_next_token(&ahead);
	return colon ? ahead.at.token.kind == T_COLON :
		       ahead.at.token.kind == T_OPERATOR && ahead.at.token.op == OP_EQ;
}

bool rx_is_assignment(const struct compiler *c)
{
	u8 kind = c->at.token.kind;

	return (kind == T_SYMBOL || kind == T_CONSTANT) && followed_by(c, false);
}

/* Whether the clause at hand begins with this keyword, rather than being an assignment or a label. */
static bool clause_is(const struct compiler *c, const char *word)
{
	return rx_keyword(c, word) && !followed_by(c, false) && !followed_by(c, true);
}

/* The THEN of IF and WHEN, which may be on a line of its own. */
static void then(struct compiler *c)
{
	u32 clause;

	if (at_end(c))
		skip_ends(c);
	if (!rx_keyword(c, "THEN"))
		rx_token_error(c, 18, 1);
	clause = begin_clause(c, OP_KEYWORD);
	rx_next_token(c);
	close_clause(c, clause);
}

static void condition(struct compiler *c, u32 subcode, u32 clause)
{
	c->reserved = UNTIL_THEN;
	rx_expression(c);
	c->reserved = 0;
	close_clause(c, clause);
	rx_emit(c, OP_JF, subcode);
	rx_pushes(c, -1);
}

static void emit_error(struct compiler *c, i32 error, i32 subcode, struct val about)
{
	u32 constant = rx_constant(c, about);

	rx_emit(c, OP_ERROR, (u32)error);
	rx_word(c, (u32)subcode);
	rx_word(c, constant);
}

/* What has been compiled so far is complete. */
static void keep(struct compiler *c)
{
	c->body = c->u->code_length;
	c->body_blocks = c->blocks;
}

/* An instruction is complete: so may be the IFs it belongs to. Leaves the first token of what follows. */
static void complete(struct compiler *c)
{
	struct block *b;

	for (;;) {
		keep(c);
		b = top(c);
		if (!b)
			return;
		if (b->kind == BLOCK_THEN) {
			skip_ends(c);
			if (clause_is(c, "ELSE")) {
				u32 exits;

				rx_emit(c, OP_JUMP, 0);
				exits = rx_word(c, 0);
				rx_patch_chain(c, b->next);
				b = top(c);
				b->kind = BLOCK_ELSE;
				b->next = 0;
				b->exits = exits;
				{
					u32 clause = begin_clause(c, OP_KEYWORD);

					/* The block knows the jump: an error in what follows must leave it. */
					keep(c);
					rx_next_token(c);
					close_clause(c, clause);
				}
				return;
			}
			rx_patch_chain(c, b->next);
			pop_block(c);
		} else if (b->kind == BLOCK_ELSE) {
			rx_patch_chain(c, b->exits);
			pop_block(c);
		} else if (b->kind == BLOCK_WHEN) {
			u32 next = b->next, word;

			rx_emit(c, OP_JUMP, 0);
			pop_block(c);
			b = top(c);
			word = rx_word(c, b->exits);
			top(c)->exits = word;
			rx_patch_chain(c, next);
			return;
		} else {
			return;
		}
	}
}

/* END of a DO group or SELECT. */
static void end(struct compiler *c, u32 clause)
{
	struct block *b = top(c);

	if (!b || (b->kind != BLOCK_DO && b->kind != BLOCK_LOOP && b->kind != BLOCK_SELECT && b->kind != BLOCK_OTHERWISE))
		RAISE(c->x, 10, b ? 5 : 1);
	rx_next_token(c);
	if (!at_end(c)) {
		struct token *t = &c->at.token;
		struct str *name;
		bool same;

		if (t->kind != T_SYMBOL)
			rx_token_error(c, 20, 1);
		name = rx_token_name(c, t);
		same = b->kind == BLOCK_LOOP && b->full_name && name->length == b->full_name->length &&
		       memcmp(name->t, b->full_name->t, name->length) == 0;
		/* Another name is an error when it is come to; the block ends here in any case. */
		if (same)
			drop(c->x, STRING(name));
		else
			emit_error(c, 10, b->kind == BLOCK_LOOP ? 2 : b->kind == BLOCK_DO ? 3 : 4, STRING(name));
		rx_next_token(c);
	}
	rx_clause_end(c);
	close_clause(c, clause);
	if (b->kind == BLOCK_LOOP) {
		rx_compile_end_of_loop(c, b);
	} else if (b->kind == BLOCK_SELECT) {
		emit_error(c, 7, b->some ? 3 : 1, EMPTY);
		b = top(c);
		rx_patch_chain(c, b->exits);
	} else if (b->kind == BLOCK_OTHERWISE) {
		rx_patch_chain(c, b->exits);
	}
	pop_block(c);
	complete(c);
}

static void labels(struct compiler *c)
{
	while (c->at.token.kind == T_SYMBOL || c->at.token.kind == T_CONSTANT) {
		struct sym *name;
		struct token t = c->at.token;
		u32 clause;

		if (!followed_by(c, true))
			return;
		if (c->u != c->x->main)
			rx_token_error(c, 47, 1);
		name = rx_symbol_of(c, &t);
		if (c->label_first == ~0u)
			c->label_first = c->u->code_length;
		if (name->label < 0)
			name->label = (i32)c->u->code_length;
		clause = begin_clause(c, OP_LABEL);
		rx_next_token(c);
		rx_next_token(c);
		close_clause(c, clause);
		keep(c);
		skip_ends(c);
	}
}

/* The keywords that build blocks. True if it was one. */
static bool block_instruction(struct compiler *c, u32 clause)
{
	struct block *b = top(c);

	if (rx_keyword(c, "IF")) {
		u32 word;

		rx_next_token(c);
		condition(c, 1, clause);
		word = rx_word(c, 0);
		b = push_block(c, BLOCK_THEN);
		b->next = word;
		then(c);
		return true;
	}
	if (rx_keyword(c, "DO")) {
		push_block(c, BLOCK_DO);
		rx_next_token(c);
		rx_compile_do(c);
		close_clause(c, clause);
		return true;
	}
	if (rx_keyword(c, "SELECT")) {
		push_block(c, BLOCK_SELECT);
		rx_next_token(c);
		rx_clause_end(c);
		close_clause(c, clause);
		return true;
	}
	if (rx_keyword(c, "WHEN")) {
		u32 word;

		if (!b || b->kind != BLOCK_SELECT)
			RAISE(c->x, 9, 1);
		b->some = true;
		rx_next_token(c);
		condition(c, 2, clause);
		word = rx_word(c, 0);
		push_block(c, BLOCK_WHEN)->next = word;
		then(c);
		return true;
	}
	if (rx_keyword(c, "OTHERWISE")) {
		if (!b || b->kind != BLOCK_SELECT)
			RAISE(c->x, 9, 2);
		if (!b->some)
			RAISE(c->x, 7, 2);
		b->kind = BLOCK_OTHERWISE;
		rx_next_token(c);
		close_clause(c, clause);
		return true;
	}
	if (rx_keyword(c, "END")) {
		end(c, clause);
		return true;
	}
	if (rx_keyword(c, "THEN"))
		RAISE(c->x, 8, 1);
	if (rx_keyword(c, "ELSE"))
		RAISE(c->x, 8, 2);
	return false;
}

static void assignment(struct compiler *c)
{
	struct token t = c->at.token;

	if (t.kind == T_CONSTANT)
		rx_token_error(c, 31, t.t[0] == '.' ? 3 : 2);
	rx_next_token(c);
	rx_next_token(c);
	if (at_end(c)) {
		/* TRL wants an expression; on VM the variable becomes the null string. */
		rx_given(c, EMPTY);
	} else {
		rx_expression(c);
	}
	rx_clause_end(c);
	rx_emit_symbol(c, OP_ASSIGN, OP_ASSIGN_STEM, OP_ASSIGN_COMPOUND, &t);
	rx_pushes(c, -1);
}

static __attribute__((noinline)) void clause(struct compiler *c)
{
	struct block *b;
	u32 number;

	if (c->failed) {
		c->failed = false;
		complete(c);
	}
	c->label_first = ~0u;
	keep(c);
	skip_ends(c);
	labels(c);
	if (c->at.token.kind == T_EOF)
		return;
	number = begin_clause(c, OP_CLAUSE);
	keep(c);
	b = top(c);
	c->reserved = 0;
	c->nested = 0;
	if (rx_is_assignment(c)) {
		if (b && b->kind == BLOCK_SELECT)
			rx_token_error(c, 7, 2);
		assignment(c);
	} else if (c->at.token.kind == T_SYMBOL && block_instruction(c, number)) {
		return;
	} else if (b && b->kind == BLOCK_SELECT) {
		rx_token_error(c, 7, 2);
	} else if (c->at.token.kind != T_SYMBOL || !rx_keyword_instruction(c)) {
		rx_expression(c);
		rx_clause_end(c);
		rx_emit(c, OP_COMMAND, 0);
		rx_pushes(c, -1);
	}
	close_clause(c, number);
	complete(c);
}

/* One clause; an error in it becomes code. */
static __attribute__((noinline)) bool guarded_clause(struct compiler *c)
{
	struct rexx *x = c->x;

	if (__builtin_setjmp(c->jump) == 0) {
		x->jump = c->jump;
		clause(c);
		x->jump = c->outer;
		return true;
	}
	x->jump = c->outer;
	return false;
}

static void clauses(struct compiler *c)
{
	struct rexx *x = c->x;

	while (c->at.token.kind != T_EOF || c->failed) {
		u32 clause = c->u->clauses;
		u32 at = c->at.token.start;

		c->depth = 0;
		if (guarded_clause(c))
			continue;
		if (x->error == 5 || x->error == 49)
			rx_raise(x, x->error, x->subcode, 0, 0);
		/* What the clause has become so far goes, but a DO stays open: its END is to come. */
		while (c->blocks > c->body_blocks + 1)
			pop_block(c);
		if (c->blocks > c->body_blocks) {
			struct block *b = top(c);

			if (b->kind == BLOCK_LOOP) {
				b->kind = BLOCK_DO;
				b->exits = 0;
			}
			if (b->kind != BLOCK_DO && b->kind != BLOCK_SELECT)
				pop_block(c);
		}
		/* After THEN, ELSE or OTHERWISE it is the one instruction all the same. */
		c->failed = c->blocks == c->body_blocks;
		c->u->code_length = c->body;
		if (c->u->clauses == clause) {
			c->at.token.start = at;
			c->at.token.end = at;
			begin_clause(c, OP_CLAUSE);
		}
		emit_error(c, x->error, x->subcode,
			   x->error_about.text ? rx_text(x, x->error_about.text, x->error_about.length) : EMPTY);
		rx_skip_clause(c);
		close_clause(c, c->u->clauses - 1);
	}
}

/* A SELECT, DO or IF that is open at the end of the text. */
static void incomplete(struct compiler *c)
{
	struct block *b = top(c);
	i32 subcode;

	if (!b)
		return;
	subcode = b->kind == BLOCK_SELECT || b->kind == BLOCK_OTHERWISE ? 2 : b->kind == BLOCK_THEN ||
		  b->kind == BLOCK_WHEN ? 3 : b->kind == BLOCK_ELSE ? 4 : 1;
	while (c->blocks) {
		b = top(c);
		rx_patch_chain(c, b->exits);
		rx_patch_chain(c, b->next);
		pop_block(c);
	}
	begin_clause(c, OP_CLAUSE);
	emit_error(c, 14, subcode, EMPTY);
}

static void free_compiler(struct rexx *x, struct compiler *c)
{
	while (c->blocks)
		pop_block(c);
	rx_release(x, c->block, c->block_size * sizeof *c->block);
	rx_release(x, c->target, c->target_size * sizeof *c->target);
	rx_release(x, c, sizeof *c);
}

void rx_unit_free(struct rexx *x, struct unit *u)
{
	for (u32 i = 0; i < u->constants; i++)
		drop(x, u->constant[i]);
	rx_release(x, u->constant, u->constant_size * sizeof *u->constant);
	rx_release(x, u->code, u->code_size * sizeof *u->code);
	rx_release(x, u->clause, u->clause_size * sizeof *u->clause);
	if (u->offset)
		rx_release(x, u->offset, u->lines * sizeof *u->offset);
	if (u->text)
		drop(x, STRING(u->text));
	rx_release(x, u, sizeof *u);
}

void rx_unit_release(struct rexx *x, struct unit *u)
{
	if (--u->refs == 0)
		rx_unit_free(x, u);
}

/* After an error that ended a compilation. */
void rx_compile_abandon(struct rexx *x)
{
	struct compiler *c = x->compiler;

	if (!c)
		return;
	x->compiler = 0;
	if (c->u && c->u != x->main)
		rx_unit_free(x, c->u);
	free_compiler(x, c);
}

/* Compiles a program, or (text not null) a string for INTERPRET, which is kept with the unit: takes text over. */
struct unit *rx_compile(struct rexx *x, const struct rexx_text *line, u32 lines, struct str *text)
{
	struct compiler *c = rx_allocate(x, sizeof *c);
	struct unit *u;

	*c = (struct compiler){ .x = x, .outer = x->jump };
	x->compiler = c;
	u = rx_allocate(x, sizeof *u);
	*u = (struct unit){ .refs = 1, .text = text };
	c->u = u;
	if (text || lines == 0) {
		u->own_line = text ? (struct rexx_text){ text->t, text->length } : (struct rexx_text){ "", 0 };
		u->line = &u->own_line;
		u->lines = 1;
	} else {
		u32 offset = 0;

		u->line = line;
		u->offset = rx_allocate(x, lines * sizeof *u->offset);
		u->lines = lines;
		for (u32 i = 0; i < lines; i++) {
			u->offset[i] = offset;
			offset += line[i].length + 1;
		}
	}
	if (!text)
		x->main = u;
	/* Word 0 is never a target, so 0 can end a chain. */
	rx_emit(c, OP_JUMP, 0);
	rx_word(c, 2);
	c->at.token.kind = T_END;
	clauses(c);
	incomplete(c);
	rx_emit(c, OP_STOP, 0);
	x->compiler = 0;
	c->u = 0;
	free_compiler(x, c);
	/* What was allocated ahead goes back. */
	if (u->code_size - u->code_length > 16) {
		u32 *code = rx_allocate(x, u->code_length * sizeof *code);

		memcpy(code, u->code, u->code_length * sizeof *code);
		rx_release(x, u->code, u->code_size * sizeof *code);
		u->code = code;
		u->code_size = u->code_length;
	}
	return u;
}
