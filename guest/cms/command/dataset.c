/*
 * Data sets: records from, or to, what FILEDEF says of a name (MOVEFILE, and programs by OPEN, GET and PUT).
 */
#include "../nucleus/library.h"
#include "dataset.h"
#include "tape.h"

enum { BLOCK_MOST = 65535, PREFIX = 4 };

/*
 * Tapes: blocks, perhaps between labels (tapelabel.c). Fixed records lie side by side, as many as BLKSIZE holds of
 * LRECL (a block is one record if nothing is said); variable ones after four bytes with their length, in a block that
 * begins with four for its own.
 */
static void set_prefix(u8 *at, u32 length)
{
    at[0] = (u8)(length >> 8);
    at[1] = (u8)length;
    at[2] = at[3] = 0;
}

static bool take_from_tape(const char *module, struct dataset *in, struct place *record, u32 *length, int *code)
{
    enum tape_end end;

    if (in->at >= in->used) {
        in->used = BLOCK_MOST;
        end = tape_io(tape_device(in->what.unit), TAPE_READ, in->block, &in->used);
        if (end != TAPE_DONE) {
            struct tape_file file = { .blocks = in->blocks };

            in->ended = true;
            *code = end != TAPE_MARK ? tape_problem(module, in->what.unit, end, false)
                : labels_after(module, &in->what, false, &file);
            return false;
        }
        in->blocks++;
        in->at = in->variable ? PREFIX : 0;
    }
    *length = in->lrecl == 0 || in->lrecl > in->used - in->at ? in->used - in->at : in->lrecl;
    if (in->variable) {
        u32 all = in->at + PREFIX > in->used ? 0 : (u32)in->block[in->at] << 8 | in->block[in->at + 1];

        if (all < PREFIX || all > in->used - in->at) {
            message(module, 32, 'E', "on tape");
            *code = RC_FORMAT;
            return false;
        }
        in->at += PREFIX;
        *length = all - PREFIX;
    }
    memcpy(make_room(record, *length), in->block + in->at, *length);
    in->at += *length;
    return true;
}

/* Over a block, or back over one. */
static enum tape_end over_block(const struct dataset *in, u8 command)
{
    u32 none = 0;

    return tape_io(tape_device(in->what.unit), command, in->block, &none);
}

/* The tape stands after the last block, or after the mark that is there. */
static int begin_backward(const char *module, struct dataset *in)
{
    enum tape_end end;

    if (in->what.labels != LABELS_OFF && in->what.labels != LABELS_BYPASSED) {
        message(module, 75, 'E', in->what.dd, "RDBACK");
        return 40;
    }
    in->block = obtain_command(BLOCK_MOST);
    in->lrecl = in->what.lrecl;
    end = over_block(in, BACKSPACE_BLOCK);
    in->ended = end == TAPE_BEGINNING;
    if (end == TAPE_DONE)
        end = over_block(in, FORWARD_BLOCK);
    return in->ended || end == TAPE_DONE || end == TAPE_MARK ? 0 : tape_problem(module, in->what.unit, end, false);
}

/* The block in front of where the tape stands, in front of which it stands then; false: there is none. */
static bool block_backward(const char *module, struct dataset *in, int *code)
{
    enum tape_end end = in->ended ? TAPE_MARK : over_block(in, BACKSPACE_BLOCK);

    in->ended = end != TAPE_DONE;
    if (end == TAPE_MARK || end == TAPE_BEGINNING)
        return false;
    in->used = BLOCK_MOST;
    if (end == TAPE_DONE)
        end = tape_io(tape_device(in->what.unit), TAPE_READ, in->block, &in->used);
    if (end == TAPE_DONE)
        end = over_block(in, BACKSPACE_BLOCK);
    in->at = in->used;
    if (end != TAPE_DONE)
        *code = tape_problem(module, in->what.unit, end, false);
    return end == TAPE_DONE;
}

static int flush_to_tape(const char *module, struct dataset *out)
{
    enum tape_end end;

    if (out->used <= (out->variable ? PREFIX : 0))
        return 0;
    if (out->variable)
        set_prefix(out->block, out->used);
    end = tape_io(tape_device(out->what.unit), TAPE_WRITE, out->block, &out->used);
    out->used = out->variable ? PREFIX : 0;
    out->blocks++;
    return end == TAPE_DONE ? 0 : tape_problem(module, out->what.unit, end, true);
}

/* The record with blanks after it, if it is shorter. */
static void fill_up(struct place *record, u32 *length, u32 wanted)
{
    if (*length >= wanted)
        return;
    memset(make_room(record, wanted) + *length, ' ', wanted - *length);
    *length = wanted;
}

