/* SUBCOM: whether there is a subcommand environment. VMFCLEAR: the screen is cleared. Both are for execs. */
#include "command.h"
#include "../xedit/xedit.h"

int subcom_command(const struct call *call)
{
    static const char *const always[] = { "CMS", "COMMAND", "CP" };

    if (call->count != 2) {
        message("SUB", call->count < 2 ? 50 : 70, 'E', call->token[call->count < 2 ? 0 : 2]);
        return RC_SYNTAX;
    }
    for (u32 n = 0; n < COUNT_OF(always); n++)
        if (is(call->token[1], always[n]))
            return 0;
    if (is(call->token[1], "EXECCOMM") && exec_running() != NULL)
        return 0;
    if (is(call->token[1], "XEDIT") && editor != NULL)
        return 0;
    return subcommand_is_there(call->token[1]) ? 0 : 1;
}

int vmfclear_command(const struct call *call)
{
    if (call->count > 1) {
        message("CLR", 70, 'E', call->token[1]);
        return RC_SYNTAX;
    }
    clear_screen();
    return 0;
}
