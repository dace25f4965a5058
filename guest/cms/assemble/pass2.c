/* Pass 2, and the assembly as a whole: object code and listing of the statements that pass 1 has left. */
#include "assemble.h"

struct assembly assembly;

void pass2(void)
{
    assembly.second = true;
    for (struct statement *at = assembly.first; at != NULL; at = at->next) {
        assemble_attend();
        assembly.current = at;
        object_statement();
        if (at->operation != NULL) {
            /* Each statement says itself where it is. */
            assembly.in = at->section;
            assembly.location = (int)at->location;
            if (at->operation->kind == OPERATION_MACHINE)
                instruction_second(at);
            else if (at->operation->kind == OPERATION_ASSEMBLER && at->operation->directive->second != NULL)
                at->operation->directive->second(at);
        }
        listing_statement(at);
    }
}

/* Statements that were flagged, on the terminal. */
static void terminal(void)
{
    char line[LINE];

    for (const struct statement *at = assembly.first; at != NULL; at = at->next) {
        if (at->diagnostics == NULL)
            continue;
        if (at->image != NULL) {
            u32 length = format(line, sizeof line, "%6u  ", at->number);

            memcpy(line + length, at->image->at, at->image->length);
            assemble_terminal(line, length + at->image->length);
        } else {
            u32 length = format(line, sizeof line, "%6u+ ", at->number);
            const struct text *fields[] = { &at->name, &at->op, &at->operands };

            for (u32 n = 0; n < COUNT_OF(fields); n++) {
                u32 room = sizeof line - length - 1, part = fields[n]->length < room ? fields[n]->length : room;

                memcpy(line + length, fields[n]->at, part);
                length += part;
                if (n < 2 && length < sizeof line - 1)
                    line[length++] = ' ';
            }
            assemble_terminal(line, length_of(line, length));
        }
        for (const struct diagnostic *what = at->diagnostics; what != NULL; what = what->next)
            assemble_terminal(what->text.at, what->text.length);
    }
}

u32 assemble(const struct assembly_options *options, const struct lines *source)
{
    memset(&assembly, 0, sizeof assembly);
    assembly.options = options;
    assembly.begin = 1;
    assembly.end = 71;
    assembly.resume = 16;
    symbols_begin();
    expressions_begin();
    literals_begin();
    operations_begin();
    variables_begin();
    bases_begin();
    object_begin();
    listing_begin();
    pass1(source);
    pass2();
    if (options->object || options->deck)
        object_deck();
    assembly.current = NULL;
    listing_end();
    if (options->term)
        terminal();
    return assembly.worst;
}
