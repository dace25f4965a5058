/*
 * MACLIB, TXTLIB: libraries made and changed; GLOBAL: which of them are looked into.
 *
 * A change writes the library anew beside the old one, which it replaces when it is complete.
 */
#include "command.h"
#include "../nucleus/library.h"

enum { NAMES_MOST = 4000 };

/* A library in the making. */
struct making {
    const char *who;
    struct fileid id;
    struct open_file *file;
    u32 record, count;
    struct member *member;
    int error;
};

static int trouble(struct making *making, int error)
{
    char text[24];

    if (error != EDF_LENGTH)
        return file_problem(making->who, error, &making->id, true);
    message(making->who, 33, 'E', show_id(&making->id, text));
    return RC_FORMAT;
}

static void put_card(struct making *making, const void *card)
{
    if (making->error == EDF_OK)
        making->error = edf_write(&making->file->file, ++making->record, card, LIBRARY_CARD);
}

static int make_begin(struct making *making)
{
    u8 card[LIBRARY_CARD];

    making->member = obtain_command(NAMES_MOST * sizeof *making->member);
    making->error = file_open(&making->id, EDF_NEW, &making->file);
    if (making->error != EDF_OK)
        return trouble(making, making->error);
    making->file->file.fst[FST_RECFM] = EDF_F;
    edf_set_word(making->file->file.fst + FST_LRECL, LIBRARY_CARD);
    library_header(card, 0, 0);
    put_card(making, card);
    return 0;
}

static bool add_name(struct making *making, const name called, u32 first)
{
    char text[24];

    if (making->count == NAMES_MOST) {
        message(making->who, 167, 'S', show_id(&making->id, text));
        return false;
    }
    memcpy(making->member[making->count].name, called, sizeof(name));
    making->member[making->count++].first = first;
    return true;
}

/* The names from `from` on belong to a member that ends here. */
static void end_member(struct making *making, u32 from)
{
    for (u32 n = from; n < making->count; n++)
        making->member[n].count = making->record + 1 - making->member[n].first;
}

static int make_end(struct making *making)
{
    u8 card[LIBRARY_CARD];
    u32 directory = making->record + 1;
    char text[24];

    if (making->count == 0 && making->error == EDF_OK) {
        file_abandon(making->file);
        message(making->who, 213, 'W', show_id(&making->id, text));
        return 4;
    }
    for (u32 n = 0; n < making->count; n += MEMBERS_OF_CARD) {
        memset(card, ' ', sizeof card);
        for (u32 k = 0; k < MEMBERS_OF_CARD && n + k < making->count; k++)
            library_entry(card + MEMBER_ENTRY * k, &making->member[n + k]);
        put_card(making, card);
    }
    library_header(card, directory, making->count);
    making->record = 0;
    put_card(making, card);
    if (making->error == EDF_OK)
        making->error = file_finish(making->file);
    else
        file_abandon(making->file);
    return making->error == EDF_OK ? 0 : trouble(making, making->error);
}

/* The next record of an input, as a card. */
static bool next_card(struct making *making, struct reader *reader, u8 card[LIBRARY_CARD], int *code)
{
    char text[24];

    if (!reader_next(making->who, reader, code))
        return false;
    if (reader->length > LIBRARY_CARD) {
        message(making->who, 56, 'E', show_id(&reader->id, text));
        *code = RC_FORMAT;
        return false;
    }
    pad((char *)card, LIBRARY_CARD, reader->record, reader->length);
    return true;
}

/* Word n of a card, from 0. */
static bool word_of(const u8 *card, u32 n, name word)
{
    name token[TOKENS_MOST + 1];

    if (tokenize((const char *)card, 71, token) <= n)
        return false;
    memcpy(word, token[n], sizeof(name));
    return true;
}

static void delimiter(struct making *making)
{
    u8 card[LIBRARY_CARD];

    library_delimiter(card);
    put_card(making, card);
}

/* Macros: from MACRO to MEND, called as the line after MACRO says. */
static int add_macros(struct making *making, struct reader *reader)
{
    u8 card[LIBRARY_CARD];
    bool inside = false, named = false;
    u32 from = making->count;
    int code = 0;
    name word;

    while (next_card(making, reader, card, &code)) {
        if (!inside) {
            inside = word_of(card, 0, word) && is(word, "MACRO");
            if (inside)
                put_card(making, card);
            named = false;
            continue;
        }
        put_card(making, card);
        if (!named && card[0] != '*' && card[0] != '.') {
            from = making->count;
            if (!word_of(card, card[0] == ' ' ? 0 : 1, word) || !add_name(making, word, making->record - 1))
                return RC_FORMAT;
            named = true;
        }
        if (word_of(card, card[0] == ' ' ? 0 : 1, word) && is(word, "MEND")) {
            end_member(making, from);
            delimiter(making);
            inside = false;
        }
    }
    return code;
}

