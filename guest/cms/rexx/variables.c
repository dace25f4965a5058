/*
 * Names and variables (TRL, section 2 "Assignments and variables").
 *
 * Every name has one struct sym with a number; a pool of variables is an array by that number, so a variable is found
 * without looking for it. A stem keeps its compound variables in a hash table by tail. A tail that is written as
 * arithmetic writes a whole number is kept as that number, so A.I costs no string.
 */
#include "charset.h"
#include "internal.h"

static u32 hash_text(const char *t, u32 length)
{
	u32 h = 2166136261u;

	for (u32 i = 0; i < length; i++)
		h = (h ^ (unsigned char)t[i]) * 16777619u;
	return h ^ h >> 15;
}

static u32 hash_key(struct val key)
{
	u32 h;

	if (key.s)
		return hash_text(key.s->t, key.s->length);
	h = (u32)key.n * 2654435761u;
	return h ^ h >> 16;
}

/* ---- names ---- */

struct sym *rx_find_symbol(struct rexx *x, const char *name, u32 length)
{
	u32 h = hash_text(name, length);

	if (!x->buckets)
		return 0;
	for (struct sym *s = x->bucket[h & (x->buckets - 1)]; s; s = s->next)
		if (s->hash == h && s->name->length == length && memcmp(s->name->t, name, length) == 0)
			return s;
	return 0;
}

static void more_buckets(struct rexx *x)
{
	u32 many = x->buckets ? x->buckets * 2 : 64;
	struct sym **b = rx_allocate(x, many * sizeof *b);

	memset(b, 0, many * sizeof *b);
	for (u32 i = 0; i < x->symbols; i++) {
		struct sym *s = x->symbol[i];

		s->next = b[s->hash & (many - 1)];
		b[s->hash & (many - 1)] = s;
	}
	rx_release(x, x->bucket, x->buckets * sizeof *b);
	x->bucket = b;
	x->buckets = many;
}

struct sym *rx_intern(struct rexx *x, const char *name, u32 length)
{
	struct sym *s = rx_find_symbol(x, name, length);
	struct val text;

	if (s)
		return s;
	if (x->symbols >= x->buckets)
		more_buckets(x);
	if (x->symbols == x->symbol_size)
		x->symbol = rx_grow(x, x->symbol, &x->symbol_size, x->symbols + 1, sizeof *x->symbol);
	text = STRING(rx_str(x, length));
	memcpy(text.s->t, name, length);
	s = rx_allocate(x, sizeof *s);
	s->name = text.s;
	s->hash = hash_text(name, length);
	s->id = x->symbols;
	s->label = -1;
	s->builtin = -2;
	s->next = x->bucket[s->hash & (x->buckets - 1)];
	x->bucket[s->hash & (x->buckets - 1)] = s;
	x->symbol[x->symbols++] = s;
	return s;
}

/* ---- pools ---- */

struct pool *rx_pool_new(struct rexx *x, u32 level)
{
	struct pool *p = rx_allocate(x, sizeof *p);

	p->slot = 0;
	p->slots = 0;
	p->level = level;
	return p;
}

static void more_slots(struct rexx *x, struct pool *p, u32 want)
{
	p->slot = rx_grow(x, p->slot, &p->slots, want, sizeof *p->slot);
	if (p == x->act->pool)
		x->slot = p->slot;
}

void rx_use_pool(struct rexx *x)
{
	struct pool *p = x->act->pool;

	if (UNLIKELY(x->symbols > p->slots))
		more_slots(x, p, x->symbols);
	x->slot = p->slot;
}

static void stem_clear(struct rexx *x, struct stem *s)
{
	for (u32 i = 0; i < s->buckets; i++)
		for (struct tail *t = s->bucket[i], *next; t; t = next) {
			next = t->next;
			drop(x, t->key);
			if (!t->alias)
				drop(x, t->v);
			rx_release(x, t, sizeof *t);
		}
	rx_release(x, s->bucket, s->buckets * sizeof *s->bucket);
	s->bucket = 0;
	s->buckets = s->count = 0;
}

