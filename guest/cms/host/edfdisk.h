/* What edfdisk and its trials share: a disk in storage, whose writes can be cut off. */
#ifndef EDFDISK_H
#define EDFDISK_H

#include "../edf/edf.h"

struct memory {
    u8 *bytes;
    u32 blocks, size;
    bool fixed;         /* a fixed-block disk: the label is at byte 512 */
    u32 writes;         /* so far */
    u32 limit;          /* after so many writes none arrives any more; 0: all do */
};

extern const u8 to_ebcdic[128];

void die(const char *what, const char *which);
struct edf_device memory_device(struct memory *memory);
void tell_wrong(const char *what, u32 number, const u8 *fst);
int trial(u32 size, u32 seed, u32 steps, bool kills);
void maclib(char **word, int words);
int scribble(u32 size, u32 seed, u32 rounds);

#endif
