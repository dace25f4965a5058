/* What the nucleus has of full-screen CMS, a part that is loaded (window/head.c, command/window.c). */
#ifndef WINDOWS_H
#define WINDOWS_H

#include "cms.h"

struct windows_part {
    int (*command)(const struct call *call, const char *command);
    int (*set)(const struct call *call, u32 words);
    int (*query)(const struct call *call);
};

#endif
