/*
 * The table of commands: full name, shortest form, function, syntax and what HELP says, all from help/cms.txt.
 * description/src/lib.rs says how that is written. Of two that one abbreviation could mean the first is taken.
 */
#include "command.h"

#define COMMAND(name, least, function, syntax, purpose) { name, least, function, syntax, purpose },
const struct command commands[] = {
#include "commands.h"
};

const u32 command_count = COUNT_OF(commands);
