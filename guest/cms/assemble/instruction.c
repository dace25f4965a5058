/*
 * Machine instructions: operands as the operand list of the table has them (R1,D2(X2,B2)), put where the format wants
 * them.
 */
#include "opcodes.h"

/* Where a field is in an instruction: its name, first bit, bits. D fields of 20 bits lie in two parts. */
struct place { char name[3]; u8 bit, bits; };
enum { PLACES = 8 };

#define R1_8 { "R1", 8, 4 }
#define R2_12 { "R2", 12, 4 }
#define R3_12 { "R3", 12, 4 }
#define M3_12 { "M3", 12, 4 }
#define X2_12 { "X2", 12, 4 }
#define B1_16 { "B1", 16, 4 }
#define D1_20 { "D1", 20, 12 }
#define B2_16 { "B2", 16, 4 }
#define D2_20 { "D2", 20, 12 }
#define D1_LONG { "D1", 20, 20 }
#define D2_LONG { "D2", 20, 20 }
#define BOTH B1_16, D1_20, { "B2", 32, 4 }, { "D2", 36, 12 }
#define RRF { { "R3", 16, 4 }, { "M3", 16, 4 }, { "M4", 20, 4 }, { "R1", 24, 4 }, { "R2", 28, 4 } }

static const struct place places[FORMATS][PLACES] = {
    [FORMAT_I] = { { "I2", 8, 8 } },
    [FORMAT_IE] = { { "M3", 24, 4 }, { "M4", 28, 4 } },
    [FORMAT_RIa] = { R1_8, { "I2", 16, 16 } },
    [FORMAT_RIb] = { R1_8, { "RI", 16, 16 } },
    [FORMAT_RIc] = { R1_8, { "RI", 16, 16 } },
    [FORMAT_RIEa] = { R1_8, { "I2", 16, 16 }, { "M3", 32, 4 } },
    [FORMAT_RIEb] = { R1_8, R2_12, { "RI", 16, 16 }, { "M3", 32, 4 } },
    [FORMAT_RIEc] = { R1_8, M3_12, { "RI", 16, 16 }, { "I3", 32, 8 } },
    [FORMAT_RIEd] = { R1_8, R3_12, { "I2", 16, 16 } },
    [FORMAT_RIEe] = { R1_8, R3_12, { "RI", 16, 16 } },
    [FORMAT_RIEf] = { R1_8, R2_12, { "I3", 16, 8 }, { "I4", 24, 8 }, { "I5", 32, 8 } },
    [FORMAT_RIEg] = { R1_8, M3_12, { "I2", 16, 16 } },
    [FORMAT_RILa] = { R1_8, { "I2", 16, 32 } },
    [FORMAT_RILb] = { R1_8, { "RI", 16, 32 } },
    [FORMAT_RILc] = { R1_8, { "RI", 16, 32 } },
    [FORMAT_RIS] = { R1_8, M3_12, B2_16, D2_20, { "I3", 32, 8 } },
    [FORMAT_RR] = { R1_8, R2_12 },
    [FORMAT_RRD] = { { "R1", 16, 4 }, { "R3", 24, 4 }, { "R2", 28, 4 } },
    [FORMAT_RRE] = { { "R1", 24, 4 }, { "R2", 28, 4 } },
    [FORMAT_RRFa] = RRF,
    [FORMAT_RRFb] = RRF,
    [FORMAT_RRFc] = RRF,
    [FORMAT_RRFd] = RRF,
    [FORMAT_RRFe] = RRF,
    [FORMAT_RRS] = { R1_8, R2_12, B2_16, D2_20, { "M3", 32, 4 } },
    [FORMAT_RSa] = { R1_8, R3_12, B2_16, D2_20, M3_12 },
    [FORMAT_RSb] = { R1_8, M3_12, B2_16, D2_20 },
    [FORMAT_RSI] = { R1_8, R3_12, { "RI", 16, 16 } },
    [FORMAT_RSLa] = { { "L", 8, 4 }, B1_16, D1_20 },
    [FORMAT_RSLb] = { { "L", 8, 8 }, B2_16, D2_20, { "R1", 32, 4 }, { "M3", 36, 4 } },
    [FORMAT_RSYa] = { R1_8, R3_12, B2_16, D2_LONG, M3_12 },
    [FORMAT_RSYb] = { R1_8, M3_12, B2_16, D2_LONG },
    [FORMAT_RXa] = { R1_8, X2_12, B2_16, D2_20 },
    [FORMAT_RXb] = { R1_8, X2_12, B2_16, D2_20 },
    [FORMAT_RXE] = { R1_8, X2_12, B2_16, D2_20, { "M3", 32, 4 } },
    [FORMAT_RXF] = { { "R3", 8, 4 }, X2_12, B2_16, D2_20, { "R1", 32, 4 } },
    [FORMAT_RXYa] = { R1_8, X2_12, B2_16, D2_LONG },
    [FORMAT_RXYb] = { R1_8, X2_12, B2_16, D2_LONG },
    [FORMAT_S] = { B2_16, D2_20 },
    [FORMAT_SI] = { { "I2", 8, 8 }, B1_16, D1_20 },
    [FORMAT_SIL] = { B1_16, D1_20, { "I2", 32, 16 } },
    [FORMAT_SIY] = { { "I2", 8, 8 }, B1_16, D1_LONG },
    [FORMAT_SSa] = { { "L", 8, 8 }, BOTH },
    [FORMAT_SSb] = { { "L1", 8, 4 }, { "L2", 12, 4 }, BOTH },
    [FORMAT_SSc] = { { "L1", 8, 4 }, { "I3", 12, 4 }, BOTH },
    [FORMAT_SSd] = { R1_8, R3_12, BOTH },
    [FORMAT_SSe] = { R1_8, R3_12, BOTH },
    [FORMAT_SSf] = { { "L", 8, 8 }, BOTH },
    [FORMAT_SSE] = { BOTH },
    [FORMAT_SSF] = { { "R3", 8, 4 }, BOTH },
};

