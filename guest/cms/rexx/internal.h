/*
 * What the parts of the language processor share: values, variables, code, activations, and which file offers what.
 *
 * A program is compiled once, clause by clause, into words of code for a machine with a stack (code.h); a clause that
 * isn't REXX becomes code that raises its error when it is reached, as execs of CMS expect. The run loop (run.c) needs
 * no recursion in C: internal calls, INTERPRET and interactive TRACE push frames.
 *
 * Errors leave by one jump to the run loop (rx_raise): every operand lives on the value stack until its operation is
 * complete, so the loop finds everything that has to be released there. That is worth the jump: no function below has a
 * failure path of its own that could be forgotten, and exhausted storage is error 5 wherever it happens.
 */
#ifndef REXX_INTERNAL_H
#define REXX_INTERNAL_H

#include "rexx.h"
#include "code.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;
typedef int64_t i64;

/* Of these the embedder has memcpy, memmove, memset and memcmp, which every compiler calls by itself. */
#include <string.h>

/* The same as memcpy, mostly without a call. */
static inline void copy_text(char *to, const char *from, u32 length)
{
#ifdef COPY_FEW
	COPY_FEW(to, from, length);
#else
	memcpy(to, from, length);
#endif
}

#define LIKELY(c) __builtin_expect(!!(c), 1)
#define UNLIKELY(c) __builtin_expect(!!(c), 0)

/* ---- values ---- */

/* What is known of a string as a number. */
enum { INT_UNKNOWN, INT_NO, INT_YES, INT_CANONICAL };

#define REFS_STATIC 0xFFFFFFFFu

/* A string. Counted references; never changed while there is more than one. */
struct str {
	u32 refs;
	u32 length;
	u32 size;	/* of the block of storage */
	i32 n;		/* its value, with INT_YES and INT_CANONICAL */
	u8 known;	/* INT_... */
	char t[];
};

/* A value: a string, or (s null) the whole number n, whose string is what arithmetic writes. |n| is below 10^9. */
struct val {
	struct str *s;
	i32 n;
};

#define INT_MOST 999999999

/* memory.c */
extern const struct str rx_empty, rx_unset, rx_omitted;
#define EMPTY ((struct val){ (struct str *)&rx_empty, 0 })
#define UNSET ((struct val){ (struct str *)&rx_unset, 0 })
#define OMITTED ((struct val){ (struct str *)&rx_omitted, 0 })
#define INTEGER(i) ((struct val){ 0, (i) })
#define STRING(p) ((struct val){ (p), 0 })

static inline bool is_unset(struct val v) { return v.s == &rx_unset; }
static inline bool is_omitted(struct val v) { return v.s == &rx_omitted; }

static inline void hold(struct val v)
{
	if (v.s && v.s->refs != REFS_STATIC)
		v.s->refs++;
}

void rx_str_free(struct rexx *x, struct str *s);

static inline void drop(struct rexx *x, struct val v)
{
	if (v.s && v.s->refs != REFS_STATIC && --v.s->refs == 0)
		rx_str_free(x, v.s);
}

/* ---- names and variables ---- */

/* A name that the program knows: one object for each, with a number that is the same in every pool of variables. */
struct sym {
	struct sym *next;	/* in its bucket */
	struct str *name;	/* upper case */
	u32 hash;
	u32 id;
	i32 label;		/* where its label is in the program's code, -1: there is none */
	i32 builtin;		/* index into the built-in functions, -1: not one, -2: not looked for yet */
};

/* One compound variable. An alias stands for a variable of a caller's stem (PROCEDURE EXPOSE A.1). */
struct tail {
	struct tail *next;
	u32 hash;
	u8 alias;
	u8 pinned;		/* some alias points here: the node must stay */
	struct val key;		/* a canonical whole number is always kept as such */
	union {
		struct val v;
		struct tail *target;
	};
};

struct stem {
	struct tail **bucket;
	u32 buckets;		/* a power of two, or 0 */
	u32 count;
};

/* A variable or a stem; v is the stem's default value there. */
struct var {
	struct val v;
	struct stem *stem;
	u32 level;		/* of the pool that owns it */
};

