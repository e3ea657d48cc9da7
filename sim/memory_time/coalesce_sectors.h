/* coalesce_sectors.h: the way to global memory through L1 and L2, in sectors of 32 bytes. */
#ifndef SIM_COALESCE_SECTORS_H
#define SIM_COALESCE_SECTORS_H

#include "l2_requests.h"

/* Lines that floats are added to; of those with the same place the last one. */
enum { SUMMED_LINES = 1024 };
typedef struct summed {
    uint64_t line;
    uint32_t mp;  /* that added last */
    bool several; /* multiprocessors add here, so the untimed ones do too */
    ticks busy;   /* how long its words were kept, one sum after the other */
} summed;

/* What multiprocessors that ask together (time.l2_askers) have on its way; of lines with the same place
 * the last one. */
enum { UNDER_WAY = 4096, ASKERS_MOST = 32 };
typedef struct under_way {
    uint64_t line;
    ticks until;                /* it is there */
    uint8_t sectors;            /* of it */
    uint32_t had[LINE_SECTORS]; /* a bit for each of them that has asked for this sector */
} under_way;

enum { STORE_LINES = 32 };
/* Lines with stores that did not fill their sectors */
typedef struct stored_line {
    uint64_t line;
    uint32_t warp;                /* whose */
    uint32_t bytes[LINE_SECTORS]; /* a bit for each that has been stored */
    /* asks.round when it was asked for; its place among the lines of that round */
    uint32_t round, at;
    uint32_t used; /* when it was last; 0: never */
} stored_line;

bool sector_open(time_memory_state *m, launch *l, const bool *alike, uint64_t shared_bytes);
void sector_close(time_memory_state *m);
/* As time_ask. */
uint32_t sector_access(time_memory_state *m, const time_asker *by, const access *a, time_access *r);
time_access sector_answer(time_memory_state *m, const request *q);
void sector_fetch(const time_memory_state *m, const request *q); /* it will be answered soon */
bool time_l2(sim *s);                                            /* makes it on first use; false: out of memory */

#endif
