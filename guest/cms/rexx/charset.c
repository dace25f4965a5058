/*
 * The tables of charset.h. They are written by character, so the compiler puts them where its execution character set
 * has them: letters are not contiguous in EBCDIC.
 */
#include "charset.h"

#define LETTERS(M)                                                                                                     \
	M('A', 'a') M('B', 'b') M('C', 'c') M('D', 'd') M('E', 'e') M('F', 'f') M('G', 'g') M('H', 'h') M('I', 'i')    \
	M('J', 'j') M('K', 'k') M('L', 'l') M('M', 'm') M('N', 'n') M('O', 'o') M('P', 'p') M('Q', 'q') M('R', 'r')    \
	M('S', 's') M('T', 't') M('U', 'u') M('V', 'v') M('W', 'w') M('X', 'x') M('Y', 'y') M('Z', 'z')

#define HEX_LETTERS(M) M('A', 'a') M('B', 'b') M('C', 'c') M('D', 'd') M('E', 'e') M('F', 'f')
#define OTHERS(M) M('G', 'g') M('H', 'h') M('I', 'i') M('J', 'j') M('K', 'k') M('L', 'l') M('M', 'm') M('N', 'n')      \
	M('O', 'o') M('P', 'p') M('Q', 'q') M('R', 'r') M('S', 's') M('T', 't') M('U', 'u') M('V', 'v') M('W', 'w')    \
	M('X', 'x') M('Y', 'y') M('Z', 'z')
#define DIGITS(M) M('0') M('1') M('2') M('3') M('4') M('5') M('6') M('7') M('8') M('9')

#define HEX_CLASS(u, l) [(unsigned char)(u)] = CHAR_LETTER | CHAR_UPPER | CHAR_HEX, \
	[(unsigned char)(l)] = CHAR_LETTER | CHAR_LOWER | CHAR_HEX,
#define CLASS(u, l) [(unsigned char)(u)] = CHAR_LETTER | CHAR_UPPER, [(unsigned char)(l)] = CHAR_LETTER | CHAR_LOWER,
#define DIGIT(c) [(unsigned char)(c)] = CHAR_DIGIT | CHAR_HEX,

const uint8_t rx_class[256] = {
	HEX_LETTERS(HEX_CLASS) OTHERS(CLASS) DIGITS(DIGIT)
	['@'] = CHAR_LETTER, ['#'] = CHAR_LETTER, ['$'] = CHAR_LETTER, ['!'] = CHAR_LETTER, ['?'] = CHAR_LETTER,
	['_'] = CHAR_LETTER, ['.'] = CHAR_DOT, [' '] = CHAR_BLANK, ['\t'] = CHAR_BLANK,
#if 'A' != 0x41
	/* The cent sign, which ASCII lacks. */
	[0x4A] = CHAR_LETTER,
#endif
};

#define FOLD(u, l) [(unsigned char)(l)] = (unsigned char)(u),

const uint8_t rx_folded[256] = { LETTERS(FOLD) };

const char rx_hex_digits[16] = { '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F' };

int rx_hex(char c)
{
	if (is_digit(c))
		return c - '0';
	c = upper(c);
	for (int i = 10; i < 16; i++)
		if (rx_hex_digits[i] == c)
			return i;
	return -1;
}
