/* SEGMENT: saved segments are loaded and purged, storage is reserved for them, and names are assigned to them. */
#include "command.h"
#include "../nucleus/segment.h"

int segment_problem(const char *module, enum segment_result result, const name wanted)
{
    switch (result) {
    case SEGMENT_DONE:
        return 0;
    case SEGMENT_MISSING:
        message(module, 1083, 'E', wanted);
        return 44;
    case SEGMENT_OVERLAPS:
        message(module, 1085, 'E', wanted);
        return 41;
    case SEGMENT_REFUSED:
        message(module, 1086, 'E', wanted);
        return RC_IO;
    case SEGMENT_NO_EXECS:
        message(module, 1084, 'E', wanted, "one of execs");
        return RC_FORMAT;
    default:
        message(module, 109, 'S');
        return RC_STORAGE;
    }
}

/*
 * Makes a segment of up to `length` bytes at the page that is named, and saves it; a return code, and messages as
 * `module`.
 */
int make_segment(const char *module, const name segment, const name page, u32 length, const struct segment_maker *maker)
{
    char line[80], types[40];
    u32 number, first, own = 0;
    int code = 0;

    bool member = maker->space[0] != ' ';

    if (member && !legal_name(maker->space)) {
        message(module, 70, 'E', maker->space);
        return RC_SYNTAX;
    }
    if (!legal_name(segment) || !parse_hex(page, name_length(page), &number) || number > 0x7ffff) {
        message(module, 70, 'E', legal_name(segment) ? page : segment);
        return RC_SYNTAX;
    }
    length = (length + 4095) & ~4095u;
    first = number << 12;
    if (first + length > storage_bytes() || !reserve_storage(first, first + length - 1)) {
        message(module, 1085, 'E', segment);
        return 41;
    }
    memset((void *)first, 0, length);
    if (maker->fill != NULL)
        code = maker->fill((u8 *)first, &length, &own, maker->what);
    if (own == 0 || own >= length)
        types[format(types, sizeof types - 1, "%x-%x SR", number, number + (length - 1) / 4096)] = 0;
    else
        types[format(types, sizeof types - 1, "%x-%x SR %x-%x EW", number, number + own / 4096 - 1,
                     number + own / 4096, number + (length - 1) / 4096)] = 0;
    if (code == 0)
        code = cp_typed(line, format(line, sizeof line, "DEFSEG %t %s%s%t", segment, types,
                                     member ? " SPACE " : "", maker->space));
    if (code == 0 && maker->defined != NULL)
        code = maker->defined((u8 *)first, segment, maker->what);
    if (code == 0)
        code = cp_typed(line, format(line, sizeof line, "SAVESEG %t", segment));
    release((void *)first);
    return code;
}

/* Whether a disk has its file status tables there. */
static bool serves_a_disk(const struct segment *segment, char *mode)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

    for (u32 n = 0; n < 26; n++) {
        const struct disk *disk = disk_at(letters[n]);

        *mode = letters[n];
        if (disk != NULL && disk->segment == segment)
            return true;
    }
    return false;
}

int segment_command(const struct call *call)
{
    int copy = 0, system = 0, code;
    const struct option known[] = {
        FLAG("SHARE", 5, &copy, 0), FLAG("NOSHARE", 7, &copy, 1), FLAG("SYSTEM", 6, &system, 1),
        FLAG("USER", 4, &system, 0),
    };
    u32 words = operands(call), most;
    struct segment *segment;
    const char *wanted;
    char mode;

    code = options("SEG", call, known, COUNT_OF(known));
    if (code != 0)
        return code;
    if (words < 2) {
        message("SEG", 47, 'E');
        return RC_SYNTAX;
    }
    most = is(call->token[1], "ASSIGN") ? 4 : 3;
    if (words != most) {
        if (words < most)
            message("SEG", 50, 'E', call->token[words - 1]);
        else
            message("SEG", 70, 'E', call->token[most]);
        return RC_SYNTAX;
    }
    if (most == 4) {
        if (!legal_name(call->token[2]) || !legal_name(call->token[3])) {
            message("SEG", 70, 'E', call->token[legal_name(call->token[2]) ? 3 : 2]);
            return RC_SYNTAX;
        }
        return segment_assign(call->token[2], call->token[3]) ? 0
            : segment_problem("SEG", SEGMENT_NO_STORAGE, call->token[2]);
    }
    wanted = segment_assigned(call->token[2]);
    if (is(call->token[1], "LOAD")) {
        code = segment_problem("SEG", segment_load(wanted, copy, &segment), wanted);
        if (code == 0)
            segment->by_access = false;
        return code;
    }
    if (is(call->token[1], "RESERVE"))
        return segment_problem("SEG", segment_reserve(wanted, &segment), wanted);
    segment = segment_known(wanted);
    if (is(call->token[1], "PURGE")) {
        if (segment == NULL || !segment->loaded) {
            message("SEG", 1084, 'E', wanted, "loaded");
            return RC_MISSING;
        }
        if (serves_a_disk(segment, &mode)) {
            message("SEG", 1087, 'E', wanted, mode);
            return 8;
        }
        if (segment->part) {
            message("SEG", 1097, 'E', wanted);
            return 8;
        }
        if (installation_is(segment)) {
            message("SEG", 1091, 'E', wanted);
            return 8;
        }
        installation_gone(segment);
        segment_purge(segment);
        return 0;
    }
    if (is(call->token[1], "RELEASE")) {
        if (segment == NULL || !segment->reserved) {
            message("SEG", 1084, 'E', wanted, "reserved");
            return RC_MISSING;
        }
        if (segment->loaded) {
            message("SEG", 1088, 'E', wanted);
            return 8;
        }
        segment_release(segment);
        return 0;
    }
    message("SEG", 14, 'E', call->token[1]);
    return RC_SYNTAX;
}

int query_segments(const struct call *call)
{
    u32 words = operands(call);
    bool shown = false;

    for (const struct segment *segment = segment_next(NULL); segment != NULL; segment = segment_next(segment)) {
        if (words > 2 && !is(call->token[2], "*") && memcmp(call->token[2], segment->name, sizeof(name)) != 0)
            continue;
        if (!shown)
            answer("%s", "Name      Location  Length    Loaded  Reserved");
        shown = true;
        answer("%-8t  %08x  %08x  %-6s  %s", segment->name, segment->first, segment->last + 1 - segment->first,
               segment->loaded ? "YES" : "NO", segment->reserved ? "YES" : "NO");
    }
    if (!shown)
        answer("%s", "No saved segments are loaded or reserved");
    return 0;
}
