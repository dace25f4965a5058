/* What is wrong with statements: kept with each, shown by the listing and on the terminal. */
#include "assemble.h"

static void add(u32 number, u32 severity, struct text text)
{
    struct statement *statement = assembly.current;
    struct diagnostic **last, *made;

    if (severity < assembly.options->flag)
        return;
    /* Where a macro or conditional assembly says something, no statement has come of it. */
    if (statement == NULL) {
        statement = add_statement((struct text){ 0 }, (struct text){ 0 }, (struct text){ 0 }, NULL);
        statement->silent = true;
    }
    for (last = &statement->diagnostics; *last != NULL; last = &(*last)->next)
        if ((*last)->number == number && same_text((*last)->text, text))
            return;
    made = arena(sizeof *made);
    *made = (struct diagnostic){ NULL, number, severity, kept(text) };
    if (statement->diagnostics == NULL)
        assembly.flagged++;
    *last = made;
    if (severity > assembly.worst)
        assembly.worst = severity;
}

void flag(u32 number, u32 severity, ...)
{
    char line[256];
    va_list list;
    u32 length;

    va_start(list, severity);
    length = message_line(line, sizeof line, "ASM", number, severity <= NOTE ? 'I' : severity <= WARNING ? 'W'
                          : severity <= ERROR ? 'E' : 'S', list);
    va_end(list);
    add(number, severity, (struct text){ line, length });
}

void flag_text(u32 number, u32 severity, struct text text)
{
    char shown[SYMBOL_MOST + 1];
    u32 length = text.length < SYMBOL_MOST ? text.length : SYMBOL_MOST;

    memcpy(shown, text.at, length);
    shown[length] = 0;
    flag(number, severity, shown);
}
