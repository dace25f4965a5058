/*
 * What the filetype says of a new file and of how any file is edited: the table of the reference's appendix.
 *
 * The record format and length of a file that is there are its own.
 */
#include "xedit.h"

enum { MIXED = 0, UPPER = 1, SERIAL = 2, CANON = 4 };

struct type { const char *name; u32 lrecl, truncation, verify; char recfm; u8 flags; u8 stops; };

/* Tab columns, by which the table says. */
enum { TABS_EVERY, TABS_ASSEMBLE, TABS_COBOL, TABS_FORTRAN, TABS_PLI, TABS_FEW };
static const u8 stops[][STOPS_MOST] = {
    { 1, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95, 100, 105, 110, 115, 120 },
    { 1, 10, 16, 31, 36, 41, 46, 69, 72, 80 },
    { 1, 8, 12, 20, 28, 36, 44, 68, 72, 80 },
    { 1, 7, 10, 15, 20, 25, 30, 80 },
    { 2, 4, 7, 10, 13, 16, 19, 22, 25, 31, 37, 43, 49, 55, 79, 80 },
    { 1, 4, 7, 10, 13, 16, 19, 22, 25, 31, 37, 43, 49, 55 },
};

static const struct type types[] = {
    { "ASSEMBLE", 80, 71, 72, 'F', UPPER | SERIAL, TABS_ASSEMBLE },
    { "ASM3705", 80, 71, 72, 'F', UPPER | SERIAL, TABS_ASSEMBLE },
    { "MACRO", 80, 71, 72, 'F', UPPER | SERIAL, TABS_ASSEMBLE },
    { "COPY", 80, 71, 72, 'F', UPPER | SERIAL, TABS_ASSEMBLE },
    { "XASM", 80, 71, 72, 'F', UPPER | SERIAL, TABS_ASSEMBLE },
    { "UPDATE", 80, 71, 72, 'F', UPPER | SERIAL, TABS_ASSEMBLE },
    { "UPDT*", 80, 71, 72, 'F', UPPER | SERIAL, TABS_ASSEMBLE },
    { "AUX*", 80, 71, 72, 'F', UPPER, TABS_ASSEMBLE },
    { "CNTRL", 80, 71, 72, 'F', UPPER, TABS_ASSEMBLE },
    { "COBOL", 80, 72, 72, 'F', UPPER | SERIAL, TABS_COBOL },
    { "FORTRAN", 80, 72, 72, 'F', UPPER | SERIAL, TABS_FORTRAN },
    { "FREEFORT", 81, 81, 72, 'V', UPPER, TABS_FORTRAN },
    { "VSBASIC", 80, 80, 72, 'F', UPPER, TABS_FEW },
    { "PLI", 80, 72, 72, 'F', UPPER | SERIAL, TABS_PLI },
    { "PLIOPT", 80, 72, 72, 'F', UPPER | SERIAL, TABS_PLI },
    { "PASCAL", 72, 72, 72, 'F', MIXED, TABS_FEW },
    { "C", 80, 80, 72, 'V', MIXED, TABS_FEW },
    { "EXEC", 130, 130, 72, 'V', MIXED, TABS_FEW },
    { "$EXEC", 130, 130, 72, 'V', MIXED, TABS_FEW },
    { "XEDIT", 255, 255, 72, 'V', MIXED, TABS_FEW },
    { "REXX", 255, 255, 72, 'V', MIXED, TABS_FEW },
    { "LUA", 255, 255, 72, 'V', MIXED, TABS_FEW },
    { "SCRIPT", 132, 132, 72, 'V', MIXED | CANON, TABS_EVERY },
    { "MEMO", 80, 80, 72, 'V', MIXED, TABS_EVERY },
    { "NOTE", 132, 132, 72, 'V', MIXED, TABS_EVERY },
    { "NOTEBOOK", 132, 132, 72, 'V', MIXED, TABS_EVERY },
    { "NAMES", 255, 255, 72, 'V', MIXED, TABS_EVERY },
    { "NETLOG", 255, 255, 72, 'V', MIXED, TABS_EVERY },
    { "LISTING", 121, 121, 80, 'V', UPPER, TABS_EVERY },
};

static const struct type others = { "*", 80, 80, 80, 'F', UPPER, TABS_EVERY };

static const struct type *type_of(const name filetype)
{
    for (u32 n = 0; n < COUNT_OF(types); n++) {
        name pattern;

        pad(pattern, sizeof pattern, types[n].name, (u32)strlen(types[n].name));
        if (matches(pattern, (const u8 *)filetype))
            return &types[n];
    }
    return &others;
}

/* The settings of the file and of its view; `lrecl` and `recfm` stay if there are any. */
void defaults_of(struct file *file, struct view *view)
{
    const struct type *type = type_of(file->s.id.ft);
    struct settings_of_view *s = &view->s;
    struct settings_of_file *f = &file->s;
    u32 wide = data_width(view, editor->typewriter ? 79 : editor->display.columns);

    if (f->lrecl == 0) {
        f->lrecl = type->lrecl;
        f->recfm = type->recfm;
    }
    /* Records of a V file may become longer than the longest that there is. */
    if (f->recfm == 'V' && f->lrecl < type->lrecl)
        f->lrecl = type->lrecl;
    if (f->width < f->lrecl)
        f->width = f->lrecl;
    if (f->width < type->lrecl)
        f->width = type->lrecl;
    f->truncation = type->truncation < f->lrecl && type->truncation != type->lrecl ? type->truncation : f->lrecl;
    f->serial = (type->flags & SERIAL) != 0 && f->lrecl == 80 && f->recfm == 'F';
    f->serial_increment = f->serial_start = 10;
    memcpy(f->serial_id, f->id.fn, sizeof f->serial_id);
    f->autosave_mode = 'A';
    s->uppercase = (type->flags & UPPER) != 0;
    s->image = (type->flags & CANON) != 0 ? IMAGE_CANON : IMAGE_ON;
    s->zone_left = 1;
    s->zone_right = f->truncation;
    s->pair[0] = (struct pair){ 1, type->verify < f->lrecl ? type->verify : f->lrecl, false };
    if (s->pair[0].to > wide)
        s->pair[0].to = wide;
    s->pairs = 1;
    for (s->stops = 0; s->stops < STOPS_MOST && stops[type->stops][s->stops] != 0; s->stops++)
        s->stop[s->stops] = stops[type->stops][s->stops];
}
