/*
 * Callable services: which there are, and a call from a program.
 *
 * A program calls DMSCSL (sdk/dmscsl.S), which asks for SVC 203, function 4: register 1 points at a list of addresses,
 * the last of which has its first bit on. The first is that of the routine's name, the second that of the word for the
 * return code.
 */
#include "csl.h"
#include "../nucleus/program.h"

enum { DROPPED_MOST = 32 };

const name csl_own_library = "VMLIB   ";

static struct csl_routine *loaded;
static bool dropped[DROPPED_MOST];          /* of VMLIB */

int csl_number(const struct csl_given *given) { return (int)edf_word(given->at); }
void csl_set_number(struct csl_given *given, int value) { edf_set_word(given->at, (u32)value); }

const struct csl_routine *csl_library(u32 number)
{
    if (number < csl_file_count)
        return &csl_file_routines[number];
    number -= csl_file_count;
    return number < csl_exec_count ? &csl_exec_routines[number] : NULL;
}

static const struct csl_routine *own_from(u32 number)
{
    while (number < DROPPED_MOST && dropped[number] && csl_library(number) != NULL)
        number++;
    return csl_library(number);
}

static u32 own_number(const name called)
{
    u32 n = 0;

    while (csl_library(n) != NULL && memcmp(csl_library(n)->called, called, sizeof(name)) != 0)
        n++;
    return n;
}

const struct csl_routine *csl_next(const struct csl_routine *before)
{
    if (before == NULL)
        return loaded != NULL ? loaded : own_from(0);
    if (before->perform == NULL)
        return before->chain != NULL ? before->chain : own_from(0);
    return own_from(own_number(before->called) + 1);
}

/* Those that RTNLOAD has loaded hide those of VMLIB. */
const struct csl_routine *csl_find(const name called, bool *was_dropped)
{
    u32 n = own_number(called);

    *was_dropped = false;
    for (const struct csl_routine *routine = loaded; routine != NULL; routine = routine->chain)
        if (memcmp(routine->called, called, sizeof(name)) == 0)
            return routine;
    if (csl_library(n) != NULL && dropped[n])
        *was_dropped = true;
    return *was_dropped ? NULL : csl_library(n);
}

bool csl_restore(const name called)
{
    u32 n = own_number(called);

    if (csl_library(n) == NULL)
        return false;
    dropped[n] = false;
    return true;
}

bool csl_add(const struct csl_routine *routine)
{
    struct csl_routine *made = obtain(sizeof *made, OWNER_SYSTEM);

    if (made == NULL)
        return false;
    *made = *routine;
    made->chain = loaded;
    loaded = made;
    return true;
}

void csl_drop(const struct csl_routine *routine)
{
    struct csl_routine **at = &loaded, *gone;

    if (routine->perform != NULL) {
        dropped[own_number(routine->called)] = true;
        return;
    }
    while (*at != routine)
        at = &(*at)->chain;
    gone = *at;
    *at = gone->chain;
    (void)release_pages(gone->origin);
    release((void *)gone->parameter);
    release(gone);
}

static bool readable(u32 at, u32 length)
{
    u32 size = storage_bytes();

    return at < size && length <= size - at;
}

/* What a parameter is: 0, or what is wrong with it. `n` counts from 0. */
static int look_at(const struct csl_routine *routine, struct csl_call *call, const u32 *address, u32 n)
{
    const struct csl_parameter *parameter = &routine->parameter[n];
    u32 length = parameter->kind == CSL_NUMBER ? 4 : parameter->length;

    if (parameter->kind == CSL_TEXT) {
        if (n + 1 >= call->count || !readable(address[n + 1], 4))
            return CSL_TOO_FEW;
        length = edf_word((u8 *)address[n + 1]);
        if (length > CSL_LONGEST)
            return CSL_BAD_LENGTH - (int)n - 2;
    }
    if (!readable(address[n], length) || (parameter->use & CSL_OUT && !has_key(address[n], length, USER_KEY)))
        return CSL_DATA - (int)n - 1;
    call->given[n] = (struct csl_given){ (u8 *)address[n], length };
    return 0;
}

static int call_routine_at(const struct csl_routine *routine, u32 list)
{
    name token[2];
    struct call call = { .token = token, .count = 1, .type = CALL_TOKENS, .plist = list };

    memcpy(token[0], routine->called, sizeof(name));
    memset(token[1], 0xff, sizeof(name));
    call.line = call.arguments = call.end = token[0];
    return run_program_at(routine->entry, routine->modes, USER_KEY, 0, &call);
}

static int perform_routine(const name called, struct csl_call *call, const u32 *address, u32 list, bool *stored)
{
    bool was_dropped;
    const struct csl_routine *routine = csl_find(called, &was_dropped);
    int code = 0;

    if (routine == NULL)
        return was_dropped ? CSL_DROPPED : CSL_NONE;
    if (call->count < routine->least)
        return CSL_TOO_FEW;
    if (routine->most != 0 && call->count > routine->most)
        return CSL_TOO_MANY;
    for (u32 n = 0; n < call->count && routine->most != 0 && code == 0; n++)
        code = look_at(routine, call, address, n);
    if (code != 0)
        return code;
    *stored = routine->perform == NULL;
    return *stored ? call_routine_at(routine, list) : routine->perform(call);
}

/*
 * The return code, which is in the second parameter, too, if that can be stored into. `reach`: the bits that addresses
 * have.
 */
int csl_perform(u32 list, u32 reach)
{
    u32 address[CSL_MOST + 1], count = 0, word;
    struct csl_call call = { .count = 0 };
    bool stored = false;
    int code;

    list &= reach;
    do {
        if (!readable(list + 4 * count, 4))
            return CSL_BAD_CALL;
        if (count == CSL_MOST + 1)
            return CSL_TOO_MANY;
        word = edf_word((u8 *)list + 4 * count);
        address[count++] = word & reach;
    } while (!(word & 0x80000000));
    if (count < 2 || !readable(address[0], sizeof(name)))
        return CSL_BAD_CALL;
    call.count = count - 1;
    code = perform_routine((const char *)address[0], &call, address + 1, list + 4, &stored);
    /* A program has stored it itself. */
    if (!stored && has_key(address[1], 4, USER_KEY))
        edf_set_word((u8 *)address[1], (u32)code);
    return code;
}

/* An abend leaves only those that were loaded to stay. */
void csl_after_abend(void)
{
    for (struct csl_routine *routine = loaded, *next; routine != NULL; routine = next) {
        next = routine->chain;
        if (!routine->system)
            csl_drop(routine);
    }
}
