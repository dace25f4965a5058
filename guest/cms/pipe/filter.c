/*
 * Filters written in REXX: fn REXX on a disk, or as EXECLOAD has loaded it.
 *
 * A filter is an exec in a stage's place. Commands go to the pipeline unless ADDRESS says otherwise; they are performed
 * on the filter's stack, since they may wait while other stages, other filters too, run. All else that has to do with
 * CMS is done on the stack where PIPE was called. The interpreter has no state but struct rexx, so any number of
 * filters may be in the middle of something.
 */
#include "../nucleus/exec.h"
#include "drive.h"

enum { NOT_A_COMMAND = -7, NO_STREAM = 4, NOT_DEFINED = -4, CALLS_DEEP = 8, OPEN_MOST = 60, NAME_MOST = 250 };

/* ---- the surroundings of an exec, on the other stack ---- */

struct service {
    struct stage *s;
    struct rexx *rexx;
    const struct rexx_text *environment, *text;
    enum rexx_line kind;
    enum rexx_search when;
    enum rexx_call_type type;
    const struct rexx_arguments *arguments;
    enum rexx_outcome outcome;
    int32_t code;
    uint32_t bits;
    bool good;
};

static void *allocate(void *context, size_t size) { return stage_try(context, size); }

static void give_back(void *context, void *storage, size_t size)
{
    (void)size;
    stage_release(context, storage);
}

static void say_there(void *with)
{
    struct service *service = with;

    exec_host.say(NULL, service->kind, service->text->text, service->text->length);
}

static void say(void *context, enum rexx_line kind, const char *text, uint32_t length)
{
    struct rexx_text line = { text, length };
    struct service service = { .text = &line, .kind = kind };

    aside(context, say_there, &service);
}

static void read_there(void *with)
{
    struct service *service = with;

    service->good = exec_host.read(NULL, service->rexx);
}

static bool read_terminal(void *context, struct rexx *rexx)
{
    struct service service = { .rexx = rexx };

    aside(context, read_there, &service);
    return service.good;
}

static void call_there(void *with)
{
    struct service *service = with;

    service->outcome = exec_host.call(NULL, service->rexx, service->when, service->text, service->type,
                                      service->arguments);
}

static enum rexx_outcome call(void *context, struct rexx *rexx, enum rexx_search when, const struct rexx_text *name,
                              enum rexx_call_type type, const struct rexx_arguments *arguments)
{
    struct service service = { .rexx = rexx, .when = when, .text = name, .type = type, .arguments = arguments };

    aside(context, call_there, &service);
    return service.outcome;
}

static void attend_there(void *with)
{
    ((struct service *)with)->bits = exec_host.attend(NULL);
}

static uint32_t attend_filter(void *context)
{
    struct service service = { .bits = 0 };

    aside(context, attend_there, &service);
    return service.bits;
}

static void command_there(void *with)
{
    struct service *service = with;

    service->code = exec_host.command(NULL, service->rexx, service->environment, service->text);
}

/* ---- commands to the pipeline ---- */

/* What a command works with: the filter, and what follows the command's name. */
struct order { struct stage *s; struct rexx *rexx; struct text rest; };

static int excessive(struct order *order) { return no_more(order->s, order->rest); }

/* The variable that the record goes to; without a record it is dropped. */
static int record_to_variable(struct order *order, const struct text *record)
{
    char name[NAME_MOST];
    struct text word;
    struct rexx_text key = { name, 0 }, value = { record != NULL ? record->at : NULL,
                                                  record != NULL ? record->length : 0 };
    u32 bits;

    if (!next_word(&order->rest, &word))
        return 0;
    if (order->rexx == NULL)
        return stage_error(order->s, 204);
    if (word.length > sizeof name)
        return stage_error(order->s, 205, word.at, word.length);
    for (u32 n = 0; n < word.length; n++)
        name[n] = upper(word.at[n]);
    key.length = word.length;
    bits = record != NULL ? rexx_set(order->rexx, REXX_SYMBOLIC, &key, &value)
        : rexx_drop(order->rexx, REXX_SYMBOLIC, &key);
    if (bits & REXX_VAR_BAD_NAME)
        return stage_error(order->s, 205, word.at, word.length);
    return bits & REXX_VAR_NO_STORAGE ? RC_STORAGE : excessive(order);
}

