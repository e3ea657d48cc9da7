/* async_copy.c: the operands of cp.async, groups of copies, and mbarrier. run/async.c performs
 * them; bulk copies are in bulk_copy.c.
 *
 * The first address is as everywhere: base o[4], offset imm. The source of a copy has its base, a
 * register or a constant, in o[5]; o[0] has a constant that is added (none: no offset).
 *
 *   cp.async        [o4] <- [o5 + o0], o[6] bytes read; HAS_IGNORE: predicate that says to read none
 *   mbarrier        object [o4], result o[0], count, bytes, state or parity o[5]
 */
#include "async_operands.h"

enum {
    SECOND_WIDE = 4,
    HAS_SIZE = 16,
    HAS_IGNORE = 32,
    WAIT_ALL = 64,
    BULK = 128,
    VALUE_WIDE = 256,
    WANTS_STATE = 512,
    MAY_SUSPEND = 1024,
    INCREMENT = 2048
};

static inline bool has_place(uint32_t place) { return place != UINT32_MAX; }

/* The second or third address of every lane. */
static void more_addresses(const struct warp *w, uint32_t base, uint32_t offset, bool wide, uint64_t *at)
{
    const uint64_t add = has_place(offset) ? *SRC(uint64_t, offset) : 0;
    for (int l = 0; l < 32; l++)
        at[l] = wide ? SRC(uint64_t, base)[l] + add : (uint32_t)(SRC(uint32_t, base)[l] + (uint32_t)add);
}

/* When blocks run in parallel: no other host thread may write the source from now on. */
static bool owned(struct warp *w, const insn *in, const reach *r, uint32_t bytes)
{
    return !w->worker->launch->bet || bet_reach(w, in, r, bytes, ACCESS_READ, 0);
}

/* Mostly all lanes copy, where the same instruction copied before. */
static bool find_active(struct warp *w, const insn *in, uint8_t space, enum access_kind kind, reach *r)
{
    return (w->mask == UINT32_MAX ? find_in : memory_reach)(w, in, space, in->size, kind, r);
}

/* Finds what the lanes of `reading` copy; the others may name any source. Usually all lanes take
 * the whole size. */
static bool read_source(struct warp *w, const insn *in, uint32_t reading, const uint32_t *taken, reach *from)
{
    const uint32_t bytes = in->size, all = w->mask;
    uint32_t whole = 0;
    bool fine = true;
    for (int l = 0; l < 32; l++) {
        const uint32_t bit = UINT32_C(1) << l;
        if (!(reading & bit)) from->host[l] = NULL;
        else if (taken[l] == bytes) whole |= bit;
    }
    for (int l = 0; l < 32 && fine; l++) {
        const uint32_t bit = UINT32_C(1) << l;
        if (!(reading & ~whole & bit)) continue;
        reach one = *from;
        fine = memory_span(w, in, SPACE_GLOBAL, l, from->at[l], taken[l], bytes, ACCESS_READ, &one.at[l], &one.space,
                           &from->host[l], &one.al);
        w->mask = bit;
        fine = fine && owned(w, in, &one, taken[l]) &&
               (!w->watch || memory_watch(w, in, &one, taken[l], ACCESS_READ, ORDER_WEAK, NULL, false));
        w->mask = all;
    }
    if (!whole || !fine) return fine;
    reach r = *from;
    w->mask = whole;
    fine = find_active(w, in, SPACE_GLOBAL, ACCESS_READ, &r) && owned(w, in, &r, bytes) &&
           (!w->watch || memory_watch(w, in, &r, bytes, ACCESS_READ, ORDER_WEAK, NULL, false));
    w->mask = all;
    for (int l = 0; l < 32; l++)
        if (whole >> l & 1) from->host[l] = r.host[l];
    return fine;
}

