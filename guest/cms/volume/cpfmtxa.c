/*
 * CPFMTXA: what the cylinders of a volume that CP owns are for.
 *
 * Record 3 of track 0 is the volume's label, record 4 the allocation map, as CP writes and reads it
 * (channel/dasd/src/format/allocation.rs): areas that are for something else than minidisks, and a check sum. All of it
 * goes by channel programs to a virtual device that has the whole volume: a minidisk from cylinder 0 to the end, a
 * temporary disk, or one that is attached. FORMAT writes records of a page on each track; of cylinder 0 it writes the
 * label and a map without areas.
 */
#include "volume.h"
#include "../nucleus/subchannel.h"

enum { SEEK = 0x07, SET_MASK = 0x1f, READ_R0 = 0x16, SEARCH_ID = 0x31, TIC = 0x08, WRITE_CKD = 0x1d, WRITE_DATA = 0x05,
       CHAIN = 0x40, CHAIN_DATA = 0x80, SLI = 0x20, ALL_WRITES = 0xc0, WRITE_INHIBITED = 0x02 };
enum { PAGE = 4096, AREAS = 254, VERSION = 1, LABEL_RECORD = 3, MAP_RECORD = 4, MOST_RECORDS = 16, VOLID = 6,
       OWNER = 8, ANSWER = 8192 };
enum { RC_REFUSED = 8, SENSED = 13 };

struct area { u8 what[4], first[4], last[4], zero[4]; };
struct map {
    u8 id[8], version[2], count[2], units[4], owner[OWNER], sum[8];
    struct area area[AREAS];
};
_Static_assert(sizeof(struct map) == PAGE, "a record of a page");

/* As CP's map has them; the first is what no area is for. */
static const char purposes[][5] = { "PERM", "PAGE", "SPOL", "TDSK", "DRCT" };
enum { PERM };

struct record { u8 count[COUNT_LENGTH], data[PAGE]; };   /* the data, and a key before it */
struct job {
    struct disk disk;
    char volid[VOLID + 1];
    bool labelled, mapped;
    struct map map;
    u8 *purpose;                /* of each cylinder */
    struct ccw ccw[5 + 2 * MOST_RECORDS];
    u8 seek[6], mask, record_0[16], search[5];
    struct record record[MAP_RECORD];
};

static int refuse(u32 number, const char *word)
{
    message("CPF", number, 'E', word);
    return RC_REFUSED;
}

/* ---- channel programs ---- */

static u32 begin(struct job *job, u32 cylinder, u32 head)
{
    u8 place[6] = { 0, 0, (u8)(cylinder >> 8), (u8)cylinder, (u8)(head >> 8), (u8)head };

    memcpy(job->seek, place, sizeof place);
    job->mask = ALL_WRITES;
    job->ccw[0] = (struct ccw){ SEEK, CHAIN, sizeof place, (u32)job->seek };
    job->ccw[1] = (struct ccw){ SET_MASK, CHAIN, 1, (u32)&job->mask };
    return 2;
}

static u32 search(struct job *job, u32 n, const u8 *id)
{
    job->ccw[n] = (struct ccw){ SEARCH_ID, CHAIN, 5, (u32)id };
    job->ccw[n + 1] = (struct ccw){ TIC, 0, 0, (u32)&job->ccw[n] };
    return n + 2;
}

static int perform_program(struct job *job, u32 cylinder)
{
    int code = channel_io(job->disk.vdev, job->ccw, NULL);

    if (code == 0)
        return 0;
    if (code == SENSED && (channel_sense[1] & WRITE_INHIBITED) != 0)
        message("CPF", 835, 'E', job->disk.vdev);
    else
        message("CPF", 836, 'S', job->disk.vdev, cylinder);
    return RC_IO;
}

/* Writes a track from its first record on: counts, and data that follow one another. */
static int write_track(struct job *job, u32 cylinder, u32 head, u32 records, u8 (*count)[COUNT_LENGTH],
                       const u8 *const *data)
{
    u32 n = begin(job, cylinder, head);

    job->ccw[n++] = (struct ccw){ READ_R0, CHAIN | SLI, sizeof job->record_0, (u32)job->record_0 };
    n = search(job, n, job->record_0);
    for (u32 k = 0; k < records; k++) {
        u32 length = count[k][COUNT_KEY] + half(count[k] + COUNT_DATA);

        memcpy(count[k], job->seek + 2, 4);
        job->ccw[n++] = (struct ccw){ WRITE_CKD, CHAIN_DATA, COUNT_LENGTH, (u32)count[k] };
        job->ccw[n++] = (struct ccw){ 0, k + 1 < records ? CHAIN : 0, (u16)length, (u32)data[k] };
    }
    return perform_program(job, cylinder);
}

