/*
 * SVC 202, 203 and 204: what programs ask of CMS.
 *
 * SVC 202: register 1 points at words of eight characters, X'FF' after the last; its left byte says how the command is
 * called, and with 01 and 0B register 0 points at the line as typed (struct call). After the SVC may stand the address
 * for errors: a word whose first byte is zero. Register 15 gets the return code. Only SVCs below 16M count. SVC 204 is
 * the same for programs anywhere in storage, with a block of two words: the words' address, and the line's with the
 * type in its left byte.
 *
 * SVC 203 is for CMS's own macros: a halfword after it says what is wanted, and if that is negative an address for
 * errors follows. 1 obtains as many bytes as register 0 says, in whole pages, until the command ends; 2 the same until
 * they are released; 3 releases those at register 1. Register 1 gets the address. 4 performs the callable service that
 * the list at register 1 describes (csl.c), 5 makes the line that LINEDIT's block there describes (linedit.c). 6 is a
 * call as SVC 204 makes it, with the words at register 1, the line at 0 and the type in 2, all of them 31 bits wide. 7
 * is a request of lua/service.h, at register 1.
 * 8 to 16 are the access methods of OS (os/os.h). 17 is the macro CONSOLE (path.c). SVC 13 is an abend of the
 * program's own, SVC 255 is where programs return; others are OS's.
 */
#include "../os/os.h"
#include "../csl/csl.h"
#include "path.h"
#include "program.h"

enum { SVC_ABEND = 13, SVC_CALL = 202, SVC_OWN = 203, SVC_CALL_31 = 204, SVC_END = 255, ERROR_IGNORED = 1 };
/* What register 1 of ABEND has. */
enum { ABEND_DUMP = 0x80000000, ABEND_CODE = 0xfff };
enum { FUNCTION_LENGTH = 48, OWN_CONSOLE = 17 };

static bool within(u32 at, u32 length)
{
    u32 size = storage_bytes();

    return at < size && length <= size - at;
}

/* A subcommand: the variables of the exec that runs, or an environment's. */
static int subcommand_of(const struct call *call)
{
    struct scblock *block;

    if (is(call->token[0], "EXECCOMM")) {
        if (!within(call->eplist, 16))
            return -2;
        return exec_variables(edf_word((u8 *)call->eplist + 12));
    }
    block = subcommand_find(call->token[0]);
    return block == NULL ? NOT_FOUND : extension_run(block, call);
}

/* The words up to the fence, and the line if there is one. */
static int call(struct frame *frame, u32 plist, u8 call_type, u32 eplist)
{
    name token[TOKENS_MOST + 1];
    struct call made = { .token = token, .type = call_type, .plist = plist & 0x7fffffff, .eplist = eplist };
    char line[TOKENS_MOST * 9];
    u32 at = plist & 0x7fffffff, length = 0;
    int code;

    if (!within(at, sizeof(name)))
        return -2;
    if (has_key(at, FUNCTION_LENGTH, USER_KEY) && function((u8 *)at, frame, &code))
        return code;
    while (made.count < TOKENS_MOST && within(at, 8) && *(u8 *)at != 0xff) {
        memcpy(token[made.count++], (void *)at, 8);
        at += 8;
    }
    memset(token[made.count], 0xff, sizeof(name));
    if (made.count == 0)
        return NOT_FOUND;
    made.line = made.arguments = made.end = token[0];
    if (call_type == CALL_SUBCOMMAND)
        return subcommand_of(&made);
    if ((call_type == CALL_COMMAND || call_type == CALL_TYPED) && within(eplist, 16)) {
        const u32 *words = (const u32 *)eplist;

        if (words[2] >= words[1] && words[1] >= words[0] && within(words[0], words[2] - words[0])) {
            made.line = (const char *)words[0];
            made.arguments = (const char *)words[1];
            made.end = (const char *)words[2];
            return perform_tokens(&made);
        }
    }
    /* Without a line the words are one. */
    for (u32 n = 0; n < made.count; n++) {
        length += format(line + length, sizeof line - length, n == 0 ? "%t" : " %t", token[n]);
        if (n == 0)
            made.arguments = line + length + 1;
    }
    made.line = line;
    made.end = line + length;
    if (made.arguments > made.end)
        made.arguments = made.end;
    return perform_tokens(&made);
}

