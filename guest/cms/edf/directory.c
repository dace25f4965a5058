/*
 * The directory: finding, adding, renaming and erasing entries.
 *
 * Entries stand in the order of creation and without holes: an erased entry's place is taken by the last one, because
 * readers stop at the first empty place of a block.
 */
#include "edf.h"
#include <string.h>

enum { SYSTEM = 2 };    /* the entries of the directory and of the map */

u32 edf_files(const struct edf *edf)
{
    return edf->fsts - SYSTEM;
}

u8 *edf_entry(struct edf *edf, u32 number)
{
    return number < edf_files(edf) ? edf->fst + (size_t)(number + SYSTEM) * FST_LENGTH : NULL;
}

u8 *edf_find(struct edf *edf, const u8 name[8], const u8 type[8])
{
    u8 *fst = edf->fst + SYSTEM * FST_LENGTH;

    for (u32 left = edf_files(edf); left > 0; left--, fst += FST_LENGTH)
        if (memcmp(fst + FST_NAME, name, 8) == 0 && memcmp(fst + FST_TYPE, type, 8) == 0)
            return fst;
    return NULL;
}

/* The entry was changed: the block that it lies in has to be written. */
void edf_touched(struct edf *edf, const u8 *fst)
{
    edf->fst_dirty[(u32)(fst - edf->fst) / edf->size] = 1;
    edf->changed = true;
}

/* Makes room for `count` entries: whole blocks, cleared. */
static int grow(struct edf *edf, u32 count)
{
    u32 per_block = edf->size / FST_LENGTH;
    u32 blocks = (count + per_block - 1) / per_block;
    size_t bytes = (size_t)blocks * edf->size;
    u8 *more, *dirty;

    if (blocks * per_block <= edf->fst_room)
        return EDF_OK;
    more = edf_get(bytes);
    dirty = edf_get(blocks);
    if (more == NULL || dirty == NULL) {
        edf_put(more);
        edf_put(dirty);
        return EDF_STORAGE;
    }
    memset(more, 0, bytes);
    memset(dirty, 1, blocks);
    memcpy(more, edf->fst, (size_t)edf->fst_room * FST_LENGTH);
    memcpy(dirty, edf->fst_dirty, edf->fst_room / per_block);
    edf_put(edf->fst);
    edf_put(edf->fst_dirty);
    edf->fst = more;
    edf->fst_dirty = dirty;
    edf->fst_room = blocks * per_block;
    return EDF_OK;
}

int edf_add(struct edf *edf, const u8 fst[FST_LENGTH])
{
    int error = grow(edf, edf->fsts + 1);
    u8 *at;

    if (error != EDF_OK)
        return error;
    at = edf->fst + (size_t)edf->fsts++ * FST_LENGTH;
    memcpy(at, fst, FST_LENGTH);
    edf_touched(edf, at);
    return EDF_OK;
}

/* The date of an entry is now. The old format's copy of it is kept up as well. */
void edf_stamp(u8 fst[FST_LENGTH])
{
    u8 now[7];

    edf_now(now);
    fst[FST_FLAGS] = (u8)((fst[FST_FLAGS] & ~FST_CENTURY_FLAG) | now[0]);
    memcpy(fst + FST_STAMP, now + 1, 6);
    memcpy(fst + FST_MMDD, now + 2, 2);
    memcpy(fst + FST_HHMM, now + 4, 2);
    fst[FST_YEAR] = (u8)(0xf0 | now[1] >> 4);
    fst[FST_YEAR + 1] = (u8)(0xf0 | (now[1] & 15));
}

int edf_erase(struct edf *edf, const u8 name[8], const u8 type[8])
{
    u8 *fst = edf_find(edf, name, type), *last;
    struct edf_tree tree;
    int error;

    if (!edf->writable)
        return EDF_READ_ONLY;
    if (fst == NULL)
        return EDF_NOT_FOUND;
    error = edf_tree_load(edf, &tree, fst);
    if (error != EDF_OK)
        return error;
    edf_tree_release(edf, &tree);
    edf_tree_forget(&tree);
    last = edf->fst + (size_t)--edf->fsts * FST_LENGTH;
    memmove(fst, last, FST_LENGTH);
    memset(last, 0, FST_LENGTH);
    edf_touched(edf, fst);
    edf_touched(edf, last);
    return EDF_OK;
}

/* The new name must not exist; `mode_number` is a digit as the disk has it. */
int edf_rename(struct edf *edf, u8 *fst, const u8 name[8], const u8 type[8], u8 mode_number)
{
    u8 *other = edf_find(edf, name, type);

    if (!edf->writable)
        return EDF_READ_ONLY;
    if (other != NULL && other != fst)
        return EDF_EXISTS;
    memcpy(fst + FST_NAME, name, 8);
    memcpy(fst + FST_TYPE, type, 8);
    fst[FST_MODE + 1] = mode_number;
    edf_touched(edf, fst);
    return EDF_OK;
}
