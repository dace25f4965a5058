/* SET and QUERY of windows, virtual screens, keys and routes. */
#include "window.h"

static int of_switch(const struct call *call, u32 n, bool *value)
{
    if (n >= operands(call))
        return missing();
    if (!is(call->token[n], "ON") && !is(call->token[n], "OFF"))
        return bad_word(call->token[n]);
    *value = is(call->token[n], "ON");
    return 0;
}

/* SET BORDER w ON|OFF [( CORNER c TOP c BOTTOM c LEFT c RIGHT c ALL c attributes */
static int set_border(const struct call *call, u32 words)
{
    static const char *const edges[] = { "CORNER", "TOP", "BOTTOM", "LEFT", "RIGHT", "ALL" };
    static const u8 least[] = { 3, 3, 3, 3, 3, 3 };
    int code;
    struct window *window = window_operand(call, 2, &code);
    struct window changed;

    if (window == NULL)
        return code;
    changed = *window;
    code = of_switch(call, 3, &changed.border);
    if (code == 0 && words > 4)
        code = unexpected(call->token[4]);
    for (u32 n = words + 1; code == 0 && n < call->count && call->token[n][0] != ')'; n++) {
        const char *text;
        u32 edge = 0, length;

        while (edge < COUNT_OF(edges) && !abbreviates(call->token[n], edges[edge], least[edge]))
            edge++;
        if (edge < COUNT_OF(edges)) {
            if (n + 1 >= call->count)
                return missing();
            if (word_of(call, ++n, &text) != 1)
                return bad_word(call->token[n]);
            if (edge < sizeof changed.edge)
                changed.edge[edge] = *text;
            else
                memset(changed.edge, *text, sizeof changed.edge);
            continue;
        }
        length = word_of(call, n, &text);
        struct words look = { text, text + length };

        look_words(&look, &changed.edge_look);
        if (look.at != look.end)
            code = bad_word(call->token[n]);
    }
    if (code == 0)
        *window = changed;
    return code;
}

static int set_window(const struct call *call, u32 words)
{
    int code;
    struct window *window = window_operand(call, 2, &code);

    if (window != NULL)
        code = words > 3 ? unexpected(call->token[3]) : window_options(call, window);
    return code;
}

static int set_vscreen(const struct call *call, u32 words)
{
    int code;
    struct vscreen *screen = vscreen_operand(call, 2, &code);

    if (screen != NULL)
        code = words > 3 ? unexpected(call->token[3]) : vscreen_options(call, &screen->usual, &screen->open);
    return code;
}

static int of_window(const struct call *call, u32 words, bool location)
{
    int code;
    struct window *window = window_operand(call, 2, &code);
    bool value;

    if (window == NULL)
        return code;
    code = words > 4 ? unexpected(call->token[4]) : of_switch(call, 3, &value);
    if (code == 0)
        *(location ? &window->location : &window->reserved) = value;
    return code;
}

static int set_location(const struct call *call, u32 words) { return of_window(call, words, true); }
static int set_reserved(const struct call *call, u32 words) { return of_window(call, words, false); }

/* SET LOGFILE v ON|OFF [fn [ft [fm]]] */
static int set_logfile(const struct call *call, u32 words)
{
    int code;
    struct vscreen *screen = vscreen_operand(call, 2, &code);
    struct fileid id;
    bool value;

    if (screen == NULL)
        return code;
    id = screen->log;
    code = of_switch(call, 3, &value);
    if (code == 0 && words > 7)
        code = unexpected(call->token[7]);
    if (code != 0)
        return code;
    if (words > 4) {
        struct fileid given;

        if (!parse_fileid("SET", call, 4, words - 4, &given))
            return RC_SYNTAX;
        memcpy(id.fn, given.fn, sizeof id.fn);
        if (words > 5)
            memcpy(id.ft, given.ft, sizeof id.ft);
        if (words > 6)
            memcpy(id.fm, given.fm, sizeof id.fm);
    }
    screen->logging = value;
    screen->log = id;
    return 0;
}

