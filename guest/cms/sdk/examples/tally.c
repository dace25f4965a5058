/*
 * TALLY fn ft: counts a file's records, words and characters, and writes the result to fn TALLY A.
 */
#include "cmslib.h"

static uint32_t records, words, characters;

static void count(const char *text, uint32_t length)
{
    bool inside = false;

    for (uint32_t n = 0; n < length; n++) {
        words += text[n] != ' ' && !inside;
        inside = text[n] != ' ';
    }
    records++;
    characters += length;
}

int main(int argc, char *argv[])
{
    static char record[65535];
    struct cms_file file;
    char line[80];
    uint32_t length;
    int code;

    if (argc != 3) {
        print("%s wants a file's name and type", argv[0]);
        return 24;
    }
    /* A nucleus extension is called more than once. */
    records = words = characters = 0;
    file_name(&file, cms_call.word[1], cms_call.word[2], "*");
    while ((code = file_read(&file, record, sizeof record, &length)) == 0)
        count(record, length);
    if (code != 12) {
        print("TALLY: there is no %t %t", cms_call.word[1], cms_call.word[2]);
        return 28;
    }
    file_close(&file);
    length = format(line, sizeof line, "%u records, %u words, %u characters", records, words, characters);
    type_text(line, length);
    file_name(&file, cms_call.word[1], "TALLY", "A1");
    code = file_write(&file, line, length);
    if (code != 0)
        return code;
    return file_close(&file);
}
