/*
 * Tokens, variables and functions of the CMS EXEC processor.
 *
 * A token is eight characters at most. Every & in it begins the name of a variable, looked at from the right: &X&I is
 * the variable X3 if &I is 3. A variable that was never set is nothing, and a token that becomes nothing is not there.
 */
#include "exec1.h"
#include "exec2.h"

u32 exec1_depth;
int exec1_global[GLOBALS1];

enum { LARGEST = 99999999, SMALLEST = -9999999 };        /* what eight characters hold */

struct token1 token1_of(const char *text, u32 length)
{
    struct token1 token = { .length = length < sizeof token.text ? length : (u32)sizeof token.text };

    memcpy(token.text, text, token.length);
    return token;
}

static struct token1 token_of(const char *text) { return token1_of(text, (u32)strlen(text)); }

/* In upper or lower case. */
bool token1_is(const struct token1 *token, const char *word)
{
    u32 n = 0;

    while (n < token->length && word[n] != 0 && word[n] == upper(token->text[n]))
        n++;
    return n == token->length && (word[n] == 0 || n == sizeof token->text);
}

bool token1_number(const struct token1 *token, int *value)
{
    u32 sign = token->length > 1 && (token->text[0] == '-' || token->text[0] == '+'), number;

    if (!parse_number(token->text + sign, token->length - sign, &number))
        return false;
    *value = sign && token->text[0] == '-' ? -(int)number : (int)number;
    return true;
}

static struct token1 number_token(int value)
{
    char text[12];

    return token1_of(text, format(text, sizeof text, "%d", value));
}

/* The tokens of a line: what stands between blanks, and parentheses. */
void exec1_tokens(struct exec1 *exec, const char *text, u32 length, struct statement1 *statement)
{
    u32 at = 0;

    statement->count = 0;
    while (at < length) {
        u32 n = 0;

        if (text[at] == ' ') {
            at++;
            continue;
        }
        if (text[at] == '(' || text[at] == ')')
            n = 1;
        else
            while (at + n < length && text[at + n] != ' ' && text[at + n] != '(' && text[at + n] != ')')
                n++;
        if (statement->count == TOKENS1_MOST) {
            exec->wrong = TOO_MANY_TOKENS;
            return;
        }
        statement->token[statement->count++] = token1_of(text + at, n);
        at += n;
    }
}

static bool same_name(const struct token1 *a, const struct token1 *b)
{
    u32 n = 0;

    while (n < a->length && n < b->length && upper(a->text[n]) == upper(b->text[n]))
        n++;
    return n == a->length && n == b->length;
}

static struct variable1 *find(struct exec1 *exec, const struct token1 *name)
{
    struct variable1 *at = exec->variables;

    while (at != NULL && !same_name(&at->name, name))
        at = at->next;
    return at;
}

/* &DISKx: what the disk is; &DISK*: the first that can be written; &DISK?: the one of these with the most room. */
static struct token1 disk_value(char letter)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const struct disk *best = NULL;

    if (letter != '*' && letter != '?')
        return token_of(disk_at(upper(letter)) != NULL ? "CMS" : "NA");
    for (u32 n = 0; n < 26; n++) {
        const struct disk *disk = disk_at(letters[n]);

        if (disk == NULL || disk->read_only)
            continue;
        if (best == NULL || (letter == '?' && disk->edf.blocks - disk->edf.used > best->edf.blocks - best->edf.used))
            best = disk;
    }
    return best == NULL ? token_of("NONE") : token1_of(&best->mode, 1);
}

static bool digit_after(const struct token1 *name, const char *word, u32 *digit)
{
    u32 length = (u32)strlen(word);
    struct token1 front = token1_of(name->text, length);

    if (name->length != length + 1 || !token1_is(&front, word) || !is_digit(name->text[length]))
        return false;
    *digit = (u32)(name->text[length] - '0');
    return true;
}

