/*
 * Pipelines in CMS: storage, the terminal, stacks, and the PIPE command.
 *
 * A stage's stack is left and entered again by its registers alone (context_switch). What has to do with commands,
 * files or the terminal is done on the stack where PIPE was called, so that stacks of stages may be small, and so that
 * one command is over before another begins.
 */
#include "../nucleus/pipes.h"
#include "drive.h"

struct context { u32 registers[10]; };

void *system_obtain(size_t size) { return obtain(size, OWNER_COMMAND); }
void system_release(void *storage) { release(storage); }
bool system_pools(void) { return true; }
int system_guarded(int (*work)(const void *with), const void *with) { return with_storage(work, with); }
void system_type(const char *line, u32 length) { type_line(line, length); }

void messages_begin(struct capture *capture)
{
    capture->outer = pipe_messages;
    pipe_messages = capture;
}

void messages_end(struct capture *outer) { pipe_messages = outer; }

void system_message(const char *line, u32 length)
{
    if (pipe_messages != NULL)
        pipe_messages->line(pipe_messages, line, length);
    else
        message_show(line, length);
}

u32 system_read(char line[256]) { return read_line(line); }
bool system_typed(char line[256], u32 *length) { return typed_ahead(line, length); }
u32 system_stack(enum stack_need need) { return need == LARGE_STACK ? 0xc000 : 0x2000; }

/* HI; whatever has called PIPE sees it, too. */
bool system_halted(void)
{
    if (exec_attention & EXEC_LOOK) {
        exec_attention &= ~EXEC_LOOK;
        attend();
    }
    return (exec_attention & 1) != 0;
}

void system_wait(uint64_t until) { wait_until(until); }
u32 system_waits(void) { return waits_ended(); }

void system_overrun(struct stage *s)
{
    (void)s;
    abend(0x0f4, "A stage of a pipeline has used more than its stack");
}

/* It lies where the stack begins, at its upper end: the pages in between are not touched. */
struct context *context_begin(void *stack, u32 size, void (*perform)(void))
{
    struct context *context = (struct context *)((((u32)stack + size) & ~7u) - sizeof *context);

    context->registers[8] = (u32)perform;
    context->registers[9] = (u32)context - 96;
    return context;
}

u32 context_size(void) { return sizeof(struct context); }

/* void context_switch(struct context *from, struct context *to); mark() and come_back() (start.S) in one. */
__asm__(".text\n\t.balign 4\n\t.globl context_switch\n"
        "context_switch:\tstm %r6,%r15,0(%r2)\n\tlm %r6,%r15,0(%r3)\n\tbr %r14\n"
        "\t.type context_switch,@function\n\t.size context_switch,.-context_switch\n");

void system_clock(u8 clock[8]) { __asm__ volatile("stck 0(%0)" : : "a"(clock) : "cc", "memory"); }

void system_now(char stamp[17])
{
    struct moment moment;
    uint64_t clock;

    now(&moment);
    system_clock((u8 *)&clock);
    /* Bit 51 is a microsecond. */
    format(stamp, 17, "%04u%02u%02u%02u%02u%02u%02u", moment.year, moment.month, moment.day, moment.hour, moment.minute,
           moment.second, (u32)((clock >> 12) / 10000 % 100));
}
