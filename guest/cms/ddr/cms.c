/* DDR under CMS: DDR MODULE, a program for the C library. Channel programs go by DIAGNOSE X'A8' (nucleus/channel.c). */
#include "../sdk/cmslib.h"
#include "ddr.h"

enum { RECORD_MOST = 80, SHORT_BUFFER = 8, NO_STORAGE = 104, NO_FILE = 28 };

static struct cms_file statements;
static bool from_file;

/* sdk/start.S */
int call_cms(void *plist, void *eplist, uint32_t type);

/* nucleus/channel.c */
int channel_io(u16 vdev, void *format_1_ccws, u16 *residual);
extern u8 channel_sense[8];

enum io host_io(u16 device, struct ccw *ccws, u32 *left)
{
    u16 residual = 0;
    int code = channel_io(device, ccws, &residual);

    *left = residual;
    if (code == 13)
        memcpy(host_sense, channel_sense, sizeof channel_sense);
    return code == 0 ? IO_DONE : code == 1 ? IO_ABSENT : code == 2 ? IO_EXCEPTION : code == 13 ? IO_CHECK : IO_ERROR;
}

void host_type(const char *text, u32 length) { type_text(text, length); }
bool host_echoes(void) { return from_file; }

bool host_read(char line[80], u32 *length)
{
    char typed[131];

    if (from_file) {
        int code = file_read(&statements, line, RECORD_MOST, length);

        return code == 0 || code == SHORT_BUFFER;
    }
    *length = read_text(typed);
    if (*length > RECORD_MOST)
        *length = RECORD_MOST;
    memcpy(line, typed, *length);
    return true;
}

/* A disk that is accessed is released, and it is not told that one is not. */
void host_release(u16 device)
{
    char command[20];

    format(command, sizeof command, "RELEASE %x", device);
    (void)cms("SET CMSTYPE HT");
    (void)cms(command);
    (void)cms("SET CMSTYPE RT");
}

void host_print(u16 device, const char *text, u32 length)
{
    enum { WRITE_AND_SPACE = 0x09 };
    struct ccw ccw __attribute__((aligned(8))) = { WRITE_AND_SPACE, SLI, (u16)length, (u32)text };
    u32 left;
    enum io how = host_io(device, &ccw, &left);

    if (how != IO_DONE)
        io_failed(device, how, 0, 0);
}

void host_print_end(u16 device)
{
    char command[20];

    format(command, sizeof command, "CP CLOSE %x", device);
    (void)cms(command);
}

void host_wait(void) { (void)cms("CP SLEEP 1 SEC"); }

int main(int argc, char *argv[])
{
    struct job *job = get_pages(sizeof *job, false);
    int code;

    if (job == NULL)
        return NO_STORAGE;
    from_file = argc > 1;
    for (int n = 1; n < argc; n++)
        for (char *at = argv[n]; *at != 0; at++)
            *at = upper(*at);
    if (from_file) {
        file_name(&statements, argv[1], argc > 2 ? argv[2] : "", argc > 3 ? argv[3] : "*");
        memcpy(statements.function, "STATE   ", 8);
        if (argc < 3 || argc > 4 || call_cms(&statements, NULL, 0) != 0) {
            complain(719, 'E');
            return NO_FILE;
        }
    }
    ddr_begin();
    code = ddr(job);
    if (from_file)
        (void)file_close(&statements);
    return code;
}
