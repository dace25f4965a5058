/*
 * Pipelines on this host, without CMS: for tests and fuzzing.
 *
 *	pipe				runs the pipelines of standard input, one a line, and types what they type, then a line "rc n"
 *	pipe -f SEED COUNT [-v]		runs that many random pipelines, some of them short of storage; what each has obtained it
 * must give back
 *
 * The rest of the program is compiled with EBCDIC literals, as CMS is; this file is not, and translates.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#include "internal.h"

enum { LARGEST = 64 << 20, SWITCHES = 60, LINES = 2000 };

static size_t in_use;
static u32 obtained, fail_at, looked, typed;
static bool quiet;

extern const u8 to_ebcdic[128];
static char to_ascii[256];

struct pipe *innermost_pipe;
struct stage_index stage_index[STAGE_TABLES];

const struct stage_kind drivers[] = { { "", 0, NULL, ANYWHERE, NULL, NULL, SMALL_STACK } };
const u32 driver_count = 0;

/* ---- what pipelines want of the world ---- */

struct context { ucontext_t registers; };
struct head { size_t size, check; };

void *system_obtain(size_t size)
{
	struct head *head;

	if ((fail_at != 0 && ++obtained >= fail_at) || size > LARGEST - in_use)
		return NULL;
	head = malloc(sizeof *head + size);
	if (head == NULL)
		return NULL;
	memset(head + 1, 0xa5, size);
	*head = (struct head){ size, size ^ 0x5a5a };
	in_use += size;
	return head + 1;
}

void system_release(void *storage)
{
	struct head *head;

	if (storage == NULL)
		return;
	head = (struct head *)storage - 1;
	if (head->check != (head->size ^ 0x5a5a))
		abort();
	in_use -= head->size;
	free(head);
}

/* A sanitizer sees each block by itself. */
bool system_pools(void) { return false; }

int system_guarded(int (*work)(const void *with), const void *with) { return work(with); }

static void line(const char *text, u32 length)
{
	typed++;
	for (u32 n = 0; !quiet && n < length; n++)
		putchar(to_ascii[(u8)text[n]]);
	if (!quiet)
		putchar('\n');
}

void system_type(const char *text, u32 length) { line(text, length); }
void system_message(const char *text, u32 length) { line(text, length); }
u32 system_read(char text[256]) { (void)text; return 0; }
bool system_typed(char text[256], u32 *length) { (void)text; (void)length; return false; }
u32 system_stack(enum stack_need need) { return need == LARGE_STACK ? 0x40000 : 0x20000; }
void system_wait(uint64_t until) { (void)until; }
u32 system_waits(void) { return 0; }
bool system_halted(void) { return ++looked > SWITCHES || typed > LINES; }
/* It is always the same moment. */
void system_clock(u8 clock[8]);
void system_now(char stamp[17]);
void system_clock(u8 clock[8]) { memcpy(clock, "\xa5\x12\x34\x56\x78\x9a\xbc\xde", 8); }
void system_now(char stamp[17]) { memset(stamp, 0xf1, 16); stamp[16] = 0; }

void system_overrun(struct stage *s) { (void)s; abort(); }
const struct rexx_stage *rexx_find(struct stage *s, struct text verb) { (void)s; (void)verb; return NULL; }
int rexx_perform(struct stage *s, struct text arguments) { (void)s; (void)arguments; return 0; }

struct context *context_begin(void *stack, u32 size, void (*perform)(void))
{
	struct context *context = (void *)(((uintptr_t)stack + 63) & ~(uintptr_t)63);
	char *low = (char *)(context + 1);

	getcontext(&context->registers);
	context->registers.uc_stack.ss_sp = low;
	context->registers.uc_stack.ss_size = (size_t)((char *)stack + size - low);
	context->registers.uc_link = NULL;
	makecontext(&context->registers, perform, 0);
	return context;
}

u32 context_size(void) { return sizeof(struct context); }
void context_switch(struct context *from, struct context *to) { swapcontext(&from->registers, &to->registers); }

/* ---- pipelines ---- */

static int run(char *text)
{
	u32 length = (u32)strlen(text);
	char *ebcdic = malloc(length + 1);
	int code;

	for (u32 n = 0; n < length; n++)
		ebcdic[n] = (char)to_ebcdic[text[n] & 0x7f];
	looked = typed = obtained = 0;
	code = pipe_run(ebcdic, length, NULL);
	free(ebcdic);
	if (in_use != 0) {
		fprintf(stderr, "%zu bytes were not given back: %s\n", in_use, text);
		exit(1);
	}
	return code;
}

/* ---- random ones ---- */

static uint64_t seed;

static u32 chance(u32 below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (u32)((seed >> 11) % below);
}

struct made { char text[4000]; u32 length; };

static void add(struct made *made, const char *text)
{
	u32 length = (u32)strlen(text);

	if (made->length + length < sizeof made->text)
		memcpy(made->text + made->length, text, length + 1), made->length += length;
}

static const char *one_of(const char *const *list, u32 count) { return list[chance(count)]; }
#define ONE_OF(list) one_of(list, COUNT_OF(list))

