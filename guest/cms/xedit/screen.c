/*
 * What a logical screen shows: which row has what (lay_out), and the text of each row in the cells of the display.
 *
 * A row of the file is a prefix area of five columns, the field attribute of the data, and the data. The attribute of
 * what a row begins with stands in the last column of the row above, so the first column of a row can be written.
 */
#include "xedit.h"

enum { PREFIX_WIDTH = 5, STATUS_WIDTH = 20, ARROW = 5 };

static const char arrow[] = "====>", top_text[] = "* * * Top of File * * *", end_text[] = "* * * End of File * * *";

u32 row_at(const struct position *position, u32 lines)
{
    int row = position->middle  ? (int)(lines + 1) / 2 + position->n
              : position->n < 0 ? (int)lines + position->n + 1
                                : position->n;

    return row < 1 || row > (int)lines ? lines : (u32)row - 1;
}

u32 data_width(const struct view *view, u32 width)
{
    u32 taken = view->s.prefix != PREFIX_OFF ? PREFIX_WIDTH + 2 : 1;

    return width > taken ? width - taken : 1;
}

/* Columns of the image, and where they come from. A pair of hexadecimal columns is two characters for each. */
u32 image_width(const struct view *view)
{
    u32 width = 0;

    for (u32 n = 0; n < view->s.pairs; n++)
        width += (view->s.pair[n].to + 1 - view->s.pair[n].from) << view->s.pair[n].hex;
    return width;
}

u32 image_column(const struct view *view, u32 at, bool *hex)
{
    for (u32 n = 0; n < view->s.pairs; n++) {
        const struct pair *pair = &view->s.pair[n];
        u32 width = (pair->to + 1 - pair->from) << pair->hex;

        if (at < width) {
            int column = (int)(pair->from + (at >> pair->hex)) + view->s.shift;

            if (hex != NULL)
                *hex = pair->hex;
            return column > 0 ? (u32)column : 0;
        }
        at -= width;
    }
    return 0;
}

u32 image_place(const struct view *view, u32 column)
{
    u32 before = 0;

    for (u32 n = 0; n < view->s.pairs; n++) {
        const struct pair *pair = &view->s.pair[n];
        int at = (int)column - view->s.shift;

        if (at >= (int)pair->from && at <= (int)pair->to)
            return before + (((u32)at - pair->from) << pair->hex);
        before += (pair->to + 1 - pair->from) << pair->hex;
    }
    return image_width(view);
}

static char shown_as(const struct view *view, char c)
{
    u8 byte = (u8)c;

    if (editor->translates)
        byte = editor->translation[byte];
    return byte == 0x05 ? view->s.filler : byte < 0x40 || byte == 0xff ? editor->nondisplay : (char)byte;
}

/* The table by which lines are shown, as long as it holds. */
static const u8 *shown_table(const struct view *view)
{
    struct display *display = &editor->display;

    if (display->shown_as[' '] == ' ' && display->filler == view->s.filler && display->nondisplay == editor->nondisplay)
        return display->shown_as;
    for (u32 c = 0; c < 256; c++)
        display->shown_as[c] = (u8)shown_as(view, (char)c);
    display->filler = view->s.filler;
    display->nondisplay = editor->nondisplay;
    return display->shown_as;
}

void text_translate(char *text, u32 length, const u8 *table)
{
    for (; length > 256; length -= 256, text += 256)
        __asm__ volatile("tr 0(256,%0),0(%1)" : : "a"(text), "a"(table) : "memory");
    if (length > 0)
        __asm__ volatile("bras 1,0f\n\ttr 0(1,%0),0(%1)\n0:\tex %2,0(1)"
                         :
                         : "a"(text), "a"(table), "a"(length - 1)
                         : "1", "memory");
}

/* Columns of characters that follow one another. */
static u32 plain_image(struct view *view, const struct row *row, char *to, u32 room, u32 from, u32 count)
{
    u32 there = row->length > from ? row->length - from : 0;

    count = count < room ? count : room;
    there = there < count ? there : count;
    memcpy(to, row->text + from, there);
    text_translate(to, there, shown_table(view));
    memset(to + there, ' ', count - there);
    return count;
}

