/*
 * The compositor: windows over one another, laid into the cells of the display from the lowest one up.
 *
 * A field's attribute has a cell of its own. Each row of a window begins with one, so its first column is blank; where
 * a window ends, the field that lies below goes on with another. A border lies outside of the window, and a side that
 * would not be on the display is left out. Its corners are fields of one character, for border commands.
 */
#include "window.h"

/* What the cells of the display say where nothing is. */
static u8 plain;

/*
 * The display is there, as large as it is now. False: there is none, or no storage. What windows have been drawn is not
 * known then.
 */
bool screen_ready(void)
{
    struct screen_size size;

    if (!console_is_display())
        return false;
    if (here.display.cell != NULL) {
        screen_measure(&size);
        if (size.rows == here.display.rows && size.columns == here.display.columns &&
            (here.display.ink != NULL) == here.charmode)
            return true;
    }
    here.stale = true;
    return here.charmode ? display_begin_inked(&here.display) : display_begin(&here.display);
}

/* Cells of one row are about to be another window's: the field that they cut goes on where they end. */
static void cut(u32 from, u32 end)
{
    struct display *display = &here.display;
    u32 begin = from - from % display->columns, at = end;

    if (end % display->columns != 0 && display->look[end] == 0) {
        while (at > begin && display->look[at] == 0)
            at--;
        display->look[end] = display->look[at] != 0 ? display->look[at] : plain;
        display->cell[end] = ' ';
    }
    memset(display->look + from, 0, end - from);
    memset(display->cell + from, ' ', end - from);
    if (display->ink != NULL)
        memset(display->ink + from, 0, end - from);
}

/* Which row of the virtual screen's cells a line of the window shows; false: it has none. */
static bool shows(const struct window *window, u32 line, struct vscreen_place *at)
{
    const struct vscreen *screen = window->vscreen;
    u32 top = window->reserved ? screen->top : 0, bottom = window->reserved ? screen->bottom : 0;

    *at = (struct vscreen_place){ .reserved = true, .line = (int)line + 1, .column = 1 };
    if (line < top)
        return true;
    if (line + bottom >= window->at_lines) {
        at->line = (int)line - (int)window->at_lines;
        return true;
    }
    at->reserved = false;
    at->line = (int)(window->line + line - top);
    at->column = window->left;
    return at->line <= (int)screen->lines;
}

/* A line of the virtual screen, from its column on. */
static void draw_line(const struct window *window, u32 line, u32 cell, u32 width, u8 code)
{
    struct display *display = &here.display;
    const struct vscreen *screen = window->vscreen;
    struct vscreen_place at;
    u32 from, count, look;

    display->look[cell] = code;
    if (!shows(window, line, &at))
        return;
    from = vscreen_row(screen, &at) * screen->columns + at.column - 1;
    count = screen->columns - at.column + 1;
    count = count < width ? count : width;
    display->look[cell] = (u8)(code + (screen->open && !at.reserved ? LOOK_WRITABLE : 0));
    /* The field that the line is in at its first column. */
    for (look = at.column - 1; look > 0 && screen->look[from + look - at.column] == 0;)
        look--;
    if (look > 0)
        display->look[cell] = screen->look[from + look - at.column];
    memcpy(display->cell + cell + 1, screen->cell + from, count);
    memcpy(display->look + cell + 1, screen->look + from, count);
    if (display->ink != NULL && screen->ink != NULL)
        memcpy(display->ink + cell + 1, screen->ink + from, count);
}

/* What a border says: where the window is in its screen, or the name of a small one. */
static u32 legend(const struct window *window, char line[80])
{
    const struct vscreen *screen = window->vscreen;
    u32 last = window->line + window_rows(window) - 1;

    if (window->form == WINDOW_SMALL)
        return format(line, 80, "%t", window->name);
    if (!window->location)
        return 0;
    if (window->line > screen->used)
        last = 0;
    return format(line, 80, "Lines %u - %u of %u", last > 0 ? window->line : 0,
                  last < screen->used ? last : screen->used, screen->used);
}

