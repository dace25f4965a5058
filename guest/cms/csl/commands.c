/*
 * RTNLOAD, RTNDROP, RTNMAP, RTNSTATE, CSLLIST, CSLMAP: callable services, which there are, and those of one's own.
 *
 * A routine of one's own is a TEXT deck, or a member of a TXTLIB, that is linked where it stays; it is called with
 * register 1 at the addresses of its parameters. A file name TEMPLATE says what these are: a line each, of a type
 * (SBIN, UBIN, LEN, RTNC, RTNR: a word; CHAR, BIT), a length (4, so many characters, or * with LEN in the next line)
 * and INPUT, OUTPUT or INOUT. The first is RTNC 4 OUTPUT.
 */
#include "../command/command.h"
#include "csl.h"
#include "../nucleus/library.h"
#include "../nucleus/program.h"

enum { ROUTINE_MOST = 0x20000 };

/* ---- templates ---- */

static bool parameter_of(const char *line, u32 length, struct csl_parameter *parameter, bool *is_length)
{
    static const struct { const char *word; u8 kind; } kinds[] = {
        { "SBIN", CSL_NUMBER }, { "UBIN", CSL_NUMBER }, { "LEN", CSL_NUMBER }, { "RTNC", CSL_NUMBER },
        { "RTNR", CSL_NUMBER }, { "CHAR", CSL_CHARACTERS }, { "BIT", CSL_CHARACTERS },
    };
    static const struct { const char *word; u8 use; } uses[] =
        { { "INPUT", CSL_IN }, { "OUTPUT", CSL_OUT }, { "INOUT", CSL_BOTH } };
    name token[TOKENS_MOST + 1];
    u32 size, kind = 0, use = 0;

    if (tokenize(line, length < 128 ? length : 128, token) != 3)
        return false;
    while (kind < COUNT_OF(kinds) && !is(token[0], kinds[kind].word))
        kind++;
    while (use < COUNT_OF(uses) && !is(token[2], uses[use].word))
        use++;
    if (kind == COUNT_OF(kinds) || use == COUNT_OF(uses))
        return false;
    *parameter = (struct csl_parameter){ .kind = kinds[kind].kind, .use = uses[use].use };
    memcpy(parameter->called, token[0], sizeof(name));
    *is_length = is(token[0], "LEN");
    if (kinds[kind].kind == CSL_NUMBER)
        return is(token[1], "4");
    if (is(token[1], "*")) {
        parameter->kind = CSL_TEXT;
        return true;
    }
    if (!parse_number(token[1], name_length(token[1]), &size) || size == 0 || size > 0xffff)
        return false;
    parameter->length = (u16)size;
    return true;
}

/* The template of a routine, if there is one: then *count is not 0. */
static int read_template(const name called, struct csl_parameter *list, u32 *count)
{
    struct fileid id = { .ft = "TEMPLATE", .fm = "* " };
    struct reader reader;
    struct disk *disk;
    bool wants_length = false, good = true;
    char text[24];
    u8 *fst;
    int code;

    *count = 0;
    memcpy(id.fn, called, sizeof(name));
    if (!find_file(&id, &disk, &fst))
        return 0;
    code = reader_open("RTN", &reader, &id);
    if (code != 0)
        return code;
    while (good && reader_next("RTN", &reader, &code)) {
        bool is_length;

        if (length_of(reader.record, reader.length) == 0 || reader.record[0] == '*')
            continue;
        good = *count < CSL_MOST && parameter_of(reader.record, reader.length, &list[*count], &is_length) &&
            wants_length == is_length &&
               (*count > 0 || (is(list[0].called, "RTNC") && list[0].use == CSL_OUT));
        if (good)
            wants_length = list[(*count)++].kind == CSL_TEXT;
    }
    if (code == 0 && (!good || wants_length || *count == 0)) {
        message("RTN", 1231, 'E', reader.number, show_id(&reader.id, text));
        code = RC_FORMAT;
    }
    reader_close(&reader);
    return code;
}

/* ---- RTNLOAD ---- */

struct loading { struct csl_routine *routine; const char *from; };

/* Links the deck between these addresses. -1: there is none. */
static int link_routine(const struct loading *loading, u32 at, u32 end)
{
    const struct link_options how = { .duplicates = true, .replace = true, .automatic = true, .libraries = true,
                                      .invalid = true };
    struct globals from = { .count = 1 };
    int code;

    link_begin(at, end);
    if (loading->from[0] != ' ') {
        memcpy(from.name[0], loading->from, sizeof(name));
        code = link_member(loading->routine->called, &from, &how);
    } else {
        code = link_name(loading->routine->called, &how);
    }
    return code == 0 ? link_complete(&how) : code;
}

