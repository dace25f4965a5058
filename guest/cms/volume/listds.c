/* LISTDS: the data sets of disks of OS and DOS, their extents, and what is free. */
#include "volume.h"

enum { NAME_MOST = DSCB_KEY, QUALIFIER_MOST = 8, RC_INVALID_EXTENT = 4 };

struct request {
    int extent, free, format, members;
    bool named, headed;         /* `headed`: what the columns are has been typed */
    char wanted[NAME_MOST];
    u32 found;
};

static int refused(u32 number, const char *word)
{
    message("LDS", number, 'E', word);
    return RC_SYNTAX;
}

static const char *system_of(const struct disk *disk) { return disk->system == DISK_OF_DOS ? "DOS" : "OS"; }

/* Words of a data set's name, which may stand one by one instead of with periods; false: they are none. */
static bool add_word(struct request *request, u32 *length, const char *word, u32 many)
{
    u32 qualifier = 0;

    if (*length > 0 && *length < NAME_MOST)
        request->wanted[(*length)++] = '.';
    for (u32 n = 0; n < many; n++) {
        char c = upper(word[n]);
        bool digit = c >= '0' && c <= '9';

        qualifier = c == '.' ? 0 : qualifier + 1;
        if (*length == NAME_MOST || qualifier > QUALIFIER_MOST || (c == '.' && (n == 0 || word[n - 1] == '.')) ||
            !(c == '.' || c == '-' || c == '@' || c == '#' || c == '$' || digit || is_letter(c)))
            return false;
        request->wanted[(*length)++] = c;
    }
    return many > 0 && word[many - 1] != '.';
}

/* Any name, blanks in it too: DOS has such. */
static int ask_name(struct request *request)
{
    char line[256];
    u32 length;

    message("LDS", 220, 'R');
    length = length_of(line, read_line(line));
    if (length == 0 || length > NAME_MOST)
        return refused(221, "");
    for (u32 n = 0; n < length; n++)
        request->wanted[n] = upper(line[n]);
    return 0;
}

/* The words up to the options: a name and a mode letter, which is the last. */
static int understand(const struct call *call, struct request *request, char *mode)
{
    const char *at = call->arguments, *word = at, *last = NULL;
    u32 length = 0, many = 0, words = 0;

    memset(request->wanted, ' ', NAME_MOST);
    for (u32 n = 1; n < operands(call); n++, words++) {
        while (at < call->end && *at == ' ')
            at++;
        for (word = at; at < call->end && *at != ' ' && *at != '(';)
            at++;
        if (last != NULL && !add_word(request, &length, last, many) && !(words == 1 && many == 1 && *last == '?')) {
            char text[2 * NAME_MOST + 1];

            memset(text, 0, sizeof text);
            memcpy(text, last, many < sizeof text ? many : sizeof text - 1);
            return refused(221, text);
        }
        last = word;
        many = (u32)(at - word);
    }
    if (last == NULL || (words == 1 && many != 1))
        return refused(223, "");
    *mode = upper(*last);
    if (many != 1 || (*mode != '*' && !is_letter(*mode)))
        return refused(48, call->token[operands(call) - 1]);
    request->named = words > 1;
    if (request->named && length == 0)
        return ask_name(request);
    return 0;
}

/* ---- what is typed ---- */

static void type_date(char *to, u32 room, const u8 *created)
{
    static const u8 days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    u32 year = 1900 + created[0], day = half(created + 1), month = 0;
    bool leap = year % 4 == 0 && year != 1900 && year != 2100;

    memset(to, ' ', room);
    if (day == 0 || day > 365u + leap)
        return;
    for (; day > days[month] + (leap && month == 1 ? 1u : 0u); month++)
        day -= days[month] + (leap && month == 1 ? 1u : 0u);
    format(to, room, "%02u/%02u/%02u", month + 1, day, year % 100);
}

