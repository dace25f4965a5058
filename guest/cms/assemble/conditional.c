/*
 * Conditional assembly: SETA, SETB, SETC and their expressions, AIF and AGO.
 */
#include "macro.h"

static u32 nested;
static struct buffer looked_at;                          /* what attributes_of() reads ahead */

void conditional_begin(void)
{
    nested = 0;
    looked_at = (struct buffer){ 0 };
}

bool enter_nested(void)
{
    if (nested == NESTED_MOST) {
        flag(9111, ERROR);
        return false;
    }
    nested++;
    return true;
}

void leave_nested(void) { nested--; }

static void skip_blanks(struct scan *scan)
{
    while (scan->at < scan->end && *scan->at == ' ')
        scan->at++;
}

/* A character value as a number. */
bool number_of(struct text text, int *number)
{
    struct scan scan = scan_of(trimmed(text));
    bool negative = scan.at < scan.end && *scan.at == '-';

    *number = 0;
    if (scan.at == scan.end)
        return true;
    if (*scan.at == '-' || *scan.at == '+')
        scan.at++;
    if (!self_defining(&scan, number) || scan.at != scan.end) {
        flag_text(9167, ERROR, text);
        return false;
    }
    if (negative)
        *number = (int)(0u - (u32)*number);
    return true;
}

/* T' and L' of what a symbol will be, if it comes later in the source. */
void attributes_of(struct text name, u8 *kind, u32 *length)
{
    struct symbol *symbol = is_symbol(name) ? symbol_find(name) : NULL;
    struct level ahead = { 0 }, *bottom = assembly.level;
    struct record record;

    *kind = 'U';
    *length = 1;
    if (symbol != NULL && symbol->defined) {
        *kind = symbol->kind;
        *length = symbol->length;
        return;
    }
    while (bottom != NULL && bottom->below != NULL)
        bottom = bottom->below;
    if (bottom == NULL || !is_symbol(name))
        return;
    ahead = *bottom;
    ahead.scratch = looked_at;
    for (; ahead.at < ahead.text->count;) {
        struct text line = ahead.text->line[ahead.at];
        const struct operation *operation;

        /* Most lines are of another name. */
        if (line.length <= name.length || line.at[name.length] != ' ' ||
            !same_text((struct text){ line.at, name.length }, name)) {
            ahead.at++;
            continue;
        }
        bool there = next_record(&ahead, &record);

        looked_at = ahead.scratch;
        if (!there || record.comment || !same_text(record.name, name))
            continue;
        operation = operation_known(record.op);
        if (operation == NULL || operation->kind == OPERATION_MACRO)
            *kind = 'M';
        else if (operation->kind == OPERATION_MACHINE)
            *kind = 'I', *length = opcode_length(&operation->opcode);
        else if (text_is(record.op, "DC") || text_is(record.op, "DS"))
            *kind = constant_type(record.operands, length);
        else if (text_is(record.op, "CSECT") || text_is(record.op, "DSECT") || text_is(record.op, "START") ||
                 text_is(record.op, "COM"))
            *kind = 'J';
        else if (text_is(record.op, "CCW") || text_is(record.op, "CCW0") || text_is(record.op, "CCW1"))
            *kind = 'W', *length = 8;
        return;
    }
}

/* What follows T', L', K' or N'. */
static bool attribute(struct scan *scan, char which, u8 *kind, int *number)
{
    struct found found;
    struct text name;
    u32 length;

    scan->at += 2;
    if (scan->at < scan->end && *scan->at == '&') {
        if (!variable_value(scan, &found, which == 'N'))
            return false;
        if (scan->at < scan->end && *scan->at == '.')
            scan->at++;
        if (which == 'N') {
            *number = (int)found.items;
            return true;
        }
        if (which == 'K') {
            struct buffer shown = { 0 };

            append_found(&shown, &found);
            *number = (int)shown.length;
            return true;
        }
        if (found.kind != 'C') {
            *kind = 'N';
            *number = 1;
            return true;
        }
        name = trimmed(found.text);
        if (which == 'T' && name.length == 0) {
            *kind = 'O';
            return true;
        }
        struct scan inner = scan_of(name);
        int value;

        if (which == 'T' && name.length > 0 && (is_digit(name.at[0]) || (name.length > 2 && name.at[1] == '\'')) &&
            upper(name.at[0]) != 'L' && self_defining(&inner, &value) && inner.at == inner.end) {
            *kind = 'N';
            return true;
        }
    } else if (!scan_symbol(scan, &name)) {
        flag(9110, ERROR);
        return false;
    }
    if (which == 'K' || which == 'N') {
        flag(9164, ERROR);
        return false;
    }
    attributes_of(name, kind, &length);
    *number = (int)length;
    return true;
}