void rx_pool_free(struct rexx *x, struct pool *p)
{
	for (u32 i = 0; i < p->slots; i++) {
		struct var *v = p->slot[i];

		if (!v || v->level != p->level)
			continue;
		drop(x, v->v);
		if (v->stem) {
			stem_clear(x, v->stem);
			rx_release(x, v->stem, sizeof *v->stem);
		}
		rx_release(x, v, sizeof *v);
	}
	rx_release(x, p->slot, p->slots * sizeof *p->slot);
	rx_release(x, p, sizeof *p);
}

struct var *rx_var_make(struct rexx *x, struct pool *p, u32 id)
{
	struct var *v;

	if (id >= p->slots)
		more_slots(x, p, id + 1);
	v = p->slot[id];
	if (!v) {
		v = rx_allocate(x, sizeof *v);
		v->v = UNSET;
		v->stem = 0;
		v->level = p->level;
		p->slot[id] = v;
	}
	return v;
}

void rx_assign(struct rexx *x, u32 id, struct val v)
{
	struct var *var = rx_var_find(x->act->pool, id);
	struct val old;

	if (UNLIKELY(!var))
		var = rx_var_make(x, x->act->pool, id);
	old = var->v;
	var->v = v;
	drop(x, old);
}

void rx_set_simple(struct rexx *x, struct sym *sym, struct val v)
{
	rx_assign(x, sym->id, v);
}

/* ---- compound variables ---- */

/* A string that is a whole number as arithmetic writes it becomes that number: takes v over. */
static struct val as_key(struct rexx *x, struct val v)
{
	i32 n;

	if (v.s && rx_int(v, &n) && v.s->known == INT_CANONICAL) {
		drop(x, v);
		return INTEGER(n);
	}
	return v;
}

static bool same_key(struct val a, struct val b)
{
	if (!a.s || !b.s)
		return !a.s && !b.s && a.n == b.n;
	return a.s->length == b.s->length && memcmp(a.s->t, b.s->t, a.s->length) == 0;
}

static struct tail *find_tail(const struct stem *s, struct val key, u32 hash)
{
	if (!s || !s->buckets)
		return 0;
	for (struct tail *t = s->bucket[hash & (s->buckets - 1)]; t; t = t->next)
		if (t->hash == hash && same_key(t->key, key))
			return t;
	return 0;
}

static void rehash(struct rexx *x, struct stem *s)
{
	u32 many = s->buckets ? s->buckets * 2 : 8;
	struct tail **b = rx_allocate(x, many * sizeof *b);

	memset(b, 0, many * sizeof *b);
	for (u32 i = 0; i < s->buckets; i++)
		for (struct tail *t = s->bucket[i], *next; t; t = next) {
			next = t->next;
			t->next = b[t->hash & (many - 1)];
			b[t->hash & (many - 1)] = t;
		}
	rx_release(x, s->bucket, s->buckets * sizeof *s->bucket);
	s->bucket = b;
	s->buckets = many;
}

/* The node of a tail, made if need be; `key` is borrowed. */
static struct tail *make_tail(struct rexx *x, struct var *var, struct val key)
{
	u32 hash = hash_key(key);
	struct tail *t;

	if (!var->stem) {
		var->stem = rx_allocate(x, sizeof *var->stem);
		*var->stem = (struct stem){ 0 };
	}
	t = find_tail(var->stem, key, hash);
	if (t)
		return t;
	if (var->stem->count >= var->stem->buckets)
		rehash(x, var->stem);
	t = rx_allocate(x, sizeof *t);
	hold(key);
	*t = (struct tail){ .hash = hash, .key = key, .v = UNSET };
	t->next = var->stem->bucket[hash & (var->stem->buckets - 1)];
	var->stem->bucket[hash & (var->stem->buckets - 1)] = t;
	var->stem->count++;
	return t;
}

static struct tail *resolve(struct tail *t)
{
	while (t->alias)
		t = t->target;
	return t;
}

struct val rx_compound(struct rexx *x, u32 stem, struct val key)
{
	struct var *var = rx_var_find(x->act->pool, stem);
	struct tail *t;

