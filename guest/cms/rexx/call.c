/*
 * Frames and activations: internal and external calls, SIGNAL, conditions, INTERPRET, commands (TRL, section 3 "CALL",
 * "INTERPRET", "SIGNAL", section 7 "Conditions and condition traps").
 */
#include "charset.h"
#include "code.h"
#include "internal.h"

/* Beyond this the control stack is full. A frame and its activation take some 300 bytes. */
#define FRAMES_MOST 10000u

static const char *const condition_names[CONDITIONS] = { "ERROR", "FAILURE", "HALT", "NOVALUE", "SYNTAX", "NOTREADY" };

const char *rx_condition_name(enum condition c)
{
	return condition_names[c];
}

u32 rx_clause_line(struct rexx *x, const struct frame *f)
{
	(void)x;
	if (f->unit->base_line)
		return f->unit->base_line;
	if (f->clause >= f->unit->clauses)
		return 1;
	return rx_line_of(f->unit, f->unit->clause[f->clause].start) + 1;
}

void rx_push_frame(struct rexx *x, struct unit *u, u32 pc, enum frame_kind kind)
{
	u32 used = (u32)(x->sp - x->stack);

	if (x->frames >= FRAMES_MOST)
		RAISE(x, 11, 1);
	if (x->frames == x->frame_size)
		x->frame = rx_grow(x, x->frame, &x->frame_size, x->frames + 1, sizeof *x->frame);
	if (used + u->stack + 8 > x->stack_size) {
		x->stack = rx_grow(x, x->stack, &x->stack_size, used + u->stack + 8, sizeof *x->stack);
		x->sp = x->stack + used;
	}
	x->frame[x->frames++] = (struct frame){
		.unit = u, .pc = u->code + pc, .stack = used, .loop = x->loops, .kind = (u8)kind, .entry = pc,
	};
	if (kind == FRAME_DEBUG)
		x->debugging++;
}

/* Drops the values and loops of the topmost frame. */
static void clear_frame(struct rexx *x)
{
	struct frame *f = &x->frame[x->frames - 1];

	while (x->sp > x->stack + f->stack)
		drop(x, *--x->sp);
	while (x->loops > f->loop) {
		struct loop *l = &x->loop[--x->loops];

		drop(x, l->limit);
		drop(x, l->by);
	}
}

void rx_pop_frame(struct rexx *x)
{
	struct frame *f = &x->frame[x->frames - 1];

	clear_frame(x);
	x->frames--;
	if (f->kind == FRAME_INTERPRET || f->kind == FRAME_DEBUG)
		rx_unit_release(x, f->unit);
	if (f->kind == FRAME_DEBUG) {
		x->debugging--;
		rx_set_settings(x);
	}
}

/* What the run loop looks at, from the activation's settings. */
void rx_set_settings(struct rexx *x)
{
	struct act *act = x->act;
	bool on = !x->debugging;

	x->trace_results = on && act->trace >= TRACE_RESULTS && x->skip_clauses == 0;
	x->trace_intermediates = on && act->trace >= TRACE_INTERMEDIATES && x->skip_clauses == 0;
	x->settings = act->digits < 9 || act->fuzz || x->trace_results;
	x->attend &= ~ATTEND_TRACE;
	if (on && act->trace >= TRACE_LABELS)
		x->attend |= ATTEND_TRACE;
	if (!act->interactive)
		x->attend &= ~ATTEND_PAUSE;
}

/* ---- activations ---- */

/* One that inherits what a call passes on. */
struct act *rx_new_act(struct rexx *x)
{
	struct act *up = x->act, *act = rx_allocate(x, sizeof *act);

	if (up) {
		*act = *up;
		hold(act->address);
		hold(act->other_address);
		hold(act->description);
	} else {
		*act = (struct act){ .digits = 9, .condition = -1, .address = EMPTY, .other_address = EMPTY,
				     .description = EMPTY, .trace = TRACE_NORMAL };
	}
	act->up = up;
	act->own_pool = false;
	act->may_procedure = true;
	act->argument = 0;
	act->arguments = 0;
	return act;
}

static void free_act(struct rexx *x, struct act *act)
{
	for (u32 i = 0; i < act->arguments; i++)
		drop(x, act->argument[i]);
	rx_release(x, act->argument, act->arguments * sizeof *act->argument);
	if (act->own_pool)
		rx_pool_free(x, act->pool);
	drop(x, act->address);
	drop(x, act->other_address);
	drop(x, act->description);
	rx_release(x, act, sizeof *act);
}

