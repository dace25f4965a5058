/*
 * Tapes as DUMP writes them ("Service Routines Program Logic" of VM/370, chapter 5):
 *
 *     VHR   80 bytes: where on which disk, when; in front of each cylinder
 *     THR   32 bytes, the counts of a track's records, and of their keys and data what makes it 4096 bytes
 *           the rest of these in records of 4096 bytes, the last one shorter
 *     EOV   as the VHR that comes next, at the end of a tape that is full; EOJ at the end of all
 *     a tape mark
 *
 * What the description leaves open is read in any way: how many data records a track has follows from the counts. Ours
 * are: a VHR for each cylinder, THRNDRT and THRNDRL with the records after the THR and the length of the last one, the
 * home address as cylinder, head and flag.
 */
#include "ddr.h"

enum { WRITE = 0x01, READ = 0x02, NO_OPERATION = 0x03, REWIND = 0x07, UNLOAD = 0x0f, WRITE_MARK = 0x1f,
       FORWARD_FILE = 0x3f };
/* Sense byte 0, and 1: of 3420s; 3: what newer drives say. */
enum { INTERVENTION = 0x40, REJECTED = 0x80, NOT_READY = 0x43, PROTECTED = 0x30, VOID = 0x31 };

struct track_header { u8 id[4], counts[2], blocks[2], last[2], flag, home[5], record_0[RECORD_0]; };

static void set_half(u8 at[2], u32 value)
{
    at[0] = (u8)(value >> 8);
    at[1] = (u8)value;
}

static u32 half(const u8 at[2]) { return (u32)at[0] << 8 | at[1]; }

static bool not_ready(void) { return (host_sense[0] & INTERVENTION) != 0 || host_sense[3] == NOT_READY; }

/* Waits until there is a tape, unless the drive only gives it back. */
static enum io tape_io(struct volume *tape, u8 command, void *data, u32 *length)
{
    static u8 nothing[8];
    struct ccw ccw __attribute__((aligned(8))) = { command, SLI, (u16)(*length == 0 ? 1 : *length),
                                                   (u32)(data == NULL ? nothing : data) };
    u32 left = 0;
    enum io how = host_io(tape->device, &ccw, &left);

    for (bool told = false; how == IO_CHECK && not_ready() && command != UNLOAD && command != REWIND; told = true) {
        if (!told)
            complain(710, 'A', tape->device);
        host_wait();
        how = host_io(tape->device, &ccw, &left);
    }
    *length = left < *length ? *length - left : 0;
    return how;
}

static enum io tape_do(struct volume *tape, u8 command)
{
    u32 none = 0;

    return tape_io(tape, command, NULL, &none);
}

static bool is_there(struct volume *tape)
{
    if (tape_do(tape, NO_OPERATION) != IO_ABSENT)
        return true;
    complain(704, 'E', tape->device);
    return false;
}

/* Before a function: the drive, its density, and files that are skipped. */
bool tape_ready(struct volume *tape)
{
    if (!is_there(tape))
        return false;
    if (tape->mode != 0)
        (void)tape_do(tape, tape->mode);
    for (; tape->skip > 0; tape->skip--) {
        enum io how = tape_do(tape, FORWARD_FILE);

        if (how != IO_DONE) {
            io_failed(tape->device, how, 0, 0);
            return false;
        }
    }
    return true;
}

void tape_after(struct volume *tape)
{
    if (tape->after != TAPE_LEAVE)
        (void)tape_do(tape, tape->after == TAPE_UNLOAD ? UNLOAD : REWIND);
}

/* The tape is at its end, and another one goes on. */
static bool next_tape(struct volume *tape, u32 cylinder, u32 head)
{
    (void)tape_do(tape, UNLOAD);
    if (tape->alternate != 0) {
        u16 device = tape->device;

        tape->device = tape->alternate;
        tape->alternate = device;
        return is_there(tape);
    }
    say("END OF VOLUME CYL %03u HD %03u, MOUNT NEXT TAPE", cylinder, head);
    return true;
}

/* ---- writing ---- */

/* A unit exception: the tape's end is near, and there is room for what ends it. */
static bool put(struct dump *dump, void *data, u32 length)
{
    enum io how = tape_io(dump->tape, WRITE, data, &length);

    if (how == IO_EXCEPTION) {
        dump->full = true;
        return true;
    }
    if (how == IO_CHECK && ((host_sense[0] & REJECTED) != 0 || host_sense[3] == PROTECTED))
        complain(718, 'E');
    else if (how != IO_DONE)
        io_failed(dump->tape->device, how, half(dump->header.cylinder), half(dump->header.head));
    return how == IO_DONE;
}

static bool put_header(struct dump *dump, const char *id)
{
    memcpy(dump->header.id, id, 4);
    return put(dump, &dump->header, sizeof dump->header);
}

/* The header EOV or EOJ, and a tape mark. */
static bool put_end(struct dump *dump, const char *id)
{
    enum io how;

    if (!put_header(dump, id))
        return false;
    how = tape_do(dump->tape, WRITE_MARK);
    if (how != IO_DONE && how != IO_EXCEPTION)
        io_failed(dump->tape->device, how, half(dump->header.cylinder), half(dump->header.head));
    return how == IO_DONE || how == IO_EXCEPTION;
}

/* A tape for what will be dumped of a disk. */
bool dump_begin(struct dump *dump, const struct volume *from, const char id[7])
{
    struct header *header = &dump->header;

    memset(header, 0, sizeof *header);
    memset(header->unused, ' ', sizeof header->unused);
    memset(header->blank, ' ', sizeof header->blank);
    __asm__ volatile("stck %0" : "=Q"(header->clock) : : "cc");
    set_half(header->last_cylinder, from->cylinders - 1);
    set_half(header->last_head, from->heads - 1);
    pad((char *)header->volume, sizeof header->volume, id, (u32)strlen(id));
    dump->begun = dump->full = false;
    return tape_ready(dump->tape);
}

