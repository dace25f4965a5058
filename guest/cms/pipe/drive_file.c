/*
 * Stages that read and write CMS files.
 *
 * A file that is written is made anew, and takes the place of the old one when the stage ends well; if anything goes
 * wrong it is forgotten. Whether there is such a file, and whether its disk can be written to, is found out before any
 * record flows. A command that a stage of the same pipeline performs may close files: a stage that has one open looks
 * before each use.
 */
#include "drive.h"

/* A file in use by a stage. */
struct held { struct stage *s; struct open_file *file; u32 opened; struct fileid id; struct buffer record; };

bool mode_word(struct text word)
{
    char first = word.length > 0 ? upper(word.at[0]) : 0;

    return (first == '*' || is_letter(first)) && (word.length == 1 ||
                                                  (word.length == 2 && word.at[1] >= '0' && word.at[1] <= '6'));
}

void name_from(struct text word, name to)
{
    pad(to, sizeof(name), word.at, word.length);
    for (u32 n = 0; n < sizeof(name); n++)
        to[n] = upper(to[n]);
}

/* fn ft [fm] from the front; without a mode it is blank. */
int next_fileid(struct stage *s, struct text *rest, struct fileid *id)
{
    struct text word;

    memset(id, ' ', sizeof *id);
    for (u32 n = 0; n < 2; n++) {
        if (!next_word(rest, &word))
            return stage_error(s, 113);
        name_from(word, n == 0 ? id->fn : id->ft);
        if (word.length > 8 || !legal_name(n == 0 ? id->fn : id->ft))
            return stage_error(s, 145, word.at, word.length);
    }
    if (peek_word(*rest, &word) && mode_word(word)) {
        next_word(rest, &word);
        id->fm[0] = upper(word.at[0]);
        id->fm[1] = word.length > 1 ? word.at[1] : ' ';
    }
    return 0;
}

struct problem { int error; const struct fileid *id; bool writing; int code; };

static void say_problem(void *with)
{
    struct problem *problem = with;

    problem->code = file_problem("PIP", problem->error, problem->id, problem->writing);
}

/* An error of the file system: CMS's message, and which stage. */
int file_error(struct stage *s, int error, const struct fileid *id, bool writing)
{
    struct problem problem = { error, id, writing, 0 };

    if (error == EDF_OK)
        return 0;
    aside(s, say_problem, &problem);
    say_where(s);
    return problem.code;
}

static bool still_there(const struct held *held) { return held->file != NULL && file_stays(held->file, held->opened); }

/* At the stage's end, whatever the reason. */
static void let_go(void *with)
{
    struct held *held = with;

    if (!still_there(held))
        return;
    if (held->file->file.output)
        file_abandon(held->file);
    else
        (void)file_finish(held->file);
}

static struct held *hold(struct stage *s, const struct fileid *id)
{
    struct held *held = stage_obtain(s, sizeof *held);

    *held = (struct held){ .s = s, .id = *id };
    stage_at_end(s, let_go, held);
    return held;
}

/* For this stage alone: others open it anew. */
static int open_held(struct held *held, enum edf_how how)
{
    int error = file_open(&held->id, how, &held->file);

    if (error == EDF_OK && how == EDF_READ && held->file->file.output) {
        /* It is open for output elsewhere and not closed yet: its writer keeps it. */
        held->file = NULL;
        return EDF_READ_ONLY;
    }
    if (error != EDF_OK) {
        held->file = NULL;
        return error;
    }
    held->file->own = true;
    held->opened = held->file->opened;
    id_of(held->file->disk, held->file->file.fst, &held->id);
    return EDF_OK;
}

static u32 records_of(const struct held *held) { return edf_word(held->file->file.fst + FST_RECORDS); }

/* The numbered record; an EDF error. */
static int read_record(struct held *held, u32 number, struct text *record)
{
    u32 room, length;
    int error;

    if (!still_there(held))
        return EDF_END;
    room = edf_word(held->file->file.fst + FST_LRECL);
    error = edf_read(&held->file->file, number, stage_room(held->s, &held->record, room), room, &length);
    *record = (struct text){ held->record.at, length < room ? length : room };
    return error;
}

