/*
 * FORMAT: a disk becomes an empty CMS disk. RESERVE: one with a single file.
 *
 * On count-key-data disks every track is written with records of the block size, their counts with the minidisk's own
 * cylinder numbers (CKD: Set File Mask, Search ID Equal for record 0, Write Count, Key and Data). What record 0 is
 * called is read first: it may have the cylinder of the volume. Then the file system is laid out.
 */
#include "command.h"

enum { SEEK = 0x07, SET_MASK = 0x1f, READ_R0 = 0x16, SEARCH_ID = 0x31, TIC = 0x08, WRITE_CKD = 0x1d, CHAIN = 0x40,
       CHAIN_DATA = 0x80, SLI = 0x20 };
enum { MOST_RECORDS = 64 };

struct ccw { u8 command, flags; u16 count; u32 address; };

struct track {
    struct ccw ccw[5 + 2 * MOST_RECORDS];
    u8 count[MOST_RECORDS][8], seek[6], mask, record_0[16];
};

static int format_track(const struct disk *disk, struct track *t, const u8 *zeros, u32 number, u32 size, u32 records)
{
    u32 cylinder = number / disk->heads, head = number % disk->heads, n = 0;
    u8 place[6] = { 0, 0, (u8)(cylinder >> 8), (u8)cylinder, (u8)(head >> 8), (u8)head };

    memcpy(t->seek, place, sizeof place);
    t->mask = 0xc0;
    t->ccw[n++] = (struct ccw){ SEEK, CHAIN, 6, (u32)t->seek };
    t->ccw[n++] = (struct ccw){ SET_MASK, CHAIN, 1, (u32)&t->mask };
    t->ccw[n++] = (struct ccw){ READ_R0, CHAIN | SLI, 16, (u32)t->record_0 };
    t->ccw[n++] = (struct ccw){ SEARCH_ID, CHAIN, 5, (u32)t->record_0 };
    t->ccw[n] = (struct ccw){ TIC, 0, 0, (u32)&t->ccw[n - 1] };
    n++;
    for (u32 record = 1; record <= records; record++) {
        u8 *count = t->count[record];

        memcpy(count, place + 2, 4);
        count[4] = (u8)record;
        count[5] = 0;
        count[6] = (u8)(size >> 8);
        count[7] = (u8)size;
        t->ccw[n++] = (struct ccw){ WRITE_CKD, CHAIN_DATA, 8, (u32)count };
        t->ccw[n++] = (struct ccw){ 0, record == records ? 0 : CHAIN, (u16)size, (u32)zeros };
    }
    return channel_io(disk->vdev, t->ccw, NULL);
}

/* Writes records to all tracks of so many cylinders. */
static int write_tracks(struct disk *disk, u32 size, u32 cylinders)
{
    u32 records = blocks_of_track(disk->type, size), tracks = cylinders * disk->heads;
    struct track *track = obtain_command(sizeof *track);
    u8 *zeros = obtain_command(size);
    int code = 0;

    memset(zeros, 0, size);
    for (u32 n = 0; code == 0 && n < tracks; n++) {
        code = format_track(disk, track, zeros, n, size, records);
        attend();
    }
    release(zeros);
    release(track);
    return code;
}

static int write_blocks(struct disk *disk, u32 size, u32 blocks)
{
    enum { AT_ONCE = 32 };
    u8 *zeros = obtain_command(AT_ONCE * size);
    int code = 0;

    memset(zeros, 0, AT_ONCE * size);
    for (u32 n = 0; code == 0 && n < blocks; n += AT_ONCE)
        code = block_io(disk->vdev, size, true, n + 1, blocks - n < AT_ONCE ? blocks - n : AT_ONCE, zeros);
    /* Before the disk is accessed: what that keeps would lie after it and divide free storage. */
    release(zeros);
    return code;
}

/* Asks for a label; a blank one is none. */
static bool ask_label(u8 label[6])
{
    char line[256];
    u32 length;

    message("FOR", 605, 'R');
    length = read_line(line);
    for (u32 n = 0; n < length; n++)
        line[n] = upper(line[n]);
    pad((char *)label, 6, line, length > 6 ? 6 : length);
    return length_of((char *)label, 6) > 0;
}

