/*
 * The language processor as a program of this host, for tests, fuzzing and timing.
 *
 *	rexx [-c N] [-m BYTES] [-s SECONDS] [-t] FILE [ARGUMENT]	runs an exec
 *	rexx -b [-m BYTES] [-t]						runs programs from standard input, each a line
 *									with its length and then that many bytes; a line
 *									of X'01' and "rc N" ends what each prints
 *	rexx -f [-m BYTES]						the same, but what they print isn't shown and ten
 *									milliseconds are enough: for fuzzing
 *
 * -c makes the Nth allocation fail and all after it; with -f each program gets one more than the one before.
 *
 * Commands: `rc N` gives that return code, `var NAME VALUE`, `get NAME`, `drop NAME`, `dump` go through the variable
 * interface, `halt` is the immediate command HI, `makebuf` and the like are not here; all else is unknown (-3).
 * External routines are files NAME.rex beside the program. -t: the clock stands at a fixed time. -s ends an exec by HI.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "rexx.h"

struct line {
	struct line *next;
	uint32_t length;
	char text[];
};

struct state {
	struct line *stack;
	uint32_t queued;
	long stacked;		/* bytes */
	size_t in_use, most;	/* storage, and the most there may be */
	const char *folder;
	bool fixed_clock;
	bool quiet;		/* -f: output only counts */
	unsigned long fail_at, allocations;	/* -c: this allocation fails */
	unsigned long lines;
	FILE *in;
};

static volatile uint32_t attention;

static void *allocate(void *context, size_t size)
{
	struct state *s = context;

	if (s->fail_at && ++s->allocations >= s->fail_at)
		return 0;
	if (size > s->most - s->in_use)
		return 0;
	s->in_use += size;
	return malloc(size);
}

static void release(void *context, void *storage, size_t size)
{
	struct state *s = context;

	s->in_use -= size;
	free(storage);
}

static void say(void *context, enum rexx_line kind, const char *text, uint32_t length)
{
	struct state *s = context;

	(void)kind;
	if (s->quiet) {
		/* A program that says too much is halted. */
		if (++s->lines > 2000)
			attention |= REXX_HALT;
		return;
	}
	fwrite(text, 1, length, stdout);
	putchar('\n');
}

static bool read_line(void *context, struct rexx *rexx)
{
	struct state *s = context;
	char *line = 0;
	size_t size = 0;
	ssize_t n = s->in ? getline(&line, &size, s->in) : -1;

	if (n < 0) {
		free(line);
		return false;
	}
	if (n > 0 && line[n - 1] == '\n')
		n--;
	rexx_reply(rexx, line, (uint32_t)n);
	free(line);
	return true;
}

static bool stack(struct state *s, const char *text, uint32_t length, bool last)
{
	struct line *l, **at = &s->stack;

	if (s->stacked + (long)length > 8 << 20)
		return false;
	l = malloc(sizeof *l + length);
	if (!l)
		return false;
	memcpy(l->text, text, length);
	l->length = length;
	while (last && *at)
		at = &(*at)->next;
	l->next = *at;
	*at = l;
	s->queued++;
	s->stacked += length + 64;
	return true;
}

static bool push(void *context, const char *text, uint32_t length)
{
	return stack(context, text, length, false);
}

static bool queue(void *context, const char *text, uint32_t length)
{
	return stack(context, text, length, true);
}

static bool pull(void *context, struct rexx *rexx)
{
	struct state *s = context;
	struct line *l = s->stack;

	if (!l)
		return false;
	s->stack = l->next;
	s->queued--;
	s->stacked -= l->length + 64;
	rexx_reply(rexx, l->text, l->length);
	free(l);
	return true;
}

static uint32_t queued(void *context)
{
	struct state *s = context;

	return s->queued;
}

/* ---- commands ---- */

static bool word(const struct rexx_text *command, uint32_t *at, struct rexx_text *out)
{
	uint32_t i = *at, from;

	while (i < command->length && command->text[i] == ' ')
		i++;
	from = i;
	while (i < command->length && command->text[i] != ' ')
		i++;
	*out = (struct rexx_text){ command->text + from, i - from };
	*at = i;
	return i > from;
}

static bool is(const struct rexx_text *t, const char *z)
{
	return t->length == strlen(z) && strncasecmp(t->text, z, t->length) == 0;
}

static int32_t number(const struct rexx_text *t)
{
	char text[16] = { 0 };

	memcpy(text, t->text, t->length < 15 ? t->length : 15);
	return (int32_t)strtol(text, 0, 10);
}

