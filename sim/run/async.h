/* async.h: copies in flight, for async.c and bulk.c. */
#ifndef RUN_ASYNC_H
#define RUN_ASYNC_H

#include "machine/machine.h"
#include "tensor_map.h"

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

job *job_new(warp *w, const insn *in, enum job_kind kind); /* NULL: a fault was raised */
bool job_report(warp *w, const insn *in, uint32_t mask, uint8_t space, const uint64_t *at, uint32_t bytes,
                enum access_kind kind, uint8_t order, alloc *al);
/* The thread that issued it tells whoever tests the object. */
bool job_release(warp *w, const insn *in, int lane, uint32_t barrier);
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

/* bulk.c */
bool bulk_land(warp *w, job *j, int lane);
bool bulk_goes_to(const warp *w, const job *j, int lane, const block *b);
/* Timed launches: a new flight, of which the clock will hear; `rows`: see bulk_traffic. */
bool bulk_flight(warp *w, const insn *in, uint32_t rows);

/* Reports one thread's access to the checks that know threads and bytes; counters and the clock hear
 * of it otherwise. */
bool bulk_report(warp *w, const insn *in, int lane, uint8_t space, uint64_t at, uint32_t bytes, enum access_kind kind,
                 alloc *al);
bool bulk_bad(warp *w, const insn *in, int lane, uint64_t at, const char *space, const char *what); /* false */
/* bulk_map.c. `name`: "the tensor map in parameter 0". */
bool bulk_map_read(warp *w, const insn *in, int lane, uint64_t at, sim_tensor_map *m, char *name, size_t size);
/* Bytes of a row that are in no buffer: raises the fault, and returns false. */
bool bulk_map_leaves(warp *w, const insn *in, int lane, const sim_tensor_map *m, const char *name, uint64_t at,
                     uint32_t bytes, const alloc *al, enum access_kind kind);

#endif
