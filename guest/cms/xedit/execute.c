/*
 * EXECUTE: commands that are typed over the rows of a list, performed from the top of the list to its bottom (list.h).
 *
 * A row's command is what was typed over it, up to the last character that is another one than before. It is a command
 * of CMS. What it types goes to the message area if it is one line; more is typed on the screen. A command that makes
 * another file the current one interrupts EXECUTE, which goes on with the next row when the list is current again.
 */
#include "list.h"

/* The first line that a command types is held until it is known whether there are more. */
struct held { struct capture capture; bool any, typed; u32 length; char line[COMMAND_MOST]; };

static void let_go(struct held *held)
{
    struct capture *here = capturing();

    capture_end(held->capture.outer);
    if (held->any && !held->typed)
        type_line(held->line, held->length);
    capture_end(here);
    held->typed = true;
}

static void held_line(struct capture *capture, const char *text, u32 length)
{
    struct held *held = (struct held *)capture;
    struct capture *here = capturing();

    if (!held->any) {
        held->any = true;
        held->length = length < sizeof held->line ? length : sizeof held->line;
        memcpy(held->line, text, held->length);
        return;
    }
    let_go(held);
    capture_end(held->capture.outer);
    type_line(text, length);
    capture_end(here);
}

/* Who is asked something shall see what was said before. */
static void held_reading(struct capture *capture) { let_go((struct held *)capture); }

/* A command of CMS, while the editor is there. */
static int run_row(const char *text, u32 length)
{
    struct held held = { .capture = { .line = held_line, .reading = held_reading } };
    struct editor *before = editor;
    struct capture *outer;
    void *mark = exec_running() == NULL ? obtain(1, OWNER_COMMAND) : NULL;
    bool noting = notes_pause();
    int code;

    outer = capturing();
    capture_begin(&held.capture);
    code = perform(text, length, CALL_TYPED);
    capture_end(outer);
    /* As at the end of any command that was typed. */
    if (mark != NULL) {
        (void)files_finish_all();
        release_storage_since(mark);
    }
    if (editor != before)
        return code;
    notes_resume(noting);
    if (held.any && !held.typed)
        note_text(held.line, held.length);
    if (code == NOT_FOUND && command_unknown) {
        char shown[64];

        format(shown, sizeof shown, "%l", text, length < 60 ? length : 60);
        message("WEX", 653, 'E', shown, code);
    }
    return code;
}

struct made { char text[COMMAND_MOST]; u32 length; bool full; };

static void add(struct made *made, const char *text, u32 length)
{
    made->full = made->full || length > sizeof made->text - made->length;
    if (made->full)
        return;
    memcpy(made->text + made->length, text, length);
    made->length += length;
}

static void add_symbol(struct made *made, const struct list *list, const struct list_row *row, char letter)
{
    char text[ROW_SHOWN];

    add(made, text, list->kind->symbol(list, row, letter, text, sizeof text));
}

/* How many letters of symbols follow the stroke; -1: it begins no symbol. */
static int symbol_letters(const struct list *list, const char *at, const char *end)
{
    int n = 0;

    while (at + n < end && *at != ' ') {
        char c = upper(at[n]);

        if (c != 'O' && memchr(list->kind->letters, c, strlen(list->kind->letters)) == NULL)
            break;
        n++;
    }
    return at + n < end && (is_digit(at[n]) || !is_special(at[n])) && at[n] != ' ' ? -1 : n;
}

/* Symbols stand for what the row is about; without any, that comes after the command. False: it is too long. */
static bool substitute(const struct list *list, const struct list_row *row, const char *text, u32 length,
                       struct made *made)
{
    const char *end = text + length;
    bool used = false, begins = true;

    made->length = 0;
    made->full = false;
    for (const char *at = text; at < end;) {
        int letters = begins && *at == '/' ? symbol_letters(list, at + 1, end) : -1;

        if (letters < 0) {
            begins = *at == ' ' || *at == '(';
            add(made, at++, 1);
            continue;
        }
        used = true;
        if (letters == 0)
            add_symbol(made, list, row, 0);
        for (int n = 1, said = 0; n <= letters; n++) {
            char letter = upper(at[n]);

            if (letter == 'O')
                continue;
            if (said++ > 0)
                add(made, " ", 1);
            add_symbol(made, list, row, letter);
        }
        at += 1 + letters;
    }
    if (!used) {
        add(made, " ", 1);
        add_symbol(made, list, row, 0);
    }
    return !made->full;
}

