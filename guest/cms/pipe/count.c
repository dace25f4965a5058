/* COUNT, TIMESTAMP and AGGRC: how much there is, when, and how bad it was. */
#include "filters.h"
#include "internal.h"

enum measure { CHARACTERS, WORDS_TOTAL, LINES, SHORTEST, LONGEST, MEASURES };

struct counting { bool wanted[MEASURES]; uint64_t total[MEASURES]; bool passes; };

static u32 words_in(struct text record)
{
    u32 words = 0;

    for (u32 n = 0; n < record.length; n++)
        words += record.at[n] != ' ' && (n == 0 || record.at[n - 1] == ' ');
    return words;
}

static int count_record(struct stage *s, void *with, struct text record)
{
    struct counting *c = with;

    c->total[CHARACTERS] += record.length;
    if (c->wanted[WORDS_TOTAL])
        c->total[WORDS_TOTAL] += words_in(record);
    if (c->total[LINES] == 0 || record.length < c->total[SHORTEST])
        c->total[SHORTEST] = record.length;
    if (record.length > c->total[LONGEST])
        c->total[LONGEST] = record.length;
    c->total[LINES]++;
    return c->passes ? pass(s, 0, record) : 0;
}

static void add_number(struct line *line, uint64_t value)
{
    char digits[20];
    u32 n = sizeof digits;

    do
        digits[--n] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    line_add(line, digits + n, (u32)sizeof digits - n);
}

int count_stage(struct stage *s, struct text arguments)
{
    static const struct { const char *word; u32 least; enum measure measure; } words[] = {
        { "CHARACTERS", 4, CHARACTERS }, { "CHARS", 5, CHARACTERS }, { "BYTES", 4, CHARACTERS },
        { "WORDS", 4, WORDS_TOTAL },
        { "LINES", 4, LINES }, { "RECORDS", 6, LINES }, { "MINLINE", 3, SHORTEST }, { "MAXLINE", 3, LONGEST },
    };
    struct counting c = { .passes = stage_outputs(s) > 1 };
    struct line line = { .stage = s };
    struct text word;
    bool any = false;
    int code = 0;

    while (code == 0 && next_word(&arguments, &word)) {
        code = -1;
        for (u32 n = 0; n < COUNT_OF(words) && code != 0; n++)
            if (is_word(word, words[n].word, words[n].least)) {
                c.wanted[words[n].measure] = any = true;
                code = 0;
            }
        if (code != 0)
            return not_valid(s, word);
    }
    if (!any)
        return stage_error(s, 113);
    each_record(s, count_record, &c);
    for (u32 n = 0; n < MEASURES; n++) {
        if (!c.wanted[n])
            continue;
        if (line.length > 0)
            line_byte(&line, ' ');
        add_number(&line, c.total[n]);
    }
    stage_output_to(s, c.passes ? 1 : 0, line.buffer.at, line.length);
    return 0;
}

/* ---- TIMESTAMP: yyyymmddhhmmssth, or part of it, in front ---- */

enum { STAMP_LENGTH = 16, TIME_OF_DAY = 8 };

struct stamping { u32 from, length; char how; struct line line; };

static int stamp_record(struct stage *s, void *with, struct text record)
{
    struct stamping *t = with;
    char stamp[STAMP_LENGTH + 1], shown[24];
    const char *a = stamp;

    system_now(stamp);
    t->line.length = 0;
    switch (t->how) {
    case 'S':
        line_add(&t->line, shown, format(shown, sizeof shown, "%c%c/%c%c/%c%c", a[4], a[5], a[6], a[7], a[2], a[3]));
        break;
    case 'F':
        line_add(&t->line, shown, format(shown, sizeof shown, "%c%c/%c%c/%c%c%c%c", a[4], a[5], a[6], a[7], a[0], a[1],
                                         a[2], a[3]));
        break;
    case 'I':
        line_add(&t->line, shown, format(shown, sizeof shown, "%c%c%c%c-%c%c-%c%c", a[0], a[1], a[2], a[3], a[4], a[5],
                                         a[6], a[7]));
        break;
    default:
        line_add(&t->line, stamp + t->from, t->length);
    }
    if (t->how != 0)
        line_add(&t->line, shown, format(shown, sizeof shown, " %c%c:%c%c:%c%c ", a[8], a[9], a[10], a[11], a[12],
                                         a[13]));
    line_text(&t->line, record);
    return pass(s, 0, (struct text){ t->line.buffer.at, t->line.length });
}

int timestamp_stage(struct stage *s, struct text arguments)
{
    struct stamping t = { .from = STAMP_LENGTH - TIME_OF_DAY, .length = TIME_OF_DAY, .line = { .stage = s } };
    u32 from = TIME_OF_DAY, length = 0;
    int code = 0;

    if (next_keyword(&arguments, "SHORTDATE", 3))
        t.how = 'S';
    else if (next_keyword(&arguments, "FULLDATE", 4))
        t.how = 'F';
    else if (next_keyword(&arguments, "ISODATE", 3))
        t.how = 'I';
    skip_blanks(&arguments);
    if (t.how == 0 && arguments.length > 0) {
        code = next_count(s, &arguments, 1, &from);
        skip_blanks(&arguments);
        if (code == 0 && arguments.length > 0)
            code = next_count(s, &arguments, 1, &length);
        /* So many from the right, and so many of those. */
        if (code == 0 && (from > STAMP_LENGTH || length > from))
            code = stage_error(s, 66, from > STAMP_LENGTH ? from : length);
        t.from = STAMP_LENGTH - from;
        t.length = length > 0 ? length : from;
    }
    if (code == 0)
        code = no_more(s, arguments);
    return code != 0 ? code : each_record(s, stamp_record, &t);
}

/* ---- AGGRC: the worst of many return codes ---- */

int aggrc_stage(struct stage *s, struct text arguments)
{
    struct text record, word;
    char line[12];
    int worst = 0;
    i32 code;
    int error = no_more(s, arguments);

    for (; error == 0 && stage_peek(s, &record) == 0; stage_consume(s)) {
        while (next_word(&record, &word)) {
            if (!is_integer(word, &code))
                return stage_error(s, 58, word.at, word.length);
            worst = worse(worst, code);
        }
    }
    if (error != 0 || !stage_has_output(s, 0))
        return error != 0 ? error : worst;
    stage_output(s, line, format(line, sizeof line, "%d", worst));
    return 0;
}
