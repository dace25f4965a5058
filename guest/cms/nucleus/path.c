/*
 * Paths: what a program asks of CMS by the macro CONSOLE ("CMS Application Development Guide for Assembler", the
 * console facility).
 *
 * A path leads to a display and has a name: to the virtual console's, which CP drives (DIAGNOSE X'58'), or to one that
 * is dialed to the machine (channel programs of a 3270). Several paths may lead to one display. Each display knows
 * whose screen it shows. After another path, the editor or a line that was typed a path must begin with an erase
 * (return code 32). A path lives until it is closed or the command that was typed ends.
 */
#include "path.h"
#include "../os/os.h"
#include "../xedit/display.h"

/* What the macro has at register 1. */
struct request {
    u8 function, options;
    u16 device;
    name path;
    u32 buffer, length, exit, word, program;
};
enum { OPEN = 1, CLOSE, READ, WRITE, EXCP, WAIT, QUERY };
/* Options: of WRITE, one of these; of READ, EXCP and QUERY, bits. */
enum { WRITE_PLAIN, WRITE_ERASE, WRITE_ALTERNATE, WRITE_STRUCTURED, WRITES };
enum { READ_ALL = 0x01, READ_AT_ONCE = 0x02, EXCP_CHANNEL = 0x01, EXCP_FORMAT_1 = 0x02, QUERY_DEVICE = 0x01 };
enum { CONSOLE = 0xffff };

/* Return codes beside CMS's usual ones. */
enum { RC_OPEN_ALREADY = 4, RC_LONGER = 8, RC_ERASE_FIRST = 32, RC_NO_DISPLAY = 36, RC_NO_SUCH_DISPLAY = 40 };

/* The sections of CQYSECT: the head, the device, the path, and what DIAGNOSE X'8C' says. */
struct device_section {
    u16 vdev;
    u8 flags, reserved[1];
    u32 types[2];               /* of the virtual device, and of the real one */
    u32 display_at;
    u16 display_length, reserved_2[3];
};
struct path_section {
    u32 exit, word;
    u8 flags, reserved[7];
    u8 unit, subchannel;        /* how the last operation ended */
    u16 residual;
    u8 reserved_2[8];
};
struct answer {
    u32 path_length, device_length;
    struct device_section device;
    u8 rest[sizeof(struct path_section) + sizeof(struct display_block)];
};
enum { DEVICE_CONSOLE = 0x80, DEVICE_THERE = 0x40 };
enum { PATH_SHOWN = 0x80, PATH_OTHER_TERMINAL = 0x40, PATH_EXIT_31 = 0x20 };

struct terminal {
    struct terminal *next;
    struct device_section facts;
    struct display_block display;
    bool console, attention, fresh, ended;
    u32 id;                     /* its subchannel */
    u32 changes, seen;          /* how often a user has come back, and of how many that the paths know */
    u8 unit, subchannel;
    u16 residual;
    const struct path *shows;   /* whose screen it shows */
    struct path *last;          /* that has written to it last */
};
struct path {
    struct path *next;
    name name;
    struct terminal *terminal;
    u32 level;                  /* of the programs that run, the one that has opened it; 0: none that ends */
    struct path_section facts;
};

static struct path *paths;
static struct terminal *terminals;
static volatile bool news;      /* a key was pressed that no exit was called for */
static bool in_exit;
static u32 save_area;           /* the exits' */

static struct path *path_named(const name wanted)
{
    struct path *path = paths;

    while (path != NULL && memcmp(path->name, wanted, sizeof(name)) != 0)
        path = path->next;
    return path;
}

/* Whether there is a display at the device now. */
static bool there(const struct terminal *terminal)
{
    enum { GRAPHIC = 0x40 };
    u32 types[2];

    return device_types(terminal->facts.vdev, types) && types[1] >> 24 == GRAPHIC;
}

/* What the device is by now. */
static void ask(struct terminal *terminal)
{
    struct device_section *facts = &terminal->facts;

    (void)device_types(facts->vdev, facts->types);
    facts->flags = (u8)((terminal->console ? DEVICE_CONSOLE : 0) | (there(terminal) ? DEVICE_THERE : 0));
    memset(&terminal->display, 0, sizeof terminal->display);
    (void)display_block(facts->vdev, &terminal->display);
    for (struct path *path = paths; path != NULL; path = path->next)
        if (path->terminal == terminal)
            path->facts.flags &= (u8)~PATH_OTHER_TERMINAL;
}

