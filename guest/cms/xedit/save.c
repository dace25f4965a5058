/*
 * Files to disk: SAVE, FILE, PUT, GET, AUTOSAVE, and leaving files.
 *
 * The file system puts a new file in the place of the old one by a single write when it is closed (edf/edf.h): whatever
 * happens in between, the disk has the old file or the new one. When the disk is full, the new one is forgotten, the
 * old one stays, and so do the lines in storage.
 */
#include "xedit.h"

enum { FULL = 13, AUTOSAVED_FIRST = 100001 };

/* What PUT keeps for GET. */
struct put { struct text text; };

void put_forget(void)
{
    if (editor->put == NULL)
        return;
    text_free(&editor->put->text);
    release(editor->put);
    editor->put = NULL;
}

/* Sequence numbers in columns 73 to 80: an identifier and five digits, or eight. */
static void serialize(const struct settings_of_file *s, char *record, u32 line)
{
    u32 number = s->serial_start + (line - 1) * s->serial_increment;

    if (s->serial_all)
        format(record + 72, 8, "%08u", number % 100000000);
    else
        format(record + 72, 8, "%l%05u", s->serial_id, (u32)sizeof s->serial_id, number % 100000);
}

/* The record that a line makes, in editor->other. */
static u32 record_of(struct view *view, u32 line)
{
    const struct settings_of_file *s = &view->file->s;
    struct row *row = line_row(view, line);
    u32 length = row->length < s->lrecl ? row->length : s->lrecl;

    memcpy(editor->other, row->text, length);
    if (s->recfm == 'F') {
        memset(editor->other + length, ' ', s->lrecl - length);
        length = s->lrecl;
        if (s->serial)
            serialize(s, editor->other, line);
    } else if (length == 0) {
        editor->other[length++] = ' ';
    }
    return length;
}

/* How long the longest record is that will be written. */
static u32 longest_record(struct view *view)
{
    const struct settings_of_file *s = &view->file->s;
    u32 longest = 1;

    if (s->recfm == 'F')
        return s->lrecl;
    for (u32 line = 1; line <= size_of(view); line++) {
        u32 length = text_row(&view->file->text, line)->length;

        longest = length > longest ? length : longest;
    }
    return longest < s->lrecl ? longest : s->lrecl;
}

static int written(int error, struct open_file *file, const struct fileid *id)
{
    if (file != NULL && error != EDF_OK)
        file_abandon(file);
    if (error == EDF_FULL) {
        message("XFD", 531, 'E', id->fm[0]);
        return FULL;
    }
    return file_problem("XFD", error, id, true);
}

/* Lines first..last as that file, in place of the one that is there or after its records. */
static int write_lines(struct view *view, const struct fileid *id, u32 first, u32 last, bool add)
{
    const struct settings_of_file *s = &view->file->s;
    struct packed_output *packed = NULL;
    struct open_file *file = NULL;
    int error = file_open(id, add ? EDF_UPDATE : EDF_NEW, &file);
    u32 to, lrecl, records;

    if (error != EDF_OK)
        return written(error, NULL, id);
    records = edf_word(file->file.fst + FST_RECORDS);
    to = records + 1;
    lrecl = edf_word(file->file.fst + FST_LRECL);
    if (records == 0) {
        file->file.fst[FST_RECFM] = (u8)s->recfm;
        if (s->recfm == 'F')
            edf_set_word(file->file.fst + FST_LRECL, lrecl = s->lrecl);
    }
    if (s->packed && !add) {
        packed = obtain(sizeof *packed, OWNER_SYSTEM);
        error = packed == NULL
                    ? EDF_STORAGE
                    : packed_begin(packed, &file->file, (u8)s->recfm, longest_record(view), last + 1 - first);
    }
    for (u32 line = first; line <= last && error == EDF_OK; line++) {
        u32 length;

        if (!line_in_scope(view, line) && add)
            continue;
        length = record_of(view, line);
        if (records > 0 && file->file.fst[FST_RECFM] == EDF_F) {
            if (length < lrecl && lrecl <= editor->work_room)
                memset(editor->other + length, ' ', lrecl - length);
            length = lrecl;
        }
        error = packed != NULL ? packed_record(packed, editor->other, length)
                               : edf_write(&file->file, to++, editor->other, length);
    }
    if (error == EDF_OK && packed != NULL)
        error = packed_end(packed);
    release(packed);
    if (error != EDF_OK)
        return written(error, file, id);
    return written(file_finish(file), NULL, id);
}

