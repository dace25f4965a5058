/*
 * The linking loader: TEXT decks become a program in storage.
 *
 * A deck is cards of 80 bytes: ESD names what the deck has and wants, TXT is what goes into storage, RLD says where
 * addresses are in it, END ends it ("MVS Program Management: Advanced Facilities", object modules). ESD is looked at
 * first, for the deck's sections must have their places before anything else can be understood.
 *
 * Addresses in constants are settled as often as a caller asks (link_complete): each constant remembers how much of its
 * symbol's address is in it, so a name that is found later, or a common area that grows, costs nothing but another
 * look.
 */
#include "program.h"
#include "library.h"

struct loaded_program loaded_program;

/* What a deck calls by a number. */
struct part { u32 symbol, origin; bool known, dropped; };
struct deck {
    struct part *part;
    u32 parts;
    u32 open;                   /* the part whose length only END tells, 0: none */
    bool page;                  /* the next section begins on a page */
};

enum { CARD = 80, X02 = 0x02, PARTS = 0x1000 };
enum { TYPE_SD = 0x00, TYPE_LD = 0x01, TYPE_ER = 0x02, TYPE_PC = 0x04, TYPE_CM = 0x05, TYPE_PR = 0x06, TYPE_WX = 0x0a };

static const name no_name = "        ";

static u32 half(const u8 *at) { return (u32)at[0] << 8 | at[1]; }
static u32 three(const u8 *at) { return (u32)at[0] << 16 | (u32)at[1] << 8 | at[2]; }
static u32 rounded(u32 at, u32 to) { return (at + to - 1) & ~(to - 1); }

static int overflow(void)
{
    message("LIO", 116, 'S');
    return RC_STORAGE;
}

/* Room for one more of what a table has. */
static bool grow(void **table, u32 count, u32 *room, u32 size)
{
    u32 more = *room == 0 ? 64 : *room * 2;
    void *larger;

    if (count < *room)
        return true;
    larger = obtain(more * size, OWNER_SYSTEM);
    if (larger == NULL)
        return false;
    if (count > 0)
        memcpy(larger, *table, count * size);
    release(*table);
    *table = larger;
    *room = more;
    return true;
}

void link_forget(void)
{
    struct loaded_program *all = &loaded_program;

    release(all->symbol);
    release(all->constant);
    if (all->pages != 0)
        (void)release_pages(all->pages);
    memset(all, 0, sizeof *all);
}

void link_begin(u32 origin, u32 end)
{
    link_forget();
    loaded_program.first = loaded_program.next = origin;
    loaded_program.end = end;
}

struct symbol *link_find(const name wanted)
{
    for (u32 n = 0; n < loaded_program.symbols; n++)
        if (memcmp(loaded_program.symbol[n].name, wanted, sizeof(name)) == 0)
            return &loaded_program.symbol[n];
    return NULL;
}

struct symbol *link_new(const name called, enum symbol_kind kind)
{
    struct loaded_program *all = &loaded_program;
    struct symbol *symbol;

    if (!grow((void **)&all->symbol, all->symbols, &all->symbol_room, sizeof *symbol))
        return NULL;
    symbol = &all->symbol[all->symbols++];
    memset(symbol, 0, sizeof *symbol);
    memcpy(symbol->name, called, sizeof(name));
    symbol->kind = (u8)kind;
    return symbol;
}

static u32 number_of(const struct symbol *symbol) { return (u32)(symbol - loaded_program.symbol); }

static void clear(u32 at, u32 length)
{
    if (!loaded_program.measured)
        memset((void *)at, 0, length);
}

/* Storage for a section: cleared, on a doubleword. */
static bool place(u32 length, bool page, u32 *at)
{
    struct loaded_program *all = &loaded_program;
    u32 from = rounded(all->next, page ? 4096 : 8);

    if (from > all->end || length > all->end - from) {
        all->too_large = true;
        if (!all->movable)
            message("LIO", 109, 'S');
        return false;
    }
    clear(from, length);
    all->next = from + length;
    *at = from;
    return true;
}

static struct part *part_of(struct deck *deck, u32 id)
{
    return id > 0 && id < deck->parts && deck->part[id].known ? &deck->part[id] : NULL;
}

static void warn_duplicate(const struct symbol *symbol, const struct link_options *how, int *code)
{
    if (!how->duplicates)
        return;
    message("LIO", 202, 'W', symbol->name);
    *code = 4;
}

