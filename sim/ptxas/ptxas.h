/* ptxas.h: what NVIDIA's assembler would have made of the PTX, for time alone: results come from
 * the code that runs (code/).
 *
 *     program.c           the machine code, as steps along with the code that runs
 *     cost.c              what a PTX instruction costs, and which of them machine code does not have
 *     sequences.c         those that are several in machine code
 *     slow_paths.c        what these run in addition for special numbers
 *     combine.c           what several become together; short branches that become predicates
 *     predicates.c        predicates, and what chooses by them
 *     narrow.c            64-bit ones of which only 32 bits matter
 *     hoist_loads.c       loads that come earlier than in the text
 *     uniform.c           what is the same in all lanes of a warp, as far as a compiler can tell
 *     reconverge_cost.c   where lanes reconverge, and what it costs
 *     control_codes.c     how long each instruction makes the next one wait
 *     register_banks.c    what they read from the register file
 */
#ifndef SIM_PTXAS_H
#define SIM_PTXAS_H

#include "clocks.h"

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

/* One instruction of the machine code. The first 64 bytes, a line of the host's cache, hold what
 * each issue reads. A step takes three lines: with two, the first lines of all steps would share
 * half the cache. */
typedef struct step {
    _Alignas(64) key result; /* `latency` and `cause` as a key counted from its issue */
    uint64_t issued, waited; /* issues; clocks that it could have issued but did not */
    uint32_t slot;           /* clocks that it keeps the scheduler */
    uint32_t busy;           /* clocks until its unit can take another one */
    uint32_t next;           /* clocks until the warp's next one can issue: the slot, or `stall` */
    uint32_t pc;
    uint16_t need[4]; /* sources, each once, then one that is always ready; `more` of them are in needs */
    uint16_t into[2]; /* targets, then one that nobody reads */
    uint8_t more, unit;
    bool free; /* not in the machine code: its results are there with its sources */
    bool branch;
    uint8_t puts_off; /* hoist_loads.c: in so many of TURNS turns it does not wait for loads */
    uint8_t turn;     /* TURN_NEXT, TURN_FIRST: the turn of such a loop that begins after it; 0 */
    uint8_t targets, sources;
    /* a shuffle; or a load or a store that takes the multiprocessor's port even when no lane is
     * on */
    bool port;
    bool simple;   /* none of the rarer traits above, and no more registers than this line holds */
    uint8_t reads; /* registers that it reads (register_banks.c) */
    uint16_t needs[5], target[8], source[9]; /* registers, numbered densely over the frame */
    /* clocks at least from its issue to the warp's next one, as the machine code says */
    uint32_t stall;
    uint32_t latency; /* from issue until its results can be used; of a branch: until the warp's next one can issue */
    uint8_t cause;    /* SIM_STALL_...: what waits for its results are booked under */
    bool done_or_not; /* predicates.c: what it names last guards it */
    uint8_t tested;   /* likewise: clocks until its last target, a predicate, is ready; 0: it has none */
    bool folded;      /* a shared load that became an operand of what uses it */
    uint8_t product;  /* STEP_...: of wgmma */
    uint16_t product_busy, product_latency; /* STEP_PRODUCT: clocks of the tensor unit, and more until it is over */
    uint32_t product_keep;                  /* STEP_PRODUCT_WAIT: groups that may be pending */
    bool object;                            /* on a barrier object: it takes its latency, whatever it reaches */
    uint8_t joined_bytes;                   /* one access of this size for several of the text; 0: its own */
    uint16_t fence; /* clocks that its warp waits after it, until all of the card sees what came before; 0: none */
    char apart[54];
} step;
_Static_assert(sizeof(step) / 64 % 2 == 1, "see above");

/* What may be performed ahead of its time: nobody else can see an instruction on registers. */
enum act {
    ACT_RUN,   /* registers only */
    ACT_LEAVE, /* goes elsewhere: ends a stretch */
    ACT_LOCAL, /* seen by warps of the same multiprocessor: shared memory, barriers, the clock */
    ACT_GLOBAL /* seen by all */
};

enum { STEP_PRODUCT = 1, STEP_PRODUCT_COMMIT, STEP_PRODUCT_WAIT };
enum { TURN_NEXT = 1, TURN_FIRST, TURNS = 4 };

typedef struct program {
    step *steps;
    uint32_t count, room;
    uint32_t *first; /* by pc: the first step at or after it */
    uint32_t *stop;  /* by pc: the first pc at or after it that is no ACT_RUN, or has slow paths */
    uint8_t *act;    /* by pc */
    /* by pc: the first step of its slow paths, which come after all others (slow_paths.c); 0:
     * none */
    uint32_t *slow;
    /* by pc: of a jump that machine code does not have, the first pc after what it jumps over,
     * which issues with no lane on; 0: of others */
    uint32_t *over;
    /* by pc: an event that may be performed ahead of its time where no race is of interest
     * (ahead.h) */
    bool *plain;
    uint8_t *length;  /* by pc: instructions performed together: a guard and what it guards, joined accesses */
    uint8_t *narrow;  /* by pc: NARROW_... */
    uint8_t *entered; /* by pc: how many jumps go there, up to 2 */
    uint8_t *reached; /* by function: it has steps */
    bool *alike;      /* by pc, of uniform_find */
    /* by pc: lanes that may have parted reconverge at this ENTER, which has a step for it; or they
     * part at this branch (reconverge_cost.c) */
    bool *meets;
    uint16_t carry;     /* the register that stands for the carry flag */
    uint16_t chain;     /* the register for what the instructions of a sequence pass on */
    uint16_t check;     /* and the one for their test for special numbers */
    uint32_t registers; /* and two: one always ready, one that nobody reads */
} program;
/* For a launch of this kernel: functions that it cannot reach have no steps. False: out of memory.
 */
