/*
 * Directories that are kept in storage (saved segments), so that users need not read the disk's.
 *
 * What is kept: an identifier, the disk's label, how many entries there are, and the entries. It is the disk's as long
 * as the label is the same: each commit takes the segment's name out of it (volume.c).
 */
#include "edf.h"
#include <string.h>

enum { LABEL = 8, COUNT = 88, ENTRIES = 128 };

static const u8 identifier[8] = { 0xc3, 0xd4, 0xe2, 0xc6, 0xc4, 0xc9, 0xd9, 0xf1 };    /* CMSFDIR1 */

u32 edf_kept_length(const struct edf *edf) { return ENTRIES + edf->fsts * FST_LENGTH; }

/* Puts the directory there. */
void edf_keep(const struct edf *edf, u8 *to)
{
    memcpy(to, identifier, sizeof identifier);
    memcpy(to + LABEL, edf->label, ADT_LENGTH);
    edf_set_word(to + COUNT, edf->fsts);
    memcpy(to + ENTRIES, edf->fst, (size_t)edf->fsts * FST_LENGTH);
}

/*
 * Takes a disk whose label was read into use, for reading, with the directory in `length` bytes at `kept`;
 * EDF_NOT_FOUND: it is not the disk's.
 */
int edf_open_kept(struct edf *edf, u8 *kept, u32 length)
{
    u32 fsts = length < ENTRIES ? 0 : edf_word(kept + COUNT);

    if (length < ENTRIES || memcmp(kept, identifier, sizeof identifier) != 0 ||
        memcmp(kept + LABEL, edf->label, ADT_LENGTH) != 0 || fsts < 2 || fsts > (length - ENTRIES) / FST_LENGTH)
        return EDF_NOT_FOUND;
    edf->fst = kept + ENTRIES;
    edf->fsts = edf->fst_room = fsts;
    edf->kept = true;
    return EDF_OK;
}
