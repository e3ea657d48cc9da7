/* bulk.h: copies in the background, of bytes and of boxes of tensors. False: a fault was raised. */
#ifndef SIM_BULK_H
#define SIM_BULK_H

#include "async.h"

/* Background copies of bytes or boxes of tensors. Arrays are by lane. */
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

/* ---- for the files of this room ---- */
bool bulk_land(warp *w, job *j, int lane);
bool bulk_goes_to(const warp *w, const job *j, int lane, const block *b);
/* Timed launches: a new flight, of which the clock will hear; `rows`: see bulk_traffic. */
bool bulk_flight(warp *w, const insn *in, uint32_t rows);

/* Reports one thread's access to the checks that know threads and bytes; counters and the clock hear
 * of it otherwise. */
bool bulk_report(warp *w, const insn *in, int lane, uint8_t space, uint64_t at, uint32_t bytes, enum access_kind kind,
                 alloc *al);
bool bulk_bad(warp *w, const insn *in, int lane, uint64_t at, const char *space, const char *what); /* false */

#endif
