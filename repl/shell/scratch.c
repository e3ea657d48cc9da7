/* scratch.c: see scratch.h. In each folder lies a file that its process holds locked (fcntl): the
 * lock goes with the process, however that ends, and so a folder whose lock can be had belongs to
 * nobody. A process number in the name would not do: another process may have the same today.
 *
 * Where a folder was made but is not locked yet, whoever cleans up may take it: its maker notices,
 * and makes another. */
#include "scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "warpstep-"
#define LOCK   "lock"
enum { RANDOM = 6, DEEP = 4, DAY = 24 * 60 * 60 };

static bool take(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_SETLK, &lock) == 0;
}

/* All that lies in the folder but its lock; `fd` is closed. */
static void empty(int fd, int depth)
{
    DIR *d = fdopendir(fd);
    if (!d) {
        close(fd);
        return;
    }
    for (const struct dirent *e; (e = readdir(d));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || (depth == DEEP && !strcmp(e->d_name, LOCK)))
            continue;
        int below = depth ? openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
        if (below >= 0) empty(below, depth - 1);
        unlinkat(fd, e->d_name, below >= 0 ? AT_REMOVEDIR : 0);
    }
    closedir(d);
}

static void remove_all(int base, const char *name)
{
    int fd = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), again = fd < 0 ? -1 : dup(fd);
    if (again >= 0) empty(again, DEEP);
    if (fd < 0) return;
    unlinkat(fd, LOCK, 0);
    close(fd);
    unlinkat(base, name, AT_REMOVEDIR);
}

/* A folder of this user whose process is gone. One without a lock may be about to get it, or is an
 * earlier version's: a day is enough. */
static void remove_left(int base, const char *name)
{
    struct stat s;
    bool left;
    int fd = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return;
    if (fstat(fd, &s) == 0 && s.st_uid == geteuid()) {
        int lock = openat(fd, LOCK, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (lock >= 0) left = take(lock);
        else left = errno == ENOENT && time(NULL) - s.st_mtime > DAY;
        if (left) remove_all(base, name); /* while the lock is ours */
        if (lock >= 0) close(lock);
    }
    close(fd);
}

static void clean_up(const char *base)
{
    int fd = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC), own = fd < 0 ? -1 : dup(fd);
    DIR *d = own < 0 ? NULL : fdopendir(own);
    for (const struct dirent *e; d && (e = readdir(d));) {
        const char *random = e->d_name + sizeof PREFIX - 1;
        static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
        if (strncmp(e->d_name, PREFIX, sizeof PREFIX - 1) || strlen(random) != RANDOM ||
            strspn(random, letters) != RANDOM)
            continue;
        remove_left(fd, e->d_name);
    }
    if (d) closedir(d);
    else if (own >= 0) close(own);
    if (fd >= 0) close(fd);
}

/* The folder's lock, made and held. -1: with errno 0, somebody cleaned the folder up before it was.
 */
static int hold(const char *path)
{
    char name[PATH_MAX];
    struct stat s;
    snprintf(name, sizeof name, "%.4000s/" LOCK, path);
    int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        if (errno == ENOENT) errno = 0;
        return -1;
    }
    bool held = take(fd);
    if (!held && errno != EAGAIN && errno != EACCES) {
        unlink(name); /* a file system without locks: only its age tells when it is nobody's */
        return fd;
    }
    if (held && fstat(fd, &s) == 0 && s.st_nlink > 0) return fd;
    close(fd);
    errno = 0;
    return -1;
}

int scratch_make(const char *base, char *path, size_t size)
{
    static bool cleaned;
    if (!cleaned) clean_up(base);
    cleaned = true;
    for (int tries = 0; tries < 10; tries++) {
        int n = snprintf(path, size, "%s/" PREFIX "XXXXXX", base);
        if (n < 0 || (size_t)n >= size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        if (!mkdtemp(path)) return -1;
        int held = hold(path);
        if (held >= 0) return held;
        int why = errno;
        rmdir(path);
        errno = why;
        if (why) return -1;
    }
    errno = EBUSY;
    return -1;
}

void scratch_remove(const char *path, int held)
{
    remove_all(AT_FDCWD, path);
    if (held >= 0) close(held);
}
