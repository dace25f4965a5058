/*
 * Files: records read, written over, added.
 *
 * A window is a run of the file's blocks in storage. The data of an F file is its records end to end; that of a V file
 * is records with two bytes of length before them, end to end, a length of zero after the last. A block that the
 * committed directory knows is never written over: the first change gives it a new place (edf.h).
 */
#include "edf.h"
#include <string.h>

enum { WINDOW = 16384, NOWHERE = 0 };

static u32 room(const struct edf_file *file) { return WINDOW / file->edf->size; }
static u32 records(const struct edf_file *file) { return edf_word(file->fst + FST_RECORDS); }
static u32 lrecl(const struct edf_file *file) { return edf_word(file->fst + FST_LRECL); }
static bool is_v(const struct edf_file *file) { return file->fst[FST_RECFM] == EDF_V; }

/* Whether the entry's record length is one that its records can have. */
static bool sound(const struct edf_file *file)
{
    u32 most = is_v(file) ? EDF_MOST_V : EDF_MOST_F;

    return records(file) == 0 || (lrecl(file) != 0 && lrecl(file) <= most && records(file) <= EDF_MOST_F);
}

int edf_open(struct edf *edf, struct edf_file *file, const u8 name[8], const u8 type[8], enum edf_how how)
{
    const u8 *fst = edf_find(edf, name, type);
    int error = EDF_OK;

    memset(file, 0, sizeof *file);
    file->edf = edf;
    file->at_record = 1;
    if (how != EDF_READ && !edf->writable)
        return EDF_READ_ONLY;
    if (how == EDF_NEW) {
        memcpy(file->fst + FST_NAME, name, 8);
        memcpy(file->fst + FST_TYPE, type, 8);
        memset(file->fst + FST_MODE, 0xf1, 2);
        file->fst[FST_RECFM] = EDF_V;
        file->anew = file->changed = true;
    } else if (fst == NULL) {
        return EDF_NOT_FOUND;
    } else {
        memcpy(file->fst, fst, FST_LENGTH);
        error = sound(file) ? edf_tree_load(edf, &file->tree, fst) : EDF_DAMAGED;
    }
    if (error == EDF_OK) {
        file->window = edf_get(WINDOW);
        if (file->window == NULL) {
            edf_tree_forget(&file->tree);
            return EDF_STORAGE;
        }
        file->output = how != EDF_READ;
        edf->writers += file->output;
    }
    return error;
}

/* Writes the changed blocks of the window, each run that lies together at once. */
static int flush(struct edf_file *file)
{
    struct edf *edf = file->edf;
    u32 from = file->dirty_from, to = file->dirty_to;
    int error = from < to ? edf_begin(edf) : EDF_OK;

    if (error != EDF_OK)
        return error;
    for (u32 n = from; n < to; n++) {
        struct edf_entry *entry = &file->tree.entry[file->first + n];

        if (!entry->fresh) {
            u32 block = edf_allocate(edf, false);

            if (block == NOWHERE)
                return EDF_FULL;
            edf_release(edf, entry->block, false);
            entry->block = block;
            entry->fresh = true;
        }
    }
    while (from < to) {
        const struct edf_entry *entry = &file->tree.entry[file->first + from];
        u32 n = 1;

        while (from + n < to && entry[n].block == entry[0].block + n)
            n++;
        if (edf->device.write(edf->device.context, entry->block, n, file->window + (size_t)from * edf->size) != 0)
            return EDF_IO;
        from += n;
    }
    file->dirty_from = file->dirty_to = 0;
    return EDF_OK;
}

static int fill(struct edf_file *file, u32 index)
{
    struct edf *edf = file->edf;
    u32 count = file->tree.count - index, n = 0;

    count = count < room(file) ? count : room(file);
    file->first = index;
    file->held = 0;
    while (n < count) {
        const struct edf_entry *entry = &file->tree.entry[index + n];
        u8 *to = file->window + (size_t)n * edf->size;
        u32 run = 1;

        if (entry->block == NOWHERE) {
            memset(to, 0, edf->size);
        } else {
            while (n + run < count && entry[run].block == entry->block + run)
                run++;
            if (edf->device.read(edf->device.context, entry->block, run, to) != 0)
                return EDF_IO;
        }
        n += run;
    }
    file->held = count;
    return EDF_OK;
}

