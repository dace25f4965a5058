/*
 * DDR in a machine of its own: the cards of IPL DDR. Devices are subchannels of ESA/390 (POP, chapters 13 to 16), the
 * console is a typewriter (3215) at 009 or 01F, and there is no other system.
 */
#include "ddr.h"

enum { WRITE_WITH_RETURN = 0x09, READ_INQUIRY = 0x0a, READ = 0x02, SENSE = 0x04, ALL = 32, LINE_MOST = 126 };
enum { UNIT_CHECK = 0x02, UNIT_EXCEPTION = 0x01, ENABLED = 0x80, VALID = 0x01, NOTHING_FOUND = 0 };

struct schib { u8 parameter[4], flags[2]; u16 device; u32 rest[11]; };
struct irb { u32 flags, ccw; u8 device, subchannel; u16 count; u32 rest[21]; };

/* bare.S */
void wait_for_device(void);
void wait_for_clock(void);
void stop(void) __attribute__((noreturn));
void bare_main(void);
void bare_program_check(void);

static struct job job;
static u16 console;
static u16 reader;                                       /* statements come from cards; 0: from the console */
static bool begun;                                       /* a line was typed */

static u32 store_subchannel(u32 id, struct schib *schib)
{
    register u32 r1 __asm__("1") = id;
    u32 cc;

    __asm__ volatile("stsch 0(%2)\n\tipm %0\n\tsrl %0,28" : "=d"(cc) : "d"(r1), "a"(schib) : "cc", "memory");
    return cc & 3;
}

/* The subchannel of a device, enabled; 0: there is none. */
static u32 subchannel_of(u16 device)
{
    static struct schib schib __attribute__((aligned(8)));

    for (u32 id = 0x10000; id < 0x20000 && store_subchannel(id, &schib) == 0; id++) {
        register u32 r1 __asm__("1") = id;

        if ((schib.flags[1] & VALID) == 0 || schib.device != device)
            continue;
        if ((schib.flags[1] & ENABLED) == 0) {
            schib.flags[1] |= ENABLED;
            __asm__ volatile("msch 0(%1)" : : "d"(r1), "a"(&schib) : "cc", "memory");
        }
        return id;
    }
    return NOTHING_FOUND;
}

static struct irb irb;

/* Starts a program and takes its status, and that of before. */
static bool start(u32 id, struct ccw *program)
{
    static u32 orb[8] __attribute__((aligned(8)));
    register u32 r1 __asm__("1") = id;
    u32 cc;

    orb[0] = 0;
    orb[1] = 0x0080ff00;
    orb[2] = (u32)program;
    for (;;) {
        __asm__ volatile("ssch 0(%2)\n\tipm %0\n\tsrl %0,28" : "=&d"(cc) : "d"(r1), "a"(orb) : "cc", "memory");
        if ((cc & 3) == 3)
            return false;
        if ((cc & 3) == 0)
            break;
        __asm__ volatile("tsch 0(%2)\n\tipm %0\n\tsrl %0,28" : "=&d"(cc) : "d"(r1), "a"(&irb) : "cc", "memory");
    }
    for (;;) {
        __asm__ volatile("tsch 0(%2)\n\tipm %0\n\tsrl %0,28" : "=&d"(cc) : "d"(r1), "a"(&irb) : "cc", "memory");
        /* The secondary status, or an alert. */
        if ((cc & 3) == 0 && (irb.flags & 0x12) != 0)
            return true;
        if ((cc & 3) != 0)
            wait_for_device();
    }
}

enum io host_io(u16 device, struct ccw *program, u32 *left)
{
    static struct ccw sense __attribute__((aligned(8)));
    u32 id = subchannel_of(device);
    u8 status;

    *left = 0;
    if (id == NOTHING_FOUND || !start(id, program))
        return IO_ABSENT;
    *left = irb.count;
    status = irb.device;
    if ((status & UNIT_CHECK) != 0) {
        sense = (struct ccw){ SENSE, SLI, ALL, (u32)host_sense };
        memset(host_sense, 0, sizeof host_sense);
        (void)start(id, &sense);
        return IO_CHECK;
    }
    if ((status & UNIT_EXCEPTION) != 0)
        return IO_EXCEPTION;
    return irb.subchannel == 0 ? IO_DONE : IO_ERROR;
}

void host_type(const char *text, u32 length)
{
    struct ccw ccw __attribute__((aligned(8))) = { WRITE_WITH_RETURN, SLI, (u16)(length == 0 ? 1 : length),
                                                   (u32)(length == 0 ? " " : text) };
    u32 left;

    (void)host_io(console, &ccw, &left);
}

bool host_echoes(void) { return reader != 0; }

static bool read_typed(char line[80], u32 *length)
{
    static char typed[LINE_MOST + 2];
    struct ccw ccw __attribute__((aligned(8))) = { READ_INQUIRY, SLI, LINE_MOST, (u32)typed };
    u32 left;

    *length = 0;
    if (host_io(console, &ccw, &left) != IO_DONE)
        return false;
    *length = LINE_MOST - left < 80 ? LINE_MOST - left : 80;
    memcpy(line, typed, *length);
    return true;
}

/* What is typed first may be the address of a card reader, which has the statements. */
bool host_read(char line[80], u32 *length)
{
    struct ccw ccw __attribute__((aligned(8))) = { READ, SLI, 80, (u32)line };
    u32 left, device;

    if (reader != 0) {
        *length = 80;
        return host_io(reader, &ccw, &left) == IO_DONE;
    }
    if (!read_typed(line, length) || begun)
        return *length > 0;
    begun = true;
    *length = length_of(line, *length);
    if (*length == 0 || *length > 4 || !parse_hex(line, *length, &device) ||
        subchannel_of((u16)device) == NOTHING_FOUND)
        return *length > 0;
    reader = (u16)device;
    return host_read(line, length);
}

void host_release(u16 device) { (void)device; }

void host_print(u16 device, const char *text, u32 length)
{
    struct ccw ccw __attribute__((aligned(8))) = { WRITE_WITH_RETURN, SLI, (u16)length, (u32)text };
    u32 left;
    enum io how = host_io(device, &ccw, &left);

    if (how != IO_DONE)
        io_failed(device, how, 0, 0);
}

/* What is printed next begins a page. */
void host_print_end(u16 device)
{
    enum { SKIP_TO_1 = 0x8b };
    struct ccw ccw __attribute__((aligned(8))) = { SKIP_TO_1, SLI, 1, (u32)" " };
    u32 left;

    (void)host_io(device, &ccw, &left);
}

void host_wait(void) { wait_for_clock(); }

void bare_program_check(void)
{
    const u32 *old = (const u32 *)0x28;

    complain(756, 'E', old[0], old[1]);
    stop();
}

void bare_main(void)
{
    static const u16 consoles[] = { 0x009, 0x01f };

    for (u32 n = 0; n < COUNT_OF(consoles) && console == 0; n++)
        if (subchannel_of(consoles[n]) != NOTHING_FOUND)
            console = consoles[n];
    if (console == 0)
        stop();
    ddr_begin();
    say("ENTER CARD READER ADDRESS OR CONTROL STATEMENTS");
    (void)ddr(&job);
    stop();
}
