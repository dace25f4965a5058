/*
 * Storage and strings.
 *
 * Blocks up to 512 bytes come from chunks, one free list for each multiple of 16 bytes; larger ones straight from the
 * host. Chunks go back when the exec ends, so what an error has left is never lost for longer than that.
 */
#include "charset.h"
#include "internal.h"

const struct str rx_empty = { .refs = REFS_STATIC, .known = INT_NO };
const struct str rx_unset = { .refs = REFS_STATIC, .known = INT_NO };
const struct str rx_omitted = { .refs = REFS_STATIC, .known = INT_NO };

#define FIRST_CHUNK 4096u
#define NEXT_CHUNK 16384u

/* Large blocks are on a list, so that those which an error has left are found when the exec ends. */
struct large {
	struct large *next, *previous;
	size_t size;
};
#define LARGE_HEADER ((sizeof(struct large) + 15) & ~(size_t)15)

static void *from_host(struct rexx *x, size_t size)
{
	void *p;

	if (x->host->storage && size > x->host->storage - x->in_use)
		RAISE(x, 5, 1);
	p = x->host->allocate(x->host->context, size);
	if (!p)
		RAISE(x, 5, 1);
	x->in_use += size;
	return p;
}

static void *small(struct rexx *x, u32 class)
{
	struct free_block *b = x->free[class];
	size_t size = (size_t)class * CLASS_UNIT;
	char *p;

	if (LIKELY(b != 0)) {
		x->free[class] = b->next;
		return b;
	}
	if (UNLIKELY((size_t)(x->fresh_end - x->fresh) < size)) {
		size_t take = x->chunk ? NEXT_CHUNK : FIRST_CHUNK;
		struct chunk *c = from_host(x, take);

		/* What is left of the old chunk becomes blocks of its size. */
		u32 rest = (u32)(x->fresh_end - x->fresh) / CLASS_UNIT;
		if (rest) {
			struct free_block *left = (struct free_block *)(void *)x->fresh;
			left->next = x->free[rest];
			x->free[rest] = left;
		}
		c->next = x->chunk;
		c->size = take;
		x->chunk = c;
		x->fresh = (char *)c + CLASS_UNIT;
		x->fresh_end = (char *)c + take;
	}
	p = x->fresh;
	x->fresh += size;
	return p;
}

void *rx_allocate(struct rexx *x, size_t size)
{
	if (LIKELY(SMALL(size)))
		return small(x, (u32)((size + CLASS_UNIT - 1) / CLASS_UNIT + (size == 0)));
	{
		struct large *l = from_host(x, size + LARGE_HEADER);

		l->size = size + LARGE_HEADER;
		l->previous = 0;
		l->next = x->large;
		if (l->next)
			l->next->previous = l;
		x->large = l;
		return (char *)l + LARGE_HEADER;
	}
}

static void release_large(struct rexx *x, struct large *l)
{
	size_t size = l->size;

	if (l->next)
		l->next->previous = l->previous;
	if (l->previous)
		l->previous->next = l->next;
	else
		x->large = l->next;
	x->in_use -= size;
	x->host->release(x->host->context, l, size);
}

/* At the end: whatever large is left. */
void rx_large_release(struct rexx *x)
{
	while (x->large)
		release_large(x, x->large);
}

void rx_release(struct rexx *x, void *p, size_t size)
{
	if (!p)
		return;
	if (LIKELY(SMALL(size))) {
		u32 class = (u32)((size + CLASS_UNIT - 1) / CLASS_UNIT + (size == 0));
		struct free_block *b = p;

		b->next = x->free[class];
		x->free[class] = b;
		return;
	}
	release_large(x, (struct large *)(void *)((char *)p - LARGE_HEADER));
}

/* Makes room for `want` elements, at least doubling; what is there is kept, the rest is zero. */
void *rx_grow(struct rexx *x, void *p, u32 *count, u32 want, size_t each)
{
	u32 more = *count < 8 ? 8 : *count * 2;
	void *q;

	if (want > 0x08000000u)
		RAISE(x, 5, 1);
	if (more < want)
		more = want;
	q = rx_allocate(x, more * each);
	if (p)
		memcpy(q, p, *count * each);
	memset((char *)q + *count * each, 0, (more - *count) * each);
	rx_release(x, p, *count * each);
	*count = more;
	return q;
}

