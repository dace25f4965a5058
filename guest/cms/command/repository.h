/* Message repositories of applications: their form in storage and in TEXT files, and which there are (repository.c). */
#ifndef REPOSITORY_H
#define REPOSITORY_H

#include "command.h"

/*
 * After the head the messages, in the order of their numbers, formats and lines, and a number 0: each a head of its own
 * and its text. In a TEXT file all of it is the text of one section.
 */
enum { SUBSTITUTIONS_MOST = 20, APPLICATION = 3 };
struct repository_head { char mark[8], application[APPLICATION], substitute; u8 digits, unused[3]; };
struct repository_line { u8 number[2], format, line, severity, length; };
_Static_assert(sizeof(struct repository_head) == 16 && sizeof(struct repository_line) == 6, "both are parts of files");
#define REPOSITORY_MARK "MESSAGES"

struct repository;
const struct repository_head *repository_of(const name application);
const struct repository_line *repository_next(const struct repository_head *head, const struct repository_line *line);

#endif
