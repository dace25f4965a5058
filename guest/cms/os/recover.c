/*
 * SPIE, ESPIE and ESTAE: routines of a program that are called when it is interrupted by what it has done, or ends by
 * an abend.
 *
 * What the routines get is in a page of the program's: the program interruption element (PIE), whose PSW has the
 * interruption code in its left word as OS has it, the extended one (EPIE), which has all registers, and the diagnostic
 * work area (SDWA), of which the parameter, the completion code, and what SETRP says are there.
 */
#include "os.h"

enum { PIE_PSW = 4, PIE_REGISTERS = 12, PIE_LENGTH = 32, SDWA = 256, SDWA_PARAMETER = 0, SDWA_CODE = 4, SDWA_PSW = 8,
       SDWA_RETRY = 240, SDWA_RETURN = 252, SDWA_LENGTH = 512, RETRY = 4, CODES = 15, ESTAE_MOST = 8,
       CANCEL = 4, OVERLAY = 8, CREATED = 4 };
/* The EPIE, and a save area for its exit. */
enum { EPIE_PARAMETER = 4, EPIE_REGISTERS = 8, EPIE_PSW = 72, EPIE_LENGTH = 80, EPIE_CODE = 82, EPIE_ROOM = 152,
       SAVE_AREA = SDWA + SDWA_LENGTH, SAVE_LENGTH = 144, PAGE_LENGTH = SAVE_AREA + SAVE_LENGTH, ESPIE_MOST = 16 };
enum espie { ESPIE_SET = 0, ESPIE_RESET = 4, ESPIE_TEST = 8 };

/* The registers that the PIE has. */
static const u8 kept[] = { 14, 15, 0, 1, 2 };

/* What holds: SPIE's block, or ESPIE's exit; which program interruptions are its, from the left. */
static struct { u32 pica, exit, parameter, codes; } now_holds, held[ESPIE_MOST];
static u32 held_count, page;
static enum { IN_NONE, IN_SPIE, IN_ESPIE } in_exit;
static struct { u32 exit, parameter; } exits[ESTAE_MOST];
static u32 exit_count;

void os_recovery_forget(void)
{
    page = exit_count = held_count = 0;
    memset(&now_holds, 0, sizeof now_holds);
    in_exit = IN_NONE;
}

/* SPIE: register 1 is at the PICA, or 0; it gets the one of before. */
void os_spie(struct frame *frame)
{
    u32 before = now_holds.pica, at = frame->gr[1] & 0xffffff;

    if (frame->gr[1] != 0 && !os_may_fetch(at, 6))
        os_abend(0x30e);
    memset(&now_holds, 0, sizeof now_holds);
    now_holds.pica = at;
    if (at != 0) {
        now_holds.exit = three(at);
        now_holds.codes = (u32)((const u8 *)at)[4] << 24 | (u32)((const u8 *)at)[5] << 16;
    }
    frame->gr[1] = before;
    frame->gr[15] = 0;
}

/*
 * ESPIE, register 0. SET: register 1 is at the exit, its parameter, and a word with a bit for each interruption; it
 * gets a number for what was before, which RESET takes. TEST: four words at register 1 get what holds; register 15 is
 * 0, or 4, it is SPIE's, or 8, there is none.
 */
void os_espie(struct frame *frame)
{
    u32 at = frame->gr[1] & 0xffffff;

    frame->gr[15] = 0;
    switch (frame->gr[0]) {
    case ESPIE_SET:
        if (!os_may_fetch(at, 12) || held_count == ESPIE_MOST)
            os_abend(0x46d);
        held[held_count++] = now_holds;
        now_holds.pica = 0;
        now_holds.exit = edf_word((const u8 *)at) & 0x7fffffff;
        now_holds.parameter = edf_word((const u8 *)at + 4);
        now_holds.codes = edf_word((const u8 *)at + 8);
        frame->gr[1] = held_count;
        return;
    case ESPIE_RESET:
        if (frame->gr[1] == 0 || frame->gr[1] > held_count)
            os_abend(0x46d);
        held_count = frame->gr[1] - 1;
        now_holds = held[held_count];
        return;
    case ESPIE_TEST:
        if (!os_may_store(at, 16))
            os_abend(0x46d);
        memset((void *)at, 0, 16);
        frame->gr[15] = now_holds.exit == 0 ? 8 : now_holds.pica != 0 ? 4 : 0;
        edf_set_word((u8 *)at, now_holds.pica != 0 ? now_holds.pica : now_holds.exit);
        edf_set_word((u8 *)at + 4, now_holds.parameter);
        edf_set_word((u8 *)at + 8, now_holds.codes);
        return;
    default:
        os_abend(0x46d);
    }
}

