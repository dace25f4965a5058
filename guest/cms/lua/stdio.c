/*
 * Streams of characters over records.
 *
 * A record that is read is its bytes and a new-line character; the bytes up to a new-line character, which is not
 * written, are a record. With b in the mode there are no new-line characters: records follow each other when they are
 * read, and are as long as may be when they are written. CMS has no records without bytes: an empty line is a record of
 * one blank, and a record of one blank an empty line, where records have lengths of their own. Files are read and
 * written as a stream as long as they can be; one that is read and written, or in which the program seeks, is in
 * storage as a whole (image), and written when it is closed or flushed.
 *
 * In a pipeline the standard streams are the stage's; else they are the terminal.
 */
#include "port.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { TERMINAL, STAGE, FILE_OF_RECORDS, IMAGE };
enum { NOTHING = -1 };

struct stream {
    struct stream *next, *previous;
    enum kind kind;
    bool reads, writes, appends, binary, ended, failed, dirty, nameless;
    bool replaces, lost;                /* a file that is there, once it is closed; not all could be written */
    struct fileid id;
    char recfm;
    u32 lrecl, item;
    int back;                           /* a character that ungetc() has given back, or NOTHING */
    long before;                        /* how many characters came before what is in the buffer */
    char *buffer;
    size_t room, length, at;
};

static bool make_room(struct stream *s, size_t size)
{
    size_t room = s->room * 2 > size ? s->room * 2 : size;
    char *more;

    if (size <= s->room)
        return true;
    more = heap_resize(s->buffer, s->room, room);
    if (more == NULL) {
        errno = ENOMEM;
        return false;
    }
    s->buffer = more;
    s->room = room;
    return true;
}

static struct stream *make(enum kind kind, bool reads, bool writes)
{
    struct stream *s = heap_resize(NULL, 0, sizeof *s);

