/*
 * The CMS EXEC processor: execs that begin neither with a comment nor with &TRACE.
 *
 * A line is tokens of eight characters (exec1var.c). -LABEL in front is a label, an asterisk a comment. Then come an
 * assignment, a control statement, or a command, which is performed as with ADDRESS COMMAND and may be abbreviated.
 * &CONTROL says what of it is typed. Of files of cards columns 73 to 80 are not read, of others columns after 130. The
 * rules are those of "VM/370: CMS Command and Macro Reference", section "EXEC Control Statements".
 */
#include "exec1.h"
#include "exec2.h"

enum { CARD = 80, CARD_TEXT = 72, LINE1_MOST = 130, READS_MOST = 99, READS_DEEP = 4 };

/* Tokens as they are written, with the control word. */
struct view1 { const struct token1 *token; u32 count; };
typedef const struct view1 written;

static void perform_statement(struct exec1 *exec, struct view1 statement);

/* Tokens with one blank between two; the length. */
static u32 joined(const struct token1 *token, u32 count, char line[LINE_MOST])
{
    u32 length = 0;

    for (u32 n = 0; n < count && length + sizeof token->text + 1 <= LINE_MOST; n++) {
        if (n > 0)
            line[length++] = ' ';
        memcpy(line + length, token[n].text, token[n].length);
        length += token[n].length;
    }
    return length;
}

static void show(struct exec1 *exec, const struct token1 *token, u32 count)
{
    char line[LINE_MOST], text[LINE_MOST + 16];
    u32 length = joined(token, count, line), ahead = 0;
    struct moment at;

    if (exec->show_time) {
        now(&at);
        ahead = format(text, 16, "%02u:%02u:%02u ", at.hour, at.minute, at.second);
    }
    memcpy(text + ahead, line, length);
    type_line(text, ahead + length < LINE_MOST ? ahead + length : LINE_MOST);
}

/* The line at `n`, without sequence numbers. */
static struct rexx_text line_at(const struct exec1 *exec, u32 n)
{
    struct rexx_text line = exec->program->lines[n];
    u32 most = line.length > CARD_TEXT && line.length <= CARD ? CARD_TEXT : LINE1_MOST;

    line.length = length_of(line.text, line.length < most ? line.length : most);
    return line;
}

/* After the statement line `to` (from 0) is performed. Loops that it is no part of are over. */
static void go_to(struct exec1 *exec, u32 to)
{
    exec->jumped = true;
    exec->at = to - 1;
    while (exec->loops > 0 && (to < exec->loop[exec->loops - 1].first || to > exec->loop[exec->loops - 1].last))
        exec->loops--;
}

/* The line of a label, from here on and then from the top. */
static bool find_label(struct exec1 *exec, const struct token1 *label, u32 *line)
{
    u32 lines = exec->program->count;

    for (u32 n = 1; n <= lines; n++) {
        u32 at = (exec->at + n) % lines, from = 0;
        struct rexx_text text = line_at(exec, at);
        struct token1 token;

        while (from < text.length && text.text[from] == ' ')
            from++;
        u32 end = from;
        while (end < text.length && text.text[end] != ' ')
            end++;
        token = token1_of(text.text + from, end - from);
        if (label->length == token.length && memcmp(label->text, token.text, token.length) == 0) {
            *line = at;
            return true;
        }
    }
    return false;
}

static void times(struct exec1 *exec, bool typed)
{
    struct moment at;

    now(&at);
    if (typed) {
        u32 own = (u32)((at.virtual_time - exec->virtual_time) / 10000);
        u32 all = (u32)((at.total_time - exec->total_time) / 10000);

        type("T=%u.%02u/%u.%02u %02u:%02u:%02u", own / 100, own % 100, all / 100, all % 100, at.hour, at.minute,
             at.second);
    }
    exec->virtual_time = at.virtual_time;
    exec->total_time = at.total_time;
}

/* ---- control statements ---- */

/* The operand as a number, if there is one. */
static int number_of(struct exec1 *exec, written *s, int usual)
{
    struct token1 token;
    int number;

    if (s->count < 2)
        return usual;
    token = exec1_token(exec, &s->token[1], 0);
    if (token.length == 0)
        return usual;
    if (!token1_number(&token, &number))
        exec->wrong = NOT_A_NUMBER;
    return exec->wrong ? usual : number;
}

