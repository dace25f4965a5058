/*
 * XEDIT: the editor ("VM/ESA XEDIT Command and Macro Reference", "User's Guide").
 *
 * Files in a ring, each with its lines in storage (text.c) and at least one view, which is what a logical screen shows:
 * the current line, the column pointer, and settings. A transaction is what the user has typed and the key that ended
 * it (transaction.c): lines that were typed over, prefix subcommands, the command line. Subcommands are a table that
 * help/xedit.txt describes (subcommand.c), options of SET another (option.c).
 *
 * All of it lies in storage of the system's, one struct editor, which goes when the last file of the ring has gone, or
 * when an abend has ended the command.
 */
#ifndef XEDIT_H
#define XEDIT_H

#include "../command/command.h"
#include "display.h"

enum {
    WIDTH_MOST = 65535,
    STOPS_MOST = 28,
    PAIRS_MOST = 14,
    COMMAND_MOST = 256,
    KEYS_MOST = 24,
    POINT_MOST = 8,
    FILES_MOST = 99,
    REMEMBERED = 8,
    SCREENS_MOST = 9,
    LEVEL_MOST = 255,
    PLACES_MOST = 8,
};

/* Return codes of subcommands. */
enum {
    XE_EDGE = 1,
    XE_MISSING = 2,
    XE_TRUNCATED = 3,
    XE_NONE = 4,
    XE_OPERAND = 5,
    XE_OVER = 6,
    XE_ROOM = 8,
    XE_CHANGED = 12,
    XE_UNKNOWN = -1,
};

/* text.c: lines in storage. They lie one after the other in chunks; a line's trailing blanks are not kept. */
struct row { u16 length; u8 flags, level; char text[]; };
enum { ROW_CHANGED = 1, ROW_NEW = 2 };
struct chunk { struct chunk *next, *before; u32 lines, used, room; char bytes[]; };
struct text {
    struct chunk *first, *last;
    u32 lines;
    struct chunk *at;           /* where line `line` is, at `offset`; `begins` is the chunk's first. NULL: not known */
    u32 begins, line, offset;
};
struct row *text_row(struct text *text, u32 number);     /* of a line that there is, from 1 on */
bool text_insert(struct text *text, u32 after, const char *from, u32 length, u8 flags, u8 level);
bool text_append(struct text *text, const char *from, u32 length);
bool text_replace(struct text *text, u32 number, const char *from, u32 length);
void text_delete(struct text *text, u32 number);
void text_free(struct text *text);

/* Columns from..to of a line, as characters or as hexadecimal digits. */
struct pair { u32 from, to; bool hex; };

enum stay { SPILL_OFF, SPILL_ON, SPILL_WORD };
enum where { LINE_OFF, LINE_ON, LINE_TOP, LINE_BOTTOM };
enum prefix { PREFIX_OFF, PREFIX_ON, PREFIX_NULLS };
enum image { IMAGE_OFF, IMAGE_ON, IMAGE_CANON };

/* A row of a screen: n, -n from below, M, M+n. */
struct position { bool middle; int n; };

/* What SET changes of a view. PRESERVE keeps it. */
struct settings_of_view {
    bool arbitrary, hex, varblank, stay, stream, wrap, shadow, tofeof, nulls, number, macro, impcmscp, colptr,
        uppercase, ignore, span, span_blank, messages, message_long, overlay, ranged, scope_all, verify, prefix_right,
        scale, tabline, message_line;
    char arbchar, filler;
    enum stay spill;
    enum image image;
    enum prefix prefix;
    enum where cmdline;
    u32 span_lines, zone_left, zone_right, display_low, display_high, range_first, range_last, message_rows;
    struct position curline, scale_at, tabline_at, message_at;
    u32 stop[STOPS_MOST], stops;
    struct pair pair[PAIRS_MOST];
    u32 pairs;
    int shift;                  /* VERSHIFT */
    char mask[COMMAND_MOST];
    u32 mask_length;
};

