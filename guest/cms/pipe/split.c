/* Filters that make several records of one, or one of several: SPLIT, JOIN, JOINCONT, TOKENIZE, SNAKE and DUPLICATE. */
#include "filters.h"

/* ---- SPLIT ---- */

enum splitting { SPLIT_AT, SPLIT_BEFORE, SPLIT_AFTER };
struct split { enum splitting how; i32 offset; u32 least; struct target target; };

/* Nothing is written where there is nothing. */
static int pass_part(struct stage *s, struct text record, u32 from, u32 to)
{
    return to > from ? pass(s, 0, (struct text){ record.at + from, to - from }) : 0;
}

static int split_record(struct stage *s, void *with, struct text record)
{
    struct split *split = with;
    u32 from = 0, look = split->least, at, length;
    int code = 0;

    while (code == 0 && find_target(&split->target, record, look, &at, &length)) {
        int64_t end = (int64_t)at + split->offset + (split->how == SPLIT_AFTER ? length : 0);

        if (split->how == SPLIT_AT) {
            code = pass_part(s, record, from, at);
            from = at + length;
        } else if (end > from && end < record.length) {
            code = pass_part(s, record, from, (u32)end);
            from = (u32)end;
        }
        look = at + length;
        if (split->least > 0 && look < from + split->least)
            look = from + split->least;
    }
    return code != 0 ? code : pass_part(s, record, from, record.length);
}

int split_stage(struct stage *s, struct text arguments)
{
    struct split split = { .how = SPLIT_AT };
    struct text rest, word;
    int code = 0;

    split.target.anycase = next_anycase(&arguments);
    if (next_keyword(&arguments, "MINIMUM", 3))
        code = next_count(s, &arguments, 0, &split.least);
    /* A number is one only in front of BEFORE or AFTER. */
    rest = arguments;
    if (code == 0 && is_number_next(arguments) && next_word(&rest, &word) && peek_word(rest, &word) &&
        (is_word(word, "BEFORE", 6) || is_word(word, "AFTER", 5)))
        code = next_number(s, &arguments, &split.offset);
    if (next_keyword(&arguments, "BEFORE", 6))
        split.how = SPLIT_BEFORE;
    else if (next_keyword(&arguments, "AFTER", 5))
        split.how = SPLIT_AFTER;
    else
        next_keyword(&arguments, "AT", 2);
    if (code == 0)
        code = next_target(s, &arguments, &split.target);
    if (code == 0)
        code = no_more(s, arguments);
    return code != 0 ? code : each_record(s, split_record, &split);
}

/* ---- JOIN ---- */

int join_stage(struct stage *s, struct text arguments)
{
    struct line line = { .stage = s };
    struct text record, between = { "", 0 };
    u32 count = 1, joined = 0, most = ALL_OF_THEM, key = 0;
    int code = 0;

    if (next_keyword(&arguments, "KEYLENGTH", 9)) {
        count = ALL_OF_THEM;
        code = next_count(s, &arguments, 1, &key);
    } else if (is_count_next(arguments)) {
        code = next_count(s, &arguments, 0, &count);
    }
    skip_blanks(&arguments);
    if (code == 0 && arguments.length > 0 && !is_count_next(arguments))
        code = next_string(s, &arguments, &between);
    skip_blanks(&arguments);
    if (code == 0 && arguments.length > 0)
        code = next_count(s, &arguments, 1, &most);
    if (code == 0)
        code = no_more(s, arguments);
    if (code != 0)
        return code;
    while (stage_peek(s, &record) == 0) {
        /* A record of another key, or for which there is no room, begins the next one. */
        bool alike = key == 0 || (joined > 0 && record.length >= key && line.length >= key &&
                                  memcmp(record.at, line.buffer.at, key) == 0);

        if (joined > 0 && alike && key > 0)
            record = (struct text){ record.at + key, record.length - key };
        if (joined > 0 && (!alike || (uint64_t)line.length + between.length + record.length > most)) {
            if (line_write(&line) != 0)
                return 0;
            joined = 0;
            (void)stage_peek(s, &record);
        }
        if (joined > 0)
            line_text(&line, between);
        line_text(&line, record);
        joined++;
        /* The last one to be joined is not consumed until they are written. */
        if (count != ALL_OF_THEM && joined > count) {
            if (line_write(&line) != 0)
                return 0;
            joined = 0;
        }
        stage_consume(s);
    }
    if (joined > 0)
        line_write(&line);
    return 0;
}

/* ---- JOINCONT: records that go on ---- */

