/* FULLPROMPT and MINPROMPT of READCARD, DISK LOAD and RECEIVE: whether, and by which name, a file is wanted. */
#include "command.h"

/* The user is asked until the answer makes sense; `id` may get another name. */
enum reply ask_receive(const char *module, struct fileid *id)
{
    char line[256], text[24];
    name token[TOKENS_MOST + 1];
    u32 length, count;

    for (;;) {
        message(module, 1079, 'R', show_id(id, text));
        length = read_line(line);
        count = tokenize(line, length, token);
        if (count == 1 && (is(token[0], "0") || abbreviates(token[0], "NO", 1)))
            return REPLY_NO;
        if (count == 1 && (is(token[0], "1") || abbreviates(token[0], "YES", 1)))
            return REPLY_YES;
        if (count == 1 && (is(token[0], "2") || abbreviates(token[0], "QUIT", 1)))
            return REPLY_QUIT;
        if (count != 1 || (!is(token[0], "3") && !abbreviates(token[0], "RENAME", 1))) {
            message(module, 1080, 'E');
            continue;
        }
        message(module, 1081, 'R');
        length = read_line(line);
        count = tokenize(line, length, token);
        if (count == 0 || count > 3 || !legal_name(token[0]) || (count > 1 && !legal_name(token[1])) ||
            (count > 2 && (!is_letter(token[2][0]) || (token[2][1] != ' ' && !is_digit(token[2][1])) ||
                           token[2][2] != ' '))) {
            message(module, 1080, 'E');
            continue;
        }
        memcpy(id->fn, token[0], sizeof(name));
        if (count > 1)
            memcpy(id->ft, token[1], sizeof(name));
        if (count > 2)
            id->fm[0] = token[2][0];
        if (count > 2 && token[2][1] != ' ')
            id->fm[1] = token[2][1];
        return REPLY_YES;
    }
}
