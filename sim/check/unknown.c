/* unknown.c: the unknown bits of a warp's registers, and how a careful warp performs an
 * instruction. unknown.h says what for.
 *
 * Before the instruction: checks what must be known (a branch, addresses ...), and computes the
 * results' unknown bits from those of its sources (spread). Memory accesses add theirs when they
 * are performed (unknown_memory.c), warp operations once their lanes have reconverged (unknown_warp). After
 * it: a lane whose guard is unknown does not know its results either.
 */
#include "unknown_memory.h"
#include "unknown_spread.h"
#include "chains.h"
#include <stdlib.h>

/* ---- the state ---- */

enum { APART = 8, APART_BYTES = 32 * 8 /* of an operand: warp_meeting.c */ };

bool unknown_begin(warp *w, const insn *in)
{
    if (!w->unknown) {
        struct unknown *t = calloc(1, sizeof *t);
        const size_t words = (w->reg_bytes + 3) / 4;
        w->unknown = t;
        if (t) {
            t->bits = calloc(words + 1, 4);
            t->from = calloc(words + 1, sizeof *t->from);
            t->dirty = calloc(words / 64 + 1, sizeof *t->dirty);
            t->scratch = aligned_alloc(64, 9 * 512);
            t->apart = calloc(APART, sizeof *t->apart);
        }
        if (!t || !t->bits || !t->from || !t->dirty || !t->scratch || !t->apart) {
            unknown_end(w);
            fault_raise(w, in, SIM_FAULT_HOST_LIMIT, -1, w->mask, "", 0, 0,
                        "the host has too little memory to track unknown values");
            return false;
        }
    }
    w->watch |= WATCH_UNKNOWN;
    return true;
}

void unknown_end(warp *w)
{
    struct unknown *t = w->unknown;
    if (!t) return;
    free(t->bits);
    free(t->from);
    free(t->dirty);
    free(t->scratch);
    free(t->apart);
    free(t);
    w->unknown = NULL;
}

void unknown_reset(warp *w)
{
    struct unknown *t = w->unknown;
    w->careful = false;
    w->apart = NULL;
    if (!t || !(t->places || t->cc || t->undecided)) return;
    memset(t->dirty, 0, ((w->reg_bytes + 3) / 256 + 1) * sizeof *t->dirty);
    t->places = t->cc = t->undecided = 0;
    t->undecided_at = NULL;
}

/* ---- places ---- */

uint32_t unknown_place(const code_info *info, const insn *in, uint32_t i)
{
    const uint32_t *list = info->refs > 8 ? in->ext : in->o;
    return list[i];
}

static uint8_t role_of(const code_info *info, uint32_t i) { return info->refs > 8 ? info->roles[i] : info->role[i]; }

/* Lanes that are inactive under a guard keep the old value, which is not a source. */
static bool is_result(const code_info *info, uint32_t i)
{
    return role_of(info, i) == DEF || role_of(info, i) == USE_DEF;
}

unsigned unknown_class(const code_info *info, uint32_t place)
{
    const code_func *f = info->func->code;
    uint32_t end = FRAME_HEADER + 4 * (uint32_t)f->regp;
    if (place < end) return 0;
    end = ((end + 127) & ~127u) + 128 * (uint32_t)f->reg32;
    if (place < end) return 1;
    return place < end + 256 * (uint32_t)f->reg64 ? 2 : 3;
}

static uint32_t frame_of(const warp *w) { return (uint32_t)(w->regs - w->reg_memory); }

static bool is_dirty(const struct unknown *t, uint32_t at) { return t->dirty[at >> 8] >> (at >> 2 & 63) & 1; }

static void set_dirty(struct unknown *t, uint32_t at, bool dirty)
{
    const uint64_t bit = UINT64_C(1) << (at >> 2 & 63);
    if (is_dirty(t, at) == dirty) return;
    t->dirty[at >> 8] ^= bit;
    t->places += dirty ? 1 : UINT32_MAX;
}