/* ---- the label and the map ---- */

static void read_label(struct job *job)
{
    u32 there = track_records(&job->disk, 0, 0, MAP_RECORD, sizeof *job->record, (u8 *)job->record);
    const struct record *label = &job->record[LABEL_RECORD - 1], *map = &job->record[MAP_RECORD - 1];
    const u8 *data = label->data + label->count[COUNT_KEY];

    job->labelled = there >= LABEL_RECORD && label->count[COUNT_KEY] <= 4 && memcmp(data, "VOL1", 4) == 0;
    job->mapped = there >= MAP_RECORD;
    memset(job->volid, 0, sizeof job->volid);
    if (job->labelled) {
        memcpy(job->volid, data + 4, length_of((const char *)data + 4, VOLID));
        memcpy(job->disk.vtoc, data + 11, sizeof job->disk.vtoc);
    }
    memset(&job->map, 0, sizeof job->map);
    if (job->mapped && map->count[COUNT_KEY] == 0 && half(map->count + COUNT_DATA) == PAGE)
        memcpy(&job->map, map->data, PAGE);
}

static bool fill(struct job *job, u32 first, u32 last, u8 purpose)
{
    if (first > last || last >= job->disk.cylinders || (first == 0 && purpose != PERM))
        return false;
    memset(job->purpose + first, purpose, last - first + 1);
    return true;
}

static bool purpose_of(const char *word, u32 length, u8 *purpose)
{
    for (u8 n = 0; n < COUNT_OF(purposes); n++)
        if (length == 4 && memcmp(word, purposes[n], 4) == 0) {
            *purpose = n;
            return true;
        }
    return false;
}

static void put_word(u8 to[4], u32 value)
{
    for (u32 n = 4; n > 0; n--, value >>= 8)
        to[n - 1] = (u8)value;
}

static uint64_t sum_of(struct map *map)
{
    u8 kept[8];
    uint64_t sum;

    memcpy(kept, map->sum, sizeof kept);
    memset(map->sum, 0, sizeof map->sum);
    sum = check_sum((const u8 *)map, sizeof *map);
    memcpy(map->sum, kept, sizeof kept);
    return sum;
}

/* Takes the map that the volume has, if it has one; what is wrong with it is told. */
static int take_map(struct job *job)
{
    struct map *map = &job->map;
    uint64_t sum = (uint64_t)edf_word(map->sum) << 32 | edf_word(map->sum + 4);
    u32 count = half(map->count);

    if (memcmp(map->id, "CPALLOC ", sizeof map->id) != 0) {
        if (job->mapped)
            return refuse(833, job->volid);
        memset(map, 0, sizeof *map);
        memcpy(map->id, "CPALLOC ", sizeof map->id);
        memset(map->owner, ' ', sizeof map->owner);
        return 0;
    }
    if (sum_of(map) != sum || half(map->version) != VERSION || count > AREAS ||
        edf_word(map->units) > job->disk.cylinders)
        return refuse(833, job->volid);
    for (u32 n = 0; n < count; n++) {
        const struct area *area = &map->area[n];
        u8 purpose;

        if (!purpose_of((const char *)area->what, 4, &purpose) ||
            !fill(job, edf_word(area->first), edf_word(area->last), purpose))
            return refuse(833, job->volid);
    }
    return 0;
}

static u32 end_of(const struct job *job, u32 first)
{
    u32 last = first;

    while (last + 1 < job->disk.cylinders && job->purpose[last + 1] == job->purpose[first])
        last++;
    return last;
}

/* The map as the cylinders' purposes have it; false: there are too many areas. */
static bool make_map(struct job *job)
{
    struct map *map = &job->map;
    u32 count = 0;
    uint64_t sum;

    memset(map->area, 0, sizeof map->area);
    for (u32 first = 0; first < job->disk.cylinders; first = end_of(job, first) + 1) {
        if (job->purpose[first] == PERM)
            continue;
        if (count == AREAS)
            return false;
        memcpy(map->area[count].what, purposes[job->purpose[first]], 4);
        put_word(map->area[count].first, first);
        put_word(map->area[count++].last, end_of(job, first));
    }
    map->version[1] = VERSION;
    map->count[0] = (u8)(count >> 8);
    map->count[1] = (u8)count;
    put_word(map->units, job->disk.cylinders);
    sum = sum_of(map);
    put_word(map->sum, (u32)(sum >> 32));
    put_word(map->sum + 4, (u32)sum);
    return true;
}

