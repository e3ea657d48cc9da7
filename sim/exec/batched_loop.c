/* batched_loop.c: many iterations of a small loop at once.
 *
 * code/find_loops.c says which loops these are. When all 32 lanes of a full warp have ended an
 * iteration and will make another, go_round examines the loop. What each step adds must be the same
 * for all lanes, and so must what the test compares. Then the addresses of a load lie in the next
 * iteration as in this one, only further on. So one look tells how many iterations there are before
 * the test fails, an address leaves its region, an unwritten byte is read, or the warp's slice is
 * used up. Those iterations run here, with no more than the loads' copies and the ordinary
 * instructions. Steps that nothing else reads are added, and everything is counted, at the end. The
 * iteration that ends them runs as usual: a fault comes where it always did, and results and
 * counters do not change.
 *
 * Only the counters and the check for unwritten memory may be watching.
 */
#include "access.h"
#include "branch.h"

enum {
    FEWEST = 4 /* iterations that are worth the overhead */,
    PAUSE = 32 /* iterations before a loop that did not qualify is examined again */
};

/* of a load: where it reads in the first iteration */
typedef struct walk {
    warp_halves h;
    const char *from[2];
    uint64_t step; /* bytes from one iteration to the next */
} walk;

typedef struct going {
    struct warp *w;
    const code_loop *loop;
    const insn *enter;
    uint64_t by[LOOP_STEPS]; /* what each step adds, sign extended */
    uint64_t rounds;
    walk walks[LOOP_ITEMS]; /* of the items that are loads */
} going;

/* The value that all lanes have at `place`, sign extended. False: they differ. */
static bool same_for_all(const struct warp *w, uint32_t place, bool wide, uint64_t *value)
{
    const uint64_t *v64 = SRC(uint64_t, place);
    const uint32_t *v32 = SRC(uint32_t, place);
    *value = wide ? v64[0] : (uint64_t)(int32_t)v32[0];
    return wide ? v64[0] == v64[16] && !halves_stray64(v64, 0) : v32[0] == v32[16] && !halves_stray32(v32, 0);
}

static bool find_steps(going *g)
{
    for (uint32_t i = 0; i < g->loop->steps; i++)
        if (!same_for_all(g->w, g->loop->step[i].by, g->loop->step[i].wide, &g->by[i])) return false;
    return true;
}

static uint64_t step_of(const going *g, const loop_use *u) { return u->step ? g->by[u->step - 1] : 0; }

static inline void at_most(going *g, uint64_t rounds) { g->rounds = rounds < g->rounds ? rounds : g->rounds; }

/* ---- the test ---- */

/* Iterations until `value`, which grows by `step`, is outside from..to. */
static uint64_t rounds_within(int64_t value, int64_t step, int64_t from, int64_t to)
{
    if (value < from || value > to) return 0;
    return !step      ? UINT64_MAX
           : step > 0 ? ((uint64_t)to - (uint64_t)value) / (uint64_t)step + 1
                      : ((uint64_t)value - (uint64_t)from) / (0 - (uint64_t)step) + 1;
}

/* How many iterations in a row have another one after them? Very large numbers, or numbers that
 * would become so, are left to the ordinary path. */
static bool find_end(going *g)
{
    const code_loop *l = g->loop;
    const bool wide = l->test & TEST_WIDE, is_signed = l->test & TEST_SIGNED;
    const int64_t most = wide        ? INT64_MAX / 4
                         : is_signed ? INT32_MAX
                                     : UINT32_MAX,
                  least = wide        ? (is_signed ? -most : 0)
                          : is_signed ? INT32_MIN
                                      : 0;
    int64_t value[2], step[2];
    for (int s = 0; s < 2; s++) {
        uint64_t v;
        if (!same_for_all(g->w, l->side[s], wide, &v)) return false;
        step[s] = (int64_t)step_of(g, &l->moves[s]);
        if (step[s] > INT64_MAX / 4 || step[s] < -INT64_MAX / 4) return false;
        value[s] = wide || is_signed ? (int64_t)v : (int64_t)(uint32_t)v;
        if (value[s] < least || value[s] > most) return false;
        if (l->moves[s].behind) value[s] += step[s];
        at_most(g, rounds_within(value[s], step[s], least, most));
    }
    if (!g->rounds) return true;
    const int64_t ahead = value[1] - value[0], gain = step[1] - step[0], none = -INT64_MAX;
    switch (l->test & (TEST_LESS | TEST_EQUAL | TEST_INVERSE)) {
    case TEST_LESS: at_most(g, rounds_within(ahead, gain, 1, INT64_MAX)); break;
    case TEST_LESS | TEST_INVERSE: at_most(g, rounds_within(ahead, gain, none, 0)); break;
    case TEST_EQUAL: at_most(g, rounds_within(ahead, gain, 0, 0)); break;
    default: /* until they are equal, if ever: before that the larger one stays larger */
        at_most(g, ahead > 0 ? rounds_within(ahead, gain, 1, INT64_MAX) : rounds_within(ahead, gain, none, -1));
    }
    return true;
}

