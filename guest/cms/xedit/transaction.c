/*
 * A transaction: the display is written, the user types and presses a key, and what was typed is taken.
 *
 * Lines that were typed over are stored first, then prefix subcommands are performed, then the command line and the
 * key's subcommand in the order that the key says.
 */
#include "list.h"

enum {
    PREFIX_WIDTH = 5,
    ENTER_PRIORITY = 30
};

u32 status_text(const struct logical *logical, char line[32])
{
    const struct view *view = logical->view;
    const struct pending *waiting = pending_waiting(view->file);

    if (editor->reading)
        return format(line, 32, "Macro-read %u File%s", editor->files, editor->files == 1 ? "" : "s");
    if (view->input && view->power)
        return format(line, 32, "Power typing");
    if (view->input)
        return format(line, 32, "Input-mode %u File%s", editor->files, editor->files == 1 ? "" : "s");
    if (waiting != NULL)
        return format(line, 32, "%l pending...", waiting->name, length_of(waiting->name, sizeof waiting->name));
    return format(line, 32, "X E D I T  %u File%s", editor->files, editor->files == 1 ? "" : "s");
}

/* The logical screen that has the cell, and where in it. NULL: none. */
static struct logical *logical_of(u32 cell, u32 *row, u32 *column)
{
    u32 at_row = cell / editor->display.columns, at_column = cell % editor->display.columns;

    for (u32 n = 0; n < editor->screens; n++) {
        struct logical *logical = &editor->logical[n];

        if (at_row < logical->top || at_row >= logical->top + logical->lines || at_column < logical->left ||
            at_column >= logical->left + logical->width)
            continue;
        *row = at_row - logical->top;
        *column = at_column - logical->left;
        return logical;
    }
    return NULL;
}

/* What the user sees, as it was and as it is now: two strings that begin and end in the same way. */
struct typed { const char *old, *now; u32 old_length, now_length, before, after; };

static void compare(struct typed *typed, u32 width)
{
    u32 least;

    typed->old_length = length_of(typed->old, width);
    typed->now_length = length_of(typed->now, width);
    least = typed->old_length < typed->now_length ? typed->old_length : typed->now_length;
    typed->before = typed->after = 0;
    while (typed->before < least && typed->old[typed->before] == typed->now[typed->before])
        typed->before++;
    while (typed->after < least - typed->before &&
           typed->old[typed->old_length - 1 - typed->after] == typed->now[typed->now_length - 1 - typed->after])
        typed->after++;
}

/* Where in the old image the character at `n` of the new one is from; -1: it was typed. */
static int origin(const struct typed *typed, u32 n)
{
    if (n < typed->before)
        return (int)n;
    if (n >= typed->now_length - typed->after && n < typed->now_length)
        return (int)(n + typed->old_length - typed->now_length);
    return -1;
}

static u32 column_at(const struct view *view, const struct shown *shown, u32 n, bool *hex)
{
    *hex = false;
    return shown->line == view->extended ? shown->offset + n + 1 : image_column(view, shown->offset + n, hex);
}

/* A line that was typed over. Characters that cannot be shown stay what they are. */
static void line_typed(struct view *view, const struct shown *shown, const char *old, const char *now, u32 width)
{
    struct typed typed = { .old = old, .now = now };
    u32 length, longest, most = view->file->s.width, size = size_of(view);
    char *line = line_copy(view, shown->line, &length), *to = editor->other;

    compare(&typed, width);
    memcpy(to, line, editor->work_room);
    longest = length;
    for (u32 n = 0; n < width; n++) {
        bool hex;
        u32 column = column_at(view, shown, n, &hex);
        int from = origin(&typed, n);
        char c = n < typed.now_length ? now[n] : ' ';

        if (column == 0 || column > most || (from == (int)n))
            continue;
        if (hex) {
            int high = hex_digit(c), low = n + 1 < typed.now_length ? hex_digit(now[n + 1]) : -1;

            n++;
            if (high < 0 || low < 0)
                continue;
            c = (char)(high << 4 | low);
        } else if (from >= 0) {
            bool of_hex;
            u32 was = column_at(view, shown, (u32)from, &of_hex);

            c = was > 0 ? line[was - 1] : ' ';
        } else if (n < typed.now_length && view->s.uppercase) {
            c = upper(c);
        } else if (n >= typed.now_length && n >= typed.old_length) {
            continue;
        }
        to[column - 1] = c;
        longest = column > longest ? column : longest;
    }
    if (longest < length)
        longest = length;
    (void)store_line(view, shown->line, to, longest);
    if (view->current > shown->line)
        view->current += size_of(view) - size;
}

