/*
 * The disk as a whole: label, allocation map, commit.
 *
 * The map in storage is the one that the next commit writes. A block that a change has given up is clear in it, but the
 * committed directory still leads there: `pending` keeps it from being given out before the commit. A few blocks are
 * kept back from files (the reserve), so that a full disk can still be committed, and files be erased from it.
 */
#include "edf.h"
#include <string.h>

enum { HOMES = 4, FIRST_FREE = 6, MAP = 1, BLOCKS_MOST = 0x7fffffff, DIRECTORY_MOST = 0x40000000 };

/* C'CMS1', C'DIRECTOR', C'ALLOCMAP' in EBCDIC, whatever the compiler's characters are. */
static const u8 id[4] = { 0xc3, 0xd4, 0xe2, 0xf1 };
static const u8 directory_name[8] = { 0, 0, 0, 1, 0, 0, 0, 0 }, map_name[8] = { 0, 0, 0, 2, 0, 0, 0, 0 };
static const u8 directory_type[8] = { 0xc4, 0xc9, 0xd9, 0xc5, 0xc3, 0xe3, 0xd6, 0xd9 };
static const u8 map_type[8] = { 0xc1, 0xd3, 0xd3, 0xd6, 0xc3, 0xd4, 0xc1, 0xd7 };

static int read_block(const struct edf_device *device, u32 block, void *to)
{
    return device->read(device->context, block, 1, to) != 0 ? EDF_IO : EDF_OK;
}

static int write_block(const struct edf_device *device, u32 block, const void *from)
{
    return device->write(device->context, block, 1, from) != 0 ? EDF_IO : EDF_OK;
}

static bool legal_size(u32 size)
{
    return size == 512 || size == 1024 || size == 2048 || size == 4096;
}

/* Where the label is: a block, and where in it. */
static u32 label_block(const struct edf_device *device) { return device->fixed ? 512 / device->size + 1 : 3; }
static u32 label_offset(const struct edf_device *device) { return device->fixed ? 512 % device->size : 0; }

/* Writes the label: the rest of its block stays as it is, since on fixed-block disks that is for IPL. */
static int write_label(struct edf *edf)
{
    u8 *bytes = edf_get(edf->size);
    int error;

    if (bytes == NULL)
        return EDF_STORAGE;
    error = read_block(&edf->device, label_block(&edf->device), bytes);
    memcpy(bytes + label_offset(&edf->device), edf->label, ADT_LENGTH);
    if (error == EDF_OK)
        error = write_block(&edf->device, label_block(&edf->device), bytes);
    if (error == EDF_OK)
        memcpy(edf->seen, edf->label, ADT_LENGTH);
    edf_put(bytes);
    return error;
}

static bool bit(const u8 *map, u32 block) { return (map[(block - 1) / 8] >> (7 - (block - 1) % 8) & 1) != 0; }

static void set_bit(u8 *map, u32 block, bool on)
{
    u8 mask = (u8)(0x80 >> (block - 1) % 8);

    if (on)
        map[(block - 1) / 8] |= mask;
    else
        map[(block - 1) / 8] &= (u8)~mask;
}

static u32 map_blocks(u32 blocks, u32 size) { return (blocks + size * 8 - 1) / (size * 8); }

/* What a commit can need: the map and its pointers, the directory and its. */
static u32 reserved(const struct edf *edf)
{
    u32 each = edf->size / 4, n = edf->map_tree.count, d = edf->directory.count + 1;

    return n + n / each + 2 + (d > 1 ? d + d / each + 1 : 0);
}

/* A free block, or 0. Only a commit may use the reserve. */
u32 edf_allocate(struct edf *edf, bool reserve)
{
    u32 taken = edf->used + edf->waiting;

    if (taken >= edf->blocks || (!reserve && taken + reserved(edf) >= edf->blocks))
        return 0;
    for (u32 n = 0, block = edf->hint; n < edf->blocks; n++, block++) {
        if (block > edf->blocks)
            block = FIRST_FREE;
        if ((block - 1) % 8 == 0 && edf->map[(block - 1) / 8] == 0xff) {
            block += 7;
            n += 7;
            continue;
        }
        if (!bit(edf->map, block) && !bit(edf->pending, block)) {
            set_bit(edf->map, block, true);
            edf->map_dirty[(block - 1) / 8 / edf->size] = 1;
            edf->used++;
            edf->hint = block + 1;
            return block;
        }
    }
    return 0;
}

