/*
 * Resident execs: EXECLOAD reads an exec into storage once, EXECDROP gives the storage back.
 *
 * They are found before those of the installation segment and those on disks, the newest of a name first, and run from
 * where they lie. One that runs when it is dropped stays until it has ended, but is found no more. An abend drops all
 * that were not loaded with SYSTEM.
 */
#include "resident.h"

static struct resident *newest;

struct resident *resident_next(struct resident *before) { return before == NULL ? newest : before->chain; }

struct resident *resident_find(const name fn, const name ft)
{
    for (struct resident *at = newest; at != NULL; at = at->chain)
        if (!at->dropped && memcmp(at->fn, fn, sizeof(name)) == 0 && memcmp(at->ft, ft, sizeof(name)) == 0)
            return at;
    return NULL;
}

enum resident_end resident_load(struct open_file *file, const name fn, const name ft, bool system)
{
    struct resident *made = obtain(sizeof *made, OWNER_SYSTEM);

    if (made == NULL)
        return RESIDENT_NO_STORAGE;
    memset(made, 0, sizeof *made);
    if (!exec_lines(file, OWNER_SYSTEM, &made->lines, &made->bytes, &made->count)) {
        bool bad = made->lines != NULL && made->bytes != NULL;

        release(made->lines);
        release(made->bytes);
        release(made);
        return bad ? RESIDENT_BAD : RESIDENT_NO_STORAGE;
    }
    for (u32 n = 0; n < made->count; n++)
        made->size += made->lines[n].length;
    memcpy(made->fn, fn, sizeof(name));
    memcpy(made->ft, ft, sizeof(name));
    made->system = system;
    made->chain = newest;
    newest = made;
    return RESIDENT_DONE;
}

void resident_drop(struct resident *gone)
{
    struct resident **at = &newest;

    gone->dropped = true;
    if (gone->running > 0)
        return;
    while (*at != gone)
        at = &(*at)->chain;
    *at = gone->chain;
    release(gone->lines);
    release(gone->bytes);
    release(gone);
}

/* A run of it has ended. */
void resident_left(struct resident *which)
{
    which->running--;
    if (which->dropped)
        resident_drop(which);
}

void resident_after_abend(void)
{
    for (struct resident *at = newest, *next; at != NULL; at = next) {
        next = at->chain;
        at->running = 0;
        if (!at->system || at->dropped)
            resident_drop(at);
    }
}
