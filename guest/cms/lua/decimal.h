/* Numbers in binary floating point and their digits, exactly. */
#ifndef DECIMAL_H
#define DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/* A double has at most 309 digits before the point and 1074 after it. */
enum { DIGITS_MOST = 1400 };

/*
 * The digits of a number that is not negative, neither infinite nor a NaN, rounded to the nearest (to the even one of
 * two): as many as `count` says, from the first that is not zero, or with `fraction` as many after the point. The
 * first digit stands for `*point` - 1 digits before the point; returns how many there are, at least one.
 */
int digits_of(double value, int count, bool fraction, char digits[DIGITS_MOST], int *point);     /* decimal.c */

/* A number's parts: sign, exponent (of the unit of `mantissa`), 53 bits. */
struct parts { bool negative; int exponent; uint64_t mantissa; };
struct parts parts_of(double value);                     /* decimal.c */

#endif
