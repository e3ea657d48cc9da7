/* warp_meeting.c: lanes that wait for each other at a warp operation: bar.warp.sync and the .sync
 * forms of shfl, vote, match, redux, elect.
 *
 * Since compute 7.0 such an operation waits for the lanes that its mask names, wherever they are.
 * They reconverge when all have come to the same operation with the same qualifiers and the same
 * mask, even on two sides of a branch. Lanes that have ended are not waited for. A lane held at a
 * join is held there by us, not by the program: when no other lane in the warp can go on, it goes
 * on alone. It may then come to the operation, or to its end, or to where it waits for others too;
 * that last case is a deadlock on a card as well. If it ends, the guide calls the result undefined,
 * but a card goes on: so it does here, with a remark.
 *
 * Matrix operations (.aligned) wait for all lanes at one and the same instruction, and no lane
 * leaves a join for them.
 *
 * A lane whose own mask leaves it out has nobody to wait for, and takes part with those that are there
 * at the same time; PTX leaves that undefined too.
 *
 * Before compute 7.0 nothing waits: an operation acts on the lanes that are there.
 */
#include "run.h"

/* ---- which lanes are there ---- */

static bool same_operation(const insn *a, const insn *b)
{
    return a->fn == b->fn && !((a->mod ^ b->mod) & ~(uint32_t)WARP_INVERT) && a->mod2 == b->mod2 && a->size == b->size;
}

/* Does split i wait at that operation for those lanes? */
static bool waits_for(const warp *w, int i, const insn *in, uint32_t mask)
{
    const split *s = &w->splits[i];
    return s->state == SPLIT_WARP && s->want == mask && same_operation(s->ip, in);
}

static uint32_t waiting(const warp *w, const insn *in, uint32_t mask)
{
    uint32_t lanes = 0;
    for (int i = 0; i < w->split_high; i++)
        if (waits_for(w, i, in, mask)) lanes |= w->splits[i].mask;
    return lanes;
}

static bool stands_with(const warp *w, int i, const insn *in, const split *with)
{
    const split *s = &w->splits[i];
    return (s->state == SPLIT_WARP || s->state == SPLIT_ALIGNED) && s->ip == in && s->frame == with->frame;
}

static uint32_t standing(const warp *w, const insn *in, const split *with)
{
    uint32_t lanes = 0;
    for (int i = 0; i < w->split_high; i++)
        if (stands_with(w, i, in, with)) lanes |= w->splits[i].mask;
    return lanes;
}

/* The lanes of `lanes` with the same mask at that place as the lowest of them. */
static uint32_t one_group(const warp *w, uint32_t place, uint32_t lanes, uint32_t *mask)
{
    const uint32_t *member = (const uint32_t *)(const void *)(w->base[place & 1] + place);
    uint32_t group = 0;
    *mask = member[first_lane(lanes)];
    for (uint32_t left = lanes; left; left &= left - 1)
        if (member[first_lane(left)] == *mask) group |= 1u << first_lane(left);
    return group;
}

/* ---- remarks ---- */

/* Some lanes waited at an operation with that mask, and go on. Did lanes that it names leave a join
 * and end elsewhere? */
static void remark_absent(warp *w, const insn *in, uint32_t lanes, uint32_t mask)
{
    const uint32_t absent = mask & w->let_go & ~w->live;
    w->let_go &= ~absent;
    if (!absent) return;
    fault_remark(
        w, in, SIM_FAULT_WARP_APART, lanes,
        "Call it outside the branch, or with a mask that names only the threads that reach it (take it from "
        "__ballot_sync before the branch).",
        "the mask %08x names lane %d, which took another branch and ended before this operation. The CUDA guide "
        "calls the result undefined; cards since compute 7.0 go on, and so does the simulator",
        (unsigned)mask, first_lane(absent));
}

void remark_left_out(warp *w, const insn *in, uint32_t lanes, uint32_t mask)
{
    fault_remark(w, in, SIM_FAULT_MEMBER_MASK, lanes, "",
                 "the member mask %08x leaves out lane %d, which calls the operation. PTX leaves the result undefined; "
                 "cards since compute 7.0 go on, and so does the simulator",
                 (unsigned)mask, first_lane(lanes));
}

