/*
 * RECEIVE, DISCARD: files that other users have sent.
 *
 * RECEIVE takes NETDATA (netdata.c), cards of DISK DUMP (disk.c), cards of PUNCH with their :READ card, and any others,
 * which become a file by the spool file's name. A note goes into a notebook. If its sender wants to know, an
 * acknowledgment is sent; one that comes is told and is no file. What was received is noted in userid NETLOG A0.
 */
#include "command.h"

enum { CARD = 80 };

/* The first file of the reader that is not held, or that of this number. False: there is none. */
bool find_spooled(const name wanted, struct spooled *found)
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
                if (!parse_number(token[4], name_length(token[4]), &found->records))
                    found->records = 0;
                found->held = !is(token[6], "NONE");
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

/* What could not be read stays, and is the next one's again. */
void put_back(const struct spooled *spooled)
{
    char line[64];

    quietly(line, format(line, sizeof line, "CLOSE %03x HOLD", READER_UNIT));
    if (spooled->number[0] != ' ' && !spooled->held)
        quietly(line, format(line, sizeof line, "CHANGE READER %t NOHOLD", spooled->number));
}

struct receiving { int replace, old_date, log, acknowledge, prompting; name notebook; };

/* What one RECEIVE is at. */
struct arrival {
    struct receiver receiver;
    struct spooled spooled;
    struct netdata_file sent;
    struct fileid id;           /* what the user has said of its name, then what it is called */
    bool there;                 /* and there was one of that name */
    bool refused;               /* the user does not want it */
};

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

static int take_netdata(struct receiver *receiver, struct open_file *file, const struct fileid *id)
{
    struct place record = { 0 };
    u32 length;
    int error = EDF_OK;

    while (error == EDF_OK && netdata_next(receiver, &record, &length))
        error = edf_write(&file->file, file->next_write++, record.at, length);
    if (error == EDF_OK && receiver->bad) {
        message("RVC", 634, 'E');
        return RC_FORMAT;
    }
    return error == EDF_OK ? 0 : file_problem("RVC", error, id, true);
}

/* The name: what the user has said, and the rest the sender's; and whether the file may be written. */
static int settle(const struct receiving *how, struct arrival *arrival)
{
    const struct netdata_file *sent = &arrival->sent;
    struct fileid *id = &arrival->id;
    bool expected;
    struct disk *disk;
    char text[24];

    if (id->fn[0] == ' ' || id->fn[0] == '=')
        memcpy(id->fn, sent->fn, sizeof(name));
    if (id->ft[0] == ' ' || id->ft[0] == '=')
        memcpy(id->ft, sent->ft, sizeof(name));
    if (id->fm[0] == ' ' || id->fm[0] == '=')
        id->fm[0] = 'A';
    if (id->fm[1] == ' ' || id->fm[1] == '=')
        id->fm[1] = sent->mode_number;
    expected = memcmp(id->fn, arrival->spooled.fn, sizeof(name)) == 0 &&
        memcmp(id->ft, arrival->spooled.ft, sizeof(name)) == 0;
    if (how->prompting == PROMPT_ALL || (how->prompting == PROMPT_OTHERS && !expected))
        arrival->refused = ask_receive("RVC", id) != REPLY_YES;
    if (arrival->refused)
        return 0;
    if (!legal_name(id->fn) || !legal_name(id->ft)) {
        message("RVC", 62, 'E', '*', show_id(id, text));
        return 20;
    }
    disk = disk_at(id->fm[0]);
    arrival->there = disk != NULL && edf_find(&disk->edf, (const u8 *)id->fn, (const u8 *)id->ft) != NULL;
    if (arrival->there && !how->replace) {
        message("RVC", 24, 'E', show_id(id, text), "; specify REPLACE option");
        return RC_MISSING;
    }
    return 0;
}

