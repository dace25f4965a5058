/*
 * The check sum of an allocation map: XXH3 of 64 bits, without a seed, of 4096 bytes (the XXH3 specification, "XXH3
 * algorithm description (for large inputs)"). Stripes of 64 bytes are added to eight sums with a part of the secret;
 * after sixteen of them the sums are stirred. The last stripe is added once more, and all is folded into one.
 */
#include "volume.h"

enum { SUMS = 8, STRIPE = 64, SECRET = 192, STRIPES_OF_BLOCK = (SECRET - STRIPE) / 8, LAST = 7, MERGE = 11 };

static const u8 secret[SECRET] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c, 0xde, 0xd4, 0x6d,
    0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f, 0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0,
    0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21, 0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0,
    0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c, 0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b,
    0x1b, 0x53, 0x2e, 0xa3, 0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac,
    0xd8, 0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d, 0x8a, 0x51,
    0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64, 0xea, 0xc5, 0xac, 0x83, 0x34,
    0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb, 0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49,
    0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e, 0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8,
    0xd1, 0x7a, 0xd0, 0x31, 0xce, 0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b,
    0x40, 0x7e,
};

static const uint64_t prime32_1 = 0x9e3779b1, prime32_2 = 0x85ebca77, prime32_3 = 0xc2b2ae3d,
                      prime64_1 = 0x9e3779b185ebca87, prime64_2 = 0xc2b2ae3d27d4eb4f, prime64_3 = 0x165667b19e3779f9,
                      prime64_4 = 0x85ebca77c2b2ae63, prime64_5 = 0x27d4eb2f165667c5,
                      avalanche = 0x165667919e3779f9;

/* The numbers are little-endian. */
static uint64_t word(const u8 *at)
{
    uint64_t value = 0;

    for (u32 n = 8; n > 0; n--)
        value = value << 8 | at[n - 1];
    return value;
}

static uint64_t product(u32 a, u32 b) { return (uint64_t)a * b; }

/* The low 64 bits, and with `high` those before them. */
static uint64_t multiply(uint64_t a, uint64_t b, uint64_t *high)
{
    uint64_t low = product((u32)a, (u32)b), ab = product((u32)(a >> 32), (u32)b), ba = product((u32)a, (u32)(b >> 32));
    uint64_t middle = (low >> 32) + (u32)ab + (u32)ba;

    if (high != NULL)
        *high = product((u32)(a >> 32), (u32)(b >> 32)) + (ab >> 32) + (ba >> 32) + (middle >> 32);
    return middle << 32 | (u32)low;
}

static void add_stripe(uint64_t sums[SUMS], const u8 *stripe, const u8 *key)
{
    for (u32 n = 0; n < SUMS; n++) {
        uint64_t value = word(stripe + 8 * n), keyed = value ^ word(key + 8 * n);

        sums[n ^ 1] += value;
        sums[n] += product((u32)keyed, (u32)(keyed >> 32));
    }
}

static void stir(uint64_t sums[SUMS])
{
    for (u32 n = 0; n < SUMS; n++) {
        uint64_t sum = sums[n] ^ sums[n] >> 47 ^ word(secret + SECRET - STRIPE + 8 * n);

        sums[n] = multiply(sum, prime32_1, NULL);
    }
}

uint64_t check_sum(const u8 *bytes, u32 length)
{
    uint64_t sums[SUMS] = { prime32_3, prime64_1, prime64_2, prime64_3, prime64_4, prime32_2, prime64_5, prime32_1 };
    uint64_t result = multiply(length, prime64_1, NULL);
    u32 stripes = (length - 1) / STRIPE;

    for (u32 n = 0; n < stripes; n++) {
        add_stripe(sums, bytes + STRIPE * n, secret + 8 * (n % STRIPES_OF_BLOCK));
        if (n % STRIPES_OF_BLOCK == STRIPES_OF_BLOCK - 1)
            stir(sums);
    }
    add_stripe(sums, bytes + length - STRIPE, secret + SECRET - STRIPE - LAST);
    for (u32 n = 0; n < SUMS; n += 2) {
        const u8 *key = secret + MERGE + 8 * n;
        uint64_t high, low = multiply(sums[n] ^ word(key), sums[n + 1] ^ word(key + 8), &high);

        result += low ^ high;
    }
    result = multiply(result ^ result >> 37, avalanche, NULL);
    return result ^ result >> 32;
}
