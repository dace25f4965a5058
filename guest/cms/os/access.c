/*
 * OPEN and CLOSE, QSAM's GET, PUT and PUTX, BSAM's and BPAM's READ, WRITE, CHECK, NOTE, POINT, BSP and FEOV.
 *
 * What a data control block does not say is taken from FILEDEF, then from the file. A record of the format V has four
 * bytes with its length in front, as OS has it, which are not in the file. A block that READ gets has as many records
 * of the format F as BLKSIZE holds, otherwise one. A data set that is open for UPDAT is read; PUTX and WRITE put the
 * record or the block that was read last where it was, and it keeps its length. One that is open for INOUT or OUTIN is
 * read and written by READ and WRITE: what WRITE puts comes after the block that was read or written last, and is the
 * last of the data set. To GET and PUT these are INPUT and OUTPUT. For RDBACK blocks and records come from the end.
 */
#include "opened.h"

/* DCB_MACR: the first byte is of input, the second of output. */
enum { MACR_SEQUENTIAL = 0x40, MACR_BASIC = 0x20, MACR_MOVE = 0x10, MACR_LOCATE = 0x08 };
/* OPEN's option, in the list. */
enum { OPEN_INPUT = 0x00, OPEN_BACKWARD = 0x01, OPEN_INOUT = 0x03, OPEN_UPDATE = 0x04,
       OPEN_OUTINX = 0x06, OPEN_OUTIN = 0x07, OPEN_EXTEND = 0x0e, OPEN_OUTPUT = 0x0f, OPEN_HOW = 0x0f };
/* CLOSE's. */
enum { CLOSE_REREAD = 0x10, CLOSE_REWIND = 0x20, CLOSE_LEAVE = 0x30, CLOSE_HOW = 0x30 };
/* The data event control block, and what its ECB says. */
enum { DECB_TYPE = 5, TYPE_WRITE = 0x20, TYPE_BACKWARD = 0x40, DECB_LENGTH = 6, DECB_DCB = 8, DECB_AREA = 12,
       DECB_IOB = 16, ECB_DONE = 0x7f, ECB_END = 0x42, ECB_ERROR = 0x41, IOB_LEFT = 14, IOB_LENGTH = 40 };

static struct opened *all;

struct opened *os_opened_at(u32 dcb)
{
    struct opened *found = all;

    while (found != NULL && found->dcb != dcb)
        found = found->chain;
    return found;
}

/* ---- OPEN and CLOSE ---- */

u32 os_exit_of(u32 dcb, u8 wanted)
{
    u32 list = three(dcb + DCB_EXLST);

    for (u8 code = 0; list != 0 && os_may_fetch(list, 4) && !(code & 0x80); list += 4) {
        code = *(const u8 *)list;
        if ((code & 0x7f) == wanted)
            return three(list);
    }
    return 0;
}

/* What the block does not say: of FILEDEF, then of the file. */
static void fill_in(u32 dcb, char recfm, u32 lrecl, u32 block)
{
    u8 *format = (u8 *)dcb + DCB_RECFM;

    if ((*format & RECFM_U) == 0 && recfm != 0)
        *format |= recfm == 'F' ? RECFM_F : RECFM_V;
    if (half(dcb + DCB_LRECL) == 0)
        set_half(dcb + DCB_LRECL, lrecl);
    if (half(dcb + DCB_BLKSIZE) == 0)
        set_half(dcb + DCB_BLKSIZE, block);
}

static void fill_from_file(struct opened *o, const u8 *fst)
{
    char recfm = fst != NULL ? (char)fst[FST_RECFM] : o->set.variable ? 'V' : 'F';
    u32 lrecl = fst != NULL ? edf_word(fst + FST_LRECL) : o->set.lrecl != 0 ? o->set.lrecl : 80;
    bool with_length;

    fill_in(o->dcb, recfm, 0, 0);
    with_length = (((const u8 *)o->dcb)[DCB_RECFM] & RECFM_U) == RECFM_V;
    fill_in(o->dcb, recfm, lrecl + (with_length ? PREFIX : 0), 0);
}

