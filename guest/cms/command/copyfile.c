/*
 * COPYFILE: files copied, joined, appended to and changed on the way.
 *
 * The last file identifier is the output, = in it stands for the part of the input. With * in the input and = in the
 * output every file is copied to one of its own; otherwise all go, one after the other, into one. The output takes the
 * place of a file of its name when it is complete.
 */
#include "copyfile.h"

enum { INPUTS_MOST = 2000 };

struct input { struct fileid id; };

static bool has_equals(const struct fileid *id)
{
    return id->fn[0] == '=' || id->ft[0] == '=';
}

static void resolve(const struct fileid *out, const struct fileid *in, struct fileid *made)
{
    *made = *out;
    if (out->fn[0] == '=')
        memcpy(made->fn, in->fn, 8);
    if (out->ft[0] == '=')
        memcpy(made->ft, in->ft, 8);
    if (out->fm[0] == '=')
        made->fm[0] = in->fm[0];
    if (out->fm[1] == '=' || out->fm[1] == ' ')
        made->fm[1] = in->fm[1];
}

static bool same_label(const struct reader *reader, const name label)
{
    u32 length = label[0] == ' ' ? 0 : name_length(label);

    return length > 0 && reader->length >= length && memcmp(reader->record, label, length) == 0;
}

static int begin(const struct copy *copy, struct output *out, const struct reader *in)
{
    bool add = copy->how == APPEND || copy->how == OVERLAY;
    int error = file_open(&out->id, add ? EDF_UPDATE : EDF_NEW, &out->file);
    u8 *fst;

    if (error != EDF_OK)
        return file_problem("CPY", error, &out->id, true);
    fst = out->file->file.fst;
    if (edf_word(fst + FST_RECORDS) == 0) {
        fst[FST_RECFM] = copy->recfm != 0 ? (u8)copy->recfm : in->file->file.fst[FST_RECFM];
        if (fst[FST_RECFM] == EDF_F)
            edf_set_word(fst + FST_LRECL, copy->lrecl != 0 ? copy->lrecl : edf_word(in->file->file.fst + FST_LRECL));
    }
    out->number = copy->how == APPEND ? out->file->next_write : 1;
    out->begun = true;
    return 0;
}

/* Whether records are written as they are read. */
static bool keeps_records(const struct copy *copy)
{
    return !copy->specs && !copy->translate && copy->fold == KEEP && !copy->truncate && copy->lrecl == 0 &&
        copy->how != OVERLAY;
}

static int write_record(const struct copy *copy, struct output *out, const struct reader *in)
{
    struct edf_file *file = &out->file->file;
    u32 old = 0, length, lrecl = edf_word(file->fst + FST_LRECL);
    char text[24], *record;
    int error;

    if (file->fst[FST_RECFM] == EDF_V && in->length > 0 && keeps_records(copy))
        return file_problem("CPY", edf_write(file, out->number++, in->record, in->length), &out->id, true);

    if (copy->how == OVERLAY && out->number <= edf_word(file->fst + FST_RECORDS)) {
        error = edf_read(file, out->number, make_room(&out->record, lrecl), lrecl, &old);
        if (error != EDF_OK)
            return file_problem("CPY", error, &out->id, false);
    }
    length = shape_record(copy, in->record, in->length, &out->record, old);
    record = make_room(&out->record, file->fst[FST_RECFM] == EDF_F && lrecl > length ? lrecl : length + 1);
    if (file->fst[FST_RECFM] == EDF_F) {
        if (length < lrecl)
            memset(record + length, copy->fill, lrecl - length);
        length = lrecl;
    } else {
        while (copy->recfm == EDF_V && length > 1 && record[length - 1] == ' ' &&
               in->file->file.fst[FST_RECFM] == EDF_F && copy->truncate)
            length--;
        if (copy->lrecl != 0 && length > copy->lrecl)
            length = copy->lrecl;
        if (length == 0)
            record[length++] = copy->fill;
    }
    error = edf_write(file, out->number++, record, length);
    if (error == EDF_LENGTH) {
        message("CPY", 32, 'E', show_id(&out->id, text));
        return RC_FORMAT;
    }
    return file_problem("CPY", error, &out->id, true);
}

