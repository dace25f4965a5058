/* READ: a macro shows the screen, waits for the user, and gets what was typed by the program stack. */
#include "xedit.h"

/* What the stack is to have, in the order in which it is pulled. */
struct line { struct line *next; u32 length; char text[]; };
struct reading { struct line *first, **last; bool all, number, tag, full; };

static void add(struct reading *reading, const char *how, ...)
{
    char text[COMMAND_MOST];
    struct line *line;
    va_list list;
    u32 length;

    va_start(list, how);
    length = format_list(text, sizeof text, how, list);
    va_end(list);
    line = obtain(sizeof *line + length, OWNER_SYSTEM);
    if (line == NULL) {
        reading->full = true;
        return;
    }
    line->next = NULL;
    line->length = length;
    memcpy(line->text, text, length);
    *reading->last = line;
    reading->last = &line->next;
}

/* A field that was changed: a line of the file, or a prefix area. */
static void changed(void *with, const struct shown *shown, struct view *view, bool prefix, const char *text, u32 length)
{
    struct reading *reading = with;

    (void)view;
    if (!reading->all)
        return;
    if (!reading->tag)
        add(reading, "%l", text, length);
    else if (shown->kind == SHOW_RESERVED)
        add(reading, "RES %u %u %l", editor->field_row, editor->field_column, text, length);
    else if (reading->number)
        add(reading, prefix ? "PRF %u %l" : "FIL %u %l", shown->line, text, length);
    else
        add(reading, prefix ? "PRF %l" : "FIL %l", text, length);
}

static void add_key(struct reading *reading, u32 pf, u32 pa)
{
    const struct keys *keys = &editor->ring->keys;
    const struct key *key = pf > 0 ? &keys->pf[pf] : pa > 0 ? &keys->pa[pa] : &keys->enter;

    if (pf > 0)
        add(reading, "PFK %u %l", pf, key->text, key->length);
    else if (pa > 0)
        add(reading, "PAK %u %l", pa, key->text, key->length);
    else
        add(reading, "ETK %l", key->text, key->length);
}

/* The last line that is pulled is stacked first. */
static void stack(struct line *line)
{
    if (line == NULL)
        return;
    stack(line->next);
    (void)stack_line(line->text, line->length, true);
    release(line);
}

int read_subcommand(struct view *view, struct words *words)
{
    static const char *const options[] = { "CMDLINE", "ALL", "NOCHANGE", "NUMBER", "TAG", "NOTAG" };
    static const u8 least[] = { 1, 1, 3, 3, 1, 3 };
    struct reading reading = { .last = &reading.first };
    bool change = false;
    u32 which, key;

    (void)view;
    while (words_left(words)) {
        int code = choose(words, options, least, COUNT_OF(options), &which);

        if (code != 0)
            return code;
        reading.all = which == 1 || which == 2 || (which != 0 && reading.all);
        change = which == 1 || (which != 2 && change);
        reading.number = reading.number || which == 3;
        reading.tag = which == 4 || (which != 5 && reading.tag);
    }
    if (editor->typewriter) {
        char line[256];
        u32 length;

        notes_end();
        read_console(line, &length);
        notes_begin();
        return stack_line(line, length, true) ? 0 : no_room();
    }
    editor->reading = true;
    key = read_transaction(changed, &reading, change);
    editor->reading = false;
    add(&reading, reading.tag ? "CMD %l" : "%l", editor->command, editor->command_length);
    if (reading.tag) {
        struct line *others = reading.first;

        reading.first = NULL;
        reading.last = &reading.first;
        add_key(&reading, key < 100 ? key : 0, key >= 100 ? key - 100 : 0);
        *reading.last = others;
    }
    stack(reading.first);
    editor->command_length = 0;
    return reading.full ? no_room() : 0;
}
