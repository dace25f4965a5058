/* The host's half of the assembler as a program of this host (host.c): arguments, files, chance; all of it in ASCII. */
#include "host.h"
#include "../../host/edfdisk.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 200, CORPUS_MOST = 4000, SOURCE_MOST = 60, STEPS_MOST = 20000 };

static const char *folder;
static FILE *deck;
static char corpus[CORPUS_MOST][LINE_MOST];
static uint32_t corpus_lines;
static uint64_t state;

static uint32_t chance(uint32_t most)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 33) % most;
}

static void add(struct lines *lines, const char *text)
{
    char record[LINE_MOST];
    uint32_t length = 0;

    for (; text[length] != 0 && text[length] != '\n' && length < LINE_MOST; length++)
        record[length] = (char)to_ebcdic[text[length] & 0x7f];
    lines_add(lines, record, length);
}

static char ascii(char c)
{
    for (int n = 0x20; n < 0x7f; n++)
        if (to_ebcdic[n] == (u8)c)
            return (char)n;
    return '?';
}

static bool read_lines(const char *path, struct lines *lines)
{
    char line[LINE_MOST];
    FILE *file = fopen(path, "r");

    if (file == NULL)
        return false;
    while (fgets(line, sizeof line, file) != NULL)
        add(lines, line);
    fclose(file);
    return true;
}

bool host_member(const char *name, uint32_t length, struct lines *to)
{
    char path[1000];
    int at = snprintf(path, sizeof path - 100, "%s/", folder == NULL ? "." : folder);

    if (folder == NULL)
        return false;
    for (uint32_t n = 0; n < length; n++)
        path[at++] = ascii(name[n]);
    path[at] = 0;
    return read_lines(path, to);
}

void host_card(const uint8_t card[80])
{
    if (deck != NULL)
        fwrite(card, 1, 80, deck);
}

void host_line(const char *line, uint32_t length)
{
    for (uint32_t n = 0; n < length; n++)
        putchar(ascii(line[n]));
    putchar('\n');
}

/* A source of lines of a program written by hand, some of them changed a little. */
static void chance_source(struct lines *lines)
{
    uint32_t count = 1 + chance(SOURCE_MOST), from = chance(corpus_lines);
    bool in_order = chance(3) != 0;

    for (uint32_t n = 0; n < count; n++) {
        char line[LINE_MOST + 2];
        uint32_t length;

        strcpy(line, corpus[in_order ? (from + n) % corpus_lines : chance(corpus_lines)]);
        length = (uint32_t)strlen(line);
        for (uint32_t k = chance(4) == 0 ? 1 + chance(4) : 0; k > 0 && length > 0; k--) {
            static const char letters[] = "()',&.*=+-/ 0123456789ABCDEFXLTKN$@\"X";
            uint32_t at = chance(length);

            switch (chance(5)) {
            case 0:
                memmove(line + at, line + at + 1, length-- - at);
                break;
            case 1:
                if (length < LINE_MOST) {
                    memmove(line + at + 1, line + at, length++ - at + 1);
                    line[at] = letters[chance(sizeof letters - 1)];
                }
                break;
            case 2:
                line[at] = letters[chance(sizeof letters - 1)];
                break;
            case 3: {
                const char *other = corpus[chance(corpus_lines)];
                uint32_t other_length = (uint32_t)strlen(other), part = other_length == 0 ? 0 : chance(other_length);

                if (at + other_length - part < LINE_MOST) {
                    strcpy(line + at, other + part);
                    length = (uint32_t)strlen(line);
                }
                break;
            }
            default:
                line[at] = (char)(0x20 + chance(0x5f));
            }
        }
        add(lines, line);
    }
}

static int fuzz(int argc, char **argv)
{
    uint32_t count = argc > 3 ? (uint32_t)atoi(argv[3]) : 1, worst[17] = { 0 };

    state = argc > 2 ? (uint64_t)atoi(argv[2]) * 2654435761u + 1 : 1;
    for (int n = 4; n < argc; n++) {
        FILE *file = fopen(argv[n], "r");

        if (file == NULL)
            return 1;
        while (corpus_lines < CORPUS_MOST && fgets(corpus[corpus_lines], LINE_MOST, file) != NULL) {
            corpus[corpus_lines][strcspn(corpus[corpus_lines], "\n")] = 0;
            corpus_lines++;
        }
        fclose(file);
    }
    if (corpus_lines == 0)
        return 1;
    for (uint32_t n = 0; n < count; n++) {
        struct lines *lines = host_lines();
        uint32_t code;

        chance_source(lines);
        code = host_assemble(lines, true, STEPS_MOST);
        worst[code <= 16 ? code : 16]++;
        host_forget();
    }
    printf("%u assemblies: severity 0 %u, 4 %u, 8 %u, 12 %u, no end %u\n", count, worst[0], worst[4], worst[8],
           worst[12], worst[16]);
    return 0;
}

int main(int argc, char **argv)
{
    struct lines *lines;
    char path[1000];
    int code;

    if (argc > 1 && strcmp(argv[1], "-f") == 0)
        return fuzz(argc, argv);
    if (argc < 2 || strlen(argv[1]) > sizeof path - 10) {
        fprintf(stderr, "assembler FILE [FOLDER] | -f SEED COUNT FILE...\n");
        return 1;
    }
    folder = argc > 2 ? argv[2] : NULL;
    lines = host_lines();
    if (!read_lines(argv[1], lines)) {
        perror(argv[1]);
        return 1;
    }
    snprintf(path, sizeof path, "%s.deck", argv[1]);
    deck = fopen(path, "wb");
    code = (int)host_assemble(lines, false, 0);
    if (deck != NULL)
        fclose(deck);
    host_forget();
    return code;
}
