/* COPYFILE's parts: what was asked for (copyfile.c), and what happens to a record (copyspec.c). */
#ifndef COPYFILE_H
#define COPYFILE_H

#include "command.h"

enum { SPECS_MOST = 40, RECORD_MOST = EDF_MOST_V };

/* One pair of a specification list: columns or a text, and where they go. */
struct spec { bool literal; u32 from, to, at, length; char text[LINE_MOST]; };

struct copy {
    int show, old_date, how, recfm, specs, single, truncate, fold;
    u32 first, count, lrecl;
    char fill;
    name from_label, to_label;
    struct spec *spec;
    u32 specifications;
};

enum { NEW_FILE, REPLACE, APPEND, OVERLAY };
enum { KEEP, UPCASE, LOWCASE };

int read_specifications(struct copy *copy);
u32 shape_record(const struct copy *copy, const char *from, u32 length, char *to, u32 old_length);

#endif