static char attribute_letter(const struct scan *scan)
{
    char letter = scan->end - scan->at > 2 && scan->at[1] == '\'' ? upper(*scan->at) : ' ';

    return (letter == 'T' || letter == 'L' || letter == 'K' || letter == 'N') &&
        (scan->at[2] == '&' || is_symbol_letter(scan->at[2])) ? letter : ' ';
}

static bool factor(struct scan *scan, int *number)
{
    struct found found;
    struct text name;
    u8 kind;
    bool good;

    *number = 0;
    skip_blanks(scan);
    if (scan->at == scan->end) {
        flag(9110, ERROR);
        return false;
    }
    if (*scan->at == '+' || *scan->at == '-' || *scan->at == '(') {
        char c = *scan->at++;

        if (!enter_nested())
            return false;
        good = c == '(' ? arithmetic(scan, number) : factor(scan, number);
        leave_nested();
        if (c == '-')
            *number = (int)(0u - (u32)*number);
        if (!good || c != '(')
            return good;
        skip_blanks(scan);
        return closing(scan);
    }
    if (*scan->at == '&') {
        if (!variable_value(scan, &found, false))
            return false;
        if (scan->at < scan->end && *scan->at == '.')
            scan->at++;
        *number = found.number;
        return found.kind != 'C' || number_of(found.text, number);
    }
    switch (attribute_letter(scan)) {
    case 'T':
        flag(9164, ERROR);
        return false;
    case ' ':
        break;
    default:
        return attribute(scan, upper(*scan->at), &kind, number);
    }
    if (self_defining(scan, number))
        return true;
    if (*number == -1)
        return false;
    if (scan_symbol(scan, &name)) {
        struct symbol *symbol = symbol_find(name);

        if (symbol == NULL || !symbol->defined) {
            flag_text(9109, ERROR, name);
            return false;
        }
        if (symbol->relocatable) {
            flag(9114, ERROR);
            return false;
        }
        *number = symbol->value;
        return true;
    }
    flag(9110, ERROR);
    return false;
}

/* Operands with operators between them, from left to right. */
static bool left_to_right(struct scan *scan, int *number, char one, char other,
                          bool (*operand)(struct scan *scan, int *number))
{
    if (!operand(scan, number))
        return false;
    while (scan->at < scan->end && (*scan->at == one || *scan->at == other)) {
        char operator = *scan->at++;
        int more;

        if (!operand(scan, &more))
            return false;
        *number = of_two(operator, *number, more);
    }
    return true;
}

static bool product(struct scan *scan, int *number) { return left_to_right(scan, number, '*', '/', factor); }
bool arithmetic(struct scan *scan, int *number) { return left_to_right(scan, number, '+', '-', product); }

/* 'text' with variable symbols; two apostrophes are one. */
static bool quoted(struct scan *scan, struct buffer *to)
{
    const char *from = ++scan->at;
    struct text text;

    for (;; scan->at++) {
        if (scan->at >= scan->end) {
            flag(9106, ERROR);
            return false;
        }
        if (*scan->at != '\'')
            continue;
        if (scan->at + 1 < scan->end && scan->at[1] == '\'')
            scan->at++;
        else
            break;
    }
    text = (struct text){ from, (u32)(scan->at++ - from) };
    /* First the apostrophes of the source, then what variables have in them. */
    struct buffer single = { 0 };

    for (u32 n = 0; n < text.length; n++) {
        append_char(&single, text.at[n]);
        if (text.at[n] == '\'')
            n++;
    }
    text = (struct text){ single.at == NULL ? "" : single.at, single.length };
    (void)substitute(text, &text);
    append(to, text.at, text.length);
    return true;
}

/* (from,length) after a string. */
static bool substring(struct scan *scan, struct buffer *of)
{
    int from, length;

    scan->at++;
    if (!arithmetic(scan, &from))
        return false;
    if (scan->at == scan->end || *scan->at++ != ',') {
        flag(9133, ERROR);
        return false;
    }
    if (scan->at < scan->end && *scan->at == '*') {
        scan->at++;
        length = (int)of->length;
    } else if (!arithmetic(scan, &length)) {
        return false;
    }
    if (!closing(scan))
        return false;
    if (length <= 0) {
        of->length = 0;
        return true;
    }
    if (from < 1 || (u32)from > of->length) {
        flag(9168, ERROR);
        of->length = 0;
        return true;
    }
    of->length -= (u32)from - 1;
    memmove(of->at, of->at + from - 1, of->length);
    if ((u32)length < of->length)
        of->length = (u32)length;
    return true;
}

