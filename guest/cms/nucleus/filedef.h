/*
 * What FILEDEF has said of a name that programs know a file by (command/filedef.c), and LABELDEF of its labels
 * (command/labeldef.c).
 */
#ifndef FILEDEF_H
#define FILEDEF_H

#include "cms.h"

enum file_device { ON_DISK, ON_TERMINAL, ON_PRINTER, ON_PUNCH, ON_READER, ON_NOTHING, ON_TAPE };
enum tape_labels { LABELS_OFF, LABELS_BYPASSED, LABELS_NONE, LABELS_STANDARD };
struct filedef {
    struct filedef *chain;
    name dd, member;
    enum file_device device;
    u32 unit;                   /* of tapes */
    enum tape_labels labels;
    u32 sequence;               /* which file of the tape, from 1; 0: where it stands */
    name volid;
    struct fileid id;
    char recfm;                 /* F or V, 0: the file's own */
    u32 lrecl, block;
    u32 keylen, xtent, limct;   /* of direct access: for programs that read them in the data control block */
    name optcd, dsorg;
    bool permanent, append, fold;
};

/* command/filedef.c */
struct filedef *filedef_find(const name dd);
struct filedef *filedef_next(const struct filedef *before);
void filedefs_clear(bool all);

/* What is on a tape's label: a number is 0, a name blank if it was not said. Dates are YYDDD. */
struct labeldef {
    struct labeldef *chain;
    name dd, volid;
    char fid[17], created[5], expires[5], security;
    u32 volseq, fseq, genn, genv;
    bool has_genv, permanent;
};

/* command/labeldef.c */
struct labeldef *labeldef_find(const name dd);

/* Labels of tapes (command/tapelabel.c): what comes before a file's blocks, and after them. */
struct tape_file { char recfm; u32 lrecl, block, blocks; };
int labels_before(const char *module, const struct filedef *what, bool writing, struct tape_file *file);
int labels_after(const char *module, const struct filedef *what, bool writing, const struct tape_file *file);

#endif