bool row_get(const warp *w, const code_info *info, uint32_t place, row *r)
{
    const struct unknown *t = w->unknown;
    if (w->apart && place / APART_BYTES < APART) {
        *r = t->apart[place / APART_BYTES];
        return r->lanes != 0;
    }
    memset(r, 0, sizeof *r);
    if (place & 1) return false; /* constants and unused places */
    const uint32_t at = frame_of(w) + place;
    if (!is_dirty(t, at)) return false;
    const char *bits = t->bits + at;
    const uint32_t *from = t->from + at / 4;
    const unsigned class = unknown_class(info, place);
    uint32_t word = 0;
    if (!class) memcpy(&word, bits, sizeof word);
    for (int l = 0; l < 32; l++) {
        uint64_t v[2] = {0};
        if (!class) v[0] = word >> l & 1;
        else memcpy(v, bits + ((size_t)l << (class + 1)), (size_t)2 << class);
        row_lane(r, l, v[0], v[1], from[!class ? 0 : (uint32_t)l << (class - 1)]);
    }
    return r->lanes != 0;
}

void row_put(warp *w, const code_info *info, uint32_t place, uint32_t mask, const row *r)
{
    struct unknown *t = w->unknown;
    if (w->apart && place / APART_BYTES < APART) {
        row *to = &t->apart[place / APART_BYTES];
        to->lanes &= ~mask;
        for (uint32_t m = mask; m; m &= m - 1)
            row_lane(to, first_lane(m), r->bits[first_lane(m)][0], r->bits[first_lane(m)][1], r->from[first_lane(m)]);
        return;
    }
    if (place & 1) return;
    const uint32_t at = frame_of(w) + place;
    if (!(r->lanes & mask) && !is_dirty(t, at)) return;
    char *bits = t->bits + at;
    uint32_t *from = t->from + at / 4;
    const unsigned class = unknown_class(info, place);
    const size_t each = (size_t)2 << class;
    if (!is_dirty(t, at)) memset(bits, 0, class ? 32 * each : 4); /* left by an earlier value */
    if (!class) {
        uint32_t word, now = 0;
        memcpy(&word, bits, sizeof word);
        for (int l = 0; l < 32; l++) now |= (uint32_t)(r->bits[l][0] & 1) << l;
        if (now & mask && (!(word & ~mask) || !from[0])) from[0] = r->from[first_lane(now & mask)];
        word = (word & ~mask) | (now & mask);
        memcpy(bits, &word, sizeof word);
        set_dirty(t, at, word);
        return;
    }
    bool any = r->lanes & mask;
    for (int l = 0; l < 32; l++) {
        if (mask >> l & 1) {
            memcpy(bits + each * (size_t)l, r->bits[l], each);
            from[(uint32_t)l << (class - 1)] = r->from[l];
        }
    }
    for (size_t i = 0; !any && i < 32 * each; i++) any = bits[i];
    set_dirty(t, at, any);
}

static const insn *unknown_insn(const warp *w, const insn *in) { return w->apart ? w->apart : in; }

static const code_info *info_of(const warp *w, const insn *in)
{
    const code_module *m = w->worker->launch->code;
    return &m->info[unknown_insn(w, in) - m->insns];
}

/* A function's registers are new when it is called, and gone when it returns. */
static void clear_frame(warp *w, uint32_t from, uint32_t bytes, uint32_t mask)
{
    struct unknown *t = w->unknown;
    for (uint32_t at = from; t->places && at < from + bytes && at < w->reg_bytes; at += 4)
        if (mask == w->live) set_dirty(t, at, false);
}

void unknown_add(warp *w, const insn *in, int lane, uint32_t from)
{
    const code_info *info = info_of(w, in);
    row r;
    memset(&r, 0, sizeof r);
    row_lane(&r, lane, UINT64_MAX, UINT64_MAX, from);
    for (uint32_t i = 0; i < info->refs; i++)
        if (is_result(info, i)) row_put(w, info, unknown_place(info, in, i), UINT32_C(1) << lane, &r);
}

static void unknown_mark(warp *w, const insn *in, uint32_t lanes, uint32_t from)
{
    for (uint32_t m = lanes; m; m &= m - 1) unknown_add(w, in, first_lane(m), from);
}

static void clear_results(warp *w, const insn *in, uint32_t mask)
{
    const code_info *info = info_of(w, in);
    static const row known;
    for (uint32_t i = 0; i < info->refs; i++)
        if (is_result(info, i)) row_put(w, info, unknown_place(info, in, i), mask, &known);
}

