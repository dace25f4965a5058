/* Operands of WINDOW and VSCREEN commands, and what is said of wrong ones. */
#include "window.h"

int missing(void)
{
    message("WIN", 386, 'E');
    return RC_SYNTAX;
}

int unexpected(const name word)
{
    message("WIN", 391, 'E', word);
    return RC_SYNTAX;
}

int bad_word(const name word)
{
    message("WIN", 388, 'E', word);
    return RC_SYNTAX;
}

int no_vscreen(const name wanted)
{
    message("WIN", 921, 'E', wanted);
    return RC_NO_NAME;
}

int no_window(const name wanted)
{
    message("WIN", 922, 'E', wanted);
    return RC_NO_NAME;
}

u32 word_of(const struct call *call, u32 n, const char **text)
{
    const char *at = call->line;
    u32 length = 0;

    for (u32 k = 0; k <= n; k++) {
        at += length;
        while (at < call->end && *at == ' ')
            at++;
        length = 0;
        if (at < call->end && (*at == '(' || *at == ')'))
            length = 1;
        else
            while (at + length < call->end && at[length] != ' ' && at[length] != '(' && at[length] != ')')
                length++;
    }
    *text = at;
    return length;
}

/* A number that is there and within limits; 0, or the return code. */
int operand_number(const struct call *call, u32 n, u32 least, u32 most, u32 *value)
{
    if (n >= operands(call))
        return missing();
    if (!parse_number(call->token[n], name_length(call->token[n]), value) || *value < least || *value > most)
        return bad_word(call->token[n]);
    return 0;
}

/* A place on the display: not 0, and with a minus sign from the bottom or from the right. */
int operand_signed(const struct call *call, u32 n, int *value)
{
    u32 number, sign, length;

    if (n >= operands(call))
        return missing();
    sign = call->token[n][0] == '-' || call->token[n][0] == '+';
    length = name_length(call->token[n]);
    if (!parse_number(call->token[n] + sign, length - sign, &number) || number == 0 || number > WIDE_MOST)
        return bad_word(call->token[n]);
    *value = call->token[n][0] == '-' ? -(int)number : (int)number;
    return 0;
}

/* What = is: of a key the window that the cursor is in, but in the command line; of anything else the one on top. */
static struct window *meant(void)
{
    struct window *window;
    struct vscreen_place at;
    bool corner;

    if (here.pointing && window_at(here.cell, &window, &corner, &at) && !is(window->name, "STATUS") &&
        !(at.reserved && window->vscreen != NULL && window->vscreen->of_session))
        return window;
    return window_top();
}

/* A window by its name. NULL: `code` says why. */
struct window *window_operand(const struct call *call, u32 n, int *code)
{
    struct window *window;

    *code = 0;
    if (n >= operands(call)) {
        *code = missing();
        return NULL;
    }
    window = is(call->token[n], "=") ? meant() : window_find(call->token[n]);
    if (window == NULL)
        *code = no_window(call->token[n]);
    return window;
}

struct vscreen *vscreen_operand(const struct call *call, u32 n, int *code)
{
    struct vscreen *screen;
    struct window *top = meant();

    *code = 0;
    if (n >= operands(call)) {
        *code = missing();
        return NULL;
    }
    screen = is(call->token[n], "=") ? top != NULL ? top->vscreen : NULL : vscreen_find(call->token[n]);
    if (screen == NULL)
        *code = no_vscreen(call->token[n]);
    return screen;
}