/* The record format, and lengths that fit one another; false: they do not. */
static bool settle(struct opened *o)
{
    u32 dcb = o->dcb;

    fill_in(dcb, 'F', 0, 0);
    o->recfm = ((const u8 *)dcb)[DCB_RECFM];
    if (half(dcb + DCB_LRECL) == 0)
        set_half(dcb + DCB_LRECL, half(dcb + DCB_BLKSIZE) == 0 ? 80
                 : half(dcb + DCB_BLKSIZE) - (variable(o) ? PREFIX : 0));
    if (half(dcb + DCB_BLKSIZE) == 0)
        set_half(dcb + DCB_BLKSIZE, half(dcb + DCB_LRECL) + (variable(o) ? PREFIX : 0));
    o->lrecl = half(dcb + DCB_LRECL);
    o->block = half(dcb + DCB_BLKSIZE);
    if (o->set.partitioned && ((o->recfm & RECFM_U) != RECFM_F || o->lrecl != LIBRARY_CARD))
        return false;
    return variable(o) ? o->lrecl > PREFIX && o->block >= o->lrecl + PREFIX
         : undefined(o) || (o->block >= o->lrecl && o->block % o->lrecl == 0);
}

/* What the block has stated, or has it again. */
static void keep_stated(struct opened *o, bool keep)
{
    u8 *recfm = (u8 *)o->dcb + DCB_RECFM;

    if (keep) {
        o->saved_recfm = *recfm;
        memcpy(o->saved_lengths, (const u8 *)o->dcb + DCB_BLKSIZE, 2);
        memcpy(o->saved_lengths + 2, (const u8 *)o->dcb + DCB_LRECL, 2);
        return;
    }
    *recfm = o->saved_recfm;
    memcpy((u8 *)o->dcb + DCB_BLKSIZE, o->saved_lengths, 2);
    memcpy((u8 *)o->dcb + DCB_LRECL, o->saved_lengths + 2, 2);
}

static int open_failed(struct opened *o, u32 code)
{
    keep_stated(o, false);
    message("SOP", 36, 'E', code, o->set.what.dd);
    return 8;
}

static void give_entries(struct opened *o)
{
    u32 dcb = o->dcb;
    const u8 *macr = o->saved + DCB_MACR - DCB_OFLGS;
    bool basic = ((macr[0] | macr[1]) & MACR_BASIC) != 0;
    u32 other = basic ? os_branch(OS_NOTE) : OS_PUTX_BRANCH;
    enum os_access what = basic ? (o->output ? OS_WRITE : OS_READ) : o->output ? OS_PUT : OS_GET;

    ((u8 *)dcb)[DCB_OFLGS] |= IS_OPEN;
    set_three(dcb + DCB_OFLGS + 1, os_branch(what));
    if (basic)
        set_three(dcb + DCB_CHECK + 1, os_branch(OS_CHECK));
    if (basic || o->output || o->update)
        set_three(dcb + DCB_CNTRL + 1, other);
}

/* What was read, or was read and put back. */
static int close_read(struct opened *o, int code)
{
    if (o->update || o->both)
        return dataset_close_output("SOP", &o->set, NULL, code);
    dataset_close_input(&o->set);
    return code;
}

/* What is asked for as GET and PUT have it; false: there is no such option. */
static bool understand(struct opened *o, u8 how)
{
    bool basic = ((o->saved[DCB_MACR - DCB_OFLGS] | o->saved[DCB_MACR + 1 - DCB_OFLGS]) & MACR_BASIC) != 0;

    if (!basic)
        how = how == OPEN_INOUT ? OPEN_INPUT : how == OPEN_OUTIN ? OPEN_OUTPUT : how == OPEN_OUTINX ? OPEN_EXTEND : how;
    o->output = how == OPEN_OUTPUT || how == OPEN_EXTEND;
    o->update = how == OPEN_UPDATE;
    o->both = how == OPEN_INOUT || how == OPEN_OUTIN || how == OPEN_OUTINX;
    o->anew = how == OPEN_OUTIN && !o->set.what.append;
    o->set.backward = how == OPEN_BACKWARD;
    if (how == OPEN_EXTEND)
        o->set.what.append = true;
    return how == OPEN_INPUT || o->output || o->update || o->both || o->set.backward;
}

/* The file that is read, or that INOUT and OUTIN would go on with; NULL: there is none. */
static const u8 *file_there(const struct opened *o)
{
    struct disk *disk;
    u8 *fst;

    if (o->set.reader.file != NULL)
        return o->set.reader.file->file.fst;
    return o->both && !o->anew && o->set.what.device == ON_DISK && find_file(&o->set.what.id, &disk, &fst) ? fst : NULL;
}

