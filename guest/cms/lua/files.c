/* Files of CMS, record by record: the functions RDBUF, WRBUF, FINIS and STATE. */
#include "port.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* The block of these functions (nucleus/function.c). */
struct fscb {
    char function[8];
    struct fileid id;
    uint16_t item;
    void *buffer;
    u32 size;
    char format;
    u8 flags;
    uint16_t items;
    u32 read, number, count, write_at, read_at;
};

enum { EXTENDED = 0x20, CODE_SHORT_BUFFER = 8 };
/* A file status table entry. */
enum { FST_MODE = 0x18, FST_RECFM = 0x1e, FST_LRECL = 0x20, FST_RECORDS = 0x30, FST_STAMP = 0x36 };

bool fileid_of(const char *name, size_t length, struct fileid *id)
{
    char *part[3] = { id->fn, id->ft, id->fm };
    static const u8 most[3] = { 8, 8, 2 };
    size_t at = 0;
    u32 n = 0;

    memcpy(id->fn, "        LUA     * ", sizeof *id);
    for (;; n++) {
        u32 k = 0;

        while (at < length && (name[at] == ' ' || name[at] == '.'))
            at++;
        if (at == length)
            return n > 0;
        if (n == 3)
            return false;
        memset(part[n], ' ', most[n]);
        for (; at < length && name[at] != ' ' && name[at] != '.'; at++) {
            int c = (u8)name[at];

            if ((!isalnum(c) && strchr("$#@+-:_*", c) == NULL) || (c == '*' && n < 2))
                return false;
            /* A name is its first eight characters, as in a command. */
            if (k < most[n])
                part[n][k++] = (char)toupper(c);
        }
        if (n == 2 && !isalpha((u8)id->fm[0]) && id->fm[0] != '*')
            return false;
    }
}

static u32 word_at(const u8 *at) { return (u32)at[0] << 24 | (u32)at[1] << 16 | (u32)at[2] << 8 | at[3]; }

static void begin(struct fscb *fscb, const char *function, const struct fileid *id)
{
    memset(fscb, 0, sizeof *fscb);
    memset(fscb->function, ' ', 8);
    memcpy(fscb->function, function, strlen(function));
    fscb->id = *id;
}

static int call(struct fscb *fscb)
{
    struct port *mine = port;
    int code = svc_words(fscb);

    port = mine;
    return code;
}

bool file_facts(const struct fileid *id, struct file_facts *facts)
{
    struct fscb fscb;
    const u8 *fst;

    begin(&fscb, "STATE", id);
    if (call(&fscb) != 0)
        return false;
    fst = fscb.buffer;
    facts->recfm = (char)fst[FST_RECFM];
    facts->lrecl = word_at(fst + FST_LRECL);
    facts->records = word_at(fst + FST_RECORDS);
    memcpy(facts->fm, fst + FST_MODE, 2);
    memcpy(facts->stamp, fst + FST_STAMP, 6);
    return true;
}

int record_read(const struct fileid *id, u32 number, void *to, u32 room, u32 *length)
{
    struct fscb fscb;
    int code;

    begin(&fscb, "RDBUF", id);
    fscb.buffer = to;
    fscb.size = room;
    fscb.flags = EXTENDED;
    fscb.number = number;
    code = call(&fscb);
    *length = code == 0 || code == CODE_SHORT_BUFFER ? fscb.read : 0;
    return code == CODE_SHORT_BUFFER ? 0 : code;
}

int record_write(const struct fileid *id, u32 number, const void *from, u32 length, char recfm)
{
    struct fscb fscb;

    begin(&fscb, "WRBUF", id);
    fscb.buffer = (void *)from;
    fscb.size = length;
    fscb.format = recfm;
    fscb.flags = EXTENDED;
    fscb.number = number;
    return call(&fscb);
}

int file_finish(const struct fileid *id)
{
    struct fscb fscb;
    int code;

    begin(&fscb, "FINIS", id);
    code = call(&fscb);
    /* 6: it is not open. */
    return code == 6 ? 0 : code;
}

int file_replace(const struct fileid *id, bool forget)
{
    struct request request = { forget ? SERVICE_FORGET : SERVICE_REPLACE, { (u32)id, sizeof *id } };

    return ask(&request);
}

int file_erase(const struct fileid *id)
{
    struct file_facts facts;
    char text[40] = "ERASE ";

    if (!file_facts(id, &facts))
        return 28;
    (void)file_finish(id);
    memcpy(text + 6, id->fn, 8);
    text[14] = ' ';
    memcpy(text + 15, id->ft, 8);
    text[23] = ' ';
    memcpy(text + 24, facts.fm, 2);
    return command(text, 26, CALL_COMMAND);
}

int error_of(int code, bool writing)
{
    switch (code) {
    case 0:
        return 0;
    case 1:
        return ENOENT;
    case 4:
    case 12:
        return writing ? EACCES : 0;
    case 13:
        return ENOSPC;
    case 15:
        return EFBIG;
    case 16:
    case 20:
        return EINVAL;
    case 25:
        return ENOMEM;
    case 28:
        return ENOENT;
    default:
        return EIO;
    }
}
