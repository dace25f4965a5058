/*
 * Arguments of stages: words, numbers, strings, characters and input ranges. Each function takes what it has found from
 * the front of `rest`.
 */
#include "pipe.h"

/* Without blanks at the front. */
static inline struct text at_word(struct text rest)
{
    const char *end = rest.at + rest.length;

    while (rest.at < end && *rest.at == ' ')
        rest.at++;
    return (struct text){ rest.at, (u32)(end - rest.at) };
}

void skip_blanks(struct text *rest) { *rest = at_word(*rest); }

static void advance(struct text *rest, u32 count)
{
    rest->at += count;
    rest->length -= count;
}

bool peek_word(struct text rest, struct text *word)
{
    const char *blank;

    *word = at_word(rest);
    blank = memchr(word->at, ' ', word->length);
    if (blank != NULL)
        word->length = (u32)(blank - word->at);
    return word->length > 0;
}

bool next_word(struct text *rest, struct text *word)
{
    bool there = peek_word(*rest, word);

    advance(rest, (u32)(word->at - rest->at) + word->length);
    return there;
}

bool is_word(struct text word, const char *keyword, u32 least)
{
    if (word.length < least)
        return false;
    for (u32 n = 0; n < word.length; n++)
        if (keyword[n] == 0 || upper(word.at[n]) != keyword[n])
            return false;
    return true;
}

bool next_keyword(struct text *rest, const char *keyword, u32 least)
{
    struct text here = at_word(*rest), word;

    /* Mostly it is something else, and its first letter says so. */
    if (here.length == 0 || upper(*here.at) != *keyword)
        return false;
    return peek_word(here, &word) && is_word(word, keyword, least) && next_word(rest, &word);
}

bool is_integer(struct text word, i32 *value)
{
    bool minus = word.length > 0 && *word.at == '-';
    u32 number;

    if (word.length > 0 && (minus || *word.at == '+'))
        advance(&word, 1);
    if (!parse_number(word.at, word.length, &number))
        return false;
    *value = minus ? -(i32)number : (i32)number;
    return true;
}

int next_number(struct stage *s, struct text *rest, i32 *value)
{
    struct text word;

    if (!next_word(rest, &word))
        return stage_error(s, 113);
    return is_integer(word, value) ? 0 : stage_error(s, 58, word.at, word.length);
}

int no_more(struct stage *s, struct text rest)
{
    struct text word;

    if (!peek_word(rest, &word))
        return 0;
    skip_blanks(&rest);
    return stage_error(s, 112, rest.at, length_of(rest.at, rest.length));
}

/* ---- strings ---- */

static bool is_letter_or_digit(char c)
{
    char u = upper(c);

    return is_digit(c) || (u >= 'A' && u <= 'I') || (u >= 'J' && u <= 'R') || (u >= 'S' && u <= 'Z');
}

/* The digits of a word after its first letter, `each` bits a digit. */
static int of_digits(struct stage *s, struct text word, u32 each, struct text *string)
{
    u32 per_byte = 8 / each;
    char *to;

    if (word.length < 2)
        return stage_error(s, 64, word.at, word.length);
    if ((word.length - 1) % per_byte != 0)
        return stage_error(s, 336, word.at, word.length);
    to = stage_obtain(s, (word.length - 1) / per_byte);
    for (u32 n = 1; n < word.length; n++) {
        int digit = hex_digit(word.at[n]);
        char *byte = to + (n - 1) / per_byte;

        if (digit < 0 || digit >= 1 << each)
            return stage_error(s, each == 4 ? 65 : 337, word.at, word.length);
        *byte = (char)(((n - 1) % per_byte == 0 ? 0 : (u8)*byte << each) | digit);
    }
    *string = (struct text){ to, (word.length - 1) / per_byte };
    return 0;
}

bool is_delimiter_next(struct text rest)
{
    skip_blanks(&rest);
    return rest.length > 0 && !is_letter_or_digit(*rest.at);
}

bool is_string_next(struct text rest)
{
    skip_blanks(&rest);
    return is_delimiter_next(rest) && *rest.at != '(' && *rest.at != '-' && *rest.at != '*';
}

int next_string(struct stage *s, struct text *rest, struct text *string)
{
    struct text word;
    const char *end;

    (void)next_keyword(rest, "STRING", 3);
    skip_blanks(rest);
    if (rest->length == 0)
        return stage_error(s, 113);
    if (is_letter_or_digit(*rest->at)) {
        char first = upper(*rest->at);

        next_word(rest, &word);
        if (first == 'X' || first == 'H')
            return of_digits(s, word, 4, string);
        return first == 'B' ? of_digits(s, word, 1, string) : stage_error(s, 59, word.at, word.length);
    }
    end = memchr(rest->at + 1, *rest->at, rest->length - 1);
    if (end == NULL)
        return stage_error(s, 60, rest->at, rest->length);
    *string = (struct text){ rest->at + 1, (u32)(end - rest->at) - 1 };
    advance(rest, string->length + 2);
    return 0;
}

