/*
 * SYNONYM: other names for commands, from a file with lines of a command, its synonym and the synonym's shortest form.
 */
#include "command.h"

int synonym_command(const struct call *call)
{
    int clear = 0, standard = -1, code;
    const struct option known[] = {
        FLAG("CLEAR", 3, &clear, 1), FLAG("STD", 3, &standard, 1), FLAG("NOSTD", 5, &standard, 0),
    };
    u32 words = operands(call);
    struct fileid id = { .ft = "SYNONYM ", .fm = "* " };
    struct reader reader;
    char text[24];

    code = options("SYN", call, known, COUNT_OF(known));
    if (code != 0)
        return code;
    if (words > 4) {
        message("SYN", 70, 'E', call->token[4]);
        return RC_SYNTAX;
    }
    if (clear)
        synonyms_clear();
    if (standard >= 0)
        settings.abbrev = standard == 1;
    if (words == 1) {
        static const char query[] = "QUERY SYNONYM";

        return clear || standard >= 0 ? 0 : perform(query, sizeof query - 1, CALL_COMMAND);
    }
    memcpy(id.fn, call->token[1], sizeof(name));
    if (words > 2)
        memcpy(id.ft, call->token[2], sizeof(name));
    if (words > 3)
        memcpy(id.fm, call->token[3], 2);
    code = reader_open("SYN", &reader, &id);
    if (code != 0)
        return code;
    synonyms_clear();
    while (reader_next("SYN", &reader, &code)) {
        name token[TOKENS_MOST + 1];
        u32 count = tokenize(reader.record, reader.length > 72 ? 72 : reader.length, token), least = 0;

        if (count == 0 || token[0][0] == '*')
            continue;
        if (count < 2 || (count > 2 && (!parse_number(token[2], name_length(token[2]), &least) || least > 8))) {
            message("SYN", 56, 'E', show_id(&reader.id, text));
            code = RC_FORMAT;
            break;
        }
        if (!synonym_add(token[0], token[1], least)) {
            message("SYN", 109, 'S');
            code = RC_STORAGE;
            break;
        }
    }
    reader_close(&reader);
    return code;
}
