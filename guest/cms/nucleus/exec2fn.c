/* EXEC 2's functions (&NAME OF ...), numbers and errors. */
#include "exec2.h"
#include "../command/command.h"

enum { PUNCH_CARD = 0x41 };

/* A whole number with or without a sign. */
bool exec2_number(struct word word, int *value)
{
    u32 sign = word.length > 1 && (word.text[0] == '-' || word.text[0] == '+'), number;

    if (!parse_number(word.text + sign, word.length - sign, &number))
        return false;
    *value = sign && word.text[0] == '-' ? -(int)number : (int)number;
    return true;
}

/* What is said of an error; both processors ask. */
const char *exec_error(const struct exec_error *texts, u32 count, int wrong)
{
    for (u32 n = 0; n < count; n++)
        if (texts[n].number == wrong)
            return texts[n].text;
    return "Error";
}

const char *exec2_error(int wrong)
{
    static const struct exec_error texts[] = {
        { STATEMENT_TOO_LONG, "Statement too long" }, { INVALID_CONTROL, "Invalid control word" },
        { LABEL_NOT_FOUND, "Label not found" }, { INVALID_VARIABLE, "Invalid variable name" },
        { INVALID_CONDITION, "Invalid form of condition" }, { INVALID_ASSIGNMENT, "Invalid assignment" },
        { MISSING_ARGUMENT, "Missing argument" }, { INVALID_ARGUMENT, "Invalid argument" },
        { CONVERSION_ERROR, "Conversion error" }, { NUMERIC_OVERFLOW, "Numeric overflow" },
        { INVALID_FUNCTION, "Invalid function name" }, { DIVISION_BY_ZERO, "Division by zero" },
        { INVALID_LOOP, "Invalid loop condition" },
    };

    return exec_error(texts, COUNT_OF(texts), wrong);
}

int exec2_punch(const char card[80]) { return unit_write(PUNCH_UNIT, PUNCH_CARD, card, 80); }

static struct word made(char *text, u32 length) { return (struct word){ text, length }; }

static struct word number(int value)
{
    char *text = obtain_command(12);

    return made(text, format(text, 12, "%d", value));
}

/* From character `from` (1 is the first) on, at most `length`. */
static struct word piece(struct word of, int from, int length)
{
    u32 begin = from < 1 ? 0 : (u32)from - 1;

    begin = begin < of.length ? begin : of.length;
    return (struct word){ of.text + begin, length < 0 || (u32)length > of.length - begin ? of.length - begin
                          : (u32)length };
}

/* n characters, cut or with blanks, from the left or from the right. */
static struct word fitted(struct word of, int n, bool left)
{
    u32 room = n < 0 ? 0 : n > 4096 ? 4096 : (u32)n, length = of.length < room ? of.length : room;
    char *text = obtain_command(room + 1);

    memset(text, ' ', room);
    memcpy(left ? text : text + room - length, left ? of.text : of.text + of.length - length, length);
    return made(text, room);
}

static struct word together(const struct word *operand, u32 count, const char *between)
{
    u32 length = 0, gap = (u32)strlen(between);
    char *text;

    for (u32 n = 0; n < count; n++)
        length += operand[n].length + gap;
    text = obtain_command(length + 1);
    length = 0;
    for (u32 n = 0; n < count; n++) {
        memcpy(text + length, between, n > 0 ? gap : 0);
        length += n > 0 ? gap : 0;
        memcpy(text + length, operand[n].text, operand[n].length);
        length += operand[n].length;
    }
    return made(text, length);
}

static int location(struct word needle, struct word hay)
{
    for (u32 at = 0; needle.length > 0 && at + needle.length <= hay.length; at++)
        if (memcmp(hay.text + at, needle.text, needle.length) == 0)
            return (int)at + 1;
    return 0;
}

static struct word translated(struct word of, struct word to, struct word from)
{
    char *text = obtain_command(of.length + 1);

    for (u32 n = 0; n < of.length; n++) {
        text[n] = of.text[n];
        for (u32 k = 0; k < from.length; k++)
            if (of.text[n] == from.text[k]) {
                text[n] = k < to.length ? to.text[k] : ' ';
                break;
            }
    }
    return made(text, of.length);
}

