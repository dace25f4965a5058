/* Seconds since 1970, and the calendar (time.c). */
#ifndef TIME_H
#define TIME_H

#include <stddef.h>

typedef long long time_t;
typedef long clock_t;
enum { CLOCKS_PER_SEC = 1000000 };
struct tm { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst; };

/* time.c */
time_t time(time_t *when);
clock_t clock(void);
double difftime(time_t later, time_t earlier);
struct tm *gmtime(const time_t *when);
struct tm *localtime(const time_t *when);
time_t mktime(struct tm *parts);
size_t strftime(char *to, size_t room, const char *how, const struct tm *parts);

#endif
