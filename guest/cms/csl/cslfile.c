/*
 * Callable services for files on minidisks: DMSOPEN, DMSCLOSE, DMSREAD, DMSWRITE, DMSEXIST, DMSERASE, DMSRENAM.
 *
 * A file that is open is called by a token until DMSCLOSE, or until the command that was typed has ended. Return codes:
 * 0; 4, done, but look at the reason; 8, not done; 12, CMS or a disk fails. Reason codes say more (enum below;
 * docs/cms.md has which are documented). There are no file pools: what is said of work units and of caches is taken and
 * means nothing.
 */
#include "csl.h"

enum { DONE = 0, WARNING = 4, ERROR = 8, SEVERE = 12 };
enum {
    SHORT_BUFFER = 10000, FILE_END = 10200, NOT_FOUND_REASON = 44000, THERE_ALREADY = 44200, NOT_ACCESSED = 44300,
    READ_ONLY = 44400,
    BAD_COUNT = 90110, BAD_TOKEN = 90310, BAD_FILEID = 90415, BAD_OPTION = 90420, BAD_LENGTH = 90450,
    NOT_FOR_THIS = 90500,
    NO_FILE = 90220, TOO_MANY_OPEN = 90600, DISK_FULL = 97100, NO_STORAGE = 97000, DEVICE = 98000, DISK_CHANGED = 98100,
};
enum { HANDLES = 64, RECORD_MOST = 1 << 20 };

/* Files that DMSOPEN has opened. `own`: it was not open before. */
static struct handle { name token; struct open_file *file; u32 opened; bool own; } handles[HANDLES];
static u32 tokens;

static int say(struct csl_call *call, int code, int reason)
{
    csl_set_number(&call->given[1], reason);
    return code;
}

static int say_error(struct csl_call *call, int error)
{
    switch (error) {
    case EDF_OK:
        return say(call, DONE, 0);
    case EDF_NOT_FOUND:
        return say(call, ERROR, NOT_FOUND_REASON);
    case EDF_EXISTS:
        return say(call, ERROR, THERE_ALREADY);
    case EDF_END:
        return say(call, ERROR, FILE_END);
    case EDF_READ_ONLY:
        return say(call, ERROR, READ_ONLY);
    case EDF_LENGTH:
        return say(call, ERROR, BAD_LENGTH);
    case EDF_FULL:
        return say(call, SEVERE, DISK_FULL);
    case EDF_STORAGE:
        return say(call, SEVERE, NO_STORAGE);
    case EDF_REPLACED:
        return say(call, SEVERE, DISK_CHANGED);
    default:
        return say(call, SEVERE, DEVICE);
    }
}

/* The next word of a text; false: there is none, or it has more than eight characters, which *bad says. */
static bool word_of(const struct csl_given *text, u32 *at, name word, bool *bad)
{
    u32 from;

    while (*at < text->length && text->at[*at] == ' ')
        ++*at;
    for (from = *at; *at < text->length && text->at[*at] != ' ';)
        ++*at;
    *bad = *at - from > sizeof(name);
    pad(word, sizeof(name), (const char *)text->at + from, *at - from);
    return *at > from && !*bad;
}

/* Name, type and perhaps mode; A if there is none. The case of name and type is as it was given. */
static bool fileid_of(const struct csl_given *text, bool any_mode, struct fileid *id)
{
    name mode, more;
    u32 at = 0;
    bool bad;

    memcpy(id->fm, "A ", 2);
    if (!word_of(text, &at, id->fn, &bad) || !word_of(text, &at, id->ft, &bad) || !legal_name(id->fn) ||
        !legal_name(id->ft))
        return false;
    if (!word_of(text, &at, mode, &bad))
        return !bad;
    mode[0] = upper(mode[0]);
    memcpy(id->fm, mode, 2);
    return legal_mode(mode) && mode[0] != '=' && mode[1] != '=' && (any_mode || mode[0] != '*') &&
        !word_of(text, &at, more, &bad) && !bad;
}

static int accessed(struct csl_call *call, const struct fileid *id, bool to_write)
{
    const struct disk *disk = disk_at(id->fm[0]);

    if (id->fm[0] == '*')
        return 0;
    if (disk == NULL)
        return say(call, ERROR, NOT_ACCESSED);
    return to_write && disk->read_only ? say(call, ERROR, READ_ONLY) : 0;
}

/* ---- DMSOPEN ---- */

struct how { char intent, recfm; };

