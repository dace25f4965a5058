/*
 * SENDFILE, RECEIVE, DISCARD: files between users, by punch and reader.
 *
 * A file goes as NETDATA (netdata.c), so it comes with its name, format and date. RECEIVE also takes what PUNCH has sent. What was sent
 * and received is noted in userid NETLOG A0.
 */
#include "command.h"

enum { CARD = 80 };

/* Appends a line to userid NETLOG A0, if A can be written. */
static void log_line(const char *line, u32 length)
{
    struct fileid id = { .ft = "NETLOG  ", .fm = "A0" };
    struct disk *disk = disk_at('A');
    struct open_file *file;

    if (disk == NULL || disk->read_only)
        return;
    identification(id.fn);
    if (file_open(&id, EDF_UPDATE, &file) != EDF_OK)
        return;
    if (edf_word(file->file.fst + FST_RECORDS) == 0)
        file->file.fst[FST_RECFM] = EDF_V;
    if (edf_write(&file->file, file->next_write, line, length) != EDF_OK)
        file_abandon(file);
    else
        (void)file_finish(file);
}

static u32 when(char *to, u32 room)
{
    struct moment at;

    now(&at);
    return format(to, room, " on %02u/%02u/%02u %02u:%02u:%02u", at.month, at.day, at.year % 100, at.hour, at.minute, at.second);
}

/* A CP command whose answer is only of interest if it fails. */
static int quietly(const char *line, u32 length)
{
    char response[256];
    u32 room = sizeof response;
    int code = cp(line, length, response, &room);

    if (code != 0 && room > 0 && !(room & 0x80000000u))
        type_line(response, response[room - 1] == 0x15 ? room - 1 : room);
    return code;
}

struct sending { int log, show; name class; };

static int send_one(const struct sending *how, struct reader *reader, const struct recipient *to)
{
    struct netdata_file file = { .mode_number = reader->id.fm[1] };
    const u8 *fst = reader->file->file.fst;
    struct sender sender;
    char line[128], text[24], command[96];
    u32 length;
    int code = 0;

    memcpy(file.fn, reader->id.fn, sizeof(name));
    memcpy(file.ft, reader->id.ft, sizeof(name));
    file.recfm = (char)fst[FST_RECFM];
    file.lrecl = edf_word(fst + FST_LRECL);
    file.records = edf_word(fst + FST_RECORDS);
    identification(file.userid);
    node_of(file.node);
    file.stamp[0] = fst[FST_FLAGS] & FST_CENTURY_FLAG;
    memcpy(file.stamp + 1, fst + FST_STAMP, 6);
    netdata_begin(&sender, &file, to);
    reader->number = 0;
    while (reader_next("SFD", reader, &code))
        netdata_record(&sender, reader->record, reader->length);
    if (code == 0 && netdata_end(&sender) != 0) {
        message("SFD", 118, 'S', show_id(&reader->id, text));
        code = RC_IO;
    }
    if (code == 0 && to->node[0] != ' ' && memcmp(to->node, file.node, sizeof(name)) != 0) {
        length = format(command, sizeof command, "TAG DEV %03x %t %t", PUNCH_UNIT, to->node, to->userid);
        code = quietly(command, length);
    }
    if (code == 0) {
        bool local = to->node[0] == ' ' || memcmp(to->node, file.node, sizeof(name)) == 0;

        length = format(command, sizeof command, "CLOSE %03x TO %t CLASS %t NAME %t %t", PUNCH_UNIT, local ? to->userid : "RSCS    ",
                        how->class, file.fn, file.ft);
        code = quietly(command, length);
    }
    if (code != 0) {
        quietly(command, format(command, sizeof command, "CLOSE %03x PURGE", PUNCH_UNIT));
        return code;
    }
    length = format(line, sizeof line, "File %s sent to %t at %t", show_id(&reader->id, text), to->userid,
                    to->node[0] == ' ' ? file.node : to->node);
    length += when(line + length, sizeof line - length);
    if (how->show)
        type_line(line, length);
    if (how->log)
        log_line(line, length);
    return 0;
}

