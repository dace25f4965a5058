/* IMMCMD: immediate commands of an exec (nucleus/immcmd.c). */
#include "command.h"

enum { NOT_THERE = 44 };

int immcmd_command(const struct call *call)
{
    u32 words = call->count;
    bool all;

    if (words < 2) {
        message("IMM", 47, 'E');
        return RC_SYNTAX;
    }
    if (words < 3) {
        message("IMM", 50, 'E', call->token[1]);
        return RC_SYNTAX;
    }
    if (words > 3) {
        message("IMM", 70, 'E', call->token[3]);
        return RC_SYNTAX;
    }
    all = is(call->token[2], "*");
    if (is(call->token[1], "SET") && !all) {
        if (immediate_set(call->token[2]))
            return 0;
        message("IMM", 109, 'S');
        return RC_STORAGE;
    }
    if (is(call->token[1], "CLEAR"))
        return immediate_clear(all ? NULL : call->token[2]) ? 0 : NOT_THERE;
    if (is(call->token[1], "QUERY") && !all)
        return immediate_is(call->token[2]) ? 0 : NOT_THERE;
    if (is(call->token[1], "STATUS") && !all)
        return !immediate_is(call->token[2]) ? NOT_THERE : immediate_was_typed(call->token[2]);
    message("IMM", 14, 'E', call->token[all ? 2 : 1]);
    return RC_SYNTAX;
}
