/*
 * RETRIEVE: collects records that CP keeps, into a file for each day.
 *
 *   RETRIEVE ACCOUNT|EREP|SYMPTOM [fm]
 *
 * CP has each record only until it has been received, so one that cannot be written is typed instead. A file is closed
 * whenever no more records wait, and so is whole while RETRIEVE waits.
 */
#include "../nucleus/iucv.h"
#include "command.h"

enum { ACCOUNT_LENGTH = 80, HEX_ON_A_LINE = 32 };

static const struct kind { name what; char service[8]; } kinds[] = {
    { "ACCOUNT ", "*ACCOUNT" }, { "EREP    ", "*LOGREC " }, { "SYMPTOM ", "*SYMPTOM" },
};

struct retrieval { const struct kind *kind; struct fileid id; struct open_file *file; struct iucv_line *record; };

/* The file of this day: ACCOUNT mmddyy. */
static int open_today(struct retrieval *r)
{
    static const u8 digits[] = { 0, 1, 3, 4, 6, 7 };
    struct moment at;
    int error;

    now(&at);
    memset(r->id.ft, ' ', sizeof r->id.ft);
    for (u32 n = 0; n < sizeof digits; n++)
        r->id.ft[n] = at.date[digits[n]];
    error = file_open(&r->id, EDF_UPDATE, &r->file);
    if (error != EDF_OK) {
        r->file = NULL;
        return file_problem("RTV", error, &r->id, true);
    }
    if (edf_word(r->file->file.fst + FST_RECORDS) == 0) {
        bool fixed = is(r->kind->what, "ACCOUNT");

        r->file->file.fst[FST_RECFM] = fixed ? EDF_F : EDF_V;
        edf_set_word(r->file->file.fst + FST_LRECL, fixed ? ACCOUNT_LENGTH : 0);
    }
    return 0;
}

static int close_file(struct retrieval *r)
{
    struct open_file *file = r->file;

    r->file = NULL;
    return file == NULL ? 0 : file_problem("RTV", file_finish(file), &r->id, true);
}

/* A record that is in no file: in hexadecimal. */
static void type_record(const struct retrieval *r, const u8 *record, u32 length)
{
    char line[2 * HEX_ON_A_LINE + 1];

    message("RTV", 1098, 'E', r->kind->what);
    for (u32 at = 0; at < length; at += HEX_ON_A_LINE) {
        u32 used = 0;

        for (u32 n = at; n < length && n < at + HEX_ON_A_LINE; n++)
            used += format(line + used, sizeof line - used, "%02x", record[n]);
        type_line(line, used);
    }
}

/* A record is on the disk before the next one is taken: CP has it no more. */
static int keep_record(struct retrieval *r, const u8 *record, u32 length)
{
    int code = open_today(r), error;

    if (code != 0)
        return code;
    error = edf_write(&r->file->file, edf_word(r->file->file.fst + FST_RECORDS) + 1, record, length);
    if (error == EDF_OK)
        return close_file(r);
    file_abandon(r->file);
    r->file = NULL;
    return file_problem("RTV", error, &r->id, true);
}

static int take_records(struct retrieval *r)
{
    int code = 0;

    while (code == 0 && iucv_next(r->record)) {
        const u8 *record = (const u8 *)r->record->from;
        u32 length = sizeof(name) + r->record->length;

        code = keep_record(r, record, length);
        if (code != 0)
            type_record(r, record, length);
    }
    return code;
}

/* Whether a line that was typed ends it. */
static bool is_ended(void)
{
    char line[256];
    u32 length;

    while (typed_ahead(line, &length)) {
        name word = "        ";

        for (u32 n = 0; n < length && n < sizeof word && line[n] != ' '; n++)
            word[n] = upper(line[n]);
        if (is(word, "END") || is(word, "QUIT"))
            return true;
        message("RTV", 1099, 'E', word);
    }
    return false;
}

int retrieve_command(const struct call *call)
{
    struct retrieval r = { .id = { "        ", "        ", "A " } };
    u8 refused;
    int code = 0;

    if (call->count < 2) {
        message("RTV", 50, 'E', call->token[0]);
        return RC_SYNTAX;
    }
    for (u32 n = 0; n < COUNT_OF(kinds); n++)
        if (memcmp(call->token[1], kinds[n].what, sizeof(name)) == 0)
            r.kind = &kinds[n];
    if (r.kind == NULL || call->count > 3 || (call->count == 3 && !legal_mode(call->token[2]))) {
        message("RTV", 70, 'E', call->token[call->count > 3 ? 3 : r.kind == NULL ? 1 : 2]);
        return RC_SYNTAX;
    }
    if (call->count == 3)
        memcpy(r.id.fm, call->token[2], sizeof r.id.fm);
    memcpy(r.id.fn, r.kind->what, sizeof(name));
    /* Before a record is taken: a disk that cannot be written to. */
    code = open_today(&r);
    if (code != 0)
        return code;
    file_abandon(r.file);
    r.file = NULL;
    refused = iucv_open(r.kind->service);
    if (refused != 0) {
        message("RTV", 1100, 'E', r.kind->service, (u32)refused);
        return RC_IO;
    }
    message("RTV", 1101, 'I', r.kind->what);
    r.record = obtain_command(sizeof *r.record);
    for (;;) {
        exec_attention &= ~(u32)EXEC_LOOK;
        attend();
        code = take_records(&r);
        /* HI ends it, too. */
        if (code != 0 || (exec_attention & 1) || is_ended())
            break;
        wait_until(UINT64_MAX);
    }
    iucv_close();
    release(r.record);
    return code;
}
