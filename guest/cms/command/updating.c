/*
 * What one update file does to the source: ./ S, I, D, R and *.
 *
 * Records are known by their sequence numbers, columns 73 to 80 (NOSEQ8: 76 to 80), which rise. So one pass does it:
 * each statement copies the records in front of the one that it names. What it does not find it tells, and goes on with
 * the next statement.
 */
#include "update.h"

enum { SCANNED = 50, NOWHERE = -1 };

/* The pass: what is read, what is written, where. */
struct pass {
    struct update *update;
    struct source from, to;
    u32 at;                             /* the next record of `from` */
    int last, last_out;                 /* the sequence numbers of the last that was passed, and written; NOWHERE */
    bool checks;                        /* sequence numbers are looked at: not if all become new ones */
    u32 next, step;                     /* of ./ S */
    bool renumber;
    name label;
};

/* A control statement, in words. */
struct statement { name token[TOKENS_MOST + 1]; u32 count; };

static bool is_statement(const char *card) { return card[0] == '.' && card[1] == '/'; }

/* The number in a record's sequence field; NOWHERE: there is none. */
static int sequence_of(const struct update *update, const char *line)
{
    u32 skip = update->five ? 3 : 0, value;

    return parse_number(line + SEQUENCE + skip, SEQUENCE_LENGTH - skip, &value) ? (int)value : NOWHERE;
}

static u32 most(const struct update *update) { return update->five ? 99999 : 99999999; }

static void number_line(struct pass *pass, char *line, u32 *next, u32 step)
{
    const struct update *update = pass->update;
    char digits[12];

    if (*next > most(update)) {
        format(digits, sizeof digits, "%08u", *next - step);
        update_warn(pass->update, 8, 176, digits);
        *next = step;
    }
    if (update->five) {
        memcpy(line + SEQUENCE, pass->label, 3);
        format(digits, sizeof digits, "%05u", *next);
        memcpy(line + SEQUENCE + 3, digits, 5);
    } else {
        format(digits, sizeof digits, "%08u", *next);
        memcpy(line + SEQUENCE, digits, 8);
    }
    *next += step;
}

/* A record goes into the output. */
static int put(struct pass *pass, char *line)
{
    int number;

    if (pass->renumber) {
        char *copy = obtain_command(CARD);

        line = memcpy(copy, line, CARD);
        number_line(pass, line, &pass->next, pass->step);
    }
    number = sequence_of(pass->update, line);
    if (number != NOWHERE && pass->checks && pass->last_out != NOWHERE && number <= pass->last_out) {
        char was[12], is[12];

        format(was, sizeof was, "%08u", pass->last_out);
        format(is, sizeof is, "%08u", number);
        update_warn(pass->update, 8, 174, was, is);
    }
    if (number != NOWHERE)
        pass->last_out = number;
    return source_add(&pass->to, line);
}

/* Looks at the next record as it is passed. */
static void pass_by(struct pass *pass, const char *line)
{
    static const char unnumbered[] = "********";
    int number = sequence_of(pass->update, line);
    char was[12], is[12];

    if (number == NOWHERE) {
        name field;

        memcpy(field, line + SEQUENCE, sizeof field);
        if (pass->checks && memcmp(field, unnumbered, sizeof field) != 0)
            update_warn(pass->update, 12, 185, field);
        return;
    }
    if (pass->checks && pass->last != NOWHERE && number <= pass->last) {
        format(was, sizeof was, "%08u", pass->last);
        format(is, sizeof is, "%08u", number);
        update_warn(pass->update, 4, 210, was, is);
    }
    pass->last = number;
}

static int copy_one(struct pass *pass)
{
    char *line = pass->from.line[pass->at++];

    pass_by(pass, line);
    return put(pass, line);
}

