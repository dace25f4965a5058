/*
 * Saved segments that this machine uses (DIAGNOSE X'64').
 *
 * CP puts a segment where it was when it was saved. If that is within the machine's storage, nothing else may be there:
 * the storage is reserved first, and given back when the segment is purged. With a member of a segment space all of the
 * space comes, so what is reserved is the space's; members have it in common. A segment with a disk's file status
 * tables stays as long as a disk is in use that has them there (disk.c).
 *
 * A name can be made to mean another one's segment (SEGMENT ASSIGN).
 */
#include "segment.h"

enum { LOAD_SHARED = 0x00, LOAD_COPY = 0x04, PURGE = 0x08, FIND = 0x0c, FIND_SPACE = 0x14 };

struct assignment { struct assignment *chain; name wanted, meant; };

static struct segment *segments;
static struct assignment *assignments;

/* The condition code; `first` and `last` are then the addresses, or `last` CP's error if it is 2. */
static u32 ask(u32 function, const name wanted, u32 *first, u32 *last)
{
    char text[8] __attribute__((aligned(8)));
    u32 cc;

    memcpy(text, wanted, sizeof text);
    register u32 r2 __asm__("2") = (u32)text;
    register u32 r4 __asm__("4") = function;
    __asm__ volatile(".long 0x83240064\n\tipm %0\n\tsrl %0,28" : "=&d"(cc), "+d"(r2), "+d"(r4) : : "cc", "memory");
    *first = r2;
    *last = r4;
    return cc;
}

struct segment *segment_next(const struct segment *before) { return before == NULL ? segments : before->chain; }

static struct assignment *assignment_of(const name wanted)
{
    struct assignment *found = assignments;

    while (found != NULL && memcmp(found->wanted, wanted, sizeof(name)) != 0)
        found = found->chain;
    return found;
}

const char *segment_assigned(const name wanted)
{
    const struct assignment *found = assignment_of(wanted);

    return found == NULL ? wanted : found->meant;
}

bool segment_assign(const name wanted, const name meant)
{
    struct assignment *found = assignment_of(wanted);

    if (found == NULL) {
        found = obtain(sizeof *found, OWNER_SYSTEM);
        if (found == NULL)
            return false;
        memcpy(found->wanted, wanted, sizeof(name));
        found->chain = assignments;
        assignments = found;
    }
    memcpy(found->meant, meant, sizeof(name));
    return true;
}

struct segment *segment_known(const name wanted)
{
    struct segment *segment = segments;

    while (segment != NULL && memcmp(segment->name, wanted, sizeof(name)) != 0)
        segment = segment->chain;
    return segment;
}

static void forget(struct segment *segment)
{
    struct segment **at = &segments;

    if (segment->loaded || segment->reserved)
        return;
    while (*at != segment)
        at = &(*at)->chain;
    *at = segment->chain;
    release(segment);
}

/* Whether another segment keeps the same place. */
static bool place_in_common(const struct segment *segment)
{
    for (const struct segment *other = segments; other != NULL; other = other->chain)
        if (other != segment && other->reserved && other->place == segment->place)
            return true;
    return false;
}

/* The segment's place is kept free of anything else. */
enum segment_result segment_reserve(const name wanted, struct segment **found)
{
    struct segment *segment = segment_known(wanted);
    u32 first, last;

    *found = segment;
    if (segment != NULL && segment->reserved)
        return SEGMENT_DONE;
    if (ask(FIND, wanted, &first, &last) == 2)
        return SEGMENT_MISSING;
    if (segment == NULL) {
        segment = obtain(sizeof *segment, OWNER_SYSTEM);
        if (segment == NULL)
            return SEGMENT_NO_STORAGE;
        *segment = (struct segment){ .first = first, .last = last, .chain = segments };
        (void)ask(FIND_SPACE, wanted, &segment->place, &segment->place_last);
        memcpy(segment->name, wanted, sizeof(name));
        segments = segment;
    }
    *found = segment;
    if (segment->place < storage_bytes() && !place_in_common(segment) &&
        !reserve_storage(segment->place, segment->place_last)) {
        forget(segment);
        return SEGMENT_OVERLAPS;
    }
    segment->reserved = true;
    return SEGMENT_DONE;
}

/* CP loads it: its pages, or with `copy` pages of this machine's own that are as they. */
enum segment_result segment_load(const name wanted, bool copy, struct segment **found)
{
    struct segment *segment = segment_known(wanted);
    bool reserved = segment != NULL && segment->reserved;
    enum segment_result result;
    u32 first, last;

    *found = segment;
    if (segment != NULL && segment->loaded)
        return SEGMENT_DONE;
    result = segment_reserve(wanted, found);
    if (result != SEGMENT_DONE)
        return result;
    segment = *found;
    if (ask(copy ? LOAD_COPY : LOAD_SHARED, wanted, &first, &last) == 2) {
        if (!reserved)
            segment_release(segment);
        *found = NULL;
        return SEGMENT_REFUSED;
    }
    segment->first = first;
    segment->last = last;
    segment->loaded = true;
    segment->kept = reserved;
    segment->execs = installation_at((const void *)first);
    return SEGMENT_DONE;
}

/* The place of a segment that is not loaded is storage as any other. */
void segment_release(struct segment *segment)
{
    if (segment->reserved && segment->place < storage_bytes() && !place_in_common(segment))
        release((void *)segment->place);
    segment->reserved = false;
    forget(segment);
}

/* It is given back to CP; a place that was reserved before it was loaded stays reserved. */
void segment_purge(struct segment *segment)
{
    u32 first, last;

    (void)ask(PURGE, segment->name, &first, &last);
    segment->loaded = false;
    if (!segment->kept)
        segment_release(segment);
}
