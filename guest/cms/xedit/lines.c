/*
 * Changes of a file's lines, and all that follows from them: the counts of alterations, names and prefix subcommands of
 * lines below, the current lines of other views.
 */
#include "xedit.h"

u32 size_of(const struct view *view) { return view->file->text.lines; }

/* A range that lines were deleted from may be shorter than it was, never beyond the file. */
u32 last_line(const struct view *view)
{
    u32 size = size_of(view);

    return view->s.ranged && view->s.range_last < size ? view->s.range_last : size;
}

u32 first_line(const struct view *view) { return view->s.ranged ? view->s.range_first : 1; }
u32 top_line(const struct view *view) { return first_line(view) - 1; }
u32 end_line(const struct view *view) { return last_line(view) + 1; }
bool is_line(const struct view *view, u32 line) { return line >= first_line(view) && line <= last_line(view); }
struct row *line_row(struct view *view, u32 line) { return text_row(&view->file->text, line); }

bool line_shown(struct view *view, u32 line)
{
    u32 level;

    if ((!view->file->levels && view->s.display_low == 0) || !is_line(view, line))
        return true;
    level = line_row(view, line)->level;
    return level >= view->s.display_low && level <= view->s.display_high;
}

bool line_in_scope(struct view *view, u32 line) { return view->s.scope_all || line_shown(view, line); }

u32 line_after(struct view *view, u32 line)
{
    u32 end = end_line(view);

    for (line++; line < end && !line_in_scope(view, line); line++)
        ;
    return line < end ? line : end;
}

u32 line_before(struct view *view, u32 line)
{
    u32 top = top_line(view);

    while (line > top && --line > top && !line_in_scope(view, line))
        ;
    return line;
}

void altered(struct view *view)
{
    view->file->alterations++;
    view->file->since_autosave++;
    view->file->acted = true;
}

int no_room(void)
{
    message("XSU", 557, 'S');
    return RC_STORAGE;
}

static u32 moved(u32 at, u32 line, int by) { return at >= line ? at + (u32)by : at; }

/* Lines from `line` on have become higher or lower ones. The view's own current line its subcommands look after. */
static void lines_moved(struct view *view, u32 line, int by)
{
    struct file *file = view->file;

    for (struct point *point = file->points; point != NULL; point = point->next)
        point->line = moved(point->line, line, by);
    pending_moved(file, line, by);
    if (editor->view->file == file)
        editor->key_shown.line = moved(editor->key_shown.line, line, by);
    for (u32 n = 0; n < editor->screens; n++)
        for (u32 row = 0;
             editor->logical[n].view != NULL && editor->logical[n].view->file == file && row < editor->logical[n].lines;
             row++) {
            struct shown *shown = &editor->logical[n].row[row];

            if (shown->kind == SHOW_LINE || shown->kind == SHOW_SHADOW)
                shown->line = moved(shown->line, line, by);
        }
    for (struct view *other = file->view; other != NULL; other = other->next) {
        struct settings_of_view *s = &other->s;

        if (other != view)
            other->current = moved(other->current, line, by);
        other->extended = moved(other->extended, line, by);
        other->structured = moved(other->structured, line, by);
        other->scale_line = moved(other->scale_line, line, by);
        other->tab_line = moved(other->tab_line, line, by);
        if (s->ranged) {
            s->range_first =
                s->range_first > line || (by < 0 && s->range_first == line) ? s->range_first + (u32)by : s->range_first;
            s->range_last = s->range_last + 1 >= line ? s->range_last + (u32)by : s->range_last;
        }
    }
}

/* A line as it is kept: without blanks at its end. */
static u32 kept_length(const char *from, u32 length)
{
    return length_of(from, length);
}

u32 add_line(struct view *view, u32 after, const char *from, u32 length)
{
    struct file *file = view->file;

    length = kept_length(from, length);
    if (!text_insert(&file->text, after, from, length, ROW_NEW | ROW_CHANGED, (u8)view->s.display_low)) {
        /* What RECOVER would bring back is worth less than what is typed. */
        text_free(&file->deleted);
        if (!text_insert(&file->text, after, from, length, ROW_NEW | ROW_CHANGED, (u8)view->s.display_low))
            return (u32)no_room();
    }
    file->levels = file->levels || view->s.display_low != 0;
    lines_moved(view, after + 1, 1);
    altered(view);
    return 0;
}

u32 set_line(struct view *view, u32 line, const char *from, u32 length)
{
    struct row *row = line_row(view, line);

    length = kept_length(from, length);
    if (row->length == length && memcmp(row->text, from, length) == 0)
        return 0;
    if (!text_replace(&view->file->text, line, from, length))
        return (u32)no_room();
    line_row(view, line)->flags |= ROW_CHANGED;
    altered(view);
    return 0;
}

/* How much of the text fits on a line; the rest goes to the next as SPILL says. */
static u32 fits(const struct view *view, const char *from, u32 length)
{
    u32 most = view->file->s.truncation, at;

    length = length_of(from, length);
    if (length <= most)
        return length;
    if (view->s.spill != SPILL_WORD || from[most] == ' ')
        return most;
    for (at = most; at > 0 && from[at - 1] != ' '; at--)
        ;
    return at > 0 ? at : most;
}

