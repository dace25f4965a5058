/*
 * Messages: what is said while a subcommand is performed goes to the message area, on a typewriter to the console.
 *
 * message() and type_line() are for all of CMS: the editor keeps what they say by a capture, which is off while a CMS
 * command is performed. The last message stays known when it is gone (LASTMSG).
 */
#include "xedit.h"

void notes_clear(void)
{
    editor->stale = editor->stale || editor->notes != NULL;
    while (editor->notes != NULL) {
        struct note *note = editor->notes;

        editor->notes = note->next;
        release(note);
    }
}

static void keep(const char *text, u32 length)
{
    struct note **at = &editor->notes, *note = obtain(sizeof *note + length, OWNER_SYSTEM);

    if (note == NULL)
        return;
    editor->stale = true;
    note->next = NULL;
    note->length = length;
    memcpy(note->text, text, length);
    while (*at != NULL)
        at = &(*at)->next;
    *at = note;
}

void note_text(const char *text, u32 length)
{
    editor->lastmsg_length = length < sizeof editor->lastmsg ? length : sizeof editor->lastmsg;
    memcpy(editor->lastmsg, text, editor->lastmsg_length);
    if (editor->view != NULL && !editor->view->s.messages)
        return;
    if (!editor->typewriter) {
        keep(text, length);
        return;
    }
    struct capture *here = capturing();

    capture_end(NULL);
    type_line(text, length);
    capture_end(here);
}

static void said(struct capture *capture, const char *text, u32 length)
{
    (void)capture;
    note_text(text, length);
}

/* Begun twice, it would be what is outside of itself. */
void notes_begin(void)
{
    if (capturing() == &editor->capture)
        return;
    editor->capture.line = said;
    capture_begin(&editor->capture);
}

void notes_end(void)
{
    if (capturing() == &editor->capture)
        capture_end(editor->capture.outer);
}

/* What follows is not the editor's to say, until notes_resume(); whether it was until now. */
bool notes_pause(void)
{
    bool were = capturing() == &editor->capture;

    notes_end();
    return were;
}

void notes_resume(bool were)
{
    if (were)
        notes_begin();
}
