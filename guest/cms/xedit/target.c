/*
 * Targets: an absolute or relative line, a line's name, a string or an expression of strings.
 *
 * A target is looked for from the current line on. As an operand it is where the lines that a subcommand works on end:
 * the target's own line is not one of them.
 */
#include "xedit.h"

static bool sign(char c) { return c == '~' || c == 0x5f; }      /* the not sign, too */

static bool parse_term(struct words *words, struct term *term)
{
    char delimiter;

    term->absent = words->at < words->end && sign(*words->at);
    words->at += term->absent;
    if (words->at >= words->end || !is_special(*words->at))
        return false;
    delimiter = *words->at++;
    term->text = words->at;
    while (words->at < words->end && *words->at != delimiter)
        words->at++;
    term->length = (u32)(words->at - term->text);
    words->at += words->at < words->end;
    return true;
}

static bool parse_strings(struct words *words, struct target *target)
{
    target->kind = TARGET_STRING;
    for (target->terms = 0; target->terms < TERMS_MOST;) {
        struct term *term = &target->term[target->terms];

        term->joined = 0;
        if (target->terms > 0) {
            struct words here = *words;

            past_blanks(&here);
            if (here.at >= here.end || (*here.at != '&' && *here.at != '|'))
                return true;
            term->joined = *here.at++;
            past_blanks(&here);
            *words = here;
        }
        if (!parse_term(words, term))
            return false;
        target->terms++;
    }
    return true;
}

/* False: it is none. Typed alone, a string begins with a stroke; `any_delimiter` if something in front says what it is.
 */
bool parse_target(struct words *words, struct target *target, bool any_delimiter)
{
    const char *from;

    memset(target, 0, sizeof *target);
    past_blanks(words);
    if (words->at >= words->end)
        return false;
    from = words->at;
    if (*words->at == ':') {
        words->at++;
    } else if (*words->at == '-' || *words->at == '+') {
        target->up = *words->at == '-';
        words->at++;
    }
    /* Macros leave a blank between a sign and a number that is a variable. */
    if (words->at > from)
        past_blanks(words);
    if (words->at < words->end && *words->at == '*' && *from != ':') {
        target->kind = TARGET_RELATIVE;
        target->all = true;
        words->at++;
        return words->at == words->end || *words->at == ' ';
    }
    if (words->at < words->end && is_digit(*words->at)) {
        const char *digits = words->at;

        while (words->at < words->end && is_digit(*words->at))
            words->at++;
        target->kind = *from == ':' ? TARGET_LINE : TARGET_RELATIVE;
        return parse_number(digits, (u32)(words->at - digits), &target->number);
    }
    if (*from == '.') {
        target->kind = TARGET_NAME;
        target->name = from;
        while (words->at < words->end && *words->at != ' ')
            words->at++;
        target->length = (u32)(words->at - from);
        return target->length > 1 && target->length <= POINT_MOST;
    }
    if (*from == ':' || words->at >= words->end)
        return false;
    if (*words->at != '/' && !sign(*words->at) && !any_delimiter)
        return false;
    return parse_strings(words, target);
}

struct search_of { struct view *view; struct target *target; struct pattern pattern[TERMS_MOST]; };

/* A term on one line: where it is found is kept for TARGET, and for CURSOR. */
static bool term_on(struct search_of *search, u32 n, u32 line, const char *text, u32 from, u32 to)
{
    u32 at, length;
    bool there = match_in(search->view, &search->pattern[n], text, from, to, &at, &length);

    if (there) {
        search->view->found_line = line;
        search->view->found_from = at + 1;
        search->view->found_to = at + length;
    }
    return there != search->target->term[n].absent;
}

/* With SPAN the following lines belong to it; a match must begin on this one. */
static u32 spanned(struct view *view, u32 line, u32 from, u32 to, char *into)
{
    u32 room = editor->work_room * 2 - 1, used = 0, lines = view->s.span_lines;

    for (u32 n = 0; n < lines && line + n <= last_line(view); n++) {
        struct row *row = line_row(view, line + n);
        u32 end = row->length < to ? row->length : to, length = end > from ? end - from : 0;

        if (n > 0 && view->s.span_blank && used < room)
            into[used++] = ' ';
        if (used + length > room)
            break;
        memcpy(into + used, row->text + from, length);
        used += length;
    }
    return used;
}

static bool strings_on(struct search_of *search, u32 line)
{
    struct view *view = search->view;
    struct row *row = line_row(view, line);
    const char *text = row->text;
    u32 from = view->s.zone_left - 1, to = view->s.zone_right, length = row->length;
    bool so_far = false;

    to = to < length ? to : length;
    if (view->s.span) {
        /* The two lines of the editor are side by side. */
        length = spanned(view, line, from, view->s.zone_right, editor->work);
        text = editor->work;
        from = 0;
        to = length;
    }
    if (from > to)
        from = to;
    for (u32 n = 0; n < search->target->terms; n++) {
        bool here = term_on(search, n, line, text, from, to);

        so_far = search->target->term[n].joined == '&' ? so_far && here
               : search->target->term[n].joined == '|' ? so_far || here : here;
    }
    return so_far;
}