/* How a file is to be opened; false: a word is not known, or says the contrary of another. */
static bool how_of(const struct csl_given *text, struct how *how)
{
    static const struct { const char *word; char intent, recfm; } words[] = {
        { "READ", 'R', 0 }, { "NEW", 'N', 0 }, { "WRITE", 'W', 0 }, { "REPLACE", 'P', 0 }, { "F", 0, 'F' },
        { "V", 0, 'V' },
        { "CACHE", 0, 0 }, { "NOCACHE", 0, 0 }, { "NEWDATEREF", 0, 0 }, { "OLDDATEREF", 0, 0 }, { "RECOVER", 0, 0 },
        { "NORECOVER", 0, 0 },
        { "INPLACE", 0, 0 }, { "NOTINPLACE", 0, 0 }, { "ALLOWEMPTY", 0, 0 }, { "SHORTDATE", 0, 0 },
        { "FULLDATE", 0, 0 }, { "ISODATE", 0, 0 },
    };
    u32 at = 0, n, length;
    char wanted[16];

    *how = (struct how){ 0 };
    for (;;) {
        while (at < text->length && text->at[at] == ' ')
            at++;
        if (at == text->length)
            return true;
        for (length = 0; at < text->length && text->at[at] != ' '; at++, length++)
            if (length < sizeof wanted)
                wanted[length] = upper((char)text->at[at]);
        for (n = 0; n < COUNT_OF(words); n++)
            if (length == strlen(words[n].word) && memcmp(wanted, words[n].word, length) == 0)
                break;
        if (n == COUNT_OF(words) || (words[n].intent != 0 && how->intent != 0) ||
            (words[n].recfm != 0 && how->recfm != 0))
            return false;
        how->intent = words[n].intent != 0 ? words[n].intent : how->intent;
        how->recfm = words[n].recfm != 0 ? words[n].recfm : how->recfm;
    }
}

static bool in_use(const struct handle *handle)
{
    return handle->file != NULL && file_stays(handle->file, handle->opened);
}

static struct handle *handle_of(const struct csl_given *token)
{
    for (u32 n = 0; n < HANDLES; n++)
        if (in_use(&handles[n]) && memcmp(handles[n].token, token->at, sizeof(name)) == 0)
            return &handles[n];
    return NULL;
}

static struct handle *free_handle(void)
{
    for (u32 n = 0; n < HANDLES; n++)
        if (!in_use(&handles[n]))
            return &handles[n];
    return NULL;
}

/*
 * A file without records gets the format that it is opened with; its first record says how long those of an F file are.
 */
static int shape(struct open_file *file, const struct how *how)
{
    if (!file->file.output)
        return EDF_OK;
    if (edf_word(file->file.fst + FST_RECORDS) != 0)
        return how->recfm == 0 || file->file.fst[FST_RECFM] == (u8)how->recfm ? EDF_OK : EDF_LENGTH;
    file->file.fst[FST_RECFM] = how->recfm == 'F' ? EDF_F : EDF_V;
    return EDF_OK;
}

/* The optional parameters: what the file is like. */
static void tell_shape(struct csl_call *call, const struct open_file *file)
{
    const u8 *fst = file->file.fst;

    if (call->count > 7)
        csl_set_number(&call->given[7], (int)edf_word(fst + FST_LRECL));
    if (call->count > 8)
        csl_set_number(&call->given[8], (int)edf_word(fst + FST_RECORDS));
    if (call->count > 9)
        call->given[9].at[0] = fst[FST_RECFM];
    if (call->count > 10)
        call->given[10].at[0] = fst[FST_MODE + 1];
}

static int open_routine(struct csl_call *call)
{
    struct handle *handle = free_handle();
    u32 before = files_opened();
    struct open_file *file;
    struct disk *disk;
    struct fileid id;
    struct how how;
    bool there;
    u8 *fst;
    int code, error;

    if (!how_of(&call->given[4], &how))
        return say(call, ERROR, BAD_OPTION);
    how.intent = how.intent == 0 ? 'R' : how.intent;
    if (!fileid_of(&call->given[2], how.intent == 'R', &id))
        return say(call, ERROR, BAD_FILEID);
    code = accessed(call, &id, how.intent != 'R');
    if (code != 0)
        return code;
    if (handle == NULL)
        return say(call, ERROR, TOO_MANY_OPEN);
    there = find_file(&id, &disk, &fst);
    if (how.intent == 'N' && there)
        return say(call, ERROR, THERE_ALREADY);
    error = file_open(&id, how.intent == 'R' ? EDF_READ : how.intent == 'W' ? EDF_UPDATE : EDF_NEW, &file);
    if (error != EDF_OK)
        return say_error(call, error);
    handle->own = file->opened > before;
    error = shape(file, &how);
    if (error != EDF_OK) {
        if (handle->own)
            file_abandon(file);
        return say_error(call, error);
    }
    /* A file that is read is this token's alone: it has its own place in it. */
    if (handle->own && how.intent == 'R')
        file->own = true;
    handle->file = file;
    handle->opened = file->opened;
    format(handle->token, sizeof(name), "%08x", ++tokens);
    memcpy(call->given[6].at, handle->token, sizeof(name));
    tell_shape(call, file);
    return say(call, DONE, 0);
}

