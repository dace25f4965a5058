/*
 * Special messages by VMCF (CP Programming Services, DIAGNOSE X'68'): what SMSG says where SET SMSG is ON.
 *
 * A message comes with its interruption, into one buffer. So CMS lets one in only while it waits for the clock
 * (clock.c) and the buffer is empty; vmcf_next() empties it. Others wait with CP.
 */
#include "iucv.h"

enum { AUTHORIZE = 0, UNAUTHORIZE = 1, SENDX = 4, EXTERNAL_VMCF = 0x4001, VMCF_SUBCLASS = 0x1 };

struct parameters {
    u8 flags, reserved;
    u16 function;
    u32 message;
    char user[8];
    u32 address, length, reply_address, reply_length;
    char doubleword[8];
};
_Static_assert(sizeof(struct parameters) == 40, "VMCPARM");

/* What an interruption stores: VMCMHDR, and what was said. */
static volatile struct { struct parameters header; char text[IUCV_LINE_MOST]; } arrival __attribute__((aligned(8)));
static bool is_open, has_arrived;

/* The return code. */
static u32 vmcf(u16 function)
{
    struct parameters list __attribute__((aligned(8))) = { .function = function };

    list.address = (u32)&arrival;
    list.length = sizeof arrival;
    register u32 r2 __asm__("2") = (u32)&list;
    register u32 r3 __asm__("3") = 0;

    __asm__ volatile(".long 0x83230068" : "+d"(r3) : "d"(r2), "m"(list) : "cc", "memory");
    return r3;
}

void vmcf_close(void)
{
    if (is_open)
        (void)vmcf(UNAUTHORIZE);
    is_open = has_arrived = false;
}

bool vmcf_open(void)
{
    if (!is_open)
        is_open = vmcf(AUTHORIZE) == 0;
    return is_open;
}

/* Of external interruptions that a wait takes. */
u32 vmcf_subclass(void) { return is_open && !has_arrived ? VMCF_SUBCLASS : 0; }

/* A wait has ended by an external interruption of this code. */
void vmcf_interrupted(u16 code)
{
    if (code == EXTERNAL_VMCF)
        has_arrived = true;
}

bool vmcf_next(struct iucv_line *line)
{
    if (!has_arrived)
        return false;
    has_arrived = false;
    /* Other virtual machines' messages are for programs that use VMCF. */
    if (arrival.header.function != SENDX || memcmp((const char *)arrival.header.user, "SYSTEM  ", 8) != 0)
        return false;
    line->class = IUCV_SPECIAL;
    line->length = arrival.header.length < sizeof line->text ? arrival.header.length : sizeof line->text;
    memcpy(line->from, (const char *)arrival.header.doubleword, sizeof(name));
    memcpy(line->text, (const char *)arrival.text, line->length);
    return true;
}