int word_character(struct stage *s, struct text word, char *c)
{
    static const struct { const char *word; u32 least; char c; } names[] = {
        { "BLANK", 5, ' ' }, { "SPACE", 5, ' ' }, { "COMMA", 5, ',' }, { "TABULATE", 3, 0x05 },
    };
    u32 value;

    if (word.length == 1) {
        *c = *word.at;
        return 0;
    }
    for (u32 n = 0; n < COUNT_OF(names); n++)
        if (is_word(word, names[n].word, names[n].least)) {
            *c = names[n].c;
            return 0;
        }
    if (word.length == 2 && parse_hex(word.at, 2, &value)) {
        *c = (char)value;
        return 0;
    }
    return stage_error(s, 50, word.at, word.length);
}

int next_character(struct stage *s, struct text *rest, char *c)
{
    struct text word;

    return next_word(rest, &word) ? word_character(s, word, c) : stage_error(s, 113);
}

/* ---- input ranges ---- */

/* A number from the front of a word, or * (INT32_MAX). */
static bool bound(struct text *word, i32 *value)
{
    struct text digits = { word->at, 0 };

    if (word->length > 0 && *word->at == '*') {
        advance(word, 1);
        *value = INT32_MAX;
        return true;
    }
    if (word->length > 0 && *word->at == '-')
        digits.length = 1;
    while (digits.length < word->length && is_digit(word->at[digits.length]))
        digits.length++;
    if (!is_integer(digits, value) || *value == 0)
        return false;
    advance(word, digits.length);
    return true;
}

static bool columns(struct text word, struct range *range)
{
    char between;
    i32 length;

    if (!bound(&word, &range->from))
        return false;
    if (range->from == INT32_MAX)
        range->from = 1, range->to = INT32_MAX;
    else
        range->to = range->from;
    if (word.length == 0)
        return true;
    between = *word.at;
    advance(&word, 1);
    if (between == '.') {
        struct text digits = word;

        if (!is_integer(digits, &length) || length < 1 || !is_digit(*word.at))
            return false;
        if (range->from < 0)
            range->to = range->from + length - 1 >= 0 ? -1 : range->from + length - 1;
        else
            range->to = range->from > INT32_MAX - length ? INT32_MAX : range->from + length - 1;
        return true;
    }
    if ((between != '-' && between != ';') || !bound(&word, &range->to) || word.length > 0)
        return false;
    /* Of two that count from the same end the first must not be after the second. */
    return (range->from > 0) != (range->to > 0) || range->from <= range->to;
}

static bool unit_keyword(struct text *rest, enum unit *unit)
{
    static const struct { const char *word; u32 least; enum unit unit; } units[] = {
        { "WORDS", 1, WORDS }, { "FIELDS", 1, FIELDS }, { "COLUMNS", 3, COLUMNS },
    };
    struct text word, tail, trial;
    struct range range;

    if (!peek_word(*rest, &word))
        return false;
    for (u32 n = 0; n < COUNT_OF(units); n++) {
        if (is_word(word, units[n].word, units[n].least)) {
            *unit = units[n].unit;
            return next_word(rest, &word);
        }
        /* W1 and WORDS2-3, too. */
        tail = word;
        while (tail.length > 0 && is_letter_or_digit(*tail.at) && !is_digit(*tail.at))
            advance(&tail, 1);
        trial = (struct text){ word.at, word.length - tail.length };
        if (tail.length > 0 && is_word(trial, units[n].word, units[n].least) && columns(tail, &range)) {
            *unit = units[n].unit;
            skip_blanks(rest);
            advance(rest, trial.length);
            return true;
        }
    }
    return false;
}

static bool separator_keyword(struct text *rest)
{
    return next_keyword(rest, "WORDSEPARATOR", 7) || next_keyword(rest, "FIELDSEPARATOR", 8) ||
        next_keyword(rest, "WS", 2) ||
           next_keyword(rest, "FS", 2);
}

bool is_range_next(struct text rest)
{
    struct range range;
    struct text word;
    enum unit unit;

    if (!peek_word(rest, &word))
        return false;
    if (*word.at == '(' || separator_keyword(&rest) || unit_keyword(&rest, &unit))
        return true;
    return columns(word, &range);
}

int next_range(struct stage *s, struct text *rest, struct range *range)
{
    struct text word;
    bool fields;
    int error;

    range->unit = COLUMNS;
    for (;;) {
        struct text before = *rest;

        if (!separator_keyword(rest))
            break;
        fields = peek_word(before, &word) && upper(*word.at) == 'F';
        if ((error = next_character(s, rest, &range->separator)) != 0)
            return error;
        range->unit = fields ? FIELDS : WORDS;
        range->separated = true;
    }
    (void)unit_keyword(rest, &range->unit);
    if (!next_word(rest, &word))
        return stage_error(s, 113);
    if (columns(word, range))
        return 0;
    return stage_error(s, 54, word.at, word.length);
}

