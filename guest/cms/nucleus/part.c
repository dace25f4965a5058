/*
 * Parts of the nucleus that are not resident: a saved segment that all have in common has one or, where there is no
 * such segment, a file of the system disk, fn PART S2. Either is loaded when it is wanted.
 *
 * A part was linked with the nucleus (xtask), so it calls what the nucleus has. It stays where it was loaded, anywhere;
 * what depends on the place is put right then, or when SEGGEN makes the segment. The file is a head, the part as it
 * lies in storage with the head in front, then where words are that the place changes: addresses within the part, and
 * with RELATIVE distances, in halfwords, to the nucleus; then texts, which are read one by one. Stamps say whether it
 * is this nucleus that it was linked with. A segment's first pages are the same for all; those from the head's
 * `variables` on are each machine's own.
 */
#include "program.h"
#include "segment.h"

enum { RELATIVE = 1, RECORD = 4096 };

struct head { char identifier[8]; u32 stamp[2], base, image, storage, words, variables, texts; };

/*
 * Where those are that have been loaded, one after the other; `size` 0 ends them. What handles interruptions looks
 * here, too (start.S).
 */
struct place { u32 first, size; } part_places[PART_COUNT + 1];
static const struct place *place_of[PART_COUNT];              /* NULL: not yet */
static const struct part { const char *fn, *segment; } parts[PART_COUNT] = {
    [PART_WINDOWS] = { "DMSWIN", "DMSWIN  " },           /* full-screen CMS (window/head.c) */
    [PART_PIPES] = { "PIPES", "PIPES   " },              /* pipelines (pipe/head.c) */
    [PART_SERVICES] = { "CMSVMLIB", "CMSVMLIB" },        /* callable services (csl/head.c) */
    [PART_VOLUMES] = { "DMSLDS", "DMSLDS  " },           /* disks of OS and DOS (volume/head.c) */
};
extern const u32 nucleus_stamp[2];

static const char identifier[8] = "CMSPART1";

bool part_is_loaded(enum part_number number) { return place_of[number] != NULL; }

bool part_at(u32 at)
{
    for (u32 n = 0; part_places[n].size != 0; n++)
        if (at - part_places[n].first < part_places[n].size)
            return true;
    return false;
}

static bool fits(const struct head *head)
{
    return memcmp(head->identifier, identifier, sizeof identifier) == 0 &&
           memcmp(head->stamp, nucleus_stamp, sizeof head->stamp) == 0;
}

/* Opens the file of a part and reads its head; a return code, and messages as `module`. */
static int open_part(const char *module, const struct fileid *id, struct open_file **file, struct head *head)
{
    u32 length = 0;
    int error = file_open(id, EDF_READ, file);

    if (error != EDF_OK)
        return file_problem(module, error, id, false);
    error = edf_read(&(*file)->file, 1, head, sizeof *head, &length);
    if (error == EDF_OK && length >= sizeof *head && fits(head))
        return 0;
    (void)file_finish(*file);
    if (error != EDF_OK)
        return file_problem(module, error, id, false);
    message(module, 700, 'E', id->fn);
    return RC_FORMAT;
}

/* The words of relocation stand after the part in its file. */
static void put_right(u8 *part, const struct head *head, const u32 *word)
{
    int by = (int)((u32)part - head->base);

    for (u32 n = 0; n < head->words; n++) {
        u8 *at = part + (word[n] & ~RELATIVE);
        u32 value;

        memcpy(&value, at, sizeof value);
        value = word[n] & RELATIVE ? value - (u32)(by / 2) : value + (u32)by;
        memcpy(at, &value, sizeof value);
    }
    memset(part + head->image, 0, head->storage - head->image);
    ((struct head *)part)->base = (u32)part;
}

