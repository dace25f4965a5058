/*
 * Minidisks in use: which letter is which disk, and the way to their blocks.
 *
 * The mode letters A to Z are the order in which files are looked for. A disk that is an extension of another (B/A) can
 * only be read and comes after its letter's. Blocks go through DIAGNOSE X'A4'; what kind of disk it is says Read Device
 * Characteristics.
 */
#include "segment.h"

enum { READ_CHARACTERISTICS = 0x64, SLI = 0x20 };

static struct disk *by_letter[26];
enum saved_directory saved_directory;

static u32 index_of(char mode)
{
    return mode >= 'A' && mode <= 'I' ? (u32)(mode - 'A') : mode >= 'J' && mode <= 'R' ? (u32)(mode - 'J') + 9
         : mode >= 'S' && mode <= 'Z' ? (u32)(mode - 'S') + 18 : 26;
}

struct disk *disk_at(char mode)
{
    u32 n = index_of(mode);

    return n < 26 ? by_letter[n] : NULL;
}

/* The disk of the next letter from letter n (A is 0) on that has one; NULL: there is none. */
struct disk *disk_from(u32 *n)
{
    while (*n < 26) {
        struct disk *disk = by_letter[(*n)++];

        if (disk != NULL)
            return disk;
    }
    return NULL;
}

struct disk *disk_on(u16 vdev)
{
    for (u32 n = 0; n < 26; n++)
        if (by_letter[n] != NULL && by_letter[n]->vdev == vdev)
            return by_letter[n];
    return NULL;
}

static int disk_read(void *context, u32 block, u32 count, void *to)
{
    const struct disk *disk = context;

    return block_io(disk->vdev, disk->edf.size, false, block, count, to);
}

static int disk_write(void *context, u32 block, u32 count, const void *from)
{
    const struct disk *disk = context;

    return block_io(disk->vdev, disk->edf.size, true, block, count, (void *)from);
}

/* A command of CP's may have put another disk in the place of one. */
void disks_may_be_others(void)
{
    for (u32 n = 0; n < 26; n++)
        if (by_letter[n] != NULL)
            by_letter[n]->edf.ours = false;
}

struct edf_device disk_device(struct disk *disk, u32 size)
{
    disk->edf.size = size;
    return (struct edf_device){ .context = disk, .size = size, .fixed = disk->fixed, .read = disk_read,
                                .write = disk_write };
}

/* Records of `size` bytes on a track ("DASD capacity" of each device's reference). */
u32 blocks_of_track(u16 type, u32 size)
{
    static const struct { u16 type; u8 of_512, of_1k, of_2k, of_4k; } table[] = {
        { 0x3330, 20, 11, 6, 3 }, { 0x3340, 12, 7, 3, 2 }, { 0x3350, 27, 15, 8, 4 }, { 0x3375, 40, 25, 14, 8 },
        { 0x3380, 46, 31, 18, 10 }, { 0x3390, 49, 33, 21, 12 }, { 0x9345, 41, 28, 17, 10 },
    };

    for (u32 n = 0; n < COUNT_OF(table); n++)
        if (table[n].type == type)
            return size == 512 ? table[n].of_512 : size == 1024 ? table[n].of_1k : size == 2048 ? table[n].of_2k
                : table[n].of_4k;
    return 0;
}

/* What kind of disk a device is and how large; false: there is none, or it is no disk. */
bool disk_shape(u16 vdev, struct disk *disk)
{
    u8 data[64] __attribute__((aligned(8)));
    struct { u8 command, flags; u16 count; u32 address; } ccw __attribute__((aligned(8))) =
        { READ_CHARACTERISTICS, SLI, sizeof data, (u32)data };
    struct device device;

    if (!device_of(vdev, &device) || (device.class != 0x04 && device.class != 0x01))
        return false;
    memset(data, 0, sizeof data);
    disk->vdev = vdev;
    disk->read_only = device.read_only;
    disk->fixed = device.class == 0x01;
    if (channel_io(vdev, &ccw, NULL) != 0)
        return false;
    if (disk->fixed) {
        disk->type = 0x9336;
        disk->cylinders = edf_word(data + 14);
        disk->heads = 0;
        return true;
    }
    disk->type = (u16)(data[3] << 8 | data[4]);
    disk->cylinders = (u32)data[12] << 8 | data[13];
    disk->heads = (u32)data[14] << 8 | data[15];
    return true;
}

