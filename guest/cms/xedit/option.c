/*
 * Options: SET, QUERY, EXTRACT, TRANSFER, MODIFY, PRESERVE and RESTORE by one table (help/xedset.txt).
 *
 * An option has a function that takes its operands and one that gives its values. QUERY says the values in a message,
 * EXTRACT puts them into variables of the macro, TRANSFER into the stack, MODIFY onto the command line.
 */
#include "xedit.h"

struct option_of_set { const char *name; u32 least; set_function *set; values_function *values; u32 flag; };

#define OPTION(name, least, function) set_function function##_set; values_function function##_values;
#define FACT(name, least, function) values_function function##_values;
#define SWITCH(name, least, member)
#include "xedit-options.h"
#undef OPTION
#undef FACT
#undef SWITCH

#define OPTION(name, least, function) { name, least, function##_set, function##_values, 0 },
#define FACT(name, least, function) { name, least, NULL, function##_values, 0 },
#define SWITCH(name, least, member) { name, least, NULL, NULL, offsetof(struct settings_of_view, member) + 1 },
static const struct option_of_set table[] = {
#include "xedit-options.h"
};

static bool can_be_set(const struct option_of_set *option) { return option->set != NULL || option->flag != 0; }

/*
 * The option, `to_set` one that SET has; `number` is that of PF5, and `used` what of the word is its name: letters, but
 * for SEQ8.
 */
static const struct option_of_set *option_of(const char *word, u32 length, bool to_set, u32 *used, u32 *number)
{
    u32 n = letters(word, length), digits = n;

    *number = 0;
    if (n == 0 && length > 0 && *word == '=')
        n = digits = 1;
    while (digits < length && is_digit(word[digits]))
        digits++;
    for (u32 k = 0; n > 0 && k < COUNT_OF(table); k++) {
        u32 named = n;
        bool keys;

        if ((table[k].name[0] | 0x40) != (char)(*word | 0x40) || (to_set && !can_be_set(&table[k])))
            continue;
        if (is_digit(table[k].name[strlen(table[k].name) - 1]))
            named = digits;
        if (!word_means(word, named, table[k].name, table[k].least))
            continue;
        keys = strcmp(table[k].name, "PF") == 0 || strcmp(table[k].name, "PA") == 0;
        *used = keys ? digits : named;
        if (keys && digits > n && !number_word(word + n, digits - n, number))
            return NULL;
        return &table[k];
    }
    return NULL;
}

bool is_option(const char *word, u32 length)
{
    u32 used, number;

    return option_of(word, length, true, &used, &number) != NULL;
}

int set_option(struct view *view, struct words *words)
{
    const struct option_of_set *option;
    u32 used, number, length;
    const char *word;

    past_blanks(words);
    word = words->at;
    length = (u32)(words->end - words->at);
    if (length == 0)
        return missing_operand();
    option = option_of(word, length, true, &used, &number);
    if (option == NULL) {
        (void)take_word(words, &word, &length);
        return bad_operand(word, length);
    }
    /* Of PF5 the number is the first operand. */
    words->at += number > 0 ? letters(word, length) : used;
    if (option->flag != 0)
        return switch_word(words, (bool *)((char *)&view->s + option->flag - 1));
    return option->set(view, words);
}

int set_subcommand(struct view *view, struct words *words) { return set_option(view, words); }

void give_text(struct asked *asked, const char *text, u32 length)
{
    asked->count++;
    asked->take(asked, text, length);
}

void give(struct asked *asked, const char *how, ...)
{
    char text[COMMAND_MOST];
    va_list list;
    u32 length;

    va_start(list, how);
    length = format_list(text, sizeof text, how, list);
    va_end(list);
    give_text(asked, text, length);
}

void give_switch(struct asked *asked, bool value) { give_text(asked, value ? "ON" : "OFF", value ? 2 : 3); }

/* All values of an option. */
static void ask(struct view *view, const struct option_of_set *option, struct asked *asked)
{
    if (option->flag != 0)
        give_switch(asked, *((bool *)((char *)&view->s + option->flag - 1)));
    else
        option->values(view, asked);
}

