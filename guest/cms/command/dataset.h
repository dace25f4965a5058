/* Data sets, record by record. */
#ifndef DATASET_H
#define DATASET_H

#include "../nucleus/filedef.h"
#include "command.h"

struct directory;
struct dataset {
    struct filedef what;
    const struct filedef *defined;
    struct reader reader;
    struct open_file *file;
    u32 number;
    u8 *block;                  /* of tapes: what was read, or is to be written */
    u32 used, at, size, lrecl, blocks;
    bool variable, ended, backward;
    bool partitioned;           /* what is put goes to members of a library */
    struct directory *directory;
};

/* dataset.c. Return codes; messages have been typed. */
void dataset_define(const char *module, struct dataset *dataset, const name dd);
int dataset_open_input(const char *module, struct dataset *in);
int dataset_open_output(const char *module, struct dataset *out, char recfm, u32 lrecl);
int dataset_open_update(const char *module, struct dataset *both);      /* records are taken, and put where they were */
/*
 * Records are taken and put, of a disk file: what is put comes after `number`, and what was there goes (dataset_cut).
 * The format and the length are of a file that is made, `anew` or because there was none.
 */
int dataset_open_both(const char *module, struct dataset *both, bool anew, char recfm, u32 lrecl);
int dataset_cut(const char *module, struct dataset *both, u32 number);
/*
 * What is open for input, with `backward`, gives records from its end. How many its next block has, of `block` at most.
 */
void dataset_turn_back(struct dataset *in, u32 lrecl);
u32 dataset_next_block(const char *module, struct dataset *in, u32 block, int *code);
bool dataset_take(const char *module, struct dataset *in, struct place *record, u32 *length, int *code);
int dataset_put(const char *module, struct dataset *out, struct place *record, u32 length);
int dataset_put_back(const char *module, struct dataset *both, u32 number, const void *from, u32 length);
void dataset_close_input(struct dataset *in);
int dataset_close_output(const char *module, struct dataset *out, const struct fileid *name, int code);

/*
 * partitioned.c: a library that is written. Records that are put are a member's when it is entered. 0, or as STOW says:
 * 4 the name is there already, 8 it is not there, 12 there is no room for a name, 16 it could not be written.
 */
enum stow { STOW_ADD, STOW_REPLACE, STOW_CHANGE, STOW_DELETE };
struct member;
int partitioned_begin(const char *module, struct dataset *out);
int partitioned_stow(struct dataset *out, enum stow what, const name called, const name other, u32 alias_of,
                     u32 *first);
bool partitioned_find(const struct dataset *out, const name called, struct member *member);
int partitioned_end(const char *module, struct dataset *out, int code);

#endif
