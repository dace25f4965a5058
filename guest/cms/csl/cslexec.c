/*
 * Callable services for the variables of the exec that runs: DMSCGR fetches one, DMSCSR sets one, DMSCDR drops one,
 * DMSCGS fetches what PARSE knows. Names are symbols, as in the exec. The return code is 0, or the bits of a SHVBLOCK's
 * SHVRET: 1 there was none of that name, 4 the buffer is too short, 8 it is no name, 16 no storage; -1 no exec runs.
 * There is no reason code.
 */
#include "csl.h"
#include "../rexx/rexx.h"

enum { NO_EXEC = -1 };
enum { VARIABLE = 1, VALUE = 3, ACTUAL = 5 };

static struct rexx_text text_of(const struct csl_given *given)
{
    return (struct rexx_text){ (const char *)given->at, given->length };
}

static int give(struct csl_call *call, u32 bits, const struct rexx_text *value)
{
    u32 room = call->given[VALUE].length;

    if (bits & (REXX_VAR_BAD_NAME | REXX_VAR_NO_STORAGE | REXX_VAR_BAD_FUNCTION))
        return (int)bits;
    memcpy(call->given[VALUE].at, value->text, value->length < room ? value->length : room);
    csl_set_number(&call->given[ACTUAL], (int)(value->length < room ? value->length : room));
    return (int)(bits | (value->length > room ? REXX_VAR_TRUNCATED : 0));
}

/* What a variable has, or what PARSE knows. */
static int give_value(struct csl_call *call, bool private)
{
    struct rexx_text called = text_of(&call->given[VARIABLE]), value = { NULL, 0 };
    struct rexx *rexx = exec_running();
    u32 bits;

    if (rexx == NULL)
        return NO_EXEC;
    bits = private ? rexx_private(rexx, &called, &value) : rexx_fetch(rexx, REXX_SYMBOLIC, &called, &value);
    return give(call, bits, &value);
}

static int fetch(struct csl_call *call) { return give_value(call, false); }
static int fetch_private(struct csl_call *call) { return give_value(call, true); }

static int set(struct csl_call *call)
{
    struct rexx_text called = text_of(&call->given[VARIABLE]), value = text_of(&call->given[VALUE]);
    struct rexx *rexx = exec_running();

    return rexx == NULL ? NO_EXEC : (int)(rexx_set(rexx, REXX_SYMBOLIC, &called, &value) & ~REXX_VAR_NEW);
}

static int drop(struct csl_call *call)
{
    struct rexx_text called = text_of(&call->given[VARIABLE]);
    struct rexx *rexx = exec_running();

    return rexx == NULL ? NO_EXEC : (int)rexx_drop(rexx, REXX_SYMBOLIC, &called);
}

#define VARIABLE_OF { "retcode ", CSL_NUMBER, CSL_OUT, 0 }, { "varname ", CSL_TEXT, CSL_IN, 0 }, \
    { "length1 ", CSL_NUMBER, CSL_IN, 0 }

static const struct csl_parameter fetching[] = {
    VARIABLE_OF, { "buffer  ", CSL_TEXT, CSL_OUT, 0 }, { "length2 ", CSL_NUMBER, CSL_IN, 0 },
        { "actual  ", CSL_NUMBER, CSL_OUT, 0 },
};
static const struct csl_parameter setting[] = {
    VARIABLE_OF, { "value   ", CSL_TEXT, CSL_IN, 0 }, { "length2 ", CSL_NUMBER, CSL_IN, 0 },
};
static const struct csl_parameter dropping[] = { VARIABLE_OF };

#define ROUTINE(called, list, perform, what) \
    { called, list, COUNT_OF(list), COUNT_OF(list), perform, what, "VMLIB   ", "        ", 0, 0, 0, 0, true, NULL }

const struct csl_routine csl_exec_routines[] = {
    ROUTINE("DMSCDR  ", dropping, drop, "Drops a variable of the exec that runs"),
    ROUTINE("DMSCGR  ", fetching, fetch, "Fetches a variable of the exec that runs"),
    ROUTINE("DMSCGS  ", fetching, fetch_private, "Fetches ARG, SOURCE, VERSION, PARM or PARM.n of the exec that runs"),
    ROUTINE("DMSCSR  ", setting, set, "Sets a variable of the exec that runs"),
};
const u32 csl_exec_count = COUNT_OF(csl_exec_routines);
