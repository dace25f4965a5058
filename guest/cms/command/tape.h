/*
 * What TAPE and VMFPLC2 have in common (tape.c).
 */
#ifndef TAPE_H
#define TAPE_H

#include "command.h"

enum { BACKSPACE_BLOCK = 0x27, BACKSPACE_FILE = 0x2f, FORWARD_BLOCK = 0x37, TAPE_LARGE = 4096, TAPE_WALKS = 3 };
enum listing { TO_SCREEN, TO_PRINTER, TO_DISK, NOWHERE };
enum tape_walk { LOAD, SCAN, SKIP };

struct tape {
    const char *module;
    u32 unit;
    u16 vdev;
    int size, marks, listing, end;   /* `size`: of the blocks that are written; 0: none are */
    u32 files;                  /* how many tape marks LOAD and its like go to */
    struct open_file *map;
    u8 *block;                  /* DUMP_HEAD and TAPE_LARGE bytes */
    u32 length;                 /* of the block that was read */
};

/* How far LOAD, SCAN and SKIP go, and where their list goes. */
#define TAPE_WALK_OPTIONS(tape) \
    FLAG("EOT", 3, &tape.end, 1), NUMBER("EOF", 3, &tape.files), \
    FLAG("TERM", 4, &tape.listing, TO_SCREEN), FLAG("PRINT", 2, &tape.listing, TO_PRINTER), \
    FLAG("DISK", 2, &tape.listing, TO_DISK), FLAG("NOPRINT", 4, &tape.listing, NOWHERE)

extern const char *const tape_walks[], *const tape_says[];

enum tape_end tape_move(struct tape *tape, u8 command);
enum tape_end tape_read(struct tape *tape);
int tape_failed(const struct tape *tape, enum tape_end end, bool writing);
int tape_list(struct tape *tape, const char *text);
int tape_list_end(struct tape *tape, int code);
bool tape_wants_one(const struct fileid *id);
int tape_given(const struct call *given, struct call *call, name *token, struct tape *tape,
               const struct option *known, u32 count);
bool tape_moves(struct tape *tape, const struct call *call, u32 words, int *code);
int tape_wanted(const struct tape *tape, const struct call *call, u32 words, struct fileid *id, enum tape_walk *what);

#endif
