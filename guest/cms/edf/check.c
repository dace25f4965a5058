/*
 * The checker: whether a disk is one that this file system could have written.
 *
 * Every block is accounted for once: by IPL and label, by the directory and the map, or by one file. What the map says
 * is compared with that, and every V file is walked through, record by record, against its pointers.
 */
#include "edf.h"
#include <string.h>

struct check {
    struct edf *edf;
    u8 *seen;
    u32 wrong;
    void (*tell)(const char *what, u32 number, const u8 *fst);
    const u8 *fst;
};

static void wrong(struct check *check, const char *what, u32 number)
{
    check->wrong++;
    check->tell(what, number, check->fst);
}

static void claim(struct check *check, u32 block)
{
    u8 mask;

    if (block == 0 || block > check->edf->blocks) {
        wrong(check, "a block that the disk does not have", block);
        return;
    }
    mask = (u8)(0x80 >> (block - 1) % 8);
    if (check->seen[(block - 1) / 8] & mask)
        wrong(check, "a block that is used twice", block);
    check->seen[(block - 1) / 8] |= mask;
}

static void claim_tree(struct check *check, const struct edf_tree *tree, u32 from)
{
    for (u32 n = from; n < tree->count; n++)
        if (tree->entry[n].block != 0)
            claim(check, tree->entry[n].block);
    for (u32 n = 0; n < tree->pointers; n++)
        claim(check, tree->pointer[n]);
}

/* Reads every record; of a V file, the pointers must say where each begins. */
static void walk(struct check *check, struct edf_file *file)
{
    u32 records = edf_word(file->fst + FST_RECORDS), lrecl = edf_word(file->fst + FST_LRECL), length, last = 0;
    u32 size = check->edf->size, longest = lrecl > EDF_MOST_V ? EDF_MOST_V : lrecl;
    u8 *record = edf_get(longest + 1);

    if (record == NULL)
        return;
    if (file->fst[FST_RECFM] == EDF_V) {
        for (u32 n = 0; n < file->tree.count; n++) {
            const struct edf_entry *entry = &file->tree.entry[n];

            if (entry->highest < last || entry->highest > records)
                wrong(check, "a pointer with a record number out of order", n);
            bool tail = n + 1 == file->tree.count && entry->displacement != 0;

            /* Where the file ends in a block that no record begins in may be said, or not. */
            if ((entry->highest == last) != (entry->displacement == EDF_CONTINUED) && !(tail && entry->highest == last))
                wrong(check, "a pointer whose displacement does not fit its records", n);
            if (entry->displacement != EDF_CONTINUED && entry->displacement >= size)
                wrong(check, "a displacement beyond the block", n);
            last = entry->highest;
        }
        if (file->tree.count > 0 && last != records)
            wrong(check, "pointers that end at another record", last);
    }
    for (u32 n = 1; n <= records; n++) {
        if (edf_read(file, n, record, longest, &length) != EDF_OK || length == 0 || length > lrecl) {
            wrong(check, "a record that cannot be read", n);
            break;
        }
        if (file->fst[FST_RECFM] == EDF_V) {
            u32 block = file->at_block, offset = file->at_offset;
            bool pointed = block < file->tree.count &&
                           (n < records || file->tree.entry[block].displacement != EDF_CONTINUED);

            /*
             * If the next record is the first of its block, the pointer says so; after the last one, if it says
             * anything.
             */
            if (pointed && (block == 0 ? 0 : file->tree.entry[block - 1].highest) == n &&
                file->tree.entry[block].displacement != offset) {
                wrong(check, "a displacement that is not where the record begins", n + 1);
                break;
            }
        }
    }
    edf_put(record);
}

static void check_file(struct check *check, const u8 *fst)
{
    struct edf *edf = check->edf;
    u32 data = 0, count = edf_data_blocks(edf, fst), pointer = fst[FST_RECFM] == EDF_V ? 12 : 4;
    u32 levels = 0, covers = 1;
    struct edf_file file;

    check->fst = fst;
    if (fst[FST_RECFM] != EDF_F && fst[FST_RECFM] != EDF_V) {
        wrong(check, "a record format that there is not", fst[FST_RECFM]);
        return;
    }
    if (edf_open(edf, &file, fst + FST_NAME, fst + FST_TYPE, EDF_READ) != EDF_OK) {
        wrong(check, "pointers that cannot be followed", edf_word(fst + FST_FOP));
        return;
    }
    claim_tree(check, &file.tree, 0);
    for (u32 n = 0; n < file.tree.count; n++)
        data += file.tree.entry[n].block != 0 || pointer == 12;
    if (data != edf_word(fst + FST_BLOCKS))
        wrong(check, "a number of data blocks that is another", data);
    while (covers < count) {
        covers *= edf->size / pointer;
        levels++;
    }
    if (levels != fst[FST_LEVELS])
        wrong(check, "another number of levels than its blocks need", levels);
    walk(check, &file);
    edf_close(&file);
}

u32 edf_check(struct edf *edf, void (*tell)(const char *what, u32 number, const u8 *fst))
{
    struct check check = { .edf = edf, .tell = tell };
    size_t bytes = ((size_t)edf->blocks + 7) / 8;
    u32 used = 0;
    const u8 *fst;

    check.seen = edf_get(bytes);
    if (check.seen == NULL)
        return 1;
    memset(check.seen, 0, bytes);
    for (u32 block = 1; block <= 5; block++)
        claim(&check, block);
    check.fst = edf->fst;
    claim_tree(&check, &edf->directory, 1);
    check.fst = edf->fst + FST_LENGTH;
    claim_tree(&check, &edf->map_tree, 0);
    for (u32 n = 0; (fst = edf_entry(edf, n)) != NULL; n++) {
        check_file(&check, fst);
        if (edf_find(edf, fst + FST_NAME, fst + FST_TYPE) != fst)
            wrong(&check, "a name that there is twice", n);
    }
    check.fst = NULL;
    for (u32 block = 1; block <= edf->blocks; block++) {
        u8 mask = (u8)(0x80 >> (block - 1) % 8);
        bool seen = (check.seen[(block - 1) / 8] & mask) != 0, mapped = (edf->map[(block - 1) / 8] & mask) != 0;

        used += mapped;
        if (seen && !mapped)
            wrong(&check, "a block in use that the map calls free", block);
        if (!seen && mapped)
            wrong(&check, "a block that nothing uses and the map does not call free", block);
    }
    if (used != edf->used)
        wrong(&check, "a number of used blocks that is another", used);
    edf_put(check.seen);
    return check.wrong;
}
