/* Lines of a file in the ring for the stage XEDIT of pipelines: read from the current line on, or added there. */
#include "ringfile.h"
#include "xedit.h"

static u32 sessions;

static struct file *file_of(const struct fileid *id)
{
    struct file *file = editor->ring;

    if (id->fn[0] == ' ')
        return file;
    for (u32 n = 0; n < editor->files; n++, file = file->next)
        if (memcmp(file->s.id.fn, id->fn, sizeof(name)) == 0 &&
            (id->ft[0] == ' ' || memcmp(file->s.id.ft, id->ft, sizeof(name)) == 0) &&
            (id->fm[0] == ' ' || file->s.id.fm[0] == id->fm[0]))
            return file;
    return NULL;
}

bool ring_file_find(const struct fileid *id, struct ring_file *file)
{
    struct file *found = editor != NULL && editor->files > 0 ? file_of(id) : NULL;

    if (found == NULL || !found->loaded)
        return false;
    if (editor->session == 0)
        editor->session = ++sessions;
    *file = (struct ring_file){ found == editor->ring ? editor->view : found->view, editor->session };
    return true;
}

/* The view, if it is there still: between two records anything may have happened. */
static struct view *view_of(const struct ring_file *place)
{
    struct file *file = editor != NULL && editor->session == place->serial ? editor->ring : NULL;

    for (u32 n = 0; file != NULL && n < editor->files; n++, file = file->next)
        for (struct view *view = file->view; view != NULL; view = view->next)
            if (view == place->view)
                return view;
    return NULL;
}

bool ring_file_next(struct ring_file *place, const char **text, u32 *length)
{
    struct view *view = view_of(place);
    struct row *row;

    if (view == NULL)
        return false;
    view->current = line_after(view, view->current);
    if (!is_line(view, view->current))
        return false;
    row = line_row(view, view->current);
    *text = row->text;
    *length = row->length;
    return true;
}

int ring_file_add(struct ring_file *place, const char *text, u32 length)
{
    struct view *view = view_of(place);
    u32 most, code;

    if (view == NULL)
        return XE_OVER;
    most = view->file->s.truncation;
    if (view->current >= end_line(view))
        view->current = last_line(view);
    code = add_line(view, view->current, text, length < most ? length : most);
    view->current += code == 0;
    return (int)code;
}