static bool is_prefix(const struct view *view, u32 width, u32 column)
{
    return view->s.prefix != PREFIX_OFF && !view->input &&
           column == (view->s.prefix_right ? data_width(view, width) + 1 : 0);
}

static void take_line(struct logical *logical, const struct shown *shown, u32 cell, const char *text, u32 length)
{
    struct view *view = logical->view;
    u32 width = data_width(view, logical->width);
    char old[ROWS_MOST + 1], now[ROWS_MOST + 1];

    width = width < sizeof old ? width : sizeof old;
    memcpy(old, editor->display.old_cell + cell, width);
    for (u32 n = 0; n < width; n++) {
        old[n] = old[n] == 0 ? ' ' : old[n];
        now[n] = n < length && text[n] != 0 ? text[n] : ' ';
    }
    if (memcmp(old, now, width) != 0 && is_line(view, shown->line))
        line_typed(view, shown, old, now, width);
}

/* Lines of input mode: those that were typed, and the empty ones between them. */
struct entered { struct view *view; u32 rows, after; bool any; };

static void take_input(struct entered *entered, const struct shown *shown, const char *text, u32 length)
{
    struct view *view = entered->view;

    entered->any = true;
    for (; entered->rows < shown->line; entered->rows++)
        entered->after += add_line(view, entered->after, view->s.mask, view->s.mask_length) == 0;
    length = typed_text(view, editor->work, text, length);
    for (u32 n = 0; n < length; n++)
        editor->work[n] = editor->work[n] == 0 ? ' ' : editor->work[n];
    (void)store_new(view, &entered->after, editor->work, length);
    entered->rows++;
}

/* Power input: the text flows over lines that end at words; LINEND begins another. */
static void take_power(struct entered *entered, const char *text, u32 length)
{
    struct view *view = entered->view;
    u32 most = view->file->s.truncation;

    entered->any = true;
    while (length > 0) {
        u32 part = 0, n;

        while (part < length && !(editor->linend_on && text[part] == editor->linend))
            part++;
        for (u32 from = 0; from < part || (from == 0 && part == 0);) {
            for (n = part - from; n > most;)
                for (n = most; n > 0 && text[from + n] != ' '; n--)
                    ;
            n = n == 0 && part > from ? most : n;
            n = typed_text(view, editor->work, text + from, n);
            for (u32 k = 0; k < n; k++)
                editor->work[k] = editor->work[k] == 0 ? ' ' : editor->work[k];
            if (add_line(view, entered->after, editor->work, n) != 0)
                return;
            entered->after++;
            from += n;
            while (from < part && text[from] == ' ')
                from++;
            if (part == 0)
                break;
        }
        part += part < length;
        text += part;
        length -= part;
    }
}

typedef void each_field(void *with, const struct shown *shown, struct view *view, bool prefix, const char *text,
                        u32 length);

/* What a macro's READ gets: all that was typed, and with `change` what was typed over is stored. */
static void tell_fields(struct inbound input, each_field *each, void *with, bool change)
{
    u32 cell, length, row, column;
    const char *text;

    editor->command_length = 0;
    while (display_field(&editor->display, &input, &cell, &text, &length)) {
        struct logical *logical = logical_of(cell, &row, &column);
        struct shown *shown = logical != NULL ? &logical->row[row] : NULL;
        bool prefix = logical != NULL && is_prefix(logical->view, logical->width, column);

        display_touched(&editor->display, cell, length);
        if (logical == NULL)
            continue;
        if (shown->kind == SHOW_COMMAND) {
            editor->command_length = length < sizeof editor->command ? length : sizeof editor->command;
            memcpy(editor->command, text, editor->command_length);
        } else if (shown->kind == SHOW_LINE || shown->kind == SHOW_RESERVED || (shown->kind == SHOW_SHADOW && prefix)) {
            editor->field_row = row + 1;
            editor->field_column = column + 1;
            prefix = prefix && shown->kind != SHOW_RESERVED;
            if (!prefix && change && shown->kind == SHOW_LINE)
                take_line(logical, shown, cell, text, length);
            each(with, shown, logical->view, prefix, text, length);
        }
    }
}

