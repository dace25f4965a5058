/* Options of what a screen shows: its rows, colours and reserved lines. */
#include "xedit.h"

/* n, -n, M, M+n, M-n. */
static bool position_word(const char *word, u32 length, struct position *position)
{
    struct position made = { false, 0 };

    if (length > 0 && upper(*word) == 'M') {
        made.middle = true;
        word++;
        length--;
        if (length == 0) {
            *position = made;
            return true;
        }
        if (*word != '+' && *word != '-')
            return false;
    }
    if (!signed_word(word, length, &made.n) || (!made.middle && made.n == 0) || made.n > ROWS_MOST ||
        made.n < -ROWS_MOST)
        return false;
    *position = made;
    return true;
}

/* Rows of the screen, from 1 on. */
static u32 row_of_position(const struct position *position)
{
    return row_at(position, editor->typewriter ? 24 : editor->logical[editor->active].lines) + 1;
}

static void give_position(struct asked *asked, const struct position *position)
{
    if (asked->rows)
        give(asked, "%u", row_of_position(position));
    else if (!position->middle)
        give(asked, "%d", position->n);
    else if (position->n == 0)
        give(asked, "M");
    else
        give(asked, position->n > 0 ? "M+%d" : "M%d", position->n);
}

/* ON|OFF [position]. */
static int placed(struct words *words, bool *shown, struct position *position)
{
    struct position at = *position;
    const char *word;
    u32 length;
    bool on;

    if (!take_word(words, &word, &length))
        return missing_operand();
    on = word_means(word, length, "ON", 2);
    if (!on && !word_means(word, length, "OFF", 3))
        return bad_operand(word, length);
    if (take_word(words, &word, &length) && !position_word(word, length, &at))
        return bad_operand(word, length);
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    *shown = on;
    *position = at;
    return 0;
}

int scale_set(struct view *view, struct words *words) { return placed(words, &view->s.scale, &view->s.scale_at); }
int tabline_set(struct view *view, struct words *words) { return placed(words, &view->s.tabline, &view->s.tabline_at); }

void scale_values(struct view *view, struct asked *asked)
{
    give_switch(asked, view->s.scale);
    give_position(asked, &view->s.scale_at);
}

void tabline_values(struct view *view, struct asked *asked)
{
    give_switch(asked, view->s.tabline);
    give_position(asked, &view->s.tabline_at);
}

static const char *const wheres[] = { "OFF", "ON", "TOP", "BOTTOM" };

int cmdline_set(struct view *view, struct words *words)
{
    static const u8 least[] = { 2, 1, 1, 1 };
    u32 which;
    int code = choose(words, wheres, least, COUNT_OF(wheres), &which);

    code = code != 0 ? code : no_words_left(words);
    if (code == 0)
        view->s.cmdline = (enum where)which;
    return code;
}

void cmdline_values(struct view *view, struct asked *asked)
{
    u32 column;

    give(asked, wheres[view->s.cmdline]);
    if (editor->typewriter)
        return;
    give(asked, "%u", view->s.cmdline == LINE_OFF ? 0 : command_row(view, &column));
    give_text(asked, editor->command, editor->command_length);
}

int curline_set(struct view *view, struct words *words)
{
    struct position position;
    const char *word;
    u32 length;

    if (!take_word(words, &word, &length))
        return missing_operand();
    /* ON alone is in the middle. */
    if (word_means(word, length, "ON", 2) && !take_word(words, &word, &length))
        word = "M", length = 1;
    if (!position_word(word, length, &position))
        return bad_operand(word, length);
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    view->s.curline = position;
    return 0;
}

/* Where it is, in which row, its text, whether it was changed in this session, and how. */
void curline_values(struct view *view, struct asked *asked)
{
    struct row *row = is_line(view, view->current) ? line_row(view, view->current) : NULL;

    give_position(asked, &view->s.curline);
    if (asked->rows)
        return;
    give(asked, "%u", row_of_position(&view->s.curline));
    if (row == NULL) {
        give_text(asked, "", 0);
        give_switch(asked, false);
        give(asked, "OLD");
        return;
    }
    give_text(asked, row->text, row->length);
    give_switch(asked, row->flags != 0);
    give(asked, row->flags & ROW_NEW ? "NEW" : row->flags & ROW_CHANGED ? "OLD CHANGED" : "OLD");
}