OP_FN(copy)
{
    reach to, from;
    uint32_t taken[32];
    const uint32_t bytes = in->size;
    lane_addresses(w, in, to.at);
    more_addresses(w, in->o[5], in->o[0], in->mod & SECOND_WIDE, from.at);
    if (!find_active(w, in, SPACE_SHARED, ACCESS_WRITE, &to)) return NULL;
    const uint32_t ignored = in->mod & HAS_IGNORE ? pred_get(w, in->o[6]) : 0;
    uint32_t reading = 0;
    for (int l = 0; l < 32; l++) {
        taken[l] = in->mod & HAS_SIZE ? SRC(uint32_t, in->o[6])[l] : ignored >> l & 1 ? 0 : bytes;
        if (!(w->mask >> l & 1)) continue;
        if (taken[l]) reading |= UINT32_C(1) << l;
        if (taken[l] <= bytes) continue;
        return fault_raise(w, in, SIM_FAULT_BAD_OPERAND, l, UINT32_C(1) << l, "", 0, bytes,
                           "the source size of %u bytes exceeds the copy size of %u", (unsigned)taken[l],
                           (unsigned)bytes);
    }
    return read_source(w, in, reading, taken, &from) && async_copy(w, in, &to, &from, bytes, taken) ? in + 1 : NULL;
}

OP_FN(commit) { return async_commit(w, in, in->mod & BULK) ? in + 1 : NULL; }
/* When the clock says that they have not landed yet, it asks again, guard and all. */
OP_FN(wait_group)
{
    const code_module *code = w->worker->launch->code;
    const enum async_waited is = async_wait(w, in->mod & BULK, in->mod & WAIT_ALL ? UINT32_MAX : in->mod2);
    return is == ASYNC_FAULT  ? NULL
           : is == ASYNC_DONE ? in + 1
                              : warp_yield(w, code->info[in - code->insns].guarded ? in - 1 : in);
}

/* A barrier object must lie in shared memory; generic addresses are resolved. `any`: or in that of another block. */
static bool reach_barrier_of(struct warp *w, const insn *in, uint8_t space, bool any, reach *r)
{
    if (!memory_reach(w, in, space, 8, ACCESS_ATOMIC, r)) return false;
    if (r->space == SPACE_SHARED) return true;
    uint32_t far = 0, other = 0;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        const uint8_t is = r->space ? r->space : r->spaces[first_lane(m)];
        if (is == SPACE_CLUSTER) far |= UINT32_C(1) << first_lane(m);
        else if (is != SPACE_SHARED) other |= UINT32_C(1) << first_lane(m);
    }
    if (!other && any) return true;
    if (!other) {
        fault_raise(w, in, SIM_FAULT_BAD_OPERAND, first_lane(far), far, "shared", r->at[first_lane(far)], 8,
                    "only arrivals reach a barrier object of another block of the cluster: a thread can initialise, "
                    "test and wait for those of its own block");
        return false;
    }
    fault_raise(w, in, SIM_FAULT_BAD_OPERAND, -1, w->mask, "global", r->at[0], 8,
                "a barrier object must lie in shared memory");
    return false;
}

static bool reach_barrier(struct warp *w, const insn *in, uint8_t space, reach *r)
{
    return reach_barrier_of(w, in, space, false, r);
}

OP_FN(copies_arrive)
{
    reach r;
    lane_addresses(w, in, r.at);
    if (!reach_barrier(w, in, in->space, &r)) return NULL;
    return async_arrive_after_copies(w, in, &r, in->mod & INCREMENT) ? in + 1 : NULL;
}

static void values(const struct warp *w, const insn *in, uint64_t *v)
{
    for (int l = 0; l < 32; l++)
        v[l] = !has_place(in->o[5])   ? 1
               : in->mod & VALUE_WIDE ? SRC(uint64_t, in->o[5])[l]
                                      : SRC(uint32_t, in->o[5])[l];
}

