/*
 * LOAD, INCLUDE, START: programs of TEXT decks in storage.
 *
 * LOAD begins anew, INCLUDE adds. LOAD MAP A5 gets the names. What is loaded stays until the next LOAD or LOADMOD;
 * START runs it.
 */
#include "command.h"
#include "../nucleus/program.h"

static const char *const kinds[] = { "SD", "LD", "CM", "PR", "UNDEFINED", "WX" };

/* One line of a map, as LOAD MAP and MODMAP have it. */
u32 symbol_line(const struct symbol *symbol, char line[80])
{
    static const char *const modes[] = { "", "AMODE 24", "AMODE 31", "AMODE ANY" };
    char length[16] = "";

    if (!symbol_defined(symbol))
        return format(line, 80, "%-8t %s", symbol->name, kinds[symbol->kind]);
    if (symbol->length != 0)
        format(length, sizeof length, " %06x", symbol->length);
    return format(line, 80, "%-8t %s %08x%7s %s%s", symbol->name, kinds[symbol->kind], symbol->address, length,
                  modes[symbol->modes & AMODE_ANY], symbol->modes & RMODE_ANY ? " RMODE ANY" : "");
}

/* LOAD MAP A5, if there is a disk to write it on. */
static int write_map(bool type_it)
{
    struct fileid id = { .fn = "LOAD    ", .ft = "MAP     ", .fm = "A5" };
    struct disk *disk = disk_at('A');
    struct open_file *file = NULL;
    int error = EDF_OK, code = 0;
    char line[80];

    if (disk != NULL && !disk->read_only) {
        error = file_open(&id, EDF_NEW, &file);
        if (error == EDF_OK)
            file->file.fst[FST_RECFM] = EDF_V;
    }
    for (u32 n = 0; n < loaded_program.symbols && error == EDF_OK; n++) {
        u32 length = length_of(line, symbol_line(&loaded_program.symbol[n], line));

        if (type_it)
            type_line(line, length);
        if (file != NULL)
            error = edf_write(&file->file, n + 1, line, length);
    }
    if (error != EDF_OK)
        code = file_problem("LIO", error, &id, true);
    if (file != NULL)
        (void)file_finish(file);
    return code;
}

static int modes_of(const name amode, const name rmode, u8 *modes, bool *given)
{
    *given = name_length(amode) != 0 || name_length(rmode) != 0;
    if (name_length(amode) != 0 && !is(amode, "24") && !is(amode, "31") && !is(amode, "ANY")) {
        message("LIO", 29, 'E', amode, "AMODE   ");
        return RC_SYNTAX;
    }
    if (name_length(rmode) != 0 && !is(rmode, "24") && !is(rmode, "ANY")) {
        message("LIO", 29, 'E', rmode, "RMODE   ");
        return RC_SYNTAX;
    }
    if (name_length(amode) != 0)
        *modes = (u8)((*modes & RMODE_ANY) | (is(amode, "24") ? AMODE_24 : is(amode, "31") ? AMODE_31 : AMODE_ANY));
    if (name_length(rmode) != 0)
        *modes = (u8)((*modes & ~RMODE_ANY) | (is(rmode, "ANY") ? RMODE_ANY : 0));
    return 0;
}

static int start_at(u32 address, u8 modes, const struct call *call)
{
    message("LIO", 740, 'I');
    return run_program_at(address, modes, USER_KEY, 0, call);
}

static int no_entry(void)
{
    message("LIO", 55, 'E');
    return 40;
}

/* The decks that a command names, and what they want. */
static int link_all(const struct call *call, u32 words, const struct link_options *how)
{
    int code = 0, worst = 0;

    for (u32 n = 1; n < words; n++) {
        code = link_name(call->token[n], how);
        if (code == -1) {
            struct fileid id = { .ft = "TEXT    ", .fm = "  " };
            char text[24];

            memcpy(id.fn, call->token[n], sizeof(name));
            message("LIO", 2, 'E', show_id(&id, text));
            code = RC_MISSING;
        }
        if (code > 4)
            return code;
        worst = code > worst ? code : worst;
    }
    code = link_complete(how);
    return code > worst ? code : worst;
}

