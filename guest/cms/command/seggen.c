/*
 * SEGGEN: execs become a saved segment, from which all run them without reading a disk (exec.c).
 *
 * The file `segment LSEG` names them, a line each: EXEC fn [ft]. The segment is defined and saved here, at the page that is named.
 */
#include "command.h"
#include "../nucleus/segment.h"

enum { EXECS_MOST = 500 };

struct wanted { name fn, ft; u32 room; };

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
        u8 *fst;

        if (words == 0 || token[0][0] == '*')
            continue;
        if (!is(token[0], "EXEC") || words < 2 || words > 3 || *count == EXECS_MOST) {
            char text[24];

            message("SGN", 1090, 'E', reader.number, show_id(&reader.id, text));
            code = RC_FORMAT;
            break;
        }
        memcpy(id.fn, token[1], sizeof(name));
        if (words > 2)
            memcpy(id.ft, token[2], sizeof(name));
        if (!find_file(&id, &disk, &fst)) {
            code = file_problem("SGN", EDF_NOT_FOUND, &id, false);
            break;
        }
        memcpy(wanted[*count].fn, id.fn, sizeof(name));
        memcpy(wanted[*count].ft, id.ft, sizeof(name));
        wanted[(*count)++].room = exec_room(disk, fst);
    }
    reader_close(&reader);
    return code;
}

int seggen_command(const struct call *call)
{
    u32 words = operands(call), page, length, first, count = 0, used;
    struct wanted *wanted;
    char line[80];
    int code;

    if (words < 3) {
        message("SGN", words < 2 ? 47 : 50, 'E', call->token[words - 1]);
        return RC_SYNTAX;
    }
    if (words > 3 || !legal_name(call->token[1]) || !parse_hex(call->token[2], name_length(call->token[2]), &page) || page > 0x7ffff) {
        message("SGN", 70, 'E', call->token[words > 3 ? 3 : legal_name(call->token[1]) ? 2 : 1]);
        return RC_SYNTAX;
    }
    wanted = obtain_command(EXECS_MOST * sizeof *wanted);
    code = read_list(call->token[1], wanted, &count);
    if (code != 0)
        return code;
    length = installation_head(count);
    for (u32 n = 0; n < count; n++)
        length += wanted[n].room;
    length = (length + 4095) & ~4095u;
    first = page << 12;
    if (first + length > storage_bytes() || !reserve_storage(first, first + length - 1)) {
        message("SGN", 1085, 'E', call->token[1]);
        return 41;
    }
    memset((void *)first, 0, length);
    used = installation_begin((u8 *)first, count);
    for (u32 n = 0; code == 0 && n < count; n++)
        code = installation_add((u8 *)first, n, wanted[n].fn, wanted[n].ft, &used);
    if (code == 0)
        code = cp_typed(line, format(line, sizeof line, "DEFSEG %t %x-%x SR", call->token[1], page, page + (used - 1) / 4096));
    if (code == 0)
        code = cp_typed(line, format(line, sizeof line, "SAVESEG %t", call->token[1]));
    release((void *)first);
    return code;
}
