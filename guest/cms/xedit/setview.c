/* Options of a view: what is searched, and how lines are taken. */
#include "xedit.h"

int arbchar_set(struct view *view, struct words *words)
{
    return set_switch(words, &view->s.arbitrary, &view->s.arbchar);
}

void arbchar_values(struct view *view, struct asked *asked)
{
    give_switch(asked, view->s.arbitrary);
    give_text(asked, &view->s.arbchar, 1);
}

int case_set(struct view *view, struct words *words)
{
    static const char *const cases[] = { "UPPERCASE", "MIXED" }, *const compares[] = { "RESPECT", "IGNORE" };
    static const u8 least[] = { 1, 1 };
    u32 which, compared = view->s.ignore;
    int code = choose(words, cases, least, COUNT_OF(cases), &which);

    if (code == 0 && words_left(words))
        code = choose(words, compares, least, COUNT_OF(compares), &compared);
    if (code == 0)
        code = no_words_left(words);
    if (code == 0) {
        view->s.uppercase = which == 0;
        view->s.ignore = compared == 1;
    }
    return code;
}

void case_values(struct view *view, struct asked *asked)
{
    give(asked, view->s.uppercase ? "UPPER" : "MIXED");
    give(asked, view->s.ignore ? "IGNORE" : "RESPECT");
}

static const char *const images[] = { "OFF", "ON", "CANON" };

int image_set(struct view *view, struct words *words)
{
    static const u8 least[] = { 3, 2, 1 };
    u32 which;
    int code = choose(words, images, least, COUNT_OF(images), &which);

    code = code != 0 ? code : no_words_left(words);
    if (code == 0)
        view->s.image = (enum image)which;
    return code;
}

void image_values(struct view *view, struct asked *asked) { give(asked, images[view->s.image]); }

static const char *const spills[] = { "OFF", "ON", "WORD" };

int spill_set(struct view *view, struct words *words)
{
    static const u8 least[] = { 3, 2, 4 };
    u32 which;
    int code = choose(words, spills, least, COUNT_OF(spills), &which);

    code = code != 0 ? code : no_words_left(words);
    if (code == 0)
        view->s.spill = (enum stay)which;
    return code;
}

void spill_values(struct view *view, struct asked *asked) { give(asked, spills[view->s.spill]); }

static const char *const scopes[] = { "DISPLAY", "ALL" };

int scope_set(struct view *view, struct words *words)
{
    static const u8 least[] = { 1, 1 };
    u32 which;
    int code = choose(words, scopes, least, COUNT_OF(scopes), &which);

    code = code != 0 ? code : no_words_left(words);
    if (code == 0)
        view->s.scope_all = which == 1;
    return code;
}

void scope_values(struct view *view, struct asked *asked) { give(asked, scopes[view->s.scope_all]); }

int span_set(struct view *view, struct words *words)
{
    static const char *const blanks[] = { "BLANK", "NOBLANK" };
    static const u8 least[] = { 1, 1 };
    const char *word;
    u32 length, which = !view->s.span_blank, lines = view->s.span_lines;
    int code = 0;
    bool on;

    if (!take_word(words, &word, &length))
        return missing_operand();
    on = word_means(word, length, "ON", 2);
    if (!on && !word_means(word, length, "OFF", 3))
        return bad_operand(word, length);
    if (words_left(words))
        code = choose(words, blanks, least, COUNT_OF(blanks), &which);
    if (code == 0 && words_left(words))
        code = set_number(words, &lines, 1, 0x7fffffff);
    code = code != 0 ? code : no_words_left(words);
    if (code == 0) {
        view->s.span = on;
        view->s.span_blank = which == 0;
        view->s.span_lines = lines;
    }
    return code;
}

void span_values(struct view *view, struct asked *asked)
{
    give_switch(asked, view->s.span);
    give(asked, view->s.span_blank ? "BLANK" : "NOBLANK");
    give(asked, "%u", view->s.span_lines);
}

int zone_set(struct view *view, struct words *words)
{
    u32 left, right = view->file->s.truncation, most = view->file->s.truncation;
    int code = set_number(words, &left, 1, most);

    if (code == 0 && words_left(words))
        code = set_number(words, &right, 1, most);
    code = code != 0 ? code : no_words_left(words);
    if (code == 0 && left > right) {
        message("XSU", 527, 'E', left);
        code = XE_OPERAND;
    }
    if (code == 0) {
        view->s.zone_left = left;
        view->s.zone_right = right;
    }
    return code;
}

