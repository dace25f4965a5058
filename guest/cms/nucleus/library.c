/* Libraries that are read, name by name, and what GLOBAL has named (../lib/members.h: how they lie on a disk). */
#include "library.h"

const char *const library_kinds[LIBRARY_KINDS] = { "MACLIB", "TXTLIB", "LOADLIB", "DOSLIB" };
struct globals globals[LIBRARY_KINDS];

int library_open(const struct fileid *id, struct library *library)
{
    u8 card[LIBRARY_CARD];
    u32 length;
    int error = file_open(id, EDF_READ, &library->file);

    if (error != EDF_OK)
        return error;
    error = edf_read(&library->file->file, 1, card, sizeof card, &length);
    if (error == EDF_OK && (length != LIBRARY_CARD || !library_described(card, &library->directory, &library->members)))
        error = EDF_LENGTH;
    return error == EDF_END ? EDF_LENGTH : error;
}

bool library_member(struct library *library, u32 number, struct member *member)
{
    u8 card[LIBRARY_CARD];
    u32 length;
    const u8 *entry = card + number % MEMBERS_OF_CARD * MEMBER_ENTRY;

    if (number >= library->members ||
        edf_read(&library->file->file, library->directory + number / MEMBERS_OF_CARD, card, sizeof card,
                 &length) != EDF_OK)
        return false;
    library_member_at(entry, member);
    return true;
}

bool library_find(struct library *library, const name wanted, struct member *member)
{
    for (u32 n = 0; library_member(library, n, member); n++)
        if (memcmp(member->name, wanted, sizeof(name)) == 0)
            return true;
    return false;
}
