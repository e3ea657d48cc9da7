/* barrier.c: the sixteen barriers of a block.
 *
 * Threads are counted one by one, as on cards since Volta: lanes of a warp may arrive in several
 * splits, and threads that have ended are not waited for. A barrier with an explicit thread count
 * waits for that many, whole warps at a time. When the last one arrives all waiting splits become
 * ready, and the race checker is told which lanes took part.
 */
#include "run.h"

static uint32_t *lanes_of(block *b, uint32_t id) { return b->barrier_lanes + (size_t)id * b->warp_count; }

static void complete(block *b, uint32_t id)
{
    barrier_state *s = &b->barrier[id];
    const uint32_t result = s->kind == BARRIER_POPC ? s->popc : s->kind == BARRIER_AND ? s->all : s->any;
    b->worker->barriers_met++;
    if (b->order) {
        uint32_t *lanes = lanes_of(b, id), met = 0;
        for (uint32_t i = 0; i < b->warp_count; i++) met += (uint32_t)count_lanes(lanes[i]);
        watch_block_barrier(b, id, lanes, met >= b->live_threads);
        memset(lanes, 0, sizeof *lanes * b->warp_count);
    }
    s->in_use = false;
    b->barriers_in_use &= ~(1u << id);
    for (uint32_t i = 0; i < b->warp_count; i++) {
        warp *w = &b->warps[i];
        for (int k = 0; k < w->split_high; k++) {
            split *p = &w->splits[k];
            if (p->state != SPLIT_BARRIER || p->barrier != id) continue;
            p->state = SPLIT_READY;
            p->result = result;
        }
        /* A warp whose lanes arrived in several splits goes on as one. The running split is not
         * merged: it is elsewhere. */
        if (SIM_UNLIKELY(w->split_high > 1)) warp_merge(w);
    }
}

static bool all_here(const block *b, const barrier_state *s)
{
    return s->in_use && s->arrived >= (s->expected ? s->expected : b->live_threads);
}

/* One arrival. False: a fault was raised. */
static inline bool arrive(warp *w, const insn *in, uint32_t id, uint32_t threads, bool aligned)
{
    block *b = w->block;
    if (id > 15) {
        fault_raise(w, in, SIM_FAULT_BAD_OPERAND, -1, w->mask, "", 0, 0,
                    "barrier %u does not exist; a block has barriers 0 to 15", id);
        return false;
    }
    if (threads % 32) {
        fault_raise(w, in, SIM_FAULT_BAD_OPERAND, -1, w->mask, "", 0, 0,
                    "a barrier's thread count must be a multiple of 32, not %u", threads);
        return false;
    }
    barrier_state *s = &b->barrier[id];
    const bool whole = w->mask == w->live;
    if (!s->in_use) {
        *s = (barrier_state){.in_use = true, .expected = threads, .all = 1, .pc = in};
        b->barriers_in_use |= 1u << id;
    } else if (s->expected != threads) {
        fault_raise(w, in, SIM_FAULT_BARRIER_DIVERGENCE, -1, w->mask, "", 0, 0,
                    "barrier %u expects %u threads here but %u elsewhere", id, threads ? threads : b->live_threads,
                    s->expected ? s->expected : b->live_threads);
        return false;
    }
    if (SIM_UNLIKELY(!whole) && aligned && (w->worker->launch->wanted->checks & SIM_CHECK_BARRIER)) {
        for (int k = 0; k < w->split_high; k++) {
            const split *p = &w->splits[k];
            if (k == w->current || p->state != SPLIT_BARRIER || p->ip == in + 1) continue;
            fault_raise(w, in, SIM_FAULT_BARRIER_DIVERGENCE, -1, w->mask, "", 0, 0,
                        "threads of one warp wait at different barriers: some here, some (lanes %08x) at PTX line %d",
                        p->mask, w->worker->launch->code->info[p->ip - 1 - w->worker->launch->code->insns].src->line);
            return false;
        }
    }
    if (b->order) lanes_of(b, id)[w->index] |= w->mask;
    s->arrived += w->mask == UINT32_MAX || (threads && whole) ? 32 : (uint32_t)count_lanes(w->mask);
    w->worker->barriers++;
    return true;
}

static inline const insn *sync(warp *w, const insn *in, uint32_t id, uint32_t threads, bool aligned, uint32_t kind,
                               uint32_t predicate)
{
    if (!arrive(w, in, id, threads, aligned)) return NULL;
    block *b = w->block;
    barrier_state *s = &b->barrier[id];
    s->kind = (uint8_t)kind;
    if (kind != BARRIER_PLAIN) {
        s->popc += (uint32_t)count_lanes(predicate & w->mask);
        s->all = s->all && (predicate & w->mask) == w->mask;
        s->any = s->any || (predicate & w->mask);
    }
    split *p = &w->splits[w->current];
    p->ip = in + 1;
    p->barrier = (uint8_t)id;
    p->state = SPLIT_BARRIER;
    if (all_here(b, s)) complete(b, id);
    w->stop = STOP_BLOCKED;
    return NULL; /* the run loop resumes it at once when it is ready */
}

const insn *barrier_sync(warp *w, const insn *in, uint32_t id, uint32_t threads, bool aligned, uint32_t kind,
                         uint32_t predicate)
{
    return sync(w, in, id, threads, aligned, kind, predicate);
}

const insn *barrier_all(warp *w, const insn *in, uint32_t id, bool aligned)
{
    return sync(w, in, id, 0, aligned, BARRIER_PLAIN, 0);
}

const insn *barrier_arrive(warp *w, const insn *in, uint32_t id, uint32_t threads)
{
    if (!arrive(w, in, id, threads, true)) return NULL;
    watch_barrier_arrive(w, id);
    if (all_here(w->block, &w->block->barrier[id])) complete(w->block, id);
    return in + 1;
}

void barrier_threads_ended(block *b)
{
    for (uint32_t left = b->live_threads ? b->barriers_in_use : 0; left; left &= left - 1) {
        const uint32_t id = (uint32_t)first_lane(left);
        if (!b->barrier[id].expected && all_here(b, &b->barrier[id])) complete(b, id);
    }
}
