/* clock.h: the state of a launch in timed order. See clock.c. */
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include "time.h"
#include "over_time.h"
#include "queue.h"
#include "machine/host_memory.h"

enum { PRODUCTS = 8 /* groups of warpgroup products whose ends are known */ };
enum warp_state { WARP_READY, WARP_WAITS, WARP_DONE };

/* The first 64 bytes hold what each step needs. */
typedef struct timed_warp {
    step *at, *end;     /* the steps that it has still to issue */
    step *act;          /* the event among them; `end`: none */
    clocks free, ready; /* when its last step lets it issue again; when its next step can issue */
    key floor, why;     /* no issue before this, whatever the registers say; what decided `ready` */
    uint32_t last_pc;   /* issued last */
    uint8_t turn;       /* of an unrolled loop (hoist_loads.c) */
    uint8_t bit, sched; /* its place in the queue of its scheduler */
    bool scattered;     /* more registers wait for memory than the targets of loads */
    enum warp_state state;
    /* the event: multiprocessors share what it reaches; it has been performed, or else `in` is
     * performed at its time */
    bool all, performed;
    uint8_t accesses; /* that the event made when it was performed */
    uint32_t place;   /* among its multiprocessor's warps: those of a block are neighbours */
    warp *w;
    const insn *in;          /* what it performs next; NULL: a split must be picked first */
    char *ahead;             /* its row of what was found ahead of its time (ahead.h) */
    char *found, *found_end; /* the part of the row that has not begun */
    struct timed_block *of;
    uint64_t was[2]; /* its instructions when the last two parts of a huge wave ended */
    uint64_t goal;   /* where parts are skipped: its instructions after them */
    /* warpgroup products: when its last one is over; how many groups it has committed; when the last
     * ones of these are over */
    clocks product, products[PRODUCTS];
    uint32_t committed;
    clocks fenced;          /* when its last fence beyond the block ended */
    split stands;           /* and the split that it must be in again */
    struct film_warp *film; /* NULL: it is not filmed (filming.h) */
    _Alignas(64) key reg[]; /* when each register is ready */
} timed_warp;

typedef struct timed_block {
    block *b;
    uint32_t index, multiprocessor; /* place: among the blocks of the multiprocessor */
    uint32_t ready, done;           /* warps in that state */
    clocks begin;
} timed_block;

/* The warps of one block at one scheduler: their bits in its queue, and the bit that the next turn
 * begins at. */
typedef struct share_of_block {
    uint64_t warps;
    uint32_t turn;
    uint32_t left; /* warps that have not ended */
} share_of_block;

typedef struct scheduler {
    HOST_APART queue queue;
    clocks now, free, next;  /* when it last looked for a warp; can issue again; will issue */
    clocks reading;          /* when its registers have been read, times register_reads */
    clocks unit_free[UNITS]; /* when each of its units takes another instruction */
    uint8_t unit[64];        /* by bit of the queue: the unit that the warp's next step needs */
    char *warps;             /* by bit of the queue, timed.stride bytes apart */
    share_of_block *shares;  /* of the blocks it holds, oldest first */
    /* warps that wait for others; blocks whose warps here have all ended. Only through these can
     * others make something happen here */
    uint32_t waiting, over;
    over_time *over_time;  /* of the first multiprocessor; others: NULL */
    timed_warp *unsettled; /* its next step must be found when this scheduler comes first of all; NULL: none */
} scheduler;

typedef struct multiprocessor {
    HOST_APART struct timed *group; /* that it belongs to */
    scheduler *schedulers;
    char *ahead;            /* room for a row for each place of a warp */
    timed_block *blocks;    /* per_mp of them */
    uint32_t *order;        /* the first `count` hold a block, oldest first; the others follow */
    uint32_t count, starts; /* starts: blocks that ended and make room for others at start_at */
    clocks start_at, busy_since;
    clocks event; /* when it will do something that all can see */
    clocks over;  /* when all that it has asked L2 and DRAM for is over, as far as they have answered */
    uint32_t index, gpc;
    bool made, begun; /* its warps are; it has had a block */
    bool asked;       /* it has asked L2 or DRAM for something since its last fence beyond the block */
} multiprocessor;