/* What the row showed before anything was typed over it. */
static void row_before(const struct list_row *row, char before[ROW_SHOWN])
{
    memcpy(before, row->made, ROW_SHOWN);
    memcpy(before, row->mark, ROW_MARK);
}

/* What was typed over a row; its length, 0: nothing that is to be performed. */
static u32 typed_over(const struct list_row *row, char text[ROW_SHOWN])
{
    char before[ROW_SHOWN];
    u32 length = ROW_SHOWN, from = 0;

    row_before(row, before);
    while (length > 0 && row->now[length - 1] == before[length - 1])
        length--;
    length = length_of(row->now, length);
    while (from < length && row->now[from] == ' ')
        from++;
    if (from == length || row->now[from] == '*')
        return 0;
    memcpy(text, row->now + from, length - from);
    return length - from;
}

/* The row is as it was made, with a mark in the command area. */
static void mark_row(struct view *view, u32 line, struct list_row *row, const char *mark)
{
    pad(row->mark, ROW_MARK, mark, (u32)strlen(mark));
    row_before(row, row->now);
    list_row_set(view, line, row);
}

/* What it was about is not there any more: nothing can be done with the row. */
static void gone_row(struct view *view, u32 line, struct list_row *row)
{
    const struct list *list = view->file->list;
    char text[ROW_SHOWN], what[ROW_SHOWN];
    u32 length = list->kind->symbol(list, row, 'G', what, sizeof what);

    length = format(text, sizeof text, "      %l %s", what, length, list->kind->gone);
    pad(row->made, ROW_SHOWN, text, length);
    memset(row->extra, 0xff, ROW_EXTRA);
    mark_row(view, line, row, "*");
}

static bool is_gone(const struct list_row *row) { return memcmp(row->extra, "\xff\xff\xff\xff", ROW_EXTRA) == 0; }

static void settle_row(struct view *view, u32 line, const struct list_row *as_it_was, int code, bool keep)
{
    struct list_row row;
    char mark[ROW_MARK + 8];

    if (!is_line(view, line))
        return;
    list_row_at(view, line, &row);
    /* The command may have read or sorted the list anew. */
    if (memcmp(row.made, as_it_was->made, ROW_SHOWN) != 0 || is_gone(&row))
        return;
    if (!view->file->list->kind->there(view->file->list, &row)) {
        gone_row(view, line, &row);
        return;
    }
    if (keep)
        return;
    format(mark, sizeof mark, code == 0 ? "*" : "*%d", code);
    mark_row(view, line, &row, mark);
}

/* The words that are none of CMS's: / makes the row the first, ? shows the last command, = performs it again. */
static bool own_word(struct view *view, u32 line, struct list_row *row, char *text, u32 *length)
{
    struct list *list = view->file->list;
    char before[ROW_SHOWN];

    if (*length != 1 || (*text != '/' && *text != '?' && *text != '='))
        return false;
    row_before(row, before);
    memcpy(row->now, before, ROW_SHOWN);
    if (*text == '/') {
        list_row_set(view, line, row);
        view->current = line;
        return true;
    }
    if (*text == '=' && list->last_length > 0) {
        memcpy(text, list->last, list->last_length);
        *length = list->last_length;
        return false;
    }
    if (list->last_length > 0)
        memcpy(row->now, list->last, list->last_length < ROW_SHOWN ? list->last_length : ROW_SHOWN);
    else
        message("WEX", 652, 'E');
    list_row_set(view, line, row);
    return true;
}

