/* Decimal floating point in a guest.  The compiler knows each result: it works out initializers itself, by a
 * library, and leaves to the machine what volatile variables have.  This is the guest's first process; it says how many
 * results differ, and powers off. */
#include <stdio.h>
#include <string.h>
#include <sys/reboot.h>
#include <unistd.h>

static int cases, wrong;

static void check(const char *what, const void *found, const void *expected, size_t size)
{
    const unsigned char *f = found, *e = expected;
    cases++;
    if (memcmp(f, e, size) == 0)
        return;
    if (wrong++ < 20) {
        printf("%s: ", what);
        for (size_t n = 0; n < size; n++)
            printf("%02x", f[n]);
        printf(" expected ");
        for (size_t n = 0; n < size; n++)
            printf("%02x", e[n]);
        printf("\n");
    }
}

#define RESULT(type, expression, folded) do { \
        type found = (expression); \
        static const type expected = (folded); \
        check(#type " " #folded, &found, &expected, sizeof found); \
    } while (0)

/* Both operands in variables that the compiler must fetch. */
#define TWO(type, a, b) do { \
        volatile type x = (a), y = (b); \
        RESULT(type, x + y, (a) + (b)); \
        RESULT(type, x - y, (a) - (b)); \
        RESULT(type, x * y, (a) * (b)); \
        RESULT(type, x / y, (a) / (b)); \
        RESULT(int, x < y, (a) < (b)); \
        RESULT(int, x == y, (a) == (b)); \
    } while (0)

#define WITH(type, s, a) \
    TWO(type, a, 1.0##s); TWO(type, a, 3.##s); TWO(type, a, -0.1##s); TWO(type, a, 12345678.90##s); \
    TWO(type, a, 9.99999999999##s); TWO(type, a, -7E+20##s); TWO(type, a, 5E-17##s); TWO(type, a, 1E+300##s); \
    TWO(type, a, 2.5E-300##s); TWO(type, a, 1.000##s)

#define ARITHMETIC(type, s) \
    WITH(type, s, 0.0##s); WITH(type, s, 1.##s); WITH(type, s, -3.00##s); WITH(type, s, 0.333333333333##s); \
    WITH(type, s, 9999999999999999.##s); WITH(type, s, 1.5E+80##s); WITH(type, s, -4.4E-383##s); \
    WITH(type, s, 9.999999999999999E+384##s); WITH(type, s, 100.##s)

/* To and from other types. */
#define FROM(type, s, a) do { \
        volatile type x = (a); \
        RESULT(_Decimal32, (_Decimal32)x, (_Decimal32)(a)); \
        RESULT(_Decimal64, (_Decimal64)x, (_Decimal64)(a)); \
        RESULT(_Decimal128, (_Decimal128)x, (_Decimal128)(a)); \
        RESULT(double, (double)x, (double)(a)); \
        RESULT(float, (float)x, (float)(a)); \
    } while (0)

#define WHOLE(type, s, a) do { \
        volatile type x = (a); \
        RESULT(long, (long)x, (long)(a)); \
        RESULT(int, (int)x, (int)(a)); \
    } while (0)

#define CONVERSIONS(type, s) \
    FROM(type, s, 0.1##s); FROM(type, s, 1.##s); FROM(type, s, -123456.75##s); FROM(type, s, 2E+30##s); \
    FROM(type, s, 1.25E-30##s); FROM(type, s, 16777217.##s); FROM(type, s, 9.999999E+20##s); \
    WHOLE(type, s, 1.9##s); WHOLE(type, s, -2000000000.5##s); WHOLE(type, s, 0.0##s); WHOLE(type, s, 77.##s)

/* From numbers with the other radix: by value, because there are several ways to write it. */
#define BINARY(a) do { \
        volatile double x = (a); \
        volatile long double y = (a); \
        static const _Decimal64 d = (_Decimal64)(a); \
        static const _Decimal128 q = (_Decimal128)(a); \
        int same = (_Decimal64)x == d, wide = (_Decimal128)x == q, widest = (_Decimal128)y == q; \
        RESULT(int, same + 2 * wide + 4 * widest, 7); \
    } while (0)

#define INTEGER(a) do { \
        volatile long x = (a); \
        volatile int y = (int)(a); \
        RESULT(_Decimal64, (_Decimal64)x, (_Decimal64)(long)(a)); \
        RESULT(_Decimal128, (_Decimal128)x, (_Decimal128)(long)(a)); \
        RESULT(_Decimal64, (_Decimal64)y, (_Decimal64)(int)(a)); \
    } while (0)

int main(void)
{
    ARITHMETIC(_Decimal64, DD);
    ARITHMETIC(_Decimal128, DL);
    CONVERSIONS(_Decimal64, DD);
    CONVERSIONS(_Decimal128, DL);
    BINARY(0.0); BINARY(1.0); BINARY(-0.1); BINARY(1e22); BINARY(123456.789); BINARY(3e-200); BINARY(1e300);
    INTEGER(0L); INTEGER(1L); INTEGER(-1L); INTEGER(2147483647L); INTEGER(123456789012345678L);
    INTEGER(-9223372036854775807L);
    /* A sum as accountants make it. */
    volatile _Decimal64 sum = 0;
    for (int n = 0; n < 100000; n++)
        sum += 0.01DD;
    static const _Decimal64 thousand = 1000.00DD;
    check("a hundred thousand cents", (const void *)&sum, &thousand, sizeof thousand);
    printf("DECIMAL-DONE %d cases, %d wrong\n", cases, wrong);
    fflush(stdout);
    sync();
    reboot(RB_POWER_OFF);
    return wrong != 0;
}
