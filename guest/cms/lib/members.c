/*
 * The records of a library that are not its members' own; the same on any host, so nothing here depends on the
 * compiler's characters.
 */
#include "members.h"
#include <string.h>

enum { DIRECTORY = 8, COUNT = 12, BLANK = 0x40 };

static const u8 first_word[8] = { 0xd3, 0xc9, 0xc2, 0xd9, 0xc1, 0xd9, 0xe8, BLANK };   /* LIBRARY */

bool library_described(const u8 card[LIBRARY_CARD], u32 *directory, u32 *members)
{
    *directory = edf_word(card + DIRECTORY);
    *members = edf_word(card + COUNT);
    return memcmp(card, first_word, sizeof first_word) == 0;
}

void library_header(u8 card[LIBRARY_CARD], u32 directory, u32 members)
{
    memset(card, BLANK, LIBRARY_CARD);
    memcpy(card, first_word, sizeof first_word);
    edf_set_word(card + DIRECTORY, directory);
    edf_set_word(card + COUNT, members);
}

void library_member_at(const u8 *at, struct member *member)
{
    memcpy(member->name, at, sizeof member->name);
    member->first = edf_word(at + 8);
    member->count = edf_word(at + 12);
}

void library_entry(u8 *at, const struct member *member)
{
    memcpy(at, member->name, sizeof member->name);
    edf_set_word(at + 8, member->first);
    edf_set_word(at + 12, member->count);
}

void library_delimiter(u8 card[LIBRARY_CARD])
{
    static const u8 mark[4] = { 0x61, 0xff, 0xff, 0x61 };

    memset(card, BLANK, LIBRARY_CARD);
    memcpy(card, mark, sizeof mark);
}
