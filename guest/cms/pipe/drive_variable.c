/*
 * Stages about the variables of the exec that has said PIPE, or of the filter that has said CALLPIPE.
 *
 * Names are as in a program: lower case is upper case, and tails are substituted.
 */
#include "../rexx/rexx.h"
#include "drive.h"

enum { NAME_MOST = 250, ELEMENTS_MOST = 999999999, BAD = REXX_VAR_BAD_NAME | REXX_VAR_BAD_FUNCTION };

static struct rexx *variables(struct stage *s) { return s->set->environment; }

/* The name of a variable; `stem`: it must end in a period, and `name` has room for a number after it. */
static int next_name(struct stage *s, struct text *rest, bool stem, char name[NAME_MOST + 12], u32 *length)
{
    struct text word;

    if (variables(s) == NULL)
        return stage_error(s, 204);
    if (!next_word(rest, &word))
        return stage_error(s, 113);
    if (word.length > NAME_MOST || (stem && word.at[word.length - 1] != '.'))
        return stage_error(s, 205, word.at, word.length);
    for (u32 n = 0; n < word.length; n++)
        name[n] = upper(word.at[n]);
    *length = word.length;
    (void)next_keyword(rest, "SYMBOLIC", 8);
    return 0;
}

/* What is wrong with a variable that was set. */
static int problem_of(struct stage *s, u32 bits, struct text name)
{
    if (bits & REXX_VAR_NO_STORAGE) {
        stage_say(s, 122, 'S');
        return RC_STORAGE;
    }
    return bits & BAD ? stage_error(s, 205, name.at, name.length) : 0;
}

static int set(struct stage *s, struct text name, struct text value)
{
    struct rexx_text key = { name.at, name.length }, what = { value.at, value.length };
    u32 bits = variables(s) == NULL ? REXX_VAR_BAD_FUNCTION : rexx_set(variables(s), REXX_SYMBOLIC, &key, &what);

    return problem_of(s, bits, name);
}

static int fetch(struct stage *s, struct text name, struct text *value, bool *there)
{
    struct rexx_text key = { name.at, name.length }, what = { NULL, 0 };
    u32 bits = variables(s) == NULL ? REXX_VAR_BAD_FUNCTION : rexx_fetch(variables(s), REXX_SYMBOLIC, &key, &what);

    if (bits & REXX_VAR_NO_STORAGE) {
        stage_say(s, 122, 'S');
        return RC_STORAGE;
    }
    if (bits & BAD)
        return stage_error(s, 205, name.at, name.length);
    *there = (bits & REXX_VAR_NEW) == 0;
    *value = (struct text){ what.text, what.length };
    return 0;
}

static int pass_on(struct stage *s)
{
    (void)stage_short(s);
    return 0;
}

/* A value is the interpreter's; a record must stay. */
static int output_value(struct stage *s, struct buffer *buffer, struct text value)
{
    char *copy = stage_room(s, buffer, value.length + 1);

    memcpy(copy, value.at, value.length);
    return stage_output(s, copy, value.length);
}

/* VAR: the value, first in a pipeline; else the first record becomes the value. */
int var_stage(struct stage *s, struct text arguments)
{
    char name[NAME_MOST + 12];
    struct buffer buffer = { NULL, 0 };
    struct text record, key = { name, 0 };
    bool there;
    int error = next_name(s, &arguments, false, name, &key.length);

    if (error != 0 || (error = no_more(s, arguments)) != 0)
        return error;
    if ((error = fetch(s, key, &record, &there)) != 0)
        return error;
    if (stage_is_first(s)) {
        if (output_value(s, &buffer, record) == 0)
            return pass_on(s);
        return 0;
    }
    if (stage_peek(s, &record) == 0) {
        if ((error = set(s, key, record)) != 0)
            return error;
        return pass_on(s);
    }
    struct rexx_text gone = { name, key.length };

    if (variables(s) != NULL)
        (void)rexx_drop(variables(s), REXX_SYMBOLIC, &gone);
    return 0;
}

