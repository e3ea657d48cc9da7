/* machine.h: the running GPU: memory, blocks, warps, splits, and what the operations in exec/ may
 * call.
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
    char *host;           /* 64-byte aligned; NULL once freed */
    void *raw;            /* the host block that contains it */
    uint64_t *init;       /* a bit per byte, set when written; NULL: everything counts as written */
    struct doubt *doubt;  /* bytes without that bit that are partly known (check/unknown.h) */
    void *shadow;         /* the race checker's cells during a launch */
    struct owners *owner; /* parallel runs: which thread touched which word (run/parallel_bet.c) */
    sim_fill *again;      /* generates the contents (sim_give); NULL: cannot, or changed since */
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
    uint32_t count, capacity;
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
    uint32_t texture_count, texture_capacity;
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
    struct earlier *earlier; /* what the race checker remembers of the last launch (check/earlier.c); or NULL */
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
    uint64_t executed;         /* instructions, the functional clock */
    uint32_t same_lanes;       /* the lanes of the last accesses, which were all the same: ... */
    uint64_t same_bytes;       /* ... bytes of each, not yet in lane_bytes */
    uint64_t lane_bytes[32];   /* read and written by each lane, in all memories (check/count.c) */
    uint64_t *local_init;      /* init check: a bit per byte of local */
    struct doubt *doubt;       /* of its bytes that are not fully known */
    struct unknown *unknown;   /* the unknown bits of its registers; NULL: never any */
    const insn *resume;        /* STOP_UNKNOWN: where it goes on */
    bool again;                /* ... by performing it again: it has had no effect */
    bool careful, was_careful; /* unknown_step is performing an instruction */
    const insn *apart;         /* unknown_apart: performed aside */
    struct warp_order *order;  /* race checker: what this warp's lanes know of each other */
    struct async_state *async; /* cp.async groups in flight */
    /* barrier of the cluster: lanes that have arrived; lanes whose phase is over and that have not waited since */
    uint32_t cluster_arrived, cluster_over;
    struct flight *flight;    /* registers of products in flight (check/flight.c) */
    struct warp_links *links; /* check/chains.h; NULL: chains are not counted */
} warp;

