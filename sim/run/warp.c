/* warp.c: lanes that diverge, reconverge and end, and the loop that runs a warp.
 *
 * A warp begins as one split of all its lanes. A branch at which lanes disagree makes two, which
 * share a join: the place where they reconverge, or several, one around the other
 * (code/reconverge.c). The split with the lower pc goes first, since code usually reconverges
 * further down. A split that arrives at its join parks its lanes there; the last to arrive goes on
 * with all of them. A split that begins a block after its join is no longer waited for there.
 *
 * Splits of a warp take turns when a slice of instructions is used up, so a lane that waits for
 * another lane of its own warp does not wait for ever. Lanes parked at a join go on without the
 * others when those have spent several turns on atomics or volatile reads and never came: they may
 * be waiting for exactly the parked ones (a lock taken by one lane of a warp).
 */
#include "run.h"

enum { SLICE = 8192, PATIENCE_TURNS = 8, PATIENCE_WITHOUT_POLLING = 4096 };

static inline void set_join(warp *w, split *s, int j)
{
    const bool mine = j >= 0 && w->joins[j].frame == s->frame;
    s->join = (int16_t)j;
    w->join_pc = mine ? w->joins[j].pc : NULL;
    w->join_place = mine ? w->joins[j].pc->o[1] : UINT32_MAX;
}

static inline void load_split(warp *w, int i)
{
    split *s = &w->splits[i];
    w->current = i;
    w->regs = w->reg_memory + s->frame;
    w->base[0] = w->regs;
    w->local_base = s->local;
    set_mask(w, s->mask);
    set_join(w, s, s->join);
}

void warp_load_split(warp *w, int i) { load_split(w, i); }

int warp_new_split(warp *w)
{
    for (int i = 0; i < 32; i++)
        if (w->splits[i].state == SPLIT_FREE) {
            if (i >= w->split_high) w->split_high = i + 1;
            return i;
        }
    return -1; /* impossible: splits hold disjoint sets of lanes */
}

static int new_join(warp *w, const insn *pc, uint32_t expect, const split *s, int parent)
{
    for (int i = 0; i < (int)(sizeof w->joins / sizeof w->joins[0]); i++)
        if (!w->joins[i].used) {
            if (i >= w->join_high) w->join_high = i + 1;
            w->joins[i] = (join){.pc = pc,
                                 .expect = expect,
                                 .frame = s->frame,
                                 .local = s->local,
                                 .parent = (int16_t)parent,
                                 .used = true};
            return i;
        }
    return parent;
}

static void free_join(warp *w, join *j)
{
    j->used = false;
    while (w->join_high && !w->joins[w->join_high - 1].used) w->join_high--;
}

static void start_split(warp *w, const insn *ip, uint32_t mask, uint32_t frame, uint32_t local, int parent)
{
    int i = warp_new_split(w);
    if (i < 0) return;
    w->splits[i] =
        (split){.ip = ip, .mask = mask, .frame = frame, .local = local, .join = (int16_t)parent, .state = SPLIT_READY};
}

/* The innermost join of lanes that also reconverge at `pc`. Outer joins lie further on: if `pc` is
 * after j's place it has a join already, or those lanes do without. */
static int add_join(warp *w, const split *s, const insn *pc, int j)
{
    const bool nearest = j < 0 || w->joins[j].frame != s->frame || w->joins[j].pc->o[1] > pc->o[1];
    return nearest ? new_join(w, pc, w->mask, s, j) : j;
}

/* The innermost join of lanes that diverge at `in`; makes the missing joins. */
static int join_of(warp *w, const insn *in, const split *s)
{
    const code_module *code = w->worker->launch->code;
    const insn *first = insn_join(in);
    int j = s->join;
    if (!in->o[3]) return first ? add_join(w, s, first, j) : j;
    const uint32_t *list = code->meets + in->o[3], *at = list;
    while (*at != UINT32_MAX) at++;
    while (at-- > list) j = add_join(w, s, code->insns + *at, j);
    return j;
}

