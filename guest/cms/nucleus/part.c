/*
 * A part of the nucleus that is not resident: it is on the system disk, fn PART S2, and is loaded when it is wanted.
 *
 * It was linked with the nucleus (xtask), so it calls what the nucleus has. It stays in storage of the system's,
 * anywhere; what depends on the place is put right when it is loaded. The file is a head, the part as it lies in
 * storage with the head in front, then where words are that the place changes: addresses within the part, and with
 * RELATIVE distances, in halfwords, to the nucleus. Stamps say whether it is this nucleus that it was linked with.
 */
#include "cms.h"

enum { RELATIVE = 1, RECORD = 4096 };

struct head { char identifier[8]; u32 stamp[2], base, image, storage, words; };

struct part_place part_place;
extern const u32 nucleus_stamp[2];

static const char identifier[8] = "CMSPART1";

/* The whole file from `at` on; `length` is what it has. */
static int read_all(struct open_file *file, u8 *at, u32 records)
{
    u32 length;
    int error = EDF_OK;

    for (u32 n = 1; error == EDF_OK && n <= records; n++, at += RECORD)
        error = edf_read(&file->file, n, at, RECORD, &length);
    return error;
}

static void put_right(u8 *part, const struct head *head)
{
    const u32 *word = (const u32 *)(part + head->image);
    int by = (int)((u32)part - head->base);

    for (u32 n = 0; n < head->words; n++) {
        u8 *at = part + (word[n] & ~RELATIVE);
        u32 value;

        memcpy(&value, at, sizeof value);
        value = word[n] & RELATIVE ? value - (u32)(by / 2) : value + (u32)by;
        memcpy(at, &value, sizeof value);
    }
    memset(part + head->image, 0, head->storage - head->image);
}

const void *part_load(const char *fn)
{
    struct fileid id = { .ft = "PART    ", .fm = "S " };
    struct open_file *file;
    struct head head;
    u32 records, length;
    u8 *part = NULL;
    int error;

    if (part_place.size != 0)
        return (const void *)(part_place.first + sizeof head);
    pad(id.fn, sizeof id.fn, fn, (u32)strlen(fn));
    error = file_open(&id, EDF_READ, &file);
    if (error != EDF_OK) {
        (void)file_problem("PRT", error, &id, false);
        return NULL;
    }
    records = edf_word(file->file.fst + FST_RECORDS);
    error = edf_read(&file->file, 1, &head, sizeof head, &length);
    if (error == EDF_OK && (length < sizeof head || memcmp(head.identifier, identifier, sizeof identifier) != 0 ||
                            memcmp(head.stamp, nucleus_stamp, sizeof head.stamp) != 0)) {
        (void)file_finish(file);
        message("PRT", 700, 'E', fn);
        return NULL;
    }
    length = records * RECORD > head.storage ? records * RECORD : head.storage;
    if (error == EDF_OK)
        part = obtain_high_pages(length, OWNER_SYSTEM, 0);
    if (error == EDF_OK && part != NULL)
        error = read_all(file, part, records);
    (void)file_finish(file);
    if (error != EDF_OK || part == NULL) {
        if (part != NULL)
            (void)release_pages((u32)part);
        if (error != EDF_OK)
            (void)file_problem("PRT", error, &id, false);
        else
            message("PRT", 109, 'S');
        return NULL;
    }
    put_right(part, &head);
    part_place = (struct part_place){ (u32)part, length };
    return part + sizeof head;
}
