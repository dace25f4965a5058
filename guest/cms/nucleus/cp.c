/*
 * What CMS asks of CP: DIAGNOSE codes X'00', X'08', X'14', X'24', X'58', X'5C', X'60', X'8C', X'A4', X'214', X'264',
 * X'270', X'308' (CP Programming Services). Each function has one of them. Operands are put into their
 * registers last, since calls change registers.
 */
#include "cms.h"

static u32 two(const char *at) { return (u32)(at[0] & 15) * 10 + (u32)(at[1] & 15); }

/* DIAGNOSE X'270': the date as mm/dd/yy..., the time, the processor times. */
void now(struct moment *moment)
{
    struct { char date[8], time[8]; uint64_t virtual_time, total_time; char full[10], zeros[6], iso[10], rest[6]; }
        block __attribute__((aligned(8)));
    register u32 r2 __asm__("2") = (u32)&block;
    register u32 r3 __asm__("3") = sizeof block;

    __asm__ volatile(".long 0x83230270" : "+d"(r3) : "d"(r2) : "cc", "memory");
    memcpy(moment->date, block.date, 8);
    memcpy(moment->time, block.time, 8);
    moment->virtual_time = block.virtual_time;
    moment->total_time = block.total_time;
    moment->month = two(block.date);
    moment->day = two(block.date + 3);
    moment->year = two(block.iso) * 100 + two(block.iso + 2);
    moment->hour = two(block.time);
    moment->minute = two(block.time + 3);
    moment->second = two(block.time + 6);
}

void edf_now(u8 stamp[7])
{
    struct moment moment;
    u32 part[6];

    now(&moment);
    part[0] = moment.year % 100;
    part[1] = moment.month;
    part[2] = moment.day;
    part[3] = moment.hour;
    part[4] = moment.minute;
    part[5] = moment.second;
    stamp[0] = moment.year >= 2000 ? FST_CENTURY_FLAG : 0;
    for (u32 n = 0; n < 6; n++)
        stamp[n + 1] = (u8)(part[n] / 10 << 4 | part[n] % 10);
}

/*
 * DIAGNOSE X'08': a CP command. The response goes to the console, or to `response`; `room` becomes its length, the bit
 * 31 set if it did not fit.
 */
int cp(const char *text, u32 length, char *response, u32 *room)
{
    char line[240];
    u32 cc;

    disks_may_be_others();
    length = length > sizeof line ? sizeof line : length;
    memcpy(line, text, length);
    if (length == 0) {
        if (response != NULL)
            *room = 0;
        return 0;
    }
    {
        register u32 r2 __asm__("2") = (u32)line;
        register u32 r3 __asm__("3") = (u32)response;
        register u32 r4 __asm__("4") = length | (response != NULL ? 0x40000000u : 0);
        register u32 r5 __asm__("5") = response != NULL ? *room : 0;

        __asm__ volatile(".long 0x83240008\n\tipm %0\n\tsrl %0,28"
                         : "=&d"(cc), "+d"(r4), "+d"(r5) : "d"(r2), "d"(r3) : "cc", "memory");
        if (response != NULL)
            *room = cc == 0 ? r5 : *room | 0x80000000u;
        return (int)r4;
    }
}

bool line_is_cps;

/* Types the lines of a response. */
static void type_response(const char *text, u32 length)
{
    line_is_cps = true;
    while (length > 0) {
        u32 n = 0;

        while (n < length && text[n] != 0x15)
            n++;
        type_line(text, n);
        text += n;
        length -= n;
        if (length > 0)
            text++, length--;
    }
    line_is_cps = false;
}

int cp_typed(const char *text, u32 length)
{
    u32 room = 65536, most;
    char *response = NULL;
    int code;

    while (response == NULL && room >= 2048) {
        room /= 2;
        response = obtain(room, OWNER_COMMAND);
    }
    if (response == NULL)
        return cp(text, length, NULL, NULL);
    most = room;
    code = cp(text, length, response, &room);
    /* 1 is a command that CP does not know: the caller says so. */
    if (code != 1)
        type_response(response, room & 0x80000000u ? most : room);
    release(response);
    return code;
}

/* DIAGNOSE X'24': what a virtual device is, and the real one, if there is one: class, type, status or model, flags. */
bool device_types(u16 vdev, u32 types[2])
{
    register u32 r2 __asm__("2") = vdev;
    register u32 r4 __asm__("4") = 0;
    register u32 r5 __asm__("5") = 0;
    u32 cc;

    __asm__ volatile(".long 0x83240024\n\tipm %0\n\tsrl %0,28" : "=&d"(cc), "+d"(r2), "+d"(r4), "+d"(r5) : : "cc");
    types[0] = r4;
    types[1] = r5;
    return (cc & 3) != 3;
}

