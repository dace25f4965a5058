/*
 * A file as a row of blocks: TAPE DUMP, DISK DUMP.
 *
 * A block is five bytes (X'02', C'CMS ') and some of the file's bytes, filled with zeros. The records follow one
 * another; those of V files have their length before them. After the last comes a block of X'02' C'CMSN' and the file's
 * FST. So the name comes last, and a program that reads keeps the data in a work file until then. The first 40 bytes of
 * an FST are what older systems have for one; theirs are read, too.
 */
#include "command.h"

/* What a short block has of an FST: the older form, and where that has nothing, the number of records. */
enum { OLDER = 40, SHORT = OLDER + 4 };

static int write_block(struct dump *dump, char kind, u32 used)
{
    memcpy(dump->block, "\x02" "CMS", 4);
    dump->block[4] = (u8)kind;
    memset(dump->block + DUMP_HEAD + used, 0, dump->size - used);
    return dump->write(dump->with, dump->block, dump->size + DUMP_HEAD);
}

static int fill(struct dump *dump, const void *from, u32 length)
{
    const u8 *at = from;
    int code = 0;

    while (length > 0 && code == 0) {
        u32 room = dump->size - dump->used, n = room < length ? room : length;

        memcpy(dump->block + DUMP_HEAD + dump->used, at, n);
        dump->used += n;
        at += n;
        length -= n;
        if (dump->used == dump->size) {
            code = write_block(dump, ' ', dump->used);
            dump->used = 0;
        }
    }
    return code;
}

/* Writes a file; `id` is then where it was found. */
int dump_out(const char *module, struct dump *dump, struct fileid *id)
{
    struct reader reader;
    u8 fst[FST_LENGTH];
    u32 records, length = dump->size < FST_LENGTH ? SHORT : FST_LENGTH;
    int code = reader_open(module, &reader, id);

    if (code != 0)
        return code;
    dump->used = 0;
    memcpy(fst, reader.file->file.fst, sizeof fst);
    while (code == 0 && reader_next(module, &reader, &code)) {
        u8 two[2] = { (u8)(reader.length >> 8), (u8)reader.length };

        if (fst[FST_RECFM] == EDF_V)
            code = fill(dump, two, 2);
        if (code == 0)
            code = fill(dump, reader.record, reader.length);
    }
    if (code == 0 && dump->used > 0)
        code = write_block(dump, ' ', dump->used);
    *id = reader.id;
    fst[FST_MODE] = (u8)id->fm[0];
    /* What only the older form has. */
    records = edf_word(fst + FST_RECORDS);
    fst[FST_COUNT16] = records > 65535 ? 0xff : (u8)(records >> 8);
    fst[FST_COUNT16 + 1] = records > 65535 ? 0xff : (u8)records;
    reader_close(&reader);
    if (length == SHORT)
        edf_set_word(fst + FST_FOP, records);
    if (code == 0) {
        memcpy(dump->block + DUMP_HEAD, fst, length);
        code = write_block(dump, 'N', length);
    }
    return code;
}

bool dump_is(const u8 *block, u32 length) { return length > DUMP_HEAD && memcmp(block, "\x02" "CMS", 4) == 0; }

/* What a file's last block says; false: it makes no sense. */
bool dump_end(const u8 *block, u32 length, u8 fst[FST_LENGTH], struct fileid *id)
{
    static const u8 zeros[FST_LENGTH - FST_FOP - 4];
    u32 all = length - DUMP_HEAD < FST_LENGTH ? length - DUMP_HEAD : FST_LENGTH;

    memset(fst, 0, FST_LENGTH);
    memcpy(fst, block + DUMP_HEAD, all < FST_LENGTH && all > SHORT ? SHORT : all);
    /* An older one: the rest is made. */
    if (memcmp(fst + FST_FOP + 4, zeros, sizeof zeros) == 0) {
        u32 records = edf_word(fst + FST_FOP);

        edf_set_word(fst + FST_RECORDS, records != 0 ? records : (u32)fst[FST_COUNT16] << 8 | fst[FST_COUNT16 + 1]);
        fst[FST_STAMP] = (u8)(fst[FST_YEAR] << 4 | (fst[FST_YEAR + 1] & 15));
        memcpy(fst + FST_STAMP + 1, fst + FST_MMDD, 2);
        memcpy(fst + FST_STAMP + 3, fst + FST_HHMM, 2);
    }
    memcpy(id->fn, fst + FST_NAME, 8);
    memcpy(id->ft, fst + FST_TYPE, 8);
    memcpy(id->fm, fst + FST_MODE, 2);
    return legal_name(id->fn) && legal_name(id->ft) && (fst[FST_RECFM] == EDF_F || fst[FST_RECFM] == EDF_V) &&
        is_digit(id->fm[1]);
}