/* Block `index` of the file in storage; after the last one, a new one of zeros if `add`. */
static int block(struct edf_file *file, u32 index, bool add, u8 **at)
{
    struct edf *edf = file->edf;
    int error;

    if (index >= file->tree.count) {
        u32 highest = is_v(file) ? records(file) : 0;

        if (!add)
            return EDF_DAMAGED;
        error = edf_tree_extend(&file->tree, index + 1);
        if (error != EDF_OK)
            return error;
        while (file->tree.count <= index)
            file->tree.entry[file->tree.count++] = (struct edf_entry){ .highest = highest, .displacement =
                EDF_CONTINUED };
        if (file->held > 0 && index == file->first + file->held && file->held < room(file)) {
            memset(file->window + (size_t)file->held * edf->size, 0, edf->size);
            file->held++;
        }
    }
    if (index < file->first || index >= file->first + file->held) {
        error = flush(file);
        if (error == EDF_OK)
            error = fill(file, index);
        if (error != EDF_OK)
            return error;
    }
    *at = file->window + (size_t)(index - file->first) * edf->size;
    return EDF_OK;
}

static void dirty(struct edf_file *file, u32 index)
{
    u32 n = index - file->first;

    if (file->dirty_from == file->dirty_to) {
        file->dirty_from = n;
        file->dirty_to = n + 1;
    }
    file->dirty_from = n < file->dirty_from ? n : file->dirty_from;
    file->dirty_to = n >= file->dirty_to ? n + 1 : file->dirty_to;
    file->changed = true;
}

/* Where bytes are if all of them are in storage, NULL if not. */
static u8 *held_at(struct edf_file *file, u32 index, u32 offset, u32 length)
{
    u32 n = index - file->first, at = n * file->edf->size + offset;

    return n < file->held && length <= file->held * file->edf->size - at ? file->window + at : NULL;
}

/* Copies bytes out of the file or, with `from`, into it, from a place on; the place moves along. */
static int transfer(struct edf_file *file, u32 *index, u32 *offset, u8 *to, const u8 *from, u32 length)
{
    u32 size = file->edf->size;

    while (length > 0) {
        u32 n = size - *offset < length ? size - *offset : length;
        u8 *at;
        int error = block(file, *index, from != NULL, &at);

        if (error != EDF_OK)
            return error;
        if (from != NULL) {
            memcpy(at + *offset, from, n);
            dirty(file, *index);
            from += n;
        } else if (to != NULL) {
            memcpy(to, at + *offset, n);
            to += n;
        }
        length -= n;
        *offset += n;
        if (*offset == size) {
            *offset = 0;
            ++*index;
        }
    }
    return EDF_OK;
}

/* No record is as long as 2 to the 31st, so 32 bits do. */
static void skip(const struct edf_file *file, u32 *index, u32 *offset, u32 length)
{
    u32 end = *offset + length;

    *index += end / file->edf->size;
    *offset = end % file->edf->size;
}

/* The length of the V record that begins at a place, which moves past the two bytes. */
static int record_length(struct edf_file *file, u32 *index, u32 *offset, u32 *length)
{
    u8 two[2];
    int error = transfer(file, index, offset, two, NULL, 2);

    *length = (u32)two[0] << 8 | two[1];
    /* None is longer than the longest that the file says it has. */
    return error == EDF_OK && (*length == 0 || *length > lrecl(file)) ? EDF_DAMAGED : error;
}