/* ---- reading ---- */

static int open_to_read(struct stage *s, struct fileid *id, struct held **held)
{
    char text[24];
    int error;

    if (id->fm[0] == ' ')
        id->fm[0] = '*';
    *held = hold(s, id);
    error = open_held(*held, EDF_READ);
    if (error == EDF_NOT_FOUND) {
        show_id(id, text);
        return stage_error(s, 146, text, (u32)strlen(text));
    }
    return file_error(s, error, id, false);
}

static int copy_file(struct stage *s, struct held *held, u32 from, bool backwards)
{
    u32 records = records_of(held), number = backwards ? records : from;
    struct text record;
    int error = EDF_OK;

    while (number >= 1 && number <= records && (error = read_record(held, number, &record)) == EDF_OK) {
        if (stage_output(s, record.at, record.length) != 0)
            break;
        number += backwards ? ~0u : 1u;
    }
    return error == EDF_OK || error == EDF_END ? 0 : file_error(s, error, &held->id, false);
}

/* < and FILEFAST; not first in a pipeline, the input comes first. */
static int read_file(struct stage *s, struct text arguments, bool numbered, bool backwards)
{
    struct fileid id;
    struct held *held;
    struct text record;
    i32 from = 1;
    int error = next_fileid(s, &arguments, &id);

    if (error == 0 && numbered && next_keyword(&arguments, "FROM", 4)) {
        error = next_number(s, &arguments, &from);
        if (error == 0 && from < 1)
            error = stage_error(s, 66, from);
    }
    if (error != 0 || (error = no_more(s, arguments)) != 0 || (error = open_to_read(s, &id, &held)) != 0)
        return error;
    while (!stage_is_first(s) && stage_peek(s, &record) == 0 && stage_output(s, record.at, record.length) == 0)
        stage_consume(s);
    return copy_file(s, held, (u32)from, backwards);
}

int file_read_stage(struct stage *s, struct text arguments) { return read_file(s, arguments, false, false); }
int file_back_stage(struct stage *s, struct text arguments) { return read_file(s, arguments, false, true); }

/* ---- writing ---- */

struct how { u8 recfm; u32 lrecl; bool said, coerce, update, numbered; u32 from; };   /* `said`: the format was */

static int parse_how(struct stage *s, struct text *rest, struct how *how)
{
    struct text word;
    i32 number;
    int error;

    for (;;) {
        if (how->numbered && next_keyword(rest, "FROM", 4)) {
            if ((error = next_number(s, rest, &number)) != 0)
                return error;
            if (number < 1)
                return stage_error(s, 66, number);
            how->from = (u32)number;
        } else if (next_keyword(rest, "VARIABLE", 1)) {
            how->recfm = EDF_V;
            how->said = true;
        } else if (next_keyword(rest, "FIXED", 1)) {
            how->recfm = EDF_F;
            how->said = true;
            if (!peek_word(*rest, &word) || !is_digit(*word.at))
                continue;
            if ((error = next_number(s, rest, &number)) != 0)
                return error;
            if (number < 1)
                return stage_error(s, 66, number);
            how->lrecl = (u32)number;
        } else if (next_keyword(rest, "COERCE", 6)) {
            how->coerce = true;
        } else {
            return no_more(s, *rest);
        }
    }
}

/* The record as the file can have it: padded, or cut with COERCE. */
static int write_record(struct held *held, struct how *how, u32 number, struct text record)
{
    u8 *fst;
    char *padded;

    if (!still_there(held))
        return file_error(held->s, EDF_NOT_FOUND, &held->id, true);
    fst = held->file->file.fst;
    if (edf_word(fst + FST_RECORDS) == 0) {
        fst[FST_RECFM] = how->recfm;
        edf_set_word(fst + FST_LRECL, how->recfm != EDF_F ? 0 : how->lrecl != 0 ? how->lrecl : record.length);
    }
    if (fst[FST_RECFM] == EDF_F) {
        u32 lrecl = edf_word(fst + FST_LRECL);

        if (record.length > lrecl && !how->coerce)
            return stage_error(held->s, 72, record.length, lrecl);
        padded = record.length < lrecl ? stage_room(held->s, &held->record, lrecl) : NULL;
        if (padded != NULL) {
            memcpy(padded, record.at, record.length);
            memset(padded + record.length, ' ', lrecl - record.length);
            record.at = padded;
        }
        record.length = lrecl;
    }
    return file_error(held->s, edf_write(&held->file->file, number, record.at, record.length), &held->id, true);
}

