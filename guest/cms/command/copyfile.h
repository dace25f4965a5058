/* COPYFILE's parts: what was asked for (copyfile.c), and what happens to a record (copyspec.c). */
#ifndef COPYFILE_H
#define COPYFILE_H

#include "command.h"
#include "../lib/pack.h"

enum { SPECS_MOST = 40 };

/* One pair of a specification list: columns or a text, and where they go. */
struct spec { bool literal; u32 from, to, at, length; char text[LINE_MOST]; };

struct copy {
    int show, old_date, how, recfm, specs, single, truncate, fold, packing, translate, quiet;
    u8 table[256];              /* TRANS and EBCDIC */
    u32 first, count, lrecl;
    char fill;
    name from_label, to_label;
    struct spec *spec;
    u32 specifications;
};

enum { NEW_FILE, REPLACE, APPEND, OVERLAY };
enum { KEEP, UPCASE, LOWCASE };
enum { AS_IT_IS, PACK, UNPACK };
enum { FROM_LIST = 1, FROM_BCD = 2 };                    /* translate */

struct output { struct open_file *file; struct fileid id; bool begun; u32 number; struct place record; };

/* copypack.c: packed files. */
struct packing { u8 buffer[PACKED_RECORD]; u32 used; };
int pack_begin(struct packing *packing, struct output *out, const struct reader *in);
int pack_record(struct packing *packing, struct output *out, const char *record, u32 length);
int pack_end(struct packing *packing, struct output *out);
int unpack_file(struct reader *in, struct output *out);

/* copyspec.c */
int read_translation(struct copy *copy);

int read_specifications(struct copy *copy);
u32 shape_record(const struct copy *copy, const char *from, u32 length, struct place *to, u32 old_length);

#endif
