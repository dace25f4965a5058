/* SOS: lines at the cursor, the alarm, tabs, and places that the cursor goes back to. */
#include "xedit.h"

enum { SOS_PRIORITY = 60 };

static int sos_line(struct view *view, bool add)
{
    char text[48];
    u32 line, column;

    if (!cursor_in_file(view, &line, &column)) {
        /* The prefix area and Top of File will do, too. */
        line = editor->key_shown.kind == SHOW_LINE ? editor->key_shown.line : view->current;
    }
    if (add) {
        u32 code;

        if (line >= end_line(view))
            line = last_line(view);
        code = add_line(view, line, view->s.mask, view->s.mask_length);
        if (code != 0)
            return (int)code;
        if (view->current > line)
            view->current++;
        return execute(text, format(text, sizeof text, "CURSOR FILE %u 1 PRIORITY 60", line + 1));
    }
    if (!is_line(view, line)) {
        message("XSU", 561, 'E');
        return XE_TRUNCATED;
    }
    prefix_delete(view, line, 1);
    return 0;
}

/* Where the cursor will be: where it was put, or where it was when the key was pressed. */
static u32 cursor_cell(void)
{
    u32 row = editor->cursor_row != 0 ? editor->cursor_row : editor->key_row,
        column = editor->cursor_row != 0 ? editor->cursor_column : editor->key_column;

    return row > 0 && column > 0 ? (row - 1) * editor->display.columns + column - 1 : 0;
}

static void put_cursor(u32 cell)
{
    editor->cursor_row = cell / editor->display.columns + 1;
    editor->cursor_column = cell % editor->display.columns + 1;
    editor->cursor_priority = SOS_PRIORITY;
}

/* The n-th field further, or back, that can be typed on, as the tab keys go. */
static void tab(u32 count, bool back)
{
    const struct display *display = &editor->display;
    u32 cells = display->rows * display->columns, cell = cursor_cell();

    for (u32 n = 0; n < cells && count > 0; n++) {
        u8 look;

        cell = (cell + (back ? cells - 1 : 1)) % cells;
        look = display->look[(cell + cells - 1) % cells];
        count -= look != 0 && (look & LOOK_WRITABLE) != 0;
    }
    put_cursor(cell);
}

static int push(void)
{
    if (editor->places == PLACES_MOST)
        memmove(editor->place_at, editor->place_at + 1, (PLACES_MOST - 1) * sizeof *editor->place_at);
    editor->places -= editor->places == PLACES_MOST;
    editor->place_at[editor->places++] = cursor_cell();
    return 0;
}

/* A number may follow; 1 if there is none. */
static u32 times(struct words *words)
{
    struct words here = *words;
    const char *word;
    u32 length, count;

    if (!take_word(&here, &word, &length) || !number_word(word, length, &count))
        return 1;
    *words = here;
    return count;
}

static int perform_word(struct view *view, struct words *words, const char *word, u32 length)
{
    bool on = false;
    int code = 0;

    if (word_means(word, length, "ALARM", 2)) {
        editor->display.alarm = true;
    } else if (word_means(word, length, "CLEAR", 5)) {
        editor->display.whole = true;
    } else if (word_means(word, length, "LINEADD", 5) || word_means(word, length, "LINEDEL", 5)) {
        code = sos_line(view, upper(word[4]) == 'A');
    } else if (word_means(word, length, "PUSH", 2)) {
        code = push();
    } else if (word_means(word, length, "POP", 3)) {
        if (editor->places > 0)
            put_cursor(editor->place_at[--editor->places]);
    } else if (word_means(word, length, "TABCMD", 4)) {
        code = execute("CURSOR CMDLINE 1", 16);
    } else if (word_means(word, length, "TABF", 4) || word_means(word, length, "TABB", 4)) {
        tab(times(words), upper(word[3]) == 'B');
    } else if (word_means(word, length, "TABCMDF", 7) || word_means(word, length, "TABCMDB", 7)) {
        code = execute("CURSOR CMDLINE 1", 16);
        tab(times(words), upper(word[6]) == 'B');
    } else if (word_means(word, length, "NULLS", 3) && take_word(words, &word, &length) &&
               ((on = word_means(word, length, "ON", 2)) || word_means(word, length, "OFF", 3))) {
        view->s.nulls = on;
    } else {
        code = bad_operand(word, length);
    }
    return code;
}

int sos_subcommand(struct view *view, struct words *words)
{
    const char *word;
    u32 length;
    int code = 0;

    if (!words_left(words))
        return missing_operand();
    if (editor->typewriter) {
        message("XSU", 529, 'E');
        return XE_TRUNCATED;
    }
    while (code == 0 && take_word(words, &word, &length))
        code = perform_word(view, words, word, length);
    return code;
}
