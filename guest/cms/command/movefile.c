/*
 * MOVEFILE: records from what one FILEDEF says to what another does (dataset.c).
 */
#include "dataset.h"

/* What is written is as what is read, where FILEDEF has said nothing. */
static int open_output(struct dataset *out, const struct dataset *in)
{
    bool from_disk = in->what.device == ON_DISK, from_tape = in->what.device == ON_TAPE && in->lrecl != 0;
    u32 lrecl = from_disk ? edf_word(in->reader.file->file.fst + FST_LRECL) : from_tape ? in->lrecl : 80;
    char recfm = from_disk ? (char)in->reader.file->file.fst[FST_RECFM] : from_tape && in->variable ? 'V' : 'F';

    return dataset_open_output("MVE", out, recfm, lrecl);
}

int movefile_command(const struct call *call)
{
    static const name usual[2] = { "INMOVE  ", "OUTMOVE " };
    struct dataset in, out;
    u32 words = call->count, length = 0;
    struct place record = { 0 };
    int code;

    if (words > 3) {
        message("MVE", 70, 'E', call->token[3]);
        return RC_SYNTAX;
    }
    dataset_define("MVE", &in, words > 1 ? call->token[1] : usual[0]);
    dataset_define("MVE", &out, words > 2 ? call->token[2] : usual[1]);
    if (in.what.device == ON_DISK && out.what.device == ON_DISK &&
        memcmp(&in.what.id, &out.what.id, sizeof in.what.id) == 0) {
        message("MVE", 41, 'E');
        return 40;
    }
    code = dataset_open_input("MVE", &in);
    if (code == 0)
        code = open_output(&out, &in);
    while (code == 0 && dataset_take("MVE", &in, &record, &length, &code)) {
        code = dataset_put("MVE", &out, &record, length);
        attend();
    }
    release(record.at);
    dataset_close_input(&in);
    return dataset_close_output("MVE", &out, in.what.device == ON_DISK ? &in.what.id : NULL, code);
}
