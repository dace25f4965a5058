/*
 * Streams: the connections between stages, and what a stage does with records.
 *
 * What a stage waits for is a state of its: a record at an input (WAITS_INPUT, WAITS_ANY), or that the one it has
 * written is consumed (WAITS_OUTPUT). The stage that brings that about makes it ready. A stage that has become ready is
 * the next to run, so a record goes as far as it can before the next one is written.
 */
#include "internal.h"

static void link_forget(struct link *link)
{
    if (link->writer == NULL && link->reader == NULL)
        pipe_release(link);
}

void streams_release(struct streams *streams)
{
    if (streams->stream != &streams->only)
        pipe_release(streams->stream);
    streams->stream = NULL;
}

u32 stream_add(struct stage *s, struct streams *streams, const char *id, u32 id_length)
{
    if (streams->room == 0) {
        streams->stream = &streams->only;
        streams->room = 1;
    } else if (streams->count == streams->room) {
        u32 room = streams->room * 2;
        struct stream *more = pipe_obtain(s->set->pipe, room * sizeof *more);

        memcpy(more, streams->stream, streams->count * sizeof *more);
        streams_release(streams);
        streams->stream = more;
        streams->room = room;
    }
    streams->stream[streams->count].link = NULL;
    pad(streams->stream[streams->count].id, 4, id_length > 0 ? id : "", id_length);
    return streams->count++;
}

void connect(struct stage *from, u32 output, struct stage *to, u32 input)
{
    struct link *link = pipe_obtain(from->set->pipe, sizeof *link);

    *link = (struct link){ .writer = from, .reader = to };
    from->out.stream[output].link = link;
    to->in.stream[input].link = link;
}

bool is_awaited(const struct link *link)
{
    const struct stage *s = link->reader;

    return s != NULL && ((s->state == WAITS_INPUT && s->waits_for == link) || s->state == WAITS_ANY ||
                         s->state == WAITS_EITHER || s->state == WAITS_NEWS);
}

/* A reader that waits for something of this link looks again. */
static void wake_reader(struct link *link)
{
    if (is_awaited(link))
        make_ready(link->reader);
}

static void wake_writer(struct link *link)
{
    struct stage *s = link->writer;

    if (s != NULL && ((s->state == WAITS_OUTPUT && s->waits_for == link) || s->state == WAITS_EITHER))
        make_ready(s);
}

/* A stage that writes only when a reader waits for it hears that one does. */
static void tell_writer(struct link *link)
{
    if (link->writer != NULL && link->writer->state == WAITS_EITHER)
        make_ready(link->writer);
}

static void tell_writers(struct stage *s)
{
    for (u32 n = 0; n < s->in.count; n++)
        if (s->in.stream[n].link != NULL)
            tell_writer(s->in.stream[n].link);
}

/* At any input. */
static void wait_for_any(struct stage *s, enum state state)
{
    tell_writers(s);
    wait_as(s, state, NULL);
}

void wait_for_news(struct stage *s, uint64_t until)
{
    tell_writers(s);
    wait_outside(s, until, WAITS_NEWS);
}

/* The stream goes back to the stage that has lent it; false: it was not lent. */
static bool give_back(struct link *link, bool input)
{
    struct lender **lent = input ? &link->reader_lent : &link->writer_lent, *top = *lent;

    if (top == NULL)
        return false;
    *lent = top->below;
    if (input)
        link->reader = top->stage;
    else
        link->writer = top->stage;
    (input ? &top->stage->in : &top->stage->out)->stream[top->stream].link = link;
    pipe_release(top);
    return true;
}

void sever(struct stage *s, bool input, u32 stream)
{
    struct streams *streams = input ? &s->in : &s->out;
    struct link *link = stream < streams->count ? streams->stream[stream].link : NULL;

    if (link == NULL)
        return;
    streams->stream[stream].link = NULL;
    if (give_back(link, input))
        return;
    if (input) {
        link->reader = NULL;
        wake_writer(link);
        /* It need not wait for the world outside any more. */
        if (link->writer != NULL && (link->writer->state == WAITS_EVENT || link->writer->state == WAITS_NEWS))
            make_ready(link->writer);
        if (link->writer != NULL && link->writer->report != NO_REPORT &&
            (link->writer->state == WAITS_INPUT || link->writer->state == WAITS_ANY))
            make_ready(link->writer);
    } else {
        link->writer = NULL;
        wake_reader(link);
    }
    link_forget(link);
}

