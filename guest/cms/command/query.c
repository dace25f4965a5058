/* QUERY: what CMS knows of itself; everything else is asked of CP. */
#include "command.h"
#include "../nucleus/library.h"

static int query_switch(const char *word, const char *value)
{
    answer("%-8s = %s", word, value);
    return 0;
}

static void disk_line(const struct disk *disk)
{
    const struct edf *edf = &disk->edf;
    u32 used = edf->used, percent = (u32)((uint64_t)used * 100 / edf->blocks);
    char mode[4], size[8], label[8];

    format(mode, sizeof mode, disk->extends != 0 ? "%c/%c" : "%c", disk->mode, disk->extends);
    if (disk->fixed)
        format(size, sizeof size, "%s", "FBA");
    else
        format(size, sizeof size, "%u", edf_word(edf->label + ADT_CYLINDERS));
    memset(label, ' ', sizeof label);
    memcpy(label, edf->label + ADT_LABEL, 6);
    answer("%-6t %03x%s  %-3s %s %5s %04x %-4u%9u%11u-%02u%11u%11u", label, disk->vdev, disk->vdev > 0xfff ? "" : " ", mode,
           disk->read_only ? "R/O" : "R/W", size, disk->type, edf->size, edf_files(edf), used, percent, edf->blocks - used,
           edf->blocks);
}

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

static int query_disk(const struct call *call)
{
    static const char heading[] = "LABEL  VDEV M  STAT   CYL TYPE BLKSZ   FILES  BLKS USED-(%) BLKS LEFT  BLK TOTAL";
    char wanted = operands(call) > 2 ? call->token[2][0] : '*';
    bool any = false;

    if (operands(call) > 2 && (name_length(call->token[2]) != 1 || (wanted != '*' && !is_letter(wanted)))) {
        message("QRY", 48, 'E', call->token[2]);
        return RC_SYNTAX;
    }
    if (wanted != '*' && disk_at(wanted) == NULL) {
        message("QRY", 69, 'E', wanted);
        return RC_DISK;
    }
    for (u32 n = 0; n < 26; n++) {
        const struct disk *disk = disk_at(letters[n]);

        if (disk == NULL || (wanted != '*' && disk->mode != wanted))
            continue;
        if (!any)
            answer("%s", heading);
        any = true;
        disk_line(disk);
    }
    return 0;
}

static int query_accessed(const struct call *call)
{
    (void)call;
    answer("%s", "Mode  Stat     Files  Vdev  Label/Directory");
    for (u32 n = 0; n < 26; n++) {
        const struct disk *disk = disk_at(letters[n]);
        char mode[4], label[8];

        if (disk == NULL)
            continue;
        memset(label, ' ', sizeof label);
        memcpy(label, disk->edf.label + ADT_LABEL, 6);
        format(mode, sizeof mode, disk->extends != 0 ? "%c/%c" : "%c", disk->mode, disk->extends);
        answer("%-6s %s%10u  %03x%s  %t", mode, disk->read_only ? "R/O" : "R/W", edf_files(&disk->edf), disk->vdev,
               disk->vdev > 0xfff ? "" : " ", label);
    }
    return 0;
}

static int query_search(const struct call *call)
{
    (void)call;
    for (u32 n = 0; n < 26; n++) {
        const struct disk *disk = disk_at(letters[n]);
        char mode[4], label[8];

        if (disk == NULL)
            continue;
        memset(label, ' ', sizeof label);
        memcpy(label, disk->edf.label + ADT_LABEL, 6);
        format(mode, sizeof mode, disk->extends != 0 ? "%c/%c" : "%c", disk->mode, disk->extends);
        answer("%-6t  %03x%s %-4s  %s", label, disk->vdev, disk->vdev > 0xfff ? "" : " ", mode, disk->read_only ? "R/O" : "R/W");
    }
    return 0;
}

static int query_synonym(const struct call *call)
{
    name command, synonym;
    u32 least;

    (void)call;
    if (!synonym_list(0, command, synonym, &least)) {
        answer("%s", "No user synonyms in effect");
        return 0;
    }
    answer("%s", "System    User      Shortest");
    answer("%s", "Command   Synonym   Form (if any)");
    for (u32 n = 0; synonym_list(n, command, synonym, &least); n++) {
        name shortest = "        ";

        memcpy(shortest, synonym, least > 8 ? 8 : least);
        answer("%-8t  %-8t  %t", command, synonym, shortest);
    }
    return 0;
}

