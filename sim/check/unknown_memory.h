/* unknown_memory.h: memory of which not all bits are known. */
#ifndef SIM_UNKNOWN_MEMORY_H
#define SIM_UNKNOWN_MEMORY_H

#include "origin.h"

/* with bytes of global memory */
typedef struct kept_origin {
    origin o;
    uint64_t launch;
    const struct sim_module *module;
    char what[160];
    sim_place at; /* its strings are the module's */
} kept_origin;

struct known_bits {
    uint8_t *known; /* of each byte; 0: never written */
    uint32_t *from; /* of each word: an origin; of global memory: a place in kept[], from 1 */
    uint64_t bytes;
    kept_origin *kept;
    _Atomic uint32_t count;
};

bool unknown_access(warp *w, const access *a);                              /* of a careful warp */
bool known_bits_keep(const struct known_bits *d, struct known_bits **copy); /* false: out of memory */
void known_bits_back(struct known_bits *d, const struct known_bits *copy);

#endif
