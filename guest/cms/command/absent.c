/*
 * What other CMSs have and this one has not: file pools, CMS/DOS. QUERY says so, and SET takes only what
 * is so anyway.
 */
#include "command.h"

enum { NO_POOL = 40, NO_DOS = 88, POOL_UNKNOWN = 99 };

/* What there is only one of. */
static const struct { const char *word; u32 least; const char *value; } fixed[] = {
    { "APL", 3, "OFF" }, { "AUTODUMP", 5, "OFF" }, { "COMDIR", 3, "OFF" },
    { "DOS", 3, "OFF" },
    { "LOADAREA", 5, "20000" }, { "RORESPECT", 4, "OFF" }, { "SERVER", 3, "OFF" },
    { "TEXT", 4, "OFF" },
};

/* What needs something that there is not. */
enum why { NOT_DEFINED, OF_POOLS, OF_DOS };
static const struct { const char *word; u32 least; enum why why; bool set; } absent[] = {
    { "DLBL", 2, NOT_DEFINED, false }, { "NAMEDEF", 7, NOT_DEFINED, false }, { "ALIAS", 5, OF_POOLS, false },
    { "AUTHORITY", 4, OF_POOLS, false },
    { "ENROLL", 3, OF_POOLS, false }, { "FILEPOOL", 5, OF_POOLS, true }, { "LIMITS", 5, OF_POOLS, false },
    { "LOCK", 4, OF_POOLS, false },
    { "THRESHOLD", 5, OF_POOLS, true }, { "DOSLNCNT", 4, OF_DOS, true }, { "DOSPART", 5, OF_DOS, true },
    { "OPTION", 3, OF_DOS, false }, { "UPSI", 4, OF_DOS, true },
};

int no_file_pool(const char *module)
{
    message(module, 1223, 'E');
    return NO_POOL;
}

static int no_dos(const char *module)
{
    message(module, 99, 'E');
    return NO_DOS;
}

static u32 fixed_of(const name word)
{
    u32 n = 0;

    while (n < COUNT_OF(fixed) && !abbreviates(word, fixed[n].word, fixed[n].least))
        n++;
    return n;
}

static u32 absent_of(const name word)
{
    u32 n = 0;

    while (n < COUNT_OF(absent) && !abbreviates(word, absent[n].word, absent[n].least))
        n++;
    return n;
}

bool is_absent(const name word, bool set)
{
    u32 n = absent_of(word);

    return fixed_of(word) < COUNT_OF(fixed) || (n < COUNT_OF(absent) && (!set || absent[n].set));
}

int query_absent(const struct call *call)
{
    u32 n = fixed_of(call->token[1]);

    if (n < COUNT_OF(fixed)) {
        answer("%-8s = %s", fixed[n].word, fixed[n].value);
        return 0;
    }
    n = absent_of(call->token[1]);
    if (absent[n].why == OF_POOLS)
        return no_file_pool("QRY");
    if (absent[n].why == OF_DOS)
        return no_dos("QRY");
    answer("No user defined %s's in effect", absent[n].word);
    return 0;
}

/* SET of such a word: what it is already, or the message why not. */
int set_absent(const struct call *call, u32 words)
{
    u32 n = fixed_of(call->token[1]);
    const char *value = n < COUNT_OF(fixed) ? fixed[n].value : "NONE";
    bool pool = n == COUNT_OF(fixed) && abbreviates(call->token[1], "FILEPOOL", 5);

    if (n == COUNT_OF(fixed) && !pool)
        return absent[absent_of(call->token[1])].why == OF_DOS ? no_dos("SET") : no_file_pool("SET");
    if (words > 3 || (words < 3 && !pool)) {
        message("SET", words > 3 ? 70 : 50, 'E', call->token[words > 3 ? 3 : 1]);
        return RC_SYNTAX;
    }
    if (words < 3 || is(call->token[2], value))
        return 0;
    message("SET", pool ? 1153 : 70, 'E', call->token[2]);
    return pool ? POOL_UNKNOWN : RC_SYNTAX;
}