/* Copy members: `*COPY name` begins one; without, the file is one. */
static int add_copies(struct making *making, struct reader *reader)
{
    u8 card[LIBRARY_CARD];
    u32 from = making->count;
    bool inside = false;
    int code = 0;
    name word;

    while (next_card(making, reader, card, &code)) {
        if (memcmp(card, "*COPY ", 6) == 0 && word_of(card, 1, word)) {
            if (inside) {
                end_member(making, from);
                delimiter(making);
            }
            from = making->count;
            if (!add_name(making, word, making->record + 1))
                return RC_FORMAT;
            inside = true;
            continue;
        }
        if (!inside && !add_name(making, reader->id.fn, making->record + 1))
            return RC_FORMAT;
        inside = true;
        put_card(making, card);
    }
    if (inside) {
        end_member(making, from);
        delimiter(making);
    }
    return code;
}

/* Decks: each is a member with the names of its sections and entries. */
static int add_decks(struct making *making, struct reader *reader)
{
    u8 card[LIBRARY_CARD];
    u32 from = making->count, first = making->record + 1;
    int code = 0;

    while (next_card(making, reader, card, &code)) {
        put_card(making, card);
        if (card[0] == 0x02 && memcmp(card + 1, "ESD", 3) == 0) {
            u32 length = (u32)card[10] << 8 | card[11];

            for (u32 at = 16; at + 16 <= 64 && at < 16 + length; at += 16) {
                u8 type = card[at + 8] & 0x0f;

                if ((type == 0 || type == 1 || type == 5) && !add_name(making, (const char *)card + at, first))
                    return RC_FORMAT;
            }
        }
        if (card[0] == 0x02 && memcmp(card + 1, "END", 3) == 0) {
            end_member(making, from);
            from = making->count;
            first = making->record + 1;
        }
    }
    end_member(making, from);
    return code;
}

static int add_file(struct making *making, enum library_kind kind, const name fn)
{
    static const char *const types[2][2] = { { "MACRO   ", "COPY    " }, { "TEXT    ", NULL } };
    struct fileid id = { .fm = "* " };
    struct reader reader;
    struct disk *disk;
    u8 *fst;
    int code;

    memcpy(id.fn, fn, sizeof(name));
    for (u32 n = 0; n < 2 && types[kind][n] != NULL; n++) {
        memcpy(id.ft, types[kind][n], sizeof(name));
        if (!find_file(&id, &disk, &fst))
            continue;
        code = reader_open(making->who, &reader, &id);
        if (code != 0)
            return code;
        code = kind == OF_TXTLIB ? add_decks(making, &reader) : n == 0 ? add_macros(making, &reader)
            : add_copies(making, &reader);
        reader_close(&reader);
        return code;
    }
    memcpy(id.ft, types[kind][0], sizeof(name));
    id.fm[0] = ' ';
    return file_problem(making->who, EDF_NOT_FOUND, &id, false);
}

/* The members of the library as it is, but those to which one of `names` belongs. */
static int copy_members(struct making *making, enum library_kind kind, struct library *old, const name *names,
                        u32 count, bool *found)
{
    struct member member;
    u32 last = 0, first = 0, length;
    u8 card[LIBRARY_CARD];

    for (u32 n = 0; library_member(old, n, &member); n++) {
        bool without = false;

        /* One name of a member takes all of it along. */
        for (u32 k = 0; k < count; k++) {
            struct member other;

            if (library_find(old, names[k], &other) && other.first == member.first) {
                without = true;
                found[k] = true;
            }
        }
        if (without)
            continue;
        if (member.first != last) {
            last = member.first;
            first = making->record + 1;
            for (u32 k = 0; k < member.count && making->error == EDF_OK; k++) {
                making->error = edf_read(&old->file->file, member.first + k, card, sizeof card, &length);
                put_card(making, card);
            }
            if (kind == OF_MACLIB)
                delimiter(making);
        }
        if (!add_name(making, member.name, first))
            return RC_FORMAT;
        making->member[making->count - 1].count = member.count;
    }
    return making->error == EDF_OK ? 0 : trouble(making, making->error);
}

