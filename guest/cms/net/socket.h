/* Sockets for stages, by one path to *TCPIP (socket.c). Numbers and layouts are those of TCP/IP's sockets by IUCV. */
#ifndef NET_SOCKET_H
#define NET_SOCKET_H

#include "../nucleus/iucv.h"
#include "../pipe/drive.h"

enum socket_call { SOCKET_ACCEPT = 1, SOCKET_BIND = 2, SOCKET_CLOSE = 3, SOCKET_CONNECT = 4, SOCKET_HOSTID = 7,
                   SOCKET_HOSTNAME = 8, SOCKET_LISTEN = 13, SOCKET_RECEIVE = 16, SOCKET_SEND_TO = 22,
                   SOCKET_OPTION = 23, SOCKET_NEW = 25, SOCKET_WRITE = 26, SOCKET_RESOLVE = 0x4001,
                   SOCKET_ECHO = 0x4002, SOCKET_STATUS = 0x4003 };
enum { STREAM = 1, DATAGRAMS = 2, INET = 2, NO_SOCKET = 0xffff };

struct socket_address { u16 family, port; u32 address; u8 reserved[8]; };
_Static_assert(sizeof(struct socket_address) == 16, "sockaddr_in");
struct socket_head { i32 code, error; };                 /* in front of each answer; code -1: it failed */

/* A path, as long as a stage has opened it: 0, or the message's number, which has been said. Closes by itself. */
int socket_open(struct stage *s);
/* Performs a call while other stages run; below 0: it failed, and the answer's head says why. */
i32 socket_perform(struct stage *s, u32 call, u32 socket, const void *data, u32 length, void *answer, u32 room);
/* Begins one; it is taken back if the stage ends before. A stage may have several, each with a wait of its own. */
int socket_begin(struct stage *s, u32 call, u32 socket, const void *data, u32 length, void *answer, u32 room,
                 struct iucv_wait *wait);
/* Waits for its answer; false: no stage reads the output any more. */
bool socket_wait(struct stage *s, struct iucv_wait *wait);
void socket_forget(void *wait);                          /* for stage_at_end() */
/* The message that a call has failed. */
int socket_error(struct stage *s, u32 call, i32 error);
/* A new socket, which ends with the stage unless *socket is NO_SOCKET then. */
int socket_new(struct stage *s, u32 kind, u32 *socket);
void socket_keep(struct stage *s, u32 *socket);
int socket_option(struct stage *s, u32 socket, u32 level, u32 option, u32 value);

/* Addresses: an operand, a name or a.b.c.d; a port from `least` on. 0, or the message's number. */
int next_host(struct stage *s, struct text *rest, u32 *address);
int host_address(struct stage *s, struct text word, u32 *address);
int next_port(struct stage *s, struct text *rest, u32 least, u16 *port);
u32 format_address(char *to, u32 room, u32 address);

#endif
