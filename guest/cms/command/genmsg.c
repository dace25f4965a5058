/*
 * GENMSG: a message repository, from the file that people write to the TEXT file that SET LANGUAGE reads.
 *
 *   GENMSG fn ft fm applid [AMENG] [( LIST NOLIST OBJECT NOOBJECT MARGIN n
 *
 * Lines with an asterisk in front say nothing. The first that does has the character after which substitutions are
 * numbered and how many digits numbers have at least: `& 3`. The others are messages: number (4), format (2), line (2),
 * severity (1), a blank, text.
 */
#include "repository.h"

enum { TEXT_AT = 10, DECK_CARD = 80, TXT_MOST = 56, LIST_COLUMN = 8 };

struct making { u8 *at; u32 length, room; u32 bad, messages; struct open_file *list; u32 lines; int error; };

static void listed(struct making *making, const char *line, u32 length)
{
    if (making->list != NULL && making->error == EDF_OK)
        making->error = edf_write(&making->list->file, ++making->lines, length == 0 ? " " : line, length == 0 ? 1
                                  : length);
}

/* A line of the listing: the record's number, and the record. */
static void list_record(struct making *making, const struct reader *reader, u32 length)
{
    char shown[LINE_MOST];

    length = length > LINE_MOST - LIST_COLUMN ? LINE_MOST - LIST_COLUMN : length;
    (void)format(shown, sizeof shown, "%5u   ", reader->number);
    memcpy(shown + LIST_COLUMN, reader->record, length);
    listed(making, shown, LIST_COLUMN + length);
}

static bool append(struct making *making, const void *bytes, u32 length)
{
    if (making->length + length > making->room) {
        u32 room = (making->room + length) * 2 + 4096;
        u8 *more = obtain(room, OWNER_COMMAND);

        if (more == NULL)
            return false;
        memcpy(more, making->at, making->length);
        if (making->at != NULL)
            release(making->at);
        making->at = more;
        making->room = room;
    }
    memcpy(making->at + making->length, bytes, length);
    making->length += length;
    return true;
}

/* `& 3` */
static bool control_line(const char *record, u32 length, struct repository_head *head)
{
    name token[TOKENS_MOST + 1];
    u32 digits;

    if (record[0] == ' ' || tokenize(record, length, token) != 2 || name_length(token[0]) != 1 ||
        !parse_number(token[1], name_length(token[1]), &digits) || (digits != 3 && digits != 4))
        return false;
    head->substitute = record[0];
    head->digits = (u8)digits;
    return true;
}

/* A number, right-aligned in its columns. Without one it is `otherwise`. */
static bool column_number(const char *at, u32 columns, u32 otherwise, u32 *number)
{
    u32 blanks = 0;

    while (blanks < columns && at[blanks] == ' ')
        blanks++;
    *number = otherwise;
    return blanks == columns ? otherwise != 0 : parse_number(at + blanks, columns - blanks, number);
}

/* A message, after all of the last one. Format and line are 1 if nothing else is said, the severity is blank. */
static bool message_of(const char *record, u32 length, const struct repository_line *last, struct repository_line *made)
{
    u32 number, how, line;

    if (length < TEXT_AT || record[9] != ' ' || !column_number(record, 4, 0, &number) ||
        !column_number(record + 4, 2, 1, &how) || !column_number(record + 6, 2, 1, &line) ||
        (record[8] != ' ' && !is_letter(upper(record[8]))) || number == 0 || how == 0 || line == 0 ||
        length - TEXT_AT > 240)
        return false;
    *made = (struct repository_line){ { (u8)(number >> 8), (u8)number }, (u8)how, (u8)line, (u8)upper(record[8]),
                                      (u8)(length - TEXT_AT) };
    return memcmp(made, last, 4) > 0;
}

static int compile(struct reader *reader, struct making *making, const name application, u32 margin)
{
    struct repository_head head = { .mark = REPOSITORY_MARK };
    struct repository_line last = { { 0, 0 }, 0, 0, 0, 0 }, line;
    static const u8 end[2] = { 0, 0 };
    char text[24];
    bool good = true;
    int code = 0;

    memcpy(head.application, application, APPLICATION);
    while (good && reader_next("GMS", reader, &code)) {
        static const char wrong[] = "******* the line above is no message in its place";
        u32 length = length_of(reader->record, reader->length < margin ? reader->length : margin);

        list_record(making, reader, length);
        if (length == 0 || reader->record[0] == '*')
            continue;
        if (head.digits == 0 ? !control_line(reader->record, length, &head)
            : !message_of(reader->record, length, &last, &line)) {
            message("GMS", 1092, 'E', reader->number, show_id(&reader->id, text));
            listed(making, wrong, sizeof wrong - 1);
            making->bad++;
            continue;
        }
        if (making->length == 0) {
            good = append(making, &head, sizeof head);
            continue;
        }
        last = line;
        making->messages++;
        good = append(making, &line, sizeof line) && append(making, reader->record + TEXT_AT, line.length);
    }
    if (code == 0 && making->bad == 0 && making->length == 0) {
        message("GMS", 1092, 'E', 1, show_id(&reader->id, text));
        making->bad++;
    }
    if (!good || !append(making, end, sizeof end)) {
        message("GMS", 109, 'S');
        return RC_STORAGE;
    }
    return code;
}

