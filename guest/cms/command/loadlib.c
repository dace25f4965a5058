/*
 * LKED, LOADLIB, OSRUN: libraries of load modules, which programs of OS find by LINK and LOAD (GLOBAL LOADLIB).
 *
 * A library is a V file. Its first record is that of any library (lib/members.h), a member is the records that a MODULE
 * file has (nucleus/module.c), and the directory comes last. A member that is put is written where the directory was,
 * and what another one of its name had stays until COMPRESS writes the library anew. What was on the disk is there
 * until the file is closed.
 */
#include "command.h"
#include "tape.h"
#include "../nucleus/library.h"
#include "../nucleus/program.h"
#include "../os/os.h"

enum { NAMES_MOST = 4000, RECORD_LONGEST = 65535, PARAMETER_MOST = 100 };

struct shelf {
    const char *who;
    struct fileid id;
    struct open_file *file;
    u32 next, count;            /* the record that is written next, where the directory is otherwise */
    struct member *member;
};

static int trouble(const struct shelf *shelf, int error, bool writing)
{
    char text[24];

    if (error != EDF_LENGTH && error != EDF_END)
        return file_problem(shelf->who, error, &shelf->id, writing);
    message(shelf->who, 33, 'E', show_id(&shelf->id, text));
    return RC_FORMAT;
}

static int give_up(struct shelf *shelf, int error, bool writing)
{
    int code = trouble(shelf, error, writing);

    if (writing)
        file_abandon(shelf->file);
    else
        (void)file_finish(shelf->file);
    return code;
}

static int put(struct shelf *shelf, const void *from, u32 length)
{
    return edf_write(&shelf->file->file, shelf->next++, from, length);
}

/* The directory of the file that is open; an EDF error. */
static int take_directory(struct shelf *shelf)
{
    u8 card[LIBRARY_CARD];
    u32 length, at;
    int error = edf_read(&shelf->file->file, 1, card, sizeof card, &length);

    if (error == EDF_OK && (length != LIBRARY_CARD || shelf->file->file.fst[FST_RECFM] != EDF_V ||
                            !library_described(card, &shelf->next, &shelf->count) || shelf->next < 2 ||
                            shelf->count > NAMES_MOST))
        error = EDF_LENGTH;
    at = shelf->next;
    for (u32 n = 0; n < shelf->count && error == EDF_OK; n++) {
        if (n % MEMBERS_OF_CARD == 0)
            error = edf_read(&shelf->file->file, at++, card, sizeof card, &length);
        if (error == EDF_OK)
            library_member_at(card + n % MEMBERS_OF_CARD * MEMBER_ENTRY, &shelf->member[n]);
    }
    return error;
}

static int open_to_read(struct shelf *shelf, const char *who, const struct fileid *id)
{
    int error;

    *shelf = (struct shelf){ .who = who, .id = *id, .member = obtain_command(NAMES_MOST * sizeof *shelf->member) };
    error = file_open(id, EDF_READ, &shelf->file);
    if (error == EDF_NOT_FOUND && shelf->id.fm[0] == '*')
        shelf->id.fm[0] = ' ';
    if (error != EDF_OK)
        return trouble(shelf, error, false);
    id_of(shelf->file->disk, shelf->file->file.fst, &shelf->id);
    error = take_directory(shelf);
    return error == EDF_OK ? 0 : give_up(shelf, error, false);
}

/* Members are added; `anew`: to a library that has none, and takes the place of the one that was there. */
static int open_to_write(struct shelf *shelf, const char *who, const struct fileid *id, bool anew)
{
    u8 card[LIBRARY_CARD];
    int error;

    *shelf = (struct shelf){ .who = who, .id = *id, .next = 1,
                             .member = obtain_command(NAMES_MOST * sizeof *shelf->member) };
    error = file_open(id, anew ? EDF_NEW : EDF_UPDATE, &shelf->file);
    if (error != EDF_OK)
        return trouble(shelf, error, true);
    if (edf_word(shelf->file->file.fst + FST_RECORDS) == 0) {
        shelf->file->file.fst[FST_RECFM] = EDF_V;
        library_header(card, 0, 0);
        error = put(shelf, card, sizeof card);
    } else {
        error = take_directory(shelf);
        if (error == EDF_OK)
            error = edf_truncate(&shelf->file->file, shelf->next - 1);
    }
    return error == EDF_OK ? 0 : give_up(shelf, error, true);
}

