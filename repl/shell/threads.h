/* threads.h: work divided into shares, one per thread. */
#ifndef THREADS_H
#define THREADS_H

#include <stddef.h>

enum { THREADS_MOST = 8 };
int threads_here(void); /* cores of this machine, THREADS_MOST at most */
/* Do `work` with each of `count` shares (THREADS_MOST at most) of `size` bytes each. Shares for
 * which no thread can be started are done on this one. Returns the number of threads, including
 * this one. */
int threads_run(void *(*work)(void *), void *shares, size_t size, int count);

#endif
