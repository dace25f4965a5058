/*
 * VMCF (CP Programming Services, DIAGNOSE X'68'): special messages where SET SMSG is ON, and what stages of pipelines
 * send and receive.
 *
 * A message comes with its interruption, into one buffer. So CMS lets one in only while it waits for the clock
 * (clock.c) and the buffer is empty. The end of a message that was sent goes to the one that waits for it. Anything
 * else stays there for vmcf_next() or vmcf_arrived(), which empty the buffer; others wait with CP.
 */
#include "iucv.h"

enum { EXTERNAL_VMCF = 0x4001, VMCF_SUBCLASS = 0x1, RESPONSE = 0x80 };

/* What an interruption stores: VMCMHDR, and what was said. */
static volatile struct { struct vmcf_list header; char text[IUCV_LINE_MOST]; } arrival __attribute__((aligned(8)));
static u32 listeners, numbers;
static bool is_open, has_arrived;
static struct vmcf_wait *waits;

u32 vmcf_perform(struct vmcf_list *list)
{
    register u32 r2 __asm__("2") = (u32)list;
    register u32 r3 __asm__("3") = 0;

    __asm__ volatile(".long 0x83230068" : "+d"(r3) : "d"(r2), "m"(*list) : "cc", "memory");
    return r3;
}

void vmcf_close(void)
{
    struct vmcf_list list __attribute__((aligned(8))) = { .function = VMCF_UNAUTHORIZE };

    if (is_open)
        (void)vmcf_perform(&list);
    is_open = has_arrived = false;
    listeners = 0;
    waits = NULL;
}

bool vmcf_open(void)
{
    struct vmcf_list list __attribute__((aligned(8))) = { .function = VMCF_AUTHORIZE, .address = (u32)&arrival,
                                                          .length = sizeof arrival };

    if (!is_open)
        is_open = vmcf_perform(&list) == 0;
    return is_open;
}

/* Of external interruptions that a wait takes. */
u32 vmcf_subclass(void) { return is_open && !has_arrived ? VMCF_SUBCLASS : 0; }

static bool is_special(void)
{
    return arrival.header.function == VMCF_SENDX && memcmp((const char *)arrival.header.user, "SYSTEM  ", 8) == 0;
}

/* A message that no program here takes is refused, so that its source need not wait. */
static void refuse(void)
{
    struct vmcf_list list __attribute__((aligned(8))) = { .function = VMCF_REJECT };

    list.message = arrival.header.message;
    memcpy(list.user, (const char *)arrival.header.user, sizeof list.user);
    if (arrival.header.function == VMCF_SEND || arrival.header.function == VMCF_SEND_RECEIVE)
        (void)vmcf_perform(&list);
}

/* A wait has ended by an external interruption of this code. */
void vmcf_interrupted(u16 code)
{
    if (code != EXTERNAL_VMCF)
        return;
    if ((arrival.header.flags & RESPONSE) != 0 && arrival.header.function != VMCF_IDENTIFY) {
        for (struct vmcf_wait *wait = waits; wait != NULL; wait = wait->next)
            if (wait->number == arrival.header.message) {
                memcpy(&wait->answer, (const void *)&arrival.header, sizeof wait->answer);
                wait->done = true;
            }
        return;
    }
    has_arrived = is_special() || listeners > 0;
    if (!has_arrived)
        refuse();
}

bool vmcf_next(struct iucv_line *line)
{
    if (!has_arrived || !is_special())
        return false;
    has_arrived = false;
    line->class = IUCV_SPECIAL;
    line->length = arrival.header.length < sizeof line->text ? arrival.header.length : sizeof line->text;
    memcpy(line->from, (const char *)arrival.header.doubleword, sizeof(name));
    memcpy(line->text, (const char *)arrival.text, line->length);
    return true;
}

/* ---- what is sent ---- */

u32 vmcf_send(struct vmcf_list *list, struct vmcf_wait *wait)
{
    u32 code;

    list->message = ++numbers;
    *wait = (struct vmcf_wait){ .next = waits, .number = numbers };
    memcpy(wait->user, list->user, sizeof wait->user);
    code = vmcf_perform(list);
    if (code == 0)
        waits = wait;
    return code;
}

void vmcf_forget(struct vmcf_wait *wait)
{
    struct vmcf_list list __attribute__((aligned(8))) = { .function = VMCF_CANCEL, .message = wait->number };

    for (struct vmcf_wait **at = &waits; *at != NULL; at = &(*at)->next)
        if (*at == wait) {
            *at = wait->next;
            memcpy(list.user, wait->user, sizeof list.user);
            if (!wait->done)
                (void)vmcf_perform(&list);
            return;
        }
}

/* ---- what is received ---- */

void vmcf_listen(bool on) { listeners += on ? 1u : ~0u; }

bool vmcf_arrived(struct vmcf_list *header, char text[IUCV_LINE_MOST])
{
    if (!has_arrived)
        return false;
    has_arrived = false;
    memcpy(header, (const void *)&arrival.header, sizeof *header);
    memcpy(text, (const char *)arrival.text, IUCV_LINE_MOST);
    return true;
}
