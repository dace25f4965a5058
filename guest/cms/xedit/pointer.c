/* Subcommands that move the line pointer, the view and the cursor. */
#include "xedit.h"

static int edge(struct view *view, enum found found)
{
    (void)view;
    return found == FOUND || found == FOUND_WRAPPED ? found == FOUND_WRAPPED : XE_EDGE;
}

/* Targets one after the other, then perhaps a subcommand. */
int locate_subcommand(struct view *view, struct words *words)
{
    int code = 0;
    bool first = true;

    if (!words_left(words))
        return missing_operand();
    while (words_left(words)) {
        const char *from = words->at;
        struct target target;
        enum found found;
        u32 line;

        if (!parse_target(words, &target, first)) {
            if (first)
                return bad_operand(from, (u32)(words->end - from));
            words->at = from;
            return execute(from, (u32)(words->end - from));
        }
        if (target.kind == TARGET_STRING && (u32)(words->at - from) <= sizeof editor->lastlorc) {
            editor->lastlorc_length = (u32)(words->at - from);
            memcpy(editor->lastlorc, from, editor->lastlorc_length);
        }
        found = target_line(view, &target, view->current, &line);
        if (found == FOUND_NOT) {
            if (!view->s.stay && target.kind == TARGET_STRING)
                view->current = target.up ? top_line(view) : end_line(view);
            return target_failed(&target);
        }
        view->current = line;
        first = false;
        /* Going to the end by * is reaching it. */
        code = target.all || (target.kind == TARGET_RELATIVE && (line == end_line(view) || line == top_line(view)) &&
                              target.number > 0)
                   ? XE_EDGE
                   : edge(view, found);
    }
    return code;
}

static int step(struct view *view, struct words *words, bool up)
{
    struct target target = { .kind = TARGET_RELATIVE, .number = 1, .up = up };
    const char *word;
    u32 length, line;

    if (take_word(words, &word, &length)) {
        target.all = length == 1 && *word == '*';
        if (!target.all && !number_word(word, length, &target.number))
            return bad_number(word, length);
        if (no_words_left(words) != 0)
            return XE_OPERAND;
    }
    (void)target_line(view, &target, view->current, &line);
    view->current = line;
    return line == (up ? top_line(view) : end_line(view)) && (target.all || target.number > 0) ? XE_EDGE : 0;
}

int next_subcommand(struct view *view, struct words *words) { return step(view, words, false); }
int down_subcommand(struct view *view, struct words *words) { return step(view, words, false); }
int up_subcommand(struct view *view, struct words *words) { return step(view, words, true); }

int top_subcommand(struct view *view, struct words *words)
{
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    view->current = top_line(view);
    return 0;
}

int bottom_subcommand(struct view *view, struct words *words)
{
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    view->current = line_before(view, end_line(view));
    return view->current == top_line(view) ? XE_EDGE : 0;
}

static struct logical *screen_of(const struct view *view)
{
    for (u32 n = 0; n < editor->screens; n++)
        if (editor->logical[n].view == view)
            return &editor->logical[n];
    return &editor->logical[editor->active];
}

/* Screens are scrolled so that one line stays on it. */
static int scroll(struct view *view, struct words *words, bool up)
{
    struct target target = { .kind = TARGET_RELATIVE, .up = up };
    u32 screens = 1, length, line, here = view->current,
        lines = editor->typewriter ? 20 : rows_for(screen_of(view)) - 1;
    const char *word;

    if (take_word(words, &word, &length)) {
        if (length == 1 && *word == '*') {
            view->current = up ? top_line(view) : end_line(view);
            return XE_EDGE;
        }
        if (!number_word(word, length, &screens))
            return bad_number(word, length);
        if (no_words_left(words) != 0)
            return XE_OPERAND;
    }
    if (screens == 0 || here == (up ? top_line(view) : end_line(view))) {
        view->current = up ? end_line(view) : top_line(view);
        return 0;
    }
    target.number = lines * screens;
    (void)target_line(view, &target, here, &line);
    view->current = line;
    return line == (up ? top_line(view) : end_line(view)) ? XE_EDGE : 0;
}

