/*
 * What rexx.h offers: running a program, answering from callbacks, and the variables of a running one (EXECCOMM).
 */
#include "charset.h"
#include "code.h"
#include "internal.h"

/* ---- running ---- */

static void give_back(struct rexx *x)
{
	const struct rexx_host *host = x->host;

	/* Everything that is small is in chunks, everything else on a list: nothing has to be looked for. */
	rx_large_release(x);
	while (x->chunk) {
		struct chunk *c = x->chunk;

		x->chunk = c->next;
		host->release(host->context, c, c->size);
	}
}

static void start(struct rexx *x, const struct rexx_program *program, const struct rexx_start *start)
{
	const struct rexx_arguments *list = &start->arguments;
	u32 count = list->count;

	x->stack = rx_grow(x, 0, &x->stack_size, count + 8, sizeof *x->stack);
	x->sp = x->stack;
	x->sym_rc = rx_intern(x, "RC", 2);
	x->sym_result = rx_intern(x, "RESULT", 6);
	x->sym_sigl = rx_intern(x, "SIGL", 4);
	x->main = 0;
	x->builtin = rx_builtins;
	x->attention = x->host->attention;
	rx_compile(x, program->lines, program->count, 0);
	for (u32 i = 0; i < count; i++)
		*x->sp++ = list->list[i].text ? rx_text(x, list->list[i].text, list->list[i].length) : OMITTED;
	rx_begin(x, x->main, start->type, count);
	x->act->address = rx_text(x, program->environment.text, program->environment.length);
	x->act->other_address = rx_text(x, program->environment.text, program->environment.length);
	if (x->host->traced) {
		x->act->trace = TRACE_RESULTS;
		x->act->interactive = true;
	}
	rx_set_settings(x);
}

static __attribute__((noinline)) bool guarded_start(struct rexx *x, const struct rexx_program *program,
						    const struct rexx_start *s)
{
	void *jump[JUMP_WORDS];

	if (__builtin_setjmp(jump) == 0) {
		x->jump = jump;
		start(x, program, s);
		return true;
	}
	return false;
}

static __attribute__((noinline)) void guarded_report(struct rexx *x)
{
	void *jump[JUMP_WORDS];
	i32 error = x->error, subcode = x->subcode;

	if (__builtin_setjmp(jump) == 0) {
		x->jump = jump;
		rx_report(x);
	} else {
		/* Not even the traceback could be made: the bare message. */
		x->frames = 0;
		x->error = error;
		x->subcode = subcode;
		rx_report(x);
	}
}

static __attribute__((noinline)) bool guarded_number(struct rexx *x, i32 *n)
{
	void *jump[JUMP_WORDS];

	if (__builtin_setjmp(jump) == 0) {
		x->jump = jump;
		return rx_whole(x, &x->result, n);
	}
	return false;
}

static bool copy_result(struct rexx *x, struct rexx_result *result)
{
	char digits[12];
	u32 length = x->result.s ? x->result.s->length : rx_itoa(x->result.n, digits);
	size_t size = length ? length : 1;
	char *to = x->host->allocate(x->host->context, size);

	if (!to)
		return false;
	memcpy(to, x->result.s ? x->result.s->t : digits, length);
	*result = (struct rexx_result){ to, length, size };
	return true;
}

static const volatile u32 nothing_asked;

/* Runs a program; the error that ended it, or 0. `code` gets what EXIT gave as a number. */
static i32 run(const struct rexx_host *given, const struct rexx_program *program, const struct rexx_start *s,
	       struct rexx_result *result, struct rexx *parent, i32 *code)
{
	struct rexx_host host = *given;
	struct rexx *x = host.allocate(host.context, sizeof *x);
	i32 error = 0;

	if (result)
		*result = (struct rexx_result){ 0 };
	*code = 0;
	if (!x)
		return 5;
	if (!host.attention)
		host.attention = &nothing_asked;
	memset(x, 0, sizeof *x);
	x->host = &host;
	x->program = program;
	x->parent = parent;
	x->depth = parent ? parent->depth + 1 : 0;
	x->reply = x->result = x->parse.subject = x->next_name = x->next_value = EMPTY;
	for (u32 c = 0; c < CONDITIONS; c++)
		x->pending_text[c] = EMPTY;
	if (guarded_start(x, program, s)) {
		error = rx_loop(x);
	} else {
		error = x->error;
		rx_compile_abandon(x);
	}
	if (error) {
		x->error = error;
		guarded_report(x);
	} else if (x->has_result) {
		if (!guarded_number(x, code))
			*code = -1;
		if (result && !copy_result(x, result))
			error = 5;
	}
	give_back(x);
	host.release(host.context, x, sizeof *x);
	return error;
}

i32 rx_run_program(const struct rexx_host *host, const struct rexx_program *program, const struct rexx_start *start,
		   struct rexx_result *result, struct rexx *parent)
{
	i32 code;

