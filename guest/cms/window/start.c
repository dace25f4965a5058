/*
 * What SET FULLSCREEN ON makes: the screens CMS, MESSAGE, NETWORK, WARNING, STATUS and WM, a window for each, and what
 * PF keys do. What the user has defined already stays as it is.
 */
#include "window.h"

enum { RING = 120, PROMPT = 5, KEYS_A_LINE = 6, MESSAGES = 100, ALL = 999 };

/* A size of ALL is the display's; `less` of its lines are not the window's. */
static const struct {
    const char *name;
    u16 lines, top, bottom;
    u16 window_lines, less, columns, narrower;
    short row, column;
    bool border, variable, pop, location, logging, shown;
} defaults[] = {
    { "STATUS", 1, 0, 0, 1, 0, ALL, 0, -1, 1, false, false, false, false, false, true },
    { "CMS", RING, 1, 3, ALL, 1, ALL, 0, 1, 1, false, false, false, true, false, true },
    { "WM", 1, 1, 3, 5, 0, ALL, 6, 4, 4, true, false, false, false, false, false },
    { "NETWORK", MESSAGES, 0, 0, 6, 0, ALL, 6, 5, 4, true, true, true, true, true, true },
    { "MESSAGE", MESSAGES, 0, 0, 8, 0, ALL, 6, 12, 4, true, true, true, true, true, true },
    { "WARNING", MESSAGES, 0, 0, 5, 0, ALL, 6, 3, 4, true, true, true, true, true, true },
};

static const struct { u8 key; const char *label, *text; } cms_keys[] = {
    { 1, "Help", "HELP" },
    { 2, "Pop_Msg", "WINDOW POP MESSAGE" },
    { 3, "Quit", "SET FULLSCREEN OFF" },
    { 4, "Clear_Top", "WINDOW CLEAR =" },
    { 5, "Filelist", "FILELIST" },
    { 6, "Retrieve", "RETRIEVE" },
    { 7, "Backward", "WINDOW BACKWARD =" },
    { 8, "Forward", "WINDOW FORWARD =" },
    { 9, "Rdrlist", "RDRLIST" },
    { 10, "Left", "WINDOW LEFT = 40" },
    { 11, "Right", "WINDOW RIGHT = 40" },
    { 12, "Cmdline", "CURSOR" },
};
static const struct { u8 key; const char *label, *text; } wm_keys[] = {
    { 1, "Restore", "WINDOW RESTORE =" },
    { 2, "Pop_CMS", "WINDOW POP CMS" },
    { 3, "Quit", "WINDOW HIDE WM" },
    { 4, "Clear", "WINDOW CLEAR =" },
    { 5, "Maximize", "WINDOW MAXIMIZE =" },
    { 6, "Minimize", "WINDOW MINIMIZE =" },
    { 7, "Backward", "WINDOW BACKWARD =" },
    { 8, "Forward", "WINDOW FORWARD =" },
    { 9, "Hide", "WINDOW HIDE =" },
    { 10, "Left", "WINDOW LEFT = 40" },
    { 11, "Right", "WINDOW RIGHT = 40" },
    { 12, "Drop", "WINDOW DROP =" },
};

static void set_key(struct function_key *key, const char *label, const char *text)
{
    key->kind = KEY_ECHO;
    format(key->label, sizeof key->label, "%s", label);
    key->length = format(key->text, sizeof key->text, "%s", text);
}

void keys_begin_session(void)
{
    if (here.keys_set)
        return;
    here.keys_set = true;
    for (u32 n = 0; n < COUNT_OF(cms_keys); n++)
        set_key(&here.cms_key[cms_keys[n].key], cms_keys[n].label, cms_keys[n].text);
    for (u32 n = 0; n < COUNT_OF(wm_keys); n++)
        set_key(&here.wm_key[wm_keys[n].key], wm_keys[n].label, wm_keys[n].text);
}

/* A line of what keys do. */
static void key_line(struct vscreen *screen, const struct function_key *keys, u32 from, int line)
{
    struct vscreen_place at = { .reserved = true, .line = line, .column = 1 };
    u32 width = (screen->columns - 1) / KEYS_A_LINE;
    char text[WIDE_MOST + 1];

    memset(text, ' ', sizeof text);
    for (u32 n = 0; n < KEYS_A_LINE; n++) {
        char word[24];
        u32 length = format(word, sizeof word, "%u=%s", from + n, keys[from + n].label);

        memcpy(text + n * width, word, length < width ? length : width);
    }
    vscreen_write(screen, &at, text, screen->columns);
}