static int query_storage(const struct call *call)
{
    (void)call;
    answer("STORAGE  = %uK, %uK free of %uK for CMS", storage_bytes() >> 10, storage_free() >> 10, storage_size() >> 10);
    return 0;
}

static const char *on(bool yes) { return yes ? "ON" : "OFF"; }

static int query_abbrev(const struct call *call) { (void)call; return query_switch("ABBREV", on(settings.abbrev)); }
static int query_autoread(const struct call *call) { (void)call; return query_switch("AUTOREAD", on(settings.autoread)); }
static int query_cmslevel(const struct call *call) { (void)call; answer("Endicott CMS %s", CMS_LEVEL); return 0; }
static int query_cmstype(const struct call *call) { (void)call; return query_switch("CMSTYPE", halted_typing() ? "HT" : "RT"); }
static int query_exectrac(const struct call *call) { (void)call; return query_switch("EXECTRAC", on(settings.exectrac)); }
static int query_impcp(const struct call *call) { (void)call; return query_switch("IMPCP", on(settings.impcp)); }
static int query_impex(const struct call *call) { (void)call; return query_switch("IMPEX", on(settings.impex)); }
static int query_instseg(const struct call *call) { (void)call; return query_switch("INSTSEG", on(settings.instseg)); }
static int query_rdymsg(const struct call *call) { (void)call; return query_switch("RDYMSG", settings.short_ready ? "SMSG" : "LMSG"); }
static int query_relpage(const struct call *call) { (void)call; return query_switch("RELPAGE", on(settings.relpage)); }

static int query_maclib(const struct call *call) { (void)call; return query_globals(OF_MACLIB); }
static int query_txtlib(const struct call *call) { (void)call; return query_globals(OF_TXTLIB); }
static int query_loadlib(const struct call *call) { (void)call; return query_globals(OF_LOADLIB); }
static int query_doslib(const struct call *call) { (void)call; return query_globals(OF_DOSLIB); }
static int query_files(const struct call *call) { (void)call; return query_filedef(); }
static int query_labels(const struct call *call) { (void)call; return query_labeldef(); }

static int query_library(const struct call *call)
{
    (void)call;
    for (int kind = 0; kind < LIBRARY_KINDS; kind++)
        query_globals(kind);
    return 0;
}

static const struct { const char *word; u32 least; command_function *perform; } queries[] = {
    { "FILEDEF", 2, query_files }, { "LABELDEF", 8, query_labels }, { "LIBRARY", 3, query_library }, { "MACLIB", 3, query_maclib },
    { "TXTLIB", 2, query_txtlib }, { "LOADLIB", 5, query_loadlib }, { "DOSLIB", 6, query_doslib },
    { "ABBREV", 3, query_abbrev }, { "ACCESSED", 2, query_accessed }, { "AUTOREAD", 4, query_autoread },
    { "CMSLEVEL", 4, query_cmslevel }, { "CMSTYPE", 4, query_cmstype }, { "DISK", 2, query_disk },
    { "EXECTRAC", 5, query_exectrac }, { "IMPCP", 4, query_impcp }, { "IMPEX", 4, query_impex },
    { "INSTSEG", 4, query_instseg }, { "RDYMSG", 3, query_rdymsg }, { "RELPAGE", 3, query_relpage }, { "SEARCH", 3, query_search },
    { "SEGMENT", 3, query_segments }, { "STORCMS", 7, query_storage }, { "SYNONYM", 3, query_synonym },
};

int query_command(const struct call *call)
{
    int where = TO_TERMINAL, code;
    const struct option known[] = {
        { "STACK", 5, &where, TO_STACK_FIFO, NULL, NULL }, { "FIFO", 4, &where, TO_STACK_FIFO, NULL, NULL },
        { "LIFO", 4, &where, TO_STACK_LIFO, NULL, NULL },
    };

    if (call->count < 2) {
        message("QRY", 47, 'E');
        return RC_SYNTAX;
    }
    for (u32 n = 0; n < COUNT_OF(queries); n++) {
        if (!abbreviates(call->token[1], queries[n].word, queries[n].least))
            continue;
        code = options("QRY", call, known, COUNT_OF(known));
        if (code != 0)
            return code;
        answer_to(where);
        code = queries[n].perform(call);
        answer_to(TO_TERMINAL);
        return code;
    }
    code = cp_typed(call->line, (u32)(call->end - call->line));
    if (code == 1)
        message("QRY", 14, 'E', call->token[1]);
    return code;
}
