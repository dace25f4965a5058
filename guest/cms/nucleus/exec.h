/*
 * REXX programs that are no execs: the filters of pipelines have an exec's surroundings, but for what they change of
 * them (exec.c).
 */
#ifndef EXEC_H
#define EXEC_H

#include "../rexx/rexx.h"
#include "cms.h"

/* What an exec has to have of the stack: with less the command ends. */
enum { EXEC_STACK = 0x8000 };

extern const struct rexx_host exec_host;
bool exec_exists(const name fn, const name ft);          /* in storage, in the installation segment, or on a disk */
bool exec_load(const name fn, const name ft, struct rexx_program *program);
void exec_unload(struct rexx_program *program);
int exec_run(const name fn, const name ft, const char *environment, const char *arguments, u32 length);

#endif
