/* Macros: definitions in the program and in libraries, calls. */
#include "macro.h"

/* The prototype: [&label] name &a,&b,&c=value. */
static bool prototype(const struct record *record, struct macro *macro)
{
    struct scan scan = scan_of(record->operands);
    struct text one;

    if (!is_symbol(record->op)) {
        flag_text(9101, ERROR, record->op);
        return false;
    }
    macro->name = folded(record->op);
    if (record->name.length > 1 && record->name.at[0] == '&')
        macro->label = folded((struct text){ record->name.at + 1, record->name.length - 1 });
    while (record->operands.length > 0 && next_operand(&scan, &one)) {
        struct scan inner = scan_of(one);
        struct parameter *made;
        struct text name;

        if (inner.at == inner.end || *inner.at++ != '&' || !scan_symbol(&inner, &name) ||
            (inner.at < inner.end && *inner.at != '=')) {
            flag(9164, ERROR);
            return false;
        }
        macro->parameter = more_room(macro->parameter, macro->parameters, &macro->room, sizeof *macro->parameter);
        made = &macro->parameter[macro->parameters++];
        made->name = folded(name);
        made->keyword = inner.at < inner.end;
        made->standard = (struct text){ "", 0 };
        if (made->keyword)
            made->standard = kept((struct text){ inner.at + 1, (u32)(inner.end - inner.at) - 1 });
    }
    return true;
}

static void take_line(struct lines *lines, struct text line)
{
    lines->line = more_room(lines->line, lines->count, &lines->room, sizeof *lines->line);
    lines->line[lines->count++] = line;
}

static bool take_copy(struct lines *lines, struct text name, u32 depth)
{
    struct lines *member = arena(sizeof *member);
    struct level level = { .text = member };
    struct record record;

    if (depth == NESTED_MOST || !is_symbol(name) || name.length > 8 || !assemble_member(name, member)) {
        flag_text(depth == NESTED_MOST ? 9146 : 9145, ERROR, name);
        return false;
    }
    while (next_record(&level, &record)) {
        if (!record.comment && text_is(record.op, "COPY"))
            (void)take_copy(lines, record.operands, depth + 1);
        else
            for (u32 n = 0; n < record.images; n++)
                take_line(lines, record.image[n]);
    }
    return true;
}

/* From after MACRO to MEND. */
static void define(struct level *level, bool listed)
{
    struct macro *macro = arena(sizeof *macro);
    struct operation operation = { .kind = OPERATION_MACRO, .mask = -1, .macro = macro };
    struct record record;
    bool named = false, good = true, ended = false;
    u32 depth = 1;

    while (!ended && next_record(level, &record)) {
        assemble_attend();
        if (listed)
            (void)add_statement((struct text){ 0 }, (struct text){ 0 }, (struct text){ 0 }, &record);
        if (!named) {
            if (record.comment)
                continue;
            named = true;
            good = prototype(&record, macro);
            continue;
        }
        if (!record.comment) {
            depth += text_is(record.op, "MACRO");
            /* It is one of the macro's statements: it may have a sequence symbol. */
            ended = text_is(record.op, "MEND") && --depth == 0;
            if (text_is(record.op, "COPY") && depth == 1) {
                (void)take_copy(&macro->lines, record.operands, 0);
                continue;
            }
        }
        for (u32 n = 0; n < record.images; n++)
            take_line(&macro->lines, record.image[n]);
    }
    if (!ended)
        flag(9176, ERROR);
    if (named && good)
        operation_set(macro->name, &operation);
}

void macro_define(const struct record *record)
{
    (void)record;
    define(assembly.level, assembly.level->call == NULL);
}

/* A member of a library is a macro if it begins with MACRO. */
bool macro_library(struct text name)
{
    struct lines *member = arena(sizeof *member);
    struct operation none = { .kind = OPERATION_NONE, .mask = -1 };
    struct level level = { .text = member };
    struct record record;
    const struct operation *found;
    bool macro = false;

    if (name.length <= 8 && assemble_member(name, member)) {
        do
            macro = next_record(&level, &record);
        while (macro && record.comment);
        macro = macro && text_is(record.op, "MACRO");
    }
    if (macro)
        define(&level, false);
    found = operation_known(name);
    if (found != NULL && found->kind == OPERATION_MACRO)
        return true;
    /* It is not looked for again. */
    operation_set(name, &none);
    return false;
}

/* KEY=value, if the macro has such a parameter. */
static struct parameter *keyword_of(const struct macro *macro, struct text operand, struct text *value)
{
    struct scan scan = scan_of(operand);
    struct text name;

    if (!scan_symbol(&scan, &name) || scan.at == scan.end || *scan.at != '=')
        return NULL;
    for (u32 n = 0; n < macro->parameters; n++)
        if (macro->parameter[n].keyword && same_text(macro->parameter[n].name, name)) {
            *value = (struct text){ scan.at + 1, (u32)(scan.end - scan.at) - 1 };
            return &macro->parameter[n];
        }
    flag_text(9177, ERROR, name);
    return NULL;
}

static void arguments(struct call_of_macro *call, struct text operands)
{
    const struct macro *macro = call->macro;
    struct scan scan = scan_of(operands);
    struct text one, value;
    u32 position = 0;

    for (u32 n = 0; n < macro->parameters; n++)
        call->value[n] = macro->parameter[n].standard;
    while (operands.length > 0 && next_operand(&scan, &one)) {
        struct parameter *keyword = keyword_of(macro, one, &value);

        if (keyword != NULL) {
            call->value[keyword - macro->parameter] = kept(value);
            continue;
        }
        call->list = more_room(call->list, call->listed, &call->room, sizeof *call->list);
        call->list[call->listed++] = kept(one);
        while (position < macro->parameters && macro->parameter[position].keyword)
            position++;
        if (position < macro->parameters)
            call->value[position++] = call->list[call->listed - 1];
    }
}

void macro_call(struct macro *macro, struct text name, struct text operands)
{
    struct call_of_macro *made;
    struct level *level;

    if (scope()->depth >= CALLS_MOST) {
        flag_text(9178, SEVERE, macro->name);
        return;
    }
    made = arena(sizeof *made);
    made->macro = macro;
    made->label = name;
    made->value = arena((macro->parameters + 1) * sizeof *made->value);
    made->section = assembly.in != 0 ? assembly.section[assembly.in].name : (struct text){ "", 0 };
    made->index = ++assembly.sysndx;
    made->depth = scope()->depth + 1;
    made->branches = BRANCHES_MOST;
    arguments(made, operands);
    level = arena(sizeof *level);
    level->text = &macro->lines;
    level->call = made;
    level->below = assembly.level;
    assembly.level = level;
}

/* The end of the macro that is being expanded, whatever COPY has put into it. */
void macro_end(void)
{
    while (assembly.level != NULL && assembly.level->copied)
        assembly.level = assembly.level->below;
    if (assembly.level != NULL)
        assembly.level = assembly.level->below;
}

void conditional_mexit(const struct record *record)
{
    if (scope()->macro == NULL)
        flag_text(9179, ERROR, record->op);
    else
        macro_end();
}
