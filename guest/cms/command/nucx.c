/*
 * NUCXLOAD, NUCXDROP, NUCXMAP: nucleus extensions from MODULE files, what there is of them, and their end.
 */
#include "command.h"
#include "../nucleus/program.h"

enum { ALREADY = 1 };

int nucxload_command(const struct call *call)
{
    int system = 0, service = 0, immediate = 0, endcmd = 0, permanent = 0, push = 0;
    const struct option known[] = {
        FLAG("SYSTEM", 6, &system, NUCX_SYSTEM), FLAG("SERVICE", 7, &service, NUCX_SERVICE),
        FLAG("IMMCMD", 6, &immediate, NUCX_IMMEDIATE), FLAG("ENDCMD", 6, &endcmd, NUCX_ENDCMD),
        FLAG("PERM", 4, &permanent, NUCX_PERMANENT), FLAG("PUSH", 4, &push, 1),
    };
    struct fileid id = { .ft = "MODULE  ", .fm = "* " };
    struct scblock made = { .mask = 0xc1 };
    u32 words = operands(call), at;
    struct open_file *file;
    struct module module;
    char text[24];
    int error, code = options("NXL", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    if (words < 2 || words > 3) {
        if (words < 2)
            message("NXL", 1, 'E');
        else
            message("NXL", 70, 'E', call->token[3]);
        return RC_SYNTAX;
    }
    memcpy(made.name, call->token[1], sizeof(name));
    if (!push && extension_find(made.name) != NULL)
        return ALREADY;
    memcpy(id.fn, call->token[words - 1], sizeof(name));
    error = file_open(&id, EDF_READ, &file);
    if (error != EDF_OK) {
        id.fm[0] = error == EDF_NOT_FOUND ? ' ' : '*';
        return file_problem("NXL", error, &id, false);
    }
    code = module_read_header(file, &module);
    if (code != 0)
        return code;
    id_of(file->disk, file->file.fst, &id);
    if (!(module.flags & MODULE_RELOCATABLE)) {
        message("NXL", 640, 'E', show_id(&id, text));
        return RC_FORMAT;
    }
    made.flags = (u8)(system | service | immediate | endcmd | permanent);
    made.key = module.flags & MODULE_SYSTEM ? 0 : USER_KEY;
    at = program_pages(module.length, module.modes, OWNER_SYSTEM);
    if (at == 0) {
        message("NXL", 109, 'S');
        return RC_STORAGE;
    }
    code = module_load(file, &module, at);
    (void)file_finish(file);
    made.origin = at;
    made.length = module.length;
    made.entry = (at + module.entry - module.origin) | (module.modes & AMODE_31 ? 0x80000000 : 0);
    if (code == 0 && !extension_add(&made, false)) {
        message("NXL", 109, 'S');
        code = RC_STORAGE;
    }
    if (code != 0)
        (void)release_pages(at);
    return code;
}

int nucxdrop_command(const struct call *call)
{
    u32 words = operands(call);
    int code = 0;

    if (words < 2) {
        message("NXD", 1, 'E');
        return RC_SYNTAX;
    }
    if (is(call->token[1], "*")) {
        for (struct scblock *block = extension_next(NULL), *next; block != NULL; block = next) {
            next = extension_next(block);
            if (!(block->flags & (NUCX_SYSTEM | NUCX_PERMANENT)))
                extension_drop(block, true);
        }
        return 0;
    }
    for (u32 n = 1; n < words; n++) {
        struct scblock *block = extension_find(call->token[n]);

        if (block == NULL) {
            message("NXD", 616, 'W', call->token[n]);
            code = RC_MISSING;
        } else {
            extension_drop(block, true);
        }
    }
    return code;
}

static void extension_line(const struct scblock *block)
{
    static const struct { u8 flag; const char *word; } words[] = {
        { NUCX_SYSTEM, "SYSTEM" }, { NUCX_SERVICE, "SERVICE" }, { NUCX_ENDCMD, "ENDCMD" }, { NUCX_IMMEDIATE, "IMMCMD" },
        { NUCX_PERMANENT, "PERM" },
    };
    char attributes[64] = "";
    u32 length = 0;

    for (u32 n = 0; n < COUNT_OF(words); n++)
        if (block->flags & words[n].flag)
            length += format(attributes + length, sizeof attributes - length, " %s", words[n].word);
    answer("%-8t %08x %08x %08x %08x %-5s%s", block->name, block->entry & 0x7fffffff, block->user, block->origin,
           block->length,
           block->entry >> 31 ? "31" : "24", attributes);
}

int nucxmap_command(const struct call *call)
{
    int where = TO_TERMINAL;
    const struct option known[] = {
        STACK_OPTIONS(&where),
    };
    u32 words = operands(call);
    int code = options("NXM", call, known, COUNT_OF(known));
    bool any = false;

    if (code != 0)
        return code;
    if (words > 2) {
        message("NXM", 70, 'E', call->token[2]);
        return RC_SYNTAX;
    }
    answer_to(where);
    for (struct scblock *block = extension_next(NULL); block != NULL; block = extension_next(block)) {
        if (words > 1 && memcmp(block->name, call->token[1], sizeof(name)) != 0)
            continue;
        if (!any)
            answer("%s", "Name     Entry    Userword Origin   Bytes    Amode (Attributes)");
        any = true;
        extension_line(block);
    }
    answer_to(TO_TERMINAL);
    if (any)
        return 0;
    if (words > 1)
        message("NXM", 616, 'W', call->token[1]);
    else
        message("NXM", 617, 'I');
    return RC_MISSING;
}