static int open_one(const struct frame *frame, u32 dcb, u8 how, bool job)
{
    struct opened *o;
    int code = 0;

    if (!os_may_store(dcb, DCB_LENGTH))
        os_abend(0x0c4);
    if (os_opened_at(dcb) != NULL)
        return 0;
    o = obtain_command(sizeof *o);
    memset(o, 0, sizeof *o);
    o->dcb = dcb;
    memcpy(o->saved, (const u8 *)dcb + DCB_OFLGS, sizeof o->saved);
    keep_stated(o, true);
    dataset_define("SOP", &o->set, (const char *)dcb + DCB_DDNAME);
    if ((job && !os_job_says(dcb, &o->set.what)) || !understand(o, how & OPEN_HOW))
        return open_failed(o, 1);
    if (!o->output && !o->both &&
        (o->update ? dataset_open_update("SOP", &o->set) : dataset_open_input("SOP", &o->set)) != 0) {
        (void)close_read(o, 4);
        return open_failed(o, 4);
    }
    fill_in(dcb, o->set.what.recfm, o->set.what.lrecl, o->set.what.block);
    if (!o->output && !o->anew && (!o->both || file_there(o) != NULL))
        fill_from_file(o, file_there(o));
    if (os_exit_of(dcb, EXIT_DCB) != 0)
        (void)os_call(frame, os_exit_of(dcb, EXIT_DCB), 0, dcb);
    o->set.partitioned = o->output && (((const u8 *)dcb)[DCB_DSORG] & DSORG_PO) != 0;
    if (!settle(o)) {
        close_read(o, 0);
        return open_failed(o, 5);
    }
    if (o->output) {
        o->set.what.recfm = variable(o) || undefined(o) ? 'V' : 'F';
        o->set.what.lrecl = o->lrecl - (variable(o) ? PREFIX : 0);
        if (o->set.what.block == 0 && !undefined(o))
            o->set.what.block = o->block;
        code = dataset_open_output("SOP", &o->set, o->set.what.recfm, o->set.what.lrecl);
        if (code != 0)
            return open_failed(o, 4);
    }
    if (o->both)
        code = dataset_open_both("SOP", &o->set, o->anew, variable(o) || undefined(o) ? 'V' : 'F',
                                 o->lrecl - (variable(o) ? PREFIX : 0));
    if (o->both && code == 0 && !o->anew && (how & OPEN_HOW) != OPEN_INOUT)
        o->set.reader.number = edf_word(o->set.file->file.fst + FST_RECORDS);
    if (o->set.backward && variable(o))
        code = 5;
    else if (o->set.backward)
        dataset_turn_back(&o->set, undefined(o) ? 0 : o->lrecl);
    if (code != 0) {
        (void)close_read(o, code);
        return open_failed(o, code == 5 ? 5 : 4);
    }
    o->chain = all;
    all = o;
    give_entries(o);
    return 0;
}

void os_open(struct frame *frame, u32 list, bool job)
{
    u8 how = 0;
    int worst = 0;

    for (; !(how & LIST_LAST); list += 4) {
        int code;

        if (!os_may_fetch(list, 4))
            os_abend(0x0c4);
        how = *(const u8 *)list;
        code = open_one(frame, three(list), how, job);
        worst = code > worst ? code : worst;
    }
    frame->gr[15] = (u32)worst;
}

static bool write_record(struct opened *o, u32 from, u32 length)
{
    if (!os_may_fetch(from, length))
        os_abend(0x0c4);
    memcpy(make_room(&o->record, length), (const void *)from, length);
    return dataset_put("SOP", &o->set, &o->record, length) == 0;
}

/* What is put, from where a record in the format of OS is. */
static bool put_from(struct opened *o, u32 from)
{
    u32 length = variable(o) ? half(from) : undefined(o) ? half(o->dcb + DCB_LRECL) : o->lrecl;

    if (variable(o) && (length <= PREFIX || length > o->lrecl))
        return false;
    return variable(o) ? write_record(o, from + PREFIX, length - PREFIX) : write_record(o, from, length);
}

/* The data control block is as it was before OPEN. */
static void shut(struct opened *o)
{
    if (!os_may_store(o->dcb, DCB_LENGTH))
        return;
    memcpy((u8 *)o->dcb + DCB_OFLGS, o->saved, sizeof o->saved);
    ((u8 *)o->dcb)[DCB_OFLGS] &= (u8)~IS_OPEN;
    keep_stated(o, false);
}

