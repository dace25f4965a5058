/*
 * Pointer blocks: the tree between a directory entry and the file's data blocks.
 *
 * With one data block the entry points at it; with more there are levels of pointer blocks, of 4-byte block numbers for
 * F files (0: a block of zeros that is nowhere), of 12 bytes for V files, which say what records begin where. A tree in
 * use is kept flat, an entry a data block. A changed tree gets new pointer blocks as a whole: nothing that is on the
 * disk is written over.
 */
#include "edf.h"
#include <string.h>

enum { MOST_LEVELS = 5 };

static u32 pointer_size(const u8 *fst)
{
    return fst[FST_RECFM] == EDF_V ? 12 : 4;
}

/* How many data blocks the entry says there are, those that are nowhere too. */
u32 edf_data_blocks(const struct edf *edf, const u8 *fst)
{
    u32 records = edf_word(fst + FST_RECORDS);

    if (fst[FST_RECFM] == EDF_V)
        return records == 0 ? 0 : edf_word(fst + FST_BLOCKS);
    uint64_t blocks = ((uint64_t)records * edf_word(fst + FST_LRECL) + edf->size - 1) / edf->size;

    return blocks < 0xffffffff ? (u32)blocks : 0xffffffff;
}

int edf_tree_extend(struct edf_tree *tree, u32 count)
{
    struct edf_entry *more;
    u32 room = tree->room == 0 ? 8 : tree->room * 2;

    if (count <= tree->room)
        return EDF_OK;
    if (count > EDF_MOST_BLOCKS)
        return EDF_STORAGE;
    if (room < count)
        room = count;
    more = edf_get((size_t)room * sizeof *more);
    if (more == NULL)
        return EDF_STORAGE;
    if (tree->count != 0)
        memcpy(more, tree->entry, (size_t)tree->count * sizeof *more);
    edf_put(tree->entry);
    tree->entry = more;
    tree->room = room;
    return EDF_OK;
}

void edf_tree_forget(struct edf_tree *tree)
{
    edf_put(tree->entry);
    edf_put(tree->pointer);
    memset(tree, 0, sizeof *tree);
}

/* All blocks of the tree, data and pointers, are free. */
void edf_tree_release(struct edf *edf, struct edf_tree *tree)
{
    for (u32 n = 0; n < tree->count; n++)
        if (tree->entry[n].block != 0)
            edf_release(edf, tree->entry[n].block, tree->entry[n].fresh);
    for (u32 n = 0; n < tree->pointers; n++)
        edf_release(edf, tree->pointer[n], false);
    tree->count = tree->pointers = 0;
}

/* Every pointer block that is read is noted, and a tree cannot have more than its disk has blocks. */
static int note(struct edf *edf, struct edf_tree *tree, u32 block, u32 *room)
{
    u32 *more;

    if (tree->pointers == *room) {
        *room = *room == 0 ? 4 : *room * 2;
        more = edf_get(*room * sizeof *more);
        if (more == NULL)
            return EDF_STORAGE;
        if (tree->pointers != 0)
            memcpy(more, tree->pointer, tree->pointers * sizeof *more);
        edf_put(tree->pointer);
        tree->pointer = more;
    }
    if (tree->pointers >= edf->blocks)
        return EDF_DAMAGED;
    tree->pointer[tree->pointers++] = block;
    return EDF_OK;
}

static int load(struct edf *edf, struct edf_tree *tree, u32 block, u32 level, u32 total, u32 size, u32 *room)
{
    u32 each = edf->size / size;
    uint64_t covers = 1;
    u8 *bytes;
    int error;

    for (u32 n = 1; n < level; n++)
        covers *= each;
    if (block == 0) {
        /* A whole subtree of zeros. */
        for (uint64_t n = 0; n < covers * each && tree->count < total; n++)
            tree->entry[tree->count++] = (struct edf_entry){ 0 };
        return EDF_OK;
    }
    if (block > edf->blocks)
        return EDF_DAMAGED;
    error = note(edf, tree, block, room);
    bytes = error == EDF_OK ? edf_get(edf->size) : NULL;
    if (bytes == NULL)
        return error != EDF_OK ? error : EDF_STORAGE;
    error = edf->device.read(edf->device.context, block, 1, bytes) != 0 ? EDF_IO : EDF_OK;
    for (u32 n = 0; error == EDF_OK && n < each && tree->count < total; n++) {
        const u8 *at = bytes + n * size;
        u32 to = edf_word(at);

        if (level > 1) {
            error = load(edf, tree, to, level - 1, total, size, room);
        } else if (to > edf->blocks) {
            error = EDF_DAMAGED;
        } else {
            struct edf_entry *entry = &tree->entry[tree->count++];
            *entry = (struct edf_entry){ .block = to };
            if (size == 12) {
                entry->highest = edf_word(at + 4);
                entry->displacement = edf_word(at + 8);
            }
        }
    }
    edf_put(bytes);
    return error;
}