static void halfword(u8 *at, u32 value)
{
    at[0] = (u8)(value >> 8);
    at[1] = (u8)value;
}

/* The deck: a section of that name with all of it. */
static int write_deck(const struct making *making, const struct fileid *id)
{
    struct open_file *file;
    u8 card[DECK_CARD];
    u32 record = 0;
    int error = file_open(id, EDF_NEW, &file);

    if (error != EDF_OK)
        return file_problem("GMS", error, id, true);
    file->file.fst[FST_RECFM] = EDF_F;
    memset(card, ' ', sizeof card);
    memcpy(card, "\x02" "ESD", 4);
    halfword(card + 10, 16);
    halfword(card + 14, 1);
    memcpy(card + 16, id->fn, sizeof(name));
    edf_set_word(card + 24, 0);
    edf_set_word(card + 28, making->length);
    card[28] = ' ';
    error = edf_write(&file->file, ++record, card, sizeof card);
    for (u32 at = 0; error == EDF_OK && at < making->length; at += TXT_MOST) {
        u32 count = making->length - at < TXT_MOST ? making->length - at : TXT_MOST;

        memset(card, ' ', sizeof card);
        edf_set_word(card + 4, at);
        memcpy(card, "\x02" "TXT ", 5);
        halfword(card + 10, count);
        halfword(card + 14, 1);
        memcpy(card + 16, making->at + at, count);
        error = edf_write(&file->file, ++record, card, sizeof card);
    }
    memset(card, ' ', sizeof card);
    memcpy(card, "\x02" "END", 4);
    if (error == EDF_OK)
        error = edf_write(&file->file, ++record, card, sizeof card);
    if (error != EDF_OK) {
        file_abandon(file);
        return file_problem("GMS", error, id, true);
    }
    return file_problem("GMS", file_finish(file), id, true);
}

int genmsg_command(const struct call *call)
{
    int list = 1, object = 1, code;
    u32 margin = 0, words = operands(call);
    const struct option known[] = {
        FLAG("LIST", 2, &list, 1), FLAG("NOLIST", 3, &list, 0), FLAG("OBJECT", 3, &object, 1),
        FLAG("NOOBJECT", 3, &object, 0), NUMBER("MARGIN", 1, &margin),
    };
    struct making making = { .error = EDF_OK };
    struct reader reader;
    struct fileid id, listing;
    int end = 0;

    code = options("GMS", call, known, COUNT_OF(known));
    if (code != 0)
        return code;
    if (words < 5) {
        message("GMS", words < 2 ? 1 : words < 4 ? 54 : 50, 'E', call->token[words - 1]);
        return RC_SYNTAX;
    }
    if (words > 6 || (words == 6 && !is(call->token[5], "AMENG"))) {
        message("GMS", 70, 'E', call->token[words > 6 ? 6 : 5]);
        return RC_SYNTAX;
    }
    if (name_length(call->token[4]) != APPLICATION || !legal_name(call->token[4])) {
        message("GMS", 70, 'E', call->token[4]);
        return RC_SYNTAX;
    }
    if (!parse_fileid("GMS", call, 1, 3, &id))
        return RC_SYNTAX;
    if ((code = reader_open("GMS", &reader, &id)) != 0)
        return code;
    if (reader.id.fm[0] == 'A' && ((list && is(reader.id.ft, "LISTING")) || (object && is(reader.id.ft, "TEXT")))) {
        message("GMS", 41, 'E');
        reader_close(&reader);
        return RC_SYNTAX;
    }
    if (margin == 0)
        margin = reader.file->file.fst[FST_RECFM] == EDF_F && reader.room == DECK_CARD ? 72 : LINE_MOST;
    listing = reader.id;
    memcpy(listing.ft, "LISTING ", sizeof(name));
    memcpy(listing.fm, "A1", 2);
    if (list) {
        int error = file_open(&listing, EDF_NEW, &making.list);

        if (error != EDF_OK) {
            reader_close(&reader);
            return file_problem("GMS", error, &listing, true);
        }
        making.list->file.fst[FST_RECFM] = EDF_V;
    }
    code = compile(&reader, &making, call->token[4], margin);
    reader_close(&reader);
    if (making.list != NULL && making.lines > 0)
        end = file_problem("GMS", making.error != EDF_OK ? making.error : file_finish(making.list), &listing, true);
    else if (making.list != NULL)
        file_abandon(making.list);
    if (code == 0 && making.bad > 0)
        code = RC_FORMAT;
    if (code == 0 && object) {
        memcpy(listing.ft, "TEXT    ", sizeof(name));
        code = write_deck(&making, &listing);
    }
    return code != 0 ? code : end;
}
