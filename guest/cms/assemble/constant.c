/* DC, DS and literals: the operands, what they take, and their bytes. */
#include "assemble.h"

enum { NOMINAL_MOST = 256, CONSTANT_MOST = 65535 };
enum { SCALE_LEAST = -187, SCALE_MOST = 346, EXPONENT_LEAST = -85, EXPONENT_MOST = 75, NAME_MOST = 8 };

/* How a constant of a type is: its length and boundary without a length modifier, and the longest that it may have. */
static const struct kind { char letter, suffix; u8 length, align, most; bool quoted; } kinds[] = {
    { 'C', ' ', 0, 1, 0, true },   { 'X', ' ', 0, 1, 0, true },   { 'B', ' ', 0, 1, 0, true },
    { 'P', ' ', 0, 1, 16, true },
    { 'Z', ' ', 0, 1, 16, true },  { 'F', ' ', 4, 4, 8, true },   { 'H', ' ', 2, 2, 8, true },
    { 'F', 'D', 8, 8, 8, true },
    { 'E', ' ', 4, 4, 8, true },   { 'D', ' ', 8, 8, 8, true },   { 'L', ' ', 16, 8, 16, true },
    { 'E', 'H', 4, 4, 8, true },
    { 'D', 'H', 8, 8, 8, true },   { 'L', 'H', 16, 8, 16, true }, { 'E', 'B', 4, 4, 4, true },
    { 'D', 'B', 8, 8, 8, true },
    { 'A', ' ', 4, 4, 4, false },  { 'A', 'D', 8, 8, 8, false },  { 'Y', ' ', 2, 2, 2, false },
    { 'S', ' ', 2, 2, 2, false }, { 'V', ' ', 4, 4, 4, false },
};

static const struct kind *kind_of(char letter, char suffix)
{
    for (u32 n = 0; n < COUNT_OF(kinds); n++)
        if (kinds[n].letter == letter && kinds[n].suffix == suffix)
            return &kinds[n];
    return NULL;
}

/* A number after a modifier: digits, or an expression in parentheses; with a sign if it may have one. */
static bool modifier(struct scan *scan, int *number)
{
    bool negative = scan->at < scan->end && *scan->at == '-';
    u32 value = 0;

    if (scan->at < scan->end && (*scan->at == '-' || *scan->at == '+'))
        scan->at++;
    if (scan->at < scan->end && *scan->at == '(') {
        scan->at++;
        if (!evaluate_absolute(scan, number))
            return false;
        if (!closing(scan))
            return false;
    } else {
        if (scan->at == scan->end || !is_digit(*scan->at)) {
            flag(9122, ERROR);
            return false;
        }
        for (; scan->at < scan->end && is_digit(*scan->at); scan->at++)
            value = value > LOCATION_MOST ? value : value * 10 + (u32)(*scan->at - '0');
        *number = (int)value;
    }
    if (negative)
        *number = (int)(0u - (u32)*number);
    return true;
}

/* One constant of those between the apostrophes or parentheses; C has one only. */
static bool next_nominal(const struct constant *constant, struct scan *scan, struct text *one)
{
    if (constant->kind == 'C') {
        if (scan->at > scan->end)
            return false;
        *one = (struct text){ scan->at, (u32)(scan->end - scan->at) };
        scan->at = scan->end + 1;
        return true;
    }
    if (constant->kind == 'A' || constant->kind == 'Y' || constant->kind == 'S' || constant->kind == 'V')
        return next_operand(scan, one);
    if (scan->at > scan->end)
        return false;
    const char *from = scan->at;

    while (scan->at < scan->end && *scan->at != ',')
        scan->at++;
    *one = (struct text){ from, (u32)(scan->at++ - from) };
    return true;
}

