/*
 * Immediate commands of execs: IMMCMD SET makes a name one, and IMMCMD STATUS tells whether it has been typed since.
 * They go when the command that was typed has ended.
 */
#include "cms.h"

struct immediate { struct immediate *next; name word; bool typed; u32 length; char arguments[LINE_MOST]; };
static struct immediate *first;

static struct immediate *find(const name word)
{
    struct immediate *at = first;

    while (at != NULL && memcmp(at->word, word, sizeof(name)) != 0)
        at = at->next;
    return at;
}

/* False: there is no storage. */
bool immediate_set(const name word)
{
    struct immediate *made = find(word);

    if (made == NULL) {
        made = obtain(sizeof *made, OWNER_COMMAND);
        if (made == NULL)
            return false;
        memcpy(made->word, word, sizeof(name));
        made->next = first;
        first = made;
    }
    made->typed = false;
    made->length = 0;
    return true;
}

/* NULL: all. False: there is none of that name. */
bool immediate_clear(const char *word)
{
    bool found = word == NULL;

    for (struct immediate **at = &first; *at != NULL;) {
        struct immediate *gone = *at;

        if (word != NULL && memcmp(gone->word, word, sizeof(name)) != 0) {
            at = &gone->next;
            continue;
        }
        *at = gone->next;
        release(gone);
        found = true;
    }
    return found;
}

bool immediate_is(const name word) { return find(word) != NULL; }

/* Whether it was typed since this was asked last. */
bool immediate_was_typed(const name word)
{
    struct immediate *at = find(word);
    bool typed;

    attend();
    typed = at != NULL && at->typed;
    if (typed)
        at->typed = false;
    return typed;
}

/* From the console: false if the word is none of these. */
bool immediate_typed(const name word, const char *arguments, u32 length)
{
    struct immediate *at = find(word);

    if (at == NULL)
        return false;
    at->typed = true;
    at->length = length < sizeof at->arguments ? length : sizeof at->arguments;
    memcpy(at->arguments, arguments, at->length);
    return true;
}

u32 immediate_arguments(const name word, const char **arguments)
{
    struct immediate *at = find(word);

    *arguments = at == NULL ? NULL : at->arguments;
    return at == NULL ? 0 : at->length;
}

/* The command has ended; its storage is gone. */
void immediate_forget(void) { first = NULL; }
