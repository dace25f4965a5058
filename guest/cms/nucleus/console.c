/*
 * The console: a 3215 that the nucleus drives by channel programs (POP, chapters 13 to 16; 3215's commands).
 *
 * A line that the user types while no program reads makes the console present attention; the nucleus takes it from the
 * console at once. If it is an immediate command it is performed, else it is kept for the next read. All that CMS types
 * goes through type_line().
 */
#include "path.h"
#include "subchannel.h"

enum { WRITE_WITH_RETURN = 0x09, READ_INQUIRY = 0x0a };

static u32 subchannel;          /* its identification word, 0: there is no console */
static volatile bool attention, ended;
static volatile u16 residual;
static u8 status;               /* that the console presented last */
static bool typing_halted;
static bool on_screen;          /* what is shown is a screen of the command's own: no line is typed, none is read */
static bool typed_before;       /* a line that was typed before that screen came waits for it to go */
static struct capture *captured;
const struct session *full_screen;

u32 subchannel_of(u16 vdev)
{
    u32 schib[13], id;

    for (id = 0x10000; id < 0x20000 && stsch(id, schib) != 3; id++) {
        if ((schib[1] & 0xffff) != vdev || (schib[1] & 0x10000) == 0)
            continue;
        schib[1] |= 0x00800000;         /* enabled */
        return msch(id, schib) == 0 ? id : 0;
    }
    return 0;
}

static void find_console(void) { subchannel = subchannel_of(console_device()); }

/* How often the user has come back, at another terminal perhaps. */
u32 console_changes(void)
{
    static u32 changes;

    if (terminal_changed()) {
        find_console();
        changes++;
    }
    return changes;
}

void console_start(void)
{
    attention = ended = on_screen = typed_before = false;
    find_console();
}

static void take_status(u32 id)
{
    struct irb irb;

    if (tsch(id, &irb) != 0)
        return;
    if (id != subchannel) {
        path_status(id, &irb);
        return;
    }
    status = irb.device;
    /* With a unit check it says that DIAGNOSE X'58' has not been done. */
    if ((irb.device & (ATTENTION | UNIT_CHECK)) == ATTENTION) {
        attention = true;
        if (on_screen)
            path_attention();
    }
    if ((irb.flags & FINAL) && ((irb.device & (CHANNEL_END | DEVICE_END)) || irb.subchannel != 0 ||
                                (irb.device & UNIT_CHECK))) {
        residual = irb.count;
        ended = true;
    }
}

/*
 * From io_handler: an interruption of a device. A wait is over. What the user has typed is looked at now if a program
 * runs, else when the nucleus next attends; an exec looks when exec_attention is not zero.
 */
void io_interrupt(struct frame *frame)
{
    bool program = of_program(frame);

    take_status(*(volatile u32 *)0xb8);
    frame->psw[0] &= ~0x00020000u;
    if (program) {
        attend();
        paths_tell(frame);
    } else if (attention) {
        exec_attention |= EXEC_LOOK;
    }
}

/* The display is for lines; one that was typed before the screen is attended to, if it was not `read` just now. */
static void lines_again(bool read)
{
    attention |= typed_before && !read;
    typed_before = on_screen = false;
}

/* One command to the console; false: there is none. `count` is then what was left of it. */
static bool operate(u8 command, const void *data, u32 *count)
{
    struct ccw ccw __attribute__((aligned(8))) = { command, CCW_SLI, (u16)*count, (u32)data };
    u32 orb[8] = { 0, ORB_FORMAT_1 | ORB_PATHS, (u32)&ccw };
    bool of_screen = on_screen;
    u8 mask;
    int cc;

    if (subchannel == 0)
        return false;
    on_screen = false;
    mask = disable();
    do {
        ended = false;
        /*
         * The line that the attention was for is what a read gets, also if its status comes only now (condition code
         * 1). A key of the screen is forgotten by CP with this command. An attention that comes later is for a line:
         * a user may read what is written here, and type one before the command's own status comes.
         */
        if (command == READ_INQUIRY || of_screen)
            attention = false;
        cc = ssch(subchannel, orb);
        if (cc == 1)
            take_status(subchannel);
        else if (cc == 2)
            wait_io();
    } while (cc == 1 || cc == 2);
    if (cc == 3)
        subchannel = 0;
    while (cc != 3 && !ended)
        wait_io();
    *count = residual;
    if (of_screen)
        lines_again(command == READ_INQUIRY);
    restore(mask);
    return cc != 3;
}

