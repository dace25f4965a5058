/*
 * GLOBALV: variables in groups, for execs to share.
 *
 * A group's variables live in storage as long as the session. SETS and SETP write them to SESSION and LASTING GLOBALV A
 * as well, from where INIT (and the first use after IPL) takes them. A record is the group in eight characters, two
 * lengths in four digits each, the name and the value; the last record for a name counts.
 */
#include "command.h"

struct variable { struct variable *next; name group; u32 length, value_length; char *text, *value; };

enum { NAME_MOST = 255, VALUE_MOST = 9999 };

static struct variable *first;
static name selected = "UNNAMED ";
static bool started;

static struct variable *find(const name group, const char *text, u32 length)
{
    for (struct variable *v = first; v != NULL; v = v->next)
        if (memcmp(v->group, group, sizeof(name)) == 0 && v->length == length && memcmp(v->text, text, length) == 0)
            return v;
    return NULL;
}

static bool set(const name group, const char *text, u32 length, const char *value, u32 value_length)
{
    struct variable *v = find(group, text, length), **at = &first;
    char *copy;

    /* A record has four digits for its length. */
    value_length = value_length < VALUE_MOST ? value_length : VALUE_MOST;
    copy = obtain(value_length + 1, OWNER_SYSTEM);
    if (copy == NULL)
        return false;
    memcpy(copy, value, value_length);
    if (v == NULL) {
        v = obtain(sizeof *v + length, OWNER_SYSTEM);
        if (v == NULL) {
            release(copy);
            return false;
        }
        memcpy(v->group, group, sizeof(name));
        v->text = (char *)(v + 1);
        memcpy(v->text, text, length);
        v->length = length;
        v->value = NULL;
        v->next = NULL;
        while (*at != NULL)
            at = &(*at)->next;
        *at = v;
    }
    release(v->value);
    v->value = copy;
    v->value_length = value_length;
    return true;
}

static void purge(const name group)
{
    for (struct variable **at = &first; *at != NULL;) {
        struct variable *v = *at;

        if (group != NULL && memcmp(v->group, group, sizeof(name)) != 0) {
            at = &v->next;
            continue;
        }
        *at = v->next;
        release(v->value);
        release(v);
    }
}

static const struct fileid lasting = { .fn = "LASTING ", .ft = "GLOBALV ", .fm = "A1" };
static const struct fileid session = { .fn = "SESSION ", .ft = "GLOBALV ", .fm = "A1" };

static void read_file(const struct fileid *id)
{
    struct fileid wanted = *id;
    struct reader reader;
    struct disk *disk;
    u8 *fst;
    u32 length, value;
    int code = 0;

    wanted.fm[1] = ' ';
    if (disk_at('A') == NULL || !find_file(&wanted, &disk, &fst) || reader_open("GLV", &reader, &wanted) != 0)
        return;
    while (reader_next("GLV", &reader, &code))
        if (reader.length >= 16 && parse_number(reader.record + 8, 4, &length) &&
            parse_number(reader.record + 12, 4, &value) && reader.length >= 16 + length + value)
            set(reader.record, reader.record + 16, length, reader.record + 16 + length, value);
    reader_close(&reader);
}

static int append(const struct fileid *id, const struct variable *v)
{
    u32 length = 16 + v->length + v->value_length;
    char *record = obtain_command(length + 1);
    struct open_file *file;
    int error = file_open(id, EDF_UPDATE, &file);

    if (error != EDF_OK)
        return file_problem("GLV", error, id, true);
    memcpy(record, v->group, 8);
    format(record + 8, 9, "%04u%04u", v->length, v->value_length);
    memcpy(record + 16, v->text, v->length);
    memcpy(record + 16 + v->length, v->value, v->value_length);
    error = edf_write(&file->file, file->next_write, record, length);
    release(record);
    if (error == EDF_OK)
        error = file_finish(file);
    return file_problem("GLV", error, id, true);
}

static void start(void)
{
    if (started || disk_at('A') == NULL)
        return;
    started = true;
    read_file(&lasting);
    read_file(&session);
}

/* For DEFAULTS: the value of a variable, and a lasting one. */
bool globalv_value(const name group, const char *text, u32 length, const char **value, u32 *value_length)
{
    const struct variable *v;

    start();
    v = find(group, text, length);
    if (v == NULL)
        return false;
    *value = v->value;
    *value_length = v->value_length;
    return true;
}

int globalv_lasting(const name group, const char *text, u32 length, const char *value, u32 value_length)
{
    start();
    if (!set(group, text, length, value, value_length)) {
        message("GLV", 109, 'S');
        return RC_STORAGE;
    }
    return append(&lasting, find(group, text, length));
}

/* The words of the line, one after the other, with their case. */
struct words { const char *at, *end; };

static bool next(struct words *words, const char **word, u32 *length)
{
    while (words->at < words->end && *words->at == ' ')
        words->at++;
    *word = words->at;
    while (words->at < words->end && *words->at != ' ')
        words->at++;
    *length = (u32)(words->at - *word);
    if (*length > NAME_MOST)
        *length = NAME_MOST;
    return *length > 0;
}

static void folded(char *to, const char *from, u32 length)
{
    for (u32 n = 0; n < length; n++)
        to[n] = upper(from[n]);
}