/* What of the line is shown, from `to` on: image_width() characters, or what there is room for. */
u32 line_image(struct view *view, const struct row *row, char *to, u32 room)
{
    u32 used = 0;

    for (u32 n = 0; n < view->s.pairs; n++) {
        const struct pair *pair = &view->s.pair[n];

        if (!pair->hex && (int)pair->from + view->s.shift > 0) {
            used += plain_image(view, row, to + used, room - used, pair->from + (u32)view->s.shift - 1,
                                pair->to + 1 - pair->from);
            continue;
        }
        for (u32 k = pair->from; k <= pair->to && used + pair->hex < room; k++) {
            int column = (int)k + view->s.shift;
            char c = column > 0 && column <= (int)row->length ? row->text[column - 1] : ' ';

            if (pair->hex) {
                to[used++] = "0123456789ABCDEF"[(u8)c >> 4];
                to[used++] = "0123456789ABCDEF"[(u8)c & 15];
            } else {
                to[used++] = c == ' ' ? c : shown_as(view, c);
            }
        }
    }
    return used;
}

/* How many rows a line takes, and how many columns each of them has. */
struct sizes { u32 data, usual, extended; };

static struct sizes sizes_of(const struct logical *logical)
{
    const struct view *view = logical->view;
    u32 data = data_width(view, logical->width), image = image_width(view), all = view->file->s.truncation;

    image = image > data ? (image + data - 1) / data : 1;
    return (struct sizes){ data, image, all > data ? (all + data - 1) / data : 1 };
}

static u32 rows_of(const struct view *view, const struct sizes *sizes, u32 line)
{
    return line != 0 && line == view->extended && is_line(view, line) ? sizes->extended : sizes->usual;
}

static bool is_free(const struct logical *logical, u32 row)
{
    return row < logical->lines && logical->row[row].kind == SHOW_NOTHING;
}

static void take(const struct logical *logical, u32 row, enum row_kind kind)
{
    if (is_free(logical, row))
        logical->row[row] = (struct shown){ .kind = kind };
}

static void lay_fixed(const struct logical *logical)
{
    const struct settings_of_view *s = &logical->view->s;
    u32 lines = logical->lines;

    memset(logical->row, 0, lines * sizeof *logical->row);
    if (s->cmdline == LINE_ON) {
        take(logical, lines - 2, SHOW_COMMAND);
        take(logical, lines - 1, SHOW_STATUS);
    } else if (s->cmdline == LINE_BOTTOM) {
        take(logical, lines - 1, SHOW_COMMAND);
    } else if (s->cmdline == LINE_TOP) {
        take(logical, 1, SHOW_COMMAND);
    }
    for (struct reserved *reserved = logical->view->reserved; reserved != NULL; reserved = reserved->next) {
        u32 row = row_at(&reserved->at, lines);

        if (is_free(logical, row))
            logical->row[row] = (struct shown){ .kind = SHOW_RESERVED, .reserved = reserved };
    }
    take(logical, 0, SHOW_IDLINE);
    if (s->message_line && !s->overlay)
        take(logical, row_at(&s->message_at, lines), SHOW_MESSAGE);
    if (s->scale)
        take(logical, row_at(&s->scale_at, lines), SHOW_SCALE);
    if (s->tabline)
        take(logical, row_at(&s->tabline_at, lines), SHOW_TABLINE);
}

static bool all_shown(const struct view *view) { return !view->file->levels && view->s.display_low == 0; }

/* Hidden lines side by side are one shadow line; `line` is the first of them, and how many is returned. */
static u32 hidden_from(struct view *view, u32 line)
{
    u32 count = 0;

    if (all_shown(view))
        return 0;
    while (is_line(view, line + count) && !line_shown(view, line + count))
        count++;
    return count;
}

static u32 hidden_to(struct view *view, u32 line)
{
    u32 count = 0;

    if (all_shown(view))
        return 0;
    while (line > count && is_line(view, line - count) && !line_shown(view, line - count))
        count++;
    return count;
}

