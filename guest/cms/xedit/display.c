/*
 * The display: cells, and the 3270 data stream that makes them.
 *
 * What is shown is built in cells, each a character, some the beginning of a field. Only rows that differ from what the
 * display shows already are written, all by one command. What the user has typed over is taken for shown. SET REMOTE:
 * of a row only what differs is written, and characters that follow one another in number are one order.
 * (3270 Information Display System, Data Stream Programmer's Reference: orders, write control character, attributes.)
 */
#include "display.h"

enum { IC = 0x13, SA = 0x28, SFE = 0x29, RA = 0x3c };
enum { PAIR_ATTRIBUTE = 0xc0, PAIR_HIGHLIGHT = 0x41, PAIR_COLOUR = 0x42, PAIR_ALL = 0x00 };
/* Restore the keyboard, reset what was modified; sound the alarm. */
enum { WCC = 0xc3, WCC_ALARM = 0x04, PER_ROW = 16, LOOK_ROOM = 12, INK_ROOM = 6, RUN = 5 };
enum { ATTRIBUTE_SKIP = 0x30, ATTRIBUTE_HIGH = 0x08, ATTRIBUTE_HIDDEN = 0x0c };

/* Six bits as a character of the data stream. */
static u8 graphic(u32 six)
{
    static const u8 code[64] = {
        0x40, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f,
        0x50, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0x5a, 0x5b, 0x5c, 0x5d, 0x5e, 0x5f,
        0x60, 0x61, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f,
        0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0x7a, 0x7b, 0x7c, 0x7d, 0x7e, 0x7f,
    };

    return code[six & 63];
}

/* Whose the display is by now: one of these, or what a program writes by a path (nucleus/path.c). */
static const void *shown;

void display_belongs_to(const void *owner) { shown = owner; }
bool display_is_shown(const void *owner) { return shown == owner && screen_is_ours(); }

/* Addresses have twelve bits, on large displays fourteen. */
u8 *display_address(const struct display *display, u8 *to, u8 order, u32 cell)
{
    bool large = display->rows * display->columns > 4096;

    *to++ = order;
    *to++ = large ? (u8)(cell >> 8) : graphic(cell >> 6);
    *to++ = large ? (u8)cell : graphic(cell);
    return to;
}

u32 address_of(const u8 *from)
{
    if ((from[0] & 0xc0) == 0)
        return (u32)from[0] << 8 | from[1];
    return (u32)(from[0] & 63) << 6 | (from[1] & 63);
}

static u8 *begin_field(const struct display *display, u8 *to, u8 code)
{
    const struct look *look = &display->looks[(code - LOOK_BEGINS) & (LOOK_WRITABLE - 1)];
    u8 attribute = (u8)((code & LOOK_WRITABLE ? 0 : ATTRIBUTE_SKIP) | (code & LOOK_MODIFIED ? ATTRIBUTE_MODIFIED : 0) |
                        (look->invisible ? ATTRIBUTE_HIDDEN : look->high ? ATTRIBUTE_HIGH : 0));
    bool extended = display->colours && (look->colour != 0 || look->highlight != 0);

    if (!extended) {
        *to++ = SF;
        *to++ = graphic(attribute);
        return to;
    }
    *to++ = SFE;
    *to++ = (u8)(1 + (look->colour != 0) + (look->highlight != 0));
    *to++ = PAIR_ATTRIBUTE;
    *to++ = graphic(attribute);
    if (look->highlight != 0) {
        *to++ = PAIR_HIGHLIGHT;
        *to++ = look->highlight;
    }
    if (look->colour != 0) {
        *to++ = PAIR_COLOUR;
        *to++ = look->colour;
    }
    return to;
}

/*
 * Square brackets. CMS has them where code page 037 has, as lines of the console do. Displays have them where 1047 has:
 * so 3270 emulators are set when nothing is said. Both pairs change places, there and back by the same table.
 */
