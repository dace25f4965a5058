/*
 * Where LUA begins, jumps across functions, and the request to CMS.
 */
	.set	STACK, 0x60000
	.set	CALL_TYPE, 0x60
	.set	PAGES, 10		/* services of service.h */
	.set	RELEASE, 11
	.set	HALT_STACK, 0x1000	/* the end of what HI runs on, in struct port */

	.text
	.globl	lua_start
	.type	lua_start, @function
lua_start:
	basr	%r12, 0
0:	lr	%r6, %r0		/* the line */
	lr	%r8, %r14
	lhi	%r7, 0
	ic	%r7, CALL_TYPE(%r13)
	larl	%r1, request
	stctl	%c0, %c0, 0(%r1)
	oi	1(%r1), 0x04		/* sixteen floating-point registers, and binary numbers */
	lctl	%c0, %c0, 0(%r1)
	lhi	%r2, PAGES
	st	%r2, 0(%r1)
	mvc	4(4, %r1), stack_size-0b(%r12)
	svc	203
	.short	7
	lr	%r10, %r15
	lhi	%r15, 104		/* there is no storage for it */
	ltr	%r10, %r10
	bzr	%r8
	lr	%r15, %r10
	a	%r15, stack_size-0b(%r12)
	ahi	%r15, -96
	lr	%r2, %r6
	lr	%r3, %r7
	lr	%r4, %r10
	brasl	%r14, port_main
	lr	%r9, %r2
	larl	%r1, request
	lhi	%r2, RELEASE
	st	%r2, 0(%r1)
	st	%r10, 4(%r1)
	svc	203
	.short	7
	lr	%r15, %r9
	br	%r8
	.balign	4
stack_size:
	.long	STACK

/* int svc_request(struct request *): whatever else runs meanwhile, the registers that a function keeps stay. */
	.globl	svc_request
svc_request:
	stm	%r6, %r15, 24(%r15)
	std	%f4, 80(%r15)
	std	%f6, 88(%r15)
	lr	%r6, %r15
	lr	%r1, %r2
	svc	203
	.short	7
	lr	%r2, %r15
	lr	%r15, %r6
	ld	%f4, 80(%r15)
	ld	%f6, 88(%r15)
	lm	%r6, %r15, 24(%r15)
	br	%r14

/* int svc_words(void *words): a function of CMS that has its words in a block. */
	.globl	svc_words
svc_words:
	st	%r6, 24(%r15)
	lr	%r6, %r15
	lr	%r1, %r2
	lhi	%r0, 0
	lhi	%r2, 0
	svc	203
	.short	6
	lr	%r2, %r15
	lr	%r15, %r6
	l	%r6, 24(%r15)
	br	%r14

/* int setjmp(jmp_buf): 0; longjmp() returns from it again. */
	.globl	setjmp
setjmp:	stm	%r6, %r15, 0(%r2)
	std	%f4, 40(%r2)
	std	%f6, 48(%r2)
	lhi	%r2, 0
	br	%r14
	.globl	longjmp
longjmp:
	lm	%r6, %r15, 0(%r2)
	ld	%f4, 40(%r2)
	ld	%f6, 48(%r2)
	lr	%r2, %r3
	ltr	%r2, %r2
	bnzr	%r14
	lhi	%r2, 1
	br	%r14

/* The user has typed HI: register 2 is at an SCBLOCK with the program's word. It is over before another can come. */
	.globl	halt_typed
halt_typed:
	l	%r2, 4(%r2)
	stnsm	0(%r2), 0xfc
	lr	%r6, %r14
	lr	%r15, %r2
	ahi	%r15, HALT_STACK - 96
	brasl	%r14, port_halted
	lhi	%r15, 0
	br	%r6

	.data
	.balign	8
request:
	.skip	24
