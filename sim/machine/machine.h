/* machine.h: the state of the running GPU: memory, blocks, warps, splits.
 *
 * A worker is one host thread's share of a launch: it runs blocks, one or (when blocks wait for
 * each other) several at a time. A block has warps. A warp has 32 lanes and one or more *splits*:
 * sets of lanes that run together. Lanes diverge at a branch and reconverge in the places that
 * code/reconverge.c found; a `join` remembers which lanes are expected at one of them. A split that
 * spins does not block the others: splits, warps and blocks take turns when their slice of
 * instructions is used up.
 *
 * Addresses as the program sees them (generic):
 *   PARAM_WINDOW  + offset in the kernel's parameters
 *   SHARED_WINDOW + offset in the block's shared memory
 *   LOCAL_WINDOW  + offset in the thread's local memory
 *   GLOBAL_BASE and up: allocations, .global and .const variables
 * An offset is at most 2^32. Address 0 and everything below the first window are unused.
 */
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

#include "code/code.h"
#include "thread_pool.h"
#include "host_memory.h"
#include <stdatomic.h>

#define PARAM_WINDOW  UINT64_C(0x0000000100000000)
#define LOCAL_WINDOW  UINT64_C(0x0000000200000000)
#define SHARED_WINDOW UINT64_C(0x0000000300000000)
/* 0x400000000 and up: functions, see CODE_FUNCTION_BASE */
#define GLOBAL_BASE  UINT64_C(0x0000001000000000)
#define WINDOW_BYTES UINT64_C(0x0000000100000000)

struct launch;
struct worker;
typedef int time_run_fn(struct launch *l, struct worker *k, int groups); /* clock/time.h */

/* ---- memory ---- */
typedef struct alloc {
    uint64_t start, size;
    char *host;                    /* 64-byte aligned; NULL once freed */
    void *raw;                     /* the host block that contains it */
    uint64_t *init;                /* a bit per byte, set when written; NULL: everything counts as written */
    struct known_bits *known_bits; /* bytes without that bit that are partly known (check/unknown.h) */
    void *shadow;                  /* the race checker's cells during a launch */
    struct owners *owner;          /* parallel runs: which thread touched which word (run/parallel_bet.c) */
    sim_fill *again;               /* generates the contents (sim_give); NULL: cannot, or changed since */
    void *again_arg;
    const char *name; /* "buffer 0", "table" */
    bool freed, is_const, is_symbol, is_reference;
    bool is_mapped;      /* the memory is somebody else's (sim_map) */
    bool is_shared;      /* ... who may look at it, and change it, while a kernel runs */
    uint8_t tracked;     /* parallel runs: written by this launch */
    atomic_bool touched; /* by a kernel, since sim_touched_none */
    uint32_t number;
} alloc;

typedef struct memory {
    alloc **list; /* ascending by start; freed ones stay, to name a use after free */
    uint32_t count;
    uint64_t next; /* next free address */
    uint64_t in_use, limit;
    uint32_t made;
    uint32_t shared;           /* live ones that others see (alloc.is_shared) */
    void (*forget)(alloc *al); /* frees what other rooms attached to it */
} memory;

alloc *memory_at(const memory *m, uint64_t address);   /* the live or freed one there, or NULL */
alloc *memory_near(const memory *m, uint64_t address); /* the closest, for messages; or NULL */
/* given: its memory, from sim_host_memory; NULL: new memory. */
int memory_add(memory *m, uint64_t bytes, const char *name, void *given, alloc **out, sim_error *err);
/* The same at that address, in new memory; later ones come behind it. */
int memory_add_at(memory *m, uint64_t address, uint64_t bytes, const char *name, alloc **out, sim_error *err);
/* The same at that address, of memory that stays the caller's. */
int memory_map(memory *m, uint64_t address, void *of, uint64_t bytes, const char *name, bool shared, alloc **out,
               sim_error *err);
int memory_remove(memory *m, uint64_t address, sim_error *err);
void memory_end(memory *m); /* frees everything, owners too */