void zone_values(struct view *view, struct asked *asked)
{
    give(asked, "%u", view->s.zone_left);
    give(asked, "%u", view->s.zone_right);
}

int tabs_set(struct view *view, struct words *words)
{
    u32 stop[STOPS_MOST], count = 0, last = 0;

    if (!words_left(words))
        return missing_operand();
    while (words_left(words)) {
        const char *word;
        u32 length;

        (void)take_word(words, &word, &length);
        if (count >= STOPS_MOST || !number_word(word, length, &stop[count]) || stop[count] <= last ||
            stop[count] > WIDTH_MOST) {
            message("XSU", 575, 'E', "TABS");
            return XE_OPERAND;
        }
        last = stop[count++];
    }
    memcpy(view->s.stop, stop, sizeof stop);
    view->s.stops = count;
    return 0;
}

void tabs_values(struct view *view, struct asked *asked)
{
    char line[COMMAND_MOST];
    u32 used = 0;

    for (u32 n = 0; n < view->s.stops; n++)
        used += format(line + used, sizeof line - used, n > 0 ? " %u" : "%u", view->s.stop[n]);
    give_text(asked, line, used);
}

/* A target that says a line of the range. */
static int line_operand(struct view *view, struct words *words, u32 *line)
{
    struct target target;
    const char *from;

    past_blanks(words);
    from = words->at;
    if (from == words->end)
        return missing_operand();
    if (!parse_target(words, &target, true))
        return bad_operand(from, (u32)(words->end - from));
    return target_line(view, &target, view->current, line) == FOUND_NOT ? target_failed(&target) : 0;
}

int range_set(struct view *view, struct words *words)
{
    u32 first, last;
    bool outer = view->s.ranged;
    int code;

    view->s.ranged = false;
    code = line_operand(view, words, &first);
    if (code == 0)
        code = line_operand(view, words, &last);
    code = code != 0 ? code : no_words_left(words);
    view->s.ranged = outer;
    if (code != 0)
        return code;
    first = first < 1 ? 1 : first;
    last = last > size_of(view) ? size_of(view) : last;
    if (first > last + (size_of(view) == 0)) {
        message("XSU", 528, 'E', last, first);
        return XE_OPERAND;
    }
    view->s.ranged = first > 1 || last < size_of(view);
    view->s.range_first = first;
    view->s.range_last = last;
    if (view->current < top_line(view))
        view->current = top_line(view);
    if (view->current > end_line(view))
        view->current = end_line(view);
    return 0;
}

void range_values(struct view *view, struct asked *asked)
{
    give(asked, "%u", first_line(view));
    give(asked, "%u", last_line(view));
}

int display_set(struct view *view, struct words *words)
{
    u32 low, high;
    int code = set_number(words, &low, 0, LEVEL_MOST);

    high = low;
    if (code == 0 && words_left(words))
        code = set_number(words, &high, low, LEVEL_MOST);
    code = code != 0 ? code : no_words_left(words);
    if (code == 0) {
        view->s.display_low = low;
        view->s.display_high = high;
    }
    return code;
}

void display_values(struct view *view, struct asked *asked)
{
    give(asked, "%u", view->s.display_low);
    give(asked, view->s.display_high == LEVEL_MOST ? "*" : "%u", view->s.display_high);
}

/* [+|-]n [target]: the level of lines. */
int select_set(struct view *view, struct words *words)
{
    const char *word;
    struct range range;
    bool all = view->s.scope_all;
    u32 length;
    int by, code;

    if (!take_word(words, &word, &length))
        return missing_operand();
    if (!signed_word(word, length, &by) || by > LEVEL_MOST || by < -LEVEL_MOST)
        return bad_number(word, length);
    code = range_operand(view, words, true, &range);
    code = code != 0 ? code : no_words_left(words);
    if (code != 0)
        return code;
    for (u32 line = range.first; line <= range.last; line++) {
        struct row *row;
        int level;

        if (!all && !line_in_scope(view, line))
            continue;
        row = line_row(view, line);
        level = *word == '+' || *word == '-' ? row->level + by : by;
        row->level = (u8)(level < 0 ? 0 : level > LEVEL_MOST ? LEVEL_MOST : level);
        view->file->levels = view->file->levels || row->level != 0;
    }
    return range.edge ? XE_EDGE : 0;
}

