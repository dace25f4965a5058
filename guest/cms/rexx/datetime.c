/*
 * DATE and TIME (TRL, section 4). Within one clause the clock stands still.
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

struct val rx_date(struct rexx *x, struct val *a, u32 n)
{
	const struct rexx_time *t = now(x);
	struct text o = { .n = 0 };
	i32 year = t->year % 100, month = t->month < 1 ? 1 : t->month > 12 ? 12 : t->month;

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