static void fill_down(struct logical *logical, u32 row, u32 line, const struct sizes *sizes)
{
    struct view *view = logical->view;
    u32 end = end_line(view);

    while (line <= end && row < logical->lines) {
        u32 hidden = hidden_from(view, line), rows = hidden > 0 ? 1 : rows_of(view, sizes, line);

        if (hidden > 0 && !view->s.shadow) {
            line += hidden;
            continue;
        }
        for (u32 n = 0; n < rows && row < logical->lines; row++)
            if (is_free(logical, row))
                logical->row[row] = (struct shown){.kind = hidden > 0 ? SHOW_SHADOW : SHOW_LINE,
                                                   .line = line,
                                                   .count = hidden,
                                                   .offset = n++ * sizes->data};
        line += hidden > 0 ? hidden : 1;
    }
}

static void fill_up(struct logical *logical, u32 row, u32 line, const struct sizes *sizes)
{
    struct view *view = logical->view;
    u32 top = top_line(view);

    while (line + 1 > top && row > 0) {
        u32 hidden = line > top ? hidden_to(view, line) : 0, rows = hidden > 0 ? 1 : rows_of(view, sizes, line);

        if (hidden > 0 && !view->s.shadow) {
            line -= hidden;
            continue;
        }
        for (u32 n = rows; n > 0 && row > 0;)
            if (is_free(logical, --row))
                logical->row[row] = (struct shown){ .kind = hidden > 0 ? SHOW_SHADOW : SHOW_LINE,
                                                    .line = hidden > 0 ? line + 1 - hidden : line, .count = hidden,
                                                    .offset = --n * sizes->data };
        if (line == 0 && hidden == 0)
            break;
        line -= hidden > 0 ? hidden : 1;
    }
}

static void lay_input(struct logical *logical, u32 row)
{
    u32 n = 0;

    for (; row < logical->lines; row++)
        if (is_free(logical, row))
            logical->row[row] = (struct shown){ .kind = SHOW_INPUT, .line = n++ };
}

void lay_out(struct logical *logical)
{
    struct view *view = logical->view;
    u32 row = row_at(&view->s.curline, logical->lines), line = view->current;
    struct sizes sizes = sizes_of(logical);

    lay_fixed(logical);
    while (row < logical->lines && !is_free(logical, row))
        row++;
    /* A hidden current line is in its shadow line. */
    if (!line_shown(view, line))
        line = line + 1 - hidden_to(view, line);
    if (view->input && row < logical->lines) {
        logical->row[row] = (struct shown){ .kind = SHOW_LINE, .line = line };
        lay_input(logical, row + 1);
    } else {
        fill_down(logical, row, line, &sizes);
    }
    if (line > top_line(view))
        fill_up(logical, row, line - 1, &sizes);
}

/* What the rows show now is needed still, so others are laid out. */
u32 rows_for(const struct logical *logical)
{
    struct shown row[logical->lines];
    struct logical other = *logical;
    u32 rows = 0;

    other.row = row;
    lay_fixed(&other);
    for (u32 n = 0; n < other.lines; n++)
        rows += row[n].kind == SHOW_NOTHING;
    return rows > 1 ? rows : 2;
}

/* Where a row of the logical screen begins among the cells. */
static u32 cell_of(const struct logical *logical, u32 row)
{
    return (logical->top + row) * editor->display.columns + logical->left;
}

static void put(u32 cell, const char *text, u32 length)
{
    memcpy(editor->display.cell + cell, text, length);
}

/* The attribute in front of a cell; the first one of the display has none in front. */
static void field(u32 cell, u8 look)
{
    if (cell > 0)
        editor->display.look[cell - 1] = look;
}

/* Where a row ends, unless the next one begins there with a field of its own. */
static void field_end(u32 cell, u8 look)
{
    if (editor->display.look[cell - 1] == 0)
        editor->display.look[cell - 1] = look;
}

static u8 look_of(u32 look, bool writable) { return (u8)(LOOK_BEGINS + look + (writable ? LOOK_WRITABLE : 0)); }

