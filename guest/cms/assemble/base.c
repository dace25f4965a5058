/* USING and DROP: which registers have which addresses, and the base and displacement of a storage operand. */
#include "assemble.h"

struct base { bool used; u32 section; int number; };
struct kept_bases { struct kept_bases *below; struct base base[16]; };

static struct base bases[16];
static struct kept_bases *pushed;

void bases_begin(void)
{
    memset(bases, 0, sizeof bases);
    pushed = NULL;
}

void bases_push(void)
{
    struct kept_bases *made = arena(sizeof *made);

    memcpy(made->base, bases, sizeof bases);
    made->below = pushed;
    pushed = made;
}

void bases_pop(void)
{
    if (pushed == NULL) {
        flag(9160, WARNING);
        return;
    }
    memcpy(bases, pushed->base, sizeof bases);
    pushed = pushed->below;
}

/* Of several registers the one with the smallest displacement, and of those the highest. */
bool base_for(const struct value *value, bool twenty_bits, u32 *base, int *displacement)
{
    u32 section = value->terms == 1 ? value->term[0].section : 0;
    int least = twenty_bits ? -0x80000 : 0, most = twenty_bits ? 0x7ffff : 4095, best = 0;
    bool found = false;

    if (value->terms > 1 || (value->terms == 1 && value->term[0].count != 1))
        return false;
    for (u32 n = 0; n < 16; n++) {
        int distance = (int)((u32)value->number - (u32)bases[n].number), size = distance < 0 ? -distance : distance;

        if (!bases[n].used || bases[n].section != section || distance < least || distance > most)
            continue;
        if (!found || size <= best) {
            *base = n;
            *displacement = distance;
            best = size;
            found = true;
        }
    }
    if (!found && section == 0 && value->number >= least && value->number <= most) {
        *base = 0;
        *displacement = value->number;
        return true;
    }
    return found;
}

static bool register_of(struct text text, int *number)
{
    if (!evaluate_number(text, number))
        return false;
    if (*number < 0 || *number > 15) {
        flag_text(9135, ERROR, text);
        return false;
    }
    return true;
}

/* USING address,register[,register...]: each has 4096 bytes more than the one before. */
void using_statement(struct statement *statement)
{
    struct scan scan = scan_of(statement->operands);
    struct text operand;
    struct value value;
    int number;
    bool any = false;

    if (statement->operands.length == 0 || !next_operand(&scan, &operand)) {
        flag(9133, ERROR);
        return;
    }
    if (!evaluate_place(operand, &value))
        return;
    statement->value = value.number;
    statement->valued = true;
    while (next_operand(&scan, &operand)) {
        any = true;
        if (!register_of(operand, &number))
            return;
        bases[number] = (struct base){ true, value.terms == 1 ? value.term[0].section : 0, value.number };
        value.number += 4096;
    }
    if (!any)
        flag(9133, ERROR);
}

void drop_statement(struct statement *statement)
{
    struct scan scan = scan_of(statement->operands);
    struct text operand;
    int number;

    if (statement->operands.length == 0 || text_is(statement->operands, ",")) {
        memset(bases, 0, sizeof bases);
        return;
    }
    while (next_operand(&scan, &operand)) {
        if (!register_of(operand, &number))
            return;
        if (!bases[number].used)
            flag_text(9162, WARNING, operand);
        bases[number].used = false;
    }
}
