/*
 * PICK and ALL: records that are selected by an expression.
 *
 * Both are compiled into a row of steps that work on a stack of truths, so that parentheses cost no stack of ours.
 */
#include "filters.h"

/* ---- PICK ---- */

enum comparison { EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL };

struct operand { bool literal; struct text text; struct range range; };
struct test { struct operand left, right; enum comparison how; bool strict, or_before; };
struct picking { struct keys keys; struct test *test; u32 count, room; };

static const struct { const char *word; enum comparison how; bool strict; } comparisons[] = {
    { "==", EQUAL, true }, { "/==", NOT_EQUAL, true }, { "\\==", NOT_EQUAL, true }, { "\x5f==", NOT_EQUAL, true },
    { "<<", LESS, true }, { "<<=", LESS_EQUAL, true }, { ">>", GREATER, true }, { ">>=", GREATER_EQUAL, true },
    { "=", EQUAL, false }, { "/=", NOT_EQUAL, false }, { "\\=", NOT_EQUAL, false }, { "\x5f=", NOT_EQUAL, false },
    { "<", LESS, false }, { "<=", LESS_EQUAL, false }, { ">", GREATER, false }, { ">=", GREATER_EQUAL, false },
};

static int next_operand(struct stage *s, struct text *rest, struct operand *operand)
{
    if (is_range_next(*rest))
        return next_range(s, rest, &operand->range);
    operand->literal = true;
    return next_string(s, rest, &operand->text);
}

static int next_test(struct stage *s, struct text *rest, struct test *test)
{
    struct text word;
    int code = next_operand(s, rest, &test->left);

    if (code != 0)
        return code;
    for (u32 n = 0; n < COUNT_OF(comparisons); n++)
        if (next_keyword(rest, comparisons[n].word, (u32)strlen(comparisons[n].word))) {
            test->how = comparisons[n].how;
            test->strict = comparisons[n].strict;
            return next_operand(s, rest, &test->right);
        }
    return peek_word(*rest, &word) ? not_valid(s, word) : stage_error(s, 113);
}

static struct text value_of(const struct operand *operand, struct text record)
{
    struct text part;

    if (operand->literal)
        return operand->text;
    range_of(&operand->range, record, &part);
    return part;
}

static int test_record(struct stage *s, const struct picking *p, const struct test *test, struct text record,
                       bool *true_)
{
    struct text left = value_of(&test->left, record), right = value_of(&test->right, record);
    int order;

    if (test->strict) {
        order = compare_texts(&p->keys, left, right);
    } else if (!compare_numbers(left, right, &order)) {
        struct text wrong = compare_numbers(left, left, &order) ? right : left;

        return stage_error(s, 58, wrong.at, wrong.length);
    }
    switch (test->how) {
    case EQUAL:
        *true_ = order == 0;
        break;
    case NOT_EQUAL:
        *true_ = order != 0;
        break;
    case LESS:
        *true_ = order < 0;
        break;
    case LESS_EQUAL:
        *true_ = order <= 0;
        break;
    case GREATER:
        *true_ = order > 0;
        break;
    default:
        *true_ = order >= 0;
    }
    return 0;
}

/* AND binds more than OR. What needs not be known is not looked at. */
static int pick_record(struct stage *s, void *with, struct text record)
{
    const struct picking *p = with;
    bool all = true;

    for (u32 n = 0; n < p->count; n++) {
        int code;

        if (p->test[n].or_before) {
            if (all)
                break;
            all = true;
        }
        if (!all)
            continue;
        code = test_record(s, p, &p->test[n], record, &all);
        if (code != 0)
            return code;
    }
    return pass(s, all ? 0 : 1, record);
}

