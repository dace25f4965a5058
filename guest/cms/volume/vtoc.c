/* The table of contents of a disk of OS or DOS, in storage, and the extents that it has. */
#include "volume.h"

/* Where a track is: CCHH; of large volumes the head's field has the cylinder's high bits. */
static bool track_at(const struct contents *contents, const u8 at[4], u32 *track)
{
    u32 cylinder = half(at), head = half(at + 2);

    if (contents->cylinders > 0xffff) {
        cylinder |= head >> 4 << 16;
        head &= 15;
    }
    *track = cylinder * contents->heads + head;
    return head < contents->heads && cylinder < contents->cylinders;
}

/* Room for the DSCBs of another track. */
static struct dscb *make_dscbs(struct contents *contents, u32 more, u32 *room)
{
    if (contents->count + more > *room) {
        u32 larger = 2 * *room + more;
        struct dscb *dscb = obtain_command(larger * sizeof *dscb);

        memcpy(dscb, contents->dscb, contents->count * sizeof *dscb);
        if (*room > 0)
            release(contents->dscb);
        contents->dscb = dscb;
        *room = larger;
    }
    return contents->dscb + contents->count;
}

/* Those of a track from a record on that are in use; false: there is not one record. */
static bool take_track(struct contents *contents, u32 track, u32 from, u32 each, u32 *room)
{
    struct dscb *dscb = make_dscbs(contents, each, room);
    u32 cylinder = track / contents->heads, head = track % contents->heads;
    u32 heads = cylinder >> 16 << 4 | head;
    u32 there = track_records(contents->disk, cylinder, head, each, sizeof *dscb, (u8 *)dscb);
    struct dscb *to = dscb;

    for (u32 n = from - 1; n < there; n++) {
        if (dscb[n].key_length != DSCB_KEY || dscb[n].data[DSCB_ID] == 0)
            continue;
        *to = dscb[n];
        /* The pointers have the disk's own cylinders. */
        to->place[0] = (u8)(cylinder >> 8);
        to->place[1] = (u8)cylinder;
        to->place[2] = (u8)(heads >> 8);
        to->place[3] = (u8)heads;
        to++;
    }
    contents->count = (u32)(to - contents->dscb);
    return there >= from;
}

bool contents_read(struct contents *contents, const struct disk *disk)
{
    u32 room = 0, from = disk->vtoc[4], each, track = half(disk->vtoc) * disk->heads + half(disk->vtoc + 2), last;
    const u8 *table;

    memset(contents, 0, sizeof *contents);
    contents->disk = disk;
    contents->heads = disk->heads;
    contents->cylinders = disk->cylinders;
    if (!take_track(contents, track, from, from, &room) || contents->count == 0 ||
        contents->dscb->data[DSCB_ID] != IS_TABLE)
        return false;
    table = contents->dscb->data;
    each = table[TABLE_RECORDS];
    contents->heads = half(table + TABLE_HEADS);
    contents->cylinders = half(table + TABLE_CYLINDERS);
    if (contents->cylinders == MANY_CYLINDERS)
        contents->cylinders = edf_word(table + TABLE_LARGE);
    if (each < from || contents->heads != disk->heads || !track_at(contents, table + TABLE_EXTENT + 6, &last))
        return false;
    for (contents->count = 0; track <= last; track++, from = 1)
        if (!take_track(contents, track, from, each, &room))
            return false;
    return contents->count > 0;
}

void contents_forget(struct contents *contents)
{
    if (contents->dscb != NULL)
        release(contents->dscb);
    contents->dscb = NULL;
}

bool is_data_set(const struct dscb *dscb)
{
    return dscb->data[DSCB_ID] == IS_DATA_SET || dscb->data[DSCB_ID] == IS_LARGE_DATA_SET;
}

/* An extent as a DSCB has it; those of type 0 are none. */
static void add(const struct contents *contents, const u8 *from, u32 many, struct extents *to)
{
    for (; many > 0; many--, from += EXTENT_LENGTH) {
        struct extent *extent;
        u32 first, last;

        if (from[0] == 0)
            continue;
        if (!track_at(contents, from + 2, &first) || !track_at(contents, from + 6, &last) || last < first) {
            to->wrong = true;
            continue;
        }
        if (to->count == to->room) {
            u32 room = 2 * to->room + 16;

            extent = obtain_command(room * sizeof *extent);
            memcpy(extent, to->at, to->count * sizeof *extent);
            if (to->room > 0)
                release(to->at);
            to->at = extent;
            to->room = room;
        }
        extent = &to->at[to->count++];
        *extent = (struct extent){ first, last, from[0], from[1] };
    }
}

static const struct dscb *at_place(const struct contents *contents, const u8 place[5])
{
    for (u32 n = 0; n < contents->count; n++)
        if (memcmp(contents->dscb[n].place, place, 5) == 0)
            return &contents->dscb[n];
    return NULL;
}

/* Those of a data set, or of the table itself. */
void add_extents(const struct contents *contents, const struct dscb *of, struct extents *to)
{
    static const u8 nowhere[5];
    u32 before = to->count, left = contents->count;

    if (of->data[DSCB_ID] == IS_TABLE) {
        add(contents, of->data + TABLE_EXTENT, 1, to);
        for (; before < to->count; before++)
            to->at[before].type = EXTENT_TABLE;
        return;
    }
    add(contents, of->data + SET_EXTENTS, SET_EXTENT_COUNT, to);
    while (memcmp(of->data + DSCB_NEXT, nowhere, sizeof nowhere) != 0) {
        of = at_place(contents, of->data + DSCB_NEXT);
        /* One that leads to itself ends, too. */
        if (of == NULL || left-- == 0 || (of->data[DSCB_ID] != IS_MORE && of->data[DSCB_ID] != IS_LARGE_MORE)) {
            to->wrong = true;
            return;
        }
        if (of->data[DSCB_ID] == IS_MORE) {
            add(contents, of->key + MORE_KEY, MORE_KEY_COUNT, to);
            add(contents, of->data + MORE_DATA, MORE_DATA_COUNT, to);
        }
    }
}

/* By their first tracks. */
void sort_extents(struct extents *extents)
{
    for (u32 n = 1; n < extents->count; n++) {
        struct extent one = extents->at[n];
        u32 k = n;

        for (; k > 0 && extents->at[k - 1].first > one.first; k--)
            extents->at[k] = extents->at[k - 1];
        extents->at[k] = one;
    }
}
