/* Literals: constants that operands name by what is in them, put together where LTORG or the end of the program is. */
#include "assemble.h"

enum { CHAINS = 256 };

static struct literal *chains[CHAINS], *first, **last;

void literals_begin(void)
{
    memset(chains, 0, sizeof chains);
    first = NULL;
    last = &first;
    assembly.pool = 1;
}

/* A literal with the location counter in it is another one each time. */
static bool has_location(struct text text)
{
    bool quoted = false;

    for (u32 n = 0; n < text.length; n++) {
        if (text.at[n] == '\'')
            quoted = !quoted;
        if (text.at[n] == '*' && !quoted && n > 0 && (text.at[n - 1] == '(' || text.at[n - 1] == ',' ||
                                                      text.at[n - 1] == '-' || text.at[n - 1] == '+'))
            return true;
    }
    return false;
}

static struct literal *find(struct text text, u32 pool, u32 statement)
{
    struct literal *at = chains[hash_of(text) % CHAINS];

    while (at != NULL && (at->pool != pool || at->text.length != text.length ||
                          memcmp(at->text.at, text.at, text.length) != 0 || (at->own && at->statement != statement)))
        at = at->chain;
    return at;
}

const struct literal *literal_find(struct text text, u32 pool)
{
    return find(text, pool, assembly.current != NULL ? assembly.current->number : 0);
}

/* Pass 1: an operand begins with =. */
void literal_use(struct text text)
{
    struct scan scan = { text.at + 1, text.at + text.length };
    struct constant constant;
    struct literal *made, **chain;

    if (!constant_scan(&scan, &constant, false))
        return;
    if (constant.duplication == 0) {
        flag(9125, ERROR);
        return;
    }
    text.length = (u32)(scan.at - text.at);
    if (find(text, assembly.pool, assembly.current->number) != NULL)
        return;
    constant_names(&constant);
    made = arena(sizeof *made);
    made->text = kept(text);
    made->pool = assembly.pool;
    made->length = constant_size(&constant);
    made->align = constant.align;
    made->own = has_location(text);
    made->statement = assembly.current->number;
    chain = &chains[hash_of(text) % CHAINS];
    made->chain = *chain;
    *chain = made;
    *last = made;
    last = &made->next;
}

/* The pool: what can be on doublewords without gaps first, then words, halfwords, bytes. */
void literals_place(void)
{
    bool any = false;

    for (u32 size = 8; size > 0; size /= 2)
        for (struct literal *at = first; at != NULL; at = at->next) {
            struct statement *statement;
            u32 fits = at->length % 8 == 0 ? 8 : at->length % 4 == 0 ? 4 : at->length % 2 == 0 ? 2 : 1;

            if (fits != size)
                continue;
            if (!any) {
                need_section();
                (void)align_to(8);
                any = true;
            }
            statement = add_statement((struct text){ 0 }, at->text,
                                      (struct text){ at->text.at + 1, at->text.length - 1 }, NULL);
            (void)align_to(at->align);
            statement->operation = operation_own("DC");
            statement->section = assembly.in;
            statement->location = (u32)assembly.location;
            statement->length = at->length;
            statement->sized = true;
            statement->pool = assembly.pool;
            at->section = assembly.in;
            at->location = (u32)assembly.location;
            advance(at->length);
        }
    first = NULL;
    last = &first;
    assembly.pool++;
}
