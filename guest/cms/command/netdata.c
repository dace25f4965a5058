/*
 * NETDATA: a file as a row of segments, on cards.
 *
 * A segment is its length in a byte, a byte of flags, and up to 253 bytes. Control records (INMR01: sender and
 * receiver; INMR02 and INMR03: what file; INMR06: the end; INMR07 in place of a file: that one was received) are of
 * text units: a key, how many values, each with its length; all in two bytes. Between them are the file's records, each
 * in as many segments as it takes ("z/VM: CMS Macros and Functions Reference"; TSO/E Customization, the format of
 * transmitted data).
 */
#include "command.h"

enum { FIRST = 0x80, LAST = 0x40, CONTROL = 0x20, SEGMENT_MOST = 253, CARD = 80, PUNCH_CARD = 0x41 };
enum {
    INMDSNAM = 0x0002, INMTERM = 0x0028, INMLRECL = 0x0042, INMRECFM = 0x0049, INMDSORG = 0x003c, INMTNODE = 0x1001,
    INMTUID = 0x1002, INMFNODE = 0x1011, INMFUID = 0x1012, INMCREAT = 0x1022, INMFTIME = 0x1024, INMFACK = 0x1026,
    INMERRCD = 0x1027, INMUTILN = 0x1028, INMSIZE = 0x102c,
    INMFFM = 0x102d, INMNUMF = 0x102f, SEQUENTIAL = 0x4000, RECFM_F = 0x8000, RECFM_V = 0x4000,
};

/* A control record in the making. */
struct control { u8 bytes[SEGMENT_MOST]; u32 length; };

static void put_card(struct sender *sender)
{
    if (sender->bad == 0)
        sender->bad = unit_write(PUNCH_UNIT, PUNCH_CARD, sender->card, CARD);
    sender->used = 0;
}

static void put_bytes(struct sender *sender, const void *from, u32 length)
{
    const char *bytes = from;

    while (length-- > 0) {
        sender->card[sender->used++] = *bytes++;
        if (sender->used == CARD)
            put_card(sender);
    }
}

static void put_segment(struct sender *sender, u8 flags, const void *from, u32 length)
{
    u8 head[2] = { (u8)(length + 2), flags };

    put_bytes(sender, head, sizeof head);
    put_bytes(sender, from, length);
}

static void put_half(struct control *control, u32 value)
{
    control->bytes[control->length++] = (u8)(value >> 8);
    control->bytes[control->length++] = (u8)value;
}

static void begin_control(struct control *control, const char *what)
{
    memcpy(control->bytes, what, 6);
    control->length = 6;
}

static void unit(struct control *control, u32 key, const void *value, u32 length)
{
    put_half(control, key);
    put_half(control, 1);
    put_half(control, length);
    memcpy(control->bytes + control->length, value, length);
    control->length += length;
}

static void unit_number(struct control *control, u32 key, u32 value, u32 length)
{
    u8 bytes[4];

    edf_set_word(bytes, value);
    unit(control, key, bytes + 4 - length, length);
}

static void unit_name(struct control *control, u32 key, const name value)
{
    unit(control, key, value, name_length(value));
}

static void end_control(struct sender *sender, const struct control *control)
{
    put_segment(sender, FIRST | LAST | CONTROL, control->bytes, control->length);
}

/* A unit without a value: that it is there says it. */
static void unit_alone(struct control *control, u32 key)
{
    put_half(control, key);
    put_half(control, 0);
}

static void unit_fileid(struct control *control, const struct netdata_file *file)
{
    put_half(control, INMDSNAM);
    put_half(control, 3);
    put_half(control, 1);
    control->bytes[control->length++] = (u8)'A';
    for (u32 n = 0; n < 2; n++) {
        const char *part = n == 0 ? file->fn : file->ft;

        put_half(control, name_length(part));
        memcpy(control->bytes + control->length, part, name_length(part));
        control->length += name_length(part);
    }
}

static void put_header(struct sender *sender, const struct netdata_file *file, const struct recipient *to, u32 files)
{
    struct control control;
    char stamp[24];
    struct moment at;

    memset(sender, 0, sizeof *sender);
    now(&at);
    begin_control(&control, "INMR01");
    unit_number(&control, INMLRECL, CARD, 4);
    unit_name(&control, INMFNODE, file->node);
    unit_name(&control, INMFUID, file->userid);
    unit_name(&control, INMTNODE, to->node[0] == ' ' ? file->node : to->node);
    unit_name(&control, INMTUID, to->userid);
    unit(&control, INMFTIME, stamp,
         format(stamp, sizeof stamp, "%04u%02u%02u%02u%02u%02u", at.year, at.month, at.day, at.hour, at.minute,
                at.second));
    if (file->acknowledge)
        unit_alone(&control, INMFACK);
    unit_number(&control, INMNUMF, files, 4);
    end_control(sender, &control);
}