/* The command line, and what it has: as if it had been typed, so that ENTER sends it. */
void command_line(struct vscreen *screen, const char *text, u32 length)
{
    static const struct look strong = { .high = true };
    struct vscreen_place at = { .reserved = true, .line = -1, .column = 1 };
    char line[WIDE_MOST + 1] = { 0 };

    vscreen_write(screen, &at, "====>", PROMPT);
    at.column = TEXT_COLUMN - 1;
    vscreen_field(screen, &at, (u8)(look_code(&strong, true) + (length > 0 ? LOOK_MODIFIED : 0)));
    at.column++;
    memcpy(line, text, length);
    vscreen_write(screen, &at, line, screen->columns);
    here.offered = length > 0;
}

static void title(const char *of, const char *text)
{
    struct vscreen_place at = { .reserved = true, .line = 1, .column = 1 };
    struct vscreen *screen;
    struct window *window;
    char line[WIDE_MOST + 1], where[80];
    u32 length, width, last;
    name wanted;

    pad(wanted, sizeof wanted, of, (u32)strlen(of));
    screen = vscreen_find(wanted);
    window = window_find(wanted);
    if (screen == NULL || window == NULL || screen->top == 0 || !screen->of_session || window->vscreen != screen)
        return;
    memset(line, ' ', sizeof line);
    memcpy(line, text, strlen(text));
    width = window_width(window) < screen->columns ? window_width(window) : screen->columns;
    last = window->line + window_rows(window) - 1;
    length = format(where, sizeof where, "Lines %u - %u of %u  Columns %u - %u of %u",
                    window->line <= screen->used ? window->line : 0,
                    window->line > screen->used ? 0 : last < screen->used ? last : screen->used, screen->used,
                    window->left,
                    window->left + width - 1 < screen->columns ? window->left + width - 1 : screen->columns,
                    screen->columns);
    if (window->location && length < width)
        memcpy(line + width - length, where, length);
    vscreen_write(screen, &at, line, width);
}

/* What the session's own screens have in their reserved lines. */
void paint_reserved_lines(void)
{
    struct vscreen *cms = vscreen_find("CMS     "), *wm = vscreen_find("WM      ");

    title("CMS", "Fullscreen CMS");
    title("WM", "Window manager");
    if (here.keys_painted)
        return;
    here.keys_painted = true;
    if (cms != NULL && cms->of_session) {
        key_line(cms, here.cms_key, 1, -3);
        key_line(cms, here.cms_key, 1 + KEYS_A_LINE, -2);
    }
    if (wm != NULL && wm->of_session) {
        key_line(wm, here.wm_key, 1, -3);
        key_line(wm, here.wm_key, 1 + KEYS_A_LINE, -2);
    }
}

static bool make_window(u32 n, const name wanted, struct vscreen *screen)
{
    u32 lines = defaults[n].window_lines == ALL ? here.display.rows - defaults[n].less : defaults[n].window_lines;
    u32 columns = here.display.columns - defaults[n].narrower;
    struct window *window = window_define(wanted, lines, columns, defaults[n].row, defaults[n].column);

    if (window == NULL)
        return false;
    window->border = defaults[n].border;
    window->variable = defaults[n].variable;
    window->pop = defaults[n].pop;
    window->location = defaults[n].location;
    window->of_session = true;
    window->vscreen = screen;
    window->shown = defaults[n].shown;
    return true;
}

bool session_screens(void)
{
    static const struct look strong = { .high = true };

    for (u32 n = 0; n < COUNT_OF(defaults); n++) {
        u32 columns = here.display.columns + (defaults[n].lines == RING);
        struct vscreen *screen;
        name wanted;

        pad(wanted, sizeof wanted, defaults[n].name, (u32)strlen(defaults[n].name));
        screen = vscreen_find(wanted);
        if (screen == NULL) {
            screen = vscreen_define(wanted, defaults[n].lines, columns, defaults[n].top, defaults[n].bottom);
            if (screen == NULL)
                return false;
            screen->of_session = true;
            screen->logging = defaults[n].logging;
            screen->usual = defaults[n].lines == 1 ? strong : screen->usual;
            if (defaults[n].bottom > 0)
                command_line(screen, NULL, 0);
        }
        if (window_find(wanted) == NULL && !make_window(n, wanted, screen))
            return false;
    }
    here.keys_painted = false;
    keys_begin_session();
    routes_begin();
    return true;
}

/* They go when the session is over; what the user has defined stays. */
void session_screens_end(void)
{
    for (struct window **at = &here.top; *at != NULL;) {
        struct window *window = *at;

        if (window->of_session)
            window_delete(window);
        else
            at = &window->below;
    }
    for (struct vscreen *screen = here.screens, *next; screen != NULL; screen = next) {
        next = screen->next;
        if (screen->of_session)
            vscreen_delete(screen);
    }
}