/* The variables that one level of PROCEDURE sees; slot[symbol id]. */
struct pool {
	struct var **slot;
	u32 slots;
	u32 level;
};

/* ---- code ---- */

/* A clause in the source: offsets count one character for the end of each line. */
struct clause {
	u32 start, end;
};

/* Compiled text: the program, or a string for INTERPRET. */
struct unit {
	u32 *code;
	u32 code_length, code_size;
	struct val *constant;
	u32 constants, constant_size;
	struct clause *clause;
	u32 clauses, clause_size;
	const struct rexx_text *line;
	u32 lines;
	u32 *offset;		/* of each line; null for one line */
	struct rexx_text own_line;	/* INTERPRET: the string is its one line */
	struct str *text;	/* ... kept here */
	u32 stack;		/* how deep the value stack gets */
	u32 refs;
	u32 base_line;		/* INTERPRET: the line number shown */
};

/* ---- activations ---- */

enum condition { COND_ERROR, COND_FAILURE, COND_HALT, COND_NOVALUE, COND_SYNTAX, COND_NOTREADY, CONDITIONS };

enum { TRAP_OFF, TRAP_SIGNAL, TRAP_CALL };

struct trap {
	u8 how;			/* TRAP_... */
	bool delayed;		/* its handler runs */
	struct sym *label;
};

enum { FORM_SCIENTIFIC, FORM_ENGINEERING };

/* TRACE settings, in the order of how much they show. */
enum { TRACE_OFF, TRACE_NORMAL, TRACE_FAILURES, TRACE_ERRORS, TRACE_COMMANDS, TRACE_LABELS, TRACE_ALL, TRACE_RESULTS,
       TRACE_INTERMEDIATES };

/* What an internal call saves and restores (TRL: CALL). */
struct act {
	struct act *up;
	struct pool *pool;
	bool own_pool;		/* PROCEDURE made it */
	bool may_procedure;	/* nothing has been executed since the call */
	u8 form;
	u8 trace;
	bool interactive;
	bool no_commands;	/* TRACE ! */
	u8 how;			/* how the current condition was trapped */
	u32 digits, fuzz;
	struct val address, other_address;
	struct trap trap[CONDITIONS];
	i32 condition;		/* the condition that was trapped last, -1: none */
	struct val description;
	bool clock_set;		/* TIME('E') has started */
	i32 clock_day, clock_second, clock_micro;
	struct val *argument;
	u32 arguments;
	enum rexx_call_type type;
};

enum frame_kind { FRAME_MAIN, FRAME_FUNCTION, FRAME_SUBROUTINE, FRAME_HANDLER, FRAME_INTERPRET, FRAME_DEBUG };

struct frame {
	struct unit *unit;
	const u32 *pc;
	u32 clause;		/* being executed */
	u32 stack;		/* where its values begin */
	u32 loop;		/* where its loops begin */
	u8 kind;
	u8 condition;		/* FRAME_HANDLER: whose */
	u32 entry;		/* the label it was called at */
};

/* A repetitive DO in progress. */
struct loop {
	u32 id;			/* where its code begins */
	u8 has;			/* LOOP_... */
	bool down;		/* BY is negative */
	bool plain;		/* there is no FOR, and limit and step are held as whole numbers */
	u32 unused;		/* a power of two is multiplied with at once */
	i32 left;		/* FOR, or the repetitor */
	struct val limit, by;
};
enum { LOOP_TO = 1, LOOP_BY = 2, LOOP_FOR = 4, LOOP_CONTROL = 8 };

/* PARSE in progress. */
struct parse {
	struct val subject;
	const char *t;
	u32 length;
	u32 match;		/* where the last pattern matched */
	u32 next;		/* after it */
	u32 from, to;		/* what the variables of this group share */
	bool upper;
	u32 argument;		/* PARSE ARG: the string at hand */
	bool arg;
};