/* As many of the next records as lie together, if nothing is done to them but that they are copied. */
static int copy_run(const struct copy *copy, struct reader *in, struct output *out, u32 *done)
{
    u32 copied = 0;
    int error;

    if (!keeps_records(copy) || copy->from_label[0] != ' ' || copy->to_label[0] != ' ' ||
        out->number != edf_word(out->file->file.fst + FST_RECORDS) + 1)
        return 0;
    error = edf_copy(&in->file->file, in->number + 1, copy->count - *done, &out->file->file, &copied);
    in->number += copied;
    out->number += copied;
    *done += copied;
    return file_problem("CPY", error, &out->id, true);
}

static int copy_one(const struct copy *copy, const struct fileid *id, struct output *out)
{
    struct reader reader;
    u32 done = 0;
    bool going = copy->from_label[0] == ' ';
    struct packing *packing = NULL;
    int code = reader_open("CPY", &reader, id);

    if (code != 0)
        return code;
    if (!out->begun)
        code = begin(copy, out, &reader);
    if (code == 0 && copy->packing == UNPACK) {
        code = unpack_file(&reader, out);
        reader_close(&reader);
        return code;
    }
    if (code == 0 && copy->packing == PACK) {
        packing = obtain_command(sizeof *packing);
        code = pack_begin(packing, out, &reader);
    }
    if (copy->first > 1)
        reader.number = copy->first - 1;
    for (;;) {
        if (code == 0 && packing == NULL)
            code = copy_run(copy, &reader, out, &done);
        if (code != 0 || done >= copy->count || !reader_next("CPY", &reader, &code))
            break;
        going = going || same_label(&reader, copy->from_label);
        if (!going)
            continue;
        if (same_label(&reader, copy->to_label))
            break;
        code = packing != NULL ? pack_record(packing, out, reader.record, reader.length)
            : write_record(copy, out, &reader);
        done++;
    }
    if (packing != NULL && code == 0)
        code = pack_end(packing, out);
    release(packing);
    if (code == 0 && !going) {
        char text[24];

        message("CPY", 157, 'E', copy->from_label, show_id(&reader.id, text));
        code = RC_MISSING;
    }
    reader_close(&reader);
    return code;
}

/* The output is complete: what it is to be called by now exists. */
static int finish(const struct copy *copy, struct output *out, const u8 *stamp)
{
    struct disk *disk = out->file->disk;
    char text[24];
    int error = file_finish(out->file);
    u8 *fst;

    out->begun = false;
    if (error == EDF_OK && copy->old_date && (fst = edf_find(&disk->edf, (u8 *)out->id.fn, (u8 *)out->id.ft)) != NULL) {
        fst[FST_FLAGS] = (u8)((fst[FST_FLAGS] & ~FST_CENTURY_FLAG) | (stamp[0] & FST_CENTURY_FLAG));
        memcpy(fst + FST_STAMP, stamp + 1, 6);
        edf_touched(&disk->edf, fst);
        error = edf_commit(&disk->edf);
    }
    if (error == EDF_OK && copy->show)
        type("New file %s", show_id(&out->id, text));
    return file_problem("CPY", error, &out->id, true);
}

static int check_output(const struct copy *copy, struct output *out)
{
    struct disk *disk = disk_at(out->id.fm[0]);
    char text[24];

    if (disk == NULL || disk->read_only)
        return file_problem("CPY", disk == NULL ? EDF_NOT_FOUND : EDF_READ_ONLY, &out->id, true);
    if (!legal_name(out->id.fn) || !legal_name(out->id.ft)) {
        message("CPY", 62, 'E', '*', show_id(&out->id, text));
        return 20;
    }
    if (copy->how == NEW_FILE && edf_find(&disk->edf, (u8 *)out->id.fn, (u8 *)out->id.ft) != NULL)
        return file_problem("CPY", EDF_EXISTS, &out->id, true);
    return 0;
}

