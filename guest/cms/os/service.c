/*
 * Supervisor calls of OS, and routines of a program that are called in the course of one.
 *
 * What is OS's own in the words of these calls is as its macros make them; where that is not public they are as ours
 * do (sdk/macros/OSMACRO): the bits of SVC 120 and of STIMER.
 */
#include "os.h"

enum { SVC_WAIT = 1, SVC_POST = 2, SVC_GETMAIN = 4, SVC_FREEMAIN = 5, SVC_LINK = 6, SVC_XCTL = 7, SVC_LOAD = 8,
       SVC_DELETE = 9, SVC_GETMAIN_R = 10, SVC_TIME = 11, SVC_SPIE = 14, SVC_ESTAE = 60, SVC_BLDL = 18, SVC_OPEN = 19,
       SVC_CLOSE = 20, SVC_WTO = 35, SVC_ATTACH = 42, SVC_TTIMER = 46, SVC_STIMER = 47, SVC_STOW = 21,
       SVC_GETMAIN_X = 120, SVC_OPEN_JOB = 22, SVC_DEVTYPE = 24, SVC_FEOV = 31, SVC_RDJFCB = 64, SVC_BSP = 69,
       SVC_ESPIE = 109, SVC_DEQ = 48, SVC_ENQ = 56 };
/* Of these there is nothing to do: tasks are one. */
enum { SVC_RESTORE = 17, SVC_TRKBAL = 25, SVC_CHAP = 44, SVC_DETACH = 62, SVC_CHKPT = 63 };
enum { ECB_POSTED = 0x40, WTO_HEAD = 4, REPLY_HEAD = 8 };
/* GETMAIN's list, and its flags. */
enum { LIST_LENGTH = 0, LIST_ANSWER = 4, LIST_FLAGS = 8, LIST_SUBPOOL = 9, LIST_SIZE = 10, LIST_VARIABLE = 0xc0,
       LIST_CONDITIONAL = 0x20 };
/* SVC 120, in register 15: ours. The byte in front of these is the subpool. */
enum { EXTENDED_FREE = 0x01, EXTENDED_UNCONDITIONAL = 0x02, EXTENDED_ANYWHERE = 0x10 };
/* Functions of SVC 203 as numbers of calls. */
enum { BRANCHES = 0x1000 };

bool os_may_store(u32 at, u32 length) { return has_key(at, length, USER_KEY); }

bool os_may_fetch(u32 at, u32 length)
{
    u32 size = storage_bytes();

    return at < size && length <= size - at;
}

/* What the program goes on with if one of its exits recovers it from what it has asked for. */
static struct frame *served;
static u32 recovered[10];

/* The program ends, as ABEND would end it. */
void os_abend(u32 code)
{
    struct frame *frame = served;

    served = NULL;
    if (frame != NULL && os_recovers(frame, code << 12))
        come_back(recovered);
    message("ABE", 148, 'T', code);
    halt_execution();
}

/* The branches of access methods: SVC 203, the function, BR 14; NOTE's goes over POINT's. */
void os_start(void)
{
    enum { SVC_203 = 0x0acb, RETURN = 0x07fe, BRANCH = 0xa7f4, OVER_POINT = 5 };
    u16 *at = (u16 *)OS_BRANCHES;

    for (u16 what = OS_GET; what < OS_NOTE; what++) {
        *at++ = SVC_203;
        *at++ = what;
        *at++ = RETURN;
    }
    *at++ = BRANCH;
    *at++ = OVER_POINT;
    for (u16 what = OS_POINT; what >= OS_NOTE; what--) {
        *at++ = SVC_203;
        *at++ = what;
        *at++ = RETURN;
    }
    *at++ = SVC_203;
    *at++ = OS_RESUME;
    *at++ = SVC_203;
    *at++ = OS_PUTX;
    *at++ = RETURN;
}

void os_forget(void)
{
    os_timer_forget();
    os_close_all();
    os_areas_forget();
    os_programs_forget();
    os_recovery_forget();
    os_resources_forget();
    served = NULL;
}

/* The same after an abend: what was written is lost with the files, and the storage is gone. */
void os_abandon(void)
{
    os_timer_forget();
    os_lose_all();
    os_areas_forget();
    os_programs_forget();
    os_recovery_forget();
    os_resources_forget();
    served = NULL;
}

