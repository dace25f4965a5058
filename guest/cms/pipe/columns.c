/*
 * Filters that make one record of one: STRIP, CHOP, PAD, XLATE, REVERSE, CHANGE, ESCAPE, VCHAR and TIMESTAMP. None
 * delays it.
 */
#include "filters.h"

/* ---- STRIP ---- */

struct stripping { bool leading, trailing; u32 most; struct target target; };

static int strip_record(struct stage *s, void *with, struct text record)
{
    struct stripping *strip = with;
    u32 at = 0, end = record.length;

    while (strip->leading && at < end) {
        u32 length = target_at(&strip->target, (struct text){ record.at, end }, at);

        if (length == 0 || length > strip->most - at)
            break;
        at += length;
    }
    while (strip->trailing && end > at) {
        u32 before = end;

        if (!target_before(&strip->target, record, &before) || before < at || record.length - before > strip->most)
            break;
        end = before;
    }
    return pass(s, 0, (struct text){ record.at + at, end - at });
}

int strip_stage(struct stage *s, struct text arguments)
{
    struct stripping strip = { .leading = true, .trailing = true, .most = ALL_OF_THEM };
    bool to;
    int code;

    strip.target.anycase = next_anycase(&arguments);
    if (next_keyword(&arguments, "LEADING", 4))
        strip.trailing = false;
    else if (next_keyword(&arguments, "TRAILING", 5))
        strip.leading = false;
    else
        next_keyword(&arguments, "BOTH", 4);
    to = next_keyword(&arguments, "TO", 2);
    /* A digit is a character here: STRIP LEADING 0. */
    code = next_target(s, &arguments, &strip.target);
    if (to)
        strip.target.inverted = !strip.target.inverted;
    skip_blanks(&arguments);
    if (code == 0 && arguments.length > 0)
        code = next_count(s, &arguments, 1, &strip.most);
    if (code == 0)
        code = no_more(s, arguments);
    return code != 0 ? code : each_record(s, strip_record, &strip);
}

/* ---- CHOP ---- */

struct chopping { bool by_column, after; i32 column; struct target target; };

static int chop_record(struct stage *s, void *with, struct text record)
{
    struct chopping *chop = with;
    u32 at = record.length, length;
    int64_t column = chop->column;
    int code;

    if (!chop->by_column) {
        if (find_target(&chop->target, record, 0, &at, &length))
            column += at + (chop->after ? length : 0);
        else
            column = record.length;
    } else if (column < 0) {
        column += record.length;
    }
    at = column < 0 ? 0 : column > record.length ? record.length : (u32)column;
    code = pass(s, 0, (struct text){ record.at, at });
    return code != 0 ? code : pass(s, 1, (struct text){ record.at + at, record.length - at });
}

int chop_stage(struct stage *s, struct text arguments)
{
    struct chopping chop = { .by_column = true, .column = 80 };
    int code = 0;

    chop.target.anycase = next_anycase(&arguments);
    skip_blanks(&arguments);
    if (is_number_next(arguments)) {
        code = next_number(s, &arguments, &chop.column);
        skip_blanks(&arguments);
        chop.by_column = arguments.length == 0;
    } else if (arguments.length > 0) {
        chop.by_column = false;
        chop.column = 0;
    }
    if (code == 0 && !chop.by_column) {
        chop.after = next_keyword(&arguments, "AFTER", 5);
        if (!chop.after)
            next_keyword(&arguments, "BEFORE", 6);
        code = next_target(s, &arguments, &chop.target);
    }
    if (code == 0)
        code = no_more(s, arguments);
    return code != 0 ? code : each_record(s, chop_record, &chop);
}

/* ---- PAD ---- */

struct padding { bool left, modulo; u32 to; char with; struct line line; };

static int pad_record(struct stage *s, void *with, struct text record)
{
    struct padding *padding = with;
    u32 rest = record.length % padding->to, more;

    more = padding->modulo ? (rest == 0 ? 0 : padding->to - rest) : record.length < padding->to
        ? padding->to - record.length : 0;
    if (more == 0)
        return pass(s, 0, record);
    padding->line.length = 0;
    if (padding->left)
        line_fill(&padding->line, padding->with, more);
    line_text(&padding->line, record);
    if (!padding->left)
        line_fill(&padding->line, padding->with, more);
    return pass(s, 0, (struct text){ padding->line.buffer.at, padding->line.length });
}

int pad_stage(struct stage *s, struct text arguments)
{
    struct padding padding = { .with = ' ', .line = { .stage = s } };
    int code;

    padding.left = next_keyword(&arguments, "LEFT", 4);
    if (!padding.left)
        next_keyword(&arguments, "RIGHT", 5);
    padding.modulo = next_keyword(&arguments, "MODULO", 3);
    code = is_count_next(arguments) || arguments.length == 0 ? 0 : not_valid_next(s, arguments);
    if (code == 0) {
        i32 number = 1;

        code = next_number(s, &arguments, &number);
        if (code == 0 && number < 1)
            code = stage_error(s, 66, number);
        padding.to = (u32)number;
    }
    skip_blanks(&arguments);
    if (code == 0 && arguments.length > 0)
        code = next_character(s, &arguments, &padding.with);
    if (code == 0)
        code = no_more(s, arguments);
    return code != 0 ? code : each_record(s, pad_record, &padding);
}

