/*
 * Stages that compare records with one another: SORT, UNIQUE, MERGE, COLLATE and LOOKUP.
 */
#include "filters.h"

/* ---- SORT ---- */

static int write_sorted(struct stage *s, const struct sorting *sorting, bool counted)
{
    struct line line = { .stage = s };

    for (u32 n = 0; n < sorting->count; n++) {
        const struct sorted *one = &sorting->at[n];

        if (one->count == 0)
            continue;
        if ((counted ? pass_counted(s, 0, &line, one->count, one->record) : pass(s, 0, one->record)) != 0)
            break;
    }
    return 0;
}

/* The first of those that are alike counts them all. */
static void count_alike(struct sorting *sorting)
{
    struct sorted *first = sorting->at;

    for (u32 n = 1; n < sorting->count; n++) {
        struct sorted *one = &sorting->at[n];

        if (compare_keys(sorting->keys, first->record, one->record) == 0) {
            first->count++;
            one->count = 0;
        } else {
            first = one;
        }
    }
}

int sort_stage(struct stage *s, struct text arguments)
{
    bool counted = next_keyword(&arguments, "COUNT", 5), unique = !counted && next_keyword(&arguments, "UNIQUE", 4);
    struct keys keys = { .pad = ' ' };
    struct sorting sorting = { .stage = s, .keys = &keys };
    struct text record;
    int code = next_keys(s, &arguments, &keys, true);

    if (code == 0)
        code = no_more(s, arguments);
    if (code != 0)
        return code;
    while (stage_peek(s, &record) == 0) {
        sorting_add(&sorting, record);
        stage_consume(s);
    }
    sort_all(&sorting);
    if (counted || unique)
        count_alike(&sorting);
    return write_sorted(s, &sorting, counted);
}

/* ---- UNIQUE: runs of records that are alike ---- */

enum uniqueness { UNIQUE_LAST, UNIQUE_FIRST, UNIQUE_SINGLES, UNIQUE_MULTIPLE, UNIQUE_PAIRS };

struct unique {
    struct keys keys;
    enum uniqueness which;
    bool counted;
    struct line line, held;     /* `held`: the record before, if `holding` */
    bool holding;
    u32 alike;                  /* records of the run so far */
};

static int pass_unique(struct stage *s, struct unique *u, u32 stream, struct text record)
{
    return u->counted ? pass_counted(s, stream, &u->line, u->alike, record) : pass(s, stream, record);
}

/* What becomes of the record before, now that the next one is there: it is alike, or it is not, or there is none. */
static int pass_held(struct stage *s, struct unique *u, bool alike)
{
    struct text held = { u->held.buffer.at, u->held.length };
    u32 stream = 0;

    switch (u->which) {
    case UNIQUE_SINGLES:
        stream = alike || u->alike > 1;
        break;
    case UNIQUE_MULTIPLE:
        stream = !alike && u->alike == 1;
        break;
    default:
        stream = alike;
    }
    return stream == 0 ? pass_unique(s, u, 0, held) : pass(s, 1, held);
}

static void hold(struct unique *u, struct text record)
{
    u->held.length = 0;
    line_text(&u->held, record);
    u->holding = true;
}

static int unique_record(struct stage *s, void *with, struct text record)
{
    struct unique *u = with;
    bool alike = u->holding && compare_keys(&u->keys, (struct text){ u->held.buffer.at, u->held.length }, record) == 0;
    int code = 0;

    if (u->which == UNIQUE_FIRST) {
        u->alike = alike ? u->alike + 1 : 1;
        if (!alike)
            hold(u, record);
        return pass(s, alike ? 1 : 0, record);
    }
    /* Of a pair both go, and neither is compared with the next record. */
    if (u->which == UNIQUE_PAIRS && alike) {
        u->holding = false;
        code = pass(s, 1, (struct text){ u->held.buffer.at, u->held.length });
        return code != 0 ? code : pass(s, 1, record);
    }
    if (u->holding)
        code = pass_held(s, u, alike);
    u->alike = alike ? u->alike + 1 : 1;
    hold(u, record);
    return code;
}

