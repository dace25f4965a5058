/* 64ENCODE and 64DECODE: bytes as letters and digits, six bits each (RFC 2045, 6.8), a record by itself. */
#include "filters.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int encode_record(struct stage *s, void *with, struct text record)
{
    struct line *line = with;

    (void)s;
    stage_room(s, &line->buffer, 1);
    for (u32 n = 0; n < record.length; n += 3) {
        u32 some = record.length - n < 3 ? record.length - n : 3, bits = 0;

        for (u32 k = 0; k < 3; k++)
            bits = bits << 8 | (k < some ? (u8)record.at[n + k] : 0);
        for (u32 k = 0; k < 4; k++)
            line_byte(line, k <= some ? digits[bits >> (18 - 6 * k) & 63] : '=');
    }
    return line_write(line);
}

/* Groups of four; `=` at the end says that there is less. Blanks mean nothing. */
static int decode_record(struct stage *s, void *with, struct text record)
{
    struct line *line = with;
    u32 bits = 0, count = 0, padding = 0;

    stage_room(s, &line->buffer, 1);
    for (u32 n = 0; n < record.length; n++) {
        u32 digit = 0;

        if (record.at[n] == ' ')
            continue;
        padding += record.at[n] == '=';
        while (digit < 64 && digits[digit] != record.at[n])
            digit++;
        if (padding > 2 || (record.at[n] == '=' ? count % 4 < 2 : digit == 64 || padding > 0))
            return stage_error(s, 415, record.at, record.length);
        bits = bits << 6 | (digit & 63);
        if (++count % 4 == 0)
            for (u32 k = 0; k < 3 - padding; k++)
                line_byte(line, (char)(bits >> (16 - 8 * k)));
    }
    return count % 4 != 0 ? stage_error(s, 415, record.at, record.length) : line_write(line);
}

static int coding(struct stage *s, struct text arguments, record_function *perform)
{
    struct line line = { .stage = s };
    int code = no_more(s, arguments);

    return code != 0 ? code : each_record(s, perform, &line);
}

int encode64_stage(struct stage *s, struct text arguments) { return coding(s, arguments, encode_record); }
int decode64_stage(struct stage *s, struct text arguments) { return coding(s, arguments, decode_record); }