/* And of a file. */
struct settings_of_file {
    char recfm;                 /* F or V */
    bool packed, serial, serial_all;
    u32 lrecl, truncation, width, serial_increment, serial_start, autosave;
    char serial_id[3], autosave_mode;
    struct fileid id;
};

/* What waits in the prefix area (prefix.c). */
struct pending {
    struct pending *next;       /* in the order of lines */
    u32 line, hidden;           /* `hidden`: of a shadow line, how many lines it stands for */
    char name[8], old[8], text[8];      /* the subcommand, upper case; as it was called; what was typed */
    u32 length, count;          /* of `text`; the operand, 0: none */
    char sign;                  /* of the operand: + - or * */
    bool wrong, done;           /* the editor does not know it; it was performed */
    bool held, half;            /* a macro has it wait; as half of a block */
};

/* A line with a name. */
struct point { struct point *next; u32 line; char name[POINT_MOST]; };

/* SET RESERVED (reserved.c). */
struct reserved { struct reserved *next; struct position at; u32 look, length; char text[]; };

struct view {
    struct view *next;          /* of the same file */
    struct file *file;
    struct settings_of_view s;
    u32 current, column;
    bool input, power;          /* input mode; as power input */
    u32 input_cursor;           /* the row of it that the cursor is to be in */
    struct reserved *reserved;
    struct preserved *preserved;
    u32 extended;               /* the line that prefix E has extended */
    u32 structured;             /* the line that structured input is in, 0: none */
    u32 scale_line, tab_line;   /* lines that show the scale, the tab line; 0: none */
    u32 found_line, found_from, found_to;   /* TARGET: the last string that was found */
};

/* The options UPDATE, CTL and their kin (updmode.c). */
struct update_mode {
    int on, control, five, merge;   /* `five`: sequence numbers are in columns 76 to 80 */
    u32 increment;
    name control_fn, until, sidcode;
    struct fileid id;           /* the update file that is written */
    struct text base;           /* the lines that it changes */
};

struct preserved { struct settings_of_view view; struct settings_of_file file; };

/* A key's subcommand, and when it is performed; `own`: the text is the key's. Keys belong to a file of the ring. */
enum when { KEY_BEFORE, KEY_AFTER, KEY_ONLY, KEY_IGNORE };
struct key { u8 when; bool own; u16 length; const char *text; };
struct keys { struct key pf[KEYS_MOST + 1], pa[4], enter; };

struct file {
    struct file *next, *before; /* the ring */
    struct keys keys;
    struct text text, deleted;  /* its lines; those that RECOVER brings back */
    struct settings_of_file s;
    struct view *view;
    struct point *points;
    struct pending *pending;
    struct list *list;          /* list.h; NULL: it is none */
    name peeked;                /* the reader file that it shows; X'00': none */
    bool browsed;               /* it cannot be changed */
    u32 alterations, since_autosave;        /* since SAVE, since AUTOSAVE */
    u32 autosave_number;
    bool loaded, failed, fresh, acted, read_only, levels;   /* `fresh`: not on disk; `levels`: of some lines, not 0 */
    u8 entry[FST_LENGTH];       /* its entry in the directory, as it was read or written */
    name member;                /* which member of which library it is from; blank: of none */
    struct fileid library;
    struct update_mode update;  /* of a source that is changed by an update file */
};

/* Colours and highlighting of 3270 fields. */
enum area {
    AREA_ARROW,
    AREA_CMDLINE,
    AREA_CURLINE,
    AREA_FILEAREA,
    AREA_IDLINE,
    AREA_MSGLINE,
    AREA_PENDING,
    AREA_PREFIX,
    AREA_SCALE,
    AREA_SHADOW,
    AREA_STATAREA,
    AREA_TABLINE,
    AREA_TOFEOF,
    AREAS,
};

/* CTLCHAR: a character that begins a field after the escape character, and how that looks. */
enum { CONTROLS_MOST = 16 };
struct control { char c; bool writable; u8 look; };

