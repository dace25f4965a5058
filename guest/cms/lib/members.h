/*
 * Libraries (MACLIB, TXTLIB) as they lie on a disk: F files of 80-byte records, laid out like this by this system.
 *
 * The first record says where the directory is and how many names it has; then come the members, one after the other,
 * and then the directory: five names a record, each with the first record of its member and how many there are.
 */
#ifndef MEMBERS_H
#define MEMBERS_H

#include "../edf/edf.h"

enum { LIBRARY_CARD = 80, MEMBERS_OF_CARD = 5, MEMBER_ENTRY = 16 };

/* A name in a library's directory; a member of a TXTLIB may have several. */
struct member { char name[8]; u32 first, count; };

/* members.c */
/* false: it is no library's first record. */
bool library_described(const u8 card[LIBRARY_CARD], u32 *directory, u32 *members);
void library_header(u8 card[LIBRARY_CARD], u32 directory, u32 members);
void library_member_at(const u8 *at, struct member *member);
void library_entry(u8 *at, const struct member *member);
void library_delimiter(u8 card[LIBRARY_CARD]);   /* what follows a macro or a member for COPY */

#endif
