/*
 * EXEC 2: execs whose first word is &TRACE.
 *
 * A line is words between blanks. A word of the form -NAME in front is a label. Then come an assignment (&X = ...), a
 * control statement, or a command. In words every & begins the name of a variable, looked at from the right: &X&I is
 * the variable X3 if &I is 3; a variable that was never set is nothing, and words that become nothing are left out.
 * Commands are as with ADDRESS COMMAND, unless &PRESUME says something else ("VM/ESA: EXEC 2 Reference").
 */
#include "exec2.h"

enum { ROOM = 32768, CALLS_MOST = 20, LOOPS_MOST = 20 };

struct variable { struct variable *next; u32 length, value_length; char *value; char name[]; };
struct loop { u32 first, last, left; bool forever, until, condition; struct word when[3]; };
struct frame2 { u32 back, from; struct word *args; u32 count; };

struct exec2 {
    const struct rexx_text *line;
    u32 lines, at;                      /* the line being looked at, from 0 */
    const struct rexx_program *program;
    const struct call *call;
    struct variable *variables;
    struct word *args;
    u32 arg_count;
    struct frame2 frame[CALLS_MOST];
    u32 frames;
    struct loop loop[LOOPS_MOST];
    u32 loops;
    struct word presume[4], on_error[WORDS_MOST];
    u32 presumed, error_words;
    int retcode, exit_code, wrong;
    bool ended, in_error, upper_case, if_was_true;
    enum { TRACE_OFF, TRACE_ERRORS, TRACE_COMMANDS, TRACE_ALL } trace;
    char *scratch;
    u32 used;
};

/* Texts of the statement that is being performed. */
static char *space(struct exec2 *exec, u32 length)
{
    char *at;

    if (length > ROOM - exec->used) {
        exec->wrong = STATEMENT_TOO_LONG;
        return NULL;
    }
    at = exec->scratch + exec->used;
    exec->used += length;
    return at;
}

static struct word text_of(const char *text) { return (struct word){ text, (u32)strlen(text) }; }

bool word_is(struct word word, const char *text)
{
    u32 n = 0;

    while (n < word.length && text[n] != 0 && text[n] == word.text[n])
        n++;
    return n == word.length && text[n] == 0;
}

static struct word copied(struct word word)
{
    char *text = obtain_command(word.length + 1);

    memcpy(text, word.text, word.length);
    return (struct word){ text, word.length };
}

static struct variable *find(struct exec2 *exec, struct word name)
{
    struct variable *at = exec->variables;

    while (at != NULL && (at->length != name.length || memcmp(at->name, name.text, name.length) != 0))
        at = at->next;
    return at;
}

static void set(struct exec2 *exec, struct word name, struct word value)
{
    struct variable *variable;
    u32 number;
    struct word kept = copied(value);

    if (name.length > 1 && parse_number(name.text + 1, name.length - 1, &number)) {
        if (number == 0 || number >= WORDS_MOST) {
            exec->wrong = INVALID_VARIABLE;
            return;
        }
        while (exec->arg_count < number)
            exec->args[exec->arg_count++] = (struct word){ "", 0 };
        exec->args[number - 1] = kept;
        return;
    }
    variable = find(exec, name);
    if (variable == NULL) {
        variable = obtain_command(sizeof *variable + name.length);
        variable->length = name.length;
        memcpy(variable->name, name.text, name.length);
        variable->value = NULL;
        variable->next = exec->variables;
        exec->variables = variable;
    }
    release(variable->value);
    variable->value = (char *)kept.text;
    variable->value_length = kept.length;
}

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
    set(running, (struct word){ full, length + 1 }, (struct word){ value, value_length });
    return true;
}

static struct word number_text(struct exec2 *exec, int value)
{
    char *text = space(exec, 12);

    return text == NULL ? (struct word){ "", 0 } : (struct word){ text, format(text, 12, "%d", value) };
}