/* What the processor itself sets; false: it is none of these. */
static bool special(struct exec1 *exec, const struct token1 *name, struct token1 *value)
{
    static const char disk[] = "&DISK";
    struct token1 front = token1_of(name->text, sizeof disk - 1);
    u32 number;

    if (name->length > 1 && parse_number(name->text + 1, name->length - 1, &number)) {
        *value = (struct token1){ .length = 0 };
        if (number == 0)
            *value = token1_of(exec->call->token[0], name_length(exec->call->token[0]));
        else if (number <= exec->arg_count)
            *value = exec->args[number - 1];
    } else if (token1_is(name, "&INDEX")) {
        *value = number_token((int)exec->arg_count);
    } else if (token1_is(name, "&RETCODE")) {
        *value = number_token(exec->retcode);
    } else if (token1_is(name, "&LINENUM")) {
        *value = number_token((int)exec->at + 1);
    } else if (token1_is(name, "&EXEC")) {
        *value = token1_of(exec->program->name.text, exec->program->name.length);
    } else if (token1_is(name, "&READFLAG")) {
        *value = token_of(stacked_lines() > 0 || lines_typed_ahead() > 0 ? "STACK" : "CONSOLE");
    } else if (token1_is(name, "&TYPEFLAG")) {
        *value = token_of(halted_typing() ? "HT" : "RT");
    } else if (token1_is(name, "&DOS")) {
        *value = token_of("OFF");
    } else if (token1_is(name, "&GLOBAL")) {
        *value = number_token((int)exec1_depth);
    } else if (digit_after(name, "&GLOBAL", &number)) {
        *value = number_token(exec1_global[number]);
    } else if (name->length == sizeof disk && token1_is(&front, disk)) {
        *value = disk_value(name->text[sizeof disk - 1]);
    } else {
        return false;
    }
    return true;
}

void exec1_set(struct exec1 *exec, const struct token1 *name, const struct token1 *value)
{
    struct variable1 *variable;
    struct token1 unused;
    u32 number;
    int amount;

    if (name->length < 2 || name->text[0] != '&') {
        exec->wrong = BAD_VARIABLE;
    } else if (parse_number(name->text + 1, name->length - 1, &number)) {
        if (number == 0 || number > ARGS1_MOST) {
            exec->wrong = SPECIAL_VARIABLE;
            return;
        }
        while (exec->arg_count < number)
            exec->args[exec->arg_count++].length = 0;
        exec->args[number - 1] = *value;
    } else if (digit_after(name, "&GLOBAL", &number)) {
        if (token1_number(value, &amount))
            exec1_global[number] = amount;
        else
            exec->wrong = NOT_A_NUMBER;
    } else if (token1_is(name, "&RETCODE") && token1_number(value, &amount)) {
        exec->retcode = amount;
    } else if (special(exec, name, &unused) || token1_is(name, "&*") || token1_is(name, "&$")) {
        exec->wrong = SPECIAL_VARIABLE;
    } else {
        variable = find(exec, name);
        if (variable == NULL) {
            variable = obtain_command(sizeof *variable);
            variable->name = *name;
            variable->next = exec->variables;
            exec->variables = variable;
        }
        variable->value = *value;
    }
}

/* The token with the values of its variables; the first `keep` characters are left as they are. */
struct token1 exec1_token(struct exec1 *exec, const struct token1 *token, u32 keep)
{
    struct token1 made = *token, value;

    for (u32 at = made.length; at-- > keep;) {
        const struct variable1 *variable;
        char text[16];
        u32 length;
        struct token1 name;

        if (made.text[at] != '&')
            continue;
        name = token1_of(made.text + at, made.length - at);
        if (!special(exec, &name, &value)) {
            variable = find(exec, &name);
            value = variable != NULL ? variable->value : (struct token1){ .length = 0 };
        }
        memcpy(text, made.text, at);
        memcpy(text + at, value.text, value.length);
        length = at + value.length;
        made = token1_of(text, length);
    }
    return made;
}

/* Whether the token is the name of a variable that has been set, or has a value. */
bool exec1_known(struct exec1 *exec, const struct token1 *token)
{
    struct token1 value = exec1_token(exec, token, 1);

    return special(exec, &value, &value) || find(exec, &value) != NULL || exec1_token(exec, token, 0).length > 0;
}

/* Of X'nnn, with an apostrophe after it or without: where the digits end. 0: it is something else. */
static u32 hex_end(const struct token1 *token)
{
    u32 end = token->length > 2 && token->text[token->length - 1] == '\'' ? token->length - 1 : token->length;

    return end < 3 || upper(token->text[0]) != 'X' || token->text[1] != '\'' ? 0 : end;
}

/* &HEX ON: X'nnn is the hexadecimal form of the number nnn. */
static struct token1 in_hex(const struct token1 *token)
{
    char text[12];
    u32 value, end = hex_end(token);