/* "File ... created from ... received from ...", typed and noted. */
static void tell(const struct receiving *how, const struct arrival *arrival)
{
    const struct netdata_file *sent = &arrival->sent;
    struct fileid from = { .fm = { 'A', sent->mode_number } };
    char line[160], text[24], old[24];
    u32 length;

    memcpy(from.fn, sent->fn, sizeof(name));
    memcpy(from.ft, sent->ft, sizeof(name));
    if (sent->acknowledged)
        length = format(line, sizeof line, "File %s %s by %t at %t", show_id(&from, old),
                        sent->discarded ? "discarded" : "received",
                        sent->userid, sent->node);
    else
        length = format(line, sizeof line, "%s %s %s %s received from %t at %t", sent->note ? "Note" : "File",
                        show_id(sent->note ? &from : &arrival->id, text),
                            sent->note ? "added to" : arrival->there ? "replaced by" : "created from",
                        show_id(sent->note ? &arrival->id : &from, old), sent->userid, sent->node);
    type_line(line, length);
    if (how->log) {
        length += on_date(line + length, sizeof line - length);
        netlog(line, length);
    }
}

/* Tells the sender, if he wants to know. */
static int answer_sender(const struct netdata_file *sent, bool discarded)
{
    struct netdata_file about = *sent;
    struct recipient to;
    struct sender sender;
    char line[64];
    int code;

    if (!sent->acknowledge)
        return 0;
    memcpy(to.userid, sent->userid, sizeof(name));
    memcpy(to.node, sent->node, sizeof(name));
    identification(about.userid);
    node_of(about.node);
    about.acknowledge = false;
    about.discarded = discarded;
    code = netdata_acknowledge(&sender, &about, &to) == 0 ? close_punch(&to, "A       ", sent->fn, sent->ft) : RC_IO;
    if (code != 0)
        quietly(line, format(line, sizeof line, "CLOSE %03x PURGE", PUNCH_UNIT));
    return code;
}

/* Reads to the end of the spool file, so that CP is done with it. */
static void read_rest(struct receiver *receiver)
{
    u32 length;

    while (!receiver->ended && unit_read(READER_UNIT, receiver->card, &length) == 0)
        ;
}

/* A line of equals signs is between the notes of a notebook. */
static int begin_note(struct open_file *file)
{
    enum { BETWEEN = 73 };
    char line[BETWEEN];

    if (edf_word(file->file.fst + FST_RECORDS) == 0)
        file->file.fst[FST_RECFM] = EDF_V;
    memset(line, '=', sizeof line);
    return edf_write(&file->file, file->next_write++, line, sizeof line);
}

/* The file's records, into the file. */
static int take_file(struct arrival *arrival, bool netdata, bool read_card)
{
    struct open_file *file;
    const struct netdata_file *sent = &arrival->sent;
    struct fileid *id = &arrival->id;
    int code = file_open(id, sent->note ? EDF_UPDATE : EDF_NEW, &file);

    if (code != EDF_OK)
        return file_problem("RVC", code, id, true);
    if (!sent->note) {
        file->next_write = 1;
        file->file.fst[FST_RECFM] = (u8)sent->recfm;
        if (sent->recfm == (char)EDF_F)
            edf_set_word(file->file.fst + FST_LRECL, sent->lrecl);
    }
    if (sent->note)
        code = file_problem("RVC", begin_note(file), id, true);
    if (code != 0)
        ;
    else if (netdata)
        code = take_netdata(&arrival->receiver, file, id);
    else if (read_card && unit_read(READER_UNIT, arrival->receiver.card, &arrival->receiver.length) != 0)
        code = file_problem("RVC", EDF_END, id, false);
    else
        code = take_cards(&arrival->receiver, file, id);
    if (code != 0) {
        file_abandon(file);
        return code;
    }
    code = file_finish(file);
    if (code != EDF_OK)
        return file_problem("RVC", code, id, true);
    /* Only now the spool file may go. */
    if (netdata)
        read_rest(&arrival->receiver);
    return 0;
}

/* Cards of DISK DUMP: perhaps several files, of which the first may get another name. */
static int receive_dumped(const struct receiving *how, struct arrival *arrival)
{
    struct unloaded from;
    bool more = true;
    int code = 0;

    while (code == 0 && more) {
        code = cards_in("RVC", arrival->receiver.card, &from);
        if (code != 0)
            return code;
        memcpy(arrival->sent.fn, from.id.fn, sizeof(name));
        memcpy(arrival->sent.ft, from.id.ft, sizeof(name));
        arrival->sent.mode_number = from.id.fm[1];
        code = settle(how, arrival);
        if (code == 0 && !arrival->refused)
            code = dump_store("RVC", &from.kept, from.fst, &arrival->id);
        dump_forget(&from.kept);
        if (code == 0)
            more = unit_read(READER_UNIT, arrival->receiver.card, &arrival->receiver.length) == 0;
        if (code == 0 && !arrival->refused)
            tell(how, arrival);
        memset(&arrival->id, ' ', sizeof arrival->id);
        arrival->refused = false;
    }
    return code;
}

