/*
 * Execs and modules in saved segments, which all have in common: the installation segment, and others.
 *
 * It begins with an identifier and the number of entries; then comes an entry for each, and what they are of. Of an
 * exec that is its lines as the exec processor wants them: texts with lengths, at the addresses where the segment
 * always is.
 * Of a module, whose entry has the type MODULE, it is the program itself, as it runs there: where it begins stands in
 * the place of lines, its addressing mode in that of how many there are. command/seggen.c makes one.
 * IPL loads CMSINST, or the one that INSTSEG in IPL's PARM names, if there is one; what is in it is found before what
 * is on disks, unless SET INSTSEG OFF. Those that SEGMENT LOAD has loaded are looked through before, the newest first.
 */
#include "program.h"
#include "segment.h"
#include "../rexx/rexx.h"

struct entry { name fn, ft; const struct rexx_text *lines; u32 count; };
struct installation { char identifier[8]; u32 count, zero; struct entry entry[]; };

static const char identifier[8] = "CMSEXEC1";
static struct segment *segment;
static const name module_type = "MODULE  ";
static u32 running;             /* execs and modules of segments that run */

/* Whether what has been loaded there is one of these. */
bool installation_at(const void *first) { return memcmp(first, identifier, sizeof identifier) == 0; }

/* The segment becomes the installation segment; the one that was is given back, unless one of its execs runs. */
enum segment_result installation_load(const name wanted)
{
    struct segment *found = segment_known(wanted), *before = segment;
    bool loaded = found != NULL && found->loaded;
    enum segment_result result = segment_load(wanted, false, &found);

    if (result != SEGMENT_DONE)
        return result;
    if (!found->execs) {
        if (!loaded)
            segment_purge(found);
        return SEGMENT_NO_EXECS;
    }
    segment = found;
    if (before != NULL && before != found && running == 0)
        segment_purge(before);
    return SEGMENT_DONE;
}

const char *installation_name(void) { return segment != NULL ? segment->name : "NONE    "; }

/* Whether an exec of it may run, or IPL has loaded it and its execs are to be found. */
bool installation_is(const struct segment *which)
{
    return which->execs && (running > 0 || (which == segment && settings.instseg));
}

/* It has been purged. */
void installation_gone(const struct segment *which)
{
    if (which == segment)
        segment = NULL;
}

void installation_forget(void) { running = 0; }
void installation_left(void) { running -= running > 0; }

static const struct rexx_text *find_in(const struct segment *which, const name fn, const name ft, u32 *count)
{
    const struct installation *all = (const struct installation *)which->first;

    for (u32 n = 0; n < all->count; n++)
        if (memcmp(all->entry[n].fn, fn, sizeof(name)) == 0 && memcmp(all->entry[n].ft, ft, sizeof(name)) == 0) {
            *count = all->entry[n].count;
            return all->entry[n].lines;
        }
    return NULL;
}

const struct rexx_text *installation_find(const name fn, const name ft, u32 *count)
{
    const struct rexx_text *lines = NULL;

    for (const struct segment *which = segment_next(NULL); which != NULL && lines == NULL; which = segment_next(which))
        if (which->loaded && which->execs && which != segment)
            lines = find_in(which, fn, ft, count);
    return lines == NULL && segment != NULL && settings.instseg ? find_in(segment, fn, ft, count) : lines;
}

const struct rexx_text *installation_run(const name fn, const name ft, u32 *count)
{
    const struct rexx_text *lines = installation_find(fn, ft, count);

    running += lines != NULL;
    return lines;
}

/* Runs a module of a segment; false: none has it. */
bool installation_module(const struct call *call, int *code)
{
    u32 modes;
    const struct rexx_text *entry = installation_run(call->token[0], module_type, &modes);

    if (entry == NULL)
        return false;
    *code = run_program_at((u32)entry, (u8)modes, USER_KEY, 0, call);
    installation_left();
    return true;
}

u32 installation_head(u32 count) { return sizeof(struct installation) + count * sizeof(struct entry); }