/* A disk that is only read, with the directory that a saved segment has of it; EDF_NOT_FOUND: there is none. */
static int open_saved(struct disk *disk)
{
    for (u32 size = 4096; size >= 512; size /= 2) {
        struct edf_device device = disk_device(disk, size);
        struct segment *segment, *before;
        name wanted;

        if (edf_open_label(&disk->edf, &device, false) != EDF_OK)
            continue;
        memcpy(wanted, disk->edf.label + ADT_SEGMENT, sizeof wanted);
        if (!legal_name(wanted))
            return EDF_NOT_FOUND;
        before = segment_known(wanted);
        if (before != NULL && !before->loaded)
            before = NULL;
        if (segment_load(wanted, false, &segment) != SEGMENT_DONE)
            return EDF_NOT_FOUND;
        if (edf_open_kept(&disk->edf, (u8 *)segment->first, segment->last + 1 - segment->first) == EDF_OK) {
            segment->by_access = segment->by_access || before == NULL;
            disk->segment = segment;
            return EDF_OK;
        }
        if (before == NULL)
            segment_purge(segment);
        return EDF_NOT_FOUND;
    }
    return EDF_NOT_FOUND;
}

/* Reads label and directory, whatever the block size is. */
static int open_disk(struct disk *disk, enum saved_directory how)
{
    int error = EDF_IO, best = EDF_IO;

    if (disk->read_only && how != NO_SAVED && (error = open_saved(disk)) == EDF_OK)
        return EDF_OK;
    if (how == ONLY_SAVED)
        return EDF_NOT_KEPT;
    for (u32 size = 4096; size >= 512; size /= 2) {
        struct edf_device device = disk_device(disk, size);

        error = edf_open_disk(&disk->edf, &device, !disk->read_only);
        if (error == EDF_OK || error == EDF_DAMAGED || error == EDF_STORAGE)
            return error;
        if (error == EDF_NO_LABEL)
            best = error;
    }
    return best;
}

void disk_enter(struct disk *disk) { by_letter[index_of(disk->mode)] = disk; }

void disk_release(char mode)
{
    u32 n = index_of(mode);
    struct disk *disk = n < 26 ? by_letter[n] : NULL;

    if (disk == NULL)
        return;
    files_finish_on(disk);
    by_letter[n] = NULL;
    edf_close_disk(&disk->edf);
    if (disk->segment != NULL && disk->segment->by_access) {
        bool others = false;

        for (u32 k = 0; k < 26; k++)
            others = others || (by_letter[k] != NULL && by_letter[k]->segment == disk->segment);
        if (!others)
            segment_purge(disk->segment);
    }
    release(disk);
}

/*
 * Takes a disk into use. The caller has released what had the letter. An error of edf.h; EDF_NOT_FOUND: no such device.
 */
int disk_access(u16 vdev, char mode, char extends, bool force_read_only, struct disk **found)
{
    struct disk *disk = obtain(sizeof *disk, OWNER_SYSTEM);
    enum saved_directory how = saved_directory;
    int error;

    saved_directory = USE_SAVED;
    *found = NULL;
    if (disk == NULL)
        return EDF_STORAGE;
    memset(disk, 0, sizeof *disk);
    memset(disk->only_name, ' ', sizeof(name));
    memset(disk->only_type, ' ', sizeof(name));
    disk->mode = mode;
    disk->extends = extends;
    if (!disk_shape(vdev, disk)) {
        release(disk);
        return EDF_NOT_FOUND;
    }
    disk->read_only = disk->read_only || force_read_only || extends != 0;
    error = open_disk(disk, how);
    if (error != EDF_OK) {
        release(disk);
        return error;
    }
    disk_enter(disk);
    *found = disk;
    return EDF_OK;
}

bool disk_is_current(struct disk *disk)
{
    struct disk now = { 0 };

    return disk_shape(disk->vdev, &now) && now.type == disk->type && now.cylinders == disk->cylinders &&
        edf_is_current(&disk->edf);
}

/* Whether a user of the disk sees the file: private ones are hidden on read-only disks, and what ACCESS left out. */
bool disk_shows(const struct disk *disk, const u8 *fst)
{
    char number = (char)fst[FST_MODE + 1];

    if (disk->read_only && number == '0')
        return false;
    if (disk->only_number != 0 && number != disk->only_number)
        return false;
    return (disk->only_name[0] == ' ' || matches(disk->only_name, fst + FST_NAME)) &&
           (disk->only_type[0] == ' ' || matches(disk->only_type, fst + FST_TYPE));
}
