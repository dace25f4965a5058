/*
 * EXECIO: records between execs and files, the reader, punch and printer, and CP.
 *
 *   EXECIO n|* DISKR fn ft [fm [line]] | DISKW fn ft fm [line [recfm [lrecl]]] | CARD | PUNCH | PRINT | CP | EMSG
 *          ( options
 *
 * What is read goes to the program stack, or with STEM and VAR to variables of the exec; what is written comes from
 * there, or with STRING from the line itself. Files stay open until FINIS or the end of the command that the user
 * typed.
 */
#include "command.h"

enum { ALL = 0x7fffffff };

struct execio {
    u32 count, margin_from, margin_to, zone_from, zone_to, buffer;
    int finish, lifo, skip, strip, upcase, quiet, truncated;
    char control;               /* of PRINT; 0: the first character of each record */
    char stem[LINE_MOST], var[LINE_MOST];
    u32 stem_length, var_length, string_length, done;
    const char *string;
    char find[LINE_MOST];
    u32 find_length;
    enum { EVERY, LOCATE, FIND, AVOID } which;
};

static int bad(const char *what)
{
    message("EIO", 621, 'E', what);
    return RC_SYNTAX;
}

/* A variable: the stem and a number, or the one of VAR. */
static int set_variable(const struct execio *io, u32 number, const char *text, u32 length)
{
    char variable[LINE_MOST + 12];
    u32 n = io->var_length, bits;

    if (io->stem_length > 0) {
        memcpy(variable, io->stem, io->stem_length);
        n = io->stem_length + format(variable + io->stem_length, 12, "%u", number);
    } else {
        memcpy(variable, io->var, n);
    }
    bits = exec_set(variable, n, text, length);
    return bits & 0x98 ? 2008 : 0;
}

static int give(struct execio *io, const char *text, u32 length)
{
    u32 from = io->margin_from - 1 < length ? io->margin_from - 1 : length,
        to = io->margin_to < length ? io->margin_to : length;
    char copy[LINE_MOST];

    text += from;
    length = to - from;
    if (io->strip)
        length = length_of(text, length);
    io->done++;
    if (io->skip)
        return 0;
    if (io->stem_length > 0 || io->var_length > 0)
        return set_variable(io, io->done, text, length);
    length = length > LINE_MOST ? LINE_MOST : length;
    for (u32 n = 0; n < length; n++)
        copy[n] = io->upcase ? upper(text[n]) : text[n];
    return stack_line(copy, length, io->lifo != 0) ? 0 : 41;
}

/* Whether LOCATE, FIND and AVOID want the record. */
static bool wanted(const struct execio *io, const char *text, u32 length)
{
    bool there = false;

    if (io->which == EVERY)
        return true;
    length = length < io->zone_to ? length : io->zone_to;
    for (u32 at = io->zone_from - 1; !there && at + io->find_length <= length; at++) {
        there = memcmp(text + at, io->find, io->find_length) == 0;
        if (io->which == FIND)
            break;
    }
    return there == (io->which != AVOID);
}

/* The next record to be written; false at the end. */
static bool take(struct execio *io, struct place *place, u32 *length)
{
    char *record;
    char variable[LINE_MOST + 12];
    const char *text;
    u32 n = io->var_length;

    if (io->string != NULL) {
        *length = io->string_length;
        memcpy(make_room(place, *length), io->string, *length);
    } else if (io->stem_length > 0 || io->var_length > 0) {
        if (io->stem_length > 0) {
            memcpy(variable, io->stem, io->stem_length);
            n = io->stem_length + format(variable + io->stem_length, 12, "%u", io->done + 1);
        } else {
            memcpy(variable, io->var, n);
        }
        if (exec_get(variable, n, &text, length) & 0x98)
            return false;
        memcpy(make_room(place, *length), text, *length);
    } else {
        *length = read_line(make_room(place, LINE_MOST + 1));
    }
    record = place->at;
    u32 from = io->margin_from - 1 < *length ? io->margin_from - 1 : *length,
        to = io->margin_to < *length ? io->margin_to : *length;
    memmove(record, record + from, to - from);
    *length = io->strip ? length_of(record, to - from) : to - from;
    for (n = 0; io->upcase && n < *length; n++)
        record[n] = upper(record[n]);
    return true;
}

