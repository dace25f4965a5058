/*
 * DATECONVERT: a date in another form.
 *
 * Dates are days from 1 January of the year 1, as REXX's DATE('B') counts them. Years of two digits are those of the
 * window: a hundred years from 50 before this one, or from where WINDOW or BASEYEAR say.
 */
#include "filters.h"

enum { DAY = 86400, EPOCH = 719162, YEAR_MOST = 9999 };

enum form { BASE, DAYS, EUROPEAN, FULL, ISO, JULIAN, MONTH, NORMAL, ORDERED, PIPE, POSIX, SHORT, STANDARD, WEEKDAY };

static const struct { const char *word; u32 least; enum form form; bool input; } forms[] = {
    { "BASE", 4, BASE, true }, { "DAYS", 4, DAYS, false }, { "EUROPEAN", 4, EUROPEAN, true },
    { "FULLDATE", 4, FULL, true }, { "ISODATE", 3, ISO, true }, { "JULIAN", 3, JULIAN, true },
    { "MONTH", 5, MONTH, false }, { "NORMAL", 4, NORMAL, true }, { "ORDERED", 3, ORDERED, true },
    { "PIPE", 4, PIPE, true }, { "POSIX", 5, POSIX, true }, { "SHORTDATE", 5, SHORT, true },
    { "STANDARD", 5, STANDARD, true }, { "WEEKDAY", 4, WEEKDAY, false }, { "REXX_B", 6, BASE, true },
    { "REXX_D", 6, DAYS, false }, { "REXX_E", 6, EUROPEAN, true }, { "REXX_J", 6, JULIAN, true },
    { "REXX_M", 6, MONTH, false }, { "REXX_N", 6, NORMAL, true }, { "REXX_O", 6, ORDERED, true },
    { "REXX_S", 6, STANDARD, true }, { "REXX_U", 6, SHORT, true }, { "REXX_W", 6, WEEKDAY, false },
};

static const char *const months[] = { "January", "February", "March", "April", "May", "June", "July", "August",
                                      "September", "October", "November", "December" };
static const char *const weekdays[] = { "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday" };

/* A day, and the second of it. */
struct date { u32 year, month, day, second; };

