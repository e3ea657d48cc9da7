/* queue.h: the warps of one scheduler, by when they can issue.
 *
 * A warp is a bit. Each of the next 63 clocks has a place on a wheel, with the bits of the warps
 * that become ready then. Another word says which places are not empty, so the next one is found
 * without a search. Warps that become ready later are far: they move to the wheel when the first of
 * them is near enough. A ready warp stays ready until it issues. All functions are inline, because
 * a timed launch calls nothing more often.
 */
#ifndef SIM_QUEUE_H
#define SIM_QUEUE_H

#include "time.h"

enum { QUEUE_PLACES = 64 /* warps; places of the wheel */ };

typedef struct queue {
    uint64_t ready; /* could issue at `now` */
    uint64_t taken; /* places of the wheel that are not empty, by the last bits of their clock */
    uint64_t far;   /* neither ready nor on the wheel */
    clocks now;
    clocks first_far; /* when the first of these becomes ready */
    uint64_t wheel[QUEUE_PLACES];
    clocks when[QUEUE_PLACES]; /* by bit */
} queue;

/* Empties it. Its clock is not set back. */
static inline void queue_init(queue *q)
{
    q->ready = q->taken = q->far = 0;
    q->first_far = INT64_MAX;
    memset(q->wheel, 0, sizeof q->wheel);
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

static inline unsigned queue_place(clocks when) { return (unsigned)when % QUEUE_PLACES; }

static inline void queue_put(queue *q, int bit, clocks when)
{
    const clocks until = when - q->now;
    const uint64_t one = UINT64_C(1) << bit;
    q->when[bit] = when;
    if (until <= 0) {
        q->ready |= one;
    } else if (until < QUEUE_PLACES) {
        q->wheel[queue_place(when)] |= one;
        q->taken |= UINT64_C(1) << queue_place(when);
    } else {
        q->far |= one;
        if (when < q->first_far) q->first_far = when;
    }
}

/* A ready warp issues. */
static inline void queue_take(queue *q, int bit) { q->ready &= ~(UINT64_C(1) << bit); }

/* A warp leaves, wherever its bit is. */
static inline void queue_drop(queue *q, int bit)
{
    const uint64_t others = ~(UINT64_C(1) << bit);
    const unsigned place = queue_place(q->when[bit]);
    q->ready &= others;
    q->far &= others;
    q->wheel[place] &= others;
    if (!q->wheel[place]) q->taken &= ~(UINT64_C(1) << place);
}

/* The places that are not empty; the lowest bit is the next clock. */
static inline uint64_t queue_coming(const queue *q)
{
    const unsigned by = queue_place(q->now + 1);
    return q->taken >> by | q->taken << (QUEUE_PLACES - by) % QUEUE_PLACES;
}

/* Sorts the far ones again: some are near now. */
static inline void queue_bring_near(queue *q)
{
    uint64_t all = q->far;
    q->far = 0;
    q->first_far = INT64_MAX;
    for (; all; all &= all - 1) {
        const int bit = queue_low_bit(all);
        queue_put(q, bit, q->when[bit]);
    }
}

/* The clock goes on: more warps are ready. */
static inline void queue_advance(queue *q, clocks to)
{
    const clocks by = to - q->now;
    if (by <= 0) return;
    uint64_t due = queue_coming(q);
    if (by < QUEUE_PLACES) due &= (UINT64_C(1) << by) - 1;
    for (; due; due &= due - 1) {
        const unsigned place = queue_place(q->now + 1 + queue_low_bit(due));
        q->ready |= q->wheel[place];
        q->wheel[place] = 0;
        q->taken &= ~(UINT64_C(1) << place);
    }
    q->now = to;
    if (q->first_far - to < QUEUE_PLACES) queue_bring_near(q);
}

/* When one can issue, from `at` on; the queue has been advanced to `at`. */
static inline clocks queue_next(const queue *q, clocks at)
{
    if (q->ready) return at;
    return q->taken ? q->now + 1 + queue_low_bit(queue_coming(q)) : q->first_far;
}

#endif