struct sim {
    sim_card card;
    memory mem;
    uint64_t heap_used; /* by malloc in kernels, from the heap that each launch may use */
    struct sim_module **modules;
    int module_count;
    const exec_table *ops;
    time_run_fn *time_run; /* the clock, compiled for the same instruction set */
    bool as_written;       /* sim_as_written */
    bool keeps_names;      /* sim_keep_names */
    size_t load_most;      /* bytes that loading a module may take */
    uint64_t launches;
    sim_texture *textures; /* by handle; width 0: freed */
    uint32_t texture_count;
    host_pool pool;
    struct cache *l2; /* timed launches: contents of the L2 (memory_time/); NULL before the first */
    struct written_bytes {
        uint64_t from, to;
    } written[64]; /* by the host, in this order, and not yet in l2 */
    uint32_t written_count;
    struct lost_bet {
        const code_func *kernel;
        uint32_t rest, skip; /* launches that do not bet yet; after a further loss so many */
    } lost[16];              /* kernels whose blocks could not run side by side (run/parallel_bet.c) */
    uint32_t lost_next;
    int64_t l2_time;
    struct earlier_launch
        *earlier; /* what the race checker remembers of the last launch (check/earlier_launch.c); or NULL */
};

struct sim_module {
    arena arena;
    ptx_module ptx;
    code_module code;
    sim_kernel *kernels;
    int kernel_count;
    alloc **symbols; /* allocations of .global and .const variables */
    int symbol_count;
    uint64_t *samplers; /* handles made for it */
    int sampler_count;
};

/* ---- running ---- */
/* Why a warp's run loop came back. */
enum stop {
    STOP_NONE,
    STOP_SLICE,   /* its slice, or the limit given for this run, is used up */
    STOP_BLOCKED, /* the running split waits; another may go on */
    STOP_ENDED,   /* the running split is gone: its lanes ended or wait at a join */
    STOP_FAULT,   /* the launch is over */
    STOP_UNKNOWN  /* an unknown value is about to enter a register: check/unknown.h */
};

enum split_state {
    SPLIT_FREE,
    SPLIT_READY,
    SPLIT_BARRIER,
    SPLIT_WARP,
    SPLIT_ALIGNED /* likewise, at the same instruction */,
    SPLIT_ASYNC,
    SPLIT_CLUSTER /* at the barrier of its cluster */,
    SPLIT_GROUP /* for other warps of its warpgroup, or for registers: machine/warpgroup.h */
};

enum { WARP_SYNC = 1u << 8, WARP_INVERT = 1u << 9 /* the predicate */ }; /* insn.mod of warp operations */

typedef struct split {
    const insn *ip;
    uint32_t mask;
    uint32_t frame; /* byte offset of the current function's frame in the warp's registers */
    uint32_t local; /* byte offset of its local memory in each thread's */
    int16_t join;   /* innermost join, -1 none */
    uint8_t state;
    uint8_t barrier; /* SPLIT_BARRIER: which */
    uint32_t want;   /* SPLIT_WARP, SPLIT_ALIGNED: lanes that the operation names */
    uint32_t result; /* of a barrier reduction */
} split;

typedef struct join {
    const insn *pc;
    uint32_t expect, arrived;
    uint32_t frame, local;
    int16_t parent;
    bool used;
    uint32_t turns; /* taken by other splits while lanes waited here */
} join;

/* what the first of several loads by one register found out for all of them (code/shared_tile.c) */
typedef struct shared_view {
    bool good;      /* all lanes read; all reads are inside and written */
    bool run;       /* each half's lanes consecutive; else all at one place */
    uint32_t at[2]; /* the register in lanes 0 and 16 */
    uint8_t passes; /* over the 32 banks */
} shared_view;

