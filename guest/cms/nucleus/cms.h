/*
 * CMS: what the parts of the nucleus know of one another.
 *
 * The nucleus is one program: a command is a C function (command/table.c names them all), called with the command's
 * words (struct call) and returning its return code. Whatever a command wants of the world is below, in the order of
 * the files that have it. Characters are EBCDIC, code page 037, everywhere: the compiler is told so.
 */
#ifndef CMS_H
#define CMS_H

#include "../edf/edf.h"
#include "../lib/text.h"
#include <string.h>

/* start.S */
struct frame { u32 psw[2]; u32 gr[16]; };
int run_program(const struct frame *frame);
void leave_program(int code) __attribute__((noreturn));
int mark(u32 place[10]) __attribute__((returns_twice));
void come_back(const u32 place[10]) __attribute__((noreturn));
void wait_io(void);
void wait_io_or_clock(void);
void save_system(const char *command, u32 length, u32 registers[16]);

/* Interruptions of devices: disable() returns what restore() gets. */
static inline u8 disable(void)
{
    u8 mask;

    __asm__ volatile("stnsm %0,0xfc" : "=Q"(mask) : : "memory");
    return mask;
}

static inline void restore(u8 mask) { __asm__ volatile("ssm %0" : : "Q"(mask) : "memory"); }
static inline void enable(void)
{
    u8 mask;

    __asm__ volatile("stosm %0,0x02" : "=Q"(mask) : : "memory");
}

extern char svc_handler[], ext_handler[], io_handler[], pgm_handler[], stack_limit[];
extern u32 kernel_stack;

/* nucleus.ld: where the parts of the nucleus lie, those too that a saved system shares. */
extern char nucleus_begin[], nucleus_bss[], nucleus_end[], storage_begin[];
/* Code in low storage, and where it was read. */
extern char lower_begin[], lower_end[], lower_from[], low_begin[], low_end[], low_from[];
extern char nucleus_data[], shared_begin[], shared_end[], saved_end[];

/* main.c: what HI, TS and TE ask of the exec processor, the bits of rexx.h. */
extern volatile u32 exec_attention;
enum { EXEC_LOOK = 0x80000000 };                         /* there is something to attend() to */

/* storage.c: free storage. Blocks of a command are gone when the command has ended, whatever became of it. */
enum owner { OWNER_SYSTEM, OWNER_COMMAND };
void storage_start(u32 first, u32 end);
void storage_extend(u32 end);
void *obtain(size_t size, enum owner owner);
void *obtain_high(size_t size, enum owner owner);                      /* above 16M where there is room */
void *obtain_command(size_t size);                       /* without it the command ends: 109S and return code 104 */
void release(void *block);
void release_command_storage(void);
void release_storage_since(void *mark);                  /* a command's: this block, and those obtained after it */
void *obtain_pages(size_t size, enum owner owner, u8 key, u32 limit);  /* whole pages with that key, below the limit */
void *obtain_high_pages(size_t size, enum owner owner, u8 key);       /* the same, above 16M where there is room */
bool release_pages(u32 at);
void release_program_storage(u32 running);               /* of a command, that programs so deep have obtained */
void set_keys(u32 at, u32 length, u8 key);
bool has_key(u32 at, u32 length, u8 key);
u32 storage_size(void);
u32 storage_free(void);
bool reserve_storage(u32 first, u32 last);
void give_back_storage(void);                            /* free pages, to CP */

/* saved.c: CMS as a saved system. */
void *shared_obtain(size_t size);
bool shared_release(void *storage);
void shared_fill(bool fill);
bool shared_filling(void);
bool save_as(const char system[8], char parm[64]);