/* Characters of C: two apostrophes or ampersands are one. */
static u32 characters(struct text text, u8 *to, u32 room)
{
    u32 count = 0;

    for (u32 n = 0; n < text.length; n++, count++) {
        if (to != NULL && count < room)
            to[count] = (u8)text.at[n];
        if ((text.at[n] == '\'' || text.at[n] == '&') && n + 1 < text.length && text.at[n + 1] == text.at[n])
            n++;
    }
    return count;
}

static u32 digits_of(struct text text)
{
    u32 count = 0;

    for (u32 n = 0; n < text.length; n++)
        count += text.at[n] != ' ';
    return count;
}

/* How long one of the constants is. */
static u32 length_of_one(const struct constant *constant, struct text one)
{
    u32 needed = 1;

    if (constant->has_length || kind_of((char)constant->kind, (char)constant->suffix)->length != 0)
        return constant->length;
    switch (constant->kind) {
    case 'C':
        needed = characters(one, NULL, 0);
        break;
    case 'X':
        needed = (digits_of(one) + 1) / 2;
        break;
    case 'B':
        needed = (digits_of(one) + 7) / 8;
        break;
    default:
        if (!number_packed(one, 0, NULL, constant->kind == 'Z', &needed))
            needed = 1;
    }
    return needed == 0 ? 1 : needed;
}

static bool scan_nominal(struct scan *scan, struct constant *constant, const struct kind *kind)
{
    const char *from = scan->at + 1;

    if (kind->quoted) {
        for (scan->at++; scan->at < scan->end; scan->at++)
            if (*scan->at == '\'') {
                if (constant->kind != 'C' || scan->at + 1 >= scan->end || scan->at[1] != '\'')
                    break;
                scan->at++;
            }
    } else {
        u32 depth = 1;
        bool quoted = false;

        for (scan->at++; scan->at < scan->end; scan->at++) {
            char c = *scan->at;

            if (c == '\'' && (quoted || !attribute_here(from, scan->at, scan->end)))
                quoted = !quoted;
            else if (c == '(' && !quoted)
                depth++;
            else if (c == ')' && !quoted && --depth == 0)
                break;
        }
    }
    if (scan->at >= scan->end) {
        flag(kind->quoted ? 9106 : 9112, ERROR);
        return false;
    }
    constant->nominal = (struct text){ from, (u32)(scan->at++ - from) };
    constant->has_nominal = true;
    return true;
}

/* The modifiers L, S and E. */
static bool scan_modifiers(struct scan *scan, struct constant *constant, const struct kind *kind, bool storage_only)
{
    for (;;) {
        char letter = scan->at < scan->end ? upper(*scan->at) : 0;
        int number;

        if (letter != 'L' && letter != 'S' && letter != 'E')
            return true;
        scan->at++;
        if (letter == 'L' && scan->at < scan->end && *scan->at == '.') {
            flag(9124, ERROR);
            return false;
        }
        if (!modifier(scan, &number))
            return false;
        if (letter != 'L') {
            int least = letter == 'S' ? SCALE_LEAST : EXPONENT_LEAST, most = letter == 'S' ? SCALE_MOST : EXPONENT_MOST;

            if (number < least || number > most) {
                flag(9136, ERROR, number, least, most);
                return false;
            }
            *(letter == 'S' ? &constant->scale : &constant->exponent) = number;
        } else {
            u32 most = kind->most != 0 ? kind->most : storage_only ? CONSTANT_MOST : NOMINAL_MOST;

            if (number < 1 || (u32)number > most) {
                flag(9123, ERROR, number, (char)constant->kind);
                return false;
            }
            constant->length = (u32)number;
            constant->has_length = true;
        }
    }
}