	return run(host, program, start, result, parent, &code);
}

int32_t rexx_run(const struct rexx_host *host, const struct rexx_program *program, const struct rexx_start *start,
		 struct rexx_result *result)
{
	i32 code, error = run(host, program, start, result, 0, &code);

	return error ? 20000 + error : code;
}

/* ---- from callbacks ---- */

static __attribute__((noinline)) bool guarded_reply(struct rexx *x, const char *text, u32 length)
{
	void *jump[JUMP_WORDS];

	if (__builtin_setjmp(jump) == 0) {
		x->jump = jump;
		drop(x, x->reply);
		x->reply = EMPTY;
		x->reply = rx_text(x, text, length);
		x->replied = true;
		return true;
	}
	return false;
}

bool rexx_reply(struct rexx *x, const char *text, uint32_t length)
{
	void **jump = x->jump;
	bool done = guarded_reply(x, text, length);

	x->jump = jump;
	return done;
}

/* ---- EXECCOMM ---- */

enum request { FETCH, SET, DROP, NEXT, PRIVATE, ELEMENT };

struct wanted {
	enum request request;
	enum rexx_name kind;
	const struct rexx_text *name, *value;
	struct rexx_text *out_name, *out;
	u32 number;	/* ELEMENT: the tail */
	u32 flags;
};

static struct rexx_text shown(struct rexx *x, struct val *keep, struct val v)
{
	struct str *s;

	drop(x, *keep);
	*keep = EMPTY;
	hold(v);
	*keep = v;
	s = text_of(x, keep);
	return (struct rexx_text){ s->t, s->length };
}

static void one_variable(struct rexx *x, struct wanted *w)
{
	struct sym *sym = 0;
	struct val key, v = UNSET;
	enum name_kind kind = rx_name(x, w->name->text, w->name->length, w->kind == REXX_SYMBOLIC, &sym, &key);
	struct var *var;

	x->next_begun = false;
	if (kind == NAME_BAD || (kind == NAME_CONSTANT && w->request != FETCH)) {
		w->flags = REXX_VAR_BAD_NAME;
		return;
	}
	if (kind == NAME_CONSTANT) {
		v = rx_text(x, x->scratch, w->name->length);
		*w->out = shown(x, &x->next_value, v);
		drop(x, v);
		return;
	}
	if (kind == NAME_COMPOUND) {
		v = rx_compound(x, sym->id, key);
	} else {
		var = rx_var_find(x->act->pool, sym->id);
		v = var ? var->v : UNSET;
	}
	w->flags = is_unset(v) ? REXX_VAR_NEW : REXX_VAR_OK;
	if (w->request == FETCH) {
		if (is_unset(v))
			v = kind == NAME_COMPOUND ? rx_compound_name(x, sym->id, key) :
						    rx_text(x, sym->name->t, sym->name->length);
		else
			hold(v);
		*w->out = shown(x, &x->next_value, v);
		drop(x, v);
	} else if (w->request == SET) {
		v = rx_text(x, w->value->text, w->value->length);
		if (kind == NAME_COMPOUND)
			rx_assign_compound(x, sym->id, key, v);
		else if (kind == NAME_STEM)
			rx_assign_stem(x, sym->id, v);
		else
			rx_assign(x, sym->id, v);
	} else if (kind == NAME_COMPOUND) {
		rx_drop_compound(x, sym->id, key);
	} else if (kind == NAME_STEM) {
		rx_drop_stem(x, sym->id);
	} else {
		rx_drop(x, sym->id);
	}
	drop(x, key);
}

/* A compound variable whose tail is a number; the stem's name is in upper case. */
static void set_element(struct rexx *x, struct wanted *w)
{
	struct sym *sym = rx_find_symbol(x, w->name->text, w->name->length);
	struct val key;

	x->next_begun = false;
	if (!sym && rx_name(x, w->name->text, w->name->length, false, &sym, &key) != NAME_STEM) {
		w->flags = REXX_VAR_BAD_NAME;
		return;
	}
	rx_assign_compound(x, sym->id, INTEGER((i32)w->number), rx_text(x, w->value->text, w->value->length));
	w->flags = REXX_VAR_OK;
}

static void give_variable(struct rexx *x, struct wanted *w, struct val name, struct val v)
{
	*w->out_name = shown(x, &x->next_name, name);
	*w->out = shown(x, &x->next_value, v);
	drop(x, name);
}

