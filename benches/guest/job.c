/* (j) gzip -9 of 64 MiB  (k) a shell that starts 2,000 programs  (l) two independent jobs at once.
 * The first two are busybox's in a guest, and the host's own programs where there is no busybox. */
#include "bench.h"
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char *w) { perror(w); exit(3); }

/* runs a program to its end, its output dropped */
static void run(const char *name, char *const argv[])
{
    pid_t p = fork();
    if (p < 0)
        die("fork");
    if (p == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 1);
        if (access("/bin/busybox", X_OK) == 0)
            execv("/bin/busybox", argv);
        execvp(name, argv);
        _exit(127);
    }
    int st;
    if (waitpid(p, &st, 0) != p || st)
        die(name);
}

/* 64 MiB of words of a vocabulary, as texts have them */
double b_gzip64(uint64_t *check)
{
    char path[] = "/tmp/bench-gzip-XXXXXX", words[4096][12];
    static char block[1 << 16];
    uint64_t s = 4711;
    for (int i = 0; i < 4096; i++) {
        int len = 2 + (int)(rnd(&s) >> 33) % 9;
        for (int k = 0; k < len; k++)
            words[i][k] = (char)('a' + (rnd(&s) >> 40) % 26);
        words[i][len] = 0;
    }
    int f = mkstemp(path);
    if (f < 0)
        die(path);
    for (int b = 0; b < 1024; b++) {
        size_t at = 0;
        while (at < sizeof block) {
            uint64_t r = rnd(&s) >> 33;
            const char *w = words[r & 4095];
            while (*w && at < sizeof block)
                block[at++] = *w++;
            if (at < sizeof block)
                block[at++] = r >> 12 & 7 ? ' ' : '\n';
        }
        if (write(f, block, sizeof block) != (ssize_t)sizeof block)
            die("write");
    }
    close(f);
    double t0 = now();
    run("gzip", (char *[]){ "gzip", "-9", "-c", path, NULL });
    double t = now() - t0;
    unlink(path);
    (void)check;
    return t;
}

double b_shell2000(uint64_t *check)
{
    char path[4096], script[4300];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 16);
    char *s = n > 0 ? (path[n] = 0, strrchr(path, '/')) : NULL;
    if (!s)
        die("readlink");
    strcpy(s + 1, "tiny");
    snprintf(script, sizeof script, "i=0; while [ $i -lt 2000 ]; do '%s'; i=$((i+1)); done", path);
    double t0 = now();
    run("sh", (char *[]){ "sh", "-c", script, NULL });
    (void)check;
    return now() - t0;
}

/* wall time of two processes that have nothing to do with each other */
double b_twojobs(uint64_t *check)
{
    double t0 = now();
    for (int i = 0; i < 2; i++) {
        pid_t p = fork();
        if (p < 0)
            die("fork");
        if (p == 0) {
            uint64_t h;
            b_intmix(&h);
            b_sha256(&h);
            _exit(0);
        }
    }
    for (int i = 0; i < 2; i++)
        wait(NULL);
    (void)check;
    return now() - t0;
}