int forward_subcommand(struct view *view, struct words *words) { return scroll(view, words, false); }
int backward_subcommand(struct view *view, struct words *words) { return scroll(view, words, true); }

/* FIND: blanks match anything, an underscore a blank, from column 1 on. */
static bool begins_like(struct view *view, u32 line, const char *text, u32 length)
{
    struct row *row = line_row(view, line);

    for (u32 n = 0; n < length; n++) {
        char c = text[n] == '_' ? ' ' : text[n], here = n < row->length ? row->text[n] : ' ';

        if (text[n] != ' ' && here != c && !(view->s.ignore && upper(here) == upper(c)))
            return false;
    }
    return true;
}

static int look(struct view *view, struct words *words, bool up, bool like)
{
    u32 line = view->current, length;

    text_operand(words);
    length = length_of(words->at, (u32)(words->end - words->at));
    if (length == 0)
        return missing_operand();
    for (;;) {
        line = up ? line_before(view, line) : line_after(view, line);
        if (!is_line(view, line))
            break;
        if (begins_like(view, line, words->at, length) == like) {
            view->current = line;
            return 0;
        }
    }
    if (!view->s.stay)
        view->current = up ? top_line(view) : end_line(view);
    message("XFI", 586, 'E');
    return XE_MISSING;
}

int find_subcommand(struct view *view, struct words *words) { return look(view, words, false, true); }
int findup_subcommand(struct view *view, struct words *words) { return look(view, words, true, true); }
int nfind_subcommand(struct view *view, struct words *words) { return look(view, words, false, false); }
int nfindup_subcommand(struct view *view, struct words *words) { return look(view, words, true, false); }

static int sideways(struct view *view, struct words *words, int by)
{
    const char *word;
    u32 length, n = 1;

    if (take_word(words, &word, &length)) {
        if (!number_word(word, length, &n))
            return bad_number(word, length);
        if (no_words_left(words) != 0)
            return XE_OPERAND;
    }
    if (n > WIDTH_MOST)
        return bad_number(word, length);
    view->s.shift = n == 0 ? 0 : view->s.shift + by * (int)n;
    if (view->s.shift < -(int)WIDTH_MOST || view->s.shift > (int)WIDTH_MOST)
        view->s.shift = by * (int)WIDTH_MOST;
    return 0;
}

int left_subcommand(struct view *view, struct words *words) { return sideways(view, words, -1); }
int right_subcommand(struct view *view, struct words *words) { return sideways(view, words, 1); }

/* To the right, the next time back. */
int rgtleft_subcommand(struct view *view, struct words *words)
{
    u32 length, n = data_width(view, editor->typewriter ? 80 : screen_of(view)->width) * 3 / 4;
    const char *word;

    if (take_word(words, &word, &length)) {
        if (!number_word(word, length, &n) || n > WIDTH_MOST)
            return bad_number(word, length);
        if (no_words_left(words) != 0)
            return XE_OPERAND;
    }
    view->s.shift = view->s.shift != 0 ? 0 : (int)n;
    return 0;
}

/* Where the cursor is put, if nothing of a higher priority has said so. */
static bool place(u32 row, u32 column, u32 priority)
{
    if (editor->cursor_row != 0 && priority < editor->cursor_priority)
        return false;
    editor->cursor_row = row;
    editor->cursor_column = column;
    editor->cursor_priority = priority;
    return true;
}

