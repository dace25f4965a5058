/*
 * FILEDEF: which file or device a program's name for it means.
 *
 * Definitions stay until they are cleared; those without PERM go with FILEDEF * CLEAR and with an abend.
 */
#include "command.h"
#include "../nucleus/filedef.h"

static struct filedef *definitions;

static const struct { const char *word; u32 least; enum file_device device; } devices[] = {
    { "DISK", 4, ON_DISK }, { "TERMINAL", 4, ON_TERMINAL }, { "PRINTER", 5, ON_PRINTER }, { "PUNCH", 5, ON_PUNCH },
    { "READER", 6, ON_READER }, { "DUMMY", 5, ON_NOTHING },
};

struct filedef *filedef_find(const name dd)
{
    struct filedef *at = definitions;

    while (at != NULL && memcmp(at->dd, dd, sizeof(name)) != 0)
        at = at->chain;
    return at;
}

struct filedef *filedef_next(const struct filedef *before) { return before == NULL ? definitions : before->chain; }

static void drop(struct filedef *gone)
{
    struct filedef **at = &definitions;

    while (*at != gone)
        at = &(*at)->chain;
    *at = gone->chain;
    release(gone);
}

/* All, or all that are not permanent. */
void filedefs_clear(bool all)
{
    for (struct filedef *at = definitions, *next; at != NULL; at = next) {
        next = at->chain;
        if (all || !at->permanent)
            drop(at);
    }
}

static bool device_named(const name word, struct filedef *made)
{
    for (u32 n = 0; n < COUNT_OF(devices); n++)
        if (abbreviates(word, devices[n].word, devices[n].least)) {
            made->device = devices[n].device;
            return true;
        }
    made->device = ON_TAPE;
    return name_length(word) == 4 && memcmp(word, "TAP", 3) == 0 && parse_hex(word + 3, 1, &made->unit);
}

static int clear(const name dd)
{
    struct filedef *old = filedef_find(dd);

    if (is(dd, "*")) {
        filedefs_clear(false);
    } else if (old == NULL) {
        message("FLD", 704, 'I');
    } else {
        for (; old != NULL; old = filedef_find(dd))
            drop(old);
    }
    return 0;
}

/*
 * After TAPn: SL, NL, BLP, a number which file of the tape, VOLID and the volume's; LABOFF: no labels, where the tape
 * stands.
 */
static int label_words(const struct call *call, u32 words, struct filedef *made)
{
    static const struct { const char *word; enum tape_labels labels; } kinds[] = {
        { "SL", LABELS_STANDARD }, { "NL", LABELS_NONE }, { "BLP", LABELS_BYPASSED }, { "LABOFF", LABELS_OFF },
    };
    u32 n = 3;
    bool known = words <= 3;

    for (u32 k = 0; k < COUNT_OF(kinds) && words > 3; k++)
        if (is(call->token[3], kinds[k].word)) {
            made->labels = kinds[k].labels;
            known = true;
            n = 4;
        }
    made->sequence = made->labels != LABELS_OFF;
    if (known && n < words && made->labels != LABELS_OFF && is_digit(call->token[n][0])) {
        if (!parse_number(call->token[n], name_length(call->token[n]), &made->sequence) || made->sequence == 0 ||
            made->sequence > 9999) {
            message("FLD", 70, 'E', call->token[n]);
            return RC_SYNTAX;
        }
        n++;
    }
    if (known && n < words && made->labels == LABELS_STANDARD && is(call->token[n], "VOLID")) {
        if (n + 1 == words) {
            message("FLD", 50, 'E', call->token[n]);
            return RC_SYNTAX;
        }
        memcpy(made->volid, call->token[n + 1], sizeof(name));
        if (name_length(made->volid) > 6) {
            message("FLD", 70, 'E', made->volid);
            return RC_SYNTAX;
        }
        n += 2;
    }
    if (known && n >= words)
        return 0;
    message("FLD", 70, 'E', call->token[n]);
    return RC_SYNTAX;
}

/* The options whose values are a few words. */
static int check_words(const struct filedef *made)
{
    static const char *const orders[] = { "PS", "PO", "DA", "IS" }, *const codes[] = { "A", "E", "F", "R" };
    bool order = made->dsorg[0] == ' ', code = made->optcd[0] == ' ';

    for (u32 n = 0; n < COUNT_OF(orders); n++) {
        order |= is(made->dsorg, orders[n]);
        code |= is(made->optcd, codes[n]);
    }
    if (!order)
        message("FLD", 29, 'E', made->dsorg, "DSORG   ");
    else if (!code)
        message("FLD", 29, 'E', made->optcd, "OPTCD   ");
    else
        return 0;
    return RC_SYNTAX;
}

/* And those whose values are numbers. */
static int check_numbers(const struct filedef *made)
{
    const struct { u32 value, most; const char *option; } numbers[] = {
        { made->lrecl, 65535, "LRECL   " }, { made->block, 65535, "BLOCK   " }, { made->keylen, 255, "KEYLEN  " },
        { made->xtent, 16777215, "XTENT   " }, { made->limct, 256, "LIMCT   " },
    };

    for (u32 n = 0; n < COUNT_OF(numbers); n++)
        if (numbers[n].value > numbers[n].most) {
            char text[12];
            name shown;

            pad(shown, sizeof shown, text, format(text, sizeof text, "%u", numbers[n].value));
            message("FLD", 29, 'E', shown, numbers[n].option);
            return RC_SYNTAX;
        }
    return 0;
}

