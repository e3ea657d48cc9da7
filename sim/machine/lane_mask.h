/* lane_mask.h: sets of a warp's lanes. */
#ifndef SIM_LANE_MASK_H
#define SIM_LANE_MASK_H

#include "machine.h"

static inline int first_lane(uint32_t mask)
{
#if defined(__GNUC__)
    return mask ? __builtin_ctz(mask) : 32;
#else
    int l = 0;
    while (l < 32 && !(mask >> l & 1)) l++;
    return l;
#endif
}

/* `mask` is not 0. */
static inline int last_lane(uint32_t mask)
{
#if defined(__GNUC__)
    return 31 - __builtin_clz(mask);
#else
    int l = 31;
    while (!(mask >> l & 1)) l--;
    return l;
#endif
}

static inline int count_lanes(uint32_t m)
{
    m -= m >> 1 & 0x55555555u;
    m = (m & 0x33333333u) + (m >> 2 & 0x33333333u);
    return (int)(((m + (m >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24);
}

/* Four bits of a mask, expanded: needed at every divergent branch. */
#define ON(bits, lane) ((bits) >> (lane)&1 ? UINT32_MAX : 0)
#define FOUR(bits)                                         \
    {                                                      \
        ON(bits, 0), ON(bits, 1), ON(bits, 2), ON(bits, 3) \
    }
static const uint32_t four_lanes[16][4] = {FOUR(0),  FOUR(1),  FOUR(2),  FOUR(3), FOUR(4),  FOUR(5),
                                           FOUR(6),  FOUR(7),  FOUR(8),  FOUR(9), FOUR(10), FOUR(11),
                                           FOUR(12), FOUR(13), FOUR(14), FOUR(15)};

/* Of the running split: mask, full, lane[]. */
static inline void set_mask(warp *w, uint32_t mask)
{
    w->full = (mask | ~w->live) == UINT32_MAX;
    if (SIM_LIKELY(w->mask == mask)) return;
    w->mask = mask;
    for (int i = 0; i < 8; i++) memcpy(w->lane + 4 * i, four_lanes[mask >> 4 * i & 15], sizeof four_lanes[0]);
}

#endif
