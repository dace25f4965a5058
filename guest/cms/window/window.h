/*
 * Full-screen CMS: virtual screens, windows that show parts of them, and the session that has the display (VM/ESA CMS
 * User's Guide, "Using Windows and Full-Screen CMS"; CMS Command Reference, SET FULLSCREEN, WINDOW, VSCREEN).
 *
 * All of it is a part of the nucleus that is loaded by the first command that wants it (nucleus/part.c). A virtual
 * screen is lines and columns in storage; a window is a rectangle of the display that shows some of them. Windows lie
 * over one another; the compositor (compose.c) lays them into the cells of a display (xedit/display.c), which sends
 * what has changed. While SET FULLSCREEN is ON, what CMS types and reads goes through the session (session.c).
 */
#ifndef WINDOW_H
#define WINDOW_H

#include "../command/command.h"
#include "../xedit/xedit.h"

enum {
    LINES_MOST = 9999,
    WIDE_MOST = 255,
    WINDOWS_MOST = 64,
    FUNCTION_KEYS = 24,
    RETRIEVED_MOST = 16,
    FIELDS_MOST = 64,
    EDGE_ROOM = 2,
    TEXT_COLUMN = 7,
};

/* Return codes beside CMS's own. */
enum { RC_WRONG_SCREEN = 12, RC_TOO_MANY = 13, RC_NO_NAME = 28 };

/* A place of a virtual screen. Reserved lines at the bottom are numbered -1 up from the last. */
struct vscreen_place { bool reserved; int line; u32 column; };

/* A field that the user has typed in since the screen was read. */
struct typed_field { struct vscreen_place at; u32 length; };

struct vscreen {
    struct vscreen *next;
    name name;
    u32 lines, columns, top, bottom;    /* lines of data, reserved lines */
    char *cell;                 /* reserved lines at the top, data, reserved lines at the bottom */
    u8 *look;                   /* 0, or where a field begins: as the display's */
    u8 *ink;                    /* NULL, or looks of single characters: as the display's */
    u32 first, used;            /* data is a ring: which line comes first; how many have been written */
    struct look usual;          /* as it was defined */
    bool open;                  /* fields are not protected unless they say so (NOPROTECT) */
    bool of_session;            /* the session has defined it */
    bool logging;
    struct fileid log;
    bool cursor_set;
    struct vscreen_place cursor;
    struct typed_field typed[FIELDS_MOST];
    u32 typed_count;
};

enum form { WINDOW_USUAL, WINDOW_SMALL, WINDOW_LARGE };

struct window {
    struct window *below;
    name name;
    struct vscreen *vscreen;    /* that it shows; NULL: none */
    int row, column;            /* of its first line, from 1 on; negative: from the bottom, from the right */
    u32 lines, columns;
    u32 line, left;             /* what of the screen comes first, from 1 on */
    bool shown, variable, border, pop, follows, location, reserved, of_session;
    enum form form;
    char edge[5];               /* corners, top, bottom, left, right */
    struct look edge_look;
    /* Where it was on the display last, in rows and columns from 0 on; `drawn`: it was. */
    bool drawn, side_left, side_right, side_top, side_bottom;
    u32 at_row, at_column, at_lines, at_columns;
};

/* What a PF key does: the label, and a command. */
enum key_kind { KEY_ECHO, KEY_NOECHO, KEY_DELAYED };
struct function_key { enum key_kind kind; char label[10]; u32 length; char text[80]; };

enum { CUE_MOST = 79 };

/* Classes of what comes (ROUTE). */
enum class { CLASS_CMS, CLASS_CP, CLASS_MESSAGE, CLASS_WARNING, CLASS_NETWORK, CLASS_SCIF, CLASSES };
struct route { name vscreen; bool alarm, notify; };

extern const char *const class_names[CLASSES];           /* route.c */
extern const u8 class_least[CLASSES];                    /* route.c */

struct windows {
    struct vscreen *screens;
    struct window *top;
    struct display display;
    struct look looks[LOOKS_MOST];
    u32 look_count;
    struct function_key cms_key[FUNCTION_KEYS + 1], wm_key[FUNCTION_KEYS + 1];
    struct route route[CLASSES];
    bool keys_set, routes_set;
    bool keys_painted;          /* the screens say what the keys do now */
    bool linend_known;          /* SET LINEND has said what it is; else it is # */
    char linend;                /* 0: OFF */
    bool stale;                 /* what is shown is not what there is */
    bool on, suspended, busy, unseen, alarm;
    bool charmode;              /* single characters are shown with their own looks */
    const char *status;         /* what STATUS says; NULL: what follows from the rest */
    name told;                  /* the screen of which it says that a message came */
    char cue[CUE_MOST + 1];     /* what it says until a command was typed (CUE) */
    struct window *moving;      /* whose new place, or with `sizing` corner, the cursor is to show */
    bool sizing;
    u32 cell;                   /* where the cursor was when the key was pressed */
    uint64_t written;           /* when the display was */
    char line[LINE_MOST + 1];   /* of the command line */
    u32 length;
    bool entered;               /* it was typed in */
    bool pointing;              /* a key's command is performed: the cursor may say which window is meant */
    bool offered;               /* the command line has a text that was not typed there */
    char retrieved[RETRIEVED_MOST][LINE_MOST];
    u32 retrieved_length[RETRIEVED_MOST], retrieved_count, retrieved_at;
    name set_message, set_warning;      /* what CP's SET MSG and SET WNG were */
};
extern struct windows here;     /* head.c */