int msgline_set(struct view *view, struct words *words)
{
    struct position position = view->s.message_at;
    u32 rows = view->s.message_rows, length;
    bool overlay = false;
    const char *word;

    if (!take_word(words, &word, &length))
        return missing_operand();
    if (word_means(word, length, "OFF", 3)) {
        if (no_words_left(words) != 0)
            return XE_OPERAND;
        view->s.message_line = false;
        return 0;
    }
    if (!word_means(word, length, "ON", 2))
        return bad_operand(word, length);
    if (take_word(words, &word, &length) && !position_word(word, length, &position))
        return bad_operand(word, length);
    if (take_word(words, &word, &length)) {
        if (word_means(word, length, "OVERLAY", 1))
            overlay = true;
        else if (!number_word(word, length, &rows) || rows == 0 || rows > ROWS_MOST)
            return bad_number(word, length);
        else if (take_word(words, &word, &length) && !(overlay = word_means(word, length, "OVERLAY", 1)))
            return bad_operand(word, length);
    }
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    view->s.message_line = true;
    view->s.message_at = position;
    view->s.message_rows = rows;
    view->s.overlay = overlay;
    return 0;
}

void msgline_values(struct view *view, struct asked *asked)
{
    give_switch(asked, view->s.message_line);
    give_position(asked, &view->s.message_at);
    give(asked, "%u", view->s.message_rows);
    give(asked, view->s.overlay ? "OVERLAY" : "");
}

int msgmode_set(struct view *view, struct words *words)
{
    static const char *const lengths[] = { "SHORT", "LONG" };
    static const u8 least[] = { 1, 1 };
    u32 length, which = view->s.message_long;
    const char *word;
    bool on;
    int code = 0;

    if (!take_word(words, &word, &length))
        return missing_operand();
    on = word_means(word, length, "ON", 2);
    if (!on && !word_means(word, length, "OFF", 3))
        return bad_operand(word, length);
    if (words_left(words))
        code = choose(words, lengths, least, COUNT_OF(lengths), &which);
    code = code != 0 ? code : no_words_left(words);
    if (code == 0) {
        view->s.messages = on;
        view->s.message_long = which == 1;
    }
    return code;
}

void msgmode_values(struct view *view, struct asked *asked)
{
    give_switch(asked, view->s.messages);
    give(asked, view->s.message_long ? "LONG" : "SHORT");
}

static const char *const prefixes[] = { "OFF", "ON", "NULLS" };

/* SYNONYM new old. */
static int prefix_synonym(struct words *words)
{
    struct synonym *synonym, **at = &editor->prefixes;
    const char *made, *old;
    u32 length, more;
    char name[8];

    if (!take_word(words, &made, &length) || !take_word(words, &old, &more))
        return missing_operand();
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    if (length > 5 || more > sizeof name)
        return bad_operand(length > 5 ? made : old, length > 5 ? length : more);
    pad(name, sizeof name, made, length);
    for (u32 n = 0; n < sizeof name; n++)
        name[n] = upper(name[n]);
    synonym = obtain(sizeof *synonym + more, OWNER_SYSTEM);
    if (synonym == NULL)
        return no_room();
    while (*at != NULL && memcmp((*at)->name, name, sizeof name) != 0)
        at = &(*at)->next;
    if (*at != NULL) {
        struct synonym *before = *at;

        *at = before->next;
        release(before);
    }
    memcpy(synonym->name, name, sizeof name);
    for (u32 n = 0; n < more; n++)
        synonym->text[n] = upper(old[n]);
    synonym->length = more;
    synonym->next = editor->prefixes;
    editor->prefixes = synonym;
    return 0;
}

int prefix_set(struct view *view, struct words *words)
{
    static const char *const sides[] = { "LEFT", "RIGHT" };
    static const u8 least[] = { 3, 2, 1 }, of_sides[] = { 1, 1 };
    u32 which, length, side = view->s.prefix_right;
    struct words here = *words;
    const char *word;
    int code;

    if (take_word(&here, &word, &length) && word_means(word, length, "SYNONYM", 1))
        return prefix_synonym(&here);
    code = choose(words, prefixes, least, COUNT_OF(prefixes), &which);

    if (code == 0 && words_left(words))
        code = choose(words, sides, of_sides, COUNT_OF(sides), &side);
    code = code != 0 ? code : no_words_left(words);
    if (code == 0) {
        view->s.prefix = (enum prefix)which;
        view->s.prefix_right = side == 1;
    }
    return code;
}

