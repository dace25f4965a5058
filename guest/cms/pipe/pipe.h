/*
 * CMS Pipelines: what a stage is written with.
 *
 * A pipeline is a row of stages; what one writes the next one reads. Each stage is a C function with a stack of its
 * own, which is left when the function wants a record that is not there yet, and entered again when it is (dispatch.c).
 * A record is a pointer and a length. It is not copied: the stage that has written it waits in stage_output() until the
 * reader has consumed it, so a record that stage_peek() gave is good until stage_consume(). A stage that does not delay
 * the record looks at it, writes what it makes of it, and then consumes it:
 *
 *     while (stage_peek(s, &record) == 0) {
 *         if (stage_output(s, record.at, record.length) != 0)
 *             break;                                  no stage wants more
 *         stage_consume(s);
 *     }
 *     return 0;
 *
 * A stage begins with its arguments; what is wrong with them it says with stage_error() and returns that. The first
 * stage_peek(), stage_output() or stage_consume() waits until all stages of the pipeline have come so far (commit level
 * 0), and does not return if one has failed: so nothing is written or typed by a pipeline in which something is
 * misspelled. What touches the world before any record does so after stage_commit(). When the function returns its
 * streams are severed. Whatever it obtained with stage_obtain() is given back then.
 *
 * All of pipe/ but the drivers (drive*.c), system.c and filter.c knows no CMS and compiles on any host (host.c).
 */
#ifndef PIPE_H
#define PIPE_H

#include "../lib/text.h"
#include <string.h>

typedef int32_t i32;

struct text { const char *at; u32 length; };
struct stage;

/* One signature for all stages. 0, or the number of a message. */
typedef int stage_function(struct stage *s, struct text arguments);

/*
 * A row of the table of stages (table.c, and drivers.c for those that need CMS). `least`: how many letters must be
 * typed. Aliases are rows of their own, without help. `syntax` and `help` are what HELP types: in CMS they stay in the
 * part's file, and part_text() reads them.
 */
enum placing { ANYWHERE, ONLY_FIRST, NOT_FIRST };
enum stack_need { SMALL_STACK = 0, LARGE_STACK = 1 };
enum { STAGE_NAME = 14 };
struct stage_kind { char name[STAGE_NAME]; u32 least; stage_function *perform; enum placing placing; const char *syntax,
                    *help; enum stack_need stack; };
extern const struct stage_kind stages[];                 /* table.c */
extern const u32 stage_count;                            /* table.c */
extern const struct stage_kind filters[];                /* filters.c */
extern const u32 filter_count;                           /* filters.c */
extern const struct stage_kind drivers[];                /* drivers.c */
extern const u32 driver_count;                           /* drivers.c */
enum { STAGE_TABLES = 3 };

/* table.c */
extern const struct stage_table { const struct stage_kind *rows; const u32 *count; } stage_tables[STAGE_TABLES];

/* ---- records: the streams that are selected, 0 at first. 0, or END_OF_FILE. ---- */
enum { NOT_YET = 4, END_OF_FILE = 12, STALLED = -4095 };

/* stream.c */
int stage_peek(struct stage *s, struct text *record);    /* the next record; it stays there */
int stage_glance(struct stage *s, struct text *record);  /* the same without waiting: NOT_YET */
/* And now it does not; waits for one if it has not been looked at. */
int stage_consume(struct stage *s);
int stage_output(struct stage *s, const char *at, u32 length);     /* END_OF_FILE: there is no reader (any more) */
int stage_output_to(struct stage *s, u32 stream, const char *at, u32 length);
/* Of whichever input has one; that one is selected then. */
int stage_peek_any(struct stage *s, struct text *record, u32 *stream);
/* What still comes goes straight from the selected input to the selected output. */
int stage_short(struct stage *s);
void stage_select_input(struct stage *s, u32 stream);
void stage_select_output(struct stage *s, u32 stream);
void stage_sever_input(struct stage *s, u32 stream);
void stage_sever_output(struct stage *s, u32 stream);
u32 stage_inputs(const struct stage *s);                 /* how many streams there are, connected or not; at least 1 */
u32 stage_outputs(const struct stage *s);
bool stage_has_input(const struct stage *s, u32 stream); /* connected: something may come yet */
bool stage_has_output(const struct stage *s, u32 stream);
/* Its number, by number or by identifier; -1: there is none. */
int stage_stream_named(const struct stage *s, bool input, struct text id);
bool stage_is_first(const struct stage *s);              /* table.c */

/*
 * Records that stage_peek() or stage_output() would wait for are not waited for when streams on the other side are
 * severed: REPORTED.
 */
enum report { NO_REPORT, REPORT_ANY, REPORT_ALL };
enum { REPORTED = 8 };
void stage_report(struct stage *s, enum report report);

