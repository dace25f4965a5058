/*
 * Execs: the REXX processor's surroundings in CMS.
 *
 * An exec is fn EXEC on an accessed disk, whose first line is a comment; one that begins with &TRACE is EXEC 2's
 * (exec2.c), any other the CMS EXEC processor's (exec1.c). Its lines are read into storage, the file is closed, and the
 * processor (rexx/rexx.h) gets them with the callbacks here: the terminal, the program stack, CMS and CP commands,
 * further execs as external routines, and the functions that only CMS has. ADDRESS CMS is as if typed, ADDRESS COMMAND
 * is commands and modules by their exact names, `EXEC name` for execs and `CP` for CP.
 */
#include "cms.h"
#include "../rexx/rexx.h"
#include "../csl/csl.h"
#include "diag.h"
#include "exec1.h"
#include "exec2.h"
#include "exec.h"
#include "resident.h"
#include "routine.h"
#include "streamio.h"

enum { EXECS_DEEP = 30 };

/* The exec that runs, for EXECIO and GLOBALV. */
struct level { struct level *below; struct rexx *rexx; };
static struct level *innermost;

static void *allocate(void *context, size_t size) { (void)context; return obtain(size, OWNER_COMMAND); }
static void give_back(void *context, void *storage, size_t size) { (void)context; (void)size; release(storage); }

static void say(void *context, enum rexx_line kind, const char *text, uint32_t length)
{
    (void)context;
    (void)kind;
    type_line(text, length);
}

static bool read_terminal(void *context, struct rexx *rexx)
{
    char line[256];
    u32 length;

    (void)context;
    if (!typed_ahead(line, &length))
        read_console(line, &length);
    return rexx_reply(rexx, line, length);
}

static uint32_t externals(void *context) { (void)context; return lines_typed_ahead(); }
static uint32_t linesize(void *context) { (void)context; return 80; }
static bool push(void *context, const char *text, uint32_t length)
{
    (void)context;
    return stack_line(text, length, true);
}
static bool queue(void *context, const char *text, uint32_t length)
{
    (void)context;
    return stack_line(text, length, false);
}
static uint32_t queued(void *context) { (void)context; return stacked_lines(); }

static bool pull(void *context, struct rexx *rexx)
{
    char line[256];
    u32 length;

    (void)context;
    return unstack_line(line, &length) && rexx_reply(rexx, line, length);
}

static bool same(const struct rexx_text *text, const char *word)
{
    u32 length = (u32)strlen(word);

    return text->length == length && memcmp(text->text, word, length) == 0;
}

static int32_t command(void *context, struct rexx *rexx, const struct rexx_text *environment,
                       const struct rexx_text *text)
{
    struct level level = { innermost, rexx };
    int code;

    (void)context;
    innermost = &level;
    attend();
    if (same(environment, "CMS"))
        code = perform(text->text, text->length, CALL_TYPED);
    else if (same(environment, "COMMAND") || environment->length == 0)
        code = perform(text->text, text->length, CALL_COMMAND);
    else if (same(environment, "CP"))
        code = cp(text->text, text->length, NULL, NULL);
    else
        code = subcommand(environment->text, environment->length, text->text, text->length);
    innermost = level.below;
    return code;
}

/* A function or subroutine that is a program; it reaches the exec's variables, too. */
static enum rexx_outcome routine(void *context, struct rexx *rexx, enum rexx_search when,
                                 const struct rexx_text *called,
                                 enum rexx_call_type type, const struct rexx_arguments *arguments)
{
    struct level level = { innermost, rexx };
    enum rexx_outcome outcome;

    (void)context;
    (void)type;
    innermost = &level;
    outcome = call_routine(rexx, when, called, arguments);
    innermost = level.below;
    return outcome;
}

struct rexx *exec_running(void) { return innermost == NULL ? NULL : innermost->rexx; }
bool exec_active(void) { return innermost != NULL || exec2_running(); }