bool device_of(u16 vdev, struct device *device)
{
    u32 types[2];

    if (!device_types(vdev, types))
        return false;
    device->class = (u8)(types[0] >> 24);
    device->type = (u8)(types[0] >> 16);
    device->read_only = (types[0] & 0x80) != 0;
    return true;
}

u16 console_device(void)
{
    register u32 r2 __asm__("2") = 0xffffffff;
    register u32 r4 __asm__("4") = 0;
    register u32 r5 __asm__("5") = 0;

    __asm__ volatile(".long 0x83240024" : "+d"(r2), "+d"(r4), "+d"(r5) : : "cc");
    return (u16)r2;
}

/* Whether the user sits at a screen. */
bool console_is_display(void)
{
    register u32 r2 __asm__("2") = 0xffffffff;
    register u32 r4 __asm__("4") = 0;
    register u32 r5 __asm__("5") = 0;

    __asm__ volatile(".long 0x83240024" : "+d"(r2), "+d"(r4), "+d"(r5) : : "cc");
    return r5 >> 24 == 0x40;
}

/* One of them, for console_program. */
void console_ccw(struct console_ccw *ccw, u8 command, u8 control, const void *data, u32 count)
{
    enum { SLI = 0x20 };
    u32 at = (u32)data;

    *ccw = (struct console_ccw){ command, { (u8)(at >> 16), (u8)(at >> 8), (u8)at }, SLI, control, (u16)count };
}

/* DIAGNOSE X'58': CCWs for the console's display, on a doubleword. False: the console's status says why not. */
bool console_program(const void *ccws)
{
    u32 device = console_device(), cc;
    /* A call in between would change the registers. */
    register u32 r2 __asm__("2") = (u32)ccws;
    register u32 r4 __asm__("4") = device;

    __asm__ volatile(".long 0x83240058\n\tipm %0\n\tsrl %0,28" : "=d"(cc) : "d"(r2), "d"(r4) : "cc", "memory");
    return (cc & 3) == 0;
}

/* One command to the console's display. */
bool console_call(u8 command, u8 control, const void *data, u32 count)
{
    struct console_ccw ccw __attribute__((aligned(8)));

    console_ccw(&ccw, command, control, data, count);
    return console_program(&ccw);
}

/* The screen is erased; of a typewriter it is not asked, nor where a session has it. */
void clear_screen(void)
{
    enum { DISPLAY = 0x19, ONLY_ERASE = 0xff };

    if (full_screen == NULL && console_is_display())
        (void)console_call(DISPLAY, ONLY_ERASE, NULL, 1);
}

/* DIAGNOSE X'8C': flags, columns and rows of a display; false: there is none at the device. */
bool display_block(u16 vdev, struct display_block *block)
{
    u32 device = vdev, cc;
    register u32 r2 __asm__("2") = (u32)block;
    register u32 r4 __asm__("4") = sizeof *block;
    register u32 r5 __asm__("5") = device;

    __asm__ volatile(".long 0x8324008c\n\tipm %0\n\tsrl %0,28"
                     : "=&d"(cc), "+d"(r4) : "d"(r2), "d"(r5) : "cc", "memory");
    return (cc & 3) == 0;
}

/* How large the console's display is. A CP that does not say has one of the smallest. */
void screen_measure(struct screen_size *size)
{
    enum { COLOURS = 0x80 };
    struct display_block block = { 0, 0, 80, 24 };

    (void)display_block(console_device(), &block);
    size->rows = block.rows;
    size->columns = block.columns;
    size->colours = (block.flags & COLOURS) != 0;
}

/* DIAGNOSE X'00': the userid. */
void identification(char userid[8])
{
    char block[40] __attribute__((aligned(8)));
    register u32 r2 __asm__("2") = (u32)block;
    register u32 r3 __asm__("3") = sizeof block;

    __asm__ volatile(".long 0x83230000" : "+d"(r3) : "d"(r2) : "cc", "memory");
    memcpy(userid, block + 16, 8);
}

