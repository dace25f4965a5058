/*
 * Update mode: a source is shown with its updates applied, and what is changed is written as control statements.
 *
 * The lines that the update file changes are kept (`base`). When the file is written, lines that are as they were there
 * are told by their sequence numbers; what lies between two of them was deleted, inserted or replaced.
 */
#include "xedit.h"
#include "../command/update.h"

enum { NO_NUMBER = 0xffffffff, SIDCODE_AT = 63, TEXT_MOST = 72 };

static bool keep_line(struct text *text, const char *line)
{
    return text_append(text, line, length_of(line, CARD));
}

/* An update is about to be applied: it is the one that is edited, unless another follows. */
static int before(struct update *update, const struct fileid *id)
{
    struct update_mode *mode = update->with;

    if (mode->merge && mode->base.lines > 0) {
        mode->id = *id;
        return 0;
    }
    mode->id = *id;
    text_free(&mode->base);
    for (u32 n = 0; n < update->text.count; n++)
        if (!keep_line(&mode->base, update->text.line[n]))
            return RC_STORAGE;
    return 0;
}

/* The file that is written, if there was none to apply. */
static void new_update(struct view *view)
{
    struct update_mode *mode = &view->file->update;
    static const name usual = "UPDATE  ";

    mode->id = view->file->s.id;
    memcpy(mode->id.ft, mode->until[0] != ' ' ? mode->until : usual, sizeof(name));
    memcpy(mode->id.fm, "A1", 2);
}

static int take_lines(struct view *view, const struct update *update)
{
    struct file *file = view->file;
    struct update_mode *mode = &file->update;
    bool applied = mode->id.fn[0] != 0;

    for (u32 n = 0; n < update->text.count; n++)
        if (!keep_line(&file->text, update->text.line[n]) ||
            (!applied && !keep_line(&mode->base, update->text.line[n])))
            return no_room();
    if (!applied)
        new_update(view);
    return 0;
}

/* Reads the source that the file's settings name, with its updates. */
int update_read(struct view *view)
{
    struct file *file = view->file;
    struct update_mode *mode = &file->update;
    struct update update = { .control = mode->control, .five = mode->five, .increment = 1, .before = before,
                             .with = mode };
    void *mark = !exec_active() ? obtain(1, OWNER_COMMAND) : NULL;
    struct disk *disk;
    u8 *fst;
    int code;

    update.source = update.from = file->s.id;
    memcpy(update.until, mode->until, sizeof(name));
    memcpy(update.from.ft, mode->control ? "CNTRL   " : "UPDATE  ", sizeof(name));
    if (mode->control)
        memcpy(update.from.fn, mode->control_fn, sizeof(name));
    memcpy(update.from.fm, "* ", 2);
    if (update.source.fm[0] == ' ')
        update.source.fm[0] = '*';
    code = update_in_storage(&update);
    if (code == 0 && mode->control && mode->until[0] != ' ' && !update.reached) {
        message("XUP", 570, 'W', mode->until);
    }
    if (code == 0)
        file->s.id = update.source, code = take_lines(view, &update);
    if (mark != NULL)
        release_storage_since(mark);
    if (code != 0)
        return code;
    file->s.recfm = 'F';
    file->s.lrecl = CARD;
    defaults_of(file, view);
    file->s.serial = false;
    if (file->s.truncation > TEXT_MOST)
        file->s.truncation = view->s.zone_right = TEXT_MOST;
    if (view->s.pair[0].to > TEXT_MOST)
        view->s.pair[0].to = TEXT_MOST;
    file->fresh = !find_file(&mode->id, &disk, &fst);
    if (!file->fresh)
        memcpy(file->entry, fst, sizeof file->entry);
    return 0;
}

/* The sequence number of a line; NO_NUMBER: it has none. */
static u32 number_of(const struct update_mode *mode, const struct row *row)
{
    u32 skip = mode->five ? 3 : 0, value;

    return row->length == CARD && parse_number(row->text + SEQUENCE + skip, SEQUENCE_LENGTH - skip, &value) ? value
                                                                                                            : NO_NUMBER;
}

