/* EXEC: runs an exec by its name; and commands that are execs of the system. */
#include "command.h"

static int not_found(const name fn)
{
    char text[24];

    format(text, sizeof text, "%t EXEC *", fn);
    message("EXC", 2, 'E', text);
    return RC_MISSING;
}

/* A command that is an exec on a disk of the system's (help/cms.txt), where a command alone is looked for. */
int program_command(const struct call *call)
{
    int code;

    return run_exec(call, &code) ? code : not_found(call->token[0]);
}

int exec_command(const struct call *call)
{
    struct call of_exec = *call;
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
    return not_found(of_exec.token[0]);
}