/* The operands of FILE: what is not there or = is as it was. `other` says whether it is another file. */
static int file_operands(struct view *view, struct words *words, struct fileid *id, bool *other)
{
    name token[TOKENS_MOST + 1];
    struct fileid given;
    struct call call = { .token = token };

    call.count = tokenize(words->at, (u32)(words->end - words->at), token);
    *id = view->file->s.id;
    *other = false;
    if (call.count > 3) {
        message("XFD", 70, 'E', token[3]);
        return RC_SYNTAX;
    }
    if (call.count == 0)
        return 0;
    if (!parse_fileid("XFD", &call, 0, call.count, &given))
        return RC_SYNTAX;
    if (given.fn[0] != '=')
        memcpy(id->fn, given.fn, sizeof(name));
    if (call.count > 1 && given.ft[0] != '=')
        memcpy(id->ft, given.ft, sizeof(name));
    if (call.count > 2 && given.fm[0] != '=') {
        id->fm[0] = given.fm[0];
        id->fm[1] = given.fm[1] == ' ' ? '1' : given.fm[1];
    }
    if (!legal_name(id->fn) || !legal_name(id->ft)) {
        char text[24];

        message("XFD", 62, 'E', legal_name(id->fn) ? id->ft[0] : id->fn[0], show_id(id, text));
        return 20;
    }
    *other = memcmp(id, &view->file->s.id, sizeof *id) != 0;
    return 0;
}

/* Another file must not be lost by being written over, nor what has happened to this one since it was read. */
static bool in_the_way(struct view *view, const struct fileid *id, bool other)
{
    struct fileid exact = *id;
    struct disk *disk;
    u8 *fst;

    exact.fm[1] = ' ';
    if (!find_file(&exact, &disk, &fst) || disk->mode != id->fm[0])
        return false;
    if (other || view->file->fresh)
        return true;
    /* Whatever is written to a file has its blocks elsewhere, even in the same second. */
    return memcmp(fst, view->file->entry, sizeof view->file->entry) != 0;
}

/* In update mode the file that is written is the update. */
static int write_update(struct view *view, const struct fileid *id)
{
    struct open_file *file = NULL;
    int error = file_open(id, EDF_NEW, &file);

    if (error != EDF_OK)
        return written(error, NULL, id);
    error = update_write(view, file);
    return error != EDF_OK ? written(error, file, id) : written(file_finish(file), NULL, id);
}

static void saved(struct view *view, const struct fileid *id)
{
    struct disk *disk;
    u8 *fst;

    autosave_gone(view->file);
    if (!view->file->update.on)
        view->file->s.id = *id;
    view->file->fresh = false;
    view->file->alterations = view->file->since_autosave = 0;
    if (find_file(id, &disk, &fst))
        memcpy(view->file->entry, fst, sizeof view->file->entry);
}

static int save(struct view *view, struct words *words, bool sure)
{
    struct fileid id;
    bool other;
    int code = file_operands(view, words, &id, &other);

    if (code != 0)
        return code;
    if (size_of(view) == 0) {
        message("XFD", 559, 'W');
        return XE_TRUNCATED;
    }
    /* Under another name it is a file like any. */
    view->file->update.on = view->file->update.on && !other;
    if (view->file->update.on)
        id = view->file->update.id;
    if (!sure && in_the_way(view, &id, other)) {
        char text[24];

        message("XFD", 594, 'E', show_id(&id, text),
                view->file->fresh || other ? "already exists" : "has changed since it was read");
        return XE_TRUNCATED;
    }
    code = view->file->update.on ? write_update(view, &id) : write_lines(view, &id, 1, size_of(view), false);
    if (code == 0)
        saved(view, &id);
    return code;
}

int save_subcommand(struct view *view, struct words *words) { return save(view, words, false); }
int ssave_subcommand(struct view *view, struct words *words) { return save(view, words, true); }

static int file(struct view *view, struct words *words, bool sure)
{
    int code = save(view, words, sure);

    /* An empty file is none: there is nothing to keep. */
    if (code == XE_TRUNCATED && size_of(view) == 0 && view->file->fresh)
        code = 0;
    if (code == 0)
        leave_file(view->file);
    return code;
}

int file_subcommand(struct view *view, struct words *words) { return file(view, words, false); }
int ffile_subcommand(struct view *view, struct words *words) { return file(view, words, true); }

int quit_subcommand(struct view *view, struct words *words)
{
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    if (view->file->alterations > 0 && view->file->list == NULL) {
        message("XQT", 577, 'E');
        return XE_CHANGED;
    }
    leave_file(view->file);
    return 0;
}

int qquit_subcommand(struct view *view, struct words *words)
{
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    leave_file(view->file);
    return 0;
}

/* All files that have not changed are left. */
int cancel_subcommand(struct view *view, struct words *words)
{
    u32 changed = 0;
    struct file *file = editor->ring, *next;

    (void)view;
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    for (u32 n = editor->files; n > 0; n--, file = next) {
        next = file->next;
        if (file->alterations > 0 && file->list == NULL)
            changed++;
        else
            leave_file(file);
    }
    if (changed == 0)
        return 0;
    message("XQT", 593, 'E', changed, changed == 1 ? " has" : "s have");
    return XE_CHANGED;
}

