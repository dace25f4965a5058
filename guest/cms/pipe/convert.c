/*
 * SPECS: what a field is made into on its way, C2X and its kin.
 *
 * C is a field as programs have it; the others say what it means: X hexadecimal digits, B binary digits, D a signed
 * binary number in decimal, F a hexadecimal floating point number, P packed decimal, I a date, V a string after its
 * length. C2x shows what a program has, x2C makes it of what is written, and x2y goes by way of C.
 */
#include "filters.h"

enum { BINARY_MOST = 4, PACKED_MOST = 16, FLOAT_LEAST = 2, FLOAT_MOST = 8, LENGTH_PREFIX = 2 };

static void strip_blanks(const char **text, u32 *length)
{
    *length = length_of(*text, *length);
    for (; *length > 0 && **text == ' '; ++*text)
        --*length;
}

/* Hexadecimal or binary digits: `most` digits are a byte, and blanks may stand between bytes. */
static bool from_digits(const char *text, u32 length, u32 base, u32 most, struct line *to)
{
    u32 digits = 0, odd, byte = 0, n = 0;

    for (u32 k = 0; k < length; k++)
        digits += text[k] != ' ';
    odd = digits % most;
    for (u32 k = 0; k < length; k++) {
        int value = hex_digit(text[k]);

        if (text[k] == ' ') {
            if (n != 0)
                return false;
            continue;
        }
        if (value < 0 || (u32)value >= base)
            return false;
        byte = byte * base + (u32)value;
        n++;
        /* What is missing of the first byte is zeros. */
        if (n == most || n == odd) {
            line_byte(to, (char)byte);
            byte = n = odd = 0;
        }
    }
    return true;
}

static void to_digits(const char *text, u32 length, u32 bits, struct line *to)
{
    for (u32 k = 0; k < length; k++)
        for (u32 left = 8; left > 0; left -= bits)
            line_byte(to, "0123456789ABCDEF"[((u8)text[k] >> (left - bits)) & ((1u << bits) - 1)]);
}

/* ---- decimal numbers ---- */

static bool binary_to_decimal(const char *text, u32 length, struct line *to)
{
    u32 value = length > 0 && (text[0] & 0x80) != 0 ? ~0u : 0;
    char digits[12];

    if (length > BINARY_MOST)
        return false;
    for (u32 k = 0; k < length; k++)
        value = value << 8 | (u8)text[k];
    line_add(to, digits, format(digits, sizeof digits, "%11d", value));
    return true;
}

/* A sign, digits, and perhaps a period and more digits. */
struct decimal { bool negative; const char *digits; u32 count; u32 decimals; };

static bool written(const char **text, u32 *length, char *digits, u32 room, struct decimal *number)
{
    bool point = false, any = false;

    strip_blanks(text, length);
    *number = (struct decimal){ .digits = digits };
    if (*length > 0 && (**text == '-' || **text == '+')) {
        number->negative = **text == '-';
        ++*text, --*length;
        strip_blanks(text, length);
    }
    for (; *length > 0 && (is_digit(**text) || (**text == '.' && !point)); ++*text, --*length) {
        if (**text == '.') {
            point = true;
            continue;
        }
        any = true;
        number->decimals += point;
        if (number->count == 0 && **text == '0')
            continue;
        if (number->count == room)
            return false;
        digits[number->count++] = **text;
    }
    return any;
}

static bool decimal_to_binary(const char *text, u32 length, struct line *to)
{
    char digits[10];
    struct decimal number;
    uint64_t value = 0;

    if (!written(&text, &length, digits, sizeof digits, &number) || length != 0 || number.decimals != 0)
        return false;
    for (u32 n = 0; n < number.count; n++)
        value = value * 10 + (u32)(digits[n] - '0');
    if (value > 0x7fffffffu + (number.negative ? 1u : 0u))
        return false;
    if (number.negative)
        value = 0 - value;
    for (int shift = 24; shift >= 0; shift -= 8)
        line_byte(to, (char)(value >> shift));
    return true;
}

