/* IDENTIFY: the userid, the node and the time. */
#include "command.h"

/* The day of the week of a date of the Gregorian calendar (Zeller). */
static const char *weekday(u32 year, u32 month, u32 day)
{
    static const char *const names[] = { "SATURDAY", "SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY" };

    if (month < 3) {
        month += 12;
        year--;
    }
    return names[(day + 13 * (month + 1) / 5 + year + year / 4 - year / 100 + year / 400) % 7];
}

/* The node: the second word after AT of CP's QUERY USERID. */
void node_of(name node)
{
    static const char command[] = "QUERY USERID";
    char response[80];
    u32 room = sizeof response;
    name token[TOKENS_MOST + 1];

    memset(node, ' ', sizeof(name));
    if (cp(command, sizeof command - 1, response, &room) == 0 && !(room & 0x80000000u) && room > 0 &&
        tokenize(response, room - 1, token) > 2)
        memcpy(node, token[2], sizeof(name));
}

int identify_command(const struct call *call)
{
    int where = TO_TERMINAL, code;
    const struct option known[] = {
        FLAG("STACK", 2, &where, TO_STACK_FIFO), FLAG("FIFO", 1, &where, TO_STACK_FIFO),
        FLAG("LIFO", 1, &where, TO_STACK_LIFO), FLAG("TYPE", 1, &where, TO_TERMINAL),
    };
    struct moment at;
    name userid, node;

    code = options("IDE", call, known, COUNT_OF(known));
    if (code != 0)
        return code;
    if (operands(call) > 1) {
        message("IDE", 70, 'E', call->token[1]);
        return RC_SYNTAX;
    }
    now(&at);
    identification(userid);
    node_of(node);
    answer_to(where);
    answer("%-8t AT %-8t VIA %-8s %02u/%02u/%02u %02u:%02u:%02u %-8s %s", userid, node, "RSCS", at.month, at.day,
           at.year % 100,
           at.hour, at.minute, at.second, "LOCAL", weekday(at.year, at.month, at.day));
    answer_to(TO_TERMINAL);
    return 0;
}
