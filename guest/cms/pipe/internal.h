/*
 * CMS Pipelines: stages, the connections between them, and the sets of pipelines that they are in.
 *
 * A link joins an output of one stage and an input of another; it holds at most one record, which is the writer's. A
 * set is what one PIPE, CALLPIPE or ADDPIPE has made: its stages commit together. A pipe is all the sets that one PIPE
 * command has led to; its dispatcher runs one stage after another until each has ended.
 */
#ifndef PIPE_INTERNAL_H
#define PIPE_INTERNAL_H

#include "pipe.h"

enum state { RUNNING, READY, WAITS_INPUT, WAITS_ANY, WAITS_EITHER, WAITS_OUTPUT, WAITS_COMMIT, WAITS_CALL, WAITS_EVENT,
             WAITS_NEWS, ENDED };

/* Where a stream goes back to when the stage that has it is through with it (CALLPIPE). */
struct lender { struct stage *stage; u32 stream; struct lender *below; };

struct link {
    struct stage *writer, *reader;      /* NULL: it is gone */
    struct lender *writer_lent, *reader_lent;
    const char *at;
    u32 length;
    bool full;
    int answer;                         /* what the writer's OUTPUT ends with (SETRC) */
};

struct stream { struct link *link; char id[4]; };
/* Most stages have one, which is `only`. */
struct streams { struct stream *stream; u32 count, room, selected; struct stream only; };

/* In front of what is obtained. A small one is of its pipeline's pool, `units` of 16 bytes; others are the system's. */
struct block { struct block *next, *last; struct pipe *pipe; u32 units; };
enum { POOLED_MOST = 32 };                               /* units of the largest block of a pool */
struct ending { void (*perform)(void *with); void *with; struct ending *below; };

struct stage {
    struct set *set;
    struct stage *next, *previous;      /* of the set, from left to right */
    struct stage *next_ready;
    const struct stage_kind *kind;
    const struct rexx_stage *rexx;
    u32 number, pipeline;
    bool first;                         /* of its pipeline */
    enum state state;
    struct text text, arguments;        /* as it was written; what follows the verb */
    struct streams in, out;
    struct link *waits_for;             /* WAITS_INPUT, WAITS_OUTPUT */
    int level, wanted;                  /* of commitment; the one that is waited for */
    /* It waits because of a record; NOCOMMIT: records do not commit; others have failed. */
    bool implicit, uncommitted, doomed;
    int code;                           /* that it ended with; or of what it has waited for */
    u32 listing, message_level;
    struct set *called;                 /* WAITS_CALL */
    struct context *context;
    void *stack;
    struct block blocks;
    struct ending *endings;
    void *environment;                  /* of a filter in REXX: its struct rexx */
    enum report report;                 /* EOFREPORT */
    void *offered;                      /* what others may find */
    u32 offer;
};

enum { LIST_COMMANDS = 1, LIST_ERRORS = 2, LIST_CODES = 4, TRACE_CALLS = 8 };

struct set {
    struct pipe *pipe;
    struct set *next;
    struct stage *first, *last, *caller;
    u32 alive;
    int level, code;
    char name[9];
    u32 message_level;
    char *text;                         /* of all stages */
    bool waits;                         /* CALLPIPE */
    void *environment;                  /* whose variables VAR and STEM mean: a struct rexx */
};

struct pipe {
    struct set *sets, *main;
    struct stage *ready, *current;
    bool on_stage;                      /* a stage's stack is in use */
    struct context *here;               /* of the dispatcher */
    void (*aside)(void *with);          /* what the stage wants done on the dispatcher's stack */
    void *aside_with;
    struct block blocks;                /* sets, stages, streams, links */
    struct block *chunks, *free[POOLED_MOST + 1];        /* where small ones come from, and those that came back */
    char *fresh;
    u32 fresh_left;
    u32 alive, switches, offers;
    uint64_t alarm;                     /* when a stage wants to run that waits for an event */
    u32 looked;                         /* system_waits() when such stages looked last */
    int code;                           /* of sets that no stage waits for */
    int stopped;                        /* the code with which everything ends */
    bool waits_no_more;                 /* PIPESTOP */
};

/* parse.c: a set of what was written; 0 or a message's number. `from` is the stage that wants it, or NULL. */
int set_parse(struct set *set, struct text text, struct stage *from);