/* SYNONYM. */
struct synonym {
    struct synonym *next;
    char name[8];
    u32 least, length, formals; /* `formals` operands, whose kinds follow the text */
    char linend, text[];        /* `linend`: what ends subcommands in the text, 0: nothing does */
};

/* A logical screen: which rows and columns of the display it has, and what its rows show. */
enum row_kind {
    SHOW_NOTHING,
    SHOW_IDLINE,
    SHOW_MESSAGE,
    SHOW_LINE,
    SHOW_SHADOW,
    SHOW_SCALE,
    SHOW_TABLINE,
    SHOW_COMMAND,
    SHOW_STATUS,
    SHOW_RESERVED,
    SHOW_INPUT,
};
struct shown { u8 kind; u32 line, count, offset; struct reserved *reserved; };
enum { ROWS_MOST = 255 };
struct logical { u32 top, left, lines, width; struct view *view; struct shown *row; };

/* A message that is to be shown (note.c). */
struct note { struct note *next; u32 length; char text[]; };

struct editor {
    struct file *ring;          /* the current file */
    struct view *view;          /* the current one of its views */
    u32 files, serial;          /* of files in the ring; of autosaved files */
    u32 session;                /* which one of stages of pipelines it is, 0: of none (stage.c) */
    struct display display;
    struct logical logical[SCREENS_MOST];
    u32 screens, active;        /* the logical screen that has the cursor */
    bool typewriter, linend_on, synonyms_on, over, typed;
    bool stale;                 /* the screen may show something that has changed since it was laid out */
    char linend, nondisplay;
    struct look looks[LOOKS_MOST];
    u32 look_count;             /* of areas, then of reserved lines */
    struct control control[CONTROLS_MOST];
    u32 controls;
    char control_escape;        /* 0: there is none */
    bool translates, apl, text, remote, escapes, break_on;   /* SET TRANSLAT, APL, TEXT, REMOTE, ESCAPE, BRKKEY */
    bool full_read;             /* SET FULLREAD */
    u8 translation[256];
    char escape, break_key[8];
    u32 field_row, field_column;    /* where what READ is told was typed */
    struct synonym *synonyms, *prefixes;
    struct put *put;            /* what PUT keeps for GET (files.c) */
    u32 confirm;                /* the PF key that performs SCHANGE's change, 0: none */
    bool reading;               /* a macro's READ waits */
    char command[COMMAND_MOST], next_command[COMMAND_MOST];   /* what the command line is to show */
    u32 command_length, next_length;
    char last[COMMAND_MOST];    /* for = */
    u32 last_length;
    char macros_last[COMMAND_MOST];   /* what a macro has said last, for its REPEAT */
    u32 macros_last_length;
    char remembered[REMEMBERED][COMMAND_MOST];
    u32 remembered_length[REMEMBERED], remembered_count, recalled;
    char lastlorc[COMMAND_MOST], last_change[COMMAND_MOST];
    u32 lastlorc_length, last_change_length;
    char lastmsg[COMMAND_MOST];
    u32 lastmsg_length;
    struct note *notes;         /* messages that are to be shown */
    u32 cursor_priority, cursor_row, cursor_column;   /* where CURSOR has put it, from 1 on; row 0: it has not */
    u32 place_at[PLACES_MOST], places;  /* of SOS PUSH: cells */
    u32 home_row, home_column;  /* the place that CURSOR HOME goes back to */
    u32 key_row, key_column;    /* where it was when the key was pressed */
    struct shown key_shown;     /* what its row showed then, or SHOW_NOTHING; its line's number follows it */
    u32 deep, macros;           /* subcommands and macros that call one another */
    char *work, *other;         /* two lines of the greatest width */
    u32 work_room;
    bool in_profile;
    struct capture capture;
    struct command_place *place;
};
extern struct editor *editor;   /* ring.c; NULL: XEDIT is not active */

