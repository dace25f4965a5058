/*
 * Where the nucleus begins, and the first steps of every interruption.
 *
 * The nucleus runs with key 0, programs with key 14; both are enabled for interruptions of devices, the nucleus not while it works
 * the console (disable, restore). An interruption that finds a program running continues on the stack that the nucleus left when
 * it started the program; one that finds the nucleus continues on the nucleus's own.
 * A program check has a stack to itself. It ends in the command loop, unless an exit of the program says where it goes on.
 */
	.set	SVC_OLD, 0x20
	.set	PGM_OLD, 0x28
	.set	EXT_OLD, 0x18
	.set	EXT_NEW, 0x58
	.set	IO_OLD, 0x38
	.set	WAITED, 0x248		/* the new PSW of external interruptions while it waits for one */
	.set	SAVE, 0x200		/* registers of the interruption being looked at */
	.set	PSW, 0x240		/* the PSW that is loaded next */
	.set	LOWER, 0x4000
	.set	TRANSIENT, 0xe000	/* from here to LOW, and from USER on, programs run; below LOWER they return */
	.set	LOW, 0x10000
	.set	USER, 0x20000
	.set	FRAME, 96 + 72		/* of the ABI, and PSW and registers */

	.section .text.start, "ax"
	.globl	_start, nucleus_begin
nucleus_begin:
_start:
	basr	%r13, 0
0:	l	%r15, 1f-0b(%r13)
	ahi	%r15, -96
	brasl	%r14, cms_start
	.balign	4
1:	.long	stack_top
	/* What the tool that links the nucleus knows it by, and the parts that are loaded (part.c). */
	.org	_start + 0x20
	.globl	nucleus_stamp
nucleus_stamp:
	.long	0, 0

	.text
/* Saves what was interrupted in a frame, calls a C function with it and goes on with what the frame is then. */
	.macro	interruption name, old, function, psw
	.globl	\name
\name:
	stm	%r0, %r15, SAVE
	basr	%r13, 0
1:	tm	\old + 1, 0xf0		/* key 14: a program */
	jnz	3f
	l	%r14, \old + 4		/* so is what is not the nucleus */
	n	%r14, 4f-1b(%r13)
	cl	%r14, 6f-1b(%r13)
	jnl	11f
	cl	%r14, 5f-1b(%r13)
	jnl	0f
	cl	%r14, 7f-1b(%r13)	/* the parts in low storage, and the transient area between them */
	jnl	3f
	cl	%r14, 8f-1b(%r13)
	jnl	0f
	cl	%r14, 9f-1b(%r13)
	jnl	3f
	cl	%r14, 10f-1b(%r13)
	jnl	0f
	j	3f
11:	l	%r15, 12f-1b(%r13)	/* a part that was loaded: where it is, and its size; then the next one's */
13:	icm	%r0, 15, 4(%r15)
	jz	3f
	lr	%r0, %r14
	sl	%r0, 0(%r15)
	cl	%r0, 4(%r15)
	la	%r15, 8(%r15)		/* the condition code stays */
	jnl	13b
	l	%r15, SAVE + 60
	j	0f
3:	l	%r14, 2f-1b(%r13)
	l	%r15, 0(%r14)
0:	ahi	%r15, -FRAME
	mvc	96(8,%r15), \old
	mvc	104(64,%r15), SAVE
	la	%r2, 96(%r15)
	brasl	%r14, \function
	mvc	PSW(8), 96(%r15)
	lm	%r0, %r14, 104(%r15)
	l	%r15, 104+60(%r15)
	lpsw	PSW
	.balign	4
2:	.long	kernel_stack
4:	.long	0x7fffffff
5:	.long	nucleus_begin
6:	.long	nucleus_end
7:	.long	USER
8:	.long	LOW
9:	.long	TRANSIENT
10:	.long	LOWER
12:	.long	part_places
	.endm

	interruption svc_handler, SVC_OLD, svc_interrupt
	interruption io_handler, IO_OLD, io_interrupt
	interruption ext_handler, EXT_OLD, external_interrupt	/* programs alone are open for it (os/timer.c) */

	.globl	pgm_handler
