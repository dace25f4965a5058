/*
 * LINEDIT: a line of a text and values, for programs.
 *
 * Two periods or more that stand together are a field, as wide as they are many. The values come in their order:
 * numbers and addresses right-aligned, characters left-aligned. What is too long is cut, numbers on the left.
 */
#include "program.h"

/* The block that the macro makes: the text (a length, then its characters), the buffer or 0, flags, and the values. */
enum { TEXT_AT = 0, BUFFER_AT = 4, FLAGS_AT = 8, VALUES_AT = 12, VALUE_LENGTH = 12, VALUES_MOST = 64 };
enum { WITH_DOT = 0x80, COMPRESSED = 0x40, TO_CP = 0x20, AS_MESSAGE = 0x10, NOWHERE = 0x08 };
enum { NO_MORE = 0xff, DEC = 1, DECA, HEX, HEXA, HEX4A, CHARA, CHAR8A };
enum { BAD_BLOCK = 24 };

static bool within(u32 at, u32 length)
{
    u32 size = storage_bytes();

    return at < size && length <= size - at;
}

/* A value as characters; false: it is nowhere. */
static bool value_text(const u8 *entry, char text[LINE_MOST], u32 *length, bool *right)
{
    u32 value = edf_word(entry + 4), count = edf_word(entry + 8), kind = entry[0];
    u32 wanted = kind == DECA || kind == HEXA ? 4 : kind == HEX4A ? 2 : kind == CHARA ? count : kind == CHAR8A ? 8 : 0;

    if (kind != DEC && kind != HEX)
        value &= 0x7fffffff;
    if (wanted > LINE_MOST || (wanted > 0 && !within(value, wanted)))
        return false;
    *right = kind < CHARA;
    switch (kind) {
    case DEC:
    case DECA:
        *length = format(text, LINE_MOST, "%d", kind == DEC ? value : edf_word((const u8 *)value));
        return true;
    case HEX:
    case HEXA:
        *length = format(text, LINE_MOST, "%08x", kind == HEX ? value : edf_word((const u8 *)value));
        return true;
    case HEX4A:
        *length = format(text, LINE_MOST, "%04x", (u32)((const u8 *)value)[0] << 8 | ((const u8 *)value)[1]);
        return true;
    case CHARA:
    case CHAR8A:
        memcpy(text, (const char *)value, *length = wanted);
        return true;
    }
    return false;
}

/* The value in its field. */
static void put_value(char *field, u32 width, const char *text, u32 length, bool right)
{
    u32 taken = length < width ? length : width;

    memset(field, ' ', width);
    if (right)
        memcpy(field + width - taken, text + length - taken, taken);
    else
        memcpy(field, text, taken);
}

/* Of blanks that stand together one remains. */
static u32 compressed(char *line, u32 length)
{
    u32 kept = 0;

    for (u32 n = 0; n < length; n++)
        if (line[n] != ' ' || (kept > 0 && line[kept - 1] != ' '))
            line[kept++] = line[n];
    return length_of(line, kept);
}

int linedit(u32 block)
{
    const u8 *at = (const u8 *)(block & 0x7fffffff), *entry = at + VALUES_AT;
    char line[LINE_MOST + 1], text[LINE_MOST];
    u32 from, buffer, length, values = 0, width;
    bool right;

    if (!within((u32)at, VALUES_AT + 1))
        return BAD_BLOCK;
    from = edf_word(at + TEXT_AT) & 0x7fffffff;
    buffer = edf_word(at + BUFFER_AT) & 0x7fffffff;
    if (!within(from, 1) || !within(from + 1, *(const u8 *)from))
        return BAD_BLOCK;
    length = *(const u8 *)from;
    memcpy(line, (const char *)from + 1, length);
    for (u32 n = 0; n < length; n += width > 0 ? width : 1) {
        u32 count;

        for (width = 0; n + width < length && line[n + width] == '.'; width++)
            ;
        if (width < 2 || !within((u32)entry, 1) || entry[0] == NO_MORE)
            continue;
        if (!within((u32)entry, VALUE_LENGTH) || ++values > VALUES_MOST || !value_text(entry, text, &count, &right))
            return BAD_BLOCK;
        put_value(line + n, width, text, count, right);
        entry += VALUE_LENGTH;
    }
    if (at[FLAGS_AT] & COMPRESSED)
        length = compressed(line, length);
    if (at[FLAGS_AT] & WITH_DOT && length < LINE_MOST)
        line[length++] = '.';
    if (buffer != 0) {
        if (!has_key(buffer, length + 1, USER_KEY))
            return BAD_BLOCK;
        *(u8 *)buffer = (u8)length;
        memcpy((char *)buffer + 1, line, length);
    }
    if (at[FLAGS_AT] & TO_CP)
        return cp(line, length, NULL, NULL);
    if (at[FLAGS_AT] & AS_MESSAGE)
        message_show(line, length);
    else if ((at[FLAGS_AT] & NOWHERE) == 0)
        type_line(line, length);
    return 0;
}
