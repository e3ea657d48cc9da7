/* watcher.h: waits until a file may have changed. Linux reports changes in the file's folder; the
 * file itself is not enough, as editors replace files. Elsewhere, and on file systems that report
 * nothing, the caller looks twice a second. */
#ifndef WATCHER_H
#define WATCHER_H

typedef struct watcher {
    int fd; /* -1: nothing is reported */
} watcher;

void watcher_open(watcher *w, const char *path);
/* Returns after a change, half a second, or a signal. */
void watcher_wait(watcher *w);
void watcher_close(watcher *w);

#endif