/* SVC 203. */
static void own_service(struct frame *frame, u32 next)
{
    int what = within(next, 6) ? (int16_t)(*(u8 *)next << 8 | ((u8 *)next)[1]) : 0, code = 0;
    bool has_error = what < 0;
    u32 error = has_error ? edf_word((u8 *)next + 2) : 0, limit = frame->psw[1] & 0x80000000 ? 0x7fffffff : LOW_STORAGE;
    void *storage;

    what = has_error ? -what : what;
    next += has_error ? 6 : 2;
    if (what == 1 || what == 2) {
        storage = obtain_pages(frame->gr[0], what == 1 ? OWNER_COMMAND : OWNER_SYSTEM, USER_KEY, limit);
        frame->gr[1] = (u32)storage;
        code = storage == NULL ? 1 : 0;
    } else if (what == 3) {
        code = release_pages(frame->gr[1] & 0x7fffffff) ? 0 : 2;
    } else if (what == 4) {
        enable();
        attend();
        code = service_of_program(frame->gr[1], frame->psw[1] & 0x80000000 ? 0x7fffffff : LOW_STORAGE - 1);
        (void)disable();
    } else if (what == 5) {
        enable();
        code = linedit(frame->gr[1]);
        (void)disable();
    } else if (what == 6) {
        enable();
        attend();
        code = call(frame, frame->gr[1], (u8)frame->gr[2], frame->gr[0] & 0x7fffffff);
        (void)disable();
    } else if (what == 7) {
        code = program_request(frame->gr[1]);
    } else if (what == OWN_CONSOLE) {
        enable();
        attend();
        code = path_request(frame);
        (void)disable();
    } else if (what >= OS_GET && what <= OS_PUTX) {
        frame->psw[1] = (frame->psw[1] & 0x80000000) | next;
        os_branched(frame, (enum os_access)what);
        return;
    } else {
        abend(0x0f8, "Invalid function of SVC 203");
    }
    frame->gr[15] = (u32)code;
    frame->psw[1] = (frame->psw[1] & 0x80000000) | (code != 0 && has_error && error != ERROR_IGNORED ? error : next);
}

static void serve(u32 number, struct frame *frame)
{
    u32 next = frame->psw[1] & 0x7fffffff;
    int code;

    if (number == SVC_OWN) {
        own_service(frame, next);
        return;
    }
    if (number == SVC_ABEND) {
        if (os_recovers(frame, frame->gr[1] & ABEND_CODE))
            return;
        if (frame->gr[1] & ABEND_DUMP)
            os_dump(frame, frame->gr[1] & ABEND_CODE);
        message("ABE", 155, 'T', frame->gr[1] & ABEND_CODE, next - 2);
        halt_execution();
    }
    if (number == SVC_CALL && next > LOW_STORAGE)
        abend(0x1ca, NULL);
    if (number == SVC_CALL || number == SVC_CALL_31) {
        u32 plist = frame->gr[1], eplist = frame->gr[0];
        u8 how = (u8)(plist >> 24);

        if (number == SVC_CALL_31) {
            const u32 *block = (const u32 *)(plist & 0x7fffffff);

            how = CALL_TOKENS;
            if (within((u32)block, 8)) {
                plist = block[0];
                eplist = block[1] & 0xffffff;
                how = (u8)(block[1] >> 24);
            }
        } else {
            plist &= 0xffffff;
        }
        enable();
        attend();
        code = call(frame, plist, how, eplist & 0x7fffffff);
        (void)disable();
        frame->gr[15] = (u32)code;
        if (number == SVC_CALL && within(next, 4) && *(u8 *)next == 0) {
            u32 error = edf_word((u8 *)next);

            frame->psw[1] = (frame->psw[1] & 0x80000000) | (code != 0 && error != ERROR_IGNORED ? error : next + 4);
        }
        return;
    }
    if (!os_service(number, frame))
        abend(0x0f8, "Invalid SVC");
}

/* From svc_handler: the frame is what the program goes on with. */
void svc_interrupt(struct frame *frame)
{
    u32 number = *(volatile u16 *)0x8a & 0xff;

    if (number == SVC_END)
        leave_program((int)frame->gr[15]);
    serve(number, frame);
    paths_tell(frame);
    os_timer_set(frame);
}
