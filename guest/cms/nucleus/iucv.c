/*
 * Messages by IUCV: what users and CP say, from the services *MSG and *MSGALL (CP Programming Services, IUCV).
 *
 * The nucleus is never interrupted by IUCV while it works: it asks by DESCRIBE what there is. Only while it waits for
 * the clock (clock.c) an interruption may come, which ends the wait; the message that it tells of is kept for
 * iucv_next().
 */
#include "iucv.h"

enum { RETRIEVE_BUFFER = 0x02, DESCRIBE = 0x03, RECEIVE = 0x05, CONNECT = 0x0b, DECLARE_BUFFER = 0x0c, SEVER = 0x0f };
enum { ALL_PATHS = 0x80, THIS_MESSAGE = 0x07, MESSAGE_LIMIT = 255 };
enum { PRIORITY_MESSAGE = 0x08, MESSAGE = 0x09, EXTERNAL_IUCV = 0x4000 };

/* The parameter list, and what an interruption stores. CONNECT has the service's name in place of class and address. */
struct list {
    u16 path;
    u8 flags, code;
    u32 message;
    union { struct { u32 class, address; } data; char service[8]; } of;
    u32 length, rest[5];
};
_Static_assert(sizeof(struct list) == 40, "as CP has it");

static struct list interruption __attribute__((aligned(8)));
static struct list announced;
static bool is_open, is_announced;

/* The condition code. */
static u32 iucv(u32 function, struct list *list)
{
    register u32 r0 __asm__("0") = function;
    register struct list *r1 __asm__("1") = list;
    u32 cc;

    __asm__ volatile(".long 0xb2f00000\n\tipm %0\n\tsrl %0,28" : "=d"(cc), "+d"(r0), "+d"(r1) : : "cc", "memory");
    return cc & 3;
}

bool iucv_is_open(void) { return is_open; }

void iucv_close(void)
{
    struct list list __attribute__((aligned(8))) = { .flags = ALL_PATHS };

    if (!is_open)
        return;
    (void)iucv(SEVER, &list);
    (void)iucv(RETRIEVE_BUFFER, &list);
    is_open = is_announced = false;
}

u8 iucv_open(const char service[8])
{
    struct list list __attribute__((aligned(8))) = { .of.data.address = (u32)&interruption };

    iucv_close();
    if (iucv(DECLARE_BUFFER, &list) == 1)
        return list.code;
    is_open = true;
    list = (struct list){ .message = MESSAGE_LIMIT << 16 };
    memcpy(list.of.service, service, sizeof list.of.service);
    if (iucv(CONNECT, &list) == 1) {
        iucv_close();
        return list.code;
    }
    return 0;
}

/* Of external interruptions that a wait takes: IUCV's, if a path is open. */
u32 iucv_subclass(void)
{
    enum { IUCV_SUBCLASS = 0x2 };

    return is_open ? IUCV_SUBCLASS : 0;
}

/* A wait has ended by an external interruption of this code. */
void iucv_interrupted(u16 code)
{
    if (code != EXTERNAL_IUCV || (interruption.code != MESSAGE && interruption.code != PRIORITY_MESSAGE))
        return;
    announced = interruption;
    is_announced = true;
}

bool iucv_next(struct iucv_line *line)
{
    char data[sizeof(name) + IUCV_LINE_MOST] __attribute__((aligned(8)));
    struct list list __attribute__((aligned(8)));
    u32 length;

    while (is_open) {
        list = announced;
        if (!is_announced) {
            memset(&list, 0, sizeof list);
            if (iucv(DESCRIBE, &list) != 0)
                return false;
        }
        is_announced = false;
        line->class = list.of.data.class;
        length = list.length < sizeof data ? list.length : sizeof data;
        list.flags = THIS_MESSAGE;
        list.of.data.address = (u32)data;
        list.length = sizeof data;
        if (iucv(RECEIVE, &list) != 0 || length < sizeof(name))
            continue;
        memcpy(line->from, data, sizeof(name));
        line->length = length - sizeof(name);
        memcpy(line->text, data + sizeof(name), line->length);
        return true;
    }
    return false;
}
