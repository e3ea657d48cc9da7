/* host_memory.h: what the simulator asks of the machine it runs on. */
#ifndef SIM_HOST_MEMORY_H
#define SIM_HOST_MEMORY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { HOST_ALIGN = 64 };
#define HOST_LARGE_PAGE \
    ((size_t)2          \
     << 20) /* on most hosts: fewer pages are found sooner, which counts where a kernel strides through its memory */

double host_seconds(void); /* of a monotonic clock */
int host_cores(void);
/* Zeroed. Data of different threads begins with this, so that they share no line of the host's
 * caches. NULL: out of memory */
#define HOST_APART _Alignas(HOST_ALIGN)
void *host_apart(size_t count, size_t each);
void *host_lines(size_t count, size_t each); /* the same, not zeroed */
/* Zeroed, for one thread's writes: a large table takes memory only where it is used. NULL: out of
 * memory */
void *host_table(size_t count, size_t each);
/* Memory that one launch leaves to the next: what the host has just made pages for is not taken anew. Any thread may
 * call. */
typedef struct host_pool {
    pthread_mutex_t lock;
    void *piece[64];
    int count;
    size_t bytes;
} host_pool;
void host_pool_open(host_pool *p);
void host_pool_close(host_pool *p);
/* At a line's beginning, not zeroed. `sparse`: most of it will not be used. NULL: out of memory */
void *host_pool_take(host_pool *p, size_t bytes, bool sparse);
void host_pool_give(host_pool *p, void *memory); /* NULL: nothing */
/* a hint: all of it will be used, and large pages come faster */
void host_large_pages(void *memory, size_t bytes);
void host_copy(void *to, const void *from, size_t bytes); /* on several threads if large */

/* A hint: the data there will be needed soon. */
static inline void host_fetch(const void *at)
{
#if defined(__GNUC__)
    __builtin_prefetch(at);
#else
    (void)at;
#endif
}

#endif