/* GEN, ADD, REP, DEL and COMP. */
static int change(struct making *making, enum library_kind kind, const struct call *call, bool old_too, bool replace,
                  bool remove)
{
    u32 words = operands(call), count = words - 3;
    struct library old = { 0 };
    const name *names = (const name *)call->token + 3;
    bool *found = obtain_command(NAMES_MOST + TOKENS_MOST);
    struct member *fresh = NULL;
    u32 fresh_count = 0;
    int code = 0, end;

    memset(found, 0, NAMES_MOST + TOKENS_MOST);
    if (old_too) {
        int error = library_open(&making->id, &old);

        if (error != EDF_OK) {
            if (error == EDF_NOT_FOUND)
                return file_problem(making->who, error, &making->id, false);
            return trouble(making, error);
        }
    }
    code = make_begin(making);
    /* What comes new is written first if it replaces what is there. */
    for (u32 n = 0; n < count && code == 0 && !remove; n++)
        if (replace || !old_too)
            code = add_file(making, kind, names[n]);
    if (code == 0 && old_too) {
        if (replace) {
            fresh_count = making->count;
            fresh = obtain_command((fresh_count + 1) * sizeof *fresh);
            memcpy(fresh, making->member, fresh_count * sizeof *fresh);
        }
        name *without = obtain_command((fresh_count + count + 1) * sizeof(name));
        u32 gone = 0;

        for (u32 n = 0; n < fresh_count; n++)
            memcpy(without[gone++], fresh[n].name, sizeof(name));
        for (u32 n = 0; n < count && remove; n++)
            memcpy(without[gone++], names[n], sizeof(name));
        code = copy_members(making, kind, &old, (const name *)without, gone, found);
        for (u32 n = 0; n < count && !replace && !remove && code == 0; n++)
            code = add_file(making, kind, names[n]);
        for (u32 n = 0; n < count && remove && code <= 4; n++)
            if (!found[n]) {
                message(making->who, 13, 'W', names[n]);
                code = 4;
            }
    }
    if (code > 4) {
        if (making->file != NULL)
            file_abandon(making->file);
        return code;
    }
    end = make_end(making);
    return end != 0 ? end : code;
}

static int map(struct making *making, const struct call *call)
{
    int where = 1;
    const struct option known[] = {
        FLAG("TERM", 4, &where, 0), FLAG("DISK", 4, &where, 1), FLAG("PRINT", 2, &where, 2),
    };
    u32 words = operands(call), line_number = 0;
    struct library library = { 0 };
    struct member member;
    struct fileid id;
    char line[80];
    struct open_file *file = NULL;
    int code = options(making->who, call, known, COUNT_OF(known)), error = EDF_OK;

    if (code != 0)
        return code;
    error = library_open(&making->id, &library);
    if (error == EDF_NOT_FOUND) {
        making->id.fm[0] = ' ';
        return file_problem(making->who, error, &making->id, false);
    }
    if (library.file != NULL)
        id_of(library.file->disk, library.file->file.fst, &making->id);
    if (error != EDF_OK)
        return trouble(making, error);
    if (where == 1) {
        id = making->id;
        memcpy(id.ft, "MAP     ", sizeof(name));
        memcpy(id.fm, "A1", 2);
        error = file_open(&id, EDF_NEW, &file);
        if (error != EDF_OK)
            return file_problem(making->who, error, &id, true);
        file->file.fst[FST_RECFM] = EDF_V;
    }
    for (u32 k = 3; k < words; k++)
        if (!library_find(&library, call->token[k], &member)) {
            message(making->who, 13, 'W', call->token[k]);
            code = 4;
        }
    for (u32 n = 0; library_member(&library, n, &member) && error == EDF_OK; n++) {
        bool wanted = words <= 3;
        u32 length;

        for (u32 k = 3; k < words; k++)
            wanted = wanted || memcmp(call->token[k], member.name, sizeof(name)) == 0;
        if (!wanted)
            continue;
        length = format(line, sizeof line, "%-8t %8u %8u", member.name, member.first, member.count);
        if (where == 0)
            type_line(line, length);
        else if (where == 1)
            error = edf_write(&file->file, ++line_number, line, length);
        else
            (void)unit_write(PRINT_UNIT, 0x09, line, length);
    }
    if (where == 2)
        unit_close(PRINT_UNIT, "", &making->id);
    if (error != EDF_OK)
        return file_problem(making->who, error, &id, true);
    return code;
}