bool characters(struct scan *scan, struct buffer *to)
{
    for (;;) {
        struct buffer part = { 0 };
        struct found found;
        int times = 1, number;
        u8 kind;

        if (scan->at < scan->end && *scan->at == '(') {
            scan->at++;
            if (!arithmetic(scan, &times) || scan->at == scan->end || *scan->at++ != ')') {
                flag(9112, ERROR);
                return false;
            }
        }
        if (scan->at < scan->end && *scan->at == '\'') {
            if (!quoted(scan, &part) || (scan->at < scan->end && *scan->at == '(' && !substring(scan, &part)))
                return false;
        } else if (attribute_letter(scan) == 'T') {
            if (!attribute(scan, 'T', &kind, &number))
                return false;
            append_char(&part, (char)kind);
        } else if (scan->at < scan->end && *scan->at == '&') {
            if (!variable_value(scan, &found, false))
                return false;
            append_found(&part, &found);
        } else {
            flag(9110, ERROR);
            return false;
        }
        for (; times > 0 && part.length > 0 && to->length <= CHARACTERS_MOST; times--)
            append(to, part.at, part.length);
        if (to->length > CHARACTERS_MOST) {
            flag(9169, ERROR, CHARACTERS_MOST);
            to->length = CHARACTERS_MOST;
        }
        if (scan->at < scan->end && *scan->at == '.' && scan->at + 1 < scan->end && scan->at[1] != ' ')
            scan->at++;
        else if (scan->at == scan->end || *scan->at != '\'')
            return true;
    }
}

/* EQ and its like. */
static int relation(struct scan *scan)
{
    static const char *const words[] = { "EQ", "NE", "LT", "GT", "LE", "GE" };
    struct scan ahead = *scan;

    skip_blanks(&ahead);
    for (u32 n = 0; n < COUNT_OF(words); n++)
        if (ahead.end - ahead.at > 2 && text_is((struct text){ ahead.at, 2 }, words[n]) &&
            !is_symbol_char(ahead.at[2])) {
            scan->at = ahead.at + 2;
            skip_blanks(scan);
            return (int)n;
        }
    return -1;
}

static bool holds(int which, int order)
{
    return which == 0 ? order == 0 : which == 1 ? order != 0 : which == 2 ? order < 0 : which == 3 ? order > 0
        : which == 4 ? order <= 0 : order >= 0;
}

static bool keyword(struct scan *scan, const char *word)
{
    struct scan ahead = *scan;
    u32 length = (u32)strlen(word);

    skip_blanks(&ahead);
    if ((u32)(ahead.end - ahead.at) < length || !text_is((struct text){ ahead.at, length }, word) ||
        (ahead.at + length < ahead.end && is_symbol_char(ahead.at[length])))
        return false;
    scan->at = ahead.at + length;
    return true;
}

/* Whether what the parenthesis at scan->at encloses is a logical expression: it has a word of one in it. */
static bool logical_inside(const struct scan *scan)
{
    static const char *const words[] = { "EQ", "NE", "LT", "GT", "LE", "GE", "AND", "OR", "NOT" };
    u32 depth = 0;
    bool quotes = false;

    for (const char *at = scan->at; at < scan->end; at++) {
        if (*at == '\'' && (quotes || !attribute_here(scan->at, at, scan->end))) {
            quotes = !quotes;
            continue;
        }
        if (quotes)
            continue;
        depth += *at == '(';
        if (*at == ')' && --depth == 0)
            return false;
        if (at == scan->at || is_symbol_char(at[-1]) || at[-1] == '&')
            continue;
        for (u32 n = 0; n < COUNT_OF(words); n++) {
            u32 length = (u32)strlen(words[n]);

            if ((u32)(scan->end - at) > length && text_is((struct text){ at, length }, words[n]) &&
                !is_symbol_char(at[length]))
                return true;
        }
    }
    return false;
}

