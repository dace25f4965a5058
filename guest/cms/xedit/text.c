/*
 * The lines of a file in storage.
 *
 * A chunk has lines one after the other: two bytes of length, flags, selection level, the characters. So a line costs
 * four bytes more than its text, and looking for a string reads storage from front to back. Where the last line was
 * found is kept: the next one and those near it are near in storage, too.
 */
#include "xedit.h"

enum { CHUNK = 4096 - 32, HEAD = sizeof(struct row), USUAL = CHUNK - sizeof(struct chunk) };

static u32 length_in(const struct row *row) { return HEAD + row->length; }
static struct row *at_offset(struct chunk *chunk, u32 offset) { return (struct row *)(chunk->bytes + offset); }

static struct chunk *new_chunk(struct text *text, struct chunk *before, u32 least)
{
    u32 room = least > USUAL ? least : USUAL;
    struct chunk *chunk = obtain(sizeof *chunk + room, OWNER_SYSTEM);

    if (chunk == NULL)
        return NULL;
    chunk->lines = chunk->used = 0;
    chunk->room = room;
    chunk->before = before;
    chunk->next = before != NULL ? before->next : text->first;
    *(chunk->next != NULL ? &chunk->next->before : &text->last) = chunk;
    *(before != NULL ? &before->next : &text->first) = chunk;
    return chunk;
}

static void drop_chunk(struct text *text, struct chunk *chunk)
{
    *(chunk->next != NULL ? &chunk->next->before : &text->last) = chunk->before;
    *(chunk->before != NULL ? &chunk->before->next : &text->first) = chunk->next;
    release(chunk);
}

void text_free(struct text *text)
{
    while (text->first != NULL)
        drop_chunk(text, text->first);
    memset(text, 0, sizeof *text);
}

/* The chunk of the line is text->at then, and where the line is in it is known. */
static void find(struct text *text, u32 number)
{
    struct chunk *chunk = text->at;
    u32 begins = text->begins, line, offset;

    if (chunk == NULL || number < begins / 2) {
        chunk = text->first;
        begins = 1;
    } else if (number > begins + (text->lines - begins) / 2 && number >= begins + chunk->lines) {
        chunk = text->last;
        begins = text->lines + 1 - chunk->lines;
    }
    while (number < begins) {
        chunk = chunk->before;
        begins -= chunk->lines;
    }
    while (number >= begins + chunk->lines) {
        begins += chunk->lines;
        chunk = chunk->next;
    }
    line = begins;
    offset = 0;
    if (chunk == text->at && number >= text->line)
        line = text->line, offset = text->offset;
    for (; line < number; line++)
        offset += length_in(at_offset(chunk, offset));
    text->at = chunk;
    text->begins = begins;
    text->line = number;
    text->offset = offset;
}

struct row *text_row(struct text *text, u32 number)
{
    if (text->at == NULL || number != text->line)
        find(text, number);
    return at_offset(text->at, text->offset);
}

/* Lines from `offset` on, of which `lines` stay in front, go into a chunk of their own after this one. */
static bool split(struct text *text, struct chunk *chunk, u32 lines, u32 offset)
{
    struct chunk *rest = new_chunk(text, chunk, chunk->used - offset);

    if (rest == NULL)
        return false;
    rest->used = chunk->used - offset;
    rest->lines = chunk->lines - lines;
    memcpy(rest->bytes, chunk->bytes + offset, rest->used);
    chunk->used = offset;
    chunk->lines = lines;
    return true;
}

static void put(struct chunk *chunk, u32 offset, const char *from, u32 length, u8 flags, u8 level)
{
    struct row *row = at_offset(chunk, offset);

    memmove(chunk->bytes + offset + HEAD + length, chunk->bytes + offset, chunk->used - offset);
    row->length = (u16)length;
    row->flags = flags;
    row->level = level;
    memcpy(row->text, from, length);
    chunk->used += HEAD + length;
    chunk->lines++;
}

/* A line at the end, as a file is read. */
bool text_append(struct text *text, const char *from, u32 length)
{
    struct chunk *chunk = text->last;
    struct row *row;

    if ((chunk == NULL || chunk->room - chunk->used < HEAD + length) &&
        (chunk = new_chunk(text, chunk, HEAD + length)) == NULL)
        return false;
    row = at_offset(chunk, chunk->used);
    row->length = (u16)length;
    row->flags = row->level = 0;
    memcpy(row->text, from, length);
    chunk->used += HEAD + length;
    chunk->lines++;
    text->lines++;
    return true;
}

bool text_insert(struct text *text, u32 after, const char *from, u32 length, u8 flags, u8 level)
{
    u32 need = HEAD + length, offset = 0, lines = 0;
    struct chunk *chunk;

    if (text->first == NULL && new_chunk(text, NULL, need) == NULL)
        return false;
    if (after > 0) {
        find(text, after);
        chunk = text->at;
        lines = after - text->begins + 1;
        offset = text->offset + length_in(at_offset(chunk, text->offset));
    } else {
        chunk = text->first;
    }
    if (chunk->room - chunk->used < need) {
        if (offset < chunk->used && !split(text, chunk, lines, offset))
            return false;
        if (chunk->room - chunk->used < need) {
            struct chunk *next = new_chunk(text, chunk, need);

            if (next == NULL)
                return false;
            if (chunk->used == 0)
                drop_chunk(text, chunk);
            chunk = next;
            offset = lines = 0;
        }
    }
    put(chunk, offset, from, length, flags, level);
    text->lines++;
    text->at = chunk;
    text->begins = after + 1 - lines;
    text->line = after + 1;
    text->offset = offset;
    return true;
}

/* Two chunks that fit into one are one. */
static void join(struct text *text, struct chunk *chunk)
{
    struct chunk *next = chunk->next;

    if (next == NULL || next->used > chunk->room - chunk->used)
        return;
    memcpy(chunk->bytes + chunk->used, next->bytes, next->used);
    chunk->used += next->used;
    chunk->lines += next->lines;
    drop_chunk(text, next);
}

void text_delete(struct text *text, u32 number)
{
    struct chunk *chunk;
    u32 length;

    find(text, number);
    chunk = text->at;
    length = length_in(at_offset(chunk, text->offset));
    memmove(chunk->bytes + text->offset, chunk->bytes + text->offset + length, chunk->used - text->offset - length);
    chunk->used -= length;
    chunk->lines--;
    text->lines--;
    if (chunk->lines == 0) {
        drop_chunk(text, chunk);
        text->at = NULL;
        return;
    }
    join(text, chunk);
    if (text->offset == chunk->used)
        text->at = NULL;
}

bool text_replace(struct text *text, u32 number, const char *from, u32 length)
{
    struct row *row = text_row(text, number);
    struct chunk *chunk = text->at;
    u32 old = row->length, rest = text->offset + HEAD + old;
    u8 flags = row->flags, level = row->level;

    if (length <= old || chunk->room - chunk->used >= length - old) {
        memmove(row->text + length, row->text + old, chunk->used - rest);
        memcpy(row->text, from, length);
        row->length = (u16)length;
        chunk->used = chunk->used - old + length;
        return true;
    }
    /* Until there is room for the new one the old one stays. */
    if (!text_insert(text, number, from, length, flags, level))
        return false;
    text_delete(text, number);
    return true;
}
