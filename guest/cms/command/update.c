/*
 * UPDATE: changes to a source, kept in files of their own.
 *
 *   UPDATE fn [ft [fm [fn [ft [fm]]]]] [( CTL STK REP INC SEQ8 NOSEQ8 TERM NOTERM DISK PRINT
 *
 * One update file, or with CTL those that a control file names, from its last line up to its first: `level UPDTxxxx` is
 * fn UPDTxxxx if there is one, `level PTF ft` is fn ft, `level AUXxxxx [AUXyyyy]` is the list of filetypes in fn
 * AUXxxxx, unless there is fn AUXyyyy. The line `level MACS libraries` comes first. The result is $fn, or with REP the
 * source itself; what was done is in fn UPDLOG.
 */
#include "update.h"

enum { NO_STORAGE = 41, NO_UPDATES = 40, ROWS_MOST = 100000 };

void update_log(struct update *update, const char *what, const char *line, u32 length)
{
    char text[160];
    u32 room = format(text, sizeof text, "%-8s ", what);

    length = length_of(line, length);
    length = length > sizeof text - room ? (u32)sizeof text - room : length;
    memcpy(text + room, line, length);
    room = length_of(text, room + length);
    if (update->print)
        (void)unit_write(PRINT_UNIT, 0x09, text, room);
    else if (update->log != NULL && update->log_error == EDF_OK)
        update->log_error = edf_write(&update->log->file, ++update->log_lines, room == 0 ? " " : text, room == 0 ? 1
                                      : room);
}

void update_warn(struct update *update, int severity, u32 number, ...)
{
    char line[256];
    va_list list;
    u32 length;

    va_start(list, number);
    length = message_line(line, sizeof line, "UPD", number, 'W', list);
    va_end(list);
    update_log(update, "", line, length);
    if (!update->quiet)
        message_show(line, length);
    if (severity > update->severity)
        update->severity = severity;
}

/* What is being done, on the terminal and in the log. */
static void tell(struct update *update, const char *what, const struct fileid *id)
{
    char text[24], line[64];

    message("UPD", 178, 'I', what, show_id(id, text));
    update_log(update, "", line, format(line, sizeof line, "%s %s", what, text));
}

int source_add(struct source *source, char *line)
{
    if (source->count == source->room) {
        u32 room = source->room == 0 ? 256 : source->room * 2;
        char **more = obtain(room * sizeof *more, OWNER_COMMAND);

        if (more == NULL) {
            message("UPD", 299, 'E');
            return NO_STORAGE;
        }
        if (source->count > 0)
            memcpy(more, source->line, source->count * sizeof *more);
        if (source->line != NULL)
            release(source->line);
        source->line = more;
        source->room = room;
    }
    source->line[source->count++] = line;
    return 0;
}

/* All of a file of cards. */
int source_read(struct source *source, struct reader *reader)
{
    char text[24], *line;
    int code = 0;

    if (reader->file->file.fst[FST_RECFM] != EDF_F || reader->room != CARD) {
        message("UPD", 7, 'E', show_id(&reader->id, text));
        return RC_FORMAT;
    }
    while (code == 0 && reader_next("UPD", reader, &code)) {
        line = obtain(CARD, OWNER_COMMAND);
        if (line == NULL) {
            message("UPD", 299, 'E');
            return NO_STORAGE;
        }
        code = source_add(source, memcpy(line, reader->record, CARD));
    }
    return code;
}

static bool there(const struct fileid *id)
{
    struct disk *disk;
    u8 *fst;

    return find_file(id, &disk, &fst);
}

/* The source's own name with another type, on any disk. */
static void of_type(const struct update *update, const char *type, struct fileid *id)
{
    memcpy(id->fn, update->source.fn, sizeof(name));
    memcpy(id->ft, type, sizeof(name));
    memcpy(id->fm, "* ", 2);
}

static int apply(struct update *update, const struct fileid *wanted)
{
    struct fileid id = *wanted;
    struct disk *disk;
    u8 *fst;
    int code;

    if (update->reached)
        return 0;
    if (find_file(wanted, &disk, &fst))
        id_of(disk, fst, &id);
    code = update->before != NULL ? update->before(update, &id) : 0;
    if (code != 0)
        return code;
    update->reached = update->before != NULL && memcmp(update->until, id.ft, sizeof(name)) == 0;
    tell(update, "Applying", &id);
    return update_apply(update, &id);
}

