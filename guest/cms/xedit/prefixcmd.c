/* Prefix subcommands that need no other: each is a row of the table. */
#include "xedit.h"

/* A current line that has gone, or is not displayed any more, leaves its place to the next that is. */
void prefix_settle(struct view *view)
{
    while (is_line(view, view->current) && !line_shown(view, view->current))
        view->current++;
}

/* Lines that a prefix subcommand deletes; the current line stays the same line if it can. */
void prefix_delete(struct view *view, u32 first, u32 count)
{
    if (first + count - 1 > last_line(view))
        count = last_line(view) + 1 - first;
    delete_lines(view, first, count, true);
    if (view->current >= first + count) {
        view->current -= count;
    } else if (view->current >= first) {
        view->current = first;
        prefix_settle(view);
    }
}

/* Excluded lines have a level of selection that is not displayed. */
void prefix_exclude(struct view *view, u32 first, u32 last)
{
    if (last > last_line(view))
        last = last_line(view);
    for (u32 line = first; line <= last; line++) {
        struct row *row = line_row(view, line);

        row->level = (u8)(view->s.display_high < LEVEL_MOST ? view->s.display_high + 1 : LEVEL_MOST);
    }
    view->file->levels = true;
    if (view->current >= first && view->current <= last)
        prefix_settle(view);
}

static void add(struct view *view, struct pending *pending)
{
    u32 count = pending->count > 0 ? pending->count : 1, line = pending->line, code = 0;
    char text[48];

    for (u32 n = 0; n < count && code == 0; n++)
        code = add_line(view, line, view->s.mask, view->s.mask_length);
    if (view->current > line)
        view->current += count;
    execute(text, format(text, sizeof text, "CURSOR FILE %u 1 PRIORITY 60", line + 1));
}

/* Structured input: a line after this one, with the cursor under its first character; each that is typed brings
 * another. */
void structured_line(struct view *view, u32 line)
{
    char text[48];
    u32 indent = 0;

    if (is_line(view, line)) {
        struct row *row = line_row(view, line);

        while (indent < row->length && row->text[indent] == ' ')
            indent++;
    }
    if (add_line(view, line, view->s.mask, view->s.mask_length) != 0)
        return;
    if (view->current > line)
        view->current++;
    view->structured = line + 1;
    execute(text, format(text, sizeof text, "CURSOR FILE %u %u PRIORITY 60", line + 1, indent + 1));
}

/* After a transaction: the line that was typed is followed by another, an empty one is the end. */
void structured_next(struct view *view)
{
    u32 line = view->structured;

    if (line == 0)
        return;
    view->structured = 0;
    editor->stale = true;
    if (!is_line(view, line))
        return;
    if (line_row(view, line)->length > 0)
        structured_line(view, line);
    else
        prefix_delete(view, line, 1);
}

static void structured(struct view *view, struct pending *pending) { structured_line(view, pending->line); }

int si_subcommand(struct view *view, struct words *words)
{
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    if (editor->typewriter) {
        message("XSI", 529, 'E');
        return XE_TRUNCATED;
    }
    structured_line(view, view->current >= end_line(view) ? last_line(view) : view->current);
    return 0;
}

static void delete(struct view *view, struct pending *pending)
{
    prefix_delete(view, pending->line, pending->count > 0 ? pending->count : 1);
}

static void duplicate(struct view *view, struct pending *pending)
{
    u32 count = pending->count > 0 ? pending->count : 1, made, code = 0;

    for (u32 n = 0; n < count && code == 0; n++) {
        code = copy_lines(view, pending->line, pending->line, pending->line, &made);
        view->current += view->current > pending->line ? made : 0;
    }
}

static void exclude(struct view *view, struct pending *pending)
{
    prefix_exclude(view, pending->line, pending->line + (pending->count > 0 ? pending->count - 1 : 0));
}

/* Lines of a shadow line are displayed again: all, the first n or the last n. */
static void show(struct view *view, struct pending *pending)
{
    u32 first = pending->line, count = pending->hidden, wanted = pending->count > 0 ? pending->count : 1;

    if (count == 0)
        return;
    if (pending->sign == '*' || wanted > count || (pending->count == 0 && pending->sign == 0))
        wanted = count;
    if (pending->sign == '-')
        first += count - wanted;
    for (u32 n = 0; n < wanted; n++)
        line_row(view, first + n)->level = (u8)view->s.display_low;
}

static void shift(struct view *view, struct pending *pending)
{
    (void)shift_lines(view, pending->line, pending->line, pending->name[0] == '>',
                      pending->count > 0 ? pending->count : 1);
}

static void extend(struct view *view, struct pending *pending)
{
    view->extended = view->extended == pending->line ? 0 : pending->line;
}

static void scale(struct view *view, struct pending *pending)
{
    view->scale_line = view->scale_line == pending->line ? 0 : pending->line;
}

static void tabline(struct view *view, struct pending *pending)
{
    view->tab_line = view->tab_line == pending->line ? 0 : pending->line;
}

static const struct { const char *name; void (*perform)(struct view *view, struct pending *pending);
} table[] = {
    {"A", add},  {"I", add},   {"SI", structured}, {"D", delete}, {"\"", duplicate}, {"X", exclude},
    {"S", show}, {">", shift}, {"<", shift},       {"E", extend}, {"SCALE", scale},  {"TABL", tabline},
};

bool prefix_run(struct view *view, struct pending *pending)
{
    if (pending->name[0] == '.') {
        if (!point_add(view->file, pending->line, pending->name, length_of(pending->name, sizeof pending->name)))
            (void)no_room();
        return true;
    }
    for (u32 n = 0; n < COUNT_OF(table); n++)
        if (is(pending->name, table[n].name)) {
            table[n].perform(view, pending);
            return true;
        }
    return false;
}
