/*
 * SPECS: a record made of pieces of others.
 *
 * The arguments become a list of items once (compile), which is performed for each set of input records (cycle): an
 * item takes a piece of a record, a literal, or a number, perhaps converts it, and puts it at a column or after what
 * there is already. At the end of the list, and at WRITE, what was made is written. A record is consumed only then, so
 * that SPECS does not delay it, unless READ wants the next one.
 */
#include "filters.h"

enum source { FROM_RANGE, FROM_LITERAL, FROM_NUMBER, FROM_CLOCK, DO_READ, DO_READSTOP, DO_WRITE, DO_SELECT };
enum whereto { AT_COLUMN, AT_NEXT, AT_NEXTWORD };
enum alignment { ALIGN_LEFT, ALIGN_CENTER, ALIGN_RIGHT };

struct item {
    enum source source;
    struct range range;
    struct text literal;
    i32 from, by;               /* of NUMBER */
    u32 stream;                 /* of SELECT */
    bool strip, converted;
    struct conversion conversion;
    enum whereto whereto;
    u32 column, width;          /* width 0: as long as it is */
    enum alignment alignment;
    char pad;
};

struct input { struct text record; bool used, there; };

struct specs {
    struct stage *stage;
    struct item *item;
    u32 count, room;
    struct input *input;
    u32 inputs, used, current, stop, cycles;
    char pad, word_separator, field_separator;
    struct line out, between, converted;
};

enum { STOP_ALL = 0, TAB = 0x05 };

/* ---- arguments ---- */

static struct item *new_item(struct specs *x, enum source source)
{
    struct item *item;

    if (x->count == x->room) {
        u32 room = x->room == 0 ? 16 : x->room * 2;
        struct item *more = stage_obtain(x->stage, room * sizeof *more);

        if (x->count > 0) {
            memcpy(more, x->item, x->count * sizeof *more);
            stage_release(x->stage, x->item);
        }
        x->item = more;
        x->room = room;
    }
    item = &x->item[x->count++];
    memset(item, 0, sizeof *item);
    item->source = source;
    item->pad = x->pad;
    return item;
}

static int stop_option(struct specs *x, struct text *rest)
{
    if (!next_keyword(rest, "STOP", 4))
        return 0;
    if (next_keyword(rest, "ANYEOF", 6))
        x->stop = 1;
    else if (next_keyword(rest, "ALLEOF", 6))
        x->stop = STOP_ALL;
    else
        return next_count(x->stage, rest, 1, &x->stop);
    return 0;
}

static int next_select(struct specs *x, struct text *rest)
{
    struct text word;
    int stream;

    if (!next_word(rest, &word))
        return stage_error(x->stage, 113);
    stream = stage_stream_named(x->stage, true, word);
    if (stream < 0)
        return stage_error(x->stage, 102, word.at, word.length);
    new_item(x, DO_SELECT)->stream = (u32)stream;
    x->input[stream].used = true;
    return 0;
}

/* What is no field: 1, or that it is one: 0, or an error: -1 and it is in *code. */
static int special(struct specs *x, struct text *rest, int *code)
{
    *code = 0;
    if (next_keyword(rest, "PAD", 3))
        *code = next_character(x->stage, rest, &x->pad);
    else if (next_keyword(rest, "WORDSEPARATOR", 7) || next_keyword(rest, "WS", 2))
        *code = next_character(x->stage, rest, &x->word_separator);
    else if (next_keyword(rest, "FIELDSEPARATOR", 8) || next_keyword(rest, "FS", 2))
        *code = next_character(x->stage, rest, &x->field_separator);
    else if (next_keyword(rest, "SELECT", 6))
        *code = next_select(x, rest);
    else if (next_keyword(rest, "READSTOP", 8))
        new_item(x, DO_READSTOP);
    else if (next_keyword(rest, "READ", 4))
        new_item(x, DO_READ);
    else if (next_keyword(rest, "WRITE", 5))
        new_item(x, DO_WRITE);
    else
        return 0;
    return *code == 0 ? 1 : -1;
}

