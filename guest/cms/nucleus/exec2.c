/*
 * EXEC 2: execs whose first word is &TRACE.
 *
 * A line is words between blanks. A word of the form -NAME in front is a label. Then come an assignment (&X = ...), a
 * control statement, or a command. In words every & begins the name of a variable, looked at from the right: &X&I is
 * the variable X3 if &I is 3; a variable that was never set is nothing, and words that become nothing are left out.
 * Commands are as with ADDRESS COMMAND, unless &PRESUME says something else ("VM/ESA: EXEC 2 Reference").
 */
#include "exec2.h"

enum { WORDS_KEPT = 256 };

static struct word text_of(const char *text) { return (struct word){ text, (u32)strlen(text) }; }

/* The innermost EXEC 2 program, if no other exec is further in (exec.c). */
static struct exec2 *running;

bool exec2_running(void) { return running != NULL; }

/* A program that its exec has called sets the variable of that name; false: the name cannot be one. */
bool exec2_set(const char *name, u32 length, const char *value, u32 value_length)
{
    char full[64];

    if (running == NULL || length == 0 || length >= sizeof full)
        return false;
    *full = '&';
    memcpy(full + 1, name, length);
    exec2_assign(running, (struct word){ full, length + 1 }, (struct word){ value, value_length });
    return true;
}

/* The words of a line. */
static u32 words_of(struct exec2 *exec, const char *text, u32 length, struct word *words)
{
    u32 count = 0, at = 0;

    while (at < length) {
        u32 n = 0;

        if (text[at] == ' ') {
            at++;
            continue;
        }
        while (at + n < length && text[at + n] != ' ')
            n++;
        if (count == WORDS_MOST) {
            exec->wrong = STATEMENT_TOO_LONG;
            break;
        }
        words[count++] = (struct word){ text + at, n };
        at += n;
    }
    return count;
}

/* All words substituted; those that become nothing are gone. */
static u32 resolved(struct exec2 *exec, const struct word *from, u32 count, struct word *to)
{
    u32 made = 0;

    for (u32 n = 0; n < count; n++) {
        struct word word = exec2_substituted(exec, from[n], 0);

        if (word.length > 0)
            to[made++] = word;
    }
    return made;
}

/* The words with a blank between two. */
static struct word joined(struct exec2 *exec, const struct word *words, u32 count)
{
    u32 length = 0, at = 0;
    char *text;

    for (u32 n = 0; n < count; n++)
        length += words[n].length + 1;
    text = exec2_space(exec, length + 1);
    if (text == NULL)
        return (struct word){ "", 0 };
    for (u32 n = 0; n < count; n++) {
        if (n > 0)
            text[at++] = ' ';
        memcpy(text + at, words[n].text, words[n].length);
        at += words[n].length;
    }
    return (struct word){ text, at };
}

static void say(struct word text)
{
    type_line(text.text, text.length < LINE_MOST ? text.length : LINE_MOST);
}

static void trace_line(struct exec2 *exec, const struct word *words, u32 count)
{
    char line[LINE_MOST + 1];
    struct word text = joined(exec, words, count);
    u32 length = format(line, 16, "%u. ", exec->at + 1), rest = LINE_MOST - length;

    memcpy(line + length, text.text, text.length < rest ? text.length : rest);
    type_line(line, length + (text.length < rest ? text.length : rest));
}

/* The line of a label, from here on and then from the top. */
static bool find_label(struct exec2 *exec, struct word label, u32 *line)
{
    for (u32 n = 1; n <= exec->lines; n++) {
        u32 at = (exec->at + n) % exec->lines, from = 0;
        const struct rexx_text *text = &exec->line[at];

        while (from < text->length && text->text[from] == ' ')
            from++;
        if (text->length - from >= label.length && memcmp(text->text + from, label.text, label.length) == 0 &&
            (from + label.length == text->length || text->text[from + label.length] == ' ')) {
            *line = at;
            return true;
        }
    }
    exec->wrong = LABEL_NOT_FOUND;
    return false;
}

