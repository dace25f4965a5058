/*
 * Scanning a command line: blanks and parentheses separate words, each becomes eight characters in upper case.
 */
#include "cms.h"

/* At most TOKENS_MOST words, and the fence after them; returns their number. */
u32 tokenize(const char *line, u32 length, name *token)
{
    u32 count = 0, at = 0;

    while (at < length && count < TOKENS_MOST) {
        u32 n = 0;

        if (line[at] == ' ') {
            at++;
            continue;
        }
        memset(token[count], ' ', sizeof(name));
        if (line[at] == '(' || line[at] == ')') {
            token[count++][0] = line[at++];
            continue;
        }
        for (; at < length && line[at] != ' ' && line[at] != '(' && line[at] != ')'; at++, n++)
            if (n < sizeof(name))
                token[count][n] = upper(line[at]);
        count++;
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