static void remark_no_wait(const warp *w, const insn *in, uint32_t want)
{
    const sim_card *c = &w->worker->launch->s->card;
    fault_remark(
        w, in, SIM_FAULT_WARP_APART, w->mask, "Call it outside the branch, where all threads of its mask arrive.",
        "on compute %d.%d a warp operation does not wait: it acts on lanes %08x only; lane %d, named by its mask, "
        "is missing",
        c->cc_major, c->cc_minor, (unsigned)w->mask, first_lane(want & w->live & ~w->mask));
}

/* ---- lanes of several splits: their operands are gathered, and the results scattered ---- */

enum { OPERANDS = 8, WIDEST = 32 * 8 };

/* Copies operand i of a split's lanes between its place in the split's frame and `there`. */
static void carry(const warp *w, const split *s, const insn *in, int i, bool back, char *there)
{
    const code_module *code = w->worker->launch->code;
    const enum ptx_type type = (enum ptx_type)code->info[in - code->insns].type[i];
    char *regs = w->reg_memory + s->frame;
    const char *from = (in->o[i] & 1 ? w->base[1] : regs) + in->o[i];
    if (type == T_PRED) {
        uint32_t a, b;
        memcpy(&a, there, sizeof a);
        memcpy(&b, from, sizeof b);
        if (!back && in->mod & WARP_INVERT) b = ~b;
        a = back ? (b & ~s->mask) | (a & s->mask) : (a & ~s->mask) | (b & s->mask);
        memcpy(back ? regs + in->o[i] : there, &a, sizeof a);
        return;
    }
    const size_t bytes = ptx_bits(type) > 32 ? 8 : 4;
    for (uint32_t left = s->mask; left; left &= left - 1) {
        const size_t at = bytes * (size_t)first_lane(left);
        if (back) memcpy(regs + in->o[i] + at, there + at, bytes);
        else memcpy(there + at, from + at, bytes);
    }
}

static void carry_all(const warp *w, const split *s, const insn *in, bool back, char (*there)[WIDEST])
{
    const code_module *code = w->worker->launch->code;
    const code_info *info = &code->info[in - code->insns];
    for (int i = 0; i < info->places; i++)
        if (info->role[i] == (back ? DEF : USE)) carry(w, s, in, i, back, there[i]);
}

/* Performs the operation at `in` for all those lanes: of the running split and of others, which
 * wait at operations of their own. It uses a frame made for it, and `one` is not in the module's
 * code; unknown_apart carries the registers' unknown bits there and back. */
static void perform_apart(warp *w, const insn *in, uint32_t lanes)
{
    _Alignas(64) char there[OPERANDS][WIDEST] = {{0}};
    split *s = &w->splits[w->current];
    const uint32_t mine = s->mask;
    insn one = *in;
    one.mod &= ~(uint32_t)WARP_INVERT;
    for (uint32_t i = 0; i < OPERANDS; i++) one.o[i] = i * WIDEST;
    for (int i = 0; i < w->split_high; i++)
        if (w->splits[i].state != SPLIT_FREE && w->splits[i].mask & lanes)
            carry_all(w, &w->splits[i], i == w->current ? in : w->splits[i].ip, false, there);
    if (w->watch & WATCH_INIT) unknown_apart(w, in, lanes, false);
    s->mask = lanes;
    set_mask(w, lanes);
    w->regs = there[0];
    w->base[0] = there[0];
    in->fn(w, &one);
    s->mask = mine;
    warp_load_split(w, w->current);
    if (w->watch & WATCH_INIT) unknown_apart(w, in, lanes, true);
    for (int i = 0; i < w->split_high; i++)
        if (w->splits[i].state != SPLIT_FREE && w->splits[i].mask & lanes)
            carry_all(w, &w->splits[i], i == w->current ? in : w->splits[i].ip, true, there);
    seen_accesses *seen = w->worker->seen;
    for (int i = 0; w->watch & WATCH_TIME && i < seen->count; i++)
        if (seen->list[i].in == &one) seen->list[i].in = in;
}

/* ---- waiting and going on ---- */