/* Links it twice: the first time shows how long it is. */
static int place_routine(const void *with)
{
    const struct loading *loading = with;
    struct csl_routine *routine = loading->routine;
    u32 size = ROUTINE_MOST, at = 0;
    const struct symbol *symbol;
    int code = 0;

    for (u32 pass = 0; pass < 2 && code == 0; pass++) {
        at = (u32)obtain_pages(size, OWNER_SYSTEM, USER_KEY, LOW_STORAGE);
        if (at == 0)
            no_storage();
        code = link_routine(loading, at, at + size);
        size = loaded_program.next - at;
        if (pass == 0 || code != 0)
            (void)release_pages(at);
    }
    if (code != 0)
        return code;
    symbol = link_find(routine->called);
    routine->entry = symbol != NULL && symbol_defined(symbol) ? symbol->address : loaded_program.entry;
    routine->modes = symbol != NULL && symbol_defined(symbol) ? symbol->modes : loaded_program.modes;
    routine->origin = at;
    routine->length = size;
    return 0;
}

static int load_routine(const name called, const name from, const name group, bool system)
{
    struct csl_parameter list[CSL_MOST], *parameter = NULL;
    struct csl_routine made = { .system = system };
    struct loading loading = { &made, from };
    struct loaded_program kept = loaded_program;
    int code;

    memcpy(made.called, called, sizeof(name));
    memcpy(made.library, from, sizeof(name));
    memcpy(made.group, group, sizeof(name));
    code = read_template(called, list, &made.most);
    if (code != 0)
        return code;
    made.least = made.most;
    /* What LOAD has loaded stays loaded. */
    memset(&loaded_program, 0, sizeof loaded_program);
    code = with_storage(place_routine, &loading);
    link_forget();
    loaded_program = kept;
    if (code != 0)
        return code;
    if (made.most != 0) {
        parameter = obtain(made.most * sizeof *parameter, OWNER_SYSTEM);
        if (parameter != NULL)
            memcpy(parameter, list, made.most * sizeof *parameter);
    }
    made.parameter = parameter;
    if ((made.most != 0 && parameter == NULL) || !csl_add(&made)) {
        release(parameter);
        (void)release_pages(made.origin);
        message("RTN", 109, 'S');
        return RC_STORAGE;
    }
    return 0;
}

int rtnload_there(const struct call *call)
{
    name from = "        ", group = "        ";
    int system = false, code;
    const struct option known[] = {
        WORD("FROM", 4, &from), WORD("GROUP", 2, &group), FLAG("USER", 1, &system, false),
        FLAG("SYSTEM", 2, &system, true),
    };
    u32 words = operands(call);
    bool own, dropped;

    code = options("RTN", call, known, COUNT_OF(known));
    if (code != 0)
        return code;
    if (words < 2) {
        message("RTN", 1, 'E');
        return RC_SYNTAX;
    }
    own = memcmp(from, csl_own_library, sizeof(name)) == 0;
    if (is(call->token[1], "*")) {
        if (words > 2 || !own) {
            message("RTN", 70, 'E', call->token[words > 2 ? 2 : 1]);
            return RC_SYNTAX;
        }
        for (u32 n = 0; csl_library(n) != NULL; n++)
            (void)csl_restore(csl_library(n)->called);
        return 0;
    }
    for (u32 n = 1; n < words && code == 0; n++) {
        const char *called = call->token[n];
        const struct csl_routine *there = csl_find(called, &dropped);

        if (there != NULL && there->perform == NULL) {
            message("RTN", 1230, 'E', called);
            return RC_MISSING;
        }
        code = own ? -1 : load_routine(called, from, group, system);
        if (code == -1 && (own || from[0] == ' ') && csl_restore(called))
            code = 0;
        if (code == -1) {
            message("RTN", 1232, 'E', called);
            code = RC_MISSING;
        }
    }
    return code;
}

/* ---- RTNDROP, RTNMAP, RTNSTATE ---- */

/* Which routines a command is about. */
struct chosen { int user, system; name group; };
#define CHOICE_OPTIONS(chosen) \
    FLAG("USER", 1, &(chosen).user, true), FLAG("SYSTEM", 2, &(chosen).system, true), WORD("GROUP", 2, &(chosen).group)

static bool is_chosen(const struct csl_routine *routine, const name wanted, const struct chosen *chosen)
{
    if (!is(wanted, "*") && memcmp(routine->called, wanted, sizeof(name)) != 0)
        return false;
    if (chosen->user != chosen->system && routine->system != (chosen->system != 0))
        return false;
    return chosen->group[0] == ' ' || memcmp(routine->group, chosen->group, sizeof(name)) == 0;
}

static int not_loaded(const name called)
{
    if (is(called, "*"))
        message("RTN", 1234, 'I');
    else
        message("RTN", 1233, 'E', called);
    return RC_MISSING;
}

