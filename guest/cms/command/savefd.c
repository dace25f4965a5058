/*
 * SAVEFD: a disk's file status tables become a saved segment, which all users that access the disk for reading have in
 * common.
 *
 * The segment is defined and saved here, at the page that is named; its name goes into the disk's label, and with the
 * first change of the disk out of it again.
 */
#include "command.h"
#include "../nucleus/segment.h"

/* The segment is defined: the label gets its name, and what is kept is what the disk is then. */
static int name_and_keep(u8 *first, const name segment, void *what)
{
    struct disk *disk = what;

    if (edf_name_segment(&disk->edf, (const u8 *)segment) != EDF_OK) {
        message("SFD", 112, 'S', disk->mode, disk->vdev);
        return RC_IO;
    }
    edf_keep(&disk->edf, first);
    return 0;
}

int savefd_command(const struct call *call)
{
    u32 words = operands(call);
    name space = "        ";
    const struct option known[] = { WORD("SPACE", 5, &space) };
    struct disk *disk;
    int code = options("SFD", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    if (words < 4) {
        message("SFD", words < 2 ? 47 : 50, 'E', call->token[words - 1]);
        return RC_SYNTAX;
    }
    if (words > 4) {
        message("SFD", 70, 'E', call->token[4]);
        return RC_SYNTAX;
    }
    disk = name_length(call->token[1]) == 1 ? disk_at(call->token[1][0]) : NULL;
    if (disk == NULL) {
        message("SFD", 69, 'E', call->token[1][0]);
        return RC_DISK;
    }
    if (disk->read_only) {
        message("SFD", 37, 'E', disk->mode, disk->vdev);
        return RC_DISK;
    }
    return make_segment("SFD", call->token[2], call->token[3], edf_kept_length(&disk->edf),
                        &(struct segment_maker){ .defined = name_and_keep, .what = disk, .space = space });
}
