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
    char mode[4], size[12], label[8];

    format(mode, sizeof mode, disk->extends != 0 ? "%c/%c" : "%c", disk->mode, disk->extends);
    if (disk->fixed)
        format(size, sizeof size, "%s", "FBA");
    else
        format(size, sizeof size, "%u", edf_word(edf->label + ADT_CYLINDERS));
    memset(label, ' ', sizeof label);
    memcpy(label, edf->label + ADT_LABEL, 6);
    answer("%-6t %03x%s %-3s %s %5s %04x %-4u%9u%11u-%02u%11u%11u", label, disk->vdev, disk->vdev > 0xfff ? "" : " ", mode,
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

static int query_cmslevel(const struct call *call) { (void)call; answer("Endicott CMS %s", CMS_LEVEL); return 0; }
static int query_cmstype(const struct call *call) { (void)call; return query_switch("CMSTYPE", halted_typing() ? "HT" : "RT"); }
static int query_languages(const struct call *call) { (void)call; answer("%s", "AMENG"); return 0; }
static int query_blip(const struct call *call) { (void)call; return query_switch("BLIP", settings.blip); }
static int query_dos(const struct call *call) { (void)call; return query_switch("DOS", "OFF"); }
static int query_fullscreen(const struct call *call) { (void)call; return query_switch("FULLSCREEN", "OFF"); }

static int query_escape(const struct call *call)
{
    (void)call;
    answer("%-8s = %-3s %c", "IMESCAPE", settings.escaping ? "ON" : "OFF", settings.escape);
    return 0;
}

static int query_nondisplay(const struct call *call)
{
    (void)call;
    answer("%-8s = %c", "NONDISP", settings.nondisplay);
    return 0;
}

static int query_loader_tables(const struct call *call)
{
    (void)call;
    answer("%-8s = %03u", "LDRTBLS", settings.loader_tables);
    return 0;
}

/* SET INPUT's and SET OUTPUT's characters and codes, each as it was said. */
static int query_table(bool input)
{
    u32 from = 0;
    u8 to;

    if (!console_translated(input, &from, &to)) {
        answer("No user defined %s translate table in use", input ? "INPUT" : "OUTPUT");
        return 0;
    }
    for (; console_translated(input, &from, &to); from++)
        if (input)
            answer("INPUT    %c %02x", from, to);
        else
            answer("OUTPUT   %02x %c", from, to);
    return 0;
}

static int query_input(const struct call *call) { (void)call; return query_table(true); }
static int query_output(const struct call *call) { (void)call; return query_table(false); }
static int query_macro_libraries(const struct call *call) { (void)call; return query_switch("MACLSUBS", "NONE"); }

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
    { "ACCESSED", 2, query_accessed }, { "BLIP", 2, query_blip }, { "DOS", 3, query_dos }, { "FULLSCREEN", 5, query_fullscreen },
    { "IMESCAPE", 4, query_escape }, { "INPUT", 3, query_input }, { "LANGUAGE", 4, query_language }, { "LANGLIST", 5, query_languages },
    { "LDRTBLS", 3, query_loader_tables }, { "MACLSUBS", 5, query_macro_libraries }, { "NONDISP", 4, query_nondisplay },
    { "OUTPUT", 3, query_output },
    { "CMSLEVEL", 4, query_cmslevel }, { "CMSTYPE", 4, query_cmstype }, { "DISK", 2, query_disk },
    { "SEARCH", 3, query_search },
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
    for (u32 n = 0; n < switch_count; n++) {
        if (!abbreviates(call->token[1], switches[n].word, switches[n].least))
            continue;
        code = options("QRY", call, known, COUNT_OF(known));
        if (code == 0 && operands(call) > 2) {
            message("QRY", 70, 'E', call->token[2]);
            code = RC_SYNTAX;
        }
        if (code != 0)
            return code;
        answer_to(where);
        query_switch(switches[n].word, *switches[n].value ? switches[n].yes : switches[n].no);
        answer_to(TO_TERMINAL);
        return 0;
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
