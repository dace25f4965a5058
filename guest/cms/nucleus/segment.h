/* Saved segments (segment.c). */
#ifndef SEGMENT_H
#define SEGMENT_H

#include "cms.h"

struct segment {
    struct segment *chain;
    name name;
    u32 first, last;
    u32 place, place_last;      /* where all comes that is loaded with it: its segment space */
    bool loaded, reserved;
    bool execs;                 /* it has execs, which are found before those on disks (installed.c) */
    bool part;                  /* the nucleus has a part of itself there (part.c) */
    bool kept;                  /* it was reserved before it was loaded */
    bool by_access;             /* ACCESS loaded it: it goes with the disk */
};

enum segment_result { SEGMENT_DONE, SEGMENT_MISSING, SEGMENT_OVERLAPS, SEGMENT_REFUSED, SEGMENT_NO_STORAGE,
                      SEGMENT_NO_EXECS };
enum segment_result installation_load(const name wanted);    /* installed.c */
int segment_problem(const char *module, enum segment_result result, const name wanted);    /* command/segment.c */

/*
 * What a new segment is made of: `fill` writes it before CP is asked to define it, may make it shorter, and may say
 * from which byte on, the first of a page, each machine has its own; `defined` is called between that and saving it.
 */
struct segment_maker {
    int (*fill)(u8 *first, u32 *length, u32 *own, void *what);
    int (*defined)(u8 *first, const name segment, void *what);
    void *what;
    const char *space;          /* a name: the segment space that it is a member of; blank: it stands alone */
};

int make_segment(const char *module, const name segment, const name page, u32 length,
                 const struct segment_maker *maker);     /* command/segment.c */

const char *segment_assigned(const name wanted);         /* the segment that this name means */
bool segment_assign(const name wanted, const name meant);
struct segment *segment_known(const name wanted);        /* one that is loaded or reserved */
struct segment *segment_next(const struct segment *before);
enum segment_result segment_reserve(const name wanted, struct segment **found);
enum segment_result segment_load(const name wanted, bool copy, struct segment **found);
void segment_release(struct segment *segment);
void segment_purge(struct segment *segment);

#endif
