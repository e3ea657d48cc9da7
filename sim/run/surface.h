/* surface.h: reads, writes and atomic changes of surfaces. False: a fault was raised. */
#ifndef SIM_SURFACE_H
#define SIM_SURFACE_H

#include "texture_read.h"

/* To or from data + 16 * lane: `bytes` from byte x of a row, or, if that is 0, the
 * four values of texel x, converted to its format. */
enum { SURFACE_TRAP, SURFACE_CLAMP, SURFACE_ZERO };
bool surface_io(warp *w, const insn *in, uint32_t how, bool store, int outside, const texture_place *p, uint32_t bytes,
                char *data);
/* The same places for an atomic change: lanes outside are removed from *lanes. `bytes` 0: texels of
 * 4. `is_signed`: lanes with signed texels. */
bool surface_reach(warp *w, const insn *in, uint32_t how, int outside, const texture_place *p, uint32_t bytes, reach *r,
                   uint32_t *lanes, uint32_t *is_signed);

#endif
