/* The assembler's own operations: what each does in the two passes. */
#include "assemble.h"

enum { CHANNEL_COMMAND_MOST = 0xffffff };

/* A symbol in the name field gets the location. */
void label_here(struct statement *statement, u32 length, u8 kind)
{
    need_section();
    statement->section = assembly.in;
    statement->location = (u32)assembly.location;
    statement->sized = true;
    if (statement->name.length > 0)
        (void)symbol_define(statement->name, true, assembly.location, length, kind);
}

/* Which of several operations it is, whatever OPSYN calls it. */
static bool does(const struct statement *statement, const char *what)
{
    return strcmp(statement->operation->directive->name, what) == 0;
}

static void no_name(const struct statement *statement)
{
    if (statement->name.length > 0)
        flag_text(9144, WARNING, statement->name);
}

/* Sections. */
static void enter(struct statement *statement, enum section_kind kind)
{
    u32 number = 0;

    if (statement->name.length > 0) {
        if (!is_symbol(statement->name) || (kind != SECTION_DUMMY && statement->name.length > 8)) {
            flag_text(9101, ERROR, statement->name);
            return;
        }
        number = section_of(statement->name);
    } else {
        for (u32 n = 1; n < assembly.sections && number == 0; n++)
            if (assembly.section[n].name.length == 0 && (assembly.section[n].kind == SECTION_PRIVATE ? SECTION_CONTROL
                                                         : assembly.section[n].kind) == kind)
                number = n;
    }
    if (number == 0 || (assembly.section[number].kind >= SECTION_EXTERNAL && symbol_find(statement->name) == NULL)) {
        enum section_kind made = kind == SECTION_CONTROL && statement->name.length == 0 ? SECTION_PRIVATE : kind;

        if (statement->name.length > 0 && symbol_find(statement->name) != NULL &&
            symbol_find(statement->name)->defined) {
            flag_text(9102, ERROR, statement->name);
            return;
        }
        /* A V-type constant has named it before. */
        if (number == 0)
            number = section_new(statement->name, made);
        assembly.section[number].kind = made;
        section_enter(number);
        if (statement->name.length > 0)
            (void)symbol_define(statement->name, true, 0, 1, 'J');
    } else if ((assembly.section[number].kind == SECTION_PRIVATE ? SECTION_CONTROL
                : assembly.section[number].kind) != kind) {
        flag_text(9102, ERROR, statement->name);
        return;
    }
    section_enter(number);
    assembly.has_csect |= kind == SECTION_CONTROL;
    statement->section = number;
    statement->location = (u32)assembly.location;
    statement->sized = true;
}

static void csect_first(struct statement *statement) { enter(statement, SECTION_CONTROL); }
static void dsect_first(struct statement *statement) { enter(statement, SECTION_DUMMY); }
static void com_first(struct statement *statement) { enter(statement, SECTION_COMMON); }

static void start_first(struct statement *statement)
{
    bool late = assembly.has_csect;
    int at = 0;

    enter(statement, SECTION_CONTROL);
    if (late) {
        flag(9150, ERROR);
        return;
    }
    if (statement->operands.length > 0 && evaluate_number(statement->operands, &at)) {
        if (at < 0 || at > LOCATION_MOST)
            flag(9103, ERROR);
        else
            assembly.section[assembly.in].origin = ((u32)at + 7) & ~7u;
    }
}

/* What * in its operands means is where it stands. */
static void using_first(struct statement *statement)
{
    no_name(statement);
    statement->section = need_section();
    statement->location = (u32)assembly.location;
}

/* A list of symbols, for ENTRY, EXTRN and WXTRN. */
static void each_symbol(struct statement *statement, void (*what)(struct text name))
{
    struct scan scan = scan_of(statement->operands);
    struct text one;

    no_name(statement);
    if (statement->operands.length == 0) {
        flag(9133, ERROR);
        return;
    }
    while (next_operand(&scan, &one)) {
        if (!is_symbol(one) || one.length > 8)
            flag_text(9101, ERROR, one);
        else
            what(one);
    }
}

static void entry_of(struct text name) { symbol_get(name)->entry = true; }

