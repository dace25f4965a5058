/*
 * Devices that INPUT and OUTPUT define, and tracks of disks.
 *
 * A track is read twice: the counts first, which say how long everything is, then all of it. How many records there are
 * shows when the first count comes again. It is written as FORMAT does it, with the end of the last record the end of
 * the track. Count fields with the cylinder that they were read from get the one that they are written to.
 */
#include "ddr.h"

enum { SEEK = 0x07, SET_MASK = 0x1f, READ_R0 = 0x16, SEARCH_ID = 0x31, TIC = 0x08, READ_COUNT = 0x12, READ_CKD = 0x1e,
       WRITE_CKD = 0x1d, ERASE = 0x11, CHARACTERISTICS = 0x64, ALL_WRITES = 0xc0, NO_RECORD = 0x08, FEW = 32 };

/* Sense byte 0: the command is none that the control unit knows. */
enum { REJECTED = 0x80 };

u8 host_sense[32];

static const struct kind { const char *name; u16 type; bool tape; u16 cylinders, heads; } kinds[] = {
    { "3330", 0x3330, false, 411, 19 }, { "3330-1", 0x3330, false, 411, 19 }, { "3330-11", 0x3330, false, 815, 19 },
    { "3340", 0x3340, false, 698, 12 }, { "3340-35", 0x3340, false, 349, 12 }, { "3340-70", 0x3340, false, 698, 12 },
    { "3350", 0x3350, false, 560, 30 }, { "3375", 0x3375, false, 959, 12 }, { "3380", 0x3380, false, 885, 15 },
    { "3390", 0x3390, false, 1113, 15 }, { "9345", 0x9345, false, 1440, 15 }, { "DASD", 0, false, 1113, 15 },
    { "2400", 0x2400, true, 0, 0 }, { "2420", 0x2420, true, 0, 0 }, { "3410", 0x3410, true, 0, 0 },
    { "3411", 0x3411, true, 0, 0 }, { "3420", 0x3420, true, 0, 0 }, { "3422", 0x3422, true, 0, 0 },
    { "3430", 0x3430, true, 0, 0 }, { "3480", 0x3480, true, 0, 0 }, { "3490", 0x3490, true, 0, 0 },
    { "3590", 0x3590, true, 0, 0 }, { "TAPE", 0, true, 0, 0 },
};

/* Mode set commands of the densities; cartridges have one density. */
static const struct { const char *word; u8 command; } modes[] = {
    { "6250", 0xd3 }, { "1600", 0xc3 }, { "800", 0xcb }, { "38K", 0 },
};

u32 key_length(const u8 *count) { return count[5]; }
u32 data_length(const u8 *count) { return (u32)count[6] << 8 | count[7]; }

static bool device_number(const char *word, u16 *device)
{
    u32 value;

    if (!parse_hex(word, (u32)strlen(word), &value) || value > 0xffff)
        return false;
    *device = (u16)value;
    return true;
}

static bool wrong(u32 number, const char *word)
{
    complain(number, 'E', word);
    return false;
}

static bool mode_option(struct volume *volume, const char *word)
{
    for (u32 n = 0; n < COUNT_OF(modes); n++)
        if (strcmp(word, modes[n].word) == 0) {
            volume->mode = modes[n].command;
            return true;
        }
    return wrong(*word == 0 ? 703 : 708, word);
}

static bool tape_options(struct volume *volume, struct statement *s)
{
    while (statement_more(s)) {
        const char *word = statement_word(s);

        if (strcmp(word, "(") == 0 || strcmp(word, ")") == 0)
            continue;
        if (word_is(word, "SKIP", 2)) {
            word = statement_word(s);
            if (!word_number(word, 255, &volume->skip))
                return wrong(*word == 0 ? 703 : 708, word);
        } else if (word_is(word, "MODE", 2)) {
            if (!mode_option(volume, statement_word(s)))
                return false;
        } else if (word_is(word, "REWIND", 3)) {
            volume->after = TAPE_REWIND;
        } else if (word_is(word, "UNLOAD", 3)) {
            volume->after = TAPE_UNLOAD;
        } else if (word_is(word, "LEAVE", 3)) {
            volume->after = TAPE_LEAVE;
        } else {
            return wrong(708, word);
        }
    }
    return true;
}