#define ROW(from) from, from + 1, from + 2, from + 3, from + 4, from + 5, from + 6, from + 7, from + 8, from + 9, \
    from + 10, from + 11, from + 12, from + 13, from + 14, from + 15
static const u8 other_page[256] = {
    ROW(0x00), ROW(0x10), ROW(0x20), ROW(0x30), ROW(0x40), ROW(0x50), ROW(0x60), ROW(0x70), ROW(0x80), ROW(0x90),
    0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xab, 0xac, 0xba, 0xae, 0xaf,
    0xb0, 0xb1, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xad, 0xbd, 0xbc, 0xbb, 0xbe, 0xbf,
    ROW(0xc0), ROW(0xd0), ROW(0xe0), ROW(0xf0),
};

static void make_table(struct display *display)
{
    memcpy(display->sent_as, other_page, sizeof display->sent_as);
    memset(display->sent_as + 1, display->substitute, 0x40 - 1);
    display->sent_as[0xff] = (u8)display->substitute;
    display->sent_nondisplay = (u8)display->substitute;
}

/* No character is an order, or one that a display does not have; nulls are what they are. */
static void printable(struct display *display, u8 *text, u32 length)
{
    if (display->sent_as[' '] != ' ' || display->sent_nondisplay != (u8)display->substitute)
        make_table(display);
    text_translate((char *)text, length, display->sent_as);
}

/* How many cells there are in front of the next beginning of a field, `length` if there is none. */
static u32 to_field(const u8 *look, u32 length)
{
    /* TRANSLATE AND TEST stops at what the table has not zero for: anything but 0. */
    static const u8 begins[256] = { [1 ... 255] = 1 };
    u32 done = 0;

    while (done < length) {
        u32 count = length - done < 256 ? length - done : 256;
        register u32 found __asm__("1");
        u32 cc;

        __asm__ volatile("bras 1,0f\n\ttrt 0(1,%2),0(%3)\n0:\tex %4,0(1)\n\tipm %1\n\tsrl %1,28"
                         : "=&a"(found), "=&d"(cc) : "a"(look + done), "a"(begins), "a"(count - 1)
                         : "2", "cc", "memory");
        if (cc != 0)
            return (found & 0x7fffffff) - (u32)look;
        done += count;
    }
    return length;
}

/* Characters without a field in between; those that are one many times are an order that says until where. */
static u8 *write_runs(struct display *display, u8 *to, u32 cell, u32 count)
{
    u32 cells = display->rows * display->columns;

    while (count > 0) {
        const char *at = display->cell + cell;
        u32 run = 1, n = 0;

        while (run < count && at[run] == at[0])
            run++;
        if (run >= RUN) {
            to = display_address(display, to, RA, cell + run == cells ? 0 : cell + run);
            *to = (u8)at[0];
            printable(display, to++, 1);
            cell += run;
            count -= run;
            continue;
        }
        while (n < count && (n + RUN > count || memcmp(at + n, at + n + 1, RUN - 1) != 0))
            n++;
        memcpy(to, at, n);
        printable(display, to, n);
        to += n;
        cell += n;
        count -= n;
    }
    return to;
}

/* Characters without a field in between. */
static u8 *write_text(struct display *display, u8 *to, u32 cell, u32 count)
{
    if (display->compress)
        return write_runs(display, to, cell, count);
    memcpy(to, display->cell + cell, count);
    printable(display, to, count);
    return to + count;
}

static u8 *set_attribute(u8 *to, u8 type, u8 value)
{
    to[0] = SA;
    to[1] = type;
    to[2] = value;
    return to + 3;
}