/* Stands for a time that is not known yet; later than all known times. Added to it: | number of who
 * asked for it | clocks after the answer : 12 |. */
#define UNKNOWN ((key)1 << 62)
enum { UNKNOWN_BITS = 12 };
static inline key unknown(uint32_t asked) { return UNKNOWN + ((key)asked << UNKNOWN_BITS); }
static inline key unknown_clocks(key k) { return k & ((1 << UNKNOWN_BITS) - 1); }

/* A step whose results are there when L2 or DRAM has answered. */
typedef struct asking {
    timed_warp *v;
    multiprocessor *m;
    const step *s;
    clocks now; /* when it was issued */
    key done;   /* as far as is known */
    bool sends; /* those copies store: they are over when their bytes have been read, whatever the answer */
    uint32_t flight, flights; /* of copies in the background that it began: their places in bulk_traffic.lands */
    bool tensor;
    uint32_t left; /* answers to come */
} asking;

/* A warp that waits at a fence for what its multiprocessor asked for before: not all of it has been answered. */
typedef struct fencing {
    timed_warp *v;
    multiprocessor *m;
    clocks now; /* when it was issued */
    key floor;  /* of the warp as far as is known */
    clocks takes;
    clocks until; /* when what it waits for is over, as far as it has been answered */
} fencing;
enum { FENCINGS = 4096 };

/* A group: neighbouring multiprocessors that one host thread runs while others run other groups.
 * Groups share only the course, the launch, the card's times, the memory and the program but for
 * its steps. */
typedef struct timed {
    HOST_APART struct course *course;
    launch *l;
    worker *k;
    const sim_timing *t;
    program p;                         /* its steps are the group's own */
    uint32_t per_mp, schedulers, bits; /* bits: warps of a scheduler at most */
    /* bytes from warp to warp, registers included. An odd number of the host's cache lines, so that
     * the same lines of all warps spread over the cache */
    size_t stride;
    time_memory_state *memory;
    /* no answer of the memory is heard within `window`; all run up to `horizon`, then hear */
    clocks window, horizon;
    clocks apart; /* within it, schedulers of a multiprocessor do not see what others do */
    bool follow;  /* blocks take the place of others */
    asking *asking;
    uint32_t askings;
    size_t asking_room;
    fencing *fences; /* of this window: FENCINGS of them; NULL: none yet */
    uint32_t fence_count;
    uint32_t index, first, count;   /* among the groups; its multiprocessors */
    uint64_t (*stalls)[SIM_STALLS]; /* by pc */
    uint64_t issued;
    clocks end; /* when everything so far is over */
    /* clocks per instruction of a block's longest warp, the least of all ended blocks; 0: none
     * ended */
    double brisk;
    /* clocks: of multiprocessors with blocks; of warps; of schedulers, for extra issue */
    uint64_t busy, resident, extra;
    /* products of matrices, while which the card's clock is slower: the first begins, the last ends; the slowest clock
     * that they bring about, kHz. 0: none so far */
    clocks products_from, products_to;
    int khz;
    bool ahead; /* plain accesses may be performed ahead of their time */
    bool failed, out_of_memory;
} timed;

/* The launch, for all groups: none touches it while they run side by side. */
typedef struct course {
    launch *l;
    timed group[CLOCK_GROUPS];
    uint32_t groups;
    char *places; /* all warps and their rows */
    time_memory_state *memory;
    over_time over_time[1];
    multiprocessor *mps, **heap; /* heap: the first `used`, by event */
    uint32_t mp_count, used;
    uint64_t begun, blocks;        /* blocks that have started; that are to be timed */
    ticks dispatcher, block_start; /* when the next block may start; the time between two */
    clocks parameters;             /* how long a multiprocessor's first block waits for them */
    clocks block_turn;             /* from the end of a block until another has taken its place */
    uint32_t each;                 /* blocks of a cluster */
    bool disturbed;                /* something happened on another multiprocessor than the one that runs */
    bool parted;                   /* a part of a huge wave is over */
    bool helps;                    /* groups run side by side */
    /* windows so far; steps that could be done side by side since there were `looked` steps */
    uint64_t windows, apart, looked;
} course;

void clock_report(course *c); /* clock_report.c */

#endif
