/*
 * Macros, and commands of CMS.
 *
 * A macro is an exec of filetype XEDIT whose commands are subcommands. While one runs, and while a command of CMS does,
 * the subcommand environment XEDIT is there for execs (extension.c asks xedit_environment()).
 */
#include "xedit.h"
#include "../nucleus/exec.h"

enum { MACROS_DEEP = 20 };

/* A command of CMS types on the screen: what it says is not the editor's. */
int run_cms(const char *text, u32 length, u8 type)
{
    struct editor *before = editor;
    void *mark = !exec_active() ? obtain(1, OWNER_COMMAND) : NULL;
    bool noting = notes_pause();
    int code;

    editor->stale = true;
    code = perform(text, length, type);
    if (mark != NULL)
        release_storage_since(mark);
    if (editor == before)
        notes_resume(noting);
    return code;
}

int run_macro(const char *text, u32 length, const char *arguments, u32 arguments_length, bool *found)
{
    static const name type = "XEDIT   ";
    bool noting;
    void *mark;
    name fn;
    int code;

    *found = false;
    if (length > sizeof fn || editor->macros >= MACROS_DEEP)
        return XE_UNKNOWN;
    pad(fn, sizeof fn, text, length);
    for (u32 n = 0; n < sizeof fn; n++)
        fn[n] = upper(fn[n]);
    if (!exec_exists(fn, type))
        return XE_UNKNOWN;
    while (arguments_length > 0 && *arguments == ' ')
        arguments++, arguments_length--;
    *found = true;
    editor->stale = true;
    mark = !exec_active() ? obtain(1, OWNER_COMMAND) : NULL;
    editor->macros++;
    editor->macros_last_length = 0;
    noting = notes_pause();
    code = exec_run(fn, type, "XEDIT", arguments, arguments_length);
    if (mark != NULL)
        release_storage_since(mark);
    if (editor != NULL) {
        editor->macros--;
        notes_resume(noting);
    }
    return code;
}

static bool is_repeat(const char *text, u32 length)
{
    struct words words = { text, text + length };
    const char *word;
    u32 letters;

    if (!take_word(&words, &word, &letters))
        return false;
    if (word_means(word, letters, "COMMAND", 7) && !take_word(&words, &word, &letters))
        return false;
    return word_means(word, letters, "REPEAT", 4);
}

/* What an exec says to XEDIT; false: the editor is not active. */
bool xedit_environment(const char *text, u32 length, int *code)
{
    if (editor == NULL || editor->files == 0) {
        *code = XE_OVER;
        return editor != NULL;
    }
    length = length < COMMAND_MOST ? length : COMMAND_MOST;
    notes_begin();
    *code = execute(text, length);
    if (editor != NULL && editor->macros > 0 && !is_repeat(text, length)) {
        editor->macros_last_length = length;
        memcpy(editor->macros_last, text, length);
    }
    notes_end();
    return true;
}
