/*
 * Strings in lines: as SET CASE, ARBCHAR, VARBLANK and HEX say.
 *
 * A pattern without any of that is found by its first character; the others are matched character by character.
 */
#include "xedit.h"

/* X'C1C2' of SET HEX ON. */
static u32 hexadecimal(const char *text, u32 length, char *to)
{
    u32 n = 0;

    for (u32 at = 2; at + 2 < length; at += 2) {
        int high = hex_digit(text[at]), low = hex_digit(text[at + 1]);

        if (high < 0 || low < 0)
            return 0;
        to[n++] = (char)(high << 4 | low);
    }
    return n;
}

bool make_pattern(struct view *view, const char *text, u32 length, struct pattern *pattern)
{
    if (length > sizeof pattern->text)
        length = sizeof pattern->text;
    memcpy(pattern->text, text, length);
    pattern->length = length;
    if (view->s.hex && length >= 3 && upper(text[0]) == 'X' && text[1] == '\'' && text[length - 1] == '\'') {
        u32 bytes = length % 2 == 1 ? hexadecimal(text, length, pattern->text) : 0;

        if (bytes == 0) {
            char shown[64];

            format(shown, sizeof shown, "%l", text, length < 60 ? length : 60);
            message("XTA", 544, 'E', shown);
            return false;
        }
        pattern->length = bytes;
    }
    pattern->plain = !view->s.varblank && !view->s.ignore &&
                     !(view->s.arbitrary && memchr(pattern->text, view->s.arbchar, pattern->length) != NULL);
    return true;
}

static bool same(const struct view *view, char a, char b)
{
    return a == b || (view->s.ignore && upper(a) == upper(b));
}

/* Whether the pattern from `p` on matches from `at` on; `end` is then where it ends. */
static bool matches_from_here(struct view *view, const struct pattern *pattern, u32 p, const char *text, u32 at, u32 to,
                              u32 *end)
{
    for (; p < pattern->length; p++) {
        char c = pattern->text[p];

        if (view->s.arbitrary && c == view->s.arbchar) {
            for (u32 n = at; n <= to; n++)
                if (matches_from_here(view, pattern, p + 1, text, n, to, end))
                    return true;
            return false;
        }
        if (at >= to || !same(view, text[at], c))
            return false;
        at++;
        if (view->s.varblank && c == ' ') {
            while (at < to && text[at] == ' ')
                at++;
            while (p + 1 < pattern->length && pattern->text[p + 1] == ' ')
                p++;
        }
    }
    *end = at;
    return true;
}

bool match_at(struct view *view, const struct pattern *pattern, const char *text, u32 from, u32 to, u32 *length)
{
    u32 end;

    if (pattern->plain) {
        *length = pattern->length;
        return to >= from && to - from >= pattern->length && memcmp(text + from, pattern->text, pattern->length) == 0;
    }
    if (!matches_from_here(view, pattern, 0, text, from, to, &end))
        return false;
    *length = end - from;
    return true;
}

/* The first place in text[from..to) where it is. */
bool match_in(struct view *view, const struct pattern *pattern, const char *text, u32 from, u32 to, u32 *at,
              u32 *length)
{
    if (pattern->plain && pattern->length > 0) {
        *length = pattern->length;
        while (from + pattern->length <= to) {
            const char *first = memchr(text + from, pattern->text[0], to - from - pattern->length + 1);

            if (first == NULL)
                return false;
            from = (u32)(first - text);
            if (memcmp(first, pattern->text, pattern->length) == 0) {
                *at = from;
                return true;
            }
            from++;
        }
        return false;
    }
    for (*at = from; *at <= to; ++*at)
        if (match_at(view, pattern, text, *at, to, length))
            return true;
    return false;
}

/* The last place in text[from..to) where one begins. */
bool match_back(struct view *view, const struct pattern *pattern, const char *text, u32 from, u32 to, u32 *at,
                u32 *length)
{
    for (*at = to + 1; (*at)-- > from;)
        if (match_at(view, pattern, text, *at, to, length))
            return true;
    return false;
}
