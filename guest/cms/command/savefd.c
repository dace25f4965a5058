/*
 * SAVEFD: a disk's file status tables become a saved segment, which all who access the disk for reading have in common.
 *
 * The segment is defined and saved here, at the page that is named; its name goes into the disk's label, and with the first
 * change of the disk out of it again.
 */
#include "command.h"
#include "../nucleus/segment.h"

int savefd_command(const struct call *call)
{
    u32 words = operands(call), page, length, first;
    char line[80];
    struct disk *disk;
    int code;

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
    if (!legal_name(call->token[2]) || !parse_hex(call->token[3], name_length(call->token[3]), &page) || page > 0x7ffff) {
        message("SFD", 70, 'E', legal_name(call->token[2]) ? call->token[3] : call->token[2]);
        return RC_SYNTAX;
    }
    length = (edf_kept_length(&disk->edf) + 4095) & ~4095u;
    first = page << 12;
    if (first + length > storage_bytes() || !reserve_storage(first, first + length - 1)) {
        message("SFD", 1085, 'E', call->token[2]);
        return 41;
    }
    memset((void *)first, 0, length);
    code = edf_name_segment(&disk->edf, (const u8 *)call->token[2]) == EDF_OK ? 0 : RC_IO;
    if (code != 0) {
        message("SFD", 112, 'S', disk->mode, disk->vdev);
    } else {
        edf_keep(&disk->edf, (u8 *)first);
        code = cp_typed(line, format(line, sizeof line, "DEFSEG %t %x-%x SR", call->token[2], page, page + (length >> 12) - 1));
        if (code == 0)
            code = cp_typed(line, format(line, sizeof line, "SAVESEG %t", call->token[2]));
    }
    release((void *)first);
    return code;
}
