/*
 * The session: while SET FULLSCREEN is ON, what CMS types goes to virtual screens, and what it reads is typed in a
 * window.
 *
 * CP hands messages to it by IUCV, for which SET MSG and SET WNG are IUCV meanwhile. Another full screen, XEDIT's for
 * one, takes the display by writing to it; what was typed meanwhile is shown before it does so again.
 */
#include "window.h"
#include "../nucleus/iucv.h"

/* TOD clock units of a quarter of a second: what is typed by a command that takes long is shown so often. */
enum { QUARTER = 250000 << 12 };

static const char executing[] = "Executing a command...", service[] = "*MSG    ";

static struct window *main_window(void) { return window_find("CMS     "); }
static struct vscreen *main_screen(void) { return vscreen_find("CMS     "); }

/* A line for the screen that its class has; its windows may come up. */
void say_line(enum class class, const char *text, u32 length)
{
    const struct route *route = &here.route[class];
    struct vscreen *screen = vscreen_find(route->vscreen);

    if (screen == NULL)
        screen = main_screen();
    if (screen == NULL)
        return;
    vscreen_append(screen, text, length);
    here.alarm = here.alarm || route->alarm;
    if (route->notify)
        memcpy(here.told, screen->name, sizeof(name));
    if (screen->logging)
        log_line(&screen->log, text, length);
    for (struct window *window = here.top; window != NULL; window = window->below) {
        if (window->vscreen != screen)
            continue;
        if (window->follows)
            window_scroll(window, WAY_BOTTOM, 0);
        if (window->pop) {
            window->shown = true;
            window_pop(window);
            break;
        }
    }
}

static void session_line(const char *text, u32 length)
{
    const struct window *window = main_window();
    /* What is below the window does not change what it shows. */
    bool below = window != NULL && window->vscreen != NULL && window_more(window);

    say_line(line_is_cps ? CLASS_CP : CLASS_CMS, text, length);
    here.unseen = true;
    if (!here.busy && !below && display_is_shown(&here.display) && tod_clock() - here.written > QUARTER)
        (void)show_screen();
}

/* What was typed goes below what there is; where all was seen and no room is left, on a new page. */
static void echo(const char *text, u32 length)
{
    struct window *window = main_window();
    struct vscreen *screen = main_screen();

    if (screen == NULL)
        return;
    if (window != NULL && window->vscreen == screen && !window_more(window)) {
        u32 line = window->line, used = screen->used;

        vscreen_append(screen, text, length);
        if (window_more(window) || screen->used == used)
            window->line = window_more(window) ? screen->used : line;
    } else {
        vscreen_append(screen, text, length);
    }
    if (screen->logging)
        log_line(&screen->log, text, length);
}

static void remember(const char *text, u32 length)
{
    u32 n = here.retrieved_count++ % RETRIEVED_MOST;

    memcpy(here.retrieved[n], text, length);
    here.retrieved_length[n] = length;
    here.retrieved_at = 0;
}

/* Puts a text into the command line. */
static void in_command_line(const char *text, u32 length)
{
    struct vscreen *screen = main_screen();

    if (screen != NULL && screen->of_session)
        command_line(screen, text, length);
}

static void retrieve(void)
{
    u32 count = here.retrieved_count < RETRIEVED_MOST ? here.retrieved_count : RETRIEVED_MOST, n;

    if (count == 0) {
        here.alarm = true;
        return;
    }
    here.retrieved_at = here.retrieved_at % count + 1;
    n = (here.retrieved_count - here.retrieved_at) % RETRIEVED_MOST;
    in_command_line(here.retrieved[n], here.retrieved_length[n]);
}

static bool begins(const struct function_key *key, const char *word)
{
    u32 length = (u32)strlen(word);

    return key->length >= length && memcmp(key->text, word, length) == 0 &&
           (key->length == length || key->text[length] == ' ');
}

static void perform_key(const struct function_key *key)
{
    here.pointing = true;
    (void)perform(key->text, key->length, CALL_COMMAND);
    here.pointing = false;
}

