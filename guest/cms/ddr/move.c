/* DUMP, RESTORE and COPY: tracks go from a disk or a dump to a disk or a dump. */
#include "ddr.h"

struct function { const char *word; u32 least; bool from_tape, to_tape; const char *doing; };

static const struct function functions[] = {
    { "DUMP", 2, false, true, "DUMPING" }, { "RESTORE", 2, true, false, "RESTORING" },
    { "COPY", 2, false, false, "COPYING" },
};
static const struct function tape_to_tape = { "COPY", 2, true, true, "COPYING" };

enum { NO_CYLINDER = 0xffff };

/* A line of the map of what was moved. */
static void report(struct job *job, const char *how, ...)
{
    char line[100];
    va_list list;
    u32 length;

    va_start(list, how);
    length = format_list(line, sizeof line, how, list);
    va_end(list);
    if (job->on_console)
        host_type(line, length);
    else
        host_print(job->printer, line, length);
}

static bool wrong(u32 number, const char *word)
{
    complain(number, 'E', word);
    return false;
}

/* ---- extents ---- */

/* cyl1 [TO] [cyl2 [REORDER] [TO] [cyl3]] */
static bool extent_of(struct statement *s, struct extent *extent)
{
    const char *word = statement_word(s);

    if (!word_number(word, NO_CYLINDER, &extent->first))
        return wrong(*word == 0 ? 703 : 701, word);
    extent->last = extent->to = extent->first;
    if (statement_more(s) && word_is(s->word[s->at], "TO", 2)) {
        s->at++;
        if (!statement_more(s))
            return wrong(703, "");
    }
    if (statement_more(s) && !word_is(s->word[s->at], "REORDER", 1)) {
        word = statement_word(s);
        if (!word_number(word, NO_CYLINDER, &extent->last))
            return wrong(701, word);
    }
    if (statement_more(s) && word_is(s->word[s->at], "REORDER", 1)) {
        s->at++;
        if (statement_more(s) && word_is(s->word[s->at], "TO", 2))
            s->at++;
        if (statement_more(s)) {
            word = statement_word(s);
            if (!word_number(word, NO_CYLINDER, &extent->to))
                return wrong(701, word);
        }
    }
    return statement_more(s) ? wrong(701, statement_word(s)) : true;
}

/* In ascending order, none over another, neither where they are read nor where they are written. */
static bool add_extent(struct job *job, const struct extent *extent)
{
    u32 end = extent->to + (extent->last - extent->first);

    if (job->extents == EXTENTS_MOST)
        return wrong(712, "");
    if (extent->last < extent->first || end > NO_CYLINDER ||
        (job->extents > 0 && extent->first <= job->extent[job->extents - 1].last))
        return wrong(713, "");
    for (u32 n = 0; n < job->extents; n++) {
        const struct extent *other = &job->extent[n];

        if (extent->to <= other->to + (other->last - other->first) && other->to <= end)
            return wrong(713, "");
    }
    job->extent[job->extents++] = *extent;
    return true;
}

/* The extents: this statement's, and what comes until a null line or INPUT or OUTPUT, which `again` tells. */
static bool read_extents(struct job *job, struct statement *s, bool *again)
{
    char function[WORD_MOST + 1];

    memcpy(function, s->word[0], sizeof function);
    job->extents = 0;
    for (;;) {
        struct extent extent;

        if (!extent_of(s, &extent) || !add_extent(job, &extent))
            return false;
        if (asks() && !host_echoes())
            say("ENTER NEXT EXTENT OR NULL LINE");
        if (!statement_read(s, "ENTER:"))
            return true;
        *again = word_is(s->word[0], "INPUT", 2) || word_is(s->word[0], "OUTPUT", 3);
        if (*again)
            return true;
        if (s->word[0][0] >= '0')
            s->at = 0;
        else if (strcmp(s->word[0], function) == 0)
            s->at = 1;
        else
            return wrong(702, "");
    }
}

/* ---- which volume it is ---- */

/* The label of a disk is the one that was stated, or the user says that it is good. */
static bool right_volume(struct job *job, struct volume *volume, char id[7], bool output)
{
    enum answer answer = ANSWER_REREAD;

    while (answer == ANSWER_REREAD) {
        bool labelled = volume_label(volume, &job->track, id);

        if (volume->scratch || (labelled && volume->id[0] != 0 && strcmp(volume->id, id) == 0))
            return true;
        if (!asks()) {
            if (labelled)
                complain(696, 'I', id);
            return volume->id[0] == 0;
        }
        if (!labelled)
            answer = question(716, "YES NO OR REREAD", output ? "OUTPUT" : "INPUT", volume->device);
        else if (volume->id[0] != 0)
            answer = question(711 + MESSAGE_SECOND, "YES NO OR REREAD", id, volume->id);
        else
            answer = question(711, "YES NO OR REREAD", id);
    }
    return answer == ANSWER_YES;
}

