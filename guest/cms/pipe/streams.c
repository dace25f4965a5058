/* Stages that have to do with several streams, or with when records go on: FANIN to ELASTIC. */
#include "filters.h"

/* A stage of which there is nothing to tell, once the arguments are right. */
static int ready(struct stage *s, struct text arguments)
{
    int code = no_more(s, arguments);

    return code != 0 ? code : stage_commit(s, 0);
}

/* The record that is looked at goes to an output, and is done with. */
static int hand_on(struct stage *s, u32 stream, struct text record)
{
    int code = pass(s, stream, record);

    if (code == 0)
        stage_consume(s);
    return code;
}

/* ---- FANIN: one stream after the other ---- */

int fanin_stage(struct stage *s, struct text arguments)
{
    u32 *order = stage_obtain(s, (stage_inputs(s) + arguments.length) * sizeof *order), count = 0;
    struct text word, record;
    int code;

    while (next_word(&arguments, &word)) {
        int stream = stage_stream_named(s, true, word);

        if (stream < 0)
            return stage_error(s, 102, word.at, word.length);
        order[count++] = (u32)stream;
    }
    for (; count == 0 || (count < stage_inputs(s) && order[count - 1] == count - 1); count++)
        order[count] = count;
    code = stage_commit(s, 0);
    for (u32 n = 0; code == 0 && n < count; n++) {
        stage_select_input(s, order[n]);
        while (code == 0 && stage_peek(s, &record) == 0) {
            code = hand_on(s, 0, record);
        }
    }
    return code == END_OF_FILE ? 0 : code;
}

/* ---- FANINANY: whichever has a record ---- */

int faninany_stage(struct stage *s, struct text arguments)
{
    struct text record;
    u32 stream;
    int code;

    next_keyword(&arguments, "STRICT", 6);
    code = ready(s, arguments);
    while (code == 0 && stage_peek_any(s, &record, &stream) == 0) {
        code = hand_on(s, 0, record);
    }
    return code == END_OF_FILE ? 0 : code;
}

/* ---- FANOUT: each record to all outputs ---- */

int next_stops(struct stage *s, struct text *rest, u32 *stop)
{
    *stop = 0;
    if (!next_keyword(rest, "STOP", 4) || next_keyword(rest, "ALLEOF", 6))
        return 0;
    if (next_keyword(rest, "ANYEOF", 6)) {
        *stop = 1;
        return 0;
    }
    return next_count(s, rest, 1, stop);
}

static u32 connected(const struct stage *s)
{
    u32 count = 0;

    for (u32 n = stage_outputs(s); n-- > 0;)
        count += stage_has_output(s, n);
    return count;
}

/* Whether so many of the outputs that there were at first have ended that it is over. */
static bool outputs_over(const struct stage *s, u32 first, u32 stop)
{
    return is_unread(s) || (stop != 0 && first - connected(s) >= stop);
}

int fanout_stage(struct stage *s, struct text arguments)
{
    struct text record;
    u32 stop, first;
    int code = next_stops(s, &arguments, &stop);

    if (code == 0)
        code = ready(s, arguments);
    if (code != 0)
        return code;
    for (first = connected(s); stage_peek(s, &record) == 0; stage_consume(s)) {
        for (u32 n = 0; n < stage_outputs(s); n++)
            stage_output_to(s, n, record.at, record.length);
        /* After the round: how many have ended. */
        if (outputs_over(s, first, stop))
            break;
    }
    return 0;
}

/* ---- GATE: streams 1 and up go on until there is a record on stream 0 ---- */

int gate_stage(struct stage *s, struct text arguments)
{
    struct text record;
    u32 stream;
    int code;

    next_keyword(&arguments, "STRICT", 6);
    code = ready(s, arguments);
    while (code == 0 && stage_peek_any(s, &record, &stream) == 0) {
        if (stream == 0) {
            /* Nothing passes any more; the record itself is gone. */
            stage_consume(s);
            return 0;
        }
        code = hand_on(s, stream, record);
    }
    return code == END_OF_FILE ? 0 : code;
}