void lend(struct stage *from, bool input, u32 stream, struct stage *to, u32 to_stream, bool for_good)
{
    struct streams *streams = input ? &from->in : &from->out;
    struct link *link = streams->stream[stream].link;
    struct lender *lender;

    streams->stream[stream].link = NULL;
    if (link == NULL)
        return;
    if (!for_good) {
        lender = pipe_obtain(from->set->pipe, sizeof *lender);
        *lender = (struct lender){ from, stream, input ? link->reader_lent : link->writer_lent };
        if (input)
            link->reader_lent = lender;
        else
            link->writer_lent = lender;
    }
    if (input)
        link->reader = to;
    else
        link->writer = to;
    (input ? &to->in : &to->out)->stream[to_stream].link = link;
}

/* ---- what a stage does with records ---- */

void stage_report(struct stage *s, enum report report) { s->report = report; }

/* Whether readers are gone, as EOFREPORT wants to know. */
static bool readers_are_gone(const struct stage *s)
{
    u32 there = 0, gone = 0;

    for (u32 n = 0; n < s->out.count; n++) {
        const struct link *link = s->out.stream[n].link;

        if (link != NULL)
            *(link->reader != NULL ? &there : &gone) += 1;
    }
    return gone > 0 && (s->report == REPORT_ANY || there == 0);
}

static inline bool reported(const struct stage *s) { return s->report != NO_REPORT && readers_are_gone(s); }

static struct link *selected(struct streams *streams)
{
    return streams->selected < streams->count ? streams->stream[streams->selected].link : NULL;
}

int stage_peek(struct stage *s, struct text *record)
{
    struct link *link;

    commit_for_record(s);
    for (;;) {
        /* While it waits the stream may become another stage's, or be severed. */
        link = selected(&s->in);
        if (link == NULL || (!link->full && link->writer == NULL)) {
            *record = (struct text){ NULL, 0 };
            return END_OF_FILE;
        }
        if (link->full) {
            *record = (struct text){ link->at, link->length };
            return 0;
        }
        if (reported(s))
            return REPORTED;
        tell_writer(link);
        wait_as(s, WAITS_INPUT, link);
    }
}

int stage_glance(struct stage *s, struct text *record)
{
    struct link *link;

    commit_for_record(s);
    link = selected(&s->in);
    *record = link != NULL && link->full ? (struct text){ link->at, link->length } : (struct text){ NULL, 0 };
    return link != NULL && link->full ? 0 : link == NULL || link->writer == NULL ? END_OF_FILE : NOT_YET;
}

int stage_consume(struct stage *s)
{
    struct link *link = selected(&s->in);
    struct text record;

    if (link == NULL || !link->full) {
        int code = stage_peek(s, &record);

        if (code != 0)
            return code;
        link = selected(&s->in);
    }
    link->full = false;
    wake_writer(link);
    return 0;
}

/* Each record goes through here: two calls more would be 33 instructions more (tests/cms pipelengths). */
#define IN_LINE static inline __attribute__((always_inline))

/* The record lies in the stream, and its reader may have it. */
IN_LINE int put(struct stage *s, u32 stream, const char *at, u32 length)
{
    struct link *link;

    commit_for_record(s);
    link = stream < s->out.count ? s->out.stream[stream].link : NULL;
    if (link == NULL || link->reader == NULL) {
        if (link != NULL)
            sever(s, false, stream);
        return END_OF_FILE;
    }
    if (s->listing & TRACE_CALLS) {
        stage_say(s, 35, 'I', stream, at, length);
        say_where(s);
    }
    link->at = at;
    link->length = length;
    link->answer = 0;
    link->full = true;
    wake_reader(link);
    return 0;
}

/* Until the record that lies there is consumed. */
IN_LINE int await_reader(struct stage *s, u32 stream)
{
    struct link *link = stream < s->out.count ? s->out.stream[stream].link : NULL;

    for (;;) {
        /* It is consumed, or no stage reads it. The link cannot be lent while its stage waits here. */
        if (!link->full)
            return link->answer;
        if (link->reader == NULL) {
            link->full = false;
            sever(s, false, stream);
            return END_OF_FILE;
        }
        wait_as(s, WAITS_OUTPUT, link);
    }
}

int stage_output_to(struct stage *s, u32 stream, const char *at, u32 length)
{
    int code = put(s, stream, at, length);

    return code == 0 ? await_reader(s, stream) : code;
}

int stage_put(struct stage *s, const char *at, u32 length) { return put(s, s->out.selected, at, length); }
int stage_await_reader(struct stage *s) { return await_reader(s, s->out.selected); }

int stage_output(struct stage *s, const char *at, u32 length)
{
    return stage_output_to(s, s->out.selected, at, length);
}

