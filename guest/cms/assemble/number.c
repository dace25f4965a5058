/*
 * Numbers of DC: decimal text as fixed-point, hexadecimal and binary floating-point, packed and zoned numbers.
 *
 * Text is taken exactly, as a large number over a power of two, and rounded once.
 */
#include "assemble.h"

enum { LIMBS = 80, DIGITS_MOST = 150, EXPONENT_MOST = 340 };

/* A large number, its least significant part first. */
struct large { u32 limb[LIMBS]; u32 count; };

static void multiply(struct large *n, u32 by)
{
    u32 carry = 0;

    for (u32 k = 0; k < n->count; k++) {
        uint64_t product = (uint64_t)n->limb[k] * by + carry;

        n->limb[k] = (u32)product;
        carry = (u32)(product >> 32);
    }
    if (carry != 0 && n->count < LIMBS)
        n->limb[n->count++] = carry;
}

static void increase(struct large *n, u32 by)
{
    for (u32 k = 0; by != 0 && k < LIMBS; k++) {
        if (k == n->count)
            n->limb[n->count++] = 0;
        n->limb[k] += by;
        by = n->limb[k] < by;
    }
}

/* The rest. */
static u32 divide_by_10(struct large *n)
{
    u32 rest = 0;

    for (u32 k = n->count; k-- > 0;) {
        /* Halves: no division of more than 32 bits. */
        u32 high = rest << 16 | n->limb[k] >> 16, low;

        rest = high % 10;
        low = rest << 16 | (n->limb[k] & 0xffff);
        rest = low % 10;
        n->limb[k] = (high / 10) << 16 | low / 10;
    }
    while (n->count > 0 && n->limb[n->count - 1] == 0)
        n->count--;
    return rest;
}

static u32 bits_of(const struct large *n)
{
    u32 bits = n->count * 32;

    if (n->count == 0)
        return 0;
    for (u32 top = n->limb[n->count - 1]; (top & 0x80000000) == 0; top <<= 1)
        bits--;
    return bits;
}

static bool bit_of(const struct large *n, u32 bit)
{
    return bit / 32 < n->count && (n->limb[bit / 32] >> bit % 32 & 1);
}

static void shift_left(struct large *n, u32 by)
{
    u32 words = by / 32, bits = by % 32;

    for (; words > 0 && n->count > 0 && n->count < LIMBS; words--) {
        memmove(n->limb + 1, n->limb, n->count * sizeof *n->limb);
        n->limb[0] = 0;
        n->count++;
    }
    if (bits != 0)
        multiply(n, 1u << bits);
}

/* What is shifted out is told. */
static bool shift_right(struct large *n, u32 by)
{
    bool lost = false;
    struct large to = { .count = 0 };
    u32 bits = bits_of(n);

    for (u32 k = 0; k < by && k < bits; k++)
        lost |= bit_of(n, k);
    for (u32 k = by; k < bits; k++) {
        if ((k - by) % 32 == 0)
            to.limb[to.count++] = 0;
        to.limb[to.count - 1] |= (u32)bit_of(n, k) << (k - by) % 32;
    }
    *n = to;
    return lost;
}

/* Text: [sign] digits [. digits] [E [sign] digits]. The value is n times 10 to the power of *ten. */
static bool decimal(struct text text, struct large *n, int *ten, bool *negative)
{
    struct scan scan = scan_of(trimmed(text));
    u32 digits = 0, exponent = 0;
    bool point = false, minus;

    n->count = 0;
    *ten = 0;
    *negative = scan.at < scan.end && *scan.at == '-';
    if (scan.at < scan.end && (*scan.at == '-' || *scan.at == '+'))
        scan.at++;
    for (; scan.at < scan.end && (is_digit(*scan.at) || (*scan.at == '.' && !point)); scan.at++) {
        if (*scan.at == '.') {
            point = true;
            continue;
        }
        if (++digits > DIGITS_MOST)
            return false;
        multiply(n, 10);
        increase(n, (u32)(*scan.at - '0'));
        *ten -= point;
    }
    if (digits == 0)
        return false;
    if (scan.at == scan.end)
        return true;
    if (upper(*scan.at++) != 'E')
        return false;
    minus = scan.at < scan.end && *scan.at == '-';
    if (scan.at < scan.end && (*scan.at == '-' || *scan.at == '+'))
        scan.at++;
    if (scan.at == scan.end)
        return false;
    for (; scan.at < scan.end; scan.at++) {
        if (!is_digit(*scan.at) || exponent > 9999)
            return false;
        exponent = exponent * 10 + (u32)(*scan.at - '0');
    }
    *ten += minus ? -(int)exponent : (int)exponent;
    return true;
}