/* That this user has received the file, or has discarded it. */
int netdata_acknowledge(struct sender *sender, const struct netdata_file *file, const struct recipient *to)
{
    struct control control;

    put_header(sender, file, to, 0);
    begin_control(&control, "INMR07");
    unit_fileid(&control, file);
    unit(&control, INMFFM, &file->mode_number, 1);
    if (file->discarded)
        unit(&control, INMERRCD, "DISCARDED", 9);
    end_control(sender, &control);
    return netdata_end(sender);
}

void netdata_begin(struct sender *sender, const struct netdata_file *file, const struct recipient *to)
{
    struct control control;
    char stamp[24];
    u32 recfm = file->recfm == (char)EDF_F ? RECFM_F : RECFM_V;

    put_header(sender, file, to, 1);
    begin_control(&control, "INMR02");
    edf_set_word(control.bytes + control.length, 1);
    control.length += 4;
    unit(&control, INMUTILN, "INMCOPY", 7);
    unit_number(&control, INMSIZE, file->lrecl * file->records, 4);
    unit_number(&control, INMDSORG, SEQUENTIAL, 2);
    unit_number(&control, INMLRECL, file->lrecl, 4);
    unit_number(&control, INMRECFM, recfm, 2);
    unit_fileid(&control, file);
    if (file->note)
        unit_alone(&control, INMTERM);
    unit(&control, INMFFM, &file->mode_number, 1);
    unit(&control, INMCREAT, stamp,
         format(stamp, sizeof stamp, "%s%02x%02x%02x%02x%02x%02x", file->stamp[0] & FST_CENTURY_FLAG ? "20" : "19",
                file->stamp[1], file->stamp[2], file->stamp[3], file->stamp[4], file->stamp[5], file->stamp[6]));
    end_control(sender, &control);
    begin_control(&control, "INMR03");
    unit_number(&control, INMSIZE, file->lrecl * file->records, 4);
    unit_number(&control, INMDSORG, SEQUENTIAL, 2);
    unit_number(&control, INMLRECL, CARD, 4);
    unit_number(&control, INMRECFM, recfm, 2);
    end_control(sender, &control);
}

void netdata_record(struct sender *sender, const void *record, u32 length)
{
    u32 done = 0;

    do {
        u32 piece = length - done < SEGMENT_MOST ? length - done : SEGMENT_MOST;

        put_segment(sender, (u8)((done == 0 ? FIRST : 0) | (done + piece == length ? LAST : 0)),
                    (const char *)record + done, piece);
        done += piece;
    } while (done < length);
}

/* 0, or what was wrong with the punch. */
int netdata_end(struct sender *sender)
{
    struct control control;

    begin_control(&control, "INMR06");
    end_control(sender, &control);
    while (sender->used != 0)
        put_bytes(sender, "", 1);
    return sender->bad;
}

bool netdata_is(const char card[CARD])
{
    return ((u8)card[1] & (FIRST | CONTROL)) == (FIRST | CONTROL) && memcmp(card + 2, "INMR01", 6) == 0;
}

static bool get_byte(struct receiver *receiver, u8 *byte)
{
    if (receiver->at == receiver->length) {
        if (receiver->cards++ == receiver->most)
            return false;
        if (unit_read(READER_UNIT, receiver->card, &receiver->length) != 0 || receiver->length == 0) {
            receiver->ended = true;
            return false;
        }
        receiver->at = 0;
    }
    *byte = (u8)receiver->card[receiver->at++];
    return true;
}

/* One segment; 0 bytes: there is none. */
static u32 get_segment(struct receiver *receiver, u8 *flags, u8 bytes[SEGMENT_MOST + 2])
{
    u8 length;

    if (!get_byte(receiver, &length) || length < 2 || !get_byte(receiver, flags))
        return 0;
    for (u32 n = 0; n + 2 < length; n++)
        if (!get_byte(receiver, &bytes[n]))
            return 0;
    return length;
}

