/*
 * Numbers in binary floating point and their digits: both ways exact.
 *
 * Every double is a whole number times a power of two, so its decimal digits come to an end. They are made nine at a
 * time, in words below 10^9. The other way round, digits are a quotient of two whole numbers; as many bits of it are
 * made as a double has, and what is left says how they are rounded. What most programs have, few digits and small
 * powers of ten, is one multiplication or division.
 */
#include "decimal.h"

#include <ctype.h>
#include <string.h>

typedef uint32_t u32;
typedef uint64_t u64;

enum { BIAS = 1075, LEAST = -1074, MOST = 971, BILLION = 1000000000 };

union bits { double value; u64 word; };

struct parts parts_of(double value)
{
    union bits bits = { .value = value };
    int exponent = (int)(bits.word >> 52) & 0x7ff;
    u64 mantissa = bits.word & ((1ull << 52) - 1);

    return (struct parts){ bits.word >> 63, (exponent != 0 ? exponent : 1) - BIAS,
                           exponent != 0 ? mantissa | 1ull << 52 : mantissa };
}

/* ---- from binary to decimal ---- */

/* Words below 10^9: those before `point` are whole, the others the fraction. */
enum { WHOLE = 36, WORDS = WHOLE + 122 };
struct decimal { u32 word[WORDS]; int first, end; };

static void double_it(struct decimal *d, int times)
{
    for (; times > 0; times -= 29) {
        int by = times < 29 ? times : 29;
        u32 carry = 0;

        for (int n = d->end; n-- > d->first;) {
            u64 pair = ((u64)d->word[n] << by) + carry;

            /* DIVIDE LOGICAL: the quotient fits, since the number is less than 10^9 * 2^29. The rest comes first. */
            __asm__("dlr %0,%1" : "+d"(pair) : "d"((u32)BILLION) : "cc");
            d->word[n] = (u32)(pair >> 32);
            carry = (u32)pair;
        }
        if (carry != 0)
            d->word[--d->first] = carry;
    }
}

static void halve_it(struct decimal *d, int times)
{
    for (; times > 0; times -= 9) {
        int by = times < 9 ? times : 9;
        u32 carry = 0, mask = (1u << by) - 1;

        for (int n = d->first; n < d->end; n++) {
            u32 word = d->word[n];

            d->word[n] = (word >> by) + carry;
            carry = (word & mask) * (BILLION >> by);
        }
        if (carry != 0)
            d->word[d->end++] = carry;
        while (d->first < d->end && d->first < WHOLE && d->word[d->first] == 0)
            d->first++;
    }
}

static void nine_digits(u32 word, char *to)
{
    for (int n = 9; n-- > 0; word /= 10)
        to[n] = (char)(word % 10);
}

/* Digits of values 0 to 9, rounded to so many; sticky: further ones are not all zero. True: a digit came in front. */
static bool round_digits(char *digits, int *count, int keep, bool sticky)
{
    bool up, odd = keep > 0 && (digits[keep - 1] & 1);

    if (keep >= *count)
        return false;
    if (keep < 0) {
        *count = 0;
        return false;
    }
    for (int n = keep + 1; n < *count; n++)
        sticky |= digits[n] != 0;
    up = digits[keep] > 5 || (digits[keep] == 5 && (sticky || odd));
    *count = keep;
    if (!up)
        return false;
    for (int n = keep; n-- > 0; digits[n] = 0)
        if (digits[n] < 9) {
            digits[n]++;
            return false;
        }
    /* All were nines. */
    digits[0] = 1;
    *count = keep > 0 ? keep : 1;
    return true;
}