bool program_make(program *p, const code_module *m, const sim *card, const code_func *kernel);
void program_free(program *p);
/* with steps of its own, which alone are to be freed. False: out of memory */
bool program_copy(program *p, const program *from);
/* memory that multiprocessors share */
bool program_reaches_all(const code_module *m, uint32_t pc, const exec_table *ops);
bool program_reads_clock(const code_module *m, uint32_t pc, const exec_table *ops);
/* By pc: how many jumps go there, up to 2; with `p` only those left in its machine code. To be
 * freed. NULL: out of memory. */
uint8_t *program_entries(const code_module *m, const program *p, const exec_table *ops);
size_t program_most_registers(const code_module *m); /* the most of a function of the text, plus one */
/* adds what `pc` reads and writes */
void program_names(step *s, const code_module *m, uint32_t pc, uint32_t *registers);

/* ---- cost.c ---- */
void cost_estimate(step *s, const code_module *m, uint32_t pc, const sim_timing *t);
/* A multiply-add that is two instructions: the second one, which needs the result of the first.
 * False: there is none. */
bool cost_second(step *s, const code_module *m, uint32_t pc, const sim_timing *t);
static inline enum unit cost_product_unit(const sim_timing *t) { return t->products_apart ? UNIT_PRODUCT : UNIT_FLOAT; }
bool cost_native_multiply(const sim_timing *t); /* a 32-bit multiply-add is one instruction */
/* what several instructions together need not cost */
void cost_fold(program *p, const code_module *m, const sim_timing *t);

/* ---- narrow.c ---- */
enum {
    NARROW_NOT,
    NARROW_PRODUCT /* of two such numbers */,
    NARROW_FACTOR /* one factor is such a number */,
    NARROW_32 /* as one on 32 bits */,
    NARROW_FREE
};
uint8_t *narrow_find(const code_module *m); /* by pc; to be freed. NULL: out of memory */

/* ---- uniform.c ---- */
/* By pc: a compiler can tell that all lanes of a warp read the same in the instruction; of an
 * atomic, the same address. To be freed. NULL: out of memory. */
bool *uniform_find(const code_module *m, const exec_table *ops);

/* ---- reconverge_cost.c ---- */
/* program.meets; to be freed. NULL: out of memory */
bool *meet_find(const code_module *m, const bool *alike, const sim *card);
/* where all branches have become predicates no lanes reconverge */
void meet_drop(program *p, const code_module *m, const exec_table *ops);

/* ---- sequences.c ---- */
/* The machine code of the instruction at `pc`, a letter per instruction (see there); NULL: one, as
 * cost.c says. */
const char *sequence_of(const program *p, const code_module *m, uint32_t pc, const sim *card);
void sequence_cost(step *s, char letter, const sim_timing *t);
/* The constants of a block; its instructions are gone through in order. */
enum { SEQUENCE_CONSTANTS = 64, SEQUENCE_MOVES = 6 /* of an instruction at most */ };
typedef struct sequence_constants {
    bool begun, again; /* again: they are too many to stay in registers */
    uint32_t block, count;
    uint64_t seen[SEQUENCE_CONSTANTS];
} sequence_constants;
/* of constants, before the instruction at `pc` */
uint32_t sequence_moves(sequence_constants *e, const code_module *m, uint32_t pc);

/* ---- slow_paths.c ---- */
/* The steps of the slow paths of the instruction at `pc` (which sequence_of knows): how many,
 * and the steps themselves. */
uint32_t slow_path_count(const code_module *m, uint32_t pc);
void slow_path_steps(step *s, const code_module *m, uint32_t pc, const sim_timing *t);
/* How many of them follow when it is performed now, and from which on; 0: the numbers are ordinary.
 * `pc` may be that of its guard. */
uint32_t slow_path_taken(const warp *w, const code_module *m, uint32_t pc, uint32_t *from);

/* ---- combine.c ---- */
/* what several instructions become, on newer cards; false: out of memory */
bool combine_steps(program *p, const code_module *m, const sim *card);

/* ---- control_codes.c ---- */
/* how long each step's next one waits for it; false: out of memory */
bool control_codes_make(program *p, const code_module *m, const sim *card);

/* ---- register_banks.c ---- */
/* what each step reads from the register file; false: out of memory */
bool register_reads_count(program *p, const code_module *m, const sim_timing *t);

/* ---- hoist_loads.c ---- */
/* loads that the machine code has earlier than the text; false: out of memory */
bool hoist_mark(program *p, const code_module *m, const exec_table *ops);

#endif
