/*
 * Executes single instructions for a test: reads records of one instruction and the registers it finds, writes the
 * registers it leaves. Runs on any s390x machine, in problem state; the tests run it under QEMU's user emulation.
 *
 * An instruction may name floating-point registers 0-7, general registers 1 and 4, and the storage operand at 88(5).
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

struct state {
	uint64_t fpr[8];
	uint64_t gr1, gr4;
	uint32_t fpc, cc;
	uint8_t operand[16];
};

struct record {
	uint8_t instruction[8];
	struct state state;
};

_Static_assert(sizeof(struct state) == 104, "the assembler part knows the offsets");

void execute(struct state *state, void *code);

__asm__(
	"	.text\n"
	"execute:\n"
	"	stmg	%r6,%r15,48(%r15)\n"
	"	lgr	%r5,%r2\n"
	"	lfpc	80(%r5)\n"
	"	ld	%f0,0(%r5)\n	ld	%f1,8(%r5)\n	ld	%f2,16(%r5)\n	ld	%f3,24(%r5)\n"
	"	ld	%f4,32(%r5)\n	ld	%f5,40(%r5)\n	ld	%f6,48(%r5)\n	ld	%f7,56(%r5)\n"
	"	lg	%r1,64(%r5)\n"
	"	lg	%r4,72(%r5)\n"
	"	xr	%r0,%r0\n"
	"	basr	%r14,%r3\n"
	"	ipm	%r0\n"
	"	srl	%r0,28\n"
	"	stfpc	80(%r5)\n"
	"	st	%r0,84(%r5)\n"
	"	std	%f0,0(%r5)\n	std	%f1,8(%r5)\n	std	%f2,16(%r5)\n	std	%f3,24(%r5)\n"
	"	std	%f4,32(%r5)\n	std	%f5,40(%r5)\n	std	%f6,48(%r5)\n	std	%f7,56(%r5)\n"
	"	stg	%r1,64(%r5)\n"
	"	stg	%r4,72(%r5)\n"
	"	lhi	%r0,0\n"
	"	sfpc	%r0\n"
	"	lmg	%r6,%r15,48(%r15)\n"
	"	br	%r14\n");

int main(void)
{
	static const uint8_t lengths[] = {2, 4, 4, 6}, back[] = {0x07, 0xfe};
	static struct record record;
	uint8_t last[8] = {0};
	uint8_t *code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		return 1;
	while (fread(&record, sizeof record, 1, stdin) == 1) {
		if (memcmp(last, record.instruction, sizeof last)) {
			unsigned length = lengths[record.instruction[0] >> 6];

			memcpy(last, record.instruction, sizeof last);
			memcpy(code, last, length);
			memcpy(code + length, back, sizeof back);
		}
		execute(&record.state, code);
		if (fwrite(&record.state, sizeof record.state, 1, stdout) != 1)
			return 1;
	}
	return 0;
}