static int put_on_tape(const char *module, struct dataset *out, struct place *record, u32 length)
{
    u32 needed;
    int code = 0;

    if (!out->variable)
        fill_up(record, &length, out->lrecl);
    if (length > out->lrecl)
        length = out->lrecl;
    needed = length + (out->variable ? PREFIX : 0);
    if (out->used + needed > out->size)
        code = flush_to_tape(module, out);
    if (out->variable) {
        set_prefix(out->block + out->used, needed);
        out->used += PREFIX;
    }
    memcpy(out->block + out->used, record->at, length);
    out->used += length;
    return code;
}

/* What labels say of the file: the lengths of variable ones count what is in front of them, too. */
static struct tape_file as_labelled(const struct dataset *end)
{
    return (struct tape_file){ end->variable ? 'V' : 'F', end->lrecl + (end->variable ? PREFIX : 0), end->size,
                               end->blocks };
}

static int end_tape(const char *module, struct dataset *out)
{
    int code = flush_to_tape(module, out);
    struct tape_file file = as_labelled(out);

    return code != 0 ? code : labels_after(module, &out->what, true, &file);
}

/* What the labels say holds where FILEDEF has said nothing. */
static int begin_tape(const char *module, struct dataset *in)
{
    struct tape_file file = { 0 };
    int code = labels_before(module, &in->what, false, &file);

    in->block = obtain_command(BLOCK_MOST);
    in->variable = in->what.recfm != 0 ? in->what.recfm == 'V' : file.recfm == 'V';
    in->lrecl = in->what.lrecl != 0 ? in->what.lrecl : file.lrecl;
    if (in->variable && in->what.lrecl == 0 && in->lrecl >= PREFIX)
        in->lrecl -= PREFIX;
    return code;
}

/* Without a FILEDEF a name means the disk file FILE name A1. */
void dataset_define(const char *module, struct dataset *end, const name dd)
{
    const struct filedef *defined = filedef_find(dd);

    memset(end, 0, sizeof *end);
    if (defined != NULL) {
        end->what = *defined;
        end->defined = defined;
        return;
    }
    message(module, 708, 'I', dd, dd);
    memset(end->what.member, ' ', sizeof(name));
    memcpy(end->what.dd, dd, sizeof(name));
    memcpy(end->what.id.fn, "FILE    ", sizeof(name));
    memcpy(end->what.id.ft, dd, sizeof(name));
    memcpy(end->what.id.fm, "A1", 2);
}

static bool one_member(const struct filedef *what) { return what->member[0] != ' ' && !is(what->member, "*"); }

/* Opens a disk file for reading: all of it, or a member of a library. */
static int open_file(const char *module, struct dataset *in)
{
    int code = reader_open(module, &in->reader, &in->what.id);

    if (code == 0 && one_member(&in->what))
        code = reader_member(module, &in->reader, in->what.member);
    return code;
}

/* The next of the files that FILEDEF (CONCAT has put one after the other; false: there is none. */
static bool next_file(const char *module, struct dataset *in, int *code)
{
    const struct filedef *next = filedef_next(in->defined);

    while (next != NULL && memcmp(next->dd, in->what.dd, sizeof(name)) != 0)
        next = filedef_next(next);
    if (next == NULL)
        return false;
    reader_close(&in->reader);
    memset(&in->reader, 0, sizeof in->reader);
    in->what = *next;
    in->defined = next;
    *code = open_file(module, in);
    return *code == 0;
}

int dataset_open_input(const char *module, struct dataset *in)
{
    struct disk *disk;
    u8 *fst;

    if (in->backward && ((in->what.device != ON_DISK && in->what.device != ON_TAPE && in->what.device != ON_NOTHING) ||
                         one_member(&in->what))) {
        message(module, 75, 'E', in->what.dd, "RDBACK");
        return 40;
    }
    switch (in->what.device) {
    case ON_DISK:
        if (!find_file(&in->what.id, &disk, &fst)) {
            message(module, 73, 'E', in->what.dd);
            return RC_MISSING;
        }
        return open_file(module, in);
    case ON_TERMINAL:
        message(module, 706, 'I');
        return 0;
    case ON_READER:
    case ON_NOTHING:
        return 0;
    case ON_TAPE:
        return in->backward ? begin_backward(module, in) : begin_tape(module, in);
    default:
        message(module, 75, 'E', in->what.dd, "input");
        return 40;
    }
}

int dataset_open_update(const char *module, struct dataset *both)
{
    struct disk *disk;
    u32 longest;
    u8 *fst;
    int error;

    if (both->what.device != ON_DISK) {
        message(module, 75, 'E', both->what.dd, "update");
        return 40;
    }
    if (!find_file(&both->what.id, &disk, &fst)) {
        message(module, 73, 'E', both->what.dd);
        return RC_MISSING;
    }
    id_of(disk, fst, &both->what.id);
    error = file_open(&both->what.id, EDF_UPDATE, &both->file);
    if (error != EDF_OK)
        return file_problem(module, error, &both->what.id, true);
    longest = edf_word(fst + FST_LRECL);
    both->reader = (struct reader){ .file = both->file, .id = both->what.id, .last = 0xffffffff,
                                    .room = longest == 0 ? 1 : longest };
    both->reader.record = obtain_command(both->reader.room);
    both->defined = NULL;                                /* what is concatenated to it is not */
    return one_member(&both->what) ? reader_member(module, &both->reader, both->what.member) : 0;
}

