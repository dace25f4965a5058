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

/* More cards for a file that was closed already. */
static int resume(const struct fileid *id, struct open_file **file)
{
    return file_problem("RDC", file_open(id, EDF_UPDATE, file), id, true);
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

/* Whether the user wants the file. MINPROMPT does not ask for one that the reader file is called after. */
static bool wanted(struct fileid *id, int prompting, const struct spooled *spooled, enum reply *reply)
{
    bool expected = memcmp(id->fn, spooled->fn, sizeof(name)) == 0 && memcmp(id->ft, spooled->ft, sizeof(name)) == 0;

    *reply = prompting == PROMPT_ALL || (prompting == PROMPT_OTHERS && !expected) ? ask_receive("RDC", id) : REPLY_YES;
    return *reply == REPLY_YES;
}

int readcard_command(const struct call *call)
{
    u32 length, cards = 0;
    struct open_file *file = NULL;
    bool all;
    char card[CARD], text[24];
    struct fileid id, next;
    enum reply reply = REPLY_YES;
    struct spooled spooled;
    bool skipping = false, whole = false;
    int replace = 1, prompting = PROMPT_NONE, bad = 0, code;
    const struct option known[] = {
        FLAG("REPLACE", 3, &replace, 1), FLAG("NOREPLACE", 5, &replace, 0),
        PROMPT_OPTIONS(&prompting),
    };

    code = options("RDC", call, known, COUNT_OF(known));
    if (code != 0)
        return code;
    all = operands(call) > 1 && is(call->token[1], "*");
    memset(&id, ' ', sizeof id);
    if (all && operands(call) > 2) {
        message("RDC", 70, 'E', call->token[2]);
        return RC_SYNTAX;
    }
    if (!all && (code = one_fileid("RDC", call, 1, &id)) != 0)
        return code;
    if (!all && (!legal_name(id.fn) || !legal_name(id.ft))) {
        message("RDC", 62, 'E', '*', show_id(&id, text));
        return 20;
    }
    memset(&spooled, ' ', sizeof spooled);
    (void)find_spooled(NULL, &spooled);
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
            if (code == 0 && wanted(&id, prompting, &spooled, &reply)) {
                code = begin(&id, replace, &file);
                if (code == 0)
                    type("%s", show_id(&id, text));
            }
            if (reply == REPLY_QUIT)
                break;
            skipping = reply == REPLY_NO;
            continue;
        }
        cards++;
        if (skipping)
            continue;
        if (file == NULL && whole) {
            code = resume(&id, &file);
        } else if (file == NULL) {
            if (all) {
                memcpy(id.fn, "READCARD", 8);
                memcpy(id.ft, "CMSUT1  ", 8);
                memcpy(id.fm, "A1", 2);
            }
            code = begin(&id, replace, &file);
        }
        if (code == 0)
            code = file_problem("RDC", edf_write(&file->file, file->next_write++, card, CARD), &id, true);
        /*
         * CP throws the cards away at the read after the last one. So the file is on the disk before that, or they
         * stay.
         */
        whole = code == 0 && cards == spooled.records;
        if (whole) {
            code = end(file, &id);
            file = NULL;
        }
    }
    if (code == 0 && file != NULL)
        code = end(file, &id);
    else if (file != NULL)
        file_abandon(file);
    /* What has not been read stays. */
    if (cards > 0 && bad == 0)
        put_back(&spooled);
    if (reply == REPLY_QUIT)
        return code;
    if (code == 0 && bad != END_OF_FILE) {
        message("RDC", cards == 0 ? 125 : 124, 'E');
        return cards == 0 ? RC_MISSING : RC_IO;
    }
    return code;
}
