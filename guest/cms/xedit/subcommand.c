/*
 * Subcommands: what a line that was typed, or that a macro says, stands for.
 *
 * A word that begins as a target does moves the line pointer. Any other is a synonym, a macro (first with SET MACRO ON,
 * else last), a subcommand, an option of SET without that word, and at last a command of CMS.
 */
#include "../nucleus/exec.h"
#include "xedit.h"

/* A macro has to find what an exec wants of the stack, or the editor would end with it. */
enum { STACK_LEFT = EXEC_STACK + 0x1000, DEEPEST = 60 };

struct known { const char *name; u32 least; subcommand_function *perform; };

#define SUBCOMMAND(name, least, function) subcommand_function function;
#include "xedit-subcommands.h"
#undef SUBCOMMAND

#define SUBCOMMAND(name, least, function) { name, least, function },
static const struct known table[] = {
#include "xedit-subcommands.h"
};

static const struct known *known(const char *word, u32 length)
{
    char first = length > 0 ? (char)(*word | 0x40) : 0;

    /* Most of them begin with another character. */
    for (u32 n = 0; n < COUNT_OF(table); n++)
        if ((table[n].name[0] | 0x40) == first && word_means(word, length, table[n].name, table[n].least))
            return &table[n];
    return NULL;
}

const char *subcommand_name(const char *word, u32 length)
{
    const struct known *found = known(word, length);

    return found != NULL ? found->name : NULL;
}

static u32 word_of(const char *text, u32 length)
{
    u32 n = 0;

    while (n < length && text[n] != ' ')
        n++;
    return n;
}

static bool begins_target(char c)
{
    return c == ':' || c == '+' || c == '-' || c == '*' || c == '.' || c == '/' || c == '~' || c == 0x5f || is_digit(c);
}

static int unknown(const char *word, u32 length)
{
    char shown[64];

    format(shown, sizeof shown, "%l", word, length < 60 ? length : 60);
    message("XSU", 542, 'E', shown);
    return XE_UNKNOWN;
}

static int perform_in(subcommand_function *perform_it, const char *at, const char *end)
{
    struct words words = { at, end };

    /* The cursor alone changes nothing that is laid out. */
    editor->stale = editor->stale || (perform_it != cursor_subcommand && perform_it != command_subcommand);
    return perform_it(editor->view, &words);
}

/* The subcommand of that name, or SET without its word; false: there is none. */
static bool built_in(const char *text, u32 length, int *code)
{
    u32 n = letters(text, length);
    const struct known *found = known(text, n);
    struct words words = { text, text + length };

    if (found == NULL && n == 0 && length > 0)
        found = known(text, n = 1);
    if (found != NULL && editor->view->file->browsed && browse_refuses(found->name)) {
        *code = XE_CHANGED;
        return true;
    }
    if (found != NULL) {
        *code = perform_in(found->perform, text + n, text + length);
        return true;
    }
    if (!is_option(text, letters(text, length)))
        return false;
    editor->stale = true;
    *code = set_option(editor->view, &words);
    return true;
}

static bool macro(const char *text, u32 length, int *code)
{
    u32 n = word_of(text, length);
    bool found = false;

    if (n == 0 || n > 8)
        return false;
    *code = run_macro(text, n, text + n, length - n, &found);
    return found;
}

/* Subcommands of a file that is not there: LOAD failed, or the last file has been left. */
static int ready(const char *text, u32 length)
{
    u32 n = letters(text, length);
    struct view *view = editor->view;
    struct words none = { text, text };

    if (view == NULL || editor->over || view->file->failed)
        return XE_OVER;
    if (view->file->loaded || word_means(text, n, "LOAD", 4))
        return 0;
    return load_file_of(view, &none);
}

static int resolve(const char *text, u32 length, bool plain, bool synonyms);

/* What a synonym stands for is no synonym; with LINEND it is several subcommands. */
static int expanded(const struct synonym *synonym, const char *text, u32 length)
{
    int code = 0;

    while (length > 0 && editor != NULL && !editor->over) {
        u32 n = 0, skip;

        while (n < length && !(synonym->linend != 0 && text[n] == synonym->linend))
            n++;
        for (skip = 0; skip < n && text[skip] == ' '; skip++)
            ;
        if (skip < n) {
            int here = resolve(text + skip, n - skip, false, false);

            code = code != 0 ? code : here;
        }
        n += n < length;
        text += n;
        length -= n;
    }
    return code;
}

