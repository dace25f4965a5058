/*
 * Keys: what ENTER, PF and PA keys perform, and SET PF, SET PA, SET ENTER. Each file of the ring has its own, so that a
 * file that is edited from a list has the usual ones.
 */
#include "xedit.h"

/* What the PF keys are without SET PF; 13 to 24 are the same. */
static const struct { enum when when; const char *text;
} usual[12] = {
    {KEY_BEFORE, "HELP MENU"}, {KEY_BEFORE, "SOS LINEADD"}, {KEY_BEFORE, "QUIT"},
    {KEY_BEFORE, "TABKEY"},    {KEY_BEFORE, "SCHANGE 6"},   {KEY_ONLY, "?"},
    {KEY_BEFORE, "BACKWARD"},  {KEY_BEFORE, "FORWARD"},     {KEY_ONLY, "="},
    {KEY_BEFORE, "RGTLEFT"},   {KEY_BEFORE, "SPLTJOIN"},    {KEY_BEFORE, "CURSOR HOME"},
};

static const char *const orders[] = { "BEFORE", "AFTER", "ONLY", "IGNORE" };

static void forget(struct key *key)
{
    if (key->own)
        release((void *)key->text);
    *key = (struct key){ .when = KEY_BEFORE };
}

bool key_set(struct key *key, enum when when, const char *text, u32 length)
{
    char *copy = length > 0 ? obtain(length, OWNER_SYSTEM) : NULL;

    if (length > 0 && copy == NULL)
        return false;
    forget(key);
    if (length > 0)
        memcpy(copy, text, length);
    *key = (struct key){ .when = (u8)when, .own = length > 0, .length = (u16)length, .text = copy };
    return true;
}

static struct key usual_key(enum when when, const char *text)
{
    return (struct key){ .when = (u8)when, .length = (u16)strlen(text), .text = text };
}

/* The keys of a file that is new in the ring. */
void keys_begin(struct keys *keys)
{
    memset(keys, 0, sizeof *keys);
    keys->enter = usual_key(KEY_IGNORE, "COMMAND CURSOR CMDLINE 1 PRIORITY 30");
    keys->pa[2] = usual_key(KEY_BEFORE, "NULLKEY");
    for (u32 n = 1; n <= KEYS_MOST; n++)
        keys->pf[n] = usual_key(usual[(n - 1) % 12].when, usual[(n - 1) % 12].text);
}

void keys_end(struct keys *keys)
{
    for (u32 n = 0; n <= KEYS_MOST; n++)
        forget(&keys->pf[n]);
    for (u32 n = 0; n < COUNT_OF(keys->pa); n++)
        forget(&keys->pa[n]);
    forget(&keys->enter);
}

/* [BEFORE|AFTER|ONLY|IGNORE] text; nothing: the key does nothing. */
int key_operand(struct key *key, struct words *words)
{
    struct words here = *words;
    enum when when = KEY_BEFORE;
    const char *word;
    u32 length;

    if (take_word(&here, &word, &length))
        for (u32 n = 0; n < COUNT_OF(orders); n++)
            if (word_means(word, length, orders[n], (u32)strlen(orders[n]))) {
                when = (enum when)n;
                *words = here;
            }
    past_blanks(words);
    return key_set(key, when, words->at, length_of(words->at, (u32)(words->end - words->at))) ? 0 : no_room();
}

const char *key_order(const struct key *key) { return orders[key->when]; }
