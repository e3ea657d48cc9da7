/* block.c: one block on one worker: its warps' memory and turns, and deadlocks.
 *
 * A block object is made once and reused for one block of the grid after another, so that its
 * registers stay in the host's cache. Shared memory starts filled with a pattern, not with zeros:
 * on a card it holds whatever the last block left, and a kernel that only works on zeros should be
 * seen not to work.
 */
#include "async.h"
#include "check/chains.h"
#include "machine/warpgroup.h"
#include "async_store.h"
#include <stdio.h>
#include <stdlib.h>

static void *aligned_zero(size_t bytes)
{
    size_t size = (bytes + 63) & ~(size_t)63;
    if (size < bytes) return NULL;
    void *p = aligned_alloc(64, size ? size : 64);
    if (p) memset(p, 0, size);
    return p;
}

/* The next part of a block's memory, at a line's beginning. */
static void *part(char *whole, size_t *at, size_t bytes)
{
    void *here = whole ? whole + *at : NULL;
    *at += (bytes + 63) & ~(size_t)63;
    return here;
}

/* The block and all that it always has are one piece of memory. What block_start fills comes last. Returns the bytes,
 * in *zeroed those before that; whole NULL: nothing else. */
static size_t lay_out(const launch *l, char *whole, size_t *zeroed)
{
    size_t at = 0;
    block *b = part(whole, &at, sizeof *b);
    warp *warps = part(whole, &at, sizeof *warps * l->warps);
    uint32_t *lanes = part(whole, &at, sizeof *lanes * 16 * l->warps);
    for (uint32_t i = 0; i < l->warps; i++) {
        void *before = part(whole, &at, sizeof *warps->before * ((size_t)l->code->slots + 1));
        void *views = part(whole, &at, sizeof *warps->views * l->code->views);
        if (whole) warps[i].before = before, warps[i].views = views;
    }
    *zeroed = at;
    for (uint32_t i = 0; i < l->warps; i++) {
        void *regs = part(whole, &at, l->reg_bytes);
        if (whole) warps[i].reg_memory = regs;
    }
    char *shared = part(whole, &at, l->shared_total + BLOCK_SPARE);
    if (whole) b->shared = shared, b->warps = warps, b->barrier_lanes = lanes;
    for (uint32_t i = 0; i < l->warps && l->local_stride; i++) {
        char *local = part(whole, &at, (size_t)l->local_stride * 32);
        if (whole) warps[i].local = local;
    }
    return at;
}

block *block_new(worker *k)
{
    launch *l = k->launch;
    size_t zeroed;
    char *whole = host_pool_take(&l->s->pool, lay_out(l, NULL, &zeroed), l->reg_bytes / 2 > l->entry->stack_frame);
    if (!whole) return NULL;
    memset(whole, 0, zeroed);
    lay_out(l, whole, &zeroed);
    block *b = (block *)(void *)whole;
    b->worker = k;
    b->warp_count = l->warps;
    b->threads = l->threads;
    b->shared_bytes = l->shared_total;
    for (uint32_t i = 0; i < l->warps; i++) {
        warp *w = &b->warps[i];
        w->worker = k;
        w->block = b;
        w->index = i;
        w->watch = l->watch;
        w->base[1] = l->code->constants - 1;
        w->reg_bytes = l->reg_bytes;
        memset(w->reg_memory, 0, l->entry->stack_frame); /* the rest is seldom used: it takes no memory until then */
        w->local_stride = l->local_stride;
        w->local_limit = l->local_limit;
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint32_t t = i * 32 + lane;
            if (t >= l->threads) break;
            w->exists |= 1u << lane;
            w->tid[0][lane] = t % l->block[0];
            w->tid[1][lane] = t / l->block[0] % l->block[1];
            w->tid[2][lane] = t / l->block[0] / l->block[1];
        }
    }
    if (l->watch & WATCH_INIT) {
        b->shared_init = aligned_zero(sizeof(uint64_t) * INIT_WORDS(b->shared_bytes));
        bool ok = b->shared_init != NULL;
        for (uint32_t i = 0; i < l->warps && l->local_stride; i++) {
            b->warps[i].local_init = aligned_zero(sizeof(uint64_t) * INIT_WORDS((uint64_t)l->local_stride * 32));
            ok = ok && b->warps[i].local_init;
        }
        if (!ok) {
            block_free(b);
            return NULL;
        }
    }
    return b;
}