/* SET CMSPF n [label [ECHO|NOECHO|DELAYED] command] */
static int set_key(const struct call *call, struct function_key *keys)
{
    static const char *const kinds[] = { "ECHO", "NOECHO", "DELAYED" };
    struct function_key key = { .kind = KEY_ECHO };
    const char *text;
    u32 n, length, next = 4, kind = 0;

    if (call->count < 3)
        return missing();
    if (!parse_number(call->token[2], name_length(call->token[2]), &n) || n == 0 || n > FUNCTION_KEYS)
        return bad_word(call->token[2]);
    keys_begin_session();
    if (call->count > 3) {
        length = word_of(call, 3, &text);
        if (length >= sizeof key.label)
            return bad_word(call->token[3]);
        memcpy(key.label, text, length);
        if (call->count < 5)
            return missing();
        while (kind < COUNT_OF(kinds) && !is(call->token[4], kinds[kind]))
            kind++;
        if (kind < COUNT_OF(kinds)) {
            key.kind = (enum key_kind)kind;
            next++;
        }
        if (word_of(call, next, &text) == 0)
            return missing();
        length = (u32)(call->end - text);
        if (length > sizeof key.text)
            return bad_word(call->token[next]);
        memcpy(key.text, text, length);
        key.length = length_of(text, length);
    }
    keys[n] = key;
    here.keys_painted = false;
    return 0;
}

static int set_cms_key(const struct call *call, u32 words) { (void)words; return set_key(call, here.cms_key); }
static int set_wm_key(const struct call *call, u32 words) { (void)words; return set_key(call, here.wm_key); }

/* SET LINEND ON [c]|OFF */
static int set_linend(const struct call *call, u32 words)
{
    const char *text = "#";
    bool value;
    int code = words > 4 ? unexpected(call->token[4]) : of_switch(call, 2, &value);

    if (code == 0 && words > 3 && (!value || word_of(call, 3, &text) != 1))
        code = bad_word(call->token[3]);
    if (code == 0) {
        here.linend_known = true;
        here.linend = value ? *text : 0;
    }
    return code;
}

/* SET CHARMODE ON|OFF */
static int set_charmode(const struct call *call, u32 words)
{
    return words > 3 ? unexpected(call->token[3]) : of_switch(call, 2, &here.charmode);
}

static const struct { const char *word; u32 least; int (*perform)(const struct call *call, u32 words); } sets[] = {
    { "FULLSCREEN", 5, fullscreen_set }, { "BORDER", 3, set_border }, { "WINDOW", 3, set_window },
    { "VSCREEN", 3, set_vscreen }, { "LOCATION", 3, set_location }, { "RESERVED", 3, set_reserved },
    { "LOGFILE", 4, set_logfile }, { "CMSPF", 5, set_cms_key }, { "WMPF", 4, set_wm_key },
    { "LINEND", 5, set_linend }, { "CHARMODE", 4, set_charmode },
};

int window_setting(const struct call *call, u32 words)
{
    u32 n = 0;

    while (n < COUNT_OF(sets) - 1 && !abbreviates(call->token[1], sets[n].word, sets[n].least))
        n++;
    here.stale = true;
    return sets[n].perform(call, words);
}

static const char *on_off(bool value) { return value ? "ON" : "OFF"; }

/* What is said of a window, one word each. */
enum about { ABOUT_WINDOW, ABOUT_BORDER, ABOUT_LOCATION, ABOUT_RESERVED, ABOUT_SHOW, ABOUT_HIDE };

