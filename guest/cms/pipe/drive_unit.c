/* Stages for the program stack, the reader, the punch, the printer, other unit record devices and tapes. */
#include "drive.h"

enum { CARD = 80, TAPE_MOST = 65535, COMMAND_WRITE_CARD = 0x01, CODE_TAG = 0x03, CODE_CARD = 0x42 };

/* ---- the program stack ---- */

/* STACK: its lines, first in a pipeline; else records become lines. */
int stack_stage(struct stage *s, struct text arguments)
{
    struct text record;
    bool lifo = next_keyword(&arguments, "LIFO", 4), reader = true;
    char line[256];
    u32 length;
    int error;

    if (!lifo)
        (void)next_keyword(&arguments, "FIFO", 4);
    if ((error = no_more(s, arguments)) != 0)
        return error;
    if (stage_is_first(s)) {
        if (stage_commit(s, 0) != 0)
            return 0;
        while (stage_has_output(s, 0) && unstack_line(line, &length) && stage_output(s, line, length) == 0)
            ;
        return 0;
    }
    while (stage_peek(s, &record) == 0) {
        if (record.length > LINE_MOST)
            return stage_error(s, 72, record.length, LINE_MOST);
        if (!stack_line(record.at, record.length, lifo)) {
            stage_say(s, 122, 'S');
            return RC_STORAGE;
        }
        reader = reader && stage_output(s, record.at, record.length) == 0;
        stage_consume(s);
    }
    return 0;
}

/* ---- the reader ---- */

struct deck { struct spooled file; name wanted; bool by_number, found, keep, hold; u32 read; int code;
              char tag[CARD + 4]; u32 tag_length; };

static void find_deck(void *with)
{
    struct deck *deck = with;
    char line[64], response[256];
    u32 room = sizeof response;

    deck->code = 0;
    if (deck->by_number) {
        deck->code = quietly(line, format(line, sizeof line, "CHANGE READER %t NOHOLD", deck->wanted));
        if (deck->code == 0)
            deck->code = quietly(line, format(line, sizeof line, "ORDER READER %t", deck->wanted));
    }
    deck->found = deck->code == 0 && find_spooled(deck->by_number ? deck->wanted : NULL, &deck->file);
    deck->tag[0] = CODE_TAG;
    memset(deck->tag + 1, ' ', CARD);
    deck->tag_length = CARD + 1;
    if (deck->found && cp(line, format(line, sizeof line, "TAG QUERY FILE %t", deck->file.number), response,
                          &room) == 0 && !(room & 0x80000000u)) {
        room = room > 0 && response[room - 1] == 0x15 ? room - 1 : room;
        memcpy(deck->tag + 1, response, room < CARD ? room : CARD);
    }
}

/* What has not been read through, or is to be kept, is a file of the reader again. */
static void let_deck_go(void *with)
{
    struct deck *deck = with;
    char line[64];

    if (deck->read == 0)
        return;
    put_back(&deck->file);
    if (deck->hold)
        quietly(line, format(line, sizeof line, "CHANGE READER %t HOLD", deck->file.number));
}

/* READER: a tag record, then cards; in front of each what a channel command would be. */
int reader_stage(struct stage *s, struct text arguments)
{
    struct deck *deck = stage_obtain(s, sizeof *deck);
    char card[CARD + 1];
    struct text word;
    u32 length;
    int error, code = 0;

    memset(deck, 0, sizeof *deck);
    for (;;) {
        if (next_keyword(&arguments, "FILE", 4)) {
            i32 number;

            if ((error = next_number(s, &arguments, &number)) != 0)
                return error;
            if (number < 1 || number > 9999)
                return stage_error(s, 66, number);
            format(deck->wanted, sizeof(name), "%04u    ", number);
            deck->by_number = true;
        } else if (next_keyword(&arguments, "HOLD", 4)) {
            deck->hold = deck->keep = true;
        } else if (next_keyword(&arguments, "KEEP", 4)) {
            deck->keep = true;
        } else if (next_keyword(&arguments, "NOHOLD", 6) || next_keyword(&arguments, "PURGE", 5)) {
            deck->hold = deck->keep = false;
        } else {
            break;
        }
    }
    if (peek_word(arguments, &word))
        return stage_error(s, 111, word.at, word.length);
    if (stage_commit(s, 0) != 0)
        return 0;
    aside(s, find_deck, deck);
    if (!deck->found)
        return stage_error(s, 290);
    if (stage_output(s, deck->tag, deck->tag_length) != 0)
        return 0;
    stage_at_end(s, let_deck_go, deck);
    card[0] = CODE_CARD;
    /* The read after the last card would end the file. */
    while (!(deck->keep && deck->read == deck->file.records) &&
           (code = unit_read(READER_UNIT, card + 1, &length)) == 0) {
        deck->read++;
        if (stage_output(s, card, length + 1) != 0)
            return 0;
    }
    if (code == 2)
        deck->read = 0;
    return code == 0 || code == 2 ? 0 : stage_error(s, 291, READER_UNIT);
}