	if (!var)
		return UNSET;
	t = find_tail(var->stem, key, hash_key(key));
	return t ? resolve(t)->v : var->v;
}

void rx_assign_compound(struct rexx *x, u32 stem, struct val key, struct val v)
{
	struct tail *t = resolve(make_tail(x, rx_var_make(x, x->act->pool, stem), key));
	struct val old = t->v;

	t->v = v;
	drop(x, old);
}

struct val rx_compound_name(struct rexx *x, u32 stem, struct val key)
{
	struct str *name = x->symbol[stem]->name, *s;
	char digits[12];
	u32 length = key.s ? key.s->length : rx_itoa(key.n, digits);

	s = rx_str(x, name->length + length);
	memcpy(s->t, name->t, name->length);
	memcpy(s->t + name->length, key.s ? key.s->t : digits, length);
	return STRING(s);
}

/* The derived tail (TRL, "Compound symbols"): the values of its simple symbols, with the periods between them. */
struct val rx_tail(struct rexx *x, struct unit *u, const u32 *code)
{
	u32 parts = *code++;
	struct pool *pool = x->act->pool;
	u32 length = 0;

	for (u32 i = 0; i < parts; i++) {
		u32 part = code[i];
		struct val v;
		char digits[12];
		const char *t;
		u32 n;

		if (part & 1) {
			v = u->constant[part >> 1];
		} else {
			struct var *var = rx_var_find(pool, part >> 1);

			v = var ? var->v : UNSET;
			if (is_unset(v))
				v = STRING(x->symbol[part >> 1]->name);
		}
		if (parts == 1) {
			hold(v);
			return as_key(x, v);
		}
		if (v.s) {
			t = v.s->t;
			n = v.s->length;
		} else {
			t = digits;
			n = rx_itoa(v.n, digits);
		}
		rx_scratch(x, length + n + 1);
		memcpy(x->scratch + length, t, n);
		length += n;
		if (i + 1 < parts)
			x->scratch[length++] = '.';
	}
	return as_key(x, rx_text(x, x->scratch, length));
}

/* ---- stems ---- */

static void stem_set(struct rexx *x, struct var *var, struct val v)
{
	struct stem *s = var->stem;
	struct val old = var->v;

	hold(v);
	var->v = v;
	drop(x, old);
	if (!s)
		return;
	for (u32 i = 0; i < s->buckets; i++) {
		struct tail **at = &s->bucket[i];

		while (*at) {
			struct tail *t = *at;

			if (t->alias || t->pinned) {
				struct tail *real = resolve(t);

				hold(v);
				drop(x, real->v);
				real->v = v;
				at = &t->next;
				continue;
			}
			*at = t->next;
			drop(x, t->key);
			drop(x, t->v);
			rx_release(x, t, sizeof *t);
			s->count--;
		}
	}
	if (s->count == 0)
		stem_clear(x, s);
}

void rx_assign_stem(struct rexx *x, u32 id, struct val v)
{
	struct var *var = rx_var_make(x, x->act->pool, id);

	stem_set(x, var, v);
	drop(x, v);
}

struct val rx_stem_value(struct rexx *x, u32 id)
{
	struct var *var = rx_var_find(x->act->pool, id);

	return var ? var->v : UNSET;
}

void rx_drop_stem(struct rexx *x, u32 id)
{
	struct var *var = rx_var_find(x->act->pool, id);

	if (var)
		stem_set(x, var, UNSET);
}

void rx_drop(struct rexx *x, u32 id)
{
	struct var *var = rx_var_find(x->act->pool, id);
	struct val old;

	if (!var)
		return;
	old = var->v;
	var->v = UNSET;
	drop(x, old);
}

/* The node stays, as a variable that is dropped even if its stem has a value. */
void rx_drop_compound(struct rexx *x, u32 stem, struct val key)
{
	struct var *var = rx_var_find(x->act->pool, stem);
	struct tail *t;
	struct val old;

	if (!var)
		return;
	t = is_unset(var->v) ? find_tail(var->stem, key, hash_key(key)) : make_tail(x, var, key);
	if (!t)
		return;
	t = resolve(t);
	old = t->v;
	t->v = UNSET;
	drop(x, old);
}