/* Calls a routine as a program does, with the caller's registers but 0, 1, 14 and 15. */
static u32 call_routine(const struct frame *of, u32 entry, u32 r0, u32 r1)
{
    struct frame frame = *of;
    u8 mask;
    u32 code;

    frame.psw[0] |= 0x02000000;
    frame.psw[1] = (of->psw[1] & 0x80000000) | (entry & 0x7fffffff);
    if (entry & 0x80000000)
        frame.psw[1] |= 0x80000000;
    frame.gr[0] = r0;
    frame.gr[1] = r1;
    frame.gr[14] = PROGRAM_END | (frame.psw[1] & 0x80000000);
    frame.gr[15] = entry;
    mask = disable();
    code = (u32)run_program(&frame);
    restore(mask);
    return code;
}

u32 os_call(const struct frame *of, u32 entry, u32 r0, u32 r1) { return call_routine(of, entry, r0, r1); }

/* ---- storage ---- */

static u32 subpool_length(u32 word) { return word & 0xffffff; }

/* FREEMAIN: an area, or a subpool as a whole where there is neither address nor length. */
static bool freed(u32 at, u32 length, u8 subpool)
{
    return at == 0 && length == 0 ? os_release_subpool(subpool) : os_release(at, length, subpool);
}

/* GETMAIN R, and FREEMAIN R. */
static void getmain_register(struct frame *frame)
{
    u32 length = subpool_length(frame->gr[0]);
    u8 subpool = (u8)(frame->gr[0] >> 24);

    if ((int)frame->gr[1] < 0) {
        frame->gr[1] = os_obtain(length, false, subpool);
        if (frame->gr[1] == 0)
            os_abend(0x80a);
    } else if (!freed(frame->gr[1] & 0xffffff, length, subpool)) {
        os_abend(0xa0a);
    }
    frame->gr[15] = 0;
}

/* RC and RU of GETMAIN and FREEMAIN. */
static void getmain_extended(struct frame *frame)
{
    u32 how = frame->gr[15], length = frame->gr[0] & 0x7fffffff;
    u8 subpool = (u8)(how >> 8);
    bool good;

    if (how & EXTENDED_FREE) {
        good = freed(frame->gr[1] & 0x7fffffff, length, subpool);
    } else {
        frame->gr[1] = os_obtain(length, (how & EXTENDED_ANYWHERE) != 0, subpool);
        good = frame->gr[1] != 0;
    }
    if (!good && (how & EXTENDED_UNCONDITIONAL))
        os_abend(how & EXTENDED_FREE ? 0xa78 : 0x878);
    frame->gr[15] = good ? 0 : 4;
}

/* EC, EU, VC and VU: a list at register 1. Of V the length is two, the least and the most. */
static void getmain_list(struct frame *frame, bool free)
{
    u32 list = frame->gr[1] & 0xffffff, answer, length, got = 0;
    u8 flags, subpool;

    if (!os_may_fetch(list, LIST_SIZE))
        os_abend(0x0c4);
    flags = ((const u8 *)list)[LIST_FLAGS];
    subpool = ((const u8 *)list)[LIST_SUBPOOL];
    answer = three(list + LIST_ANSWER);
    if (!os_may_store(answer, flags & LIST_VARIABLE ? 8 : 4))
        os_abend(0x0c4);
    length = subpool_length(edf_word((const u8 *)list + LIST_LENGTH));
    if (free) {
        u32 given = flags & LIST_VARIABLE ? edf_word((const u8 *)answer + 4) : length;

        if (!os_release(three(answer), given, subpool))
            os_abend(0xa05);
        frame->gr[15] = 0;
        return;
    }
    if (flags & LIST_VARIABLE) {
        u32 least, most;

        if (!os_may_fetch(length, 8))
            os_abend(0x0c4);
        least = edf_word((const u8 *)length) & 0xffffff;
        most = edf_word((const u8 *)length + 4) & 0xffffff;
        for (length = most; length >= least && length > 0; length = length > least && length / 2 < least ? least
             : length / 2)
            if ((got = os_obtain(length, false, subpool)) != 0 || length == least)
                break;
        edf_set_word((u8 *)answer + 4, got == 0 ? 0 : (length + 7) & ~7u);
    } else {
        got = os_obtain(length, false, subpool);
    }
    if (got == 0 && !(flags & LIST_CONDITIONAL))
        os_abend(0x804);
    if (got != 0)
        edf_set_word((u8 *)answer, got);
    frame->gr[15] = got != 0 ? 0 : 4;
}

/* ---- programs ---- */

/* Register 15 of LINK, XCTL and ATTACH is at two words, of which the first is the name's address. */
static bool named_in(u32 list, name wanted)
{
    u32 at = os_may_fetch(list, 4) ? edf_word((const u8 *)list) & 0x7fffffff : 0;

    if (!os_may_fetch(at, sizeof(name)) || at == 0)
        return false;
    memcpy(wanted, (const void *)at, sizeof(name));
    return true;
}

