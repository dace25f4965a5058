/* Channel programs by DIAGNOSE X'A8' (CP Programming Services). DDR MODULE has the same (ddr/cms.c). */
#include "cms.h"

u8 channel_sense[8];

/*
 * DIAGNOSE X'A8': a channel program of format-1 CCWs. 0, or what register 15 says; 2: the unit's status is an
 * exception. A unit check leaves its first sense bytes in channel_sense.
 */
int channel_io(u16 vdev, void *ccws, u16 *left)
{
    struct { u16 vdev; u8 key, flags; u32 zero, ccws, zero2, at; u8 unit, subchannel; u16 count; u8 rest[64]; }
        parameters __attribute__((aligned(8)));
    u32 cc, code;

    memset(&parameters, 0, sizeof parameters);
    parameters.vdev = vdev;
    parameters.flags = 0x80;
    parameters.ccws = (u32)ccws;
    u8 mask = disable();
    register u32 r2 __asm__("2") = (u32)&parameters;
    register u32 r15 __asm__("4");
    __asm__ volatile("lr 5,15\n\t.long 0x832000a8\n\tlr %1,15\n\tlr 15,5\n\tipm %0\n\tsrl %0,28\n\tssm %3"
                     : "=&d"(cc), "=&d"(r15) : "d"(r2), "Q"(mask) : "5", "cc", "memory");
    /* A call would take its register. */
    code = r15;
    if (left != NULL)
        *left = parameters.count;
    memcpy(channel_sense, parameters.rest + 32, sizeof channel_sense);
    if (cc == 0)
        return 0;
    if (cc == 3 && (parameters.unit & 0x01))
        return 2;
    return (int)code;
}