enum {
    WATCH_COUNT = 1,
    WATCH_INIT = 2,
    WATCH_RACE = 4,
    WATCH_OWN = 8,
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
    uint32_t *barrier_lanes;      /* [16][warp_count]: lanes that arrived; only for the race checker */
    uint32_t barriers_in_use;     /* a bit each */
    uint64_t *shared_init;        /* a bit per byte */
    struct doubt *doubt;          /* of its bytes that are not fully known */
    struct chain_link *links;     /* of its words (check/chains.h) */
    struct flying_stores *stores; /* st.async on their way to it (run/async_store.c) */
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

/* per instruction slot, per worker */
typedef struct slot_counts {
    uint64_t requests, lanes, sectors, bytes, strict, strict_bytes, passes32, passes16, worst, depth, words;
    uint64_t local_sectors, local_bytes;
    uint64_t turns32, turns16; /* passes of atomics over the banks of shared memory */
    uint64_t sparse;           /* of guards */
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

/* Those that an instruction had last: in a loop over a swizzled tile its shape takes turns. */
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
    uint32_t count, room;
    uint32_t rows; /* that the engine walks over, those outside the tensor too */
    bool tensor;
    uint64_t map;    /* of a tensor: where its map is */
    uint8_t kind;    /* enum access_kind, of global memory */
    uint32_t flight; /* its place in `lands` */
    int64_t *lands;  /* of every flight of the launch: a clock; INT64_MAX: not known yet */
    uint32_t flights, flight_room;
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
    struct own_log *own;            /* parallel runs: old contents of what it wrote */
    uint8_t claims_as;              /* the number under which it claims words */
    bool own_locked;                /* holds the lock of atomics that share words */
    bool own_later;                 /* the atomic under way must be deferred */
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
    bool race_over;                /* no further attempt follows */
    atomic_bool lets_start;        /* griddepcontrol.launch_dependents was called */
    const struct earlier *earlier; /* may still run (check/earlier.c); NULL: all earlier launches are over */
    struct init_kept *init_kept;   /* what was written before the first attempt */
    struct own_shared *own;        /* parallel runs only */
    int workers, started;          /* host threads wanted; workers that have counts */
    _Atomic uint64_t next;         /* the first block that no worker has taken */
    _Atomic uint64_t spent;        /* warp instructions of all workers */
    uint64_t cycles;               /* timed launches: of all of it */
    int clocks;                    /* workers that time blocks: from the second one on */
    crew crew;                     /* workers without blocks help these */
    struct time_sample *sample;    /* timed launches: the part that is timed (clock/sample.c) */
    struct film *film;             /* timed launches that are filmed (clock/filming.h) */
    sim_film_found *found;         /* of the instruction that is performed: its first finding goes here; may be NULL */
    bool again;                    /* timed launches: runs the clock's leftover blocks now */
    double deadline;
    uint64_t max_instructions;
    uint32_t resident; /* blocks that the card holds at once */
} launch;

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

/* ---- what operations call ---- */
/* run/warp.c: lanes diverge, reconverge, end */
const insn *warp_branch(warp *w, const insn *in, uint32_t taken, const insn *to);
/* the running split is at its join, or after it; false: its lanes wait there for others */
bool warp_arrive(warp *w, const insn *in);
const insn *warp_end_lanes(warp *w, const insn *in); /* the lanes in the mask end */
const insn *warp_yield(warp *w, const insn *resume); /* come back to `resume` on the next turn */
const insn *warp_split_off(warp *w, const insn *in, uint32_t others, const insn *other_ip);
const insn *warp_many_ways(warp *w, const insn *in, const uint32_t *pc); /* per-lane targets */
/* run/warp_meeting.c. Waits for lanes named by the masks at `place`, when some are missing. True:
 * the caller performs the operation for the lanes that are there (w->mask is set to them) and
 * returns warp_met(w, in). False: return *next at once. */
enum { WARP_SYNC = 1u << 8, WARP_INVERT = 1u << 9 /* the predicate */ }; /* insn.mod of warp operations */
bool warp_meet(warp *w, const insn *in, uint32_t place, const insn **next);
/* `lanes` call the operation with a mask that does not name them. */
void remark_left_out(warp *w, const insn *in, uint32_t lanes, uint32_t mask);
/* the same for all lanes, at this very instruction */
bool warp_meet_aligned(warp *w, const insn *in, const insn **next);
const insn *warp_met(warp *w, const insn *in);
/* run/barrier.c */
const insn *barrier_sync(warp *w, const insn *in, uint32_t id, uint32_t threads, bool aligned, uint32_t kind,
                         uint32_t predicate);
/* the same for all threads, no reduction */
const insn *barrier_all(warp *w, const insn *in, uint32_t id, bool aligned);
const insn *barrier_arrive(warp *w, const insn *in, uint32_t id, uint32_t threads);
void barrier_threads_ended(block *b);
/* run/cluster.c: the barrier of the cluster. */
const insn *cluster_arrive(warp *w, const insn *in, bool relaxed);
const insn *cluster_wait(warp *w, const insn *in);
void cluster_threads_ended(const warp *w, uint32_t lanes); /* these had arrived */
/* check/faults.c: records a fault; returns NULL, which ends the run loop. lane: the first lane at
 * fault, -1: the first active one. */
const insn *fault_raise(warp *w, const insn *in, enum sim_fault_kind kind, int lane, uint32_t lanes, const char *space,
                        uint64_t address, uint32_t size, const char *fmt, ...) SIM_PRINTF(9, 10);
/* check/faults.c: the instruction that is performed has a fault, for the film of it, if there is one. */
void fault_filmed(launch *l, enum sim_fault_kind kind, int lane, uint64_t address, uint32_t size);
/* The pc of the fault that ended the launch, and what a film says of it. UINT32_MAX: there is none. */
uint32_t fault_ended_at(const launch *l, sim_film_found *found);
/* run/builtin.c. sreg_read: true: out[0] holds for all lanes; the others are not filled in. */
const insn *builtin_call(warp *w, const insn *in, const call_info *c, const uint64_t *a, const uint64_t *b);
bool sreg_read(warp *w, uint32_t id, uint32_t component, uint64_t *out);
/* run/print.c: one printf of every lane in the mask; `counts` gets what printf returns. False: a
 * fault was raised. */
bool print_call(warp *w, const insn *in, const uint64_t *format, const uint64_t *args, int32_t *counts);
/* launch/launch.c: this cannot be done while blocks run in parallel. True: the launch starts again
 * in order; return NULL. */
bool launch_serial(warp *w, const insn *in);
/* check/doubt.c: frees it, if any. */
void doubt_forget(struct doubt **d);
/* check/doubt.c: local bytes that the machine itself wrote or copied, at offsets within a thread's
 * local memory */
void init_local_set(warp *w, int lane, uint32_t offset, uint32_t bytes);
void init_local_copy(warp *w, int lane, uint32_t to, uint32_t from, uint32_t bytes);
/* The same for bytes of any space that an asynchronous copy moved: to and from where. */
void init_copied(warp *w, const insn *in, int lane, uint8_t to_space, uint64_t to, uint8_t from_space, uint64_t from,
                 uint32_t bytes);
/* printf, malloc and the like read these bytes (global: an address). False: not all are known; a
 * fault was raised. */
bool init_looked_at(warp *w, const insn *in, int lane, uint8_t space, uint64_t at, uint64_t bytes, const char *does);
/* check/unknown.c: unknown bits in registers; check/unknown.h explains. */
const insn *unknown_step(warp *w, const insn *in); /* what in->fn(w, in) does, in a careful warp */
const insn *unknown_first(warp *w);                /* after STOP_UNKNOWN */
/* shfl: the lanes of the mask read lane from[l], which may be inactive */
void unknown_shuffle(warp *w, const insn *in, const uint32_t *from);
/* these are in several splits, and `in` runs on a frame of its own (warp_meeting.c); before, after
 */
void unknown_apart(warp *w, const insn *in, uint32_t lanes, bool over);
/* any other operation whose lanes have reconverged; if careful */
void unknown_warp(warp *w, const insn *in);
/* a warpgroup's product, which adds to D or replaces it */
void unknown_product(warp *w, const insn *in, bool adds);
/* check/flight.c: registers of products in flight. A product begins; `batch`: groups committed
 * before it. False: it touches those of another. */
bool flight_begin(warp *w, const insn *in, uint32_t batch);
void flight_wait(warp *w, uint32_t below); /* the warp has waited for the groups below that number */
/* Ends an instruction that may have brought in something unknown; the warp goes on at `next`. */
static inline const insn *unknown_pause(warp *w, const insn *next)
{
    if (SIM_LIKELY(!(w->watch & WATCH_CAREFUL) || w->careful || !next)) return next;
    w->stop = STOP_UNKNOWN;
    w->resume = next;
    w->again = false;
    return NULL;
}
/* Performs one instruction. */
static inline const insn *warp_perform(warp *w, const insn *in)
{
    if (SIM_UNLIKELY(w->watch & WATCH_CAREFUL)) return unknown_step(w, in);
    const insn *next = in->fn(w, in);
    return SIM_UNLIKELY(!next) && w->stop == STOP_UNKNOWN ? unknown_first(w) : next;
}

/* ---- accesses reported to checkers and counters, when w->watch says so ---- */
enum { HALVES_ANY, HALVES_ASCEND /* by size, from address[0] and address[16] */, HALVES_SAME /* one address each */ };
enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC };
typedef struct access {
    const insn *in;
    uint64_t address[32]; /* by lane, within the space (an offset, except in global) */
    uint32_t mask;
    uint32_t size; /* bytes per lane */
    /* resolved: SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_CONST, SPACE_PARAM; SPACE_REG:
     * values that lanes are matched by; SPACE_CLUSTER: shared memory of other blocks of the cluster */
    uint8_t space;
    uint8_t kind, order;
    alloc *al;         /* global: the allocation that holds every lane, NULL when they differ */
    const void *value; /* stores: 32 x size bytes, to compare stored values; may be NULL */
    bool contiguous;   /* lane l at address[0] + l * size, all 32 lanes */
    uint8_t halves;    /* HALVES_...: how each half of the warp lies; all 32 lanes */
    bool no_result;    /* atomic whose old value is not read */
    bool arrives;      /* at a barrier object, relaxed: it releases what a fence has published */
    /* shared: the block whose memory it is; NULL: the warp's own */
    block *of;
    bool loops;       /* the same, when machine code needs a loop: ... */
    uint32_t changed; /* ... in which these lanes changed the value */
    uint16_t passes;  /* in a list of seen accesses: over 32 banks; 0: not computed */
} access;
/* The address that a lane asks for. */
static inline uint64_t access_address(const access *a, int lane)
{
    if (a->halves == HALVES_ANY) return a->address[lane];
    return a->address[lane & 16] + (a->halves == HALVES_ASCEND ? (uint64_t)(lane & 15) * a->size : 0);
}
/* What one instruction accessed: several spaces if its addresses are generic or it copies. */
enum { SEEN_MOST = 4 };
typedef struct seen_accesses {
    int count;
    access list[SEEN_MOST];
} seen_accesses;
/* Where the lanes of one access lie. Inactive lanes repeat an active one, so that reading them is
 * harmless. */