OP_FN(barrier_op)
{
    reach r;
    uint64_t value[32], state[32];
    w->worker->strong++;
    lane_addresses(w, in, r.at);
    if (!reach_barrier_of(w, in, in->space, in->mod2 != MB_INIT && in->mod2 != MB_INVAL, &r)) return NULL;
    values(w, in, value);
    if (!mbarrier_do(w, in, (int)in->mod2, &r, value, state, NULL)) return NULL;
    if (!(in->mod & WANTS_STATE)) return in + 1;
    uint64_t *d = DST(uint64_t, in->o[0]);
    for (int l = 0; l < 32; l++)
        if (w->lane[l]) d[l] = state[l];
    return in + 1;
}

/* A try_wait that fails gives the other warps a turn, for the time that a card would suspend the
 * thread. When the clock knows what ends the phase, the warp tests again then, and not before. */
static bool suspend(struct warp *w, const reach *r)
{
    const int first = first_lane(w->mask);
    for (int l = 0; l < 32; l++)
        if ((w->mask >> l & 1) && r->at[l] != r->at[first]) return false;
    const int64_t over = async_over_at(w, (uint32_t)r->at[first]);
    if (over <= (int64_t)w->worker->now) return false;
    w->worker->suspended = over;
    return true;
}

OP_FN(barrier_test)
{
    reach r;
    uint64_t value[32];
    uint32_t passed;
    w->worker->strong++;
    lane_addresses(w, in, r.at);
    if (!reach_barrier(w, in, in->space, &r)) return NULL;
    values(w, in, value);
    if (!mbarrier_do(w, in, (int)in->mod2, &r, value, NULL, &passed)) return NULL;
    const code_module *code = w->worker->launch->code;
    if ((in->mod & MAY_SUSPEND) && (w->watch & WATCH_TIME) && !passed && !code->info[in - code->insns].guarded &&
        suspend(w, &r))
        return warp_yield(w, in);
    pred_set(w, in->o[0], passed);
    bool failed = w->mask & ~passed;
    w->worker->outside += failed && w->block->cluster->count > 1; /* another block may have to run first */
    return in->mod & MAY_SUSPEND && failed ? warp_yield(w, in + 1) : in + 1;
}

OP_FN(barrier_pending)
{
    const uint64_t *s = SRC(uint64_t, in->o[1]);
    LANE_STORE(uint32_t, mbarrier_pending(s[l]));
}

/* ---- selecting ---- */
/* The constant offset of a second or third address with a base register, in the next slot. */
static void offset_slot(form *f, const ptx_operand *op)
{
    if (op && op->kind == O_ADDRESS && op->reg >= 0 && op->value.i) form_use(f, constant(f, op->value.i), T_B64);
    else unused(f, f->slots + 1);
}

static bool base_slot(form *f, const ptx_operand *op, uint32_t wide_flag)
{
    if (op->kind != O_ADDRESS && op->kind != O_VAR) return form_refuse(f, "needs an address in brackets");
    if (op->kind == O_ADDRESS && op->reg >= 0) {
        bool wide = ptx_bits(f->func->regs[op->reg].type) == 64;
        if (wide) f->mod |= wide_flag;
        form_use(f, op, wide ? T_B64 : T_B32);
        return true;
    }
    if (op->var && (op->var->space == SPACE_LOCAL || op->var->space == SPACE_PARAM))
        return form_refuse(f, "copies between global and shared memory only");
    f->mod |= wide_flag;
    form_use(f, constant(f, (int64_t)(op->var ? op->var->address : 0) + op->value.i), T_B64);
    return true;
}

