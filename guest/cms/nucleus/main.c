/*
 * The beginning, and the command loop.
 *
 * After IPL the disk it came from is S, 19E an extension of it (Y/S), both read-only and only the files with mode
 * number 2. Then the user is asked for a line, unless IPL's PARM says AUTOCR; then 191 becomes A and PROFILE EXEC is
 * run, unless that line was ACCESS (NOPROF. What the user types is performed until the machine stops. IPL with PARM
 * SAVESYS name makes a saved system (saved.c), where all of this is as well, but the system disks are there already.
 */
#include "path.h"
#include "../csl/csl.h"
#include "resident.h"
#include "segment.h"
#include "streamio.h"
#include "iucv.h"

struct settings settings = {
    .impex = true, .impcp = true, .abbrev = true, .relpage = true, .protect = true, .instseg = true,
    .translate = true, .blip = "OFF", .nondisplay = '"', .escape = ';', .escaping = true, .loader_tables = 3,
};
name last_command;
volatile u32 exec_attention;

int settings_code;

static struct moment before;

/* The PSWs that interruptions load: disabled, key 0. A machine check stops the machine. */
static void set_up_interruptions(void)
{
    static const struct { u32 at; void *handler; } new_psws[] =
        { { 0x58, ext_handler }, { 0x60, svc_handler }, { 0x68, pgm_handler }, { 0x78, io_handler } };

    for (u32 n = 0; n < COUNT_OF(new_psws); n++) {
        volatile u32 *psw = (volatile u32 *)new_psws[n].at;

        psw[0] = 0x00080000;
        psw[1] = 0x80000000 | (u32)new_psws[n].handler;
    }
    *(volatile u32 *)0x70 = 0x000a0000;
    *(volatile u32 *)0x74 = 0x80000ce2;
}

/* Subclasses of I/O interruptions: all. */
static void enable_devices(void)
{
    u32 mask = 0xff000000;

    __asm__ volatile("lctl 6,6,%0" : : "Q"(mask));
}

static void set_up_keys(void)
{
    set_keys(0, (u32)storage_begin, 0);
    set_keys(USER_FIRST, USER_END - USER_FIRST, USER_KEY);
    set_keys(TRANSIENT_FIRST, TRANSIENT_END - TRANSIENT_FIRST, USER_KEY);
    set_keys(SAVE_AREAS, 4096, USER_KEY);
}

static u32 end_of_storage(void)
{
    u32 size = storage_bytes();

    return size > 0x7ffff000 ? 0x7ffff000 : size;
}

/* Whether the word is there; `after` is then the one after it, if it is wanted. */
static bool word_in(const char *text, u32 length, const char *word, name *after)
{
    name token[TOKENS_MOST + 1];
    u32 count = tokenize(text, length, token);

    for (u32 n = 0; n < count; n++) {
        if (!is(token[n], word))
            continue;
        if (after != NULL)
            memcpy(*after, n + 1 < count ? token[n + 1] : "CMS     ", sizeof(name));
        return true;
    }
    return false;
}

/* A system disk, unless the saved system has its tables and they are still right. */
static void access_system_disk(u16 vdev, char mode, char extends, u32 number)
{
    struct disk *disk = disk_at(mode);

    if (disk != NULL && disk_is_current(disk))
        return;
    if (disk != NULL)
        message("INS", number, 'W');
    disk_release(mode);
    /* What the saved system is to have it reads itself. */
    saved_directory = shared_filling() ? NO_SAVED : USE_SAVED;
    if (disk_access(vdev, mode, extends, true, &disk) == EDF_OK)
        disk->only_number = '2';
}

/* S and, if there is one, Y. */
static void access_system_disks(u16 vdev)
{
    access_system_disk(vdev, 'S', 0, 100);
    access_system_disk(0x19e, 'Y', 'S', 101);
}

static void run_line(const char *line, u32 length)
{
    name token[TOKENS_MOST + 1];
    int code;

    if (length_of(line, length) == 0)
        return;
    memset(last_command, ' ', sizeof(name));
    if (tokenize(line, length, token) > 0)
        memcpy(last_command, token[0], sizeof(name));
    code = perform(line, length, CALL_TYPED);
    if (code == NOT_FOUND && command_unknown)
        type("Unknown CP/CMS command");
    settings_code = code;
}

/* Everything that a command may have left. */
void command_end(void)
{
    os_forget();
    paths_forget();
    if (files_finish_all() != 0)
        settings_code = RC_IO;
    extensions_end_command();
    immediate_forget();
    release_command_storage();
    if (settings.keyprotect)
        set_up_keys();
    forget_programs();
    forget_execs();
    pipes_forget();
    lua_forget();
    streams_forget();
    xedit_forget();
    sockets_forget();
    line_is_cps = false;
    /* A session has a path of its own. */
    if (full_screen == NULL)
        iucv_close();
    else
        full_screen->end_command();
    vmcf_close();
    if (settings.relpage)
        give_back_storage();
    exec_attention = 0;
}

