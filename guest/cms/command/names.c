/*
 * NAMEFIND, NAMES, and which userids nicknames stand for: the file userid NAMES.
 *
 * An entry begins at a tag :nick. and goes on to the next one; tags are :name.value, a value ends where the next tag
 * begins or with its line, unless the next line begins with no tag.
 */
#include "command.h"

enum { TAGS_MOST = 40, NO_TAG = 4, NO_ENTRY = 32, DEPTH_MOST = 8 };

/* The file in storage: its lines, one after the other, a blank between two. */
struct names { char *text; u32 length; u32 *line; u32 lines; };

struct tag { const char *name, *value; u32 length, value_length; };
struct entry { struct tag tag[TAGS_MOST]; u32 tags, at; };

static int read_names(const char *module, const struct fileid *id, struct names *names)
{
    struct reader reader;
    struct disk *disk;
    u8 *fst;
    int code;
    enum { ROOM_MOST = 0x1000000 };
    uint64_t room;

    memset(names, 0, sizeof *names);
    if (!find_file(id, &disk, &fst))
        return RC_MISSING;
    code = reader_open(module, &reader, id);
    if (code != 0)
        return code;
    room = (uint64_t)edf_word(fst + FST_RECORDS) * (reader.room + 1) + 1;
    room = room > ROOM_MOST ? ROOM_MOST : room;
    names->text = obtain_command((size_t)room);
    /* A line takes two characters at least. */
    names->line = obtain_command((edf_word(fst + FST_RECORDS) < room / 2 ? edf_word(fst + FST_RECORDS)
                                  : (size_t)room / 2) * sizeof *names->line + 1);
    while (reader_next(module, &reader, &code) && names->length + reader.length + 1 <= room) {
        names->line[names->lines++] = names->length;
        memcpy(names->text + names->length, reader.record, reader.length);
        names->length += reader.length;
        names->text[names->length++] = ' ';
    }
    reader_close(&reader);
    return code;
}

/* Whether a tag begins here: a colon in front of which is nothing or a blank, and a period that ends its name. */
static bool tag_at(const struct names *names, u32 at, u32 *length)
{
    u32 n = 1;

    if (names->text[at] != ':' || (at > 0 && names->text[at - 1] != ' '))
        return false;
    while (at + n < names->length && names->text[at + n] != '.' && names->text[at + n] != ' ')
        n++;
    *length = n - 1;
    return n > 1 && at + n < names->length && names->text[at + n] == '.';
}

static bool same(const char *a, u32 a_length, const char *b, u32 b_length)
{
    if (a_length != b_length)
        return false;
    for (u32 n = 0; n < a_length; n++)
        if (upper(a[n]) != upper(b[n]))
            return false;
    return true;
}

/* The entry at or after `from`; false: there is none. */
static bool next_entry(const struct names *names, u32 from, struct entry *entry, u32 *next)
{
    u32 at = from, length;

    entry->tags = 0;
    for (; at < names->length; at++) {
        struct tag *tag;

        if (!tag_at(names, at, &length))
            continue;
        if (same(names->text + at + 1, length, "nick", 4)) {
            if (entry->tags > 0)
                break;
            entry->at = at;
        } else if (entry->tags == 0) {
            continue;
        }
        if (entry->tags == TAGS_MOST)
            continue;
        tag = &entry->tag[entry->tags++];
        tag->name = names->text + at + 1;
        tag->length = length;
        tag->value = tag->name + length + 1;
        for (u32 end = at + length + 2, more;; end++) {
            tag->value_length = (u32)(names->text + end - tag->value);
            if (end >= names->length || tag_at(names, end, &more))
                break;
        }
        while (tag->value_length > 0 && tag->value[tag->value_length - 1] == ' ')
            tag->value_length--;
    }
    *next = at;
    return entry->tags > 0;
}

static const struct tag *tag_named(const struct entry *entry, const char *text, u32 length)
{
    for (u32 n = 0; n < entry->tags; n++)
        if (same(entry->tag[n].name, entry->tag[n].length, text, length))
            return &entry->tag[n];
    return NULL;
}

static void own_names(struct fileid *id)
{
    memset(id, ' ', sizeof *id);
    identification(id->fn);
    memcpy(id->ft, "NAMES   ", sizeof(name));
    id->fm[0] = '*';
}