/* Lanes of the running split wait here. `whole`: all of them. */
static void stay(warp *w, const insn *in, uint32_t lanes, uint32_t mask, bool whole)
{
    const int i = whole ? w->current : warp_new_split(w);
    if (i < 0) return;
    split *s = &w->splits[i];
    if (!whole) *s = w->splits[w->current];
    s->ip = in;
    s->mask = lanes;
    s->want = mask;
    s->state = SPLIT_WARP;
}

static const insn *wait_here(warp *w)
{
    w->stop = STOP_BLOCKED;
    return NULL;
}

/* Lanes that waited go on after their operations. Those at the same place with the same join merge
 * into the running split again. */
static const insn *go_on(warp *w, const insn *in, uint32_t met)
{
    split *s = &w->splits[w->current];
    for (int i = 0; i < w->split_high; i++) {
        split *o = &w->splits[i];
        if ((o->state != SPLIT_WARP && o->state != SPLIT_ALIGNED) || !(o->mask & met)) continue;
        if (o->ip == in && o->frame == s->frame && o->local == s->local && o->join == s->join) {
            s->mask |= o->mask;
            o->state = SPLIT_FREE;
        } else {
            o->state = SPLIT_READY;
            o->ip++;
        }
    }
    warp_trim_splits(w);
    set_mask(w, s->mask);
    return in + 1;
}

bool warp_meet(warp *w, const insn *in, uint32_t place, const insn **next)
{
    split *s = &w->splits[w->current];
    uint32_t go = 0, others = 0, mask, want = 0;
    for (uint32_t left = w->mask, group; left; left &= ~group) {
        group = one_group(w, place, left, &mask);
        const uint32_t here = group | waiting(w, in, mask);
        want |= mask;
        if (group & mask && mask & w->live & ~here) continue;
        go |= group;
        others |= here & ~group;
    }
    if (w->worker->launch->s->card.cc_major < 7) {
        remark_no_wait(w, in, want);
        return true;
    }
    for (uint32_t left = w->mask, group; left; left &= ~group) {
        group = one_group(w, place, left, &mask);
        if (group & go) {
            if (waiting(w, in, mask)) remark_absent(w, in, group, mask);
        } else if (go || left != s->mask) stay(w, in, group, mask, false);
    }
    if (!go) { /* the first group keeps the split */
        const uint32_t group = one_group(w, place, s->mask, &mask);
        stay(w, in, group, mask, true);
        *next = wait_here(w);
        return false;
    }
    s->mask = go;
    set_mask(w, go);
    if (!others) return true;
    if (!(others & ~standing(w, in, s))) {
        set_mask(w, go | others);
        return true;
    }
    perform_apart(w, in, go | others);
    *next = go_on(w, in, others);
    return false;
}

bool warp_meet_aligned(warp *w, const insn *in, const insn **next)
{
    split *s = &w->splits[w->current];
    if (!(w->live & ~w->mask)) return true;
    const uint32_t all = s->mask | standing(w, in, s);
    if (w->live & ~all) {
        s->ip = in;
        s->want = UINT32_MAX;
        s->state = SPLIT_ALIGNED;
        *next = wait_here(w);
        return false;
    }
    set_mask(w, all);
    return true;
}

const insn *warp_met(warp *w, const insn *in)
{
    const uint32_t mine = w->splits[w->current].mask;
    return w->mask == mine ? in + 1 : go_on(w, in, w->mask & ~mine);
}

void meet_lanes_ended(warp *w)
{
    for (int i = 0; i < w->split_high; i++) {
        split *s = &w->splits[i];
        const bool aligned = s->state == SPLIT_ALIGNED;
        if (!aligned && s->state != SPLIT_WARP) continue;
        const uint32_t here = aligned ? standing(w, s->ip, s) : waiting(w, s->ip, s->want);
        if (s->want & w->live & ~here) continue;
        if (!aligned) remark_absent(w, s->ip, here, s->want);
        s->state = SPLIT_READY; /* it tries again, and finds the others */
    }
}

uint32_t meet_wanted(const warp *w)
{
    uint32_t wanted = 0;
    for (int i = 0; i < w->split_high; i++)
        if (w->splits[i].state == SPLIT_WARP) wanted |= w->splits[i].want;
    return wanted & w->live;
}
