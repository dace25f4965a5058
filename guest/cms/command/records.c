/* Reading a file from front to back, record by record. */
#include "command.h"
#include "../nucleus/library.h"

int reader_open(const char *module, struct reader *reader, const struct fileid *id)
{
    int error;
    u32 longest;

    memset(reader, 0, sizeof *reader);
    reader->id = *id;
    /* Without a mode the file may be on any disk. */
    if (reader->id.fm[0] == ' ')
        reader->id.fm[0] = '*';
    error = file_open(&reader->id, EDF_READ, &reader->file);
    if (error != EDF_OK)
        return file_problem(module, error, id, false);
    /* What is written to the file meanwhile is not seen. */
    reader->file->own = !reader->file->file.output;
    id_of(reader->file->disk, reader->file->file.fst, &reader->id);
    longest = edf_word(reader->file->file.fst + FST_LRECL);
    reader->last = 0xffffffff;
    reader->room = longest == 0 ? 1 : longest;
    reader->record = obtain_command(reader->room);
    return 0;
}

/* The next record; false at the end, and after an error, whose return code is then in `code`. */
bool reader_next(const char *module, struct reader *reader, int *code)
{
    int error = reader->number >= reader->last ? EDF_END : edf_read(&reader->file->file, reader->number + 1,
                                                                    reader->record, reader->room, &reader->length);

    if (error == EDF_OK) {
        reader->number++;
        if (reader->length > reader->room)
            reader->length = reader->room;
        attend();
        return true;
    }
    if (error != EDF_END)
        *code = file_problem(module, error, &reader->id, false);
    return false;
}

/* Only the records of a library's member; `*` are all of the file's. */
int reader_member(const char *module, struct reader *reader, const name wanted)
{
    struct library library;
    struct member member;
    char text[24];
    int error;

    if (is(wanted, "*"))
        return 0;
    error = library_open(&reader->id, &library);
    if (error != EDF_OK && error != EDF_LENGTH)
        return file_problem(module, error, &reader->id, false);
    if (error == EDF_LENGTH) {
        message(module, 33, 'E', show_id(&reader->id, text));
        return RC_FORMAT;
    }
    if (!library_find(&library, wanted, &member)) {
        message(module, 13, 'E', wanted);
        return RC_FORMAT;
    }
    reader->number = member.first - 1;
    reader->last = member.first - 1 + member.count;
    return 0;
}

char *make_room(struct place *place, u32 length)
{
    char *more;

    if (length <= place->room)
        return place->at;
    more = obtain_command(length);
    memcpy(more, place->at, place->room);
    release(place->at);
    *place = (struct place){ more, length };
    return more;
}

void reader_close(struct reader *reader)
{
    release(reader->record);
    (void)file_finish(reader->file);
}
