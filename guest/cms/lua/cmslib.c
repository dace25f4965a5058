/*
 * The library `cms`: commands, the program stack, variables of the exec that runs, files by records, the pipeline.
 *
 * Functions return what REXX has in RC where there is a return code. Names of files are fn ft fm in one string.
 */
#include "port.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lauxlib.h"
#include "lua.h"

/* ---- commands ---- */

static int performed(lua_State *L, int code)
{
    lua_pushinteger(L, code);
    return 1;
}

static int cms_command(lua_State *L)
{
    size_t length;
    const char *text = luaL_checklstring(L, 1, &length);

    return performed(L, command(text, length, CALL_COMMAND));
}

static int cms_cms(lua_State *L)
{
    size_t length;
    const char *text = luaL_checklstring(L, 1, &length);

    return performed(L, command(text, length, CALL_TYPED));
}

static int address(lua_State *L, const char *environment, size_t name_length, int at)
{
    size_t length;
    const char *text = luaL_checklstring(L, at, &length);
    struct request request = { SERVICE_ADDRESS, { (u32)environment, (u32)name_length, (u32)text, (u32)length } };

    terminal_flush();
    return performed(L, ask(&request));
}

static int cms_address(lua_State *L)
{
    char name[8];
    size_t length;
    const char *environment = luaL_checklstring(L, 1, &length);

    luaL_argcheck(L, length >= 1 && length <= sizeof name, 1, "one to eight characters are an environment");
    for (size_t n = 0; n < length; n++)
        name[n] = (char)toupper((u8)environment[n]);
    return address(L, name, length, 2);
}

static int cms_xedit(lua_State *L) { return address(L, "XEDIT", 5, 1); }

/* cms.cp(command): the answer, its lines with new-line characters, and the return code. */
static int cms_cp(lua_State *L)
{
    size_t length, room = 8192;
    const char *text = luaL_checklstring(L, 1, &length);
    luaL_Buffer buffer;
    char *to = luaL_buffinitsize(L, &buffer, room);
    struct request request = { SERVICE_CP, { (u32)text, (u32)length, (u32)to, (u32)room } };
    int code = ask(&request);
    size_t got = request.word[3] < room ? request.word[3] : room;

    for (size_t n = 0; n < got; n++)
        to[n] = to[n] == 0x15 ? '\n' : to[n];
    while (got > 0 && to[got - 1] == '\n')
        got--;
    luaL_pushresultsize(&buffer, got);
    lua_pushinteger(L, code);
    return 2;
}

/* ---- the program stack ---- */

static int stacked(lua_State *L, bool first)
{
    size_t length;
    const char *text = luaL_checklstring(L, 1, &length);
    struct request request = { SERVICE_STACK, { (u32)text, (u32)length, first } };

    luaL_argcheck(L, length <= 255, 1, "a line of the stack has at most 255 characters");
    if (ask(&request) != 0)
        return luaL_error(L, "not enough storage for the program stack");
    return 0;
}

static int cms_push(lua_State *L) { return stacked(L, true); }
static int cms_queue(lua_State *L) { return stacked(L, false); }

static int cms_pull(lua_State *L)
{
    char line[LINE_ROOM];
    struct request request = { SERVICE_PULL, { (u32)line, sizeof line } };
    int length = ask(&request);

    if (length < 0)
        lua_pushnil(L);
    else
        lua_pushlstring(L, line, (size_t)length);
    return 1;
}

static int cms_queued(lua_State *L)
{
    struct request request = { SERVICE_STACKED, { 0 } };

    return performed(L, ask(&request));
}

/* ---- variables ---- */

struct shvblock {
    struct shvblock *next;
    u32 user;
    char code;
    u8 result;
    uint16_t unused;
    u32 room;
    const char *name;
    u32 name_length;
    const char *value;
    u32 value_length;
};

enum { NEW = 0x01, LAST = 0x02, TRUNCATED = 0x04, BAD = 0x08 | 0x10 | 0x80 };

static int variables(lua_State *L, struct shvblock *block)
{
    struct request request = { SERVICE_VARIABLES, { (u32)block } };
    int code = ask(&request);

    if (code < 0)
        return luaL_error(L, "no exec has called, so there are no variables");
    if (code & BAD)
        return luaL_error(L, code & 0x10 ? "not enough storage for variables" : "that is no name of a variable");
    return code;
}

/* cms.get(name): the value, or nil if the variable has none. */
static int cms_get(lua_State *L)
{
    size_t length, room = 512;
    const char *name = luaL_checklstring(L, 1, &length);
    struct shvblock block;
    int code;

    for (;;) {
        luaL_Buffer buffer;
        char *to = luaL_buffinitsize(L, &buffer, room);

        block = (struct shvblock){ .code = 'f', .room = (u32)room, .name = name, .name_length = (u32)length,
                                   .value = to };
        code = variables(L, &block);
        luaL_pushresultsize(&buffer, block.value_length < room ? block.value_length : room);
        if (!(code & TRUNCATED))
            break;
        room = block.value_length;
        lua_pop(L, 1);
    }
    if (code & NEW)
        lua_pushnil(L);
    return 1;
}

