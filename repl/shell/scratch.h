/* scratch.h: a temporary folder of our own, which goes with its process. */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <stddef.h>

/* Make one in `base`, which nobody else can enter: its path in `path`, and a descriptor that must
 * stay open as long as it is used. -1: errno says why not. What killed processes of this user left
 * in `base` goes first. */
int scratch_make(const char *base, char *path, size_t size);
/* Remove it with all that is in it. Links are not followed. */
void scratch_remove(const char *path, int held);

#endif
