/* Symbols, and the sections that their values are in. */
#include "assemble.h"

enum { CHAINS = 1024 };

static struct symbol *chains[CHAINS];
static u32 symbols;

/* Section 0 is none; assembly.section[n] is section n. */
void symbols_begin(void)
{
    memset(chains, 0, sizeof chains);
    symbols = 0;
    assembly.section = more_room(NULL, 0, &assembly.section_room, sizeof *assembly.section);
    assembly.sections = 1;
}

struct symbol *symbol_find(struct text name)
{
    struct symbol *at = chains[hash_of(name) % CHAINS];

    while (at != NULL && !same_text(at->name, name))
        at = at->chain;
    return at;
}

struct symbol *symbol_get(struct text name)
{
    struct symbol *at = symbol_find(name), **chain = &chains[hash_of(name) % CHAINS];

    if (at == NULL) {
        at = arena(sizeof *at);
        at->name = folded(name);
        at->kind = 'U';
        at->length = 1;
        at->chain = *chain;
        *chain = at;
        symbols++;
    }
    return at;
}

struct symbol *symbol_define(struct text name, bool relocatable, int value, u32 length, u8 kind)
{
    struct symbol *symbol;

    if (!is_symbol(name)) {
        flag_text(9101, ERROR, name);
        return NULL;
    }
    symbol = symbol_get(name);
    if (symbol->defined) {
        flag_text(9102, ERROR, name);
        return NULL;
    }
    symbol->defined = true;
    symbol->external_only = false;
    symbol->relocatable = relocatable;
    symbol->section = assembly.in;
    symbol->value = value;
    symbol->length = length;
    symbol->kind = kind;
    symbol->statement = assembly.current != NULL ? assembly.current->number : 0;
    return symbol;
}

void symbol_refer(struct symbol *symbol)
{
    struct reference *made;
    u32 statement = assembly.current != NULL ? assembly.current->number : 0;

    if (!assembly.second || !assembly.options->xref || (symbol->last != NULL && symbol->last->statement == statement))
        return;
    made = arena(sizeof *made);
    made->statement = statement;
    if (symbol->last != NULL)
        symbol->last->next = made;
    else
        symbol->first = made;
    symbol->last = made;
}

static bool before(const struct symbol *a, const struct symbol *b)
{
    u32 length = a->name.length < b->name.length ? a->name.length : b->name.length;
    int order = memcmp(a->name.at, b->name.at, length);

    return order != 0 ? order < 0 : a->name.length < b->name.length;
}

/* By name: a merge sort from the bottom up. */
struct symbol **symbols_sorted(u32 *count)
{
    struct symbol **list = arena((symbols + 1) * sizeof *list), **other = arena((symbols + 1) * sizeof *other);
    u32 all = 0;

    for (u32 n = 0; n < CHAINS; n++)
        for (struct symbol *at = chains[n]; at != NULL; at = at->chain)
            list[all++] = at;
    for (u32 width = 1; width < all; width *= 2) {
        for (u32 from = 0; from < all; from += 2 * width) {
            u32 middle = from + width < all ? from + width : all, end = from + 2 * width < all ? from + 2 * width : all;
            u32 a = from, b = middle;

            for (u32 n = from; n < end; n++)
                other[n] = a < middle && (b >= end || !before(list[b], list[a])) ? list[a++] : list[b++];
        }
        struct symbol **swap = list;

        list = other;
        other = swap;
    }
    *count = all;
    return list;
}

u32 section_new(struct text name, enum section_kind kind)
{
    struct section *made;

    assembly.section = more_room(assembly.section, assembly.sections, &assembly.section_room, sizeof *assembly.section);
    made = &assembly.section[assembly.sections];
    memset(made, 0, sizeof *made);
    made->name = folded(name);
    made->kind = kind;
    return assembly.sections++;
}

u32 section_of(struct text name)
{
    for (u32 n = 1; n < assembly.sections; n++)
        if (assembly.section[n].name.length > 0 && same_text(assembly.section[n].name, name))
            return n;
    return 0;
}

/* The name of something elsewhere. */
u32 section_external(struct text name, enum section_kind kind)
{
    u32 number = section_of(name);

    if (number == 0)
        return section_new(name, kind);
    if (assembly.section[number].kind == SECTION_WEAK && kind == SECTION_EXTERNAL)
        assembly.section[number].kind = kind;
    return number;
}

void section_leave(void)
{
    if (assembly.in != 0)
        assembly.section[assembly.in].location = (u32)assembly.location;
}

void section_enter(u32 number)
{
    section_leave();
    assembly.in = number;
    assembly.location = (int)assembly.section[number].location;
}

/* The current section: something is to be put where none was begun. */
u32 need_section(void)
{
    if (assembly.in == 0) {
        section_enter(section_new((struct text){ "", 0 }, SECTION_PRIVATE));
        assembly.has_csect = true;
    }
    return assembly.in;
}

void go_to(u32 location)
{
    struct section *section = &assembly.section[need_section()];

    if (location > LOCATION_MOST) {
        flag(9103, SEVERE);
        location = LOCATION_MOST;
    }
    assembly.location = (int)location;
    if (location > section->length)
        section->length = location;
}

void advance(u32 length)
{
    u32 at = (u32)assembly.location;

    go_to(length > LOCATION_MOST || at + length > LOCATION_MOST ? LOCATION_MOST + 1 : at + length);
}

/* The location counter on a boundary; how far it went. */
u32 align_to(u32 boundary)
{
    u32 before_it = (u32)assembly.location, at = boundary == 0 ? before_it
        : (before_it + boundary - 1) / boundary * boundary;

    need_section();
    if (at != before_it)
        advance(at - before_it);
    return at - before_it;
}

/* One control section after the other, in the deck; numbers for all that it names. */
void sections_settle(void)
{
    u32 at = 0, esdid = 0;

    section_leave();
    for (u32 n = 1; n < assembly.sections; n++) {
        struct section *section = &assembly.section[n];

        if (section->kind != SECTION_DUMMY)
            section->esdid = ++esdid;
        if (section->kind != SECTION_CONTROL && section->kind != SECTION_PRIVATE)
            continue;
        if (section->origin != 0)
            at = section->origin;
        section->origin = at;
        at = (at + section->length + 7) & ~7u;
        if (at > LOCATION_MOST + 1)
            flag(9103, SEVERE);
    }
}
