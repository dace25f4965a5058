/*
 * The object deck: ESD names sections and symbols, TXT is what is in them, RLD where addresses are, END ends it
 * ("MVS Program Management: Advanced Facilities"). TXT and RLD are kept until the ESD is known, for constants add to
 * it.
 */
#include "assemble.h"

enum { DATA_MOST = 56, DATA_AT = 16, ITEM = 16, ITEMS_OF_CARD = 3, NAME_END = 72, COUNT_MOST = 16 };

struct deck_card { struct deck_card *next; u8 card[CARD]; };
struct address { struct address *next; u32 of, in, at; u8 flags; };

static struct deck_card *front, **front_last, *cards, **last;
static struct address *addresses, **last_address;
static u8 *text_card;                                   /* the TXT card that is being filled */
static u32 text_next, text_section, text_used;
static struct buffer code;                              /* of the current statement */
static struct value entry;
static bool has_entry;
static u32 sequence;

void object_begin(void)
{
    front = cards = NULL;
    front_last = &front;
    last = &cards;
    addresses = NULL;
    last_address = &addresses;
    text_card = NULL;
    code = (struct buffer){ 0 };
    has_entry = false;
    sequence = 0;
}

void object_statement(void) { code.length = 0; }

u32 object_code(u8 **bytes)
{
    *bytes = (u8 *)code.at;
    return code.length;
}

static void halfword(u8 *at, u32 value)
{
    at[0] = (u8)(value >> 8);
    at[1] = (u8)value;
}

static void three(u8 *at, u32 value)
{
    at[0] = (u8)(value >> 16);
    halfword(at + 1, value);
}

static void blank_card(u8 *card, const char *what)
{
    memset(card, ' ', CARD);
    card[0] = 0x02;
    memcpy(card + 1, what, 3);
}

static struct deck_card *new_card(struct deck_card ***list)
{
    struct deck_card *made = arena(sizeof *made);

    **list = made;
    *list = &made->next;
    return made;
}

void object_put(const u8 *bytes, u32 length)
{
    const struct section *section = &assembly.section[assembly.in];

    append(&code, (const char *)bytes, length);
    for (u32 n = 0; n < length && section->kind <= SECTION_PRIVATE; n++) {
        u32 at = section->origin + (u32)assembly.location + n;

        if (text_card == NULL || text_section != assembly.in || text_next != at || text_used == DATA_MOST) {
            text_card = new_card(&last)->card;
            blank_card(text_card, "TXT");
            three(text_card + 5, at);
            halfword(text_card + 14, section->esdid);
            text_section = assembly.in;
            text_used = 0;
        }
        text_card[DATA_AT + text_used++] = bytes[n];
        halfword(text_card + 10, text_used);
        text_next = at + 1;
    }
    assembly.location += (int)length;
}

void object_address(u32 section, bool negative, u32 length, bool external_branch)
{
    struct address *made;
    const struct section *in = &assembly.section[assembly.in];

    if (in->kind > SECTION_PRIVATE)
        return;
    made = arena(sizeof *made);
    made->of = assembly.section[section].esdid;
    made->in = in->esdid;
    made->at = in->origin + (u32)assembly.location;
    made->flags = (u8)((external_branch ? 0x10 : 0) | (length - 1) << 2 | (negative ? 0x02 : 0));
    *last_address = made;
    last_address = &made->next;
}

bool object_addresses(const struct value *value, u32 length, struct text shown)
{
    for (u32 n = 0; n < value->terms; n++) {
        int count = value->term[n].count;

        if (assembly.section[value->term[n].section].kind == SECTION_DUMMY) {
            flag_text(9130, ERROR, shown);
            return false;
        }
        if (length < 2 || length > 4) {
            flag(9131, ERROR, length);
            return false;
        }
        if (count > COUNT_MOST || count < -COUNT_MOST) {
            flag(9104, ERROR);
            return false;
        }
        for (int k = count < 0 ? -count : count; k > 0; k--)
            object_address(value->term[n].section, count < 0, length, false);
    }
    return true;
}

/* PUNCH and REPRO: in their place; before the deck if nothing is in it yet. */
void object_card(struct text text)
{
    struct deck_card *made = new_card(cards == NULL ? &front_last : &last);

    pad((char *)made->card, CARD, text.at, text.length);
    text_card = NULL;
}

void object_end(const struct value *value)
{
    entry = *value;
    has_entry = true;
}

/* With the deck's name and a number in the last eight columns. */
static void out(u8 *card)
{
    u32 length = assembly.deck_name.length < 8 ? assembly.deck_name.length : 8, digits = 8 - length,
        number = ++sequence;

    /* What PUNCH and REPRO have made is as they say. */
    if (card[0] != 0x02)
        digits = length = 0;
    for (u32 n = 0; n < length; n++)
        card[NAME_END + n] = (u8)upper(assembly.deck_name.at[n]);
    for (u32 n = 0; n < digits; n++, number /= 10)
        card[CARD - 1 - n] = (u8)('0' + number % 10);
    assemble_object(card);
}

