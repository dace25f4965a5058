/*
 * PEEK: a reader file in the editor, which stays in the reader. RECEIVE and DISCARD without a number are about it then,
 * and leave it. BROWSE: a file of a disk, which cannot be changed.
 */
#include "list.h"

enum { CARD = 80, FOR_USUAL = 200, LRECL_LEAST = 80 };

/* Which records are wanted, and what was read. */
struct peeking { u32 from, count, seen, longest; bool full; struct text text; };

/* False: that is all, or there is no storage. */
static bool record(struct peeking *peeking, const char *text, u32 length)
{
    if (++peeking->seen < peeking->from)
        return true;
    if (peeking->seen - peeking->from >= peeking->count)
        return false;
    length = length_of(text, length);
    peeking->longest = length > peeking->longest ? length : peeking->longest;
    peeking->full = !text_append(&peeking->text, text, length);
    return !peeking->full;
}

static void peek_netdata(struct peeking *peeking, struct receiver *receiver)
{
    struct place place = { 0 };
    u32 length;

    while (netdata_next(receiver, &place, &length) && record(peeking, place.at, length))
        ;
}

/* So many cards, one of which has been read: after the last one CP would be done with the file. */
static void peek_cards(struct peeking *peeking, struct receiver *receiver, bool skip, u32 cards)
{
    for (u32 n = 1; n <= cards; n++) {
        if (!(skip && n == 1) && !record(peeking, receiver->card, receiver->length))
            return;
        if (n < cards && unit_read(READER_UNIT, receiver->card, &receiver->length) != 0)
            return;
    }
}

/* What the file is, and its records; the line that says so. -1: the reader has no such file. */
static int peek_file(struct peeking *peeking, const struct spooled *spooled, char *line, u32 room)
{
    struct receiver receiver = { .cards = 1, .most = spooled->records };
    struct netdata_file sent;
    name token[TOKENS_MOST + 1];
    const char *how = "CARD", *what = "File";

    if (unit_read(READER_UNIT, receiver.card, &receiver.length) != 0)
        return -1;
    netdata_unknown(&sent);
    memcpy(sent.fn, spooled->fn, sizeof(name));
    memcpy(sent.ft, spooled->ft, sizeof(name));
    memcpy(sent.userid, spooled->origin, sizeof(name));
    node_of(sent.node);
    if (receiver.length > 8 && netdata_is(receiver.card)) {
        how = "NETDATA";
        if (!netdata_header(&receiver, &sent))
            return RC_FORMAT;
        what = sent.acknowledged ? "Acknowledgment of" : sent.note ? "Note" : what;
        if (!sent.acknowledged)
            peek_netdata(peeking, &receiver);
    } else if (card_is_dumped(receiver.card)) {
        how = "DISK DUMP";
        peek_cards(peeking, &receiver, false, spooled->records);
    } else {
        bool read_card = memcmp(receiver.card, ":READ ", 6) == 0 && tokenize(receiver.card, 30, token) >= 4;

        if (read_card) {
            how = "PUNCH";
            memcpy(sent.fn, token[1], sizeof(name));
            memcpy(sent.ft, token[2], sizeof(name));
        }
        peek_cards(peeking, &receiver, read_card, spooled->records);
    }
    format(line, room, "%s %t %t from %t at %t  Format is %s.", what, sent.fn, sent.ft, sent.userid, sent.node, how);
    return 0;
}

/* The file is looked at and stays as it was, held or not. */
static int look_at(struct peeking *peeking, const struct spooled *spooled, char *line, u32 room)
{
    char text[64];
    int code = quietly(text, format(text, sizeof text, "CHANGE READER %t NOHOLD", spooled->number));

    if (code == 0)
        code = quietly(text, format(text, sizeof text, "ORDER READER %t", spooled->number));
    if (code != 0)
        return code;
    code = peek_file(peeking, spooled, line, room);
    put_back(spooled);
    return code;
}

static int no_lines(struct peeking *peeking, const struct spooled *spooled, int code)
{
    text_free(&peeking->text);
    if (code < 0) {
        message("WPK", 633, 'E', spooled->number);
        return RC_MISSING;
    }
    if (code == RC_FORMAT)
        message("WPK", 634, 'E');
    if (peeking->full) {
        message("WPK", 109, 'S');
        return RC_STORAGE;
    }
    if (code == 0) {
        message("WPK", 156, 'E', peeking->from, peeking->seen);
        return RC_FORMAT;
    }
    return code;
}

