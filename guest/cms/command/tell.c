/* TELL: a message for another user, for those of a nickname, or with * for oneself. */
#include "command.h"

/* The text's first word is left out. */
static const char *after_word(const char *text, const char *end)
{
    while (text < end && *text == ' ')
        text++;
    while (text < end && *text != ' ')
        text++;
    return text;
}

static int tell(const struct recipient *to, const char *text, u32 length)
{
    char line[240];
    name here;
    u32 used;

    node_of(here);
    if (to->node[0] == ' ' || memcmp(to->node, here, sizeof(name)) == 0)
        used = format(line, sizeof line, "MSG %t", to->userid);
    else
        used = format(line, sizeof line, "SMSG RSCS MSG %t %t", to->node, to->userid);
    if (used + length > sizeof line) {
        message("TEL", 44, 'E');
        return RC_SYNTAX;
    }
    memcpy(line + used, text, length);
    return cp(line, used + length, NULL, NULL);
}

int tell_command(const struct call *call)
{
    struct recipient *list;
    const char *text = after_word(call->arguments, call->end);
    u32 count = 0;
    bool at = call->count > 3 && is(call->token[2], "AT");
    int code = 0;

    if (call->count < 3 || (at && call->count < 5)) {
        message("TEL", 50, 'E', call->token[call->count - 1]);
        return RC_SYNTAX;
    }
    list = obtain_command(RECIPIENTS_MOST * sizeof *list);
    if (at) {
        memcpy(list[0].userid, call->token[1], sizeof(name));
        memcpy(list[0].node, call->token[3], sizeof(name));
        count = 1;
        text = after_word(after_word(text, call->end), call->end);
    } else if (!recipients(call->token[1], list, &count)) {
        message("TEL", 630, 'E', RECIPIENTS_MOST);
        return RC_SYNTAX;
    }
    for (u32 n = 0; n < count; n++) {
        int result = tell(&list[n], text, (u32)(call->end - text));

        code = result != 0 ? result : code;
    }
    return code;
}