    if (s == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    memset(s, 0, sizeof *s);
    s->kind = kind;
    s->reads = reads;
    s->writes = writes;
    s->back = NOTHING;
    s->recfm = 'V';
    s->next = port->streams;
    if (s->next != NULL)
        s->next->previous = s;
    port->streams = s;
    return s;
}

bool streams_begin(void)
{
    enum kind kind = port->stage ? STAGE : TERMINAL;

    port->standard[0] = make(kind, true, false);
    port->standard[1] = make(kind, false, true);
    port->standard[2] = make(TERMINAL, false, true);
    return port->standard[2] != NULL;
}

FILE *standard_stream(int which) { return port->standard[which]; }

static int fail(struct stream *s, int number)
{
    errno = number;
    s->failed = true;
    return EOF;
}

/* ---- the pipeline ---- */

static void consume(void)
{
    struct request request = { SERVICE_CONSUME, { 0 } };

    if (port->record_is_held)
        (void)ask(&request);
    port->record_is_held = false;
}

/* The next record, and a new-line character. */
static bool record_of_stage(struct stream *s)
{
    struct request request = { SERVICE_PEEK, { 0 } };

    consume();
    if (ask(&request) != 0 || !make_room(s, request.word[1] + 1))
        return false;
    port->record_is_held = true;
    memcpy(s->buffer, (const char *)request.word[0], request.word[1]);
    s->length = request.word[1];
    return true;
}

/* ---- lines and records out ---- */

static int write_record(struct stream *s, const char *text, size_t length)
{
    struct request request = { SERVICE_OUTPUT, { (u32)text, (u32)length } };
    int code;

    if (s->kind == TERMINAL) {
        say(text, length);
        return 0;
    }
    if (s->kind == STAGE) {
        /* Without a reader there is nothing more to do. */
        if (ask(&request) != 0) {
            s->length = 0;
            exit(0);
        }
        return 0;
    }
    if (s->lost)
        return fail(s, EIO);
    s->lost = s->replaces;
    if (length > RECORD_MOST || (s->recfm == 'F' && length > s->lrecl))
        return fail(s, EFBIG);
    if (s->recfm == 'F' && length < s->lrecl) {
        char *whole = malloc(s->lrecl);

        if (whole == NULL)
            return fail(s, ENOMEM);
        memset(whole, s->binary ? 0 : ' ', s->lrecl);
        memcpy(whole, text, length);
        code = record_write(&s->id, s->item++, whole, s->lrecl, 'F');
        free(whole);
    } else {
        code = record_write(&s->id, s->item++, length > 0 ? text : " ", length > 0 ? (u32)length : 1, s->recfm);
    }
    s->lost = s->replaces && code != 0;
    return code == 0 ? 0 : fail(s, error_of(code, true));
}

/*
 * The file is closed. What replaces another one does so now, if all of it could be written; without a record there is
 * no file.
 */
static int end_of_file(struct stream *s)
{
    int code = s->replaces && s->item == 1 ? file_erase(&s->id) : file_finish(&s->id);

    s->replaces = false;
    return code;
}

/* The old file stays. */
static int keep_old(struct stream *s)
{
    s->replaces = false;
    (void)file_replace(&s->id, true);
    return EOF;
}

/* How long records of a binary file become. */
static size_t piece(const struct stream *s) { return s->recfm == 'F' ? s->lrecl : RECORD_MOST; }

/* What stands in the buffer becomes records: whole ones, and `all` the last one, too. */
static int write_out(struct stream *s, bool all)
{
    size_t from = 0;
    int code = 0;

    while (from < s->length && code == 0) {
        const char *line = s->buffer + from;
        size_t left = s->length - from, length = left;
        const char *end = s->binary ? NULL : memchr(line, '\n', left);

        if (end != NULL)
            length = (size_t)(end - line);
        else if (s->binary && left >= piece(s))
            length = piece(s);
        else if (!all)
            break;
        code = write_record(s, line, length);
        from += length + (end != NULL);
    }
    if (code != 0)
        from = s->length;
    memmove(s->buffer, s->buffer + from, s->length - from);
    s->length -= from;
    s->before += (long)from;
    return code;
}

static int put(struct stream *s, const char *from, size_t length)
{
    if (!make_room(s, s->length + length + 1))
        return fail(s, ENOMEM);
    memcpy(s->buffer + s->length, from, length);
    s->length += length;
    if (s->binary ? s->length >= piece(s) : memchr(from, '\n', length) != NULL)
        return write_out(s, false);
    return 0;
}

void terminal_flush(void)
{
    for (u32 n = 1; n < 3; n++)
        if (port->standard[n]->kind == TERMINAL && port->standard[n]->length > 0)
            (void)write_out(port->standard[n], true);
}

/* ---- lines and records in ---- */

static bool line_of_terminal(struct stream *s)
{
    struct request request;
    int length;

    terminal_flush();
    if (!make_room(s, LINE_ROOM + 1))
        return false;
    request = (struct request){ SERVICE_READ, { (u32)s->buffer, LINE_ROOM } };
    length = ask(&request);
    if (length < 0 || (length == 2 && memcmp(s->buffer, "/*", 2) == 0))
        return false;
    s->length = (size_t)length;
    return true;
}

static bool record_of_file(struct stream *s)
{
    u32 length;
    int code;

    if (!make_room(s, s->lrecl + 1)) {
        s->failed = true;
        return false;
    }
    code = record_read(&s->id, s->item, s->buffer, s->lrecl, &length);
    if (code != 0 && code != CODE_END)
        (void)fail(s, error_of(code, false));
    if (code != 0)
        return false;
    s->item++;
    s->length = !s->binary && s->recfm == 'V' && length == 1 && *s->buffer == ' ' ? 0 : length;
    return true;
}

static bool fill(struct stream *s)
{
    if (s->kind == IMAGE)
        return false;
    s->before += (long)s->length;
    s->length = s->at = 0;
    if (!(s->kind == TERMINAL ? line_of_terminal(s) : s->kind == STAGE ? record_of_stage(s) : record_of_file(s)))
        return false;
    if (!s->binary)
        s->buffer[s->length++] = '\n';
    return true;
}

int getc(FILE *s)
{
    int c = s->back;

    if (!s->reads)
        return fail(s, EBADF);
    if (c != NOTHING) {
        s->back = NOTHING;
        return c;
    }
    while (s->at >= s->length)
        if (!fill(s)) {
            s->ended = true;
            return EOF;
        }
    return (u8)s->buffer[s->at++];
}

int ungetc(int c, FILE *s)
{
    if (c != EOF) {
        s->back = c;
        s->ended = false;
    }
    return c;
}

size_t fread(void *to, size_t size, size_t count, FILE *s)
{
    size_t wanted = size * count, done = 0;
    int c;

    while (done < wanted) {
        size_t left = s->at < s->length ? s->length - s->at : 0;

        if (s->back == NOTHING && s->reads && left > 0) {
            left = left < wanted - done ? left : wanted - done;
            memcpy((char *)to + done, s->buffer + s->at, left);
            s->at += left;
            done += left;
            continue;
        }
        c = getc(s);
        if (c == EOF)
            break;
        ((char *)to)[done++] = (char)c;
        /* A terminal has more only when there is more to type. */
    }
    return size == 0 ? 0 : done / size;
}

char *fgets(char *line, int room, FILE *s)
{
    int n = 0, c = 0;

    while (n < room - 1 && c != '\n' && (c = getc(s)) != EOF)
        line[n++] = (char)c;
    line[n] = 0;
    return n > 0 ? line : NULL;
}

/* ---- a whole file ---- */

static bool load(struct stream *s)
{
    struct stream reader = *s;
    struct file_facts facts;
    bool good = true;

    reader.buffer = NULL;
    reader.room = reader.length = reader.at = 0;
    reader.item = 1;
    if (!s->nameless && file_facts(&s->id, &facts)) {
        reader.lrecl = facts.lrecl;
        s->recfm = facts.recfm;
        s->lrecl = facts.lrecl;
        reader.kind = FILE_OF_RECORDS;
        while (good && fill(&reader)) {
            good = make_room(s, s->length + reader.length + 1);
            if (good)
                memcpy(s->buffer + s->length, reader.buffer, reader.length);
            s->length += good ? reader.length : 0;
        }
    }
    heap_resize(reader.buffer, reader.room, 0);
    s->kind = IMAGE;
    return good && !reader.failed;
}

static bool become_image(struct stream *s)
{
    long at = s->before + (long)(s->writes ? s->length : s->at);

    if (s->writes && (write_out(s, true) != 0 || (s->lost ? keep_old(s) : end_of_file(s)) != 0))
        return false;
    s->length = 0;
    if (!load(s))
        return false;
    s->before = 0;
    s->at = (size_t)at < s->length ? (size_t)at : s->length;
    return true;
}

/* The image takes the file's place. */
static int save(struct stream *s)
{
    struct stream writer = *s;
    int code;

    if (s->nameless || (!s->dirty && !s->replaces))
        return 0;
    code = file_replace(&s->id, false);
    if (code != 0 && code != 28)
        return fail(s, error_of(code, true));
    writer.replaces = code == 0;
    s->replaces = false;
    writer.kind = FILE_OF_RECORDS;
    writer.item = 1;
    writer.buffer = heap_resize(NULL, 0, s->length + 1);
    writer.room = s->length + 1;
    if (writer.buffer == NULL)
        return fail(s, ENOMEM);
    memcpy(writer.buffer, s->buffer, s->length);
    code = write_out(&writer, true);
    heap_resize(writer.buffer, writer.room, 0);
    s->dirty = false;
    if (code != 0)
        (void)fail(s, errno);
    code = writer.lost ? keep_old(&writer) : end_of_file(&writer) | code;
    return code == 0 ? 0 : fail(s, s->failed ? errno : EIO);
}

static int put_into_image(struct stream *s, const char *from, size_t length)
{
    size_t at = s->appends ? s->length : s->at, end = at + length;

    if (!make_room(s, end + 1))
        return fail(s, ENOMEM);
    if (at > s->length)
        memset(s->buffer + s->length, 0, at - s->length);
    memcpy(s->buffer + at, from, length);
    s->length = end > s->length ? end : s->length;
    s->at = end;
    s->dirty = true;
    return 0;
}

/* ---- out ---- */

size_t fwrite(const void *from, size_t size, size_t count, FILE *s)
{
    int code;

    if (!s->writes) {
        (void)fail(s, EBADF);
        return 0;
    }
    s->back = NOTHING;
    code = s->kind == IMAGE ? put_into_image(s, from, size * count) : put(s, from, size * count);
    return code == 0 ? count : 0;
}

int fputs(const char *text, FILE *s) { return fwrite(text, 1, strlen(text), s) == strlen(text) ? 0 : EOF; }

static int print_to(FILE *s, const char *how, va_list list)
{
    char text[1024];
    int length = vsnprintf(text, sizeof text, how, list);

    length = length < (int)sizeof text ? length : (int)sizeof text - 1;
    return fwrite(text, 1, (size_t)length, s) == (size_t)length ? length : EOF;
}

int fprintf(FILE *s, const char *how, ...)
{
    va_list list;
    int length;

    va_start(list, how);
    length = print_to(s, how, list);
    va_end(list);
    return length;
}

int printf(const char *how, ...)
{
    va_list list;
    int length;

    va_start(list, how);
    length = print_to(stdout, how, list);
    va_end(list);
    return length;
}

/* What is not a whole line yet waits for the rest. */
int fflush(FILE *s)
{
    if (s == NULL) {
        int code = 0;

        for (s = port->streams; s != NULL; s = s->next)
            code |= s->writes ? fflush(s) : 0;
        return code;
    }
    if (!s->writes)
        return 0;
    if (s->kind == IMAGE)
        return save(s);
    return s->failed ? EOF : 0;
}

/* ---- opening and closing ---- */

/* r, w or a, then +, b, and the format: F n or V. */
struct mode { char what, recfm; bool both, binary; u32 lrecl; };

static bool mode_of(const char *text, struct mode *mode)
{
    *mode = (struct mode){ .what = *text, .recfm = 0 };
    if (*text == 0 || strchr("rwa", *text) == NULL)
        return false;
    text++;
    if (*text == '+')
        mode->both = true, text++;
    if (*text == 'b')
        mode->binary = true, text++;
    while (*text == ' ')
        text++;
    if (*text == 0)
        return true;
    mode->recfm = (char)toupper((u8)*text++);
    while (*text == ' ')
        text++;
    for (; isdigit((u8)*text) && mode->lrecl <= RECORD_MOST; text++)
        mode->lrecl = mode->lrecl * 10 + (u32)(*text - '0');
    return *text == 0 && (mode->recfm == 'V' ? mode->lrecl == 0 : mode->recfm == 'F') && mode->lrecl <= RECORD_MOST &&
        mode->what != 'r';
}

int mode_is_good(const char *text)
{
    struct mode mode;

    return mode_of(text, &mode);
}

static struct stream *opened(const char *name, const struct mode *mode)
{
    bool writes = mode->what != 'r' || mode->both, reads = mode->what == 'r' || mode->both, there;
    struct file_facts facts;
    struct fileid id;
    struct stream *s;

