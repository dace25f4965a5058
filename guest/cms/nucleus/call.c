/*
 * Performing a command: where its name is looked for.
 *
 * For what is typed (and ADDRESS CMS): an exec of that name (SET IMPEX), a nucleus extension, the nucleus's commands by their full
 * names, a MODULE; then a synonym or abbreviation of the nucleus's commands, and at last CP (SET IMPCP). A program or ADDRESS
 * COMMAND gets the extensions, the commands and the modules only, by their exact names.
 */
#include "program.h"

enum { STACK_LEFT = 0x4000 };   /* what a command may count on */

static const struct command *built_in(const name token)
{
    for (u32 n = 0; n < command_count; n++)
        if (is(token, commands[n].name))
            return &commands[n];
    return NULL;
}

static const struct command *abbreviated(const name token)
{
    for (u32 n = 0; n < command_count; n++)
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
    *code = found ? command->perform(call) : run_module(call, &found);
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
        short_form = settings.abbrev ? abbreviated(call->token[0]) : NULL;
        if (short_form == NULL)
            return false;
        *code = short_form->perform(call);
        return true;
    }
    memcpy(copy, call->token, (call->count + 1) * sizeof(name));
    memcpy(copy[0], command, sizeof(name));
    renamed.token = copy;
    return (settings.impex && run_exec(&renamed, code)) || by_name(&renamed, code);
}

int perform_tokens(const struct call *call)
{
    char here;
    int code;

    if (&here < stack_limit + STACK_LEFT)
        abend(0x0f4, "Commands call one another too deep");
    if (call->type == CALL_TYPED && settings.impex && run_exec(call, &code))
        return code;
    if (by_name(call, &code))
        return code;
    if (call->type != CALL_TYPED)
        return NOT_FOUND;
    if (by_synonym(call, &code))
        return code;
    if (settings.impcp) {
        code = cp_typed(call->line, (u32)(call->end - call->line));
        if (code != 1)
            return code;
    }
    return NOT_FOUND;
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