void select_values(struct view *view, struct asked *asked)
{
    u32 highest = 0;

    for (u32 line = 1; view->file->levels && line <= size_of(view); line++)
        highest = line_row(view, line)->level > highest ? line_row(view, line)->level : highest;
    give(asked, "%u", is_line(view, view->current) ? line_row(view, view->current)->level : 0);
    give(asked, "%u", highest);
}

int point_set(struct view *view, struct words *words)
{
    const char *word, *off;
    u32 length, more;

    if (!take_word(words, &word, &length)) {
        message("XSU", 538, 'E');
        return XE_OPERAND;
    }
    if (*word != '.' || length < 2 || length > POINT_MOST) {
        message("XSU", 541, 'E');
        return XE_OPERAND;
    }
    if (take_word(words, &off, &more)) {
        if (!word_means(off, more, "OFF", 3))
            return bad_operand(off, more);
        point_drop(view->file, word, length);
        return no_words_left(words);
    }
    if (!is_line(view, view->current)) {
        message("XSU", 521, 'E');
        return XE_EDGE;
    }
    return point_add(view->file, view->current, word, length) ? 0 : no_room();
}

/* Names of the current line, or with * of all lines: the line's number and the names. */
void point_values(struct view *view, struct asked *asked)
{
    bool all = words_left(&asked->words) && *asked->words.at == '*';

    asked->list = all;
    for (struct point *point = view->file->points; point != NULL; point = point->next)
        if (all || point->line == view->current)
            give(asked, "%u %t", point->line, point->name);
}

int mask_set(struct view *view, struct words *words)
{
    const char *word;
    u32 length, text;

    if (!take_word(words, &word, &length))
        return missing_operand();
    if (word_means(word, length, "MODIFY", 1) || word_means(word, length, "DEFINE", 1)) {
        editor->next_length = format(editor->next_command, sizeof editor->next_command, "SET MASK IMMED %l",
                                     view->s.mask, upper(*word) == 'M' ? view->s.mask_length : 0);
        return no_words_left(words);
    }
    if (!word_means(word, length, "IMMED", 1))
        return bad_operand(word, length);
    text_operand(words);
    text = (u32)(words->end - words->at);
    view->s.mask_length = text < sizeof view->s.mask ? text : sizeof view->s.mask;
    memcpy(view->s.mask, words->at, view->s.mask_length);
    return 0;
}

void mask_values(struct view *view, struct asked *asked) { give_text(asked, view->s.mask, view->s.mask_length); }

int verify_set(struct view *view, struct words *words)
{
    struct pair pair[PAIRS_MOST];
    struct words here = *words;
    const char *word;
    u32 length, count = 0;
    bool on = view->s.verify, hex = false;

    if (!take_word(&here, &word, &length))
        return missing_operand();
    if (word_means(word, length, "ON", 2) || word_means(word, length, "OFF", 3)) {
        on = length == 2;
        *words = here;
    }
    while (words_left(words)) {
        (void)take_word(words, &word, &length);
        if (word_means(word, length, "HEX", 1)) {
            hex = true;
            continue;
        }
        if (count >= PAIRS_MOST || !number_word(word, length, &pair[count].from) || pair[count].from == 0 ||
            pair[count].from > WIDTH_MOST) {
            message("XSU", 527, 'E', 0);
            return XE_OPERAND;
        }
        pair[count].to = pair[count].from;
        pair[count].hex = hex;
        if (!words_left(words)) {
            pair[count].to = pair[count].from;
            pair[count].from = 1;
        } else {
            int code = set_number(words, &pair[count].to, pair[count].from, WIDTH_MOST);

            if (code != 0)
                return code;
            if (pair[count].to == WIDTH_MOST)
                pair[count].to = view->file->s.truncation;
        }
        hex = false;
        count++;
    }
    if (count > 0) {
        memcpy(view->s.pair, pair, sizeof pair);
        view->s.pairs = count;
        view->s.shift = 0;
    }
    view->s.verify = on;
    return 0;
}

void verify_values(struct view *view, struct asked *asked)
{
    char line[COMMAND_MOST];
    u32 used = 0;

    give_switch(asked, view->s.verify);
    for (u32 n = 0; n < view->s.pairs; n++)
        used += format(line + used, sizeof line - used, view->s.pair[n].hex ? "%sH %u %u" : "%s%u %u", n > 0 ? " " : "",
                       view->s.pair[n].from, view->s.pair[n].to);
    give_text(asked, line, used);
}
