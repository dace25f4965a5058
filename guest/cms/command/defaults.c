/*
 * DEFAULTS: the options that a command has without being told.
 *
 *   DEFAULTS SET command option... | LIST [command]
 *
 * They are lasting variables of the group DEFAULTS (GLOBALV), one a command. A command that obeys them looks its
 * options up by options_of(), which begins with those; SET asks the command itself whether they are right.
 */
#include "command.h"

static const name group = "DEFAULTS";

/* What obeys defaults, and what it does without any. */
static const struct { const char *command, *usual; } known[] = {
    { "BROWSE", "PROFILE PROFBRWS" }, { "FILELIST", "PROFILE PROFFLST STATS" }, { "HELP", "DETAIL SCREEN TYPE" },
    { "MACLIST", "PROFILE PROFMLST" }, { "NOTE", "LONG LOG NOACK NOTEBOOK ALL" },
    { "PEEK", "FROM 1 FOR 200 PROFILE PROFPEEK" }, { "RDRLIST", "PROFILE PROFRLST" }, { "RECEIVE", "NOREPLACE LOG" },
    { "SENDFILE", "TYPE LOG NOACK" }, { "VMLINK", "TYPE" },
};

static bool checking;

enum { CHECKED = -0x7fff };

int options_of(const char *command, const char *module, const struct call *call, const struct option *table, u32 count)
{
    name token[TOKENS_MOST + 1];
    struct call first = { .token = token };
    const char *text;
    char line[LINE_MOST + 2];
    u32 length;
    int code;

    if (checking) {
        code = options(module, call, table, count);
        return code != 0 ? code : CHECKED;
    }
    if (globalv_value(group, command, (u32)strlen(command), &text, &length) && length < LINE_MOST) {
        line[0] = '(';
        memcpy(line + 1, text, length);
        first.count = tokenize(line, length + 1, token);
        code = options(module, &first, table, count);
        if (code != 0)
            return code;
    }
    return options(module, call, table, count);
}

/* The command with this name or abbreviation, if it obeys defaults; its number among the known, or -1. */
static int number_of(const name word)
{
    const struct command *command = command_abbreviated(word);

    for (u32 k = 0; command != NULL && k < COUNT_OF(known); k++)
        if (strcmp(known[k].command, command->name) == 0)
            return (int)k;
    return -1;
}

/* Asks the command whether these are options of its own. */
static int check(const char *command, const struct call *call)
{
    name token[TOKENS_MOST + 1];
    struct call asked = { .token = token, .line = "", .arguments = "", .type = CALL_TYPED };
    int code = 0;

    asked.end = asked.arguments;
    pad(token[0], sizeof(name), command, (u32)strlen(command));
    memcpy(token[1], "(       ", sizeof(name));
    asked.count = 2;
    for (u32 n = 3; n < call->count; n++)
        memcpy(token[asked.count++], call->token[n], sizeof(name));
    memset(token[asked.count], 0xff, sizeof(name));
    checking = true;
    for (u32 n = 0; n < command_count; n++)
        if (strcmp(commands[n].name, command) == 0)
            code = commands[n].perform(&asked);
    checking = false;
    return code == CHECKED ? 0 : code;
}

static int set(const struct call *call, const char *command)
{
    char line[LINE_MOST];
    u32 length = 0;
    int code;

    if (call->count < 4) {
        message("DEF", 50, 'E', call->token[2]);
        return RC_SYNTAX;
    }
    code = check(command, call);
    if (code != 0)
        return code;
    for (u32 n = 3; n < call->count; n++) {
        if (length + sizeof(name) + 1 >= sizeof line) {
            message("DEF", 2067, 'E', call->token[n], LINE_MOST);
            return RC_SYNTAX;
        }
        length += format(line + length, (u32)sizeof line - length, n == 3 ? "%t" : " %t", call->token[n]);
    }
    return globalv_lasting(group, command, (u32)strlen(command), line, length);
}

static void list(u32 n)
{
    const char *text = known[n].usual;
    u32 length = (u32)strlen(text);
    char line[LINE_MOST + 16];
    u32 at = format(line, sizeof line, "%-8s ", known[n].command);

    (void)globalv_value(group, known[n].command, (u32)strlen(known[n].command), &text, &length);
    length = length < LINE_MOST ? length : LINE_MOST;
    memcpy(line + at, text, length);
    type_line(line, at + length);
}

int defaults_command(const struct call *call)
{
    int which = -1;
    bool setting;

    if (call->count < 2) {
        message("DEF", 47, 'E');
        return RC_SYNTAX;
    }
    setting = abbreviates(call->token[1], "SET", 1);
    if (!setting && !abbreviates(call->token[1], "LIST", 1)) {
        message("DEF", 14, 'E', call->token[1]);
        return RC_SYNTAX;
    }
    if (call->count > 2 && (which = number_of(call->token[2])) < 0) {
        message("DEF", 70, 'E', call->token[2]);
        return RC_SYNTAX;
    }
    if (setting && which < 0) {
        message("DEF", 50, 'E', call->token[1]);
        return RC_SYNTAX;
    }
    if (setting)
        return set(call, known[which].command);
    if (call->count > 3) {
        message("DEF", 70, 'E', call->token[3]);
        return RC_SYNTAX;
    }
    for (u32 n = 0; n < COUNT_OF(known); n++)
        if (which < 0 || n == (u32)which)
            list(n);
    return 0;
}
