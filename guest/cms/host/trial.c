/*
 * Trials of the file system: random work, compared with a model that keeps every record in plain storage.
 *
 * With kills, each commit is done again on a copy of the disk for every number of writes that could arrive before the
 * power fails, from none to all. Each time the disk must pass the checker, and be the one before or the one after.
 */
#include "edfdisk.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int disk_read(void *context, u32 block, u32 count, void *to)
{
    struct memory *memory = context;

    if (block == 0 || block > memory->blocks || count > memory->blocks - block + 1)
        return 1;
    memcpy(to, memory->bytes + (size_t)(block - 1) * memory->size, (size_t)count * memory->size);
    return 0;
}

static int disk_write(void *context, u32 block, u32 count, const void *from)
{
    struct memory *memory = context;

    if (block == 0 || block > memory->blocks || count > memory->blocks - block + 1)
        return 1;
    for (u32 n = 0; n < count; n++) {
        if (memory->limit != 0 && memory->writes >= memory->limit)
            return 0;
        memory->writes++;
        memcpy(memory->bytes + (size_t)(block - 1 + n) * memory->size, (const u8 *)from + (size_t)n * memory->size,
               memory->size);
    }
    return 0;
}

struct edf_device memory_device(struct memory *memory)
{
    return (struct edf_device){
        .context = memory, .size = memory->size, .fixed = memory->fixed, .read = disk_read, .write = disk_write
    };
}

static u32 state;

static u32 chance(u32 below)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % below;
}

/* The model: what the disk must hold. */
enum { FILES = 12, MOST = 400 };

struct model_file {
    bool there;
    u8 recfm;
    u32 lrecl, records;
    struct { u8 *data; u32 length; } record[MOST];
};

struct model { struct model_file file[FILES]; };

static void name(u32 n, u8 id[8])
{
    memset(id, 0x40, 8);
    id[0] = 0xc6;
    id[1] = (u8)(0xf0 + n / 10);
    id[2] = (u8)(0xf0 + n % 10);
}

static void set(struct model_file *file, u32 n, const u8 *data, u32 length)
{
    file->record[n].data = realloc(file->record[n].data, length + 1);
    memcpy(file->record[n].data, data, length);
    file->record[n].length = length;
}

static void copy_model(struct model *to, const struct model *from)
{
    for (u32 n = 0; n < FILES; n++) {
        const struct model_file *f = &from->file[n];

        to->file[n].there = f->there;
        to->file[n].recfm = f->recfm;
        to->file[n].lrecl = f->lrecl;
        to->file[n].records = f->records;
        for (u32 k = 0; k < f->records; k++)
            set(&to->file[n], k, f->record[k].data, f->record[k].length);
    }
}

/* Whether the disk is what the model says; `say` if it must be. */
static bool agrees(struct edf *edf, const struct model *model, bool say)
{
    static u8 got[EDF_MOST_V];
    u8 id[8];

    for (u32 n = 0; n < FILES; n++) {
        const struct model_file *f = &model->file[n];
        struct edf_file file;
        u32 length;
        bool same = true;
        int error;

        name(n, id);
        error = edf_open(edf, &file, id, id, EDF_READ);
        if ((error == EDF_OK) != f->there) {
            if (error == EDF_OK)
                edf_close(&file);
            if (say)
                printf("file %u: error %d, and the model has %d\n", n, error, f->there);
            return false;
        }
        if (error != EDF_OK)
            continue;
        same = edf_word(file.fst + FST_RECORDS) == f->records && file.fst[FST_RECFM] == f->recfm;
        /* Now forward, now backward, now anywhere. */
        u32 order = chance(3);
        for (u32 k = 0; same && k < f->records; k++) {
            u32 which = order == 0 ? k : order == 1 ? f->records - 1 - k : chance(f->records);

            error = edf_read(&file, which + 1, got, sizeof got, &length);
            same = error == EDF_OK && length == f->record[which].length &&
                memcmp(got, f->record[which].data, length) == 0;
            if (!same && say)
                printf("file %u record %u: error %d length %u, not %u\n", n, which + 1, error, length,
                       f->record[which].length);
        }
        if (same && edf_read(&file, f->records + 1, got, sizeof got, &length) != EDF_END)
            same = false;
        edf_close(&file);
        if (!same) {
            if (say)
                printf("file %u is another (%u records, not %u)\n", n, edf_word(file.fst + FST_RECORDS), f->records);
            return false;
        }
    }
    return true;
}

