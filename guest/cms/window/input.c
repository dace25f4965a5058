/*
 * The display is written, the user presses a key, and what was typed is taken: into fields of virtual screens, as
 * border commands, as the command line.
 */
#include "window.h"
#include "../nucleus/iucv.h"

enum { CORNERS_MOST = 16 };

static struct { struct window *window; char letter; } corners[CORNERS_MOST];
static u32 corner_count;

/* Screens whose last line is a command line. */
static bool has_command_line(const struct vscreen *screen)
{
    return screen->of_session && screen->bottom > 0;
}

/* The window that has the command line: WM's, if it is on top. */
static struct window *command_window(void)
{
    struct window *window = here.top;

    while (window != NULL && !(window->drawn && window->vscreen != NULL && has_command_line(window->vscreen)))
        window = window->below;
    return window;
}

/* The cell at which a place of a screen is shown; false: it is not. */
static bool cell_of(const struct window *window, const struct vscreen_place *at, u32 *cell)
{
    const struct vscreen *screen = window->vscreen;
    int top = window->reserved ? (int)screen->top : 0;
    int row = at->reserved ? at->line > 0 ? at->line - 1 : (int)window->at_lines + at->line
                           : at->line - (int)window->line + top;
    int column = (int)at->column - (at->reserved ? 0 : (int)window->left - 1);

    if (!window->drawn || row < 0 || row >= (int)window->at_lines || column < 1 || column >= (int)window->at_columns)
        return false;
    *cell = (window->at_row + (u32)row) * here.display.columns + window->at_column + (u32)column;
    return true;
}

static const struct vscreen_place command = { .reserved = true, .line = -1, .column = TEXT_COLUMN };

/* A write takes from fields that they were modified: the one that is to be sent is written anew. */
static void offer_again(void)
{
    struct window *window = command_window();
    u32 cell;

    if (here.offered && window != NULL && cell_of(window, &command, &cell))
        display_touched(&here.display, cell, 0);
}

static void place_cursor(void)
{
    struct window *window = window_top();

    if (here.moving != NULL) {
        here.display.cursor = here.cell;
        return;
    }
    if (window != NULL && window->vscreen->cursor_set &&
        cell_of(window, &window->vscreen->cursor, &here.display.cursor))
        return;
    window = command_window();
    if (window == NULL || !cell_of(window, &command, &here.display.cursor))
        here.display.cursor = 0;
}

/* What STATUS says. */
static void say_status(void)
{
    struct vscreen *status = vscreen_find("STATUS  ");
    struct vscreen_place at = { .line = 1, .column = 1 };
    char line[WIDE_MOST + 1];
    u32 length;

    if (status == NULL || !status->of_session)
        return;
    if (here.status != NULL) {
        length = format(line, sizeof line, "%s", here.status);
    } else if (here.moving != NULL) {
        length = format(line, sizeof line, "Move the cursor to the %s and press ENTER",
                        here.sizing ? "new lower right corner" : "new place");
    } else if (here.cue[0] != 0) {
        length = format(line, sizeof line, "%s", here.cue);
    } else {
        struct window *window = here.top;

        while (window != NULL && !(window_visible(window) && window_more(window)))
            window = window->below;
        if (window != NULL)
            length = format(line, sizeof line, "Scroll forward for more information in vscreen %t",
                            window->vscreen->name);
        else if (here.told[0] != 0)
            length = format(line, sizeof line, "Message in vscreen %t", here.told);
        else
            length = format(line, sizeof line, "Enter a command or press a PF or PA key");
    }
    memset(line + length, ' ', sizeof line - length);
    if (memcmp(status->cell, line, status->columns) != 0)
        vscreen_write(status, &at, line, status->columns);
}

/* Without anything on the display, the window manager's window is there. */
static void something_is_seen(void)
{
    struct window *wm = window_find("WM      ");

    if (wm != NULL && wm->vscreen != NULL && !window_visible(wm) && window_top() == NULL && here.on)
        wm->shown = true, window_pop(wm);
}

/* Windows as they are now, on the display. False: there is none. */
bool show_screen(void)
{
    if (!screen_ready())
        return false;
    here.busy = true;
    something_is_seen();
    say_status();
    if (here.stale || !display_is_shown(&here.display)) {
        paint_reserved_lines();
        compose();
    }
    offer_again();
    place_cursor();
    here.display.looks = here.looks;
    here.display.substitute = settings.nondisplay;
    here.display.compress = settings.remote;
    here.display.full_read = settings.fullread;
    here.display.alarm = here.alarm;
    display_write(&here.display);
    here.busy = here.alarm = here.stale = here.unseen = false;
    here.written = tod_clock();
    return true;
}

