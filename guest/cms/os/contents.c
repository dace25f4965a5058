/*
 * Programs by name, for LOAD, LINK, XCTL, ATTACH and DELETE: what the command LOAD or INCLUDE has put into storage, or
 * a MODULE in pages of its own, where it stays until DELETE, or the command ends.
 */
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
static bool fetch(const name wanted, struct module *module, u32 *at)
{
    struct fileid id = { .ft = "MODULE  ", .fm = "* " };
    struct open_file *file;
    bool good;

    memcpy(id.fn, wanted, sizeof(name));
    if (!legal_name(id.fn) || file_open(&id, EDF_READ, &file) != EDF_OK)
        return false;
    good = module_read_header(file, module) == 0 && (module->flags & MODULE_RELOCATABLE) != 0;
    *at = good ? program_pages(module->length, module->modes, OWNER_COMMAND) : 0;
    good = *at != 0 && module_load(file, module, *at) == 0;
    (void)file_finish(file);
    return good;
}

/* The entry has bit 0 for addressing mode 31. False: there is none of that name. */
bool os_load(const name wanted, u32 *entry, u32 *length)
{
    struct brought *found = known(wanted);
    struct symbol *symbol = loaded_program.there ? link_find(wanted) : NULL;
    struct module module;
    u32 at;

    if (found == NULL && symbol != NULL && symbol_defined(symbol)) {
        *entry = symbol->address | (symbol->modes & AMODE_31 ? 0x80000000 : 0);
        *length = symbol->length;
        return true;
    }
    if (found == NULL) {
        if (!fetch(wanted, &module, &at))
            return false;
        found = obtain_command(sizeof *found);
        *found = (struct brought){ .chain = brought, .at = at, .length = module.length,
                                   .entry = (module.entry - module.origin + at) |
                                            (module.modes & AMODE_31 ? 0x80000000 : 0) };
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