/* The value of a name that begins with &. */
static struct word value_of(struct exec2 *exec, struct word name)
{
    const struct variable *variable = find(exec, name);
    struct moment at;
    u32 number;
    char *text;

    if (variable != NULL)
        return (struct word){ variable->value, variable->value_length };
    if (name.length > 1 && parse_number(name.text + 1, name.length - 1, &number)) {
        if (number == 0)
            return (struct word){ exec->call->token[0], name_length(exec->call->token[0]) };
        return number <= exec->arg_count ? exec->args[number - 1] : (struct word){ "", 0 };
    }
    if (word_is(name, "&N") || word_is(name, "&INDEX"))
        return number_text(exec, (int)exec->arg_count);
    if (word_is(name, "&RETCODE") || word_is(name, "&RC"))
        return number_text(exec, exec->retcode);
    if (word_is(name, "&LINENUM") || word_is(name, "&LINE"))
        return number_text(exec, (int)exec->at + 1);
    if (word_is(name, "&DEPTH"))
        return number_text(exec, (int)exec->frames + 1);
    if (word_is(name, "&FROM"))
        return number_text(exec, exec->frames == 0 ? 0 : (int)exec->frame[exec->frames - 1].from + 1);
    if (word_is(name, "&FILENAME"))
        return (struct word){ exec->program->name.text, exec->program->name.length };
    if (word_is(name, "&FILETYPE"))
        return (struct word){ exec->program->type.text, exec->program->type.length };
    if (word_is(name, "&FILEMODE"))
        return (struct word){ exec->program->mode.text, exec->program->mode.length };
    if (word_is(name, "&BLANK"))
        return text_of(" ");
    if (word_is(name, "&ARGSTRING"))
        return (struct word){ exec->call->arguments, (u32)(exec->call->end - exec->call->arguments) };
    if (!word_is(name, "&DATE") && !word_is(name, "&TIME"))
        return (struct word){ "", 0 };
    now(&at);
    text = space(exec, 12);
    if (text == NULL)
        return (struct word){ "", 0 };
    return (struct word){ text, name.text[1] == 'D'
                                    ? format(text, 12, "%02u/%02u/%02u", at.year % 100, at.month, at.day)
                                    : format(text, 12, "%02u:%02u:%02u", at.hour, at.minute, at.second) };
}

/* The word with the values of its variables; the first `keep` characters are left as they are. */
struct word substituted(struct exec2 *exec, struct word word, u32 keep)
{
    for (u32 at = word.length; at-- > keep;) {
        struct word value;
        char *made;

        if (word.text[at] != '&')
            continue;
        value = value_of(exec, (struct word){ word.text + at, word.length - at });
        made = space(exec, at + value.length);
        if (made == NULL)
            return (struct word){ "", 0 };
        memcpy(made, word.text, at);
        memcpy(made + at, value.text, value.length);
        word = (struct word){ made, at + value.length };
    }
    return word;
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
        struct word word = substituted(exec, from[n], 0);

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
    text = space(exec, length + 1);
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
static void go_behind(struct exec2 *exec, u32 line)
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
    else if (word_is(how, "CMS"))
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
    static const struct { const char *word; int bits; } operators[] = {
        { "=", 2 }, { "EQ", 2 }, { "^=", 5 }, { "NE", 5 }, { "<", 1 }, { "LT", 1 }, { ">", 4 }, { "GT", 4 },
        { "<=", 3 }, { "LE", 3 }, { "NG", 3 }, { ">=", 6 }, { "GE", 6 }, { "NL", 6 },
    };
    int bits = 0, order, x, y;

    for (u32 n = 0; n < COUNT_OF(operators); n++)
        if (word_is(op, operators[n].word))
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
    bool any = word_is(a, "&$"), all = word_is(a, "&*");

    op = substituted(exec, op, 0);
    b = substituted(exec, b, 0);
    if (!any && !all)
        return compare(exec, substituted(exec, a, 0), op, b);
    for (u32 n = 0; n < exec->arg_count && !exec->wrong; n++)
        if (compare(exec, exec->args[n], op, b) == any)
            return any;
    return all;
}