/* A record of varying length can only be replaced by one as long. */
static int check_length(struct held *held, u32 number, u32 length)
{
    struct text old;
    int error;

    if (!still_there(held) || held->file->file.fst[FST_RECFM] == EDF_F || number > records_of(held))
        return 0;
    error = read_record(held, number, &old);
    if (error != EDF_OK)
        return file_error(held->s, error, &held->id, false);
    return old.length == length ? 0 : stage_error(held->s, 73, number, old.length, length);
}

/* Whether the file can be made there. */
static int can_write(struct stage *s, const struct fileid *id)
{
    struct disk *disk = disk_at(id->fm[0]);

    if (disk == NULL)
        return file_error(s, EDF_NOT_FOUND, id, true);
    return disk->read_only ? file_error(s, EDF_READ_ONLY, id, true) : 0;
}

/* A file has records, or it is not there. */
static int finish(struct held *held)
{
    struct disk *disk = held->file->disk;
    bool empty = records_of(held) == 0;
    struct open_file *file = held->file;

    held->file = NULL;
    if (!empty)
        return file_finish(file);
    file_abandon(file);
    return file_erase(disk, held->id.fn, held->id.ft);
}

/*
 * When the arguments are right: the file, once all stages have come so far. NULL: others have failed, or this has,
 * which is the return code.
 */
static int open_to_write(struct stage *s, struct fileid *id, enum edf_how how, struct held **held)
{
    int error;

    *held = NULL;
    if (id->fm[0] == ' ')
        id->fm[0] = 'A';
    if ((error = can_write(s, id)) != 0 || stage_commit(s, 0) != 0)
        return error;
    *held = hold(s, id);
    if ((error = file_error(s, open_held(*held, how), id, true)) != 0)
        *held = NULL;
    return error;
}

/* What is added to records that are there has their format. */
static int check_format(struct held *held, const struct how *how)
{
    const u8 *fst = held->file->file.fst;
    u32 lrecl = edf_word(fst + FST_LRECL);

    if (!how->said || records_of(held) == 0 || (fst[FST_RECFM] == how->recfm &&
                                                (how->lrecl == 0 || how->lrecl == lrecl)))
        return 0;
    return stage_error(held->s, 407, (char)fst[FST_RECFM], lrecl);
}

static int close_written(struct held *held)
{
    return file_error(held->s, still_there(held) ? finish(held) : EDF_NOT_FOUND, &held->id, true);
}

static int write_file(struct stage *s, struct text arguments, struct how how)
{
    struct fileid id;
    struct held *held;
    struct text record;
    bool reader = true;
    u32 number;
    int error = next_fileid(s, &arguments, &id);

    if (error != 0 || (error = parse_how(s, &arguments, &how)) != 0)
        return error;
    if ((error = open_to_write(s, &id, how.update ? EDF_UPDATE : EDF_NEW, &held)) != 0 || held == NULL)
        return error;
    if ((error = check_format(held, &how)) != 0)
        return error;
    number = how.from > 0 ? how.from : records_of(held) + 1;
    while (stage_peek(s, &record) == 0) {
        /* A file has no records without characters. */
        if (record.length > 0 && ((how.from > 0 && (error = check_length(held, number, record.length)) != 0) ||
                                  (error = write_record(held, &how, number++, record)) != 0))
            return error;
        reader = reader && stage_output(s, record.at, record.length) == 0;
        stage_consume(s);
    }
    return close_written(held);
}

int file_write_stage(struct stage *s, struct text arguments)
{
    return write_file(s, arguments, (struct how){ .recfm = EDF_V });
}
int file_append_stage(struct stage *s, struct text arguments)
{
    return write_file(s, arguments, (struct how){ .recfm = EDF_V, .update = true });
}