/* A section: the first of a name counts. */
static int section(struct deck *deck, u32 id, const u8 *item, bool private, const struct link_options *how, int *code)
{
    struct symbol *symbol = private ? NULL : link_find((const char *)item);
    u32 length = three(item + 13), at;
    struct part *part = &deck->part[id];

    part->origin = three(item + 9);
    part->known = true;
    if (symbol != NULL && (symbol->kind == SYMBOL_SECTION || symbol->kind == SYMBOL_ENTRY)) {
        part->symbol = number_of(symbol);
        part->dropped = true;
        warn_duplicate(symbol, how, code);
        return 0;
    }
    if (symbol == NULL)
        symbol = link_new(private ? no_name : (const char *)item, SYMBOL_SECTION);
    if (symbol == NULL)
        return overflow();
    if (symbol->kind == SYMBOL_COMMON && symbol->length > length)
        length = symbol->length;
    symbol->kind = SYMBOL_SECTION;
    part->symbol = number_of(symbol);
    if (!place(length, deck->page, &at))
        return RC_STORAGE;
    deck->page = false;
    symbol = &loaded_program.symbol[part->symbol];
    symbol->address = at;
    symbol->length = length;
    symbol->modes = item[12];
    if (length == 0)
        deck->open = id;
    return 0;
}

/* A name that this deck wants, or a common area, or a pseudo register. */
static int reference(struct deck *deck, u32 id, const u8 *item, u8 type)
{
    struct symbol *symbol = link_find((const char *)item);
    enum symbol_kind kind = type == TYPE_CM ? SYMBOL_COMMON : type == TYPE_PR ? SYMBOL_PSEUDO
                          : type == TYPE_WX ? SYMBOL_WEAK : SYMBOL_EXTERNAL;
    u32 length = three(item + 13);

    if (symbol == NULL)
        symbol = link_new((const char *)item, kind);
    if (symbol == NULL)
        return overflow();
    if (symbol->kind == SYMBOL_WEAK || (symbol->kind == SYMBOL_EXTERNAL && kind < SYMBOL_EXTERNAL))
        symbol->kind = (u8)kind;
    if (symbol->kind == kind && (kind == SYMBOL_COMMON || kind == SYMBOL_PSEUDO)) {
        if (kind == SYMBOL_COMMON && length > symbol->length)
            symbol->address = 0;
        symbol->length = length > symbol->length ? length : symbol->length;
        symbol->align |= kind == SYMBOL_PSEUDO ? item[12] & 7 : 0;
    }
    deck->part[id] = (struct part){ .symbol = number_of(symbol), .origin = type == TYPE_CM ? three(item + 9) : 0,
                                    .known = true };
    return 0;
}

static int esd(struct deck *deck, const u8 *card, bool labels, const struct link_options *how, int *code)
{
    u32 length = half(card + 10), id = half(card + 14), result = 0;

    for (u32 at = 16; at + 16 <= 16 + length && at + 16 <= 64 && result == 0; at += 16) {
        const u8 *item = card + at;
        u8 type = item[8] & 0x0f;

        if (type == TYPE_LD) {
            struct part *part = part_of(deck, half(item + 14));
            struct symbol *symbol = link_find((const char *)item);
            u32 address;

            if (!labels || part == NULL || part->dropped)
                continue;
            address = loaded_program.symbol[part->symbol].address + three(item + 9) - part->origin;
            if (symbol != NULL && symbol_defined(symbol)) {
                if (symbol->address != address)
                    warn_duplicate(symbol, how, code);
                continue;
            }
            if (symbol == NULL)
                symbol = link_new((const char *)item, SYMBOL_ENTRY);
            if (symbol == NULL)
                return (int)overflow();
            symbol->kind = SYMBOL_ENTRY;
            symbol->address = address;
            symbol->modes = loaded_program.symbol[part->symbol].modes;
            continue;
        }
        if (!labels && id > 0 && id < deck->parts)
            result = (u32)(type == TYPE_SD || type == TYPE_PC ? section(deck, id, item, type == TYPE_PC, how, code)
                                                              : reference(deck, id, item, type));
        id++;
    }
    return (int)result;
}

static bool txt(struct deck *deck, const u8 *card)
{
    struct part *part = part_of(deck, half(card + 14));
    u32 length = half(card + 10), offset;
    struct symbol *symbol;

    if (part == NULL || length > 56)
        return false;
    if (part->dropped)
        return true;
    symbol = &loaded_program.symbol[part->symbol];
    offset = three(card + 5) - part->origin;
    if (deck->open != 0 && part == &deck->part[deck->open] && offset < loaded_program.end &&
        offset + length > symbol->length) {
        if (symbol->address > loaded_program.end || offset + length > loaded_program.end - symbol->address)
            return false;
        clear(symbol->address + symbol->length, offset + length - symbol->length);
        symbol->length = offset + length;
        loaded_program.next = symbol->address + symbol->length;
    }
    if (symbol->kind != SYMBOL_SECTION || offset > symbol->length || length > symbol->length - offset)
        return false;
    if (!loaded_program.measured)
        memcpy((void *)(symbol->address + offset), card + 16, length);
    return true;
}