/* A filetype that a control or AUX file names: it should be there. */
static int apply_named(struct update *update, const char *type, bool *applied)
{
    struct fileid id;
    char text[24];

    of_type(update, type, &id);
    if (!there(&id)) {
        id.fm[0] = ' ';
        update_warn(update, 12, 180, show_id(&id, text));
        return 0;
    }
    *applied = true;
    return apply(update, &id);
}

/* A control or AUX file in words; comments are not there. */
struct list { struct row { name token[12]; u32 count; } *row; u32 count; };

static int read_list(const struct fileid *id, struct list *list)
{
    struct reader reader;
    name token[TOKENS_MOST + 1];
    int code = reader_open("UPD", &reader, id);
    u32 rows;

    if (code != 0)
        return code;
    rows = edf_word(reader.file->file.fst + FST_RECORDS);
    if (rows > ROWS_MOST) {
        reader_close(&reader);
        message("UPD", 299, 'E');
        return NO_STORAGE;
    }
    list->count = 0;
    list->row = obtain_command(rows * sizeof *list->row);
    while (reader_next("UPD", &reader, &code)) {
        struct row *row = &list->row[list->count];
        u32 length = reader.length > CARD ? CARD : reader.length;

        if (reader.record[0] == '*' && (length == 1 || reader.record[1] != ' '))
            continue;
        row->count = tokenize(reader.record, length, token);
        /* `* AUXLCL` has a level identifier; `* a comment` says nothing that is one. */
        if (row->count == 0)
            continue;
        if (row->count > COUNT_OF(row->token))
            row->count = COUNT_OF(row->token);
        memcpy(row->token, token, row->count * sizeof(name));
        list->count++;
    }
    reader_close(&reader);
    return code;
}

static bool begins(const name word, const char *with) { return memcmp(word, with, strlen(with)) == 0; }

static int bad_card(const char *kind)
{
    message("UPD", 183, 'E', kind);
    return RC_FORMAT;
}

static int apply_aux(struct update *update, const char *type, bool *applied)
{
    struct fileid id;
    struct list list;
    int code;

    of_type(update, type, &id);
    if (!there(&id))
        return 0;
    code = read_list(&id, &list);
    for (u32 n = list.count; code == 0 && n-- > 0;) {
        const struct row *row = &list.row[n];
        bool fix = is(row->token[0], "PTF");

        if (is(row->token[0], "*"))
            continue;
        code = fix && row->count < 2 ? bad_card("AUX") : apply_named(update, row->token[fix ? 1 : 0], applied);
    }
    return code;
}

/* Whether the line is one that does something: a comment with a blank after its asterisk does not. */
static bool does_something(const struct row *row)
{
    return !is(row->token[0], "*") ||
           (row->count > 1 && (begins(row->token[1], "AUX") || begins(row->token[1], "UPDT") ||
                               is(row->token[1], "PTF") || is(row->token[1], "MACS")));
}

static void stack_words(const struct row *row, u32 first, u32 last)
{
    char line[128];
    u32 length = format(line, sizeof line, "*");

    for (u32 n = first; n < last; n++)
        length += format(line + length, sizeof line - length, " %t", row->token[n]);
    stack_line(line, length, false);
}