typedef struct warp {
    /* read by every operation */
    uint32_t mask;       /* lanes executing the current instruction */
    bool moved;          /* its last turn did something */
    bool full;           /* every lane may be written: those not in the mask are dead */
    bool stepped;        /* turns of the run loop are counted or timed: one instruction each */
    uint8_t watch;       /* WATCH_...: memory operations must report their accesses */
    char *regs;          /* frame of the current function */
    const char *base[2]; /* [0] regs, [1] the constants minus one: see SRC in exec/lanes.h */
    uint32_t lane[32];   /* the mask, expanded: ~0 or 0 */
    uint32_t live;       /* lanes that exist and have not ended */
    uint32_t local_base; /* of the current function */
    const insn *join_pc; /* where the running split joins, NULL nowhere */
    /* its place, UINT32_MAX: nowhere; a block with no lower place is the join or after it */
    uint32_t join_place;
    int64_t fuel, turn; /* instructions left in this slice; left when the split was picked */
    /* of its next run, unless 0: left over when it had to wait for others (shuffled order), or to
     * be skipped (clock.c) */
    int64_t slice;
    enum stop stop;
    struct worker *worker;
    struct block *block;
    char *local;                        /* 32 x local_stride bytes, lane after lane; or NULL */
    uint32_t local_stride, local_limit; /* bytes from lane to lane; bytes the program may use */
    uint32_t tid[3][32];
    uint32_t cc; /* carry flag of add.cc and the like, a bit per lane */
    /* used less often */
    char *reg_memory; /* frames of all active functions */
    uint32_t reg_bytes;
    split splits[32];
    int current, split_high, join_high; /* running split; one past the highest in use */
    join joins[64];
    shared_view *views;
    uint64_t *before; /* by slot: last address of consecutive lanes, see fetch_ahead */
    uint32_t index;   /* in the block */
    uint32_t exists;  /* lanes that the launch made */
    /* of those, lanes that left a join alone because others waited for them (warp_meeting.c) */
    uint32_t let_go;
    uint64_t executed;             /* instructions, the functional clock */
    uint32_t same_lanes;           /* the lanes of the last accesses, which were all the same: ... */
    uint64_t same_bytes;           /* ... bytes of each, not yet in lane_bytes */
    uint64_t lane_bytes[32];       /* read and written by each lane, in all memories (check/count.c) */
    uint64_t *local_init;          /* init check: a bit per byte of local */
    struct known_bits *known_bits; /* of its bytes that are not fully known */
    struct unknown *unknown;       /* the unknown bits of its registers; NULL: never any */
    const insn *resume;            /* STOP_UNKNOWN: where it goes on */
    bool again;                    /* ... by performing it again: it has had no effect */
    bool careful, was_careful;     /* unknown_step is performing an instruction */
    const insn *apart;             /* unknown_apart: performed aside */
    struct warp_order *order;      /* race checker: what this warp's lanes know of each other */
    struct async_state *async;     /* cp.async groups in flight */
    /* barrier of the cluster: lanes that have arrived; lanes whose phase is over and that have not waited since */
    uint32_t cluster_arrived, cluster_over;
    struct flight *flight;    /* registers of products in flight (check/products_in_flight.c) */
    struct warp_links *links; /* check/chains.h; NULL: chains are not counted */
} warp;

enum {
    WATCH_COUNT = 1,
    WATCH_INIT = 2,
    WATCH_RACE = 4,
    WATCH_BET = 8,
    WATCH_TRACE = 16,
    WATCH_TIME = 32,
    WATCH_UNKNOWN = 64, /* careful */
    WATCH_FLIGHT = 128, /* registers of products in flight, or chains, so each instruction is looked at */
    WATCH_CAREFUL = WATCH_UNKNOWN | WATCH_FLIGHT
};

typedef struct barrier_state {
    uint32_t arrived, expected; /* threads; expected 0: all live threads of the block */
    uint32_t popc, all, any;    /* reduction so far */
    const insn *pc;             /* of the first arrival */
    uint8_t kind;               /* of a reduction */
    bool in_use;
} barrier_state;
enum { BARRIER_PLAIN, BARRIER_POPC, BARRIER_AND, BARRIER_OR };

