/*
 * Scanning a command line: blanks and parentheses separate words, each becomes eight characters in upper case.
 */
#include "cms.h"

static const u8 ends_word[256] = { [(u8)' '] = 1, [(u8)'('] = 1, [(u8)')'] = 1 };

/* How many of up to 256 characters there are before one that ends a word: TRANSLATE AND TEST finds it. */
static inline u32 ordinary(const char *at, u32 length)
{
    register const char *found __asm__("1") = at + length;
    register u32 what __asm__("2") = 0;
    u32 place;

    __asm__ volatile("bras %2,0f\n\ttrt 0(1,%3),0(%4)\n0:\tex %5,0(%2)" : "+a"(found), "+d"(what), "=&a"(place)
            : "a"(at), "a"(ends_word), "a"(length - 1), "m"(*(const char (*)[256])at) : "cc");
    return (u32)(found - at);
}

static u32 word_length(const char *at, u32 length)
{
    u32 all = 0, n;

    do {
        u32 most = length - all < 256 ? length - all : 256;

        n = ordinary(at + all, most);
        all += n;
    } while (n == 256 && all < length);
    return all;
}

static inline void capitals(name token)
{
    __asm__("tr %O0(8,%R0),0(%1)" : "+Q"(*(char (*)[8])token) : "a"(capital_of), "m"(capital_of));
}

/* At most TOKENS_MOST words, and the fence after them; returns their number. */
u32 tokenize(const char *line, u32 length, name *token)
{
    const char *end = line + length;
    u32 count = 0;

    while (count < TOKENS_MOST) {
        while (line < end && *line == ' ')
            line++;
        if (line == end)
            break;
        length = word_length(line, (u32)(end - line));
        if (length == 0)
            length = 1;
        memset(token[count], ' ', sizeof(name));
        memcpy(token[count], line, length < sizeof(name) ? length : sizeof(name));
        capitals(token[count++]);
        line += length;
    }
    memset(token[count], 0xff, sizeof(name));
    return count;
}

u32 name_length(const name token)
{
    return length_of(token, sizeof(name));
}

bool is(const name token, const char *word)
{
    u32 length;

    /* Tables are looked through by this: mostly the first letter says no. */
    if (token[0] != word[0])
        return false;
    length = name_length(token);
    return length == strlen(word) && memcmp(token, word, length) == 0;
}

/* The word, cut to no less than `least` characters. Longer words are known by their first eight. */
bool abbreviates(const name token, const char *word, u32 least)
{
    u32 length, all;

    if (token[0] != word[0])
        return false;
    length = name_length(token);
    all = (u32)strlen(word);
    return length >= least && length <= (all < 8 ? all : 8) && memcmp(token, word, length) == 0;
}
