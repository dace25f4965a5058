/* What printers and typewriters need: carriage control of both kinds, lines printed over others, tabs. */
#include "filters.h"

/* ---- carriage control ---- */

/*
 * ASA's character says what happens before its line is printed; a channel command, what happens after it. A command
 * with bit 6 does it without printing.
 */
enum { NO_OPERATION = 0x03, WRITE_NO_SPACE = 0x01, IMMEDIATE = 0x02, CHANNELS = 12 };

static const char asa_controls[] = "+ 0-123456789ABC";

/* Which of the controls it is: 0 none, 1 to 3 lines, 4 and on: a channel. -1: it is none. */
static int control_of_asa(char c)
{
    for (u32 n = 0; n < sizeof asa_controls - 1; n++)
        if (asa_controls[n] == c)
            return (int)n;
    return -1;
}

static int control_of_command(u8 command)
{
    u8 write = command & ~(u8)IMMEDIATE;

    if (write <= 0x19 && write % 8 == 1 && command != NO_OPERATION)
        return write / 8;
    return write >= 0x89 && write <= 0x89 + 8 * (CHANNELS - 1) && write % 8 == 1 ? (write - 0x89) / 8 + 4 : -1;
}

static u8 command_of(int control, bool immediate)
{
    return (u8)((control < 4 ? control * 8 + 1 : (control - 4) * 8 + 0x89) | (immediate ? IMMEDIATE : 0));
}

static int write_controlled(struct line *line, char control, struct text rest)
{
    line->length = 0;
    line_byte(line, control);
    line_text(line, rest);
    return line_write(line);
}

static struct text without_first(struct text record) { return (struct text){ record.at + 1, record.length - 1 }; }

struct carriage { int pending; bool moved; struct line line; };

static int mctoasa_record(struct stage *s, void *with, struct text record)
{
    struct carriage *c = with;
    u8 command = record.length > 0 ? (u8)record.at[0] : 0;
    int control = control_of_command(command), code = 0;

    if (command == NO_OPERATION)
        return 0;
    if (control < 0)
        return pass(s, 0, record);
    if ((command & IMMEDIATE) == 0) {
        code = write_controlled(&c->line, asa_controls[c->pending], without_first(record));
        c->pending = control;
        c->moved = false;
        return code;
    }
    /* Two movements, one after the other: a line with nothing on it between them. */
    if (c->pending != 0)
        code = write_controlled(&c->line, asa_controls[c->pending], (struct text){ "", 0 });
    c->pending = control;
    c->moved = true;
    return code;
}

int mctoasa_stage(struct stage *s, struct text arguments)
{
    struct carriage c = { .line = { .stage = s } };
    int code = no_more(s, arguments);

    if (code != 0)
        return code;
    code = each_record(s, mctoasa_record, &c);
    if (code == 0 && c.moved)
        write_controlled(&c.line, asa_controls[c.pending], (struct text){ "", 0 });
    return code;
}

/* A line is written when the next one has said what happens after it; the last one is followed by one line. */
int asatomc_stage(struct stage *s, struct text arguments)
{
    struct line held = { .stage = s }, out = { .stage = s };
    struct text record;
    bool any = false;
    int code = no_more(s, arguments);

    if (code != 0)
        return code;
    while (stage_peek(s, &record) == 0) {
        int control = record.length > 0 ? control_of_asa(record.at[0]) : 1;

        if (control < 0)
            control = 1;
        if (any)
            code = write_controlled(&out, (char)command_of(control, false),
                                    (struct text){ held.buffer.at, held.length });
        else if (control != 0)
            code = write_controlled(&out, (char)command_of(control, true), (struct text){ "", 0 });
        if (code != 0)
            return 0;
        held.length = 0;
        if (record.length > 0)
            line_text(&held, without_first(record));
        any = true;
        stage_consume(s);
    }
    if (any)
        write_controlled(&out, (char)command_of(1, false), (struct text){ held.buffer.at, held.length });
    return 0;
}

