/*
 * The dispatcher: which stage runs, when stages commit, and how a pipeline ends.
 *
 * Each stage has a stack. Control goes to the stage that has become ready last; it is left when the stage has to wait,
 * has ended, or wants something done on the stack where PIPE was called (aside). Stages are started from left to right.
 * Each runs until it wants to commit, which it does by itself for its first record; when all of a set have come to a
 * level they go on, or, if one has ended with a return code before level 0, they are ended.
 *
 * The PIPE command is a stage itself, whose set has no other and which calls the set that was typed.
 */
#include "internal.h"

enum { GUARD = 0x50495045, LOOK_AFTER = 32, ROOM_LEAST = 200 };

static const u32 guards[4] = { GUARD, GUARD, GUARD, GUARD };

int worse(int code, int other)
{
    if (code < 0 || other < 0)
        return code < other ? code : other;
    return code > other ? code : other;
}

/* ---- storage ---- */

/* A small block, of the pipeline's pool; NULL: it has no more. */
static struct block *from_pool(struct pipe *pipe, u32 units)
{
    enum { CHUNK = 4000 };
    struct block *block = pipe->free[units], *chunk;

    if (block != NULL) {
        pipe->free[units] = block->next;
        return block;
    }
    if (pipe->fresh_left < 16 * units) {
        chunk = system_obtain(CHUNK);
        if (chunk == NULL)
            return NULL;
        chunk->next = pipe->chunks;
        pipe->chunks = chunk;
        pipe->fresh = (char *)(chunk + 1);
        pipe->fresh_left = CHUNK - sizeof *chunk;
    }
    block = (struct block *)(void *)pipe->fresh;
    pipe->fresh += 16 * units;
    pipe->fresh_left -= 16 * units;
    block->pipe = pipe;
    block->units = units;
    return block;
}

static void *try_in(struct pipe *pipe, struct block *list, size_t size)
{
    struct block *block = NULL;
    size_t units = (sizeof *block + size + 15) / 16;

    if (units <= POOLED_MOST && system_pools())
        block = from_pool(pipe, (u32)units);
    if (block == NULL) {
        block = system_obtain(sizeof *block + size);
        if (block == NULL)
            return NULL;
        block->units = 0;
    }
    block->next = list->next;
    block->last = list;
    list->next->last = block;
    list->next = block;
    return block + 1;
}

static void *obtain_in(struct pipe *pipe, struct block *list, size_t size)
{
    void *storage = try_in(pipe, list, size);

    if (storage == NULL) {
        pipe_say("DSP", 122, 'S');
        pipe_stop(pipe, 104);
    }
    return storage;
}

static void release_from(void *storage)
{
    struct block *block;

    if (storage == NULL)
        return;
    block = (struct block *)storage - 1;
    block->next->last = block->last;
    block->last->next = block->next;
    if (block->units == 0) {
        system_release(block);
        return;
    }
    block->next = block->pipe->free[block->units];
    block->pipe->free[block->units] = block;
}

static void release_all(struct block *list)
{
    while (list->next != list)
        release_from(list->next + 1);
}

void *pipe_obtain(struct pipe *pipe, size_t size) { return obtain_in(pipe, &pipe->blocks, size); }
void pipe_release(void *block) { release_from(block); }
void *stage_obtain(struct stage *s, size_t size) { return obtain_in(s->set->pipe, &s->blocks, size); }
void *stage_try(struct stage *s, size_t size) { return try_in(s->set->pipe, &s->blocks, size); }
void stage_release(struct stage *s, void *block) { (void)s; release_from(block); }

char *stage_room(struct stage *s, struct buffer *buffer, u32 length)
{
    if (length > buffer->room) {
        u32 room = length < 0x20000000 && length < buffer->room * 2 ? buffer->room * 2 : length;
        char *more;

        if (room < ROOM_LEAST)
            room = ROOM_LEAST;
        more = stage_obtain(s, room);

        if (buffer->room > 0)
            memcpy(more, buffer->at, buffer->room);
        release_from(buffer->at);
        *buffer = (struct buffer){ more, room };
    }
    return buffer->at;
}

