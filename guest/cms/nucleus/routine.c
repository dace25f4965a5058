/*
 * Functions and subroutines of execs that are programs.
 *
 * The function F is the program RXF: a nucleus extension, or after execs of the name F a MODULE file. Before either is
 * looked for, the packages RXUSERFN, RXLOCFN and RXSYSFN are asked (`RXUSERFN LOAD RXF`), if they are there: one that
 * has the function makes the extension RXF and returns 0.
 *
 * The program gets call type X'05' and a list of six words: the name, and after it nothing twice, 0, the address of the
 * arguments (address and length of each, ended by -1, -1; an omitted one is 0, 0), and the address of a word for its
 * result. That is the address of an EVALBLOK: at 8 its length, at 16 the data. All of it is below 16M, whatever its
 * addressing mode. A return code that is not 0 is error 40 of the exec.
 */
#include "program.h"
#include "../rexx/rexx.h"
#include "routine.h"

enum { LOW = 0x00ffffff, MAXIMUM = 1 << 20 };

/* What the program gets. */
struct passed {
    const char *command, *arguments, *end;
    u32 block;
    struct { const char *text; u32 length; } *list;
    u32 *result;
    u32 answer, pad;
    name token[2];
};

static bool is_module(const name fn)
{
    struct fileid id = { .ft = "MODULE  ", .fm = "* " };
    struct disk *disk;
    u8 *fst;

    memcpy(id.fn, fn, sizeof(name));
    return find_file(&id, &disk, &fst);
}

static void ask_packages(const name fn)
{
    static const name packages[] = { "RXUSERFN", "RXLOCFN ", "RXSYSFN " };
    char line[32];

    for (u32 n = 0; n < COUNT_OF(packages) && extension_find(fn) == NULL; n++)
        if (extension_find(packages[n]) != NULL || is_module(packages[n]))
            (void)perform(line, format(line, sizeof line, "%t LOAD %t", packages[n], fn), CALL_COMMAND);
}

/* The lists and the arguments, side by side in low storage. */
static struct passed *pass(const name fn, const struct rexx_arguments *arguments)
{
    u32 size = (u32)sizeof(struct passed) + (arguments->count + 1) * 8 + 8;
    struct passed *passed;
    char *at;

    for (u32 n = 0; n < arguments->count; n++) {
        if (arguments->list[n].length > MAXIMUM)
            return NULL;
        size += arguments->list[n].length;
    }
    passed = obtain_pages(size, OWNER_COMMAND, USER_KEY, LOW);
    if (passed == NULL)
        return NULL;
    memcpy(passed->token[0], fn, sizeof(name));
    memset(passed->token[1], 0xff, sizeof(name));
    passed->list = (void *)(passed + 1);
    passed->result = &passed->answer;
    at = (char *)(passed->list + arguments->count + 1);
    for (u32 n = 0; n < arguments->count; n++) {
        const struct rexx_text *text = &arguments->list[n];

        if (text->text == NULL)
            continue;
        passed->list[n].text = at;
        passed->list[n].length = text->length;
        memcpy(at, text->text, text->length);
        at += text->length;
    }
    passed->list[arguments->count].text = (const char *)0xffffffff;
    passed->list[arguments->count].length = 0xffffffff;
    passed->command = passed->token[0];
    passed->arguments = passed->end = passed->token[0] + name_length(fn);
    return passed;
}

enum rexx_outcome call_routine(struct rexx *rexx, enum rexx_search when, const struct rexx_text *wanted,
                               const struct rexx_arguments *arguments)
{
    enum rexx_outcome outcome = REXX_DONE;
    struct scblock *extension;
    struct passed *passed;
    name fn = "RX      ";
    bool found = true;
    u32 at;
    int code;

    for (u32 n = 0; n < wanted->length && n < sizeof fn - 2; n++)
        fn[n + 2] = upper(wanted->text[n]);
    if (when == REXX_BEFORE_EXECS)
        ask_packages(fn);
    extension = extension_find(fn);
    if (when == REXX_BEFORE_EXECS ? extension == NULL : !is_module(fn))
        return REXX_NOT_FOUND;
    passed = pass(fn, arguments);
    if (passed == NULL)
        return REXX_NO_STORAGE;
    struct call call = {
        .token = passed->token, .count = 1, .line = passed->command, .arguments = passed->arguments, .end = passed->end,
        .type = CALL_FUNCTION, .plist = (u32)passed->token, .eplist = (u32)passed,
    };
    code = extension != NULL ? extension_run(extension, &call) : run_module(&call, &found);
    at = passed->answer & 0x7fffffff;
    if (code != 0) {
        outcome = REXX_BAD_CALL;
    } else if (at != 0) {
        u32 room = storage_bytes() - 16, length = at < room ? ((u32 *)at)[2] : MAXIMUM + 1;

        if (length > MAXIMUM || length > room - at)
            outcome = REXX_FAILED;
        else if (!rexx_reply(rexx, (const char *)at + 16, length))
            outcome = REXX_NO_STORAGE;
        (void)release_pages(at);
    }
    (void)release_pages((u32)passed);
    return outcome;
}
