/* watcher.c: waits for a change of a file; see watcher.h. */
#include "watcher.h"
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/inotify.h>
#endif

void watcher_open(watcher *w, const char *path)
{
    w->fd = -1;
#ifdef __linux__
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash) *slash = 0;
    w->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (w->fd >= 0 && inotify_add_watch(w->fd, slash ? folder : ".", IN_CLOSE_WRITE | IN_MOVED_TO | IN_ATTRIB) < 0)
        watcher_close(w);
#else
    (void)path;
#endif
}

void watcher_wait(watcher *w)
{
    struct pollfd p = {.fd = w->fd, .events = POLLIN};
    /* changes that are not reported (a network file system) are seen half a second later */
    if (poll(&p, w->fd >= 0 ? 1 : 0, 500) <= 0) return;
    char events[4096];
    while (read(w->fd, events, sizeof events) > 0) continue;
}

void watcher_close(watcher *w)
{
    if (w->fd >= 0) close(w->fd);
    w->fd = -1;
}
