/*
 * Callable services: routines that programs call by name through DMSCSL, and execs by the function CSL.
 *
 * A routine has a template: what its parameters are and which of them it sets. What a call gives is looked at with the
 * template before the routine sees it. The first parameter is always the return code. Those of VMLIB are C functions
 * (cslfile.c, cslexec.c); RTNLOAD loads others from TEXT decks, whose templates are files (commands.c).
 */
#ifndef CSL_H
#define CSL_H

#include "../nucleus/cms.h"

enum csl_kind {
    CSL_NUMBER,         /* a word */
    CSL_CHARACTERS,     /* so many characters */
    CSL_TEXT,           /* as many characters as the next parameter says */
};
enum csl_use { CSL_IN = 1, CSL_OUT = 2, CSL_BOTH = 3 };
enum { CSL_MOST = 16, CSL_LONGEST = 1 << 20 };

struct csl_parameter { name called; u8 kind, use; u16 length; };

struct csl_given { u8 *at; u32 length; };
struct csl_call { struct csl_given given[CSL_MOST]; u32 count; };

struct csl_routine {
    name called;
    const struct csl_parameter *parameter;
    /* How many parameters; `most` 0: not stated, a program's list goes through as it is. */
    u32 least, most;
    int (*perform)(struct csl_call *call);  /* returns the return code; NULL: a program, at `entry` */
    const char *what;
    /* Of those that RTNLOAD has loaded. */
    name library, group;
    u32 entry, origin, length;
    u8 modes;
    bool system;
    struct csl_routine *chain;
};

/* csl.c */
const struct csl_routine *csl_find(const name called, bool *dropped);
const struct csl_routine *csl_next(const struct csl_routine *before);      /* those that can be called, in no order */
/* Those of VMLIB, dropped or not; NULL after the last. */
const struct csl_routine *csl_library(u32 number);
/* Of VMLIB, after csl_drop; false: it has none. */
bool csl_restore(const name called);
bool csl_add(const struct csl_routine *routine);
void csl_drop(const struct csl_routine *routine);
int csl_perform(u32 list, u32 reach);
void csl_after_abend(void);
extern const name csl_own_library;

/*
 * What the interface itself finds wrong with a call; from CSL_LENGTH on the parameter's number is in the last three
 * digits.
 */
enum {
    CSL_NONE = -7, CSL_DROPPED = -8, CSL_NO_STORAGE = -9, CSL_TOO_MANY = -10, CSL_TOO_FEW = -11, CSL_BAD_CALL = -20,
    CSL_LENGTH = -26000, CSL_DATA = -27000, CSL_VARIABLE = -28000, CSL_BAD_LENGTH = -29000,
};
int csl_number(const struct csl_given *given);
void csl_set_number(struct csl_given *given, int value);

/* What routines are. */
extern const struct csl_routine csl_file_routines[];     /* cslfile.c */
extern const u32 csl_file_count;                         /* cslfile.c */
extern const struct csl_routine csl_exec_routines[];     /* cslexec.c */
extern const u32 csl_exec_count;                         /* cslexec.c */

/* cslrexx.c: a call as execs write it; the return code. */
int csl_of_exec(struct rexx *rexx, const char *text, u32 length);

/* commands.c */
command_function rtnload_there, rtndrop_there, rtnmap_there, rtnstate_there, csllist_there, cslmap_there;

/* All of this is a part of the nucleus that is loaded (nucleus/part.c). What the nucleus calls (head.c): */
enum csl_command { CSL_RTNLOAD, CSL_RTNDROP, CSL_RTNMAP, CSL_RTNSTATE, CSL_CSLLIST, CSL_CSLMAP, CSL_COMMANDS };
struct csl_part {
    int (*perform)(u32 list, u32 reach);
    int (*of_exec)(struct rexx *rexx, const char *text, u32 length);
    void (*after_abend)(void);
    const struct csl_routine *(*library)(u32 number);
    command_function *command[CSL_COMMANDS];
};

/* command/routine.c: the part, NULL: the message has been typed; and what calls it. */
const struct csl_part *callable_services(void);
int service_of_program(u32 list, u32 reach);
int service_of_exec(struct rexx *rexx, const char *text, u32 length);
void services_after_abend(void);

#endif