/* A block is given up. One that no committed directory knows (`fresh`) is free at once. */
void edf_release(struct edf *edf, u32 block, bool fresh)
{
    if (block == 0 || block > edf->blocks || !bit(edf->map, block))
        return;
    set_bit(edf->map, block, false);
    edf->map_dirty[(block - 1) / 8 / edf->size] = 1;
    edf->used--;
    if (!fresh) {
        set_bit(edf->pending, block, true);
        edf->waiting++;
    } else if (block < edf->hint) {
        edf->hint = block;
    }
}

/* A block that was given up is not, after all. */
void edf_restore(struct edf *edf, u32 block)
{
    if (block == 0 || block > edf->blocks || !bit(edf->pending, block))
        return;
    set_bit(edf->pending, block, false);
    edf->waiting--;
    set_bit(edf->map, block, true);
    edf->used++;
}

void edf_close_disk(struct edf *edf)
{
    if (!edf->kept)
        edf_put(edf->fst);
    edf_put(edf->fst_dirty);
    edf_put(edf->map);
    edf_put(edf->pending);
    edf_put(edf->map_dirty);
    edf_tree_forget(&edf->directory);
    edf_tree_forget(&edf->map_tree);
    memset(edf, 0, sizeof *edf);
}

/* Reads the blocks of a tree into `to`. */
static int read_tree(struct edf *edf, const struct edf_tree *tree, u8 *to)
{
    for (u32 n = 0; n < tree->count; n++) {
        u32 block = tree->entry[n].block;

        if (block == 0)
            memset(to + (size_t)n * edf->size, 0, edf->size);
        else if (read_block(&edf->device, block, to + (size_t)n * edf->size) != EDF_OK)
            return EDF_IO;
    }
    return EDF_OK;
}

static int read_directory(struct edf *edf, u32 home)
{
    u8 *first = edf_get(edf->size);
    int error;

    if (first == NULL)
        return EDF_STORAGE;
    error = read_block(&edf->device, home, first);
    if (error == EDF_OK && (memcmp(first, directory_name, 8) != 0 || memcmp(first + FST_TYPE, directory_type, 8) != 0))
        error = EDF_DAMAGED;
    if (error == EDF_OK)
        error = edf_tree_load(edf, &edf->directory, first);
    if (error == EDF_OK && (edf->directory.count == 0 || edf->directory.entry[0].block != home))
        error = EDF_DAMAGED;
    /* All of it is in storage. */
    if (error == EDF_OK && edf->directory.count > DIRECTORY_MOST / edf->size)
        error = EDF_DAMAGED;
    if (error == EDF_OK) {
        edf->fsts = edf_word(first + FST_RECORDS);
        edf->fst_room = edf->directory.count * (edf->size / FST_LENGTH);
        edf->fst = edf_get((size_t)edf->directory.count * edf->size);
        edf->fst_dirty = edf_get(edf->directory.count);
        error = edf->fst == NULL || edf->fst_dirty == NULL ? EDF_STORAGE : read_tree(edf, &edf->directory, edf->fst);
    }
    if (error == EDF_OK) {
        const u8 *map = edf->fst + MAP * FST_LENGTH;

        memset(edf->fst_dirty, 0, edf->directory.count);
        if (edf->fsts < 2 || edf->fsts > edf->fst_room || memcmp(map, map_name, 8) != 0 ||
            memcmp(map + FST_TYPE, map_type, 8) != 0)
            error = EDF_DAMAGED;
    }
    edf_put(first);
    return error;
}

static int read_map(struct edf *edf)
{
    u32 count = map_blocks(edf->blocks, edf->size);
    int error = edf_tree_load(edf, &edf->map_tree, edf->fst + MAP * FST_LENGTH);

    if (error == EDF_OK && edf->map_tree.count != count)
        error = EDF_DAMAGED;
    if (error != EDF_OK)
        return error;
    edf->map = edf_get((size_t)count * edf->size);
    edf->pending = edf_get((size_t)count * edf->size);
    edf->map_dirty = edf_get(count);
    if (edf->map == NULL || edf->pending == NULL || edf->map_dirty == NULL)
        return EDF_STORAGE;
    memset(edf->pending, 0, (size_t)count * edf->size);
    memset(edf->map_dirty, 0, count);
    return read_tree(edf, &edf->map_tree, edf->map);
}

