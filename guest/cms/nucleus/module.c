/*
 * MODULE files: programs as they lie in storage, and running them.
 *
 * A module is a V file. Its first record has 80 bytes (enum below); the following records are what lies there, then, if
 * the module may lie elsewhere too, where the addresses are in it, and last the names in it, for MODMAP and START. A
 * module of the user area or the transient area runs where it was made. One that is too large for them gets pages of
 * its own: above 16M, if its residence mode is ANY and the machine has that. All run with key 14, so that a wild store
 * hits nothing else.
 *
 * A program begins with register 1 at its words, 0 at the line as typed (struct eplist), 12 and 15 at its entry, 13 at
 * a save area, 14 where it returns; register 15 is its return code. In addressing mode 24 the left byte of register 1
 * says how it is called.
 */
#include "path.h"
#include "program.h"

enum {
    ENTRY = 8, ORIGIN = 12, LENGTH = 16, FLAGS = 20, MODES = 21, RELOCATIONS = 24, SYMBOLS = 28, HEADER = 80,
    SAVE_AREA = 0xb0, DEPTH = 20,
};
enum { CALL_TYPE = 0x60, CALL_FLAGS = 0x64, IN_31 = 0x40, HAS_BLOCK = 0x20, HAS_LINE = 0x10 };
enum { LINE_ROOM = 1024 };

struct eplist { const char *command, *arguments, *end; u32 block; };

static u32 depth;

/* Where programs may be loaded. */
bool user_storage(u32 at, u32 length)
{
    return (at >= USER_FIRST && at <= USER_END && length <= USER_END - at) ||
           (at >= TRANSIENT_FIRST && at <= TRANSIENT_END && length <= TRANSIENT_END - at);
}

static int problem(struct open_file *file, int error, u32 number)
{
    struct fileid id;
    char text[24];

    id_of(file->disk, file->file.fst, &id);
    if (number == 0)
        return file_problem("LIO", error, &id, false);
    message("LIO", number, 'E', show_id(&id, text));
    return number == 126 ? RC_STORAGE : RC_FORMAT;
}

int module_read_header(struct open_file *file, struct module *module) { return module_read_member(file, 1, module); }

int module_read_member(struct open_file *file, u32 first, struct module *module)
{
    u8 header[HEADER];
    u32 length;
    int error = edf_read(&file->file, first, header, sizeof header, &length);

    if (error == EDF_OK && (length != HEADER || memcmp(header, "MODULE  ", 8) != 0))
        return problem(file, 0, 127);
    if (error != EDF_OK)
        return problem(file, error, 0);
    *module = (struct module){
        .entry = edf_word(header + ENTRY), .origin = edf_word(header + ORIGIN), .length = edf_word(header + LENGTH),
        .relocations = edf_word(header + RELOCATIONS), .symbols = edf_word(header + SYMBOLS),
        .first = first, .flags = header[FLAGS], .modes = header[MODES],
    };
    if (module->length > 0x1000000 || module->entry < module->origin ||
        module->entry - module->origin >= module->length || module->relocations > 0x100000 || module->symbols > 0x10000)
        return problem(file, 0, 126);
    return 0;
}

/* So many bytes from record `*record` on. */
static int read_bytes(struct open_file *file, u32 *record, void *to, u32 size)
{
    u32 done = 0, length;

    while (done < size) {
        int error = edf_read(&file->file, (*record)++, (char *)to + done, size - done, &length);

        if (error != EDF_OK)
            return problem(file, error, 0);
        if (length == 0 || length > size - done)
            return problem(file, 0, 127);
        done += length;
    }
    return 0;
}

/* Loads a module to `at`: elsewhere than where it was made only if it says where its addresses are. */
int module_load(struct open_file *file, const struct module *module, u32 at)
{
    u32 record = module->first + 1, count = module->relocations, *list;
    int code = read_bytes(file, &record, (void *)at, module->length);

    if (code != 0 || at == module->origin)
        return code;
    list = obtain_command(count * 4 + 4);
    code = read_bytes(file, &record, list, count * 4);
    /* Each word: the place in the left 24 bits, less its length minus one, and the sign. */
    for (u32 n = 0; n < count && code == 0; n++) {
        u32 place = list[n] >> 8, length = (list[n] & 3) + 1, value = 0;
        u8 *field = (u8 *)at + place;

        if (place > module->length || length > module->length - place) {
            code = problem(file, 0, 127);
            break;
        }
        for (u32 k = 0; k < length; k++)
            value = value << 8 | field[k];
        value += list[n] & 0x80 ? module->origin - at : at - module->origin;
        for (u32 k = length; k-- > 0; value >>= 8)
            field[k] = (u8)value;
    }
    release(list);
    return code;
}

