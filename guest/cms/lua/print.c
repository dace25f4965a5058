/* Formatting, as the standard's printf has it. */
#include "decimal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef uint64_t u64;

struct output { char *to; size_t room, length; };
struct how { bool left, plus, blank, alternate, zeros, precise; int width, precision; };

static void put(struct output *out, const char *text, size_t length)
{
    if (out->length < out->room) {
        size_t left = out->room - out->length;

        memcpy(out->to + out->length, text, length < left ? length : left);
    }
    out->length += length;
}

static void put_many(struct output *out, char c, int count)
{
    for (; count > 0; count--)
        put(out, &c, 1);
}

/* A prefix (sign, 0x), zeros if they fill, the text. */
static void field(struct output *out, const struct how *how, const char *prefix, const char *text, size_t length)
{
    int fill = how->width - (int)strlen(prefix) - (int)length;

    if (!how->left && !how->zeros)
        put_many(out, ' ', fill);
    put(out, prefix, strlen(prefix));
    if (!how->left && how->zeros)
        put_many(out, '0', fill);
    put(out, text, length);
    if (how->left)
        put_many(out, ' ', fill);
}

static const char *sign(const struct how *how, bool negative)
{
    return negative ? "-" : how->plus ? "+" : how->blank ? " " : "";
}

static void whole(struct output *out, struct how *how, u64 value, const char *prefix, unsigned base, bool capitals)
{
    const char *digits = capitals ? "0123456789ABCDEF" : "0123456789abcdef";
    char text[128];
    size_t at = sizeof text;
    int least = how->precise ? how->precision : 1;

    if (how->precise)
        how->zeros = false;
    least = least < 100 ? least : 100;
    for (; value != 0 || (int)(sizeof text - at) < least; value /= base)
        text[--at] = digits[value % base];
    if (base == 8 && how->alternate && (at == sizeof text || text[at] != '0'))
        text[--at] = '0';
    field(out, how, prefix, text + at, sizeof text - at);
}

/* The exponent with its sign: at least so many digits. */
static size_t exponent(char *to, char letter, int value, int least)
{
    char digits[8];
    size_t n = 0, length = 2;

    to[0] = letter;
    to[1] = value < 0 ? '-' : '+';
    for (unsigned left = (unsigned)(value < 0 ? -value : value); left != 0 || (int)n < least; left /= 10)
        digits[n++] = (char)('0' + left % 10);
    while (n > 0)
        to[length++] = digits[--n];
    return length;
}

/* d.ddde+xx; `count` digits are there, `wanted` after the point. */
static size_t scientific(char *text, const char *digits, int count, int wanted, int power, bool point, char letter)
{
    size_t length = 0;

    text[length++] = (char)('0' + digits[0]);
    if (wanted > 0 || point)
        text[length++] = '.';
    for (int n = 1; n <= wanted; n++)
        text[length++] = (char)('0' + (n < count ? digits[n] : 0));
    return length + exponent(text + length, letter, power, 2);
}

static size_t positional(char *text, const char *digits, int count, int wanted, int before, bool point)
{
    size_t length = 0;

    if (before <= 0)
        text[length++] = '0';
    for (int n = 0; n < before; n++)
        text[length++] = (char)('0' + (n < count ? digits[n] : 0));
    if (wanted > 0 || point)
        text[length++] = '.';
    for (int n = before; n < before + wanted; n++)
        text[length++] = (char)('0' + (n >= 0 && n < count ? digits[n] : 0));
    return length;
}

enum { PRECISION_MOST = 1100 };

static void floating(struct output *out, struct how *how, double value, char letter)
{
    char digits[DIGITS_MOST], text[2 * DIGITS_MOST + 32];
    struct parts parts = parts_of(value);
    bool capital = isupper((unsigned char)letter) != 0;
    char kind = (char)tolower((unsigned char)letter), e = capital ? 'E' : 'e';
    int precision = how->precise ? how->precision : 6, point, count, wanted;
    size_t length;

    precision = precision < PRECISION_MOST ? precision : (int)PRECISION_MOST;
    if (parts.exponent == 972) {
        how->zeros = false;
        field(out, how, sign(how, parts.negative),
              value != value ? capital ? "NAN" : "nan" : capital ? "INF" : "inf", 3);
        return;
    }
    if (parts.negative)
        value = -value;
    if (kind == 'f') {
        count = digits_of(value, precision, true, digits, &point);
        length = positional(text, digits, count, precision, point, how->alternate);
    } else if (kind == 'e') {
        count = digits_of(value, precision + 1, false, digits, &point);
        length = scientific(text, digits, count, precision, point - 1, how->alternate, e);
    } else {
        precision = precision == 0 ? 1 : precision;
        count = digits_of(value, precision, false, digits, &point);
        while (!how->alternate && count > 1 && digits[count - 1] == 0)
            count--;
        wanted = how->alternate ? precision : count;
        if (point - 1 < -4 || point - 1 >= precision)
            length = scientific(text, digits, count, wanted - 1, point - 1, how->alternate, e);
        else
            length = positional(text, digits, count, wanted > point ? wanted - point : 0, point, how->alternate);
    }
    field(out, how, sign(how, parts.negative), text, length);
}

