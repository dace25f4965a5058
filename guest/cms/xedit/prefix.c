/*
 * Prefix subcommands: what is typed in the prefix area, and the list of those that wait.
 *
 * They are performed in the order of the lines. The halves of a block (CC, DD, MM, "", >>, <<, XX) wait for one
 * another, sources (C, M and their blocks) and destinations (F, P) too. Line numbers in the list follow what is added
 * and deleted.
 */
#include "xedit.h"

enum { WIDTH = 5 };

struct pending *pending_at(struct file *file, u32 line)
{
    struct pending *pending = file->pending;

    while (pending != NULL && (pending->line != line || pending->done))
        pending = pending->next;
    return pending;
}

struct pending *pending_waiting(struct file *file)
{
    struct pending *pending = file->pending;

    while (pending != NULL && (pending->wrong || pending->done))
        pending = pending->next;
    return pending;
}

static void drop(struct file *file, struct pending *pending)
{
    struct pending **at = &file->pending;

    while (*at != pending)
        at = &(*at)->next;
    *at = pending->next;
    release(pending);
}

void pending_clear(struct file *file)
{
    while (file->pending != NULL)
        drop(file, file->pending);
}

void pending_moved(struct file *file, u32 line, int by)
{
    for (struct pending *pending = file->pending; pending != NULL; pending = pending->next)
        if (pending->line >= line)
            pending->line += (u32)by;
}

/* The line is gone: what was to be done with it is nothing any more. */
void pending_dropped(struct file *file, u32 line)
{
    for (struct pending *pending = file->pending; pending != NULL; pending = pending->next)
        if (pending->line == line)
            pending->done = true;
}

static void sweep(struct file *file)
{
    for (struct pending *pending = file->pending, *next; pending != NULL; pending = next) {
        next = pending->next;
        if (pending->done)
            drop(file, pending);
    }
}

/* An empty area: equal signs, or the line's number. */
static void empty_area(const struct view *view, u32 line, char to[8])
{
    if (view->s.number)
        format(to, 8, "%05u", line % 100000);
    else
        pad(to, 8, "=====", WIDTH);
}

/* What of the area was typed: not what was there, and in any place the signs of an empty one. What waits there is typed
 * again, and a question mark in front is the editor's. */
static u32 typed_of(const struct view *view, const struct shown *shown, const struct pending *waits, const char *old,
                    const char *now, u32 length, char to[8])
{
    char empty[8];
    u32 used = 0, from = waits != NULL && waits->wrong && length > 0 && *now == '?';

    empty_area(view, shown->line, empty);
    if (waits != NULL)
        old = empty;
    for (u32 n = from; n < length && n < WIDTH; n++)
        if (now[n] != old[n] && now[n] != 0 && !(now[n] == '=' && !view->s.number))
            to[used++] = now[n];
    while (used > 0 && *to == ' ')
        memmove(to, to + 1, --used);
    return length_of(to, used);
}

static u32 digits(const char *text, u32 length, u32 *value)
{
    u32 n = 0;

    *value = 0;
    while (n < length && is_digit(text[n]))
        *value = *value * 10 + (u32)(text[n++] - '0');
    return n;
}

/* A name may stand for another: SET PREFIX SYNONYM. */
static void real_name(struct pending *pending)
{
    static const char five[] = ".....", input[] = "SI";

    memcpy(pending->old, pending->name, sizeof pending->old);
    if (is(pending->name, five))
        pad(pending->name, sizeof pending->name, input, sizeof input - 1);
    for (const struct synonym *synonym = editor->prefixes; synonym != NULL; synonym = synonym->next)
        if (memcmp(synonym->name, pending->name, sizeof synonym->name) == 0) {
            pad(pending->name, sizeof pending->name, synonym->text, synonym->length);
            return;
        }
}

