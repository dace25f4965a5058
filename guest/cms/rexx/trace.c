/*
 * TRACE: what it shows, interactive debug, and everything else that is looked after between clauses (TRL, section 3
 * "TRACE", section 9 "Interactive debug").
 */
#include "charset.h"
#include "code.h"
#include "internal.h"

static const char letters[] = { 'O', 'N', 'F', 'E', 'C', 'L', 'A', 'R', 'I' };

char rx_trace_letter(const struct act *act)
{
	return letters[act->trace];
}

/* A TRACE setting: prefixes, then a word, or a number. False if it is neither. */
bool rx_trace_setting(struct rexx *x, struct val *v)
{
	struct act *act = x->act;
	struct str *s;
	u32 i = 0, k;
	i32 n;
	bool interactive = act->interactive, no_commands = act->no_commands;

	if (rx_whole(x, v, &n)) {
		/* Only in interactive debug: so many pauses, or (negative) so many clauses, are passed over. */
		if (x->debugging) {
			if (n > 0)
				x->skip_pauses = n;
			else
				x->skip_clauses = -n;
			x->attend &= ~ATTEND_PAUSE;
		}
		return true;
	}
	s = text_of(x, v);
	for (; i < s->length && (s->t[i] == '?' || s->t[i] == '!'); i++) {
		if (s->t[i] == '?')
			interactive = !interactive;
		else
			no_commands = !no_commands;
	}
	for (k = 0; i < s->length && k < sizeof letters; k++)
		if (upper(s->t[i]) == letters[k])
			break;
	if (k == sizeof letters)
		return false;
	/* The program's own TRACE instructions wait while the user debugs it. */
	if (act->interactive && !x->debugging)
		return true;
	if (!s->length) {
		/* What is null stands for the standard. */
		act->trace = TRACE_NORMAL;
		interactive = no_commands = false;
	} else if (i < s->length) {
		act->trace = (u8)k;
		if (k == TRACE_OFF)
			interactive = no_commands = false;
	}
	act->interactive = interactive;
	act->no_commands = no_commands;
	x->attend &= ~ATTEND_PAUSE;
	rx_set_settings(x);
	return true;
}

/* ---- lines ---- */

static void indented(struct rexx *x, struct val *line)
{
	u32 level = 0;

	for (struct act *a = x->act; a && a->up; a = a->up)
		level++;
	if (level > 10)
		level = 10;
	while (level--)
		rx_append(x, line, "  ", 2);
}

/* "     7 *-* clause", the source as it stands. */
static void clause_line(struct rexx *x, const struct frame *f, const char *mark)
{
	char t[16];
	u32 n = rx_itoa((i32)rx_clause_line(x, f), t);
	struct val line = EMPTY, text = EMPTY;
	const struct clause *c;

	if (f->clause >= f->unit->clauses)
		return;
	c = &f->unit->clause[f->clause];
	for (u32 i = n; i < 6; i++)
		rx_append(x, &line, " ", 1);
	rx_append(x, &line, t, n);
	rx_append(x, &line, " ", 1);
	rx_append(x, &line, mark, 3);
	rx_append(x, &line, " ", 1);
	indented(x, &line);
	text = rx_source_text(x, f->unit, c->start, c->end);
	rx_append(x, &line, text.s->t, text.s->length);
	rx_say(x, REXX_TRACE, line.s->t, line.s->length);
	drop(x, text);
	drop(x, line);
}

void rx_trace_clause(struct rexx *x, u32 clause, bool label)
{
	struct frame *f = &x->frame[x->frames - 1];
	struct act *act = x->act;

	f->clause = clause;
	if (x->skip_clauses > 0) {
		if (--x->skip_clauses == 0)
			rx_set_settings(x);
		return;
	}
	if (act->trace == TRACE_LABELS && !label)
		return;
	clause_line(x, f, "*-*");
	if (!act->interactive || x->debugging)
		return;
	if (!x->announced) {
		static const char hint[] = "       +++ Interactive trace.  TRACE OFF to end debug, ENTER to continue. +++";

		x->announced = true;
		rx_say(x, REXX_TRACE, hint, sizeof hint - 1);
	}
	if (x->skip_pauses > 0)
		x->skip_pauses--;
	else
		x->attend |= ATTEND_PAUSE;
	x->pause_pc = f->pc;
}