static int next_source(struct specs *x, struct text *rest, struct item *item)
{
    int code;

    if (next_keyword(rest, "NUMBER", 3) || next_keyword(rest, "RECNO", 5)) {
        item->source = FROM_NUMBER;
        item->from = item->by = 1;
        code = next_keyword(rest, "FROM", 4) ? next_number(x->stage, rest, &item->from) : 0;
        return code == 0 && next_keyword(rest, "BY", 2) ? next_number(x->stage, rest, &item->by) : code;
    }
    if (next_keyword(rest, "TODCLOCK", 3)) {
        item->source = FROM_CLOCK;
        return 0;
    }
    if (is_range_next(*rest)) {
        item->source = FROM_RANGE;
        code = next_range(x->stage, rest, &item->range);
        if (!item->range.separated)
            item->range.separator = item->range.unit == FIELDS ? x->field_separator : x->word_separator;
        item->range.separated = true;
        return code;
    }
    item->source = FROM_LITERAL;
    return next_string(x->stage, rest, &item->literal);
}

/* .n after NEXT and NEXTWORD. */
static bool width_of(struct text word, const char *keyword, u32 least, u32 *width)
{
    struct text stem = { word.at, 0 };
    i32 value;

    *width = 0;
    while (stem.length < word.length && word.at[stem.length] != '.')
        stem.length++;
    if (!is_word(stem, keyword, least))
        return false;
    if (stem.length == word.length)
        return true;
    word.at += stem.length + 1;
    word.length -= stem.length + 1;
    if (!is_integer(word, &value) || value < 1)
        return false;
    *width = (u32)value;
    return true;
}

static int next_place(struct specs *x, struct text *rest, struct item *item)
{
    struct text word;
    u32 from, to, digits = 0;

    if (!next_word(rest, &word))
        return stage_error(x->stage, 113);
    if (width_of(word, "NEXTWORD", 5, &item->width) || width_of(word, "NWORD", 2, &item->width)) {
        item->whereto = AT_NEXTWORD;
        return 0;
    }
    if (width_of(word, "NEXT", 1, &item->width)) {
        item->whereto = AT_NEXT;
        return 0;
    }
    while (digits < word.length && is_digit(word.at[digits]))
        digits++;
    if (!parse_number(word.at, digits, &from))
        return stage_error(x->stage, 58, word.at, word.length);
    item->whereto = AT_COLUMN;
    item->column = from;
    if (digits < word.length) {
        bool range = word.at[digits] == '-' || word.at[digits] == ';';

        if ((!range && word.at[digits] != '.') || !parse_number(word.at + digits + 1, word.length - digits - 1, &to))
            return stage_error(x->stage, 58, word.at, word.length);
        if (range ? to < from : to < 1)
            return stage_error(x->stage, 54, word.at, word.length);
        item->width = range ? to - from + 1 : to;
    }
    return from >= 1 ? 0 : stage_error(x->stage, 66, from);
}

static int compile(struct specs *x, struct text rest)
{
    struct text word;
    int code = stop_option(x, &rest);

    while (code == 0 && peek_word(rest, &word)) {
        struct item *item;

        if (special(x, &rest, &code) != 0)
            continue;
        item = new_item(x, FROM_RANGE);
        code = next_source(x, &rest, item);
        if (code == 0) {
            item->strip = next_keyword(&rest, "STRIP", 5);
            item->converted = peek_word(rest, &word) && conversion_of(word.at, word.length, &item->conversion);
            if (item->converted)
                next_word(&rest, &word);
            code = next_place(x, &rest, item);
        }
        if (next_keyword(&rest, "RIGHT", 1))
            item->alignment = ALIGN_RIGHT;
        else if (next_keyword(&rest, "CENTER", 1) || next_keyword(&rest, "CENTRE", 1))
            item->alignment = ALIGN_CENTER;
        else
            next_keyword(&rest, "LEFT", 1);
    }
    return code != 0 || x->count > 0 ? code : stage_error(x->stage, 113);
}

/* ---- what is made ---- */

/* The text in so many columns: cut, or with pad characters. */
static void align(char *to, struct text text, u32 width, enum alignment alignment, char pad)
{
    u32 before;

    if (text.length >= width) {
        u32 cut = text.length - width;

        memcpy(to, text.at + (alignment == ALIGN_LEFT ? 0 : alignment == ALIGN_RIGHT ? cut : cut / 2), width);
        return;
    }
    before = width - text.length;
    before = alignment == ALIGN_LEFT ? 0 : alignment == ALIGN_RIGHT ? before : before / 2;
    memset(to, pad, before);
    memcpy(to + before, text.at, text.length);
    memset(to + before + text.length, pad, width - before - text.length);
}

static void put(struct specs *x, const struct item *item, struct text text)
{
    struct line *out = &x->out;
    u32 width = item->width > 0 ? item->width : text.length, at = item->column - 1;

    if (width == 0)
        return;
    if (item->whereto != AT_COLUMN) {
        if (item->whereto == AT_NEXTWORD && out->length > 0)
            line_byte(out, ' ');
        at = out->length;
    }
    if (out->length < at)
        line_fill(out, item->pad, at - out->length);
    if (out->length - at < width)
        line_more(out, width - (out->length - at));
    align(out->buffer.at + at, text, width, item->alignment, item->pad);
}