/* What the interpreter has to look at before the next clause. */
#define ATTEND_TRACE 1u		/* clauses are traced */
#define ATTEND_CONDITION 2u	/* a condition waits for the end of its clause */
#define ATTEND_CLOCK 8u		/* the clock stands still until the clause ends */
#define ATTEND_PAUSE 4u		/* interactive TRACE waits for a line */

#define JUMP_WORDS 8

struct free_block { struct free_block *next; };
struct chunk { struct chunk *next; size_t size; };
struct limb_block { struct limb_block *next; u32 count; u16 d[]; };
#define CLASSES 33
#define CLASS_UNIT 16u
/* With REXX_SEPARATE_BLOCKS every block is the host's, so that a sanitizer sees them one by one. */
#ifdef REXX_SEPARATE_BLOCKS
#define SMALL(size) ((void)(size), false)
#else
#define SMALL(size) ((size) <= CLASS_UNIT * (CLASSES - 1))
#endif
#define SMALL_TEXT(length) (SMALL(length) && (length) <= CLASS_UNIT * (CLASSES - 1) - offsetof(struct str, t))

struct rexx {
	const struct rexx_host *host;
	const uint32_t volatile *attention;	/* the host's */
	const void *operation[OP_PARSED + 1];	/* where they are in the run loop (run.c) */
	const void *const *operation_table;	/* what that is a copy of */
	const struct rexx_program *program;
	void **jump;		/* where errors go */
	i32 error, subcode;
	struct rexx_text error_about;
	char error_text[100];

	struct free_block *free[CLASSES];
	struct chunk *chunk;
	struct large *large;
	char *fresh, *fresh_end;
	size_t in_use;

	struct sym **bucket;
	u32 buckets, symbols;
	struct sym **symbol;	/* by id */
	u32 symbol_size;

	struct val *stack;
	u32 stack_size;
	struct val *sp;
	struct frame *frame;
	u32 frames, frame_size;
	struct loop *loop;
	u32 loops, loop_size;

	struct act *act;
	struct var **slot;	/* of act's pool: operations need not look whether a symbol has a place */
	struct unit *main;
	u32 attend;
	bool trace_results, trace_intermediates;	/* of act, for speed */
	const struct builtin_entry *builtin;	/* rx_builtins, at hand */
	u32 settings;		/* of act: not 0 where DIGITS, FUZZ or TRACE want more than the sum of two numbers */
	u32 depth;
	struct rexx *parent;

	char *scratch;		/* a buffer that grows; scratch_used while building */
	u32 scratch_size;
	struct limb_block *limbs;	/* numbers being computed with; the first is used */
	u32 limb_used;

	struct parse parse;
	struct val reply;
	bool replied;
	struct val result;
	bool has_result, finished;

	/* Conditions that wait for the end of the clause (CALL ON). */
	bool pending[CONDITIONS];
	struct val pending_text[CONDITIONS];
	i32 pending_rc;

	/* Interactive TRACE. */
	i32 skip_pauses, skip_clauses;
	const u32 *pause_pc;
	bool announced;
	u32 debugging;		/* frames of FRAME_DEBUG */

	u32 seed;
	bool time_known;
	struct rexx_time now;

	/* rexx_next */
	u32 next_symbol, next_bucket;
	struct tail *next_tail;
	bool next_begun;
	struct val next_name, next_value;

	struct sym *sym_rc, *sym_result, *sym_sigl;
	void *compiler;		/* what a compilation that failed has to give back */
};