/* Which parts are in the way of an identifier in the words; the rest is an error that has been typed. */
static int fileid_words(const struct call *call, u32 words, struct filedef *made)
{
    if (made->device == ON_TAPE)
        return label_words(call, words, made);
    if (words > 3 && made->device != ON_DISK) {
        message("FLD", 70, 'E', call->token[3]);
        return RC_SYNTAX;
    }
    if (made->device != ON_DISK)
        return 0;
    if (words == 3) {
        memcpy(made->id.fn, "FILE    ", sizeof(name));
        memcpy(made->id.ft, made->dd, sizeof(name));
        memcpy(made->id.fm, "A1", 2);
        return 0;
    }
    if (words == 4) {
        message("FLD", 23, 'E');
        return RC_SYNTAX;
    }
    if (words > 6) {
        message("FLD", 70, 'E', call->token[6]);
        return RC_SYNTAX;
    }
    if (!parse_fileid("FLD", call, 3, words - 3, &made->id))
        return RC_SYNTAX;
    if (made->id.fm[0] == ' ')
        made->id.fm[0] = 'A';
    if (made->id.fm[1] == ' ')
        made->id.fm[1] = '1';
    return 0;
}

int filedef_command(const struct call *call)
{
    struct filedef made = { .id = { "        ", "        ", "  " }, .member = "        ", .volid = "        ",
                            .optcd = "        ", .dsorg = "        " }, *old;
    name recfm = "        ", disposition = "        ";
    int permanent = 0, keep = 0, fold = 0, concatenate = 0;
    const struct option known[] = {
        FLAG("PERM", 4, &permanent, 1), FLAG("CHANGE", 6, &keep, 0), FLAG("NOCHANGE", 8, &keep, 1),
        WORD("RECFM", 5, &recfm), NUMBER("LRECL", 5, &made.lrecl), NUMBER("BLOCK", 5, &made.block),
        NUMBER("BLKSIZE", 7, &made.block), NUMBER("KEYLEN", 6, &made.keylen), NUMBER("XTENT", 5, &made.xtent),
        NUMBER("LIMCT", 5, &made.limct), WORD("OPTCD", 5, &made.optcd),
        WORD("DSORG", 5, &made.dsorg),
        WORD("DISP", 4, &disposition), WORD("MEMBER", 6, &made.member),
        FLAG("CONCAT", 6, &concatenate, 1), FLAG("UPCASE", 6, &fold, 1), FLAG("LOWCASE", 7, &fold, 0),
    };
    u32 words = operands(call);
    int code = options("FLD", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    if (words < 2) {
        query_filedef();
        return 0;
    }
    memcpy(made.dd, call->token[1], sizeof(name));
    if (words < 3) {
        message("FLD", 50, 'E', made.dd);
        return RC_SYNTAX;
    }
    if (is(call->token[2], "CLEAR"))
        return clear(made.dd);
    if (!device_named(call->token[2], &made)) {
        message("FLD", 27, 'E', call->token[2]);
        return RC_SYNTAX;
    }
    if (disposition[0] != ' ' && !is(disposition, "MOD")) {
        message("FLD", 29, 'E', disposition, "DISP    ");
        return RC_SYNTAX;
    }
    if (recfm[0] != ' ' && recfm[0] != 'F' && recfm[0] != 'V' && recfm[0] != 'U') {
        message("FLD", 29, 'E', recfm, "RECFM   ");
        return RC_SYNTAX;
    }
    code = check_words(&made);
    if (code == 0)
        code = check_numbers(&made);
    if (code == 0)
        code = fileid_words(call, words, &made);
    if (code != 0)
        return code;
    made.recfm = recfm[0] == ' ' ? 0 : recfm[0] == 'F' ? 'F' : 'V';
    made.permanent = permanent;
    made.append = disposition[0] != ' ';
    made.fold = fold;
    old = filedef_find(made.dd);
    if (old != NULL && keep)
        return 0;
    /* CONCAT: another file that is read when the one before is at its end. */
    if (old == NULL || (concatenate && made.device == ON_DISK && old->device == ON_DISK)) {
        struct filedef **last = &definitions;

        old = obtain(sizeof *old, OWNER_SYSTEM);
        if (old == NULL) {
            message("FLD", 109, 'S');
            return RC_STORAGE;
        }
        while (*last != NULL)
            last = &(*last)->chain;
        *last = old;
    } else {
        for (struct filedef *at = old->chain, *next; at != NULL; at = next) {
            next = at->chain;
            if (memcmp(at->dd, made.dd, sizeof(name)) == 0)
                drop(at);
        }
        made.chain = old->chain;
    }
    *old = made;
    return 0;
}

int query_filedef(void)
{
    if (definitions == NULL)
        answer("%s", "No user defined FILEDEF's in effect");
    for (const struct filedef *at = definitions; at != NULL; at = at->chain) {
        if (at->device == ON_DISK)
            answer("%-8t DISK     %-8t %-8t %c%c", at->dd, at->id.fn, at->id.ft, at->id.fm[0], at->id.fm[1]);
        else if (at->device == ON_TAPE && at->labels == LABELS_OFF)
            answer("%-8t TAP%x", at->dd, at->unit);
        else if (at->device == ON_TAPE)
            answer("%-8t TAP%x     %-3s %05u%s%t", at->dd, at->unit,
                   at->labels == LABELS_STANDARD ? "SL" : at->labels == LABELS_NONE ? "NL" : "BLP", at->sequence,
                   at->volid[0] == ' ' ? "" : " VOLID ", at->volid);
        else
            for (u32 n = 0; n < COUNT_OF(devices); n++)
                if (devices[n].device == at->device)
                    answer("%-8t %s", at->dd, devices[n].word);
    }
    return 0;
}
