/*
 * DDR: disks dumped to tapes, restored, copied and shown. What its parts know of one another.
 *
 * One program in two forms: DDR MODULE runs under CMS (cms.c), and the cards of IPL DDR in any machine of the XA, ESA
 * and XC kind that has a card reader or a tape to IPL from (bare.c). The rest is the same in both. A function moves
 * tracks from where they are read (a disk or a dump) to where they are written (volume.c, dump.c); move.c leads it.
 */
#ifndef DDR_H
#define DDR_H

#include "../lib/text.h"
#include <stdarg.h>
#include <string.h>

/* cms.c, bare.c: what the surroundings do. */
struct ccw { u8 command, flags; u16 count; u32 address; };
enum { CHAIN_DATA = 0x80, CHAIN = 0x40, SLI = 0x20, SKIP = 0x10 };
enum io { IO_DONE = 0, IO_ABSENT, IO_EXCEPTION, IO_CHECK, IO_ERROR };
/* A channel program of format-1 CCWs, until it has ended. `left` is the residual count of the last one. */
enum io host_io(u16 device, struct ccw *program, u32 *left);
extern u8 host_sense[32];                                /* volume.c: of the last IO_CHECK */
void host_type(const char *text, u32 length);
bool host_read(char line[80], u32 *length);              /* the next statement or answer; false: there is none */
void host_release(u16 device);                           /* its contents are about to change */
void host_print(u16 device, const char *text, u32 length);   /* a line */
void host_print_end(u16 device);                         /* what was printed is complete */
void host_wait(void);                                    /* a second passes, or a device presents something */
bool host_echoes(void);                                  /* statements come from a file or from cards */

/* say.c: lines, and messages by their numbers (help/ddrmsgs.txt). */
void say(const char *how, ...);
void complain(u32 number, char severity, ...);
void complain_list(u32 number, char severity, va_list list);
bool asks(void);                                         /* PROMPTS ON */
void set_asks(bool ask);
enum { MESSAGE_SECOND = 0x10000 };                       /* with a number that has two texts: the second */
enum answer { ANSWER_NO, ANSWER_YES, ANSWER_REREAD };
enum answer question(u32 number, const char *answers, ...);

/* statement.c: a statement's words. */
enum { WORD_MOST = 12, WORDS_MOST = 32, COLUMNS = 71 };
struct statement { char word[WORDS_MOST][WORD_MOST + 1]; u32 count, at; };
bool statement_read(struct statement *s, const char *prompt);   /* false: a null line, or nothing comes any more */
bool statement_more(const struct statement *s);
const char *statement_word(struct statement *s);
bool word_is(const char *word, const char *keyword, u32 least);
bool word_number(const char *word, u32 most, u32 *value);

/* volume.c: disks, track by track. */
enum { RECORDS_MOST = 256, TRACK_MOST = 65536, RECORD_0 = 16, COUNT = 8, LABEL_RECORD = 3 };
struct track {
    u32 cylinder, head, records, length;
    u8 record_0[RECORD_0];                               /* count and data of record 0 */
    u8 count[RECORDS_MOST][COUNT];
    u8 data[TRACK_MOST];                                 /* keys and data, one after another */
};
struct volume {
    u16 device, type;                                    /* X'3390'; of tapes as it was stated */
    bool tape, scratch, defined;
    char id[7];                                          /* as it was stated; empty: it was not */
    u32 cylinders, heads;                                /* of a disk */
    u16 alternate;                                       /* of a tape: the other drive; 0: there is none */
    u16 first;                                           /* the drive that a function began with */
    u32 skip;
    u8 mode;                                             /* a mode set command, 0: none */
    enum { TAPE_LEAVE, TAPE_REWIND, TAPE_UNLOAD } after;
};
bool volume_define(struct volume *volume, struct statement *s);
bool disk_is_there(struct volume *volume);
bool track_read(struct volume *volume, u32 cylinder, u32 head, struct track *track);
bool track_write(struct volume *volume, struct track *track, u32 cylinder);
bool volume_label(struct volume *volume, struct track *track, char id[7]);
void io_failed(u16 device, enum io how, u32 cylinder, u32 head);
u32 key_length(const u8 *count);
u32 data_length(const u8 *count);

/* dump.c: tapes as the DUMP function writes them. */
struct header {
    u8 id[4], unused_bin[2], cylinder[2], head[2], unused[6], clock[8], records[2], last_cylinder[2], last_head[2],
        volume[6], blank[44];
};
struct dump { struct volume *tape; struct header header; bool begun, full; u32 length; u8 buffer[4096]; };
enum got { GOT_TRACK, GOT_END, GOT_ERROR };
bool tape_ready(struct volume *tape);
void tape_after(struct volume *tape);
bool dump_begin(struct dump *dump, const struct volume *from, const char id[7]);
bool dump_track(struct dump *dump, const struct track *track);
bool dump_end(struct dump *dump);
bool dump_open(struct dump *dump);                       /* reads the header */
enum got dump_next(struct dump *dump, struct track *track);

/* move.c */
struct extent { u32 first, last, to; };
enum { EXTENTS_MOST = 20 };
struct job {
    struct volume in, out;
    u16 printer;
    bool on_console;                                     /* SYSPRINT CONS */
    struct dump source, sink;
    struct track track;
    struct extent extent[EXTENTS_MOST];
    u32 extents;
};
bool move_function(struct job *job, struct statement *s, bool *again);

/* show.c */
bool show_function(struct job *job, struct statement *s, bool print);

/* main.c */
void ddr_begin(void);                                    /* says what it is */
int ddr(struct job *job);

#endif
