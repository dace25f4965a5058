/* ACCESS: a minidisk gets a mode letter. */
#include "command.h"

static bool parse_mode(const name token, char *mode, char *extends)
{
    u32 length = name_length(token);
    bool good = is_letter(token[0]) && (length == 1 || (length == 3 && token[1] == '/' && is_letter(token[2])));

    *mode = token[0];
    *extends = length == 3 ? token[2] : 0;
    if (!good)
        message("ACC", 48, 'E', token);
    return good;
}

/*
 * The disk seems empty, which ACCESS (ERASE asks for. That is not on the disk before a file is written: until then
 * ACCESS without ERASE, or RELEASE, leaves everything as it was.
 */
static int seem_empty(struct disk *disk)
{
    int error = EDF_OK;
    u8 *fst;

    while (error == EDF_OK && (fst = edf_entry(&disk->edf, 0)) != NULL)
        error = edf_erase(&disk->edf, fst + FST_NAME, fst + FST_TYPE);
    return error;
}

/* Whether there is a file that the disk shows. */
static bool shows_something(struct disk *disk)
{
    const u8 *fst;

    for (u32 n = 0; (fst = edf_entry(&disk->edf, n)) != NULL; n++)
        if (disk_shows(disk, fst))
            return true;
    return false;
}

/* Whether there is a device at all, of a type that CMS has no use for. */
bool unsupported_device(u16 vdev)
{
    struct device device;
    struct disk disk;

    if (!device_of(vdev, &device))
        return false;
    return !disk_shape(vdev, &disk) || (!disk.fixed && blocks_of_track(disk.type, 4096) == 0);
}

int access_failed(int error, u16 vdev, char mode)
{
    if (error == EDF_STORAGE) {
        message("ACP", 109, 'S');
        return RC_STORAGE;
    }
    if (error == EDF_NOT_KEPT) {
        message("ACP", 1089, 'E', mode, vdev);
        return RC_MISSING;
    }
    if (unsupported_device(vdev)) {
        message("ACP", 114, 'S', vdev);
        return RC_UNSUPPORTED;
    }
    if (error == EDF_NOT_FOUND)
        message("ACP", 113, 'S', (const char[]){ mode, 0 }, vdev);
    else
        message("ACP", error == EDF_NO_LABEL ? 115 : 112, 'S', mode, vdev);
    return RC_IO;
}

int access_command(const struct call *call)
{
    enum { FORCE_RO = 1, FORCE_RW };
    int no_profile = 0, erase = 0, no_disk = 0, force = 0, save = USE_SAVED, code, error;
    const struct option known[] = {
        FLAG("NOPROF", 6, &no_profile, 1), FLAG("ERASE", 5, &erase, 1),
        FLAG("NODISK", 6, &no_disk, 1), FLAG("FORCERO", 7, &force, FORCE_RO),
        FLAG("FORCERW", 7, &force, FORCE_RW), FLAG("NOSAVE", 6, &save, NO_SAVED),
        FLAG("USESAVE", 7, &save, USE_SAVED), FLAG("SAVEONLY", 8, &save, ONLY_SAVED),
    };
    u32 words = operands(call), number = 0x191;
    char mode = 'A', extends = 0, text[24];
    struct disk *disk, *old;
    struct fileid only;

    code = options("ACC", call, known, COUNT_OF(known));
    if (code != 0 || no_disk)
        return code;
    if (words > 1 && (!parse_hex(call->token[1], name_length(call->token[1]), &number) || number > 0xffff)) {
        message("ACC", 17, 'E', call->token[1]);
        return RC_SYNTAX;
    }
    if (words > 2 && !parse_mode(call->token[2], &mode, &extends))
        return RC_SYNTAX;
    if (words > 6) {
        message("ACC", 70, 'E', call->token[6]);
        return RC_SYNTAX;
    }
    if (!parse_fileid("ACC", call, 3, words > 3 ? words - 3 : 0, &only))
        return RC_SYNTAX;
    old = disk_on((u16)number);
    if (old != NULL && old->mode != mode && !old->read_only && extends == 0 && force != FORCE_RO) {
        message("ACP", 59, 'E', number, old->mode);
        return RC_DISK;
    }
    if (old != NULL && old->mode != mode)
        message("ACP", 725, 'I', number, old->mode);
    old = disk_at(mode);
    u16 replaced = old != NULL ? old->vdev : 0;
    disk_release(mode);
    saved_directory = (enum saved_directory)save;
    error = disk_access((u16)number, mode, extends, force == FORCE_RO || words > 3, &disk);
    if ((error == EDF_NO_LABEL || error == EDF_IO) && words <= 3)
        error = volume_access((u16)number, mode, extends, error, &disk);
    if (error != EDF_OK) {
        if (replaced != 0)
            message("ACP", 726, 'I', replaced, mode);
        return access_failed(error, (u16)number, mode);
    }
    if (replaced != 0 && replaced != (u16)number)
        message("ACP", 724, 'I', number, mode, replaced);
    memcpy(disk->only_name, only.fn, sizeof(name));
    memcpy(disk->only_type, only.ft, sizeof(name));
    disk->only_number = only.fm[1] == ' ' ? 0 : only.fm[1];
    if (words > 3 && !shows_something(disk)) {
        only.fm[0] = mode;
        message("ACC", 60, 'E', show_id(&only, text), mode, number);
        disk_release(mode);
        return RC_MISSING;
    }
    if (disk->read_only) {
        format(text, sizeof text, extends != 0 ? "%c/%c" : "%c", mode, extends);
        message("ACP", 723, 'I', text, number, volume_status(disk));
    } else if (erase) {
        return file_problem("ACC", seem_empty(disk), &only, true);
    }
    return 0;
}
