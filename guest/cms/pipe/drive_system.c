/* Stages that reach CMS itself: EMSG, GETFILES, RUNPIPE, STARMSG and STORAGE. */
#include "../nucleus/iucv.h"
#include "drive.h"

/* ---- EMSG: error messages, as SET EMSG says ---- */

struct said { const char *at; u32 length; };

static void say_message(void *with)
{
    struct said *said = with;

    message_show(said->at, said->length < LINE_MOST ? said->length : LINE_MOST);
}

int emsg_stage(struct stage *s, struct text arguments)
{
    struct said said = { arguments.at, length_of(arguments.at, arguments.length) };
    struct text record;

    if (stage_commit(s, 0) != 0)
        return 0;
    if (said.length > 0)
        aside(s, say_message, &said);
    while (stage_peek(s, &record) == 0) {
        said = (struct said){ record.at, record.length };
        aside(s, say_message, &said);
        (void)stage_output(s, record.at, record.length);
        stage_consume(s);
    }
    return 0;
}

/* ---- GETFILES: the files that are named ---- */

int getfiles_stage(struct stage *s, struct text arguments)
{
    static const char before[] = "< ", after[] = "|*.OUTPUT:";
    struct buffer buffer = { NULL, 0 };
    struct text record;
    int code = no_more(s, arguments);

    while (code == 0 && stage_peek(s, &record) == 0) {
        char *line = stage_room(s, &buffer, record.length + sizeof before + sizeof after);
        u32 length = sizeof before - 1;

        memcpy(line, before, length);
        memcpy(line + length, record.at, record.length);
        length += record.length;
        memcpy(line + length, after, sizeof after - 1);
        code = stage_callpipe(s, line, length + sizeof after - 1);
        if (!stage_has_output(s, 0))
            break;
        stage_consume(s);
    }
    return code;
}

/* ---- RUNPIPE: pipelines, whose messages become records ---- */

struct kept_message { struct kept_message *next; u32 length; char text[]; };
struct running {
    struct capture capture;
    struct stage *s;
    struct kept_message *first, **last;
    struct text pipeline;
    int code;
    bool full;
};

static void keep_message(struct capture *capture, const char *text, u32 length)
{
    struct running *running = (struct running *)capture;
    struct kept_message *message = obtain(sizeof *message + length, OWNER_COMMAND);

    running->full = running->full || message == NULL;
    if (message == NULL)
        return;
    message->next = NULL;
    message->length = length;
    memcpy(message->text, text, length);
    *running->last = message;
    running->last = &message->next;
}

static void forget_messages(void *with)
{
    struct running *running = with;

    while (running->first != NULL) {
        struct kept_message *message = running->first;

        running->first = message->next;
        release(message);
    }
    running->last = &running->first;
}

static int run_one(const void *with)
{
    const struct running *running = with;

    return pipe_run(running->pipeline.at, running->pipeline.length, running->s->set->environment);
}

static void run_pipeline(void *with)
{
    struct running *running = with;

    messages_begin(&running->capture);
    running->code = system_guarded(run_one, running);
    messages_end(running->capture.outer);
}

int runpipe_stage(struct stage *s, struct text arguments)
{
    struct running *running = stage_obtain(s, sizeof *running);
    struct text record;
    int worst = 0, code = no_more(s, arguments);
    bool more = true;

    if (code != 0)
        return code;
    *running = (struct running){ .capture = { .line = keep_message }, .s = s };
    running->last = &running->first;
    stage_at_end(s, forget_messages, running);
    while (more && stage_peek(s, &record) == 0) {
        running->pipeline = record;
        aside(s, run_pipeline, running);
        if (running->full) {
            stage_say(s, 122, 'S');
            return RC_STORAGE;
        }
        worst = worse(worst, running->code);
        for (const struct kept_message *message = running->first; more && message != NULL; message = message->next)
            more = stage_output(s, message->text, message->length) == 0;
        more = true;
        forget_messages(running);
        stage_consume(s);
    }
    return worst;
}

/* ---- STARMSG: what users and CP say ---- */

static void close_path(void *with)
{
    (void)with;
    iucv_close();
}

/* Each message: the class in eight columns, the user, the text. */
int starmsg_stage(struct stage *s, struct text arguments)
{
    struct iucv_line *line = stage_obtain(s, sizeof *line);
    char *record = stage_obtain(s, 16 + IUCV_LINE_MOST);
    struct text word;
    name service;
    u32 length;
    u8 code;
    int error;

    if (!next_word(&arguments, &word))
        word = (struct text){ "*MSG", 4 };
    if (word.length < 2 || word.length > sizeof service || word.at[0] != '*')
        return stage_error(s, 111, word.at, word.length);
    if ((error = no_more(s, arguments)) != 0)
        return error;
    name_from(word, service);
    if (stage_commit(s, 0) != 0)
        return 0;
    if ((code = iucv_open(service)) != 0)
        return stage_error(s, 409, word.at, word.length, (u32)code);
    stage_at_end(s, close_path, NULL);
    while (stage_has_output(s, 0)) {
        if (!iucv_next(line)) {
            wait_for_event(s, (uint64_t)NO_TIME);
            continue;
        }
        length = format(record, 16 + IUCV_LINE_MOST, "%08u", line->class);
        memcpy(record + length, line->from, sizeof line->from);
        memcpy(record + length + sizeof line->from, line->text, line->length);
        if (stage_output(s, record, length + sizeof line->from + line->length) != 0)
            break;
    }
    return 0;
}

/* ---- STORAGE ---- */

/* First in a pipeline: what is there. Elsewhere: the first record goes there, as with the function STORAGE. */
int storage_stage(struct stage *s, struct text arguments)
{
    u32 at, length, size = storage_bytes();
    struct text word, record;
    i32 count;
    int error;

    if (!next_word(&arguments, &word))
        return stage_error(s, 113);
    if (!parse_hex(word.at, word.length, &at) || at >= size)
        return stage_error(s, 111, word.at, word.length);
    if ((error = next_number(s, &arguments, &count)) != 0 || (error = no_more(s, arguments)) != 0)
        return error;
    length = (u32)count;
    if (count < 1 || length > size - at)
        return stage_error(s, 66, count);
    if (stage_is_first(s)) {
        if (stage_output(s, (const char *)at, length) == 0)
            (void)stage_short(s);
        return 0;
    }
    if (at < USER_FIRST || at >= USER_END || length > USER_END - at)
        return stage_error(s, 410, at);
    if (stage_peek(s, &record) == 0)
        memcpy((char *)at, record.at, record.length < length ? record.length : length);
    (void)stage_short(s);
    return 0;
}
