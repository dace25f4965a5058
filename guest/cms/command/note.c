/*
 * NOTE: a letter is written with the editor, and sent.
 *
 * The command looks at its options and at the note that may be there already, userid NOTE A0, and begins XEDIT with the
 * macro PROFNOTE, which gets one line by the program stack: what is to be done, the options, and the names as they were
 * typed. The macros PROFNOTE, SEND, CANCEL and REPLY of the system disk do the rest.
 */
#include "command.h"
#include "../nucleus/exec.h"

struct noting {
    int add, cancel, acknowledge, log, long_form, replace, notebook_off;
    name notebook, profile, class;
};

static int note_options(const struct call *call, struct noting *how)
{
    const struct option known[] = {
        FLAG("ADD", 2, &how->add, 1), FLAG("CANCEL", 2, &how->cancel, 1), FLAG("ACK", 2, &how->acknowledge, 1),
        FLAG("NOACK", 5, &how->acknowledge, 0), FLAG("LOG", 3, &how->log, 1), FLAG("NOLOG", 5, &how->log, 0),
        FLAG("LONG", 2, &how->long_form, 1), FLAG("SHORT", 2, &how->long_form, 0), FLAG("REPLACE", 3, &how->replace, 1),
        WORD("NOTEBOOK", 3, &how->notebook), FLAG("NONOTEBOOK", 3, &how->notebook_off, 1),
        WORD("PROFILE", 4, &how->profile), WORD("CLASS", 2, &how->class),
    };
    int code = options_of("NOTE", "WNT", call, known, COUNT_OF(known));

    if (code != 0)
        return code;
    if (name_length(how->class) != 1 || (!is_letter(how->class[0]) && !is_digit(how->class[0]))) {
        message("WNT", 29, 'E', how->class, "CLASS   ");
        return RC_SYNTAX;
    }
    if (!is(how->notebook, "*") && !legal_name(how->notebook)) {
        message("WNT", 29, 'E', how->notebook, "NOTEBOOK");
        return RC_SYNTAX;
    }
    if (!exec_exists(how->profile, "XEDIT   ")) {
        char text[24];

        format(text, sizeof text, "%t XEDIT *", how->profile);
        message("WNT", 2, 'E', text);
        return RC_MISSING;
    }
    if (how->add + how->cancel + how->replace > 1) {
        message("WNT", 66, 'E', how->cancel ? "CANCEL  " : "REPLACE ", how->add ? "ADD     " : "REPLACE ");
        return RC_SYNTAX;
    }
    return 0;
}

/* What is to be done with the note that is there, or is not; NULL: that was a mistake. */
static const char *task_of(const struct noting *how, bool there, bool names, const struct fileid *id, int *code)
{
    char text[24];

    *code = RC_MISSING;
    if (how->add && !there) {
        message("WNT", 2, 'E', show_id(id, text));
        return NULL;
    }
    if (!names && (how->add || how->replace || !there)) {
        message("WNT", 631, 'E');
        *code = RC_SYNTAX;
        return NULL;
    }
    if (there && names && !how->add && !how->replace) {
        message("WNT", 24, 'E', show_id(id, text), "; specify REPLACE or ADD option");
        return NULL;
    }
    return how->add ? "ADD" : there && !names ? "CONTINUE" : "NEW";
}

int note_command(const struct call *call)
{
    struct noting how = {
        .log = 1, .long_form = 1, .notebook = "ALL     ", .profile = "PROFNOTE", .class = "A       ",
    };
    struct fileid id = { .ft = "NOTE    ", .fm = "A0" };
    char line[LINE_MOST];
    const char *names = call->arguments, *task;
    bool there;
    struct disk *disk;
    u32 length = 0, buffer;
    u8 *fst;
    int code = note_options(call, &how);

    if (code != 0)
        return code;
    identification(id.fn);
    there = find_file(&id, &disk, &fst);
    if (how.cancel) {
        if (operands(call) > 1) {
            message("WNT", 70, 'E', call->token[1]);
            return RC_SYNTAX;
        }
        return there ? perform(line, format(line, sizeof line, "ERASE %t NOTE A", id.fn), CALL_COMMAND)
                     : file_problem("WNT", EDF_NOT_FOUND, &id, false);
    }
    if (disk_at('A') == NULL || disk_at('A')->read_only)
        return file_problem("WNT", disk_at('A') == NULL ? EDF_NOT_FOUND : EDF_READ_ONLY, &id, true);
    while (names + length < call->end && names[length] != '(')
        length++;
    task = task_of(&how, there, length_of(names, length) > 0, &id, &code);
    if (task == NULL)
        return code;
    if (how.replace && there)
        code = perform(line, format(line, sizeof line, "ERASE %t NOTE A", id.fn), CALL_COMMAND);
    else
        code = 0;
    if (code != 0)
        return code;
    length = format(line, sizeof line, "%s %s %s %s %t %t %l", task, how.acknowledge ? "ACK" : "NOACK",
                    how.log ? "LOG" : "NOLOG", how.long_form ? "LONG" : "SHORT",
                    how.notebook_off ? "-       " : how.notebook, how.class, names, length);
    buffer = make_buffer();
    code = stack_line(line, length, true)
        ? perform(line, format(line, sizeof line, "XEDIT %t NOTE A0 (WIDTH 132 NOMSG PROFILE %t", id.fn, how.profile),
                  CALL_COMMAND)
        : RC_STORAGE;
    (void)drop_buffer(buffer);
    return code;
}
