/* The machine's instructions as the assembler knows them: the table of opcodes.c, made of the processor's own. */
#ifndef OPCODES_H
#define OPCODES_H

#include "assemble.h"

/* The formats of the Principles of Operation, chapter 5, without those of vectors. */
enum instruction_format {
    FORMAT_E, FORMAT_I, FORMAT_IE, FORMAT_RIa, FORMAT_RIb, FORMAT_RIc, FORMAT_RIEa, FORMAT_RIEb, FORMAT_RIEc,
    FORMAT_RIEd, FORMAT_RIEe, FORMAT_RIEf, FORMAT_RIEg, FORMAT_RILa, FORMAT_RILb, FORMAT_RILc, FORMAT_RIS, FORMAT_RR,
    FORMAT_RRD, FORMAT_RRE, FORMAT_RRFa, FORMAT_RRFb, FORMAT_RRFc, FORMAT_RRFd, FORMAT_RRFe, FORMAT_RRS, FORMAT_RSa,
    FORMAT_RSb, FORMAT_RSI, FORMAT_RSLa, FORMAT_RSLb, FORMAT_RSYa, FORMAT_RSYb, FORMAT_RXa, FORMAT_RXb, FORMAT_RXE,
    FORMAT_RXF, FORMAT_RXYa, FORMAT_RXYb, FORMAT_S, FORMAT_SI, FORMAT_SIL, FORMAT_SIY, FORMAT_SSa, FORMAT_SSb,
    FORMAT_SSc, FORMAT_SSd, FORMAT_SSe, FORMAT_SSf, FORMAT_SSE, FORMAT_SSF, FORMATS,
};

/* Sorted by name, as EBCDIC sorts. The operands of a row are a place in operand_lists. */
extern const struct opcode opcodes[];
extern const u32 opcode_count;
extern const char *const operand_lists[];

#endif
