/* XEDIT: lines of a file in the editor's ring. */
#include "../xedit/ringfile.h"
#include "drive.h"

/* [fn [ft [fm]]]. */
static int ring_operand(struct stage *s, struct text rest, struct ring_file *file)
{
    struct fileid id;
    struct text word, said = rest;

    memset(&id, ' ', sizeof id);
    for (u32 n = 0; next_word(&rest, &word); n++) {
        if (n > 2 || word.length > 8)
            return n > 2 ? no_more(s, word) : stage_error(s, 145, word.at, word.length);
        if (n == 2)
            id.fm[0] = upper(word.at[0]);
        else
            name_from(word, n == 0 ? id.fn : id.ft);
    }
    return ring_file_find(&id, file) ? 0 : stage_error(s, 413, said.at, said.length);
}

/* First in a pipeline: the lines after the current one; else its input is added after it, and passed on. */
int xedit_stage(struct stage *s, struct text arguments)
{
    struct buffer buffer = { NULL, 0 };
    struct ring_file file;
    struct text record;
    const char *text;
    u32 length;
    int error = ring_operand(s, arguments, &file);

    if (error != 0)
        return error;
    if (stage_is_first(s)) {
        (void)stage_commit(s, 0);
        while (ring_file_next(&file, &text, &length)) {
            /* An empty line is a blank, as in a file. */
            char *copy = stage_room(s, &buffer, length + 1);

            *copy = ' ';
            memcpy(copy, text, length);
            if (stage_output(s, copy, length > 0 ? length : 1) != 0)
                break;
        }
        return 0;
    }
    while (stage_peek(s, &record) == 0) {
        if (ring_file_add(&file, record.at, record.length) != 0)
            return stage_error(s, 414);
        (void)stage_output(s, record.at, record.length);
        stage_consume(s);
    }
    return 0;
}
