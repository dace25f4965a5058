/*
 * BLOCK, DEBLOCK and FBLOCK: records side by side in blocks, and back.
 *
 * How a record is told from the next one is the format:
 *   FIXED             all are of one length, and a block has a whole number of them
 *   V VB VS VBS       four bytes with the length in front of each, and four for the block's own; S: they may go on in
 * the next block
 *   CMS, CMS4         the length of the data in two (four) bytes, which may be anywhere in blocks
 *   SF, SF4           the same, but the length counts itself
 *   LINEND c, STRING  a character (X'15') or string after each; CRLF is X'0D25'
 *   NETDATA           pieces of at most 253 bytes after their length and a flag: X'80' the first, X'40' the last
 */
#include "filters.h"

enum blocking { FIXED, VARIABLE, VARIABLE_BLOCKED, SPANNED, SPANNED_BLOCKED, COUNTED, COUNTED_WITH, ENDED, NETDATA };
enum { PREFIX = 4, SEGMENT_MOST = 253, SEGMENT_FIRST = 0x80, SEGMENT_LAST = 0x40, LINE_END = 0x15, CARD = 80,
       BLOCK_MOST_V = 32760 };

struct format { enum blocking blocking; u32 size, length_bytes; struct text ending; bool terminated; };

static const struct { const char *word; u32 least; enum blocking blocking; u32 length_bytes; } formats[] = {
    { "FIXED", 1, FIXED, 0 }, { "VARIABLE", 1, VARIABLE, 0 }, { "VB", 2, VARIABLE_BLOCKED, 0 }, { "VS", 2, SPANNED, 0 },
    { "VBS", 3, SPANNED_BLOCKED, 0 }, { "CMS", 3, COUNTED, 2 }, { "CMS4", 4, COUNTED, 4 }, { "SF", 2, COUNTED_WITH, 2 },
    { "SF4", 3, COUNTED_WITH, 4 }, { "NETDATA", 3, NETDATA, 0 },
};

static int next_format(struct stage *s, struct text *rest, struct format *format)
{
    static const char crlf[] = { 0x0d, 0x25 };
    char *end = stage_obtain(s, 1);

    *end = LINE_END;
    for (u32 n = 0; n < COUNT_OF(formats); n++)
        if (next_keyword(rest, formats[n].word, formats[n].least)) {
            format->blocking = formats[n].blocking;
            format->length_bytes = formats[n].length_bytes;
            return 0;
        }
    if (next_keyword(rest, "CRLF", 4)) {
        format->blocking = ENDED;
        format->ending = (struct text){ crlf, sizeof crlf };
    } else if (next_keyword(rest, "LINEND", 4)) {
        struct text word;

        format->blocking = ENDED;
        format->ending = (struct text){ end, 1 };
        if (peek_word(*rest, &word) && !is_word(word, "TERMINATE", 4)) {
            int code = next_character(s, rest, end);

            if (code != 0)
                return code;
        }
    } else if (next_keyword(rest, "STRING", 3)) {
        int code = next_string(s, rest, &format->ending);

        format->blocking = ENDED;
        if (code != 0 || format->ending.length == 0)
            return code != 0 ? code : stage_error(s, 63);
    }
    if (format->blocking == ENDED)
        format->terminated = next_keyword(rest, "TERMINATE", 4);
    return 0;
}

/* ---- BLOCK ---- */

struct block_out { struct stage *stage; struct format format; struct line line; u32 record; };

static bool begins_with_prefix(const struct format *f)
{
    return f->blocking >= VARIABLE && f->blocking <= SPANNED_BLOCKED;
}

static void put_length(struct line *line, u32 bytes, u32 length)
{
    while (bytes-- > 0)
        line_byte(line, (char)(length >> bytes * 8));
}