/* Makes it n over 2 to the power of *two, with at least `bits` bits; *sticky: and a little more. */
static bool binary(struct large *n, int ten, u32 bits, int *two, bool *sticky)
{
    *two = 0;
    *sticky = false;
    if (n->count == 0)
        return true;
    if (ten > EXPONENT_MOST || ten < -EXPONENT_MOST - DIGITS_MOST)
        return false;
    for (; ten > 0; ten--)
        multiply(n, 10);
    /* 10 is less than 2 to the power of 3.4. */
    u32 have = bits_of(n), want = bits + 2 + (u32)-ten * 7 / 2;

    if (have < want) {
        *two = (int)(want - have);
        shift_left(n, want - have);
    }
    for (; ten < 0; ten++)
        *sticky |= divide_by_10(n) != 0;
    return true;
}

bool number_fixed(struct text text, int scale, int exponent, u32 length, u8 *to)
{
    struct large n;
    int ten, two;
    bool negative, sticky;
    uint64_t value, most = ((uint64_t)1 << (length * 8 - 1)) - 1;

    if (!decimal(text, &n, &ten, &negative) || !binary(&n, ten + exponent, 70, &two, &sticky)) {
        flag_text(9120, ERROR, text);
        return false;
    }
    /* One bit more than wanted, for rounding. */
    two -= scale + 1;
    if (two > 0)
        (void)shift_right(&n, (u32)two);
    else if (two > -200)
        shift_left(&n, (u32)-two);
    increase(&n, 1);
    (void)shift_right(&n, 1);
    value = n.count > 1 ? (uint64_t)n.limb[1] << 32 | n.limb[0] : n.count == 1 ? n.limb[0] : 0;
    if (two <= -200 || n.count > 2 || value > most + negative) {
        flag_text(9121, ERROR, text);
        return false;
    }
    if (negative)
        value = 0 - value;
    for (u32 k = length; k-- > 0; value >>= 8)
        to[k] = (u8)value;
    return true;
}

/* The lowest `bits` bits of n into whole bytes. */
static void put_bits(const struct large *n, u32 bits, u8 *to)
{
    for (u32 k = 0; k < bits; k++)
        if (bit_of(n, k))
            to[(bits - 1 - k) / 8] |= (u8)(1u << k % 8);
}

bool number_hexadecimal(struct text text, int exponent, u32 length, u8 *to)
{
    struct large n;
    int ten, two, characteristic, shift;
    bool negative, sticky;
    u32 bits = length > 8 ? 112 : (length - 1) * 8;
    u8 fraction[16] = { 0 };

    memset(to, 0, length);
    if (!decimal(text, &n, &ten, &negative) || !binary(&n, ten + exponent, 128, &two, &sticky)) {
        flag_text(9120, ERROR, text);
        return false;
    }
    if (n.count == 0 || bits == 0) {
        to[0] = negative ? 0x80 : 0;
        return true;
    }
    /* Below 16 to the power of the characteristic, and not by more than one digit. */
    characteristic = (int)bits_of(&n) - two;
    characteristic = characteristic >= 0 ? (characteristic + 3) / 4 : -(-characteristic / 4);
    shift = two + 4 * characteristic - (int)bits;
    (void)shift_right(&n, (u32)shift - 1);
    increase(&n, 1);
    (void)shift_right(&n, 1);
    if (bits_of(&n) > bits) {
        (void)shift_right(&n, 4);
        characteristic++;
    }
    characteristic += 64;
    if (characteristic < 0 || characteristic > 127) {
        flag_text(9121, ERROR, text);
        return false;
    }
    put_bits(&n, bits, fraction);
    to[0] = (u8)(characteristic | (negative ? 0x80 : 0));
    memcpy(to + 1, fraction, length > 8 ? 7 : length - 1);
    if (length > 8) {
        to[8] = (u8)(((characteristic - 14) & 0x7f) | (negative ? 0x80 : 0));
        memcpy(to + 9, fraction + 7, length - 9 < 7 ? length - 9 : 7);
    }
    return true;
}

