/* queue.h: the warps of one scheduler by when they can issue.
 *
 * A warp is a bit, and its time stands in a table. Who is ready at a clock, and when the next one will be, comes from going through the table
 * without a branch, which the host does 8 or 16 entries at a time; and only when the first of them has become ready. Times in the table
 * are whole clocks from `base` in 32 bits, so that many fit into one register of the host; `base` moves on long before they run
 * out. All of it stands here, because it is what a timed launch does most.
 */
#ifndef SIM_QUEUE_H
#define SIM_QUEUE_H

#include "time.h"

enum { QUEUE_PLACES = 64, QUEUE_NONE = INT32_MAX, QUEUE_LAST = INT32_MAX - 1, QUEUE_BASE_STAYS = 1 << 30 };

typedef struct queue {
    int32_t at[QUEUE_PLACES]; /* by bit: clocks from base; QUEUE_LAST: that or later; QUEUE_NONE: does not wait here */
    clocks when[QUEUE_PLACES]; /* the same, from the beginning */
    uint64_t ready;            /* those that could issue when it was last gone through, or were put since */
    clocks base, now;          /* now: when that was */
    clocks first;              /* when the next one becomes ready, of the others */
    uint32_t places;
} queue;

/* Nobody waits. Its clock is not set back. */
static inline void queue_init(queue *q, uint32_t places)
{
    for (int i = 0; i < QUEUE_PLACES; i++) q->at[i] = QUEUE_NONE;
    q->first = INT64_MAX;
    q->ready = 0;
    q->places = places;
}

static inline int queue_low_bit(uint64_t v)
{
#if defined(__GNUC__)
    return __builtin_ctzll(v);
#else
    int n = 0;
    while (!(v >> n & 1)) n++;
    return n;
#endif
}

static inline int32_t queue_place(const queue *q, clocks when)
{
    const clocks at = when - q->base;
    return at < 0 ? 0 : at > QUEUE_LAST ? QUEUE_LAST : (int32_t)at;
}

static inline void queue_put(queue *q, int bit, clocks when)
{
    q->when[bit] = when;
    q->at[bit] = queue_place(q, when);
    if (when <= q->now) q->ready |= UINT64_C(1) << bit;
    else if (when < q->first) q->first = when;
}

/* One that was ready issues. */
static inline void queue_take(queue *q, int bit)
{
    q->at[bit] = QUEUE_NONE;
    q->ready &= ~(UINT64_C(1) << bit);
}

#if defined(__GNUC__)
typedef int32_t queue_eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t queue_four __attribute__((vector_size(16), aligned(4), may_alias));
typedef union queue_lanes {
    queue_eight all;
    queue_four half[2];
    int32_t each[8];
} queue_lanes;
#endif

/* Of the `count` entries from `at` on, eight or more: who is ready `now`, as bits; the first of the others. */
static inline uint32_t queue_scan(const int32_t *at, int count, int32_t now, int32_t *first)
{
    static const int32_t bits[32] = {1,       1 << 1,  1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,  1 << 8,  1 << 9,  1 << 10,
                                     1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20, 1 << 21,
                                     1 << 22, 1 << 23, 1 << 24, 1 << 25, 1 << 26, 1 << 27, 1 << 28, 1 << 29, 1 << 30, INT32_MIN};
    queue_lanes ready = {.each = {0}}, next;
    next.all = (queue_eight){*first, *first, *first, *first, *first, *first, *first, *first};
    for (int i = 0; i < count; i += 8) {
        const queue_eight a = *(const queue_eight *)(at + i), due = a <= now, later = a | (due & QUEUE_NONE), less = later < next.all;
        ready.all |= *(const queue_eight *)(bits + i) & due;
        next.all = (later & less) | (next.all & ~less);
    }
    const queue_four low = next.half[0] < next.half[1];
    next.half[0] = (next.half[0] & low) | (next.half[1] & ~low);
    ready.half[0] |= ready.half[1];
    const int32_t a = next.each[0] < next.each[1] ? next.each[0] : next.each[1], b = next.each[2] < next.each[3] ? next.each[2] : next.each[3];
    *first = a < b ? a : b;
    return (uint32_t)(ready.each[0] | ready.each[1] | ready.each[2] | ready.each[3]);
}

static inline void queue_rebase(queue *q, clocks to)
{
    q->base = to;
    for (int i = 0; i < QUEUE_PLACES; i++)
        if (q->at[i] != QUEUE_NONE) q->at[i] = queue_place(q, q->when[i]);
}

/* Somebody may have become ready. */
static inline void queue_pass(queue *q, clocks to)
{
    if (to - q->base > QUEUE_BASE_STAYS) queue_rebase(q, to);
    const int32_t now = (int32_t)(to - q->base);
    int32_t first = QUEUE_NONE;
    q->now = to;
    if (q->places <= 16) q->ready = queue_scan(q->at, 16, now, &first);
    else q->ready = queue_scan(q->at, 32, now, &first);
    if (q->places > 32) q->ready |= (uint64_t)queue_scan(q->at + 32, 32, now, &first) << 32;
    q->first = first == QUEUE_NONE ? INT64_MAX : q->base + first;
}

/* Until the first one becomes ready nothing is to be done. */
static inline void queue_advance(queue *q, clocks to)
{
    if (to >= q->first) queue_pass(q, to);
}

/* When one can issue, from `at` on, to which the queue has been advanced. */
static inline clocks queue_next(const queue *q, clocks at) { return q->ready ? at : q->first; }

#endif