int dataset_open_both(const char *module, struct dataset *both, bool anew, char recfm, u32 lrecl)
{
    struct disk *disk;
    u32 longest;
    u8 *fst;
    int error;

    if (both->what.device != ON_DISK || one_member(&both->what)) {
        message(module, 75, 'E', both->what.dd, anew ? "OUTIN" : "INOUT");
        return 40;
    }
    if (!anew && find_file(&both->what.id, &disk, &fst))
        id_of(disk, fst, &both->what.id);
    error = file_open(&both->what.id, anew ? EDF_NEW : EDF_UPDATE, &both->file);
    if (error != EDF_OK)
        return file_problem(module, error, &both->what.id, true);
    fst = both->file->file.fst;
    if (edf_word(fst + FST_RECORDS) == 0) {
        fst[FST_RECFM] = (u8)recfm;
        if (recfm == 'F')
            edf_set_word(fst + FST_LRECL, lrecl);
    }
    longest = edf_word(fst + FST_LRECL) > lrecl ? edf_word(fst + FST_LRECL) : lrecl;
    both->reader = (struct reader){ .file = both->file, .id = both->what.id, .last = 0xffffffff,
                                    .room = longest == 0 ? 1 : longest };
    both->reader.record = obtain_command(both->reader.room);
    both->defined = NULL;
    return 0;
}

int dataset_cut(const char *module, struct dataset *both, u32 number)
{
    int error = edf_truncate(&both->file->file, number);

    both->number = number;
    return error == EDF_OK ? 0 : file_problem(module, error, &both->what.id, true);
}

/* A record where it was, as long as it was. */
int dataset_put_back(const char *module, struct dataset *both, u32 number, const void *from, u32 length)
{
    int error = edf_write(&both->file->file, number, from, length);

    return error == EDF_OK ? 0 : file_problem(module, error, &both->what.id, true);
}

void dataset_turn_back(struct dataset *in, u32 lrecl)
{
    in->lrecl = lrecl;
    in->defined = NULL;
    if (in->what.device == ON_DISK)
        in->reader.number = edf_word(in->reader.file->file.fst + FST_RECORDS);
}

u32 dataset_next_block(const char *module, struct dataset *in, u32 block, int *code)
{
    if (in->what.device == ON_DISK)
        return in->reader.number == 0 ? 0 : (in->reader.number - 1) % block + 1;
    if (in->what.device != ON_TAPE || (in->at == 0 && !block_backward(module, in, code)))
        return 0;
    return in->lrecl == 0 ? 1 : (in->at + in->lrecl - 1) / in->lrecl;
}

static bool take_backward(const char *module, struct dataset *in, struct place *record, u32 *length, int *code)
{
    if (dataset_next_block(module, in, 1, code) == 0)
        return false;
    if (in->what.device == ON_DISK) {
        int error = edf_read(&in->reader.file->file, in->reader.number, make_room(record, in->reader.room),
                             in->reader.room, length);

        if (error != EDF_OK)
            *code = file_problem(module, error, &in->reader.id, false);
        in->reader.number--;
        return error == EDF_OK;
    }
    *length = in->lrecl == 0 ? in->at : in->at % in->lrecl != 0 ? in->at % in->lrecl : in->lrecl;
    in->at -= *length;
    memcpy(make_room(record, *length), in->block + in->at, *length);
    return true;
}

static bool take_forward(const char *module, struct dataset *in, struct place *record, u32 *length, int *code)
{
    switch (in->what.device) {
    case ON_DISK:
        while (!reader_next(module, &in->reader, code))
            if (*code != 0 || in->defined == NULL || !next_file(module, in, code))
                return false;
        *length = in->reader.length;
        memcpy(make_room(record, *length), in->reader.record, *length);
        break;
    case ON_TERMINAL:
        *length = read_line(make_room(record, LINE_MOST + 1));
        if (*length == 0)
            return false;
        break;
    case ON_READER: {
        int result = unit_read(READER_UNIT, make_room(record, 80), length);

        if (result != 0) {
            if (in->number == 0) {
                message(module, 125, 'E');
                *code = RC_MISSING;
            }
            return false;
        }
        break;
    }
    case ON_TAPE:
        if (!take_from_tape(module, in, record, length, code))
            return false;
        break;
    default:
        return false;
    }
    return true;
}