/* With STEM and *, the number of records is in the stem's variable 0. */
static int count_of_stem(struct execio *io)
{
    char variable[LINE_MOST + 2];
    const char *text;
    u32 length;

    if (io->count != ALL || io->stem_length == 0)
        return 0;
    memcpy(variable, io->stem, io->stem_length);
    variable[io->stem_length] = '0';
    if ((exec_get(variable, io->stem_length + 1, &text, &length) & 0x98) || !parse_number(text, length, &io->count))
        return bad("the stem has no number of lines");
    return 0;
}

static int end_stem(const struct execio *io)
{
    char number[12];

    if (io->stem_length == 0)
        return 0;
    return set_variable(io, 0, number, format(number, sizeof number, "%u", io->done));
}

static int disk_read(struct execio *io, const struct call *call, u32 words)
{
    struct open_file *file;
    struct fileid id;
    u32 line = 0, longest, length, first, tried = 0;
    char *record;
    int error, code = 0;

    if (words < 5 || words > 7)
        return bad("DISKR needs a file");
    if (!parse_fileid("EIO", call, 3, words > 6 ? 3 : words - 3, &id))
        return RC_SYNTAX;
    if (words > 6 && !parse_number(call->token[6], name_length(call->token[6]), &line))
        return bad("the line number");
    if (words > 5 && id.fm[0] == ' ')
        id.fm[0] = '*';
    if (id.fm[0] == ' ')
        id.fm[0] = '*';
    error = file_open(&id, EDF_READ, &file);
    if (error != EDF_OK)
        return error == EDF_NOT_FOUND ? RC_MISSING : file_problem("EIO", error, &id, false);
    if (line > 0)
        file->next_read = line;
    longest = edf_word(file->file.fst + FST_LRECL);
    record = obtain_command(longest + 1);
    first = file->next_read;
    while (code == 0 && (io->which != EVERY ? tried : io->done) < io->count) {
        error = edf_read(&file->file, file->next_read, record, longest, &length);
        if (error == EDF_END) {
            code = io->count != ALL ? 2 : io->which != EVERY ? 3 : 0;
            break;
        }
        if (error != EDF_OK) {
            code = 1000 + (error == EDF_IO ? 3 : 13);
            break;
        }
        file->next_read++;
        tried++;
        attend();
        if (!wanted(io, record, length))
            continue;
        if (io->which != EVERY) {
            char numbers[24];

            code = give(io, numbers, format(numbers, sizeof numbers, "%u %u", file->next_read - first,
                                            file->next_read - 1));
            if (code == 0)
                code = give(io, record, length);
            break;
        }
        code = give(io, record, length);
    }
    if (code == 0 && io->which != EVERY && io->done == 0 && io->count > 0)
        code = 3;
    release(record);
    if (io->finish)
        (void)file_finish(file);
    return code != 0 && code != 2 && code != 3 ? code : end_stem(io) != 0 ? 2008 : code;
}

