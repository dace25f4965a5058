/*
 * Messages by IUCV: what users and CP say, from the services *MSG and *MSGALL (CP Programming Services, IUCV), and
 * messages to a service that answers. The buffer for interruptions is there as long as one of them has a path.
 *
 * The nucleus is never interrupted by IUCV while it works: it asks by DESCRIBE what there is. Only while it waits for
 * the clock (clock.c) an interruption may come, which ends the wait; the message that it tells of is kept for
 * iucv_next().
 */
#include "iucv.h"

enum { RETRIEVE_BUFFER = 0x02, DESCRIBE = 0x03, SEND = 0x04, RECEIVE = 0x05, REPLY = 0x06, TEST_COMPLETION = 0x07,
       PURGE = 0x09, CONNECT = 0x0b, DECLARE_BUFFER = 0x0c, SEVER = 0x0f };
enum { BY_PATH = 0x02, BY_NUMBER = 0x04, THIS_MESSAGE = 0x07, PARAMETER_DATA = 0x80, MESSAGE_LIMIT = 255 };
enum { CONNECTION_COMPLETE = 0x02, SEVERED = 0x03 };
enum { PRIORITY_COMPLETION = 0x06, COMPLETION = 0x07, PRIORITY_MESSAGE = 0x08, MESSAGE = 0x09, EXTERNAL_IUCV = 0x4000 };

/* The parameter list, and what an interruption stores. CONNECT has the service's name in place of class and address. */
struct list {
    u16 path;
    u8 flags, code;
    u32 message;
    union { struct { u32 class, address; } data; char service[8]; } of;
    u32 length, source_class, tag, answer, answer_length, reserved;
};
_Static_assert(sizeof(struct list) == 40, "as CP has it");

static struct list interruption __attribute__((aligned(8)));
static struct list announced;
static bool is_open, is_announced;
static u16 line_path;
static u32 users;                                        /* of the buffer */
static struct iucv_wait *waits;
static struct iucv_service service;
static struct list told;                                 /* a message of the service, by an interruption */
static bool is_told;

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

/* The buffer, if it is not there yet. */
static u8 declare(void)
{
    struct list list __attribute__((aligned(8))) = { .of.data.address = (u32)&interruption };

    if (users == 0 && iucv(DECLARE_BUFFER, &list) == 1)
        return list.code;
    users++;
    return 0;
}

/* With the last path the buffer goes. */
static void retrieve(void)
{
    struct list list __attribute__((aligned(8))) = { 0 };

    if (--users == 0)
        (void)iucv(RETRIEVE_BUFFER, &list);
}

u8 iucv_connect(const name service, u16 *path)
{
    struct list list __attribute__((aligned(8))) = { .message = MESSAGE_LIMIT << 16 };
    u8 code = declare();

    if (code != 0)
        return code;
    memcpy(list.of.service, service, sizeof list.of.service);
    if (iucv(CONNECT, &list) == 1) {
        retrieve();
        return list.code;
    }
    *path = list.path;
    return 0;
}

void iucv_sever(u16 path)
{
    struct list list __attribute__((aligned(8))) = { .path = path };

    (void)iucv(SEVER, &list);
    retrieve();
}

void iucv_close(void)
{
    if (!is_open)
        return;
    is_open = is_announced = false;
    iucv_sever(line_path);
}

u8 iucv_open(const char service[8])
{
    u8 code;

    iucv_close();
    code = iucv_connect(service, &line_path);
    is_open = code == 0;
    return code;
}

/* ---- messages of ours ---- */

u8 iucv_ask(u16 path, u32 class, const void *data, u32 length, void *answer, u32 room, struct iucv_wait *wait)
{
    struct list list __attribute__((aligned(8))) = { .path = path, .of.data = { class, (u32)data }, .length = length,
                                                     .answer = (u32)answer, .answer_length = room };

    if (iucv(SEND, &list) == 1)
        return list.code;
    *wait = (struct iucv_wait){ .next = waits, .message = list.message };
    waits = wait;
    return 0;
}

static void unlink_wait(struct iucv_wait *wait)
{
    for (struct iucv_wait **at = &waits; *at != NULL; at = &(*at)->next)
        if (*at == wait) {
            *at = wait->next;
            return;
        }
}

static void completed(const struct list *list)
{
    for (struct iucv_wait *wait = waits; wait != NULL; wait = wait->next)
        if (wait->message == list->message) {
            wait->left = list->answer_length;
            wait->done = true;
            unlink_wait(wait);
            return;
        }
}

