/* Options of the session and of the file: keys, synonyms, screens, the file's names and format. */
#include "xedit.h"

int linend_set(struct view *view, struct words *words)
{
    (void)view;
    return set_switch(words, &editor->linend_on, &editor->linend);
}

void linend_values(struct view *view, struct asked *asked)
{
    (void)view;
    give_switch(asked, editor->linend_on);
    give_text(asked, &editor->linend, 1);
}

int nondisp_set(struct view *view, struct words *words)
{
    char c = ' ';
    int code = words_left(words) ? character_word(words, &c) : 0;

    (void)view;
    code = code != 0 ? code : no_words_left(words);
    if (code == 0)
        editor->nondisplay = (u8)c < 0x40 || (u8)c == 0xff ? ' ' : c;
    return code;
}

void nondisp_values(struct view *view, struct asked *asked)
{
    (void)view;
    give_text(asked, &editor->nondisplay, 1);
}

static int key_number(struct words *words, u32 most, u32 *number)
{
    const char *word;
    u32 length = 0;

    past_blanks(words);
    word = words->at;
    while (words->at + length < words->end && is_digit(word[length]))
        length++;
    if (length == 0)
        return missing_operand();
    words->at += length;
    if (!number_word(word, length, number) || *number == 0 || *number > most) {
        message("XSU", 525, 'E');
        return XE_OPERAND;
    }
    return 0;
}

int pf_set(struct view *view, struct words *words)
{
    u32 number;
    int code = key_number(words, KEYS_MOST, &number);

    return code != 0 ? code : key_operand(&view->file->keys.pf[number], words);
}

int pa_set(struct view *view, struct words *words)
{
    u32 number;
    int code = key_number(words, 3, &number);

    return code != 0 ? code : key_operand(&view->file->keys.pa[number], words);
}

int enter_set(struct view *view, struct words *words)
{
    return key_operand(&view->file->keys.enter, words);
}

static void give_key(struct asked *asked, const struct key *key)
{
    if (key->length == 0)
        return;
    give(asked, key_order(key));
    give_text(asked, key->text, key->length);
}

static void give_keys(struct asked *asked, const struct key *keys, u32 most)
{
    if (asked->number > 0 && asked->number <= most)
        give_key(asked, &keys[asked->number]);
    asked->list = asked->number == 0;
    for (u32 n = 1; asked->number == 0 && n <= most; n++)
        if (keys[n].length > 0)
            give(asked, "%u %s %l", n, key_order(&keys[n]), keys[n].text, keys[n].length);
}

void pf_values(struct view *view, struct asked *asked)
{
    give_keys(asked, view->file->keys.pf, KEYS_MOST);
}

void pa_values(struct view *view, struct asked *asked)
{
    give_keys(asked, view->file->keys.pa, 3);
}

void enter_values(struct view *view, struct asked *asked)
{
    give_key(asked, &view->file->keys.enter);
}

int lastlorc_set(struct view *view, struct words *words)
{
    (void)view;
    text_operand(words);
    editor->lastlorc_length = (u32)(words->end - words->at);
    memcpy(editor->lastlorc, words->at, editor->lastlorc_length);
    return 0;
}

void lastlorc_values(struct view *view, struct asked *asked)
{
    (void)view;
    give_text(asked, editor->lastlorc, editor->lastlorc_length);
}

int equals_set(struct view *view, struct words *words)
{
    (void)view;
    text_operand(words);
    editor->last_length = (u32)(words->end - words->at);
    memcpy(editor->last, words->at, editor->last_length);
    return 0;
}

void equals_values(struct view *view, struct asked *asked)
{
    (void)view;
    give_text(asked, editor->last, editor->last_length);
}

int alt_set(struct view *view, struct words *words)
{
    u32 since = 0, all = view->file->alterations;
    int code = set_number(words, &since, 0, 0x7fffffff);

    if (code == 0 && words_left(words))
        code = set_number(words, &all, 0, 0x7fffffff);
    code = code != 0 ? code : no_words_left(words);
    if (code == 0) {
        view->file->since_autosave = since;
        view->file->alterations = all;
    }
    return code;
}

