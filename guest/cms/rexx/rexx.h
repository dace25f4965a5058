/*
 * REXX: the language processor, as a program that embeds it sees it.
 *
 * The language is that of TRL (M. F. Cowlishaw, The REXX Language, second edition), level 4.00, with what CMS adds. The
 * processor knows no operating system: everything it wants of the world is a callback of struct rexx_host. It has no
 * global state, so any number of execs may be active, one inside another.
 *
 * A run: fill a struct rexx_host (callbacks that are null are services that the environment lacks), describe the
 * program by its lines in storage (they are not copied and must stay until rexx_run returns), call rexx_run. All
 * storage comes from host->allocate and is given back before rexx_run returns, but for the result, which the caller
 * releases.
 *
 * Characters are those of the compiler's execution character set: compiled with -fexec-charset=IBM037 the processor
 * reads, compares and converts EBCDIC; compiled without, ASCII. Nothing is translated at run time.
 *
 * Text is a pointer and a length everywhere; no text ends with a zero byte.
 */
#ifndef REXX_H
#define REXX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rexx_text {
	const char *text;
	uint32_t length;
};

/* One active exec. Callbacks get it so that they can answer and reach the exec's variables. */
struct rexx;

/* What a line for the terminal is. */
enum rexx_line {
	REXX_SAY,		/* SAY */
	REXX_TRACE,		/* TRACE, and the traceback under an error message */
	REXX_ERROR		/* an error message, complete with its identifier */
};

/* How a program was called: word 2 of PARSE SOURCE. */
enum rexx_call_type {
	REXX_COMMAND,
	REXX_FUNCTION,
	REXX_SUBROUTINE
};

/* An exec in storage. `private` is the host's, for `unload`. */
struct rexx_program {
	const struct rexx_text *lines;
	uint32_t count;
	struct rexx_text name;		/* file name, type and mode: words 3 to 5 of PARSE SOURCE */
	struct rexx_text type;
	struct rexx_text mode;
	struct rexx_text synonym;	/* the name as it was called, word 6 */
	struct rexx_text environment;	/* initial ADDRESS, word 7 */
	void *private;
};

/* Local date and time of day. */
struct rexx_time {
	int32_t year, month, day;
	int32_t hour, minute, second, microsecond;
};

/* Arguments of a call; text.text null is an omitted argument. */
struct rexx_arguments {
	const struct rexx_text *list;
	uint32_t count;
};

/* What a callback that performs a routine says. */
enum rexx_outcome {
	REXX_DONE,		/* performed; rexx_reply was called if there is a result */
	REXX_NOT_FOUND,		/* there is no such routine: look further */
	REXX_BAD_CALL,		/* error 40, incorrect call to routine */
	REXX_NO_STORAGE,	/* error 5 */
	REXX_FAILED		/* error 48, failure in system service */
};

/* Where in the order of search external routines are looked for (CMS: packages, then execs, then modules). */
enum rexx_search {
	REXX_BEFORE_EXECS,	/* function packages */
	REXX_AFTER_EXECS	/* modules */
};

/*
 * A function that the environment adds to the built-in ones, like DIAG and STORAGE in CMS. The processor checks the
 * number of arguments. It answers by rexx_reply.
 */
struct rexx_function {
	const char *name;		/* upper case, ends with a zero byte */
	uint8_t least, most;		/* numbers of arguments */
	enum rexx_outcome (*perform)(void *context, struct rexx *rexx, const struct rexx_arguments *arguments);
};

/* Bits of *host->attention: what immediate commands ask for. */
#define REXX_HALT		1u	/* HI: raise the HALT condition */
#define REXX_TRACE_START	2u	/* TS */
#define REXX_TRACE_END		4u	/* TE */

/* The environment. `context` is handed to every callback. */
struct rexx_host {
	void *context;

	/* Storage: null when there is none. `release` gets the size that was asked for. */
	void *(*allocate)(void *context, size_t size);
	void (*release)(void *context, void *storage, size_t size);

	/* One line to the terminal. */
	void (*say)(void *context, enum rexx_line kind, const char *text, uint32_t length);
	/* One line from the terminal (PARSE EXTERNAL, interactive TRACE, PULL with nothing stacked): rexx_reply it;
	 * false at the end of input, which reads as a null line. */
	bool (*read)(void *context, struct rexx *rexx);
	/* Lines waiting in the terminal's input buffer: EXTERNALS(). */
	uint32_t (*externals)(void *context);
	/* Width of the terminal: LINESIZE(). */
	uint32_t (*linesize)(void *context);

	/* The program stack: PUSH (last in, first out), QUEUE (first in, first out); false: out of storage. Buffers
	 * (MAKEBUF, DROPBUF) are the host's alone: QUEUED() counts what `queued` counts. `pull` answers by
	 * rexx_reply, false when the stack is empty. */
	bool (*push)(void *context, const char *text, uint32_t length);
	bool (*queue)(void *context, const char *text, uint32_t length);
	bool (*pull)(void *context, struct rexx *rexx);
	uint32_t (*queued)(void *context);

