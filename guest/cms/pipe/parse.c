/*
 * The PIPE command's argument: options, pipelines, stages, labels.
 *
 * The text is cut at separators and end characters, of which a doubled one (or one after the escape character) stands
 * for itself. Each piece is a connector (*:), a reference to a label, or a stage. A label's first appearance names a
 * stage, which has stream 0 then; each further one is another stream of it: what is to the left is the stream's input,
 * what is to the right its output.
 */
#include "internal.h"

enum { LABELS = 64 };

struct label { char name[8]; struct stage *stage; };

struct parser {
    struct set *set;
    struct stage *from;                 /* the stage that says CALLPIPE or ADDPIPE */
    struct text rest;
    char separator, end, escape;
    bool has_end, has_escape;
    u32 listing;
    u32 pipeline, number;
    struct text piece;
    struct label *labels;               /* NULL: none was written */
    u32 label_count;
};

/* One side of what stands between separators. A connector has a stage that is `from`. */
struct joint { struct stage *stage; u32 stream; bool connector, input, none; };

static int wrong(struct parser *p, u32 number, ...)
{
    struct stage where = { .set = p->set, .number = p->number, .pipeline = p->pipeline, .message_level =
        p->set->message_level & ~4u };
    va_list list;

    va_start(list, number);
    pipe_say_list("SCA", number, 'E', list);
    va_end(list);
    where.text = p->piece;
    if (p->number > 0)
        say_where(&where);
    return (int)number;
}

/* ---- options, of all or of one stage ---- */

struct listing { const char *word; u32 least, set, clear; };
static const struct listing listings[] = {
    { "LISTCMD", 7, LIST_COMMANDS, 0 }, { "NOLISTCMD", 9, 0, LIST_COMMANDS }, { "LISTERR", 7, LIST_ERRORS, 0 },
    { "NOLISTERR", 9, 0, LIST_ERRORS },
    { "LISTRC", 6, LIST_CODES, 0 }, { "NOLISTRC", 8, 0, LIST_CODES }, { "TRACE", 5, TRACE_CALLS, 0 },
    { "NOTRACE", 7, 0, TRACE_CALLS },
};

static bool character(struct text word, char *c)
{
    u32 value;

    if (word.length == 2 && parse_hex(word.at, 2, &value)) {
        *c = (char)value;
        return true;
    }
    *c = word.length > 0 ? *word.at : 0;
    return word.length == 1;
}

/* An option whose value is a character; false: the word is none of them. */
static bool special(struct parser *p, struct text word, struct text *options, int *error)
{
    char *to = NULL;
    struct text value;

    if (is_word(word, "STAGESEP", 5) || is_word(word, "SEPARATOR", 3))
        to = &p->separator;
    else if (is_word(word, "ENDCHAR", 3))
        to = &p->end, p->has_end = true;
    else if (is_word(word, "ESCAPE", 3))
        to = &p->escape, p->has_escape = true;
    if (to == NULL)
        return false;
    if (!next_word(options, &value))
        *error = wrong(p, 15, word.at, word.length);
    else if (!character(value, to))
        *error = wrong(p, 50, value.at, value.length);
    return true;
}

static int options(struct parser *p, struct text options, bool all, u32 *listing, u32 *message_level)
{
    struct text word, value;
    int error = 0;
    u32 n;
    i32 level;

    while (error == 0 && next_word(&options, &word)) {
        for (n = 0; n < COUNT_OF(listings) && !is_word(word, listings[n].word, listings[n].least); n++)
            ;
        if (n < COUNT_OF(listings)) {
            *listing = (*listing & ~listings[n].clear) | listings[n].set;
        } else if (is_word(word, "NOMSGLEVEL", 8)) {
            *message_level = 0;
        } else if (is_word(word, "MSGLEVEL", 6)) {
            if (!next_word(&options, &value))
                error = wrong(p, 15, word.at, word.length);
            else if (!is_integer(value, &level) || level < 0)
                error = wrong(p, 58, value.at, value.length);
            else
                *message_level = (u32)level;
        } else if (all && is_word(word, "NAME", 4)) {
            if (!next_word(&options, &value)) {
                error = wrong(p, 15, word.at, word.length);
            } else {
                memset(p->set->name, 0, sizeof p->set->name);
                memcpy(p->set->name, value.at, value.length < 8 ? value.length : 8);
            }
        } else if (!all || !special(p, word, &options, &error)) {
            error = wrong(p, 14, word.at, word.length);
        }
    }
    return error;
}