/* Keys that are about windows; false: the command is CMS's. */
static bool about_windows(const struct function_key *key)
{
    if (begins(key, "RETRIEVE"))
        retrieve();
    else if (begins(key, "WINDOW") || begins(key, "VSCREEN"))
        perform_key(key);
    else
        return begins(key, "CURSOR");
    return true;
}

/* WM is on top: its keys and its command line are about windows only. */
static bool window_manager(u32 key)
{
    struct window *window = here.top;

    while (window != NULL && !(window->drawn && window_visible(window) && !is(window->name, "STATUS")))
        window = window->below;
    if (window == NULL || !is(window->name, "WM"))
        return false;
    if (here.entered && here.length > 0)
        (void)perform(here.line, here.length, CALL_TYPED);
    if (key > 0 && here.wm_key[key].length > 0)
        perform_key(&here.wm_key[key]);
    return true;
}

/* What a key says: true, and the line is what CMS is to perform. */
static bool key_line(const struct function_key *key)
{
    if (key->length == 0) {
        here.alarm = true;
        return false;
    }
    if (key->kind == KEY_DELAYED) {
        in_command_line(key->text, key->length);
        return false;
    }
    if (about_windows(key))
        return false;
    memcpy(here.line, key->text, key->length);
    here.length = key->length;
    return true;
}

/* A line that is to be performed, or with which a program goes on; false: nothing of the kind was typed. */
static bool typed_line(u32 key, bool command)
{
    if (window_manager(key))
        return false;
    if (key > 0) {
        bool kept = here.entered;
        u32 length = here.length;
        char line[LINE_MOST];

        memcpy(line, here.line, length);
        if (key_line(&here.cms_key[key]))
            return true;
        if (kept && length > 0 && !begins(&here.cms_key[key], "RETRIEVE"))
            in_command_line(line, length);
        return false;
    }
    if (here.display.aid != AID_ENTER)
        return false;
    return (here.entered && here.length > 0) || !command;
}

/* The line, as far as a line end in it goes: what follows is for later. */
static void take_line(char *line, u32 *length, bool command)
{
    char linend = here.linend_known ? here.linend : '#';
    u32 n = 0, from = 0;

    while (n < here.length && !(command && linend != 0 && here.line[n] == linend))
        n++;
    memcpy(line, here.line, n);
    *length = n;
    for (from = n + 1; from <= here.length && n < here.length; from = n + 1) {
        for (n = from; n < here.length && here.line[n] != linend;)
            n++;
        (void)type_ahead(here.line + from, n - from);
    }
}

static bool session_read(char *line, u32 *length, bool command)
{
    u32 key;

    here.told[0] = 0;
    for (;;) {
        here.status = command ? NULL : "Enter your response in vscreen CMS";
        if (!take_keys(&key)) {
            here.status = NULL;
            return false;
        }
        here.status = NULL;
        if (typed_line(key, command))
            break;
        /* The window manager's command line may have ended it. */
        if (full_screen == NULL)
            return false;
    }
    take_line(line, length, command);
    here.cue[0] = 0;
    if (key == 0 && here.length > 0)
        remember(here.line, here.length);
    if (key == 0 || here.cms_key[key].kind != KEY_NOECHO)
        echo(line, *length);
    here.status = command ? executing : NULL;
    (void)show_screen();
    return true;
}

/* A key while a command is performed: scrolling, immediate commands, lines for later. */
static void session_attention(void)
{
    u32 key, length;

    if (here.busy || !display_is_shown(&here.display) || !screen_attention())
        return;
    here.busy = true;
    if (!take_keys(&key)) {
        here.busy = false;
        return;
    }
    here.busy = false;
    if (!typed_line(key, true)) {
        (void)show_screen();
        return;
    }
    length = here.length;
    if (!immediate_line(here.line, length))
        (void)type_ahead(here.line, length);
    (void)show_screen();
}

/* Another display is about to be written: what was typed since is shown until a key is pressed. */
static void session_other(void)
{
    u32 key;

    if (here.busy || !here.unseen)
        return;
    here.status = "Press a key to return to the full screen";
    (void)take_keys(&key);
    here.status = NULL;
}

