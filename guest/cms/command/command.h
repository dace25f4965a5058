/* The commands: each is a function of a C file that help/cms.txt names; table.c says what they are called. */
#ifndef COMMAND_H
#define COMMAND_H

#include "../nucleus/cms.h"

static inline bool is_letter(char c)
{
    return (c >= 'A' && c <= 'I') || (c >= 'J' && c <= 'R') || (c >= 'S' && c <= 'Z');
}

/* When and of what an entry is (listfile.c); two digits each. */
struct stamp { u32 year, month, day, hour, minute, second; };
void stamp_of(const u8 *fst, struct stamp *stamp);

/* A file read from front to back (records.c). */
struct reader { struct open_file *file; struct fileid id; u32 number, last; char *record; u32 length, room; };
int reader_open(const char *module, struct reader *reader, const struct fileid *id);
bool reader_next(const char *module, struct reader *reader, int *code);
int reader_member(const char *module, struct reader *reader, const name wanted);
void reader_close(struct reader *reader);

/* Where what is made of a file on this disk goes (update.c). */
char output_mode(const struct disk *disk);

/* A record that is made: its place grows with it. */
struct place { char *at; u32 room; };

/* records.c */
char *make_room(struct place *place, u32 length);        /* for so many bytes; what is there stays */

/* Unit record devices (unit.c): cards and lines; 0, or what was wrong. */
enum { PUNCH_UNIT = 0x00d, PRINT_UNIT = 0x00e, READER_UNIT = 0x00c };
int unit_write(u16 vdev, u8 command, const char *text, u32 length);
int unit_read(u16 vdev, char card[80], u32 *length);     /* 2: end of file */
int print_controlled(const char *text, u32 length);      /* print.c: a line whose first character is ASA's */
void unit_close(u16 vdev, const char *how, const struct fileid *id);

/* Tapes (tape.c): units 0 to F are TAP0 to TAPF, the devices 180 to 187 and 288 to 28F. */
enum tape_end { TAPE_DONE, TAPE_MARK, TAPE_VOID, TAPE_BEGINNING, TAPE_PROTECTED, TAPE_NOT_READY, TAPE_ABSENT,
                TAPE_ERROR };
enum { TAPE_WRITE = 0x01, TAPE_READ = 0x02, TAPE_REWIND = 0x07, TAPE_WRITE_MARK = 0x1f, TAPE_FORWARD_FILE = 0x3f };
u16 tape_device(u32 unit);
enum tape_end tape_io(u16 vdev, u8 command, void *data, u32 *length);
int tape_problem(const char *module, u32 unit, enum tape_end end, bool writing);

/* tapelabel.c */
int tape_show_label(u32 unit);
int tape_write_label(u32 unit, const name volid, const name owner);

/* Files as rows of blocks, their names last (dump.c). `block` has room for DUMP_HEAD and `size` bytes. */
enum { DUMP_HEAD = 5 };
struct dump { u32 size, used; u8 *block; int (*write)(void *with, u8 *block, u32 length); void *with; };
struct kept { struct open_file *file; u32 blocks, size, at; u8 *block; u32 held; };
int dump_out(const char *module, struct dump *dump, struct fileid *id);
bool dump_is(const u8 *block, u32 length);
bool dump_end(const u8 *block, u32 length, u8 fst[FST_LENGTH], struct fileid *id);
int dump_keep(const char *module, struct kept *kept, const void *from, u32 length, char mode);
int dump_store(const char *module, struct kept *kept, const u8 *fst, const struct fileid *id);
void dump_forget(struct kept *kept);
int give_stamp(const struct fileid *id, u8 flags, const u8 stamp[6]);

/* DISK DUMP's cards (disk.c). */
struct unloaded { struct kept kept; u8 fst[FST_LENGTH]; struct fileid id; };
int cards_out(const char *module, struct fileid *id);
bool card_is_dumped(const char card[80]);
int cards_in(const char *module, char card[80], struct unloaded *to);

/* FULLPROMPT and MINPROMPT (prompt.c). */
enum prompting { PROMPT_NONE, PROMPT_OTHERS, PROMPT_ALL };
#define PROMPT_OPTIONS(which) \
    FLAG("FULLPROMPT", 5, which, PROMPT_ALL), FLAG("MINPROMPT", 4, which, PROMPT_OTHERS), \
    FLAG("NOPROMPT", 4, which, PROMPT_NONE)
enum reply { REPLY_NO, REPLY_YES, REPLY_QUIT };
enum reply ask_receive(const char *module, struct fileid *id);

/* A file of the reader, as CP's QUERY tells of it (sendfile.c): the first that is not held, or that of this number. */
struct spooled { name origin, number, fn, ft; u32 records; bool held; };

/* The reader file that the editor's current file shows; that it is gone (xedit/peek.c). */
bool peeked(name number);
void peek_over(const name number);

/* A command of a row of such a list is performed (xedit/execute.c). */
bool in_list_of(const char *type);
bool editor_is_there(void);

/* CSLLIST on a screen (xedit/maclist.c). */
int list_routines(const name pattern);