/* The next variable that has a value: simple ones and stems by number, within a stem bucket by bucket. */
static void next_variable(struct rexx *x, struct wanted *w)
{
	struct pool *p = x->act->pool;

	if (!x->next_begun) {
		x->next_begun = true;
		x->next_symbol = 0;
		x->next_bucket = ~0u;
		x->next_tail = 0;
	}
	while (x->next_symbol < p->slots && x->next_symbol < x->symbols) {
		struct var *var = p->slot[x->next_symbol];
		u32 id = x->next_symbol;

		if (!var) {
			x->next_symbol++;
			continue;
		}
		if (x->next_bucket == ~0u) {
			x->next_bucket = 0;
			x->next_tail = var->stem && var->stem->buckets ? var->stem->bucket[0] : 0;
			if (!is_unset(var->v)) {
				struct val name = STRING(x->symbol[id]->name);

				hold(name);
				give_variable(x, w, name, var->v);
				return;
			}
		}
		while (var->stem && x->next_bucket < var->stem->buckets) {
			struct tail *t = x->next_tail, *real = t;

			if (!t) {
				x->next_bucket++;
				x->next_tail = x->next_bucket < var->stem->buckets ?
					var->stem->bucket[x->next_bucket] : 0;
				continue;
			}
			x->next_tail = t->next;
			while (real->alias)
				real = real->target;
			if (is_unset(real->v))
				continue;
			give_variable(x, w, rx_compound_name(x, id, t->key), real->v);
			return;
		}
		x->next_symbol++;
		x->next_bucket = ~0u;
	}
	x->next_begun = false;
	w->flags = REXX_VAR_LAST;
}

static bool named(const struct rexx_text *t, const char *word)
{
	return t->length == rx_zlength(word) && memcmp(t->text, word, t->length) == 0;
}

static void private_information(struct rexx *x, struct wanted *w)
{
	struct act *act = x->act;
	struct val v;
	i32 n = 0;

	while (act->up)
		act = act->up;
	if (named(w->name, "SOURCE")) {
		v = rx_parse_source(x);
	} else if (named(w->name, "VERSION")) {
		v = rx_parse_version(x);
	} else if (named(w->name, "PARM")) {
		v = INTEGER((i32)act->arguments);
	} else if (named(w->name, "ARG") ||
		   (w->name->length > 5 && memcmp(w->name->text, "PARM.", 5) == 0)) {
		n = 1;
		if (w->name->length > 3) {
			v = rx_text(x, w->name->text + 5, w->name->length - 5);
			if (!rx_int(v, &n) || n < 1) {
				drop(x, v);
				w->flags = REXX_VAR_BAD_NAME;
				return;
			}
			drop(x, v);
		}
		v = (u32)n <= act->arguments && !is_omitted(act->argument[n - 1]) ? act->argument[n - 1] : EMPTY;
		hold(v);
	} else {
		w->flags = REXX_VAR_BAD_NAME;
		return;
	}
	*w->out = shown(x, &x->next_value, v);
	drop(x, v);
}

static __attribute__((noinline)) bool guarded_request(struct rexx *x, struct wanted *w)
{
	void *jump[JUMP_WORDS];

	if (__builtin_setjmp(jump) == 0) {
		x->jump = jump;
		if (w->request == NEXT)
			next_variable(x, w);
		else if (w->request == PRIVATE)
			private_information(x, w);
		else if (w->request == ELEMENT)
			set_element(x, w);
		else
			one_variable(x, w);
		return true;
	}
	return false;
}

static u32 request(struct rexx *x, struct wanted w)
{
	void **jump = x->jump;

	if (!x->act)
		return REXX_VAR_BAD_FUNCTION;
	if (!guarded_request(x, &w))
		w.flags = REXX_VAR_NO_STORAGE;
	x->jump = jump;
	return w.flags;
}

uint32_t rexx_fetch(struct rexx *x, enum rexx_name kind, const struct rexx_text *name, struct rexx_text *value)
{
	return request(x, (struct wanted){ .request = FETCH, .kind = kind, .name = name, .out = value });
}

uint32_t rexx_set(struct rexx *x, enum rexx_name kind, const struct rexx_text *name, const struct rexx_text *value)
{
	return request(x, (struct wanted){ .request = SET, .kind = kind, .name = name, .value = value });
}

uint32_t rexx_set_element(struct rexx *x, const struct rexx_text *stem, uint32_t number, const struct rexx_text *value)
{
	return request(x, (struct wanted){ .request = ELEMENT, .name = stem, .number = number, .value = value });
}

uint32_t rexx_drop(struct rexx *x, enum rexx_name kind, const struct rexx_text *name)
{
	return request(x, (struct wanted){ .request = DROP, .kind = kind, .name = name });
}

uint32_t rexx_next(struct rexx *x, struct rexx_text *name, struct rexx_text *value)
{
	return request(x, (struct wanted){ .request = NEXT, .out_name = name, .out = value });
}

uint32_t rexx_private(struct rexx *x, const struct rexx_text *name, struct rexx_text *value)
{
	return request(x, (struct wanted){ .request = PRIVATE, .name = name, .out = value });
}