static bool confirmed(const char *module, const char *what, char mode, u16 vdev)
{
    char line[256];
    name answer_given[TOKENS_MOST + 1];
    u32 length;

    message(module, 603, 'R', what, mode, vdev);
    type("Enter 1 (YES) or 0 (NO).");
    length = read_line(line);
    return tokenize(line, length, answer_given) == 1 && (is(answer_given[0], "1") ||
                                                         abbreviates(answer_given[0], "YES", 1));
}

static int problem(char mode, u16 vdev)
{
    message("FOR", 112, 'S', mode, vdev);
    return RC_IO;
}

static int relabel(char mode, u16 vdev)
{
    struct disk *disk;
    u8 label[6];
    int error;

    disk_release(mode);
    error = disk_access(vdev, mode, 0, false, &disk);
    if (error != EDF_OK)
        return problem(mode, vdev);
    if (disk->read_only) {
        message("FOR", 37, 'E', mode, vdev);
        return RC_DISK;
    }
    if (!ask_label(label))
        return 0;
    return edf_relabel(&disk->edf, label) == EDF_OK ? 0 : problem(mode, vdev);
}

/* The disk is to have so many cylinders, or blocks of 512; its files stay. */
static int recompute(char mode, u16 vdev, u32 amount)
{
    struct disk *disk;
    u32 blocks;
    u8 *bytes;
    int error;

    disk_release(mode);
    error = disk_access(vdev, mode, 0, false, &disk);
    if (error != EDF_OK) {
        message("FOR", error == EDF_NO_LABEL ? 115 : 112, 'S', mode, vdev);
        return RC_IO;
    }
    if (disk->read_only) {
        message("FOR", 37, 'E', mode, vdev);
        return RC_DISK;
    }
    blocks = disk->fixed ? amount / (disk->edf.size / 512) : amount * disk->heads * blocks_of_track(disk->type,
        disk->edf.size);
    bytes = obtain_command(disk->edf.size);
    /* What was never formatted cannot be used. */
    error = block_io(vdev, disk->edf.size, false, blocks, 1, bytes) != 0 ? EDF_IO : EDF_OK;
    release(bytes);
    if (error == EDF_OK)
        error = edf_resize(&disk->edf, blocks, amount);
    if (error == EDF_FULL) {
        message("FOR", 216, 'E');
        message("FOR", 705, 'I');
        return RC_IO;
    }
    if (error != EDF_OK) {
        disk_release(mode);
        return problem(mode, vdev);
    }
    message("FOR", 732, 'I', amount, disk->fixed ? "FB-512 blocks" : "cylinders", mode, vdev);
    return 0;
}

/* RESERVE fn ft fm: a disk becomes one file. */
int reserve_command(const struct call *call)
{
    u8 label[6];
    u32 words = operands(call), cylinders, most;
    struct edf_device device;
    struct disk *disk;
    struct fileid id;
    char mode, text[24];
    u16 vdev;
    int error;

    if (words != 4 || call->count != 4) {
        if (words > 4)
            message("RSV", 70, 'E', call->token[4]);
        else
            message("RSV", words < 2 ? 42 : 54, 'E');
        return RC_SYNTAX;
    }
    if (!parse_fileid("RSV", call, 1, 3, &id))
        return RC_SYNTAX;
    if (!legal_name(id.fn) || !legal_name(id.ft)) {
        message("RSV", 62, 'E', '*', show_id(&id, text));
        return 20;
    }
    mode = id.fm[0];
    disk = disk_at(mode);
    if (disk == NULL || disk->read_only)
        return file_problem("RSV", disk == NULL ? EDF_NOT_FOUND : EDF_READ_ONLY, &id, true);
    vdev = disk->vdev;
    if (!confirmed("RSV", "RESERVE", mode, vdev))
        return 8;
    message("RSV", 733, 'I', mode);
    memcpy(label, disk->edf.label + ADT_LABEL, sizeof label);
    cylinders = edf_word(disk->edf.label + ADT_CYLINDERS);
    most = edf_word(disk->edf.label + ADT_MOST_CYLINDERS);
    device = disk_device(disk, disk->edf.size);
    error = edf_format(&device, disk->edf.blocks, cylinders, most, label);
    disk_release(mode);
    if (error == EDF_OK)
        error = disk_access(vdev, mode, 0, false, &disk);
    if (error == EDF_OK)
        error = edf_reserve(&disk->edf, (const u8 *)id.fn, (const u8 *)id.ft);
    if (error != EDF_OK) {
        disk_release(mode);
        message("RSV", error == EDF_FULL ? 216 : 112, error == EDF_FULL ? 'E' : 'S', mode, vdev);
        return RC_IO;
    }
    return 0;
}