int next_ranges(struct stage *s, struct text *rest, struct ranges *ranges)
{
    struct range range = { .unit = COLUMNS };
    struct text inside, word;
    const char *end;
    int error;

    ranges->count = 0;
    if (!is_range_next(*rest)) {
        ranges->range[ranges->count++] = (struct range){ .from = 1, .to = INT32_MAX };
        return 0;
    }
    skip_blanks(rest);
    if (*rest->at != '(') {
        ranges->count = 1;
        ranges->range[0] = range;
        return next_range(s, rest, &ranges->range[0]);
    }
    end = memchr(rest->at, ')', rest->length);
    if (end == NULL)
        return stage_error(s, 17);
    inside = (struct text){ rest->at + 1, (u32)(end - rest->at) - 1 };
    advance(rest, inside.length + 2);
    while (peek_word(inside, &word)) {
        if (ranges->count == RANGES_MOST)
            return stage_error(s, 55, RANGES_MOST);
        if ((error = next_range(s, &inside, &range)) != 0)
            return error;
        ranges->range[ranges->count++] = range;
    }
    return ranges->count > 0 ? 0 : stage_error(s, 113);
}

/* From the end becomes from the front; 0 if it is in front of the first. */
static i32 place_of(i32 bound, u32 count)
{
    if (bound >= 0)
        return bound;
    return bound < -(i32)count ? 0 : (i32)count + bound + 1;
}

/* Where the unit ends that has the place in it. */
static inline u32 unit_end(const struct range *range, struct text record, u32 at)
{
    const char *end = memchr(record.at + at, range->separator, record.length - at);

    return end != NULL ? (u32)(end - record.at) : record.length;
}

static inline u32 word_begin(const struct range *range, struct text record, u32 at)
{
    while (at < record.length && record.at[at] == range->separator)
        at++;
    return at;
}

/* Words: runs of separators count once, and none at the ends. Fields: each separator ends one. */
static u32 unit_count(const struct range *range, struct text record)
{
    u32 count = range->unit == FIELDS ? 1 : 0, at = 0;

    if (range->unit == WORDS) {
        while ((at = word_begin(range, record, at)) < record.length) {
            at = unit_end(range, record, at);
            count++;
        }
        return count;
    }
    for (; (at = unit_end(range, record, at)) < record.length; at++)
        count++;
    return count;
}

/* Where the n-th word or field is. */
static struct text unit_at(const struct range *range, struct text record, u32 wanted)
{
    u32 at = 0, end, n = 0;

    for (;;) {
        if (range->unit == WORDS)
            at = word_begin(range, record, at);
        end = unit_end(range, record, at);
        if (++n == wanted)
            return (struct text){ record.at + at, end - at };
        at = end + (range->unit == FIELDS);
        if (at >= record.length && (range->unit == WORDS || at > record.length))
            return (struct text){ record.at + record.length, 0 };
    }
}

/* Words are between blanks, fields between tabs, unless something else was said. */
static char separator_of(const struct range *range)
{
    enum { TAB = 0x05 };

    return range->separated ? range->separator : range->unit == FIELDS ? TAB : ' ';
}

/* Units of a record that has `count` of them; false: none of them is there. */
static bool bounds_of(const struct range *range, u32 count, i32 *from, i32 *to)
{
    *from = place_of(range->from, count);
    *to = range->to == INT32_MAX ? (i32)count : place_of(range->to, count);
    if (*from < 1)
        *from = 1;
    if (*to > (i32)count)
        *to = (i32)count;
    return *from <= *to;
}

bool range_of(const struct range *asked, struct text record, struct text *part)
{
    i32 from, to;
    struct text last;

    *part = (struct text){ record.at + record.length, 0 };
    if (asked->unit == COLUMNS) {
        if (!bounds_of(asked, record.length, &from, &to))
            return false;
        *part = (struct text){ record.at + from - 1, (u32)(to - from) + 1 };
        return true;
    }
    const struct range with = { asked->unit, asked->from, asked->to, separator_of(asked), true }, *range = &with;
    bool ends = range->from < 0 || (range->to < 0 && range->to != INT32_MAX);
    u32 count = ends || range->to == INT32_MAX ? unit_count(range, record) : UINT32_MAX >> 1;

    if (!bounds_of(range, count, &from, &to))
        return false;
    *part = unit_at(range, record, (u32)from);
    if (part->length == 0 && part->at == record.at + record.length && range->unit == WORDS)
        return false;
    if (to > from) {
        last = range->unit == WORDS && range->to == INT32_MAX
                   ? (struct text){ record.at + record.length, 0 }
                   : unit_at(range, record, (u32)to);
        part->length = (u32)(last.at + last.length - part->at);
        /* There may be fewer words: what follows the last one is none. */
        while (range->unit == WORDS && part->length > 0 && part->at[part->length - 1] == range->separator)
            part->length--;
    }
    return part->length > 0;
}