static struct member *find(const struct shelf *shelf, const name called)
{
    for (u32 n = 0; n < shelf->count; n++)
        if (memcmp(shelf->member[n].name, called, sizeof(name)) == 0)
            return &shelf->member[n];
    return NULL;
}

/* What has been put from record `first` on is the member of that name now; false: there is no room for one. */
static bool enter(struct shelf *shelf, const name called, u32 first)
{
    struct member *member = find(shelf, called);
    char text[24];

    if (member == NULL && shelf->count == NAMES_MOST) {
        message(shelf->who, 167, 'S', show_id(&shelf->id, text));
        return false;
    }
    if (member == NULL)
        member = &shelf->member[shelf->count++];
    memcpy(member->name, called, sizeof(name));
    member->first = first;
    member->count = shelf->next - first;
    return true;
}

/* Writes the directory and closes the file, unless `code` is of something that went wrong. */
static int close_written(struct shelf *shelf, int code)
{
    u32 directory = shelf->next;
    u8 card[LIBRARY_CARD];
    int error = EDF_OK;

    if (code > 4) {
        file_abandon(shelf->file);
        return code;
    }
    for (u32 n = 0; n < shelf->count && error == EDF_OK; n += MEMBERS_OF_CARD) {
        memset(card, ' ', sizeof card);
        for (u32 k = 0; k < MEMBERS_OF_CARD && n + k < shelf->count; k++)
            library_entry(card + MEMBER_ENTRY * k, &shelf->member[n + k]);
        error = put(shelf, card, sizeof card);
    }
    library_header(card, directory, shelf->count);
    if (error == EDF_OK)
        error = edf_write(&shelf->file->file, 1, card, sizeof card);
    if (error != EDF_OK)
        return give_up(shelf, error, true);
    error = file_finish(shelf->file);
    return error == EDF_OK ? code : trouble(shelf, error, true);
}

/* The name and type of a library, which are LOADLIB and any disk if they are not said. */
static bool library_named(const char *who, const struct call *call, u32 at, u32 words, struct fileid *id)
{
    if (!parse_fileid(who, call, at, words < 3 ? words : 3, id))
        return false;
    if (id->ft[0] == ' ')
        memcpy(id->ft, "LOADLIB ", sizeof(name));
    if (id->fm[0] == ' ')
        id->fm[0] = '*';
    return true;
}

/* ---- LKED ---- */

static int link_and_put(const name deck, const name called, const struct fileid *library, bool no_call, bool let)
{
    struct module module = { .flags = MODULE_RELOCATABLE | MODULE_MAP };
    struct shelf shelf;
    char line[80];
    u32 first;
    int code = perform(line, format(line, sizeof line, "LOAD %t ( NOMAP CLEAR%s", deck, no_call ? " NCAL" : ""),
                       CALL_COMMAND);
    int error;

    if (code > 4)
        return code;
    if (code == 4 && !let) {
        message("LKD", 1241, 'E', called);
        link_forget();
        return 8;
    }
    if (!loaded_program.has_entry) {
        message("LKD", 55, 'E');
        link_forget();
        return 40;
    }
    module.entry = loaded_program.entry;
    module.modes = loaded_program.modes;
    error = open_to_write(&shelf, "LKD", library, false);
    if (error == 0) {
        first = shelf.next;
        error = module_write(shelf.file, &shelf.next, loaded_program.first, loaded_program.next, &module);
        if (error != EDF_OK)
            error = give_up(&shelf, error, true);
        else
            error = close_written(&shelf, enter(&shelf, called, first) ? 0 : RC_FORMAT);
    }
    link_forget();
    return error != 0 ? error : code;
}

