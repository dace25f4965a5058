/*
 * REXX's line input and output: LINEIN, LINEOUT, LINES and STREAM of execs (TRL, "Input and Output Streams").
 *
 * A stream is a file, `fn ft fm`, whose records are its lines; without a name it is the program stack and the terminal.
 * Each has a place to read and one to write, until STREAM or LINEOUT closes it, or the command that was typed ends.
 * Files themselves are opened as by EXECIO, so that both see what the other has written.
 */
#include "streamio.h"

typedef const struct rexx_arguments arguments;

enum state { NEVER_USED, READY, NOT_READY, IN_ERROR };
struct stream { struct stream *next; struct fileid id; u32 read, write; enum state state; };

static struct stream *streams;

/* Their storage goes with that of the command. */
void streams_forget(void) { streams = NULL; }

static enum rexx_outcome answer(struct rexx *rexx, const char *text, u32 length)
{
    return rexx_reply(rexx, text, length) ? REXX_DONE : REXX_NO_STORAGE;
}

static enum rexx_outcome answer_number(struct rexx *rexx, u32 number)
{
    char text[12];

    return answer(rexx, text, format(text, sizeof text, "%u", number));
}

static bool given(arguments *a, u32 n) { return n < a->count && a->list[n].text != NULL; }
static bool is_default(arguments *a) { return !given(a, 0) || a->list[0].length == 0; }

/* fn ft and perhaps fm; false: that is no name of a file. */
static bool parse_name(const struct rexx_text *text, struct fileid *id)
{
    name token[TOKENS_MOST + 1];
    u32 count = text->length > LINE_MOST ? 0 : tokenize(text->text, text->length, token);

    if (count < 2 || count > 3 || !legal_name(token[0]) || !legal_name(token[1]) ||
        (count == 3 && !legal_mode(token[2])))
        return false;
    *id = (struct fileid){ .fm = "* " };
    memcpy(id->fn, token[0], sizeof(name));
    memcpy(id->ft, token[1], sizeof(name));
    if (count == 3)
        memcpy(id->fm, token[2], sizeof id->fm);
    return true;
}

/* The stream of that name, which is made if there is none; NULL: no storage. */
static struct stream *stream_of(const struct fileid *id)
{
    struct stream *s = streams;

    while (s != NULL && memcmp(&s->id, id, sizeof *id) != 0)
        s = s->next;
    if (s == NULL && (s = obtain(sizeof *s, OWNER_COMMAND)) != NULL) {
        *s = (struct stream){ .next = streams, .id = *id, .read = 1 };
        streams = s;
    }
    return s;
}

/* 0 is nothing: the end of the file, or where it begins. */
static bool whole(const struct rexx_text *text, u32 *number)
{
    return parse_number(text->text, text->length, number) && *number > 0;
}

/* A new file is in no directory as long as it is open. */
static struct open_file *open_file_of(const struct stream *s)
{
    struct disk *disk = disk_at(s->id.fm[0] == '*' ? 'A' : s->id.fm[0]);
    struct open_file *file = disk != NULL ? file_is_open(disk, (const u8 *)s->id.fn) : NULL;
    u8 *fst;

    return file == NULL && find_file(&s->id, &disk, &fst) ? file_is_open(disk, fst) : file;
}

static bool opened(struct stream *s, bool to_write, struct open_file **file)
{
    struct fileid id = s->id;
    int error;

    *file = to_write ? NULL : open_file_of(s);
    if (*file != NULL) {
        s->state = READY;
        return true;
    }
    if (to_write && id.fm[0] == '*')
        id.fm[0] = 'A';
    error = file_open(&id, to_write ? EDF_UPDATE : EDF_READ, file);
    s->state = error == EDF_OK ? READY : error == EDF_NOT_FOUND ? NOT_READY : IN_ERROR;
    return error == EDF_OK;
}

/* LINEIN([name] [,[line] [,count]]): a line, or with count 0 none. */
enum rexx_outcome stream_linein(void *context, struct rexx *rexx, arguments *a)
{
    u32 count = 1, length = 0;
    struct open_file *file;
    struct fileid id;
    struct stream *s;
    char *line;
    bool good;
    int error;

