/*
 * edfdisk: EDF minidisks in host files, and the file system's trials.
 *
 * A disk here is a flat file of blocks: EDF block n is at (n - 1) times the block size, as cmsfs-fuse takes it. This is
 * how the build makes the disks that CMS starts from, and how tests look at what CMS has written.
 *
 *   edfdisk format FILE BLOCKS SIZE LABEL [RESERVED [FBA]]   an empty disk; the last RESERVED blocks are left to the
 * nucleus
 *   edfdisk ipl FILE LOADER NUCLEUS        puts a loader into blocks 1 and 2, the nucleus after the file system
 *   edfdisk put FILE NAME TYPE MODE HOST F|V [LRECL]   a text of the host becomes a file (LF ends a record)
 *   edfdisk bin FILE NAME TYPE MODE HOST F|V [LRECL [SPARSE]]   the same of bytes: F records; V records with their
 * length
 *                                          before them. SPARSE does not write records of zeros, but the last
 *   edfdisk get FILE NAME TYPE             a file as text of the host, on standard output
 *   edfdisk raw FILE NAME TYPE             a file as bytes of the host, as bin takes them
 *   edfdisk list FILE                      the directory
 *   edfdisk maclib FILE HOST...            macros, each in a file of its name, become a MACLIB for `bin` (maclib.c)
 *   edfdisk resize FILE BLOCKS             from now on the file system has this many of the file's blocks
 *   edfdisk reserve FILE NAME TYPE         an empty disk becomes one file
 *   edfdisk check FILE                     looks for everything that can be wrong; status 1 if something is
 *   edfdisk trial SIZE SEED STEPS          random work in storage, compared with a plain model
 *   edfdisk kills SIZE SEED STEPS          the same, cut off at every write of every commit
 *   edfdisk scribble SIZE SEED ROUNDS      damaged disks: every file is read, nothing may crash or hang
 */
#include "../edf/edf.h"
#include "edfdisk.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void *edf_get(size_t size) { return size > ((size_t)64 << 20) ? NULL : malloc(size ? size : 1); }
void edf_put(void *storage) { free(storage); }

void edf_now(u8 stamp[7])
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    time_t now = epoch != NULL ? (time_t)strtoll(epoch, NULL, 10) : time(NULL);
    struct tm *t = gmtime(&now);
    int parts[6] = { t->tm_year % 100, t->tm_mon + 1, t->tm_mday, t->tm_hour, t->tm_min, t->tm_sec };

    stamp[0] = t->tm_year >= 100 ? FST_CENTURY_FLAG : 0;
    for (int n = 0; n < 6; n++)
        stamp[n + 1] = (u8)(parts[n] / 10 << 4 | parts[n] % 10);
}

/* The other way round than to_ebcdic[]. */
static char to_ascii(u8 c)
{
    for (int n = 0; n < 128; n++)
        if (to_ebcdic[n] == c)
            return (char)n;
    return '.';
}

static void padded(u8 *to, const char *text, size_t length)
{
    for (size_t n = 0; n < length; n++)
        to[n] = *text != 0 ? to_ebcdic[*text++ & 127] : 0x40;
}

void die(const char *what, const char *which)
{
    fprintf(stderr, "edfdisk: %s%s%s\n", what, which ? " " : "", which ? which : "");
    exit(1);
}

static const char *explain(int error)
{
    static const char *const text[] = { "done", "no such file", "the file exists", "end of file", "the disk is full",
        "the disk is read-only", "an I/O error", "the disk is damaged", "no EDF label", "no storage",
            "no saved segment keeps its directory",
        "a record has a length that the file cannot have" };
    return text[error];
}

/* The whole disk in storage, written back at the end. */
static struct memory open_image(const char *path)
{
    struct memory memory = { 0 };
    FILE *file = fopen(path, "rb");
    long length;