bool dump_track(struct dump *dump, const struct track *track)
{
    struct track_header *begin = (struct track_header *)dump->buffer;
    u32 counts = track->records * COUNT, first = sizeof *begin + counts, at, rest;
    bool good = true, new_cylinder = !dump->begun || half(dump->header.cylinder) != track->cylinder;

    set_half(dump->header.cylinder, track->cylinder);
    set_half(dump->header.head, track->head);
    if (dump->full) {
        if (!put_end(dump, "EOV ") || !next_tape(dump->tape, track->cylinder, track->head))
            return false;
        dump->full = false;
        new_cylinder = true;
    }
    if (new_cylinder)
        good = put_header(dump, "VHR ");
    dump->begun = true;
    at = sizeof dump->buffer - first < track->length ? sizeof dump->buffer - first : track->length;
    rest = track->length - at;
    memset(begin, 0, sizeof *begin);
    memcpy(begin->id, "THR ", 4);
    set_half(begin->counts, track->records);
    set_half(begin->blocks, (rest + sizeof dump->buffer - 1) / sizeof dump->buffer);
    set_half(begin->last, rest % sizeof dump->buffer);
    memcpy(begin->home, track->record_0, 4);
    memcpy(begin->record_0, track->record_0, RECORD_0);
    memcpy(dump->buffer + sizeof *begin, track->count, counts);
    memcpy(dump->buffer + first, track->data, at);
    good = good && put(dump, dump->buffer, first + at);
    while (good && at < track->length) {
        u32 length = track->length - at < sizeof dump->buffer ? track->length - at : sizeof dump->buffer;

        good = put(dump, (void *)(track->data + at), length);
        at += length;
    }
    return good;
}

bool dump_end(struct dump *dump) { return put_end(dump, "EOJ "); }

/* ---- reading ---- */

/* The next block; its length becomes 0 at a tape mark. */
static bool get(struct dump *dump)
{
    enum io how;

    dump->length = sizeof dump->buffer;
    how = tape_io(dump->tape, READ, dump->buffer, &dump->length);
    if (how == IO_EXCEPTION || (how == IO_CHECK && host_sense[3] == VOID)) {
        dump->length = 0;
        return true;
    }
    if (how != IO_DONE)
        io_failed(dump->tape->device, how, half(dump->header.cylinder), half(dump->header.head));
    return how == IO_DONE;
}

static bool is_header(const struct dump *dump, const char *id)
{
    return dump->length >= sizeof dump->header && memcmp(dump->buffer, id, 3) == 0;
}

static bool wrong_tape(struct dump *dump)
{
    complain(709, 'E');
    (void)tape_do(dump->tape, UNLOAD);
    return false;
}

bool dump_open(struct dump *dump)
{
    if (!tape_ready(dump->tape) || !get(dump))
        return false;
    if (!is_header(dump, "VHR"))
        return wrong_tape(dump);
    memcpy(&dump->header, dump->buffer, sizeof dump->header);
    return true;
}

/* The next tape goes on with the header that the end of this one has told. */
static bool go_on(struct dump *dump)
{
    const struct header *header = (const struct header *)dump->buffer;
    struct header told = *header;

    if (!next_tape(dump->tape, half(told.cylinder), half(told.head)) || !get(dump))
        return false;
    if (!is_header(dump, "VHR") || memcmp(header->cylinder, told.cylinder, 2) != 0 ||
        memcmp(header->head, told.head, 2) != 0 || memcmp(header->volume, told.volume, sizeof told.volume) != 0)
        return wrong_tape(dump);
    return true;
}

static bool take_track(struct dump *dump, struct track *track)
{
    const struct track_header *begin = (const struct track_header *)dump->buffer;
    u32 counts = half(begin->counts), first = sizeof *begin + counts * COUNT, whole = 0;

    if (counts > RECORDS_MOST || first > dump->length)
        return wrong_tape(dump);
    track->records = counts;
    memcpy(track->record_0, begin->record_0, RECORD_0);
    track->cylinder = half(begin->record_0);
    track->head = half(begin->record_0 + 2);
    memcpy(track->count, dump->buffer + sizeof *begin, counts * COUNT);
    for (u32 k = 0; k < counts; k++)
        whole += key_length(track->count[k]) + data_length(track->count[k]);
    if (whole > TRACK_MOST)
        return wrong_tape(dump);
    track->length = dump->length - first < whole ? dump->length - first : whole;
    memcpy(track->data, dump->buffer + first, track->length);
    while (track->length < whole) {
        u32 length;

        if (!get(dump))
            return false;
        length = dump->length < whole - track->length ? dump->length : whole - track->length;
        if (length == 0)
            return wrong_tape(dump);
        memcpy(track->data + track->length, dump->buffer, length);
        track->length += length;
    }
    return true;
}

enum got dump_next(struct dump *dump, struct track *track)
{
    for (;;) {
        if (!get(dump))
            return GOT_ERROR;
        if (dump->length >= sizeof(struct track_header) && memcmp(dump->buffer, "THR", 3) == 0)
            return take_track(dump, track) ? GOT_TRACK : GOT_ERROR;
        if (is_header(dump, "EOJ")) {
            /* The tape mark after it. */
            (void)get(dump);
            return GOT_END;
        }
        if (is_header(dump, "EOV") && !go_on(dump))
            return GOT_ERROR;
        if (!is_header(dump, "VHR")) {
            (void)wrong_tape(dump);
            return GOT_ERROR;
        }
    }
}
