/*
 * Files by name, type and mode: finding them on the accessed disks, opening, closing.
 *
 * Files stay open from one use to the next, with a place to read and one to write, until FINIS or the end of the
 * command that was typed. Closing the last output file of a disk commits what was written to it.
 */
#include "cms.h"

static struct open_file *open_files;
static u32 opened_files;

/* `*` stands for any characters, `%` for one. */
static bool matches_from(const char *pattern, u32 p, const char *text, u32 t)
{
    for (; p > 0; pattern++, p--, text++, t--) {
        if (*pattern == '*') {
            for (u32 n = 0; n <= t; n++)
                if (matches_from(pattern + 1, p - 1, text + n, t - n))
                    return true;
            return false;
        }
        if (t == 0 || (*pattern != '%' && *pattern != *text))
            return false;
    }
    return t == 0;
}

bool matches(const name pattern, const u8 *text)
{
    return matches_from(pattern, length_of(pattern, 8), (const char *)text, length_of((const char *)text, 8));
}

static bool legal_character(char c)
{
    static const char special[] = "$#@+-:_";

    if ((c >= 'A' && c <= 'I') || (c >= 'J' && c <= 'R') || (c >= 'S' && c <= 'Z') || is_digit(c) || upper(c) != c)
        return true;
    for (u32 n = 0; n < sizeof special - 1; n++)
        if (special[n] == c)
            return true;
    return false;
}

/* Whether a file can be called that. */
bool legal_name(const name text)
{
    u32 length = name_length(text);

    for (u32 n = 0; n < length; n++)
        if (!legal_character(text[n]))
            return false;
    return length > 0;
}

void id_of(const struct disk *disk, const u8 *fst, struct fileid *id)
{
    memcpy(id->fn, fst + FST_NAME, 8);
    memcpy(id->ft, fst + FST_TYPE, 8);
    id->fm[0] = disk->mode;
    id->fm[1] = (char)fst[FST_MODE + 1];
}

const char *show_id(const struct fileid *id, char text[24])
{
    format(text, 24, id->fm[0] == ' ' ? "%t %t" : "%t %t %c", id->fn, id->ft, id->fm[0]);
    if (id->fm[1] != ' ')
        format(text, 24, "%t %t %c%c", id->fn, id->ft, id->fm[0], id->fm[1]);
    return text;
}

/* A, A1, *, or = for either part. */
bool legal_mode(const name token)
{
    bool letter = token[0] == '*' || token[0] == '=' || (legal_character(token[0]) && upper(token[0]) == token[0] &&
                  token[0] >= 'A' && token[0] <= 'Z' && !is_digit(token[0]));

    return letter && name_length(token) <= 2 && (token[1] == ' ' || token[1] == '=' ||
                                                 (token[1] >= '0' && token[1] <= '6'));
}

static bool parse_mode(const char *module, const name token, char fm[2])
{
    if (!legal_mode(token)) {
        message(module, 48, 'E', token);
        return false;
    }
    fm[0] = token[0];
    fm[1] = token[1];
    return true;
}

/*
 * The file identifier in the call's words from `first` on, of which there are `count` (0 to 3): what is not there is
 * blank. False: it is none, and the message has been typed.
 */
bool parse_fileid(const char *module, const struct call *call, u32 first, u32 count, struct fileid *id)
{
    memset(id, ' ', sizeof *id);
    if (count > 0)
        memcpy(id->fn, call->token[first], 8);
    if (count > 1)
        memcpy(id->ft, call->token[first + 1], 8);
    return count < 3 || parse_mode(module, call->token[first + 2], id->fm);
}

/*
 * The operands from word `first` on are one file: name, type and perhaps mode. A return code, and the message has been
 * typed.
 */
int one_fileid(const char *module, const struct call *call, u32 first, struct fileid *id)
{
    u32 words = operands(call);

    if (words > first + 3) {
        message(module, 70, 'E', call->token[first + 3]);
        return RC_SYNTAX;
    }
    if (words < first + 2) {
        message(module, words <= first ? 42 : 54, 'E');
        return RC_SYNTAX;
    }
    return parse_fileid(module, call, first, words - first, id) ? 0 : RC_SYNTAX;
}