    if (file == NULL)
        die("cannot open", path);
    fseek(file, 0, SEEK_END);
    length = ftell(file);
    rewind(file);
    memory.bytes = malloc((size_t)length + 1);
    if (memory.bytes == NULL || fread(memory.bytes, 1, (size_t)length, file) != (size_t)length)
        die("cannot read", path);
    fclose(file);
    if (length >= 1024 && memcmp(memory.bytes + 512, "\xc3\xd4\xe2\xf1", 4) == 0) {
        memory.size = edf_word(memory.bytes + 512 + ADT_SIZE);
        memory.fixed = true;
        if (memory.size < 512 || memory.size > 4096 || (memory.size & (memory.size - 1)) != 0)
            die("the label makes no sense in", path);
    }
    for (u32 size = 512; size <= 4096 && !memory.fixed; size *= 2)
        if ((size_t)length >= 3 * size && memcmp(memory.bytes + 2 * size, "\xc3\xd4\xe2\xf1", 4) == 0 &&
            edf_word(memory.bytes + 2 * size + ADT_SIZE) == size)
            memory.size = size;
    if (memory.size == 0)
        die("no CMS label in", path);
    memory.blocks = (u32)((size_t)length / memory.size);
    return memory;
}

/* Blocks of zeros are left out: the host keeps them as holes. */
static void save_image(const char *path, const struct memory *memory)
{
    static const u8 zeros[4096];
    FILE *file = fopen(path, "wb");
    bool good = file != NULL;

    for (u32 n = 0; good && n < memory->blocks; n++) {
        const u8 *block = memory->bytes + (size_t)n * memory->size;

        if (n + 1 < memory->blocks && memcmp(block, zeros, memory->size) == 0)
            continue;
        good = fseek(file, (long)n * (long)memory->size, SEEK_SET) == 0 && fwrite(block, memory->size, 1, file) == 1;
    }
    if (!good || fclose(file) != 0)
        die("cannot write", path);
}

static void format(char **word, int words)
{
    struct memory memory = { .blocks = (u32)atol(word[1]), .size = (u32)atol(word[2]), .fixed = words > 5 };
    u32 reserved = words > 4 ? (u32)atol(word[4]) : 0;
    struct edf_device device = memory_device(&memory);
    u8 label[6];
    int error;

    padded(label, word[3], 6);
    memory.bytes = calloc(memory.blocks, memory.size);
    if (memory.bytes == NULL)
        die("no storage", NULL);
    error = edf_format(&device, memory.blocks - reserved, (memory.blocks - reserved) / 180, memory.blocks / 180, label);
    if (error != EDF_OK)
        die(explain(error), NULL);
    save_image(word[0], &memory);
}

static u8 *whole(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    u8 *bytes = malloc(1 << 26);

    if (file == NULL || bytes == NULL)
        die("cannot open", path);
    *length = fread(bytes, 1, 1 << 26, file);
    fclose(file);
    return bytes;
}

/*
 * The loader's last 8 bytes of block 2's first 512 say where the nucleus is: its first block and the number of blocks
 * (guest/cms/loader.S).
 */
static void ipl(char **word)
{
    struct memory memory = open_image(word[0]);
    size_t loader, nucleus;
    u8 *load = whole(word[1], &loader), *nuc = whole(word[2], &nucleus), *second = memory.bytes + memory.size;
    u32 first = edf_word(memory.bytes + 2 * memory.size + ADT_BLOCKS) + 1;
    u32 count = (u32)((nucleus + memory.size - 1) / memory.size);

    if (loader > 1024)
        die("the loader is too long:", word[1]);
    if (first + count - 1 > memory.blocks)
        die("there is no room after the file system for", word[2]);
    memcpy(memory.bytes, load, 24);
    memcpy(second, load + 512, loader - 512);
    edf_set_word(second + 496, memory.size);
    edf_set_word(second + 500, first);
    edf_set_word(second + 504, count);
    memcpy(memory.bytes + (size_t)(first - 1) * memory.size, nuc, nucleus);
    save_image(word[0], &memory);
}

