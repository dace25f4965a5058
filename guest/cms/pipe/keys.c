/*
 * Keys: the parts of a record that SORT, UNIQUE, MERGE, COLLATE, LOOKUP and PICK compare, and records that are sorted
 * by them.
 *
 * Two parts of different length are compared as if the shorter one had pad characters after it; NOPAD, the default:
 * what it has is compared, and if that is alike the shorter one is less.
 */
#include "filters.h"

int next_padding(struct stage *s, struct text *rest, struct keys *keys)
{
    for (;;) {
        if (next_keyword(rest, "NOPAD", 5)) {
            keys->padded = false;
        } else if (next_keyword(rest, "PAD", 3)) {
            int code = next_character(s, rest, &keys->pad);

            if (code != 0)
                return code;
            keys->padded = true;
        } else if (next_anycase(rest)) {
            keys->anycase = true;
        } else {
            return 0;
        }
    }
}

/* A or D after a range. */
static bool next_order(struct text *rest, bool *descending)
{
    *descending = next_keyword(rest, "DESCENDING", 1);
    return *descending || next_keyword(rest, "ASCENDING", 1);
}

static int next_ordered(struct stage *s, struct text *rest, struct keys *keys)
{
    struct range range = { .unit = COLUMNS };
    bool descending;

    if (next_order(rest, &descending)) {
        keys->key[0].descending = descending;
        return 0;
    }
    for (keys->count = 0; is_range_next(*rest); keys->count++) {
        int code;

        if (keys->count == RANGES_MOST)
            return stage_error(s, 55, RANGES_MOST);
        code = next_range(s, rest, &range);
        if (code != 0)
            return code;
        keys->key[keys->count].range = range;
        next_order(rest, &keys->key[keys->count].descending);
    }
    if (keys->count == 0)
        keys->count = 1;
    return 0;
}

int next_keys(struct stage *s, struct text *rest, struct keys *keys, bool ordered)
{
    struct ranges ranges;
    int code = next_padding(s, rest, keys);

    keys->count = 1;
    keys->key[0] = (struct key){ { .from = 1, .to = INT32_MAX }, false };
    if (code != 0)
        return code;
    if (ordered)
        return next_ordered(s, rest, keys);
    code = next_ranges(s, rest, &ranges);
    keys->count = ranges.count;
    for (u32 n = 0; code == 0 && n < ranges.count; n++)
        keys->key[n] = (struct key){ ranges.range[n], false };
    return code;
}

static int compare_folded(const char *a, const char *b, u32 length)
{
    for (u32 n = 0; n < length; n++) {
        u8 x = (u8)upper(a[n]), y = (u8)upper(b[n]);

        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

/* Whether the rest of a text is more than pad characters. */
static int compare_pad(const struct keys *keys, const char *rest, u32 length)
{
    u8 pad = (u8)(keys->anycase ? upper(keys->pad) : keys->pad);

    for (u32 n = 0; n < length; n++) {
        u8 c = (u8)(keys->anycase ? upper(rest[n]) : rest[n]);

        if (c != pad)
            return c < pad ? -1 : 1;
    }
    return 0;
}

int compare_texts(const struct keys *keys, struct text a, struct text b)
{
    u32 both = a.length < b.length ? a.length : b.length;
    int order = keys->anycase ? compare_folded(a.at, b.at, both) : memcmp(a.at, b.at, both);

    if (order != 0 || a.length == b.length)
        return order;
    if (keys->padded)
        return a.length > both ? compare_pad(keys, a.at + both, a.length - both)
            : -compare_pad(keys, b.at + both, b.length - both);
    return a.length < b.length ? -1 : 1;
}

int compare_by(const struct keys *a_keys, struct text a, const struct keys *b_keys, struct text b)
{
    for (u32 n = 0; n < a_keys->count && n < b_keys->count; n++) {
        struct text in_a, in_b;
        int order;

        range_of(&a_keys->key[n].range, a, &in_a);
        range_of(&b_keys->key[n].range, b, &in_b);
        order = compare_texts(a_keys, in_a, in_b);
        if (order != 0)
            return a_keys->key[n].descending ? -order : order;
    }
    return 0;
}

int compare_keys(const struct keys *keys, struct text a, struct text b) { return compare_by(keys, a, keys, b); }

/* ---- records that are sorted ---- */

void sorting_add(struct sorting *sorting, struct text record)
{
    struct sorted *new;

    if (sorting->count == sorting->room) {
        u32 room = sorting->room == 0 ? 64 : sorting->room * 2;
        struct sorted *more = stage_obtain(sorting->stage, (size_t)room * sizeof *more);

        if (sorting->count > 0) {
            memcpy(more, sorting->at, (size_t)sorting->count * sizeof *more);
            stage_release(sorting->stage, sorting->at);
        }
        sorting->at = more;
        sorting->room = room;
    }
    new = &sorting->at[sorting->count++];
    new->record = store_record(sorting->stage, &sorting->store, record);
    range_of(&sorting->keys->key[0].range, new->record, &new->key);
    new->count = 1;
}

/* The first key is at hand; the others are looked for only when it is the same. */
static int compare_sorted(const struct keys *keys, const struct sorted *a, const struct sorted *b)
{
    int order = compare_texts(keys, a->key, b->key);

    if (order != 0)
        return keys->key[0].descending ? -order : order;
    return keys->count == 1 ? 0 : compare_keys(keys, a->record, b->record);
}

/* Runs of `width` records are merged, then those of twice as many; those that are alike stay in their order. */
void sort_all(struct sorting *sorting)
{
    u32 count = sorting->count;
    struct sorted *from = sorting->at, *to;

    if (count < 2)
        return;
    to = stage_obtain(sorting->stage, (size_t)count * sizeof *to);
    for (u32 width = 1; width < count; width = width > count / 2 ? count : width * 2) {
        struct sorted *swap = from;

        for (u32 first = 0; first < count; first = count - first < 2 * width ? count : first + 2 * width) {
            u32 middle = count - first < width ? count : first + width,
                end = count - middle < width ? count : middle + width;
            u32 a = first, b = middle;

            for (u32 n = first; n < end; n++)
                to[n] = a < middle && (b >= end || compare_sorted(sorting->keys, &from[a], &from[b]) <= 0) ? from[a++]
                    : from[b++];
        }
        from = to;
        to = swap;
    }
    sorting->at = from;
    sorting->room = count;
    stage_release(sorting->stage, to);
}

/* ---- counts in front of records ---- */

int pass_counted(struct stage *s, u32 stream, struct line *line, u32 count, struct text record)
{
    char digits[COUNT_COLUMNS + 2];

    line->length = 0;
    line_add(line, digits, format(digits, sizeof digits, "%10u", count));
    line_text(line, record);
    return pass(s, stream, (struct text){ line->buffer.at, line->length });
}
