/*
 * The EDF file system: files of records on a CMS minidisk.
 *
 * A minidisk is a row of blocks of one size (512, 1024, 2048 or 4096 bytes), numbered from 1. Blocks 1 and 2 are for
 * IPL, 3 is the label (on fixed-block disks the label has its own place), 4 and 5 are the two homes of the directory's
 * first block. The directory is itself a file of 64-byte entries, the file status table (FST); so is the allocation
 * map, of bits.
 *
 * Nothing that a committed directory leads to is ever written over. Changed data, pointer, directory and map blocks go
 * to blocks that were free; edf_commit() then writes the first directory block to that one of blocks 4 and 5 that is
 * not current, and at last the label, which says which one is. That single write is the commit: a program that looks
 * after a crash finds the old directory or the new one.
 *
 * The folder knows no CMS: it asks for storage, blocks and the time through what is declared here, and compiles on any
 * host. Layouts: "CMS Application Development Guide for Assembler" (FSTD) and CMS Data Areas (ADTSECT).
 */
#ifndef EDF_H
#define EDF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;

/* What a call found wrong; the numbers are this folder's own. */
enum edf_error {
    EDF_OK = 0,
    EDF_NOT_FOUND,      /* no such file */
    EDF_EXISTS,         /* there is such a file */
    EDF_END,            /* no such record: the file ends before it */
    EDF_FULL,           /* no block is free */
    EDF_READ_ONLY,      /* the disk may only be read */
    EDF_IO,             /* the device failed */
    EDF_DAMAGED,        /* what is on the disk makes no sense */
    EDF_NO_LABEL,       /* not an EDF disk */
    EDF_STORAGE,        /* no storage */
    EDF_NOT_KEPT,       /* no saved segment keeps its directory */
    EDF_LENGTH,         /* the record's length is not one that the file can have */
    EDF_REPLACED,       /* another disk is in its place, or another user has changed it */
};

/*
 * A device in blocks of `size` bytes, numbered from 1. Each call is for `count` blocks that follow one another; 0 is
 * success.
 */
struct edf_device {
    void *context;
    u32 size;
    bool fixed;         /* a fixed-block disk, whose label is at byte 512 */
    int (*read)(void *context, u32 block, u32 count, void *to);
    int (*write)(void *context, u32 block, u32 count, const void *from);
};

/* nucleus/storage.c: what the surroundings provide. */
void *edf_get(size_t size);              /* storage, not cleared; NULL if there is none */
void edf_put(void *storage);             /* gives it back; NULL is nothing */

/* nucleus/cp.c */
void edf_now(u8 stamp[7]);               /* 00 or 08 (20xx), then packed YYMMDDHHMMSS */

/* Label. */
enum {
    ADT_ID = 0x00, ADT_LABEL = 0x04, ADT_VERSION = 0x0a, ADT_SIZE = 0x0c, ADT_DOP = 0x10, ADT_CYLINDERS = 0x14,
    ADT_MOST_CYLINDERS = 0x18, ADT_BLOCKS = 0x1c, ADT_USED = 0x20, ADT_FST_SIZE = 0x24, ADT_FSTS = 0x28,
    ADT_CREATED = 0x2c, ADT_CENTURY = 0x32, ADT_OFFSET = 0x34, ADT_SEGMENT = 0x48, ADT_LENGTH = 80,
};

/* File status table entry. */
enum {
    FST_NAME = 0x00, FST_TYPE = 0x08, FST_MMDD = 0x10, FST_HHMM = 0x12, FST_MODE = 0x18, FST_COUNT16 = 0x1a,
    FST_RECFM = 0x1e, FST_FLAGS = 0x1f, FST_LRECL = 0x20, FST_YEAR = 0x26, FST_FOP = 0x28, FST_BLOCKS = 0x2c,
    FST_RECORDS = 0x30, FST_LEVELS = 0x34, FST_POINTER = 0x35, FST_STAMP = 0x36, FST_LENGTH = 64,
    FST_CENTURY_FLAG = 0x08,
};

enum { EDF_F = 0xc6, EDF_V = 0xe5 };     /* record formats, as FST_RECFM has them */
/* The longest records; and no file has more records than EDF_MOST_F. */
enum { EDF_MOST_V = 65535, EDF_MOST_F = 0x7fffffff };
#define EDF_CONTINUED 0xffffffffu        /* no record begins in a block of a V file */

/* A data block of a file: where it is (0: nowhere, all zeros), and of V files what begins in it. */
struct edf_entry {
    u32 block;
    u32 highest;        /* V: the highest record that begins in this block or before */
    /* V: where the first record that begins here begins (in the last block: or would), or EDF_CONTINUED. */
    u32 displacement;
    bool fresh;         /* allocated since the last commit: may be written in place */
};

/* A tree of pointer blocks, flat. No file has more data blocks than there can be entries. */
enum { EDF_MOST_BLOCKS = 0x7fffffff / sizeof(struct edf_entry) };
struct edf_tree {
    struct edf_entry *entry;
    u32 count, room;
    u32 *pointer;       /* the pointer blocks that are on the disk */
    u32 pointers;
};

