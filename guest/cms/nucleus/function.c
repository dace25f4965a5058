/*
 * The functions that only programs call by SVC 202: files record by record, the terminal, the program stack, nucleus
 * extensions.
 *
 * The words of such a call are a block of the function's own (RDBUF and WRBUF: an FSCB), in the program's storage; some
 * functions put their results there, so a program must be able to change it itself.
 */
#include "program.h"

enum { FSCB_BUFFER = 28, FSCB_SIZE = 32, FSCB_RECFM = 36, FSCB_FLAGS = 37, FSCB_READ = 40, FSCB_ITEM = 44,
       EXTENDED = 0x20 };

/* The program's own storage may be anywhere in its machine, and nowhere else. */
static bool within(u32 at, u32 length)
{
    u32 size = storage_bytes();

    return at < size && length <= size - at;
}

static bool may_write(u32 at, u32 length) { return has_key(at, length, USER_KEY); }

static void fileid_of(const u8 *plist, struct fileid *id)
{
    memcpy(id->fn, plist + 8, 8);
    memcpy(id->ft, plist + 16, 8);
    memcpy(id->fm, plist + 24, 2);
}

static u32 item(const u8 *plist)
{
    return plist[FSCB_FLAGS] & EXTENDED ? edf_word(plist + FSCB_ITEM) : (u32)plist[26] << 8 | plist[27];
}

static int rdbuf(u8 *plist)
{
    u32 buffer = edf_word(plist + FSCB_BUFFER) & 0x7fffffff, size = edf_word(plist + FSCB_SIZE), length = 0, record;
    struct open_file *file;
    struct fileid id;
    int error;

    fileid_of(plist, &id);
    error = file_open(&id, EDF_READ, &file);
    if (error != EDF_OK)
        return error == EDF_NOT_FOUND ? 1 : 3;
    if (!may_write(buffer, size))
        return 2;
    record = item(plist) != 0 ? item(plist) : file->next_read;
    error = edf_read(&file->file, record, (void *)buffer, size, &length);
    if (error != EDF_OK)
        return error == EDF_END ? 12 : 3;
    file->next_read = record + 1;
    edf_set_word(plist + FSCB_READ, length < size ? length : size);
    return length > size ? 8 : 0;
}

static int wrbuf(const u8 *plist)
{
    u32 buffer = edf_word(plist + FSCB_BUFFER) & 0x7fffffff, size = edf_word(plist + FSCB_SIZE), record;
    struct open_file *file;
    struct fileid id;
    int error;

    fileid_of(plist, &id);
    if (plist[FSCB_RECFM] != EDF_F && plist[FSCB_RECFM] != EDF_V)
        return 11;
    if (!within(buffer, size))
        return 2;
    if (size == 0)
        return 8;
    if (!legal_name(id.fn) || !legal_name(id.ft))
        return 20;
    error = file_open(&id, EDF_UPDATE, &file);
    if (error != EDF_OK)
        return error == EDF_READ_ONLY ? 12 : error == EDF_NOT_FOUND ? 4 : 13;
    if (edf_word(file->file.fst + FST_RECORDS) == 0)
        file->file.fst[FST_RECFM] = plist[FSCB_RECFM];
    if (file->file.fst[FST_RECFM] != plist[FSCB_RECFM])
        return 16;
    record = item(plist) != 0 ? item(plist) : file->next_write;
    error = edf_write(&file->file, record, (void *)buffer, size);
    if (error == EDF_OK)
        file->next_write = record + 1;
    return error == EDF_OK ? 0 : error == EDF_FULL ? 13 : error == EDF_LENGTH ? 15 : 25;
}

static int finis(const u8 *plist)
{
    struct fileid id;
    struct disk *disk;
    u8 *fst;
    struct open_file *file;

    fileid_of(plist, &id);
    if (id.fn[0] == '*')
        return files_finish_all() == 0 ? 0 : 3;
    disk = disk_at(id.fm[0] == ' ' ? 'A' : id.fm[0]);
    file = disk != NULL ? file_is_open(disk, (u8 *)id.fn) : NULL;
    if (file == NULL && find_file(&id, &disk, &fst))
        file = file_is_open(disk, fst);
    return file == NULL ? 6 : file_finish(file) == EDF_OK ? 0 : 3;
}

