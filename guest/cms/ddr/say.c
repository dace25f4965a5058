/* What DDR types: lines, messages and questions. The texts of messages are in help/ddrmsgs.txt. */
#include "ddr.h"

enum { LINE = 130 };

#define MESSAGE(number, text) { number, text },
static const struct { u32 number; const char *text; } texts[] = {
#include "ddrmsgs.h"
};

static bool asking = true;

bool asks(void) { return asking; }
void set_asks(bool ask) { asking = ask; }

void say(const char *how, ...)
{
    char line[LINE];
    va_list list;
    u32 length;

    va_start(list, how);
    length = format_list(line, sizeof line, how, list);
    va_end(list);
    host_type(line, length);
}

void complain_list(u32 number, char severity, va_list list)
{
    char line[LINE];
    u32 length = format(line, sizeof line, "HCPDDR%03u%c ", number & 0xffff, severity);

    for (u32 n = 0; n < COUNT_OF(texts); n++)
        if (texts[n].number == (number & 0xffff)) {
            n += number / MESSAGE_SECOND;
            length += format_list(line + length, sizeof line - length, texts[n].text, list);
            break;
        }
    host_type(line, length);
}

void complain(u32 number, char severity, ...)
{
    va_list list;

    va_start(list, severity);
    complain_list(number, severity, list);
    va_end(list);
}

/* The message, and what may be answered, until that is: without any answer it is NO. */
enum answer question(u32 number, const char *answers, ...)
{
    struct statement s;
    va_list list;

    va_start(list, answers);
    complain_list(number, 'D', list);
    va_end(list);
    for (;;) {
        say("DO YOU WISH TO CONTINUE?  RESPOND %s:", answers);
        if (!statement_read(&s, NULL))
            return ANSWER_NO;
        if (word_is(s.word[0], "YES", 1))
            return ANSWER_YES;
        if (word_is(s.word[0], "NO", 1))
            return ANSWER_NO;
        if (word_is(s.word[0], "REREAD", 1) && strcmp(answers, "YES OR NO") != 0)
            return ANSWER_REREAD;
    }
}