/* The arguments from now on. A percent sign is one that says nothing. */
static void set_args(struct exec1 *exec, const struct token1 *token, u32 count)
{
    if (count > ARGS1_MOST) {
        exec->wrong = TOO_MANY_ARGUMENTS;
        return;
    }
    memcpy(exec->args, token, count * sizeof *token);
    exec->arg_count = count;
    for (u32 n = 0; n < count; n++)
        if (token1_is(&exec->args[n], "%"))
            exec->args[n].length = 0;
}

static void do_args(struct exec1 *exec, written *s)
{
    struct statement1 made;

    exec1_resolve(exec, s->token + 1, s->count - 1, &made);
    set_args(exec, made.token, made.count);
}

static bool is_end(const struct rexx_text *line)
{
    struct token1 word = token1_of(line->text, line->length);

    return word.length == 4 && token1_is(&word, "&END");
}

/* &BEGTYPE, &BEGSTACK, &BEGPUNCH: the lines up to &END as they are; with ALL those of cards with all their columns. */
static void do_block(struct exec1 *exec, written *s)
{
    bool lifo = false, all = false;
    char kind = upper(s->token[0].text[4]), card[CARD];

    for (u32 n = 1; n < s->count; n++) {
        lifo = lifo || token1_is(&s->token[n], "LIFO");
        all = all || token1_is(&s->token[n], "ALL");
    }
    for (exec->at++; exec->at < exec->program->count; exec->at++) {
        struct rexx_text line = all ? exec->program->lines[exec->at] : line_at(exec, exec->at);

        if (is_end(&line))
            return;
        line.length = line.length < LINE_MOST ? line.length : LINE_MOST;
        if (kind == 'T') {
            type_line(line.text, line.length);
        } else if (kind == 'S') {
            stack_line(line.text, line.length, lifo);
        } else {
            pad(card, sizeof card, line.text, line.length);
            (void)exec2_punch(card);
        }
    }
    exec->at--;
}

static void do_control(struct exec1 *exec, written *s)
{
    for (u32 n = 1; n < s->count; n++) {
        const struct token1 *word = &s->token[n];

        if (token1_is(word, "OFF"))
            exec->show = SHOW_OFF;
        else if (token1_is(word, "ERROR"))
            exec->show = SHOW_ERRORS;
        else if (token1_is(word, "CMS"))
            exec->show = SHOW_COMMANDS;
        else if (token1_is(word, "ALL"))
            exec->show = SHOW_ALL;
        else if (token1_is(word, "TIME") || token1_is(word, "NOTIME"))
            exec->show_time = word->length == 4;
        else if (token1_is(word, "MSG") || token1_is(word, "NOMSG"))
            exec->quiet = word->length == 5;
        else if (!token1_is(word, "PACK") && !token1_is(word, "NOPACK"))
            exec->wrong = INVALID_SYNTAX;
    }
}

static void do_emsg(struct exec1 *exec, written *s)
{
    struct statement1 made;
    char line[LINE_MOST + 4] = "DMS";

    exec1_resolve(exec, s->token + 1, s->count - 1, &made);
    if (made.count == 0)
        exec->wrong = INVALID_SYNTAX;
    else
        message_show(line, 3 + joined(made.token, made.count, line + 3));
}

static void do_error(struct exec1 *exec, written *s)
{
    exec->on_error.count = s->count - 1;
    memcpy(exec->on_error.token, s->token + 1, (s->count - 1) * sizeof s->token[0]);
}

static void do_exit(struct exec1 *exec, written *s)
{
    exec->exit_code = number_of(exec, s, 0);
    exec->ended = true;
}

static void do_goto(struct exec1 *exec, written *s)
{
    struct token1 to = s->count > 1 ? exec1_token(exec, &s->token[1], 0) : (struct token1){ .length = 0 };
    u32 line;

    if (token1_is(&to, "TOP"))
        go_to(exec, 0);
    else if (to.length > 0 && parse_number(to.text, to.length, &line) && line > 0 && line <= exec->program->count)
        go_to(exec, line - 1);
    else if (to.length > 1 && to.text[0] == '-' && find_label(exec, &to, &line))
        go_to(exec, line);
    else
        exec->wrong = SKIP_OR_GOTO;
}

static void do_hex(struct exec1 *exec, written *s)
{
    if (s->count != 2 || (!token1_is(&s->token[1], "ON") && !token1_is(&s->token[1], "OFF")))
        exec->wrong = INVALID_SYNTAX;
    else
        exec->hex = token1_is(&s->token[1], "ON");
}

