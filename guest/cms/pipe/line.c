/* What many filters need: records that are made or kept, words of their arguments, texts in texts. */
#include "filters.h"

/* ---- records that are made ---- */

char *line_more(struct line *line, u32 length)
{
    u32 before = line->length;

    line->length += length;
    if (line->length > line->buffer.room)
        (void)stage_room(line->stage, &line->buffer, line->length);
    return line->buffer.at + before;
}

void line_add(struct line *line, const char *at, u32 length) { memcpy(line_more(line, length), at, length); }
void line_text(struct line *line, struct text text) { line_add(line, text.at, text.length); }
void line_byte(struct line *line, char c) { *line_more(line, 1) = c; }
void line_fill(struct line *line, char c, u32 count) { memset(line_more(line, count), c, count); }

int line_write(struct line *line)
{
    u32 length = line->length;

    line->length = 0;
    return stage_output(line->stage, line->buffer.at, length);
}

/* ---- records that are kept ---- */

void keep(struct stage *s, struct kept *kept, struct text record)
{
    struct kept_record *new = stage_obtain(s, sizeof *new + record.length);

    new->next = NULL;
    new->length = record.length;
    memcpy(new->at, record.at, record.length);
    if (kept->first == NULL)
        kept->last = &kept->first;
    *kept->last = new;
    kept->last = &new->next;
    kept->count++;
}

struct text oldest(const struct kept *kept) { return (struct text){ kept->first->at, kept->first->length }; }

void forget_oldest(struct stage *s, struct kept *kept)
{
    struct kept_record *gone = kept->first;

    kept->first = gone->next;
    kept->count--;
    stage_release(s, gone);
}

enum { STORE_BLOCK = 16000 };

char *store_room(struct stage *s, struct store *store, u32 length)
{
    char *at;

    if (length > STORE_BLOCK / 4)
        return stage_obtain(s, length);
    if (length > store->left) {
        store->at = stage_obtain(s, STORE_BLOCK);
        store->left = STORE_BLOCK;
    }
    at = store->at;
    store->at += length;
    store->left -= length;
    return at;
}

struct text store_record(struct stage *s, struct store *store, struct text record)
{
    char *at = store_room(s, store, record.length);

    memcpy(at, record.at, record.length);
    return (struct text){ at, record.length };
}

/* ---- passing ---- */

bool is_unread(const struct stage *s)
{
    for (u32 n = stage_outputs(s); n-- > 0;)
        if (stage_has_output(s, n))
            return false;
    return true;
}

int pass(struct stage *s, u32 stream, struct text record)
{
    if (stage_output_to(s, stream, record.at, record.length) == 0)
        return 0;
    return is_unread(s) ? END_OF_FILE : 0;
}

int pass_rest(struct stage *s, u32 stream)
{
    if (!stage_has_output(s, stream))
        return 0;
    stage_select_output(s, stream);
    stage_short(s);
    return 0;
}

int each_record(struct stage *s, record_function *perform, void *with)
{
    struct text record;

    while (stage_peek(s, &record) == 0) {
        int code = perform(s, with, record);

        if (code != 0)
            return code == END_OF_FILE ? 0 : code;
        stage_consume(s);
    }
    return 0;
}

/* ---- arguments ---- */

int not_valid(struct stage *s, struct text word) { return stage_error(s, 111, word.at, word.length); }

int not_valid_next(struct stage *s, struct text rest)
{
    struct text word;

    return next_word(&rest, &word) ? not_valid(s, word) : stage_error(s, 113);
}

bool is_number_next(struct text rest)
{
    struct text word;
    i32 value;

    return peek_word(rest, &word) && is_integer(word, &value);
}

bool is_count_next(struct text rest)
{
    struct text word;

    return is_number_next(rest) || (peek_word(rest, &word) && word.length == 1 && word.at[0] == '*');
}

int next_count(struct stage *s, struct text *rest, u32 least, u32 *count)
{
    i32 value = 0;
    int code;

    if (next_keyword(rest, "*", 1)) {
        *count = ALL_OF_THEM;
        return 0;
    }
    code = next_number(s, rest, &value);
    if (code != 0)
        return code;
    if (value < (i32)least)
        return stage_error(s, 66, value);
    *count = (u32)value;
    return 0;
}

bool next_anycase(struct text *rest)
{
    return next_keyword(rest, "ANYCASE", 3) || next_keyword(rest, "CASEANY", 7) ||
        next_keyword(rest, "CASEIGNORE", 10) ||
           next_keyword(rest, "IGNORECASE", 10);
}

/* ---- texts in texts ---- */

bool same(const char *a, const char *b, u32 length, bool anycase)
{
    if (!anycase)
        return memcmp(a, b, length) == 0;
    for (u32 n = 0; n < length; n++)
        if (a[n] != b[n] && upper(a[n]) != upper(b[n]))
            return false;
    return true;
}

bool begins(struct text text, struct text with, bool anycase)
{
    return text.length >= with.length && same(text.at, with.at, with.length, anycase);
}

bool find_in(struct text text, struct text what, u32 from, bool anycase, u32 *at)
{
    const char *end;

    if (what.length > text.length)
        return false;
    end = text.at + (text.length - what.length) + 1;
    for (const char *here = text.at + from; here < end; here++) {
        if (what.length > 0 && !anycase && (here = memchr(here, *what.at, (size_t)(end - here))) == NULL)
            return false;
        if (same(here, what.at, what.length, anycase)) {
            *at = (u32)(here - text.at);
            return true;
        }
    }
    return false;
}