int peek_command(const struct call *call)
{
    u32 words = operands(call);
    struct peeking peeking = { .from = 1, .count = FOR_USUAL };
    struct made_file made = { .id = { .ft = "PEEK    ", .fm = { 'A', '0' } }, .recfm = 'V', .profile = "PROFPEEK" };
    int some = 0;
    const struct option known[] = {
        NUMBER("FROM", 2, &peeking.from), COUNTED("FOR", 3, &some, 1, &peeking.count),
        WORD("PROFILE", 4, &made.profile),
    };
    bool numbered = words > 1 && call->token[1][0] != '*';
    struct spooled spooled;
    char line[160];
    int code = options_of("PEEK", "WPK", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    if (words > 2) {
        message("WPK", 70, 'E', call->token[2]);
        return RC_SYNTAX;
    }
    peeking.from = peeking.from == 0 ? 1 : peeking.from;
    if (!find_spooled(numbered ? call->token[1] : NULL, &spooled)) {
        message("WPK", numbered ? 633 : 125, 'E', call->token[words > 1]);
        return RC_MISSING;
    }
    code = look_at(&peeking, &spooled, line, sizeof line);
    if (code != 0 || peeking.full || (peeking.text.lines == 0 && peeking.seen > 0))
        return no_lines(&peeking, &spooled, code);
    memcpy(made.id.fn, spooled.number, sizeof(name));
    memcpy(made.peeked, spooled.number, sizeof(name));
    made.lrecl = peeking.longest > LRECL_LEAST ? peeking.longest : LRECL_LEAST;
    made.text = peeking.text;
    made.about = line;
    made.about_length = (u32)strlen(line);
    return open_made(&made);
}

/* The reader file that the current file of the ring shows. */
bool peeked(name number)
{
    if (editor == NULL || editor->ring == NULL || editor->ring->peeked[0] == 0)
        return false;
    memcpy(number, editor->ring->peeked, sizeof(name));
    return true;
}

/* It is not in the reader any more. */
void peek_over(const name number)
{
    if (editor != NULL && editor->ring != NULL && memcmp(editor->ring->peeked, number, sizeof(name)) == 0)
        leave_file(editor->ring);
}

/* Subcommands that change lines, or write them: not of a file that is only browsed. */
bool browse_refuses(const char *called)
{
    static const char *const names[] = {
        "ADD",      "ALTER",   "CAPPEND", "CDELETE",  "CHANGE",   "CINSERT", "COMPRESS", "COPY",    "COVERLAY",
        "CREPLACE", "DELETE",  "DUPLICAT", "EXPAND",  "FFILE",    "FILE",    "GET",      "INPUT",   "JOIN",
        "LOWERCAS", "LPREFIX", "MERGE",   "MOVE",     "OVERLAY",  "POWERINP", "PUTD",    "RECOVER", "RENUM",
        "REPLACE",  "SAVE",    "SCHANGE", "SHIFT",    "SI",       "SORT",    "SOS",      "SPLIT",   "SPLTJOIN",
        "SSAVE",    "UPPERCAS",
    };

    for (u32 n = 0; n < COUNT_OF(names); n++)
        if (strcmp(names[n], called) == 0) {
            message("XSU", 690, 'E', called);
            return true;
        }
    return false;
}

/* The records of a file, as far as there is storage for them; the return code. */
static int browse_records(struct made_file *made, const struct fileid *id)
{
    struct reader reader;
    int code = reader_open("BRO", &reader, id);
    bool full = false;

    if (code != 0)
        return code;
    made->id = reader.id;
    made->recfm = reader.file->file.fst[FST_RECFM] == EDF_F ? 'F' : 'V';
    made->lrecl = edf_word(reader.file->file.fst + FST_LRECL);
    made->lrecl = made->lrecl > 0 ? made->lrecl : LRECL_LEAST;
    while (!full && reader_next("BRO", &reader, &code))
        full = !text_append(&made->text, reader.record, length_of(reader.record, reader.length));
    reader_close(&reader);
    if (full) {
        message("BRO", 109, 'S');
        code = RC_STORAGE;
    }
    if (code != 0)
        text_free(&made->text);
    return code;
}

int browse_command(const struct call *call)
{
    struct made_file made = { .browsed = true, .profile = "PROFBRWS" };
    const struct option known[] = { WORD("PROFILE", 4, &made.profile) };
    struct fileid id;
    int code = options_of("BROWSE", "BRO", call, known, COUNT_OF(known));

    if (code == 0)
        code = one_fileid("BRO", call, 1, &id);
    if (code == 0)
        code = browse_records(&made, &id);
    return code != 0 ? code : open_made(&made);
}
