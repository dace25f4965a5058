/*
 * Logarithms, exponentials and powers, in sums of two numbers: what can be exact is (twofold.h).
 */
#include "twofold.h"

#include <math.h>

static const struct twofold natural_of_2 = { 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56 };
static const struct twofold by_natural_of_2 = { 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56 };
static const struct twofold by_natural_of_10 = { 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57 };

/*
 * The natural logarithm of a positive number: 2^exponent * m, with m near 1, and of m twice the series of
 * s = (m - 1) / (m + 1).
 */
static struct twofold logarithm(double x, int *exponent)
{
    static const double terms[] = { 1. / 13, 1. / 15, 1. / 17, 1. / 19, 1. / 21, 1. / 23, 1. / 25, 1. / 27, 1. / 29,
                                    1. / 31 };
    double m = frexp(x, exponent), tail;
    struct twofold s, z, sum;

    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        (*exponent)--;
    }
    s = divide((struct twofold){ m - 1, 0 }, sum_of(m, 1));
    z = multiply(s, s);
    tail = terms[9];
    for (int n = 9; n-- > 0;)
        tail = multiply_add(tail, z.high, terms[n]);
    sum = (struct twofold){ tail, 0 };
    for (int odd = 11; odd >= 1; odd -= 2)
        sum = add(multiply(sum, z), divide((struct twofold){ 1, 0 }, (struct twofold){ odd, 0 }));
    sum = multiply(sum, s);
    return (struct twofold){ 2 * sum.high, 2 * sum.low };
}

static struct twofold natural(double x)
{
    int exponent;
    struct twofold of_m = logarithm(x, &exponent);

    return exponent == 0 ? of_m : add(multiply((struct twofold){ exponent, 0 }, natural_of_2), of_m);
}

/* What logarithms of no positive number are; 0: it is one. */
static double no_logarithm(double x)
{
    if (x == 0)
        return -HUGE_VAL;
    if (x < 0 || x != x)
        return __builtin_nan("");
    return x > 0x1.fffffffffffffp1023 ? x : 0;
}

double log(double x)
{
    double odd = no_logarithm(x);
    struct twofold value;

    if (odd != 0)
        return odd;
    value = natural(x);
    return value.high + value.low;
}

double log2(double x)
{
    double odd = no_logarithm(x);
    struct twofold value;
    int exponent;

    if (odd != 0)
        return odd;
    value = add((struct twofold){ 0, 0 }, multiply(logarithm(x, &exponent), by_natural_of_2));
    value = add((struct twofold){ exponent, 0 }, value);
    return value.high + value.low;
}

double log10(double x)
{
    double odd = no_logarithm(x);
    struct twofold value;

    if (odd != 0)
        return odd;
    value = multiply(natural(x), by_natural_of_10);
    return value.high + value.low;
}

/* e to the power of a sum, rounded once. */
static double exponential(struct twofold x)
{
    struct twofold sum = { 1, 0 }, part;
    double power;

    if (x.high > 710)
        return HUGE_VAL;
    if (x.high < -746)
        return 0;
    power = rint(x.high * by_natural_of_2.high);
    part = multiply((struct twofold){ power, 0 }, natural_of_2);
    part = add(x, (struct twofold){ -part.high, -part.low });
    /* Of a sixteenth, and four squares after it. */
    part = (struct twofold){ part.high / 16, part.low / 16 };
    for (int n = 13; n >= 1; n--)
        sum = add((struct twofold){ 1, 0 }, divide(multiply(sum, part), (struct twofold){ n, 0 }));
    for (int n = 0; n < 4; n++)
        sum = multiply(sum, sum);
    return ldexp(sum.high + sum.low, (int)power);
}

double exp(double x) { return x != x ? x : exponential((struct twofold){ x, 0 }); }

/* x^n by squares, as long as nothing leaves the range. */
static double whole_power(double x, unsigned n)
{
    struct twofold square = { x, 0 }, value = { 1, 0 };

    for (;; square = multiply(square, square)) {
        if (n & 1)
            value = multiply(value, square);
        n >>= 1;
        if (n == 0)
            return value.high + value.low;
    }
}

static double of_positive(double x, double y)
{
    struct twofold exponent;

    if (x == 1)
        return 1;
    if (x == 0)
        return y > 0 ? 0 : HUGE_VAL;
    if (x - x != 0 || y - y != 0)
        return (x > 1) == (y > 0) ? HUGE_VAL : 0;
    if (y >= 0 && y <= 64 && y == floor(y) && x > 0x1p-14 && x < 0x1p14)
        return whole_power(x, (unsigned)(int)y);
    if (fabs(y) > 0x1p64)
        return (x > 1) == (y > 0) ? HUGE_VAL : 0;
    exponent = natural(x);
    if (fabs(exponent.high * y) > 800)
        return (x > 1) == (y > 0) ? HUGE_VAL : 0;
    return exponential(multiply(exponent, (struct twofold){ y, 0 }));
}

double pow(double x, double y)
{
    double half = y / 2;
    int whole = y == floor(y), odd = whole && fabs(y) < 0x1p53 && half != floor(half), negative = __builtin_signbit(x);
    double value;

    if (y == 0 || x == 1)
        return 1;
    if (x != x || y != y)
        return __builtin_nan("");
    if (x == -1 && y - y != 0)
        return 1;
    if (x < 0 && !whole && x - x == 0)
        return __builtin_nan("");
    value = of_positive(fabs(x), y);
    return negative && odd ? -value : value;
}