/* All that the control file names, from its end up. */
static int apply_control(struct update *update)
{
    struct list list;
    struct row *macs = NULL, *level = NULL;
    char text[24];
    bool any = false;
    int code = read_list(&update->from, &list);

    for (u32 n = 0; code == 0 && n < list.count; n++) {
        struct row *row = &list.row[n];

        if (!does_something(row))
            continue;
        if (row->count > 1 && is(row->token[1], "MACS")) {
            if (macs != NULL)
                code = RC_FORMAT;
            macs = row;
        } else if (macs == NULL) {
            code = RC_FORMAT;
        } else if (row->count < 2 || (!begins(row->token[1], "AUX") && !begins(row->token[1], "UPDT") &&
                                      (!is(row->token[1], "PTF") || row->count < 3))) {
            return bad_card("CONTROL");
        }
    }
    if (code == RC_FORMAT || (code == 0 && macs == NULL)) {
        message("UPD", 179 + MESSAGE_SECOND, 'E', show_id(&update->from, text));
        return RC_FORMAT;
    }
    for (u32 n = list.count; code == 0 && n-- > 0;) {
        struct row *row = &list.row[n];
        struct fileid id;
        bool applied = false;

        if (row == macs || !does_something(row))
            continue;
        if (begins(row->token[1], "AUX")) {
            /* The second one, if it is there, has the same and more; another line names it. */
            if (row->count > 2 && begins(row->token[2], "AUX")) {
                of_type(update, row->token[2], &id);
                if (there(&id))
                    continue;
            }
            code = apply_aux(update, row->token[1], &applied);
        } else if (is(row->token[1], "PTF")) {
            code = apply_named(update, row->token[2], &applied);
        } else {
            of_type(update, row->token[1], &id);
            if (there(&id)) {
                applied = true;
                code = apply(update, &id);
            }
        }
        any = any || applied;
        if (applied && !is(row->token[0], "*"))
            level = row;
    }
    if (code == 0 && update->stack) {
        stack_words(level != NULL ? level : macs, 0, 1);
        stack_words(macs, 2, macs->count);
    }
    if (code == 0 && !any && update->before == NULL) {
        message("UPD", 181, 'E');
        return NO_UPDATES;
    }
    return code;
}

/* Where the output goes: the source's disk, or the one that it is an extension of, or A. */
char output_mode(const struct disk *disk)
{
    if (!disk->read_only)
        return disk->mode;
    disk = disk->extends != 0 ? disk_at(disk->extends) : NULL;
    return disk != NULL && !disk->read_only ? disk->mode : 'A';
}

static int write_source(struct update *update, const struct fileid *id, u8 fm_number)
{
    struct open_file *file;
    struct fileid to = *id;
    char text[24];
    int error;

    to.fm[1] = (char)fm_number;
    /* There are no files without records. */
    if (update->text.count == 0) {
        message("UPD", 173, 'E', show_id(&to, text));
        return NO_UPDATES;
    }
    error = file_open(&to, EDF_NEW, &file);
    if (error != EDF_OK)
        return file_problem("UPD", error, &to, true);
    file->file.fst[FST_RECFM] = EDF_F;
    for (u32 n = 0; error == EDF_OK && n < update->text.count; n++)
        error = edf_write(&file->file, n + 1, update->text.line[n], CARD);
    if (error != EDF_OK) {
        file_abandon(file);
        return file_problem("UPD", error, &to, true);
    }
    return file_problem("UPD", file_finish(file), &to, true);
}

static int open_log(struct update *update, char mode)
{
    int error;

    memcpy(update->log_id.fn, update->source.fn, sizeof(name));
    memcpy(update->log_id.ft, "UPDLOG  ", sizeof(name));
    update->log_id.fm[0] = mode;
    update->log_id.fm[1] = '1';
    if (update->print)
        return 0;
    error = file_open(&update->log_id, EDF_NEW, &update->log);
    if (error == EDF_OK)
        update->log->file.fst[FST_RECFM] = EDF_V;
    return file_problem("UPD", error, &update->log_id, true);
}

static int close_log(struct update *update)
{
    if (update->print)
        unit_close(PRINT_UNIT, "", &update->log_id);
    if (update->log == NULL)
        return 0;
    if (update->log_error != EDF_OK || update->log_lines == 0) {
        file_abandon(update->log);
        return file_problem("UPD", update->log_error, &update->log_id, true);
    }
    return file_problem("UPD", file_finish(update->log), &update->log_id, true);
}

