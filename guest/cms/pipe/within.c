/*
 * Stages that perform others in their place: APPEND, PREFACE, NOT, IF, EOFBACK, FRTARGET, TOTARGET, CASEI and ZONE; and
 * INSTORE and OUTSTORE.
 */
#include "filters.h"

/* ---- APPEND, PREFACE, NOT ---- */

/* The stage's own text in the middle. */
static struct line around(struct stage *s, const char *before, struct text middle, const char *after)
{
    struct line line = { .stage = s };

    line_add(&line, before, (u32)strlen(before));
    line_text(&line, middle);
    line_add(&line, after, (u32)strlen(after));
    return line;
}

/* CALLPIPE with that. */
static int call_around(struct stage *s, const char *before, struct text middle, const char *after)
{
    struct line line = around(s, before, middle, after);

    return stage_callpipe(s, line.buffer.at, line.length);
}

static int blank(struct stage *s, struct text arguments)
{
    return length_of(arguments.at, arguments.length) == 0 ? stage_error(s, 113) : 0;
}

int append_stage(struct stage *s, struct text arguments)
{
    struct text record;
    int code = blank(s, arguments);

    if (code != 0)
        return code;
    while (stage_peek(s, &record) == 0) {
        if (stage_output(s, record.at, record.length) != 0)
            return 0;
        stage_consume(s);
    }
    return stage_has_output(s, 0) ? call_around(s, "", arguments, "|*.OUTPUT:") : 0;
}

int preface_stage(struct stage *s, struct text arguments)
{
    int code = blank(s, arguments);

    if (code == 0)
        code = call_around(s, "", arguments, "|*.OUTPUT:");
    if (code == 0)
        stage_short(s);
    return code;
}

/*
 * The outputs exchanged. The end character is one that no keyboard has.
 */
#define END "\xff"
#define WITH_END "(ENDCHAR FF) "

int not_stage(struct stage *s, struct text arguments)
{
    int code = blank(s, arguments);

    if (code != 0)
        return code;
    return call_around(s, WITH_END "*.INPUT:|N:", arguments,
                       stage_outputs(s) > 1 ? "|*.OUTPUT.1:" END "N:|*.OUTPUT.0:" : END "N:|*.OUTPUT.0:");
}

/*
 * IF: what is selected goes to output 0, and comes back by input 1, perhaps changed. The others go on without that: by
 * output 1, where the label stands a second time, or by input 2, if it stands a third time, which ends both.
 */
int if_stage(struct stage *s, struct text arguments)
{
    static const char *const after[] = {
        "|*.OUTPUT.0:",
        "|*.OUTPUT.0:" END "*.INPUT.1:|F:FANINANY|*.OUTPUT.1:" END "N:|F:",
        "|*.OUTPUT.0:" END "N:|*.OUTPUT.1:" END "*.INPUT.1:|F:FANINANY|*.OUTPUT.2:" END "*.INPUT.2:|F:",
    };
    u32 streams = stage_outputs(s);
    struct line line;
    int code = blank(s, arguments);

    if (code != 0)
        return code;
    if (streams > COUNT_OF(after))
        return stage_error(s, 264, (u32)COUNT_OF(after));
    line = around(s, WITH_END "*.INPUT:|N:", arguments, after[streams - 1]);
    /* With one stream its code is the stage's. Otherwise output 0 must end before input 1 does: the streams are lent
     * for good. */
    if (streams == 1)
        return stage_callpipe(s, line.buffer.at, line.length);
    return stage_addpipe(s, line.buffer.at, line.length);
}

/* EOFBACK: what the stage does is seen no more once the output is not read. */
int eofback_stage(struct stage *s, struct text arguments)
{
    int code = blank(s, arguments);

    if (code != 0)
        return code;
    return call_around(s, WITH_END "*.INPUT:|N:FANOUT STOP ANYEOF|", arguments, "|HOLE" END "N:|*.OUTPUT.0:");
}

/* ---- FRTARGET and TOTARGET ---- */

/* Inputs are what a stage selects and what it does not; up to the first that is selected goes to output 0. */
int target_out_stage(struct stage *s, struct text arguments)
{
    struct text record;
    bool found = false;
    u32 stream;
    int code = no_more(s, arguments);

    while (code == 0 && stage_peek_any(s, &record, &stream) == 0) {
        found = found || stream == 0;
        code = pass(s, found ? 1 : 0, record);
        if (code == 0)
            stage_consume(s);
    }
    return code == END_OF_FILE ? 0 : code;
}

static int targeting(struct stage *s, struct text arguments, bool from)
{
    static const char *const after[] = {
        "|T:TARGET+OUT|*.OUTPUT.0:" END "N:|T:|HOLE", "|T:TARGET+OUT|*.OUTPUT.0:" END "N:|T:|*.OUTPUT.1:",
        "|T:TARGET+OUT|HOLE" END "N:|T:|*.OUTPUT.0:", "|T:TARGET+OUT|*.OUTPUT.1:" END "N:|T:|*.OUTPUT.0:",
    };
    int code = blank(s, arguments);

    if (code != 0)
        return code;
    return call_around(s, WITH_END "*.INPUT:|N:", arguments, after[(from ? 2 : 0) + (stage_outputs(s) > 1)]);
}

int frtarget_stage(struct stage *s, struct text arguments) { return targeting(s, arguments, true); }
int totarget_stage(struct stage *s, struct text arguments) { return targeting(s, arguments, false); }

/* ---- ZONE and CASEI ---- */

/*
 * Of each record the stage sees only a part, perhaps in upper case; what it selects is then exchanged for the record.
 * That needs no more than the record of this moment, because the stage does not delay it; one that does, or that
 * changes it, is found out.
 */