/* Copies the records in front of this number. Whether it was found; if not, it has been told. */
static bool copy_to(struct pass *pass, u32 wanted, int *code)
{
    char number[12], text[24];

    while (*code == 0 && pass->at < pass->from.count) {
        int here = sequence_of(pass->update, pass->from.line[pass->at]);

        if (here != NOWHERE && (u32)here >= wanted)
            break;
        *code = copy_one(pass);
    }
    if (*code != 0)
        return false;
    if (pass->at < pass->from.count && sequence_of(pass->update, pass->from.line[pass->at]) == (int)wanted)
        return true;
    format(number, sizeof number, "%08u", wanted);
    if (pass->at == pass->from.count && (pass->last == NOWHERE || (int)wanted > pass->last))
        update_warn(pass->update, 12, 10 + MESSAGE_SECOND, show_id(&pass->update->source, text), number);
    else
        update_warn(pass->update, 12, 186, number);
    return false;
}

/* Throws records away up to this number, and with it; if no record has it, the user is warned. */
static void drop_to(struct pass *pass, u32 last)
{
    bool found = false;
    char number[12];

    while (pass->at < pass->from.count && !found) {
        char *line = pass->from.line[pass->at];
        int here = sequence_of(pass->update, line);

        if (here != NOWHERE && (u32)here > last)
            break;
        found = here == (int)last;
        pass_by(pass, line);
        update_log(pass->update, "DELETED", line, CARD);
        pass->at++;
    }
    if (!found) {
        format(number, sizeof number, "%08u", last);
        update_warn(pass->update, 12, 186, number);
    }
}

/* How inserted records are numbered: after $ from where on and by how much. */
struct numbering { bool wanted; u32 next, step; };

/* One tenth of the last digit that is not zero, at most 100. */
static u32 usual_step(u32 number)
{
    u32 unit = 1;

    while (number != 0 && number % (unit * 10) == 0 && unit < 1000)
        unit *= 10;
    unit /= 10;
    return unit > 100 ? 100 : unit == 0 ? 1 : unit;
}

/* The numbers of a statement from word `first` on: as many as `room`; false: one is none. */
static bool numbers(struct pass *pass, const struct statement *statement, u32 first, u32 *value, u32 room, u32 *count)
{
    for (*count = 0; *count < room && first + *count < statement->count && !is(statement->token[first + *count], "$");
         ++*count) {
        const char *word = statement->token[first + *count];

        if (!parse_number(word, name_length(word), &value[*count])) {
            update_warn(pass->update, 12, 185, word);
            return false;
        }
    }
    return true;
}

/* [seqno1 [seqno2]] [$ [first [step]]] of I, R and D. */
static bool where(struct pass *pass, const struct statement *statement, u32 most_numbers, u32 number[2],
                  struct numbering *numbering)
{
    u32 count, after[2], more;

    if (!numbers(pass, statement, 1, number, most_numbers, &count))
        return false;
    if (count == 0) {
        update_warn(pass->update, 12, 207);
        return false;
    }
    if (count == 1)
        number[1] = number[0];
    numbering->wanted = 1 + count < statement->count;
    if (!numbering->wanted)
        return true;
    if (!is(statement->token[1 + count], "$") || number[1] < number[0]) {
        update_warn(pass->update, 12, 207);
        return false;
    }
    if (!numbers(pass, statement, 2 + count, after, 2, &more))
        return false;
    numbering->step = more > 1 ? after[1] : usual_step(number[0]);
    numbering->next = more > 0 ? after[0] : number[0] + numbering->step;
    if (numbering->step == 0)
        update_warn(pass->update, 8, 182);
    return true;
}

/* ./ S [first [step [label]]] */
static void resequence(struct pass *pass, const struct statement *statement, bool first)
{
    u32 value[2], count;

    if (!first) {
        update_warn(pass->update, 12, 184);
        return;
    }
    if (!numbers(pass, statement, 1, value, 2, &count))
        return;
    pass->step = count > 1 ? value[1] : pass->update->five ? 10 : 1000;
    pass->next = count > 0 ? value[0] : pass->step;
    if (pass->step == 0)
        update_warn(pass->update, 8, 182);
    memcpy(pass->label, 3 < statement->count ? statement->token[3] : pass->update->source.fn, sizeof(name));
    pass->renumber = true;
    pass->checks = false;
    pass->update->numbered = true;
}

