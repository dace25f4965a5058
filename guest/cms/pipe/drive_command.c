/*
 * Stages that perform commands: what the command says become records.
 *
 * A command is performed on the stack where PIPE was called and is over before another stage runs; its lines are kept
 * until then. What it says to the terminal by the nucleus's typed-line service is caught; what CP types there by itself
 * is not.
 */
#include "drive.h"

struct kept_line { struct kept_line *next; u32 length; char text[]; };
struct lines { struct capture capture; struct stage *s; struct kept_line *first, **last; bool full; };

static void keep_line(struct capture *capture, const char *text, u32 length)
{
    struct lines *lines = (struct lines *)capture;
    struct kept_line *line = obtain(sizeof *line + length, OWNER_COMMAND);

    if (line == NULL) {
        lines->full = true;
        return;
    }
    line->next = NULL;
    line->length = length;
    memcpy(line->text, text, length);
    *lines->last = line;
    lines->last = &line->next;
}

static void forget_lines(void *with)
{
    struct lines *lines = with;

    while (lines->first != NULL) {
        struct kept_line *line = lines->first;

        lines->first = line->next;
        release(line);
    }
    lines->last = &lines->first;
}

struct job { struct lines *lines; struct text command, environment; u8 type; int code; };

static void perform_job(void *with)
{
    struct job *job = with;

    capture_begin(&job->lines->capture);
    job->code = job->environment.length > 0 ? subcommand(job->environment.at, job->environment.length, job->command.at,
                                                         job->command.length)
                                            : perform(job->command.at, job->command.length, job->type);
    capture_end(job->lines->capture.outer);
}

/* LISTCMD. */
static void list_command(struct stage *s, struct text command)
{
    if ((s->listing & LIST_COMMANDS) == 0)
        return;
    stage_say(s, 18, 'I', command.at, command.length);
    say_where(s);
}

/* One command: its lines to the primary output, its return code to the secondary one. */
static int one_command(struct stage *s, struct job *job, int *worst)
{
    char number[12];
    bool more = true;

    list_command(s, job->command);
    aside(s, perform_job, job);
    if (job->lines->full) {
        stage_say(s, 122, 'S');
        *worst = worse(*worst, RC_STORAGE);
        return RC_STORAGE;
    }
    for (const struct kept_line *line = job->lines->first; more && line != NULL; line = line->next)
        more = stage_output_to(s, 0, line->text, line->length) == 0;
    forget_lines(job->lines);
    if (stage_outputs(s) > 1)
        return stage_output_to(s, 1, number, format(number, sizeof number, "%d", job->code)) == 0 ||
            more ? 0 : END_OF_FILE;
    *worst = worse(*worst, job->code);
    return job->code < 0 ? job->code : 0;
}

static int perform_commands(struct stage *s, struct text arguments, struct job *job)
{
    struct text record;
    int worst = 0, code = 0;

    job->lines = stage_obtain(s, sizeof *job->lines);
    *job->lines = (struct lines){ .capture = { .line = keep_line }, .s = s };
    job->lines->last = &job->lines->first;
    stage_at_end(s, forget_lines, job->lines);
    if (stage_commit(s, 0) != 0)
        return 0;
    if (length_of(arguments.at, arguments.length) > 0) {
        job->command = arguments;
        code = one_command(s, job, &worst);
    }
    while (code == 0 && stage_peek(s, &record) == 0) {
        job->command = record;
        code = one_command(s, job, &worst);
        stage_consume(s);
    }
    return worst;
}

int cms_stage(struct stage *s, struct text arguments)
{
    return perform_commands(s, arguments, &(struct job){ .type = CALL_TYPED });
}
int command_stage(struct stage *s, struct text arguments)
{
    return perform_commands(s, arguments, &(struct job){ .type = CALL_COMMAND });
}

/* SUBCOM CMS is CMS: it is always there. */
int subcom_stage(struct stage *s, struct text arguments)
{
    struct job job = { .type = CALL_TYPED };
    struct text word;
    name environment;

    if (!next_word(&arguments, &word))
        return stage_error(s, 113);
    name_from(word, environment);
    if (!is(environment, "CMS"))
        job.environment = (struct text){ environment, name_length(environment) };
    return perform_commands(s, arguments, &job);
}

/* ---- CP ---- */

enum { USUAL_RESPONSE = 8192, MOST_RESPONSE = 1 << 24, MOST_COMMAND = 240 };

struct asked { struct text command; char *response; u32 room, length; int code; bool cut; };

static void ask_cp(void *with)
{
    struct asked *asked = with;
    u32 room = asked->room;

    asked->code = cp(asked->command.at, asked->command.length, asked->response, &room);
    asked->cut = (room & 0x80000000u) != 0;
    asked->length = asked->cut ? asked->room : room;
}

static int one_cp(struct stage *s, struct asked *asked)
{
    char number[12];
    bool more = true;
    int code;

    if (asked->command.length > MOST_COMMAND)
        return stage_error(s, 72, asked->command.length, MOST_COMMAND);
    list_command(s, asked->command);
    aside(s, ask_cp, asked);
    code = asked->cut && asked->code == 0 ? 1 : asked->code;
    for (u32 at = 0; more && at < asked->length;) {
        u32 n = 0;

        while (at + n < asked->length && asked->response[at + n] != 0x15)
            n++;
        more = stage_output_to(s, 0, asked->response + at, n) == 0;
        at += n + 1;
    }
    if (stage_outputs(s) > 1)
        return stage_output_to(s, 1, number, format(number, sizeof number, "%d", code)) == 0 || more ? 0 : END_OF_FILE;
    return code;
}

/* CP [n] command: n bytes for the response. */
int cp_stage(struct stage *s, struct text arguments)
{
    struct asked asked = { .room = USUAL_RESPONSE };
    struct text record, word, rest = arguments;
    i32 room;
    int code = 0;

    if (next_word(&rest, &word) && is_integer(word, &room)) {
        if (room < 1 || room > MOST_RESPONSE)
            return stage_error(s, 66, room);
        asked.room = (u32)room;
        arguments = rest;
        if (arguments.length > 0)
            arguments.at++, arguments.length--;
    }
    asked.response = stage_obtain(s, asked.room);
    if (stage_commit(s, 0) != 0)
        return 0;
    if (length_of(arguments.at, arguments.length) > 0) {
        asked.command = arguments;
        code = one_cp(s, &asked);
    }
    while (code == 0 && stage_peek(s, &record) == 0) {
        asked.command = record;
        code = one_cp(s, &asked);
        stage_consume(s);
    }
    return code == END_OF_FILE && stage_outputs(s) > 1 ? 0 : code;
}