/* The clauses that were being executed, the innermost first. */
void rx_traceback(struct rexx *x)
{
	struct act *act = x->act;

	for (u32 i = x->frames; i-- > 0;) {
		struct frame *f = &x->frame[i];

		clause_line(x, f, "+++");
		if (f->kind != FRAME_INTERPRET && f->kind != FRAME_DEBUG && act->up)
			act = act->up;
		if (x->frames - i > 20)
			break;
	}
}

/* "       >>>   "text"" */
void rx_trace_line(struct rexx *x, const char *tag, const char *t, u32 length)
{
	struct val line;

	line = rx_text(x, "       ", 7);
	rx_append(x, &line, tag, 3);
	rx_append(x, &line, "   ", 3);
	indented(x, &line);
	rx_append(x, &line, "\"", 1);
	rx_append(x, &line, t, length);
	rx_append(x, &line, "\"", 1);
	rx_say(x, REXX_TRACE, line.s->t, line.s->length);
	drop(x, line);
}

void rx_trace_value(struct rexx *x, const char *tag, struct val *v)
{
	char t[12];

	if (x->debugging || is_omitted(*v))
		return;
	if (v->s)
		rx_trace_line(x, tag, v->s->t, v->s->length);
	else
		rx_trace_line(x, tag, t, rx_itoa(v->n, t));
}

/* ---- between clauses ---- */

/* A pause of interactive TRACE: what is typed is executed here; a null line goes on; = does the last clause again. */
static bool pause(struct rexx *x)
{
	struct frame *f = &x->frame[x->frames - 1];
	struct val line = rx_pull(x, true);
	struct str *s = text_of(x, &line);

	if (s->length == 0) {
		drop(x, line);
		x->attend &= ~ATTEND_PAUSE;
		return false;
	}
	if (s->length == 1 && s->t[0] == '=') {
		drop(x, line);
		x->attend &= ~ATTEND_PAUSE;
		f->pc = x->pause_pc;
		return true;
	}
	rx_interpret(x, &line, FRAME_DEBUG);
	return true;
}

/* HI within a clause that takes long: the clause ends here. */
void rx_halted(struct rexx *x)
{
	if (x->host->attend)
		x->host->attend(x->host->context);
	RAISE(x, 4, 1);
}

/*
 * Called at the beginning of a clause when there is something to look after; f->pc is that clause's. True: a frame was
 * pushed or control went elsewhere, and the clause is come to again.
 */
bool rx_attend(struct rexx *x)
{
	u32 asked = *x->host->attention && x->host->attend ? x->host->attend(x->host->context) : 0;

	x->attend &= ~ATTEND_CLOCK;
	x->time_known = false;
	if (asked & REXX_TRACE_START) {
		x->act->trace = TRACE_RESULTS;
		x->act->interactive = true;
		rx_set_settings(x);
	}
	if (asked & REXX_TRACE_END) {
		x->act->trace = TRACE_OFF;
		x->act->interactive = false;
		rx_set_settings(x);
	}
	if (asked & REXX_HALT) {
		struct trap *t = &x->act->trap[COND_HALT];

		if (t->how == TRAP_OFF)
			RAISE(x, 4, 1);
		rx_condition(x, COND_HALT, EMPTY);
		if (t->how != TRAP_CALL)
			return true;
	}
	if (x->attend & ATTEND_PAUSE && !x->debugging)
		return pause(x);
	if (x->attend & ATTEND_CONDITION) {
		u32 frames = x->frames;

		rx_start_pending(x);
		return x->frames != frames;
	}
	return false;
}
