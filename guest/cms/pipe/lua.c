/*
 * LUA, the stage: LUA MODULE is loaded and run, and what it asks for is performed (command/lua.c).
 *
 * The program runs on the stage's stack, as far as interruptions and its requests are concerned; its own stack is the
 * program's. While it runs, `kernel_stack` is the stage's, and while anything else does, what it was before: so any
 * number of stages may be in the middle of a program. What has to do with CMS is done on the stack where PIPE was
 * called.
 */
#include "../nucleus/pipes.h"
#include "../nucleus/program.h"
#include "drive.h"

enum { CALL_TYPE = 0x60, SAVE_WORDS = 0x68 / 4 };

struct errand { struct request *request; int code; };

static void perform_there(void *with)
{
    struct errand *errand = with;

    errand->code = lua_perform(errand->request);
}

static int request_of_stage(struct guest *guest, struct request *request)
{
    struct stage *s = guest->stage;
    struct errand errand = { request, 0 };
    struct text record;
    int code;

    switch (request->service) {
    case SERVICE_PEEK:
        code = stage_peek(s, &record);
        request->word[0] = (u32)record.at;
        request->word[1] = record.length;
        return code;
    case SERVICE_CONSUME:
        return stage_consume(s);
    case SERVICE_OUTPUT:
        return stage_output(s, (const char *)request->word[0], request->word[1]);
    case SERVICE_PIPE:
        return pipe_order(s, (struct text){ (const char *)request->word[0], request->word[1] });
    default:
        aside(s, perform_there, &errand);
        return errand.code;
    }
}

/* LUA fn arguments. */
int lua_stage(struct stage *s, struct text arguments)
{
    static const name words[2] = { "LUA     ", { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff } };
    struct guest *guest = stage_obtain(s, sizeof *guest);
    u32 *save = stage_obtain(s, SAVE_WORDS * 4);
    const char *line[4] = { arguments.at, arguments.at, arguments.at + arguments.length, NULL };
    struct frame frame = { .psw = { 0x02080000 | (settings.protect ? USER_KEY << 16 : 0), 0 } };
    struct module module;
    bool found;
    u32 at;
    int code;

    skip_blanks(&arguments);
    if (arguments.length == 0)
        return stage_error(s, 113);
    *guest = (struct guest){ .stage = s, .obtain = stage_try, .release = stage_release, .perform = request_of_stage };
    stage_at_end(s, lua_let_go, guest);
    code = module_fetch(lua_module, &module, &at, &found);
    if (code != 0)
        return found ? code : lua_absent();
    if (module_has_pages(&module)) {
        guest->held = stage_obtain(s, sizeof *guest->held);
        *guest->held = (struct held){ NULL, at };
    }
    memset(save, 0, SAVE_WORDS * 4);
    ((u8 *)save)[CALL_TYPE] = CALLED_AS_STAGE;
    frame.psw[1] = frame.gr[12] = frame.gr[15] = 0x80000000 | (module.entry - module.origin + at);
    frame.gr[0] = (u32)line;
    frame.gr[1] = (u32)words;
    frame.gr[13] = (u32)save;
    frame.gr[14] = 0x80000000 | PROGRAM_END;
    /* Where filters begin. */
    if (stage_commit(s, -1) != 0)
        return 0;
    (void)disable();
    guest->outer = kernel_stack;
    lua_guest = guest;
    code = run_program(&frame);
    lua_guest = NULL;
    enable();
    return code;
}
