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

/* Special messages by VMCF, where SET SMSG is ON (vmcf.c). */
bool vmcf_open(void);                                    /* false: CP does not have it */
bool vmcf_next(struct iucv_line *line);                  /* false: none has come during a wait */
void vmcf_close(void);

#endif
