/*
 * What ABEND with DUMP prints, as OS does: where FILEDEF says what SYSABEND or SYSUDUMP is, and nothing without it.
 * There are the completion code, the PSW and the registers, and the program.
 */
#include "os.h"
#include "../nucleus/program.h"

enum { WORDS_OF_LINE = 8, DUMP_LINE = 120, TEXT_AT = 86 };

struct dumped { struct dataset set; struct place line; int code; };

static void put_line(struct dumped *dump, const char *text, u32 length)
{
    char *at = make_room(&dump->line, DUMP_LINE);

    pad(at, DUMP_LINE, text, length);
    if (dump->code == 0)
        dump->code = dataset_put("SNP", &dump->set, &dump->line, DUMP_LINE);
}

static void put_words(struct dumped *dump, const char *head, const u32 *words)
{
    char line[DUMP_LINE];
    u32 length = format(line, sizeof line, "%s", head);

    for (u32 n = 0; n < WORDS_OF_LINE; n++)
        length += format(line + length, sizeof line - length, " %08x", words[n]);
    put_line(dump, line, length);
}

/* 32 bytes: their address, in hexadecimal, and what of them is a letter or a digit. */
static void put_storage(struct dumped *dump, u32 at)
{
    char line[DUMP_LINE];
    u32 length = format(line, sizeof line, "%08x ", at);

    for (u32 n = 0; n < WORDS_OF_LINE; n++)
        length += format(line + length, sizeof line - length, n == WORDS_OF_LINE / 2 ? "  %08x" : " %08x",
                         edf_word((const u8 *)at + 4 * n));
    pad(line, TEXT_AT, line, length);
    line[TEXT_AT] = '*';
    for (u32 n = 0; n < 4 * WORDS_OF_LINE; n++) {
        char byte = ((const char *)at)[n];

        line[TEXT_AT + 1 + n] = is_letter(byte) || is_digit(byte) || byte == ' ' ? byte : '.';
    }
    line[TEXT_AT + 1 + 4 * WORDS_OF_LINE] = '*';
    put_line(dump, line, TEXT_AT + 2 + 4 * WORDS_OF_LINE);
}

void os_dump(const struct frame *frame, u32 completion)
{
    const struct filedef *defined = filedef_find("SYSABEND");
    struct dumped dump = { .code = 0 };
    char line[DUMP_LINE];

    if (defined == NULL)
        defined = filedef_find("SYSUDUMP");
    if (defined == NULL)
        return;
    dataset_define("SNP", &dump.set, defined->dd);
    dump.code = dataset_open_output("SNP", &dump.set, 'F', DUMP_LINE);
    if (dump.code != 0)
        return;
    put_line(&dump, line, format(line, sizeof line, "COMPLETION CODE   USER=%04u", completion));
    put_line(&dump, line, format(line, sizeof line, "PSW AT ENTRY TO ABEND %08x %08x", frame->psw[0], frame->psw[1]));
    put_words(&dump, "REGS 0-7 ", frame->gr);
    put_words(&dump, "REGS 8-15", frame->gr + WORDS_OF_LINE);
    for (u32 at = loaded_program.first & ~31u; loaded_program.there && at < loaded_program.next; at += 32)
        put_storage(&dump, at);
    (void)dataset_close_output("SNP", &dump.set, NULL, dump.code);
}
