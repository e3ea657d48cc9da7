/* watch.c: every watched memory access passes here. It finds out once how the lanes lie and hands
 * that to the checkers. */
#include "chains.h"

void watch_see(pattern *p, const access *a)
{
    p->mask = a->mask;
    p->first = first_lane(a->mask);
    p->last = last_lane(a->mask);
    p->contiguous = a->contiguous && a->mask == UINT32_MAX;
    p->uniform = false;
    p->passes = 0;
    if (p->contiguous) {
        p->low = a->address[0];
        p->high = p->low + 32 * (uint64_t)a->size;
        return;
    }
    uint64_t low = UINT64_MAX, high = 0;
    if (a->mask == UINT32_MAX) {
        for (int l = 0; l < 32; l++) {
            low = a->address[l] < low ? a->address[l] : low;
            high = a->address[l] > high ? a->address[l] : high;
        }
    } else {
        for (uint32_t m = a->mask; m; m &= m - 1) {
            uint64_t at = a->address[first_lane(m)];
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
    }
    p->uniform = low == high;
    p->low = low;
    p->high = high + a->size;
}

/* Shows an access of the traced warp to the caller of sim_run. */
static void trace(const warp *w, const access *a)
{
    const launch *l = w->worker->launch;
    const char *space = a->space == SPACE_SHARED  ? "shared"
                        : a->space == SPACE_LOCAL ? "local"
                        : a->space == SPACE_CONST ? "const"
                        : a->space == SPACE_PARAM ? "param"
                                                  : "global";
    sim_place place = {0};
    fault_place(l, (uint32_t)(a->in - l->code->insns), &place);
    sim_access seen = {.file = place.file,
                       .line = place.line,
                       .ptx_line = place.ptx_line,
                       .space = space,
                       .kind = a->kind == ACCESS_READ    ? 'r'
                               : a->kind == ACCESS_WRITE ? 'w'
                                                         : 'a',
                       .size = a->size,
                       .lanes = a->mask,
                       .block = {w->block->id[0], w->block->id[1], w->block->id[2]},
                       .warp = w->index,
                       .address = a->address};
    l->wanted->trace(l->wanted->trace_arg, &seen);
}

static void show(warp *w, const access *a)
{
    if (w->links) chains_access(w, a);
    if (w->worker->launch->wanted->trace) trace(w, a);
}

/* Lanes that reach other blocks of the cluster: block by block, first the checks that may stop it. */
static bool watch_cluster(warp *w, const access *a)
{
    const uint8_t watch = w->watch, stops = watch & (WATCH_INIT | WATCH_UNKNOWN);
    bool fine = true;
    for (int pass = 0; pass < 2 && fine; pass++) {
        w->watch = pass ? watch & (uint8_t)~WATCH_INIT : stops;
        for (uint32_t left = a->mask, same; left && fine; left &= ~same) {
            access one = *a;
            uint32_t rank = 0, mine, offset;
            same = 0;
            for (uint32_t m = left; m; m &= m - 1) {
                const int lane = first_lane(m);
                shared_cluster_split((uint32_t)a->address[lane], &mine, &offset);
                if (!same) rank = mine;
                if (mine == rank) same |= UINT32_C(1) << lane;
                one.address[lane] = offset;
            }
            one.mask = same;
            one.space = SPACE_SHARED;
            one.contiguous = false;
            one.halves = HALVES_ANY;
            one.of = block_peer(w->block, rank);
            fine = !one.of || watch_access(w, &one);
        }
    }
    w->watch = watch | (w->watch & WATCH_UNKNOWN);
    return fine;
}

bool watch_access(warp *w, const access *a)
{
    if (!a->mask || !a->size) return true;
    if (SIM_UNLIKELY(a->space == SPACE_CLUSTER)) return watch_cluster(w, a);
    pattern p;
    watch_see(&p, a);
    /* it may be performed again: so before anything is counted */
    if ((w->watch & WATCH_INIT) && !init_access(w, a, &p)) return false;
    if (w->watch & WATCH_COUNT) count_access(w, a, &p);
    if (w->watch & WATCH_RACE) race_access(w, a, &p);
    if (SIM_UNLIKELY(w->watch & WATCH_TRACE)) show(w, a);
    seen_accesses *seen = w->worker->seen;
    if ((w->watch & WATCH_TIME) && seen->count < SEEN_MOST) {
        access *to = &seen->list[seen->count++];
        *to = *a;
        to->passes = p.passes;
        to->loops = false; /* known once it has been performed */
    }
    return true;
}

void watch_landed(warp *w, int lane, const landing *c)
{
    if (SIM_UNLIKELY(w->links != NULL)) chains_landed(w, lane, c);
}

/* ---- the common shape ---- */

void watch_expand(const warp_halves *h, access *out)
{
    watch_halves_as(out, h);
    for (uint32_t l = 0; l < 16; l++) {
        out->address[l] = h->at[0] + (uint64_t)l * h->step;
        out->address[l + 16] = h->at[1] + (uint64_t)l * h->step;
    }
}

bool watch_halves(warp *w, const warp_halves *h)
{
    access a;
    pattern p;
    if (w->watch & WATCH_INIT && SIM_UNLIKELY(!init_halves(w, h))) {
        watch_expand(h, &a);
        watch_see(&p, &a);
        if (!init_access(w, &a, &p)) return false;
    }
    if (w->watch & WATCH_COUNT && SIM_UNLIKELY(!count_halves(w, h, 1))) {
        watch_expand(h, &a);
        watch_see(&p, &a);
        count_access(w, &a, &p);
    }
    if (w->watch & WATCH_RACE) race_halves(w, h);
    if (SIM_UNLIKELY(w->watch & WATCH_TRACE)) {
        watch_expand(h, &a);
        show(w, &a);
    }
    if (w->watch & WATCH_TIME) watch_note(w->worker->seen, h);
    return true;
}

bool watch_run(warp *w, const insn *in, const alloc *al, uint64_t off, uint32_t bytes, uint32_t first, uint32_t lanes,
               enum access_kind kind)
{
    if (!al && bytes != 4 && (bytes != 8 || (lanes <= 4 && first < 16 && first + lanes > 16))) return false;
    if (w->watch & WATCH_INIT &&
        !init_run(w, al ? al->init : w->block->shared_init, off, (uint64_t)bytes * lanes, kind))
        return false;
    if (!(w->watch & WATCH_COUNT)) return true;
    count_run(&w->worker->slot_counts[in->slot], al ? al->start + off : off, !al, bytes, first, lanes);
    if (al) w->block->asked += bytes * lanes;
    count_lane_bytes(w, w->mask, bytes);
    return true;
}
