/*
 * CKSUM(text): a function for execs, the sum of the text's bytes in decimal.
 *
 *   LOAD RXCKSUM, GENMOD RXCKSUM; then in an exec: say cksum('some text')
 *
 * A function F is the program RXF. Register 0 leads to six words; the fifth to the arguments, the sixth to the word for the address of
 * the result, a block of storage with its length at 8 and the data at 16. Without an argument it is called wrongly: return code 1.
 */
#include "cms.inc"

	.text
	.globl	RXCKSUM
RXCKSUM:
	enter
	lr	%r8, %r0
	l	%r9, 16(%r8)		/* the arguments */
	l	%r8, 20(%r8)		/* the word for the result */
	l	%r4, 0(%r9)		/* the first one's address and length */
	l	%r5, 4(%r9)
	ltr	%r4, %r4
	jz	3f
	jm	3f			/* there is none: the list's end */
	lhi	%r6, 0
1:	ltr	%r5, %r5
	jz	2f
	lhi	%r7, 0
	ic	%r7, 0(%r4)
	ar	%r6, %r7
	ahi	%r4, 1
	ahi	%r5, -1
	j	1b
2:	lhi	%r0, 40			/* 40 bytes: register 1 gets their address */
	svc	203
	.short	1
	ltr	%r15, %r15
	jnz	3f
	cvd	%r6, 16(%r1)		/* eight bytes of packed decimal, then fifteen digits, of which seven are wanted */
	unpk	24(8, %r1), 20(4, %r1)
	oi	31(%r1), 0xf0
	mvc	16(7, %r1), 25(%r1)
	lhi	%r3, 7
	st	%r3, 8(%r1)
	st	%r1, 0(%r8)
	leave	0
3:	leave	1
