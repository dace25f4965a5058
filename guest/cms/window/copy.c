/* Lines of virtual screens and of the display, to and from files: GET, PUT. */
#include "window.h"

/* fn ft [fm] from word n on; `words` is how many of them there are. */
static int file_operand(const struct call *call, u32 n, struct fileid *id, u32 *words)
{
    u32 left = operands(call) > n ? operands(call) - n : 0;
    u32 number;

    if (left < 2)
        return missing();
    *words = left > 2 && !parse_number(call->token[n + 2], name_length(call->token[n + 2]), &number) ? 3 : 2;
    if (!parse_fileid("WIN", call, n, *words, id))
        return RC_SYNTAX;
    if (*words < 3)
        memcpy(id->fm, "A1", sizeof id->fm);
    return 0;
}

/* [from [count]] after the file. */
static int range(const struct call *call, u32 n, u32 *from, u32 *count)
{
    int code = 0;

    *from = 1;
    *count = LINES_MOST;
    if (operands(call) > n)
        code = operand_number(call, n, 1, 0x7fffffff, from);
    if (code == 0 && operands(call) > n + 1)
        code = operand_number(call, n + 1, 1, LINES_MOST, count);
    if (code == 0 && operands(call) > n + 2)
        code = unexpected(call->token[n + 2]);
    return code;
}

static int put_line(struct open_file *file, const char *cell, u32 length)
{
    char line[WIDE_MOST + 1];

    for (u32 n = 0; n < length; n++)
        line[n] = (u8)cell[n] < 0x40 ? ' ' : cell[n];
    length = length_of(line, length);
    if (length == 0)
        line[length++] = ' ';
    if (edf_word(file->file.fst + FST_RECORDS) == 0)
        file->file.fst[FST_RECFM] = EDF_V;
    return edf_write(&file->file, file->next_write++, line, length);
}

static int close_output(struct open_file *file, int error, const struct fileid *id)
{
    if (error == EDF_OK)
        error = file_finish(file);
    else
        file_abandon(file);
    return error == EDF_OK ? 0 : file_problem("WIN", error, id, true);
}

/* PUT VSCREEN v fn ft [fm [from [count]]]: lines are added to the file. */
int vscreen_put(const struct call *call, u32 n, struct vscreen *screen)
{
    struct open_file *file;
    struct fileid id;
    u32 words, from, count;
    int error, code = file_operand(call, n + 1, &id, &words);

    code = code != 0 ? code : range(call, n + 1 + words, &from, &count);
    if (code != 0)
        return code;
    error = file_open(&id, EDF_UPDATE, &file);
    if (error != EDF_OK)
        return file_problem("WIN", error, &id, true);
    for (; error == EDF_OK && from <= screen->used && count > 0; from++, count--) {
        struct vscreen_place at = { .line = (int)from, .column = 1 };

        error = put_line(file, screen->cell + vscreen_row(screen, &at) * screen->columns, screen->columns);
    }
    return close_output(file, error, &id);
}

/* GET VSCREEN v fn ft [fm [from [count]]]: records are added to the screen. */
int vscreen_get(const struct call *call, u32 n, struct vscreen *screen)
{
    struct reader reader;
    struct fileid id;
    u32 words, from, count;
    int code = file_operand(call, n + 1, &id, &words);

    code = code != 0 ? code : range(call, n + 1 + words, &from, &count);
    code = code != 0 ? code : reader_open("WIN", &reader, &id);
    if (code != 0)
        return code;
    reader.number = from - 1;
    while (count-- > 0 && reader_next("WIN", &reader, &code))
        vscreen_append(screen, reader.record, length_of(reader.record, reader.length));
    reader_close(&reader);
    return code;
}

/* PUT SCREEN fn ft [fm]: what is on the display. */
int screen_put(const struct call *call, u32 n)
{
    const struct display *display = &here.display;
    struct open_file *file;
    struct fileid id;
    u32 words;
    int error, code = file_operand(call, n, &id, &words);

    if (code != 0)
        return code;
    if (operands(call) > n + words)
        return unexpected(call->token[n + words]);
    if (display->cell == NULL) {
        message("WIN", 920, 'E');
        return RC_UNSUPPORTED;
    }
    error = file_open(&id, EDF_UPDATE, &file);
    if (error != EDF_OK)
        return file_problem("WIN", error, &id, true);
    for (u32 row = 0; error == EDF_OK && row < display->rows; row++)
        error = put_line(file, display->old_cell + row * display->columns, display->columns);
    return close_output(file, error, &id);
}

/* GET SCREEN fn ft [fm]: what PUT SCREEN has kept, row by row, until a key is pressed. */
int screen_get(const struct call *call, u32 n)
{
    struct display *display = &here.display;
    struct reader reader;
    struct fileid id;
    u32 words, length;
    int code = file_operand(call, n, &id, &words);

    if (code != 0)
        return code;
    if (operands(call) > n + words)
        return unexpected(call->token[n + words]);
    if (!screen_ready()) {
        message("WIN", 920, 'E');
        return RC_UNSUPPORTED;
    }
    code = reader_open("WIN", &reader, &id);
    if (code != 0)
        return code;
    /* What was typed and not seen is seen before that. */
    if (full_screen != NULL)
        full_screen->other();
    memset(display->cell, ' ', display->rows * display->columns);
    memset(display->look, 0, display->rows * display->columns);
    if (display->ink != NULL)
        memset(display->ink, 0, display->rows * display->columns);
    for (u32 row = 0; row < display->rows && reader_next("WIN", &reader, &code); row++)
        memcpy(display->cell + row * display->columns, reader.record,
               reader.length < display->columns ? reader.length : display->columns);
    reader_close(&reader);
    here.stale = true;
    if (code != 0)
        return code;
    display->cursor = 0;
    display->looks = here.looks;
    display->substitute = settings.nondisplay;
    display->whole = true;
    display_write(display);
    (void)display_read(display, &length);
    display->whole = true;
    if (full_screen == NULL)
        screen_leave();
    return 0;
}