static bool packed_to_decimal(const char *text, u32 length, u32 decimals, struct line *to)
{
    char digits[2 * PACKED_MOST];
    u32 count = 0, first = 0, sign;

    if (length == 0 || length > PACKED_MOST)
        return false;
    for (u32 k = 0; k < length; k++) {
        digits[count++] = (char)((u8)text[k] >> 4);
        digits[count++] = text[k] & 15;
    }
    sign = (u8)digits[--count];
    if (sign < 10 || decimals > count)
        return false;
    for (u32 k = 0; k < count; k++)
        if ((u8)digits[k] > 9)
            return false;
    while (first + 1 < count - decimals && digits[first] == 0)
        first++;
    if (sign == 11 || sign == 13)
        line_byte(to, '-');
    for (u32 k = first; k < count; k++) {
        if (k == count - decimals)
            line_byte(to, '.');
        line_byte(to, (char)('0' + digits[k]));
    }
    return true;
}

static bool decimal_to_packed(const char *text, u32 length, u32 decimals, struct line *to)
{
    char digits[2 * PACKED_MOST - 1];
    struct decimal number;
    u32 zeros, count;

    if (!written(&text, &length, digits, sizeof digits, &number) || length != 0 || number.decimals > decimals)
        return false;
    zeros = decimals - number.decimals;
    if (number.count + zeros > sizeof digits)
        return false;
    count = number.count + zeros;
    if (count % 2 == 0)
        line_byte(to, (char)(count == 0 ? 0 : digits[0] - '0'));
    if (count == 0) {
        to->buffer.at[to->length - 1] = 0x0c;
        return true;
    }
    for (u32 k = count % 2 == 0; k < count; k += 2) {
        u32 high = k < number.count ? (u32)(digits[k] - '0') : 0,
            low = k + 1 < number.count ? (u32)(digits[k + 1] - '0') : 0;

        line_byte(to, (char)(high << 4 | (k + 1 < count ? low : number.negative ? 13u : 12u)));
    }
    return true;
}

/* ---- hexadecimal floating point ---- */

/* Exact numbers: enough limbs for 16**63, or for 16**-79 by powers of five. */
enum { LIMBS = 84, DIGITS = 16, EXCESS = 64, FRACTION_BITS = 56 };
struct limbs { u32 used; u16 at[LIMBS]; };

static void multiply(struct limbs *n, u32 by, u32 base)
{
    u32 carry = 0;

    for (u32 k = 0; k < n->used; k++) {
        u32 product = n->at[k] * by + carry;

        n->at[k] = (u16)(product % base);
        carry = product / base;
    }
    for (; carry != 0 && n->used < LIMBS; carry /= base)
        n->at[n->used++] = (u16)(carry % base);
}

static void divide(struct limbs *n, u32 by, u32 base)
{
    u32 rest = 0;

    for (u32 k = n->used; k-- > 0;) {
        u32 all = rest * base + n->at[k];

        n->at[k] = (u16)(all / by);
        rest = all % by;
    }
    while (n->used > 0 && n->at[n->used - 1] == 0)
        n->used--;
}

/* How many digits of the base's power a number has, and which the k-th from the right is. */
static u32 digit(const struct limbs *n, u32 k, u32 base, u32 each)
{
    u32 limb = k / each < n->used ? n->at[k / each] : 0;

    for (u32 skip = k % each; skip > 0; skip--)
        limb /= base;
    return limb % base;
}

static u32 digits_of(const struct limbs *n, u32 base, u32 each)
{
    u32 count = n->used * each;

    while (count > 0 && digit(n, count - 1, base, each) == 0)
        count--;
    return count;
}

