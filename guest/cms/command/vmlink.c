/*
 * VMLINK: another user's minidisk, linked and accessed in one go, wherever there is room.
 *
 *   VMLINK nickname | owner vdev | .DIR directory [<vdev fm linkmode password>] ... [( TYPE NOTYPE STACK FIFO LIFO
 * QUERY RELEASE NONAMES FILE fn
 *
 * Nicknames are those of VMLINK NAMES: `:nick.` with `:address.owner vdev <vdev fm linkmode>` or `:list.` of others.
 * The first free number from 120 up and the first free letter from Z down are taken unless others are said; * is such a
 * one, too.
 */
#include "command.h"

enum { LINKS_MOST = 26, VDEV_FIRST = 0x120, DEPTH_MOST = 8, NOT_FOUND_THERE = 28, NO_ROOM = 36 };

/* The disks that VMLINK has linked; a mode of 0: none. */
static struct link { name owner; u32 theirs, ours; char mode; } links[LINKS_MOST];

struct asked { name owner; u32 theirs, ours; char mode, extends; name how, password; };
struct wish { int show, stack, query, release, no_names; name file; };

static void folded(name to, const char *word, u32 length)
{
    pad(to, sizeof(name), word, length);
    for (u32 n = 0; n < sizeof(name); n++)
        to[n] = upper(to[n]);
}

static int bad(const char *word, u32 length)
{
    name shown;

    folded(shown, word, length);
    message("VML", 70, 'E', shown);
    return RC_SYNTAX;
}

/* The words of a line, as they were typed; < and > are words. */
static u32 take(const char **at, const char *end, const char **word)
{
    u32 length = 0;

    while (*at < end && **at == ' ')
        ++*at;
    *word = *at;
    if (*at < end && (**at == '<' || **at == '>'))
        length = 1;
    else
        while (*at + length < end && (*at)[length] != ' ' && (*at)[length] != '<' && (*at)[length] != '>')
            length++;
    *at += length;
    return length;
}

/* <vdev fm linkmode password>, of which each may be * or missing. */
static int angled(const char **at, const char *end, struct asked *asked)
{
    const char *word;
    name token;

    for (u32 n = 0;; n++) {
        u32 length = take(at, end, &word);

        if (length == 0 || *word == '>')
            return length != 0 ? 0 : bad("<", 1);
        folded(token, word, length);
        if (n > 3 || length > 8)
            return bad(word, length);
        if (is(token, "*"))
            continue;
        if (n == 0 && (!parse_hex(word, length, &asked->ours) || asked->ours == 0 || asked->ours > 0xffff))
            return bad(word, length);
        if (n == 1) {
            bool extended = length == 3 && token[1] == '/' && is_letter(token[2]);

            if (!is_letter(token[0]) || (length != 1 && !extended)) {
                message("VML", 48, 'E', token);
                return RC_SYNTAX;
            }
            asked->mode = token[0];
            asked->extends = extended ? token[2] : 0;
        }
        if (n == 2)
            memcpy(asked->how, token, sizeof(name));
        if (n == 3)
            memcpy(asked->password, token, sizeof(name));
    }
}

static struct link *linked(const struct asked *asked)
{
    for (u32 n = 0; n < LINKS_MOST; n++) {
        struct disk *disk = links[n].mode != 0 ? disk_at(links[n].mode) : NULL;

        /* It may have been released since. */
        if (disk == NULL || disk->vdev != links[n].ours)
            links[n].mode = 0;
        else if (links[n].theirs == asked->theirs && memcmp(links[n].owner, asked->owner, sizeof(name)) == 0)
            return &links[n];
    }
    return NULL;
}

static void tell(const struct wish *wish, const struct link *link)
{
    const struct disk *disk = disk_at(link->mode);

    if (wish->show)
        message("VML", 2060, 'I', link->owner, link->theirs, disk->read_only ? "R/O" : "R/W", link->ours, link->mode);
    if (wish->stack >= 0) {
        char line[64];

        stack_line(line, format(line, sizeof line, "%c %04x %t %04x %s", link->mode, link->ours, link->owner,
                                link->theirs, disk->read_only ? "R/O" : "R/W"),
                   wish->stack == TO_STACK_LIFO);
    }
}

static int let_go(const struct wish *wish, const struct asked *asked)
{
    struct link *link = linked(asked);
    char line[24];

    if (link == NULL) {
        message("VML", 2062, 'E', asked->owner, asked->theirs);
        return NOT_FOUND_THERE;
    }
    disk_release(link->mode);
    link->mode = 0;
    if (wish->show)
        message("VML", 2061, 'I', link->owner, link->theirs);
    return quietly(line, format(line, sizeof line, "DETACH %04x", link->ours)) == 0 ? 0 : RC_IO;
}

/* The first free letter from Z down; 0: there is none. */
static char free_letter(void)
{
    static const char letters[] = "ZYXWVUTSRQPONMLKJIHGFEDCBA";

    for (u32 n = 0; n < 26; n++)
        if (disk_at(letters[n]) == NULL)
            return letters[n];
    return 0;
}

static bool free_number(u32 *vdev)
{
    struct device device;

    for (*vdev = VDEV_FIRST; *vdev <= 0xffff; ++*vdev)
        if (!device_of((u16)*vdev, &device))
            return true;
    return false;
}

