/* Packed files: runs of equal characters are written short (pack.c). Knows no CMS and compiles on any host. */
#ifndef PACK_H
#define PACK_H

#include "../edf/edf.h"

enum { PACKED_RECORD = 1024, PACK_HEADER = 20, PACK_LENGTH_MOST = 65535 };

void pack_header(u8 header[PACK_HEADER], u8 recfm, u32 lrecl, u32 records);
bool is_packed(const u8 header[PACK_HEADER]);
u8 packed_recfm(const u8 header[PACK_HEADER]);
u32 packed_lrecl(const u8 header[PACK_HEADER]);
u32 packed_records(const u8 header[PACK_HEADER]);

/* A record, by pieces; what `put` returns if it is not 0. */
int pack_text(int (*put)(void *with, const void *from, u32 length), void *with, const char *record, u32 length);

/* A record of that length, from bytes that `get` brings. False: they have ended, or are no such record. */
bool unpack_text(bool (*get)(void *with, u8 *byte), void *with, char *to, u32 length);
bool unpack_length(bool (*get)(void *with, u8 *byte), void *with, u32 *length);

#endif