/* Files that match; a blank mode means A, `*` all. The extensions of a disk follow it. */
void search_begin(struct search *search, const struct fileid *wanted)
{
    memset(search, 0, sizeof *search);
    search->wanted = *wanted;
    if (search->wanted.fm[0] == ' ')
        search->wanted.fm[0] = 'A';
    search->letter = 0;
}

static struct disk *next_disk(struct search *search)
{
    char wanted = search->wanted.fm[0];
    struct disk *disk;

    do
        disk = disk_from(&search->letter);
    while (disk != NULL && wanted != '*' && disk->mode != wanted && disk->extends != wanted);
    return disk;
}

bool search_next(struct search *search)
{
    for (;;) {
        if (search->disk == NULL) {
            search->disk = next_disk(search);
            search->number = 0;
            if (search->disk == NULL)
                return false;
        }
        while ((search->fst = edf_entry(&search->disk->edf, search->number)) != NULL) {
            const u8 *fst = search->fst;
            char number = search->wanted.fm[1];

            search->number++;
            if (matches(search->wanted.fn, fst + FST_NAME) && matches(search->wanted.ft, fst + FST_TYPE) &&
                (number == ' ' || number == (char)fst[FST_MODE + 1]) && disk_shows(search->disk, fst))
                return true;
        }
        search->disk = NULL;
    }
}

/* The file with exactly that name; the first in the order of search. */
bool find_file(const struct fileid *id, struct disk **found, u8 **fst)
{
    struct search search;

    search_begin(&search, id);
    while ((search.disk = next_disk(&search)) != NULL) {
        u8 *at = edf_find(&search.disk->edf, (const u8 *)id->fn, (const u8 *)id->ft);

        if (at != NULL && disk_shows(search.disk, at) && (id->fm[1] == ' ' || id->fm[1] == (char)at[FST_MODE + 1])) {
            *found = search.disk;
            *fst = at;
            return true;
        }
    }
    return false;
}

struct open_file *file_is_open(const struct disk *disk, const u8 *fst)
{
    for (struct open_file *file = open_files; file != NULL; file = file->chain)
        if (!file->own && file->disk == disk && memcmp(file->file.fst, fst, 16) == 0)
            return file;
    return NULL;
}

/*
 * Opens a file. EDF_UPDATE makes one that is not there. A file that is open already in the same way is that one.
 */
int file_open(const struct fileid *id, enum edf_how how, struct open_file **opened)
{
    struct open_file *file;
    struct disk *disk;
    u8 *fst;
    bool there = find_file(id, &disk, &fst);
    int error;

    if (!there || how != EDF_READ) {
        if (how == EDF_READ)
            return EDF_NOT_FOUND;
        if (!there || id->fm[0] != '*')
            disk = disk_at(id->fm[0] == ' ' ? 'A' : id->fm[0]);
        if (disk == NULL)
            return EDF_NOT_FOUND;
        if (disk->read_only)
            return EDF_READ_ONLY;
        there = edf_find(&disk->edf, (const u8 *)id->fn, (const u8 *)id->ft) != NULL;
    }
    file = how == EDF_NEW ? NULL : file_is_open(disk, (const u8 *)id->fn);
    if (file != NULL && (how == EDF_READ || file->file.output)) {
        *opened = file;
        return EDF_OK;
    }
    if (file != NULL)
        file_finish(file);
    file = obtain(sizeof *file, OWNER_SYSTEM);
    if (file == NULL)
        return EDF_STORAGE;
    memset(file, 0, sizeof *file);
    if (how == EDF_UPDATE && !there)
        how = EDF_NEW;
    error = edf_open(&disk->edf, &file->file, (const u8 *)id->fn, (const u8 *)id->ft, how);
    if (error != EDF_OK) {
        release(file);
        return error;
    }
    if (how == EDF_NEW) {
        file->file.fst[FST_MODE] = (u8)disk->mode;
        file->file.fst[FST_MODE + 1] = (u8)(id->fm[1] == ' ' ? '1' : id->fm[1]);
    }
    file->disk = disk;
    file->next_read = 1;
    file->next_write = edf_word(file->file.fst + FST_RECORDS) + 1;
    file->opened = ++opened_files;
    file->chain = open_files;
    open_files = file;
    *opened = file;
    return EDF_OK;
}

static void unchain(struct open_file *file)
{
    struct open_file **at = &open_files;

    while (*at != file)
        at = &(*at)->chain;
    *at = file->chain;
    release(file);
}

