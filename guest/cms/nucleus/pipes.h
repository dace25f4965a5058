/*
 * Pipelines, a part of the nucleus that is loaded (pipe/head.c), and what of them is resident: what an abend must find,
 * and programs that are stages (command/pipe.c, command/lua.c). Variables that a PIPE has are here, so that the part
 * has none and all of its segment is in common.
 */
#ifndef PIPES_H
#define PIPES_H

#include "cms.h"
#include "../lua/service.h"

struct pipes_part {
    int (*run)(const char *text, u32 length, void *environment);
    bool (*help)(const char *verb, u32 length);
    const char *(*text)(u32 number);                     /* of a message */
};

/* A stage whose program has begun. The functions are the part's. */
struct guest {
    struct stage *stage;
    u32 outer;                                           /* kernel_stack, but while it runs */
    struct held *held;
    void *(*obtain)(struct stage *s, size_t size);       /* NULL: there is none */
    void (*release)(struct stage *s, void *block);
    int (*perform)(struct guest *guest, struct request *request);
};

/* Pages that a stage's program has. */
struct held { struct held *next; u32 at; };

/* command/lua.c */
extern struct guest *lua_guest;                          /* whose program runs now; NULL: no stage's */
extern const name lua_module;
int lua_perform(struct request *request);                /* a request, on the stack of a command */
int lua_absent(void);
void lua_let_go(void *guest);                            /* what the program of a stage still has */

/* command/pipe.c */
extern struct socket_path { bool open, begun; u16 path; u32 users, kept; } socket_path;    /* to *TCPIP */
void sockets_leave(void);
extern struct capture *pipe_messages;                    /* of pipelines, for RUNPIPE; the innermost gets them */

#endif
