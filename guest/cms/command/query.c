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
    u32 used = edf->used;
    char mode[4], size[12], label[8];

    format(mode, sizeof mode, disk->extends != 0 ? "%c/%c" : "%c", disk->mode, disk->extends);
    if (disk->fixed)
        format(size, sizeof size, "%s", "FBA");
    else
        format(size, sizeof size, "%u", edf_word(edf->label + ADT_CYLINDERS));
    memset(label, ' ', sizeof label);
    memcpy(label, edf->label + ADT_LABEL, 6);
    if (disk->system != DISK_OF_CMS) {
        answer("%-6t %03x%s %-3s R/O %5u %04x %s", label, disk->vdev, disk->vdev > 0xfff ? "" : " ", mode,
               disk->cylinders, disk->type, volume_status(disk) + VOLUME_SYSTEM);
        return;
    }
    answer("%-6t %03x%s %-3s %s %5s %04x %-4u%9u%11u-%02u%11u%11u", label, disk->vdev, disk->vdev > 0xfff ? "" : " ",
           mode, disk->read_only ? "R/O" : "R/W", size, disk->type, edf->size, edf_files(edf), used,
           (u32)((uint64_t)used * 100 / edf->blocks), edf->blocks - used, edf->blocks);
}

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/* R/W and MAX, and no disk is. */
static int query_none(void)
{
    message("QRY", 1229, 'E');
    return RC_MISSING;
}

/* The letter of the disk for writing with the most room; 0: there is none. */
static char roomiest(void)
{
    const struct disk *best = NULL;

    for (u32 n = 0; n < 26; n++) {
        const struct disk *disk = disk_at(letters[n]);

        if (disk != NULL && !disk->read_only && (best == NULL ||
                                                 disk->edf.blocks - disk->edf.used > best->edf.blocks - best->edf.used))
            best = disk;
    }
    return best != NULL ? best->mode : 0;
}

static int query_disk(const struct call *call)
{
    static const char heading[] = "LABEL  VDEV M  STAT   CYL TYPE BLKSZ   FILES  BLKS USED-(%) BLKS LEFT  BLK TOTAL";
    char wanted = operands(call) > 2 ? call->token[2][0] : '*';
    bool any = false, writable = operands(call) > 2 && is(call->token[2], "R/W");

    if (operands(call) > 2 && is(call->token[2], "MAX")) {
        wanted = roomiest();
        if (wanted == 0)
            return query_none();
    } else if (writable) {
        wanted = '*';
    } else if (operands(call) > 2 && (name_length(call->token[2]) != 1 || (wanted != '*' && !is_letter(wanted)))) {
        message("QRY", 48, 'E', call->token[2]);
        return RC_SYNTAX;
    }
    if (wanted != '*' && disk_at(wanted) == NULL) {
        message("QRY", 69, 'E', wanted);
        return RC_DISK;
    }
    for (u32 n = 0; n < 26; n++) {
        const struct disk *disk = disk_at(letters[n]);

        if (disk == NULL || (wanted != '*' && disk->mode != wanted) || (writable && disk->read_only))
            continue;
        if (!any)
            answer("%s", heading);
        any = true;
        disk_line(disk);
    }
    return any || !writable ? 0 : query_none();
}

