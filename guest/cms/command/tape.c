/*
 * TAPE: files on tape.
 *
 * A file is dumped as blocks of 800 or 4096 bytes, its name last (dump.c).
 */
#include "command.h"
#include "tape.h"

enum { SMALL = 800, LARGE = TAPE_LARGE, MOTIONS_MOST = 32767 };
enum { UNLOAD = 0x0f, ERASE_GAP = 0x17, NO_OPERATION = 0x03 };

u16 tape_device(u32 unit) { return (u16)(unit < 8 ? 0x180 + unit : 0x280 + unit); }

/* One command; `length` is how much there is, and then how much was moved. */
enum tape_end tape_io(u16 vdev, u8 command, void *data, u32 *length)
{
    struct { u8 command, flags; u16 count; u32 address; } ccw __attribute__((aligned(8))) =
        { command, 0x20, (u16)(*length == 0 ? 1 : *length), (u32)data };
    u16 left = 0;
    int code = channel_io(vdev, &ccw, &left);

    *length = left < *length ? *length - left : 0;
    if (code == 0)
        return TAPE_DONE;
    if (code == 2)
        return TAPE_MARK;
    if (code == 1)
        return TAPE_ABSENT;
    switch (channel_sense[3]) {
    case 0x30:
        return TAPE_PROTECTED;
    case 0x31:
        return TAPE_VOID;
    case 0x39:
        return TAPE_BEGINNING;
    case 0x43:
        return TAPE_NOT_READY;
    default:
        return TAPE_ERROR;
    }
}

/* The message, and the return code, for an end that is none of the good ones. */
int tape_problem(const char *module, u32 unit, enum tape_end end, bool writing)
{
    char shown[8];

    switch (end) {
    case TAPE_PROTECTED:
        message(module, 43, 'E', unit, tape_device(unit));
        return RC_DISK;
    case TAPE_NOT_READY:
        message(module, 111, 'S', unit, tape_device(unit));
        return 40;
    case TAPE_ABSENT:
        format(shown, sizeof shown, "TAP%x", unit);
        message(module, 113, 'S', shown, tape_device(unit));
        return RC_IO;
    case TAPE_VOID:
    case TAPE_BEGINNING:
    case TAPE_MARK:
        message(module, 58, 'E', unit, tape_device(unit));
        return 40;
    default:
        message(module, 110, 'S', writing ? "writing" : "reading", unit, tape_device(unit));
        return RC_IO;
    }
}

enum tape_end tape_move(struct tape *tape, u8 command)
{
    u32 length = 0;

    return tape_io(tape->vdev, command, tape->block, &length);
}

int tape_failed(const struct tape *tape, enum tape_end end, bool writing)
{
    return tape_problem(tape->module, tape->unit, end, writing);
}

static const struct fileid map_id = { "TAPE    ", "MAP     ", "A5" };

/* A line of the list of files. */
int tape_list(struct tape *tape, const char *text)
{
    u32 length = (u32)strlen(text);
    char line[80];
    int error = EDF_OK;

    switch (tape->listing) {
    case TO_SCREEN:
        type_line(text, length);
        return 0;
    case TO_PRINTER:
        return unit_write(PRINT_UNIT, 0x09, text, length) == 0 ? 0 : RC_IO;
    case TO_DISK:
        if (tape->map == NULL) {
            error = file_open(&map_id, EDF_NEW, &tape->map);
            if (error == EDF_OK)
                tape->map->file.fst[FST_RECFM] = EDF_F;
        }
        pad(line, sizeof line, text, length);
        if (error == EDF_OK)
            error = edf_write(&tape->map->file, tape->map->next_write++, line, sizeof line);
        return file_problem(tape->module, error, &map_id, true);
    default:
        return 0;
    }
}

/* DUMP. */

static int write_block(void *with, u8 *block, u32 length)
{
    struct tape *tape = with;
    enum tape_end end = tape_io(tape->vdev, TAPE_WRITE, block, &length);

    return end == TAPE_DONE ? 0 : tape_failed(tape, end, true);
}

