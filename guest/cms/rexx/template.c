/*
 * PARSE at work: patterns bound what a group of variables is given, words divide it (TRL, section 5 "Parsing").
 */
#include "charset.h"
#include "code.h"
#include "internal.h"

void rx_parse_end(struct rexx *x)
{
	struct val old = x->parse.subject;

	x->parse.subject = EMPTY;
	drop(x, old);
}

/* Takes the subject over. */
void rx_parse_start(struct rexx *x, struct val subject, bool upper)
{
	struct parse *p = &x->parse;
	struct str *s;

	rx_parse_end(x);
	if (upper) {
		struct val folded = rx_upper(x, subject);

		drop(x, subject);
		subject = folded;
	}
	s = text_of(x, &subject);
	*p = (struct parse){ .subject = subject, .t = s->t, .length = s->length, .upper = upper };
}

void rx_parse_argument(struct rexx *x, u32 i, bool upper)
{
	struct act *act = x->act;
	struct val v = i < act->arguments && !is_omitted(act->argument[i]) ? act->argument[i] : EMPTY;

	hold(v);
	rx_parse_start(x, v, upper);
	x->parse.arg = true;
	x->parse.argument = i;
}

/* The next pattern: from here to there is what the variables before it get. */
void rx_parse_position(struct rexx *x, u32 op, struct val *v)
{
	struct parse *p = &x->parse;
	i32 n, at;

	if (op == OP_PATTERN_END) {
		p->from = p->next;
		p->to = p->length;
		p->match = p->next = p->length;
		return;
	}
	if (op == OP_PATTERN_STRING) {
		struct str *s = text_of(x, v);
		u32 found = p->next;

		p->from = p->next;
		while (s->length && found + s->length <= p->length && memcmp(p->t + found, s->t, s->length) != 0)
			found++;
		if (!s->length || found + s->length > p->length) {
			p->to = p->match = p->next = p->length;
			return;
		}
		p->to = found;
		p->match = found;
		p->next = found + s->length;
		return;
	}
	if (!rx_whole(x, v, &n) || (n < 0 && op == OP_PATTERN_AT))
		rx_raise_v(x, 26, 4, v);
	if (op == OP_PATTERN_AT)
		at = n - 1;
	else
		at = (i32)p->match + (op == OP_PATTERN_PLUS ? n : -n);
	if (at < 0)
		at = 0;
	if (at > (i32)p->length)
		at = (i32)p->length;
	/* Forward: up to there, from where the last pattern matched. Not forward: all the rest. */
	p->from = op == OP_PATTERN_AT ? p->next : p->match;
	if ((u32)at > p->match) {
		p->from = p->match;
		p->to = (u32)at;
	} else {
		p->from = p->next;
		p->to = p->length;
	}
	p->match = p->next = (u32)at;
}

/* What the next variable gets: a word, or (the last) all that is left. */
struct val rx_parse_word(struct rexx *x, bool last)
{
	struct parse *p = &x->parse;
	u32 from = p->from, end;

	if (last) {
		p->from = p->to;
		if (from == 0 && p->to == p->length) {
			hold(p->subject);
			return p->subject;
		}
		return from < p->to ? rx_text(x, p->t + from, p->to - from) : EMPTY;
	}
	while (from < p->to && is_blank(p->t[from]))
		from++;
	end = from;
	while (end < p->to && !is_blank(p->t[end]))
		end++;
	/* One blank after the word goes with it. */
	p->from = end < p->to ? end + 1 : end;
	return end > from ? rx_text(x, p->t + from, end - from) : EMPTY;
}
