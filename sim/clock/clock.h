/* clock.h: the state of a launch in timed order. See clock.c. */
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include "time.h"
#include "queue.h"
#include "machine/host_memory.h"

enum warp_state { WARP_READY, WARP_WAITS, WARP_DONE };

/* What is needed for each step stands in its first 64 bytes. */
typedef struct timed_warp {
    step *at, *end;     /* its steps that have still to be issued */
    step *act;          /* the one of them that others can see; `end`: there is none */
    clocks free, ready; /* when its last step had been issued; when its next one has all it needs */
    key floor, why;     /* not before this, whatever the registers say; what decided `ready` */
    uint32_t last_pc;   /* issued last */
    uint8_t turn;       /* of a loop that is unrolled */
    uint8_t bit, sched; /* its place in the queue of its scheduler */
    bool scattered;     /* more registers wait for memory than those that loads name */
    enum warp_state state;
    /* the act: multiprocessors share what it reaches; it has been performed, else `in` is performed
     * at its time */
    bool all, performed;
    uint8_t accesses; /* that it made then */
    uint32_t place;   /* among its multiprocessor's warps: those of a block follow each other */
    warp *w;
    const insn *in;          /* what it will perform next; NULL: a split has to be picked */
    char *ahead;             /* where what was found of it ahead of its time stands in a row (ahead.h): */
    char *found, *found_end; /* what of that has not been begun */
    struct timed_block *of;
    uint64_t was[2];        /* its instructions when the last two parts of a huge filling were over */
    uint64_t goal;          /* where parts are left out: its instructions behind them, */
    split stands;           /* and where it is then, as it was before */
    _Alignas(64) key reg[]; /* when each register is ready */
} timed_warp;

typedef struct timed_block {
    block *b;
    uint32_t index, multiprocessor; /* its place there */
    uint32_t ready, done;           /* warps in that state */
    clocks begin;
} timed_block;

/* The warps of one block at one scheduler: their bits in its queue, and the bit at which the next
 * turn begins. */
typedef struct share_of_block {
    uint64_t warps;
    uint32_t turn;
    uint32_t left; /* that have not ended */
} share_of_block;

typedef struct scheduler {
    HOST_APART queue queue;
    clocks now, free, next;  /* when it last looked for a warp; can issue again; will issue */
    clocks reading;          /* when its registers have been read, times register_reads */
    clocks unit_free[UNITS]; /* when each of its units takes another instruction */
    uint8_t unit[64];        /* by bit of the queue: which one that warp's next step needs */
    char *warps;             /* by bit of the queue, timed.stride bytes apart */
    share_of_block *shares;  /* of the blocks it holds, oldest first */
    /* warps that wait for others; blocks whose warps here have all ended: only of these others can
     * make something happen here */
    uint32_t waiting, over;
    timed_warp *unsettled; /* whose next step has still to be found, when `next` is the first of all; NULL */
} scheduler;

typedef struct multiprocessor {
    HOST_APART struct timed *group; /* that it belongs to */
    scheduler *schedulers;
    char *ahead;            /* room for what is found ahead of its time, for each place of a warp */
    timed_block *blocks;    /* per_mp of them */
    uint32_t *order;        /* the first `count`: those that hold a block, oldest first; the others behind */
    uint32_t count, starts; /* starts: blocks that ended and make room for others at start_at */
    clocks start_at, busy_since;
    clocks event; /* when it will do something that all can see */
    uint32_t index;
} multiprocessor;

/* In place of a time that nobody knows yet: later than all others. | number of who asked for it |
 * clocks that it takes from there : 12 | is added. */
#define UNKNOWN ((key)1 << 62)
enum { UNKNOWN_BITS = 12 };
static inline key unknown(uint32_t asked) { return UNKNOWN + ((key)asked << UNKNOWN_BITS); }
static inline key unknown_clocks(key k) { return k & ((1 << UNKNOWN_BITS) - 1); }

/* A step whose results are there when L2 or DRAM has answered. */
typedef struct asking {
    timed_warp *v;
    multiprocessor *m;
    const step *s;
    clocks now;    /* when it was issued */
    key done;      /* what is known so far; */
    uint32_t left; /* answers are still to come */
} asking;

/* Some neighbouring multiprocessors, and what one host thread needs to go on with them while others
 * go on with other groups. All groups but their `course` and what it is for is their own. */
typedef struct timed {
    HOST_APART struct course *course;
    launch *l;
    worker *k;
    const sim_timing *t;
    program p;                         /* its steps are the group's own */
    uint32_t per_mp, schedulers, bits; /* bits: warps of a scheduler at most */
    /* from warp to warp, with its registers: an odd number of lines of the host's cache, so that
     * like lines of all warps spread over it */
    size_t stride;
    time_memory_state *memory;
    /* what is asked of memory is not heard of within `window`; all run up to `horizon`, then hear
     */
    clocks window, horizon;
    clocks apart; /* schedulers of a multiprocessor do not see within it what others do */
    bool follow;  /* blocks take the place of others */
    asking *asking;
    uint32_t askings, asking_room;
    uint32_t index, first, count;   /* among the groups; its multiprocessors */
    uint64_t (*stalls)[SIM_STALLS]; /* by pc */
    uint64_t issued;
    clocks end; /* when everything so far is over */
    /* of the blocks that have ended the clocks an instruction of their longest warp, where they
     * were fewest; 0: none has */
    double brisk;
    uint64_t busy, resident, extra; /* clocks: of multiprocessors; of warps; of schedulers, for further passes */
    bool ahead;                     /* plain accesses may be performed ahead of their time */
    bool failed, out_of_memory;
} timed;

/* The launch, for all groups: nobody touches it while they go on side by side. */
typedef struct course {
    launch *l;
    timed group[CLOCK_GROUPS];
    uint32_t groups;
    char *places; /* all warps, and what is found of them ahead of their time */
    time_memory_state *memory;
    multiprocessor *mps, **heap; /* heap: the first `used`, by event */
    uint32_t mp_count, used;
    uint64_t begun, blocks;        /* blocks that have started; all that are to be timed */
    ticks dispatcher, block_start; /* when the next block may start; the time between two */
    clocks block_turn;             /* until it has taken the place of another */
    bool parted;                   /* a part of a huge filling is over */
    bool helps;                    /* groups go on side by side */
    /* windows; steps that could have been done side by side since there were `looked` */
    uint64_t windows, apart, looked;
} course;

void clock_report(course *c); /* clock_report.c: what the launch has to say when all is over */

#endif
