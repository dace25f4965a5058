/*
 * What a program asks of CMS by SVC 203, function 7, beside what SVC 202 does: addresses of 31 bits, lines as long as
 * CMS has them, and the streams of a pipeline that it is a stage of. The nucleus performs it (command/lua.c).
 */
#ifndef SERVICE_H
#define SERVICE_H

#include <stdint.h>

enum service {
    /* at, length: a line to the terminal. */
    SERVICE_TYPE,
    /* buffer of 256: the program stack's next line, or the terminal's; its length. */
    SERVICE_READ,
    /* buffer of 256: the program stack's next line; its length, or -1. */
    SERVICE_PULL,
    /* at, length, whether it comes first. */
    SERVICE_STACK,
    /* How many lines the program stack has. */
    SERVICE_STACKED,
    /* at, length, type of call: a command; its return code. */
    SERVICE_COMMAND,
    /* at, length of an environment's name, at, length of the command. */
    SERVICE_ADDRESS,
    /* at, length of a command to CP, buffer, room, which becomes the answer's length: the return code. */
    SERVICE_CP,
    /* The address of SHVBLOCKs: the variables of the exec that runs. */
    SERVICE_VARIABLES,
    /* number, severity, texts: a message of CMS. */
    SERVICE_MESSAGE,
    /* size: pages, which are the program's; their address, or 0. at: they go. */
    SERVICE_PAGES, SERVICE_RELEASE,
    /* entry, word: called when HI is typed, with the word in the SCBLOCK; entry 0 ends it. */
    SERVICE_HALT,
    /* The function PEEKTO of a pipeline: at and length become the record's. READTO's end. at, length: OUTPUT. */
    SERVICE_PEEK, SERVICE_CONSUME, SERVICE_OUTPUT,
    /* at, length: a command to the pipeline, as filters in REXX have. */
    SERVICE_PIPE,
    /*
     * at, length of a file's name, type and mode, 18 bytes: what is written to it from now on takes its place when it
     * is closed; or is forgotten. A return code of WRBUF.
     */
    SERVICE_REPLACE, SERVICE_FORGET,
};

/* The answer of functions for pipelines, if the program is no stage. */
enum { NO_STAGE = -7 };

/* The type of call of a program that is a stage; others get theirs as SVC 202 has it. */
enum { CALLED_AS_STAGE = 0xd7 };

struct request { uint32_t service, word[5]; };

#endif