static int operands_of(struct update *update, const struct call *call)
{
    u32 words = operands(call);
    char text[24];

    if (words < 2 || words > 7) {
        if (words > 7)
            message("UPD", 70, 'E', call->token[7]);
        else
            message("UPD", 1, 'E');
        return RC_SYNTAX;
    }
    if (!parse_fileid("UPD", call, 1, words > 4 ? 3 : words - 1, &update->source) ||
        !parse_fileid("UPD", call, 4, words > 4 ? words - 4 : 0, &update->from))
        return RC_SYNTAX;
    if (words < 3)
        memcpy(update->source.ft, "ASSEMBLE", sizeof(name));
    if (words < 5)
        memcpy(update->from.fn, update->source.fn, sizeof(name));
    if (words < 6)
        memcpy(update->from.ft, update->control ? "CNTRL   " : "UPDATE  ", sizeof(name));
    for (u32 n = 0; n < 2; n++) {
        const struct fileid *id = n == 0 ? &update->source : &update->from;

        if (!legal_name(id->fn) || !legal_name(id->ft)) {
            message("UPD", 62, 'E', '*', show_id(id, text));
            return 20;
        }
    }
    if (update->stack && !update->control) {
        message("UPD", 187, 'E');
        return RC_SYNTAX;
    }
    return 0;
}

/* The update or control file: on A, or without a mode anywhere. */
static int find_changes(struct fileid *from)
{
    struct fileid wanted = *from;
    struct disk *disk;
    u8 *fst;

    if (!find_file(&wanted, &disk, &fst) && wanted.fm[0] == ' ')
        wanted.fm[0] = '*';
    if (!find_file(&wanted, &disk, &fst))
        return file_problem("UPD", EDF_NOT_FOUND, from, false);
    id_of(disk, fst, from);
    return 0;
}

int update_in_storage(struct update *update)
{
    struct reader reader;
    int code = reader_open("UPD", &reader, &update->source);

    if (code != 0)
        return code;
    update->source = reader.id;
    code = source_read(&update->text, &reader);
    reader_close(&reader);
    if (code != 0)
        return code;
    if (update->control) {
        code = find_changes(&update->from);
        return code != 0 ? code : apply_control(update);
    }
    /* Without an update file the editor makes the first. */
    return there(&update->from) ? apply(update, &update->from) : 0;
}

int update_command(const struct call *call)
{
    struct update update = { .increment = -1 };
    struct reader reader;
    struct fileid output;
    const struct option known[] = {
        FLAG("REP", 3, &update.replace, 1), FLAG("NOREP", 5, &update.replace, 0),
        FLAG("SEQ8", 4, &update.five, 0), FLAG("NOSEQ8", 6, &update.five, 1),
        FLAG("INC", 3, &update.increment, 1), FLAG("NOINC", 5, &update.increment, 0),
        FLAG("CTL", 3, &update.control, 1), FLAG("NOCTL", 5, &update.control, 0),
        FLAG("STK", 3, &update.stack, 1), FLAG("NOSTK", 5, &update.stack, 0),
        FLAG("TERM", 4, &update.quiet, 0), FLAG("NOTERM", 6, &update.quiet, 1),
        FLAG("DISK", 4, &update.print, 0), FLAG("PRINT", 5, &update.print, 1),
        IGNORED("STOR", 4), IGNORED("NOSTOR", 6),
    };
    int code = options("UPD", call, known, COUNT_OF(known)), end;
    char mode;
    u8 number;

    if (code != 0 || (code = operands_of(&update, call)) != 0)
        return code;
    if (update.control || update.increment < 0)
        update.increment = update.control;
    if ((code = reader_open("UPD", &reader, &update.source)) != 0)
        return code;
    update.source = reader.id;
    mode = output_mode(reader.file->disk);
    number = reader.file->file.fst[FST_MODE + 1];
    code = source_read(&update.text, &reader);
    reader_close(&reader);
    if (code != 0)
        return code;
    if ((code = find_changes(&update.from)) != 0)
        return code;
    if ((code = open_log(&update, mode)) != 0)
        return code;
    tell(&update, "Updating", &update.source);
    code = update.control ? apply_control(&update) : apply(&update, &update.from);
    output = update.source;
    output.fm[0] = mode;
    if (code == 0 && update.severity > 0)
        message("UPD", 177, 'I', update.severity, update.replace && update.severity >= 8 ? "; REP option ignored" : "");
    if (!update.replace || update.severity >= 8) {
        output.fn[0] = '$';
        memcpy(output.fn + 1, update.source.fn, sizeof(name) - 1);
    }
    if (code == 0)
        code = write_source(&update, &output, number);
    end = close_log(&update);
    return code != 0 ? code : end != 0 ? end : update.severity;
}
