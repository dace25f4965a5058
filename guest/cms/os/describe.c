/*
 * DEVTYPE and RDJFCB: what FILEDEF has said of a data set, as programs of OS read it; OPEN TYPE=J takes it back.
 *
 * The job file control block (JFCB, 176 bytes) has no data set's name to tell, because files of CMS have none: DSNAME
 * is FN.FT.FM. A program that puts another there, another member or other lengths, opens that by OPEN TYPE=J.
 * ("DFSMSdfp Advanced Services": DEVTYPE, RDJFCB; the fields are where the mapping IEFJFCBN has them.)
 */
#include "os.h"

enum { JFCB_NAME = 0, NAME_LENGTH = 44, JFCB_MEMBER = 44, JFCB_HAS_MEMBER = 86, JFCB_DISPOSITION = 87, JFCB_DSORG = 98,
       JFCB_RECFM = 100, JFCB_BLOCK = 102, JFCB_LRECL = 104, JFCB_VOLUMES = 117, JFCB_VOLUME = 118, JFCB_LENGTH = 176 };
enum { MEMBER_THERE = 0x01, NEW = 0xc0, MOD = 0x80, OLD = 0x40, VOLUME_LENGTH = 6 };

static u32 half(const u8 *at) { return (u32)at[0] << 8 | at[1]; }

static void set_half(u8 *at, u32 value)
{
    at[0] = (u8)(value >> 8);
    at[1] = (u8)value;
}

/*
 * DEVTYPE: register 1 is at a DDNAME, 0 at two words: the device type as unit control blocks have it, and the longest
 * block. Register 15: 0, or 4, FILEDEF has not defined the name.
 */
void os_device_type(struct frame *frame)
{
    static const struct { u32 type, longest; } devices[] = {
        [ON_DISK] = { 0x3010200f, 32760 },      /* 3390 */
        [ON_TERMINAL] = { 0x10000820, 130 },
        [ON_PRINTER] = { 0x10000808, 132 },     /* 1403 */
        [ON_PUNCH] = { 0x10000802, 80 },        /* 2540 */
        [ON_READER] = { 0x10000801, 80 },
        [ON_NOTHING] = { 0, 0 },
        [ON_TAPE] = { 0x78008080, 32760 },      /* 3480 */
    };
    u32 dd = frame->gr[1] & 0xffffff, to = frame->gr[0] & 0xffffff;
    const struct filedef *what;

    if (!os_may_fetch(dd, sizeof(name)) || !os_may_store(to, 8))
        os_abend(0x0c4);
    what = filedef_find((const char *)dd);
    frame->gr[15] = what != NULL ? 0 : 4;
    if (what == NULL)
        return;
    edf_set_word((u8 *)to, devices[what->device].type);
    edf_set_word((u8 *)to + 4, devices[what->device].longest);
}

/* A JFCB for what a data set is. */
static void describe(const struct filedef *what, u8 *jfcb)
{
    struct disk *disk;
    u8 *fst;

    memset(jfcb, 0, JFCB_LENGTH);
    memset(jfcb + JFCB_NAME, ' ', NAME_LENGTH + sizeof(name));
    memset(jfcb + JFCB_VOLUME, ' ', VOLUME_LENGTH);
    jfcb[JFCB_DISPOSITION] = what->append ? MOD : NEW;
    if (what->device == ON_DISK) {
        char text[32];
        u32 length = format(text, sizeof text, "%t.%t.%c%c", what->id.fn, what->id.ft, what->id.fm[0], what->id.fm[1]);

        memcpy(jfcb + JFCB_NAME, text, length);
        if (!what->append && find_file(&what->id, &disk, &fst))
            jfcb[JFCB_DISPOSITION] = OLD;
    }
    if (what->member[0] != ' ' && what->member[0] != 0) {
        memcpy(jfcb + JFCB_MEMBER, what->member, sizeof(name));
        jfcb[JFCB_HAS_MEMBER] = MEMBER_THERE;
    }
    jfcb[JFCB_DSORG] = jfcb[JFCB_HAS_MEMBER] ? DSORG_PO : DSORG_PS;
    jfcb[JFCB_RECFM] = what->recfm == 'F' ? RECFM_F : what->recfm == 'V' ? RECFM_V : 0;
    set_half(jfcb + JFCB_BLOCK, what->block);
    set_half(jfcb + JFCB_LRECL, what->lrecl);
    if (what->device == ON_TAPE && what->volid[0] != ' ' && what->volid[0] != 0) {
        jfcb[JFCB_VOLUMES] = 1;
        memcpy(jfcb + JFCB_VOLUME, what->volid, VOLUME_LENGTH);
    }
}

/* RDJFCB: register 1 is at a list of data control blocks, whose lists of exits say where. Register 15: 0, or 4: one has
 * no such entry. */
void os_read_job(struct frame *frame)
{
    u32 list = frame->gr[1] & 0xffffff;
    u8 how = 0;

    frame->gr[15] = 0;
    for (; !(how & LIST_LAST); list += 4) {
        struct dataset set;
        u32 dcb, to;

        if (!os_may_fetch(list, 4) || !os_may_fetch(three(list), DCB_LENGTH))
            os_abend(0x0c4);
        how = *(const u8 *)list;
        dcb = three(list);
        to = os_exit_of(dcb, EXIT_JFCB);
        if (to == 0) {
            frame->gr[15] = 4;
            continue;
        }
        if (!os_may_store(to, JFCB_LENGTH))
            os_abend(0x0c4);
        memset(&set, 0, sizeof set);
        dataset_define("SOP", &set, (const char *)dcb + DCB_DDNAME);
        describe(&set.what, (u8 *)to);
    }
}

/* FN.FT.FM of a data set's name; false: it is something else. */
static bool file_named(const u8 *dsname, struct fileid *id)
{
    char *const parts[] = { id->fn, id->ft, id->fm };
    static const u32 most[] = { sizeof(name), sizeof(name), 2 };
    const char *at = (const char *)dsname, *end = at + length_of(at, NAME_LENGTH);

    for (u32 n = 0; n < COUNT_OF(parts); n++) {
        u32 length = 0;

        while (at + length < end && at[length] != '.')
            length++;
        if (length == 0 || length > most[n])
            return n == 2 && length == 0;
        memset(parts[n], ' ', most[n]);
        memcpy(parts[n], at, length);
        at += length + (at + length < end);
    }
    id->fm[1] = id->fm[1] == ' ' ? '1' : id->fm[1];
    return at == end && legal_name(id->fn) && legal_name(id->ft);
}

bool os_job_says(u32 dcb, struct filedef *what)
{
    const u8 *jfcb = (const u8 *)os_exit_of(dcb, EXIT_JFCB);
    struct fileid id = what->id;

    if (jfcb == NULL || !os_may_fetch((u32)jfcb, JFCB_LENGTH))
        return false;
    if (what->device == ON_DISK) {
        if (!file_named(jfcb + JFCB_NAME, &id))
            return false;
        what->id = id;
    }
    if (jfcb[JFCB_HAS_MEMBER] & MEMBER_THERE)
        memcpy(what->member, jfcb + JFCB_MEMBER, sizeof(name));
    what->append = jfcb[JFCB_DISPOSITION] == MOD;
    if (jfcb[JFCB_RECFM] != 0)
        what->recfm = jfcb[JFCB_RECFM] & RECFM_F ? 'F' : 'V';
    what->block = half(jfcb + JFCB_BLOCK);
    what->lrecl = half(jfcb + JFCB_LRECL);
    return true;
}