/* SET INPUT and SET OUTPUT: what a character typed, or to be typed, becomes; one that stays itself is not in use. */
static struct { u8 to[256]; bool used[256]; bool any; } tables[2];

void console_translate(bool input, u8 from, u8 to)
{
    tables[input].to[from] = to;
    tables[input].used[from] = from != to;
    tables[input].any = true;
}

void console_translate_none(bool input) { memset(&tables[input], 0, sizeof tables[input]); }

bool console_translated(bool input, u32 *from, u8 *to)
{
    while (*from < 256 && !tables[input].used[*from])
        ++*from;
    if (*from < 256)
        *to = tables[input].to[*from];
    return *from < 256;
}

static void translate(bool input, char *text, u32 length)
{
    for (u32 n = 0; tables[input].any && n < length; n++)
        if (tables[input].used[(u8)text[n]])
            text[n] = (char)tables[input].to[(u8)text[n]];
}

bool halted_typing(void) { return typing_halted; }
void halt_typing(bool halt) { typing_halted = halt; }

void capture_begin(struct capture *capture)
{
    capture->outer = captured;
    captured = capture;
}

struct capture *capturing(void) { return captured; }
void capture_end(struct capture *outer) { captured = outer; }

void type_line(const char *text, u32 length)
{
    if (captured != NULL) {
        captured->line(captured, text, length);
        attend();
        return;
    }
    length = length_of(text, length);
    if (length == 0)
        text = " ", length = 1;
    if (full_screen == NULL)
        (void)console_changes();
    if (tables[false].any) {
        static char copy[512];

        length = length < sizeof copy ? length : sizeof copy;
        text = memcpy(copy, text, length);
        translate(false, copy, length);
    }
    if (!typing_halted && full_screen != NULL)
        full_screen->line(text, length);
    else if (!typing_halted)
        operate(WRITE_WITH_RETURN, text, &length);
    attend();
}

void type(const char *how, ...)
{
    char line[512];
    va_list list;
    u32 length;

    va_start(list, how);
    length = format_list(line, sizeof line, how, list);
    va_end(list);
    type_line(line, length);
}

static void read_inquiry(char *line, u32 *length)
{
    u32 count = LINE_MOST;

    if (full_screen != NULL && full_screen->read(line, length, false)) {
        translate(true, line, *length);
        return;
    }
    if (operate(READ_INQUIRY, line, &count)) {
        *length = LINE_MOST - count;
        translate(true, line, *length);
        return;
    }
    /* Without a console no line will ever come. */
    for (;;)
        wait_io();
}

/* The user is asked for a line; typing goes on with it. */
void read_console(char *line, u32 *length)
{
    if (captured != NULL && captured->reading != NULL)
        captured->reading(captured);
    typing_halted = false;
    read_inquiry(line, length);
}

/*
 * The next command. SET AUTOREAD OFF: it is read when the user has typed it; until then the console is free for what
 * others send.
 */
u32 read_command(char line[256])
{
    u32 length;

    while (!unstack_line(line, &length) && !typed_ahead(line, &length)) {
        if (full_screen != NULL) {
            typing_halted = false;
            if (full_screen->read(line, &length, true)) {
                translate(true, line, length);
                break;
            }
        }
        if (settings.autoread) {
            read_console(line, &length);
            break;
        }
        typing_halted = false;
        u8 mask = disable();

        while (!attention)
            wait_io();
        restore(mask);
        attend();
    }
    return length;
}

bool immediate_line(const char *line, u32 length)
{
    name token[TOKENS_MOST + 1];
    u32 word = 0;

    if (tokenize(line, length, token) == 0)
        return false;
    while (word < length && line[word] == ' ')
        word++;
    while (word < length && line[word] != ' ')
        word++;
    word += word < length;
    if (immediate_typed(token[0], line + word, length - word))
        ;
    else if (is(token[0], "HT"))
        typing_halted = true;
    else if (is(token[0], "RT"))
        typing_halted = false;
    else if (is(token[0], "HX"))
        halt_execution();
    else if (is(token[0], "HI")) {
        exec_attention |= 1;
        (void)extension_immediate(line, length, token[0]);
    }
    else if (is(token[0], "TS"))
        exec_attention |= 2;
    else if (is(token[0], "TE"))
        exec_attention |= 4;
    else
        return extension_immediate(line, length, token[0]);
    return true;
}

