/* The time: the processor's clock, and the calendar. The zone is the difference to what CP calls the time. */
#include "port.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MINUTE = 60, HOUR = 3600, DAY = 86400, QUARTER = 900 };

/* 1970 on the time-of-day clock, whose bit 51 is a microsecond. */
static const u64 epoch = 0x7d91048bca000000ull;

char *setlocale(int category, const char *locale)
{
    (void)category;
    return locale == NULL || *locale == 0 || strcmp(locale, "C") == 0 || strcmp(locale, "POSIX") == 0 ? (char *)"C"
        : NULL;
}

time_t time(time_t *when)
{
    u64 clock;
    time_t now;

    __asm__ volatile("stck %0" : "=Q"(clock) : : "cc");
    now = (time_t)((clock - epoch) / 4096 / 1000000);
    if (when != NULL)
        *when = now;
    return now;
}

/* DIAGNOSE X'0C': the date and the time of day in characters, the processor's time. */
struct pseudo_timer { char date[8], time[8]; u64 virtual_time, total_time; };

static void pseudo_timer(struct pseudo_timer *timer)
{
    register void *at __asm__("2") = timer;

    __asm__ volatile(".long 0x8320000c" : : "d"(at) : "cc", "memory");
}

clock_t clock(void)
{
    struct pseudo_timer timer __attribute__((aligned(8)));

    pseudo_timer(&timer);
    return (clock_t)timer.virtual_time;
}

double difftime(time_t later, time_t earlier) { return (double)(later - earlier); }

