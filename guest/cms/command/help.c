/* HELP: what the commands are for, from the table of commands itself. */
#include "command.h"

static void menu(void)
{
    char line[80];
    u32 length = 0;

    type("HELP command explains one of these; HELP CP command asks CP.");
    for (u32 n = 0; n < command_count; n++) {
        if (commands[n].help[0] == 0)
            continue;
        length += format(line + length, sizeof line - length, "%-10s", commands[n].name);
        if (length >= 70) {
            type_line(line, length);
            length = 0;
        }
    }
    if (length > 0)
        type_line(line, length);
}

/* A text, broken between words. */
static void paragraph(const char *text)
{
    while (*text != 0) {
        u32 length = 0, end = 0;

        while (text[length] != 0 && length < 78) {
            if (text[length] == ' ')
                end = length;
            length++;
        }
        if (text[length] != 0 && end > 0)
            length = end;
        type_line(text, length);
        text += length;
        while (*text == ' ')
            text++;
    }
}

static int ask_cp(const struct call *call, u32 first)
{
    char line[64];
    u32 length = format(line, sizeof line, "HELP");

    for (u32 n = first; n < call->count && n < first + 3; n++)
        length += format(line + length, sizeof line - length, " %t", call->token[n]);
    return cp(line, length, NULL, NULL);
}

int help_command(const struct call *call)
{
    if (call->count < 2) {
        menu();
        return 0;
    }
    if (is(call->token[1], "CP"))
        return ask_cp(call, 2);
    for (u32 n = 0; n < command_count; n++) {
        if (!abbreviates(call->token[1], commands[n].name, commands[n].least) || commands[n].help[0] == 0)
            continue;
        type("%s", commands[n].syntax);
        type(" ");
        paragraph(commands[n].help);
        return 0;
    }
    return ask_cp(call, 1);
}
