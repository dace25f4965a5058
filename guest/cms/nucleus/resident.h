/* Execs that EXECLOAD has put into storage (resident.c). */
#ifndef RESIDENT_H
#define RESIDENT_H

#include "cms.h"
#include "../rexx/rexx.h"

struct resident {
    struct resident *chain;
    name fn, ft;
    struct rexx_text *lines;
    char *bytes;
    u32 count, size;
    u32 running;
    bool system;                /* stays after an abend */
    bool dropped;               /* is gone when the last run of it ends */
};

enum resident_end { RESIDENT_DONE, RESIDENT_NO_STORAGE, RESIDENT_BAD };

struct resident *resident_next(struct resident *before);        /* NULL: the first; those that were dropped, too */
struct resident *resident_find(const name fn, const name ft);
enum resident_end resident_load(struct open_file *file, const name fn, const name ft, bool system);
void resident_drop(struct resident *gone);
void resident_left(struct resident *which);
void resident_after_abend(void);

/* exec.c: the records of a file in storage of that owner. */
bool exec_lines(struct open_file *file, enum owner owner, struct rexx_text **lines, char **bytes, u32 *count);

#endif
