/*
 * The code that clauses become. A word holds an operation, which is counted in words for the table of the run loop, and
 * an operand above it; some operations have more words after them. Values are on a stack; `->` shows what an operation
 * leaves there.
 */
#ifndef REXX_CODE_H
#define REXX_CODE_H

#include <stdint.h>

enum op {
	/* Clauses. */
	OP_CLAUSE,		/* clause: begins one; conditions, immediate commands and TRACE are looked after here */
	OP_KEYWORD,		/* clause: THEN, ELSE, OTHERWISE, which are clauses for TRACE only */
	OP_LABEL,		/* clause */
	OP_ERROR,		/* error, subcode: a clause that could not be compiled */
	OP_STOP,		/* end of the text */

	/* Terms: -> value. */
	OP_INT,			/* the operand, signed */
	OP_CONST,		/* constant */
	OP_GIVEN,		/* constant that no expression has: TRACE I passes over it */
	OP_VAR,			/* symbol */
	OP_STEM,		/* symbol */
	OP_COMPOUND,		/* stem; parts, each a symbol * 2 or a constant * 2 + 1 */
	OP_OMITTED,		/* an argument that isn't there */
	OP_FUNCTION,		/* symbol; arguments, CALL_QUOTED */
	OP_BUILTIN,		/* index; arguments: what OP_FUNCTION becomes when it is known to be built in */

	/* Operators: left, right -> result. */
	OP_ADD, OP_SUBTRACT, OP_MULTIPLY, OP_DIVIDE, OP_INTEGER_DIVIDE, OP_REMAINDER, OP_POWER,
	OP_CONCAT,
	OP_BLANK,
	OP_JOIN,		/* many; JOIN_... */
	OP_EQ, OP_NE, OP_GT, OP_LT, OP_GE, OP_LE,
	OP_SEQ, OP_SNE, OP_SGT, OP_SLT, OP_SGE, OP_SLE,
	OP_AND, OP_OR, OP_XOR,
	OP_NOT, OP_MINUS, OP_PLUS,

	/* Assignments: value ->. */
	OP_ASSIGN,		/* symbol */
	OP_ASSIGN_STEM,
	OP_ASSIGN_COMPOUND,	/* stem; parts */

	/* Jumps; JF and JT take a logical value, their operand says whose (subcode of error 34). */
	OP_JUMP,		/* target */
	OP_JF,			/* subcode; target */
	OP_JT,

	/* DO. */
	OP_DO,			/* LOOP_...; order of TO, BY, FOR: start, them -> start */
	OP_DO_TEST,		/* value of the control variable ->; target when done */
	OP_DO_COUNT,		/* target when done */
	OP_DO_STEP,		/* value -> next value */
	OP_DO_NEXT,		/* symbol; target of the body, target when done: step and test at once */
	OP_DO_END,		/* forgets the loop */
	OP_LEAVE,		/* id of the loop; target */
	OP_END,			/* id of the loop; target: END of a loop */

	/* Instructions. */
	OP_SAY,			/* 1: a value */
	OP_COMMAND,
	OP_PUSH, OP_QUEUE,	/* 1: a value */
	OP_CALL,		/* symbol; arguments, CALL_QUOTED, CALL_OMITTED */
	OP_RETURN,		/* 1: a value */
	OP_EXIT,		/* 1: a value */
	OP_SIGNAL,		/* symbol */
	OP_SIGNAL_VALUE,
	OP_TRAP,		/* condition; TRAP_..., symbol */
	OP_INTERPRET,
	OP_TRACE,
	OP_DIGITS, OP_FUZZ, OP_FORM,	/* 0: the standard, 1: a value, 2, 3: the forms */
	OP_ADDRESS,		/* 0: swap, 1: a value, 2: a value and a command */
	OP_PROCEDURE,		/* begins; ends: where the labels before it are */
	OP_EXPOSE,		/* symbol */
	OP_EXPOSE_STEM,
	OP_EXPOSE_COMPOUND,	/* stem; parts */
	OP_EXPOSE_LIST,		/* symbol whose value names others */
	OP_EXPOSED,		/* the end of the list */
	OP_DROP, OP_DROP_STEM, OP_DROP_COMPOUND, OP_DROP_LIST,
	OP_OPTIONS,
	OP_UPPER, OP_UPPER_STEM, OP_UPPER_COMPOUND,

	/* PARSE. */
	OP_PARSE,		/* 1: UPPER: string -> */
	OP_PARSE_ARG,		/* 1: UPPER */
	OP_PARSE_COMMA,		/* the next argument string */
	OP_SOURCE,		/* SOURCE_...: -> string */
	OP_PATTERN_END,		/* the variables before the end of the template take the rest */
	OP_PATTERN_STRING, OP_PATTERN_AT, OP_PATTERN_PLUS, OP_PATTERN_MINUS,	/* value -> */
	OP_WORD,		/* 1: the last of its group: -> string */
	OP_SKIP,		/* the same for a placeholder */
	OP_PARSED
};

enum { SOURCE_EXTERNAL, SOURCE_LINEIN, SOURCE_NUMERIC, SOURCE_PULL, SOURCE_SOURCE, SOURCE_VERSION };

/* In the word of OP_FUNCTION and OP_CALL that has the number of arguments. CALL_OMITTED: not all of them are there. */
#define CALL_QUOTED 0x10000u
#define CALL_OMITTED 0x20000u
#define CALL_ARGUMENTS 0xFFFFu

/* The word of OP_JOIN: a bit for each operand after the first that has a blank before it, and how many have. */
#define JOIN_BLANK(operand) (1u << (operand) | 1u << JOIN_COUNTED)
#define JOIN_COUNTED 24
#define JOIN_MOST 24u

#define OPERAND_MOST 0x3FFFFFu
#define CODE_WORD(op, operand) ((uint32_t)(op) << 2 | (uint32_t)(operand) << 10)
#define CODE_PLACE(word) ((word) & 0x3FCu)	/* of the operation, in words */
#define CODE_IS(word, op) (CODE_PLACE(word) == (uint32_t)(op) << 2)
#define CODE_OPERATION(word) ((enum op)(CODE_PLACE(word) >> 2))
#define CODE_OPERAND(word) ((word) >> 10)

#endif
