/* tile_loads.c: several loads of words of shared memory by one register, see code/shared_tile.c.
 *
 * view_first checks what all of them will read, then loads as the others do. view_next loads what
 * the warp's view says. It takes the ordinary path when there is no good view, or something other
 * than the counters, the clock and the check for unwritten memory is watching.
 */
#include "access.h"
#include "exec.h"

/* o[5]: signed distance from the first load's word to where the reads begin; o[6]: how many
 * bytes. */
static void find_view(const struct warp *w, const insn *in, shared_view *v)
{
    region g;
    uint64_t at[2];
    v->good = false;
    if (w->mask != UINT32_MAX) return;
    const enum shape shape = halves_shape(w, in, SPACE_SHARED, false, 4, false, &g, &at[0], &at[1]);
    if (shape > SHAPE_RUNS) return;
    v->run = shape == SHAPE_RUNS;
    v->passes = (uint8_t)count_halves_32(at[0], at[1], v->run);
    for (int i = 0; i < 2; i++) {
        const uint64_t from = at[i] + (uint64_t)(int32_t)in->o[5], bytes = in->o[6] + (v->run ? 15 * 4 : 0);
        if (!run_inside(from, bytes, &g) || (w->watch & WATCH_INIT && !init_all(w->block->shared_init, from, bytes)))
            return;
        v->at[i] = (uint32_t)at[i] - (uint32_t)in->imm;
    }
    v->good = true;
}

const insn *SIM_NAME(view_next)(struct warp *w, const insn *in)
{
    const shared_view *v = &w->views[in->o[7]];
    if (!v->good || w->watch & ~(WATCH_COUNT | WATCH_INIT | WATCH_TIME)) return SIM_NAME(load_shared_word)(w, in);
    const uint32_t low = v->at[0] + (uint32_t)in->imm, high = v->at[1] + (uint32_t)in->imm;
    const char *shared = w->block->shared;
    char *to = w->regs + in->o[0];
    if (w->watch & WATCH_TIME) {
        const warp_halves h = {.in = in,
                               .at = {low, high},
                               .size = 4,
                               .step = v->run ? 4 : 0,
                               .space = SPACE_SHARED,
                               .kind = ACCESS_READ,
                               .order = ORDER_WEAK};
        watch_note(w->worker->seen, &h);
    }
    if (w->watch & WATCH_COUNT) {
        slot_counts *c = &w->worker->slot_counts[in->slot];
        c->easy++;
        count_lane_bytes(w, UINT32_MAX, 4);
        if (v->passes > 1) {
            c->passes32 += v->passes - 1u;
            if (v->passes > c->worst) c->worst = v->passes;
        }
    }
    if (v->run) {
        memcpy(to, shared + low, 16 * 4);
        memcpy(to + 16 * 4, shared + high, 16 * 4);
    } else {
        SAME_4(to, shared + low);
        SAME_4(to + 16 * 4, shared + high);
    }
    return in + 1;
}

const insn *SIM_NAME(view_first)(struct warp *w, const insn *in)
{
    find_view(w, in, &w->views[in->o[7]]);
    return SIM_NAME(view_next)(w, in);
}