static int peekto(struct order *order)
{
    struct text record;
    int code = stage_peek(order->s, &record), error = record_to_variable(order, code == 0 ? &record : NULL);

    return error != 0 ? error : code;
}

static int readto(struct order *order)
{
    int code = peekto(order);

    return code == 0 ? stage_consume(order->s) : code;
}

static int output(struct order *order) { return stage_output(order->s, order->rest.at, order->rest.length); }

/* INPUT, OUTPUT, and with `both` BOTH; false: none of them. */
static bool side(struct order *order, bool both, bool *input, bool *outputs)
{
    *input = next_keyword(&order->rest, "INPUT", 2);
    *outputs = !*input && next_keyword(&order->rest, "OUTPUT", 3);
    if (both && !*input && !*outputs && next_keyword(&order->rest, "BOTH", 4))
        *input = *outputs = true;
    return *input || *outputs;
}

static int bad_operand(struct order *order)
{
    struct text word;

    return next_word(&order->rest, &word) ? stage_error(order->s, 111, word.at, word.length)
        : stage_error(order->s, 113);
}

static int select_stream(struct order *order)
{
    struct stage *s = order->s;
    struct text id, record;
    bool input, outputs;
    u32 stream;
    int in, out;

    if (next_keyword(&order->rest, "ANYINPUT", 8))
        return stage_peek_any(s, &record, &stream);
    if (!side(order, true, &input, &outputs))
        input = outputs = true;
    if (!next_word(&order->rest, &id))
        return stage_error(s, 113);
    in = input ? stage_stream_named(s, true, id) : 0;
    out = outputs ? stage_stream_named(s, false, id) : 0;
    if (in < 0 || out < 0)
        return NO_STREAM;
    if (input)
        stage_select_input(s, (u32)in);
    if (outputs)
        stage_select_output(s, (u32)out);
    return excessive(order);
}

/* The number of the stream that is named next, or of the one that is selected; -1: there is none of that name. */
static int stream_said(struct order *order, bool input)
{
    struct stage *s = order->s;
    struct text id;

    if (next_word(&order->rest, &id))
        return stage_stream_named(s, input, id);
    return (int)(input ? s->in.selected : s->out.selected);
}

static int sever_stream(struct order *order)
{
    struct stage *s = order->s;
    bool input, outputs;
    int stream;

    if (!side(order, false, &input, &outputs))
        return bad_operand(order);
    stream = stream_said(order, input);
    if (stream < 0)
        return NO_STREAM;
    sever(s, input, (u32)stream);
    return excessive(order);
}

static int short_circuit(struct order *order)
{
    int error = excessive(order);

    return error != 0 ? error : stage_short(order->s);
}

static int callpipe(struct order *order) { return stage_callpipe(order->s, order->rest.at, order->rest.length); }
static int addpipe(struct order *order) { return stage_addpipe(order->s, order->rest.at, order->rest.length); }

static int addstream(struct order *order)
{
    struct stage *s = order->s;
    bool input, outputs;
    struct text id = { NULL, 0 };
    char upper_case[4];

    if (!side(order, true, &input, &outputs))
        input = outputs = true;
    if (next_word(&order->rest, &id) && id.length > 4)
        return stage_error(s, 102, id.at, id.length);
    for (u32 n = 0; n < id.length; n++)
        upper_case[n] = upper(id.at[n]);
    if (input)
        stream_add(s, &s->in, upper_case, id.length);
    if (outputs)
        stream_add(s, &s->out, upper_case, id.length);
    return excessive(order);
}

static int commit(struct order *order)
{
    i32 level;
    int error = next_number(order->s, &order->rest, &level);

    return error != 0 ? error : stage_commit(order->s, level);
}

static int nocommit(struct order *order)
{
    order->s->uncommitted = true;
    return excessive(order);
}

static int maxstream(struct order *order)
{
    bool input, outputs;

    if (!side(order, false, &input, &outputs))
        return bad_operand(order);
    return (int)(input ? order->s->in.count : order->s->out.count) - 1;
}

static int streamnum(struct order *order)
{
    bool input, outputs;
    int stream;

    if (!side(order, false, &input, &outputs))
        return bad_operand(order);
    stream = stream_said(order, input);
    return stream < 0 ? NOT_DEFINED : stream;
}

