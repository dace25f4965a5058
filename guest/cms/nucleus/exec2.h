/* EXEC 2's parts: statements (exec2.c), variables (exec2var.c), functions, numbers and errors
   (exec2fn.c). */
#ifndef EXEC2_H
#define EXEC2_H

#include "cms.h"
#include "../rexx/rexx.h"

enum { WORDS_MOST = 128, CALLS_MOST = 20, LOOPS_MOST = 20, VARIABLE_LISTS = 16, STATEMENT_ROOM = 32768 };

/* What can be wrong; the return code is 10000 more. */
enum {
    STATEMENT_TOO_LONG = 4, INVALID_CONTROL = 5, LABEL_NOT_FOUND = 6, INVALID_VARIABLE = 7, INVALID_CONDITION = 8,
    INVALID_ASSIGNMENT = 9, MISSING_ARGUMENT = 10, INVALID_ARGUMENT = 11, CONVERSION_ERROR = 12, NUMERIC_OVERFLOW = 13,
    INVALID_FUNCTION = 14, DIVISION_BY_ZERO = 16, INVALID_LOOP = 17,
};

struct word { const char *text; u32 length; };
struct exec2;

/* Whether a word is this text, which the compiler knows. */
#define IS_WORD(word, literal)                                                                                         \
    ((word).length == sizeof(literal) - 1 && __builtin_memcmp((word).text, literal, sizeof(literal) - 1) == 0)

/* A control word, and what performs its statement. */
struct control { const char *word; u32 length; void (*perform)(struct exec2 *, const struct word *, u32); };

/* A line's words without its label, and what it is: an assignment, a control statement, or a command. */
struct statement {
    const struct word *word;            /* NULL: the line has not been looked at */
    const struct control *control;
    u32 count;
    bool assignment;
};

/* There is room for a value as long as `room`. */
struct variable { struct variable *next; u32 length, value_length, room; char *value; char name[]; };
struct loop { u32 first, last, left; bool forever, until, condition; struct word when[3]; };
struct frame2 { u32 back, from; struct word *args; u32 count; };
struct words { struct words *next; u32 left; struct word word[]; };

struct exec2 {
    const struct rexx_text *line;
    struct statement *statement;        /* of each line */
    struct words *words;                /* theirs */
    u32 lines, at;                      /* the line being looked at, from 0 */
    const struct rexx_program *program;
    const struct call *call;
    struct variable *variables[VARIABLE_LISTS];
    struct word *args;
    u32 arg_count;
    struct frame2 frame[CALLS_MOST];
    u32 frames;
    struct loop loop[LOOPS_MOST];
    u32 loops;
    struct word presume, on_error[WORDS_MOST];
    u32 presumed, error_words;
    int retcode, exit_code, wrong;
    bool ended, in_error, upper_case, if_was_true;
    enum { TRACE_OFF, TRACE_ERRORS, TRACE_COMMANDS, TRACE_ALL } trace;
    char *scratch;
    u32 used;
};

/* exec2.c */
int exec2_run(const struct rexx_program *program, const struct call *call);
bool exec2_running(void);
bool exec2_set(const char *name, u32 length, const char *value, u32 value_length);
struct exec2 *exec2_hide(struct exec2 *now);
void exec2_statement(struct exec2 *exec, const struct word *words, u32 count);
void exec2_loop_end(struct exec2 *exec);

/* exec2var.c */
char *exec2_space(struct exec2 *exec, u32 length);
struct word exec2_copied(struct word word);
struct word exec2_number_text(struct exec2 *exec, int value);
void exec2_assign(struct exec2 *exec, struct word name, struct word value);
struct word exec2_substituted(struct exec2 *exec, struct word word, u32 keep);

/* exec2fn.c */
bool exec2_number(struct word word, int *value);
int exec2_function(struct exec2 *exec, struct word name, const struct word *operand, u32 count, struct word *value);
const char *exec2_error(int wrong);
struct exec_error { int number; const char *text; };
const char *exec_error(const struct exec_error *texts, u32 count, int wrong);
int exec2_punch(const char card[80]);

#endif
