/*
 * MODULE files: programs as they lie in storage, and running them.
 *
 * A module is a V file. Its first record has 80 bytes: C'MODULE  ', the entry address, the address where it lies and its
 * length; the following records are what lies there. Modules lie in the user area and run with key 14, so that a wild store
 * hits nothing but the user area.
 *
 * A program begins with register 1 at its words, 0 at the line as typed (struct eplist), 13 at a save area, 14 where
 * it returns, 15 at its entry; register 15 is its return code.
 */
#include "cms.h"

enum { ENTRY = 8, ORIGIN = 12, LENGTH = 16, HEADER = 80, SAVE_AREA = 0xb0, DEPTH = 20 };
enum { CALL_TYPE = 0x60 };

static u32 depth;

/* Loads a module; 0, or a return code, and the message has been typed. */
static int load(struct open_file *file, u32 *entry)
{
    u8 header[HEADER];
    struct fileid id;
    char text[24];
    u32 length, origin, size, done = 0;
    int error = edf_read(&file->file, 1, header, sizeof header, &length);

    id_of(file->disk, file->file.fst, &id);
    if (error == EDF_OK && (length != HEADER || memcmp(header, "MODULE  ", 8) != 0)) {
        message("LIO", 127, 'E', show_id(&id, text));
        return RC_FORMAT;
    }
    if (error != EDF_OK)
        return file_problem("LIO", error, &id, false);
    *entry = edf_word(header + ENTRY);
    origin = edf_word(header + ORIGIN);
    size = edf_word(header + LENGTH);
    if (origin < USER_FIRST || origin > USER_END || size > USER_END - origin || *entry < origin || *entry >= origin + size) {
        message("LIO", 126, 'E', show_id(&id, text));
        return RC_STORAGE;
    }
    for (u32 n = 2; done < size; n++, done += length) {
        error = edf_read(&file->file, n, (void *)(origin + done), size - done, &length);
        if (error != EDF_OK)
            return file_problem("LIO", error, &id, false);
        if (length > size - done)
            length = size - done;
    }
    return 0;
}

/* Runs a program that lies in the user area. */
static int run(u32 entry, const struct call *call)
{
    struct { const char *command, *arguments, *end; u32 zero; } eplist = { call->line, call->arguments, call->end, 0 };
    struct frame frame = { .psw = { 0, 0x80000000 | entry } };
    u8 *save = (u8 *)SAVE_AREAS + depth * SAVE_AREA;
    int code;

    if (depth == DEPTH)
        abend(0x0f4, "Programs call one another too deep");
    memset(save, 0, SAVE_AREA);
    save[CALL_TYPE] = call->type;
    frame.psw[0] = 0x02080000 | USER_KEY << 16;
    frame.gr[0] = (u32)&eplist;
    frame.gr[1] = (u32)call->token;
    frame.gr[12] = frame.gr[15] = entry;
    frame.gr[13] = (u32)save;
    frame.gr[14] = 0x80000000 | (u32)program_end;
    depth++;
    code = run_program(&frame);
    depth--;
    return code;
}

void forget_programs(void)
{
    depth = 0;
}

int run_module(const struct call *call, bool *found)
{
    struct fileid id = { .ft = "MODULE  ", .fm = "* " };
    struct open_file *file;
    u32 entry = 0;
    int code;

    *found = false;
    memcpy(id.fn, call->token[0], sizeof(name));
    if (!legal_name(id.fn) || file_open(&id, EDF_READ, &file) != EDF_OK)
        return NOT_FOUND;
    *found = true;
    code = load(file, &entry);
    file_finish(file);
    if (code == 0)
        code = run(entry, call);
    return code;
}