/* An instruction in the making. */
struct making { u8 code[6]; const struct place *places; int address[2]; u32 addresses; };

static const struct place *place_of(const struct making *making, const char *name, u32 length)
{
    char letter = name[0] == 'U' ? 'I' : name[0];

    for (u32 n = 0; n < PLACES && making->places[n].bits != 0; n++) {
        const struct place *place = &making->places[n];

        if (place->name[0] == letter && (length < 2 ? place->name[1] == 0 : place->name[1] == name[1]))
            return place;
    }
    return NULL;
}

static void set_bits(u8 *code, u32 first, u32 bits, u32 value)
{
    for (u32 n = 0; n < bits; n++)
        if (value >> (bits - 1 - n) & 1)
            code[(first + n) / 8] |= (u8)(0x80 >> (first + n) % 8);
}

static void set_field(struct making *making, const char *name, u32 length, int value)
{
    const struct place *place = place_of(making, name, length);

    if (place == NULL)
        return;
    if (place->bits == 20) {
        set_bits(making->code, 20, 12, (u32)value & 0xfff);
        set_bits(making->code, 32, 8, (u32)value >> 12 & 0xff);
        return;
    }
    set_bits(making->code, place->bit, place->bits, (u32)value);
}

/* A number between two bounds. */
static bool within(int least, int most, int *number)
{
    if (*number < least || *number > most) {
        flag(9136, ERROR, *number, least, most);
        *number = 0;
        return false;
    }
    return true;
}

/* After a storage operand: (a), (a,b) or (,b); what is not there is -1. */
static bool in_parentheses(struct scan *scan, struct text part[2], u32 *parts)
{
    *parts = 0;
    if (scan->at == scan->end || *scan->at != '(')
        return true;
    const char *from = ++scan->at;
    u32 depth = 1;

    for (; scan->at < scan->end; scan->at++) {
        if (*scan->at == '(')
            depth++;
        else if (*scan->at == ')' && --depth == 0)
            break;
    }
    if (scan->at == scan->end) {
        flag(9112, ERROR);
        return false;
    }
    struct scan inside = { from, scan->at++ };

    while (*parts < 2 && next_operand(&inside, &part[*parts]))
        ++*parts;
    if (inside.at <= inside.end) {
        flag_text(9134, ERROR, (struct text){ inside.at, (u32)(inside.end - inside.at) });
        return false;
    }
    return true;
}

static bool small(struct text text, int least, int most, int *number)
{
    return evaluate_number(text, number) && within(least, most, number);
}