/* The user has come back, perhaps at a display of another kind: what it shows is no path's. */
static void look_for_change(struct terminal *terminal)
{
    if (terminal->console)
        terminal->changes = console_changes();
    if (terminal->seen == terminal->changes)
        return;
    terminal->seen = terminal->changes;
    terminal->shows = NULL;
    for (struct path *path = paths; path != NULL; path = path->next)
        if (path->terminal == terminal)
            path->facts.flags |= PATH_OTHER_TERMINAL;
}

static bool shows(const struct path *path)
{
    const struct terminal *terminal = path->terminal;

    return terminal->shows == path && (!terminal->console || display_is_shown(terminal));
}

/* The display of this device, for OPEN and for QUERY; 0, or the return code. */
static int terminal_of(u16 device, struct terminal **found)
{
    bool console = device == CONSOLE || device == console_device();
    u16 vdev = console ? console_device() : device;
    struct terminal *terminal = terminals;

    while (terminal != NULL && terminal->facts.vdev != vdev)
        terminal = terminal->next;
    *found = terminal;
    if (terminal != NULL)
        return 0;
    terminal = obtain(sizeof *terminal, OWNER_SYSTEM);
    if (terminal == NULL)
        return RC_STORAGE;
    memset(terminal, 0, sizeof *terminal);
    terminal->facts.vdev = vdev;
    terminal->console = console;
    ask(terminal);
    /* A typewriter is none, nor is a device without a terminal that is dialed. */
    if (!(terminal->facts.flags & DEVICE_THERE) || (!console && (terminal->id = subchannel_of(vdev)) == 0)) {
        release(terminal);
        return RC_NO_SUCH_DISPLAY;
    }
    terminal->seen = console ? console_changes() : 0;
    terminal->next = terminals;
    terminals = *found = terminal;
    return 0;
}

/* Takes a terminal off the list to which no path leads any more. */
static void drop_unused(struct terminal *terminal)
{
    struct terminal **at = &terminals;

    for (const struct path *path = paths; path != NULL; path = path->next)
        if (path->terminal == terminal)
            return;
    while (*at != terminal)
        at = &(*at)->next;
    *at = terminal->next;
    if (terminal->console && display_is_shown(terminal))
        screen_leave();
    release(terminal);
}

/* The answer to QUERY and OPEN, as much of it as there is room for. `path` NULL: of the device alone. */
static int tell(const struct request *request, struct terminal *terminal, struct path *path, u32 *moved)
{
    struct answer answer = { .device_length = sizeof answer.device, .device = terminal->facts };
    u32 length = offsetof(struct answer, rest), at = request->buffer & 0x7fffffff;

    if (path != NULL) {
        path->facts.flags = (u8)((path->facts.flags & ~PATH_SHOWN) | (shows(path) ? PATH_SHOWN : 0));
        answer.path_length = sizeof path->facts;
        memcpy(answer.rest, &path->facts, sizeof path->facts);
        length += sizeof path->facts;
    }
    if (terminal->display.rows != 0) {
        memcpy((u8 *)&answer + length, &terminal->display, sizeof terminal->display);
        answer.device.display_at = at + length;
        answer.device.display_length = sizeof terminal->display;
        length += sizeof terminal->display;
    }
    *moved = length < request->length ? length : request->length;
    if (!has_key(at, *moved, USER_KEY))
        return RC_SYNTAX;
    memcpy((void *)at, &answer, *moved);
    return 0;
}

static int open_path(const struct request *request, const struct frame *frame, u32 *moved)
{
    struct path *path = path_named(request->path);
    bool already = path != NULL;
    struct terminal *terminal;
    int code;

    if (request->path[0] == ' ' || request->path[0] == 0 ||
        (request->exit != 0 && !os_may_fetch(request->exit & 0x7fffffff, 2)))
        return RC_SYNTAX;
    if (already) {
        terminal = path->terminal;
    } else {
        code = terminal_of(request->device, &terminal);
        if (code != 0)
            return code;
        path = obtain(sizeof *path, OWNER_SYSTEM);
        if (path == NULL)
            return RC_STORAGE;
        memset(path, 0, sizeof *path);
        memcpy(path->name, request->path, sizeof(name));
        path->terminal = terminal;
        path->level = programs_running();
        path->facts.exit = request->exit & 0x7fffffff;
        path->facts.word = request->word;
        path->facts.flags = frame->psw[1] & 0x80000000 ? PATH_EXIT_31 : 0;
        path->next = paths;
        paths = path;
    }
    ask(terminal);
    code = request->length != 0 ? tell(request, terminal, path, moved) : 0;
    return code != 0 ? code : already ? RC_OPEN_ALREADY : 0;
}

