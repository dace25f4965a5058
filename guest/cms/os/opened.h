/*
 * A data control block that is open, as the access methods' files share it.
 */
#ifndef OPENED_H
#define OPENED_H

#include "../nucleus/library.h"
#include "os.h"

/* What OS has in front of a record or a block of the format V. */
enum { PREFIX = 4 };

struct opened {
    struct opened *chain;
    u32 dcb, lrecl, block, length;
    u8 recfm, saved[8];         /* DCB_OFLGS to DCB_CHECK as they were before OPEN */
    u8 saved_recfm, saved_lengths[4];   /* so are what CLOSE takes out again */
    bool output, update, pending;   /* `pending`: PUT has given out a buffer whose record is not written yet */
    bool both, anew, written;   /* INOUT or OUTIN; of a data set that is made; WRITE was the last */
    u32 got, taken;             /* how long the record in the buffer is; how many records READ has got last */
    u32 noted;                  /* the first record of the block that was read or written last */
    struct dataset set;
    struct place record;
    u32 buffer;                 /* of the program's: records in locate mode, and the IOB of READ in front */
};

static inline u32 half(u32 at) { return (u32)((const u8 *)at)[0] << 8 | ((const u8 *)at)[1]; }

static inline void set_half(u32 at, u32 value)
{
    ((u8 *)at)[0] = (u8)(value >> 8);
    ((u8 *)at)[1] = (u8)value;
}

static inline void set_three(u32 at, u32 value)
{
    ((u8 *)at)[0] = (u8)(value >> 16);
    set_half(at + 1, value);
}

static inline bool variable(const struct opened *o) { return (o->recfm & RECFM_U) == RECFM_V; }
static inline bool undefined(const struct opened *o) { return (o->recfm & RECFM_U) == RECFM_U; }

/* access.c */
struct opened *os_opened_at(u32 dcb);                    /* NULL: it is not open */
bool os_write_pending(struct frame *frame, struct opened *o);   /* false: it failed, and the program goes elsewhere */

#endif