static bool literal(struct scan *scan, struct value *value)
{
    const char *from = scan->at++;
    struct constant constant;
    const struct literal *found;

    *value = (struct value){ .length = 1 };
    if (!constant_scan(scan, &constant, false))
        return false;
    found = literal_find((struct text){ from, (u32)(scan->at - from) }, assembly.current->pool);
    if (found == NULL) {
        flag(9137, ERROR);
        return false;
    }
    value->number = (int)(assembly.section[found->section].origin + found->location);
    value->terms = 1;
    value->term[0].section = found->section;
    value->term[0].count = 1;
    value->length = constant.length;
    return true;
}

/* An address, with the base that is said or that of a USING. */
static bool base_and_displacement(struct making *making, const char *pattern, const struct value *value,
                                  struct text said, struct text shown)
{
    const struct place *displaced = place_of(making, pattern, 2);
    bool wide = displaced != NULL && displaced->bits == 20, explicit_base = said.length > 0;
    char base_name[2] = { 'B', pattern[1] };
    u32 base = 0;
    int displacement = value->number, number;

    if (!explicit_base) {
        if (!base_for(value, wide, &base, &displacement)) {
            flag_text(9140, ERROR, shown);
            return false;
        }
    } else {
        if (!absolute(value)) {
            flag_text(9138, ERROR, shown);
            return false;
        }
        if (!small(said, 0, 15, &number))
            return false;
        base = (u32)number;
        if (displacement < (wide ? -0x80000 : 0) || displacement > (wide ? 0x7ffff : 4095)) {
            flag(9141, ERROR);
            return false;
        }
    }
    set_field(making, base_name, 2, (int)base);
    set_field(making, pattern, 2, displacement);
    if (making->addresses < 2)
        making->address[making->addresses++] = absolute(value) && explicit_base ? -1 : value->number;
    return true;
}

/*
 * What stands in front of the base: an index, another register, or a length, which is the address's own if none is
 * said.
 */
static bool before_base(struct making *making, const char *field, u32 width, struct text said,
                        const struct value *value)
{
    const struct place *place = place_of(making, field, width);
    int most = place == NULL ? 15 : (1 << place->bits) - 1, number = 0;

    if (field[0] == 'L') {
        number = (int)value->length;
        if (said.length > 0 ? !small(said, 0, most + 1, &number) : !within(0, most + 1, &number))
            return false;
        set_field(making, field, width, number == 0 ? 0 : number - 1);
        return true;
    }
    if (said.length == 0 && field[0] == 'R') {
        flag(9133, ERROR);
        return false;
    }
    if (said.length > 0 && !small(said, 0, 15, &number))
        return false;
    set_field(making, field, width, number);
    return true;
}

/* D2(X2,B2) and its like; `pattern` begins with the D. */
static bool storage(struct making *making, struct scan *scan, const char *pattern, u32 length)
{
    const char *inside = pattern + 3, *comma = memchr(pattern, ',', length), *from = scan->at;
    struct text part[2], base = { 0 };
    struct value value;
    u32 parts;

    if (!(scan->at < scan->end && *scan->at == '=' ? literal(scan, &value) : evaluate(scan, &value)) ||
        !in_parentheses(scan, part, &parts))
        return false;
    if (comma == NULL && parts > 1) {
        flag_text(9134, ERROR, part[1]);
        return false;
    }
    if (value.undefined)
        return false;
    if (parts > (comma != NULL ? 1 : 0))
        base = part[parts - 1];
    if (!base_and_displacement(making, pattern, &value, base, (struct text){ from, (u32)(scan->at - from) }))
        return false;
    return comma == NULL || before_base(making, inside, (u32)(comma - inside), parts > 0 ? part[0] : (struct text){ 0 },
                                        &value);
}

/* The distance to another instruction, in halfwords. */
static bool relative(struct making *making, struct scan *scan)
{
    const struct place *place = place_of(making, "RI", 2);
    const char *from = scan->at;
    struct value value;
    int distance;

    if (!(scan->at < scan->end && *scan->at == '=' ? literal(scan, &value) : evaluate(scan, &value)) || value.undefined)
        return false;
    distance = (int)((u32)value.number - (u32)assembly.location - assembly.section[assembly.in].origin);
    if (value.terms != 1 || value.term[0].count != 1 || value.term[0].section != assembly.in || (distance & 1) != 0 ||
        (place->bits == 16 && (distance < -65536 || distance > 65534))) {
        flag_text(9142, ERROR, (struct text){ from, (u32)(scan->at - from) });
        return false;
    }
    if (making->addresses < 2)
        making->address[making->addresses++] = value.number;
    set_field(making, "RI", 2, distance >> 1);
    return true;
}

