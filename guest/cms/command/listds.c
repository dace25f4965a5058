/*
 * Disks of OS and DOS: ACCESS gives them a letter, and LISTDS, a part of the nucleus (volume/head.c), tells what is on
 * them. Their files have no names of CMS's, so CMS sees none there.
 *
 * Record 3 of the first track is the volume label, which says where the table of contents (VTOC) begins. The first
 * record of that says whose it is ("Using the VTOC", DFSMSdfp Advanced Services).
 */
#include "command.h"
#include "../nucleus/volumes.h"

enum { SEEK = 0x07, READ_R0 = 0x16, READ_CKD = 0x1e, CHAIN = 0x40, SLI = 0x20, LABEL_RECORD = 3, LABEL_VOLUME = 4,
       LABEL_VTOC = 11, LABEL_KEY_MOST = 4, FORMAT_4 = 0xf4, DSCB_FORMAT = COUNT_LENGTH + DSCB_KEY,
       DSCB_INDICATORS = DSCB_FORMAT + 14, BY_DOS = 0x80, BY_OS_TOO = 0x21, SMALLEST = 512 };

u32 track_records(const struct disk *disk, u32 cylinder, u32 head, u32 most, u32 size, u8 *to)
{
    struct ccw { u8 command, flags; u16 count; u32 address; } *ccw = obtain_command((most + 2) * sizeof *ccw);
    u32 heads = cylinder >> 16 << 4 | head, n = 0;
    u8 place[6] = { 0, 0, (u8)(cylinder >> 8), (u8)cylinder, (u8)(heads >> 8), (u8)heads }, record_0[16];

    memset(to, 0, most * size);
    ccw[0] = (struct ccw){ SEEK, CHAIN, sizeof place, (u32)place };
    ccw[1] = (struct ccw){ READ_R0, CHAIN | SLI, sizeof record_0, (u32)record_0 };
    for (; n < most; n++)
        ccw[n + 2] = (struct ccw){ READ_CKD, n + 1 < most ? CHAIN | SLI : SLI, (u16)size, (u32)to + n * size };
    /* Where the track has fewer, the rest is not there, or begins anew. */
    (void)channel_io(disk->vdev, ccw, NULL);
    release(ccw);
    for (n = 0; n < most && to[n * size + COUNT_RECORD] == n + 1;)
        n++;
    return n;
}

/* What the label says; false: it is no disk of theirs. */
static bool labelled(struct disk *disk)
{
    u8 bytes[LABEL_RECORD * DSCB_LENGTH], *label = bytes + (LABEL_RECORD - 1) * DSCB_LENGTH;

    if (disk->fixed || track_records(disk, 0, 0, LABEL_RECORD, DSCB_LENGTH, bytes) < LABEL_RECORD ||
        label[COUNT_KEY] > LABEL_KEY_MOST)
        return false;
    label += COUNT_LENGTH + label[COUNT_KEY];
    memcpy(disk->edf.label + ADT_LABEL, label + LABEL_VOLUME, 6);
    memcpy(disk->vtoc, label + LABEL_VTOC, sizeof disk->vtoc);
    return memcmp(label, "VOL1", 4) == 0;
}

/* Whose disk the first record of the table of contents says that it is; false: it is no such record. */
static bool described(struct disk *disk)
{
    u32 record = disk->vtoc[4];
    u8 *bytes = obtain_command((record + 1) * DSCB_LENGTH), *first = bytes + (record - 1) * DSCB_LENGTH;
    bool good = record > 0 && track_records(disk, (u32)disk->vtoc[0] << 8 | disk->vtoc[1], disk->vtoc[3], record,
                                            DSCB_LENGTH, bytes) == record &&
                first[COUNT_KEY] == DSCB_KEY && first[DSCB_FORMAT] == FORMAT_4;

    if (good)
        disk->system = (first[DSCB_INDICATORS] & (BY_DOS | BY_OS_TOO)) == BY_DOS ? DISK_OF_DOS : DISK_OF_OS;
    release(bytes);
    return good;
}

int volume_access(u16 vdev, char mode, char extends, int error, struct disk **found)
{
    struct disk *disk = obtain(sizeof *disk, OWNER_SYSTEM);

    if (disk == NULL)
        return EDF_STORAGE;
    memset(disk, 0, sizeof *disk);
    if (!disk_shape(vdev, disk) || !labelled(disk) || !described(disk)) {
        release(disk);
        return error;
    }
    memset(disk->only_name, ' ', sizeof(name));
    memset(disk->only_type, ' ', sizeof(name));
    disk->mode = mode;
    disk->extends = extends;
    disk->read_only = true;
    /* Of CMS's files there is only what every directory has. */
    disk->edf.size = SMALLEST;
    disk->edf.fsts = 2;
    disk_enter(disk);
    *found = disk;
    return EDF_OK;
}

const char *volume_status(const struct disk *disk)
{
    if (disk->system != DISK_OF_CMS)
        return disk->system == DISK_OF_OS ? "R/O - OS" : "R/O - DOS";
    return disk->read_only ? "R/O" : "R/W";
}

int listds_command(const struct call *call)
{
    const struct volumes_part *volumes = part_load(PART_VOLUMES);

    return volumes == NULL ? RC_MISSING : volumes->list(call);
}