static void close_path(struct path *path)
{
    struct path **at = &paths;

    while (*at != path)
        at = &(*at)->next;
    *at = path->next;
    if (path->terminal->last == path)
        path->terminal->last = NULL;
    drop_unused(path->terminal);
    release(path);
}

static int query(const struct request *request, u32 *moved)
{
    struct terminal *terminal;
    struct path *path;
    int code;

    if (!(request->options & QUERY_DEVICE)) {
        path = path_named(request->path);
        if (path == NULL)
            return RC_MISSING;
        look_for_change(path->terminal);
        return tell(request, path->terminal, path, moved);
    }
    code = terminal_of(request->device, &terminal);
    if (code != 0)
        return code;
    look_for_change(terminal);
    ask(terminal);
    code = tell(request, terminal, NULL, moved);
    drop_unused(terminal);
    return code;
}

/* ---- operations ---- */

/* The path's display shows what it writes from now on. */
static void took(struct path *path)
{
    struct terminal *terminal = path->terminal;

    terminal->shows = terminal->last = path;
    if (terminal->console)
        display_belongs_to(terminal);
}

/* How the last operation ended becomes the path's. */
static int outcome(struct path *path, u8 unit, u8 subchannel, u16 residual)
{
    path->facts.unit = unit;
    path->facts.subchannel = subchannel;
    path->facts.residual = residual;
    if (unit == SCREEN_TAKEN)
        return there(path->terminal) ? RC_ERASE_FIRST : RC_NO_DISPLAY;
    return unit & UNIT_CHECK || subchannel & ~INCORRECT_LENGTH ? RC_IO : 0;
}

static int console_operation(struct path *path, const void *ccws)
{
    u8 refused;

    if (full_screen != NULL)
        full_screen->other();
    refused = screen_perform(ccws);
    if (refused == 0)
        took(path);
    return outcome(path, refused != 0 ? refused : CHANNEL_END | DEVICE_END, 0, 0);
}

/* A channel program to the display's own subchannel. */
static int channel_operation(struct path *path, u32 ccws, bool format_1)
{
    struct terminal *terminal = path->terminal;
    u32 orb[8] = { 0, (format_1 ? ORB_FORMAT_1 : 0) | ORB_PATHS, ccws };
    struct irb irb;
    u8 mask = disable();
    int cc;

    do {
        terminal->ended = false;
        cc = ssch(terminal->id, orb);
        /* What it has to say first is taken now. */
        if (cc == 1 && tsch(terminal->id, &irb) == 0)
            path_status(terminal->id, &irb);
        else if (cc == 2)
            wait_io();
    } while (cc == 1 || cc == 2);
    while (cc != 3 && !terminal->ended)
        wait_io();
    restore(mask);
    if (cc == 3)
        return RC_NO_DISPLAY;
    took(path);
    return outcome(path, terminal->unit, terminal->subchannel, terminal->residual);
}

/* Commands of a 3270 on a channel, by the options of WRITE. */
static const u8 channel_commands[WRITES] = { 0x01, 0x05, 0x0d, 0x11 };
static const u8 console_commands[WRITES] = { SCREEN_WRITE, SCREEN_ERASE, SCREEN_ALTERNATE, SCREEN_STRUCTURED };

