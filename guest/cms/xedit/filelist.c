/* FILELIST: files of accessed disks as a list (list.h). */
#include "list.h"

enum { FIRST_OF_CENTURY = 2000 };

static bool file_row(struct list_maker *maker, const struct disk *disk, const u8 *fst)
{
    char line[ROW_SHOWN], year[ROW_EXTRA];
    struct stamp s;
    u32 length;

    stamp_of(fst, &s);
    length = format(line, sizeof line, "      %-8t %-8t %c%c %c %10u %10u %10u %2u/%02u/%02u %2u:%02u:%02u",
                    fst + FST_NAME, fst + FST_TYPE, disk->mode, fst[FST_MODE + 1], fst[FST_RECFM],
                    edf_word(fst + FST_LRECL), edf_word(fst + FST_RECORDS), edf_word(fst + FST_BLOCKS), s.month, s.day,
                    s.year, s.hour, s.minute, s.second);
    format(year, sizeof year, "%04u",
           s.year + ((fst[FST_FLAGS] & FST_CENTURY_FLAG) != 0 ? FIRST_OF_CENTURY : FIRST_OF_CENTURY - 100));
    return list_row(maker, line, length, year);
}

static int files_on_disks(struct list_maker *maker, const struct fileid *wanted)
{
    struct search search;

    search_begin(&search, wanted);
    while (search_next(&search))
        if (!file_row(maker, search.disk, search.fst))
            return 0;
    if (maker->text.lines > 0)
        return 0;
    message("WFL", 2 + MESSAGE_SECOND, 'E');
    return RC_MISSING;
}

/* Of a line of a file with names: of FILELIST's own, of LISTFILE's, or of CMS EXEC with &1 &2 in front. */
static bool id_in(const char *record, u32 length, struct fileid *id)
{
    name token[TOKENS_MOST + 1];
    u32 count, at = 0;

    /* A list that was saved has hidden columns, and perhaps marks or commands. */
    if (length > ROW_SHOWN) {
        record += ROW_SHOWN;
        length -= ROW_SHOWN;
    }
    count = tokenize(record, length < 128 ? length : 128, token);
    while (at < count && token[at][0] == '&')
        at++;
    if (count < at + 2 || token[at][0] == '*' || !legal_name(token[at]) || !legal_name(token[at + 1]))
        return false;
    memcpy(id->fn, token[at], sizeof(name));
    memcpy(id->ft, token[at + 1], sizeof(name));
    id->fm[0] = count > at + 2 && legal_mode(token[at + 2]) ? token[at + 2][0] : '*';
    id->fm[1] = ' ';
    return true;
}

static int files_of_list(struct list_maker *maker, const struct fileid *from)
{
    struct reader reader;
    int code = reader_open("WFL", &reader, from);
    char text[24];

    if (code != 0)
        return code;
    while (reader_next("WFL", &reader, &code)) {
        struct fileid id;
        struct disk *disk;
        u8 *fst;

        if (id_in(reader.record, reader.length, &id) && find_file(&id, &disk, &fst) && !file_row(maker, disk, fst))
            break;
    }
    reader_close(&reader);
    if (code == 0 && maker->text.lines == 0 && !maker->full) {
        message("WFL", 680, 'E', show_id(from, text));
        code = RC_FORMAT;
    }
    return code;
}

static int fill_files(struct list_maker *maker, const struct list *list, const struct fileid *part)
{
    return list->of_file[part - list->part] ? files_of_list(maker, part) : files_on_disks(maker, part);
}

/* Where the names are in a row. */
enum { FN_AT = 6, FT_AT = 15, FM_AT = 24 };

static u32 file_symbol(const struct list *list, const struct list_row *row, char letter, char *to, u32 room)
{
    const char *made = row->made;

    (void)list;
    switch (letter) {
    case 'N': return format(to, room, "%t", made + FN_AT);
    case 'T': return format(to, room, "%t", made + FT_AT);
    case 'M': return format(to, room, "%l", made + FM_AT, 2);
    case 'G': return format(to, room, "%-8t %-8t %l", made + FN_AT, made + FT_AT, made + FM_AT, 2);
    default: return format(to, room, "%t %t %l", made + FN_AT, made + FT_AT, made + FM_AT, 2);
    }
}

static bool file_there(const struct list *list, const struct list_row *row)
{
    struct fileid id = { .fm = { row->made[FM_AT], ' ' } };
    struct disk *disk;
    u8 *fst;

    (void)list;
    memcpy(id.fn, row->made + FN_AT, sizeof(name));
    memcpy(id.ft, row->made + FT_AT, sizeof(name));
    return find_file(&id, &disk, &fst) && disk->mode == id.fm[0];
}

/* Columns of what a row was made as: the names from 87 on, format and length from 108, the date from 143. */
static const struct list_order file_orders[] = {
    { "SDATE", "D 161 164 143 144 146 147 152 159 A 87 106" },
    { "SDIR", "A 105 106 87 103" },
    { "SLREC", "D 110 119 A 87 106" },
    { "SMODE", "A 105 106 87 103" },
    { "SNAME", "A 87 106" },
    { "SREC", "D 121 130 A 87 106" },
    { "SRECF", "A 108 108 87 106" },
    { "SSIZE", "D 132 141 121 130 A 87 106" },
    { "STYPE", "A 96 103 87 94 105 106" },
};

static const struct list_kind files = {
    .command = "FILELIST", .module = "WFL", .type = "FILELIST", .profile = "PROFFLST", .fill = fill_files,
    .symbol = file_symbol, .letters = "NTM", .there = file_there, .gone = "** Discarded or renamed **",
    .usual = "SDATE",
    .orders = file_orders, .order_count = COUNT_OF(file_orders),
};

int filelist_command(const struct call *call)
{
    struct list_options how = { .profile = "        " };
    int of_file = 0, shared = 0;
    const struct option known[] = {
        FLAG("APPEND", 1, &how.append, 1), FLAG("FILELIST", 1, &of_file, 1), WORD("PROFILE", 4, &how.profile),
        FLAG("STATS", 4, &shared, 0), FLAG("SHARE", 2, &shared, 1), FLAG("SEARCH", 3, &shared, 1),
    };
    u32 words = operands(call);
    struct fileid wanted;
    int code = options_of("FILELIST", "WFL", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    if (shared)
        return no_file_pool("WFL");
    if (words > 4) {
        message("WFL", 70, 'E', call->token[4]);
        return RC_SYNTAX;
    }
    if (!parse_fileid("WFL", call, 1, words - 1, &wanted))
        return RC_SYNTAX;
    if (of_file && wanted.fn[0] == ' ')
        identification(wanted.fn);
    if (of_file && wanted.ft[0] == ' ')
        memcpy(wanted.ft, "FILELIST", sizeof(name));
    if (wanted.fn[0] == ' ')
        wanted.fn[0] = '*';
    if (wanted.ft[0] == ' ')
        wanted.ft[0] = '*';
    if (wanted.fm[0] == ' ')
        wanted.fm[0] = of_file ? '*' : 'A';
    if (wanted.fm[0] != '*' && disk_at(wanted.fm[0]) == NULL) {
        message("WFL", 69, 'E', wanted.fm[0]);
        return RC_DISK;
    }
    return list_open(&files, &wanted, of_file != 0, &how);
}
