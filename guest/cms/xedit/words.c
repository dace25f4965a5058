/* What follows a subcommand's name: words, numbers, texts. */
#include "xedit.h"

static bool is_a_letter(char c)
{
    c = upper(c);
    return (c >= 'A' && c <= 'I') || (c >= 'J' && c <= 'R') || (c >= 'S' && c <= 'Z');
}

bool is_special(char c) { return c != ' ' && !is_digit(c) && !is_a_letter(c); }

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

bool word_means(const char *word, u32 length, const char *full, u32 least)
{
    if (length < least || length > strlen(full))
        return false;
    for (u32 n = 0; n < length; n++)
        if (upper(word[n]) != full[n])
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

    if (!take_word(words, &word, &length))
        return missing_operand();
    if (word_means(word, length, "ON", 2))
        *value = true;
    else if (word_means(word, length, "OFF", 3))
        *value = false;
    else
        return bad_operand(word, length);
    return no_words_left(words);
}

void text_operand(struct words *words)
{
    if (words->at < words->end && *words->at == ' ')
        words->at++;
}