/* One buffer for building text; valid until the next call. Its content is kept when it grows. */
char *rx_scratch(struct rexx *x, u32 length)
{
	if (UNLIKELY(length > x->scratch_size))
		x->scratch = rx_grow(x, x->scratch, &x->scratch_size, length, 1);
	return x->scratch;
}

/* One that needs more than a free block of its size. */
struct str *rx_new_str(struct rexx *x, u32 length)
{
	size_t size = offsetof(struct str, t) + (size_t)length;
	struct str *s;

	if (UNLIKELY(length > 0x3FFFFFFFu))
		RAISE(x, 5, 1);
	size = (size + CLASS_UNIT - 1) & ~(size_t)(CLASS_UNIT - 1);
	s = rx_allocate(x, size);
	s->size = (u32)size;
	return s;
}

void rx_str_free(struct rexx *x, struct str *s)
{
	struct free_block *b = (struct free_block *)(void *)s;
	u32 size = s->size;

	if (LIKELY(SMALL(size))) {
		b->next = x->free[size / CLASS_UNIT];
		x->free[size / CLASS_UNIT] = b;
	} else {
		rx_release(x, s, size);
	}
}

struct val rx_text(struct rexx *x, const char *t, u32 length)
{
	struct str *s;

	if (length == 0)
		return EMPTY;
	s = rx_str(x, length);
	copy_text(s->t, t, length);
	return STRING(s);
}

u32 rx_zlength(const char *z)
{
	u32 n = 0;

	while (z[n])
		n++;
	return n;
}

struct val rx_zstring(struct rexx *x, const char *z)
{
	return rx_text(x, z, rx_zlength(z));
}

/* Writes n in decimal; 12 characters are enough. */
/* How many characters rx_itoa makes. */
u32 rx_itoa_length(i32 n)
{
	u32 v = n < 0 ? 0u - (u32)n : (u32)n, length = n < 0 ? 2 : 1;

	for (u64 power = 10; v >= power; power *= 10)
		length++;
	return length;
}

u32 rx_itoa(i32 n, char *to)
{
	u32 v = n < 0 ? 0u - (u32)n : (u32)n, length = rx_itoa_length(n), at = length;

	do {
		to[--at] = (char)('0' + (int)(v % 10));
		v /= 10;
	} while (v);
	if (n < 0)
		to[0] = '-';
	return length;
}

struct str *rx_stringify(struct rexx *x, struct val *v)
{
	char t[12];
	u32 length = rx_itoa(v->n, t);
	struct str *s = rx_str(x, length);

	memcpy(s->t, t, length);
	s->known = INT_CANONICAL;
	s->n = v->n;
	v->s = s;
	return s;
}

void rx_append(struct rexx *x, struct val *v, const char *t, u32 length)
{
	struct str *s = text_of(x, v);
	u32 had = s->length;

	if (length == 0)
		return;
	if (s->refs != 1 || (size_t)s->size - offsetof(struct str, t) < (size_t)had + length) {
		/* Half as much again, so that a string that is built piece by piece is copied seldom. */
		u32 room = had + length;
		struct str *bigger;

		if (room < had || room > 0x3FFFFFFFu)
			RAISE(x, 5, 1);
		bigger = rx_str(x, room + (had > 64 ? room / 2 : 0));
		memcpy(bigger->t, s->t, had);
		/* t may lie in s. */
		memcpy(bigger->t + had, t, length);
		bigger->length = room;
		drop(x, *v);
		v->s = bigger;
		return;
	}
	memmove(s->t + had, t, length);
	s->length = had + length;
	s->known = INT_UNKNOWN;
}

/* The upper case of v: a new reference. */
struct val rx_upper(struct rexx *x, struct val v)
{
	struct str *s = v.s, *u;
	u32 i = 0;

	if (!s)
		return v;
	while (i < s->length && !rx_folded[(unsigned char)s->t[i]])
		i++;
	if (i == s->length) {
		hold(v);
		return v;
	}
	u = rx_str(x, s->length);
	memcpy(u->t, s->t, i);
	for (; i < s->length; i++)
		u->t[i] = upper(s->t[i]);
	return STRING(u);
}
