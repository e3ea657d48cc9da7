/* time.h: launches in timed order. See clock.c.
 *
 *     cost.c      what a PTX instruction costs, and which of them machine code does not have
 *     expand.c    those that are several of the machine code
 *     combine.c   what several of them become together
 *     choose.c    predicates, and what chooses by them
 *     narrow.c    64-bit ones of which only 32 bits matter
 *     early.c     loads that stand in front of what does not need them
 *     odd.c       the slow ways of quotients, roots and reciprocals
 *     swaps.c     atomics on shared memory that are loops of a compare-and-swap
 *     meet.c      where lanes that parted at a branch meet again
 *     wait.c      how long a warp waits for its own arithmetic
 *     reads.c     what they take of the register file
 *     program.c   the machine code that cost.c imagines, as steps beside the code that runs
 *     queue.h     the warps of one scheduler by when they can issue
 *     clock.c     multiprocessors, blocks, warps in the order of time
 *     issue.h     a step is issued, and which one comes next
 *     course.h    which multiprocessor goes on next, and which of them side by side
 *     ahead.h     what a warp performs ahead of its time
 *     parts.h     parts of very long fillings that are left out
 *     report.c    what there is to say of them when all is over
 *     sample.c    how long all blocks take, from some
 *     memory.c    what a memory access takes: shared memory; which of the two ways to global memory a card has
 *     strict.c    the way of compute 1.x: transactions of half-warps, no caches
 *     sector.c    the way since: 32-byte sectors, L1, L2, atomics
 *     uniform.c   which atomics of a warp the machine code knows to be at one word
 *     cache.c     tags
 *     ask.c       what was asked of L2 and DRAM in a while, in order
 *     dram.c      channels
 *     share.c     what multiprocessors that are not timed ask of L2 and DRAM
 */
#ifndef SIM_TIME_H
#define SIM_TIME_H

#include "../run/run.h"

/* Whole clocks of the multiprocessor when instructions issue; memory counts in ticks, 64 to a
 * clock. Sums of whole numbers do not depend on the host. */
typedef int64_t clocks;
typedef int64_t ticks;
enum { TICKS = 64 };
static inline ticks ticks_of(double c) { return (ticks)(c * TICKS + 0.5); }
static inline uint32_t clocks_of(double c) { return (uint32_t)(c + 0.5); }

/* When a register is ready, with the reason, so that a wait can be booked under what caused it: |
 * clock : 44 | share of the port : 8 | share of what is behind it : 8 | SIM_STALL_ : 4 |. The later
 * of two is the greater. */
typedef int64_t key;
static inline key key_of(clocks at, enum sim_stall cause) { return at << 20 | (key)cause; }
static inline clocks key_clock(key k) { return k >> 20; }
static inline key latest(key a, key b) { return a > b ? a : b; }

/* ---- program.c ---- */
enum unit {
    UNIT_FLOAT,
    UNIT_INT,
    UNIT_PRODUCT /* of integers, where that is not UNIT_FLOAT */,
    UNIT_SPECIAL,
    UNIT_DOUBLE,
    UNIT_TENSOR,
    UNIT_MEMORY,
    UNITS
};

/* One instruction of the machine code. What is read each time that it is issued stands together, in
 * the first 64 bytes: a line of the host's cache. It takes three of them: were it two, the first
 * ones of all steps would share half the cache. */