/* Blocks that run together and reach each other's shared memory (run/cluster.c). */
enum { CLUSTER_MOST = 16 };
typedef struct cluster {
    struct block *member[CLUSTER_MOST]; /* by rank; NULL: it has ended */
    uint32_t count, live;               /* blocks when it began; those that have not ended */
    uint32_t arrived;                   /* threads, at its barrier */
    bool releases, released;            /* some of these do; some did in the last phase */
    uint32_t order_place;               /* race checker: of the last phase of the barrier */
    uint32_t met[CLUSTER_MOST];         /* race checker: each block's time when the last phase was over */
    uint64_t number;                    /* among the launch's clusters */
    int64_t over_at; /* timed launches: the clock at which the last phase of its barrier lets threads go on */
} cluster;

typedef struct block {
    uint32_t id[3];
    uint32_t rank;           /* in its cluster */
    cluster *cluster, alone; /* alone: its own, if it has one block */
    uint64_t linear;
    char *shared;          /* shared_bytes */
    uint32_t shared_bytes; /* with the gaps between variables */
    warp *warps;
    uint32_t warp_count, live_threads, threads;
    uint64_t copying; /* a bit for each warp that has copies in flight (run/async.c) */
    barrier_state barrier[16];
    uint32_t *barrier_lanes;       /* [16][warp_count]: lanes that arrived; only for the race checker */
    uint32_t barriers_in_use;      /* a bit each */
    uint64_t *shared_init;         /* a bit per byte */
    struct known_bits *known_bits; /* of its bytes that are not fully known */
    struct chain_link *links;      /* of its words (check/chains.h) */
    struct flying_stores *stores;  /* st.async on their way to it (run/async_store.c) */
    /* race checker: shared memory since the last full barrier; NULL: checked word by word */
    struct interval *interval;
    struct block_order *order;
    struct warpgroup *groups; /* of four warps each; NULL: none has begun a product (run/warpgroup.c) */
    struct worker *worker;
    uint32_t turn;  /* the next warp */
    uint64_t asked; /* bytes of global memory that it read and wrote */
    bool done, in_use;
    struct timed_block *timed; /* timed launches: its place (clock/clock.h) */
    bool last;                 /* last of a sample: runs to show how the launch ends (sample.c) */
} block;

/* The block of that rank in the same cluster; NULL: there is none, or it has ended. */
static inline block *block_peer(const block *b, uint32_t rank)
{
    return rank < b->cluster->count ? b->cluster->member[rank] : NULL;
}

/* An address in shared::cluster: (rank + 1) << 24 | offset in that block's shared memory. Below 1 << 24 it is the own
 * block's: rank UINT32_MAX. */
enum { CLUSTER_SHIFT = 24, CLUSTER_OFFSET = (1 << CLUSTER_SHIFT) - 1 };
static inline void shared_cluster_split(uint32_t address, uint32_t *rank, uint32_t *offset)
{
    *rank = (address >> CLUSTER_SHIFT) - 1;
    *offset = address & CLUSTER_OFFSET;
}
/* An offset in the shared memory of block `to`, as `b` addresses it. */
static inline uint32_t shared_cluster_address(const block *b, const block *to, uint32_t offset)
{
    return to == b ? offset : (to->rank + 1) << CLUSTER_SHIFT | offset;
}

/* Where in its shared memory lanes may write that store nothing. */
enum { BLOCK_SPARE = 16 };
static inline uint32_t block_spare(const block *b) { return (b->shared_bytes + 7) & ~7u; }

/* Per instruction slot, per worker. Branches: requests are executions, worst the divergent ones. Guards: requests, and
 * lanes that went on. */
typedef struct slot_counts {
    uint64_t requests, lanes, sectors, bytes, strict, strict_bytes, passes32, passes16, worst, depth, words;
    uint64_t local_sectors, local_bytes;
    uint64_t turns32, turns16; /* passes of atomics over the banks of shared memory */
    uint64_t sparse;           /* of guards */
    uint64_t combined;         /* elements, by bulk copies that reduce */
    /* loads of a word of shared memory by all lanes through a view: not in requests, lanes and so
     * on; one pass of each is not in passes32 */
    uint64_t easy;
    uint64_t spaces[4]; /* generic requests by resolved space: global, shared, local, other */
} slot_counts;

