/* (f) decimal arithmetic as compilers emit it in loops: packed decimal in
 * storage (COBOL, PL/I), decimal floating point (_Decimal64, _Decimal128), and
 * packed decimal in vector registers (z14).  Elsewhere: the same answers out of
 * integers and of the host compiler's own decimal floating point. */
#include "bench.h"

#define RECS 4096

/* where a balance begins anew; a rate; what a product is divided by */
#define LIMIT 99999999999
#define RATE 10725
#define BY 365360

static int64_t amount[RECS];

/* amounts of up to nine digits, one in four negative */
static void make_amounts(void)
{
    uint64_t s = 1959;
    for (int i = 0; i < RECS; i++) {
        int64_t v = (int64_t)(rnd(&s) >> 32) % 1000000000;
        amount[i] = (rnd(&s) >> 32) % 4 ? v : -v;
    }
}

#ifdef __s390x__
/* the last digits of a number as packed decimal */
static void to_packed(uint8_t *p, int len, int64_t value)
{
    uint64_t v = (uint64_t)(value < 0 ? -value : value);
    p[len - 1] = (uint8_t)(v % 10 << 4 | (value < 0 ? 0xd : 0xc));
    v /= 10;
    for (int k = len - 2; k >= 0; k--) {
        p[k] = (uint8_t)(v % 10 | v / 10 % 10 << 4);
        v /= 100;
    }
}

static int64_t from_packed(const uint8_t *p, int len)
{
    int64_t v = 0;
    for (int k = 0; k < len; k++) {
        v = v * 10 + (p[k] >> 4);
        if (k < len - 1)
            v = v * 10 + (p[k] & 15);
    }
    return (p[len - 1] & 15) == 0xd ? -v : v;
}

/* all amounts, each in so many bytes */
static void pack_amounts(uint8_t *to, int len)
{
    for (int i = 0; i < RECS; i++)
        to_packed(to + i * len, len, amount[i]);
}
#else
static int64_t balance(int64_t total, int64_t more)
{
    total += more;
    return total >= LIMIT ? total - LIMIT : total;
}

/* the last byte of an amount by the rate, as packed decimal: the last digit and the sign */
static uint64_t last_of_price(int64_t v)
{
    int64_t q = v * RATE / BY;
    int64_t a = ((q < 0 ? -q : q) + 50) / 100;
    return (uint64_t)(a % 10) << 4 | (q < 0 && a ? 0xd : 0xc);
}
#endif

/* a balance that is kept within limits: AP, CP, SP, ZAP */
double b_packedadd(uint64_t *check)
{
    make_amounts();
    uint64_t h = 1;
#ifdef __s390x__
    static uint8_t in[RECS][6];
    uint8_t total[8], limit[8], copy[8];
    pack_amounts(in[0], 6);
    to_packed(total, 8, 0);
    to_packed(limit, 8, LIMIT);
#else
    int64_t total = 0;
#endif
    double t0 = now();
    for (int r = 0; r < 2000; r++)
        for (int i = 0; i < RECS; i++) {
#ifdef __s390x__
            __asm__ volatile(
                "ap  0(8,%[t]),0(6,%[p])\n\t"
                "cp  0(8,%[t]),0(8,%[l])\n\t"
                "jl  0f\n\t"
                "sp  0(8,%[t]),0(8,%[l])\n"
                "0:\tzap 0(8,%[c]),0(8,%[t])"
                : : [t] "a"(total), [p] "a"(in[i]), [l] "a"(limit), [c] "a"(copy)
                : "cc", "memory");
#else
            total = balance(total, amount[i]);
#endif
        }
    double t = now() - t0;
#ifdef __s390x__
    h = mix(h, (uint64_t)from_packed(copy, 8));
#else
    h = mix(h, (uint64_t)total);
#endif
    *check = h;
    return t;
}

/* a rate of five digits, then a price by it: ZAP, MP, DP, SRP */
double b_packedmul(uint64_t *check)
{
    make_amounts();
    uint64_t h = 1, sum = 0;
#ifdef __s390x__
    static uint8_t in[RECS][6];
    uint8_t rate[3], by[4], w[12];
    pack_amounts(in[0], 6);
    to_packed(rate, 3, RATE);
    to_packed(by, 4, BY);
#endif
    double t0 = now();
    for (int r = 0; r < 1000; r++)
        for (int i = 0; i < RECS; i++) {
#ifdef __s390x__
            __asm__ volatile(
                "zap 0(12,%[w]),0(6,%[p])\n\t"
                "mp  0(12,%[w]),0(3,%[r])\n\t"
                "dp  0(12,%[w]),0(4,%[b])\n\t"
                "srp 0(8,%[w]),62(0),5"
                : : [w] "a"(w), [p] "a"(in[i]), [r] "a"(rate), [b] "a"(by)
                : "cc", "memory");
            sum += w[7];
#else
            sum += last_of_price(amount[i]);
#endif
        }
    double t = now() - t0;
    *check = mix(h, sum);
    return t;
}

/* numbers to text and back: CVD, UNPK, PACK, CVB, ED */
double b_packedtext(uint64_t *check)
{
    make_amounts();
    uint64_t h = 1, sum = 0;
#ifdef __s390x__
    static const uint8_t mask[16] = {
        0x40, 0x20, 0x20, 0x20, 0x6b, 0x20, 0x20, 0x20, 0x6b, 0x20, 0x20, 0x21, 0x4b, 0x20, 0x20, 0x60 };
    uint8_t d[8], z[12], e[16];
#endif
    double t0 = now();
    for (int r = 0; r < 1000; r++)
        for (int i = 0; i < RECS; i++) {
            int32_t n = (int32_t)amount[i];
#ifdef __s390x__
            __asm__ volatile(
                "cvd  %[n],0(%[d])\n\t"
                "mvc  0(16,%[e]),0(%[m])\n\t"
                "ed   0(16,%[e]),2(%[d])\n\t"
                "unpk 0(12,%[z]),0(8,%[d])\n\t"
                "pack 0(8,%[d]),0(12,%[z])\n\t"
                "cvb  %[n],0(%[d])"
                : [n] "+d"(n)
                : [d] "a"(d), [e] "a"(e), [m] "a"(mask), [z] "a"(z)
                : "cc", "memory");
            sum += e[14];
#else
            sum += 0xf0 | (uint64_t)(n < 0 ? -n : n) % 10;
#endif
            sum += (uint64_t)(int64_t)n;
        }
    double t = now() - t0;
    *check = mix(h, sum);
    return t;
}