/* stream.c */
void streams_release(struct streams *streams);           /* their storage is given back */
u32 stream_add(struct stage *s, struct streams *streams, const char *id, u32 id_length);
void connect(struct stage *from, u32 output, struct stage *to, u32 input);
void sever(struct stage *s, bool input, u32 stream);
bool is_awaited(const struct link *link);                /* its reader waits for a record of it */
void lend(struct stage *from, bool input, u32 stream, struct stage *to, u32 to_stream, bool for_good);

/* dispatch.c */
extern const struct stage_kind pipe_stage;               /* the PIPE command itself */
struct stage *stage_new(struct set *set, const struct stage_kind *kind, const struct rexx_stage *rexx);
int pipe_run(const char *text, u32 length, void *environment);
void leave(struct stage *s);                             /* its stack, for that of the stage that is to run next */

/* It runs next. */
static inline void make_ready(struct stage *s)
{
    struct pipe *pipe = s->set->pipe;

    s->state = READY;
    s->next_ready = pipe->ready;
    pipe->ready = s;
}

static inline void wait_as(struct stage *s, enum state state, struct link *link)
{
    s->state = state;
    s->waits_for = link;
    leave(s);
}

void commit_first(struct stage *s);
/* A stage's first record commits it. */
static inline void commit_for_record(struct stage *s)
{
    if (s->level < 0 || s->doomed)
        commit_first(s);
}
/* On the dispatcher's stack, where there is room for commands. */
void aside(struct stage *s, void (*perform)(void *with), void *with);
void pipe_stop(struct pipe *pipe, int code) __attribute__((noreturn));
int worse(int code, int other);
void *pipe_obtain(struct pipe *pipe, size_t size);       /* never NULL */
void pipe_release(void *block);
enum { NO_TIME = -1 };
/* Of the world outside, or that time (NO_TIME); it must look which it was. */
void wait_for_event(struct stage *s, uint64_t until);
void wait_outside(struct stage *s, uint64_t until, enum state state);
/* The same as wait_for_event(), or until the selected input has a record or none can come (stream.c). */
void wait_for_news(struct stage *s, uint64_t until);

/* dispatch.c */
void pipe_show(const char *at, u32 length);

/* messages.c */
void pipe_say_list(const char *module, u32 number, char severity, va_list list);
void pipe_say(const char *module, u32 number, char severity, ...);
void say_where(const struct stage *s);
const char *pipe_message_text(u32 number);               /* as format() has it; NULL: there is none */

/* What is one's own of them: command/pipe.c in CMS, host.c elsewhere. */
extern struct pipe *innermost_pipe;
/* Rows of each table by two letters, counted from 1: the first, and of each the next one; 0: none. */
enum { STAGES_MOST = 112, BUCKETS = 64 };
extern struct stage_index { bool made; u8 first[BUCKETS], next[STAGES_MOST]; } stage_index[STAGE_TABLES];

/* table.c */
const struct stage_kind *stage_named(struct text verb);   /* NULL: it is not built in */
bool stage_is_left_out(struct text verb);                 /* CMS Pipelines has it, and this does not */

/* What the surroundings provide: system.c in CMS, host.c elsewhere. */
void *system_obtain(size_t size);
void system_release(void *storage);
bool system_pools(void);                                 /* small blocks come from a pool */
/* 104 if there was no storage outside the pipeline. */
int system_guarded(int (*work)(const void *with), const void *with);
void system_type(const char *line, u32 length);
u32 system_read(char line[256]);
bool system_typed(char line[256], u32 *length);          /* a line that was typed and not read; false: there is none */
void system_message(const char *line, u32 length);
void system_wait(uint64_t until);                        /* for an event, when no stage can run, or that time */
u32 system_waits(void);                                  /* how many have ended, those of stages alone too */
bool system_halted(void);                                /* the user has said that it is to stop */
void system_overrun(struct stage *s) __attribute__((noreturn));
u32 system_stack(enum stack_need need);
struct context *context_begin(void *stack, u32 size, void (*perform)(void));
u32 context_size(void);

/* host.c; CMS has it in assembler. */
void context_switch(struct context *from, struct context *to);

/* filter.c */
/* A filter that is not built in; NULL: there is none. */
const struct rexx_stage *rexx_find(struct stage *s, struct text verb);
int rexx_perform(struct stage *s, struct text arguments);

#endif