/* What CMS's and CP's own disks are: Read Device Characteristics; older control units know the type alone. */
bool disk_is_there(struct volume *volume)
{
    static u8 data[64] __attribute__((aligned(8)));
    struct ccw ccw __attribute__((aligned(8))) = { CHARACTERISTICS, SLI, sizeof data, (u32)data };
    u32 left;
    enum io how = host_io(volume->device, &ccw, &left);

    if (how == IO_ABSENT) {
        complain(704, 'E', volume->device);
        return false;
    }
    if (how == IO_DONE) {
        u16 type = (u16)(data[3] << 8 | data[4]);

        if (volume->type != 0 && volume->type != type)
            return wrong(708, "");
        volume->type = type;
        volume->cylinders = (u32)data[12] << 8 | data[13];
        volume->heads = (u32)data[14] << 8 | data[15];
        if (volume->heads == 0)
            return wrong(708, "");
        return true;
    }
    if (how != IO_CHECK || (host_sense[0] & REJECTED) == 0) {
        io_failed(volume->device, how, 0, 0);
        return false;
    }
    /* The last cylinder is the last one that a seek reaches. */
    for (u32 low = 0, high = volume->cylinders; low + 1 < high;) {
        u32 middle = (low + high) / 2;
        u8 place[6] = { 0, 0, (u8)(middle >> 8), (u8)middle, 0, 0 }, record_0[16];
        struct ccw seek[2] __attribute__((aligned(8))) =
            { { SEEK, CHAIN, 6, (u32)place }, { READ_R0, SLI, 16, (u32)record_0 } };

        if (host_io(volume->device, seek, &left) == IO_DONE)
            low = middle;
        else
            high = middle;
        volume->cylinders = low + 1;
    }
    return true;
}

/* cuu type [volser|SCRATCH|altape] [(options)] of INPUT and OUTPUT. */
bool volume_define(struct volume *volume, struct statement *s)
{
    const char *word = statement_word(s);
    struct volume made = { .after = TAPE_REWIND };
    const struct kind *kind = NULL;

    volume->defined = false;
    if (*word == 0)
        return wrong(703, "");
    if (!device_number(word, &made.device))
        return wrong(701, word);
    word = statement_word(s);
    for (u32 n = 0; n < COUNT_OF(kinds); n++)
        if (strcmp(word, kinds[n].name) == 0)
            kind = &kinds[n];
    if (kind == NULL)
        return wrong(*word == 0 ? 703 : 701, word);
    made.type = kind->type;
    made.tape = kind->tape;
    made.cylinders = kind->cylinders;
    made.heads = kind->heads;
    if (statement_more(s) && s->word[s->at][0] != '(') {
        word = statement_word(s);
        if (made.tape && !device_number(word, &made.alternate)) {
            s->at--;
        } else if (!made.tape) {
            made.scratch = strcmp(word, "SCRATCH") == 0;
            if (strlen(word) > 6 && !made.scratch)
                return wrong(701, word);
            if (!made.scratch)
                memcpy(made.id, word, strlen(word) + 1);
        }
    }
    if (!made.tape && statement_more(s))
        return wrong(708, s->word[s->count - 1 > s->at && s->word[s->at][0] == '(' ? s->at + 1 : s->at]);
    if (!tape_options(&made, s))
        return false;
    made.first = made.device;
    made.defined = true;
    *volume = made;
    return true;
}

void io_failed(u16 device, enum io how, u32 cylinder, u32 head)
{
    char sense[17];

    if (how == IO_ABSENT) {
        complain(704, 'E', device);
        return;
    }
    for (u32 n = 0; n < 8; n++)
        format(sense + 2 * n, 3, "%02x", host_sense[n]);
    complain(705, 'E', device, how == IO_CHECK ? "UNIT CHECK" : "NOT DONE", sense, cylinder, head);
}

/* ---- tracks ---- */

static struct ccw program[6 + 2 * RECORDS_MOST] __attribute__((aligned(8)));
static u8 place[6], mask = ALL_WRITES, record_0[RECORD_0];
/* One more than there can be: the first comes again. */
static u8 counts[RECORDS_MOST + 1][COUNT];

static u32 begin_at(u32 cylinder, u32 head, bool writing)
{
    u32 n = 0;

    place[2] = (u8)(cylinder >> 8);
    place[3] = (u8)cylinder;
    place[4] = (u8)(head >> 8);
    place[5] = (u8)head;
    program[n++] = (struct ccw){ SEEK, CHAIN, 6, (u32)place };
    if (writing)
        program[n++] = (struct ccw){ SET_MASK, CHAIN, 1, (u32)&mask };
    program[n++] = (struct ccw){ READ_R0, CHAIN | SLI, RECORD_0, (u32)record_0 };
    return n;
}