int unique_stage(struct stage *s, struct text arguments)
{
    static const struct { const char *word; u32 least; enum uniqueness which; } kinds[] = {
        { "LAST", 4, UNIQUE_LAST }, { "FIRST", 5, UNIQUE_FIRST }, { "SINGLES", 6, UNIQUE_SINGLES },
        { "MULTIPLE", 4, UNIQUE_MULTIPLE }, { "PAIRWISE", 4, UNIQUE_PAIRS },
    };
    struct unique *u = stage_obtain(s, sizeof *u);
    int code;

    memset(u, 0, sizeof *u);
    u->keys.pad = ' ';
    u->line.stage = u->held.stage = s;
    u->counted = next_keyword(&arguments, "COUNT", 5);
    code = next_keys(s, &arguments, &u->keys, false);
    for (u32 n = 0; n < COUNT_OF(kinds); n++)
        if (next_keyword(&arguments, kinds[n].word, kinds[n].least)) {
            u->which = kinds[n].which;
            break;
        }
    if (code == 0)
        code = no_more(s, arguments);
    /* Only the last one of a run knows how many there were. */
    if (code == 0 && u->counted && u->which != UNIQUE_LAST && u->which != UNIQUE_SINGLES)
        code = stage_error(s, 14, "COUNT", 5);
    if (code != 0)
        return code;
    code = each_record(s, unique_record, u);
    if (code == 0 && u->holding && u->which != UNIQUE_FIRST)
        pass_held(s, u, false);
    return code;
}

/* ---- MERGE: several ordered streams become one ---- */

int merge_stage(struct stage *s, struct text arguments)
{
    struct keys keys = { .pad = ' ' };
    int code = next_keys(s, &arguments, &keys, true);

    if (code == 0)
        code = no_more(s, arguments);
    if (code == 0)
        code = stage_commit(s, 0);
    if (code != 0)
        return code;
    for (;;) {
        struct text least = { NULL, 0 }, record;
        u32 from = 0;
        bool any = false;

        for (u32 n = 0; n < stage_inputs(s); n++) {
            stage_select_input(s, n);
            if (!stage_has_input(s, n) || stage_peek(s, &record) != 0)
                continue;
            if (!any || compare_keys(&keys, record, least) < 0) {
                least = record;
                from = n;
            }
            any = true;
        }
        if (!any || pass(s, 0, least) != 0)
            return 0;
        stage_select_input(s, from);
        stage_consume(s);
    }
}

/* ---- COLLATE and LOOKUP: details and their masters ---- */

enum matched { DETAIL = 1, MASTER = 2, MASTER_FIRST = 4, ALL_MASTERS = 8, IN_PAIRS = 16 };

static u32 next_matched(struct text *rest, bool lookup)
{
    u32 matched = 0;

    for (;;) {
        if ((matched & DETAIL) == 0 && next_keyword(rest, "DETAIL", 6))
            matched |= DETAIL;
        else if ((matched & MASTER) == 0 && next_keyword(rest, "MASTER", 6))
            matched |= MASTER | ((matched & DETAIL) == 0 ? MASTER_FIRST : 0);
        else if (lookup && (matched & MASTER) == 0 && next_keyword(rest, "ALLMASTER", 6))
            matched |= MASTER | ALL_MASTERS | ((matched & DETAIL) == 0 ? MASTER_FIRST : 0);
        else
            break;
    }
    if ((matched & ALL_MASTERS) != 0 && (matched & DETAIL) != 0 && next_keyword(rest, "PAIRWISE", 4))
        matched |= IN_PAIRS;
    return matched != 0 ? matched : DETAIL | MASTER | (lookup ? 0 : MASTER_FIRST);
}

/* [range [range]]: where the key of the first and of the second kind of record is. */
static int next_two_ranges(struct stage *s, struct text *rest, struct keys *first, struct keys *second)
{
    struct range range = { .unit = COLUMNS };
    int code = next_padding(s, rest, first);

    first->count = 1;
    first->key[0] = (struct key){ { .from = 1, .to = INT32_MAX }, false };
    if (code == 0 && is_range_next(*rest)) {
        code = next_range(s, rest, &range);
        first->key[0].range = range;
    }
    *second = *first;
    if (code == 0 && is_range_next(*rest)) {
        code = next_range(s, rest, &range);
        second->key[0].range = range;
    }
    return code;
}

/* COLLATE: both streams are in order; a master and all its details go to 0, other masters to 1, other details to 2. */
static int collate(struct stage *s, const struct keys *masters, const struct keys *details, u32 matched)
{
    bool both = (matched & DETAIL) != 0 && (matched & MASTER) != 0, first = (matched & MASTER_FIRST) != 0,
        is_matched = false;
    struct text master, detail;

    for (;;) {
        bool more_masters, more_details;
        int order, code = 0;

        stage_select_input(s, 0);
        more_masters = stage_peek(s, &master) == 0;
        stage_select_input(s, 1);
        more_details = stage_peek(s, &detail) == 0;
        if (!more_masters && !more_details)
            return 0;
        order = !more_details ? -1 : !more_masters ? 1 : compare_by(masters, master, details, detail);
        if (order == 0) {
            if (!is_matched && (matched & MASTER) != 0 && (first || !both))
                code = pass(s, 0, master);
            if (code == 0 && (matched & DETAIL) != 0)
                code = pass(s, 0, detail);
            is_matched = true;
        } else if (order > 0) {
            code = pass(s, 2, detail);
        } else {
            if (!is_matched)
                code = pass(s, 1, master);
            else if (both && !first)
                code = pass(s, 0, master);
            is_matched = false;
            stage_select_input(s, 0);
        }
        if (code != 0)
            return 0;
        stage_consume(s);
    }
}