/* Finds where record `record` of a V file begins; the one after the last too. */
static int locate(struct edf_file *file, u32 record, u32 *index, u32 *offset)
{
    u32 at = file->at_record, low = 0, high = file->tree.count, wanted, length;
    int error;

    *index = file->at_block;
    *offset = file->at_offset;
    if (record != at) {
        wanted = record > records(file) ? records(file) : record;
        while (low < high) {
            u32 middle = (low + high) / 2;

            if (file->tree.entry[middle].highest < wanted)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == file->tree.count && wanted != 0)
            return EDF_DAMAGED;
        /* Going on from where it was is shorter in the same block. */
        if (record < at || *index != low || wanted == 0) {
            at = low == 0 ? 1 : file->tree.entry[low - 1].highest + 1;
            *index = low;
            *offset = wanted == 0 || low == 0 ? 0 : file->tree.entry[low].displacement;
            if (*offset >= file->edf->size)
                return EDF_DAMAGED;
        }
        for (; at < record; at++) {
            error = record_length(file, index, offset, &length);
            if (error != EDF_OK)
                return error;
            skip(file, index, offset, length);
        }
    }
    file->at_record = record;
    file->at_block = *index;
    file->at_offset = *offset;
    return EDF_OK;
}

/*
 * Reads record `record`, from 1; `length` is how long it is. Where all of it is in storage it is lent: `at` is there,
 * as long as nothing else is done with the file. Else as much as there is room for is copied, and `at` is `to`.
 */
int edf_lend(struct edf_file *file, u32 record, void *to, u32 room, const u8 **at, u32 *length)
{
    u32 index, offset, size = file->edf->size;
    int error = EDF_OK;

    *at = to;
    if (record == 0 || record > records(file))
        return EDF_END;
    if (!is_v(file)) {
        uint64_t byte = (uint64_t)(record - 1) * lrecl(file);
        const u8 *here;

        *length = lrecl(file);
        index = (u32)(byte / size);
        offset = (u32)(byte % size);
        here = held_at(file, index, offset, *length);
        if (here != NULL && index < file->tree.count) {
            *at = here;
            return EDF_OK;
        }
        return transfer(file, &index, &offset, to, NULL, *length < room ? *length : room);
    }
    index = file->at_block;
    offset = file->at_offset;
    if (record != file->at_record)
        error = locate(file, record, &index, &offset);
    if (error == EDF_OK) {
        const u8 *here = held_at(file, index, offset, 2);
        u32 whole = here == NULL ? 0 : 2 + ((u32)here[0] << 8 | here[1]);

        if (whole > 2 && whole - 2 <= lrecl(file) && held_at(file, index, offset, whole) != NULL) {
            *at = here + 2;
            *length = whole - 2;
            offset += whole;
            if (offset >= size)
                skip(file, &index, &offset, 0);
            file->at_record = record + 1;
            file->at_block = index;
            file->at_offset = offset;
            return EDF_OK;
        }
        error = record_length(file, &index, &offset, length);
    }
    if (error == EDF_OK) {
        u32 next_index = index, next_offset = offset;

        error = transfer(file, &index, &offset, to, NULL, *length < room ? *length : room);
        skip(file, &next_index, &next_offset, *length);
        file->at_record = record + 1;
        file->at_block = next_index;
        file->at_offset = next_offset;
    }
    return error;
}

/* The same, always copied: as much as there is room for. */
int edf_read(struct edf_file *file, u32 record, void *to, u32 room, u32 *length)
{
    const u8 *at;
    int error = edf_lend(file, record, to, room, &at, length);

    if (error == EDF_OK && at != to)
        memcpy(to, at, *length < room ? *length : room);
    return error;
}

/* Cuts a V file off in front of a place: blocks after it go, and zeros follow the last record. */
static int cut(struct edf_file *file, u32 record, u32 index, u32 offset)
{
    struct edf *edf = file->edf;
    u32 count = offset == 0 ? index : index + 1;
    u8 *at;
    int error = flush(file);

    if (error != EDF_OK)
        return error;
    while (file->tree.count > count) {
        const struct edf_entry *entry = &file->tree.entry[--file->tree.count];
        edf_release(edf, entry->block, entry->fresh);
    }
    file->held = 0;
    for (u32 n = file->tree.count; n > 0 && file->tree.entry[n - 1].highest >= record; n--) {
        struct edf_entry *entry = &file->tree.entry[n - 1];
        u32 before = n > 1 ? file->tree.entry[n - 2].highest : 0;

        entry->highest = record - 1;
        if (entry->highest == before)
            entry->displacement = offset;
    }
    edf_set_word(file->fst + FST_RECORDS, record - 1);
    file->changed = true;
    file->at_record = record;
    file->at_block = index;
    file->at_offset = offset;
    if (offset == 0)
        return EDF_OK;
    error = block(file, index, false, &at);
    if (error == EDF_OK) {
        memset(at + offset, 0, edf->size - offset);
        dirty(file, index);
    }
    return error;
}

