/*
 * Built-in functions that say something of the program and its surroundings (TRL, section 4): ADDRESS ARG CONDITION
 * DATATYPE ERRORTEXT QUEUED SOURCELINE SYMBOL TRACE VALUE, and CMS's EXTERNALS and LINESIZE.
 */
#include "builtin.h"

struct val rx_address(struct rexx *x, struct val *a, u32 n)
{
	(void)a;
	(void)n;
	return copy_of(x->act->address);
}

struct val rx_arg(struct rexx *x, struct val *a, u32 n)
{
	struct act *act = x->act;
	u32 i;
	char option;
	bool there;

	if (!GIVEN(0)) {
		if (GIVEN(1))
			RAISE(x, 40, 5);
		return INTEGER((i32)act->arguments);
	}
	i = (u32)rx_arg_whole(x, a, 0, 1);
	there = i <= act->arguments && !is_omitted(act->argument[i - 1]);
	if (!GIVEN(1))
		return there ? copy_of(act->argument[i - 1]) : EMPTY;
	option = rx_arg_option(x, a, 1);
	if (option != 'E' && option != 'O')
		rx_bad_option(x, a, 1);
	return INTEGER(there == (option == 'E'));
}

struct val rx_condition_function(struct rexx *x, struct val *a, u32 n)
{
	struct act *act = x->act;
	char option = GIVEN(0) ? rx_arg_option(x, a, 0) : 'I';
	struct trap *t;

	if (option != 'C' && option != 'D' && option != 'I' && option != 'S')
		rx_bad_option(x, a, 0);
	if (act->condition < 0)
		return EMPTY;
	switch (option) {
	case 'C':
		return rx_zstring(x, rx_condition_name((enum condition)act->condition));
	case 'D':
		return copy_of(act->description);
	case 'S':
		t = &act->trap[act->condition];
		return rx_zstring(x, t->how == TRAP_OFF ? "OFF" : t->delayed ? "DELAY" : "ON");
	default:
		return rx_zstring(x, act->how == TRAP_CALL ? "CALL" : "SIGNAL");
	}
}

static bool all(const struct str *s, u32 class)
{
	for (u32 i = 0; i < s->length; i++)
		if (!(class_of(s->t[i]) & class))
			return false;
	return s->length > 0;
}

/* Digits with blanks between groups of `per`; a null string too. */
static bool grouped(const struct str *s, bool hex)
{
	u32 per = hex ? 2 : 4, group = 0;
	bool first = true;

	for (u32 i = 0; i < s->length; i++) {
		char c = s->t[i];

		if (is_blank(c)) {
			if (i == 0 || i + 1 == s->length)
				return false;
			if (is_blank(s->t[i - 1]))
				continue;
			if (!first && group % per)
				return false;
			first = false;
			group = 0;
			continue;
		}
		if (hex ? rx_hex(c) < 0 : c != '0' && c != '1')
			return false;
		group++;
	}
	return first || group % per == 0;
}

static bool whole_under_digits(struct rexx *x, struct val v)
{
	struct num n;

	if (!rx_is_number(x, v))
		return false;
	rx_limbs_reset(x);
	rx_number(x, &v, &n);
	rx_num_round(x, &n, x->act->digits);
	if (!n.limbs)
		return true;
	rx_num_strip(x, &n);
	return n.exponent >= 0 && rx_num_adjusted(&n) < (i32)x->act->digits;
}

struct val rx_datatype(struct rexx *x, struct val *a, u32 n)
{
	struct str *s;
	bool yes = false;

	if (!GIVEN(1))
		return rx_zstring(x, rx_is_number(x, a[0]) ? "NUM" : "CHAR");
	s = text_of(x, &a[0]);
	switch (rx_arg_option(x, a, 1)) {
	case 'A':
		yes = all(s, CHAR_UPPER | CHAR_LOWER | CHAR_DIGIT);
		break;
	case 'B':
		yes = grouped(s, false);
		break;
	case 'C':
	case 'D':
		/* Double-byte strings; there are none. */
		yes = false;
		break;
	case 'L':
		yes = all(s, CHAR_LOWER);
		break;
	case 'M':
		yes = all(s, CHAR_UPPER | CHAR_LOWER);
		break;
	case 'N':
		yes = rx_is_number(x, a[0]);
		break;
	case 'S':
		yes = all(s, CHAR_SYMBOL) && s->length <= 250;
		break;
	case 'U':
		yes = all(s, CHAR_UPPER);
		break;
	case 'W':
		yes = whole_under_digits(x, a[0]);
		break;
	case 'X':
		yes = grouped(s, true);
		break;
	default:
		rx_bad_option(x, a, 1);
	}
	return INTEGER(yes);
}

