/* scratch.h: a private temporary folder that is removed with its process. */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <stddef.h>

/* Makes a folder in `base` that no other user can enter, and puts its path in `path`. Returns a
 * descriptor to keep open while the folder is used. -1: errno says why. First removes what killed
 * processes of this user left in `base`. */
int scratch_make(const char *base, char *path, size_t size);
/* Removes the folder with its contents. Links are not followed. */
void scratch_remove(const char *path, int held);

#endif