typedef struct reach {
    uint64_t at[32]; /* in: as the program computes it; out: as in struct access */
    char *host[32];
    alloc *al;     /* global: the allocation that holds every lane, NULL when they differ */
    uint8_t space; /* resolved; SPACE_NONE: the lanes differ, see spaces */
    uint8_t spaces[32];
} reach;
/* run/resolve_address.c. Finds `bytes` bytes for each lane of the mask from at[], or raises the
 * fault and returns false. The slow path, for what the operations do not find at once; it leaves
 * the allocation in the worker's cache for them. */
bool memory_reach(warp *w, const insn *in, uint8_t space, uint32_t bytes, enum access_kind kind, reach *r);
bool memory_watch(warp *w, const insn *in, const reach *r, uint32_t bytes, enum access_kind kind, uint8_t order,
                  const void *value, bool no_result); /* r, one space at a time */

/* The shared variable of the kernel that holds an offset; with `near` the closest one, NULL only if
 * there is none. */
const shared_part *memory_part(const launch *l, uint64_t at, bool near);

/* One lane's `bytes` bytes at a multiple of `align`, any size: as memory_reach, for one lane. */
bool memory_span(warp *w, const insn *in, uint8_t space, int lane, uint64_t at, uint64_t bytes, uint32_t align,
                 enum access_kind kind, uint64_t *within, uint8_t *resolved, char **host, alloc **al);