int digits_of(double value, int count, bool fraction, char digits[DIGITS_MOST], int *point)
{
    struct parts parts = parts_of(value);
    struct decimal d;
    int have = 0, keep, skip = 0, last;
    bool sticky = false;

    *point = 1;
    digits[0] = 0;
    if (parts.mantissa == 0)
        return 1;
    while ((parts.mantissa & 1) == 0) {
        parts.mantissa >>= 1;
        parts.exponent++;
    }
    d.word[WHOLE - 1] = (u32)(parts.mantissa % BILLION);
    d.word[WHOLE - 2] = (u32)(parts.mantissa / BILLION);
    d.first = d.word[WHOLE - 2] != 0 ? WHOLE - 2 : WHOLE - 1;
    d.end = WHOLE;
    if (parts.exponent > 0)
        double_it(&d, parts.exponent);
    else
        halve_it(&d, -parts.exponent);
    while (d.word[d.first] == 0)
        d.first++;
    *point = (WHOLE - d.first) * 9;
    /* Only the words that can be seen become digits. */
    keep = fraction ? *point + count : count + 9;
    last = keep < 0 ? d.first + 1 : keep / 9 + 2 < d.end - d.first ? d.first + keep / 9 + 2 : d.end;
    for (int n = d.first; n < last; n++, have += 9)
        nine_digits(d.word[n], digits + have);
    for (int n = last; n < d.end && !sticky; n++)
        sticky = d.word[n] != 0;
    while (digits[skip] == 0)
        skip++;
    have -= skip;
    memmove(digits, digits + skip, (size_t)have);
    *point -= skip;
    keep = fraction ? *point + count : count;
    if (round_digits(digits, &have, keep, sticky))
        (*point)++;
    if (have == 0) {
        digits[0] = 0;
        *point = 1;
        return 1;
    }
    return !fraction && have > count ? count : have;
}

/* ---- from decimal to binary ---- */

/* mantissa * 2^exponent and, with `sticky`, a little more, as the nearest double. */
static double assembled(u64 mantissa, int exponent, bool sticky, bool negative)
{
    union bits bits;
    int shift = 0;

    while (mantissa >> 53 >> shift != 0)
        shift++;
    if (exponent + shift < LEAST)
        shift = LEAST - exponent;
    if (shift > 0) {
        u64 rest = shift > 63 ? mantissa : mantissa & ((1ull << shift) - 1);
        u64 half = shift > 64 ? 0 : 1ull << (shift - 1);

        mantissa = shift > 63 ? 0 : mantissa >> shift;
        if (half != 0 && (rest > half || (rest == half && (sticky || (mantissa & 1)))))
            mantissa++;
        exponent += shift;
    } else {
        while (mantissa != 0 && exponent > LEAST && mantissa >> 52 == 0) {
            mantissa <<= 1;
            exponent--;
        }
    }
    if (mantissa >> 53 != 0) {
        mantissa >>= 1;
        exponent++;
    }
    if (mantissa == 0)
        bits.word = 0;
    else if (exponent > MOST)
        bits.word = 0x7ffull << 52;
    else
        bits.word = (mantissa >> 52 != 0 ? (u64)(exponent + BIAS) << 52 : 0) | (mantissa & ((1ull << 52) - 1));
    bits.word |= (u64)negative << 63;
    return bits.value;
}

/* Whole numbers of any size, the lowest word first. */
enum { BIG = 224, DIGITS_KEPT = 780 };
struct big { u32 count, word[BIG]; };

static void big_scale(struct big *b, u32 by, u32 add)
{
    u64 carry = add;

    for (u32 n = 0; n < b->count; n++) {
        carry += (u64)b->word[n] * by;
        b->word[n] = (u32)carry;
        carry >>= 32;
    }
    if (carry != 0)
        b->word[b->count++] = (u32)carry;
}

static void big_shift(struct big *b, u32 by)
{
    u32 words = by / 32, bits = by % 32;

    if (b->count == 0)
        return;
    if (bits != 0)
        big_scale(b, 1u << bits, 0);
    memmove(b->word + words, b->word, b->count * 4);
    memset(b->word, 0, words * 4);
    b->count += words;
}

static u32 big_bits(const struct big *b)
{
    u32 bits = b->count * 32;

    for (u32 top = b->word[b->count - 1]; (top & 0x80000000) == 0; top <<= 1)
        bits--;
    return bits;
}

static int big_compare(const struct big *a, const struct big *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (u32 n = a->count; n-- > 0;)
        if (a->word[n] != b->word[n])
            return a->word[n] < b->word[n] ? -1 : 1;
    return 0;
}

static void big_subtract(struct big *a, const struct big *b)
{
    u64 borrow = 0;

    for (u32 n = 0; n < a->count; n++) {
        u64 word = (u64)a->word[n] - (n < b->count ? b->word[n] : 0) - borrow;

        a->word[n] = (u32)word;
        borrow = word >> 63;
    }
    while (a->count > 0 && a->word[a->count - 1] == 0)
        a->count--;
}

