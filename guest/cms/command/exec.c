/* EXEC: runs an exec by its name. */
#include "command.h"

int exec_command(const struct call *call)
{
    struct call of_exec = *call;
    struct fileid id = { .ft = "EXEC    ", .fm = "* " };
    char text[24];
    int code;

    if (call->count < 2) {
        message("EXC", 1, 'E');
        return RC_SYNTAX;
    }
    of_exec.token = call->token + 1;
    of_exec.count = call->count - 1;
    of_exec.line = of_exec.arguments = call->arguments;
    while (of_exec.arguments < call->end && *of_exec.arguments == ' ')
        of_exec.arguments++;
    of_exec.line = of_exec.arguments;
    while (of_exec.arguments < call->end && *of_exec.arguments != ' ' && *of_exec.arguments != '(')
        of_exec.arguments++;
    if (of_exec.arguments < call->end && *of_exec.arguments == ' ')
        of_exec.arguments++;
    if (run_exec(&of_exec, &code))
        return code;
    memcpy(id.fn, of_exec.token[0], sizeof(name));
    format(text, sizeof text, "%t EXEC *", id.fn);
    message("EXC", 2, 'E', text);
    return RC_MISSING;
}
