/* liveness.h: how long registers live, and a place for each. */
#ifndef SIM_LIVENESS_H
#define SIM_LIVENESS_H

#include "build.h"

/* nodes at which a register is live */
typedef struct live_interval {
    uint32_t reg, from, to;
} live_interval;
int build_live(builder *b); /* registers live at the ends of blocks */
/* a place for every virtual register; fills cf->frame_bytes ... */
int build_places(builder *b, uint32_t *place);
int live_width(uint8_t type); /* 0 predicate, 1: 32 bits and fewer, 2: 64, 3: 128 */

#endif