/* With SYNONYM name or *, what stands for what. */
void prefix_values(struct view *view, struct asked *asked)
{
    const char *word;
    u32 length;

    if (take_word(&asked->words, &word, &length) && word_means(word, length, "SYNONYM", 1)) {
        bool one = take_word(&asked->words, &word, &length) && *word != '*';

        asked->list = true;
        for (const struct synonym *synonym = editor->prefixes; synonym != NULL; synonym = synonym->next)
            if (!one || (length <= 8 && word_means(word, length, synonym->name, length)))
                give(asked, "%t %l", synonym->name, synonym->text, synonym->length);
        return;
    }
    give(asked, prefixes[view->s.prefix]);
    give(asked, view->s.prefix_right ? "RIGHT" : "LEFT");
}

int filler_set(struct view *view, struct words *words)
{
    char c = ' ';
    int code = words_left(words) ? character_word(words, &c) : 0;

    code = code != 0 ? code : no_words_left(words);
    if (code == 0)
        view->s.filler = c;
    return code;
}

void filler_values(struct view *view, struct asked *asked) { give_text(asked, &view->s.filler, 1); }

/* Colours and highlighting, as the data stream has them. */
static const struct { const char *name; u32 least; u8 code;
} colours[] =
    {
        {"DEFAULT", 1, 0x00}, {"BLUE", 1, 0xf1},      {"RED", 1, 0xf2},    {"PINK", 1, 0xf3},
        {"GREEN", 1, 0xf4},   {"TURQUOISE", 1, 0xf5}, {"YELLOW", 1, 0xf6}, {"WHITE", 1, 0xf7},
},
  highlights[] = {{"NONE", 3, 0x00}, {"BLINK", 3, 0xf1}, {"REVVIDEO", 3, 0xf2}, {"UNDERLINE", 1, 0xf4}};

static const char *const areas[AREAS] = {
    "ARROW",  "CMDLINE", "CURLINE", "FILEAREA", "IDLINE",  "MSGLINE", "PENDING",
    "PREFIX", "SCALE",   "SHADOW",  "STATAREA", "TABLINE", "TOFEOF",
};
static const u8 area_least[AREAS] = { 1, 1, 2, 1, 1, 1, 1, 2, 1, 2, 2, 1, 2 };

/* Words that say how a field looks, as many as there are. */
void look_words(struct words *words, struct look *look)
{
    for (;;) {
        struct words here = *words;
        const char *word;
        u32 length, n;

        if (!take_word(&here, &word, &length))
            return;
        for (n = 0; n < COUNT_OF(highlights); n++)
            if (word_means(word, length, highlights[n].name, highlights[n].least))
                break;
        if (n < COUNT_OF(highlights)) {
            look->highlight = highlights[n].code;
        } else if (word_means(word, length, "HIGH", 1)) {
            look->high = true;
        } else if (word_means(word, length, "NOHIGH", 1)) {
            look->high = false;
        } else if (word_means(word, length, "INVISIBLE", 1)) {
            look->invisible = true;
        } else if (word_means(word, length, "PS0", 3)) {
            ;
        } else {
            for (n = 0; n < COUNT_OF(colours); n++)
                if (word_means(word, length, colours[n].name, colours[n].least))
                    break;
            if (n == COUNT_OF(colours))
                return;
            look->colour = colours[n].code;
        }
        *words = here;
    }
}

int color_set(struct view *view, struct words *words)
{
    const char *word;
    u32 length, n = 0;
    struct words rest;
    struct look look;
    bool all;

    (void)view;
    if (!take_word(words, &word, &length))
        return missing_operand();
    all = length == 1 && *word == '*';
    while (!all && n < AREAS && !word_means(word, length, areas[n], area_least[n]))
        n++;
    if (n == AREAS)
        return bad_operand(word, length);
    rest = *words;
    look_words(&rest, &look);
    if (words_left(&rest))
        return no_words_left(&rest);
    for (u32 k = all ? 0 : n; k < AREAS && (all || k == n); k++) {
        rest = *words;
        look_words(&rest, &editor->looks[k]);
    }
    editor->display.whole = true;
    return 0;
}

static const char *name_of(u8 code, bool colour)
{
    u32 n = 0;

    while ((colour ? colours[n].code : highlights[n].code) != code)
        n++;
    return colour ? colours[n].name : highlights[n].name;
}