static void entry_check(struct text name)
{
    struct symbol *symbol = symbol_get(name);

    symbol_refer(symbol);
    if (!symbol->defined)
        flag_text(9108, ERROR, name);
    else if (!symbol->relocatable || assembly.section[symbol->section].kind > SECTION_PRIVATE)
        flag_text(9151, ERROR, name);
    else
        return;
    symbol->entry = false;
}

static void define_external(struct text name, enum section_kind kind)
{
    u32 was = assembly.in, number = section_of(name);
    struct symbol *symbol = symbol_find(name);

    if (symbol != NULL && symbol->defined) {
        if (symbol->kind != 'T')
            flag_text(9102, ERROR, name);
        return;
    }
    if (number == 0)
        number = section_new(name, kind);
    else if (assembly.section[number].kind >= SECTION_EXTERNAL)
        assembly.section[number].kind = kind;
    assembly.in = number;
    (void)symbol_define(name, true, 0, 1, 'T');
    assembly.in = was;
}

static void external_of(struct text name) { define_external(name, SECTION_EXTERNAL); }
static void weak_of(struct text name) { define_external(name, SECTION_WEAK); }
static void entry_first(struct statement *statement) { each_symbol(statement, entry_of); }
static void extrn_first(struct statement *statement) { each_symbol(statement, external_of); }
static void wxtrn_first(struct statement *statement) { each_symbol(statement, weak_of); }
static void entry_second(struct statement *statement) { each_symbol(statement, entry_check); }

/* AMODE and RMODE may stand before their section. */
static void mode_second(struct statement *statement)
{
    bool amode = does(statement, "AMODE"), any = text_is(statement->operands, "ANY");
    struct section *section;
    u32 number = 0;

    if (statement->name.length > 0)
        number = section_of(statement->name);
    else
        for (u32 n = 1; n < assembly.sections && number == 0; n++)
            if (assembly.section[n].kind == SECTION_PRIVATE)
                number = n;
    if (number == 0 || assembly.section[number].kind > SECTION_COMMON) {
        flag_text(9152, ERROR, statement->name);
        return;
    }
    section = &assembly.section[number];
    if (!any && !text_is(statement->operands, "24") && !(amode && text_is(statement->operands, "31"))) {
        flag_text(9153, ERROR, statement->operands);
        return;
    }
    if (amode ? section->amode : section->rmode) {
        flag_text(9154, ERROR, statement->name);
        return;
    }
    if (amode) {
        section->amode = true;
        section->modes = (u8)((section->modes & RESIDENCE_ANY) | (any ? MODE_ANY : text_is(statement->operands, "31")
                                                                  ? MODE_31 : MODE_24));
    } else {
        section->rmode = true;
        /* What may be above 16M has AMODE 31 unless something else is said. */
        section->modes |= (u8)(!any ? 0 : section->amode ? RESIDENCE_ANY : RESIDENCE_ANY | MODE_31);
    }
}

/* EQU value[,length[,type]] */
static void equ_first(struct statement *statement)
{
    struct scan scan = scan_of(statement->operands);
    struct text operand = { 0 };
    struct value value;
    int length = 1, kind = 'U';
    struct symbol *symbol;
    bool given = false;

    if (statement->name.length == 0) {
        flag(9143, ERROR);
        return;
    }
    if (statement->operands.length == 0 || !next_operand(&scan, &operand) || operand.length == 0) {
        flag(9133, ERROR);
        return;
    }
    if (!evaluate_place(operand, &value))
        return;
    if (next_operand(&scan, &operand) && operand.length > 0) {
        if (!evaluate_number(operand, &length))
            return;
        given = true;
        if (length < 0 || length > 65535) {
            flag(9136, ERROR, length, 0, 65535);
            return;
        }
    }
    if (next_operand(&scan, &operand) && operand.length > 0 && !evaluate_number(operand, &kind))
        return;
    symbol = symbol_define(statement->name, value.terms == 1, value.number, given ? (u32)length : value.length,
                           (u8)kind);
    if (symbol == NULL)
        return;
    if (value.terms == 1) {
        symbol->section = value.term[0].section;
        symbol->value = (int)((u32)value.number - assembly.section[symbol->section].origin);
        statement->section = symbol->section;
    } else {
        symbol->section = 0;
    }
    statement->value = symbol->value;
    statement->valued = true;
}