bool unknown_source(const warp *w, const insn *in, int lane, uint32_t *from)
{
    const code_info *info = info_of(w, in);
    row r;
    for (uint32_t i = 0; i < info->refs; i++) {
        if (role_of(info, i) != USE || !row_get(w, info, unknown_place(info, in, i), &r) || !(r.lanes >> lane & 1))
            continue;
        *from = r.from[lane];
        return true;
    }
    return false;
}

/* ---- what must be known ---- */

static bool must_be_known(warp *w, const insn *in, uint32_t place, uint32_t mask, const char *does)
{
    const code_info *info = info_of(w, in);
    row r;
    if (!row_get(w, info, place, &r) || !(r.lanes & mask)) return true;
    return origin_fault(w, in, r.lanes & mask, r.from[first_lane(r.lanes & mask)], does);
}

/* Of an instruction of the program; bookkeeping has its own. */
static bool decides(warp *w, const insn *in, uint32_t mask)
{
    const launch *l = w->worker->launch;
    const exec_table *ops = l->s->ops;
    const code_info *info = &l->code->info[in - l->code->insns];
    if (in->fn == ops->branch) return must_be_known(w, in, in->o[0], mask, "branches on");
    if (in->fn == ops->jump_table) return must_be_known(w, in, in->o[0], mask, "picks its jump target by");
    if (in->fn == ops->call)
        return ((const call_info *)in->ext)->target != UINT32_MAX || must_be_known(w, in, in->o[0], mask, "calls");
    if (!info->real) return true;
    const spread_rule *rule = &spread_rules[info->src->op];
    for (uint32_t i = 0; i < 16 && rule->strict >> i; i++)
        if (rule->strict >> i & 1 && i < info->refs && role_of(info, i) == USE &&
            !must_be_known(w, in, unknown_place(info, in, i), mask, rule->does))
            return false;
    return true;
}

/* ---- performing ---- */

/* Nothing that it reads or writes has unknown bits: the case of most instructions of a careful
 * warp. */
static bool is_untouched(const warp *w, const code_info *info, const insn *in)
{
    const struct unknown *t = w->unknown;
    const uint32_t frame = frame_of(w);
    bool any = t->cc != 0;
    for (uint32_t i = 0; i < info->refs && !any; i++) {
        const uint32_t place = unknown_place(info, in, i);
        any = !(place & 1) && is_dirty(t, frame + place);
    }
    return !any;
}

bool unknown_easy(const warp *w, const access *a)
{
    const code_info *info = info_of(w, a->in);
    const enum ptx_op op = info->src->op;
    if (a->kind == ACCESS_READ) return op == OP_LD || op == OP_LDU; /* results are clear already */
    return op == OP_ST && is_untouched(w, info, a->in);
}

/* Called before the lanes of the mask perform `in`. False: a fault. */
static bool prepare(warp *w, const insn *in, uint32_t mask)
{
    const code_module *m = w->worker->launch->code;
    const code_info *info = &m->info[in - m->insns];
    if (is_untouched(w, info, in)) return true;
    if (!decides(w, in, mask)) return false;
    if (!info->real) clear_results(w, in, mask);
    else if (info->refs) unknown_spread(w, in, mask);
    return true;
}

/* The guard of the next instruction. *performs: it will perform that too. */
static bool prepare_guard(warp *w, const insn *in)
{
    const code_module *m = w->worker->launch->code;
    struct unknown *t = w->unknown;
    const code_info *info = &m->info[in - m->insns];
    const uint32_t all = w->mask;
    row r;
    uint32_t p;
    memcpy(&p, w->base[in->o[0] & 1] + in->o[0], sizeof p);
    if (in->mod) p = ~p;
    p &= all;
    t->undecided = 0;
    if (row_get(w, info, in->o[0], &r) && r.lanes & all) {
        t->undecided = r.lanes & all;
        t->undecided_from = r.from[first_lane(t->undecided)];
        if (spread_rules[m->info[in + 1 - m->insns].src->op].effect)
            return origin_fault(w, in, t->undecided, t->undecided_from, "decides whether to do this by");
    }
    t->undecided_at = in + 1;
    return !p || p == all || prepare(w, in + 1, p);
}