static int dump_file(struct tape *tape, const struct fileid *id)
{
    struct dump dump = { .size = (u32)tape->size, .block = tape->block, .write = write_block, .with = tape };
    struct fileid found = *id;
    char text[24];
    int code = dump_out("TPE", &dump, &found);

    if (code == 0)
        code = tape_list(tape, show_id(&found, text));
    if (code == 0) {
        enum tape_end end = tape_move(tape, TAPE_WRITE_MARK);

        /* Without WTM the next file takes the mark's place. */
        if (end == TAPE_DONE && !tape->marks)
            end = tape_move(tape, BACKSPACE_BLOCK) == TAPE_MARK ? TAPE_DONE : TAPE_ERROR;
        code = end == TAPE_DONE ? 0 : tape_failed(tape, end, true);
    }
    return code;
}

static int dump_all(struct tape *tape, const struct fileid *wanted)
{
    struct search search;
    struct fileid id;
    char text[24];
    u32 files = 0;
    int code = tape_list(tape, "DUMPING.....");

    search_begin(&search, wanted);
    while (code == 0 && search_next(&search)) {
        id_of(search.disk, search.fst, &id);
        files++;
        code = dump_file(tape, &id);
    }
    if (code == 0 && files == 0) {
        message("TPE", 2, 'E', show_id(wanted, text));
        return RC_MISSING;
    }
    return code;
}

/* LOAD, SCAN, SKIP. */
const char *const tape_walks[] = { "LOAD", "SCAN", "SKIP" };
const char *const tape_says[] = { "LOADING.....", "SCANNING....", "SKIPPING...." };

/* The next block. */
enum tape_end tape_read(struct tape *tape)
{
    tape->length = LARGE + DUMP_HEAD;
    return tape_io(tape->vdev, TAPE_READ, tape->block, &tape->length);
}

static bool is_ours(const struct tape *tape)
{
    return dump_is(tape->block, tape->length);
}

/* Whether one file is meant. */
bool tape_wants_one(const struct fileid *id)
{
    for (u32 n = 0; n < 8; n++)
        if (id->fn[n] == '*' || id->ft[n] == '*' || id->fn[n] == '%' || id->ft[n] == '%')
            return false;
    return true;
}

/* The end of a file: what is to be done with it. True: it is the one that was wanted. */
static bool file_end(struct tape *tape, enum tape_walk what, const struct fileid *wanted, struct kept *kept, u32 blocks,
                     int *code)
{
    u8 fst[FST_LENGTH];
    struct fileid id;
    char text[24];
    bool matching, single = tape_wants_one(wanted);

    if (!dump_end(tape->block, tape->length, fst, &id)) {
        message("TPE", 57, 'E');
        *code = RC_FORMAT;
        return false;
    }
    if (what == LOAD)
        id.fm[0] = wanted->fm[0] == ' ' ? 'A' : wanted->fm[0];
    matching = matches(wanted->fn, (u8 *)id.fn) && matches(wanted->ft, (u8 *)id.ft);
    if (what == LOAD && matching)
        *code = dump_store("TPE", kept, fst, &id);
    dump_forget(kept);
    if (*code == 0 && (what != LOAD || matching))
        *code = tape_list(tape, show_id(&id, text));
    /* SCAN leaves the tape in front of the file that it looked for. */
    if (*code == 0 && what == SCAN && matching && single)
        for (u32 n = 0; n <= blocks && *code == 0; n++)
            if (tape_move(tape, BACKSPACE_BLOCK) != TAPE_DONE)
                *code = tape_failed(tape, TAPE_ERROR, false);
    return matching && single;
}

static int walk(struct tape *tape, enum tape_walk what, const struct fileid *wanted)
{
    bool found = false, marked = false;
    struct kept kept = { 0 };
    char text[24];
    u32 blocks = 0, marks = 0;
    int code = tape_list(tape, tape_says[what]);

    while (code == 0 && !found && (tape->end || marks < tape->files)) {
        enum tape_end end = tape_read(tape);

        attend();
        if (end == TAPE_VOID || (end == TAPE_MARK && marked))
            break;
        marked = end == TAPE_MARK;
        if (end != TAPE_MARK && end != TAPE_DONE) {
            code = tape_failed(tape, end, false);
        } else if (marked) {
            if (blocks != 0) {
                message("TPE", 10, 'E', "from tape");
                code = 40;
            }
            marks++;
        } else if (!is_ours(tape)) {
            message("TPE", 57, 'E');
            code = RC_FORMAT;
        } else if (tape->block[4] == ' ') {
            blocks++;
            if (what == LOAD)
                code = dump_keep("TPE", &kept, tape->block + DUMP_HEAD, tape->length - DUMP_HEAD,
                                 wanted->fm[0] == ' ' ? 'A' : wanted->fm[0]);
        } else {
            found = file_end(tape, what, wanted, &kept, blocks, &code);
            blocks = 0;
        }
    }
    dump_forget(&kept);
    if (code != 0 || found)
        return code;
    code = tape_list(tape, "END-OF-FILE OR END-OF-TAPE");
    if (code == 0 && tape_wants_one(wanted)) {
        message("TPE", 2, 'E', show_id(wanted, text));
        code = RC_MISSING;
    }
    return code;
}