u32 exec_set(const char *variable, u32 length, const char *value, u32 value_length)
{
    struct rexx_text key = { variable, length }, what = { value, value_length };

    if (innermost == NULL)
        return exec2_set(variable, length, value, value_length) ? 0 : REXX_VAR_BAD_FUNCTION;
    return rexx_set(innermost->rexx, REXX_DIRECT, &key, &what);
}

u32 exec_get(const char *variable, u32 length, const char **value, u32 *value_length)
{
    struct rexx_text key = { variable, length }, what = { variable, length };
    u32 bits = innermost == NULL ? REXX_VAR_BAD_FUNCTION : rexx_fetch(innermost->rexx, REXX_DIRECT, &key, &what);

    *value = what.text;
    *value_length = what.length;
    return bits;
}

/* The records of a file in storage, for the processor. */
struct loaded {
    struct rexx_text *lines;
    char *bytes;
    char fn[8], ft[8], fm[2], called[8];
    bool installed;
    struct resident *resident;
};

static void forget(struct loaded *loaded)
{
    if (loaded->installed)
        installation_left();
    if (loaded->resident != NULL)
        resident_left(loaded->resident);
    release(loaded->lines);
    release(loaded->bytes);
    release(loaded);
}

bool exec_lines(struct open_file *file, enum owner owner, struct rexx_text **lines, char **bytes, u32 *count)
{
    u32 records = edf_word(file->file.fst + FST_RECORDS), lrecl = edf_word(file->file.fst + FST_LRECL), length, at = 0;
    uint64_t blocks = edf_word(file->file.fst + FST_BLOCKS);
    uint64_t room = file->file.fst[FST_RECFM] == EDF_F ? (uint64_t)records * lrecl : blocks * file->disk->edf.size;

    *lines = NULL;
    *bytes = NULL;
    if (room > 0x10000000 || records > 0x1000000)
        return false;
    *lines = obtain((records + 1) * sizeof **lines, owner);
    *bytes = obtain((size_t)room + lrecl + 1, owner);
    if (*lines == NULL || *bytes == NULL)
        return false;
    for (*count = 0; *count < records; ++*count) {
        char *to = *bytes + at;

        /* Of a damaged file records may lie over one another. */
        if (at > room || edf_read(&file->file, *count + 1, to, lrecl, &length) != EDF_OK || length > lrecl)
            return false;
        (*lines)[*count] = (struct rexx_text){ to, length_of(to, length) };
        at += length;
    }
    return true;
}

static void describe(struct rexx_program *program, struct loaded *loaded, const struct rexx_text *lines,
                     const struct fileid *id)
{
    memcpy(loaded->fn, id->fn, 8);
    memcpy(loaded->ft, id->ft, 8);
    memcpy(loaded->fm, id->fm, 2);
    program->lines = lines;
    program->name = (struct rexx_text){ loaded->fn, length_of(loaded->fn, 8) };
    program->type = (struct rexx_text){ loaded->ft, length_of(loaded->ft, 8) };
    program->mode = (struct rexx_text){ loaded->fm, length_of(loaded->fm, 2) };
    program->synonym = program->name;
    program->environment = (struct rexx_text){ "CMS", 3 };
    program->private = loaded;
}

/* The exec as the installation segment has it; `found` says whether it has it. */
static bool load_installed(const struct fileid *id, struct rexx_program *program, bool *found)
{
    const struct rexx_text *lines;
    struct loaded *loaded;
    u32 count;

    *found = installation_find(id->fn, id->ft, &count) != NULL;
    loaded = *found ? obtain(sizeof *loaded, OWNER_COMMAND) : NULL;
    if (loaded == NULL)
        return false;
    memset(loaded, 0, sizeof *loaded);
    lines = installation_run(id->fn, id->ft, &program->count);
    loaded->installed = true;
    describe(program, loaded, lines, id);
    return true;
}

/* The exec as EXECLOAD has put it into storage; its mode is an asterisk. */
static bool load_resident(struct resident *resident, struct fileid *id, struct rexx_program *program)
{
    struct loaded *loaded = obtain(sizeof *loaded, OWNER_COMMAND);

    if (loaded == NULL)
        return false;
    memset(loaded, 0, sizeof *loaded);
    loaded->resident = resident;
    resident->running++;
    program->count = resident->count;
    describe(program, loaded, resident->lines, id);
    return true;
}

