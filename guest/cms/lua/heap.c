/*
 * Storage for Lua: blocks by their size, from pages of CMS.
 *
 * Small blocks are of sizes that are multiples of 16, larger ones of sizes of which each is a half or a third more than
 * the one before. A block that is given back is kept for the next of its size. From LARGE on each block has pages of
 * its own.
 */
#include "port.h"

#include <stdlib.h>
#include <string.h>

enum { STEP = 16, SMALL = 512, CLASSES = SMALL / STEP + 1 + 14, LARGE = 0x8000, CHUNK = 0x10000 };

struct free_block { struct free_block *next; };
struct chunk { struct chunk *next, *previous; };         /* in front of the pages, 16 bytes */
struct heap { struct free_block *free[CLASSES]; struct chunk chunks; char *at, *end; };

static u32 class_of_size(size_t size, size_t *room)
{
    u32 number = SMALL / STEP;
    size_t power = SMALL;

    if (size <= SMALL) {
        number = ((u32)size + STEP - 1) / STEP;
        *room = number * STEP;
        return number;
    }
    for (;; power *= 2) {
        number++;
        if (size <= power + power / 2) {
            *room = power + power / 2;
            return number;
        }
        number++;
        if (size <= power * 2) {
            *room = power * 2;
            return number;
        }
    }
}

static void *pages(size_t size)
{
    struct request request = { SERVICE_PAGES, { (u32)size + STEP } };
    struct chunk *chunk = (struct chunk *)ask(&request), *list = &port->heap->chunks;

    if (chunk == NULL)
        return NULL;
    *chunk = (struct chunk){ list->next, list };
    list->next->previous = chunk;
    list->next = chunk;
    return (char *)chunk + STEP;
}

static void release_chunk(struct chunk *chunk)
{
    struct request request = { SERVICE_RELEASE, { (u32)chunk } };

    chunk->next->previous = chunk->previous;
    chunk->previous->next = chunk->next;
    (void)ask(&request);
}

bool heap_begin(void)
{
    struct request request = { SERVICE_PAGES, { sizeof(struct heap) } };

    port->heap = (struct heap *)ask(&request);
    if (port->heap == NULL)
        return false;
    port->heap->chunks.next = port->heap->chunks.previous = &port->heap->chunks;
    return true;
}

void heap_end(void)
{
    struct heap *heap = port->heap;
    struct request request = { SERVICE_RELEASE, { (u32)heap } };

    if (heap == NULL)
        return;
    while (heap->chunks.next != &heap->chunks)
        release_chunk(heap->chunks.next);
    (void)ask(&request);
}

static void *take(size_t size)
{
    struct heap *heap = port->heap;
    size_t room;
    u32 number;
    struct free_block *block;

    if (size >= LARGE)
        return size > 0x40000000 ? NULL : pages(size);
    number = class_of_size(size, &room);
    block = heap->free[number];
    if (block != NULL) {
        heap->free[number] = block->next;
        return block;
    }
    if ((size_t)(heap->end - heap->at) < room) {
        char *more = pages(CHUNK - STEP);

        if (more == NULL)
            return NULL;
        heap->at = more;
        heap->end = more + CHUNK - STEP;
    }
    block = (struct free_block *)heap->at;
    heap->at += room;
    return block;
}

static void give(void *storage, size_t size)
{
    struct free_block *block = storage;
    size_t room;
    u32 number;

    if (size >= LARGE) {
        release_chunk((struct chunk *)((char *)storage - STEP));
        return;
    }
    number = class_of_size(size, &room);
    block->next = port->heap->free[number];
    port->heap->free[number] = block;
}

/* Whether both sizes are the same block's. */
static bool same_room(size_t a, size_t b)
{
    size_t of_a, of_b;

    if (a >= LARGE || b >= LARGE)
        return a >= LARGE && b >= LARGE && (a + STEP + 4095) / 4096 == (b + STEP + 4095) / 4096;
    return class_of_size(a, &of_a) == class_of_size(b, &of_b);
}

void *heap_resize(void *block, size_t old, size_t size)
{
    void *more;

    if (size == 0) {
        if (block != NULL && old > 0)
            give(block, old);
        return NULL;
    }
    if (block == NULL || old == 0)
        return take(size);
    if (same_room(old, size))
        return block;
    more = take(size);
    if (more == NULL)
        return NULL;
    memcpy(more, block, old < size ? old : size);
    give(block, old);
    return more;
}

/* ---- with the size in front ---- */

void *malloc(size_t size)
{
    size_t *block = heap_resize(NULL, 0, size + STEP);

    if (block == NULL)
        return NULL;
    *block = size + STEP;
    return (char *)block + STEP;
}

void free(void *block)
{
    if (block != NULL) {
        size_t *head = (size_t *)((char *)block - STEP);

        (void)heap_resize(head, *head, 0);
    }
}

void *realloc(void *block, size_t size)
{
    size_t *head = block == NULL ? NULL : (size_t *)((char *)block - STEP);

    if (size == 0) {
        free(block);
        return NULL;
    }
    head = heap_resize(head, head == NULL ? 0 : *head, size + STEP);
    if (head == NULL)
        return NULL;
    *head = size + STEP;
    return (char *)head + STEP;
}
