/* Subcommands that change what is in lines, from the current one to a target: CHANGE, COUNT, SHIFT and their kin. */
#include "xedit.h"

/* How a CHANGE goes: its strings, and which occurrences of each line. */
struct change {
    struct pattern from;
    const char *to;
    u32 to_length, count, first;
    u32 changed, lines, cut;
};

/* What the second string becomes: arbitrary characters of it are those that the first one's have stood for. */
static u32 replacement(struct view *view, const struct change *change, const char *matched, u32 length, char *to,
                       u32 room)
{
    u32 used = 0;
    const char *arbitrary = matched, *end = matched + length;

    if (view->s.arbitrary && memchr(change->from.text, view->s.arbchar, change->from.length) != NULL) {
        const char *sign = memchr(change->from.text, view->s.arbchar, change->from.length);

        arbitrary = matched + (sign - change->from.text);
        end = matched + length - (change->from.length - (u32)(sign - change->from.text) - 1);
    }
    for (u32 n = 0; n < change->to_length; n++) {
        if (view->s.arbitrary && change->to[n] == view->s.arbchar && arbitrary <= end) {
            u32 more = (u32)(end - arbitrary);

            if (used + more > room)
                return room + 1;
            memcpy(to + used, arbitrary, more);
            used += more;
            continue;
        }
        if (used >= room)
            return room + 1;
        to[used++] = change->to[n];
    }
    return used;
}

/* The changed line is in editor->other then; its length. */
static u32 changed_line(struct view *view, struct change *change, const char *text, u32 length, u32 *times)
{
    u32 left = view->s.zone_left - 1, right = view->s.zone_right < length ? view->s.zone_right : length, used, at,
        n = 0, match;
    u32 room = editor->work_room, from = left < right ? left : right;
    char *to = editor->other;

    *times = 0;
    if (left > length)
        memset(to + length, ' ', left - length);
    memcpy(to, text, length < left ? length : left);
    used = from = left;
    if (left > length)
        right = left;
    while (*times < change->count &&
           match_in(view, &change->from, text, from, right > from ? right : from, &at, &match)) {
        u32 end = at + match;

        n++;
        if (at > length || used + at - from > room)
            break;
        memcpy(to + used, text + from, at - from);
        used += at - from;
        if (n >= change->first) {
            u32 more = replacement(view, change, text + at, match, to + used, room - used);

            if (used + more > room) {
                change->cut++;
                return room;
            }
            used += more;
            ++*times;
        } else {
            memcpy(to + used, text + at, match);
            used += match;
        }
        from = end;
        /* An empty string is there once, at the left zone. */
        if (match == 0)
            break;
    }
    if (from < length && used + length - from <= room) {
        memcpy(to + used, text + from, length - from);
        used += length - from;
    }
    return used;
}

static int change_lines(struct view *view, struct change *change, const struct range *range)
{
    u32 count = range->last + 1 - range->first;
    int code = 0;

    for (u32 n = 0, line = range->first; n < count; n++, line++) {
        u32 before = size_of(view), length, times;
        struct row *row;

        if (!line_in_scope(view, line))
            continue;
        row = line_row(view, line);
        length = row->length < view->file->s.truncation ? row->length : view->file->s.truncation;
        length = changed_line(view, change, row->text, length, &times);
        if (times == 0)
            continue;
        change->changed += times;
        change->lines++;
        code = store_line(view, line, editor->other, length);
        if (code != 0 && code != XE_TRUNCATED)
            return code;
        change->cut += code == XE_TRUNCATED;
        line += size_of(view) - before;
    }
    return 0;
}

/* A number, or * for all there are. */
static int count_word(struct words *words, u32 *count)
{
    const char *word;
    u32 length;

    if (!take_word(words, &word, &length))
        return 0;
    if (length == 1 && *word == '*')
        *count = 0xffffffff;
    else if (!number_word(word, length, count))
        return bad_number(word, length);
    return 0;
}

/* Lines, then how many occurrences of each, from which on. */
static int change_operands(struct view *view, struct words *words, struct change *change, struct range *range)
{
    struct words target = *words;
    struct target parsed;
    const char *from;
    int code;

    change->count = change->first = 1;
    if (words_left(words)) {
        from = words->at;
        if (!parse_target(words, &parsed, true))
            return bad_operand(from, (u32)(words->end - from));
        target.end = words->at;
    }
    code = range_operand(view, &target, true, range);
    if (code == 0)
        code = count_word(words, &change->count);
    if (code == 0)
        code = count_word(words, &change->first);
    return code != 0 ? code : no_words_left(words);
}