/* Leaves the first `keep` records. */
int edf_truncate(struct edf_file *file, u32 keep)
{
    u32 index, offset, count;
    int error;

    if (keep >= records(file))
        return EDF_OK;
    if (is_v(file)) {
        error = locate(file, keep + 1, &index, &offset);
        return error == EDF_OK ? cut(file, keep + 1, index, offset) : error;
    }
    error = flush(file);
    if (error != EDF_OK)
        return error;
    edf_set_word(file->fst + FST_RECORDS, keep);
    count = edf_data_blocks(file->edf, file->fst);
    while (file->tree.count > count) {
        const struct edf_entry *entry = &file->tree.entry[--file->tree.count];
        edf_release(file->edf, entry->block, entry->fresh);
    }
    file->held = 0;
    file->changed = true;
    /* What is added later beyond the end has zeros before it. */
    offset = (u32)((uint64_t)keep * lrecl(file) % file->edf->size);
    if (offset != 0) {
        u8 *at;

        index = count - 1;
        error = block(file, index, false, &at);
        if (error == EDF_OK) {
            memset(at + offset, 0, file->edf->size - offset);
            dirty(file, index);
        }
    }
    return error;
}

static int write_v(struct edf_file *file, u32 record, const u8 *from, u32 length)
{
    u8 two[2] = { (u8)(length >> 8), (u8)length };
    u32 index, offset, old, begins, begins_at, length_left = length;
    int error;

    if (length == 0 || length > EDF_MOST_V || record > records(file) + 1)
        return EDF_LENGTH;
    error = locate(file, record, &index, &offset);
    if (error != EDF_OK)
        return error;
    begins = index;
    begins_at = offset;
    if (record <= records(file)) {
        error = record_length(file, &index, &offset, &old);
        if (error == EDF_OK && old == length) {
            error = transfer(file, &index, &offset, NULL, from, length);
            return error;
        }
        /* Of another length: what follows is no longer where it was, and goes. */
        if (error == EDF_OK)
            error = cut(file, record, begins, begins_at);
        if (error != EDF_OK)
            return error;
        index = begins;
        offset = begins_at;
    }
    if (index < file->tree.count && offset + 2 + length < file->edf->size &&
        held_at(file, index, offset, 2 + length) != NULL) {
        /* All of it lies in a block that is in storage. */
        u8 *here = held_at(file, index, offset, 2);

        memcpy(here, two, 2);
        memcpy(here + 2, from, length);
        dirty(file, index);
        offset += 2 + length;
        length_left = 0;
    } else {
        error = transfer(file, &index, &offset, NULL, two, 2);
        if (error != EDF_OK)
            return error;
    }
    /* The second byte of the length may lie in the next block, which then begins with a continuation. */
    struct edf_entry *entry = &file->tree.entry[begins];
    entry->highest = record;
    if (entry->displacement == EDF_CONTINUED)
        entry->displacement = begins_at;
    for (u32 n = begins + 1; n < file->tree.count; n++)
        file->tree.entry[n].highest = record;
    edf_set_word(file->fst + FST_RECORDS, record);
    error = transfer(file, &index, &offset, NULL, from, length_left);
    if (error != EDF_OK)
        return error;
    /*
     * Where the last record ends in a block that none begins in, the next would begin: others take the file's length
     * from that.
     */
    if (offset != 0 && file->tree.entry[index].displacement == EDF_CONTINUED)
        file->tree.entry[index].displacement = offset;
    if (length > lrecl(file))
        edf_set_word(file->fst + FST_LRECL, length);
    file->at_record = record + 1;
    file->at_block = index;
    file->at_offset = offset;
    return EDF_OK;
}

