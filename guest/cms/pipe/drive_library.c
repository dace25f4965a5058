/* Stages about which files there are, and about members of libraries. */
#include "../nucleus/library.h"
#include "drive.h"

/* ---- STATE ---- */

/* fn ft fm recfm lrecl records blocks date time */
static u32 describe(const struct disk *disk, const u8 *fst, char line[96])
{
    struct fileid id;
    struct stamp at;

    id_of(disk, fst, &id);
    stamp_of(fst, &at);
    return format(line, 96, "%-8t %-8t %c%c %c %10u %10u %10u %2u/%02u/%02u %2u:%02u:%02u", id.fn, id.ft, id.fm[0],
                  id.fm[1],
                  fst[FST_RECFM], edf_word(fst + FST_LRECL), edf_word(fst + FST_RECORDS), edf_word(fst + FST_BLOCKS),
                      at.month, at.day, at.year % 100, at.hour, at.minute, at.second);
}

/* One file identifier; a file that is not there goes to the secondary output. */
static int look(struct stage *s, struct text record, bool write, bool *missing)
{
    struct text rest = record, word;
    struct fileid id;
    struct disk *disk;
    char line[96];
    u32 words = 0;
    u8 *fst;

    memset(&id, ' ', sizeof id);
    for (; words < 3 && next_word(&rest, &word); words++) {
        if (words < 2)
            name_from(word, words == 0 ? id.fn : id.ft);
        else if (mode_word(word))
            id.fm[0] = upper(word.at[0]), id.fm[1] = word.length > 1 ? word.at[1] : ' ';
        else
            return stage_error(s, 145, word.at, word.length);
    }
    if (words == 0)
        return 0;
    if (id.fm[0] == ' ')
        id.fm[0] = '*';
    if (words > 1 && find_file(&id, &disk, &fst) && !(write && disk->read_only))
        return stage_output_to(s, 0, line, describe(disk, fst, line));
    *missing = true;
    return stage_output_to(s, 1, record.at, record.length) == END_OF_FILE && !stage_has_output(s, 0) ? END_OF_FILE : 0;
}

static int state(struct stage *s, struct text arguments, bool write)
{
    struct text record;
    bool missing = false;
    int code;

    if (stage_commit(s, 0) != 0)
        return 0;
    code = look(s, arguments, write, &missing);
    while (code == 0 && stage_peek(s, &record) == 0) {
        code = look(s, record, write, &missing);
        if (code == 0)
            stage_consume(s);
    }
    if (code != 0 && code != END_OF_FILE)
        return code;
    return missing && stage_outputs(s) < 2 ? RC_MISSING : 0;
}

int state_stage(struct stage *s, struct text arguments) { return state(s, arguments, false); }
int statew_stage(struct stage *s, struct text arguments) { return state(s, arguments, true); }

/* ---- libraries ---- */

struct opened { struct open_file *file; u32 opened; };

static void close_library(void *with)
{
    struct opened *opened = with;

    if (file_stays(opened->file, opened->opened))
        (void)file_finish(opened->file);
}

static int open_library(struct stage *s, struct fileid *id, struct library *library)
{
    struct opened *opened = stage_obtain(s, sizeof *opened);
    char text[24];
    int error;

    if (id->fm[0] == ' ')
        id->fm[0] = '*';
    error = library_open(id, library);
    show_id(id, text);
    if (error == EDF_NOT_FOUND)
        return stage_error(s, 146, text, (u32)strlen(text));
    if (error == EDF_LENGTH)
        return stage_error(s, 151, text, (u32)strlen(text));
    if (error != EDF_OK)
        return file_error(s, error, id, false);
    *opened = (struct opened){ library->file, library->file->opened };
    library->file->own = true;
    stage_at_end(s, close_library, opened);
    return 0;
}

/* LISTPDS: the names of a library's members. */
int listpds_stage(struct stage *s, struct text arguments)
{
    struct library library;
    struct member member;
    struct fileid id;
    char line[40];
    int error = next_fileid(s, &arguments, &id);

    if (error != 0 || (error = no_more(s, arguments)) != 0 || (error = open_library(s, &id, &library)) != 0)
        return error;
    u32 opened = library.file->opened;

    for (u32 n = 0; file_stays(library.file, opened) && library_member(&library, n, &member); n++)
        if (stage_output(s, line, format(line, sizeof line, "%-8t %10u %10u", member.name, member.first,
                                         member.count)) != 0)
            break;
    return 0;
}

static int members_of(struct stage *s, struct library *library, u32 opened, struct text words, bool *more)
{
    struct member member;
    struct text word;
    char card[LIBRARY_CARD];
    u32 length;
    name wanted;

    while (*more && next_word(&words, &word)) {
        name_from(word, wanted);
        if (!file_stays(library->file, opened) || word.length > 8 || !library_find(library, wanted, &member))
            return stage_error(s, 152, word.at, word.length);
        for (u32 n = 0; *more && n < member.count && file_stays(library->file, opened); n++) {
            int error = edf_read(&library->file->file, member.first + n, card, sizeof card, &length);

            if (error != EDF_OK) {
                struct fileid id;

                id_of(library->file->disk, library->file->file.fst, &id);
                return file_error(s, error, &id, false);
            }
            *more = stage_output(s, card, length < sizeof card ? length : sizeof card) == 0;
        }
    }
    return 0;
}

/* MEMBERS: the records of the members that the arguments name, then of those that come in. */
int members_stage(struct stage *s, struct text arguments)
{
    struct library library;
    struct fileid id;
    struct text record;
    bool more = true;
    int error = next_fileid(s, &arguments, &id);

    if (error != 0 || (error = open_library(s, &id, &library)) != 0)
        return error;
    if (stage_commit(s, 0) != 0)
        return 0;
    u32 opened = library.file->opened;

    error = members_of(s, &library, opened, arguments, &more);
    while (error == 0 && more && stage_peek(s, &record) == 0) {
        error = members_of(s, &library, opened, record, &more);
        stage_consume(s);
    }
    return error;
}