static u32 link_to(const struct frame *frame, u32 missing)
{
    u32 entry, length, code;
    name wanted;

    if (!named_in(frame->gr[15] & 0x7fffffff, wanted) || !os_load(wanted, &entry, &length))
        os_abend(missing);
    code = call_routine(frame, entry, frame->gr[0], frame->gr[1]);
    (void)os_delete(wanted);
    return code;
}

static void load(struct frame *frame)
{
    u32 at = frame->gr[0] & 0x7fffffff, entry, length;
    name wanted;

    if (!os_may_fetch(at, sizeof(name)))
        os_abend(0x0c4);
    memcpy(wanted, (const void *)at, sizeof(name));
    if (!os_load(wanted, &entry, &length))
        os_abend(0x806);
    frame->gr[0] = entry;
    frame->gr[1] = (length + 7) / 8;
    frame->gr[15] = 0;
}

static void delete(struct frame *frame)
{
    u32 at = frame->gr[0] & 0x7fffffff;
    name wanted;

    if (!os_may_fetch(at, sizeof(name)))
        os_abend(0x0c4);
    memcpy(wanted, (const void *)at, sizeof(name));
    frame->gr[15] = os_delete(wanted) ? 0 : 4;
}

/* ---- the operator, and time ---- */

static void post(u32 ecb, u32 code)
{
    if (!os_may_store(ecb, 4))
        os_abend(0x0c4);
    edf_set_word((u8 *)ecb, (u32)ECB_POSTED << 24 | (code & 0x3fffffff));
}

/* WTO, and WTOR, whose first byte is the reply's length: a text is never so long that its length has that byte. */
static void write_to_operator(struct frame *frame)
{
    u32 at = frame->gr[1] & 0xffffff, reply = 0, ecb = 0, room = 0, length;
    char line[256];

    if (!os_may_fetch(at, REPLY_HEAD + WTO_HEAD))
        os_abend(0x0c4);
    if (*(const u8 *)at != 0) {
        room = *(const u8 *)at;
        reply = three(at);
        ecb = three(at + 4);
        at += REPLY_HEAD;
    }
    length = (u32)((const u8 *)at)[0] << 8 | ((const u8 *)at)[1];
    if (length < WTO_HEAD || !os_may_fetch(at, length))
        os_abend(0xd23);
    type_line((const char *)at + WTO_HEAD, length - WTO_HEAD < LINE_MOST ? length - WTO_HEAD : LINE_MOST);
    if (room != 0) {
        length = read_line(line);
        if (!os_may_store(reply, room))
            os_abend(0x0c4);
        pad((char *)reply, room, line, length < room ? length : room);
        post(ecb, 0);
    }
    frame->gr[15] = 0;
}

static u32 packed(u32 digits)
{
    u32 value = 0;

    for (u32 n = 0; n < 8; n++, digits /= 10)
        value |= digits % 10 << 4 * n;
    return value;
}

/* Register 1: 2 DEC, 1 BIN (hundredths), 0 TU (of 26 microseconds). The date is 0CYYDDDF. */
static void tell_time(struct frame *frame)
{
    static const u16 before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334 };
    struct moment at;
    u32 seconds, day, how = frame->gr[1] & 0xff;

    now(&at);
    seconds = at.hour * 3600 + at.minute * 60 + at.second;
    day = before[at.month - 1] + at.day + (at.month > 2 && at.year % 4 == 0 && at.year != 1900);
    frame->gr[0] = how == 2 ? packed(at.hour * 1000000 + at.minute * 10000 + at.second * 100)
                 : how == 1 ? seconds * 100 : (u32)((uint64_t)seconds * 38400);
    frame->gr[1] = packed((at.year - 1900) / 100 * 1000000 + at.year % 100 * 10000 + day * 10) | 0x0f;
    frame->gr[15] = 0;
}

/* How many of the ECBs are posted; `count`: how many there are. */
static u32 posted_of(const struct frame *frame, u32 *count)
{
    u32 at = frame->gr[1] & 0xffffff, posted = 0;
    bool list = (int)frame->gr[1] < 0;

    *count = 0;
    at = list ? (0u - frame->gr[1]) & 0xffffff : at;
    for (bool last = false; !last; at += 4) {
        u32 ecb = list ? three(at) : at;

        if (!os_may_fetch(at, 4) || !os_may_fetch(ecb, 4))
            os_abend(0x201);
        last = !list || (*(const u8 *)at & 0x80) != 0;
        posted += (*(const u8 *)ecb & ECB_POSTED) != 0;
        ++*count;
    }
    return posted;
}