static _Decimal64 price[RECS];

static void make_prices(void)
{
    make_amounts();
    for (int i = 0; i < RECS; i++)
        price[i] = (_Decimal64)amount[i] / 100;
}

/* sums of prices in both lengths */
double b_dfpadd(uint64_t *check)
{
    make_prices();
    _Decimal64 sum = 0;
    _Decimal128 all = 0;
    double t0 = now();
    for (int r = 0; r < 1000; r++)
        for (int i = 0; i < RECS; i++) {
            sum += price[i];
            if (sum > 500000000)
                sum -= 500000000;
            all += sum;
        }
    double t = now() - t0;
    *check = mix(mix(1, (uint64_t)(int64_t)(sum * 100)), (uint64_t)(int64_t)all);
    return t;
}

/* prices by a rate, in both lengths, and a division */
double b_dfpmul(uint64_t *check)
{
    make_prices();
    _Decimal64 rate = 107.25DD, by = 365.36DD, last = 0;
    _Decimal128 all = 0;
    double t0 = now();
    for (int r = 0; r < 400; r++)
        for (int i = 0; i < RECS; i++) {
            last = price[i] * rate / by;
            all += (_Decimal128)last * price[i];
        }
    double t = now() - t0;
    *check = mix(mix(1, (uint64_t)(int64_t)(last * 100)), (uint64_t)(int64_t)(all / 1000000));
    return t;
}

/* to two places and to text: QUANTIZE, CONVERT TO SIGNED PACKED, CONVERT FROM FIXED */
double b_dfpround(uint64_t *check)
{
    make_amounts();
    uint64_t sum = 0;
#ifdef __s390x__
    _Decimal64 cent = 0.01DD;
#endif
    double t0 = now();
    for (int r = 0; r < 1000; r++)
        for (int i = 0; i < RECS; i++) {
#ifdef __s390x__
            _Decimal64 v = (_Decimal64)amount[i] * 0.00001DD;
            uint64_t digits;
            __asm__("qadtr %[v],%[v],%[c],4\n\tcsdtr %[d],%[v],0" : [v] "+f"(v), [d] "=d"(digits) : [c] "f"(cent));
            sum += digits;
#else
            int64_t v = amount[i] < 0 ? -amount[i] : amount[i], q = v / 1000, rest = v % 1000;
            if (rest > 500 || (rest == 500 && q & 1))
                q++;
            uint64_t digits = amount[i] < 0 ? 0xd : 0xc;
            for (int k = 4; q; k += 4, q /= 10)
                digits |= (uint64_t)(q % 10) << k;
            sum += digits;
#endif
        }
    double t = now() - t0;
    *check = mix(1, sum);
    return t;
}

/* the balance and the price in vector registers: VAP, VCP, VSP, VMP, VDP, VSRP */
double b_packedvec(uint64_t *check)
{
    make_amounts();
    uint64_t sum = 0;
#ifdef __s390x__
    static uint8_t in[RECS][8];
    uint8_t constant[3][16], out[16];
    pack_amounts(in[0], 8);
    to_packed(constant[0], 16, LIMIT);
    to_packed(constant[1], 16, RATE);
    to_packed(constant[2], 16, BY);
    __asm__ volatile(
        ".machine push\n\t.machine z14\n\t"
        "vl  %%v20,0(%[c])\n\tvl %%v21,16(%[c])\n\tvl %%v22,32(%[c])\n\tvlip %%v16,0,0\n\t"
        ".machine pop" : : [c] "a"(constant) : "memory");
#else
    int64_t total = 0;
#endif
    double t0 = now();
    for (int r = 0; r < 1000; r++)
        for (int i = 0; i < RECS; i++) {
#ifdef __s390x__
            __asm__ volatile(
                ".machine push\n\t.machine z14\n\t"
                "vlrl %%v17,0(%[p]),7\n\t"
                "vap  %%v16,%%v16,%%v17,31,0\n\t"
                "vcp  %%v16,%%v20,0\n\t"
                "jl   0f\n\t"
                "vsp  %%v16,%%v16,%%v20,31,0\n"
                "0:\tvmp %%v18,%%v17,%%v21,31,0\n\t"
                "vdp  %%v18,%%v18,%%v22,31,0\n\t"
                "vsrp %%v18,%%v18,223,254,0\n\t"
                "vstrl %%v18,0(%[o]),7\n\t"
                ".machine pop"
                : : [p] "a"(in[i]), [o] "a"(out) : "cc", "memory");
            sum += out[7];
#else
            total = balance(total, amount[i]);
            sum += last_of_price(amount[i]);
#endif
        }
    double t = now() - t0;
#ifdef __s390x__
    __asm__ volatile(
        ".machine push\n\t.machine z14\n\tvst %%v16,0(%[o])\n\t.machine pop" : : [o] "a"(out) : "memory");
    *check = mix(mix(1, sum), (uint64_t)from_packed(out, 16));
#else
    *check = mix(mix(1, sum), (uint64_t)total);
#endif
    return t;
}
