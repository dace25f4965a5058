/* SET: how CMS behaves; what it does not know is CP's. */
#include "command.h"

static const struct { const char *word; u32 least; bool *value; const char *yes, *no; } switches[] = {
    { "ABBREV", 3, &settings.abbrev, "ON", "OFF" }, { "AUTOREAD", 4, &settings.autoread, "ON", "OFF" },
    { "EXECTRAC", 5, &settings.exectrac, "ON", "OFF" }, { "IMPCP", 4, &settings.impcp, "ON", "OFF" },
    { "IMPEX", 4, &settings.impex, "ON", "OFF" }, { "RDYMSG", 3, &settings.short_ready, "SMSG", "LMSG" },
    { "INSTSEG", 4, &settings.instseg, "ON", "OFF" }, { "RELPAGE", 3, &settings.relpage, "ON", "OFF" }, { "CMSTYPE", 4, NULL, "HT", "RT" },
};

int set_command(const struct call *call)
{
    u32 words = operands(call);
    int code;

    if (words < 2) {
        message("SET", 47, 'E');
        return RC_SYNTAX;
    }
    for (u32 n = 0; n < COUNT_OF(switches); n++) {
        bool yes;

        if (!abbreviates(call->token[1], switches[n].word, switches[n].least))
            continue;
        if (words < 3) {
            message("SET", 50, 'E', call->token[1]);
            return RC_SYNTAX;
        }
        yes = abbreviates(call->token[2], switches[n].yes, switches[n].value == &settings.short_ready ? 1 : 2);
        if (!yes && !abbreviates(call->token[2], switches[n].no, switches[n].value == &settings.short_ready ? 1 : 2)) {
            message("SET", 70, 'E', call->token[2]);
            return RC_SYNTAX;
        }
        if (words > 3) {
            message("SET", 70, 'E', call->token[3]);
            return RC_SYNTAX;
        }
        if (switches[n].value != NULL)
            *switches[n].value = yes;
        else
            halt_typing(yes);
        return 0;
    }
    code = cp_typed(call->line, (u32)(call->end - call->line));
    if (code == 1)
        message("SET", 14, 'E', call->token[1]);
    return code;
}
