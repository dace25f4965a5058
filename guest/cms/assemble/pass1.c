/* Pass 1: statements are read and given their places; macros and conditional assembly make more of them. */
#include "macro.h"

struct statement *add_statement(struct text name, struct text op, struct text operands, const struct record *record)
{
    struct statement *made = arena(sizeof *made);

    made->name = kept(name);
    made->op = kept(op);
    made->operands = kept(operands);
    made->number = ++assembly.statements;
    made->pool = assembly.pool;
    if (record != NULL) {
        made->image = record->image;
        made->images = record->images;
    }
    if (assembly.last == NULL)
        assembly.first = made;
    else
        assembly.last->next = made;
    assembly.last = assembly.current = made;
    return made;
}

void perform_first(struct statement *statement)
{
    const struct operation *operation = statement->operation;

    statement->section = assembly.in;
    statement->location = (u32)assembly.location;
    if (operation->kind == OPERATION_MACHINE)
        instruction_first(statement);
    else if (operation->directive->first != NULL)
        operation->directive->first(statement);
}

static void comment(const struct record *record, bool generated, u32 depth)
{
    struct text line = record->image[0];
    struct statement *made;

    if (generated && line.length >= assembly.begin && line.at[assembly.begin - 1] == '.')
        return;
    made = add_statement((struct text){ 0 }, (struct text){ 0 }, (struct text){ 0 }, record);
    made->depth = depth;
}

/* A record that is no comment. */
static void statement_of(const struct record *record)
{
    bool generated = assembly.level->call != NULL, changed = false;
    u32 depth = scope()->depth;
    struct text name = record->name, op = record->op, operands = record->operands;
    struct operation *operation;
    struct statement *made;

    changed |= substitute(op, &op);
    if (op.length == 0) {
        made = add_statement(name, op, operands, generated ? NULL : record);
        made->depth = depth;
        flag(9147, ERROR);
        return;
    }
    operation = operation_known(op);
    if (operation != NULL && operation->kind == OPERATION_ASSEMBLER &&
        operation->directive->kind == DIRECTIVE_CONDITIONAL) {
        if (!generated) {
            made = add_statement(name, op, operands, record);
            made->depth = depth;
        }
        operation->directive->conditional(record);
        return;
    }
    if (name.length > 0 && name.at[0] == '.')
        name.length = 0;
    else
        changed |= substitute(name, &name);
    /* What a macro is called with is substituted when it is asked for: a list stays one. */
    changed |= substitute(operands, &operands);
    name = trimmed(name);
    made = add_statement(name, op, operands, generated || changed ? NULL : record);
    made->depth = depth;
    operation = operation_find(op);
    if (operation == NULL) {
        flag_text(9132, ERROR, op);
        return;
    }
    if (operation->kind == OPERATION_MACRO) {
        made->silent = generated;
        macro_call(operation->macro, made->name, made->operands);
        return;
    }
    made->operation = operation;
    perform_first(made);
}

void pass1(const struct lines *source)
{
    struct level *level = arena(sizeof *level);
    struct record record;

    level->text = source;
    assembly.level = level;
    while (!assembly.ended && assembly.level != NULL) {
        assemble_attend();
        assembly.current = NULL;
        level = assembly.level;
        if (!next_record(level, &record)) {
            if (level->call != NULL && !level->copied)
                macro_end();
            else
                assembly.level = level->below;
            continue;
        }
        if (record.comment)
            comment(&record, level->call != NULL, scope()->depth);
        else
            statement_of(&record);
    }
    if (!assembly.ended) {
        struct statement *made;

        assembly.current = NULL;
        made = add_statement((struct text){ 0 }, text_of("END"), (struct text){ 0 }, NULL);
        flag(9148, WARNING);
        made->operation = operation_own("END");
        perform_first(made);
    }
    assembly.current = NULL;
    sections_settle();
}