static bool right_target(struct job *job, const char from[7])
{
    char id[7];
    bool labelled;
    enum answer answer = ANSWER_REREAD;

    if (job->out.id[0] != 0 || job->out.scratch || !asks())
        return right_volume(job, &job->out, id, true);
    while (answer == ANSWER_REREAD) {
        labelled = volume_label(&job->out, &job->track, id);
        answer = labelled ? question(717, "YES NO OR REREAD", from, id)
               : question(716, "YES NO OR REREAD", "OUTPUT", job->out.device);
    }
    return answer == ANSWER_YES;
}

/* ---- moving ---- */

static const struct extent *extent_with(const struct job *job, u32 cylinder)
{
    for (u32 n = 0; n < job->extents; n++)
        if (cylinder >= job->extent[n].first && cylinder <= job->extent[n].last)
            return &job->extent[n];
    return NULL;
}

static bool put_track(struct job *job, const struct function *function, const struct extent *extent)
{
    struct track *track = &job->track;
    u32 to = extent->to + (track->cylinder - extent->first);

    if (!function->to_tape)
        return track_write(&job->out, track, to);
    if (to != track->cylinder)
        for (u32 k = 0; k < track->records; k++)
            if (((u32)track->count[k][0] << 8 | track->count[k][1]) == track->cylinder) {
                track->count[k][0] = (u8)(to >> 8);
                track->count[k][1] = (u8)to;
            }
    track->record_0[0] = (u8)(to >> 8);
    track->record_0[1] = (u8)to;
    track->cylinder = to;
    return dump_track(&job->sink, track);
}

static bool move_disk(struct job *job, const struct function *function)
{
    for (u32 n = 0; n < job->extents; n++)
        for (u32 cylinder = job->extent[n].first; cylinder <= job->extent[n].last; cylinder++)
            for (u32 head = 0; head < job->in.heads; head++)
                if (!track_read(&job->in, cylinder, head, &job->track) || !put_track(job, function, &job->extent[n]))
                    return false;
    return true;
}

/* Tracks that are in no extent are passed over; a first cylinder of an extent that never came is told. */
static bool move_dump(struct job *job, const struct function *function)
{
    bool came[EXTENTS_MOST] = { false };

    for (;;) {
        enum got got = dump_next(&job->source, &job->track);
        const struct extent *extent;

        if (got == GOT_ERROR)
            return false;
        if (got == GOT_END)
            break;
        extent = extent_with(job, job->track.cylinder);
        if (extent == NULL)
            continue;
        came[extent - job->extent] = true;
        if (!put_track(job, function, extent))
            return false;
    }
    for (u32 n = 0; n < job->extents; n++)
        if (!came[n]) {
            complain(714, 'E', job->extent[n].first, 0);
            return false;
        }
    return true;
}