/* run/async.c: asynchronous copies, and barrier objects in shared memory (mbarrier). False: a fault
 * was raised. */
void async_warp_start(warp *w);
void async_warp_free(warp *w);
bool async_copy(warp *w, const insn *in, const reach *to, const reach *from, uint32_t bytes, const uint32_t *taken);
/* Background copies of bytes or boxes of tensors; run/bulk.c. Arrays are by lane. */
/* to[i] = op(to[i], from[i]) */
typedef void bulk_reduce_fn(uint32_t op, uint32_t type, char *to, const char *from, uint32_t bytes);
typedef struct bulk_copy {
    uint8_t to_space, from_space; /* SPACE_SHARED: an address in shared::cluster, or a generic one */
    uint64_t *to, *from;          /* of a tensor only the side in shared memory */
    const uint32_t *bytes;        /* not of a tensor */
    const uint64_t *barrier;      /* addresses like those of shared memory; NULL: the bulk group */
    const uint32_t *blocks;       /* multicast: ranks in the cluster, a bit each; NULL: none */
    const uint64_t *map;          /* generic addresses of tensor maps; NULL: plain bytes */
    const int32_t *at[5];         /* coordinates of the box */
    uint32_t rank;
    bulk_reduce_fn *reduce; /* NULL: it copies */
    uint32_t op, type;      /* for it; type: of TENSOR_U8 ..., when there is no map */
    bool prefetch;          /* of a tensor: is checked, moves nothing */
} bulk_copy;
bool async_bulk(warp *w, const insn *in, const bulk_copy *c);
/* tensormap.replace: a field (TENSOR_FIELD_...) of the map at `at`; cp_fenceproxy: copies a map */
bool tensor_map_replace(warp *w, const insn *in, uint8_t space, const uint64_t *at, uint32_t field, uint32_t ordinal,
                        const uint64_t *value);
