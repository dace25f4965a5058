/*
 * ENQ and DEQ: control of what programs name by a qname and an rname, alone or shared ("Supervisor Services and Macro
 * Instructions").
 *
 * Tasks are one: what is asked for is there at once, unless the task has control of it already. All of it is given back
 * when the command ends. The list is that of "MVS Diagnosis: Reference", SVC 56. A request has twelve bytes of it, and
 * its return code is put there; register 15 is 0, or at the list where one of the codes is not.
 */
#include "os.h"

enum { OF_LIST = 0, OF_LENGTH = 1, OF_REQUEST = 2, OF_CODE = 3, OF_QNAME = 4, OF_RNAME = 8, REQUEST = 12, OF_ECB = -4 };
/* Of a list's first byte, besides LIST_LAST: the code is of something that is shared. Of the request's. */
enum { LIST_SHARED = 0x10, ASKS_SHARED = 0x80, ASKS_SCOPE = 0x48, ASKS_HOW = 0x07 };
enum how { HOW_NONE = 0, HOW_HAVE = 1, HOW_CHANGE = 2, HOW_USE = 3, HOW_ECB = 4, HOW_TEST = 7 };
enum { ALREADY = 8, NOT_HELD = 8 };
/* Completion codes, with 8 or 0 in the third digit for ENQ and DEQ. */
enum { ABEND_HELD = 0x138, ABEND_NOT_HELD = 0x130, ABEND_LIST = 0x230, ABEND_NAME = 0x430, OF_ENQ = 8 };

struct resource { struct resource *next; char qname[8]; u8 scope, length; bool shared; char rname[]; };

static struct resource *controlled;

void os_resources_forget(void) { controlled = NULL; }

/* What a request names; its rname has its length in front where the list has none. */
static void names_of(u32 at, u32 abend, struct resource *wanted, u32 *rname)
{
    u32 qname = edf_word((const u8 *)at + OF_QNAME) & 0x7fffffff;

    *rname = edf_word((const u8 *)at + OF_RNAME) & 0x7fffffff;
    wanted->length = ((const u8 *)at)[OF_LENGTH];
    wanted->scope = ((const u8 *)at)[OF_REQUEST] & ASKS_SCOPE;
    if (wanted->length == 0 && os_may_fetch(*rname, 1))
        wanted->length = *(const u8 *)(*rname)++;
    if (wanted->length == 0 || !os_may_fetch(*rname, wanted->length) || !os_may_fetch(qname, sizeof wanted->qname))
        os_abend(abend);
    memcpy(wanted->qname, (const void *)qname, sizeof wanted->qname);
}

/* Where the chain has it: at what points to it. */
static struct resource **find(const struct resource *wanted, u32 rname)
{
    struct resource **at = &controlled;

    while (*at != NULL && ((*at)->scope != wanted->scope || (*at)->length != wanted->length ||
                           memcmp((*at)->qname, wanted->qname, sizeof wanted->qname) != 0 ||
                           memcmp((*at)->rname, (const void *)rname, wanted->length) != 0))
        at = &(*at)->next;
    return at;
}

static void take(const struct resource *wanted, u32 rname)
{
    struct resource *made = obtain_command(sizeof *made + wanted->length);

    *made = *wanted;
    memcpy(made->rname, (const void *)rname, wanted->length);
    made->next = controlled;
    controlled = made;
}

/* One request of ENQ; its return code. */
static u8 enqueue(u32 at)
{
    u8 request = ((const u8 *)at)[OF_REQUEST];
    enum how how = request & ASKS_HOW;
    struct resource wanted = { .shared = (request & ASKS_SHARED) != 0 }, *found;
    u32 rname;

    names_of(at, ABEND_NAME + OF_ENQ, &wanted, &rname);
    found = *find(&wanted, rname);
    if (how == HOW_CHANGE) {
        if (found == NULL)
            return NOT_HELD;
        found->shared = false;
        return 0;
    }
    if (found != NULL) {
        if (how == HOW_NONE)
            os_abend(ABEND_HELD);
        if (found->shared)
            ((u8 *)at)[OF_LIST] |= LIST_SHARED;
        return ALREADY;
    }
    if (how != HOW_TEST)
        take(&wanted, rname);
    return 0;
}

static u8 dequeue(u32 at)
{
    struct resource wanted = { 0 }, **from, *found;
    u32 rname;

    names_of(at, ABEND_NAME, &wanted, &rname);
    from = find(&wanted, rname);
    found = *from;
    if (found == NULL) {
        if ((((const u8 *)at)[OF_REQUEST] & ASKS_HOW) == HOW_NONE)
            os_abend(ABEND_NOT_HELD);
        return NOT_HELD;
    }
    *from = found->next;
    release(found);
    return 0;
}

/* What a request may ask for; ECB is where the event control block's address is in front of the list. */
static bool possible(u32 list, u32 at, bool asks)
{
    enum how how = ((const u8 *)at)[OF_REQUEST] & ASKS_HOW;

    if (!asks)
        return how == HOW_NONE || how == HOW_HAVE;
    if (how == HOW_ECB)
        return os_may_fetch(list + OF_ECB, 4) &&
            os_may_store(edf_word((const u8 *)list + OF_ECB) & 0x7fffffff, 4);
    return how <= HOW_USE || how == HOW_TEST;
}

/* ENQ (`asks`) and DEQ: register 1 is at the list. The ECB of a request that need not wait is not posted. */
void os_resources(struct frame *frame, bool asks)
{
    u32 list = frame->gr[1] & 0x7fffffff, worst = 0;
    u8 flags = 0;

    for (u32 at = list; !(flags & LIST_LAST); at += REQUEST) {
        u8 code;

        if (!os_may_store(at, REQUEST) || !possible(list, at, asks))
            os_abend(ABEND_LIST + (asks ? OF_ENQ : 0));
        flags = ((u8 *)at)[OF_LIST] &= (u8)~LIST_SHARED;
        code = asks ? enqueue(at) : dequeue(at);
        ((u8 *)at)[OF_CODE] = code;
        worst |= code;
    }
    frame->gr[15] = worst == 0 ? 0 : list;
}
