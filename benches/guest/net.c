/* net ADDRESS PORT   moves bytes and asks things of a server of the bench's (xtask/src/bench/net.rs), by TCP.
 * The first byte of a connection says what it is for.
 * Prints, for each way:   bench-start NAME
 *                         bench NAME SECONDS
 *                         check NAME VALUE    (how many bytes or answers were right) */
#include "bench.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BLOCK = 64 * 1024, BLOCKS = 16 * 1024, ASKS = 5000, CALLS = 2000, AT_ONCE = 32, QUESTION = 64 };

static struct sockaddr_in server;
static char block[BLOCK], page[BLOCK];

static void die(const char *what)
{
    fprintf(stderr, "net: %s: %s\n", what, strerror(errno));
    exit(3);
}

static int opened(char purpose)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    if (fd < 0 || connect(fd, (struct sockaddr *)&server, sizeof server))
        die("connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (write(fd, &purpose, 1) != 1)
        die("write");
    return fd;
}

static void put(int fd, const char *from, long length)
{
    for (long done = 0; done < length;) {
        long n = write(fd, from + done, length - done);
        if (n <= 0)
            die("write");
        done += n;
    }
}

static void get(int fd, char *to, long length)
{
    for (long done = 0; done < length;) {
        long n = read(fd, to + done, length - done);
        if (n <= 0)
            die("read");
        done += n;
    }
}

static void start(const char *what)
{
    printf("bench-start %s\n", what);
    fflush(stdout);
    /* The bench looks at the processor's time then. */
    usleep(500000);
}

static void report(const char *what, double seconds, long check)
{
    printf("bench %s %.4f\n", what, seconds);
    printf("check %s %ld\n", what, check);
    fflush(stdout);
}

/* A gigabyte from the server, of which every byte is looked at. */
static void take(void)
{
    long right = 0;
    start("netget");
    double t = now();
    int fd = opened('G');
    for (int n = 0; n < BLOCKS; n++) {
        get(fd, page, BLOCK);
        right += memcmp(page, block, BLOCK) ? 0 : BLOCK;
    }
    close(fd);
    report("netget", now() - t, right);
}

/* A gigabyte to the server, which says how much of it was right. */
static void give(void)
{
    char answer[9] = "";
    start("netput");
    double t = now();
    int fd = opened('P');
    for (int n = 0; n < BLOCKS; n++)
        put(fd, block, BLOCK);
    get(fd, answer, 8);
    close(fd);
    report("netput", now() - t, (long)strtoul(answer, NULL, 16) * BLOCK);
}

/* One question after the other on one connection: the time of a round trip. */
static void ask(void)
{
    long right = 0;
    start("netask");
    double t = now();
    int fd = opened('A');
    for (int n = 0; n < ASKS; n++) {
        put(fd, block, QUESTION);
        get(fd, page, QUESTION);
        right += !memcmp(page, block, QUESTION);
    }
    close(fd);
    report("netask", now() - t, right);
}

/* Questions on many connections at once. */
static void many(void)
{
    struct pollfd all[AT_ONCE];
    long asked = 0, right = 0;
    start("netmany");
    double t = now();
    for (int n = 0; n < AT_ONCE; n++, asked++) {
        all[n] = (struct pollfd){ .fd = opened('A'), .events = POLLIN };
        put(all[n].fd, block, QUESTION);
    }
    for (long answered = 0; answered < 4 * ASKS;) {
        if (poll(all, AT_ONCE, -1) <= 0)
            die("poll");
        for (int n = 0; n < AT_ONCE; n++) {
            if (!all[n].revents)
                continue;
            get(all[n].fd, page, QUESTION);
            right += !memcmp(page, block, QUESTION);
            answered++;
            if (asked++ < 4 * ASKS)
                put(all[n].fd, block, QUESTION);
        }
    }
    for (int n = 0; n < AT_ONCE; n++)
        close(all[n].fd);
    report("netmany", now() - t, right);
}

/* A connection for each question. */
static void call(void)
{
    long right = 0;
    start("netcall");
    double t = now();
    for (int n = 0; n < CALLS; n++) {
        int fd = opened('A');
        put(fd, block, QUESTION);
        get(fd, page, QUESTION);
        right += !memcmp(page, block, QUESTION);
        close(fd);
    }
    report("netcall", now() - t, right);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    server.sin_family = AF_INET;
    server.sin_port = htons((unsigned short)atoi(argv[2]));
    if (!inet_aton(argv[1], &server.sin_addr))
        return 2;
    for (int i = 0; i < BLOCK; i++)
        block[i] = (char)(i * 31 + (i >> 8));
    ask();
    many();
    call();
    take();
    give();
    return 0;
}