static void do_if(struct exec1 *exec, written *s)
{
    if (s->count < 5) {
        exec->wrong = BAD_CONDITION;
        return;
    }
    if (exec1_condition(exec, &s->token[1]) && !exec->wrong)
        perform_statement(exec, (struct view1){ s->token + 4, s->count - 4 });
}

/* &LOOP n|-label m, or until the condition holds */
static void do_loop(struct exec1 *exec, written *s)
{
    struct loop1 *loop = &exec->loop[exec->loops];
    struct token1 range, count;
    u32 number;

    if (exec->loops == LOOPS1_MOST) {
        exec->wrong = LOOPS_TOO_DEEP;
        return;
    }
    if (s->count < 3) {
        exec->wrong = INVALID_SYNTAX;
        return;
    }
    range = exec1_token(exec, &s->token[1], 0);
    *loop = (struct loop1){ .first = exec->at + 1, .conditional = s->count > 3 };
    if (parse_number(range.text, range.length, &number) && number > 0)
        loop->last = exec->at + number;
    else if (!find_label(exec, &range, &loop->last) || loop->last < loop->first)
        exec->wrong = SKIP_OR_GOTO;
    if (!exec->wrong && loop->last >= exec->program->count)
        exec->wrong = END_IN_LOOP;
    if (loop->conditional) {
        if (s->count != 5)
            exec->wrong = BAD_CONDITION;
        else
            memcpy(loop->when, s->token + 2, sizeof loop->when);
    } else {
        count = exec1_token(exec, &s->token[2], 0);
        if (!parse_number(count.text, count.length, &loop->left))
            exec->wrong = NOT_A_NUMBER;
    }
    if (exec->wrong)
        return;
    exec->loops++;
    /* The end of the loop looks whether there is a first time. */
    exec->at = loop->last;
}

/* After the last line of loops: again, or out. */
static void end_loops(struct exec1 *exec)
{
    while (exec->loops > 0 && exec->at == exec->loop[exec->loops - 1].last && !exec->wrong) {
        struct loop1 *loop = &exec->loop[exec->loops - 1];
        bool again = loop->conditional ? !exec1_condition(exec, loop->when) : loop->left > 0;

        if (exec->wrong)
            return;
        if (again) {
            loop->left -= !loop->conditional;
            exec->at = loop->first - 1;
            return;
        }
        exec->loops--;
    }
}

static void do_punch(struct exec1 *exec, written *s)
{
    struct statement1 made;
    char line[LINE_MOST], card[CARD];

    exec1_resolve(exec, s->token + 1, s->count - 1, &made);
    pad(card, sizeof card, line, joined(made.token, made.count, line));
    (void)exec2_punch(card);
}

/* A line of the stack or the terminal, in capitals. */
static void read_tokens(struct exec1 *exec, struct statement1 *read)
{
    char line[256];
    u32 length = read_line(line);

    for (u32 n = 0; n < length; n++)
        line[n] = upper(line[n]);
    exec1_tokens(exec, line, length < LINE1_MOST ? length : LINE1_MOST, read);
}

/* &READ n: so many lines are performed as if they stood here. ARGS, VARS: their tokens become values. */
static void do_read(struct exec1 *exec, written *s)
{
    struct statement1 read;

    if (s->count > 1 && token1_is(&s->token[1], "ARGS")) {
        read_tokens(exec, &read);
        set_args(exec, read.token, read.count);
    } else if (s->count > 1 && token1_is(&s->token[1], "VARS")) {
        read_tokens(exec, &read);
        for (u32 n = 2; n < s->count && !exec->wrong; n++) {
            struct token1 name = exec1_token(exec, &s->token[n], 1), none = { .length = 0 };
            const struct token1 *value = n - 2 < read.count ? &read.token[n - 2] : &none;

            exec1_set(exec, &name, token1_is(value, "%") ? &none : value);
        }
    } else {
        int lines = number_of(exec, s, 1);

        /* What is read may read again, but not for ever. */
        if (lines < 0 || lines > READS_MOST || exec->reading == READS_DEEP)
            exec->wrong = INVALID_SYNTAX;
        exec->reading++;
        for (int n = 0; n < lines && !exec->wrong && !exec->ended && !exec->jumped; n++) {
            read_tokens(exec, &read);
            perform_statement(exec, (struct view1){ read.token, read.count });
        }
        exec->reading--;
    }
}