/* words.c: what follows a subcommand's name. */
struct words { const char *at, *end; };
void past_blanks(struct words *words);
bool take_word(struct words *words, const char **word, u32 *length);
bool word_means(const char *word, u32 length, const char *full, u32 least); /* abbreviated to no less, in either case */
bool words_left(struct words *words);
bool number_word(const char *word, u32 length, u32 *value);
bool signed_word(const char *word, u32 length, int *value);
int no_words_left(struct words *words);                  /* 0, or the message and XE_OPERAND */
int bad_operand(const char *word, u32 length);
int bad_number(const char *word, u32 length);
int missing_operand(void);
int switch_word(struct words *words, bool *value);       /* ON or OFF */
void text_operand(struct words *words);                  /* one blank is dropped */
u32 letters(const char *text, u32 length);               /* how many it begins with */
enum { KIND_SPECIAL, KIND_BLANK, KIND_LETTER, KIND_DIGIT };
extern const u8 kind_of[256];
static inline bool is_special(char c) { return kind_of[(u8)c] == KIND_SPECIAL; }

/* lines.c: changes of a file's lines, and what follows from them. */
u32 first_line(const struct view *view);                 /* of the range */
u32 last_line(const struct view *view);
u32 top_line(const struct view *view);                   /* Top of File, or of the range */
u32 end_line(const struct view *view);
u32 size_of(const struct view *view);
bool is_line(const struct view *view, u32 line);         /* neither Top nor End of File */
struct row *line_row(struct view *view, u32 line);
bool line_shown(struct view *view, u32 line);            /* as SET DISPLAY says */
bool line_in_scope(struct view *view, u32 line);
u32 line_after(struct view *view, u32 line);             /* the next in scope, or the end */
u32 line_before(struct view *view, u32 line);
u32 move_lines(struct view *view, u32 first, u32 last, u32 to, u32 *moved);   /* linecmd.c */
u32 copy_lines(struct view *view, u32 first, u32 last, u32 after, u32 *made);   /* linecmd.c */
u32 add_line(struct view *view, u32 after, const char *from, u32 length);   /* 0, or a return code */
u32 set_line(struct view *view, u32 line, const char *from, u32 length);
int store_line(struct view *view, u32 line, char *from, u32 length);   /* SPILL and TRUNC: XE_TRUNCATED */
int store_new(struct view *view, u32 *after, char *from, u32 length);
void delete_lines(struct view *view, u32 first, u32 count, bool recover);
void altered(struct view *view);
int no_room(void);
char *line_copy(struct view *view, u32 line, u32 *length);   /* in editor->work, blanks up to the width */
struct point *point_named(struct file *file, const char *name, u32 length);
struct point *point_at(struct file *file, u32 line);
bool point_add(struct file *file, u32 line, const char *name, u32 length);
void point_drop(struct file *file, const char *name, u32 length);

/* match.c: strings in lines. */
enum { PIECES_MOST = 8, TERMS_MOST = 8 };
struct pattern { char text[COMMAND_MOST]; u32 length; bool plain; };
bool make_pattern(struct view *view, const char *text, u32 length, struct pattern *pattern);
bool match_in(struct view *view, const struct pattern *pattern, const char *text, u32 from, u32 to, u32 *at,
              u32 *length);
bool match_back(struct view *view, const struct pattern *pattern, const char *text, u32 from, u32 to, u32 *at,
                u32 *length);
bool match_at(struct view *view, const struct pattern *pattern, const char *text, u32 from, u32 to, u32 *length);