static int write_block(struct block_out *b)
{
    u32 length = b->line.length;

    if (length <= (begins_with_prefix(&b->format) ? PREFIX : 0u))
        return 0;
    if (begins_with_prefix(&b->format)) {
        b->line.buffer.at[0] = (char)(length >> 8);
        b->line.buffer.at[1] = (char)length;
    }
    return line_write(&b->line);
}

/* What may be anywhere in blocks. */
static int flow(struct block_out *b, const char *at, u32 length)
{
    int code = 0;

    while (code == 0 && length > 0) {
        u32 room = b->format.size - b->line.length, now = length < room ? length : room;

        line_add(&b->line, at, now);
        at += now;
        length -= now;
        if (b->line.length == b->format.size)
            code = line_write(&b->line);
    }
    return code;
}

static int flow_length(struct block_out *b, u32 bytes, u32 length)
{
    char prefix[PREFIX];

    for (u32 n = 0; n < bytes; n++)
        prefix[n] = (char)(length >> (bytes - 1 - n) * 8);
    return flow(b, prefix, bytes);
}

static void add_piece(struct block_out *b, const char *at, u32 length, u32 flag)
{
    if (b->line.length == 0)
        put_length(&b->line, PREFIX, 0);
    put_length(&b->line, 2, length + PREFIX);
    put_length(&b->line, 2, flag << 8);
    line_add(&b->line, at, length);
}

/* V and VB: a record must fit. VS and VBS: it goes on in the next block, with flags 1 first, 3 middle, 2 last. */
static int block_variable(struct block_out *b, struct text record)
{
    const struct format *f = &b->format;
    bool spanned = f->blocking == SPANNED || f->blocking == SPANNED_BLOCKED, first = true;
    bool several = f->blocking == VARIABLE_BLOCKED || f->blocking == SPANNED_BLOCKED;
    int code = 0;

    if (!spanned && record.length > f->size - 2 * PREFIX)
        return stage_error(b->stage, 401, record.length);
    for (;;) {
        u32 used = b->line.length == 0 ? PREFIX : b->line.length, room, now;

        if (b->line.length > 0 && (f->size - used < PREFIX + (spanned && record.length > 0 ? 1u : 0u) ||
                                   (!spanned && f->size - used < PREFIX + record.length))) {
            code = write_block(b);
            if (code != 0)
                return code;
            continue;
        }
        room = f->size - used - PREFIX;
        now = record.length < room ? record.length : room;
        add_piece(b, record.at, now, (first ? 0u : 2u) | (now < record.length ? 1u : 0u));
        /* A middle piece is neither the first nor the last. */
        first = false;
        record.at += now;
        record.length -= now;
        if (!several || record.length > 0)
            code = write_block(b);
        if (code != 0 || record.length == 0)
            return code;
    }
}

static int block_netdata(struct block_out *b, struct text record)
{
    u32 flag = SEGMENT_FIRST;
    int code = 0;

    do {
        u32 now = record.length < SEGMENT_MOST ? record.length : SEGMENT_MOST;

        if (now == record.length)
            flag |= SEGMENT_LAST;
        code = flow_length(b, 2, (now + 2) << 8 | flag);
        if (code == 0)
            code = flow(b, record.at, now);
        flag = 0;
        record.at += now;
        record.length -= now;
    } while (code == 0 && record.length > 0);
    return code;
}

static int block_record(struct stage *s, void *with, struct text record)
{
    struct block_out *b = with;
    const struct format *f = &b->format;
    u32 most = f->length_bytes == 2 ? 0xffff : 0x7fffffff, counted = record.length;
    int code = 0;

    switch (f->blocking) {
    case FIXED:
        if (b->record == 0)
            b->record = record.length;
        if (record.length != b->record || record.length == 0 || f->size % record.length != 0)
            return stage_error(s, 401, record.length);
        line_text(&b->line, record);
        return b->line.length == f->size ? line_write(&b->line) : 0;
    case COUNTED:
    case COUNTED_WITH:
        counted += f->blocking == COUNTED_WITH ? f->length_bytes : 0;
        if (counted > most)
            return stage_error(s, 401, record.length);
        code = flow_length(b, f->length_bytes, counted);
        return code != 0 ? code : flow(b, record.at, record.length);
    case ENDED:
        /* TERMINATE: after the last one, too; otherwise only between. */
        if (!f->terminated && b->record++ > 0)
            code = flow(b, f->ending.at, f->ending.length);
        if (code == 0)
            code = flow(b, record.at, record.length);
        return code == 0 && f->terminated ? flow(b, f->ending.at, f->ending.length) : code;
    case NETDATA:
        return block_netdata(b, record);
    default:
        return block_variable(b, record);
    }
}