/* PUT [target [fn ft fm]]. */
static int put_lines(struct view *view, struct words *words, struct range *range)
{
    struct words target = *words;
    struct target parsed;
    struct fileid id;
    bool other;
    int code;

    if (words_left(words)) {
        const char *from = words->at;

        if (!parse_target(words, &parsed, true))
            return bad_operand(from, (u32)(words->end - from));
        target.end = words->at;
    }
    code = range_operand(view, &target, true, range);
    if (code != 0)
        return code;
    if (words_left(words)) {
        code = file_operands(view, words, &id, &other);
        return code != 0 ? code : write_lines(view, &id, range->first, range->last, true);
    }
    put_forget();
    editor->put = obtain(sizeof *editor->put, OWNER_SYSTEM);
    if (editor->put == NULL)
        return no_room();
    memset(editor->put, 0, sizeof *editor->put);
    for (u32 line = range->first; line <= range->last; line++) {
        struct row *row = line_row(view, line);
        struct text *to = &editor->put->text;

        if (line_in_scope(view, line) && !text_insert(to, to->lines, row->text, row->length, 0, 0))
            return no_room();
    }
    if (editor->put->text.lines == 0)
        put_forget();
    return 0;
}

int put_subcommand(struct view *view, struct words *words)
{
    struct range range;
    int code = put_lines(view, words, &range);

    if (code != 0)
        return code;
    if (!view->s.stay && !range.up && range.first <= range.last)
        view->current = line_after(view, range.last);
    else if (!view->s.stay)
        pass_range(view, &range);
    return range.edge ? XE_EDGE : 0;
}

int putd_subcommand(struct view *view, struct words *words)
{
    struct words again = *words;
    struct target target;
    struct range range;
    int code = put_lines(view, words, &range);

    if (code != 0)
        return code;
    /* Only the target is DELETE's operand. */
    if (words_left(&again)) {
        const char *from = again.at;

        (void)parse_target(&again, &target, true);
        again.end = again.at;
        again.at = from;
    }
    {
        char line[COMMAND_MOST];

        return execute_command(line, format(line, sizeof line, "DELETE %l", again.at, (u32)(again.end - again.at)));
    }
}

static int get_kept(struct view *view, u32 *after)
{
    u32 cut = 0;

    if (editor->put == NULL) {
        message("XGT", 562, 'E');
        return RC_MISSING;
    }
    for (u32 n = 1; n <= editor->put->text.lines; n++) {
        struct row *row = text_row(&editor->put->text, n);
        u32 most = view->file->s.truncation,
            code = add_line(view, *after, row->text, row->length < most ? row->length : most);

        if (code != 0)
            return (int)code;
        cut += row->length > most;
        ++*after;
    }
    if (cut > 0)
        message("XGT", 563, 'W');
    return cut > 0 ? XE_TRUNCATED : 0;
}

int get_subcommand(struct view *view, struct words *words)
{
    u32 after = view->current >= end_line(view) ? last_line(view) : view->current, first = 1, count = 0xffffffff;
    name token[TOKENS_MOST + 1];
    struct words ids;
    struct fileid id;
    bool other, all = false;
    u32 n;
    int code;

    n = tokenize(words->at, (u32)(words->end - words->at), token);
    if (n == 0) {
        code = get_kept(view, &after);
    } else {
        const char *word;
        u32 length;

        ids = *words;
        for (u32 k = 0; k < 3 && k < n; k++) {
            (void)take_word(words, &word, &length);
            all = k == 2 && length == 1 && *word == '*';
        }
        ids.end = words->at;
        code = file_operands(view, &ids, &id, &other);
        if (code == 0 && take_word(words, &word, &length) && (!number_word(word, length, &first) || first == 0))
            return bad_number(word, length);
        if (code == 0 && take_word(words, &word, &length) && !(length == 1 && *word == '*') &&
            !number_word(word, length, &count))
            return bad_number(word, length);
        if (code == 0)
            code = no_words_left(words);
        if (code != 0)
            return code;
        id.fm[1] = ' ';
        if (n < 3 || all)
            id.fm[0] = '*';
        code = insert_file(view, &id, first, count, &after);
    }
    if (code == 0 || code == XE_EDGE || code == XE_TRUNCATED)
        view->current = after;
    return code;
}

static void autosave_id(const struct file *file, struct fileid *id)
{
    memset(id, ' ', sizeof *id);
    format(id->fn, sizeof id->fn, "%u  ", file->autosave_number);
    memcpy(id->ft, "AUTOSAVE", sizeof id->ft);
    id->fm[0] = file->s.autosave_mode;
}

/* What SET AUTOSAVE has written is not wanted any more. */
void autosave_gone(struct file *file)
{
    struct fileid id;
    struct disk *disk;

    if (file->autosave_number == 0)
        return;
    autosave_id(file, &id);
    disk = disk_at(id.fm[0]);
    if (disk != NULL)
        (void)file_erase(disk, id.fn, id.ft);
}

/* After so many alterations the file is written beside itself. */
void autosave(struct view *view)
{
    struct file *file = view->file;
    struct fileid id;
    char text[24];

    if (file->s.autosave == 0 || file->since_autosave < file->s.autosave)
        return;
    if (file->autosave_number == 0)
        file->autosave_number = AUTOSAVED_FIRST + editor->serial++;
    autosave_id(file, &id);
    if (write_lines(view, &id, 1, size_of(view), false) == 0)
        message("XSU", 510, 'I', show_id(&id, text));
    file->since_autosave = 0;
}
