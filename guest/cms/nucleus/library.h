/*
 * Libraries (MACLIB, TXTLIB): files of many members, and which of them GLOBAL has named.
 */
#ifndef LIBRARY_H
#define LIBRARY_H

#include "cms.h"
#include "../lib/members.h"

enum { LIBRARIES_MOST = 63 };

struct library { struct open_file *file; u32 directory, members; };

/* library.c */
int library_open(const struct fileid *id, struct library *library);   /* an EDF error; EDF_LENGTH: it is no library */
bool library_member(struct library *library, u32 number, struct member *member);
bool library_find(struct library *library, const name wanted, struct member *member);

/* What GLOBAL has named, by kind. */
enum library_kind { OF_MACLIB, OF_TXTLIB, OF_LOADLIB, OF_DOSLIB, LIBRARY_KINDS };
extern const char *const library_kinds[LIBRARY_KINDS];
extern struct globals { name name[LIBRARIES_MOST]; u32 count; } globals[LIBRARY_KINDS];

#endif
