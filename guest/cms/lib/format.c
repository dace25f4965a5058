/* Formatting: a small printf. Compiles on any host. */
#include "text.h"

#include <string.h>

struct output { char *to; u32 room, length; };

static void put(struct output *out, char c)
{
    if (out->length < out->room)
        out->to[out->length++] = c;
}

static void text_of(struct output *out, const char *text, u32 length)
{
    u32 left = out->room - out->length;

    length = length < left ? length : left;
    memcpy(out->to + out->length, text, length);
    out->length += length;
}

static void field(struct output *out, const char *text, u32 length, u32 width, bool left, char fill)
{
    for (u32 n = length; !left && n < width; n++)
        put(out, fill);
    text_of(out, text, length);
    for (u32 n = length; left && n < width; n++)
        put(out, ' ');
}

static u32 digits(char *to, u32 value, u32 base)
{
    char back[12];
    u32 n = 0, k = 0;

    do {
        back[n++] = "0123456789ABCDEF"[value % base];
        value /= base;
    } while (value != 0);
    while (n > 0)
        to[k++] = back[--n];
    return k;
}

u32 format_list(char *to, u32 room, const char *how, va_list list)
{
    struct output out = { to, room, 0 };

    for (; *how != 0; how++) {
        bool left = false;
        char fill = ' ', number[16];
        u32 width = 0, length = 0, value;
        const char *text = how;

        while (*how != '%' && *how != 0)
            how++;
        if (how != text)
            text_of(&out, text, (u32)(how - text));
        if (*how == 0)
            break;
        how++;
        if (*how == '-')
            left = true, how++;
        if (*how == '0')
            fill = '0', how++;
        for (; is_digit(*how); how++)
            width = width * 10 + (u32)(*how - '0');
        switch (*how) {
        case 's':
            text = va_arg(list, const char *);
            field(&out, text, (u32)strlen(text), width, left, ' ');
            break;
        case 't':
            text = va_arg(list, const char *);
            field(&out, text, length_of(text, 8), width, left, ' ');
            break;
        case 'l':
            text = va_arg(list, const char *);
            field(&out, text, va_arg(list, u32), width, left, ' ');
            break;
        case 'c':
            number[0] = (char)va_arg(list, int);
            field(&out, number, 1, width, left, ' ');
            break;
        case 'd':
            value = va_arg(list, u32);
            if ((int)value < 0) {
                number[length++] = '-';
                value = 0u - value;
            }
            length += digits(number + length, value, 10);
            field(&out, number, length, width, left, fill);
            break;
        case 'u':
        case 'x':
            length = digits(number, va_arg(list, u32), *how == 'u' ? 10 : 16);
            field(&out, number, length, width, left, fill);
            break;
        default:
            put(&out, *how);
        }
    }
    if (out.length < room)
        to[out.length] = 0;
    return out.length;
}

u32 format(char *to, u32 room, const char *how, ...)
{
    va_list list;
    u32 length;

    va_start(list, how);
    length = format_list(to, room, how, list);
    va_end(list);
    return length;
}
