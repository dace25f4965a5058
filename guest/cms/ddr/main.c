/* DDR's statements, one after the other. */
#include "ddr.h"

enum { PRINTER = 0x00e, NOT_DONE = 8 };

static bool sysprint(struct job *job, struct statement *s)
{
    const char *word = statement_word(s);
    u32 device;

    if (*word == 0 || statement_more(s)) {
        complain(*word == 0 ? 703 : 701, 'E', *word == 0 ? "" : s->word[s->at]);
        return false;
    }
    job->on_console = word_is(word, "CONS", 4);
    if (job->on_console)
        return true;
    if (!parse_hex(word, (u32)strlen(word), &device) || device > 0xffff) {
        complain(701, 'E', word);
        return false;
    }
    job->printer = (u16)device;
    return true;
}

static bool prompts(struct statement *s)
{
    const char *word = statement_word(s);
    bool on = strcmp(word, "ON") == 0;

    if ((!on && strcmp(word, "OFF") != 0) || statement_more(s)) {
        complain(*word == 0 ? 703 : 701, 'E', word);
        return false;
    }
    set_asks(on);
    return true;
}

/* False: it was wrong, or is not done. `again`: there is another statement in `s` already. */
static bool statement(struct job *job, struct statement *s, bool skip, bool *again)
{
    const char *word = s->word[0];

    s->at = 1;
    if (word_is(word, "INPUT", 2))
        return volume_define(&job->in, s);
    if (word_is(word, "OUTPUT", 3))
        return volume_define(&job->out, s);
    if (word_is(word, "SYSPRINT", 2))
        return sysprint(job, s);
    if (word_is(word, "PROMPTS", 3))
        return prompts(s);
    s->at = 0;
    if (word_is(word, "DUMP", 2) || word_is(word, "RESTORE", 2) || word_is(word, "COPY", 2))
        return skip || move_function(job, s, again);
    if (word_is(word, "PRINT", 2) || word_is(word, "TYPE", 2))
        return skip || show_function(job, s, word[0] == 'P');
    complain(701, 'E', word);
    return false;
}

void ddr_begin(void) { say("ENDICOTT DASD DUMP/RESTORE PROGRAM"); }

/* After a mistake in a file or in cards no function is performed any more; a user can correct one. */
int ddr(struct job *job)
{
    struct statement s;
    bool again = false;
    int code = 0;

    job->printer = PRINTER;
    while (again || statement_read(&s, "ENTER:")) {
        again = false;
        if (!statement(job, &s, code != 0 && host_echoes(), &again))
            code = NOT_DONE;
        else if (!host_echoes())
            code = 0;
    }
    say("END OF JOB");
    return code;
}