/* The same of characters with looks of their own; `now` is the one that the display gives to what comes next. */
static u8 *write_inked(struct display *display, u8 *to, u32 cell, u32 count, u8 *now)
{
    const u8 *ink = display->ink + cell;

    for (u32 done = 0, next; done < count; done = next) {
        u8 colour = ink[done] & INK_COLOUR, highlight = (ink[done] & INK_HIGHLIGHT) >> INK_SHIFT;

        for (next = done + 1; next < count && ink[next] == ink[done];)
            next++;
        if ((ink[done] ^ *now) & INK_COLOUR)
            to = set_attribute(to, PAIR_COLOUR, colour != 0 ? 0xf0 | colour : 0);
        if ((ink[done] ^ *now) & INK_HIGHLIGHT)
            to = set_attribute(to, PAIR_HIGHLIGHT, highlight != 0 ? 0xf0 | highlight : 0);
        *now = ink[done];
        to = write_text(display, to, cell + done, next - done);
    }
    return to;
}

/* The cells from `cell` to `end`. */
static u8 *write_cells(struct display *display, u8 *to, u32 cell, u32 end)
{
    bool inked = display->ink != NULL && display->colours;
    u8 now = 0;

    to = display_address(display, to, SBA, cell);
    while (cell < end) {
        u32 count;

        if (display->look[cell] != 0) {
            to = begin_field(display, to, display->look[cell++]);
            continue;
        }
        count = to_field(display->look + cell, end - cell);
        to = inked ? write_inked(display, to, cell, count, &now) : write_text(display, to, cell, count);
        cell += count;
    }
    return now != 0 ? set_attribute(to, PAIR_ALL, 0) : to;
}

static bool same_cell(const struct display *display, u32 cell)
{
    return display->cell[cell] == display->old_cell[cell] && display->look[cell] == display->old_look[cell] &&
           (display->ink == NULL || display->ink[cell] == display->old_ink[cell]);
}

/* A row, or what of it is not what is shown already. */
static u8 *write_row(struct display *display, u8 *to, u32 from)
{
    u32 end = from + display->columns;

    if (display->compress && !display->whole && display->old_look[from] != ROW_TOUCHED) {
        while (from < end && same_cell(display, from))
            from++;
        while (end > from && same_cell(display, end - 1))
            end--;
    }
    return write_cells(display, to, from, end);
}

static inline bool differs(const void *a, const void *b, u32 length)
{
    u32 cc;

    if (length > 256)
        return memcmp(a, b, length) != 0;
    __asm__ volatile("bras 1,0f\n\tclc 0(1,%1),0(%2)\n0:\tex %3,0(1)\n\tipm %0\n\tsrl %0,28"
                     : "=d"(cc) : "a"(a), "a"(b), "a"(length - 1) : "1", "cc", "memory");
    return cc != 0;
}

static bool row_differs(const struct display *display, u32 from, u32 columns)
{
    return differs(display->cell + from, display->old_cell + from, columns) ||
           differs(display->look + from, display->old_look + from, columns) ||
           (display->ink != NULL && differs(display->ink + from, display->old_ink + from, columns));
}

/* One write; when CP or another display has had the screen meanwhile, all of it again. */
void display_write(struct display *display)
{
    u32 cells = display->rows * display->columns;

    if (full_screen != NULL)
        full_screen->other();
    for (u32 tries = 0; tries < 2; tries++) {
        u8 *to = display->stream;

        display->whole = display->whole || !display_is_shown(display);
        *to++ = (u8)(WCC | (display->alarm ? WCC_ALARM : 0));
        for (u32 row = 0; row < display->rows; row++)
            if (display->whole || row_differs(display, row * display->columns, display->columns))
                to = write_row(display, to, row * display->columns);
        to = display_address(display, to, SBA, display->cursor < cells ? display->cursor : 0);
        *to++ = IC;
        if (screen_write(display->whole ? display->rows > 24 || display->columns > 80 ? SCREEN_ALTERNATE : SCREEN_ERASE
                                        : SCREEN_WRITE,
                         display->stream, (u32)(to - display->stream)))
            break;
        display->whole = true;
    }
    shown = display;
    display->whole = false;
    memcpy(display->old_cell, display->cell, cells);
    memcpy(display->old_look, display->look, cells);
    if (display->ink != NULL)
        memcpy(display->old_ink, display->ink, cells);
    display->alarm = false;
}

