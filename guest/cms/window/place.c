/*
 * Windows: rectangles of the display, one over the other, each with a part of a virtual screen.
 *
 * The list is in the order in which they lie, the one on top first. A window of variable size is as long as what there
 * is to be shown, at most as it was defined; with nothing to be shown it is not there.
 */
#include "window.h"

enum { BELOW = 4 };

struct window *window_find(const name wanted)
{
    struct window *window = here.top;

    while (window != NULL && memcmp(window->name, wanted, sizeof(name)) != 0)
        window = window->below;
    return window;
}

static void take_out(struct window *window)
{
    struct window **at = &here.top;

    while (*at != window)
        at = &(*at)->below;
    *at = window->below;
    here.stale = true;
}

struct window *window_define(const name wanted, u32 lines, u32 columns, int row, int column)
{
    struct window *window = obtain(sizeof *window, OWNER_SYSTEM);

    if (window == NULL)
        return NULL;
    memset(window, 0, sizeof *window);
    *window = (struct window){ .below = here.top, .row = row, .column = column, .lines = lines, .columns = columns,
                               .line = 1, .left = 1, .border = true, .reserved = true };
    memcpy(window->name, wanted, sizeof(name));
    memcpy(window->edge, "+--||", sizeof window->edge);
    window->edge_look.high = true;
    here.top = window;
    return window;
}

void window_delete(struct window *window)
{
    take_out(window);
    if (here.moving == window)
        here.moving = NULL;
    release(window);
}

void window_pop(struct window *window)
{
    take_out(window);
    window->below = here.top;
    here.top = window;
}

/* So many places down. */
void window_drop(struct window *window, u32 places)
{
    struct window **at = &here.top;

    while (*at != window)
        at = &(*at)->below;
    *at = window->below;
    for (; places > 0 && *at != NULL; places--)
        at = &(*at)->below;
    window->below = *at;
    *at = window;
    here.stale = true;
}

void window_show(struct window *window, struct vscreen *screen)
{
    if (window->vscreen != screen)
        window->line = window->left = 1;
    window->vscreen = screen;
    window->shown = true;
    window_pop(window);
}

/* Lines of the largest: in a session those above CMS's keys and command line, which stay. */
u32 window_largest(const struct window *window)
{
    u32 rows = here.display.rows > 0 ? here.display.rows : 24;

    return here.on ? rows - (window->vscreen->bottom > 0 ? 1 : BELOW) : rows;
}

/* Lines that it has now. */
static u32 whole_lines(const struct window *window)
{
    return window->form == WINDOW_LARGE   ? window_largest(window)
           : window->form == WINDOW_SMALL ? 1
                                          : window->lines;
}

static u32 reserved_lines(const struct window *window)
{
    return window->reserved ? window->vscreen->top + window->vscreen->bottom : 0;
}

/* Lines of data that there is room for. */
static u32 data_room(const struct window *window)
{
    u32 lines = whole_lines(window), taken = reserved_lines(window);

    return lines > taken ? lines - taken : 1;
}

u32 window_rows(const struct window *window)
{
    u32 room = data_room(window), used = window->vscreen->used;
    u32 there = used >= window->line ? used - window->line + 1 : 0;

    return window->variable && window->form == WINDOW_USUAL && there < room ? there : room;
}

u32 window_width(const struct window *window)
{
    u32 columns = window->form == WINDOW_LARGE && here.display.columns > 0 ? here.display.columns : window->columns;
    u32 taken = window->border && window->form != WINDOW_LARGE ? 2 : 1;

    return columns > taken ? columns - taken : 1;
}

bool window_visible(const struct window *window)
{
    return window->shown && window->vscreen != NULL &&
           (window->form == WINDOW_SMALL || window_rows(window) > 0 || reserved_lines(window) > 0);
}

struct window *window_top(void)
{
    struct window *window = here.top;

    while (window != NULL && (!window_visible(window) || is(window->name, "STATUS")))
        window = window->below;
    return window;
}

bool window_more(const struct window *window)
{
    return window->vscreen->used >= window->line + data_room(window);
}

/* A count of 0 is a whole window. */
void window_scroll(struct window *window, enum way way, u32 count)
{
    const struct vscreen *screen = window->vscreen;
    u32 lines = count > 0 ? count : data_room(window), columns = count > 0 ? count : window_width(window);
    u32 end = screen->used + 1;

    here.stale = true;
    switch (way) {
    case WAY_FORWARD: window->line = window->line + lines < end ? window->line + lines : end; break;
    case WAY_BACKWARD: window->line = window->line > lines ? window->line - lines : 1; break;
    case WAY_LEFT: window->left = window->left > columns ? window->left - columns : 1; break;
    case WAY_RIGHT:
        window->left = window->left + columns <= screen->columns ? window->left + columns : screen->columns;
        break;
    case WAY_TOP: window->line = 1; break;
    case WAY_BOTTOM: window->line = screen->used > data_room(window) ? screen->used - data_room(window) + 1 : 1; break;
    default: window->line = end;
    }
}

/*
 * What of a virtual screen is at a cell of the display, and in which window; the row above the first line and the one
 * below the last have the corners. False: no window is there.
 */
bool window_at(u32 cell, struct window **found, bool *corner, struct vscreen_place *at)
{
    int row = (int)(cell / here.display.columns), column = (int)(cell % here.display.columns);

    for (struct window *window = here.top; window != NULL; window = window->below) {
        int top = (int)window->at_row, left = (int)window->at_column, lines = (int)window->at_lines;
        int right = left + (int)window->at_columns, reserved_top, reserved_bottom;

        if (!window->drawn || row < top - window->side_top || row >= top + lines + window->side_bottom ||
            column < left - window->side_left || column >= right + window->side_right)
            continue;
        *found = window;
        *corner = (row < top || row >= top + lines || window->form == WINDOW_SMALL) &&
                  (column == left - 1 || column == right);
        *at = (struct vscreen_place){ .line = 0 };
        if (row < top || row >= top + lines || column < left || column >= right || window->vscreen == NULL ||
            window->form == WINDOW_SMALL)
            return true;
        reserved_top = window->reserved ? (int)window->vscreen->top : 0;
        reserved_bottom = window->reserved ? (int)window->vscreen->bottom : 0;
        at->column = (u32)(column - left);
        if (row - top < reserved_top) {
            at->reserved = true;
            at->line = row - top + 1;
        } else if (row >= top + lines - reserved_bottom) {
            at->reserved = true;
            at->line = row - (top + lines);
        } else {
            at->line = (int)window->line + row - top - reserved_top;
            at->column += window->left - 1;
        }
        return true;
    }
    return false;
}