/* Name and operand: 3D, D3, "2, /, .abc, S*, S+1. */
static void parse(struct pending *pending)
{
    const char *text = pending->text;
    u32 length = pending->length, at = digits(text, length, &pending->count), begins, after;

    while (at < length && text[at] == ' ')
        at++;
    begins = at;
    if (at < length && text[at] == '.') {
        at = length;
    } else if (at < length && is_special(text[at])) {
        while (at < length && text[at] == text[begins])
            at++;
    } else {
        while (at < length && !is_special(text[at]) && !is_digit(text[at]) && text[at] != ' ')
            at++;
    }
    pad(pending->name, sizeof pending->name, text + begins, at - begins);
    for (u32 n = 0; n < sizeof pending->name; n++)
        pending->name[n] = upper(pending->name[n]);
    while (at < length && text[at] == ' ')
        at++;
    if (at < length && (text[at] == '*' || text[at] == '+' || text[at] == '-'))
        pending->sign = text[at++];
    after = digits(text + at, length - at, &begins);
    if (after > 0)
        pending->count = begins;
    pending->wrong = at + after < length;
    real_name(pending);
}

static void wrong(struct pending *pending, u32 number)
{
    pending->wrong = true;
    if (number == 661)
        message("XPX", 661, 'E', pending->name);
    else
        message("XPX", 659, 'E', pending->name);
}

void prefix_typed(struct view *view, const struct shown *shown, const char *old, const char *text, u32 length)
{
    struct pending *pending = pending_at(view->file, shown->line), **at = &view->file->pending;
    char typed[8] = "";
    u32 used = typed_of(view, shown, pending, old, text, length, typed);
    bool same = pending != NULL && memcmp(old, text, length < WIDTH ? length : WIDTH) == 0 && length == WIDTH;

    if (same)
        return;
    /* An asterisk and blanks take back what waits. */
    if (pending != NULL)
        drop(view->file, pending);
    if (used == 0 || (used == 1 && *typed == '*'))
        return;
    pending = obtain(sizeof *pending, OWNER_SYSTEM);
    if (pending == NULL) {
        (void)no_room();
        return;
    }
    memset(pending, 0, sizeof *pending);
    pending->line = shown->line;
    pending->hidden = shown->kind == SHOW_SHADOW ? shown->count : 0;
    memcpy(pending->text, typed, used);
    pending->length = used;
    parse(pending);
    if (pending->wrong)
        wrong(pending, 659);
    while (*at != NULL && (*at)->line <= pending->line)
        at = &(*at)->next;
    pending->next = *at;
    *at = pending;
}

/* SET PENDING of a prefix macro: what waits at the current line, or is wrong there. */
int pending_set(struct view *view, struct words *words)
{
    static const char *const kinds[] = { "OFF", "ON", "BLOCK", "ERROR" };
    static const u8 least[] = { 3, 2, 1, 1 };
    const char *word = "";
    u32 which, length = 0;
    struct pending *pending;
    int code = choose(words, kinds, least, COUNT_OF(kinds), &which);

    if (code != 0)
        return code;
    if (which != 0 && !take_word(words, &word, &length))
        return missing_operand();
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    while ((pending = pending_at(view->file, view->current)) != NULL)
        drop(view->file, pending);
    if (which == 0)
        return 0;
    pending = obtain(sizeof *pending, OWNER_SYSTEM);
    if (pending == NULL)
        return no_room();
    memset(pending, 0, sizeof *pending);
    pending->line = view->current;
    pending->length = length < sizeof pending->text ? length : (u32)sizeof pending->text;
    memcpy(pending->text, word, pending->length);
    parse(pending);
    pending->wrong = which == 3;
    pending->held = which != 3;
    pending->half = which == 2;
    pending->next = view->file->pending;
    view->file->pending = pending;
    return 0;
}

static bool named(const struct pending *pending, const char *name) { return is(pending->name, name); }

/* Blocks, whose halves have these names. */
static const char *const blocks[] = { "CC", "DD", "MM", "\"\"", ">>", "<<", "XX" };

static bool is_block(const struct pending *pending)
{
    for (u32 n = 0; n < COUNT_OF(blocks); n++)
        if (named(pending, blocks[n]))
            return true;
    return false;
}

/* The other half; NULL: it has not been typed. */
static struct pending *other_half(struct pending *first)
{
    for (struct pending *pending = first->next; pending != NULL; pending = pending->next)
        if (!pending->done && !pending->wrong && memcmp(pending->name, first->name, sizeof first->name) == 0)
            return pending;
    return NULL;
}

