/* Line input and output of execs (streamio.c). */
#ifndef STREAMIO_H
#define STREAMIO_H

#include "../rexx/rexx.h"
#include "cms.h"
#include "exec.h"

enum rexx_outcome stream_linein(void *context, struct rexx *rexx, const struct rexx_arguments *arguments);
enum rexx_outcome stream_lineout(void *context, struct rexx *rexx, const struct rexx_arguments *arguments);
enum rexx_outcome stream_lines(void *context, struct rexx *rexx, const struct rexx_arguments *arguments);
enum rexx_outcome stream_stream(void *context, struct rexx *rexx, const struct rexx_arguments *arguments);
void streams_forget(void);                               /* the command that was typed has ended */

#endif