/* Only the exit of STIMER could post it. */
static void wait_for_ecb(struct frame *frame)
{
    u32 wanted = frame->gr[0] & 0xff, count;

    while (posted_of(frame, &count) < wanted)
        if (wanted > count || !os_timer_wait(frame))
            os_abend(wanted > count ? 0x101 : 0x301);
}

/* ---- which it is ---- */

static void perform_one(u32 number, struct frame *frame)
{
    switch (number) {
    case SVC_WAIT:
        wait_for_ecb(frame);
        break;
    case SVC_POST:
        post(frame->gr[1] & 0xffffff, frame->gr[0]);
        break;
    case SVC_GETMAIN:
    case SVC_FREEMAIN:
        getmain_list(frame, number == SVC_FREEMAIN);
        break;
    case SVC_GETMAIN_R:
        getmain_register(frame);
        break;
    case SVC_GETMAIN_X:
        getmain_extended(frame);
        break;
    case SVC_LINK:
    case SVC_ATTACH:
        frame->gr[15] = link_to(frame, 0x806);
        break;
    case SVC_XCTL: {
        /* The program that says so has ended. */
        u32 code = link_to(frame, 0x806);

        served = NULL;
        (void)disable();
        leave_program((int)code);
    }
    case SVC_LOAD:
        load(frame);
        break;
    case SVC_DELETE:
        delete(frame);
        break;
    case SVC_TIME:
        tell_time(frame);
        break;
    case SVC_BLDL:
        if ((int)frame->gr[1] < 0)
            os_find(frame);
        else
            os_build_list(frame);
        break;
    case SVC_OPEN:
        os_open(frame, frame->gr[1] & 0xffffff, false);
        break;
    case SVC_OPEN_JOB:
        os_open(frame, frame->gr[1] & 0xffffff, true);
        break;
    case SVC_DEVTYPE:
        os_device_type(frame);
        break;
    case SVC_RDJFCB:
        os_read_job(frame);
        break;
    case SVC_BSP:
        os_backspace(frame);
        break;
    case SVC_FEOV:
        os_end_volume(frame);
        break;
    case SVC_ESPIE:
        os_espie(frame);
        break;
    case SVC_CLOSE:
        os_close(frame, frame->gr[1] & 0xffffff);
        break;
    case SVC_WTO:
        write_to_operator(frame);
        break;
    case SVC_SPIE:
        os_spie(frame);
        break;
    case SVC_ESTAE:
        os_estae(frame);
        break;
    case SVC_STOW:
        os_stow(frame);
        break;
    case SVC_TTIMER:
        os_ttimer(frame);
        break;
    case SVC_STIMER:
        os_stimer(frame);
        break;
    case SVC_ENQ:
    case SVC_DEQ:
        os_resources(frame, number == SVC_ENQ);
        break;
    default:
        frame->gr[15] = 0;
    }
}

/* Performs it; if that ends in an abend, an exit of the program may say where it goes on. */
static void serve(u32 number, struct frame *frame)
{
    struct frame *outer = served;
    u32 place[10];

    enable();
    attend();
    memcpy(place, recovered, sizeof place);
    if (mark(recovered) == 0) {
        served = frame;
        if (number >= BRANCHES)
            os_access(frame, (enum os_access)(number - BRANCHES));
        else
            perform_one(number, frame);
    }
    memcpy(recovered, place, sizeof recovered);
    served = outer;
    (void)disable();
}

bool os_service(u32 number, struct frame *frame)
{
    static const u8 known[] = { SVC_WAIT, SVC_POST, SVC_GETMAIN, SVC_FREEMAIN, SVC_LINK, SVC_LOAD, SVC_DELETE,
                                SVC_GETMAIN_R, SVC_TIME, SVC_BLDL, SVC_OPEN, SVC_CLOSE, SVC_WTO, SVC_ATTACH,
                                SVC_STIMER, SVC_TTIMER, SVC_STOW, SVC_GETMAIN_X, SVC_XCTL, SVC_SPIE, SVC_ESTAE,
                                SVC_OPEN_JOB, SVC_DEVTYPE, SVC_FEOV, SVC_RDJFCB, SVC_BSP, SVC_ESPIE, SVC_RESTORE,
                                SVC_TRKBAL, SVC_CHAP, SVC_DEQ, SVC_ENQ, SVC_DETACH, SVC_CHKPT };

    if (memchr(known, (int)number, sizeof known) == NULL)
        return false;
    serve(number, frame);
    return true;
}

/* The same for a branch of the access methods. */
void os_branched(struct frame *frame, enum os_access what) { serve(BRANCHES + what, frame); }