/* Goes on after line n (from 0); loops that it leaves are over. */
static void go_after(struct exec2 *exec, u32 line)
{
    exec->at = line;
    while (exec->loops > 0 && (line + 1 < exec->loop[exec->loops - 1].first ||
                               line + 1 > exec->loop[exec->loops - 1].last))
        exec->loops--;
}

static void perform_command(struct exec2 *exec, const struct word *words, u32 count, struct word how)
{
    struct word line = joined(exec, words, count);

    if (count == 0 || exec->wrong)
        return;
    if (exec->trace >= TRACE_COMMANDS)
        trace_line(exec, words, count);
    if (how.length == 0)
        exec->retcode = perform(line.text, line.length, CALL_COMMAND);
    else if (IS_WORD(how, "CMS"))
        exec->retcode = perform(line.text, line.length, CALL_TYPED);
    else
        exec->retcode = subcommand(how.text, how.length, line.text, line.length);
    if (exec->retcode == 0)
        return;
    if (exec->trace == TRACE_ERRORS)
        trace_line(exec, words, count);
    if (exec->trace != TRACE_OFF)
        type("+++ R(%d) +++", exec->retcode);
    if (exec->error_words > 0 && !exec->in_error) {
        exec->in_error = true;
        exec2_statement(exec, exec->on_error, exec->error_words);
        exec->in_error = false;
    }
}

/* a op b; &$ is any argument, &* are all. */
static bool compare(struct exec2 *exec, struct word a, struct word op, struct word b)
{
    static const struct { char word[3]; u8 length; int bits; } operators[] = {
        { "=", 1, 2 }, { "EQ", 2, 2 }, { "LT", 2, 1 }, { "GT", 2, 4 }, { "NE", 2, 5 }, { "LE", 2, 3 }, { "GE", 2, 6 },
        { "NG", 2, 3 }, { "NL", 2, 6 }, { "<", 1, 1 }, { ">", 1, 4 }, { "^=", 2, 5 }, { "<=", 2, 3 }, { ">=", 2, 6 },
    };
    int bits = 0, order, x, y;

    for (u32 n = 0; n < COUNT_OF(operators) && bits == 0; n++)
        if (op.length == operators[n].length && op.text[0] == operators[n].word[0] &&
            (op.length == 1 || op.text[1] == operators[n].word[1]))
            bits = operators[n].bits;
    if (op.length == 2 && (u8)op.text[0] == 0x5f && op.text[1] == '=')
        bits = 5;
    if (bits == 0) {
        exec->wrong = INVALID_CONDITION;
        return false;
    }
    if (exec2_number(a, &x) && exec2_number(b, &y)) {
        order = x < y ? -1 : x > y;
    } else {
        u32 n = a.length < b.length ? a.length : b.length;

        order = memcmp(a.text, b.text, n);
        if (order == 0)
            order = a.length < b.length ? -1 : a.length > b.length;
    }
    return bits & (order < 0 ? 1 : order == 0 ? 2 : 4);
}

static bool condition(struct exec2 *exec, struct word a, struct word op, struct word b)
{
    bool any = IS_WORD(a, "&$"), all = IS_WORD(a, "&*");

    op = exec2_substituted(exec, op, 0);
    b = exec2_substituted(exec, b, 0);
    if (!any && !all)
        return compare(exec, exec2_substituted(exec, a, 0), op, b);
    for (u32 n = 0; n < exec->arg_count && !exec->wrong; n++)
        if (compare(exec, exec->args[n], op, b) == any)
            return any;
    return all;
}

