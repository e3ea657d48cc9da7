/* watcher.h: waits until a file may have changed. Linux tells of changes in the file's folder
 * (editors replace files, so the file itself is not enough); elsewhere, and on file systems that
 * tell nothing, it looks twice a second. */
#ifndef WATCHER_H
#define WATCHER_H

typedef struct watcher {
    int fd; /* -1: nobody tells us */
} watcher;

void watcher_open(watcher *w, const char *path);
/* Returns after a change, half a second, or a signal. */
void watcher_wait(watcher *w);
void watcher_close(watcher *w);

#endif