static int change_text(struct view *view, struct words *words)
{
    struct change change = { .count = 1, .first = 1 };
    const char *first;
    struct range range;
    u32 length;
    char delimiter;
    int code;

    past_blanks(words);
    delimiter = words->at < words->end ? *words->at : 0;
    code = parse_string(words, &first, &length);
    if (code != 0)
        return code;
    if (words->at[-1] != delimiter || words->at == first)
        return missing_operand();
    change.to = words->at;
    while (words->at < words->end && *words->at != delimiter)
        words->at++;
    change.to_length = (u32)(words->at - change.to);
    words->at += words->at < words->end;
    if (!make_pattern(view, first, length, &change.from))
        return XE_OPERAND;
    code = change_operands(view, words, &change, &range);
    if (code == 0)
        code = change_lines(view, &change, &range);
    if (code != 0)
        return code;
    if (!view->s.stay)
        pass_range(view, &range);
    if (change.lines == 0) {
        message("XCG", 585, 'E');
        return XE_NONE;
    }
    if (change.cut > 0)
        message("XCG", 518, 'E', change.changed, change.lines, change.cut);
    else if (range.first != range.last || view->s.message_long)
        message("XCG", 517, 'I', change.changed, change.lines);
    return change.cut > 0 ? XE_TRUNCATED : range.edge ? XE_EDGE : 0;
}

/* Without an operand the last one is done again. */
int change_subcommand(struct view *view, struct words *words)
{
    static const char nothing[] = "";
    u32 length;

    past_blanks(words);
    length = (u32)(words->end - words->at);
    if (length == 0 && editor->last_change_length > 0) {
        words->at = editor->last_change;
        words->end = editor->last_change + editor->last_change_length;
    } else if (length <= sizeof editor->last_change) {
        editor->last_change_length = length;
        memcpy(editor->last_change, length > 0 ? words->at : nothing, length);
        editor->lastlorc_length = length;
        memcpy(editor->lastlorc, editor->last_change, length);
    }
    return change_text(view, words);
}

int count_subcommand(struct view *view, struct words *words)
{
    struct pattern pattern;
    struct range range;
    const char *text;
    u32 length, all = 0;
    int code = parse_string(words, &text, &length);

    if (code == 0)
        code = range_operand(view, words, true, &range);
    if (code == 0)
        code = no_words_left(words);
    if (code != 0)
        return code;
    if (!make_pattern(view, text, length, &pattern))
        return XE_OPERAND;
    for (u32 line = range.first; line <= range.last; line++) {
        struct row *row;
        u32 from, to, at, match;

        if (!line_in_scope(view, line))
            continue;
        row = line_row(view, line);
        to = row->length < view->s.zone_right ? row->length : view->s.zone_right;
        for (from = view->s.zone_left - 1; from <= to && match_in(view, &pattern, row->text, from, to, &at, &match);
             all++)
            from = at + (match > 0 ? match : to + 1);
    }
    if (!view->s.stay)
        pass_range(view, &range);
    message("XCO", 522, 'I', all, all == 1 ? "" : "s");
    return all == 0 ? XE_NONE : range.edge ? XE_EDGE : 0;
}

/* What is done with a line of editor->work; the line's new length, or the same text. */
typedef u32 per_line(struct view *view, char *line, u32 length, u32 by);

static int each_line(struct view *view, struct range *range, per_line *work, u32 by)
{
    u32 changed = 0;
    int code = 0;

    for (u32 line = range->first; line <= range->last; line++) {
        u32 length, alterations = view->file->alterations, size = size_of(view);
        int stored;

        if (!line_in_scope(view, line))
            continue;
        (void)line_copy(view, line, &length);
        length = work(view, editor->work, length, by);
        stored = store_line(view, line, editor->work, length);
        if (stored != 0 && stored != XE_TRUNCATED)
            return stored;
        code = stored != 0 ? stored : code;
        changed += view->file->alterations != alterations;
        /* What did not fit has lines of its own. */
        line += size_of(view) - size;
        range->last += size_of(view) - size;
    }
    if (code == 0 && changed == 0 && by == 0) {
        message("XCG", 585, 'E');
        return XE_NONE;
    }
    return code != 0 ? code : range->edge ? XE_EDGE : 0;
}

static int on_range(struct view *view, struct words *words, per_line *work)
{
    struct range range;
    int code = range_operand(view, words, true, &range);

    if (code == 0)
        code = no_words_left(words);
    if (code != 0)
        return code;
    code = each_line(view, &range, work, 0);
    if (!view->s.stay && code != XE_NONE)
        pass_range(view, &range);
    return code;
}

static u32 to_upper(struct view *view, char *line, u32 length, u32 by)
{
    (void)by;
    for (u32 n = view->s.zone_left - 1; n < length && n < view->s.zone_right; n++)
        line[n] = upper(line[n]);
    return length;
}

static u32 to_lower(struct view *view, char *line, u32 length, u32 by)
{
    (void)by;
    for (u32 n = view->s.zone_left - 1; n < length && n < view->s.zone_right; n++)
        if (line[n] != ' ' && !is_special(line[n]) && !is_digit(line[n]))
            line[n] = (char)(line[n] & ~0x40);
    return length;
}

