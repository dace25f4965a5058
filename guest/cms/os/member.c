/*
 * Members of libraries for BPAM: FIND, BLDL and STOW.
 */
#include "opened.h"

/* BLDL's entries are at least so long. */
enum { ENTRY_LEAST = 12 };

/*
 * FIND: reading goes on at a member's beginning. Register 1 is the complement of the block's address. Register 0 is at
 * the member's name, or the complement of where its place is, as BLDL tells it.
 */
void os_find(struct frame *frame)
{
    struct opened *o = os_opened_at((0u - frame->gr[1]) & 0xffffff);
    bool by_place = (int)frame->gr[0] < 0;
    u32 at = (by_place ? 0u - frame->gr[0] : frame->gr[0]) & 0xffffff;
    struct library library;
    struct member member;
    bool found = false;

    frame->gr[15] = 8;
    frame->gr[0] = 0;
    if (o == NULL || o->output || o->set.reader.file == NULL || !os_may_fetch(at, by_place ? 3 : sizeof(name)) ||
        library_open(&o->set.reader.id, &library) != EDF_OK)
        return;
    frame->gr[15] = 4;
    if (!by_place)
        found = library_find(&library, (const char *)at, &member);
    for (u32 n = 0; by_place && !found && library_member(&library, n, &member); n++)
        found = member.first == edf_word((const u8 *)at) >> 8;
    if (!found)
        return;
    o->set.reader.number = member.first - 1;
    o->set.reader.last = member.first - 1 + member.count;
    frame->gr[15] = 0;
}

/*
 * BLDL: entries of a library's directory. Register 0 is at a list: how many there are, how long each is, then the
 * entries, a name and room for what is told: the member's place, TTR and K, Z and C, which are zero.
 */
void os_build_list(struct frame *frame)
{
    struct opened *o = os_opened_at(frame->gr[1] & 0xffffff);
    u32 at = frame->gr[0] & 0xffffff, count, each;
    struct library library;
    struct member member;

    frame->gr[15] = 8;
    if (o == NULL || !os_may_fetch(at, PREFIX) || (o->set.directory == NULL &&
        (o->output || o->set.reader.file == NULL || library_open(&o->set.reader.id, &library) != EDF_OK)))
        return;
    count = half(at);
    each = half(at + 2);
    frame->gr[15] = 0;
    if (each < ENTRY_LEAST || !os_may_store(at, PREFIX + count * each))
        os_abend(0x0c4);
    for (u32 n = 0, entry = at + PREFIX; n < count; n++, entry += each) {
        memset((void *)(entry + sizeof(name)), 0, each - sizeof(name));
        if (o->set.directory != NULL ? partitioned_find(&o->set, (const char *)entry, &member)
            : library_find(&library, (const char *)entry, &member))
            set_three(entry + sizeof(name), member.first);
        else
            frame->gr[15] = 4;
    }
}

/*
 * STOW: register 0 is at a name, TTR, C and perhaps more, or at two names, register 1 at the data control block; the
 * complement of one or both says what is to be done. C's first bit: the name is one more of the member at TTR.
 */
void os_stow(struct frame *frame)
{
    enum { NOT_OPEN = 20, TTR = 8, ALIAS = 11, ENTRY = 12, NAMES = 16 };
    bool other_list = (int)frame->gr[0] < 0, other_block = (int)frame->gr[1] < 0;
    u32 list = (other_list ? 0u - frame->gr[0] : frame->gr[0]) & 0xffffff, first = 0, alias_of = 0;
    struct opened *o = os_opened_at((other_block ? 0u - frame->gr[1] : frame->gr[1]) & 0xffffff);
    enum stow what = other_block ? other_list ? STOW_DELETE : STOW_CHANGE : other_list ? STOW_REPLACE : STOW_ADD;
    bool enters = what == STOW_ADD || what == STOW_REPLACE;

    frame->gr[0] = 0;
    frame->gr[15] = NOT_OPEN;
    if (o == NULL || o->set.directory == NULL)
        return;
    if (enters ? !os_may_store(list, ENTRY) : !os_may_fetch(list, what == STOW_CHANGE ? NAMES : sizeof(name)))
        os_abend(0x0c4);
    if (!os_write_pending(frame, o))
        return;
    if (enters && (((const u8 *)list)[ALIAS] & 0x80))
        alias_of = three(list + TTR);
    frame->gr[15] = (u32)partitioned_stow(&o->set, what, (const char *)list, (const char *)list + sizeof(name),
                                          alias_of, &first);
    if (enters && first != 0)
        set_three(list + TTR, first);
}