struct zone { struct range range; bool folded, there; struct text record, part; struct line line; };

static int zone_of(struct stage *s, struct text arguments, struct zone **zone)
{
    i32 number;
    int code = next_number(s, &arguments, &number);

    if (code != 0)
        return code;
    *zone = stage_offered(s, zone_stage, (u32)number);
    if (*zone == NULL)
        *zone = stage_offered(s, casei_stage, (u32)number);
    return *zone != NULL ? no_more(s, arguments) : stage_error(s, 66, number);
}

int zone_in_stage(struct stage *s, struct text arguments)
{
    struct line line = { .stage = s };
    struct zone *zone;
    int code = zone_of(s, arguments, &zone);

    if (code != 0)
        return code;
    while (stage_peek(s, &zone->record) == 0) {
        range_of(&zone->range, zone->record, &zone->part);
        line.length = 0;
        line_text(&line, zone->part);
        for (u32 n = 0; zone->folded && n < line.length; n++)
            line.buffer.at[n] = upper(line.buffer.at[n]);
        zone->part.at = line.buffer.at;
        zone->there = true;
        code = stage_output(s, zone->part.at, zone->part.length);
        zone->there = false;
        if (code != 0)
            break;
        stage_consume(s);
    }
    return 0;
}

int zone_out_stage(struct stage *s, struct text arguments)
{
    struct text record;
    struct zone *zone;
    int code = zone_of(s, arguments, &zone);

    if (code != 0)
        return code;
    while (stage_peek(s, &record) == 0) {
        if (!zone->there || record.length != zone->part.length || memcmp(record.at, zone->part.at, record.length) != 0)
            return stage_error(s, 403);
        if (stage_output(s, zone->record.at, zone->record.length) != 0)
            break;
        stage_consume(s);
    }
    return 0;
}

static int zoning(struct stage *s, struct text rest, struct zone *zone)
{
    struct line line = { .stage = s };
    char number[12];
    u32 length = format(number, sizeof number, "%u", stage_offer(s, zone));
    int code = blank(s, rest);

    if (code != 0)
        return code;
    skip_blanks(&rest);
    line_add(&line, WITH_END "*.INPUT:|ZONE+IN ", sizeof WITH_END - 1 + 17);
    line_add(&line, number, length);
    line_add(&line, "|Z:", 3);
    for (u32 n = 0; n < rest.length; n++)
        line_byte(&line, zone->folded ? upper(rest.at[n]) : rest.at[n]);
    line_add(&line, "|ZONE+OUT ", 10);
    line_add(&line, number, length);
    line_add(&line, "|*.OUTPUT.0:", 12);
    if (stage_outputs(s) > 1) {
        line_add(&line, END "Z:|ZONE+OUT ", 13);
        line_add(&line, number, length);
        line_add(&line, "|*.OUTPUT.1:", 12);
    }
    return stage_callpipe(s, line.buffer.at, line.length);
}

static struct zone *new_zone(struct stage *s)
{
    struct zone *zone = stage_obtain(s, sizeof *zone);

    memset(zone, 0, sizeof *zone);
    zone->range = (struct range){ .from = 1, .to = INT32_MAX };
    return zone;
}

int zone_stage(struct stage *s, struct text arguments)
{
    struct zone *zone = new_zone(s);
    int code = next_range(s, &arguments, &zone->range);

    zone->folded = next_keyword(&arguments, "CASEI", 5);
    return code != 0 ? code : zoning(s, arguments, zone);
}

int casei_stage(struct stage *s, struct text arguments)
{
    struct zone *zone = new_zone(s);
    int code = next_keyword(&arguments, "ZONE", 4) ? next_range(s, &arguments, &zone->range) : 0;

    zone->folded = true;
    return code != 0 ? code : zoning(s, arguments, zone);
}

/* ---- INSTORE and OUTSTORE ---- */

/*
 * What INSTORE writes: a mark and a number; the records are the stage's own, and it waits until the number is consumed.
 */
enum { MARK = 8, INSTORED = 12 };
static const char mark_text[MARK + 1] = "*INSTORE";

int instore_stage(struct stage *s, struct text arguments)
{
    struct kept kept = { 0 };
    struct text record;
    char out[INSTORED];
    bool reverse = next_keyword(&arguments, "REVERSE", 7);
    u32 number;
    int code = no_more(s, arguments);

    if (code != 0)
        return code;
    while (stage_peek(s, &record) == 0) {
        keep(s, &kept, record);
        stage_consume(s);
    }
    if (reverse) {
        struct kept_record *back = NULL;

        while (kept.first != NULL) {
            struct kept_record *one = kept.first;

            kept.first = one->next;
            one->next = back;
            back = one;
        }
        kept.first = back;
    }
    number = stage_offer(s, &kept);
    memcpy(out, mark_text, MARK);
    for (u32 n = 0; n < INSTORED - MARK; n++)
        out[MARK + n] = (char)(number >> 8 * (3 - n));
    stage_output(s, out, sizeof out);
    return 0;
}

int outstore_stage(struct stage *s, struct text arguments)
{
    struct text record;
    int code = no_more(s, arguments);

    while (code == 0 && stage_peek(s, &record) == 0) {
        u32 number = 0;
        const struct kept *kept;

        if (record.length != INSTORED || memcmp(record.at, mark_text, MARK) != 0)
            return stage_error(s, 404);
        for (u32 n = MARK; n < INSTORED; n++)
            number = number << 8 | (u8)record.at[n];
        kept = stage_offered(s, instore_stage, number);
        if (kept == NULL)
            return stage_error(s, 404);
        for (struct kept_record *one = kept->first; one != NULL; one = one->next)
            if (stage_output(s, one->at, one->length) != 0)
                return 0;
        stage_consume(s);
    }
    return code;
}