int rtndrop_there(const struct call *call)
{
    struct chosen chosen = { .group = "        " };
    const struct option known[] = { CHOICE_OPTIONS(chosen) };
    u32 words = operands(call);
    int code = options("RTN", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    if (words < 2) {
        message("RTN", 1, 'E');
        return RC_SYNTAX;
    }
    for (u32 n = 1; n < words; n++) {
        bool all = is(call->token[n], "*"), any = false;

        for (const struct csl_routine *at = csl_next(NULL), *next; at != NULL; at = next) {
            next = csl_next(at);
            /* * are those that were loaded; VMLIB's only if SYSTEM says so. */
            if (!is_chosen(at, call->token[n], &chosen) || (all && at->perform != NULL && !chosen.system))
                continue;
            csl_drop(at);
            any = true;
            if (!all)
                break;
        }
        if (!any)
            code = not_loaded(call->token[n]);
    }
    return code;
}

static void map_line(const struct csl_routine *routine)
{
    if (routine->perform != NULL)
        answer("%-8t %-8t %-8t                       SYSTEM", routine->called, routine->library, routine->group);
    else
        answer("%-8t %-8t %-8t %08x %06x %-5s %s", routine->called, routine->library, routine->group, routine->entry,
               routine->length,
               routine->modes & AMODE_31 ? "31" : "24", routine->system ? "SYSTEM" : "USER");
}

int rtnmap_there(const struct call *call)
{
    struct chosen chosen = { .group = "        " };
    int where = TO_TERMINAL, heading = -1;
    const struct option known[] = {
        STACK_OPTIONS(&where), CHOICE_OPTIONS(chosen), FLAG("HEADER", 1, &heading, true),
            FLAG("NOHEADER", 3, &heading, false),
    };
    u32 words = operands(call);
    const char *wanted = words > 1 ? call->token[1] : "*       ";
    int code = options("RTN", call, known, COUNT_OF(known));
    bool any = false;

    if (code != 0)
        return code;
    if (words > 2) {
        message("RTN", 70, 'E', call->token[2]);
        return RC_SYNTAX;
    }
    if (where != TO_TERMINAL && heading == true) {
        message("RTN", 66, 'E', "HEADER  ", "STACK   ");
        return RC_SYNTAX;
    }
    answer_to(where);
    for (const struct csl_routine *at = csl_next(NULL); at != NULL; at = csl_next(at)) {
        if (!is_chosen(at, wanted, &chosen))
            continue;
        if (!any && heading != false && where == TO_TERMINAL)
            answer("%s", "Name     Library  Group    Entry    Bytes  Amode");
        any = true;
        map_line(at);
    }
    answer_to(TO_TERMINAL);
    return any ? 0 : not_loaded(wanted);
}

int rtnstate_there(const struct call *call)
{
    u32 words = operands(call);
    bool dropped;

    if (words != 2) {
        if (words < 2)
            message("RTN", 1, 'E');
        else
            message("RTN", 70, 'E', call->token[2]);
        return RC_SYNTAX;
    }
    return csl_find(call->token[1], &dropped) != NULL ? 0 : RC_MISSING;
}

/* ---- CSLLIST, CSLMAP ---- */

static void list_routine(const struct csl_routine *routine) { answer("%-8t %s", routine->called, routine->what); }

static void list_parameters(const struct csl_routine *routine)
{
    static const char *const uses[] = { "", "INPUT", "OUTPUT", "INOUT" };

    answer("%t", routine->called);
    for (u32 n = 0; n < routine->most; n++) {
        const struct csl_parameter *parameter = &routine->parameter[n];
        char length[8] = "*";

        if (parameter->kind != CSL_TEXT)
            format(length, sizeof length, "%u", parameter->kind == CSL_NUMBER ? 4 : parameter->length);
        answer("  %2u %-8t %-4s %5s %-6s%s", n + 1, parameter->called, parameter->kind == CSL_NUMBER ? "SBIN" : "CHAR",
               length,
               uses[parameter->use], n >= routine->least ? " OPTIONAL" : "");
    }
}

static int list(const struct call *call, void show(const struct csl_routine *routine))
{
    int where = TO_TERMINAL;
    const struct option known[] = { STACK_OPTIONS(&where) };
    u32 words = operands(call);
    int code = options("CSL", call, known, COUNT_OF(known));
    bool any = false;

    if (code != 0)
        return code;
    if (words > 2) {
        message("CSL", 70, 'E', call->token[2]);
        return RC_SYNTAX;
    }
    answer_to(where);
    for (u32 n = 0; csl_library(n) != NULL; n++)
        if (words < 2 || matches(call->token[1], (const u8 *)csl_library(n)->called)) {
            show(csl_library(n));
            any = true;
        }
    answer_to(TO_TERMINAL);
    if (any)
        return 0;
    message("CSL", 1232, 'E', call->token[1]);
    return RC_MISSING;
}

/* On a screen of its own, unless what it says goes elsewhere. */
int csllist_there(const struct call *call)
{
    static const name all = "*       ";
    u32 words = operands(call);

    if (words < 3 && call->count == words && console_is_display() && (editor_is_there() || capturing() == NULL))
        return list_routines(words == 2 ? call->token[1] : all);
    return list(call, list_routine);
}


int cslmap_there(const struct call *call) { return list(call, list_parameters); }
