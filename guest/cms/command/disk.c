/*
 * DISK: files as cards, with their names, formats and dates.
 *
 * A card is X'02', C'CMS', a blank or N, and 50 bytes of the file as dump.c has them; then from column 58 whose it is,
 * and from 77 its number. SENDFILE (OLD sends such cards; RECEIVE takes them, too.
 */
#include "command.h"

enum { CARD = 80, DATA = 50, PUNCH_CARD = 0x41, ID_AT = 57, NUMBER_AT = 76, END_OF_FILE = 2 };

struct punching { u32 number; struct fileid id; const char *module; };

static int punch_block(void *with, u8 *block, u32 length)
{
    struct punching *to = with;
    char card[CARD], digits[8], text[24];

    pad(card, CARD, (char *)block, length);
    memcpy(card + ID_AT, to->id.fn, 8);
    memcpy(card + ID_AT + 8, to->id.ft, 8);
    memcpy(card + ID_AT + 16, to->id.fm, 2);
    format(digits, sizeof digits, "%04u", ++to->number % 10000);
    memcpy(card + NUMBER_AT, digits, 4);
    if (unit_write(PUNCH_UNIT, PUNCH_CARD, card, CARD) == 0)
        return 0;
    message(to->module, 118, 'S', show_id(&to->id, text));
    return RC_IO;
}

/* Punches the file; `id` is then where it was found. */
int cards_out(const char *module, struct fileid *id)
{
    u8 block[DUMP_HEAD + DATA];
    struct punching to = { .id = *id, .module = module };
    struct dump dump = { .size = DATA, .block = block, .write = punch_block, .with = &to };
    struct disk *disk;
    u8 *fst;

    if (find_file(id, &disk, &fst))
        id_of(disk, fst, &to.id);
    return dump_out(module, &dump, id);
}

bool card_is_dumped(const char card[CARD])
{
    return dump_is((const u8 *)card, CARD) && (card[4] == ' ' || card[4] == 'N');
}

/*
 * Cards from `card` on, which has been read, to a file's last; its data are then in `to`. A return code, and the
 * message has been typed. CP gives a spool file up when its end is read, so nothing is read after that card before the
 * file is on the disk.
 */
int cards_in(const char *module, char card[CARD], struct unloaded *to)
{
    u32 length;
    int code = 0, bad = 0;

    memset(to, 0, sizeof *to);
    while (code == 0 && bad == 0 && card_is_dumped(card)) {
        bool last = card[4] == 'N';

        if (!last)
            code = dump_keep(module, &to->kept, card + DUMP_HEAD, DATA, 'A');
        else if (!dump_end((const u8 *)card, DUMP_HEAD + DATA, to->fst, &to->id))
            break;
        if (last)
            return code;
        bad = unit_read(READER_UNIT, card, &length);
    }
    dump_forget(&to->kept);
    if (code != 0)
        return code;
    message(module, bad == END_OF_FILE ? 10 : bad != 0 ? 124 : 78, 'E', "from the reader");
    return bad == END_OF_FILE ? 40 : bad != 0 ? RC_IO : RC_FORMAT;
}

static int load(int replace, enum prompting prompting)
{
    struct unloaded from;
    char card[CARD], text[24];
    bool more = true, first = true;
    struct spooled spooled;
    enum reply reply = REPLY_YES;
    u32 length;
    int code = 0;

    if (!find_spooled(NULL, &spooled) || unit_read(READER_UNIT, card, &length) != 0) {
        message("DSK", 125, 'E');
        return RC_MISSING;
    }
    if (!card_is_dumped(card)) {
        message("DSK", 78, 'E');
        put_back(&spooled);
        return RC_FORMAT;
    }
    while (code == 0 && more) {
        struct fileid id;
        struct disk *disk;
        u8 *fst;

        code = cards_in("DSK", card, &from);
        if (code != 0)
            break;
        id = from.id;
        reply = REPLY_YES;
        id.fm[0] = 'A';
        if (prompting == PROMPT_ALL || (prompting == PROMPT_OTHERS && !first))
            reply = ask_receive("DSK", &id);
        first = false;
        if (reply == REPLY_YES && !replace && find_file(&id, &disk, &fst)) {
            message("DSK", 24, 'E', show_id(&id, text), "; specify REPLACE option");
            code = RC_MISSING;
        } else if (reply == REPLY_YES) {
            code = dump_store("DSK", &from.kept, from.fst, &id);
            if (code == 0)
                type("%s", show_id(&id, text));
        }
        dump_forget(&from.kept);
        if (reply == REPLY_QUIT)
            break;
        more = code == 0 && unit_read(READER_UNIT, card, &length) == 0;
    }
    if (code != 0 || reply == REPLY_QUIT)
        put_back(&spooled);
    return code;
}

int disk_command(const struct call *call)
{
    int replace = 1, prompting = PROMPT_NONE, code;
    const struct option known[] = {
        FLAG("REPLACE", 3, &replace, 1), FLAG("NOREPLACE", 5, &replace, 0),
        PROMPT_OPTIONS(&prompting),
    };
    u32 words = operands(call);
    struct fileid id;

    if (words < 2) {
        message("DSK", 47, 'E');
        return RC_SYNTAX;
    }
    if (is(call->token[1], "LOAD")) {
        code = options("DSK", call, known, COUNT_OF(known));
        if (code == 0 && words > 2) {
            message("DSK", 70, 'E', call->token[2]);
            code = RC_SYNTAX;
        }
        return code != 0 ? code : load(replace, (enum prompting)prompting);
    }
    if (!is(call->token[1], "DUMP")) {
        message("DSK", 14, 'E', call->token[1]);
        return RC_SYNTAX;
    }
    code = options("DSK", call, NULL, 0);
    if (code != 0)
        return code;
    if ((code = one_fileid("DSK", call, 2, &id)) != 0)
        return code;
    code = cards_out("DSK", &id);
    unit_close(PUNCH_UNIT, code == 0 ? "" : " PURGE", code == 0 ? &id : NULL);
    return code;
}