    if (!fileid_of(name, strlen(name), &id)) {
        errno = EINVAL;
        return NULL;
    }
    if (id.fm[0] == '*' && mode->what == 'w')
        id.fm[0] = 'A';
    there = file_facts(&id, &facts);
    if (mode->what == 'r' && !there) {
        errno = ENOENT;
        return NULL;
    }
    if (id.fm[0] == '*')
        memcpy(id.fm, there ? facts.fm : "A1", 2);
    s = make(FILE_OF_RECORDS, reads, writes);
    if (s == NULL)
        return NULL;
    s->id = id;
    s->binary = mode->binary;
    s->appends = mode->what == 'a';
    s->item = 1;
    if (mode->what == 'w' && there) {
        int code = file_replace(&id, false);

        if (code != 0) {
            errno = error_of(code, true);
            s->nameless = true;
            (void)fclose(s);
            return NULL;
        }
        s->replaces = true;
        there = false;
    }
    s->recfm = there ? facts.recfm : mode->recfm == 'F' ? 'F' : 'V';
    s->lrecl = there ? facts.lrecl : mode->lrecl != 0 ? mode->lrecl : 80;
    if (mode->what == 'a' && there)
        s->item = facts.records + 1;
    return s;
}

FILE *fopen(const char *name, const char *text)
{
    struct mode mode;
    struct stream *s;

    if (!mode_of(text, &mode)) {
        errno = EINVAL;
        return NULL;
    }
    s = opened(name, &mode);
    if (s != NULL && mode.both) {
        char recfm = s->recfm;
        u32 lrecl = s->lrecl;
        bool good = load(s);

        if (s->length == 0) {
            s->recfm = recfm;
            s->lrecl = lrecl;
        }
        if (!good) {
            (void)fclose(s);
            return NULL;
        }
        if (mode.what == 'a')
            s->at = s->length;
    }
    return s;
}

FILE *tmpfile(void)
{
    struct stream *s = make(IMAGE, true, true);

    if (s != NULL)
        s->nameless = true;
    return s;
}

int fclose(FILE *s)
{
    int code = 0;

    if (s->kind == IMAGE)
        code = s->writes ? save(s) : 0;
    else if (s->writes && s->length > 0)
        code = write_out(s, true);
    if (s->kind == FILE_OF_RECORDS && !s->nameless && (s->lost ? keep_old(s) : end_of_file(s)) != 0)
        code = fail(s, EIO);
    if (s->next != NULL)
        s->next->previous = s->previous;
    if (s->previous != NULL)
        s->previous->next = s->next;
    else
        port->streams = s->next;
    heap_resize(s->buffer, s->room, 0);
    for (u32 n = 0; n < 3; n++)
        if (port->standard[n] == s) {
            /* What is written to it from now on is lost, what is read ends at once. */
            memset(s, 0, sizeof *s);
            s->kind = IMAGE;
            s->back = NOTHING;
            s->nameless = true;
            s->next = port->streams;
            if (s->next != NULL)
                s->next->previous = s;
            port->streams = s;
            return code;
        }
    heap_resize(s, sizeof *s, 0);
    return code;
}

FILE *freopen(const char *name, const char *mode, FILE *s)
{
    (void)fclose(s);
    return fopen(name, mode);
}

void streams_end(void)
{
    for (u32 n = 0; n < 3; n++)
        if (port->standard[n]->writes && port->standard[n]->kind != IMAGE && port->standard[n]->length > 0)
            (void)write_out(port->standard[n], true);
    consume();
    for (struct stream *s = port->streams, *next; s != NULL; s = next) {
        next = s->next;
        if (s->kind == FILE_OF_RECORDS || s->kind == IMAGE)
            (void)(s == port->standard[0] || s == port->standard[1] || s == port->standard[2] ? 0 : fclose(s));
    }
}

/* ---- places ---- */

int fseek(FILE *s, long offset, int from)
{
    long base;

    if (s->kind == TERMINAL || s->kind == STAGE)
        return fail(s, EBADF);
    if (s->kind != IMAGE) {
        if (s->back != NOTHING && s->at > 0)
            s->at--;
        if (!become_image(s))
            return EOF;
    }
    base = from == SEEK_SET ? 0 : from == SEEK_CUR ? (long)s->at - (s->back != NOTHING) : (long)s->length;
    if (base + offset < 0) {
        errno = EINVAL;
        return EOF;
    }
    s->back = NOTHING;
    s->at = (size_t)(base + offset);
    s->ended = false;
    return 0;
}

long ftell(FILE *s)
{
    if (s->kind == TERMINAL || s->kind == STAGE)
        return fail(s, EBADF);
    if (s->kind == IMAGE)
        return (long)s->at - (s->back != NOTHING);
    return s->before + (long)(s->writes ? s->length : s->at) - (s->back != NOTHING);
}

/* Lines and records are the buffers. */
int setvbuf(FILE *s, char *buffer, int how, size_t size)
{
    (void)s;
    (void)buffer;
    (void)size;
    return how == _IOFBF || how == _IOLBF || how == _IONBF ? 0 : EOF;
}

int feof(FILE *s) { return s->ended; }
int ferror(FILE *s) { return s->failed; }

void clearerr(FILE *s)
{
    s->ended = s->failed = false;
}

/* ---- names ---- */

int remove(const char *name)
{
    struct fileid id;

    if (!fileid_of(name, strlen(name), &id))
        errno = EINVAL;
    else
        errno = error_of(file_erase(&id), true);
    return errno == 0 ? 0 : EOF;
}

int rename(const char *from, const char *to)
{
    struct fileid old, new;
    struct file_facts facts;
    char text[64];
    int length, code;

    errno = EINVAL;
    if (!fileid_of(from, strlen(from), &old) || !fileid_of(to, strlen(to), &new))
        return EOF;
    errno = ENOENT;
    if (!file_facts(&old, &facts))
        return EOF;
    (void)file_finish(&old);
    length = snprintf(text, sizeof text, "RENAME %.8s %.8s %.2s %.8s %.8s =", old.fn, old.ft, facts.fm, new.fn, new.ft);
    code = command(text, (size_t)length, CALL_COMMAND);
    errno = code == 0 ? 0 : code == 36 ? EACCES : EINVAL;
    return code == 0 ? 0 : EOF;
}

char *tmpnam(char *name)
{
    struct file_facts facts;
    struct fileid id;

    do {
        (void)snprintf(name, L_tmpnam, "LUA%05u CMSUT1 A3", (unsigned)port->temporary++ % 100000);
    } while (fileid_of(name, strlen(name), &id) && file_facts(&id, &facts));
    return name;
}
