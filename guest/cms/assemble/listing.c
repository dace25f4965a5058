/*
 * The listing: headings, statements with what has become of them, what was wrong, tables of symbols and addresses.
 *
 * Lines have a control character of the printer in front (ASA's) and are 121 characters long.
 */
#include "assemble.h"

enum { CODE_AT = 8, ADDRESS_AT = 24, NUMBER_AT = 35, SOURCE_AT = 41, BYTES_OF_LINE = 8, OPERATION_COLUMN = 9,
       OPERAND_COLUMN = 15, SOURCE_ROOM = 71, RESUME_COLUMN = 15, REFERENCES_OF_LINE = 12, PUSHED_MOST = 100 };

struct print { bool on, data, generated; };

static struct print print, pushed[PUSHED_MOST];
static u32 pushes, page, on_page;
static bool new_page;
static u32 spaces;
static struct text title;
static const char *heading;
static int addresses[2];

static const char statements_heading[] = "  LOC  OBJECT CODE    ADDR1 ADDR2  STMT   SOURCE STATEMENT";

static bool wanted(void) { return assembly.options->list; }

void listing_begin(void)
{
    print = (struct print){ true, false, true };
    pushes = page = on_page = 0;
    new_page = true;
    spaces = 0;
    title = (struct text){ "", 0 };
    heading = statements_heading;
    addresses[0] = addresses[1] = -1;
}

static void put(char control, const char *line, u32 length)
{
    char full[LINE];

    pad(full + 1, LINE - 1, line, length);
    full[0] = control;
    assemble_listing(full, LINE);
    on_page++;
}

static void headings(void)
{
    char line[LINE], name[CARD + 1];
    u32 length = title.length < CARD ? title.length : CARD;

    memcpy(name, title.at, length);
    name[length] = 0;
    on_page = 0;
    put('1', line, format(line, sizeof line, "%-80s %s %s  PAGE %4u", name, assembly.options->date,
                          assembly.options->time, ++page));
    put('0', heading, (u32)strlen(heading));
    put(' ', "", 0);
    new_page = false;
}

static void show(const char *line, u32 length)
{
    if (new_page || (assembly.options->lines != 0 && on_page >= assembly.options->lines))
        headings();
    for (; spaces > 0; spaces--)
        put(' ', "", 0);
    put(' ', line, length);
}

void listing_title(struct text text)
{
    title = kept(text);
    new_page = true;
}

void listing_eject(void) { new_page = true; }

void listing_space(u32 lines)
{
    spaces = print.on ? lines : 0;
}

void listing_addresses(int first, int second)
{
    addresses[0] = first;
    addresses[1] = second;
}

/* PRINT ON|OFF,GEN|NOGEN,DATA|NODATA */
void listing_print(struct text operands)
{
    static const struct { const char *word; size_t what; bool value; } words[] = {
        { "ON", offsetof(struct print, on), true }, { "OFF", offsetof(struct print, on), false },
        { "GEN", offsetof(struct print, generated), true },
        { "NOGEN", offsetof(struct print, generated), false }, { "DATA", offsetof(struct print, data), true },
        { "NODATA", offsetof(struct print, data), false },
    };
    struct scan scan = scan_of(operands);
    struct text one;

    if (operands.length == 0) {
        flag(9133, ERROR);
        return;
    }
    while (next_operand(&scan, &one)) {
        u32 n = 0;

        while (n < COUNT_OF(words) && !text_is(one, words[n].word))
            n++;
        if (n == COUNT_OF(words))
            flag_text(9115, ERROR, one);
        else
            *(bool *)((char *)&print + words[n].what) = words[n].value;
    }
}

void listing_push(void)
{
    if (pushes == PUSHED_MOST)
        flag(9111, ERROR);
    else
        pushed[pushes++] = print;
}

void listing_pop(void)
{
    if (pushes == 0)
        flag(9160, WARNING);
    else
        print = pushed[--pushes];
}

/* Object code in hexadecimal; that of instructions by halfwords. */
static u32 hexadecimal(char *to, const u8 *bytes, u32 count, bool halfwords)
{
    u32 length = 0;

    for (u32 n = 0; n < count; n++)
        length += format(to + length, 40 - length, halfwords && n % 2 == 0 && n > 0 ? " %02x" : "%02x", bytes[n]);
    return length;
}