static bool select_copy(form *f)
{
    const bool through_l1 = form_take(f, S_CA);
    const ptx_operand *o = f->in->operand;
    int64_t bytes = 0;
    uint8_t to, from;
    if (!through_l1 && !form_take(f, S_CG)) return form_refuse(f, "is not supported here");
    two_spaces(f, &to, &from);
    if (to != SPACE_SHARED || from != SPACE_GLOBAL) return form_refuse(f, "copies from global to shared memory only");
    bool policy = form_take(f, S_L2_CACHE_HINT);
    take_hints(f);
    if (!form_operands(f, 3 + policy, 4 + policy) || !number(f, &o[2], &bytes)) return false;
    if (bytes != 16 && !(through_l1 && (bytes == 4 || bytes == 8)))
        return form_refuse(f, "copies 4, 8 or 16 bytes with .ca, and only 16 with .cg");
    f->fn = copy;
    f->size = (uint8_t)bytes;
    f->space = SPACE_SHARED;
    offset_slot(f, &o[1]);
    form_address(f, &o[0]);
    if (!base_slot(f, &o[1], SECOND_WIDE)) return false;
    if (f->in->operand_count == 4 + policy) {
        bool predicate = o[3].kind == O_REG && f->func->regs[o[3].reg].type == T_PRED;
        f->mod |= predicate ? HAS_IGNORE : HAS_SIZE;
        if (predicate && o[3].negated) return form_refuse(f, "cannot take a negated predicate");
        form_use(f, &o[3], predicate ? T_PRED : T_B32);
    }
    return true;
}

static bool select_groups(form *f, bool is_bulk, bool commits)
{
    int64_t keep = 0;
    f->mod = is_bulk ? BULK : 0;
    f->fn = commits ? commit : wait_group;
    if (commits) return form_operands(f, 0, 0);
    if (is_bulk) form_take(f, S_READ); /* the source may be reused: copies act at once */
    if (!form_operands(f, 1, 1) || !number(f, &f->in->operand[0], &keep)) return false;
    if (keep < 0 || keep > 1 << 20) return form_refuse(f, "needs a number of groups from 0 to 1048576");
    f->mod2 = (uint32_t)keep;
    return true;
}

static bool select_cp(form *f)
{
    const bool reduces = form_take(f, S_REDUCE);
    if (!form_take(f, S_ASYNC)) return form_refuse(f, "is not supported here");
    f->has_slot = true;
    if (form_take(f, S_BULK)) {
        if (form_take(f, S_COMMIT_GROUP)) return select_groups(f, true, true);
        if (form_take(f, S_WAIT_GROUP)) return select_groups(f, true, false);
        return SIM_NAME(select_bulk)(f, reduces);
    }
    if (reduces) return form_refuse(f, "needs .bulk");
    if (form_take(f, S_COMMIT_GROUP)) return select_groups(f, false, true);
    if (form_take(f, S_WAIT_GROUP)) return select_groups(f, false, false);
    if (form_take(f, S_WAIT_ALL)) {
        f->fn = wait_group;
        f->mod = WAIT_ALL;
        return form_operands(f, 0, 0);
    }
    if (form_take(f, S_MBARRIER)) {
        if (!form_take(f, S_ARRIVE) || form_type(f) != T_B64) return form_refuse(f, "is not supported here");
        if (!form_take(f, S_NOINC)) f->mod |= INCREMENT;
        f->space = take_space(f);
        f->fn = copies_arrive;
        if (!form_operands(f, 1, 1)) return false;
        form_address(f, &f->in->operand[0]);
        return true;
    }
    return select_copy(f);
}

/* ---- mbarrier ---- */
static void value_slot(form *f, const ptx_operand *op, bool wide)
{
    if (wide) f->mod |= VALUE_WIDE;
    form_use(f, op, wide ? T_B64 : T_B32);
}