static int lost(struct view *view, bool spilled)
{
    (void)view;
    message("XSU", spilled ? 503 : 504, 'I', spilled ? "spilled" : "truncated");
    return XE_TRUNCATED;
}

/* What did not fit on the line `after`, in front of all that follows. */
static int spill(struct view *view, u32 *after, const char *from, u32 length)
{
    while (length > 0) {
        u32 n = fits(view, from, length);
        int code = (int)add_line(view, *after, from, n);

        if (code != 0)
            return code;
        ++*after;
        from += n;
        length -= n;
        while (view->s.spill == SPILL_WORD && length > 0 && *from == ' ')
            from++, length--;
    }
    return lost(view, true);
}

/* What is after the truncation column stays where it is: sequence numbers, as a rule. */
static u32 set_to_truncation(struct view *view, u32 line, const char *from, u32 length)
{
    const struct row *row = line_row(view, line);
    u32 most = view->file->s.truncation, all = row->length, code;
    char *whole;

    if (all <= most)
        return set_line(view, line, from, length);
    whole = obtain(all, OWNER_SYSTEM);
    if (whole == NULL)
        return (u32)no_room();
    memcpy(whole, from, length);
    memset(whole + length, ' ', most - length);
    memcpy(whole + most, row->text + most, all - most);
    code = set_line(view, line, whole, all);
    release(whole);
    return code;
}

int store_line(struct view *view, u32 line, char *from, u32 length)
{
    u32 n = fits(view, from, length);
    int code = (int)set_to_truncation(view, line, from, n);

    length = length_of(from, length);
    if (code != 0 || n == length)
        return code;
    if (view->s.spill == SPILL_OFF)
        return lost(view, false);
    while (view->s.spill == SPILL_WORD && n < length && from[n] == ' ')
        n++;
    return spill(view, &line, from + n, length - n);
}

/* A new line; `after` is the last one that was made then. */
int store_new(struct view *view, u32 *after, char *from, u32 length)
{
    u32 n = fits(view, from, length);
    int code = (int)add_line(view, *after, from, n);

    length = length_of(from, length);
    if (code != 0)
        return code;
    ++*after;
    if (n == length)
        return 0;
    if (view->s.spill == SPILL_OFF)
        return lost(view, false);
    while (view->s.spill == SPILL_WORD && n < length && from[n] == ' ')
        n++;
    return spill(view, after, from + n, length - n);
}

static void points_dropped(struct file *file, u32 line)
{
    for (struct point **at = &file->points; *at != NULL;) {
        struct point *point = *at;

        if (point->line != line) {
            at = &point->next;
            continue;
        }
        *at = point->next;
        release(point);
    }
}

void delete_lines(struct view *view, u32 first, u32 count, bool recover)
{
    struct file *file = view->file;

    for (u32 n = 0; n < count; n++) {
        struct row *row = line_row(view, first);

        if (recover && !text_insert(&file->deleted, file->deleted.lines, row->text, row->length, 0, row->level))
            recover = false;
        points_dropped(file, first);
        pending_dropped(file, first);
        text_delete(&file->text, first);
        lines_moved(view, first + 1, -1);
        altered(view);
    }
}

/* The line up to the truncation column, with blanks after it up to the greatest width; what is changed there is stored
 * by store_line(). */
char *line_copy(struct view *view, u32 line, u32 *length)
{
    struct row *row = line_row(view, line);
    u32 most = view->file->s.truncation, kept = row->length < most ? row->length : most;

    memcpy(editor->work, row->text, kept);
    memset(editor->work + kept, ' ', editor->work_room - kept);
    *length = length_of(editor->work, kept);
    return editor->work;
}

struct point *point_named(struct file *file, const char *text, u32 length)
{
    char wanted[POINT_MOST];

    pad(wanted, sizeof wanted, text, length);
    for (u32 n = 0; n < sizeof wanted; n++)
        wanted[n] = upper(wanted[n]);
    for (struct point *point = file->points; point != NULL; point = point->next)
        if (length <= sizeof wanted && memcmp(point->name, wanted, sizeof wanted) == 0)
            return point;
    return NULL;
}

struct point *point_at(struct file *file, u32 line)
{
    struct point *point = file->points;

    while (point != NULL && point->line != line)
        point = point->next;
    return point;
}

bool point_add(struct file *file, u32 line, const char *text, u32 length)
{
    struct point *point = point_named(file, text, length);

    if (point == NULL) {
        point = obtain(sizeof *point, OWNER_SYSTEM);
        if (point == NULL)
            return false;
        pad(point->name, sizeof point->name, text, length);
        for (u32 n = 0; n < sizeof point->name; n++)
            point->name[n] = upper(point->name[n]);
        point->next = file->points;
        file->points = point;
    }
    point->line = line;
    return true;
}

void point_drop(struct file *file, const char *text, u32 length)
{
    struct point *point = point_named(file, text, length), **at = &file->points;

    if (point == NULL)
        return;
    while (*at != point)
        at = &(*at)->next;
    *at = point->next;
    release(point);
}
