/*
 * A MACLIB as a file of the host: `edfdisk maclib`. Each input is a member of the name that the file has; `edfdisk bin`
 * puts it on a disk.
 */
#include "../lib/members.h"
#include "edfdisk.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The column, from 0, that says that a statement goes on. */
enum { CONTINUES = 71 };

/* The file's records become cards; how many there were. */
static u32 add_cards(FILE *out, const char *path)
{
    FILE *in = fopen(path, "r");
    char line[LIBRARY_CARD + 2];
    u8 card[LIBRARY_CARD];
    u32 count = 0;

    if (in == NULL)
        die("cannot open", path);
    while (fgets(line, sizeof line, in) != NULL) {
        size_t length = strcspn(line, "\n");

        if (length > LIBRARY_CARD)
            die("a line is longer than a card in", path);
        if (length > CONTINUES && line[CONTINUES] != ' ' && line[CONTINUES] != 'X')
            die("a line runs into column 72, which means that the next one continues it, in", path);
        memset(card, to_ebcdic[' '], sizeof card);
        for (size_t n = 0; n < length; n++)
            card[n] = to_ebcdic[line[n] & 127];
        fwrite(card, sizeof card, 1, out);
        count++;
    }
    fclose(in);
    return count;
}

/* The file's name without folders and type. */
static void name_member(struct member *member, const char *path)
{
    const char *slash = strrchr(path, '/'), *at = slash != NULL ? slash + 1 : path;

    for (size_t n = 0; n < sizeof member->name; n++)
        member->name[n] = (char)to_ebcdic[*at != 0 && *at != '.' ? *at++ & 127 : ' '];
}

void maclib(char **word, int words)
{
    FILE *out = fopen(word[0], "wb");
    u32 members = (u32)words - 1, record = 1;
    struct member *member = calloc(members, sizeof *member);
    u8 card[LIBRARY_CARD];

    if (out == NULL || member == NULL)
        die("cannot open", word[0]);
    library_header(card, 0, 0);
    fwrite(card, sizeof card, 1, out);
    for (u32 n = 0; n < members; n++) {
        name_member(&member[n], word[n + 1]);
        member[n].first = record + 1;
        member[n].count = add_cards(out, word[n + 1]);
        library_delimiter(card);
        fwrite(card, sizeof card, 1, out);
        record += member[n].count + 1;
    }
    for (u32 n = 0; n < members; n++) {
        if (n % MEMBERS_OF_CARD == 0)
            memset(card, to_ebcdic[' '], sizeof card);
        library_entry(card + n % MEMBERS_OF_CARD * MEMBER_ENTRY, &member[n]);
        if (n % MEMBERS_OF_CARD == MEMBERS_OF_CARD - 1 || n + 1 == members)
            fwrite(card, sizeof card, 1, out);
    }
    library_header(card, record + 1, members);
    rewind(out);
    fwrite(card, sizeof card, 1, out);
    free(member);
    if (fclose(out) != 0)
        die("cannot write", word[0]);
}
