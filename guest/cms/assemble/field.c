/* Characters, fields and operands of the assembler's language. */
#include "assemble.h"

bool is_symbol_letter(char c)
{
    c = upper(c);
    return (c >= 'A' && c <= 'I') || (c >= 'J' && c <= 'R') || (c >= 'S' && c <= 'Z') || c == '@' || c == '#' ||
        c == '$' || c == '_';
}

bool is_symbol_char(char c) { return is_symbol_letter(c) || is_digit(c); }

bool scan_symbol(struct scan *scan, struct text *symbol)
{
    const char *from = scan->at;

    if (from == scan->end || !is_symbol_letter(*from))
        return false;
    while (scan->at < scan->end && is_symbol_char(*scan->at))
        scan->at++;
    *symbol = (struct text){ from, (u32)(scan->at - from) };
    return true;
}

bool is_symbol(struct text text)
{
    struct scan scan = scan_of(text);
    struct text symbol;

    return text.length <= SYMBOL_MOST && scan_symbol(&scan, &symbol) && scan.at == scan.end;
}

/* L'X, T'&X, K'&X, N'&X: an apostrophe that begins no string. */
bool attribute_here(const char *start, const char *at, const char *end)
{
    static const char letters[] = "LTKNIS";

    if (at == start || at + 1 >= end || memchr(letters, upper(at[-1]), sizeof letters - 1) == NULL)
        return false;
    /* XL'12' is a constant with a length that is missing; (L'X), +L'X, L'X are attributes. */
    if (at - 1 > start && (is_symbol_char(at[-2]) || at[-2] == '\''))
        return false;
    return is_symbol_letter(at[1]) || at[1] == '&' || at[1] == '*' || at[1] == '=';
}

/* From here to the first `stop` that is in no string and, unless `in_parentheses`, in no parentheses. */
static struct text up_to(struct scan *scan, char stop, bool in_parentheses)
{
    const char *from = scan->at;
    bool quoted = false;
    u32 depth = 0;

    for (; scan->at < scan->end; scan->at++) {
        char c = *scan->at;

        if (c == '\'') {
            if (quoted || !attribute_here(from, scan->at, scan->end))
                quoted = !quoted;
        } else if (quoted) {
            continue;
        } else if (c == '(') {
            depth++;
        } else if (c == ')' && depth > 0) {
            depth--;
        } else if (c == stop && (depth == 0 || in_parentheses)) {
            break;
        }
    }
    return (struct text){ from, (u32)(scan->at - from) };
}

struct text field_of(struct scan *scan, bool blanks_in_parentheses) { return up_to(scan, ' ', !blanks_in_parentheses); }

bool closing(struct scan *scan)
{
    if (scan->at == scan->end || *scan->at != ')') {
        flag(9112, ERROR);
        return false;
    }
    scan->at++;
    return true;
}

/* False after the last. An empty operand between commas is one, too. */
bool next_operand(struct scan *scan, struct text *operand)
{
    if (scan->at == NULL || scan->at > scan->end)
        return false;
    *operand = up_to(scan, ',', false);
    /* One beyond the end says that there is no more. */
    scan->at++;
    return true;
}

struct text trimmed(struct text text)
{
    while (text.length > 0 && text.at[0] == ' ')
        text.at++, text.length--;
    text.length = length_of(text.at, text.length);
    return text;
}