struct val rx_errortext(struct rexx *x, struct val *a, u32 n)
{
	i32 error = rx_arg_whole(x, a, 0, 0);
	const char *text;

	(void)n;
	if (error > 99)
		rx_bad_argument(x, 17, &a[0]);
	text = rexx_error_text(error);
	return text ? rx_zstring(x, text) : EMPTY;
}

struct val rx_externals(struct rexx *x, struct val *a, u32 n)
{
	(void)a;
	(void)n;
	return INTEGER(x->host->externals ? (i32)x->host->externals(x->host->context) : 0);
}

struct val rx_linesize(struct rexx *x, struct val *a, u32 n)
{
	(void)a;
	(void)n;
	return INTEGER(x->host->linesize ? (i32)x->host->linesize(x->host->context) : 80);
}

struct val rx_queued(struct rexx *x, struct val *a, u32 n)
{
	(void)a;
	(void)n;
	return INTEGER(x->host->queued ? (i32)x->host->queued(x->host->context) : 0);
}

struct val rx_sourceline(struct rexx *x, struct val *a, u32 n)
{
	const struct unit *u = x->main;
	u32 i, lines = x->program->count;

	if (!GIVEN(0))
		return INTEGER((i32)lines);
	i = (u32)rx_arg_whole(x, a, 0, 1);
	if (i > lines)
		rx_bad_argument(x, 34, &a[0]);
	return rx_text(x, u->line[i - 1].text, u->line[i - 1].length);
}

struct val rx_symbol(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]);
	struct sym *sym;
	struct val key, v;
	struct var *var;
	enum name_kind kind = rx_name(x, s->t, s->length, true, &sym, &key);

	(void)n;
	if (kind == NAME_BAD)
		return rx_zstring(x, "BAD");
	if (kind == NAME_CONSTANT)
		return rx_zstring(x, "LIT");
	if (kind == NAME_COMPOUND) {
		v = rx_compound(x, sym->id, key);
		drop(x, key);
	} else {
		var = rx_var_find(x->act->pool, sym->id);
		v = var ? var->v : UNSET;
	}
	return rx_zstring(x, is_unset(v) ? "LIT" : "VAR");
}

struct val rx_trace_function(struct rexx *x, struct val *a, u32 n)
{
	char t[4];
	u32 length = 0;

	if (x->act->interactive)
		t[length++] = '?';
	if (x->act->no_commands)
		t[length++] = '!';
	t[length++] = rx_trace_letter(x->act);
	if (GIVEN(0) && (!text_of(x, &a[0])->length || !rx_trace_setting(x, &a[0])))
		rx_bad_option(x, a, 0);
	return rx_text(x, t, length);
}

struct val rx_value(struct rexx *x, struct val *a, u32 n)
{
	struct str *s = text_of(x, &a[0]);
	struct sym *sym;
	struct val key, v, fresh;
	struct var *var;
	enum name_kind kind;

	if (GIVEN(2)) {
		/* Pools outside the program are the environment's: its function table has VALUE if it has any. */
		bool has;
		struct val *sp = x->sp;

		sym = rx_intern(x, "VALUE", 5);
		v = rx_call_external(x, sym, REXX_FUNCTION, (u32)(sp - a), &has);
		return v;
	}
	kind = rx_name(x, s->t, s->length, true, &sym, &key);
	if (kind == NAME_BAD || (kind == NAME_CONSTANT && GIVEN(1)))
		rx_bad_argument(x, 26, &a[0]);
	if (kind == NAME_CONSTANT)
		return rx_text(x, x->scratch, s->length);
	if (kind == NAME_COMPOUND) {
		v = rx_compound(x, sym->id, key);
		if (is_unset(v))
			v = rx_compound_name(x, sym->id, key);
		else
			hold(v);
	} else {
		var = rx_var_find(x->act->pool, sym->id);
		v = var ? var->v : UNSET;
		if (is_unset(v))
			v = STRING(sym->name);
		hold(v);
	}
	if (GIVEN(1)) {
		fresh = copy_of(a[1]);
		if (kind == NAME_COMPOUND)
			rx_assign_compound(x, sym->id, key, fresh);
		else if (kind == NAME_STEM)
			rx_assign_stem(x, sym->id, fresh);
		else
			rx_assign(x, sym->id, fresh);
	}
	drop(x, key);
	return v;
}
