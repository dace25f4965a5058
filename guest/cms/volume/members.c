/*
 * The directory of a partitioned data set: blocks of 256 bytes with keys of 8, from the beginning of the data set on.
 * A block has its length in the first halfword; a member is its name, where it is, and a byte whose low five bits say
 * how many halfwords follow. The name after the last has only X'FF'.
 */
#include "volume.h"

enum { BLOCK_KEY = 8, BLOCK_DATA = 256, BLOCK_LENGTH = COUNT_LENGTH + BLOCK_KEY + BLOCK_DATA, NAME = 8, MEMBER = 12,
       MEMBER_FLAGS = 11, HALFWORDS = 0x1f, A_LINE = 8 };

struct line { char text[A_LINE * (NAME + 1)]; u32 used; int names; };

static void add_name(struct line *line, const u8 *called)
{
    memcpy(line->text + line->used * (NAME + 1), called, NAME);
    line->names++;
    if (++line->used < A_LINE)
        return;
    type_line(line->text, sizeof line->text);
    memset(line->text, ' ', sizeof line->text);
    line->used = 0;
}

/* A block of the directory. False: it is the last. */
static bool take_block(const u8 *block, struct line *line)
{
    u32 used = half(block), at = 2;

    if (used > BLOCK_DATA)
        used = BLOCK_DATA;
    while (at + MEMBER <= used) {
        if (block[at] == 0xff)
            return false;
        add_name(line, block + at);
        at += MEMBER + 2 * (block[at + MEMBER_FLAGS] & HALFWORDS);
    }
    return true;
}

int members_type(const struct contents *contents, const struct extents *extents)
{
    u32 each = contents->dscb->data[TABLE_BLOCKS];
    u8 *blocks = obtain_command((each + 1) * BLOCK_LENGTH);
    struct line line = { .used = 0 };
    bool more = true, good = false;

    memset(line.text, ' ', sizeof line.text);
    for (u32 n = 0; more && n < extents->count; n++)
        for (u32 track = extents->at[n].first; more && track <= extents->at[n].last; track++) {
            u32 there = track_records(contents->disk, track / contents->heads, track % contents->heads, each,
                                      BLOCK_LENGTH, blocks);

            more = there > 0;
            for (u32 k = 0; more && k < there; k++) {
                const u8 *block = blocks + k * BLOCK_LENGTH;

                more = block[COUNT_KEY] == BLOCK_KEY && half(block + COUNT_DATA) == BLOCK_DATA;
                good = good || more;
                more = more && take_block(block + COUNT_LENGTH + BLOCK_KEY, &line);
            }
        }
    release(blocks);
    if (line.used > 0)
        type_line(line.text, line.used * (NAME + 1));
    return good ? line.names : NO_DIRECTORY;
}
