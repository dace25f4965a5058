/*
 * VMFPLC2: files on the tapes that products are distributed on.
 *
 * A file is a block of X'02', C'PLCH' and the FST, then blocks of X'02', C'PLCD' and up to 4000 of its bytes. So the
 * name comes first, unlike TAPE DUMP's. Records lie as there (dump.c). What else is in the first block is not public,
 * so tapes are read and none are written.
 */
#include "tape.h"

enum { PIECE = 4000 };

/* The file that is being read; `used` bytes of `piece` have not been kept yet. */
struct reading {
    bool begun, wanted;
    u8 fst[FST_LENGTH];
    struct fileid id;
    struct kept kept;
    u8 *piece;
    u32 used;
};

static bool begins(const struct tape *tape, const char *with)
{
    return tape->length > DUMP_HEAD && memcmp(tape->block, with, DUMP_HEAD) == 0;
}

/* Data of a file, in pieces of one size. */
static int keep(struct tape *tape, struct reading *reading, const u8 *from, u32 length)
{
    int code = 0;

    while (length > 0 && code == 0) {
        u32 room = PIECE - reading->used, n = room < length ? room : length;

        memcpy(reading->piece + reading->used, from, n);
        reading->used += n;
        from += n;
        length -= n;
        if (reading->used == PIECE) {
            code = dump_keep(tape->module, &reading->kept, reading->piece, PIECE, reading->id.fm[0]);
            reading->used = 0;
        }
    }
    return code;
}

/* A file is there whole: LOAD makes it. */
static int finish(struct tape *tape, enum tape_walk what, struct reading *reading)
{
    int code = 0;

    if (reading->begun && what == LOAD && reading->wanted) {
        if (reading->used > 0) {
            memset(reading->piece + reading->used, 0, PIECE - reading->used);
            code = dump_keep(tape->module, &reading->kept, reading->piece, PIECE, reading->id.fm[0]);
        }
        if (code == 0)
            code = dump_store(tape->module, &reading->kept, reading->fst, &reading->id);
    }
    dump_forget(&reading->kept);
    reading->begun = false;
    reading->used = 0;
    return code;
}

/* The first block of a file. */
static int begin(struct tape *tape, enum tape_walk what, const struct fileid *wanted, struct reading *reading)
{
    char text[24];

    if (!dump_end(tape->block, tape->length, reading->fst, &reading->id)) {
        message(tape->module, 57, 'E');
        return RC_FORMAT;
    }
    if (what == LOAD)
        reading->id.fm[0] = wanted->fm[0] == ' ' ? 'A' : wanted->fm[0];
    reading->begun = true;
    reading->wanted = matches(wanted->fn, (u8 *)reading->id.fn) && matches(wanted->ft, (u8 *)reading->id.ft);
    return what != LOAD || reading->wanted ? tape_list(tape, show_id(&reading->id, text)) : 0;
}

static int back(struct tape *tape)
{
    enum tape_end end = tape_move(tape, BACKSPACE_BLOCK);

    return end == TAPE_DONE || end == TAPE_MARK ? 0 : tape_failed(tape, end, false);
}

static int walk(struct tape *tape, enum tape_walk what, const struct fileid *wanted)
{
    struct reading reading = { .piece = obtain_command(PIECE) };
    bool single = tape_wants_one(wanted), found = false, marked = false;
    char text[24];
    u32 marks = 0;
    int code = tape_list(tape, tape_says[what]);

    while (code == 0 && !found && (tape->end || marks < tape->files)) {
        enum tape_end end = tape_read(tape);

        attend();
        if (end == TAPE_VOID || (end == TAPE_MARK && marked))
            break;
        marked = end == TAPE_MARK;
        if (end != TAPE_MARK && end != TAPE_DONE) {
            code = tape_failed(tape, end, false);
        } else if (marked || begins(tape, "\x02" "PLCH")) {
            found = reading.begun && reading.wanted && single;
            code = finish(tape, what, &reading);
            marks += marked;
            /* The tape stays after the file that was wanted; SCAN leaves it in front of that. */
            if (code == 0 && found)
                code = back(tape);
            else if (code == 0 && !marked)
                code = begin(tape, what, wanted, &reading);
            if (code == 0 && what == SCAN && reading.begun && reading.wanted && single) {
                found = true;
                code = back(tape);
            }
        } else if (reading.begun && begins(tape, "\x02" "PLCD")) {
            if (what == LOAD && reading.wanted)
                code = keep(tape, &reading, tape->block + DUMP_HEAD, tape->length - DUMP_HEAD);
        } else {
            message(tape->module, 57, 'E');
            code = RC_FORMAT;
        }
    }
    /* Without a tape mark the tape ends with a file, too. */
    if (code == 0 && reading.begun) {
        found = found || (reading.wanted && single);
        code = finish(tape, what, &reading);
    }
    dump_forget(&reading.kept);
    release(reading.piece);
    if (code != 0 || found)
        return code;
    code = tape_list(tape, "END-OF-FILE OR END-OF-TAPE");
    if (code == 0 && single) {
        message(tape->module, 2, 'E', show_id(wanted, text));
        code = RC_MISSING;
    }
    return code;
}

int vmfplc2_command(const struct call *given)
{
    struct tape tape = { .module = "PLC", .unit = 1, .files = 1 };
    const struct option known[] = { TAPE_WALK_OPTIONS(tape) };
    struct call call;
    name token[TOKENS_MOST + 1];
    u32 words = operands(given);
    struct fileid id;
    enum tape_walk what;
    int code;

    code = tape_given(given, &call, token, &tape, known, COUNT_OF(known));
    if (code != 0)
        return code;
    if (tape_moves(&tape, &call, words, &code))
        return code;
    memset(&id, ' ', sizeof id);
    if (words > 5) {
        message("PLC", 70, 'E', call.token[5]);
        return RC_SYNTAX;
    }
    code = tape_wanted(&tape, &call, words, &id, &what);
    if (code != 0)
        return code;
    return tape_list_end(&tape, walk(&tape, what, &id));
}
