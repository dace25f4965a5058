/* Macros and the variables of conditional assembly: what variable.c, conditional.c and macro.c know of one another. */
#ifndef MACRO_H
#define MACRO_H

#include "assemble.h"

enum { BRANCHES_MOST = 4096, CALLS_MOST = 200, CHARACTERS_MOST = 1024, DIMENSION_MOST = 100000 };

/* A SET symbol: A, B or C; of a dimension, or one value. */
struct variable { struct variable *next; struct text name; u8 kind; u32 dimension; int *number; struct text *text; };
struct binding { struct binding *next; struct text name; struct variable *variable; };

struct parameter { struct text name, standard; bool keyword; };
struct macro { struct text name, label; struct parameter *parameter; u32 parameters, room; struct lines lines; };

/* A macro that is being expanded, or what is no macro (`macro` NULL). */
struct call_of_macro {
    const struct macro *macro;
    struct text label, section, *value;  /* `value`: of the parameters */
    struct text *list;                   /* &SYSLIST */
    u32 listed, room, index, depth;
    struct binding *bindings;
    int branches;                        /* that are left (ACTR) */
};

/* What a variable symbol stands for. */
struct found { u8 kind; int number; struct text text; struct variable *variable; u32 place; bool listed; u32 items; };

/* variable.c */
struct call_of_macro *scope(void);
/* At an ampersand; `whole`: N'&X wants the list. */
bool variable_value(struct scan *scan, struct found *found, bool whole);
void append_found(struct buffer *to, const struct found *found);   /* as text */
struct variable *variable_named(struct text name);
struct variable *variable_declare(struct text name, u8 kind, u32 dimension, bool global);
u32 list_items(struct text value);

/* conditional.c */
bool arithmetic(struct scan *scan, int *number);
bool characters(struct scan *scan, struct buffer *to);
bool logical(struct scan *scan, bool *value);
bool number_of(struct text text, int *number);
bool enter_nested(void);
void leave_nested(void);
void conditional_begin(void);

#endif
