/*
 * EXECCOMM: the variables of the exec that runs, for programs.
 *
 * A request is a chain of SHVBLOCKs ("REXX/VM Reference", the variable interface): each names a variable and what is to
 * be done with it, and gets what came of it. The program's addresses are looked at before they are used.
 */
#include "program.h"
#include "../rexx/rexx.h"

enum {
    SHVNEXT = 0, SHVCODE = 8, SHVRET = 9, SHVBUFL = 12, SHVNAMA = 16, SHVNAML = 20, SHVVALA = 24, SHVVALL = 28,
    SHVBLOCK = 32, };
enum { NO_EXEC = -1, BAD_BLOCK = -2, BLOCKS_MOST = 100000 };

static bool readable(const struct rexx_text *text)
{
    u32 at = (u32)text->text, size = storage_bytes();

    return at < size && text->length <= size - at;
}

/* The text into the program's buffer. */
static u32 give(u32 to, u32 room, const struct rexx_text *text)
{
    u32 length = text->length < room ? text->length : room;

    if (!has_key(to, length, USER_KEY))
        return REXX_VAR_BAD_FUNCTION;
    memcpy((void *)to, text->text, length);
    return length < text->length ? REXX_VAR_TRUNCATED : 0;
}

static u32 serve(struct rexx *rexx, u8 *block)
{
    struct rexx_text name = { (const char *)edf_word(block + SHVNAMA), edf_word(block + SHVNAML) };
    struct rexx_text value = { (const char *)edf_word(block + SHVVALA), edf_word(block + SHVVALL) };
    u32 buffer = edf_word(block + SHVVALA), room = edf_word(block + SHVBUFL), bits;
    char code = (char)block[SHVCODE];
    enum rexx_name kind = code == 's' || code == 'f' || code == 'd' ? REXX_SYMBOLIC : REXX_DIRECT;

    if (code != 'N' && !readable(&name))
        return REXX_VAR_BAD_NAME;
    switch (code) {
    case 'S':
    case 's':
        return readable(&value) ? rexx_set(rexx, kind, &name, &value) : REXX_VAR_BAD_FUNCTION;
    case 'D':
    case 'd':
        return rexx_drop(rexx, kind, &name);
    case 'F':
    case 'f':
        bits = rexx_fetch(rexx, kind, &name, &value);
        break;
    case 'P':
        bits = rexx_private(rexx, &name, &value);
        break;
    case 'N':
        bits = rexx_next(rexx, &name, &value);
        if (bits & REXX_VAR_LAST)
            return bits;
        bits |= give(edf_word(block + SHVNAMA), edf_word(block + 4), &name);
        edf_set_word(block + SHVNAML, name.length);
        break;
    default:
        return REXX_VAR_BAD_FUNCTION;
    }
    if (bits & (REXX_VAR_BAD_NAME | REXX_VAR_NO_STORAGE | REXX_VAR_BAD_FUNCTION))
        return bits;
    bits |= give(buffer, room, &value);
    edf_set_word(block + SHVVALL, value.length);
    return bits;
}

/* The return code: the bits of all blocks' SHVRET together, or less than zero. */
int exec_variables(u32 request)
{
    struct rexx *rexx = exec_running();
    u32 all = 0, count = 0;

    if (rexx == NULL)
        return NO_EXEC;
    for (u32 at = request & 0x7fffffff; at != 0; at = edf_word((u8 *)at + SHVNEXT) & 0x7fffffff) {
        u8 *block = (u8 *)at;

        if (!has_key(at, SHVBLOCK, USER_KEY) || ++count > BLOCKS_MOST)
            return BAD_BLOCK;
        block[SHVRET] = (u8)serve(rexx, block);
        all |= block[SHVRET];
    }
    return (int)all;
}
