/* grade_class.c: a class's seed and secret.
 *
 * A student who knew the inputs for judging could hand in their results. So each class has its own
 * seed, drawn when its folder is first graded, and kept there in a file that others cannot read.
 * --seed replaces it. The file is written under a temporary name and then linked, so that of
 * several parts that start at once exactly one creates it, and none reads an incomplete file. */
#include "grade.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CLASS_FILE ".warpstep-class"
enum { CLASS_MOST = 400 };

static bool random_bytes(void *out, size_t bytes)
{
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    size_t got = 0;
    while (fd >= 0 && got < bytes) {
        ssize_t n = read(fd, (char *)out + got, bytes - got);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        got += (size_t)n;
    }
    if (fd >= 0) close(fd);
    return got == bytes;
}

static size_t write_text(char *out, size_t size, uint64_t seed, const unsigned char secret[DIGEST_BYTES])
{
    size_t n = (size_t)snprintf(out, size, "warpstep class 1\nseed %" PRIu64 "\nsecret ", seed);
    for (int i = 0; i < DIGEST_BYTES; i++) n += (size_t)snprintf(out + n, size - n, "%02x", secret[i]);
    n += (size_t)snprintf(out + n, size - n, "\n");
    n += (size_t)snprintf(out + n, size - n, "sum %08" PRIx32 "\n", digest_sum(out, n));
    return n;
}

/* False: write_text did not write this. */
static bool read_text(const char *text, size_t bytes, uint64_t *seed, unsigned char secret[DIGEST_BYTES])
{
    char again[CLASS_MOST], hex[2 * DIGEST_BYTES + 1];
    if (sscanf(text, "warpstep class 1\nseed %" SCNu64 "\nsecret %64[0-9a-f]\n", seed, hex) != 2 ||
        strlen(hex) != 2 * DIGEST_BYTES)
        return false;
    for (int i = 0; i < DIGEST_BYTES; i++) {
        unsigned byte;
        if (sscanf(hex + 2 * i, "%2x", &byte) != 1) return false;
        secret[i] = (unsigned char)byte;
    }
    return write_text(again, sizeof again, *seed, secret) == bytes && !memcmp(again, text, bytes);
}

/* Create the file in `dir` unless it exists. 0 or errno. */
static int make_file(const char *dir)
{
    char path[2300], temporary[2400], text[CLASS_MOST];
    unsigned char secret[DIGEST_BYTES];
    uint64_t seed;
    snprintf(path, sizeof path, "%s/" CLASS_FILE, dir);
    if (access(path, F_OK) == 0) return 0;
    if (!random_bytes(&seed, sizeof seed) || !random_bytes(secret, sizeof secret)) return EIO;
    seed = (seed >> 2) | 1; /* not 0, and in the range of --seed */
    size_t bytes = write_text(text, sizeof text, seed, secret);
    snprintf(temporary, sizeof temporary, "%s.%ld.tmp", path, (long)getpid());
    unlink(temporary); /* left by a killed process with the same number */
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return errno;
    int why = 0;
    ssize_t wrote = write(fd, text, bytes);
    if (wrote != (ssize_t)bytes) why = wrote < 0 ? errno : ENOSPC;
    if (fsync(fd) && !why) why = errno;
    if (close(fd) && !why) why = errno;
    if (!why && link(temporary, path) && errno != EEXIST) /* another part was first: its file counts */
        why = errno;
    unlink(temporary);
    return why;
}

static int open_file(const char *dir)
{
    char path[2300];
    snprintf(path, sizeof path, "%s/" CLASS_FILE, dir);
    return open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

int grade_class(grading *g)
{
    struct app *app = g->app;
    char text[CLASS_MOST + 1];
    uint64_t kept;
    struct stat st;
    g->seed = app->seed;
    if (app->seed && !g->word) return 0;
    const char *dir = g->dir;
    int fd = open_file(dir), why = 0;
    if (fd < 0 && errno == ENOENT && strcmp(g->dir, g->out)) {
        int made = open_file(g->out); /* if the class's folder is not writable */
        if (made >= 0) {
            fd = made;
            dir = g->out;
        }
        errno = made >= 0 ? 0 : ENOENT;
    }
    if (fd < 0 && errno == ENOENT) {
        why = make_file(dir);
        if ((why == EACCES || why == EROFS || why == EPERM) && strcmp(g->dir, g->out)) why = make_file(dir = g->out);
        if (why)
            return app_fail(app, EXIT_INTERNAL, "grade DIR --seed NUMBER --out FOLDER",
                            "%s/" CLASS_FILE " cannot be made, which keeps the seed of this class's inputs: %s", dir,
                            strerror(why));
        fd = open_file(dir);
    }
    ssize_t n = fd < 0 ? -1 : read(fd, text, CLASS_MOST);
    why = n < 0 ? errno : 0;
    bool plain = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    if (fd >= 0) close(fd);
    if (n < 0)
        return app_fail(app, EXIT_INTERNAL, "grade DIR --seed NUMBER", "%s/" CLASS_FILE " cannot be read: %s", dir,
                        strerror(why));
    text[n] = 0;
    if (!plain || !read_text(text, (size_t)n, &kept, g->secret))
        return app_fail(app, EXIT_INTERNAL, NULL,
                        "%s/" CLASS_FILE " is damaged, which keeps the seed of this class's inputs: bring it back, or "
                        "delete it, and all answers are judged anew on others",
                        dir);
    if (st.st_mode & 077)
        app_warn(app,
                 "%s/" CLASS_FILE " can be read by others: chmod 600 keeps the inputs that answers are judged on to "
                 "yourself",
                 dir);
    if (!app->seed) g->seed = kept;
    return 0;
}

uint64_t grade_exercise_seed(const grading *g, const grade_exercise *e, int attempt)
{
    char text[80];
    unsigned char key[8], mac[DIGEST_BYTES];
    uint64_t seed = 0;
    for (int i = 0; i < 8; i++) key[i] = (unsigned char)(g->seed >> 8 * i);
    int n = snprintf(text, sizeof text, "inputs %s %d", e->id, attempt);
    digest_mac(key, sizeof key, text, (size_t)n, mac);
    for (int i = 0; i < 6; i++) seed = seed << 8 | mac[i];
    return seed | 1; /* 48 bits, which every JSON reader can hold; 0 would mean none */
}