static void do_skip(struct exec1 *exec, written *s)
{
    int by = number_of(exec, s, 1), to = (int)exec->at + by + (by >= 0);

    if (exec->wrong)
        return;
    if (to < 0)
        exec->wrong = SKIP_OR_GOTO;
    else if (by != 0)
        go_to(exec, (u32)to);
}

static void do_space(struct exec1 *exec, written *s)
{
    int lines = number_of(exec, s, 1);

    for (int n = 0; n < lines && !exec->wrong; n++)
        type_line("", 0);
}

static void do_stack(struct exec1 *exec, written *s)
{
    bool order = s->count > 1 && (token1_is(&s->token[1], "LIFO") || token1_is(&s->token[1], "FIFO"));
    struct statement1 made;
    char line[LINE_MOST];

    exec1_resolve(exec, s->token + 1 + order, s->count - 1 - order, &made);
    if (made.count == 1 && (token1_is(&made.token[0], "HT") || token1_is(&made.token[0], "RT")))
        halt_typing(token1_is(&made.token[0], "HT"));
    else
        stack_line(line, joined(made.token, made.count, line), order && token1_is(&s->token[1], "LIFO"));
}

static void do_time(struct exec1 *exec, written *s)
{
    const struct token1 *word = &s->token[1];

    if (s->count == 2 && (token1_is(word, "ON") || token1_is(word, "OFF")))
        exec->time_on = token1_is(word, "ON");
    else if (s->count == 2 && (token1_is(word, "TYPE") || token1_is(word, "RESET")))
        times(exec, token1_is(word, "TYPE"));
    else
        exec->wrong = INVALID_SYNTAX;
}

static void do_type(struct exec1 *exec, written *s)
{
    struct statement1 made;
    char line[LINE_MOST];

    exec1_resolve(exec, s->token + 1, s->count - 1, &made);
    type_line(line, joined(made.token, made.count, line));
}

static void do_nothing(struct exec1 *exec, written *s)
{
    (void)exec;
    (void)s;
}

static const struct { const char *word; void (*perform)(struct exec1 *exec, written *s); } controls[] = {
    { "&ARGS", do_args }, { "&BEGPUNCH", do_block }, { "&BEGSTACK", do_block }, { "&BEGTYPE", do_block },
    { "&CONTINUE", do_nothing }, { "&CONTROL", do_control }, { "&EMSG", do_emsg }, { "&END", do_nothing },
    { "&ERROR", do_error }, { "&EXIT", do_exit }, { "&GOTO", do_goto }, { "&HEX", do_hex }, { "&IF", do_if },
    { "&LOOP", do_loop }, { "&PUNCH", do_punch }, { "&READ", do_read }, { "&SKIP", do_skip }, { "&SPACE", do_space },
    { "&STACK", do_stack }, { "&TIME", do_time }, { "&TYPE", do_type },
};

/* ---- commands ---- */

/* By its name, or by a name that it abbreviates. */
static int performed(const struct statement1 *made)
{
    char line[LINE_MOST], whole[LINE_MOST];
    u32 length = joined(made->token, made->count, line), first = made->token[0].length;
    int code = perform(line, length, CALL_COMMAND);
    const struct command *command;
    name wanted;

    pad(wanted, sizeof wanted, made->token[0].text, first);
    for (u32 n = 0; n < sizeof wanted; n++)
        wanted[n] = upper(wanted[n]);
    command = command_unknown && code == NOT_FOUND ? command_abbreviated(wanted) : NULL;
    if (command == NULL || is(wanted, command->name))
        return code;
    u32 full = format(whole, sizeof whole, "%s", command->name);
    length = length - first < sizeof whole - full ? length - first : (u32)sizeof whole - full;
    memcpy(whole + full, line + first, length);
    return perform(whole, full + length, CALL_COMMAND);
}

/* Commands whose "file not found" NOMSG keeps from the terminal. */
static bool is_quiet(const struct token1 *verb)
{
    static const char *const quiet[] = { "ERASE", "LISTFILE", "RENAME", "STATE" };
    const struct command *command;
    name wanted;

    pad(wanted, sizeof wanted, verb->text, verb->length);
    for (u32 n = 0; n < sizeof wanted; n++)
        wanted[n] = upper(wanted[n]);
    command = command_abbreviated(wanted);
    for (u32 n = 0; command != NULL && n < COUNT_OF(quiet); n++)
        if (strlen(command->name) == strlen(quiet[n]) && memcmp(command->name, quiet[n], strlen(quiet[n])) == 0)
            return true;
    return false;
}