/* ---- memory.c: storage and strings ---- */
void *rx_allocate(struct rexx *x, size_t size);
void rx_release(struct rexx *x, void *p, size_t size);
void rx_large_release(struct rexx *x);
void *rx_grow(struct rexx *x, void *p, u32 *count, u32 want, size_t each);
char *rx_scratch(struct rexx *x, u32 length);
struct str *rx_new_str(struct rexx *x, u32 length);
/* A string with room for so many characters, of which nothing is known. Mostly a block of its size is free. */
static inline struct str *rx_str(struct rexx *x, u32 length)
{
	u32 class = (u32)(offsetof(struct str, t) + length + CLASS_UNIT - 1) / CLASS_UNIT;
	struct free_block *b = LIKELY(SMALL_TEXT(length)) ? x->free[class] : 0;
	struct str *s;

	if (LIKELY(b != 0)) {
		x->free[class] = b->next;
		s = (struct str *)(void *)b;
		s->size = class * CLASS_UNIT;
	} else {
		s = rx_new_str(x, length);
	}
	s->refs = 1;
	s->length = length;
	s->known = INT_UNKNOWN;
	return s;
}
struct val rx_text(struct rexx *x, const char *t, u32 length);
struct val rx_zstring(struct rexx *x, const char *z);
u32 rx_itoa(i32 n, char *to);
u32 rx_itoa_length(i32 n);
u32 rx_zlength(const char *z);
/* Makes *v a string, in its place. */
struct str *rx_stringify(struct rexx *x, struct val *v);
static inline struct str *text_of(struct rexx *x, struct val *v)
{
	return LIKELY(v->s != 0) ? v->s : rx_stringify(x, v);
}
/* Appends to *v, which the caller owns. */
void rx_append(struct rexx *x, struct val *v, const char *t, u32 length);
struct val rx_upper(struct rexx *x, struct val v);

/* ---- error.c ---- */
__attribute__((noreturn)) void rx_raise(struct rexx *x, i32 error, i32 subcode, const char *about, u32 length);
__attribute__((noreturn)) void rx_raise_v(struct rexx *x, i32 error, i32 subcode, struct val *about);
#define RAISE(x, e, s) rx_raise(x, e, s, 0, 0)
void rx_report(struct rexx *x);
i32 rx_message_number(i32 error);

/* ---- compile.c and its parts ---- */
struct unit *rx_compile(struct rexx *x, const struct rexx_text *line, u32 lines, struct str *text);
void rx_unit_release(struct rexx *x, struct unit *u);
void rx_unit_free(struct rexx *x, struct unit *u);
void rx_compile_abandon(struct rexx *x);
u32 rx_line_of(const struct unit *u, u32 offset);
struct val rx_source_text(struct rexx *x, const struct unit *u, u32 start, u32 end);

/* ---- variables.c ---- */
struct sym *rx_intern(struct rexx *x, const char *name, u32 length);
struct sym *rx_find_symbol(struct rexx *x, const char *name, u32 length);
struct pool *rx_pool_new(struct rexx *x, u32 level);
void rx_pool_free(struct rexx *x, struct pool *p);
void rx_use_pool(struct rexx *x);	/* x->slot is of the pool at hand, with a place for each symbol */
struct var *rx_var_make(struct rexx *x, struct pool *p, u32 id);
static inline struct var *rx_var_find(struct pool *p, u32 id) { return id < p->slots ? p->slot[id] : 0; }
void rx_assign(struct rexx *x, u32 id, struct val v);		/* takes v over */
void rx_assign_stem(struct rexx *x, u32 id, struct val v);	/* takes v over */
struct val rx_stem_value(struct rexx *x, u32 id);
/* The tail that code describes (count, then parts): owned by the caller. */
struct val rx_tail(struct rexx *x, struct unit *u, const u32 *code);
struct val rx_compound(struct rexx *x, u32 stem, struct val key);	/* borrowed; unset: not assigned */
void rx_assign_compound(struct rexx *x, u32 stem, struct val key, struct val v);	/* takes v over */
struct val rx_compound_name(struct rexx *x, u32 stem, struct val key);
void rx_drop(struct rexx *x, u32 id);
void rx_drop_stem(struct rexx *x, u32 id);
void rx_drop_compound(struct rexx *x, u32 stem, struct val key);
void rx_expose(struct rexx *x, struct pool *from, struct pool *to, u32 id);
void rx_expose_compound(struct rexx *x, struct pool *from, struct pool *to, u32 stem, struct val key);
/* A name as a program would write it (symbolic) or as it is: what it is, and its parts. */
enum name_kind { NAME_BAD, NAME_CONSTANT, NAME_SIMPLE, NAME_STEM, NAME_COMPOUND };
enum name_kind rx_name(struct rexx *x, const char *t, u32 length, bool symbolic, struct sym **sym, struct val *key);
void rx_set_simple(struct rexx *x, struct sym *sym, struct val v);