bool tensor_map_copy(warp *w, const insn *in, const uint64_t *to, const uint64_t *from);
bool async_commit(warp *w, const insn *in, bool bulk);
/* Until at most `keep` groups are pending; UINT32_MAX: until none is. ASYNC_LATER: the clock says that
 * they have not landed yet. */
enum async_waited { ASYNC_FAULT, ASYNC_DONE, ASYNC_LATER };
enum async_waited async_wait(warp *w, bool bulk, uint32_t keep);
/* The clock when copies on their way will have ended the phase of a barrier object of the own block; 0: it is not known
 * yet, or threads must arrive too. */
int64_t async_over_at(const warp *w, uint32_t object);
bool async_arrive_after_copies(warp *w, const insn *in, const reach *barrier, bool increment);
enum mbarrier_op {
    MB_INIT,
    MB_INVAL,
    MB_EXPECT,
    MB_COMPLETE,
    MB_ARRIVE,
    MB_DROP,
    MB_ARRIVE_EXPECT,
    MB_DROP_EXPECT,
    MB_TEST,
    MB_TEST_PARITY
};
enum { MB_NO_COMPLETE = 16 }; /* added to an arrival */
/* `value` by lane: count, bytes, state or parity. `state` by lane: what arrivals return; NULL: not
 * wanted. *passed: lanes whose phase is over, for tests. */
bool mbarrier_do(warp *w, const insn *in, int op, const reach *barrier, const uint64_t *value, uint64_t *state,
                 uint32_t *passed);
uint32_t mbarrier_pending(uint64_t state);

/* run/texture_read.c. False: a fault was raised. */
/* of an instruction: its geometry and way of reading */
enum {
    TEXTURE_DIMENSIONS = 3, /* 1, 2 or 3; the direction into a cube has 3 */
    TEXTURE_LAYERED = 4,
    TEXTURE_CUBE = 8,
    TEXTURE_GEOMETRY = TEXTURE_DIMENSIONS | TEXTURE_LAYERED | TEXTURE_CUBE,
    TEXTURE_INTEGER = 16, /* coordinates */
    TEXTURE_GATHER = 32,  /* one component of four texels: */
    TEXTURE_COMPONENT = 6 /* shift */
};
/* attributes that a query asks for */
enum {
    TEXTURE_WIDTH,
    TEXTURE_HEIGHT,
    TEXTURE_DEPTH,
    TEXTURE_LAYERS,
    TEXTURE_TYPE,
    TEXTURE_ORDER,
    TEXTURE_NORMALIZED,
    TEXTURE_LEVELS,
    TEXTURE_SAMPLES,
    TEXTURE_FILTER,
    TEXTURE_OUTSIDE,
    TEXTURE_PLAIN = TEXTURE_OUTSIDE + 3
};
/* by lane */
typedef struct texture_place {
    const uint64_t *texture, *sampler;       /* handles or references; sampler may be NULL */
    const uint32_t *layer, *at[3], *more[3]; /* coordinates, and offsets in texels; NULL: none */
} texture_place;
bool texture_read(warp *w, const insn *in, uint32_t how, const texture_place *p, uint32_t out[4][32]);
bool texture_query(warp *w, const insn *in, const uint64_t *handle, int what, uint32_t *out);
void texture_end(sim *s);
/* run/surface.c. To or from data + 16 * lane: `bytes` from byte x of a row, or, if that is 0, the
 * four values of texel x, converted to its format. */