/* DC and DS. */
static void storage_first(struct statement *statement)
{
    bool storage = does(statement, "DS"), first = true;
    struct scan scan = scan_of(statement->operands);

    if (statement->operands.length == 0) {
        flag(9133, ERROR);
        label_here(statement, 1, 'U');
        return;
    }
    for (;;) {
        struct constant constant;

        if (!constant_scan(&scan, &constant, storage)) {
            if (first)
                label_here(statement, 1, 'U');
            return;
        }
        (void)align_to(constant.align);
        if (first) {
            label_here(statement, constant.length, constant.kind);
            statement->length = constant.length;
        }
        first = false;
        constant_names(&constant);
        advance(constant_size(&constant));
        if (scan.at == scan.end)
            return;
        if (*scan.at++ != ',') {
            flag_text(9115, ERROR, (struct text){ scan.at - 1, (u32)(scan.end - scan.at) + 1 });
            return;
        }
    }
}

static void dc_second(struct statement *statement)
{
    struct scan scan = scan_of(statement->operands);

    while (scan.at < scan.end) {
        struct constant constant;
        static const u8 zeros[8];
        u32 gap, at = (u32)assembly.location;

        if (!constant_scan(&scan, &constant, false))
            return;
        gap = constant.align == 0 ? 0 : (constant.align - at % constant.align) % constant.align;
        /* Between constants, not before the first: that is where the statement begins. */
        object_put(zeros, gap);
        constant_generate(&constant);
        if (scan.at == scan.end || *scan.at++ != ',')
            return;
    }
}

/* CCW command,address,flags,count */
static void ccw_first(struct statement *statement)
{
    (void)align_to(8);
    label_here(statement, 8, 'W');
    statement->length = 8;
    advance(8);
}

static void ccw_second(struct statement *statement)
{
    bool format_1 = does(statement, "CCW1");
    struct scan scan = scan_of(statement->operands);
    int number[4] = { 0 };
    struct text one;
    u8 bytes[8];
    u32 n = 0;

    for (; statement->operands.length > 0 && next_operand(&scan, &one); n++) {
        struct value value;

        if (n == 4) {
            flag_text(9134, ERROR, one);
            return;
        }
        if (n != 1) {
            if (!evaluate_number(one, &number[n]))
                return;
            continue;
        }
        if (!evaluate_all(one, &value) || value.undefined)
            return;
        number[1] = value.number;
        u32 at = (u32)assembly.location;

        assembly.location += format_1 ? 4 : 1;
        (void)object_addresses(&value, format_1 ? 4 : 3, one);
        assembly.location = (int)at;
    }
    if (n < 4)
        flag(9133, ERROR);
    if (number[0] < 0 || number[0] > 255 || number[2] < 0 || number[2] > 255 || number[3] < 0 || number[3] > 65535 ||
        (!format_1 && (number[1] < 0 || number[1] > CHANNEL_COMMAND_MOST)))
        flag(9155, ERROR);
    edf_set_word(bytes, format_1 ? (u32)number[0] << 24 | ((u32)number[2] & 255) << 16 | ((u32)number[3] & 0xffff)
                                 : (u32)number[0] << 24 | ((u32)number[1] & 0xffffff));
    edf_set_word(bytes + 4, format_1 ? (u32)number[1] : ((u32)number[2] & 255) << 24 | ((u32)number[3] & 0xffff));
    object_put(bytes, 8);
}

/* CNOP byte,word: no operations up to there. */
static void cnop_first(struct statement *statement)
{
    struct scan scan = scan_of(statement->operands);
    int byte, word;
    u32 distance;

    (void)align_to(2);
    label_here(statement, 1, 'I');
    if (!evaluate_absolute(&scan, &byte) || scan.at == scan.end || *scan.at++ != ',' ||
        !evaluate_absolute(&scan, &word) || scan.at != scan.end ||
        (word != 4 && word != 8 && word != 16) || byte < 0 || byte >= word || byte % 2 != 0) {
        flag_text(9156, ERROR, statement->operands);
        return;
    }
    distance = ((u32)byte + (u32)word - (u32)assembly.location % (u32)word) % (u32)word;
    statement->length = distance;
    advance(distance);
}

