/* COPYFILE (PACK and (UNPACK: files with runs of equal characters written short (lib/pack.c). */
#include "copyfile.h"

struct packed_output { struct packing *packing; struct output *out; };

static int put(void *with, const void *from, u32 length)
{
    struct packing *packing = ((struct packed_output *)with)->packing;
    struct output *out = ((struct packed_output *)with)->out;
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
    u8 header[PACK_HEADER];
    char text[24];

    /* A record's length has two bytes. */
    if (edf_word(fst + FST_LRECL) > EDF_MOST_V) {
        message("CPY", 32, 'E', show_id(&in->id, text));
        return RC_FORMAT;
    }

    out->file->file.fst[FST_RECFM] = EDF_F;
    edf_set_word(out->file->file.fst + FST_LRECL, PACKED_RECORD);
    packing->used = 0;
    pack_header(header, fst[FST_RECFM], edf_word(fst + FST_LRECL), edf_word(fst + FST_RECORDS));
    return put(&(struct packed_output){ packing, out }, header, sizeof header);
}

int pack_record(struct packing *packing, struct output *out, const char *record, u32 length)
{
    return pack_text(put, &(struct packed_output){ packing, out }, record, length);
}

int pack_end(struct packing *packing, struct output *out)
{
    static const u8 zeros[PACKED_RECORD];

    return packing->used == 0 ? 0 : put(&(struct packed_output){ packing, out }, zeros, PACKED_RECORD - packing->used);
}

/* The bytes of a packed file. */
struct source { struct reader *reader; u32 at; int code; };

static bool get(void *with, u8 *byte)
{
    struct source *source = with;

    if (source->at == source->reader->length) {
        if (!reader_next("CPY", source->reader, &source->code))
            return false;
        source->at = 0;
    }
    *byte = (u8)source->reader->record[source->at++];
    return true;
}

int unpack_file(struct reader *in, struct output *out)
{
    struct source source = { .reader = in };
    u8 header[PACK_HEADER];
    char text[24], *record = make_room(&out->record, EDF_MOST_V);
    u32 records = 0;
    bool good = in->file->file.fst[FST_RECFM] == EDF_F;

    for (u32 n = 0; n < PACK_HEADER && good; n++)
        good = get(&source, &header[n]);
    good = good && is_packed(header);
    if (good) {
        out->file->file.fst[FST_RECFM] = packed_recfm(header);
        edf_set_word(out->file->file.fst + FST_LRECL, packed_recfm(header) == EDF_F ? packed_lrecl(header) : 0);
        records = packed_records(header);
    }
    for (u32 n = 0; good && n < records; n++) {
        u32 length;
        int error;

        good = unpack_length(get, &source, &length) && length > 0 && unpack_text(get, &source, record, length);
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