int uppercas_subcommand(struct view *view, struct words *words) { return on_range(view, words, to_upper); }
int lowercas_subcommand(struct view *view, struct words *words) { return on_range(view, words, to_lower); }

/* Columns of the zone; what is after it stays. */
static u32 shift_right(struct view *view, char *line, u32 length, u32 by)
{
    u32 left = view->s.zone_left - 1, right = view->s.zone_right;

    if (length <= left)
        return length;
    if (right < view->file->s.truncation) {
        u32 width = right - left;

        by = by < width ? by : width;
        memmove(line + left + by, line + left, width - by);
        memset(line + left, ' ', by);
        return length > right ? length : right;
    }
    if (length + by > editor->work_room)
        by = editor->work_room - length;
    memmove(line + left + by, line + left, length - left);
    memset(line + left, ' ', by);
    return length + by;
}

static u32 shift_left(struct view *view, char *line, u32 length, u32 by)
{
    u32 left = view->s.zone_left - 1, right = view->s.zone_right, width;

    if (length <= left)
        return length;
    right = right > length ? length : right;
    width = right - left;
    by = by < width ? by : width;
    memmove(line + left, line + left + by, width - by);
    memset(line + right - by, ' ', by);
    return length;
}

int shift_lines(struct view *view, u32 first, u32 last, bool right, u32 by)
{
    struct range range = { first, last, false, false };

    return each_line(view, &range, right ? shift_right : shift_left, by);
}

int shift_subcommand(struct view *view, struct words *words)
{
    struct range range;
    const char *word;
    u32 length, by = 1;
    bool right;
    int code;

    if (!take_word(words, &word, &length))
        return missing_operand();
    right = word_means(word, length, "RIGHT", 1);
    if (!right && !word_means(word, length, "LEFT", 1))
        return bad_operand(word, length);
    if (take_word(words, &word, &length) && !number_word(word, length, &by))
        return bad_number(word, length);
    code = range_operand(view, words, true, &range);
    if (code == 0)
        code = no_words_left(words);
    if (code != 0)
        return code;
    code = by == 0 ? 0 : each_line(view, &range, right ? shift_right : shift_left, by);
    if (!view->s.stay)
        pass_range(view, &range);
    return code;
}

enum { TAB = 0x05 };

static u32 next_stop(const struct view *view, u32 column)
{
    for (u32 n = 0; n < view->s.stops; n++)
        if (view->s.stop[n] > column)
            return view->s.stop[n];
    return 0;
}

/* Tab characters become blanks up to the next tab column. */
u32 expand_tabs(struct view *view, char *line, u32 length, u32 by)
{
    u32 used = 0;

    (void)by;
    for (u32 n = 0; n < length && used < editor->work_room; n++) {
        u32 stop = line[n] == TAB ? next_stop(view, used + 1) : 0;

        if (line[n] != TAB) {
            editor->other[used++] = line[n];
            continue;
        }
        do
            editor->other[used++] = ' ';
        while (stop != 0 && used + 1 < stop && used < editor->work_room);
    }
    memcpy(line, editor->other, used);
    return used;
}

/* Blanks in front of a tab column become a tab character. */
static u32 compress_tabs(struct view *view, char *line, u32 length, u32 by)
{
    u32 used = 0;

    (void)by;
    for (u32 n = 0; n < length;) {
        u32 stop = next_stop(view, n + 1), blanks = 0;

        while (stop != 0 && n + blanks + 1 < stop && n + blanks < length && line[n + blanks] == ' ')
            blanks++;
        if (blanks > 1 && n + blanks + 1 == stop) {
            editor->other[used++] = TAB;
            n += blanks;
        } else {
            editor->other[used++] = line[n++];
        }
    }
    memcpy(line, editor->other, used);
    return used;
}

int expand_subcommand(struct view *view, struct words *words) { return on_range(view, words, expand_tabs); }
int compress_subcommand(struct view *view, struct words *words) { return on_range(view, words, compress_tabs); }

/* What is typed becomes capitals with SET CASE UPPER. */
void fold_text(const struct view *view, char *text, u32 length)
{
    for (u32 n = 0; view->s.uppercase && n < length; n++)
        text[n] = upper(text[n]);
}

/* A new line as it is typed: SET CASE, and SET IMAGE of its tab characters. `to` has room for a line; its length. */
u32 typed_text(struct view *view, char *to, const char *from, u32 length)
{
    length = length < editor->work_room ? length : editor->work_room;
    memmove(to, from, length);
    fold_text(view, to, length);
    return view->s.image != IMAGE_OFF && memchr(to, TAB, length) != NULL ? expand_tabs(view, to, length, 0) : length;
}