/* target.c */
enum target_kind { TARGET_LINE, TARGET_RELATIVE, TARGET_NAME, TARGET_STRING };
struct term { const char *text; u32 length; bool absent; char joined; };   /* `joined` with the one before: & or | */
struct target {
    enum target_kind kind;
    bool up, all, beyond;       /* `beyond`: there are fewer lines than were asked for */
    u32 number;
    const char *name;
    u32 length;
    struct term term[TERMS_MOST];
    u32 terms;
};
enum found { FOUND, FOUND_EDGE, FOUND_NOT, FOUND_WRAPPED };
bool parse_target(struct words *words, struct target *target, bool any_delimiter);
enum found target_line(struct view *view, struct target *target, u32 from, u32 *line);
int target_failed(const struct target *target);           /* says so; XE_MISSING */
struct range { u32 first, last; bool up, edge; };
int range_operand(struct view *view, struct words *words, bool optional, struct range *range);
void pass_range(struct view *view, const struct range *range);
int parse_string(struct words *words, const char **text, u32 *length);   /* /text/ */

/* synonym.c */
const struct synonym *own_synonym(const char *text, u32 length, char to[COMMAND_MOST], u32 *to_length);

/* subcommand.c */
typedef int subcommand_function(struct view *view, struct words *words);
const char *subcommand_name(const char *word, u32 length);   /* the full one; NULL: there is none */
int execute(const char *text, u32 length);               /* as if typed, without LINEND */
int execute_line(const char *text, u32 length);          /* as typed */
int execute_several(const char *text, u32 length, bool keep);
int execute_command(const char *text, u32 length);       /* COMMAND: neither synonyms nor macros */

/* option.c: what SET sets, and QUERY, EXTRACT, TRANSFER and MODIFY tell. */
struct asked {
    struct words words;         /* operands: of EXTRACT /POINT */
    void (*take)(struct asked *asked, const char *text, u32 length);
    char name[16];              /* of what the values are; PF5 */
    u32 number;                 /* of a name like PF5; 0: none */
    bool list;                  /* each value is one of many: QUERY has a line for each */
    bool rows;                  /* TRANSFER: positions are rows of the screen */
    u32 count;
    char line[COMMAND_MOST];    /* of QUERY */
    u32 length;
};
typedef int set_function(struct view *view, struct words *words);
typedef void values_function(struct view *view, struct asked *asked);
void give(struct asked *asked, const char *how, ...);
void give_text(struct asked *asked, const char *text, u32 length);
void give_switch(struct asked *asked, bool value);
bool option_line(struct view *view, u32 *n, bool as_set, char line[COMMAND_MOST], u32 *length);
bool is_option(const char *word, u32 length);
int set_option(struct view *view, struct words *words);
int set_switch(struct words *words, bool *value, char *character);   /* ON|OFF [c] */
int set_number(struct words *words, u32 *value, u32 least, u32 most);
int choose(struct words *words, const char *const *words_known, const u8 *least, u32 count, u32 *which);
int character_word(struct words *words, char *c);

/* note.c: the message area. */
void notes_begin(void);
void notes_end(void);
bool notes_pause(void);
void notes_resume(bool were);
void notes_clear(void);
void note_text(const char *text, u32 length);

/* load.c */
int open_file(struct words *words);                      /* the operands of XEDIT */
int load_file_of(struct view *view, struct words *words);
int insert_file(struct view *view, const struct fileid *id, u32 first, u32 count, u32 *after);

/* packed.c */
struct packed_output { struct edf_file *file; u32 number, used; char record[1024]; };
bool packed_file(struct edf_file *file, u8 *recfm, u32 *lrecl, u32 *records);
int packed_read(struct text *to, struct edf_file *file, u32 records);
int packed_begin(struct packed_output *out, struct edf_file *file, u8 recfm, u32 lrecl, u32 records);
int packed_record(struct packed_output *out, const char *record, u32 length);
int packed_end(struct packed_output *out);

/* updmode.c */
int update_read(struct view *view);
int update_write(struct view *view, struct open_file *file);   /* an EDF error */

/* filetype.c */
void defaults_of(struct file *file, struct view *view);

/* save.c */
void put_forget(void);
void autosave(struct view *view);
void autosave_gone(struct file *file);

