/*
 * Expressions: numbers, symbols and the location counter with + - * / and parentheses.
 *
 * A value is a number and, for each section, how many times that section's address is in it. What is so for no section
 * is absolute.
 */
#include "assemble.h"

static u32 nested;

void value_add(struct value *to, const struct value *more, int sign)
{
    to->number = (int)((u32)to->number + (u32)sign * (u32)more->number);
    to->undefined |= more->undefined;
    for (u32 n = 0; n < more->terms; n++) {
        u32 k = 0;

        while (k < to->terms && to->term[k].section != more->term[n].section)
            k++;
        if (k == TERMS_MOST) {
            flag(9104, ERROR);
            to->undefined = true;
            return;
        }
        if (k == to->terms) {
            to->term[k].section = more->term[n].section;
            to->term[k].count = 0;
            to->terms++;
        }
        to->term[k].count += sign * more->term[n].count;
        if (to->term[k].count == 0)
            to->term[k] = to->term[--to->terms];
    }
}

/* X'..', B'..', C'..' or digits. False: it is none, or wrong, which has been said if *number is -1. */
bool self_defining(struct scan *scan, int *number)
{
    u32 value = 0, digits = 0;
    const char *from = scan->at;
    char kind;

    *number = 0;
    if (scan->at == scan->end)
        return false;
    if (is_digit(*scan->at)) {
        bool much = false;

        for (; scan->at < scan->end && is_digit(*scan->at); scan->at++) {
            u32 digit = (u32)(*scan->at - '0');

            much |= value > (0x7fffffffu - digit) / 10;
            value = value * 10 + digit;
        }
        if (much)
            flag_text(9105, ERROR, (struct text){ from, (u32)(scan->at - from) });
        *number = (int)value;
        return true;
    }
    kind = upper(*scan->at);
    if (scan->end - scan->at < 2 || scan->at[1] != '\'' || (kind != 'X' && kind != 'B' && kind != 'C'))
        return false;
    scan->at += 2;
    for (;; digits++) {
        if (scan->at == scan->end) {
            flag(9106, ERROR);
            *number = -1;
            return false;
        }
        if (*scan->at == '\'') {
            if (kind != 'C' || scan->at + 1 == scan->end || scan->at[1] != '\'')
                break;
            scan->at++;
        } else if (kind == 'C' && *scan->at == '&' && scan->at + 1 < scan->end && scan->at[1] == '&') {
            scan->at++;
        }
        if (kind == 'C') {
            value = value << 8 | (u8)*scan->at;
        } else {
            int digit = hex_digit(*scan->at);

            if (digit < 0 || (kind == 'B' && digit > 1)) {
                flag_text(9107, ERROR, (struct text){ from, (u32)(scan->end - from) });
                *number = -1;
                return false;
            }
            value = kind == 'B' ? value << 1 | (u32)digit : value << 4 | (u32)digit;
        }
        scan->at++;
    }
    scan->at++;
    if (digits == 0 || digits > (kind == 'X' ? 8u : kind == 'B' ? 32u : 4u))
        flag_text(9105, ERROR, (struct text){ from, (u32)(scan->at - from) });
    *number = (int)value;
    return true;
}

static void address_in(u32 section, int offset, struct value *value)
{
    value->number = (int)((u32)offset + assembly.section[section].origin);
    value->terms = 1;
    value->term[0].section = section;
    value->term[0].count = 1;
}

static bool expression(struct scan *scan, struct value *value);

static bool symbol_term(struct text name, struct value *value)
{
    struct symbol *symbol = symbol_find(name);

    if (symbol == NULL || !symbol->defined) {
        if (symbol == NULL && name.length > SYMBOL_MOST)
            flag_text(9101, ERROR, name);
        else
            flag_text(assembly.second ? 9108 : 9109, ERROR, name);
        value->undefined = true;
        value->length = 1;
        return true;
    }
    symbol_refer(symbol);
    if (symbol->relocatable)
        address_in(symbol->section, symbol->value, value);
    else
        value->number = symbol->value;
    value->length = symbol->length;
    return true;
}

/* L'X, L'*, L'=F'1'. */
static bool length_term(struct scan *scan, struct value *value)
{
    struct text name;
    struct symbol *symbol;

    value->length = 1;
    if (scan->at < scan->end && *scan->at == '*') {
        scan->at++;
        value->number = assembly.current != NULL && assembly.current->length != 0 ? (int)assembly.current->length : 1;
        return true;
    }
    if (scan->at < scan->end && *scan->at == '=') {
        struct constant constant;

        scan->at++;
        if (!constant_scan(scan, &constant, false))
            return false;
        value->number = (int)constant.length;
        return true;
    }
    if (!scan_symbol(scan, &name)) {
        flag(9110, ERROR);
        return false;
    }
    symbol = symbol_find(name);
    if (symbol == NULL || !symbol->defined) {
        flag_text(assembly.second ? 9108 : 9109, ERROR, name);
        value->undefined = true;
        value->number = 1;
        return true;
    }
    symbol_refer(symbol);
    value->number = (int)symbol->length;
    return true;
}