static void session_end_command(void)
{
    here.busy = here.pointing = false;
    if (!iucv_is_open())
        (void)iucv_open(service);
}

const struct session window_session = { session_line, session_read, session_attention, session_other,
                                        session_end_command };

/* What CP's SET said of messages, from QUERY SET: MSG ON , WNG ON ... */
static void setting_of(const char *text, u32 length, const char *word, name value)
{
    u32 least = (u32)strlen(word);

    pad(value, sizeof(name), "ON", 2);
    for (u32 n = 0; n + least < length; n++) {
        u32 from = n + least, to;

        if (memcmp(text + n, word, least) != 0 || (n > 0 && text[n - 1] != ' ' && text[n - 1] != 0x15))
            continue;
        while (from < length && text[from] == ' ')
            from++;
        for (to = from; to < length && text[to] != ' ' && text[to] != ',' && text[to] != 0x15;)
            to++;
        pad(value, sizeof(name), text + from, to - from);
        return;
    }
}

static void set_cp(const char *word, const name value)
{
    char line[40];

    (void)quietly(line, format(line, sizeof line, "SET %s %t", word, value));
}

/* Messages come by IUCV, or as they came before. */
static void messages_to_session(bool begin)
{
    char answer[1024];
    u32 room = sizeof answer;

    if (begin) {
        (void)cp("QUERY SET", 9, answer, &room);
        room = room & 0x80000000u ? sizeof answer : room;
        setting_of(answer, room, "MSG ", here.set_message);
        setting_of(answer, room, "WNG ", here.set_warning);
        (void)iucv_open(service);
        if (!is(here.set_message, "OFF"))
            set_cp("MSG", "IUCV    ");
        if (!is(here.set_warning, "OFF"))
            set_cp("WNG", "IUCV    ");
    } else {
        iucv_close();
        set_cp("MSG", here.set_message);
        set_cp("WNG", here.set_warning);
    }
}

const char *fullscreen_state(void) { return here.on ? "ON" : here.suspended ? "SUSPENDED" : "OFF"; }

static int begin(bool clear)
{
    if (here.on)
        return 0;
    if (!screen_ready()) {
        message("FSC", 920, 'E');
        return RC_UNSUPPORTED;
    }
    if (!session_screens()) {
        session_screens_end();
        message("FSC", 109, 'S');
        return RC_STORAGE;
    }
    if (clear)
        clear_screen();
    here.on = true;
    here.suspended = false;
    here.busy = false;
    here.display.whole = true;
    messages_to_session(true);
    full_screen = &window_session;
    return 0;
}

/* The display is CP's again; with `clear` it is empty, else the user has to clear it. */
static void leave(bool clear)
{
    full_screen = NULL;
    messages_to_session(false);
    here.on = false;
    here.status = NULL;
    if (clear)
        screen_leave();
}

int fullscreen_set(const struct call *call, u32 words)
{
    int clear = true, code;
    const struct option known[] = {
        FLAG("CLEAR", 2, &clear, true), FLAG("NOCLEAR", 4, &clear, false),
    };
    const char *word = call->token[2];

    if (words < 3)
        return missing();
    if (words > 3)
        return unexpected(call->token[3]);
    code = options("FSC", call, known, COUNT_OF(known));
    if (code != 0)
        return code;
    if (is(word, "ON"))
        return begin(clear);
    if (abbreviates(word, "RESUME", 3)) {
        if (here.suspended || here.on)
            return begin(clear);
        message("FSC", 930, 'E', "suspended");
        return RC_WRONG_SCREEN;
    }
    if (!is(word, "OFF") && !abbreviates(word, "SUSPEND", 3))
        return bad_word(word);
    if (!is(word, "OFF") && !here.on) {
        message("FSC", 930, 'E', "on");
        return RC_WRONG_SCREEN;
    }
    if (here.on)
        leave(clear);
    here.suspended = !is(word, "OFF");
    if (!here.suspended) {
        session_screens_end();
        display_end(&here.display);
        memset(&here.display, 0, sizeof here.display);
    }
    return 0;
}