void color_values(struct view *view, struct asked *asked)
{
    const char *word;
    u32 length;
    bool one = take_word(&asked->words, &word, &length) && *word != '*';

    (void)view;
    asked->list = true;
    for (u32 n = 0; n < AREAS; n++) {
        const struct look *look = &editor->looks[n];

        if (!one || word_means(word, length, areas[n], area_least[n]))
            give(asked, "%s %s %s %s PS0", areas[n], name_of(look->colour, true), name_of(look->highlight, false),
                 look->high ? "HIGH" : "NOHIGH");
    }
}

/* colour highlight intensity, and the symbol set that there is. */
void look_text(char text[64], const struct look *look)
{
    format(text, 64, "%s %s %s PS0", name_of(look->colour, true), name_of(look->highlight, false),
           look->invisible ? "INVISIBLE" : look->high ? "HIGH" : "NOHIGH");
}

static void drop_reserved(struct view *view, const struct position *position)
{
    for (struct reserved **at = &view->reserved; *at != NULL;) {
        struct reserved *reserved = *at;

        if (position != NULL && (reserved->at.middle != position->middle || reserved->at.n != position->n)) {
            at = &reserved->next;
            continue;
        }
        *at = reserved->next;
        release(reserved);
    }
}

/* The number of a look like this one; lines that look the same share it. AREAS if there is no room for another. */
u32 look_number(const struct look *look)
{
    for (u32 n = AREAS; n < LOOKS_MOST; n++) {
        if (n >= editor->look_count)
            editor->looks[editor->look_count = n] = *look;
        editor->look_count += n >= editor->look_count;
        if (editor->looks[n].colour == look->colour && editor->looks[n].highlight == look->highlight &&
            editor->looks[n].high == look->high && editor->looks[n].invisible == look->invisible)
            return n;
    }
    return AREA_IDLINE;
}

/* position [look] HIGH|NOHIGH [text], or position|* OFF. */
int reserved_set(struct view *view, struct words *words)
{
    struct position position;
    struct reserved *reserved;
    struct look look = { 0, 0, false, false };
    const char *word;
    u32 length, text;
    struct words here;
    bool all;

    if (!take_word(words, &word, &length))
        return missing_operand();
    all = length == 1 && *word == '*';
    if (!all && !position_word(word, length, &position))
        return bad_operand(word, length);
    here = *words;
    if (take_word(&here, &word, &length) && word_means(word, length, "OFF", 3)) {
        drop_reserved(view, all ? NULL : &position);
        return no_words_left(&here);
    }
    if (all)
        return bad_operand(word, length);
    /* In the row of the current line: that is shown in the next one that is free. */
    look_words(words, &look);
    text_operand(words);
    text = (u32)(words->end - words->at);
    reserved = obtain(sizeof *reserved + text, OWNER_SYSTEM);
    if (reserved == NULL)
        return no_room();
    drop_reserved(view, &position);
    reserved->at = position;
    reserved->look = look_number(&look);
    reserved->length = text;
    memcpy(reserved->text, words->at, text);
    reserved->next = view->reserved;
    view->reserved = reserved;
    return 0;
}

/* The rows, or with * what is in each. */
void reserved_values(struct view *view, struct asked *asked)
{
    char rows[COMMAND_MOST];
    u32 used = 0;

    if (!asked->rows && (!words_left(&asked->words) || *asked->words.at != '*')) {
        for (const struct reserved *reserved = view->reserved; reserved != NULL; reserved = reserved->next) {
            const struct position *at = &reserved->at;

            used += format(rows + used, sizeof rows - used, used > 0 ? " " : "");
            used += format(rows + used, sizeof rows - used, !at->middle ? "%d" : at->n == 0 ? "M" : at->n > 0 ? "M+%d"
                                                                                                              : "M%d",
                           at->n);
        }
        give_text(asked, rows, used);
        return;
    }
    asked->list = !asked->rows;
    for (const struct reserved *reserved = view->reserved; reserved != NULL; reserved = reserved->next) {
        const struct look *look = &editor->looks[reserved->look];
        const struct position *at = &reserved->at;
        char where[12];

        if (asked->rows) {
            give_position(asked, at);
            continue;
        }
        format(where, sizeof where, !at->middle ? "%d" : at->n == 0 ? "M" : at->n > 0 ? "M+%d" : "M%d", at->n);
        give(asked, "%s %s %s PS0 %s %l", where, name_of(look->colour, true), name_of(look->highlight, false),
             look->high ? "HIGH" : "NOHIGH", reserved->text, reserved->length);
    }
}