static int resolve(const char *text, u32 length, bool plain, bool synonyms)
{
    struct view *view = editor->view;
    const struct synonym *synonym;
    char other[COMMAND_MOST];
    u32 other_length;
    int code;

    if (synonyms && (synonym = own_synonym(text, length, other, &other_length)) != NULL)
        return expanded(synonym, other, other_length);
    if (begins_target(*text)) {
        static const char name[] = "LOCATE";

        return perform_in(known(name, sizeof name - 1)->perform, text, text + length);
    }
    if (!plain && view->s.macro && macro(text, length, &code))
        return code;
    if (built_in(text, length, &code))
        return code;
    if (plain)
        return unknown(text, word_of(text, length));
    if (!view->s.macro && macro(text, length, &code))
        return code;
    if (view->s.impcmscp) {
        code = run_cms(text, length, CALL_TYPED);
        if (code != NOT_FOUND || !command_unknown)
            return code;
    }
    return unknown(text, word_of(text, length));
}

static int perform_text(const char *text, u32 length, bool plain)
{
    char here;
    int code;

    while (length > 0 && *text == ' ')
        text++, length--;
    length = length_of(text, length);
    if (length == 0)
        return 0;
    if (&here < stack_limit + STACK_LEFT || editor->deep >= DEEPEST) {
        message("XSU", 554, 'E');
        return RC_STORAGE;
    }
    code = ready(text, length);
    if (code != 0)
        return code;
    editor->deep++;
    code = resolve(text, length, plain, !plain && editor->synonyms_on);
    editor->deep--;
    return code;
}

struct work { const char *text; u32 length; bool plain; };

static int perform_work(const void *with)
{
    const struct work *work = with;

    return perform_text(work->text, work->length, work->plain);
}

/* When a subcommand finds no storage it is over, and the editor goes on. */
static int perform_safely(const char *text, u32 length, bool plain)
{
    struct work work = { text, length, plain };
    u32 deep = editor->deep, macros = editor->macros;
    int code = with_storage(perform_work, &work);

    if (editor != NULL) {
        editor->deep = deep;
        editor->macros = macros;
    }
    return code;
}

int execute(const char *text, u32 length) { return perform_safely(text, length, false); }
int execute_command(const char *text, u32 length) { return perform_safely(text, length, true); }

static void remember(const char *text, u32 length)
{
    if (length == 0 || length > COMMAND_MOST)
        return;
    memmove(editor->remembered[1], editor->remembered[0], sizeof editor->remembered - sizeof editor->remembered[0]);
    memmove(editor->remembered_length + 1, editor->remembered_length, (REMEMBERED - 1) * sizeof(u32));
    memcpy(editor->remembered[0], text, length);
    editor->remembered_length[0] = length;
    editor->remembered_count += editor->remembered_count < REMEMBERED;
    editor->recalled = 0;
}

/* Those whose operand may be any text: LINEND does not end them. */
static bool takes_all(const char *text, u32 length)
{
    struct words words = { text, text + length };
    const char *word;
    u32 n;

    if (word_means(text, letters(text, length), "SET", 3)) {
        (void)take_word(&words, &word, &n);
        past_blanks(&words);
        text = words.at;
        length = (u32)(words.end - words.at);
    }
    n = letters(text, length);
    return word_means(text, n, "LINEND", 6) || word_means(text, n, "SYNONYM", 3) || word_means(text, n, "PF", 2) ||
           word_means(text, n, "PA", 2) || word_means(text, n, "ENTER", 3) || word_means(text, n, "SUPERSET", 3);
}

/* Subcommands between LINEND characters; what the first one that failed has returned. `keep`: = performs the last
 * again. */
int execute_several(const char *text, u32 length, bool keep)
{
    int code = 0, first = 0;

    while (length > 0) {
        u32 n = 0;

        while (n < length && !(editor->linend_on && text[n] == editor->linend))
            n++;
        if (takes_all(text, length))
            n = length;
        if (keep && *text != '=' && *text != '?' && length_of(text, n) > 0 &&
            !word_means(text, letters(text, n), "REPEAT", 4)) {
            editor->last_length = n < COMMAND_MOST ? n : COMMAND_MOST;
            memcpy(editor->last, text, editor->last_length);
        }
        code = execute(text, n);
        first = first != 0 ? first : code;
        if (editor == NULL || editor->over)
            break;
        text += n;
        length -= n;
        if (length > 0)
            text++, length--;
    }
    return first;
}