static int write(struct path *path, const struct request *request)
{
    enum { CONSOLE_WRITE = 0x29, REACHED = 0x1000000 };
    u32 at = request->buffer & 0x7fffffff, length = request->length;
    bool erases = request->options == WRITE_ERASE || request->options == WRITE_ALTERNATE;
    struct console_ccw console __attribute__((aligned(8)));
    struct ccw ccw __attribute__((aligned(8)));
    void *copy = NULL;
    int code;

    if (request->options >= WRITES || length == 0 || length > 0xffff || !os_may_fetch(at, length))
        return RC_SYNTAX;
    if (!there(path->terminal))
        return RC_NO_DISPLAY;
    if (!erases && !shows(path))
        return RC_ERASE_FIRST;
    if (!path->terminal->console) {
        ccw = (struct ccw){ channel_commands[request->options], CCW_SLI, (u16)length, at };
        return channel_operation(path, (u32)&ccw, true);
    }
    /* The console's CCWs have 24 bits of address. */
    if (at + length > REACHED) {
        copy = obtain_pages(length, OWNER_COMMAND, 0, REACHED);
        if (copy == NULL)
            return RC_STORAGE;
        at = (u32)memcpy(copy, (void *)at, length);
    }
    console_ccw(&console, CONSOLE_WRITE, console_commands[request->options], (void *)at, length);
    code = console_operation(path, &console);
    if (copy != NULL)
        (void)release_pages((u32)copy);
    return code;
}

static bool pressed(const struct terminal *terminal)
{
    return terminal->console ? screen_attention() : terminal->attention;
}

/* Waits for a key at the display; false: it shows something else by now. */
static bool wait_key(struct path *path)
{
    struct terminal *terminal = path->terminal;
    bool ours = shows(path);

    while (ours && !pressed(terminal)) {
        if (terminal->console) {
            ours = screen_wait_key();
        } else {
            u8 mask = disable();

            if (!terminal->attention)
                wait_io();
            restore(mask);
            /* A line that was typed at the console, HX perhaps. */
            attend();
            ours = shows(path);
        }
    }
    /* It was waited for: no exit is called. */
    terminal->fresh = false;
    look_for_change(terminal);
    return ours;
}

static int read(struct path *path, const struct request *request, u32 *moved)
{
    enum { READ_BUFFER = 0x02, READ_MODIFIED = 0x06, EACH = 4, MORE = 64 };
    struct terminal *terminal = path->terminal;
    u32 at = request->buffer & 0x7fffffff, room = request->length;
    bool all = request->options & READ_ALL, ours;
    struct ccw ccw __attribute__((aligned(8)));
    void *buffer;
    int count, code;

    if (room == 0 || !has_key(at, room, USER_KEY))
        return RC_SYNTAX;
    ours = request->options & READ_AT_ONCE ? shows(path) : wait_key(path);
    terminal->attention = terminal->fresh = false;
    if (!ours)
        return there(terminal) ? RC_ERASE_FIRST : RC_NO_DISPLAY;
    if (!terminal->console) {
        ccw = (struct ccw){ all ? READ_BUFFER : READ_MODIFIED, 0, (u16)(room < 0xffff ? room : 0xffff), at };
        code = channel_operation(path, (u32)&ccw, true);
        *moved = ccw.count - path->facts.residual;
        if (code == 0 && (path->facts.subchannel & INCORRECT_LENGTH) && path->facts.residual == 0)
            code = RC_LONGER;
        return code;
    }
    room = (u32)terminal->display.rows * terminal->display.columns * EACH + MORE;
    buffer = obtain_pages(room, OWNER_COMMAND, 0, 0x1000000);
    if (buffer == NULL)
        return RC_STORAGE;
    count = screen_fetch(all ? SCREEN_BUFFER : SCREEN_MODIFIED, buffer, room);
    if (count >= 0) {
        *moved = (u32)count < request->length ? (u32)count : request->length;
        memcpy((void *)at, buffer, *moved);
    }
    (void)release_pages((u32)buffer);
    if (count < 0)
        return outcome(path, SCREEN_TAKEN, 0, 0);
    (void)outcome(path, CHANNEL_END | DEVICE_END, 0, (u16)(request->length - *moved));
    return (u32)count > request->length ? RC_LONGER : 0;
}

/* CCWs of the program's own. CMS does not look at them: what they have done to the screen the program knows. */
static int excp(struct path *path, const struct request *request)
{
    bool channel = request->options & EXCP_CHANNEL;
    u32 at = request->program & 0x7fffffff;

    if (at % 8 != 0 || !os_may_fetch(at, 8) || channel == path->terminal->console)
        return RC_SYNTAX;
    if (!there(path->terminal))
        return RC_NO_DISPLAY;
    return channel ? channel_operation(path, at, request->options & EXCP_FORMAT_1)
                   : console_operation(path, (const void *)at);
}