/* console.c */
void console_start(void);
void type_line(const char *text, u32 length);            /* one line, unless typing is halted */
void type(const char *how, ...);
void read_console(char *line, u32 *length);              /* VM READ */
u32 read_line(char line[256]);                           /* program stack, terminal input buffer, console */
void console_translate(bool input, u8 from, u8 to);     /* SET INPUT, SET OUTPUT */
void console_translate_none(bool input);
bool console_translated(bool input, u32 *from, u8 *to);  /* the next character from *from on that becomes another */
u32 read_command(char line[256]);                        /* the same, as SET AUTOREAD says */
void attend(void);                                       /* looks whether the user has typed something */
/* Lines that are not typed but kept: what a command says, for PIPE. The innermost gets them. */
struct capture {
    void (*line)(struct capture *capture, const char *text, u32 length);
    void (*reading)(struct capture *capture);   /* the console is about to be read; NULL: that is nothing to it */
    struct capture *outer;
};
void capture_begin(struct capture *capture);
struct capture *capturing(void);
void capture_end(struct capture *outer);                 /* from now on lines go there; NULL: to the terminal */
bool halted_typing(void);
void halt_typing(bool halt);
/* A screen of the command's own, by data streams of a 3270. Lines that are typed or read put an end to it. */
enum screen_how { SCREEN_WRITE = 0, SCREEN_STRUCTURED = 0x20, SCREEN_ERASE = 0x80, SCREEN_ALTERNATE = 0xc0 };
enum { SCREEN_BUFFER = 0, SCREEN_MODIFIED = 0x80, SCREEN_TAKEN = 0x8e, SCREEN_INVALID = 0x0e };
bool screen_is_ours(void);
bool screen_attention(void);                             /* a key was pressed since the display was read */
bool immediate_line(const char *line, u32 length);       /* HT, RT, HX and their like; false: it is none of them */
bool screen_write(enum screen_how how, const void *stream, u32 length);
bool screen_read(void *to, u32 room, u32 *length);
u8 screen_perform(const void *console_ccws);
int screen_fetch(u8 how, void *to, u32 room);
bool screen_wait_key(void);
u32 console_changes(void);
void screen_leave(void);
void screen_wait(void);
enum { LINE_MOST = 255 };

/* stack.c: the program stack, in buffers, and the lines typed ahead. */
bool stack_line(const char *text, u32 length, bool lifo);
bool unstack_line(char line[256], u32 *length);
u32 stacked_lines(void);
u32 make_buffer(void);
bool drop_buffer(u32 number);                            /* and those above; 0: the newest */
void clear_stack(void);
bool type_ahead(const char *text, u32 length);
bool typed_ahead(char line[256], u32 *length);
u32 lines_typed_ahead(void);
void clear_typed_ahead(void);

/* clock.c */
uint64_t tod_clock(void);
void wait_until(uint64_t tod);
u32 waits_ended(void);                                   /* how many: one may take what others wait for */

/* iucv.c: for the wait. */
u32 iucv_subclass(void);
void iucv_interrupted(u16 code);

/* vmcf.c: the same of VMCF. */
u32 vmcf_subclass(void);
void vmcf_interrupted(u16 code);

/* cp.c: what is asked of CP. */
struct moment { u32 year, month, day, hour, minute, second; uint64_t virtual_time, total_time; char date[8], time[8]; };
void now(struct moment *moment);
int cp(const char *text, u32 length, char *response, u32 *room);   /* response may be NULL: to the console */
int cp_typed(const char *text, u32 length);              /* the response is typed; 1: CP does not know it */
struct device { u8 class, type; bool read_only; };
bool device_of(u16 vdev, struct device *device);
bool device_types(u16 vdev, u32 types[2]);
u16 console_device(void);
bool console_is_display(void);
void clear_screen(void);
struct console_ccw { u8 command, address[3], flags, control; u16 count; };
void console_ccw(struct console_ccw *ccw, u8 command, u8 control, const void *data, u32 count);
bool console_program(const void *ccws);
bool console_call(u8 command, u8 control, const void *data, u32 count);
struct display_block { u8 flags, partitions; u16 columns, rows; };
bool display_block(u16 vdev, struct display_block *block);
struct screen_size { u32 rows, columns; bool colours; };
void screen_measure(struct screen_size *size);
void identification(char userid[8]);
u32 storage_bytes(void);
bool reader_has_file(void);
void edit_message(const char **text, u32 *length);
void give_back_pages(u32 first, u32 last);
void communication_start(void);
bool terminal_changed(void);
int block_io(u16 vdev, u32 size, bool write, u32 block, u32 count, void *buffer);
void ipl_parameters(char parm[64]);

/* channel.c */
int channel_io(u16 vdev, void *format_1_ccws, u16 *residual);
extern u8 channel_sense[8];                              /* of the last that ended in unit check */

/* message.c: DMSmmmnnns text. The texts are a table, with the parameters as format() has them. */
void message(const char *module, u32 number, char severity, ...);
extern bool message_quiet;                               /* not that a file is not found */
enum { MESSAGE_SECOND = 0x10000, MESSAGE_THIRD = 0x20000 };   /* with a number that has more texts: which */
const char *message_text(u32 number);                    /* as message() formats it; NULL: there is none */
u32 message_line(char *line, u32 room, const char *module, u32 number, char severity, va_list list);
void message_show(const char *line, u32 length);         /* as SET EMSG says */

