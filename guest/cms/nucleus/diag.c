/*
 * DIAG and DIAGRC: what an exec asks of CP by a DIAGNOSE code ("REXX/VM Reference", the functions of those names).
 *
 * The answer is what the code leaves in storage or in registers, as it is. DIAGRC puts the return code (nine columns)
 * and the condition code in front, 16 columns in all. Codes that are not in the table say so by name: error 40 alone
 * does not tell a wrong operand from a code that is not there.
 */
#include "diag.h"

enum { ROOM = 32768, AHEAD = 16 };

/* `at`: room for the answer, on a doubleword. `room` is how much there is, `length` how much it is. */
struct answer { char *at; u32 room, length, code, cc; };
typedef const struct rexx_arguments arguments;

static u32 condition(u32 cc) { return cc >> 28 & 3; }

static bool given(arguments *a, u32 n) { return n < a->count && a->list[n].text != NULL; }

/* A device number in hexadecimal; -1 is the console. */
static bool device(arguments *a, u32 *vdev)
{
    const struct rexx_text *text = &a->list[1];

    if (!given(a, 1))
        return false;
    if (text->length == 2 && memcmp(text->text, "-1", 2) == 0) {
        *vdev = 0xffffffff;
        return true;
    }
    return parse_hex(text->text, text->length, vdev) && *vdev <= 0xffff;
}

/* X'00': the machine's user and CP, 40 bytes for each level of VM. */
static bool identity(arguments *a, struct answer *answer)
{
    enum { FIVE_LEVELS = 200 };
    register u32 r2 __asm__("2") = (u32)answer->at;
    register u32 r3 __asm__("3") = FIVE_LEVELS;

    (void)a;
    __asm__ volatile(".long 0x83230000" : "+d"(r3) : "d"(r2) : "cc", "memory");
    answer->length = FIVE_LEVELS - r3;
    return true;
}

/* X'08': a command of CP, and how many bytes its response may have. */
static bool command(arguments *a, struct answer *answer)
{
    u32 room = answer->room;

    if (!given(a, 1))
        return false;
    if (given(a, 2) && (!parse_number(a->list[2].text, a->list[2].length, &room) || room > answer->room))
        return false;
    u32 most = room;
    answer->code = (u32)cp(a->list[1].text, a->list[1].length, answer->at, &room);
    answer->cc = room >> 31;
    answer->length = answer->cc != 0 ? most : room;
    return true;
}

/* X'0C': date, time, processor times. */
static bool timer(arguments *a, struct answer *answer)
{
    register u32 r2 __asm__("2") = (u32)answer->at;

    (void)a;
    __asm__ volatile(".long 0x8320000c" : : "d"(r2) : "cc", "memory");
    answer->length = 32;
    return true;
}

/* Registers, and the condition code as a digit. */
static void answer_registers(struct answer *answer, const u32 *registers, u32 count, u32 cc)
{
    u32 length = count * sizeof *registers;

    memcpy(answer->at, registers, length);
    answer->cc = condition(cc);
    answer->at[length] = (char)('0' + answer->cc);
    answer->length = length + 1;
}

/* X'24': registers Rx, Ry, Ry+1 and the condition code as a digit. */
static bool device_type(arguments *a, struct answer *answer)
{
    u32 vdev, cc, registers[3];

    if (!device(a, &vdev))
        return false;
    register u32 r2 __asm__("2") = vdev;
    register u32 r4 __asm__("4") = 0;
    register u32 r5 __asm__("5") = 0;
    __asm__ volatile(".long 0x83240024\n\tipm %0" : "=&d"(cc), "+d"(r2), "+d"(r4), "+d"(r5) : : "cc");
    registers[0] = r2;
    registers[1] = r4;
    registers[2] = r5;
    answer_registers(answer, registers, COUNT_OF(registers), cc);
    return true;
}

/* X'5C': what SET EMSG leaves of a message. */
static bool edited(arguments *a, struct answer *answer)
{
    const char *text;

    if (!given(a, 1) || a->list[1].length > LINE_MOST)
        return false;
    text = a->list[1].text;
    answer->length = a->list[1].length;
    edit_message(&text, &answer->length);
    memcpy(answer->at, text, answer->length);
    return true;
}

/* X'60': how much storage there is. */
static bool storage_size_is(arguments *a, struct answer *answer)
{
    u32 size = storage_bytes();

    (void)a;
    memcpy(answer->at, &size, answer->length = sizeof size);
    return true;
}

