/* Subchannels: the instructions of Principles of Operation, chapter 14, and what they have in storage. */
#ifndef SUBCHANNEL_H
#define SUBCHANNEL_H

#include "cms.h"

/* Flags of a CCW; status of a device, and of the subchannel; what has ended, in a subchannel's status word. */
enum { CCW_SLI = 0x20, ATTENTION = 0x80, CHANNEL_END = 0x08, DEVICE_END = 0x04, UNIT_CHECK = 0x02,
       INCORRECT_LENGTH = 0x40, FINAL = 0x06 };
/* Of an operation-request block: format-1 CCWs, all paths. */
enum { ORB_FORMAT_1 = 0x00800000, ORB_PATHS = 0x0000ff00 };

struct ccw { u8 command, flags; u16 count; u32 address; };
struct irb { u32 flags; u32 ccw; u8 device, subchannel; u16 count; u32 rest[21]; };

/* The subchannel of a virtual device, which is enabled; 0: there is none. */
u32 subchannel_of(u16 vdev);                             /* console.c */

/* With the subchannel's identification word in register 1; the condition code. */
#define SUBCHANNEL_INSTRUCTION(name, type)                                                                             \
    static inline int name(u32 id, type *block)                                                                        \
    {                                                                                                                  \
        register u32 r1 __asm__("1") = id;                                                                             \
        u32 cc;                                                                                                        \
                                                                                                                       \
        __asm__ volatile(#name " 0(%2)\n\tipm %0\n\tsrl %0,28" : "=d"(cc) : "d"(r1), "a"(block) : "cc", "memory");     \
        return (int)cc;                                                                                                \
    }
SUBCHANNEL_INSTRUCTION(stsch, u32)
SUBCHANNEL_INSTRUCTION(msch, u32)
SUBCHANNEL_INSTRUCTION(ssch, u32)
SUBCHANNEL_INSTRUCTION(tsch, struct irb)

#endif