static bool tell_window(const struct window *window, enum about about)
{
    static const name none = "        ";
    const char *screen = window->vscreen != NULL ? window->vscreen->name : none;
    char look[64];

    switch (about) {
    case ABOUT_WINDOW:
        answer("WINDOW   %-8t %u %u %d %d (%s %s %s %s", window->name, window->lines, window->columns, window->row,
               window->column, window->variable ? "VARIABLE" : "FIXED", window->border ? "BORDER" : "NOBORDER",
               window->pop ? "POP" : "NOPOP", window->follows ? "TOP" : "NOTOP");
        return true;
    case ABOUT_BORDER:
        look_text(look, &window->edge_look);
        answer("BORDER   %-8t %-3s (CORNER %c TOP %c BOTTOM %c LEFT %c RIGHT %c %s", window->name,
               on_off(window->border), window->edge[0], window->edge[1], window->edge[2], window->edge[3],
               window->edge[4], look);
        return true;
    case ABOUT_LOCATION: answer("LOCATION %-8t %s", window->name, on_off(window->location)); return true;
    case ABOUT_RESERVED: answer("RESERVED %-8t %s", window->name, on_off(window->reserved)); return true;
    case ABOUT_SHOW:
        if (window->shown)
            answer("SHOW     %-8t ON %-8t Line %u Column %u", window->name, screen, window->line, window->left);
        return window->shown;
    default:
        if (!window->shown)
            answer("HIDE     %-8t%s%t", window->name, window->vscreen != NULL ? " ON " : "", screen);
        return !window->shown;
    }
}

/* Of one window, or of all; those on top first. */
static int tell_windows(const struct call *call, enum about about)
{
    bool one = operands(call) > 2 && !is(call->token[2], "*"), any = false;
    int code = 0;

    if (one) {
        const struct window *window = window_operand(call, 2, &code);

        if (window != NULL && !tell_window(window, about))
            (void)tell_window(window, about == ABOUT_SHOW ? ABOUT_HIDE : ABOUT_SHOW);
        return code;
    }
    for (const struct window *window = here.top; window != NULL; window = window->below)
        any = tell_window(window, about) || any;
    if (!any)
        answer("%s", about == ABOUT_SHOW ? "No windows are shown" : about == ABOUT_HIDE ? "No windows are hidden"
                                                                                        : "No windows are defined");
    return 0;
}

static int query_window(const struct call *call) { return tell_windows(call, ABOUT_WINDOW); }
static int query_border(const struct call *call) { return tell_windows(call, ABOUT_BORDER); }
static int query_location(const struct call *call) { return tell_windows(call, ABOUT_LOCATION); }
static int query_reserved(const struct call *call) { return tell_windows(call, ABOUT_RESERVED); }
static int query_show(const struct call *call) { return tell_windows(call, ABOUT_SHOW); }
static int query_hide(const struct call *call) { return tell_windows(call, ABOUT_HIDE); }

static void tell_vscreen(const struct vscreen *screen, enum about about)
{
    char look[64];

    if (about == ABOUT_WINDOW) {
        look_text(look, &screen->usual);
        answer("VSCREEN  %-8t %u %u %u %u (%s %s", screen->name, screen->lines, screen->columns, screen->top,
               screen->bottom, screen->open ? "NOPROTECT" : "PROTECT", look);
    } else if (about == ABOUT_LOCATION) {
        answer("LOGFILE  %-8t %-3s %-8t %-8t %c%c", screen->name, on_off(screen->logging), screen->log.fn,
               screen->log.ft, screen->log.fm[0], screen->log.fm[1]);
    } else if (screen->cursor_set) {
        answer("CURSOR   %-8t %d %u %s", screen->name, screen->cursor.line, screen->cursor.column,
               screen->cursor.reserved ? "RESERVED" : "DATA");
    } else {
        answer("CURSOR   %-8t -1 -1", screen->name);
    }
}

static int tell_vscreens(const struct call *call, enum about about)
{
    int code = 0;

    if (operands(call) > 2 && !is(call->token[2], "*")) {
        const struct vscreen *screen = vscreen_operand(call, 2, &code);

        if (screen != NULL)
            tell_vscreen(screen, about);
        return code;
    }
    for (const struct vscreen *screen = here.screens; screen != NULL; screen = screen->next)
        tell_vscreen(screen, about);
    if (here.screens == NULL)
        answer("%s", "No virtual screens are defined");
    return 0;
}

