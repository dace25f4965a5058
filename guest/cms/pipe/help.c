/* What there is to know of a stage: HELP PIPE stage, and the stage HELP, which writes the same as records. */
#include "drive.h"

enum { WIDTH = 78, LONGEST = 1000 };

/* What writes a line; `read` as from_tables(), which knows whose stack it is on. */
struct topic {
    void (*line)(void *with, const char *text, u32 length);
    bool (*read)(void *with, const char *text, char *to);
    void *with;
};

/* A text, broken between words. */
static void paragraph(const struct topic *topic, const char *text)
{
    while (*text != 0) {
        u32 length = 0, end = 0;

        while (text[length] != 0 && length < WIDTH) {
            if (text[length] == ' ')
                end = length;
            length++;
        }
        if (text[length] != 0 && end > 0)
            length = end;
        topic->line(topic->with, text, length);
        text += length;
        while (*text == ' ')
            text++;
    }
}

/* Another name of the same stage has no help of its own. */
static const struct stage_kind *explained(const struct stage_kind *kind)
{
    for (u32 t = 0; kind != NULL && kind->help == NULL && t < STAGE_TABLES; t++)
        for (u32 n = 0; n < *stage_tables[t].count; n++)
            if (stage_tables[t].rows[n].perform == kind->perform && stage_tables[t].rows[n].help != NULL)
                return &stage_tables[t].rows[n];
    return kind;
}

/* A text of the tables, which is on the disk. */
static void told(const struct topic *topic, const char *text)
{
    char room[LONGEST];

    if (topic->read(topic->with, text, room))
        paragraph(topic, room);
}

static bool tell(const struct topic *topic, struct text verb)
{
    const struct stage_kind *kind = explained(stage_named(verb));

    if (kind == NULL || kind->help == NULL)
        return false;
    told(topic, kind->syntax);
    topic->line(topic->with, " ", 1);
    told(topic, kind->help);
    if (kind->placing == ONLY_FIRST)
        paragraph(topic, "It must be the first stage of its pipeline.");
    if (kind->placing == NOT_FIRST)
        paragraph(topic, "It cannot be the first stage of its pipeline.");
    return true;
}

/* The names of all, side by side. */
static void menu(const struct topic *topic)
{
    char line[WIDTH];
    u32 at = 0;

    paragraph(topic, "HELP PIPE stage explains one of these, HELP FPLxxxnnn a message.");
    for (u32 t = 0; t < STAGE_TABLES; t++)
        for (u32 n = 0; n < *stage_tables[t].count; n++) {
            if (stage_tables[t].rows[n].help == NULL)
                continue;
            if (at + 14 > sizeof line) {
                topic->line(topic->with, line, at);
                at = 0;
            }
            at += format(line + at, sizeof line - at, "%-14s", stage_tables[t].rows[n].name);
        }
    if (at > 0)
        topic->line(topic->with, line, at);
}

static void typed(void *with, const char *text, u32 length)
{
    (void)with;
    type_line(text, length);
}

static bool from_tables(void *with, const char *text, char *to)
{
    (void)with;
    return part_text(PART_PIPES, text, to, LONGEST);
}

bool pipe_help(const char *verb, u32 length)
{
    const struct topic topic = { typed, from_tables, NULL };

    if (length == 1 && *verb == '*') {
        menu(&topic);
        return true;
    }
    return tell(&topic, (struct text){ verb, length });
}

static void written(void *with, const char *text, u32 length) { (void)stage_output(with, text, length); }

struct wanted { const char *text; char *to; bool there; };

static void read_wanted(void *with)
{
    struct wanted *wanted = with;

    wanted->there = from_tables(NULL, wanted->text, wanted->to);
}

/* Disks are read on the stack of the command. */
static bool read_aside(void *with, const char *text, char *to)
{
    struct wanted wanted = { text, to, false };

    aside(with, read_wanted, &wanted);
    return wanted.there;
}

int help_stage(struct stage *s, struct text arguments)
{
    const struct topic topic = { written, read_aside, s };
    struct text word;
    int error;

    if (!next_word(&arguments, &word)) {
        menu(&topic);
    } else if ((error = no_more(s, arguments)) != 0) {
        return error;
    } else if (stage_named(word) == NULL) {
        return stage_error(s, 27, word.at, word.length);
    } else {
        (void)tell(&topic, word);
    }
    (void)stage_short(s);
    return 0;
}