/* From `from` on, not including it, to `limit`, not including that. */
static bool look(struct search_of *search, u32 from, u32 limit, bool up, u32 *line)
{
    struct view *view = search->view;

    for (u32 at = from; up ? at > limit + 1 : at + 1 < limit;) {
        at = up ? at - 1 : at + 1;
        if (line_in_scope(view, at) && strings_on(search, at)) {
            *line = at;
            return true;
        }
    }
    return false;
}

static enum found find_strings(struct view *view, struct target *target, u32 from, u32 *line)
{
    struct search_of search = { .view = view, .target = target };
    u32 top = top_line(view), end = end_line(view), limit;

    for (u32 n = 0; n < target->terms; n++)
        if (!make_pattern(view, target->term[n].text, target->term[n].length, &search.pattern[n]))
            return FOUND_NOT;
    if (look(&search, from, target->up ? top : end, target->up, line))
        return FOUND;
    /* Up to the current line, and that too. */
    limit = target->up ? (from > top ? from - 1 : top) : (from < end ? from + 1 : end);
    if (view->s.wrap && look(&search, target->up ? end : top, limit, target->up, line)) {
        message("XTA", 592, 'W');
        return FOUND_WRAPPED;
    }
    return FOUND_NOT;
}

/* So many lines in scope further; `beyond` if there are fewer. */
static enum found find_relative(struct view *view, struct target *target, u32 from, u32 *line)
{
    u32 edge = target->up ? top_line(view) : end_line(view), at = from, n = 0;

    target->beyond = target->all;
    if (target->all) {
        *line = edge;
        return FOUND;
    }
    if (view->s.scope_all || (!view->file->levels && view->s.display_low == 0)) {
        u32 room = target->up ? from - edge : edge - from;

        n = target->number < room ? target->number : room;
        at = target->up ? from - n : from + n;
    }
    for (; n < target->number && at != edge; n++)
        at = target->up ? line_before(view, at) : line_after(view, at);
    *line = at;
    target->beyond = n < target->number;
    return at == edge && target->number > 0 ? FOUND_EDGE : FOUND;
}

enum found target_line(struct view *view, struct target *target, u32 from, u32 *line)
{
    struct point *point;

    switch (target->kind) {
    case TARGET_LINE:
        *line = target->number;
        if (*line < top_line(view))
            *line = top_line(view);
        if (*line <= last_line(view))
            return FOUND;
        *line = end_line(view);
        target->beyond = true;
        return FOUND_EDGE;
    case TARGET_RELATIVE:
        return find_relative(view, target, from, line);
    case TARGET_NAME:
        point = point_named(view->file, target->name, target->length);
        if (point == NULL || !is_line(view, point->line))
            return FOUND_NOT;
        *line = point->line;
        return FOUND;
    default:
        return find_strings(view, target, from, line);
    }
}

int target_failed(const struct target *target)
{
    message("XTA", target->kind == TARGET_NAME ? 539 : 546, 'E');
    return XE_MISSING;
}

/*
 * The lines that a subcommand works on: from the current one up to the target, which is not one of them; without an
 * operand the current line alone. The first and the last of them are in scope; if there is none, the last is before the
 * first. 0, or a return code, and the message has been said. A search does not go on from the other end: lines above
 * the current one are not what was meant.
 */
int range_operand(struct view *view, struct words *words, bool optional, struct range *range)
{
    struct target target = { .kind = TARGET_RELATIVE, .number = 1 };
    u32 line, current = view->current;
    bool wrap = view->s.wrap;
    enum found found;

    if (words_left(words)) {
        const char *from = words->at;

        if (!parse_target(words, &target, true) || (words->at < words->end && *words->at != ' '))
            return bad_operand(from, (u32)(words->end - from));
    } else if (!optional) {
        return missing_operand();
    }
    view->s.wrap = false;
    found = target_line(view, &target, current, &line);
    view->s.wrap = wrap;
    if (found == FOUND_NOT)
        return target_failed(&target);
    range->up = line < current || (line == current && target.up);
    range->edge = target.beyond;
    range->first = range->up ? line + 1 : current;
    range->last = range->up ? current + 1 : line;       /* the one after it */
    if (range->first < first_line(view))
        range->first = first_line(view);
    if (range->last > end_line(view))
        range->last = end_line(view);
    while (range->first < range->last && !line_in_scope(view, range->first))
        range->first++;
    while (range->first < range->last && !line_in_scope(view, range->last - 1))
        range->last--;
    range->last = range->first < range->last ? range->last - 1 : range->first - 1;
    return 0;
}

/* After a subcommand the line pointer is at the last line that it has worked on, or at the end that it has reached. */
void pass_range(struct view *view, const struct range *range)
{
    if (range->edge)
        view->current = range->up ? top_line(view) : end_line(view);
    else if (range->first <= range->last)
        view->current = range->up ? range->first : range->last;
}

/* A string between delimiters, at the beginning of what is left. */
int parse_string(struct words *words, const char **text, u32 *length)
{
    struct term term;

    past_blanks(words);
    if (words->at >= words->end)
        return missing_operand();
    if (!is_special(*words->at) || sign(*words->at)) {
        return bad_operand(words->at, (u32)(words->end - words->at));
    }
    (void)parse_term(words, &term);
    *text = term.text;
    *length = term.length;
    return 0;
}
