/* Subcommands that are made of others: ALTER, LPREFIX, STATUS, SUPERSET. */
#include "xedit.h"

/* A character as it is, or two hexadecimal digits. */
static bool character(struct words *words, char *c)
{
    return character_word(words, c) == 0;
}

/* CHANGE for one character that may not be on the keyboard. */
int alter_subcommand(struct view *view, struct words *words)
{
    static const char delimiters[] = "/,!:;?|";
    char from, to, line[COMMAND_MOST];
    u32 n = 0;
    bool hex = view->s.hex, arbitrary = view->s.arbitrary;
    int code;

    if (!words_left(words))
        return missing_operand();
    if (!character(words, &from) || !character(words, &to))
        return XE_OPERAND;
    while (delimiters[n] == from || delimiters[n] == to)
        n++;
    view->s.hex = view->s.arbitrary = false;
    code = execute_command(line, format(line, sizeof line, "CHANGE %c%c%c%c%c %l", delimiters[n], from, delimiters[n],
                                        to, delimiters[n], words->at, (u32)(words->end - words->at)));
    view->s.hex = hex;
    view->s.arbitrary = arbitrary;
    return code;
}

/* What is typed in the prefix area of the current line. */
int lprefix_subcommand(struct view *view, struct words *words)
{
    static const char empty[] = "=====";
    struct shown shown = { .kind = SHOW_LINE, .line = view->current };
    char text[6];
    u32 length;

    text_operand(words);
    length = (u32)(words->end - words->at);
    if (length > 5)
        return bad_operand(words->at, length);
    if (editor->typewriter) {
        message("XLP", 529, 'E');
        return XE_TRUNCATED;
    }
    pad(text, 5, words->at, length);
    prefix_typed(view, &shown, empty, text, length);
    prefix_execute(view);
    return 0;
}

/* Options one after the other, LINEND between them. */
int superset_subcommand(struct view *view, struct words *words)
{
    int code = 0;

    if (!words_left(words))
        return missing_operand();
    while (words->at < words->end) {
        struct words one = { words->at, words->at };
        int here;

        while (one.end < words->end && *one.end != editor->linend)
            one.end++;
        words->at = one.end + (one.end < words->end);
        here = words_left(&one) ? set_option(view, &one) : 0;
        code = code != 0 ? code : here;
    }
    return code;
}

/* A macro of that name that sets all options as they are now. */
static int write_status(struct view *view, const char *word, u32 length)
{
    struct fileid id = { .ft = "XEDIT   ", .fm = "A1" };
    struct open_file *file;
    char record[COMMAND_MOST + 8], line[COMMAND_MOST];
    u32 number = 1, n = 0, used;
    int error;

    pad(id.fn, sizeof id.fn, word, length);
    for (u32 k = 0; k < sizeof id.fn; k++)
        id.fn[k] = upper(id.fn[k]);
    if (length > sizeof id.fn || !legal_name(id.fn))
        return bad_operand(word, length);
    error = file_open(&id, EDF_NEW, &file);
    if (error != EDF_OK)
        return file_problem("XST", error, &id, true);
    used = format(record, sizeof record, "/* The settings of %t %t */", view->file->s.id.fn, view->file->s.id.ft);
    error = edf_write(&file->file, number++, record, used);
    while (error == EDF_OK && option_line(view, &n, true, line, &length)) {
        used = 0;
        record[used++] = '\'';
        for (u32 k = 0; k < length && used + 3 < sizeof record; k++) {
            record[used++] = line[k];
            if (line[k] == '\'')
                record[used++] = '\'';
        }
        record[used++] = '\'';
        error = edf_write(&file->file, number++, record, used);
    }
    if (error != EDF_OK) {
        file_abandon(file);
        return file_problem("XST", error, &id, true);
    }
    return file_problem("XST", file_finish(file), &id, true);
}

/* All options with their values; or a macro that sets them. */
int status_subcommand(struct view *view, struct words *words)
{
    const char *word;
    char line[COMMAND_MOST];
    u32 length, n = 0;

    if (take_word(words, &word, &length))
        return no_words_left(words) != 0 ? XE_OPERAND : write_status(view, word, length);
    while (option_line(view, &n, false, line, &length))
        note_text(line, length);
    return 0;
}
