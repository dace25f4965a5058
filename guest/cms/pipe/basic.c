/* Stages that bring records into a pipeline, or show what comes out of it, and know nothing of CMS. */
#include "internal.h"
#include "stages.h"

/* What is left of the input goes to the output. */
static void pass(struct stage *s) { (void)stage_short(s); }

/* LITERAL: the string, all of it, as a record; then the input. */
int literal_stage(struct stage *s, struct text arguments)
{
    if (stage_output(s, arguments.at, arguments.length) == 0)
        pass(s);
    return 0;
}

/* STRLITERAL: the same with delimiters; after the input with APPEND, or only if there is none (CONDITIONAL). */
int strliteral_stage(struct stage *s, struct text arguments)
{
    bool append = next_keyword(&arguments, "APPEND", 3), preface = !append && next_keyword(&arguments, "PREFACE", 4),
         conditional = next_keyword(&arguments, "CONDITIONAL", 4);
    struct text string, record;
    bool any;
    int error = next_string(s, &arguments, &string);

    (void)preface;
    if (error != 0 || (error = no_more(s, arguments)) != 0)
        return error;
    any = !append && !conditional ? false : stage_peek(s, &record) == 0;
    if (conditional && !any)
        pass(s);
    else if (!append && stage_output(s, string.at, string.length) == 0)
        pass(s);
    else
        while (append) {
            if (stage_peek(s, &record) != 0) {
                stage_output(s, string.at, string.length);
                break;
            }
            if (stage_output(s, record.at, record.length) != 0)
                break;
            stage_consume(s);
        }
    return 0;
}

/* HOLE: reads and writes nothing. */
int hole_stage(struct stage *s, struct text arguments)
{
    int error = no_more(s, arguments);

    while (error == 0 && stage_consume(s) == 0)
        ;
    return error;
}

struct line { const char *at; u32 length; bool read; char typed[256]; };

static void show(void *with)
{
    struct line *line = with;

    system_type(line->at, line->length);
}

static void read(void *with)
{
    struct line *line = with;

    line->length = system_read(line->typed);
}

/* Lines from the terminal, until the one that ends them. */
static int read_lines(struct stage *s, struct text end, bool no_end, bool asynchronously)
{
    struct line line;

    for (;;) {
        if (!asynchronously) {
            aside(s, read, &line);
        } else if (!system_typed(line.typed, &line.length)) {
            if (!stage_has_output(s, 0))
                return 0;
            wait_for_event(s, (uint64_t)NO_TIME);
            continue;
        }
        if ((!no_end && line.length == end.length && memcmp(line.typed, end.at, end.length) == 0) ||
            stage_output(s, line.typed, line.length) != 0)
            return 0;
    }
}

/* CONSOLE: first, what is typed until a null line, or what EOF says; else types what comes and passes it on. */
int console_stage(struct stage *s, struct text arguments)
{
    struct text record, end = { "", 0 };
    struct line line;
    bool with_end = next_keyword(&arguments, "EOF", 3), no_end = !with_end && next_keyword(&arguments, "NOEOF", 5);
    int error = with_end ? next_string(s, &arguments, &end) : 0;
    bool asynchronously = error == 0 && stage_is_first(s) && next_keyword(&arguments, "ASYNCHRONOUSLY", 5);

    if (error == 0)
        error = no_more(s, arguments);
    if (error != 0)
        return error;
    if (stage_is_first(s))
        return stage_commit(s, 0) != 0 ? 0 : read_lines(s, end, no_end, asynchronously);
    while (stage_peek(s, &record) == 0) {
        line = (struct line){ .at = record.at, .length = record.length };
        aside(s, show, &line);
        stage_output(s, record.at, record.length);
        stage_consume(s);
    }
    return 0;
}
