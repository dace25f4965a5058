/*
 * HELP: commands, REXX, messages, and what there is to do.
 *
 * How a command is written and what it is for is in the table of commands. The rest is in six files of the system
 * disk or the HELP disk, CMS HELP, REXX HELP, MESSAGES HELP, PIPEMSGS HELP, DDRMSGS HELP and TASKS HELP
 * (guest/cms/help); the printed reference is made of the same. There a line `.TOPIC` begins a topic. What a command
 * has to do with is what is in the same tasks.
 */
#include "command.h"
#include "../nucleus/exec.h"
#include "../xedit/xedit.h"

enum { MENU_COLUMN = 10, MENU_WIDTH = 70, HELP_DISK = 0x19d };

/* What is said of a command. */
enum { DESCRIPTION = 1, FORM = 2, PARAMETERS = 4, OPTIONS = 8, NOTES = 16, ERRORS = 32, DETAIL = 63, RELATED = 64 };

/* NOTYPE: that nothing is known is told by the return code alone. */
static bool quiet;

static int nothing_known(void)
{
    if (!quiet)
        message("HLP", 254, 'E');
    return RC_MISSING;
}

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

/* The letter of the HELP disk, which gets the last one that is free if it has none; 0: there is no such disk. */
static char help_disk(void)
{
    struct disk *disk = disk_on(HELP_DISK);
    char mode = 'Z';

    if (disk != NULL)
        return disk->mode;
    while (mode > 'A' && (!is_letter(mode) || mode == 'S' || mode == 'Y' || disk_at(mode) != NULL))
        mode--;
    return mode > 'A' && disk_access(HELP_DISK, mode, 0, true, &disk) == EDF_OK ? mode : 0;
}