/* Adds records of another file of that kind, several at once where that is possible. */
static int copy_some(struct edf *edf, const struct model *model, struct model_file *f, struct edf_file *file)
{
    static u8 data[EDF_MOST_V];
    u32 n = chance(FILES), length, copied;
    const struct model_file *other = &model->file[n];
    struct edf_file from;
    u8 id[8];
    int error;

    name(n, id);
    if (other == f || !other->there || other->records == 0 || other->recfm != f->recfm ||
        (f->recfm == EDF_F && other->lrecl != f->lrecl))
        return EDF_OK;
    error = edf_open(edf, &from, id, id, EDF_READ);
    if (error != EDF_OK)
        return error;
    for (u32 at = chance(other->records), most = chance(100) + 1;
         error == EDF_OK && at < other->records && most > 0 && f->records < MOST - 20; at += copied, most -= copied) {
        u32 room = MOST - 20 - f->records;

        error = edf_copy(&from, at + 1, most < room ? most : room, file, &copied);
        if (error == EDF_OK && copied == 0) {
            copied = 1;
            error = edf_read(&from, at + 1, data, sizeof data, &length);
            if (error == EDF_OK)
                error = edf_write(file, f->records + 1, data, length);
        }
        for (u32 k = 0; error == EDF_OK && k < copied; k++, f->records++)
            set(f, f->records, other->record[at + k].data, other->record[at + k].length);
    }
    edf_close(&from);
    return error;
}

/* One random change, to the disk and to the model. */
static int change(struct edf *edf, struct model *model)
{
    static u8 data[EDF_MOST_V];
    u32 n = chance(FILES);
    struct model_file *f = &model->file[n];
    struct edf_file file;
    u8 id[8];
    int error;

    name(n, id);
    if (f->there && chance(6) == 0) {
        f->there = false;
        f->records = 0;
        return edf_erase(edf, id, id);
    }
    bool anew = !f->there || chance(4) == 0;
    error = edf_open(edf, &file, id, id, anew ? EDF_NEW : EDF_UPDATE);
    if (error != EDF_OK)
        return error;
    if (anew) {
        *f = (struct model_file){ .there = true, .recfm = chance(2) ? EDF_F : EDF_V };
        f->lrecl = 1 + chance(chance(3) ? 200 : 2 * edf->size);
        file.fst[FST_RECFM] = f->recfm;
    }
    if (f->records > 1 && chance(5) == 0) {
        u32 keep = chance(f->records - 1) + 1;

        error = edf_truncate(&file, keep);
        f->records = keep;
    }
    for (u32 count = chance(chance(4) ? 30 : 200) + 1; error == EDF_OK && count > 0 && f->records < MOST - 20;
         count--) {
        u32 at = f->records, length = f->lrecl;

        if (f->recfm == EDF_V)
            length = 1 + chance(chance(20) ? f->lrecl : f->lrecl * 4);
        if (f->records > 0 && chance(4) == 0) {
            at = chance(f->records);
            if (f->recfm == EDF_V && chance(4))
                length = f->record[at].length;
        } else if (f->recfm == EDF_F && f->records > 0 && chance(8) == 0) {
            at += chance(18);
        }
        if (length > EDF_MOST_V)
            length = EDF_MOST_V;
        for (u32 k = 0; k < length; k++)
            data[k] = (u8)chance(256);
        error = edf_write(&file, at + 1, data, length);
        if (error != EDF_OK)
            break;
        if (f->recfm == EDF_V && at < f->records && length != f->record[at].length)
            f->records = at + 1;
        static const u8 zeros[EDF_MOST_V];
        for (; f->records < at; f->records++)
            set(f, f->records, zeros, f->lrecl);
        set(f, at, data, length);
        if (at == f->records)
            f->records++;
    }
    if (error == EDF_OK && chance(3) == 0)
        error = copy_some(edf, model, f, &file);
    if (error != EDF_OK) {
        edf_abandon(&file);
        return error;
    }
    return edf_close(&file);
}

static bool sound(struct memory *memory, const struct model *before, const struct model *after)
{
    struct edf_device device = memory_device(memory);
    struct edf edf;
    int error = edf_open_disk(&edf, &device, false);
    bool good;

    if (error != EDF_OK) {
        printf("the disk cannot be opened: %d\n", error);
        return false;
    }
    good = edf_check(&edf, tell_wrong) == 0;
    if (good && !agrees(&edf, after, before == NULL))
        good = before != NULL && agrees(&edf, before, true);
    edf_close_disk(&edf);
    return good;
}

/* Does one step on a copy of the disk of which only the first `limit` writes arrive. */
static bool killed(const struct memory *base, u32 limit, u32 seed, const struct model *before,
                   const struct model *after)
{
    struct memory copy = { .blocks = base->blocks, .size = base->size, .limit = limit };
    struct edf_device device = memory_device(&copy);
    struct model scratch = { 0 };
    struct edf edf;
    bool good;

    copy.bytes = malloc((size_t)copy.blocks * copy.size);
    memcpy(copy.bytes, base->bytes, (size_t)copy.blocks * copy.size);
    copy_model(&scratch, before);
    state = seed;
    if (edf_open_disk(&edf, &device, true) == EDF_OK) {
        (void)change(&edf, &scratch);
        (void)edf_commit(&edf);
        edf_close_disk(&edf);
    }
    copy.limit = 0;
    good = sound(&copy, before, after);
    free(copy.bytes);
    return good;
}

