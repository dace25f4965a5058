/*
 * Nucleus extensions and subcommand environments: programs that stay in storage and are called by name.
 *
 * A nucleus extension is found before the nucleus's own commands, the newest first; a subcommand environment gets what
 * execs ADDRESS to its name, and what programs say with call type 02. Both are described by an SCBLOCK, which the
 * program finds at register 2. One with SERVICE is told of an abend (PURGE) and of its end (RESET), one with ENDCMD of
 * the end of every command that was typed, one with IMMCMD is called when its name is typed while something runs. An
 * abend leaves only those with SYSTEM.
 */
#include "program.h"

enum { CALL_IMMEDIATE = 0x06, CALL_END_COMMAND = 0xfe, CALL_SERVICE = 0xff };
enum { CANCEL = 0 };
#define QUERY 0xffffffffu

static struct scblock *extensions, *subcommands;
/* Told of something just now: it must not be told again if it fails. */
static struct scblock *in_service;

static struct scblock *find(struct scblock *list, const name wanted)
{
    while (list != NULL && memcmp(list->name, wanted, sizeof(name)) != 0)
        list = list->chain;
    return list;
}

struct scblock *extension_find(const name wanted) { return find(extensions, wanted); }
struct scblock *subcommand_find(const name wanted) { return find(subcommands, wanted); }
bool subcommand_is_there(const name environment) { return find(subcommands, environment) != NULL; }
struct scblock *extension_next(struct scblock *before) { return before == NULL ? extensions : before->chain; }

bool extension_add(const struct scblock *what, bool subcommand)
{
    struct scblock **list = subcommand ? &subcommands : &extensions, *block = obtain(sizeof *block, OWNER_SYSTEM);

    if (block == NULL)
        return false;
    *block = *what;
    block->chain = *list;
    *list = block;
    return true;
}

static bool unchain(struct scblock **list, struct scblock *block)
{
    while (*list != NULL && *list != block)
        list = &(*list)->chain;
    if (*list == NULL)
        return false;
    *list = block->chain;
    return true;
}

int extension_run(struct scblock *block, const struct call *call)
{
    return run_program_at(block->entry & 0x7fffffff, block->entry >> 31 ? AMODE_31 : AMODE_24, block->key & 0xf0,
                          (u32)block, call);
}

static int tell(struct scblock *block, u8 type, const char *what)
{
    name token[3];
    struct call call = { .token = token, .count = what == NULL ? 1 : 2, .type = type };
    char line[24];
    struct scblock *outer = in_service;
    int code;

    memcpy(token[0], block->name, sizeof(name));
    memset(token[1], 0xff, sizeof(name));
    if (what != NULL) {
        pad(token[1], sizeof(name), what, (u32)strlen(what));
        memset(token[2], 0xff, sizeof(name));
    }
    call.line = line;
    call.end = line + format(line, sizeof line, what != NULL ? "%t %s" : "%t", block->name, what);
    call.arguments = line + name_length(block->name) + (what != NULL);
    in_service = block;
    code = extension_run(block, &call);
    in_service = outer;
    return code;
}

/* Ends an extension; with `reset` it is told, if it wants that. */
void extension_drop(struct scblock *block, bool reset)
{
    if (reset && block->flags & NUCX_SERVICE && block != in_service)
        tell(block, CALL_SERVICE, "RESET");
    if (!unchain(&extensions, block))
        return;
    /* What was not obtained here (an extension's own place in the user area) is not released. */
    if (block->length != 0)
        (void)release_pages(block->origin);
    release(block);
}

void extensions_end_command(void)
{
    for (struct scblock *block = extensions, *next; block != NULL; block = next) {
        next = block->chain;
        if (block->flags & NUCX_ENDCMD && block != in_service)
            tell(block, CALL_END_COMMAND, NULL);
    }
}

