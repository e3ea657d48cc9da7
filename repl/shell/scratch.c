/* scratch.c: see scratch.h. Each folder holds a lock file that its process keeps locked (fcntl).
 * The lock ends with the process, however that ends: a folder whose lock is free belongs to nobody.
 * A process number in the name would not do, as another process may reuse it.
 *
 * A clean-up may remove a folder between its creation and its lock. Its maker notices that and
 * makes another. */
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

/* Removes everything in the folder except its lock; closes `fd`. */
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

/* Removes a folder of this user whose process is gone. A folder without a lock may be about to get
 * one, or comes from an earlier version: it is removed after a day. */
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
        if (left) remove_all(base, name); /* while we hold the lock */
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

/* Creates and takes the folder's lock. -1 with errno 0: a clean-up removed the folder first. */
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
        unlink(name); /* a file system without locks: a clean-up then goes by the folder's age */
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
