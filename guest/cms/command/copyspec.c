/* COPYFILE (SPECS: the specification list, and records made by it. */
#include "copyfile.h"

static int wrong(const char *text, u32 length)
{
    name token;

    pad(token, sizeof token, text, length);
    message("CPY", 70, 'E', token);
    return RC_SYNTAX;
}

/* a-b, /text/ or Xhex. */
static bool source(const char *text, u32 length, struct spec *spec)
{
    u32 dash = 0, value;

    memset(spec, 0, sizeof *spec);
    if (length > 2 && !is_digit(text[0]) && upper(text[0]) != 'X' && text[length - 1] == text[0]) {
        spec->literal = true;
        spec->length = length - 2;
        memcpy(spec->text, text + 1, spec->length);
        return true;
    }
    if (upper(text[0]) == 'X' && length > 2 && length % 2 == 1) {
        spec->literal = true;
        for (u32 n = 1; n < length; n += 2, spec->length++) {
            if (!parse_hex(text + n, 2, &value))
                return false;
            spec->text[spec->length] = (char)value;
        }
        return true;
    }
    while (dash < length && text[dash] != '-')
        dash++;
    if (!parse_number(text, dash, &spec->from) || spec->from == 0)
        return false;
    spec->to = spec->from;
    if (dash < length && text[dash + 1] == '*')
        spec->to = 0x7fffffff;
    else if (dash < length && (!parse_number(text + dash + 1, length - dash - 1, &spec->to) || spec->to < spec->from))
        return false;
    return true;
}

/* The end of the word at `at`: a text in delimiters may have blanks. */
static u32 word_end(const char *line, u32 at, u32 length)
{
    char delimiter = line[at];
    u32 end = at;

    if (!is_digit(delimiter) && upper(delimiter) != 'X') {
        for (end = at + 1; end < length && line[end] != delimiter; end++)
            ;
        return end < length ? end + 1 : length;
    }
    while (end < length && line[end] != ' ')
        end++;
    return end;
}

/* Asks for the list: a line that ends with ++ goes on with the next. */
int read_specifications(struct copy *copy)
{
    char line[256];
    bool more = true;

    if (!copy->quiet)
        message("CPY", 601, 'R');
    copy->spec = obtain_command(SPECS_MOST * sizeof *copy->spec);
    while (more) {
        u32 length = read_line(line), at = 0;

        length = length_of(line, length);
        more = length >= 2 && line[length - 1] == '+' && line[length - 2] == '+';
        if (more)
            length -= 2;
        while (at < length) {
            struct spec *spec = &copy->spec[copy->specifications];
            u32 end;

            if (line[at] == ' ') {
                at++;
                continue;
            }
            end = word_end(line, at, length);
            if (copy->specifications == SPECS_MOST || !source(line + at, end - at, spec))
                return wrong(line + at, end - at);
            for (at = end; at < length && line[at] == ' '; at++)
                ;
            for (end = at; end < length && line[end] != ' '; end++)
                ;
            if (!parse_number(line + at, end - at, &spec->at) || spec->at == 0)
                return wrong(line + at, end - at);
            copy->specifications++;
            at = end;
        }
    }
    return copy->specifications > 0 ? 0 : wrong("", 0);
}

/* A character, or its two hexadecimal digits. */
static bool character(const name token, u8 *value)
{
    u32 length = name_length(token), number;

    if (length == 1) {
        *value = (u8)token[0];
        return true;
    }
    if (length != 2 || !parse_hex(token, 2, &number))
        return false;
    *value = (u8)number;
    return true;
}

/* The table of EBCDIC, and with TRANS what the user says: pairs of a character and what becomes of it. */
int read_translation(struct copy *copy)
{
    static const char bcd[][2] = { { '%', '(' }, { '<', ')' }, { '&', '+' }, { '#', '=' }, { '@', '\'' } };
    name token[TOKENS_MOST + 1];
    char line[256];
    bool more = true, any = false;

    for (u32 n = 0; n < 256; n++)
        copy->table[n] = (u8)n;
    for (u32 n = 0; n < COUNT_OF(bcd) && copy->translate & FROM_BCD; n++)
        copy->table[(u8)bcd[n][0]] = (u8)bcd[n][1];
    if (!(copy->translate & FROM_LIST))
        return 0;
    if (!copy->quiet)
        message("CPY", 602, 'R');
    while (more) {
        u32 length = read_line(line), count, n = 0, at = 0;

        length = length_of(line, length);
        more = length >= 2 && line[length - 1] == '+' && line[length - 2] == '+';
        if (more)
            length -= 2;
        /* Not upper case: words of one character are what they are. */
        for (count = 0; at < length && count < TOKENS_MOST; count++) {
            u32 end;

            while (at < length && line[at] == ' ')
                at++;
            for (end = at; end < length && line[end] != ' '; end++)
                ;
            if (end == at)
                break;
            pad(token[count], sizeof(name), line + at, end - at);
            at = end;
        }
        for (; n < count; n += 2) {
            u8 from, to;

            if (n + 1 == count || !character(token[n], &from) || !character(token[n + 1], &to)) {
                message("CPY", 64, 'E', token[n]);
                return RC_SYNTAX;
            }
            copy->table[from] = to;
            any = true;
        }
    }
    if (!any) {
        message("CPY", 63, 'E');
        return RC_SYNTAX;
    }
    return 0;
}

static u32 put(const struct copy *copy, struct place *to, u32 length, u32 at, const char *text, u32 count)
{
    char *record = make_room(to, at + count);

    if (length < at)
        memset(record + length, copy->fill, at - length);
    memcpy(record + at, text, count);
    return length > at + count ? length : at + count;
}

/* The record as it is to be written; `place` has what an overlaid file has there. */
u32 shape_record(const struct copy *copy, const char *from, u32 length, struct place *place, u32 old_length)
{
    u32 made = old_length;
    char *to;

    if (copy->specs) {
        for (u32 n = 0; n < copy->specifications; n++) {
            const struct spec *spec = &copy->spec[n];
            u32 begin = spec->from - 1, end = spec->to < length ? spec->to : length;

            if (spec->literal)
                made = put(copy, place, made, spec->at - 1, spec->text, spec->length);
            else if (begin < end)
                made = put(copy, place, made, spec->at - 1, from + begin, end - begin);
        }
    } else {
        made = put(copy, place, made, 0, from, length);
    }
    to = place->at;
    for (u32 n = 0; copy->translate && n < made; n++)
        to[n] = (char)copy->table[(u8)to[n]];
    for (u32 n = 0; copy->fold != KEEP && n < made; n++) {
        char c = upper(to[n]);

        to[n] = copy->fold == UPCASE ? c : (is_letter(c) ? (char)(c & ~0x40) : to[n]);
    }
    while (copy->truncate && made > 1 && to[made - 1] == copy->fill)
        made--;
    return made;
}