static void settle(warp *w, const insn *in)
{
    struct unknown *t = w->unknown;
    if (t->undecided && t->undecided_at == in) {
        unknown_mark(w, in, t->undecided, t->undecided_from);
        t->undecided = 0;
    }
}

/* Of a warp that is careful for its registers in flight alone. */
static const insn *flight_step(warp *w, const insn *in)
{
    const bool stepped = w->stepped;
    w->stepped = true;
    const insn *next = in->fn(w, in);
    w->stepped = stepped;
    return !next && w->stop == STOP_UNKNOWN ? unknown_first(w) : next;
}

static const insn *careful_step(warp *w, const insn *in)
{
    if (w->watch & WATCH_FLIGHT && !in_flight_look(w, in)) return NULL;
    if (!(w->watch & WATCH_UNKNOWN)) return flight_step(w, in);
    const launch *l = w->worker->launch;
    const exec_table *ops = l->s->ops;
    struct unknown *t = w->unknown;
    const bool guard = in->fn == ops->guard, call = in->fn == ops->call, returns = in->fn == ops->function_end;
    const uint32_t frame = frame_of(w), mask = w->mask;
    if (guard ? !prepare_guard(w, in) : !prepare(w, in, w->mask)) return NULL;
    const bool stepped = w->stepped;
    w->stepped = w->careful = true;
    const insn *next = in->fn(w, in);
    w->stepped = stepped;
    w->careful = false;
    if (!next) return NULL;
    if (guard && next != in + 1) settle(w, in + 1);
    if (!guard) settle(w, in);
    if (call && frame_of(w) != frame)
        clear_frame(
            w, frame_of(w),
            next < l->code->insns + l->code->count ? l->code->info[next - l->code->insns].func->code->frame_bytes : 0,
            mask);
    if (returns) clear_frame(w, frame, l->code->info[in - l->code->insns].func->code->frame_bytes, mask);
    if (!t->places && !t->cc && !t->undecided) w->watch &= (uint8_t)~WATCH_UNKNOWN;
    return next;
}

const insn *unknown_step(warp *w, const insn *in)
{
    if (!w->links) return careful_step(w, in);
    chains_before(w, in);
    const insn *next = careful_step(w, in);
    chains_after(w);
    return next;
}

const insn *unknown_first(warp *w)
{
    const code_module *m = w->worker->launch->code;
    const insn *in = w->again ? w->resume : w->resume - 1, *next = w->resume;
    w->stop = STOP_NONE;
    if (w->again) {
        if (!unknown_begin(w, in)) return NULL;
        next = unknown_step(w, in);
    }
    /* Its guard had narrowed the mask and could not restore it. */
    if (next && m->info[in - m->insns].guarded) set_mask(w, w->splits[w->current].mask);
    return next;
}

/* ---- operations of the warp ---- */

/* Moves operand i of a split's lanes between its place in the split's frame and the gathered
 * operands. */
static void carry(warp *w, const split *s, const insn *in, uint32_t lanes, bool back)
{
    const code_module *m = w->worker->launch->code;
    const code_info *info = &m->info[in - m->insns];
    char *regs = w->regs;
    w->regs = w->reg_memory + s->frame;
    for (uint32_t i = 0; i < info->refs && i < APART; i++) {
        row r;
        if (back ? !is_result(info, i) : role_of(info, i) != USE) continue;
        if (back) {
            row_put(w, info, in->o[i], lanes & s->mask, &w->unknown->apart[i]);
        } else if (row_get(w, info, in->o[i], &r)) {
            for (uint32_t k = r.lanes & lanes & s->mask; k; k &= k - 1)
                row_lane(&w->unknown->apart[i], first_lane(k), r.bits[first_lane(k)][0], r.bits[first_lane(k)][1],
                         r.from[first_lane(k)]);
        }
    }
    w->regs = regs;
}