static void assign(struct exec2 *exec, const struct word *words, u32 count)
{
    struct word name = exec2_substituted(exec, words[0], 1), value = { "", 0 };

    if (name.length < 2) {
        exec->wrong = INVALID_VARIABLE;
        return;
    }
    if (count > 3 && words[2].text[0] == '&' && (IS_WORD(words[3], "OF") || IS_WORD(words[3], "of"))) {
        struct word operand[WORDS_MOST];
        u32 operands = 0;

        /* Operands that are nothing count: their places matter. */
        for (u32 n = 4; n < count; n++)
            operand[operands++] = exec2_substituted(exec, words[n], 0);
        exec->wrong = exec2_function(exec, words[2], operand, operands, &value);
    } else if (count > 2) {
        struct word term[WORDS_MOST];
        u32 terms = resolved(exec, words + 2, count - 2, term);
        int sum = 0, number;

        if (terms == 1) {
            value = term[0];
        } else if (terms > 1) {
            for (u32 n = 0; n < terms && !exec->wrong; n += 2) {
                bool minus = n > 0 && IS_WORD(term[n - 1], "-");

                if (n > 0 && !minus && !IS_WORD(term[n - 1], "+"))
                    exec->wrong = INVALID_ASSIGNMENT;
                else if (!exec2_number(term[n], &number))
                    exec->wrong = CONVERSION_ERROR;
                else if (__builtin_add_overflow(sum, minus ? -number : number, &sum))
                    exec->wrong = NUMERIC_OVERFLOW;
            }
            if (terms % 2 == 0)
                exec->wrong = INVALID_ASSIGNMENT;
            value = exec2_number_text(exec, sum);
        }
    }
    if (!exec->wrong)
        exec2_assign(exec, name, value);
}

static void take_args(struct exec2 *exec, const struct word *words, u32 count)
{
    struct word kept[WORDS_MOST];

    for (u32 n = 0; n < count; n++)
        kept[n] = exec2_copied(words[n]);
    memcpy(exec->args, kept, count * sizeof *kept);
    exec->arg_count = count;
}

/* &BEGTYPE, &BEGSTACK, &BEGPUNCH: the lines up to &END, or so many. */
static void block(struct exec2 *exec, const struct word *words, u32 count)
{
    char kind = words[0].text[4];
    bool lifo = count > 1 && IS_WORD(words[1], "LIFO");
    u32 most = 0xffffffff, last = count - 1;

    if (count > 1 && parse_number(words[last].text, words[last].length, &most))
        most += 0;
    while (++exec->at < exec->lines && most-- > 0) {
        const struct rexx_text *line = &exec->line[exec->at];
        struct word word[WORDS_MOST];
        char card[80];

        if (most > 0xf0000000 && words_of(exec, line->text, line->length, word) == 1 && IS_WORD(word[0], "&END"))
            return;
        if (kind == 'T') {
            say((struct word){ line->text, line->length });
        } else if (kind == 'S') {
            stack_line(line->text, line->length < LINE_MOST ? line->length : LINE_MOST, lifo);
        } else {
            pad(card, sizeof card, line->text, line->length);
            (void)exec2_punch(card);
        }
    }
    exec->at--;
}

static void read_words(struct exec2 *exec, const struct word *words, u32 count)
{
    struct word read[WORDS_MOST];
    char line[256], *kept;
    u32 length, found, number = 1;
    bool lines = count < 2 || parse_number(words[1].text, words[1].length, &number);

    for (u32 n = 0; n < (lines ? number : 1) && !exec->ended && !exec->wrong; n++) {
        length = length_of(line, read_line(line));
        kept = obtain_command(length + 1);
        for (u32 k = 0; k < length; k++)
            kept[k] = exec->upper_case ? upper(line[k]) : line[k];
        found = words_of(exec, kept, length, read);
        if (lines) {
            exec2_statement(exec, read, found);
        } else if (IS_WORD(words[1], "ARGS")) {
            take_args(exec, read, found);
        } else if (IS_WORD(words[1], "STRING") && count > 2) {
            exec2_assign(exec, exec2_substituted(exec, words[2], 1), (struct word){ kept, length });
        } else if (IS_WORD(words[1], "VARS")) {
            for (u32 k = 2; k < count; k++)
                exec2_assign(exec, exec2_substituted(exec, words[k], 1),
                             k - 2 < found ? read[k - 2] : (struct word){ "", 0 });
        } else {
            exec->wrong = INVALID_ARGUMENT;
        }
    }
}