/* What is written in a field is there, and nulls after it. */
static void fill(struct vscreen *screen, const struct vscreen_place *at, const char *text, u32 length)
{
    u32 row = vscreen_row(screen, at) * screen->columns, from = row + at->column - 1, end = from;

    while (end < row + screen->columns && screen->look[end] == 0)
        end++;
    length = length < end - from ? length : end - from;
    memcpy(screen->cell + from, text, length);
    memset(screen->cell + from + length, 0, end - from - length);
    if (!at->reserved && (u32)at->line > screen->used)
        screen->used = (u32)at->line;
    if (screen->typed_count < FIELDS_MOST)
        screen->typed[screen->typed_count++] = (struct typed_field){ *at, length };
}

/* Whether the user can type there. */
static bool writable(const struct vscreen *screen, const struct vscreen_place *at)
{
    u32 row = vscreen_row(screen, at) * screen->columns, cell = row + at->column - 1;

    if (screen->look[cell] != 0)
        return false;
    while (cell > row && screen->look[cell] == 0)
        cell--;
    return screen->look[cell] != 0 ? (screen->look[cell] & LOOK_WRITABLE) != 0 : screen->open && !at->reserved;
}

static void take_field(u32 cell, const char *text, u32 length)
{
    struct window *window;
    struct vscreen_place at;
    bool corner;

    if (!window_at(cell, &window, &corner, &at))
        return;
    if (corner) {
        while (length > 0 && (*text == ' ' || *text == 0 || *text == window->edge[0]))
            text++, length--;
        if (length > 0 && corner_count < CORNERS_MOST) {
            corners[corner_count].window = window;
            corners[corner_count++].letter = *text;
        }
        return;
    }
    if (window->vscreen == NULL || !vscreen_has(window->vscreen, &at) || !writable(window->vscreen, &at))
        return;
    if (at.reserved && at.line == -1 && has_command_line(window->vscreen)) {
        here.length = 0;
        for (u32 n = 0; n < length && here.length < LINE_MOST; n++)
            here.line[here.length++] = text[n] == 0 ? ' ' : text[n];
        here.length = length_of(here.line, here.length);
        here.entered = true;
        command_line(window->vscreen, NULL, 0);
        return;
    }
    fill(window->vscreen, &at, text, length);
}

static void take_all(u32 length)
{
    const u8 *stream = here.display.stream;
    struct inbound input = { stream + INBOUND_FIELDS, stream + length };
    const char *text;
    u32 cell;

    here.display.aid = stream[0];
    here.entered = false;
    here.length = corner_count = 0;
    here.stale = here.stale || length > INBOUND_FIELDS || here.moving != NULL;
    if (stream[0] == AID_CLEAR) {
        here.display.whole = true;
        return;
    }
    if (length < 3)
        return;
    cell = address_of(stream + 1);
    if (cell < here.display.rows * here.display.columns)
        here.cell = cell;
    while (display_field(&here.display, &input, &cell, &text, &length)) {
        display_touched(&here.display, cell, length);
        take_field(cell, text, length);
    }
    if (here.moving != NULL && stream[0] == AID_ENTER)
        border_finish();
    for (u32 n = 0; n < corner_count && stream[0] == AID_ENTER; n++)
        border_command(corners[n].window, corners[n].letter);
}

/* Messages that have come; whether there were any. */
static bool messages_came(void)
{
    struct iucv_line line;
    bool any = false;

    while (here.on && iucv_next(&line)) {
        char text[IUCV_LINE_MOST + 48];
        struct moment at;
        enum class class = line.class == IUCV_WARNING ? CLASS_WARNING : line.class == 8 ? CLASS_SCIF
                           : is(line.from, "RSCS") ? CLASS_NETWORK : CLASS_MESSAGE;
        u32 length;

        now(&at);
        length = format(text, sizeof text, "%02u:%02u:%02u  * %s FROM %-8t : ", at.hour, at.minute, at.second,
                        class == CLASS_WARNING ? "WNG" : "MSG", line.from);
        memcpy(text + length, line.text, line.length);
        say_line(class, text, length + line.length);
        any = true;
    }
    return any;
}

/*
 * The display as it is now, and the next key that is pressed; messages that come meanwhile are shown. False: there is
 * no display any more.
 */
bool take_keys(u32 *key)
{
    u32 length;

    for (;;) {
        /* A key that was pressed already is read before a write could undo what was typed. */
        if (!(screen_attention() && display_is_shown(&here.display))) {
            (void)messages_came();
            if (!show_screen())
                return false;
        }
        if (!screen_is_ours()) {
            screen_wait();
            continue;
        }
        while (screen_is_ours()) {
            exec_attention &= ~EXEC_LOOK;
            if (screen_attention())
                break;
            if (messages_came())
                (void)show_screen();
            else
                wait_until(~(uint64_t)0);
        }
        if (display_read(&here.display, &length)) {
            take_all(length);
            *key = display_key(here.display.aid);
            return true;
        }
        here.display.whole = here.stale = true;
    }
}