/* Reads `fn ft` into storage; false: there is none, or it cannot be read (`found` says which). */
static bool load_file(const name fn, const name ft, struct rexx_program *program, bool *found)
{
    struct fileid id = { .fm = "* " };
    struct resident *resident = resident_find(fn, ft);
    struct open_file *file;
    struct loaded *loaded;
    bool good;

    memcpy(id.fn, fn, sizeof(name));
    memcpy(id.ft, ft, sizeof(name));
    *found = resident != NULL;
    if (*found)
        return load_resident(resident, &id, program);
    good = load_installed(&id, program, found);
    if (*found)
        return good;
    if (!legal_name(fn) || file_open(&id, EDF_READ, &file) != EDF_OK)
        return false;
    *found = true;
    loaded = obtain(sizeof *loaded, OWNER_COMMAND);
    if (loaded == NULL) {
        file_finish(file);
        return false;
    }
    memset(loaded, 0, sizeof *loaded);
    good = exec_lines(file, OWNER_COMMAND, &loaded->lines, &loaded->bytes, &program->count);
    id_of(file->disk, file->file.fst, &id);
    file_finish(file);
    if (!good) {
        forget(loaded);
        return false;
    }
    describe(program, loaded, loaded->lines, &id);
    return true;
}

static bool load(void *context, const struct rexx_text *wanted, const struct rexx_program *caller,
                 struct rexx_program *program)
{
    name fn, ft = "EXEC    ", of_caller;
    bool found;

    (void)context;
    if (wanted->length > 8)
        return false;
    pad(fn, sizeof fn, wanted->text, wanted->length);
    for (u32 n = 0; n < sizeof fn; n++)
        fn[n] = upper(fn[n]);
    pad(of_caller, sizeof of_caller, caller->type.text, caller->type.length);
    return load_file(fn, of_caller, program, &found) || (memcmp(of_caller, ft, 8) != 0 &&
                                                         load_file(fn, ft, program, &found));
}

static void unload(void *context, struct rexx_program *program) { (void)context; forget(program->private); }

static void clock(void *context, struct rexx_time *at)
{
    struct moment moment;
    uint64_t tod;

    (void)context;
    now(&moment);
    __asm__ volatile("stck %0" : "=Q"(tod) : : "cc");
    at->year = (int32_t)moment.year;
    at->month = (int32_t)moment.month;
    at->day = (int32_t)moment.day;
    at->hour = (int32_t)moment.hour;
    at->minute = (int32_t)moment.minute;
    at->second = (int32_t)moment.second;
    at->microsecond = (int32_t)((tod >> 12) % 1000000);
}

static uint32_t attend_exec(void *context)
{
    u32 bits;

    (void)context;
    attend();
    bits = exec_attention & ~EXEC_LOOK;
    exec_attention = 0;
    return bits;
}

static enum rexx_outcome diag(void *context, struct rexx *rexx, const struct rexx_arguments *arguments)
{
    (void)context;
    return diagnose(rexx, arguments, false);
}

static enum rexx_outcome diagrc(void *context, struct rexx *rexx, const struct rexx_arguments *arguments)
{
    (void)context;
    return diagnose(rexx, arguments, true);
}

static enum rexx_outcome userid(void *context, struct rexx *rexx, const struct rexx_arguments *arguments)
{
    name who;

    (void)context;
    (void)arguments;
    identification(who);
    return rexx_reply(rexx, who, name_length(who)) ? REXX_DONE : REXX_NO_STORAGE;
}

static enum rexx_outcome cmsflag(void *context, struct rexx *rexx, const struct rexx_arguments *arguments)
{
    const struct { const char *word; bool value; } flags[] = {
        { "ABBREV", settings.abbrev }, { "AUTOREAD", settings.autoread }, { "CMSTYPE", !halted_typing() },
        { "EXECTRAC", settings.exectrac }, { "IMPCP", settings.impcp }, { "IMPEX", settings.impex },
        { "PROTECT", settings.protect }, { "RELPAGE", settings.relpage }, { "SUBSET", false }, { "DOS", false },
    };
    name token[TOKENS_MOST + 1];