/* What is between parentheses at the front of the text. */
static int parenthesis(struct parser *p, struct text *text, struct text *inside)
{
    const char *end = memchr(text->at, ')', text->length);

    if (end == NULL)
        return wrong(p, 17);
    *inside = (struct text){ text->at + 1, (u32)(end - text->at) - 1 };
    text->length -= inside->length + 2;
    text->at = end + 1;
    return 0;
}

/* ---- pieces ---- */

/* How many characters there are before one that means something. */
static u32 ordinary(const struct parser *p)
{
    const char *found = memchr(p->rest.at, p->separator, p->rest.length);
    u32 length = found != NULL ? (u32)(found - p->rest.at) : p->rest.length;

    if (p->has_end && (found = memchr(p->rest.at, p->end, length)) != NULL)
        length = (u32)(found - p->rest.at);
    if (p->has_escape && (found = memchr(p->rest.at, p->escape, length)) != NULL)
        length = (u32)(found - p->rest.at);
    return length;
}

/* The next piece, in `to`, where escapes are resolved; 0 a stage's end, 1 a pipeline's, 2 the end of all. */
static u32 next_piece(struct parser *p, char **to)
{
    p->piece = (struct text){ *to, 0 };
    for (;;) {
        u32 plain = ordinary(p);

        memcpy(*to, p->rest.at, plain);
        *to += plain;
        p->piece.length += plain;
        p->rest.at += plain;
        p->rest.length -= plain;
        if (p->rest.length == 0)
            return 2;
        char c = *p->rest.at;
        bool end = p->has_end && c == p->end, special = end || c == p->separator, escape = p->has_escape &&
            c == p->escape;
        bool twice = p->rest.length > 1 && (escape || (special && p->rest.at[1] == c));

        p->rest.at += 1 + twice;
        p->rest.length -= 1 + twice;
        if (special && !twice)
            return end ? 1 : 0;
        *(*to)++ = twice ? p->rest.at[-1] : c;
        p->piece.length++;
    }
}

/* Letters, digits and four more, of all 256 characters. */
#define OF_NAME(c)                                                                                                     \
    (BETWEEN(c, 'a', 'i') || BETWEEN(c, 'j', 'r') || BETWEEN(c, 's', 'z') || BETWEEN(c, 'A', 'I') ||                   \
     BETWEEN(c, 'J', 'R') || BETWEEN(c, 'S', 'Z') || BETWEEN(c, '0', '9') || (c) == (u8)'@' || (c) == (u8)'#' ||       \
     (c) == (u8)'$' || (c) == (u8)'_')

static const bool names_have[256] = { ALL_CHARACTERS(OF_NAME) };

static bool of_label(char c) { return names_have[(u8)c]; }

/* `name:` or `name.stream:` at the front. */
static bool label(struct text *text, struct text *name, struct text *id)
{
    u32 n = 0, dot = 0;

    if (memchr(text->at, ':', text->length) == NULL)
        return false;
    while (n < text->length && (of_label(text->at[n]) || (text->at[n] == '.' && dot == 0 && n > 0))) {
        if (text->at[n] == '.')
            dot = n;
        n++;
    }
    if (n == 0 || n == text->length || text->at[n] != ':')
        return false;
    *name = (struct text){ text->at, dot > 0 ? dot : n };
    *id = (struct text){ text->at + dot + 1, dot > 0 ? n - dot - 1 : 0 };
    text->at += n + 1;
    text->length -= n + 1;
    return true;
}