u32 id_line(const struct view *view, char *line, u32 room)
{
    const struct settings_of_file *s = &view->file->s;

    return format(line, room, "%-8t %-8t %c%c  %c%s %u  Trunc=%u Size=%u Line=%u Col=%u Alt=%u", s->id.fn, s->id.ft,
                  s->id.fm[0], s->id.fm[1], s->recfm, s->packed ? "P" : "", s->lrecl, s->truncation, size_of(view),
                  view->current, view->column, view->file->alterations);
}

static void paint_idline(struct logical *logical)
{
    u32 cell = cell_of(logical, 0), length;
    char line[COMMAND_MOST];

    length = id_line(logical->view, line, sizeof line);
    length = length < logical->width - 1 ? length : logical->width - 1;
    editor->display.look[cell] = look_of(AREA_IDLINE, false);
    put(cell + 1, line, length);
    field_end(cell + logical->width, look_of(AREA_FILEAREA, false));
}

/* One character of the scale of columns that are hexadecimal, or not side by side. */
static char scale_at(u32 column)
{
    return column == 0        ? ' '
           : column % 10 == 0 ? (char)('0' + column / 10 % 10)
           : column % 5 == 0  ? '+'
                              : '.';
}

/* The scale of columns side by side, from `column` on. */
static void plain_scale(char *to, u32 width, u32 column)
{
    static const char ruler[] = "....+....1....+....2....+....3....+....4....+....5....+....6....+....7....+....8"
                                "....+....9....+....0";

    while (width > 0) {
        u32 from = (column - 1) % 100, count = 100 - from < width ? 100 - from : width;

        memcpy(to, ruler + from, count);
        to += count;
        column += count;
        width -= count;
    }
}

/* Wherever the column is in the image. */
static void put_mark(const struct view *view, char *to, u32 width, u32 column, char c)
{
    u32 before = 0;
    int at = (int)column - view->s.shift;

    for (u32 n = 0; n < view->s.pairs; n++) {
        const struct pair *pair = &view->s.pair[n];
        u32 place = before + (((u32)at - pair->from) << pair->hex);

        before += (pair->to + 1 - pair->from) << pair->hex;
        if (column == 0 || at < (int)pair->from || at > (int)pair->to || place >= width)
            continue;
        to[place] = c;
        if (pair->hex && place + 1 < width)
            to[place + 1] = c;
    }
}

/* The scale of the columns that the image shows; for the tab line, the tab columns. */
static void scale_text(const struct view *view, char *to, u32 width, bool tabs)
{
    const struct settings_of_view *s = &view->s;
    int first = (int)s->pair[0].from + s->shift;
    u32 image = image_width(view), shown = image < width ? image : width;

    memset(to, ' ', width);
    if (!tabs && s->pairs == 1 && !s->pair[0].hex && first > 0)
        plain_scale(to, shown, (u32)first);
    else
        for (u32 n = 0; !tabs && n < shown; n++)
            to[n] = scale_at(image_column(view, n, NULL));
    for (u32 k = 0; tabs && k < s->stops; k++)
        put_mark(view, to, width, s->stop[k], 'T');
    if (!tabs)
        put_mark(view, to, width, view->file->s.truncation, 'T');
    if (s->zone_left != 1 || s->zone_right != view->file->s.truncation) {
        put_mark(view, to, width, s->zone_left, '<');
        put_mark(view, to, width, s->zone_right, '>');
    }
    put_mark(view, to, width, view->column, '|');
}

static void paint_scale(struct logical *logical, u32 row, bool tabs)
{
    struct view *view = logical->view;
    u32 cell = cell_of(logical, row), data = data_width(view, logical->width);

    field(cell, look_of(tabs ? AREA_TABLINE : AREA_SCALE, false));
    if (view->s.prefix != PREFIX_OFF && !view->s.prefix_right)
        cell += PREFIX_WIDTH + 1;
    field(cell, look_of(tabs ? AREA_TABLINE : AREA_SCALE, false));
    scale_text(view, editor->display.cell + cell, data, tabs);
    field_end(cell + data + 1, look_of(AREA_FILEAREA, false));
}