/* ---- the punch, the printer, and any ---- */

static int write_units(struct stage *s, struct text arguments, u16 vdev, bool controlled, u32 most)
{
    struct text record;
    char card[CARD];
    bool reader = true;
    int error = no_more(s, arguments), code;

    while (error == 0 && stage_peek(s, &record) == 0) {
        u32 length = controlled && record.length > 0 ? record.length - 1 : record.length;

        if (length > most)
            return stage_error(s, 72, length, most);
        if (controlled) {
            code = record.length == 0 ? 0 : unit_write(vdev, (u8)record.at[0], record.at + 1, length);
        } else {
            pad(card, sizeof card, record.at, record.length);
            code = unit_write(vdev, COMMAND_WRITE_CARD, card, sizeof card);
        }
        if (code != 0)
            return stage_error(s, 291, vdev);
        reader = reader && stage_output(s, record.at, record.length) == 0;
        stage_consume(s);
    }
    return error;
}

int punch_stage(struct stage *s, struct text arguments) { return write_units(s, arguments, PUNCH_UNIT, false, CARD); }
int printmc_stage(struct stage *s, struct text arguments) { return write_units(s, arguments, PRINT_UNIT, true, 204); }

/* URO [vdev]: what the channel command is, is in front of each record. */
int uro_stage(struct stage *s, struct text arguments)
{
    u32 vdev = PRINT_UNIT;
    struct device device;
    struct text word;

    if (next_word(&arguments, &word)) {
        enum { UNIT_RECORD_OUTPUT = 0x10 };

        if (word.length > 4 || !parse_hex(word.at, word.length, &vdev))
            return stage_error(s, 111, word.at, word.length);
        if (!device_of((u16)vdev, &device) || (device.class & UNIT_RECORD_OUTPUT) == 0)
            return stage_error(s, 291, vdev);
    }
    return write_units(s, arguments, (u16)vdev, true, 204);
}

/* ---- tapes ---- */

struct tape_trouble { u32 unit; enum tape_end end; bool writing; int code; };

static void say_tape(void *with)
{
    struct tape_trouble *trouble = with;

    trouble->code = tape_problem("PIP", trouble->unit, trouble->end, trouble->writing);
}

static int tape_error(struct stage *s, u32 unit, enum tape_end end, bool writing)
{
    struct tape_trouble trouble = { unit, end, writing, 0 };

    aside(s, say_tape, &trouble);
    say_where(s);
    return trouble.code;
}

/*
 * TAPE [TAPn] [WTM n]: blocks up to a tape mark, first in a pipeline; else records become blocks, and tape marks
 * follow.
 */
int tape_stage(struct stage *s, struct text arguments)
{
    struct text word, record;
    u32 unit = 1, length;
    i32 marks = 1;
    char *block;
    bool reader = true;
    enum tape_end end;
    int error;

    if (peek_word(arguments, &word) && word.length == 4 && is_word((struct text){ word.at, 3 }, "TAP", 3)) {
        next_word(&arguments, &word);
        if (!parse_hex(word.at + 3, 1, &unit))
            return stage_error(s, 111, word.at, word.length);
    }
    if (!stage_is_first(s) && next_keyword(&arguments, "WTM", 3)) {
        if ((error = next_number(s, &arguments, &marks)) != 0)
            return error;
        if (marks < 0 || marks > 9)
            return stage_error(s, 66, marks);
    }
    if ((error = no_more(s, arguments)) != 0)
        return error;
    if (stage_is_first(s)) {
        block = stage_obtain(s, TAPE_MOST);
        if (stage_commit(s, 0) != 0)
            return 0;
        do {
            length = TAPE_MOST;
            end = tape_io(tape_device(unit), TAPE_READ, block, &length);
            if (end != TAPE_DONE)
                return end == TAPE_MARK ? 0 : tape_error(s, unit, end, false);
        } while (stage_output(s, block, length) == 0);
        return 0;
    }
    while (stage_peek(s, &record) == 0) {
        if (record.length > TAPE_MOST)
            return stage_error(s, 72, record.length, TAPE_MOST);
        length = record.length;
        end = length == 0 ? TAPE_DONE : tape_io(tape_device(unit), TAPE_WRITE, (void *)record.at, &length);
        if (end != TAPE_DONE)
            return tape_error(s, unit, end, true);
        reader = reader && stage_output(s, record.at, record.length) == 0;
        stage_consume(s);
    }
    while (marks-- > 0) {
        length = 1;
        end = tape_io(tape_device(unit), TAPE_WRITE_MARK, "", &length);
        if (end != TAPE_DONE)
            return tape_error(s, unit, end, true);
    }
    return 0;
}