/* X'64': S loads a saved segment, L a copy of it, P purges it, F finds it. Rx, Ry and the condition code as a digit. */
static bool saved_segment(arguments *a, struct answer *answer)
{
    static const struct { char letter; u8 subcode; } functions[] = {
        { 'S', 0x00 }, { 'L', 0x04 }, { 'P', 0x08 }, { 'F', 0x0c },
    };
    u32 n = 0, cc, registers[2];

    if (!given(a, 1) || !given(a, 2) || a->list[1].length != 1 || a->list[2].length == 0 ||
        a->list[2].length > sizeof(name))
        return false;
    while (n < COUNT_OF(functions) && functions[n].letter != upper(a->list[1].text[0]))
        n++;
    if (n == COUNT_OF(functions))
        return false;
    pad(answer->at, sizeof(name), a->list[2].text, a->list[2].length);
    register u32 r2 __asm__("2") = (u32)answer->at;
    register u32 r4 __asm__("4") = functions[n].subcode;
    __asm__ volatile(".long 0x83240064\n\tipm %0" : "=&d"(cc), "+d"(r2), "+d"(r4) : : "cc", "memory");
    registers[0] = r2;
    registers[1] = r4;
    answer_registers(answer, registers, COUNT_OF(registers), cc);
    return true;
}

/* X'210': a device, as a block of 12 bytes. */
static bool device_block(arguments *a, struct answer *answer)
{
    enum { LENGTH = 12 };
    u32 vdev, cc;

    if (!device(a, &vdev) || vdev > 0xffff)
        return false;
    memset(answer->at, 0, LENGTH);
    answer->at[0] = (char)(vdev >> 8);
    answer->at[1] = (char)vdev;
    answer->at[3] = LENGTH;
    register u32 r2 __asm__("2") = (u32)answer->at;
    __asm__ volatile(".long 0x83200210\n\tipm %0" : "=d"(cc) : "d"(r2) : "cc", "memory");
    answer->cc = condition(cc);
    answer->length = LENGTH;
    return true;
}

/* X'270': as X'0C', and the date with four digits of the year. */
static bool long_timer(arguments *a, struct answer *answer)
{
    register u32 r2 __asm__("2") = (u32)answer->at;
    register u32 r3 __asm__("3") = answer->length = 64;

    (void)a;
    __asm__ volatile(".long 0x83230270" : "+d"(r3) : "d"(r2) : "cc", "memory");
    return true;
}

/* The codes: how many arguments they have, themselves too. */
static const struct { u32 code, most; bool (*ask)(arguments *a, struct answer *answer); } codes[] = {
    { 0x00, 1, identity }, { 0x08, 3, command }, { 0x0c, 1, timer }, { 0x24, 2, device_type }, { 0x5c, 2, edited },
    { 0x60, 1, storage_size_is }, { 0x64, 3, saved_segment }, { 0x210, 2, device_block }, { 0x270, 1, long_timer },
};

/* The message says what error 40 does not. */
static enum rexx_outcome refuse(u32 number, const struct rexx_text *code)
{
    char text[16];
    u32 length = code->text == NULL ? 0 : code->length < sizeof text - 1 ? code->length : sizeof text - 1;

    memcpy(text, code->text, length);
    text[length] = 0;
    message("REX", number, 'E', text);
    return REXX_BAD_CALL;
}

enum rexx_outcome diagnose(struct rexx *rexx, arguments *a, bool with_code)
{
    u32 wanted, n = 0;
    enum rexx_outcome outcome = REXX_DONE;
    struct answer answer = { .room = ROOM };
    char *room;

    if (!given(a, 0) || !parse_hex(a->list[0].text, a->list[0].length, &wanted))
        return refuse(1093, &a->list[0]);
    while (n < COUNT_OF(codes) && codes[n].code != wanted)
        n++;
    if (n == COUNT_OF(codes))
        return refuse(1093, &a->list[0]);
    room = obtain(ROOM + AHEAD, OWNER_COMMAND);
    if (room == NULL)
        return REXX_NO_STORAGE;
    answer.at = room + AHEAD;
    if (a->count > codes[n].most || !codes[n].ask(a, &answer)) {
        outcome = refuse(1094, &a->list[0]);
    } else {
        const char *from = with_code ? room : answer.at;

        if (with_code)
            format(room, AHEAD, "%9d %u     ", answer.code, answer.cc);
        if (!rexx_reply(rexx, from, answer.length + (with_code ? AHEAD : 0)))
            outcome = REXX_NO_STORAGE;
    }
    release(room);
    return outcome;
}
