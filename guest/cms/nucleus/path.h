/* Paths to displays, which programs open by the macro CONSOLE (path.c). */
#ifndef PATH_H
#define PATH_H

#include "subchannel.h"

int path_request(struct frame *frame);                   /* SVC 203, function 17: register 1 is at the request */
void path_status(u32 id, const struct irb *irb);         /* of a subchannel that is not the console's */
void path_attention(void);                               /* the console: a key of a screen */
void paths_tell(struct frame *frame);                    /* before the program goes on: its exits */
void paths_after(u32 running, bool stays);
void paths_forget(void);

#endif