/* All that was typed, but for the command line, which is kept. */
static void take_fields(struct inbound input)
{
    struct entered entered = { .view = NULL };
    struct inbound again = input;
    u32 cell, length, row, column;
    const char *text;

    editor->command_length = 0;
    while (display_field(&editor->display, &input, &cell, &text, &length)) {
        struct logical *logical = logical_of(cell, &row, &column);
        struct shown *shown = logical != NULL ? &logical->row[row] : NULL;

        display_touched(&editor->display, cell, length);
        if (logical == NULL)
            continue;
        if (shown->kind == SHOW_COMMAND) {
            editor->command_length = length < sizeof editor->command ? length : sizeof editor->command;
            memcpy(editor->command, text, editor->command_length);
        } else if (shown->kind == SHOW_LINE && !is_prefix(logical->view, logical->width, column)) {
            take_line(logical, shown, cell, text, length);
        } else if (shown->kind == SHOW_INPUT) {
            if (entered.view == NULL)
                entered.view = logical->view, entered.after = logical->view->current;
            if (logical->view->power)
                take_power(&entered, text, length);
            else
                take_input(&entered, shown, text, length);
        }
    }
    while (display_field(&editor->display, &again, &cell, &text, &length)) {
        struct logical *logical = logical_of(cell, &row, &column);
        struct shown *shown = logical != NULL ? &logical->row[row] : NULL;

        if (logical == NULL || !is_prefix(logical->view, logical->width, column))
            continue;
        if (shown->kind == SHOW_LINE || shown->kind == SHOW_SHADOW)
            prefix_typed(logical->view, shown, editor->display.old_cell + cell, text,
                         length < PREFIX_WIDTH ? length : PREFIX_WIDTH);
    }
    if (entered.any)
        entered.view->current = entered.after;
    for (u32 n = 0; n < editor->screens; n++)
        if (editor->logical[n].view->input && !entered.any && editor->command_length == 0 &&
            editor->display.aid == AID_ENTER)
            editor->logical[n].view->input = false;
}

/* INPUT: lines are typed below the current one until a transaction brings none. */
int input_mode(struct view *view)
{
    if (view->current >= end_line(view))
        view->current = last_line(view);
    view->input = true;
    view->power = false;
    if (!editor->typewriter)
        message("XIP", 573, 'I');
    return 0;
}

/* POWERINP: the same, but what is typed has no lines; it needs the display's whole width. */
int powerinp_subcommand(struct view *view, struct words *words)
{
    int code = no_words_left(words);

    if (code != 0)
        return code;
    if (editor->typewriter || editor->logical[editor->active].width != editor->display.columns) {
        message("XPI", 529, 'E');
        return XE_TRUNCATED;
    }
    code = input_mode(view);
    view->power = true;
    return code;
}

/* The next tab column of the line that the cursor is in. */
static void tab_key(struct view *view)
{
    struct logical *logical = &editor->logical[editor->active];
    u32 data = logical->left + (view->s.prefix != PREFIX_OFF && !view->s.prefix_right ? PREFIX_WIDTH + 1 : 0);
    u32 at = editor->key_column > data ? image_column(view, editor->key_column - data - 1, NULL) : 0, place;

    editor->cursor_row = editor->key_row;
    editor->cursor_column = editor->key_column;
    editor->cursor_priority = 60;
    for (u32 n = 0; n < view->s.stops; n++) {
        place = image_place(view, view->s.stop[n]);
        if (view->s.stop[n] > at && place < data_width(view, logical->width)) {
            editor->cursor_column = data + place + 1;
            return;
        }
    }
    editor->cursor_row = editor->key_row < logical->top + logical->lines ? editor->key_row + 1 : editor->key_row;
    editor->cursor_column = data + 1;
}

/* COPYKEY: what the display shows is printed, row by row. */
static void print_screen(void)
{
    const struct display *display = &editor->display;
    char line[ROWS_MOST];
    u32 columns = display->columns < 132 ? display->columns : 132;

    for (u32 row = 0; row < display->rows; row++) {
        memcpy(line, display->old_cell + row * display->columns, columns);
        for (u32 n = 0; n < columns; n++)
            line[n] = (u8)line[n] < 0x40 ? ' ' : line[n];
        if (unit_write(PRINT_UNIT, 0x09, line, columns) != 0)
            return;
    }
}

static int perform_key(const struct key *key)
{
    char text[COMMAND_MOST];

    if (word_means(key->text, key->length, "TABKEY", 6)) {
        tab_key(editor->view);
        return 0;
    }
    /* The trailing blanks of every line are nulls from now on; what was typed with a PA key is lost anyway. */
    if (word_means(key->text, key->length, "NULLKEY", 7)) {
        editor->view->s.nulls = true;
        editor->stale = true;
        return 0;
    }
    if (word_means(key->text, key->length, "COPYKEY", 7)) {
        print_screen();
        return 0;
    }
    /* The file may be left meanwhile, and its keys with it. */
    memcpy(text, key->text, key->length);
    return execute_several(text, key->length, false);
}

