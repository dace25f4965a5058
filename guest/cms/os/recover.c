/*
 * SPIE and ESTAE: routines of a program that are called when it is interrupted by what it has done, or ends by an
 * abend.
 *
 * What the routines get is in a page of the program's: the program interruption element (PIE), whose PSW has the
 * interruption code in its left word as OS has it, and the diagnostic work area (SDWA), of which the parameter, the
 * completion code, and what SETRP says are there.
 */
#include "os.h"

enum { PIE_PSW = 4, PIE_REGISTERS = 12, PIE_LENGTH = 32, SDWA = 256, SDWA_PARAMETER = 0, SDWA_CODE = 4, SDWA_PSW = 8,
       SDWA_RETRY = 240, SDWA_RETURN = 252, SDWA_LENGTH = 512, RETRY = 4, CODES = 15, ESTAE_MOST = 8, CANCEL = 4 };

/* The registers that the PIE has. */
static const u8 kept[] = { 14, 15, 0, 1, 2 };

static u32 pica, page;
static bool in_exit;
static struct { u32 exit, parameter; } exits[ESTAE_MOST];
static u32 exit_count;

void os_recovery_forget(void)
{
    pica = page = exit_count = 0;
    in_exit = false;
}

/* SPIE: register 1 is at the PICA, or 0; it gets the one of before. */
void os_spie(struct frame *frame)
{
    u32 before = pica;

    if (frame->gr[1] != 0 && !os_may_fetch(frame->gr[1] & 0xffffff, 6))
        os_abend(0x30e);
    pica = frame->gr[1] & 0xffffff;
    frame->gr[1] = before;
    frame->gr[15] = 0;
}

/* ESTAE: register 0 is 0, and 1 at the exit's address and its parameter; or 0 is 4: the newest exit goes. */
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
        page = (u32)obtain_pages(SDWA + SDWA_LENGTH, OWNER_COMMAND, USER_KEY, LOW_STORAGE);
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
    if (!in_exit)
        os_abend(0x0c1);
    in_exit = false;
    for (u32 n = 0; n < COUNT_OF(kept); n++)
        frame->gr[kept[n]] = edf_word((const u8 *)page + PIE_REGISTERS + 4 * n);
    frame->psw[1] = (frame->psw[1] & 0x80000000) | three(page + PIE_PSW + 4);
}

/* A program check. True: the program goes on, in its exit or elsewhere. */
bool os_program_check(struct frame *frame, u32 code, u32 length)
{
    u32 at = pica;

    if (at != 0 && !in_exit && code >= 1 && code <= CODES && os_may_fetch(at, 6) && work_page() &&
        (((u32)((const u8 *)at)[4] << 8 | ((const u8 *)at)[5]) & 0x8000u >> code) != 0) {
        put(page, at);
        put(page + PIE_PSW, (frame->psw[0] & 0xffff0000) | code);
        put(page + PIE_PSW + 4, (length / 2) << 30 | (frame->psw[1] & 0xffffff));
        for (u32 n = 0; n < COUNT_OF(kept); n++)
            put(page + PIE_REGISTERS + 4 * n, frame->gr[kept[n]]);
        in_exit = true;
        frame->gr[1] = page;
        frame->gr[14] = OS_RESUMES | (frame->psw[1] & 0x80000000);
        frame->gr[15] = three(at);
        frame->psw[1] = (frame->psw[1] & 0x80000000) | three(at);
        return true;
    }
    return os_recovers(frame, (0x0c0 + code) << 12);
}