/* SET name value name value...; with `line`, one name and the rest of the line. */
static int set_words(struct words *words, bool line, const struct fileid *file)
{
    const char *word, *value;
    char text[NAME_MOST];
    u32 length, value_length;
    int code = 0;

    while (code == 0 && next(words, &word, &length)) {
        folded(text, word, length);
        if (line) {
            value = words->at < words->end ? words->at + 1 : words->end;
            value_length = (u32)(words->end - value);
            words->at = words->end;
        } else if (!next(words, &value, &value_length)) {
            value_length = 0;
        }
        if (!set(selected, text, length, value, value_length)) {
            message("GLV", 109, 'S');
            return RC_STORAGE;
        }
        if (file != NULL)
            code = append(file, find(selected, text, length));
        attend();
    }
    return code;
}

static int list(struct words *words)
{
    const char *word;
    char text[NAME_MOST], line[NAME_MOST + 256];
    u32 length;
    bool all = true;

    type("SELECTED TABLE IS: %t", selected);
    while (next(words, &word, &length)) {
        all = false;
        folded(text, word, length);
        const struct variable *v = find(selected, text, length);
        u32 n = format(line, sizeof line, " ");
        memcpy(line + n, text, length);
        n += length;
        line[n++] = '=';
        u32 room = v == NULL ? 0 : v->value_length < sizeof line - n ? v->value_length : sizeof line - n;
        if (v != NULL)
            memcpy(line + n, v->value, room);
        type_line(line, n + room);
    }
    for (const struct variable *v = first; all && v != NULL; v = v->next) {
        u32 n = 1, room = v->value_length < 100 ? v->value_length : 100;

        if (memcmp(v->group, selected, sizeof(name)) != 0)
            continue;
        line[0] = ' ';
        memcpy(line + n, v->text, v->length < 100 ? v->length : 100);
        n += v->length < 100 ? v->length : 100;
        line[n++] = '=';
        memcpy(line + n, v->value, room);
        type_line(line, n + room);
    }
    return 0;
}

enum verb { SET, SETS, SETP, SETL, SETLS, SETLP, LIST, STACK, GET, PUT, PUTS, PUTP, PURGE, INIT, GRPLIST };

static const char *const verbs[] = { "SET", "SETS", "SETP", "SETL", "SETLS", "SETLP", "LIST", "STACK", "GET", "PUT",
                                     "PUTS", "PUTP",
                                     "PURGE", "INIT", "GRPLIST" };

/* STACK, GET, PUT: each name that follows. */
static int each_name(struct words *words, enum verb verb)
{
    const char *word, *value = "";
    char text[NAME_MOST];
    u32 length, value_length = 0;
    int code = 0;

    while (code == 0 && next(words, &word, &length)) {
        const struct variable *v;

        folded(text, word, length);
        attend();
        v = find(selected, text, length);
        if (verb == STACK) {
            if (!stack_line(v == NULL ? "" : v->value, v == NULL ? 0 : v->value_length, true))
                code = RC_STORAGE;
        } else if (verb == GET) {
            if (exec_set(text, length, v == NULL ? "" : v->value, v == NULL ? 0 : v->value_length) & 0x98)
                code = 2008;
        } else {
            if (exec_get(text, length, &value, &value_length) & 0x98)
                return 2008;
            if (!set(selected, text, length, value, value_length))
                return RC_STORAGE;
            if (verb != PUT)
                code = append(verb == PUTP ? &lasting : &session, find(selected, text, length));
        }
    }
    return code;
}

static void groups(void)
{
    type("GLOBAL VARIABLE GROUPS:");
    for (const struct variable *v = first; v != NULL; v = v->next) {
        const struct variable *before = first;

        while (before != v && memcmp(before->group, v->group, sizeof(name)) != 0)
            before = before->next;
        if (before == v)
            type(" %t", v->group);
    }
}

int globalv_command(const struct call *call)
{
    struct words words = { call->arguments, call->end };
    const char *word;
    u32 length;
    name what;
    int verb = -1;

    start();
    if (!next(&words, &word, &length)) {
        message("GLV", 47, 'E');
        return RC_SYNTAX;
    }
    folded(what, word, length > 8 ? 8 : length);
    pad(what, sizeof what, what, length);
    if (abbreviates(what, "SELECT", 3)) {
        pad(selected, sizeof selected, "UNNAMED", 7);
        if (!next(&words, &word, &length))
            return 0;
        folded(selected, word, length > 8 ? 8 : length);
        pad(selected, sizeof selected, selected, length);
        if (!next(&words, &word, &length))
            return 0;
        folded(what, word, length > 8 ? 8 : length);
        pad(what, sizeof what, what, length);
    }
    for (u32 n = 0; n < COUNT_OF(verbs); n++)
        if (is(what, verbs[n]))
            verb = (int)n;
    switch (verb) {
    case SET: return set_words(&words, false, NULL);
    case SETS: return set_words(&words, false, &session);
    case SETP: return set_words(&words, false, &lasting);
    case SETL: return set_words(&words, true, NULL);
    case SETLS: return set_words(&words, true, &session);
    case SETLP: return set_words(&words, true, &lasting);
    case LIST: return list(&words);
    case STACK: case GET: case PUT: case PUTS: case PUTP: return each_name(&words, (enum verb)verb);
    case PURGE:
        purge(selected);
        return 0;
    case INIT:
        purge(NULL);
        started = false;
        start();
        return 0;
    case GRPLIST:
        groups();
        return 0;
    default:
        message("GLV", 14, 'E', what);
        return RC_SYNTAX;
    }
}