/* 0 the other side waits for this one, 8 it does not, 12 there is none, -4 there is no such stream. */
static int streamstate(struct order *order)
{
    struct stage *s = order->s;
    const struct link *link;
    bool input, outputs;
    int stream;

    if (!side(order, false, &input, &outputs))
        return bad_operand(order);
    stream = stream_said(order, input);
    if (stream < 0)
        return NOT_DEFINED;
    if (input ? !stage_has_input(s, (u32)stream) : !stage_has_output(s, (u32)stream))
        return END_OF_FILE;
    link = (input ? &s->in : &s->out)->stream[stream].link;
    if (input)
        return link->full ? 0 : 8;
    return is_awaited(link) ? 0 : 8;
}

static int stagenum(struct order *order) { return (int)order->s->number; }

static int resolve(struct order *order)
{
    struct text word;

    return next_word(&order->rest, &word) ? stage_named(word) != NULL : stage_error(order->s, 113);
}

static int say_message(struct order *order)
{
    pipe_show(order->rest.at, order->rest.length);
    return 0;
}

static int setrc(struct order *order)
{
    struct stage *s = order->s;
    struct link *link = s->in.selected < s->in.count ? s->in.stream[s->in.selected].link : NULL;
    i32 code;
    int error = next_number(s, &order->rest, &code);

    if (error != 0)
        return error;
    if (link == NULL || !link->full)
        return NO_STREAM;
    link->answer = code;
    return 0;
}

static int eofreport(struct order *order)
{
    if (next_keyword(&order->rest, "ALL", 3))
        stage_report(order->s, REPORT_ALL);
    else if (next_keyword(&order->rest, "ANY", 3))
        stage_report(order->s, REPORT_ANY);
    else if (next_keyword(&order->rest, "CURRENT", 4))
        stage_report(order->s, NO_REPORT);
    else
        return bad_operand(order);
    return excessive(order);
}

/* Those that are for each record come first. */
static const struct { const char *word; int (*perform)(struct order *order); } orders[] = {
    { "OUTPUT", output }, { "READTO", readto }, { "PEEKTO", peekto },
    { "ADDPIPE", addpipe }, { "ADDSTREAM", addstream }, { "CALLPIPE", callpipe }, { "COMMIT", commit },
    { "EOFREPORT", eofreport }, { "MAXSTREAM", maxstream }, { "MESSAGE", say_message }, { "NOCOMMIT", nocommit },
    { "RESOLVE", resolve }, { "SELECT", select_stream }, { "SETRC", setrc }, { "SEVER", sever_stream },
    { "SHORT", short_circuit }, { "STAGENUM", stagenum }, { "STREAMNUM", streamnum }, { "STREAMSTATE", streamstate },
};

static int give_order(struct order *order)
{
    struct text word;
    char first;

    if (!next_word(&order->rest, &word))
        return 0;
    if (order->rest.length > 0)
        order->rest.at++, order->rest.length--;
    first = upper(*word.at);
    for (u32 n = 0; n < COUNT_OF(orders); n++)
        if (first == *orders[n].word && is_word(word, orders[n].word, (u32)strlen(orders[n].word)))
            return orders[n].perform(order);
    return NOT_A_COMMAND;
}

int pipe_order(struct stage *s, struct text text)
{
    struct order order = { s, NULL, text };

    return give_order(&order);
}

static int32_t command(void *context, struct rexx *rexx, const struct rexx_text *environment,
                       const struct rexx_text *text)
{
    struct service service = { .rexx = rexx, .environment = environment, .text = text };
    struct order order = { context, rexx, { text->text, text->length } };
    void *before = order.s->environment;
    int code;

    if (environment->length != 4 || memcmp(environment->text, "PIPE", 4) != 0) {
        aside(context, command_there, &service);
        return service.code;
    }
    /* Of an exec that this one has called, the variables are those of the called one. */
    order.s->environment = rexx;
    code = give_order(&order);
    order.s->environment = before;
    return code;
}

/* ---- PIPCMD: the same, from arguments and records ---- */

