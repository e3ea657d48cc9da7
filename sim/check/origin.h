/* origin.h: where an unknown value came from. */
#ifndef SIM_ORIGIN_H
#define SIM_ORIGIN_H

#include "check.h"

typedef struct origin {
    uint32_t id;            /* 0: none */
    uint32_t pc;            /* of the load or shuffle */
    uint64_t address;       /* within the space; for a shuffle, the inactive lane */
    uint32_t size, missing; /* bytes per lane; the first of them that is not known */
    uint64_t block;
    uint32_t thread;
    uint8_t space; /* SPACE_REG: a shuffle */
    bool earlier;  /* a launch before this one stored it */
} origin;

uint32_t origin_new(worker *k, const origin *o);         /* its number */
const origin *origin_find(const worker *k, uint32_t id); /* NULL: it was overwritten */
void origin_what(const warp *w, const origin *o, char *out,
                 size_t size); /* "element 5 of shared tile (byte 20), which was never written" */
/* a fault: returns false */
bool origin_fault(warp *w, const insn *in, uint32_t lanes, uint32_t from, const char *does);
void origin_place(const launch *l, const origin *o, sim_place *out);
void origin_remark(warp *w, const insn *in, int lane, const origin *o);

#endif
