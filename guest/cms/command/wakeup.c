/*
 * WAKEUP: an exec waits until something happens, and the return code says what it was.
 *
 *   WAKEUP [hh:mm[:ss] | +minutes | +hh:mm[:ss]] [( CONS RDR IUCVMSG SMSG FILE fn [ft [fm]]
 *
 * What goes with it is stacked: a message, or a line of the file. Such a line is a date in columns 1 to 8 (mm/dd/yy,
 * ALL, or a day of the week), a time hh:mm:ss in 10 to 17, the date when it was done last in 19 to 26, and from 28 on
 * what the exec likes. It is due once on each day that it names.
 */
#include "../nucleus/iucv.h"
#include "command.h"

enum { SPECIAL_MESSAGE = 1, TIME_IS_UP = 2, LINE_IS_DUE = 3, READER_FILE = 4, MESSAGE_CAME = 5, CONSOLE_LINE = 6 };
enum { DAY = 86400, LOOK_EVERY = 5, TIME_AT = 9, DONE_AT = 18, LINE_HAS = 26 };

struct wishes { int console, reader, messages, special, file, quiet; bool timed; uint64_t until; struct fileid id; };

/* hh:mm or hh:mm:ss, or a number of minutes after a plus sign: how many seconds. */
static bool seconds_of(const char *text, u32 length, bool minutes, u32 *seconds)
{
    u32 part[3] = { 0 }, parts = 0, at = 0;

    while (at <= length) {
        u32 n = 0;

        while (at + n < length && text[at + n] != ':')
            n++;
        if (parts == COUNT_OF(part) || n == 0 || n > 4 || !parse_number(text + at, n, &part[parts++]))
            return false;
        at += n + 1;
    }
    if (parts == 1 && minutes) {
        *seconds = part[0] * 60;
        return true;
    }
    *seconds = part[0] * 3600 + part[1] * 60 + part[2];
    return parts > 1 && part[0] < 24 && part[1] < 60 && part[2] < 60;
}

static u32 second_of_day(void)
{
    struct moment at;

    now(&at);
    return at.hour * 3600 + at.minute * 60 + at.second;
}

static uint64_t after(u32 seconds) { return tod_clock() + ((uint64_t)seconds * 1000000 << 12); }

/* The time: of this day, or of the next if it is over; with a plus sign from now on. */
static bool time_of(const name token, struct wishes *wishes)
{
    bool relative = token[0] == '+';
    u32 seconds;

    if (!seconds_of(token + relative, name_length(token) - relative, relative, &seconds))
        return false;
    wishes->timed = true;
    wishes->until = after(relative ? seconds : (seconds + DAY - second_of_day()) % DAY);
    return true;
}

/* Whether a line's first columns mean this day. */
static bool is_today(const char *date, const struct moment *at)
{
    static const char days[] = "SUNMONTUEWEDTHUFRISAT";
    static const u8 shift[] = { 0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4 };
    u32 year = at->year - (at->month < 3);
    u32 day = (year + year / 4 - year / 100 + year / 400 + shift[at->month - 1] + at->day) % 7;
    name wanted;

    for (u32 n = 0; n < sizeof wanted; n++)
        wanted[n] = upper(date[n]);
    return is(wanted, "ALL") || memcmp(date, at->date, sizeof wanted) == 0 ||
           (memcmp(wanted, days + 3 * day, 3) == 0 && wanted[3] == ' ');
}

/* A line that is due: it is stacked, and the file says that it was done. 0: there is none; else a return code. */
static int look_at_file(struct wishes *wishes)
{
    struct open_file *file;
    struct disk *disk;
    struct moment at;
    char line[LINE_MOST];
    u8 *fst;
    bool there = find_file(&wishes->id, &disk, &fst);
    int error = there ? file_open(&wishes->id, EDF_UPDATE, &file) : EDF_NOT_FOUND, code = 0;
    u32 length, seconds, records;

    if (error != EDF_OK)
        return file_problem("WAK", error, &wishes->id, true);
    now(&at);
    records = edf_word(file->file.fst + FST_RECORDS);
    for (u32 n = 1; error == EDF_OK && code == 0 && n <= records; n++) {
        error = edf_read(&file->file, n, line, sizeof line, &length);
        if (error != EDF_OK || length < LINE_HAS || length > sizeof line || !is_today(line, &at) ||
            memcmp(line + DONE_AT, at.date, sizeof at.date) == 0 || !seconds_of(line + TIME_AT, 8, false, &seconds) ||
            seconds > second_of_day())
            continue;
        memcpy(line + DONE_AT, at.date, sizeof at.date);
        error = edf_write(&file->file, n, line, length);
        stack_line(line, length_of(line, length), false);
        code = LINE_IS_DUE;
    }
    if (error != EDF_OK) {
        file_abandon(file);
        return file_problem("WAK", error, &wishes->id, true);
    }
    error = file_finish(file);
    return error != EDF_OK ? file_problem("WAK", error, &wishes->id, true) : code;
}

