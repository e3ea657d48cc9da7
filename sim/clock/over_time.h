/* over_time.h: how busy the schedulers of a multiprocessor are over the time of a launch, whose length
 * is not known before its end: in buckets that become twice as wide when they are full. */
#ifndef SIM_OVER_TIME_H
#define SIM_OVER_TIME_H

#include "ptxas/clocks.h"

enum { OVER_TIME_BUCKETS = 128 };
typedef struct over_time {
    uint32_t shift; /* a bucket has 1 << shift clocks */
    uint64_t slots[OVER_TIME_BUCKETS];
} over_time;

/* The clock has come to a bucket behind the last one. */
static inline void over_time_widen(over_time *o, clocks now)
{
    for (; now >> o->shift >= OVER_TIME_BUCKETS; o->shift++)
        for (int i = 0; i < OVER_TIME_BUCKETS; i++)
            o->slots[i] = i < OVER_TIME_BUCKETS / 2 ? o->slots[2 * i] + o->slots[2 * i + 1] : 0;
}

/* A step keeps its scheduler from `now` for `slot` clocks. */
static inline void over_time_add(over_time *o, clocks now, uint32_t slot)
{
    if (SIM_UNLIKELY(now >> o->shift >= OVER_TIME_BUCKETS)) over_time_widen(o, now);
    o->slots[now >> o->shift] += slot;
}

#endif