static int cms_set(lua_State *L)
{
    size_t length, size;
    const char *name = luaL_checklstring(L, 1, &length), *value = luaL_tolstring(L, 2, &size);
    struct shvblock block = { .code = 's', .name = name, .name_length = (u32)length, .value = value,
                              .value_length = (u32)size };

    (void)variables(L, &block);
    return 0;
}

static int cms_drop(lua_State *L)
{
    size_t length;
    const char *name = luaL_checklstring(L, 1, &length);
    struct shvblock block = { .code = 'd', .name = name, .name_length = (u32)length };

    (void)variables(L, &block);
    return 0;
}

/* cms.vars(): a table of all of them. */
static int cms_vars(lua_State *L)
{
    enum { NAME_ROOM = 250, VALUE_ROOM = 0x10000 };
    char *room = lua_newuserdatauv(L, NAME_ROOM + VALUE_ROOM, 0), *value = room + NAME_ROOM;

    lua_newtable(L);
    for (;;) {
        struct shvblock block = { .code = 'N', .user = NAME_ROOM, .room = VALUE_ROOM, .name = room, .value = value };

        if (variables(L, &block) & LAST)
            return 1;
        lua_pushlstring(L, room, block.name_length < NAME_ROOM ? block.name_length : (u32)NAME_ROOM);
        lua_pushlstring(L, value, block.value_length < VALUE_ROOM ? block.value_length : (u32)VALUE_ROOM);
        lua_rawset(L, -3);
    }
}

/* ---- files by records ---- */

static void check_fileid(lua_State *L, int at, struct fileid *id)
{
    size_t length;
    const char *name = luaL_checklstring(L, at, &length);

    luaL_argcheck(L, fileid_of(name, length, id), at, "a file is fn ft fm");
}

static int problem(lua_State *L, const struct fileid *id, int number)
{
    luaL_pushfail(L);
    lua_pushfstring(L, "%s: %s", lua_pushlstring(L, (const char *)id, sizeof *id), strerror(number));
    lua_remove(L, -2);
    lua_pushinteger(L, number);
    return 3;
}

/* cms.state(file): recfm, lrecl, records, mode and date of it in a table; nil: there is none. */
static int cms_state(lua_State *L)
{
    struct file_facts facts;
    struct fileid id;
    const u8 *t = facts.stamp;

    check_fileid(L, 1, &id);
    if (!file_facts(&id, &facts))
        return problem(L, &id, ENOENT);
    lua_createtable(L, 0, 5);
    lua_pushlstring(L, &facts.recfm, 1);
    lua_setfield(L, -2, "recfm");
    lua_pushinteger(L, facts.lrecl);
    lua_setfield(L, -2, "lrecl");
    lua_pushinteger(L, facts.records);
    lua_setfield(L, -2, "records");
    lua_pushlstring(L, facts.fm, 2);
    lua_setfield(L, -2, "mode");
    lua_pushfstring(L, "%d%d-%d%d-%d%d %d%d:%d%d:%d%d", t[0] >> 4, t[0] & 15, t[1] >> 4, t[1] & 15, t[2] >> 4,
                    t[2] & 15, t[3] >> 4, t[3] & 15, t[4] >> 4, t[4] & 15, t[5] >> 4, t[5] & 15);
    lua_setfield(L, -2, "date");
    return 1;
}

static int read_one(lua_State *L, const struct fileid *id, u32 number, u32 room)
{
    luaL_Buffer buffer;
    char *to = luaL_buffinitsize(L, &buffer, room);
    u32 length;
    int code = record_read(id, number, to, room, &length);

    luaL_pushresultsize(&buffer, length);
    return code;
}

/* cms.read(file, n): the n-th record; nil: there is none. */
static int cms_read(lua_State *L)
{
    lua_Integer number = luaL_checkinteger(L, 2);
    struct file_facts facts;
    struct fileid id;
    int code;

    check_fileid(L, 1, &id);
    luaL_argcheck(L, number > 0 && number <= INT32_MAX, 2, "records are numbered from 1 on");
    if (!file_facts(&id, &facts))
        return problem(L, &id, ENOENT);
    code = read_one(L, &id, (u32)number, facts.lrecl);
    if (code == 0)
        return 1;
    if (code != CODE_END)
        return problem(L, &id, error_of(code, false));
    lua_pushnil(L);
    return 1;
}

struct reader { struct fileid id; u32 next, room; };

static int next_record(lua_State *L)
{
    struct reader *reader = lua_touserdata(L, lua_upvalueindex(1));
    int code = read_one(L, &reader->id, reader->next, reader->room);

    if (code == 0) {
        reader->next++;
        return 1;
    }
    (void)file_finish(&reader->id);
    if (code != CODE_END)
        return luaL_error(L, "%s", strerror(error_of(code, false)));
    lua_pushnil(L);
    return 1;
}