/* ---- loads ---- */

/* Was everything written that it reads? Reads that leave gaps are checked one by one. */
static void find_written(going *g, const uint64_t *map, uint64_t at, uint64_t step, uint64_t bytes)
{
    const bool down = (int64_t)step < 0;
    const uint64_t stride = down ? 0 - step : step;
    if (!g->rounds) return;
    if (stride <= bytes) {
        const uint64_t more = (g->rounds - 1) * stride;
        if (init_all(map, down ? at - more : at, bytes + more)) return;
    }
    for (uint64_t r = 0; r < g->rounds; r++, at += step)
        if (!init_all(map, at, bytes)) at_most(g, r);
}

/* How a load continues from where it is, and for how many iterations it may. */
static bool find_walk(going *g, const loop_item *item)
{
    struct warp *w = g->w;
    const insn *in = g->enter + item->at;
    const bool shared = in->space == SPACE_SHARED;
    const uint32_t n = in->size;
    walk *k = &g->walks[item - g->loop->item];
    region r;
    uint64_t at[2];
    const enum shape shape = halves_shape(w, in, in->space, in->mod & ADDRESS_WIDE, n, false, &r, &at[0], &at[1]);
    if (shape > SHAPE_RUNS) return false;
    alloc *al = shared ? NULL : w->worker->cache[in->slot];
    if (al && w->worker->bet && al->tracked & TRACK_LOADS) return false;
    const uint64_t bytes = shape == SHAPE_RUNS ? 16 * n : n, step = step_of(g, &item->base);
    const uint64_t *map = !(w->watch & WATCH_INIT) ? NULL : shared ? w->block->shared_init : al->init;
    if (step & (n - 1) || r.size > INT64_MAX) return false;
    k->step = step;
    for (int i = 0; i < 2; i++) {
        if (item->base.behind) at[i] += step;
        at_most(g, rounds_within((int64_t)at[i], (int64_t)step, (int64_t)r.low, (int64_t)(r.size - bytes)));
        k->from[i] = r.host + at[i];
    }
    for (int i = 0; i < 2 && map; i++) find_written(g, map, at[i], step, bytes);
    k->h = (warp_halves){.in = in,
                         .at = {r.start + at[0], r.start + at[1]},
                         .size = n,
                         .step = shape == SHAPE_RUNS ? n : 0,
                         .space = in->space,
                         .kind = ACCESS_READ,
                         .order = in->order,
                         .al = al};
    return true;
}

/* Counters of `rounds` loads. The cost of one depends on its offset in a segment of 16 elements,
 * which is periodic. */
static void count_walk(const going *g, const walk *k)
{
    const uint64_t segment = 16 * (uint64_t)k->h.size, off = k->step & (segment - 1),
                   period = off ? segment / (off & (0 - off)) : 1;
    warp_halves h = k->h;
    for (uint64_t r = 0; r < period && r < g->rounds; r++) {
        count_halves(g->w, &h, (g->rounds - r + period - 1) / period);
        h.at[0] += k->step;
        h.at[1] += k->step;
    }
}

/* ---- the iterations ---- */

/* What one item does. */
typedef struct act {
    enum { ACT_OP, ACT_RUN_4, ACT_RUN_8, ACT_SAME_4, ACT_SAME_8 } what;
    bool ahead; /* its next reads have to be prefetched */
    op_fn *fn;
    const insn *in;
    char *to;
    const char *from[2];
    uint64_t step;
} act;

ALWAYS_INLINE void load_run(act *a, const size_t half)
{
    if (a->ahead) fetch_soon(a->from[0], a->step, 2 * half);
    memcpy(a->to, a->from[0], half);
    memcpy(a->to + half, a->from[1], half);
}