static bool float_to_decimal(const char *text, u32 length, struct line *to)
{
    struct limbs n = { 0 };
    uint64_t fraction = 0;
    char out[DIGITS + 1];
    u32 count, exponent;
    int power, scale = 0, tens;

    if (length < FLOAT_LEAST || length > FLOAT_MOST)
        return false;
    for (u32 k = 1; k < FLOAT_MOST; k++)
        fraction = fraction << 8 | (k < length ? (u8)text[k] : 0);
    power = 4 * ((int)(text[0] & 0x7f) - EXCESS) - FRACTION_BITS;
    for (; fraction != 0; fraction /= 10000)
        n.at[n.used++] = (u16)(fraction % 10000);
    for (; power > 0; power--)
        multiply(&n, 2, 10000);
    /* Half of a number is five tenths of it. */
    for (; power < 0 && n.used > 0; power++, scale--)
        multiply(&n, 5, 10000);
    count = digits_of(&n, 10, 4);
    for (u32 k = 0; k < DIGITS; k++)
        out[k] = k < count ? (char)digit(&n, count - 1 - k, 10, 4) : 0;
    tens = count == 0 ? 0 : (int)count - 1 + scale;
    if (count > DIGITS && digit(&n, count - 1 - DIGITS, 10, 4) >= 5) {
        u32 k = DIGITS;

        while (k > 0 && out[k - 1] == 9)
            out[--k] = 0;
        if (k > 0)
            out[k - 1]++;
        else
            out[0] = 1, tens++;
    }
    line_byte(to, (text[0] & 0x80) != 0 && n.used > 0 ? '-' : ' ');
    for (u32 k = 0; k < DIGITS; k++) {
        line_byte(to, (char)('0' + out[k]));
        if (k == 0)
            line_byte(to, '.');
    }
    exponent = (u32)(tens < 0 ? -tens : tens);
    line_byte(to, 'E');
    line_byte(to, tens < 0 ? '-' : '+');
    line_byte(to, (char)('0' + exponent / 10));
    line_byte(to, (char)('0' + exponent % 10));
    return true;
}

/* The exponent after E. */
static bool read_exponent(const char *text, u32 length, int *exponent)
{
    bool negative = false;
    u32 value;

    if (length == 0)
        return true;
    if (upper(*text) != 'E')
        return false;
    text++, length--;
    if (length > 0 && (*text == '-' || *text == '+')) {
        negative = *text == '-';
        text++, length--;
    }
    if (!parse_number(text, length, &value) || value > 200)
        return false;
    *exponent = negative ? -(int)value : (int)value;
    return true;
}

static bool decimal_to_float(const char *text, u32 length, struct line *to)
{
    char digits[40];
    struct decimal number;
    struct limbs n = { 0 };
    int tens = 0, sixteens = 0;
    uint64_t fraction = 0;
    u32 count;

    if (!written(&text, &length, digits, sizeof digits, &number) || !read_exponent(text, length, &tens))
        return false;
    tens -= (int)number.decimals;
    if (number.count > 0 && ((int)number.count + tens > 80 || (int)number.count + tens < -80))
        return false;
    for (u32 k = 0; k < number.count; k++) {
        multiply(&n, 10, 0x10000);
        if (n.used == 0)
            n.at[n.used++] = 0;
        /* The last digit has become zero, and the limb even: a digit fits. */
        u32 carry = (u32)(digits[k] - '0');

        for (u32 limb = 0; carry != 0; limb++) {
            carry += limb < n.used ? n.at[limb] : 0;
            if (limb >= n.used)
                n.used = limb + 1;
            n.at[limb] = (u16)carry;
            carry >>= 16;
        }
    }
    for (; tens > 0 && n.used > 0; tens--)
        multiply(&n, 10, 0x10000);
    /* Sixteens in front of a division: enough for all the digits of the fraction. */
    for (int k = 0; tens < 0 && k < 120 && n.used > 0; k++, sixteens--)
        multiply(&n, 16, 0x10000);
    for (; tens < 0; tens++)
        divide(&n, 10, 0x10000);
    count = digits_of(&n, 16, 4);
    for (u32 k = 0; k < FRACTION_BITS / 4; k++)
        fraction = fraction << 4 | (k < count ? digit(&n, count - 1 - k, 16, 4) : 0);
    if (count > FRACTION_BITS / 4 && digit(&n, count - 1 - FRACTION_BITS / 4, 16, 4) >= 8)
        fraction++;
    if (fraction >> FRACTION_BITS != 0) {
        fraction >>= 4;
        count++;
    }
    sixteens = count == 0 ? 0 : sixteens + (int)count + EXCESS;
    if (sixteens < 0 || sixteens > 127)
        return false;
    line_byte(to, (char)(sixteens | (number.negative && count > 0 ? 0x80 : 0)));
    for (int shift = FRACTION_BITS - 8; shift >= 0; shift -= 8)
        line_byte(to, (char)(fraction >> shift));
    return true;
}

