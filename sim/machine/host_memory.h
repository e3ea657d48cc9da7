/* host_memory.h: what the simulator asks of the machine it runs on. */
#ifndef SIM_HOST_H
#define SIM_HOST_H

#include <stddef.h>

enum { HOST_ALIGN = 64 };
#define HOST_LARGE_PAGE \
    ((size_t)2          \
     << 20) /* of most hosts: fewer pages are soon found, which counts where a kernel strides through its memory */

double host_seconds(void); /* of a clock that only goes forward */
int host_cores(void);
/* Zeroed. What different threads write begins with this, so that they do not share a line of the
 * host's caches. NULL: out of memory */
#define HOST_APART _Alignas(HOST_ALIGN)
void *host_apart(size_t count, size_t each);
void *host_lines(size_t count, size_t each); /* the same, not zeroed */
/* Zeroed, for what one thread writes: a large one takes memory only where it is used. NULL: out of
 * memory */
void *host_table(size_t count, size_t each);
/* a hint: it will be used from end to end, and large pages come in faster */
void host_large_pages(void *memory, size_t bytes);
void host_copy(void *to, const void *from, size_t bytes); /* memcpy, on several threads when it is much */

/* A hint: what lies there will be needed soon. */
static inline void host_fetch(const void *at)
{
#if defined(__GNUC__)
    __builtin_prefetch(at);
#else
    (void)at;
#endif
}

#endif
