/*
 * LUA: LUA MODULE is loaded and run, and what it asks for is performed (lua/service.h), as a command and as a stage of
 * a pipeline (pipe/lua.c).
 */
#include "command.h"
#include "../nucleus/pipes.h"
#include "../nucleus/program.h"

struct guest *lua_guest;
const name lua_module = "LUA     ";

void lua_forget(void) { lua_guest = NULL; }

int lua_absent(void)
{
    message("LUA", 2, 'E', "LUA MODULE *");
    return RC_MISSING;
}

int lua_command(const struct call *call) { return run_named_module(call, "LUA", lua_module); }

/* ---- what is typed while it runs ---- */

static const name halt_name = "HI      ";

static void halt_entry(u32 entry, u32 word)
{
    struct scblock made = { .key = USER_KEY, .flags = NUCX_IMMEDIATE, .entry = entry | 0x80000000, .user = word };
    struct scblock *block = NULL, *next = extension_next(NULL);

    memcpy(made.name, halt_name, sizeof(name));
    if (entry != 0) {
        (void)extension_add(&made, false);
        return;
    }
    while ((block = next) != NULL) {
        next = extension_next(block);
        if (memcmp(block->name, halt_name, sizeof(name)) == 0 && block->user == word)
            extension_drop(block, false);
    }
}

/* ---- storage ---- */

void lua_let_go(void *with)
{
    struct guest *guest = with;

    for (struct held *held = guest->held; held != NULL; held = held->next) {
        halt_entry(0, held->at);
        (void)release_pages(held->at);
    }
    guest->held = NULL;
}

static u32 pages(struct guest *guest, u32 size)
{
    struct held *held = guest != NULL ? guest->obtain(guest->stage, sizeof *held) : NULL;
    u32 at = guest != NULL && held == NULL ? 0 : (u32)obtain_pages(size, OWNER_COMMAND, USER_KEY, 0x7fffffff);

    if (held != NULL && at != 0) {
        *held = (struct held){ guest->held, at };
        guest->held = held;
    }
    return at;
}

static int give_up(struct guest *guest, u32 at)
{
    for (struct held **from = guest != NULL ? &guest->held : NULL; from != NULL && *from != NULL;
         from = &(*from)->next)
        if ((*from)->at == at) {
            struct held *gone = *from;

            *from = gone->next;
            guest->release(guest->stage, gone);
            break;
        }
    return release_pages(at) ? 0 : 2;
}

/* ---- requests ---- */

static bool within(u32 at, u32 length)
{
    u32 size = storage_bytes();

    return at < size && length <= size - at;
}

static int line_for(u32 buffer, bool stack_only)
{
    char line[256];
    u32 length;

    if (!has_key(buffer, sizeof line, USER_KEY))
        return -2;
    if (!stack_only)
        length = read_line(line);
    else if (!unstack_line(line, &length))
        return -1;
    memcpy((void *)buffer, line, length);
    return (int)length;
}

static int to_cp(u32 *word)
{
    u32 room = word[3];
    int code;

    if (!has_key(word[2], room, USER_KEY))
        return -2;
    code = cp((const char *)word[0], word[1], (char *)word[2], &room);
    word[3] = room & 0x7fffffff;
    return code;
}

/* A message, by its number: up to three texts or numbers in it. */
static void say_message(const u32 *word)
{
    const char *text = message_text(word[0]);
    char line[LINE_MOST];
    u32 length = format(line, sizeof line, "DMSLUA%03u%c ", word[0], word[1]);

    if (text != NULL)
        length += format(line + length, sizeof line - length, text, word[2], word[3], word[4]);
    message_show(line, length);
}

/* A file that is written anew beside the old one, or not after all. */
static int replace_file(const u32 *word, bool forget)
{
    struct open_file *file;
    struct disk *disk;
    struct fileid id;
    u8 *fst;
    int error;

    if (word[1] != sizeof id)
        return -2;
    memcpy(&id, (const void *)word[0], sizeof id);
    if (!find_file(&id, &disk, &fst))
        return 28;
    while ((file = file_is_open(disk, fst)) != NULL)
        if (file->file.output)
            file_abandon(file);
        else
            (void)file_finish(file);
    if (forget)
        return 0;
    error = file_open(&id, EDF_NEW, &file);
    return error == EDF_OK ? 0 : error == EDF_READ_ONLY ? 12 : error == EDF_NOT_FOUND ? 4 : 13;
}

int lua_perform(struct request *request)
{
    u32 *word = request->word;

    switch (request->service) {
    case SERVICE_TYPE:
        type_line((const char *)word[0], word[1] < LINE_MOST ? word[1] : LINE_MOST);
        return 0;
    case SERVICE_READ:
        return line_for(word[0], false);
    case SERVICE_PULL:
        return line_for(word[0], true);
    case SERVICE_STACK:
        return stack_line((const char *)word[0], word[1], word[2] != 0) ? 0 : RC_STORAGE;
    case SERVICE_STACKED:
        return (int)stacked_lines();
    case SERVICE_COMMAND:
        attend();
        return perform((const char *)word[0], word[1], (u8)word[2]);
    case SERVICE_ADDRESS:
        attend();
        return subcommand((const char *)word[0], word[1], (const char *)word[2], word[3]);
    case SERVICE_CP:
        return to_cp(word);
    case SERVICE_VARIABLES:
        return exec_variables(word[0]);
    case SERVICE_MESSAGE:
        say_message(word);
        return 0;
    case SERVICE_HALT:
        halt_entry(word[0], word[1]);
        return 0;
    case SERVICE_REPLACE:
    case SERVICE_FORGET:
        return replace_file(word, request->service == SERVICE_FORGET);
    default:
        return NO_STAGE;
    }
}

/* SVC 203, function 7. */
int program_request(u32 at)
{
    struct request *request = (struct request *)at;
    struct guest *guest = lua_guest;
    u32 stack = kernel_stack;
    int code;

    if (!has_key(at, sizeof *request, USER_KEY))
        return -2;
    if (request->service == SERVICE_PAGES)
        return (int)pages(guest, request->word[0]);
    if (request->service == SERVICE_RELEASE)
        return give_up(guest, request->word[0]);
    if (request->service != SERVICE_MESSAGE && request->service != SERVICE_HALT &&
        request->service != SERVICE_VARIABLES && request->service != SERVICE_PEEK &&
        !within(request->word[0], request->word[1]))
        return -2;
    if (guest == NULL) {
        enable();
        code = lua_perform(request);
        (void)disable();
        return code;
    }
    kernel_stack = guest->outer;
    lua_guest = NULL;
    enable();
    code = guest->perform(guest, request);
    (void)disable();
    lua_guest = guest;
    kernel_stack = stack;
    return code;
}
