/*
 * DDR without CMS: where it begins, waits and stops. All of storage is its own; key 0, and interruptions only where it
 * waits for one.
 */
	.set	IO_NEW, 0x78
	.set	EXTERNAL_NEW, 0x58
	.set	PROGRAM_NEW, 0x68
	.set	SECOND, 1000000		/* of the TOD clock, in units of bit 51 */

	.section .text.start, "ax"
	.globl	_start
_start:
	basr	%r13, 0
0:	lctl	%c6, %c6, classes-0b(%r13)
	lctl	%c0, %c0, control-0b(%r13)
	mvc	PROGRAM_NEW(8), checked-0b(%r13)
	l	%r2, from-0b(%r13)	/* variables are zero */
	l	%r3, to-0b(%r13)
	sr	%r3, %r2
	sr	%r5, %r5
	mvcl	%r2, %r4
	l	%r15, stack-0b(%r13)
	ahi	%r15, -96
	brasl	%r14, bare_main
	.balign	8
checked:
	.long	0x00080000, 0x80000000 + program_check
classes:
	.long	0xff000000
control:
	.long	0x00000800		/* the clock comparator's interruption */
from:	.long	bss_begin
to:	.long	bss_end
stack:	.long	stack_top

program_check:
	larl	%r15, stack
	l	%r15, 0(%r15)
	ahi	%r15, -96
	brasl	%r14, bare_program_check

	.text
/* Waits for any device. */
	.globl	wait_for_device
wait_for_device:
	basr	%r5, 0
0:	mvc	IO_NEW(8), 3f-0b(%r5)
	lpsw	1f-0b(%r5)
	.balign	8
1:	.long	0x020a0000, 0x80000000 + 2f
3:	.long	0x00080000, 0x80000000 + 2f
2:	br	%r14

/* Waits for a second. */
	.globl	wait_for_clock
wait_for_clock:
	basr	%r5, 0
0:	mvc	EXTERNAL_NEW(8), 3f-0b(%r5)
	la	%r1, 4f-0b(%r5)
	stck	0(%r1)
	l	%r2, 0(%r1)		/* bit 31 is about a second */
	ahi	%r2, 1
	st	%r2, 0(%r1)
	sckc	0(%r1)
	lpsw	1f-0b(%r5)
	.balign	8
1:	.long	0x010a0000, 0x80000000 + 2f
3:	.long	0x00080000, 0x80000000 + 2f
4:	.long	0, 0
2:	br	%r14

/* The job is done: the machine waits, and nothing wakes it. */
	.globl	stop
stop:
	basr	%r5, 0
0:	lpsw	1f-0b(%r5)
	.balign	8
1:	.long	0x000a0000, 0x80000ddf

	.section .stack, "aw", @nobits
	.balign	8
	.skip	0x8000
stack_top:
