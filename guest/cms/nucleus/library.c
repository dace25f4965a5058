/*
 * Libraries as they lie on a disk: F files of 80-byte records, laid out like this by this system.
 *
 * The first record says where the directory is and how many names it has; then come the members, one behind the other, and then
 * the directory: five names a record, each with the first record of its member and how many there are.
 */
#include "library.h"

enum { DIRECTORY = 8, COUNT = 12, ENTRY = 16 };

const char *const library_kinds[LIBRARY_KINDS] = { "MACLIB", "TXTLIB", "LOADLIB", "DOSLIB" };
struct globals globals[LIBRARY_KINDS];

static const char first_word[] = "LIBRARY ";

int library_open(const struct fileid *id, struct library *library)
{
    u8 card[LIBRARY_CARD];
    u32 length;
    int error = file_open(id, EDF_READ, &library->file);

    if (error != EDF_OK)
        return error;
    error = edf_read(&library->file->file, 1, card, sizeof card, &length);
    if (error == EDF_OK && (length != LIBRARY_CARD || memcmp(card, first_word, 8) != 0))
        error = EDF_LENGTH;
    if (error != EDF_OK)
        return error == EDF_END ? EDF_LENGTH : error;
    library->directory = edf_word(card + DIRECTORY);
    library->members = edf_word(card + COUNT);
    return EDF_OK;
}

bool library_member(struct library *library, u32 number, struct member *member)
{
    u8 card[LIBRARY_CARD];
    u32 length;
    const u8 *entry = card + number % MEMBERS_OF_CARD * ENTRY;

    if (number >= library->members ||
        edf_read(&library->file->file, library->directory + number / MEMBERS_OF_CARD, card, sizeof card, &length) != EDF_OK)
        return false;
    memcpy(member->name, entry, sizeof(name));
    member->first = edf_word(entry + 8);
    member->count = edf_word(entry + 12);
    return true;
}

bool library_find(struct library *library, const name wanted, struct member *member)
{
    for (u32 n = 0; library_member(library, n, member); n++)
        if (memcmp(member->name, wanted, sizeof(name)) == 0)
            return true;
    return false;
}

void library_header(u8 card[LIBRARY_CARD], u32 directory, u32 members)
{
    memset(card, ' ', LIBRARY_CARD);
    memcpy(card, first_word, 8);
    edf_set_word(card + DIRECTORY, directory);
    edf_set_word(card + COUNT, members);
}

void library_entry(u8 *at, const struct member *member)
{
    memcpy(at, member->name, sizeof(name));
    edf_set_word(at + 8, member->first);
    edf_set_word(at + 12, member->count);
}
