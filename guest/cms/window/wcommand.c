/* WINDOW commands. */
#include "window.h"

/* Options of DEFINE and of SET WINDOW. */
int window_options(const struct call *call, struct window *window)
{
    int variable = window->variable, border = window->border, pop = window->pop, follows = window->follows;
    const struct option known[] = {
        FLAG("VARIABLE", 3, &variable, true), FLAG("FIXED", 3, &variable, false), FLAG("BORDER", 3, &border, true),
        FLAG("NOBORDER", 5, &border, false), FLAG("POP", 3, &pop, true), FLAG("NOPOP", 5, &pop, false),
        FLAG("TOP", 3, &follows, true), FLAG("NOTOP", 5, &follows, false),
    };
    int code = options("WIN", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    window->variable = variable;
    window->border = border;
    window->pop = pop;
    window->follows = follows;
    here.stale = true;
    return 0;
}

static u32 windows_defined(void)
{
    u32 count = 0;

    for (const struct window *window = here.top; window != NULL; window = window->below)
        count++;
    return count;
}

/* DEFINE w lines columns row column [( options */
static int define(const struct call *call, u32 n)
{
    struct window *window, with = { .border = true };
    u32 lines, columns;
    int row, column, code;

    if (n >= operands(call))
        return missing();
    code = operand_number(call, n + 1, 1, WIDE_MOST, &lines);
    code = code != 0 ? code : operand_number(call, n + 2, 2, WIDE_MOST, &columns);
    code = code != 0 ? code : operand_signed(call, n + 3, &row);
    code = code != 0 ? code : operand_signed(call, n + 4, &column);
    if (code == 0 && operands(call) > n + 5)
        code = unexpected(call->token[n + 5]);
    code = code != 0 ? code : window_options(call, &with);
    if (code != 0)
        return code;
    if (is(call->token[n], "="))
        return bad_word(call->token[n]);
    if (window_find(call->token[n]) != NULL) {
        message("WIN", 925, 'E', call->token[n]);
        return RC_WRONG_SCREEN;
    }
    if (windows_defined() == WINDOWS_MOST) {
        message("WIN", 915, 'E');
        return RC_TOO_MANY;
    }
    window = window_define(call->token[n], lines, columns, row, column);
    if (window == NULL) {
        message("WIN", 109, 'S');
        return RC_STORAGE;
    }
    return window_options(call, window);
}

/* SHOW w [ON v] */
static int show(const struct call *call, u32 n, struct window *window)
{
    struct vscreen *screen = window->vscreen;
    int code;

    if (operands(call) > n + 1 && !is(call->token[n + 1], "ON"))
        return bad_word(call->token[n + 1]);
    if (operands(call) > n + 1) {
        screen = vscreen_operand(call, n + 2, &code);
        if (screen == NULL)
            return code;
    } else if (screen == NULL) {
        /* A screen of the same name is what is meant. */
        screen = vscreen_find(window->name);
        if (screen == NULL)
            return no_vscreen(window->name);
    }
    if (operands(call) > n + 3)
        return unexpected(call->token[n + 3]);
    window_show(window, screen);
    return 0;
}

/* DROP w [n|*] */
static int lower(const struct call *call, u32 n, struct window *window)
{
    u32 places = 1;
    int code = 0;

    if (operands(call) > n + 1 && is(call->token[n + 1], "*"))
        places = WINDOWS_MOST;
    else if (operands(call) > n + 1)
        code = operand_number(call, n + 1, 1, WINDOWS_MOST, &places);
    if (code == 0 && operands(call) > n + 2)
        code = unexpected(call->token[n + 2]);
    if (code == 0)
        window_drop(window, places);
    return code;
}

static int position(const struct call *call, u32 n, struct window *window)
{
    int row, column, code = operand_signed(call, n + 1, &row);

    code = code != 0 ? code : operand_signed(call, n + 2, &column);
    if (code == 0 && operands(call) > n + 3)
        code = unexpected(call->token[n + 3]);
    if (code != 0)
        return code;
    window->row = row;
    window->column = column;
    return 0;
}

/* SIZE w lines [columns] */
static int size(const struct call *call, u32 n, struct window *window)
{
    u32 lines, columns = window->columns;
    int code = operand_number(call, n + 1, 1, WIDE_MOST, &lines);

    if (code == 0 && operands(call) > n + 2)
        code = operand_number(call, n + 2, 2, WIDE_MOST, &columns);
    if (code == 0 && operands(call) > n + 3)
        code = unexpected(call->token[n + 3]);
    if (code != 0)
        return code;
    window->lines = lines;
    window->columns = columns;
    return 0;
}

/* CLEAR, DELETE, HIDE, MAXIMIZE, MINIMIZE, POP, RESTORE: w and nothing else. */
static int one(const struct call *call, u32 n, struct window *window, char what)
{
    if (operands(call) > n + 1)
        return unexpected(call->token[n + 1]);
    switch (what) {
    case 'C':
        if (window->vscreen != NULL)
            window_scroll(window, WAY_CLEAR, 0);
        break;
    case 'D': window_delete(window); break;
    case 'H': window->shown = false; break;
    case 'X': window->form = WINDOW_LARGE; break;
    case 'N': window->form = WINDOW_SMALL; break;
    case 'O': window->form = WINDOW_USUAL; break;
    default:
        window->shown = window->shown || window->vscreen != NULL;
        window_pop(window);
    }
    return 0;
}

/* FORWARD w [n] and its like. */
static int scroll(const struct call *call, u32 n, struct window *window, enum way way)
{
    u32 count = 0;
    int code = 0;

    if (operands(call) > n + 1)
        code = way >= WAY_TOP ? unexpected(call->token[n + 1])
                              : operand_number(call, n + 1, 1, LINES_MOST, &count);
    if (code == 0 && operands(call) > n + 2)
        code = unexpected(call->token[n + 2]);
    if (code != 0)
        return code;
    if (window->vscreen == NULL)
        return no_vscreen(window->name);
    window_scroll(window, way, count);
    return 0;
}

static const struct { const char *verb; u32 least;
    int (*perform)(const struct call *call, u32 n, struct window *window); } others[] = {
    { "DROP", 2, lower }, { "POSITION", 3, position }, { "SHOW", 2, show }, { "SIZE", 2, size },
};
static const struct { const char *verb; u32 least; char what; } ones[] = {
    { "CLEAR", 3, 'C' }, { "DELETE", 3, 'D' }, { "HIDE", 2, 'H' }, { "MAXIMIZE", 3, 'X' }, { "MINIMIZE", 3, 'N' },
    { "POP", 3, 'P' }, { "RESTORE", 4, 'O' },
};
static const struct { const char *verb; u32 least; enum way way; } ways[] = {
    { "FORWARD", 2, WAY_FORWARD }, { "BACKWARD", 2, WAY_BACKWARD }, { "LEFT", 3, WAY_LEFT },
    { "RIGHT", 3, WAY_RIGHT }, { "TOP", 3, WAY_TOP }, { "BOTTOM", 3, WAY_BOTTOM }, { "NEXT", 3, WAY_FORWARD },
};

#define LOOK_UP(table, word, n) \
    for (n = 0; n < COUNT_OF(table) && !abbreviates(word, table[n].verb, table[n].least); n++) \
        ;

bool is_window_verb(const name word)
{
    u32 other, single;

    LOOK_UP(others, word, other)
    LOOK_UP(ones, word, single)
    return other < COUNT_OF(others) || single < COUNT_OF(ones) || abbreviates(word, "DEFINE", 3);
}

int window_command_of(const struct call *call, const char *verb, u32 n)
{
    u32 other, single, way;
    struct window *window;
    int code;

    if (abbreviates(verb, "DEFINE", 3))
        return define(call, n);
    LOOK_UP(others, verb, other)
    LOOK_UP(ones, verb, single)
    LOOK_UP(ways, verb, way)
    if (other == COUNT_OF(others) && single == COUNT_OF(ones) && way == COUNT_OF(ways))
        return bad_word(verb);
    window = window_operand(call, n, &code);
    if (window == NULL)
        return code;
    here.stale = true;
    return other < COUNT_OF(others)  ? others[other].perform(call, n, window)
           : single < COUNT_OF(ones) ? one(call, n, window, ones[single].what)
                                     : scroll(call, n, window, ways[way].way);
}
