/*
 * Standard labels of tapes.
 *
 * A volume begins with a label VOL1. In front of a file's blocks are HDR1, HDR2 and a tape mark, after them a tape
 * mark, EOF1, EOF2 and a tape mark; a second one is after the last file. Each label is a block of 80 characters.
 * ("z/OS: DFSMS Using Magnetic Tapes", standard labels.) FILEDEF TAPn SL n is the n-th such file, NL n and BLP n the
 * n-th stretch between tape marks; without any of these the tape is read and written where it stands.
 */
#include "command.h"
#include "../nucleus/filedef.h"

enum { LABEL = 80, BACKSPACE_BLOCK = 0x27 };
enum { FID_AT = 4, FID_LENGTH = 17, SET_AT = 21, VOLSEQ_AT = 27, FSEQ_AT = 31, GENN_AT = 35, GENV_AT = 39,
       CREATED_AT = 41, EXPIRES_AT = 47, SECURITY_AT = 53, BLOCKS_AT = 54, SYSTEM_AT = 60 };
enum { RECFM_AT = 4, BLOCK_AT = 5, LRECL_AT = 10, OWNER_AT = 41, VOLID_AT = 4, VOLID_LENGTH = 6, BLOCKED_AT = 38 };

static enum tape_end do_one(u32 unit, u8 command)
{
    char nothing;
    u32 length = 0;

    return tape_io(tape_device(unit), command, &nothing, &length);
}

/* Another block as a label; what is no label of 80 characters is one of blanks. */
static enum tape_end read_label(u32 unit, char label[LABEL])
{
    u32 length = LABEL;
    enum tape_end end;

    memset(label, ' ', LABEL);
    end = tape_io(tape_device(unit), TAPE_READ, label, &length);
    if (end == TAPE_DONE && length != LABEL)
        memset(label, ' ', LABEL);
    return end;
}

static enum tape_end write_label(u32 unit, const char label[LABEL])
{
    u32 length = LABEL;

    return tape_io(tape_device(unit), TAPE_WRITE, (void *)label, &length);
}

static enum tape_end forward(u32 unit, u32 marks)
{
    enum tape_end end = TAPE_DONE;

    while (marks-- > 0 && end == TAPE_DONE) {
        end = do_one(unit, TAPE_FORWARD_FILE);
        attend();
    }
    return end;
}

static void put_digits(char *to, u32 digits, u32 value)
{
    char text[12];

    format(text, sizeof text, "%010u", value);
    memcpy(to, text + 10 - digits, digits);
}

static u32 digits_of(const char *at, u32 length)
{
    u32 value = 0;

    for (u32 n = 0; n < length; n++)
        value = value * 10 + (is_digit(at[n]) ? (u32)(at[n] & 15) : 0);
    return value;
}

/* A date of labels: the century (a blank is 19), the year and the day of the year. */
static void put_date(char to[6], const char yyddd[5])
{
    u32 year = digits_of(yyddd, 2);

    to[0] = year < 70 ? '0' : ' ';
    memcpy(to + 1, yyddd, 5);
}

static void today(char yyddd[5])
{
    static const u16 before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334 };
    struct moment at;

    now(&at);
    put_digits(yyddd, 2, at.year % 100);
    put_digits(yyddd + 2, 3, before[at.month - 1] + at.day + (at.month > 2 && at.year % 4 == 0));
}

/* Zeros are no date. */
static u32 date_value(const char at[6])
{
    u32 century = at[0] == ' ' ? 0 : 1 + (u32)(at[0] & 15), value = digits_of(at + 1, 5);

    return value == 0 ? 0 : century * 100000 + value;
}

static int problem(const char *module, u32 number, u32 unit)
{
    message(module, number, 'E', unit, tape_device(unit));
    return RC_FORMAT;
}

/* The label has what was said of it, if anything was. */
static int compare(const char *module, u32 unit, const char *what, const char *has, const char *said, u32 length)
{
    char one[18], other[18];
    u32 has_length = length_of(has, length), said_length = length_of(said, length);

    if (said_length == 0 || (has_length == said_length && memcmp(has, said, said_length) == 0))
        return 0;
    memcpy(one, has, has_length);
    memcpy(other, said, said_length);
    one[has_length] = other[said_length] = 0;
    message(module, 425, 'E', what, unit, tape_device(unit), one, other);
    return 40;
}

static int compare_number(const char *module, u32 unit, const char *what, const char *has, u32 digits, u32 said)
{
    char wanted[12];

    put_digits(wanted, digits, said);
    return said == 0 ? 0 : compare(module, unit, what, has, wanted, digits);
}

/* To the first file's labels, after VOL1. */
static int volume(const char *module, const struct filedef *what, const struct labeldef *said, char label[LABEL])
{
    enum tape_end end = do_one(what->unit, TAPE_REWIND);

    if (end == TAPE_DONE)
        end = read_label(what->unit, label);
    if (end != TAPE_DONE && end != TAPE_MARK && end != TAPE_VOID)
        return tape_problem(module, what->unit, end, false);
    if (end != TAPE_DONE || memcmp(label, "VOL1", 4) != 0)
        return problem(module, 431, what->unit);
    return compare(module, what->unit, "VOLID", label + VOLID_AT,
                   what->volid[0] != ' ' ? what->volid : said != NULL ? said->volid : what->volid,
                   VOLID_LENGTH);
}