static int32_t command(void *context, struct rexx *rexx, const struct rexx_text *environment,
		       const struct rexx_text *text)
{
	struct state *s = context;
	struct rexx_text verb, name, value;
	uint32_t at = 0, flags;

	(void)environment;
	if (!word(text, &at, &verb))
		return 0;
	if (is(&verb, "RC"))
		return word(text, &at, &name) ? number(&name) : 0;
	if (is(&verb, "HALT")) {
		attention |= REXX_HALT;
		return 0;
	}
	if (is(&verb, "TS")) {
		attention |= REXX_TRACE_START;
		return 0;
	}
	if (is(&verb, "TE")) {
		attention |= REXX_TRACE_END;
		return 0;
	}
	if (is(&verb, "DUMP")) {
		uint32_t count = 0;

		while (!(rexx_next(rexx, &name, &value) & REXX_VAR_LAST) && count < 1000) {
			count++;
			if (!s->quiet)
				printf("%.*s=%.*s\n", (int)name.length, name.text, (int)value.length, value.text);
		}
		return (int32_t)count;
	}
	if (!word(text, &at, &name))
		return -3;
	if (at < text->length)
		at++;
	value = (struct rexx_text){ text->text + at, text->length - at };
	if (is(&verb, "VAR"))
		return (int32_t)rexx_set(rexx, REXX_SYMBOLIC, &name, &value);
	if (is(&verb, "DVAR"))
		return (int32_t)rexx_set(rexx, REXX_DIRECT, &name, &value);
	if (is(&verb, "DROP"))
		return (int32_t)rexx_drop(rexx, REXX_SYMBOLIC, &name);
	if (is(&verb, "GET") || is(&verb, "DGET") || is(&verb, "PRIVATE")) {
		flags = is(&verb, "PRIVATE") ? rexx_private(rexx, &name, &value) :
			rexx_fetch(rexx, is(&verb, "GET") ? REXX_SYMBOLIC : REXX_DIRECT, &name, &value);
		if (!s->quiet && flags < REXX_VAR_BAD_NAME)
			printf("%.*s\n", (int)value.length, value.text);
		return (int32_t)flags;
	}
	return -3;
}

/* ---- programs ---- */

struct file {
	char *text;
	struct rexx_text *lines;
};

static void split(struct file *f, size_t length, struct rexx_program *program)
{
	uint32_t count = 0;
	size_t from = 0;

	for (size_t i = 0; i < length; i++)
		count += f->text[i] == '\n';
	f->lines = malloc(((size_t)count + 1) * sizeof *f->lines);
	count = 0;
	for (size_t i = 0; i <= length; i++) {
		if (i < length && f->text[i] != '\n')
			continue;
		if (i < length || i > from)
			f->lines[count++] = (struct rexx_text){ f->text + from, (uint32_t)(i - from) };
		from = i + 1;
	}
	program->lines = f->lines;
	program->count = count;
	program->private = f;
}

static bool read_file(const char *path, struct rexx_program *program)
{
	FILE *in = fopen(path, "rb");
	struct file *f;
	size_t length = 0, size = 4096, n;

	if (!in)
		return false;
	f = calloc(1, sizeof *f);
	f->text = malloc(size);
	while ((n = fread(f->text + length, 1, size - length, in)) > 0) {
		length += n;
		if (length == size)
			f->text = realloc(f->text, size *= 2);
	}
	fclose(in);
	split(f, length, program);
	return true;
}

static void free_program(struct rexx_program *program)
{
	struct file *f = program->private;

	free(f->text);
	free(f->lines);
	free(f);
}

static struct rexx_text constant(const char *z)
{
	return (struct rexx_text){ z, (uint32_t)strlen(z) };
}

static bool load(void *context, const struct rexx_text *name, const struct rexx_program *caller,
		 struct rexx_program *program)
{
	struct state *s = context;
	char path[600], lower[260];
	uint32_t n = name->length;

	if (n > 255 || !s->folder)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		char c = name->text[i];

		if (c == '/' || c == 0)
			return false;
		lower[i] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
	}
	snprintf(path, sizeof path, "%s/%.*s.rex", s->folder, (int)n, lower);
	*program = *caller;
	if (!read_file(path, program))
		return false;
	program->name = *name;
	return true;
}

static void unload(void *context, struct rexx_program *program)
{
	(void)context;
	free_program(program);
}

static void clock_now(void *context, struct rexx_time *now)
{
	struct state *s = context;
	struct timeval tv;
	struct tm tm;

	if (s->fixed_clock) {
		*now = (struct rexx_time){ 1992, 5, 3, 14, 7, 9, 123456 };
		return;
	}
	gettimeofday(&tv, 0);
	localtime_r(&tv.tv_sec, &tm);
	*now = (struct rexx_time){ tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
				   (int32_t)tv.tv_usec };
}

