/* Functions of execs that are programs (routine.c). */
#ifndef ROUTINE_H
#define ROUTINE_H

#include "cms.h"
#include "../rexx/rexx.h"

enum rexx_outcome call_routine(struct rexx *rexx, enum rexx_search when, const struct rexx_text *name,
                               const struct rexx_arguments *arguments);

#endif
