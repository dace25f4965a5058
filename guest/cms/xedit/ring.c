/* The ring of files, their views, and the session: XEDIT as a command and as a subcommand. */
#include "xedit.h"

struct editor *editor;

/* Two lines side by side, for what works on one. */
bool work_lines(u32 width)
{
    u32 room = (width > 256 ? width : 256) + COMMAND_MOST + 8;
    char *work;

    if (room <= editor->work_room)
        return true;
    work = obtain((size_t)room * 2, OWNER_SYSTEM);
    if (work == NULL)
        return false;
    release(editor->work);
    editor->work = work;
    editor->other = work + room;
    editor->work_room = room;
    return true;
}

/* What a view begins with, until the filetype says more. */
static void usual_view(struct view *view)
{
    struct settings_of_view *s = &view->s;

    s->arbchar = '$';
    s->filler = ' ';
    s->stream = s->shadow = s->tofeof = s->impcmscp = s->colptr = s->span_blank = s->messages = s->message_long =
        s->verify = true;
    s->scale = s->message_line = true;
    s->prefix = PREFIX_ON;
    s->cmdline = LINE_ON;
    s->span_lines = 2;
    s->display_high = 0;
    s->curline = (struct position){ true, 0 };
    s->scale_at = (struct position){ true, 1 };
    s->tabline_at = (struct position){ false, -3 };
    s->message_at = (struct position){ false, 2 };
    s->message_rows = 2;
    s->image = IMAGE_ON;
    view->column = 1;
}

static struct view *new_view(struct file *file)
{
    struct view *view = obtain(sizeof *view, OWNER_SYSTEM), **at = &file->view;

    if (view == NULL)
        return NULL;
    memset(view, 0, sizeof *view);
    view->file = file;
    usual_view(view);
    while (*at != NULL)
        at = &(*at)->next;
    *at = view;
    return view;
}

static void drop_view(struct view *view)
{
    while (view->reserved != NULL) {
        struct reserved *reserved = view->reserved;

        view->reserved = reserved->next;
        release(reserved);
    }
    release(view->preserved);
    release(view);
}

static void drop_views(struct file *file)
{
    while (file->view != NULL) {
        struct view *view = file->view;

        file->view = view->next;
        drop_view(view);
    }
}

static bool has_screen(const struct view *view)
{
    for (u32 n = 0; n < editor->screens; n++)
        if (editor->logical[n].view == view)
            return true;
    return false;
}

/* Another view of the file, as this one is. */
static struct view *view_like(struct view *like)
{
    struct view *view = new_view(like->file);

    if (view == NULL)
        return NULL;
    view->s = like->s;
    view->current = like->current;
    view->column = like->column;
    return view;
}

/* These logical screens, which show the files of the ring in turn; a file that is shown twice has two views. */
bool screens_split(u32 count, const struct logical *part)
{
    struct view *first = editor->view, *view[SCREENS_MOST];
    struct file *file = editor->ring;

    view[0] = first;
    for (u32 n = 1; n < count; n++) {
        file = file->next;
        view[n] = n < editor->files ? file->view : view_like(file == first->file ? first : file->view);
        if (view[n] == NULL)
            return false;
    }
    if (!screens_define(count, part))
        return false;
    for (u32 n = 0; n < count; n++)
        editor->logical[n].view = view[n];
    editor->display.whole = true;
    /* Views that no screen shows any more; each file keeps its first one. */
    for (u32 n = 0; n < editor->files; n++, file = file->next)
        for (struct view **at = &file->view->next; *at != NULL;) {
            struct view *other = *at;

            if (has_screen(other) || other == first) {
                at = &other->next;
                continue;
            }
            *at = other->next;
            drop_view(other);
        }
    return true;
}

void make_current(struct file *file)
{
    editor->ring = file;
    editor->view = file->view;
    if (editor->screens > 0 && editor->logical[editor->active].row != NULL)
        editor->logical[editor->active].view = file->view;
}

/* A file of that name, after the current one; it becomes the current one. NULL: no storage. */
struct file *new_file_in_ring(const struct fileid *id)
{
    struct file *file = obtain(sizeof *file, OWNER_SYSTEM);