void block_free(block *b)
{
    if (!b) return;
    if (b->in_use && (b->worker->launch->watch & WATCH_RACE)) race_block_end(b);
    cluster_leave(b);
    for (uint32_t i = 0; i < b->warp_count; i++) {
        free(b->warps[i].local_init);
        async_warp_free(&b->warps[i]);
        in_flight_free(&b->warps[i]);
    }
    warpgroup_free(b);
    chains_block_free(b);
    init_block_free(b);
    stores_free(b);
    free(b->shared_init);
    host_pool_give(&b->worker->launch->s->pool, b);
}

bool block_start(block *b, uint64_t linear)
{
    launch *l = b->worker->launch;
    b->linear = linear;
    b->id[0] = (uint32_t)(linear % l->grid[0]);
    b->id[1] = (uint32_t)(linear / l->grid[0] % l->grid[1]);
    b->id[2] = (uint32_t)(linear / l->grid[0] / l->grid[1]);
    b->live_threads = b->threads;
    b->turn = 0;
    if (!b->cluster || b->cluster == &b->alone) { /* else cluster_start has set it */
        b->cluster = &b->alone;
        b->alone = (cluster){.member = {b}, .count = 1, .live = 1, .number = linear};
        b->rank = 0;
    }
    if (l->watch & WATCH_COUNT) count_block_start(b);
    b->done = b->last = false;
    stores_forget(b);
    if (b->barriers_in_use) { /* left by the last block */
        memset(b->barrier, 0, sizeof b->barrier);
        memset(b->barrier_lanes, 0, sizeof *b->barrier_lanes * 16 * b->warp_count);
        b->barriers_in_use = 0;
    }
    memset(b->shared, 0xCD, b->shared_bytes);
    const insn *entry = l->code->insns + l->entry->entry;
    for (uint32_t i = 0; i < b->warp_count; i++) {
        warp *w = &b->warps[i];
        w->live = w->exists;
        w->let_go = 0;
        bool traced = linear == l->wanted->trace_block && i == l->wanted->trace_warp;
        w->watch = l->watch | (l->wanted->trace && (traced || l->wanted->trace_block == UINT64_MAX) ? WATCH_TRACE : 0);
        w->stepped = l->wanted->shuffle || b->worker->seen;
        w->executed = 0;
        w->slice = 0;
        w->cc = 0;
        w->cluster_arrived = w->cluster_over = 0;
        memset(w->splits, 0, sizeof *w->splits * (size_t)w->split_high); /* all others are free */
        memset(w->joins, 0, sizeof *w->joins * (size_t)w->join_high);
        w->join_high = 0;
        w->splits[0] = (split){.ip = entry, .mask = w->exists, .join = -1, .state = SPLIT_READY};
        w->split_high = 1;
        w->current = 0;
        if (w->local) memset(w->local, 0xCD, (size_t)w->local_stride * 32);
        for (uint32_t z = 0; z < l->entry->zero_count; z++) {
            const struct zero_place *p = &l->code->zero[l->entry->zero_from + z];
            memset(w->reg_memory + p->place, 0, p->bytes);
        }
    }
    b->worker->blocks++;
    b->worker->warps += b->warp_count;
    warpgroup_start(b);
    if (b->shared_init) init_block_start(b);
    for (uint32_t i = 0; i < b->warp_count; i++) {
        async_warp_start(&b->warps[i]);
        if (l->watch & WATCH_INIT) init_warp_start(&b->warps[i]);
    }
    if (l->chains && !chains_block_start(b)) return false;
    b->in_use = !(l->watch & WATCH_RACE) || race_block_start(b);
    return b->in_use;
}

/* ---- when no warp can go on ---- */

static const char *what_waits(const warp *w, const split *s, char *out, size_t size)
{
    const code_module *code = w->worker->launch->code;
    bool bytes;
    if (s->state == SPLIT_READY && async_lacks(w, &bytes, out, size)) return out;
    if (s->state == SPLIT_GROUP) return warpgroup_waits(w, s, out, size);
    if (s->state == SPLIT_BARRIER) snprintf(out, size, "barrier %u", s->barrier);
    else if (s->state == SPLIT_CLUSTER) snprintf(out, size, "the barrier of the cluster");
    else
        snprintf(out, size, "a warp operation (%s) that names lanes %08x",
                 ptx_ops[code->info[s->ip - code->insns].src->op].name, s->want);
    return out;
}

/* Where a split waits. */
static const insn *waits_at(const warp *w, const split *s)
{
    if (s->state == SPLIT_READY && w->async && w->async->tested) return w->async->tested; /* again and again */
    return s->state == SPLIT_BARRIER || s->state == SPLIT_CLUSTER ? s->ip - 1 : s->ip;
}

/* One split that waits, and another that waits elsewhere or for something else, if there is one. */
typedef struct waiting {
    const split *s, *other;
    warp *first, *other_warp;
    int sure; /* of the first that it holds up the others, and not the other way round */
} waiting;

