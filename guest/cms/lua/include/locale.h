/* There is one locale, "C". */
#ifndef LOCALE_H
#define LOCALE_H

enum { LC_ALL, LC_COLLATE, LC_CTYPE, LC_MONETARY, LC_NUMERIC, LC_TIME };
char *setlocale(int category, const char *locale);       /* time.c */

#endif
