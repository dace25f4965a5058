/*
 * UPDATE: an update file, on input 1, applied to the records of input 0.
 *
 * The statements are those of the command UPDATE: ./ I, D, R, S and *, and records to be inserted after I and R.
 * Records are known by their sequence numbers, which rise; so one pass does it. Output 0 gets the records, output 1, if
 * there is one, a line of what became of each that was inserted or deleted, and of each statement.
 */
#include "filters.h"

struct update {
    struct stage *stage;
    u32 from, width;                    /* the columns of the sequence number */
    bool renumber, numbering;           /* ./ S; $ of I and R */
    u32 next, step, inserted, inserted_step;
    i32 last;                           /* the number of the last record that was passed; -1: none */
    struct line line;
};

enum { NO_NUMBER = -1, NUMBER_MOST = 99999999 };

static struct text field_of(const struct update *update, struct text record)
{
    struct text field = { record.at + update->from - 1, 0 };

    if (record.length >= update->from)
        field.length = record.length - update->from + 1 < update->width ? record.length - update->from + 1
            : update->width;
    return field;
}

static i32 sequence_of(const struct update *update, struct text record)
{
    struct text field = field_of(update, record);
    i32 value;

    return field.length == update->width && is_integer(field, &value) && value >= 0 ? value : NO_NUMBER;
}

static int told(struct update *update, const char *what, struct text record)
{
    if (!stage_has_output(update->stage, 1))
        return 0;
    update->line.length = 0;
    line_add(&update->line, what, (u32)strlen(what));
    line_text(&update->line, record);
    stage_output_to(update->stage, 1, update->line.buffer.at, update->line.length);
    update->line.length = 0;
    return 0;
}

/* The record with a number, or asterisks, in its field. */
static int put_numbered(struct update *update, struct text record, bool numbered, u32 number)
{
    char digits[10];
    u32 n = update->width;
    int code;

    for (u32 k = n; k > 0; k--, number /= 10)
        digits[k - 1] = (char)(numbered ? '0' + number % 10 : '*');
    update->line.length = 0;
    line_add(&update->line, record.at, record.length < update->from ? record.length : update->from - 1);
    if (record.length < update->from - 1)
        line_fill(&update->line, ' ', update->from - 1 - record.length);
    line_add(&update->line, digits, n);
    if (record.length > update->from - 1 + n)
        line_add(&update->line, record.at + update->from - 1 + n, record.length - (update->from - 1 + n));
    code = stage_output_to(update->stage, 0, update->line.buffer.at, update->line.length);
    update->line.length = 0;
    return code;
}

static int put(struct update *update, struct text record)
{
    u32 number = update->next;

    if (!update->renumber)
        return stage_output_to(update->stage, 0, record.at, record.length);
    update->next += update->step;
    return put_numbered(update, record, true, number);
}

/* The next record of the source or of the update file. */
static bool next_of(struct update *update, u32 stream, struct text *record)
{
    stage_select_input(update->stage, stream);
    return stage_has_input(update->stage, stream) && stage_peek(update->stage, record) == 0;
}

static void took(struct update *update, u32 stream)
{
    stage_select_input(update->stage, stream);
    stage_consume(update->stage);
}

/* Copies what is in front of `wanted`, and if `with` that record, too. 0, END_OF_FILE, or the error. */
static int copy_to(struct update *update, i32 wanted, bool with)
{
    struct text record;

    while (next_of(update, 0, &record)) {
        i32 here = sequence_of(update, record);
        bool is_it = here == wanted;
        int code;

        if (here > wanted || (is_it && !with))
            return is_it ? 0 : stage_error(update->stage, 411, wanted);
        code = put(update, record);
        if (code != 0)
            return code;
        if (here != NO_NUMBER)
            update->last = here;
        took(update, 0);
        if (is_it)
            return 0;
    }
    return stage_error(update->stage, 411, wanted);
}

static int drop_to(struct update *update, i32 last)
{
    struct text record;

    while (next_of(update, 0, &record)) {
        i32 here = sequence_of(update, record);

        if (here > last)
            break;
        told(update, "DELETED  ", record);
        if (here != NO_NUMBER)
            update->last = here;
        took(update, 0);
        if (here == last)
            return 0;
    }
    return stage_error(update->stage, 411, last);
}

/* Records of the update file up to its next statement go into the output. */
static int insert(struct update *update)
{
    struct text record;
    int code = 0;

    while (code == 0 && next_of(update, 1, &record) && !(record.length >= 2 && memcmp(record.at, "./", 2) == 0)) {
        told(update, "INSERTED ", record);
        if (update->renumber) {
            code = put(update, record);
        } else {
            code = put_numbered(update, record, update->numbering, update->inserted);
            update->inserted += update->inserted_step;
        }
        took(update, 1);
    }
    return code;
}