static bool comparison(struct scan *scan, bool *value)
{
    bool of_text;
    int which;

    skip_blanks(scan);
    of_text = scan->at < scan->end && (*scan->at == '\'' || attribute_letter(scan) == 'T');
    if (!of_text && scan->at < scan->end && *scan->at == '(') {
        /* (3)'AB' is text three times. */
        const char *close = memchr(scan->at, ')', (u32)(scan->end - scan->at));

        of_text = close != NULL && close + 1 < scan->end && close[1] == '\'';
    }
    if (of_text) {
        struct buffer left = { 0 }, right = { 0 };
        u32 length;
        int order;

        if (!characters(scan, &left))
            return false;
        which = relation(scan);
        if (which < 0) {
            flag(9170, ERROR);
            return false;
        }
        if (!characters(scan, &right))
            return false;
        length = left.length;
        order = left.length < right.length ? -1 : left.length > right.length ? 1 : length == 0 ? 0
            : memcmp(left.at, right.at, length);
        *value = holds(which, order);
        return true;
    }
    int a, b;

    if (!arithmetic(scan, &a))
        return false;
    which = relation(scan);
    if (which < 0) {
        *value = a != 0;
        return true;
    }
    if (!arithmetic(scan, &b))
        return false;
    *value = holds(which, a < b ? -1 : a > b);
    return true;
}

static bool negation(struct scan *scan, bool *value)
{
    skip_blanks(scan);
    if (keyword(scan, "NOT")) {
        bool good;

        if (!enter_nested())
            return false;
        good = negation(scan, value);
        leave_nested();
        if (good)
            *value = !*value;
        return good;
    }
    if (scan->at < scan->end && *scan->at == '(' && logical_inside(scan)) {
        bool good;

        scan->at++;
        if (!enter_nested())
            return false;
        good = logical(scan, value);
        leave_nested();
        if (!good)
            return false;
        skip_blanks(scan);
        return closing(scan);
    }
    return comparison(scan, value);
}

bool logical(struct scan *scan, bool *value)
{
    bool all, next;

    for (bool any = false, first = true;; first = false) {
        if (!first && !keyword(scan, "OR")) {
            *value = any;
            return true;
        }
        if (!negation(scan, &all))
            return false;
        while (keyword(scan, "AND")) {
            if (!negation(scan, &next))
                return false;
            all = all && next;
        }
        any = any || all;
    }
}

/* &X or &X(3) in the name field. */
static struct variable *target(struct text name, u8 kind, u32 *place)
{
    struct scan scan = scan_of(name);
    struct variable *variable;
    struct text symbol;
    int number = 1;

    *place = 0;
    if (name.length == 0 || *scan.at != '&') {
        flag(9171, ERROR);
        return NULL;
    }
    scan.at++;
    if (!scan_symbol(&scan, &symbol)) {
        flag(9171, ERROR);
        return NULL;
    }
    variable = variable_named(symbol);
    if (variable == NULL)
        variable = variable_declare(symbol, kind, 0, false);
    if (variable->kind != kind) {
        flag_text(9163, ERROR, symbol);
        return NULL;
    }
    if (variable->dimension > 0) {
        if (scan.at == scan.end || *scan.at++ != '(' || !arithmetic(&scan, &number) || scan.at == scan.end ||
            *scan.at++ != ')' || number < 1 || (u32)number > variable->dimension) {
            flag_text(9165, ERROR, symbol);
            return NULL;
        }
        *place = (u32)number - 1;
    }
    if (scan.at != scan.end) {
        flag_text(9165, ERROR, symbol);
        return NULL;
    }
    return variable;
}

void conditional_assign(const struct record *record)
{
    u8 kind = (u8)upper(record->op.at[3]);
    struct scan scan = scan_of(record->operands);
    u32 place;
    struct variable *variable = target(record->name, kind, &place);
    struct buffer text = { 0 };
    bool truth = false, good;
    int number = 0;

    if (variable == NULL)
        return;
    if (kind == 'A') {
        good = arithmetic(&scan, &number);
    } else if (kind == 'B') {
        good = logical(&scan, &truth);
        number = truth;
    } else {
        good = characters(&scan, &text);
    }
    if (good && scan.at != scan.end) {
        flag_text(9115, ERROR, (struct text){ scan.at, (u32)(scan.end - scan.at) });
        return;
    }
    if (!good)
        return;
    if (kind == 'C')
        variable->text[place] = (struct text){ text.at == NULL ? "" : text.at, text.length };
    else
        variable->number[place] = number;
}