static struct text element(char *name, u32 length, u32 number)
{
    return (struct text){ name, length + format(name + length, 12, "%u", number) };
}

/* stem.number; a name with a further period is put together. */
static int set_element(struct stage *s, char *name, u32 length, u32 number, struct text value)
{
    struct rexx_text stem = { name, length }, what = { value.at, value.length };

    if (variables(s) == NULL || number > ELEMENTS_MOST || memchr(name, '.', length) != name + length - 1)
        return set(s, element(name, length, number), value);
    return problem_of(s, rexx_set_element(variables(s), &stem, number, &what), (struct text){ name, length });
}

static int count_of(struct stage *s, char *name, u32 length, bool needed, u32 *count)
{
    struct text value, key = element(name, length, 0);
    bool there;
    int error = fetch(s, key, &value, &there);

    *count = 0;
    if (error != 0)
        return error;
    if ((!there && needed) || (there && !parse_number(value.at, value.length, count)))
        return stage_error(s, 206, key.at, key.length);
    return 0;
}

/* STEM: stem.0 says how many. */
int stem_stage(struct stage *s, struct text arguments)
{
    char name[NAME_MOST + 12];
    struct buffer buffer = { NULL, 0 };
    struct text record;
    u32 length, count = 0;
    bool append = false, there, reader = true;
    i32 from = 1;
    int error = next_name(s, &arguments, true, name, &length);

    if (error != 0)
        return error;
    if (!stage_is_first(s) && next_keyword(&arguments, "APPEND", 6)) {
        append = true;
    } else if (next_keyword(&arguments, "FROM", 4)) {
        if ((error = next_number(s, &arguments, &from)) != 0)
            return error;
        if (from < 1)
            return stage_error(s, 66, from);
    }
    if ((error = no_more(s, arguments)) != 0)
        return error;
    if (stage_is_first(s) || append)
        if ((error = count_of(s, name, length, !append, &count)) != 0)
            return error;
    if (stage_is_first(s)) {
        for (u32 n = (u32)from; n <= count; n++) {
            if ((error = fetch(s, element(name, length, n), &record, &there)) != 0)
                return error;
            if (output_value(s, &buffer, record) != 0)
                return 0;
        }
        return pass_on(s);
    }
    count = append ? count : (u32)from - 1;
    while (stage_peek(s, &record) == 0) {
        if ((error = set_element(s, name, length, ++count, record)) != 0)
            return error;
        reader = reader && stage_output(s, record.at, record.length) == 0;
        stage_consume(s);
    }
    char number[12];
    struct text value = { number, format(number, sizeof number, "%u", count) };

    return set_element(s, name, length, 0, value);
}

/* REXXVARS: the source string, then names and values by turns; the first letter says which: s, n, v. */
int rexxvars_stage(struct stage *s, struct text arguments)
{
    struct buffer buffer = { NULL, 0 }, all = { NULL, 0 };
    struct rexx_text name, value, source = { "SOURCE", 6 };
    u32 used = 0, at = 0;
    int error;

    if (variables(s) == NULL)
        return stage_error(s, 204);
    if ((error = no_more(s, arguments)) != 0)
        return error;
    if (stage_commit(s, 0) != 0)
        return 0;
    if (rexx_private(variables(s), &source, &value) == REXX_VAR_OK) {
        char *line = stage_room(s, &buffer, value.length + 2);

        memcpy(line, "s ", 2);
        memcpy(line + 2, value.text, value.length);
        if (stage_output(s, line, value.length + 2) != 0)
            return 0;
    }
    /* Other stages may set variables while a record waits, which would begin the row anew: all are taken first. */
    while (variables(s) != NULL && rexx_next(variables(s), &name, &value) == REXX_VAR_OK) {
        char *to = stage_room(s, &all, used + 8 + name.length + value.length) + used;

        memcpy(to, &name.length, 4);
        memcpy(to + 4, &value.length, 4);
        memcpy(to + 8, name.text, name.length);
        memcpy(to + 8 + name.length, value.text, value.length);
        used += 8 + name.length + value.length;
    }
    while (at < used) {
        u32 lengths[2];
        const char *from = all.at + at + 8;

        memcpy(lengths, all.at + at, 8);
        for (u32 n = 0; n < 2; n++) {
            char *line = stage_room(s, &buffer, lengths[n] + 2);

            memcpy(line, n == 0 ? "n " : "v ", 2);
            memcpy(line + 2, from, lengths[n]);
            if (stage_output(s, line, lengths[n] + 2) != 0)
                return 0;
            from += lengths[n];
        }
        at += 8 + lengths[0] + lengths[1];
    }
    return 0;
}

