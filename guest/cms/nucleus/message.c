/*
 * The message repository: the text of every message by its number, from help/messages.txt.
 *
 * A message is DMS, three letters for the module that says it, the number, and a letter for how bad it is: I
 * information, W warning, E error, S severe, T terminating, R a reply is wanted. Execs look at return codes rather than
 * texts; the numbers are CMS's.
 */
#include "cms.h"

#define MESSAGE(number, text) { number, text },
static const struct { u32 number; const char *text; } repository[] = {
#include "messages.h"
};

const char *message_text(u32 number)
{
    u32 before = number >> 16;

    for (u32 n = 0; n < COUNT_OF(repository); n++)
        if (repository[n].number == (number & 0xffff) && before-- == 0)
            return repository[n].text;
    return NULL;
}

u32 message_line(char *line, u32 room, const char *module, u32 number, char severity, va_list list)
{
    const char *text = message_text(number);
    u32 length = format(line, room, "DMS%s%03u%c ", module, number & 0xffff, severity);

    return length + format_list(line + length, room - length, text != NULL ? text : "", list);
}

void message_show(const char *line, u32 length)
{
    edit_message(&line, &length);
    if (length > 0)
        type_line(line, length);
}

bool message_quiet;

void message(const char *module, u32 number, char severity, ...)
{
    enum { FILE_NOT_FOUND = 2 };
    char line[256];
    va_list list;
    u32 length;

    if (message_quiet && (number == FILE_NOT_FOUND || number == FILE_NOT_FOUND + MESSAGE_SECOND))
        return;
    va_start(list, severity);
    length = message_line(line, sizeof line, module, number, severity, list);
    va_end(list);
    message_show(line, length);
}
