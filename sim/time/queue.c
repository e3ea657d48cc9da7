/* queue.c: the warps of one scheduler by when they can issue.
 *
 * A warp is a bit. Most become ready within a few clocks: those stand in a wheel of 64 clocks, a word each. The others, mostly
 * waiting for memory, stand apart and enter the wheel when their time is near. So picking the next warp is a matter of
 * a few bit operations, however many there are.
 */
#include "time.h"

static inline int low_bit(uint64_t v)
{
#if defined(__GNUC__)
    return __builtin_ctzll(v);
#else
    int n = 0;
    while (!(v >> n & 1)) n++;
    return n;
#endif
}

static inline uint64_t rotate(uint64_t v, unsigned by) { return by ? v >> by | v << (64 - by) : v; }

/* Bit k: somebody becomes ready at now + 1 + k. */
static inline uint64_t ahead(const queue *q) { return rotate(q->occupied, (unsigned)((q->now + 1) & 63)); }

void queue_put(queue *q, int bit, clocks when)
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

static void bring_near(queue *q)
{
    uint64_t left = q->far;
    q->far = 0;
    for (; left; left &= left - 1) queue_put(q, low_bit(left), q->when[low_bit(left)]);
}

void queue_advance(queue *q, clocks to)
{
    clocks n = to - q->now;
    if (n <= 0) return;
    uint64_t due = ahead(q) & (n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1);
    for (; due; due &= due - 1) {
        int at = (int)((q->now + 1 + low_bit(due)) & 63);
        q->ready |= q->at[at];
        q->at[at] = 0;
        q->occupied &= ~(UINT64_C(1) << at);
    }
    q->now = to;
    if (q->far && q->far_first - to < 64) bring_near(q);
}

clocks queue_next(const queue *q)
{
    if (q->ready) return q->now;
    if (q->occupied) return q->now + 1 + low_bit(ahead(q));
    return q->far ? q->far_first : INT64_MAX;
}
