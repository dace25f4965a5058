/* EXECLOAD, EXECDROP, EXECMAP, EXECSTAT: execs in storage (nucleus/resident.c). */
#include "command.h"
#include "../nucleus/resident.h"

static const name exec_type = "EXEC    ";

static const char *two(const name fn, const name ft, char text[24])
{
    format(text, 24, ft[0] == ' ' ? "%t" : "%t %t", fn, ft);
    return text;
}

int execload_command(const struct call *call)
{
    int push = 0, system = 0;
    const struct option known[] = {
        FLAG("PUSH", 4, &push, 1), FLAG("USER", 4, &system, 0), FLAG("SYSTEM", 6, &system, 1),
    };
    u32 words = operands(call), at = 2;
    struct open_file *file;
    struct fileid id;
    enum resident_end end;
    name fn, ft;
    char text[24];
    int code = options("EXL", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    if (words < 2) {
        message("EXL", 1, 'E');
        return RC_SYNTAX;
    }
    memset(&id, ' ', sizeof id);
    memcpy(id.fn, call->token[1], sizeof(name));
    memcpy(id.ft, words > 2 ? call->token[2] : exec_type, sizeof(name));
    id.fm[0] = '*';
    at = 3;
    /* A third word may be a mode, which no exec's name is. */
    if (words > 3 && name_length(call->token[3]) <= 2 && (is_letter(call->token[3][0]) || call->token[3][0] == '*') &&
        (call->token[3][1] == ' ' || is_digit(call->token[3][1]))) {
        memcpy(id.fm, call->token[3], 2);
        at = 4;
    }
    if (words > at + 2) {
        message("EXL", 70, 'E', call->token[at + 2]);
        return RC_SYNTAX;
    }
    memcpy(fn, words > at && !is(call->token[at], "=") ? call->token[at] : id.fn, sizeof(name));
    memcpy(ft, words > at + 1 && !is(call->token[at + 1], "=") ? call->token[at + 1] : id.ft, sizeof(name));
    if (!legal_name(id.fn) || !legal_name(id.ft) || !legal_name(fn) || !legal_name(ft)) {
        message("EXL", 62, 'E', '*', two(legal_name(id.fn) && legal_name(id.ft) ? fn : id.fn, legal_name(id.fn) &&
                                         legal_name(id.ft) ? ft : id.ft, text));
        return 20;
    }
    if (!push && resident_find(fn, ft) != NULL) {
        message("EXL", 24, 'E', two(fn, ft, text), " in storage; specify PUSH option");
        return RC_MISSING;
    }
    code = file_open(&id, EDF_READ, &file);
    if (code != EDF_OK)
        return file_problem("EXL", code, &id, false);
    end = resident_load(file, fn, ft, system);
    (void)file_finish(file);
    if (end == RESIDENT_NO_STORAGE) {
        message("EXL", 109, 'S');
        return 41;
    }
    if (end == RESIDENT_BAD) {
        message("EXL", 104, 'S', EDF_DAMAGED, show_id(&id, text));
        return RC_IO;
    }
    return 0;
}

int execdrop_command(const struct call *call)
{
    int user = 0, system = 0;
    const struct option known[] = { FLAG("USER", 4, &user, 1), FLAG("SYSTEM", 6, &system, 1) };
    u32 words = operands(call), found = 0;
    bool all, any_type;
    name ft;
    char text[24];
    int code = options("EXD", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    if (words < 2) {
        message("EXD", 1, 'E');
        return RC_SYNTAX;
    }
    if (words > 3) {
        message("EXD", 70, 'E', call->token[3]);
        return RC_SYNTAX;
    }
    all = is(call->token[1], "*");
    any_type = words > 2 ? is(call->token[2], "*") : all;
    memcpy(ft, words > 2 ? call->token[2] : exec_type, sizeof(name));
    for (struct resident *at = resident_next(NULL), *next; at != NULL; at = next) {
        next = resident_next(at);
        if (at->dropped || (!all && memcmp(at->fn, call->token[1], sizeof(name)) != 0) ||
            (!any_type && memcmp(at->ft, ft, sizeof(name)) != 0) || (user != system && (system != 0) != at->system))
            continue;
        resident_drop(at);
        found++;
        /* Of those that PUSH has put one over the other only the newest goes. */
        if (!all && !any_type)
            break;
    }
    if (found > 0)
        return 0;
    message("EXD", 2, 'E', two(call->token[1], words > 2 ? call->token[2] : all ? call->token[1] : ft, text));
    return RC_MISSING;
}

int execmap_command(const struct call *call)
{
    int where = TO_TERMINAL, user = 0, system = 0;
    const struct option known[] = {
        STACK_OPTIONS(&where), FLAG("USER", 4, &user, 1), FLAG("SYSTEM", 6, &system, 1),
    };
    u32 words = operands(call);
    char text[24];
    bool any = false;
    int code = options("EXM", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    if (words > 3) {
        message("EXM", 70, 'E', call->token[3]);
        return RC_SYNTAX;
    }
    answer_to(where);
    for (struct resident *at = resident_next(NULL); at != NULL; at = resident_next(at)) {
        if ((words > 1 && !matches(call->token[1], (u8 *)at->fn)) ||
            (words > 2 && !matches(call->token[2], (u8 *)at->ft)) || (user != system && (system != 0) != at->system))
            continue;
        if (!any)
            answer("%s", "Name     Type     Usage  Records    Bytes Dropped Attribute");
        any = true;
        answer("%-8t %-8t %5u %8u %8u %-7s %s", at->fn, at->ft, at->running, at->count, at->size,
               at->dropped ? "YES" : "NO",
               at->system ? "SYSTEM" : "USER");
    }
    answer_to(TO_TERMINAL);
    if (any)
        return 0;
    if (words > 1)
        message("EXM", 2, 'E', words > 2 ? two(call->token[1], call->token[2], text) : two(call->token[1], "        ",
            text));
    else
        message("EXM", 4, 'I');
    return RC_MISSING;
}

/* 0: in storage; 4: on a disk, or in the installation segment; 28: nowhere. */
int execstat_command(const struct call *call)
{
    u32 words = operands(call), count;
    struct fileid id;
    struct disk *disk;
    u8 *fst;

    if (words < 2) {
        message("EXS", 1, 'E');
        return RC_SYNTAX;
    }
    if (words > 3 || words < call->count) {
        message("EXS", 70, 'E', call->token[words > 3 ? 3 : words]);
        return RC_SYNTAX;
    }
    memset(&id, ' ', sizeof id);
    memcpy(id.fn, call->token[1], sizeof(name));
    memcpy(id.ft, words > 2 ? call->token[2] : exec_type, sizeof(name));
    id.fm[0] = '*';
    if (resident_find(id.fn, id.ft) != NULL)
        return 0;
    if (installation_find(id.fn, id.ft, &count) != NULL || (legal_name(id.fn) && legal_name(id.ft) &&
                                                            find_file(&id, &disk, &fst)))
        return 4;
    return RC_MISSING;
}