/* How much of a segment an exec can take: its lines, and their bytes, which an F file's records are all of. */
uint64_t exec_room(const struct disk *disk, const u8 *fst)
{
    uint64_t records = edf_word(fst + FST_RECORDS), lrecl = edf_word(fst + FST_LRECL);

    return records * sizeof(struct rexx_text) + 8 + lrecl +
           (fst[FST_RECFM] == EDF_F ? records * lrecl : (uint64_t)edf_word(fst + FST_BLOCKS) * disk->edf.size);
}

/* Begins a segment; how many bytes of it are in use. */
u32 installation_begin(u8 *at, u32 count)
{
    struct installation *all = (struct installation *)at;

    memcpy(all->identifier, identifier, sizeof identifier);
    all->count = count;
    return installation_head(count);
}

/* Adds exec `n`, and a return code: `used` grows. */
int installation_add(u8 *at, u32 n, const name fn, const name ft, u32 *used)
{
    struct installation *all = (struct installation *)at;
    struct fileid id = { .fm = "* " };
    struct rexx_text *lines;
    struct open_file *file;
    u32 records, lrecl, length;
    int error;

    memcpy(id.fn, fn, sizeof(name));
    memcpy(id.ft, ft, sizeof(name));
    error = file_open(&id, EDF_READ, &file);
    if (error != EDF_OK)
        return file_problem("SGN", error, &id, false);
    records = edf_word(file->file.fst + FST_RECORDS);
    lrecl = edf_word(file->file.fst + FST_LRECL);
    lines = (struct rexx_text *)(at + ((*used + 7) & ~7u));
    *used = (u32)((u8 *)(lines + records) - at);
    for (u32 k = 0; error == EDF_OK && k < records; k++) {
        char *to = (char *)at + *used;

        error = edf_read(&file->file, k + 1, to, lrecl, &length);
        lines[k] = (struct rexx_text){ to, length_of(to, length) };
        *used += lines[k].length;
    }
    (void)file_finish(file);
    memcpy(all->entry[n].fn, fn, sizeof(name));
    memcpy(all->entry[n].ft, ft, sizeof(name));
    all->entry[n].lines = lines;
    all->entry[n].count = records;
    return error == EDF_OK ? 0 : file_problem("SGN", error, &id, false);
}

/* How much of a segment a module takes; 0: it cannot lie there, and the message has been typed. */
u32 module_room(const struct fileid *id)
{
    struct open_file *file;
    struct module module;
    char text[24];
    int error = file_open(id, EDF_READ, &file);

    if (error != EDF_OK) {
        (void)file_problem("SGN", error, id, false);
        return 0;
    }
    error = module_read_header(file, &module);
    (void)file_finish(file);
    if (error != 0)
        return 0;
    if ((module.flags & (MODULE_RELOCATABLE | MODULE_SYSTEM)) != MODULE_RELOCATABLE) {
        message("SGN", 1096, 'E', show_id(id, text));
        return 0;
    }
    return module.length + sizeof(uint64_t);
}

/* Adds module `n`, and a return code: `used` grows. */
int installation_add_module(u8 *at, u32 n, const name fn, u32 *used)
{
    struct installation *all = (struct installation *)at;
    struct fileid id = { .ft = "MODULE  ", .fm = "* " };
    struct open_file *file;
    struct module module;
    u32 to = (u32)at + ((*used + 7) & ~7u);
    int code;

    memcpy(id.fn, fn, sizeof(name));
    code = file_open(&id, EDF_READ, &file);
    if (code != EDF_OK)
        return file_problem("SGN", code, &id, false);
    code = module_read_header(file, &module);
    if (code == 0 && !(module.modes & AMODE_31) && to + module.length > LOW_STORAGE) {
        char text[24];

        message("SGN", 1096, 'E', show_id(&id, text));
        code = RC_FORMAT;
    }
    if (code == 0)
        code = module_load(file, &module, to);
    (void)file_finish(file);
    memcpy(all->entry[n].fn, fn, sizeof(name));
    memcpy(all->entry[n].ft, module_type, sizeof(name));
    all->entry[n].lines = (const struct rexx_text *)(to + module.entry - module.origin);
    all->entry[n].count = module.modes;
    *used = to + module.length - (u32)at;
    return code;
}
