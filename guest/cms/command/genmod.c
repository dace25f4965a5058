/*
 * GENMOD, LOADMOD, MODMAP: what is loaded becomes a MODULE, and a MODULE what is loaded.
 */
#include "command.h"
#include "../nucleus/program.h"

enum { RECORD_MOST = 65520, HEADER = 80 };

static int write_error(int error, const struct fileid *id) { return file_problem("MOD", error, id, true); }

/* Bytes as records, none too long. */
static int write_bytes(struct open_file *file, u32 *record, const void *from, u32 length)
{
    int error = EDF_OK;

    for (u32 done = 0; done < length && error == EDF_OK; done += RECORD_MOST)
        error = edf_write(&file->file, (*record)++, (const char *)from + done,
                          length - done < RECORD_MOST ? length - done : RECORD_MOST);
    return error;
}

/* Where the addresses are: words of module_load(). */
static u32 relocations(u32 *list, u32 first, u32 end)
{
    u32 count = 0;

    for (u32 n = 0; n < loaded_program.constants; n++) {
        const struct constant *constant = &loaded_program.constant[n];
        const struct symbol *symbol = &loaded_program.symbol[constant->symbol];

        if ((constant->flags & CONSTANT_PSEUDO) || !symbol_defined(symbol) || constant->at < first ||
            constant->at >= end || symbol->address < first || symbol->address > end)
            continue;
        list[count++] = (constant->at - first) << 8 | (constant->flags & CONSTANT_NEGATIVE ? 0x80
                                                       : 0) | (constant->length - 1u);
    }
    return count;
}

/* What is loaded from `first` to `end`, as records of a file; an EDF error. */
int module_write(struct open_file *file, u32 *record, u32 first, u32 end, const struct module *module)
{
    u8 header[HEADER] = { 0 };
    u32 *list = obtain_command(loaded_program.constants * 4 + 4), count = relocations(list, first, end);
    u32 symbols = module->flags & MODULE_MAP ? loaded_program.symbols : 0;
    int error;

    if (!(module->flags & MODULE_RELOCATABLE))
        count = 0;
    memcpy(header, "MODULE  ", 8);
    edf_set_word(header + 8, module->entry);
    edf_set_word(header + 12, first);
    edf_set_word(header + 16, end - first);
    header[20] = module->flags;
    header[21] = module->modes;
    edf_set_word(header + 24, count);
    edf_set_word(header + 28, symbols);
    error = edf_write(&file->file, (*record)++, header, sizeof header);
    if (error == EDF_OK)
        error = write_bytes(file, record, (const void *)first, end - first);
    if (error == EDF_OK)
        error = write_bytes(file, record, list, count * 4);
    if (error == EDF_OK)
        error = write_bytes(file, record, loaded_program.symbol, symbols * (u32)sizeof(struct symbol));
    release(list);
    return error;
}

static int write_module(const struct fileid *id, u32 first, u32 end, const struct module *module)
{
    u32 record = 1;
    struct open_file *file;
    int error = file_open(id, EDF_NEW, &file);

    if (error != EDF_OK)
        return write_error(error, id);
    file->file.fst[FST_RECFM] = EDF_V;
    error = module_write(file, &record, first, end, module);
    if (error != EDF_OK) {
        (void)file_finish(file);
        return write_error(error, id);
    }
    error = file_finish(file);
    return error == EDF_OK ? 0 : write_error(error, id);
}

/* A name's address, or nothing. */
static bool address_of(const name wanted, u32 *address)
{
    const struct symbol *symbol = link_find(wanted);

    if (symbol == NULL || !symbol_defined(symbol) || symbol->kind == SYMBOL_PSEUDO) {
        message("MOD", 21, 'E', wanted);
        return false;
    }
    *address = symbol->address;
    return true;
}