void unknown_apart(warp *w, const insn *in, uint32_t lanes, bool over)
{
    w->apart = NULL;
    if (!over && w->unknown) memset(w->unknown->apart, 0, APART * sizeof *w->unknown->apart);
    for (int i = 0; w->watch & WATCH_UNKNOWN && i < w->split_high; i++)
        if (w->splits[i].state != SPLIT_FREE && w->splits[i].mask & lanes)
            carry(w, &w->splits[i], i == w->current ? in : w->splits[i].ip, lanes, over);
    if (!over) w->was_careful = w->careful;
    w->careful = over ? w->was_careful : true; /* it has nowhere to stop */
    w->apart = over ? NULL : in;
}

void unknown_shuffle(warp *w, const insn *in, const uint32_t *from)
{
    const launch *l = w->worker->launch;
    const code_info *info = info_of(w, in);
    if (w->links) chains_shuffle(w, in, from);
    uint32_t absent = 0;
    for (uint32_t m = w->mask; m; m &= m - 1)
        if (!(w->mask >> from[first_lane(m)] & 1)) absent |= m & (0 - m);
    if (!(w->watch & WATCH_UNKNOWN) && (!absent || !unknown_begin(w, in))) return;
    row a, d;
    memset(&d, 0, sizeof d);
    row_get(w, info, in->o[1], &a);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        const int lane = first_lane(m);
        if (!(absent >> lane & 1)) {
            row_lane(&d, lane, a.bits[from[lane]][0], 0, a.from[from[lane]]);
            continue;
        }
        const origin o = {.pc = (uint32_t)(unknown_insn(w, in) - l->code->insns),
                          .space = SPACE_REG,
                          .address = from[lane],
                          .block = w->block->linear,
                          .thread = w->index * 32 + (uint32_t)lane};
        row_lane(&d, lane, UINT32_MAX, 0, origin_new(w->worker, &o));
    }
    clear_results(w, in, w->mask);
    row_put(w, info, in->o[0], w->mask, &d);
}

/* Has any source an unknown bit in any lane? */
static bool any_source(const warp *w, const insn *in, uint32_t *from)
{
    for (uint32_t m = w->mask; m; m &= m - 1)
        if (unknown_source(w, in, first_lane(m), from)) return true;
    return false;
}

/* vote: the lanes that know may settle it. `p` is their votes. */
static void vote(warp *w, const insn *in, const code_info *info)
{
    row p, d;
    const ptx_insn *src = info->src;
    uint32_t value, mask = w->mask;
    memset(&d, 0, sizeof d);
    if (row_get(w, info, in->o[1], &p) && p.lanes & mask) {
        memcpy(&value, w->base[in->o[1] & 1] + in->o[1], sizeof value);
        if (in->mod & WARP_INVERT) value = ~value;
        const uint32_t unknown = p.lanes & mask, yes = value & mask & ~unknown, no = ~value & mask & ~unknown;
        const bool settled = ptx_has(src, S_ANY) ? yes != 0 : ptx_has(src, S_ALL) ? no != 0 : yes && no;
        for (uint32_t m = mask; m; m &= m - 1)
            row_lane(&d, first_lane(m), ptx_has(src, S_BALLOT) ? unknown : !settled, 0, p.from[first_lane(unknown)]);
    }
    row_put(w, info, in->o[0], mask, &d);
}

void unknown_product(warp *w, const insn *in, bool adds)
{
    uint32_t from = 0;
    const bool any = any_source(w, in, &from);
    if (!adds) clear_results(w, in, w->mask);
    if (any) unknown_mark(w, in, w->mask, from);
}

void unknown_warp(warp *w, const insn *in)
{
    const code_info *info = info_of(w, in);
    uint32_t from = 0;
    switch (info->src->op) {
    case OP_SHFL: return; /* when the source lanes are known */
    case OP_VOTE: vote(w, in, info); return;
    case OP_MOVMATRIX:
    case OP_MATCH:
    case OP_REDUX:
    case OP_MMA:
    case OP_WMMA:
        if (info->src->op != OP_WMMA || ptx_has(info->src, S_MMA)) {
            const bool any = any_source(w, in, &from);
            clear_results(w, in, w->mask);
            if (any) unknown_mark(w, in, w->mask, from);
            return;
        }
        break;
    default: break;
    }
    clear_results(w, in, w->mask);
}