/* scan.c */
typedef char name[8];
enum { TOKENS_MOST = 64 };
struct call {
    /* token[0] is the command, blank padded, upper case; after the last is a fence of X'FF'. */
    name *token;
    u32 count;
    /* As it was typed: the whole, from after the command's name, after the last. */
    const char *line, *arguments, *end;
    u8 type;                    /* as register 1's high byte: 00, 01 ADDRESS COMMAND, 0B typed or ADDRESS CMS */
    /* A program's own, if it is a program that calls; another program gets them as they are. */
    u32 plist, eplist;
};
enum { CALL_TOKENS = 0x00, CALL_COMMAND = 0x01, CALL_SUBCOMMAND = 0x02, CALL_FUNCTION = 0x05, CALL_TYPED = 0x0b };
u32 tokenize(const char *line, u32 length, name *token);
bool is(const name token, const char *word);             /* the word, not abbreviated */
bool abbreviates(const name token, const char *word, u32 least);
u32 name_length(const name token);

/* immcmd.c: immediate commands of execs. */
bool immediate_set(const name word);
bool immediate_clear(const char *word);
bool immediate_is(const name word);
bool immediate_was_typed(const name word);
bool immediate_typed(const name word, const char *arguments, u32 length);
u32 immediate_arguments(const name word, const char **arguments);   /* of the last time it was typed */
void immediate_forget(void);

/* option.c: the words after a parenthesis. */
struct option { const char *word; u32 least; int *set; int value; u32 *number; name *text; };
#define FLAG(word, least, set, value) { word, least, set, value, NULL, NULL }
#define NUMBER(word, least, number) { word, least, NULL, 0, number, NULL }
#define WORD(word, least, text) { word, least, NULL, 0, NULL, text }
/* May be followed by a number or *, which is ALL_THERE_ARE. */
#define COUNTED(word, least, set, value, number) { word, least, set, value, number, NULL }
#define ALL_THERE_ARE 0xffffffffu
#define IGNORED(word, least) { word, least, NULL, 0, NULL, NULL }
int options(const char *module, const struct call *call, const struct option *known, u32 count);
u32 operands(const struct call *call);                   /* words before the parenthesis, the command's name too */

/* call.c: performing commands. */
typedef int command_function(const struct call *call);
struct command { const char *name; u32 least; command_function *perform; const char *syntax, *help; };

/* command/table.c */
extern const struct command commands[];
extern const u32 command_count;

/* call.c */
const struct command *command_abbreviated(const name token);   /* NULL: there is none */
int perform(const char *line, u32 length, u8 type);
int perform_tokens(const struct call *call);
extern bool command_unknown;                             /* the last one that was performed */
struct command_place *no_command(void);
void command_again(struct command_place *place);
void no_storage(void) __attribute__((noreturn));
int with_storage(int (*work)(const void *with), const void *with);

/* module.c */
int run_module(const struct call *call, bool *found);
int run_named_module(const struct call *call, const char *module, const name fn);

/* extension.c */
bool subcommand_is_there(const name environment);
int subcommand(const char *environment, u32 length, const char *text, u32 text_length);
enum { NOT_FOUND = -3 };

/* module.c: what remains of a command, and of an abend. */
void forget_programs(void);
u32 programs_running(void);                              /* one called by another counts, too */

/* exec.c */
void forget_execs(void);

/* extension.c */
void extensions_end_command(void);
void extensions_after_abend(void);
bool extension_immediate(const char *line, u32 length, const name token);
bool function(u8 *plist, struct frame *frame, int *code);   /* function.c: what only programs ask for */

/* exec.c: the exec processor. */
bool run_exec(const struct call *call, int *code);       /* false: there is no exec of that name */
bool is_exec(const name fn);

/* The variables of the exec that runs; the bits of rexx.h's REXX_VAR, 0x80 if no exec runs. */
u32 exec_set(const char *variable, u32 length, const char *value, u32 value_length);
u32 exec_get(const char *variable, u32 length, const char **value, u32 *value_length);
struct rexx;
struct rexx *exec_running(void);                         /* NULL: none, or it is EXEC 2's */
bool exec_active(void);                                  /* a program in REXX or EXEC 2, whose variables can be set */
int exec_variables(u32 request);                         /* execcomm.c: a chain of SHVBLOCKs */

