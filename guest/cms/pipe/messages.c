/*
 * Messages of Pipelines: FPL, three letters for the module, the number, and how bad it is. What a stage says is
 * followed by where it was:
 *
 *     FPLSPE058E Number expected, but "A" was found
 *     FPLMSG003I ... Issued from stage 2 of pipeline 1
 *     FPLMSG001I ... Running "spec 1 A"
 *
 * Of MSGLEVEL bit 1 says whether there is the second line, bit 2 the third. Their texts, and what they mean, are in
 * help/pipemsgs.txt.
 */
#include "internal.h"

enum { ISSUED_FROM = 1, RUNNING_WHAT = 2 };

#define MESSAGE(number, text) { number, text },
static const struct { u32 number; const char *text; } texts[] = {
#include "pipemsgs.h"
};

const char *pipe_message_text(u32 number)
{
    for (u32 n = 0; n < COUNT_OF(texts); n++)
        if (texts[n].number == number)
            return texts[n].text;
    return NULL;
}

void pipe_say_list(const char *module, u32 number, char severity, va_list list)
{
    char line[256];
    u32 length = format(line, sizeof line, "FPL%s%03u%c ", module, number, severity);

    length += format_list(line + length, sizeof line - length, pipe_message_text(number), list);
    pipe_show(line, length);
}

void pipe_say(const char *module, u32 number, char severity, ...)
{
    va_list list;

    va_start(list, severity);
    pipe_say_list(module, number, severity, list);
    va_end(list);
}

/* The module that a message names: the beginning of the verb. */
static void module_of(const struct stage *s, char module[4])
{
    memcpy(module, "DSK", 4);
    for (u32 n = 0; n < 3 && s->text.length > 0 && s->kind != NULL && s->kind->name[0] != '<' &&
         s->kind->name[0] != '>'; n++)
        module[n] = s->kind->name[n] != 0 ? s->kind->name[n] : 'X';
    if (s->rexx != NULL)
        memcpy(module, "REX", 4);
}

void say_where(const struct stage *s)
{
    if ((s->message_level & ISSUED_FROM) != 0) {
        if (s->set->name[0] == 0)
            pipe_say("MSG", 3, 'I', s->number, s->pipeline);
        else
            pipe_say("MSG", 4, 'I', s->number, s->pipeline, s->set->name);
    }
    if ((s->message_level & RUNNING_WHAT) != 0 && s->text.length > 0)
        pipe_say("MSG", 1, 'I', s->text.at, length_of(s->text.at, s->text.length));
}

int stage_error(struct stage *s, u32 number, ...)
{
    char module[4];
    va_list list;

    module_of(s, module);
    va_start(list, number);
    pipe_say_list(module, number, 'E', list);
    va_end(list);
    say_where(s);
    return (int)number;
}

void stage_say(struct stage *s, u32 number, char severity, ...)
{
    char module[4];
    va_list list;

    module_of(s, module);
    va_start(list, severity);
    pipe_say_list(module, number, severity, list);
    va_end(list);
}
