/* Stages that put records together byte by byte, or part them by length: COMBINE, SPILL and PARCEL. */
#include "filters.h"

/* ---- COMBINE: records laid on each other ---- */

enum how { OR, AND, EXCLUSIVE_OR, FIRST, LAST };
struct combining { enum how how; u32 key; struct line line; bool any; };

/* One record more, from its column `key` on. What only one of them has is that one's. */
static void combine(struct combining *c, struct text record)
{
    u32 common = record.length < c->line.length ? record.length : c->line.length;
    char *to = c->line.buffer.at;

    if (!c->any || c->how == LAST) {
        c->line.length = 0;
        line_text(&c->line, record);
    } else if (c->how != FIRST) {
        for (u32 n = c->key; n < common; n++)
            to[n] = (char)(c->how == OR ? to[n] | record.at[n] : c->how == AND ? to[n] & record.at[n]
                           : to[n] ^ record.at[n]);
        if (record.length > common)
            line_add(&c->line, record.at + common, record.length - common);
    }
    c->any = true;
}

static int write_combined(struct combining *c)
{
    c->any = false;
    stage_room(c->line.stage, &c->line.buffer, 1);
    return line_write(&c->line);
}

static bool same_key(const struct combining *c, struct text record)
{
    return record.length >= c->key && c->line.length >= c->key && same(record.at, c->line.buffer.at, c->key, false);
}

/* Each record and `more` others, or all that have its key. */
static int combine_runs(struct stage *s, struct combining *c, u32 more)
{
    struct text record;
    u32 left = more;
    int code = 0;

    for (; code == 0 && stage_peek(s, &record) == 0; stage_consume(s)) {
        if (c->key > 0 && c->any && !same_key(c, record))
            code = write_combined(c);
        left = c->any ? left - (left != ALL_OF_THEM) : more;
        if (code == 0)
            combine(c, record);
        if (code == 0 && c->key == 0 && left == 0)
            code = write_combined(c);
    }
    if (code == 0 && c->any)
        code = write_combined(c);
    return 0;
}

/* One record of each input. `stop`: so many inputs may end; 0: all. */
static int combine_inputs(struct stage *s, struct combining *c, u32 stop)
{
    u32 inputs = stage_inputs(s), first = 0, left;
    struct text record;

    for (u32 n = 0; n < inputs; n++)
        first += stage_has_input(s, n);
    for (;;) {
        left = 0;
        for (u32 n = 0; n < inputs; n++) {
            stage_select_input(s, n);
            if (stage_peek(s, &record) != 0)
                continue;
            left++;
            combine(c, record);
        }
        if (left == 0 || (stop != 0 && first - left >= stop) || write_combined(c) != 0)
            return 0;
        for (u32 n = 0; n < inputs; n++) {
            stage_select_input(s, n);
            if (stage_peek(s, &record) == 0)
                stage_consume(s);
        }
    }
}

int combine_stage(struct stage *s, struct text arguments)
{
    static const struct { const char *word; u32 least; enum how how; } operations[] = {
        { "OR", 1, OR }, { "AND", 3, AND }, { "N", 1, AND }, { "EXCLUSIVEOR", 9, EXCLUSIVE_OR },
        { "X", 1, EXCLUSIVE_OR }, { "FIRST", 5, FIRST }, { "LAST", 4, LAST },
    };
    struct combining c = { .line = { .stage = s } };
    struct text word;
    u32 count = 1, stop = 0;
    bool inputs = false, found = false;
    int code = 0;

    if (next_keyword(&arguments, "KEYLENGTH", 9)) {
        code = next_count(s, &arguments, 1, &c.key);
    } else if (peek_word(arguments, &word) && is_word(word, "STOP", 4)) {
        inputs = true;
        code = next_stops(s, &arguments, &stop);
    } else if (is_count_next(arguments)) {
        code = next_count(s, &arguments, 0, &count);
    }
    for (u32 n = 0; n < COUNT_OF(operations) && !found; n++) {
        found = next_keyword(&arguments, operations[n].word, operations[n].least);
        c.how = operations[n].how;
    }
    if (code == 0 && !found)
        code = not_valid_next(s, arguments);
    if (code == 0)
        code = no_more(s, arguments);
    if (code == 0)
        code = stage_commit(s, 0);
    if (code != 0)
        return code;
    return inputs ? combine_inputs(s, &c, stop) : combine_runs(s, &c, count);
}

/* ---- SPILL: long records are parted between words ---- */

struct spilling { u32 width; bool kept; struct text offset; struct target target; struct line line; };