/* dispatch.c: all stages have come to this level; otherwise the return code of those that failed. */
int stage_commit(struct stage *s, int level);
/* All stages that can run do so first. */
void stage_yield(struct stage *s);

/*
 * Until an input has a record (CAN_READ), or the output's reader wants one or there is none (CAN_WRITE), or has
 * consumed the one that was put; NO_MORE: no input can have one.
 */
enum { CAN_READ = 1, CAN_WRITE = 2, NO_MORE = 4 };

/* stream.c */
u32 stage_wait_either(struct stage *s, bool wants_to_write, bool has_put);
/* stage_output() in two: the record must stay as it is until stage_await_reader() has come back. */
int stage_put(struct stage *s, const char *at, u32 length);
int stage_await_reader(struct stage *s);

/*
 * What another stage of the same PIPE may find by its number, as long as this one has not ended. NULL: there is none.
 */
u32 stage_offer(struct stage *s, void *what);
void *stage_offered(struct stage *s, stage_function *by, u32 number);

/*
 * dispatch.c: stages in the place of this one. Connectors *: *.INPUT.n: *.OUTPUT.n: are its streams. CALLPIPE waits
 * until they are through, ADDPIPE does not.
 */
int stage_callpipe(struct stage *s, const char *text, u32 length);
int stage_addpipe(struct stage *s, const char *text, u32 length);

/* ---- messages: the text by its number (messages.c), then which stage it was. Returns the number. ---- */
int stage_error(struct stage *s, u32 number, ...);
void stage_say(struct stage *s, u32 number, char severity, ...);   /* the message without that */

/* ---- storage (dispatch.c), of the stage: it never is NULL, the pipeline ends instead ---- */
void *stage_obtain(struct stage *s, size_t size);
void *stage_try(struct stage *s, size_t size);           /* NULL if there is none */
void stage_release(struct stage *s, void *block);
struct buffer { char *at; u32 room; };                   /* { NULL, 0 } at first; goes with the stage */
char *stage_room(struct stage *s, struct buffer *buffer, u32 length);   /* for so many bytes; what is there stays */

/* system.c: the time of day as yyyymmddhhmmssth and a zero byte; the time-of-day clock. */
void system_now(char stamp[17]);
void system_clock(u8 clock[8]);

/* dispatch.c: when the stage ends, whatever the reason, before its storage goes. */
void stage_at_end(struct stage *s, void (*perform)(void *with), void *with);

/* ---- arguments (arguments.c): a function takes what it has found away from the front of `rest` ---- */
/* In upper or lower case, abbreviated down to `least` letters. */
bool is_word(struct text word, const char *keyword, u32 least);
bool next_word(struct text *rest, struct text *word);    /* up to a blank; false: there is none */
bool peek_word(struct text rest, struct text *word);
bool next_keyword(struct text *rest, const char *keyword, u32 least);   /* only if it is that */
void skip_blanks(struct text *rest);
bool is_integer(struct text word, i32 *value);           /* with a sign or without */

/* What must be there: 0, or the error, which has been said. */
int next_number(struct stage *s, struct text *rest, i32 *value);
/* /text/, Xhh, Hhh, Bbits, STRING /text/. */
int next_string(struct stage *s, struct text *rest, struct text *string);
bool is_delimiter_next(struct text rest);                /* not a string that begins with X, H, B or STRING */
/* Something that can only be such a string: its first character is no letter or digit, ( - or *. */
bool is_string_next(struct text rest);
/* itself, two hexadecimal digits, BLANK, COMMA, TAB... */
int next_character(struct stage *s, struct text *rest, char *c);
int word_character(struct stage *s, struct text word, char *c);
int no_more(struct stage *s, struct text rest);          /* nothing but blanks may follow */

/*
 * Input ranges: columns n n-m n.len n-* -n (from the end) a;b * *-*, WORDS and FIELDS of those, with WORDSEPARATOR and
 * FIELDSEPARATOR, several in parentheses. Numbers below 0 count from the end: -1 is the last.
 */
enum { RANGES_MOST = 10 };
enum unit { COLUMNS, WORDS, FIELDS };
/* to: INT32_MAX is *; separated: by that, not by blanks or tabs. */
struct range { enum unit unit; i32 from, to; char separator; bool separated; };
struct ranges { u32 count; struct range range[RANGES_MOST]; };
bool is_range_next(struct text rest);
/* one; the one before has said what separates. */
int next_range(struct stage *s, struct text *rest, struct range *range);
/* As many as there are; none: the whole record. */
int next_ranges(struct stage *s, struct text *rest, struct ranges *ranges);
/* false: the record has nothing of it (part is empty, at its place). */
bool range_of(const struct range *range, struct text record, struct text *part);

#endif
