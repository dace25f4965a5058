/*
 * Stages that select records: those that match go to output 0, the others to output 1, if there is one. None of them
 * delays a record, but for TAKE LAST and DROP LAST, which must know that nothing comes after it.
 */
#include "filters.h"

/* ---- LOCATE, NLOCATE: a string somewhere in some columns ---- */

struct locating { bool anycase, inverted, any_string; struct ranges ranges; struct text string; };

static bool located(const struct locating *l, struct text record)
{
    for (u32 n = 0; n < l->ranges.count; n++) {
        struct text part;
        u32 at;

        /* Without a string: whether anything of the columns is there. */
        if (range_of(&l->ranges.range[n], record, &part) && (l->any_string ||
                                                             find_in(part, l->string, 0, l->anycase, &at)))
            return true;
    }
    return false;
}

static int locate_record(struct stage *s, void *with, struct text record)
{
    struct locating *l = with;

    return pass(s, located(l, record) != l->inverted ? 0 : 1, record);
}

static int locating(struct stage *s, struct text arguments, bool inverted)
{
    struct locating l = { .inverted = inverted, .anycase = next_anycase(&arguments) };
    int code = next_ranges(s, &arguments, &l.ranges);

    skip_blanks(&arguments);
    l.any_string = arguments.length == 0;
    if (code == 0 && !l.any_string)
        code = next_string(s, &arguments, &l.string);
    if (code == 0)
        code = no_more(s, arguments);
    /* A null string is everywhere. */
    l.any_string = l.any_string || l.string.length == 0;
    return code != 0 ? code : each_record(s, locate_record, &l);
}

int locate_stage(struct stage *s, struct text arguments) { return locating(s, arguments, false); }
int nlocate_stage(struct stage *s, struct text arguments) { return locating(s, arguments, true); }

/* ---- FIND, NFIND, STRFIND, STRNFIND: at the beginning of a record ---- */

struct finding { bool anycase, inverted, pattern; struct text string; };

bool fits_pattern(struct text record, struct text pattern)
{
    if (record.length < pattern.length)
        return false;
    for (u32 n = 0; n < pattern.length; n++)
        if (pattern.at[n] != ' ' && record.at[n] != (pattern.at[n] == '_' ? ' ' : pattern.at[n]))
            return false;
    return true;
}

static int find_record(struct stage *s, void *with, struct text record)
{
    struct finding *f = with;
    bool found = f->pattern ? fits_pattern(record, f->string) : begins(record, f->string, f->anycase);

    return pass(s, found != f->inverted ? 0 : 1, record);
}

static int finding(struct stage *s, struct text arguments, bool inverted, bool pattern)
{
    struct finding f = { .inverted = inverted, .pattern = pattern, .string = arguments };

    if (!pattern) {
        int code;

        f.anycase = next_anycase(&arguments);
        code = next_string(s, &arguments, &f.string);
        if (code == 0)
            code = no_more(s, arguments);
        if (code != 0)
            return code;
    }
    return each_record(s, find_record, &f);
}

int find_stage(struct stage *s, struct text arguments) { return finding(s, arguments, false, true); }
int nfind_stage(struct stage *s, struct text arguments) { return finding(s, arguments, true, true); }
int strfind_stage(struct stage *s, struct text arguments) { return finding(s, arguments, false, false); }
int strnfind_stage(struct stage *s, struct text arguments) { return finding(s, arguments, true, false); }

/* ---- TAKE and DROP: so many from the front or the end ---- */

/* What is not among the last `count` goes to `early`, the last ones to `late`. */
static int from_the_end(struct stage *s, u32 count, u32 early, u32 late)
{
    struct kept kept = { 0 };
    struct text record;

    while (stage_peek(s, &record) == 0) {
        int code = 0;

        if (count == 0) {
            code = pass(s, early, record);
        } else {
            if (kept.count == count) {
                code = pass(s, early, oldest(&kept));
                forget_oldest(s, &kept);
            }
            keep(s, &kept, record);
        }
        if (code != 0 || is_unread(s))
            return 0;
        stage_consume(s);
    }
    while (kept.count > 0) {
        if (pass(s, late, oldest(&kept)) != 0)
            return 0;
        forget_oldest(s, &kept);
    }
    return 0;
}