	/* A command to an environment (the current ADDRESS name): its return code. While it runs, rexx_fetch and its
	 * like reach the exec's variables (EXECCOMM). */
	int32_t (*command)(void *context, struct rexx *rexx, const struct rexx_text *environment,
			   const struct rexx_text *command);

	/* Performs an external routine that is no exec. `type` is REXX_FUNCTION or REXX_SUBROUTINE. */
	enum rexx_outcome (*call)(void *context, struct rexx *rexx, enum rexx_search when,
				  const struct rexx_text *name, enum rexx_call_type type,
				  const struct rexx_arguments *arguments);
	/* Finds an external exec of that name, of `caller`'s file type first; false: there is none. `unload` when it
	 * has ended. */
	bool (*load)(void *context, const struct rexx_text *name, const struct rexx_program *caller,
		     struct rexx_program *program);
	void (*unload)(void *context, struct rexx_program *program);

	void (*clock)(void *context, struct rexx_time *now);

	/* Tested at every clause; when it is not zero `attend` is called, which returns the bits and clears them. */
	const volatile uint32_t *attention;
	uint32_t (*attend)(void *context);

	/* Functions beside the built-in ones. They are found after internal labels and built-in functions. */
	const struct rexx_function *functions;
	uint32_t function_count;

	/* Words 1 of PARSE SOURCE and all of PARSE VERSION; null: CMS, and our own version. */
	const char *system;
	const char *version;

	/* How many execs may call one another as external routines (error 11 beyond); 0: 100. Each takes about 1K of
	 * the processor's stack. */
	uint32_t depth;
	/* How many parentheses and operators may be open in an expression (error 11 beyond); 0: 250. Each takes less
	 * than 400 bytes of the processor's stack. */
	uint32_t nesting;
	/* Most storage one exec may have, in bytes (error 5 beyond); 0: what `allocate` gives. */
	size_t storage;
	/* The exec starts with TRACE ?R (SET EXECTRAC ON). */
	bool traced;
	/* Error messages come without an identifier and with their subcode (the host program). */
	bool plain_messages;
};

/* How a program is started. */
struct rexx_start {
	enum rexx_call_type type;
	struct rexx_arguments arguments;
};

/* What EXIT or RETURN gave; `text` is null if there was no expression. To be released with `size`. */
struct rexx_result {
	char *text;
	uint32_t length;
	size_t size;
};

/*
 * embed.c: runs a program to its end. Returns the return code as CMS has it: the value of EXIT's expression if it is a
 * whole number, 0 without one, -1 when it isn't a number, 20000 + n for error n. `result` may be null.
 */
int32_t rexx_run(const struct rexx_host *host, const struct rexx_program *program, const struct rexx_start *start,
		 struct rexx_result *result);

/* From a callback: its answer. The text is copied. False: out of storage. */
bool rexx_reply(struct rexx *rexx, const char *text, uint32_t length);

/*
 * The variables of the exec (EXECCOMM), from a callback. Names are direct (the stem in upper case, the tail as it is)
 * or symbolic (as in a program: tails are substituted, lower case is translated). They return the bits of SHVRET. Text
 * that is given stays valid until the next call to the processor.
 */
#define REXX_VAR_OK		0x00u
#define REXX_VAR_NEW		0x01u	/* the variable did not exist; a fetch gives its name */
#define REXX_VAR_LAST		0x02u	/* there is no next variable */
#define REXX_VAR_TRUNCATED	0x04u	/* for the caller's own use: its buffer was too small */
#define REXX_VAR_BAD_NAME	0x08u
#define REXX_VAR_NO_STORAGE	0x10u
#define REXX_VAR_BAD_FUNCTION	0x80u

enum rexx_name {
	REXX_DIRECT,
	REXX_SYMBOLIC
};

uint32_t rexx_fetch(struct rexx *rexx, enum rexx_name kind, const struct rexx_text *name, struct rexx_text *value);
/* stem.number, at most 999999999; the stem's name ends in its only period and is in upper case. */
uint32_t rexx_set_element(struct rexx *rexx, const struct rexx_text *stem, uint32_t number,
			  const struct rexx_text *value);
uint32_t rexx_set(struct rexx *rexx, enum rexx_name kind, const struct rexx_text *name, const struct rexx_text *value);
uint32_t rexx_drop(struct rexx *rexx, enum rexx_name kind, const struct rexx_text *name);
/* One variable after the other, in no order; a fetch, set or drop starts it anew. */
uint32_t rexx_next(struct rexx *rexx, struct rexx_text *name, struct rexx_text *value);
/* SHVPRIV: ARG, SOURCE, VERSION, PARM (the number of arguments), PARM.n. */
uint32_t rexx_private(struct rexx *rexx, const struct rexx_text *name, struct rexx_text *value);

/* error.c: the text of error n ("Bad arithmetic conversion"), null if there is none. */
const char *rexx_error_text(int32_t error);

#endif
