/*
 * Statements of records: name, operation, operands, and what is continued.
 *
 * A record whose continuation column (72) is not blank goes on in column 16 of the next. Where the operands end with a
 * comma and a blank, what follows them is a remark, and the operands go on in the next record.
 */
#include "assemble.h"

/* Columns from to to of a line, from 1; the line's trailing blanks may not be there. */
static void add_columns(struct buffer *buffer, struct text line, u32 from, u32 to)
{
    for (u32 n = from; n <= to; n++)
        append_char(buffer, n <= line.length ? line.at[n - 1] : ' ');
}

static bool continued(struct text line) { return line.length > assembly.end && line.at[assembly.end] != ' '; }

/* Where the operands are in the text, if it has any. */
static void split(const struct buffer *buffer, struct record *record)
{
    struct scan scan = { buffer->at, buffer->at + buffer->length };
    struct text *const fields[] = { &record->name, &record->op };

    for (u32 n = 0; n < COUNT_OF(fields); n++) {
        const char *from = scan.at;

        while (scan.at < scan.end && *scan.at != ' ')
            scan.at++;
        *fields[n] = (struct text){ from, (u32)(scan.at - from) };
        while (scan.at < scan.end && *scan.at == ' ')
            scan.at++;
    }
    record->operands = field_of(&scan, text_is(record->op, "AIF") || text_is(record->op, "SETB"));
}

/* The record's texts stay until the level's next. */
bool next_record(struct level *level, struct record *record)
{
    const struct lines *text = level->text;
    struct buffer *buffer = &level->scratch;
    struct text line;
    u32 first = level->at;
    bool done;

    buffer->length = 0;
    memset(record, 0, sizeof *record);
    if (first >= text->count)
        return false;
    line = text->line[level->at++];
    record->image = &text->line[first];
    record->comment = line.length < assembly.begin || line.at[assembly.begin - 1] == '*' ||
                      (line.length > assembly.begin && line.at[assembly.begin - 1] == '.' &&
                       line.at[assembly.begin] == '*');
    if (line.length < assembly.begin)
        record->comment = length_of(line.at, line.length) == 0;
    done = record->comment;
    if (!done)
        add_columns(buffer, line, assembly.begin, assembly.end);
    while (continued(line) && level->at < text->count) {
        if (!done) {
            const char *end;

            split(buffer, record);
            end = record->operands.at + record->operands.length;
            if (end < buffer->at + buffer->length) {
                if (record->operands.length > 0 && end[-1] == ',')
                    buffer->length = (u32)(end - buffer->at);
                else
                    done = record->operands.length > 0;
            }
        }
        line = text->line[level->at++];
        if (!done)
            add_columns(buffer, line, assembly.resume, assembly.end);
    }
    record->images = level->at - first;
    if (!record->comment) {
        split(buffer, record);
        record->comment = record->op.length == 0 && record->name.length == 0;
    }
    return true;
}