/* up * 10^power, of which `up` is not zero; more: there were further digits. */
static double quotient(struct big *up, int power, bool more, bool negative)
{
    struct big down = { 1, { 1 } };
    u64 bits = 0;
    int exponent, wanted = 64;

    for (int n = power; n > 0; n -= 9)
        big_scale(up, n >= 9 ? BILLION
                             : (u32[]){ 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000 }[n], 0);
    for (int n = -power; n > 0; n -= 9)
        big_scale(&down, n >= 9 ? BILLION : (u32[]){ 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000 }[n],
                  0);
    exponent = (int)big_bits(up) - (int)big_bits(&down);
    if (exponent > 0)
        big_shift(&down, (u32)exponent);
    else
        big_shift(up, (u32)-exponent);
    /* Now the quotient lies between a half and two. */
    for (int n = 0; n < wanted && up->count > 0; n++) {
        bits <<= 1;
        if (big_compare(up, &down) >= 0) {
            big_subtract(up, &down);
            bits |= 1;
        }
        big_shift(up, 1);
        if (up->count == 0)
            bits <<= wanted - 1 - n;
    }
    return assembled(bits, exponent - (wanted - 1), more || up->count > 0, negative);
}

static double power_of_ten(int n)
{
    static const double powers[23] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14,
                                       1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

    return powers[n];
}

/* What follows e or p: a sign and digits. Without digits nothing of it belongs to the number. */
static const char *exponent_at(const char *at, int *exponent)
{
    const char *from = at + 1;
    bool minus = *from == '-';
    int value = 0;

    if (*from == '-' || *from == '+')
        from++;
    if (!isdigit((unsigned char)*from))
        return at;
    for (; isdigit((unsigned char)*from); from++)
        if (value < 100000)
            value = value * 10 + (*from - '0');
    *exponent = minus ? -value : value;
    return from;
}

static double hexadecimal(const char *at, bool negative, const char **end)
{
    u64 mantissa = 0;
    int scale = 0, power = 0;
    bool sticky = false, any = false, fraction = false;

    for (;; at++) {
        int c = (unsigned char)*at, digit;

        if (c == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (!isxdigit(c))
            break;
        any = true;
        digit = isdigit(c) ? c - '0' : tolower(c) - 'a' + 10;
        if (mantissa >> 59 == 0) {
            mantissa = mantissa << 4 | (u32)digit;
            scale -= fraction ? 4 : 0;
        } else {
            sticky |= digit != 0;
            scale += fraction ? 0 : 4;
        }
    }
    if (!any)
        return 0;
    if (*at == 'p' || *at == 'P')
        at = exponent_at(at, &power);
    *end = at;
    return assembled(mantissa, scale + power, sticky, negative);
}

static double decimal(const char *at, bool negative, const char **end)
{
    struct big big = { 0, { 0 } };
    u64 small = 0;
    int digits = 0, scale = 0, power = 0;
    bool any = false, fraction = false, more = false;

    for (;; at++) {
        int c = (unsigned char)*at;

        if (c == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (!isdigit(c))
            break;
        any = true;
        if (digits >= DIGITS_KEPT) {
            more |= c != '0';
            scale += fraction ? 0 : 1;
            continue;
        }
        scale -= fraction ? 1 : 0;
        if (digits == 0 && c == '0')
            continue;
        if (digits < 19)
            small = small * 10 + (u32)(c - '0');
        else if (digits == 19)
            big = (struct big){ 2, { (u32)small, (u32)(small >> 32) } };
        if (digits++ >= 19)
            big_scale(&big, 10, (u32)(c - '0'));
    }
    if (!any)
        return 0;
    if (*at == 'e' || *at == 'E')
        at = exponent_at(at, &power);
    *end = at;
    power += scale;
    if (digits == 0 || power + digits < -330)
        return assembled(0, 0, false, negative);
    if (power + digits > 310)
        return assembled(1, MOST + 100, false, negative);
    if (digits <= 19 && small >> 53 == 0 && power >= -22 && power <= 22) {
        double value = assembled(small, 0, false, negative);

        return power < 0 ? value / power_of_ten(-power) : value * power_of_ten(power);
    }
    if (digits <= 19)
        big = (struct big){ small >> 32 != 0 ? 2 : 1, { (u32)small, (u32)(small >> 32) } };
    return quotient(&big, power, more, negative);
}

double strtod(const char *text, char **end)
{
    const char *at = text, *after = text;
    bool negative;
    double value;

    while (isspace((unsigned char)*at))
        at++;
    negative = *at == '-';
    if (*at == '-' || *at == '+')
        at++;
    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X') &&
        (isxdigit((unsigned char)at[2]) || (at[2] == '.' && isxdigit((unsigned char)at[3]))))
        value = hexadecimal(at + 2, negative, &after);
    else
        value = decimal(at, negative, &after);
    if (end != NULL)
        *end = (char *)after;
    return value;
}