static int write_map(struct job *job)
{
    u8 count[COUNT_LENGTH] = { 0 };
    u32 n = begin(job, 0, 0);

    if (!make_map(job))
        return refuse(832, "more than 254 areas");
    memcpy(job->search, job->record[job->mapped ? MAP_RECORD - 1 : LABEL_RECORD - 1].count, sizeof job->search);
    n = search(job, n, job->search);
    if (job->mapped) {
        job->ccw[n] = (struct ccw){ WRITE_DATA, 0, PAGE, (u32)&job->map };
    } else {
        memcpy(count, job->search, 4);
        count[COUNT_RECORD] = MAP_RECORD;
        count[COUNT_DATA] = PAGE >> 8;
        job->ccw[n] = (struct ccw){ WRITE_CKD, CHAIN_DATA, COUNT_LENGTH, (u32)count };
        job->ccw[n + 1] = (struct ccw){ 0, 0, PAGE, (u32)&job->map };
    }
    return perform_program(job, 0);
}

static void show_map(const struct job *job)
{
    type("VOLUME %s, %u CYLINDERS, SYSTEM %l", job->volid, job->disk.cylinders,
         job->map.owner[0] == ' ' ? "*" : (const char *)job->map.owner,
         job->map.owner[0] == ' ' ? 1u : length_of((const char *)job->map.owner, OWNER));
    type("%s", "TYPE      START        END  CYLINDERS");
    for (u32 first = 0, last; first < job->disk.cylinders; first = last + 1) {
        last = end_of(job, first);
        type("%s %10u %10u %10u", purposes[job->purpose[first]], first, last, last - first + 1);
    }
}

/* ---- what may not be ---- */

/* CP uses the volume: then it may be a page of a virtual machine that is written over. */
static bool is_in_use(const struct job *job)
{
    static const char query[] = "QUERY CPOWNED";
    char *answer = obtain_command(ANSWER);
    u32 room = ANSWER, length = (u32)strlen(job->volid);
    bool used = false;

    /* A user without the class for that has no volume of CP's, or alone. */
    if (cp(query, sizeof query - 1, answer, &room) == 0 && (room & 0x80000000) == 0)
        for (u32 n = 0, line = 0; n <= room; n++)
            if (n == room || answer[n] == 0x15) {
                const char *at = answer + line;
                u32 left = n - line;

                for (u32 k = 0; k + length + 1 < left && !used; k++)
                    used = at[k] == ' ' && memcmp(at + k + 1, job->volid, length) == 0 &&
                           at[k + 1 + length] == ' ' && left >= 6 && memcmp(at + left - 8, "ATTACHED", 8) == 0;
                line = n + 1;
            }
    release(answer);
    return used;
}

/* Whether a data set has one of the cylinders; its name. */
static bool has_data_set(const struct job *job, u32 first, u32 last, char called[DSCB_KEY + 1])
{
    struct contents contents;
    bool found = false;

    if (job->disk.vtoc[4] == 0 || !contents_read(&contents, &job->disk)) {
        if (job->disk.vtoc[4] != 0)
            contents_forget(&contents);
        return false;
    }
    for (u32 n = 0; n < contents.count && !found; n++) {
        struct extents extents = { 0 };

        if (!is_data_set(&contents.dscb[n]))
            continue;
        add_extents(&contents, &contents.dscb[n], &extents);
        for (u32 k = 0; k < extents.count; k++)
            if (extents.at[k].first / contents.heads <= last && first <= extents.at[k].last / contents.heads)
                found = true;
        if (extents.room > 0)
            release(extents.at);
        memcpy(called, contents.dscb[n].key, DSCB_KEY);
        called[length_of(called, DSCB_KEY)] = 0;
    }
    contents_forget(&contents);
    return found;
}

/* ---- functions ---- */

/* `first-last`, `first`, or `first-END`. */
static bool range(const struct job *job, const char *word, u32 length, u32 *first, u32 *last)
{
    u32 dash = 0;

    while (dash < length && word[dash] != '-')
        dash++;
    if (!parse_number(word, dash, first))
        return false;
    *last = *first;
    if (dash == length)
        return *last < job->disk.cylinders;
    word += dash + 1;
    length -= dash + 1;
    if (length == 3 && memcmp(word, "END", 3) == 0)
        *last = job->disk.cylinders - 1;
    else if (!parse_number(word, length, last))
        return false;
    return *first <= *last && *last < job->disk.cylinders;
}