/* The last access of an instruction to shared memory. One that is shifted by whole words takes as
 * many passes. */
typedef struct bank_pattern {
    uint32_t mask; /* 0: none yet */
    uint8_t size, kind;
    uint16_t passes32, passes16;
    uint32_t at[32]; /* from the word of the first lane */
} bank_pattern;

/* Those that an instruction had last: over a swizzled tile the shapes alternate. */
enum { PATTERNS_KEPT = 4 };
typedef struct bank_patterns {
    bank_pattern kept[PATTERNS_KEPT];
    uint8_t latest, oldest;
} bank_patterns;

typedef struct block_counts {
    uint64_t warps, lanes, sparse;
} block_counts;

/* Timed launches: what the instruction that is performed has the copy engine move, for the clock, which
 * says when that has landed. */
typedef struct bulk_traffic {
    struct bulk_piece {
        uint64_t address; /* in global memory */
        uint32_t bytes;
    } * piece;
    uint32_t count;
    size_t room;
    uint32_t rows; /* that the engine walks over, those outside the tensor too */
    bool tensor;
    uint64_t map;    /* of a tensor: where its map is */
    uint8_t kind;    /* enum access_kind, of global memory */
    uint32_t flight; /* its place in `lands` */
    int64_t *lands;  /* of every flight of the launch: a clock; INT64_MAX: not known yet */
    uint32_t flights;
    size_t flight_room;
} bulk_traffic;

typedef struct worker {
    HOST_APART struct launch *launch;
    block_counts *block_counts; /* by basic block */
    slot_counts *slot_counts;   /* by slot */
    bank_patterns *patterns;    /* by slot */
    uint64_t warps, blocks, barriers, barriers_met, warp_barriers;
    cluster *cluster_met;                 /* timed launches: its barrier has just been completed; or NULL */
    uint64_t released;                    /* how often warps in SPLIT_GROUP could go on */
    uint64_t most_asked;                  /* global bytes that one block accessed */
    uint64_t lane_bytes, most_lane_bytes; /* bytes that all threads, and one, accessed */
    alloc **cache;                        /* by slot: the allocation last hit */
    const shared_part **part;             /* by slot: the shared variable last hit */
    uint64_t executed;                    /* warp instructions */
    uint64_t print_calls;                 /* by lanes */
    /* what printf, and what bulk copies and products of tensor cores take of the host's time, in instructions */
    uint64_t print_cost, side_cost;
    uint64_t reported; /* of those, reported to the launch */
    uint64_t longest;  /* the most instructions of an ended warp */
    /* blocks that have ended, except the last ones of a sample; their warp instructions */
    uint64_t ended, ended_did;
    /* atomics and volatile, relaxed or acquire reads: signs of a thread that waits for another */
    uint64_t strong, strong_before; /* so far, and when the launch last looked up (stop.c) */
    uint64_t looked;                /* instructions for which it did little else */
    /* tests of barrier objects that failed: all; `strong` without them at the last one; since that was another */
    uint64_t failed_tests, other_strong, idle_tests;
    uint64_t outside; /* those of memory that other blocks can see: only these can wait for another block */
    struct print_log *prints;
    uint32_t index;
    uint64_t now;                   /* timed launches: the clock that kernels read */
    bulk_traffic bulk;              /* timed launches; run/bulk.c */
    int64_t suspended;              /* timed launches: the running warp does nothing until then; 0 */
    struct seen_accesses *seen;     /* timed launches: accesses of the last instruction */
    uint64_t (*stalls)[SIM_STALLS]; /* timed launches: by pc */
    struct bet_log *bet;            /* parallel runs: old contents of what it wrote */
    uint8_t claims_as;              /* the number under which it claims words */
    bool bet_locked;                /* holds the lock of atomics that share words */
    bool bet_later;                 /* the atomic under way must be deferred */
    uint64_t *passed;               /* by slot: the first block of which an access that passed was reported */
    char nowhere[32][64];           /* what is written outside of allocations, by lane */
    const char *advice;             /* for the next fault, when its kind does not say enough */
    int assertion;                  /* likewise: sim_fault.assertion */
    const sim_place *other;         /* where the faulty value came from */
    struct origins *origins;        /* init check: where unknown values came from */
    uint64_t drawn;                 /* shuffled order: the state of its random numbers */
} worker;

