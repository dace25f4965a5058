/*
 * HELP: commands, REXX, messages.
 *
 * How a command is written and what it is for is in the table of commands. The rest is in three files of the system disk, CMS HELP,
 * REXX HELP and MESSAGES HELP (guest/cms/help); the printed reference is made of the same. There a line `.TOPIC` begins a topic.
 */
#include "command.h"

enum { MENU_COLUMN = 10, MENU_WIDTH = 70 };

/* Names side by side. */
struct menu { char line[96]; u32 length; };

static void menu_end(struct menu *menu)
{
    if (menu->length > 0)
        type_line(menu->line, menu->length);
    menu->length = 0;
}

static void menu_add(struct menu *menu, const char *text, u32 length)
{
    length = length < MENU_COLUMN ? length : MENU_COLUMN - 1;
    memset(menu->line + menu->length, ' ', MENU_COLUMN);
    memcpy(menu->line + menu->length, text, length);
    menu->length += MENU_COLUMN;
    if (menu->length >= MENU_WIDTH)
        menu_end(menu);
}

/* A text, broken between words. */
static void paragraph(const char *text)
{
    while (*text != 0) {
        u32 length = 0, end = 0;

        while (text[length] != 0 && length < 78) {
            if (text[length] == ' ')
                end = length;
            length++;
        }
        if (text[length] != 0 && end > 0)
            length = end;
        type_line(text, length);
        text += length;
        while (*text == ' ')
            text++;
    }
}

/* One of the files; what is said of it is said here, once. */
static bool topics_open(const char *file, struct reader *reader)
{
    struct fileid id = { .ft = "HELP    ", .fm = "S " };

    memset(id.fn, ' ', sizeof(name));
    memcpy(id.fn, file, strlen(file));
    return reader_open("HLP", reader, &id) == 0;
}

static bool begins_topic(const struct reader *reader)
{
    return reader->length > 1 && reader->record[0] == '.';
}

/* Tokens have eight characters, and so have as many of a topic's. */
static bool is_topic(const struct reader *reader, const char *topic, u32 length)
{
    u32 has = reader->length - 1 < sizeof(name) ? reader->length - 1 : sizeof(name);

    return has == length && memcmp(reader->record + 1, topic, length) == 0;
}

/* Types what a file says of a topic; false: nothing. */
static bool topic_type(const char *file, const char *topic, u32 length)
{
    struct reader reader;
    bool found = false, past = false;
    int code = 0;

    if (!topics_open(file, &reader))
        return false;
    while (!past && reader_next("HLP", &reader, &code))
        if (begins_topic(&reader)) {
            past = found;
            found = found || is_topic(&reader, topic, length);
        } else if (found) {
            type_line(reader.record, reader.length);
        }
    reader_close(&reader);
    return found;
}

static int command_menu(void)
{
    struct menu menu = { .length = 0 };

    type("HELP command explains one of these; HELP REXX the language of execs;");
    type("HELP DMSxxxnnn a message; HELP CP command asks CP.");
    for (u32 n = 0; n < command_count; n++)
        if (commands[n].help[0] != 0)
            menu_add(&menu, commands[n].name, (u32)strlen(commands[n].name));
    menu_end(&menu);
    return 0;
}

static int rexx_menu(void)
{
    struct menu menu = { .length = 0 };
    struct reader reader;
    int code = 0;

    if (!topics_open("REXX", &reader))
        return RC_MISSING;
    type("HELP REXX topic explains one of these.");
    while (reader_next("HLP", &reader, &code))
        if (begins_topic(&reader))
            menu_add(&menu, reader.record + 1, reader.length - 1);
    menu_end(&menu);
    reader_close(&reader);
    return code;
}

static int rexx_topic(const name topic)
{
    if (topic_type("REXX", topic, name_length(topic)))
        return 0;
    message("HLP", 254, 'E');
    return RC_MISSING;
}

/* DMSxxxnnn or DMSnnn, and perhaps the letter that messages end in: the number. */
static bool message_number(const char *word, u32 length, u32 *number)
{
    u32 digits;

    if (length > 3 && !is_digit(word[length - 1]))
        length--;
    for (digits = 0; digits < length && is_digit(word[length - digits - 1]); digits++)
        ;
    return digits >= 3 && (digits + 6 == length || digits + 3 == length) && upper(word[0]) == 'D' && upper(word[1]) == 'M' && upper(word[2]) == 'S' &&
           parse_number(word + length - digits, digits, number);
}

static int message_topic(u32 number)
{
    const char *text = message_text(number);
    char line[160], topic[8];
    u32 length;

    if (text == NULL) {
        message("HLP", 254, 'E');
        return RC_MISSING;
    }
    length = format(line, sizeof line, "%03u ", number);
    for (; *text != 0 && length < sizeof line - 4; text++) {
        if (*text != '%') {
            line[length++] = *text;
            continue;
        }
        /* What is put in there when the message is typed. */
        for (text++; is_digit(*text); text++)
            ;
        memcpy(line + length, "...", 3);
        length += 3;
    }
    type_line(line, length);
    type(" ");
    (void)topic_type("MESSAGES", topic, format(topic, sizeof topic, "%03u", number));
    return 0;
}

static int ask_cp(const struct call *call, u32 first)
{
    char line[64];
    u32 length = format(line, sizeof line, "HELP");

    for (u32 n = first; n < call->count && n < first + 3; n++)
        length += format(line + length, sizeof line - length, " %t", call->token[n]);
    return cp(line, length, NULL, NULL);
}

int help_command(const struct call *call)
{
    const char *word = call->arguments;
    u32 words = operands(call), length = 0, at = 1, number;
    int brief = 0, code;
    const struct option known[] = { { "BRIEF", 3, &brief, 1, NULL, NULL }, { "DETAIL", 3, &brief, 0, NULL, NULL } };

    code = options("HLP", call, known, COUNT_OF(known));
    if (code != 0)
        return code;
    if (words < 2)
        return command_menu();
    if (is(call->token[1], "CP"))
        return ask_cp(call, 2);
    if (is(call->token[1], "REXX"))
        return words < 3 ? rexx_menu() : rexx_topic(call->token[2]);
    /* HELP CMS command and HELP MSG message are longer forms of the same. */
    if (is(call->token[1], "CMS") || is(call->token[1], "MSG")) {
        if (words < 3)
            return command_menu();
        at = 2;
        while (word < call->end && *word == ' ')
            word++;
        word += 3;
    }
    while (word < call->end && *word == ' ')
        word++;
    while (word + length < call->end && word[length] != ' ' && word[length] != '(')
        length++;
    if (message_number(word, length, &number))
        return message_topic(number);
    for (u32 n = 0; n < command_count; n++) {
        const struct command *one = &commands[n];

        if (!abbreviates(call->token[at], one->name, one->least) || one->help[0] == 0)
            continue;
        paragraph(one->syntax);
        type(" ");
        paragraph(one->help);
        if (!brief)
            (void)topic_type("CMS", one->name, (u32)strlen(one->name));
        return 0;
    }
    return ask_cp(call, at);
}