/* receive.c */
bool find_spooled(const name wanted, struct spooled *found);
void put_back(const struct spooled *spooled);            /* what could not be read stays in the reader */

/* What SENDFILE and RECEIVE have in common (sendfile.c). */
struct recipient;
void netlog(const char *line, u32 length);
void log_line(const struct fileid *id, const char *line, u32 length);
u32 on_date(char *to, u32 room);
int quietly(const char *line, u32 length);
int close_punch(const struct recipient *to, const name class, const name fn, const name ft);

/* Why ACCESS did not (access.c); the return code. */
bool unsupported_device(u16 vdev);
int access_failed(int error, u16 vdev, char mode);

/*
 * Disks of OS and DOS (listds.c). `error` is why the disk is none of CMS's, and still is if it is none of theirs. The
 * status is R/W or R/O, and whose disk it is.
 */
int volume_access(u16 vdev, char mode, char extends, int error, struct disk **found);
const char *volume_status(const struct disk *disk);
enum { VOLUME_SYSTEM = 6 };         /* where in its status the name of the system begins */

/* What a query answers: typed, or stacked (answer.c). */
enum disposition { TO_TERMINAL, TO_STACK_FIFO, TO_STACK_LIFO };
#define STACK_OPTIONS(where) FLAG("STACK", 5, where, TO_STACK_FIFO), FLAG("FIFO", 4, where, TO_STACK_FIFO), \
    FLAG("LIFO", 4, where, TO_STACK_LIFO)
void answer_to(int disposition);
void answer(const char *how, ...);

/* The commands, from help/cms.txt, which has their C files. */
#define COMMAND(name, least, function, syntax, purpose) command_function function;
#include "commands.h"
#undef COMMAND

/*
 * What a stage of a pipeline is for, `*`: all; false: there is none of that name. The text of a message of pipelines;
 * NULL: there is none (pipe.c).
 */
bool help_of_stage(const char *verb, u32 length);
const char *text_of_pipes(u32 number);

/* The full name of a subcommand of XEDIT, or of an option of SET; NULL: there is none (xedit/option.c). */
const char *xedit_name(const char *word, u32 length, bool option);

/* Where this machine is (identify.c). */
void node_of(name node);

/* The user that a nickname stands for (names.c). */
enum { RECIPIENTS_MOST = 200 };
struct recipient { name userid, node; };
bool recipients(const name who, struct recipient *list, u32 *count);
bool nickname_says(const name file, const name nick, const char *tag, char *value, u32 room, u32 *length);

/* Files between users as segments of bytes on cards (netdata.c). */
struct netdata_file {
    name fn, ft;
    char mode_number, recfm;
    u32 lrecl, records;
    name userid, node;
    u8 stamp[7];
    bool note, acknowledge;             /* it is a note; its sender wants to know that it was received */
    bool acknowledged, discarded;       /* no file, but the answer to that */
};
struct sender { char card[80]; u32 used; int bad; };
void netdata_begin(struct sender *sender, const struct netdata_file *file, const struct recipient *to);
void netdata_record(struct sender *sender, const void *record, u32 length);
int netdata_end(struct sender *sender);
int netdata_acknowledge(struct sender *sender, const struct netdata_file *file, const struct recipient *to);
void netdata_unknown(struct netdata_file *file);
/*
 * `cards`: how many have been read, with the first, which is the caller's; `most`: how many there are. The end of the
 * file is not read where more is wanted, or CP would be done with the file.
 */
struct receiver { char card[80]; u32 at, length, cards, most; bool ended, bad; };
bool netdata_is(const char card[80]);
bool netdata_header(struct receiver *receiver, struct netdata_file *file);
bool netdata_next(struct receiver *receiver, struct place *record, u32 *length);

/* SET's switches, which QUERY shows (set.c). */
struct setting { const char *word; u32 least; bool *value; const char *yes, *no; };
extern const struct setting switches[];
extern const u32 switch_count;

/* GLOBALV's variables (globalv.c). */
bool globalv_value(const name group, const char *text, u32 length, const char **value, u32 *value_length);
int globalv_lasting(const name group, const char *text, u32 length, const char *value, u32 value_length);

/* Options that DEFAULTS has set, before those of the line (defaults.c). */
int options_of(const char *command, const char *module, const struct call *call, const struct option *table, u32 count);

/* QUERY and SET of what is not here (absent.c). */
bool is_absent(const name word, bool set);
int query_absent(const struct call *call);
int set_absent(const struct call *call, u32 words);
int no_file_pool(const char *module);

/* Parts of QUERY and SET that are elsewhere: library.c. */
int query_globals(int kind);

/* window.c */
int query_windows(const struct call *call);
int set_windows(const struct call *call, u32 words);

/* repository.c */
int query_language(const struct call *call);
int set_language(const struct call *call, u32 words);

/* filedef.c */
int query_filedef(void);

/* labeldef.c */
int query_labeldef(void);

/* segment.c */
int query_segments(const struct call *call);

/* One line of a map (load.c); its length. */
struct symbol;
u32 symbol_line(const struct symbol *symbol, char line[80]);

#endif