    if (end == 0 || !parse_number(token->text + 2, end - 2, &value))
        return *token;
    return token1_of(text, format(text, sizeof text, "%x", value));
}

/* In an assignment it is the other way: the number that nnn is in hexadecimal. */
static struct token1 of_hex(const struct token1 *token)
{
    u32 value, end = hex_end(token);

    if (end == 0 || !parse_hex(token->text + 2, end - 2, &value) || value > LARGEST)
        return *token;
    return number_token((int)value);
}

/* All tokens with their values; those that become nothing are gone, and what follows &LITERAL is left as it is. */
void exec1_resolve(struct exec1 *exec, const struct token1 *from, u32 count, struct statement1 *to)
{
    to->count = 0;
    for (u32 n = 0; n < count; n++) {
        struct token1 made;

        if (token1_is(&from[n], "&LITERAL")) {
            if (++n < count)
                to->token[to->count++] = from[n];
            continue;
        }
        made = exec1_token(exec, &from[n], 0);
        if (exec->hex)
            made = in_hex(&made);
        if (made.length > 0)
            to->token[to->count++] = made;
    }
}

static void substring(struct exec1 *exec, const struct statement1 *made, struct token1 *value)
{
    int from = 1, length = sizeof value->text;

    if (made->count < 2 || made->count > 3 || !token1_number(&made->token[1], &from) ||
        (made->count > 2 && !token1_number(&made->token[2], &length)) || from < 1 || length < 1) {
        exec->wrong = BAD_FUNCTION;
        return;
    }
    if ((u32)from > made->token[0].length) {
        value->length = 0;
        return;
    }
    u32 rest = made->token[0].length - (u32)from + 1;
    *value = token1_of(made->token[0].text + from - 1, (u32)length < rest ? (u32)length : rest);
}

/* A function, whose name is the first token; false: it is none. */
static bool function_of(struct exec1 *exec, const struct token1 *from, u32 count, struct token1 *value)
{
    struct statement1 made;
    char text[8];
    u32 length = 0;
    int unused;

    if (count == 0 || from[0].length < 2 || from[0].text[0] != '&')
        return false;
    if (token1_is(from, "&LITERAL")) {
        if (count != 2)
            exec->wrong = BAD_FUNCTION;
        else
            *value = from[1];
        return true;
    }
    if (!token1_is(from, "&CONCAT") && !token1_is(from, "&DATATYPE") && !token1_is(from, "&LENGTH") &&
        !token1_is(from, "&SUBSTR"))
        return false;
    exec1_resolve(exec, from + 1, count - 1, &made);
    if (token1_is(from, "&CONCAT")) {
        for (u32 n = 0; n < made.count; n++)
            for (u32 k = 0; k < made.token[n].length && length < sizeof text; k++)
                text[length++] = made.token[n].text[k];
        *value = token1_of(text, length);
    } else if (token1_is(from, "&SUBSTR")) {
        substring(exec, &made, value);
    } else if (made.count > 1) {
        exec->wrong = BAD_FUNCTION;
    } else if (token1_is(from, "&LENGTH")) {
        *value = number_token(made.count == 0 ? 0 : (int)made.token[0].length);
    } else {
        *value = token_of(made.count == 1 && token1_number(&made.token[0], &unused) ? "NUM" : "CHAR");
    }
    return true;
}

/* Numbers with + and - between them. */
static struct token1 sum_of(struct exec1 *exec, const struct statement1 *made)
{
    int sum = 0, term;
    struct token1 none = { .length = 0 };

    for (u32 n = 0; n < made->count; n += 2) {
        const struct token1 *sign = n > 0 ? &made->token[n - 1] : NULL;
        struct token1 number = of_hex(&made->token[n]);
        bool minus = sign != NULL && token1_is(sign, "-");

        if (sign != NULL && !minus && !token1_is(sign, "+"))
            exec->wrong = BAD_ASSIGNMENT;
        else if (!token1_number(&number, &term))
            exec->wrong = NOT_A_NUMBER;
        else
            sum += minus ? -term : term;
        if (exec->wrong)
            return none;
    }
    if (made->count % 2 == 0)
        exec->wrong = BAD_ASSIGNMENT;
    else if (sum > LARGEST)
        exec->wrong = TOO_LARGE;
    else if (sum < SMALLEST)
        exec->wrong = TOO_SMALL;
    return number_token(sum);
}