/* ---- PREDSELECT: a record of stream 0 goes where the next one of another stream says ---- */

int predselect_stage(struct stage *s, struct text arguments)
{
    struct line held = { .stage = s };
    struct text record;
    bool any = false;
    u32 stream;
    int code = ready(s, arguments);

    while (code == 0 && stage_peek_any(s, &record, &stream) == 0) {
        if (stream == 0) {
            held.length = 0;
            line_text(&held, record);
            any = true;
        } else if (any && stream <= 2) {
            code = pass(s, stream - 1, (struct text){ held.buffer.at, held.length });
            any = false;
        }
        if (code == 0) {
            stage_select_input(s, stream);
            stage_consume(s);
        }
    }
    return code == END_OF_FILE ? 0 : code;
}

/* ---- DEAL and GATHER: in turn ---- */

struct turns { bool by_id, strip, secondary; struct range range; u32 next, stop; };

static int next_turns(struct stage *s, struct text *rest, struct turns *turns)
{
    int code = next_stops(s, rest, &turns->stop);

    if (code == 0 && next_keyword(rest, "STREAMID", 8)) {
        turns->by_id = true;
        code = next_range(s, rest, &turns->range);
        turns->strip = next_keyword(rest, "STRIP", 5);
    } else if (code == 0 && next_keyword(rest, "SECONDARY", 9)) {
        turns->secondary = true;
        if (stage_inputs(s) < 2)
            code = stage_error(s, 222);
    }
    return code != 0 ? code : no_more(s, *rest);
}

/* The stream that an identifier means: its number, or its name. */
static int turn_to(struct stage *s, struct text id, bool input, u32 *stream)
{
    int number;

    for (id.length = length_of(id.at, id.length); id.length > 0 && *id.at == ' '; id.at++)
        id.length--;
    number = id.length == 0 ? -1 : stage_stream_named(s, input, id);
    if (number < 0)
        return stage_error(s, 102, id.at, id.length);
    *stream = (u32)number;
    return 0;
}

/* Which output the record goes to. */
static int deal_to(struct stage *s, struct turns *turns, struct text *record, u32 *stream)
{
    struct text id;
    int code;

    if (turns->by_id) {
        range_of(&turns->range, *record, &id);
        code = turn_to(s, id, false, stream);
        /* Without its identifier, if that is in front. */
        if (code == 0 && turns->strip && id.at == record->at) {
            record->at += id.length;
            record->length -= id.length;
        }
        return code;
    }
    if (turns->secondary) {
        stage_select_input(s, 1);
        if (stage_peek(s, &id) != 0)
            return END_OF_FILE;
        code = turn_to(s, id, false, stream);
        if (code == 0)
            stage_consume(s);
        return code;
    }
    *stream = turns->next;
    turns->next = turns->next + 1 == stage_outputs(s) ? 0 : turns->next + 1;
    return 0;
}

int deal_stage(struct stage *s, struct text arguments)
{
    struct turns turns = { 0 };
    struct text record;
    u32 first;
    int code = next_turns(s, &arguments, &turns);

    if (code == 0)
        code = stage_commit(s, 0);
    first = connected(s);
    while (code == 0 && stage_peek(s, &record) == 0) {
        u32 stream;
        bool taken = false;

        while (code == 0 && !taken) {
            code = deal_to(s, &turns, &record, &stream);
            taken = code == 0 && stage_output_to(s, stream, record.at, record.length) == 0;
            if (code == 0 && !taken && outputs_over(s, first, turns.stop))
                code = END_OF_FILE;
            /* In turn, the next one takes it; what was meant for one that has ended is dropped. */
            taken = taken || turns.by_id || turns.secondary;
        }
        stage_select_input(s, 0);
        if (code == 0)
            stage_consume(s);
    }
    return code == END_OF_FILE ? 0 : code;
}

/* Whether so many of the inputs have ended that it is over. */
static bool inputs_over(const struct stage *s, u32 stop)
{
    u32 ended = 0;

    for (u32 n = stage_inputs(s); n-- > 0;)
        ended += !stage_has_input(s, n);
    return ended >= (stop == 0 || stop > stage_inputs(s) ? stage_inputs(s) : stop);
}