/* The arguments move from the stack to a new activation, which becomes the current one. */
static void enter(struct rexx *x, u32 arguments)
{
	struct act *act = rx_new_act(x);

	/* ARG() is the number of the last one that is there. */
	while (arguments && is_omitted(x->sp[-1])) {
		x->sp--;
		arguments--;
	}
	if (arguments) {
		act->argument = rx_allocate(x, arguments * sizeof *act->argument);
		act->arguments = arguments;
		x->sp -= arguments;
		memcpy(act->argument, x->sp, arguments * sizeof *act->argument);
	}
	x->act = act;
}

/* The frame of the main program. */
void rx_begin(struct rexx *x, struct unit *u, enum rexx_call_type type, u32 arguments)
{
	enter(x, arguments);
	x->act->type = type;
	x->act->pool = rx_pool_new(x, 1);
	x->act->own_pool = true;
	rx_push_frame(x, u, 0, FRAME_MAIN);
}

static void set_sigl(struct rexx *x)
{
	rx_set_simple(x, x->sym_sigl, INTEGER((i32)rx_clause_line(x, &x->frame[x->frames - 1])));
}

void rx_call_internal(struct rexx *x, u32 pc, enum frame_kind kind, u32 arguments)
{
	if (x->frames >= FRAMES_MOST)
		RAISE(x, 11, 1);
	set_sigl(x);
	/* Room for the frame first: after that nothing fails. */
	if (x->frames == x->frame_size)
		x->frame = rx_grow(x, x->frame, &x->frame_size, x->frames + 1, sizeof *x->frame);
	enter(x, arguments);
	x->act->type = kind == FRAME_FUNCTION ? REXX_FUNCTION : REXX_SUBROUTINE;
	rx_push_frame(x, x->main, pc, kind);
}

/* Back from an internal call. */
void rx_pop_act(struct rexx *x)
{
	struct act *act = x->act;
	struct frame *f = &x->frame[x->frames - 1];
	u8 kind = f->kind, condition = f->condition;

	rx_pop_frame(x);
	x->act = act->up;
	if (kind == FRAME_HANDLER && x->act->trap[condition].how == TRAP_CALL) {
		x->act->trap[condition].delayed = false;
		if (x->pending[condition])
			x->attend |= ATTEND_CONDITION;
	}
	free_act(x, act);
	rx_set_settings(x);
}

/* To the frame of the activation itself, out of its INTERPRETs. */
static void leave_interprets(struct rexx *x)
{
	while (x->frame[x->frames - 1].kind == FRAME_INTERPRET || x->frame[x->frames - 1].kind == FRAME_DEBUG)
		rx_pop_frame(x);
	clear_frame(x);
}

void rx_signal(struct rexx *x, struct sym *label)
{
	if (label->label < 0)
		rx_raise(x, 16, 1, label->name->t, label->name->length);
	set_sigl(x);
	leave_interprets(x);
	x->frame[x->frames - 1].pc = x->main->code + label->label;
	x->act->may_procedure = false;
}

/* ---- conditions ---- */

static void note_condition(struct rexx *x, struct act *act, enum condition c, u8 how, struct val description)
{
	(void)x;
	drop(x, act->description);
	act->condition = (i32)c;
	act->description = description;
	act->how = how;
}

/* SIGNAL ON: goes to its label. Takes the description over. Always true. */
bool rx_raise_condition(struct rexx *x, enum condition c, struct val description)
{
	struct trap *t = &x->act->trap[c];
	struct sym *label = t->label;

	note_condition(x, x->act, c, TRAP_SIGNAL, description);
	t->how = TRAP_OFF;
	rx_signal(x, label);
	return true;
}

/* A condition has occurred: its trap is taken at once (SIGNAL), or when the clause is complete (CALL). */
void rx_condition(struct rexx *x, enum condition c, struct val description)
{
	struct trap *t = &x->act->trap[c];

	if (t->how == TRAP_SIGNAL) {
		rx_raise_condition(x, c, description);
	} else if (t->how == TRAP_CALL) {
		if (x->pending[c])
			drop(x, x->pending_text[c]);
		x->pending[c] = true;
		x->pending_text[c] = description;
		x->attend |= ATTEND_CONDITION;
	} else {
		drop(x, description);
	}
}