static int take(struct kept *kept, void *to, u32 length)
{
    u8 *into = to;

    /* A file of which only the last block is there. */
    if (kept->file == NULL)
        return EDF_END;
    while (length > 0) {
        u32 number = kept->at / kept->size + 1, offset = kept->at % kept->size, got;
        u32 n = kept->size - offset < length ? kept->size - offset : length;

        if (number > kept->blocks)
            return EDF_END;
        if (kept->held != number) {
            int error = edf_read(&kept->file->file, number, kept->block, kept->size, &got);

            if (error != EDF_OK)
                return error;
            kept->held = number;
        }
        memcpy(into, kept->block + offset, n);
        into += n;
        kept->at += n;
        length -= n;
    }
    return EDF_OK;
}

/* Gives a file that was just written the date of another. */
int give_stamp(const struct fileid *id, const u8 flags, const u8 stamp[6])
{
    struct disk *disk = disk_at(id->fm[0]);
    u8 *fst = disk == NULL ? NULL : edf_find(&disk->edf, (const u8 *)id->fn, (const u8 *)id->ft);

    if (fst == NULL || stamp[1] == 0)
        return EDF_OK;
    fst[FST_FLAGS] = (u8)((fst[FST_FLAGS] & ~FST_CENTURY_FLAG) | (flags & FST_CENTURY_FLAG));
    memcpy(fst + FST_STAMP, stamp, 6);
    edf_touched(&disk->edf, fst);
    return edf_commit(&disk->edf);
}

/* The data that were kept become the file. */
int dump_store(const char *module, struct kept *kept, const u8 *fst, const struct fileid *id)
{
    u32 records = edf_word(fst + FST_RECORDS), length = edf_word(fst + FST_LRECL);
    struct open_file *out;
    u8 *record;
    char text[24];
    int error = file_open(id, EDF_NEW, &out);

    if (error != EDF_OK)
        return file_problem(module, error, id, true);
    record = obtain_command(length > EDF_MOST_V ? length : EDF_MOST_V);
    out->file.fst[FST_RECFM] = fst[FST_RECFM];
    for (u32 n = 1; n <= records && error == EDF_OK; n++) {
        u8 two[2];

        if (fst[FST_RECFM] == EDF_V) {
            error = take(kept, two, 2);
            length = (u32)two[0] << 8 | two[1];
        }
        if (error == EDF_OK)
            error = take(kept, record, length);
        if (error == EDF_OK)
            error = edf_write(&out->file, n, record, length);
        attend();
    }
    release(record);
    if (error == EDF_END) {
        file_abandon(out);
        message(module, 96, 'E', show_id(id, text));
        return RC_FORMAT;
    }
    if (error != EDF_OK) {
        file_abandon(out);
        return file_problem(module, error, id, true);
    }
    error = file_finish(out);
    if (error == EDF_OK)
        error = give_stamp(id, fst[FST_FLAGS], fst + FST_STAMP);
    return file_problem(module, error, id, true);
}

/* The bytes of a block, in a work file of fixed records. */
int dump_keep(const char *module, struct kept *kept, const void *from, u32 length, char mode)
{
    struct fileid id = { "DUMP    ", "CMSUT1  ", "A1" };
    int error = EDF_OK;

    id.fm[0] = mode;
    if (kept->file == NULL) {
        error = file_open(&id, EDF_NEW, &kept->file);
        if (error == EDF_OK)
            kept->file->file.fst[FST_RECFM] = EDF_F;
        kept->size = length;
        kept->block = obtain_command(kept->size);
    }
    if (error == EDF_OK && length != kept->size)
        error = EDF_LENGTH;
    if (error == EDF_OK)
        error = edf_write(&kept->file->file, ++kept->blocks, from, kept->size);
    return file_problem(module, error, &id, true);
}

void dump_forget(struct kept *kept)
{
    if (kept->file != NULL)
        file_abandon(kept->file);
    if (kept->block != NULL)
        release(kept->block);
    memset(kept, 0, sizeof *kept);
}