/* for record in cms.records(file) */
static int cms_records(lua_State *L)
{
    struct file_facts facts;
    struct reader *reader;
    struct fileid id;

    check_fileid(L, 1, &id);
    if (!file_facts(&id, &facts)) {
        (void)problem(L, &id, ENOENT);
        lua_pop(L, 1);
        return luaL_error(L, "%s", lua_tostring(L, -1));
    }
    reader = lua_newuserdatauv(L, sizeof *reader, 0);
    *reader = (struct reader){ id, 1, facts.lrecl };
    lua_pushcclosure(L, next_record, 1);
    return 1;
}

/* cms.write(file, n, record [, format]): n 0 or nil is after the last. */
static int cms_write(lua_State *L)
{
    size_t length;
    const char *record = luaL_checklstring(L, 3, &length), *format = luaL_optstring(L, 4, NULL);
    lua_Integer number = luaL_optinteger(L, 2, 0);
    struct file_facts facts;
    struct fileid id;
    bool there;
    int code;

    check_fileid(L, 1, &id);
    if (id.fm[0] == '*')
        id.fm[0] = 'A';
    luaL_argcheck(L, number >= 0 && number <= INT32_MAX, 2, "records are numbered from 1 on");
    luaL_argcheck(L, length >= 1 && length <= RECORD_MOST, 3, "a record has 1 to 65535 bytes");
    luaL_argcheck(L, format == NULL || ((*format == 'F' || *format == 'V') && format[1] == 0), 4, "F or V");
    there = file_facts(&id, &facts);
    if (number == 0)
        number = there ? (lua_Integer)facts.records + 1 : 1;
    code = record_write(&id, (u32)number, record, (u32)length, format != NULL ? *format : there ? facts.recfm : 'V');
    if (code != 0)
        return problem(L, &id, error_of(code, true));
    lua_pushboolean(L, true);
    return 1;
}

/* cms.close(file): what was written is on the disk. */
static int cms_close(lua_State *L)
{
    struct fileid id;
    int code;

    check_fileid(L, 1, &id);
    code = file_finish(&id);
    if (code != 0)
        return problem(L, &id, error_of(code, true));
    lua_pushboolean(L, true);
    return 1;
}

static int cms_erase(lua_State *L)
{
    struct fileid id;

    check_fileid(L, 1, &id);
    return performed(L, file_erase(&id));
}

/* ---- the pipeline ---- */

static int of_stage(lua_State *L, struct request *request)
{
    int code = ask(request);

    if (!port->stage)
        return luaL_error(L, "this is no stage of a pipeline");
    return code;
}

/* cms.peek(): the next record, which stays there; nil: there is none. */
static int cms_peek(lua_State *L)
{
    struct request request = { SERVICE_PEEK, { 0 } };

    if (port->record_is_held) {
        struct request consume = { SERVICE_CONSUME, { 0 } };

        (void)of_stage(L, &consume);
        port->record_is_held = false;
    }
    if (of_stage(L, &request) != 0)
        lua_pushnil(L);
    else
        lua_pushlstring(L, (const char *)request.word[0], request.word[1]);
    return 1;
}

/* cms.input(): the same, and it is read. It leaves the stage before when the next one is asked for, or written. */
static int cms_input(lua_State *L)
{
    (void)cms_peek(L);
    port->record_is_held = !lua_isnil(L, -1);
    return 1;
}

static int cms_output(lua_State *L)
{
    size_t length;
    const char *record = luaL_checklstring(L, 1, &length);
    struct request request = { SERVICE_OUTPUT, { (u32)record, (u32)length } };

    return performed(L, of_stage(L, &request));
}

/* cms.pipe(command): what filters in REXX say to the pipeline, as SELECT, CALLPIPE or SEVER. */
static int cms_pipe(lua_State *L)
{
    size_t length;
    const char *text = luaL_checklstring(L, 1, &length);
    struct request request = { SERVICE_PIPE, { (u32)text, (u32)length } };

    return performed(L, of_stage(L, &request));
}

static int cms_stage(lua_State *L)
{
    lua_pushboolean(L, port->stage);
    return 1;
}

int luaopen_cms(lua_State *state)
{
    static const luaL_Reg functions[] = {
        { "address", cms_address }, { "close", cms_close }, { "cms", cms_cms }, { "command", cms_command },
        { "cp", cms_cp }, { "drop", cms_drop }, { "erase", cms_erase }, { "get", cms_get }, { "input", cms_input },
        { "output", cms_output }, { "peek", cms_peek }, { "pipe", cms_pipe }, { "pull", cms_pull },
        { "push", cms_push }, { "queue", cms_queue }, { "queued", cms_queued }, { "read", cms_read },
        { "records", cms_records }, { "set", cms_set }, { "stage", cms_stage }, { "state", cms_state },
        { "vars", cms_vars }, { "write", cms_write }, { "xedit", cms_xedit }, { NULL, NULL },
    };

    luaL_newlib(state, functions);
    return 1;
}
