/* VSCREEN commands. */
#include "window.h"

static bool one_of(const struct look *a, const struct look *b) { return memcmp(a, b, sizeof *a) == 0; }

/* One word that says how a field looks; false: it does not. */
static bool attribute(const char *text, u32 length, struct look *look)
{
    struct words words = { text, text + length };

    look_words(&words, look);
    return words.at == words.end;
}

/* Options of DEFINE and of SET VSCREEN: attributes, and whether fields are protected. */
int vscreen_options(const struct call *call, struct look *look, bool *open)
{
    for (u32 n = operands(call) + 1; n < call->count && call->token[n][0] != ')'; n++) {
        const char *word = call->token[n], *text;
        u32 length = word_of(call, n, &text);

        if (abbreviates(word, "PROTECT", 2))
            *open = false;
        else if (abbreviates(word, "NOPROTECT", 4))
            *open = true;
        else if (!attribute(text, length, look))
            return bad_word(word);
    }
    return 0;
}

/* DEFINE v lines columns top bottom [( attributes */
static int define(const struct call *call, u32 n)
{
    u32 lines, columns, top, bottom;
    struct look look = { .high = false };
    struct vscreen *screen;
    bool open = false;
    int code;

    if (n >= operands(call))
        return missing();
    code = operand_number(call, n + 1, 1, LINES_MOST, &lines);
    code = code != 0 ? code : operand_number(call, n + 2, 1, WIDE_MOST, &columns);
    code = code != 0 ? code : operand_number(call, n + 3, 0, WIDE_MOST, &top);
    code = code != 0 ? code : operand_number(call, n + 4, 0, WIDE_MOST, &bottom);
    if (code == 0 && operands(call) > n + 5)
        code = unexpected(call->token[n + 5]);
    code = code != 0 ? code : vscreen_options(call, &look, &open);
    if (code != 0)
        return code;
    if (is(call->token[n], "=")) {
        return bad_word(call->token[n]);
    } else if (vscreen_find(call->token[n]) != NULL) {
        message("WIN", 924, 'E', call->token[n]);
        return RC_WRONG_SCREEN;
    }
    screen = vscreen_define(call->token[n], lines, columns, top, bottom);
    if (screen == NULL) {
        message("WIN", 109, 'S');
        return RC_STORAGE;
    }
    screen->usual = look;
    screen->open = open;
    return 0;
}

/* A line of a screen: 0 is the one after the last; reserved ones are also counted from the bottom. */
static int place(const struct call *call, u32 n, struct vscreen *screen, bool reserved, struct vscreen_place *at)
{
    const char *word = call->token[n];
    bool below = word[0] == '-';
    u32 line;
    int code;

    if (n + 1 >= operands(call))
        return missing();
    if (!parse_number(word + below, name_length(word) - below, &line) || line > LINES_MOST)
        return bad_word(word);
    code = operand_number(call, n + 1, 1, screen->columns, &at->column);
    if (code != 0)
        return code;
    at->reserved = reserved;
    at->line = below ? -(int)line : (int)line;
    if (!reserved && line == 0) {
        vscreen_append(screen, "", 0);
        at->line = (int)screen->used;
    }
    if (vscreen_has(screen, at))
        return 0;
    message("WIN", 929, 'E', word, screen->name);
    return RC_SYNTAX;
}

/* What WRITE writes: where its text is, and how. */
enum written { WRITE_FIELD, WRITE_DATA, WRITE_COLOUR, WRITE_HIGHLIGHT, WRITE_SYMBOLS };
static const char *const written_words[] = { "FIELD", "DATA", "COLOR", "EXTHI", "PSS" };
struct writing { struct look look; bool reserved, open, blanks; enum written what; const char *text; u32 length; };

static bool written_as(const char *word, enum written *what)
{
    u32 n = 0;

    while (n < COUNT_OF(written_words) && !is(word, written_words[n]))
        n++;
    *what = (enum written)n;
    return n < COUNT_OF(written_words);
}

static int writing_options(const struct call *call, struct writing *writing)
{
    for (u32 n = operands(call) + 1; n < call->count; n++) {
        const char *word = call->token[n], *text;
        u32 length = word_of(call, n, &text);
        enum written what;

        if (written_as(word, &what)) {
            writing->what = what;
            writing->text = text + length + (text + length < call->end);
            writing->length = (u32)(call->end - writing->text);
            return 0;
        }
        if (abbreviates(word, "RESERVED", 3))
            writing->reserved = true;
        else if (abbreviates(word, "PROTECT", 2))
            writing->open = false;
        else if (abbreviates(word, "NOPROTECT", 4))
            writing->open = true;
        else if (abbreviates(word, "NULLS", 3))
            writing->blanks = false;
        else if (abbreviates(word, "BLANKS", 3))
            writing->blanks = true;
        else if (!attribute(text, length, &writing->look))
            return bad_word(word);
    }
    return 0;
}