int block_stage(struct stage *s, struct text arguments)
{
    struct block_out *b = stage_obtain(s, sizeof *b);
    u32 least;
    int code;

    memset(b, 0, sizeof *b);
    b->stage = b->line.stage = s;
    code = next_count(s, &arguments, 1, &b->format.size);
    if (code == 0)
        code = next_format(s, &arguments, &b->format);
    least = begins_with_prefix(&b->format) ? 2 * PREFIX + 1 : 1;
    if (code == 0 && (b->format.size < least || (begins_with_prefix(&b->format) && b->format.size > BLOCK_MOST_V)))
        code = stage_error(s, 66, b->format.size);
    if (code == 0)
        code = no_more(s, arguments);
    if (code != 0)
        return code;
    code = each_record(s, block_record, b);
    if (code == 0)
        write_block(b);
    return code;
}

/* ---- DEBLOCK ---- */

struct block_in { struct stage *stage; struct format format; struct line line; bool begun; };

static u32 length_at(const char *at, u32 bytes)
{
    u32 length = 0;

    for (u32 n = 0; n < bytes; n++)
        length = length << 8 | (u8)at[n];
    return length;
}

static int deblock_fixed(struct block_in *b, struct text block)
{
    int code = 0;

    for (u32 at = 0; code == 0 && at < block.length; at += b->format.size) {
        u32 rest = block.length - at;

        code = pass(b->stage, 0, (struct text){ block.at + at, rest < b->format.size ? rest : b->format.size });
    }
    return code;
}

static int deblock_variable(struct block_in *b, struct text block)
{
    u32 at = PREFIX, length;
    int code = 0;

    if (block.length < PREFIX || length_at(block.at, 2) != block.length)
        return stage_error(b->stage, 402);
    for (; code == 0 && at < block.length; at += length) {
        u32 flag = block.length - at < PREFIX ? 0xff : (u8)block.at[at + 2];

        length = flag > 3 ? 0 : length_at(block.at + at, 2);
        if (length < PREFIX || length > block.length - at || ((flag & 2) != 0) != b->begun)
            return stage_error(b->stage, 402);
        line_add(&b->line, block.at + at + PREFIX, length - PREFIX);
        b->begun = (flag & 1) != 0;
        if (!b->begun)
            code = line_write(&b->line);
    }
    return code;
}

/* Of what has been gathered the whole records; the rest stays for the next block. */
static int take_whole(struct block_in *b, u32 *used)
{
    const struct format *f = &b->format;
    int code = 0;

    while (code == 0 && b->line.length - *used >= f->length_bytes) {
        const char *at = b->line.buffer.at + *used;
        u32 length = length_at(at, f->length_bytes), own = f->blocking == COUNTED_WITH ? f->length_bytes : 0;

        if (length < own)
            return stage_error(b->stage, 402);
        if (length - own > b->line.length - *used - f->length_bytes)
            return 0;
        code = pass(b->stage, 0, (struct text){ at + f->length_bytes, length - own });
        *used += f->length_bytes + length - own;
    }
    return code;
}