/* What is done with lines first..last of a block whose halves are there. */
static void do_block(struct view *view, struct pending *first, struct pending *second)
{
    u32 from = first->line, to = second->line, count = first->count > 0 ? first->count : second->count, made, code = 0;

    count = count > 0 ? count : 1;
    first->done = second->done = true;
    if (named(first, "DD")) {
        prefix_delete(view, from, to + 1 - from);
    } else if (named(first, "\"\"")) {
        /* Of lines that are not in scope there is no copy. */
        for (u32 n = 0; n < count && code == 0; n++) {
            code = copy_lines(view, from, to, to, &made);
            view->current += view->current > to ? made : 0;
        }
    } else if (named(first, "XX")) {
        prefix_exclude(view, from, to);
    } else {
        (void)shift_lines(view, from, to, named(first, ">>"), count);
    }
}

/* Lines that C or M has, alone or as a block; `last` is not there for a half that waits. */
struct source { struct pending *first, *last; u32 from, to; bool moves; };

static bool find_source(struct view *view, struct source *source)
{
    for (struct pending *pending = view->file->pending; pending != NULL; pending = pending->next) {
        bool block = named(pending, "CC") || named(pending, "MM");

        if (pending->done || pending->wrong || (!block && !named(pending, "C") && !named(pending, "M")))
            continue;
        source->first = source->last = pending;
        source->moves = pending->name[0] == 'M';
        source->from = pending->line;
        source->to = pending->line + (pending->count > 0 ? pending->count - 1 : 0);
        if (block) {
            source->last = other_half(pending);
            if (source->last == NULL)
                continue;
            source->to = source->last->line;
        }
        if (source->to > last_line(view))
            source->to = last_line(view);
        return true;
    }
    return false;
}

static struct pending *find_destination(struct file *file)
{
    struct pending *pending = file->pending;

    while (pending != NULL && (pending->done || pending->wrong || (!named(pending, "F") && !named(pending, "P"))))
        pending = pending->next;
    return pending;
}

/* A source in another file of the ring. */
static struct view *source_elsewhere(struct view *view, struct source *source)
{
    struct file *file = view->file->next;

    for (; file != view->file; file = file->next)
        if (file->loaded && file->view != NULL && find_source(file->view, source))
            return file->view;
    return NULL;
}

static void copy_from(struct view *view, struct view *other, const struct source *source, u32 to)
{
    u32 code = 0, n = 0;

    for (u32 line = source->from; line <= source->to && code == 0; line++) {
        struct row *row = line_row(other, line);
        u32 most = view->file->s.truncation;

        code = add_line(view, to + n, row->text, row->length < most ? row->length : most);
        n += code == 0;
    }
    if (code == 0 && source->moves)
        prefix_delete(other, source->from, source->to + 1 - source->from);
    if (view->current > to)
        view->current += n;
}

/* A source and a destination that are both there. False: one waits. */
static bool do_copy(struct view *view)
{
    struct source source;
    struct pending *destination = find_destination(view->file);
    struct view *from = view;
    u32 to, made, current = view->current;

    if (destination == NULL)
        return false;
    if (!find_source(view, &source) && (from = source_elsewhere(view, &source)) == NULL)
        return false;
    to = named(destination, "F") ? destination->line : destination->line - 1;
    if (from == view && to >= source.from && to < source.to + (source.moves ? 1 : 0) &&
        !(source.moves && to + 1 == source.from)) {
        message("XPX", 505, 'E');
        destination->done = true;
        return true;
    }
    source.first->done = source.last->done = destination->done = true;
    if (from != view) {
        copy_from(view, from, &source, to);
        return true;
    }
    if (source.moves) {
        (void)move_lines(view, source.from, source.to, to, &made);
        if (current >= source.from && current <= source.to)
            prefix_settle(view);
    } else {
        (void)copy_lines(view, source.from, source.to, to, &made);
        if (current > to)
            view->current = current + made;
    }
    return true;
}

