/* A file of the editor's ring, for stages of pipelines (stage.c): where in it they are. */
#ifndef XEDIT_RINGFILE_H
#define XEDIT_RINGFILE_H

#include "../nucleus/cms.h"

/* `serial` tells this session from a later one, whose views may lie in the same place. */
struct ring_file { void *view; u32 serial; };

/* An empty name: the current file. False: there is no such file, or no editor. */
bool ring_file_find(const struct fileid *id, struct ring_file *file);
/* The line after the current one, which becomes the current one; false: there are no more. */
bool ring_file_next(struct ring_file *file, const char **text, u32 *length);
/* A line after the current one; a return code of the editor. */
int ring_file_add(struct ring_file *file, const char *text, u32 length);

#endif
