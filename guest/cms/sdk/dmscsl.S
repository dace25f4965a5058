/*
 * DMSCSL: what programs call to perform a callable service, by a standard list of addresses at register 1. CMS does the work: SVC 203, function 4.
 */
	.text
	.globl	DMSCSL
DMSCSL:
	stm	%r14, %r12, 12(%r13)
	svc	203
	.short	4
	l	%r14, 12(%r13)
	lm	%r0, %r12, 20(%r13)
	br	%r14