static int spill_piece(struct spilling *p, bool first, struct text piece)
{
    if (!first)
        line_text(&p->line, p->offset);
    line_text(&p->line, piece);
    stage_room(p->line.stage, &p->line.buffer, 1);
    return line_write(&p->line);
}

/* Where the last of what parts words begins that leaves no more than `room` in front of it; 0: there is none. */
static u32 part_before(const struct spilling *p, struct text text, u32 room, u32 *length)
{
    for (u32 at = room; at > 0; at--)
        if ((*length = target_at(&p->target, text, at)) > 0)
            return at;
    return 0;
}

static int spill_record(struct stage *s, void *with, struct text record)
{
    struct spilling *p = with;
    bool first = true;

    for (;;) {
        u32 room = p->width - (first ? 0 : p->offset.length), length = 0, at;

        if (record.length <= room)
            return first ? pass(s, 0, record) : spill_piece(p, first, record);
        at = part_before(p, record, room, &length);
        /* A word that is too long goes to output 1 with all that follows it, or is parted where there is room. */
        if (at == 0 && stage_outputs(s) > 1)
            return pass(s, 1, record);
        if (at == 0)
            at = room;
        struct text rest = { record.at + at, record.length - at }, piece = { record.at, at };

        while (!p->kept && (length = target_at(&p->target, rest, 0)) > 0)
            rest = (struct text){ rest.at + length, rest.length - length };
        while (!p->kept && target_before(&p->target, piece, &piece.length))
            ;
        if (spill_piece(p, first, piece) != 0)
            return END_OF_FILE;
        if (rest.length == 0)
            return 0;
        record = rest;
        first = false;
    }
}

int spill_stage(struct stage *s, struct text arguments)
{
    struct spilling p = { .line = { .stage = s } };
    int code = next_count(s, &arguments, 1, &p.width);

    if (code == 0 && next_keyword(&arguments, "OFFSET", 6)) {
        if (is_number_next(arguments)) {
            u32 blanks = 0;

            code = next_count(s, &arguments, 0, &blanks);
            if (code == 0 && blanks >= p.width)
                code = stage_error(s, 66, blanks);
            if (code == 0) {
                p.offset.length = blanks;
                p.offset.at = memset(stage_obtain(s, blanks + 1), ' ', blanks);
            }
        } else {
            code = next_string(s, &arguments, &p.offset);
        }
    }
    p.kept = next_keyword(&arguments, "KEEP", 4);
    p.target.anycase = next_anycase(&arguments);
    if (code == 0)
        code = next_target(s, &arguments, &p.target);
    if (code == 0)
        code = no_more(s, arguments);
    if (code == 0 && p.offset.length >= p.width)
        code = stage_error(s, 66, p.offset.length);
    return code != 0 ? code : each_record(s, spill_record, &p);
}

/* ---- PARCEL: records of the lengths that input 1 says ---- */

/* So many bytes of input 0, from any number of its records; false: there are no more. */
static bool next_bytes(struct stage *s, struct line *line, u32 *at, u32 length)
{
    struct text record;

    stage_select_input(s, 0);
    while (length > 0) {
        u32 some;

        if (stage_peek(s, &record) != 0)
            return false;
        some = record.length - *at < length ? record.length - *at : length;
        line_add(line, record.at + *at, some);
        length -= some;
        *at += some;
        if (*at == record.length) {
            stage_consume(s);
            *at = 0;
        }
    }
    return true;
}

int parcel_stage(struct stage *s, struct text arguments)
{
    struct line line = { .stage = s };
    struct text record, word;
    u32 at = 0;
    i32 length;
    int code = no_more(s, arguments);

    if (code == 0 && stage_inputs(s) < 2)
        code = stage_error(s, 222);
    if (code == 0)
        code = stage_commit(s, 0);
    stage_room(s, &line.buffer, 1);
    while (code == 0) {
        stage_select_input(s, 1);
        if (stage_peek(s, &record) != 0)
            break;
        while (code == 0 && next_word(&record, &word)) {
            if (!is_integer(word, &length))
                return stage_error(s, 58, word.at, word.length);
            if (length < 0)
                return stage_error(s, 66, length);
            /* What is left at the end is shorter. */
            if (!next_bytes(s, &line, &at, (u32)length) && line.length == 0)
                return 0;
            code = line_write(&line);
            stage_select_input(s, 1);
        }
        if (code == 0)
            stage_consume(s);
    }
    return code == END_OF_FILE ? 0 : code;
}
