/*
 * A library (MACLIB, TXTLIB) that is written member by member: MOVEFILE to a member, BPAM's WRITE and STOW.
 *
 * Members are written where the directory was, which is kept in storage meanwhile and written after the last of them at
 * the end. What was on the disk stays there until the file is closed. What belongs to no name is not taken out: MACLIB
 * COMP does that.
 */
#include "dataset.h"
#include "../nucleus/library.h"

enum { NAMES_MOST = 4000, NAME_THERE = 4, NAME_MISSING = 8, NO_ROOM = 12, NOT_WRITTEN = 16 };

struct directory {
    u32 count, first;           /* `first`: where the member that is being written begins */
    bool anew, changed;         /* there was no file; the directory is to be written */
    struct member member[NAMES_MOST];
};

static int put_card(struct dataset *out, u32 number, const u8 card[LIBRARY_CARD])
{
    return edf_write(&out->file->file, number, card, LIBRARY_CARD);
}

/* The library's directory into storage. An EDF error; EDF_LENGTH: it is no library. */
static int take_directory(struct dataset *out, struct directory *directory)
{
    u8 card[LIBRARY_CARD];
    u32 at, length;
    int error = edf_read(&out->file->file, 1, card, sizeof card, &length);

    if (error != EDF_OK || length != LIBRARY_CARD || !library_described(card, &at, &directory->count) || at < 2 ||
        directory->count > NAMES_MOST)
        return error != EDF_OK ? error : EDF_LENGTH;
    directory->first = at;
    for (u32 n = 0; n < directory->count; n++) {
        if (n % MEMBERS_OF_CARD == 0)
            error = edf_read(&out->file->file, at++, card, sizeof card, &length);
        if (error != EDF_OK)
            return error;
        library_member_at(card + n % MEMBERS_OF_CARD * MEMBER_ENTRY, &directory->member[n]);
    }
    return EDF_OK;
}

/* The file is open for EDF_UPDATE. */
int partitioned_begin(const char *module, struct dataset *out)
{
    const u8 *fst = out->file->file.fst;
    struct directory *directory = obtain_command(sizeof *directory);
    u8 card[LIBRARY_CARD];
    char text[24];
    int error = EDF_OK;

    directory->count = 0;
    directory->first = 2;
    directory->anew = edf_word(fst + FST_RECORDS) == 0;
    directory->changed = false;
    if (fst[FST_RECFM] != EDF_F || edf_word(fst + FST_LRECL) != LIBRARY_CARD) {
        error = EDF_LENGTH;
    } else if (directory->anew) {
        library_header(card, 0, 0);
        error = put_card(out, 1, card);
    } else {
        error = take_directory(out, directory);
    }
    if (error == EDF_OK) {
        out->directory = directory;
        out->number = directory->first - 1;
        return 0;
    }
    release(directory);
    file_abandon(out->file);
    out->file = NULL;
    if (error != EDF_LENGTH)
        return file_problem(module, error, &out->what.id, true);
    message(module, 33, 'E', show_id(&out->what.id, text));
    return RC_FORMAT;
}

static struct member *entry_of(struct directory *directory, const name called)
{
    for (u32 n = 0; n < directory->count; n++)
        if (memcmp(directory->member[n].name, called, sizeof(name)) == 0)
            return &directory->member[n];
    return NULL;
}

bool partitioned_find(const struct dataset *out, const name called, struct member *member)
{
    const struct member *found = entry_of(out->directory, called);

    if (found != NULL)
        *member = *found;
    return found != NULL;
}

/* What has been put since the last is a member now; `alias_of` is not 0: another name of the one that begins there. */
static int enter(struct dataset *out, struct member *entry, const name called, u32 alias_of, u32 *first)
{
    struct directory *directory = out->directory;
    struct member made = { .first = directory->first, .count = out->number + 1 - directory->first };
    u8 card[LIBRARY_CARD];

    if (entry == NULL && directory->count == NAMES_MOST)
        return NO_ROOM;
    memcpy(made.name, called, sizeof(name));
    if (alias_of != 0) {
        const struct member *of = NULL;

        for (u32 n = 0; n < directory->count && of == NULL; n++)
            if (directory->member[n].first == alias_of)
                of = &directory->member[n];
        if (of == NULL)
            return NAME_MISSING;
        made.first = of->first;
        made.count = of->count;
    } else {
        if (is(out->what.id.ft, "MACLIB")) {
            library_delimiter(card);
            if (put_card(out, ++out->number, card) != EDF_OK)
                return NOT_WRITTEN;
        }
        directory->first = out->number + 1;
    }
    *(entry != NULL ? entry : &directory->member[directory->count++]) = made;
    directory->changed = true;
    *first = made.first;
    return 0;
}

/* `other`: the name that STOW_CHANGE gives the member. */
int partitioned_stow(struct dataset *out, enum stow what, const name called, const name other, u32 alias_of,
                     u32 *first)
{
    struct directory *directory = out->directory;
    struct member *entry = entry_of(directory, called);
    int code;

    switch (what) {
    case STOW_ADD:
        return entry != NULL ? NAME_THERE : enter(out, NULL, called, alias_of, first);
    case STOW_REPLACE:
        code = enter(out, entry, called, alias_of, first);
        return code == 0 && entry == NULL ? NAME_MISSING : code;
    case STOW_CHANGE:
        if (entry == NULL || entry_of(directory, other) != NULL)
            return entry == NULL ? NAME_MISSING : NAME_THERE;
        memcpy(entry->name, other, sizeof(name));
        break;
    default:
        if (entry == NULL)
            return NAME_MISSING;
        memmove(entry, entry + 1, (u32)(&directory->member[--directory->count] - entry) * sizeof *entry);
    }
    directory->changed = true;
    return 0;
}

static int write_directory(struct dataset *out)
{
    const struct directory *directory = out->directory;
    u32 at = directory->first;
    u8 card[LIBRARY_CARD];
    int error = EDF_OK;

    for (u32 n = 0; n < directory->count && error == EDF_OK; n += MEMBERS_OF_CARD) {
        memset(card, ' ', sizeof card);
        for (u32 k = 0; k < MEMBERS_OF_CARD && n + k < directory->count; k++)
            library_entry(card + MEMBER_ENTRY * k, &directory->member[n + k]);
        error = put_card(out, at++, card);
    }
    library_header(card, directory->first, directory->count);
    if (error == EDF_OK)
        error = put_card(out, 1, card);
    return error == EDF_OK ? edf_truncate(&out->file->file, at - 1) : error;
}

/* Closes the file. What FILEDEF has called a member is one now. A return code. */
int partitioned_end(const char *module, struct dataset *out, int code)
{
    const char *called = out->what.member;
    struct directory *directory = out->directory;
    int error = EDF_OK;
    u32 first;

    if (code == 0 && called[0] != ' ' && !is(called, "*") &&
        (out->number + 1 > directory->first || !directory->changed)) {
        code = partitioned_stow(out, STOW_REPLACE, called, NULL, 0, &first);
        code = code == NAME_MISSING ? 0 : code;
    }
    if (code == 0 && directory->changed)
        error = write_directory(out);
    out->directory = NULL;
    if (code == 0 && error == EDF_OK && directory->changed)
        error = file_finish(out->file);
    else
        file_abandon(out->file);
    release(directory);
    return error == EDF_OK ? code : file_problem(module, error, &out->what.id, true);
}
