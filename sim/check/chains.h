/* chains.h: how long the chains of steps are that lead to what a kernel stores, and through how many
 * hands they go (SIM_COUNT_CHAINS).
 *
 * Every value carries two numbers. Its *steps*: of the results that it was computed from one after
 * another, in the longest row. A sum of 256 numbers by one thread has 255, a tree of additions 8,
 * whatever way the numbers take: registers, shuffles, shared memory, atomics. A result that equals
 * one of its operands has that operand's numbers: a move, a selection, a maximum, the addition of 0
 * are no step. Nor is a conversion. Its *hand-overs*: of the times that it, or what it was computed
 * from, went from one thread to another through shared memory.
 *
 * Addresses, branches and predicates lead to no value here. What a kernel finds in memory when it
 * starts has no steps.
 *
 * A third number is about words of memory that atomic operations change: how often one got a value
 * that it had had before, as between two instructions. A counter never does. The top of a stack does,
 * and then a compare and swap takes it for unchanged.
 *
 * A fourth is about threads: to how many words of shared and global memory the busiest one went, not
 * counting those where it had been with one of its last four. Who tries a compare and swap again, or
 * waits, comes to few; who does the work of others to many, whatever those read meanwhile.
 *
 * A fifth counts each of those words once, however often the thread comes back: one that has a list
 * of its own meets the words of that list, one that sorts all lists meets all words.
 *
 * A copy in the background is a load and a store by the thread that issued it, when it lands.
 *
 * A warp goes instruction by instruction (WATCH_FLIGHT) and shows all its accesses (WATCH_TRACE); a
 * launch that is not watched so pays nothing. It runs in order, on one host thread, untimed. */
#ifndef SIM_CHAINS_H
#define SIM_CHAINS_H

#include "check.h"

bool chains_launch_start(launch *l); /* false: out of memory */
void chains_launch_finish(launch *l);
bool chains_block_start(block *b); /* false: out of memory */
void chains_block_free(block *b);

/* Around an instruction: of the lanes that perform it. */
void chains_before(warp *w, const insn *in);
void chains_after(warp *w);
void chains_access(warp *w, const access *a); /* before it is performed */
void chains_landed(warp *w, int lane, const landing *c);
void chains_shuffle(warp *w, const insn *in, const uint32_t *from);
void chains_local_copy(warp *w, int lane, uint32_t to, uint32_t from, uint32_t bytes);

#endif
