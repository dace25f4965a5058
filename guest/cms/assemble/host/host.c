/*
 * The assembler as a program of this host, for tests and fuzzing.
 *
 *   assembler FILE [FOLDER]        assembles FILE; members are the files NAME of FOLDER. The listing goes to standard
 * output in ASCII,
 *                                  the deck, as it is, to FILE.deck
 *   assembler -f SEED COUNT FILE...   assembles COUNT times what is made of the FILEs' lines by chance, and shows
 * nothing
 *
 * Compiled with EBCDIC as execution character set: what is ASCII is in main.c. Storage has a limit, at which the
 * assembly ends.
 */
#include "../assemble.h"
#include "host.h"
#include <setjmp.h>
#include <stdlib.h>

enum { STORAGE_MOST = 64 << 20 };

struct piece { struct piece *next, *last; size_t size; };

static struct piece pieces = { &pieces, &pieces, 0 };
static size_t in_use;
static jmp_buf without_storage;
static bool quiet;
static u32 budget;

void *assemble_get(size_t size)
{
    struct piece *made;

    if (size > STORAGE_MOST || in_use + size > STORAGE_MOST)
        longjmp(without_storage, 1);
    made = malloc(sizeof *made + size);
    if (made == NULL)
        longjmp(without_storage, 1);
    made->size = size;
    made->next = pieces.next;
    made->last = &pieces;
    pieces.next->last = made;
    pieces.next = made;
    in_use += size;
    return made + 1;
}

void assemble_put(void *storage)
{
    struct piece *piece = (struct piece *)storage - 1;

    piece->next->last = piece->last;
    piece->last->next = piece->next;
    in_use -= piece->size;
    free(piece);
}

bool assemble_member(struct text name, struct lines *to)
{
    char upper_name[SYMBOL_MOST + 1];

    for (u32 n = 0; n < name.length; n++)
        upper_name[n] = upper(name.at[n]);
    return host_member(upper_name, name.length, to);
}

void assemble_object(const u8 card[CARD])
{
    if (!quiet)
        host_card(card);
}

void assemble_listing(const char *line, u32 length)
{
    if (!quiet)
        host_line(line, length_of(line, length));
}

void assemble_terminal(const char *line, u32 length)
{
    if (!quiet)
        host_line(line, length);
}

/* While fuzzing: what goes on for ever ends like the immediate command HX. */
void assemble_attend(void)
{
    if (quiet && --budget == 0)
        longjmp(without_storage, 2);
}

/* What messages are typed with; here none are. */
void edit_message(const char **text, u32 *length) { (void)text, (void)length; }
void type_line(const char *text, u32 length) { (void)text, (void)length; }

u32 host_assemble(const struct lines *source, bool quietly, u32 steps)
{
    const struct assembly_options options = {
        .object = true, .list = true, .xref = true, .xref_full = true, .esd = true, .rld = true, .term = false,
        .align = true, .lines = 60,
        .sysparm = { "PARM", 4 }, .date = "11/20/91", .time = "08:00:00",
    };
    u32 worst = 16;

    quiet = quietly;
    budget = steps;
    if (setjmp(without_storage) == 0)
        worst = assemble(&options, source);
    return worst;
}

struct lines *host_lines(void) { return arena(sizeof(struct lines)); }

/* The lines of a source are kept by the assembler's storage, too: all goes at the end. */
void host_forget(void)
{
    memory_forget();
    while (pieces.next != &pieces)
        assemble_put(pieces.next + 1);
}
