/*
 * The program stack and the terminal input buffer.
 *
 * The program stack is a pile of buffers (MAKEBUF, DROPBUF). Lines are stacked into the newest, at its front or end,
 * and taken from its front; an empty buffer on top is passed over and gone. Lines that the user typed ahead wait after
 * all of it.
 */
#include "cms.h"

struct line { struct line *next; u32 length; char text[]; };
struct buffer { struct buffer *below; struct line *first, *last; };

static struct buffer bottom, *newest = &bottom;
static u32 buffers, lines, ahead_count;
static struct line *ahead_first, *ahead_last;

static struct line *line_of(const char *text, u32 length)
{
    struct line *line;

    if (length > LINE_MOST)
        length = LINE_MOST;
    line = obtain(sizeof *line + length, OWNER_SYSTEM);
    if (line == NULL)
        return NULL;
    line->next = NULL;
    line->length = length;
    memcpy(line->text, text, length);
    return line;
}

bool stack_line(const char *text, u32 length, bool lifo)
{
    struct line *line = line_of(text, length);

    if (line == NULL)
        return false;
    if (newest->first == NULL) {
        newest->first = newest->last = line;
    } else if (lifo) {
        line->next = newest->first;
        newest->first = line;
    } else {
        newest->last->next = line;
        newest->last = line;
    }
    lines++;
    return true;
}

static void drop_newest(void)
{
    struct buffer *gone = newest;

    while (gone->first != NULL) {
        struct line *line = gone->first;

        gone->first = line->next;
        lines--;
        release(line);
    }
    if (gone != &bottom) {
        newest = gone->below;
        buffers--;
        release(gone);
    }
}

static void hand_over(struct line *line, char to[256], u32 *length)
{
    *length = line->length;
    memcpy(to, line->text, line->length);
    release(line);
}

bool unstack_line(char to[256], u32 *length)
{
    struct line *line;

    if (lines == 0)
        return false;
    while (newest->first == NULL)
        drop_newest();
    line = newest->first;
    newest->first = line->next;
    lines--;
    hand_over(line, to, length);
    return true;
}

u32 stacked_lines(void) { return lines; }

/* The number of the new buffer; 0: no storage. */
u32 make_buffer(void)
{
    struct buffer *buffer = obtain(sizeof *buffer, OWNER_SYSTEM);

    if (buffer == NULL)
        return 0;
    buffer->below = newest;
    buffer->first = buffer->last = NULL;
    newest = buffer;
    return ++buffers;
}

bool drop_buffer(u32 number)
{
    if (number > buffers)
        return false;
    if (number == 0)
        number = buffers;
    do
        drop_newest();
    while (buffers >= number && buffers > 0);
    return true;
}

void clear_stack(void)
{
    while (newest != &bottom)
        drop_newest();
    drop_newest();
}

bool type_ahead(const char *text, u32 length)
{
    struct line *line = line_of(text, length);

    if (line == NULL)
        return false;
    if (ahead_first == NULL)
        ahead_first = line;
    else
        ahead_last->next = line;
    ahead_last = line;
    ahead_count++;
    return true;
}

bool typed_ahead(char to[256], u32 *length)
{
    struct line *line = ahead_first;

    if (line == NULL)
        return false;
    ahead_first = line->next;
    ahead_count--;
    hand_over(line, to, length);
    return true;
}

u32 lines_typed_ahead(void) { return ahead_count; }

void clear_typed_ahead(void)
{
    char line[256];
    u32 length;

    while (typed_ahead(line, &length))
        ;
}