/* Where CLOSE leaves a tape. After the end of what was read stands a tape mark, and one more after labels. */
static void leave_tape(const struct opened *o, u8 how)
{
    u16 drive = tape_device(o->set.what.unit);
    bool labelled = o->set.what.labels != LABELS_OFF && o->set.what.labels != LABELS_BYPASSED;
    u8 nothing;
    u32 none = 0;

    if (how == CLOSE_REREAD || how == CLOSE_REWIND) {
        (void)tape_io(drive, TAPE_REWIND, &nothing, &none);
    } else if (how == CLOSE_LEAVE && !o->output && !o->set.ended && !o->set.backward) {
        for (int marks = labelled ? 2 : 1; marks > 0; marks--, none = 0)
            (void)tape_io(drive, TAPE_FORWARD_FILE, &nothing, &none);
    }
}

static int close_one(struct opened *o, u8 how)
{
    struct opened **at = &all;
    int code = 0;

    if (o->pending && !put_from(o, o->buffer + IOB_LENGTH))
        code = 8;
    if (o->output)
        code |= dataset_close_output("SOP", &o->set, NULL, code);
    else
        code = close_read(o, code);
    if (o->set.what.device == ON_TAPE)
        leave_tape(o, how);
    while (*at != o)
        at = &(*at)->chain;
    *at = o->chain;
    shut(o);
    if (o->buffer != 0)
        (void)release_pages(o->buffer);
    release(o->record.at);
    release(o);
    return code == 0 ? 0 : 8;
}

void os_close(struct frame *frame, u32 list)
{
    u8 how = 0;
    int worst = 0;

    for (; !(how & LIST_LAST); list += 4) {
        struct opened *o;

        if (!os_may_fetch(list, 4))
            os_abend(0x0c4);
        how = *(const u8 *)list;
        o = os_opened_at(three(list));
        if (o != NULL && close_one(o, how & CLOSE_HOW) != 0)
            worst = 8;
    }
    frame->gr[15] = (u32)worst;
}

void os_close_all(void)
{
    while (all != NULL)
        (void)close_one(all, 0);
}

/* The program may be started again, so its blocks are not open any more. */
void os_lose_all(void)
{
    for (; all != NULL; all = all->chain)
        shut(all);
}

/* ---- records ---- */

/* A buffer of the program's, with an IOB in front. */
static u32 buffer_of(struct opened *o)
{
    if (o->buffer == 0) {
        o->buffer = (u32)obtain_pages(IOB_LENGTH + 65536, OWNER_COMMAND, USER_KEY, LOW_STORAGE);
        if (o->buffer == 0)
            os_abend(0x80a);
    }
    return o->buffer;
}

/* To a routine of the program that takes the place of going on: register 14 is where it would have. */
static void divert(struct frame *frame, u32 to)
{
    frame->psw[1] = (frame->psw[1] & 0x80000000) | to;
}

static void at_end(struct frame *frame, u32 dcb)
{
    u32 to = three(dcb + DCB_EODAD);

    if (to == 0)
        os_abend(0x337);
    divert(frame, to);
}

static void failed(struct frame *frame, u32 dcb)
{
    u32 to = three(dcb + DCB_SYNAD);

    if (to <= 1)
        os_abend(0x001);
    frame->gr[0] = 0;
    frame->gr[1] = dcb;
    divert(frame, to);
}

/* EROPT of the block: what GET does with a record that is in error where the program has no routine for it. */
enum { EROPT_ACCEPT = 0x80, EROPT_SKIP = 0x40 };
enum after { ELSEWHERE, ACCEPTED, NEXT_ONE };

/* An error of GET. `there`: there is a record, and it is too long. One of a disk that cannot be read is passed over. */
static enum after after_error(struct frame *frame, struct opened *o, bool there)
{
    u8 how = ((const u8 *)o->dcb)[DCB_EROPT];
    bool passes = there || o->set.reader.file != NULL;

    if (three(o->dcb + DCB_SYNAD) > 1 || !(how & (EROPT_ACCEPT | EROPT_SKIP)) || !passes) {
        failed(frame, o->dcb);
        return ELSEWHERE;
    }
    if (!there && !o->set.backward)
        o->set.reader.number++;
    return there && (how & EROPT_ACCEPT) ? ACCEPTED : NEXT_ONE;
}