static void put(char **word, int words, bool text)
{
    struct memory memory = open_image(word[0]);
    struct edf_device device = memory_device(&memory);
    struct edf edf;
    struct edf_file file;
    size_t length, at = 0;
    u8 *bytes = whole(word[4], &length), name[8], type[8];
    u32 lrecl = words > 6 ? (u32)atol(word[6]) : 80, n = 0, room = lrecl > EDF_MOST_V ? lrecl : EDF_MOST_V;
    u8 *record = calloc(room, 1);
    bool sparse = words > 7;
    int error;

    padded(name, word[1], 8);
    padded(type, word[2], 8);
    if (lrecl == 0 || lrecl > EDF_MOST_F || record == NULL)
        die("that is no record length", word[6]);
    error = edf_open_disk(&edf, &device, true);
    if (error == EDF_OK)
        error = edf_open(&edf, &file, name, type, EDF_NEW);
    if (error != EDF_OK)
        die(explain(error), word[0]);
    padded(file.fst + FST_MODE, word[3], 2);
    file.fst[FST_RECFM] = word[5][0] == 'F' ? EDF_F : EDF_V;
    while (at < length && error == EDF_OK) {
        u32 count = 0;

        if (text) {
            while (at < length && bytes[at] != '\n' && count < room)
                record[count++] = to_ebcdic[bytes[at++] & 127];
            at += at < length && bytes[at] == '\n';
            while (word[5][0] == 'F' && count < lrecl)
                record[count++] = 0x40;
            if (count == 0)
                record[count++] = 0x40;
        } else if (word[5][0] == 'F') {
            memset(record, 0, lrecl);
            while (count < lrecl && at < length)
                record[count++] = bytes[at++];
            count = lrecl;
        } else {
            if (length - at < 2 || length - at - 2 < ((u32)bytes[at] << 8 | bytes[at + 1]))
                die("a record that is cut off in", word[4]);
            count = (u32)bytes[at] << 8 | bytes[at + 1];
            memcpy(record, bytes + at + 2, count);
            at += count + 2;
        }
        n++;
        if (!sparse || at >= length || record[0] != 0 || memcmp(record, record + 1, count - 1) != 0)
            error = edf_write(&file, n, record, count);
    }
    if (error == EDF_OK)
        error = edf_close(&file);
    if (error == EDF_OK)
        error = edf_commit(&edf);
    if (error != EDF_OK)
        die(explain(error), word[4]);
    free(record);
    save_image(word[0], &memory);
}

static void name_of(const u8 *fst, char text[24])
{
    for (int n = 0; n < 8; n++) {
        text[n] = to_ascii(fst[n]);
        text[n + 9] = to_ascii(fst[n + 8]);
    }
    text[8] = text[17] = ' ';
    text[18] = to_ascii(fst[FST_MODE]);
    text[19] = to_ascii(fst[FST_MODE + 1]);
    text[20] = 0;
}

static struct edf open_to_read(const char *path)
{
    static struct memory memory;
    struct edf_device device;
    struct edf edf;
    int error;

    memory = open_image(path);
    device = memory_device(&memory);
    error = edf_open_disk(&edf, &device, false);
    if (error != EDF_OK)
        die(explain(error), path);
    return edf;
}

static void get(char **word, bool text)
{
    struct edf edf = open_to_read(word[0]);
    struct edf_file file;
    u8 name[8], type[8], *record;
    u32 length, room;
    int error;

    padded(name, word[1], 8);
    padded(type, word[2], 8);
    error = edf_open(&edf, &file, name, type, EDF_READ);
    if (error != EDF_OK)
        die(explain(error), word[1]);
    room = edf_word(file.fst + FST_LRECL);
    record = malloc(room != 0 ? room : 1);
    if (record == NULL)
        die(explain(EDF_STORAGE), word[1]);
    for (u32 n = 1; edf_read(&file, n, record, room, &length) == EDF_OK; n++) {
        if (!text && file.fst[FST_RECFM] == EDF_V) {
            putchar((int)(length >> 8));
            putchar((int)(length & 255));
        }
        for (u32 k = 0; k < length; k++)
            putchar(text ? to_ascii(record[k]) : record[k]);
        if (text)
            putchar('\n');
    }
    free(record);
    edf_close(&file);
}