/* RECFM as FILEDEF has it, and DSORG. */
static void describe(const u8 *data, char recfm[8], char dsorg[4])
{
    static const struct { u8 bit; char letter; } more[] =
        { { 0x20, 'T' }, { 0x10, 'B' }, { 0x08, 'S' }, { 0x04, 'A' }, { 0x02, 'M' } };
    static const struct { u8 bit; const char *word; } orders[] =
        { { 0x80, "IS" }, { 0x40, "PS" }, { 0x20, "DA" }, { 0x02, "PO" } };
    u8 kind = data[SET_RECFM];
    u32 n = 0;

    memset(recfm, 0, 8);
    memset(dsorg, 0, 4);
    if ((kind & 0xc0) != 0)
        recfm[n++] = (kind & 0xc0) == 0xc0 ? 'U' : (kind & 0x80) != 0 ? 'F' : 'V';
    for (u32 k = 0; k < COUNT_OF(more); k++)
        if (n > 0 && (kind & more[k].bit) != 0)
            recfm[n++] = more[k].letter;
    for (u32 k = 0; k < COUNT_OF(orders) && dsorg[0] == 0; k++)
        if ((data[SET_DSORG] & orders[k].bit) != 0)
            memcpy(dsorg, orders[k].word, 2);
    if (dsorg[0] == 0 && (data[SET_DSORG + 1] & 0x08) != 0)
        memcpy(dsorg, "VS", 2);
    if (dsorg[0] != 0 && (data[SET_DSORG] & 0x01) != 0)
        dsorg[2] = 'U';
}

static void type_row(struct request *request, const struct disk *disk, const struct dscb *set)
{
    char recfm[8], dsorg[4], date[9], label[8], called[NAME_MOST + 1];

    memcpy(called, set->key, NAME_MOST);
    called[NAME_MOST] = 0;
    if (!request->headed)
        type("%s", request->format ? "RECFM LRECL BLKSI DSORG   DATE    LABEL  FM  DATA SET NAME"
                                   : "FM  DATA SET NAME");
    request->headed = true;
    if (!request->format) {
        type("%c   %s", disk->mode, called);
        return;
    }
    describe(set->data, recfm, dsorg);
    memset(date, 0, sizeof date);
    type_date(date, sizeof date - 1, set->data + SET_CREATED);
    memset(label, ' ', sizeof label);
    memcpy(label, disk->edf.label + ADT_LABEL, 6);
    type("%-5s %5u %5u  %-3s  %s %-6t %c   %s", recfm, half(set->data + SET_LRECL), half(set->data + SET_BLKSIZE),
         dsorg, date, label, disk->mode, called);
}

static void type_tracks(const struct contents *contents, const char *front, u32 first, u32 last)
{
    type("%s%03u %02u %6u     %03u %02u %6u   %7u", front, first / contents->heads, first % contents->heads, first,
         last / contents->heads, last % contents->heads, last, last - first + 1);
}

static void type_extents(const struct contents *contents, const char *called, const struct extents *extents)
{
    type("Extent information for %s on %c disk:", called, contents->disk->mode);
    type("%s", "SEQ TYPE CYL-HD(RELTRK) TO CYL-HD(RELTRK)  TRACKS");
    for (u32 n = 0; n < extents->count; n++) {
        const struct extent *extent = &extents->at[n];
        char front[16];

        format(front, sizeof front, "%03u %s ", extent->sequence,
               extent->type == EXTENT_TABLE ? "VTOC" : extent->type == EXTENT_SPLIT ? "SPLT"
               : extent->type == EXTENT_LABELS ? "LABL" : extent->type == EXTENT_INDEX ? "INDX"
               : extent->type == EXTENT_OVERFLOW ? "OFLO" : "DATA");
        type_tracks(contents, front, extent->first, extent->last);
    }
}

/* The first track is the label's, whatever the table says. */
static int type_free(const struct contents *contents)
{
    struct extents extents = { 0 };
    u32 next = 1, end = contents->cylinders * contents->heads;
    bool any = false;

    for (u32 n = 0; n < contents->count; n++)
        if (n == 0 || is_data_set(&contents->dscb[n]))
            add_extents(contents, &contents->dscb[n], &extents);
    sort_extents(&extents);
    for (u32 n = 0; n <= extents.count; n++) {
        u32 first = n < extents.count ? extents.at[n].first : end;

        if (first > next && !any) {
            type("Freespace extents for %c disk:", contents->disk->mode);
            type("%s", "CYL-HD(RELTRK) TO CYL-HD(RELTRK)  TRACKS");
        }
        any = any || first > next;
        if (first > next)
            type_tracks(contents, "", next, first - 1);
        if (n < extents.count && extents.at[n].last + 1 > next)
            next = extents.at[n].last + 1;
    }
    if (!any)
        message("LDS", 233, 'I', contents->disk->mode);
    if (extents.wrong)
        message("LDS", 227, 'W', "VTOC", system_of(contents->disk), contents->disk->mode);
    if (extents.room > 0)
        release(extents.at);
    return extents.wrong ? RC_INVALID_EXTENT : 0;
}

