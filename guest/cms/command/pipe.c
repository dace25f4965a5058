/*
 * PIPE, and what HELP has of stages and their messages: a part of the nucleus that is loaded when it is wanted
 * (nucleus/part.c, pipe/head.c), and what changes of it.
 */
#include "command.h"
#include "../nucleus/exec.h"
#include "../nucleus/iucv.h"
#include "../nucleus/pipes.h"
#include "../pipe/internal.h"

struct pipe *innermost_pipe;
struct stage_index stage_index[STAGE_TABLES];
struct capture *pipe_messages;
struct socket_path socket_path;

static const struct pipes_part *part(void) { return part_load(PART_PIPES); }

void pipes_forget(void)
{
    innermost_pipe = NULL;
    pipe_messages = NULL;
}

void sockets_leave(void)
{
    iucv_sever(socket_path.path);
    socket_path.open = socket_path.begun = false;
    socket_path.kept = 0;
}

/* The command that was typed has ended. */
void sockets_forget(void)
{
    if (socket_path.open)
        sockets_leave();
    socket_path.users = 0;
}

int pipe_command(const struct call *call)
{
    const struct pipes_part *pipes = part();

    return pipes == NULL ? RC_MISSING
                         : pipes->run(call->arguments, (u32)(call->end - call->arguments), exec_running());
}

bool help_of_stage(const char *verb, u32 length)
{
    const struct pipes_part *pipes = part();

    return pipes != NULL && pipes->help(verb, length);
}

const char *text_of_pipes(u32 number)
{
    const struct pipes_part *pipes = part();

    return pipes == NULL ? NULL : pipes->text(number);
}
