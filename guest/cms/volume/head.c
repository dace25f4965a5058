/* What the nucleus calls of this part (command/listds.c, command/cpfmtxa.c), at its beginning. */
#include "volume.h"

/* First of the part (nucleus/part.ld). */
const struct volumes_part head __attribute__((section(".head"), used)) = { list_volume, format_volume };