enum { SURFACE_TRAP, SURFACE_CLAMP, SURFACE_ZERO };
bool surface_io(warp *w, const insn *in, uint32_t how, bool store, int outside, const texture_place *p, uint32_t bytes,
                char *data);
/* The same places for an atomic change: lanes outside are removed from *lanes. `bytes` 0: texels of
 * 4. `is_signed`: lanes with signed texels. */
bool surface_reach(warp *w, const insn *in, uint32_t how, int outside, const texture_place *p, uint32_t bytes, reach *r,
                   uint32_t *lanes, uint32_t *is_signed);

/* Branches count in slot_counts: requests are executions, worst the divergent ones. Guards:
 * requests, and lanes that went on. */
/* check/watch.c. Called before the access is performed. False: a fault was raised; the operation
 * must return NULL. */
bool watch_access(warp *w, const access *a);
/* The same for the common shape: all 32 lanes, and each half of the warp at at[half] + step *
 * lane. */
typedef struct warp_halves {
    const insn *in;
    uint64_t at[2]; /* within the space, as in struct access */
    uint32_t size;
    uint32_t step; /* 0: every lane of the half at the same place; otherwise equal to size */
    uint8_t space, kind, order;
    alloc *al;         /* global */
    const void *value; /* as in struct access */
} warp_halves;
bool watch_halves(warp *w, const warp_halves *h);
/* Consecutive lanes, any number, that load or store `bytes` each from `off`: counts them, and
 * checks or marks their bytes as written. Only counters and the check for unwritten memory watch.
 * al NULL: shared memory. False: nothing was done, a checker must look closer. */
bool watch_run(warp *w, const insn *in, const alloc *al, uint64_t off, uint32_t bytes, uint32_t first, uint32_t lanes,
               enum access_kind kind);
/* Barriers and fences, for the race checker. */
/* check/check.h says when to call these. */
/* barrier id is complete */
void watch_block_barrier(block *b, uint32_t id, const uint32_t *lanes_by_warp, bool everyone);
void watch_barrier_arrive(warp *w, uint32_t id); /* the lanes of the mask, without waiting */
void watch_warp_barrier(warp *w, uint32_t lanes);
void watch_warpgroup(block *b, uint32_t first, uint32_t count); /* these warps have issued a product together */
void watch_fence(warp *w, const insn *in, uint32_t scope);
void watch_proxy_fence(warp *w);
void objects_fence(warp *w); /* fence.mbarrier_init or fence.proxy.async by w->mask */
void earlier_wait(warp *w);  /* griddepcontrol.wait by w->mask, when WATCH_RACE */
/* The cluster's barrier: the lanes of the mask arrive; all have arrived; lanes go on after it. */
void watch_cluster_arrive(warp *w, bool relaxed);
void watch_cluster_met(cluster *c);
void watch_cluster_wait(warp *w, uint32_t lanes);

/* The block whose shared memory an access reaches. */
static inline block *access_block(const warp *w, const access *a) { return a->of ? a->of : w->block; }
/* A bulk copy reads shared memory from now on: a time; and has read it, `began` being that time. */
uint64_t watch_copy_begins(warp *w);
void watch_copy_over(warp *w, const insn *in, int lane, uint64_t at, uint32_t bytes, uint64_t began);
/* A product of the block begins, or ends, to read 16 bytes of shared memory at `at`; `thread` of the
 * block issued it. */
void watch_product(block *b, const insn *in, uint32_t thread, uint32_t at, bool begins);
/* A lane issues a bulk copy to `bytes` bytes of its block's shared memory. It lands later, but may
 * land at once: no product may be reading there. */
void watch_bulk_issue(warp *w, const insn *in, int lane, const block *b, uint64_t at, uint32_t bytes);

#endif
