/*
 * SET LANGUAGE, and the message repositories of applications that it adds: files applidUME TEXT, made by GENMSG.
 *
 * There is one language, American English, and CMS's own messages are in the nucleus (message.c). A repository that was
 * added stays until it is deleted or CMS is IPLed.
 */
#include "repository.h"

enum { DECK_CARD = 80, TXT_DATA = 16 };

struct repository { struct repository *next; u32 length; struct repository_head head; };

static struct repository *first;

const struct repository_line *repository_next(const struct repository_head *head, const struct repository_line *line)
{
    const struct repository_line *at = line == NULL ? (const void *)(head + 1)
        : (const void *)((const char *)(line + 1) + line->length);

    return at->number[0] == 0 && at->number[1] == 0 ? NULL : at;
}

static struct repository **place_of(const name application)
{
    struct repository **at = &first;

    while (*at != NULL && memcmp((*at)->head.application, application, APPLICATION) != 0)
        at = &(*at)->next;
    return at;
}

const struct repository_head *repository_of(const name application)
{
    struct repository *at = *place_of(application);

    return at != NULL && name_length(application) == APPLICATION ? &at->head : NULL;
}

/* What the TXT cards of a deck have, or only how long it is. */
static u32 deck_text(struct reader *reader, int *code, u8 *to, u32 room)
{
    u32 length = 0;

    while (reader_next("SLN", reader, code)) {
        const u8 *card = (const u8 *)reader->record;
        u32 at, count;

        if (reader->length != DECK_CARD || memcmp(card, "\x02" "TXT", 4) != 0)
            continue;
        at = edf_word(card + 4) & 0xffffff;
        count = (u32)card[10] << 8 | card[11];
        if (count > DECK_CARD - TXT_DATA - 8)
            continue;
        if (to != NULL && at + count <= room)
            memcpy(to + at, card + TXT_DATA, count);
        if (at + count > length)
            length = at + count;
    }
    return length;
}

/* Whether it is whole: the head, and messages up to the end. */
static bool is_repository(const struct repository *made, const name application)
{
    const u8 *at = (const u8 *)(&made->head + 1), *end = (const u8 *)&made->head + made->length;

    if (made->length < sizeof made->head + 2 || memcmp(made->head.mark, REPOSITORY_MARK, sizeof made->head.mark) != 0 ||
        memcmp(made->head.application, application, APPLICATION) != 0)
        return false;
    while (at + 2 <= end && (at[0] != 0 || at[1] != 0)) {
        const struct repository_line *line = (const void *)at;

        if (at + sizeof *line > end)
            return false;
        at += sizeof *line + line->length;
    }
    return at + 2 <= end;
}

static int add(const name application)
{
    struct fileid id = { .fn = "        ", .ft = "TEXT    ", .fm = "  " };
    struct repository **old = place_of(application), *made = NULL;
    struct reader reader;
    char text[24];
    u32 length = 0;
    int code = 0;

    memcpy(id.fn, application, APPLICATION);
    memcpy(id.fn + APPLICATION, "UME", 3);
    /* Twice: how long it is, then what it is. */
    for (int pass = 0; code == 0 && pass < 2; pass++) {
        code = reader_open("SLN", &reader, &id);
        if (code != 0)
            return code;
        if (pass == 1) {
            made = obtain(sizeof *made + length, OWNER_SYSTEM);
            if (made == NULL) {
                reader_close(&reader);
                message("SLN", 109, 'S');
                return RC_STORAGE;
            }
            memset(made, 0, sizeof *made + length);
            made->length = length;
        }
        length = deck_text(&reader, &code, made == NULL ? NULL : (u8 *)&made->head, length);
        reader_close(&reader);
    }
    if (code == 0 && !is_repository(made, application)) {
        message("SLN", 56, 'E', show_id(&reader.id, text));
        code = RC_FORMAT;
    }
    if (code != 0) {
        release(made);
        return code;
    }
    made->next = *old != NULL ? (*old)->next : NULL;
    if (*old != NULL)
        release(*old);
    *old = made;
    return 0;
}

static int drop(const name application)
{
    struct repository **at = place_of(application), *gone = *at;

    if (gone == NULL) {
        message("SLN", 813, 'E', application);
        return RC_MISSING;
    }
    *at = gone->next;
    release(gone);
    return 0;
}

static int wrong(u32 number, const char *word)
{
    message("SLN", number, 'E', word);
    return RC_SYNTAX;
}

/* SET LANGUAGE [AMENG] [( ADD applid USER | DELETE applid USER */
int set_language(const struct call *call, u32 words)
{
    const char *what, *application, *whose;
    u32 n = words + 1;
    bool adding;

    if (words > 3)
        return wrong(70, call->token[3]);
    if (words == 3 && !is(call->token[2], "AMENG"))
        return wrong(70, call->token[2]);
    if (n >= call->count)
        return words < 3 ? wrong(50, call->token[1]) : 0;
    what = call->token[n];
    adding = is(what, "ADD");
    if (!adding && !abbreviates(what, "DELETE", 3))
        return wrong(3, what);
    if (n + 2 >= call->count)
        return wrong(5, what);
    application = call->token[n + 1];
    whose = call->token[n + 2];
    /* CMS's own, SYSTEM, come with it. */
    if (!is(whose, "USER") && !is(whose, "ALL"))
        return wrong(70, whose);
    if (name_length(application) != APPLICATION || !legal_name(application) || is(application, "DMS"))
        return wrong(70, application);
    if (n + 3 < call->count && call->token[n + 3][0] != ')')
        return wrong(70, call->token[n + 3]);
    return adding ? add(application) : drop(application);
}

/* QUERY LANGUAGE [ALL]: the language, and the applications whose messages there are. */
int query_language(const struct call *call)
{
    bool all = operands(call) > 2 && is(call->token[2], "ALL");

    if (operands(call) > 2 && (!all || operands(call) > 3)) {
        message("QRY", 70, 'E', call->token[all ? 3 : 2]);
        return RC_SYNTAX;
    }
    answer("%s", "AMENG");
    for (const struct repository *at = first; all && at != NULL; at = at->next)
        answer("AMENG    %c%c%c USER", at->head.application[0], at->head.application[1], at->head.application[2]);
    return 0;
}