/* A minidisk in use. */
struct edf {
    struct edf_device device;
    bool writable;
    bool broken;        /* a commit failed: only reading it anew helps */
    u32 size, blocks, used;
    u8 label[ADT_LENGTH];
    u8 seen[ADT_LENGTH];    /* the label as it is on the disk; nothing: there is none yet */
    bool ours;          /* since the last commit it was looked whether that is still so */
    /* The directory, entries of FST_LENGTH; the first two are the directory and the map themselves. */
    u8 *fst;
    u32 fsts, fst_room;
    u8 *fst_dirty;      /* a byte for each directory block */
    struct edf_tree directory;
    u8 *map;            /* a bit for each block as it will be committed */
    u8 *pending;        /* blocks that the committed directory still needs: free after the commit */
    u32 waiting;        /* how many of these */
    u8 *map_dirty;      /* a byte for each block of the map */
    struct edf_tree map_tree;
    u32 hint;           /* where to look for a free block */
    u32 writers;        /* files that are open for output */
    bool changed;       /* there is something to commit */
    bool kept;          /* `fst` is in a saved segment (kept.c) */
};

/* A file in use. */
struct edf_file {
    struct edf *edf;
    u8 fst[FST_LENGTH];
    bool output, anew, changed;
    bool stored;        /* the tree's pointer blocks are new ones, not those of the committed file */
    struct edf_tree tree;
    u8 *window;         /* a run of the file's blocks */
    u32 first, held;    /* which: from block `first` (from 0) on */
    u32 dirty_from, dirty_to;
    u32 at_record, at_block, at_offset;   /* V: where record `at_record` begins */
};

/* How a file is opened. */
enum edf_how {
    EDF_READ,           /* must exist */
    EDF_UPDATE,         /* must exist; records may be written over and added */
    EDF_NEW,            /* takes the place of the one that may exist, when it is closed */
};

/* volume.c */
bool edf_is_current(struct edf *edf);     /* no other user has changed the disk since it was opened */
int edf_format(const struct edf_device *device, u32 blocks, u32 cylinders, u32 most_cylinders, const u8 label[6]);
int edf_relabel(struct edf *edf, const u8 label[6]);
int edf_resize(struct edf *edf, u32 blocks, u32 cylinders);
int edf_reserve(struct edf *edf, const u8 name[8], const u8 type[8]);
int edf_open_disk(struct edf *edf, const struct edf_device *device, bool writable);
int edf_open_label(struct edf *edf, const struct edf_device *device, bool writable);
int edf_name_segment(struct edf *edf, const u8 name[8]);
void edf_close_disk(struct edf *edf);
int edf_commit(struct edf *edf);
int edf_begin(struct edf *edf);           /* before a block is written */
u32 edf_allocate(struct edf *edf, bool reserve);
void edf_release(struct edf *edf, u32 block, bool fresh);
void edf_restore(struct edf *edf, u32 block);

/* kept.c */
u32 edf_kept_length(const struct edf *edf);
void edf_keep(const struct edf *edf, u8 *to);
int edf_open_kept(struct edf *edf, u8 *kept, u32 length);

/* directory.c */
u8 *edf_find(struct edf *edf, const u8 name[8], const u8 type[8]);
u8 *edf_entry(struct edf *edf, u32 number);      /* the files are numbered from 0; NULL after the last */
u32 edf_files(const struct edf *edf);
int edf_add(struct edf *edf, const u8 fst[FST_LENGTH]);
void edf_touched(struct edf *edf, const u8 *fst);
int edf_erase(struct edf *edf, const u8 name[8], const u8 type[8]);
int edf_rename(struct edf *edf, u8 *fst, const u8 name[8], const u8 type[8], u8 mode_number);
void edf_stamp(u8 fst[FST_LENGTH]);

/* tree.c */
int edf_tree_load(struct edf *edf, struct edf_tree *tree, const u8 *fst);
int edf_tree_store(struct edf *edf, struct edf_tree *tree, u8 *fst);
int edf_tree_extend(struct edf_tree *tree, u32 count);
void edf_tree_forget(struct edf_tree *tree);
void edf_tree_release(struct edf *edf, struct edf_tree *tree);
u32 edf_data_blocks(const struct edf *edf, const u8 *fst);

/* file.c */
int edf_open(struct edf *edf, struct edf_file *file, const u8 name[8], const u8 type[8], enum edf_how how);
int edf_read(struct edf_file *file, u32 record, void *to, u32 room, u32 *length);
int edf_lend(struct edf_file *file, u32 record, void *to, u32 room, const u8 **at, u32 *length);
int edf_write(struct edf_file *file, u32 record, const void *from, u32 length);
int edf_copy(struct edf_file *from, u32 record, u32 most, struct edf_file *to, u32 *copied);
int edf_truncate(struct edf_file *file, u32 records);
int edf_close(struct edf_file *file);
void edf_abandon(struct edf_file *file);

/* check.c: how many things are wrong; each is told. */
u32 edf_check(struct edf *edf, void (*tell)(const char *what, u32 number, const u8 *fst));

/* Numbers as the disk has them. */
static inline u32 edf_word(const u8 *at) { return (u32)at[0] << 24 | (u32)at[1] << 16 | (u32)at[2] << 8 | at[3]; }
static inline void edf_set_word(u8 *at, u32 value)
{
    at[0] = (u8)(value >> 24);
    at[1] = (u8)(value >> 16);
    at[2] = (u8)(value >> 8);
    at[3] = (u8)value;
}

#endif
