/* cluster.c: blocks of a cluster: which they are, how they take turns, and their barrier.
 *
 * A cluster is a box of neighbouring blocks of the grid. All its blocks start before any of them runs. They take turns
 * on one host thread, as the warps of a block do. A block that can only go on when another one does something
 * (STOP_BLOCKED) gives up its turn; when that is true of all, it is a deadlock.
 *
 * The barrier has two halves, and phases per thread: a thread arrives, and may do other work before it waits. The phase
 * is over when all threads of all blocks have arrived; those that have ended are not waited for. cluster_arrived says
 * which lanes of a warp have arrived in this phase, cluster_over which ones are still to wait for one that is over.
 */
#include "run.h"
#include <stdlib.h>

bool cluster_start(block **members, uint64_t number)
{
    const launch *l = members[0]->worker->launch;
    const uint32_t n = l->cluster_blocks;
    if (n == 1) return block_start(members[0], number);
    cluster *c = calloc(1, sizeof *c);
    if (!c) return false;
    c->count = c->live = n;
    c->number = number;
    for (uint32_t i = 0; i < n; i++) {
        c->member[i] = members[i];
        members[i]->cluster = c;
        members[i]->rank = i;
    }
    for (uint32_t i = 0; i < n; i++)
        if (!block_start(members[i], cluster_block(l, number, i))) return false;
    return true;
}

/* Without the clock a block runs far ahead of the others, as on no card. So exec's programs, which may count on the
 * order of one, still reach a block that has ended until the cluster's last has. */
static bool stays_in_reach(const block *b)
{
    const launch *l = b->worker->launch;
    return !b->timed && l->wanted->pages && !(l->watch & WATCH_RACE);
}

void cluster_leave(block *b)
{
    cluster *c = b->cluster;
    b->cluster = NULL;
    if (!c) return;
    if (!stays_in_reach(b)) c->member[b->rank] = NULL;
    if (!--c->live && c != &b->alone) free(c);
}

/* ---- turns ---- */

bool cluster_awaited(const block *b)
{
    bool any = false;
    for (uint32_t i = 0; i < b->warp_count && !any; i++)
        for (int k = 0; k < b->warps[i].split_high; k++) any |= b->warps[i].splits[k].state == SPLIT_CLUSTER;
    return any && b->cluster->live > 1;
}

enum stop cluster_run(block **members, uint32_t count)
{
    if (count == 1) return block_run(members[0]);
    worker *k = members[0]->worker;
    const uint32_t from = k->launch->wanted->shuffle ? (uint32_t)shuffle_next(k, count) : 0;
    const cluster *waits = NULL;
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        block *b = members[(from + i) % count];
        if (b->done) continue;
        const enum stop why = block_run(b);
        if (why == STOP_FAULT) return why;
        if (why == STOP_BLOCKED) waits = b->cluster;
        else any = true;
        if (any && k->launch->wanted->shuffle) break;
    }
    bool ended = true;
    for (uint32_t i = 0; i < count; i++) {
        ended &= members[i]->done;
        for (uint32_t j = 0; j < members[i]->warp_count && !members[i]->done; j++)
            any |= warp_ready(&members[i]->warps[j]);
    }
    if (ended) return STOP_ENDED;
    if (any || !waits) return STOP_SLICE;
    cluster_deadlock(waits);
    return STOP_FAULT;
}

enum { PATIENCE = 64 /* rounds in which the blocks look at memory that others change */ };

enum stop cluster_run_out(block **members, uint32_t count)
{
    if (count == 1) return block_run_out(members[0]);
    const worker *k = members[0]->worker;
    for (int looked = 0;;) {
        const uint64_t outside = k->outside;
        const enum stop why = cluster_run(members, count);
        if (k->outside != outside) looked++;
        if (why != STOP_SLICE || k->launch->wanted->shuffle || looked > PATIENCE) return why;
    }
}

/* ---- the barrier ---- */

static uint32_t threads_of(const cluster *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->count; i++) n += c->member[i] ? c->member[i]->live_threads : 0;
    return n;
}

/* Lanes go on after the barrier. */
static void pass(warp *w, uint32_t lanes)
{
    w->cluster_over &= ~lanes;
    watch_cluster_wait(w, lanes);
}

static void settle(cluster *c, worker *k)
{
    if (!c->arrived || c->arrived < threads_of(c)) return;
    c->arrived = 0;
    c->released = c->releases;
    c->releases = false;
    k->cluster_met = c;
    watch_cluster_met(c);
    for (uint32_t i = 0; i < c->count; i++)
        for (uint32_t j = 0; c->member[i] && j < c->member[i]->warp_count; j++) {
            warp *w = &c->member[i]->warps[j];
            w->cluster_over |= w->cluster_arrived;
            w->cluster_arrived = 0;
            for (int s = 0; s < w->split_high; s++) {
                split *p = &w->splits[s];
                if (p->state != SPLIT_CLUSTER) continue;
                p->state = SPLIT_READY;
                pass(w, p->mask);
            }
            if (SIM_UNLIKELY(w->split_high > 1)) warp_merge(w);
        }
}

const insn *cluster_arrive(warp *w, const insn *in, bool relaxed)
{
    cluster *c = w->block->cluster;
    const uint32_t again = (w->cluster_arrived | w->cluster_over) & w->mask;
    if (again) {
        w->worker->advice = "Between two arrivals each thread must call barrier.cluster.wait once.";
        return fault_raise(w, in, SIM_FAULT_BARRIER_DIVERGENCE, first_lane(again), again, "", 0, 0,
                           "a thread arrives at the barrier of the cluster a second time without having waited at it");
    }
    watch_cluster_arrive(w, relaxed);
    c->releases |= !relaxed;
    w->cluster_arrived |= w->mask;
    c->arrived += (uint32_t)count_lanes(w->mask);
    settle(c, w->worker);
    return in + 1;
}

const insn *cluster_wait(warp *w, const insn *in)
{
    const uint32_t never = w->mask & ~(w->cluster_arrived | w->cluster_over);
    if (never) {
        w->worker->advice = "Each thread must call barrier.cluster.arrive before it waits.";
        return fault_raise(w, in, SIM_FAULT_BARRIER_DIVERGENCE, first_lane(never), never, "", 0, 0,
                           "a thread waits at the barrier of the cluster without having arrived at it");
    }
    w->worker->barriers++;
    split *p = &w->splits[w->current];
    p->ip = in + 1;
    p->result = 0;
    if (w->mask & w->cluster_arrived) p->state = SPLIT_CLUSTER;
    else pass(w, w->mask);
    w->stop = STOP_BLOCKED;
    return NULL; /* as at a barrier of the block */
}

void cluster_threads_ended(const warp *w, uint32_t lanes)
{
    cluster *c = w->block->cluster;
    if (!c->arrived) return;
    warp *mine = &w->block->warps[w->index];
    c->arrived -= (uint32_t)count_lanes(mine->cluster_arrived & lanes);
    mine->cluster_arrived &= ~lanes;
    settle(c, w->worker);
}