/* Calls the handler of a condition that waits, if there is one: x->attend says whether more may follow. */
void rx_start_pending(struct rexx *x)
{
	for (u32 c = 0; c < CONDITIONS; c++) {
		struct trap *t = &x->act->trap[c];
		struct sym *label = t->label;

		if (!x->pending[c] || t->how != TRAP_CALL || t->delayed)
			continue;
		if (label->label < 0)
			rx_raise(x, 16, 1, label->name->t, label->name->length);
		x->pending[c] = false;
		t->delayed = true;
		rx_call_internal(x, (u32)label->label, FRAME_HANDLER, 0);
		x->frame[x->frames - 1].condition = (u8)c;
		note_condition(x, x->act, c, TRAP_CALL, x->pending_text[c]);
		x->pending_text[c] = EMPTY;
		return;
	}
	x->attend &= ~ATTEND_CONDITION;
}

/* After rx_raise: SIGNAL ON SYNTAX, an error in what interactive TRACE was given, or the end. */
static bool handle(struct rexx *x)
{
	struct trap *t;
	i32 error = x->error;

	rx_compile_abandon(x);
	rx_parse_end(x);
	if (!x->frames || !x->act)
		return false;
	if (x->debugging) {
		char line[80];
		const char *text = rexx_error_text(error);
		u32 n = 0;

		memcpy(line, "       +++ Error ", 17);
		n = 17 + rx_itoa(error, line + 17);
		memcpy(line + n, ": ", 2);
		n += 2;
		if (text) {
			memcpy(line + n, text, rx_zlength(text));
			n += rx_zlength(text);
		}
		memcpy(line + n, " +++", 4);
		rx_say(x, REXX_TRACE, line, n + 4);
		while (x->debugging) {
			if (x->frame[x->frames - 1].kind == FRAME_INTERPRET ||
			    x->frame[x->frames - 1].kind == FRAME_DEBUG)
				rx_pop_frame(x);
			else
				rx_pop_act(x);
		}
		return true;
	}
	t = &x->act->trap[COND_HALT];
	if (error == 4 && t->how != TRAP_OFF && t->label->label >= 0) {
		/* Within a clause, which cannot go on: the trap is taken at once, CALL's too. */
		rx_raise_condition(x, COND_HALT, EMPTY);
		return true;
	}
	t = &x->act->trap[COND_SYNTAX];
	if (t->how != TRAP_SIGNAL || error == 4 || t->label->label < 0)
		return false;
	rx_set_simple(x, x->sym_rc, INTEGER(error));
	rx_raise_condition(x, COND_SYNTAX, x->error_about.text ?
			   rx_text(x, x->error_about.text, x->error_about.length) : EMPTY);
	return true;
}

static __attribute__((noinline)) i32 guarded_handle(struct rexx *x)
{
	void *jump[JUMP_WORDS];

	if (__builtin_setjmp(jump) == 0) {
		x->jump = jump;
		return handle(x);
	}
	return -1;
}

bool rx_handle_error(struct rexx *x)
{
	i32 said = guarded_handle(x);

	/* An error in handling the error: once more for that one (a label that is missing), then no more. */
	if (said < 0)
		said = guarded_handle(x);
	return said > 0;
}

/* ---- INTERPRET ---- */

/* Takes *v over. */
void rx_interpret(struct rexx *x, struct val *v, enum frame_kind kind)
{
	struct str *s = text_of(x, v);
	u32 line = rx_clause_line(x, &x->frame[x->frames - 1]);
	struct unit *u;

	if (x->frames >= FRAMES_MOST) {
		drop(x, *v);
		RAISE(x, 11, 1);
	}
	u = rx_compile(x, 0, 0, s);
	u->base_line = line;
	rx_push_frame(x, u, 0, kind);
	if (kind == FRAME_DEBUG)
		rx_set_settings(x);
}

/* ---- external routines ---- */

static enum rexx_outcome from_table(struct rexx *x, struct sym *name, const struct rexx_arguments *list)
{
	const struct rexx_host *host = x->host;

	for (u32 i = 0; i < host->function_count; i++) {
		const struct rexx_function *f = &host->functions[i];

		if (rx_zlength(f->name) != name->name->length ||
		    memcmp(f->name, name->name->t, name->name->length) != 0)
			continue;
		if (list->count < f->least || list->count > f->most)
			rx_raise(x, 40, list->count < f->least ? 3 : 4, name->name->t, name->name->length);
		return f->perform(host->context, x, list);
	}
	return REXX_NOT_FOUND;
}

static void outcome(struct rexx *x, enum rexx_outcome o, struct sym *name)
{
	if (o == REXX_BAD_CALL)
		rx_raise(x, 40, 1, name->name->t, name->name->length);
	if (o == REXX_NO_STORAGE)
		RAISE(x, 5, 1);
	if (o == REXX_FAILED)
		rx_raise(x, 48, 1, name->name->t, name->name->length);
}

