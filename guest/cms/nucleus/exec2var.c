/*
 * EXEC 2's variables: arguments, those that a program has set, those that say how things are; words with their values.
 *
 * A value is kept where it was as long as there is room for it.
 */
#include "exec2.h"

enum { ROOM_LEAST = 16 };

/* Texts of the statement that is being performed. */
char *exec2_space(struct exec2 *exec, u32 length)
{
    char *at;

    if (length > STATEMENT_ROOM - exec->used) {
        exec->wrong = STATEMENT_TOO_LONG;
        return NULL;
    }
    at = exec->scratch + exec->used;
    exec->used += length;
    return at;
}

struct word exec2_copied(struct word word)
{
    char *text = obtain_command(word.length + 1);

    memcpy(text, word.text, word.length);
    return (struct word){ text, word.length };
}

static struct variable **list_of(struct exec2 *exec, struct word name)
{
    return &exec->variables[(name.length ^ (u8)name.text[name.length - 1]) % VARIABLE_LISTS];
}

static struct variable *find(struct exec2 *exec, struct word name)
{
    struct variable *at = *list_of(exec, name);

    while (at != NULL && (at->length != name.length || memcmp(at->name, name.text, name.length) != 0))
        at = at->next;
    return at;
}

static bool begins_with_digit(struct word name) { return name.length > 1 && is_digit(name.text[1]); }

static void set_argument(struct exec2 *exec, u32 number, struct word value)
{
    struct word kept;

    if (number == 0 || number >= WORDS_MOST) {
        exec->wrong = INVALID_VARIABLE;
        return;
    }
    kept = exec2_copied(value);
    while (exec->arg_count < number)
        exec->args[exec->arg_count++] = (struct word){ "", 0 };
    exec->args[number - 1] = kept;
}

void exec2_assign(struct exec2 *exec, struct word name, struct word value)
{
    struct variable *variable;
    u32 number;

    if (begins_with_digit(name) && parse_number(name.text + 1, name.length - 1, &number)) {
        set_argument(exec, number, value);
        return;
    }
    variable = find(exec, name);
    if (variable == NULL) {
        struct variable **list = list_of(exec, name);

        variable = obtain_command(sizeof *variable + name.length);
        variable->length = name.length;
        memcpy(variable->name, name.text, name.length);
        variable->value = NULL;
        variable->room = 0;
        variable->next = *list;
        *list = variable;
    }
    if (variable->value == NULL || variable->room < value.length) {
        u32 room = value.length < ROOM_LEAST ? (u32)ROOM_LEAST : value.length;
        char *larger = obtain_command(room);

        memcpy(larger, value.text, value.length);
        release(variable->value);
        variable->value = larger;
        variable->room = room;
    } else {
        /* The new value may be a part of the old one. */
        memmove(variable->value, value.text, value.length);
    }
    variable->value_length = value.length;
}

struct word exec2_number_text(struct exec2 *exec, int value)
{
    char *text = exec2_space(exec, 12), digits[12];
    u32 left = value < 0 ? 0u - (u32)value : (u32)value, count = 0, length = 0;

    if (text == NULL)
        return (struct word){ "", 0 };
    do {
        digits[count++] = (char)('0' + left % 10);
        left /= 10;
    } while (left != 0);
    if (value < 0)
        text[length++] = '-';
    while (count > 0)
        text[length++] = digits[--count];
    return (struct word){ text, length };
}

/* What a name means that nothing was assigned to. */
static struct word preset(struct exec2 *exec, struct word name)
{
    struct moment at;
    u32 number;
    char *text;

    if (begins_with_digit(name) && parse_number(name.text + 1, name.length - 1, &number)) {
        if (number == 0)
            return (struct word){ exec->call->token[0], name_length(exec->call->token[0]) };
        return number <= exec->arg_count ? exec->args[number - 1] : (struct word){ "", 0 };
    }
    if (IS_WORD(name, "&N") || IS_WORD(name, "&INDEX"))
        return exec2_number_text(exec, (int)exec->arg_count);
    if (IS_WORD(name, "&RETCODE") || IS_WORD(name, "&RC"))
        return exec2_number_text(exec, exec->retcode);
    if (IS_WORD(name, "&LINENUM") || IS_WORD(name, "&LINE"))
        return exec2_number_text(exec, (int)exec->at + 1);
    if (IS_WORD(name, "&DEPTH"))
        return exec2_number_text(exec, (int)exec->frames + 1);
    if (IS_WORD(name, "&FROM"))
        return exec2_number_text(exec, exec->frames == 0 ? 0 : (int)exec->frame[exec->frames - 1].from + 1);
    if (IS_WORD(name, "&FILENAME"))
        return (struct word){ exec->program->name.text, exec->program->name.length };
    if (IS_WORD(name, "&FILETYPE"))
        return (struct word){ exec->program->type.text, exec->program->type.length };
    if (IS_WORD(name, "&FILEMODE"))
        return (struct word){ exec->program->mode.text, exec->program->mode.length };
    if (IS_WORD(name, "&BLANK"))
        return (struct word){ " ", 1 };
    if (IS_WORD(name, "&ARGSTRING"))
        return (struct word){ exec->call->arguments, (u32)(exec->call->end - exec->call->arguments) };
    if (!IS_WORD(name, "&DATE") && !IS_WORD(name, "&TIME"))
        return (struct word){ "", 0 };
    now(&at);
    text = exec2_space(exec, 12);
    if (text == NULL)
        return (struct word){ "", 0 };
    return (struct word){ text, name.text[1] == 'D'
                                    ? format(text, 12, "%02u/%02u/%02u", at.year % 100, at.month, at.day)
                                    : format(text, 12, "%02u:%02u:%02u", at.hour, at.minute, at.second) };
}

/* The value of a name that begins with &. */
static struct word value_of(struct exec2 *exec, struct word name)
{
    const struct variable *variable = find(exec, name);

    return variable != NULL ? (struct word){ variable->value, variable->value_length } : preset(exec, name);
}

/* The word with the values of its variables; the first `keep` characters are left as they are. */
struct word exec2_substituted(struct exec2 *exec, struct word word, u32 keep)
{
    for (u32 at = word.length; at-- > keep;) {
        struct word value;
        char *made;

        if (word.text[at] != '&')
            continue;
        value = value_of(exec, (struct word){ word.text + at, word.length - at });
        if (at == 0)
            return value;
        made = exec2_space(exec, at + value.length);
        if (made == NULL)
            return (struct word){ "", 0 };
        memcpy(made, word.text, at);
        memcpy(made + at, value.text, value.length);
        word = (struct word){ made, at + value.length };
    }
    return word;
}