int pipcmd_stage(struct stage *s, struct text arguments)
{
    struct order order = { s, NULL, arguments };
    struct text record;
    char number[12];
    int worst = 0, code = 0;
    bool more = length_of(arguments.at, arguments.length) > 0;

    while (code >= 0 && (more || stage_peek(s, &record) == 0)) {
        if (!more) {
            /* The command may read what follows it. */
            char *copy = stage_obtain(s, record.length + 1);

            memcpy(copy, record.at, record.length);
            order.rest = (struct text){ copy, record.length };
            stage_consume(s);
        }
        more = false;
        code = give_order(&order);
        worst = worse(worst, code);
        if (stage_outputs(s) > 1) {
            worst = 0;
            if (stage_output_to(s, 1, number, format(number, sizeof number, "%d", code)) != 0)
                break;
            code = 0;
        }
    }
    return worst;
}

/* ---- the stage ---- */

static void unload(void *with)
{
    struct rexx_program *program = with;

    exec_unload(program);
}

struct rexx_stage { char unused; };

const struct rexx_stage *rexx_find(struct stage *s, struct text verb)
{
    static const struct rexx_stage there;
    name fn;

    (void)s;
    if (verb.length > sizeof(name))
        return NULL;
    name_from(verb, fn);
    return exec_exists(fn, "REXX    ") ? &there : NULL;
}

static int not_there(struct stage *s, const name fn, const name ft)
{
    char shown[20];

    return stage_error(s, 146, shown, format(shown, sizeof shown, "%t %t", fn, ft));
}

static int perform_filter(struct stage *s, const name fn, const name ft, struct text arguments)
{
    struct rexx_program *program = stage_obtain(s, sizeof *program);
    struct rexx_text argument = { arguments.at, arguments.length };
    struct rexx_start start = { .type = REXX_COMMAND, .arguments = { &argument, arguments.length > 0 ? 1u : 0u } };
    struct rexx_host surroundings = exec_host;

    if (!exec_load(fn, ft, program))
        return exec_exists(fn, ft) ? RC_STORAGE : not_there(s, fn, ft);
    stage_at_end(s, unload, program);
    program->environment = (struct rexx_text){ "PIPE", 4 };
    surroundings.context = s;
    surroundings.allocate = allocate;
    surroundings.release = give_back;
    surroundings.say = say;
    surroundings.read = read_terminal;
    surroundings.call = call;
    surroundings.attend = attend_filter;
    surroundings.command = command;
    surroundings.depth = CALLS_DEEP;
    surroundings.nesting = OPEN_MOST;
    return rexx_run(&surroundings, program, &start, NULL);
}

int rexx_perform(struct stage *s, struct text arguments)
{
    struct text rest = { s->text.at, (u32)(arguments.at - s->text.at) }, verb;
    name fn;

    (void)next_word(&rest, &verb);
    name_from(verb, fn);
    return perform_filter(s, fn, "REXX    ", arguments);
}

/* REXX fn or (fn ft): the same by the filter's name, whatever stage may be called so. */
int rexx_stage(struct stage *s, struct text arguments)
{
    name part[2] = { "        ", "REXX    " };
    struct text inside, word;
    const char *end;
    int error;

    skip_blanks(&arguments);
    if (arguments.length == 0)
        return stage_error(s, 113);
    if (*arguments.at == '(') {
        end = memchr(arguments.at, ')', arguments.length);
        if (end == NULL)
            return stage_error(s, 17);
        inside = (struct text){ arguments.at + 1, (u32)(end - arguments.at) - 1 };
        arguments.length -= inside.length + 2;
        arguments.at = end + 1;
    } else {
        (void)next_word(&arguments, &inside);
    }
    for (u32 n = 0; n < COUNT_OF(part) && next_word(&inside, &word); n++) {
        name_from(word, part[n]);
        if (word.length > sizeof(name))
            return stage_error(s, 145, word.at, word.length);
    }
    if (part[0][0] == ' ')
        return stage_error(s, 113);
    if ((error = no_more(s, inside)) != 0)
        return error;
    if (!exec_exists(part[0], part[1]))
        return not_there(s, part[0], part[1]);
    if (arguments.length > 0 && *arguments.at == ' ')
        arguments.at++, arguments.length--;
    /* Where filters begin. */
    if (stage_commit(s, -1) != 0)
        return 0;
    return perform_filter(s, part[0], part[1], arguments);
}
