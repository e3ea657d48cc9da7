/* threads.h: work that is cut into shares, one for each thread. */
#ifndef THREADS_H
#define THREADS_H

#include <stddef.h>

enum { THREADS_MOST = 8 };
int threads_here(void); /* cores of this machine, THREADS_MOST at most */
/* Do `work` with each of `count` shares (THREADS_MOST at most), which are `size` bytes each; what
 * gets no thread is done on this one. Returns how many threads there were, with this one. */
int threads_run(void *(*work)(void *), void *shares, size_t size, int count);

#endif
