/*
 * SYNONYM: a name for a subcommand, for one with operands, or for one whose operands are typed in another order.
 *
 * A definition with formal operands says how each operand is typed: & a word, &/ a string between delimiters, &. the
 * first of two strings that share a delimiter, &* all that is left. &1 and so on in the text are the operands.
 */
#include "xedit.h"

enum { FORMALS_MOST = 9, WORD = 0, STRING = '/', FIRST = '.', REST = '*' };

static void drop_synonym(const char name[8])
{
    for (struct synonym **at = &editor->synonyms; *at != NULL; at = &(*at)->next)
        if (memcmp((*at)->name, name, 8) == 0) {
            struct synonym *synonym = *at;

            *at = synonym->next;
            release(synonym);
            return;
        }
}

static int incomplete(void)
{
    message("XSU", 547, 'E');
    return XE_OPERAND;
}

static int bad_formal(const char *word, u32 length)
{
    char text[64];

    message("XSU", 548, 'E', (format(text, sizeof text, "%l", word, length < 60 ? length : 60), text));
    return XE_OPERAND;
}

/* The formal operands: how each is typed. */
static int take_formals(struct words *words, char kinds[FORMALS_MOST], u32 *count)
{
    *count = 0;
    for (;;) {
        struct words here = *words;
        const char *word;
        u32 length;

        if (!take_word(&here, &word, &length) || *word != '&')
            return 0;
        if (length > 2 || (length == 2 && word[1] != STRING && word[1] != FIRST && word[1] != REST))
            return bad_formal(word, length);
        if (*count >= FORMALS_MOST) {
            message("XSU", 550, 'E');
            return XE_OPERAND;
        }
        kinds[(*count)++] = length == 1 ? WORD : word[1];
        *words = here;
    }
}

/* ON|OFF, or [LINEND c] name [least] [& &/ &. &*]... text. */
int synonym_set(struct view *view, struct words *words)
{
    struct words here = *words;
    struct synonym *synonym;
    const char *word, *second;
    u32 length, more, least, formals;
    char name[8], linend = 0, kinds[FORMALS_MOST];
    int code;

    (void)view;
    if (!take_word(&here, &word, &length))
        return missing_operand();
    if ((word_means(word, length, "ON", 2) || word_means(word, length, "OFF", 3)) && !words_left(&here)) {
        editor->synonyms_on = length == 2;
        return 0;
    }
    if (word_means(word, length, "LINEND", 6)) {
        code = character_word(&here, &linend);
        if (code != 0)
            return code;
        if (!take_word(&here, &word, &length))
            return incomplete();
    }
    least = length;
    *words = here;
    if (take_word(&here, &second, &more) && number_word(second, more, &least))
        *words = here;
    /* Letters, or one character that is none. */
    if (length > sizeof name || (length > 1 && letters(word, length) != length))
        return bad_formal(word, length);
    if (least == 0 || least > length) {
        message("XSU", 549, 'E');
        return XE_OPERAND;
    }
    code = take_formals(words, kinds, &formals);
    if (code != 0)
        return code;
    past_blanks(words);
    if (words->at == words->end)
        return incomplete();
    pad(name, sizeof name, word, length);
    for (u32 n = 0; n < sizeof name; n++)
        name[n] = upper(name[n]);
    more = length_of(words->at, (u32)(words->end - words->at));
    synonym = obtain(sizeof *synonym + more + formals, OWNER_SYSTEM);
    if (synonym == NULL)
        return no_room();
    drop_synonym(name);
    memcpy(synonym->name, name, sizeof name);
    memcpy(synonym->text, words->at, more);
    memcpy(synonym->text + more, kinds, formals);
    synonym->least = least;
    synonym->length = more;
    synonym->formals = formals;
    synonym->linend = linend;
    synonym->next = editor->synonyms;
    editor->synonyms = synonym;
    return 0;
}