/* Lanes begin the block at `to`: joins before it no longer wait for them. Returns the innermost
 * join that is left. */
static int give_up(warp *w, uint32_t lanes, const insn *to, const split *s, int j)
{
    for (; j >= 0; j = w->joins[j].parent) {
        join *k = &w->joins[j];
        if (k->frame != s->frame || k->pc->o[1] >= to->o[1]) break;
        k->expect &= ~lanes;
    }
    return j;
}

/* Of the running split, which diverged at `in`, the lanes `mine` go on at `ip`, and the lanes
 * `others` at `other_ip`. */
static const insn *part(warp *w, const insn *in, uint32_t mine, const insn *ip, uint32_t others, const insn *other_ip)
{
    split *s = &w->splits[w->current];
    const int j = join_of(w, in, s), k = other_ip == in ? j : give_up(w, others, other_ip, s, j);
    if (k >= 0 && w->joins[k].pc == other_ip && w->joins[k].frame == s->frame) w->joins[k].arrived |= others;
    else start_split(w, other_ip, others, s->frame, s->local, k);
    s->mask = mine;
    set_mask(w, mine);
    set_join(w, s, j);
    return ip;
}

const insn *warp_branch(warp *w, const insn *in, uint32_t taken, const insn *to)
{
    const uint32_t rest = w->mask & ~taken;
    const insn *next = in + 1, *joins_at = insn_join(in);
    if (next == joins_at || (to < next && to != joins_at)) return part(w, in, taken, to, rest, next);
    return part(w, in, rest, next, taken, to);
}

const insn *warp_many_ways(warp *w, const insn *in, const uint32_t *pc)
{
    const insn *code = w->worker->launch->code->insns;
    uint32_t left = w->mask;
    for (;;) {
        int lane = first_lane(left);
        uint32_t same = 0;
        for (int l = 0; l < 32; l++)
            if (left >> l & 1 && pc[l] == pc[lane]) same |= 1u << l;
        left &= ~same;
        if (!left) return code + pc[lane];
        part(w, in, left, in, same, code + pc[lane]);
    }
}

const insn *warp_split_off(warp *w, const insn *in, uint32_t others, const insn *other_ip)
{
    return part(w, in, w->mask & ~others, in, others, other_ip);
}

void warp_trim_splits(warp *w)
{
    while (w->split_high && w->splits[w->split_high - 1].state == SPLIT_FREE) w->split_high--;
}

static void free_split(warp *w, int i)
{
    w->splits[i].state = SPLIT_FREE;
    warp_trim_splits(w);
}

/* Completes joins with no lane missing any more, because the missing lanes ended or went on. */
static void complete_joins(warp *w)
{
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < w->join_high; i++) {
            join *j = &w->joins[i];
            if (!j->used || j->arrived != j->expect) continue;
            /* No running split may still be on the way to it. Then the join goes if it expects no
             * lane, or else its lanes go on. */
            bool awaited = false;
            for (int k = 0; k < w->split_high; k++)
                if (w->splits[k].state != SPLIT_FREE && w->splits[k].join == i) awaited = true;
            for (int k = 0; k < w->join_high; k++)
                if (w->joins[k].used && w->joins[k].parent == i) awaited = true;
            if (awaited) continue;
            free_join(w, j);
            again = true;
            if (!j->expect) continue;
            if (j->parent >= 0 && w->joins[j->parent].pc == j->pc && w->joins[j->parent].frame == j->frame)
                w->joins[j->parent].arrived |= j->arrived;
            else start_split(w, j->pc, j->arrived, j->frame, j->local, j->parent);
        }
    }
}