static void assign(struct exec2 *exec, const struct word *words, u32 count)
{
    struct word name = substituted(exec, words[0], 1), value = { "", 0 };

    if (name.length < 2) {
        exec->wrong = INVALID_VARIABLE;
        return;
    }
    if (count > 3 && words[2].text[0] == '&' && (word_is(words[3], "OF") || word_is(words[3], "of"))) {
        struct word operand[WORDS_MOST];
        u32 operands = 0;

        /* Operands that are nothing count: their places matter. */
        for (u32 n = 4; n < count; n++)
            operand[operands++] = substituted(exec, words[n], 0);
        exec->wrong = exec2_function(exec, words[2], operand, operands, &value);
    } else if (count > 2) {
        struct word term[WORDS_MOST];
        u32 terms = resolved(exec, words + 2, count - 2, term);
        int sum = 0, number;

        if (terms == 1) {
            value = term[0];
        } else if (terms > 1) {
            for (u32 n = 0; n < terms && !exec->wrong; n += 2) {
                bool minus = n > 0 && word_is(term[n - 1], "-");

                if (n > 0 && !minus && !word_is(term[n - 1], "+"))
                    exec->wrong = INVALID_ASSIGNMENT;
                else if (!exec2_number(term[n], &number))
                    exec->wrong = CONVERSION_ERROR;
                else if (__builtin_add_overflow(sum, minus ? -number : number, &sum))
                    exec->wrong = NUMERIC_OVERFLOW;
            }
            if (terms % 2 == 0)
                exec->wrong = INVALID_ASSIGNMENT;
            value = number_text(exec, sum);
        }
    }
    if (!exec->wrong)
        set(exec, name, value);
}

static void take_args(struct exec2 *exec, const struct word *words, u32 count)
{
    struct word kept[WORDS_MOST];

    for (u32 n = 0; n < count; n++)
        kept[n] = copied(words[n]);
    memcpy(exec->args, kept, count * sizeof *kept);
    exec->arg_count = count;
}

