/* unknown.h: bits that were never given a value, from where they are read to where they decide
 * something.
 *
 * Reading memory that was never written is no mistake by itself. Compilers load what only one side
 * of a condition needs and select afterwards, and copies of structs include the gaps between
 * members. So the unknown travels with the value, bit by bit, and is a fault where it decides: a
 * branch, a guard of something with an effect, an address, a lane or mask of a warp operation, what
 * printf prints, an output that the host compares. Only the check for unwritten memory does this.
 * The bits themselves do not change.
 *
 * Memory (unknown_memory.c). A bit per byte says that the whole byte is known: `init` of an allocation,
 * `shared_init` of a block, `local_init` of a warp. Loads and stores of known values need no more,
 * so the fast paths of exec/ know nothing else. For bytes without that bit `known_bits` says which of
 * their bits are known all the same, and where the unknown came from. The first store of something
 * unknown makes it; without it the bytes were never written.
 *
 * Registers. A warp runs as usual until something unknown is about to enter a register. Then it
 * turns *careful* (WATCH_UNKNOWN in w->watch): each instruction goes through unknown_step, which
 * computes the unknown bits of its results and then performs it as always. The unknown bits of
 * registers lie in memory of the same layout, with a bit per place that has any, so an instruction
 * without unknown operands costs little. When no place has any, the warp runs as usual again. All
 * accesses of a careful warp pass watch_access, where memory and registers exchange unknown bits
 * (unknown_access), whatever the instruction.
 *
 * How a warp turns careful: a load finds a byte that is not known. It returns NULL with
 * STOP_UNKNOWN before anything is counted, and unknown_first performs it again. Instructions that
 * access memory several times, and shuffles, finish first; what follows is careful (unknown_pause).
 *
 * Spreading (unknown_spread.c). A table over the opcodes: moves of bits (performed once more, on the
 * unknown bits instead of the values), logic by truth table (0 AND unknown is 0), selp, setp with
 * its logic, conversions between integers. For opcodes not in the table any unknown bit of a source
 * makes the whole result unknown: so a new opcode is safe.
 *
 * Origins (origin.c). An unknown value carries the number of an *origin*: the load that brought it,
 * with address and thread, or the inactive lane that a shuffle read. Of several the first source's
 * stays. A worker keeps a limited number; an origin that was overwritten is not named. Those of
 * bytes of global memory are kept beside them, since they outlive the launch.
 */
#ifndef SIM_UNKNOWN_H
#define SIM_UNKNOWN_H

#include "origin.h"

/* the unknown bits of one operand */
typedef struct row {
    uint64_t bits[32][2];
    uint32_t from[32];
    uint32_t lanes; /* that have any */
} row;

/* the unknown bits of a warp's registers */
struct unknown {
    char *bits;                         /* as reg_memory: set where the value's bit is unknown */
    uint32_t *from;                     /* by word of it: origin per lane; a predicate has one */
    uint64_t *dirty;                    /* a bit per word at which a place with any begins */
    uint32_t places;                    /* how many such places there are */
    uint32_t cc, cc_from;               /* the carry flag, by lane */
    uint32_t undecided, undecided_from; /* lanes whose guard is unknown ... */
    const insn *undecided_at;           /* ... of this instruction */
    char *scratch;
    row *apart; /* instead, for lanes of several splits gathered: 8 operands */
};

/* while the bitmaps say that all is known, nothing more has to be done */
bool unknown_easy(const warp *w, const access *a);
bool unknown_begin(warp *w, const insn *in); /* false: a fault, out of host memory */
void unknown_end(warp *w);                   /* frees */
void unknown_reset(warp *w);                 /* for another block */
uint32_t unknown_place(const code_info *info, const insn *in, uint32_t i);
unsigned unknown_class(const code_info *info, uint32_t place);              /* 0 predicate, 1: 32 bits, 2: 64, 3: 128 */
bool row_get(const warp *w, const code_info *info, uint32_t place, row *r); /* false: all is known */
void row_put(warp *w, const code_info *info, uint32_t place, uint32_t mask, const row *r);
static inline void row_lane(row *r, int lane, uint64_t low, uint64_t high, uint32_t from)
{
    r->bits[lane][0] = low;
    r->bits[lane][1] = high;
    r->from[lane] = from;
    if (low | high) r->lanes |= UINT32_C(1) << lane;
}
void unknown_add(warp *w, const insn *in, int lane, uint32_t from);
bool unknown_source(const warp *w, const insn *in, int lane, uint32_t *from); /* has any source one? */

#endif