/* mm/dd/yy and hh.mm.ss of a clock value. */
static void moment_of(const u8 clock[8], char date[12], char time[12])
{
    static const u8 months[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    uint64_t value = 0;
    u32 seconds, days, year = 1900, month = 0;

    for (u32 n = 0; n < 8; n++)
        value = value << 8 | clock[n];
    value = (value >> 12) / 1000000;
    days = (u32)(value / 86400);
    seconds = (u32)(value - (uint64_t)days * 86400);
    for (;; year++) {
        u32 length = year % 4 == 0 && year != 1900 ? 366 : 365;

        if (days < length)
            break;
        days -= length;
    }
    for (;; month++) {
        u32 length = months[month] + (month == 1 && year % 4 == 0 && year != 1900 ? 1u : 0u);

        if (days < length)
            break;
        days -= length;
    }
    format(date, 12, "%02u/%02u/%02u", month + 1, days + 1, year % 100);
    format(time, 12, "%02u.%02u.%02u", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

static void report_map(struct job *job, const struct function *function, const char from[7])
{
    char date[12], time[12];
    u8 clock[8];

    __asm__ volatile("stck %0" : "=Q"(clock) : : "cc");
    moment_of(function->from_tape ? job->source.header.clock : clock, date, time);
    report(job, "%s DATA %s AT %s GMT FROM %s", function->doing, date, time, from);
    report(job, "INPUT CYLINDER EXTENTS      OUTPUT CYLINDER EXTENTS");
    report(job, "      START       STOP         START       STOP");
    for (u32 n = 0; n < job->extents; n++) {
        const struct extent *extent = &job->extent[n];

        report(job, " %10u %10u    %10u %10u", extent->first, extent->last, extent->to,
               extent->to + (extent->last - extent->first));
    }
    report(job, "END OF %s", function->word);
    if (!job->on_console)
        host_print_end(job->printer);
}

/* All of a disk, or of a dump: its header knows the disk's last cylinder. */
static void extent_all(struct job *job, const struct function *function)
{
    const u8 *last = job->source.header.last_cylinder;

    job->extents = 1;
    job->extent[0] = (struct extent){ 0, function->from_tape ? (u32)last[0] << 8 | last[1] : job->in.cylinders - 1, 0 };
}

static bool fits(struct job *job, const struct function *function)
{
    u32 most = function->to_tape ? NO_CYLINDER : job->out.cylinders - 1;
    bool larger = false;

    for (u32 n = 0; n < job->extents; n++) {
        struct extent *extent = &job->extent[n];

        if (!function->from_tape && extent->last >= job->in.cylinders)
            return wrong(713, "");
        if (extent->to > most)
            return wrong(713, "");
        if (extent->to + (extent->last - extent->first) > most) {
            larger = true;
            extent->last = extent->first + (most - extent->to);
        }
    }
    return !larger || !asks() || question(725, "YES OR NO") == ANSWER_YES;
}

static const struct function *function_of(const struct job *job, const char *word)
{
    for (u32 n = 0; n < COUNT_OF(functions); n++)
        if (word_is(word, functions[n].word, functions[n].least))
            return functions[n].word[0] == 'C' && job->in.tape ? &tape_to_tape : &functions[n];
    return NULL;
}

static void say_what(struct job *job, const struct function *function, const char from[7])
{
    char tape[24] = "";

    if (function->from_tape || function->to_tape) {
        const struct volume *of = function->to_tape ? &job->out : &job->in;

        format(tape, sizeof tape, "  ALT(%03x)", of->alternate != 0 ? of->alternate : of->device);
    }
    say("%-10s%-6s IN(%03x)  OUT(%03x)%s", function->doing, from, job->in.device, job->out.device, tape);
}

/* Where it comes from is known. */
static bool perform_from(struct job *job, const struct function *function, bool all, const char from[7])
{
    bool good;

    if (!function->to_tape && !(disk_is_there(&job->out) && right_target(job, from)))
        return false;
    if (all)
        extent_all(job, function);
    if (!fits(job, function))
        return false;
    if (function->to_tape) {
        struct volume shape = job->in;

        shape.cylinders = function->from_tape ? ((u32)job->source.header.last_cylinder[0] << 8 |
                                                 job->source.header.last_cylinder[1]) + 1 : job->in.cylinders;
        shape.heads = function->from_tape ? (u32)job->source.header.last_head[1] + 1 : job->in.heads;
        if (!dump_begin(&job->sink, &shape, from))
            return false;
    } else {
        host_release(job->out.device);
    }
    say_what(job, function, from);
    good = function->from_tape ? move_dump(job, function) : move_disk(job, function);
    if (good && function->to_tape)
        good = dump_end(&job->sink);
    if (function->to_tape)
        tape_after(&job->out);
    if (!good)
        return false;
    report_map(job, function, from);
    if (!job->on_console)
        say("END OF %s", function->word);
    return true;
}

static bool perform(struct job *job, const struct function *function, bool all)
{
    char from[7] = "";
    bool good;

    job->source.tape = &job->in;
    job->sink.tape = &job->out;
    if (!function->from_tape)
        return disk_is_there(&job->in) && right_volume(job, &job->in, from, false) &&
            perform_from(job, function, all, from);
    if (!dump_open(&job->source))
        return false;
    memcpy(from, job->source.header.volume, 6);
    from[length_of(from, 6)] = 0;
    good = perform_from(job, function, all, from);
    tape_after(&job->in);
    return good;
}

/* The statement's first word is the function. False: it was not done. */
bool move_function(struct job *job, struct statement *s, bool *again)
{
    const struct function *function = function_of(job, statement_word(s));
    bool all;

    if (!job->in.defined || !job->out.defined || job->in.tape != function->from_tape ||
        job->out.tape != function->to_tape)
        return wrong(702, "");
    if (!statement_more(s))
        return wrong(703, "");
    if (word_is(s->word[s->at], "CPVOL", 2))
        return wrong(700, "");
    if (word_is(s->word[s->at], "NUCLEUS", 2))
        return wrong(723, "");
    all = strcmp(s->word[s->at], "ALL") == 0;
    if (all && s->count > 2)
        return wrong(701, s->word[2]);
    if (!all && !read_extents(job, s, again))
        return false;
    return perform(job, function, all);
}