/* Reads the tree of an entry. */
int edf_tree_load(struct edf *edf, struct edf_tree *tree, const u8 *fst)
{
    u32 total = edf_data_blocks(edf, fst), top = edf_word(fst + FST_FOP), levels = fst[FST_LEVELS], room = 0;
    u32 size = pointer_size(fst);
    int error;

    memset(tree, 0, sizeof *tree);
    if (total == 0)
        return EDF_OK;
    if (fst[FST_RECFM] != EDF_F && fst[FST_RECFM] != EDF_V)
        return EDF_DAMAGED;
    /* A sparse file may have more blocks than its disk, but a file that has few pointers cannot have ever so many. */
    if (levels > MOST_LEVELS || total > EDF_MOST_BLOCKS || (levels == 0 && total > 1))
        return EDF_DAMAGED;
    error = edf_tree_extend(tree, total);
    if (error != EDF_OK)
        return error;
    if (levels == 0) {
        if (top > edf->blocks) {
            edf_tree_forget(tree);
            return EDF_DAMAGED;
        }
        tree->entry[tree->count++] = (struct edf_entry){ .block = top, .highest = edf_word(fst + FST_RECORDS) };
        return EDF_OK;
    }
    error = load(edf, tree, top, levels, total, size, &room);
    if (error == EDF_OK && tree->count != total)
        error = EDF_DAMAGED;
    if (error != EDF_OK)
        edf_tree_forget(tree);
    return error;
}

/* One level of pointer blocks over `count` entries; the entries become those of the level above. */
static int store_level(struct edf *edf, struct edf_tree *tree, struct edf_entry *entry, u32 *count, u32 size, u8 *bytes,
                       bool reserve)
{
    u32 each = edf->size / size, done = 0;

    for (u32 from = 0; from < *count; from += each) {
        u32 n = *count - from < each ? *count - from : each;
        bool nothing = true;
        u32 block;

        memset(bytes, 0, edf->size);
        for (u32 k = 0; k < n; k++) {
            u8 *at = bytes + k * size;
            edf_set_word(at, entry[from + k].block);
            nothing = nothing && entry[from + k].block == 0;
            if (size == 12) {
                edf_set_word(at + 4, entry[from + k].highest);
                edf_set_word(at + 8, entry[from + k].displacement);
            }
        }
        if (size == 12)
            edf_set_word(bytes + edf->size - 4, (n - 1) * 12);
        if (nothing && size == 4) {
            block = 0;
        } else {
            int error = edf_begin(edf);

            if (error != EDF_OK)
                return error;
            block = edf_allocate(edf, reserve);
            if (block == 0)
                return EDF_FULL;
            tree->pointer[tree->pointers++] = block;
            if (edf->device.write(edf->device.context, block, 1, bytes) != 0)
                return EDF_IO;
        }
        entry[done++] = (struct edf_entry){ block, entry[from + n - 1].highest, entry[from].displacement, true };
    }
    *count = done;
    return EDF_OK;
}

/* Writes the tree to free blocks and sets the entry's origin, levels and number of blocks. */
int edf_tree_store(struct edf *edf, struct edf_tree *tree, u8 *fst)
{
    u32 size = pointer_size(fst), each = edf->size / size, count = tree->count, levels = 0, data = 0, pointers = 0;
    bool reserve = tree == &edf->directory || tree == &edf->map_tree;
    struct edf_entry *entry;
    u8 *bytes;
    int error = EDF_OK;

    for (u32 n = 0; n < tree->count; n++)
        data += tree->entry[n].block != 0 || size == 12;
    for (u32 n = 0; n < tree->pointers; n++)
        edf_release(edf, tree->pointer[n], false);
    tree->pointers = 0;
    for (u32 n = count; n > 1; n = (n + each - 1) / each)
        pointers += (n + each - 1) / each;
    if (count > 1) {
        entry = edf_get(count * sizeof *entry);
        bytes = edf_get(edf->size);
        edf_put(tree->pointer);
        tree->pointer = edf_get(pointers * sizeof(u32));
        if (entry == NULL || bytes == NULL || tree->pointer == NULL)
            error = EDF_STORAGE;
        else
            memcpy(entry, tree->entry, count * sizeof *entry);
        while (error == EDF_OK && count > 1) {
            error = store_level(edf, tree, entry, &count, size, bytes, reserve);
            levels++;
        }
        if (error == EDF_OK)
            edf_set_word(fst + FST_FOP, entry[0].block);
        edf_put(entry);
        edf_put(bytes);
    } else {
        edf_set_word(fst + FST_FOP, count == 0 ? 0 : tree->entry[0].block);
    }
    fst[FST_LEVELS] = (u8)levels;
    fst[FST_POINTER] = (u8)size;
    edf_set_word(fst + FST_BLOCKS, data);
    return error;
}