/* &LOOP n|-label m|*|&WHILE a op b|&UNTIL a op b */
static void begin_loop(struct exec2 *exec, const struct word *words, u32 count)
{
    struct loop *loop = &exec->loop[exec->loops];
    struct word range;
    u32 number;

    if (count < 3 || exec->loops == LOOPS_MOST) {
        exec->wrong = count < 3 ? MISSING_ARGUMENT : INVALID_LOOP;
        return;
    }
    memset(loop, 0, sizeof *loop);
    range = exec2_substituted(exec, words[1], 0);
    loop->first = exec->at + 1;
    if (parse_number(range.text, range.length, &number))
        loop->last = exec->at + number;
    else if (!find_label(exec, range, &loop->last))
        return;
    if (loop->last < loop->first || loop->last >= exec->lines) {
        exec->wrong = INVALID_LOOP;
        return;
    }
    if (IS_WORD(words[2], "&WHILE") || IS_WORD(words[2], "&UNTIL")) {
        if (count < 6) {
            exec->wrong = INVALID_CONDITION;
            return;
        }
        loop->condition = true;
        loop->until = words[2].text[1] == 'U';
        memcpy(loop->when, words + 3, sizeof loop->when);
    } else {
        struct word times = exec2_substituted(exec, words[2], 0);

        loop->forever = IS_WORD(times, "*");
        if (!loop->forever && !parse_number(times.text, times.length, &loop->left)) {
            exec->wrong = INVALID_LOOP;
            return;
        }
    }
    exec->loops++;
    /* The end of the loop looks whether there is a first time. */
    exec->at = loop->last;
    exec2_loop_end(exec);
}

/* After the last line of loops: again, or out. */
void exec2_loop_end(struct exec2 *exec)
{
    while (exec->loops > 0 && exec->at == exec->loop[exec->loops - 1].last) {
        struct loop *loop = &exec->loop[exec->loops - 1];
        bool again = loop->condition ? condition(exec, loop->when[0], loop->when[1], loop->when[2]) != loop->until
                                     : loop->forever || loop->left > 0;

        if (again && !exec->wrong) {
            loop->left -= loop->left > 0;
            exec->at = loop->first - 1;
            return;
        }
        exec->loops--;
    }
}

static void jump(struct exec2 *exec, const struct word *words, u32 count)
{
    struct word to = count > 1 ? exec2_substituted(exec, words[1], 0) : (struct word){ "", 0 };
    u32 line;

    if (to.length == 0)
        exec->wrong = MISSING_ARGUMENT;
    else if (IS_WORD(to, "TOP"))
        go_after(exec, 0xffffffff);
    else if (parse_number(to.text, to.length, &line) && line > 0 && line <= exec->lines)
        go_after(exec, line - 2);
    else if (find_label(exec, to, &line))
        go_after(exec, line - 1);
}

static void call_label(struct exec2 *exec, const struct word *words, u32 count)
{
    struct word given[WORDS_MOST];
    struct frame2 *frame = &exec->frame[exec->frames];
    u32 arguments = count > 2 ? resolved(exec, words + 2, count - 2, given) : 0;

    if (exec->frames == CALLS_MOST) {
        exec->wrong = INVALID_ARGUMENT;
        return;
    }
    *frame = (struct frame2){ .back = exec->at, .from = exec->at, .count = exec->arg_count };
    frame->args = obtain_command(WORDS_MOST * sizeof(struct word));
    memcpy(frame->args, exec->args, exec->arg_count * sizeof(struct word));
    exec->frames++;
    jump(exec, words, count);
    take_args(exec, given, arguments);
}

