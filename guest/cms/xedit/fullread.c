/*
 * SET FULLREAD: the display's whole buffer is read.
 *
 * A display sends no nulls of fields that were modified, so what was typed after some is further to the left; and with
 * a PA key it sends nothing. Its buffer has all of it. (3270 Information Display System, Data Stream Programmer's
 * Reference: READ BUFFER.)
 */
#include "display.h"

/* A buffer that was read, from `at` on; what a display sends of its modified fields, up to `to`. */
struct whole { const u8 *at, *end; u8 *to, *last; bool modified; };

/* The end of a field. Nulls between characters are blanks, those after the last of them nothing. */
static void field_ends(struct whole *whole)
{
    if (!whole->modified)
        return;
    while (whole->to > whole->last && whole->to[-1] == 0)
        whole->to--;
    for (u8 *at = whole->last; at < whole->to; at++)
        *at = *at == 0 ? ' ' : *at;
}

/* Cells up to the next field, or to the end of the buffer; how many. */
static u32 field_cells(struct whole *whole)
{
    u32 cells = 0;

    for (; whole->at < whole->end && *whole->at != SF; cells++) {
        u32 bytes = *whole->at == GE && whole->at + 1 < whole->end ? 2 : 1;

        if (whole->modified) {
            memcpy(whole->to, whole->at, bytes);
            whole->to += bytes;
        }
        whole->at += bytes;
    }
    return cells;
}

/* A buffer as the fields that were modified in it, from `to` on; how many bytes they are. */
static u32 modified_fields(const struct display *display, const u8 *buffer, u32 length, u8 *to)
{
    struct whole whole = { .at = buffer, .end = buffer + length, .to = to };
    u32 cell = field_cells(&whole);

    while (whole.at + 1 < whole.end) {
        whole.modified = (whole.at[1] & ATTRIBUTE_MODIFIED) != 0;
        whole.at += 2;
        cell++;
        if (whole.modified)
            whole.to = whole.last = display_address(display, whole.to, SBA, cell);
        cell += field_cells(&whole);
        if (whole.at + 1 >= whole.end) {
            /* The last field goes on where the display begins. */
            whole.at = buffer;
            (void)field_cells(&whole);
            whole.at = whole.end;
        }
        field_ends(&whole);
    }
    return (u32)(whole.to - to);
}

/* The display's whole buffer is read; how long the modified fields of it are, -1: it cannot be. The cursor's address is
 * `cursor`, and the fields begin at `to`. */
int display_whole(struct display *display, u8 cursor[2], u8 *to)
{
    u8 *buffer = obtain_pages(display->room, OWNER_SYSTEM, 0, 0x1000000);
    int length = buffer != NULL ? screen_fetch(SCREEN_BUFFER, buffer, display->room) : -1;

    if (length > INBOUND_FIELDS) {
        memcpy(cursor, buffer + 1, 2);
        length = (int)modified_fields(display, buffer + INBOUND_FIELDS, (u32)length - INBOUND_FIELDS, to);
    }
    (void)release_pages((u32)buffer);
    return length;
}

bool display_changed(struct display *display)
{
    u8 cursor[2];

    return display_whole(display, cursor, display->stream + INBOUND_FIELDS) > 0;
}
