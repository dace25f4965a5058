/*
 * CLICKS: a nucleus extension that counts its calls; the return code is the number. CLICKS RESET begins anew.
 *
 *   LOAD CLICKS, GENMOD CLICKS, NUCXLOAD CLICKS
 *
 * Its storage is its own as long as it is there, so the count can be in it.
 */
#include "cms.inc"

	.text
	.globl	CLICKS
CLICKS:
	enter
	l	%r3, 24(%r13)		/* register 1: the words */
	n	%r3, mask-CLICKS-6(%r12)
	larl	%r4, reset
	clc	8(8, %r3), 0(%r4)
	jne	1f
	larl	%r5, clicks
	xc	0(4, %r5), 0(%r5)
	typetext message, 15
1:	larl	%r5, clicks
	l	%r6, 0(%r5)
	ahi	%r6, 1
	st	%r6, 0(%r5)
	lr	%r15, %r6
	leave	%r15
	.balign	4
mask:	.long	0x7fffffff
clicks:	.long	0
reset:	word	RESET
message:
	ebcdic	"COUNTING ANEW.."
