/*
 * Performing a command: where its name is looked for.
 *
 * For what is typed (and ADDRESS CMS): an exec of that name (SET IMPEX), a nucleus extension, the nucleus's commands by
 * their full names, a MODULE; then a synonym or abbreviation of the nucleus's commands, and at last CP (SET IMPCP). A
 * program or ADDRESS COMMAND gets the extensions, the commands and the modules only, by their exact names.
 */
#include "program.h"

enum { STACK_LEFT = 0x4000 };   /* what a command may count on */

/*
 * Where the command that runs goes on, or rather ends, if there is no storage for it; NULL: a program or an exec runs,
 * or nothing.
 */
struct command_place { u32 registers[10]; u32 opened; struct capture *capture; };
static struct command_place *of_command;

/* A program or an exec runs now; command_again() gets what this returns. */
struct command_place *no_command(void)
{
    struct command_place *place = of_command;

    of_command = NULL;
    return place;
}

void command_again(struct command_place *place) { of_command = place; }

void no_storage(void)
{
    if (of_command == NULL)
        abend(0x0f5, NULL);
    come_back(of_command->registers);
}

/* Does the work; when there is no storage for it, it ends with that return code. */
int with_storage(int (*work)(const void *with), const void *with)
{
    struct command_place here = { .opened = files_opened(), .capture = capturing() }, *outer = of_command;
    int code;

    if (mark(here.registers)) {
        files_abandon(here.opened);
        capture_end(here.capture);
        of_command = outer;
        return RC_STORAGE;
    }
    of_command = &here;
    code = work(with);
    of_command = outer;
    return code;
}

struct work { const struct command *command; const struct call *call; };

static int perform_work(const void *with)
{
    const struct work *work = with;

    return work->command->perform(work->call);
}

static int run(const struct command *command, const struct call *call)
{
    struct work work = { command, call };

    return with_storage(perform_work, &work);
}

/* The first command that begins with this letter or with one after it: names are in order, and begin with letters. */
static u32 first_from(char letter)
{
    u32 low = 0, high = command_count;

    while (low < high) {
        u32 middle = (low + high) / 2;

        if ((u8)commands[middle].name[0] < (u8)letter)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct command *built_in(const name token)
{
    for (u32 n = first_from(token[0]); n < command_count && commands[n].name[0] == token[0]; n++)
        if (is(token, commands[n].name))
            return &commands[n];
    return NULL;
}

/* Short forms that are not the beginning of the name. */
static const struct { const char *form, *name; } short_forms[] = {
    { "FL", "FILELIST" }, { "RL", "RDRLIST" }, { "SF", "SENDFILE" },
};

const struct command *command_abbreviated(const name token)
{
    for (u32 n = 0; n < COUNT_OF(short_forms); n++)
        if (is(token, short_forms[n].form)) {
            name full;

            pad(full, sizeof full, short_forms[n].name, (u32)strlen(short_forms[n].name));
            return built_in(full);
        }
    for (u32 n = first_from(token[0]); n < command_count && commands[n].name[0] == token[0]; n++)
        if (abbreviates(token, commands[n].name, commands[n].least))
            return &commands[n];
    return NULL;
}

static bool by_name(const struct call *call, int *code)
{
    struct scblock *extension = extension_find(call->token[0]);
    const struct command *command = built_in(call->token[0]);
    bool found = command != NULL;

    if (extension != NULL) {
        *code = extension_run(extension, call);
        return true;
    }
    *code = found ? run(command, call) : run_module(call, &found);
    return found;
}

/* The typed word stands for another command. */
static bool by_synonym(const struct call *call, int *code)
{
    struct call renamed = *call;
    name copy[TOKENS_MOST + 1];
    name command;
    const struct command *short_form;

    if (!synonym_of(call->token[0], command)) {
        short_form = settings.abbrev ? command_abbreviated(call->token[0]) : NULL;
        if (short_form == NULL)
            return false;
        *code = run(short_form, call);
        return true;
    }
    memcpy(copy, call->token, (call->count + 1) * sizeof(name));
    memcpy(copy[0], command, sizeof(name));
    renamed.token = copy;
    return (settings.impex && run_exec(&renamed, code)) || by_name(&renamed, code);
}

/* False: it is no known command. */
static bool perform_known(const struct call *call, int *code)
{
    if (call->type == CALL_TYPED && settings.impex && run_exec(call, code))
        return true;
    if (by_name(call, code))
        return true;
    if (call->type != CALL_TYPED)
        return false;
    if (by_synonym(call, code))
        return true;
    if (!settings.impcp)
        return false;
    *code = cp_typed(call->line, (u32)(call->end - call->line));
    return *code != 1;
}

/* A command that is there may end with the return code that an unknown one has. */
bool command_unknown;

int perform_tokens(const struct call *call)
{
    char here;
    int code = NOT_FOUND;
    bool known;

    if (&here < stack_limit + STACK_LEFT)
        abend(0x0f4, "Commands call one another too deep");
    known = perform_known(call, &code);
    command_unknown = !known;
    return known ? code : NOT_FOUND;
}

int perform(const char *line, u32 length, u8 type)
{
    name token[TOKENS_MOST + 1];
    struct call call = { .token = token, .line = line, .end = line + length, .type = type };
    const char *at = line;

    while (at < call.end && *at == ' ')
        at++;
    if (at == call.end || *at == '*')
        return 0;
    call.line = at;
    call.count = tokenize(at, (u32)(call.end - at), token);
    if (*at == '(' || *at == ')')
        at++;
    else
        while (at < call.end && *at != ' ' && *at != '(' && *at != ')')
            at++;
    if (at < call.end && *at == ' ')
        at++;
    call.arguments = at;
    return perform_tokens(&call);
}