static void paint_command(struct logical *logical, u32 row)
{
    u32 cell = cell_of(logical, row), end = cell + logical->width - 1, length;
    bool two = row + 1 < logical->lines && logical->row[row + 1].kind == SHOW_STATUS,
         active = logical == &editor->logical[editor->active];
    char status[32];

    if (two && logical->width == editor->display.columns)
        end = cell + 2 * logical->width - STATUS_WIDTH - 1;
    field(cell, look_of(AREA_ARROW, false));
    put(cell, arrow, ARROW);
    field(cell + ARROW + 1, look_of(AREA_CMDLINE, true));
    memset(editor->display.cell + cell + ARROW + 1, 0, end - cell - ARROW - 1);
    /* What is put there is performed with the next key as if it had been typed. */
    length = active ? editor->next_length : 0;
    if (length > 0)
        editor->display.look[cell + ARROW] |= LOOK_MODIFIED;
    length = length < end - cell - ARROW - 1 ? length : end - cell - ARROW - 1;
    put(cell + ARROW + 1, editor->next_command, length);
    if (!two) {
        field(end + 1, look_of(AREA_ARROW, false));
        return;
    }
    if (logical->width != editor->display.columns) {
        field_end(cell + logical->width, look_of(AREA_ARROW, false));
        end = cell_of(logical, row + 1) + logical->width - STATUS_WIDTH - 1;
        field(cell_of(logical, row + 1), look_of(AREA_ARROW, false));
    }
    field(end + 1, look_of(AREA_STATAREA, false));
    length = status_text(logical, status);
    put(end + 1, status, length < STATUS_WIDTH - 1 ? length : STATUS_WIDTH - 1);
}

static void paint_prefix(struct logical *logical, const struct shown *shown, u32 cell)
{
    struct view *view = logical->view;
    struct pending *pending = shown->count == 0 || shown->line != 0 ? pending_at(view->file, shown->line) : NULL;
    char text[8];

    if (shown->offset > 0) {
        field(cell, look_of(AREA_PREFIX, false));
        return;
    }
    if (view->s.number)
        format(text, sizeof text, "%05u", shown->line % 100000);
    else
        memcpy(text, "=====", PREFIX_WIDTH);
    if (pending != NULL) {
        u32 length = pending->length < PREFIX_WIDTH ? pending->length : PREFIX_WIDTH, at = 0;

        if (pending->wrong)
            text[at++] = '?';
        length = length < PREFIX_WIDTH - at ? length : PREFIX_WIDTH - at;
        memcpy(text + at, pending->text, length);
    }
    field(cell, look_of(pending != NULL ? AREA_PENDING : AREA_PREFIX, !view->file->browsed));
    put(cell, text, PREFIX_WIDTH);
}

static u32 shadow_text(char *to, u32 width, u32 count)
{
    char text[48];
    u32 length = format(text, sizeof text, " %u line(s) not displayed ", count), dashes = 20;

    memset(to, '-', width);
    if (dashes + length <= width)
        memcpy(to + dashes, text, length);
    return width;
}

static void paint_text(struct logical *logical, const struct shown *shown, char *to, u32 data)
{
    struct view *view = logical->view;

    if (shown->kind == SHOW_SHADOW) {
        (void)shadow_text(to, data, shown->count);
    } else if (!is_line(view, shown->line)) {
        const char *text = shown->line == top_line(view) ? top_text : end_text;
        char other[32];

        if (!view->s.tofeof || shown->offset > 0)
            return;
        if (view->s.ranged)
            format(other, sizeof other, "* * * %s of Range * * *", shown->line == top_line(view) ? "Top" : "End");
        text = view->s.ranged ? other : text;
        memcpy(to, text, strlen(text) < data ? strlen(text) : data);
    } else {
        struct row *row = line_row(view, shown->line);
        u32 image, length;

        if (shown->line == view->extended) {
            length = row->length > shown->offset ? row->length - shown->offset : 0;
            for (u32 n = 0; n < length && n < data; n++)
                to[n] = shown_as(view, row->text[shown->offset + n]);
            return;
        }
        /* One row: it is built where it is shown. */
        if (image_width(view) <= data) {
            (void)line_image(view, row, to, data);
        } else {
            image = line_image(view, row, editor->work, editor->work_room);
            length = image > shown->offset ? image - shown->offset : 0;
            memcpy(to, editor->work + shown->offset, length < data ? length : data);
        }
    }
    if (view->s.nulls)
        for (u32 n = data; n > 0 && to[n - 1] == ' '; n--)
            to[n - 1] = 0;
}