/* Reads all of it to `at`, and closes the file; a return code. The words of relocation have room meanwhile. */
static int read_part(const char *module, const struct fileid *id, struct open_file *file, const struct head *head,
                     u8 *at)
{
    u32 length, whole = head->image / RECORD, records = (head->image + 4 * head->words + RECORD - 1) / RECORD;
    u8 *rest = obtain((records - whole + 1) * RECORD, OWNER_COMMAND);
    int error = EDF_OK;

    for (u32 n = 0; rest != NULL && error == EDF_OK && n < records; n++)
        error = edf_read(&file->file, n + 1, n < whole ? at + n * RECORD : rest + (n - whole) * RECORD, RECORD,
                         &length);
    (void)file_finish(file);
    if (rest == NULL) {
        message(module, 109, 'S');
        return RC_STORAGE;
    }
    if (error == EDF_OK) {
        memcpy(at + whole * RECORD, rest, head->image % RECORD);
        put_right(at, head, (const u32 *)(rest + head->image % RECORD));
    }
    release(rest);
    return error == EDF_OK ? 0 : file_problem(module, error, id, false);
}

u32 part_room(const struct fileid *id)
{
    struct open_file *file;
    struct head head;

    if (open_part("SGN", id, &file, &head) != 0)
        return 0;
    (void)file_finish(file);
    return head.storage;
}

int part_put(u8 *at, const struct fileid *id, u32 *length, u32 *variables)
{
    struct open_file *file;
    struct head head;
    int code = open_part("SGN", id, &file, &head);

    if (code == 0)
        code = read_part("SGN", id, file, &head, at);
    *length = head.storage;
    *variables = head.variables;
    return code;
}

/* From its saved segment; false: there is none, something else lies there, or it was made for another nucleus. */
static bool from_segment(const struct part *part, struct place *place)
{
    struct segment *segment = segment_known(segment_assigned(part->segment));
    bool was_loaded = segment != NULL && segment->loaded;
    const struct head *head;

    if (segment_load(segment_assigned(part->segment), false, &segment) != SEGMENT_DONE)
        return false;
    head = (const struct head *)segment->first;
    if (!fits(head) || head->base != segment->first) {
        if (!was_loaded)
            segment_purge(segment);
        return false;
    }
    segment->part = true;
    *place = (struct place){ segment->first, segment->last + 1 - segment->first };
    return true;
}

static struct fileid file_of(const struct part *part)
{
    struct fileid id = { .ft = "PART    ", .fm = "S " };

    pad(id.fn, sizeof id.fn, part->fn, (u32)strlen(part->fn));
    return id;
}

static bool from_disk(const struct part *part, struct place *place)
{
    struct fileid id = file_of(part);
    struct open_file *file;
    struct head head;
    u8 *at;

    if (open_part("PRT", &id, &file, &head) != 0)
        return false;
    at = obtain_high(head.storage, OWNER_SYSTEM);
    if (at == NULL) {
        (void)file_finish(file);
        message("PRT", 109, 'S');
        return false;
    }
    memset(at, 0, head.storage);
    if (read_part("PRT", &id, file, &head, at) != 0) {
        release(at);
        return false;
    }
    *place = (struct place){ (u32)at, head.storage };
    return true;
}

const void *part_load(enum part_number number)
{
    struct place *place = part_places;

    if (place_of[number] == NULL) {
        while (place->size != 0)
            place++;
        if (!from_segment(&parts[number], place) && !from_disk(&parts[number], place))
            return NULL;
        place_of[number] = place;
    }
    return (const void *)(place_of[number]->first + sizeof(struct head));
}

bool part_text(enum part_number number, const char *text, char *to, u32 room)
{
    struct fileid id = file_of(&parts[number]);
    u32 from, length = 0, n = 0;
    struct open_file *file;
    struct head head;
    int error = EDF_OK;
    char *record = obtain(RECORD, OWNER_COMMAND);

    if (record == NULL) {
        message("PRT", 109, 'S');
        return false;
    }
    if (open_part("PRT", &id, &file, &head) != 0) {
        release(record);
        return false;
    }
    from = head.image + 4 * head.words + ((u32)text - place_of[number]->first - head.texts);
    while (error == EDF_OK && n + 1 < room && (n == 0 || to[n - 1] != 0)) {
        if (n == 0 || (from + n) % RECORD == 0)
            error = edf_read(&file->file, (from + n) / RECORD + 1, record, RECORD, &length);
        to[n] = record[(from + n) % RECORD];
        n++;
    }
    to[n] = 0;
    release(record);
    (void)file_finish(file);
    return error == EDF_OK || file_problem("PRT", error, &id, false) == 0;
}