static const struct option_of_set *asked_option(struct words *words, struct asked *asked)
{
    const struct option_of_set *option;
    u32 used = 0;

    memset(asked, 0, sizeof *asked);
    past_blanks(words);
    option = option_of(words->at, (u32)(words->end - words->at), false, &used, &asked->number);
    if (option == NULL) {
        const char *word;
        u32 length;

        if (take_word(words, &word, &length))
            (void)bad_operand(word, length);
        else
            (void)missing_operand();
        return NULL;
    }
    words->at += used;
    asked->words = *words;
    format(asked->name, sizeof asked->name, asked->number > 0 ? "%s%u" : "%s", option->name, asked->number);
    return option;
}

/* QUERY: values side by side, or one a line. */
static void query_value(struct asked *asked, const char *text, u32 length)
{
    if (asked->list && !asked->rows) {
        char line[COMMAND_MOST];

        note_text(line, format(line, sizeof line, "%s %l", asked->name, text, length));
        return;
    }
    asked->length += format(asked->line + asked->length, sizeof asked->line - asked->length, " %l", text, length);
}

int query_subcommand(struct view *view, struct words *words)
{
    struct asked asked;
    const struct option_of_set *option = asked_option(words, &asked);

    if (option == NULL)
        return XE_OPERAND;
    asked.take = query_value;
    asked.length = format(asked.line, sizeof asked.line, "%s", asked.name);
    ask(view, option, &asked);
    if (!asked.list || asked.count == 0)
        note_text(asked.line, asked.length);
    return 0;
}

int modify_subcommand(struct view *view, struct words *words)
{
    struct asked asked;
    const struct option_of_set *option = asked_option(words, &asked);

    if (option == NULL)
        return XE_OPERAND;
    if (!can_be_set(option))
        return bad_operand(option->name, (u32)strlen(option->name));
    asked.take = query_value;
    asked.length = format(asked.line, sizeof asked.line, "SET %s", asked.name);
    ask(view, option, &asked);
    editor->next_length = asked.length;
    memcpy(editor->next_command, asked.line, asked.length);
    return 0;
}

/* The values of option `n` (from 0) or of the next one that has any, as QUERY says them or as SET takes them. False: no
 * more. */
bool option_line(struct view *view, u32 *n, bool as_set, char line[COMMAND_MOST], u32 *length)
{
    /* Of these the values are of this moment, or not what SET takes. */
    static const char *const left_out[] = {"=",       "ALT",   "AUTOSAVE", "CMDLINE",  "CURLINE",
                                           "FMODE",   "FNAME", "FTYPE",    "LASTLORC", "MASK",
                                           "PENDING", "POINT", "RANGE",    "SCREEN",   "SELECT"};

    for (; *n < COUNT_OF(table); ++*n) {
        const struct option_of_set *option = &table[*n];
        struct asked asked;
        bool out = !can_be_set(option);

        for (u32 k = 0; as_set && !out && k < COUNT_OF(left_out); k++)
            out = strcmp(option->name, left_out[k]) == 0;
        if (out)
            continue;
        memset(&asked, 0, sizeof asked);
        asked.words.at = asked.words.end = option->name;
        asked.take = query_value;
        format(asked.name, sizeof asked.name, "%s", option->name);
        asked.length = format(asked.line, sizeof asked.line, as_set ? "SET %s" : "%s", option->name);
        ask(view, option, &asked);
        if (asked.list || asked.count == 0)
            continue;
        *length = asked.length;
        memcpy(line, asked.line, asked.length);
        ++*n;
        return true;
    }
    return false;
}

static void set_variable(const char *variable, u32 number, const char *text, u32 length)
{
    char full[32];

    (void)exec_set(full, format(full, sizeof full, "%s.%u", variable, number), text, length);
}

static void extract_value(struct asked *asked, const char *text, u32 length)
{
    set_variable(asked->name, asked->count, text, length);
}

