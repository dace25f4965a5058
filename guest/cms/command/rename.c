/* RENAME: files get other names, types or mode numbers. */
#include "command.h"

static void take(char *to, const char *new, const char *old)
{
    memcpy(to, new[0] == '=' ? old : new, 8);
}

static bool good_new(const name part)
{
    return part[0] == '=' || legal_name(part);
}

int rename_command(const struct call *call)
{
    int show = 0, update = 1, code, error = EDF_OK;
    const struct option known[] = {
        FLAG("TYPE", 1, &show, 1), FLAG("NOTYPE", 3, &show, 0),
        FLAG("UPDIRT", 2, &update, 1), FLAG("NOUPDIRT", 4, &update, 0),
    };
    u32 words = operands(call), renamed = 0;
    struct fileid old, new, result = { 0 };
    struct disk *disk;
    char text[24];
    u8 *fst;

    code = options("RNM", call, known, COUNT_OF(known));
    if (code != 0)
        return code;
    if (words != 7) {
        if (words > 7)
            message("RNM", 70, 'E', call->token[7]);
        else
            message("RNM", words < 2 ? 42 : 54, 'E');
        return RC_SYNTAX;
    }
    if (!parse_fileid("RNM", call, 1, 3, &old) || !parse_fileid("RNM", call, 4, 3, &new))
        return RC_SYNTAX;
    if (old.fm[0] == '*' || old.fm[0] == '=' || (new.fm[0] != '=' && new.fm[0] != old.fm[0])) {
        message("RNM", 48, 'E', call->token[old.fm[0] == '*' ? 3 : 6]);
        return RC_SYNTAX;
    }
    for (u32 n = 0; n < 2; n++) {
        const char *part = n == 0 ? new.fn : new.ft;

        if (!good_new(part)) {
            message("RNM", 62, 'E', '*', show_id(&new, text));
            return 20;
        }
    }
    disk = disk_at(old.fm[0]);
    if (disk == NULL || disk->read_only)
        return file_problem("RNM", disk == NULL ? EDF_NOT_FOUND : EDF_READ_ONLY, &old, true);
    files_finish_all();
    for (u32 n = 0; error == EDF_OK && (fst = edf_entry(&disk->edf, n)) != NULL; n++) {
        if (!matches(old.fn, fst + FST_NAME) || !matches(old.ft, fst + FST_TYPE) ||
            (old.fm[1] != ' ' && old.fm[1] != (char)fst[FST_MODE + 1]))
            continue;
        take(result.fn, new.fn, (char *)fst + FST_NAME);
        take(result.ft, new.ft, (char *)fst + FST_TYPE);
        result.fm[0] = disk->mode;
        result.fm[1] = is_digit(new.fm[1]) ? new.fm[1] : (char)fst[FST_MODE + 1];
        error = edf_rename(&disk->edf, fst, (u8 *)result.fn, (u8 *)result.ft, (u8)result.fm[1]);
        if (error == EDF_OK && show)
            type("%s", show_id(&result, text));
        renamed++;
    }
    if (error == EDF_EXISTS) {
        char line[24];

        message("RNM", 24, 'E', show_id(&result, line), "");
        (void)edf_commit(&disk->edf);
        return RC_MISSING;
    }
    if (error == EDF_OK && renamed > 0)
        error = edf_commit(&disk->edf);
    if (error != EDF_OK)
        return file_problem("RNM", error, &result, true);
    return renamed > 0 ? 0 : file_problem("RNM", EDF_NOT_FOUND, &old, false);
}