/* The recipients of the words of a list, each a nickname or a userid. */
static bool add_recipient(const struct names *names, const char *who, u32 length, struct recipient *list, u32 *count,
                          u32 depth)
{
    struct entry entry;
    const struct tag *tag, *node;
    u32 at = 0;

    if (length > sizeof(name) && depth > 0)
        length = sizeof(name);
    while (next_entry(names, at, &entry, &at)) {
        if (!same(entry.tag[0].value, entry.tag[0].value_length, who, length))
            continue;
        tag = tag_named(&entry, "list", 4);
        if (tag != NULL && depth < DEPTH_MOST) {
            for (u32 n = 0; n < tag->value_length;) {
                u32 word = 0;

                while (n < tag->value_length && (tag->value[n] == ' ' || tag->value[n] == ','))
                    n++;
                while (n + word < tag->value_length && tag->value[n + word] != ' ' && tag->value[n + word] != ',')
                    word++;
                if (word > 0 && !add_recipient(names, tag->value + n, word, list, count, depth + 1))
                    return false;
                n += word;
            }
            return true;
        }
        tag = tag_named(&entry, "userid", 6);
        node = tag_named(&entry, "node", 4);
        if (*count == RECIPIENTS_MOST)
            return false;
        pad(list[*count].userid, sizeof(name), tag != NULL ? tag->value : who,
            tag != NULL ? tag->value_length : length);
        pad(list[*count].node, sizeof(name), node != NULL ? node->value : "", node != NULL ? node->value_length : 0);
        for (u32 n = 0; n < sizeof(name); n++) {
            list[*count].userid[n] = upper(list[*count].userid[n]);
            list[*count].node[n] = upper(list[*count].node[n]);
        }
        ++*count;
        return true;
    }
    if (*count == RECIPIENTS_MOST)
        return false;
    pad(list[*count].userid, sizeof(name), who, length);
    for (u32 n = 0; n < sizeof(name); n++)
        list[*count].userid[n] = upper(list[*count].userid[n]);
    memset(list[*count].node, ' ', sizeof(name));
    ++*count;
    return true;
}

/*
 * Which users a word means: a nickname of userid NAMES, or a userid. A blank node is this one. False: they are too
 * many.
 */
bool recipients(const name who, struct recipient *list, u32 *count)
{
    struct fileid id;
    struct names names;

    own_names(&id);
    if (read_names("NAM", &id, &names) != 0)
        memset(&names, 0, sizeof names);
    return add_recipient(&names, who, name_length(who), list, count, 0);
}

/* What a tag of a nickname says in that file of nicknames; false: nothing. */
bool nickname_says(const name file, const name nick, const char *tag, char *value, u32 room, u32 *length)
{
    struct fileid id = { .ft = "NAMES   ", .fm = "* " };
    struct names names;
    struct entry entry;
    const struct tag *found;
    u32 at = 0;

    memcpy(id.fn, file, sizeof(name));
    if (read_names("NAM", &id, &names) != 0)
        return false;
    while (next_entry(&names, at, &entry, &at)) {
        if (!same(entry.tag[0].value, entry.tag[0].value_length, nick, name_length(nick)))
            continue;
        found = tag_named(&entry, tag, (u32)strlen(tag));
        if (found == NULL || found->value_length == 0)
            return false;
        *length = found->value_length < room ? found->value_length : room;
        memcpy(value, found->value, *length);
        return true;
    }
    return false;
}

/* What the command line says: tags with a value to look for, tags whose value is wanted. */
struct question { struct tag wanted[TAGS_MOST]; u32 count; };

static bool parse_question(const struct call *call, struct question *question)
{
    const char *at = call->arguments, *end = call->end;

    question->count = 0;
    while (at < end && *at != '(') {
        struct tag *tag;

        if (*at == ' ') {
            at++;
            continue;
        }
        if (*at != ':' || question->count == TAGS_MOST)
            return false;
        tag = &question->wanted[question->count++];
        tag->name = ++at;
        while (at < end && *at != ' ' && *at != '.' && *at != '(')
            at++;
        tag->length = (u32)(at - tag->name);
        if (at < end && *at == '.')
            at++;
        while (at < end && *at == ' ')
            at++;
        tag->value = at;
        while (at < end && *at != '(' && !(*at == ':' && (at[-1] == ' ' || at == tag->value)))
            at++;
        tag->value_length = length_of(tag->value, (u32)(at - tag->value));
        if (tag->length == 0)
            return false;
    }
    return question->count > 0;
}

static bool answers(const struct question *question, const struct entry *entry)
{
    for (u32 n = 0; n < question->count; n++) {
        const struct tag *wanted = &question->wanted[n], *tag;

        if (wanted->value_length == 0)
            continue;
        tag = tag_named(entry, wanted->name, wanted->length);
        if (tag == NULL || !same(tag->value, tag->value_length, wanted->value, wanted->value_length))
            return false;
    }
    return true;
}

static void give(const char *text, u32 length, int where)
{
    length = length < LINE_MOST ? length : LINE_MOST;
    if (where == TO_TERMINAL)
        type_line(text, length);
    else
        stack_line(text, length, where == TO_STACK_LIFO);
}

