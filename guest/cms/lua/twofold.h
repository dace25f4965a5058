/*
 * Sums of two numbers in binary floating point, the second far smaller: some 106 bits. The hardware multiplies and adds
 * with one rounding, so that what a product has lost is one instruction.
 */
#ifndef TWOFOLD_H
#define TWOFOLD_H

struct twofold { double high, low; };

static inline double multiply_add(double a, double b, double c)
{
    __asm__("madbr %0,%1,%2" : "+f"(c) : "f"(a), "f"(b) : "cc");
    return c;
}

/* |a| >= |b|, or a is 0. */
static inline struct twofold quick_sum(double a, double b)
{
    double sum = a + b;

    return (struct twofold){ sum, b - (sum - a) };
}

static inline struct twofold sum_of(double a, double b)
{
    double sum = a + b, part = sum - a;

    return (struct twofold){ sum, (a - (sum - part)) + (b - part) };
}

static inline struct twofold add(struct twofold a, struct twofold b)
{
    struct twofold sum = sum_of(a.high, b.high);

    return quick_sum(sum.high, sum.low + (a.low + b.low));
}

static inline struct twofold product_of(double a, double b)
{
    double product = a * b;

    return (struct twofold){ product, multiply_add(a, b, -product) };
}

static inline struct twofold multiply(struct twofold a, struct twofold b)
{
    struct twofold product = product_of(a.high, b.high);

    return quick_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

static inline struct twofold divide(struct twofold a, struct twofold b)
{
    double first = a.high / b.high;
    struct twofold back = multiply((struct twofold){ first, 0 }, b);
    struct twofold rest = add(a, (struct twofold){ -back.high, -back.low });

    return quick_sum(first, (rest.high + rest.low) / b.high);
}

#endif
