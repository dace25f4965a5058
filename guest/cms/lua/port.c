/* Where Lua begins and ends, and what it asks of CMS. */
#include "port.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lstate.h"

#include "lua.h"

enum { LINE_MOST = 255, RC_STORAGE = 104, ABANDONED = 40 };

struct port *port;

int *port_error(void) { return &port->error; }

int ask(struct request *request)
{
    struct port *mine = port;
    int code = svc_request(request);

    port = mine;
    return code;
}

void say(const char *text, size_t length)
{
    do {
        size_t part = length < LINE_MOST ? length : LINE_MOST;
        struct request request = { SERVICE_TYPE, { (u32)text, (u32)part } };

        (void)ask(&request);
        text += part;
        length -= part;
    } while (length > 0);
}

int command(const char *text, size_t length, u8 type)
{
    struct request request = { SERVICE_COMMAND, { (u32)text, (u32)length, type } };

    terminal_flush();
    return ask(&request);
}

void message(const char *module, u32 number, char severity, ...)
{
    struct request request = { SERVICE_MESSAGE, { number, (u32)severity } };
    va_list list;

    (void)module;
    va_start(list, severity);
    for (u32 n = 2; n < 5; n++)
        request.word[n] = va_arg(list, u32);
    va_end(list);
    (void)ask(&request);
}

/* ---- HI ---- */

static void stop(lua_State *state, lua_Debug *where)
{
    (void)where;
    lua_pushliteral(state, "halted by HI");
    lua_error(state);
}

static void stop_soon(lua_State *state)
{
    lua_sethook(state, stop, LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT, 1);
}

/* At any moment: Lua looks at hooks by itself. Which of its threads runs it does not say. */
void port_halted(struct port *of);

void port_halted(struct port *of)
{
    if (of->state == NULL)
        return;
    stop_soon(G(of->state)->mainthread);
    for (GCObject *object = G(of->state)->allgc; object != NULL; object = object->next)
        if (object->tt == LUA_VTHREAD)
            stop_soon(gco2th(object));
}

static void halt_entry(bool wanted)
{
    struct request request = { SERVICE_HALT, { wanted ? (u32)halt_typed : 0, (u32)port } };

    (void)ask(&request);
}

/* ---- the beginning and the end ---- */

/* From start.S: the addresses of a line, its arguments and its end, the type of call. */
int port_main(const u32 *line, u32 type);

int port_main(const u32 *line, u32 type)
{
    struct request request = { SERVICE_PAGES, { sizeof(struct port) } };
    struct port *outer = port, *mine = (struct port *)svc_request(&request);
    int code = RC_STORAGE;

    if (mine == NULL)
        return code;
    port = mine;
    port->stage = type == CALLED_AS_STAGE;
    if (type != 0) {
        port->line = (const char *)line[1];
        port->end = (const char *)line[2];
    }
    halt_entry(true);
    if (heap_begin() && streams_begin()) {
        if (setjmp(port->leave) == 0)
            port->code = lua_main();
        streams_end();
        code = port->code;
    }
    halt_entry(false);
    heap_end();
    request = (struct request){ SERVICE_RELEASE, { (u32)mine } };
    (void)svc_request(&request);
    port = outer;
    return code;
}

void exit(int code)
{
    port->code = code;
    longjmp(port->leave, 1);
}

void abort(void)
{
    say("Lua cannot go on", 16);
    exit(ABANDONED);
}

int abs(int n) { return n < 0 ? -n : n; }

/* There is no environment. */
char *getenv(const char *name)
{
    (void)name;
    return NULL;
}

/* Without a command: whether there is what performs commands. */
int system(const char *text)
{
    errno = 0;
    return text == NULL ? 1 : command(text, strlen(text), CALL_TYPED);
}