int collate_stage(struct stage *s, struct text arguments)
{
    struct keys masters = { .pad = ' ' }, details;
    int code = next_two_ranges(s, &arguments, &masters, &details);
    u32 matched = next_matched(&arguments, false);

    if (code == 0)
        code = no_more(s, arguments);
    if (code == 0 && stage_inputs(s) < 2)
        code = stage_error(s, 222);
    if (code == 0)
        code = stage_commit(s, 0);
    return code != 0 ? code : collate(s, &masters, &details, matched);
}

/* The first of the masters with the detail's key. `count`, if there is none. */
static u32 find_master(const struct sorting *masters, const struct keys *details, struct text detail)
{
    u32 low = 0, high = masters->count;

    while (low < high) {
        u32 middle = low + (high - low) / 2;

        if (compare_by(details, detail, masters->keys, masters->at[middle].record) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < masters->count && compare_by(details, detail, masters->keys, masters->at[low].record) == 0 ? low
        : masters->count;
}

struct lookup { struct keys details, masters; struct sorting sorting; u32 matched; };

/* The detail, and the master or all the masters that have its key. */
static int lookup_record(struct stage *s, void *with, struct text detail)
{
    struct lookup *l = with;
    struct sorted *masters = l->sorting.at;
    u32 first = find_master(&l->sorting, &l->details, detail), last = first;
    bool master_first = (l->matched & MASTER_FIRST) != 0;
    int code = 0;

    if (first == l->sorting.count)
        return pass(s, 1, detail);
    while ((l->matched & ALL_MASTERS) != 0 && last + 1 < l->sorting.count &&
           compare_by(&l->details, detail, &l->masters, masters[last + 1].record) == 0)
        last++;
    for (u32 n = first; n <= last && code == 0; n++) {
        bool and_detail = (l->matched & DETAIL) != 0 && ((l->matched & IN_PAIRS) != 0 ||
                                                         n == (master_first ? last : first));

        masters[n].count++;
        if (and_detail && !master_first)
            code = pass(s, 0, detail);
        if (code == 0 && (l->matched & MASTER) != 0)
            code = pass(s, 0, masters[n].record);
        if (code == 0 && and_detail && master_first)
            code = pass(s, 0, detail);
    }
    return code;
}

/* Of masters with the same key the first one stays; the others go to output 3. */
static void drop_alike(struct stage *s, struct sorting *masters)
{
    u32 count = 0;

    for (u32 n = 0; n < masters->count; n++) {
        if (count > 0 && compare_keys(masters->keys, masters->at[count - 1].record, masters->at[n].record) == 0)
            pass(s, 3, masters->at[n].record);
        else
            masters->at[count++] = masters->at[n];
    }
    masters->count = count;
}

int lookup_stage(struct stage *s, struct text arguments)
{
    struct lookup *l = stage_obtain(s, sizeof *l);
    struct line line = { .stage = s };
    struct text record;
    bool counted;
    int code;

    memset(l, 0, sizeof *l);
    counted = next_keyword(&arguments, "COUNT", 5);
    l->details.pad = ' ';
    code = next_two_ranges(s, &arguments, &l->details, &l->masters);
    l->matched = next_matched(&arguments, true);
    l->sorting = (struct sorting){ .stage = s, .keys = &l->masters };
    if (code == 0)
        code = no_more(s, arguments);
    if (code == 0 && stage_inputs(s) < 2)
        code = stage_error(s, 222);
    if (code == 0)
        code = stage_commit(s, 0);
    if (code != 0)
        return code;
    stage_select_input(s, 1);
    while (stage_peek(s, &record) == 0) {
        sorting_add(&l->sorting, record);
        stage_consume(s);
    }
    sort_all(&l->sorting);
    if ((l->matched & ALL_MASTERS) == 0)
        drop_alike(s, &l->sorting);
    for (u32 n = 0; n < l->sorting.count; n++)
        l->sorting.at[n].count = 0;
    stage_select_input(s, 0);
    code = each_record(s, lookup_record, l);
    for (u32 n = 0; code == 0 && n < l->sorting.count; n++) {
        const struct sorted *master = &l->sorting.at[n];

        if (counted)
            code = pass_counted(s, 2, &line, master->count, master->record);
        else if (master->count == 0)
            code = pass(s, 2, master->record);
    }
    return code == END_OF_FILE ? 0 : code;
}
