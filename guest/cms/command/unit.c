/* The virtual reader, punch and printer (00C, 00D, 00E), by DIAGNOSE X'A8'. */
#include "command.h"

enum { SLI = 0x20, READ = 0x02 };

struct ccw { u8 command, flags; u16 count; u32 address; };

/* Writes a card or a line; a record may be many, so HX is looked for at each. */
int unit_write(u16 vdev, u8 command, const char *text, u32 length)
{
    struct ccw ccw __attribute__((aligned(8))) = { command, SLI, (u16)(length == 0 ? 1 : length),
                                                   (u32)(length == 0 ? " " : text) };

    int code = channel_io(vdev, &ccw, NULL);

    attend();
    return code;
}

int unit_read(u16 vdev, char card[80], u32 *length)
{
    struct ccw ccw __attribute__((aligned(8))) = { READ, SLI, 80, (u32)card };
    u16 left = 0;
    int code = channel_io(vdev, &ccw, &left);

    *length = 80u - (left > 80 ? 80 : left);
    return code;
}

/* CP closes the file; printed and punched ones get the name of what they came from. */
void unit_close(u16 vdev, const char *how, const struct fileid *id)
{
    char line[64];
    u32 length = format(line, sizeof line, "CLOSE %03x%s", vdev, how);

    if (id != NULL)
        length += format(line + length, sizeof line - length, " NAME %t %t", id->fn, id->ft);
    cp_typed(line, length);
}
