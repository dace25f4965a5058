/* Stages that work with VMCF: VMC asks a service machine, VMCLISTEN and VMCDATA are one. */
#include "../nucleus/iucv.h"
#include "drive.h"

/* It stays open until the command that was typed ends. */
static int open_vmcf(struct stage *s) { return vmcf_open() ? 0 : stage_error(s, 419); }

/* ---- VMC ---- */

enum { REPLY_MOST = 32768 };
struct asking { struct vmcf_list list; struct vmcf_wait wait; char user[8], *reply; };

static void forget_wait(void *with) { vmcf_forget(&((struct asking *)with)->wait); }

static int ask(struct stage *s, struct asking *a, struct text text)
{
    u32 code;

    a->list = (struct vmcf_list){ .function = VMCF_SEND_RECEIVE, .address = (u32)text.at, .length = text.length,
                                  .reply_address = (u32)a->reply, .reply_length = REPLY_MOST };
    memcpy(a->list.user, a->user, sizeof a->list.user);
    code = vmcf_send(&a->list, &a->wait);
    while (code == 0 && !a->wait.done)
        wait_for_event(s, (uint64_t)NO_TIME);
    if (code == 0) {
        vmcf_forget(&a->wait);
        code = a->wait.answer.error;
        if ((a->wait.answer.flags & VMCF_REJECTED) != 0)
            return stage_error(s, 418, a->user, name_length(a->user));
    }
    if (code != 0)
        return stage_error(s, 417, a->user, name_length(a->user), code);
    return stage_output(s, a->reply, REPLY_MOST - a->wait.answer.reply_length);
}

/* The argument, then each record; what is answered to one becomes a record. */
int vmc_stage(struct stage *s, struct text arguments)
{
    struct asking *a = stage_obtain(s, sizeof *a);
    struct text word, record;
    int code;

    memset(a, 0, sizeof *a);
    if (!next_word(&arguments, &word))
        return stage_error(s, 113);
    if (word.length > sizeof a->user)
        return stage_error(s, 111, word.at, word.length);
    name_from(word, a->user);
    skip_blanks(&arguments);
    a->reply = stage_obtain(s, REPLY_MOST);
    if (stage_commit(s, 0) != 0)
        return 0;
    if ((code = open_vmcf(s)) != 0)
        return code;
    stage_at_end(s, forget_wait, a);
    if (arguments.length > 0)
        code = ask(s, a, arguments);
    while (code == 0 && stage_peek(s, &record) == 0) {
        code = ask(s, a, record);
        if (code == 0)
            stage_consume(s);
    }
    return code == END_OF_FILE ? 0 : code;
}

/* ---- VMCLISTEN ---- */

static void listen_no_more(void *with)
{
    (void)with;
    vmcf_listen(false);
}

/* The header of each message, and what comes with it. */
int vmclisten_stage(struct stage *s, struct text arguments)
{
    struct { struct vmcf_list header; char text[IUCV_LINE_MOST]; } *said = stage_obtain(s, sizeof *said);
    int code = no_more(s, arguments);
    u32 length;

    if (code != 0 || stage_commit(s, 0) != 0 || (code = open_vmcf(s)) != 0)
        return code;
    vmcf_listen(true);
    stage_at_end(s, listen_no_more, NULL);
    while (stage_has_output(s, 0)) {
        if (!vmcf_arrived(&said->header, said->text)) {
            wait_for_event(s, (uint64_t)NO_TIME);
            continue;
        }
        length = said->header.function == VMCF_SENDX ? said->header.length : 0;
        if (stage_output(s, (const char *)said, sizeof said->header + (length < IUCV_LINE_MOST ? length
                                                                         : IUCV_LINE_MOST)) != 0)
            break;
    }
    return 0;
}

/* ---- VMCDATA ---- */

/* A header by itself: the data of the message come after it. With what follows it: that is the reply. */
static int one_message(struct stage *s, struct buffer *buffer, struct text record)
{
    struct vmcf_list list __attribute__((aligned(8)));
    u32 data = record.length - (u32)sizeof list, length, code;
    char *line;

    memcpy(&list, record.at, sizeof list);
    if (list.function != VMCF_SEND && list.function != VMCF_SEND_RECEIVE && list.function != VMCF_REJECT)
        return stage_output(s, record.at, record.length);
    length = list.length;
    line = stage_room(s, buffer, (u32)sizeof list + (list.function == VMCF_REJECT || data > 0 ? 0 : length));
    memcpy(line, &list, sizeof list);
    list.flags = list.error = 0;
    if (list.function != VMCF_REJECT)
        list.function = data > 0 ? VMCF_REPLY : VMCF_RECEIVE;
    list.address = (u32)(list.function == VMCF_RECEIVE ? line : record.at) + (u32)sizeof list;
    list.length = list.function == VMCF_RECEIVE ? length : data;
    code = vmcf_perform(&list);
    if (code != 0)
        return stage_error(s, 417, list.user, name_length(list.user), code);
    return list.function == VMCF_RECEIVE ? stage_output(s, line, (u32)sizeof list + length) : 0;
}

int vmcdata_stage(struct stage *s, struct text arguments)
{
    struct buffer buffer = { NULL, 0 };
    struct text record;
    int code = no_more(s, arguments);

    if (code != 0 || stage_commit(s, 0) != 0 || (code = open_vmcf(s)) != 0)
        return code;
    while (code == 0 && stage_peek(s, &record) == 0) {
        code = record.length < sizeof(struct vmcf_list) ? stage_error(s, 416, record.length)
               : one_message(s, &buffer, record);
        if (code == 0)
            stage_consume(s);
    }
    return code == END_OF_FILE ? 0 : code;
}