void stage_at_end(struct stage *s, void (*perform)(void *with), void *with)
{
    struct ending *ending = stage_obtain(s, sizeof *ending);

    *ending = (struct ending){ perform, with, s->endings };
    s->endings = ending;
}

/* ---- stacks ---- */

/* The stage that became ready last, taken from the list; null: there is none. */
static struct stage *take_ready(struct pipe *pipe)
{
    struct stage *s = pipe->ready;

    if (s != NULL)
        pipe->ready = s->next_ready;
    return s;
}

static void check_stack(struct stage *s)
{
    if (memcmp(s->stack, guards, sizeof guards) != 0)
        system_overrun(s);
}

/* For the dispatcher's stack: something is to be done there, or the stage has ended. */
static void leave_all(struct stage *s) { context_switch(s->context, s->set->pipe->here); }

/*
 * For the stack of the stage that is to run next, since that is all that most records need; for the dispatcher's, if
 * there is none, and now and then, to see whether the user wants it to stop.
 */
void leave(struct stage *s)
{
    struct pipe *pipe = s->set->pipe;
    struct stage *next = pipe->ready;

    if (next == NULL || pipe->switches >= LOOK_AFTER) {
        leave_all(s);
        return;
    }
    check_stack(s);
    pipe->switches++;
    pipe->ready = next->next_ready;
    pipe->current = next;
    next->state = RUNNING;
    if (next != s)
        context_switch(s->context, next->context);
}

void stage_yield(struct stage *s)
{
    struct stage **last = &s->set->pipe->ready;

    while (*last != NULL)
        last = &(*last)->next_ready;
    s->state = READY;
    s->next_ready = NULL;
    *last = s;
    leave(s);
}

static void wake_waiting(struct pipe *pipe)
{
    for (struct set *set = pipe->sets; set != NULL; set = set->next)
        for (struct stage *s = set->first; s != NULL; s = s->next)
            if (s->state == WAITS_EVENT || s->state == WAITS_NEWS)
                make_ready(s);
}

static void end_here(struct stage *s, int code)
{
    s->code = code;
    s->state = ENDED;
    leave_all(s);
}

void wait_outside(struct stage *s, uint64_t until, enum state state)
{
    struct pipe *pipe = s->set->pipe;

    if (until < pipe->alarm)
        pipe->alarm = until;
    if (!pipe->waits_no_more)
        wait_as(s, state, NULL);
    if (pipe->waits_no_more)
        end_here(s, 0);
}

void wait_for_event(struct stage *s, uint64_t until) { wait_outside(s, until, WAITS_EVENT); }

/* PIPESTOP: those that wait for the world outside end, and those that would. */
int pipestop_stage(struct stage *s, struct text arguments)
{
    struct pipe *pipe = s->set->pipe;
    struct text record;
    int code = no_more(s, arguments);

    if (code != 0 || stage_peek(s, &record) != 0)
        return code;
    pipe->waits_no_more = true;
    wake_waiting(pipe);
    (void)stage_short(s);
    return 0;
}

void aside(struct stage *s, void (*perform)(void *with), void *with)
{
    s->set->pipe->aside = perform;
    s->set->pipe->aside_with = with;
    leave_all(s);
}

struct line { const char *at; u32 length; };

static void show_line(void *with)
{
    struct line *line = with;

    system_message(line->at, line->length);
}

/* A message, of the stage that runs or of the dispatcher. */
void pipe_show(const char *at, u32 length)
{
    struct line line = { at, length };

    if (innermost_pipe != NULL && innermost_pipe->on_stage)
        aside(innermost_pipe->current, show_line, &line);
    else
        system_message(at, length);
}

/* From a stage's stack, always: the dispatcher only gives storage back. */
void pipe_stop(struct pipe *pipe, int code)
{
    pipe->stopped = code;
    for (;;)
        leave_all(pipe->current);
}