/* LCLx, GBLx &A,&B(10). */
void conditional_declare(const struct record *record)
{
    bool global = upper(record->op.at[0]) == 'G';
    u8 kind = (u8)upper(record->op.at[3]);
    struct scan scan = scan_of(record->operands);
    struct text one, name;

    while (record->operands.length > 0 && next_operand(&scan, &one)) {
        struct scan inner = scan_of(trimmed(one));
        int dimension = 0;

        if (inner.at == inner.end || *inner.at++ != '&' || !scan_symbol(&inner, &name)) {
            flag(9164, ERROR);
            continue;
        }
        if (inner.at < inner.end) {
            if (*inner.at++ != '(' || !arithmetic(&inner, &dimension) || dimension < 1 || dimension > DIMENSION_MOST ||
                inner.at + 1 != inner.end) {
                flag_text(9165, ERROR, name);
                continue;
            }
        }
        (void)variable_declare(name, kind, (u32)dimension, global);
    }
}

/* Goes on at a sequence symbol of the same text. */
static void go_on_at(struct text symbol)
{
    struct level *level = assembly.level;
    const struct lines *text = level->text;
    struct call_of_macro *call = scope();

    if (call->branches-- <= 0) {
        flag(9172, SEVERE);
        if (level->call != NULL)
            macro_end();
        else
            level->at = text->count;
        return;
    }
    for (u32 k = 0; k < text->count; k++) {
        u32 n = (level->at + k) % text->count;
        struct text line = text->line[n];

        if (line.length < symbol.length || line.at[0] != '.' ||
            !same_text((struct text){ line.at, symbol.length }, symbol) ||
            (line.length > symbol.length && line.at[symbol.length] != ' '))
            continue;
        level->at = n;
        return;
    }
    flag_text(9173, ERROR, symbol);
    if (level->call != NULL)
        macro_end();
}

static bool sequence_symbol(struct scan *scan, struct text *symbol)
{
    const char *from = scan->at;
    struct text name;

    if (scan->at == scan->end || *scan->at++ != '.' || !scan_symbol(scan, &name)) {
        flag(9174, ERROR);
        return false;
    }
    *symbol = (struct text){ from, (u32)(scan->at - from) };
    return true;
}

/* AIF (condition).A[,(condition).B...]; AGO .A; AGO (n).A,.B */
void conditional_branch(const struct record *record)
{
    bool condition = text_is(record->op, "AIF"), value = true;
    struct scan scan = scan_of(record->operands);
    struct text symbol;
    int which = 1;

    if (!condition && scan.at < scan.end && *scan.at == '(') {
        scan.at++;
        if (!arithmetic(&scan, &which) || scan.at == scan.end || *scan.at++ != ')') {
            flag(9112, ERROR);
            return;
        }
    }
    for (int n = 1;; n++) {
        if (condition) {
            if (scan.at == scan.end || *scan.at++ != '(' || !logical(&scan, &value)) {
                flag(9170, ERROR);
                return;
            }
            skip_blanks(&scan);
            if (!closing(&scan))
                return;
        }
        if (!sequence_symbol(&scan, &symbol))
            return;
        if (condition ? value : n == which) {
            go_on_at(symbol);
            return;
        }
        if (scan.at == scan.end || *scan.at++ != ',')
            return;
        skip_blanks(&scan);
    }
}

void conditional_actr(const struct record *record)
{
    struct scan scan = scan_of(record->operands);
    int number;

    if (arithmetic(&scan, &number))
        scope()->branches = number;
}

void conditional_anop(const struct record *record) { (void)record; }

/* MNOTE [severity,]'text'; with * it is a comment. */
void conditional_mnote(const struct record *record)
{
    struct scan scan = scan_of(record->operands);
    struct buffer text = { 0 };
    int severity = 1;

    if (scan.at < scan.end && *scan.at == '*') {
        severity = -1;
        scan.at++;
    } else if (scan.at < scan.end && *scan.at != '\'' && *scan.at != ',') {
        if (!arithmetic(&scan, &severity))
            return;
    }
    if (scan.at < scan.end && *scan.at == ',')
        scan.at++;
    if (scan.at == scan.end || *scan.at != '\'' || !characters(&scan, &text)) {
        flag(9106, ERROR);
        return;
    }
    append_char(&text, 0);
    if (severity >= 0) {
        flag(9175, severity > 255 ? 255 : (u32)severity, text.at);
    } else {
        struct buffer line = { 0 };

        append(&line, "*,", 2);
        append(&line, text.at, text.length - 1);
        (void)add_statement((struct text){ line.at, line.length }, (struct text){ 0 }, (struct text){ 0 }, NULL);
        assembly.current->depth = scope()->depth;
    }
}