/* ---- DMSCLOSE, DMSREAD, DMSWRITE ---- */

static int close_routine(struct csl_call *call)
{
    struct handle *handle = handle_of(&call->given[2]);
    int error;

    if (handle == NULL)
        return say(call, ERROR, BAD_TOKEN);
    error = handle->own ? file_finish(handle->file) : EDF_OK;
    handle->file = NULL;
    return say_error(call, error);
}

enum { TOKEN = 2, COUNT, LENGTH, BUFFER, ROOM, READ };

/* Several records at once must be of one length, and so of an F file. */
static int counts_of(struct csl_call *call, const struct open_file *file, u32 *count, u32 *length)
{
    *count = (u32)csl_number(&call->given[COUNT]);
    *length = (u32)csl_number(&call->given[LENGTH]);
    if (*count == 0 || *count > RECORD_MOST)
        return say(call, ERROR, BAD_COUNT);
    if (*count > 1 && file->file.fst[FST_RECFM] != EDF_F)
        return say(call, ERROR, NOT_FOR_THIS);
    if (*length > RECORD_MOST || (uint64_t)*count * *length > call->given[BUFFER].length)
        return say(call, ERROR, BAD_LENGTH);
    return 0;
}

static int read_routine(struct csl_call *call)
{
    struct handle *handle = handle_of(&call->given[TOKEN]);
    u32 count, length, done = 0, real;
    bool cut = false;
    int code, error = EDF_OK;

    csl_set_number(&call->given[READ], 0);
    if (handle == NULL)
        return say(call, ERROR, BAD_TOKEN);
    code = counts_of(call, handle->file, &count, &length);
    if (code != 0)
        return code;
    if (length == 0)
        length = call->given[BUFFER].length / count;
    for (u32 n = 0; n < count && error == EDF_OK; n++) {
        error = edf_read(&handle->file->file, handle->file->next_read, call->given[BUFFER].at + done, length, &real);
        if (error != EDF_OK)
            break;
        handle->file->next_read++;
        cut |= real > length;
        done += real < length ? real : length;
    }
    csl_set_number(&call->given[READ], (int)done);
    /* Some were there: the next call says that there are no more. */
    if (error == EDF_END && done > 0)
        error = EDF_OK;
    return error == EDF_OK && cut ? say(call, WARNING, SHORT_BUFFER) : say_error(call, error);
}

static int write_routine(struct csl_call *call)
{
    struct handle *handle = handle_of(&call->given[TOKEN]);
    u32 count, length;
    int code, error = EDF_OK;

    if (handle == NULL)
        return say(call, ERROR, BAD_TOKEN);
    if (!handle->file->file.output)
        return say(call, ERROR, NOT_FOR_THIS);
    code = counts_of(call, handle->file, &count, &length);
    if (code != 0)
        return code;
    for (u32 n = 0; n < count && error == EDF_OK; n++) {
        error = edf_write(&handle->file->file, handle->file->next_write, call->given[BUFFER].at + n * length, length);
        if (error == EDF_OK)
            handle->file->next_write++;
    }
    return say_error(call, error);
}

/* ---- DMSEXIST, DMSERASE, DMSRENAM ---- */

static int exist_routine(struct csl_call *call)
{
    struct fileid id;
    struct disk *disk;
    u8 *fst;
    u32 room;
    int code;

    if (!fileid_of(&call->given[2], true, &id))
        return say(call, ERROR, BAD_FILEID);
    code = accessed(call, &id, false);
    if (code != 0)
        return code;
    if (!find_file(&id, &disk, &fst))
        return say(call, ERROR, NO_FILE);
    if (call->count == 4)
        return say(call, DONE, 0);
    room = call->given[4].length;
    memcpy(call->given[4].at, fst, room < FST_LENGTH ? room : (u32)FST_LENGTH);
    return room < FST_LENGTH ? say(call, WARNING, SHORT_BUFFER) : say(call, DONE, 0);
}

static int erase_routine(struct csl_call *call)
{
    struct fileid id;
    struct disk *disk;
    u8 *fst;
    int code;

    if (!fileid_of(&call->given[2], false, &id))
        return say(call, ERROR, BAD_FILEID);
    code = accessed(call, &id, true);
    if (code != 0)
        return code;
    if (!find_file(&id, &disk, &fst) || disk->mode != id.fm[0])
        return say(call, ERROR, NOT_FOUND_REASON);
    return say_error(call, file_erase(disk, id.fn, id.ft));
}