/* The first function on a stage's stack. */
static void begin(void)
{
    struct stage *s = innermost_pipe->current;

    end_here(s, s->rexx != NULL ? rexx_perform(s, s->arguments) : s->kind->perform(s, s->arguments));
}

static u32 stack_size(const struct stage *s) { return system_stack(s->rexx != NULL ? LARGE_STACK : s->kind->stack); }

static void give_stack(struct stage *s, u32 *stack)
{
    u32 size = stack_size(s);

    memcpy(stack, guards, sizeof guards);
    s->stack = stack;
    s->context = context_begin(stack + COUNT_OF(guards), size - sizeof guards, begin);
}

/* ---- commitment ---- */

static void end_stage(struct stage *s);

/* Whether all stages of the set have come further than it is; they go on then. */
static void commit_set(struct set *set)
{
    int least = INT32_MAX;
    struct stage *caller = set->caller;

    /* Those on the right come last. */
    for (struct stage *s = set->last; s != NULL; s = s->previous)
        if (s->state != ENDED) {
            int level = s->state == WAITS_COMMIT || (s->state == WAITS_CALL && s->wanted > s->level) ? s->wanted
                : s->level;

            if (level <= set->level)
                return;
            least = level < least ? level : least;
        }
    if (least == INT32_MAX)
        return;
    if (caller != NULL && caller->level < least && !caller->uncommitted) {
        caller->wanted = least;
        commit_set(caller->set);
        if (caller->level < least || least <= set->level)
            return;
    }
    set->level = least;
    /* The first is pushed last, and so runs first. */
    for (struct stage *s = set->last; s != NULL; s = s->previous) {
        if (s->state == WAITS_COMMIT && s->wanted <= least) {
            s->level = s->wanted;
            s->doomed = set->code != 0;
            s->code = set->code;
            make_ready(s);
        } else if (s->state == WAITS_CALL && s->wanted > s->level && s->wanted <= least) {
            s->level = s->wanted;
            s->doomed = set->code != 0;
            s->called->code = worse(s->called->code, set->code);
            commit_set(s->called);
        }
    }
}

static int commit_to(struct stage *s, int level, bool implicit)
{
    if (s->level < level) {
        s->wanted = level;
        s->implicit = implicit;
        s->state = WAITS_COMMIT;
        commit_set(s->set);
        leave(s);
    }
    if (s->doomed && implicit)
        end_here(s, 0);
    return s->set->code;
}

int stage_commit(struct stage *s, int level) { return commit_to(s, level, false); }

void commit_first(struct stage *s)
{
    if ((s->level < 0 && !s->uncommitted) || s->doomed)
        (void)commit_to(s, 0, true);
}

/* ---- ends ---- */

static void release_stage(struct stage *s)
{
    for (; s->endings != NULL; s->endings = s->endings->below)
        s->endings->perform(s->endings->with);
    release_all(&s->blocks);
    release_from(s->stack);
    streams_release(&s->in);
    streams_release(&s->out);
    s->stack = NULL;
    s->in = s->out = (struct streams){ .stream = NULL };
}

static void end_set(struct set *set)
{
    struct pipe *pipe = set->pipe;
    struct set **at = &pipe->sets;

    if (set->caller != NULL) {
        set->caller->code = set->code;
        make_ready(set->caller);
    } else {
        pipe->code = worse(pipe->code, set->code);
    }
    while (*at != set)
        at = &(*at)->next;
    *at = set->next;
    while (set->first != NULL) {
        struct stage *s = set->first;

        set->first = s->next;
        release_from(s);
    }
    release_from(set->text);
    release_from(set);
}

static void end_stage(struct stage *s)
{
    struct set *set = s->set;

    s->state = ENDED;
    if (s->code != 0 ? (s->listing & (LIST_ERRORS | LIST_CODES)) != 0 : (s->listing & LIST_CODES) != 0) {
        pipe_say("DSP", 20, 'I', s->code);
        say_where(s);
    }
    set->code = worse(set->code, s->code);
    for (u32 n = 0; n < s->out.count; n++)
        sever(s, false, n);
    for (u32 n = 0; n < s->in.count; n++)
        sever(s, true, n);
    release_stage(s);
    set->pipe->alive--;
    if (--set->alive == 0)
        end_set(set);
    else
        commit_set(set);
}