/* Registers and bytes come from nobody who waits; a phase that was missed never comes again. */
static int holds_up(const warp *w, const split *s)
{
    char text[300];
    bool bytes = false;
    if (s->state == SPLIT_GROUP) return 2;
    if (s->state == SPLIT_READY && async_overtaken(w)) return 3;
    return s->state == SPLIT_READY && async_lacks(w, &bytes, text, sizeof text) && bytes;
}

static void find_waiting(block *b, waiting *f)
{
    for (uint32_t i = 0; i < b->warp_count; i++)
        for (int k = 0; k < b->warps[i].split_high; k++) {
            warp *w = &b->warps[i];
            const split *p = &w->splits[k];
            if (p->state == SPLIT_FREE) continue;
            const int sure = holds_up(w, p);
            if (!f->s || sure > f->sure) {
                f->other_warp = f->first;
                f->other = f->s;
                f->first = w;
                f->s = p;
                f->sure = sure;
            } else if (!f->other && (waits_at(w, p) != waits_at(f->first, f->s) || p->state != f->s->state)) {
                f->other_warp = w;
                f->other = p;
            }
        }
}

void cluster_deadlock(const cluster *c)
{
    waiting f = {0};
    char a[300], o[300], rest[420] = "", all[64];
    uint32_t threads = 0;
    for (uint32_t i = 0; i < c->count; i++)
        if (c->member[i]) find_waiting(c->member[i], &f), threads += c->member[i]->live_threads;
    if (!f.s) return;
    const code_module *code = f.first->worker->launch->code;
    f.first->current = (int)(f.s - f.first->splits);
    set_mask(f.first, f.s->mask);
    if (f.other) {
        const int lane = first_lane(f.other->mask);
        const block *there = f.other_warp->block;
        char of[64] = "";
        if (there != f.first->block)
            snprintf(of, sizeof of, " of block (%u,%u,%u)", there->id[0], there->id[1], there->id[2]);
        int n = snprintf(rest, sizeof rest, ", while thread (%u,%u,%u)%s waits at %s", f.other_warp->tid[0][lane],
                         f.other_warp->tid[1][lane], f.other_warp->tid[2][lane], of,
                         what_waits(f.other_warp, f.other, o, sizeof o));
        if (f.other->state != SPLIT_READY) /* those say it themselves */
            snprintf(rest + n, sizeof rest - (size_t)n, " (PTX line %d)",
                     code->info[waits_at(f.other_warp, f.other) - code->insns].src->line);
    }
    const bool parted = f.other && f.other->state == SPLIT_BARRIER && f.s->state == SPLIT_BARRIER;
    snprintf(all, sizeof all, c->count > 1 ? "the cluster's %u blocks" : "the block", c->count);
    if (f.s->state == SPLIT_READY)
        f.first->worker->advice =
            async_overtaken(f.first)
                ? "A place of a ring was used again too early: all that wait for it to be full must arrive at the "
                  "object that the copying thread waits for, and mbarrier.init must count them all."
                : "A phase ends when as many threads have arrived as mbarrier.init says, and as many bytes "
                  "have come as expect_tx says: those of whole boxes, also where they reach out of the "
                  "tensor.";
    fault_raise(f.first, waits_at(f.first, f.s), parted ? SIM_FAULT_BARRIER_DIVERGENCE : SIM_FAULT_DEADLOCK, -1,
                f.s->mask, "", 0, 0, "all %u remaining threads of %s wait, and none can continue: this one at %s%s",
                threads, all, what_waits(f.first, f.s, a, sizeof a), rest);
}

static enum stop deadlock(const block *b)
{
    if (!b->live_threads) return STOP_ENDED;
    cluster_deadlock(b->cluster);
    return STOP_FAULT;
}

void block_deadlock(block *b) { deadlock(b); }