/* screen.c */
struct vscreen *vscreen_find(const name name);
struct vscreen *vscreen_define(const name name, u32 lines, u32 columns, u32 top, u32 bottom);
void vscreen_delete(struct vscreen *screen);
void vscreen_clear(struct vscreen *screen);
u32 vscreen_row(const struct vscreen *screen, const struct vscreen_place *at);   /* of its cells */
bool vscreen_has(const struct vscreen *screen, const struct vscreen_place *at);
void vscreen_append(struct vscreen *screen, const char *text, u32 length);
void vscreen_write(struct vscreen *screen, const struct vscreen_place *at, const char *text, u32 length);
/* What `ink` has in the bits of `mask` is each character's; NO_INK: it stays. False: there is no storage. */
enum { NO_INK = 0xff };
bool vscreen_ink(struct vscreen *screen, const struct vscreen_place *at, u8 mask, const u8 *ink, u32 length);
void vscreen_field(struct vscreen *screen, const struct vscreen_place *at, u8 look);
u8 look_code(const struct look *look, bool writable);
struct look look_decode(u8 code);

/* place.c: windows, and what of them is on the display. */
struct window *window_find(const name name);
struct window *window_define(const name name, u32 lines, u32 columns, int row, int column);
void window_delete(struct window *window);
void window_pop(struct window *window);
void window_drop(struct window *window, u32 places);
void window_show(struct window *window, struct vscreen *screen);
struct window *window_top(void);                         /* of those that can be seen, but for STATUS */
u32 window_largest(const struct window *window);
u32 window_rows(const struct window *window);            /* of data */
u32 window_width(const struct window *window);           /* columns of data that can be seen */
bool window_visible(const struct window *window);
bool window_more(const struct window *window);           /* there is more below */
enum way { WAY_FORWARD, WAY_BACKWARD, WAY_LEFT, WAY_RIGHT, WAY_TOP, WAY_BOTTOM, WAY_CLEAR, WAYS };
void window_scroll(struct window *window, enum way way, u32 count);
bool window_at(u32 cell, struct window **window, bool *corner, struct vscreen_place *at);

/* compose.c */
bool screen_ready(void);
void compose(void);

/* session.c */
extern const struct session window_session;
int fullscreen_set(const struct call *call, u32 words);
const char *fullscreen_state(void);
void say_line(enum class class, const char *text, u32 length);

/* input.c */
bool show_screen(void);
bool take_keys(u32 *key);                                /* false: the display has gone */

/* border.c */
void border_command(struct window *window, char letter);
void border_finish(void);

/* start.c */
bool session_screens(void);                              /* those that are not there yet; false: no storage */
void session_screens_end(void);
void keys_begin_session(void);
void paint_reserved_lines(void);
void command_line(struct vscreen *screen, const char *text, u32 length);

/* option.c */
int window_setting(const struct call *call, u32 words);
int window_query(const struct call *call);

/* operand.c */
int missing(void);
int unexpected(const name word);
int bad_word(const name word);
int no_vscreen(const name name);
int no_window(const name name);
u32 word_of(const struct call *call, u32 n, const char **text);   /* as it was typed; 0: there is none */
int operand_number(const struct call *call, u32 n, u32 least, u32 most, u32 *value);
int operand_signed(const struct call *call, u32 n, int *value);
struct window *window_operand(const struct call *call, u32 n, int *code);
struct vscreen *vscreen_operand(const struct call *call, u32 n, int *code);

/* vcommand.c: a verb and what follows, from word `n` on. */
int vscreen_command_of(const struct call *call, const char *verb, u32 n);
bool is_vscreen_verb(const name word);
int vscreen_options(const struct call *call, struct look *look, bool *open);

/* wcommand.c */
int window_command_of(const struct call *call, const char *verb, u32 n);
bool is_window_verb(const name word);
int window_options(const struct call *call, struct window *window);

/* waitread.c */
int waitread(struct vscreen *screen);
int read_fields(struct vscreen *screen);

/* copy.c */
int vscreen_put(const struct call *call, u32 n, struct vscreen *screen);
int vscreen_get(const struct call *call, u32 n, struct vscreen *screen);
int screen_put(const struct call *call, u32 n);
int screen_get(const struct call *call, u32 n);

/* route.c */
int route_command_of(const struct call *call, u32 n);
void routes_begin(void);

#endif