/* &BEGTYPE, &BEGSTACK, &BEGPUNCH: the lines up to &END, or so many. */
static void block(struct exec2 *exec, char kind, const struct word *words, u32 count)
{
    bool lifo = count > 1 && word_is(words[1], "LIFO");
    u32 most = 0xffffffff, last = count - 1;

    if (count > 1 && parse_number(words[last].text, words[last].length, &most))
        most += 0;
    while (++exec->at < exec->lines && most-- > 0) {
        const struct rexx_text *line = &exec->line[exec->at];
        struct word word[WORDS_MOST];
        char card[80];

        if (most > 0xf0000000 && words_of(exec, line->text, line->length, word) == 1 && word_is(word[0], "&END"))
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
        } else if (word_is(words[1], "ARGS")) {
            take_args(exec, read, found);
        } else if (word_is(words[1], "STRING") && count > 2) {
            set(exec, substituted(exec, words[2], 1), (struct word){ kept, length });
        } else if (word_is(words[1], "VARS")) {
            for (u32 k = 2; k < count; k++)
                set(exec, substituted(exec, words[k], 1), k - 2 < found ? read[k - 2] : (struct word){ "", 0 });
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
    range = substituted(exec, words[1], 0);
    loop->first = exec->at + 1;
    if (parse_number(range.text, range.length, &number))
        loop->last = exec->at + number;
    else if (!find_label(exec, range, &loop->last))
        return;
    if (loop->last < loop->first || loop->last >= exec->lines) {
        exec->wrong = INVALID_LOOP;
        return;
    }
    if (word_is(words[2], "&WHILE") || word_is(words[2], "&UNTIL")) {
        if (count < 6) {
            exec->wrong = INVALID_CONDITION;
            return;
        }
        loop->condition = true;
        loop->until = words[2].text[1] == 'U';
        memcpy(loop->when, words + 3, sizeof loop->when);
    } else {
        struct word times = substituted(exec, words[2], 0);

        loop->forever = word_is(times, "*");
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
    struct word to = count > 1 ? substituted(exec, words[1], 0) : (struct word){ "", 0 };
    u32 line;

    if (to.length == 0)
        exec->wrong = MISSING_ARGUMENT;
    else if (word_is(to, "TOP"))
        go_behind(exec, 0xffffffff);
    else if (parse_number(to.text, to.length, &line) && line > 0 && line <= exec->lines)
        go_behind(exec, line - 2);
    else if (find_label(exec, to, &line))
        go_behind(exec, line - 1);
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
    struct word code = count > 1 ? substituted(exec, words[1], 0) : (struct word){ "", 0 };
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
    struct word how = count > 1 ? substituted(exec, words[1], 0) : text_of("ON");

    if (word_is(how, "ALL"))
        exec->trace = TRACE_ALL;
    else if (word_is(how, "ON"))
        exec->trace = TRACE_COMMANDS;
    else if (word_is(how, "ERR"))
        exec->trace = TRACE_ERRORS;
    else if (word_is(how, "OFF"))
        exec->trace = TRACE_OFF;
    else
        exec->wrong = INVALID_ARGUMENT;
}

static void skip(struct exec2 *exec, const struct word *words, u32 count)
{
    struct word by = count > 1 ? substituted(exec, words[1], 0) : text_of("1");
    int number;

    if (!exec2_number(by, &number) || (number < 0 && (u32)-number > exec->at + 1))
        exec->wrong = INVALID_ARGUMENT;
    else if (number != 0)
        go_behind(exec, exec->at + (u32)number - (number < 0));
}

static void control(struct exec2 *exec, const struct word *words, u32 count)
{
    struct word made[WORDS_MOST], what = words[0];
    u32 n;

    if (word_is(what, "&TYPE")) {
        n = resolved(exec, words + 1, count - 1, made);
        say(joined(exec, made, n));
    } else if (word_is(what, "&STACK")) {
        bool order = count > 1 && (word_is(words[1], "LIFO") || word_is(words[1], "FIFO"));
        struct word text;

        n = resolved(exec, words + 1 + order, count - 1 - order, made);
        text = joined(exec, made, n);
        stack_line(text.text, text.length < LINE_MOST ? text.length : LINE_MOST, order && words[1].text[0] == 'L');
    } else if (word_is(what, "&PUNCH")) {
        struct word text;
        char card[80];

        n = resolved(exec, words + 1, count - 1, made);
        text = joined(exec, made, n);
        pad(card, sizeof card, text.text, text.length);
        (void)exec2_punch(card);
    } else if (word_is(what, "&BEGTYPE") || word_is(what, "&BEGSTACK") || word_is(what, "&BEGPUNCH")) {
        block(exec, what.text[4], words, count);
    } else if (word_is(what, "&IF")) {
        if (count < 5) {
            exec->wrong = INVALID_CONDITION;
            return;
        }
        exec->if_was_true = condition(exec, words[1], words[2], words[3]);
        if (exec->if_was_true && !exec->wrong)
            exec2_statement(exec, words + 4, count - 4);
    } else if (word_is(what, "&ELSE")) {
        if (!exec->if_was_true)
            exec2_statement(exec, words + 1, count - 1);
    } else if (word_is(what, "&GOTO")) {
        jump(exec, words, count);
    } else if (word_is(what, "&SKIP")) {
        skip(exec, words, count);
    } else if (word_is(what, "&CALL")) {
        call_label(exec, words, count);
    } else if (word_is(what, "&EXIT") || word_is(what, "&RETURN")) {
        leave(exec, words, count, what.text[1] == 'E');
    } else if (word_is(what, "&LOOP")) {
        begin_loop(exec, words, count);
    } else if (word_is(what, "&ARGS")) {
        n = resolved(exec, words + 1, count - 1, made);
        take_args(exec, made, n);
    } else if (word_is(what, "&READ")) {
        read_words(exec, words, count);
    } else if (word_is(what, "&TRACE")) {
        set_trace(exec, words, count);
    } else if (word_is(what, "&COMMAND")) {
        n = resolved(exec, words + 1, count - 1, made);
        perform_command(exec, made, n, (struct word){ "", 0 });
    } else if (word_is(what, "&SUBCOMMAND")) {
        n = resolved(exec, words + 1, count - 1, made);
        if (n < 2)
            exec->wrong = MISSING_ARGUMENT;
        else
            perform_command(exec, made + 1, n - 1, made[0]);
    } else if (word_is(what, "&PRESUME")) {
        exec->presumed = count > 2 && word_is(words[1], "&SUBCOMMAND") ? 1 : 0;
        if (exec->presumed)
            exec->presume[0] = copied(substituted(exec, words[2], 0));
    } else if (word_is(what, "&ERROR")) {
        exec->error_words = count > 1 && !word_is(words[1], "&CONTINUE") ? count - 1 : 0;
        memcpy(exec->on_error, words + 1, exec->error_words * sizeof *words);
    } else if (word_is(what, "&CASE")) {
        exec->upper_case = count > 1 && word_is(words[1], "U");
    } else if (word_is(what, "&UPPER")) {
        for (n = 0; n < exec->arg_count; n++) {
            struct word word = copied(exec->args[n]);

            for (u32 k = 0; k < word.length; k++)
                ((char *)word.text)[k] = upper(word.text[k]);
            exec->args[n] = word;
        }
    } else if (!word_is(what, "&CONTINUE") && !word_is(what, "&BUFFER") && !word_is(what, "&END")) {
        exec->wrong = INVALID_CONTROL;
    }
}

/* One statement, without its label. */
void exec2_statement(struct exec2 *exec, const struct word *words, u32 count)
{
    struct word made[WORDS_MOST];

    if (count == 0 || words[0].text[0] == '*')
        return;
    if (exec->trace == TRACE_ALL)
        trace_line(exec, words, count);
    if (words[0].text[0] == '&' && count > 1 && word_is(words[1], "=")) {
        assign(exec, words, count);
    } else if (words[0].text[0] == '&' && exec2_is_control(words[0])) {
        control(exec, words, count);
    } else {
        u32 n = resolved(exec, words, count, made);

        perform_command(exec, made, n, exec->presumed ? exec->presume[0] : (struct word){ "", 0 });
    }
}

/* The return code: EXIT's, or 10000 and what was wrong. */
/* An abend, or an exec of another kind: no program of this kind has variables now. Which one had. */
struct exec2 *exec2_hide(struct exec2 *now)
{
    struct exec2 *outer = running;

    running = now;
    return outer;
}

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
    exec->scratch = obtain_command(ROOM);
    exec->args = obtain_command(WORDS_MOST * sizeof *exec->args);
    /* A macro's commands are subcommands of the editor. */
    if (!(program->environment.length == 3 && memcmp(program->environment.text, "CMS", 3) == 0)) {
        exec->presumed = 1;
        exec->presume[0] = (struct word){ program->environment.text, program->environment.length };
    }
    take_args(exec, words, words_of(exec, call->arguments, (u32)(call->end - call->arguments), words));
    while (!exec->ended && !exec->wrong && exec->at < exec->lines) {
        const struct rexx_text *line = &exec->line[exec->at];
        u32 count = words_of(exec, line->text, line->length, words), label = count > 0 && words[0].text[0] == '-' &&
            words[0].length > 1;

        exec->used = 0;
        attend();
        if (exec_attention & REXX_HALT) {
            exec_attention = 0;
            break;
        }
        if (!exec->wrong)
            exec2_statement(exec, words + label, count - label);
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
    release(exec->scratch);
    release(exec->args);
    release(exec);
    return code;
}