void alt_values(struct view *view, struct asked *asked)
{
    give(asked, "%u", view->file->since_autosave);
    give(asked, "%u", view->file->alterations);
}

int autosave_set(struct view *view, struct words *words)
{
    const char *word;
    u32 length, every = 0;

    if (!take_word(words, &word, &length))
        return missing_operand();
    if (!word_means(word, length, "OFF", 3) && (!number_word(word, length, &every) || every == 0))
        return bad_number(word, length);
    if (take_word(words, &word, &length)) {
        name mode;

        pad(mode, sizeof mode, word, length);
        mode[0] = upper(mode[0]);
        if (!legal_mode(mode) || disk_at(mode[0]) == NULL) {
            message("XSU", 69, 'E', mode[0]);
            return RC_DISK;
        }
        view->file->s.autosave_mode = mode[0];
    }
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    view->file->s.autosave = every;
    return 0;
}

void autosave_values(struct view *view, struct asked *asked)
{
    if (view->file->s.autosave == 0)
        give(asked, "OFF");
    else
        give(asked, "%u", view->file->s.autosave);
    give(asked, "%u", view->file->autosave_number);
    give(asked, "%c", view->file->s.autosave_mode);
}

static int name_operand(struct words *words, name to)
{
    const char *word;
    u32 length;
    name made;

    if (!take_word(words, &word, &length))
        return missing_operand();
    pad(made, sizeof made, word, length);
    for (u32 n = 0; n < sizeof made; n++)
        made[n] = upper(made[n]);
    if (length > sizeof made || !legal_name(made))
        return bad_operand(word, length);
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    memcpy(to, made, sizeof made);
    return 0;
}

/* Under another name it is another file: whatever has that name must not be lost. */
static int renamed(struct view *view, int code)
{
    view->file->fresh = view->file->fresh || code == 0;
    return code;
}

int fname_set(struct view *view, struct words *words)
{
    return renamed(view, name_operand(words, view->file->s.id.fn));
}
int ftype_set(struct view *view, struct words *words)
{
    return renamed(view, name_operand(words, view->file->s.id.ft));
}

int fmode_set(struct view *view, struct words *words)
{
    const char *word;
    u32 length;
    name mode;

    if (!take_word(words, &word, &length))
        return missing_operand();
    pad(mode, sizeof mode, word, length);
    mode[0] = upper(mode[0]);
    if (!legal_mode(mode) || mode[0] == '*' || mode[0] == '=' || mode[1] == '=') {
        message("XSU", 48, 'E', mode);
        return RC_SYNTAX;
    }
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    view->file->fresh = view->file->fresh || view->file->s.id.fm[0] != mode[0];
    view->file->s.id.fm[0] = mode[0];
    view->file->s.id.fm[1] = mode[1] == ' ' ? '1' : mode[1];
    return 0;
}

void fname_values(struct view *view, struct asked *asked) { give(asked, "%t", view->file->s.id.fn); }
void ftype_values(struct view *view, struct asked *asked) { give(asked, "%t", view->file->s.id.ft); }
void fmode_values(struct view *view, struct asked *asked)
{
    give(asked, "%c%c", view->file->s.id.fm[0], view->file->s.id.fm[1]);
}

int recfm_set(struct view *view, struct words *words)
{
    const char *word;
    u32 length;

    if (!take_word(words, &word, &length))
        return missing_operand();
    if (length > 2 || (upper(*word) != 'F' && upper(*word) != 'V') || (length == 2 && upper(word[1]) != 'P')) {
        message("XSU", 515, 'E');
        return XE_OPERAND;
    }
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    if (view->file->s.recfm != upper(*word) || view->file->s.packed != (length == 2))
        altered(view);
    view->file->s.recfm = upper(*word);
    view->file->s.packed = length == 2;
    return 0;
}

