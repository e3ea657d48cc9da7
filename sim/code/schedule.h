/* schedule.h: the order of instructions within a block, as machine code has it. */
#ifndef SIM_SCHEDULE_H
#define SIM_SCHEDULE_H

#include "build.h"

/* What an instruction may not be moved across. */
enum touches {
    TOUCH_GLOBAL = 1,
    TOUCH_SHARED = 2,
    TOUCH_LOCAL = 4,
    TOUCH_MEMORY = 7,
    TOUCH_WARP = 8, /* lanes reconverge, or see each other */
    TOUCH_ALL = 256 /* nothing moves across it */
};
#define TOUCH_READS(memory) ((memory) << 4) /* it only reads: other reads may move across it */
unsigned build_touches(const node *n);
void build_schedule(builder *b);

#endif
