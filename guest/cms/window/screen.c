/*
 * Virtual screens: lines and columns in storage. Data is a ring: when it is full, a new line takes the place of the
 * oldest.
 */
#include "window.h"

struct vscreen *vscreen_find(const name wanted)
{
    struct vscreen *screen = here.screens;

    while (screen != NULL && memcmp(screen->name, wanted, sizeof(name)) != 0)
        screen = screen->next;
    return screen;
}

static u32 all_lines(const struct vscreen *screen) { return screen->top + screen->lines + screen->bottom; }

struct vscreen *vscreen_define(const name wanted, u32 lines, u32 columns, u32 top, u32 bottom)
{
    struct vscreen *screen = obtain(sizeof *screen, OWNER_SYSTEM), **at = &here.screens;
    u32 cells = (lines + top + bottom) * columns;

    if (screen == NULL)
        return NULL;
    memset(screen, 0, sizeof *screen);
    screen->cell = obtain(2 * cells, OWNER_SYSTEM);
    if (screen->cell == NULL) {
        release(screen);
        return NULL;
    }
    memset(screen->cell, 0, 2 * cells);
    screen->look = (u8 *)screen->cell + cells;
    memcpy(screen->name, wanted, sizeof(name));
    screen->lines = lines;
    screen->columns = columns;
    screen->top = top;
    screen->bottom = bottom;
    memcpy(screen->log.fn, wanted, sizeof(name));
    memcpy(screen->log.ft, "LOGFILE ", sizeof(name));
    memcpy(screen->log.fm, "A1", 2);
    while (*at != NULL)
        at = &(*at)->next;
    *at = screen;
    return screen;
}

void vscreen_delete(struct vscreen *screen)
{
    struct vscreen **at = &here.screens;

    while (*at != screen)
        at = &(*at)->next;
    *at = screen->next;
    for (struct window *window = here.top; window != NULL; window = window->below)
        if (window->vscreen == screen) {
            window->vscreen = NULL;
            window->shown = false;
        }
    release(screen->cell);
    if (screen->ink != NULL)
        release(screen->ink);
    release(screen);
    here.stale = true;
}

/* Characters from a cell on look as their fields. */
static void plain(struct vscreen *screen, u32 cell, u32 count)
{
    if (screen->ink != NULL)
        memset(screen->ink + cell, 0, count);
}

/* Data is nulls, and windows are at the first line; reserved lines and the cursor stay. */
void vscreen_clear(struct vscreen *screen)
{
    memset(screen->cell + screen->top * screen->columns, 0, screen->lines * screen->columns);
    memset(screen->look + screen->top * screen->columns, 0, screen->lines * screen->columns);
    plain(screen, screen->top * screen->columns, screen->lines * screen->columns);
    screen->first = screen->used = screen->typed_count = 0;
    for (struct window *window = here.top; window != NULL; window = window->below)
        if (window->vscreen == screen)
            window->line = window->left = 1;
    here.stale = true;
}

bool vscreen_has(const struct vscreen *screen, const struct vscreen_place *at)
{
    int last = at->reserved ? at->line > 0 ? (int)screen->top : (int)screen->bottom : (int)screen->lines;
    int line = at->line < 0 ? -at->line : at->line;

    return line >= 1 && line <= last && (at->reserved || at->line > 0) && at->column >= 1 &&
           at->column <= screen->columns;
}

u32 vscreen_row(const struct vscreen *screen, const struct vscreen_place *at)
{
    if (!at->reserved)
        return screen->top + (screen->first + (u32)at->line - 1) % screen->lines;
    return at->line > 0 ? (u32)at->line - 1 : all_lines(screen) - (u32)-at->line;
}

/* A line after the last one. Windows that show the ring stay where they are in the text. */
static char *next_line(struct vscreen *screen)
{
    struct vscreen_place at = { .line = 1, .column = 1 };
    u32 row;

    if (screen->used < screen->lines) {
        screen->used++;
    } else {
        screen->first = (screen->first + 1) % screen->lines;
        for (struct window *window = here.top; window != NULL; window = window->below)
            if (window->vscreen == screen && window->line > 1)
                window->line--;
    }
    at.line = (int)screen->used;
    row = vscreen_row(screen, &at);
    memset(screen->look + row * screen->columns, 0, screen->columns);
    plain(screen, row * screen->columns, screen->columns);
    return screen->cell + row * screen->columns;
}

/* A line of text, or as many as it takes. */
void vscreen_append(struct vscreen *screen, const char *text, u32 length)
{
    do {
        u32 part = length < screen->columns ? length : screen->columns;
        char *to = next_line(screen);

        memcpy(to, text, part);
        memset(to + part, 0, screen->columns - part);
        text += part;
        length -= part;
    } while (length > 0);
    here.stale = true;
}

/* Text over what is there; what goes beyond the line is cut. */
void vscreen_write(struct vscreen *screen, const struct vscreen_place *at, const char *text, u32 length)
{
    u32 cell = vscreen_row(screen, at) * screen->columns + at->column - 1, room = screen->columns - at->column + 1;

    length = length < room ? length : room;
    memcpy(screen->cell + cell, text, length);
    memset(screen->look + cell, 0, length);
    if (!at->reserved && (u32)at->line > screen->used)
        screen->used = (u32)at->line;
    here.stale = true;
}

bool vscreen_ink(struct vscreen *screen, const struct vscreen_place *at, u8 mask, const u8 *ink, u32 length)
{
    u32 cell = vscreen_row(screen, at) * screen->columns + at->column - 1, room = screen->columns - at->column + 1;
    u32 cells = all_lines(screen) * screen->columns;

    if (screen->ink == NULL) {
        screen->ink = obtain(cells, OWNER_SYSTEM);
        if (screen->ink == NULL)
            return false;
        memset(screen->ink, 0, cells);
    }
    for (u32 n = 0; n < length && n < room; n++)
        if (ink[n] != NO_INK)
            screen->ink[cell + n] = (u8)((screen->ink[cell + n] & ~mask) | ink[n]);
    here.stale = true;
    return true;
}

/* A field begins there. */
void vscreen_field(struct vscreen *screen, const struct vscreen_place *at, u8 look)
{
    u32 cell = vscreen_row(screen, at) * screen->columns + at->column - 1;

    screen->cell[cell] = ' ';
    screen->look[cell] = look;
    plain(screen, cell, 1);
    if (!at->reserved && (u32)at->line > screen->used)
        screen->used = (u32)at->line;
    here.stale = true;
}

/* Looks are numbered as they are used; when there are too many, one is as the first. */
u8 look_code(const struct look *look, bool writable)
{
    u32 n = 0;

    while (n < here.look_count && memcmp(&here.looks[n], look, sizeof *look) != 0)
        n++;
    if (n == here.look_count && n < LOOKS_MOST)
        here.looks[here.look_count++] = *look;
    n = n < LOOKS_MOST ? n : 0;
    return (u8)(LOOK_BEGINS + n + (writable ? LOOK_WRITABLE : 0));
}

struct look look_decode(u8 code) { return here.looks[(code - LOOK_BEGINS) & (LOOK_WRITABLE - 1)]; }