void extensions_after_abend(void)
{
    struct scblock *failed = in_service;

    in_service = NULL;
    forget_programs();
    /* A nucleus extension that failed in its service call is dropped; there is no other way to make progress. */
    if (failed != NULL)
        extension_drop(failed, false);
    for (struct scblock *block = extensions, *next; block != NULL; block = next) {
        next = block->chain;
        if (block->flags & NUCX_SERVICE)
            tell(block, CALL_SERVICE, "PURGE");
    }
    for (struct scblock *block = extensions, *next; block != NULL; block = next) {
        next = block->chain;
        if (!(block->flags & NUCX_SYSTEM))
            extension_drop(block, false);
    }
    for (struct scblock **at = &subcommands; *at != NULL;) {
        struct scblock *block = *at;

        if (block->flags & NUCX_SYSTEM) {
            at = &block->chain;
            continue;
        }
        *at = block->chain;
        release(block);
    }
}

/* What an exec says to an environment that is no part of CMS. */
int subcommand(const char *environment, u32 length, const char *text, u32 text_length)
{
    name token[2];
    struct call call = { .token = token, .count = 1, .type = CALL_SUBCOMMAND };
    struct scblock *block;
    int code;

    if (length > sizeof(name))
        return NOT_FOUND;
    pad(token[0], sizeof(name), environment, length);
    memset(token[1], 0xff, sizeof(name));
    if (is(token[0], "XEDIT") && xedit_environment(text, text_length, &code))
        return code;
    block = find(subcommands, token[0]);
    if (block == NULL)
        return NOT_FOUND;
    call.line = token[0];
    call.arguments = text;
    call.end = text + text_length;
    return extension_run(block, &call);
}

/* An immediate command that is an extension; false: it is none. */
bool extension_immediate(const char *line, u32 length, const name wanted)
{
    struct scblock *block = find(extensions, wanted);
    name token[TOKENS_MOST + 1];
    struct call call = { .token = token, .line = line, .arguments = line, .end = line + length, .type =
        CALL_IMMEDIATE };

    while (block != NULL && !(block->flags & NUCX_IMMEDIATE))
        block = find(block->chain, wanted);
    if (block == NULL)
        return false;
    call.count = tokenize(line, length, token);
    while (call.arguments < call.end && *call.arguments == ' ')
        call.arguments++;
    while (call.arguments < call.end && *call.arguments != ' ')
        call.arguments++;
    if (call.arguments < call.end)
        call.arguments++;
    /* HI is for all that run. */
    for (struct scblock *next; block != NULL; block = is(wanted, "HI") ? find(next, wanted) : NULL) {
        next = block->chain;
        if (block->flags & NUCX_IMMEDIATE)
            extension_run(block, &call);
    }
    return true;
}

/*
 * NUCEXT and SUBCOM as functions: name, the left half of a PSW, entry, user word, and of extensions origin and length.
 * The entry 0 ends it, -1 asks for the SCBLOCK, which register 1 gets.
 */
int extension_function(u8 *plist, u32 *register_1, bool subcommand)
{
    struct scblock **list = subcommand ? &subcommands : &extensions, *old;
    struct scblock made = { .mask = plist[16], .key = plist[17], .flags = plist[18], .user_flags = plist[19],
                            .entry = edf_word(plist + 20), .user = edf_word(plist + 24) };

    memcpy(made.name, plist + 8, sizeof(name));
    old = find(*list, made.name);
    if (made.entry == CANCEL || made.entry == QUERY) {
        if (old == NULL)
            return 1;
        if (made.entry == QUERY) {
            *register_1 = (u32)old;
        } else if (subcommand) {
            unchain(list, old);
            release(old);
        } else {
            extension_drop(old, false);
        }
        return 0;
    }
    if (!subcommand) {
        made.origin = edf_word(plist + 28);
        made.length = edf_word(plist + 32);
    }
    if (made.key != 0 || !(made.flags & NUCX_SYSTEM))
        made.key = USER_KEY;
    return extension_add(&made, subcommand) ? 0 : 25;
}
