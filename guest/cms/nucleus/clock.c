/* Waiting for a moment: the clock comparator. */
#include "cms.h"

enum { CLOCK_COMPARATOR = 0x800, CPU_TIMER = 0x400 };    /* of control register 0 */

static u32 ended;

u32 waits_ended(void) { return ended; }

uint64_t tod_clock(void)
{
    uint64_t tod;

    __asm__ volatile("stck %0" : "=Q"(tod) : : "cc");
    return tod;
}

/* Waits until the clock says so, or a device, IUCV or VMCF has something to say. */
void wait_until(uint64_t tod)
{
    volatile u16 *external_code = (volatile u16 *)0x86;
    u32 before, open;
    u8 mask = disable();

    __asm__ volatile("stctl 0,0,%0" : "=Q"(before));
    open = (before & ~CPU_TIMER) | CLOCK_COMPARATOR | iucv_subclass() | vmcf_subclass();
    *external_code = 0;
    __asm__ volatile("sckc %0" : : "Q"(tod));
    __asm__ volatile("lctl 0,0,%0" : : "Q"(open));
    if ((exec_attention & EXEC_LOOK) == 0)
        wait_io_or_clock();
    __asm__ volatile("lctl 0,0,%0" : : "Q"(before));
    iucv_interrupted(*external_code);
    vmcf_interrupted(*external_code);
    ended++;
    restore(mask);
}