/* The order of search (TRL, section 4 "Functions and subroutines"; CMS). The arguments stay on the stack. */
struct val rx_call_external(struct rexx *x, struct sym *name, enum rexx_call_type type, u32 arguments, bool *has)
{
	const struct rexx_host *host = x->host;
	struct val *first = x->sp - arguments, v;
	struct rexx_text text[32], *list = text, called = { name->name->t, name->name->length };
	struct rexx_arguments passed;
	struct rexx_program program = { 0 };
	enum rexx_outcome o;
	void **jump = x->jump;

	if (arguments > 32)
		list = rx_allocate(x, arguments * sizeof *list);
	for (u32 i = 0; i < arguments; i++) {
		if (is_omitted(first[i])) {
			list[i] = (struct rexx_text){ 0, 0 };
		} else {
			struct str *s = text_of(x, &first[i]);

			list[i] = (struct rexx_text){ s->t, s->length };
		}
	}
	passed = (struct rexx_arguments){ list, arguments };
	x->replied = false;
	o = from_table(x, name, &passed);
	if (o == REXX_NOT_FOUND && host->call)
		o = host->call(host->context, x, REXX_BEFORE_EXECS, &called, type, &passed);
	x->jump = jump;
	if (o == REXX_NOT_FOUND && host->load && host->load(host->context, &called, x->program, &program)) {
		struct rexx_start start = { type, passed };
		struct rexx_result result = { 0 };
		i32 error = 11;

		if (x->depth + 1 < (host->depth ? host->depth : 100))
			error = rx_run_program(host, &program, &start, &result, x);
		if (host->unload)
			host->unload(host->context, &program);
		x->jump = jump;
		if (arguments > 32)
			rx_release(x, list, arguments * sizeof *list);
		if (error == 11)
			RAISE(x, 11, 1);
		if (error)
			rx_raise(x, error == 5 ? 5 : 40, 1, called.text, called.length);
		*has = result.text != 0;
		v = EMPTY;
		if (result.text) {
			v = rx_text(x, result.text, result.length);
			host->release(host->context, result.text, result.size);
		}
		return v;
	}
	if (o == REXX_NOT_FOUND && host->call)
		o = host->call(host->context, x, REXX_AFTER_EXECS, &called, type, &passed);
	x->jump = jump;
	if (arguments > 32)
		rx_release(x, list, arguments * sizeof *list);
	if (o == REXX_NOT_FOUND)
		rx_raise(x, 43, 1, called.text, called.length);
	outcome(x, o, name);
	*has = x->replied;
	v = x->replied ? x->reply : EMPTY;
	if (x->replied)
		x->reply = EMPTY;
	x->replied = false;
	return v;
}

/* ---- calls ---- */

/* A function or a routine, by its name. False: one of the program's own has begun. */
bool rx_call(struct rexx *x, u32 operand, u32 how, enum op op)
{
	u32 arguments = how & CALL_ARGUMENTS;
	bool has = true;
	struct sym *name = x->symbol[operand];
	struct val *first = x->sp - arguments, r;

	for (u32 i = 0; i < arguments && op == OP_CALL && x->trace_results; i++)
		if (!is_omitted(first[i]))
			rx_trace_value(x, ">>>", &first[i]);
	if (name->label >= 0 && !(how & CALL_QUOTED)) {
		rx_call_internal(x, (u32)name->label, op == OP_CALL ? FRAME_SUBROUTINE : FRAME_FUNCTION, arguments);
		return false;
	}
	if (name->builtin == -2)
		name->builtin = rx_find_builtin(name->name->t, name->name->length);
	if (name->builtin >= 0) {
		const struct builtin_entry *e = &rx_builtins[name->builtin];

		rx_check_arguments(x, e, first, how);
		r = e->perform(x, first, arguments);
	} else {
		r = rx_call_external(x, name, op == OP_CALL ? REXX_SUBROUTINE : REXX_FUNCTION, arguments, &has);
		if (!has && op == OP_FUNCTION)
			rx_raise(x, 44, 1, name->name->t, name->name->length);
	}
	for (u32 i = 0; i < arguments; i++)
		drop(x, *--x->sp);
	if (op == OP_FUNCTION) {
		*x->sp++ = r;
		return true;
	}
	if (!has) {
		rx_drop(x, x->sym_result->id);
		return true;
	}
	if (x->trace_results) {
		*x->sp++ = r;
		rx_trace_value(x, ">>>", &x->sp[-1]);
		x->sp--;
	}
	rx_set_simple(x, x->sym_result, r);
	return true;
}

