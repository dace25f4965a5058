/*
 * What the operation field may name: machine instructions and their extended mnemonics, the assembler's own, macros,
 * OPSYN's.
 */
#include "opcodes.h"

enum { CHAINS = 256 };

static struct operation *chains[CHAINS];

/* Branches by condition: what follows B, J, JL or BR in their names, and the mask. */
static const struct { const char *suffix; int mask; } conditions[] = {
    { "", 15 }, { "O", 1 }, { "H", 2 }, { "P", 2 }, { "L", 4 }, { "M", 4 }, { "NE", 7 }, { "NZ", 7 }, { "E", 8 },
    { "Z", 8 },
    { "NL", 11 }, { "NM", 11 }, { "NH", 13 }, { "NP", 13 }, { "NO", 14 }, { "LH", 6 }, { "NLH", 9 }, { "HE", 10 },
    { "NHE", 5 }, { "LE", 12 }, { "NLE", 3 },
};

static const struct { const char *name, *like; int mask; } extended[] = {
    { "NOP", "BC", 0 }, { "NOPR", "BCR", 0 }, { "JNOP", "BRC", 0 }, { "JLNOP", "BRCL", 0 }, { "BRU", "BRC", 15 },
    { "BRUL", "BRCL", 15 },
    { "JLU", "BRCL", 15 }, { "JC", "BRC", -1 }, { "JLC", "BRCL", -1 }, { "JAS", "BRAS", -1 }, { "JASL", "BRASL", -1 },
    { "JCT", "BRCT", -1 },
    { "JCTG", "BRCTG", -1 }, { "JXH", "BRXH", -1 }, { "JXHG", "BRXHG", -1 }, { "JXLE", "BRXLE", -1 },
    { "JXLEG", "BRXLG", -1 },
};

void operations_begin(void) { memset(chains, 0, sizeof chains); }

static bool in_table(struct text name, struct opcode *opcode)
{
    u32 low = 0, high = opcode_count;

    while (low < high) {
        u32 middle = (low + high) / 2;
        struct text there = text_of(opcodes[middle].name);
        u32 length = there.length < name.length ? there.length : name.length, n = 0;

        while (n < length && upper(name.at[n]) == there.at[n])
            n++;
        if (n == name.length && n == there.length) {
            *opcode = opcodes[middle];
            return true;
        }
        if (n == name.length || (n < length && (u8)upper(name.at[n]) < (u8)there.at[n]))
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

static bool conditional(struct text name, u32 prefix, u32 suffix, const char *like, struct opcode *opcode, int *mask)
{
    struct text middle = { name.at + prefix, name.length - prefix - suffix };

    for (u32 n = 0; n < COUNT_OF(conditions); n++)
        if (text_is(middle, conditions[n].suffix)) {
            *mask = conditions[n].mask;
            return in_table(text_of(like), opcode);
        }
    return false;
}

bool opcode_find(struct text name, struct opcode *opcode, int *mask)
{
    char first = name.length > 0 ? upper(name.at[0]) : ' ', second = name.length > 1 ? upper(name.at[1]) : ' ';

    *mask = -1;
    if (name.length == 0 || name.length > 8)
        return false;
    if (in_table(name, opcode))
        return true;
    for (u32 n = 0; n < COUNT_OF(extended); n++)
        if (text_is(name, extended[n].name)) {
            *mask = extended[n].mask;
            return in_table(text_of(extended[n].like), opcode);
        }
    if (first == 'J') {
        if (second == 'L' && name.length > 2 && conditional(name, 2, 0, "BRCL", opcode, mask))
            return true;
        return conditional(name, 1, 0, "BRC", opcode, mask);
    }
    if (first != 'B')
        return false;
    if (conditional(name, 1, 0, "BC", opcode, mask))
        return true;
    if (second == 'R' && name.length > 2) {
        if (conditional(name, 2, 0, "BRC", opcode, mask))
            return true;
        if (name.length > 3 && upper(name.at[name.length - 1]) == 'L' && conditional(name, 2, 1, "BRCL", opcode, mask))
            return true;
    }
    return upper(name.at[name.length - 1]) == 'R' && name.length > 1 && conditional(name, 1, 1, "BCR", opcode, mask);
}

/* By the first two bits of an instruction. */
u32 opcode_length(const struct opcode *opcode)
{
    u32 first = opcode->code <= 0xff ? opcode->code : opcode->code >> (opcode->code >= 0xa50 && opcode->code <= 0xfff
        ? 4 : 8);

    return first < 0x40 ? 2 : first < 0xc0 ? 4 : 6;
}

static struct operation *add(struct text name)
{
    struct operation **chain = &chains[hash_of(name) % CHAINS], *made = arena(sizeof *made);

    made->name = folded(name);
    made->chain = *chain;
    made->mask = -1;
    *chain = made;
    return made;
}

static struct operation *look(struct text name)
{
    struct operation *at = chains[hash_of(name) % CHAINS];

    while (at != NULL && !same_text(at->name, name))
        at = at->chain;
    return at;
}

/* One of the assembler's own, whatever OPSYN or a macro has made of its name. */
struct operation *operation_own(const char *name)
{
    struct operation *made = arena(sizeof *made);
    u32 n = 0;

    while (strcmp(directives[n].name, name) != 0)
        n++;
    *made = (struct operation){ .name = text_of(name), .kind = OPERATION_ASSEMBLER, .mask = -1,
                                .directive = &directives[n] };
    return made;
}

/* Macros of the program and what OPSYN made come first; then the assembler's own, the machine's. */
struct operation *operation_known(struct text name)
{
    struct operation *at = look(name);
    struct opcode opcode;
    int mask;

    if (at != NULL)
        return at;
    for (u32 n = 0; n < directive_count; n++)
        if (text_is(name, directives[n].name)) {
            at = add(name);
            at->kind = OPERATION_ASSEMBLER;
            at->directive = &directives[n];
            return at;
        }
    if (!opcode_find(name, &opcode, &mask))
        return NULL;
    at = add(name);
    at->kind = OPERATION_MACHINE;
    at->opcode = opcode;
    at->mask = mask;
    return at;
}

struct operation *operation_find(struct text name)
{
    struct operation *at = operation_known(name);

    if (at != NULL)
        return at->kind == OPERATION_NONE ? NULL : at;
    return is_symbol(name) && macro_library(name) ? look(name) : NULL;
}

void operation_set(struct text name, const struct operation *what)
{
    struct operation *at = look(name);
    struct operation *chain;

    if (at == NULL)
        at = add(name);
    chain = at->chain;
    name = at->name;
    *at = *what;
    at->chain = chain;
    at->name = name;
}