typedef struct step {
    _Alignas(64) key result; /* what `latency` and `cause` say, as a key counted from its issue */
    uint64_t issued, waited; /* how often it was; clocks that it could have been but was not */
    uint32_t slot;           /* clocks that it keeps the scheduler */
    uint32_t busy;           /* clocks until its unit can take another one */
    uint32_t next;           /* clocks until the warp's next one can issue: the slot, or `stall` */
    uint32_t pc;
    uint16_t need[4]; /* sources, each once, filled up with one that is always ready; `more` of them are in needs */
    uint16_t into[2]; /* targets, filled up with one that nobody reads */
    uint8_t more, unit;
    bool free; /* not in the machine code: its results are there when its sources are */
    bool branch;
    uint8_t puts_off; /* early.c: in so many turns of TURNS it does not wait for loads */
    uint8_t turn;     /* TURN_NEXT, TURN_FIRST: of such a loop, that begins behind it; 0 */
    uint8_t targets, sources;
    /* a shuffle; or a load or a store that goes through the multiprocessor's port even where no
     * lane is on */
    bool port;
    bool simple;   /* has none of the rarer traits above, and no more registers than stand in this line */
    uint8_t reads; /* registers that its operands are (reads.c) */
    uint16_t needs[5], target[8], source[9]; /* registers, numbered densely over the frame */
    /* clocks from its issue to that of the warp's next one at least, as the machine code says
     * itself */
    uint32_t stall;
    uint32_t latency; /* from issue until its results can be used; of a branch: until the warp's next one can issue */
    uint8_t cause;    /* SIM_STALL_...: what those wait for who need its results */
    bool done_or_not; /* choose.c: what it names last says whether it is done */
    uint8_t tested;   /* likewise: its last target is a predicate, there after so many clocks; 0: it is not */
    bool folded;      /* a shared load that became an operand of what uses it */
    uint8_t joined_bytes; /* several accesses of the text in one of this size; 0: its own */
    char apart[64];
} step;
_Static_assert(sizeof(step) / 64 % 2 == 1, "see above");

/* What may be performed before its time has come: an instruction on registers cannot be told from
 * outside. */
enum act {
    ACT_RUN,   /* registers only */
    ACT_LEAVE, /* goes elsewhere: the end of a stretch */
    ACT_LOCAL, /* seen by warps of the same multiprocessor: shared memory, barriers, the clock */
    ACT_GLOBAL /* seen by all */
};

enum { TURN_NEXT = 1, TURN_FIRST, TURNS = 4 };

typedef struct program {
    step *steps;
    uint32_t count, room;
    uint32_t *first; /* by pc: the first step at or behind it */
    uint32_t *stop;  /* by pc: the first pc at or behind it that is no ACT_RUN, or has ways for odd numbers */
    uint8_t *act;    /* by pc */
    uint32_t *odd;   /* by pc: the first of its steps for odd numbers, behind all others (odd.c); 0: it has none */
    /* by pc: of a jump that is none in the machine code, the first pc behind what it jumps over,
     * whose instructions are issued with no lane on; 0: of others */
    uint32_t *over;
    bool *plain;      /* by pc: an act that may be performed ahead of its time where no race is of interest (ahead.h) */
    uint8_t *length;  /* by pc: of what is performed together: a guard and what it guards, accesses that are one */
    uint8_t *narrow;  /* by pc: NARROW_... */
    uint8_t *entered; /* by pc: how many jumps go there, up to 2 */
    uint8_t *reached; /* by function: it has steps */
    bool *alike;      /* by pc, of uniform_find */
    /* by pc: lanes that may have parted meet at this ENTER, which has a step for that; of branches:
     * at which they part (meet.c) */
    bool *meets;
    uint16_t carry;     /* the register that stands for the carry flag */
    uint16_t chain;     /* the register that instructions which are several pass on */
    uint16_t check;     /* and the one that says whether these are odd numbers */
    uint32_t registers; /* and two: one always ready, one that nobody reads */
} program;
/* For a launch of this kernel: functions that it cannot reach have no steps. False: out of memory.
 */
bool program_make(program *p, const code_module *m, const sim *card, const code_func *kernel);
void program_free(program *p);
/* with steps of its own, the only thing to be freed. False: out of memory */
bool program_copy(program *p, const program *from);
/* memory that multiprocessors share */
bool program_reaches_all(const code_module *m, uint32_t pc, const exec_table *ops);
bool program_reads_clock(const code_module *m, uint32_t pc, const exec_table *ops);
/* By pc, how many jumps go there, up to 2; with `p` only those that are left in its machine code.
 * To be freed. NULL: out of memory. */
uint8_t *program_entries(const code_module *m, const program *p, const exec_table *ops);
size_t program_most_registers(const code_module *m); /* of the text's functions, and one */
/* adds what `pc` reads and writes */
void program_names(step *s, const code_module *m, uint32_t pc, uint32_t *registers);

