/*
 * Packed files, of COPYFILE and of the stages PACK and UNPACK.
 *
 * A packed file has records of 1024 bytes. What is in them, one after the other, begins with "PACKED  ", the record
 * format, three zeros, the record length and the number of records; then each record: its length in two bytes, and
 * pieces. A piece's first byte, if it is less than 128, is one less than how many characters follow; else the next byte
 * is one that stands there three times, or as often more as the rest of the first byte says.
 */
#include "pack.h"
#include <string.h>

enum { RUN = 0x80, RUN_LEAST = 3, RUN_MOST = 0x7f + RUN_LEAST, PIECE_MOST = 0x80, MARK = 8, AT_RECFM = 8, AT_LRECL = 12,
       AT_RECORDS = 16 };

static const char mark_text[] = "PACKED  ";

void pack_header(u8 header[PACK_HEADER], u8 recfm, u32 lrecl, u32 records)
{
    memset(header, 0, PACK_HEADER);
    memcpy(header, mark_text, MARK);
    header[AT_RECFM] = recfm;
    edf_set_word(header + AT_LRECL, lrecl);
    edf_set_word(header + AT_RECORDS, records);
}

u8 packed_recfm(const u8 header[PACK_HEADER]) { return header[AT_RECFM]; }
u32 packed_lrecl(const u8 header[PACK_HEADER]) { return edf_word(header + AT_LRECL); }
u32 packed_records(const u8 header[PACK_HEADER]) { return edf_word(header + AT_RECORDS); }

bool is_packed(const u8 header[PACK_HEADER])
{
    return memcmp(header, mark_text, MARK) == 0 && (header[AT_RECFM] == EDF_F || header[AT_RECFM] == EDF_V);
}

static u32 run_of(const char *text, u32 at, u32 length)
{
    u32 n = 1;

    while (at + n < length && n < RUN_MOST && text[at + n] == text[at])
        n++;
    return n;
}

int pack_text(int (*put)(void *with, const void *from, u32 length), void *with, const char *record, u32 length)
{
    u8 size[2] = { (u8)(length >> 8), (u8)length };
    int code = put(with, size, sizeof size);

    for (u32 at = 0; at < length && code == 0;) {
        u32 run = run_of(record, at, length), end = at;

        if (run >= RUN_LEAST) {
            u8 piece[2] = { (u8)(RUN | (run - RUN_LEAST)), (u8)record[at] };

            code = put(with, piece, sizeof piece);
            at += run;
            continue;
        }
        while (end < length && end - at < PIECE_MOST && run_of(record, end, length) < RUN_LEAST)
            end++;
        u8 count = (u8)(end - at - 1);

        code = put(with, &count, 1);
        if (code == 0)
            code = put(with, record + at, end - at);
        at = end;
    }
    return code;
}

bool unpack_length(bool (*get)(void *with, u8 *byte), void *with, u32 *length)
{
    u8 size[2];

    if (!get(with, &size[0]) || !get(with, &size[1]))
        return false;
    *length = (u32)size[0] << 8 | size[1];
    return true;
}

bool unpack_text(bool (*get)(void *with, u8 *byte), void *with, char *to, u32 length)
{
    u8 count, byte;

    for (u32 at = 0; at < length;) {
        if (!get(with, &count))
            return false;
        if (count & RUN) {
            u32 run = (count & 0x7fu) + RUN_LEAST;

            if (run > length - at || !get(with, &byte))
                return false;
            memset(to + at, byte, run);
            at += run;
        } else {
            if (count + 1u > length - at)
                return false;
            for (u32 n = 0; n <= count; n++) {
                if (!get(with, &byte))
                    return false;
                to[at++] = (char)byte;
            }
        }
    }
    return true;
}
