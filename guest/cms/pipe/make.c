/* Stages that make records, or put something into them: INSERT, SPACE, SUBSTRING, XRANGE and RANDOM. */
#include "filters.h"

/* ---- INSERT ---- */

struct inserting { bool after; struct text string; struct range range; struct line line; };

/* Before or after a part of the record; a record without that part stays as it is. */
static int insert_record(struct stage *s, void *with, struct text record)
{
    struct inserting *i = with;
    struct text part;
    u32 at;

    if (!range_of(&i->range, record, &part) && record.length > 0)
        return pass(s, 0, record);
    at = (u32)(part.at - record.at) + (i->after ? part.length : 0);
    i->line.length = 0;
    line_add(&i->line, record.at, at);
    line_text(&i->line, i->string);
    line_add(&i->line, record.at + at, record.length - at);
    return pass(s, 0, (struct text){ i->line.buffer.at, i->line.length });
}

int insert_stage(struct stage *s, struct text arguments)
{
    struct inserting i = { .range = { .from = 1, .to = INT32_MAX }, .line = { .stage = s } };
    int code = next_string(s, &arguments, &i.string);

    i.after = code == 0 && next_keyword(&arguments, "AFTER", 5);
    if (code == 0 && !i.after)
        (void)next_keyword(&arguments, "BEFORE", 6);
    if (code == 0 && is_range_next(arguments))
        code = next_range(s, &arguments, &i.range);
    if (code == 0)
        code = no_more(s, arguments);
    return code != 0 ? code : each_record(s, insert_record, &i);
}

/* ---- SPACE ---- */

struct spacing { u32 count; struct text between; struct line line; };

/* Words, with so many of the string between two. */
static int space_record(struct stage *s, void *with, struct text record)
{
    struct spacing *spacing = with;
    struct text word;
    bool first = true;

    spacing->line.length = 0;
    while (next_word(&record, &word)) {
        for (u32 n = 0; !first && n < spacing->count; n++)
            line_text(&spacing->line, spacing->between);
        line_text(&spacing->line, word);
        first = false;
    }
    return pass(s, 0, (struct text){ spacing->line.buffer.at, spacing->line.length });
}

int space_stage(struct stage *s, struct text arguments)
{
    enum { MOST = 4096 };
    struct spacing spacing = { .count = 1, .between = { " ", 1 }, .line = { .stage = s } };
    char *c = stage_obtain(s, 1);
    struct text word;
    int code = 0;

    /* Room for a record of nothing. */
    stage_room(s, &spacing.line.buffer, 1);
    if (is_number_next(arguments) && (code = next_count(s, &arguments, 0, &spacing.count)) != 0)
        return code;
    if (spacing.count > MOST)
        return stage_error(s, 66, spacing.count);
    if (peek_word(arguments, &word) && word.length > 1 && is_string_next(arguments)) {
        code = next_string(s, &arguments, &spacing.between);
    } else if (peek_word(arguments, &word)) {
        spacing.between = (struct text){ c, 1 };
        code = next_character(s, &arguments, c);
    }
    if (code == 0)
        code = no_more(s, arguments);
    return code != 0 ? code : each_record(s, space_record, &spacing);
}

/* ---- SUBSTRING ---- */

enum { PARTS_MOST = 10 };
struct parting { bool padded; char pad; u32 count; struct range range[PARTS_MOST]; struct line line; };

/* The first range of the second, of the third and so on. A record without it goes to output 1, if there is one. */
static int substring_record(struct stage *s, void *with, struct text record)
{
    struct parting *p = with;
    const struct range *outer = &p->range[0];
    struct text part = record;
    bool there = true;

    for (u32 n = p->count; n-- > 0;)
        there = range_of(&p->range[n], part, &part) && there;
    if (!there && stage_outputs(s) > 1)
        return pass(s, 1, record);
    if (!p->padded || outer->unit != COLUMNS || outer->from < 0 || outer->to < 0 || outer->to == INT32_MAX)
        return pass(s, 0, part);
    p->line.length = 0;
    line_text(&p->line, part);
    if (part.length < (u32)(outer->to - outer->from) + 1)
        line_fill(&p->line, p->pad, (u32)(outer->to - outer->from) + 1 - part.length);
    return pass(s, 0, (struct text){ p->line.buffer.at, p->line.length });
}

int substring_stage(struct stage *s, struct text arguments)
{
    struct parting *p = stage_obtain(s, sizeof *p);
    int code = 0;

    memset(p, 0, sizeof *p);
    p->line.stage = s;
    p->padded = next_keyword(&arguments, "PAD", 3);
    if (p->padded)
        code = next_character(s, &arguments, &p->pad);
    do {
        if (code == 0 && p->count == PARTS_MOST)
            code = stage_error(s, 55, PARTS_MOST);
        if (code == 0)
            code = next_range(s, &arguments, &p->range[p->count++]);
    } while (code == 0 && next_keyword(&arguments, "OF", 2));
    if (code == 0)
        code = no_more(s, arguments);
    return code != 0 ? code : each_record(s, substring_record, p);
}

/* ---- XRANGE ---- */

/* A record of the characters from one to another; past X'FF' comes X'00'. */
int xrange_stage(struct stage *s, struct text arguments)
{
    u8 first = 0, last = 0xff;
    char line[256], c;
    struct text word, rest = arguments;
    u32 length = 0;
    int code = 0;

    if (next_word(&rest, &word) && peek_word(rest, &word)) {
        code = next_character(s, &arguments, &c);
        first = (u8)c;
        if (code == 0)
            code = next_character(s, &arguments, &c);
        last = (u8)c;
    } else if (peek_word(arguments, &word)) {
        code = next_characters(s, &arguments, &first, &last);
    }
    if (code == 0)
        code = no_more(s, arguments);
    if (code != 0)
        return code;
    for (; length == 0 || (u8)line[length - 1] != last; length++)
        line[length] = (char)(first + length);
    stage_output(s, line, length);
    return 0;
}

/* ---- RANDOM ---- */

/* So many numbers as are wanted: below the first argument, or four bytes of any. A seed makes the same ones again. */
int random_stage(struct stage *s, struct text arguments)
{
    enum { MULTIPLIER = 1664525, INCREMENT = 1013904223 };
    u32 most = ALL_OF_THEM, seed = 0;
    u8 clock[8];
    char line[12];
    int code = 0;

    if (is_count_next(arguments))
        code = next_count(s, &arguments, 1, &most);
    if (code == 0 && is_number_next(arguments)) {
        code = next_count(s, &arguments, 0, &seed);
    } else {
        system_clock(clock);
        for (u32 n = 2; n < 7; n++)
            seed = seed * 257 + clock[n];
    }
    if (code == 0)
        code = no_more(s, arguments);
    if (code != 0)
        return code;
    do {
        /* The low bits of such numbers repeat soon: two make one. */
        seed = seed * MULTIPLIER + INCREMENT;
        u32 value = seed & 0xffff0000;
        seed = seed * MULTIPLIER + INCREMENT;
        value |= seed >> 16;
        if (most != ALL_OF_THEM)
            code = stage_output(s, line, format(line, sizeof line, "%u", (u32)((uint64_t)value * most >> 32)));
        else
            code = stage_output(s, (const char *)&value, sizeof value);
    } while (code == 0);
    return 0;
}
