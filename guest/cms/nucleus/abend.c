/*
 * When a command cannot go on: program checks, HX, and what the nucleus finds wrong.
 *
 * Whatever the command was doing is over: files that it wrote are as they were before, its storage and the program
 * stack are gone, and the user gets the console. The nucleus's own stack begins anew, so it does not matter how deep it
 * was.
 *
 * What is wrong may be wrong in the recovery as well. When that has failed a few times and no command was typed in
 * between, CMS gives up: the machine waits disabled, and only IPL helps.
 */
#include "filedef.h"
#include "iucv.h"

u32 command_loop[10];

static const char *const exceptions[] = {
    "", "Operation", "Privileged operation", "Execute", "Protection", "Addressing", "Specification", "Data",
    "Fixed-point overflow", "Fixed-point divide", "Decimal overflow", "Decimal divide", "Exponent overflow",
    "Exponent underflow", "Significance", "Floating-point divide",
};

enum { IN_A_ROW = 3, GIVEN_UP = 0xabe };

static u32 abends;              /* since the last command was read */

void abends_are_over(void)
{
    abends = 0;
}

/*
 * Another abend, at a place of the nucleus. What types the message may be what is wrong: then nothing is said any more.
 */
static void another(u32 at)
{
    static const u32 wait[2] __attribute__((aligned(8))) = { 0x000a0000, 0x80000000 | GIVEN_UP };

    if (++abends <= IN_A_ROW)
        return;
    if (abends == IN_A_ROW + 1)
        message("ABE", 257, 'T', at);
    __asm__ volatile("lpsw %0" : : "Q"(wait));
}

static void recover(void) __attribute__((noreturn));

static void recover(void)
{
    kernel_stack = 0;
    capture_end(NULL);
    os_abandon();
    iucv_service_close();
    files_abandon(0);
    (void)no_command();
    filedefs_clear(false);
    clear_stack();
    clear_typed_ahead();
    immediate_forget();
    release_command_storage();
    come_back(command_loop);
}

void abend(u32 code, const char *text)
{
    another((u32)__builtin_return_address(0) & 0x7fffffff);
    if (text != NULL)
        type_line(text, (u32)strlen(text));
    message("ABE", 148, 'T', code);
    recover();
}

void halt_execution(void)
{
    recover();
}

/* From pgm_handler: something cannot be executed. A program can be wrong, and so can the nucleus. */
void program_check(struct frame *frame)
{
    u32 code = *(volatile u16 *)0x8e & 0xff, at = frame->psw[1] & 0x7fffffff, length = *(volatile u8 *)0x8d & 6;
    bool program = of_program(frame);
    char routine[32];

    if (program && os_program_check(frame, code, length))
        return;
    another(at - length);
    if (program)
        format(routine, sizeof routine, "routine %t", last_command);
    else
        format(routine, sizeof routine, "system routine %t", last_command);
    message("ITP", 141, 'T', code < COUNT_OF(exceptions) ? exceptions[code] : "Program", at - length, routine);
    recover();
}