static void undefined_key(void)
{
    message("XSU", 657, 'E');
}

static bool going_on(void) { return editor != NULL && !editor->over; }

/* What is on the command line now; the key's subcommand may have taken it. */
static void perform_command(void)
{
    char line[COMMAND_MOST];
    u32 length = editor->command_length;

    if (!going_on())
        return;
    memcpy(line, editor->command, length);
    (void)execute_line(line, length);
}

/* The key and the command line, in their order. */
static void perform_keys(const struct key *key)
{
    bool typed = length_of(editor->command, editor->command_length) > 0, after = key != NULL && key->when == KEY_AFTER;

    if (key == NULL || key->length == 0) {
        if (editor->display.aid != AID_ENTER)
            undefined_key();
        perform_command();
        return;
    }
    if (key->when == KEY_ONLY) {
        (void)perform_key(key);
        if (going_on() && editor->next_length == 0) {
            editor->next_length = editor->command_length;
            memcpy(editor->next_command, editor->command, editor->command_length);
        }
        return;
    }
    if (key->when == KEY_BEFORE || (key->when == KEY_IGNORE && !typed))
        (void)perform_key(key);
    perform_command();
    if (going_on() && after)
        (void)perform_key(key);
}

static const struct key *key_of(u8 aid)
{
    const struct keys *keys = &editor->ring->keys;
    u32 n = display_key(aid);

    return aid == AID_ENTER ? &keys->enter : n > 0 ? &keys->pf[n] : aid == AID_PA1 ? &keys->pa[1] :
           aid == AID_PA2 ? &keys->pa[2] : aid == AID_PA3 ? &keys->pa[3] : NULL;
}

/* On screens that are laid out the cursor goes where it was put, or to the command line; after a PF key it stays in the
 * file. */
static void place_cursor(void)
{
    struct display *display = &editor->display;
    struct logical *logical = &editor->logical[editor->active];
    u32 row = editor->cursor_row, column = editor->cursor_column;

    /* ENTER's own subcommand has the cursor on the command line; input mode has it where the next line goes. */
    if (logical->view->input && editor->cursor_priority <= ENTER_PRIORITY)
        row = 0;
    if (logical->view->input && row == 0) {
        for (u32 n = 0; n < logical->lines && row == 0; n++)
            if (logical->row[n].kind == SHOW_INPUT) {
                row = logical->top + n + 1;
                column =
                    logical->left + (logical->view->power ? 1
                                     : logical->view->s.prefix != PREFIX_OFF && !logical->view->s.prefix_right ? 7 : 1);
            }
    }
    if (row == 0 && display_key(display->aid) > 0 && editor->key_row > logical->top &&
        editor->key_row <= logical->top + logical->lines &&
        logical->row[editor->key_row - logical->top - 1].kind != SHOW_STATUS) {
        row = editor->key_row;
        column = editor->key_column;
    }
    for (u32 n = 0; n < logical->lines && row == 0; n++)
        if (logical->row[n].kind == SHOW_COMMAND) {
            row = logical->top + n + 1;
            column = logical->left + 7;
        }
    if (row == 0)
        row = column = 1;
    display->cursor = (row - 1) * display->columns + column - 1;
    editor->cursor_row = 0;
    editor->cursor_priority = 0;
}

/* More messages than there are rows for them are typed. */
static void too_many_messages(void)
{
    const struct settings_of_view *s = &editor->view->s;
    u32 rows = 0;

    for (const struct note *note = editor->notes; note != NULL; note = note->next)
        rows += rows_of_note(note, editor->logical[editor->active].width);
    if (rows <= (s->message_line ? s->message_rows : 0))
        return;
    notes_end();
    for (const struct note *note = editor->notes; note != NULL; note = note->next)
        type_line(note->text, note->length);
    notes_begin();
    notes_clear();
}

/* The user may be at another terminal now. */
static bool measure_again(void)
{
    struct screen_size size;

    editor->display.whole = true;
    if (!console_is_display())
        return false;
    screen_measure(&size);
    if (size.rows == editor->display.rows && size.columns == editor->display.columns)
        return true;
    return display_begin(&editor->display) && screens_define(1, NULL);
}

/* Which key it was, and where the cursor is; the logical screen that it is in. */
static struct logical *take_key(u32 length)
{
    const u8 *stream = editor->display.stream;
    u32 cell = length >= 3 ? address_of(stream + 1) : editor->display.cursor, row, column;
    struct logical *logical = logical_of(cell, &row, &column);

