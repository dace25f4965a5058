/* Variable symbols: parameters, SET symbols and the system's, and text with them in it. */
#include "macro.h"

static struct variable *globals_of_assembly;

void variables_begin(void)
{
    globals_of_assembly = NULL;
    conditional_begin();
    assembly.open = arena(sizeof *assembly.open);
    assembly.open->branches = BRANCHES_MOST;
}

struct call_of_macro *scope(void)
{
    return assembly.level != NULL && assembly.level->call != NULL ? assembly.level->call : assembly.open;
}

struct variable *variable_named(struct text name)
{
    for (struct binding *at = scope()->bindings; at != NULL; at = at->next)
        if (same_text(at->name, name))
            return at->variable;
    return NULL;
}

static struct variable *new_variable(struct text name, u8 kind, u32 dimension)
{
    struct variable *made = arena(sizeof *made);
    u32 count = dimension == 0 ? 1 : dimension;

    made->name = folded(name);
    made->kind = kind;
    made->dimension = dimension;
    if (kind == 'C')
        made->text = arena(count * sizeof *made->text);
    else
        made->number = arena(count * sizeof *made->number);
    return made;
}

struct variable *variable_declare(struct text name, u8 kind, u32 dimension, bool global)
{
    struct variable *variable = NULL;
    struct binding *made;

    if (global) {
        for (variable = globals_of_assembly; variable != NULL && !same_text(variable->name, name);
             variable = variable->next)
            ;
        if (variable != NULL && (variable->kind != kind || variable->dimension != dimension)) {
            flag_text(9163, ERROR, name);
            return variable;
        }
    }
    if (variable_named(name) != NULL) {
        if (variable_named(name) != variable)
            flag_text(9163, ERROR, name);
        return variable_named(name);
    }
    if (variable == NULL) {
        variable = new_variable(name, kind, dimension);
        if (global) {
            variable->next = globals_of_assembly;
            globals_of_assembly = variable;
        }
    }
    made = arena(sizeof *made);
    made->name = variable->name;
    made->variable = variable;
    made->next = scope()->bindings;
    scope()->bindings = made;
    return variable;
}

/* The items of a list in parentheses; false: it is no list. */
static bool list_of(struct text value, struct scan *items)
{
    u32 depth = 0;
    bool quoted = false;

    if (value.length < 2 || value.at[0] != '(' || value.at[value.length - 1] != ')')
        return false;
    /* (A)+(B) is none. */
    for (u32 n = 0; n + 1 < value.length; n++) {
        if (value.at[n] == '\'' && (quoted || !attribute_here(value.at, value.at + n, value.at + value.length)))
            quoted = !quoted;
        if (quoted)
            continue;
        depth += value.at[n] == '(';
        depth -= value.at[n] == ')' && depth > 0;
        if (depth == 0)
            return false;
    }
    *items = (struct scan){ value.at + 1, value.at + value.length - 1 };
    return true;
}

u32 list_items(struct text value)
{
    struct scan items;
    struct text one;
    u32 count = 0;

    if (!list_of(value, &items))
        return value.length > 0;
    while (next_operand(&items, &one))
        count++;
    return count;
}

/* Item n of a list, from 1; what is no list is its own first item. */
static struct text item_of(struct text value, int n)
{
    struct scan items;
    struct text one = { "", 0 };

    if (!list_of(value, &items))
        return n == 1 ? value : one;
    for (int k = 1; next_operand(&items, &one); k++)
        if (k == n)
            return one;
    return (struct text){ "", 0 };
}

static struct text digits(u32 number, const char *how)
{
    char *at = arena(16);

    return (struct text){ at, format(at, 16, how, number) };
}

/* The system's variable symbols. */
static bool system_variable(struct text name, struct text *value)
{
    const struct call_of_macro *call = scope();

    if (text_is(name, "SYSDATE"))
        *value = (struct text){ assembly.options->date, 8 };
    else if (text_is(name, "SYSTIME"))
        *value = (struct text){ assembly.options->time, 5 };
    else if (text_is(name, "SYSPARM"))
        *value = assembly.options->sysparm;
    else if (text_is(name, "SYSNDX") && call->macro != NULL)
        *value = digits(call->index, "%04u");
    else if (text_is(name, "SYSECT") && call->macro != NULL)
        *value = call->section;
    else if (text_is(name, "SYSMAC") && call->macro != NULL)
        *value = call->macro->name;
    else
        return false;
    return true;
}