/* ---- cost.c ---- */
void cost_estimate(step *s, const code_module *m, uint32_t pc, const sim_timing *t);
/* A multiply-add that is two instructions: the second one, which needs the first one's result;
 * false: there is none. */
bool cost_second(step *s, const code_module *m, uint32_t pc, const sim_timing *t);
static inline enum unit cost_product_unit(const sim_timing *t) { return t->products_apart ? UNIT_PRODUCT : UNIT_FLOAT; }
bool cost_native_multiply(const sim_timing *t); /* a 32-bit multiply-add is one instruction */
/* what several instructions together need not cost */
void cost_fold(program *p, const code_module *m, const sim_timing *t);

/* ---- narrow.c ---- */
enum {
    NARROW_NOT,
    NARROW_PRODUCT /* of two numbers of 32 bits */,
    NARROW_FACTOR /* one of 32 */,
    NARROW_32 /* as with 32 bits */,
    NARROW_FREE
};
uint8_t *narrow_find(const code_module *m); /* by pc; to be freed. NULL: out of memory */

/* ---- uniform.c ---- */
/* By pc: a compiler can tell that all lanes of a warp have alike what the instruction reads; of an
 * atomic, its address. To be freed. NULL: out of memory. */
bool *uniform_find(const code_module *m, const exec_table *ops);

/* ---- meet.c ---- */
/* program.meets; to be freed. NULL: out of memory */
bool *meet_find(const code_module *m, const bool *alike, const sim *card);
/* where all branches have become predicates nobody meets */
void meet_drop(program *p, const code_module *m, const exec_table *ops);

/* ---- expand.c ---- */
/* What the instruction at `pc` is in machine code, a letter each (see there), when that is more
 * than one; NULL: one, as cost.c says. */
const char *expand_sequence(const program *p, const code_module *m, uint32_t pc, const sim *card);
void expand_cost(step *s, char letter, const sim_timing *t);
/* The constants of a block, while its instructions are gone through in order. */
enum { EXPAND_CONSTANTS = 64, EXPAND_MOVES = 6 /* of an instruction at most */ };
typedef struct expand_constants {
    bool begun, again; /* again: they are too many to stay in registers */
    uint32_t block, count;
    uint64_t seen[EXPAND_CONSTANTS];
} expand_constants;
/* of constants, in front of the instruction at `pc` */
uint32_t expand_moves(expand_constants *e, const code_module *m, uint32_t pc);

/* ---- odd.c ---- */
/* The steps that the instruction at `pc` (which expand_sequence knows) has for odd numbers: how
 * many, and they themselves. */
uint32_t odd_count(const code_module *m, uint32_t pc);
void odd_steps(step *s, const code_module *m, uint32_t pc, const sim_timing *t);
/* How many of them follow when it is performed now, from which on; 0: the numbers are ordinary.
 * `pc` may be that of its guard. */
uint32_t odd_taken(const warp *w, const code_module *m, uint32_t pc, uint32_t *from);

/* ---- combine.c ---- */
/* the same, on newer cards; false: out of memory */
bool combine_steps(program *p, const code_module *m, const sim *card);

/* ---- wait.c ---- */
/* how long each step's next one waits for it; false: out of memory */
bool wait_state(program *p, const code_module *m, const sim *card);

/* ---- reads.c ---- */
/* what each step takes of the register file; false: out of memory */
bool reads_count(program *p, const code_module *m, const sim_timing *t);

/* ---- early.c ---- */
/* loads that the machine code has earlier than the text; false: out of memory */
bool early_mark(program *p, const code_module *m, const exec_table *ops);

/* ---- memory.c: everything behind a memory instruction, for all multiprocessors of the card:
 * ports, caches, DRAM.
 *
 * clock.c calls time_ask once for each access that an instruction made, in the order of `now`
 * within a multiprocessor. What only that one knows of is found out at once; what multiprocessors
 * share, where there are caches, by time_answer_all: nobody hears from there within time_window
 * clocks, so that each multiprocessor can go on by itself for so long. All others must have asked
 * up to there then. Without caches all is found out at once, and the order of `now` must be that of
 * all multiprocessors. When a->halves is not HALVES_ANY, only address[0] and address[16] are set.
 */
