/*
 * MOVEFILE: records from what one FILEDEF says to what another does.
 */
#include "command.h"
#include "../nucleus/filedef.h"

struct end {
    struct filedef what;
    struct reader reader;
    struct open_file *file;
    u32 number;
};

static int unsupported(const struct end *end)
{
    message("MVE", 130, 'S', end->what.dd);
    return RC_IO;
}

/* Without a FILEDEF a name means the disk file FILE name A1. */
static void define(struct end *end, const name dd)
{
    const struct filedef *defined = filedef_find(dd);

    memset(end, 0, sizeof *end);
    if (defined != NULL) {
        end->what = *defined;
        return;
    }
    message("MVE", 708, 'I', dd, dd);
    memcpy(end->what.dd, dd, sizeof(name));
    memcpy(end->what.id.fn, "FILE    ", sizeof(name));
    memcpy(end->what.id.ft, dd, sizeof(name));
    memcpy(end->what.id.fm, "A1", 2);
}

static int open_input(struct end *in)
{
    struct disk *disk;
    u8 *fst;

    switch (in->what.device) {
    case ON_DISK:
        if (!find_file(&in->what.id, &disk, &fst)) {
            message("MVE", 73, 'E', in->what.dd);
            return RC_MISSING;
        }
        return reader_open("MVE", &in->reader, &in->what.id);
    case ON_TERMINAL:
        message("MVE", 706, 'I');
        return 0;
    case ON_READER:
    case ON_NOTHING:
        return 0;
    case ON_TAPE:
        return unsupported(in);
    default:
        message("MVE", 75, 'E', in->what.dd, "input");
        return 40;
    }
}

/* False at the end, or with an error in `code`. */
static bool take(struct end *in, char *record, u32 *length, int *code)
{
    switch (in->what.device) {
    case ON_DISK:
        if (!reader_next("MVE", &in->reader, code))
            return false;
        *length = in->reader.length;
        memcpy(record, in->reader.record, *length);
        break;
    case ON_TERMINAL:
        *length = read_line(record);
        if (*length == 0)
            return false;
        break;
    case ON_READER: {
        int result = unit_read(READER_UNIT, record, length);

        if (result != 0) {
            if (in->number == 0) {
                message("MVE", 125, 'E');
                *code = RC_MISSING;
            }
            return false;
        }
        break;
    }
    default:
        return false;
    }
    for (u32 n = 0; in->what.fold && n < *length; n++)
        record[n] = upper(record[n]);
    in->number++;
    return true;
}

static int open_output(struct end *out, const struct end *in)
{
    u32 lrecl = out->what.lrecl != 0 ? out->what.lrecl : in->what.device == ON_DISK ? edf_word(in->reader.file->file.fst + FST_LRECL) : 80;
    char recfm = out->what.recfm != 0 ? out->what.recfm : in->what.device == ON_DISK ? (char)in->reader.file->file.fst[FST_RECFM] : 'F';
    int error;

    switch (out->what.device) {
    case ON_DISK:
        error = file_open(&out->what.id, out->what.append ? EDF_UPDATE : EDF_NEW, &out->file);
        if (error != EDF_OK)
            return file_problem("MVE", error, &out->what.id, true);
        if (edf_word(out->file->file.fst + FST_RECORDS) == 0) {
            out->file->file.fst[FST_RECFM] = (u8)recfm;
            if (recfm == 'F')
                edf_set_word(out->file->file.fst + FST_LRECL, lrecl);
        }
        out->number = out->file->next_write - 1;
        return 0;
    case ON_TERMINAL:
    case ON_PRINTER:
    case ON_PUNCH:
    case ON_NOTHING:
        return 0;
    case ON_TAPE:
        return unsupported(out);
    default:
        message("MVE", 75, 'E', out->what.dd, "output");
        return 40;
    }
}

static int put(struct end *out, char *record, u32 length)
{
    u32 lrecl;
    int error = EDF_OK;

    out->number++;
    switch (out->what.device) {
    case ON_DISK:
        if (out->file->file.fst[FST_RECFM] == EDF_F) {
            lrecl = edf_word(out->file->file.fst + FST_LRECL);
            for (; length < lrecl; length++)
                record[length] = ' ';
            length = lrecl;
        } else if (length == 0) {
            record[length++] = ' ';
        }
        error = edf_write(&out->file->file, out->number, record, length);
        return error == EDF_OK ? 0 : file_problem("MVE", error, &out->what.id, true);
    case ON_TERMINAL:
        type_line(record, length < LINE_MOST ? length : LINE_MOST);
        return 0;
    case ON_PRINTER:
        error = unit_write(PRINT_UNIT, 0x09, record, length < 132 ? length : 132);
        break;
    case ON_PUNCH:
        error = unit_write(PUNCH_UNIT, 0x41, record, length < 80 ? length : 80);
        break;
    default:
        break;
    }
    if (error != 0) {
        message("MVE", 129, 'S', out->what.dd, out->number - 1);
        return RC_IO;
    }
    return 0;
}

static int close_ends(struct end *in, struct end *out, int code)
{
    int error;

    if (in->reader.file != NULL)
        reader_close(&in->reader);
    if (out->what.device == ON_PRINTER)
        unit_close(PRINT_UNIT, "", in->what.device == ON_DISK ? &in->what.id : NULL);
    if (out->what.device == ON_PUNCH)
        unit_close(PUNCH_UNIT, "", in->what.device == ON_DISK ? &in->what.id : NULL);
    if (out->file == NULL)
        return code;
    if (code != 0) {
        file_abandon(out->file);
        return code;
    }
    error = file_finish(out->file);
    return error == EDF_OK ? 0 : file_problem("MVE", error, &out->what.id, true);
}

int movefile_command(const struct call *call)
{
    static const name usual[2] = { "INMOVE  ", "OUTMOVE " };
    struct end in, out;
    u32 words = call->count, length = 0;
    char *record;
    int code;

    if (words > 3) {
        message("MVE", 70, 'E', call->token[3]);
        return RC_SYNTAX;
    }
    define(&in, words > 1 ? call->token[1] : usual[0]);
    define(&out, words > 2 ? call->token[2] : usual[1]);
    if (in.what.device == ON_DISK && out.what.device == ON_DISK && memcmp(&in.what.id, &out.what.id, sizeof in.what.id) == 0) {
        message("MVE", 41, 'E');
        return 40;
    }
    record = obtain_command(EDF_MOST_V + 1);
    code = open_input(&in);
    if (code == 0)
        code = open_output(&out, &in);
    while (code == 0 && take(&in, record, &length, &code)) {
        code = put(&out, record, length);
        attend();
    }
    release(record);
    return close_ends(&in, &out, code);
}
