/* CPFMTXA: a part of the nucleus has it (volume/cpfmtxa.c). */
#include "command.h"
#include "../nucleus/volumes.h"

int cpfmtxa_command(const struct call *call)
{
    const struct volumes_part *volumes = part_load(PART_VOLUMES);

    return volumes == NULL ? RC_MISSING : volumes->format(call);
}
