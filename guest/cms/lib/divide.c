/* Division of 64-bit numbers, which the processor does not have: the functions that the compiler calls. */
#include <stdint.h>

static uint64_t divide(uint64_t n, uint64_t d, uint64_t *rest)
{
    uint64_t quotient = 0, left = 0;

    if ((n >> 32) == 0 && (d >> 32) == 0 && d != 0) {
        *rest = (uint32_t)n % (uint32_t)d;
        return (uint32_t)n / (uint32_t)d;
    }
    if ((d >> 32) == 0 && d != 0) {
        /* The left half by itself, and its rest with the right half: DIVIDE LOGICAL has room for that quotient. */
        uint32_t by = (uint32_t)d, high = (uint32_t)(n >> 32);
        uint64_t pair = (uint64_t)(high % by) << 32 | (uint32_t)n;

        __asm__("dlr %0,%1" : "+d"(pair) : "d"(by));
        *rest = (uint32_t)(pair >> 32);
        return (uint64_t)(high / by) << 32 | (uint32_t)pair;
    }
    for (int bit = 63; bit >= 0; bit--) {
        left = left << 1 | (n >> bit & 1);
        if (left >= d) {
            left -= d;
            quotient |= (uint64_t)1 << bit;
        }
    }
    *rest = left;
    return quotient;
}

uint64_t __udivdi3(uint64_t n, uint64_t d)
{
    uint64_t rest;
    return divide(n, d, &rest);
}

uint64_t __umoddi3(uint64_t n, uint64_t d)
{
    uint64_t rest;
    divide(n, d, &rest);
    return rest;
}

int64_t __divdi3(int64_t n, int64_t d)
{
    uint64_t rest, q = divide(n < 0 ? -(uint64_t)n : (uint64_t)n, d < 0 ? -(uint64_t)d : (uint64_t)d, &rest);
    return (int64_t)((n < 0) != (d < 0) ? -q : q);
}

int64_t __moddi3(int64_t n, int64_t d)
{
    uint64_t rest;
    divide(n < 0 ? -(uint64_t)n : (uint64_t)n, d < 0 ? -(uint64_t)d : (uint64_t)d, &rest);
    return (int64_t)(n < 0 ? -rest : rest);
}