/* A word of the stage's own syntax, or something that many stages take. */
static void argument(struct made *made, const struct stage_kind *kind)
{
	static const char *const usual[] = {
		"1", "2", "3", "0", "-1", "10", "80", "1-3", "2-*", "3.2", "-2", "-3--1", "*", "*-*", "w1", "w2-3", "words 2",
			"fields 1-2", "fs ,", "ws b",
		"(1-2 4)", "/a/", "/b c/", ",b,", "//", "/abc", "x81", "xf1f2", "b11000001", "blank", "40", "a", "next", "nextword",
			"n.3", "c2x", "recno",
		"count", "2147483647", "999999999", "to", "left", "right", "/x/ 1", "1 /y/", "a-z b-y", "upper", "literal k",
			"count lines", "split", "1;2", ".", "not",
	};
	char word[24];
	const char *at;
	u32 n = 0;

	if (kind->syntax == NULL || chance(3) != 0) {
		add(made, ONE_OF(usual));
		return;
	}
	at = kind->syntax + chance((u32)strlen(kind->syntax));
	while (at > kind->syntax && at[-1] != 0x40)
		at--;
	while (*at != 0 && *at != 0x40 && n < sizeof word - 1) {
		char c = to_ascii[(u8)*at++];

		if (c != '[' && c != ']' && c != '|' && c != '.')
			word[n++] = c;
	}
	word[n] = 0;
	add(made, word);
}

static void stage(struct made *made)
{
	static const char *const right[] = {
		"update 1-4", "split", "split at /a/", "locate /a/", "nlocate 1-2 /b/", "find a",
		"dateconvert pipe iso", "specs 1-* 1", "specs w1 1.4 right /,/ n w2 n",
			"count lines", "count words chars",
		"sort", "sort count 1.2", "sort unique desc", "fanout", "fanin", "faninany", "take 2", "take last 1", "drop 1",
			"drop last", "change /a/bb/",
		"change 1-2 /b//", "xlate upper", "xlate 1-2 a-c x-z", "strip", "strip trailing", "chop 2", "pad 6 .", "reverse",
			"duplicate 2", "dup *", "join 1 /-/", "join *",
		"unique", "unique count last", "buffer", "copy", "elastic", "hole", "between /a/ /b/", "inside /a/ 2", "frlabel b",
			"tolabel b", "append literal z",
		"preface literal y", "casei locate /A/", "not locate /a/", "zone 2-3 locate /b/", "lookup 1-1", "deal", "gather",
			"snake 2", "overlay", "block 7",
		"deblock 3", "fblock 4", "pick 1-1 == /a/", "juxtapose", "collate 1-1", "merge", "gate", "predselect", "synchronise",
			"untab 1 9", "vchar 8 4", "tokenize /,/",
		"strliteral append /q/", "console", "insert /z/ after w1", "space", "space 2 .", "substr pad . 2-3", "substr 1 of w2",
			"if locate /a/",
	};

	if (chance(3) != 0) {
		add(made, ONE_OF(right));
		return;
	}
	const struct stage_kind *kind = &stages[chance(stage_count)];
	char name[24];
	u32 n = 0;

	for (; kind->name[n] != 0 && n < sizeof name - 1; n++)
		name[n] = to_ascii[(u8)kind->name[n]];
	name[n] = 0;
	add(made, name);
	for (u32 count = chance(4); count > 0; count--) {
		add(made, " ");
		argument(made, kind);
	}
}

static void pipeline(struct made *made)
{
	static const char *const labels[] = { "a:", "b:", "c:", "a.x:" };
	static const char *const inputs[] = {
		"literal a b c d e f|split", "literal one, two, three|split ,", "literal abcabc", "literal",
			"literal b a c a b|split|literal x y", "strliteral /1 2 3 10 20/|split",
	};
	u32 pipelines = 1 + chance(3);

	add(made, chance(8) == 0 ? "(end ? listrc)" : "(end ?)");
	for (u32 p = 0; p < pipelines; p++) {
		add(made, p > 0 ? "?" : "");
		add(made, p > 0 && chance(2) ? ONE_OF(labels) : ONE_OF(inputs));
		for (u32 count = 1 + chance(4); count > 0; count--) {
			add(made, "|");
			if (chance(12) == 0) {
				add(made, ONE_OF(labels));
				continue;
			}
			if (chance(3) == 0)
				add(made, ONE_OF(labels));
			stage(made);
		}
		add(made, chance(2) ? "|console" : "");
	}
}

static int random_ones(uint64_t from, u32 count, bool verbose)
{
	u32 good = 0;

	for (u32 n = 0; n < count; n++) {
		struct made made = { .length = 0 };

		seed = (from + n) * 0x9e3779b97f4a7c15u | 1;
		pipeline(&made);
		fail_at = chance(4) == 0 ? 1 + chance(80) : 0;
		if (verbose)
			fprintf(stderr, "%u: fail %u: %s\n", n, fail_at, made.text);
		quiet = !verbose;
		good += run(made.text) == 0;
	}
	printf("%u pipelines, %u with return code 0\n", count, good);
	return 0;
}

int main(int count, char **words)
{
	char text[8192];

	memset(to_ascii, '.', sizeof to_ascii);
	for (u32 n = 32; n < 127; n++)
		to_ascii[to_ebcdic[n]] = (char)n;
	if (count >= 4 && strcmp(words[1], "-f") == 0)
		return random_ones(strtoull(words[2], NULL, 10), (u32)strtoul(words[3], NULL, 10), count > 4);
	while (fgets(text, sizeof text, stdin) != NULL) {
		text[strcspn(text, "\n")] = 0;
		printf("rc %d\n", run(text));
		fflush(stdout);
	}
	return 0;
}
