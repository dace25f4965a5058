/*
 * XEDIT at a terminal that has lines: what the user types is a subcommand, and the current line is typed when it is
 * another one or has changed.
 */
#include "xedit.h"

static void type_current(struct view *view)
{
    u32 length, at;

    if (!view->s.verify)
        return;
    if (!is_line(view, view->current)) {
        type(view->current == top_line(view) ? "TOF:" : "EOF:");
        return;
    }
    length = length_of(editor->work, line_image(view, line_row(view, view->current), editor->work, editor->work_room));
    at = image_place(view, view->column);
    /* The column pointer, where it has been moved. */
    if (view->s.colptr && view->column > 1 && at < length) {
        memmove(editor->work + at + 1, editor->work + at, length - at);
        editor->work[at] = '_';
        length++;
    }
    type_line(editor->work, length);
}

/* Lines until an empty one are added after the current line. */
static void input_lines(struct view *view)
{
    char line[256];
    u32 length;

    type("Input mode:");
    for (;;) {
        read_console(line, &length);
        if (length == 0)
            break;
        notes_begin();
        /* SET ESCAPE: a subcommand, and input mode goes on. */
        if (editor->escapes && *line == editor->escape) {
            (void)execute_line(line + 1, length - 1);
            if (editor->over || !editor->typewriter || editor->view != view || !view->input)
                return;
            notes_end();
            continue;
        }
        length = typed_text(view, editor->work, line, length);
        (void)store_new(view, &view->current, editor->work, length);
        notes_end();
    }
    view->input = false;
    message("XIP", 587, 'I');
}

void typewriter_session(void)
{
    char line[256];
    u32 length;

    message("XIP", 587, 'I');
    while (!editor->over && editor->typewriter) {
        struct view *view = editor->view;
        u32 current = view->current, alterations = view->file->alterations;

        if (view->input) {
            input_lines(view);
            notes_end();
            continue;
        }
        length = read_line(line);
        editor->typed = false;
        notes_begin();
        (void)execute_line(line, length);
        if (!editor->over)
            autosave(editor->view);
        notes_end();
        if (editor->over)
            break;
        if (editor->view != view)
            continue;
        if (!editor->typed && !view->input && (view->current != current || view->file->alterations != alterations))
            type_current(view);
    }
}
