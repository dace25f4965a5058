/*
 * XMITMSG: a message of a repository, with what belongs in it put in, to the terminal or an exec's variables.
 *
 *   XMITMSG number [substitution...] [( APPLID a CALLER c FORMAT n LETTER l LINE n|* ERRMSG DISPLAY NODISP VAR HEADER
 * NOHEADER COMPRESS
 *
 * APPLID DMS, which is usual, means CMS's own messages; others are those that SET LANGUAGE has added. A substitution of
 * several words stands between quotes.
 */
#include "repository.h"

enum { NO_MESSAGE = 8, NO_REPOSITORY = 12, TEXT_MOST = 512 };

struct words { const char *at[SUBSTITUTIONS_MOST]; u32 length[SUBSTITUTIONS_MOST], count; };

static void put(char *text, u32 *length, const char *what, u32 count)
{
    for (u32 n = 0; n < count && *length < TEXT_MOST; n++)
        text[(*length)++] = what[n];
}

/* A text of a repository: after the character are the numbers of the substitutions. */
static u32 fill_in(const struct repository_head *head, const struct repository_line *line, const struct words *words,
                   char text[TEXT_MOST])
{
    const char *from = (const char *)(line + 1);
    u32 length = 0;

    for (u32 n = 0; n < line->length; n++) {
        u32 digits = 0, number = 0;

        if (from[n] == head->substitute)
            while (digits < 2 && n + 1 + digits < line->length && is_digit(from[n + 1 + digits]))
                number = number * 10 + (u32)(from[n + 1 + digits++] - '0');
        if (number == 0 || number > SUBSTITUTIONS_MOST) {
            put(text, &length, from + n, 1);
            continue;
        }
        if (number <= words->count)
            put(text, &length, words->at[number - 1], words->length[number - 1]);
        n += digits;
    }
    return length;
}

/* One of CMS's own: substitutions stand where they come, a fileid takes the words that the others leave over. */
static u32 fill_in_own(const char *from, const struct words *words, char text[TEXT_MOST])
{
    u32 wanted = 0, spare, next = 0, length = 0;

    for (const char *at = from; *at != 0; at++)
        wanted += *at == '%';
    spare = words->count > wanted ? words->count - wanted : 0;
    for (; *from != 0; from++) {
        u32 take = 1;

        if (*from != '%') {
            put(text, &length, from, 1);
            continue;
        }
        for (from++; is_digit(*from); from++)
            ;
        if (*from == 's') {
            take += spare;
            spare = 0;
        }
        for (u32 n = 0; n < take && next < words->count; n++, next++) {
            if (n > 0)
                put(text, &length, " ", 1);
            put(text, &length, words->at[next], words->length[next]);
        }
    }
    return length;
}

static u32 compressed(char *text, u32 length)
{
    u32 kept = 0;

    for (u32 n = 0; n < length; n++)
        if (text[n] != ' ' || (kept > 0 && text[kept - 1] != ' '))
            text[kept++] = text[n];
    return length_of(text, kept);
}

/* The words of the line up to the options, as they were typed. `options` is where those begin. */
static bool take_words(const struct call *call, const char **number, u32 *number_length, struct words *words,
                       const char **options)
{
    const char *at = call->arguments, *end = call->end;
    bool first = true;

    words->count = 0;
    *number_length = 0;
    for (;;) {
        const char *begin, *stop;
        char quote = 0;

        while (at < end && *at == ' ')
            at++;
        *options = at;
        if (at == end || *at == '(')
            return true;
        if (*at == '\'' || *at == '"')
            quote = *at++;
        for (begin = at; at < end && (quote != 0 ? *at != quote : *at != ' ' && *at != '(');)
            at++;
        stop = at;
        if (quote != 0 && at < end)
            at++;
        if (first) {
            *number = begin;
            *number_length = (u32)(stop - begin);
            first = false;
            continue;
        }
        if (words->count == SUBSTITUTIONS_MOST)
            return false;
        words->at[words->count] = begin;
        words->length[words->count++] = (u32)(stop - begin);
    }
}

struct wish { int header, display, variables, compress; u32 format, number; name application, caller, letter, line; };

static int show(const struct wish *wish, u32 line, const char *text, u32 length)
{
    char variable[16];
    u32 name_length = format(variable, sizeof variable, "MESSAGE.%u", line);

    if (wish->variables && exec_set(variable, name_length, text, length) & 0x98) {
        message("XMM", 631 + MESSAGE_SECOND, 'E', "VAR");
        return RC_SYNTAX;
    }
    if (wish->display == 2)
        message_show(text, length);
    else if (wish->display == 1)
        type_line(text, length);
    return 0;
}