/* Whether the disk is as we have left it. */
static int look(struct edf *edf)
{
    u8 *bytes = edf_get(edf->size);
    int error = bytes == NULL ? EDF_STORAGE : read_block(&edf->device, label_block(&edf->device), bytes);

    if (error == EDF_OK && memcmp(edf->seen, bytes + label_offset(&edf->device), ADT_LENGTH) != 0)
        error = EDF_REPLACED;
    edf_put(bytes);
    return error;
}

bool edf_is_current(struct edf *edf) { return look(edf) == EDF_OK; }

/*
 * Before the first block after a commit is written: a user may have put another disk where this one was, and another
 * user may have written. What is free here may be in use there.
 */
int edf_begin(struct edf *edf)
{
    int error = edf->ours || edf->seen[ADT_ID] == 0 ? EDF_OK : look(edf);

    edf->ours = error == EDF_OK;
    return error;
}

/* Reads the label, which is there then as far as it could be read. Nothing is held. */
int edf_open_label(struct edf *edf, const struct edf_device *device, bool writable)
{
    u8 *bytes = edf_get(device->size);
    int error;

    memset(edf, 0, sizeof *edf);
    edf->device = *device;
    edf->size = device->size;
    edf->writable = writable;
    if (bytes == NULL)
        return EDF_STORAGE;
    error = read_block(device, label_block(device), bytes);
    if (error == EDF_OK)
        memcpy(edf->label, bytes + label_offset(device), ADT_LENGTH);
    memcpy(edf->seen, edf->label, ADT_LENGTH);
    edf_put(bytes);
    if (error == EDF_OK && (memcmp(edf->label, id, 4) != 0 || edf_word(edf->label + ADT_SIZE) != device->size))
        error = EDF_NO_LABEL;
    if (error != EDF_OK)
        return error;
    edf->blocks = edf_word(edf->label + ADT_BLOCKS);
    edf->used = edf_word(edf->label + ADT_USED);
    edf->hint = FIRST_FREE;
    u32 home = edf_word(edf->label + ADT_DOP);
    return (home != HOMES && home != HOMES + 1) || edf_word(edf->label + ADT_FST_SIZE) != FST_LENGTH ||
        edf->blocks < FIRST_FREE || edf->blocks > BLOCKS_MOST
               ? EDF_DAMAGED : EDF_OK;
}

/* Reads label and directory. On failure nothing is held, and the label is there as far as it could be read. */
int edf_open_disk(struct edf *edf, const struct edf_device *device, bool writable)
{
    int error = edf_open_label(edf, device, writable);

    if (error != EDF_OK)
        return error;
    error = read_directory(edf, edf_word(edf->label + ADT_DOP));
    if (error == EDF_OK)
        error = read_map(edf);
    if (error != EDF_OK) {
        u8 label[ADT_LENGTH];

        memcpy(label, edf->label, sizeof label);
        edf_close_disk(edf);
        memcpy(edf->label, label, sizeof label);
    }
    return error;
}

/* Gives the blocks of the map that were changed new homes. Allocating changes the map, so homes come first. */
static int move_map(struct edf *edf)
{
    struct edf_tree *tree = &edf->map_tree;
    u8 *fst = edf->fst + MAP * FST_LENGTH;
    bool again = true;

    for (u32 n = 0; n < tree->count; n++)
        tree->entry[n].fresh = false;
    /* The pointer blocks and homes that are needed make blocks of the map dirty, which need homes in their turn. */
    if (tree->count > 1) {
        memset(edf->map_dirty, 1, tree->count);
    }
    while (again) {
        again = false;
        for (u32 n = 0; n < tree->count; n++) {
            u32 block;

            if (!edf->map_dirty[n] || tree->entry[n].fresh)
                continue;
            block = edf_allocate(edf, true);
            if (block == 0)
                return EDF_FULL;
            edf_release(edf, tree->entry[n].block, false);
            tree->entry[n] = (struct edf_entry){ .block = block, .fresh = true };
            again = true;
        }
    }
    int error = edf_tree_store(edf, tree, fst);
    edf_touched(edf, fst);
    return error;
}