/* ---- dates: 0CYYDDDF, packed, and the time of day after it ---- */

static u32 month_length(u32 year, u32 month)
{
    static const u8 days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

    return days[month - 1] + (month == 2 && (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)) ? 1u : 0u);
}

static bool packed_to_date(const char *text, u32 length, struct line *to)
{
    u32 digits[8], year, day, month = 1;
    char out[12];

    if (length < 4)
        return false;
    for (u32 k = 0; k < 8; k++)
        digits[k] = k % 2 == 0 ? (u8)text[k / 2] >> 4 : text[k / 2] & 15u;
    for (u32 k = 0; k < 7; k++)
        if (digits[k] > 9)
            return false;
    if (digits[0] != 0 || digits[7] < 10)
        return false;
    year = 1900 + digits[1] * 100 + digits[2] * 10 + digits[3];
    day = digits[4] * 100 + digits[5] * 10 + digits[6];
    for (; month <= 12 && day > month_length(year, month); month++)
        day -= month_length(year, month);
    if (month > 12 || day == 0)
        return false;
    line_add(to, out, format(out, sizeof out, "%04u%02u%02u", year, month, day));
    for (u32 k = 4; k < length; k++)
        if (((u8)text[k] >> 4) > 9 || (text[k] & 15) > 9)
            return false;
    to_digits(text + 4, length - 4, 4, to);
    return true;
}

static bool date_to_packed(const char *text, u32 length, struct line *to)
{
    u32 year, month, day, digits;

    strip_blanks(&text, &length);
    if (length < 8 || length % 2 != 0 || !parse_number(text, 4, &year) || !parse_number(text + 4, 2, &month) ||
        !parse_number(text + 6, 2, &day) || year < 1900 || year > 2899 || month < 1 || month > 12 || day < 1 ||
        day > month_length(year, month))
        return false;
    for (u32 k = 8; k < length; k++)
        if (!is_digit(text[k]))
            return false;
    while (--month > 0)
        day += month_length(year, month);
    digits = (year - 1900) * 1000 + day;
    line_byte(to, (char)(digits / 100000));
    line_byte(to, (char)(digits / 10000 % 10 << 4 | digits / 1000 % 10));
    line_byte(to, (char)(digits / 100 % 10 << 4 | digits / 10 % 10));
    line_byte(to, (char)(digits % 10 << 4 | 15));
    return from_digits(text + 8, length - 8, 16, 2, to);
}

/* ---- strings after their length ---- */

static bool counted_to_text(const char *text, u32 length, struct line *to)
{
    u32 counted = length < LENGTH_PREFIX ? 0 : (u32)(u8)text[0] << 8 | (u8)text[1];

    if (length < LENGTH_PREFIX || counted > length - LENGTH_PREFIX)
        return false;
    line_add(to, text + LENGTH_PREFIX, counted);
    return true;
}

static bool text_to_counted(const char *text, u32 length, struct line *to)
{
    if (length > 0xffff)
        return false;
    line_byte(to, (char)(length >> 8));
    line_byte(to, (char)length);
    line_add(to, text, length);
    return true;
}

/* ---- the pairs ---- */

static bool shown(char as, u32 decimals, const char *text, u32 length, struct line *to)
{
    switch (as) {
    case 'X':
        to_digits(text, length, 4, to);
        return true;
    case 'B':
        to_digits(text, length, 1, to);
        return true;
    case 'D':
        return binary_to_decimal(text, length, to);
    case 'F':
        return float_to_decimal(text, length, to);
    case 'P':
        return packed_to_decimal(text, length, decimals, to);
    case 'I':
        return packed_to_date(text, length, to);
    default:
        return counted_to_text(text, length, to);
    }
}

