/* PUNCH: a file on the virtual punch, after a card that says what it is. */
#include "command.h"

enum { PUNCH_CARD = 0x01, CARD = 80 };

/* :READ  fn       ft       fm label  mm/dd/yy hh:mm:ss */
static int header_card(const struct open_file *file, const struct fileid *id)
{
    char card[CARD + 1];
    struct stamp s;
    name label = "        ";
    u32 length;

    memcpy(label, file->disk->edf.label + ADT_LABEL, 6);
    stamp_of(file->file.fst, &s);
    length = format(card, sizeof card, ":READ  %-8t %-8t %c%c %-6t %02u/%02u/%02u %02u:%02u:%02u", id->fn, id->ft,
                    id->fm[0], id->fm[1], label, s.month, s.day, s.year, s.hour, s.minute, s.second);
    for (; length < CARD; length++)
        card[length] = ' ';
    return unit_write(PUNCH_UNIT, PUNCH_CARD, card, CARD);
}

int punch_command(const struct call *call)
{
    int header = 1, code, bad = 0;
    name member = "        ";
    const struct option known[] = {
        FLAG("HEADER", 1, &header, 1), FLAG("NOHEADER", 3, &header, 0), WORD("MEMBER", 3, &member),
    };
    struct reader reader;
    struct fileid id;
    char card[CARD], text[24];

    code = options("PUN", call, known, COUNT_OF(known));
    if (code != 0)
        return code;
    if ((code = one_fileid("PUN", call, 1, &id)) != 0)
        return code;
    code = reader_open("PUN", &reader, &id);
    if (code != 0)
        return code;
    if (reader.room > CARD) {
        message("PUN", 44, 'E');
        reader_close(&reader);
        return RC_FORMAT;
    }
    if (member[0] != ' ') {
        code = reader_member("PUN", &reader, member);
        if (code != 0) {
            reader_close(&reader);
            return code;
        }
    }
    if (header)
        bad = header_card(reader.file, &reader.id);
    while (bad == 0 && reader_next("PUN", &reader, &code)) {
        pad(card, CARD, reader.record, reader.length);
        bad = unit_write(PUNCH_UNIT, PUNCH_CARD, card, CARD);
    }
    if (bad != 0) {
        message("PUN", 118, 'S', show_id(&reader.id, text));
        code = RC_IO;
    }
    id = reader.id;
    reader_close(&reader);
    unit_close(PUNCH_UNIT, "", &id);
    return code;
}