static bool leap(long long year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

static int days_of(long long year, int month)
{
    static const u8 days[12] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

    return days[month] + (month == 1 && leap(year));
}

/* Days from the first of 1970 to the first of a year. */
static long long days_before(long long year)
{
    long long y = year - 1;

    return (year - 1970) * 365 + (y >= 0 ? y / 4 - y / 100 + y / 400 : (y - 3) / 4 - (y - 99) / 100 + (y - 399) / 400) -
        477;
}

struct tm *gmtime(const time_t *when)
{
    static struct tm parts;
    long long days = *when / DAY, rest = *when % DAY, year;
    int month = 0;

    if (rest < 0) {
        rest += DAY;
        days--;
    }
    year = 1970 + days / 366 - (days < 0);
    while (days_before(year + 1) <= days)
        year++;
    while (days_before(year) > days)
        year--;
    if (year - 1900 != (int)(year - 1900))
        return NULL;
    memset(&parts, 0, sizeof parts);
    parts.tm_wday = (int)(((days + 4) % 7 + 7) % 7);
    days -= days_before(year);
    parts.tm_year = (int)(year - 1900);
    parts.tm_yday = (int)days;
    for (; days >= days_of(year, month); month++)
        days -= days_of(year, month);
    parts.tm_mon = month;
    parts.tm_mday = (int)days + 1;
    parts.tm_hour = (int)(rest / HOUR);
    parts.tm_min = (int)(rest / MINUTE % 60);
    parts.tm_sec = (int)(rest % MINUTE);
    return &parts;
}

static time_t seconds_of(const struct tm *parts)
{
    long long month = parts->tm_mon, year = (long long)parts->tm_year + 1900 + month / 12, days;
    int number = (int)(month % 12);

    if (number < 0) {
        number += 12;
        year--;
    }
    days = days_before(year) + parts->tm_mday - 1;
    for (int n = 0; n < number; n++)
        days += days_of(year, n);
    return days * DAY + (long long)parts->tm_hour * HOUR + (long long)parts->tm_min * MINUTE + parts->tm_sec;
}

/* How far local time is before universal time, in whole quarters of an hour. */
static long long zone(void)
{
    struct pseudo_timer timer __attribute__((aligned(8)));
    struct tm local = { 0 };
    const char *date = timer.date, *at = timer.time;
    long long off;

    pseudo_timer(&timer);
#define TWO(text) (((text)[0] - '0') * 10 + ((text)[1] - '0'))
    local.tm_mon = TWO(date) - 1;
    local.tm_mday = TWO(date + 3);
    local.tm_year = TWO(date + 6) + (TWO(date + 6) < 70 ? 100 : 0);
    local.tm_hour = TWO(at);
    local.tm_min = TWO(at + 3);
    local.tm_sec = TWO(at + 6);
#undef TWO
    off = seconds_of(&local) - time(NULL);
    return (off + (off < 0 ? -QUARTER / 2 : QUARTER / 2)) / QUARTER * QUARTER;
}

struct tm *localtime(const time_t *when)
{
    time_t local = *when + zone();

    return gmtime(&local);
}

time_t mktime(struct tm *parts)
{
    time_t local = seconds_of(parts), when = local - zone();
    struct tm *normal = gmtime(&local);

    if (normal == NULL)
        return -1;
    *parts = *normal;
    return when;
}

static const char *const days[] = { "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday" };
static const char *const months[] = { "January", "February", "March", "April", "May", "June", "July", "August",
                                      "September", "October", "November", "December" };

/* The year of ISO 8601 and its week. */
static int week_of(const struct tm *parts, int *year)
{
    int day = (parts->tm_wday + 6) % 7, week = (parts->tm_yday - day + 10) / 7;

    *year = parts->tm_year + 1900;
    if (week < 1) {
        int of_last = parts->tm_yday + 365 + leap(*year - 1);

        (*year)--;
        return (of_last - day + 10) / 7;
    }
    if (week == 53 && parts->tm_yday - day + 3 >= 365 + leap(*year)) {
        (*year)++;
        return 1;
    }
    return week;
}

static const char *name_in(const char *const *names, int number, int count)
{
    return number >= 0 && number < count ? names[number] : "?";
}

size_t strftime(char *to, size_t room, const char *how, const struct tm *t)
{
    size_t length = 0;

    for (; *how != 0; how++) {
        char text[64] = { *how, 0 };
        int hour = t->tm_hour % 12 == 0 ? 12 : t->tm_hour % 12, year, week = week_of(t, &year);
        long long full = (long long)t->tm_year + 1900, off = zone() / MINUTE;
        const char *same = NULL;

        if (*how == '%') {
            how++;
            if ((*how == 'E' || *how == 'O') && how[1] != 0)
                how++;
            switch (*how) {
            case 'a': (void)snprintf(text, sizeof text, "%.3s", name_in(days, t->tm_wday, 7)); break;
            case 'A': (void)snprintf(text, sizeof text, "%s", name_in(days, t->tm_wday, 7)); break;
            case 'b':
            case 'h': (void)snprintf(text, sizeof text, "%.3s", name_in(months, t->tm_mon, 12)); break;
            case 'B': (void)snprintf(text, sizeof text, "%s", name_in(months, t->tm_mon, 12)); break;
            case 'c': same = "%a %b %e %H:%M:%S %Y"; break;
            case 'C': (void)snprintf(text, sizeof text, "%02lld", full / 100); break;
            case 'd': (void)snprintf(text, sizeof text, "%02d", t->tm_mday); break;
            case 'D':
            case 'x': same = "%m/%d/%y"; break;
            case 'e': (void)snprintf(text, sizeof text, "%2d", t->tm_mday); break;
            case 'F': same = "%Y-%m-%d"; break;
            case 'g': (void)snprintf(text, sizeof text, "%02d", year % 100); break;
            case 'G': (void)snprintf(text, sizeof text, "%d", year); break;
            case 'H': (void)snprintf(text, sizeof text, "%02d", t->tm_hour); break;
            case 'I': (void)snprintf(text, sizeof text, "%02d", hour); break;
            case 'j': (void)snprintf(text, sizeof text, "%03d", t->tm_yday + 1); break;
            case 'm': (void)snprintf(text, sizeof text, "%02d", t->tm_mon + 1); break;
            case 'M': (void)snprintf(text, sizeof text, "%02d", t->tm_min); break;
            case 'n': (void)snprintf(text, sizeof text, "\n"); break;
            case 'p': (void)snprintf(text, sizeof text, t->tm_hour < 12 ? "AM" : "PM"); break;
            case 'r': same = "%I:%M:%S %p"; break;
            case 'R': same = "%H:%M"; break;
            case 's': (void)snprintf(text, sizeof text, "%lld", seconds_of(t) - zone()); break;
            case 'S': (void)snprintf(text, sizeof text, "%02d", t->tm_sec); break;
            case 't': (void)snprintf(text, sizeof text, "\t"); break;
            case 'T':
            case 'X': same = "%H:%M:%S"; break;
            case 'u': (void)snprintf(text, sizeof text, "%d", t->tm_wday == 0 ? 7 : t->tm_wday); break;
            case 'U': (void)snprintf(text, sizeof text, "%02d", (t->tm_yday + 7 - t->tm_wday) / 7); break;
            case 'V': (void)snprintf(text, sizeof text, "%02d", week); break;
            case 'w': (void)snprintf(text, sizeof text, "%d", t->tm_wday); break;
            case 'W': (void)snprintf(text, sizeof text, "%02d", (t->tm_yday + 7 - (t->tm_wday + 6) % 7) / 7); break;
            case 'y': (void)snprintf(text, sizeof text, "%02d", (int)(full % 100)); break;
            case 'Y': (void)snprintf(text, sizeof text, "%lld", full); break;
            case 'z': (void)snprintf(text, sizeof text, "%c%02lld%02lld", off < 0 ? '-' : '+',
                                     (off < 0 ? -off : off) / 60, (off < 0 ? -off : off) % 60); break;
            case 'Z': (void)snprintf(text, sizeof text, off == 0 ? "UTC" : ""); break;
            default: text[0] = *how; break;
            }
        }
        if (same != NULL)
            (void)strftime(text, sizeof text, same, t);
        for (const char *from = text; *from != 0; from++) {
            if (length + 1 >= room)
                return 0;
            to[length++] = *from;
        }
    }
    if (room > 0)
        to[length] = 0;
    return length;
}
