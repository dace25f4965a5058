/* Lists: how they are opened, read anew and sorted (list.h). */
#include "list.h"

bool list_row(struct list_maker *maker, const char *made, u32 length, const char *extra)
{
    struct list_row row;

    memset(&row, ' ', sizeof row);
    memcpy(row.made, made, length < ROW_SHOWN ? length : ROW_SHOWN);
    memcpy(row.now, row.made, ROW_SHOWN);
    if (extra != NULL)
        memcpy(row.extra, extra, ROW_EXTRA);
    maker->full = maker->full || !text_append(&maker->text, row.now, sizeof row);
    return !maker->full;
}

void list_row_at(struct view *view, u32 line, struct list_row *to)
{
    const struct row *row = line_row(view, line);
    u32 length = row->length < sizeof *to ? row->length : sizeof *to;

    memcpy(to->now, row->text, length);
    memset(to->now + length, ' ', sizeof *to - length);
}

void list_row_set(struct view *view, u32 line, const struct list_row *row)
{
    (void)set_line(view, line, row->now, sizeof *row);
}

static int no_space(const struct list_kind *kind)
{
    message(kind->module, 109, 'S');
    return RC_STORAGE;
}

/* The rows of the parts from `first` on. */
static int fill(struct list_maker *maker, const struct list *list, u32 first)
{
    int code = 0;

    memset(maker, 0, sizeof *maker);
    for (u32 n = first; n < list->parts && code == 0 && !maker->full; n++) {
        code = list->kind->fill(maker, list, &list->part[n]);
        /* What one part does not have another may. */
        if (code == RC_MISSING && maker->text.lines > 0)
            code = 0;
    }
    if (maker->full)
        code = no_space(list->kind);
    if (code != 0)
        text_free(&maker->text);
    return code;
}

/* Rows in the order that SORT makes by these operands; the list has not changed by that. */
static int sort_rows(struct view *view, const char *columns)
{
    char line[COMMAND_MOST];
    u32 alterations = view->file->alterations, since = view->file->since_autosave;
    int code = 0;

    view->current = 1;
    if (size_of(view) > 1)
        code = execute_command(line, format(line, sizeof line, "SORT * %s", columns));
    view->current = size_of(view) > 0;
    view->file->alterations = alterations;
    view->file->since_autosave = since;
    return code;
}

static const char *order_of(const struct list_kind *kind, const char *called)
{
    for (u32 n = 0; n < kind->order_count; n++)
        if (strcmp(kind->orders[n].name, called) == 0)
            return kind->orders[n].columns;
    return NULL;
}

static int sort_by(struct view *view, struct words *words, const char *called)
{
    const struct list *list = view->file->list;
    const char *columns = list != NULL ? order_of(list->kind, called) : NULL;

    if (columns == NULL) {
        message("XSU", 542, 'E', called);
        return XE_UNKNOWN;
    }
    return no_words_left(words) != 0 ? XE_OPERAND : sort_rows(view, columns);
}

int sname_subcommand(struct view *view, struct words *words) { return sort_by(view, words, "SNAME"); }
int stype_subcommand(struct view *view, struct words *words) { return sort_by(view, words, "STYPE"); }
int smode_subcommand(struct view *view, struct words *words) { return sort_by(view, words, "SMODE"); }
int srecf_subcommand(struct view *view, struct words *words) { return sort_by(view, words, "SRECF"); }
int slrec_subcommand(struct view *view, struct words *words) { return sort_by(view, words, "SLREC"); }
int srec_subcommand(struct view *view, struct words *words) { return sort_by(view, words, "SREC"); }
int ssize_subcommand(struct view *view, struct words *words) { return sort_by(view, words, "SSIZE"); }
int sdate_subcommand(struct view *view, struct words *words) { return sort_by(view, words, "SDATE"); }
int sdir_subcommand(struct view *view, struct words *words) { return sort_by(view, words, "SDIR"); }
int sclass_subcommand(struct view *view, struct words *words) { return sort_by(view, words, "SCLASS"); }
int suser_subcommand(struct view *view, struct words *words) { return sort_by(view, words, "SUSER"); }
int snode_subcommand(struct view *view, struct words *words) { return sort_by(view, words, "SNODE"); }
int sindex_subcommand(struct view *view, struct words *words) { return sort_by(view, words, "SINDEX"); }

static int first_order(struct view *view)
{
    const struct list_kind *kind = view->file->list->kind;
    const char *columns = kind->usual != NULL ? order_of(kind, kind->usual) : NULL;

    if (columns != NULL)
        return sort_rows(view, columns);
    view->current = size_of(view) > 0;
    return 0;
}

