/*
 * What STRIP, CHOP, SPLIT, JOINCONT and XLATE are told of characters: one, from one to another, any of some, or a
 * string.
 */
#include "filters.h"

int next_characters(struct stage *s, struct text *rest, u8 *first, u8 *last)
{
    struct text word, part;
    char c;
    u32 dash = 1;
    int code;

    if (!next_word(rest, &word))
        return stage_error(s, 113);
    /* A hyphen by itself, and one in front, is a character. */
    while (dash < word.length && word.at[dash] != '-')
        dash++;
    part = (struct text){ word.at, dash + 1 < word.length ? dash : word.length };
    code = word_character(s, part, &c);
    *first = *last = (u8)c;
    if (code != 0 || part.length == word.length)
        return code;
    code = word_character(s, (struct text){ word.at + dash + 1, word.length - dash - 1 }, &c);
    *last = (u8)c;
    if (code == 0 && *first > *last)
        code = stage_error(s, 54, word.at, word.length);
    return code;
}

static bool is_in_set(const struct target *target, u8 c) { return (target->set[c / 8] >> c % 8 & 1) != 0; }

static void add_character(struct target *target, u8 c)
{
    target->count += !is_in_set(target, c);
    target->set[c / 8] |= (u8)(1 << c % 8);
    target->latest = (char)c;
}

/* Many are told of one character. */
static bool is_one_character(const struct target *target)
{
    return target->is_set && !target->inverted && target->count == 1;
}

int next_target(struct stage *s, struct text *rest, struct target *target)
{
    struct text word;
    u8 first, last;
    int code;

    target->inverted = next_keyword(rest, "NOT", 3);
    target->is_set = true;
    if (next_keyword(rest, "ANYOF", 5)) {
        struct text any;

        code = next_string(s, rest, &any);
        for (u32 n = 0; code == 0 && n < any.length; n++) {
            add_character(target, (u8)any.at[n]);
            if (target->anycase)
                for (u32 c = 0; c < 256; c++)
                    if (upper((char)c) == upper(any.at[n]))
                        add_character(target, (u8)c);
        }
        return code;
    }
    if (peek_word(*rest, &word) && (is_word(word, "STRING", 3) ||
                                    (word.length > 1 && is_string_next(*rest) && word.at[1] != '-'))) {
        target->is_set = false;
        code = next_string(s, rest, &target->string);
        if (code == 0 && target->string.length == 0)
            code = stage_error(s, 63);
        return code;
    }
    if (!peek_word(*rest, &word)) {
        add_character(target, ' ');
        return 0;
    }
    code = next_characters(s, rest, &first, &last);
    for (u32 c = first; code == 0 && c <= last; c++)
        add_character(target, (u8)c);
    return code;
}

/* Inverted: one character of what is none. */
u32 target_at(const struct target *target, struct text text, u32 at)
{
    u32 length = 0;

    if (at >= text.length)
        return 0;
    if (target->is_set) {
        length = is_in_set(target, (u8)text.at[at]);
    } else if (text.length - at >= target->string.length &&
               same(text.at + at, target->string.at, target->string.length, target->anycase)) {
        length = target->string.length;
    }
    if (target->inverted)
        length = length == 0;
    return length;
}

bool target_before(const struct target *target, struct text text, u32 *end)
{
    u32 length = target->is_set || target->inverted ? 1 : target->string.length;

    if (*end < length || target_at(target, (struct text){ text.at, *end }, *end - length) != length)
        return false;
    *end -= length;
    return true;
}

bool find_target(const struct target *target, struct text text, u32 from, u32 *at, u32 *length)
{
    if (is_one_character(target)) {
        const char *found = from < text.length ? memchr(text.at + from, target->latest, text.length - from) : NULL;

        if (found == NULL)
            return false;
        *at = (u32)(found - text.at);
        *length = 1;
        return true;
    }
    if (!target->is_set && !target->inverted && from <= text.length) {
        *length = target->string.length;
        return find_in(text, target->string, from, target->anycase, at);
    }
    for (u32 n = from; n < text.length; n++) {
        *length = target_at(target, text, n);
        if (*length > 0) {
            *at = n;
            return true;
        }
    }
    return false;
}
