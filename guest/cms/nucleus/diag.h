/* DIAG and DIAGRC of execs (diag.c). */
#ifndef DIAG_H
#define DIAG_H

#include "../rexx/rexx.h"
#include "cms.h"

enum rexx_outcome diagnose(struct rexx *rexx, const struct rexx_arguments *arguments, bool with_code);

#endif