static int rename_routine(struct csl_call *call)
{
    struct fileid old, new;
    struct open_file *open;
    struct disk *disk;
    int code, error;
    u8 *fst;

    if (!fileid_of(&call->given[2], false, &old) || !fileid_of(&call->given[4], false, &new) || old.fm[0] != new.fm[0])
        return say(call, ERROR, BAD_FILEID);
    code = accessed(call, &old, true);
    if (code != 0)
        return code;
    if (!find_file(&old, &disk, &fst) || disk->mode != old.fm[0])
        return say(call, ERROR, NOT_FOUND_REASON);
    while ((open = file_is_open(disk, fst)) != NULL) {
        error = file_finish(open);
        if (error != EDF_OK)
            return say_error(call, error);
        fst = edf_find(&disk->edf, (const u8 *)old.fn, (const u8 *)old.ft);
        if (fst == NULL)
            return say(call, ERROR, NOT_FOUND_REASON);
    }
    error = edf_rename(&disk->edf, fst, (const u8 *)new.fn, (const u8 *)new.ft,
                       new.fm[1] == ' ' ? fst[FST_MODE + 1] : (u8)new.fm[1]);
    return say_error(call, error == EDF_OK ? edf_commit(&disk->edf) : error);
}

/* ---- their templates ---- */

#define CODES { "retcode ", CSL_NUMBER, CSL_OUT, 0 }, { "reascode", CSL_NUMBER, CSL_OUT, 0 }
#define TEXT(called, length) { called, CSL_TEXT, CSL_IN, 0 }, { length, CSL_NUMBER, CSL_IN, 0 }
#define TOKEN_IN { "token   ", CSL_CHARACTERS, CSL_IN, 8 }

static const struct csl_parameter opening[] = {
    CODES, TEXT("fileid  ", "length1 "), TEXT("options ", "length2 "), { "token   ", CSL_CHARACTERS, CSL_OUT, 8 },
    { "lrecl   ", CSL_NUMBER, CSL_OUT, 0 }, { "numrecs ", CSL_NUMBER, CSL_OUT, 0 },
    { "recform ", CSL_CHARACTERS, CSL_OUT, 1 }, { "fm_no   ", CSL_CHARACTERS, CSL_OUT, 1 },
};
static const struct csl_parameter closing[] = { CODES, TOKEN_IN, TEXT("commit  ", "length1 ") };
static const struct csl_parameter reading[] = {
    CODES, TOKEN_IN, { "numrecs ", CSL_NUMBER, CSL_IN, 0 }, { "reclen  ", CSL_NUMBER, CSL_IN, 0 },
        { "buffer  ", CSL_TEXT, CSL_OUT, 0 },
    { "length1 ", CSL_NUMBER, CSL_IN, 0 }, { "read    ", CSL_NUMBER, CSL_OUT, 0 },
};
static const struct csl_parameter writing[] = {
    CODES, TOKEN_IN, { "numrecs ", CSL_NUMBER, CSL_IN, 0 }, { "reclen  ", CSL_NUMBER, CSL_IN, 0 },
        TEXT("buffer  ", "length1 "),
    TEXT("commit  ", "length2 "),
};
static const struct csl_parameter existing[] = {
    CODES, TEXT("fileid  ", "length1 "), { "buffer  ", CSL_TEXT, CSL_OUT, 0 }, { "length2 ", CSL_NUMBER, CSL_IN, 0 },
};
static const struct csl_parameter erasing[] = { CODES, TEXT("fileid  ", "length1 "), TEXT("commit  ", "length2 ") };
static const struct csl_parameter renaming[] = {
    CODES, TEXT("fileid1 ", "length1 "), TEXT("fileid2 ", "length2 "), TEXT("commit  ", "length3 "),
};

#define ROUTINE(called, list, least, perform, what) \
    { called, list, least, COUNT_OF(list), perform, what, "VMLIB   ", "        ", 0, 0, 0, 0, true, NULL }

const struct csl_routine csl_file_routines[] = {
    ROUTINE("DMSCLOSE", closing, 3, close_routine, "Closes a file"),
    ROUTINE("DMSERASE", erasing, 4, erase_routine, "Erases a file"),
    ROUTINE("DMSEXIST", existing, 4, exist_routine,
            "Says whether there is a file, and gives its file status table entry"),
    ROUTINE("DMSOPEN ", opening, 7, open_routine, "Opens a file: READ, NEW, WRITE, REPLACE"),
    ROUTINE("DMSREAD ", reading, 8, read_routine, "Reads records of a file that is open"),
    ROUTINE("DMSRENAM", renaming, 6, rename_routine, "Gives a file another name"),
    ROUTINE("DMSWRITE", writing, 7, write_routine, "Writes records to a file that is open"),
};
const u32 csl_file_count = COUNT_OF(csl_file_routines);