int pick_stage(struct stage *s, struct text arguments)
{
    struct picking *p = stage_obtain(s, sizeof *p);
    struct text word;
    bool or_before = false;
    int code;

    memset(p, 0, sizeof *p);
    p->keys.pad = ' ';
    code = next_padding(s, &arguments, &p->keys);
    while (code == 0) {
        if (p->count == p->room) {
            struct test *more = stage_obtain(s, (p->room * 2 + 4) * sizeof *more);

            if (p->count > 0)
                memcpy(more, p->test, p->count * sizeof *more);
            stage_release(s, p->test);
            p->test = more;
            p->room = p->room * 2 + 4;
        }
        memset(&p->test[p->count], 0, sizeof *p->test);
        p->test[p->count].or_before = or_before;
        code = next_test(s, &arguments, &p->test[p->count++]);
        if (code != 0 || !peek_word(arguments, &word))
            break;
        or_before = next_keyword(&arguments, "OR", 2);
        if (!or_before && !next_keyword(&arguments, "AND", 3))
            return no_more(s, arguments);
    }
    return code != 0 ? code : each_record(s, pick_record, p);
}

/* ---- ALL ---- */

enum step_kind { HAS, AND, OR, INVERT, OPEN };
struct step { enum step_kind kind; struct text string; };
struct expression { struct step *step; u32 count; enum step_kind *waiting; u32 waits; bool *truth, anycase; };

/* How strongly an operator binds. */
static u32 strength(enum step_kind kind) { return kind == INVERT ? 3 : kind == AND ? 2 : kind == OR ? 1 : 0; }

static void add_waiting(struct expression *e) { e->step[e->count++].kind = e->waiting[--e->waits]; }

static int compile(struct stage *s, struct text rest, struct expression *e)
{
    bool operand = true;        /* is what comes next */

    for (skip_blanks(&rest); rest.length > 0; skip_blanks(&rest)) {
        char c = *rest.at;
        bool word_not = operand && next_keyword(&rest, "NOT", 3);
        enum step_kind kind = c == '&' ? AND : OR;

        if (word_not || (operand && (c == '(' || c == '\\' || c == '\x5f'))) {
            e->waiting[e->waits++] = c == '(' ? OPEN : INVERT;
        } else if (operand) {
            int code = next_string(s, &rest, &e->step[e->count].string);

            if (code != 0)
                return code;
            e->step[e->count++].kind = HAS;
            operand = false;
            continue;
        } else if (c == ')') {
            while (e->waits > 0 && e->waiting[e->waits - 1] != OPEN)
                add_waiting(e);
            if (e->waits == 0)
                return not_valid_next(s, rest);
            e->waits--;
        } else if (c == '&' || c == '!' || c == '|') {
            while (e->waits > 0 && strength(e->waiting[e->waits - 1]) >= strength(kind))
                add_waiting(e);
            e->waiting[e->waits++] = kind;
            operand = true;
        } else {
            return not_valid_next(s, rest);
        }
        if (!word_not)
            rest.at++, rest.length--;
    }
    if (operand)
        return stage_error(s, 113);
    for (; e->waits > 0; add_waiting(e))
        if (e->waiting[e->waits - 1] == OPEN)
            return stage_error(s, 17);
    return 0;
}

static int all_record(struct stage *s, void *with, struct text record)
{
    const struct expression *e = with;
    u32 depth = 0, at;

    for (u32 n = 0; n < e->count; n++) {
        const struct step *step = &e->step[n];

        if (step->kind == HAS) {
            e->truth[depth++] = find_in(record, step->string, 0, e->anycase, &at);
        } else if (step->kind == INVERT) {
            e->truth[depth - 1] = !e->truth[depth - 1];
        } else {
            depth--;
            e->truth[depth - 1] = step->kind == AND ? e->truth[depth - 1] && e->truth[depth] : e->truth[depth - 1] ||
                e->truth[depth];
        }
    }
    return pass(s, e->truth[0] ? 0 : 1, record);
}

int all_stage(struct stage *s, struct text arguments)
{
    struct expression e = { .anycase = next_anycase(&arguments) };
    u32 most = arguments.length + 1;
    int code;

    e.step = stage_obtain(s, most * sizeof *e.step);
    e.waiting = stage_obtain(s, most * sizeof *e.waiting);
    e.truth = stage_obtain(s, most * sizeof *e.truth);
    code = compile(s, arguments, &e);
    return code != 0 ? code : each_record(s, all_record, &e);
}