static int take_lines(struct block_in *b, u32 *used)
{
    u32 at;
    int code = 0;

    while (code == 0 && find_in((struct text){ b->line.buffer.at, b->line.length }, b->format.ending, *used, false,
                                &at)) {
        code = pass(b->stage, 0, (struct text){ b->line.buffer.at + *used, at - *used });
        *used = at + b->format.ending.length;
    }
    return code;
}

/* Whole records of segments: their data is moved together in front of what has not been looked at. */
static int take_segments(struct block_in *b, u32 *used)
{
    char *all = b->line.buffer.at;

    for (;;) {
        u32 at = *used, made = 0, flag = 0;
        int code;

        /* Once to see whether the record is whole, then to move it. */
        do {
            if (b->line.length - at < 2)
                return 0;
            if ((u8)all[at] < 2 || ((((u8)all[at + 1] & SEGMENT_FIRST) != 0) != (at == *used)))
                return stage_error(b->stage, 402);
            flag = (u8)all[at + 1];
            if ((u8)all[at] > b->line.length - at)
                return 0;
            at += (u8)all[at];
        } while ((flag & SEGMENT_LAST) == 0);
        for (u32 from = *used; from < at;) {
            u32 length = (u8)all[from];

            memmove(all + *used + made, all + from + 2, length - 2);
            made += length - 2;
            from += length;
        }
        code = pass(b->stage, 0, (struct text){ all + *used, made });
        *used = at;
        if (code != 0)
            return code;
    }
}

static int deblock_record(struct stage *s, void *with, struct text block)
{
    struct block_in *b = with;
    u32 used = 0;
    int code;

    (void)s;
    if (b->format.blocking == FIXED)
        return deblock_fixed(b, block);
    if (begins_with_prefix(&b->format))
        return deblock_variable(b, block);
    line_text(&b->line, block);
    code = b->format.blocking == ENDED ? take_lines(b, &used) : b->format.blocking == NETDATA ? take_segments(b, &used)
        : take_whole(b, &used);
    if (used > 0)
        memmove(b->line.buffer.at, b->line.buffer.at + used, b->line.length - used);
    b->line.length -= used;
    return code;
}

int deblock_stage(struct stage *s, struct text arguments)
{
    struct block_in *b = stage_obtain(s, sizeof *b);
    int code;

    memset(b, 0, sizeof *b);
    b->stage = b->line.stage = s;
    b->format.size = CARD;
    code = next_format(s, &arguments, &b->format);
    if (code == 0 && b->format.blocking == FIXED && is_count_next(arguments))
        code = next_count(s, &arguments, 1, &b->format.size);
    if (code == 0)
        code = no_more(s, arguments);
    if (code != 0)
        return code;
    code = each_record(s, deblock_record, b);
    if (code != 0 || (b->line.length == 0 && !b->begun))
        return code;
    /* After the last line there need be no end; a record of which only a part is there is none. */
    if (b->format.blocking == ENDED)
        line_write(&b->line);
    else if (!is_unread(s))
        code = stage_error(s, 402);
    return code;
}

/* ---- FBLOCK: blocks of one length, whatever the records are ---- */

static int fblock_record(struct stage *s, void *with, struct text record)
{
    (void)s;
    return flow(with, record.at, record.length);
}

int fblock_stage(struct stage *s, struct text arguments)
{
    struct block_out *b = stage_obtain(s, sizeof *b);
    bool padded;
    char with = ' ';
    int code;

    memset(b, 0, sizeof *b);
    b->stage = b->line.stage = s;
    code = next_count(s, &arguments, 1, &b->format.size);
    skip_blanks(&arguments);
    padded = arguments.length > 0;
    if (code == 0 && padded)
        code = next_character(s, &arguments, &with);
    if (code == 0)
        code = no_more(s, arguments);
    if (code != 0)
        return code;
    code = each_record(s, fblock_record, b);
    if (code == 0 && padded && b->line.length > 0)
        line_fill(&b->line, with, b->format.size - b->line.length);
    if (code == 0 && b->line.length > 0)
        line_write(&b->line);
    return code;
}