bool constant_scan(struct scan *scan, struct constant *constant, bool storage_only)
{
    const struct kind *kind;
    int number = 1;
    struct text one;
    struct scan all;

    *constant = (struct constant){ .suffix = ' ', .count = 1 };
    if (scan->at < scan->end && (is_digit(*scan->at) || *scan->at == '(') && !modifier(scan, &number))
        return false;
    if (number < 0 || number > LOCATION_MOST) {
        flag(9125, ERROR);
        return false;
    }
    constant->duplication = (u32)number;
    if (scan->at == scan->end) {
        flag(9126, ERROR);
        return false;
    }
    constant->kind = (u8)upper(*scan->at++);
    if (scan->at < scan->end && kind_of((char)constant->kind, upper(*scan->at)) != NULL)
        constant->suffix = (u8)upper(*scan->at++);
    kind = kind_of((char)constant->kind, (char)constant->suffix);
    if (kind == NULL) {
        flag(9127, ERROR, (char)constant->kind);
        return false;
    }
    constant->length = kind->length;
    if (!scan_modifiers(scan, constant, kind, storage_only))
        return false;
    /* NOALIGN: only those that are there to align. */
    constant->align = constant->has_length || (!assembly.options->align && constant->duplication != 0) ? 1
        : kind->align;
    if (scan->at < scan->end && *scan->at == (kind->quoted ? '\'' : '(')) {
        if (!scan_nominal(scan, constant, kind))
            return false;
    } else if (!storage_only) {
        flag(9128, ERROR);
        return false;
    }
    if (!constant->has_nominal) {
        constant->length = constant->length == 0 ? 1 : constant->length;
        return true;
    }
    all = scan_of(constant->nominal);
    for (constant->count = 0; next_nominal(constant, &all, &one); constant->count++)
        if (constant->count == 0 && constant->length == 0)
            constant->length = length_of_one(constant, one);
    if (storage_only && kind->most == 0 && constant->length > CONSTANT_MOST) {
        flag(9123, ERROR, constant->length, (char)constant->kind);
        return false;
    }
    return true;
}

/* All of it, without what comes before to align it; more than there can be is X'1000000'. */
u32 constant_size(const struct constant *constant)
{
    struct scan scan = scan_of(constant->nominal);
    uint64_t size = 0;
    struct text one;

    if (!constant->has_nominal)
        size = constant->length;
    else
        while (next_nominal(constant, &scan, &one))
            size += kind_of((char)constant->kind, (char)constant->suffix)->length != 0 ||
                constant->has_length ? constant->length : length_of_one(constant, one);
    size *= constant->duplication;
    return size > LOCATION_MOST ? LOCATION_MOST + 1 : (u32)size;
}

/* X and B: from the right; what is too much on the left goes. */
static void digits(const struct constant *constant, struct text one, u32 length, u8 *to)
{
    u32 bits = constant->kind == 'X' ? 4 : 1, at = length * 8;
    bool lost = false;

    memset(to, 0, length);
    for (u32 n = one.length; n-- > 0;) {
        int digit = hex_digit(one.at[n]);

        if (one.at[n] == ' ')
            continue;
        if (digit < 0 || digit >= 1 << bits) {
            flag_text(9107, ERROR, one);
            return;
        }
        if (at == 0) {
            lost = true;
            continue;
        }
        at -= bits;
        to[at / 8] |= (u8)((u32)digit << (8 - bits - at % 8));
    }
    if (one.length == 0)
        flag(9128, ERROR);
    if (lost)
        flag(9129, WARNING);
}

static void put_number(int number, u32 length)
{
    u8 bytes[8];
    int sign = number < 0 ? 0xff : 0;

    for (u32 n = 0; n < length; n++)
        bytes[n] = length - 1 - n < 4 ? (u8)((u32)number >> 8 * (length - 1 - n)) : (u8)sign;
    object_put(bytes, length);
}

/* A, Y: an expression; for each section in it there is something for the loader. */
static void address(struct text one, u32 length)
{
    struct value value;
    bool sound = evaluate_all(one, &value) && !value.undefined && object_addresses(&value, length, one);

    if (sound && absolute(&value) && length < 4 &&
        (value.number >= 1 << 8 * length || value.number < -(1 << (8 * length - 1))))
        flag(9129, WARNING);
    put_number(sound ? value.number : 0, length);
}

