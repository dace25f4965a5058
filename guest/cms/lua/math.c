/*
 * Mathematics: parts of numbers, remainders, and functions of angles.
 *
 * Angles are reduced by a product with as many bits of 2/pi as matter, so that those of any size are right. Series are
 * Taylor's, over ranges where a few terms do.
 */
#include "decimal.h"
#include "twofold.h"

#include <math.h>

typedef uint32_t u32;
typedef uint64_t u64;

union bits { double value; u64 word; };

enum { SPECIAL = 972 };                 /* parts_of().exponent of infinities and NaNs */

static const struct twofold half_pi = { 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54 };

static double not_a_number(void) { return __builtin_nan(""); }

double frexp(double x, int *exponent)
{
    union bits bits = { .value = x };
    int power = (int)(bits.word >> 52) & 0x7ff;

    *exponent = 0;
    if (x == 0 || power == 0x7ff)
        return x;
    if (power == 0) {
        x = frexp(x * 0x1p64, exponent);
        *exponent -= 64;
        return x;
    }
    *exponent = power - 1022;
    bits.word = (bits.word & ~(0x7ffull << 52)) | 1022ull << 52;
    return bits.value;
}

/* 2^n, -1022 <= n <= 1023 */
static double power_of_two(int n)
{
    union bits bits = { .word = (u64)(n + 1023) << 52 };

    return bits.value;
}

double ldexp(double x, int exponent)
{
    for (; exponent > 1023; exponent -= 1023) {
        x *= 0x1p1023;
        if (x == 0 || x - x != 0)
            return x;
    }
    /* In one step into the subnormal numbers: two would round twice. */
    for (; exponent < -1022 && x != 0; exponent += 969)
        x *= 0x1p-969;
    return x == 0 ? x : x * power_of_two(exponent);
}

double fmod(double x, double y)
{
    double rest = fabs(x), by = fabs(y);

    if (x != x || y != y || rest - rest != 0 || by == 0)
        return not_a_number();
    while (rest >= by) {
        int of_rest, of_by;
        double step = by;

        (void)frexp(rest, &of_rest);
        (void)frexp(by, &of_by);
        if (of_rest - of_by > 50)
            step = ldexp(by, of_rest - of_by - 50);
        rest = multiply_add(-floor(rest / step), step, rest);
        if (rest < 0)
            rest += step;
    }
    return __builtin_copysign(rest, x);
}

/* ---- sine, cosine, tangent ---- */

static const u32 two_by_pi[40] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a,
    0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41,
    0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf,
    0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08,
    0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d,
};

/*
 * An angle of at least pi/4 less the nearest multiple of pi/2; which one, modulo 4. The product has six words, the
 * first two bits of which are the quadrant: what lies before them are whole turns, and what comes after is too small.
 */
static struct twofold reduced(struct parts x, int *quadrant)
{
    enum { WORDS = 6 };
    int skip = x.exponent > 2 ? x.exponent - 2 : 0, shift = x.exponent > 2 ? 0 : 2 - x.exponent;
    u32 m[2] = { (u32)x.mantissa, (u32)(x.mantissa >> 32) }, product[WORDS + 2] = { 0 }, fraction[WORDS];
    struct twofold part = { 0, 0 };
    double scale = 0x1p-32;
    bool negative;

    for (int n = 0; n < WORDS; n++) {
        /* The lowest word first. */
        int word = skip / 32 + WORDS - 1 - n, bits = skip % 32;
        u32 of = bits == 0 ? two_by_pi[word] : two_by_pi[word] << bits | two_by_pi[word + 1] >> (32 - bits);
        u64 carry = 0;

        for (int k = 0; k < 2; k++) {
            carry += (u64)of * m[k] + product[n + k];
            product[n + k] = (u32)carry;
            carry >>= 32;
        }
        product[n + 2 < WORDS + 2 ? n + 2 : WORDS + 1] += (u32)carry;
    }
    for (int n = 0; n < WORDS; n++) {
        int from = n + shift / 32, bits = shift % 32;
        u32 low = from < WORDS + 2 ? product[from] : 0, high = from + 1 < WORDS + 2 ? product[from + 1] : 0;

        fraction[n] = bits == 0 ? low : low >> bits | high << (32 - bits);
    }
    *quadrant = (int)(fraction[WORDS - 1] >> 30);
    negative = (fraction[WORDS - 1] & 0x20000000) != 0;
    *quadrant = (*quadrant + negative) & 3;
    for (int n = WORDS; n-- > 0; scale *= 0x1p-32) {
        u32 word = fraction[n] << 2 | (n > 0 ? fraction[n - 1] >> 30 : 0);
        struct twofold sum = quick_sum(part.high, (double)(negative ? ~word : word) * scale);

        part = quick_sum(sum.high, part.low + sum.low);
    }
    if (negative)
        part = (struct twofold){ -part.high, -part.low };
    return multiply(part, half_pi);
}