/* DIAGNOSE X'14': whether there is a file in the reader. */
bool reader_has_file(void)
{
    enum { DESCRIBE_NEXT = 0xfff };
    static u8 description[304] __attribute__((aligned(8)));
    register u32 r2 __asm__("2") = (u32)description;
    register u32 r4 __asm__("4") = 0;
    register u32 r5 __asm__("5") = DESCRIBE_NEXT;
    u32 cc;

    __asm__ volatile(".long 0x83240014\n\tipm %0\n\tsrl %0,28"
                     : "=&d"(cc), "+d"(r5) : "d"(r2), "d"(r4) : "cc", "memory");
    return (cc & 3) == 0;
}

/* DIAGNOSE X'5C': what of a message is to be typed, as SET EMSG says. */
void edit_message(const char **text, u32 *length)
{
    register u32 r2 __asm__("2") = (u32)*text;
    register u32 r3 __asm__("3") = *length;

    __asm__ volatile(".long 0x8323005c" : "+d"(r2), "+d"(r3) : : "cc", "memory");
    *text = (const char *)r2;
    *length = r3;
}

/* DIAGNOSE X'214': what is in the pages from `first` to `last` is not needed any more. */
void give_back_pages(u32 first, u32 last)
{
    register u32 r2 __asm__("2") = first & ~4095u;
    register u32 r3 __asm__("3") = last & ~4095u;

    __asm__ volatile(".long 0x83200214" : : "d"(r2), "d"(r3) : "cc", "memory");
}

static volatile u32 communication[2] __attribute__((aligned(8)));

/* DIAGNOSE X'264': CP tells when the user comes back at another terminal. */
void communication_start(void)
{
    communication[0] = 0;
    register u32 r2 __asm__("2") = (u32)communication;
    register u32 r4 __asm__("4") = 0;
    __asm__ volatile(".long 0x83240264" : : "d"(r2), "d"(r4) : "cc", "memory");
}

/* Whether that has happened since it was asked last. */
bool terminal_changed(void)
{
    enum { TERMINAL = 0x80000000 };
    bool changed = (communication[0] & TERMINAL) != 0;

    if (changed)
        communication[0] = 0;
    return changed;
}

/* DIAGNOSE X'60'. */
u32 storage_bytes(void)
{
    register u32 r2 __asm__("2") = 0;

    __asm__ volatile(".long 0x83200060" : "+d"(r2) : : "cc");
    return r2;
}

/* DIAGNOSE X'A4': blocks of a minidisk that follow one another. 0, or what register 15 says. */
int block_io(u16 vdev, u32 size, bool write, u32 block, u32 count, void *buffer)
{
    enum { AT_ONCE = 64 };
    struct { u16 vdev; u8 key, type; u32 size; u32 list, count; u8 rest[72]; } parameters __attribute__((aligned(8)));
    struct { u32 block, buffer; } list[AT_ONCE] __attribute__((aligned(8)));

    while (count > 0) {
        u32 n = count < AT_ONCE ? count : AT_ONCE, cc;

        memset(&parameters, 0, sizeof parameters);
        parameters.vdev = vdev;
        parameters.type = write ? 1 : 2;
        parameters.size = size;
        parameters.list = (u32)list;
        parameters.count = n;
        for (u32 k = 0; k < n; k++) {
            list[k].block = block + k;
            list[k].buffer = (u32)buffer + k * size;
        }
        u8 mask = disable();
        register u32 r2 __asm__("2") = (u32)&parameters;
        register u32 r15 __asm__("4");
        /* The answer comes in register 15, which is the stack's: no interruption may need that meanwhile. */
        __asm__ volatile("lr 5,15\n\t.long 0x832000a4\n\tlr %1,15\n\tlr 15,5\n\tipm %0\n\tsrl %0,28\n\tssm %3"
                         : "=&d"(cc), "=&d"(r15) : "d"(r2), "Q"(mask) : "5", "cc", "memory");
        if (cc != 0)
            return (int)r15;
        block += n;
        buffer = (char *)buffer + n * size;
        count -= n;
    }
    return 0;
}

/* DIAGNOSE X'308': what IPL's PARM was, blanks if there was none. */
void ipl_parameters(char parm[64])
{
    static u8 block[4096] __attribute__((aligned(4096)));

    memset(parm, ' ', 64);
    register u32 r2 __asm__("2") = (u32)block;
    register u32 r3 __asm__("3") = 0;
    register u32 r4 __asm__("4") = 6;
    __asm__ volatile(".long 0x83240308" : "+d"(r3) : "d"(r2), "d"(r4) : "cc", "memory");
    if (r3 == 1 && block[0x70] != 0)
        memcpy(parm, block + 0x80, 64);
}
