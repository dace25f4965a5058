/* TYPE: the records of a file on the terminal. */
#include "command.h"

/* A number, or `*` for no limit. */
static bool limit(const name text, u32 *value)
{
    *value = 0x7fffffff;
    return is(text, "*") || (parse_number(text, name_length(text), value) && *value > 0);
}

/* COL a-b */
static bool columns(const name text, u32 *from, u32 *to)
{
    u32 length = name_length(text), dash = 0;

    while (dash < length && text[dash] != '-')
        dash++;
    if (!parse_number(text, dash, from) || *from == 0)
        return false;
    *to = 0x7fffffff;
    return dash >= length || (parse_number(text + dash + 1, length - dash - 1, to) && *to >= *from);
}

static void type_hex(const u8 *bytes, u32 length)
{
    char line[80];

    for (u32 at = 0; at < length; at += 32) {
        u32 n = 0;

        for (u32 k = at; k < at + 32 && k < length; k++)
            n += format(line + n, sizeof line - n, k % 4 == 0 && k != at ? " %02x" : "%02x", bytes[k]);
        type_line(line, n);
    }
}

int type_command(const struct call *call)
{
    name cols = "        ", member = "        ";
    int hex = 0, code;
    const struct option known[] = {
        WORD("COL", 3, &cols), FLAG("HEX", 3, &hex, 1), WORD("MEMBER", 3, &member),
    };
    u32 words = operands(call), from = 1, to = 0x7fffffff, first = 1, last = 0x7fffffff,
        named = words < 4 ? words - 1 : 3;
    struct reader reader;
    struct fileid id;

    code = options("TYP", call, known, COUNT_OF(known));
    if (code != 0)
        return code;
    if (words < 3 || words > 6) {
        if (words > 6)
            message("TYP", 70, 'E', call->token[6]);
        else
            message("TYP", words < 2 ? 42 : 54, 'E');
        return RC_SYNTAX;
    }
    if (cols[0] != ' ' && !columns(cols, &first, &last)) {
        message("TYP", 29, 'E', cols, "COL     ");
        return RC_SYNTAX;
    }
    /* The mode may be left out in front of the numbers. */
    if (words > 3 && (is_digit(call->token[3][0])))
        named = 2;
    if (!parse_fileid("TYP", call, 1, named, &id))
        return RC_SYNTAX;
    for (u32 n = named + 1, k = 0; n < words; n++, k++)
        if (k > 1 || !limit(call->token[n], k == 0 ? &from : &to)) {
            message("TYP", 70, 'E', call->token[n]);
            return RC_SYNTAX;
        }
    code = reader_open("TYP", &reader, &id);
    if (code != 0)
        return code;
    if (member[0] != ' ') {
        code = reader_member("TYP", &reader, member);
        if (code != 0) {
            reader_close(&reader);
            return code;
        }
        to = to < 0x7fffffff - reader.number ? reader.number + to : 0x7fffffff;
    }
    type(" ");
    reader.number += from - 1;
    while (reader.number < to && reader_next("TYP", &reader, &code)) {
        u32 begin = first - 1 < reader.length ? first - 1 : reader.length,
            end = last < reader.length ? last : reader.length;

        if (hex)
            type_hex((u8 *)reader.record + begin, end - begin);
        else
            type_line(reader.record + begin, end - begin);
    }
    type(" ");
    reader_close(&reader);
    return code;
}
