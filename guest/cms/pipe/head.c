/* What the nucleus calls of this part (command/pipe.c), at its beginning. */
#include "drive.h"
#include "../nucleus/pipes.h"

const struct pipes_part head __attribute__((section(".head"), used)) = { pipe_run, pipe_help, pipe_message_text };
