/* COMPARE: whether two files have the same records. */
#include "command.h"

int compare_command(const struct call *call)
{
    name cols = "        ";
    const struct option known[] = { WORD("COL", 3, &cols) };
    u32 words = operands(call), from = 1, to = 0x7fffffff, length = name_length(cols), dash = 0;
    struct reader a, b;
    struct fileid first, second;
    bool more, differ = false;
    char x[24], y[24];
    int code = options("CMP", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    if (words != 7) {
        if (words > 7)
            message("CMP", 70, 'E', call->token[7]);
        else
            message("CMP", words < 2 ? 42 : 54, 'E');
        return RC_SYNTAX;
    }
    length = name_length(cols);
    while (dash < length && cols[dash] != '-')
        dash++;
    if (length > 0 && (!parse_number(cols, dash, &from) || from == 0 ||
                       (dash < length && (!parse_number(cols + dash + 1, length - dash - 1, &to) || to < from)))) {
        message("CMP", 29, 'E', cols, "COL     ");
        return RC_SYNTAX;
    }
    if (!parse_fileid("CMP", call, 1, 3, &first) || !parse_fileid("CMP", call, 4, 3, &second))
        return RC_SYNTAX;
    if (memcmp(&first, &second, sizeof first) == 0) {
        message("CMP", 19, 'E');
        return RC_SYNTAX;
    }
    code = reader_open("CMP", &a, &first);
    if (code == 0)
        code = reader_open("CMP", &b, &second);
    if (code != 0)
        return code;
    message("CMP", 179, 'I', show_id(&a.id, x), show_id(&b.id, y));
    for (;;) {
        bool other;
        u32 begin = from - 1, n, m;

        more = reader_next("CMP", &a, &code);
        other = reader_next("CMP", &b, &code);
        if (code != 0 || !more || !other) {
            if (code == 0 && more != other) {
                message("CMP", 10, 'E', more ? y : x);
                code = 40;
            }
            break;
        }
        n = a.length < to ? a.length : to;
        m = b.length < to ? b.length : to;
        n = n > begin ? n - begin : 0;
        m = m > begin ? m - begin : 0;
        if (n != m || memcmp(a.record + begin, b.record + begin, n) != 0) {
            differ = true;
            type_line(a.record, a.length);
            type_line(b.record, b.length);
        }
    }
    if (code == 0 && differ) {
        message("CMP", 209, 'W');
        code = 4;
    }
    reader_close(&a);
    reader_close(&b);
    return code;
}