/* ---- XLATE ---- */

struct translating { struct ranges ranges; u8 *table; struct line line; };

static int xlate_record(struct stage *s, void *with, struct text record)
{
    struct translating *t = with;
    struct text part;

    t->line.length = 0;
    line_text(&t->line, record);
    for (u32 n = 0; n < t->ranges.count; n++) {
        if (!range_of(&t->ranges.range[n], (struct text){ t->line.buffer.at, record.length }, &part))
            continue;
        for (u32 k = 0; k < part.length; k++)
            t->line.buffer.at[part.at - t->line.buffer.at + k] = (char)t->table[(u8)part.at[k]];
    }
    return pass(s, 0, (struct text){ t->line.buffer.at, record.length });
}

static void case_table(u8 *table, bool lower)
{
    for (u32 c = 0; c < 256; c++) {
        u8 u = (u8)upper((char)c);

        if (u != c)
            table[lower ? u : c] = (u8)(lower ? c : u);
    }
}

/* ISO 8859-1 of each character. */
static const u8 latin1[256] = {
#include "latin1.h"
};

/* A2E: what networks have becomes EBCDIC; E2A: and back. */
static void network_table(u8 *table, bool to_network)
{
    for (u32 c = 0; c < 256; c++)
        table[to_network ? c : latin1[c]] = (u8)(to_network ? latin1[c] : c);
}

/* Characters that become others: a-b c-d. Of a longer first range the rest becomes the last of the second. */
static int next_pair(struct stage *s, struct text *rest, u8 *table)
{
    u8 from, from_last, to, to_last;
    int code = next_characters(s, rest, &from, &from_last);

    if (code == 0)
        code = next_characters(s, rest, &to, &to_last);
    for (u32 n = 0; code == 0 && n <= (u32)(from_last - from); n++)
        table[from + n] = n > (u32)(to_last - to) ? to_last : (u8)(to + n);
    return code;
}

int xlate_stage(struct stage *s, struct text arguments)
{
    struct translating t = { .table = stage_obtain(s, 256), .line = { .stage = s } };
    struct text record;
    bool any = false;
    int code = next_ranges(s, &arguments, &t.ranges);

    for (u32 c = 0; c < 256; c++)
        t.table[c] = (u8)c;
    if (next_keyword(&arguments, "LOWER", 5))
        case_table(t.table, any = true);
    else if ((any = next_keyword(&arguments, "UPPER", 5)))
        case_table(t.table, false);
    else if ((any = next_keyword(&arguments, "A2E", 3)))
        network_table(t.table, false);
    else if ((any = next_keyword(&arguments, "E2A", 3)))
        network_table(t.table, true);
    for (; code == 0 && peek_word(arguments, &record); any = true)
        code = next_pair(s, &arguments, t.table);
    if (code == 0)
        code = stage_commit(s, 0);
    if (code != 0)
        return code;
    /* A table from input 1 is what arguments change; without either it is upper case. */
    if (stage_inputs(s) > 1) {
        u8 *pairs = t.table;

        stage_select_input(s, 1);
        if (stage_peek(s, &record) == 0) {
            t.table = stage_obtain(s, 256);
            for (u32 c = 0; c < 256; c++)
                t.table[c] = pairs[c] != c || c >= record.length ? pairs[c] : (u8)record.at[c];
            stage_consume(s);
        }
        stage_select_input(s, 0);
    } else if (!any) {
        case_table(t.table, false);
    }
    return each_record(s, xlate_record, &t);
}

/* ---- REVERSE ---- */

static int reverse_record(struct stage *s, void *with, struct text record)
{
    struct line *line = with;
    char *to;

    line->length = 0;
    to = line_more(line, record.length);
    for (u32 n = 0; n < record.length; n++)
        to[n] = record.at[record.length - 1 - n];
    return pass(s, 0, (struct text){ line->buffer.at, line->length });
}

int reverse_stage(struct stage *s, struct text arguments)
{
    struct line line = { .stage = s };
    int code = no_more(s, arguments);

    return code != 0 ? code : each_record(s, reverse_record, &line);
}

/* ---- CHANGE ---- */

struct changing { bool anycase; struct ranges ranges; struct text from, to; u32 most; struct line line; };

/* One part of the record; how many changes there were. */
static u32 change_part(struct changing *c, struct text part, u32 most)
{
    u32 done = 0, from = 0, at;

    if (c->from.length == 0) {
        line_text(&c->line, c->to);
        line_text(&c->line, part);
        return 1;
    }
    while (done < most && find_in(part, c->from, from, c->anycase, &at)) {
        line_add(&c->line, part.at + from, at - from);
        line_text(&c->line, c->to);
        from = at + c->from.length;
        done++;
    }
    line_add(&c->line, part.at + from, part.length - from);
    return done;
}