static int disk_write(struct execio *io, const struct call *call, u32 words)
{
    struct open_file *file;
    struct fileid id;
    struct place record = { 0 };
    u32 line = 0, lrecl = 0, length;
    u8 recfm = EDF_V;
    int error, code;

    if (words < 6 || words > 9)
        return bad("DISKW needs a file and its mode");
    if (!parse_fileid("EIO", call, 3, 3, &id))
        return RC_SYNTAX;
    if (words > 6 && !parse_number(call->token[6], name_length(call->token[6]), &line))
        return bad("the line number");
    if (words > 7) {
        if (!is(call->token[7], "F") && !is(call->token[7], "V"))
            return bad("the record format");
        recfm = (u8)call->token[7][0];
    }
    if (words > 8 && (!parse_number(call->token[8], name_length(call->token[8]), &lrecl) || lrecl == 0 ||
                      (recfm == EDF_V && lrecl > EDF_MOST_V)))
        return bad("the record length");
    if (!legal_name(id.fn) || !legal_name(id.ft))
        return 1020;
    code = count_of_stem(io);
    if (code != 0)
        return code;
    error = file_open(&id, EDF_UPDATE, &file);
    if (error != EDF_OK)
        return error == EDF_READ_ONLY ? 1012 : error == EDF_NOT_FOUND ? 1036 : 1013;
    if (edf_word(file->file.fst + FST_RECORDS) == 0) {
        file->file.fst[FST_RECFM] = recfm;
        edf_set_word(file->file.fst + FST_LRECL, recfm == EDF_F && lrecl == 0 ? 80 : lrecl);
    }
    lrecl = file->file.fst[FST_RECFM] == EDF_F ? edf_word(file->file.fst + FST_LRECL) : 0;
    if (line > 0)
        file->next_write = line;
    while (code == 0 && io->done < io->count && take(io, &record, &length)) {
        /* From the terminal or the stack, a null line is the end of ever so many. */
        if (length == 0 && io->count == ALL)
            break;
        if (length < lrecl || length == 0) {
            u32 full = lrecl == 0 ? 1 : lrecl;

            memset(make_room(&record, full) + length, ' ', full - length);
            length = full;
        }
        io->truncated |= lrecl > 0 && length > lrecl;
        if (lrecl > 0)
            length = lrecl;
        error = edf_write(&file->file, file->next_write, record.at, length);
        code = error == EDF_OK ? 0 : error == EDF_FULL ? 1013 : error == EDF_LENGTH ? 1007 : error == EDF_STORAGE ? 1025
            : 1003;
        file->next_write += error == EDF_OK;
        io->done++;
        attend();
    }
    release(record.at);
    if (code != 0 && !io->quiet)
        message("EIO", 632, 'E', code == 1013 ? "13" : code == 1007 ? "7" : code == 1025 ? "25" : "3", "WRBUF");
    if (io->finish && file_finish(file) != EDF_OK)
        code = code == 0 ? 1013 : code;
    return code == 0 && io->truncated ? 1 : code;
}

static int ask_cp(struct execio *io)
{
    enum { USUAL = 65536 };
    const u32 all = io->buffer != 0 ? io->buffer : USUAL;
    char *response = obtain_command(all), record[256];
    u32 room = all, length, at = 0;
    const char *text = io->string;
    int code, worse = 0;

    length = io->string_length;
    if (text == NULL) {
        length = read_line(record);
        text = record;
    }
    code = cp(text, length, response, &room);
    if (room & 0x80000000u) {
        room = all;
        worse = 1;
    }
    while (at < room && io->done < io->count) {
        u32 n = 0;

        while (at + n < room && response[at + n] != 0x15)
            n++;
        if (wanted(io, response + at, n)) {
            int given = give(io, response + at, n);

            if (given != 0)
                return given;
        }
        at += n + 1;
    }
    release(response);
    if (at < room && io->count != ALL && io->count != 0)
        worse = 0;
    if (end_stem(io) != 0)
        return 2008;
    return code != 0 ? 1000 + code : worse;
}