    (void)context;
    if (given(a, 2) && (!parse_number(a->list[2].text, a->list[2].length, &count) || count > 1))
        return REXX_BAD_CALL;
    if (is_default(a)) {
        if (given(a, 1))
            return REXX_BAD_CALL;
        if (count == 0)
            return answer(rexx, "", 0);
        return exec_host.pull(NULL, rexx) || exec_host.read(NULL, rexx) ? REXX_DONE : answer(rexx, "", 0);
    }
    if (!parse_name(&a->list[0], &id))
        return REXX_BAD_CALL;
    if ((s = stream_of(&id)) == NULL)
        return REXX_NO_STORAGE;
    if (given(a, 1) && !whole(&a->list[1], &s->read))
        return REXX_BAD_CALL;
    if (!opened(s, false, &file) || count == 0)
        return answer(rexx, "", 0);
    line = obtain(edf_word(file->file.fst + FST_LRECL) + 1, OWNER_COMMAND);
    if (line == NULL)
        return REXX_NO_STORAGE;
    error = edf_read(&file->file, s->read, line, edf_word(file->file.fst + FST_LRECL), &length);
    s->state = error == EDF_OK ? READY : error == EDF_END ? NOT_READY : IN_ERROR;
    s->read += error == EDF_OK;
    good = rexx_reply(rexx, line, error == EDF_OK ? length : 0);
    release(line);
    return good ? REXX_DONE : REXX_NO_STORAGE;
}

/* A record of a file: of fixed length with blanks, of variable length at least one character. */
static bool write_record(struct stream *s, struct open_file *file, const struct rexx_text *text)
{
    u32 lrecl = edf_word(file->file.fst + FST_LRECL), length = text->length;
    bool anew = edf_word(file->file.fst + FST_RECORDS) == 0, fixed;
    char *record;
    int error;

    if (anew)
        file->file.fst[FST_RECFM] = EDF_V;
    fixed = file->file.fst[FST_RECFM] == EDF_F;
    if (fixed)
        length = lrecl;
    else if (length == 0)
        length = 1;
    if (text->length > length || (record = obtain(length, OWNER_COMMAND)) == NULL)
        return false;
    memset(record, ' ', length);
    memcpy(record, text->text, text->length);
    error = edf_write(&file->file, s->write, record, length);
    release(record);
    s->write += error == EDF_OK;
    return error == EDF_OK;
}

static bool close_stream(struct stream *s)
{
    struct open_file *file = open_file_of(s);
    bool good = file == NULL || file_finish(file) == EDF_OK;

    s->read = 1;
    s->write = 0;
    s->state = good ? NEVER_USED : IN_ERROR;
    return good;
}

/* LINEOUT([name] [,[string] [,line]]): how many lines have not been written. Without string and line: closes. */
enum rexx_outcome stream_lineout(void *context, struct rexx *rexx, arguments *a)
{
    struct open_file *file;
    struct fileid id;
    struct stream *s;
    bool good;

    (void)context;
    if (is_default(a)) {
        if (given(a, 2))
            return REXX_BAD_CALL;
        if (given(a, 1))
            exec_host.say(NULL, REXX_SAY, a->list[1].text, a->list[1].length);
        return answer_number(rexx, 0);
    }
    if (!parse_name(&a->list[0], &id))
        return REXX_BAD_CALL;
    if ((s = stream_of(&id)) == NULL)
        return REXX_NO_STORAGE;
    if (given(a, 2) && !whole(&a->list[2], &s->write))
        return REXX_BAD_CALL;
    if (!given(a, 1) && !given(a, 2))
        return answer_number(rexx, close_stream(s) ? 0 : 1);
    if (!given(a, 1))
        return answer_number(rexx, 0);
    good = opened(s, true, &file);
    if (good && s->write == 0)
        s->write = edf_word(file->file.fst + FST_RECORDS) + 1;
    good = good && write_record(s, file, &a->list[1]);
    s->state = good ? READY : IN_ERROR;
    return answer_number(rexx, good ? 0 : 1);
}

/* LINES([name]): how many there are to be read. */
enum rexx_outcome stream_lines(void *context, struct rexx *rexx, arguments *a)
{
    struct open_file *file;
    struct fileid id;
    struct stream *s;
    u32 records;