static void cnop_second(struct statement *statement)
{
    static const u8 nothing[] = { 0x07, 0x00 };

    for (u32 n = 0; n < statement->length; n += 2)
        object_put(nothing, sizeof nothing);
}

/* ORG [address]: without one, after the highest location so far. */
static void org_first(struct statement *statement)
{
    struct value value;
    u32 section = need_section();

    if (statement->operands.length == 0 || statement->operands.at[0] == ',') {
        assembly.location = (int)assembly.section[section].length;
    } else if (evaluate_all(statement->operands, &value) && !value.undefined) {
        int at = (int)((u32)value.number - assembly.section[section].origin);

        if (value.terms != 1 || value.term[0].count != 1 || value.term[0].section != section || at < 0)
            flag_text(9157, ERROR, statement->operands);
        else
            go_to((u32)at);
    }
    statement->section = section;
    statement->location = (u32)assembly.location;
    statement->sized = true;
    if (statement->name.length > 0)
        label_here(statement, 1, 'J');
}

static void ltorg_first(struct statement *statement)
{
    (void)align_to(8);
    label_here(statement, 1, 'J');
    literals_place();
}

/* COPY member: its lines come next. */
static void copy_first(struct statement *statement)
{
    struct lines *lines;
    struct level *made;
    u32 depth = 0;

    no_name(statement);
    if (!is_symbol(statement->operands) || statement->operands.length > 8) {
        flag_text(9101, ERROR, statement->operands);
        return;
    }
    for (struct level *at = assembly.level; at != NULL; at = at->below)
        depth += at->copied;
    if (depth >= NESTED_MOST) {
        flag_text(9146, SEVERE, statement->operands);
        return;
    }
    lines = arena(sizeof *lines);
    if (!assemble_member(statement->operands, lines)) {
        flag_text(9145, ERROR, statement->operands);
        return;
    }
    made = arena(sizeof *made);
    made->text = lines;
    made->copied = true;
    made->call = assembly.level != NULL ? assembly.level->call : NULL;
    made->below = assembly.level;
    assembly.level = made;
}

/* PUNCH 'text' and REPRO, whose text is the next line. */
static bool quoted(struct text operand, struct text *text)
{
    char *at = arena(operand.length + 1);
    u32 n = 0;

    operand = trimmed(operand);
    if (operand.length < 2 || operand.at[0] != '\'' || operand.at[operand.length - 1] != '\'') {
        flag(9106, ERROR);
        return false;
    }
    for (u32 k = 1; k + 1 < operand.length; k++) {
        at[n++] = operand.at[k];
        if ((operand.at[k] == '\'' || operand.at[k] == '&') && operand.at[k + 1] == operand.at[k] &&
            k + 2 < operand.length)
            k++;
    }
    *text = (struct text){ at, n };
    return true;
}

static void punch_second(struct statement *statement)
{
    struct text text;

    if (!quoted(statement->operands, &text))
        return;
    if (text.length > CARD)
        flag(9129, WARNING);
    object_card(text);
}

static void repro_first(struct statement *statement)
{
    struct level *level = assembly.level;

    if (level == NULL || level->at >= level->text->count) {
        flag(9133, ERROR);
        statement->operands.length = 0;
        return;
    }
    statement->operands = level->text->line[level->at++];
    if (statement->image != NULL)
        statement->images++;
}

static void repro_second(struct statement *statement) { object_card(statement->operands); }

/* name OPSYN [operation] */
static void opsyn_first(struct statement *statement)
{
    struct operation none = { .kind = OPERATION_NONE, .mask = -1 }, *other;

    if (!is_symbol(statement->name)) {
        flag_text(9101, ERROR, statement->name);
        return;
    }
    if (statement->operands.length == 0) {
        operation_set(statement->name, &none);
        return;
    }
    other = operation_find(statement->operands);
    if (other == NULL || (other->kind == OPERATION_ASSEMBLER && other->directive->kind == DIRECTIVE_CONDITIONAL))
        flag_text(9132, ERROR, statement->operands);
    else
        operation_set(statement->name, other);
}