/* ---- number.c: strings to numbers and back; arithmetic.c: with them ---- */
struct num {
	bool negative;
	i32 exponent;		/* value = digits * 10^exponent */
	u32 limbs;		/* base 10000, least first; 0: the number 0 */
	u16 *d;
};

/* number.c */
bool rx_parse_number(struct rexx *x, const char *t, u32 length, struct num *n);
bool rx_int(struct val v, i32 *n);		/* a plain whole number of at most nine digits */
struct val rx_format_number(struct rexx *x, struct num *n, u32 digits, u8 form);
void rx_number(struct rexx *x, struct val *v, struct num *n);	/* error 41 if it isn't one */
bool rx_is_number(struct rexx *x, struct val v);
void rx_num_strip(struct rexx *x, struct num *n);
i32 rx_num_adjusted(const struct num *n);
u32 rx_num_digits(const struct num *n);
void rx_num_round(struct rexx *x, struct num *n, u32 digits);
void rx_num_scale(struct rexx *x, struct num *n, u32 zeros);
void rx_num_shift_right(struct num *n, u32 digits, bool round);
void rx_num_int(struct rexx *x, i32 v, struct num *n);
u16 *rx_limbs(struct rexx *x, u32 n);
void rx_limbs_reset(struct rexx *x);	/* before every operation */
u32 rx_num_text(const struct num *n, char *to);	/* its digits */
/* A whole number under the current settings: false if it isn't one or has more than nine digits. */
bool rx_whole(struct rexx *x, struct val *v, i32 *n);

enum arith { ARITH_ADD, ARITH_SUBTRACT, ARITH_MULTIPLY, ARITH_DIVIDE, ARITH_INTEGER_DIVIDE, ARITH_REMAINDER,
	     ARITH_POWER };

/* arithmetic.c */
struct val rx_arith(struct rexx *x, enum arith op, struct val *a, struct val *b);
struct val rx_prefix(struct rexx *x, bool minus, struct val *a);
i32 rx_num_compare(const struct num *a, const struct num *b);
void rx_num_add(struct rexx *x, const struct num *a, const struct num *b, u32 digits, struct num *r);

/* ---- compare.c ---- */
i32 rx_compare(struct rexx *x, struct val *a, struct val *b);		/* = and its kin: <0, 0, >0 */
i32 rx_compare_strict(struct rexx *x, struct val *a, struct val *b);
bool rx_logical(struct rexx *x, struct val *v, i32 subcode);

/* ---- builtins: functions.c has the table ---- */
typedef struct val (*builtin)(struct rexx *x, struct val *a, u32 n);
struct builtin_entry {
	_Alignas(16) const char *name;	/* so that it is a power of two long */
	builtin perform;
	u8 least, most;
};
extern const struct builtin_entry rx_builtins[];
i32 rx_find_builtin(const char *name, u32 length);
/* A built-in function has as many arguments as it wants, and those that it needs. */
static inline void rx_check_arguments(struct rexx *x, const struct builtin_entry *e, const struct val *first, u32 how)
{
	u32 count = how & CALL_ARGUMENTS;

	if (UNLIKELY(count < e->least || count > e->most))
		rx_raise(x, 40, count < e->least ? 3 : 4, e->name, rx_zlength(e->name));
	for (u32 i = 0; UNLIKELY(how & CALL_OMITTED) && i < e->least; i++)
		if (UNLIKELY(is_omitted(first[i])))
			rx_raise(x, 40, 5, e->name, rx_zlength(e->name));
}
i32 rx_arg_converted(struct rexx *x, struct val *a, u32 i, i32 least);
/* Argument i, a whole number not below `least`. */
static inline i32 rx_arg_whole(struct rexx *x, struct val *a, u32 i, i32 least)
{
	return LIKELY(!a[i].s && a[i].n >= least) ? a[i].n : rx_arg_converted(x, a, i, least);
}
char rx_arg_option(struct rexx *x, struct val *a, u32 i);
char rx_arg_pad(struct rexx *x, struct val *a, u32 n, u32 i, char standard);

