/* Subcommands that add, delete, copy and move whole lines. */
#include "xedit.h"

int add_subcommand(struct view *view, struct words *words)
{
    const char *word;
    u32 length, n = 1, code = 0;

    if (take_word(words, &word, &length)) {
        if (!number_word(word, length, &n))
            return bad_number(word, length);
        if (no_words_left(words) != 0)
            return XE_OPERAND;
    }
    if (view->current >= end_line(view))
        view->current = last_line(view);
    for (u32 k = 0; k < n && code == 0; k++)
        code = add_line(view, view->current, view->s.mask, view->s.mask_length);
    if (code == 0 && n > 0 && !editor->typewriter) {
        char line[48];

        execute(line, format(line, sizeof line, "CURSOR FILE %u 1 PRIORITY 60", view->current + 1));
    }
    return code != 0 ? XE_NONE : 0;
}

int input_subcommand(struct view *view, struct words *words)
{
    u32 length, after;
    int code;

    text_operand(words);
    length = (u32)(words->end - words->at);
    if (length == 0)
        return input_mode(view);
    after = view->current >= end_line(view) ? last_line(view) : view->current;
    length = typed_text(view, editor->work, words->at, length);
    code = store_new(view, &after, editor->work, length);
    view->current = after;
    return code;
}

int replace_subcommand(struct view *view, struct words *words)
{
    u32 length, line = view->current;

    text_operand(words);
    length = (u32)(words->end - words->at);
    if (!is_line(view, line)) {
        message("XSU", 521, 'E');
        return XE_EDGE;
    }
    if (length == 0) {
        delete_lines(view, line, 1, true);
        view->current = line - 1;
        return input_mode(view);
    }
    length = typed_text(view, editor->work, words->at, length);
    return store_line(view, line, editor->work, length);
}

static int told(u32 number, u32 count)
{
    if (number == 501)
        message("XDE", 501, 'I', count, count == 1 ? "" : "s");
    else if (number == 506)
        message("XMV", 506, 'I', count, count == 1 ? "" : "s");
    else
        message("XMV", 507, 'I', count, count == 1 ? "" : "s");
    return 0;
}

int delete_subcommand(struct view *view, struct words *words)
{
    struct range range;
    int code = range_operand(view, words, true, &range);
    u32 count = 0, line, last;

    if (code != 0)
        return code;
    line = range.first;
    last = range.last;
    while (line <= last) {
        if (!line_in_scope(view, line)) {
            line++;
            continue;
        }
        delete_lines(view, line, 1, true);
        last--;
        count++;
    }
    if (count > 0)
        view->current = line_after(view, last);
    if (count > 1)
        (void)told(501, count);
    return range.edge ? XE_EDGE : count == 0 ? XE_NONE : 0;
}

int recover_subcommand(struct view *view, struct words *words)
{
    struct text *deleted = &view->file->deleted;
    const char *word;
    u32 length, n = 1, at = view->current, code = 0;

    if (take_word(words, &word, &length)) {
        if (length == 1 && *word == '*')
            n = deleted->lines;
        else if (!number_word(word, length, &n))
            return bad_number(word, length);
        if (no_words_left(words) != 0)
            return XE_OPERAND;
    }
    n = n < deleted->lines ? n : deleted->lines;
    if (at == top_line(view) && n > 0)
        at++;
    for (u32 k = 0; k < n && code == 0; k++) {
        struct row *row = text_row(deleted, deleted->lines);

        code = add_line(view, at - 1, row->text, row->length);
        if (code == 0)
            text_delete(deleted, deleted->lines);
    }
    view->current = at;
    if (code != 0)
        return (int)code;
    message("XRE", 502, 'I', n, n == 1 ? "" : "s");
    return n == 0 ? XE_EDGE : 0;
}