static bool parameter_value(struct text name, struct text *value)
{
    const struct call_of_macro *call = scope();

    if (call->macro == NULL)
        return false;
    if (call->macro->label.length > 0 && same_text(call->macro->label, name)) {
        *value = call->label;
        return true;
    }
    for (u32 n = 0; n < call->macro->parameters; n++)
        if (same_text(call->macro->parameter[n].name, name)) {
            *value = call->value[n];
            return true;
        }
    return false;
}

/* Subscripts in parentheses; how many. */
static bool subscripts(struct scan *scan, int *number, u32 *count)
{
    *count = 0;
    if (scan->at == scan->end || *scan->at != '(')
        return true;
    if (!enter_nested())
        return false;
    do {
        scan->at++;
        if (*count == NESTED_MOST) {
            flag(9111, ERROR);
            leave_nested();
            return false;
        }
        if (!arithmetic(scan, &number[(*count)++])) {
            leave_nested();
            return false;
        }
    } while (scan->at < scan->end && *scan->at == ',');
    leave_nested();
    return closing(scan);
}

bool variable_value(struct scan *scan, struct found *found, bool whole)
{
    struct variable *variable;
    struct text name, value;
    int number[NESTED_MOST];
    u32 count = 0;

    *found = (struct found){ .kind = 'C', .text = { "", 0 } };
    scan->at++;
    if (!scan_symbol(scan, &name)) {
        flag(9164, ERROR);
        return false;
    }
    variable = variable_named(name);
    if (variable != NULL) {
        found->kind = variable->kind;
        found->variable = variable;
        if (variable->dimension > 0 && !whole) {
            if (!subscripts(scan, number, &count))
                return false;
            if (count != 1 || number[0] < 1 || (u32)number[0] > variable->dimension) {
                flag_text(9165, ERROR, name);
                return false;
            }
            found->place = (u32)number[0] - 1;
        }
        found->items = variable->dimension;
        if (variable->kind == 'C')
            found->text = variable->text[found->place];
        else
            found->number = variable->number[found->place];
        return true;
    }
    if (text_is(name, "SYSLIST") && scope()->macro != NULL) {
        const struct call_of_macro *call = scope();

        if (!subscripts(scan, number, &count))
            return false;
        found->listed = true;
        if (count == 0) {
            found->items = call->listed;
            if (!whole)
                flag_text(9165, ERROR, name);
            return whole;
        }
        value = number[0] == 0 ? call->label : number[0] > 0 &&
            (u32)number[0] <= call->listed ? call->list[number[0] - 1] : found->text;
        for (u32 n = 1; n < count; n++)
            value = item_of(value, number[n]);
    } else if (parameter_value(name, &value)) {
        if (!subscripts(scan, number, &count))
            return false;
        for (u32 n = 0; n < count; n++)
            value = item_of(value, number[n]);
    } else if (!system_variable(name, &value)) {
        flag_text(9166, ERROR, name);
        return false;
    }
    found->text = value;
    found->items = list_items(value);
    return true;
}

void append_found(struct buffer *to, const struct found *found)
{
    char digits_of[16];

    if (found->kind == 'C')
        append(to, found->text.at, found->text.length);
    else
        /* The sign is not written. */
        append(to, digits_of, format(digits_of, sizeof digits_of, "%u",
                                     found->number < 0 ? 0u - (u32)found->number : (u32)found->number));
}

/* Text with the values of the variable symbols in it. False: there were none. */
bool substitute(struct text text, struct text *result)
{
    struct scan scan = scan_of(text);
    struct buffer made = { 0 };
    bool changed = false;

    *result = text;
    if (text.length == 0 || memchr(text.at, '&', text.length) == NULL)
        return false;
    while (scan.at < scan.end) {
        struct found found;
        const char *from = scan.at;

        if (*scan.at != '&' || scan.at + 1 == scan.end) {
            append_char(&made, *scan.at++);
            continue;
        }
        if (scan.at[1] == '&') {
            append(&made, "&&", 2);
            scan.at += 2;
            continue;
        }
        changed = true;
        if (!variable_value(&scan, &found, false)) {
            if (scan.at == from)
                scan.at++;
            continue;
        }
        append_found(&made, &found);
        if (scan.at < scan.end && *scan.at == '.')
            scan.at++;
    }
    *result = (struct text){ made.at == NULL ? "" : made.at, made.length };
    return changed;
}
