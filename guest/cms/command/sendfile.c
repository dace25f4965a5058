/*
 * SENDFILE: files for other users, by punch and reader.
 *
 * A file goes as NETDATA (netdata.c), so it comes with its name, format and date, or with OLD as cards of DISK DUMP
 * (disk.c). What was sent is noted in userid NETLOG A0; with ACK its RECEIVE sends an answer. NOTE says that the file
 * is a note, which RECEIVE puts into a notebook. With FILELIST the file names those that are sent. Without operands a
 * display shows a panel, made by the macro PROFSEND.
 */
#include "command.h"
#include "../nucleus/exec.h"

/* Appends a line to userid NETLOG A0, if A can be written. */
void netlog(const char *line, u32 length)
{
    struct fileid id = { .ft = "NETLOG  ", .fm = "A0" };

    identification(id.fn);
    log_line(&id, line, length);
}

/* Appends a line to a file, if its disk can be written. */
void log_line(const struct fileid *id, const char *line, u32 length)
{
    struct disk *disk = disk_at(id->fm[0]);
    struct open_file *file;

    if (disk == NULL || disk->read_only)
        return;
    if (file_open(id, EDF_UPDATE, &file) != EDF_OK)
        return;
    if (edf_word(file->file.fst + FST_RECORDS) == 0)
        file->file.fst[FST_RECFM] = EDF_V;
    if (edf_write(&file->file, file->next_write, line, length) != EDF_OK)
        file_abandon(file);
    else
        (void)file_finish(file);
}

u32 on_date(char *to, u32 room)
{
    struct moment at;

    now(&at);
    return format(to, room, " on %02u/%02u/%02u %02u:%02u:%02u", at.month, at.day, at.year % 100, at.hour, at.minute,
                  at.second);
}

/* A CP command whose answer is only of interest if it fails. */
int quietly(const char *line, u32 length)
{
    char response[256];
    u32 room = sizeof response;
    int code = cp(line, length, response, &room);

    if (code != 0 && room > 0 && !(room & 0x80000000u))
        type_line(response, response[room - 1] == 0x15 ? room - 1 : room);
    return code;
}

static bool is_here(const struct recipient *to)
{
    name here;

    node_of(here);
    return to->node[0] == ' ' || memcmp(to->node, here, sizeof(name)) == 0;
}

/* What was punched goes to the user; to another node by RSCS. */
int close_punch(const struct recipient *to, const name class, const name fn, const name ft)
{
    char command[96];
    int code = 0;

    if (!is_here(to))
        code = quietly(command, format(command, sizeof command, "TAG DEV %03x %t %t", PUNCH_UNIT, to->node,
                                       to->userid));
    if (code == 0)
        code = quietly(command, format(command, sizeof command, "CLOSE %03x TO %t CLASS %t NAME %t %t", PUNCH_UNIT,
                                       is_here(to) ? to->userid : "RSCS    ", class, fn, ft));
    return code;
}

struct sending { int log, show, acknowledge, note, old, list; name class; };

static int punch_netdata(const struct sending *how, struct reader *reader, const struct recipient *to)
{
    struct netdata_file file = {
        .mode_number = reader->id.fm[1], .note = how->note != 0, .acknowledge = how->acknowledge != 0,
    };
    const u8 *fst = reader->file->file.fst;
    struct sender sender;
    char text[24];
    int code = 0;

    memcpy(file.fn, reader->id.fn, sizeof(name));
    memcpy(file.ft, reader->id.ft, sizeof(name));
    file.recfm = (char)fst[FST_RECFM];
    file.lrecl = edf_word(fst + FST_LRECL);
    file.records = edf_word(fst + FST_RECORDS);
    identification(file.userid);
    node_of(file.node);
    file.stamp[0] = fst[FST_FLAGS] & FST_CENTURY_FLAG;
    memcpy(file.stamp + 1, fst + FST_STAMP, 6);
    netdata_begin(&sender, &file, to);
    reader->number = 0;
    while (reader_next("SFD", reader, &code))
        netdata_record(&sender, reader->record, reader->length);
    if (code == 0 && netdata_end(&sender) != 0) {
        message("SFD", 118, 'S', show_id(&reader->id, text));
        code = RC_IO;
    }
    return code;
}

static int send_one(const struct sending *how, struct reader *reader, const struct recipient *to)
{
    struct fileid id = reader->id;
    char line[128], text[24];
    name here;
    u32 length;
    int code = how->old ? cards_out("SFD", &id) : punch_netdata(how, reader, to);

    if (code == 0)
        code = close_punch(to, how->class, id.fn, id.ft);
    if (code != 0) {
        quietly(line, format(line, sizeof line, "CLOSE %03x PURGE", PUNCH_UNIT));
        return code;
    }
    node_of(here);
    length = format(line, sizeof line, "%s %s sent to %t at %t", how->note ? "Note" : "File", show_id(&id, text),
                    to->userid, to->node[0] == ' ' ? here : to->node);
    length += on_date(line + length, sizeof line - length);
    if (how->show)
        type_line(line, length);
    if (how->log)
        netlog(line, length);
    return 0;
}