static void perform_command(struct exec1 *exec, written *s)
{
    struct statement1 made;
    int code;

    exec1_resolve(exec, s->token, s->count, &made);
    if (made.count == 0)
        return;
    if (exec->show >= SHOW_COMMANDS)
        show(exec, made.token, made.count);
    message_quiet = exec->quiet && is_quiet(&made.token[0]);
    code = performed(&made);
    message_quiet = false;
    exec->retcode = code;
    if (exec->time_on)
        times(exec, true);
    if (code != 0 && exec->show == SHOW_ERRORS)
        show(exec, made.token, made.count);
    if (code != 0 && exec->show != SHOW_OFF)
        type(code < 0 ? "+++ R(-%04u) +++" : "+++ R(%05u) +++", code < 0 ? -code : code);
}

/* What &ERROR says is done when a command has failed. */
static void after_error(struct exec1 *exec)
{
    if (exec->in_error) {
        exec->wrong = ERROR_IN_ACTION;
        return;
    }
    exec->in_error = true;
    perform_statement(exec, (struct view1){ exec->on_error.token, exec->on_error.count });
    exec->in_error = false;
}

/* One statement, perhaps with a label. */
static void perform_statement(struct exec1 *exec, struct view1 s)
{
    if (s.count > 0 && s.token->text[0] == '-' && s.token->length > 1)
        s.token++, s.count--;
    if (s.count == 0 || exec->wrong || s.token->text[0] == '*')
        return;
    if (s.token->text[0] == '&') {
        if (exec->show == SHOW_ALL)
            show(exec, s.token, s.count);
        if (s.count > 1 && token1_is(&s.token[1], "=")) {
            exec1_assign(exec, s.token, s.count);
            return;
        }
        for (u32 n = 0; n < COUNT_OF(controls); n++)
            if (token1_is(s.token, controls[n].word)) {
                controls[n].perform(exec, &s);
                return;
            }
        /* A command may begin with a variable, even with one that is nothing. */
        if (!exec1_known(exec, s.token)) {
            exec->wrong = BAD_CONTROL_WORD;
            return;
        }
    }
    exec->retcode = 0;
    perform_command(exec, &s);
    if (exec->retcode != 0 && exec->on_error.count > 0)
        after_error(exec);
}

static void run_lines(struct exec1 *exec)
{
    struct statement1 statement;

    for (; !exec->ended && !exec->wrong && exec->at < exec->program->count; exec->at++) {
        struct rexx_text line = line_at(exec, exec->at);

        attend();
        if (exec_attention & REXX_HALT) {
            exec_attention = 0;
            return;
        }
        exec->jumped = false;
        exec1_tokens(exec, line.text, line.length, &statement);
        perform_statement(exec, (struct view1){ statement.token, statement.count });
        if (exec->wrong)
            return;
        if (!exec->jumped)
            end_loops(exec);
    }
}

/* The return code: &EXIT's, or that of what was wrong. */
int exec1_run(const struct rexx_program *program, const struct call *call)
{
    struct exec1 *exec = obtain_command(sizeof *exec);
    struct token1 args[TOKENS1_MOST];
    u32 count = 0, depth = exec1_depth;
    int code;

    memset(exec, 0, sizeof *exec);
    exec->program = program;
    exec->call = call;
    exec->show = SHOW_COMMANDS;
    if (depth == 0)
        for (u32 n = 0; n < GLOBALS1; n++)
            exec1_global[n] = 1;
    exec1_depth++;
    for (u32 n = 1; n < call->count && count < TOKENS1_MOST; n++)
        args[count++] = token1_of(call->token[n], name_length(call->token[n]));
    times(exec, false);
    set_args(exec, args, count);
    run_lines(exec);
    code = exec->exit_code;
    if (exec->wrong) {
        message("EXT", 72, 'E', program->name.text, exec->at + 1, exec1_error(exec->wrong));
        code = exec->wrong;
    }
    exec1_depth = depth;
    for (struct variable1 *at = exec->variables, *next; at != NULL; at = next) {
        next = at->next;
        release(at);
    }
    release(exec);
    return code;
}

/* After an abend no exec runs any more. */
void exec1_forget(void)
{
    exec1_depth = 0;
    message_quiet = false;
}