/* One tenth of the last digit that is not zero, at most 100, at least 1. */
static u32 usual_step(u32 number)
{
    u32 unit = 1;

    while (number != 0 && number % (unit * 10) == 0 && unit < 1000)
        unit *= 10;
    return unit < 10 ? 1 : unit / 10;
}

/* Up to two numbers. */
static u32 numbers(struct text *rest, i32 value[2])
{
    struct text word, ahead = *rest;
    u32 count = 0;

    while (count < 2 && next_word(&ahead, &word) && is_integer(word, &value[count]) && value[count] >= 0 &&
           value[count] <= NUMBER_MOST) {
        count++;
        *rest = ahead;
    }
    return count;
}

/* I, D, R with their numbers, and S. */
static int change(struct update *update, struct text statement, struct text what, struct text rest, bool first)
{
    i32 value[2], after[2];
    u32 count = numbers(&rest, value), more = 0;
    bool numbering = next_keyword(&rest, "$", 1);
    int code = 0;

    if (is_word(what, "S", 1)) {
        if (!first || numbering || length_of(rest.at, rest.length) != 0)
            return stage_error(update->stage, 412, statement.at, statement.length);
        update->renumber = true;
        update->step = count > 1 ? (u32)value[1] : 1000;
        update->next = count > 0 ? (u32)value[0] : update->step;
        return 0;
    }
    if (numbering)
        more = numbers(&rest, after);
    if (count == 0 || (is_word(what, "I", 1) && count > 1) || (count > 1 && value[1] < value[0]) ||
        length_of(rest.at, rest.length) != 0)
        return stage_error(update->stage, 412, statement.at, statement.length);
    if (count == 1)
        value[1] = value[0];
    update->numbering = numbering;
    update->inserted_step = more > 1 ? (u32)after[1] : usual_step((u32)value[0]);
    update->inserted = more > 0 ? (u32)after[0] : (u32)value[0] + update->inserted_step;
    if (is_word(what, "I", 1)) {
        if (value[0] != 0 && value[0] != update->last)
            code = copy_to(update, value[0], true);
        return code != 0 ? code : insert(update);
    }
    code = copy_to(update, value[0], false);
    if (code == 0)
        code = drop_to(update, value[1]);
    return code == 0 && is_word(what, "R", 1) ? insert(update) : code;
}

static int statement_of(struct update *update, struct text record, bool *first)
{
    struct text rest = { record.at + 2, record.length - 2 }, what;
    bool is_first = *first;

    if (record.length < 2 || memcmp(record.at, "./", 2) != 0 || !next_word(&rest, &what))
        return stage_error(update->stage, 412, record.at, record.length);
    told(update, "         ", record);
    if (is_word(what, "*", 1))
        return 0;
    *first = false;
    if (!is_word(what, "I", 1) && !is_word(what, "D", 1) && !is_word(what, "R", 1) && !is_word(what, "S", 1))
        return stage_error(update->stage, 412, record.at, record.length);
    return change(update, record, what, rest, is_first);
}

int update_stage(struct stage *s, struct text arguments)
{
    struct update update = { .stage = s, .from = 73, .width = 8, .last = NO_NUMBER, .line = { .stage = s } };
    struct text rest = arguments, record;
    bool first = true;
    int code = 0;

    if (is_range_next(rest)) {
        struct range range;

        code = next_range(s, &rest, &range);
        if (code == 0 && (range.unit != COLUMNS || range.from < 1 || range.to < range.from ||
                          range.to - range.from > 7))
            code = stage_error(s, 54, arguments.at, arguments.length);
        update.from = (u32)range.from;
        update.width = (u32)(range.to - range.from + 1);
    }
    if (code == 0)
        code = no_more(s, rest);
    if (code == 0 && stage_inputs(s) < 2)
        code = stage_error(s, 222);
    if (code != 0 || stage_commit(s, 0) != 0)
        return code;
    while (code == 0 && next_of(&update, 1, &record)) {
        /* The statement is needed after the next one has been looked for. */
        char *kept = stage_obtain(s, record.length + 1);

        memcpy(kept, record.at, record.length);
        record.at = kept;
        took(&update, 1);
        code = statement_of(&update, record, &first);
        stage_release(s, kept);
    }
    while (code == 0 && next_of(&update, 0, &record)) {
        code = put(&update, record);
        took(&update, 0);
    }
    return code == END_OF_FILE ? 0 : code;
}
