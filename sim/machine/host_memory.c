/* host_memory.c: what the simulator asks of the machine it runs on. */
#define _DEFAULT_SOURCE /* madvise */
#include "sim.h"
#include "host_memory.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE        ((size_t)4096)
#define WORTH_PARTS ((size_t)16 << 20) /* bytes */
enum { MOST_PARTS = 4 };

double host_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int host_cores(void)
{
    static _Atomic int known; /* each look reads a file */
    if (known) return known;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    const int n = online < 1 ? 1 : online > 4096 ? 4096 : (int)online;
    known = n;
    return n;
}

/* ---- much memory at once ---- */

/* of a piece of memory, for one thread */
typedef struct part {
    char *to;
    const char *from; /* NULL: zero a byte of each page, so that the page exists */
    size_t bytes;
} part;

static void *do_part(void *arg)
{
    const part *p = arg;
    if (p->from) memcpy(p->to, p->from, p->bytes);
    for (size_t at = 0; !p->from && at < p->bytes; at += PAGE) *(volatile char *)(p->to + at) = 0;
    return NULL;
}

/* On a few threads: most of the time goes into making pages. */
static void in_parts(char *to, const char *from, size_t bytes)
{
    part parts[MOST_PARTS];
    pthread_t threads[MOST_PARTS];
    int n = bytes < WORTH_PARTS ? 1 : host_cores() < MOST_PARTS ? host_cores() : MOST_PARTS, made = 0;
    size_t each = (bytes / (size_t)n + PAGE) & ~(PAGE - 1);
    for (size_t at = 0; at < bytes; at += each)
        parts[made++] = (part){to + at, from ? from + at : NULL, bytes - at < each ? bytes - at : each};
    for (int i = 1; i < made; i++)
        if (pthread_create(&threads[i], NULL, do_part, &parts[i])) do_part(&parts[i]), parts[i].bytes = 0;
    if (made) do_part(&parts[0]);
    for (int i = 1; i < made; i++)
        if (parts[i].bytes) pthread_join(threads[i], NULL);
}

void host_copy(void *to, const void *from, size_t bytes) { in_parts(to, from, bytes); }

void host_large_pages(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t from = ((uintptr_t)memory + PAGE - 1) & ~(uintptr_t)(PAGE - 1),
                    to = ((uintptr_t)memory + bytes) & ~(uintptr_t)(PAGE - 1);
    /* only a hint: it may fail */
    if (memory && bytes >= HOST_LARGE_PAGE && to > from) madvise((void *)from, to - from, MADV_HUGEPAGE);
#else
    (void)memory, (void)bytes;
#endif
}

void *host_lines(size_t count, size_t each)
{
    if (each && count > SIZE_MAX / 2 / each) return NULL;
    return aligned_alloc(HOST_ALIGN, (count * each / HOST_ALIGN + 1) * HOST_ALIGN);
}

void *host_apart(size_t count, size_t each)
{
    void *p = host_lines(count, each);
    if (p) memset(p, 0, count * each);
    return p;
}

void *host_table(size_t count, size_t each)
{
    enum { LARGE = 128 << 10 };
    return each && count > LARGE / each ? calloc(count, each) : host_apart(count, each);
}

/* ---- memory kept between launches ---- */

enum { POOL_MOST = 128 << 20 /* bytes */, POOL_SMALL = 64 << 10 };
#define POOL_PIECES ((int)(sizeof((host_pool *)0)->piece / sizeof(void *)))

/* Its size stands before each piece. */
static size_t *size_of(void *memory) { return (size_t *)(void *)((char *)memory - HOST_ALIGN); }
static void drop(void *memory) { free((char *)memory - HOST_ALIGN); }

void host_pool_open(host_pool *p) { pthread_mutex_init(&p->lock, NULL); }

static void empty(host_pool *p)
{
    while (p->count) drop(p->piece[--p->count]);
    p->bytes = 0;
}

void host_pool_close(host_pool *p)
{
    empty(p);
    pthread_mutex_destroy(&p->lock);
}

void *host_pool_take(host_pool *p, size_t bytes, bool sparse)
{
    void *found = NULL;
    int best = -1;
    if (bytes > SIZE_MAX / 2) return NULL;
    pthread_mutex_lock(&p->lock);
    for (int i = 0; i < p->count; i++) {
        const size_t has = *size_of(p->piece[i]);
        if (has >= bytes && has / 2 <= bytes + POOL_SMALL && (best < 0 || has < *size_of(p->piece[best]))) best = i;
    }
    if (best >= 0) {
        found = p->piece[best];
        p->piece[best] = p->piece[--p->count];
        p->bytes -= *size_of(found);
    }
    pthread_mutex_unlock(&p->lock);
    if (found) return found;
    const size_t room = (bytes / HOST_ALIGN + 1) * HOST_ALIGN;
    char *new = aligned_alloc(HOST_ALIGN, HOST_ALIGN + room);
    if (!new) { /* what is kept may be what is missing */
        pthread_mutex_lock(&p->lock);
        empty(p);
        pthread_mutex_unlock(&p->lock);
        new = aligned_alloc(HOST_ALIGN, HOST_ALIGN + room);
    }
    if (!new) return NULL;
    if (!sparse) host_large_pages(new, HOST_ALIGN + room);
    *(size_t *)(void *)new = room;
    return new + HOST_ALIGN;
}

void host_pool_give(host_pool *p, void *memory)
{
    if (!memory) return;
    pthread_mutex_lock(&p->lock);
    const size_t has = *size_of(memory);
    const bool keep = p->count < POOL_PIECES && p->bytes + has <= POOL_MOST;
    if (keep) {
        p->piece[p->count++] = memory;
        p->bytes += has;
    }
    pthread_mutex_unlock(&p->lock);
    if (!keep) drop(memory);
}

void *sim_host_memory(size_t bytes)
{
    const size_t align = bytes < HOST_LARGE_PAGE ? HOST_ALIGN : HOST_LARGE_PAGE; /* the last page whole */
    if (bytes > SIZE_MAX / 2) return NULL;
    void *p = aligned_alloc(align, (bytes / align + 1) * align);
    if (!p || bytes < WORTH_PARTS) return p;
    host_large_pages(p, (bytes / align + 1) * align);
    in_parts(p, NULL, bytes);
    return p;
}
