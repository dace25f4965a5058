/* Classes of characters, by a table of code page 037 (ctype.c). -1 is in no class. */
#ifndef CTYPE_H
#define CTYPE_H

enum { CLASS_UPPER = 1, CLASS_LOWER = 2, CLASS_DIGIT = 4, CLASS_SPACE = 8, CLASS_PUNCT = 16, CLASS_HEX = 32,
       CLASS_CONTROL = 64, CLASS_BLANK = 128 };
extern const unsigned char class_of[257];                /* ctype.c */

#define class_of(c, what) (class_of[(c) + 1] & (what))
#define isupper(c) class_of(c, CLASS_UPPER)
#define islower(c) class_of(c, CLASS_LOWER)
#define isalpha(c) class_of(c, CLASS_UPPER | CLASS_LOWER)
#define isdigit(c) class_of(c, CLASS_DIGIT)
#define isalnum(c) class_of(c, CLASS_UPPER | CLASS_LOWER | CLASS_DIGIT)
#define isxdigit(c) class_of(c, CLASS_HEX)
#define isspace(c) class_of(c, CLASS_SPACE)
#define ispunct(c) class_of(c, CLASS_PUNCT)
#define iscntrl(c) class_of(c, CLASS_CONTROL)
#define isgraph(c) class_of(c, CLASS_UPPER | CLASS_LOWER | CLASS_DIGIT | CLASS_PUNCT)
#define isprint(c) class_of(c, CLASS_UPPER | CLASS_LOWER | CLASS_DIGIT | CLASS_PUNCT | CLASS_BLANK)

/* Letters differ in one bit. */
static inline int toupper(int c) { return islower(c) ? c | 0x40 : c; }
static inline int tolower(int c) { return isupper(c) ? c & ~0x40 : c; }

/* For lbaselib.c alone: letters are not side by side, and numbers to a base want them so. */
#ifdef LETTERS_SIDE_BY_SIDE
#define toupper(c) ('A' + letter_place(c))
int letter_place(int c);                                 /* ctype.c */
#endif

#endif