static int rld(struct deck *deck, const u8 *card, bool *good)
{
    struct loaded_program *all = &loaded_program;
    u32 end = 16 + half(card + 10), at = 16, relocation = 0, position = 0;
    bool same = false;

    *good = end <= 72;
    while (*good && at + (same ? 4 : 8) <= end) {
        struct part *of, *in;
        struct symbol *holder;
        struct constant *constant;
        u8 flags, length;
        u32 offset;

        if (!same) {
            relocation = half(card + at);
            position = half(card + at + 2);
            at += 4;
        }
        flags = card[at];
        offset = three(card + at + 1);
        at += 4;
        same = flags & 0x01;
        length = (u8)((flags >> 2 & 3) + 1);
        in = part_of(deck, position);
        of = part_of(deck, relocation);
        if (in == NULL || (of == NULL && (flags & CONSTANT_KIND) != CONSTANT_ALL_PSEUDO)) {
            *good = false;
            break;
        }
        if (in->dropped)
            continue;
        holder = &all->symbol[in->symbol];
        offset -= in->origin;
        /* Only a section is anywhere yet. */
        if (holder->kind != SYMBOL_SECTION || offset > holder->length || length > holder->length - offset) {
            *good = false;
            break;
        }
        if (!grow((void **)&all->constant, all->constants, &all->constant_room, sizeof *constant))
            return overflow();
        constant = &all->constant[all->constants++];
        *constant = (struct constant){ .at = holder->address + offset, .symbol = of != NULL ? of->symbol : 0,
                                       .base = of != NULL ? of->origin : 0, .flags = flags, .length = length };
    }
    return 0;
}

/* The entry that END, LDT and ENTRY name; the first counts. */
static void entry_at(u32 address, u8 modes)
{
    if (loaded_program.has_entry)
        return;
    loaded_program.has_entry = true;
    loaded_program.entry = address;
    loaded_program.modes = modes;
}

static void end_card(struct deck *deck, const u8 *card)
{
    static const u8 blank[3] = { ' ', ' ', ' ' };
    struct part *part = part_of(deck, half(card + 14));

    if (deck->open != 0 && card[24] == 0 && part_of(deck, deck->open) != NULL) {
        struct symbol *symbol = &loaded_program.symbol[deck->part[deck->open].symbol];
        u32 length = three(card + 25), at;

        if (length > symbol->length && symbol->address + symbol->length == loaded_program.next &&
            length <= loaded_program.end - symbol->address) {
            at = symbol->address + symbol->length;
            clear(at, length - symbol->length);
            symbol->length = length;
            loaded_program.next = symbol->address + length;
        }
    }
    if (memcmp(card + 5, blank, 3) != 0 && part != NULL && !part->dropped) {
        const struct symbol *symbol = &loaded_program.symbol[part->symbol];

        if (symbol_defined(symbol))
            entry_at(symbol->address + three(card + 5) - part->origin, symbol->modes);
    }
}

/* The first word of the text. */
static void entry_named(const char *text, u32 length)
{
    name wanted;
    struct symbol *symbol;
    u32 from = 0, n = 0;

    while (from < length && text[from] == ' ')
        from++;
    while (from + n < length && text[from + n] != ' ')
        n++;
    pad(wanted, sizeof wanted, text + from, n);
    symbol = link_find(wanted);
    if (symbol != NULL && symbol_defined(symbol))
        entry_at(symbol->address, symbol->modes);
    else if (loaded_program.entry_name[0] == 0)
        memcpy(loaded_program.entry_name, wanted, sizeof wanted);
}

/* REP: what stands in the card in hexadecimal is stored; ICS and SLC: places. */
static bool replace(struct deck *deck, const u8 *card)
{
    const char *text = (const char *)card;
    u32 at, id, value;
    struct part *part;
    struct symbol *symbol;

    if (!parse_hex(text + 6, 6, &at) || !parse_hex(text + 14, 2, &id))
        return false;
    part = part_of(deck, id);
    if (part == NULL)
        return false;
    symbol = &loaded_program.symbol[part->symbol];
    if (symbol->kind != SYMBOL_SECTION)
        return false;
    at -= part->origin;
    for (u32 n = 16; n + 4 <= 70 && card[n] != ' '; n += 5, at += 2) {
        if (!parse_hex(text + n, 4, &value) || at > symbol->length || symbol->length - at < 2)
            return false;
        if (!part->dropped && !loaded_program.measured) {
            ((u8 *)symbol->address)[at] = (u8)(value >> 8);
            ((u8 *)symbol->address)[at + 1] = (u8)value;
        }
        if (card[n + 4] != ',')
            break;
    }
    return true;
}

