/*
 * What the parts of the compiler share: the scanner (scan.c), expressions (expression.c), clauses (compile.c),
 * instructions (instruction.c) and templates (pattern.c).
 */
#ifndef REXX_COMPILE_H
#define REXX_COMPILE_H

#include "code.h"
#include "internal.h"

enum token_kind {
	T_END,			/* of the clause: a semicolon or the end of a line */
	T_EOF,
	T_SYMBOL,		/* a variable's name, a stem, a compound symbol or a keyword */
	T_CONSTANT,		/* a symbol that begins with a digit or a period */
	T_STRING,
	T_OPERATOR,
	T_OPEN, T_CLOSE, T_COMMA, T_COLON
};

struct token {
	u8 kind;
	bool blank;		/* there is a blank before it */
	bool touching;		/* an open parenthesis follows at once */
	u8 op;			/* T_OPERATOR: OP_... */
	u8 level;		/* ... how tightly it binds, 0: it is a prefix only */
	char suffix;		/* T_STRING: X, B or none */
	bool doubled;		/* T_STRING: there are doubled quotes in it */
	const char *t;		/* its text; T_STRING: between the quotes */
	u32 length;
	u32 start, end;		/* offsets in the source */
};

/* Where the scanner is; saved and restored to look ahead. */
struct place {
	u32 line, column;
	struct token token;
	u32 last_end;		/* where the last token taken ended */
};

enum { LEVEL_OR = 1, LEVEL_AND, LEVEL_COMPARE, LEVEL_CONCAT, LEVEL_ADD, LEVEL_MULTIPLY, LEVEL_POWER };

/* Keywords that end an expression. */
#define UNTIL_THEN 1u
#define UNTIL_DO 2u
#define UNTIL_WITH 4u
#define UNTIL_CONDITION 8u	/* of the five of DO only WHILE and UNTIL */

enum block_kind { BLOCK_DO, BLOCK_LOOP, BLOCK_SELECT, BLOCK_OTHERWISE, BLOCK_WHEN, BLOCK_THEN, BLOCK_ELSE };

struct block {
	u8 kind;
	struct sym *name;	/* LOOP: its control variable, null for compound ones and none */
	struct str *full_name;	/* LOOP: the control variable's whole name */
	u32 loop;		/* id */
	u32 again;		/* LOOP: target of ITERATE */
	u32 exits;		/* chain of words to be patched with the end; 0: none */
	u32 next;		/* chain for the next WHEN, or ELSE */
	bool some;		/* SELECT: has had a WHEN */
	u32 line;
};

struct target {
	u8 kind;		/* NAME_SIMPLE, NAME_STEM, NAME_COMPOUND; NAME_BAD: a placeholder */
	struct token token;
};

struct compiler {
	struct rexx *x;
	struct unit *u;
	struct place at;
	u32 reserved;		/* UNTIL_... */
	u32 depth;		/* values on the stack */
	u32 nested;		/* calls of the compiler for parentheses and operators */
	struct block *block;
	u32 blocks, block_size;
	struct target *target;
	u32 targets, target_size;
	void *jump[JUMP_WORDS];
	void **outer;
	u32 label_first;	/* where the labels before this clause begin, ~0: there are none */
	u32 body;		/* where the code of this clause begins: an error takes it away from here */
	u32 body_blocks;	/* ... and the blocks beyond */
	bool failed;		/* the clause before was in error: as an instruction it is complete */
};

#define NEST_MOST 250u

/* scan.c */
void rx_next_token(struct compiler *c);
void rx_first_token(struct compiler *c);
bool rx_keyword(const struct compiler *c, const char *word);
void rx_skip_clause(struct compiler *c);
bool rx_may_follow(const struct compiler *c, char wanted);
struct str *rx_token_name(struct compiler *c, const struct token *t);	/* upper case: a new string */
struct val rx_token_value(struct compiler *c, const struct token *t);	/* of a string or constant */
__attribute__((noreturn)) void rx_token_error(struct compiler *c, i32 error, i32 subcode);

/* expression.c */
u32 rx_emit(struct compiler *c, enum op op, u32 operand);
u32 rx_word(struct compiler *c, u32 word);
void rx_pushes(struct compiler *c, i32 change);
u32 rx_constant(struct compiler *c, struct val v);	/* takes v over */
void rx_given(struct compiler *c, struct val v);	/* a value that isn't an expression's; takes v over */
void rx_expression(struct compiler *c);
bool rx_begins_term(const struct compiler *c);
enum name_kind rx_symbol_kind(const struct token *t);
void rx_emit_symbol(struct compiler *c, enum op simple, enum op stem, enum op compound, const struct token *t);
u32 rx_arguments(struct compiler *c, bool closed);	/* their number, CALL_OMITTED */
struct sym *rx_symbol_of(struct compiler *c, const struct token *t);

/* compile.c */
void rx_clause_end(struct compiler *c);
bool rx_is_assignment(const struct compiler *c);

/* instruction.c */
bool rx_keyword_instruction(struct compiler *c);

/* do.c */
void rx_compile_do(struct compiler *c);
void rx_compile_end_of_loop(struct compiler *c, struct block *b);
void rx_compile_leave(struct compiler *c, bool leave);

/* compile.c */
void rx_patch_chain(struct compiler *c, u32 chain);

/* pattern.c */
void rx_compile_parse(struct compiler *c, bool upper);
void rx_compile_template(struct compiler *c, bool argument);

#endif
