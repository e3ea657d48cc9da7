/* queue.h: the warps of one scheduler by when they can issue.
 *
 * A warp is a bit. Most become ready within a few clocks: those stand in a wheel of 64 clocks, a word each. The others, mostly
 * waiting for memory, stand apart and enter the wheel when their time is near. So picking the next warp is a matter of
 * a few bit operations, however many there are. All of it stands here, because it is what a timed launch does most.
 */
#ifndef SIM_QUEUE_H
#define SIM_QUEUE_H

#include "time.h"

typedef struct queue {
    uint64_t ready;    /* can issue at `now` */
    uint64_t at[64];   /* by clock modulo 64: become ready in the next 63 clocks */
    uint64_t occupied; /* which of those are not empty */
    uint64_t far;      /* become ready later */
    clocks now, far_first;
    const clocks *when; /* by bit, written before queue_put */
} queue;

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

static inline uint64_t queue_rotate(uint64_t v, unsigned by) { return v >> (by & 63) | v << (-by & 63); }

/* Bit k: somebody becomes ready at now + 1 + k. */
static inline uint64_t queue_ahead(const queue *q) { return queue_rotate(q->occupied, (unsigned)((q->now + 1) & 63)); }

static inline void queue_put(queue *q, int bit, clocks when)
{
    uint64_t b = UINT64_C(1) << bit;
    if (when <= q->now) {
        q->ready |= b;
    } else if (when - q->now < 64) {
        q->at[when & 63] |= b;
        q->occupied |= UINT64_C(1) << (when & 63);
    } else {
        if (!q->far || when < q->far_first) q->far_first = when;
        q->far |= b;
    }
}

static inline void queue_bring_near(queue *q)
{
    uint64_t left = q->far;
    q->far = 0;
    for (; left; left &= left - 1) queue_put(q, queue_low_bit(left), q->when[queue_low_bit(left)]);
}

static inline void queue_advance(queue *q, clocks to)
{
    clocks n = to - q->now;
    if (n <= 0) return;
    uint64_t due = queue_ahead(q) & (n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1);
    for (; due; due &= due - 1) {
        int at = (int)((q->now + 1 + queue_low_bit(due)) & 63);
        q->ready |= q->at[at];
        q->at[at] = 0;
        q->occupied &= ~(UINT64_C(1) << at);
    }
    q->now = to;
    if (q->far && q->far_first - to < 64) queue_bring_near(q);
}

static inline clocks queue_next(const queue *q)
{
    if (q->ready) return q->now;
    if (q->occupied) return q->now + 1 + queue_low_bit(queue_ahead(q));
    return q->far ? q->far_first : INT64_MAX;
}

#endif
