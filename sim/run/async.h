/* async.h: asynchronous copies, those in flight, and barrier objects in shared memory (mbarrier). False: a fault was
 * raised. */
#ifndef SIM_ASYNC_H
#define SIM_ASYNC_H

#include "run.h"
#include "tensor_map.h"

/* to[i] = op(to[i], from[i]) */
typedef void bulk_reduce_fn(uint32_t op, uint32_t type, char *to, const char *from, uint32_t bytes);

enum job_kind { JOB_COPY, JOB_BULK_GROUP, JOB_BULK_BARRIER, JOB_ARRIVE };

typedef struct job {
    const insn *in;
    uint32_t mask;       /* lanes whose copy is not made yet */
    uint8_t kind, space; /* space: of the destination */
    uint8_t source_space;
    uint32_t flight;               /* timed launches: its place in bulk_traffic.lands, counted from 1; 0: none */
    alloc *al;                     /* of the destination, when one holds all lanes */
    uint32_t bytes[32], taken[32]; /* written; copied of these, the rest is zero */
    uint32_t group[32];
    uint32_t barrier[32]; /* JOB_BULK_BARRIER, JOB_ARRIVE: the object's offset in shared memory */
    uint64_t at[32];      /* destination within its space */
    char *to[32];
    const char *from[32];
    uint64_t source[32]; /* the source within its space */
    /* bulk copies: */
    block *there[32];    /* whose shared memory they write, and whose barrier object hears of it */
    uint32_t blocks[32]; /* multicast: ranks of these, a bit each; 0: one block */
    bulk_reduce_fn *reduce;
    uint32_t op, type;
    uint64_t issued; /* the time of check/proxy.c at which they began to read shared memory */
    bool again;      /* a lane before it in the warp makes the same copy from shared memory */
    bool tensor;     /* one lane only: */
    sim_tensor_map map;
    int32_t box[5];
} job;

typedef struct async_state {
    job *jobs;
    uint32_t count, capacity;
    uint32_t committed[2][32]; /* groups closed so far, by lane: [0] copies, [1] bulk copies */
    /* The last wait for groups did not come through: its lanes (0: it did, or something has changed since), what it
     * waited for, and how many of these copies had landed. It has nothing to do until another one has. */
    uint32_t waiting, waits_keep, waits_landed;
    bool waits_bulk;
    const insn *tested; /* the last test of a barrier object, which did not pass; NULL: it did */
    uint32_t object;    /* its offset in shared memory */
    uint32_t parity;    /* that it asked for */
    uint32_t failures;  /* one after the other, of this same test */
    uint32_t unseen;    /* phases that ended since, from the one that it asked for on */
} async_state;

void async_warp_start(warp *w);
void async_warp_free(warp *w);
bool async_copy(warp *w, const insn *in, const reach *to, const reach *from, uint32_t bytes, const uint32_t *taken);
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

/* ---- for the files of this room ---- */
job *job_new(warp *w, const insn *in, enum job_kind kind); /* NULL: a fault was raised */
bool job_report(warp *w, const insn *in, uint32_t mask, uint8_t space, const uint64_t *at, uint32_t bytes,
                enum access_kind kind, uint8_t order, alloc *al);
/* The thread that issued it tells whoever tests the object. */
bool job_release(warp *w, const insn *in, int lane, uint32_t barrier);
/* So many bytes have come. */
bool mbarrier_complete(warp *w, const insn *in, int lane, uint64_t at, char *object, uint32_t bytes);
/* Changes what is pending and awaited on one object. False: a fault. */
bool mb_change(warp *w, const insn *in, int lane, uint64_t at, char *host, int64_t arrivals, int64_t bytes,
               uint32_t drop, bool may_complete);

/* Copies that outlive their block are made. The race check names those that may still read its memory. */
void async_block_ends(block *b);
/* "the barrier object in ... lacks ...", of the last test that failed. False: there is none. bytes_alone: all have
 * arrived, but bytes are missing, or are too many. */
bool async_lacks(const warp *w, bool *bytes_alone, char *out, size_t size);
/* Two phases of the object ended before the warp that waits for the first looked again: it waits for ever. */
bool async_overtaken(const warp *w);
/* What a warp that does not come to an end waits for: "; it waits at the barrier object ..."; "" nothing. */
void async_waits_for(const warp *w, char *out, size_t size);
/* idle_tests.c: a test of a barrier object failed. False: nobody of the cluster does anything else, a fault. */
bool async_test_failed(warp *w);

#endif