static int library(const struct call *call, enum library_kind kind, const char *who)
{
    struct making making = { .who = who, .id = { .fm = "A1" } };
    u32 words = operands(call);
    const char *function = call->token[1];
    struct disk *disk;
    u8 *fst;
    bool change_it;

    if (words < 2) {
        message(who, 47, 'E');
        return RC_SYNTAX;
    }
    change_it = is(function, "ADD") || is(function, "DEL") ||
        (kind == OF_MACLIB && (is(function, "REP") || is(function, "COMP")));
    if (!change_it && !is(function, "GEN") && !is(function, "MAP")) {
        message(who, 14, 'E', function);
        return RC_SYNTAX;
    }
    if (words < 3) {
        message(who, 46, 'E');
        return RC_SYNTAX;
    }
    memcpy(making.id.fn, call->token[2], sizeof(name));
    pad(making.id.ft, sizeof(name), library_kinds[kind], 6);
    if (!is(function, "GEN"))
        making.id.fm[0] = '*', making.id.fm[1] = ' ';
    if (is(function, "MAP"))
        return map(&making, call);
    if (words < 4 && !is(function, "COMP")) {
        message(who, is(function, "DEL") ? 50 : 1, 'E', function);
        return RC_SYNTAX;
    }
    if (change_it) {
        if (!find_file(&making.id, &disk, &fst)) {
            making.id.fm[0] = ' ';
            return file_problem(who, EDF_NOT_FOUND, &making.id, false);
        }
        id_of(disk, fst, &making.id);
    }
    return change(&making, kind, call, change_it, is(function, "REP"), is(function, "DEL"));
}

int maclib_command(const struct call *call) { return library(call, OF_MACLIB, "LBM"); }
int txtlib_command(const struct call *call) { return library(call, OF_TXTLIB, "LBT"); }

/* The names after the kind: of the line as it was typed, for a call has fewer words than there may be names. */
static u32 names_given(const struct call *call, name names[TOKENS_MOST + 1])
{
    const char *at = call->arguments;

    if (at == call->end) {
        memcpy(names, call->token[2], (call->count - 2) * sizeof(name));
        return call->count - 2;
    }
    while (at < call->end && *at == ' ')
        at++;
    while (at < call->end && *at != ' ')
        at++;
    return tokenize(at, (u32)(call->end - at), names);
}

int global_command(const struct call *call)
{
    struct globals *list = NULL;
    name names[TOKENS_MOST + 1];
    u32 count;
    int code = 0;

    if (call->count < 2) {
        message("GLB", 47, 'E');
        return RC_SYNTAX;
    }
    for (u32 n = 0; n < LIBRARY_KINDS; n++)
        if (is(call->token[1], library_kinds[n]))
            list = &globals[n];
    if (list == NULL) {
        message("GLB", 14, 'E', call->token[1]);
        return RC_SYNTAX;
    }
    count = names_given(call, names);
    if (count > LIBRARIES_MOST) {
        message("GLB", 108, 'S', LIBRARIES_MOST);
        return 88;
    }
    list->count = 0;
    for (u32 n = 0; n < count; n++) {
        struct fileid id = { .fm = "* " };
        struct disk *disk;
        u8 *fst;

        memcpy(list->name[list->count++], names[n], sizeof(name));
        memcpy(id.fn, names[n], sizeof(name));
        memcpy(id.ft, call->token[1], sizeof(name));
        if (!find_file(&id, &disk, &fst)) {
            char text[24];

            id.fm[0] = ' ';
            message("GLB", 2, 'W', show_id(&id, text));
            code = RC_MISSING;
        }
    }
    return code;
}

int query_globals(int kind)
{
    const struct globals *list = &globals[kind];
    char line[80];
    u32 length = format(line, sizeof line, "%-8s = %s", library_kinds[kind], list->count == 0 ? "NONE" : "");

    for (u32 n = 0; n < list->count; n++) {
        if (n > 0 && n % 7 == 0) {
            answer("%s", line);
            length = format(line, sizeof line, "           ");
        }
        length += format(line + length, sizeof line - length, n % 7 == 6 || n + 1 == list->count ? "%t" : "%-8t ",
                         list->name[n]);
    }
    answer("%s", line);
    return 0;
}
