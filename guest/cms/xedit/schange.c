/*
 * SCHANGE: what CHANGE or CLOCATE on the command line looks for is found one after the other; a PF key confirms each
 * change.
 */
#include "xedit.h"

/* The strings of a CHANGE, or that of a CLOCATE or a target. */
struct wanted { const char *from, *to; u32 from_length, to_length; bool changes; };

static bool parse_wanted(const char *text, u32 length, struct wanted *wanted)
{
    struct words words = { text, text + length };
    const char *word;
    char delimiter;

    past_blanks(&words);
    word = words.at;
    while (words.at < words.end && !is_special(*words.at) && !is_digit(*words.at) && *words.at != ' ')
        words.at++;
    length = (u32)(words.at - word);
    wanted->changes = length > 0 && word_means(word, length, "CHANGE", 1);
    if (length > 0 && !wanted->changes && !word_means(word, length, "CLOCATE", 2) &&
        !word_means(word, length, "LOCATE", 1))
        return false;
    past_blanks(&words);
    if (words.at >= words.end || !is_special(*words.at))
        return false;
    delimiter = *words.at++;
    wanted->from = words.at;
    while (words.at < words.end && *words.at != delimiter)
        words.at++;
    wanted->from_length = (u32)(words.at - wanted->from);
    words.at += words.at < words.end;
    wanted->to = words.at;
    while (words.at < words.end && *words.at != delimiter)
        words.at++;
    wanted->to_length = (u32)(words.at - wanted->to);
    return wanted->from_length > 0;
}

/* The next place from line and column on, not before; false: there is none. */
static bool find_next(struct view *view, const struct wanted *wanted, u32 line, u32 column)
{
    struct pattern pattern;
    u32 at, length;

    if (!make_pattern(view, wanted->from, wanted->from_length, &pattern))
        return false;
    for (; line < end_line(view); line = line_after(view, line), column = 1) {
        struct row *row = is_line(view, line) ? line_row(view, line) : NULL;
        u32 from = column > view->s.zone_left ? column - 1 : view->s.zone_left - 1, to;

        if (row == NULL)
            continue;
        to = row->length < view->s.zone_right ? row->length : view->s.zone_right;
        if (from > to || !match_in(view, &pattern, row->text, from, to, &at, &length))
            continue;
        view->current = line;
        view->column = at + 1;
        view->found_line = line;
        view->found_from = at + 1;
        view->found_to = at + length;
        return true;
    }
    return false;
}

static int show_found(struct view *view)
{
    char line[48];

    return execute_command(line,
                           format(line, sizeof line, "CURSOR FILE %u %u PRIORITY 60", view->current, view->column));
}

/* SCHANGE n: looks for the next one; PF key n then changes it. */
int schange_subcommand(struct view *view, struct words *words)
{
    struct wanted wanted;
    u32 number = 6;
    int code = words_left(words) ? set_number(words, &number, 1, KEYS_MOST) : 0;

    code = code != 0 ? code : no_words_left(words);
    if (code != 0)
        return code;
    if (editor->typewriter) {
        message("XSC", 529, 'E');
        return XE_TRUNCATED;
    }
    if (!parse_wanted(editor->command, editor->command_length, &wanted)) {
        message("XSC", 545, 'E');
        return XE_OPERAND;
    }
    /* The command line stays for the next time. */
    editor->next_length = editor->command_length;
    memcpy(editor->next_command, editor->command, editor->command_length);
    editor->command_length = 0;
    if (!find_next(view, &wanted, view->current, view->found_line == view->current ? view->found_from + 1 : 1)) {
        message("XSC", 586, 'E');
        return XE_MISSING;
    }
    editor->confirm = wanted.changes ? number : 0;
    return show_found(view);
}

/* The key was pressed: the string that was found is changed, and the next one looked for. */
void schange_confirm(struct view *view)
{
    struct wanted wanted;
    u32 length, at = view->column - 1;
    char *line;

    if (!parse_wanted(editor->command, editor->command_length, &wanted) || !is_line(view, view->current) ||
        view->found_line != view->current)
        return;
    editor->next_length = editor->command_length;
    memcpy(editor->next_command, editor->command, editor->command_length);
    line = line_copy(view, view->current, &length);
    memcpy(editor->other, line, at);
    memcpy(editor->other + at, wanted.to, wanted.to_length);
    if (view->found_to < length)
        memcpy(editor->other + at + wanted.to_length, line + view->found_to, length - view->found_to);
    length = at + wanted.to_length + (view->found_to < length ? length - view->found_to : 0);
    editor->command_length = 0;
    if (length > editor->work_room || store_line(view, view->current, editor->other, length) != 0)
        return;
    if (find_next(view, &wanted, view->current, at + wanted.to_length + 1)) {
        (void)show_found(view);
        return;
    }
    editor->confirm = 0;
    message("XSC", 586, 'E');
}
