/* ways.h: what the files of this room share. */
#ifndef SIM_WAYS_H
#define SIM_WAYS_H

#include "memory_time.h"
#include "check/check.h"
#include "machine/host_memory.h"

enum {
    SECTOR = 32,
    LINE = 128 /* bytes */,
    LINE_SECTORS = LINE / SECTOR,
    CHANNELS_MOST = 64,
    SLICES_MOST = 256,
    DUE_SLOTS = 1024
};

/* ---- cache.c: sets of lines; the least recently used one goes ---- */
typedef struct cache_line {
    uint64_t tag; /* | number of the line, plus one : 56 | sectors changed : 4 | sectors there : 4 |; 0: empty */
    ticks ready;  /* when all of them are there */
} cache_line;
typedef struct cache {
    uint32_t sets, ways;
    cache_line line[]; /* set after set, most recently used first */
} cache;
static inline size_t cache_bytes(const cache *c) { return sizeof *c + (size_t)c->sets * c->ways * sizeof *c->line; }
static inline uint64_t line_number(const cache_line *c) { return (c->tag >> 8) - 1; }
static inline unsigned line_sectors(uint64_t tag) { return (unsigned)tag & 15; }
static inline unsigned line_changed(uint64_t tag) { return (unsigned)tag >> 4 & 15; }

cache *cache_new(uint64_t bytes, int ways);      /* NULL: out of memory */
void cache_fetch(const cache *c, uint64_t line); /* it will be asked for soon */
cache_line *cache_find(cache *c, uint64_t line); /* makes it the most recently used; NULL: not there */
cache_line *cache_peek(cache *c, uint64_t line); /* leaves it as it is; NULL: not there */
/* makes room for a line with no sectors yet; *out: the tag that went, or 0 */
cache_line *cache_put(cache *c, uint64_t line, uint64_t *out);
/* drops the set's oldest line, if it was there `before` already; whether any was */
bool cache_drop_oldest(cache *c, uint32_t set, ticks before);

/* ---- untimed_traffic.c: untimed multiprocessors, as what all share sees them (sample.c) ---- */
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

/* ---- dram.c: channels, each first come first served ---- */
typedef struct dram {
    ticks free[CHANNELS_MOST];
    double rate; /* bytes per clock of all of them */
    uint32_t channels, row, least;
    bool mixed;  /* rows are spread over the channels by a hash */
    bool powers; /* channels and row are powers of two (row: of row_bits), and nothing is mixed */
    uint32_t row_bits, last_bytes;
    ticks last_takes; /* what last_bytes took of a channel */
    share share;
    ticks busy[CHANNELS_MOST];
    uint64_t bytes;
    double alone, crowd;          /* clocks: of a request alone; how soon others make it longer */
    int64_t under_way;            /* what requests under way take of their channels, times multiprocessors timed */
    int64_t due[DUE_SLOTS], slot; /* how much of that leaves in each slot of time from `slot` on */
    ticks slow;                   /* by how much the last request takes longer than alone, at least */
} dram;
void dram_init(dram *d, const sim_timing *t, bool mixed);
/* Moves `bytes` at `address` for a request that arrives at `now`; returns when they have been
 * moved. *wait: for others before it. Requests come here in the order in which they were asked for
 * (`asked`), not of their arrival: a channel does not lie idle until one comes that was held up on
 * its way. */
ticks dram_move(dram *d, uint64_t address, uint32_t bytes, ticks asked, ticks now, ticks *wait);
ticks dram_move_some(dram *d, uint64_t address, uint32_t bytes, uint32_t count, ticks first, ticks apart);
uint64_t dram_row(const dram *d, uint64_t address); /* where its row begins */

