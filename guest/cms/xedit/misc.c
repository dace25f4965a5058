/* Messages, the stack, the keyboard's services, and what other subcommands are made of. */
#include "list.h"

int msg_subcommand(struct view *view, struct words *words)
{
    (void)view;
    text_operand(words);
    note_text(words->at, (u32)(words->end - words->at));
    return 0;
}

/* The identifier of a message is shown or not as SET EMSG says. */
int emsg_subcommand(struct view *view, struct words *words)
{
    (void)view;
    text_operand(words);
    editor->display.alarm = true;
    message_show(words->at, (u32)(words->end - words->at));
    return 0;
}

int cmsg_subcommand(struct view *view, struct words *words)
{
    (void)view;
    text_operand(words);
    editor->next_length = (u32)(words->end - words->at);
    memcpy(editor->next_command, words->at, editor->next_length);
    return 0;
}

/* Lines go into the program stack, first in, first out: columns of each from one on. */
int stack_subcommand(struct view *view, struct words *words)
{
    struct words target = *words;
    struct target parsed;
    struct range range;
    u32 column = 1, most = 255;
    int code;

    if (words_left(words)) {
        const char *from = words->at;

        if (!parse_target(words, &parsed, true))
            return bad_operand(from, (u32)(words->end - from));
        target.end = words->at;
    }
    if (words_left(words) && set_number(words, &column, 1, WIDTH_MOST) != 0)
        return XE_OPERAND;
    if (words_left(words) && set_number(words, &most, 0, 255) != 0)
        return XE_OPERAND;
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    code = range_operand(view, &target, true, &range);
    if (code != 0)
        return code;
    for (u32 line = range.first; line <= range.last; line++) {
        struct row *row;
        u32 length;

        if (!line_in_scope(view, line))
            continue;
        row = line_row(view, line);
        length = row->length >= column ? row->length + 1 - column : 0;
        if (!stack_line(row->text + column - 1, length < most ? length : most, false))
            return no_room();
    }
    if (!view->s.stay)
        pass_range(view, &range);
    return range.edge ? XE_EDGE : 0;
}

/* Lines are typed on the screen of CMS. */
int type_subcommand(struct view *view, struct words *words)
{
    struct range range;
    int code = range_operand(view, words, true, &range);

    code = code != 0 ? code : no_words_left(words);
    if (code != 0)
        return code;
    notes_end();
    for (u32 line = range.first; line <= range.last; line++)
        if (line_in_scope(view, line)) {
            u32 length = line_image(view, line_row(view, line), editor->work, editor->work_room);

            type_line(editor->work, length_of(editor->work, length));
        }
    notes_begin();
    pass_range(view, &range);
    editor->typed = true;
    return range.edge ? XE_EDGE : 0;
}

static void hex_line(const struct row *row, u32 from, u32 count, bool low)
{
    char line[80];

    for (u32 n = 0; n < count; n++) {
        u8 byte = (u8)row->text[from + n];

        line[n] = "0123456789ABCDEF"[low ? byte & 15 : byte >> 4];
    }
    type_line(line, count);
}

/* Lines, and under their characters the two halves of each. */
int hextype_subcommand(struct view *view, struct words *words)
{
    enum { ACROSS = 72 };
    struct range range;
    int code = range_operand(view, words, true, &range);

    code = code != 0 ? code : no_words_left(words);
    if (code != 0)
        return code;
    notes_end();
    for (u32 line = range.first; line <= range.last; line++) {
        struct row *row;

        if (!line_in_scope(view, line))
            continue;
        row = line_row(view, line);
        for (u32 from = 0; from == 0 || from < row->length; from += ACROSS) {
            u32 count = row->length - from < ACROSS ? row->length - from : ACROSS;
            char shown[80];

            for (u32 n = 0; n < count; n++)
                shown[n] = (u8)row->text[from + n] < 0x40 || (u8)row->text[from + n] == 0xff ? editor->nondisplay
                                                                                             : row->text[from + n];
            type_line(shown, count);
            hex_line(row, from, count, false);
            hex_line(row, from, count, true);
        }
    }
    notes_begin();
    pass_range(view, &range);
    editor->typed = true;
    return range.edge ? XE_EDGE : 0;
}

/* Of a list REFRESH is that it is read anew, unless a macro wants it shown. */
int refresh_subcommand(struct view *view, struct words *words)
{
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    if (view->file->list != NULL && editor->macros == 0)
        return list_refresh(view);
    if (editor->typewriter) {
        message("XSU", 529, 'E');
        return XE_TRUNCATED;
    }
    show_now();
    return 0;
}