u32 program_pages(u32 length, u8 modes, enum owner owner)
{
    return (u32)((modes & RMODE_ANY) && (modes & AMODE_31) ? obtain_high_pages(length, owner, USER_KEY)
                                   : obtain_pages(length, owner, USER_KEY, LOW_STORAGE));
}

/* Whether a module lies in pages of its own rather than where it was made. */
bool module_has_pages(const struct module *module)
{
    return !user_storage(module->origin, module->length);
}

/* Loads a module: where it was made, or into pages, which are its caller's then. */
int module_place(struct open_file *file, const struct module *module, enum owner owner, u32 *at)
{
    int code;

    *at = module->origin;
    if (module_has_pages(module)) {
        if (!(module->flags & MODULE_RELOCATABLE))
            return problem(file, 0, 126);
        *at = program_pages(module->length, module->modes, owner);
        if (*at == 0) {
            message("LIO", 109, 'S');
            return RC_STORAGE;
        }
    }
    code = module_load(file, module, *at);
    if (code != 0 && module_has_pages(module))
        (void)release_pages(*at);
    return code;
}

/* A name's address in a module that lies at `at` now; false: it is none that CMS may store at. */
static bool moved(struct symbol *symbol, const struct module *module, u32 at)
{
    u32 offset = symbol->address - module->origin;
    bool section = symbol->kind == SYMBOL_SECTION || symbol->kind == SYMBOL_COMMON;

    if (symbol->kind > SYMBOL_WEAK)
        return false;
    if (module_has_pages(module) && symbol_defined(symbol) && symbol->kind != SYMBOL_PSEUDO) {
        if (offset <= module->length)
            symbol->address = offset + at;
        return !section || symbol->length == 0 ||
            (offset <= module->length && symbol->length <= module->length - offset);
    }
    return !section || symbol->length == 0 || user_storage(symbol->address, symbol->length);
}

/* The names of a module, which lies at `at`, become what is loaded. */
int module_read_map(struct open_file *file, const struct module *module, u32 at)
{
    u32 record = module->first + 1, left = module->length + module->relocations * 4, length;
    int code;

    for (u8 byte; left > 0; left -= length < left ? length : left, record++) {
        int error = edf_read(&file->file, record, &byte, 1, &length);

        if (error != EDF_OK)
            return problem(file, error, 0);
    }
    link_begin(at, module_has_pages(module) ? at + ((module->length + 4095) & ~4095u)
               : at < USER_FIRST ? TRANSIENT_END : USER_END);
    for (u32 n = 0; n < module->symbols; n++)
        if (link_new("        ", SYMBOL_SECTION) == NULL) {
            message("LIO", 116, 'S');
            return RC_STORAGE;
        }
    code = read_bytes(file, &record, loaded_program.symbol, module->symbols * (u32)sizeof(struct symbol));
    /* What is included later is stored where these say. */
    for (u32 n = 0; n < module->symbols && code == 0; n++)
        if (!moved(&loaded_program.symbol[n], module, at))
            code = problem(file, 0, 127);
    if (code != 0) {
        link_forget();
        return code;
    }
    loaded_program.next = at + module->length;
    loaded_program.entry = module->entry - module->origin + at;
    loaded_program.modes = module->modes;
    loaded_program.has_entry = loaded_program.there = true;
    return 0;
}

/* The line in low storage: in addressing mode 24 nothing else can be reached. */
static void lower(const struct call *call, struct eplist *eplist, char low[LINE_ROOM])
{
    bool one = call->line <= call->arguments && call->arguments <= call->end && call->end - call->line <= LINE_ROOM;
    const char *from = one ? call->line : call->arguments;
    u32 length = (u32)(call->end - from);

    length = length < LINE_ROOM ? length : (u32)LINE_ROOM;
    memcpy(low, from, length);
    eplist->command = one ? low : call->token[0];
    eplist->arguments = low + (call->arguments - from);
    eplist->end = low + length;
}

