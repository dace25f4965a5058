/* RELEASE: a mode letter is given back, and with DET the disk as well. */
#include "command.h"

int release_command(const struct call *call)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    int detach = 0, code;
    const struct option known[] = { FLAG("DET", 3, &detach, 1) };
    u32 words = operands(call), vdev;
    struct disk *disk = NULL;
    bool any = false;
    char line[24];

    code = options("ARE", call, known, COUNT_OF(known));
    if (code != 0)
        return code;
    if (words != 2) {
        message("ARE", words < 2 ? 50 : 70, 'E', words < 2 ? call->token[0] : call->token[2]);
        return RC_SYNTAX;
    }
    if (name_length(call->token[1]) == 1 && is_letter(call->token[1][0])) {
        disk = disk_at(call->token[1][0]);
        if (disk == NULL) {
            message("ARE", 69, 'E', call->token[1][0]);
            return RC_DISK;
        }
        vdev = disk->vdev;
        disk_release(disk->mode);
    } else {
        if (!parse_hex(call->token[1], name_length(call->token[1]), &vdev) || vdev > 0xffff) {
            message("ARE", 17, 'E', call->token[1]);
            return RC_SYNTAX;
        }
        /* A number means the disk under all the letters that it has. */
        for (u32 n = 0; n < 26; n++) {
            disk = disk_at(letters[n]);
            if (disk != NULL && disk->vdev == vdev) {
                disk_release(letters[n]);
                any = true;
            }
        }
        if (!any) {
            message("ARE", 113, 'S', "?", vdev);
            return RC_IO;
        }
    }
    if (!detach)
        return 0;
    return cp_typed(line, format(line, sizeof line, "DETACH %04x", vdev));
}