/* One entry that was found: its line, and the tags that are asked for, or all. False: it has not all of them. */
static bool give_entry(const struct question *question, const struct names *names, const struct entry *entry,
                       bool line_number, int where)
{
    char number[12];
    bool values = false, missing = false;

    if (line_number) {
        u32 n = names->lines;

        while (n > 1 && names->line[n - 1] > entry->at)
            n--;
        give(number, format(number, sizeof number, "%u", n), where);
    }
    for (u32 n = 0; n < question->count; n++) {
        const struct tag *tag;

        if (question->wanted[n].value_length != 0)
            continue;
        values = true;
        tag = tag_named(entry, question->wanted[n].name, question->wanted[n].length);
        missing = missing || tag == NULL;
        give(tag != NULL ? tag->value : "", tag != NULL ? tag->value_length : 0, where);
    }
    /* Without a question all that the entry says. */
    for (u32 n = 0; n < entry->tags && !values; n++) {
        char line[LINE_MOST];
        u32 length = 0;

        line[length++] = ':';
        memcpy(line + length, entry->tag[n].name, entry->tag[n].length < 64 ? entry->tag[n].length : 64);
        length += entry->tag[n].length < 64 ? entry->tag[n].length : 64;
        line[length++] = '.';
        for (u32 k = 0; k < entry->tag[n].value_length && length < sizeof line; k++)
            line[length++] = entry->tag[n].value[k];
        give(line, length, where);
    }
    return !missing;
}

int namefind_command(const struct call *call)
{
    int where = TO_TERMINAL, line_number = 0;
    name file = "        ";
    u32 start = 1, size = 0, entries = 1, found = 0, at;
    const struct option known[] = {
        WORD("FILE", 4, &file), COUNTED("TYPE", 4, &where, TO_TERMINAL, &entries),
        COUNTED("STACK", 5, &where, TO_STACK_FIFO, &entries), COUNTED("FIFO", 4, &where, TO_STACK_FIFO, &entries),
        COUNTED("LIFO", 4, &where, TO_STACK_LIFO, &entries), NUMBER("START", 5, &start),
        NUMBER("SIZE", 4, &size), FLAG("LINENUM", 7, &line_number, 1),
    };
    struct question question;
    struct names names;
    struct fileid id;
    struct entry *entry;
    char text[24];
    bool missing = false;
    int code = options("NAM", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    if (entries == 0) {
        message("NAM", 29, 'E', "0       ",
                where == TO_TERMINAL ? "TYPE    " : where == TO_STACK_LIFO ? "LIFO    " : "FIFO    ");
        return RC_SYNTAX;
    }
    if (!parse_question(call, &question)) {
        message("NAM", operands(call) < 2 ? 47 : 70, 'E', operands(call) < 2 ? "" : call->token[1]);
        return RC_SYNTAX;
    }
    own_names(&id);
    if (file[0] != ' ')
        memcpy(id.fn, file, sizeof(name));
    code = read_names("NAM", &id, &names);
    if (code == RC_MISSING) {
        id.fm[0] = ' ';
        message("NAM", 2, 'E', show_id(&id, text));
    }
    if (code != 0)
        return code;
    entry = obtain_command(sizeof *entry);
    at = start > 0 && start <= names.lines ? names.line[start - 1] : start > 1 ? names.length : 0;
    while (found < entries && next_entry(&names, at, entry, &at))
        if (answers(&question, entry)) {
            missing = !give_entry(&question, &names, entry, line_number, where) || missing;
            found++;
        }
    return found == 0 ? NO_ENTRY : missing ? NO_TAG : 0;
}

/* A panel of the editor (the macro PROFNAME), which gets the nickname to begin with by the program stack. */
int names_command(const struct call *call)
{
    name file = "        ";
    const struct option known[] = { WORD("FILE", 4, &file) };
    char line[80];
    u32 buffer, length;
    int code = options("WNM", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    if (operands(call) > 2) {
        message("WNM", 70, 'E', call->token[2]);
        return RC_SYNTAX;
    }
    if (!console_is_display()) {
        message("WNM", 529, 'E');
        return RC_SYNTAX;
    }
    if (file[0] == ' ')
        identification(file);
    buffer = make_buffer();
    length = operands(call) > 1 ? format(line, sizeof line, "%t", call->token[1]) : 0;
    code = stack_line(line, length, true)
        ? perform(line, format(line, sizeof line, "XEDIT %t NAMES (WIDTH 255 NOMSG PROFILE PROFNAME", file),
                  CALL_COMMAND)
        : RC_STORAGE;
    (void)drop_buffer(buffer);
    return code;
}