/* ---- template.c ---- */
void rx_parse_start(struct rexx *x, struct val subject, bool upper);
void rx_parse_end(struct rexx *x);
void rx_parse_argument(struct rexx *x, u32 i, bool upper);
void rx_parse_position(struct rexx *x, u32 op, struct val *v);
struct val rx_parse_word(struct rexx *x, bool last);

/* ---- call.c: frames and conditions ---- */
void rx_push_frame(struct rexx *x, struct unit *u, u32 pc, enum frame_kind kind);
void rx_pop_frame(struct rexx *x);
void rx_call_internal(struct rexx *x, u32 pc, enum frame_kind kind, u32 arguments);
void rx_begin(struct rexx *x, struct unit *u, enum rexx_call_type type, u32 arguments);
struct act *rx_new_act(struct rexx *x);
void rx_pop_act(struct rexx *x);
struct val rx_call_external(struct rexx *x, struct sym *name, enum rexx_call_type type, u32 arguments, bool *has);
/* OP_CALL, and OP_FUNCTION where the name is not known to be a built-in function's: `how` is the word after it. False:
 * a routine of the program's own has begun; otherwise a function's value is on the stack. */
bool rx_call(struct rexx *x, u32 operand, u32 how, enum op op);
void rx_signal(struct rexx *x, struct sym *label);
void rx_set_settings(struct rexx *x);
bool rx_handle_error(struct rexx *x);
void rx_condition(struct rexx *x, enum condition c, struct val description);
bool rx_raise_condition(struct rexx *x, enum condition c, struct val description);
void rx_start_pending(struct rexx *x);
void rx_command(struct rexx *x, struct val *environment, struct val *command);

/* embed.c */
i32 rx_run_program(const struct rexx_host *host, const struct rexx_program *program, const struct rexx_start *start,
		   struct rexx_result *result, struct rexx *parent);

/* call.c */
void rx_interpret(struct rexx *x, struct val *v, enum frame_kind kind);
i32 rx_loop(struct rexx *x);                             /* run.c */
const char *rx_condition_name(enum condition c);
struct val rx_parse_source(struct rexx *x);
struct val rx_parse_version(struct rexx *x);
struct val rx_pull(struct rexx *x, bool terminal);
void rx_say(struct rexx *x, enum rexx_line kind, const char *t, u32 length);
u32 rx_clause_line(struct rexx *x, const struct frame *f);

/* ---- trace.c ---- */
bool rx_trace_setting(struct rexx *x, struct val *v);	/* false: not a setting */
void rx_trace_clause(struct rexx *x, u32 clause, bool label);
void rx_trace_value(struct rexx *x, const char *tag, struct val *v);
void rx_trace_line(struct rexx *x, const char *tag, const char *t, u32 length);
bool rx_attend(struct rexx *x);
void rx_halted(struct rexx *x);
/* Within what may take long. */
static inline void rx_poll(struct rexx *x)
{
	if (UNLIKELY(*x->host->attention & REXX_HALT))
		rx_halted(x);
}
void rx_traceback(struct rexx *x);
char rx_trace_letter(const struct act *act);

/* ---- operate.c ---- */
void rx_operate(struct rexx *x, enum op op);
void rx_operate_compare(struct rexx *x, enum op op);
bool rx_decide(enum op op, i32 order);
void rx_join(struct rexx *x, u32 many, u32 blanks);	/* JOIN_... */
void rx_release_target(struct rexx *x, const u32 *pc, struct val *first);
void rx_begin_do(struct rexx *x, u32 flags, u32 order, u32 id);
bool rx_loop_done(struct rexx *x, struct loop *l, struct val *v);
void rx_end_loop(struct rexx *x);
bool rx_find_loop(struct rexx *x, const struct frame *f, u32 id);

/* ---- perform.c ---- */
const u32 *rx_perform(struct rexx *x, enum op op, u32 operand, const u32 *pc);

#endif
