/* untimed_traffic.h: multiprocessors that are not timed, as what all share sees them (clock/sample.c). */
#ifndef SIM_UNTIMED_TRAFFIC_H
#define SIM_UNTIMED_TRAFFIC_H

#include "memory_time.h"

enum { SLICES_MOST = 256 };
/* with fewer, some multiprocessors ask for some places more often by chance, and the others would
 * double that */
enum { SHARE_KEPT = 16384 };
typedef struct share {
    /* the proportion of their work; requests due from the others, times `timed` */
    uint32_t timed, others, owed;
    uint32_t places, count, turn; /* requests seen; the place whose turn it is */
    uint8_t kept[SHARE_KEPT];     /* the places of the last ones */
    uint32_t asked[SLICES_MOST];  /* how often each is among those */
    int64_t credit[SLICES_MOST];  /* what that has earned it, less what requests there cost */
    ticks takes[SLICES_MOST];     /* by the last request there */
} share;
/* After a request that keeps `place` of free[] for `takes`: books it, and those that the others
 * make meanwhile. */
void share_others(share *s, ticks *free, ticks *busy, uint32_t place, ticks takes, ticks now);

#endif