/*
 * Writes record `record`: over an old one, or after the last. The first record of an F file gives it its record length;
 * later ones must have it. An F file may be written beyond its end: the records between are zeros that take no block.
 */
int edf_write(struct edf_file *file, u32 record, const void *from, u32 length)
{
    u32 index, offset;
    uint64_t byte;
    int error;

    if (!file->output)
        return EDF_READ_ONLY;
    if (record == 0)
        return EDF_LENGTH;
    if (is_v(file))
        return write_v(file, record, from, length);
    if (records(file) == 0 && length > 0)
        edf_set_word(file->fst + FST_LRECL, length);
    if (length == 0 || length != lrecl(file) || record > 0x7fffffff)
        return EDF_LENGTH;
    byte = (uint64_t)(record - 1) * length;
    if ((byte + length - 1) / file->edf->size >= EDF_MOST_BLOCKS)
        return EDF_STORAGE;
    index = (u32)(byte / file->edf->size);
    offset = (u32)(byte % file->edf->size);
    error = transfer(file, &index, &offset, NULL, from, length);
    if (error == EDF_OK && record > records(file))
        edf_set_word(file->fst + FST_RECORDS, record);
    return error;
}

/* How many of a V file's records, `most` at most, lie in so many bytes and are shorter than `limit` together; these. */
static u32 whole_records(const struct edf_file *file, const u8 *at, u32 held, u32 limit, u32 most, u32 *bytes)
{
    u32 count = 0, longest = lrecl(file);

    held = held < limit ? held : limit - 1;
    for (*bytes = 0; count < most && *bytes + 2 <= held; count++) {
        u32 length = (u32)at[*bytes] << 8 | at[*bytes + 1];

        if (length == 0 || length > longest || 2 + length > held - *bytes)
            break;
        *bytes += 2 + length;
    }
    return count;
}

/* The records that lie in a block of both files: what is copied ends before the block of `to` does. */
static int copy_v(struct edf_file *from, u32 record, u32 most, struct edf_file *to, u32 *copied)
{
    u32 index, offset, to_index, to_offset, bytes, size = from->edf->size, last = records(to);
    struct edf_entry *entry;
    u8 *at, *there;
    int error;

    /* What is wrong is found again when the record is read by itself. */
    if (locate(from, record, &index, &offset) != EDF_OK)
        return EDF_OK;
    error = locate(to, last + 1, &to_index, &to_offset);
    if (error != EDF_OK)
        return error;
    at = held_at(from, index, offset, 2);
    there = held_at(to, to_index, to_offset, 1);
    if (at == NULL || there == NULL || to_index >= to->tree.count || to_index + 1 < to->tree.count)
        return EDF_OK;
    *copied = whole_records(from, at, (from->first + from->held - index) * size - offset, to->edf->size - to_offset,
                            most, &bytes);
    if (*copied == 0)
        return EDF_OK;
    memcpy(there, at, bytes);
    dirty(to, to_index);
    entry = &to->tree.entry[to_index];
    entry->highest = last + *copied;
    if (entry->displacement == EDF_CONTINUED)
        entry->displacement = to_offset;
    edf_set_word(to->fst + FST_RECORDS, last + *copied);
    if (lrecl(to) < lrecl(from))
        for (u32 n = 0; n < bytes;) {
            u32 length = (u32)there[n] << 8 | there[n + 1];

            if (length > lrecl(to))
                edf_set_word(to->fst + FST_LRECL, length);
            n += 2 + length;
        }
    to->at_record = last + *copied + 1;
    to->at_block = to_index;
    to->at_offset = to_offset + bytes;
    skip(from, &index, &offset, bytes);
    from->at_record = record + *copied;
    from->at_block = index;
    from->at_offset = offset;
    return EDF_OK;
}