    (void)context;
    if (tokenize(arguments->list[0].text, arguments->list[0].length, token) != 1)
        return REXX_BAD_CALL;
    for (u32 n = 0; n < COUNT_OF(flags); n++)
        if (is(token[0], flags[n].word))
            return rexx_reply(rexx, flags[n].value ? "1" : "0", 1) ? REXX_DONE : REXX_NO_STORAGE;
    return REXX_BAD_CALL;
}

/*
 * STORAGE(): the size. STORAGE(address, length, data): what is there, and what is to be. Only the user area can be
 * changed.
 */
static enum rexx_outcome storage(void *context, struct rexx *rexx, const struct rexx_arguments *arguments)
{
    u32 at, length = 1, size = storage_bytes();
    char text[12];
    const struct rexx_text *list = arguments->list;

    (void)context;
    if (arguments->count == 0)
        return rexx_reply(rexx, text, format(text, sizeof text, "%x", size)) ? REXX_DONE : REXX_NO_STORAGE;
    if (list[0].text == NULL || !parse_hex(list[0].text, list[0].length, &at))
        return REXX_BAD_CALL;
    if (arguments->count > 1 && list[1].text != NULL && !parse_number(list[1].text, list[1].length, &length))
        return REXX_BAD_CALL;
    if (at >= size || length > size - at)
        length = 0;
    if (!rexx_reply(rexx, (char *)at, length))
        return REXX_NO_STORAGE;
    if (arguments->count > 2 && list[2].text != NULL) {
        if (at < USER_FIRST || at >= USER_END || list[2].length > USER_END - at)
            return REXX_BAD_CALL;
        memcpy((char *)at, list[2].text, list[2].length);
    }
    return REXX_DONE;
}

/* CSL('routine retcode parameter...'): a callable service, which reaches the exec's variables; the return code. */
static enum rexx_outcome csl(void *context, struct rexx *rexx, const struct rexx_arguments *arguments)
{
    const struct rexx_text *list = &arguments->list[0];
    struct level level = { innermost, rexx };
    char text[12];
    u32 length;

    (void)context;
    if (list->text == NULL)
        return REXX_BAD_CALL;
    innermost = &level;
    length = format(text, sizeof text, "%d", service_of_exec(rexx, list->text, list->length));
    innermost = level.below;
    return rexx_reply(rexx, text, length) ? REXX_DONE : REXX_NO_STORAGE;
}

static const struct rexx_function functions[] = {
    { "CMSFLAG", 1, 1, cmsflag }, { "CSL", 1, 1, csl }, { "DIAG", 1, 3, diag }, { "DIAGRC", 1, 3, diagrc },
    { "LINEIN", 0, 3, stream_linein }, { "LINEOUT", 0, 3, stream_lineout }, { "LINES", 0, 1, stream_lines },
    { "STORAGE", 0, 3, storage }, { "STREAM", 1, 3, stream_stream }, { "USERID", 0, 0, userid },
};

const struct rexx_host exec_host = {
    .allocate = allocate, .release = give_back, .say = say, .read = read_terminal, .externals = externals,
    .linesize = linesize,
    .push = push, .queue = queue, .pull = pull, .queued = queued, .command = command, .call = routine, .load = load,
    .unload = unload, .clock = clock,
    .attention = &exec_attention, .attend = attend_exec, .functions = functions, .function_count = COUNT_OF(functions),
    .depth = EXECS_DEEP,
};

bool exec_exists(const name fn, const name ft)
{
    struct fileid id = { .fm = "* " };
    struct disk *disk;
    u32 count;
    u8 *fst;

    memcpy(id.fn, fn, sizeof(name));
    memcpy(id.ft, ft, sizeof(name));
    if (resident_find(fn, id.ft) != NULL || installation_find(fn, id.ft, &count) != NULL)
        return true;
    return legal_name(fn) && find_file(&id, &disk, &fst);
}

bool is_exec(const name fn) { return exec_exists(fn, "EXEC    "); }

