/* Classes of characters in code page 037. */
#include <ctype.h>

enum { U = CLASS_UPPER, L = CLASS_LOWER, D = CLASS_DIGIT | CLASS_HEX, S = CLASS_SPACE, P = CLASS_PUNCT,
       C = CLASS_CONTROL, X = CLASS_HEX };

#define AT(c) [(c) + 1]
#define FROM_TO(a, b) [(a) + 1 ... (b) + 1]

const unsigned char class_of[257] = {
    FROM_TO(0x00, 0x04) = C, AT(0x05) = C | S, FROM_TO(0x06, 0x0a) = C, FROM_TO(0x0b, 0x0d) = C | S,
    FROM_TO(0x0e, 0x14) = C, AT(0x15) = C | S, FROM_TO(0x16, 0x24) = C, AT(0x25) = C | S, FROM_TO(0x26, 0x3f) = C,
    AT(0xff) = C, AT(' ') = S | CLASS_BLANK,
    FROM_TO('a', 'f') = L | X, FROM_TO('g', 'i') = L, FROM_TO('j', 'r') = L, FROM_TO('s', 'z') = L,
    FROM_TO('A', 'F') = U | X, FROM_TO('G', 'I') = U, FROM_TO('J', 'R') = U, FROM_TO('S', 'Z') = U,
    FROM_TO('0', '9') = D,
    AT('!') = P, AT('"') = P, AT('#') = P, AT('$') = P, AT('%') = P, AT('&') = P, AT('\'') = P, AT('(') = P,
    AT(')') = P, AT('*') = P, AT('+') = P, AT(',') = P, AT('-') = P, AT('.') = P, AT('/') = P, AT(':') = P,
    AT(';') = P, AT('<') = P, AT('=') = P, AT('>') = P, AT('?') = P, AT('@') = P, AT('[') = P, AT('\\') = P,
    AT(']') = P, AT('^') = P, AT('_') = P, AT('`') = P, AT('{') = P, AT('|') = P, AT('}') = P, AT('~') = P,
};

/* A letter's place in the alphabet, from 0 on. */
int letter_place(int c)
{
    int upper = c | 0x40;

    return upper >= 'S' ? upper - 'S' + 18 : upper >= 'J' ? upper - 'J' + 9 : upper - 'A';
}
