/* LUA fn [arguments]: a program of Lua; without operands: lines that are typed. */
#include "port.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

enum { RC_SYNTAX = 24, RC_MISSING = 28, RC_FORMAT = 32, RC_FAILED = 40, RC_STORAGE = 104, NAME_ROOM = 24 };

static void *allocate(void *with, void *block, size_t old, size_t size)
{
    (void)with;
    return heap_resize(block, block == NULL ? 0 : old, size);
}

/* Lines of a text to the terminal. */
static void say_lines(const char *text)
{
    for (const char *end; *text != 0; text = *end != 0 ? end + 1 : end) {
        end = text + strcspn(text, "\n");
        say(text, (size_t)(end - text));
    }
}

/* The message of an error, which is on top of the stack: its first line; what follows are lines of their own. */
static void tell(lua_State *L, u32 number)
{
    const char *text = lua_tostring(L, -1), *end;
    char line[200];
    size_t length;

    terminal_flush();
    if (text == NULL)
        text = "(the error is no text)";
    end = text + strcspn(text, "\n");
    length = (size_t)(end - text) < sizeof line ? (size_t)(end - text) : sizeof line - 1;
    memcpy(line, text, length);
    line[length] = 0;
    if (number == 1301)
        message("LUA", 1301, 'E', line);
    else
        message("LUA", 1302, 'E', line);
    if (*end != 0)
        say_lines(end + 1);
}

static int no_memory(lua_State *L)
{
    if (L != NULL)
        lua_settop(L, 0);
    terminal_flush();
    message("LUA", 109, 'S');
    return RC_STORAGE;
}

/* Where it happened, after what. */
static int trace(lua_State *L)
{
    const char *text = lua_tostring(L, 1);

    if (text == NULL) {
        if (luaL_callmeta(L, 1, "__tostring") && lua_type(L, -1) == LUA_TSTRING)
            return 1;
        text = lua_pushfstring(L, "(the error is a %s)", luaL_typename(L, 1));
    }
    luaL_traceback(L, L, text, 1);
    return 1;
}

static int traced_call(lua_State *L, int arguments, int results)
{
    int base = lua_gettop(L) - arguments, status;

    lua_pushcfunction(L, trace);
    lua_insert(L, base);
    status = lua_pcall(L, arguments, results, base);
    /* HI was for what ran. */
    lua_sethook(L, NULL, 0, 0);
    lua_remove(L, base);
    return status;
}

/* What the program has returned, as a return code. */
static int code_of(lua_State *L, int at)
{
    int whole;
    lua_Integer code = lua_tointegerx(L, at, &whole);

    if (whole)
        return (int)code;
    return lua_isboolean(L, at) && !lua_toboolean(L, at) ? 1 : 0;
}

/* The words of the line: arg[0] the program, arg[1] and so on the others; arg.line what is typed after its name. */
static int make_arguments(lua_State *L, const char *name, const char *at, const char *end)
{
    int count = 0;

    lua_newtable(L);
    lua_pushstring(L, name);
    lua_rawseti(L, -2, 0);
    if (at < end && *at == ' ')
        at++;
    lua_pushlstring(L, at, (size_t)(end - at));
    lua_setfield(L, -2, "line");
    while (at < end) {
        const char *from;

        while (at < end && *at == ' ')
            at++;
        for (from = at; at < end && *at != ' ';)
            at++;
        if (at > from) {
            lua_pushlstring(L, from, (size_t)(at - from));
            lua_rawseti(L, -2, ++count);
        }
    }
    lua_setglobal(L, "arg");
    return count;
}

static int run_file(lua_State *L, const char *name, const char *rest, const char *end)
{
    char file[NAME_ROOM];
    int count = make_arguments(L, name, rest, end), status;
    struct file_facts facts;
    struct fileid id;

    (void)snprintf(file, sizeof file, "%s LUA", name);
    if (!fileid_of(file, strlen(file), &id) || !file_facts(&id, &facts)) {
        (void)snprintf(file, sizeof file, "%s LUA *", name);
        message("LUA", 2, 'E', file);
        return RC_MISSING;
    }
    status = luaL_loadfilex(L, file, NULL);
    if (status == LUA_ERRMEM)
        return no_memory(L);
    if (status != LUA_OK) {
        tell(L, 1301);
        return RC_FORMAT;
    }
    luaL_checkstack(L, count + 4, "too many arguments");
    lua_getglobal(L, "arg");
    for (int n = 1; n <= count; n++)
        lua_rawgeti(L, -n, n);
    lua_remove(L, -count - 1);
    status = traced_call(L, count, 1);
    if (status == LUA_ERRMEM)
        return no_memory(L);
    if (status != LUA_OK) {
        tell(L, 1302);
        return RC_FAILED;
    }
    return code_of(L, -1);
}