/* The next record, `most` bytes at the most; false: there is none, and the program goes elsewhere. */
static bool take_record(struct frame *frame, struct opened *o, u32 most, u32 *length)
{
    for (;;) {
        int code = 0;
        bool there = dataset_take("SOP", &o->set, &o->record, length, &code);
        enum after after;

        if (!there && code == 0) {
            at_end(frame, o->dcb);
            return false;
        }
        if (there && *length <= most)
            return true;
        after = after_error(frame, o, there);
        if (after == ELSEWHERE)
            return false;
        if (after == ACCEPTED) {
            *length = most;
            return true;
        }
    }
}

/* The same with its length in front if its format is V, at `to`. */
static bool take_to(struct frame *frame, struct opened *o, u32 to, u32 room, u32 *length)
{
    u32 front = variable(o) ? PREFIX : 0;

    if (!take_record(frame, o, room - front, length))
        return false;
    if (!os_may_store(to, *length + front))
        os_abend(0x0c4);
    if (front != 0) {
        set_half(to, *length + front);
        set_half(to + 2, 0);
    }
    memcpy((void *)(to + front), o->record.at, *length);
    if ((o->recfm & RECFM_U) == RECFM_F && *length < o->lrecl) {
        memset((void *)(to + *length), ' ', o->lrecl - *length);
        *length = o->lrecl;
    }
    *length += front;
    return true;
}

static void get(struct frame *frame, struct opened *o)
{
    bool locate = (o->saved[DCB_MACR - DCB_OFLGS] & MACR_LOCATE) != 0;
    u32 to = locate ? buffer_of(o) + IOB_LENGTH : frame->gr[0] & 0x7fffffff, length;

    o->got = 0;
    if (!take_to(frame, o, to, undefined(o) ? o->block : o->lrecl, &length))
        return;
    o->got = locate ? length : 0;
    if (variable(o) || undefined(o))
        set_half(o->dcb + DCB_LRECL, length);
    if (locate)
        frame->gr[1] = to;
}

static bool locate_put(const struct opened *o) { return (o->saved[DCB_MACR + 1 - DCB_OFLGS] & MACR_LOCATE) != 0; }

static void put(struct frame *frame, struct opened *o)
{
    bool locate = locate_put(o);
    u32 buffer = locate ? buffer_of(o) + IOB_LENGTH : 0;

    if (!locate && !put_from(o, frame->gr[0] & 0x7fffffff))
        failed(frame, o->dcb);
    if (locate && o->pending && !put_from(o, buffer)) {
        failed(frame, o->dcb);
        return;
    }
    o->pending = locate;
    if (locate)
        frame->gr[1] = buffer;
}

/*
 * PUTX: the record that GET has given out last is put where it was, or of the block at register 0 to this one. It has
 * to be in GET's buffer, and of the same format.
 */
static void put_exchange(struct frame *frame, struct opened *o)
{
    struct opened *from = o->update ? o : os_opened_at(frame->gr[0] & 0xffffff);
    u32 at = from != NULL ? from->buffer + IOB_LENGTH : 0, front = variable(o) ? PREFIX : 0;
    bool good = from != NULL && from->got != 0 && variable(from) == variable(o) && !(locate_put(o) && o->pending);

    if (good && o->update) {
        good = (front == 0 || half(at) == o->got) &&
            dataset_put_back("SOP", &o->set, o->set.reader.number, (const void *)(at + front), o->got - front) == 0;
    } else if (good) {
        if (front == 0 && from->got < o->lrecl)
            memset((void *)(at + from->got), ' ', o->lrecl - from->got);
        if (undefined(o))
            set_half(o->dcb + DCB_LRECL, from->got);
        good = put_from(o, at);
    }
    if (!good)
        failed(frame, o->dcb);
}

/* ---- blocks ---- */

static void posted(u32 decb, u8 how) { edf_set_word((u8 *)decb, (u32)how << 24); }