/* ICTL begin[,end[,continue]] */
static void ictl_first(struct statement *statement)
{
    struct scan scan = scan_of(statement->operands);
    int begin = 1, end = 71, resume = 16;
    struct text one;

    for (u32 n = 0; n < 3 && statement->operands.length > 0 && next_operand(&scan, &one); n++)
        if (one.length > 0 && !evaluate_number(one, n == 0 ? &begin : n == 1 ? &end : &resume))
            return;
    if (statement->number != 1 || begin < 1 || begin > 40 || end < 41 || end > 80 || end < begin + 5 ||
        resume <= begin || resume > 40) {
        flag_text(9158, SEVERE, statement->operands);
        return;
    }
    assembly.begin = (u32)begin;
    assembly.end = (u32)end;
    assembly.resume = (u32)resume;
}

static void title_second(struct statement *statement)
{
    struct text text;

    if (statement->name.length > 0 && assembly.deck_name.length == 0)
        assembly.deck_name = statement->name;
    if (quoted(statement->operands, &text))
        listing_title(text);
    /* What only the listing is told is not in it. */
    statement->silent = statement->diagnostics == NULL;
}

static void eject_second(struct statement *statement)
{
    statement->silent = true;
    listing_eject();
}

static void space_second(struct statement *statement)
{
    int lines = 1;

    if (statement->operands.length > 0 && !evaluate_number(statement->operands, &lines))
        return;
    statement->silent = true;
    listing_space(lines < 0 ? 0 : lines > 1000 ? 1000 : (u32)lines);
}

static void print_second(struct statement *statement) { listing_print(statement->operands); }

static void push_pop(struct statement *statement, void (*print)(void), void (*base)(void))
{
    struct scan scan = scan_of(statement->operands);
    struct text one;
    bool any = false;

    while (statement->operands.length > 0 && next_operand(&scan, &one)) {
        any = true;
        if (text_is(one, "PRINT"))
            print();
        else if (text_is(one, "USING"))
            base();
        else
            flag_text(9115, ERROR, one);
    }
    if (!any)
        flag(9133, ERROR);
}

static void push_second(struct statement *statement) { push_pop(statement, listing_push, bases_push); }
static void pop_second(struct statement *statement) { push_pop(statement, listing_pop, bases_pop); }

/* What it names begins; what comes after is no source any more. */
static void end_first(struct statement *statement)
{
    assembly.ended = true;
    assembly.end_statement = statement;
    for (u32 n = 1; n < assembly.sections; n++)
        if (assembly.section[n].kind <= SECTION_PRIVATE) {
            section_enter(n);
            assembly.location = (int)assembly.section[n].length;
            break;
        }
    literals_place();
}

static void end_second(struct statement *statement)
{
    struct value value;

    if (statement->operands.length == 0 || statement->operands.at[0] == ',')
        return;
    if (!evaluate_all(statement->operands, &value) || value.undefined)
        return;
    if (value.terms != 1 || value.term[0].count != 1)
        flag_text(9161, ERROR, statement->operands);
    else
        object_end(&value);
}