/* Which line of the base, from `from` on, this one is; 0: none. */
static u32 same_line(struct update_mode *mode, const struct row *row, u32 from)
{
    u32 number = number_of(mode, row);

    for (u32 n = from; number != NO_NUMBER && n <= mode->base.lines; n++) {
        const struct row *base = text_row(&mode->base, n);
        u32 here = number_of(mode, base);

        if (here == number && base->length == row->length && memcmp(base->text, row->text, row->length) == 0)
            return n;
        if (here != NO_NUMBER && here > number)
            return 0;
    }
    return 0;
}

struct cards { struct edf_file *file; u32 number; int error; };

static void put_card(struct cards *cards, const char *text, u32 length)
{
    char card[CARD];

    pad(card, sizeof card, text, length);
    if (cards->error == EDF_OK)
        cards->error = edf_write(cards->file, ++cards->number, card, sizeof card);
}

/* Lines first..last of the base are gone, and lines from..to of the file have come in their place. */
static void put_change(struct view *view, struct cards *cards, u32 first, u32 last, u32 from, u32 to)
{
    struct update_mode *mode = &view->file->update;
    bool gone = last >= first, come = to >= from;
    u32 before = first > 1 ? number_of(mode, text_row(&mode->base, first - 1)) : 0;
    u32 after = last < mode->base.lines ? number_of(mode, text_row(&mode->base, last + 1)) : NO_NUMBER;
    u32 step = mode->increment > 0 ? mode->increment : 10, at, used, count = to + 1 - from;
    char text[CARD + 1];

    if (gone) {
        u32 low = number_of(mode, text_row(&mode->base, first)), high = number_of(mode, text_row(&mode->base, last));

        used = format(text, sizeof text, low == high ? "./ %c %08u" : "./ %c %08u %08u", come ? 'R' : 'D', low, high);
        at = low;
    } else {
        used = format(text, sizeof text, "./ I %08u", before);
        at = before;
    }
    if (come) {
        /* Numbers that fit in front of the next line. */
        while (after != NO_NUMBER && step > 1 && at + (gone ? 0 : step) + (count - 1) * step >= after)
            step = step > 10 ? step / 10 : step - 1;
        at += gone ? 0 : step;
        used += format(text + used, sizeof text - used, " $ %u %u", at, step);
    }
    put_card(cards, text, used);
    for (u32 line = from; come && line <= to; line++) {
        const struct row *row = line_row(view, line);
        u32 length = row->length < TEXT_MOST ? row->length : TEXT_MOST;

        pad(text, CARD, row->text, length);
        if (mode->sidcode[0] != ' ')
            memcpy(text + SIDCODE_AT, mode->sidcode, sizeof(name));
        put_card(cards, text, CARD);
    }
}

int update_write(struct view *view, struct open_file *file)
{
    static const char nothing[] = "./ * nothing is changed";
    struct update_mode *mode = &view->file->update;
    struct cards cards = { &file->file, 0, EDF_OK };
    u32 base = 1, line = 1, size = size_of(view);

    file->file.fst[FST_RECFM] = EDF_F;
    edf_set_word(file->file.fst + FST_LRECL, CARD);
    for (;;) {
        u32 same = 0, next = line;

        while (next <= size && (same = same_line(mode, line_row(view, next), base)) == 0)
            next++;
        same = next > size ? mode->base.lines + 1 : same;
        if (same > base || next > line)
            put_change(view, &cards, base, same - 1, line, next - 1);
        if (next > size)
            break;
        base = same + 1;
        line = next + 1;
    }
    if (cards.number == 0)
        put_card(&cards, nothing, sizeof nothing - 1);
    return cards.error;
}

void update_values(struct view *view, struct asked *asked) { give_switch(asked, view->file->update.on); }
void seq8_values(struct view *view, struct asked *asked) { give_switch(asked, !view->file->update.five); }
void baseft_values(struct view *view, struct asked *asked)
{
    give(asked, view->file->update.on ? "%t" : "", view->file->s.id.ft);
}

void until_values(struct view *view, struct asked *asked)
{
    give(asked, view->file->update.until[0] != 0 ? "%t" : "", view->file->update.until);
}

void sidcode_values(struct view *view, struct asked *asked)
{
    give(asked, view->file->update.sidcode[0] != 0 ? "%t" : "", view->file->update.sidcode);
}
