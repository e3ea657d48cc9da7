/* memory_state.h: all that serves the memory instructions of a launch: what the files of this room share. */
#ifndef SIM_MEMORY_STATE_H
#define SIM_MEMORY_STATE_H

#include "coalesce_sectors.h"
#include "dram.h"
#include "check/check.h"

enum { TENSOR_MAPS = 8 };
/* of a multiprocessor */
typedef struct own_way {
    HOST_APART ticks port, busy; /* when its port is free; how long it was busy */
    ticks further;               /* of that for further passes over the banks */
    ticks link;                  /* when its way to the L2 is free */
    ticks out;                   /* the same of stores, where that is a way of its own (time.store_port) */
    ticks engine;                /* when its copy engine takes another bulk copy */
    uint64_t map[TENSOR_MAPS];   /* those that it has fetched in this launch, the last ones */
    uint32_t maps;
    ticks far;       /* when its way to other blocks' shared memory is free */
    ticks constants; /* when its way to the constants is free */
    cache *l1;       /* NULL: it has loaded nothing yet */
    asks *asks;      /* of its group */
    stored_line stored[STORE_LINES];
    uint32_t stores;         /* counts stores to these lines */
    struct swapped *swapped; /* words of shared memory that loops swap; NULL: none yet */
} own_way;
struct time_memory_state {
    const sim_timing *t;
    sim *s;
    const code_module *code;
    uint32_t mp_count;
    uint32_t warps; /* of a block */
    own_way *own;   /* by multiprocessor */
    dram dram;
    /* coalesce_sectors.c */
    bool sectors;
    uint64_t l1_bytes;
    bool banks_apart; /* a pass over the banks keeps the port; else it keeps the scheduler: compute 1.x */
    cache *l2;        /* belongs to the sim: it stays warm from launch to launch */
    bool crowded;     /* what is in use does not fit into it, and not all multiprocessors are timed */
    /* lines that the others have brought into it meanwhile, times `timed`; the set where the next
     * one drops one */
    uint32_t owed, set;
    uint32_t none; /* sets in a row, up to that one, that held nothing from before the launch */
    ticks base;    /* start of this launch in the time of the L2, in which launches follow each other */
    asks *asks;    /* by group */
    uint32_t groups;
    asked_order order;
    ticks last;  /* of everything so far */
    ticks asked; /* when the current access was issued: never before the one before */
    ticks slice[SLICES_MOST], slice_busy[SLICES_MOST];
    share share; /* of the slices */
    /* UNDER_WAY for all that ask together, NULL until they do; NULL: each asks alone */
    under_way **under_way;
    uint32_t *together; /* by multiprocessor: with whom it asks, times ASKERS_MOST, and its number among them */
    summed summed[SUMMED_LINES];
    ticks summed_longest;
    uint8_t *traits; /* by pc: how an atomic or a load is treated, see coalesce_sectors.c */
    ticks port_transaction, port_coalesced, port_line, l1_latency, l2_latency, l2_request, l2_sector, link_sector,
        bulk_sector, bulk_latency, line_sector, dram_latency, out_sector, out_partial;
    ticks constant_latency, constant_pass, constant_port;
    /* the cost of a further pass, or lane of an atomic, that a bank conflict makes */
    ticks conflict_pass, conflict_port, conflict_lane;
    ticks shared_latency, shared_pass, shared_port, shared_atomic, shared_atomic_lane, shared_swap, atomic_latency,
        atomic_sector, atomic_swap, atomic_float, l2_partial;
};

static inline ticks later(ticks a, ticks b) { return a > b ? a : b; }

/* A random-looking number that spreads rows of addresses over `count` places. */
static inline uint32_t spread(uint64_t row, uint32_t count)
{
    row *= UINT64_C(0x9e3779b97f4a7c15);
    row ^= row >> 29;
    return (uint32_t)(((row & UINT32_MAX) * count) >> 32);
}

/* Deals rows of addresses out to `count` places: each aligned group of `count` rows uses all of
 * them, and steps of a power of two do not pile up. */
static inline uint32_t deal(uint64_t row, uint32_t count)
{
    uint64_t round = row / count, mixed = (round ^ round >> 15) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((row + (mixed >> 40)) % count);
}

/* shared_memory.c. The distinct addresses that lanes ask for, at most 32, and how many lanes want each. */
unsigned time_addresses(const access *a, uint64_t *address, uint8_t *times);
unsigned bank_passes(const access *a); /* shared_memory.c: over 32 banks, of a load or a store */
/* cas_loops.c: an atomic on shared memory that is a loop. */
void swaps_access(time_memory_state *m, const time_asker *by, const access *a, time_access *r);
void strict_access(time_memory_state *m, uint32_t mp, const access *a, ticks now, time_access *r); /* coalesce_1x.c */

#endif