static bool is_external_name(struct text name) { return is_symbol(name) && name.length <= NAME_MOST; }

void constant_names(const struct constant *constant)
{
    struct scan names = scan_of(constant->nominal);
    struct text one;

    if (constant->kind != 'V' || !constant->has_nominal)
        return;
    while (next_operand(&names, &one)) {
        one = trimmed(one);
        if (is_external_name(one))
            (void)section_external(one, SECTION_EXTERNAL);
    }
}

static void external(struct text one, u32 length)
{
    u32 section, at = 0;

    one = trimmed(one);
    if (!is_external_name(one)) {
        flag_text(9101, ERROR, one);
    } else if ((section = section_of(one)) != 0 && assembly.section[section].kind == SECTION_DUMMY) {
        flag_text(9130, ERROR, one);
    } else if (section != 0) {
        struct symbol *symbol = symbol_find(one);

        if (symbol != NULL)
            symbol_refer(symbol);
        object_address(section, false, length, true);
        /* For a section of this program what the deck takes its address for. */
        at = assembly.section[section].origin;
    }
    put_number((int)at, length);
}

/* S: base and displacement. */
static void base_and_displacement(struct text one)
{
    struct scan scan = scan_of(one);
    struct value value;
    u32 base = 0;
    int displacement = 0, number;

    if (!evaluate(&scan, &value) || value.undefined) {
        put_number(0, 2);
        return;
    }
    if (scan.at < scan.end && *scan.at == '(' && absolute(&value)) {
        scan.at++;
        if (evaluate_absolute(&scan, &number) && scan.at < scan.end && *scan.at == ')')
            base = (u32)number & 15;
        else
            flag(9112, ERROR);
        displacement = value.number;
    } else if (!base_for(&value, false, &base, &displacement)) {
        flag_text(9140, ERROR, one);
    }
    if (displacement < 0 || displacement > 4095)
        flag(9141, ERROR);
    put_number((int)(base << 12 | ((u32)displacement & 4095)), 2);
}

static void generate_one(const struct constant *constant, struct text one, u32 length)
{
    u8 fixed[NOMINAL_MOST], *bytes = length <= sizeof fixed ? fixed : arena(length);
    u32 needed;

    memset(bytes, 0, length);
    switch (constant->kind) {
    case 'A': case 'Y':
        address(one, length);
        return;
    case 'V':
        external(one, length);
        return;
    case 'S':
        base_and_displacement(one);
        return;
    case 'C':
        memset(bytes, ' ', length);
        (void)characters(one, bytes, length);
        break;
    case 'X': case 'B':
        digits(constant, one, length, bytes);
        break;
    case 'F': case 'H':
        (void)number_fixed(one, constant->scale, constant->exponent, length, bytes);
        break;
    case 'P': case 'Z':
        (void)number_packed(one, length, bytes, constant->kind == 'Z', &needed);
        break;
    default:
        if (constant->scale != 0)
            flag(9124, ERROR);
        if (constant->suffix == 'B')
            (void)number_binary(one, constant->exponent, length, bytes);
        else
            (void)number_hexadecimal(one, constant->exponent, length, bytes);
    }
    object_put(bytes, length);
}

void constant_generate(const struct constant *constant)
{
    for (u32 n = 0; n < constant->duplication; n++) {
        struct scan scan = scan_of(constant->nominal);
        struct text one;

        while (next_nominal(constant, &scan, &one))
            generate_one(constant, one, length_of_one(constant, one));
        assemble_attend();
    }
}

/* What kind of symbol stands in front of DC or DS. */
u8 constant_type(struct text operands, u32 *length)
{
    struct scan scan = scan_of(operands);
    struct constant constant;

    *length = 1;
    if (!constant_scan(&scan, &constant, true))
        return 'U';
    *length = constant.length;
    return constant.kind;
}