    (void)context;
    if (is_default(a))
        return answer_number(rexx, exec_host.queued(NULL) + exec_host.externals(NULL));
    if (!parse_name(&a->list[0], &id))
        return REXX_BAD_CALL;
    if ((s = stream_of(&id)) == NULL)
        return REXX_NO_STORAGE;
    if (!opened(s, false, &file))
        return answer_number(rexx, 0);
    records = edf_word(file->file.fst + FST_RECORDS);
    return answer_number(rexx, records >= s->read ? records + 1 - s->read : 0);
}

/* ---- STREAM ---- */

static enum rexx_outcome say_state(struct rexx *rexx, const struct stream *s, bool colon)
{
    static const char *const names[] = { "UNKNOWN", "READY", "NOTREADY", "ERROR" };
    char text[12];

    return answer(rexx, text, format(text, sizeof text, "%s%s", names[s->state], colon ? ":" : ""));
}

/* OPEN [READ | WRITE [APPEND | REPLACE] | BOTH] */
static enum rexx_outcome open_stream(struct rexx *rexx, struct stream *s, const name *token, u32 count)
{
    struct open_file *file;
    struct disk *disk;
    u8 *fst;
    bool reads = count == 0 || is(token[0], "READ") || is(token[0], "BOTH");
    bool writes = count == 0 || is(token[0], "WRITE") || is(token[0], "BOTH");

    if (count > 2 || (!reads && !writes) || (count == 2 && !writes) ||
        (count == 2 && !is(token[1], "APPEND") && !is(token[1], "REPLACE")))
        return REXX_BAD_CALL;
    if (count == 2 && is(token[1], "REPLACE") &&
        (!close_stream(s) || (find_file(&s->id, &disk, &fst) && !disk->read_only &&
                              file_erase(disk, s->id.fn, s->id.ft) != EDF_OK)))
        s->state = IN_ERROR;
    /* A file that is not there is made by the first line that is written. */
    else if (!find_file(&s->id, &disk, &fst))
        s->state = writes ? READY : NOT_READY;
    else
        (void)opened(s, writes && !disk->read_only, &file);
    return say_state(rexx, s, true);
}

/* QUERY EXISTS: the name of the file that is meant, or nothing. */
static enum rexx_outcome ask_stream(struct rexx *rexx, struct stream *s, const name *token, u32 count)
{
    struct disk *disk;
    char text[24];
    u8 *fst;

    if (count != 1 || !is(token[0], "EXISTS"))
        return REXX_BAD_CALL;
    if (!find_file(&s->id, &disk, &fst))
        return answer(rexx, "", 0);
    return answer(rexx, text, format(text, sizeof text, "%t %t %c%c", (const char *)fst, (const char *)fst + 8,
                                     disk->mode, fst[FST_MODE + 1]));
}

/* STREAM(name [,S | D | C, command]) */
enum rexx_outcome stream_stream(void *context, struct rexx *rexx, arguments *a)
{
    char how = given(a, 1) && a->list[1].length > 0 ? upper(a->list[1].text[0]) : 'S';
    name token[TOKENS_MOST + 1];
    struct fileid id;
    struct stream *s;
    u32 count;

    (void)context;
    if (is_default(a) || !parse_name(&a->list[0], &id) || (how == 'C') != given(a, 2))
        return REXX_BAD_CALL;
    if ((s = stream_of(&id)) == NULL)
        return REXX_NO_STORAGE;
    if (how == 'S' || how == 'D')
        return say_state(rexx, s, false);
    if (how != 'C' || a->list[2].length > LINE_MOST)
        return REXX_BAD_CALL;
    count = tokenize(a->list[2].text, a->list[2].length, token);
    if (count > 0 && is(token[0], "OPEN"))
        return open_stream(rexx, s, token + 1, count - 1);
    if (count == 1 && is(token[0], "CLOSE"))
        return answer(rexx, close_stream(s) ? "READY:" : "ERROR:", 6);
    return count > 0 && is(token[0], "QUERY") ? ask_stream(rexx, s, token + 1, count - 1) : REXX_BAD_CALL;
}