/* Lines that match get selection level 1, all others 0, and only those are displayed; without an operand, all are. */
int all_subcommand(struct view *view, struct words *words)
{
    char line[COMMAND_MOST];
    struct target target;
    const char *from;
    u32 count = 0, at, first = 0;
    bool stay = view->s.stay, wrap = view->s.wrap;

    for (u32 n = 1; n <= size_of(view) && view->file->levels; n++)
        line_row(view, n)->level = 0;
    view->file->levels = false;
    view->s.display_low = view->s.display_high = 0;
    if (!words_left(words))
        return 0;
    from = words->at;
    if (!parse_target(words, &target, true) || words_left(words))
        return bad_operand(from, (u32)(words->end - from));
    view->s.wrap = false;
    if (target.kind != TARGET_STRING) {
        int code = execute_command(line, format(line, sizeof line, "SET SELECT 1 %l", from, (u32)(words->end - from)));

        first = view->current;
        count = code <= XE_EDGE;
        view->file->levels = count > 0;
    } else {
        target.up = false;
        for (at = top_line(view); target_line(view, &target, at, &at) == FOUND;) {
            line_row(view, at)->level = 1;
            first = count++ == 0 ? at : first;
        }
        view->file->levels = count > 0;
    }
    view->s.wrap = wrap;
    view->s.stay = stay;
    if (count == 0)
        return target_failed(&target);
    view->s.display_low = view->s.display_high = 1;
    view->current = first;
    return 0;
}

/* HELP of the editor's own subcommands. */
int help_subcommand(struct view *view, struct words *words)
{
    char line[COMMAND_MOST];
    const char *word;
    u32 length;

    (void)view;
    if (!take_word(words, &word, &length))
        word = "MENU", length = 4;
    return run_cms(line,
                   format(line, sizeof line, "HELP XEDIT %l%l", word, length, words->at, (u32)(words->end - words->at)),
                   CALL_COMMAND);
}

/* Columns by which lines are sorted. */
enum { KEYS = 8 };
struct sorting { u32 from[KEYS], to[KEYS], count; bool down[KEYS]; };

static char at(const struct row *row, u32 column) { return column <= row->length ? row->text[column - 1] : ' '; }

static int compare(const struct sorting *sorting, const struct row *a, const struct row *b)
{
    for (u32 k = 0; k < sorting->count; k++)
        for (u32 column = sorting->from[k]; column <= sorting->to[k]; column++) {
            u8 x = (u8)at(a, column), y = (u8)at(b, column);

            if (x != y)
                return (x < y) != sorting->down[k] ? -1 : 1;
        }
    return 0;
}

static int sort_operands(struct words *words, struct sorting *sorting)
{
    bool down = false;

    sorting->count = 0;
    while (words_left(words)) {
        struct words here = *words;
        const char *word;
        u32 length;

        (void)take_word(&here, &word, &length);
        if (word_means(word, length, "A", 1) || word_means(word, length, "D", 1)) {
            down = upper(*word) == 'D';
            *words = here;
            continue;
        }
        if (sorting->count >= KEYS)
            return bad_operand(word, length);
        sorting->down[sorting->count] = down;
        if (set_number(words, &sorting->from[sorting->count], 1, WIDTH_MOST) != 0)
            return XE_OPERAND;
        if (!words_left(words))
            return missing_operand();
        if (set_number(words, &sorting->to[sorting->count], sorting->from[sorting->count], WIDTH_MOST) != 0)
            return XE_OPERAND;
        sorting->count++;
    }
    return sorting->count > 0 ? 0 : missing_operand();
}

/* Runs of lines are merged, until one is left: lines that compare equal keep their order. */
static void merge_sort(const struct sorting *sorting, struct row **row, struct row **other, u32 count)
{
    for (u32 run = 1; run < count; run *= 2) {
        for (u32 from = 0; from < count; from += 2 * run) {
            u32 a = from, middle = from + run < count ? from + run : count, b = middle,
                end = from + 2 * run < count ? from + 2 * run : count;

            for (u32 n = from; n < end; n++)
                other[n] = b >= end || (a < middle && compare(sorting, row[a], row[b]) <= 0) ? row[a++] : row[b++];
        }
        memcpy(row, other, count * sizeof *row);
    }
}

int sort_subcommand(struct view *view, struct words *words)
{
    struct words target = *words;
    struct sorting sorting;
    struct target parsed;
    struct range range;
    struct text sorted;
    struct row **row;
    const char *from;
    u32 count = 0;
    int code = 0;

    if (!words_left(words))
        return missing_operand();
    from = words->at;
    if (!parse_target(words, &parsed, true))
        return bad_operand(from, (u32)(words->end - from));
    target.end = words->at;
    code = sort_operands(words, &sorting);
    if (code == 0)
        code = range_operand(view, &target, false, &range);
    if (code != 0 || range.first >= range.last)
        return code;
    row = obtain((range.last + 1 - range.first) * 2 * sizeof *row, OWNER_SYSTEM);
    if (row == NULL)
        return no_room();
    for (u32 line = range.first; line <= range.last; line++)
        if (line_in_scope(view, line))
            row[count++] = line_row(view, line);
    merge_sort(&sorting, row, row + (range.last + 1 - range.first), count);
    memset(&sorted, 0, sizeof sorted);
    for (u32 n = 0; n < count && code == 0; n++)
        code = text_insert(&sorted, n, row[n]->text, row[n]->length, 0, 0) ? 0 : no_room();
    release(row);
    for (u32 line = range.first, n = 1; line <= range.last && code == 0; line++)
        if (line_in_scope(view, line)) {
            struct row *next = text_row(&sorted, n++);

            code = (int)set_line(view, line, next->text, next->length);
        }
    text_free(&sorted);
    return code;
}