static int copy_f(struct edf_file *from, u32 record, u32 most, struct edf_file *to, u32 *copied)
{
    u32 length = lrecl(from), size = from->edf->size, last = records(to), index, offset, held;
    uint64_t byte = (uint64_t)(record - 1) * length;
    u8 *at;
    int error;

    index = (u32)(byte / size);
    offset = (u32)(byte % size);
    at = length == lrecl(to) && index < from->tree.count ? held_at(from, index, offset, length) : NULL;
    if (at == NULL)
        return EDF_OK;
    held = ((from->first + from->held - index) * size - offset) / length;
    held = held < most ? held : most;
    byte = (uint64_t)last * length;
    if ((byte + (uint64_t)held * length) / to->edf->size >= EDF_MOST_BLOCKS || held > EDF_MOST_F - last)
        return EDF_OK;
    index = (u32)(byte / to->edf->size);
    offset = (u32)(byte % to->edf->size);
    error = transfer(to, &index, &offset, NULL, at, held * length);
    if (error == EDF_OK) {
        edf_set_word(to->fst + FST_RECORDS, last + held);
        *copied = held;
    }
    return error;
}

/*
 * Adds records of a file, from `record` on and `most` at most, to the end of another as they are. Only those that lie
 * together in storage are copied: how many, and none where the next is to be read and written by itself.
 */
int edf_copy(struct edf_file *from, u32 record, u32 most, struct edf_file *to, u32 *copied)
{
    u32 left;

    *copied = 0;
    if (!to->output || from == to || record == 0 || record > records(from) || is_v(from) != is_v(to))
        return EDF_OK;
    left = records(from) - record + 1;
    most = most < left ? most : left;
    left = EDF_MOST_F - records(to);
    most = most < left ? most : left;
    return is_v(from) ? copy_v(from, record, most, to, copied) : copy_f(from, record, most, to, copied);
}

/* The file is given up: what was written and not committed is free, and the committed file keeps all its blocks. */
void edf_abandon(struct edf_file *file)
{
    struct edf *edf = file->edf;
    struct edf_tree old;
    const u8 *fst;

    if (edf == NULL)
        return;
    if (file->output) {
        for (u32 n = 0; n < file->tree.count; n++)
            if (file->tree.entry[n].fresh)
                edf_release(edf, file->tree.entry[n].block, true);
        for (u32 n = 0; file->stored && n < file->tree.pointers; n++)
            edf_release(edf, file->tree.pointer[n], true);
        fst = edf_find(edf, file->fst + FST_NAME, file->fst + FST_TYPE);
        if (fst != NULL && file->changed && edf_tree_load(edf, &old, fst) == EDF_OK) {
            for (u32 n = 0; n < old.count; n++)
                edf_restore(edf, old.entry[n].block);
            for (u32 n = 0; n < old.pointers; n++)
                edf_restore(edf, old.pointer[n]);
            edf_tree_forget(&old);
        }
        edf->writers--;
    }
    edf_put(file->window);
    edf_tree_forget(&file->tree);
    file->edf = NULL;
}

/* Closes the file. Of an output file everything is on the disk then, once edf_commit() has been. */
int edf_close(struct edf_file *file)
{
    struct edf *edf = file->edf;
    int error = EDF_OK;
    u8 *old;

    if (edf == NULL)
        return EDF_OK;
    if (file->output && file->changed) {
        error = flush(file);
        if (error == EDF_OK) {
            file->stored = true;
            error = edf_tree_store(edf, &file->tree, file->fst);
        }
        if (error == EDF_OK) {
            edf_stamp(file->fst);
            old = edf_find(edf, file->fst + FST_NAME, file->fst + FST_TYPE);
            if (old != NULL && file->anew) {
                struct edf_tree tree;

                error = edf_tree_load(edf, &tree, old);
                if (error == EDF_OK)
                    edf_tree_release(edf, &tree);
                edf_tree_forget(&tree);
            }
            if (old != NULL && error == EDF_OK) {
                memcpy(old, file->fst, FST_LENGTH);
                edf_touched(edf, old);
            } else if (error == EDF_OK) {
                error = edf_add(edf, file->fst);
            }
        }
        if (error != EDF_OK) {
            edf_abandon(file);
            return error;
        }
    }
    edf->writers -= file->output;
    edf_put(file->window);
    edf_tree_forget(&file->tree);
    file->edf = NULL;
    return EDF_OK;
}
