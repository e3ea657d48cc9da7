/* watch.h: accesses, as they are reported to checkers and counters when w->watch says so. */
#ifndef SIM_WATCH_H
#define SIM_WATCH_H

#include "machine/lane_mask.h"

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
/* The block whose shared memory an access reaches. */
static inline block *access_block(const warp *w, const access *a) { return a->of ? a->of : w->block; }

/* How the active lanes of an access lie, computed once for all checkers. */
typedef struct pattern {
    uint32_t mask;      /* as in the access */
    int first, last;    /* lowest and highest active lane */
    bool contiguous;    /* all 32 lanes, consecutive */
    bool uniform;       /* every active lane at one address */
    uint64_t low, high; /* first byte touched, one past the last */
    uint16_t passes;    /* over the 32 banks of shared memory, computed by count_access; else 0 */
} pattern;

/* Called before the access is performed. False: a fault was raised; the operation
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
/* A copy of a lane has landed: bytes came from a place of the block's shared memory, or the card's, to another. */
typedef struct landing {
    block *of; /* shared memory that it came to; NULL: global memory */
    uint64_t to, from;
    uint8_t from_space;
    uint32_t bytes;
    bool reduces; /* they were combined with what was there */
} landing;
void watch_landed(warp *w, int lane, const landing *c);
/* Consecutive lanes, any number, that load or store `bytes` each from `off`: counts them, and
 * checks or marks their bytes as written. Only counters and the check for unwritten memory watch.
 * al NULL: shared memory. False: nothing was done, a checker must look closer. */
bool watch_run(warp *w, const insn *in, const alloc *al, uint64_t off, uint32_t bytes, uint32_t first, uint32_t lanes,
               enum access_kind kind);

void watch_expand(const warp_halves *h, access *out);
void watch_see(pattern *p, const access *a);

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