/* Gives the blocks of the directory that were changed new homes; the first has its two. */
static int move_directory(struct edf *edf, u32 home)
{
    struct edf_tree *tree = &edf->directory;
    u32 per_block = edf->size / FST_LENGTH, count = (edf->fsts + per_block - 1) / per_block;
    u8 *fst = edf->fst;
    int error = edf_tree_extend(tree, count);

    if (error != EDF_OK)
        return error;
    while (tree->count > count) {
        tree->count--;
        edf_release(edf, tree->entry[tree->count].block, tree->entry[tree->count].fresh);
    }
    for (u32 n = tree->count; n < count; n++) {
        tree->entry[tree->count++] = (struct edf_entry){ 0 };
        edf->fst_dirty[n] = 1;
    }
    /* Both homes are always in use. */
    tree->entry[0] = (struct edf_entry){ .block = home };
    for (u32 n = 1; n < count; n++) {
        u32 block;

        if (!edf->fst_dirty[n])
            continue;
        block = edf_allocate(edf, true);
        if (block == 0)
            return EDF_FULL;
        edf_release(edf, tree->entry[n].block, false);
        tree->entry[n].block = block;
    }
    edf_set_word(fst + FST_RECORDS, edf->fsts);
    error = edf_tree_store(edf, tree, fst);
    edf_stamp(fst);
    edf->fst_dirty[0] = 1;
    return error;
}

static int write_tree(struct edf *edf, const struct edf_tree *tree, const u8 *from, const u8 *dirty, u32 begin)
{
    for (u32 n = begin; n < tree->count; n++)
        if (dirty[n] && write_block(&edf->device, tree->entry[n].block, from + (size_t)n * edf->size) != EDF_OK)
            return EDF_IO;
    return EDF_OK;
}

/* Makes everything that was changed the truth. Waits until the last output file is closed. */
int edf_commit(struct edf *edf)
{
    u32 home = edf_word(edf->label + ADT_DOP) == HOMES ? HOMES + 1 : HOMES, count = edf->map_tree.count;
    int error;

    if (!edf->changed || edf->writers > 0)
        return EDF_OK;
    if (edf->broken)
        return EDF_IO;
    /* Once more: much may have happened since the first block was written. */
    edf->ours = false;
    error = edf_begin(edf);
    if (error == EDF_OK)
        error = move_directory(edf, home);
    if (error == EDF_OK)
        error = move_map(edf);
    if (error == EDF_OK)
        error = write_tree(edf, &edf->map_tree, edf->map, edf->map_dirty, 0);
    if (error == EDF_OK)
        error = write_tree(edf, &edf->directory, edf->fst, edf->fst_dirty, 1);
    if (error == EDF_OK)
        error = write_block(&edf->device, home, edf->fst);
    if (error == EDF_OK) {
        edf_set_word(edf->label + ADT_DOP, home);
        edf_set_word(edf->label + ADT_USED, edf->used);
        /* A directory kept in a saved segment is not this one. */
        memset(edf->label + ADT_SEGMENT, 0, 8);
        error = write_label(edf);
    }
    if (error != EDF_OK) {
        edf->broken = true;
        return error;
    }
    memset(edf->map_dirty, 0, count);
    memset(edf->pending, 0, (size_t)count * edf->size);
    memset(edf->fst_dirty, 0, edf->directory.count);
    edf->waiting = 0;
    edf->hint = FIRST_FREE;
    edf->changed = edf->ours = false;
    return EDF_OK;
}

int edf_relabel(struct edf *edf, const u8 label[6])
{
    int error = look(edf);

    if (error != EDF_OK)
        return error;
    memcpy(edf->label + ADT_LABEL, label, 6);
    return write_label(edf);
}

/* The label names the saved segment that keeps the directory, until the disk is changed. */
int edf_name_segment(struct edf *edf, const u8 name[8])
{
    int error = look(edf);

    if (error != EDF_OK)
        return error;
    memcpy(edf->label + ADT_SEGMENT, name, 8);
    return write_label(edf);
}