/* The words after the file: names, each perhaps AT a node. */
static int parse_recipients(const struct call *call, u32 from, u32 words, struct recipient *list, u32 *count)
{
    *count = 0;
    for (u32 n = from; n < words; n++) {
        if (n + 2 < words && is(call->token[n + 1], "AT") && *count < RECIPIENTS_MOST) {
            memcpy(list[*count].userid, call->token[n], sizeof(name));
            memcpy(list[(*count)++].node, call->token[n + 2], sizeof(name));
            n += 2;
        } else if (n + 1 < words && is(call->token[n + 1], "AT")) {
            message("SFD", 50, 'E', call->token[n + 1]);
            return RC_SYNTAX;
        } else if (!recipients(call->token[n], list, count)) {
            message("SFD", 630, 'E', RECIPIENTS_MOST);
            return RC_SYNTAX;
        }
    }
    if (*count == 0) {
        message("SFD", 631, 'E');
        return RC_SYNTAX;
    }
    return 0;
}

/* A file, to each of them. */
static int send_file(const struct sending *how, const struct fileid *id, const struct recipient *list, u32 count)
{
    struct reader reader;
    int code = reader_open("SFD", &reader, id);

    if (code != 0)
        return code;
    /* The cards of DISK DUMP are read from the beginning for each. */
    if (how->old)
        reader_close(&reader);
    for (u32 n = 0; n < count; n++) {
        int result = send_one(how, &reader, &list[n]);

        code = result != 0 ? result : code;
    }
    if (!how->old)
        reader_close(&reader);
    return code;
}

/* The files that the lines of a file name: fn ft fm, after &1 and &2 of an exec of LISTFILE's, if there are those. */
static int send_listed(const struct sending *how, const struct fileid *id, const struct recipient *list, u32 count)
{
    name token[TOKENS_MOST + 1];
    struct call named = { .token = token };
    struct reader reader;
    struct fileid file;
    int code = reader_open("SFD", &reader, id), worst = 0;

    if (code != 0)
        return code;
    while (reader_next("SFD", &reader, &code)) {
        u32 first = 0;

        named.count = tokenize(reader.record, reader.length, token);
        while (first < named.count && token[first][0] == '&')
            first++;
        if (named.count < first + 2 || token[first][0] == '*')
            continue;
        code = parse_fileid("SFD", &named, first, named.count - first < 3 ? named.count - first : 3, &file)
                   ? send_file(how, &file, list, count)
                   : RC_SYNTAX;
        worst = code != 0 ? code : worst;
    }
    reader_close(&reader);
    return code != 0 ? code : worst;
}

static int options_given(const struct call *call, struct sending *how)
{
    int modern = 0;
    const struct option known[] = {
        FLAG("LOG", 3, &how->log, 1), FLAG("NOLOG", 5, &how->log, 0), FLAG("TYPE", 2, &how->show, 1),
        FLAG("NOTYPE", 4, &how->show, 0), FLAG("NEW", 3, &modern, 1), FLAG("OLD", 3, &how->old, 1),
        FLAG("ACK", 2, &how->acknowledge, 1), FLAG("NOACK", 5, &how->acknowledge, 0),
        FLAG("NOTE", 3, &how->note, 1), FLAG("FILELIST", 8, &how->list, 1), WORD("CLASS", 5, &how->class),
    };
    int code = options_of("SENDFILE", "SFD", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    /* Cards of DISK DUMP have no room for what these want. */
    if (how->old && (modern || how->acknowledge || how->note)) {
        message("SFD", 66, 'E', "OLD     ", modern ? "NEW     " : how->acknowledge ? "ACK     " : "NOTE    ");
        return RC_SYNTAX;
    }
    if (name_length(how->class) != 1 || (!is_letter(how->class[0]) && !is_digit(how->class[0]))) {
        message("SFD", 29, 'E', how->class, "CLASS   ");
        return RC_SYNTAX;
    }
    return 0;
}

int sendfile_command(const struct call *call)
{
    static const char panel[] = "XEDIT SENDFILE PANEL A0 (NOMSG PROFILE PROFSEND";
    struct sending how = { .log = 1, .show = 1, .class = "A       " };
    struct recipient *list = obtain_command(RECIPIENTS_MOST * sizeof *list);
    u32 words = operands(call), named = 3, count;
    struct fileid id;
    int code = options_given(call, &how);

    if (code != 0)
        return code;
    if (words < 2 && console_is_display() && capturing() == NULL && exec_exists("PROFSEND", "XEDIT   "))
        return perform(panel, sizeof panel - 1, CALL_COMMAND);
    if (words < 4) {
        message("SFD", words < 2 ? 42 : words < 3 ? 54 : 631, 'E');
        return RC_SYNTAX;
    }
    if (is(call->token[3], "TO"))
        named = 2;
    if (!parse_fileid("SFD", call, 1, named, &id))
        return RC_SYNTAX;
    named++;
    if (named < words && is(call->token[named], "TO"))
        named++;
    code = parse_recipients(call, named, words, list, &count);
    if (code != 0)
        return code;
    return how.list ? send_listed(&how, &id, list, count) : send_file(&how, &id, list, count);
}
