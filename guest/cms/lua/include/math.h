/* Mathematics in binary floating point: math.c, and of two words power.c. */
#ifndef MATH_H
#define MATH_H

#define HUGE_VAL __builtin_huge_val()

static inline double fabs(double x) { return __builtin_fabs(x); }

static inline double sqrt(double x)
{
    double root;

    __asm__("sqdbr %0,%1" : "=f"(root) : "f"(x));
    return root;
}

static inline double floor(double x)
{
    double whole;

    __asm__("fidbr %0,7,%1" : "=f"(whole) : "f"(x) : "cc");
    return whole;
}

static inline double ceil(double x)
{
    double whole;

    __asm__("fidbr %0,6,%1" : "=f"(whole) : "f"(x) : "cc");
    return whole;
}

/* To the nearest, to the even one of two. */
static inline double rint(double x)
{
    double whole;

    __asm__("fidbr %0,4,%1" : "=f"(whole) : "f"(x) : "cc");
    return whole;
}

/* math.c */
double fmod(double x, double y);
double frexp(double x, int *exponent);
double ldexp(double x, int exponent);
double exp(double x);
double sin(double x);
double cos(double x);
double tan(double x);
double asin(double x);
double acos(double x);
double atan2(double y, double x);

/* power.c */
double log(double x);
double log2(double x);
double log10(double x);
double pow(double x, double y);

#endif
