/* RENUM: the line numbers of BASIC and free-form FORTRAN; PARSE: a line of the stack; PURGE: a macro in storage. */
#include "xedit.h"

enum { NUMBER_MOST = 99999 };

static u32 leading_number(const char *text, u32 length, u32 *value)
{
    u32 n = 0;

    *value = 0;
    while (n < length && n < 8 && is_digit(text[n]))
        *value = *value * 10 + (u32)(text[n++] - '0');
    return n;
}

static int wrong_format(void)
{
    message("XRN", 558, 'E');
    return XE_OPERAND;
}

/* Words of VSBASIC after which numbers of lines are. */
static bool refers(const char *word, u32 length)
{
    static const char *const words[] = { "GOTO", "GOSUB", "THEN", "ELSE", "USING", "TO", "SUB", "EXIT", "RESUME" };

    for (u32 n = 0; n < COUNT_OF(words); n++)
        if (word_means(word, length, words[n], (u32)strlen(words[n])))
            return true;
    return false;
}

struct numbering { u32 *old, count, start, by; };

/* The new number of the line that had this one; the same number if there is none. */
static u32 renumbered(const struct numbering *numbering, u32 old)
{
    u32 low = 0, high = numbering->count;

    while (low < high) {
        u32 middle = (low + high) / 2;

        if (numbering->old[middle] < old)
            low = middle + 1;
        else
            high = middle;
    }
    return low < numbering->count && numbering->old[low] == old ? numbering->start + low * numbering->by : old;
}

/* The line with its new number, and with those that it refers to; in editor->other, its length. */
static u32 renumbered_line(const struct numbering *numbering, const char *text, u32 length, u32 number, bool basic)
{
    u32 value, at = leading_number(text, length, &value), used = 0, room = editor->work_room;
    char *to = editor->other, quote = 0;
    bool follows = false;

    used = format(to, room, "%05u", number);
    while (at < length && used + 12 < room) {
        u32 n = letters(text + at, length - at), digits;

        if (quote == 0 && n > 0) {
            /* GO TO and GO SUB are two words; other words end a list of numbers. */
            follows = basic && refers(text + at, n);
            memcpy(to + used, text + at, n < room - used ? n : room - used);
            used += n;
            at += n;
            continue;
        }
        digits = quote == 0 && follows ? leading_number(text + at, length - at, &value) : 0;
        if (digits > 0) {
            used += format(to + used, room - used, "%u", renumbered(numbering, value));
            at += digits;
            continue;
        }
        if (text[at] == '\'' || text[at] == '"')
            quote = quote == 0 ? text[at] : quote == text[at] ? 0 : quote;
        follows = follows && (text[at] == ' ' || text[at] == ',');
        to[used++] = text[at++];
    }
    return used;
}

int renum_subcommand(struct view *view, struct words *words)
{
    bool basic = is(view->file->s.id.ft, "VSBASIC");
    struct numbering numbering = { .start = 10, .by = 10 };
    u32 size = size_of(view), value, last = 0;
    int code = 0;

    if (words_left(words))
        code = set_number(words, &numbering.start, 1, NUMBER_MOST);
    if (code == 0 && words_left(words))
        code = set_number(words, &numbering.by, 1, NUMBER_MOST);
    code = code != 0 ? code : no_words_left(words);
    if (code != 0)
        return code;
    if (!basic && !is(view->file->s.id.ft, "FREEFORT"))
        return wrong_format();
    if (size > 0 && (size - 1) > (NUMBER_MOST - numbering.start) / numbering.by)
        return bad_number(words->at, (u32)(words->end - words->at));
    numbering.old = obtain((size + 1) * sizeof(u32), OWNER_SYSTEM);
    if (numbering.old == NULL)
        return no_room();
    for (u32 line = 1; line <= size && code == 0; line++) {
        struct row *row = line_row(view, line);

        /* Numbers rise from line to line. */
        if (leading_number(row->text, row->length, &value) == 0 || value <= last)
            code = wrong_format();
        numbering.old[numbering.count++] = last = value;
    }
    for (u32 line = 1; line <= size && code == 0; line++) {
        struct row *row = line_row(view, line);
        u32 length = renumbered_line(&numbering, row->text, row->length, numbering.start + (line - 1) * numbering.by,
                                     basic);

        code = store_line(view, line, editor->other, length);
    }
    release(numbering.old);
    return code;
}