void recfm_values(struct view *view, struct asked *asked)
{
    give(asked, "%c%s", view->file->s.recfm, view->file->s.packed ? "P" : "");
}

static void truncate_zones(struct file *file)
{
    for (struct view *view = file->view; view != NULL; view = view->next) {
        if (view->s.zone_right > file->s.truncation)
            view->s.zone_right = file->s.truncation;
        if (view->s.zone_left > view->s.zone_right)
            view->s.zone_left = 1;
        if (view->column > file->s.truncation + 1)
            view->column = 1;
    }
}

int lrecl_set(struct view *view, struct words *words)
{
    struct settings_of_file *s = &view->file->s;
    const char *word;
    u32 length, lrecl = s->width;

    if (!take_word(words, &word, &length))
        return missing_operand();
    if (!(length == 1 && *word == '*') && (!number_word(word, length, &lrecl) || lrecl == 0))
        return bad_number(word, length);
    if (lrecl > s->width) {
        message("XSU", 519, 'E', s->width);
        return XE_OPERAND;
    }
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    if (s->lrecl != lrecl)
        altered(view);
    /* Who could write to the end of a record can do so still. */
    if (s->truncation == s->lrecl || s->truncation > lrecl) {
        u32 before = s->truncation;

        s->truncation = lrecl;
        if (view->s.zone_right == before)
            view->s.zone_right = lrecl;
    }
    s->lrecl = lrecl;
    truncate_zones(view->file);
    return 0;
}

void lrecl_values(struct view *view, struct asked *asked) { give(asked, "%u", view->file->s.lrecl); }

int trunc_set(struct view *view, struct words *words)
{
    struct settings_of_file *s = &view->file->s;
    u32 column, before = s->truncation;
    int code = set_number(words, &column, 1, s->lrecl);

    code = code != 0 ? code : no_words_left(words);
    if (code != 0)
        return code;
    s->truncation = column;
    if (view->s.zone_right == before)
        view->s.zone_right = column;
    truncate_zones(view->file);
    return 0;
}

void trunc_values(struct view *view, struct asked *asked) { give(asked, "%u", view->file->s.truncation); }

/* ON|OFF|ALL|id [increment [start]]: columns 73 to 80 of a file of cards. */
int serial_set(struct view *view, struct words *words)
{
    struct settings_of_file *s = &view->file->s;
    u32 length, increment = s->serial_increment, start = s->serial_start;
    bool on, all, named;
    const char *word;
    int code = 0;

    if (!take_word(words, &word, &length))
        return missing_operand();
    all = word_means(word, length, "ALL", 3);
    on = word_means(word, length, "ON", 2);
    named = !all && !on && !word_means(word, length, "OFF", 3);
    if (named && length > sizeof s->serial_id)
        return bad_operand(word, length);
    if (words_left(words))
        code = set_number(words, &increment, 1, 99999999);
    start = words_left(words) || code != 0 ? start : increment;
    if (code == 0 && words_left(words))
        code = set_number(words, &start, 0, 99999999);
    code = code != 0 ? code : no_words_left(words);
    if (code != 0)
        return code;
    if ((all || on || named) && (s->recfm != 'F' || s->lrecl != 80 || s->truncation > 72)) {
        message("XSU", 560 + MESSAGE_SECOND, 'E');
        return XE_ROOM;
    }
    s->serial = all || on || named;
    s->serial_all = all;
    if (named) {
        pad(s->serial_id, sizeof s->serial_id, word, length);
        for (u32 n = 0; n < sizeof s->serial_id; n++)
            s->serial_id[n] = upper(s->serial_id[n]);
    }
    s->serial_increment = increment;
    s->serial_start = start;
    return 0;
}

void serial_values(struct view *view, struct asked *asked)
{
    const struct settings_of_file *s = &view->file->s;

    if (!s->serial || s->serial_all)
        give(asked, s->serial ? "ALL" : "OFF");
    else
        give_text(asked, s->serial_id, sizeof s->serial_id);
    give(asked, "%u", s->serial_increment);
    give(asked, "%u", s->serial_start);
}
