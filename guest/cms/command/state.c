/* STATE and STATEW: whether there is a file, and whether it could be written. VALIDATE: whether there could be one. */
#include "command.h"

static int state(const struct call *call, bool write)
{
    struct fileid id;
    struct disk *disk;
    u8 *fst;
    int code = options("STT", call, NULL, 0);

    if (code == 0)
        code = one_fileid("STT", call, 1, &id);
    if (code != 0)
        return code;
    if (id.fm[0] != ' ' && id.fm[0] != '*' && disk_at(id.fm[0]) == NULL) {
        message("STT", 69, 'E', id.fm[0]);
        return RC_DISK;
    }
    if (id.fm[0] == ' ')
        id.fm[0] = '*';
    if (id.fn[0] == '*' || id.ft[0] == '*') {
        struct search search;

        search_begin(&search, &id);
        while (search_next(&search))
            if (!write || !search.disk->read_only)
                return 0;
    } else if (find_file(&id, &disk, &fst) && !(write && disk->read_only)) {
        return 0;
    }
    if (id.fm[0] == '*')
        id.fm[0] = 'A';
    return file_problem("STT", EDF_NOT_FOUND, &id, false);
}

int state_command(const struct call *call) { return state(call, false); }
int statew_command(const struct call *call) { return state(call, true); }

/* VALIDATE: whether a file could be called that, and its mode is accessed. */
int validate_command(const struct call *call)
{
    u32 words = operands(call);
    struct fileid id;
    char text[24];

    if (words > 4) {
        message("VLD", 70, 'E', call->token[4]);
        return RC_SYNTAX;
    }
    if (!parse_fileid("VLD", call, 1, words - 1, &id))
        return RC_SYNTAX;
    for (u32 n = 1; n < words && n < 3; n++)
        for (u32 k = 0; k < name_length(call->token[n]); k++) {
            name one = "        ";

            one[0] = call->token[n][k];
            if (!legal_name(one)) {
                message("VLD", 62, 'E', one[0], show_id(&id, text));
                return 20;
            }
        }
    if (words == 4 && id.fm[0] != '*' && disk_at(id.fm[0]) == NULL) {
        message("VLD", 69, 'E', id.fm[0]);
        return RC_DISK;
    }
    return 0;
}