/* A line of ALLOCATE: a type, and cylinders. */
static int allocate_line(struct job *job, const char *line, u32 length)
{
    char called[DSCB_KEY + 1], shown[32];
    u32 at = 0, word, first, last;
    u8 purpose;

    format(shown, sizeof shown, "%l", line, length < sizeof shown - 1 ? length : (u32)sizeof shown - 1);
    while (at < length && line[at] != ' ')
        at++;
    if (!purpose_of(line, at, &purpose))
        return refuse(832, shown);
    while (at < length && line[at] == ' ')
        at++;
    for (word = at; at < length && line[at] != ' ';)
        at++;
    if (at != length || !range(job, line + word, at - word, &first, &last) || (first == 0 && purpose != PERM))
        return refuse(832, shown);
    if (purpose != PERM && has_data_set(job, first, last, called))
        return refuse(837, called);
    (void)fill(job, first, last, purpose);
    return 0;
}

static int allocate(struct job *job)
{
    char line[256];

    type("%s", "ENTER ALLOCATION DATA: TYPE FIRST-LAST, OR END");
    for (;;) {
        u32 length = length_of(line, read_line(line)), from = 0;
        int code;

        for (u32 n = 0; n < length; n++)
            line[n] = upper(line[n]);
        while (from < length && line[from] == ' ')
            from++;
        if (length == from || (length - from == 3 && memcmp(line + from, "END", 3) == 0))
            break;
        /* Nothing of it is written. */
        code = allocate_line(job, line + from, length - from);
        if (code != 0)
            return code;
    }
    return write_map(job);
}

/* Cylinder 0: a label, and a map without areas. */
static int write_first_track(struct job *job)
{
    static const struct { u8 key; u16 length; } shape[LABEL_RECORD] = { { 4, 24 }, { 4, 144 }, { 4, 80 } };
    u8 count[MAP_RECORD][COUNT_LENGTH], bytes[LABEL_RECORD][4 + 144];
    const u8 *data[MAP_RECORD];

    memset(count, 0, sizeof count);
    memset(bytes, 0, sizeof bytes);
    for (u32 n = 0; n < MAP_RECORD; n++) {
        u32 length = n < LABEL_RECORD ? shape[n].length : PAGE;

        count[n][COUNT_RECORD] = (u8)(n + 1);
        count[n][COUNT_KEY] = n < LABEL_RECORD ? shape[n].key : 0;
        count[n][COUNT_DATA] = (u8)(length >> 8);
        count[n][COUNT_DATA + 1] = (u8)length;
        data[n] = n < LABEL_RECORD ? bytes[n] : (const u8 *)&job->map;
    }
    /* What an IPL from here comes to: a disabled wait, code F. */
    memcpy(bytes[0], "IPL1", 4);
    bytes[0][4 + 1] = 0x0a;
    bytes[0][4 + 7] = 0x0f;
    memcpy(bytes[1], "IPL2", 4);
    memset(bytes[2], ' ', 4 + 80);
    memcpy(bytes[2], "VOL1VOL1", 8);
    memcpy(bytes[2] + 8, job->volid, strlen(job->volid));
    bytes[2][4 + 10] = 0;
    memset(bytes[2] + 4 + 11, 0, 5);
    memcpy(bytes[2] + 4 + 37, "ENDICOTT", 8);
    memset(&job->map, 0, sizeof job->map);
    memcpy(job->map.id, "CPALLOC ", 8);
    memset(job->map.owner, ' ', OWNER);
    memset(job->purpose, PERM, job->disk.cylinders);
    if (!make_map(job))
        return RC_REFUSED;
    return write_track(job, 0, 0, MAP_RECORD, count, data);
}

static int write_pages(struct job *job, u32 cylinder, u32 head, const u8 *zeros)
{
    u32 records = blocks_of_track(job->disk.type, PAGE);
    u8 count[MOST_RECORDS][COUNT_LENGTH];
    const u8 *data[MOST_RECORDS];

    memset(count, 0, sizeof count);
    for (u32 n = 0; n < records && n < MOST_RECORDS; n++) {
        count[n][COUNT_RECORD] = (u8)(n + 1);
        count[n][COUNT_DATA] = PAGE >> 8;
        data[n] = zeros;
    }
    return write_track(job, cylinder, head, records, count, data);
}

static bool confirmed(const struct job *job, u32 first, u32 last)
{
    char line[256];
    u32 length;
    name word[TOKENS_MOST + 1];

    message("CPF", 839, 'R', first, last, job->volid, job->disk.vdev);
    length = read_line(line);
    return tokenize(line, length, word) == 1 && (is(word[0], "1") || abbreviates(word[0], "YES", 1));
}

