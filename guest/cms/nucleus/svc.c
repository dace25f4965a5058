/*
 * SVC 202 and 204: what programs ask of CMS.
 *
 * SVC 202: register 1 points at words of eight characters, X'FF' behind the last; its left byte says how the command is called,
 * and with 01 and 0B register 0 points at the line as typed (struct call). Behind the SVC may stand the address for errors:
 * a word whose first byte is zero. Register 15 gets the return code. SVC 204 is the same for programs anywhere in storage, with
 * a block of two words: the words' address, and the line's with the type in its left byte. SVC 255 is where programs return.
 *
 * Some functions are only for programs; they are looked for before the commands.
 */
#include "cms.h"

enum { SVC_CALL = 202, SVC_CALL_31 = 204, SVC_END = 255, ERROR_IGNORED = 1 };
enum { FSCB_BUFFER = 28, FSCB_SIZE = 32, FSCB_RECFM = 36, FSCB_FLAGS = 37, FSCB_READ = 40, FSCB_ITEM = 44, EXTENDED = 0x20 };

/* The program's own storage may be anywhere in its machine, and nowhere else. */
static bool within(u32 at, u32 length)
{
    u32 size = storage_bytes();

    return at < size && length <= size - at;
}

/* What a program may have overwritten: its user area, and what it obtained. */
static bool may_write(u32 at, u32 length)
{
    return at >= USER_FIRST && at <= USER_END && length <= USER_END - at;
}

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

static int state(u8 *plist)
{
    struct fileid id;
    struct disk *disk;
    u8 *fst;

    fileid_of(plist, &id);
    if (!find_file(&id, &disk, &fst))
        return RC_MISSING;
    edf_set_word(plist + FSCB_BUFFER, (u32)fst);
    return 0;
}

static bool function(u8 *plist, int *code)
{
    const char *word = (const char *)plist;

    if (memcmp(word, "RDBUF   ", 8) == 0)
        *code = rdbuf(plist);
    else if (memcmp(word, "WRBUF   ", 8) == 0)
        *code = wrbuf(plist);
    else if (memcmp(word, "FINIS   ", 8) == 0)
        *code = finis(plist);
    else if (memcmp(word, "TYPLIN  ", 8) == 0)
        *code = typlin(plist);
    else if (memcmp(word, "WAITRD  ", 8) == 0)
        *code = waitrd(plist);
    else if (memcmp(word, "ATTN    ", 8) == 0)
        *code = attn(plist);
    else if (memcmp(word, "STATE   ", 8) == 0)
        *code = state(plist);
    else
        return false;
    return true;
}

/* The words up to the fence, and the line if there is one. */
static int call(u32 plist, u8 call_type, u32 eplist)
{
    name token[TOKENS_MOST + 1];
    struct call made = { .token = token, .type = call_type };
    char line[TOKENS_MOST * 9];
    u32 at = plist & 0x7fffffff, length = 0;
    int code;

    if (!within(at, 48))
        return 2;
    if (may_write(at, 48) && function((u8 *)at, &code))
        return code;
    while (made.count < TOKENS_MOST && within(at, 8) && *(u8 *)at != 0xff) {
        memcpy(token[made.count++], (void *)at, 8);
        at += 8;
    }
    memset(token[made.count], 0xff, sizeof(name));
    if (made.count == 0)
        return NOT_FOUND;
    if ((call_type == CALL_COMMAND || call_type == CALL_TYPED) && within(eplist, 16)) {
        const u32 *words = (const u32 *)eplist;

        if (words[2] >= words[1] && words[1] >= words[0] && within(words[0], words[2] - words[0])) {
            made.line = (const char *)words[0];
            made.arguments = (const char *)words[1];
            made.end = (const char *)words[2];
            return perform_tokens(&made);
        }
    }
    /* Without a line the words are one. */
    for (u32 n = 0; n < made.count; n++) {
        length += format(line + length, sizeof line - length, n == 0 ? "%t" : " %t", token[n]);
        if (n == 0)
            made.arguments = line + length + 1;
    }
    made.line = line;
    made.end = line + length;
    if (made.arguments > made.end)
        made.arguments = made.end;
    return perform_tokens(&made);
}

/* From svc_handler: the frame is what the program goes on with. */
void svc_interrupt(struct frame *frame)
{
    u32 number = *(volatile u16 *)0x8a & 0xff, next = frame->psw[1] & 0x7fffffff;
    int code;

    if (number == SVC_END)
        leave_program((int)frame->gr[15]);
    if (number == SVC_CALL || number == SVC_CALL_31) {
        u32 plist = frame->gr[1], eplist = frame->gr[0];
        u8 how = (u8)(plist >> 24);

        if (number == SVC_CALL_31) {
            const u32 *block = (const u32 *)(plist & 0x7fffffff);

            how = CALL_TOKENS;
            if (within((u32)block, 8)) {
                plist = block[0];
                eplist = block[1] & 0xffffff;
                how = (u8)(block[1] >> 24);
            }
        } else {
            plist &= 0xffffff;
        }
        enable();
        attend();
        code = call(plist, how, eplist & 0x7fffffff);
        (void)disable();
        frame->gr[15] = (u32)code;
        if (number == SVC_CALL && within(next, 4) && *(u8 *)next == 0) {
            u32 error = edf_word((u8 *)next);

            frame->psw[1] = (frame->psw[1] & 0x80000000) | (code != 0 && error != ERROR_IGNORED ? error : next + 4);
        }
        return;
    }
    abend(0x0f8, "Invalid SVC");
}
