/* sample.h: see sample.c. */
#ifndef SIM_SAMPLE_H
#define SIM_SAMPLE_H

#include "time.h"

typedef struct time_place { /* one of the places for blocks on the card: what stood there during the sample */
    clocks second, last, end; /* starts of the second and the last block; the last one's end */
    clocks next;              /* when it would have taken another */
    uint32_t starts;
} time_place;

typedef struct time_sample {
    uint64_t blocks; /* timed */
    clocks end;      /* of all those */
    uint32_t places;
    time_place place[];
} time_sample;

bool sample_wanted(const launch *l, const program *p);
uint64_t sample_blocks(const launch *l, uint64_t places, uint64_t steps_of_one_filling); /* how many to time; all of them, when that is as well */

#endif
