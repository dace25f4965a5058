/*
 * UPDATE's parts: the command and its control files (update.c), and what one update file does to the source
 * (updating.c).
 */
#ifndef UPDATE_H
#define UPDATE_H

#include "command.h"

enum { CARD = 80, SEQUENCE = 72, SEQUENCE_LENGTH = 8 };

/* A source in storage: 80 characters each, wherever they are. */
struct source { char **line; u32 count, room; };

struct update {
    int replace, five, increment, control, stack, quiet, print;
    struct fileid source, from;         /* what is updated, by what: the update file or the control file */
    struct source text;
    int severity;                       /* the worst warning */
    bool numbered;                      /* ./ S was performed */
    struct open_file *log;              /* NULL and not `print`: it could not be written */
    struct fileid log_id;
    u32 log_lines;
    int log_error;
    /* For the editor: an update is about to be applied. Those after the one of type `until` are not. */
    int (*before)(struct update *update, const struct fileid *id);
    void *with;
    name until;
    bool reached;
};

/* update.c. A line of the log has a word for what became of it, and the line. */
void update_log(struct update *update, const char *what, const char *line, u32 length);
void update_warn(struct update *update, int severity, u32 number, ...);
int source_add(struct source *source, char *line);
int source_read(struct source *source, struct reader *reader);

/* For the editor: the source, and what `from` says of it, into `text`. */
int update_in_storage(struct update *update);

/* updating.c: one update file, over the whole source. */
int update_apply(struct update *update, const struct fileid *id);

#endif
