/* PRINT and TYPE: records of a disk or a dump in hexadecimal and in characters. */
#include "ddr.h"

enum { SHOW_HEX = 1, SHOW_GRAPHIC = 2, SHOW_COUNT = 4, ROW = 32, GROUP = 4, ANY = 0xffff };

struct place { u32 cylinder, head, record; };
struct range { struct place first, last; u32 how; bool print; };

static bool wrong(u32 number, const char *word)
{
    complain(number, 'E', word);
    return false;
}

static void put(struct job *job, bool print, const char *text, u32 length)
{
    if (print)
        host_print(job->printer, text, length);
    else
        host_type(text, length);
}

/* cyl [hh [rr]]; what is not said stays. */
static bool place_of(struct statement *s, struct place *place)
{
    u32 *part[] = { &place->cylinder, &place->head, &place->record };

    for (u32 n = 0; n < COUNT_OF(part); n++) {
        const char *word = statement_more(s) ? s->word[s->at] : "";

        if (n > 0 && (*word < '0' || *word > '9'))
            return true;
        if (!word_number(word, n == 2 ? 255 : ANY, part[n]))
            return wrong(*word == 0 ? 703 : 701, word);
        s->at++;
    }
    return true;
}

static bool range_of(struct statement *s, struct range *range)
{
    static const struct { const char *word; u32 least, how; } words[] = {
        { "HEX", 1, SHOW_HEX }, { "GRAPHIC", 1, SHOW_GRAPHIC }, { "COUNT", 1, SHOW_COUNT },
    };

    range->first = (struct place){ 0, ANY, ANY };
    if (!place_of(s, &range->first))
        return false;
    range->last = range->first;
    if (range->first.head == ANY)
        range->first.head = 0;
    if (range->first.record == ANY)
        range->first.record = 0;
    if (statement_more(s) && word_is(s->word[s->at], "TO", 2)) {
        s->at++;
        range->last = (struct place){ 0, ANY, ANY };
        if (!place_of(s, &range->last))
            return false;
    }
    for (range->how = 0; statement_more(s);) {
        const char *word = statement_word(s);
        u32 how = *word == '(' || *word == ')' ? 0x80 : 0;

        for (u32 n = 0; n < COUNT_OF(words); n++)
            if (*word != 0 && word_is(word, words[n].word, words[n].least))
                how = words[n].how;
        if (how == 0)
            return wrong(708, word);
        range->how |= how & 0x7f;
    }
    if (range->how == 0)
        range->how = SHOW_HEX | SHOW_GRAPHIC;
    if (range->last.cylinder < range->first.cylinder)
        return wrong(713, "");
    return true;
}

static char shown(u8 byte)
{
    static const char signs[] = "$#@.<(+|&!*);-/,%_>?:'=\"";
    char c = (char)byte;
    bool letter = upper(c) != c || (byte >= 0xc1 && byte <= 0xe9 && byte != 0xe1 && (byte & 15) >= 1 &&
                                    (byte & 15) <= 9);

    return letter || is_digit(c) || c == ' ' || memchr(signs, byte, sizeof signs - 1) != NULL ? c : '.';
}

/* Rows of 32 bytes; rows that are as the one before are counted. */
static void show_bytes(struct job *job, const struct range *range, const u8 *bytes, u32 length)
{
    char line[130];
    bool same = false;

    for (u32 at = 0; at < length; at += ROW) {
        u32 n = 0, count = length - at < ROW ? length - at : ROW;

        if (at > 0 && count == ROW && memcmp(bytes + at, bytes + at - ROW, ROW) == 0) {
            if (!same)
                put(job, range->print, "SUPPRESSED LINE(S) SAME AS ABOVE", 32);
            same = true;
            continue;
        }
        same = false;
        n = format(line, sizeof line, "%06x  ", at);
        if (range->how & SHOW_HEX)
            for (u32 k = 0; k < ROW; k++)
                n += k < count ? format(line + n, sizeof line - n, k % GROUP == GROUP - 1 ? "%02x " : "%02x",
                                        bytes[at + k])
                   : format(line + n, sizeof line - n, k % GROUP == GROUP - 1 ? "   " : "  ");
        if (range->how & SHOW_GRAPHIC) {
            line[n++] = '*';
            for (u32 k = 0; k < count; k++)
                line[n++] = shown(bytes[at + k]);
            line[n++] = '*';
        }
        put(job, range->print, line, length_of(line, n));
    }
}

