/* check.h: the checkers and counters, and what the code that runs launches, blocks and barriers
 * must call.
 *
 * A launch (one host thread; `workers` is how many will run its blocks):
 *
 *  fault_log_start(l)            always, before anything may fault; l->result->owner is an arena
 *  init_launch_start(l)          always, also when nothing is watched: drops bitmaps that are stale
 *  race_launch_start(l, workers) when l->watch & WATCH_RACE; false: out of memory
 *    ... blocks ...
 *  count_finish(l, all, n)       results of the workers that count, see below
 *  race_launch_finish(l)         when it was started; frees all, fills result->checker_bytes
 *  fault_log_finish(l)           moves faults into the result; sets result->code for all but notes
 *
 * A second attempt (blocks run in parallel depended on each other, or one faulted) first undoes the
 * writes. Then it calls fault_log_reset(l), init_launch_undo(l), and race_launch_finish +
 * race_launch_start again; workers get fresh counts. init_launch_undo takes back what the first
 * attempt marked as written. It needs init_launch_keep(l) before that attempt, and
 * init_launch_forget(l) when the launch is over.
 *
 * A block, once its id, linear number, shared memory and warps are set, before the first
 * instruction:
 *
 *  init_block_start(b)           when b->shared_init is set: shared memory counts as unwritten
 *  init_warp_start(w)            for each warp, likewise; w->local_init has 32 * local_stride bits,
 *                                lane after lane, or is NULL
 *  race_block_start(b)           when WATCH_RACE; false: out of memory. Sets b->order and w->order
 *  ...
 *  race_block_end(b)             when it is done or given up, also after a fault
 * w->local_init has 0 bits when local_stride is 0. Sizes: INIT_WORDS(bytes) uint64_t each.
 *
 * Barriers and fences (all return at once when races are not watched):
 *  watch_barrier_arrive(w, id)   in bar.arrive, before it can complete the barrier: w->mask arrives
 *  watch_proxy_fence(w)          fence.proxy.async, for shared memory; w->mask executes it
 *  watch_block_barrier(b, id, lanes, everyone)
 *                                when barrier id completes, before any lane goes on; lanes[i] took
 *                                part (those of bar.arrive too); everyone: all live threads did
 *  watch_warp_barrier(w, lanes)  bar.warp.sync, when `lanes` have arrived. Not for shfl, vote,
 *                                match: they order no memory
 *  watch_fence(w, in, scope)     membar, fence: ORDER_SCOPE_...; w->mask executes it
 *
 * Accesses: watch_access(w, &a) before the access is performed, whenever w->watch has WATCH_COUNT,
 * WATCH_INIT or WATCH_RACE. Addresses of lanes outside the mask are never used.
 */
#ifndef SIM_CHECK_H
#define SIM_CHECK_H

#include "machine/lane_mask.h"

#define INIT_WORDS(bytes) (((uint64_t)(bytes) + 63) / 64)

/* ---- faults.c ---- */
bool fault_log_start(launch *l); /* false: out of memory */
void fault_log_reset(launch *l);
void fault_log_finish(launch *l);
void fault_place(const launch *l, uint32_t pc, sim_place *out);                       /* the place in the program */
void fault_place_in(const struct sim_module *m, uint32_t pc, sim_place *out);         /* all but the kernel */
void fault_thread(const launch *l, uint64_t linear, uint32_t thread, sim_place *out); /* the thread there */
void fault_thread_in(const uint32_t grid[3], const uint32_t of[3], uint64_t linear, uint32_t thread, sim_place *out);
void fault_note(launch *l, const sim_fault *f, uint32_t pc, uint32_t other_pc,
                uint64_t linear); /* folded; does not stop */
/* A note, not a fault, about what those lanes do at `in`. */
void fault_remark(const warp *w, const insn *in, enum sim_fault_kind kind, uint32_t lanes, const char *advice,
                  const char *fmt, ...) SIM_PRINTF(6, 7);
/* How far apart the two threads of a race are. Of the races at the same two instructions the widest
 * is reported, and the widest of all comes first. */
enum race_scope { RACE_WARP, RACE_BLOCK, RACE_BLOCKS };
void fault_note_race(launch *l, const sim_fault *f, enum race_scope scope, uint32_t pc, uint32_t other_pc,
                     uint64_t linear);
const char *race_advice(enum race_scope scope); /* race_report.c */
void fault_count(launch *l, enum sim_fault_kind kind, uint32_t pc, uint32_t other_pc,
                 uint64_t times); /* the same finding, `times` more */
/* "element 5 of buffer 0 (byte 20)": what lies at an address of a space, in elements of `unit`
 * bytes */
void fault_what(const warp *w, uint8_t space, uint64_t address, uint32_t unit, char *out, size_t size);
void fault_part_name(const shared_part *p, char *out, size_t size); /* "shared tile", "the block's shared memory" */

/* ---- count.c ---- */
void count_finish(launch *l, worker *all, int n);

/* ---- init.c ---- */
void init_launch_start(launch *l);
bool init_launch_keep(launch *l);
void init_launch_undo(launch *l);
void init_launch_forget(launch *l);
void init_block_start(block *b);
void init_warp_start(warp *w);
void init_block_free(block *b);