static int take_piece(struct specs *x, const struct item *item, char digits[16], struct text *text)
{
    switch (item->source) {
    case FROM_NUMBER:
        text->at = digits;
        text->length = format(digits, 16, "%10d", (i32)((u32)item->from + x->cycles * (u32)item->by));
        break;
    case FROM_CLOCK:
        system_clock((u8 *)digits);
        *text = (struct text){ digits, 8 };
        break;
    case FROM_LITERAL:
        *text = item->literal;
        break;
    default:
        range_of(&item->range, x->input[x->current].record, text);
    }
    if (item->strip) {
        text->length = length_of(text->at, text->length);
        for (; text->length > 0 && *text->at == ' '; text->at++)
            text->length--;
    }
    if (!item->converted || text->length == 0)
        return 0;
    x->between.length = x->converted.length = 0;
    if (!convert(&item->conversion, text->at, text->length, &x->between, &x->converted)) {
        char pair[3] = { item->conversion.from, '2', item->conversion.to };

        return stage_error(x->stage, 392, pair, (u32)sizeof pair, text->at, text->length);
    }
    *text = (struct text){ x->converted.buffer.at, x->converted.length };
    return 0;
}

/* The record that the stream has now; none: a null one. */
static bool look(struct specs *x, u32 stream)
{
    struct input *input = &x->input[stream];

    stage_select_input(x->stage, stream);
    input->there = stage_peek(x->stage, &input->record) == 0;
    if (!input->there)
        input->record = (struct text){ "", 0 };
    return input->there;
}

enum { SPECS_STOP = -1 };

static int perform(struct specs *x, const struct item *item)
{
    char digits[16];
    struct text text;
    int code;

    switch (item->source) {
    case DO_SELECT:
        x->current = item->stream;
        return 0;
    case DO_WRITE:
        return line_write(&x->out);
    case DO_READ:
    case DO_READSTOP:
        stage_select_input(x->stage, x->current);
        if (x->input[x->current].there)
            stage_consume(x->stage);
        return look(x, x->current) || item->source == DO_READ ? 0 : SPECS_STOP;
    default:
        code = take_piece(x, item, digits, &text);
        if (code == 0)
            put(x, item, text);
        return code;
    }
}

/* One record of each stream that is used, and the list once. END_OF_FILE: that was all. */
static int cycle(struct specs *x)
{
    u32 ended = 0;
    int code = 0;

    for (u32 n = 0; n < x->inputs; n++)
        if (x->input[n].used && !look(x, n))
            ended++;
    if (ended >= (x->stop == STOP_ALL || x->stop > x->used ? x->used : x->stop))
        return END_OF_FILE;
    x->current = 0;
    for (u32 n = 0; code == 0 && n < x->count; n++)
        code = perform(x, &x->item[n]);
    if (code == 0 || code == SPECS_STOP)
        code = line_write(&x->out);
    if (code != 0)
        return code;
    for (u32 n = 0; n < x->inputs; n++) {
        if (!x->input[n].used || !x->input[n].there)
            continue;
        stage_select_input(x->stage, n);
        stage_consume(x->stage);
    }
    x->cycles++;
    return 0;
}

/* Stream 0 is used unless another one is selected first. */
static void count_used(struct specs *x)
{
    for (u32 n = 0; n < x->count && x->item[n].source != DO_SELECT; n++)
        x->input[0].used = true;
    for (u32 n = 0; n < x->inputs; n++)
        x->used += x->input[n].used;
}

int specs_stage(struct stage *s, struct text arguments)
{
    struct specs *x = stage_obtain(s, sizeof *x);
    int code;

    memset(x, 0, sizeof *x);
    x->stage = x->out.stage = x->between.stage = x->converted.stage = s;
    x->pad = x->word_separator = ' ';
    x->field_separator = TAB;
    x->inputs = stage_inputs(s);
    x->input = stage_obtain(s, x->inputs * sizeof *x->input);
    memset(x->input, 0, x->inputs * sizeof *x->input);
    code = compile(x, arguments);
    if (code == 0)
        code = stage_commit(s, 0);
    if (code != 0)
        return code;
    count_used(x);
    do
        code = cycle(x);
    while (code == 0);
    return code == END_OF_FILE ? 0 : code;
}