/*
 * Looks of single characters: a letter each says which, a blank that it stays. What follows the text is as its field.
 * Displays have no other symbols than those of PS0.
 */
static int write_inks(struct vscreen *screen, const struct vscreen_place *at, const struct writing *writing,
                      u32 length)
{
    /* A letter's place is the code; where several are for one, the later ones have it once more. */
    static const char *const letters[] = { [WRITE_COLOUR] = "DBRPGTYWdbrpgtyw",
                                           [WRITE_HIGHLIGHT] = "NBR-U---nbr-u---Dd", [WRITE_SYMBOLS] = "0" };
    bool colour = writing->what == WRITE_COLOUR;
    u8 ink[WIDE_MOST + 1];
    name bad;

    for (u32 n = 0; n < length; n++) {
        const char *known = letters[writing->what];
        u32 code = 0;

        if (n < writing->length && writing->text[n] == ' ') {
            ink[n] = NO_INK;
            continue;
        }
        while (n < writing->length && known[code] != 0 && known[code] != writing->text[n])
            code++;
        if (known[code] == 0 || known[code] == '-') {
            pad(bad, sizeof bad, writing->text + n, 1);
            return bad_word(bad);
        }
        code = code < 16 ? code & 7 : 0;
        ink[n] = (u8)(colour ? code : code << INK_SHIFT);
    }
    if (writing->what == WRITE_SYMBOLS ||
        vscreen_ink(screen, at, colour ? INK_COLOUR : INK_HIGHLIGHT, ink, length))
        return 0;
    message("WIN", 109, 'S');
    return RC_STORAGE;
}

/* WRITE v line column length|* [( RESERVED attributes FIELD|DATA|COLOR|EXTHI|PSS text */
static int write_screen(const struct call *call, u32 n, struct vscreen *screen)
{
    struct writing writing = { .look = screen->usual, .open = screen->open, .what = WRITE_FIELD, .text = "" };
    struct vscreen_place at;
    char text[WIDE_MOST + 1];
    u32 most, length;
    int code = writing_options(call, &writing);
    bool field = writing.what == WRITE_FIELD, inks = writing.what > WRITE_DATA;

    /* Line 0 is a new one, without characters that could look so. */
    if (code == 0 && inks && n + 1 < operands(call) && is(call->token[n + 1], "0"))
        code = bad_word(call->token[n + 1]);
    code = code != 0 ? code : place(call, n + 1, screen, writing.reserved, &at);
    if (code != 0)
        return code;
    most = screen->columns - at.column + 1;
    if (n + 3 >= operands(call) || is(call->token[n + 3], "*")) {
        length = n + 3 < operands(call) ? most : writing.length + field;
        length = length < most ? length : most;
    } else {
        code = operand_number(call, n + 3, 0, WIDE_MOST, &length);
        if (code != 0)
            return code;
        length = length == 0 ? writing.length + field : length;
        length = length < most ? length : most;
    }
    if (operands(call) > n + 4)
        return unexpected(call->token[n + 4]);
    if (inks)
        return write_inks(screen, &at, &writing, length);
    if (field && length > 0) {
        vscreen_field(screen, &at, look_code(&writing.look, writing.open));
        if (at.column == screen->columns)
            return 0;
        at.column++;
        length--;
    } else if (!field && !one_of(&writing.look, &screen->usual)) {
        return bad_word(call->token[operands(call) + 1]);
    }
    memset(text, writing.blanks ? ' ' : 0, sizeof text);
    memcpy(text, writing.text, writing.length < length ? writing.length : length);
    vscreen_write(screen, &at, text, length);
    if (field && screen->ink != NULL) {
        static const u8 none[WIDE_MOST + 1];

        (void)vscreen_ink(screen, &at, INK_COLOUR | INK_HIGHLIGHT, none, length);
    }
    return 0;
}

/* CURSOR v line column [( RESERVED */
static int cursor(const struct call *call, u32 n, struct vscreen *screen)
{
    int reserved = false;
    const struct option known[] = {
        FLAG("RESERVED", 3, &reserved, true),
    };
    struct vscreen_place at;
    int code = options("WIN", call, known, COUNT_OF(known));

    code = code != 0 ? code : place(call, n + 1, screen, reserved, &at);
    if (code != 0)
        return code;
    if (operands(call) > n + 3)
        return unexpected(call->token[n + 3]);
    screen->cursor = at;
    screen->cursor_set = true;
    return 0;
}