static bool block_size(const name text, u32 *size)
{
    static const struct { const char *word; u32 size; } sizes[] = {
        { "512", 512 }, { "1024", 1024 }, { "1K", 1024 }, { "2048", 2048 }, { "2K", 2048 }, { "4096", 4096 },
        { "4K", 4096 },
    };

    for (u32 n = 0; n < COUNT_OF(sizes); n++)
        if (is(text, sizes[n].word)) {
            *size = sizes[n].size;
            return true;
        }
    return false;
}

static int make(struct disk *disk, char mode, u32 size, u32 amount, bool write)
{
    u32 records = disk->fixed ? 0 : blocks_of_track(disk->type, size);
    u32 blocks = disk->fixed ? amount / (size / 512) : amount * disk->heads * records;
    struct edf_device device;
    u8 label[6];
    int error;

    if (!ask_label(label))
        return 0;
    message("FOR", 733, 'I', mode);
    if (write && (disk->fixed ? write_blocks(disk, size, blocks) : write_tracks(disk, size, amount)) != 0)
        return problem(mode, disk->vdev);
    device = disk_device(disk, size);
    error = edf_format(&device, blocks, amount, disk->cylinders, label);
    if (error != EDF_OK)
        return problem(mode, disk->vdev);
    message("FOR", 732, 'I', amount, disk->fixed ? "FB-512 blocks" : "cylinders", mode, disk->vdev);
    return 0;
}

int format_command(const struct call *call)
{
    int only_label = 0, erase = 1, again = 0, code;
    name size_text = "4096    ";
    const struct option known[] = {
        WORD("BLKSIZE", 3, &size_text), FLAG("LABEL", 5, &only_label, 1),
        FLAG("RECOMP", 6, &again, 1), FLAG("NOERASE", 7, &erase, 0), FLAG("ERASE", 5, &erase, 1),
    };
    u32 words = operands(call), vdev, size, amount;
    struct disk *disk, *old;
    char mode;

    code = options("FOR", call, known, COUNT_OF(known));
    if (code != 0)
        return code;
    if (!block_size(size_text, &size)) {
        message("FOR", 29, 'E', size_text, "BLKSIZE ");
        return RC_SYNTAX;
    }
    if (words < 3) {
        message("FOR", 50, 'E', call->token[words - 1]);
        return RC_SYNTAX;
    }
    if (!parse_hex(call->token[1], name_length(call->token[1]), &vdev) || vdev > 0xffff) {
        message("FOR", 17, 'E', call->token[1]);
        return RC_SYNTAX;
    }
    mode = call->token[2][0];
    if (name_length(call->token[2]) != 1 || !is_letter(mode)) {
        message("FOR", 48, 'E', call->token[2]);
        return RC_SYNTAX;
    }
    old = disk_on((u16)vdev);
    if (old != NULL && old->mode != mode && !old->read_only) {
        message("FOR", 59, 'E', vdev, old->mode);
        return RC_DISK;
    }
    disk = obtain_command(sizeof *disk);
    memset(disk, 0, sizeof *disk);
    if (unsupported_device((u16)vdev)) {
        message("FOR", 114, 'S', vdev);
        return RC_UNSUPPORTED;
    }
    if (!disk_shape((u16)vdev, disk)) {
        message("FOR", 113, 'S', (const char[]){ mode, 0 }, vdev);
        return RC_IO;
    }
    if (disk->read_only) {
        message("FOR", 37, 'E', mode, vdev);
        return RC_DISK;
    }
    amount = disk->cylinders;
    if (words > 3 && (!parse_number(call->token[3], name_length(call->token[3]), &amount) || amount == 0 ||
                      amount > disk->cylinders)) {
        message("FOR", 70, 'E', call->token[3]);
        return RC_SYNTAX;
    }
    if (again)
        return recompute(mode, (u16)vdev, amount);
    if (only_label)
        return relabel(mode, (u16)vdev);
    if (!confirmed("FOR", "FORMAT", mode, (u16)vdev))
        return 8;
    disk_release(mode);
    code = make(disk, mode, size, amount, erase != 0);
    if (code == 0 && disk_access((u16)vdev, mode, 0, false, &old) != EDF_OK)
        code = problem(mode, (u16)vdev);
    return code;
}
