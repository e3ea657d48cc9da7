/* launch.h: what the files of launch/ share. */
#ifndef SIM_LAUNCH_H
#define SIM_LAUNCH_H

#include "machine/machine.h"

/* The pieces of shared memory that a kernel may use, when the launch gives it `more` bytes. `out`
 * has room for part_count + 1; returns how many there are. *total: all bytes, gaps included. */
uint32_t launch_parts(const code_func *cf, uint32_t more, shared_part *out, uint32_t *total);

/* of a warp's registers; functions that call themselves have room for some calls, and so have lanes that are in
 * different functions at once, whose frames lie beside each other */
static inline uint32_t launch_register_bytes(const code_func *cf)
{
    const uint32_t called = cf->stack_frame - cf->frame_bytes, most = 1u << 19;
    return cf->stack_frame + (cf->recursive || called > most / 31 ? most : 31 * called);
}

#endif
