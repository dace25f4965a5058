/*
 * MONWRITE: what CP's monitor records, written to a file.
 *
 *   MONWRITE segment *MONITOR DISK [fn [ft [fm]]]
 *
 * The file is as reduction programs know it: records of 4096 bytes. For each message of *MONITOR comes one with what
 * the interruption says and its control elements, then the pages that these name. The file is committed after each
 * message, so nothing that was written is lost by what comes later: a full disk, HX, the end of the machine.
 */
#include "../nucleus/iucv.h"
#include "../nucleus/segment.h"
#include "command.h"

enum { RECORD = 4096, SHARED = 0x01, SAMPLES = 0x80, EVENTS = 0x40, NAME_AT = 8, DATA_AT = 12 };

/* A control element. */
struct element { u8 kind, domains[2], zero; u32 start, end; };
_Static_assert(sizeof(struct element) == 12, "as CP has it");
struct control { u8 list[IUCV_LIST]; struct element element[(RECORD - IUCV_LIST) / sizeof(struct element)]; };
_Static_assert(sizeof(struct control) == RECORD, "a record");

struct output { struct fileid id; u32 records, messages; struct control *control; const struct segment *segment; };

static const name stop = "MONWSTOP";

/* A message's elements; how many there are, or 0 if they do not lie in the segment as they should. */
static u32 elements_of(struct output *out)
{
    const struct segment *segment = out->segment;
    u32 first, last, count;

    memcpy(&first, out->control->list + DATA_AT, sizeof first);
    memcpy(&last, out->control->list + DATA_AT + sizeof first, sizeof last);
    if (first < segment->first || first >= last || last > segment->last)
        return 0;
    count = (last - first + 1) / sizeof(struct element);
    if (count > COUNT_OF(out->control->element))
        return 0;
    memset(out->control->element, 0, sizeof out->control->element);
    memcpy(out->control->element, (const void *)first, count * sizeof(struct element));
    for (u32 n = 0; n < count; n++) {
        const struct element *element = &out->control->element[n];

        if (element->start < segment->first || element->start >= element->end || element->end > segment->last ||
            (element->end - element->start + 1) % RECORD != 0)
            return 0;
    }
    return count;
}

/* The message's records; nothing of them if one cannot be written. */
static int write_message(struct output *out)
{
    u32 count = elements_of(out), record = out->records;
    struct open_file *file;
    int error;

    if (count == 0) {
        message("MOW", 6272, 'E', out->segment->name);
        return RC_FORMAT;
    }
    error = file_open(&out->id, record == 0 ? EDF_NEW : EDF_UPDATE, &file);
    if (error != EDF_OK)
        return file_problem("MOW", error, &out->id, true);
    if (record == 0)
        file->file.fst[FST_RECFM] = EDF_F;
    error = edf_write(&file->file, ++record, out->control, RECORD);
    for (u32 n = 0; n < count && error == EDF_OK; n++) {
        u32 at = out->control->element[n].start;

        for (; at < out->control->element[n].end && error == EDF_OK; at += RECORD)
            error = edf_write(&file->file, ++record, (const void *)at, RECORD);
    }
    if (error != EDF_OK) {
        file_abandon(file);
        return file_problem("MOW", error, &out->id, true);
    }
    error = file_finish(file);
    if (error != EDF_OK)
        return file_problem("MOW", error, &out->id, true);
    out->records = record;
    out->messages++;
    return 0;
}

/* Until MONWSTOP is typed, or it cannot go on. */
static int write_all(struct output *out, const struct iucv_service *service)
{
    int code = 0;
    char text[24];
    bool told = false;

    while (code == 0) {
        exec_attention &= ~(u32)EXEC_LOOK;
        if (immediate_was_typed(stop))
            return 0;
        if (service->is_severed) {
            message("MOW", 6270, 'E', service->user[0]);
            return RC_IO;
        }
        if (service->is_ready && !told) {
            message("MOW", 6260, 'I', show_id(&out->id, text));
            told = true;
        }
        if (!iucv_service_next(out->control->list)) {
            wait_until(UINT64_MAX);
            continue;
        }
        code = write_message(out);
        if (code == 0)
            iucv_service_reply(out->control->list);
    }
    return code;
}

/* What is not named: the file is called after the date and the time. */
static void name_file(struct fileid *id)
{
    struct moment at;

    now(&at);
    if (id->fn[0] == ' ')
        format(id->fn, sizeof(name), "D%02u%02u%02u ", at.month, at.day, at.year % 100);
    if (id->ft[0] == ' ')
        format(id->ft, sizeof(name), "T%02u%02u%02u ", at.hour, at.minute, at.second);
    if (id->fm[0] == ' ')
        memcpy(id->fm, "A1", sizeof id->fm);
}

/* The operands; a return code. */
static int take_operands(const struct call *call, struct fileid *id)
{
    if (call->count < 4) {
        if (call->count < 2)
            message("MOW", 6271, 'E');
        else
            message("MOW", 50, 'E', call->token[call->count - 1]);
        return RC_SYNTAX;
    }
    if (!legal_name(call->token[1]) || !is(call->token[2], "*" "MONITOR")) {
        message("MOW", 70, 'E', call->token[legal_name(call->token[1]) ? 2 : 1]);
        return RC_SYNTAX;
    }
    if (!is(call->token[3], "DISK")) {
        message("MOW", 14, 'E', call->token[3]);
        return RC_SYNTAX;
    }
    if (call->count > 7) {
        message("MOW", 70, 'E', call->token[7]);
        return RC_SYNTAX;
    }
    if (call->count > 4 && !parse_fileid("MOW", call, 4, call->count - 4, id))
        return RC_SYNTAX;
    return 0;
}

int monwrite_command(const struct call *call)
{
    struct output out = { .id = { "        ", "        ", "  " } };
    u8 user[IUCV_USER] = { SHARED, SAMPLES | EVENTS };
    const struct iucv_service *service = NULL;
    struct segment *segment = NULL;
    struct disk *disk;
    u8 *fst, refused;
    char text[24];
    int code = take_operands(call, &out.id);
    const char *wanted;
    bool ours;

    if (code != 0)
        return code;
    name_file(&out.id);
    if (find_file(&out.id, &disk, &fst))
        return file_problem("MOW", EDF_EXISTS, &out.id, true);
    if ((disk = disk_at(out.id.fm[0])) == NULL || disk->read_only)
        return file_problem("MOW", disk == NULL ? EDF_NOT_FOUND : EDF_READ_ONLY, &out.id, true);
    wanted = segment_assigned(call->token[1]);
    segment = segment_known(wanted);
    ours = segment == NULL || !segment->loaded;
    code = segment_problem("MOW", segment_load(wanted, false, &segment), wanted);
    if (code != 0)
        return code;
    out.segment = segment;
    out.control = obtain_command(sizeof *out.control);
    memcpy(user + NAME_AT, segment->name, sizeof(name));
    refused = iucv_service_open("*MONITOR", user, &service);
    if (refused != 0) {
        message("MOW", 6269, 'E', (u32)refused);
        code = RC_IO;
    } else if (!immediate_set(stop)) {
        message("MOW", 109, 'S');
        code = RC_STORAGE;
    } else {
        code = write_all(&out, service);
    }
    iucv_service_close();
    (void)immediate_clear(stop);
    if (ours)
        segment_purge(segment);
    if (out.messages > 0)
        message("MOW", 6261, 'I', out.messages, out.records, show_id(&out.id, text));
    release(out.control);
    return code;
}