static void stamp_from(const struct fileid *id, u8 stamp[7])
{
    struct disk *disk;
    u8 *fst;

    if (find_file(id, &disk, &fst)) {
        stamp[0] = fst[FST_FLAGS];
        memcpy(stamp + 1, fst + FST_STAMP, 6);
    }
}

static int copy_all(const struct copy *copy, const struct input *inputs, u32 count, const struct fileid *to, bool each)
{
    struct output out = { 0 };
    u8 stamp[7] = { 0 };
    int code = 0;

    for (u32 n = 0; code == 0 && n < count; n++) {
        if (each || n == 0) {
            resolve(to, &inputs[n].id, &out.id);
            stamp_from(&inputs[n].id, stamp);
            code = check_output(copy, &out);
            if (code == RC_MISSING && each && count > 1 && n + 1 < count) {
                /* Those that are there stay; the rest is copied. */
                int rest = copy_all(copy, inputs + n + 1, count - n - 1, to, each);

                return rest > RC_MISSING ? rest : RC_MISSING;
            }
        }
        if (code == 0)
            code = copy_one(copy, &inputs[n].id, &out);
        if (out.begun && (code != 0 || each || n + 1 == count)) {
            if (code == 0) {
                code = finish(copy, &out, stamp);
            } else {
                file_abandon(out.file);
                out.begun = false;
            }
        }
    }
    return code;
}

/* The files that the identifiers mean, in the order in which they are named. */
static int collect(const struct call *call, u32 ids, struct input *inputs, u32 *count)
{
    struct fileid before;

    memset(&before, ' ', sizeof before);
    for (u32 n = 0; n < ids; n++) {
        struct fileid id;
        struct search search;
        u32 found = *count;

        if (!parse_fileid("CPY", call, 1 + 3 * n, 3, &id))
            return RC_SYNTAX;
        if (n > 0)
            resolve(&id, &before, &id);
        before = id;
        if (id.fm[0] != '*' && disk_at(id.fm[0]) == NULL) {
            message("CPY", 69, 'E', id.fm[0]);
            return RC_DISK;
        }
        search_begin(&search, &id);
        while (*count < INPUTS_MOST && search_next(&search))
            id_of(search.disk, search.fst, &inputs[(*count)++].id);
        if (*count == found)
            return file_problem("CPY", EDF_NOT_FOUND, &id, false);
    }
    return 0;
}