/* Code that works long calls this now and then. */
void attend(void)
{
    char line[LINE_MOST + 1];
    u32 length;

    while (attention && !on_screen) {
        read_inquiry(line, &length);
        if (!immediate_line(line, length))
            type_ahead(line, length);
    }
    if (attention && full_screen != NULL)
        full_screen->attention();
}

bool screen_is_ours(void) { return on_screen; }
bool screen_attention(void) { return attention; }

/*
 * DIAGNOSE X'58' with a program of CCWs, after which the display is the program's. 0, or the status that says why not:
 * SCREEN_TAKEN wants an erase, SCREEN_INVALID has found the data stream invalid.
 */
u8 screen_perform(const void *ccws)
{
    u8 mask = disable(), refused = 0;

    if (console_program(ccws)) {
        if (!on_screen) {
            typed_before = attention;
            attention = false;
        }
        on_screen = true;
    } else {
        status = SCREEN_TAKEN;
        if (subchannel != 0)
            take_status(subchannel);
        refused = status;
        if (on_screen && refused == SCREEN_TAKEN) {
            lines_again(false);
            on_screen = false;
        }
    }
    restore(mask);
    return refused;
}

/* Writes a data stream that begins with its write control character. False: it must begin with an erase. */
bool screen_write(enum screen_how how, const void *stream, u32 length)
{
    enum { WRITE = 0x29 };
    struct console_ccw ccw __attribute__((aligned(8)));

    (void)console_changes();
    if (!on_screen && how == SCREEN_WRITE)
        return false;
    console_ccw(&ccw, WRITE, (u8)how, stream, length);
    return screen_perform(&ccw) == 0;
}

/* Reads what the display has sent, or all that it shows; -1: it is not the program's any more. */
int screen_fetch(u8 how, void *to, u32 room)
{
    enum { READ = 0x2a, NOTHING = 0xff };
    const u8 *at = to, *end;

    attention = false;
    /* How long it is is not told. */
    memset(to, NOTHING, room);
    if (!on_screen || !console_call(READ, how, to, room)) {
        lines_again(false);
        return -1;
    }
    end = memchr(at, NOTHING, room);
    /* After the first of them all are, but for characters of that code: a buffer that was read may have them. */
    if (end != NULL && memcmp(end, end + 1, (size_t)(at + room - end) - 1) == 0)
        return (int)(end - at);
    while (room > 0 && at[room - 1] == NOTHING)
        room--;
    return (int)room;
}

/* Waits for a key; false: CP has had the display. */
bool screen_wait_key(void)
{
    u8 mask = disable();

    while (!attention && on_screen)
        wait_io();
    restore(mask);
    return on_screen;
}

/* Waits for a key, and reads what was typed. False: CP has had the display. */
bool screen_read(void *to, u32 room, u32 *length)
{
    enum { NO_KEY = 0x60 };
    int count;

    do {
        (void)screen_wait_key();
        count = screen_fetch(SCREEN_MODIFIED, to, room);
    } while (count == 0 || (count > 0 && *(u8 *)to == NO_KEY));
    *length = (u32)count;
    return count > 0;
}

/* The display is another's, or none: the user does something before it is tried again. */
void screen_wait(void)
{
    u8 mask = disable();

    while (!attention)
        wait_io();
    attention = false;
    restore(mask);
}

/* The screen is CP's again, for lines; those that have been typed since stay. */
void screen_leave(void)
{
    u8 mask;

    if (full_screen != NULL)
        return;
    mask = disable();
    if (on_screen) {
        /* A key whose status is still to be taken is the screen's, and goes with it. */
        if (subchannel != 0)
            take_status(subchannel);
        clear_screen();
        attention = false;
        lines_again(false);
    }
    restore(mask);
}

u32 read_line(char line[256])
{
    u32 length;

    if (!unstack_line(line, &length) && !typed_ahead(line, &length))
        read_console(line, &length);
    return length;
}