int gather_stage(struct stage *s, struct text arguments)
{
    struct turns turns = { 0 };
    struct text record;
    u32 stream;
    int code = next_turns(s, &arguments, &turns);

    /* What tells whose turn it is is on stream 0 or 1; the others are gathered. */
    if (code == 0 && turns.by_id)
        code = stage_error(s, 14, "STREAMID", 8);
    if (code == 0)
        code = stage_commit(s, 0);
    while (code == 0 && !inputs_over(s, turns.stop)) {
        stream = turns.next;
        turns.next = turns.next + 1 == stage_inputs(s) ? 0 : turns.next + 1;
        if (turns.secondary) {
            struct text id;

            stage_select_input(s, 1);
            if (stage_peek(s, &id) != 0)
                break;
            code = turn_to(s, id, true, &stream);
            if (code != 0)
                break;
            stage_consume(s);
        }
        stage_select_input(s, stream);
        if (stage_peek(s, &record) != 0)
            continue;
        code = hand_on(s, 0, record);
    }
    return code == END_OF_FILE ? 0 : code;
}

/* ---- SYNCHRONISE: a record of each input, when all have one ---- */

int synchronise_stage(struct stage *s, struct text arguments)
{
    u32 streams = stage_inputs(s) < stage_outputs(s) ? stage_inputs(s) : stage_outputs(s);
    struct text *record = stage_obtain(s, streams * sizeof *record);
    int code = ready(s, arguments);

    while (code == 0) {
        for (u32 n = 0; code == 0 && n < streams; n++) {
            stage_select_input(s, n);
            code = stage_peek(s, &record[n]);
        }
        for (u32 n = 0; code == 0 && n < streams; n++)
            code = stage_output_to(s, n, record[n].at, record[n].length);
        for (u32 n = 0; code == 0 && n < streams; n++) {
            stage_select_input(s, n);
            stage_consume(s);
        }
    }
    return code == END_OF_FILE ? 0 : code;
}

/* ---- JUXTAPOSE: the last record of stream 0 in front of those of stream 1 ---- */

int juxtapose_stage(struct stage *s, struct text arguments)
{
    struct line line = { .stage = s };
    struct text record;
    u32 stream, prefix = 0;
    int code = stage_inputs(s) < 2 ? stage_error(s, 222) : ready(s, arguments);

    while (code == 0 && stage_peek_any(s, &record, &stream) == 0) {
        if (stream == 0) {
            line.length = 0;
            line_text(&line, record);
            prefix = line.length;
        } else if (stream == 1) {
            line.length = prefix;
            line_text(&line, record);
            code = pass(s, 0, (struct text){ line.buffer.at, line.length });
        }
        stage_select_input(s, stream);
        if (code == 0)
            stage_consume(s);
    }
    return code == END_OF_FILE ? 0 : code;
}

/* ---- OVERLAY: records on top of one another ---- */

int overlay_stage(struct stage *s, struct text arguments)
{
    struct line line = { .stage = s };
    struct text record;
    char clear = ' ';
    int code = 0;

    skip_blanks(&arguments);
    if (arguments.length > 0)
        code = next_character(s, &arguments, &clear);
    if (code == 0)
        code = ready(s, arguments);
    while (code == 0) {
        bool any = false;

        line.length = 0;
        for (u32 n = 0; n < stage_inputs(s); n++) {
            stage_select_input(s, n);
            if (stage_peek(s, &record) != 0)
                continue;
            any = true;
            if (line.length < record.length)
                line_fill(&line, clear, record.length - line.length);
            for (u32 k = 0; k < record.length; k++)
                if (record.at[k] != clear)
                    line.buffer.at[k] = record.at[k];
        }
        code = any ? pass(s, 0, (struct text){ line.buffer.at, line.length }) : END_OF_FILE;
        for (u32 n = 0; code == 0 && n < stage_inputs(s); n++) {
            stage_select_input(s, n);
            if (stage_peek(s, &record) == 0)
                stage_consume(s);
        }
    }
    return code == END_OF_FILE ? 0 : code;
}