static int typlin(const u8 *plist)
{
    u32 at = edf_word(plist + 8) & 0xffffff, length = (u32)plist[14] << 8 | plist[15];

    if (!within(at, length))
        return 2;
    type_line((const char *)at, length > LINE_MOST ? LINE_MOST : length);
    return 0;
}

static int waitrd(u8 *plist)
{
    u32 at = edf_word(plist + 8) & 0xffffff;
    char line[256];
    u32 length = read_line(line);

    if (length > 130)
        length = 130;
    if (!may_write(at, 130))
        return 2;
    memset((void *)at, ' ', 130);
    for (u32 n = 0; n < length; n++)
        ((char *)at)[n] = plist[12] == 'U' || plist[12] == 'V' ? upper(line[n]) : line[n];
    plist[14] = (u8)(length >> 8);
    plist[15] = (u8)length;
    return 0;
}

static int attn(const u8 *plist)
{
    u32 at = edf_word(plist + 12) & 0xffffff;

    if (!within(at, plist[12]))
        return 2;
    return stack_line((const char *)at, plist[12], plist[8] == 'L') ? 0 : 25;
}

/*
 * The entry of the file is a copy: its mode is the letter that the disk is accessed as, where the disk itself has the
 * one under which the file was written. The next STATE puts its own there.
 */
static int state(u8 *plist)
{
    static u8 copy[FST_LENGTH] __attribute__((aligned(8)));
    struct fileid id;
    struct disk *disk;
    u8 *fst;

    fileid_of(plist, &id);
    if (!find_file(&id, &disk, &fst))
        return RC_MISSING;
    memcpy(copy, fst, sizeof copy);
    copy[FST_MODE] = (u8)disk->mode;
    edf_set_word(plist + FSCB_BUFFER, (u32)copy);
    return 0;
}

static int point(u8 *plist)
{
    struct open_file *file;
    struct fileid id;
    u32 write = plist[FSCB_FLAGS] & EXTENDED ? edf_word(plist + 52) : (u32)plist[26] << 8 | plist[27];
    u32 read = plist[FSCB_FLAGS] & EXTENDED ? edf_word(plist + 56) : (u32)plist[28] << 8 | plist[29];

    fileid_of(plist, &id);
    if (file_open(&id, EDF_READ, &file) != EDF_OK)
        return 1;
    if (read != 0)
        file->next_read = read == 0xffffffff ? edf_word(file->file.fst + FST_RECORDS) + 1 : read;
    if (write != 0)
        file->next_write = write == 0xffffffff ? edf_word(file->file.fst + FST_RECORDS) + 1 : write;
    return 0;
}

/* CONWAIT has nothing to wait for: what is typed has been typed. */
static int nothing(u8 *plist) { (void)plist; return 0; }
static int finis_plist(u8 *plist) { return finis(plist); }
static int wrbuf_plist(u8 *plist) { return wrbuf(plist); }
static int typlin_plist(u8 *plist) { return typlin(plist); }
static int attn_plist(u8 *plist) { return attn(plist); }

static const struct { const char *name; int (*perform)(u8 *plist); } functions[] = {
    { "RDBUF", rdbuf }, { "WRBUF", wrbuf_plist }, { "FINIS", finis_plist }, { "POINT", point }, { "STATE", state },
    { "STATEW", state }, { "TYPLIN", typlin_plist }, { "WAITRD", waitrd }, { "ATTN", attn_plist },
    { "CONWAIT", nothing },
};

/* What only programs ask for; false: it is none of that. */
bool function(u8 *plist, struct frame *frame, int *code)
{
    if (is((const char *)plist, "NUCEXT") || is((const char *)plist, "SUBCOM")) {
        *code = extension_function(plist, &frame->gr[1], plist[0] == 'S');
        return true;
    }
    for (u32 n = 0; n < COUNT_OF(functions); n++) {
        if (!is((const char *)plist, functions[n].name))
            continue;
        *code = functions[n].perform(plist);
        return true;
    }
    return false;
}