/* VARLOAD: records /name/value; a blank or an asterisk in front is a comment. */
int varload_stage(struct stage *s, struct text arguments)
{
    struct text record;
    const char *end;
    bool reader = true;
    int error;

    if (variables(s) == NULL)
        return stage_error(s, 204);
    if ((error = no_more(s, arguments)) != 0)
        return error;
    while (stage_peek(s, &record) == 0) {
        if (record.length > 1 && *record.at != ' ' && *record.at != '*') {
            end = memchr(record.at + 1, *record.at, record.length - 1);
            if (end == NULL)
                return stage_error(s, 60, record.at, record.length);
            u32 length = (u32)(end - record.at) - 1;

            if ((error = set(s, (struct text){ record.at + 1, length },
                             (struct text){ end + 1, record.length - length - 2 })) != 0)
                return error;
        }
        reader = reader && stage_output(s, record.at, record.length) == 0;
        stage_consume(s);
    }
    return 0;
}

/* The name that a record is, in capitals. */
static int name_of(struct stage *s, struct text record, char name[NAME_MOST + 12], struct text *key)
{
    struct text word = { record.at, length_of(record.at, record.length) };

    skip_blanks(&word);
    if (word.length == 0 || word.length > NAME_MOST)
        return stage_error(s, 205, word.at, word.length);
    for (u32 n = 0; n < word.length; n++)
        name[n] = upper(word.at[n]);
    *key = (struct text){ name, word.length };
    return 0;
}

/* VARDROP: each record is the name of a variable, which is no more. */
int vardrop_stage(struct stage *s, struct text arguments)
{
    char name[NAME_MOST + 12];
    struct text record, key;
    int error = variables(s) == NULL ? stage_error(s, 204) : no_more(s, arguments);

    while (error == 0 && stage_peek(s, &record) == 0) {
        if ((error = name_of(s, record, name, &key)) != 0)
            return error;
        struct rexx_text gone = { key.at, key.length };

        if (variables(s) != NULL)
            (void)rexx_drop(variables(s), REXX_SYMBOLIC, &gone);
        (void)stage_output(s, record.at, record.length);
        stage_consume(s);
    }
    return error;
}

/* VARFETCH: each record is the name of a variable, whose value is written. */
int varfetch_stage(struct stage *s, struct text arguments)
{
    static const char around = '/';
    char name[NAME_MOST + 12];
    struct buffer buffer = { NULL, 0 }, line = { NULL, 0 };
    bool to_load = next_keyword(&arguments, "TOLOAD", 6), there;
    struct text record, key, value;
    int error = variables(s) == NULL ? stage_error(s, 204) : no_more(s, arguments);

    while (error == 0 && stage_peek(s, &record) == 0) {
        if ((error = name_of(s, record, name, &key)) != 0 || (error = fetch(s, key, &value, &there)) != 0)
            return error;
        if (!there && stage_outputs(s) > 1) {
            (void)stage_output_to(s, 1, record.at, record.length);
        } else if (!to_load) {
            (void)output_value(s, &buffer, value);
        } else {
            char *to = stage_room(s, &line, key.length + value.length + 2);

            to[0] = to[key.length + 1] = around;
            memcpy(to + 1, key.at, key.length);
            memcpy(to + key.length + 2, value.at, value.length);
            (void)stage_output(s, to, key.length + value.length + 2);
        }
        if (!stage_has_output(s, 0) && !stage_has_output(s, 1))
            break;
        stage_consume(s);
    }
    return error;
}