const struct directive directives[] = {
    { "ACTR", NULL, NULL, DIRECTIVE_CONDITIONAL, conditional_actr },
    { "AGO", NULL, NULL, DIRECTIVE_CONDITIONAL, conditional_branch },
    { "AIF", NULL, NULL, DIRECTIVE_CONDITIONAL, conditional_branch },
    { "AMODE", NULL, mode_second, DIRECTIVE_PLAIN, NULL },
    { "ANOP", NULL, NULL, DIRECTIVE_CONDITIONAL, conditional_anop },
    { "CCW", ccw_first, ccw_second, DIRECTIVE_PLAIN, NULL },
    { "CCW0", ccw_first, ccw_second, DIRECTIVE_PLAIN, NULL },
    { "CCW1", ccw_first, ccw_second, DIRECTIVE_PLAIN, NULL },
    { "CNOP", cnop_first, cnop_second, DIRECTIVE_PLAIN, NULL },
    { "COM", com_first, NULL, DIRECTIVE_PLAIN, NULL },
    { "COPY", copy_first, NULL, DIRECTIVE_PLAIN, NULL },
    { "CSECT", csect_first, NULL, DIRECTIVE_PLAIN, NULL },
    { "DC", storage_first, dc_second, DIRECTIVE_PLAIN, NULL },
    { "DROP", NULL, drop_statement, DIRECTIVE_PLAIN, NULL },
    { "DS", storage_first, NULL, DIRECTIVE_PLAIN, NULL },
    { "DSECT", dsect_first, NULL, DIRECTIVE_PLAIN, NULL },
    { "EJECT", NULL, eject_second, DIRECTIVE_PLAIN, NULL },
    { "END", end_first, end_second, DIRECTIVE_PLAIN, NULL },
    { "ENTRY", entry_first, entry_second, DIRECTIVE_PLAIN, NULL },
    { "EQU", equ_first, NULL, DIRECTIVE_PLAIN, NULL },
    { "EXTRN", extrn_first, NULL, DIRECTIVE_PLAIN, NULL },
    { "GBLA", NULL, NULL, DIRECTIVE_CONDITIONAL, conditional_declare },
    { "GBLB", NULL, NULL, DIRECTIVE_CONDITIONAL, conditional_declare },
    { "GBLC", NULL, NULL, DIRECTIVE_CONDITIONAL, conditional_declare },
    { "ICTL", ictl_first, NULL, DIRECTIVE_PLAIN, NULL },
    { "LCLA", NULL, NULL, DIRECTIVE_CONDITIONAL, conditional_declare },
    { "LCLB", NULL, NULL, DIRECTIVE_CONDITIONAL, conditional_declare },
    { "LCLC", NULL, NULL, DIRECTIVE_CONDITIONAL, conditional_declare },
    { "LTORG", ltorg_first, NULL, DIRECTIVE_PLAIN, NULL },
    { "MACRO", NULL, NULL, DIRECTIVE_CONDITIONAL, macro_define },
    { "MEND", NULL, NULL, DIRECTIVE_CONDITIONAL, conditional_mexit },
    { "MEXIT", NULL, NULL, DIRECTIVE_CONDITIONAL, conditional_mexit },
    { "MNOTE", NULL, NULL, DIRECTIVE_CONDITIONAL, conditional_mnote },
    { "OPSYN", opsyn_first, NULL, DIRECTIVE_PLAIN, NULL },
    { "ORG", org_first, NULL, DIRECTIVE_PLAIN, NULL },
    { "POP", NULL, pop_second, DIRECTIVE_PLAIN, NULL },
    { "PRINT", NULL, print_second, DIRECTIVE_PLAIN, NULL },
    { "PUNCH", NULL, punch_second, DIRECTIVE_PLAIN, NULL },
    { "PUSH", NULL, push_second, DIRECTIVE_PLAIN, NULL },
    { "REPRO", repro_first, repro_second, DIRECTIVE_PLAIN, NULL },
    { "RMODE", NULL, mode_second, DIRECTIVE_PLAIN, NULL },
    { "SETA", NULL, NULL, DIRECTIVE_CONDITIONAL, conditional_assign },
    { "SETB", NULL, NULL, DIRECTIVE_CONDITIONAL, conditional_assign },
    { "SETC", NULL, NULL, DIRECTIVE_CONDITIONAL, conditional_assign },
    { "SPACE", NULL, space_second, DIRECTIVE_PLAIN, NULL },
    { "START", start_first, NULL, DIRECTIVE_PLAIN, NULL },
    { "TITLE", NULL, title_second, DIRECTIVE_PLAIN, NULL },
    { "USING", using_first, using_statement, DIRECTIVE_PLAIN, NULL },
    { "WXTRN", wxtrn_first, NULL, DIRECTIVE_PLAIN, NULL },
};

const u32 directive_count = COUNT_OF(directives);