static int one_row(struct view *view, u32 line, struct list_row *row)
{
    struct list *list = view->file->list;
    const struct file *file = view->file;
    char text[COMMAND_MOST];
    bool given = list->command_length > 0;
    u32 length = list->command_length;
    struct made made;
    int code;

    if (given)
        memcpy(text, list->command, length);
    else if ((length = typed_over(row, text)) == 0)
        return 0;
    if (is_gone(row)) {
        if (!given)
            mark_row(view, line, row, "*");
        message("WEX", 654, 'E');
        return RC_MISSING;
    }
    if (!given && own_word(view, line, row, text, &length))
        return 0;
    memcpy(list->last, text, length);
    list->last_length = length;
    list->performed = line;
    if (!substitute(list, row, text, length, &made)) {
        message("WEX", 655, 'E', COMMAND_MOST);
        return RC_SYNTAX;
    }
    code = run_row(made.text, made.length);
    if (editor != NULL && !editor->over && file_in_ring(file))
        settle_row(file->view, line, row, code, given && typed_over(row, text) > 0);
    return code;
}

/* Rows until the last, or until another file is the current one. What the first one that failed has returned. */
static int go_on(struct file *file)
{
    struct list *list = file->list;
    int first = 0;

    while (list->line <= list->until && is_line(file->view, list->line)) {
        u32 line = list->line++;
        struct list_row row;
        int code;

        if (!line_in_scope(file->view, line))
            continue;
        list_row_at(file->view, line, &row);
        code = one_row(file->view, line, &row);
        if (editor == NULL || editor->over || !file_in_ring(file))
            return code;
        first = first != 0 ? first : code;
        if (editor->ring != file) {
            list->away = true;
            return first;
        }
    }
    list->until = 0;
    return first;
}

/* The cursor stays in the list, at the row that was performed last. */
static void cursor_at_row(struct file *file)
{
    char text[48];

    if (editor->over || editor->ring != file || file->list->performed == 0 || editor->typewriter)
        return;
    (void)execute_command(text, format(text, sizeof text, "CURSOR FILE %u 1 PRIORITY 60", file->list->performed));
}

/* The list may be current again, after a command of a row has made another file that. */
void list_resume(void)
{
    struct file *file = editor->ring;
    struct list *list = file != NULL ? file->list : NULL;
    struct list_row row;

    if (list == NULL || !list->away)
        return;
    list->away = false;
    if (is_line(file->view, list->performed)) {
        list_row_at(file->view, list->performed, &row);
        if (!is_gone(&row) && !list->kind->there(list, &row))
            gone_row(file->view, list->performed, &row);
    }
    (void)go_on(file);
    if (editor != NULL && !editor->over && file_in_ring(file))
        cursor_at_row(file);
}

static int rows_word(struct view *view, struct words *words, u32 *first, u32 *last)
{
    const char *word;
    u32 length, column, count;

    *first = 1;
    *last = size_of(view);
    if (!take_word(words, &word, &length))
        return 0;
    if (word_means(word, length, "CURSOR", 2)) {
        if (!cursor_in_file(view, first, &column)) {
            message("WEX", 561, 'E');
            return XE_TRUNCATED;
        }
        *last = *first;
        return 0;
    }
    *first = view->current > 0 ? view->current : 1;
    if (length == 1 && *word == '*')
        return 0;
    if (!number_word(word, length, &count) || count == 0)
        return bad_operand(word, length);
    *last = *first <= *last && count < *last + 1 - *first ? *first + count - 1 : *last;
    return 0;
}

/* EXECUTE [n|*|CURSOR [command]]. */
int execute_subcommand(struct view *view, struct words *words)
{
    struct file *file = view->file;
    struct list *list = file->list;
    u32 first, last;
    int code;

    if (list == NULL) {
        message("XSU", 542, 'E', "EXECUTE");
        return XE_UNKNOWN;
    }
    code = rows_word(view, words, &first, &last);
    if (code != 0)
        return code;
    past_blanks(words);
    list->command_length = length_of(words->at, (u32)(words->end - words->at));
    memcpy(list->command, words->at, list->command_length);
    list->line = first;
    list->until = last;
    list->performed = 0;
    code = go_on(file);
    if (editor != NULL && !editor->over && file_in_ring(file))
        cursor_at_row(file);
    return code;
}

bool editor_is_there(void) { return editor != NULL && !editor->typewriter; }

bool in_list_of(const char *type)
{
    return editor != NULL && editor->ring != NULL && editor->ring->list != NULL &&
           strcmp(editor->ring->list->kind->type, type) == 0;
}
