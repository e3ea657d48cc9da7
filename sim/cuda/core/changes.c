/* changes.c: what a launch changes in the memory of its card, to be made again without running it.
 *
 * A copy of all memory before the launch is compared with what is there after it, by PAGE bytes.
 * Only what differs is kept.
 *
 * Programs that measure make the same few launches over and over, and look at memory when they are
 * done. So changes to be made again are put off until somebody looks (changes_settle): the host that
 * takes the device, a copy, a launch that runs. What is put off a second time need not be made the
 * first time, since it would write the same bytes again.
 */
#include "core.h"
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };
#define COPY_MOST (UINT64_C(512) << 20) /* bytes of memory that are copied */
#define KEPT_MOST (UINT64_C(512) << 20) /* bytes of changes that are kept, of all launches */

static uint64_t bytes_kept; /* under core_lock */

typedef struct piece {
    uint64_t address, bytes;
    struct piece *next; /* its bytes follow */
} piece;

struct memory_copy {
    piece *first;
};

struct changes {
    piece *first;
    uint64_t bytes;
};

static unsigned char *bytes_of(piece *p) { return (unsigned char *)(p + 1); }

static void free_pieces(piece *p)
{
    while (p) {
        piece *next = p->next;
        free(p);
        p = next;
    }
}

/* Puts another piece where `end` points; false: no memory. */
static bool add_piece(piece **end, uint64_t address, const void *data, uint64_t bytes)
{
    piece *p = malloc(sizeof *p + bytes);
    if (!p) return false;
    *p = (piece){address, bytes, NULL};
    memcpy(bytes_of(p), data, bytes);
    *end = p;
    return true;
}

void memory_copy_free(struct memory_copy *m)
{
    if (!m) return;
    free_pieces(m->first);
    free(m);
}

/* NULL: there is too much, or no room for it. */
struct memory_copy *memory_copy_make(device *d)
{
    changes_settle(d);
    if (sim_bytes_in_use(d->s) > COPY_MOST) return NULL;
    struct memory_copy *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    piece **end = &m->first;
    sim_buffer b;
    for (uint64_t at = 0; sim_buffer_from(d->s, at, &b); at = b.address + b.bytes) {
        if (!add_piece(end, b.address, b.memory, b.bytes)) {
            memory_copy_free(m);
            return NULL;
        }
        end = &(*end)->next;
    }
    return m;
}

void changes_free(struct changes *c)
{
    if (!c) return;
    pthread_mutex_lock(&core_lock);
    bytes_kept -= c->bytes;
    pthread_mutex_unlock(&core_lock);
    free_pieces(c->first);
    free(c);
}

static bool may_keep(uint64_t bytes)
{
    pthread_mutex_lock(&core_lock);
    const bool fits = bytes_kept + bytes <= KEPT_MOST;
    if (fits) bytes_kept += bytes;
    pthread_mutex_unlock(&core_lock);
    return fits;
}

/* The parts of one buffer that differ, each as long as it goes. */
static bool add_changes(struct changes *c, piece ***end, piece *before, const unsigned char *now)
{
    const unsigned char *old = bytes_of(before);
    uint64_t from = 0, to = 0;
    for (uint64_t at = 0; at < before->bytes || from < to; at += PAGE) {
        const uint64_t left = at < before->bytes ? before->bytes - at : 0, n = left < PAGE ? left : PAGE;
        if (n && memcmp(old + at, now + at, n)) {
            if (from == to) from = at;
            to = at + n;
            continue;
        }
        if (from < to) {
            if (!may_keep(to - from)) return false;
            c->bytes += to - from;
            if (!add_piece(*end, before->address + from, now + from, to - from)) return false;
            *end = &(**end)->next;
        }
        from = to = 0;
    }
    return true;
}

/* What is another now than in the copy; NULL: too much, or memory was given or taken since. */
struct changes *changes_since(const device *d, const struct memory_copy *m)
{
    struct changes *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    piece **end = &c->first, *before = m->first;
    sim_buffer b;
    for (uint64_t at = 0; sim_buffer_from(d->s, at, &b); at = b.address + b.bytes, before = before->next)
        if (!before || before->address != b.address || before->bytes != b.bytes ||
            !add_changes(c, &end, before, b.memory))
            goto none;
    if (!before) return c;
none:
    changes_free(c);
    return NULL;
}

/* Memory is in the state in which the launch found it: leaves it as the launch did. */
void changes_repeat(device *d, const struct changes *c)
{
    int n = 0;
    for (int i = 0; i < d->late_count; i++)
        if (d->late[i] != c) d->late[n++] = d->late[i];
    d->late_count = n;
    if (n == LATE_MOST) changes_settle(d);
    d->late[d->late_count++] = c;
    if (d->host_memory) changes_settle(d); /* it looks without asking */
}

/* Makes what was put off. The caller has the device. */
void changes_settle(device *d)
{
    sim_error err;
    for (int i = 0; i < d->late_count; i++)
        for (piece *p = d->late[i]->first; p; p = p->next) sim_write(d->s, p->address, bytes_of(p), p->bytes, &err);
    d->late_count = 0;
}