/* A message: *MSG, *WNG or *SMSG, the user, the text. */
static int look_at_messages(const struct wishes *wishes, struct iucv_line *said)
{
    while (iucv_next(said) || (wishes->special && vmcf_next(said))) {
        const char *kind = said->class == IUCV_SPECIAL ? "*SMSG" : said->class == IUCV_WARNING ? "*WNG" : "*MSG";
        char line[LINE_MOST];
        u32 length = format(line, sizeof line, "%-8s %-8t ", kind, said->from), rest = LINE_MOST - length;

        if (said->class == IUCV_SPECIAL ? !wishes->special && !wishes->messages : !wishes->messages)
            continue;
        memcpy(line + length, said->text, said->length < rest ? said->length : rest);
        stack_line(line, length + (said->length < rest ? said->length : rest), false);
        return said->class == IUCV_SPECIAL && wishes->special ? SPECIAL_MESSAGE : MESSAGE_CAME;
    }
    return 0;
}

static int wait_for(struct wishes *wishes, struct iucv_line *said)
{
    int code = 0;

    for (;;) {
        /* What is typed from here on ends the wait below. */
        exec_attention &= ~(u32)EXEC_LOOK;
        attend();
        if (wishes->console && lines_typed_ahead() > 0)
            return CONSOLE_LINE;
        /* HI ends the wait; the exec that has said WAKEUP sees it, too. */
        if (exec_attention & 1)
            return CONSOLE_LINE;
        if ((wishes->messages || wishes->special) && (code = look_at_messages(wishes, said)) != 0)
            return code;
        if (wishes->reader && reader_has_file())
            return READER_FILE;
        if (wishes->file && (code = look_at_file(wishes)) != 0)
            return code;
        if (wishes->timed && tod_clock() >= wishes->until)
            return TIME_IS_UP;
        uint64_t until = wishes->timed ? wishes->until : UINT64_MAX;
        /* Files come without an interruption. */
        if ((wishes->reader || wishes->file) && after(LOOK_EVERY) < until)
            until = after(LOOK_EVERY);
        wait_until(until);
    }
}

/* The options: FILE has words of its own, so they are looked at by turns. */
static int take_options(const struct call *call, u32 words, struct wishes *wishes)
{
    struct call rest = *call;
    const struct option known[] = {
        FLAG("CONS", 4, &wishes->console, 1), FLAG("RDR", 3, &wishes->reader, 1),
        FLAG("IUCVMSG", 4, &wishes->messages, 1), FLAG("SMSG", 4, &wishes->special, 1),
        FLAG("FILE", 4, &wishes->file, 1), FLAG("QUIET", 5, &wishes->quiet, 1),
    };

    for (u32 n = words + 1; n < call->count; n++) {
        name one[3] = { "(       " };

        if (call->token[n][0] == ')')
            break;
        memcpy(one[1], call->token[n], sizeof(name));
        memset(one[2], 0xff, sizeof(name));
        rest.token = one;
        rest.count = 2;
        int code = options("WAK", &rest, known, COUNT_OF(known));
        if (code != 0)
            return code;
        if (!is(one[1], "FILE"))
            continue;
        u32 count = 0;
        while (count < 3 && n + 1 + count < call->count && call->token[n + 1 + count][0] != ')')
            count++;
        if (!parse_fileid("WAK", call, n + 1, count, &wishes->id))
            return RC_SYNTAX;
        n += count;
    }
    if (wishes->file) {
        static const struct fileid usual = { "WAKEUP  ", "TIMES   ", "A " };

        if (wishes->id.fn[0] == ' ')
            wishes->id = usual;
        if (wishes->id.ft[0] == ' ')
            memcpy(wishes->id.ft, usual.ft, sizeof(name));
        if (wishes->id.fm[0] == ' ')
            wishes->id.fm[0] = 'A';
    }
    return 0;
}

int wakeup_command(const struct call *call)
{
    struct wishes wishes = { .id = { "        ", "        ", "  " } };
    struct iucv_line *said = NULL;
    u32 words = operands(call);
    int code = take_options(call, words, &wishes);
    u8 refused;

    if (code != 0)
        return code;
    if (call->count == 2 && is(call->token[1], "RESET")) {
        iucv_close();
        vmcf_close();
        return 0;
    }
    if (words > 2 || (words == 2 && !time_of(call->token[1], &wishes))) {
        message("WAK", 70, 'E', call->token[words > 2 ? 2 : 1]);
        return RC_SYNTAX;
    }
    if (!wishes.timed && !wishes.console && !wishes.reader && !wishes.messages && !wishes.special && !wishes.file) {
        message("WAK", 50, 'E', call->token[0]);
        return RC_SYNTAX;
    }
    if (wishes.messages || wishes.special) {
        said = obtain_command(sizeof *said);
        refused = iucv_is_open() ? 0 : iucv_open("*MSG    ");
        /* Special messages come by VMCF if SET SMSG is ON. */
        if (wishes.special && vmcf_open())
            refused = 0;
        if (refused != 0) {
            message("WAK", 1095, 'E', (u32)refused);
            return RC_IO;
        }
    }
    /* The path stays until the command that was typed ends: what is said between two of an exec's WAKEUPs waits. */
    code = wait_for(&wishes, said);
    if (said != NULL)
        release(said);
    return code;
}
