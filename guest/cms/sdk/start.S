/*
 * Where C programs begin: their own stack, the call as C has it, and back.
 */
	.set	STACK, 0x8000

	.text
	.globl	CMSENTRY
	.type	CMSENTRY, @function
CMSENTRY:
	stm	%r14, %r12, 12(%r13)
	lr	%r6, %r0
	lr	%r7, %r1
	lr	%r8, %r2
	lr	%r9, %r13
	basr	%r12, 0
0:	l	%r0, 1f-0b(%r12)
	svc	203
	.short	1
	ltr	%r15, %r15
	jnz	2f
	lr	%r10, %r1
	lr	%r15, %r1
	a	%r15, 1f-0b(%r12)
	ahi	%r15, -96
	lr	%r2, %r6
	lr	%r3, %r7
	lr	%r4, %r8
	lr	%r5, %r9
	brasl	%r14, cms_main
	lr	%r6, %r2
	lr	%r1, %r10
	svc	203
	.short	3
	lr	%r15, %r6
	lr	%r13, %r9
	j	3f
2:	lhi	%r15, 104		/* there is no storage for it */
3:	l	%r14, 12(%r13)
	lm	%r0, %r12, 20(%r13)
	br	%r14
	.balign	4
1:	.long	STACK

/* int call_cms(void *plist, void *eplist, uint32_t type), from anywhere in storage */
	.globl	call_cms
call_cms:
	lr	%r1, %r2
	lr	%r0, %r3
	lr	%r2, %r4
	lr	%r5, %r15		/* the stack, where the return code will be */
	svc	203
	.short	6
	lr	%r2, %r15
	lr	%r15, %r5
	br	%r14