static void leave(struct exec2 *exec, const struct word *words, u32 count, bool all)
{
    struct word code = count > 1 ? exec2_substituted(exec, words[1], 0) : (struct word){ "", 0 };
    int number = 0;

    if (code.length > 0 && !exec2_number(code, &number)) {
        exec->wrong = CONVERSION_ERROR;
        return;
    }
    if (all || exec->frames == 0) {
        exec->exit_code = number;
        exec->ended = true;
        return;
    }
    exec->frames--;
    exec->at = exec->frame[exec->frames].back;
    take_args(exec, exec->frame[exec->frames].args, exec->frame[exec->frames].count);
    exec->retcode = number;
}

static void set_trace(struct exec2 *exec, const struct word *words, u32 count)
{
    struct word how = count > 1 ? exec2_substituted(exec, words[1], 0) : text_of("ON");

    if (IS_WORD(how, "ALL"))
        exec->trace = TRACE_ALL;
    else if (IS_WORD(how, "ON"))
        exec->trace = TRACE_COMMANDS;
    else if (IS_WORD(how, "ERR"))
        exec->trace = TRACE_ERRORS;
    else if (IS_WORD(how, "OFF"))
        exec->trace = TRACE_OFF;
    else
        exec->wrong = INVALID_ARGUMENT;
}

static void skip(struct exec2 *exec, const struct word *words, u32 count)
{
    struct word by = count > 1 ? exec2_substituted(exec, words[1], 0) : text_of("1");
    int number;

    if (!exec2_number(by, &number) || (number < 0 && (u32)-number > exec->at + 1))
        exec->wrong = INVALID_ARGUMENT;
    else if (number != 0)
        go_after(exec, exec->at + (u32)number - (number < 0));
}

/* The words from n on with their values, a blank between two. */
static struct word text_from(struct exec2 *exec, const struct word *words, u32 count, u32 n)
{
    struct word made[WORDS_MOST];
    u32 left = n < count ? resolved(exec, words + n, count - n, made) : 0;

    return joined(exec, made, left);
}

static void type_words(struct exec2 *exec, const struct word *words, u32 count)
{
    say(text_from(exec, words, count, 1));
}

static void stack_words(struct exec2 *exec, const struct word *words, u32 count)
{
    bool lifo = count > 1 && IS_WORD(words[1], "LIFO"), order = lifo || (count > 1 && IS_WORD(words[1], "FIFO"));
    struct word text = text_from(exec, words, count, 1 + order);

    stack_line(text.text, text.length < LINE_MOST ? text.length : LINE_MOST, lifo);
}

static void punch_words(struct exec2 *exec, const struct word *words, u32 count)
{
    struct word text = text_from(exec, words, count, 1);
    char card[80];

    pad(card, sizeof card, text.text, text.length);
    (void)exec2_punch(card);
}

static void perform_if(struct exec2 *exec, const struct word *words, u32 count)
{
    if (count < 5) {
        exec->wrong = INVALID_CONDITION;
        return;
    }
    exec->if_was_true = condition(exec, words[1], words[2], words[3]);
    if (exec->if_was_true && !exec->wrong)
        exec2_statement(exec, words + 4, count - 4);
}

static void perform_else(struct exec2 *exec, const struct word *words, u32 count)
{
    if (!exec->if_was_true)
        exec2_statement(exec, words + 1, count - 1);
}

static void exit_program(struct exec2 *exec, const struct word *words, u32 count) { leave(exec, words, count, true); }
static void return_to(struct exec2 *exec, const struct word *words, u32 count) { leave(exec, words, count, false); }

static void set_args(struct exec2 *exec, const struct word *words, u32 count)
{
    struct word made[WORDS_MOST];
    u32 n = resolved(exec, words + 1, count - 1, made);

    take_args(exec, made, n);
}

