/* Packed files: those that COPYFILE (PACK makes are edited as what they stand for, and written so again. */
#include "xedit.h"
#include "../lib/pack.h"

struct source { struct edf_file *file; u32 number, at, have; u8 record[PACKED_RECORD]; };

static bool get(void *with, u8 *byte)
{
    struct source *source = with;

    if (source->at == source->have) {
        u32 length;

        if (edf_read(source->file, ++source->number, source->record, sizeof source->record, &length) != EDF_OK)
            return false;
        source->have = length < sizeof source->record ? length : (u32)sizeof source->record;
        source->at = 0;
    }
    *byte = source->record[source->at++];
    return true;
}

/* Whether the file is packed; its record format and length are those of what it stands for then. */
bool packed_file(struct edf_file *file, u8 *recfm, u32 *lrecl, u32 *records)
{
    u8 header[PACK_HEADER];
    u32 length;

    if (file->fst[FST_RECFM] != EDF_F || edf_word(file->fst + FST_LRECL) != PACKED_RECORD ||
        edf_read(file, 1, header, sizeof header, &length) != EDF_OK || length < sizeof header || !is_packed(header))
        return false;
    *recfm = packed_recfm(header);
    *lrecl = packed_lrecl(header);
    *records = packed_records(header);
    return true;
}

/* All records, at the end of the lines; an EDF error. */
int packed_read(struct text *to, struct edf_file *file, u32 records)
{
    struct source *source = obtain(sizeof *source, OWNER_SYSTEM);
    char *record = obtain(PACK_LENGTH_MOST + 1, OWNER_SYSTEM);
    int error = source == NULL || record == NULL ? EDF_STORAGE : EDF_OK;
    u32 length;
    u8 byte;

    if (source != NULL)
        memset(source, 0, sizeof *source), source->file = file;
    for (u32 n = 0; n < PACK_HEADER && error == EDF_OK; n++)
        error = get(source, &byte) ? EDF_OK : EDF_DAMAGED;
    for (u32 n = 0; n < records && error == EDF_OK; n++) {
        if (!unpack_length(get, source, &length) || !unpack_text(get, source, record, length))
            error = EDF_DAMAGED;
        else if (!text_append(to, record, length_of(record, length)))
            error = EDF_STORAGE;
    }
    release(source);
    release(record);
    return error;
}

static int put(void *with, const void *from, u32 length)
{
    struct packed_output *out = with;
    const u8 *bytes = from;
    int error = EDF_OK;

    for (u32 n = 0; n < length && error == EDF_OK; n++) {
        out->record[out->used++] = (char)bytes[n];
        if (out->used == PACKED_RECORD) {
            error = edf_write(out->file, out->number++, out->record, PACKED_RECORD);
            out->used = 0;
        }
    }
    return error;
}

/* A new packed file of so many records. */
int packed_begin(struct packed_output *out, struct edf_file *file, u8 recfm, u32 lrecl, u32 records)
{
    u8 header[PACK_HEADER];

    memset(out, 0, sizeof *out);
    out->file = file;
    out->number = 1;
    file->fst[FST_RECFM] = EDF_F;
    edf_set_word(file->fst + FST_LRECL, PACKED_RECORD);
    pack_header(header, recfm, lrecl, records);
    return put(out, header, sizeof header);
}

int packed_record(struct packed_output *out, const char *record, u32 length)
{
    return pack_text(put, out, record, length);
}

int packed_end(struct packed_output *out)
{
    static const u8 zeros[PACKED_RECORD];

    return out->used == 0 ? EDF_OK : put(out, zeros, PACKED_RECORD - out->used);
}

int pack_set(struct view *view, struct words *words)
{
    bool packed = view->file->s.packed;
    int code = switch_word(words, &packed);

    if (code == 0 && packed != view->file->s.packed) {
        view->file->s.packed = packed;
        altered(view);
    }
    return code;
}

void pack_values(struct view *view, struct asked *asked) { give_switch(asked, view->file->s.packed); }
