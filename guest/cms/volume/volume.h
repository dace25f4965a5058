/*
 * Disks of OS and DOS: what their table of contents says; and volumes of CP's. LISTDS and CPFMTXA are a part of the
 * nucleus that is loaded when it is wanted.
 *
 * The table of contents (VTOC) is records of 140 bytes (DSCBs), each with a key of 44: format 4 is the table itself,
 * format 1 (or 8) a data set, whose name is the key, and format 3 more of its extents. The layouts are those of "Using
 * the VTOC" (DFSMSdfp Advanced Services).
 */
#ifndef VOLUME_H
#define VOLUME_H

#include "../command/command.h"
#include "../nucleus/volumes.h"

/* A DSCB as it was read; its first bytes are its place. */
struct dscb { u8 place[5], key_length, data_length[2], key[DSCB_KEY], data[DSCB_DATA]; };
_Static_assert(sizeof(struct dscb) == DSCB_LENGTH, "a DSCB with its count");

/* In the data of all of them, of a data set, and of the table itself. */
enum { DSCB_ID = 0, DSCB_NEXT = 91, SET_CREATED = 9, SET_DSORG = 38, SET_RECFM = 40, SET_BLKSIZE = 42, SET_LRECL = 44,
       SET_EXTENTS = 61, SET_EXTENT_COUNT = 3, TABLE_CYLINDERS = 18, TABLE_HEADS = 20, TABLE_RECORDS = 30,
       TABLE_BLOCKS = 31, TABLE_EXTENT = 61, TABLE_LARGE = 88, EXTENT_LENGTH = 10, MANY_CYLINDERS = 0xfffe };
/* A DSCB with more extents: 4 in its key, 9 in its data. */
enum { MORE_KEY = 4, MORE_KEY_COUNT = 4, MORE_DATA = 1, MORE_DATA_COUNT = 9 };
enum { IS_DATA_SET = 0xf1, IS_MORE = 0xf3, IS_TABLE = 0xf4, IS_LARGE_DATA_SET = 0xf8, IS_LARGE_MORE = 0xf9 };

/* Tracks, counted from the beginning of the volume. */
struct extent { u32 first, last; u8 type, sequence; };
enum { EXTENT_DATA = 0x01, EXTENT_OVERFLOW = 0x02, EXTENT_INDEX = 0x04, EXTENT_LABELS = 0x40, EXTENT_SPLIT = 0x80,
       EXTENT_CYLINDERS = 0x81, EXTENT_TABLE = 0xff };

struct contents {
    const struct disk *disk;
    struct dscb *dscb;          /* those in use; the first is the table itself */
    u32 count, cylinders, heads;
};
struct extents { struct extent *at; u32 count, room; bool wrong; /* some make no sense */ };

/* vtoc.c */
bool contents_read(struct contents *contents, const struct disk *disk);     /* false: it could not be read */
void contents_forget(struct contents *contents);
bool is_data_set(const struct dscb *dscb);
void add_extents(const struct contents *contents, const struct dscb *of, struct extents *to);
void sort_extents(struct extents *extents);
static inline u32 half(const u8 *at) { return (u32)at[0] << 8 | at[1]; }

/* members.c: the names in the directory of a partitioned data set; their number, or NO_DIRECTORY. */
enum { NO_DIRECTORY = -1 };
int members_type(const struct contents *contents, const struct extents *extents);

/* listds.c */
int list_volume(const struct call *call);

/* cpfmtxa.c */
int format_volume(const struct call *call);

/* checksum.c: of an allocation map, or of as many other bytes; more than 240. */
uint64_t check_sum(const u8 *bytes, u32 length);

#endif
