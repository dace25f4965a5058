/*
 * Between the two halves of the host's assembler: the assembler's surroundings in EBCDIC (host.c), the host's world in
 * ASCII (main.c).
 */
#ifndef HOST_H
#define HOST_H

#include <stdbool.h>
#include <stdint.h>

struct lines;
void lines_add(struct lines *lines, const char *record, uint32_t length);
struct lines *host_lines(void);
bool host_member(const char *name, uint32_t length, struct lines *to);
void host_card(const uint8_t card[80]);
void host_line(const char *line, uint32_t length);
uint32_t host_assemble(const struct lines *source, bool quietly, uint32_t steps);
void host_forget(void);

#endif