int path_request(struct frame *frame)
{
    u32 at = frame->gr[1] & 0x7fffffff, moved = 0;
    struct request request;
    struct path *path;
    int code;

    if (!os_may_fetch(at, sizeof request))
        return RC_SYNTAX;
    memcpy(&request, (const void *)at, sizeof request);
    frame->gr[0] = 0;
    if (request.function == OPEN || request.function == QUERY) {
        code = request.function == OPEN ? open_path(&request, frame, &moved) : query(&request, &moved);
        frame->gr[0] = moved;
        return code;
    }
    path = path_named(request.path);
    if (path == NULL)
        return RC_MISSING;
    look_for_change(path->terminal);
    switch (request.function) {
    case CLOSE:
        close_path(path);
        return 0;
    case READ:
        code = read(path, &request, &moved);
        frame->gr[0] = moved;
        return code;
    case WRITE:
        return write(path, &request);
    case EXCP:
        return excp(path, &request);
    case WAIT:
        return wait_key(path) ? 0 : there(path->terminal) ? RC_ERASE_FIRST : RC_NO_DISPLAY;
    default:
        return RC_SYNTAX;
    }
}

/* ---- interruptions ---- */

void path_status(u32 id, const struct irb *irb)
{
    struct terminal *terminal = terminals;

    while (terminal != NULL && terminal->id != id)
        terminal = terminal->next;
    if (terminal == NULL)
        return;
    if (irb->device & ATTENTION)
        terminal->attention = terminal->fresh = news = true;
    if (irb->ccw != 0 && (irb->flags & FINAL)) {
        terminal->unit = irb->device;
        terminal->subchannel = irb->subchannel;
        terminal->residual = irb->count;
        terminal->ended = true;
    } else if (irb->device & DEVICE_END) {
        /* A terminal has been dialed: there is nothing on it, and its user waits. */
        terminal->changes++;
        terminal->attention = terminal->fresh = news = true;
    }
}

void path_attention(void)
{
    for (struct terminal *terminal = terminals; terminal != NULL; terminal = terminal->next)
        if (terminal->console && display_is_shown(terminal))
            terminal->fresh = news = true;
}

/* Register 0 of an exit: what has happened; 1 has the user word. It runs as the program that was interrupted. */
static void call_exit(const struct frame *frame, const struct path *path)
{
    enum { SAVE_AREA = 72 };
    struct frame with = *frame;

    if (save_area == 0)
        save_area = (u32)obtain_pages(SAVE_AREA, OWNER_SYSTEM, USER_KEY, LOW_STORAGE);
    if (save_area == 0)
        return;
    with.gr[13] = save_area;
    with.psw[1] &= 0x7fffffff;
    in_exit = true;
    (void)os_call(&with, path->facts.exit | (path->facts.flags & PATH_EXIT_31 ? 0x80000000 : 0),
                  ATTENTION | (path->facts.flags & PATH_OTHER_TERMINAL), path->facts.word);
    in_exit = false;
}

/* Exits are called when the program is about to go on, for a key that no READ or WAIT has taken meanwhile. */
void paths_tell(struct frame *frame)
{
    if (!news || in_exit)
        return;
    news = false;
    for (struct terminal *terminal = terminals; terminal != NULL; terminal = terminal->next) {
        const struct path *path = terminal->last;

        if (!terminal->fresh || path == NULL)
            continue;
        terminal->fresh = false;
        look_for_change(terminal);
        if (path->facts.exit == 0)
            continue;
        call_exit(frame, path);
        /* The exit may have closed paths: the list is another one. Keys that are left have their turn next time. */
        news = true;
        return;
    }
}

/*
 * A program has ended, so many go on: its exits are in storage that may be another's soon. A nucleus extension stays.
 */
void paths_after(u32 running, bool stays)
{
    for (struct path *path = paths; path != NULL; path = path->next) {
        if (path->level <= running)
            continue;
        path->level = 0;
        if (!stays)
            path->facts.exit = 0;
    }
}

void paths_forget(void)
{
    news = in_exit = false;
    if (save_area != 0)
        (void)release_pages(save_area);
    save_area = 0;
    while (paths != NULL)
        close_path(paths);
}
