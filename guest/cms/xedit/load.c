/*
 * Files from disk: LOAD, and what GET inserts.
 *
 * A file is read whole, record by record; where it does not fit, it says how much is missing and none of it is loaded.
 */
#include "xedit.h"
#include "../nucleus/library.h"

/* Storage that must be left for what works on the file. */
enum { LEFT_OVER = 0x8000 };

/* A missing file is a new one; its mode is A1, or what the user said. */
static int new_file(struct view *view)
{
    struct fileid *id = &view->file->s.id;

    view->file->fresh = true;
    if (id->fm[0] == '*' || id->fm[0] == ' ')
        id->fm[0] = 'A';
    if (id->fm[1] == ' ' || id->fm[1] == '*')
        id->fm[1] = '1';
    if (disk_at(id->fm[0]) == NULL) {
        message("XIN", 69, 'E', id->fm[0]);
        return RC_DISK;
    }
    defaults_of(view->file, view);
    message("XIN", 571, 'I');
    return 0;
}

static int too_large(u32 need, u32 there)
{
    message("XIN", 132, 'S', (need - there) / 1024 + 1);
    return RC_UNSUPPORTED;
}

static bool enough(u32 need) { return need + LEFT_OVER < storage_free(); }

/* All records of the open file, at the end of the lines. */
static int read_records(struct file *to, struct open_file *file)
{
    u32 records = edf_word(file->file.fst + FST_RECORDS), lrecl = edf_word(file->file.fst + FST_LRECL), length;
    char *record = obtain(lrecl + 1, OWNER_SYSTEM);
    int error = record == NULL ? EDF_STORAGE : EDF_OK;

    for (u32 n = 1; n <= records && error == EDF_OK; n++) {
        const u8 *at;

        error = edf_lend(&file->file, n, record, lrecl, &at, &length);
        if (error != EDF_OK)
            break;
        while (length > 0 && at[length - 1] == ' ')
            length--;
        if (!text_append(&to->text, (const char *)at, length))
            error = EDF_STORAGE;
    }
    release(record);
    return error;
}

/* Reads the file whose settings say what it is called. */
static int load_records(struct view *view, struct open_file *file)
{
    struct file *to = view->file;
    const u8 *fst = file->file.fst;
    u32 lrecl = edf_word(fst + FST_LRECL), records = edf_word(fst + FST_RECORDS);
    u8 recfm = fst[FST_RECFM];
    bool packed = packed_file(&file->file, &recfm, &lrecl, &records);
    uint64_t bytes = packed                  ? 4 * (uint64_t)records
                     : fst[FST_RECFM] == EDF_F
                         ? (uint64_t)records * (lrecl + 4)
                         : (uint64_t)edf_word(fst + FST_BLOCKS) * file->disk->edf.size + 4 * (uint64_t)records;
    int error;

    if (lrecl > WIDTH_MOST) {
        message("XIN", 516 + MESSAGE_SECOND, 'E', lrecl, WIDTH_MOST);
        return RC_UNSUPPORTED;
    }
    if (bytes > 0x40000000 || (fst[FST_RECFM] != EDF_F && !enough((u32)bytes / 2)))
        return too_large((u32)bytes, storage_free());
    to->s.recfm = recfm == EDF_F ? 'F' : 'V';
    to->s.packed = packed;
    to->s.lrecl = lrecl > 0 ? lrecl : 80;
    memcpy(to->entry, fst, sizeof to->entry);
    to->read_only = file->disk->read_only;
    defaults_of(to, view);
    error = packed ? packed_read(&to->text, &file->file, records) : read_records(to, file);
    if (error == EDF_OK && !enough(0))
        error = EDF_STORAGE;
    if (error == EDF_OK)
        return 0;
    text_free(&to->text);
    if (error == EDF_STORAGE)
        return too_large((u32)bytes + LEFT_OVER, storage_free());
    return file_problem("XIN", error, &to->s.id, false);
}

