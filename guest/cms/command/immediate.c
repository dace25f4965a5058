/*
 * HT, RT, HX, HI, TS, TE when nothing runs: there is nothing to halt. While something runs, nucleus/console.c has them.
 */
#include "command.h"

int immediate_command(const struct call *call)
{
    if (is(call->token[0], "RT"))
        halt_typing(false);
    if (is(call->token[0], "HX"))
        halt_execution();
    return 0;
}
