/* The CMS EXEC processor's parts: statements (exec1.c), tokens, variables and functions (exec1var.c). */
#ifndef EXEC1_H
#define EXEC1_H

#include "cms.h"
#include "../rexx/rexx.h"

enum { TOKENS1_MOST = 64, ARGS1_MOST = 30, LOOPS1_MOST = 20, GLOBALS1 = 10 };

/* What can be wrong: the return code. */
enum {
    SKIP_OR_GOTO = 802, TOO_MANY_ARGUMENTS = 804, LOOPS_TOO_DEEP = 805, INVALID_SYNTAX = 807, BAD_CONDITION = 808,
    BAD_ASSIGNMENT = 809, SPECIAL_VARIABLE = 810, ERROR_IN_ACTION = 811, NOT_A_NUMBER = 812, TOO_MANY_TOKENS = 813,
    BAD_FUNCTION = 814, END_IN_LOOP = 815, BAD_CONTROL_WORD = 816, TOO_SMALL = 817, TOO_LARGE = 818, BAD_VARIABLE = 819,
};

struct token1 { char text[8]; u32 length; };
struct variable1 { struct variable1 *next; struct token1 name, value; };
struct statement1 { struct token1 token[TOKENS1_MOST]; u32 count; };

/* The lines `first` to `last`, `left` times or until the condition holds. */
struct loop1 { u32 first, last, left; bool conditional; struct token1 when[3]; };

struct exec1 {
    const struct rexx_program *program;
    const struct call *call;
    u32 at;                             /* the line that is performed, from 0 */
    struct variable1 *variables;
    struct token1 args[ARGS1_MOST];
    u32 arg_count;
    struct loop1 loop[LOOPS1_MOST];
    u32 loops, reading;
    struct statement1 on_error;
    enum { SHOW_OFF, SHOW_ERRORS, SHOW_COMMANDS, SHOW_ALL } show;
    bool show_time, quiet, time_on, hex, in_error, ended, jumped;
    int retcode, exit_code, wrong;
    uint64_t virtual_time, total_time;
};

/* exec1.c */
int exec1_run(const struct rexx_program *program, const struct call *call);
void exec1_forget(void);

/* exec1var.c */
bool token1_is(const struct token1 *token, const char *word);
struct token1 token1_of(const char *text, u32 length);
bool token1_number(const struct token1 *token, int *value);
void exec1_tokens(struct exec1 *exec, const char *text, u32 length, struct statement1 *statement);
void exec1_set(struct exec1 *exec, const struct token1 *name, const struct token1 *value);
struct token1 exec1_token(struct exec1 *exec, const struct token1 *token, u32 keep);
void exec1_resolve(struct exec1 *exec, const struct token1 *from, u32 count, struct statement1 *to);
void exec1_assign(struct exec1 *exec, const struct token1 *token, u32 tokens);
bool exec1_known(struct exec1 *exec, const struct token1 *token);
bool exec1_condition(struct exec1 *exec, const struct token1 *when);
const char *exec1_error(int wrong);
extern u32 exec1_depth;
extern int exec1_global[GLOBALS1];

#endif