    if (file == NULL)
        return NULL;
    memset(file, 0, sizeof *file);
    file->s.id = *id;
    if (new_view(file) == NULL) {
        release(file);
        return NULL;
    }
    keys_begin(&file->keys);
    file->next = file->before = file;
    if (editor->ring != NULL) {
        file->before = editor->ring;
        file->next = editor->ring->next;
        file->next->before = file;
        editor->ring->next = file;
    }
    editor->files++;
    make_current(file);
    return file;
}

bool file_in_ring(const struct file *wanted)
{
    const struct file *file = editor->ring;

    for (u32 n = 0; n < editor->files; n++, file = file->next)
        if (file == wanted)
            return true;
    return false;
}

static void free_file(struct file *file)
{
    text_free(&file->text);
    text_free(&file->deleted);
    text_free(&file->update.base);
    pending_clear(file);
    while (file->points != NULL) {
        struct point *point = file->points;

        file->points = point->next;
        release(point);
    }
    drop_views(file);
    release(file->list);
    keys_end(&file->keys);
    release(file);
}

/* The file leaves the ring; the one before it becomes the current one. With the last one the session is over. */
void leave_file(struct file *file)
{
    struct file *before = file->before;
    struct view *gone = file->view;

    autosave_gone(file);
    file->before->next = file->next;
    file->next->before = file->before;
    editor->files--;
    if (editor->files == 0) {
        editor->over = true;
        editor->ring = NULL;
        editor->view = NULL;
    } else {
        if (editor->ring == file)
            make_current(before);
        for (u32 n = 0; n < editor->screens; n++)
            for (struct view *view = gone; view != NULL; view = view->next)
                if (editor->logical[n].view == view)
                    editor->logical[n].view = editor->view;
    }
    free_file(file);
}

static void forget_synonyms(struct synonym *synonym)
{
    while (synonym != NULL) {
        struct synonym *next = synonym->next;

        release(synonym);
        synonym = next;
    }
}

/* Everything goes: at the end, and after an abend. */
void xedit_forget(void)
{
    if (editor == NULL)
        return;
    for (u32 n = editor->files; n > 0; n--) {
        struct file *file = editor->ring;

        editor->ring = file->next;
        free_file(file);
    }
    put_forget();
    notes_clear();
    forget_synonyms(editor->synonyms);
    forget_synonyms(editor->prefixes);
    for (u32 n = 0; n < SCREENS_MOST; n++)
        release(editor->logical[n].row);
    display_end(&editor->display);
    release(editor->work);
    release(editor);
    editor = NULL;
}

static bool begin_session(void)
{
    editor = obtain(sizeof *editor, OWNER_SYSTEM);
    if (editor == NULL)
        return false;
    memset(editor, 0, sizeof *editor);
    editor->linend_on = editor->synonyms_on = editor->stale = true;
    editor->linend = '#';
    editor->nondisplay = '"';
    editor->escape = '/';
    editor->remote = settings.remote;
    editor->full_read = settings.fullread;
    editor->break_on = true;
    memcpy(editor->break_key, "PA1     ", sizeof editor->break_key);
    for (u32 n = 0; n < AREAS; n++)
        editor->looks[n].high =
            n != AREA_CMDLINE && n != AREA_FILEAREA && n != AREA_PREFIX && n != AREA_SHADOW && n != AREA_TOFEOF;
    if (work_lines(256))
        return true;
    xedit_forget();
    return false;
}

/* Lines that a program has stacked are the first subcommands. */
static void stacked_first(void)
{
    char line[256];
    u32 length;

    while (!editor->over && unstack_line(line, &length))
        (void)execute_line(line, length);
}

/* The session is there, without a file yet. False: no storage. */
bool session_begin(void)
{
    if (!begin_session())
        return false;
    editor->typewriter = !display_begin(&editor->display);
    if (screens_define(1, NULL)) {
        notes_begin();
        return true;
    }
    xedit_forget();
    return false;
}

/* Until the last file is left; without one, there is no screen that shows why. */
void session_run(void)
{
    if (!editor->over && editor->files > 0)
        stacked_first();
    notes_end();
    if (!editor->over && editor->files > 0) {
        while (!editor->over)
            if (editor->typewriter)
                typewriter_session();
            else
                transactions();
    } else {
        for (const struct note *note = editor->notes; note != NULL; note = note->next)
            type_line(note->text, note->length);
    }
    xedit_forget();
}

int xedit_subcommand(struct view *view, struct words *words)
{
    (void)view;
    if (words_left(words))
        return open_file(words);
    make_current(editor->ring->next);
    return 0;
}