int lked_command(const struct call *call)
{
    name library = "        ", called = "        ";
    int no_call = false, let = false;
    const struct option known[] = {
        WORD("LIBE", 4, &library), WORD("NAME", 4, &called), FLAG("NCAL", 4, &no_call, true),
        FLAG("LET", 3, &let, true),
    };
    struct fileid id = { .ft = "LOADLIB ", .fm = "A1" };
    u32 words = operands(call);
    int code = options("LKD", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    if (words != 2) {
        if (words < 2)
            message("LKD", 1, 'E');
        else
            message("LKD", 70, 'E', call->token[2]);
        return RC_SYNTAX;
    }
    memcpy(id.fn, library[0] != ' ' ? library : call->token[1], sizeof(name));
    if (called[0] == ' ')
        memcpy(called, call->token[1], sizeof(name));
    if (!legal_name(id.fn) || !legal_name(called)) {
        message("LKD", 1, 'E');
        return RC_SYNTAX;
    }
    return link_and_put(call->token[1], called, &id, no_call, let);
}

/* ---- LOADLIB ---- */

/* One member's records into another library. */
static int copy_member(struct shelf *to, struct shelf *from, const struct member *member, const name called)
{
    char *record = obtain_command(RECORD_LONGEST);
    u32 first = to->next, length;
    int error = EDF_OK, code = 0;

    for (u32 n = 0; n < member->count && code == 0; n++) {
        error = edf_read(&from->file->file, member->first + n, record, RECORD_LONGEST, &length);
        if (error != EDF_OK)
            code = trouble(from, error, false);
        else if ((error = put(to, record, length)) != EDF_OK)
            code = trouble(to, error, true);
    }
    release(record);
    return code != 0 ? code : enter(to, called, first) ? 0 : RC_FORMAT;
}

/* Which members are copied; `chosen` of each: 1 SELECT, 2 EXCLUDE. */
struct choice { u8 *chosen; name *renamed; u32 selected; bool all; };

/* SELECT name [new], EXCLUDE name...; a null line ends. A return code. */
static int read_choice(const struct shelf *from, struct choice *choice)
{
    char line[LINE_MOST + 1];
    name token[TOKENS_MOST + 1];
    u32 words, length;

    for (;;) {
        bool select;

        message("LLB", 1242, 'R');
        length = read_line(line);
        words = tokenize(line, length, token);
        if (words == 0)
            return 0;
        select = abbreviates(token[0], "SELECT", 1);
        if ((!select && !abbreviates(token[0], "EXCLUDE", 1)) || words < 2 || words > (select ? 3u : TOKENS_MOST)) {
            message("LLB", 70, 'E', token[words > 1 && select ? words - 1 : 0]);
            return RC_SYNTAX;
        }
        choice->all = choice->all && !select;
        for (u32 n = 1; n < (select ? 2u : words); n++) {
            struct member *member = find(from, token[n]);

            if (member == NULL) {
                message("LLB", 13, 'E', token[n]);
                return RC_MISSING;
            }
            choice->chosen[member - from->member] = select ? 1 : 2;
            memcpy(choice->renamed[member - from->member], token[select && words > 2 ? 2 : n], sizeof(name));
        }
    }
}

static int copy_all(struct shelf *to, struct shelf *from, const struct choice *choice, bool replace)
{
    char text[24];
    int code = 0, worst = 0;

    for (u32 n = 0; n < from->count && code <= 4; n++) {
        const struct member *member = &from->member[n];
        const char *called = choice->chosen[n] == 1 ? choice->renamed[n] : member->name;

        if (choice->chosen[n] == 2 || (!choice->all && choice->chosen[n] == 0))
            continue;
        code = 0;
        if (find(to, called) != NULL && !replace) {
            message("LLB", 1240, 'W', called, show_id(&to->id, text));
            code = 4;
        } else {
            code = copy_member(to, from, member, called);
        }
        worst = code > worst ? code : worst;
    }
    return worst;
}

static int copy(const struct call *call, u32 words, bool modify, bool replace)
{
    struct fileid in, out;
    struct shelf from, to;
    struct choice choice = { .all = true };
    int code;

    if (words != 8) {
        if (words > 8)
            message("LLB", 70, 'E', call->token[8]);
        else
            message("LLB", 54, 'E');
        return RC_SYNTAX;
    }
    if (!library_named("LLB", call, 2, 3, &in) || !library_named("LLB", call, 5, 3, &out))
        return RC_SYNTAX;
    code = open_to_read(&from, "LLB", &in);
    if (code != 0)
        return code;
    choice.chosen = obtain_command(NAMES_MOST);
    choice.renamed = obtain_command(NAMES_MOST * sizeof(name));
    memset(choice.chosen, 0, NAMES_MOST);
    code = modify ? read_choice(&from, &choice) : 0;
    if (code == 0 && memcmp(out.fn, from.id.fn, sizeof(name)) == 0 && memcmp(out.ft, from.id.ft, sizeof(name)) == 0 &&
        out.fm[0] == from.id.fm[0]) {
        message("LLB", 19, 'E');
        code = RC_SYNTAX;
    }
    if (code == 0)
        code = open_to_write(&to, "LLB", &out, false);
    if (code == 0)
        code = close_written(&to, copy_all(&to, &from, &choice, replace));
    (void)file_finish(from.file);
    return code;
}

static int compress(const struct call *call, u32 words)
{
    struct fileid id;
    struct shelf from, to;
    int code = 0;

    if (words > 5) {
        message("LLB", 70, 'E', call->token[5]);
        return RC_SYNTAX;
    }
    if (!library_named("LLB", call, 2, words - 2, &id) || (code = open_to_read(&from, "LLB", &id)) != 0)
        return code == 0 ? RC_SYNTAX : code;
    code = open_to_write(&to, "LLB", &from.id, true);
    if (code == 0) {
        for (u32 n = 0; n < from.count && code == 0; n++)
            code = copy_member(&to, &from, &from.member[n], from.member[n].name);
        code = close_written(&to, code);
    }
    (void)file_finish(from.file);
    return code;
}

static int list_one(struct shelf *shelf, const struct member *member, char *line, u32 room, u32 *length)
{
    static const char *const modes[] = { "24", "24", "31", "ANY" };
    struct module module;
    int code = module_read_member(shelf->file, member->first, &module);

    if (code == 0)
        *length = format(line, room, "%-8t %8u %8u %06x %06x %-5s %s", member->name, member->first, member->count,
                         module.entry - module.origin, module.length, modes[module.modes & AMODE_ANY],
                         module.modes & RMODE_ANY ? "ANY" : "24");
    return code;
}

static int list(const struct call *call, u32 words, int where)
{
    static const char head[] = "Name        First  Records  Entry Length Amode Rmode";
    struct fileid id, map;
    struct shelf shelf;
    struct open_file *file = NULL;
    char line[80];
    u32 length = sizeof head - 1, number = 0;
    int code = 0, error = EDF_OK;

    if (words > 5) {
        message("LLB", 70, 'E', call->token[5]);
        return RC_SYNTAX;
    }
    if (!library_named("LLB", call, 2, words - 2, &id) || (code = open_to_read(&shelf, "LLB", &id)) != 0)
        return code == 0 ? RC_SYNTAX : code;
    map = shelf.id;
    memcpy(map.ft, "MAP     ", sizeof(name));
    memcpy(map.fm, "A1", 2);
    if (where == TO_DISK && (error = file_open(&map, EDF_NEW, &file)) == EDF_OK)
        file->file.fst[FST_RECFM] = EDF_V;
    memcpy(line, head, length);
    for (u32 n = 0; n <= shelf.count && code == 0 && error == EDF_OK; n++) {
        if (n > 0)
            code = list_one(&shelf, &shelf.member[n - 1], line, sizeof line, &length);
        if (code == 0 && where == TO_SCREEN)
            type_line(line, length);
        else if (code == 0 && where == TO_PRINTER)
            (void)unit_write(PRINT_UNIT, 0x09, line, length);
        else if (code == 0)
            error = edf_write(&file->file, ++number, line, length);
    }
    if (where == TO_PRINTER)
        unit_close(PRINT_UNIT, "", &shelf.id);
    (void)file_finish(shelf.file);
    if (file != NULL && (code != 0 || error != EDF_OK))
        file_abandon(file);
    else if (file != NULL)
        error = file_finish(file);
    return error == EDF_OK ? code : file_problem("LLB", error, &map, true);
}

int loadlib_command(const struct call *call)
{
    int where = TO_SCREEN, modify = false, replace = false;
    const struct option known[] = {
        FLAG("TERM", 4, &where, TO_SCREEN), FLAG("DISK", 4, &where, TO_DISK), FLAG("PRINT", 2, &where, TO_PRINTER),
        FLAG("MODIFY", 3, &modify, true), FLAG("REPLACE", 3, &replace, true),
    };
    u32 words = operands(call);
    int code = options("LLB", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    if (words < 3) {
        message("LLB", words < 2 ? 47 : 46, 'E');
        return RC_SYNTAX;
    }
    if (is(call->token[1], "COPY"))
        return copy(call, words, modify, replace);
    if (modify || replace) {
        message("LLB", 3, 'E', modify ? "MODIFY  " : "REPLACE ");
        return RC_SYNTAX;
    }
    if (abbreviates(call->token[1], "COMPRESS", 4))
        return compress(call, words);
    if (is(call->token[1], "LIST"))
        return list(call, words, where);
    message("LLB", 14, 'E', call->token[1]);
    return RC_SYNTAX;
}

/* ---- OSRUN ---- */

/* OSRUN member [PARM=text]: the program finds a length and the text, as one of a job finds them. */
int osrun_command(const struct call *call)
{
    struct { u32 at; u8 length[2]; char text[PARAMETER_MOST]; } *parameter;
    struct call made = *call;
    static const char parm[] = "PARM=";
    const char *text = call->arguments;
    bool good = true;
    u32 entry, length, size;
    int code;

    if (call->count < 2) {
        message("OSR", 1, 'E');
        return RC_SYNTAX;
    }
    for (u32 n = 0; n < 2; n++) {
        while (text < call->end && *text == ' ')
            text++;
        while (n == 0 && text < call->end && *text != ' ')
            text++;
    }
    length = (u32)(call->end - text);
    for (u32 n = 0; n < sizeof parm - 1 && length != 0; n++)
        good = good && length >= sizeof parm - 1 && upper(text[n]) == parm[n];
    if (!good || length > PARAMETER_MOST + sizeof parm - 1) {
        message("OSR", 70, 'E', call->token[2]);
        return RC_SYNTAX;
    }
    if (!os_load(call->token[1], &entry, &size)) {
        message("OSR", 13, 'E', call->token[1]);
        return RC_MISSING;
    }
    parameter = obtain_pages(sizeof *parameter, OWNER_COMMAND, USER_KEY, LOW_STORAGE);
    if (parameter == NULL)
        no_storage();
    length -= length == 0 ? 0 : sizeof parm - 1;
    parameter->at = 0x80000000 | (u32)parameter->length;
    parameter->length[0] = 0;
    parameter->length[1] = (u8)length;
    memcpy(parameter->text, text + sizeof parm - 1, length);
    made.plist = made.eplist = (u32)parameter;
    code = run_program_at(entry & 0x7fffffff, entry & 0x80000000 ? AMODE_31 : AMODE_24, USER_KEY, 0, &made);
    (void)release_pages((u32)parameter);
    return code;
}
