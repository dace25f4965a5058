/*
 * Programs by name, for LOAD, LINK, XCTL, ATTACH and DELETE: what the command LOAD or INCLUDE has put into storage, or
 * a member of a LOADLIB that GLOBAL names, or a MODULE, or decks (a TEXT file, a member of a TXTLIB that GLOBAL names)
 * in pages of its own, where it stays until DELETE, or the command ends.
 */
#include "../nucleus/library.h"
#include "../nucleus/program.h"
#include "os.h"

struct brought { struct brought *chain; name name; u32 at, entry, length, users; };

static struct brought *brought;

void os_programs_forget(void) { brought = NULL; }

static struct brought *known(const name wanted)
{
    struct brought *found = brought;

    while (found != NULL && memcmp(found->name, wanted, sizeof(name)) != 0)
        found = found->chain;
    return found;
}

/* A module into pages: where it was made may be the program that asks for it. */
static bool fetch_from(struct open_file *file, u32 first, struct module *module, u32 *at)
{
    bool good = module_read_member(file, first, module) == 0 && (module->flags & MODULE_RELOCATABLE) != 0;

    *at = good ? program_pages(module->length, module->modes, OWNER_COMMAND) : 0;
    good = *at != 0 && module_load(file, module, *at) == 0;
    (void)file_finish(file);
    return good;
}

static bool fetch(const name wanted, struct module *module, u32 *at)
{
    struct fileid id = { .ft = "MODULE  ", .fm = "* " };
    struct open_file *file;

    memcpy(id.fn, wanted, sizeof(name));
    return legal_name(id.fn) && file_open(&id, EDF_READ, &file) == EDF_OK && fetch_from(file, 1, module, at);
}

/* The first of the LOADLIBs that GLOBAL names that has it. */
static bool fetch_member(const name wanted, struct module *module, u32 *at)
{
    const struct globals *list = &globals[OF_LOADLIB];
    struct fileid id = { .ft = "LOADLIB ", .fm = "* " };
    struct library library;
    struct member member;

    for (u32 n = 0; n < list->count; n++) {
        memcpy(id.fn, list->name[n], sizeof(name));
        if (library_open(&id, &library) != EDF_OK)
            continue;
        if (library_find(&library, wanted, &member))
            return fetch_from(library.file, member.first, module, at);
        (void)file_finish(library.file);
    }
    return false;
}

/* The decks from `first` on, `most` bytes at the most. What the loader has in storage already is used by its names. */
static int link_at(const name wanted, u32 first, u32 most, bool measured, const struct loaded_program *there)
{
    struct link_options how = { .duplicates = false, .replace = true, .automatic = true, .libraries = true };
    int code;

    link_begin(first, first + most);
    loaded_program.measured = measured;
    for (u32 n = 0; n < there->symbols; n++) {
        const struct symbol *old = &there->symbol[n];
        struct symbol *symbol = symbol_defined(old) && old->kind != SYMBOL_PSEUDO && old->name[0] != ' '
            ? link_new(old->name, SYMBOL_ENTRY) : NULL;

        if (symbol != NULL) {
            symbol->address = old->address;
            symbol->modes = old->modes;
        }
    }
    code = link_name(wanted, &how);
    if (code == -1)
        code = link_member(wanted, &globals[OF_TXTLIB], &how);
    return code == -1 || code > 4 ? code : link_complete(&how);
}

/* Decks of that name into pages: first they are measured. What the command LOAD has loaded stays what is loaded. */
static bool fetch_decks(const name wanted, struct brought *made)
{
    enum { SOMEWHERE = 0x1000, MOST = 0x7fffe000 };
    struct loaded_program there = loaded_program;
    bool halted = halted_typing();
    int code;

    memset(&loaded_program, 0, sizeof loaded_program);
    halt_typing(true);
    code = link_at(wanted, SOMEWHERE, MOST, true, &there);
    halt_typing(halted);
    made->length = loaded_program.next - loaded_program.first;
    made->at = code == -1 || code > 4 ? 0 : program_pages(made->length, loaded_program.modes, OWNER_COMMAND);
    if (made->at != 0)
        code = link_at(wanted, made->at, (made->length + 4095) & ~4095u, false, &there);
    if (made->at != 0 && code > 4) {
        (void)release_pages(made->at);
        made->at = 0;
    }
    made->entry = loaded_program.entry | (loaded_program.modes & AMODE_31 ? 0x80000000 : 0);
    link_forget();
    loaded_program = there;
    return made->at != 0;
}

static bool fetch_module(const name wanted, struct brought *made)
{
    struct module module;

    if (!fetch_member(wanted, &module, &made->at) && !fetch(wanted, &module, &made->at))
        return false;
    made->length = module.length;
    made->entry = (module.entry - module.origin + made->at) | (module.modes & AMODE_31 ? 0x80000000 : 0);
    return true;
}

/* The entry has bit 0 for addressing mode 31. False: there is none of that name. */
bool os_load(const name wanted, u32 *entry, u32 *length)
{
    struct brought *found = known(wanted);
    struct symbol *symbol = loaded_program.there ? link_find(wanted) : NULL;
    struct brought made = { 0 };

    if (found == NULL && symbol != NULL && symbol_defined(symbol)) {
        *entry = symbol->address | (symbol->modes & AMODE_31 ? 0x80000000 : 0);
        *length = symbol->length;
        return true;
    }
    if (found == NULL) {
        if (!fetch_module(wanted, &made) && !fetch_decks(wanted, &made))
            return false;
        found = obtain_command(sizeof *found);
        *found = made;
        found->chain = brought;
        memcpy(found->name, wanted, sizeof(name));
        brought = found;
    }
    found->users++;
    *entry = found->entry;
    *length = found->length;
    return true;
}

/* False: LOAD has not brought it. */
bool os_delete(const name wanted)
{
    struct brought *found = known(wanted), **at = &brought;

    if (found == NULL)
        return false;
    if (--found->users > 0)
        return true;
    while (*at != found)
        at = &(*at)->chain;
    *at = found->chain;
    (void)release_pages(found->at);
    release(found);
    return true;
}
