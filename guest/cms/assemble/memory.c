/* Storage of the assembler: taken in large pieces, all given back at the end. */
#include "assemble.h"

enum { PIECE = 16384 };

struct piece { struct piece *next; u32 used, room; };

static struct piece *pieces;

void *arena(size_t size)
{
    struct piece *piece = pieces;
    u32 need = ((u32)size + 7) & ~7u, head = (sizeof *piece + 7) & ~7u;

    if (piece == NULL || need > piece->room - piece->used) {
        u32 room = need > PIECE / 2 ? need : PIECE;

        piece = assemble_get(head + room);
        piece->used = 0;
        piece->room = room;
        /* A piece for one thing alone does not hide the one that still has room. */
        if (pieces != NULL && room == need && need != PIECE) {
            piece->next = pieces->next;
            pieces->next = piece;
        } else {
            piece->next = pieces;
            pieces = piece;
        }
    }
    void *at = (char *)piece + head + piece->used;

    piece->used += need;
    return memset(at, 0, size);
}

/* What was there went with the command that had it. */
void memory_begin(void) { pieces = NULL; }

void memory_forget(void)
{
    while (pieces != NULL) {
        struct piece *next = pieces->next;

        assemble_put(pieces);
        pieces = next;
    }
}

char *keep_text(const char *text, u32 length)
{
    return memcpy(arena(length + 1), text, length);
}

struct text kept(struct text text)
{
    if (text.length == 0)
        return (struct text){ "", 0 };
    return (struct text){ keep_text(text.at, text.length), text.length };
}

struct text folded(struct text text)
{
    char *at = keep_text(text.at, text.length);

    for (u32 n = 0; n < text.length; n++)
        at[n] = upper(at[n]);
    return (struct text){ at, text.length };
}

bool same_text(struct text a, struct text b)
{
    if (a.length != b.length)
        return false;
    for (u32 n = 0; n < a.length; n++)
        if (upper(a.at[n]) != upper(b.at[n]))
            return false;
    return true;
}

bool text_is(struct text text, const char *word)
{
    return same_text(text, text_of(word));
}

u32 hash_of(struct text text)
{
    u32 hash = 5381;

    for (u32 n = 0; n < text.length; n++)
        hash = hash * 33 + (u8)upper(text.at[n]);
    return hash;
}

void *more_room(void *table, u32 count, u32 *room, u32 size)
{
    void *larger;

    if (count < *room)
        return table;
    *room = *room == 0 ? 16 : *room * 2;
    larger = arena((size_t)*room * size);
    if (count > 0)
        memcpy(larger, table, (size_t)count * size);
    return larger;
}

void lines_add(struct lines *lines, const char *record, u32 length)
{
    lines->line = more_room(lines->line, lines->count, &lines->room, sizeof *lines->line);
    length = length_of(record, length < CARD ? length : CARD);
    lines->line[lines->count++] = (struct text){ keep_text(record, length), length };
}

void append(struct buffer *buffer, const char *text, u32 length)
{
    if (length > buffer->room - buffer->length) {
        u32 room = (buffer->length + length) * 2 + 64;
        char *larger = arena(room);

        if (buffer->length > 0)
            memcpy(larger, buffer->at, buffer->length);
        buffer->at = larger;
        buffer->room = room;
    }
    if (length > 0)
        memcpy(buffer->at + buffer->length, text, length);
    buffer->length += length;
}

void append_char(struct buffer *buffer, char c) { append(buffer, &c, 1); }