static int check_header(const char *module, u32 unit, const struct labeldef *said, const char label[LABEL])
{
    int code = compare(module, unit, "FID", label + FID_AT, said->fid, FID_LENGTH);

    if (code == 0)
        code = compare_number(module, unit, "VOLSEQ", label + VOLSEQ_AT, 4, said->volseq);
    if (code == 0)
        code = compare_number(module, unit, "FSEQ", label + FSEQ_AT, 4, said->fseq);
    if (code == 0)
        code = compare_number(module, unit, "GENN", label + GENN_AT, 4, said->genn);
    if (code == 0 && said->has_genv)
        code = compare_number(module, unit, "GENV", label + GENV_AT, 2, said->genv);
    if (code == 0)
        code = compare(module, unit, "CRDTE", label + CREATED_AT + 1, said->created, 5);
    if (code == 0)
        code = compare(module, unit, "EXDTE", label + EXPIRES_AT + 1, said->expires, 5);
    if (code == 0 && said->security != ' ')
        code = compare(module, unit, "SEC", label + SECURITY_AT, &said->security, 1);
    return code;
}

/* Labels up to the tape mark; the second one is taken note of. */
static int pass_labels(const char *module, u32 unit, struct tape_file *file)
{
    char label[LABEL];
    enum tape_end end;

    while ((end = read_label(unit, label)) == TAPE_DONE)
        if (memcmp(label, "HDR2", 4) == 0) {
            file->recfm = label[RECFM_AT];
            file->block = digits_of(label + BLOCK_AT, 5);
            file->lrecl = digits_of(label + LRECL_AT, 5);
        }
    return end == TAPE_MARK ? 0 : tape_problem(module, unit, end, false);
}

static int read_before(const char *module, const struct filedef *what, struct tape_file *file)
{
    const struct labeldef *said = labeldef_find(what->dd);
    char label[LABEL];
    int code = volume(module, what, said, label);
    enum tape_end end;

    if (code != 0)
        return code;
    end = forward(what->unit, 3 * (what->sequence - 1));
    if (end == TAPE_DONE)
        end = read_label(what->unit, label);
    if (end != TAPE_DONE && end != TAPE_MARK)
        return tape_problem(module, what->unit, end, false);
    if (end == TAPE_MARK || memcmp(label, "HDR1", 4) != 0)
        return problem(module, 432, what->unit);
    /* Without LABELDEF the label is shown, not checked. */
    if (said == NULL)
        type_line(label, LABEL);
    else
        code = check_header(module, what->unit, said, label);
    return code != 0 ? code : pass_labels(module, what->unit, file);
}

/* HDR1 and HDR2, or EOF1 and EOF2. */
static int write_group(const char *module, const struct filedef *what, const char *kind, const struct tape_file *file)
{
    const struct labeldef *said = labeldef_find(what->dd);
    char label[LABEL], yyddd[5], first[LABEL];
    enum tape_end end;

    memset(label, ' ', LABEL);
    memcpy(label, kind, 3);
    label[3] = '1';
    today(yyddd);
    memcpy(label + FID_AT, what->dd, sizeof(name));
    if (said != NULL && said->fid[0] != ' ')
        memcpy(label + FID_AT, said->fid, FID_LENGTH);
    memcpy(label + SET_AT, what->volid, VOLID_LENGTH);
    put_digits(label + VOLSEQ_AT, 4, said != NULL && said->volseq != 0 ? said->volseq : 1);
    put_digits(label + FSEQ_AT, 4, said != NULL && said->fseq != 0 ? said->fseq : what->sequence);
    if (said != NULL && said->genn != 0)
        put_digits(label + GENN_AT, 4, said->genn);
    if (said != NULL && said->has_genv)
        put_digits(label + GENV_AT, 2, said->genv);
    put_date(label + CREATED_AT, said != NULL && said->created[0] != ' ' ? said->created : yyddd);
    put_date(label + EXPIRES_AT, said != NULL && said->expires[0] != ' ' ? said->expires : yyddd);
    label[SECURITY_AT] = said != NULL && said->security != ' ' ? said->security : '0';
    put_digits(label + BLOCKS_AT, 6, file->blocks);
    memcpy(label + SYSTEM_AT, "CMS", 3);
    memcpy(first, label, LABEL);
    end = write_label(what->unit, first);
    memset(label, ' ', LABEL);
    memcpy(label, kind, 3);
    label[3] = '2';
    label[RECFM_AT] = file->recfm;
    put_digits(label + BLOCK_AT, 5, file->block);
    put_digits(label + LRECL_AT, 5, file->lrecl);
    label[BLOCK_AT + 10] = '0';
    label[BLOCK_AT + 11] = '0';
    label[BLOCKED_AT] = file->block > file->lrecl ? 'B' : ' ';
    if (end == TAPE_DONE)
        end = write_label(what->unit, label);
    if (end == TAPE_DONE)
        end = do_one(what->unit, TAPE_WRITE_MARK);
    return end == TAPE_DONE ? 0 : tape_problem(module, what->unit, end, true);
}

