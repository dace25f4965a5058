/* What the nucleus calls of this part (command/window.c), at its beginning. */
#include "window.h"
#include "../nucleus/windows.h"

struct windows here;

/* What the older forms of the commands have first, and what is the same as WINDOW or VSCREEN with that verb. */
static int older(const struct call *call)
{
    const char *word = call->token[0];

    if (is(word, "REFRESH")) {
        if (operands(call) > 1)
            return unexpected(call->token[1]);
        return show_screen() ? 0 : (message("WIN", 920, 'E'), RC_UNSUPPORTED);
    }
    if (is(word, "ROUTE"))
        return route_command_of(call, 1);
    if (is(word, "WAITT"))
        return vscreen_command_of(call, word, 1);
    if (is(word, "SCROLL"))
        return operands(call) < 2 ? missing() : window_command_of(call, call->token[1], 2);
    if (operands(call) < 2)
        return missing();
    if (is(word, "PUT") && abbreviates(call->token[1], "SCREEN", 3))
        return screen_put(call, 2);
    if (is(word, "GET") && abbreviates(call->token[1], "SCREEN", 3))
        return screen_get(call, 2);
    if (abbreviates(call->token[1], "WINDOW", 3) && is_window_verb(word))
        return window_command_of(call, word, 2);
    if (abbreviates(call->token[1], "VSCREEN", 3) && is_vscreen_verb(word))
        return vscreen_command_of(call, word, 2);
    return bad_word(call->token[1]);
}

/* A command, by the full name that HELP has. */
static int perform_command(const struct call *call, const char *command)
{
    name full;
    name token[TOKENS_MOST + 1];
    struct call renamed = *call;

    pad(full, sizeof full, command, (u32)strlen(command));
    if (is(full, "WINDOW"))
        return call->count < 2 ? missing() : window_command_of(call, call->token[1], 2);
    if (is(full, "VSCREEN"))
        return call->count < 2 ? missing() : vscreen_command_of(call, call->token[1], 2);
    memcpy(token, call->token, (call->count + 1) * sizeof(name));
    memcpy(token[0], full, sizeof(name));
    renamed.token = token;
    return older(&renamed);
}

static int perform_set(const struct call *call, u32 words) { return window_setting(call, words); }
static int perform_query(const struct call *call) { return window_query(call); }

/* First of the part (nucleus/part.ld). */
const struct windows_part head __attribute__((section(".head"), used)) =
    { perform_command, perform_set, perform_query };