/* Runs a program. `block` is the SCBLOCK of an extension, or 0. */
int run_program_at(u32 entry, u8 modes, u8 key, u32 block, const struct call *call)
{
    struct eplist eplist = { call->line, call->arguments, call->end, 0 };
    bool in_31 = modes & AMODE_31;
    struct frame frame = { .psw = { 0x02080000 | (settings.protect ? (u32)key << 16 : 0), (in_31 ? 0x80000000
        : 0) | entry } };
    u8 *save = (u8 *)SAVE_AREAS + depth * SAVE_AREA;
    struct command_place *command;
    char low[LINE_ROOM];
    u8 mask;
    int code;

    if (depth == DEPTH)
        abend(0x0f4, "Programs call one another too deep");
    memset(save, 0, SAVE_AREA);
    save[CALL_TYPE] = call->type;
    save[CALL_FLAGS] = (u8)((in_31 ? IN_31 : 0) | (block != 0 ? HAS_BLOCK : 0) | (call->type != CALL_TOKENS ? HAS_LINE
        : 0));
    if (!in_31 && (u32)call->end > LOW_STORAGE)
        lower(call, &eplist, low);
    frame.gr[0] = call->plist != 0 ? call->eplist : (u32)&eplist;
    frame.gr[1] = (call->plist != 0 ? call->plist : (u32)call->token) | (in_31 ? 0 : (u32)call->type << 24);
    frame.gr[2] = block;
    frame.gr[12] = frame.gr[15] = entry | (in_31 ? 0x80000000 : 0);
    frame.gr[13] = (u32)save;
    frame.gr[14] = PROGRAM_END | (in_31 ? 0x80000000 : 0);
    depth++;
    command = no_command();
    /* A program ends in an SVC, which leaves the machine disabled. */
    mask = disable();
    code = run_program(&frame);
    restore(mask);
    command_again(command);
    /* What a function returns is read after it. */
    if (settings.clear_each_call && call->type != CALL_FUNCTION)
        release_program_storage(depth);
    depth--;
    paths_after(depth, block != 0);
    return code;
}

u32 programs_running(void) { return depth; }

void forget_programs(void)
{
    depth = 0;
}

/* fn MODULE into storage, for as long as the command runs. */
int module_fetch(const name fn, struct module *module, u32 *at, bool *found)
{
    struct fileid id = { .ft = "MODULE  ", .fm = "* " };
    struct open_file *file;
    int code;

    *found = false;
    memcpy(id.fn, fn, sizeof(name));
    if (!legal_name(id.fn) || file_open(&id, EDF_READ, &file) != EDF_OK)
        return NOT_FOUND;
    *found = true;
    code = module_read_header(file, module);
    if (code == 0)
        code = module_place(file, module, OWNER_COMMAND, at);
    file_finish(file);
    return code;
}

int run_module(const struct call *call, bool *found)
{
    struct module module;
    u32 at = 0;
    int code;

    *found = installation_module(call, &code);
    if (*found)
        return code;
    code = module_fetch(call->token[0], &module, &at, found);
    if (code != 0)
        return code;
    code = run_program_at(module.entry - module.origin + at, module.modes, module.flags & MODULE_SYSTEM ? 0 : USER_KEY,
                          0, call);
    if (module_has_pages(&module))
        (void)release_pages(at);
    return code;
}

/* A command that is fn MODULE, whatever it was called by; `module` says for the message that there is none. */
int run_named_module(const struct call *call, const char *module, const name fn)
{
    name token[TOKENS_MOST + 1];
    struct call made = *call;
    char text[20];
    bool found;
    int code;

    memcpy(token, call->token, (call->count + 1) * sizeof(name));
    memcpy(token[0], fn, sizeof(name));
    made.token = token;
    code = run_module(&made, &found);
    if (found)
        return code;
    format(text, sizeof text, "%t MODULE *", fn);
    message(module, 2, 'E', text);
    return RC_MISSING;
}
