/* Where the answer of a query goes: to the terminal or to the program stack. */
#include "command.h"

static int disposition;

void answer_to(int where)
{
    disposition = where;
}

void answer(const char *how, ...)
{
    char line[256];
    va_list list;
    u32 length;

    va_start(list, how);
    length = format_list(line, sizeof line, how, list);
    va_end(list);
    if (disposition == TO_TERMINAL)
        type_line(line, length);
    else
        stack_line(line, length_of(line, length), disposition == TO_STACK_LIFO);
}