/* GET: `count` records from `first` on, after line `after`, which becomes the last that was inserted. */
int insert_file(struct view *view, const struct fileid *id, u32 first, u32 count, u32 *after)
{
    struct fileid found = *id;
    struct open_file *file;
    u32 lrecl, records, length, cut = 0, n;
    int error = file_open(&found, EDF_READ, &file), code = 0;
    char *record;

    if (error != EDF_OK)
        return file_problem("XGT", error, id, false);
    id_of(file->disk, file->file.fst, &found);
    lrecl = edf_word(file->file.fst + FST_LRECL);
    records = edf_word(file->file.fst + FST_RECORDS);
    record = obtain(lrecl + 1, OWNER_SYSTEM);
    if (record == NULL)
        code = no_room();
    for (n = 0; n < count && first + n <= records && code == 0; n++) {
        u32 most = view->file->s.truncation;

        error = edf_read(&file->file, first + n, record, lrecl, &length);
        if (error != EDF_OK) {
            code = file_problem("XGT", error, &found, false);
            break;
        }
        length = length_of(record, length < lrecl ? length : lrecl);
        cut += length > most;
        code = (int)add_line(view, *after, record, length < most ? length : most);
        *after += code == 0;
    }
    release(record);
    (void)file_finish(file);
    if (code != 0)
        return code;
    if (n < count && count != 0xffffffff)
        message("XGT", cut > 0 ? 565 : 564, 'W');
    else if (cut > 0)
        message("XGT", 563, 'W');
    return cut > 0 ? XE_TRUNCATED : n < count && count != 0xffffffff ? XE_EDGE : 0;
}

/* Options of XEDIT and LOAD. */
struct opened {
    u32 width;
    int no_screen, no_profile, no_clear, no_messages;
    name profile, member;
    struct update_mode update;
};

static void nothing_opened(struct opened *opened)
{
    memset(opened, 0, sizeof *opened);
    memset(opened->profile, ' ', sizeof(name));
    memset(opened->member, ' ', sizeof(name));
    memset(opened->update.control_fn, ' ', sizeof(name));
    memset(opened->update.until, ' ', sizeof(name));
    memset(opened->update.sidcode, ' ', sizeof(name));
}

static int option_words(const struct call *call, struct opened *opened)
{
    int locked = 0;
    name window = "XEDIT   ";
    const struct option known[] = {
        NUMBER("WIDTH", 1, &opened->width),
        FLAG("NOSCREEN", 5, &opened->no_screen, 1),
        WORD("PROFILE", 4, &opened->profile),
        FLAG("NOPROFIL", 6, &opened->no_profile, 1),
        FLAG("NOCLEAR", 4, &opened->no_clear, 1),
        FLAG("NOMSG", 3, &opened->no_messages, 1),
        WORD("MEMBER", 3, &opened->member),
        FLAG("LOCK", 3, &locked, 1),
        FLAG("NOLOCK", 5, &locked, 0),
        WORD("WINDOW", 3, &window),
        FLAG("UPDATE", 1, &opened->update.on, 1),
        FLAG("NOUPDATE", 3, &opened->update.on, 0),
        WORD("CTL", 1, &opened->update.control_fn),
        FLAG("NOCTL", 3, &opened->update.control, 0),
        FLAG("SEQ8", 1, &opened->update.five, 0),
        FLAG("NOSEQ8", 4, &opened->update.five, 1),
        FLAG("MERGE", 1, &opened->update.merge, 1),
        WORD("UNTIL", 2, &opened->update.until),
        NUMBER("INCR", 1, &opened->update.increment),
        WORD("SIDCODE", 3, &opened->update.sidcode),
    };
    int code = options("XIN", call, known, COUNT_OF(known));

    if (opened->update.control_fn[0] != ' ')
        opened->update.on = opened->update.control = 1;
    /* Another window cannot have the editor. */
    if (code == 0 && !is(window, "XEDIT")) {
        message("XIN", 922, 'E', window);
        return RC_MISSING;
    }
    return code;
}

/* A member of a library: a new file of that name and of type MEMBER, with the member's lines. */
static int read_member(struct view *view, const name member)
{
    static const name type = "MEMBER  ";
    struct file *to = view->file;
    struct fileid id = to->s.id;
    struct library library;
    struct member place;
    char card[LIBRARY_CARD], text[24];
    int error = library_open(&id, &library);
    u32 length;

    if (error == EDF_LENGTH) {
        message("XIN", 56, 'E', show_id(&id, text));
        return RC_FORMAT;
    }
    if (error != EDF_OK)
        return file_problem("XIN", error, &id, false);
    id_of(library.file->disk, library.file->file.fst, &id);
    if (!library_find(&library, member, &place)) {
        (void)file_finish(library.file);
        message("XIN", 13, 'E', member);
        return RC_MISSING;
    }
    to->library = id;
    memcpy(to->s.id.fn, member, sizeof(name));
    memcpy(to->s.id.ft, type, sizeof(name));
    memcpy(to->s.id.fm, "A1", 2);
    to->fresh = true;
    to->s.recfm = 'F';
    to->s.lrecl = LIBRARY_CARD;
    defaults_of(to, view);
    for (u32 n = 0; n < place.count && error == EDF_OK; n++) {
        error = edf_read(&library.file->file, place.first + n, card, sizeof card, &length);
        if (error == EDF_OK && !text_append(&to->text, card, length_of(card, sizeof card)))
            error = EDF_STORAGE;
    }
    (void)file_finish(library.file);
    return error == EDF_STORAGE ? no_room() : error != EDF_OK ? file_problem("XIN", error, &id, false) : 0;
}