static void give_synonym(struct asked *asked, const struct synonym *synonym)
{
    char line[COMMAND_MOST], linend[12] = "";
    u32 used;

    if (synonym->linend != 0)
        format(linend, sizeof linend, "LINEND %c ", synonym->linend);
    used = format(line, sizeof line, "%s%t %u", linend, synonym->name, synonym->least);
    for (u32 n = 0; n < synonym->formals; n++) {
        char kind = synonym->text[synonym->length + n];

        used += kind == WORD ? format(line + used, sizeof line - used, " &")
                             : format(line + used, sizeof line - used, " &%c", kind);
    }
    used += format(line + used, sizeof line - used, " %l", synonym->text, synonym->length);
    give_text(asked, line, used);
}

void synonym_values(struct view *view, struct asked *asked)
{
    const char *word;
    u32 length;

    (void)view;
    if (!take_word(&asked->words, &word, &length)) {
        give_switch(asked, editor->synonyms_on);
        return;
    }
    asked->list = true;
    for (const struct synonym *synonym = editor->synonyms; synonym != NULL; synonym = synonym->next)
        if (*word == '*' || (length <= 8 && word_means(word, length, synonym->name, length)))
            give_synonym(asked, synonym);
}

static void take_operand(struct words *words, char kind, struct words *operand)
{
    past_blanks(words);
    operand->at = words->at;
    if (kind == REST) {
        words->at = words->end;
    } else if (kind == WORD || words->at == words->end || !is_special(*words->at)) {
        while (words->at < words->end && *words->at != ' ')
            words->at++;
    } else {
        char delimiter = *words->at++;

        while (words->at < words->end && *words->at != delimiter)
            words->at++;
        words->at += kind == STRING && words->at < words->end;
    }
    operand->end = words->at;
}

/* The text with the operands in it; false: it is too long. */
static bool arrange(const struct synonym *synonym, struct words words, char to[COMMAND_MOST], u32 *used)
{
    struct words operand[FORMALS_MOST];

    *used = 0;
    for (u32 n = 0; n < synonym->formals; n++)
        take_operand(&words, synonym->text[synonym->length + n], &operand[n]);
    for (u32 n = 0; n < synonym->length; n++) {
        struct words piece = { synonym->text + n, synonym->text + n + 1 };
        u32 number = n + 1 < synonym->length && is_digit(synonym->text[n + 1]) ? (u32)synonym->text[n + 1] - '0' : 0;

        if (synonym->text[n] == '&' && number > 0 && number <= synonym->formals) {
            piece = operand[number - 1];
            n++;
        }
        if (*used + (u32)(piece.end - piece.at) > COMMAND_MOST)
            return false;
        memcpy(to + *used, piece.at, (u32)(piece.end - piece.at));
        *used += (u32)(piece.end - piece.at);
    }
    return true;
}

/* The synonym that a line begins with, and what it stands for. NULL: there is none. */
const struct synonym *own_synonym(const char *text, u32 length, char to[COMMAND_MOST], u32 *to_length)
{
    u32 n = letters(text, length);

    /* One that is a special character or a digit is that alone. */
    n = n == 0 && length > 0 ? 1 : n;
    for (const struct synonym *synonym = editor->synonyms; synonym != NULL; synonym = synonym->next) {
        u32 full = length_of(synonym->name, sizeof synonym->name);
        bool same = n >= synonym->least && n <= full;

        for (u32 k = 0; same && k < n; k++)
            same = upper(text[k]) == synonym->name[k];
        if (!same)
            continue;
        if (synonym->formals > 0) {
            if (arrange(synonym, (struct words){ text + n, text + length }, to, to_length))
                return synonym;
            continue;
        }
        if (synonym->length + length - n > COMMAND_MOST)
            continue;
        memcpy(to, synonym->text, synonym->length);
        memcpy(to + synonym->length, text + n, length - n);
        *to_length = synonym->length + length - n;
        return synonym;
    }
    return NULL;
}
