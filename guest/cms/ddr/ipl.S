/*
 * The first three cards of IPL DDR. IPL reads 24 bytes of the first: a PSW, and two channel command words that read the
 * others to LOAD. They read as many cards as the last word says to IMAGE, which is where DDR lies (bare.ld). What comes
 * after those cards stays for statements. The tool that makes the deck fills the word in.
 */
	.set	LOAD, 0x2000
	.set	IMAGE, 0x10000
	.set	ORB, 0x1e00
	.set	CCW, 0x1e20
	.set	IRB, 0x1e40

	.text
	.long	0x00080000, 0x80000000 + LOAD
	.long	0x02000000 + LOAD, 0x60000050
	.long	0x02000000 + LOAD + 80, 0x20000050
	.org	80
	basr	%r12, 0
base:	l	%r1, 0xb8		/* the subchannel that IPL reads from */
	lhi	%r10, ORB
	xc	0(32,%r10), 0(%r10)
	mvc	4(4,%r10), control-base(%r12)
	lhi	%r11, CCW
	st	%r11, 8(%r10)
	mvc	0(4,%r11), read-base(%r12)
	lhi	%r9, IRB
	lhi	%r8, IMAGE >> 12
	sll	%r8, 12
	lr	%r2, %r8
	l	%r7, count-base(%r12)
next:	st	%r8, 4(%r11)
	ssch	0(%r10)
	brc	6, next
	jo	failed
pending:
	tsch	0(%r9)
	jnz	pending
	tm	8(%r9), 0x04		/* device end */
	jz	pending
	tm	8(%r9), 0x03
	jnz	failed
	ahi	%r8, 80
	jct	%r7, next
	br	%r2
failed:	lpsw	stopped-base(%r12)
	.org	80 + 136
stopped:
	.long	0x000a0000, 0x80000dde
read:	.long	0x02200050
control:
	.long	0x0080ff00
	.org	80 + 156
count:	.long	0