enum { ALPHAWORD, NUMBER, STRING, TARGET, WORD, LINE, DBLSTRING };

/* How long the item is that begins the text; 0: there is none like that. */
static u32 item_length(u32 kind, const char *text, u32 length)
{
    struct words words = { text, text + length };
    struct target target;
    u32 n = 0, value;
    char delimiter = length > 0 ? *text : ' ';

    switch (kind) {
    case ALPHAWORD: return letters(text, length);
    case NUMBER:
        n = length > 0 && (*text == '+' || *text == '-');
        value = n;
        while (n < length && is_digit(text[n]))
            n++;
        return n > value ? n : 0;
    case TARGET: return parse_target(&words, &target, true) ? (u32)(words.at - text) : 0;
    case WORD:
        while (n < length && text[n] != ' ')
            n++;
        return n;
    case LINE: return length;
    default:
        if (!is_special(delimiter))
            return 0;
        for (u32 strings = kind == STRING ? 1 : 2; strings > 0 && n < length; strings--)
            for (n++; n < length && text[n] != delimiter; n++)
                ;
        return n < length ? n + 1 : n;
    }
}

/*
 * PARSE column item...: the next line of the program stack. For each item a line is stacked that says in which column
 * it begins, how long it is and what it is; the first item's is the first to be pulled. The line itself comes after
 * them.
 */
int parse_subcommand(struct view *view, struct words *words)
{
    enum { ITEMS_MOST = 16 };
    static const char *const kinds[] = { "ALPHAWORD", "NUMBER", "STRING", "TARGET", "WORD", "LINE", "DBLSTRING" };
    static const u8 least[] = { 1, 1, 1, 1, 1, 1, 1 };
    struct { u32 from, length, kind; } item[ITEMS_MOST];
    char line[256], text[48];
    u32 column, wanted = 0, count = 0, length, at;
    int code = set_number(words, &column, 1, 255);

    (void)view;
    /* An operand that is none takes no line. */
    for (; code == 0 && words_left(words); wanted++)
        code = wanted < ITEMS_MOST ? choose(words, kinds, least, COUNT_OF(kinds), &item[wanted].kind)
                                   : bad_operand(words->at, (u32)(words->end - words->at));
    if (code != 0)
        return code;
    if (!unstack_line(line, &length))
        return XE_MISSING;
    at = column - 1;
    while (code == 0 && count < wanted) {
        while (at < length && line[at] == ' ')
            at++;
        item[count].from = at + 1;
        item[count].length = at < length ? item_length(item[count].kind, line + at, length - at) : 0;
        if (item[count].length == 0)
            code = XE_EDGE;
        at += item[count].length;
        count += item[count].length > 0;
    }
    if (!stack_line(line, length, true))
        return no_room();
    while (code <= XE_EDGE && count-- > 0)
        if (!stack_line(text, format(text, sizeof text, "%u %u %s", item[count].from, item[count].length,
                                     kinds[item[count].kind]), true))
            return no_room();
    return code;
}

/* PURGE macro: what EXECLOAD has put into storage of it; the editor keeps none itself. */
int purge_subcommand(struct view *view, struct words *words)
{
    const char *word;
    u32 length;
    char line[64];

    (void)view;
    if (!take_word(words, &word, &length))
        return missing_operand();
    if (length > 8)
        return bad_operand(word, length);
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    return run_cms(line, format(line, sizeof line, "EXECDROP %l XEDIT (USER", word, length), CALL_COMMAND);
}