static int read_file(struct view *view)
{
    struct fileid *id = &view->file->s.id;
    struct open_file *file;
    int error, code;

    if (view->file->member[0] != 0 && view->file->member[0] != ' ')
        return read_member(view, view->file->member);
    if (view->file->update.on)
        return update_read(view);
    error = file_open(id, EDF_READ, &file);
    if (error == EDF_NOT_FOUND)
        return new_file(view);
    if (error != EDF_OK)
        return file_problem("XIN", error, id, false);
    id_of(file->disk, file->file.fst, id);
    code = load_records(view, file);
    (void)file_finish(file);
    return code;
}

/* Reads the file, with the operands of LOAD in the profile. */
int load_file_of(struct view *view, struct words *words)
{
    name token[TOKENS_MOST + 1];
    struct call call = { .token = token, .line = words->at, .arguments = words->at, .end = words->end };
    struct opened opened;
    struct fileid id;
    int code;

    nothing_opened(&opened);
    view->file->loaded = true;
    call.count = tokenize(words->at, (u32)(words->end - words->at), token);
    code = option_words(&call, &opened);
    if (code == 0 && operands(&call) > 0) {
        code = parse_fileid("XIN", &call, 0, operands(&call) < 3 ? operands(&call) : 3, &id) ? 0 : RC_SYNTAX;
        if (code == 0 && id.fn[0] != '=')
            memcpy(view->file->s.id.fn, id.fn, sizeof(name));
        if (code == 0 && operands(&call) > 1 && id.ft[0] != '=')
            memcpy(view->file->s.id.ft, id.ft, sizeof(name));
        if (code == 0 && operands(&call) > 2 && id.fm[0] != '=')
            memcpy(view->file->s.id.fm, id.fm, 2);
    }
    if (opened.width > WIDTH_MOST)
        code = bad_number(words->at, (u32)(words->end - words->at));
    if (code == 0) {
        view->file->s.width = opened.width > view->file->s.width ? opened.width : view->file->s.width;
        if (opened.member[0] != ' ')
            memcpy(view->file->member, opened.member, sizeof(name));
        if (opened.update.on)
            view->file->update = opened.update;
        code = read_file(view);
    }
    if (code == 0 && !work_lines(view->file->s.width))
        code = no_room();
    view->file->failed = code != 0;
    view->column = 1;
    view->s.range_last = size_of(view);
    return code;
}

int load_subcommand(struct view *view, struct words *words)
{
    if (view->file->loaded || !editor->in_profile) {
        message("XIN", 508, 'E');
        return XE_TRUNCATED;
    }
    return load_file_of(view, words);
}

/* Operands of XEDIT: a file, and how it is edited. `words` are the call's words without the command's name. */
static int open_words(const struct call *call, struct opened *opened, struct fileid *id)
{
    u32 words = operands(call);
    int code = option_words(call, opened);

    if (code != 0)
        return code;
    if (words < 2) {
        message("XIN", 54, 'E');
        return RC_SYNTAX;
    }
    if (words > 3) {
        message("XIN", 70, 'E', call->token[3]);
        return RC_SYNTAX;
    }
    if (!parse_fileid("XIN", call, 0, words, id))
        return RC_SYNTAX;
    if (editor->ring != NULL) {
        const struct fileid *here = &editor->ring->s.id;

        memcpy(id->fn, id->fn[0] == '=' ? here->fn : id->fn, sizeof(name));
        memcpy(id->ft, id->ft[0] == '=' ? here->ft : id->ft, sizeof(name));
        memcpy(id->fm, id->fm[0] == '=' ? here->fm : id->fm, 2);
    }
    if (words < 3)
        id->fm[0] = '*';
    if (!legal_name(id->fn) || !legal_name(id->ft)) {
        char text[24];

        message("XIN", 62, 'E', legal_name(id->fn) ? id->ft[0] : id->fn[0], show_id(id, text));
        return 20;
    }
    if (words == 3 && id->fm[0] != '*' && disk_at(id->fm[0]) == NULL) {
        message("XIN", 69, 'E', id->fm[0]);
        return RC_DISK;
    }
    return 0;
}