static void command_words(struct exec2 *exec, const struct word *words, u32 count)
{
    struct word made[WORDS_MOST];
    u32 n = resolved(exec, words + 1, count - 1, made);

    perform_command(exec, made, n, (struct word){ "", 0 });
}

static void subcommand_words(struct exec2 *exec, const struct word *words, u32 count)
{
    struct word made[WORDS_MOST];
    u32 n = resolved(exec, words + 1, count - 1, made);

    if (n < 2)
        exec->wrong = MISSING_ARGUMENT;
    else
        perform_command(exec, made + 1, n - 1, joined(exec, made, 1));
}

static void presume(struct exec2 *exec, const struct word *words, u32 count)
{
    exec->presumed = count > 2 && IS_WORD(words[1], "&SUBCOMMAND") ? 1 : 0;
    if (exec->presumed)
        exec->presume = exec2_copied(exec2_substituted(exec, words[2], 0));
}

static void set_error(struct exec2 *exec, const struct word *words, u32 count)
{
    exec->error_words = count > 1 && !IS_WORD(words[1], "&CONTINUE") ? count - 1 : 0;
    memcpy(exec->on_error, words + 1, exec->error_words * sizeof *words);
}

static void set_case(struct exec2 *exec, const struct word *words, u32 count)
{
    exec->upper_case = count > 1 && IS_WORD(words[1], "U");
}

static void upper_args(struct exec2 *exec, const struct word *words, u32 count)
{
    (void)words;
    (void)count;
    for (u32 n = 0; n < exec->arg_count; n++) {
        struct word word = exec2_copied(exec->args[n]);

        for (u32 k = 0; k < word.length; k++)
            ((char *)word.text)[k] = upper(word.text[k]);
        exec->args[n] = word;
    }
}

static void nothing(struct exec2 *exec, const struct word *words, u32 count) { (void)exec, (void)words, (void)count; }

#define CONTROL(word, perform) { word, sizeof word - 1, perform }

/* Those that execs have most come first. */
static const struct control controls[] = {
    CONTROL("&IF", perform_if), CONTROL("&GOTO", jump), CONTROL("&TYPE", type_words), CONTROL("&LOOP", begin_loop),
    CONTROL("&EXIT", exit_program), CONTROL("&ELSE", perform_else), CONTROL("&STACK", stack_words),
    CONTROL("&READ", read_words), CONTROL("&CALL", call_label), CONTROL("&RETURN", return_to),
    CONTROL("&COMMAND", command_words), CONTROL("&SUBCOMMAND", subcommand_words), CONTROL("&PRESUME", presume),
    CONTROL("&TRACE", set_trace), CONTROL("&ARGS", set_args), CONTROL("&SKIP", skip), CONTROL("&ERROR", set_error),
    CONTROL("&CASE", set_case), CONTROL("&UPPER", upper_args), CONTROL("&PUNCH", punch_words),
    CONTROL("&BEGTYPE", block), CONTROL("&BEGSTACK", block), CONTROL("&BEGPUNCH", block), CONTROL("&CONTINUE", nothing),
    CONTROL("&BUFFER", nothing), CONTROL("&END", nothing),
};

static const struct control *find_control(struct word word)
{
    for (const struct control *at = controls; at < controls + COUNT_OF(controls); at++)
        if (at->length == word.length && at->word[1] == word.text[1] && memcmp(at->word, word.text, word.length) == 0)
            return at;
    return NULL;
}

/* What a statement is, without its label. */
static struct statement statement_of(const struct word *words, u32 count)
{
    struct statement made = { .word = words, .count = count };

    if (count > 0 && words[0].text[0] == '&') {
        made.assignment = count > 1 && IS_WORD(words[1], "=");
        made.control = made.assignment || words[0].length < 2 ? NULL : find_control(words[0]);
    }
    return made;
}