bool number_binary(struct text text, int exponent, u32 length, u8 *to)
{
    struct large n;
    int ten, two, power;
    bool negative, sticky, half;
    u32 precision = length == 4 ? 24 : 53, bias = length == 4 ? 127 : 1023, bits, drop;

    memset(to, 0, length);
    if (!decimal(text, &n, &ten, &negative) || !binary(&n, ten + exponent, 80, &two, &sticky)) {
        flag_text(9120, ERROR, text);
        return false;
    }
    if (n.count != 0) {
        bits = bits_of(&n);
        power = (int)bits - two - 1 + (int)bias;
        drop = bits - precision;
        /* Numbers too small to be normalized have fewer bits. */
        if (power < 1) {
            drop += (u32)(1 - power);
            power = 0;
        }
        sticky |= shift_right(&n, drop - 1);
        half = bit_of(&n, 0);
        (void)shift_right(&n, 1);
        if (half && (sticky || bit_of(&n, 0)))
            increase(&n, 1);
        if (power == 0 && bits_of(&n) == precision)
            power = 1;
        if (bits_of(&n) > precision) {
            (void)shift_right(&n, 1);
            power++;
        }
        if (power >= (int)(2 * bias + 1)) {
            flag_text(9121, ERROR, text);
            return false;
        }
        if (power > 0)
            n.limb[(precision - 1) / 32] &= ~(1u << (precision - 1) % 32);
        put_bits(&n, length * 8, to);
        if (length == 4) {
            to[0] |= (u8)(power >> 1);
            to[1] |= (u8)(power << 7);
        } else {
            to[0] |= (u8)(power >> 4);
            to[1] |= (u8)(power << 4);
        }
    }
    if (negative)
        to[0] |= 0x80;
    return true;
}

/* Digits with a sign; a point says nothing. `needed`: bytes for all of them. */
bool number_packed(struct text text, u32 length, u8 *to, bool zoned, u32 *needed)
{
    struct text all = trimmed(text);
    bool negative = all.length > 0 && all.at[0] == '-';
    u32 digits = 0, at = length * 2 - 1;

    if (all.length > 0 && (all.at[0] == '-' || all.at[0] == '+'))
        all.at++, all.length--;
    for (u32 n = 0; n < all.length; n++) {
        if (!is_digit(all.at[n]) && all.at[n] != '.') {
            flag_text(9120, ERROR, text);
            return false;
        }
        digits += all.at[n] != '.';
    }
    if (digits == 0) {
        flag_text(9120, ERROR, text);
        return false;
    }
    *needed = zoned ? digits : digits / 2 + 1;
    if (to == NULL)
        return true;
    memset(to, zoned ? 0xf0 : 0, length);
    if (*needed > length)
        flag_text(9121, ERROR, text);
    if (zoned) {
        at = length;
        for (u32 n = all.length; n-- > 0 && at > 0;)
            if (all.at[n] != '.')
                to[--at] = (u8)all.at[n];
        to[length - 1] = (u8)((to[length - 1] & 0x0f) | (negative ? 0xd0 : 0xc0));
        return true;
    }
    to[length - 1] = negative ? 0x0d : 0x0c;
    for (u32 n = all.length; n-- > 0 && at > 0;)
        if (all.at[n] != '.') {
            at--;
            to[at / 2] |= (u8)((all.at[n] & 0x0f) << (at % 2 == 0 ? 4 : 0));
        }
    return true;
}
