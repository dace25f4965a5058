/* PROGMAP: the program that LOAD, INCLUDE or LOADMOD has put into storage, and with ALL the nucleus extensions. */
#include "command.h"
#include "../nucleus/program.h"

struct shown { name wanted; bool any; };

/* What the program is called: the section at its entry, or its first one; blank without a map. */
static void program_name(name to)
{
    const struct loaded_program *program = &loaded_program;
    const struct symbol *found = NULL;

    for (u32 n = 0; n < program->symbols; n++) {
        const struct symbol *symbol = &program->symbol[n];

        if (!symbol_defined(symbol) || symbol->kind == SYMBOL_PSEUDO || symbol->name[0] == ' ')
            continue;
        if (found == NULL || (symbol->address == program->entry && found->address != program->entry))
            found = symbol;
    }
    memset(to, ' ', sizeof(name));
    if (found != NULL)
        memcpy(to, found->name, sizeof(name));
}

static void line(struct shown *shown, const name called, u32 entry, u32 origin, u32 bytes, const char *modes,
                 const char *what)
{
    if (shown->wanted[0] != ' ' && memcmp(shown->wanted, called, sizeof(name)) != 0)
        return;
    if (!shown->any)
        answer("%s", "Name     Entry    Origin   Bytes    Amode (Attributes)");
    shown->any = true;
    answer("%-8t %08x %08x %08x %-5s %s", called, entry, origin, bytes, modes, what);
}

int progmap_command(const struct call *call)
{
    static const char *const modes[] = { "24", "24", "31", "ANY" };
    int where = TO_TERMINAL, all = 0;
    const struct option known[] = {
        FLAG("ALL", 3, &all, 1), STACK_OPTIONS(&where),
    };
    const struct loaded_program *program = &loaded_program;
    struct shown shown = { .wanted = "        " };
    u32 words = operands(call);
    int code = options("PRM", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    if (words > 2) {
        message("PRM", 70, 'E', call->token[2]);
        return RC_SYNTAX;
    }
    if (words > 1 && !is(call->token[1], "*"))
        memcpy(shown.wanted, call->token[1], sizeof(name));
    answer_to(where);
    if (program->there) {
        name called;

        program_name(called);
        line(&shown, called, program->entry, program->first, program->next - program->first,
             modes[program->modes & AMODE_ANY],
             program->modes & RMODE_ANY ? "RMODE ANY" : "RMODE 24");
    }
    for (struct scblock *block = all ? extension_next(NULL) : NULL; block != NULL; block = extension_next(block))
        line(&shown, block->name, block->entry & 0x7fffffff, block->origin, block->length,
             modes[block->entry >> 31 ? 2 : 1], "NUCEXT");
    answer_to(TO_TERMINAL);
    if (shown.any)
        return 0;
    if (shown.wanted[0] != ' ')
        message("PRM", 616 + MESSAGE_SECOND, 'W', shown.wanted);
    else
        message("PRM", 617 + MESSAGE_SECOND, 'I');
    return RC_MISSING;
}
