/*
 * The IPL records of a CMS minidisk (blocks 1 and 2 of cylinder 0, track 0): what IPL reads, and what reads the nucleus.
 *
 * The first 24 bytes are a PSW and two channel command words: IPL reads them to 0 and goes on with the first of these, which
 * reads the next record, the code here, to LOAD. The last bytes of that record say where the nucleus is; the tool that
 * makes the disk fills them in (host/edfdisk.c). The nucleus is read block by block with DIAGNOSE X'A4' to its place
 * and entered with the number of the device in register 2. If a block cannot be read, the machine waits with code
 * X'0CE1'.
 */
	.set	LOAD, 0x2000
	.set	NUCLEUS, 0x100000
	.set	LIST, 0x1e00		/* block number and address, for DIAGNOSE X'A4' */
	.set	BLOCK, 0x1e80		/* its parameters */
	.set	SCHIB, 0x1f00

	.text
	.long	0x00080000, 0x80000000 + LOAD
	.long	0x06000000 + LOAD, 0x20000200
	.long	0x03000000, 0x20000001
	.org	512
start:
	basr	%r12, 0
base:	l	%r1, 0xb8		/* the subchannel that IPL read from */
	lhi	%r11, SCHIB
	stsch	0(%r11)
	lhi	%r10, BLOCK
	xc	0(88,%r10), 0(%r10)
	mvc	0(2,%r10), 6(%r11)	/* the device's number */
	mvi	3(%r10), 2		/* read */
	mvc	4(4,%r10), size-base(%r12)
	lhi	%r9, LIST
	st	%r9, 8(%r10)
	lhi	%r8, 1
	st	%r8, 12(%r10)
	l	%r7, first-base(%r12)
	l	%r6, count-base(%r12)
	lhi	%r5, NUCLEUS >> 16
	sll	%r5, 16
	lr	%r4, %r5
next:	st	%r7, 0(%r9)
	st	%r5, 4(%r9)
	lr	%r1, %r10
	.long	0x831000a4
	jne	failed
	ahi	%r7, 1
	a	%r5, size-base(%r12)
	jct	%r6, next
	lh	%r2, 6(%r11)
	n	%r2, mask-base(%r12)
	br	%r4
failed:	lpsw	stop-base(%r12)
	.balign	8
stop:	.long	0x000a0000, 0x80000ce1
mask:	.long	0xffff
	.org	512 + 496
size:	.long	0
first:	.long	0
count:	.long	0
	.long	0