/* *: *.n: *.INPUT: *.OUTPUT.n: are streams of the stage that has said CALLPIPE. */
static int connector(struct parser *p, bool first, bool last, struct joint *joint)
{
    struct text text = p->piece, side, id;
    const char *colon = memchr(text.at, ':', text.length), *dot;
    int stream;

    if (colon == NULL || length_of(text.at, text.length) != (u32)(colon - text.at) + 1 ||
        (text.length > 1 && text.at[1] != '.' && text.at[1] != ':'))
        return wrong(p, 99, text.at, text.length);
    if (p->from == NULL || p->from->kind == &pipe_stage)
        return wrong(p, 98, text.at, text.length);
    if (first == last)
        return wrong(p, 97, text.at, text.length);
    *joint = (struct joint){ .stage = p->from, .connector = true, .input = first };
    joint->stream = first ? p->from->in.selected : p->from->out.selected;
    text = (struct text){ text.at + 1, (u32)(colon - text.at) - 1 };
    if (text.length == 0)
        return 0;
    text.at++;
    text.length--;
    dot = memchr(text.at, '.', text.length);
    side = (struct text){ text.at, dot != NULL ? (u32)(dot - text.at) : text.length };
    id = (struct text){ side.at + side.length + 1, dot != NULL ? text.length - side.length - 1 : 0 };
    if (is_word(side, "INPUT", 2))
        joint->input = true;
    else if (is_word(side, "OUTPUT", 3))
        joint->input = false;
    else if (dot == NULL)
        id = side;
    else
        return wrong(p, 99, p->piece.at, p->piece.length);
    /* Only ADDPIPE can have the stage read what a pipeline writes, or the other way round. */
    if (joint->input != first && p->set->waits)
        return wrong(p, 97, p->piece.at, p->piece.length);
    joint->stream = joint->input ? p->from->in.selected : p->from->out.selected;
    if (id.length > 0) {
        stream = stage_stream_named(p->from, joint->input, id);
        if (stream < 0)
            return wrong(p, 102, id.at, id.length);
        joint->stream = (u32)stream;
    }
    return 0;
}

static struct label *label_named(struct parser *p, struct text name)
{
    char wanted[8];

    pad(wanted, sizeof wanted, name.at, name.length);
    for (u32 n = 0; n < sizeof wanted; n++)
        wanted[n] = upper(wanted[n]);
    if (p->labels == NULL)
        p->labels = pipe_obtain(p->set->pipe, LABELS * sizeof *p->labels);
    for (u32 n = 0; n < p->label_count; n++)
        if (memcmp(p->labels[n].name, wanted, sizeof wanted) == 0)
            return &p->labels[n];
    if (p->label_count == LABELS)
        return NULL;
    memcpy(p->labels[p->label_count].name, wanted, sizeof wanted);
    p->labels[p->label_count].stage = NULL;
    return &p->labels[p->label_count++];
}

/* Up to a blank or what cannot be in a name; < and > are names, too. */
static struct text verb_of(struct text text)
{
    struct text verb = { text.at, 0 };
    bool arrow = text.length > 0 && (*text.at == '<' || *text.at == '>');

    while (verb.length < text.length) {
        char c = text.at[verb.length];

        if (arrow ? c != '<' && c != '>' : !of_label(c) && c != '-' && c != '+')
            break;
        verb.length++;
    }
    return verb;
}

static int new_stage(struct parser *p, struct text text, bool first, struct stage **made)
{
    u32 listing = p->listing, message_level = p->set->message_level;
    const struct rexx_stage *rexx = NULL;
    const struct stage_kind *kind;
    struct text inside, verb;
    struct stage *s;
    int error;

    if (*text.at == '(') {
        if ((error = parenthesis(p, &text, &inside)) != 0 ||
            (error = options(p, inside, false, &listing, &message_level)) != 0)
            return error;
        skip_blanks(&text);
    }
    verb = verb_of(text);
    if (verb.length == 0)
        return wrong(p, 12);
    kind = stage_named(verb);
    if (kind == NULL && (rexx = rexx_find(p->set->pipe->current, verb)) == NULL) {
        wrong(p, stage_is_left_out(verb) ? 408 : 27, verb.at, verb.length);
        return -27;
    }
    if (kind != NULL && kind->placing == ONLY_FIRST && !first)
        return wrong(p, 87);
    if (kind != NULL && kind->placing == NOT_FIRST && first)
        return wrong(p, 127);
    *made = s = stage_new(p->set, kind, rexx);
    s->text = s->arguments = text;
    s->arguments.at += verb.length;
    s->arguments.length -= verb.length;
    if (s->arguments.length > 0 && *s->arguments.at == ' ')
        s->arguments.at++, s->arguments.length--;
    s->number = p->number;
    s->pipeline = p->pipeline;
    s->first = first;
    s->listing = listing;
    s->message_level = message_level;
    return 0;
}