static int give(const struct wish *wish, u32 line, u32 digits, char severity, const char *from, u32 count)
{
    char text[TEXT_MOST + 32], letter = wish->letter[0] != ' ' ? wish->letter[0] : severity;
    u32 length = 0;

    /* Only the first line of a message has the identifier, which ends with a letter unless GENMSG saw none. */
    if (wish->header && line == 1) {
        length = format(text, sizeof text, digits > 3 ? "%t%t%04u" : "%t%t%03u", wish->application, wish->caller,
                        wish->number);
        length += format(text + length, 3, letter != ' ' ? "%c " : " ", letter);
    }
    memcpy(text + length, from, count);
    length += count;
    return show(wish, line, text, wish->compress ? compressed(text, length) : length);
}

static int give_all(const struct wish *wish, const struct words *words)
{
    const struct repository_head *head = repository_of(wish->application);
    char text[TEXT_MOST];
    u32 lines = 0, only = 0;
    int code = 0;

    if (!is(wish->line, "*"))
        (void)parse_number(wish->line, name_length(wish->line), &only);
    if (is(wish->application, "DMS")) {
        const char *own = message_text(wish->number + (wish->format - 1) * MESSAGE_SECOND);

        if (own != NULL && only <= 1)
            code = give(wish, ++lines, 3, 'E', text, fill_in_own(own, words, text));
    } else if (head == NULL) {
        message("XMM", 813, 'E', wish->application);
        return NO_REPOSITORY;
    } else {
        for (const struct repository_line *line = NULL; code == 0 && (line = repository_next(head, line)) != NULL;)
            if (((u32)line->number[0] << 8 | line->number[1]) == wish->number && line->format == wish->format &&
                (only == 0 || line->line == only))
                code = give(wish, ++lines, head->digits, (char)line->severity, text, fill_in(head, line, words, text));
    }
    if (code == 0 && lines == 0) {
        message("XMM", 814, 'E', wish->number, wish->format, wish->application);
        return NO_MESSAGE;
    }
    if (code == 0 && wish->variables) {
        char count[12];

        (void)exec_set("MESSAGE.0", 9, count, format(count, sizeof count, "%u", lines));
    }
    return code;
}

int xmitmsg_command(const struct call *call)
{
    struct wish wish = { .header = 1, .display = -1, .format = 1, .application = "DMS     ", .caller = "        ",
                         .letter = "        ", .line = "*       " };
    const struct option known[] = {
        WORD("APPLID", 3, &wish.application), WORD("CALLER", 3, &wish.caller),
        NUMBER("FORMAT", 3, &wish.format), WORD("LETTER", 3, &wish.letter),
        WORD("LINE", 3, &wish.line), FLAG("ERRMSG", 3, &wish.display, 2),
        FLAG("DISPLAY", 3, &wish.display, 1), FLAG("NODISP", 3, &wish.display, 0),
        FLAG("VAR", 3, &wish.variables, 1), FLAG("HEADER", 3, &wish.header, 1),
        FLAG("NOHEADER", 3, &wish.header, 0), FLAG("COMPRESS", 3, &wish.compress, 1),
        FLAG("NOCOMPRESS", 3, &wish.compress, 0), IGNORED("SYSLANG", 3),
        IGNORED("NOSYSLANG", 3),
    };
    name token[TOKENS_MOST + 1];
    struct call rest = *call;
    struct words words;
    const char *number = NULL, *after;
    u32 length, line;
    int code;

    if (!take_words(call, &number, &length, &words, &after)) {
        message("XMM", 630, 'E', SUBSTITUTIONS_MOST);
        return RC_SYNTAX;
    }
    rest.token = token;
    rest.count = tokenize(after, (u32)(call->end - after), token);
    code = options("XMM", &rest, known, COUNT_OF(known));
    if (code != 0)
        return code;
    if (length == 0) {
        message("XMM", 405, 'E');
        return RC_SYNTAX;
    }
    pad(token[0], sizeof(name), number, length);
    if (!parse_number(number, length, &wish.number) || wish.number == 0 || wish.number > 9999) {
        message("XMM", 70, 'E', token[0]);
        return RC_SYNTAX;
    }
    if (name_length(wish.letter) > 1 || wish.format == 0 || wish.format > 99 ||
        (!is(wish.line, "*") && !(parse_number(wish.line, name_length(wish.line), &line) && line > 0))) {
        if (name_length(wish.letter) > 1)
            message("XMM", 29, 'E', wish.letter, "LETTER  ");
        else if (wish.format == 0 || wish.format > 99)
            message("XMM", 29, 'E', wish.format == 0 ? "0       " : "over 99 ", "FORMAT  ");
        else
            message("XMM", 29, 'E', wish.line, "LINE    ");
        return RC_SYNTAX;
    }
    /* What goes to variables is shown only if that is asked for, too. */
    if (wish.display < 0)
        wish.display = wish.variables ? 0 : 1;
    return give_all(&wish, &words);
}