/* A macro of that name gets what was typed as its operands; false: there is none. */
static bool prefix_macro(struct view *view, const struct pending *pending)
{
    char line[COMMAND_MOST];
    u32 length, current = view->current;
    bool found = false;

    length = format(line, sizeof line, "PREFIX %s %u", pending->hidden > 0 ? "SHADOW" : "SET", pending->line);
    if (pending->sign != 0 || pending->count > 0)
        length += format(line + length, sizeof line - length, " ");
    if (pending->sign != 0)
        length += format(line + length, sizeof line - length, "%c", pending->sign);
    if (pending->count > 0)
        length += format(line + length, sizeof line - length, "%u", pending->count);
    (void)run_macro(pending->name, length_of(pending->name, sizeof pending->name), line, length, &found);
    if (editor != NULL && !editor->over && current <= end_line(view))
        view->current = current;
    return found;
}

static bool waits(const struct pending *pending)
{
    return is_block(pending) || named(pending, "C") || named(pending, "M") || named(pending, "F") ||
           named(pending, "P");
}

/* Where a subcommand may stand: Top of File takes what adds after it, End of File what adds before it. */
static bool fits(const struct view *view, const struct pending *pending)
{
    static const char *const at_top[] = { "A", "I", "SI", "F", "/" }, *const at_end[] = { "P", "/" };

    if (is_line(view, pending->line))
        return true;
    if (pending->line == top_line(view))
        for (u32 n = 0; n < COUNT_OF(at_top); n++)
            if (named(pending, at_top[n]))
                return true;
    if (pending->line == end_line(view))
        for (u32 n = 0; n < COUNT_OF(at_end); n++)
            if (named(pending, at_end[n]))
                return true;
    return false;
}

/* One of the list: the first that can be performed now. False: all wait. */
static bool perform_one(struct view *view)
{
    for (struct pending *pending = view->file->pending; pending != NULL; pending = pending->next) {
        struct pending *other;

        if (pending->done || pending->wrong || pending->held)
            continue;
        if (is_block(pending) && pending->name[0] != 'C' && pending->name[0] != 'M') {
            other = other_half(pending);
            if (other == NULL)
                continue;
            do_block(view, pending, other);
            return true;
        }
        /* The line pointer is the last to be moved. */
        if (waits(pending) || named(pending, "/"))
            continue;
        pending->done = true;
        if (!prefix_run(view, pending) && !prefix_macro(view, pending)) {
            pending->done = false;
            wrong(pending, 659);
        }
        return true;
    }
    return do_copy(view);
}

void prefix_execute(struct view *view)
{
    /* Half of a block will not do there either. */
    for (struct pending *pending = view->file->pending; pending != NULL; pending = pending->next)
        if (!pending->done && !pending->wrong && !pending->held && !fits(view, pending))
            wrong(pending, 661);
    for (u32 turns = 0; turns < 4 * ROWS_MOST && perform_one(view); turns++)
        if (editor == NULL || editor->over)
            return;
    for (struct pending *pending = view->file->pending; pending != NULL; pending = pending->next)
        if (!pending->done && !pending->wrong && named(pending, "/")) {
            view->current = pending->line;
            if (pending->count > 0 && pending->count <= view->file->s.truncation)
                view->column = pending->count;
            pending->done = true;
        }
    sweep(view->file);
}

int reset_subcommand(struct view *view, struct words *words)
{
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    pending_clear(view->file);
    view->extended = view->scale_line = view->tab_line = 0;
    return 0;
}

/* PENDING [BLOCK] name|*: the prefix subcommand that waits first. */
void pending_values(struct view *view, struct asked *asked)
{
    const char *word;
    u32 length;
    bool block = false, any;

    if (!take_word(&asked->words, &word, &length))
        word = "*", length = 1;
    if (word_means(word, length, "BLOCK", 5) && take_word(&asked->words, &word, &length))
        block = true;
    any = length == 1 && *word == '*';
    for (const struct pending *pending = view->file->pending; pending != NULL; pending = pending->next) {
        u32 full = length_of(pending->name, sizeof pending->name);
        bool half = pending->half || (full == 2 && pending->name[0] == pending->name[1]), same = full == length;

        for (u32 n = 0; same && n < full; n++)
            same = upper(word[n]) == pending->name[n];
        if ((!any && !same) || (block && !half) || pending->wrong)
            continue;
        give(asked, "%u", pending->line);
        give(asked, "%t", pending->name);
        give(asked, "%t", pending->old);
        give(asked, half ? "BLOCK" : "");
        if (pending->count > 0)
            give(asked, "%u", pending->count);
        else
            give_text(asked, "", 0);
        return;
    }
}