typedef struct time_memory_state time_memory_state;
/* a warp that asks */
typedef struct time_asker {
    uint32_t multiprocessor, warp; /* its place there */
    uint32_t who;                  /* gets the answers */
    ticks now;
    /* where its local memory lies, whose words are interlaced: the first one of all lanes, then the
     * second one of all lanes */
    uint64_t local;
} time_asker;
typedef struct time_access {
    ticks extra_issue; /* the instruction keeps its issue slot that much longer: further passes over the banks */
    /* when the data of a load are there; of a store or an atomic without a result: when it is over
     */
    ticks done;
    /* of the time from now to done: spent for the multiprocessor's port; behind it for DRAM, of
     * shared memory for bank conflicts. The rest is latency */
    ticks port, behind;
} time_access;
typedef struct time_usage {
    /* clocks that the ports, the slices of the L2 and the channels of DRAM were busy, all of them
     * together */
    double port, l2, dram;
    uint64_t dram_bytes;      /* moved */
    double channel, channels; /* clocks that the busiest channel was; how many there are */
    double longest;           /* clocks that the busiest channel, slice of the L2 or word was, or a port on average */
} time_usage;
/* Multiprocessors that follow each other are in one group: different host threads may ask for those
 * of different groups at once. */
static inline uint32_t time_group_of(uint32_t mp, uint32_t mps, uint32_t groups)
{
    return (uint32_t)((uint64_t)mp * groups / mps);
}
/* For some of the card's multiprocessors, whose work is to all others' as `timed` to `others`;
 * alike: program.alike; shared_bytes: in use on each. NULL: out of memory. */
time_memory_state *time_memory_open(launch *l, const bool *alike, uint32_t multiprocessors, uint32_t groups,
                                    uint32_t timed, uint32_t others, uint64_t shared_bytes);
void time_memory_close(time_memory_state *m);
/* How many answers `by->who` will get; *r is what is known without them. */
uint32_t time_ask(time_memory_state *m, const time_asker *by, const access *a, time_access *r);
/* soon: the host may fetch what that needs */
void time_will_ask(const time_memory_state *m, uint32_t multiprocessor, uint64_t address);
typedef struct time_answer {
    uint32_t who;
    time_access r;
} time_answer;
/* A shuffle, or a load or a store of which no lane is on: it goes through the port all the same.
 * How long it waits for that. */
ticks time_port(time_memory_state *m, uint32_t multiprocessor, ticks now);
/* all that was asked so far; *first: when the first answer is there. False: out of memory */
bool time_answer_all(time_memory_state *m, ticks *first);
/* to what the group asked, once */
const time_answer *time_answers(time_memory_state *m, uint32_t group, uint32_t *count);
clocks time_window(const time_memory_state *m); /* 0: nothing is asked, all is known at once */
#define TIME_LOCAL (UINT64_C(1) << 57)          /* local memory of all warps, behind all addresses of global memory */
time_usage time_memory_usage(const time_memory_state *m);
void time_l2_empty(sim *s);
void time_written(sim *s, uint64_t address, uint64_t bytes); /* by the host */
/* What the L2 holds before a launch that may have to begin again. False: out of memory. */
typedef struct time_l2_kept {
    struct cache *tags;
    int64_t time;
} time_l2_kept;
bool time_l2_keep(sim *s, time_l2_kept *k);
void time_l2_back(sim *s, const time_l2_kept *k);

/* ---- clock.c ---- */
enum { CLOCK_GROUPS = 12 }; /* of multiprocessors, at most */
time_run_fn SIM_NAME(time_run);
/* Blocks in timed order: all that are to be timed; sets l->cycles. Each of the workers from `k` on
 * is for one group of multiprocessors; they may go on side by side (l->crew). */
static inline int time_run(launch *l, worker *k, int groups) { return l->s->ops->time_run(l, k, groups); }

/* ---- sample.c ---- */
/* the sample has been run, the others have not: about what time_finish will say of l->cycles */
uint64_t time_soon(const launch *l);
/* after the others have run: l->cycles of all; those from all[1] on ran the sample (l->clocks) */
void time_finish(launch *l, worker *all, int n);

#endif