static void perform_statement(struct exec2 *exec, const struct statement *statement)
{
    const struct word *words = statement->word;
    struct word made[WORDS_MOST];
    u32 count = statement->count;

    if (count == 0 || words[0].text[0] == '*')
        return;
    if (exec->trace == TRACE_ALL)
        trace_line(exec, words, count);
    if (statement->assignment)
        assign(exec, words, count);
    else if (statement->control != NULL)
        statement->control->perform(exec, words, count);
    else
        perform_command(exec, made, resolved(exec, words, count, made),
                        exec->presumed ? exec->presume : (struct word){ "", 0 });
}

void exec2_statement(struct exec2 *exec, const struct word *words, u32 count)
{
    struct statement statement = statement_of(words, count);

    perform_statement(exec, &statement);
}

/* The statement of a line, whose words are kept: it may be performed often. */
static const struct statement *line_statement(struct exec2 *exec, u32 n)
{
    struct statement *statement = &exec->statement[n];
    struct word found[WORDS_MOST], *words;
    u32 count, label;

    if (statement->word != NULL)
        return statement;
    count = words_of(exec, exec->line[n].text, exec->line[n].length, found);
    if (exec->words == NULL || exec->words->left < count + 1) {
        struct words *more = obtain_command(sizeof *more + WORDS_KEPT * sizeof *words);

        *more = (struct words){ .next = exec->words, .left = WORDS_KEPT };
        exec->words = more;
    }
    words = exec->words->word + (WORDS_KEPT - exec->words->left);
    exec->words->left -= count + 1;
    memcpy(words, found, count * sizeof *words);
    label = count > 0 && words[0].text[0] == '-' && words[0].length > 1;
    *statement = statement_of(words + label, count - label);
    return statement;
}

/* An abend, or an exec of another kind: no program of this kind has variables now. Which one had. */
struct exec2 *exec2_hide(struct exec2 *now)
{
    struct exec2 *outer = running;

    running = now;
    return outer;
}

/* The return code: EXIT's, or 10000 and what was wrong. */
int exec2_run(const struct rexx_program *program, const struct call *call)
{
    struct exec2 *exec = obtain_command(sizeof *exec), *outer = running;
    struct word words[WORDS_MOST];
    int code;

    memset(exec, 0, sizeof *exec);
    running = exec;
    exec->line = program->lines;
    exec->lines = program->count;
    exec->program = program;
    exec->call = call;
    exec->trace = TRACE_COMMANDS;
    exec->scratch = obtain_command(STATEMENT_ROOM);
    exec->statement = obtain_command((exec->lines + 1) * sizeof *exec->statement);
    memset(exec->statement, 0, (exec->lines + 1) * sizeof *exec->statement);
    exec->args = obtain_command(WORDS_MOST * sizeof *exec->args);
    /* A macro's commands are subcommands of the editor. */
    if (!(program->environment.length == 3 && memcmp(program->environment.text, "CMS", 3) == 0)) {
        exec->presumed = 1;
        exec->presume = (struct word){ program->environment.text, program->environment.length };
    }
    take_args(exec, words, words_of(exec, call->arguments, (u32)(call->end - call->arguments), words));
    while (!exec->ended && !exec->wrong && exec->at < exec->lines) {
        const struct statement *statement = line_statement(exec, exec->at);

        exec->used = 0;
        attend();
        if (exec_attention & REXX_HALT) {
            exec_attention = 0;
            break;
        }
        if (!exec->wrong)
            perform_statement(exec, statement);
        if (exec->wrong || exec->ended)
            break;
        exec2_loop_end(exec);
        exec->at++;
    }
    running = outer;
    code = exec->exit_code;
    if (exec->wrong) {
        message("EXT", 85, 'E', program->name.text, program->type.text, exec->at + 1, exec2_error(exec->wrong));
        code = 10000 + exec->wrong;
    }
    for (struct words *next; exec->words != NULL; exec->words = next) {
        next = exec->words->next;
        release(exec->words);
    }
    release(exec->statement);
    release(exec->scratch);
    release(exec->args);
    release(exec);
    return code;
}