/* ring.c */
bool session_begin(void);
void session_run(void);                                  /* until the last file is left; the editor is no more then */
bool screens_split(u32 count, const struct logical *part);
void leave_file(struct file *file);
struct file *new_file_in_ring(const struct fileid *id);
bool file_in_ring(const struct file *file);
void make_current(struct file *file);
bool work_lines(u32 width);                              /* room for lines of that width; false: there is none */

/* macro.c */
int run_macro(const char *name, u32 length, const char *arguments, u32 arguments_length, bool *found);
int run_cms(const char *text, u32 length, u8 type);

/* prefix.c: `old` is what the prefix area showed, `text` what is there now. */
void prefix_typed(struct view *view, const struct shown *shown, const char *old, const char *text, u32 length);
void prefix_execute(struct view *view);
struct pending *pending_at(struct file *file, u32 line);
struct pending *pending_waiting(struct file *file);
void pending_clear(struct file *file);
void pending_moved(struct file *file, u32 line, int by);
void pending_dropped(struct file *file, u32 line);
void structured_line(struct view *view, u32 line);       /* prefixcmd.c */
void structured_next(struct view *view);                 /* prefixcmd.c */
void prefix_settle(struct view *view);                   /* prefixcmd.c */
void prefix_delete(struct view *view, u32 first, u32 count);   /* prefixcmd.c */
void prefix_exclude(struct view *view, u32 first, u32 last);   /* prefixcmd.c */
bool prefix_run(struct view *view,
                struct pending *pending); /* prefixcmd.c: one that needs no other; false: not known */

int shift_lines(struct view *view, u32 first, u32 last, bool right, u32 by);   /* change.c */
u32 expand_tabs(struct view *view, char *line, u32 length, u32 by);   /* change.c */
void fold_text(const struct view *view, char *text, u32 length);   /* change.c: SET CASE */
u32 typed_text(struct view *view, char *to, const char *from, u32 length);   /* change.c */

/* keys.c */
void keys_begin(struct keys *keys);
void keys_end(struct keys *keys);
bool key_set(struct key *key, enum when when, const char *text, u32 length);
int key_operand(struct key *key, struct words *words);
const char *key_order(const struct key *key);

/* screen.c */
void lay_out(struct logical *logical);
u32 data_width(const struct view *view, u32 width);
u32 rows_for(const struct logical *logical);             /* of lines of the file */
bool screens_define(u32 count, const struct logical *part);
u32 id_line(const struct view *view, char *line, u32 room);
u32 row_at(const struct position *position, u32 lines);  /* from 0 on */
void show_screens(void);
u32 rows_of_note(const struct note *note, u32 width);
u32 line_image(struct view *view, const struct row *row, char *to, u32 room);
u32 image_width(const struct view *view);
u32 image_column(const struct view *view, u32 at, bool *hex);   /* the column that is there in the image, 0: none */
u32 image_place(const struct view *view, u32 column);    /* where it is in the image, from 0 on; image_width: nowhere */

/* typewriter.c */
void typewriter_session(void);

/* transaction.c */
void transactions(void);
u32 status_text(const struct logical *logical, char line[32]);
int input_mode(struct view *view);
u32 read_transaction(void (*each)(void *with, const struct shown *shown, struct view *view, bool prefix,
                                  const char *text, u32 length),
                     void *with, bool change);
void show_now(void);
void editor_write(void);                                 /* the display, as it is laid out */

/* pointer.c: rows of the display, from 1 on; 0: not shown. */
u32 row_of_line(struct view *view, u32 line, u32 *column);
u32 command_row(struct view *view, u32 *column);

/* setscreen.c: the number of a look like this one */
u32 look_number(const struct look *look);
void look_words(struct words *words, struct look *look);

/* setterm.c */
const struct control *control_of(char c);

/* schange.c */
void schange_confirm(struct view *view);

/* peek.c */
bool browse_refuses(const char *subcommand);

/* columns.c */
bool cursor_in_file(struct view *view, u32 *line, u32 *column);
bool place_in_file(struct view *view, u32 row, u32 at, u32 *line, u32 *column);

#endif