/* The row of the display that shows a line; 0: none. */
u32 row_of_line(struct view *view, u32 line, u32 *column)
{
    struct logical *logical = screen_of(view);
    u32 data = logical->left + (view->s.prefix != PREFIX_OFF && !view->s.prefix_right ? 6 : 0);

    lay_out(logical);
    for (u32 n = 0; n < logical->lines; n++) {
        struct shown *shown = &logical->row[n];

        if ((shown->kind == SHOW_LINE || shown->kind == SHOW_INPUT) && shown->line == line) {
            *column = data + 1;
            return logical->top + n + 1;
        }
    }
    return 0;
}

u32 command_row(struct view *view, u32 *column)
{
    const struct logical *logical = screen_of(view);
    u32 lines = logical->lines;

    *column = logical->left + 7;
    switch (view->s.cmdline) {
    case LINE_ON: return logical->top + lines - 1;
    case LINE_BOTTOM: return logical->top + lines;
    case LINE_TOP: return logical->top + 2;
    default: return 0;
    }
}

static bool priority_word(struct words *words, u32 *priority)
{
    const char *word;
    u32 length;

    *priority = 255;
    if (!words_left(words))
        return true;
    return take_word(words, &word, &length) && word_means(word, length, "PRIORITY", 1) &&
           take_word(words, &word, &length) && number_word(word, length, priority) && *priority <= 255 &&
           !words_left(words);
}

/* A number, if the next word is one. */
static bool number_next(struct words *words, u32 *number)
{
    struct words here = *words;
    const char *word;
    u32 length;

    if (!take_word(&here, &word, &length) || !number_word(word, length, number))
        return false;
    *words = here;
    return true;
}

static int cursor_home(u32 priority, struct view *view)
{
    u32 column, row = command_row(view, &column);
    bool at_command = editor->key_row >= row && editor->key_row <= row + 1 && row > 0;

    if (at_command && editor->home_row != 0) {
        (void)place(editor->home_row, editor->home_column, priority);
    } else {
        if (!at_command) {
            editor->home_row = editor->key_row;
            editor->home_column = editor->key_column;
        }
        if (row != 0)
            (void)place(row, column, priority);
    }
    return 0;
}

int cursor_subcommand(struct view *view, struct words *words)
{
    u32 length, a = 1, b = 1, priority, row, column;
    const char *word;
    bool of_file;

    if (!take_word(words, &word, &length))
        return missing_operand();
    if (editor->typewriter) {
        message("XCU", 529, 'E');
        return XE_TRUNCATED;
    }
    of_file = word_means(word, length, "FILE", 1);
    if (word_means(word, length, "CMDLINE", 2)) {
        (void)number_next(words, &a);
        if (!priority_word(words, &priority))
            return bad_operand(words->at, (u32)(words->end - words->at));
        row = command_row(view, &column);
        if (row == 0)
            return XE_EDGE;
        (void)place(row, column + a - 1, priority);
        return 0;
    }
    if (word_means(word, length, "HOME", 1))
        return priority_word(words, &priority) ? cursor_home(priority, view)
                                               : bad_operand(words->at, (u32)(words->end - words->at));
    if (of_file || word_means(word, length, "SCREEN", 1)) {
        if (!number_next(words, &a))
            return words_left(words) ? bad_number(words->at, (u32)(words->end - words->at)) : missing_operand();
        (void)number_next(words, &b);
    } else if (word_means(word, length, "COLUMN", 1)) {
        of_file = true;
        a = view->current;
        b = view->column;
    } else {
        return bad_operand(word, length);
    }
    if (!priority_word(words, &priority))
        return bad_operand(words->at, (u32)(words->end - words->at));
    if (!of_file) {
        struct logical *logical = screen_of(view);

        if (a == 0 || a > logical->lines || b == 0 || b > logical->width)
            return bad_number(word, length);
        (void)place(logical->top + a, logical->left + b, priority);
        return 0;
    }
    row = row_of_line(view, a, &column);
    if (row == 0)
        return XE_EDGE;
    b = image_place(view, b);
    (void)place(row, column + (b < data_width(view, screen_of(view)->width) ? b : 0), priority);
    return 0;
}