static void paint_line(struct logical *logical, u32 row)
{
    struct view *view = logical->view;
    const struct shown *shown = &logical->row[row];
    u32 cell = cell_of(logical, row), data = data_width(view, logical->width), text = cell, prefix = cell;
    bool has_prefix = view->s.prefix != PREFIX_OFF, current = shown->line == view->current && shown->kind == SHOW_LINE;
    bool writable = shown->kind == SHOW_LINE && is_line(view, shown->line) && !view->file->browsed;
    enum area area = current                      ? AREA_CURLINE
                     : shown->kind == SHOW_SHADOW ? AREA_SHADOW
                     : writable                   ? AREA_FILEAREA
                                                  : AREA_TOFEOF;

    if (shown->kind == SHOW_LINE && view->scale_line == shown->line && view->scale_line != 0) {
        paint_scale(logical, row, false);
    } else if (shown->kind == SHOW_LINE && view->tab_line == shown->line && view->tab_line != 0) {
        paint_scale(logical, row, true);
    } else {
        if (has_prefix && !view->s.prefix_right)
            text = cell + PREFIX_WIDTH + 1;
        paint_text(logical, shown, editor->display.cell + text, data);
        field(text, look_of(area, writable && !view->input));
        field_end(text + data + 1, look_of(AREA_FILEAREA, false));
    }
    if (!has_prefix || view->input) {
        if (has_prefix && !view->s.prefix_right)
            field(cell, look_of(AREA_FILEAREA, false));
        return;
    }
    if (view->s.prefix_right)
        prefix = cell + data + 1;
    paint_prefix(logical, shown, prefix);
    if (view->s.prefix_right)
        field_end(prefix + PREFIX_WIDTH + 1, look_of(AREA_FILEAREA, false));
}

/* All rows of power input are one field, if nothing is beside them. */
static void paint_power(struct logical *logical, u32 row)
{
    u32 cell = cell_of(logical, row);

    if (row == 0 || logical->row[row - 1].kind != SHOW_INPUT)
        field(cell, look_of(AREA_FILEAREA, true));
    memset(editor->display.cell + cell, 0, logical->width);
    if (row + 1 == logical->lines || logical->row[row + 1].kind != SHOW_INPUT)
        field_end(cell + logical->width, look_of(AREA_FILEAREA, false));
}

static void paint_input(struct logical *logical, u32 row)
{
    struct view *view = logical->view;
    u32 cell = cell_of(logical, row), data = data_width(view, logical->width);

    if (view->power) {
        paint_power(logical, row);
        return;
    }

    field(cell, look_of(AREA_FILEAREA, false));
    if (view->s.prefix != PREFIX_OFF && !view->s.prefix_right)
        cell += PREFIX_WIDTH + 1;
    field(cell, look_of(AREA_FILEAREA, true));
    memset(editor->display.cell + cell, 0, data);
    put(cell, view->s.mask, view->s.mask_length < data ? view->s.mask_length : data);
    field_end(cell + data + 1, look_of(AREA_FILEAREA, false));
}

static void paint_nothing(struct logical *logical, u32 row)
{
    field(cell_of(logical, row), look_of(AREA_FILEAREA, false));
}

/* A text in which fields begin (SET CTLCHAR): the escape character and the one after it are the attribute's place. */
static void put_controlled(u32 cell, u32 room, const char *text, u32 length)
{
    for (u32 n = 0; n < length && room > 0; n++, cell++, room--) {
        const struct control *control =
            text[n] == editor->control_escape && n + 1 < length ? control_of(text[n + 1]) : NULL;

        if (control == NULL) {
            editor->display.cell[cell] = text[n];
            continue;
        }
        editor->display.look[cell] = look_of(control->look, control->writable);
        n++;
    }
}