/* A copy of `line` after `after`. */
static u32 copy_one(struct view *view, u32 line, u32 after)
{
    struct row *row = line_row(view, line);
    u32 length = row->length, code;
    u8 level = row->level;

    memcpy(editor->work, row->text, length);
    code = add_line(view, after, editor->work, length);
    if (code == 0) {
        line_row(view, after + 1)->level = level;
        view->file->levels = view->file->levels || level != 0;
    }
    return code;
}

/* Lines first..last once more after line `after`; `made` is how many. Those that are not in scope are left out. */
u32 copy_lines(struct view *view, u32 first, u32 last, u32 after, u32 *made)
{
    u32 count = last + 1 - first, line = first, code = 0, to = after;

    *made = 0;
    for (u32 n = 0; n < count && code == 0; n++) {
        bool wanted = line_in_scope(view, line);

        if (wanted) {
            code = copy_one(view, line, to);
            to += code == 0;
            *made += code == 0;
            /* The copies in front push what is copied down. */
            line += code == 0 && after < first;
        }
        line++;
    }
    return code;
}

int duplicat_subcommand(struct view *view, struct words *words)
{
    struct range range;
    const char *word;
    u32 length, n = 1, made = 0, code = 0, after, current = view->current;
    int wrong;

    if (take_word(words, &word, &length) && !number_word(word, length, &n))
        return bad_number(word, length);
    wrong = range_operand(view, words, true, &range);
    if (wrong == 0)
        wrong = no_words_left(words);
    if (wrong != 0)
        return wrong;
    if (range.first > range.last) {
        message("XSU", 521, 'E');
        return XE_EDGE;
    }
    after = range.last;
    for (u32 k = 0; k < n && code == 0; k++) {
        code = copy_lines(view, range.first, range.last, after, &made);
        after += made;
        view->current = after;
    }
    /* Lines that come in front of the current one push it down. */
    if (view->s.stay)
        view->current = current > range.last ? current + after - range.last : current;
    return (int)code;
}

/* Two targets: the lines, and the line after which they go. */
static int two_targets(struct view *view, struct words *words, struct range *range, u32 *to)
{
    struct target target;
    struct words first = *words;
    const char *from;
    enum found found;
    int code;

    if (!words_left(words))
        return missing_operand();
    from = words->at;
    if (!parse_target(words, &target, true))
        return bad_operand(from, (u32)(words->end - from));
    first.end = words->at;
    code = range_operand(view, &first, false, range);
    if (code != 0)
        return code;
    if (!words_left(words))
        return missing_operand();
    from = words->at;
    if (!parse_target(words, &target, true) || words_left(words))
        return bad_operand(from, (u32)(words->end - from));
    found = target_line(view, &target, view->current, to);
    if (found == FOUND_NOT)
        return target_failed(&target);
    if (*to > last_line(view))
        *to = last_line(view);
    if (range->first > range->last) {
        message("XSU", 521, 'E');
        return XE_EDGE;
    }
    return 0;
}

int copy_subcommand(struct view *view, struct words *words)
{
    struct range range;
    u32 to, made, code;
    int wrong = two_targets(view, words, &range, &to);

    if (wrong != 0)
        return wrong;
    if (to >= range.first && to < range.last) {
        message("XMV", 505, 'E');
        return XE_EDGE;
    }
    code = copy_lines(view, range.first, range.last, to, &made);
    if (code == 0) {
        if (!view->s.stay)
            view->current = to + made;
        else if (to < view->current)
            view->current += made;
        (void)told(507, made);
    }
    return (int)code;
}

/* A line goes after `to`, and its names with it. A line pointer that was at it is at the line that followed it. */
static u32 move_one(struct view *view, u32 line, u32 to)
{
    u32 code = copy_one(view, line, to), was = line + (to < line);

    if (code != 0)
        return code;
    view->current += view->current > to;
    for (struct point *point = view->file->points; point != NULL; point = point->next)
        if (point->line == was)
            point->line = to + 1;
    delete_lines(view, was, 1, false);
    view->current -= view->current > was;
    return 0;
}