static u32 hundredths(uint64_t from, uint64_t to) { return (u32)((to - from) / 10000); }

static void ready(int code)
{
    struct moment at;
    char line[64];
    u32 length, v, t;

    now(&at);
    v = hundredths(before.virtual_time, at.virtual_time);
    t = hundredths(before.total_time, at.total_time);
    if (code == 0)
        length = format(line, sizeof line, "Ready;");
    else if (code > 0)
        length = format(line, sizeof line, "Ready(%05u);", code);
    else
        length = format(line, sizeof line, "Ready(-%04u);", -code);
    if (!settings.short_ready)
        length += format(line + length, sizeof line - length, " T=%u.%02u/%u.%02u %02u:%02u:%02u", v / 100, v % 100,
                         t / 100, t % 100, at.hour, at.minute, at.second);
    type_line(line, length);
}

/* What a user finds: A, and what PROFILE EXEC does. */
static void begin_session(const char *line, u32 length, bool sysprof)
{
    static const char profile[] = "EXEC PROFILE", system_profile[] = "EXEC SYSPROF", access[] = "ACCESS 191 A";
    struct fileid id = { .fn = "PROFILE ", .ft = "EXEC    ", .fm = "A " };
    bool no_profile = word_in(line, length, "NOPROF", NULL);
    struct disk *disk;
    u8 *fst;

    if (no_profile) {
        run_line(line, length);
        return;
    }
    memcpy(id.fn, "SYSPROF ", 8);
    id.fm[0] = '*';
    if (sysprof && find_file(&id, &disk, &fst)) {
        run_line(system_profile, sizeof system_profile - 1);
    } else {
        run_line(access, sizeof access - 1);
        memcpy(id.fn, "PROFILE ", 8);
        id.fm[0] = 'A';
        if (disk_at('A') != NULL && find_file(&id, &disk, &fst))
            run_line(profile, sizeof profile - 1);
    }
    run_line(line, length);
}

static void command(void)
{
    char line[256];
    u32 length = read_command(line);

    abends_are_over();
    now(&before);
    if (length_of(line, length) == 0) {
        type("CMS");
        return;
    }
    settings_code = 0;
    run_line(line, length);
    command_end();
    ready(settings_code);
}

void cms_start(u32 vdev)
{
    static char parm[64], line[256];
    static u32 length;
    static bool autocr, sysprof, saves;
    static name system, installation;

    /* What belongs into low storage lies where variables will be. */
    memcpy(lower_begin, lower_from, (size_t)(lower_end - lower_begin));
    memcpy(low_begin, low_from, (size_t)(low_end - low_begin));
    memset(nucleus_bss, 0, (size_t)(nucleus_end - nucleus_bss));
    set_up_interruptions();
    set_up_keys();
    *(volatile u16 *)PROGRAM_END = 0x0aff;
    os_start();
    ipl_parameters(parm);
    saves = word_in(parm, sizeof parm, "SAVESYS", &system);
    /* What all users of a saved system would have in common is free storage of one who has no such system. */
    storage_start((u32)(saves ? storage_begin : shared_begin), (u32)saved_end);
    enable_devices();
    console_start();
    enable();
    if (saves) {
        shared_fill(true);
        access_system_disks((u16)vdev);
        shared_fill(false);
        save_as(system, parm);
        /* This may be another machine now. */
        set_up_keys();
        console_start();
    }
    communication_start();
    /* A screen shows RUNNING until the user has typed; a typewriter waits for a read. */
    settings.autoread = !console_is_display();
    storage_extend(end_of_storage());
    autocr = word_in(parm, sizeof parm, "AUTOCR", NULL);
    sysprof = !word_in(parm, sizeof parm, "NOSPROF", NULL);
    if (!word_in(parm, sizeof parm, "INSTSEG", &installation))
        memcpy(installation, "CMSINST ", sizeof(name));
    if (!is(installation, "NO"))
        (void)installation_load(installation);
    type("Endicott CMS " CMS_LEVEL);
    if (!mark(command_loop)) {
        access_system_disks((u16)vdev);
        if (!autocr)
            length = read_line(line);
        now(&before);
        begin_session(line, length, sysprof);
        command_end();
        ready(settings_code);
    } else {
        enable();
        type("CMS");
    }
    for (;;) {
        if (mark(command_loop)) {
            enable();
            extensions_after_abend();
            services_after_abend();
            resident_after_abend();
            command_end();
            type("CMS");
        }
        command();
    }
}