/* The border above or below. */
static void draw_edge(const struct window *window, u32 row, char edge, bool legend_too)
{
    struct display *display = &here.display;
    u32 columns = display->columns, left = row * columns + window->at_column, right = left + window->at_columns;
    u8 code = look_code(&window->edge_look, false);
    char text[80];
    u32 length = legend_too ? legend(window, text) : 0;

    cut(left - (window->side_left ? EDGE_ROOM : 0), right + window->side_right);
    if (window->side_left) {
        display->look[left - 2] = (u8)(code + LOOK_WRITABLE);
        display->cell[left - 1] = window->edge[0];
    }
    display->look[left] = code;
    memset(display->cell + left + 1, edge, right - left - 1);
    if (length > 0 && length + 4 < right - left)
        memcpy(display->cell + left + 2, text, length);
    if (window->side_right) {
        display->look[right - 1] = (u8)(code + LOOK_WRITABLE);
        display->cell[right - 1] = ' ';
        display->cell[right] = window->edge[0];
    }
}

/* Where it is on the display, and which sides its border has there. */
static void settle(struct window *window)
{
    const struct display *display = &here.display;
    bool large = window->form == WINDOW_LARGE, border = window->border && !large;
    u32 reserved = window->reserved ? window->vscreen->top + window->vscreen->bottom : 0;
    int row = large ? 1 : window->row, column = large ? 1 : window->column;
    u32 lines = large ? window_largest(window) : window_rows(window) + reserved;
    u32 columns = large ? display->columns : window->columns;

    lines = window->form == WINDOW_SMALL ? 1 : !window->variable && !large ? window->lines : lines;
    row = row < 0 ? (int)display->rows + row + 1 : row;
    column = column < 0 ? (int)display->columns + column + 1 : column;
    window->drawn = row >= 1 && row <= (int)display->rows && column >= 1 && column <= (int)display->columns;
    if (!window->drawn)
        return;
    window->at_row = (u32)row - 1;
    window->at_column = (u32)column - 1;
    window->at_lines = lines < display->rows - window->at_row ? lines : display->rows - window->at_row;
    window->at_columns =
        columns < display->columns - window->at_column ? columns : display->columns - window->at_column;
    window->drawn = window->at_columns > 1;
    window->side_left = border && window->at_column >= EDGE_ROOM;
    window->side_right = border && window->at_column + window->at_columns + 1 < display->columns;
    window->side_top = border && window->at_row > 0 && window->form != WINDOW_SMALL;
    window->side_bottom = border && window->at_row + window->at_lines < display->rows && window->form != WINDOW_SMALL;
}

static void draw(struct window *window)
{
    struct display *display = &here.display;
    u8 code = look_code(&window->vscreen->usual, false), edge = look_code(&window->edge_look, false);
    u32 width;

    settle(window);
    if (!window->drawn)
        return;
    if (window->form == WINDOW_SMALL) {
        draw_edge(window, window->at_row, window->edge[1], true);
        return;
    }
    if (window->side_top)
        draw_edge(window, window->at_row - 1, window->edge[1], true);
    width = window->at_columns - 1 - window->side_right;
    for (u32 line = 0; line < window->at_lines; line++) {
        u32 left = (window->at_row + line) * display->columns + window->at_column, right = left + window->at_columns;

        cut(left - (window->side_left ? EDGE_ROOM : 0), right + window->side_right);
        draw_line(window, line, left, width, code);
        if (window->side_left) {
            display->look[left - 2] = edge;
            display->cell[left - 1] = window->edge[3];
        }
        if (window->side_right) {
            display->look[right - 1] = edge;
            display->cell[right - 1] = ' ';
            display->cell[right] = window->edge[4];
        }
    }
    if (window->side_bottom)
        draw_edge(window, window->at_row + window->at_lines, window->edge[2], false);
}

/* The display's cells, as all windows make them. */
void compose(void)
{
    struct display *display = &here.display;
    struct window *order[WINDOWS_MOST];
    static const struct look none;
    u32 count = 0;

    plain = look_code(&none, false);
    memset(display->cell, ' ', (size_t)display->rows * display->columns);
    memset(display->look, 0, (size_t)display->rows * display->columns);
    if (display->ink != NULL)
        memset(display->ink, 0, (size_t)display->rows * display->columns);
    for (u32 row = 0; row < display->rows; row++)
        display->look[row * display->columns] = plain;
    for (struct window *window = here.top; window != NULL; window = window->below) {
        window->drawn = false;
        if (window_visible(window))
            order[count++] = window;
    }
    while (count > 0)
        draw(order[--count]);
}