bool exec_load(const name fn, const name ft, struct rexx_program *program)
{
    bool found;

    memset(program, 0, sizeof *program);
    return load_file(fn, ft, program, &found);
}

void exec_unload(struct rexx_program *program) { unload(NULL, program); }

void forget_execs(void)
{
    innermost = NULL;
    (void)exec2_hide(NULL);
    exec1_forget();
    installation_forget();
}

/* That is how a REXX program is told from others. */
static bool begins_with_comment(const struct rexx_program *program)
{
    const struct rexx_text *first = program->lines;
    u32 at = 0;

    while (program->count > 0 && at < first->length && first->text[at] == ' ')
        at++;
    return program->count > 0 && at + 1 < first->length && first->text[at] == '/' && first->text[at + 1] == '*';
}

/* That is an EXEC 2 program's first word. */
static bool begins_with_trace(const struct rexx_program *program)
{
    static const char first[] = "&TRACE";
    const struct rexx_text *line = program->lines;
    u32 at = 0;

    while (program->count > 0 && at < line->length && line->text[at] == ' ')
        at++;
    if (program->count == 0 || line->length - at < sizeof first - 1)
        return false;
    for (u32 n = 0; n < sizeof first - 1; n++)
        if (upper(line->text[at + n]) != first[n])
            return false;
    return true;
}

/* Runs the program that is loaded; it is gone then. */
static int run_loaded(struct rexx_program *program, const struct call *call)
{
    struct rexx_host surroundings = exec_host;
    struct rexx_text arguments = { call->arguments, (u32)(call->end - call->arguments) };
    struct rexx_start start = { .type = REXX_COMMAND, .arguments = { &arguments, arguments.length > 0 ? 1u : 0u } };
    struct level *outer = innermost;
    int code;

    if (begins_with_trace(program)) {
        innermost = NULL;
        code = exec2_run(program, call);
        innermost = outer;
        unload(NULL, program);
        return code;
    }
    if (!begins_with_comment(program)) {
        /* It has no variables that a program could reach. */
        struct exec2 *hidden = exec2_hide(NULL);

        innermost = NULL;
        code = exec1_run(program, call);
        innermost = outer;
        (void)exec2_hide(hidden);
        unload(NULL, program);
        return code;
    }
    surroundings.traced = settings.exectrac;
    code = rexx_run(&surroundings, program, &start, NULL);
    innermost = outer;
    unload(NULL, program);
    return code;
}

static void not_too_deep(void)
{
    char here;

    if (&here < stack_limit + EXEC_STACK)
        abend(0x0f4, "Execs call one another too deep");
}

static bool run_found(const struct call *call, int *code)
{
    static const name exec = "EXEC    ";
    struct rexx_program program;
    bool found;

    not_too_deep();
    memset(&program, 0, sizeof program);
    if (!load_file(call->token[0], exec, &program, &found)) {
        if (found)
            message("EXC", 516, 'E', call->token[0]);
        *code = 20003;
        return found;
    }
    *code = run_loaded(&program, call);
    return true;
}

/* A program of another filetype, whose commands go to this environment: a macro. */
int exec_run(const name fn, const name ft, const char *environment, const char *arguments, u32 length)
{
    name token[TOKENS_MOST + 2];
    struct call call = {
        .token = token, .line = arguments, .arguments = arguments, .end = arguments + length, .type = CALL_SUBCOMMAND};
    struct command_place *command = no_command();
    struct rexx_program program;
    int code = 20003;
    bool found;

    not_too_deep();
    memset(&program, 0, sizeof program);
    memcpy(token[0], fn, sizeof(name));
    call.count = 1 + tokenize(arguments, length, token + 1);
    if (load_file(fn, ft, &program, &found)) {
        program.environment = (struct rexx_text){ environment, (u32)strlen(environment) };
        code = run_loaded(&program, &call);
    } else if (found) {
        message("EXC", 516, 'E', fn);
    }
    command_again(command);
    return code;
}

/* False: there is no exec of that name. */
bool run_exec(const struct call *call, int *code)
{
    struct command_place *command = no_command();
    bool found = run_found(call, code);

    command_again(command);
    return found;
}