/* What the user has typed, as the display sends it. False: CP has had the display, and nothing was typed. */
bool display_read(struct display *display, u32 *length)
{
    struct inbound input;
    const char *text;
    u32 cell, typed;

    if (!screen_read(display->stream, display->room, length) || *length == 0)
        return false;
    if (display->full_read && display->stream[0] != AID_CLEAR) {
        int count = display_whole(display, display->stream + 1, display->stream + INBOUND_FIELDS);

        if (count >= 0)
            *length = INBOUND_FIELDS + (u32)count;
    }
    input = (struct inbound){ display->stream + INBOUND_FIELDS, display->stream + *length };
    while (*length > INBOUND_FIELDS && display_field(display, &input, &cell, &text, &typed))
        text_translate((char *)display->stream + ((const u8 *)text - display->stream), typed, other_page);
    return true;
}

static bool cells(struct display *display, const struct screen_size *size, bool inked)
{
    u32 rows = size->rows, columns = size->columns;
    size_t count = (size_t)rows * columns, planes = inked ? 6 : 4;
    size_t stream = count + count / 2 + rows * (size_t)(PER_ROW + 4 * LOOK_ROOM) + (inked ? count * INK_ROOM : 0);
    /* The channel command word has 24 bits of address. */
    char *all = obtain_pages(count * planes + stream, OWNER_SYSTEM, 0, 0x1000000);

    if (all == NULL)
        return false;
    (void)release_pages((u32)display->cell);
    memset(display, 0, sizeof *display);
    display->rows = rows;
    display->columns = columns;
    display->colours = size->colours;
    display->cell = all;
    display->old_cell = all + count;
    display->look = (u8 *)all + 2 * count;
    display->old_look = (u8 *)all + 3 * count;
    display->ink = inked ? (u8 *)all + 4 * count : NULL;
    display->old_ink = inked ? (u8 *)all + 5 * count : NULL;
    display->stream = (u8 *)all + planes * count;
    display->room = (u32)stream;
    display->whole = true;
    return true;
}

static bool begin(struct display *display, bool inked)
{
    struct screen_size size;

    if (!console_is_display())
        return false;
    screen_measure(&size);
    return cells(display, &size, inked);
}

/* The display that the user is at; false: there is none. */
bool display_begin(struct display *display) { return begin(display, false); }
bool display_begin_inked(struct display *display) { return begin(display, true); }

void display_end(struct display *display)
{
    (void)release_pages((u32)display->cell);
    if (shown == display)
        shown = NULL;
}

/* The next field that was modified: where it is, and what is in it now. */
bool display_field(const struct display *display, struct inbound *input, u32 *cell, const char **text, u32 *length)
{
    if (input->end - input->at < 3 || *input->at != SBA)
        return false;
    *cell = address_of(input->at + 1);
    input->at += 3;
    *text = (const char *)input->at;
    while (input->at < input->end && *input->at != SBA)
        input->at++;
    *length = (u32)(input->at - (const u8 *)*text);
    return *cell < display->rows * display->columns;
}

/* Whatever the user has typed on is written anew. */
void display_touched(struct display *display, u32 cell, u32 length)
{
    u32 columns = display->columns, cells = columns * display->rows;

    for (u32 row = cell / columns; row <= (cell + length) / columns; row++)
        if (row * columns < cells)
            display->old_look[row * columns] = ROW_TOUCHED;
}

u32 display_key(u8 aid)
{
    static const u8 aids[] = {
        0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0x7a, 0x7b, 0x7c,
        0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0x4a, 0x4b, 0x4c,
    };

    for (u32 n = 0; n < sizeof aids; n++)
        if (aids[n] == aid)
            return n + 1;
    return 0;
}