static int parse_options(const struct call *call, struct copy *copy)
{
    name recfm = "        ", fill = "        ";
    int list = 0, bcd = 0;
    const struct option known[] = {
        FLAG("TYPE", 1, &copy->show, 1), FLAG("NOTYPE", 3, &copy->show, 0),
        FLAG("OLDDATE", 4, &copy->old_date, 1), FLAG("NEWDATE", 4, &copy->old_date, 0),
        FLAG("NEWFILE", 4, &copy->how, NEW_FILE), FLAG("REPLACE", 3, &copy->how, REPLACE),
        FLAG("APPEND", 2, &copy->how, APPEND), FLAG("OVLY", 2, &copy->how, OVERLAY),
        FLAG("PROMPT", 2, &copy->quiet, 0), FLAG("NOPROMPT", 4, &copy->quiet, 1),
        FLAG("PACK", 2, &copy->packing, PACK), FLAG("UNPACK", 3, &copy->packing, UNPACK),
        FLAG("TRANS", 3, &list, FROM_LIST), FLAG("EBCDIC", 2, &bcd, FROM_BCD),
        NUMBER("FROM", 2, &copy->first), NUMBER("FOR", 3, &copy->count),
        WORD("FRLABEL", 3, &copy->from_label), WORD("TOLABEL", 3, &copy->to_label),
        FLAG("SPECS", 2, &copy->specs, 1), FLAG("NOSPECS", 4, &copy->specs, 0),
        WORD("RECFM", 3, &recfm), NUMBER("LRECL", 2, &copy->lrecl),
        FLAG("TRUNC", 3, &copy->truncate, 1), FLAG("NOTRUNC", 5, &copy->truncate, 0),
        WORD("FILL", 2, &fill), FLAG("UPCASE", 2, &copy->fold, UPCASE),
        FLAG("LOWCASE", 3, &copy->fold, LOWCASE), FLAG("SINGLE", 2, &copy->single, 1),
    };
    char text[12];
    u32 value;
    int code = options("CPY", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    if (recfm[0] != ' ' && !is(recfm, "F") && !is(recfm, "V")) {
        message("CPY", 29, 'E', recfm, "RECFM   ");
        return RC_SYNTAX;
    }
    if (is(recfm, "V") && copy->lrecl > EDF_MOST_V) {
        pad(recfm, sizeof recfm, text, format(text, sizeof text, "%u", copy->lrecl));
        message("CPY", 29, 'E', recfm, "LRECL   ");
        return RC_SYNTAX;
    }
    copy->translate = list | bcd;
    if (copy->packing != AS_IT_IS && (copy->specs || copy->translate || copy->fold != KEEP || copy->how == OVERLAY ||
                                      copy->how == APPEND || copy->truncate || copy->lrecl != 0 || recfm[0] != ' ')) {
        message("CPY", 66, 'E', copy->packing == PACK ? "PACK    " : "UNPACK  ",
                copy->specs ? "SPECS   " : copy->translate ? "TRANS   " : copy->fold != KEEP ? "UPCASE  "
                    : copy->how == OVERLAY ? "OVLY    "
                : copy->how == APPEND ? "APPEND  " : copy->truncate ? "TRUNC   " : copy->lrecl != 0 ? "LRECL   "
                    : "RECFM   ");
        return RC_SYNTAX;
    }
    copy->recfm = recfm[0] == ' ' ? 0 : (u8)recfm[0];
    if (name_length(fill) == 1) {
        copy->fill = fill[0];
    } else if (name_length(fill) == 2 && parse_hex(fill, 2, &value)) {
        copy->fill = (char)value;
    } else if (fill[0] != ' ') {
        message("CPY", 29, 'E', fill, "FILL    ");
        return RC_SYNTAX;
    }
    return 0;
}

int copyfile_command(const struct call *call)
{
    struct copy copy = { .count = 0xffffffff, .fill = ' ', .how = NEW_FILE, .from_label = "        ", .to_label =
        "        " };
    u32 words = operands(call) - 1, ids = words / 3, count = 0;
    struct input *inputs;
    struct fileid to;
    bool each;
    int code = parse_options(call, &copy);

    if (code != 0)
        return code;
    if (words == 0 || words % 3 != 0) {
        message("CPY", words == 0 ? 42 : 54, 'E');
        return RC_SYNTAX;
    }
    if (ids == 1) {
        /* One file is changed in its place. */
        to = (struct fileid){ .fn = "=       ", .ft = "=       ", .fm = "==" };
        if (copy.how == NEW_FILE)
            copy.how = REPLACE;
    } else if (!parse_fileid("CPY", call, 1 + 3 * --ids, 3, &to)) {
        return RC_SYNTAX;
    }
    inputs = obtain_command(INPUTS_MOST * sizeof *inputs);
    code = collect(call, ids, inputs, &count);
    each = has_equals(&to) && !copy.single;
    if (code == 0 && copy.packing != AS_IT_IS && count > 1 && !each) {
        message("CPY", 67, 'E');
        code = RC_SYNTAX;
    }
    if (code == 0 && copy.specs)
        code = read_specifications(&copy);
    if (code == 0 && copy.translate)
        code = read_translation(&copy);
    if (code != 0)
        return code;
    return copy_all(&copy, inputs, count, &to, each);
}