static int change_record(struct stage *s, void *with, struct text record)
{
    struct changing *c = with;
    u32 done = 0, at = 0;

    c->line.length = 0;
    for (u32 n = 0; n < c->ranges.count && done < c->most; n++) {
        struct text part;
        u32 begin;

        /* A null string stands in front of a record that has nothing. */
        if (!range_of(&c->ranges.range[n], record, &part) && (c->from.length > 0 || record.length > 0))
            continue;
        begin = (u32)(part.at - record.at);
        /* What a range before has had is not changed again. */
        if (begin < at) {
            if (part.length <= at - begin)
                continue;
            part = (struct text){ record.at + at, part.length - (at - begin) };
            begin = at;
        }
        line_add(&c->line, record.at + at, begin - at);
        done += change_part(c, part, c->most - done);
        at = begin + part.length;
    }
    line_add(&c->line, record.at + at, record.length - at);
    if (done == 0)
        return pass(s, stage_outputs(s) > 1 ? 1 : 0, record);
    return pass(s, 0, (struct text){ c->line.buffer.at, c->line.length });
}

int change_stage(struct stage *s, struct text arguments)
{
    struct changing *c = stage_obtain(s, sizeof *c);
    bool pair;
    int code;

    memset(c, 0, sizeof *c);
    c->line.stage = s;
    c->most = ALL_OF_THEM;
    c->anycase = next_anycase(&arguments);
    code = next_ranges(s, &arguments, &c->ranges);
    if (code == 0) {
        /* /from/to/ has three delimiters, and blanks after the second are text. X, H, B and STRING are two strings. */
        pair = is_delimiter_next(arguments);
        code = next_string(s, &arguments, &c->from);
        if (code == 0 && pair)
            arguments.at--, arguments.length++;
        if (code == 0)
            code = next_string(s, &arguments, &c->to);
    }
    skip_blanks(&arguments);
    if (code == 0 && arguments.length > 0)
        code = next_count(s, &arguments, 1, &c->most);
    if (code == 0)
        code = no_more(s, arguments);
    return code != 0 ? code : each_record(s, change_record, c);
}

/* ---- ESCAPE ---- */

struct escaping { struct text characters; struct line line; };

static int escape_record(struct stage *s, void *with, struct text record)
{
    struct escaping *e = with;

    e->line.length = 0;
    for (u32 n = 0; n < record.length; n++) {
        if (memchr(e->characters.at, record.at[n], e->characters.length) != NULL)
            line_byte(&e->line, e->characters.at[0]);
        line_byte(&e->line, record.at[n]);
    }
    return pass(s, 0, (struct text){ e->line.buffer.at, e->line.length });
}

int escape_stage(struct stage *s, struct text arguments)
{
    struct escaping e = { .characters = { "\"|\\", 3 }, .line = { .stage = s } };
    int code = 0;

    skip_blanks(&arguments);
    if (arguments.length > 0)
        code = next_string(s, &arguments, &e.characters);
    if (code == 0 && e.characters.length == 0)
        code = stage_error(s, 63);
    if (code == 0)
        code = no_more(s, arguments);
    return code != 0 ? code : each_record(s, escape_record, &e);
}

/* ---- VCHAR: characters of so many bits become characters of so many others ---- */

enum { BITS_MOST = 32 };
struct recoding { u32 from, to; struct line line; };

static int vchar_record(struct stage *s, void *with, struct text record)
{
    struct recoding *r = with;
    uint64_t bits = (uint64_t)record.length * 8, out = 0;
    u32 held = 0;

    r->line.length = 0;
    for (uint64_t at = 0; at + r->from <= bits; at += r->from) {
        uint64_t value = 0;

        for (u32 n = 0; n < r->from; n++)
            value = value << 1 | ((u8)record.at[(at + n) / 8] >> (7 - (at + n) % 8) & 1);
        /* A longer one has zeros in front; a shorter one loses what is in front. */
        value &= (1ull << r->to) - 1;
        out = out << r->to | value;
        for (held += r->to; held >= 8; held -= 8)
            line_byte(&r->line, (char)(out >> (held - 8)));
        out &= (1ull << held) - 1;
    }
    if (held > 0)
        line_byte(&r->line, (char)(out << (8 - held)));
    return pass(s, 0, (struct text){ r->line.buffer.at, r->line.length });
}

int vchar_stage(struct stage *s, struct text arguments)
{
    struct recoding r = { .line = { .stage = s } };
    int code = 0;

    for (u32 n = 0; code == 0 && n < 2; n++) {
        i32 bits = 1;

        code = next_number(s, &arguments, &bits);
        if (code == 0 && (bits < 1 || bits > BITS_MOST))
            code = stage_error(s, 66, bits);
        *(n == 0 ? &r.from : &r.to) = (u32)bits;
    }
    if (code == 0)
        code = no_more(s, arguments);
    return code != 0 ? code : each_record(s, vchar_record, &r);
}