static void paint_reserved(struct logical *logical, u32 row)
{
    const struct reserved *reserved = logical->row[row].reserved;
    u32 cell = cell_of(logical, row), length = reserved->length;

    field(cell, look_of(reserved->look, false));
    if (editor->control_escape != 0) {
        put_controlled(cell, logical->width - 1, reserved->text, length);
    } else {
        length = length < logical->width - 1 ? length : logical->width - 1;
        put(cell, reserved->text, length);
    }
    field_end(cell + logical->width, look_of(AREA_FILEAREA, false));
}

/* How many rows a message takes. */
u32 rows_of_note(const struct note *note, u32 width)
{
    u32 room = width > 2 ? width - 2 : 1;

    return note->length > room ? (note->length + room - 1) / room : 1;
}

/* Messages go over whatever their rows show; a long one takes several. */
static void paint_messages(struct logical *logical)
{
    const struct settings_of_view *s = &logical->view->s;
    u32 row = row_at(&s->message_at, logical->lines), n = 0, from = 0,
        room = logical->width > 2 ? logical->width - 2 : 1;

    if (!s->message_line || logical != &editor->logical[editor->active])
        return;
    for (const struct note *note = editor->notes; note != NULL && n < s->message_rows && row < logical->lines;
         n++, row++) {
        u32 cell = cell_of(logical, row), left = note->length - from, length = left < room ? left : room;

        if (row == 0)
            continue;
        memset(editor->display.cell + cell, ' ', logical->width);
        memset(editor->display.look + cell, 0, logical->width - 1);
        field(cell, look_of(AREA_MSGLINE, false));
        put(cell, note->text + from, length);
        field_end(cell + logical->width, look_of(AREA_FILEAREA, false));
        logical->row[row].kind = SHOW_MESSAGE;
        from += length;
        if (from >= note->length)
            note = note->next, from = 0;
    }
}

static void paint(struct logical *logical)
{
    for (u32 row = 0; row < logical->lines; row++) {
        switch (logical->row[row].kind) {
        case SHOW_IDLINE: paint_idline(logical); break;
        case SHOW_SCALE: paint_scale(logical, row, false); break;
        case SHOW_TABLINE: paint_scale(logical, row, true); break;
        case SHOW_COMMAND: paint_command(logical, row); break;
        case SHOW_LINE: case SHOW_SHADOW: paint_line(logical, row); break;
        case SHOW_INPUT: paint_input(logical, row); break;
        case SHOW_RESERVED: paint_reserved(logical, row); break;
        case SHOW_STATUS: break;
        default: paint_nothing(logical, row);
        }
    }
    paint_messages(logical);
}

/* All logical screens, as they have been laid out, on the display. */
void show_screens(void)
{
    struct display *display = &editor->display;

    memset(display->cell, ' ', (size_t)display->rows * display->columns);
    memset(display->look, 0, (size_t)display->rows * display->columns);
    for (u32 n = 0; n < editor->screens; n++)
        paint(&editor->logical[n]);
    editor_write();
}

/* So many logical screens, where the parts say; without parts one, the whole display. */
bool screens_define(u32 count, const struct logical *part)
{
    struct logical whole = { .lines = editor->typewriter ? 24 : editor->display.rows,
                             .width = editor->typewriter ? 80 : editor->display.columns };

    for (u32 n = 0; n < SCREENS_MOST; n++) {
        struct logical *logical = &editor->logical[n];

        release(logical->row);
        memset(logical, 0, sizeof *logical);
    }
    for (u32 n = 0; n < count; n++) {
        struct logical *logical = &editor->logical[n];

        *logical = part != NULL ? part[n] : whole;
        logical->view = editor->view;
        logical->row = obtain(logical->lines * sizeof *logical->row, OWNER_SYSTEM);
        if (logical->row == NULL)
            return false;
        memset(logical->row, 0, logical->lines * sizeof *logical->row);
    }
    editor->screens = count;
    editor->active = 0;
    return true;
}