/* A stage, or a label's further stream. */
static int stage_or_label(struct parser *p, bool first, struct joint *joint)
{
    struct text text = p->piece, name, id = { NULL, 0 };
    struct label *known = NULL;
    struct stage *s = NULL;
    bool labelled;
    int error;

    skip_blanks(&text);
    labelled = label(&text, &name, &id);
    skip_blanks(&text);
    if (labelled) {
        if (name.length > 8 || id.length > 4)
            return wrong(p, 106, name.at, name.length);
        known = label_named(p, name);
        if (known == NULL)
            return wrong(p, 107, LABELS);
        s = known->stage;
    }
    if (s != NULL && text.length > 0)
        return wrong(p, 46, name.at, name.length);
    if (s == NULL && text.length == 0)
        return labelled ? wrong(p, 47, name.at, name.length) : wrong(p, 12);
    if (s == NULL) {
        if ((error = new_stage(p, text, first, &s)) != 0)
            return error;
        if (known != NULL)
            known->stage = s;
    }
    for (u32 n = 0; n < id.length; n++)
        ((char *)id.at)[n] = upper(id.at[n]);
    joint->stage = s;
    joint->stream = stream_add(s, &s->in, id.at, id.length);
    (void)stream_add(s, &s->out, id.at, id.length);
    return 0;
}

/* What is written by one is read by the other. */
static void join(struct parser *p, const struct joint *left, const struct joint *right)
{
    bool for_good = !p->set->waits;

    if (left->connector && left->input)
        lend(left->stage, true, left->stream, right->stage, right->stream, for_good);
    else if (right->connector && !right->input)
        lend(right->stage, false, right->stream, left->stage, left->stream, for_good);
    else
        connect(left->stage, left->stream, right->stage, right->stream);
}

int set_parse(struct set *set, struct text text, struct stage *from)
{
    struct parser p = { .set = set, .from = from, .rest = text, .separator = '|', .pipeline = 1 };
    struct joint left = { .none = true }, *later = pipe_obtain(set->pipe, 16 * sizeof *later);
    struct text inside;
    u32 how = 0, joins = 0, room = 16;
    bool first = true;
    char *to;
    int error = 0;

    skip_blanks(&p.rest);
    if (p.rest.length == 0)
        return wrong(&p, 11);
    if (*p.rest.at == '(' && ((error = parenthesis(&p, &p.rest, &inside)) != 0 ||
                              (error = options(&p, inside, true, &p.listing, &set->message_level)) != 0))
        return error;
    set->text = to = pipe_obtain(set->pipe, p.rest.length + 1);
    for (; error == 0 && how != 2; first = how != 0) {
        struct joint right = { .none = false };

        how = next_piece(&p, &to);
        p.number++;
        skip_blanks(&p.piece);
        if (p.piece.length > 0 && *p.piece.at == '*')
            error = connector(&p, first, how != 0, &right);
        else
            error = stage_or_label(&p, first, &right);
        if (error == 0 && !first) {
            if (joins + 2 > room) {
                struct joint *more = pipe_obtain(set->pipe, 2 * room * sizeof *more);

                memcpy(more, later, joins * sizeof *more);
                pipe_release(later);
                later = more;
                room *= 2;
            }
            later[joins++] = left;
            later[joins++] = right;
        }
        left = right;
        if (how == 1)
            p.pipeline++, p.number = 0;
    }
    /* What takes streams over comes before what puts others in their place. */
    for (u32 pass = 0; error == 0 && pass < 2; pass++)
        for (u32 n = 0; n < joins; n += 2) {
            bool takes = (later[n].connector && later[n].input) || (later[n + 1].connector && !later[n + 1].input);

            if (takes == (pass == 0))
                join(&p, &later[n], &later[n + 1]);
        }
    pipe_release(later);
    pipe_release(p.labels);
    return error;
}
