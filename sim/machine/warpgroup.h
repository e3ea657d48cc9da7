/* warpgroup.h: products of matrices that four warps of a block make together (wgmma).
 *
 * Each warp of a warpgroup issues the product by itself, and goes on. What the four have in common
 * is a job of their warpgroup: the n-th product of one warp is the n-th of the others. A job is
 * made when one of the warps waits for it, never earlier: until then registers hold what they held,
 * as they may on a card. It is made for all four at once, since a card's product has read its
 * shared memory when one warp is told that it is over. Products of a warpgroup are made in order.
 *
 * run/warpgroup.c keeps the jobs and says who waits for whom; exec/wgmma.c makes them.
 */
#ifndef SIM_WARPGROUP_H
#define SIM_WARPGROUP_H

#include "machine.h"

enum { GROUP_WARPS = 4, GROUP_ALL = (1 << GROUP_WARPS) - 1, GROUP_JOBS = 256 /* in flight, at most */ };

typedef struct group_job {
    const insn *in;
    uint64_t a, b;               /* descriptors; a: 0 when A is in registers */
    bool adds;                   /* scale-d: D is added to, not replaced */
    uint32_t first;              /* warp of the block: the first of the four */
    uint32_t issued;             /* warps that have issued it, a bit each */
    uint32_t batch[GROUP_WARPS]; /* by warp: how many groups it had committed before */
    char *regs[GROUP_WARPS];     /* their frames */
    uint32_t a_regs[GROUP_WARPS][4][32];
} group_job;

typedef struct warpgroup {
    group_job *jobs; /* not made yet, in order */
    uint32_t count;
    size_t room;
    uint64_t made;                   /* jobs before the first of these */
    uint64_t issued[GROUP_WARPS];    /* by each warp */
    uint32_t committed[GROUP_WARPS]; /* groups closed so far */
    uint32_t registers[GROUP_WARPS]; /* per thread, as setmaxnreg left them; 0: as launched */
    void *scratch;                   /* of exec/wgmma.c; freed with the block */
} warpgroup;

static inline uint32_t group_rank(const warp *w) { return w->index % GROUP_WARPS; }

/* run/warpgroup.c */
void warpgroup_start(block *b); /* a block begins */
void warpgroup_free(block *b);
warpgroup *warpgroup_of(warp *w, const insn *in); /* NULL: a fault was raised */
/* The warp issues its next product. NULL: a fault was raised, the others have issued another one. */
group_job *warpgroup_issue(warp *w, const insn *in, uint64_t a, uint64_t b, bool adds);
/* The product is in all four warps' hands: those that wait for it try again. */
void warpgroup_release(block *b, uint32_t warp);
/* The warp waits until at most `keep` of its groups are pending: how many jobs must be made first.
 * False: others have not issued them; *next says how to go on. */
bool warpgroup_due(warp *w, const insn *in, uint32_t keep, uint32_t *due, const insn **next);
void warpgroup_forget(warpgroup *g, uint32_t count); /* the first ones, which have been made */
/* setmaxnreg: the warp has so many registers per thread from here on. False: as warpgroup_due. */
bool warpgroup_registers(warp *w, const insn *in, uint32_t wanted, bool more, const insn **next);
/* what a split in SPLIT_GROUP waits for, for messages */
const char *warpgroup_waits(const warp *w, const split *s, char *out, size_t size);

#endif