/* ---- PROCEDURE EXPOSE ---- */

void rx_expose(struct rexx *x, struct pool *from, struct pool *to, u32 id)
{
	struct var *var = rx_var_make(x, from, id);

	if (id >= to->slots)
		more_slots(x, to, id + 1);
	if (to->slot[id] && to->slot[id]->level == to->level) {
		/* A stem of which a compound variable had been exposed before. */
		struct var *own = to->slot[id];

		drop(x, own->v);
		if (own->stem) {
			stem_clear(x, own->stem);
			rx_release(x, own->stem, sizeof *own->stem);
		}
		rx_release(x, own, sizeof *own);
	}
	to->slot[id] = var;
}

void rx_expose_compound(struct rexx *x, struct pool *from, struct pool *to, u32 stem, struct val key)
{
	struct var *theirs = rx_var_make(x, from, stem);
	struct var *ours = rx_var_make(x, to, stem);
	bool there;
	struct tail *real, *t;

	if (ours == theirs)
		return;
	there = find_tail(theirs->stem, key, hash_key(key)) != 0;
	real = make_tail(x, theirs, key);
	if (!there) {
		hold(theirs->v);
		real->v = theirs->v;
	}
	real = resolve(real);
	real->pinned = 1;
	t = make_tail(x, ours, key);
	if (t == real || t->alias)
		return;
	drop(x, t->v);
	t->alias = 1;
	t->target = real;
}

/* ---- names in strings: VALUE, SYMBOL, EXECCOMM, DROP (list) ---- */

enum name_kind rx_name(struct rexx *x, const char *t, u32 length, bool symbolic, struct sym **sym, struct val *key)
{
	char *name;
	u32 dot = length;

	*key = EMPTY;
	if (length == 0 || length > 250)
		return NAME_BAD;
	/* A direct name's tail may be anything; its stem, and a whole symbolic name, are of characters of symbols. */
	for (u32 i = 0; i < length; i++) {
		if (t[i] == '.' && dot == length && i > 0)
			dot = i;
		if (!is_symbol(t[i]) && (symbolic || dot == length))
			return NAME_BAD;
		if (!symbolic && dot == length && (class_of(t[i]) & CHAR_LOWER))
			return NAME_BAD;
	}
	name = rx_scratch(x, length);
	for (u32 i = 0; i < length; i++)
		name[i] = symbolic ? upper(t[i]) : t[i];
	if (class_of(t[0]) & (CHAR_DIGIT | CHAR_DOT))
		return NAME_CONSTANT;
	if (dot == length) {
		*sym = rx_intern(x, name, length);
		return NAME_SIMPLE;
	}
	*sym = rx_intern(x, name, dot + 1);
	if (dot + 1 == length)
		return NAME_STEM;
	if (!symbolic) {
		*key = as_key(x, rx_text(x, name + dot + 1, length - dot - 1));
		return NAME_COMPOUND;
	}
	{
		struct val tail = EMPTY;
		char part[250];
		u32 at = dot + 1;

		memcpy(part, name, length);
		for (;;) {
			u32 end = at;
			struct var *var;
			struct sym *s;
			struct val v;

			while (end < length && part[end] != '.')
				end++;
			if (end == at || (class_of(part[at]) & CHAR_DIGIT)) {
				rx_append(x, &tail, part + at, end - at);
			} else {
				s = rx_find_symbol(x, part + at, end - at);
				var = s ? rx_var_find(x->act->pool, s->id) : 0;
				v = var ? var->v : UNSET;
				if (is_unset(v)) {
					rx_append(x, &tail, part + at, end - at);
				} else if (v.s) {
					rx_append(x, &tail, v.s->t, v.s->length);
				} else {
					char digits[12];

					rx_append(x, &tail, digits, rx_itoa(v.n, digits));
				}
			}
			if (end == length)
				break;
			rx_append(x, &tail, ".", 1);
			at = end + 1;
		}
		*key = as_key(x, tail);
	}
	return NAME_COMPOUND;
}