/* EXTRACT /option operands/option/: NAME.1 and so on, how many are NAME.0. */
int extract_subcommand(struct view *view, struct words *words)
{
    char delimiter;

    past_blanks(words);
    if (words->at >= words->end)
        return missing_operand();
    if (!exec_active()) {
        message("XMA", 631 + MESSAGE_SECOND, 'E', "EXTRACT");
        return XE_OPERAND;
    }
    delimiter = *words->at++;
    while (words->at < words->end) {
        struct words one = { words->at, words->at };
        const struct option_of_set *option;
        struct asked asked;
        char count[12];

        while (one.end < words->end && *one.end != delimiter)
            one.end++;
        words->at = one.end + (one.end < words->end);
        if (!words_left(&one))
            continue;
        option = asked_option(&one, &asked);
        if (option == NULL)
            return XE_OPERAND;
        asked.take = extract_value;
        if (asked.name[0] == '=')
            format(asked.name, sizeof asked.name, "%s", "EQUALSIGN");
        ask(view, option, &asked);
        set_variable(asked.name, 0, count, format(count, sizeof count, "%u", asked.count));
    }
    return 0;
}

/* One line with the values of all of them. */
int transfer_subcommand(struct view *view, struct words *words)
{
    char line[COMMAND_MOST];
    u32 length = 0;

    if (!words_left(words))
        return missing_operand();
    while (words_left(words)) {
        struct asked asked;
        const struct option_of_set *option = asked_option(words, &asked);
        u32 from, some;

        if (option == NULL)
            return XE_OPERAND;
        asked.words.end = asked.words.at;
        asked.take = query_value;
        asked.rows = true;
        ask(view, option, &asked);
        /* Each value has a blank in front. */
        from = length == 0 && asked.length > 0;
        some = asked.length - from < sizeof line - length ? asked.length - from : (u32)sizeof line - length;
        memcpy(line + length, asked.line + from, some);
        length += some;
    }
    return stack_line(line, length, true) ? 0 : no_room();
}

int preserve_subcommand(struct view *view, struct words *words)
{
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    if (view->preserved == NULL)
        view->preserved = obtain(sizeof *view->preserved, OWNER_SYSTEM);
    if (view->preserved == NULL)
        return no_room();
    view->preserved->view = view->s;
    view->preserved->file = view->file->s;
    return 0;
}

int restore_subcommand(struct view *view, struct words *words)
{
    struct fileid id = view->file->s.id;

    if (no_words_left(words) != 0)
        return XE_OPERAND;
    if (view->preserved == NULL)
        return XE_EDGE;
    view->s = view->preserved->view;
    view->file->s = view->preserved->file;
    view->file->s.id = id;
    return 0;
}

/* A character as it is, or two hexadecimal digits. */
int character_word(struct words *words, char *c)
{
    const char *word;
    u32 length, value;

    if (!take_word(words, &word, &length))
        return missing_operand();
    if (length == 1)
        *c = *word;
    else if (length == 2 && parse_hex(word, 2, &value))
        *c = (char)value;
    else
        return bad_operand(word, length);
    return 0;
}

int set_switch(struct words *words, bool *value, char *character)
{
    const char *word;
    u32 length;
    bool on;
    char c = *character;
    int code = 0;

    if (!take_word(words, &word, &length))
        return missing_operand();
    on = word_means(word, length, "ON", 2);
    if (!on && !word_means(word, length, "OFF", 3))
        return bad_operand(word, length);
    if (words_left(words))
        code = character_word(words, &c);
    if (code == 0)
        code = no_words_left(words);
    if (code == 0) {
        *value = on;
        *character = c;
    }
    return code;
}

int set_number(struct words *words, u32 *value, u32 least, u32 most)
{
    const char *word;
    u32 length, number;

    if (!take_word(words, &word, &length))
        return missing_operand();
    if (length == 1 && *word == '*')
        number = most;
    else if (!number_word(word, length, &number) || number < least || number > most)
        return bad_number(word, length);
    *value = number;
    return 0;
}

/* One of the words, abbreviated to no less than its `least`. */
int choose(struct words *words, const char *const *known, const u8 *least, u32 count, u32 *which)
{
    const char *word;
    u32 length;

    if (!take_word(words, &word, &length))
        return missing_operand();
    for (u32 n = 0; n < count; n++)
        if (word_means(word, length, known[n], least[n])) {
            *which = n;
            return 0;
        }
    return bad_operand(word, length);
}

/* For HELP. */
const char *xedit_name(const char *word, u32 length, bool option)
{
    u32 used, number;
    const struct option_of_set *found = option ? option_of(word, length, false, &used, &number) : NULL;

    return option ? (found != NULL ? found->name : NULL) : subcommand_name(word, length);
}
