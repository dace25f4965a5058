/* Numbers of 64 bits and floating point: the conversions that the compiler calls. */
#include "decimal.h"

/* Declared here alone: the compiler knows their names. */
double __floatunsidf(uint32_t n);
double __floatdidf(int64_t n);
double __floatundidf(uint64_t n);
int64_t __fixdfdi(double x);
uint64_t __fixunsdfdi(double x);
uint32_t __fixunsdfsi(double x);

double __floatunsidf(uint32_t n) { return (double)(int32_t)(n ^ 0x80000000) + 0x1p31; }
double __floatundidf(uint64_t n) { return __floatunsidf((uint32_t)(n >> 32)) * 0x1p32 + __floatunsidf((uint32_t)n); }
double __floatdidf(int64_t n) { return (double)(int32_t)(n >> 32) * 0x1p32 + __floatunsidf((uint32_t)n); }

int64_t __fixdfdi(double x)
{
    struct parts parts = parts_of(x);
    uint64_t value = parts.exponent < -63 ? 0 : parts.exponent < 0 ? parts.mantissa >> -parts.exponent
        : parts.exponent < 11 ? parts.mantissa << parts.exponent : 1ull << 63;

    return (int64_t)(parts.negative ? -value : value);
}

uint64_t __fixunsdfdi(double x)
{
    struct parts parts = parts_of(x);

    return parts.negative || parts.exponent < -63 ? 0 : parts.exponent < 0 ? parts.mantissa >> -parts.exponent
        : parts.exponent < 12 ? parts.mantissa << parts.exponent : ~0ull;
}

uint32_t __fixunsdfsi(double x) { return (uint32_t)__fixunsdfdi(x); }
