/*
 * The function CSL of execs: CSL('routine retcode parameter...').
 *
 * Each word after the routine's name is a variable's name, or, of what the routine only reads, a number or a text in
 * quotes. A list as programs make it is built in the exec's machine and performed; then what the routine has set goes
 * into the variables. Characters are filled with blanks up to the length that the template says.
 */
#include "csl.h"
#include "../nucleus/program.h"
#include "../rexx/rexx.h"

struct word { struct rexx_text text; bool literal; };

/* The words; quotes keep blanks together. False: a quote is not closed, or there are too many words. */
static bool words_of(const char *at, const char *end, struct word *word, u32 *count)
{
    for (*count = 0;; ++*count) {
        const char *from;

        while (at < end && *at == ' ')
            at++;
        if (at == end)
            return true;
        if (*count == CSL_MOST + 1)
            return false;
        from = at;
        if (*at == '\'' || *at == '"') {
            for (at++; at < end && *at != *from; at++)
                ;
            if (at == end)
                return false;
            word[*count] = (struct word){ { from + 1, (u32)(at - from) - 1 }, true };
            at++;
            continue;
        }
        while (at < end && *at != ' ')
            at++;
        word[*count] = (struct word){ { from, (u32)(at - from) }, is_digit(*from) || *from == '-' || *from == '+' };
    }
}

/* What a word stands for; false: it is no variable's name. */
static bool value_of(struct rexx *rexx, const struct word *word, struct rexx_text *value)
{
    *value = word->text;
    return word->literal || !(rexx_fetch(rexx, REXX_SYMBOLIC, &word->text,
                                         value) & (REXX_VAR_BAD_NAME | REXX_VAR_NO_STORAGE));
}

static bool whole_number(const struct rexx_text *text, int *number)
{
    const char *at = text->text, *end = at + text->length;
    bool minus;
    u32 n;

    while (at < end && *at == ' ')
        at++;
    while (end > at && end[-1] == ' ')
        end--;
    minus = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (!parse_number(at, (u32)(end - at), &n))
        return false;
    *number = minus ? -(int)n : (int)n;
    return true;
}

static bool set_variable(struct rexx *rexx, const struct word *word, const char *text, u32 length)
{
    struct rexx_text value = { text, length };

    return !word->literal && !(rexx_set(rexx, REXX_SYMBOLIC, &word->text,
                                        &value) & (REXX_VAR_BAD_NAME | REXX_VAR_NO_STORAGE));
}

static bool set_number(struct rexx *rexx, const struct word *word, int number)
{
    char text[16];

    return set_variable(rexx, word, text, format(text, sizeof text, "%d", number));
}

/* A call being made: what its numbers are, how long each parameter is, and where in the list's storage. */
struct making {
    struct rexx *rexx;
    const struct csl_parameter *parameter;
    struct word *word;
    u32 count;
    int number[CSL_MOST];
    u32 length[CSL_MOST], at[CSL_MOST];
};

/* The numbers, and with them the lengths. 0, or what is wrong. */
static int measure(struct making *making)
{
    struct rexx_text value;

    for (u32 n = 0; n < making->count; n++) {
        const struct csl_parameter *parameter = &making->parameter[n];

        if (parameter->use & CSL_OUT && making->word[n].literal)
            return CSL_VARIABLE - (int)n - 1;
        if (!value_of(making->rexx, &making->word[n], &value))
            return CSL_VARIABLE - (int)n - 1;
        making->length[n] = parameter->kind == CSL_NUMBER ? 4 : parameter->length;
        making->number[n] = 0;
        if (parameter->kind == CSL_NUMBER && parameter->use & CSL_IN && !whole_number(&value, &making->number[n]))
            return CSL_DATA - (int)n - 1;
        if (parameter->kind == CSL_CHARACTERS && parameter->use & CSL_IN && value.length > parameter->length)
            return CSL_LENGTH - (int)n - 1;
    }
    for (u32 n = 0; n < making->count; n++) {
        if (making->parameter[n].kind != CSL_TEXT)
            continue;
        if (n + 1 == making->count)
            return CSL_TOO_FEW;
        if (making->number[n + 1] < 0 || making->number[n + 1] > CSL_LONGEST)
            return CSL_BAD_LENGTH - (int)n - 2;
        making->length[n] = (u32)making->number[n + 1];
    }
    return 0;
}