/* The first card of the file; false: there is none. */
static bool first_card(struct arrival *arrival)
{
    struct receiver *receiver = &arrival->receiver;

    receiver->cards = 1;
    receiver->most = arrival->spooled.records;
    return unit_read(READER_UNIT, receiver->card, &receiver->length) == 0;
}

/* The reader's first file becomes a file on a disk. */
static int receive(const struct receiving *how, struct arrival *arrival)
{
    struct receiver *receiver = &arrival->receiver;
    struct netdata_file *sent = &arrival->sent;
    bool netdata, read_card = false;
    name token[TOKENS_MOST + 1];
    int code;

    if (!first_card(arrival))
        return reader_empty(NULL);
    netdata = receiver->length > 8 && netdata_is(receiver->card);
    if (netdata) {
        if (!netdata_header(receiver, sent)) {
            message("RVC", 634, 'E');
            return RC_FORMAT;
        }
    } else {
        netdata_unknown(sent);
        memcpy(sent->userid, arrival->spooled.origin, sizeof(name));
        node_of(sent->node);
        memcpy(sent->fn, arrival->spooled.fn, sizeof(name));
        memcpy(sent->ft, arrival->spooled.ft, sizeof(name));
        sent->recfm = (char)EDF_F;
        sent->lrecl = CARD;
        if (card_is_dumped(receiver->card))
            return receive_dumped(how, arrival);
        if (memcmp(receiver->card, ":READ ", 6) == 0 && tokenize(receiver->card, 30, token) >= 4) {
            memcpy(sent->fn, token[1], sizeof(name));
            memcpy(sent->ft, token[2], sizeof(name));
            read_card = true;
        }
    }
    if (sent->acknowledged) {
        read_rest(receiver);
        tell(how, arrival);
        return 0;
    }
    /* A note without a name of its own goes into a notebook, after those that are there. */
    sent->note = (sent->note && arrival->id.fn[0] == ' ') || how->notebook[0] != ' ';
    if (sent->note) {
        memcpy(arrival->id.fn, how->notebook[0] == ' ' || is(how->notebook, "*") ? "ALL     " : how->notebook,
               sizeof(name));
        memcpy(arrival->id.ft, "NOTEBOOK", sizeof(name));
        memcpy(arrival->id.fm, "A0", 2);
    }
    {
        struct receiving settled = *how;

        settled.replace |= sent->note;
        code = settle(&settled, arrival);
    }
    if (code == 0 && !arrival->refused)
        code = take_file(arrival, netdata, read_card);
    if (code != 0 || arrival->refused)
        return code;
    if (how->old_date && !sent->note)
        (void)give_stamp(&arrival->id, sent->stamp[0], sent->stamp + 1);
    tell(how, arrival);
    return how->acknowledge ? answer_sender(sent, false) : 0;
}

/* Throws the file away; its sender is told, if he wants to know. */
static int discard(struct arrival *arrival, bool acknowledge)
{
    struct receiver *receiver = &arrival->receiver;
    char line[64];
    int code = 0;

    if (acknowledge && quietly(line, format(line, sizeof line, "ORDER READER %t", arrival->spooled.number)) == 0 &&
        first_card(arrival)) {
        if (receiver->length > 8 && netdata_is(receiver->card) && netdata_header(receiver, &arrival->sent) &&
            !arrival->sent.acknowledged)
            code = answer_sender(&arrival->sent, true);
        put_back(&arrival->spooled);
    }
    if (code == 0)
        code = quietly(line, format(line, sizeof line, "PURGE READER %t", arrival->spooled.number));
    if (code == 0)
        type("File %t %t has been discarded", arrival->spooled.fn, arrival->spooled.ft);
    if (code == 0)
        peek_over(arrival->spooled.number);
    return code;
}