static bool meant(char as, u32 decimals, const char *text, u32 length, struct line *to)
{
    switch (as) {
    case 'X':
        return from_digits(text, length, 16, 2, to);
    case 'B':
        return from_digits(text, length, 2, 8, to);
    case 'D':
        return decimal_to_binary(text, length, to);
    case 'F':
        return decimal_to_float(text, length, to);
    case 'P':
        return decimal_to_packed(text, length, decimals, to);
    case 'I':
        return date_to_packed(text, length, to);
    default:
        return text_to_counted(text, length, to);
    }
}

bool conversion_of(const char *word, u32 length, struct conversion *conversion)
{
    static const char letters[] = "CXBDFPIV";
    bool known[2] = { false, false };
    u32 decimals = 0;

    if (length < 3 || word[1] != '2')
        return false;
    conversion->from = upper(word[0]);
    conversion->to = upper(word[2]);
    for (u32 n = 0; n < sizeof letters - 1; n++) {
        known[0] = known[0] || conversion->from == letters[n];
        known[1] = known[1] || conversion->to == letters[n];
    }
    /* Of packed decimal numbers how many digits are after the period: C2P(2). */
    if (length > 3 && (conversion->from == 'P' || conversion->to == 'P') && word[3] == '(' && word[length - 1] == ')') {
        if (!parse_number(word + 4, length - 5, &decimals) || decimals > 2 * PACKED_MOST - 1)
            return false;
        length = 3;
    }
    conversion->decimals = decimals;
    return length == 3 && known[0] && known[1] && conversion->from != conversion->to;
}

bool convert(const struct conversion *conversion, const char *text, u32 length, struct line *between, struct line *to)
{
    between->length = to->length = 0;
    if (conversion->from == 'C')
        return shown(conversion->to, conversion->decimals, text, length, to);
    if (conversion->to == 'C')
        return meant(conversion->from, conversion->decimals, text, length, to);
    return meant(conversion->from, conversion->decimals, text, length, between) &&
           shown(conversion->to, conversion->decimals, between->buffer.at, between->length, to);
}

/* ---- numbers that are compared: as they are written, whatever their length ---- */

struct written { bool negative; struct text whole, part; };

static bool read_number(struct text text, struct written *number)
{
    strip_blanks(&text.at, &text.length);
    number->negative = text.length > 0 && *text.at == '-';
    if (text.length > 0 && (*text.at == '-' || *text.at == '+')) {
        text.at++, text.length--;
        strip_blanks(&text.at, &text.length);
    }
    number->whole = (struct text){ text.at, 0 };
    while (number->whole.length < text.length && is_digit(text.at[number->whole.length]))
        number->whole.length++;
    number->part = (struct text){ text.at + number->whole.length, 0 };
    text.length -= number->whole.length;
    if (text.length > 0 && *number->part.at == '.') {
        number->part.at++, text.length--;
        while (number->part.length < text.length && is_digit(number->part.at[number->part.length]))
            number->part.length++;
    }
    if (text.length != number->part.length || number->whole.length + number->part.length == 0)
        return false;
    for (; number->whole.length > 0 && *number->whole.at == '0'; number->whole.at++)
        number->whole.length--;
    while (number->part.length > 0 && number->part.at[number->part.length - 1] == '0')
        number->part.length--;
    if (number->whole.length + number->part.length == 0)
        number->negative = false;
    return true;
}

bool compare_numbers(struct text a, struct text b, int *order)
{
    struct written x, y;
    u32 both;

    if (!read_number(a, &x) || !read_number(b, &y))
        return false;
    if (x.negative != y.negative) {
        *order = x.negative ? -1 : 1;
        return true;
    }
    *order = x.whole.length != y.whole.length ? (x.whole.length < y.whole.length ? -1 : 1)
                                              : memcmp(x.whole.at, y.whole.at, x.whole.length);
    both = x.part.length < y.part.length ? x.part.length : y.part.length;
    if (*order == 0)
        *order = memcmp(x.part.at, y.part.at, both);
    if (*order == 0 && x.part.length != y.part.length)
        *order = x.part.length < y.part.length ? -1 : 1;
    if (x.negative)
        *order = -*order;
    return true;
}