/* Not SAME_4 and SAME_8 twice: both are read before either is written, which takes 5 % off a
 * product's time. */
#define LOAD_SAME(T)                                \
    do {                                            \
        T low, high, *to = (T *)(void *)a->to;      \
        memcpy(&low, a->from[0], sizeof low);       \
        memcpy(&high, a->from[1], sizeof high);     \
        for (int l = 0; l < 16; l++) to[l] = low;   \
        for (int l = 16; l < 32; l++) to[l] = high; \
    } while (0)

static void make_rounds(const going *g, act *acts, uint32_t count)
{
    struct warp *w = g->w;
    act *const end = acts + count;
    for (uint64_t r = g->rounds; r > 0; r--)
        for (act *a = acts; a < end; a++) {
            switch (a->what) {
            case ACT_OP: a->fn(w, a->in); continue;
            case ACT_RUN_4: load_run(a, 64); break;
            case ACT_RUN_8: load_run(a, 128); break;
            case ACT_SAME_4: LOAD_SAME(uint32_t); break;
            case ACT_SAME_8: LOAD_SAME(uint64_t); break;
            }
            a->from[0] += a->step;
            a->from[1] += a->step;
        }
}

static void go(const going *g)
{
    struct warp *w = g->w;
    const code_loop *l = g->loop;
    act acts[LOOP_ITEMS];
    for (uint32_t i = 0; i < l->items; i++) {
        const insn *in = g->enter + l->item[i].at;
        acts[i] = (act){.what = ACT_OP, .fn = in->fn, .in = in};
        if (!l->item[i].load) continue;
        const walk *k = &g->walks[i];
        acts[i].what = k->h.step ? (in->size == 4 ? ACT_RUN_4 : ACT_RUN_8) : in->size == 4 ? ACT_SAME_4 : ACT_SAME_8;
        acts[i].ahead = in->space == SPACE_GLOBAL && is_long_step(k->step);
        acts[i].to = DST(char, in->o[0]);
        acts[i].from[0] = k->from[0];
        acts[i].from[1] = k->from[1];
        acts[i].step = k->step;
    }
    make_rounds(g, acts, l->items);
}

/* Adds the steps that were put off, and counts everything. */
static void settle_rounds(const going *g, const insn *branch)
{
    struct warp *w = g->w;
    const code_loop *loop = g->loop;
    const uint64_t rounds = g->rounds;
    for (uint32_t i = 0; i < loop->steps; i++) {
        const uint64_t all = g->by[i] * rounds;
        if (!loop->step[i].put_off) continue;
        if (loop->step[i].wide) {
            uint64_t *d = DST(uint64_t, loop->step[i].place);
            LANES d[l] += all;
        } else {
            uint32_t *d = DST(uint32_t, loop->step[i].place);
            LANES d[l] += (uint32_t)all;
        }
    }
    for (uint32_t i = 0; i < loop->items && w->watch & WATCH_COUNT; i++)
        if (loop->item[i].load) count_walk(g, &g->walks[i]);
    block_counts *c = &w->worker->block_counts[g->enter->o[0]];
    c->warps += rounds;
    c->lanes += 32 * rounds;
    w->worker->slot_counts[branch->slot].requests += rounds;
    w->fuel -= (int64_t)rounds * g->enter->imm;
}

static void try_rounds(struct warp *w, const insn *branch)
{
    going g;
    g.w = w;
    g.loop = branch->ext;
    g.enter = insn_target(branch);
    uint64_t *pause = &w->before[branch->slot]; /* a branch has no last access to keep there */
    if (w->join_place <= g.enter->o[1] || w->fuel < FEWEST * g.enter->imm || (*pause && --*pause)) return;
    g.rounds = (uint64_t)(w->fuel / g.enter->imm);
    bool fine = find_steps(&g) && find_end(&g);
    for (uint32_t i = 0; fine && i < g.loop->items && g.rounds >= FEWEST; i++)
        fine = !g.loop->item[i].load || find_walk(&g, &g.loop->item[i]);
    if (!fine || g.rounds < FEWEST) {
        *pause = PAUSE;
        return;
    }
    go(&g);
    settle_rounds(&g, branch);
}

const insn *SIM_NAME(go_round)(struct warp *w, const insn *branch)
{
    if (w->mask == UINT32_MAX && !w->stepped && !(w->watch & ~(WATCH_COUNT | WATCH_INIT))) try_rounds(w, branch);
    return go_to(w, insn_target(branch));
}