/* installed.c: execs in the installation segment. */
struct rexx_text;
struct segment;
struct disk;
const char *installation_name(void);
bool installation_at(const void *first);
bool installation_is(const struct segment *which);
void installation_gone(const struct segment *which);
void installation_forget(void);
void installation_left(void);
const struct rexx_text *installation_find(const name fn, const name ft, u32 *count);
const struct rexx_text *installation_run(const name fn, const name ft, u32 *count);   /* until installation_left() */
uint64_t exec_room(const struct disk *disk, const u8 *fst);
u32 installation_head(u32 count);
u32 installation_begin(u8 *at, u32 count);
int installation_add(u8 *at, u32 n, const name fn, const name ft, u32 *used);
struct call;
struct fileid;
bool installation_module(const struct call *call, int *code);
u32 module_room(const struct fileid *id);
int installation_add_module(u8 *at, u32 n, const name fn, u32 *used);

/* command/pipe.c: after a command. */
void pipes_forget(void);

/* os/service.c: what programs of OS want before they run, and what they leave. */
void os_start(void);
void os_forget(void);
void os_abandon(void);

/* os/timer.c: before a program goes on, the interval that it has set. */
void os_timer_set(struct frame *frame);

/* os/recover.c: a program check of a program; true: it goes on. */
bool os_program_check(struct frame *frame, u32 code, u32 length);

/* command/lua.c: what a program asks for by SVC 203, function 7. */
int program_request(u32 at);
void lua_forget(void);

/* xedit/ring.c */
void xedit_forget(void);

/* xedit/macro.c: what an exec says to XEDIT; false: it is not active. */
bool xedit_environment(const char *text, u32 length, int *code);

/* command/pipe.c: sockets of stages. */
void sockets_forget(void);

/* synonym.c */
void synonyms_clear(void);
bool synonym_add(const name command, const name synonym, u32 least);
bool synonym_of(const name typed, name command);
bool synonym_list(u32 n, name command, name synonym, u32 *least);

/* part.c: parts of the nucleus that are loaded when they are wanted. */
enum part_number { PART_WINDOWS, PART_PIPES, PART_SERVICES, PART_VOLUMES, PART_COUNT };
const void *part_load(enum part_number number);          /* what it begins with; NULL: the message has been typed */
bool part_is_loaded(enum part_number number);
bool part_at(u32 at);                                    /* whether one is there */
/* A string of its tables, which are not in storage; false: the message has been typed. */
bool part_text(enum part_number number, const char *text, char *to, u32 room);
/* For a segment: the bytes that making it takes, 0: it cannot be had, and the message has been typed. */
u32 part_room(const struct fileid *id);
/* Puts it there; what it occupies, and from which byte on each machine has its own; a return code. */
int part_put(u8 *at, const struct fileid *id, u32 *length, u32 *variables);

/*
 * A session that has the display (window/session.c): lines are typed and read there. NULL: on the console. `read` is
 * false if the display has gone; `attention`: the user has pressed a key while the session's screen was shown.
 */
struct session {
    void (*line)(const char *text, u32 length);
    bool (*read)(char *line, u32 *length, bool command);
    void (*attention)(void);
    void (*other)(void);        /* a display is about to be written, the session's own, too */
    void (*end_command)(void);
};
extern const struct session *full_screen;                /* console.c */
extern bool line_is_cps;                                 /* cp.c: what is typed is an answer of CP's */

/*
 * The user area and the transient area: where modules run, and only they. PROGRAM_END: an SVC 255, where programs
 * return. LOW_STORAGE: what programs of addressing mode 24 reach.
 */
enum {
    USER_FIRST = 0x20000, USER_END = 0x100000, LOWER_FIRST = 0x4000, TRANSIENT_FIRST = 0xe000, TRANSIENT_END = 0x10000,
    SAVE_AREAS = 0x3000, USER_KEY = 0xe0, PROGRAM_END = 0x260, LOW_STORAGE = 0x1000000,
};

/* Whether what was interrupted is a program, not the nucleus. */
static inline bool of_program(const struct frame *frame)
{
    u32 at = frame->psw[1] & 0x7fffffff;
    bool low = (at >= LOWER_FIRST && at < TRANSIENT_FIRST) || (at >= TRANSIENT_END && at < USER_FIRST);

    return (frame->psw[0] & 0x00f00000) != 0 || (!low && at < (u32)nucleus_begin) ||
           (at >= (u32)nucleus_end && !part_at(at));
}

