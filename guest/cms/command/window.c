/*
 * Commands of full-screen CMS: WINDOW, VSCREEN, their older forms, and what SET and QUERY have of them. They are a part
 * of the nucleus that is loaded when the first of them is given (nucleus/part.c, window/window.h).
 */
#include "command.h"
#include "../nucleus/windows.h"

static const struct windows_part *part(void) { return part_load(PART_WINDOWS); }

int window_command(const struct call *call)
{
    const struct command *command = command_abbreviated(call->token[0]);
    const struct windows_part *windows;

    if (command == NULL)
        return NOT_FOUND;
    /* Other things than windows are CP's to define. */
    if (strcmp(command->name, "DEFINE") == 0 &&
        !(call->count > 1 && (abbreviates(call->token[1], "WINDOW", 3) || abbreviates(call->token[1], "VSCREEN", 3))))
        return call->type == CALL_TYPED ? cp_typed(call->line, (u32)(call->end - call->line)) : NOT_FOUND;
    windows = part();
    return windows == NULL ? RC_MISSING : windows->command(call, command->name);
}

/* As long as there was no full screen this is OFF; NULL: it is something else. */
static const char *not_wanted(const struct call *call)
{
    if (part_is_loaded(PART_WINDOWS))
        return NULL;
    return abbreviates(call->token[1], "FULLSCREEN", 5) ? "FULLSCREEN"
        : abbreviates(call->token[1], "CHARMODE", 4) ? "CHARMODE" : NULL;
}

int set_windows(const struct call *call, u32 words)
{
    const struct windows_part *windows;

    if (words == 3 && not_wanted(call) != NULL && is(call->token[2], "OFF"))
        return 0;
    windows = part();

    return windows == NULL ? RC_MISSING : windows->set(call, words);
}

int query_windows(const struct call *call)
{
    const struct windows_part *windows;

    if (operands(call) == 2 && not_wanted(call) != NULL) {
        answer("%s = OFF", not_wanted(call));
        return 0;
    }
    windows = part();

    return windows == NULL ? RC_MISSING : windows->query(call);
}