/* &X = token, a sum of numbers, or a function */
void exec1_assign(struct exec1 *exec, const struct token1 *token, u32 tokens)
{
    struct token1 name = exec1_token(exec, token, 1), value = { .length = 0 };
    const struct token1 *from = token + 2;
    u32 count = tokens - 2;
    bool hex = exec->hex;
    struct statement1 made;

    if (!function_of(exec, from, count, &value)) {
        exec->hex = false;
        exec1_resolve(exec, from, count, &made);
        exec->hex = hex;
        if (made.count == 1)
            value = hex ? of_hex(&made.token[0]) : made.token[0];
        else if (made.count > 1)
            value = sum_of(exec, &made);
    }
    if (!exec->wrong)
        exec1_set(exec, &name, &value);
}

/* As numbers if both are, otherwise character by character, with blanks after the shorter. */
static int compare(const struct token1 *a, const struct token1 *b)
{
    int x, y;
    name left, right;

    if (token1_number(a, &x) && token1_number(b, &y))
        return x < y ? -1 : x > y;
    pad(left, sizeof left, a->text, a->length);
    pad(right, sizeof right, b->text, b->length);
    return memcmp(left, right, sizeof left);
}

/* LT is 1, EQ 2, GT 4, and what stands for several of them their sum; 0: it is no comparison. */
static u32 comparison(const struct token1 *token)
{
    static const struct { const char *word; u32 holds; } words[] = {
        { "EQ", 2 }, { "=", 2 }, { "NE", 5 }, { "^=", 5 }, { "LT", 1 }, { "<", 1 }, { "LE", 3 }, { "<=", 3 },
        { "^>", 3 }, { "GT", 4 }, { ">", 4 }, { "GE", 6 }, { ">=", 6 }, { "^<", 6 },
    };
    struct token1 sign = *token;

    /* The logical not, as keyboards have it. */
    if (sign.length > 0 && (u8)sign.text[0] == 0x5f)
        sign.text[0] = '^';
    for (u32 n = 0; n < COUNT_OF(words); n++)
        if (token1_is(&sign, words[n].word))
            return words[n].holds;
    return 0;
}

static bool holds(u32 comparison, const struct token1 *a, const struct token1 *b)
{
    int order = compare(a, b);

    return (comparison & (order < 0 ? 1 : order == 0 ? 2 : 4)) != 0;
}

/* Three tokens. &* is each argument, and all must pass; &$ is each, and one must. */
bool exec1_condition(struct exec1 *exec, const struct token1 *when)
{
    bool all = token1_is(&when[0], "&*"), any = token1_is(&when[0], "&$");
    struct token1 left = all || any ? when[0] : exec1_token(exec, &when[0], 0), sign = exec1_token(exec, &when[1], 0);
    struct token1 right = exec1_token(exec, &when[2], 0);
    u32 wanted = comparison(&sign), passed = 0;

    if (wanted == 0 || left.length == 0 || right.length == 0) {
        exec->wrong = BAD_CONDITION;
        return false;
    }
    if (!all && !any)
        return holds(wanted, &left, &right);
    for (u32 n = 0; n < exec->arg_count; n++)
        passed += holds(wanted, &exec->args[n], &right);
    return any ? passed > 0 : passed == exec->arg_count;
}

const char *exec1_error(int wrong)
{
    static const struct exec_error texts[] = {
        { SKIP_OR_GOTO, "&SKIP or &GOTO error" }, { TOO_MANY_ARGUMENTS, "Too many arguments" },
        { LOOPS_TOO_DEEP, "Loops are nested too deep" }, { INVALID_SYNTAX, "Invalid syntax" },
        { BAD_CONDITION, "Invalid form of condition" }, { BAD_ASSIGNMENT, "Invalid assignment" },
        { SPECIAL_VARIABLE, "Misuse of a special variable" }, { ERROR_IN_ACTION, "Error in the &ERROR action" },
        { NOT_A_NUMBER, "Conversion error" }, { TOO_MANY_TOKENS, "Too many tokens in the statement" },
        { BAD_FUNCTION, "Misuse of a built-in function" }, { END_IN_LOOP, "The file ends in a loop" },
        { BAD_CONTROL_WORD, "Invalid control word" }, { TOO_SMALL, "Arithmetic underflow" },
        { TOO_LARGE, "Arithmetic overflow" }, { BAD_VARIABLE, "Special character in a variable" },
    };

    return exec_error(texts, COUNT_OF(texts), wrong);
}