/* A statement that no record has, as one could have written it. */
static u32 written(const struct statement *statement, char *to, u32 room)
{
    const struct text *fields[] = { &statement->name, &statement->op, &statement->operands };
    static const u32 columns[] = { 0, OPERATION_COLUMN, OPERAND_COLUMN };
    u32 length = 0;

    for (u32 n = 0; n < COUNT_OF(fields); n++) {
        /* A literal stands for its operands. */
        if (fields[n]->length == 0 || (n == 2 && statement->op.length > 0 && statement->op.at[0] == '='))
            continue;
        while (length < columns[n] || (n > 0 && length > 0 && to[length - 1] != ' '))
            if (length < room)
                to[length++] = ' ';
            else
                return length;
        for (u32 k = 0; k < fields[n]->length && length < room; k++)
            to[length++] = fields[n]->at[k];
    }
    return length;
}

static void show_diagnostics(const struct statement *statement)
{
    for (const struct diagnostic *at = statement->diagnostics; at != NULL; at = at->next) {
        char line[LINE];
        u32 length = format(line, sizeof line, "** "), room = sizeof line - length - 1;

        room = at->text.length < room ? at->text.length : room;
        memcpy(line + length, at->text.at, room);
        show(line, length + room);
    }
}

/* What stands in front of the source: location, object code, addresses, number. */
static void columns(const struct statement *statement, const u8 *code, u32 count, char line[LINE])
{
    bool machine = statement->operation != NULL && statement->operation->kind == OPERATION_MACHINE;
    u32 length;

    memset(line, ' ', LINE);
    if (statement->sized)
        (void)format(line, 7, "%06x", assembly.section[statement->section].origin + statement->location);
    else if (statement->valued)
        (void)format(line, 7, "%06x", (u32)statement->value & 0xffffff);
    line[6] = ' ';
    length = hexadecimal(line + CODE_AT - 1, code, count < BYTES_OF_LINE ? count : BYTES_OF_LINE, machine);
    line[CODE_AT - 1 + length] = ' ';
    for (u32 n = 0; n < 2; n++)
        if (addresses[n] != -1) {
            (void)format(line + ADDRESS_AT - 1 + 6 * n, 6, "%05x", (u32)addresses[n] & 0xfffff);
            line[ADDRESS_AT + 4 + 6 * n] = ' ';
        }
    (void)format(line + NUMBER_AT - 1, 6, "%5u", statement->number);
    line[NUMBER_AT + 4] = statement->depth > 0 || (statement->image == NULL && statement->op.length > 0) ? '+' : ' ';
}

/* The records that it was read from. */
static void show_records(const struct statement *statement, char line[LINE])
{
    for (u32 n = 0; n < statement->images; n++) {
        const struct text *record = &statement->image[n];

        memcpy(line + SOURCE_AT - 1, record->at, record->length);
        show(line, length_of(line, SOURCE_AT - 1 + record->length));
        memset(line, ' ', LINE);
    }
}

/* One that no record has, in as many lines as it needs. */
static void show_written(const struct statement *statement, char line[LINE])
{
    char source[1200];
    u32 all = written(statement, source, sizeof source), part = all < SOURCE_ROOM ? all : SOURCE_ROOM;

    memcpy(line + SOURCE_AT - 1, source, part);
    show(line, length_of(line, SOURCE_AT - 1 + part));
    for (u32 at = part; at < all; at += part) {
        part = all - at < SOURCE_ROOM - RESUME_COLUMN ? all - at : SOURCE_ROOM - RESUME_COLUMN;
        memset(line, ' ', LINE);
        memcpy(line + SOURCE_AT - 1 + RESUME_COLUMN, source + at, part);
        show(line, SOURCE_AT - 1 + RESUME_COLUMN + part);
    }
}

