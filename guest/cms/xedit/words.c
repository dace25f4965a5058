/* What follows a subcommand's name: words, numbers, texts. */
#include "xedit.h"

/* What each character is: a letter, a digit, a blank; all others are special. */
const u8 kind_of[256] = {
    [' '] = KIND_BLANK,          ['0' ... '9'] = KIND_DIGIT,  ['a' ... 'i'] = KIND_LETTER, ['j' ... 'r'] = KIND_LETTER,
    ['s' ... 'z'] = KIND_LETTER, ['A' ... 'I'] = KIND_LETTER, ['J' ... 'R'] = KIND_LETTER, ['S' ... 'Z'] = KIND_LETTER,
};

/* How many letters a text begins with: the NEXT of N8. */
u32 letters(const char *text, u32 length)
{
    u32 n = 0;

    while (n < length && kind_of[(u8)text[n]] == KIND_LETTER)
        n++;
    return n;
}

void past_blanks(struct words *words)
{
    while (words->at < words->end && *words->at == ' ')
        words->at++;
}

bool take_word(struct words *words, const char **word, u32 *length)
{
    past_blanks(words);
    *word = words->at;
    while (words->at < words->end && *words->at != ' ')
        words->at++;
    *length = (u32)(words->at - *word);
    return *length > 0;
}

/* A letter of either case has the bits of the capital one. */
bool word_means(const char *word, u32 length, const char *full, u32 least)
{
    if (length < least)
        return false;
    for (u32 n = 0; n < length; n++)
        if (full[n] == 0 ||
            (word[n] != full[n] && (kind_of[(u8)word[n]] != KIND_LETTER || (word[n] | 0x40) != full[n])))
            return false;
    return true;
}

bool words_left(struct words *words)
{
    past_blanks(words);
    return words->at < words->end;
}

bool number_word(const char *word, u32 length, u32 *value) { return parse_number(word, length, value); }

bool signed_word(const char *word, u32 length, int *value)
{
    u32 number, sign = length > 0 && (*word == '-' || *word == '+');

    if (!parse_number(word + sign, length - sign, &number))
        return false;
    *value = *word == '-' ? -(int)number : (int)number;
    return true;
}

static const char *shown(const char *word, u32 length, char text[64])
{
    format(text, 64, "%l", word, length < 60 ? length : 60);
    return text;
}

int bad_operand(const char *word, u32 length)
{
    char text[64];

    message("XSU", 520, 'E', shown(word, length, text));
    return XE_OPERAND;
}

int bad_number(const char *word, u32 length)
{
    char text[64];

    message("XSU", 543, 'E', shown(word, length, text));
    return XE_OPERAND;
}

int missing_operand(void)
{
    message("XSU", 545, 'E');
    return XE_OPERAND;
}

int no_words_left(struct words *words)
{
    const char *word;
    u32 length;

    return take_word(words, &word, &length) ? bad_operand(word, length) : 0;
}

int switch_word(struct words *words, bool *value)
{
    const char *word;
    u32 length;
    bool on;

    if (!take_word(words, &word, &length))
        return missing_operand();
    on = word_means(word, length, "ON", 2);
    if (!on && !word_means(word, length, "OFF", 3))
        return bad_operand(word, length);
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    *value = on;
    return 0;
}

void text_operand(struct words *words)
{
    if (words->at < words->end && *words->at == ' ')
        words->at++;
}