/* The counts of a track; how many there are becomes `records`. */
static enum io read_counts(struct volume *volume, u32 cylinder, u32 head, u32 *records)
{
    enum io how = IO_DONE;
    u32 left;

    for (u32 most = FEW; most <= RECORDS_MOST; most *= RECORDS_MOST / FEW) {
        u32 n = begin_at(cylinder, head, false);

        for (u32 k = 0; k <= most; k++)
            program[n++] = (struct ccw){ READ_COUNT, k < most ? CHAIN : 0, COUNT, (u32)counts[k] };
        how = host_io(volume->device, program, &left);
        *records = 0;
        if (how == IO_CHECK && (host_sense[1] & NO_RECORD) != 0)
            return IO_DONE;
        if (how != IO_DONE)
            return how;
        for (u32 k = 1; k <= most && *records == 0; k++)
            if (memcmp(counts[k], counts[0], COUNT) == 0)
                *records = k;
        if (*records != 0)
            return IO_DONE;
    }
    return IO_ERROR;
}

bool track_read(struct volume *volume, u32 cylinder, u32 head, struct track *track)
{
    enum io how = read_counts(volume, cylinder, head, &track->records);
    u32 n = begin_at(cylinder, head, false), left;

    track->cylinder = cylinder;
    track->head = head;
    track->length = 0;
    for (u32 k = 0; how == IO_DONE && k < track->records; k++) {
        u32 length = key_length(counts[k]) + data_length(counts[k]);

        if (track->length + length > TRACK_MOST)
            how = IO_ERROR;
        program[n++] = (struct ccw){ READ_CKD, length == 0 ? CHAIN : CHAIN_DATA, COUNT, (u32)track->count[k] };
        if (length != 0)
            program[n++] = (struct ccw){ 0, CHAIN, (u16)length, (u32)track->data + track->length };
        track->length += length;
    }
    program[n - 1].flags &= (u8)~CHAIN;
    if (how == IO_DONE)
        how = host_io(volume->device, program, &left);
    memcpy(track->record_0, record_0, RECORD_0);
    /* A minidisk's record 0 may have the cylinder that it has on the volume. */
    memcpy(track->record_0, place + 2, 4);
    if (how != IO_DONE)
        io_failed(volume->device, how, cylinder, head);
    return how == IO_DONE;
}

bool track_write(struct volume *volume, struct track *track, u32 cylinder)
{
    u32 n = begin_at(cylinder, track->head, true), left;
    const u8 *data = track->data;
    enum io how;

    program[n++] = (struct ccw){ SEARCH_ID, CHAIN, 5, (u32)record_0 };
    program[n] = (struct ccw){ TIC, 0, 0, (u32)&program[n - 1] };
    n++;
    for (u32 k = 0; k < track->records; k++) {
        u8 *count = track->count[k];
        u32 length = key_length(count) + data_length(count);

        if (((u32)count[0] << 8 | count[1]) == track->cylinder) {
            count[0] = (u8)(cylinder >> 8);
            count[1] = (u8)cylinder;
        }
        program[n++] = (struct ccw){ WRITE_CKD, length == 0 ? CHAIN : CHAIN_DATA, COUNT, (u32)count };
        if (length != 0)
            program[n++] = (struct ccw){ 0, CHAIN, (u16)length, (u32)data };
        data += length;
    }
    if (track->records == 0)
        program[n++] = (struct ccw){ ERASE, SLI, COUNT, (u32)record_0 };
    program[n - 1].flags &= (u8)~CHAIN;
    how = host_io(volume->device, program, &left);
    if (how == IO_CHECK && (host_sense[1] & 0x02) != 0) {
        complain(718, 'E');
        return false;
    }
    if (how != IO_DONE)
        io_failed(volume->device, how, cylinder, track->head);
    return how == IO_DONE;
}

/* The name in record 3 of the first track, of VOL1 and CMS1 labels; false: it has no such label, and `id` is empty. */
bool volume_label(struct volume *volume, struct track *track, char id[7])
{
    const u8 *data = track->data;

    memset(id, 0, 7);
    if (!track_read(volume, 0, 0, track))
        return false;
    for (u32 k = 0; k < track->records; k++) {
        const u8 *count = track->count[k];

        data += key_length(count);
        if (count[4] == LABEL_RECORD && data_length(count) >= 10 &&
            (memcmp(data, "VOL1", 4) == 0 || memcmp(data, "CMS1", 4) == 0)) {
            u32 length = length_of((const char *)data + 4, 6);

            memcpy(id, data + 4, length);
            return length > 0;
        }
        data += data_length(count);
    }
    return false;
}