/* The records after I and R. `drop`: their statement was not good, and they are nothing. */
static int insert(struct pass *pass, const struct source *cards, u32 *card, bool drop, struct numbering *numbering)
{
    int code = 0;

    for (; code == 0 && *card < cards->count; ++*card) {
        const char *text = cards->line[*card];
        char *line;

        if (is_statement(text))
            break;
        if (drop) {
            update_log(pass->update, "IGNORED", text, CARD);
            continue;
        }
        line = obtain_command(CARD);
        memcpy(line, text, CARD);
        if (!pass->update->increment)
            memset(line + SEQUENCE, '*', SEQUENCE_LENGTH);
        else if (numbering->wanted)
            number_line(pass, line, &numbering->next, numbering->step);
        update_log(pass->update, "INSERTED", line, CARD);
        code = put(pass, line);
    }
    return code;
}

static int perform_statement(struct pass *pass, const struct source *cards, u32 *card,
                             const struct statement *statement, bool first)
{
    const char *what = statement->token[0];
    struct numbering numbering = { false, 0, 0 };
    u32 number[2];
    bool good = true;
    int code = 0;

    if (statement->count > 0 && is(what, "*"))
        return insert(pass, cards, card, true, &numbering);
    if (statement->count > 0 && is(what, "S")) {
        resequence(pass, statement, first);
        return insert(pass, cards, card, true, &numbering);
    }
    if (statement->count == 0 || (!is(what, "I") && !is(what, "D") && !is(what, "R"))) {
        update_warn(pass->update, 12, 207);
        return insert(pass, cards, card, true, &numbering);
    }
    good = where(pass, statement, is(what, "I") ? 1 : 2, number, &numbering);
    if (good && is(what, "I")) {
        /*
         * After a record that has been passed just now (R in front of it), and at the beginning, nothing is looked for.
         */
        if (number[0] != 0 && (pass->last == NOWHERE || (u32)pass->last != number[0])) {
            if (copy_to(pass, number[0], &code))
                code = copy_one(pass);
            else
                good = pass->last == NOWHERE || (u32)pass->last < number[0];
        }
    } else if (good) {
        bool found = copy_to(pass, number[0], &code);

        good = found || pass->last == NOWHERE || (u32)pass->last < number[0];
        if (code == 0 && good && (found || number[1] > number[0]))
            drop_to(pass, number[1]);
        good = good && is(what, "R");
    }
    return code != 0 ? code : insert(pass, cards, card, !good, &numbering);
}

int update_apply(struct update *update, const struct fileid *id)
{
    struct pass pass = { .update = update, .from = update->text, .last = NOWHERE, .last_out = NOWHERE, .checks = true };
    struct source cards = { NULL, 0, 0 };
    struct reader reader;
    bool first = true;
    u32 card = 0;
    int code = reader_open("UPD", &reader, id);
    struct numbering none = { false, 0, 0 };

    if (code != 0)
        return code;
    code = source_read(&cards, &reader);
    reader_close(&reader);
    /* Records in front of the first statement belong to none. */
    if (code == 0 && cards.count > 0 && !is_statement(cards.line[0])) {
        update_warn(update, 12, 207);
        code = insert(&pass, &cards, &card, true, &none);
    }
    while (code == 0 && card < cards.count) {
        struct statement statement;

        statement.count = tokenize(cards.line[card] + 2, SCANNED - 2, statement.token);
        update_log(update, "", cards.line[card], CARD);
        card++;
        code = perform_statement(&pass, &cards, &card, &statement, first);
        first = first && statement.count > 0 && is(statement.token[0], "*");
    }
    while (code == 0 && pass.at < pass.from.count)
        code = copy_one(&pass);
    if (code == 0) {
        release(update->text.line);
        update->text = pass.to;
    }
    return code;
}