static int units(struct execio *io, const char *what)
{
    struct place place = { 0 };
    bool card = strcmp(what, "CARD") == 0, print = strcmp(what, "PRINT") == 0, emsg = strcmp(what, "EMSG") == 0;
    u32 length;
    int code = 0;

    if (!card && (code = count_of_stem(io)) != 0)
        return code;
    while (code == 0 && io->done < io->count) {
        if (card) {
            char image[80];

            code = unit_read(READER_UNIT, image, &length);
            if (code != 0)
                return end_stem(io) != 0 ? 2008 : code == 2 ? (io->count == ALL ? 0 : 2) : 1000 + code;
            code = give(io, image, length);
            continue;
        }
        if (!take(io, &place, &length) || (length == 0 && io->count == ALL))
            break;
        io->done++;
        if (emsg) {
            const char *shown = place.at;

            edit_message(&shown, &length);
            if (length > 0)
                type_line(shown, length);
        } else if (print) {
            if (io->control != 0) {
                char *line = make_room(&place, length + 1);

                memmove(line + 1, line, length++);
                line[0] = io->control;
            }
            code = print_controlled(place.at, length);
        } else {
            char image[80];

            pad(image, 80, place.at, length);
            code = unit_write(PUNCH_UNIT, 0x01, image, 80);
        }
        code = code == 0 ? 0 : 1000 + code;
    }
    return card && code == 0 && end_stem(io) != 0 ? 2008 : code;
}

/* A number of columns that follows an option. */
static bool number_at(const name *token, u32 count, u32 n, u32 *value)
{
    return n < count && token[n][0] != ')' && (is(token[n], "*") ? (*value = ALL, true) : parse_number(token[n],
        name_length(token[n]), value));
}

/* The words of the line after the parenthesis, since variables and strings are longer than tokens. */
static const char *option_text(const struct call *call, const char *word, u32 *length)
{
    const char *at = call->line;
    u32 size = (u32)strlen(word);

    while (at < call->end && *at != '(')
        at++;
    for (; at + size <= call->end; at++) {
        u32 n = 0;

        while (n < size && upper(at[n]) == word[n])
            n++;
        if (n < size || (at + n < call->end && at[n] != ' ') || (at[-1] != ' ' && at[-1] != '('))
            continue;
        at += n;
        at += at < call->end;
        *length = (u32)(call->end - at);
        return at;
    }
    return NULL;
}

static bool variable(const struct call *call, const char *word, char *to, u32 *length)
{
    u32 rest, n = 0;
    const char *at = option_text(call, word, &rest);

    while (at != NULL && rest > 0 && *at == ' ')
        at++, rest--;
    while (at != NULL && n < rest && at[n] != ' ' && at[n] != ')' && n < LINE_MOST) {
        to[n] = upper(at[n]);
        n++;
    }
    *length = n;
    return n > 0;
}

/* /text/; its words are no options. */
static bool delimited(const struct call *call, const char *word, struct execio *io, u32 *within)
{
    name words[TOKENS_MOST + 1];
    u32 rest, n = 1;
    const char *at = option_text(call, word, &rest);

    while (at != NULL && rest > 0 && *at == ' ')
        at++, rest--;
    if (at == NULL || rest < 2)
        return false;
    while (n < rest && at[n] != at[0])
        n++;
    io->find_length = n - 1 < LINE_MOST ? n - 1 : LINE_MOST;
    memcpy(io->find, at + 1, io->find_length);
    *within = tokenize(at, n < rest ? n + 1 : n, words);
    return true;
}