/* Only how long the program is: it lies nowhere. */
static int measure(const struct call *call, u32 words, const struct link_options *how)
{
    enum { SOMEWHERE = 0x1000, MOST = 0x7ffff000 };

    link_begin(SOMEWHERE, MOST);
    loaded_program.measured = true;
    return link_all(call, words, how);
}

/*
 * A program that is not for the user area gets pages of its own, as many as it takes. What is to be said of the decks
 * is said once: when they are linked for good, or when they are measured and that fails.
 */
static int link_elsewhere(const struct call *call, u32 words, const struct link_options *how, u8 modes)
{
    bool halted = halted_typing();
    u32 length, at;
    int code;

    halt_typing(true);
    code = measure(call, words, how);
    halt_typing(halted);
    if (code > 4)
        return measure(call, words, how);
    length = loaded_program.next - loaded_program.first;
    modes |= loaded_program.modes;
    link_forget();
    at = program_pages(length, modes, OWNER_SYSTEM);
    if (at == 0) {
        message("LIO", 109, 'S');
        return RC_STORAGE;
    }
    link_begin(at, at + ((length + 4095) & ~4095u));
    loaded_program.pages = at;
    return link_all(call, words, how);
}

/* Where decks go: `high`, if it can be, above 16M; else the user area, unless they are too large for it. */
static int link_somewhere(const struct call *call, u32 words, const struct link_options *how, u8 modes, bool high)
{
    int code;

    if (high && storage_bytes() > LOW_STORAGE)
        return link_elsewhere(call, words, how, modes);
    loaded_program.movable = true;
    code = link_all(call, words, how);
    loaded_program.movable = false;
    return loaded_program.too_large ? link_elsewhere(call, words, how, modes) : code;
}

static int load(const struct call *call, bool anew)
{
    struct link_options how = { .duplicates = true, .replace = true, .automatic = true, .libraries = true, .map = true,
                                .invalid = true };
    name reset = "        ", origin = "        ", amode = "        ", rmode = "        ";
    int type_map = false, start = false, keep = false, ignored = 0, clear = false;
    const struct option known[] = {
        FLAG("MAP", 3, &how.map, true), FLAG("NOMAP", 5, &how.map, false),
        FLAG("TYPE", 4, &type_map, true), FLAG("NOTYPE", 6, &type_map, false),
        FLAG("CLEAR", 5, &clear, true), FLAG("NOCLEAR", 7, &clear, false),
        WORD("RESET", 5, &reset), WORD("ORIGIN", 6, &origin),
        FLAG("START", 5, &start, true), FLAG("AUTO", 4, &how.automatic, true),
        FLAG("NOAUTO", 6, &how.automatic, false), FLAG("LIBE", 4, &how.libraries, true),
        FLAG("NOLIBE", 6, &how.libraries, false), FLAG("REP", 3, &how.replace, true),
        FLAG("NOREP", 5, &how.replace, false), FLAG("INV", 3, &how.invalid, true),
        FLAG("NOINV", 5, &how.invalid, false), FLAG("DUP", 3, &how.duplicates, true),
        FLAG("NODUP", 5, &how.duplicates, false), FLAG("NCAL", 4, &how.no_call, true),
        FLAG("RLDSAVE", 3, &keep, true), FLAG("FULLMAP", 7, &how.map, true),
        WORD("AMODE", 5, &amode), WORD("RMODE", 5, &rmode),
        FLAG("PRES", 4, &ignored, 1), FLAG("SAME", 4, &ignored, 1), FLAG("HIST", 4, &ignored, 1),
    };
    u32 words = operands(call), at = USER_FIRST, end = USER_END;
    bool given;
    u8 modes = 0;
    int code = options("LIO", call, known, COUNT_OF(known)), worst = 0;

    if (code != 0)
        return code;
    if (words < 2) {
        message("LIO", 1, 'E');
        return RC_SYNTAX;
    }
    if (name_length(origin) != 0 && is(origin, "TRANS")) {
        at = TRANSIENT_FIRST;
        end = TRANSIENT_END;
    } else if (name_length(origin) != 0) {
        if (!parse_hex(origin, name_length(origin), &at) || !user_storage(at, 1)) {
            message("LIO", 29, 'E', origin, "ORIGIN  ");
            return RC_SYNTAX;
        }
        end = at < TRANSIENT_END ? TRANSIENT_END : USER_END;
    }
    if (anew) {
        link_begin(at, end);
        if (clear)
            memset((void *)at, 0, end - at);
    } else if (!loaded_program.there) {
        return no_entry();
    } else if (name_length(origin) != 0) {
        loaded_program.next = at;
        loaded_program.end = end;
    }
    code = modes_of(amode, rmode, &modes, &given);
    if (code == 0)
        code = anew && name_length(origin) == 0 ? link_somewhere(call, words, &how, modes, modes & RMODE_ANY)
                                                : link_all(call, words, &how);
    worst = code;
    if (code <= 4 && name_length(reset) != 0) {
        const struct symbol *symbol = link_find(reset);

        if (symbol == NULL || !symbol_defined(symbol)) {
            message("LIO", 21, 'E', reset);
            code = 40;
        } else {
            loaded_program.entry = symbol->address;
            loaded_program.modes = symbol->modes;
        }
    }
    if (code > 4) {
        link_forget();
        return code;
    }
    worst = code > worst ? code : worst;
    if (given)
        (void)modes_of(amode, rmode, &loaded_program.modes, &given);
    if (how.map || type_map)
        code = write_map(type_map);
    if (code > 4)
        return code;
    if (start) {
        struct call run = *call;

        if (!loaded_program.has_entry)
            return no_entry();
        run.token = call->token + 1;
        run.count = call->count - 1;
        return start_at(loaded_program.entry, loaded_program.modes, &run);
    }
    return worst;
}

