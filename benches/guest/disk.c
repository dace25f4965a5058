/* disk DEVICE   reads and writes a disk of at least 160 MB, which is overwritten, with nothing of it in storage at
 * first.
 * Prints, for each way:   bench NAME SECONDS
 *                         check NAME VALUE    (what was read) */
#include "bench.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BLOCK 4096L
#define CHUNK (64L * 1024)
#define BLKFLSBUF 0x1261

/* Where the two regions begin: what was read of one says nothing of the other. */
enum { FIRST = 4 * 1024 * 1024, LENGTH = 64 * 1024 * 1024, SECOND = FIRST + LENGTH };

static const char *name;
static char *page;

static void die(const char *what)
{
    fprintf(stderr, "disk: %s: %s: %s\n", name, what, strerror(errno));
    exit(3);
}

static int opened(int flags)
{
    int fd = open(name, flags);
    if (fd < 0)
        die("open");
    return fd;
}

static uint64_t sum(const char *p, long length)
{
    uint64_t h = 1;
    for (long i = 0; i < length; i += 512)
        h = mix(h, (unsigned char)p[i]);
    return h;
}

static void report(const char *what, double seconds, uint64_t check)
{
    printf("bench %s %.4f\n", what, seconds);
    printf("check %s %016llx\n", what, (unsigned long long)check);
    fflush(stdout);
}

/* As programs do it: through the system's own cache, which reads ahead and writes behind. */
static void sequential(const char *what, int write_it)
{
    int fd = opened(write_it ? O_RDWR : O_RDONLY);
    uint64_t h = 0;
    ioctl(fd, BLKFLSBUF, 0);
    double t = now();
    if (lseek(fd, FIRST, SEEK_SET) < 0)
        die("seek");
    for (long at = 0; at < LENGTH; at += CHUNK) {
        if (write_it) {
            memset(page, (int)(at / CHUNK), CHUNK);
            if (write(fd, page, CHUNK) != CHUNK)
                die("write");
        } else {
            if (read(fd, page, CHUNK) != CHUNK)
                die("read");
            h = mix(h, sum(page, CHUNK));
        }
    }
    if (write_it && fsync(fd))
        die("fsync");
    report(what, now() - t, h);
    close(fd);
}

/* Single blocks past the system's cache, somewhere in `length` bytes from `from` on. */
static void blocks(const char *what, int write_it, long from, long length, int count)
{
    int fd = opened((write_it ? O_RDWR : O_RDONLY) | O_DIRECT);
    uint64_t h = 0, s = 88172645463325252u;
    double t = now();
    for (int n = 0; n < count; n++) {
        long at = from + (long)(rnd(&s) % (uint64_t)(length / BLOCK)) * BLOCK;
        if (write_it) {
            memset(page, n, BLOCK);
            if (pwrite(fd, page, BLOCK, at) != BLOCK)
                die("write");
        } else {
            if (pread(fd, page, BLOCK, at) != BLOCK)
                die("read");
            h = mix(h, sum(page, BLOCK));
        }
    }
    report(what, now() - t, h);
    close(fd);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "disk DEVICE\n");
        return 2;
    }
    name = argv[1];
    if (posix_memalign((void **)&page, BLOCK, CHUNK))
        die("storage");
    memset(page, 0, CHUNK);
    sequential("seqread-cold", 0);
    blocks("randread-cold", 0, SECOND, LENGTH, 2000);
    sequential("seqread", 0);
    blocks("randread", 0, SECOND, LENGTH, 4000);
    sequential("seqwrite", 1);
    blocks("randwrite", 1, SECOND, LENGTH, 4000);
    blocks("roundtrip", 0, FIRST, BLOCK, 8000);
    return 0;
}