/* One of the files, of the system disk or the HELP disk; what is said of it is said here, once. */
static bool topics_open(const char *file, struct reader *reader)
{
    struct fileid id = { .ft = "HELP    ", .fm = "S " };
    struct disk *disk;
    char mode;
    u8 *fst;

    memset(id.fn, ' ', sizeof(name));
    memcpy(id.fn, file, strlen(file));
    if (!find_file(&id, &disk, &fst) && (mode = help_disk()) != 0)
        id.fm[0] = mode;
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

/* Which part of a topic begins with this line; 0: none. */
static u32 part_of(const struct reader *reader)
{
    static const struct { const char *text; u32 part; } heads[] =
        { { "Operands", PARAMETERS }, { "Options", OPTIONS }, { "Return codes", ERRORS },
          { "Messages", ERRORS } };

    for (u32 n = 0; n < COUNT_OF(heads); n++)
        if (reader->length >= strlen(heads[n].text) && memcmp(reader->record, heads[n].text,
                                                              strlen(heads[n].text)) == 0)
            return heads[n].part;
    return 0;
}

/* Types what a file says of a topic, or some parts of it, of which this is the first; false: nothing. */
static bool topic_type(const char *file, const char *topic, u32 length, u32 part, u32 parts)
{
    struct reader reader;
    bool found = false, past = false, all = (parts & DETAIL) == DETAIL;
    int code = 0;

    if (!topics_open(file, &reader))
        return false;
    while (!past && reader_next("HLP", &reader, &code))
        if (begins_topic(&reader)) {
            past = found;
            found = found || is_topic(&reader, topic, length);
        } else if (found) {
            bool blank = length_of(reader.record, reader.length) == 0;

            bool form = part == FORM;

            /* A part goes on to an empty line, or the next one. */
            part = blank ? (form ? DESCRIPTION : NOTES) : part_of(&reader) != 0 ? part_of(&reader) : part;
            if (all || (!blank && (part & parts) != 0) || (blank && form && (parts & FORM) && (parts & DESCRIPTION)))
                type_line(reader.record, reader.length);
        }
    reader_close(&reader);
    return found;
}

/* Types the other names of the tasks that this one belongs to. RC_MISSING without that file of tasks. */
static int related(const char *file, const name wanted)
{
    struct menu menu = { .length = 0 };
    struct reader reader;
    name token[TOKENS_MOST + 1], *task = obtain_command(TOKENS_MOST * 4 * sizeof(name));
    u32 count = 0;
    bool here = false, any = false, more = topics_open(file, &reader);
    int code = 0;

    if (!more)
        return RC_MISSING;
    while (more) {
        more = reader_next("HLP", &reader, &code);
        if (!more || begins_topic(&reader)) {
            for (u32 n = 0; here && n < count; n++)
                if (memcmp(task[n], wanted, sizeof(name)) != 0) {
                    if (!any)
                        type("Related commands:");
                    any = true;
                    menu_add(&menu, task[n], name_length(task[n]));
                }
            here = false;
            count = 0;
        } else if (reader.record[0] == ' ') {
            u32 words = tokenize(reader.record, reader.length, token);

            for (u32 n = 0; n < words && count < TOKENS_MOST * 4; n++) {
                here = here || memcmp(token[n], wanted, sizeof(name)) == 0;
                memcpy(task[count++], token[n], sizeof(name));
            }
        }
    }
    menu_end(&menu);
    reader_close(&reader);
    return 0;
}

/* HELP TASK: what there is to do, and HELP TASK task: with which commands. */
static int task_menu(const name task)
{
    struct reader reader;
    name token[TOKENS_MOST + 1];
    bool here = false, found = false, head = false;
    int code = 0;

    if (!topics_open("TASKS", &reader))
        return RC_MISSING;
    if (task == NULL)
        type("HELP TASK task tells the commands for one of these.");
    while (reader_next("HLP", &reader, &code)) {
        if (begins_topic(&reader)) {
            here = task != NULL && is_topic(&reader, task, name_length(task));
            found = found || here;
            head = true;
            memset(token[0], ' ', sizeof(name));
            memcpy(token[0], reader.record + 1, reader.length - 1 < sizeof(name) ? reader.length - 1 : sizeof(name));
            continue;
        }
        if (head && task == NULL) {
            char line[96];
            u32 at = format(line, sizeof line, "%-10t", token[0]);

            memcpy(line + at, reader.record, reader.length < 80 ? reader.length : 80);
            type_line(line, at + (reader.length < 80 ? reader.length : 80));
        } else if (head && here) {
            type_line(reader.record, reader.length);
        } else if (here) {
            u32 words = tokenize(reader.record, reader.length, token);

            for (u32 n = 0; n < words; n++)
                for (u32 k = 0; k < command_count; k++)
                    if (is(token[n], commands[k].name)) {
                        type(" ");
                        type("%s", commands[k].name);
                        paragraph(commands[k].help);
                    }
        }
        head = false;
    }
    reader_close(&reader);
    return code == 0 && task != NULL && !found ? nothing_known() : code;
}

static int component_menu(void)
{
    type("HELP CMS MENU      the commands of CMS");
    type("HELP TASK          what there is to do, and with which of them");
    type("HELP REXX MENU     the language of execs");
    type("HELP XEDIT MENU    the subcommands of the editor");
    type("HELP XEDIT SET MENU  what SET sets in the editor");
    type("HELP PIPE MENU     the stages of pipelines");
    type("HELP MSG DMSxxxnnn a message");
    type("HELP CP MENU       the commands of CP");
    return 0;
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
    if (topic_type("REXX", topic, name_length(topic), NOTES, DETAIL))
        return 0;
    return nothing_known();
}

/* HELP XEDIT MENU, XEDIT SET, XEDIT name: subcommands of the editor, and SET's options. */
static int xedit_menu(const char *file, const char *head)
{
    struct menu menu = { .length = 0 };
    struct reader reader;
    int code = 0;

    if (!topics_open(file, &reader))
        return RC_MISSING;
    type(head);
    while (reader_next("HLP", &reader, &code))
        if (begins_topic(&reader))
            menu_add(&menu, reader.record + 1, reader.length - 1);
    menu_end(&menu);
    reader_close(&reader);
    return code;
}

static int xedit_help(const struct call *call, u32 words, u32 parts)
{
    bool of_set = is(call->token[2], "SET") && words > 3, found;
    const char *word = call->token[of_set ? 3 : 2], *full;
    name topic;

    if (is(word, "MENU") && !of_set)
        return xedit_menu("XEDIT", "HELP XEDIT name explains one of these; HELP XEDIT SET MENU what SET sets.");
    if (is(word, "MENU"))
        return xedit_menu("XEDSET", "HELP XEDIT SET name explains one of these.");
    full = xedit_name(word, name_length(word), of_set);
    memcpy(topic, word, sizeof topic);
    if (full != NULL)
        pad(topic, sizeof topic, full, (u32)strlen(full));
    found = (parts & DETAIL) == 0 || topic_type(of_set ? "XEDSET" : "XEDIT", topic, name_length(topic), FORM, parts);
    if (found && (parts & RELATED) && (parts & DETAIL))
        type(" ");
    return !found ? nothing_known() : parts & RELATED ? related(of_set ? "SETTASKS" : "XEDTASKS", topic) : 0;
}

/* Whose messages there are: CMS's, those of pipelines, and those of DDR, whose file has their texts. */
struct speaker { const char *prefix; const char *(*text)(u32 number); const char *file; };
static const struct speaker speakers[] = { { "DMS", message_text, "MESSAGES" },
                                           { "FPL", text_of_pipes, "PIPEMSGS" },
                                           { "HCPDDR", NULL, "DDRMSGS" } };

static const struct speaker *speaker_of(const char *word, u32 length)
{
    for (u32 n = 0; n < COUNT_OF(speakers); n++) {
        const char *prefix = speakers[n].prefix;
        u32 same = 0;

        while (same < length && prefix[same] != 0 && upper(word[same]) == prefix[same])
            same++;
        if (same < length && prefix[same] == 0)
            return &speakers[n];
    }
    return NULL;
}

/*
 * DMSxxxnnn or DMSnnn, and perhaps the letter that messages end in: the number, and whose it is; NULL: it is no
 * message's.
 */
static const struct speaker *message_number(const char *word, u32 length, u32 *number)
{
    const struct speaker *speaker = speaker_of(word, length);
    u32 digits;

    if (length > 3 && !is_digit(word[length - 1]))
        length--;
    for (digits = 0; digits < length && is_digit(word[length - digits - 1]); digits++)
        ;
    return digits >= 3 && (digits + 6 == length || digits + 3 == length) &&
        parse_number(word + length - digits, digits, number) ? speaker : NULL;
}

/* A text of the repository, with dots for what is put in there when the message is typed. */
static void message_show_text(u32 number, const char *text)
{
    char line[160];
    u32 length = format(line, sizeof line, "%03u ", number);

    for (; *text != 0 && length < sizeof line - 4; text++) {
        if (*text != '%') {
            line[length++] = *text;
            continue;
        }
        for (text++; is_digit(*text); text++)
            ;
        memcpy(line + length, "...", 3);
        length += 3;
    }
    type_line(line, length);
}

static int message_topic(const struct speaker *speaker, u32 number)
{
    const char *text;
    char topic[8];
    u32 texts = 0;

    if (speaker->text == NULL)
        return topic_type(speaker->file, topic, format(topic, sizeof topic, "%03u", number), NOTES, DETAIL) ? 0
             : nothing_known();
    while (number < MESSAGE_SECOND && (text = speaker->text(number + texts * MESSAGE_SECOND)) != NULL) {
        message_show_text(number, text);
        texts++;
    }
    if (texts == 0)
        return nothing_known();
    type(" ");
    (void)topic_type(speaker->file, topic, format(topic, sizeof topic, "%03u", number), NOTES, DETAIL);
    return 0;
}

/* CP answers at the terminal by itself, unless somewhere else wants the lines. */
static int ask_cp(const struct call *call, u32 first)
{
    enum { ROOM = 0x8000 };
    char line[64], *answer;
    u32 length = format(line, sizeof line, "HELP"), room = ROOM;
    int code;

    for (u32 n = first; n < call->count && n < first + 3 && !is(call->token[n], "("); n++)
        length += format(line + length, sizeof line - length, " %t", call->token[n]);
    if (capturing() == NULL)
        return cp(line, length, NULL, NULL);
    answer = obtain_command(ROOM);
    code = cp(line, length, answer, &room);
    room = room & 0x80000000u ? ROOM : room;
    for (u32 at = 0, end; at < room; at = end + 1) {
        for (end = at; end < room && answer[end] != 0x15; end++)
            ;
        type_line(end > at ? answer + at : " ", end > at ? end - at : 1);
    }
    return code;
}

/*
 * At a display the page is a screen (HELPSCR EXEC and PROFHELP XEDIT), if the system disk has what shows it. Within the
 * editor it is a file of the ring, unless the session is one of lines.
 */
static bool on_screen(const struct call *call, int *code)
{
    static const name exec = "HELPSCR ", type = "EXEC    ";
    char line[LINE_MOST];
    u32 length;

    if (!console_is_display() || capturing() != NULL || (editor != NULL && editor->typewriter) ||
        !exec_exists(exec, type))
        return false;
    length = format(line, sizeof line, "EXEC HELPSCR %l", call->arguments, (u32)(call->end - call->arguments));
    *code = perform(line, length, CALL_COMMAND);
    return true;
}

static int command_topic(const struct command *command, u32 parts)
{
    bool only = parts != DETAIL && parts != (DESCRIPTION | FORM);
    name full;

    if (parts & FORM)
        paragraph(command->syntax);
    if ((parts & FORM) && (parts & ~FORM))
        type(" ");
    if (parts & DESCRIPTION)
        paragraph(command->help);
    if ((parts & DESCRIPTION) && only && (parts & DETAIL) != DETAIL &&
        (parts & (PARAMETERS | OPTIONS | NOTES | ERRORS)))
        type(" ");
    if (parts & (PARAMETERS | OPTIONS | NOTES | ERRORS))
        (void)topic_type("CMS", command->name, (u32)strlen(command->name), NOTES, parts);
    if ((parts & RELATED) && (parts & DETAIL))
        type(" ");
    pad(full, sizeof full, command->name, (u32)strlen(command->name));
    return parts & RELATED ? related("TASKS", full) : 0;
}

/* Which parts of a page, and whether on a screen: what the line asks for goes before what DEFAULTS has set. */
static int options_given(const struct call *call, u32 *parts, int *screen)
{
    int layer = 0, say = 1, wanted[6] = { 0 }, code;
    u32 usual = 0;
    const struct option known[] = {
        FLAG("BRIEF", 3, &layer, DESCRIPTION | FORM), FLAG("DETAIL", 3, &layer, DETAIL),
        FLAG("ALL", 3, &layer, DETAIL | RELATED), FLAG("RELATED", 3, &layer, RELATED),
        FLAG("DESCRIPT", 4, &wanted[0], DESCRIPTION), FLAG("FORMAT", 4, &wanted[1], FORM),
        FLAG("PARMS", 4, &wanted[2], PARAMETERS), FLAG("OPTIONS", 3, &wanted[3], OPTIONS),
        FLAG("NOTES", 4, &wanted[4], NOTES), FLAG("ERRORS", 3, &wanted[5], ERRORS),
        FLAG("SCREEN", 3, screen, 1), FLAG("NOSCREEN", 5, screen, 0), FLAG("TYPE", 3, &say, 1),
        FLAG("NOTYPE", 5, &say, 0),
    };

    code = options_of("HELP", "HLP", call, known, COUNT_OF(known));
    if (code != 0)
        return code;
    for (u32 n = 0; n < COUNT_OF(wanted); n++)
        usual |= (u32)wanted[n];
    usual = usual != 0 ? usual : layer != 0 ? (u32)layer : DETAIL;
    layer = 0;
    memset(wanted, 0, sizeof wanted);
    (void)options("HLP", call, known, COUNT_OF(known));
    for (u32 n = 0; n < COUNT_OF(wanted); n++)
        *parts |= (u32)wanted[n];
    *parts = *parts != 0 ? *parts : layer != 0 ? (u32)layer : usual;
    quiet = say == 0;
    return 0;
}

int help_command(const struct call *call)
{
    const struct command *command;
    const struct speaker *speaker;
    const char *word = call->arguments;
    u32 words = operands(call), length = 0, at = 1, number, parts = 0;
    int screen = 1, code = options_given(call, &parts, &screen);

    if (code != 0 || (screen && on_screen(call, &code)))
        return code;
    if (words < 2 || is(call->token[1], "ALL"))
        return command_menu();
    if (is(call->token[1], "MENU"))
        return component_menu();
    if (abbreviates(call->token[1], "TASKS", 4))
        return task_menu(words > 2 && !is(call->token[2], "MENU") ? call->token[2] : NULL);
    if (is(call->token[1], "CP"))
        return ask_cp(call, words > 2 && is(call->token[2], "MENU") ? 3 : 2);
    if (is(call->token[1], "REXX"))
        return words < 3 || is(call->token[2], "MENU") ? rexx_menu() : rexx_topic(call->token[2]);
    if (is(call->token[1], "XEDIT") && words > 2)
        return xedit_help(call, words, parts);
    /* HELP CMS command and HELP MSG message are longer forms of the same. */
    if (is(call->token[1], "CMS") || is(call->token[1], "MSG")) {
        if (words > 2 && is(call->token[1], "MSG") && is(call->token[2], "MENU"))
            return component_menu();
        if (words < 3 || is(call->token[2], "MENU") || is(call->token[2], "ALL"))
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
    speaker = message_number(word, length, &number);
    if (speaker != NULL)
        return message_topic(speaker, number);
    command = command_abbreviated(call->token[at]);
    if (command != NULL && command->perform == pipe_command && words > at + 1) {
        /* A stage; its name may be longer than a token. */
        word += length;
        while (word < call->end && *word == ' ')
            word++;
        for (length = 0; word + length < call->end && word[length] != ' ' && word[length] != '('; length++)
            ;
        if (help_of_stage(is(call->token[at + 1], "MENU") ? "*" : word, is(call->token[at + 1], "MENU") ? 1 : length))
            return 0;
        return nothing_known();
    }
    if (command != NULL)
        return command_topic(command, parts);
    return ask_cp(call, at);
}
