/*
 * Errors: their numbers, texts and how they leave (TRL, appendix "Error numbers and messages"; the identifiers are
 * those that CMS gives the same errors).
 */
#include "charset.h"
#include "internal.h"

struct message {
	u8 error;
	u16 number;
	const char *text;
};

static const struct message messages[] = {
	{ 3, 449, "Program is unreadable" },
	{ 4, 452, "Program interrupted" },
	{ 5, 450, "Machine storage exhausted or request exceeds limit" },
	{ 6, 453, "Unmatched \"/*\" or quote" },
	{ 7, 454, "WHEN or OTHERWISE expected" },
	{ 8, 455, "Unexpected THEN or ELSE" },
	{ 9, 456, "Unexpected WHEN or OTHERWISE" },
	{ 10, 457, "Unexpected or unmatched END" },
	{ 11, 458, "Control stack full" },
	{ 12, 459, "Clause too long" },
	{ 13, 460, "Invalid character in program" },
	{ 14, 461, "Incomplete DO/SELECT/IF" },
	{ 15, 462, "Invalid hexadecimal or binary string" },
	{ 16, 463, "Label not found" },
	{ 17, 465, "Unexpected PROCEDURE" },
	{ 18, 491, "THEN expected" },
	{ 19, 482, "String or symbol expected" },
	{ 20, 483, "Symbol expected" },
	{ 21, 464, "Invalid data on end of clause" },
	{ 22, 1106, "Invalid character string" },
	{ 23, 1107, "Invalid SBCS/DBCS mixed string" },
	{ 24, 485, "Invalid TRACE request" },
	{ 25, 484, "Invalid sub-keyword found" },
	{ 26, 466, "Invalid whole number" },
	{ 27, 467, "Invalid DO syntax" },
	{ 28, 486, "Invalid LEAVE or ITERATE" },
	{ 29, 487, "Environment name too long" },
	{ 30, 468, "Name or string > 250 characters" },
	{ 31, 469, "Name starts with numeric or \".\"" },
	{ 32, 492, "Invalid use of stem" },
	{ 33, 488, "Invalid expression result" },
	{ 34, 470, "Logical value not 0 or 1" },
	{ 35, 471, "Invalid expression" },
	{ 36, 472, "Unmatched \"(\" in expression" },
	{ 37, 473, "Unexpected \",\" or \")\"" },
	{ 38, 489, "Invalid template or pattern" },
	{ 39, 474, "Evaluation stack overflow" },
	{ 40, 475, "Incorrect call to routine" },
	{ 41, 476, "Bad arithmetic conversion" },
	{ 42, 477, "Arithmetic overflow/underflow" },
	{ 43, 478, "Routine not found" },
	{ 44, 479, "Function did not return data" },
	{ 45, 480, "No data specified on function RETURN" },
	{ 46, 1108, "Invalid variable reference" },
	{ 47, 1109, "Unexpected label" },
	{ 48, 490, "Failure in system service" },
	{ 49, 481, "Language processor failure" },
};

static const struct message *find(i32 error)
{
	for (u32 i = 0; i < sizeof messages / sizeof *messages; i++)
		if (messages[i].error == error)
			return &messages[i];
	return 0;
}

const char *rexx_error_text(i32 error)
{
	const struct message *m = find(error);

	return m ? m->text : 0;
}

i32 rx_message_number(i32 error)
{
	const struct message *m = find(error);

	return m ? m->number : 0;
}

/*
 * Leaves for the run loop, or for the function that has set x->jump. `about` is what the error is about, for the
 * message.
 */
void rx_raise(struct rexx *x, i32 error, i32 subcode, const char *about, u32 length)
{
	if (length > sizeof x->error_text)
		length = sizeof x->error_text;
	if (about)
		memcpy(x->error_text, about, length);
	x->error = error;
	x->subcode = subcode;
	x->error_about = (struct rexx_text){ about ? x->error_text : 0, length };
	__builtin_longjmp(x->jump, 1);
}

void rx_raise_v(struct rexx *x, i32 error, i32 subcode, struct val *about)
{
	char t[12];

	if (about->s)
		rx_raise(x, error, subcode, about->s->t, about->s->length);
	rx_raise(x, error, subcode, t, rx_itoa(about->n, t));
}

struct line {
	char t[400];
	u32 n;
};

static void add(struct line *l, const char *t, u32 length)
{
	for (u32 i = 0; i < length && l->n < sizeof l->t; i++)
		l->t[l->n++] = t[i];
}

static void add_z(struct line *l, const char *z)
{
	add(l, z, rx_zlength(z));
}

static void add_number(struct line *l, i32 n)
{
	char t[12];

	add(l, t, rx_itoa(n, t));
}

/* The message for an error that nothing has trapped, above it the clauses that led there. */
void rx_report(struct rexx *x)
{
	const struct message *m = find(x->error);
	struct line l = { .n = 0 };
	i32 number = m ? m->number : 481;

	rx_traceback(x);
	if (!x->host->plain_messages) {
		add_z(&l, "DMSREX");
		add_number(&l, number);
		add_z(&l, x->error == 5 ? "T " : "E ");
	}
	add_z(&l, "Error ");
	add_number(&l, x->error);
	add_z(&l, " running ");
	add(&l, x->program->name.text, x->program->name.length);
	if (x->program->type.length) {
		add_z(&l, " ");
		add(&l, x->program->type.text, x->program->type.length);
	}
	if (x->frames) {
		add_z(&l, ", line ");
		add_number(&l, (i32)rx_clause_line(x, &x->frame[x->frames - 1]));
	}
	add_z(&l, ": ");
	add_z(&l, m ? m->text : "Language processor failure");
	rx_say(x, REXX_ERROR, l.t, l.n);
	if (x->host->plain_messages && x->subcode) {
		l.n = 0;
		add_z(&l, "Error ");
		add_number(&l, x->error);
		add_z(&l, ".");
		add_number(&l, x->subcode);
		if (x->error_about.text) {
			add_z(&l, ": \"");
			add(&l, x->error_about.text, x->error_about.length);
			add_z(&l, "\"");
		}
		rx_say(x, REXX_ERROR, l.t, l.n);
	}
}