static int query_accessed(const struct call *call)
{
    (void)call;
    answer("%s", "Mode  Stat     Files  Vdev  Label/Directory");
    for (u32 n = 0; n < 26; n++) {
        const struct disk *disk = disk_at(letters[n]);
        char mode[4], label[8], files[12];

        if (disk == NULL)
            continue;
        memset(label, ' ', sizeof label);
        memcpy(label, disk->edf.label + ADT_LABEL, 6);
        format(mode, sizeof mode, disk->extends != 0 ? "%c/%c" : "%c", disk->mode, disk->extends);
        format(files, sizeof files, "%u", edf_files(&disk->edf));
        answer("%-6s %s%10s  %03x%s  %t", mode, disk->read_only ? "R/O" : "R/W",
               disk->system == DISK_OF_CMS ? files : volume_status(disk) + VOLUME_SYSTEM, disk->vdev,
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
        answer("%-6t  %03x%s %-4s  %s", label, disk->vdev, disk->vdev > 0xfff ? "" : " ", mode,
               volume_status(disk));
    }
    return 0;
}

/* QUERY SYNONYM SYSTEM: how short commands may be. */
static void system_synonyms(void)
{
    if (!settings.abbrev) {
        answer("%s", "No system synonyms in effect");
        return;
    }
    answer("%s", "System    Shortest");
    answer("%s", "Command   Form");
    for (u32 n = 0; n < command_count; n++)
        if (commands[n].least < strlen(commands[n].name)) {
            name shortest = "        ";

            memcpy(shortest, commands[n].name, commands[n].least);
            answer("%-8s  %t", commands[n].name, shortest);
        }
}

static void user_synonyms(void)
{
    name command, synonym;
    u32 least;

    if (!synonym_list(0, command, synonym, &least)) {
        answer("%s", "No user synonyms in effect");
        return;
    }
    answer("%s", "System    User      Shortest");
    answer("%s", "Command   Synonym   Form (if any)");
    for (u32 n = 0; synonym_list(n, command, synonym, &least); n++) {
        name shortest = "        ";

        memcpy(shortest, synonym, least > 8 ? 8 : least);
        answer("%-8t  %-8t  %t", command, synonym, shortest);
    }
}

/* QUERY SYNONYM [SYSTEM | USER | ALL] */
static int query_synonym(const struct call *call)
{
    const char *which = operands(call) > 2 ? call->token[2] : "USER    ";
    bool all = is(which, "ALL"), system = abbreviates(which, "SYSTEM", 3);

    if (!all && !system && !abbreviates(which, "USER", 4)) {
        message("QRY", 70, 'E', which);
        return RC_SYNTAX;
    }
    if (all || system)
        system_synonyms();
    if (!system)
        user_synonyms();
    return 0;
}

static int query_storage(const struct call *call)
{
    (void)call;
    answer("STORAGE  = %uK, %uK free of %uK for CMS", storage_bytes() >> 10, storage_free() >> 10,
           storage_size() >> 10);
    return 0;
}

static int query_cmslevel(const struct call *call) { (void)call; answer("Endicott CMS %s", CMS_LEVEL); return 0; }
static int query_cmstype(const struct call *call)
{
    (void)call;
    return query_switch("CMSTYPE", halted_typing() ? "HT" : "RT");
}
static int query_languages(const struct call *call) { (void)call; answer("%s", "AMENG"); return 0; }
static int query_blip(const struct call *call) { (void)call; return query_switch("BLIP", settings.blip); }

/* The saved segments that CMS itself uses, and what for. */
static int query_system_names(const struct call *call)
{
    (void)call;
    answer("SYSNAMES: %t", installation_name());
    answer("%s", "ENTRIES:  CMSINST");
    return 0;
}

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

/* What it is called, and how many operands it has itself. */
static const struct { const char *word; u32 least; command_function *perform; u32 operands; } queries[] = {
    { "FILEDEF", 2, query_files, 0 }, { "LABELDEF", 8, query_labels, 0 }, { "LIBRARY", 3, query_library, 0 },
    { "MACLIB", 3, query_maclib, 0 },
    { "TXTLIB", 2, query_txtlib, 0 }, { "LOADLIB", 5, query_loadlib, 0 }, { "DOSLIB", 6, query_doslib, 0 },
    { "ACCESSED", 2, query_accessed, 0 }, { "BLIP", 2, query_blip, 0 },
    { "IMESCAPE", 4, query_escape, 0 }, { "INPUT", 3, query_input, 0 }, { "LANGUAGE", 4, query_language, 1 },
    { "LANGLIST", 5, query_languages, 0 },
    { "LDRTBLS", 3, query_loader_tables, 0 }, { "MACLSUBS", 5, query_macro_libraries, 0 },
    { "NONDISP", 4, query_nondisplay, 0 }, { "OUTPUT", 3, query_output, 0 },
    { "CMSLEVEL", 4, query_cmslevel, 0 }, { "CMSTYPE", 4, query_cmstype, 0 }, { "DISK", 2, query_disk, 1 },
    { "SEARCH", 3, query_search, 0 },
    { "SEGMENT", 3, query_segments, 1 }, { "STORCMS", 7, query_storage, 0 }, { "SYNONYM", 3, query_synonym, 1 },
    { "SYSNAMES", 4, query_system_names, 0 },
    { "BORDER", 3, query_windows, 1 }, { "CMSPF", 5, query_windows, 1 }, { "FULLSCREEN", 5, query_windows, 1 },
    { "LINEND", 5, query_windows, 1 }, { "LOCATION", 3, query_windows, 1 }, { "LOGFILE", 4, query_windows, 1 },
    { "RESERVED", 3, query_windows, 1 }, { "VSCREEN", 3, query_windows, 1 }, { "WINDOW", 3, query_windows, 1 },
    { "WMPF", 4, query_windows, 1 }, { "CURSOR", 3, query_windows, 1 }, { "DISPLAY", 4, query_windows, 1 },
    { "CHARMODE", 4, query_windows, 0 }, { "HIDE", 2, query_windows, 1 }, { "ROUTE", 2, query_windows, 1 },
    { "SHOW", 2, query_windows, 1 },
};

/* One of SET's switches. */
static int query_setting(const struct call *call)
{
    for (u32 n = 0; n < switch_count; n++)
        if (abbreviates(call->token[1], switches[n].word, switches[n].least))
            return query_switch(switches[n].word, *switches[n].value ? switches[n].yes : switches[n].no);
    return 0;
}

/* What answers for this word, and how many operands it has itself; NULL: CP is asked. */
static command_function *answers(const name word, u32 *operands)
{
    *operands = 0;
    for (u32 n = 0; n < switch_count; n++)
        if (abbreviates(word, switches[n].word, switches[n].least))
            return query_setting;
    for (u32 n = 0; n < COUNT_OF(queries); n++)
        if (abbreviates(word, queries[n].word, queries[n].least)) {
            *operands = queries[n].operands;
            return queries[n].perform;
        }
    return is_absent(word, false) ? query_absent : NULL;
}

int query_command(const struct call *call)
{
    int where = TO_TERMINAL, code;
    const struct option known[] = {
        STACK_OPTIONS(&where),
    };
    command_function *function;
    u32 most;

    if (call->count < 2) {
        message("QRY", 47, 'E');
        return RC_SYNTAX;
    }
    function = answers(call->token[1], &most);
    if (function == NULL) {
        code = cp_typed(call->line, (u32)(call->end - call->line));
        if (code == 1)
            message("QRY", 14, 'E', call->token[1]);
        return code;
    }
    code = options("QRY", call, known, COUNT_OF(known));
    if (code == 0 && operands(call) > 2 + most) {
        message("QRY", 70, 'E', call->token[2 + most]);
        code = RC_SYNTAX;
    }
    if (code != 0)
        return code;
    answer_to(where);
    code = function(call);
    answer_to(TO_TERMINAL);
    return code;
}