    editor->display.aid = stream[0];
    editor->key_row = cell / editor->display.columns + 1;
    editor->key_column = cell % editor->display.columns + 1;
    editor->command_length = 0;
    /* Rows are laid out anew before the key's subcommand looks for its line. */
    editor->key_shown = logical != NULL ? logical->row[row] : (struct shown){ .kind = SHOW_NOTHING };
    return logical;
}

/* For READ: shows the screen and waits. Which PF key it was, 100 and which PA key; 0: ENTER. */
u32 read_transaction(each_field *each, void *with, bool change)
{
    static const u8 program_keys[] = { AID_PA1, AID_PA2, AID_PA3 };
    u32 length, pa = 0;

    for (;;) {
        show_now();
        if (display_read(&editor->display, &length)) {
            (void)take_key(length);
            /* CLEAR erases what was typed, and does not end it. */
            if (editor->display.aid != AID_CLEAR)
                break;
        }
        if (!measure_again()) {
            editor->typewriter = true;
            return 0;
        }
    }
    notes_clear();
    editor->stale = true;
    if (length > INBOUND_FIELDS)
        tell_fields((struct inbound){ editor->display.stream + INBOUND_FIELDS, editor->display.stream + length },
                    each, with, change);
    for (u32 n = 0; n < COUNT_OF(program_keys); n++)
        if (editor->display.aid == program_keys[n])
            pa = 101 + n;
    return pa > 0 ? pa : display_key(editor->display.aid);
}

/* A PA key sends nothing of what was typed: without SET FULLREAD ON that is lost, and said. */
static void pa_key(u32 *length)
{
    if (editor->full_read || !display_changed(&editor->display))
        return;
    *length = INBOUND_FIELDS;
    editor->display.whole = true;
    message("XSU", 614, 'E');
}

static void take(u32 length)
{
    const u8 *stream = editor->display.stream;
    struct logical *logical = take_key(length);
    u8 aid = editor->display.aid;

    if (aid == AID_CLEAR) {
        if (!measure_again())
            editor->typewriter = true;
        return;
    }
    notes_clear();
    if (aid == AID_PA1 || aid == AID_PA2 || aid == AID_PA3)
        pa_key(&length);
    editor->stale = editor->stale || length > INBOUND_FIELDS || editor->view->input;
    if (logical != NULL && (u32)(logical - editor->logical) != editor->active) {
        editor->stale = true;
        editor->active = (u32)(logical - editor->logical);
        editor->view = logical->view;
        editor->ring = logical->view->file;
    }
    if (length > INBOUND_FIELDS) {
        take_fields((struct inbound){ stream + INBOUND_FIELDS, stream + length });
    } else if (aid == AID_ENTER && editor->view->input) {
        editor->view->input = false;
    }
    for (u32 n = 0; n < editor->screens && aid == AID_ENTER; n++)
        structured_next(editor->logical[n].view);
    for (u32 n = 0; n < editor->screens && length > INBOUND_FIELDS && going_on(); n++)
        prefix_execute(editor->logical[n].view);
    if (going_on() && editor->confirm != 0 && display_key(aid) == editor->confirm) {
        editor->stale = true;
        schange_confirm(editor->view);
    } else {
        editor->confirm = 0;
        if (going_on())
            perform_keys(key_of(aid));
    }
    if (going_on())
        autosave(editor->view);
}

void editor_write(void)
{
    struct display *display = &editor->display;

    display->looks = editor->looks;
    display->substitute = editor->nondisplay;
    display->compress = editor->remote;
    display->full_read = editor->full_read;
    display_write(display);
}

void show_now(void)
{
    too_many_messages();
    /* What has not changed needs no layout; only the cursor is written then. */
    if (editor->stale || editor->display.whole || editor->next_length > 0 || !screen_is_ours()) {
        for (u32 n = 0; n < editor->screens; n++)
            lay_out(&editor->logical[n]);
        place_cursor();
        show_screens();
    } else {
        place_cursor();
        editor_write();
    }
    editor->stale = false;
    editor->next_length = 0;
}

void transactions(void)
{
    u32 length;

    notes_begin();
    while (!editor->over && !editor->typewriter) {
        list_resume();
        if (editor->over)
            break;
        show_now();
        if (!screen_is_ours()) {
            screen_wait();
        } else if (display_read(&editor->display, &length)) {
            take(length);
            continue;
        }
        if (!measure_again())
            editor->typewriter = true;
    }
    notes_end();
    if (editor->over || editor->typewriter)
        screen_leave();
}