/* Nothing can run, and no event is awaited. */
static void stall(struct pipe *pipe)
{
    static const char *const why[] = { "", "", "input", "any input", "input or output", "output", "commit",
                                       "called pipeline" };

    pipe_say("DSP", 29, 'E');
    for (struct set *set = pipe->sets; set != NULL; set = set->next)
        for (struct stage *s = set->first; s != NULL; s = s->next)
            if (s->state != ENDED && s->kind != &pipe_stage) {
                pipe_say("DSP", 30, 'I', why[s->state]);
                say_where(s);
            }
    pipe->stopped = STALLED;
}

static bool awake_for_event(struct pipe *pipe)
{
    uint64_t until = pipe->alarm;
    bool any = false;

    for (struct set *set = pipe->sets; set != NULL; set = set->next)
        for (struct stage *s = set->first; s != NULL; s = s->next)
            any = any || s->state == WAITS_EVENT || s->state == WAITS_NEWS;
    if (!any)
        return false;
    /* All of them look whether it was theirs, and say again until when. */
    pipe->alarm = (uint64_t)NO_TIME;
    /* A stage may have waited by itself meanwhile, and taken what another waits for. */
    if (pipe->looked == system_waits())
        system_wait(until);
    pipe->looked = system_waits();
    wake_waiting(pipe);
    return true;
}

/* The stage, and those that it leaves its stack for. */
static void run(struct pipe *pipe, struct stage *s)
{
    pipe->current = s;
    s->state = RUNNING;
    do {
        void (*perform)(void *with) = pipe->aside;

        pipe->aside = NULL;
        if (perform != NULL)
            perform(pipe->aside_with);
        pipe->on_stage = true;
        context_switch(pipe->here, pipe->current->context);
        pipe->on_stage = false;
        check_stack(pipe->current);
    } while (pipe->aside != NULL);
    if (pipe->current->state == ENDED && pipe->stopped == 0)
        end_stage(pipe->current);
}

static void dispatch(struct pipe *pipe)
{
    while (pipe->alive > 0 && pipe->stopped == 0) {
        struct stage *s = take_ready(pipe);

        if (s != NULL)
            run(pipe, s);
        else if (!awake_for_event(pipe))
            stall(pipe);
        if (++pipe->switches < LOOK_AFTER && s != NULL)
            continue;
        pipe->switches = 0;
        if (pipe->stopped == 0 && system_halted()) {
            pipe_say("DSP", 9, 'E');
            pipe->stopped = 9;
        }
    }
}

static void release_pipe(struct pipe *pipe)
{
    for (struct set *set = pipe->sets; set != NULL; set = set->next)
        for (struct stage *s = set->first; s != NULL; s = s->next)
            if (s->state != ENDED || s->stack != NULL)
                release_stage(s);
    release_all(&pipe->blocks);
    for (struct block *next; pipe->chunks != NULL; pipe->chunks = next) {
        next = pipe->chunks->next;
        system_release(pipe->chunks);
    }
}

/* ---- beginnings ---- */

static struct stage *stage_begin(struct stage *s, struct set *set, const struct stage_kind *kind,
                                 const struct rexx_stage *rexx)
{
    memset(s, 0, sizeof *s);
    s->set = set;
    s->kind = kind;
    s->rexx = rexx;
    s->level = rexx != NULL ? -1 : -2;
    s->message_level = set->message_level;
    s->blocks.next = s->blocks.last = &s->blocks;
    s->previous = set->last;
    *(set->last != NULL ? &set->last->next : &set->first) = s;
    set->last = s;
    set->alive++;
    set->pipe->alive++;
    return s;
}

struct stage *stage_new(struct set *set, const struct stage_kind *kind, const struct rexx_stage *rexx)
{
    return stage_begin(pipe_obtain(set->pipe, sizeof(struct stage)), set, kind, rexx);
}