static bool location(const u8 *card)
{
    u32 at = 0, length = length_of((const char *)card + 6, 6);
    name base;

    if (length > 0 && !parse_hex((const char *)card + 6, length, &at))
        return false;
    memcpy(base, card + 16, sizeof base);
    if (base[0] != ' ') {
        struct symbol *symbol = link_find(base);

        if (symbol == NULL || !symbol_defined(symbol)) {
            message("LIO", 203, 'W', base);
            return true;
        }
        at += symbol->address;
    }
    if (at < loaded_program.first || at > loaded_program.end)
        return false;
    loaded_program.next = at;
    return true;
}

static bool is_card(const u8 *card, const char *what)
{
    return card[0] == X02 && memcmp(card + 1, what, 3) == 0;
}

/* One deck, from its first record to END; `next` is the record after it. */
static int link_deck(struct open_file *file, u32 first, u32 last, u32 *next, const struct link_options *how)
{
    struct deck deck = { .part = obtain_command(PARTS * sizeof *deck.part), .parts = PARTS };
    int code = 0, result = 0;

    memset(deck.part, 0, PARTS * sizeof *deck.part);
    for (u32 pass = 0; pass < 3 && result == 0; pass++) {
        bool done = false;

        for (*next = first; !done && *next <= last && result == 0; ++*next) {
            u8 card[CARD];
            u32 length;
            bool good = true;
            int error = edf_read(&file->file, *next, card, CARD, &length);

            if (error == EDF_END)
                break;
            if (error != EDF_OK || length != CARD) {
                struct fileid id;
                char text[24];

                id_of(file->disk, file->file.fst, &id);
                if (error == EDF_OK)
                    message("LIO", 56, 'E', show_id(&id, text));
                result = error == EDF_OK ? RC_FORMAT : file_problem("LIO", error, &id, false);
                break;
            }
            done = is_card(card, "END") || is_card(card, "LDT");
            if (is_card(card, "SPB") && pass == 0)
                deck.page = true;
            else if (is_card(card, "SLC") && pass == 0)
                good = location(card);
            else if (is_card(card, "ESD") && pass < 2)
                result = esd(&deck, card, pass == 1, how, &code);
            if (pass < 2)
                continue;
            if (is_card(card, "TXT"))
                good = txt(&deck, card);
            else if (is_card(card, "RLD") && !loaded_program.measured)
                result = rld(&deck, card, &good);
            else if (is_card(card, "REP"))
                good = !how->replace || replace(&deck, card);
            else if (is_card(card, "END"))
                end_card(&deck, card);
            else if (is_card(card, "LDT"))
                entry_named((const char *)card + 16, 8);
            else if (memcmp(card, "ENTRY ", 6) == 0 || memcmp(card, " ENTRY", 6) == 0)
                entry_named((const char *)card + 6, 60);
            else
                good = card[0] != X02 || is_card(card, "ESD") || is_card(card, "RLD") || is_card(card, "SPB") ||
                    is_card(card, "SLC") || is_card(card, "ICS");
            if (!good && how->invalid) {
                message("LIO", 246, 'W', *next);
                code = 4;
            }
        }
    }
    release(deck.part);
    return result != 0 ? result : code;
}

/* The decks in these records of a file. */
int link_file(struct open_file *file, u32 first, u32 last, const struct link_options *how)
{
    u32 records = edf_word(file->file.fst + FST_RECORDS);
    int worst = 0;

    if (last > records)
        last = records;
    if (edf_word(file->file.fst + FST_LRECL) != CARD) {
        struct fileid id;
        char text[24];

        id_of(file->disk, file->file.fst, &id);
        message("LIO", 56, 'E', show_id(&id, text));
        return RC_FORMAT;
    }
    while (first <= last) {
        int code = link_deck(file, first, last, &first, how);

        if (code > 4)
            return code;
        worst = code > worst ? code : worst;
    }
    loaded_program.there = true;
    return worst;
}

