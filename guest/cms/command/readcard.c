/* READCARD: files from the virtual reader. */
#include "command.h"

enum { CARD = 80, END_OF_FILE = 2 };

/* The file identifier of a :READ card. */
static bool named(const char card[CARD], struct fileid *id)
{
    name token[TOKENS_MOST + 1];

    if (memcmp(card, ":READ ", 6) != 0 || tokenize(card, 30, token) < 4)
        return false;
    memcpy(id->fn, token[1], 8);
    memcpy(id->ft, token[2], 8);
    id->fm[0] = 'A';
    id->fm[1] = is_digit(token[3][1]) ? token[3][1] : '1';
    return legal_name(id->fn) && legal_name(id->ft);
}

static int begin(const struct fileid *id, int replace, struct open_file **file)
{
    struct disk *disk;
    char text[24];
    int error;
    u8 *fst;

    if (!replace && find_file(id, &disk, &fst)) {
        message("RDC", 24, 'E', show_id(id, text), "; specify REPLACE option");
        return RC_MISSING;
    }
    error = file_open(id, EDF_NEW, file);
    if (error != EDF_OK)
        return file_problem("RDC", error, id, true);
    (*file)->file.fst[FST_RECFM] = EDF_F;
    return 0;
}

/* Closes what was read; a file without cards is none. */
static int end(struct open_file *file, const struct fileid *id)
{
    if (edf_word(file->file.fst + FST_RECORDS) == 0) {
        char card[CARD];

        memset(card, ' ', CARD);
        if (edf_write(&file->file, 1, card, CARD) != EDF_OK)
            return RC_IO;
    }
    return file_problem("RDC", file_finish(file), id, true);
}

int readcard_command(const struct call *call)
{
    u32 words = operands(call), length, cards = 0;
    struct open_file *file = NULL;
    bool all;
    char card[CARD], text[24];
    struct fileid id, next;
    int replace = 1, bad = 0, code;
    const struct option known[] = { { "REPLACE", 3, &replace, 1, NULL, NULL }, { "NOREPLACE", 5, &replace, 0, NULL, NULL } };

    code = options("RDC", call, known, COUNT_OF(known));
    if (code != 0)
        return code;
    if (words < 2 || words > 4 || (words == 2 && !is(call->token[1], "*"))) {
        if (words > 4)
            message("RDC", 70, 'E', call->token[4]);
        else
            message("RDC", words < 2 ? 42 : 54, 'E');
        return RC_SYNTAX;
    }
    all = is(call->token[1], "*");
    memset(&id, ' ', sizeof id);
    if (!all && !parse_fileid("RDC", call, 1, words - 1, &id))
        return RC_SYNTAX;
    if (!all && (!legal_name(id.fn) || !legal_name(id.ft))) {
        message("RDC", 62, 'E', '*', show_id(&id, text));
        return 20;
    }
    while (code == 0 && (bad = unit_read(READER_UNIT, card, &length)) == 0) {
        for (; length < CARD; length++)
            card[length] = ' ';
        /* A :READ card is no part of the file. */
        if (named(card, &next) && (all || cards == 0)) {
            cards++;
            if (!all)
                continue;
            if (file != NULL)
                code = end(file, &id);
            file = NULL;
            id = next;
            if (code == 0) {
                code = begin(&id, replace, &file);
            if (code == 0)
                type("%s", show_id(&id, text));
            }
            continue;
        }
        cards++;
        if (file == NULL) {
            if (all) {
                memcpy(id.fn, "READCARD", 8);
                memcpy(id.ft, "CMSUT1  ", 8);
                memcpy(id.fm, "A1", 2);
            }
            code = begin(&id, replace, &file);
        }
        if (code == 0)
            code = file_problem("RDC", edf_write(&file->file, file->next_write++, card, CARD), &id, true);
    }
    if (code == 0 && file != NULL)
        code = end(file, &id);
    if (code == 0 && bad != END_OF_FILE) {
        message("RDC", cards == 0 ? 125 : 124, 'E');
        return cards == 0 ? RC_MISSING : RC_IO;
    }
    return code;
}