/* ---- commands ---- */

/* Both stay where they are, on the stack or in the activation; the command's value is taken off the stack, and the
 * environment's if it is there too. */
void rx_command(struct rexx *x, struct val *environment, struct val *command)
{
	const struct rexx_host *host = x->host;
	bool own = environment != &x->act->address;
	struct str *e = text_of(x, environment), *c = text_of(x, command);
	struct rexx_text name = { e->t, e->length }, text = { c->t, c->length };
	struct val description = *command;
	u32 clause = x->frame[x->frames - 1].clause;
	bool traced = (x->attend & ATTEND_TRACE) && x->act->trace != TRACE_LABELS && !x->debugging;
	void **jump = x->jump;
	i32 rc = -3;
	char line[32];
	u32 n;

	if (e->length > 250)
		RAISE(x, 29, 1);
	if (x->act->trace == TRACE_COMMANDS && !x->debugging) {
		rx_trace_clause(x, clause, false);
		rx_trace_value(x, ">>>", command);
		traced = true;
	}
	if (x->act->no_commands)
		rc = 0;
	else if (host->command)
		rc = host->command(host->context, x, &name, &text);
	x->jump = jump;
	hold(description);
	x->sp -= own ? 2 : 1;
	drop(x, *command);
	if (own)
		drop(x, *environment);
	rx_set_simple(x, x->sym_rc, INTEGER(0));
	if (rc > INT_MOST || rc < -INT_MOST) {
		n = rx_itoa(rc, line);
		rx_set_simple(x, x->sym_rc, rx_text(x, line, n));
	} else if (!x->debugging || rc) {
		rx_set_simple(x, x->sym_rc, INTEGER(rc));
	}
	if (rc != 0) {
		bool show = traced || x->debugging || (x->act->trace == TRACE_ERRORS) ||
			    (rc < 0 && (x->act->trace == TRACE_NORMAL || x->act->trace == TRACE_FAILURES));

		if (show) {
			if (!traced && !x->debugging)
				rx_trace_clause(x, clause, false);
			memcpy(line, "       +++ RC(", 14);
			n = 14 + rx_itoa(rc, line + 14);
			memcpy(line + n, ") +++", 5);
			rx_say(x, REXX_TRACE, line, n + 5);
		}
		if (rc < 0 && x->act->trap[COND_FAILURE].how != TRAP_OFF) {
			rx_condition(x, COND_FAILURE, description);
			return;
		}
		rx_condition(x, COND_ERROR, description);
		return;
	}
	drop(x, description);
}

/* ---- what programs ask for ---- */

void rx_say(struct rexx *x, enum rexx_line kind, const char *t, u32 length)
{
	if (x->host->say)
		x->host->say(x->host->context, kind, t, length);
}

/* A line from the stack, or else from the terminal. */
struct val rx_pull(struct rexx *x, bool terminal)
{
	const struct rexx_host *host = x->host;
	void **jump = x->jump;
	struct val v = EMPTY;
	bool got = false;

	x->replied = false;
	if (!terminal && host->pull)
		got = host->pull(host->context, x);
	if (!got && host->read)
		host->read(host->context, x);
	x->jump = jump;
	if (x->replied) {
		v = x->reply;
		x->reply = EMPTY;
		x->replied = false;
	}
	return v;
}

struct val rx_parse_source(struct rexx *x)
{
	static const char *const types[] = { "COMMAND", "FUNCTION", "SUBROUTINE" };
	const struct rexx_program *p = x->program;
	const struct rexx_text *words[] = { &p->name, &p->type, &p->mode, &p->synonym, &p->environment };
	struct val v = rx_zstring(x, x->host->system ? x->host->system : "CMS");
	struct act *act = x->act;

	while (act->up)
		act = act->up;
	rx_append(x, &v, " ", 1);
	rx_append(x, &v, types[act->type], rx_zlength(types[act->type]));
	for (u32 i = 0; i < sizeof words / sizeof *words; i++) {
		rx_append(x, &v, " ", 1);
		rx_append(x, &v, words[i]->length ? words[i]->text : "?", words[i]->length ? words[i]->length : 1);
	}
	return v;
}

struct val rx_parse_version(struct rexx *x)
{
	return rx_zstring(x, x->host->version ? x->host->version : "REXX370 4.00 22 Nov 2026");
}
