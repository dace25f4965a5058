/* The functions of the table of stages, by file. */
#ifndef PIPE_STAGES_H
#define PIPE_STAGES_H

#include "pipe.h"

stage_function literal_stage, strliteral_stage, hole_stage, console_stage;     /* basic.c */
stage_function pipestop_stage;                                                 /* dispatch.c */

#endif