/* The file, if it is in the ring. */
static struct file *in_ring(const struct fileid *id)
{
    struct file *file = editor->ring;

    for (u32 n = 0; n < editor->files; n++, file = file->next) {
        const struct fileid *here = &file->s.id;

        if (memcmp(here->fn, id->fn, sizeof(name)) == 0 && memcmp(here->ft, id->ft, sizeof(name)) == 0 &&
            (id->fm[0] == '*' || id->fm[0] == here->fm[0]) && !file->browsed && file->peeked[0] == 0 &&
            file->list == NULL)
            return file;
    }
    return NULL;
}

static int profile_of(struct view *view, const struct opened *opened, const char *arguments, u32 length)
{
    static const name usual = "PROFILE ";
    const char *which = opened->profile[0] != ' ' ? opened->profile : usual;
    bool found = false, outer = editor->in_profile;

    if (opened->no_profile)
        return 0;
    editor->in_profile = true;
    (void)run_macro(which, name_length(which), arguments, length, &found);
    if (editor == NULL)
        return 0;
    editor->in_profile = outer;
    if (!found && opened->profile[0] != ' ' && editor->view == view) {
        char text[24];

        format(text, sizeof text, "%t XEDIT", which);
        message("XIN", 2, 'E', text);
        return RC_MISSING;
    }
    return 0;
}

/* Another file in the ring, or the one that is there; then its profile, which may load it. */
int open_file(struct words *words)
{
    name token[TOKENS_MOST + 1];
    struct call call = { .token = token, .line = words->at, .arguments = words->at, .end = words->end };
    struct opened opened;
    struct words none = { words->end, words->end };
    struct file *file, *before = editor->ring;
    struct fileid id;
    int code;

    nothing_opened(&opened);
    call.count = tokenize(words->at, (u32)(words->end - words->at), token);
    code = open_words(&call, &opened, &id);
    if (code != 0)
        return code;
    /* A member is called after itself. */
    file = opened.member[0] == ' ' ? in_ring(&id) : NULL;
    if (file != NULL) {
        make_current(file);
        return 0;
    }
    if (editor->files >= FILES_MOST || (file = new_file_in_ring(&id)) == NULL)
        return no_room();
    file->s.width = opened.width;
    memcpy(file->member, opened.member, sizeof(name));
    file->update = opened.update;
    if (opened.width > WIDTH_MOST) {
        leave_file(file);
        return bad_number(words->at, (u32)(words->end - words->at));
    }
    editor->view->s.messages = !opened.no_messages;
    if (opened.no_screen)
        editor->typewriter = true;
    /* What is shown stays until the user has cleared it, unless it is cleared here; what the profile types stays. */
    if (editor->files == 1 && !editor->typewriter && !opened.no_clear)
        clear_screen();
    code = profile_of(file->view, &opened, words->at, (u32)(words->end - words->at));
    /* The profile may have ended the session, or have taken files out of the ring, this one and the one before too. */
    if (editor == NULL || editor->over || editor->view == NULL || editor->view->file != file || !file_in_ring(file))
        return code;
    if (code == 0 && !file->loaded)
        code = load_file_of(file->view, &none);
    else if (file->failed)
        code = code != 0 ? code : XE_OVER;
    if (code != 0 && editor->view->file == file) {
        leave_file(file);
        if (before != NULL && !editor->over && file_in_ring(before))
            make_current(before);
    }
    return code;
}

/* XEDIT from the editor itself adds a file to the ring. */
int xedit_command(const struct call *call)
{
    struct words words = { call->arguments, call->end };
    struct capture *outer = capturing();
    int code;

    /* What it says is seen on the editor's screen. */
    if (editor != NULL) {
        notes_begin();
        code = execute_command(call->line, (u32)(call->end - call->line));
        if (editor != NULL)
            notes_end();
        return code;
    }
    if (!session_begin()) {
        message("XIN", 554, 'E');
        return RC_STORAGE;
    }
    code = open_file(&words);
    session_run();
    capture_end(outer);
    return code;
}