void block_endless(block *b)
{
    /* A running warp is a better witness than one that waits for it. */
    for (uint32_t n = 0; n < 2 * b->warp_count; n++) {
        warp *w = &b->warps[n % b->warp_count];
        bool running = n < b->warp_count;
        int k = 0;
        while (k < w->split_high && (running ? w->splits[k].state != SPLIT_READY : w->splits[k].state == SPLIT_FREE))
            k++;
        if (k >= w->split_high) continue;
        w->current = k;
        set_mask(w, w->splits[k].mask);
        char more[320] = "";
        async_waits_for(w, more, sizeof more);
        const unsigned long long all = b->worker->executed, own = w->executed;
        if (more[0]) {
            w->worker->advice =
                "A phase ends when as many threads have arrived as mbarrier.init says, and as many bytes have "
                "come as expect_tx says: those of whole boxes, also where they reach out of the tensor.";
        } else if (b->worker->print_cost > all) {
            snprintf(more, sizeof more, " and %llu calls of printf", (unsigned long long)b->worker->print_calls);
        } else if (b->worker->side_cost > all) {
            snprintf(more, sizeof more, ", and bulk copies and matrix products that take as long as %llu",
                     (unsigned long long)b->worker->side_cost);
        } else if (own && 2 * own < all) { /* many warps that do too much; none may be endless */
            snprintf(more, sizeof more, ", %llu of them by this warp (one of %llu in the grid)%s", own,
                     (unsigned long long)(b->worker->launch->blocks * b->worker->launch->warps),
                     b->worker->ended ? ": earlier blocks ended, so the total work is too large" : "");
            w->worker->advice =
                "If each thread loops over all the data, give each its share: start at its own index and step by "
                "the number of threads. Otherwise look for a loop that never ends.";
        }
        fault_raise(w, w->splits[k].ip, SIM_FAULT_ENDLESS, -1, w->mask, "", 0, 0,
                    "the kernel was still running after %llu warp instructions%s", all, more);
        return;
    }
}

uint64_t block_finish(block *b)
{
    worker *k = b->worker;
    uint64_t longest = 0;
    if (!b->last) k->ended++;
    for (uint32_t i = 0; i < b->warp_count; i++) {
        const uint64_t ran = b->warps[i].executed;
        if (!b->last) k->ended_did += ran;
        if (ran > longest) longest = ran;
    }
    if (longest > k->longest) k->longest = longest;
    async_block_ends(b);
    if (k->launch->watch & WATCH_RACE) {
        race_block_leaves(b);
        race_block_end(b);
    }
    if (k->launch->watch & WATCH_COUNT) count_block_end(b);
    cluster_leave(b);
    b->in_use = false;
    b->done = true;
    return longest;
}

/* Gives the warps turns until the block has ended, or until after a round of turns it waits for
 * something outside. */
enum stop block_run(block *b)
{
    launch *l = b->worker->launch;
    const bool shuffled = l->wanted->shuffle;
    for (int round = 0;; round++) {
        uint64_t outside = b->worker->outside;
        bool any = false, ended = true;
        uint32_t at = 0, step = 1, most = 0;
        if (shuffled) {
            /* coprime to every number of warps in a block */
            static const uint8_t strides[] = {1, 37, 41, 43, 47, 53, 59, 61};
            at = (uint32_t)shuffle_next(b->worker, b->warp_count);
            step = strides[shuffle_next(b->worker, sizeof strides)] % b->warp_count;
        }
        for (uint32_t n = 0; n < b->warp_count; n++, at += at + step < b->warp_count ? step : step - b->warp_count) {
            warp *w = &b->warps[at];
            if (!w->split_high) continue;
            if (shuffled) most = 1 + (uint32_t)shuffle_next(b->worker, UINT64_C(1) << shuffle_next(b->worker, 7));
            enum stop why = warp_run(w, most);
            any |= w->moved;
            if (w->split_high) ended = false;
            if (why == STOP_FAULT) return STOP_FAULT;
            /* Checked here too: if each warp soon waits at a barrier, none uses up its slice. */
            if (((why == STOP_SLICE && !shuffled) || worker_did(b->worker) - b->worker->reported > REPORT_EVERY) &&
                launch_should_stop(l, b->worker)) {
                int stop = l->stop;
                if (stop == LAUNCH_ENDLESS || stop == LAUNCH_TIMEOUT) {
                    block_endless(b);
                    atomic_store(&l->stop, stop); /* the fault says where; the reason stays */
                }
                return STOP_FAULT;
            }
        }
        if (ended) {
            block_finish(b);
            return STOP_ENDED;
        }
        for (uint32_t n = 0; n < b->warp_count && !any; n++) any = warp_let_end(&b->warps[n]);
        if (!any) return cluster_awaited(b) ? STOP_BLOCKED : deadlock(b);
        /* Spinning on memory that only another block can change looks like this: let others run. */
        if (b->worker->outside != outside && round >= 3) return STOP_SLICE;
        if (round >= 4096 || shuffled) return STOP_SLICE;
    }
}

enum stop block_run_out(block *b)
{
    const uint64_t outside = b->worker->outside;
    enum stop why = block_run(b);
    /* still running after many barriers */
    while (why == STOP_SLICE && b->worker->outside == outside && !b->worker->launch->wanted->shuffle)
        why = block_run(b);
    return why;
}