int trial(u32 size, u32 seed, u32 steps, bool kills)
{
    struct memory memory = { .blocks = seed % 7 == 0 ? 60 : 1200 + seed % 7 * (size == 512 ? 1500 : 100), .size =
        size };
    struct edf_device device = memory_device(&memory);
    static struct model model, before;
    static const u8 label[6] = { 0xe3, 0xd9, 0xc9, 0xc1, 0xd3, 0x40 };
    u32 cuts = 0, full = 0;

    memory.bytes = calloc(memory.blocks, size);
    if (edf_format(&device, memory.blocks, 1, 1, label) != EDF_OK)
        return 1;
    for (u32 step = 0; step < steps; step++) {
        struct memory old = { .blocks = memory.blocks, .size = size };
        struct edf edf;
        u32 step_seed = seed * 2654435761u + step * 40503u + 1;
        bool filled = false;
        int error;

        old.bytes = malloc((size_t)memory.blocks * size);
        memcpy(old.bytes, memory.bytes, (size_t)memory.blocks * size);
        copy_model(&before, &model);
        state = step_seed;
        memory.writes = 0;
        error = edf_open_disk(&edf, &device, true);
        if (error == EDF_OK)
            error = change(&edf, &model);
        if (error == EDF_FULL) {
            /* The change is undone, and files can still be erased. */
            full++;
            filled = true;
            copy_model(&model, &before);
            for (u32 n = 0; n < FILES; n++) {
                u8 id[8];

                name(n, id);
                if (model.file[n].there && chance(2) == 0 && edf_erase(&edf, id, id) == EDF_OK)
                    model.file[n].there = false, model.file[n].records = 0;
            }
            error = EDF_OK;
        }
        if (error == EDF_OK)
            error = edf_commit(&edf);
        u32 writes = memory.writes;
        edf_close_disk(&edf);
        if (error != EDF_OK || !sound(&memory, NULL, &model)) {
            printf("block size %u, seed %u, step %u: error %d\n", size, seed, step, error);
            return 1;
        }
        for (u32 limit = 1; kills && !filled && limit <= writes; limit++, cuts++)
            if (!killed(&old, limit, step_seed, &before, &model)) {
                printf("block size %u, seed %u, step %u, cut after write %u of %u\n", size, seed, step, limit, writes);
                return 1;
            }
        free(old.bytes);
    }
    printf("%u steps, %u kills, %u times full\n", steps, cuts, full);
    return 0;
}

/* Damages a disk at random places and reads everything on it. */
int scribble(u32 size, u32 seed, u32 rounds)
{
    struct memory memory = { .blocks = 600, .size = size };
    struct edf_device device = memory_device(&memory);
    static struct model model;
    static const u8 label[6] = { 0xe3, 0xd9, 0xc9, 0xc1, 0xd3, 0x40 };
    static u8 record[EDF_MOST_V];
    struct edf edf;
    u32 opened = 0;
    u8 *good;

    memory.bytes = calloc(memory.blocks, size);
    state = seed * 2654435761u + 1;
    if (edf_format(&device, memory.blocks, 1, 1, label) != EDF_OK || edf_open_disk(&edf, &device, true) != EDF_OK)
        return 1;
    for (u32 n = 0; n < 20; n++)
        (void)change(&edf, &model);
    if (edf_commit(&edf) != EDF_OK)
        return 1;
    edf_close_disk(&edf);
    good = malloc((size_t)memory.blocks * size);
    memcpy(good, memory.bytes, (size_t)memory.blocks * size);
    for (u32 round = 0; round < rounds; round++) {
        memcpy(memory.bytes, good, (size_t)memory.blocks * size);
        for (u32 n = chance(20) + 1; n > 0; n--) {
            /* Where it hurts: label, directory, map, and the pointers wherever they are. */
            u32 block = chance(2) ? 2 + chance(6) : chance(memory.blocks);

            memory.bytes[(size_t)block * size + chance(chance(2) ? size : 256)] = (u8)chance(256);
        }
        if (edf_open_disk(&edf, &device, true) != EDF_OK)
            continue;
        opened++;
        const u8 *fst;
        for (u32 n = 0; n < 100 && (fst = edf_entry(&edf, n)) != NULL; n++) {
            struct edf_file file;
            u32 length;

            if (edf_open(&edf, &file, fst, fst + 8, EDF_READ) != EDF_OK)
                continue;
            for (u32 k = 1; k < 2000 && edf_read(&file, k, record, sizeof record, &length) == EDF_OK; k++)
                ;
            edf_close(&file);
        }
        edf_close_disk(&edf);
    }
    printf("%u rounds, %u disks could be opened\n", rounds, opened);
    return 0;
}