/* The block in front; its records are in the order that they have. */
static void read_backward(struct opened *o, u32 decb, u32 most)
{
    u32 to = edf_word((const u8 *)decb + DECB_AREA) & 0x7fffffff, each = undefined(o) ? most : o->lrecl, used = 0;
    u32 length = 0;
    int code = 0;
    u32 count = dataset_next_block("SOP", &o->set, undefined(o) ? 1 : o->block / each, &code);

    o->taken = count;
    for (u32 n = count; n-- > 0 && code == 0;) {
        if (!dataset_take("SOP", &o->set, &o->record, &length, &code) || length > each || (n + 1) * each > most ||
            !os_may_store(to + n * each, each)) {
            code = code == 0 ? 8 : code;
            break;
        }
        memcpy((void *)(to + n * each), o->record.at, length);
        if (!undefined(o))
            memset((void *)(to + n * each + length), ' ', each - length);
        used += undefined(o) ? length : each;
    }
    o->noted = o->set.reader.number + 1;
    edf_set_word((u8 *)decb + DECB_IOB, buffer_of(o));
    set_half(o->buffer + IOB_LEFT, most - used);
    posted(decb, code != 0 ? ECB_ERROR : used == 0 ? ECB_END : ECB_DONE);
}

static void read_block(struct frame *frame, struct opened *o, u32 decb)
{
    u32 to = edf_word((const u8 *)decb + DECB_AREA) & 0x7fffffff, room = half(decb + DECB_LENGTH), used = 0, length;
    u32 front = variable(o) ? 2 * PREFIX : 0, each = o->lrecl;
    u32 most = undefined(o) || room != 0 ? room : o->block;
    int code = 0;

    if (most == 0 || most > o->block)
        most = o->block;
    if (o->set.backward) {
        read_backward(o, decb, most);
        return;
    }
    o->taken = 0;
    o->written = false;
    o->noted = o->set.reader.number + 1;
    do {
        if (!dataset_take("SOP", &o->set, &o->record, &length, &code))
            break;
        if ((o->recfm & RECFM_U) == RECFM_F && length < each)
            memset(make_room(&o->record, each) + length, ' ', each - length), length = each;
        if (used + front + length > most || !os_may_store(to + used, front + length)) {
            code = 8;
            break;
        }
        memcpy((void *)(to + used + front), o->record.at, length);
        used += front + length;
        o->taken++;
    } while ((o->recfm & RECFM_U) == RECFM_F && used + each <= most);
    if (front != 0 && used != 0) {
        edf_set_word((u8 *)to, used << 16);
        edf_set_word((u8 *)to + PREFIX, (used - PREFIX) << 16);
    }
    edf_set_word((u8 *)decb + DECB_IOB, buffer_of(o));
    set_half(o->buffer + IOB_LEFT, most - used);
    posted(decb, code != 0 ? ECB_ERROR : used == 0 ? ECB_END : ECB_DONE);
    (void)frame;
}

static void write_block(struct opened *o, u32 decb)
{
    u32 from = edf_word((const u8 *)decb + DECB_AREA) & 0x7fffffff, length = half(decb + DECB_LENGTH), at = 0;
    bool good = !o->both || o->written || dataset_cut("SOP", &o->set, o->set.reader.number) == 0;

    o->written = true;
    o->noted = o->set.number + 1;
    if (length == 0 || (o->recfm & RECFM_U) != RECFM_U)
        length = length != 0 && length < o->block ? length : o->block;
    if (variable(o)) {
        length = half(from) < o->block ? half(from) : o->block;
        at = PREFIX;
    }
    while (good && at < length) {
        u32 front = variable(o) ? PREFIX : 0, each = variable(o) ? half(from + at) : undefined(o) ? length : o->lrecl;

        good = each > front && at + each <= length && write_record(o, from + at + front, each - front);
        at += each;
    }
    if (o->both)
        o->set.reader.number = o->set.number;
    posted(decb, good ? ECB_DONE : ECB_ERROR);
}

/* The block that READ has got last is put where it was. */
static void write_back(struct opened *o, u32 decb)
{
    u32 from = edf_word((const u8 *)decb + DECB_AREA) & 0x7fffffff, front = variable(o) ? 2 * PREFIX : 0;
    u32 each = (o->recfm & RECFM_U) == RECFM_F ? edf_word(o->set.file->file.fst + FST_LRECL) : o->set.reader.length;
    u32 step = (o->recfm & RECFM_U) == RECFM_F ? o->lrecl : each, first = o->set.reader.number + 1 - o->taken;
    bool good = o->taken != 0;

    if (good && !os_may_fetch(from, front + o->taken * step))
        os_abend(0x0c4);
    good = good && (front == 0 || half(from + PREFIX) == each + PREFIX);
    for (u32 n = 0; good && n < o->taken; n++)
        good = dataset_put_back("SOP", &o->set, first + n, (const void *)(from + front + n * step), each) == 0;
    posted(decb, good ? ECB_DONE : ECB_ERROR);
}