/* A line as typed: subcommands between LINEND characters; one that begins with & stays on the command line. */
int execute_line(const char *text, u32 length)
{
    while (length > 0 && *text == ' ')
        text++, length--;
    length = length_of(text, length);
    if (length == 0)
        return 0;
    if (*text != '?' && *text != '=')
        remember(text, length);
    if (*text == '&' && length > 1) {
        editor->next_length = length < COMMAND_MOST ? length : COMMAND_MOST;
        memcpy(editor->next_command, text, editor->next_length);
        text++, length--;
    }
    return execute_several(text, length, true);
}

int command_subcommand(struct view *view, struct words *words)
{
    (void)view;
    past_blanks(words);
    return words->at < words->end ? execute_command(words->at, (u32)(words->end - words->at)) : missing_operand();
}

int macro_subcommand(struct view *view, struct words *words)
{
    const char *word;
    u32 length;
    bool found = false;
    int code;

    (void)view;
    if (!take_word(words, &word, &length))
        return missing_operand();
    code = length <= 8 ? run_macro(word, length, words->at, (u32)(words->end - words->at), &found) : XE_UNKNOWN;
    return found ? code : unknown(word, length);
}

/* CMS alone: commands until RETURN. */
static int subset(void)
{
    static const char prompt[] = "CMS SUBSET";
    char line[256];
    u32 length;
    int code = 0;

    notes_end();
    type_line(prompt, sizeof prompt - 1);
    for (;;) {
        read_console(line, &length);
        notes_begin();
        if (word_means(line, length_of(line, length), "RETURN", 6))
            return code;
        code = run_cms(line, length, CALL_TYPED);
        if (editor == NULL || editor->over)
            return code;
        if (code == NOT_FOUND && command_unknown)
            message("XSU", 542, 'E', "CMS");
        notes_end();
    }
}

int cms_subcommand(struct view *view, struct words *words)
{
    (void)view;
    past_blanks(words);
    if (words->at == words->end)
        return subset();
    return run_cms(words->at, (u32)(words->end - words->at), CALL_TYPED);
}

int cp_subcommand(struct view *view, struct words *words)
{
    char line[COMMAND_MOST];
    u32 length;

    (void)view;
    past_blanks(words);
    length = format(line, sizeof line, "CP %l", words->at, (u32)(words->end - words->at));
    return run_cms(line, length, CALL_COMMAND);
}

/* = performs the last subcommand again; with an operand that is performed before. */
int equals_subcommand(struct view *view, struct words *words)
{
    char again[COMMAND_MOST];
    u32 length = editor->last_length;
    int code = 0;

    (void)view;
    memcpy(again, editor->last, length);
    if (words_left(words))
        code = execute(words->at, (u32)(words->end - words->at));
    return code != 0 ? code : execute(again, length);
}

/* ? puts the last line back on the command line; again, the one before. */
int recall_subcommand(struct view *view, struct words *words)
{
    u32 n = editor->recalled;

    (void)view;
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    if (editor->remembered_count == 0)
        return 0;
    editor->next_length = editor->remembered_length[n];
    memcpy(editor->next_command, editor->remembered[n], editor->next_length);
    editor->recalled = (n + 1) % editor->remembered_count;
    return 0;
}

/* The subcommand, in a macro the one that it has said before, is performed on each line up to the target. */
int repeat_subcommand(struct view *view, struct words *words)
{
    bool own = editor->macros > 0 && editor->macros_last_length > 0;
    char again[COMMAND_MOST];
    u32 length = own ? editor->macros_last_length : editor->last_length, count;
    struct range range;
    int code = range_operand(view, words, true, &range);

    if (code != 0)
        return code;
    memcpy(again, own ? editor->macros_last : editor->last, length);
    count = range.last + 1 - range.first;
    for (u32 n = 0; n < count && code == 0; n++) {
        code = execute(range.up ? "UP" : "NEXT", range.up ? 2 : 4);
        if (code == 0)
            code = execute(again, length);
    }
    return code;
}
