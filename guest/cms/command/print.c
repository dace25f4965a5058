/* PRINT: a file on the virtual printer. */
#include "command.h"

enum { NO_SPACE = 0x01, SPACE_1 = 0x09, SPACE_2 = 0x11, SPACE_3 = 0x19, SKIP_1 = 0x8b, SPACE_1_NOW = 0x0b,
       SPACE_2_NOW = 0x13, SPACE_3_NOW = 0x1b, WIDTH = 132 };

/* ASA: the first character says what is done before the line. */
int print_controlled(const char *text, u32 length)
{
    if (length == 0)
        text = " ", length = 1;

    u8 before = text[0] == '0' ? SPACE_2_NOW : text[0] == '-' ? SPACE_3_NOW : text[0] == '1' ? SKIP_1 : text[0] == '+'
        ? 0 : SPACE_1_NOW;

    if (before != 0 && unit_write(PRINT_UNIT, before, " ", 1) != 0)
        return RC_IO;
    length = length - 1 < WIDTH ? length - 1 : WIDTH;
    return unit_write(PRINT_UNIT, NO_SPACE, text + 1, length);
}

static int new_page(void) { return unit_write(PRINT_UNIT, SKIP_1, " ", 1); }

static int header(const struct fileid *id, u32 page)
{
    char line[WIDTH], text[24];
    struct moment at;
    u32 length;

    now(&at);
    length = format(line, sizeof line, "FILE: %-20s  %s%02u/%02u/%02u  %02u:%02u:%02u   PAGE %05u", show_id(id, text),
                    "", at.month,
                    at.day, at.year % 100, at.hour, at.minute, at.second, page);
    return new_page() != 0 || unit_write(PRINT_UNIT, SPACE_2, line, length) != 0;
}

/* A record in hexadecimal, 32 characters a line. */
static int print_hex(const u8 *bytes, u32 length)
{
    char line[80];
    int bad = 0;

    for (u32 at = 0; at < length && bad == 0; at += 32) {
        u32 n = 0;

        for (u32 k = at; k < at + 32 && k < length; k++)
            n += format(line + n, sizeof line - n, k % 4 == 0 && k != at ? " %02x" : "%02x", bytes[k]);
        bad = unit_write(PRINT_UNIT, SPACE_1, line, n);
    }
    return bad;
}

/*
 * TRC: the character that chooses one of a 3800's character sets, which a 1403 has not: after the control character, if
 * there is one.
 */
static void drop_table_reference(struct reader *reader, bool controlled)
{
    u32 at = controlled ? 1 : 0;

    if (reader->length <= at)
        return;
    memmove(reader->record + at, reader->record + at + 1, reader->length - at - 1);
    if (--reader->length == 0)
        reader->record[reader->length++] = ' ';
}

int print_command(const struct call *call)
{
    int cc = -1, heading = 0, upcase = 0, hex = 0, trc = 0, code;
    name member = "        ";
    u32 lines = 55;
    const struct option known[] = {
        FLAG("CC", 2, &cc, 1), FLAG("NOCC", 3, &cc, 0), FLAG("HEADER", 6, &heading, 1),
        FLAG("TITLE", 5, &heading, 1), FLAG("UPCASE", 2, &upcase, 1), NUMBER("LINECOUN", 2, &lines),
        FLAG("HEX", 3, &hex, 1), FLAG("TRC", 3, &trc, 1), FLAG("NOTRC", 5, &trc, 0), WORD("MEMBER", 3, &member),
    };
    u32 on_page = 0, page = 0;
    struct reader reader;
    struct fileid id;
    char text[24];
    int bad = 0;

    code = options("PRT", call, known, COUNT_OF(known));
    if (code != 0)
        return code;
    if ((code = one_fileid("PRT", call, 1, &id)) != 0)
        return code;
    code = reader_open("PRT", &reader, &id);
    if (code != 0)
        return code;
    if (member[0] != ' ') {
        code = reader_member("PRT", &reader, member);
        if (code != 0) {
            reader_close(&reader);
            return code;
        }
    }
    if (hex)
        cc = 0;
    if (cc < 0)
        cc = is(reader.id.ft, "LISTING");
    if (!hex && reader.room > WIDTH + (u32)cc + (u32)trc) {
        message("PRT", 44, 'E');
        reader_close(&reader);
        return RC_FORMAT;
    }
    if (!cc && !heading)
        bad = new_page();
    while (bad == 0 && reader_next("PRT", &reader, &code)) {
        for (u32 n = 0; upcase && n < reader.length; n++)
            reader.record[n] = upper(reader.record[n]);
        if (trc)
            drop_table_reference(&reader, cc != 0);
        if (cc) {
            bad = print_controlled(reader.record, reader.length);
            continue;
        }
        if (lines != 0 && on_page == lines) {
            on_page = 0;
            bad = heading ? 0 : new_page();
        }
        if (heading && on_page == 0)
            bad = header(&reader.id, ++page);
        if (bad == 0)
            bad = hex ? print_hex((u8 *)reader.record, reader.length)
                : unit_write(PRINT_UNIT, SPACE_1, reader.record, reader.length);
        on_page++;
    }
    if (bad != 0) {
        message("PRT", 123, 'S', show_id(&reader.id, text));
        code = RC_IO;
    }
    id = reader.id;
    reader_close(&reader);
    unit_close(PRINT_UNIT, "", &id);
    return code;
}