/* 0x1.8p+1 */
static void hexadecimal(struct output *out, struct how *how, double value, char letter)
{
    struct parts parts = parts_of(value);
    bool capital = letter == 'A';
    const char *digits = capital ? "0123456789ABCDEF" : "0123456789abcdef";
    char text[64], prefix[4];
    int power = parts.exponent + 52, most = 13;
    size_t length = 0;

    if (parts.exponent == 972) {
        floating(out, how, value, capital ? 'G' : 'g');
        return;
    }
    if (parts.mantissa == 0)
        power = 0;
    if (how->precise && how->precision < most) {
        int shift = 4 * (most - how->precision);
        u64 half = 1ull << (shift - 1), rest = parts.mantissa & ((1ull << shift) - 1);

        most = how->precision;
        parts.mantissa -= rest;
        if (rest > half || (rest == half && (parts.mantissa >> shift & 1)))
            parts.mantissa += 1ull << shift;
    }
    strcpy(prefix, sign(how, parts.negative));
    strcpy(prefix + strlen(prefix), capital ? "0X" : "0x");
    text[length++] = digits[parts.mantissa >> 52];
    if (!how->precise)
        while (most > 0 && (parts.mantissa >> (52 - 4 * most) & 15) == 0)
            most--;
    if (most > 0 || how->alternate || (how->precise && how->precision > 0))
        text[length++] = '.';
    for (int n = 1; n <= most; n++)
        text[length++] = digits[parts.mantissa >> (52 - 4 * n) & 15];
    for (int n = most; how->precise && n < how->precision && length < 50; n++)
        text[length++] = '0';
    length += exponent(text + length, capital ? 'P' : 'p', power, 1);
    field(out, how, prefix, text, length);
}

static const char *flags(const char *at, struct how *how)
{
    for (;; at++) {
        if (*at == '-')
            how->left = true;
        else if (*at == '+')
            how->plus = true;
        else if (*at == ' ')
            how->blank = true;
        else if (*at == '#')
            how->alternate = true;
        else if (*at == '0')
            how->zeros = true;
        else
            return at;
    }
}

static int number(const char **at)
{
    int value = 0;

    for (; isdigit((unsigned char)**at); (*at)++)
        value = value * 10 + (**at - '0');
    return value;
}

int vsnprintf(char *to, size_t room, const char *how, va_list list)
{
    struct output out = { to, room > 0 ? room - 1 : 0, 0 };

    while (*how != 0) {
        const char *from = how, *text;
        struct how said = { 0 };
        int longs = 0;
        long long value;
        char c;

        while (*how != '%' && *how != 0)
            how++;
        put(&out, from, (size_t)(how - from));
        if (*how == 0)
            break;
        how = flags(how + 1, &said);
        if (*how == '*')
            said.width = va_arg(list, int), how++;
        else
            said.width = number(&how);
        if (said.width < 0)
            said.left = true, said.width = -said.width;
        if (*how == '.') {
            how++;
            said.precise = true;
            if (*how == '*')
                said.precision = va_arg(list, int), how++;
            else
                said.precision = number(&how);
            said.precise = said.precision >= 0;
        }
        while (*how == 'l' || *how == 'h' || *how == 'z')
            longs += *how++ == 'l';
        switch (c = *how++) {
        case 'd':
        case 'i':
            value = longs > 1 ? va_arg(list, long long) : va_arg(list, int);
            whole(&out, &said, value < 0 ? -(u64)value : (u64)value, sign(&said, value < 0), 10, false);
            break;
        case 'u':
        case 'o':
        case 'x':
        case 'X':
            value = longs > 1 ? va_arg(list, long long) : va_arg(list, unsigned);
            whole(&out, &said, (u64)value, said.alternate && value != 0 && c == 'x' ? "0x"
                  : said.alternate && value != 0 && c == 'X' ? "0X" : "", c == 'o' ? 8 : c == 'u' ? 10 : 16, c == 'X');
            break;
        case 'c':
            said.zeros = false;
            c = (char)va_arg(list, int);
            field(&out, &said, "", &c, 1);
            break;
        case 's':
            said.zeros = false;
            text = va_arg(list, const char *);
            from = said.precise ? memchr(text, 0, (size_t)said.precision) : NULL;
            field(&out, &said, "", text, from != NULL ? (size_t)(from - text) : said.precise ? (size_t)said.precision
                  : strlen(text));
            break;
        case 'p':
            said.precise = true;
            said.precision = 8;
            whole(&out, &said, (u64)(size_t)va_arg(list, void *), "0x", 16, false);
            break;
        case 'a':
        case 'A':
            hexadecimal(&out, &said, va_arg(list, double), c);
            break;
        case 'e':
        case 'E':
        case 'f':
        case 'F':
        case 'g':
        case 'G':
            floating(&out, &said, va_arg(list, double), c);
            break;
        default:
            put(&out, &c, 1);
        }
    }
    if (room > 0)
        to[out.length < room ? out.length : room - 1] = 0;
    return (int)out.length;
}

int snprintf(char *to, size_t room, const char *how, ...)
{
    va_list list;
    int length;

    va_start(list, how);
    length = vsnprintf(to, room, how, list);
    va_end(list);
    return length;
}

int sprintf(char *to, const char *how, ...)
{
    va_list list;
    int length;

    va_start(list, how);
    length = vsnprintf(to, 0x10000, how, list);
    va_end(list);
    return length;
}
