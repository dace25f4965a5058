/*
 * Messages of Pipelines: FPL, three letters for who says it, the number, and how bad it is. What a stage says is followed by where it was:
 *
 *     FPLSPE058E Number expected, but "A" was found
 *     FPLMSG003I ... Issued from stage 2 of pipeline 1
 *     FPLMSG001I ... Running "spec 1 A"
 *
 * Of MSGLEVEL bit 1 says whether there is the second line, bit 2 the third. What each means is in help/pipemsgs.txt.
 */
#include "internal.h"

enum { ISSUED_FROM = 1, RUNNING_WHAT = 2 };

static const struct { u32 number; const char *text; } texts[] = {
    { 1, "... Running \"%l\"" },
    { 3, "... Issued from stage %u of pipeline %u" },
    { 4, "... Issued from stage %u of pipeline %u name \"%s\"" },
    { 9, "Pipeline halted" },
    { 11, "Null or blank parameter list found" },
    { 12, "Null stage found" },
    { 14, "Option \"%l\" not valid" },
    { 15, "Value missing for keyword \"%l\"" },
    { 17, "Missing ending parenthesis" },
    { 18, "Command: \"%l\"" },
    { 20, "Stage returned with return code %d" },
    { 27, "Entry point %l not found" },
    { 29, "Pipeline stalled" },
    { 30, "... Stage is waiting for %s" },
    { 35, "Record to stream %u: \"%l\"" },
    { 46, "Label \"%l\" already declared" },
    { 47, "Label \"%l\" not declared" },
    { 50, "Not a character or hexadecimal representation: %l" },
    { 54, "Range \"%l\" not valid" },
    { 55, "More than %u ranges" },
    { 58, "Number expected, but \"%l\" was found" },
    { 59, "Delimited string expected, but \"%l\" was found" },
    { 60, "Delimiter missing after string \"%l\"" },
    { 63, "Null string not valid" },
    { 64, "Digits missing behind \"%l\"" },
    { 65, "\"%l\" is not hexadecimal" },
    { 66, "Number %d is not acceptable" },
    { 72, "Length %u is not acceptable; %u is the most" },
    { 73, "Record %u has length %u, not %u" },
    { 87, "This stage must be the first stage of a pipeline" },
    { 97, "Connector \"%l\" not valid in this place" },
    { 98, "Connector \"%l\" only in CALLPIPE and ADDPIPE" },
    { 99, "Connector \"%l\" not valid" },
    { 102, "Stream \"%l\" not defined" },
    { 106, "Label \"%l\" is too long" },
    { 107, "More than %u labels" },
    { 111, "Operand \"%l\" not valid" },
    { 112, "Excessive options \"%l\"" },
    { 113, "Required operand missing" },
    { 122, "Insufficient free storage" },
    { 127, "This stage cannot be first in a pipeline" },
    { 145, "\"%l\" is not a file name" },
    { 146, "File \"%l\" does not exist" },
    { 150, "There is no record %u" },
    { 151, "File \"%l\" is not a library" },
    { 152, "Member \"%l\" not found" },
    { 204, "No exec has said PIPE: there are no variables" },
    { 205, "\"%l\" is not a variable" },
    { 206, "Variable \"%l\" is not a number" },
    { 222, "Input stream 1 not defined" },
    { 290, "No file in the reader" },
    { 291, "Error of device %03x" },
    { 295, "Immediate command \"%l\" is there already" },
    { 336, "Number of digits not even in \"%l\"" },
    { 337, "\"%l\" is not binary" },
    { 392, "%l not possible for \"%l\"" },
    { 401, "Record of %u bytes does not fit in a block" },
    { 402, "Block not in the format that was named" },
    { 403, "The stage delays or changes records" },
    { 404, "Record is not from INSTORE" },
    { 405, "Record of %u bytes cannot be packed" },
    { 406, "Packed records incomplete" },
    { 407, "The file has record format %c, length %u" },
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

/* Who speaks: the beginning of the verb. */
static void module_of(const struct stage *s, char module[4])
{
    memcpy(module, "DSK", 4);
    for (u32 n = 0; n < 3 && n < s->text.length && s->kind != NULL && s->kind->name[0] != '<' && s->kind->name[0] != '>'; n++)
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