bool iucv_answered(struct iucv_wait *wait)
{
    struct list list __attribute__((aligned(8))) = { .flags = BY_NUMBER, .message = wait->message };

    if (!wait->done && iucv(TEST_COMPLETION, &list) == 0)
        completed(&list);
    return wait->done;
}

void iucv_forget(struct iucv_wait *wait)
{
    struct list list __attribute__((aligned(8))) = { .flags = BY_NUMBER, .message = wait->message };

    /* One that cannot be taken back is answered. */
    if (!wait->done && iucv(PURGE, &list) != 0)
        (void)iucv(TEST_COMPLETION, &list);
    unlink_wait(wait);
    wait->done = true;
}

/* Of external interruptions that a wait takes: IUCV's, if there is a path. */
u32 iucv_subclass(void)
{
    enum { IUCV_SUBCLASS = 0x2 };

    return users > 0 ? IUCV_SUBCLASS : 0;
}

/* A wait has ended by an external interruption of this code. */
void iucv_interrupted(u16 code)
{
    if (code != EXTERNAL_IUCV)
        return;
    if (service.is_open && interruption.path == service.path) {
        service.is_ready |= interruption.code == CONNECTION_COMPLETE;
        service.is_severed |= interruption.code == SEVERED;
        if (interruption.code == CONNECTION_COMPLETE || interruption.code == SEVERED)
            memcpy(service.user, &interruption.length, sizeof service.user);
        if (interruption.code == MESSAGE || interruption.code == PRIORITY_MESSAGE) {
            told = interruption;
            is_told = true;
        }
        return;
    }
    if (interruption.code == COMPLETION || interruption.code == PRIORITY_COMPLETION)
        completed(&interruption);
    if (interruption.code != MESSAGE && interruption.code != PRIORITY_MESSAGE)
        return;
    announced = interruption;
    is_announced = true;
}

bool iucv_next(struct iucv_line *line)
{
    char data[sizeof(name) + IUCV_LINE_MOST] __attribute__((aligned(8)));
    struct list list __attribute__((aligned(8)));
    u32 length, code;

    while (is_open) {
        /* DESCRIBE would take a service's messages as well. */
        bool by_path = service.is_open && !is_announced;

        list = announced;
        if (!is_announced) {
            memset(&list, 0, sizeof list);
            list.path = line_path;
            if (!by_path && iucv(DESCRIBE, &list) != 0)
                return false;
        }
        is_announced = false;
        length = list.length < sizeof data ? list.length : sizeof data;
        list.flags = by_path ? BY_PATH : THIS_MESSAGE;
        list.of.data.address = (u32)data;
        list.length = sizeof data;
        code = iucv(RECEIVE, &list);
        if (by_path && code != 0)
            return false;
        if (by_path)
            length = sizeof data - list.length;
        if (code != 0 || length < sizeof(name))
            continue;
        line->class = list.of.data.class;
        memcpy(line->from, data, sizeof(name));
        line->length = length - sizeof(name);
        memcpy(line->text, data + sizeof(name), line->length);
        return true;
    }
    return false;
}

/* ---- a service whose messages are answered ---- */

u8 iucv_service_open(const name wanted, const u8 user[IUCV_USER], const struct iucv_service **opened)
{
    struct list list __attribute__((aligned(8))) = { .flags = PARAMETER_DATA, .message = MESSAGE_LIMIT << 16 };
    u8 code = declare();

    if (code != 0)
        return code;
    memcpy(list.of.service, wanted, sizeof list.of.service);
    memcpy(&list.length, user, IUCV_USER);               /* IPUSER lies there */
    if (iucv(CONNECT, &list) == 1) {
        retrieve();
        return list.code;
    }
    service = (struct iucv_service){ .path = list.path, .is_open = true };
    is_told = false;
    *opened = &service;
    return 0;
}

bool iucv_service_next(u8 to[IUCV_LIST])
{
    struct list list __attribute__((aligned(8))) = { .path = service.path, .flags = BY_PATH };

    if (!service.is_open || service.is_severed)
        return false;
    /* What an interruption has told is received with it. */
    if (is_told)
        list = told;
    else if (iucv(RECEIVE, &list) != 0)
        return false;
    is_told = false;
    list.code = MESSAGE;
    memcpy(to, &list, sizeof list);
    return true;
}

void iucv_service_reply(const u8 from[IUCV_LIST])
{
    struct list list __attribute__((aligned(8)));

    memcpy(&list, from, sizeof list);
    list.flags = PARAMETER_DATA;
    (void)iucv(REPLY, &list);
}

void iucv_service_close(void)
{
    if (!service.is_open)
        return;
    service.is_open = false;
    iucv_sever(service.path);
}
