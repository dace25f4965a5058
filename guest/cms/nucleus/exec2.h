/* EXEC 2's parts: statements (exec2.c), functions and what is a control word (exec2fn.c). */
#ifndef EXEC2_H
#define EXEC2_H

#include "cms.h"
#include "../rexx/rexx.h"

enum { WORDS_MOST = 128 };

/* What can be wrong; the return code is 10000 more. */
enum {
    STATEMENT_TOO_LONG = 4, INVALID_CONTROL = 5, LABEL_NOT_FOUND = 6, INVALID_VARIABLE = 7, INVALID_CONDITION = 8,
    INVALID_ASSIGNMENT = 9, MISSING_ARGUMENT = 10, INVALID_ARGUMENT = 11, CONVERSION_ERROR = 12, NUMERIC_OVERFLOW = 13,
    INVALID_FUNCTION = 14, DIVISION_BY_ZERO = 16, INVALID_LOOP = 17,
};

struct word { const char *text; u32 length; };
struct exec2;

/* exec2.c */
int exec2_run(const struct rexx_program *program, const struct call *call);
bool exec2_running(void);
bool exec2_set(const char *name, u32 length, const char *value, u32 value_length);
struct exec2 *exec2_hide(struct exec2 *now);
void exec2_statement(struct exec2 *exec, const struct word *words, u32 count);
void exec2_loop_end(struct exec2 *exec);
bool word_is(struct word word, const char *text);
struct word substituted(struct exec2 *exec, struct word word, u32 keep);

/* exec2fn.c */
bool exec2_number(struct word word, int *value);
bool exec2_is_control(struct word word);
int exec2_function(struct exec2 *exec, struct word name, const struct word *operand, u32 count, struct word *value);
const char *exec2_error(int wrong);
struct exec_error { int number; const char *text; };
const char *exec_error(const struct exec_error *texts, u32 count, int wrong);
int exec2_punch(const char card[80]);

#endif