static void fill(struct making *making, u32 n, u8 *to)
{
    struct rexx_text value;

    if (making->parameter[n].kind == CSL_NUMBER) {
        edf_set_word(to, (u32)making->number[n]);
        return;
    }
    memset(to, ' ', making->length[n]);
    if (making->parameter[n].use & CSL_IN && value_of(making->rexx, &making->word[n], &value))
        memcpy(to, value.text, value.length < making->length[n] ? value.length : making->length[n]);
}

/* What the routine has set goes into the variables. */
static int take_back(struct making *making)
{
    for (u32 n = 0; n < making->count; n++) {
        const u8 *at = (const u8 *)making->at[n];

        if (!(making->parameter[n].use & CSL_OUT))
            continue;
        if (!(making->parameter[n].kind == CSL_NUMBER ? set_number(making->rexx, &making->word[n], (int)edf_word(at))
                                                      : set_variable(making->rexx, &making->word[n], (const char *)at,
                                                                     making->length[n])))
            return CSL_VARIABLE - (int)n - 1;
    }
    return 0;
}

static int perform_made(struct making *making, const name called)
{
    u32 list_size = 4 * (making->count + 1), size = list_size + sizeof(name), at, list;
    int code, back;

    for (u32 n = 0; n < making->count; n++)
        size += (making->length[n] + 7) & ~7u;
    list = (u32)obtain_pages(size + 8, OWNER_COMMAND, USER_KEY, LOW_STORAGE);
    if (list == 0)
        return CSL_NO_STORAGE;
    at = (list + list_size + 7) & ~7u;
    memcpy((void *)at, called, sizeof(name));
    edf_set_word((u8 *)list, at);
    at += sizeof(name);
    for (u32 n = 0; n < making->count; n++) {
        making->at[n] = at;
        edf_set_word((u8 *)list + 4 * (n + 1), at | (n + 1 == making->count ? 0x80000000 : 0));
        fill(making, n, (u8 *)at);
        at += (making->length[n] + 7) & ~7u;
    }
    code = csl_perform(list, LOW_STORAGE - 1);
    /* Otherwise the routine was not reached. */
    back = code > CSL_NONE || (code < CSL_BAD_CALL && code > CSL_LENGTH) ? take_back(making) : 0;
    (void)release_pages(list);
    return back != 0 ? back : code;
}

static int make_call(struct making *making, const name called)
{
    bool dropped;
    const struct csl_routine *routine = csl_find(called, &dropped);
    int code;

    if (routine == NULL)
        return dropped ? CSL_DROPPED : CSL_NONE;
    /* Its parameters are not known. */
    if (routine->most == 0)
        return CSL_BAD_CALL;
    if (making->count > routine->most)
        return CSL_TOO_MANY;
    if (making->count < routine->least)
        return CSL_TOO_FEW;
    making->parameter = routine->parameter;
    code = measure(making);
    return code != 0 ? code : perform_made(making, called);
}

int csl_of_exec(struct rexx *rexx, const char *text, u32 length)
{
    struct word word[CSL_MOST + 1];
    struct making making = { .rexx = rexx, .word = word + 1 };
    name called;
    u32 count;
    int code;

    if (!words_of(text, text + length, word, &count) || count < 2 || word[0].text.length > sizeof(name))
        return CSL_BAD_CALL;
    pad(called, sizeof called, word[0].text.text, word[0].text.length);
    for (u32 n = 0; n < sizeof called; n++)
        called[n] = upper(called[n]);
    making.count = count - 1;
    code = make_call(&making, called);
    if (code < 0)
        (void)set_number(rexx, &word[1], code);
    return code;
}