static int taking(struct stage *s, struct text arguments, u32 first, u32 then)
{
    bool last = next_keyword(&arguments, "LAST", 4);
    struct text record;
    u32 count = 1;
    int code;

    if (!last)
        next_keyword(&arguments, "FIRST", 5);
    skip_blanks(&arguments);
    code = arguments.length == 0 ? 0 : next_count(s, &arguments, 0, &count);
    if (code == 0)
        code = no_more(s, arguments);
    if (code == 0)
        code = stage_commit(s, 0);
    if (code != 0)
        return code;
    if (last)
        return from_the_end(s, count, then, first);
    for (; count > 0; count--) {
        if (stage_peek(s, &record) != 0 || pass(s, first, record) != 0)
            return 0;
        stage_consume(s);
    }
    return pass_rest(s, then);
}

int take_stage(struct stage *s, struct text arguments) { return taking(s, arguments, 0, 1); }
int drop_stage(struct stage *s, struct text arguments) { return taking(s, arguments, 1, 0); }

/* ---- BETWEEN, INSIDE and their opposites: groups of records ---- */

struct grouping {
    bool anycase, edges, inverted;
    struct text from, to;
    u32 records;                /* 0: up to a record that begins with `to` */
    bool in;
    u32 left;
};

static int group_record(struct stage *s, void *with, struct text record)
{
    struct grouping *g = with;
    bool selected = true;

    if (!g->in) {
        g->in = selected = begins(record, g->from, g->anycase);
        selected = selected && g->edges;
        g->left = g->records - (g->edges ? 1 : 0);
    } else if (g->records > 0) {
        g->left--;
    } else if (begins(record, g->to, g->anycase)) {
        g->in = false;
        selected = g->edges;
    }
    if (g->in && g->records > 0 && g->left == 0)
        g->in = false;
    return pass(s, selected != g->inverted ? 0 : 1, record);
}

static int grouping(struct stage *s, struct text arguments, bool edges, bool inverted)
{
    struct grouping g = { .anycase = next_anycase(&arguments), .edges = edges, .inverted = inverted };
    int code = next_string(s, &arguments, &g.from);

    skip_blanks(&arguments);
    if (code == 0 && is_number_next(arguments)) {
        i32 value = 0;

        code = next_number(s, &arguments, &value);
        if (code == 0 && value < (edges ? 2 : 1))
            code = stage_error(s, 66, value);
        g.records = (u32)value;
    } else if (code == 0) {
        code = next_string(s, &arguments, &g.to);
    }
    if (code == 0)
        code = no_more(s, arguments);
    return code != 0 ? code : each_record(s, group_record, &g);
}

int between_stage(struct stage *s, struct text arguments) { return grouping(s, arguments, true, false); }
int outside_stage(struct stage *s, struct text arguments) { return grouping(s, arguments, true, true); }
int inside_stage(struct stage *s, struct text arguments) { return grouping(s, arguments, false, false); }
int notinside_stage(struct stage *s, struct text arguments) { return grouping(s, arguments, false, true); }

/* ---- FRLABEL, TOLABEL, WHILELABEL: up to the first that begins, or does not begin, with a string ---- */

/* Records go to `before` until one's beginning is the string, or is not; it and the rest go to `then`. */
static int up_to(struct stage *s, struct text arguments, bool delimited, bool while_it_begins, u32 before, u32 then)
{
    struct text string = arguments, record;
    bool anycase = false;

    if (delimited) {
        int code;

        anycase = next_anycase(&arguments);
        code = next_string(s, &arguments, &string);
        if (code == 0)
            code = no_more(s, arguments);
        if (code != 0)
            return code;
    }
    while (stage_peek(s, &record) == 0) {
        if (begins(record, string, anycase) != while_it_begins)
            return pass_rest(s, then);
        if (pass(s, before, record) != 0)
            return 0;
        stage_consume(s);
    }
    return 0;
}