int stage_peek_any(struct stage *s, struct text *record, u32 *stream)
{
    commit_for_record(s);
    for (;;) {
        bool more = false;

        for (u32 n = 0; n < s->in.count; n++) {
            struct link *link = s->in.stream[n].link;

            if (link != NULL && link->full) {
                *record = (struct text){ link->at, link->length };
                *stream = s->in.selected = n;
                return 0;
            }
            more = more || (link != NULL && link->writer != NULL);
        }
        if (!more)
            return END_OF_FILE;
        if (reported(s))
            return REPORTED;
        wait_for_any(s, WAITS_ANY);
    }
}

int stage_short(struct stage *s)
{
    u32 input = s->in.selected, output = s->out.selected;
    struct link *from, *to;
    struct text record;

    commit_for_record(s);
    from = selected(&s->in);
    to = selected(&s->out);
    if (from == NULL || to == NULL || to->reader == NULL) {
        sever(s, true, input);
        sever(s, false, output);
        return from == NULL ? 0 : END_OF_FILE;
    }
    /* What is borrowed goes back when this stage is through with it, so it must stay between. */
    if (from->reader_lent != NULL || to->writer_lent != NULL) {
        while (stage_peek(s, &record) == 0 && stage_output(s, record.at, record.length) == 0)
            stage_consume(s);
        sever(s, true, input);
        sever(s, false, output);
        return 0;
    }
    s->in.stream[input].link = NULL;
    s->out.stream[output].link = NULL;
    from->reader = to->reader;
    from->reader_lent = to->reader_lent;
    for (u32 n = 0; n < from->reader->in.count; n++)
        if (from->reader->in.stream[n].link == to)
            from->reader->in.stream[n].link = from;
    if (from->reader->waits_for == to)
        from->reader->waits_for = from;
    to->reader = NULL;
    to->writer = NULL;
    link_forget(to);
    if (from->full || from->writer == NULL)
        wake_reader(from);
    else if (is_awaited(from))
        tell_writer(from);
    return 0;
}

void stage_select_input(struct stage *s, u32 stream) { s->in.selected = stream; }
void stage_select_output(struct stage *s, u32 stream) { s->out.selected = stream; }
void stage_sever_input(struct stage *s, u32 stream) { sever(s, true, stream); }
void stage_sever_output(struct stage *s, u32 stream) { sever(s, false, stream); }
u32 stage_inputs(const struct stage *s) { return s->in.count; }
u32 stage_outputs(const struct stage *s) { return s->out.count; }

bool stage_has_input(const struct stage *s, u32 stream)
{
    const struct link *link = stream < s->in.count ? s->in.stream[stream].link : NULL;

    return link != NULL && (link->full || link->writer != NULL);
}

bool stage_has_output(const struct stage *s, u32 stream)
{
    const struct link *link = stream < s->out.count ? s->out.stream[stream].link : NULL;

    return link != NULL && link->reader != NULL;
}

int stage_stream_named(const struct stage *s, bool input, struct text id)
{
    const struct streams *streams = input ? &s->in : &s->out;
    char wanted[4];
    i32 number;

    if (is_integer(id, &number))
        return number >= 0 && (u32)number < streams->count ? number : -1;
    if (id.length == 0 || id.length > sizeof wanted)
        return -1;
    pad(wanted, sizeof wanted, id.at, id.length);
    for (u32 n = 0; n < sizeof wanted; n++)
        wanted[n] = upper(wanted[n]);
    for (u32 n = 0; n < streams->count; n++)
        if (memcmp(streams->stream[n].id, wanted, sizeof wanted) == 0)
            return (int)n;
    return -1;
}

u32 stage_wait_either(struct stage *s, bool wants_to_write, bool has_put)
{
    commit_for_record(s);
    for (;;) {
        struct link *out = selected(&s->out);
        bool more = false;
        u32 can = 0;

        for (u32 n = 0; n < s->in.count; n++) {
            struct link *link = s->in.stream[n].link;

            if (link != NULL && link->full)
                can |= CAN_READ;
            more = more || (link != NULL && (link->full || link->writer != NULL));
        }
        if (wants_to_write && (out == NULL || out->reader == NULL || (has_put ? !out->full : is_awaited(out))))
            can |= CAN_WRITE;
        if (!more)
            return can | NO_MORE;
        if (can != 0)
            return can;
        wait_for_any(s, WAITS_EITHER);
    }
}

u32 stage_offer(struct stage *s, void *what)
{
    s->offered = what;
    s->offer = ++s->set->pipe->offers;
    return s->offer;
}

void *stage_offered(struct stage *s, stage_function *by, u32 number)
{
    for (struct set *set = s->set->pipe->sets; set != NULL; set = set->next)
        for (struct stage *other = set->first; other != NULL; other = other->next)
            if (other->state != ENDED && other->kind != NULL && other->kind->perform == by && other->offer == number)
                return other->offered;
    return NULL;
}
