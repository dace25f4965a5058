/*
 * DATE and TIME (TRL, section 4). Within one clause the clock stands still. DATE also converts a date from one form to
 * another (REXX/VM Reference): years of two digits are those from 50 before this one to 49 after it.
 */
#include "builtin.h"

static const char *const months[] = { "January", "February", "March", "April", "May", "June", "July", "August",
				      "September", "October", "November", "December" };
static const char *const days[] = { "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday" };
static const u16 before_month[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334 };

static bool leap(i32 year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static i32 day_of_year(const struct rexx_time *t)
{
	i32 month = t->month < 1 ? 1 : t->month > 12 ? 12 : t->month;

	return before_month[month - 1] + t->day + (month > 2 && leap(t->year));
}

/* Days from 1 January of the year 1 to 1 January of this one. */
static i32 before_year(i32 year)
{
	i32 y = year - 1;

	return y * 365 + y / 4 - y / 100 + y / 400;
}

static i32 base_day(const struct rexx_time *t)
{
	return before_year(t->year) + day_of_year(t) - 1;
}

static const struct rexx_time *now(struct rexx *x)
{
	if (!x->time_known) {
		x->now = (struct rexx_time){ .year = 1970, .month = 1, .day = 1 };
		if (x->host->clock)
			x->host->clock(x->host->context, &x->now);
		x->time_known = true;
		x->attend |= ATTEND_CLOCK;
	}
	return &x->now;
}

struct text {
	char t[40];
	u32 n;
};

static void put(struct text *o, const char *z, u32 most)
{
	for (u32 i = 0; z[i] && i < most; i++)
		o->t[o->n++] = z[i];
}

static void character(struct text *o, char c)
{
	o->t[o->n++] = c;
}

static void number(struct text *o, i32 v, u32 width)
{
	char t[12];
	u32 length = rx_itoa(v, t);

	for (u32 i = length; i < width; i++)
		character(o, '0');
	for (u32 i = 0; i < length; i++)
		character(o, t[i]);
}

/* dd/mm/yy in the order that a, b and c are given. */
static void slashed(struct text *o, i32 a, i32 b, i32 c)
{
	number(o, a, 2);
	character(o, '/');
	number(o, b, 2);
	character(o, '/');
	number(o, c, 2);
}

static u32 month_days(i32 year, i32 month)
{
	return month == 2 ? 28u + leap(year) : 30u + ((0x15aau >> month) & 1);
}

static void set_base(struct rexx_time *t, i32 base)
{
	i32 days;

	t->year = base / 366 + 1;
	while (before_year(t->year + 1) <= base)
		t->year++;
	days = base - before_year(t->year);
	for (t->month = 1; days >= (i32)month_days(t->year, t->month); t->month++)
		days -= (i32)month_days(t->year, t->month);
	t->day = days + 1;
}

/* What of a date has not been read. */
struct left {
	const char *at, *end;
};

/* So many digits, or from one to that many. */
static bool digits(struct left *left, u32 least, u32 most, i32 *value)
{
	u32 n = 0;

	for (*value = 0; n < most && left->at < left->end && is_digit(*left->at); n++)
		*value = *value * 10 + (*left->at++ - '0');
	return n >= least;
}

static bool is_next(struct left *left, char c)
{
	return left->at < left->end && *left->at++ == c;
}

/* The year of the window that ends in these digits. */
static i32 whole_year(i32 two, i32 this)
{
	i32 first = this - 50;

	return first - first % 100 + two + (two < first % 100 ? 100 : 0);
}

/* nn/nn/nn, in the order that `places` says. */
static bool read_slashed(struct left *left, const char *places, struct rexx_time *t)
{
	for (u32 i = 0; i < 3; i++) {
		i32 value;

		if (!digits(left, 2, 2, &value) || (i < 2 && !is_next(left, '/')))
			return false;
		if (places[i] == 'd')
			t->day = value;
		else if (places[i] == 'm')
			t->month = value;
		else
			t->year = whole_year(value, t->year);
	}
	return true;
}

/* dd Mon yyyy */
static bool read_normal(struct left *left, struct rexx_time *t)
{
	i32 day;

	if (!digits(left, 1, 2, &day) || !is_next(left, ' ') || left->end - left->at < 3)
		return false;
	for (t->month = 1; t->month <= 12; t->month++) {
		const char *month = months[t->month - 1];

		if (left->at[0] == month[0] && left->at[1] == month[1] && left->at[2] == month[2])
			break;
	}
	left->at += 3;
	t->day = day;
	return is_next(left, ' ') && digits(left, 4, 4, &t->year);
}

/* `t` is today, and then the date in that form. */
static bool read_date(struct left left, char form, struct rexx_time *t)
{
	i32 value = 0, this = t->year, month_and_day = 0;
	bool good = true;

	switch (form) {
	case 'B':
		good = digits(&left, 1, 7, &value) && value <= 3652058;
		break;
	case 'C':
		good = digits(&left, 1, 5, &value) && value >= 1 && value <= 36525;
		value += before_year(this - this % 100) - 1;
		break;
	case 'D':
		good = digits(&left, 1, 3, &value) && value >= 1 && value <= (leap(this) ? 366 : 365);
		value += before_year(this) - 1;
		break;
	case 'J':
		good = digits(&left, 2, 2, &t->year) && digits(&left, 3, 3, &value) && value >= 1;
		t->year = whole_year(t->year, this);
		good = good && value <= (leap(t->year) ? 366 : 365);
		value += before_year(t->year) - 1;
		break;
	case 'E':
		return read_slashed(&left, "dmy", t) && left.at == left.end;
	case 'O':
		return read_slashed(&left, "ymd", t) && left.at == left.end;
	case 'U':
		return read_slashed(&left, "mdy", t) && left.at == left.end;
	case 'N':
		return read_normal(&left, t) && left.at == left.end;
	default:
		good = digits(&left, 4, 4, &t->year) && digits(&left, 4, 4, &month_and_day);
		t->month = month_and_day / 100;
		t->day = month_and_day % 100;
		return good && left.at == left.end;
	}
	if (good)
		set_base(t, value);
	return good && left.at == left.end;
}

/* The date of argument 2, in the form that argument 3 says. */
static void given_date(struct rexx *x, struct val *a, u32 n, struct rexx_time *t)
{
	char form = GIVEN(2) ? rx_arg_option(x, a, 2) : 'N';
	struct str *text = text_of(x, &a[1]);
	struct left left = { text->t, text->t + text->length };

	if (form != 'B' && form != 'C' && form != 'D' && form != 'E' && form != 'J' && form != 'N' && form != 'O' &&
	    form != 'S' && form != 'U')
		rx_bad_option(x, a, 2);
	if (!read_date(left, form, t) || t->year < 1 || t->year > 9999 || t->month < 1 || t->month > 12 || t->day < 1 ||
	    t->day > (i32)month_days(t->year, t->month))
		rx_bad_argument(x, 19, &a[1]);
}

struct val rx_date(struct rexx *x, struct val *a, u32 n)
{
	struct rexx_time date = *now(x);
	const struct rexx_time *t = &date;
	struct text o = { .n = 0 };
	i32 year, month;

	if (GIVEN(1))
		given_date(x, a, n, &date);
	else if (GIVEN(2))
		rx_bad_option(x, a, 2);
	year = t->year % 100;
	month = t->month < 1 ? 1 : t->month > 12 ? 12 : t->month;
	switch (GIVEN(0) ? rx_arg_option(x, a, 0) : 'N') {
	case 'B':
		return INTEGER(base_day(t));
	case 'C':
		return INTEGER(before_year(t->year) - before_year(t->year - year) + day_of_year(t));
	case 'D':
		return INTEGER(day_of_year(t));
	case 'E':
		slashed(&o, t->day, month, year);
		break;
	case 'J':
		number(&o, year, 2);
		number(&o, day_of_year(t), 3);
		break;
	case 'M':
		put(&o, months[month - 1], 9);
		break;
	case 'N':
		number(&o, t->day, 1);
		character(&o, ' ');
		put(&o, months[month - 1], 3);
		character(&o, ' ');
		number(&o, t->year, 4);
		break;
	case 'O':
		slashed(&o, year, month, t->day);
		break;
	case 'S':
		number(&o, t->year, 4);
		number(&o, month, 2);
		number(&o, t->day, 2);
		break;
	case 'U':
		slashed(&o, month, t->day, year);
		break;
	case 'W':
		put(&o, days[base_day(t) % 7], 9);
		break;
	default:
		rx_bad_option(x, a, 0);
	}
	return rx_text(x, o.t, o.n);
}

static struct val elapsed(struct rexx *x, const struct rexx_time *t, bool reset)
{
	struct act *act = x->act;
	i32 day = base_day(t), second = t->hour * 3600 + t->minute * 60 + t->second;
	struct text o = { .n = 0 };
	i32 seconds, micro;

	if (!act->clock_set) {
		act->clock_set = true;
		act->clock_day = day;
		act->clock_second = second;
		act->clock_micro = t->microsecond;
		return INTEGER(0);
	}
	seconds = (day - act->clock_day) * 86400 + second - act->clock_second;
	micro = t->microsecond - act->clock_micro;
	if (micro < 0) {
		micro += 1000000;
		seconds--;
	}
	if (reset) {
		act->clock_day = day;
		act->clock_second = second;
		act->clock_micro = t->microsecond;
	}
	/* A clock that was set back. */
	if (seconds < 0)
		return INTEGER(0);
	number(&o, seconds, 1);
	character(&o, '.');
	number(&o, micro, 6);
	return rx_text(x, o.t, o.n);
}

struct val rx_time(struct rexx *x, struct val *a, u32 n)
{
	const struct rexx_time *t = now(x);
	char option = GIVEN(0) ? rx_arg_option(x, a, 0) : 'N';
	struct text o = { .n = 0 };

	switch (option) {
	case 'C': {
		i32 hour = t->hour % 12;

		number(&o, hour ? hour : 12, 1);
		character(&o, ':');
		number(&o, t->minute, 2);
		put(&o, t->hour < 12 ? "am" : "pm", 2);
		break;
	}
	case 'E':
	case 'R':
		return elapsed(x, t, option == 'R');
	case 'H':
		return INTEGER(t->hour);
	case 'L':
	case 'N':
		number(&o, t->hour, 2);
		character(&o, ':');
		number(&o, t->minute, 2);
		character(&o, ':');
		number(&o, t->second, 2);
		if (option == 'L') {
			character(&o, '.');
			number(&o, t->microsecond, 6);
		}
		break;
	case 'M':
		return INTEGER(t->hour * 60 + t->minute);
	case 'S':
		return INTEGER(t->hour * 3600 + t->minute * 60 + t->second);
	default:
		rx_bad_option(x, a, 0);
	}
	return rx_text(x, o.t, o.n);
}