static void system_entry(u8 *fst, const u8 name[8], const u8 type[8], u32 lrecl, u32 records, u32 blocks)
{
    memset(fst, 0, FST_LENGTH);
    memcpy(fst + FST_NAME, name, 8);
    memcpy(fst + FST_TYPE, type, 8);
    fst[FST_RECFM] = EDF_F;
    fst[FST_POINTER] = 4;
    edf_set_word(fst + FST_LRECL, lrecl);
    edf_set_word(fst + FST_RECORDS, records);
    edf_set_word(fst + FST_BLOCKS, blocks);
    edf_stamp(fst);
}

/* Makes the disk an empty one of `blocks` blocks. Its blocks must be there; what is in them does not matter. */
int edf_format(const struct edf_device *device, u32 blocks, u32 cylinders, u32 most_cylinders, const u8 label[6])
{
    struct edf edf = { .device = *device, .writable = true, .size = device->size, .blocks = blocks, .hint =
        FIRST_FREE };
    u32 count = map_blocks(blocks, device->size), per_block = device->size / FST_LENGTH;
    u8 now[7];
    int error;

    if (!legal_size(device->size) || blocks < FIRST_FREE + count + 8)
        return EDF_FULL;
    edf.map = edf_get((size_t)count * edf.size);
    edf.pending = edf_get((size_t)count * edf.size);
    edf.map_dirty = edf_get(count);
    edf.fst = edf_get(edf.size);
    edf.fst_dirty = edf_get(1);
    error = edf_tree_extend(&edf.map_tree, count);
    if (error == EDF_OK)
        error = edf_tree_extend(&edf.directory, 1);
    if (edf.map == NULL || edf.pending == NULL || edf.map_dirty == NULL || edf.fst == NULL || edf.fst_dirty == NULL)
        error = EDF_STORAGE;
    if (error != EDF_OK) {
        edf_close_disk(&edf);
        return error;
    }
    memset(edf.map, 0, (size_t)count * edf.size);
    memset(edf.pending, 0, (size_t)count * edf.size);
    memset(edf.map_dirty, 1, count);
    memset(edf.fst, 0, edf.size);
    for (u32 block = 1; block < FIRST_FREE; block++)
        set_bit(edf.map, block, true);
    edf.used = FIRST_FREE - 1;
    edf.fsts = 2;
    edf.fst_room = per_block;
    system_entry(edf.fst, directory_name, directory_type, FST_LENGTH, 2, 1);
    system_entry(edf.fst + FST_LENGTH, map_name, map_type, edf.size, count, count);
    edf.directory.entry[edf.directory.count++] = (struct edf_entry){ .block = HOMES };
    for (u32 n = 0; n < count; n++)
        edf.map_tree.entry[edf.map_tree.count++] = (struct edf_entry){ 0 };
    edf_now(now);
    memcpy(edf.label + ADT_ID, id, 4);
    memcpy(edf.label + ADT_LABEL, label, 6);
    edf_set_word(edf.label + ADT_SIZE, edf.size);
    edf_set_word(edf.label + ADT_DOP, HOMES + 1);   /* the commit turns to the other */
    edf_set_word(edf.label + ADT_CYLINDERS, cylinders);
    edf_set_word(edf.label + ADT_MOST_CYLINDERS, most_cylinders);
    edf_set_word(edf.label + ADT_BLOCKS, blocks);
    edf_set_word(edf.label + ADT_FST_SIZE, FST_LENGTH);
    edf_set_word(edf.label + ADT_FSTS, per_block);
    memcpy(edf.label + ADT_CREATED, now + 1, 6);
    edf.label[ADT_CENTURY] = now[0] != 0;
    edf.changed = true;
    error = edf_commit(&edf);
    edf_close_disk(&edf);
    return error;
}

