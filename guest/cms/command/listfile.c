/* LISTFILE: which files there are, as much of each as is asked for. */
#include "command.h"

enum level { FN, FT, FM, FORMAT, ALLOC, DATE, LABEL };
enum to { TERMINAL, EXEC_FILE, STACK };

static u32 digits(u8 packed) { return (u32)(packed >> 4) * 10 + (packed & 15); }

void stamp_of(const u8 *fst, struct stamp *stamp)
{
    const u8 *at = fst + FST_STAMP;

    *stamp = (struct stamp){ digits(at[0]), digits(at[1]), digits(at[2]), digits(at[3]), digits(at[4]), digits(at[5]) };
}

struct list { int level, to, header, append, arguments, trace, lifo; struct open_file *exec; u32 lines; };

static int line_out(struct list *list, const char *text, u32 length)
{
    char line[256];
    u32 room;

    if (list->to == TERMINAL) {
        type_line(text, length);
        return 0;
    }
    if (list->to == STACK) {
        if (!stack_line(text, length_of(text, length), list->lifo != 0)) {
            message("LST", 109, 'S');
            return RC_STORAGE;
        }
        return 0;
    }
    room = format(line, sizeof line, "&1 &2 ");
    memcpy(line + room, text, length);
    room += length;
    if (list->arguments)
        room += format(line + room, sizeof line - room, " &3 &4 &5 &6 &7 &8 &9 &10 &11 &12 &13 &14 &15");
    if (room > 80 && list->arguments)
        room = 80;
    for (; room < 80; room++)
        line[room] = ' ';
    int error = edf_write(&list->exec->file, list->exec->next_write++, line, 80);
    struct fileid id;
    id_of(list->exec->disk, list->exec->file.fst, &id);
    return file_problem("LST", error, &id, true);
}

static int entry_out(struct list *list, const struct disk *disk, const u8 *fst)
{
    char line[128];
    u32 length;
    struct stamp s;

    stamp_of(fst, &s);
    if (list->level == FN)
        length = format(line, sizeof line, "%t", fst + FST_NAME);
    else if (list->level == FT)
        length = format(line, sizeof line, "%-8t %t", fst + FST_NAME, fst + FST_TYPE);
    else
        length = format(line, sizeof line, "%-8t %-8t %c%c", fst + FST_NAME, fst + FST_TYPE, disk->mode,
                        fst[FST_MODE + 1]);
    if (list->level >= FORMAT)
        length += format(line + length, sizeof line - length, " %c %10u", fst[FST_RECFM], edf_word(fst + FST_LRECL));
    if (list->level >= ALLOC)
        length += format(line + length, sizeof line - length, " %10u %10u", edf_word(fst + FST_RECORDS),
                         edf_word(fst + FST_BLOCKS));
    if (list->level >= DATE)
        length += format(line + length, sizeof line - length, " %2u/%02u/%02u %2u:%02u:%02u", s.month, s.day, s.year,
                         s.hour, s.minute, s.second);
    if (list->level >= LABEL)
        length += format(line + length, sizeof line - length, " %c%c%c%c%c%c", disk->edf.label[ADT_LABEL],
                         disk->edf.label[ADT_LABEL + 1], disk->edf.label[ADT_LABEL + 2], disk->edf.label[ADT_LABEL + 3],
                         disk->edf.label[ADT_LABEL + 4], disk->edf.label[ADT_LABEL + 5]);
    return line_out(list, line, length);
}

/* The heading has a word for each column that is shown. */
static void heading(const struct list *list)
{
    static const char text[] = "FILENAME FILETYPE FM FORMAT LRECL       RECS     BLOCKS   DATE     TIME   LABEL";
    static const u8 length[] = { 8, 17, 20, 33, 55, 73, 79 };

    if (list->to == TERMINAL && (list->header > 0 || (list->header < 0 && list->level >= FORMAT)))
        type_line(text, length[list->level]);
}

static int open_exec(struct list *list)
{
    static const struct fileid id = { .fn = "CMS     ", .ft = "EXEC    ", .fm = "A1" };
    int error = file_open(&id, list->append ? EDF_UPDATE : EDF_NEW, &list->exec);

    if (error == EDF_OK && edf_word(list->exec->file.fst + FST_RECORDS) == 0) {
        list->exec->file.fst[FST_RECFM] = EDF_F;
        /* With this EXEC 2 runs it, which tells what it does. */
        if (list->trace) {
            char line[80];

            pad(line, sizeof line, "&TRACE ALL", 10);
            error = edf_write(&list->exec->file, list->exec->next_write++, line, sizeof line);
        }
    }
    return file_problem("LST", error, &id, true);
}

int listfile_command(const struct call *call)
{
    struct list list = { .level = FM, .header = -1 };
    const struct option known[] = {
        FLAG("FNAME", 2, &list.level, FN), FLAG("FTYPE", 2, &list.level, FT),
        FLAG("FMODE", 2, &list.level, FM), FLAG("FORMAT", 2, &list.level, FORMAT),
        FLAG("ALLOC", 2, &list.level, ALLOC), FLAG("DATE", 1, &list.level, DATE),
        FLAG("LABEL", 1, &list.level, LABEL), FLAG("HEADER", 1, &list.header, 1),
        FLAG("NOHEADER", 3, &list.header, 0), FLAG("EXEC", 1, &list.to, EXEC_FILE),
        FLAG("APPEND", 2, &list.append, 1), FLAG("STACK", 5, &list.to, STACK),
        FLAG("FIFO", 4, &list.to, STACK), FLAG("LIFO", 4, &list.lifo, 1),
        FLAG("TRACE", 1, &list.trace, 1), FLAG("ARGS", 2, &list.arguments, 1),
        FLAG("BLOCKS", 3, &list.level, ALLOC),
    };
    u32 words = operands(call);
    struct search search;
    struct fileid wanted;
    int code = options("LST", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    if (list.lifo)
        list.to = STACK;
    if (list.append || list.arguments || list.trace)
        list.to = EXEC_FILE;
    if (words > 4) {
        message("LST", 70, 'E', call->token[4]);
        return RC_SYNTAX;
    }
    if (!parse_fileid("LST", call, 1, words - 1, &wanted))
        return RC_SYNTAX;
    if (wanted.fn[0] == ' ')
        wanted.fn[0] = '*';
    if (wanted.ft[0] == ' ')
        wanted.ft[0] = '*';
    if (wanted.fm[0] == ' ')
        wanted.fm[0] = 'A';
    if (wanted.fm[0] != '*' && disk_at(wanted.fm[0]) == NULL) {
        message("LST", 69, 'E', wanted.fm[0]);
        return RC_DISK;
    }
    if (list.to == EXEC_FILE && (code = open_exec(&list)) != 0)
        return code;
    search_begin(&search, &wanted);
    while (code == 0 && search_next(&search)) {
        if (list.exec != NULL && memcmp(search.fst, "CMS     EXEC    ", 16) == 0)
            continue;
        if (list.lines++ == 0)
            heading(&list);
        code = entry_out(&list, search.disk, search.fst);
    }
    if (list.exec != NULL) {
        static const struct fileid id = { .fn = "CMS     ", .ft = "EXEC    ", .fm = "A1" };
        int error = file_finish(list.exec);

        if (code == 0)
            code = file_problem("LST", error, &id, true);
    }
    if (code == 0 && list.lines == 0) {
        message("LST", 2 + MESSAGE_SECOND, 'E');
        return RC_MISSING;
    }
    return code;
}