int genmod_command(const struct call *call)
{
    name from = "        ", to = "        ", amode = "        ", rmode = "        ";
    int map = true, system = false, clean = false, other = 0;
    const struct option known[] = {
        WORD("FROM", 4, &from), WORD("TO", 2, &to), FLAG("MAP", 3, &map, true),
        FLAG("NOMAP", 5, &map, false), FLAG("SYSTEM", 3, &system, true),
        FLAG("CLEAN", 5, &clean, true), FLAG("NOCLEAN", 7, &clean, false),
        FLAG("STR", 3, &other, 1), FLAG("NOSTR", 5, &other, 0), FLAG("OS", 2, &other, 0),
        FLAG("ALL", 3, &other, 0), WORD("AMODE", 5, &amode), WORD("RMODE", 5, &rmode),
    };
    u32 words = operands(call), first = loaded_program.first, end = loaded_program.next;
    struct fileid id;
    struct module module = { .entry = loaded_program.entry, .modes = loaded_program.modes, .flags =
        MODULE_RELOCATABLE };
    int code = options("MOD", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    if (words > 4) {
        message("MOD", 70, 'E', call->token[4]);
        return RC_SYNTAX;
    }
    if (!parse_fileid("MOD", call, 1, words - 1, &id))
        return RC_SYNTAX;
    if (words > 2 && !is(id.ft, "MODULE")) {
        message("MOD", 70, 'E', id.ft);
        return RC_SYNTAX;
    }
    if (!loaded_program.there || !loaded_program.has_entry) {
        message("MOD", 55, 'E');
        return 40;
    }
    /* Without a name it is that of the first section. */
    for (u32 n = 0; words == 1 && n < loaded_program.symbols && id.fn[0] == ' '; n++)
        if (symbol_defined(&loaded_program.symbol[n]))
            memcpy(id.fn, loaded_program.symbol[n].name, sizeof(name));
    memcpy(id.ft, "MODULE  ", sizeof(name));
    if (id.fm[0] == ' ')
        id.fm[0] = 'A';
    if (!legal_name(id.fn)) {
        message("MOD", 1, 'E');
        return RC_SYNTAX;
    }
    if ((from[0] != ' ' && !address_of(from, &first)) || (to[0] != ' ' && !address_of(to, &end)))
        return 40;
    if (end <= first || module.entry < first || module.entry >= end ||
        (loaded_program.pages != 0 ? first < loaded_program.first || end > loaded_program.next
                                   : !user_storage(first, end - first))) {
        message("MOD", 84, 'E');
        return RC_SYNTAX;
    }
    if ((amode[0] != ' ' && !is(amode, "24") && !is(amode, "31") && !is(amode, "ANY")) ||
        (rmode[0] != ' ' && !is(rmode, "24") && !is(rmode, "ANY"))) {
        bool of_amode = amode[0] != ' ' && !is(amode, "24") && !is(amode, "31") && !is(amode, "ANY");

        message("MOD", 29, 'E', of_amode ? amode : rmode, of_amode ? "AMODE   " : "RMODE   ");
        return RC_SYNTAX;
    }
    if (amode[0] != ' ')
        module.modes = (u8)((module.modes & RMODE_ANY) | (is(amode, "24") ? AMODE_24 : is(amode, "31") ? AMODE_31
                                                          : AMODE_ANY));
    if (rmode[0] != ' ')
        module.modes = (u8)((module.modes & ~RMODE_ANY) | (is(rmode, "ANY") ? RMODE_ANY : 0));
    module.flags |= (u8)((map ? MODULE_MAP : 0) | (system ? MODULE_SYSTEM : 0) | (clean ? MODULE_CLEAN : 0));
    return write_module(&id, first, end, &module);
}

/* Opens `fn MODULE` and reads its header. */
static int open_module(const char *who, const struct call *call, struct open_file **file, struct module *module)
{
    u32 words = operands(call);
    struct fileid id;
    char text[24];
    int error;

    if (words < 2) {
        message(who, 1, 'E');
        return RC_SYNTAX;
    }
    if (words > 4) {
        message(who, 70, 'E', call->token[4]);
        return RC_SYNTAX;
    }
    if (!parse_fileid(who, call, 1, words - 1, &id))
        return RC_SYNTAX;
    if (words > 2 && !is(id.ft, "MODULE")) {
        message(who, 70, 'E', id.ft);
        return RC_SYNTAX;
    }
    memcpy(id.ft, "MODULE  ", sizeof(name));
    if (id.fm[0] == ' ')
        id.fm[0] = '*';
    error = file_open(&id, EDF_READ, file);
    if (error == EDF_NOT_FOUND) {
        id.fm[0] = words > 3 ? id.fm[0] : ' ';
        message(who, 2, 'E', show_id(&id, text));
        return RC_MISSING;
    }
    return error == EDF_OK ? module_read_header(*file, module) : file_problem(who, error, &id, false);
}

int loadmod_command(const struct call *call)
{
    struct open_file *file;
    struct module module;
    u32 at;
    int code = open_module("MOD", call, &file, &module);

    if (code != 0)
        return code;
    /* What was loaded before may be in the way. */
    link_forget();
    code = module_place(file, &module, OWNER_SYSTEM, &at);
    if (code == 0) {
        code = module_read_map(file, &module, at);
        if (module_has_pages(&module) && code != 0)
            (void)release_pages(at);
        else if (module_has_pages(&module))
            loaded_program.pages = at;
    }
    (void)file_finish(file);
    return code;
}

int modmap_command(const struct call *call)
{
    struct loaded_program before = loaded_program;
    struct open_file *file;
    struct module module;
    char line[80];
    int code = open_module("MDP", call, &file, &module);

    if (code != 0)
        return code;
    if (!(module.flags & MODULE_MAP)) {
        struct fileid id;
        char text[24];

        id_of(file->disk, file->file.fst, &id);
        message("MDP", 18, 'E', show_id(&id, text));
        return 40;
    }
    /* What is loaded stays. */
    memset(&loaded_program, 0, sizeof loaded_program);
    code = module_read_map(file, &module, module.origin);
    for (u32 n = 0; n < loaded_program.symbols && code == 0; n++)
        type_line(line, symbol_line(&loaded_program.symbol[n], line));
    link_forget();
    loaded_program = before;
    (void)file_finish(file);
    return code;
}
