/* What FILEDEF has said of a name that programs know a file by (command/filedef.c). */
#ifndef FILEDEF_H
#define FILEDEF_H

#include "cms.h"

enum file_device { ON_DISK, ON_TERMINAL, ON_PRINTER, ON_PUNCH, ON_READER, ON_NOTHING, ON_TAPE };
struct filedef {
    struct filedef *chain;
    name dd, member;
    enum file_device device;
    u32 unit;                   /* of tapes */
    struct fileid id;
    char recfm;                 /* F or V, 0: the file's own */
    u32 lrecl, block;
    bool permanent, append, fold;
};
struct filedef *filedef_find(const name dd);
struct filedef *filedef_next(const struct filedef *before);
void filedefs_clear(bool all);

#endif
