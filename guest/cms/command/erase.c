/* ERASE: files go. */
#include "command.h"

int erase_command(const struct call *call)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    int show = 0, code, error = EDF_OK;
    const struct option known[] = { FLAG("TYPE", 1, &show, 1), FLAG("NOTYPE", 3, &show, 0) };
    u32 erased = 0;
    struct fileid id, gone;
    char text[24];

    code = options("ERS", call, known, COUNT_OF(known));
    if (code != 0)
        return code;
    if ((code = one_fileid("ERS", call, 1, &id)) != 0)
        return code;
    if (id.fm[0] == ' ')
        id.fm[0] = 'A';
    if (id.fm[0] != '*') {
        struct disk *disk = disk_at(id.fm[0]);

        if (disk == NULL || disk->read_only)
            return file_problem("ERS", disk == NULL ? EDF_NOT_FOUND : EDF_READ_ONLY, &id, true);
    }
    for (u32 n = 0; n < 26 && error == EDF_OK; n++) {
        struct disk *disk = disk_at(letters[n]);
        u8 *fst;

        if (disk == NULL || disk->read_only || (id.fm[0] != '*' && id.fm[0] != letters[n]))
            continue;
        /* The entry that is erased is taken by another, so the place is looked at again. */
        for (u32 k = 0; error == EDF_OK && (fst = edf_entry(&disk->edf, k)) != NULL;) {
            struct open_file *open;

            if (!matches(id.fn, fst + FST_NAME) || !matches(id.ft, fst + FST_TYPE) ||
                (id.fm[1] != ' ' && id.fm[1] != (char)fst[FST_MODE + 1])) {
                k++;
                continue;
            }
            id_of(disk, fst, &gone);
            while ((open = file_is_open(disk, fst)) != NULL)
                file_finish(open);
            error = edf_erase(&disk->edf, (u8 *)gone.fn, (u8 *)gone.ft);
            if (error == EDF_OK && show)
                type("%s", show_id(&gone, text));
            erased++;
        }
        if (error == EDF_OK)
            error = edf_commit(&disk->edf);
    }
    if (error != EDF_OK)
        return file_problem("ERS", error, &gone, true);
    return erased > 0 ? 0 : file_problem("ERS", EDF_NOT_FOUND, &id, false);
}