/* `name TEXT`. -1: there is none. */
int link_name(const name wanted, const struct link_options *how)
{
    struct fileid id = { .ft = "TEXT    ", .fm = "* " };
    struct open_file *file;
    int code;

    memcpy(id.fn, wanted, sizeof(name));
    if (!legal_name(id.fn) || file_open(&id, EDF_READ, &file) != EDF_OK)
        return -1;
    code = link_file(file, 1, 0xffffffff, how);
    file_finish(file);
    return code;
}

/* The member of that name of one of these TXTLIBs. -1: none has one. */
int link_member(const name wanted, const struct globals *list, const struct link_options *how)
{
    int code = -1;

    for (u32 n = 0; n < list->count && code == -1; n++) {
        struct fileid id = { .ft = "TXTLIB  ", .fm = "* " };
        struct library library = { 0 };
        struct member member;

        memcpy(id.fn, list->name[n], sizeof(name));
        if (library_open(&id, &library) == EDF_OK && library_find(&library, wanted, &member))
            code = link_file(library.file, member.first, member.first + member.count - 1, how);
        if (library.file != NULL)
            file_finish(library.file);
    }
    return code;
}

/* Files and members of libraries with the names that are still missing. */
static int search(const struct link_options *how)
{
    int worst = 0;

    if (how->no_call)
        return 0;
    for (u32 n = 0; n < loaded_program.symbols; n++)
        loaded_program.symbol[n].tried = 0;
    for (u32 n = 0; n < loaded_program.symbols; n++) {
        struct symbol *symbol = &loaded_program.symbol[n];
        name wanted;
        int code = -1;

        if (symbol->kind != SYMBOL_EXTERNAL || symbol->tried)
            continue;
        symbol->tried = 1;
        memcpy(wanted, symbol->name, sizeof wanted);
        if (how->automatic)
            code = link_name(wanted, how);
        if (code == -1 && how->libraries)
            code = link_member(wanted, &globals[OF_TXTLIB], how);
        if (code > 4)
            return code;
        worst = code > worst ? code : worst;
    }
    return worst;
}

/* Places for common areas, displacements for pseudo registers; returns the latter's length. */
static int lay_out(u32 *pseudo)
{
    *pseudo = 0;
    for (u32 n = 0; n < loaded_program.symbols; n++) {
        struct symbol *symbol = &loaded_program.symbol[n];
        u32 at;

        if (symbol->kind == SYMBOL_COMMON && symbol->address == 0) {
            if (!place(symbol->length, false, &at))
                return RC_STORAGE;
            symbol->address = at;
        } else if (symbol->kind == SYMBOL_PSEUDO) {
            symbol->address = (*pseudo + symbol->align) & ~(u32)symbol->align;
            *pseudo = symbol->address + symbol->length;
        }
    }
    return 0;
}

static void settle(struct constant *constant, u32 pseudo)
{
    u8 *field = (u8 *)constant->at, kind = constant->flags & CONSTANT_KIND;
    const struct symbol *symbol = &loaded_program.symbol[constant->symbol];
    u32 wanted = 0, value = 0;

    if (kind == CONSTANT_ALL_PSEUDO)
        wanted = pseudo;
    else if (symbol_defined(symbol))
        wanted = symbol->address - constant->base;
    if (constant->flags & CONSTANT_NEGATIVE)
        wanted = 0 - wanted;
    for (u32 n = 0; n < constant->length; n++)
        value = value << 8 | field[n];
    value += wanted - constant->added;
    constant->added = wanted;
    for (u32 n = constant->length; n-- > 0; value >>= 8)
        field[n] = (u8)value;
}

/* Looks for what is missing, and puts the addresses in. */
int link_complete(const struct link_options *how)
{
    struct loaded_program *all = &loaded_program;
    int code = search(how), result;
    bool missing = false;
    u32 pseudo;

    if (code > 4)
        return code;
    result = lay_out(&pseudo);
    if (result != 0)
        return result;
    for (u32 n = 0; n < all->constants; n++)
        settle(&all->constant[n], pseudo);
    for (u32 n = 0; n < all->symbols; n++) {
        if (all->symbol[n].kind != SYMBOL_EXTERNAL)
            continue;
        if (!missing)
            message("LIO", 201, 'W');
        missing = true;
        type(" %t", all->symbol[n].name);
    }
    if (!all->has_entry && all->entry_name[0] != 0) {
        const struct symbol *symbol = link_find(all->entry_name);

        if (symbol != NULL && symbol_defined(symbol))
            entry_at(symbol->address, symbol->modes);
    }
    for (u32 n = 0; n < all->symbols && !all->has_entry; n++)
        if (all->symbol[n].kind == SYMBOL_SECTION)
            entry_at(all->symbol[n].address, all->symbol[n].modes);
    return missing ? 4 : code;
}
