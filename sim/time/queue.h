/* queue.h: the warps of one scheduler by when they can issue.
 *
 * A warp is a bit. Time is cut into windows of 64 clocks. Those that become ready in this window or the next one stand in a wheel of
 * clocks, a word each; those of the 62 windows behind that, mostly waiting for memory, in a wheel of windows. When a window is left, the one that
 * comes near goes from that wheel to the other. So picking the next warp is a matter of a few bit operations, however many there are, and a
 * warp is moved twice at most. All of it stands here, because it is what a timed launch does most.
 */
#ifndef SIM_QUEUE_H
#define SIM_QUEUE_H

#include "time.h"

enum { WINDOW_BITS = 6, WINDOW = 1 << WINDOW_BITS };

typedef struct queue {
    uint64_t ready;            /* can issue at `now` */
    uint64_t at[2 * WINDOW];   /* by clock: become ready in this window, behind `now`, or in the next one */
    uint64_t occupied[2];      /* which of those are not empty: of even windows, of odd ones */
    uint64_t window[WINDOW];   /* by window: become ready there */
    uint64_t windows;          /* which of those are not empty */
    uint64_t far;              /* become ready later still, the first of them at far_first */
    clocks now, far_first;
    clocks first;              /* when the next one becomes ready, of those that are not */
    const clocks *when;        /* by bit, written before queue_put */
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

static inline void queue_put(queue *q, int bit, clocks when)
{
    const uint64_t b = UINT64_C(1) << bit;
    if (when <= q->now) {
        q->ready |= b;
        return;
    }
    if (when < q->first) q->first = when;
    const clocks window = when >> WINDOW_BITS, ahead = window - (q->now >> WINDOW_BITS);
    if (ahead < 2) {
        q->at[when & (2 * WINDOW - 1)] |= b;
        q->occupied[window & 1] |= UINT64_C(1) << (when & 63);
    } else if (ahead < WINDOW) {
        q->window[window & 63] |= b;
        q->windows |= UINT64_C(1) << (window & 63);
    } else {
        if (!q->far || when < q->far_first) q->far_first = when;
        q->far |= b;
    }
}

/* Warps that stood elsewhere, each to where it belongs now. */
static inline void queue_put_all(queue *q, uint64_t warps)
{
    for (; warps; warps &= warps - 1) queue_put(q, queue_low_bit(warps), q->when[queue_low_bit(warps)]);
}

/* Those of one of the two windows in the wheel of clocks whose clocks are `due`: ready. */
static inline void queue_due(queue *q, unsigned half, uint64_t due)
{
    due &= q->occupied[half];
    q->occupied[half] &= ~due;
    for (; due; due &= due - 1) {
        uint64_t *at = &q->at[half * WINDOW + (unsigned)queue_low_bit(due)];
        q->ready |= *at;
        *at = 0;
    }
}

/* All that became ready before the window of `to`, and from the wheel of windows what becomes ready in that one or the next. */
static inline void queue_leave_windows(queue *q, clocks to)
{
    const clocks from = q->now >> WINDOW_BITS, left = (to >> WINDOW_BITS) - from;
    queue_due(q, from & 1, UINT64_MAX);
    if (left > 1) queue_due(q, (from + 1) & 1, UINT64_MAX);
    q->now = to;
    const unsigned first = (unsigned)(from + 2);
    uint64_t warps = 0;
    for (uint64_t near = queue_rotate(q->windows, first) & (left < WINDOW ? (UINT64_C(1) << left) - 1 : UINT64_MAX); near; near &= near - 1) {
        const unsigned w = (first + (unsigned)queue_low_bit(near)) & 63;
        warps |= q->window[w];
        q->window[w] = 0;
        q->windows &= ~(UINT64_C(1) << w);
    }
    if (q->far && (q->far_first >> WINDOW_BITS) - (to >> WINDOW_BITS) < WINDOW) {
        warps |= q->far;
        q->far = 0;
    }
    queue_put_all(q, warps);
}

static inline clocks queue_first(const queue *q, uint64_t warps)
{
    clocks first = INT64_MAX;
    for (; warps; warps &= warps - 1) {
        const clocks at = q->when[queue_low_bit(warps)];
        if (at < first) first = at;
    }
    return first;
}

static inline clocks queue_find_first(const queue *q)
{
    const clocks window = q->now >> WINDOW_BITS;
    const uint64_t here = q->occupied[window & 1], next = q->occupied[(window + 1) & 1];
    if (here) return (window << WINDOW_BITS) + queue_low_bit(here);
    if (next) return ((window + 1) << WINDOW_BITS) + queue_low_bit(next);
    if (q->windows) {
        const unsigned first = (unsigned)(window + 2), ahead = (unsigned)queue_low_bit(queue_rotate(q->windows, first));
        return queue_first(q, q->window[(first + ahead) & 63]);
    }
    return q->far ? q->far_first : INT64_MAX;
}

static inline void queue_pass(queue *q, clocks to)
{
    if ((to ^ q->now) >> WINDOW_BITS) queue_leave_windows(q, to);
    q->now = to;
    queue_due(q, to >> WINDOW_BITS & 1, UINT64_MAX >> (63 - (to & 63)));
    q->first = queue_find_first(q);
}

/* Until the first one becomes ready nothing is to be done, and `now` stays behind. */
static inline void queue_advance(queue *q, clocks to)
{
    if (to >= q->first) queue_pass(q, to);
}

/* When one can issue, from `at` on, to which the queue has been advanced. */
static inline clocks queue_next(const queue *q, clocks at) { return q->ready ? at : q->first; }

#endif
