/* RDRLIST: the files of the reader as a list (list.h), as CP's QUERY tells of them. */
#include "list.h"

/* Where CP's line has what has no blanks around it. */
enum { QUERY_ROOM = 65536, YEAR_AT = 40, MONTH_AT = 43, DAY_AT = 46, NAME_AT = 58, TYPE_AT = 68, LEAST = 76,
       WORDS_LEAST = 9 };

/* ORIGINID FILE CLASS TYPE RECORDS CPY HOLD DATE TIME NAME TYPE DIST, with dates like 1991-11-20. */
static bool reader_row(struct list_maker *maker, const char *line, u32 length, const name node)
{
    name token[TOKENS_MOST + 1], fn, ft;
    char row[ROW_SHOWN + 1];
    u32 records = 0;

    if (length < LEAST || tokenize(line, length, token) < WORDS_LEAST || !is_digit(token[1][0]))
        return true;
    (void)parse_number(token[4], name_length(token[4]), &records);
    pad(fn, sizeof fn, line + NAME_AT, sizeof fn);
    pad(ft, sizeof ft, line + TYPE_AT, sizeof ft);
    length = format(row, sizeof row, "      %-8t %-8t %l %c %-8t %-8t %-4t%7u  %l/%l/%l  %l", fn, ft, token[3], 3,
                    token[2][0], token[0], node, token[6], records, line + MONTH_AT, 2, line + DAY_AT, 2,
                    line + YEAR_AT, 2, token[8], 8);
    return list_row(maker, row, length, token[1]);
}

static int fill_reader(struct list_maker *maker, const struct list *list, const struct fileid *part)
{
    static const char query[] = "QUERY READER * ALL ISODATE";
    char *response = obtain(QUERY_ROOM, OWNER_SYSTEM);
    u32 room = QUERY_ROOM, at = 0;
    name node;

    (void)list;
    (void)part;
    if (response == NULL) {
        maker->full = true;
        return 0;
    }
    node_of(node);
    if (cp(query, sizeof query - 1, response, &room) == 0) {
        bool more = (room & 0x80000000u) != 0;

        room = more ? QUERY_ROOM : room;
        while (at < room) {
            u32 length = 0;

            while (at + length < room && response[at + length] != 0x15)
                length++;
            if (!reader_row(maker, response + at, length, node))
                break;
            at += length + 1;
        }
        if (more)
            message("WRL", 656, 'W', maker->text.lines);
    }
    release(response);
    if (maker->text.lines > 0 || maker->full)
        return 0;
    message("WRL", 645, 'E');
    return RC_MISSING;
}

static u32 reader_symbol(const struct list *list, const struct list_row *row, char letter, char *to, u32 room)
{
    (void)list;
    switch (letter) {
    case 'N': return format(to, room, "%t", row->made + 6);
    case 'T': return format(to, room, "%t", row->made + 15);
    case 'U': return format(to, room, "%t", row->made + 30);
    case 'G': return format(to, room, "%-8t %-8t", row->made + 6, row->made + 15);
    default: return format(to, room, "%l", row->extra, ROW_EXTRA);
    }
}

static bool reader_there(const struct list *list, const struct list_row *row)
{
    struct spooled spooled;
    name number;

    (void)list;
    pad(number, sizeof number, row->extra, ROW_EXTRA);
    return find_spooled(number, &spooled);
}

static const struct list_order reader_orders[] = {
    { "SCLASS", "A 105 109 87 103" },
    { "SDATE", "D 148 149 142 143 145 146 152 159 161 164" },
    { "SNAME", "A 87 103 161 164" },
    { "SNODE", "A 120 127 111 118 87 103" },
    { "SSIZE", "D 133 139 A 87 103" },
    { "STYPE", "A 96 103 87 94 161 164" },
    { "SUSER", "A 111 127 87 103" },
};

static const struct list_kind reader = {
    .command = "RDRLIST", .module = "WRL", .type = "RDRLIST", .profile = "PROFRLST", .fill = fill_reader,
    .symbol = reader_symbol,
    .letters = "NTU", .there = reader_there, .gone = "** Discarded, received or transferred **",
    .orders = reader_orders, .order_count = COUNT_OF(reader_orders),
};

int rdrlist_command(const struct call *call)
{
    static const struct fileid none;
    struct list_options how = { .profile = "        " };
    const struct option known[] = { FLAG("APPEND", 1, &how.append, 1), WORD("PROFILE", 4, &how.profile) };
    int code = options_of("RDRLIST", "WRL", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    if (operands(call) > 1) {
        message("WRL", 70, 'E', call->token[1]);
        return RC_SYNTAX;
    }
    return list_open(&reader, &none, false, &how);
}