/* The next block is the one that begins with this record. */
static void point(struct opened *o, u32 first)
{
    u32 records = o->set.reader.file != NULL ? edf_word(o->set.reader.file->file.fst + FST_RECORDS) : 0;
    u32 last = first - 1 + (undefined(o) ? 1 : o->block / o->lrecl);

    o->written = false;
    o->set.reader.number = !o->set.backward ? first - 1 : last < records ? last : records;
}

static void check(struct frame *frame, u32 decb)
{
    u32 dcb = three(decb + DECB_DCB);
    u8 how = *(const u8 *)decb;

    if (how == ECB_END)
        at_end(frame, dcb);
    else if (how == ECB_ERROR)
        failed(frame, dcb);
}

void os_access(struct frame *frame, enum os_access what)
{
    u32 at = frame->gr[1] & 0xffffff;
    bool basic;
    struct opened *o;

    if (what == OS_RESUME) {
        os_resume(frame);
        return;
    }
    basic = what == OS_READ || what == OS_WRITE || what == OS_CHECK;
    if (!os_may_store(at, basic ? DECB_IOB + 4 : DCB_LENGTH))
        os_abend(0x0c4);
    o = os_opened_at(basic ? three(at + DECB_DCB) : at);
    if (o == NULL)
        os_abend(0x0c1);
    switch (what) {
    case OS_GET:
        get(frame, o);
        break;
    case OS_PUT:
        put(frame, o);
        break;
    case OS_PUTX:
        put_exchange(frame, o);
        break;
    case OS_READ:
        if ((((const u8 *)at)[DECB_TYPE] & TYPE_BACKWARD) && !o->set.backward)
            posted(at, ECB_ERROR);
        else if (!(((const u8 *)at)[DECB_TYPE] & TYPE_WRITE))
            read_block(frame, o, at);
        else if (o->both)
            write_block(o, at);
        else if (o->update)
            write_back(o, at);
        else
            posted(at, ECB_ERROR);
        break;
    case OS_WRITE:
        write_block(o, at);
        break;
    case OS_CHECK:
        check(frame, at);
        break;
    case OS_NOTE:
        frame->gr[1] = o->noted << 8;
        break;
    default:
        if (!os_may_fetch(frame->gr[0] & 0xffffff, 4))
            os_abend(0x0c4);
        point(o, edf_word((const u8 *)(frame->gr[0] & 0xffffff)) >> 8);
        break;
    }
}

/* BSP: register 1 is at the data control block. The block that was read last is the next one; register 15 is 4 where
 * there is none in front, or what is open is no file of a disk that is read. */
void os_backspace(struct frame *frame)
{
    struct opened *o = os_opened_at(frame->gr[1] & 0xffffff);
    u32 each, last;

    frame->gr[15] = 4;
    if (o == NULL || o->output || o->set.backward || o->set.reader.file == NULL || o->set.reader.number == 0)
        return;
    each = (o->recfm & RECFM_U) == RECFM_F ? o->block / o->lrecl : 1;
    last = o->taken != 0 ? o->taken : o->set.reader.number % each;
    last = last == 0 || last > o->set.reader.number ? each : last;
    o->set.reader.number -= last < o->set.reader.number ? last : o->set.reader.number;
    o->taken = 0;
    o->written = false;
    frame->gr[15] = 0;
}

/* FEOV: what is read has ended; what is written goes on, for it has one volume. */
void os_end_volume(struct frame *frame)
{
    struct opened *o = os_opened_at(frame->gr[1] & 0xffffff);

    frame->gr[15] = 0;
    if (o != NULL && !o->output && !o->both)
        at_end(frame, o->dcb);
}

/* What PUT has given out a buffer for is written. */
bool os_write_pending(struct frame *frame, struct opened *o)
{
    bool good = !o->pending || put_from(o, o->buffer + IOB_LENGTH);

    o->pending = o->pending && !good;
    if (!good)
        failed(frame, o->dcb);
    return good;
}