static bool select_arrive(form *f, bool drop)
{
    const ptx_operand *o = f->in->operand;
    bool expect = form_take(f, S_EXPECT_TX), no_complete = form_take(f, S_NOCOMPLETE);
    if (expect && no_complete) return form_refuse(f, "has two suffixes that exclude each other");
    f->mod2 = expect ? (drop ? MB_DROP_EXPECT : MB_ARRIVE_EXPECT) : drop ? MB_DROP : MB_ARRIVE;
    if (no_complete) f->mod2 |= MB_NO_COMPLETE;
    f->fn = barrier_op;
    /* The state may be left out: [addr] comes first then. */
    int first = f->in->operand_count && (o[0].kind == O_ADDRESS || o[0].kind == O_VAR) ? 0 : 1;
    if (!form_operands(f, first + 1 + expect, first + 2)) return false;
    if (first == 1 && o[0].kind != O_NONE) {
        if (f->space == SPACE_CLUSTER)
            return form_refuse(f, "returns no state from a barrier object in .shared::cluster");
        f->mod |= WANTS_STATE;
        form_def(f, &o[0], T_B64);
    }
    form_address(f, &o[first]);
    if (f->in->operand_count > first + 1) value_slot(f, &o[first + 1], false);
    else unused(f, 6);
    return true;
}

static bool select_test(form *f, bool may_suspend)
{
    if (f->space == SPACE_CLUSTER) return form_refuse(f, "works on barrier objects of the own block only");
    const ptx_operand *o = f->in->operand;
    bool parity = form_take(f, S_PARITY);
    f->mod2 = parity ? MB_TEST_PARITY : MB_TEST;
    f->fn = barrier_test;
    f->splits = may_suspend;
    if (may_suspend) f->mod |= MAY_SUSPEND;
    if (!form_operands(f, 3, may_suspend ? 4 : 3)) return false;
    form_def(f, &o[0], T_PRED);
    form_address(f, &o[1]);
    value_slot(f, &o[2], !parity);
    if (f->in->operand_count == 4) form_use(f, &o[3], T_B32); /* a time limit: turns replace it */
    return true;
}

static bool select_mbarrier(form *f)
{
    static const uint16_t orders[] = {S_RELEASE, S_ACQUIRE, S_RELAXED, S_NONE};
    const ptx_operand *o = f->in->operand;
    f->has_slot = true;
    if (form_take(f, S_PENDING_COUNT)) {
        if (form_type(f) != T_B64 || !form_operands(f, 2, 2)) return form_refuse(f, "needs .b64");
        form_def(f, &o[0], T_B32);
        form_use(f, &o[1], T_B64);
        f->fn = barrier_pending;
        f->has_slot = false;
        return true;
    }
    if (form_take_any(f, orders) == S_RELAXED) f->order = ORDER_VOLATILE;
    take_scope(f);
    f->space = take_space(f);
    if (f->space != SPACE_SHARED && f->space != SPACE_CLUSTER && f->space != SPACE_NONE)
        return form_refuse(f, "works on shared memory only");
    if (form_type(f) != T_B64) return form_refuse(f, "works on .b64 objects only");
    if (form_take(f, S_ARRIVE)) return select_arrive(f, false);
    if (form_take(f, S_ARRIVE_DROP)) return select_arrive(f, true);
    if (form_take(f, S_TEST_WAIT)) return select_test(f, false);
    if (form_take(f, S_TRY_WAIT)) return select_test(f, true);
    bool init = form_take(f, S_INIT), inval = !init && form_take(f, S_INVAL),
         expect = !init && !inval && form_take(f, S_EXPECT_TX);
    if (!init && !inval && !expect && !form_take(f, S_COMPLETE_TX)) return form_refuse(f, "has an unknown form");
    f->mod2 = init ? MB_INIT : inval ? MB_INVAL : expect ? MB_EXPECT : MB_COMPLETE;
    f->fn = barrier_op;
    if (!form_operands(f, inval ? 1 : 2, inval ? 1 : 2)) return false;
    form_address(f, &o[0]);
    if (!inval) value_slot(f, &o[1], false);
    else unused(f, 6);
    return true;
}

bool SIM_NAME(select_async)(form *f)
{
    f->cls = SIM_CLASS_ASYNC;
    if (f->in->op == OP_TENSORMAP) return SIM_NAME(select_tensormap)(f);
    return f->in->op == OP_MBARRIER ? select_mbarrier(f) : select_cp(f);
}