bool warp_arrive(warp *w, const insn *in)
{
    split *s = &w->splits[w->current];
    for (;;) {
        const int outer = give_up(w, s->mask, in, s, s->join);
        if (outer != s->join) {
            set_join(w, s, outer);
            complete_joins(w);
        }
        if (w->join_pc != in) break;
        join *j = &w->joins[s->join];
        j->arrived |= s->mask;
        j->turns = 0;
        if (j->arrived != j->expect) {
            free_split(w, w->current);
            w->stop = STOP_ENDED;
            return false;
        }
        s->mask = j->expect;
        free_join(w, j);
        set_join(w, s, j->parent);
    }
    set_mask(w, s->mask);
    return true;
}

const insn *warp_end_lanes(warp *w, const insn *in)
{
    (void)in;
    split *s = &w->splits[w->current];
    uint32_t mask = w->mask;
    w->live &= ~mask;
    for (int i = 0; i < w->join_high; i++)
        if (w->joins[i].used) w->joins[i].expect &= ~mask;
    s->mask &= ~mask;
    if (!s->mask) free_split(w, w->current);
    complete_joins(w);
    meet_lanes_ended(w);
    w->block->live_threads -= (uint32_t)count_lanes(mask);
    w->stop = STOP_ENDED;
    barrier_threads_ended(w->block);
    cluster_threads_ended(w, mask);
    return NULL;
}

const insn *warp_yield(warp *w, const insn *resume)
{
    w->splits[w->current].ip = resume;
    w->stop = STOP_SLICE;
    return NULL;
}

/* Merges splits at the same place with the same join. */
void warp_merge(warp *w)
{
    for (int i = 0; i < w->split_high; i++) {
        split *a = &w->splits[i];
        if (a->state != SPLIT_READY) continue;
        for (int k = i + 1; k < w->split_high; k++) {
            split *b = &w->splits[k];
            if (b->state != SPLIT_READY || b->ip != a->ip || b->join != a->join || b->frame != a->frame ||
                b->local != a->local || b->result != a->result)
                continue;
            if (k == w->current || i == w->current) continue;
            a->mask |= b->mask;
            b->state = SPLIT_FREE;
        }
    }
    warp_trim_splits(w);
}

/* ---- the loop ---- */

/* Lanes parked at a join go on without the others. */
static void let_go(warp *w, join *j)
{
    const uint32_t go = j->arrived;
    j->turns = 0;
    j->expect &= ~go;
    j->arrived = 0;
    if (j->parent >= 0 && w->joins[j->parent].pc == j->pc && w->joins[j->parent].frame == j->frame)
        w->joins[j->parent].arrived |= go;
    else start_split(w, j->pc, go, j->frame, j->local, j->parent);
}

/* A turn ended and the lanes that a join waits for did not come. After enough turns the parked
 * lanes go on alone. */
static void lose_patience(warp *w, bool polled)
{
    for (int i = 0; i < w->join_high; i++) {
        join *j = &w->joins[i];
        if (!j->used || !j->arrived) continue;
        j->turns += polled ? PATIENCE_WITHOUT_POLLING / PATIENCE_TURNS : 1;
        if (j->turns >= PATIENCE_WITHOUT_POLLING) let_go(w, j);
    }
}

/* Does the kernel end here, with nothing left to do? */
static bool ends_at(const code_module *code, const insn *at)
{
    uint32_t pc = (uint32_t)(at - code->insns);
    while (pc < code->count && !code->info[pc].real) pc++;
    if (pc >= code->count || !code->info[pc].func || !code->info[pc].func->is_entry || code->info[pc].guarded)
        return false;
    return code->info[pc].src->op == OP_RET || code->info[pc].src->op == OP_EXIT;
}

/* Lanes that only wait to end together may end alone: `if (i >= n) return;` before a barrier. */
bool warp_let_end(warp *w)
{
    bool any = false;
    for (int i = 0; i < w->join_high; i++) {
        join *j = &w->joins[i];
        if (!j->used || !j->arrived || !ends_at(w->worker->launch->code, j->pc)) continue;
        let_go(w, j);
        any = true;
    }
    return any;
}

