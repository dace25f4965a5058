/* The C library for CMS programs: cmslib.h says what for. */
#include "cmslib.h"

enum { WORDS = 64, TYPED = 0x0b, SUBCOMMAND = 0x02, OF_CALL = 0x60 };

struct cms_call cms_call;

int call_cms(void *plist, void *eplist, uint32_t type);
uint32_t format_list(char *to, uint32_t room, const char *how, va_list list);

static void padded(char *to, uint32_t room, const char *from)
{
    uint32_t n = 0;

    for (; n < room && from[n] != 0; n++)
        to[n] = from[n];
    for (; n < room; n++)
        to[n] = ' ';
}

/* Functions have their words in storage, and type 00. */
static int call(void *plist) { return call_cms(plist, NULL, 0); }

static bool separates(char c) { return c == ' ' || c == '(' || c == ')'; }

/* The words of a text, each with a zero byte after it, in `room`. Parentheses are words. */
static int split(const char *text, const char *end, char *room, char **argv)
{
    int count = 0;

    while (count < WORDS - 2) {
        while (text < end && *text == ' ')
            text++;
        if (text >= end)
            break;
        argv[count++] = room;
        if (separates(*text))
            *room++ = *text++;
        else
            while (text < end && !separates(*text))
                *room++ = *text++;
        *room++ = 0;
    }
    argv[count] = NULL;
    return count;
}

/* From start.S: registers 0, 1, 2 and 13 as the program got them. */
int cms_main(const uint32_t *eplist, uint32_t plist, uint32_t *block, const uint8_t *save)
{
    char *argv[WORDS], *room;
    int argc = 0;
    uint32_t words = 0, length;

    cms_call.word = (const char (*)[8])(plist & 0x7fffffff);
    cms_call.type = save[OF_CALL];
    cms_call.block = block;
    cms_call.line = cms_call.arguments = cms_call.end = NULL;
    while ((uint8_t)cms_call.word[words][0] != 0xff && words < WORDS - 1)
        words++;
    if (cms_call.type != 0) {
        cms_call.line = (const char *)eplist[0];
        cms_call.arguments = (const char *)eplist[1];
        cms_call.end = (const char *)eplist[2];
    }
    length = (cms_call.line == NULL ? 0 : (uint32_t)(cms_call.end - cms_call.arguments)) * 2 + (words + 1) * 9;
    room = get_pages(length, false);
    if (room == NULL)
        return 104;
    argv[argc++] = room;
    memcpy(room, cms_call.word[0], 8);
    room += 8;
    *room++ = 0;
    for (char *at = room - 2; at >= argv[0] && *at == ' '; at--)
        *at = 0;
    if (cms_call.line != NULL) {
        argc += split(cms_call.arguments, cms_call.end, room, argv + 1);
    } else {
        for (uint32_t n = 1; n < words; n++) {
            argv[argc++] = room;
            memcpy(room, cms_call.word[n], 8);
            room[8] = 0;
            for (char *at = room + 7; at >= room && *at == ' '; at--)
                *at = 0;
            room += 9;
        }
        argv[argc] = NULL;
    }
    argc = main(argc, argv);
    free_pages(argv[0]);
    return argc;
}

void type_text(const char *text, uint32_t length)
{
    struct { char function[8]; const char *at; char colour, edit; uint16_t length; } plist =
        { .colour = 'B', .edit = 'D' };
    char copy[256];                             /* the function takes addresses of 24 bits; the stack is there */

    padded(plist.function, 8, "TYPLIN");
    plist.length = (uint16_t)(length < sizeof copy ? length : sizeof copy);
    memcpy(copy, text, plist.length);
    plist.at = copy;
    call(&plist);
}

void print(const char *how, ...)
{
    char line[256];
    va_list list;
    uint32_t length;

    va_start(list, how);
    length = format_list(line, sizeof line, how, list);
    va_end(list);
    type_text(line, length);
}

uint32_t read_text(char line[131])
{
    struct { char function[8]; char *at; char edit, unused; uint16_t length; } plist = { .edit = 'T' };
    char buffer[130];

    padded(plist.function, 8, "WAITRD");
    plist.at = buffer;
    if (call(&plist) != 0)
        plist.length = 0;
    memcpy(line, buffer, plist.length);
    line[plist.length] = 0;
    return plist.length;
}

bool stack_text(const char *text, uint32_t length, bool lifo)
{
    struct { char function[8]; char order[4]; uint32_t at; } plist;
    char copy[256];

    length = length < 255 ? length : 255;
    memcpy(copy, text, length);
    padded(plist.function, 8, "ATTN");
    padded(plist.order, 4, lifo ? "LIFO" : "FIFO");
    plist.at = length << 24 | (uint32_t)copy;
    return call(&plist) == 0;
}