static int link_one(const struct wish *wish, struct asked *asked)
{
    const struct link *there = linked(asked);
    char line[80];
    struct disk *disk;
    int code, error;
    u32 n = 0;

    if (wish->query) {
        answer("%-8t %04x %s", asked->owner, asked->theirs, there != NULL ? "linked" : "not linked");
        return 0;
    }
    if (wish->release)
        return let_go(wish, asked);
    if (there != NULL) {
        tell(wish, there);
        return 0;
    }
    if (asked->mode == 0)
        asked->mode = free_letter();
    while (n < LINKS_MOST && links[n].mode != 0)
        n++;
    if (asked->mode == 0 || n == LINKS_MOST || (asked->ours == 0 && !free_number(&asked->ours))) {
        message("VML", 2063, 'E');
        return NO_ROOM;
    }
    code = quietly(line, format(line, sizeof line, "LINK %t %04x %04x %t %t", asked->owner, asked->theirs, asked->ours,
                                asked->how, asked->password));
    if (code != 0)
        return code;
    disk_release(asked->mode);
    error = disk_access((u16)asked->ours, asked->mode, asked->extends, false, &disk);
    if (error != EDF_OK) {
        code = access_failed(error, (u16)asked->ours, asked->mode);
        (void)quietly(line, format(line, sizeof line, "DETACH %04x", asked->ours));
        return code;
    }
    links[n] = (struct link){ .theirs = asked->theirs, .ours = asked->ours, .mode = asked->mode };
    memcpy(links[n].owner, asked->owner, sizeof(name));
    tell(wish, &links[n]);
    return 0;
}

static int link_all(const struct wish *wish, const char *at, const char *end, u32 depth);

/* A nickname, and perhaps what the line says of it other than VMLINK NAMES. */
static int nickname(const struct wish *wish, const char *nick, u32 nick_length, const char *own, u32 own_length,
                    u32 depth)
{
    char value[LINE_MOST + 1];
    name shown;
    u32 length;

    folded(shown, nick, nick_length);
    if (!wish->no_names && depth < DEPTH_MOST && nick_length <= sizeof(name)) {
        if (nickname_says(wish->file, shown, "list", value, LINE_MOST, &length))
            return link_all(wish, value, value + length, depth + 1);
        if (nickname_says(wish->file, shown, "address", value, LINE_MOST, &length) ||
            nickname_says(wish->file, shown, "addr", value, LINE_MOST, &length)) {
            /* What is typed goes before what the file has. */
            for (u32 n = 0; own_length > 0 && n < length; n++)
                if (value[n] == '<')
                    length = n;
            if (length + own_length < LINE_MOST) {
                memcpy(value + length, own, own_length);
                length += own_length;
            }
            return link_all(wish, value, value + length, DEPTH_MOST);
        }
    }
    message("VML", 2064, 'E', shown);
    return NOT_FOUND_THERE;
}

static int link_all(const struct wish *wish, const char *at, const char *end, u32 depth)
{
    int code = 0;

    for (;;) {
        struct asked asked = { .how = "RR      ", .password = "        " };
        const char *first, *second, *before;
        u32 length = take(&at, end, &first), more, vdev;
        name word;
        int one;

        if (length == 0)
            return code;
        if (*first == '<' || *first == '>')
            return bad(first, 1);
        folded(word, first, length);
        if (is(word, ".DIR") || is(word, "DIR")) {
            return no_file_pool("VML");
        }
        before = at;
        more = take(&at, end, &second);
        if (is(word, ".")) {
            /* . owner vdev: no nickname, whatever it is. */
            folded(word, second, more);
            length = more;
            more = take(&at, end, &second);
            if (more == 0) {
                message("VML", 50, 'E', word);
                return RC_SYNTAX;
            }
            if (!parse_hex(second, more, &vdev))
                return bad(second, more);
        }
        if (more > 0 && more <= 4 && parse_hex(second, more, &vdev)) {
            memcpy(asked.owner, word, sizeof(name));
            asked.theirs = vdev;
            before = at;
            if (take(&at, end, &second) == 1 && *second == '<') {
                one = angled(&at, end, &asked);
                if (one != 0)
                    return one;
            } else {
                at = before;
            }
            one = link_one(wish, &asked);
        } else {
            const char *own = before;

            at = before;
            if (more == 1 && *second == '<') {
                while (at < end && *at != '>')
                    at++;
                at += at < end;
            }
            one = nickname(wish, first, length, own, (u32)(at - own), depth);
        }
        code = code != 0 ? code : one;
    }
}

int vmlink_command(const struct call *call)
{
    struct wish wish = { .show = 1, .stack = -1, .file = "VMLINK  " };
    const struct option known[] = {
        FLAG("TYPE", 2, &wish.show, 1), FLAG("NOTYPE", 3, &wish.show, 0),
        FLAG("STACK", 2, &wish.stack, TO_STACK_FIFO), FLAG("FIFO", 2, &wish.stack, TO_STACK_FIFO),
        FLAG("LIFO", 2, &wish.stack, TO_STACK_LIFO), FLAG("QUERY", 1, &wish.query, 1),
        FLAG("RELEASE", 3, &wish.release, 1), FLAG("NONAMES", 3, &wish.no_names, 1),
        WORD("FILE", 4, &wish.file),
    };
    const char *end = call->arguments;
    int code = options_of("VMLINK", "VML", call, known, COUNT_OF(known));
    struct asked none = { .theirs = 0 };

    if (code != 0)
        return code;
    (void)linked(&none);
    while (end < call->end && *end != '(')
        end++;
    if (operands(call) > 1)
        return link_all(&wish, call->arguments, end, 0);
    if (!wish.query && !wish.release) {
        message("VML", 2065, 'E');
        return RC_SYNTAX;
    }
    /* Without names, all that there are. */
    for (u32 n = 0; n < LINKS_MOST; n++) {
        struct asked asked = { .theirs = links[n].theirs };

        if (links[n].mode == 0)
            continue;
        memcpy(asked.owner, links[n].owner, sizeof(name));
        if (wish.release)
            code = let_go(&wish, &asked);
        else
            tell(&(struct wish){ .show = 1, .stack = -1 }, &links[n]);
    }
    return code;
}