/* The list as it is now; marks go. What is there no more leaves an empty list. */
int list_refresh(struct view *view)
{
    struct file *file = view->file;
    struct list_maker maker;
    int code = fill(&maker, file->list, 0);

    if (code != 0 && code != RC_MISSING)
        return code;
    text_free(&file->text);
    file->text = maker.text;
    file->list->until = 0;
    file->alterations = file->since_autosave = 0;
    return first_order(view);
}

/* The profile may have left the file. */
static int profile_of(struct file *file, const name profile)
{
    const struct fileid *id = &file->s.id;
    bool found = false;
    char text[32];

    u32 length = format(text, sizeof text, "%t %t %l", id->fn, id->ft, id->fm, 2);

    (void)run_macro(profile, name_length(profile), text, length, &found);
    if (found || editor == NULL || editor->over || !file_in_ring(file))
        return 0;
    format(text, sizeof text, "%t XEDIT", profile);
    message("XIN", 2, 'E', text);
    leave_file(file);
    return RC_MISSING;
}

static void forget_made(struct made_file *made)
{
    text_free(&made->text);
    release(made->list);
}

static int add_made(struct made_file *made)
{
    struct file *file = editor->files < FILES_MOST && work_lines(made->lrecl) ? new_file_in_ring(&made->id) : NULL;
    struct view *view;
    int code;

    if (file == NULL) {
        forget_made(made);
        return no_room();
    }
    view = file->view;
    file->text = made->text;
    file->list = made->list;
    file->loaded = file->fresh = true;
    file->browsed = made->browsed;
    memcpy(file->peeked, made->peeked, sizeof file->peeked);
    file->s.recfm = made->recfm;
    file->s.lrecl = file->s.width = made->lrecl;
    defaults_of(file, view);
    file->s.truncation = view->s.zone_right = made->lrecl;
    view->s.uppercase = false;
    view->s.range_last = size_of(view);
    if (editor->files == 1 && !editor->typewriter)
        clear_screen();
    code = profile_of(file, made->profile);
    if (code != 0 || editor == NULL || editor->over || !file_in_ring(file))
        return code;
    if (made->about_length > 0)
        note_text(made->about, made->about_length);
    return file->list != NULL && editor->ring == file ? first_order(view) : 0;
}

int open_made(struct made_file *made)
{
    struct capture *outer = capturing();
    int code;

    /* What it says is seen on the editor's screen. */
    if (editor != NULL) {
        notes_begin();
        code = add_made(made);
        if (editor != NULL)
            notes_end();
        return code;
    }
    if (!session_begin()) {
        forget_made(made);
        message("XIN", 554, 'E');
        return RC_STORAGE;
    }
    code = add_made(made);
    session_run();
    capture_end(outer);
    return code;
}

/* APPEND: the rows come after those that are there, in the list that is the current file. */
static int append(const struct list_kind *kind, const struct fileid *part, bool of_file)
{
    struct view *view = editor != NULL ? editor->view : NULL;
    struct list *list = view != NULL ? view->file->list : NULL;
    struct list_maker maker;
    u32 size;
    int code;

    if (list == NULL || list->kind != kind || list->parts == PARTS_MOST) {
        message(kind->module, 651, 'E', kind->command);
        return 40;
    }
    list->part[list->parts] = *part;
    list->of_file[list->parts++] = of_file;
    code = fill(&maker, list, list->parts - 1);
    if (code != 0) {
        list->parts--;
        return code;
    }
    size = size_of(view);
    for (u32 n = 1; n <= maker.text.lines && code == 0; n++) {
        const struct row *row = text_row(&maker.text, n);

        code = (int)add_line(view, size + n - 1, row->text, row->length);
    }
    text_free(&maker.text);
    return code;
}

int list_open(const struct list_kind *kind, const struct fileid *part, bool of_file, const struct list_options *how)
{
    struct made_file made = { .id = { .fm = { 'A', '0' } }, .recfm = 'V', .lrecl = ROW_ALL };
    struct list_maker maker;
    struct list *list;
    int code;

    if (how->append)
        return append(kind, part, of_file);
    list = obtain(sizeof *list, OWNER_SYSTEM);
    if (list == NULL)
        return no_space(kind);
    memset(list, 0, sizeof *list);
    list->kind = kind;
    list->part[0] = *part;
    list->of_file[0] = of_file;
    list->parts = 1;
    code = fill(&maker, list, 0);
    if (code != 0) {
        release(list);
        return code;
    }
    identification(made.id.fn);
    pad(made.id.ft, sizeof(name), kind->type, (u32)strlen(kind->type));
    if (how->profile[0] == ' ')
        pad(made.profile, sizeof(name), kind->profile, (u32)strlen(kind->profile));
    else
        memcpy(made.profile, how->profile, sizeof(name));
    made.list = list;
    made.text = maker.text;
    return open_made(&made);
}