/* Motions. */
static int motion(struct tape *tape, u8 command, u32 count)
{
    for (u32 n = 0; n < count; n++) {
        enum tape_end end = tape_move(tape, command);
        bool writing = command == TAPE_WRITE_MARK || command == ERASE_GAP;

        /* Passing over a mark ends a motion by records. */
        if (end == TAPE_MARK && (command == FORWARD_BLOCK || command == BACKSPACE_BLOCK) && n + 1 == count)
            end = TAPE_DONE;
        /* Back to the beginning is as far as it goes. */
        if (end == TAPE_BEGINNING && command == BACKSPACE_FILE && n + 1 == count)
            return 0;
        if (end != TAPE_DONE)
            return tape_failed(tape, end, writing);
        attend();
    }
    return 0;
}

/* DVOL1, and WVOL1 volid [owner]. */
static int label(struct tape *tape, const struct call *call, u32 words, bool rewind)
{
    bool writing = is(call->token[1], "WVOL1");
    u32 most = writing ? 4 : 2;
    enum tape_end end;
    int code;

    if (words > most) {
        message("TPE", 70, 'E', call->token[most]);
        return RC_SYNTAX;
    }
    if (writing && words < 3) {
        message("TPE", 50, 'E', call->token[1]);
        return RC_SYNTAX;
    }
    if (writing && name_length(call->token[2]) > 6) {
        message("TPE", 70, 'E', call->token[2]);
        return RC_SYNTAX;
    }
    code = writing ? tape_write_label(tape->unit, call->token[2], words > 3 ? call->token[3] : "        ")
        : tape_show_label(tape->unit);
    end = code == 0 && rewind ? tape_move(tape, TAPE_REWIND) : TAPE_DONE;
    return end == TAPE_DONE ? code : tape_failed(tape, end, false);
}

/* TAP1, 181 and (if there is a size) BLKSIZE n have no fixed form: they are taken out of the options here. */
static int tape_options(struct call *call, struct tape *tape)
{
    u32 from = operands(call) + 1, to = from;

    for (u32 n = from; n < call->count; n++) {
        char *word = call->token[n];
        u32 value, length = name_length(word);

        if (length == 4 && memcmp(word, "TAP", 3) == 0 && parse_hex(word + 3, 1, &value)) {
            tape->unit = value;
        } else if (length == 3 && parse_hex(word, 3, &value) &&
                   ((value >= 0x180 && value <= 0x187) || (value >= 0x288 && value <= 0x28f))) {
            tape->unit = value & 15;
        } else if (tape->size != 0 && abbreviates(word, "BLKSIZE", 3)) {
            if (n + 1 >= call->count) {
                message(tape->module, 5, 'E', word);
                return RC_SYNTAX;
            }
            n++;
            if (is(call->token[n], "800"))
                tape->size = SMALL;
            else if (is(call->token[n], "4096") || is(call->token[n], "4K"))
                tape->size = LARGE;
            else {
                message(tape->module, 29, 'E', call->token[n], word);
                return RC_SYNTAX;
            }
        } else {
            memmove(call->token[to++], word, sizeof(name));
        }
    }
    if (to < call->count) {
        call->count = to > from ? to : call->count - (call->count - to);
        memset(call->token[to], 0xff, sizeof(name));
    }
    tape->vdev = tape_device(tape->unit);
    return 0;
}

/* Makes of what was given a call whose tokens, TOKENS_MOST and one, are its own; reads its options; obtains a block. */
int tape_given(const struct call *given, struct call *call, name *token, struct tape *tape,
               const struct option *known, u32 count)
{
    int code;

    *call = *given;
    memcpy(token, given->token, (given->count + 1) * sizeof(name));
    call->token = token;
    if (operands(given) < 2) {
        message(tape->module, 47, 'E');
        return RC_SYNTAX;
    }
    code = tape_options(call, tape);
    if (code == 0)
        code = options(tape->module, call, known, count);
    if (code == 0)
        tape->block = obtain_command(TAPE_LARGE + DUMP_HEAD);
    return code;
}

