/* What the nucleus has of disks of OS and DOS, and the part that lists them (volume/head.c, command/listds.c). */
#ifndef VOLUMES_H
#define VOLUMES_H

#include "cms.h"

struct volumes_part {
    int (*list)(const struct call *call);
    int (*format)(const struct call *call);
};

/*
 * command/listds.c: the first records of a track from 1 on, `most` at the most, each in `size` bytes: its count, its
 * key, its data. How many there are.
 */
u32 track_records(const struct disk *disk, u32 cylinder, u32 head, u32 most, u32 size, u8 *to);

/* A record's count: CCHHR, the length of its key, and of its data. */
enum { COUNT_RECORD = 4, COUNT_KEY = 5, COUNT_DATA = 6, COUNT_LENGTH = 8 };
/* A record of the table of contents (DSCB). */
enum { DSCB_KEY = 44, DSCB_DATA = 96, DSCB_LENGTH = COUNT_LENGTH + DSCB_KEY + DSCB_DATA };

#endif
