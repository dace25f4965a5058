/* CP: a line for CP, as it is. */
#include "command.h"

int cp_command(const struct call *call)
{
    u32 length = (u32)(call->end - call->arguments);

    /* What CP thinks of it, CP says. */
    if (length_of(call->arguments, length) > 0)
        return cp(call->arguments, length, NULL, NULL);
    message("CPF", 47, 'E');
    return RC_SYNTAX;
}