/* FILEFAST and its kin: what they are depends on where they stand. */
int file_fast_stage(struct stage *s, struct text arguments)
{
    return stage_is_first(s) ? file_read_stage(s, arguments) : file_append_stage(s, arguments);
}

int file_slow_stage(struct stage *s, struct text arguments)
{
    if (stage_is_first(s))
        return read_file(s, arguments, true, false);
    return write_file(s, arguments, (struct how){ .recfm = EDF_V, .update = true, .numbered = true });
}

/* ---- records by their numbers ---- */

/* n, n-m or n-* */
static int next_numbers(struct stage *s, struct text *words, struct range *range)
{
    int error = next_range(s, words, range);

    return error == 0 && (range->from < 1 || range->to < 1) ? stage_error(s, 66,
        range->from < 1 ? range->from : range->to) : error;
}

static int check_numbers(struct stage *s, struct text words)
{
    struct range range;
    struct text word;
    int error = 0;

    while (error == 0 && peek_word(words, &word))
        error = next_numbers(s, &words, &range);
    return error;
}

static int random_records(struct stage *s, struct held *held, struct text words, bool numbered, bool *more)
{
    struct range range;
    struct text record, word;
    char *line;
    int error;

    while (*more && peek_word(words, &word)) {
        if ((error = next_numbers(s, &words, &range)) != 0)
            return error;
        for (u32 n = (u32)range.from; n <= (u32)range.to; n++) {
            error = read_record(held, n, &record);
            if (error == EDF_END && range.to == INT32_MAX)
                break;
            if (error == EDF_END)
                return stage_error(s, 150, n);
            if (error != EDF_OK)
                return file_error(s, error, &held->id, false);
            if (numbered) {
                line = stage_room(s, &held->record, record.length + 10);
                memmove(line + 10, line, record.length);
                (void)format(line, 10, "%10u", n);
                record = (struct text){ line, record.length + 10 };
            }
            *more = stage_output(s, record.at, record.length) == 0;
            if (!*more)
                break;
        }
    }
    return 0;
}

/* FILERAND: the records whose numbers are arguments, then those whose numbers come in. */
int file_random_stage(struct stage *s, struct text arguments)
{
    struct fileid id;
    struct held *held;
    struct text record;
    bool numbered, more = true;
    int error = next_fileid(s, &arguments, &id);

    if (error != 0)
        return error;
    numbered = next_keyword(&arguments, "NUMBER", 3);
    if ((error = check_numbers(s, arguments)) != 0 || (error = open_to_read(s, &id, &held)) != 0)
        return error;
    if (stage_commit(s, 0) != 0)
        return 0;
    error = random_records(s, held, arguments, numbered, &more);
    while (error == 0 && more && stage_peek(s, &record) == 0) {
        error = random_records(s, held, record, numbered, &more);
        stage_consume(s);
    }
    return error;
}

/* FILEUPD: columns 1 to 10 of the input say which record the rest takes the place of. */
int file_update_stage(struct stage *s, struct text arguments)
{
    struct how how = { .recfm = EDF_V };
    struct fileid id;
    struct held *held;
    struct text record, digits;
    bool reader = true;
    i32 number;
    int error = next_fileid(s, &arguments, &id);

    if (error != 0 || (error = no_more(s, arguments)) != 0)
        return error;
    if ((error = open_to_write(s, &id, EDF_UPDATE, &held)) != 0 || held == NULL)
        return error;
    while (stage_peek(s, &record) == 0) {
        struct text rest = { record.at, record.length < 10 ? record.length : 10 };

        if (!next_word(&rest, &digits) || !is_integer(digits, &number) || number < 1)
            return stage_error(s, 58, record.at, record.length < 10 ? record.length : 10);
        digits = (struct text){ record.at + 10, record.length > 10 ? record.length - 10 : 0 };
        if (digits.length > 0 && ((error = check_length(held, (u32)number, digits.length)) != 0 ||
                                  (error = write_record(held, &how, (u32)number, digits)) != 0))
            return error;
        reader = reader && stage_output(s, record.at, record.length) == 0;
        stage_consume(s);
    }
    return close_written(held);
}
