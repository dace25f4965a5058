/* Options of the terminal and of fields on it: CTLCHAR, TERMINAL, TRANSLAT, ESCAPE, BRKKEY and their kin. */
#include "xedit.h"

const struct control *control_of(char c)
{
    for (u32 n = 0; n < editor->controls; n++)
        if (editor->control[n].c == c)
            return &editor->control[n];
    return NULL;
}

static void drop_control(char c)
{
    for (u32 n = 0; n < editor->controls; n++)
        if (editor->control[n].c == c)
            editor->control[n--] = editor->control[--editor->controls];
}

/* OFF, or c Escape|Protect [look]|Noprotect [look]|OFF. */
int ctlchar_set(struct view *view, struct words *words)
{
    static const char *const kinds[] = { "ESCAPE", "PROTECT", "NOPROTECT", "OFF" };
    static const u8 least[] = { 1, 1, 1, 3 };
    struct words here = *words;
    struct look look = { 0, 0, false, false };
    const char *word;
    u32 length, kind;
    char c;
    int code;

    (void)view;
    if (!take_word(&here, &word, &length))
        return missing_operand();
    if (word_means(word, length, "OFF", 3) && !words_left(&here)) {
        editor->controls = 0;
        editor->control_escape = 0;
        return 0;
    }
    code = character_word(words, &c);
    code = code != 0 ? code : choose(words, kinds, least, COUNT_OF(kinds), &kind);
    if (code == 0 && (kind == 1 || kind == 2))
        look_words(words, &look);
    code = code != 0 ? code : no_words_left(words);
    if (code != 0)
        return code;
    if (kind == 0) {
        editor->control_escape = c;
        return 0;
    }
    drop_control(c);
    if (kind == 3) {
        editor->control_escape = editor->control_escape == c ? 0 : editor->control_escape;
        return 0;
    }
    if (editor->controls == CONTROLS_MOST)
        return no_room();
    editor->control[editor->controls++] = (struct control){ c, kind == 2, (u8)look_number(&look) };
    return 0;
}

/* The escape character and the others; of one, what it begins. */
void ctlchar_values(struct view *view, struct asked *asked)
{
    char line[2 * CONTROLS_MOST + 1], text[64];
    struct words words = asked->words;
    const struct control *control;
    const char *word;
    u32 length, used = 0;

    (void)view;
    if (take_word(&words, &word, &length)) {
        control = control_of(*word);
        if (control == NULL) {
            give(asked, *word == editor->control_escape ? "ESCAPE" : "OFF");
            return;
        }
        give(asked, control->writable ? "NOPROTECT" : "PROTECT");
        look_text(text, &editor->looks[control->look]);
        for (words = (struct words){ text, text + strlen(text) }; take_word(&words, &word, &length);)
            give_text(asked, word, length);
        return;
    }
    if (editor->control_escape == 0)
        give(asked, "OFF");
    else
        give_text(asked, &editor->control_escape, 1);
    for (u32 n = 0; n < editor->controls; n++)
        used += format(line + used, sizeof line - used, n > 0 ? " %c" : "%c", editor->control[n].c);
    give_text(asked, line, used);
}

/* TYPEWRITER or DISPLAY: the session goes on as one of the other kind. */
int terminal_set(struct view *view, struct words *words)
{
    static const char *const kinds[] = { "TYPEWRITER", "DISPLAY" };
    static const u8 least[] = { 1, 1 };
    u32 kind;
    int code = choose(words, kinds, least, COUNT_OF(kinds), &kind);

    (void)view;
    code = code != 0 ? code : no_words_left(words);
    if (code != 0 || editor->typewriter == (kind == 0))
        return code;
    if (kind == 1 && !display_begin(&editor->display)) {
        message("XSU", 529, 'E');
        return XE_TRUNCATED;
    }
    editor->typewriter = kind == 0;
    return screens_define(1, NULL) ? 0 : no_room();
}

void terminal_values(struct view *view, struct asked *asked)
{
    (void)view;
    give(asked, editor->typewriter ? "TYPEWRITER" : "DISPLAY");
}

