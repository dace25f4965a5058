/* MACLIST: the members of a macro library as a list; CSLLIST's routines as one; DIRLIST (list.h). */
#include "../csl/csl.h"
#include "../nucleus/library.h"
#include "list.h"

/* ---- MACLIST ---- */

static int fill_members(struct list_maker *maker, const struct list *list, const struct fileid *part)
{
    struct library library = { 0 };
    struct member member;
    struct fileid id = *part;
    char line[ROW_SHOWN], text[24];
    int error = library_open(&id, &library);

    (void)list;
    if (error == EDF_LENGTH) {
        message("WML", 33, 'E', show_id(&id, text));
        return RC_FORMAT;
    }
    if (error != EDF_OK)
        return file_problem("WML", error, part, false);
    id_of(library.file->disk, library.file->file.fst, &id);
    for (u32 n = 0; library_member(&library, n, &member); n++) {
        u32 length = format(line, sizeof line, "      %-8t %8u %10u    %-8t %-8t %c%c", member.name, member.first,
                            member.count, id.fn, id.ft, id.fm[0], id.fm[1]);

        if (!list_row(maker, line, length, NULL))
            break;
    }
    (void)file_finish(library.file);
    return 0;
}

enum { MEMBER_AT = 6, LIBRARY_AT = 38, LIBTYPE_AT = 47, LIBMODE_AT = 56 };

static u32 member_symbol(const struct list *list, const struct list_row *row, char letter, char *to, u32 room)
{
    const char *made = row->made;

    (void)list;
    switch (letter) {
    case 'N': return format(to, room, "%t", made + LIBRARY_AT);
    case 'T': return format(to, room, "%t", made + LIBTYPE_AT);
    case 'M': return format(to, room, "%l", made + LIBMODE_AT, 2);
    case 'G': case 'E': return format(to, room, "%t", made + MEMBER_AT);
    default:
        return format(to, room, "%t %t %l (MEMBER %t", made + LIBRARY_AT, made + LIBTYPE_AT, made + LIBMODE_AT, 2,
                      made + MEMBER_AT);
    }
}

static bool member_there(const struct list *list, const struct list_row *row)
{
    struct fileid id = { .fm = { row->made[LIBMODE_AT], ' ' } };
    struct library library = { 0 };
    struct member member;
    name wanted;
    bool there;

    (void)list;
    memcpy(id.fn, row->made + LIBRARY_AT, sizeof(name));
    memcpy(id.ft, row->made + LIBTYPE_AT, sizeof(name));
    memcpy(wanted, row->made + MEMBER_AT, sizeof(name));
    if (library_open(&id, &library) != EDF_OK)
        return false;
    there = library_find(&library, wanted, &member);
    (void)file_finish(library.file);
    return there;
}

static const struct list_order member_orders[] = {
    { "SINDEX", "A 96 103" }, { "SNAME", "A 87 94 96 103" }, { "SSIZE", "D 105 114 A 87 94" },
};

static const struct list_kind members = {
    .command = "MACLIST", .module = "WML", .type = "MACLIST", .profile = "PROFMLST", .fill = fill_members,
    .symbol = member_symbol,
    .letters = "NTME", .there = member_there, .gone = "** Discarded **", .usual = "SNAME", .orders = member_orders,
    .order_count = COUNT_OF(member_orders),
};

int maclist_command(const struct call *call)
{
    struct list_options how = { .profile = "        " };
    const struct option known[] = { FLAG("APPEND", 1, &how.append, 1), WORD("PROFILE", 4, &how.profile) };
    u32 words = operands(call);
    struct fileid id;
    int code = options_of("MACLIST", "WML", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    if (words < 2 || words > 4) {
        if (words < 2)
            message("WML", 46, 'E');
        else
            message("WML", 70, 'E', call->token[4]);
        return RC_SYNTAX;
    }
    if (!parse_fileid("WML", call, 1, words - 1, &id))
        return RC_SYNTAX;
    if (id.ft[0] == ' ' || id.ft[0] == '=')
        memcpy(id.ft, "MACLIB  ", sizeof(name));
    if (id.fm[0] == ' ')
        id.fm[0] = '*';
    return list_open(&members, &id, false, &how);
}

/* ---- CSLLIST ---- */

static int fill_routines(struct list_maker *maker, const struct list *list, const struct fileid *part)
{
    const struct csl_part *services = callable_services();
    char line[ROW_SHOWN];

    (void)list;
    for (u32 n = 0; services != NULL && services->library(n) != NULL; n++) {
        const struct csl_routine *routine = services->library(n);

        if (matches(part->fn, (const u8 *)routine->called) &&
            !list_row(maker, line, format(line, sizeof line, "      %-8t VMLIB    %s", routine->called, routine->what),
                      NULL))
            return 0;
    }
    if (maker->text.lines > 0)
        return 0;
    message("CSL", 1232, 'E', part->fn);
    return RC_MISSING;
}

static u32 routine_symbol(const struct list *list, const struct list_row *row, char letter, char *to, u32 room)
{
    (void)list;
    return format(to, room, "%t", row->made + (letter == 'L' ? 15 : 6));
}

static bool routine_there(const struct list *list, const struct list_row *row)
{
    (void)list;
    (void)row;
    return true;
}

static const struct list_order routine_orders[] = { { "SNAME", "A 87 94" } };

static const struct list_kind routines = {
    .command = "CSLLIST", .module = "CSL", .type = "CSLLIST", .profile = "PROFCSLL", .fill = fill_routines,
    .symbol = routine_symbol,
    .letters = "NL", .there = routine_there, .gone = "", .usual = "SNAME", .orders = routine_orders,
    .order_count = COUNT_OF(routine_orders),
};

int list_routines(const name pattern)
{
    static const struct list_options how = { .profile = "        " };
    struct fileid id = { .ft = "        " };

    memcpy(id.fn, pattern, sizeof(name));
    return list_open(&routines, &id, false, &how);
}

/* ---- DIRLIST ---- */

/* Directories are those of file pools, of which there are none. */
int dirlist_command(const struct call *call)
{
    struct list_options how = { .profile = "        " };
    const struct option known[] = { FLAG("APPEND", 1, &how.append, 1), WORD("PROFILE", 4, &how.profile) };
    int code = options_of("DIRLIST", "WDL", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    if (operands(call) > 2) {
        message("WDL", 70, 'E', call->token[2]);
        return RC_SYNTAX;
    }
    return no_file_pool("WDL");
}