int frlabel_stage(struct stage *s, struct text arguments) { return up_to(s, arguments, false, false, 1, 0); }
int tolabel_stage(struct stage *s, struct text arguments) { return up_to(s, arguments, false, false, 0, 1); }
int whilelabel_stage(struct stage *s, struct text arguments) { return up_to(s, arguments, false, true, 0, 1); }
int strfrlabel_stage(struct stage *s, struct text arguments) { return up_to(s, arguments, true, false, 1, 0); }
int strtolabel_stage(struct stage *s, struct text arguments) { return up_to(s, arguments, true, false, 0, 1); }
int strwhilelabel_stage(struct stage *s, struct text arguments) { return up_to(s, arguments, true, true, 0, 1); }

/* ---- VERIFY: nothing but some characters ---- */

struct verifying { struct range range; u8 set[32]; };

static int verify_record(struct stage *s, void *with, struct text record)
{
    struct verifying *v = with;
    struct text part;
    bool all = true;

    (void)range_of(&v->range, record, &part);
    for (u32 n = 0; all && n < part.length; n++)
        all = (v->set[(u8)part.at[n] / 8] >> (u8)part.at[n] % 8 & 1) != 0;
    return pass(s, all ? 0 : 1, record);
}

int verify_stage(struct stage *s, struct text arguments)
{
    struct verifying v = { .range = { .from = 1, .to = INT32_MAX } };
    bool anycase = next_anycase(&arguments);
    struct text any;
    int code = is_range_next(arguments) ? next_range(s, &arguments, &v.range) : 0;

    if (code == 0)
        code = next_string(s, &arguments, &any);
    if (code == 0)
        code = no_more(s, arguments);
    if (code != 0)
        return code;
    for (u32 n = 0; n < any.length; n++)
        for (u32 c = 0; c < 256; c++)
            if ((char)c == any.at[n] || (anycase && upper((char)c) == upper(any.at[n])))
                v.set[c / 8] |= (u8)(1 << c % 8);
    return each_record(s, verify_record, &v);
}

/* ---- WILDCARD: a pattern, in which * is any characters and % is one ---- */

struct wildcards { bool anycase; struct range range; struct text pattern; };

/* After a mismatch the latest * takes one character more. */
static bool is_like(const struct wildcards *w, struct text text)
{
    u32 at = 0, in = 0, star = w->pattern.length, from = 0;

    while (at < text.length) {
        if (in < w->pattern.length && w->pattern.at[in] == '*') {
            star = in++;
            from = at;
        } else if (in < w->pattern.length && (w->pattern.at[in] == '%' ||
                                              same(text.at + at, w->pattern.at + in, 1, w->anycase))) {
            at++, in++;
        } else if (star < w->pattern.length) {
            in = star + 1;
            at = ++from;
        } else {
            return false;
        }
    }
    while (in < w->pattern.length && w->pattern.at[in] == '*')
        in++;
    return in == w->pattern.length;
}

static int wildcard_record(struct stage *s, void *with, struct text record)
{
    struct wildcards *w = with;
    struct text part;

    (void)range_of(&w->range, record, &part);
    return pass(s, is_like(w, part) ? 0 : 1, record);
}

int wildcard_stage(struct stage *s, struct text arguments)
{
    struct wildcards w = { .range = { .from = 1, .to = INT32_MAX } };
    int code = 0;

    w.anycase = next_anycase(&arguments);
    if (is_range_next(arguments))
        code = next_range(s, &arguments, &w.range);
    if (code == 0)
        code = next_string(s, &arguments, &w.pattern);
    if (code == 0)
        code = no_more(s, arguments);
    return code != 0 ? code : each_record(s, wildcard_record, &w);
}
