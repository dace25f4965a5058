/* Data sets, record by record. */
#ifndef DATASET_H
#define DATASET_H

#include "../nucleus/filedef.h"
#include "command.h"

struct dataset {
    struct filedef what;
    const struct filedef *defined;
    struct reader reader;
    struct open_file *file;
    u32 number;
    u8 *block;                  /* of tapes: what was read, or is to be written */
    u32 used, at, size, lrecl, blocks;
    bool variable, ended;
};

/* dataset.c. Return codes; messages have been typed. */
void dataset_define(const char *module, struct dataset *dataset, const name dd);
int dataset_open_input(const char *module, struct dataset *in);
int dataset_open_output(const char *module, struct dataset *out, char recfm, u32 lrecl);
bool dataset_take(const char *module, struct dataset *in, struct place *record, u32 *length, int *code);
int dataset_put(const char *module, struct dataset *out, struct place *record, u32 length);
void dataset_close_input(struct dataset *in);
int dataset_close_output(const char *module, struct dataset *out, const struct fileid *name, int code);

#endif