/* A data set, or the table itself. */
static int list_one(struct request *request, const struct contents *contents, const struct dscb *set)
{
    const struct disk *disk = contents->disk;
    struct extents extents = { 0 };
    char called[NAME_MOST + 1];
    int code = 0;

    format(called, sizeof called, "%s", "VTOC");
    if (is_data_set(set)) {
        memcpy(called, set->key, NAME_MOST);
        called[length_of(called, NAME_MOST)] = 0;
    }
    add_extents(contents, set, &extents);
    if (!request->extent || request->format)
        if (is_data_set(set))
            type_row(request, disk, set);
    if (request->extent)
        type_extents(contents, called, &extents);
    if (request->members && is_data_set(set) && (set->data[SET_DSORG] & 0x02) != 0) {
        int names;

        type("%s", "Member names:");
        names = members_type(contents, &extents);
        if (names == NO_DIRECTORY) {
            message("LDS", 222, 'E', called, system_of(disk), disk->mode);
            code = RC_MISSING;
        } else if (names == 0) {
            message("LDS", 229, 'I');
        }
    }
    if (extents.wrong) {
        message("LDS", 227, 'W', called, system_of(disk), disk->mode);
        code = code != 0 ? code : RC_INVALID_EXTENT;
    }
    if (extents.room > 0)
        release(extents.at);
    return code;
}

static int list_disk(struct request *request, const struct disk *disk)
{
    struct contents contents;
    int code = 0;

    if (!contents_read(&contents, disk)) {
        contents_forget(&contents);
        message("LDS", 231, 'E', system_of(disk), disk->mode);
        return RC_MISSING;
    }
    if (request->free) {
        request->found++;
        code = type_free(&contents);
    }
    for (u32 n = 0; n < contents.count; n++) {
        const struct dscb *set = &contents.dscb[n];
        bool table = n == 0 && request->extent && !request->named;
        int one;

        if (request->free && !request->extent && !request->format && !request->members)
            break;
        if (!table && (!is_data_set(set) || (request->named && memcmp(set->key, request->wanted, NAME_MOST) != 0)))
            continue;
        request->found++;
        one = list_one(request, &contents, set);
        code = one > code ? one : code;
    }
    contents_forget(&contents);
    return code;
}

int list_volume(const struct call *call)
{
    struct request request = { 0 };
    const struct option known[] = {
        FLAG("EXTENT", 3, &request.extent, 1), FLAG("FREE", 2, &request.free, 1),
        FLAG("FORMAT", 2, &request.format, 1), FLAG("PDS", 3, &request.members, 1),
    };
    int code = options("LDS", call, known, COUNT_OF(known)), one;
    const struct disk *disk;
    char mode = 0;
    u32 letter = 0, disks = 0;

    if (code == 0)
        code = understand(call, &request, &mode);
    if (code != 0)
        return code;
    if (request.named && request.free)
        return refused(226, "FREE");
    disk = mode == '*' ? NULL : disk_at(mode);
    if (mode != '*' && (disk == NULL || disk->system == DISK_OF_CMS)) {
        message("LDS", disk == NULL ? 69 : 709, 'E', mode);
        return RC_DISK;
    }
    while ((disk = disk_from(&letter)) != NULL) {
        if (disk->system == DISK_OF_CMS || (mode != '*' && disk->mode != mode))
            continue;
        disks++;
        one = list_disk(&request, disk);
        code = one > code ? one : code;
    }
    if (disks == 0) {
        message("LDS", 69, 'E', mode);
        return RC_DISK;
    }
    if (code == 0 && request.found == 0) {
        message("LDS", 2 + MESSAGE_THIRD, 'E');
        return RC_MISSING;
    }
    return code;
}
