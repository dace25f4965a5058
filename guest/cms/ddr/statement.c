/* Control statements: words in capitals, a parenthesis is a word of its own. Columns after 71 are not looked at. */
#include "ddr.h"

static bool separates(char c) { return c == ' ' || c == ',' || c == '(' || c == ')'; }

bool statement_read(struct statement *s, const char *prompt)
{
    char line[80];
    u32 length, at = 0;

    memset(s, 0, sizeof *s);
    if (prompt != NULL && !host_echoes())
        say("%s", prompt);
    if (!host_read(line, &length))
        return false;
    length = length_of(line, length < COLUMNS ? length : COLUMNS);
    if (host_echoes())
        host_type(line, length);
    while (at < length && s->count < WORDS_MOST) {
        u32 n = 0;

        if (line[at] == ' ' || line[at] == ',') {
            at++;
            continue;
        }
        if (separates(line[at]))
            s->word[s->count][n++] = line[at++];
        else
            for (; at < length && !separates(line[at]); at++)
                if (n < WORD_MOST)
                    s->word[s->count][n++] = upper(line[at]);
        s->count++;
    }
    return s->count > 0;
}

bool statement_more(const struct statement *s) { return s->at < s->count; }

/* The next word; an empty one after the last. */
const char *statement_word(struct statement *s)
{
    return s->at < s->count ? s->word[s->at++] : "";
}

/* The keyword, or its first letters: `least` of them at least. */
bool word_is(const char *word, const char *keyword, u32 least)
{
    u32 length = (u32)strlen(word);

    return length >= least && length <= strlen(keyword) && memcmp(word, keyword, length) == 0;
}

bool word_number(const char *word, u32 most, u32 *value)
{
    return parse_number(word, (u32)strlen(word), value) && *value <= most;
}