static struct set *set_begin(struct set *set, struct pipe *pipe)
{
    memset(set, 0, sizeof *set);
    set->pipe = pipe;
    set->level = -2;
    set->message_level = 15;
    set->next = pipe->sets;
    pipe->sets = set;
    return set;
}

/* Nothing of it has run. */
static void set_discard(struct set *set)
{
    for (struct stage *s = set->first; s != NULL; s = s->next) {
        for (u32 n = 0; n < s->in.count; n++)
            sever(s, true, n);
        for (u32 n = 0; n < s->out.count; n++)
            sever(s, false, n);
        s->state = ENDED;
        release_stage(s);
    }
    set->pipe->alive -= set->alive;
    set->code = 0;
    set->caller = NULL;
    end_set(set);
}

static int add_set(struct stage *from, const char *text, u32 length, bool waits)
{
    struct pipe *pipe = from->set->pipe;
    struct set *set = set_begin(pipe_obtain(pipe, sizeof *set), pipe);
    int error;

    set->waits = waits;
    set->message_level = from->message_level;
    /* A filter may end before a pipeline that it does not wait for. */
    set->environment = !waits ? NULL : from->environment != NULL ? from->environment : from->set->environment;
    error = set_parse(set, (struct text){ text, length }, from);
    if (error != 0 || set->alive == 0) {
        set_discard(set);
        return error;
    }
    for (struct stage *s = set->last; s != NULL; s = s->previous) {
        give_stack(s, pipe_obtain(pipe, stack_size(s)));
        make_ready(s);
    }
    if (!waits)
        return 0;
    set->caller = from;
    from->called = set;
    from->wanted = from->level;
    wait_as(from, WAITS_CALL, NULL);
    from->called = NULL;
    return from->code;
}

int stage_callpipe(struct stage *s, const char *text, u32 length) { return add_set(s, text, length, true); }
int stage_addpipe(struct stage *s, const char *text, u32 length) { return add_set(s, text, length, false); }

static int perform_pipe(struct stage *s, struct text arguments)
{
    return stage_callpipe(s, arguments.at, arguments.length);
}

const struct stage_kind pipe_stage = { "PIPE", 4, perform_pipe, ANYWHERE, NULL, NULL, SMALL_STACK };

/* The set of the PIPE command; false: there is no storage for it, and no stage yet to stop. */
static bool begin_pipe(struct pipe *pipe, struct text text, void *environment)
{
    struct set *set;
    struct stage *s;
    void *stack;

    *pipe = (struct pipe){ .alarm = (uint64_t)NO_TIME };
    pipe->blocks.next = pipe->blocks.last = &pipe->blocks;
    pipe->here = try_in(pipe, &pipe->blocks, context_size());
    set = try_in(pipe, &pipe->blocks, sizeof *set);
    s = try_in(pipe, &pipe->blocks, sizeof *s);
    stack = try_in(pipe, &pipe->blocks, system_stack(SMALL_STACK));
    if (set == NULL || s == NULL || stack == NULL || pipe->here == NULL) {
        release_pipe(pipe);
        return false;
    }
    pipe->looked = system_waits();
    set_begin(set, pipe)->environment = environment;
    stage_begin(s, set, &pipe_stage, NULL)->arguments = text;
    s->text = text;
    give_stack(s, stack);
    make_ready(s);
    return true;
}

static int dispatch_all(const void *with)
{
    struct pipe *pipe = *(struct pipe *const *)with;

    dispatch(pipe);
    return pipe->stopped != 0 ? pipe->stopped : pipe->code;
}

int pipe_run(const char *text, u32 length, void *environment)
{
    struct pipe *pipe = system_obtain(sizeof *pipe), *outer = innermost_pipe;
    int code = 104;

    if (pipe == NULL || !begin_pipe(pipe, (struct text){ text, length }, environment)) {
        pipe_say("DSP", 122, 'S');
    } else {
        innermost_pipe = pipe;
        code = system_guarded(dispatch_all, &pipe);
        innermost_pipe = outer;
        release_pipe(pipe);
    }
    system_release(pipe);
    return code;
}