/* ---- lines that are typed ---- */

/* The text that is on top becomes a function: first as an expression. */
static int compile(lua_State *L)
{
    size_t length;
    const char *text = lua_tolstring(L, -1, &length);
    const char *expression = lua_pushfstring(L, "return %s", text);
    int status = luaL_loadbufferx(L, expression, strlen(expression), "=LUA", "t");

    if (status == LUA_OK) {
        lua_remove(L, -2);
        return status;
    }
    lua_pop(L, 2);
    return luaL_loadbufferx(L, text, length, "=LUA", "t");
}

static bool is_incomplete(lua_State *L, int status)
{
    static const char mark[] = "<eof>";
    size_t length;
    const char *text = lua_tolstring(L, -1, &length);

    return status == LUA_ERRSYNTAX && length >= sizeof mark - 1 &&
        strcmp(text + length - (sizeof mark - 1), mark) == 0;
}

/* One line or several; false: there are no more. */
static bool read_chunk(lua_State *L, int *status)
{
    char line[LINE_ROOM + 1];

    if (fgets(line, sizeof line, stdin) == NULL || line[0] == '\n')
        return false;
    lua_settop(L, 0);
    lua_pushlstring(L, line, strlen(line) - 1);
    while (is_incomplete(L, *status = compile(L))) {
        lua_pop(L, 1);
        if (fgets(line, sizeof line, stdin) == NULL) {
            *status = compile(L);
            break;
        }
        lua_pushliteral(L, "\n");
        lua_pushlstring(L, line, strlen(line) - 1);
        lua_concat(L, 3);
    }
    lua_remove(L, 1);
    return true;
}

static void show(lua_State *L, int count)
{
    lua_getglobal(L, "print");
    lua_insert(L, -count - 1);
    if (lua_pcall(L, count, 0, 0) != LUA_OK)
        tell(L, 1302);
}

static int converse(lua_State *L)
{
    int status;

    say_lines(LUA_RELEASE " for CMS; an empty line ends it");
    while (read_chunk(L, &status)) {
        if (status == LUA_OK)
            status = traced_call(L, 0, LUA_MULTRET);
        if (status == LUA_ERRMEM)
            (void)no_memory(L);
        else if (status != LUA_OK)
            tell(L, status == LUA_ERRSYNTAX ? 1301 : 1302);
        else if (lua_gettop(L) > 0)
            show(L, lua_gettop(L));
        terminal_flush();
        lua_settop(L, 0);
    }
    return 0;
}

/* ---- */

/* In protected mode: the code is what it returns. */
static int begin(lua_State *L)
{
    const char *at = port->line, *end = port->end, *from;
    char name[9];
    size_t length;
    int code;

    luaL_openlibs(L);
    luaL_requiref(L, "cms", luaopen_cms, 1);
    lua_settop(L, 0);
    lua_gc(L, LUA_GCGEN, 0, 0);
    while (at < end && *at == ' ')
        at++;
    for (from = at; at < end && *at != ' ';)
        at++;
    length = (size_t)(at - from);
    if (length == 0) {
        code = converse(L);
    } else if (length >= sizeof name) {
        char word[9];

        memcpy(word, from, 8);
        word[8] = 0;
        message("LUA", 70, 'E', word);
        code = RC_SYNTAX;
    } else {
        for (size_t n = 0; n < length; n++)
            name[n] = (char)toupper((u8)from[n]);
        name[length] = 0;
        code = run_file(L, name, at, end);
    }
    lua_settop(L, 0);
    lua_pushinteger(L, code);
    return 1;
}

int lua_main(void)
{
    lua_State *L = lua_newstate(allocate, NULL);
    int code = RC_STORAGE, status;

    if (L == NULL)
        return no_memory(NULL);
    port->state = L;
    lua_pushcfunction(L, begin);
    status = lua_pcall(L, 0, 1, 0);
    if (status == LUA_OK) {
        code = (int)lua_tointeger(L, -1);
    } else if (status == LUA_ERRMEM) {
        code = no_memory(L);
    } else {
        tell(L, 1302);
        code = RC_FAILED;
    }
    lua_close(L);
    port->state = NULL;
    return code;
}
