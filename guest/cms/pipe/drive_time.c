/* Stages that wait for the world outside, and what pipelines can be asked. */
#include "drive.h"

struct word_set { name word; };

static void clear_word(void *with)
{
    immediate_clear(((struct word_set *)with)->word);
}

/* IMMCMD: what is typed after an immediate command. */
int immcmd_stage(struct stage *s, struct text arguments)
{
    struct word_set *set = stage_obtain(s, sizeof *set);
    char line[LINE_MOST];
    const char *typed;
    struct text word;
    u32 length;
    int error;

    if (!next_word(&arguments, &word))
        return stage_error(s, 113);
    if (word.length > 8)
        return stage_error(s, 111, word.at, word.length);
    if ((error = no_more(s, arguments)) != 0)
        return error;
    name_from(word, set->word);
    if (immediate_is(set->word))
        return stage_error(s, 295, word.at, word.length);
    if (stage_commit(s, 0) != 0)
        return 0;
    if (!immediate_set(set->word)) {
        stage_say(s, 122, 'S');
        return RC_STORAGE;
    }
    stage_at_end(s, clear_word, set);
    while (stage_has_output(s, 0)) {
        if (!immediate_was_typed(set->word)) {
            wait_for_event(s, (uint64_t)NO_TIME);
            continue;
        }
        length = immediate_arguments(set->word, &typed);
        memcpy(line, typed, length);
        if (stage_output(s, line, length) != 0)
            break;
    }
    return 0;
}

/* +n, +n:n, hh:mm or hh:mm:ss: how many seconds from now. */
static bool seconds_of(struct text word, u32 *seconds)
{
    bool relative = word.length > 0 && *word.at == '+';
    u32 part[3], parts = 0;
    struct moment at;

    if (relative)
        word.at++, word.length--;
    for (;;) {
        u32 n = 0;

        while (n < word.length && word.at[n] != ':')
            n++;
        if (parts == 3 || n > 5 || !parse_number(word.at, n, &part[parts++]))
            return false;
        if (n == word.length)
            break;
        word.at += n + 1;
        word.length -= n + 1;
    }
    if (relative) {
        *seconds = 0;
        for (u32 n = 0; n < parts; n++)
            *seconds = *seconds * 60 + part[n];
        return true;
    }
    if (parts < 2 || part[0] > 24 || part[1] > 59 || (parts > 2 && part[2] > 59))
        return false;
    now(&at);
    *seconds = (part[0] * 3600 + part[1] * 60 + (parts > 2 ? part[2]
                                                 : 0) + 86400 - (at.hour * 3600 + at.minute * 60 + at.second)) % 86400;
    return true;
}

/* DELAY: passes a record when the time in its first word has come. */
int delay_stage(struct stage *s, struct text arguments)
{
    struct text record, rest, word;
    u32 seconds;
    int error = no_more(s, arguments);

    while (error == 0 && stage_peek(s, &record) == 0) {
        rest = record;
        if (!next_word(&rest, &word) || !seconds_of(word, &seconds))
            return stage_error(s, 111, record.at, record.length);
        uint64_t until = tod_clock() + ((uint64_t)seconds * 1000000 << 12);

        while (tod_clock() < until)
            wait_for_event(s, until);
        if (stage_output(s, record.at, record.length) != 0)
            break;
        stage_consume(s);
    }
    return error;
}

/* QUERY: a record about pipelines. */
int query_stage(struct stage *s, struct text arguments)
{
    char line[80];
    u32 length;
    int error;

    if (next_keyword(&arguments, "MSGLEVEL", 6))
        length = format(line, sizeof line, "%u", s->message_level);
    else if (next_keyword(&arguments, "LEVEL", 3))
        length = format(line, sizeof line, "%s", CMS_LEVEL);
    else
        (void)next_keyword(&arguments, "VERSION", 3), length = format(line, sizeof line, "Endicott CMS Pipelines %s",
                                                                      CMS_LEVEL);
    if ((error = no_more(s, arguments)) != 0)
        return error;
    if (stage_output(s, line, length) == 0)
        (void)stage_short(s);
    return 0;
}
