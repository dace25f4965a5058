/* ROUTE: which virtual screen gets what comes of a class. */
#include "window.h"

const char *const class_names[CLASSES] = { "CMS", "CP", "MESSAGE", "WARNING", "NETWORK", "SCIF" };
const u8 class_least[CLASSES] = { 3, 2, 3, 3, 3, 2 };

void routes_begin(void)
{
    static const char *const screens[CLASSES] = { "CMS", "CMS", "MESSAGE", "WARNING", "NETWORK", "MESSAGE" };

    for (u32 n = 0; n < CLASSES && !here.routes_set; n++) {
        pad(here.route[n].vscreen, sizeof(name), screens[n], (u32)strlen(screens[n]));
        here.route[n].alarm = n == CLASS_WARNING;
        here.route[n].notify = n == CLASS_MESSAGE || n == CLASS_NETWORK || n == CLASS_WARNING || n == CLASS_SCIF;
    }
    here.routes_set = true;
}

/* class|* TO v [( ALARM NOALARM NOTIFY NONOTIFY */
int route_command_of(const struct call *call, u32 n)
{
    int alarm = -1, notify = -1, code;
    const struct option known[] = {
        FLAG("ALARM", 2, &alarm, true), FLAG("NOALARM", 4, &alarm, false), FLAG("NOTIFY", 3, &notify, true),
        FLAG("NONOTIFY", 5, &notify, false),
    };
    struct vscreen *screen;
    u32 class = 0;
    bool all;

    routes_begin();
    if (operands(call) < n + 3)
        return missing();
    all = is(call->token[n], "*");
    while (!all && class < CLASSES && !abbreviates(call->token[n], class_names[class], class_least[class]))
        class++;
    if (class == CLASSES)
        return bad_word(call->token[n]);
    if (!is(call->token[n + 1], "TO"))
        return bad_word(call->token[n + 1]);
    if (operands(call) > n + 3)
        return unexpected(call->token[n + 3]);
    screen = vscreen_operand(call, n + 2, &code);
    if (screen == NULL)
        return code;
    code = options("WIN", call, known, COUNT_OF(known));
    if (code != 0)
        return code;
    for (u32 k = all ? 0 : class; k < CLASSES && (all || k == class); k++) {
        struct route *route = &here.route[k];

        memcpy(route->vscreen, screen->name, sizeof(name));
        route->alarm = alarm >= 0 ? alarm : route->alarm;
        route->notify = notify >= 0 ? notify : route->notify;
    }
    return 0;
}