/* OFF, or pairs: the first of each is shown as the second. */
int translat_set(struct view *view, struct words *words)
{
    struct words here = *words;
    const char *word;
    u32 length;
    u8 table[256];

    (void)view;
    if (!take_word(&here, &word, &length))
        return missing_operand();
    editor->display.shown_as[' '] = 0;
    if (word_means(word, length, "OFF", 3) && !words_left(&here)) {
        editor->translates = false;
        return 0;
    }
    for (u32 n = 0; n < sizeof table; n++)
        table[n] = editor->translates ? editor->translation[n] : (u8)n;
    while (words_left(words)) {
        char from, to;

        if (character_word(words, &from) != 0 || character_word(words, &to) != 0)
            return XE_OPERAND;
        table[(u8)from] = (u8)to;
    }
    memcpy(editor->translation, table, sizeof table);
    editor->translates = true;
    return 0;
}

static void give_character(char to[3], u8 c)
{
    if (c > 0x40 && c < 0xff)
        format(to, 3, "%c", c);
    else
        format(to, 3, "%02x", c);
}

void translat_values(struct view *view, struct asked *asked)
{
    (void)view;
    asked->list = editor->translates;
    for (u32 n = 0; editor->translates && n < 256; n++)
        if (editor->translation[n] != n) {
            char from[3], to[3];

            give_character(from, (u8)n);
            give_character(to, editor->translation[n]);
            give(asked, "%s %s", from, to);
        }
    if (!editor->translates)
        give(asked, "OFF");
}

int escape_set(struct view *view, struct words *words)
{
    (void)view;
    return set_switch(words, &editor->escapes, &editor->escape);
}

void escape_values(struct view *view, struct asked *asked)
{
    (void)view;
    give_switch(asked, editor->escapes);
    give_text(asked, &editor->escape, 1);
}

/* ON|OFF [key]: the key that takes the user to CP. */
/* PA1 to PA3, PF1 to PF24 and CLEAR; CP knows which of these it takes. */
static bool is_key(const char *word, u32 length)
{
    bool pf = length > 2 && word_means(word, 2, "PF", 2);
    u32 number;

    if (!pf && !(length > 2 && word_means(word, 2, "PA", 2)))
        return word_means(word, length, "CLEAR", 5);
    return number_word(word + 2, length - 2, &number) && number >= 1 && number <= (pf ? 24 : 3);
}

int brkkey_set(struct view *view, struct words *words)
{
    const char *word;
    u32 length, key_length = length_of(editor->break_key, sizeof editor->break_key);
    char line[48];
    bool on;
    int code;

    (void)view;
    if (!take_word(words, &word, &length))
        return missing_operand();
    on = word_means(word, length, "ON", 2);
    if (!on && !word_means(word, length, "OFF", 3))
        return bad_operand(word, length);
    word = editor->break_key;
    if (words_left(words) && (!take_word(words, &word, &key_length) || !is_key(word, key_length)))
        return bad_operand(word, key_length);
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    code = run_cms(line, format(line, sizeof line, "CP TERMINAL BRKKEY %l", on ? word : "NONE", on ? key_length : 4),
                   CALL_COMMAND);
    if (code != 0)
        return bad_operand(word, key_length);
    editor->break_on = on;
    pad(editor->break_key, sizeof editor->break_key, word, key_length);
    for (u32 n = 0; n < sizeof editor->break_key; n++)
        editor->break_key[n] = upper(editor->break_key[n]);
    return 0;
}

void brkkey_values(struct view *view, struct asked *asked)
{
    (void)view;
    give_switch(asked, editor->break_on);
    give(asked, "%t", editor->break_key);
}

/* Nulls among characters are blanks, and what was typed before a PA key is taken: the whole buffer is read. */
int fullread_set(struct view *view, struct words *words) { (void)view; return switch_word(words, &editor->full_read); }
void fullread_values(struct view *view, struct asked *asked) { (void)view; give_switch(asked, editor->full_read); }

/* Kept for macros that set them: the stream is short on every line, and goes as the display's own code page has it. */
int apl_set(struct view *view, struct words *words) { (void)view; return switch_word(words, &editor->apl); }
int text_set(struct view *view, struct words *words) { (void)view; return switch_word(words, &editor->text); }
int remote_set(struct view *view, struct words *words) { (void)view; return switch_word(words, &editor->remote); }
void apl_values(struct view *view, struct asked *asked) { (void)view; give_switch(asked, editor->apl); }
void text_values(struct view *view, struct asked *asked) { (void)view; give_switch(asked, editor->text); }
void remote_values(struct view *view, struct asked *asked) { (void)view; give_switch(asked, editor->remote); }
