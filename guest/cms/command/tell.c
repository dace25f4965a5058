/* TELL: a message for another user, or with * for oneself. */
#include "command.h"

int tell_command(const struct call *call)
{
    const char *text = call->arguments;
    char line[240];
    u32 length;

    if (call->count < 3) {
        message("TEL", 50, 'E', call->token[call->count - 1]);
        return RC_SYNTAX;
    }
    while (text < call->end && *text == ' ')
        text++;
    while (text < call->end && *text != ' ')
        text++;
    length = format(line, sizeof line, "MSG %t", call->token[1]);
    if (length + (u32)(call->end - text) > sizeof line) {
        message("TEL", 44, 'E');
        return RC_SYNTAX;
    }
    memcpy(line + length, text, (u32)(call->end - text));
    return cp(line, length + (u32)(call->end - text), NULL, NULL);
}
