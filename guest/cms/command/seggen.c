/*
 * SEGGEN: execs and modules become a saved segment, from which all run them without reading a disk (installed.c).
 *
 * The file `segment LSEG` names them, a line each: EXEC fn [ft], MODULE fn. Or its only line is PART fn: a part of the
 * nucleus (part.c). The segment is defined and saved here, at the page that is named.
 */
#include "command.h"
#include "../nucleus/segment.h"

enum { EXECS_MOST = 500, LENGTH_MOST = 0x7fffffff };

enum kind { AN_EXEC, A_MODULE, A_PART };
struct wanted { name fn, ft; uint64_t room; enum kind kind; };

/* What a line of words names, alone or after others; false: nothing. */
static bool kind_of(name token[], u32 words, u32 before, enum kind *kind)
{
    *kind = is(token[0], "MODULE") ? A_MODULE : is(token[0], "PART") ? A_PART : AN_EXEC;
    if (*kind == A_PART)
        return words == 2 && before == 0;
    return (*kind == A_MODULE || is(token[0], "EXEC")) && words >= 2 && words <= (*kind == A_MODULE ? 2u : 3u) &&
           before < EXECS_MOST && !(words > 2 && is(token[2], "MODULE"));
}

/* What the list names; its return code. */
static int read_list(const name segment, struct wanted *wanted, u32 *count)
{
    struct fileid list = { .ft = "LSEG    ", .fm = "* " };
    struct reader reader;
    int code;

    memcpy(list.fn, segment, sizeof(name));
    code = reader_open("SGN", &reader, &list);
    if (code != 0)
        return code;
    for (*count = 0; code == 0 && reader_next("SGN", &reader, &code);) {
        struct fileid id = { .ft = "EXEC    ", .fm = "* " };
        name token[TOKENS_MOST + 1];
        u32 words = tokenize(reader.record, reader.length, token);
        struct disk *disk;
        enum kind kind;
        u8 *fst;

        if (words == 0 || token[0][0] == '*')
            continue;
        if (!kind_of(token, words, *count, &kind) || (*count > 0 && wanted->kind == A_PART)) {
            char text[24];

            message("SGN", 1090, 'E', reader.number, show_id(&reader.id, text));
            code = RC_FORMAT;
            break;
        }
        memcpy(id.fn, token[1], sizeof(name));
        if (words > 2)
            memcpy(id.ft, token[2], sizeof(name));
        if (kind != AN_EXEC)
            memcpy(id.ft, token[0], sizeof(name));
        if (!find_file(&id, &disk, &fst)) {
            code = file_problem("SGN", EDF_NOT_FOUND, &id, false);
            break;
        }
        memcpy(wanted[*count].fn, id.fn, sizeof(name));
        memcpy(wanted[*count].ft, id.ft, sizeof(name));
        wanted[*count].kind = kind;
        wanted[*count].room = kind == A_MODULE ? module_room(&id) : kind == A_PART ? part_room(&id)
                            : exec_room(disk, fst);
        if (kind != AN_EXEC && wanted[*count].room == 0) {
            code = RC_FORMAT;
            break;
        }
        ++*count;
    }
    reader_close(&reader);
    return code;
}

struct list { struct wanted *wanted; u32 count; };

static int put_all(u8 *first, u32 *length, u32 *own, void *what)
{
    const struct list *list = what;
    u32 used;
    int code = 0;

    if (list->count == 1 && list->wanted->kind == A_PART) {
        struct fileid id = { .ft = "PART    ", .fm = "* " };

        memcpy(id.fn, list->wanted->fn, sizeof(name));
        return part_put(first, &id, length, own);
    }
    used = installation_begin(first, list->count);
    for (u32 n = 0; code == 0 && n < list->count; n++)
        code = list->wanted[n].kind == A_MODULE ? installation_add_module(first, n, list->wanted[n].fn, &used)
             : installation_add(first, n, list->wanted[n].fn, list->wanted[n].ft, &used);
    *length = used;
    return code;
}

int seggen_command(const struct call *call)
{
    u32 words = operands(call);
    uint64_t length;
    struct list list = { .count = 0 };
    name space = "        ";
    const struct option known[] = { WORD("SPACE", 5, &space) };
    int code = options("SGN", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    if (words < 3) {
        message("SGN", words < 2 ? 47 : 50, 'E', call->token[words - 1]);
        return RC_SYNTAX;
    }
    if (words > 3) {
        message("SGN", 70, 'E', call->token[3]);
        return RC_SYNTAX;
    }
    list.wanted = obtain_command(EXECS_MOST * sizeof *list.wanted);
    code = read_list(call->token[1], list.wanted, &list.count);
    if (code != 0)
        return code;
    length = installation_head(list.count);
    for (u32 n = 0; n < list.count; n++)
        length += list.wanted[n].room < LENGTH_MOST ? list.wanted[n].room : LENGTH_MOST;
    length = length < LENGTH_MOST ? length : LENGTH_MOST;
    return make_segment("SGN", call->token[1], call->token[2], (u32)length,
                        &(struct segment_maker){ .fill = put_all, .what = &list, .space = space });
}