/* One item of the operand list. */
static bool operand(struct making *making, struct scan *scan, const char *pattern, u32 length)
{
    const struct place *place;
    int number;

    if (pattern[0] == 'D')
        return storage(making, scan, pattern, length);
    if (length > 2)
        return relative(making, scan);
    place = place_of(making, pattern, 2);
    if (place == NULL)
        return true;
    int most = place->bits == 32 ? 0x7fffffff : (1 << place->bits) - 1, least = 0;

    if (pattern[0] == 'I') {
        least = place->bits == 32 ? -0x7fffffff - 1 : -(1 << (place->bits - 1));
        most = place->bits == 32 ? 0x7fffffff : (1 << (place->bits - 1)) - 1;
    } else if (pattern[0] == 'U') {
        least = place->bits == 32 ? -0x7fffffff - 1 : -(1 << (place->bits - 1));
    }
    if (!evaluate_absolute(scan, &number) || !within(least, most, &number))
        return false;
    set_field(making, pattern, 2, number);
    return true;
}

static void operation_code(const struct opcode *opcode, u8 *code)
{
    u32 value = opcode->code, first = value >> 8;

    if (value <= 0xff) {
        code[0] = (u8)value;
    } else if (value >= 0xa50 && value <= 0xfff) {
        code[0] = (u8)(value >> 4);
        code[1] |= (u8)(value & 15);
    } else {
        code[0] = (u8)first;
        code[first >= 0xc0 && first != 0xe5 ? 5 : 1] |= (u8)value;
    }
}

static bool operands_of(struct making *making, const char *pattern, struct scan *scan, bool masked)
{
    bool first = true, optional = false;

    while (*pattern != 0) {
        u32 length = 0, depth = 0;

        /* The bracket of an operand that may be left out has its comma in it. */
        for (; *pattern == '[' || *pattern == ',' || *pattern == ']'; pattern++)
            optional = *pattern == '[' || (optional && *pattern != ']');
        if (*pattern == 0)
            break;
        while (pattern[length] != 0 && pattern[length] != ']' && pattern[length] != '[' &&
               (pattern[length] != ',' || depth > 0)) {
            depth += pattern[length] == '(';
            depth -= pattern[length] == ')';
            length++;
        }
        if (masked) {
            masked = false;
            pattern += length;
            continue;
        }
        if (!first) {
            if (scan->at == scan->end && optional)
                return true;
            if (scan->at == scan->end || *scan->at != ',') {
                flag(scan->at == scan->end ? 9133 : 9110, ERROR);
                return false;
            }
            scan->at++;
        } else if (scan->at == scan->end) {
            flag(9133, ERROR);
            return false;
        }
        first = false;
        if (!operand(making, scan, pattern, length))
            return false;
        pattern += length;
    }
    return true;
}

/* Pass 1: the length, and the literals that are wanted. */
void instruction_first(struct statement *statement)
{
    struct scan scan = scan_of(statement->operands);
    struct text one;

    (void)align_to(2);
    statement->length = opcode_length(&statement->operation->opcode);
    label_here(statement, statement->length, 'I');
    for (bool any = statement->operands.length > 0; any && next_operand(&scan, &one);)
        if (one.length > 1 && one.at[0] == '=')
            literal_use(one);
    advance(statement->length);
}

void instruction_second(struct statement *statement)
{
    const struct operation *operation = statement->operation;
    struct making making = { .places = places[operation->opcode.format] };
    struct scan scan = scan_of(statement->operands);
    const char *pattern = operand_lists[operation->opcode.operands];

    operation_code(&operation->opcode, making.code);
    if (operation->mask >= 0)
        set_field(&making, "R1", 2, operation->mask);
    if (*pattern != 0 && operands_of(&making, pattern, &scan, operation->mask >= 0) && scan.at != scan.end)
        flag_text(9134, ERROR, (struct text){ scan.at, (u32)(scan.end - scan.at) });
    /* What is wrong becomes zeros, so that it ends in an operation exception. */
    if (statement->diagnostics != NULL)
        for (const struct diagnostic *at = statement->diagnostics; at != NULL; at = at->next)
            if (at->severity >= ERROR)
                memset(making.code, 0, sizeof making.code);
    listing_addresses(making.addresses > 0 ? making.address[0] : -1, making.addresses > 1 ? making.address[1] : -1);
    object_put(making.code, statement->length);
}
