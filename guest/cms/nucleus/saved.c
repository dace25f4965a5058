/*
 * CMS as a saved system.
 *
 * IPL from the system disk with PARM SAVESYS name makes one: the nucleus has CP define it (the nucleus knows its own
 * pages) and save it when the system disks have been accessed. A user who says IPL name begins after that, with the
 * text of IPL's PARM in the registers. All have the program and the file status tables of the system disks in common.
 * No program can store there.
 */
#include "cms.h"

u32 saved_place[2];             /* save_system: where it was, where the registers go */

static char *next = shared_begin, *last;
static bool filling, shares;     /* it is being filled; there is such a part */

/* Storage in the part that all will have in common, as long as it is being filled. */
void *shared_obtain(size_t size)
{
    u32 need = ((u32)size + 15) & ~15u;

    if (!filling || need > (u32)(shared_end - next))
        return NULL;
    last = next;
    next += need;
    return last;
}

/* False: it is not in there. What is stays, unless it was the last. */
bool shared_release(void *storage)
{
    char *at = storage;

    if (!shares || at < shared_begin || at >= shared_end)
        return false;
    if (filling && at == last)
        next = at;
    return true;
}

void shared_fill(bool fill)
{
    filling = fill;
    shares = shares || fill;
}

bool shared_filling(void) { return filling; }

static u32 page_of(const char *at) { return (u32)at >> 12; }

/*
 * Has CP save the system, and returns when it has, or in a machine that was IPLed by that name: `parm` is then what IPL
 * said. False: CP refuses, and has told why.
 */
bool save_as(const char system[8], char parm[64])
{
    char line[200];
    u32 length, registers[16];

    length = format(line, sizeof line,
                    "DEFSYS %t 0-3 EW %x-%x SR E-F EW %x-%x SR %x-%x SR %x-%x EW %x-%x SR %x-%x EW "
                    "MINSIZE=2M MACHMODE=XA,ESA,XC PARMREGS=0-15",
                    system,
                    page_of(lower_begin), page_of(lower_end - 1), page_of(low_begin), page_of(low_end - 1),
                    page_of(nucleus_begin), page_of(nucleus_data) - 1, page_of(nucleus_data), page_of(shared_begin) - 1,
                    page_of(shared_begin), page_of(shared_end) - 1, page_of(shared_end), page_of(saved_end) - 1);
    if (cp(line, length, NULL, NULL) != 0)
        return false;
    length = format(line, sizeof line, "SAVESYS %t", system);
    save_system(line, length, registers);
    memset(parm, ' ', 64);
    if (registers[15] == saved_place[0])
        return registers[3] == 0;
    memcpy(parm, registers, 64);
    for (u32 n = 0; n < 64; n++)
        if (parm[n] == 0)
            parm[n] = ' ';
    return true;
}