/* All operands multiplied, or the first divided by the others. */
static int arithmetic(const struct word *operand, u32 count, bool divide, struct word *value)
{
    int result = 0, factor;

    for (u32 n = 0; n < count; n++) {
        if (!exec2_number(operand[n], &factor))
            return CONVERSION_ERROR;
        if (n == 0)
            result = factor;
        else if (divide && factor == 0)
            return DIVISION_BY_ZERO;
        else if (divide)
            result /= factor;
        else if (__builtin_mul_overflow(result, factor, &result))
            return NUMERIC_OVERFLOW;
    }
    if (count == 0)
        return MISSING_ARGUMENT;
    *value = number(result);
    return 0;
}

/* 0, or what is wrong. */
int exec2_function(struct exec2 *exec, struct word name, const struct word *operand, u32 count, struct word *value)
{
    struct word first = count > 0 ? operand[0] : (struct word){ "", 0 };
    int a = 1, b = -1, unused;

    (void)exec;
    if (IS_WORD(name, "&CONCAT") || IS_WORD(name, "&CONCATENATION")) {
        *value = together(operand, count, "");
    } else if (IS_WORD(name, "&STRING") || IS_WORD(name, "&LITERAL")) {
        *value = together(operand, count, " ");
    } else if (IS_WORD(name, "&LENGTH")) {
        *value = number((int)first.length);
    } else if (IS_WORD(name, "&DATATYPE") || IS_WORD(name, "&TYPE")) {
        bool is_number = exec2_number(first, &unused);

        *value = (struct word){ is_number ? "NUM" : "CHAR", is_number ? 3 : 4 };
    } else if (IS_WORD(name, "&PIECE") || IS_WORD(name, "&SUBSTR")) {
        if (count < 2)
            return MISSING_ARGUMENT;
        if (!exec2_number(operand[1], &a) || (count > 2 && !exec2_number(operand[2], &b)) || a < 1)
            return INVALID_ARGUMENT;
        *value = piece(first, a, b);
    } else if (IS_WORD(name, "&LEFT") || IS_WORD(name, "&RIGHT")) {
        if (count < 2)
            return MISSING_ARGUMENT;
        if (!exec2_number(operand[1], &a))
            return INVALID_ARGUMENT;
        *value = fitted(first, a, name.text[1] == 'L');
    } else if (IS_WORD(name, "&LOCATION")) {
        *value = number(count > 1 ? location(first, operand[1]) : 0);
    } else if (IS_WORD(name, "&POSITION")) {
        u32 n = 1;

        while (n < count && (operand[n].length != first.length ||
                             memcmp(operand[n].text, first.text, first.length) != 0))
            n++;
        *value = number(n < count ? (int)n : 0);
    } else if (IS_WORD(name, "&TRANSLATION") || IS_WORD(name, "&TRANSLATE")) {
        if (count < 3)
            return MISSING_ARGUMENT;
        *value = translated(first, operand[1], operand[2]);
    } else if (IS_WORD(name, "&TRIM") || IS_WORD(name, "&STRIP")) {
        u32 from = 0;

        while (name.text[1] == 'S' && from < first.length && first.text[from] == ' ')
            from++;
        *value = (struct word){ first.text + from, length_of(first.text + from, first.length - from) };
    } else if (IS_WORD(name, "&WORD")) {
        /* Word n of those that follow. */
        if (count < 1 || !exec2_number(operand[count - 1], &a) || a < 1)
            return INVALID_ARGUMENT;
        *value = (u32)a < count ? operand[a - 1] : (struct word){ "", 0 };
    } else if (IS_WORD(name, "&MULT") || IS_WORD(name, "&MULTIPLICATION")) {
        return arithmetic(operand, count, false, value);
    } else if (IS_WORD(name, "&DIV") || IS_WORD(name, "&DIVISION")) {
        return arithmetic(operand, count, true, value);
    } else {
        return INVALID_FUNCTION;
    }
    return 0;
}