int receive_command(const struct call *call)
{
    struct receiving how = { .log = 1, .acknowledge = 1, .notebook = "        " };
    int purge = 0;
    const struct option known[] = {
        FLAG("REPLACE", 3, &how.replace, 1), FLAG("OLDDATE", 4, &how.old_date, 1),
        FLAG("NEWDATE", 4, &how.old_date, 0), FLAG("PURGE", 2, &purge, 1), FLAG("LOG", 3, &how.log, 1),
        FLAG("NOLOG", 5, &how.log, 0), FLAG("ACK", 2, &how.acknowledge, 1),
        FLAG("NOACK", 5, &how.acknowledge, 0), WORD("NOTEBOOK", 3, &how.notebook),
        PROMPT_OPTIONS(&how.prompting),
    };
    u32 words = operands(call), first = 1;
    struct arrival arrival;
    char line[64];
    name shown;
    const char *which = NULL;
    bool numbered;
    int code = options_of("RECEIVE", "RVC", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    memset(&arrival, 0, sizeof arrival);
    numbered = words > 1 && is_digit(call->token[1][0]);
    first += numbered;
    if (words > first + 3) {
        message("RVC", 70, 'E', call->token[first + 3]);
        return RC_SYNTAX;
    }
    if (!parse_fileid("RVC", call, first, words > first ? words - first : 0, &arrival.id))
        return RC_SYNTAX;
    if (how.notebook[0] != ' ' && !is(how.notebook, "*") && !legal_name(how.notebook)) {
        message("RVC", 29, 'E', how.notebook, "NOTEBOOK");
        return RC_SYNTAX;
    }
    which = numbered ? call->token[1] : peeked(shown) ? shown : NULL;
    if (!find_spooled(which, &arrival.spooled))
        return reader_empty(which);
    if (purge)
        return discard(&arrival, how.acknowledge != 0);
    if (which != NULL)
        code = quietly(line, format(line, sizeof line, "CHANGE READER %t NOHOLD", arrival.spooled.number));
    if (code == 0)
        code = quietly(line, format(line, sizeof line, "ORDER READER %t", arrival.spooled.number));
    if (code != 0)
        return code;
    code = receive(&how, &arrival);
    if (code != 0 || arrival.refused)
        put_back(&arrival.spooled);
    else
        peek_over(arrival.spooled.number);
    return code;
}

/* In a list of members: fn ft fm (MEMBER name. */
static int discard_member(const struct call *call)
{
    char line[64];

    if (call->count != 7 || call->token[4][0] != '(') {
        message("DSC", 70, 'E', call->token[2]);
        return RC_SYNTAX;
    }
    return perform(line, format(line, sizeof line, "MACLIB DEL %t %t", call->token[1], call->token[call->count - 1]),
                   CALL_COMMAND);
}

/* In a list of files: erases one. */
static int discard_file(const struct call *call)
{
    struct fileid id;
    struct disk *disk;
    u8 *fst;
    int code = one_fileid("DSC", call, 1, &id);

    if (code != 0)
        return code;
    if (id.fm[0] == ' ')
        id.fm[0] = 'A';
    if (!find_file(&id, &disk, &fst))
        return file_problem("DSC", EDF_NOT_FOUND, &id, false);
    code = disk->read_only ? EDF_READ_ONLY : file_erase(disk, id.fn, id.ft);
    return file_problem("DSC", code, &id, true);
}

int discard_command(const struct call *call)
{
    struct arrival arrival;
    name shown;
    bool of_peek = call->count == 1 && peeked(shown);

    if (call->count > 2 && in_list_of("FILELIST"))
        return discard_file(call);
    if (call->count > 2 && in_list_of("MACLIST"))
        return discard_member(call);
    if (call->count != 2 && !of_peek) {
        message("DSC", call->count < 2 ? 50 : 70, 'E', call->count < 2 ? call->token[0] : call->token[2]);
        return RC_SYNTAX;
    }
    memset(&arrival, 0, sizeof arrival);
    if (!find_spooled(of_peek ? shown : call->token[1], &arrival.spooled)) {
        message("DSC", 633, 'E', of_peek ? shown : call->token[1]);
        return RC_MISSING;
    }
    return discard(&arrival, true);
}
