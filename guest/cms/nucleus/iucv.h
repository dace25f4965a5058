/* Messages by IUCV (iucv.c). */
#ifndef IUCV_H
#define IUCV_H

#include "cms.h"

enum { IUCV_MESSAGE = 1, IUCV_WARNING = 2, IUCV_SPECIAL = 4, IUCV_LINE_MOST = 320 };

/* What was said, by which user, and which SET command sends it here. */
struct iucv_line { u32 class, length; name from; char text[IUCV_LINE_MOST]; };

u8 iucv_open(const char service[8]);                     /* 0, or why not (IPRCODE) */
bool iucv_next(struct iucv_line *line);                  /* false: there are no more */
bool iucv_is_open(void);
void iucv_close(void);

/* Messages of ours that are answered, on a path of its own. Numbers are of the path, and return codes IPRCODE. */
struct iucv_wait { struct iucv_wait *next; u32 message; bool done; u32 left; };   /* left: of the answer's room */
u8 iucv_connect(const name service, u16 *path);
void iucv_sever(u16 path);
u8 iucv_ask(u16 path, u32 class, const void *data, u32 length, void *answer, u32 room, struct iucv_wait *wait);
bool iucv_answered(struct iucv_wait *wait);              /* the answer is there */
void iucv_forget(struct iucv_wait *wait);                /* takes the message back, if it is not answered */

/*
 * A service whose messages are eight bytes of the parameter list and are to be answered (*MONITOR). What comes wakes
 * wait_until(). Lists are as an interruption stores them.
 */
enum { IUCV_LIST = 40, IUCV_USER = 16 };
struct iucv_service { u16 path; bool is_open, is_ready, is_severed; u8 user[IUCV_USER]; };
u8 iucv_service_open(const name wanted, const u8 user[IUCV_USER], const struct iucv_service **service);   /* IPRCODE */
bool iucv_service_next(u8 list[IUCV_LIST]);              /* the next message; false: there is none */
void iucv_service_reply(const u8 list[IUCV_LIST]);
void iucv_service_close(void);

/* Messages by VMCF (vmcf.c), until the command that was typed ends. */
bool vmcf_open(void);                                    /* false: CP does not have it */
void vmcf_close(void);
/* Special messages, where SET SMSG is ON; false: none has come during a wait. */
bool vmcf_next(struct iucv_line *line);

/* VMCPARM, and VMCMHDR, whose first two bytes are VMCMSTAT and VMCMEFLG. */
struct vmcf_list {
    u8 flags, error;
    u16 function;
    u32 message;
    char user[8];
    u32 address, length, reply_address, reply_length;
    char doubleword[8];
};
_Static_assert(sizeof(struct vmcf_list) == 40, "VMCPARM");
enum { VMCF_AUTHORIZE = 0, VMCF_UNAUTHORIZE = 1, VMCF_SEND = 2, VMCF_SEND_RECEIVE = 3, VMCF_SENDX = 4,
       VMCF_RECEIVE = 5, VMCF_CANCEL = 6, VMCF_REPLY = 7, VMCF_IDENTIFY = 10, VMCF_REJECT = 11 };
enum { VMCF_REJECTED = 0x40 };                           /* of VMCMSTAT */

u32 vmcf_perform(struct vmcf_list *list);                /* the return code */
/* Sends, with a number of its own; `wait` is done when the other end is through with it. */
struct vmcf_wait { struct vmcf_wait *next; u32 number; char user[8]; bool done; struct vmcf_list answer; };
u32 vmcf_send(struct vmcf_list *list, struct vmcf_wait *wait);
void vmcf_forget(struct vmcf_wait *wait);                /* takes the message back, if it is not done */
/* While it is on, messages of others come to vmcf_arrived(), special ones, too; what SENDX says is their text. */
void vmcf_listen(bool on);
bool vmcf_arrived(struct vmcf_list *header, char text[IUCV_LINE_MOST]);

#endif