/* Lines first..last go after `to`, which is none of them. Those that are not in scope stay. */
u32 move_lines(struct view *view, u32 first, u32 last, u32 to, u32 *moved)
{
    u32 line = first, count = last + 1 - first;

    *moved = 0;
    for (u32 n = 0; n < count; n++) {
        u32 code;

        if (!line_in_scope(view, line)) {
            line++;
            continue;
        }
        code = move_one(view, line, to);
        if (code != 0)
            return code;
        if (to < line) {
            to++;
            line++;
        }
        ++*moved;
    }
    return 0;
}

int move_subcommand(struct view *view, struct words *words)
{
    struct range range;
    u32 to, moved, code;
    int wrong = two_targets(view, words, &range, &to);

    if (wrong != 0)
        return wrong;
    if (to >= range.first && to <= range.last) {
        message("XMV", 505, 'E');
        return XE_EDGE;
    }
    code = move_lines(view, range.first, range.last, to, &moved);
    if (code == 0) {
        if (!view->s.stay)
            view->current = to > range.last ? to : to + moved;
        (void)told(506, moved);
    }
    return (int)code;
}

/* Blanks of the line stay as they are, an underscore makes one, all else is put over it. */
static void overlay(char *line, const char *text, u32 length, u32 from)
{
    for (u32 n = 0; n < length; n++)
        if (text[n] != ' ')
            line[from + n] = text[n] == '_' ? ' ' : text[n];
}

int overlay_subcommand(struct view *view, struct words *words)
{
    u32 length, text;

    text_operand(words);
    text = (u32)(words->end - words->at);
    if (text == 0)
        return missing_operand();
    if (!is_line(view, view->current)) {
        message("XSU", 521, 'E');
        return XE_EDGE;
    }
    char *line = line_copy(view, view->current, &length);

    memcpy(editor->other, words->at, text);
    fold_text(view, editor->other, text);
    overlay(line, editor->other, text, 0);
    return store_line(view, view->current, line, length > text ? length : text);
}

/* The lines of the range are put over those from the second target on, and are gone where they were. */
int merge_subcommand(struct view *view, struct words *words)
{
    struct words targets = *words;
    const char *end = words->end, *at = words->end;
    u32 column = 1, to, count, length;
    struct range range;
    int code;

    /* A number at the end may be the column; three words make it one. */
    u32 spaces = 0;

    for (const char *c = words->at; c < end; c++)
        spaces += *c != ' ' && (c == words->at || c[-1] == ' ');
    if (spaces > 2) {
        while (at > words->at && at[-1] != ' ')
            at--;
        if (number_word(at, (u32)(end - at), &column) && column > 0 && column <= view->file->s.truncation)
            targets.end = at;
        else
            return bad_number(at, (u32)(end - at));
    }
    code = two_targets(view, &targets, &range, &to);
    if (code != 0)
        return code;
    count = range.last + 1 - range.first;
    if (to + count > range.first && to <= range.last) {
        message("XMV", 505, 'E');
        return XE_EDGE;
    }
    if (to < first_line(view) || to + count - 1 > last_line(view)) {
        message("XSU", 521, 'E');
        return XE_EDGE;
    }
    for (u32 n = 0; n < count && code == 0; n++) {
        struct row *row = line_row(view, range.first + n);
        u32 from = row->length;

        memcpy(editor->other, row->text, from);
        (void)line_copy(view, to + n, &length);
        for (u32 k = 0; k < from && column - 1 + k < editor->work_room; k++)
            if (editor->other[k] != ' ')
                editor->work[column - 1 + k] = editor->other[k];
        code = store_line(view, to + n, editor->work, length > column - 1 + from ? length : column - 1 + from);
    }
    delete_lines(view, range.first, count, false);
    view->current = to > range.last ? to - 1 : to + count - 1;
    return code;
}
