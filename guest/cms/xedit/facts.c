/* What QUERY and EXTRACT tell and SET does not set. */
#include "xedit.h"

void action_values(struct view *view, struct asked *asked) { give_switch(asked, view->file->acted); }
void column_values(struct view *view, struct asked *asked) { give(asked, "%u", view->column); }
void size_values(struct view *view, struct asked *asked) { give(asked, "%u", size_of(view)); }
void line_values(struct view *view, struct asked *asked) { give(asked, "%u", view->current); }
void width_values(struct view *view, struct asked *asked) { give(asked, "%u", view->file->s.width); }
void inpmode_values(struct view *view, struct asked *asked) { give_switch(asked, view->input); }
void tof_values(struct view *view, struct asked *asked) { give_switch(asked, view->current == top_line(view)); }
void eof_values(struct view *view, struct asked *asked) { give_switch(asked, view->current == end_line(view)); }
void tol_values(struct view *view, struct asked *asked) { give_switch(asked, view->column < view->s.zone_left); }
void eol_values(struct view *view, struct asked *asked) { give_switch(asked, view->column > view->s.zone_right); }
void vershift_values(struct view *view, struct asked *asked) { give(asked, "%d", view->s.shift); }

void length_values(struct view *view, struct asked *asked)
{
    give(asked, "%u", is_line(view, view->current) ? line_row(view, view->current)->length : 0);
}

void lastmsg_values(struct view *view, struct asked *asked)
{
    (void)view;
    give_text(asked, editor->lastmsg, editor->lastmsg_length);
}

void nbfile_values(struct view *view, struct asked *asked)
{
    (void)view;
    give(asked, "%u", editor->files);
}

/* The lines in scope, and the current one among them. */
void nbscope_values(struct view *view, struct asked *asked)
{
    u32 all = 0, here = 0;

    for (u32 line = first_line(view); line <= last_line(view); line++) {
        all += line_in_scope(view, line);
        here += line <= view->current && line_in_scope(view, line);
    }
    give(asked, "%u", all);
    give(asked, "%u", here);
}

void ring_values(struct view *view, struct asked *asked)
{
    struct file *file = view->file;
    char line[COMMAND_MOST];

    asked->list = true;
    give(asked, "%u", editor->files);
    for (u32 n = 0; n < editor->files; n++, file = file->next)
        give_text(asked, line, id_line(file->view, line, sizeof line));
}

void target_values(struct view *view, struct asked *asked)
{
    give(asked, "%u", view->found_line);
    give(asked, "%u", view->found_from);
    give(asked, "%u", view->found_line);
    give(asked, "%u", view->found_to);
}

/* The first and the last line of the file that the screen shows. */
void flscreen_values(struct view *view, struct asked *asked)
{
    struct logical *logical = &editor->logical[editor->active];
    u32 first = 0, last = 0;

    if (!editor->typewriter) {
        lay_out(logical);
        for (u32 n = 0; n < logical->lines; n++)
            if (logical->row[n].kind == SHOW_LINE && is_line(view, logical->row[n].line)) {
                last = logical->row[n].line;
                first = first == 0 ? last : first;
            }
    }
    give(asked, "%u", first);
    give(asked, "%u", last);
}

void lscreen_values(struct view *view, struct asked *asked)
{
    const struct logical *logical = &editor->logical[editor->active];

    (void)view;
    give(asked, "%u", logical->lines);
    give(asked, "%u", logical->width);
    give(asked, "%u", logical->top + 1);
    give(asked, "%u", logical->left + 1);
    give(asked, "%u", editor->typewriter ? 24 : editor->display.rows);
    give(asked, "%u", editor->typewriter ? 80 : editor->display.columns);
}

/* Row and column of the screen, line and column of the file (-1: not in the file): now, and when the key was pressed.
 */
void cursor_values(struct view *view, struct asked *asked)
{
    const struct logical *logical = &editor->logical[editor->active];
    u32 line, column;

    for (u32 n = 0; n < 2; n++) {
        bool moved = n == 0 && editor->cursor_row != 0;
        u32 row = moved ? editor->cursor_row : editor->key_row;
        u32 at = moved ? editor->cursor_column : editor->key_column;
        bool there = n == 0 ? place_in_file(view, row, at, &line, &column) : cursor_in_file(view, &line, &column);

        give(asked, "%d", (int)(row - logical->top));
        give(asked, "%d", (int)(at - logical->left));
        give(asked, "%d", there ? (int)line : -1);
        give(asked, "%d", there ? (int)column : -1);
    }
    give(asked, "%u", editor->cursor_priority);
}

/* Where the lines are from: of a member, its library; the effective name of any other file is its name. */
void member_values(struct view *view, struct asked *asked)
{
    give(asked, view->file->library.fn[0] != 0 ? "%t" : "", view->file->member);
}

void libname_values(struct view *view, struct asked *asked)
{
    give(asked, view->file->library.fn[0] != 0 ? "%t" : "", view->file->library.fn);
}

void libtype_values(struct view *view, struct asked *asked)
{
    give(asked, view->file->library.fn[0] != 0 ? "%t" : "", view->file->library.ft);
}

void efname_values(struct view *view, struct asked *asked) { give(asked, "%t", view->file->s.id.fn); }
void eftype_values(struct view *view, struct asked *asked) { give(asked, "%t", view->file->s.id.ft); }
void efmode_values(struct view *view, struct asked *asked)
{
    give(asked, "%c%c", view->file->s.id.fm[0], view->file->s.id.fm[1]);
}

/* Files of minidisks are in no directory of a file pool, and not locked. */
void edirname_values(struct view *view, struct asked *asked)
{
    (void)view;
    give(asked, "");
}

void uniqueid_values(struct view *view, struct asked *asked) { edirname_values(view, asked); }

void lock_values(struct view *view, struct asked *asked)
{
    (void)view;
    give_switch(asked, false);
}

/* The editor has the whole display, no window of it. */
void window_values(struct view *view, struct asked *asked)
{
    (void)view;
    give(asked, editor->typewriter ? "" : "XEDIT");
}
