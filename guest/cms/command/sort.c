/*
 * SORT: the records of a file in the order of what stands in some of their columns.
 *
 * The columns are asked for; records that are alike there stay in their order. Everything is sorted in storage, by
 * merging.
 */
#include "command.h"

enum { FIELDS_MOST = 25 };

struct field { u32 from, to; };

static struct field fields[FIELDS_MOST];
static u32 field_count;

/* 0, or a return code, and the message has been typed. */
static int ask(u32 lrecl)
{
    name token[TOKENS_MOST + 1];
    char line[256];
    u32 length, count, numbers[2 * FIELDS_MOST];

    message("SRT", 604, 'R');
    length = read_line(line);
    count = tokenize(line, length, token);
    if (count == 0) {
        message("SRT", 63, 'E');
        return 40;
    }
    field_count = 0;
    for (u32 n = 0; n < count; n++) {
        bool good = n < COUNT_OF(numbers) && parse_number(token[n], name_length(token[n]), &numbers[n]) &&
            numbers[n] > 0 && numbers[n] <= lrecl;

        if (good && n % 2 == 1) {
            good = numbers[n] >= numbers[n - 1];
            fields[field_count++] = (struct field){ numbers[n - 1] - 1, numbers[n] };
        }
        if (!good || (n + 1 == count && n % 2 == 0)) {
            message("SRT", 53, 'E');
            return RC_SYNTAX;
        }
    }
    return 0;
}

static int compare(const u8 *a, const u8 *b)
{
    for (u32 n = 0; n < field_count; n++) {
        int order = memcmp(a + fields[n].from, b + fields[n].from, fields[n].to - fields[n].from);

        if (order != 0)
            return order;
    }
    return 0;
}

/* Runs of `width` records are merged, then those of twice as many. */
static u8 **sorted(u8 **from, u8 **to, u32 count)
{
    for (u32 width = 1; width < count; width *= 2) {
        u8 **swap;

        for (u32 first = 0; first < count; first += 2 * width) {
            u32 middle = count - first < width ? count : first + width,
                end = count - first < 2 * width ? count : first + 2 * width;
            u32 a = first, b = middle;

            for (u32 n = first; n < end; n++)
                to[n] = a < middle && (b >= end || compare(from[a], from[b]) <= 0) ? from[a++] : from[b++];
        }
        swap = from;
        from = to;
        to = swap;
        attend();
    }
    return from;
}

static int write_all(const struct fileid *id, u8 **record, u32 count, u32 lrecl)
{
    struct open_file *file;
    int error = file_open(id, EDF_NEW, &file);

    if (error != EDF_OK)
        return file_problem("SRT", error, id, true);
    file->file.fst[FST_RECFM] = EDF_F;
    edf_set_word(file->file.fst + FST_LRECL, lrecl);
    for (u32 n = 0; n < count && error == EDF_OK; n++)
        error = edf_write(&file->file, n + 1, record[n], lrecl);
    if (error == EDF_OK)
        error = file_finish(file);
    else
        file_abandon(file);
    return error == EDF_OK ? 0 : file_problem("SRT", error, id, true);
}

int sort_command(const struct call *call)
{
    u32 words = operands(call), lrecl, records;
    struct fileid from, to;
    struct reader reader;
    u8 *storage, **first, **second;
    char text[24];
    int code;

    if (words != 7 || words != call->count) {
        if (words >= 7)
            message("SRT", 70, 'E', call->token[7]);
        else
            message("SRT", words < 2 ? 42 : 54, 'E');
        return RC_SYNTAX;
    }
    if (!parse_fileid("SRT", call, 1, 3, &from) || !parse_fileid("SRT", call, 4, 3, &to))
        return RC_SYNTAX;
    for (u32 n = 0; n < sizeof to; n++)
        if (((char *)&to)[n] == '=')
            memcpy((char *)&to + (n < 8 ? 0 : n < 16 ? 8 : 16), (char *)&from + (n < 8 ? 0 : n < 16 ? 8 : 16),
                   n < 16 ? 8 : 2);
    if (memcmp(&from, &to, sizeof from) == 0) {
        message("SRT", 19, 'E');
        return RC_SYNTAX;
    }
    code = reader_open("SRT", &reader, &from);
    if (code != 0)
        return code;
    lrecl = edf_word(reader.file->file.fst + FST_LRECL);
    records = edf_word(reader.file->file.fst + FST_RECORDS);
    if (reader.file->file.fst[FST_RECFM] != EDF_F) {
        message("SRT", 34, 'E', show_id(&reader.id, text));
        reader_close(&reader);
        return RC_FORMAT;
    }
    code = ask(lrecl);
    if (code != 0) {
        reader_close(&reader);
        return code;
    }
    if ((uint64_t)records * lrecl > 0x20000000) {
        message("SRT", 212, 'E');
        reader_close(&reader);
        return 40;
    }
    storage = obtain_command(records * lrecl + 1);
    first = obtain_command((records + 1) * sizeof *first);
    second = obtain_command((records + 1) * sizeof *second);
    for (records = 0; reader_next("SRT", &reader, &code); records++) {
        first[records] = storage + records * lrecl;
        memcpy(first[records], reader.record, lrecl);
    }
    reader_close(&reader);
    return code != 0 ? code : write_all(&to, sorted(first, second, records), records, lrecl);
}
