/*
 * Stages for assembler statements, which go on in the next record as long as column 72 is not blank: ASMFIND, ASMNFIND
 * and those with a delimited string, ASMCONT and ASMXPND.
 */
#include "filters.h"

enum { CONTINUED = 72, CONTINUES = 16 };         /* the column that says so; the first one of what is continued */

static bool goes_on(struct text record) { return record.length >= CONTINUED && record.at[CONTINUED - 1] != ' '; }

/* ---- ASMFIND, ASMNFIND, STRASMFIND, STRASMNFIND ---- */

struct statements { bool anycase, inverted, delimited, within; u32 stream; struct text string; };

/* A statement goes where its first record does. */
static int statement_record(struct stage *s, void *with, struct text record)
{
    struct statements *a = with;

    if (!a->within) {
        bool found = a->delimited ? begins(record, a->string, a->anycase) : fits_pattern(record, a->string);

        a->stream = found != a->inverted ? 0 : 1;
    }
    a->within = goes_on(record);
    return pass(s, a->stream, record);
}

static int statements(struct stage *s, struct text arguments, bool inverted, bool delimited)
{
    struct statements a = { .inverted = inverted, .delimited = delimited, .string = arguments };
    int code = 0;

    if (delimited) {
        a.anycase = next_anycase(&arguments);
        code = next_string(s, &arguments, &a.string);
        if (code == 0)
            code = no_more(s, arguments);
    }
    return code != 0 ? code : each_record(s, statement_record, &a);
}

int asmfind_stage(struct stage *s, struct text arguments) { return statements(s, arguments, false, false); }
int asmnfind_stage(struct stage *s, struct text arguments) { return statements(s, arguments, true, false); }
int strasmfind_stage(struct stage *s, struct text arguments) { return statements(s, arguments, false, true); }
int strasmnfind_stage(struct stage *s, struct text arguments) { return statements(s, arguments, true, true); }

/* ---- ASMCONT: a statement becomes one record ---- */

int asmcont_stage(struct stage *s, struct text arguments)
{
    struct line line = { .stage = s };
    struct text record;
    bool within = false;
    int code = no_more(s, arguments);

    while (code == 0 && stage_peek(s, &record) == 0) {
        bool more = goes_on(record);
        u32 from = within ? CONTINUES - 1 : 0, to = more ? CONTINUED - 1 : record.length;

        /* Sequence numbers are no part of what goes on. */
        if (within && to > CONTINUED - 1)
            to = CONTINUED - 1;
        if (!within && !more) {
            code = pass(s, 0, record);
        } else {
            if (to > from)
                line_add(&line, record.at + from, to - from);
            within = more;
            if (!within)
                code = line_write(&line);
        }
        if (code == 0)
            stage_consume(s);
    }
    /* The last statement goes on, and there is nothing. */
    if (within && code == 0)
        code = line_write(&line);
    return code == END_OF_FILE ? 0 : code;
}

/* ---- ASMXPND: as many records as a statement needs ---- */

static int expand_record(struct stage *s, void *with, struct text record)
{
    struct line *line = with;
    u32 at = 0, room = CONTINUED - 1;

    while (record.length - at > room) {
        if (at > 0)
            line_fill(line, ' ', CONTINUES - 1);
        line_add(line, record.at + at, room);
        line_byte(line, '*');
        at += room;
        room = CONTINUED - CONTINUES;
        if (line_write(line) != 0)
            return END_OF_FILE;
    }
    if (at == 0)
        return pass(s, 0, record);
    line_fill(line, ' ', CONTINUES - 1);
    line_add(line, record.at + at, record.length - at);
    return line_write(line);
}

int asmxpnd_stage(struct stage *s, struct text arguments)
{
    struct line line = { .stage = s };
    int code = no_more(s, arguments);

    return code != 0 ? code : each_record(s, expand_record, &line);
}