pgm_handler:
	stm	%r0, %r15, SAVE
	basr	%r13, 0
0:	l	%r15, 1f-0b(%r13)
	ahi	%r15, -FRAME
	mvc	96(8,%r15), PGM_OLD
	mvc	104(64,%r15), SAVE
	la	%r2, 96(%r15)
	brasl	%r14, program_check
	mvc	PSW(8), 96(%r15)	/* an exit of the program has seen to it */
	lm	%r0, %r14, 104(%r15)
	l	%r15, 104+60(%r15)
	lpsw	PSW
	.balign	4
1:	.long	abend_stack_top

/* int run_program(const struct frame *): loads the PSW and the registers; the program returns with SVC 255. */
	.globl	run_program
run_program:
	stnsm	SAVE, 0xfc
	stm	%r6, %r15, 24(%r15)
	ahi	%r15, -104
	basr	%r5, 0
0:	l	%r4, 1f-0b(%r5)
	l	%r3, 0(%r4)
	st	%r3, 96(%r15)
	st	%r15, 0(%r4)
	mvc	PSW(8), 0(%r2)
	lm	%r0, %r15, 8(%r2)
	lpsw	PSW
	.balign	4
1:	.long	kernel_stack

/* void leave_program(int code): run_program returns. */
	.globl	leave_program
leave_program:
	basr	%r5, 0
0:	l	%r4, 1f-0b(%r5)
	l	%r15, 0(%r4)
	l	%r3, 96(%r15)
	st	%r3, 0(%r4)
	ahi	%r15, 104
	lm	%r6, %r15, 24(%r15)
	br	%r14
	.balign	4
1:	.long	kernel_stack

/* int mark(u32 place[10]): 0; when come_back(place) is called it returns again, with 1. */
	.globl	mark
mark:	stm	%r6, %r15, 0(%r2)
	lhi	%r2, 0
	br	%r14
	.globl	come_back
come_back:
	lm	%r6, %r15, 0(%r2)
	lhi	%r2, 1
	br	%r14

/*
 * void save_system(const char *command, u32 length, u32 registers[16]): DIAGNOSE X'08' with SAVESYS. It returns, and in every machine
 * that begins with what was saved it returns again: only the place in storage is known then, and the registers are what IPL
 * has put there.
 */
	.globl	save_system
save_system:
	stm	%r6, %r15, 24(%r15)
	basr	%r5, 0
0:	l	%r1, 1f-0b(%r5)
	st	%r15, 0(%r1)
	st	%r4, 4(%r1)
	.long	0x83230008
	stm	%r0, %r15, SAVE
	basr	%r5, 0
2:	l	%r1, 1f-2b(%r5)
	l	%r15, 0(%r1)
	l	%r4, 4(%r1)
	mvc	0(64,%r4), SAVE
	lm	%r6, %r15, 24(%r15)
	br	%r14
	.balign	4
1:	.long	saved_place

/* Waits for an interruption of a device; io_interrupt() ends the wait. */
	.globl	wait_io
wait_io:
	basr	%r5, 0
0:	lpsw	1f-0b(%r5)
	.balign	8
1:	.long	0x020a0000, 0x80000000 + 2f
2:	stnsm	SAVE, 0xfc
	br	%r14

/* The same, or for an external one, which goes on after the wait as well. */
	.globl	wait_io_or_clock
wait_io_or_clock:
	basr	%r5, 0
0:	mvc	WAITED(8), EXT_NEW
	mvc	EXT_NEW(8), 3f-0b(%r5)
	lpsw	1f-0b(%r5)
	.balign	8
1:	.long	0x030a0000, 0x80000000 + 2f
3:	.long	0x00080000, 0x80000000 + 2f
2:	mvc	EXT_NEW(8), WAITED
	stnsm	SAVE, 0xfc
	br	%r14

	.section .stack, "aw", @nobits
	.balign	4096
	.globl	stack_limit
stack_limit:
	.skip	0x1c000
stack_top:
	.skip	0x2000
abend_stack_top:

	.bss
	.balign	8
	.globl	kernel_stack
kernel_stack:
	.skip	8
