/* Synonyms: other names for commands, from a file (SYNONYM). */
#include "cms.h"

struct synonym { struct synonym *next; name command, synonym; u32 least; };

static struct synonym *first;

void synonyms_clear(void)
{
    while (first != NULL) {
        struct synonym *gone = first;

        first = gone->next;
        release(gone);
    }
}

bool synonym_add(const name command, const name synonym, u32 least)
{
    struct synonym *s = obtain(sizeof *s, OWNER_SYSTEM), **at = &first;

    if (s == NULL)
        return false;
    memcpy(s->command, command, sizeof(name));
    memcpy(s->synonym, synonym, sizeof(name));
    s->least = least;
    s->next = NULL;
    while (*at != NULL)
        at = &(*at)->next;
    *at = s;
    return true;
}

/* The command that a typed word is a synonym of. */
bool synonym_of(const name typed, name command)
{
    u32 length = name_length(typed);

    for (const struct synonym *s = first; s != NULL; s = s->next) {
        u32 all = name_length(s->synonym);

        if (length <= all && length >= (s->least == 0 ? all : s->least) && memcmp(typed, s->synonym, length) == 0) {
            memcpy(command, s->command, sizeof(name));
            return true;
        }
    }
    return false;
}

bool synonym_list(u32 n, name command, name synonym, u32 *least)
{
    const struct synonym *s = first;

    while (s != NULL && n-- > 0)
        s = s->next;
    if (s == NULL)
        return false;
    memcpy(command, s->command, sizeof(name));
    memcpy(synonym, s->synonym, sizeof(name));
    *least = s->least;
    return true;
}