/* main.c */
struct settings {
    bool short_ready, impex, impcp, abbrev, autoread, relpage, instseg, protect, exectrac, remote, fullread, redtype,
        keyprotect, translate, clear_each_call;
    char blip[9], nondisplay, escape;
    bool escaping;
    u32 loader_tables;
};
extern struct settings settings;
void command_end(void);
extern name last_command;
extern int settings_code;                                /* of the command that was typed */

/* abend.c */
void abend(u32 code, const char *text) __attribute__((noreturn));
void halt_execution(void) __attribute__((noreturn));
/* A command was read: what was wrong did not keep CMS from that. */
void abends_are_over(void);
extern u32 command_loop[10];

/* disk.c: minidisks by their mode letters. */
struct segment;
struct disk {
    struct edf edf;
    u16 vdev;
    char mode, extends;         /* the letters; `extends` 0 or the mode that it is an extension of */
    bool read_only, fixed;
    u16 type;                   /* 0x3390 */
    u32 cylinders, heads;       /* of fixed-block disks: blocks, 0 */
    name only_name, only_type;  /* files that ACCESS was told to show, blank: all */
    char only_number;
    struct segment *segment;    /* that has its directory */
    enum disk_system { DISK_OF_CMS, DISK_OF_OS, DISK_OF_DOS } system;
    u8 vtoc[5];                 /* of OS and DOS: CCHHR of the first record of the table of contents */
};
extern enum saved_directory { USE_SAVED, NO_SAVED, ONLY_SAVED } saved_directory;   /* for the next disk_access */
struct disk *disk_at(char mode);
struct disk *disk_from(u32 *n);
struct disk *disk_on(u16 vdev);
int disk_access(u16 vdev, char mode, char extends, bool force_read_only, struct disk **found);
void disk_enter(struct disk *disk);                      /* it has its letter now */
void disk_release(char mode);
bool disk_is_current(struct disk *disk);                 /* the directory is the one that was read */
void disks_may_be_others(void);
bool disk_shape(u16 vdev, struct disk *disk);
bool disk_shows(const struct disk *disk, const u8 *fst);
struct edf_device disk_device(struct disk *disk, u32 size);
u32 blocks_of_track(u16 type, u32 size);

/* file.c: files by name, type and mode. */
struct fileid { name fn, ft; char fm[2]; };
struct open_file {
    struct edf_file file;
    struct disk *disk;
    u32 next_read, next_write;
    u32 opened;                 /* files are numbered as they are opened */
    bool own;                   /* a reader's: another open of the file gets another one */
    struct open_file *chain;
};
struct search { struct fileid wanted; struct disk *disk; const u8 *fst; u32 letter, number; };
bool legal_mode(const name token);
bool parse_fileid(const char *module, const struct call *call, u32 first, u32 count, struct fileid *id);
int one_fileid(const char *module, const struct call *call, u32 first, struct fileid *id);
void search_begin(struct search *search, const struct fileid *wanted);
bool search_next(struct search *search);
bool find_file(const struct fileid *id, struct disk **disk, u8 **fst);
int file_open(const struct fileid *id, enum edf_how how, struct open_file **file);
int file_finish(struct open_file *file);
void file_abandon(struct open_file *file);
int file_erase(struct disk *disk, const name fn, const name ft);
struct open_file *file_is_open(const struct disk *disk, const u8 *fst);
int files_finish_all(void);
void files_finish_on(const struct disk *disk);
u32 files_opened(void);
bool file_stays(const struct open_file *file, u32 opened);   /* it was not closed since */
void files_abandon(u32 opened);                          /* those that were opened later; 0: all */
int file_problem(const char *module, int error, const struct fileid *id, bool writing);
bool matches(const name pattern, const u8 *name);
bool legal_name(const name text);
void id_of(const struct disk *disk, const u8 *fst, struct fileid *id);
const char *show_id(const struct fileid *id, char text[24]);

/* Return codes that many commands have. */
enum { RC_SYNTAX = 24, RC_MISSING = 28, RC_FORMAT = 32, RC_DISK = 36, RC_UNSUPPORTED = 88, RC_IO = 100,
       RC_STORAGE = 104 };

#endif
