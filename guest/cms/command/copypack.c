/*
 * COPYFILE (PACK and (UNPACK: files with runs of equal characters written short.
 *
 * A packed file has records of 1024 bytes. What is in them, one behind the other, begins with "PACKED  ", the record format, three
 * zeros, the record length and the number of records; then each record: its length in two bytes, and pieces. A piece's
 * first byte, if it is less than 128, is one less than how many characters follow; else the next byte is one that stands there three
 * times, or as often more as the rest of the first byte says.
 */
#include "copyfile.h"

enum { PACKED_RECORD = 1024, HEADER = 20, RUN = 0x80, RUN_LEAST = 3, RUN_MOST = 0x7f + RUN_LEAST, PIECE_MOST = 0x80 };

static const char mark_text[] = "PACKED  ";

static int put(struct packing *packing, struct output *out, const void *from, u32 length)
{
    const u8 *bytes = from;

    for (u32 n = 0; n < length; n++) {
        packing->buffer[packing->used++] = bytes[n];
        if (packing->used == PACKED_RECORD) {
            int error = edf_write(&out->file->file, out->number++, packing->buffer, PACKED_RECORD);

            if (error != EDF_OK)
                return file_problem("CPY", error, &out->id, true);
            packing->used = 0;
        }
    }
    return 0;
}

int pack_begin(struct packing *packing, struct output *out, const struct reader *in)
{
    const u8 *fst = in->file->file.fst;
    u8 header[HEADER] = { 0 };
    char text[24];

    /* A record's length has two bytes. */
    if (edf_word(fst + FST_LRECL) > EDF_MOST_V) {
        message("CPY", 32, 'E', show_id(&in->id, text));
        return RC_FORMAT;
    }

    out->file->file.fst[FST_RECFM] = EDF_F;
    edf_set_word(out->file->file.fst + FST_LRECL, PACKED_RECORD);
    packing->used = 0;
    memcpy(header, mark_text, 8);
    header[8] = fst[FST_RECFM];
    memcpy(header + 12, fst + FST_LRECL, 4);
    memcpy(header + 16, fst + FST_RECORDS, 4);
    return put(packing, out, header, sizeof header);
}

static u32 run_of(const char *text, u32 at, u32 length)
{
    u32 n = 1;

    while (at + n < length && n < RUN_MOST && text[at + n] == text[at])
        n++;
    return n;
}

int pack_record(struct packing *packing, struct output *out, const char *record, u32 length)
{
    u8 size[2] = { (u8)(length >> 8), (u8)length };
    int code = put(packing, out, size, sizeof size);

    for (u32 at = 0; at < length && code == 0;) {
        u32 run = run_of(record, at, length), end = at;

        if (run >= RUN_LEAST) {
            u8 piece[2] = { (u8)(RUN | (run - RUN_LEAST)), (u8)record[at] };

            code = put(packing, out, piece, sizeof piece);
            at += run;
            continue;
        }
        while (end < length && end - at < PIECE_MOST && run_of(record, end, length) < RUN_LEAST)
            end++;
        u8 count = (u8)(end - at - 1);

        code = put(packing, out, &count, 1);
        if (code == 0)
            code = put(packing, out, record + at, end - at);
        at = end;
    }
    return code;
}

int pack_end(struct packing *packing, struct output *out)
{
    static const u8 zeros[PACKED_RECORD];

    return packing->used == 0 ? 0 : put(packing, out, zeros, PACKED_RECORD - packing->used);
}

/* The bytes of a packed file. */
struct source { struct reader *reader; u32 at; int code; };

static bool get(struct source *source, u8 *byte)
{
    if (source->at == source->reader->length) {
        if (!reader_next("CPY", source->reader, &source->code))
            return false;
        source->at = 0;
    }
    *byte = (u8)source->reader->record[source->at++];
    return true;
}

static bool get_all(struct source *source, u8 *to, u32 length)
{
    while (length-- > 0)
        if (!get(source, to++))
            return false;
    return true;
}

/* A record's pieces. */
static bool unpack_record(struct source *source, char *to, u32 length)
{
    u32 at = 0;
    u8 count;

    while (at < length) {
        if (!get(source, &count))
            return false;
        if (count & RUN) {
            u32 run = (count & 0x7fu) + RUN_LEAST;
            u8 byte;

            if (run > length - at || !get(source, &byte))
                return false;
            memset(to + at, byte, run);
            at += run;
        } else {
            if (count + 1u > length - at || !get_all(source, (u8 *)to + at, count + 1u))
                return false;
            at += count + 1u;
        }
    }
    return true;
}

int unpack_file(struct reader *in, struct output *out)
{
    struct source source = { .reader = in };
    u8 header[HEADER], size[2];
    char text[24], *record = make_room(&out->record, EDF_MOST_V);
    u32 records = 0;
    bool good = in->file->file.fst[FST_RECFM] == EDF_F && get_all(&source, header, sizeof header) && memcmp(header, mark_text, 8) == 0 &&
                (header[8] == EDF_F || header[8] == EDF_V);

    if (good) {
        out->file->file.fst[FST_RECFM] = header[8];
        edf_set_word(out->file->file.fst + FST_LRECL, header[8] == EDF_F ? edf_word(header + 12) : 0);
        records = edf_word(header + 16);
    }
    for (u32 n = 0; good && n < records; n++) {
        u32 length;
        int error;

        good = get_all(&source, size, sizeof size);
        length = (u32)size[0] << 8 | size[1];
        good = good && length > 0 && unpack_record(&source, record, length);
        if (!good)
            break;
        error = edf_write(&out->file->file, out->number++, record, length);
        if (error != EDF_OK && error != EDF_LENGTH)
            return file_problem("CPY", error, &out->id, true);
        good = error == EDF_OK;
    }
    if (good)
        return 0;
    if (source.code != 0)
        return source.code;
    message("CPY", 68, 'E', show_id(&in->id, text));
    return RC_FORMAT;
}