/* ESTAE: register 0 is 0, and 1 at the exit's address and its parameter; 4: the newest exit goes; 8: it is overlaid. */
void os_estae(struct frame *frame)
{
    u32 at = frame->gr[1] & 0xffffff;

    frame->gr[15] = 0;
    if (frame->gr[0] == CANCEL) {
        frame->gr[15] = exit_count == 0 ? 8 : 0;
        exit_count -= exit_count > 0;
        return;
    }
    if (!os_may_fetch(at, 8))
        os_abend(0x13c);
    if (frame->gr[0] == OVERLAY && exit_count > 0)
        exit_count--;
    else if (frame->gr[0] == OVERLAY)
        frame->gr[15] = CREATED;
    if (exit_count == ESTAE_MOST) {
        frame->gr[15] = 8;
        return;
    }
    exits[exit_count].exit = edf_word((const u8 *)at);
    exits[exit_count++].parameter = edf_word((const u8 *)at + 4);
}

static bool work_page(void)
{
    if (page == 0)
        page = (u32)obtain_pages(PAGE_LENGTH, OWNER_COMMAND, USER_KEY, LOW_STORAGE);
    return page != 0;
}

static void put(u32 at, u32 value) { edf_set_word((u8 *)at, value); }

/* The newest exit is asked what to do, each once. True: the program goes on where it has said. */
bool os_recovers(struct frame *frame, u32 completion)
{
    while (exit_count > 0 && work_page()) {
        u32 entry = exits[--exit_count].exit, sdwa = page + SDWA;

        memset((void *)sdwa, 0, SDWA_LENGTH);
        put(sdwa + SDWA_PARAMETER, exits[exit_count].parameter);
        put(sdwa + SDWA_CODE, completion);
        put(sdwa + SDWA_PSW, frame->psw[0]);
        put(sdwa + SDWA_PSW + 4, frame->psw[1]);
        (void)os_call(frame, entry, 16, sdwa);
        if (((const u8 *)sdwa)[SDWA_RETURN] == RETRY) {
            frame->psw[1] = (frame->psw[1] & 0x80000000) | (edf_word((const u8 *)sdwa + SDWA_RETRY) & 0x7fffffff);
            frame->gr[1] = sdwa;
            return true;
        }
    }
    return false;
}

/* The exit has returned: what the PIE has holds, and other registers are as the exit has left them. */
void os_resume(struct frame *frame)
{
    if (in_exit == IN_NONE)
        os_abend(0x0c1);
    if (in_exit == IN_ESPIE) {
        in_exit = IN_NONE;
        for (u32 n = 0; n < 16; n++)
            frame->gr[n] = edf_word((const u8 *)page + EPIE_REGISTERS + 4 * n);
        frame->psw[1] = edf_word((const u8 *)page + EPIE_PSW + 4);
        return;
    }
    in_exit = IN_NONE;
    for (u32 n = 0; n < COUNT_OF(kept); n++)
        frame->gr[kept[n]] = edf_word((const u8 *)page + PIE_REGISTERS + 4 * n);
    frame->psw[1] = (frame->psw[1] & 0x80000000) | three(page + PIE_PSW + 4);
}

/* ESPIE's exit is to run: all registers are in the EPIE, at register 1, and go on from there. */
static void extended(struct frame *frame, u32 code, u32 length)
{
    memset((void *)page, 0, EPIE_ROOM);
    memcpy((void *)page, "EPIE", 4);
    put(page + EPIE_PARAMETER, now_holds.parameter);
    for (u32 n = 0; n < 16; n++)
        put(page + EPIE_REGISTERS + 4 * n, frame->gr[n]);
    put(page + EPIE_PSW, frame->psw[0]);
    put(page + EPIE_PSW + 4, frame->psw[1]);
    put(page + EPIE_LENGTH, length << 16 | code);
    in_exit = IN_ESPIE;
    frame->gr[1] = page;
    frame->gr[13] = page + SAVE_AREA;
    frame->gr[14] = OS_RESUMES | (frame->psw[1] & 0x80000000);
    frame->gr[15] = now_holds.exit;
    frame->psw[1] = (frame->psw[1] & 0x80000000) | now_holds.exit;
}

/* A program check. True: the program goes on, in its exit or elsewhere. */
bool os_program_check(struct frame *frame, u32 code, u32 length)
{
    u32 at = now_holds.pica;
    bool holds = in_exit == IN_NONE && code >= 1 && code <= CODES && (now_holds.codes & 0x80000000u >> code) != 0;

    if (holds && at == 0 && work_page()) {
        extended(frame, code, length);
        return true;
    }
    if (holds && work_page()) {
        put(page, at);
        put(page + PIE_PSW, (frame->psw[0] & 0xffff0000) | code);
        put(page + PIE_PSW + 4, (length / 2) << 30 | (frame->psw[1] & 0xffffff));
        for (u32 n = 0; n < COUNT_OF(kept); n++)
            put(page + PIE_REGISTERS + 4 * n, frame->gr[kept[n]]);
        in_exit = IN_SPIE;
        frame->gr[1] = page;
        frame->gr[14] = OS_RESUMES | (frame->psw[1] & 0x80000000);
        frame->gr[15] = now_holds.exit;
        frame->psw[1] = (frame->psw[1] & 0x80000000) | now_holds.exit;
        return true;
    }
    return os_recovers(frame, (0x0c0 + code) << 12);
}