/* Gives the map so many blocks; what it gains is free, what it loses is given up. */
static int resize_map(struct edf *edf, u32 count)
{
    struct edf_tree *tree = &edf->map_tree;
    u32 kept = tree->count < count ? tree->count : count;
    u8 *map = edf_get((size_t)count * edf->size), *pending = edf_get((size_t)count * edf->size),
        *dirty = edf_get(count);
    u8 *fst = edf->fst + MAP * FST_LENGTH;

    if (map == NULL || pending == NULL || dirty == NULL || edf_tree_extend(tree, count) != EDF_OK) {
        edf_put(map);
        edf_put(pending);
        edf_put(dirty);
        return EDF_STORAGE;
    }
    memset(map, 0, (size_t)count * edf->size);
    memset(pending, 0, (size_t)count * edf->size);
    memset(dirty, 1, count);
    memcpy(map, edf->map, (size_t)kept * edf->size);
    memcpy(pending, edf->pending, (size_t)kept * edf->size);
    edf_put(edf->map);
    edf_put(edf->pending);
    edf_put(edf->map_dirty);
    edf->map = map;
    edf->pending = pending;
    edf->map_dirty = dirty;
    while (tree->count < count)
        tree->entry[tree->count++] = (struct edf_entry){ 0 };
    tree->count = count;
    edf_set_word(fst + FST_RECORDS, count);
    edf_touched(edf, fst);
    return EDF_OK;
}

/*
 * From now on the disk has this many blocks, which must be there. EDF_FULL: something is in those that would go, or too
 * few are left, and nothing has changed. After another error the disk must be opened anew.
 */
int edf_resize(struct edf *edf, u32 blocks, u32 cylinders)
{
    u32 count = map_blocks(blocks, edf->size), n;
    int error = EDF_OK;

    if (edf->writers > 0 || !edf->writable)
        return EDF_READ_ONLY;
    for (n = blocks + 1; n <= edf->blocks; n++)
        if (bit(edf->map, n) || bit(edf->pending, n))
            return EDF_FULL;
    if (blocks < FIRST_FREE + count + 8 || edf->used + edf->waiting + 2 * reserved(edf) + count >= blocks)
        return EDF_FULL;
    for (n = count; n < edf->map_tree.count; n++)
        edf_release(edf, edf->map_tree.entry[n].block, false);
    if (count != edf->map_tree.count)
        error = resize_map(edf, count);
    if (error != EDF_OK)
        return error;
    edf->blocks = blocks;
    edf->hint = FIRST_FREE;
    edf_set_word(edf->label + ADT_BLOCKS, blocks);
    edf_set_word(edf->label + ADT_CYLINDERS, cylinders);
    edf->changed = true;
    return edf_commit(edf);
}

/*
 * An empty disk gets one file of all blocks that are left, side by side, a record a block; the label says where they
 * begin, so that programs can use them as a disk without a file system. What is in the blocks stays.
 */
int edf_reserve(struct edf *edf, const u8 name[8], const u8 type[8])
{
    struct edf_tree tree = { 0 };
    u8 fst[FST_LENGTH] = { 0 };
    u32 each = edf->size / 4, first, count;
    int error;

    if (edf_files(edf) != 0 || edf->writers > 0 || !edf->writable)
        return EDF_EXISTS;
    /* In front: what there is, the pointers, and room for commits. */
    count = edf->blocks / each + edf->blocks / each / each + 3;
    first = FIRST_FREE + 2 * edf->map_tree.count + 2 * reserved(edf) + count + 8;
    if (first + 8 > edf->blocks)
        return EDF_FULL;
    count = edf->blocks - first;
    error = edf_tree_extend(&tree, count);
    for (u32 n = 0; n < count && error == EDF_OK; n++) {
        tree.entry[tree.count++] = (struct edf_entry){ .block = first + n, .fresh = true };
        set_bit(edf->map, first + n, true);
        edf->used++;
    }
    memset(edf->map_dirty, 1, edf->map_tree.count);
    memcpy(fst + FST_NAME, name, 8);
    memcpy(fst + FST_TYPE, type, 8);
    fst[FST_MODE] = 0xc1;
    fst[FST_MODE + 1] = 0xf6;
    fst[FST_RECFM] = EDF_F;
    edf_set_word(fst + FST_LRECL, edf->size);
    edf_set_word(fst + FST_RECORDS, count);
    edf->hint = FIRST_FREE;
    if (error == EDF_OK)
        error = edf_tree_store(edf, &tree, fst);
    edf_tree_forget(&tree);
    edf_stamp(fst);
    if (error == EDF_OK)
        error = edf_add(edf, fst);
    if (error != EDF_OK)
        return error;
    edf_set_word(edf->label + ADT_OFFSET, first - 1);
    edf->changed = true;
    return edf_commit(edf);
}
