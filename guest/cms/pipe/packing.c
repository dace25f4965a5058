/* PACK and UNPACK: what COPYFILE does to files, to records (lib/pack.c). */
#include "filters.h"
#include "../lib/pack.h"

static int put(void *with, const void *from, u32 length)
{
    line_add(with, from, length);
    return 0;
}

/* How many records there are stands in front, so nothing is written before the last one is there. */
int pack_stage(struct stage *s, struct text arguments)
{
    struct line line = { .stage = s };
    struct text record;
    bool fixed = next_keyword(&arguments, "FIXED", 1);
    u32 lrecl = 0, records = 0;
    int code = fixed ? next_count(s, &arguments, 1, &lrecl) : 0;

    if (!fixed)
        next_keyword(&arguments, "VARIABLE", 1);
    if (code == 0)
        code = no_more(s, arguments);
    if (code != 0)
        return code;
    line_fill(&line, 0, PACK_HEADER);
    for (; stage_peek(s, &record) == 0; records++) {
        /* A record has a length of one byte to 65535. */
        if (record.length == 0 || record.length > PACK_LENGTH_MOST || (fixed && record.length != lrecl))
            return stage_error(s, 405, record.length);
        if (!fixed && record.length > lrecl)
            lrecl = record.length;
        pack_text(put, &line, record.at, record.length);
        stage_consume(s);
    }
    pack_header((u8 *)line.buffer.at, fixed ? EDF_F : EDF_V, lrecl, records);
    if (line.length % PACKED_RECORD != 0)
        line_fill(&line, 0, PACKED_RECORD - line.length % PACKED_RECORD);
    for (u32 at = 0; at < line.length; at += PACKED_RECORD)
        if (stage_output(s, line.buffer.at + at, PACKED_RECORD) != 0)
            break;
    return 0;
}

/* Bytes of one record after the other. */
struct source { struct stage *stage; u32 at; };

static bool get(void *with, u8 *byte)
{
    struct source *source = with;
    struct text record;

    for (;;) {
        if (stage_peek(source->stage, &record) != 0)
            return false;
        if (source->at < record.length) {
            *byte = (u8)record.at[source->at++];
            return true;
        }
        stage_consume(source->stage);
        source->at = 0;
    }
}

int unpack_stage(struct stage *s, struct text arguments)
{
    struct source source = { .stage = s };
    struct line line = { .stage = s };
    struct text record;
    u32 records, length;
    int code = no_more(s, arguments);

    if (code != 0 || stage_peek(s, &record) != 0)
        return code;
    if (record.length < PACK_HEADER || !is_packed((const u8 *)record.at)) {
        stage_short(s);
        return 0;
    }
    records = packed_records((const u8 *)record.at);
    for (source.at = PACK_HEADER; records > 0; records--) {
        if (!unpack_length(get, &source, &length))
            return stage_error(s, 406);
        line.length = 0;
        if (!unpack_text(get, &source, line_more(&line, length), length))
            return stage_error(s, 406);
        if (line_write(&line) != 0)
            return 0;
    }
    /* Zeros fill the last record. */
    while (stage_peek(s, &record) == 0)
        stage_consume(s);
    return 0;
}
