/*
 * STIMER and TTIMER: a program's interval of time, and the exit that is called when it is over.
 *
 * REAL is by the clock comparator, TASK by the CPU timer. Only programs are open for their interruptions: while CMS
 * works for a program the exit waits until it goes on. There is one interval; a new one takes its place. It ends with
 * the command that was typed.
 *
 * Register 0 of STIMER has the exit's address, and in its left byte what the interval is of: how it is measured, and in
 * which unit. These bits are as our macro makes them.
 */
#include "os.h"

enum { OF_TASK = 0, OF_WAIT = 1, OF_REAL = 3, KIND = 0x0f };
enum { UNITS = 0x00, HUNDREDTHS = 0x10, MICROSECONDS = 0x20, DIGITS = 0x30, TIME_OF_DAY = 0x70, UNIT = 0xf0 };
enum { CLOCK_COMPARATOR = 0x800, CPU_TIMER = 0x400, EXTERNAL_MASK = 0x01000000, SAVE_AREA = 72, OF_UNITS = 625 };
enum { CANCEL = 0x01, IN_MICROSECONDS = 0x02, HUNDREDTHS_A_DAY = 8640000 };

static struct {
    bool armed, task;
    u32 exit;
    uint64_t end;               /* REAL: of the clock */
    u32 save;                   /* the exit's save area */
} timer;

static void open_subclass(u32 subclass)
{
    u32 control;

    __asm__ volatile("stctl 0,0,%0" : "=Q"(control));
    control = (control & ~(u32)(CLOCK_COMPARATOR | CPU_TIMER)) | subclass;
    __asm__ volatile("lctl 0,0,%0" : : "Q"(control));
}

/* How much of the interval is left, in units of the clock. */
static uint64_t left(void)
{
    uint64_t value;

    if (!timer.armed)
        return 0;
    if (timer.task)
        __asm__ volatile("stpt %0" : "=Q"(value) : : "cc");
    else
        value = timer.end - tod_clock();
    return (int64_t)value > 0 ? value : 0;
}

void os_timer_forget(void)
{
    if (timer.armed)
        open_subclass(0);
    memset(&timer, 0, sizeof timer);
}

/* From every interruption of a program, before it goes on: it is open for the end of its interval. */
void os_timer_set(struct frame *frame)
{
    if (!timer.armed || !of_program(frame)) {
        frame->psw[0] &= ~(u32)EXTERNAL_MASK;
        return;
    }
    if (!timer.task)
        __asm__ volatile("sckc %0" : : "Q"(timer.end));
    open_subclass(timer.task ? CPU_TIMER : CLOCK_COMPARATOR);
    frame->psw[0] |= EXTERNAL_MASK;
}

/* The interval is over: the exit is called, with a save area of its own. It may begin another one. */
static void call_exit(const struct frame *frame)
{
    struct frame with = *frame;
    u32 exit = timer.exit;

    timer.armed = false;
    open_subclass(0);
    if (exit == 0)
        return;
    if (timer.save == 0)
        timer.save = (u32)obtain_pages(SAVE_AREA, OWNER_COMMAND, USER_KEY, LOW_STORAGE);
    if (timer.save == 0)
        os_abend(0x80a);
    with.psw[0] &= ~(u32)EXTERNAL_MASK;
    with.gr[13] = timer.save;
    (void)os_call(&with, exit | (frame->psw[1] & 0x80000000), 0, 0);
}

/* From ext_handler. */
void external_interrupt(struct frame *frame)
{
    if (timer.armed && left() == 0)
        call_exit(frame);
    os_timer_set(frame);
}

/* Other things that the wait is ended by are attended to. */
static void wait_for(uint64_t end)
{
    while (tod_clock() < end) {
        wait_until(end);
        attend();
    }
}

bool os_timer_wait(struct frame *frame)
{
    if (!timer.armed || timer.task)
        return false;
    wait_for(timer.end);
    call_exit(frame);
    return true;
}

/* HHMMSSTH in zoned digits, in hundredths; the whole of a day or more: it is none. */
static u32 of_digits(const u8 *at)
{
    static const u8 most[] = { 23, 59, 59, 99 };
    static const u8 each[] = { 24, 60, 60, 100 };
    u32 value = 0;

    for (u32 n = 0; n < COUNT_OF(most); n++) {
        u32 tens = at[2 * n] & 0x0f, ones = at[2 * n + 1] & 0x0f;

        if (tens > 9 || ones > 9 || tens * 10 + ones > most[n])
            return HUNDREDTHS_A_DAY;
        value = value * each[n] + tens * 10 + ones;
    }
    return value;
}

/* An interval in microseconds. */
static uint64_t interval(u32 unit, u32 at)
{
    const u8 *from = (const u8 *)at;
    struct moment today;
    u32 hundredths, so_far;

    if (!os_may_fetch(at, unit >= MICROSECONDS ? 8 : 4))
        os_abend(0x12f);
    switch (unit) {
    case UNITS:
        return (uint64_t)edf_word(from) * OF_UNITS / 24;
    case HUNDREDTHS:
        return (uint64_t)edf_word(from) * 10000;
    case MICROSECONDS:
        return ((uint64_t)edf_word(from) << 32 | edf_word(from + 4)) >> 12;
    case DIGITS:
    case TIME_OF_DAY:
        break;
    default:
        os_abend(0x12f);
    }
    hundredths = of_digits(from);
    if (hundredths >= HUNDREDTHS_A_DAY)
        os_abend(0x12f);
    if (unit == TIME_OF_DAY) {
        /* Of today, or if that has been, of tomorrow. */
        now(&today);
        so_far = (today.hour * 3600 + today.minute * 60 + today.second) * 100;
        hundredths += hundredths < so_far ? HUNDREDTHS_A_DAY - so_far : 0 - so_far;
    }
    return (uint64_t)hundredths * 10000;
}

void os_stimer(struct frame *frame)
{
    u32 how = frame->gr[0] >> 24, kind = how & KIND, exit = frame->gr[0] & 0xffffff;
    uint64_t span = interval(how & UNIT, frame->gr[1] & 0xffffff) << 12;

    if ((kind != OF_TASK && kind != OF_WAIT && kind != OF_REAL) || (exit != 0 && !os_may_fetch(exit, 2)) ||
        (kind == OF_TASK && (how & UNIT) == TIME_OF_DAY) || span >> 62 != 0)
        os_abend(0x12f);
    timer.armed = false;
    open_subclass(0);
    frame->gr[15] = 0;
    if (kind == OF_WAIT) {
        wait_for(tod_clock() + span);
        return;
    }
    timer.armed = true;
    timer.task = kind == OF_TASK;
    timer.exit = exit;
    timer.end = tod_clock() + span;
    if (timer.task)
        __asm__ volatile("spt %0" : : "Q"(span));
}

/* Register 0 gets what is left in units of 26 microseconds, or the doubleword that it is at, in those of the clock. */
void os_ttimer(struct frame *frame)
{
    u32 how = frame->gr[1], at = frame->gr[0] & 0xffffff;
    uint64_t rest = left();

    if ((how & IN_MICROSECONDS) && !os_may_store(at, 8))
        os_abend(0x12e);
    if (how & IN_MICROSECONDS) {
        edf_set_word((u8 *)at, (u32)(rest >> 32));
        edf_set_word((u8 *)at + 4, (u32)rest);
    } else {
        frame->gr[0] = (u32)((rest >> 12) * 24 / OF_UNITS);
    }
    if (how & CANCEL) {
        timer.armed = false;
        open_subclass(0);
    }
    frame->gr[15] = 0;
}