/* The object code that has no place beside the source. */
static void show_data(const struct statement *statement, const u8 *code, u32 count, char line[LINE])
{
    for (u32 n = BYTES_OF_LINE; n < count; n += BYTES_OF_LINE) {
        memset(line, ' ', LINE);
        (void)format(line, 7, "%06x", assembly.section[statement->section].origin + statement->location + n);
        line[6] = ' ';
        show(line, CODE_AT - 1 + hexadecimal(line + CODE_AT - 1, code + n,
                                             count - n < BYTES_OF_LINE ? count - n : BYTES_OF_LINE, false));
    }
}

void listing_statement(const struct statement *statement)
{
    bool shown = print.on && !statement->silent && (statement->depth == 0 || print.generated);
    char line[LINE];
    u8 *code;
    u32 count = object_code(&code);

    if (wanted() && (shown || statement->diagnostics != NULL)) {
        if (!statement->silent) {
            columns(statement, code, count, line);
            if (statement->image != NULL)
                show_records(statement, line);
            else
                show_written(statement, line);
            if (print.data)
                show_data(statement, code, count, line);
        }
        show_diagnostics(statement);
    }
    listing_addresses(-1, -1);
}

static void section(const char *what, const char *columns)
{
    title = text_of(what);
    heading = columns;
    new_page = true;
}

static void cross_reference(void)
{
    u32 count;
    struct symbol **list = symbols_sorted(&count);

    section("CROSS REFERENCE", "SYMBOL          LEN    VALUE   DEFN  REFERENCES");
    for (u32 n = 0; n < count; n++) {
        const struct symbol *symbol = list[n];
        const struct reference *at = symbol->first;
        char line[LINE], name[SYMBOL_MOST + 1];
        u32 length, column = 0;

        if (symbol->first == NULL && !(assembly.options->xref_full && symbol->defined))
            continue;
        memcpy(name, symbol->name.at, symbol->name.length);
        name[symbol->name.length] = 0;
        if (symbol->name.length > 14) {
            show(name, symbol->name.length);
            name[0] = 0;
        }
        if (symbol->defined)
            length = format(line, sizeof line, "%-14s %5u %08x %5u ", name, symbol->length,
                            (symbol->relocatable ? assembly.section[symbol->section].origin : 0) + (u32)symbol->value,
                                symbol->statement);
        else
            length = format(line, sizeof line, "%-14s       UNDEFINED      ", name);
        for (; at != NULL; at = at->next) {
            if (column++ == REFERENCES_OF_LINE) {
                show(line, length);
                length = format(line, sizeof line, "%36s", "");
                column = 1;
            }
            length += format(line + length, sizeof line - length, " %5u", at->statement);
        }
        show(line, length);
    }
}

/* Statements that were flagged, and that it is done. */
static void summary(void)
{
    char line[LINE];

    section("DIAGNOSTICS", "  STMT  MESSAGE");
    for (const struct statement *at = assembly.first; at != NULL; at = at->next)
        for (const struct diagnostic *what = at->diagnostics; what != NULL; what = what->next) {
            u32 length = format(line, sizeof line, "%6u  ", at->number), room = sizeof line - length;

            memcpy(line + length, what->text.at, what->text.length < room ? what->text.length : room);
            show(line, length + (what->text.length < room ? what->text.length : room));
        }
    if (assembly.flagged == 0)
        show(line, format(line, sizeof line, "NO STATEMENTS FLAGGED IN THIS ASSEMBLY"));
    else
        show(line, format(line, sizeof line, "%5u STATEMENTS FLAGGED IN THIS ASSEMBLY", assembly.flagged));
    show(line, format(line, sizeof line, "HIGHEST SEVERITY WAS %u", assembly.worst));
}

void listing_end(void)
{
    print.on = true;
    if (!wanted())
        return;
    if (assembly.options->esd) {
        section("EXTERNAL SYMBOL DICTIONARY", "SYMBOL   TYPE  ID   ADDR    LENGTH  AMODE RMODE");
        object_esd_list(show);
    }
    if (assembly.options->rld && object_has_addresses()) {
        section("RELOCATION DICTIONARY", "POS.ID  REL.ID  FLAGS  ADDRESS");
        object_rld_list(show);
    }
    if (assembly.options->xref)
        cross_reference();
    summary();
}