/* ---- BUFFER, COPY, ELASTIC: records that wait ---- */

/* BUFFER [n [/string/]]: all of the input, then the output: n times, with a record between. */
int buffer_stage(struct stage *s, struct text arguments)
{
    struct text record, between = { NULL, 0 };
    struct kept kept = { 0 };
    u32 times = 1;
    bool separated = false;
    int code = 0;

    skip_blanks(&arguments);
    if (arguments.length > 0)
        code = next_count(s, &arguments, 1, &times);
    skip_blanks(&arguments);
    if (code == 0 && arguments.length > 0) {
        separated = true;
        code = next_string(s, &arguments, &between);
    }
    if (code == 0)
        code = no_more(s, arguments);
    if (code != 0)
        return code;
    while (stage_peek(s, &record) == 0) {
        keep(s, &kept, record);
        stage_consume(s);
    }
    bool again = false;

    for (u32 n = 0; n < times && kept.count > 0; n += times != ALL_OF_THEM, again = true) {
        if (again && separated && pass(s, 0, between) != 0)
            return 0;
        for (struct kept_record *one = kept.first; one != NULL; one = one->next)
            if (pass(s, 0, (struct text){ one->at, one->length }) != 0)
                return 0;
    }
    return 0;
}

/* COPY: one record later. */
int copy_stage(struct stage *s, struct text arguments)
{
    struct line line = { .stage = s };
    struct text record;
    int code = no_more(s, arguments);

    if (code != 0)
        return code;
    while (stage_peek(s, &record) == 0) {
        line_text(&line, record);
        stage_consume(s);
        if (line_write(&line) != 0)
            break;
    }
    return 0;
}

/*
 * ELASTIC: keeps as many records as its writers have, so that none of them waits for a reader, not even while the
 * oldest lies in the output: its reader may wait for one of the writers. All others run before that, so that records
 * do not run ahead without need. What comes back on stream 1 goes like the rest.
 */
int elastic_stage(struct stage *s, struct text arguments)
{
    struct kept kept = { 0 };
    struct text record;
    u32 stream, can;
    bool has_put = false;
    int code = ready(s, arguments);

    while (code == 0) {
        can = stage_wait_either(s, kept.count > 0, has_put);
        if (has_put && (can & CAN_WRITE) == 0) {
            stage_yield(s);
            can = stage_wait_either(s, true, true);
        }
        if ((can & CAN_READ) != 0 && stage_peek_any(s, &record, &stream) == 0) {
            keep(s, &kept, record);
            stage_consume(s);
            continue;
        }
        if (kept.count == 0)
            return 0;
        if (!has_put) {
            struct text first = oldest(&kept);

            code = stage_put(s, first.at, first.length);
            has_put = code == 0;
            if ((can & NO_MORE) == 0)
                continue;
        }
        if (has_put)
            code = stage_await_reader(s);
        has_put = false;
        forget_oldest(s, &kept);
    }
    return code == END_OF_FILE ? 0 : code;
}

/* ---- FILLUP: one output after the other, each as long as it is read ---- */

int fillup_stage(struct stage *s, struct text arguments)
{
    struct text record;
    u32 stream = 0;
    int code = ready(s, arguments);

    while (code == 0 && stage_peek(s, &record) == 0) {
        while (stream < stage_outputs(s) && stage_output_to(s, stream, record.at, record.length) != 0)
            stream++;
        if (stream == stage_outputs(s))
            break;
        stage_consume(s);
    }
    return code;
}

/* ---- NOEOFBACK: the input is read to its end, whether the output is or not ---- */

int noeofback_stage(struct stage *s, struct text arguments)
{
    struct text record;
    int code = ready(s, arguments);

    for (; code == 0 && stage_peek(s, &record) == 0; stage_consume(s))
        (void)stage_output(s, record.at, record.length);
    return code;
}
