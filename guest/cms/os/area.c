/*
 * GETMAIN and FREEMAIN: storage of programs in doublewords, out of pages that have their key. Which of it is in use
 * stands in CMS's own storage, and which subpool it is of. All of it goes when the command that was typed ends.
 */
#include "os.h"

enum { DOUBLEWORD = 8, PAGES_LEAST = 0x4000 };

struct piece { struct piece *next; u32 at, length; bool used, high; u8 subpool; };

static struct piece *pieces;                             /* in the order of their addresses, within each stretch */

void os_areas_forget(void) { pieces = NULL; }

/* A part of a piece, in front of `next`. */
static struct piece *new_piece(struct piece *next, const struct piece *of, u32 at, u32 length)
{
    struct piece *piece = obtain_command(sizeof *piece);

    *piece = (struct piece){ next, at, length, of->used, of->high, of->subpool };
    return piece;
}

/* A piece's part from `at` on, so long, is used or free; what is left of it on either side is as it was. */
static void mark_part(struct piece *piece, u32 at, u32 length, bool used, u8 subpool)
{
    u32 end = piece->at + piece->length;

    if (at + length < end)
        piece->next = new_piece(piece->next, piece, at + length, end - at - length);
    if (at > piece->at) {
        piece->next = new_piece(piece->next, piece, at, length);
        piece->length = at - piece->at;
        piece = piece->next;
    }
    piece->length = length;
    piece->used = used;
    piece->subpool = subpool;
}

/* `anywhere`: above 16M, where there is room. */
u32 os_obtain(u32 length, bool anywhere, u8 subpool)
{
    u32 pages;
    struct piece *piece = pieces;

    length = (length + DOUBLEWORD - 1) & ~(DOUBLEWORD - 1u);
    if (length == 0 || length > 0x30000000)
        return 0;
    while (piece != NULL && (piece->used || piece->length < length || piece->high != anywhere))
        piece = piece->next;
    if (piece == NULL) {
        u32 size = length < PAGES_LEAST ? (u32)PAGES_LEAST : (length + 4095) & ~4095u;

        pages = (u32)(anywhere ? obtain_high_pages(size, OWNER_COMMAND, USER_KEY)
                      : obtain_pages(size, OWNER_COMMAND, USER_KEY, LOW_STORAGE));
        if (pages == 0)
            return 0;
        piece = pieces = new_piece(pieces, &(struct piece){ .high = anywhere }, pages, size);
    }
    pages = piece->at;
    mark_part(piece, piece->at, length, true, subpool);
    return pages;
}

/* Free neighbours are one. */
static void join_free(void)
{
    for (struct piece *piece = pieces; piece != NULL; piece = piece->next)
        while (piece->next != NULL && !piece->used && !piece->next->used && piece->high == piece->next->high &&
               piece->at + piece->length == piece->next->at) {
            struct piece *gone = piece->next;

            piece->length += gone->length;
            piece->next = gone->next;
            release(gone);
        }
}

/* False: not all of it is in use, and of that subpool. */
bool os_release(u32 at, u32 length, u8 subpool)
{
    struct piece *piece = pieces;

    length = (length + DOUBLEWORD - 1) & ~(DOUBLEWORD - 1u);
    while (piece != NULL && (at < piece->at || at - piece->at >= piece->length))
        piece = piece->next;
    if (piece == NULL || !piece->used || piece->subpool != subpool || at % DOUBLEWORD != 0 || length == 0 ||
        length > piece->length - (at - piece->at))
        return false;
    mark_part(piece, at, length, false, 0);
    join_free();
    return true;
}

/* All of a subpool; false: 0 is none that can go. */
bool os_release_subpool(u8 subpool)
{
    if (subpool == 0)
        return false;
    for (struct piece *piece = pieces; piece != NULL; piece = piece->next)
        if (piece->used && piece->subpool == subpool)
            piece->used = false;
    join_free();
    return true;
}
