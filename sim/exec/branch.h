/* branch.h: what happens between two basic blocks.
 *
 * A block begins with an ENTER. A branch or jump performs the ENTER of its target itself: small
 * blocks are common, and each turn of the run loop costs as much as a short instruction. A
 * comparison before a branch does not return in between either. Where turns are counted or timed
 * (w->stepped) each instruction is a turn of its own. A branch that closes a small loop runs
 * iterations of it by itself for as long as it can (batched_loop.c).
 */
#ifndef SIM_BRANCH_H
#define SIM_BRANCH_H

#include "lanes.h"

static inline bool is_sparse(const struct warp *w, uint32_t lanes)
{
    return 2 * lanes <= (uint32_t)count_lanes(w->live);
}

static inline const insn *enter(struct warp *w, const insn *in)
{
    if (SIM_UNLIKELY(w->fuel < 0)) return warp_yield(w, in);
    w->fuel -= in->imm;
    block_counts *c = &w->worker->block_counts[in->o[0]];
    uint32_t lanes = (uint32_t)count_lanes(w->mask);
    c->warps++;
    c->lanes += lanes;
    if (SIM_UNLIKELY(w->mask != w->live) && is_sparse(w, lanes)) c->sparse++;
    return in + 1;
}

static inline const insn *enter_join(struct warp *w, const insn *in)
{
    if (SIM_UNLIKELY(w->join_place <= in->o[1]) && !warp_arrive(w, in)) return NULL;
    return enter(w, in);
}

/* To the beginning of a block. */
static inline const insn *go_to(struct warp *w, const insn *to)
{
    return SIM_UNLIKELY(w->stepped) ? to : enter_join(w, to);
}

/* batched_loop.c: all lanes take the branch back to its own block, a loop of code/find_loops.c.
 * Returns what go_to would. */
const insn *SIM_NAME(go_round)(struct warp *w, const insn *branch);

/* `p` is the value of the branch's predicate. */
static inline const insn *branch(struct warp *w, const insn *in, uint32_t p)
{
    const uint32_t mask = w->mask;
    if (in->mod) p = ~p;
    p &= mask;
    slot_counts *c = &w->worker->slot_counts[in->slot];
    c->requests++;
    if (p == mask || !p) return p && in->ext ? SIM_NAME(go_round)(w, in) : go_to(w, p ? insn_target(in) : in + 1);
    c->worst++;
    return warp_branch(w, in, p, insn_target(in));
}

#endif