static bool before(const struct place *a, const struct place *b)
{
    return a->cylinder != b->cylinder ? a->cylinder < b->cylinder : a->head != b->head ? a->head < b->head
         : a->record < b->record;
}

static bool within(const struct range *range, const struct place *place)
{
    return !before(place, &range->first) && !before(&range->last, place);
}

/* How many of its records were in the range. */
static u32 show_track(struct job *job, const struct range *range)
{
    const struct track *track = &job->track;
    const u8 *data = track->data;
    struct place place = { track->cylinder, track->head, 0 };
    char line[100];
    u32 n, some = 0;

    if (within(range, &place)) {
        n = format(line, sizeof line, "CYL %05u HD %02u RECORD ZERO  COUNT ", place.cylinder, place.head);
        for (u32 k = 0; k < RECORD_0; k++)
            n += format(line + n, sizeof line - n, k == COUNT ? " DATA %02x" : "%02x", track->record_0[k]);
        put(job, range->print, line, n);
        some++;
    }
    for (u32 k = 0; k < track->records; k++) {
        const u8 *count = track->count[k];
        u32 keys = key_length(count), bytes = data_length(count);

        place.record = count[4];
        if (within(range, &place)) {
            n = format(line, sizeof line, "CYL %05u HD %02u RECORD %03u  COUNT ", place.cylinder, place.head,
                       place.record);
            for (u32 b = 0; b < COUNT; b++)
                n += format(line + n, sizeof line - n, "%02x", count[b]);
            n += format(line + n, sizeof line - n, "  KEY LENGTH %03u  DATA LENGTH %05u", keys, bytes);
            put(job, range->print, line, n);
            if ((range->how & (SHOW_HEX | SHOW_GRAPHIC)) != 0 && keys > 0) {
                put(job, range->print, "KEY", 3);
                show_bytes(job, range, data, keys);
            }
            if ((range->how & (SHOW_HEX | SHOW_GRAPHIC)) != 0 && bytes > 0) {
                put(job, range->print, "DATA", 4);
                show_bytes(job, range, data + keys, bytes);
            }
            some++;
        }
        data += keys + bytes;
    }
    return some;
}

static bool show_disk(struct job *job, struct range *range, u32 *some)
{
    struct volume *in = &job->in;

    if (!disk_is_there(in))
        return false;
    if (range->last.cylinder >= in->cylinders || range->first.head >= in->heads)
        return wrong(713, "");
    for (u32 cylinder = range->first.cylinder; cylinder <= range->last.cylinder; cylinder++)
        for (u32 head = 0; head < in->heads; head++) {
            const struct place last = { cylinder, head, ANY }, first = { cylinder, head, 0 };

            if (before(&last, &range->first) || before(&range->last, &first))
                continue;
            if (!track_read(in, cylinder, head, &job->track))
                return false;
            *some += show_track(job, range);
        }
    return true;
}

static bool show_dump(struct job *job, struct range *range, u32 *some)
{
    enum got got;

    job->source.tape = &job->in;
    if (!dump_open(&job->source))
        return false;
    while ((got = dump_next(&job->source, &job->track)) == GOT_TRACK)
        *some += show_track(job, range);
    tape_after(&job->in);
    return got == GOT_END;
}

/* The statement's first word is the function. */
bool show_function(struct job *job, struct statement *s, bool print)
{
    struct range range = { .print = print };
    u32 some = 0;
    bool good;

    statement_word(s);
    if (!range_of(s, &range))
        return false;
    if (!job->in.defined)
        return wrong(702, "");
    good = job->in.tape ? show_dump(job, &range, &some) : show_disk(job, &range, &some);
    if (print)
        host_print_end(job->printer);
    if (good && some == 0) {
        complain(721, 'E', range.first.cylinder, range.first.head, range.first.record);
        good = false;
    }
    if (good)
        say("END OF %s", print ? "PRINT" : "TYPE");
    return good;
}