/* WAITT [v]: what has been written is on the display; where there is more, the user scrolls first. */
static int wait_shown(struct vscreen *screen)
{
    for (;;) {
        struct window *window = here.top;
        u32 key;

        while (window != NULL && !(window_visible(window) && window_more(window) &&
                                   (screen == NULL || window->vscreen == screen)))
            window = window->below;
        if (window == NULL)
            return show_screen() ? 0 : (message("WIN", 920, 'E'), RC_UNSUPPORTED);
        here.status = "Press a key for more";
        if (!take_keys(&key)) {
            message("WIN", 920, 'E');
            return RC_UNSUPPORTED;
        }
        here.status = NULL;
        window_scroll(window, WAY_FORWARD, 0);
    }
}

static int erase(const struct call *call, u32 n, struct vscreen *screen)
{
    (void)call;
    (void)n;
    vscreen_clear(screen);
    return 0;
}

static int alarm(const struct call *call, u32 n, struct vscreen *screen)
{
    (void)call;
    (void)n;
    (void)screen;
    here.alarm = true;
    return 0;
}

static int drop(const struct call *call, u32 n, struct vscreen *screen)
{
    (void)call;
    (void)n;
    if (here.on && is(screen->name, "CMS")) {
        message("WIN", 928, 'E', screen->name);
        return RC_WRONG_SCREEN;
    }
    vscreen_delete(screen);
    return 0;
}

/* CUE v [text]: STATUS says it until a command was typed, the windows of the screen come up, and the alarm sounds. */
static int cue(const struct call *call, u32 n, struct vscreen *screen)
{
    const char *text;
    u32 length = word_of(call, n + 1, &text);

    if (length == 0) {
        format(here.cue, sizeof here.cue, "Look at vscreen %t", screen->name);
    } else {
        length = length_of(text, (u32)(call->end - text));
        length = length < CUE_MOST ? length : CUE_MOST;
        memcpy(here.cue, text, length);
        here.cue[length] = 0;
    }
    for (struct window *window = here.top; window != NULL; window = window->below) {
        if (window->vscreen == screen && window->shown) {
            window_pop(window);
            break;
        }
    }
    here.alarm = here.stale = true;
    return 0;
}

static int wait_read(const struct call *call, u32 n, struct vscreen *screen)
{
    (void)call;
    (void)n;
    return waitread(screen);
}

static int read_screen(const struct call *call, u32 n, struct vscreen *screen)
{
    (void)call;
    (void)n;
    return read_fields(screen);
}

/* `alone`: nothing follows the screen's name. */
static const struct { const char *verb; u32 least; bool alone;
    int (*perform)(const struct call *call, u32 n, struct vscreen *screen); } verbs[] = {
    { "ALARM", 2, true, alarm }, { "CLEAR", 3, true, erase }, { "CUE", 3, false, cue }, { "CURSOR", 3, false, cursor },
    { "DELETE", 3, true, drop }, { "GET", 3, false, vscreen_get }, { "PUT", 3, false, vscreen_put },
    { "READ", 4, true, read_screen }, { "WAITREAD", 5, true, wait_read }, { "WRITE", 3, false, write_screen },
};

bool is_vscreen_verb(const name word)
{
    u32 n = 0;

    while (n < COUNT_OF(verbs) && !abbreviates(word, verbs[n].verb, verbs[n].least))
        n++;
    return n < COUNT_OF(verbs) || abbreviates(word, "DEFINE", 3) || is(word, "WAITT");
}

int vscreen_command_of(const struct call *call, const char *verb, u32 n)
{
    struct vscreen *screen;
    u32 k = 0;
    int code;

    if (abbreviates(verb, "DEFINE", 3))
        return define(call, n);
    if (is(verb, "WAITT")) {
        screen = n < operands(call) ? vscreen_operand(call, n, &code) : NULL;
        return n < operands(call) && screen == NULL ? code : wait_shown(screen);
    }
    while (k < COUNT_OF(verbs) && !abbreviates(verb, verbs[k].verb, verbs[k].least))
        k++;
    if (k == COUNT_OF(verbs))
        return bad_word(verb);
    screen = vscreen_operand(call, n, &code);
    if (screen == NULL)
        return code;
    if (verbs[k].alone && operands(call) > n + 1)
        return unexpected(call->token[n + 1]);
    return verbs[k].perform(call, n, screen);
}