/* Motions that are commands of their own: false, it is none. */
bool tape_moves(struct tape *tape, const struct call *call, u32 words, int *code)
{
    static const struct { const char *word; u8 command; bool counted; } motions[] = {
        { "BSF", BACKSPACE_FILE, true }, { "BSR", BACKSPACE_BLOCK, true }, { "ERG", ERASE_GAP, true },
        { "FSF", TAPE_FORWARD_FILE, true }, { "FSR", FORWARD_BLOCK, true }, { "REW", TAPE_REWIND, false },
        { "RUN", UNLOAD, false }, { "WTM", TAPE_WRITE_MARK, true }, { "MODESET", NO_OPERATION, false },
    };
    u32 count = 1, n = 0;

    while (n < COUNT_OF(motions) && !is(call->token[1], motions[n].word))
        n++;
    if (n == COUNT_OF(motions))
        return false;
    *code = RC_SYNTAX;
    if (words > (motions[n].counted ? 3u : 2u))
        message(tape->module, 70, 'E', call->token[motions[n].counted ? 3 : 2]);
    else if (words == 3 && (!parse_number(call->token[2], name_length(call->token[2]), &count) || count == 0 ||
                            count > MOTIONS_MOST))
        message(tape->module, 26, 'E', call->token[2], call->token[1]);
    else
        *code = motion(tape, motions[n].command, count);
    return true;
}

/* Which files LOAD, SCAN or SKIP means, and which of them it is; a return code. */
int tape_wanted(const struct tape *tape, const struct call *call, u32 words, struct fileid *id, enum tape_walk *what)
{
    u32 n = 0;

    while (n < TAPE_WALKS && !is(call->token[1], tape_walks[n]))
        n++;
    if (n == TAPE_WALKS) {
        message(tape->module, 14, 'E', call->token[1]);
        return RC_SYNTAX;
    }
    *what = (enum tape_walk)n;
    if (*what != LOAD && words > 4) {
        message(tape->module, 70, 'E', call->token[4]);
        return RC_SYNTAX;
    }
    if (!parse_fileid(tape->module, call, 2, words - 2, id))
        return RC_SYNTAX;
    if (words < 3)
        memcpy(id->fn, "*       ", 8);
    if (words < 4)
        memcpy(id->ft, "*       ", 8);
    return 0;
}

/* The list of files is complete; a return code. */
int tape_list_end(struct tape *tape, int code)
{
    if (tape->map != NULL) {
        int error = file_problem(tape->module, file_finish(tape->map), &map_id, true);

        code = code != 0 ? code : error;
    }
    if (tape->listing == TO_PRINTER)
        unit_close(PRINT_UNIT, "", &map_id);
    return code;
}

int tape_command(const struct call *given)
{
    struct tape tape = { .module = "TPE", .unit = 1, .size = LARGE, .files = 1 };
    int rewind = 1;
    const struct option known[] = {
        FLAG("WTM", 3, &tape.marks, 1), FLAG("NOWTM", 5, &tape.marks, 0),
        TAPE_WALK_OPTIONS(tape),
        FLAG("REWIND", 3, &rewind, 1), FLAG("LEAVE", 3, &rewind, 0),
    };
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
    if (is(call.token[1], "DVOL1") || is(call.token[1], "WVOL1"))
        return label(&tape, &call, words, rewind != 0);
    memset(&id, ' ', sizeof id);
    if (words > 5) {
        message("TPE", 70, 'E', call.token[5]);
        return RC_SYNTAX;
    }
    if (is(call.token[1], "DUMP")) {
        if (words < 4) {
            message("TPE", words < 3 ? 42 : 23, 'E');
            return RC_SYNTAX;
        }
        code = parse_fileid("TPE", &call, 2, words - 2, &id) ? dump_all(&tape, &id) : RC_SYNTAX;
    } else {
        code = tape_wanted(&tape, &call, words, &id, &what);
        if (code != 0)
            return code;
        code = walk(&tape, what, &id);
    }
    return tape_list_end(&tape, code);
}