/* Taylor's series after the first terms, in z = x * x. */
static double series(double z, const double *terms, int count)
{
    double sum = terms[count - 1];

    for (int n = count - 1; n-- > 0;)
        sum = multiply_add(sum, z, terms[n]);
    return sum;
}

static double sine_of(struct twofold x)
{
    static const double terms[] = { -1. / 6, 1. / 120, -1. / 5040, 1. / 362880, -1. / 39916800, 1. / 6227020800.,
                                    -1. / 1307674368000., 1. / 355687428096000. };
    double z = x.high * x.high;

    return x.high + (x.high * z * series(z, terms, 8) + x.low * (1 - z / 2));
}

static double cosine_of(struct twofold x)
{
    static const double terms[] = { 1. / 24, -1. / 720, 1. / 40320, -1. / 3628800, 1. / 479001600, -1. / 87178291200.,
                                    1. / 20922789888000., -1. / 6402373705728000. };
    double z = x.high * x.high, first = 1 - z / 2;

    return first + ((1 - first - z / 2) + (z * z * series(z, terms, 8) - x.high * x.low));
}

/* Sine, or a quadrant further cosine. */
static double wave(double x, int ahead)
{
    struct parts parts = parts_of(x);
    struct twofold angle = { fabs(x), 0 };
    int quadrant = 0;
    double value;

    if (parts.exponent == SPECIAL)
        return not_a_number();
    if (angle.high > 0.785)
        angle = reduced(parts, &quadrant);
    quadrant += ahead;
    value = quadrant & 1 ? cosine_of(angle) : sine_of(angle);
    if (quadrant & 2)
        value = -value;
    return ahead == 0 && parts.negative ? -value : value;
}

double sin(double x) { return wave(x, 0); }
double cos(double x) { return wave(x, 1); }
double tan(double x) { return sin(x) / cos(x); }

/* ---- and back ---- */

/* Of eighths, 0 to 8. */
static const struct twofold arcs[] = {
    { 0, 0 }, { 0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59 }, { 0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57 },
    { 0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56 }, { 0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56 },
    { 0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58 }, { 0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56 },
    { 0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56 }, { 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55 },
};

/* The arc whose tangent is y / x, 0 <= y <= x: that of the nearest eighth, and of what is left. */
static struct twofold arc(double y, double x)
{
    static const double terms[] = { -1. / 3, 1. / 5, -1. / 7, 1. / 9, -1. / 11, 1. / 13, -1. / 15 };
    int near = (int)(y / x * 8 + 0.5);
    double eighth = near / 8.0;
    struct twofold up = add(product_of(-eighth, x), (struct twofold){ y, 0 });
    struct twofold down = add(product_of(eighth, y), (struct twofold){ x, 0 });
    struct twofold left = divide(up, down);
    double z = left.high * left.high;

    left.low += left.high * z * series(z, terms, 7);
    return add(arcs[near], left);
}

double atan2(double y, double x)
{
    double up = fabs(y), right = fabs(x);
    struct twofold angle;
    int of_larger;

    if (x != x || y != y)
        return not_a_number();
    if (up - up != 0 && right - right != 0)
        up = right = 1;
    if (up == 0 || right - right != 0)
        angle = (struct twofold){ 0, 0 };
    else if (right == 0 || up - up != 0)
        angle = half_pi;
    else {
        /* Neither too large nor too small for products. */
        (void)frexp(up > right ? up : right, &of_larger);
        up = ldexp(up, -of_larger);
        right = ldexp(right, -of_larger);
        if (up == 0)
            return __builtin_copysign(__builtin_signbit(x) ? half_pi.high * 2 : fabs(y) / fabs(x), y);
        angle = up <= right ? arc(up, right) : arc(right, up);
        if (up > right)
            angle = add(half_pi, (struct twofold){ -angle.high, -angle.low });
    }
    if (__builtin_signbit(x))
        angle = add((struct twofold){ 2 * half_pi.high, 2 * half_pi.low }, (struct twofold){ -angle.high, -angle.low });
    return __builtin_copysign(angle.high + angle.low, y);
}

double asin(double x)
{
    return x < -1 || x > 1 || x != x ? not_a_number() : atan2(x, sqrt((1 - x) * (1 + x)));
}

double acos(double x)
{
    return x < -1 || x > 1 || x != x ? not_a_number() : atan2(sqrt((1 - x) * (1 + x)), x);
}
