/*
 * Lists: files of the ring whose lines are rows about files, reader files, members or routines (FILELIST, RDRLIST,
 * MACLIST, CSLLIST). EXECUTE (execute.c) performs a command that is typed over a row, with what the row is about.
 *
 * The columns that are shown are the user's to type over; what the row was made as, and what it is sorted by, lies to
 * the right of them.
 */
#ifndef LIST_H
#define LIST_H

#include "xedit.h"

enum { ROW_SHOWN = 80, ROW_MARK = 5, ROW_EXTRA = 4, ROW_ALL = 2 * ROW_SHOWN + ROW_EXTRA + ROW_MARK, PARTS_MOST = 16 };

/* A row as its line has it: what is shown, that as it was made, what the kind of list wants, and the mark. */
struct list_row { char now[ROW_SHOWN], made[ROW_SHOWN], extra[ROW_EXTRA], mark[ROW_MARK]; };

struct list;
struct list_maker;

/* An order: the name of its macro, and the operands of SORT. */
struct list_order { const char *name, *columns; };

struct list_kind {
    const char *command, *module, *type, *profile;
    /* The rows of a part; a return code. */
    int (*fill)(struct list_maker *maker, const struct list *list, const struct fileid *part);
    /* What /, or / and one of `letters`, stands for; its length. */
    u32 (*symbol)(const struct list *list, const struct list_row *row, char letter, char *to, u32 room);
    const char *letters;
    bool (*there)(const struct list *list, const struct list_row *row);
    const char *gone;           /* what a row says when what it was about is not there any more */
    const char *usual;          /* the order that it begins with; NULL: as it was made */
    const struct list_order *orders;
    u32 order_count;
};

/* Of a file that is a list. */
struct list {
    const struct list_kind *kind;
    struct fileid part[PARTS_MOST];     /* APPEND adds one */
    bool of_file[PARTS_MOST];           /* FILELIST's option FILELIST: the part is a file with names */
    u32 parts;
    char last[COMMAND_MOST];            /* for = and ? */
    u32 last_length;
    /* EXECUTE, while it goes on: the next row and the last, and what is performed, if not what is typed there. */
    u32 line, until, performed;
    char command[COMMAND_MOST];
    u32 command_length;
    bool away;                          /* a command of a row has made another file the current one */
};

/* Rows in the making. */
struct list_maker { struct text text; bool full; };

/* list.c */
bool list_row(struct list_maker *maker, const char *made, u32 length, const char *extra);   /* false: no storage */
struct list_options { int append; name profile; };
int list_open(const struct list_kind *kind, const struct fileid *part, bool of_file, const struct list_options *how);
void list_row_at(struct view *view, u32 line, struct list_row *row);
void list_row_set(struct view *view, u32 line, const struct list_row *row);
int list_refresh(struct view *view);
void list_resume(void);                                  /* execute.c */

/* A file that a command has made, with its lines and its list, which are the ring's then; `about` is a message. */
struct made_file {
    struct fileid id;
    struct text text;
    char recfm;
    u32 lrecl, about_length;
    struct list *list;
    name profile, peeked;
    bool browsed;
    const char *about;
};
int open_made(struct made_file *made);

#endif