static u32 half(const u8 *at) { return (u32)at[0] << 8 | at[1]; }

static u32 number_of(const u8 *at, u32 length)
{
    u32 value = 0;

    while (length-- > 0)
        value = value << 8 | *at++;
    return value;
}

/* The text units of a control record. */
static void take_units(const u8 *at, const u8 *end, struct netdata_file *file)
{
    while (at + 4 <= end) {
        u32 key = half(at), count = half(at + 2);

        at += 4;
        file->acknowledge |= key == INMFACK;
        file->note |= key == INMTERM;
        file->discarded |= key == INMERRCD;
        for (u32 n = 0; n < count && at + 2 <= end; n++) {
            u32 length = half(at);
            const char *value = (const char *)at + 2;

            if (length > (u32)(end - at) - 2)
                return;
            at += 2 + length;
            if (key == INMFNODE) {
                pad(file->node, sizeof(name), value, length);
            } else if (key == INMFUID) {
                pad(file->userid, sizeof(name), value, length);
            } else if (key == INMDSNAM) {
                /* The last two parts are the name and the type. */
                memcpy(file->fn, file->ft, sizeof(name));
                pad(file->ft, sizeof(name), value, length);
            } else if (key == INMLRECL && length <= 4) {
                file->lrecl = number_of((const u8 *)value, length);
            } else if (key == INMRECFM && length == 2) {
                file->recfm = (u8)value[0] & 0x80 ? (char)EDF_F : (char)EDF_V;
            } else if (key == INMFFM && length == 1 && is_digit(value[0]) && value[0] <= '6') {
                file->mode_number = value[0];
            } else if (key == INMCREAT && length >= 14) {
                file->stamp[0] = value[0] == '2' ? FST_CENTURY_FLAG : 0;
                for (u32 k = 0; k < 6; k++)
                    file->stamp[k + 1] = (u8)((value[2 + 2 * k] & 15) << 4 | (value[3 + 2 * k] & 15));
            }
        }
    }
}

/* A file of which nothing is known. */
void netdata_unknown(struct netdata_file *file)
{
    memset(file, 0, sizeof *file);
    memset(file->fn, ' ', sizeof(name));
    memset(file->ft, ' ', sizeof(name));
    memset(file->userid, ' ', sizeof(name));
    memset(file->node, ' ', sizeof(name));
    file->mode_number = '1';
}

static bool take_acknowledgment(const u8 *at, const u8 *end, struct netdata_file *file)
{
    take_units(at, end, file);
    return file->acknowledged = true;
}

/* What the file is called; the records follow. False: it is damaged. */
bool netdata_header(struct receiver *receiver, struct netdata_file *file)
{
    u8 bytes[SEGMENT_MOST + 2], flags;
    u32 length;

    netdata_unknown(file);
    file->recfm = (char)EDF_V;
    while ((length = get_segment(receiver, &flags, bytes)) != 0) {
        if (!(flags & CONTROL) || length < 8)
            return false;
        if (memcmp(bytes, "INMR01", 6) == 0)
            take_units(bytes + 6, bytes + length - 2, file);
        else if (memcmp(bytes, "INMR02", 6) == 0 && length >= 12)
            take_units(bytes + 10, bytes + length - 2, file);
        else if (memcmp(bytes, "INMR03", 6) == 0)
            return true;
        else if (memcmp(bytes, "INMR07", 6) == 0)
            return take_acknowledgment(bytes + 6, bytes + length - 2, file);
        else
            return false;
    }
    return false;
}

/* The next record; false after the last, and when what is there makes no sense (`bad`). */
bool netdata_next(struct receiver *receiver, struct place *record, u32 *length)
{
    u8 bytes[SEGMENT_MOST + 2], flags;
    u32 segment;

    *length = 0;
    while ((segment = get_segment(receiver, &flags, bytes)) != 0) {
        if (flags & CONTROL) {
            receiver->bad = *length != 0 || segment < 8 || memcmp(bytes, "INMR06", 6) != 0;
            return false;
        }
        if (segment > EDF_MOST_F - *length || ((flags & FIRST) && *length != 0)) {
            receiver->bad = true;
            return false;
        }
        if (*length + segment > record->room)
            make_room(record, *length * 2 + EDF_MOST_V);
        memcpy(record->at + *length, bytes, segment - 2);
        *length += segment - 2;
        if (flags & LAST)
            return true;
    }
    receiver->bad = true;
    return false;
}