/* Closes a file; one of mode number 3 is erased when it has been read. */
int file_finish(struct open_file *file)
{
    struct disk *disk = file->disk;
    bool output = file->file.output, once = !output && file->file.fst[FST_MODE + 1] == (u8)'3' && !disk->read_only;
    u8 id[16];
    int error;

    memcpy(id, file->file.fst, sizeof id);
    error = edf_close(&file->file);
    unchain(file);
    if (error == EDF_OK && once)
        error = edf_erase(&disk->edf, id, id + 8);
    if (error == EDF_OK && (output || once))
        error = edf_commit(&disk->edf);
    return error;
}

/* Erases a file, if it is there; one that is open is closed. */
int file_erase(struct disk *disk, const name fn, const name ft)
{
    struct open_file *open;
    u8 *fst;
    int error;

    while ((fst = edf_find(&disk->edf, (const u8 *)fn, (const u8 *)ft)) != NULL &&
           (open = file_is_open(disk, fst)) != NULL)
        (void)file_finish(open);
    if (fst == NULL)
        return EDF_OK;
    error = edf_erase(&disk->edf, (const u8 *)fn, (const u8 *)ft);
    return error == EDF_OK ? edf_commit(&disk->edf) : error;
}

/* What was written to it is forgotten. */
void file_abandon(struct open_file *file)
{
    edf_abandon(&file->file);
    unchain(file);
}

/* Closes those of a disk that is not to be in use any more. */
void files_finish_on(const struct disk *disk)
{
    for (struct open_file *file = open_files, *next; file != NULL; file = next) {
        next = file->chain;
        if (file->disk == disk)
            (void)file_finish(file);
    }
}

/* Closes everything. 0, or a return code, and the messages have been typed. */
int files_finish_all(void)
{
    int code = 0;

    while (open_files != NULL) {
        struct fileid id;
        int error;

        id_of(open_files->disk, open_files->file.fst, &id);
        error = file_finish(open_files);
        if (error != EDF_OK)
            code = file_problem("CMS", error, &id, true);
    }
    return code;
}

u32 files_opened(void) { return opened_files; }

/* Whether the one that was opened then is still open. */
bool file_stays(const struct open_file *file, u32 opened)
{
    const struct open_file *at = open_files;

    while (at != NULL && at != file)
        at = at->chain;
    return at != NULL && at->opened == opened;
}

/* A command that cannot go on: what it has not closed is not written. */
void files_abandon(u32 opened)
{
    for (struct open_file *file = open_files, *next; file != NULL; file = next) {
        next = file->chain;
        if (file->opened > opened)
            file_abandon(file);
    }
}

/* Types the message for an error of the file system and returns the command's return code. */
int file_problem(const char *module, int error, const struct fileid *id, bool writing)
{
    char text[24];
    struct disk *disk;

    if (error == EDF_OK)
        return 0;
    disk = disk_at(id->fm[0] == ' ' ? 'A' : id->fm[0]);
    show_id(id, text);
    switch (error) {
    case EDF_NOT_FOUND:
        if (writing && disk == NULL) {
            message(module, 69, 'E', id->fm[0]);
            return RC_DISK;
        }
        message(module, 2, 'E', text);
        return RC_MISSING;
    case EDF_EXISTS:
        message(module, 24, 'E', text, strcmp(module, "CPY") == 0 ? "; specify REPLACE option" : "");
        return RC_MISSING;
    case EDF_END:
        message(module, 10, 'E', text);
        return 40;
    case EDF_READ_ONLY:
        message(module, 37, 'E', disk != NULL ? disk->mode : '?', disk != NULL ? disk->vdev : 0);
        return RC_DISK;
    case EDF_FULL:
        message(module, 107, 'S', disk != NULL ? disk->mode : '?', disk != NULL ? disk->vdev : 0);
        return RC_IO;
    case EDF_REPLACED:
        message(module, 2066, 'S', disk != NULL ? disk->mode : '?', disk != NULL ? disk->vdev : 0);
        return RC_IO;
    case EDF_STORAGE:
        message(module, 109, 'S');
        return RC_STORAGE;
    case EDF_LENGTH:
        message(module, 32, 'E', text);
        return RC_FORMAT;
    default:
        message(module, writing ? 105 : 104, 'S', error == EDF_DAMAGED ? 13 : 3, text);
        return RC_IO;
    }
}