static int write_before(const char *module, const struct filedef *what, const struct tape_file *file)
{
    const struct labeldef *said = labeldef_find(what->dd);
    struct filedef where = *what;
    char label[LABEL], yyddd[5], date[6];
    int code = volume(module, what, said, label);
    enum tape_end end;

    if (code != 0)
        return code;
    memcpy(where.volid, label + VOLID_AT, VOLID_LENGTH);
    end = forward(what->unit, 3 * (what->sequence - 1));
    if (end == TAPE_DONE)
        end = read_label(what->unit, label);
    /* What is there must have expired. */
    today(yyddd);
    put_date(date, yyddd);
    if (end == TAPE_DONE && memcmp(label, "HDR1", 4) == 0 && date_value(label + EXPIRES_AT) > date_value(date))
        return problem(module, 436, what->unit);
    if (end == TAPE_DONE || end == TAPE_MARK)
        end = do_one(what->unit, BACKSPACE_BLOCK);
    if (end != TAPE_DONE && end != TAPE_MARK && end != TAPE_VOID)
        return tape_problem(module, what->unit, end, false);
    return write_group(module, &where, "HDR", file);
}

/*
 * To the file; `file` is what it will be, or gets what its labels say of it. A return code, and the message has been
 * typed.
 */
int labels_before(const char *module, const struct filedef *what, bool writing, struct tape_file *file)
{
    enum tape_end end;
    char label[LABEL];

    if (what->labels == LABELS_OFF)
        return 0;
    if (what->labels == LABELS_STANDARD)
        return writing ? write_before(module, what, file) : read_before(module, what, file);
    end = do_one(what->unit, TAPE_REWIND);
    if (end == TAPE_DONE && what->labels == LABELS_NONE) {
        end = read_label(what->unit, label);
        if (end == TAPE_DONE && memcmp(label, "VOL1", 4) == 0)
            return problem(module, 433, what->unit);
        if (end == TAPE_DONE || end == TAPE_MARK || end == TAPE_VOID)
            end = do_one(what->unit, TAPE_REWIND);
    }
    if (end == TAPE_DONE)
        end = forward(what->unit, what->sequence - 1);
    return end == TAPE_DONE ? 0 : tape_problem(module, what->unit, end, writing);
}

/* After the tape mark that is after the blocks, which has been read or is yet to be written. */
int labels_after(const char *module, const struct filedef *what, bool writing, const struct tape_file *file)
{
    struct filedef where = *what;
    struct tape_file ignored = *file;
    char label[LABEL];
    enum tape_end end;
    int code;

    if (writing) {
        end = do_one(what->unit, TAPE_WRITE_MARK);
        if (end != TAPE_DONE)
            return tape_problem(module, what->unit, end, true);
        if (what->labels != LABELS_STANDARD)
            return 0;
        code = write_group(module, &where, "EOF", file);
        end = code == 0 ? do_one(what->unit, TAPE_WRITE_MARK) : TAPE_DONE;
        return end == TAPE_DONE ? code : tape_problem(module, what->unit, end, true);
    }
    if (what->labels != LABELS_STANDARD)
        return 0;
    end = read_label(what->unit, label);
    if (end != TAPE_DONE || memcmp(label, "EOF1", 4) != 0 || digits_of(label + BLOCKS_AT, 6) != file->blocks)
        return problem(module, 434, what->unit);
    return pass_labels(module, what->unit, &ignored);
}

/* TAPE DVOL1: shows the volume's label. */
int tape_show_label(u32 unit)
{
    struct filedef what = { .unit = unit, .volid = "        " };
    char label[LABEL];
    int code = volume("TPE", &what, NULL, label);

    if (code == 0)
        type_line(label, LABEL);
    return code;
}

/* TAPE WVOL1: a volume label, and a file without anything in it. */
int tape_write_label(u32 unit, const name volid, const name owner)
{
    char label[LABEL];
    enum tape_end end = do_one(unit, TAPE_REWIND);

    memset(label, ' ', LABEL);
    memcpy(label, "VOL1", 4);
    memcpy(label + VOLID_AT, volid, VOLID_LENGTH);
    label[VOLID_AT + VOLID_LENGTH] = '0';
    memcpy(label + OWNER_AT, owner, sizeof(name));
    if (end == TAPE_DONE)
        end = write_label(unit, label);
    memset(label, '0', LABEL);
    memcpy(label, "HDR1", 4);
    if (end == TAPE_DONE)
        end = write_label(unit, label);
    for (u32 n = 0; n < 2 && end == TAPE_DONE; n++)
        end = do_one(unit, TAPE_WRITE_MARK);
    return end == TAPE_DONE ? 0 : tape_problem("TPE", unit, end, true);
}