static uint32_t attend(void *context)
{
	uint32_t bits = attention;

	(void)context;
	attention = 0;
	return bits;
}

/* ---- functions beside the built-in ones ---- */

static enum rexx_outcome userid(void *context, struct rexx *rexx, const struct rexx_arguments *arguments)
{
	(void)context;
	(void)arguments;
	return rexx_reply(rexx, "HOST", 4) ? REXX_DONE : REXX_NO_STORAGE;
}

static const struct rexx_function functions[] = {
	{ "USERID", 0, 0, userid },
};

static void on_alarm(int signal)
{
	(void)signal;
	attention |= REXX_HALT;
}

/* ---- running ---- */

static int32_t run(struct state *s, struct rexx_program *program, const char *argument)
{
	struct rexx_host host = {
		.context = s, .allocate = allocate, .release = release, .say = say, .read = read_line, .push = push,
		.queue = queue, .pull = pull, .queued = queued, .command = command, .load = load, .unload = unload,
		.clock = clock_now, .attention = &attention, .attend = attend, .functions = functions,
		.function_count = sizeof functions / sizeof *functions, .plain_messages = true,
	};
	struct rexx_text text;
	struct rexx_start start = { .type = REXX_COMMAND };
	struct rexx_result result;
	int32_t rc;

	if (argument) {
		text = constant(argument);
		start.arguments = (struct rexx_arguments){ &text, 1 };
	}
	program->type = constant("EXEC");
	program->mode = constant("A1");
	program->synonym = constant("test");
	program->environment = constant("CMS");
	rc = rexx_run(&host, program, &start, &result);
	if (result.text)
		release(s, result.text, result.size);
	return rc;
}

/* Programs one after the other from standard input, so that a fuzzer needn't start a process for each. */
static int serve(struct state *s, bool quiet)
{
	unsigned length;

	s->quiet = quiet;
	s->in = 0;
	while (scanf("%u", &length) == 1 && getchar() == '\n') {
		struct rexx_program program = { 0 };
		struct file f = { 0 };
		struct line *l;

		f.text = malloc((size_t)length + 1);
		if (fread(f.text, 1, length, stdin) != length)
			return 1;
		split(&f, length, &program);
		program.name = constant("PROGRAM");
		s->lines = 0;
		s->allocations = 0;
		attention = 0;
		if (quiet)
			ualarm(10000, 10000);
		else
			alarm(20);
		printf("\1rc %d\n", run(s, &program, 0));
		alarm(0);
		fflush(stdout);
		if (s->in_use) {
			fprintf(stderr, "%zu bytes were not given back\n", s->in_use);
			return 1;
		}
		while ((l = s->stack) != 0) {
			s->stack = l->next;
			free(l);
		}
		s->queued = 0;
		s->stacked = 0;
		/* -c: the next program gets one allocation more. */
		s->fail_at += s->fail_at != 0;
		free(f.text);
		free(f.lines);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct state s = { .most = (size_t)1 << 30, .in = stdin };
	struct rexx_program program = { 0 };
	char folder[512] = ".", *slash;
	int option, server = 0;
	int32_t rc;

	signal(SIGALRM, on_alarm);
	while ((option = getopt(argc, argv, "c:m:s:tfb")) != -1) {
		if (option == 'c')
			s.fail_at = strtoul(optarg, 0, 10);
		else if (option == 'm')
			s.most = strtoul(optarg, 0, 10);
		else if (option == 's')
			alarm((unsigned)atoi(optarg));
		else if (option == 't')
			s.fixed_clock = true;
		else if (option == 'f' || option == 'b')
			server = option;
		else
			return 2;
	}
	if (server)
		return serve(&s, server == 'f');
	if (optind >= argc || !read_file(argv[optind], &program)) {
		fprintf(stderr, "rexx: no program\n");
		return 2;
	}
	snprintf(folder, sizeof folder, "%s", argv[optind]);
	slash = strrchr(folder, '/');
	if (slash)
		*slash = 0;
	s.folder = slash ? folder : ".";
	program.name = constant("PROGRAM");
	rc = run(&s, &program, optind + 1 < argc ? argv[optind + 1] : 0);
	free_program(&program);
	fflush(stdout);
	if (s.in_use)
		fprintf(stderr, "rexx: %zu bytes were not given back\n", s.in_use);
	return rc >= 20000 ? rc - 20000 : rc & 0xFF;
}