static int query_vscreen(const struct call *call) { return tell_vscreens(call, ABOUT_WINDOW); }
static int query_logfile(const struct call *call) { return tell_vscreens(call, ABOUT_LOCATION); }
static int query_cursor(const struct call *call) { return tell_vscreens(call, ABOUT_SHOW); }

static int tell_keys(const struct call *call, const char *word, const struct function_key *keys)
{
    static const char *const kinds[] = { "ECHO", "NOECHO", "DELAYED" };
    bool one = operands(call) > 2 && !is(call->token[2], "*");
    u32 wanted = 0;

    if (one && (!parse_number(call->token[2], name_length(call->token[2]), &wanted) || wanted == 0 ||
                wanted > FUNCTION_KEYS))
        return bad_word(call->token[2]);
    keys_begin_session();
    for (u32 n = 1; n <= FUNCTION_KEYS; n++)
        if (one ? n == wanted : keys[n].length > 0)
            answer("%-5s %02u %-9s %s %l", word, n, keys[n].label, keys[n].length > 0 ? kinds[keys[n].kind] : "",
                   keys[n].text, keys[n].length);
    return 0;
}

static int query_cms_key(const struct call *call) { return tell_keys(call, "CMSPF", here.cms_key); }
static int query_wm_key(const struct call *call) { return tell_keys(call, "WMPF", here.wm_key); }

static int query_route(const struct call *call)
{
    bool one = operands(call) > 2 && !is(call->token[2], "*");
    u32 class = 0;

    routes_begin();
    while (one && class < CLASSES && !abbreviates(call->token[2], class_names[class], class_least[class]))
        class++;
    if (class == CLASSES)
        return bad_word(call->token[2]);
    for (u32 n = 0; n < CLASSES; n++)
        if (!one || n == class)
            answer("ROUTE    %-8s TO %-8t (%s %s", class_names[n], here.route[n].vscreen,
                   here.route[n].alarm ? "ALARM" : "NOALARM", here.route[n].notify ? "NOTIFY" : "NONOTIFY");
    return 0;
}

static int query_fullscreen(const struct call *call)
{
    (void)call;
    answer("FULLSCREEN = %s", fullscreen_state());
    return 0;
}

static int query_charmode(const struct call *call)
{
    (void)call;
    answer("CHARMODE = %s", on_off(here.charmode));
    return 0;
}

static int query_display(const struct call *call)
{
    struct screen_size size = { 0, 0, false };

    (void)call;
    if (console_is_display())
        screen_measure(&size);
    answer("DISPLAY  %u %u %s", size.rows, size.columns, size.colours ? "COLOUR" : "NOCOLOUR");
    return 0;
}

static int query_linend(const struct call *call)
{
    char c = here.linend_known ? here.linend : '#';

    (void)call;
    answer("LINEND   %s %c", on_off(c != 0), c != 0 ? c : ' ');
    return 0;
}

static const struct { const char *word; u32 least; command_function *perform; } queries[] = {
    { "FULLSCREEN", 5, query_fullscreen }, { "BORDER", 3, query_border }, { "WINDOW", 3, query_window },
    { "VSCREEN", 3, query_vscreen }, { "LOCATION", 3, query_location }, { "RESERVED", 3, query_reserved },
    { "LOGFILE", 4, query_logfile }, { "CMSPF", 5, query_cms_key }, { "WMPF", 4, query_wm_key },
    { "LINEND", 5, query_linend }, { "CURSOR", 3, query_cursor }, { "DISPLAY", 4, query_display },
    { "HIDE", 2, query_hide }, { "ROUTE", 2, query_route }, { "SHOW", 2, query_show },
    { "CHARMODE", 4, query_charmode },
};

int window_query(const struct call *call)
{
    u32 n = 0;

    while (n < COUNT_OF(queries) - 1 && !abbreviates(call->token[1], queries[n].word, queries[n].least))
        n++;
    return queries[n].perform(call);
}