static char upper_case(char c)
{
    return (c >= 'a' && c <= 'i') || (c >= 'j' && c <= 'r') || (c >= 's' && c <= 'z') ? (char)(c + 0x40) : c;
}

int cms(const char *command)
{
    char word[WORDS + 1][8];
    const char *at = command, *end = command + strlen(command), *first, *verb;
    struct { const char *line, *arguments, *end; uint32_t zero; } eplist = { .end = end };
    uint32_t count = 0;

    while (at < end && *at == ' ')
        at++;
    verb = first = at;
    while (first < end && !separates(*first))
        first++;
    eplist.line = verb;
    eplist.arguments = first < end && *first == ' ' ? first + 1 : first;
    while (at < end && count < WORDS) {
        uint32_t n = 0;

        if (*at == ' ') {
            at++;
            continue;
        }
        memset(word[count], ' ', 8);
        if (separates(*at))
            word[count][n] = *at++;
        else
            for (; at < end && !separates(*at); at++, n++)
                if (n < 8)
                    word[count][n] = upper_case(*at);
        count++;
    }
    memset(word[count], 0xff, 8);
    return count == 0 ? 0 : call_cms(word, &eplist, TYPED);
}

void file_name(struct cms_file *file, const char *name, const char *type, const char *mode)
{
    memset(file, 0, sizeof *file);
    padded(file->name, 8, name);
    padded(file->type, 8, type);
    padded(file->mode, 2, mode);
    file->format = 'V';
    file->items = 1;
}

int file_read(struct cms_file *file, void *buffer, uint32_t size, uint32_t *length)
{
    int code;

    padded(file->function, 8, "RDBUF");
    file->buffer = buffer;
    file->size = size;
    code = call(file);
    *length = code == 0 || code == 8 ? file->read : 0;
    return code;
}

int file_write(struct cms_file *file, const void *record, uint32_t length)
{
    padded(file->function, 8, "WRBUF");
    file->buffer = (void *)record;
    file->size = length;
    return call(file);
}

int file_close(struct cms_file *file)
{
    padded(file->function, 8, "FINIS");
    return call(file);
}

void *get_pages(uint32_t bytes, bool lasting)
{
    register uint32_t r0 __asm__("0") = bytes;
    register void *r1 __asm__("1") = NULL;

    /* Register 15, the stack, gets the return code: it is kept meanwhile. */
    if (lasting)
        __asm__ volatile("lr 5,15\n\tsvc 203\n\t.short 2\n\tlr 15,5" : "+d"(r1), "+d"(r0) : : "5", "memory");
    else
        __asm__ volatile("lr 5,15\n\tsvc 203\n\t.short 1\n\tlr 15,5" : "+d"(r1), "+d"(r0) : : "5", "memory");
    return r1;
}

void free_pages(void *pages)
{
    register void *r1 __asm__("1") = pages;

    __asm__ volatile("lr 5,15\n\tsvc 203\n\t.short 3\n\tlr 15,5" : "+d"(r1) : : "5", "memory");
}

/* A request to EXECCOMM. */
struct shvblock {
    struct shvblock *next;
    uint32_t user;
    char code;
    uint8_t result;
    uint16_t unused;
    uint32_t room;
    const char *name;
    uint32_t name_length;
    const char *value;
    uint32_t value_length;
};

static int variables(struct shvblock *block)
{
    char word[2][8];
    struct { const char *line, *arguments, *end; struct shvblock *request; } eplist =
        { word[0], word[0], word[0], block };

    padded(word[0], 8, "EXECCOMM");
    memset(word[1], 0xff, 8);
    return call_cms(word, &eplist, SUBCOMMAND);
}

bool get_var(const char *name, char *value, uint32_t room, uint32_t *length)
{
    struct shvblock block = { .code = 'f', .room = room, .name = name, .name_length = (uint32_t)strlen(name), .value =
        value };
    int code = variables(&block);

    *length = block.value_length < room ? block.value_length : room;
    return code >= 0 && (code & ~4) == 0;
}

bool set_var(const char *name, const char *value, uint32_t length)
{
    struct shvblock block = { .code = 's', .name = name, .name_length = (uint32_t)strlen(name), .value = value,
                              .value_length = length };
    int code = variables(&block);

    return code >= 0 && (code & ~1) == 0;
}

void user_abend(uint32_t code)
{
    register uint32_t r1 __asm__("1") = code;

    __asm__ volatile("svc 13" : : "d"(r1));
    __builtin_unreachable();
}