/* No split can go on. Lanes at a join go on alone if others wait for them at a warp operation
 * (warp_meeting.c). */
static bool let_meet(warp *w)
{
    const uint32_t wanted = meet_wanted(w);
    bool any = false;
    for (int i = 0; wanted && i < w->join_high; i++) {
        join *j = &w->joins[i];
        if (!j->used || !(j->arrived & wanted)) continue;
        if (!ends_at(w->worker->launch->code, j->pc)) w->let_go |= j->arrived & wanted;
        let_go(w, j);
        any = true;
    }
    if (any) complete_joins(w);
    return any;
}

static int pick_one(const warp *w)
{
    for (int i = w->current + 1; i < w->split_high; i++)
        if (w->splits[i].state == SPLIT_READY) return i;
    for (int i = 0; i <= w->current && i < w->split_high; i++)
        if (w->splits[i].state == SPLIT_READY) return i;
    return -1;
}

static inline int pick(const warp *w)
{
    if (SIM_LIKELY(w->split_high == 1)) return w->splits[0].state == SPLIT_READY ? 0 : -1;
    return pick_one(w);
}

bool warp_ready(const warp *w) { return pick(w) >= 0; }

static inline int pick_next(warp *w)
{
    int i = pick(w);
    while (SIM_UNLIKELY(i < 0 && w->join_high && let_meet(w))) i = pick(w);
    return i;
}

enum stop warp_run(warp *w, uint32_t most)
{
    int64_t left = w->slice > 0 ? w->slice : SLICE;
    w->slice = 0;
    for (w->moved = false;; w->moved = true) {
        int i = pick_next(w);
        if (i < 0) return !w->split_high ? STOP_ENDED : STOP_BLOCKED;
        load_split(w, i);
        const uint64_t strong = w->worker->strong;
        w->fuel = w->turn = left;
        w->stop = STOP_NONE;
        const insn *in = w->splits[i].ip;
        if (!most) {
            do {
                while (SIM_UNLIKELY(w->watch & WATCH_CAREFUL) && in) in = unknown_step(w, in);
                if (!in) break;
                do in = in->fn(w, in);
                while (in);
                if (SIM_UNLIKELY(w->stop == STOP_UNKNOWN)) in = unknown_first(w);
            } while (SIM_UNLIKELY(in != NULL));
        } else {
            for (in = warp_perform(w, in); in && --most; in = warp_perform(w, in)) {}
        }
        uint64_t ran = (uint64_t)(left - w->fuel);
        left = w->fuel;
        w->executed += ran;
        w->worker->executed += ran;
        if (in) { /* its slice is not over, so no patience is lost */
            w->splits[w->current].ip = in;
            w->slice = left > 0 ? left : 1;
            w->moved = true;
            return STOP_SLICE;
        }
        if (w->stop == STOP_FAULT) return STOP_FAULT;
        if (w->stop == STOP_SLICE) {
            w->moved = true;
            lose_patience(w, w->worker->strong != strong);
            return STOP_SLICE;
        }
        if (left >= 0 && w->split_high == 1 && w->splits[0].state == SPLIT_BARRIER) { /* the loop's answer */
            w->moved = true;
            return STOP_BLOCKED;
        }
        if (left < 0) { /* it is woken again and again: let the others run */
            w->moved = true;
            return STOP_SLICE;
        }
    }
}

bool warp_take_turn(warp *w)
{
    int i = pick_next(w);
    if (i < 0) return false;
    warp_load_split(w, i);
    w->fuel = w->turn = SLICE;
    w->stop = STOP_NONE;
    return true;
}

void warp_turn_over(warp *w)
{
    w->executed += (uint64_t)(w->turn - w->fuel);
    if (w->stop == STOP_SLICE) lose_patience(w, true);
}
