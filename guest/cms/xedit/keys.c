/* Keys: what ENTER, PF and PA keys perform, and SET PF, SET PA, SET ENTER. */
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

bool key_set(struct key *key, enum when when, const char *text, u32 length)
{
    char *copy = length > 0 ? obtain(length, OWNER_SYSTEM) : NULL;

    if (length > 0 && copy == NULL)
        return false;
    release(key->text);
    key->when = when;
    key->length = length;
    key->text = length > 0 ? memcpy(copy, text, length) : NULL;
    return true;
}

bool keys_begin(void)
{
    static const char enter[] = "COMMAND CURSOR CMDLINE 1 PRIORITY 30", null[] = "NULLKEY";
    bool good = key_set(&editor->enter, KEY_IGNORE, enter, sizeof enter - 1) &&
                key_set(&editor->pa[2], KEY_BEFORE, null, sizeof null - 1);

    for (u32 n = 1; n <= KEYS_MOST; n++) {
        const char *text = usual[(n - 1) % 12].text;

        good = good && key_set(&editor->pf[n], usual[(n - 1) % 12].when, text, (u32)strlen(text));
    }
    return good;
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