static int parse_options(const struct call *call, struct execio *io)
{
    const name *token = (const name *)call->token;
    u32 within;

    for (u32 n = operands(call) + 1; n < call->count && token[n][0] != ')'; n++) {
        if (abbreviates(token[n], "FINIS", 2)) {
            io->finish = 1;
        } else if (abbreviates(token[n], "FIFO", 2)) {
            io->lifo = 0;
        } else if (abbreviates(token[n], "LIFO", 2)) {
            io->lifo = 1;
        } else if (abbreviates(token[n], "SKIP", 2)) {
            io->skip = 1;
        } else if (abbreviates(token[n], "STRIP", 3)) {
            io->strip = 1;
        } else if (abbreviates(token[n], "NOTYPE", 3)) {
            io->quiet = 1;
        } else if (abbreviates(token[n], "CASE", 2)) {
            if (++n >= call->count || (!is(token[n], "U") && !is(token[n], "M")))
                return bad("CASE is U or M");
            io->upcase = token[n][0] == 'U';
        } else if (abbreviates(token[n], "ZONE", 1)) {
            if (!number_at(token, call->count, n + 1, &io->zone_from) ||
                !number_at(token, call->count, n + 2, &io->zone_to) ||
                io->zone_from == 0 || io->zone_to < io->zone_from)
                return bad("ZONE");
            n += 2;
        } else if (abbreviates(token[n], "BUFFER", 1)) {
            if (!number_at(token, call->count, n + 1, &io->buffer) || io->buffer == 0)
                return bad("BUFFER");
            n++;
        } else if (is(token[n], "CC")) {
            if (++n >= call->count || (!is(token[n], "DATA") && name_length(token[n]) != 1))
                return bad("CC is a character or DATA");
            io->control = is(token[n], "DATA") ? 0 : token[n][0];
        } else if (abbreviates(token[n], "MARGINS", 2)) {
            if (!number_at(token, call->count, n + 1, &io->margin_from) ||
                !number_at(token, call->count, n + 2, &io->margin_to) ||
                io->margin_from == 0 || io->margin_to < io->margin_from)
                return bad("MARGINS");
            n += 2;
        } else if (is(token[n], "STEM")) {
            if (!variable(call, "STEM", io->stem, &io->stem_length))
                return bad("STEM");
            n++;
        } else if (is(token[n], "VAR")) {
            if (!variable(call, "VAR", io->var, &io->var_length))
                return bad("VAR");
            n++;
        } else if (is(token[n], "LOCATE") || is(token[n], "FIND") || is(token[n], "AVOID")) {
            io->which = is(token[n], "LOCATE") ? LOCATE : is(token[n], "FIND") ? FIND : AVOID;
            if (!delimited(call, io->which == LOCATE ? "LOCATE" : io->which == FIND ? "FIND" : "AVOID", io, &within))
                return bad("the text to look for");
            n += within;
        } else if (is(token[n], "STRING")) {
            io->string = option_text(call, "STRING", &io->string_length);
            if (io->string == NULL)
                return bad("STRING");
            break;
        } else {
            message("EIO", 3, 'E', token[n]);
            return RC_SYNTAX;
        }
    }
    return 0;
}

int execio_command(const struct call *call)
{
    struct execio *io = obtain_command(sizeof *io);
    u32 words = operands(call);
    int code;

    memset(io, 0, sizeof *io);
    io->margin_from = 1;
    io->margin_to = ALL;
    io->zone_from = 1;
    io->zone_to = ALL;
    if (words < 3)
        return bad("a count and an operation are needed");
    if (is(call->token[1], "*"))
        io->count = ALL;
    else if (!parse_number(call->token[1], name_length(call->token[1]), &io->count))
        return bad("the count is no number");
    code = parse_options(call, io);
    if (code != 0)
        return code;
    if (io->string != NULL && io->count == ALL && !is(call->token[2], "CP"))
        io->count = 1;
    if (is(call->token[2], "DISKR"))
        code = disk_read(io, call, words);
    else if (is(call->token[2], "DISKW"))
        code = disk_write(io, call, words);
    else if (is(call->token[2], "CP"))
        code = ask_cp(io);
    else if (is(call->token[2], "CARD") || is(call->token[2], "PUNCH") || is(call->token[2], "PRINT") ||
             is(call->token[2], "EMSG"))
        code = units(io, is(call->token[2], "CARD") ? "CARD" : is(call->token[2], "PRINT") ? "PRINT"
                     : is(call->token[2], "EMSG") ? "EMSG" : "PUNCH");
    else
        code = bad("there is no such operation");
    release(io);
    return code;
}