/* The words behind the file: names, each perhaps AT a node. */
static int parse_recipients(const struct call *call, u32 from, u32 words, struct recipient *list, u32 *count)
{
    *count = 0;
    for (u32 n = from; n < words; n++) {
        if (n + 2 < words && is(call->token[n + 1], "AT") && *count < RECIPIENTS_MOST) {
            memcpy(list[*count].userid, call->token[n], sizeof(name));
            memcpy(list[(*count)++].node, call->token[n + 2], sizeof(name));
            n += 2;
        } else if (n + 1 < words && is(call->token[n + 1], "AT")) {
            message("SFD", 50, 'E', call->token[n + 1]);
            return RC_SYNTAX;
        } else if (!recipients(call->token[n], list, count)) {
            message("SFD", 630, 'E', RECIPIENTS_MOST);
            return RC_SYNTAX;
        }
    }
    if (*count == 0) {
        message("SFD", 631, 'E');
        return RC_SYNTAX;
    }
    return 0;
}

int sendfile_command(const struct call *call)
{
    struct sending how = { .log = 1, .show = 1, .class = "A       " };
    int ignored;
    const struct option known[] = {
        { "LOG", 3, &how.log, 1, NULL, NULL }, { "NOLOG", 5, &how.log, 0, NULL, NULL }, { "TYPE", 2, &how.show, 1, NULL, NULL },
        { "NOTYPE", 4, &how.show, 0, NULL, NULL }, { "NEW", 3, &ignored, 0, NULL, NULL }, { "NOACK", 5, &ignored, 0, NULL, NULL },
        { "CLASS", 5, NULL, 0, NULL, &how.class },
    };
    struct recipient *list = obtain_command(RECIPIENTS_MOST * sizeof *list);
    u32 words = operands(call), named = 3, count;
    struct reader reader;
    struct fileid id;
    int code = options("SFD", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    if (words < 4) {
        message("SFD", words < 2 ? 42 : words < 3 ? 54 : 631, 'E');
        return RC_SYNTAX;
    }
    if (is(call->token[3], "TO"))
        named = 2;
    if (!parse_fileid("SFD", call, 1, named, &id))
        return RC_SYNTAX;
    named++;
    if (named < words && is(call->token[named], "TO"))
        named++;
    code = parse_recipients(call, named, words, list, &count);
    if (code == 0)
        code = reader_open("SFD", &reader, &id);
    if (code != 0)
        return code;
    for (u32 n = 0; n < count; n++) {
        int result = send_one(&how, &reader, &list[n]);

        code = result != 0 ? result : code;
    }
    reader_close(&reader);
    return code;
}

/* A file of the reader, as CP's QUERY tells of it. */
struct spooled { name origin, number, fn, ft; };

/* The first file of the reader that is not held, or that of this number. False: there is none. */
static bool find_spooled(const name wanted, struct spooled *found)
{
    enum { ROOM = 16384, NAME_AT = 53, TYPE_AT = 63 };
    static const char query[] = "QUERY READER ALL";
    char *response = obtain_command(ROOM);
    u32 room = ROOM, at = 0, number = 0, other;
    name token[TOKENS_MOST + 1];
    bool good = false;

    if (wanted != NULL && !parse_number(wanted, name_length(wanted), &number))
        return false;
    if (cp(query, sizeof query - 1, response, &room) == 0) {
        room = room & 0x80000000u ? ROOM : room;
        while (at < room && !good) {
            u32 length = 0;

            while (at + length < room && response[at + length] != 0x15)
                length++;
            if (length > TYPE_AT && tokenize(response + at, length, token) > 8 &&
                parse_number(token[1], name_length(token[1]), &other) &&
                (wanted == NULL ? is(token[6], "NONE") : other == number)) {
                memcpy(found->origin, token[0], sizeof(name));
                memcpy(found->number, token[1], sizeof(name));
                pad(found->fn, sizeof(name), response + at + NAME_AT, sizeof(name));
                pad(found->ft, sizeof(name), response + at + TYPE_AT, sizeof(name));
                good = true;
            }
            at += length + 1;
        }
    }
    release(response);
    return good;
}

struct receiving { int replace, old_date, log; };

static int reader_empty(const name wanted)
{
    if (wanted != NULL)
        message("RVC", 633, 'E', wanted);
    else
        message("RVC", 125, 'E');
    return RC_MISSING;
}

/* The records of a file that PUNCH has sent, or of plain cards. */
static int take_cards(struct receiver *receiver, struct open_file *file, const struct fileid *id)
{
    int error = EDF_OK, bad = 0;

    while (bad == 0 && error == EDF_OK) {
        for (; receiver->length < CARD; receiver->length++)
            receiver->card[receiver->length] = ' ';
        error = edf_write(&file->file, file->next_write++, receiver->card, CARD);
        if (error == EDF_OK)
            bad = unit_read(READER_UNIT, receiver->card, &receiver->length);
    }
    return error == EDF_OK ? 0 : file_problem("RVC", error, id, true);
}

static int take_netdata(struct receiver *receiver, struct open_file *file, const struct fileid *id, u32 room)
{
    char *record = obtain_command(room);
    u32 length;
    int error = EDF_OK;

    while (error == EDF_OK && netdata_next(receiver, record, room, &length))
        error = edf_write(&file->file, file->next_write++, record, length);
    if (error == EDF_OK && receiver->bad) {
        message("RVC", 634, 'E');
        return RC_FORMAT;
    }
    /* The end of the spool file, so that CP is done with it. */
    while (!receiver->ended && unit_read(READER_UNIT, receiver->card, &length) == 0)
        ;
    return error == EDF_OK ? 0 : file_problem("RVC", error, id, true);
}

static void give_stamp(const struct fileid *id, const u8 stamp[7])
{
    struct disk *disk = disk_at(id->fm[0]);
    u8 *fst = disk == NULL ? NULL : edf_find(&disk->edf, (const u8 *)id->fn, (const u8 *)id->ft);

    if (fst == NULL || stamp[1] == 0)
        return;
    fst[FST_FLAGS] = (u8)((fst[FST_FLAGS] & ~FST_CENTURY_FLAG) | stamp[0]);
    memcpy(fst + FST_STAMP, stamp + 1, 6);
    edf_touched(&disk->edf, fst);
    (void)edf_commit(&disk->edf);
}

/* The reader's first file becomes a file on a disk. `id` has what the user has said of its name; the rest is the sender's. */
static int receive(const struct receiving *how, const struct spooled *spooled, struct fileid *id, struct netdata_file *sent, bool *there)
{
    struct receiver receiver = { 0 };
    bool netdata, read_card = false;
    struct open_file *file;
    struct disk *disk;
    char text[24];
    name token[TOKENS_MOST + 1];
    int code;

    if (unit_read(READER_UNIT, receiver.card, &receiver.length) != 0)
        return reader_empty(NULL);
    netdata = receiver.length > 8 && netdata_is(receiver.card);
    if (netdata) {
        if (!netdata_header(&receiver, sent)) {
            message("RVC", 634, 'E');
            return RC_FORMAT;
        }
    } else {
        memset(sent, ' ', sizeof *sent);
        memset(sent->stamp, 0, sizeof sent->stamp);
        memcpy(sent->userid, spooled->origin, sizeof(name));
        node_of(sent->node);
        memcpy(sent->fn, spooled->fn, sizeof(name));
        memcpy(sent->ft, spooled->ft, sizeof(name));
        sent->mode_number = '1';
        sent->recfm = (char)EDF_F;
        sent->lrecl = CARD;
        if (memcmp(receiver.card, ":READ ", 6) == 0 && tokenize(receiver.card, 30, token) >= 4) {
            memcpy(sent->fn, token[1], sizeof(name));
            memcpy(sent->ft, token[2], sizeof(name));
            read_card = true;
        }
    }
    if (id->fn[0] == ' ' || id->fn[0] == '=')
        memcpy(id->fn, sent->fn, sizeof(name));
    if (id->ft[0] == ' ' || id->ft[0] == '=')
        memcpy(id->ft, sent->ft, sizeof(name));
    if (id->fm[0] == ' ' || id->fm[0] == '=')
        id->fm[0] = 'A';
    if (id->fm[1] == ' ' || id->fm[1] == '=')
        id->fm[1] = sent->mode_number;
    if (!legal_name(id->fn) || !legal_name(id->ft)) {
        message("RVC", 62, 'E', '*', show_id(id, text));
        return 20;
    }
    disk = disk_at(id->fm[0]);
    *there = disk != NULL && edf_find(&disk->edf, (const u8 *)id->fn, (const u8 *)id->ft) != NULL;
    if (*there && !how->replace) {
        message("RVC", 24, 'E', show_id(id, text), "; specify REPLACE option");
        return RC_MISSING;
    }
    code = file_open(id, EDF_NEW, &file);
    if (code != EDF_OK)
        return file_problem("RVC", code, id, true);
    file->next_write = 1;
    file->file.fst[FST_RECFM] = (u8)sent->recfm;
    if (sent->recfm == (char)EDF_F)
        edf_set_word(file->file.fst + FST_LRECL, sent->lrecl);
    if (netdata)
        code = take_netdata(&receiver, file, id, EDF_MOST_V);
    else if (read_card && unit_read(READER_UNIT, receiver.card, &receiver.length) != 0)
        code = file_problem("RVC", EDF_END, id, false);
    else
        code = take_cards(&receiver, file, id);
    if (code != 0) {
        file_abandon(file);
        return code;
    }
    code = file_finish(file);
    if (code != EDF_OK)
        return file_problem("RVC", code, id, true);
    if (how->old_date)
        give_stamp(id, sent->stamp);
    return 0;
}

static int discard(const struct spooled *spooled)
{
    char line[64];
    int code = quietly(line, format(line, sizeof line, "PURGE READER %t", spooled->number));

    if (code == 0)
        type("File %t %t has been discarded", spooled->fn, spooled->ft);
    return code;
}

int receive_command(const struct call *call)
{
    struct receiving how = { .log = 1 };
    int purge = 0, ignored;
    const struct option known[] = {
        { "REPLACE", 3, &how.replace, 1, NULL, NULL }, { "OLDDATE", 4, &how.old_date, 1, NULL, NULL },
        { "NEWDATE", 4, &how.old_date, 0, NULL, NULL }, { "PURGE", 2, &purge, 1, NULL, NULL }, { "LOG", 3, &how.log, 1, NULL, NULL },
        { "NOLOG", 5, &how.log, 0, NULL, NULL }, { "NOACK", 5, &ignored, 0, NULL, NULL },
    };
    u32 words = operands(call), first = 1;
    struct netdata_file sent;
    struct spooled spooled;
    struct fileid id;
    char line[160], text[24], old[24];
    bool numbered, there = false;
    u32 length;
    int code = options("RVC", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    numbered = words > 1 && is_digit(call->token[1][0]);
    first += numbered;
    if (words > first + 3) {
        message("RVC", 70, 'E', call->token[first + 3]);
        return RC_SYNTAX;
    }
    if (!parse_fileid("RVC", call, first, words > first ? words - first : 0, &id))
        return RC_SYNTAX;
    if (!find_spooled(numbered ? call->token[1] : NULL, &spooled))
        return reader_empty(numbered ? call->token[1] : NULL);
    if (purge)
        return discard(&spooled);
    code = numbered ? quietly(line, format(line, sizeof line, "CHANGE READER %t NOHOLD", spooled.number)) : 0;
    if (code == 0)
        code = quietly(line, format(line, sizeof line, "ORDER READER %t", spooled.number));
    if (code != 0)
        return code;
    code = receive(&how, &spooled, &id, &sent, &there);
    if (code != 0) {
        /* What could not be received stays. */
        quietly(line, format(line, sizeof line, "CLOSE %03x HOLD", READER_UNIT));
        quietly(line, format(line, sizeof line, "CHANGE READER %t NOHOLD", spooled.number));
        return code;
    }
    {
        struct fileid from = { .fm = { 'A', sent.mode_number } };

        memcpy(from.fn, sent.fn, sizeof(name));
        memcpy(from.ft, sent.ft, sizeof(name));
        length = format(line, sizeof line, "File %s %s %s received from %t at %t", show_id(&id, text), there ? "replaced by" : "created from",
                        show_id(&from, old), sent.userid, sent.node);
    }
    type_line(line, length);
    if (how.log) {
        length += when(line + length, sizeof line - length);
        log_line(line, length);
    }
    return 0;
}

int discard_command(const struct call *call)
{
    struct spooled spooled;

    if (call->count != 2) {
        message("DSC", call->count < 2 ? 50 : 70, 'E', call->count < 2 ? call->token[0] : call->token[2]);
        return RC_SYNTAX;
    }
    if (!find_spooled(call->token[1], &spooled)) {
        message("DSC", 633, 'E', call->token[1]);
        return RC_MISSING;
    }
    return discard(&spooled);
}
