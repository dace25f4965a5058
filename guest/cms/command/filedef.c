/*
 * FILEDEF: which file or device a program's name for it means. LABELDEF: what is known of a tape's label.
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

/* Which parts are in the way of an identifier in the words; the rest is an error that has been typed. */
static int fileid_words(const struct call *call, u32 words, struct filedef *made)
{
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
    struct filedef made = { .id = { "        ", "        ", "  " }, .member = "        " }, *old;
    name recfm = "        ", ignored = "        ", disposition = "        ";
    int permanent = 0, keep = 0, fold = 0, behind = 0;
    const struct option known[] = {
        { "PERM", 4, &permanent, 1, NULL, NULL }, { "CHANGE", 6, &keep, 0, NULL, NULL }, { "NOCHANGE", 8, &keep, 1, NULL, NULL },
        { "RECFM", 5, NULL, 0, NULL, &recfm }, { "LRECL", 5, NULL, 0, &made.lrecl, NULL }, { "BLOCK", 5, NULL, 0, &made.block, NULL },
        { "BLKSIZE", 7, NULL, 0, &made.block, NULL }, { "KEYLEN", 6, NULL, 0, NULL, &ignored }, { "XTENT", 5, NULL, 0, NULL, &ignored },
        { "LIMCT", 5, NULL, 0, NULL, &ignored }, { "OPTCD", 5, NULL, 0, NULL, &ignored }, { "DSORG", 5, NULL, 0, NULL, &ignored },
        { "DISP", 4, NULL, 0, NULL, &disposition }, { "MEMBER", 6, NULL, 0, NULL, &made.member },
        { "CONCAT", 6, &behind, 1, NULL, NULL }, { "UPCASE", 6, &fold, 1, NULL, NULL }, { "LOWCASE", 7, &fold, 0, NULL, NULL },
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
    if (old == NULL || (behind && made.device == ON_DISK && old->device == ON_DISK)) {
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
        else if (at->device == ON_TAPE)
            answer("%-8t TAP%x", at->dd, at->unit);
        else
            for (u32 n = 0; n < COUNT_OF(devices); n++)
                if (devices[n].device == at->device)
                    answer("%-8t %s", at->dd, devices[n].word);
    }
    return 0;
}

/* Labels of tapes: the operands as they were said, by name. */
struct label { struct label *chain; name dd; char text[100]; };
static struct label *labels;

static void drop_label(struct label *gone)
{
    struct label **at = &labels;

    while (*at != gone)
        at = &(*at)->chain;
    *at = gone->chain;
    release(gone);
}

int labeldef_command(const struct call *call)
{
    static const char *const keywords[] = { "VOLID", "VOLSEQ", "FID", "FSEQ", "GENN", "GENV", "CRDTE", "EXDTE", "SEC" };
    struct label made = { 0 }, *old = NULL;
    u32 words = operands(call), length = 0;

    if (words < 2) {
        query_labeldef();
        return 0;
    }
    memcpy(made.dd, call->token[1], sizeof(name));
    for (struct label *at = labels; at != NULL; at = at->chain)
        if (memcmp(at->dd, made.dd, sizeof(name)) == 0)
            old = at;
    if (words == 3 && is(call->token[2], "CLEAR")) {
        while (is(made.dd, "*") && labels != NULL)
            drop_label(labels);
        if (old != NULL)
            drop_label(old);
        return 0;
    }
    for (u32 n = 2; n < words; n += 2) {
        bool known = false;

        for (u32 k = 0; k < COUNT_OF(keywords); k++)
            known = known || is(call->token[n], keywords[k]);
        if (!known) {
            message("LBD", 14, 'E', call->token[n]);
            return RC_SYNTAX;
        }
        if (n + 1 == words) {
            message("LBD", 50, 'E', call->token[n]);
            return RC_SYNTAX;
        }
        length += format(made.text + length, sizeof made.text - 1 - length, " %t %t", call->token[n], call->token[n + 1]);
    }
    if (old == NULL) {
        old = obtain(sizeof *old, OWNER_SYSTEM);
        if (old == NULL) {
            message("LBD", 109, 'S');
            return RC_STORAGE;
        }
        made.chain = labels;
        labels = old;
    } else {
        made.chain = old->chain;
    }
    *old = made;
    return 0;
}

int query_labeldef(void)
{
    if (labels == NULL)
        answer("%s", "No user defined LABELDEF's in effect");
    for (const struct label *at = labels; at != NULL; at = at->chain)
        answer("%-8t%s", at->dd, at->text);
    return 0;
}
