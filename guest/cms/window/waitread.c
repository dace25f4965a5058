/*
 * WAITREAD: the display is shown until a key is pressed, and variables of the exec say what was done.
 *
 * WAITREAD.0 is how many there are, .1 the key, .2 where the cursor is, the others the fields that were typed in.
 */
#include "window.h"

static u32 count;

static void give_variable(const char *how, ...)
{
    char variable[24], value[WIDE_MOST + 48];
    va_list list;
    u32 length, of_value;

    va_start(list, how);
    of_value = format_list(value, sizeof value, how, list);
    va_end(list);
    length = format(variable, sizeof variable, "WAITREAD.%u", ++count);
    (void)exec_set(variable, length, value, of_value);
}

static void key_pressed(u32 key)
{
    static const struct { u8 aid; u8 number; } program_keys[] = { { AID_PA1, 1 }, { AID_PA2, 2 }, { AID_PA3, 3 } };
    u8 aid = here.display.aid;

    if (key > 0) {
        give_variable("PFKEY %u", key);
        return;
    }
    for (u32 n = 0; n < COUNT_OF(program_keys); n++)
        if (program_keys[n].aid == aid) {
            give_variable("PAKEY %u", program_keys[n].number);
            return;
        }
    give_variable(aid == AID_CLEAR ? "CLEAR" : "ENTER");
}

static void cursor_is(const struct vscreen *screen)
{
    struct window *window;
    struct vscreen_place at;
    bool corner, there = window_at(here.cell, &window, &corner, &at) && window->vscreen == screen && at.line != 0;

    if (there)
        give_variable("CURSOR %d %u %s", at.line, at.column, at.reserved ? "RESERVED" : "DATA");
    else
        give_variable("CURSOR -1 -1 DATA");
}

static void fields(struct vscreen *screen)
{
    for (u32 n = 0; n < screen->typed_count; n++) {
        const struct typed_field *field = &screen->typed[n];
        u32 from = vscreen_row(screen, &field->at) * screen->columns + field->at.column - 1;
        char text[WIDE_MOST + 1];

        for (u32 k = 0; k < field->length; k++)
            text[k] = screen->cell[from + k] == 0 ? ' ' : screen->cell[from + k];
        give_variable("%s %d %u %l", field->at.reserved ? "RESERVED" : "DATA", field->at.line, field->at.column, text,
                      field->length);
    }
    screen->typed_count = 0;
}

/* Waits for a key in the topmost window that shows the screen. */
static int await_key(struct vscreen *screen, u32 *key)
{
    struct window *window = here.top;
    const char *status = here.status;
    bool done;

    while (window != NULL && !(window->vscreen == screen && window_visible(window)))
        window = window->below;
    if (window == NULL) {
        message("WIN", 923, 'E', screen->name);
        return RC_WRONG_SCREEN;
    }
    screen->typed_count = 0;
    here.status = "Enter your response";
    done = take_keys(key);
    here.status = status;
    if (!done)
        message("WIN", 920, 'E');
    return done ? 0 : RC_UNSUPPORTED;
}

int waitread(struct vscreen *screen)
{
    char value[12];
    u32 key;
    int code = await_key(screen, &key);

    if (code != 0)
        return code;
    count = 0;
    key_pressed(key);
    cursor_is(screen);
    fields(screen);
    return (exec_set("WAITREAD.0", 10, value, format(value, sizeof value, "%u", count)) & 0x80) != 0 ? RC_MISSING : 0;
}

/* READ: the same, and the fields are stacked. */
int read_fields(struct vscreen *screen)
{
    u32 key;
    int code = await_key(screen, &key);

    if (code != 0)
        return code;
    for (u32 n = 0; n < screen->typed_count; n++) {
        const struct typed_field *field = &screen->typed[n];
        u32 from = vscreen_row(screen, &field->at) * screen->columns + field->at.column - 1;

        if (!stack_line(screen->cell + from, field->length, false))
            return RC_STORAGE;
    }
    screen->typed_count = 0;
    return 0;
}