/* What changes a disk as a whole. */
static void change(char **word, bool resize)
{
    struct memory memory = open_image(word[0]);
    struct edf_device device = memory_device(&memory);
    struct edf edf;
    u8 name[8], type[8];
    int error = edf_open_disk(&edf, &device, true);

    if (error == EDF_OK && resize) {
        error = edf_resize(&edf, (u32)atol(word[1]), edf_word(edf.label + ADT_CYLINDERS));
    } else if (error == EDF_OK) {
        padded(name, word[1], 8);
        padded(type, word[2], 8);
        error = edf_reserve(&edf, name, type);
    }
    if (error != EDF_OK)
        die(explain(error), word[0]);
    save_image(word[0], &memory);
}

static void list(const char *path)
{
    struct edf edf = open_to_read(path);
    const u8 *fst;
    char text[24];

    for (u32 n = 0; (fst = edf_entry(&edf, n)) != NULL; n++) {
        name_of(fst, text);
        printf("%s %c %10u %10u %10u %u\n", text, to_ascii(fst[FST_RECFM]), edf_word(fst + FST_LRECL),
               edf_word(fst + FST_RECORDS), edf_word(fst + FST_BLOCKS), fst[FST_LEVELS]);
    }
    printf("%u files, %u of %u blocks of %u bytes\n", edf_files(&edf), edf.used, edf.blocks, edf.size);
}

void tell_wrong(const char *what, u32 number, const u8 *fst)
{
    char text[24] = "the disk";

    if (fst != NULL)
        name_of(fst, text);
    printf("%s: %s (%u)\n", text, what, number);
}

int main(int words, char **word)
{
    const char *what = words > 1 ? word[1] : "";
    static const struct { const char *name; int least; } known[] = {
        { "format", 4 }, { "ipl", 3 }, { "put", 6 }, { "bin", 6 }, { "get", 3 }, { "list", 1 }, { "check", 1 },
        { "raw", 3 }, { "maclib", 2 }, { "resize", 2 }, { "reserve", 3 },
        { "trial", 3 }, { "kills", 3 }, { "scribble", 3 },
    };

    for (size_t n = 0; n < sizeof known / sizeof *known; n++)
        if (strcmp(what, known[n].name) == 0 && words - 2 < known[n].least)
            what = "";
    word += 2;
    words -= 2;
    if (strcmp(what, "format") == 0)
        format(word, words);
    else if (strcmp(what, "ipl") == 0)
        ipl(word);
    else if (strcmp(what, "put") == 0)
        put(word, words, true);
    else if (strcmp(what, "bin") == 0)
        put(word, words, false);
    else if (strcmp(what, "get") == 0)
        get(word, true);
    else if (strcmp(what, "raw") == 0)
        get(word, false);
    else if (strcmp(what, "list") == 0)
        list(word[0]);
    else if (strcmp(what, "maclib") == 0)
        maclib(word, words);
    else if (strcmp(what, "resize") == 0)
        change(word, true);
    else if (strcmp(what, "reserve") == 0)
        change(word, false);
    else if (strcmp(what, "check") == 0) {
        struct edf edf = open_to_read(word[0]);

        u32 wrong = edf_check(&edf, tell_wrong);

        printf("%u errors, %u files\n", wrong, edf_files(&edf));
        return wrong != 0;
    } else if (strcmp(what, "trial") == 0)
        return trial((u32)atol(word[0]), (u32)atol(word[1]), (u32)atol(word[2]), false);
    else if (strcmp(what, "kills") == 0)
        return trial((u32)atol(word[0]), (u32)atol(word[1]), (u32)atol(word[2]), true);
    else if (strcmp(what, "scribble") == 0)
        return scribble((u32)atol(word[0]), (u32)atol(word[1]), (u32)atol(word[2]));
    else
        die("edfdisk format|ipl|put|bin|get|raw|list|resize|reserve|check|trial|kills|scribble: the source says how",
            NULL);
    return 0;
}