/* The type and what else the deck says of a section. */
static void section_item(const struct section *section, u8 *item)
{
    static const u8 types[] = { 0x00, 0x04, 0x05, 0x00, 0x02, 0x0a };
    bool here = section->kind <= SECTION_COMMON;

    memset(item, ' ', ITEM);
    memcpy(item, section->name.at, section->name.length);
    item[8] = types[section->kind];
    three(item + 9, section->origin);
    if (here) {
        item[12] = section->modes;
        three(item + 13, section->length);
    }
}

static void symbol_item(const struct symbol *symbol, u8 *item)
{
    const struct section *section = &assembly.section[symbol->section];

    memset(item, ' ', ITEM);
    memcpy(item, symbol->name.at, symbol->name.length);
    item[8] = 0x01;
    three(item + 9, section->origin + (u32)symbol->value);
    item[12] = ' ';
    three(item + 13, section->esdid);
}

static bool is_entry(const struct symbol *symbol)
{
    return symbol->entry && symbol->defined && symbol->relocatable && symbol->name.length <= 8 &&
        assembly.section[symbol->section].kind <= SECTION_PRIVATE;
}

static void esd(void)
{
    u8 card[CARD];
    u32 items = 0, count;
    struct symbol **list = symbols_sorted(&count);

    for (u32 n = 1; n < assembly.sections; n++) {
        if (assembly.section[n].kind == SECTION_DUMMY)
            continue;
        if (items == 0) {
            blank_card(card, "ESD");
            halfword(card + 14, assembly.section[n].esdid);
        }
        section_item(&assembly.section[n], card + DATA_AT + ITEM * items++);
        halfword(card + 10, ITEM * items);
        if (items == ITEMS_OF_CARD)
            out(card), items = 0;
    }
    if (items > 0)
        out(card);
    items = 0;
    for (u32 n = 0; n < count; n++) {
        if (!is_entry(list[n]))
            continue;
        if (items == 0)
            blank_card(card, "ESD");
        symbol_item(list[n], card + DATA_AT + ITEM * items++);
        halfword(card + 10, ITEM * items);
        if (items == ITEMS_OF_CARD)
            out(card), items = 0;
    }
    if (items > 0)
        out(card);
}

static void rld(void)
{
    u8 card[CARD];
    u32 used = 0;

    for (const struct address *at = addresses; at != NULL; at = at->next) {
        if (used == 0)
            blank_card(card, "RLD");
        halfword(card + DATA_AT + used, at->of);
        halfword(card + DATA_AT + used + 2, at->in);
        card[DATA_AT + used + 4] = at->flags;
        three(card + DATA_AT + used + 5, at->at);
        used += 8;
        halfword(card + 10, used);
        if (used == DATA_MOST)
            out(card), used = 0;
    }
    if (used > 0)
        out(card);
}

/* The whole deck. */
void object_deck(void)
{
    u8 card[CARD];

    for (struct deck_card *at = front; at != NULL; at = at->next)
        out(at->card);
    esd();
    for (struct deck_card *at = cards; at != NULL; at = at->next)
        out(at->card);
    rld();
    blank_card(card, "END");
    if (has_entry) {
        three(card + 5, (u32)entry.number);
        halfword(card + 14, assembly.section[entry.term[0].section].esdid);
    }
    out(card);
}

/* The same, for people. */
void object_esd_list(void (*show)(const char *line, u32 length))
{
    static const char *const kinds[] = { "SD", "PC", "CM", "", "ER", "WX" },
        *const amodes[] = { "", "24", "31", "ANY" };
    struct symbol **list;
    char line[LINE];
    u32 count;

    for (u32 n = 1; n < assembly.sections; n++) {
        const struct section *section = &assembly.section[n];
        char shown[9];

        if (section->kind == SECTION_DUMMY)
            continue;
        pad(shown, 8, section->name.at, section->name.length);
        shown[8] = 0;
        if (section->kind <= SECTION_COMMON)
            show(line, format(line, sizeof line, "%s  %s  %04x  %06x  %06x  %-4s %s", shown, kinds[section->kind],
                              section->esdid, section->origin,
                              section->length, amodes[section->modes & 3],
                                  section->modes & 4 ? "ANY" : section->rmode ? "24" : ""));
        else
            show(line, format(line, sizeof line, "%s  %s  %04x", shown, kinds[section->kind], section->esdid));
    }
    list = symbols_sorted(&count);
    for (u32 n = 0; n < count; n++) {
        char shown[9];

        if (!is_entry(list[n]))
            continue;
        pad(shown, 8, list[n]->name.at, list[n]->name.length);
        shown[8] = 0;
        show(line, format(line, sizeof line, "%s  LD        %06x                   %04x", shown,
                          assembly.section[list[n]->section].origin + (u32)list[n]->value,
                              assembly.section[list[n]->section].esdid));
    }
}

void object_rld_list(void (*show)(const char *line, u32 length))
{
    char line[LINE];

    for (const struct address *at = addresses; at != NULL; at = at->next)
        show(line, format(line, sizeof line, "%04x    %04x     %02x   %06x", at->in, at->of, at->flags, at->at));
}

bool object_has_addresses(void) { return addresses != NULL; }