int load_command(const struct call *call) { return load(call, true); }
int include_command(const struct call *call) { return load(call, false); }

/* START [entry|* [arguments]] [( NO ]: what follows the parenthesis goes to the program too, but for NO. */
int start_command(const struct call *call)
{
    struct call run = *call;
    const struct symbol *symbol = NULL;
    u32 address = loaded_program.entry, n;
    name token[TOKENS_MOST + 1];
    u8 modes = loaded_program.modes;

    if (!loaded_program.there || !loaded_program.has_entry)
        return no_entry();
    memcpy(token, call->token, (call->count + 1) * sizeof(name));
    for (n = 1; n < call->count && token[n][0] != '('; n++)
        ;
    if (call->count > 1 && n > 1 && !is(token[1], "*")) {
        symbol = link_find(token[1]);
        if (symbol == NULL || !symbol_defined(symbol)) {
            message("LIO", 21, 'E', token[1]);
            return 40;
        }
        address = symbol->address;
        modes = symbol->modes;
    }
    if (n + 1 < call->count && is(token[n + 1], "NO"))
        return 0;
    /* The program's own name is what is started. */
    for (u32 k = 0; symbol == NULL && k < loaded_program.symbols; k++)
        if (loaded_program.symbol[k].address == address && symbol_defined(&loaded_program.symbol[k]))
            symbol = &loaded_program.symbol[k];
    if (n > 1) {
        run.token = token + 1;
        run.count = call->count - 1;
        /* Its arguments are after the entry's name. */
        while (run.arguments < run.end && *run.arguments == ' ')
            run.arguments++;
        run.line = run.arguments;
        while (run.arguments < run.end && *run.arguments != ' ' && *run.arguments != '(')
            run.arguments++;
        if (run.arguments < run.end && *run.arguments == ' ')
            run.arguments++;
    } else {
        run.token = token;
    }
    if (symbol != NULL)
        memcpy(run.token[0], symbol->name, sizeof(name));
    return start_at(address, modes, &run);
}
