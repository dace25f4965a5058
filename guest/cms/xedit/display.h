/* A 3270's screen in cells (display.c): the editor's, and full-screen CMS's. */
#ifndef DISPLAY_H
#define DISPLAY_H

#include "../nucleus/cms.h"

/* Colours and highlighting of 3270 fields. */
struct look { u8 colour, highlight; bool high, invisible; };
enum {
    LOOKS_MOST = 60,
    LOOK_BEGINS = 1,
    LOOK_WRITABLE = 64,
    LOOK_MODIFIED = 128
}; /* what cells have: 1 + the look's number, bits */
enum { ROW_TOUCHED = 0xff };    /* in old_look of a row's first cell: the user has typed in it */

/* A character's own look: the last three bits of the code of a colour, and of highlighting; 0 is its field's. */
enum { INK_COLOUR = 0x07, INK_HIGHLIGHT = 0x38, INK_SHIFT = 3 };

struct display {
    u32 rows, columns;
    bool colours, whole;        /* it has colours; all of it is to be written */
    bool alarm, compress;       /* the alarm is to be sounded; few bytes rather than few instructions */
    bool full_read;             /* SET FULLREAD ON: the whole buffer is read, with its nulls, and after PA keys */
    char *cell, *old_cell;      /* what is to be shown, what is */
    u8 *look, *old_look;        /* 0, or where a field begins: 1 + index of its look */
    u8 *ink, *old_ink;          /* NULL, or of each character, if it does not look as its field */
    const struct look *looks;
    u8 *stream, shown_as[256];  /* what is shown for each character: SET NONDISP, FILLER */
    char filler, nondisplay;    /* as of that table */
    char substitute;            /* what is sent for what a display does not have */
    u8 sent_as[256], sent_nondisplay;   /* what is sent for each: no orders */
    u32 room, cursor;
    u8 aid;
};

/* Orders and a bit of a field's attribute, which are in what a display sends as well. */
enum { GE = 0x08, SBA = 0x11, SF = 0x1d, ATTRIBUTE_MODIFIED = 0x01 };
enum { AID_ENTER = 0x7d, AID_CLEAR = 0x6d, AID_PA1 = 0x6c, AID_PA2 = 0x6e, AID_PA3 = 0x6b };

/* Fields that were modified, as a display sends them. */
struct inbound { const u8 *at, *end; };
enum { INBOUND_FIELDS = 3 };    /* in front of them: the attention identifier and the cursor's address */

/* display.c */
bool display_begin(struct display *display);             /* false: the user is at none, or there is no storage */
bool display_begin_inked(struct display *display);       /* the same; characters may have looks of their own */
void display_end(struct display *display);
void display_write(struct display *display);
bool display_read(struct display *display, u32 *length);
void display_belongs_to(const void *owner);
bool display_is_shown(const void *owner);
u32 address_of(const u8 *from);
u8 *display_address(const struct display *display, u8 *to, u8 order, u32 cell);   /* what follows it */
bool display_field(const struct display *display, struct inbound *input, u32 *cell, const char **text, u32 *length);
void display_touched(struct display *display, u32 cell, u32 length);
u32 display_key(u8 aid);                                 /* which PF key; 0: none */

/* fullread.c */
int display_whole(struct display *display, u8 cursor[2], u8 *to);
bool display_changed(struct display *display);           /* whether anything was typed, whatever the key */

/* setscreen.c */
void look_text(char text[64], const struct look *look);

/* screen.c */
void text_translate(char *text, u32 length, const u8 *table);

#endif