static int format_cylinders(struct job *job, u32 first, u32 last)
{
    char called[DSCB_KEY + 1];
    u8 *zeros;
    int code = 0;

    for (u32 n = first; n <= last; n++)
        if (n > 0 && first > 0 && job->purpose[n] == PERM) {
            message("CPF", 840, 'E', n);
            return RC_REFUSED;
        }
    if (has_data_set(job, first, last, called))
        return refuse(837, called);
    if (!confirmed(job, first, last))
        return RC_REFUSED;
    zeros = obtain_command(PAGE);
    memset(zeros, 0, PAGE);
    for (u32 cylinder = first; code == 0 && cylinder <= last; cylinder++)
        for (u32 head = 0; code == 0 && head < job->disk.heads; head++) {
            code = cylinder == 0 && head == 0 ? write_first_track(job) : write_pages(job, cylinder, head, zeros);
            attend();
        }
    release(zeros);
    if (code == 0)
        type("CYLINDERS %u TO %u OF %s ARE FORMATTED", first, last, job->volid);
    return code;
}

static int own(struct job *job, const name owner)
{
    u32 length = name_length(owner);

    memset(job->map.owner, ' ', OWNER);
    if (!is(owner, "*"))
        memcpy(job->map.owner, owner, length);
    return write_map(job);
}

/* ---- the command ---- */

static int perform_function(struct job *job, const struct call *call)
{
    const char *function = call->token[3];
    u32 words = operands(call), first = 1, last = 0;
    bool formats = words > 3 && abbreviates(function, "FORMAT", 1);
    int code;

    if (formats && (words != 5 || !range(job, call->token[4], name_length(call->token[4]), &first, &last))) {
        message("CPF", words < 5 ? 386 : 70, 'E', call->token[4]);
        return RC_SYNTAX;
    }
    if (!job->labelled && !(formats && first == 0))
        return refuse(830, "");
    if (job->labelled && strcmp(job->volid, "") != 0) {
        char wanted[VOLID + 1] = { 0 };

        memcpy(wanted, call->token[2], name_length(call->token[2]));
        if (strcmp(job->volid, wanted) != 0)
            return refuse(830, job->volid);
    }
    memset(job->volid, 0, sizeof job->volid);
    memcpy(job->volid, call->token[2], name_length(call->token[2]));
    job->purpose = obtain_command(job->disk.cylinders);
    memset(job->purpose, PERM, job->disk.cylinders);
    code = formats && first == 0 ? 0 : take_map(job);
    if (code == 0 && words > 3 && is_in_use(job))
        code = refuse(831, job->volid);
    if (code == 0 && formats)
        code = format_cylinders(job, first, last);
    else if (code == 0 && words == 4 && is(function, "ALLOCATE"))
        code = allocate(job);
    else if (code == 0 && words == 5 && is(function, "OWNER"))
        code = own(job, call->token[4]);
    else if (code == 0 && words > 3) {
        message("CPF", 70, 'E', function);
        code = RC_SYNTAX;
    }
    if (code == 0)
        show_map(job);
    release(job->purpose);
    return code;
}

int format_volume(const struct call *call)
{
    u32 words = operands(call), vdev;
    struct job *job;
    int code = RC_SYNTAX;

    if (words < 3) {
        message("CPF", 386, 'E');
        return RC_SYNTAX;
    }
    if (call->count > words || words > 5) {
        message("CPF", 70, 'E', call->token[call->count > words ? words : 5]);
        return RC_SYNTAX;
    }
    if (!parse_hex(call->token[1], name_length(call->token[1]), &vdev) || vdev > 0xffff) {
        message("CPF", 17, 'E', call->token[1]);
        return RC_SYNTAX;
    }
    if (name_length(call->token[2]) > VOLID) {
        message("CPF", 70, 'E', call->token[2]);
        return RC_SYNTAX;
    }
    job = obtain_command(sizeof *job);
    memset(job, 0, sizeof *job);
    if (!disk_shape((u16)vdev, &job->disk)) {
        message("CPF", 113, 'S', "DASD", vdev);
        code = RC_IO;
    } else if (job->disk.fixed || blocks_of_track(job->disk.type, PAGE) == 0 ||
               blocks_of_track(job->disk.type, PAGE) > MOST_RECORDS) {
        message("CPF", 114, 'S', vdev);
        code = RC_IO;
    } else {
        read_label(job);
        code = perform_function(job, call);
    }
    release(job);
    return code;
}
