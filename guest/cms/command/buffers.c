/* MAKEBUF, DROPBUF, DESBUF, SENTRIES, CONWAIT, FINIS: the program stack, the console and the open files, for execs. */
#include "command.h"

/* Those that take no operands. */
static bool nothing_more(const struct call *call)
{
    if (call->count > 1)
        message("BUF", 70, 'E', call->token[1]);
    return call->count == 1;
}

int makebuf_command(const struct call *call)
{
    u32 number;

    if (!nothing_more(call))
        return RC_SYNTAX;
    number = make_buffer();
    if (number == 0) {
        message("BUF", 109, 'S');
        return RC_STORAGE;
    }
    return (int)number;
}

int dropbuf_command(const struct call *call)
{
    u32 number = 0;

    if (call->count > 1 && !parse_number(call->token[1], name_length(call->token[1]), &number)) {
        message("BUF", 70, 'E', call->token[1]);
        return RC_SYNTAX;
    }
    if (call->count > 2) {
        message("BUF", 70, 'E', call->token[2]);
        return RC_SYNTAX;
    }
    if (call->count > 1 && number == 0) {
        clear_stack();
        return 0;
    }
    return drop_buffer(number) ? 0 : 1;
}

int desbuf_command(const struct call *call)
{
    if (!nothing_more(call))
        return RC_SYNTAX;
    clear_stack();
    clear_typed_ahead();
    return 0;
}

int sentries_command(const struct call *call)
{
    return nothing_more(call) ? (int)stacked_lines() : RC_SYNTAX;
}

/* What was typed is at the terminal already. */
int conwait_command(const struct call *call)
{
    if (!nothing_more(call))
        return RC_SYNTAX;
    attend();
    return 0;
}

int finis_command(const struct call *call)
{
    u32 words = operands(call), closed = 0;
    struct search search;
    struct fileid id;
    int error = EDF_OK;

    if (words < 3 || words > 4) {
        message("FNS", 54, 'E');
        return RC_SYNTAX;
    }
    if (!parse_fileid("FNS", call, 1, words - 1, &id))
        return RC_SYNTAX;
    if (id.fn[0] == '*' && id.ft[0] == '*')
        return files_finish_all();
    if (id.fm[0] == ' ')
        id.fm[0] = '*';
    /* A new file has no entry yet. */
    struct disk *disk = disk_at(id.fm[0] == '*' ? 'A' : id.fm[0]);
    struct open_file *file = disk != NULL ? file_is_open(disk, (u8 *)id.fn) : NULL;
    if (file != NULL) {
        error = file_finish(file);
        closed++;
    }
    search_begin(&search, &id);
    while (error == EDF_OK && search_next(&search))
        if ((file = file_is_open(search.disk, search.fst)) != NULL) {
            error = file_finish(file);
            closed++;
            search_begin(&search, &id);
        }
    return error != EDF_OK ? file_problem("FNS", error, &id, true) : closed > 0 ? 0 : 6;
}