/* False at the end, or with an error in `code`. */
bool dataset_take(const char *module, struct dataset *in, struct place *record, u32 *length, int *code)
{
    if (!(in->backward ? take_backward : take_forward)(module, in, record, length, code))
        return false;
    for (u32 n = 0; in->what.fold && n < *length; n++)
        record->at[n] = upper(record->at[n]);
    in->number++;
    return true;
}

/* The format and the length hold where FILEDEF has said nothing. */
int dataset_open_output(const char *module, struct dataset *out, char recfm, u32 lrecl)
{
    struct tape_file file;
    int error;

    lrecl = out->what.lrecl != 0 ? out->what.lrecl : lrecl;
    recfm = out->what.recfm != 0 ? out->what.recfm : recfm;
    out->partitioned |= out->what.device == ON_DISK && one_member(&out->what);
    switch (out->what.device) {
    case ON_DISK:
        error = file_open(&out->what.id, out->what.append || out->partitioned ? EDF_UPDATE : EDF_NEW, &out->file);
        if (error != EDF_OK)
            return file_problem(module, error, &out->what.id, true);
        if (edf_word(out->file->file.fst + FST_RECORDS) == 0) {
            recfm = out->partitioned ? 'F' : recfm;
            lrecl = out->partitioned ? LIBRARY_CARD : lrecl;
            out->file->file.fst[FST_RECFM] = (u8)recfm;
            if (recfm == 'F')
                edf_set_word(out->file->file.fst + FST_LRECL, lrecl);
        }
        out->number = out->file->next_write - 1;
        return out->partitioned ? partitioned_begin(module, out) : 0;
    case ON_TERMINAL:
    case ON_PRINTER:
    case ON_PUNCH:
    case ON_NOTHING:
        return 0;
    case ON_TAPE:
        out->variable = recfm == 'V';
        out->lrecl = lrecl;
        out->size = out->what.block != 0 ? out->what.block : lrecl + (out->variable ? 2 * PREFIX : 0);
        if (lrecl > BLOCK_MOST || lrecl + (out->variable ? 2 * PREFIX : 0) > out->size || out->size > BLOCK_MOST) {
            message(module, 44, 'E');
            return RC_FORMAT;
        }
        file = as_labelled(out);
        error = labels_before(module, &out->what, true, &file);
        if (error != 0)
            return error;
        out->block = obtain_command(out->size);
        out->used = out->variable ? PREFIX : 0;
        return 0;
    default:
        message(module, 75, 'E', out->what.dd, "output");
        return 40;
    }
}

int dataset_put(const char *module, struct dataset *out, struct place *record, u32 length)
{
    int error = EDF_OK;

    out->number++;
    switch (out->what.device) {
    case ON_DISK:
        if (out->file->file.fst[FST_RECFM] == EDF_F) {
            u32 lrecl = edf_word(out->file->file.fst + FST_LRECL);

            fill_up(record, &length, lrecl);
            length = lrecl;
        }
        fill_up(record, &length, 1);
        error = edf_write(&out->file->file, out->number, record->at, length);
        return error == EDF_OK ? 0 : file_problem(module, error, &out->what.id, true);
    case ON_TERMINAL:
        type_line(record->at, length < LINE_MOST ? length : LINE_MOST);
        return 0;
    case ON_PRINTER:
        error = unit_write(PRINT_UNIT, 0x09, record->at, length < 132 ? length : 132);
        break;
    case ON_PUNCH:
        error = unit_write(PUNCH_UNIT, 0x41, record->at, length < 80 ? length : 80);
        break;
    case ON_TAPE:
        return put_on_tape(module, out, record, length);
    default:
        break;
    }
    if (error != 0) {
        message(module, 129, 'S', out->what.dd, out->number - 1);
        return RC_IO;
    }
    return 0;
}

void dataset_close_input(struct dataset *in)
{
    if (in->reader.file != NULL)
        reader_close(&in->reader);
    in->reader.file = NULL;
}

/* `code`: whether what was written is good; `name`: what it was made of, for CP, or NULL. */
int dataset_close_output(const char *module, struct dataset *out, const struct fileid *name, int code)
{
    int error;

    if (out->what.device == ON_TAPE && out->block != NULL && code == 0)
        code = end_tape(module, out);
    if (out->what.device == ON_PRINTER)
        unit_close(PRINT_UNIT, "", name);
    if (out->what.device == ON_PUNCH)
        unit_close(PUNCH_UNIT, "", name);
    if (out->file == NULL)
        return code;
    if (out->reader.file != NULL)
        release(out->reader.record);
    if (out->directory != NULL)
        return partitioned_end(module, out, code);
    if (code != 0) {
        file_abandon(out->file);
        return code;
    }
    error = file_finish(out->file);
    return error == EDF_OK ? 0 : file_problem(module, error, &out->what.id, true);
}