/* OVERSTR: lines that are printed over one another become one. What is printed last is seen, but for an underscore. */
int overstr_stage(struct stage *s, struct text arguments)
{
    struct line line = { .stage = s };
    struct text record;
    bool any = false;
    int code = no_more(s, arguments);

    if (code != 0)
        return code;
    while (stage_peek(s, &record) == 0) {
        if (any && record.length > 0 && record.at[0] == '+') {
            if (line.length < record.length)
                line_fill(&line, ' ', record.length - line.length);
            for (u32 n = 1; n < record.length; n++)
                if (record.at[n] != ' ' && (record.at[n] != '_' || line.buffer.at[n] == ' '))
                    line.buffer.at[n] = record.at[n];
        } else {
            if (any && line_write(&line) != 0)
                return 0;
            line_text(&line, record);
            any = true;
        }
        stage_consume(s);
    }
    if (any)
        line_write(&line);
    return 0;
}

/* ---- tabs ---- */

enum { TAB = 0x05, EVERY_EIGHT = 8 };
struct tabs { u32 every, count, *stop; struct line line; };

/* How many columns there are in front of the next stop after `column` of them; 0: there is none. */
static u32 next_stop(const struct tabs *tabs, u32 column)
{
    if (tabs->every > 0)
        return (column / tabs->every + 1) * tabs->every;
    for (u32 n = 0; n < tabs->count; n++)
        if (tabs->stop[n] > column)
            return tabs->stop[n];
    return 0;
}

static int next_tabs(struct stage *s, struct text rest, struct tabs *tabs)
{
    i32 column;
    int code = 0;

    skip_blanks(&rest);
    tabs->every = rest.length == 0 ? EVERY_EIGHT : 0;
    tabs->stop = stage_obtain(s, (rest.length / 2 + 1) * sizeof *tabs->stop);
    for (; code == 0 && rest.length > 0; skip_blanks(&rest)) {
        code = next_number(s, &rest, &column);
        if (code != 0)
            break;
        if (column < 0 && tabs->count == 0) {
            tabs->every = 0u - (u32)column;
            return no_more(s, rest);
        }
        /* Column 1 is where a line begins: that is no stop. */
        if (column < 1 || (tabs->count > 0 && (u32)column - 1 <= tabs->stop[tabs->count - 1]))
            return stage_error(s, 66, column);
        if (column > 1)
            tabs->stop[tabs->count++] = (u32)column - 1;
    }
    return code;
}

static int untab_record(struct stage *s, void *with, struct text record)
{
    struct tabs *tabs = with;

    tabs->line.length = 0;
    for (u32 n = 0; n < record.length; n++) {
        u32 stop = record.at[n] == TAB ? next_stop(tabs, tabs->line.length) : 0;

        if (record.at[n] != TAB)
            line_byte(&tabs->line, record.at[n]);
        else
            line_fill(&tabs->line, ' ', stop == 0 ? 1 : stop - tabs->line.length);
    }
    return pass(s, 0, (struct text){ tabs->line.buffer.at, tabs->line.length });
}

/* Two or more blanks in front of a stop become a tab. */
static int retab_record(struct stage *s, void *with, struct text record)
{
    struct tabs *tabs = with;

    tabs->line.length = 0;
    for (u32 at = 0; at < record.length;) {
        u32 stop = next_stop(tabs, at), end = stop == 0 || stop > record.length ? record.length : stop, blanks = end;

        while (blanks > at && record.at[blanks - 1] == ' ')
            blanks--;
        if (end != stop || end - blanks < 2)
            blanks = end;
        line_add(&tabs->line, record.at + at, blanks - at);
        if (blanks < end)
            line_byte(&tabs->line, TAB);
        at = end;
    }
    return pass(s, 0, (struct text){ tabs->line.buffer.at, tabs->line.length });
}

static int tabbing(struct stage *s, struct text arguments, record_function *perform)
{
    struct tabs tabs = { .line = { .stage = s } };
    int code = next_tabs(s, arguments, &tabs);

    return code != 0 ? code : each_record(s, perform, &tabs);
}

int untab_stage(struct stage *s, struct text arguments) { return tabbing(s, arguments, untab_record); }
int retab_stage(struct stage *s, struct text arguments) { return tabbing(s, arguments, retab_record); }