static bool term(struct scan *scan, struct value *value)
{
    struct text name;
    int number;

    *value = (struct value){ .length = 1 };
    if (scan->at == scan->end) {
        flag(9110, ERROR);
        return false;
    }
    if (*scan->at == '+' || *scan->at == '-') {
        struct value inner;
        int sign = *scan->at++ == '-' ? -1 : 1;
        bool good;

        if (++nested > NESTED_MOST) {
            flag(9111, ERROR);
            nested--;
            return false;
        }
        good = term(scan, &inner);
        nested--;
        if (good)
            value_add(value, &inner, sign), value->length = inner.length;
        return good;
    }
    if (*scan->at == '(') {
        bool good;

        scan->at++;
        if (++nested > NESTED_MOST) {
            flag(9111, ERROR);
            nested--;
            return false;
        }
        good = expression(scan, value);
        nested--;
        if (!good)
            return false;
        return closing(scan);
    }
    if (*scan->at == '*') {
        /* In the second pass no section begins any more. */
        if (assembly.second && assembly.in == 0) {
            flag(9110, ERROR);
            return false;
        }
        scan->at++;
        address_in(need_section(), assembly.location, value);
        return true;
    }
    if (scan->end - scan->at > 2 && upper(*scan->at) == 'L' && scan->at[1] == '\'') {
        scan->at += 2;
        return length_term(scan, value);
    }
    if (self_defining(scan, &number)) {
        value->number = number;
        return true;
    }
    if (number == -1)
        return false;
    if (scan_symbol(scan, &name))
        return symbol_term(name, value);
    flag(9110, ERROR);
    return false;
}

/* Whatever is divided by zero is zero. */
int of_two(char operator, int a, int b)
{
    switch (operator) {
    case '+':
        return (int)((u32)a + (u32)b);
    case '-':
        return (int)((u32)a - (u32)b);
    case '*':
        return (int)((u32)a * (u32)b);
    default:
        return b == 0 ? 0 : b == -1 ? (int)(0u - (u32)a) : a / b;
    }
}

static bool product(struct scan *scan, struct value *value)
{
    if (!term(scan, value))
        return false;
    while (scan->at < scan->end && (*scan->at == '*' || *scan->at == '/')) {
        char operator = *scan->at++;
        struct value by;

        if (!term(scan, &by))
            return false;
        value->undefined |= by.undefined;
        if (!absolute(value) || !absolute(&by)) {
            flag(9113, ERROR);
            value->terms = 0;
        }
        value->number = of_two(operator, value->number, by.number);
    }
    return true;
}

static bool expression(struct scan *scan, struct value *value)
{
    if (!product(scan, value))
        return false;
    while (scan->at < scan->end && (*scan->at == '+' || *scan->at == '-')) {
        int sign = *scan->at++ == '-' ? -1 : 1;
        struct value more;

        if (!product(scan, &more))
            return false;
        value_add(value, &more, sign);
    }
    return true;
}

/* Constants in literals have expressions, too: what is within what is counted through all of them. */
bool evaluate(struct scan *scan, struct value *value)
{
    bool good;

    if (++nested > NESTED_MOST)
        flag(9111, ERROR);
    good = nested <= NESTED_MOST && expression(scan, value);
    nested--;
    return good;
}

void expressions_begin(void) { nested = 0; }

bool evaluate_absolute(struct scan *scan, int *number)
{
    struct value value;

    *number = 0;
    if (!evaluate(scan, &value) || value.undefined)
        return false;
    if (!absolute(&value)) {
        flag(9114, ERROR);
        return false;
    }
    *number = value.number;
    return true;
}

static bool nothing_left(const struct scan *scan)
{
    if (scan->at == scan->end)
        return true;
    flag_text(9115, ERROR, (struct text){ scan->at, (u32)(scan->end - scan->at) });
    return false;
}

/* The text is one expression and nothing else. */
bool evaluate_all(struct text text, struct value *value)
{
    struct scan scan = scan_of(text);

    return evaluate(&scan, value) && nothing_left(&scan);
}

bool evaluate_number(struct text text, int *number)
{
    struct scan scan = scan_of(text);

    return evaluate_absolute(&scan, number) && nothing_left(&scan);
}

bool evaluate_place(struct text text, struct value *value)
{
    if (!evaluate_all(text, value) || value->undefined)
        return false;
    if (value->terms > 1 || (value->terms == 1 && value->term[0].count != 1)) {
        flag_text(9161, ERROR, text);
        return false;
    }
    return true;
}