static bool leap(u32 year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

static u32 month_days(u32 year, u32 month)
{
    static const u8 days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

    return days[month - 1] + (month == 2 && leap(year));
}

static u32 day_of_year(const struct date *date)
{
    u32 days = date->day;

    for (u32 month = 1; month < date->month; month++)
        days += month_days(date->year, month);
    return days;
}

static u32 before_year(u32 year) { return (year - 1) * 365 + (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400; }

static u32 base_of(const struct date *date) { return before_year(date->year) + day_of_year(date) - 1; }

static void set_base(struct date *date, u32 base)
{
    u32 days;

    date->year = base / 366 + 1;
    while (before_year(date->year + 1) <= base)
        date->year++;
    days = base - before_year(date->year);
    for (date->month = 1; days >= month_days(date->year, date->month); date->month++)
        days -= month_days(date->year, date->month);
    date->day = days + 1;
}

/* The digits at the front, up to `most`; how many there were. */
static u32 digits(struct text *rest, u32 most, u32 *value)
{
    u32 n = 0;

    for (*value = 0; n < most && n < rest->length && rest->at[n] >= '0' && rest->at[n] <= '9'; n++)
        *value = *value * 10 + (u32)(rest->at[n] - '0');
    rest->at += n;
    rest->length -= n;
    return n;
}

static bool sign(struct text *rest, char c)
{
    if (rest->length == 0 || *rest->at != c)
        return false;
    rest->at++;
    rest->length--;
    return true;
}

/* Two digits are a year of the window; four are all of it. */
static bool year_of(u32 count, u32 value, u32 window, u32 *year)
{
    if (count == 2)
        value += window - window % 100 + (value < window % 100 ? 100 : 0);
    *year = value;
    return (count == 2 || count == 4) && value >= 1 && value <= YEAR_MOST;
}

/* Three numbers with `between` between them, in the order that `places` says: y, m, d. */
static bool three(struct text *rest, const char *places, char between, u32 window, struct date *date)
{
    for (u32 n = 0; n < 3; n++) {
        u32 value, count = digits(rest, places[n] == 'y' ? 4 : 2, &value);

        if (count == 0 || (n < 2 && between != 0 && !sign(rest, between)))
            return false;
        if (places[n] == 'y' && !year_of(count, value, window, &date->year))
            return false;
        if (places[n] == 'm')
            date->month = value;
        if (places[n] == 'd')
            date->day = value;
    }
    return true;
}

static bool julian(struct text *rest, u32 window, struct date *date)
{
    u32 value, days, count;
    struct text all = *rest;

    count = digits(&all, 8, &value);
    if ((count != 5 && count != 7) || !year_of(count - 3, value / 1000, window, &date->year))
        return false;
    days = value % 1000;
    *rest = all;
    if (days == 0 || days > (leap(date->year) ? 366u : 365u))
        return false;
    set_base(date, before_year(date->year) + days - 1);
    return true;
}

/* d Mon yyyy */
static bool normal(struct text *rest, u32 window, struct date *date)
{
    u32 value, count;

    if (digits(rest, 2, &date->day) == 0 || !sign(rest, ' ') || rest->length < 3)
        return false;
    for (date->month = 1; date->month <= 12 && !same(rest->at, months[date->month - 1], 3, true); date->month++)
        ;
    rest->at += 3;
    rest->length -= 3;
    if (!sign(rest, ' '))
        return false;
    count = digits(rest, 4, &value);
    return year_of(count, value, window, &date->year);
}

/* hh:mm[:ss] after a blank, or six digits of PIPE. */
static bool time_of(struct text *rest, bool packed, struct date *date)
{
    u32 part[3] = { 0, 0, 0 }, n;

    date->second = 0;
    if (rest->length == 0)
        return true;
    if (!packed && !sign(rest, ' '))
        return false;
    for (n = 0; n < 3; n++) {
        if (n > 0 && !packed && !sign(rest, ':'))
            break;
        if (digits(rest, 2, &part[n]) != 2)
            return false;
    }
    date->second = part[0] * 3600 + part[1] * 60 + part[2];
    return n >= 2 && part[0] < 24 && part[1] < 60 && part[2] < 60;
}

static bool seconds(struct text *rest, struct date *date)
{
    uint64_t value = 0;
    u32 n = 0;

    for (; n < rest->length && n < 12 && rest->at[n] >= '0' && rest->at[n] <= '9'; n++)
        value = value * 10 + (u32)(rest->at[n] - '0');
    rest->at += n;
    rest->length -= n;
    if (n == 0 || value / DAY > (u32)(3652058 - EPOCH))
        return false;
    set_base(date, (u32)(value / DAY) + EPOCH);
    date->second = (u32)(value % DAY);
    return rest->length == 0;
}

/* The date that is written there, and nothing else. */
static bool read_date(struct text text, enum form form, u32 window, struct date *date)
{
    u32 base;
    bool good;

    switch (form) {
    case BASE:
        good = digits(&text, 7, &base) > 0 && base <= 3652058;
        if (good)
            set_base(date, base);
        break;
    case EUROPEAN:
        good = three(&text, "dmy", '/', window, date);
        break;
    case FULL:
    case SHORT:
        good = three(&text, "mdy", '/', window, date);
        break;
    case ISO:
        good = three(&text, "ymd", '-', window, date);
        break;
    case ORDERED:
        good = three(&text, "ymd", '/', window, date);
        break;
    case JULIAN:
        good = julian(&text, window, date);
        break;
    case NORMAL:
        good = normal(&text, window, date);
        break;
    case POSIX:
        return seconds(&text, date);
    default:
        good = three(&text, "ymd", 0, window, date);
    }
    return good && date->month >= 1 && date->month <= 12 && date->day >= 1 &&
        date->day <= month_days(date->year, date->month) && time_of(&text, form == PIPE, date) && text.length == 0;
}

static void number(struct line *line, u32 value, u32 width)
{
    char text[10];
    u32 n = sizeof text;

    do {
        text[--n] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    line_fill(line, '0', width > sizeof text - n ? width - (sizeof text - n) : 0);
    line_add(line, text + n, sizeof text - n);
}

static void joined(struct line *line, u32 a, u32 width, u32 b, u32 c, u32 last, char between)
{
    number(line, a, width);
    if (between != 0)
        line_byte(line, between);
    number(line, b, 2);
    if (between != 0)
        line_byte(line, between);
    number(line, c, last);
}

static void posix(struct line *line, const struct date *date)
{
    uint64_t value = (uint64_t)(base_of(date) - EPOCH) * DAY + date->second;

    /* Below 10^12, in two parts. */
    if (value >= 1000000) {
        number(line, (u32)(value / 1000000), 1);
        number(line, (u32)(value % 1000000), 6);
    } else {
        number(line, (u32)value, 1);
    }
}

static void write_date(struct line *line, enum form form, const struct date *date)
{
    u32 y = date->year, m = date->month, d = date->day, s = date->second;

    switch (form) {
    case BASE:
        number(line, base_of(date), 1);
        break;
    case DAYS:
        number(line, day_of_year(date), 1);
        break;
    case EUROPEAN:
        joined(line, d, 2, m, y % 100, 2, '/');
        break;
    case FULL:
        joined(line, m, 2, d, y, 4, '/');
        break;
    case ISO:
        joined(line, y, 4, m, d, 2, '-');
        break;
    case JULIAN:
        number(line, y % 100, 2);
        number(line, day_of_year(date), 3);
        break;
    case MONTH:
        line_add(line, months[m - 1], (u32)strlen(months[m - 1]));
        break;
    case NORMAL:
        number(line, d, 1);
        line_byte(line, ' ');
        line_add(line, months[m - 1], 3);
        line_byte(line, ' ');
        number(line, y, 4);
        break;
    case ORDERED:
        joined(line, y % 100, 2, m, d, 2, '/');
        break;
    case PIPE:
        joined(line, y, 4, m, d, 2, 0);
        joined(line, s / 3600, 2, s / 60 % 60, s % 60, 2, 0);
        break;
    case POSIX:
        posix(line, date);
        break;
    case SHORT:
        joined(line, m, 2, d, y % 100, 2, '/');
        break;
    case STANDARD:
        joined(line, y, 4, m, d, 2, 0);
        break;
    case WEEKDAY:
        line_add(line, weekdays[base_of(date) % 7], (u32)strlen(weekdays[base_of(date) % 7]));
        break;
    }
}

static int next_form(struct stage *s, struct text *rest, bool input, enum form *form)
{
    struct text word;

    if (!next_word(rest, &word))
        return stage_error(s, 113);
    for (u32 n = 0; n < COUNT_OF(forms); n++)
        if (is_word(word, forms[n].word, forms[n].least) && (forms[n].input || !input)) {
            *form = forms[n].form;
            return 0;
        }
    return not_valid(s, word);
}

struct dates {
    struct range range;
    bool ranged, time;
    enum form from, to;
    u32 window;
    struct line line;
};

static int rewrite(struct stage *s, void *with, struct text record)
{
    struct dates *conversion = with;
    struct text part = record;
    struct date date = { 0, 0, 0, 0 };
    enum form to = conversion->to;
    bool there = !conversion->ranged || range_of(&conversion->range, record, &part);

    if (!there || !read_date(part, conversion->from, conversion->window, &date) ||
        (to == POSIX && base_of(&date) < EPOCH))
        return pass(s, 1, record);
    line_add(&conversion->line, record.at, (u32)(part.at - record.at));
    write_date(&conversion->line, to, &date);
    if (conversion->time && to != PIPE && to != POSIX) {
        line_byte(&conversion->line, ' ');
        joined(&conversion->line, date.second / 3600, 2, date.second / 60 % 60, date.second % 60, 2, ':');
    }
    line_add(&conversion->line, part.at + part.length, (u32)(record.at + record.length - part.at - part.length));
    return line_write(&conversion->line);
}

int dateconvert_stage(struct stage *s, struct text arguments)
{
    struct dates conversion = { .line = { .stage = s } };
    struct text rest = arguments;
    char stamp[17];
    u32 this = 0;
    i32 value;
    int code = 0;

    system_now(stamp);
    for (u32 n = 0; n < 4; n++)
        this = this * 10 + (u32)(stamp[n] - '0');
    conversion.window = this - 50;
    conversion.ranged = is_range_next(rest);
    if (conversion.ranged)
        code = next_range(s, &rest, &conversion.range);
    if (code == 0)
        code = next_form(s, &rest, true, &conversion.from);
    if (code == 0)
        code = next_form(s, &rest, false, &conversion.to);
    while (code == 0) {
        bool base = next_keyword(&rest, "BASEYEAR", 4);

        if (base || next_keyword(&rest, "WINDOW", 3)) {
            code = next_number(s, &rest, &value);
            value += base ? 0 : (i32)this;
            if (code == 0 && (value < 1 || value > YEAR_MOST - 99))
                code = stage_error(s, 66, value - (base ? 0 : (i32)this));
            conversion.window = (u32)value;
        } else if (next_keyword(&rest, "TIMEOUT", 7)) {
            conversion.time = true;
        } else {
            break;
        }
    }
    if (code == 0)
        code = no_more(s, rest);
    return code != 0 ? code : each_record(s, rewrite, &conversion);
}
