/* LABELDEF: what is, or is to be, on a tape's label. */
#include "command.h"
#include "../nucleus/filedef.h"

static struct labeldef *labels;

struct labeldef *labeldef_find(const name dd)
{
    struct labeldef *at = labels;

    while (at != NULL && memcmp(at->dd, dd, sizeof(name)) != 0)
        at = at->chain;
    return at;
}

static void drop(struct labeldef *gone)
{
    struct labeldef **at = &labels;

    while (*at != gone)
        at = &(*at)->chain;
    *at = gone->chain;
    release(gone);
}

static bool number(const name word, u32 most, u32 *value)
{
    return parse_number(word, name_length(word), value) && *value <= most;
}

static bool date(const name word, char to[5])
{
    u32 value;

    if (name_length(word) != 5 || !number(word, 99366, &value) || value % 1000 > 366)
        return false;
    memcpy(to, word, 5);
    return true;
}

/* FID ?: more than a word has room for. */
static bool ask_fid(char fid[17])
{
    char line[256];
    u32 length;

    message("LBD", 441, 'R');
    length = length_of(line, read_line(line));
    if (length == 0 || length > 17)
        return false;
    for (u32 n = 0; n < length; n++)
        line[n] = upper(line[n]);
    pad(fid, 17, line, length);
    return true;
}

/* One keyword and its value; false: the value makes no sense. */
static bool take(struct labeldef *made, const name keyword, const name value)
{
    u32 least;

    if (is(keyword, "FID"))
        return is(value, "?") ? ask_fid(made->fid) : (pad(made->fid, 17, value, sizeof(name)), true);
    if (is(keyword, "VOLID"))
        return memcpy(made->volid, value, sizeof(name)), name_length(value) <= 6;
    if (is(keyword, "VOLSEQ"))
        return number(value, 9999, &made->volseq) && made->volseq > 0;
    if (is(keyword, "FSEQ"))
        return number(value, 9999, &made->fseq) && made->fseq > 0;
    if (is(keyword, "GENN"))
        return number(value, 9999, &made->genn) && made->genn > 0;
    if (is(keyword, "GENV"))
        return made->has_genv = true, number(value, 99, &made->genv);
    if (is(keyword, "CRDTE"))
        return date(value, made->created);
    if (is(keyword, "EXDTE"))
        return date(value, made->expires);
    made->security = value[0];
    return number(value, 9, &least) && (value[0] == '0' || value[0] == '1' || value[0] == '3');
}

int labeldef_command(const struct call *call)
{
    static const char *const keywords[] = { "VOLID", "VOLSEQ", "FID", "FSEQ", "GENN", "GENV", "CRDTE", "EXDTE", "SEC" };
    struct labeldef made, *old;
    int permanent = 0, keep = 0;
    const struct option known[] = {
        FLAG("PERM", 4, &permanent, 1), FLAG("CHANGE", 6, &keep, 0), FLAG("NOCHANGE", 8, &keep, 1),
    };
    u32 words = operands(call);
    int code = options("LBD", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    if (words < 2) {
        query_labeldef();
        return 0;
    }
    memset(&made, ' ', sizeof made);
    made.chain = NULL;
    made.volseq = made.fseq = made.genn = made.genv = 0;
    made.has_genv = false;
    made.permanent = permanent != 0;
    memcpy(made.dd, call->token[1], sizeof(name));
    old = labeldef_find(made.dd);
    if (words == 3 && is(call->token[2], "CLEAR")) {
        if (old != NULL)
            drop(old);
        else if (!is(made.dd, "*"))
            message("LBD", 704, 'I');
        for (struct labeldef *at = labels, *next; is(made.dd, "*") && at != NULL; at = next) {
            next = at->chain;
            if (!at->permanent)
                drop(at);
        }
        return 0;
    }
    for (u32 n = 2; n < words; n += 2) {
        bool found = false;

        for (u32 k = 0; k < COUNT_OF(keywords); k++)
            found = found || is(call->token[n], keywords[k]);
        if (!found) {
            message("LBD", 14, 'E', call->token[n]);
            return RC_SYNTAX;
        }
        if (n + 1 == words) {
            message("LBD", 50, 'E', call->token[n]);
            return RC_SYNTAX;
        }
        if (!take(&made, call->token[n], call->token[n + 1])) {
            message("LBD", 70, 'E', call->token[n + 1]);
            return RC_SYNTAX;
        }
    }
    if (old != NULL && keep)
        return 0;
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

/* Those that were said, in the order of the command's description. */
int query_labeldef(void)
{
    if (labels == NULL)
        answer("%s", "No user defined LABELDEF's in effect");
    for (const struct labeldef *at = labels; at != NULL; at = at->chain) {
        char line[160], fid[18] = "";
        u32 length = 0;

        memcpy(fid, at->fid, length_of(at->fid, 17));
        if (at->volid[0] != ' ')
            length += format(line + length, sizeof line - length, " VOLID %t", at->volid);
        if (fid[0] != 0)
            length += format(line + length, sizeof line - length, " FID %s", fid);
        if (at->fseq != 0)
            length += format(line + length, sizeof line - length, " FSEQ %u", at->fseq);
        if (at->volseq != 0)
            length += format(line + length, sizeof line - length, " VOLSEQ %u", at->volseq);
        if (at->genn != 0)
            length += format(line + length, sizeof line - length, " GENN %u", at->genn);
        if (at->has_genv)
            length += format(line + length, sizeof line - length, " GENV %u", at->genv);
        if (at->created[0] != ' ')
            length += format(line + length, sizeof line - length, " CRDTE %c%c%c%c%c", at->created[0], at->created[1],
                             at->created[2], at->created[3], at->created[4]);
        if (at->expires[0] != ' ')
            length += format(line + length, sizeof line - length, " EXDTE %c%c%c%c%c", at->expires[0], at->expires[1],
                             at->expires[2], at->expires[3], at->expires[4]);
        if (at->security != ' ')
            length += format(line + length, sizeof line - length, " SEC %c", at->security);
        line[length < sizeof line ? length : sizeof line - 1] = 0;
        answer("%-8t%s", at->dd, line);
    }
    return 0;
}