int joincont_stage(struct stage *s, struct text arguments)
{
    struct line line = { .stage = s };
    struct target target = { 0 };
    struct text record, between = { "", 0 };
    bool inverted, leading, kept, any = false, goes_on = false;
    int code;

    target.anycase = next_anycase(&arguments);
    inverted = next_keyword(&arguments, "NOT", 3);
    leading = next_keyword(&arguments, "LEADING", 4);
    if (!leading)
        next_keyword(&arguments, "TRAILING", 5);
    kept = next_keyword(&arguments, "KEEP", 4);
    skip_blanks(&arguments);
    code = arguments.length == 0 ? stage_error(s, 113) : next_target(s, &arguments, &target);
    skip_blanks(&arguments);
    if (code == 0 && arguments.length > 0)
        code = next_string(s, &arguments, &between);
    if (code == 0)
        code = no_more(s, arguments);
    if (code != 0)
        return code;
    while (stage_peek(s, &record) == 0) {
        u32 end = record.length, begin = 0;
        bool found = leading ? (begin = target_at(&target, record, 0)) > 0 : target_before(&target, record, &end);

        if (kept)
            begin = 0, end = record.length;
        if (leading)
            goes_on = any && found != inverted;
        if (!goes_on && any && line_write(&line) != 0)
            return 0;
        if (goes_on)
            line_text(&line, between);
        else
            begin = 0;
        if (!leading)
            goes_on = found != inverted;
        line_add(&line, record.at + begin, end - begin);
        any = true;
        stage_consume(s);
    }
    if (any)
        line_write(&line);
    return 0;
}

/* ---- TOKENIZE: words, and characters that are words by themselves ---- */

struct tokenizing { struct text single, closing; bool closes; };

static int tokenize_record(struct stage *s, void *with, struct text record)
{
    struct tokenizing *t = with;
    u32 at = 0;
    int code = 0;

    while (code == 0 && at < record.length) {
        u32 end = at;

        while (end < record.length && record.at[end] != ' ' &&
               memchr(t->single.at, record.at[end], t->single.length) == NULL)
            end++;
        if (end == at && record.at[at] != ' ')
            end++;
        code = pass_part(s, record, at, end);
        at = end > at ? end : at + 1;
    }
    return code == 0 && t->closes ? pass(s, 0, t->closing) : code;
}

int tokenize_stage(struct stage *s, struct text arguments)
{
    struct tokenizing t = { 0 };
    int code = next_string(s, &arguments, &t.single);

    skip_blanks(&arguments);
    t.closes = code == 0 && arguments.length > 0;
    if (t.closes)
        code = next_string(s, &arguments, &t.closing);
    if (code == 0)
        code = no_more(s, arguments);
    return code != 0 ? code : each_record(s, tokenize_record, &t);
}

/* ---- DUPLICATE ---- */

static int duplicate_record(struct stage *s, void *with, struct text record)
{
    int code = is_unread(s) ? END_OF_FILE : 0;

    for (u32 n = *(u32 *)with; code == 0 && n > 0; n -= n != ALL_OF_THEM)
        code = pass(s, 0, record);
    return code;
}

int duplicate_stage(struct stage *s, struct text arguments)
{
    u32 times = 2;
    int code = 0;

    skip_blanks(&arguments);
    if (next_keyword(&arguments, "-1", 2))
        times = 0;
    else if (arguments.length > 0) {
        code = next_count(s, &arguments, 0, &times);
        times += times != ALL_OF_THEM;
    }
    if (code == 0)
        code = no_more(s, arguments);
    return code != 0 ? code : each_record(s, duplicate_record, &times);
}

/* ---- SNAKE: columns of records, side by side ---- */

/* How many rows there are on a page that has `count` records. */
static int write_page(struct line *line, struct kept_record **page, u32 count, u32 columns, u32 depth)
{
    u32 rows = depth > 0 ? depth : (count + columns - 1) / columns;
    int code = 0;

    for (u32 row = 0; code == 0 && row < rows && row < count; row++) {
        for (u32 n = row; n < count; n += rows)
            line_add(line, page[n]->at, page[n]->length);
        code = line_write(line);
    }
    return code;
}

int snake_stage(struct stage *s, struct text arguments)
{
    struct kept kept = { 0 };
    struct line line = { .stage = s };
    struct text record;
    u32 columns = 1, depth = 0;
    int code = next_count(s, &arguments, 1, &columns);

    skip_blanks(&arguments);
    if (code == 0 && arguments.length > 0)
        code = next_count(s, &arguments, 1, &depth);
    if (code == 0)
        code = no_more(s, arguments);
    if (code != 0)
        return code;
    for (bool more = true; more;) {
        uint64_t most = depth > 0 ? (uint64_t)columns * depth : ALL_OF_THEM;
        struct kept_record **page;
        u32 count = 0;

        for (; (more = stage_peek(s, &record) == 0) && kept.count < most; stage_consume(s))
            keep(s, &kept, record);
        page = stage_obtain(s, (kept.count + 1) * sizeof *page);
        for (struct kept_record *one = kept.first; one != NULL; one = one->next)
            page[count++] = one;
        code = write_page(&line, page, count, columns, depth);
        stage_release(s, page);
        while (kept.count > 0)
            forget_oldest(s, &kept);
        if (code != 0)
            return 0;
    }
    return 0;
}