/* ---- l2_requests.c: the way beyond a multiprocessor, for all requests of a window ---- */
enum { ASK_LOAD, ASK_STORE, ASK_ATOMIC };
#define FILLS   ((ticks)1 << 60) /* stands for the time of the fill with that number, which is not known yet */
#define NO_FILL UINT32_MAX
/* of a request */
typedef struct asked_line {
    uint64_t line;
    ticks at;      /* when its multiprocessor sends it */
    ticks takes;   /* of its slice. Found in the L1: when it is there, or FILLS and a number */
    ticks chain;   /* atomics: until the words that it changes can change again */
    uint32_t fill; /* the number of the L1's fill that it makes */
    /* 0 sectors: all were found in the L1; partial: those that a store fills only in part */
    uint8_t sectors, partial;
    bool bulk; /* of a bulk copy */
} asked_line;
typedef struct request {
    ticks now, start; /* when it was issued; came to its multiprocessor's port */
    uint32_t who, mp;
    uint32_t first, count; /* of its lines */
    uint8_t kind;
} request;
/* of a group of multiprocessors */
typedef struct asks {
    HOST_APART request *request;
    asked_line *line;
    ticks *fill; /* when it is there; until that is known: what its line was ready at before */
    time_answer *answer;
    uint32_t requests, lines, fills, answers, request_room, line_room, fill_room, answer_room;
    ticks last;     /* of what was known without asking */
    bool failed;    /* out of memory */
    uint32_t round; /* counts the times that all was answered */
} asks;
/* all requests, by time */
typedef struct asked_order {
    const request **list, **other;
    uint32_t *begin; /* by clock or multiprocessor, while they are sorted */
    uint32_t count, room, begin_room;
} asked_order;
bool ask_open(struct time_memory_state *m, uint32_t groups);                                /* false: out of memory */
request *ask_new(asks *s, uint32_t mp, uint32_t who, uint8_t kind, ticks now, ticks start); /* NULL: out of memory */
void ask_drop(asks *s); /* the newest request, whose lines are all known */
/* of the newest request; NULL: out of memory */
asked_line *ask_line(asks *s, request *r, uint64_t line, unsigned sectors, ticks at);
void ask_fill(asks *s, asked_line *l, cache_line *c); /* the line makes a fill of the L1 */
void ask_close(struct time_memory_state *m);
time_access sector_answer(struct time_memory_state *m, const request *q); /* coalesce_sectors.c */
void sector_fetch(const struct time_memory_state *m, const request *q);   /* it will be answered soon */

/* ---- coalesce_sectors.c: lines that floats are added to; of those with the same place the last
 * one ---- */
enum { SUMMED_LINES = 1024 };
typedef struct summed {
    uint64_t line;
    uint32_t mp;  /* that added last */
    bool several; /* multiprocessors add here, so the untimed ones do too */
    ticks busy;   /* how long its words were kept, one sum after the other */
} summed;

/* ---- coalesce_sectors.c: what multiprocessors that ask together (time.l2_askers) have on its
 * way; of lines with the same place the last one ---- */
enum { UNDER_WAY = 4096, ASKERS_MOST = 32 };
typedef struct under_way {
    uint64_t line;
    ticks until;     /* it is there */
    uint8_t sectors; /* of it */
    uint32_t had[LINE_SECTORS]; /* a bit for each of them that has asked for this sector */
} under_way;

/* ---- the whole ---- */
enum { STORE_LINES = 32 };
/* with stores that did not fill their sectors */
typedef struct stored_line {
    uint64_t line;
    uint32_t warp;                /* whose */
    uint32_t bytes[LINE_SECTORS]; /* a bit for each that has been stored */
    /* asks.round when it was asked for; its place among the lines of that round */
    uint32_t round, at;
    uint32_t used; /* when it was last; 0: never */
} stored_line;
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

/* The distinct addresses that lanes ask for, at most 32, and how many lanes want each. */
unsigned time_addresses(const access *a, uint64_t *address, uint8_t *times);
bool time_l2(sim *s);                  /* makes it on first use; false: out of memory */
unsigned bank_passes(const access *a); /* over 32 banks, of a load or a store */
/* cas_loops.c: an atomic on shared memory that is a loop. */
void swaps_access(time_memory_state *m, const time_asker *by, const access *a, time_access *r);
void strict_access(time_memory_state *m, uint32_t mp, const access *a, ticks now, time_access *r);
bool sector_open(time_memory_state *m, launch *l, const bool *alike, uint64_t shared_bytes);
void sector_close(time_memory_state *m);
/* As time_ask. */
uint32_t sector_access(time_memory_state *m, const time_asker *by, const access *a, time_access *r);

#endif