enum { LAUNCH_RUNS, LAUNCH_FAULTED, LAUNCH_CANCELLED, LAUNCH_TIMEOUT, LAUNCH_ENDLESS, LAUNCH_AGAIN }; /* launch.stop */

/* everything the blocks of one launch share */
typedef struct launch {
    sim *s;
    struct sim_module *module;
    const code_module *code;
    const code_func *entry;
    const ptx_func *kernel;
    const sim_launch *wanted;
    sim_result *result;
    char *params; /* parameter block, param_bytes */
    uint32_t param_bytes;
    /* bytes of a block as a card has them: without and with the dynamic part */
    uint32_t shared_static, shared_used;
    uint32_t shared_total; /* with the gaps between variables */
    shared_part *parts;    /* variables between the gaps, ascending; at least one */
    uint32_t part_count;
    uint32_t local_stride, local_limit, reg_bytes;
    uint32_t grid[3], block[3], threads, warps;
    uint64_t blocks;
    uint32_t cluster[3], cluster_blocks; /* blocks of a cluster: by dimension, all */
    bool explicit_cluster;               /* the kernel or the launch names a size */
    uint64_t units;                      /* clusters: what is handed out */
    uint8_t watch;
    uint32_t envreg[32];
    atomic_int stop;      /* set when the launch must end */
    atomic_bool met_host; /* sim_result.met_host */
    atomic_bool lacks;    /* a check ran out of memory: its findings are incomplete and no result */
    struct fault_log *faults;
    struct chains *chains; /* check/chains.h; NULL: they are not counted */
    struct race_state *race;
    bool race_over;         /* no further attempt follows */
    atomic_bool lets_start; /* griddepcontrol.launch_dependents was called */
    const struct earlier_launch
        *earlier;                /* may still run (check/earlier_launch.c); NULL: all earlier launches are over */
    struct init_kept *init_kept; /* what was written before the first attempt */
    struct bet_shared *bet;      /* parallel runs only */
    int workers, started;        /* host threads wanted; workers that have counts */
    _Atomic uint64_t next;       /* the first block that no worker has taken */
    _Atomic uint64_t spent;      /* warp instructions of all workers */
    uint64_t cycles;             /* timed launches: of all of it */
    int clocks;                  /* workers that time blocks: from the second one on */
    crew crew;                   /* workers without blocks help these */
    struct time_sample *sample;  /* timed launches: the part that is timed (clock/sample.c) */
    struct film *film;           /* timed launches that are filmed (clock/filming.h) */
    sim_film_found *found;       /* of the instruction that is performed: its first finding goes here; may be NULL */
    bool again;                  /* timed launches: runs the clock's leftover blocks now */
    double deadline;
    uint64_t max_instructions;
    uint32_t resident; /* blocks that the card holds at once */
} launch;

/* The shared variable of the kernel that holds an offset; with `near` the closest one, NULL only if
 * there is none. */
const shared_part *memory_part(const launch *l, uint64_t at, bool near);
/* The number in the grid of a cluster's block. */
static inline uint64_t cluster_block(const launch *l, uint64_t number, uint32_t rank)
{
    uint64_t linear = 0, stride = 1;
    for (int i = 0; i < 3; i++) {
        const uint64_t across = l->grid[i] / l->cluster[i], at = number % across * l->cluster[i] + rank % l->cluster[i];
        number /= across;
        rank /= l->cluster[i];
        linear += at * stride;
        stride *= l->grid[i];
    }
    return linear;
}

#endif