/* ---- race.c ---- */
bool race_launch_start(launch *l, int workers);
void race_launch_finish(launch *l);
bool race_block_start(block *b);
/* All its threads have ended: is that after what other blocks of its cluster did in its shared memory? */
void race_block_leaves(block *b);
/* A block has ended before a bulk copy that it issued had read its shared memory. */
void race_say_unread(const block *b, const insn *in, uint32_t thread, uint64_t address, uint32_t bytes);
void race_block_end(block *b);

/* ---- earlier.c ---- */
void earlier_free(sim *s, const struct sim_module *m); /* what is kept of a launch of that module; NULL: of any */

/* ---- flight.c ---- */
void flight_reset(warp *w);
void flight_free(warp *w);

/* ---- between the files of this folder ---- */
bool flight_look(warp *w, const insn *in); /* before it is performed; false: a fault */
/* How the active lanes of an access lie, computed once for all checkers. */
typedef struct pattern {
    uint32_t mask;      /* as in the access */
    int first, last;    /* lowest and highest active lane */
    bool contiguous;    /* all 32 lanes, consecutive */
    bool uniform;       /* every active lane at one address */
    uint64_t low, high; /* first byte touched, one past the last */
    uint16_t passes;    /* over the 32 banks of shared memory, computed by count_access; else 0 */
} pattern;

bool count_half_in_order(const access *a, uint32_t half, int from); /* coalesced on compute 1.0, 1.1 */
unsigned count_passes_16(const access *a, const pattern *p);        /* over 16 banks, half-warps */
unsigned count_passes_32(const access *a, const pattern *p);
void count_turns(slot_counts *c, const access *a, const pattern *p);    /* of atomics */
unsigned count_halves_32(uint64_t first, uint64_t second, bool ascend); /* 4-byte words, common shape */
void count_access(warp *w, const access *a, pattern *p);
/* One thread's bulk copy: bytes of global memory, in so many sectors, and of shared memory. */
/* combined: elements, of a copy that reduces */
void count_bulk(warp *w, const insn *in, int lane, uint64_t global, uint64_t sectors, uint64_t shared,
                uint64_t combined);
bool init_access(warp *w, const access *a, const pattern *p);
void race_access(warp *w, const access *a, const pattern *p);
/* so many equal accesses; false: not such a shape, use count_access */
bool count_halves(warp *w, const warp_halves *h, uint64_t times);
void count_run(slot_counts *c, uint64_t at, bool shared, uint32_t size, uint32_t first, uint32_t lanes);
void count_other_lanes(warp *w, uint32_t mask);
void count_block_start(block *b);
void count_block_end(block *b);
/* The lanes of the mask read or wrote so many bytes each. */
static inline void count_lane_bytes(warp *w, uint32_t mask, uint64_t bytes)
{
    if (mask != w->same_lanes) count_other_lanes(w, mask);
    w->same_bytes += bytes;
}
/* false: something was not written */
bool init_run(const warp *w, uint64_t *map, uint64_t at, uint64_t bytes, enum access_kind kind);
bool init_halves(const warp *w, const warp_halves *h); /* false: init_access says what was not written */
void race_halves(warp *w, const warp_halves *h);
void watch_expand(const warp_halves *h, access *out);
void watch_see(pattern *p, const access *a);

/* Bitmaps of what was written: a word, in which another thread may be setting bits; bits `at` to
 * `at + count` of a word, where count may reach over its end; whether all `count` bytes from `at`
 * on were written. */
static inline uint64_t init_word(const uint64_t *p)
{
    return atomic_load_explicit((const _Atomic uint64_t *)(const void *)p, memory_order_relaxed);
}

static inline uint64_t init_span(uint64_t at, uint64_t count)
{
    uint64_t bits = count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
    return bits << (at & 63);
}

static inline bool init_all(const uint64_t *map, uint64_t at, uint64_t count)
{
    uint64_t missing = 0;
    for (uint64_t end = at + count, here; at < end; at += here) {
        here = 64 - (at & 63);
        if (here > end - at) here = end - at;
        missing |= ~init_word(&map[at >> 6]) & init_span(at, here);
    }
    return !missing;
}

/* An access of the common shape, except for the addresses, which follow from the first of each
 * half. */
static inline void watch_halves_as(access *to, const warp_halves *h)
{
    to->in = h->in;
    to->mask = UINT32_MAX;
    to->size = h->size;
    to->space = h->space;
    to->kind = h->kind;
    to->order = h->order;
    to->al = h->al;
    to->value = h->value;
    to->loops = false;
    to->no_result = to->arrives = false;
    to->of = NULL;
    to->address[0] = h->at[0];
    to->address[16] = h->at[1];
    to->contiguous = h->step && h->at[1] == h->at[0] + 16 * (uint64_t)h->size;
    to->halves = h->step ? HALVES_ASCEND : HALVES_SAME;
}

/* The clock needs no more of it. */
static inline void watch_note(seen_accesses *seen, const warp_halves *h)
{
    if (seen->count < SEEN_MOST) watch_halves_as(&seen->list[seen->count++], h);
}

#endif
