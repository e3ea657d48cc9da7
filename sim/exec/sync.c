/* sync.c: barriers of the block and the warp, fences, sleeping. */
#include "access.h"
#include "exec.h"
#include "machine/warpgroup.h"

/* An operand that must be the same for all lanes: the first active lane's. */
static uint32_t uniform(const struct warp *w, uint32_t place, uint32_t otherwise)
{
    return place == UINT32_MAX ? otherwise : SRC(uint32_t, place)[first_lane(w->mask)];
}

enum { BAR_ALIGNED = 1, BAR_NEGATED = 2, BAR_KIND_SHIFT = 4 };

/* o[1] barrier, o[2] thread count, o[3] predicate */
OP_FN(op_bar_sync)
{
    uint32_t p = 0;
    if (in->o[2] == UINT32_MAX && in->o[3] == UINT32_MAX)
        return barrier_all(w, in, uniform(w, in->o[1], 0), in->mod & BAR_ALIGNED);
    if (in->o[3] != UINT32_MAX) {
        p = pred_get(w, in->o[3]);
        if (in->mod & BAR_NEGATED) p = ~p;
    }
    return barrier_sync(w, in, uniform(w, in->o[1], 0), uniform(w, in->o[2], 0), in->mod & BAR_ALIGNED,
                        in->mod >> BAR_KIND_SHIFT, p);
}

OP_FN(op_bar_arrive) { return barrier_arrive(w, in, uniform(w, in->o[1], 0), uniform(w, in->o[2], 0)); }

/* Lanes may name different masks, as the tiles of a warp do: all named lanes reconverge, and the
 * lanes of each mask are ordered. */
OP_FN(op_bar_warp)
{
    const insn *next;
    const uint32_t *member = SRC(uint32_t, in->o[1]);
    bool same = in->o[1] & 1;
    uint32_t want = 0, missing = 0;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        int lane = first_lane(m);
        uint32_t mask = member[same ? 0 : lane];
        want |= mask;
        if (!(mask >> lane & 1)) missing |= 1u << lane;
    }
    if (missing) remark_left_out(w, in, missing, member[same ? 0 : first_lane(missing)]);
    if (want & w->live & ~w->mask && !warp_meet(w, in, in->o[1], &next)) return next;
    w->worker->warp_barriers++;
    for (uint32_t left = w->mask, group; left; left &= ~group) {
        group = left;
        for (uint32_t m = left; m && !same; m &= m - 1)
            if (member[first_lane(m)] != member[first_lane(left)]) group &= ~(1u << first_lane(m));
        watch_warp_barrier(w, group & member[same ? 0 : first_lane(group)]); /* only who is named is waited for */
    }
    return warp_met(w, in);
}

OP_FN(op_fence)
{
    const launch *l = w->worker->launch;
    /* what came before it is now to be seen by a host that may look */
    if (SIM_UNLIKELY(l->s->mem.shared) && (in->mod & ORDER_SCOPE_SYS) == ORDER_SCOPE_SYS) {
        if (launch_serial(w, in)) return NULL;
        atomic_thread_fence(memory_order_seq_cst);
    }
    watch_fence(w, in, in->mod);
    return in + 1;
}

OP_FN(op_object_fence)
{
    barrier_objects_fence(w);
    return op_fence(w, in);
}

OP_FN(op_proxy_fence)
{
    watch_proxy_fence(w);
    return in + 1;
}

OP_FN(op_fence_both)
{
    watch_proxy_fence(w);
    return op_fence(w, in);
}

OP_FN(op_nanosleep) { return warp_yield(w, in + 1); }

OP_FN(op_nothing)
{
    (void)w;
    return in + 1;
}

/* Launches follow one another here; the race check sees to it that they need not. */
OP_FN(op_grid_wait)
{
    if (w->watch & WATCH_RACE) earlier_launch_wait(w);
    return in + 1;
}
OP_FN(op_grid_launch)
{
    atomic_store_explicit(&w->worker->launch->lets_start, true, memory_order_relaxed);
    return in + 1;
}

enum { CLUSTER_RELAXED = 1 };
OP_FN(op_cluster_arrive) { return cluster_arrive(w, in, in->mod & CLUSTER_RELAXED); }
OP_FN(op_cluster_wait) { return cluster_wait(w, in); }
/* mod: takes more; mod2: how many per thread */
OP_FN(op_registers)
{
    const insn *next = NULL;
    if (!warp_meet_aligned(w, in, &next)) return next;
    return warpgroup_registers(w, in, in->mod2, in->mod, &next) ? warp_met(w, in) : next;
}

static void skip(form *f)
{
    f->slot[f->slots].op = NULL;
    f->slot[f->slots].type = T_U32;
    f->slot[f->slots++].role = SLOT_UNUSED;
}

static bool select_bar(form *f)
{
    const ptx_insn *in = f->in;
    const ptx_operand *o = in->operand;
    f->splits = true;
    f->cls = SIM_CLASS_BARRIER;
    if (form_take(f, S_CLUSTER)) {
        const bool arrive = form_take(f, S_ARRIVE);
        if (!arrive && !form_take(f, S_WAIT)) return form_refuse(f, "needs .arrive or .wait");
        if (arrive && form_take(f, S_RELAXED)) f->mod = CLUSTER_RELAXED;
        else form_take(f, arrive ? S_RELEASE : S_ACQUIRE);
        form_take(f, S_ALIGNED);
        f->fn = arrive ? op_cluster_arrive : op_cluster_wait;
        f->ends_block = true;
        return form_operands(f, 0, 0);
    }
    form_take(f, S_CTA);
    if (form_take(f, S_WARP)) {
        if (!form_take(f, S_SYNC)) return form_refuse(f, "needs .sync");
        if (!form_operands(f, 1, 1)) return false;
        skip(f);
        form_use(f, &o[0], T_B32);
        f->fn = op_bar_warp;
        return true;
    }
    if (in->op == OP_BAR || form_take(f, S_ALIGNED)) f->mod |= BAR_ALIGNED;
    form_take(f, S_ALIGNED);
    f->ends_block = true;
    skip(f);
    if (form_take(f, S_RED)) {
        bool popc = form_take(f, S_POPC);
        uint32_t kind = popc ? BARRIER_POPC : form_take(f, S_AND) ? BARRIER_AND : form_take(f, S_OR) ? BARRIER_OR : 0;
        if (!kind) return form_refuse(f, "needs .popc, .and or .or");
        if (form_type(f) != (popc ? T_U32 : T_PRED))
            return form_refuse(f, "needs .u32 after .popc and .pred after .and and .or");
        if (!form_operands(f, 3, 4)) return false;
        form_use(f, &o[1], T_U32);
        if (in->operand_count == 4) form_use(f, &o[2], T_U32);
        else skip(f);
        const ptx_operand *p = &o[in->operand_count - 1];
        form_use(f, p, T_PRED);
        f->mod |= kind << BAR_KIND_SHIFT | (p->negated ? BAR_NEGATED : 0);
        f->fn = op_bar_sync;
        return true;
    }
    bool arrive = form_take(f, S_ARRIVE);
    if (!arrive && !form_take(f, S_SYNC)) return form_refuse(f, "needs .sync, .arrive or .red");
    if (!form_operands(f, arrive ? 2 : 1, 2)) return false;
    form_use(f, &o[0], T_U32);
    if (in->operand_count == 2) form_use(f, &o[1], T_U32);
    else skip(f);
    skip(f);
    f->fn = arrive ? op_bar_arrive : op_bar_sync;
    return true;
}

/* Fences for shared memory alone. The checks take them for fences of all memory. */
static bool select_restricted(form *f, bool acquires)
{
    if (f->in->op != OP_FENCE || !form_take(f, acquires ? S_ACQUIRE : S_RELEASE) || !form_take(f, S_CLUSTER))
        return form_refuse(f, acquires ? "needs .acquire and .cluster" : "needs .release and .cluster");
    if (form_take(f, S_PROXY)) {
        if (!form_take(f, S_ASYNC_GENERIC)) return form_refuse(f, "has a proxy that is not supported here");
        f->fn = op_fence_both;
    }
    f->mod = (acquires ? ORDER_ACQUIRE : ORDER_RELEASE) | ORDER_SCOPE_CLUSTER;
    return form_operands(f, 0, 0);
}

static bool select_fence(form *f)
{
    f->cls = SIM_CLASS_FENCE;
    f->fn = op_fence;
    f->mod = ORDER_SC;
    if (form_take(f, S_RESTRICT_CLUSTER)) return select_restricted(f, true);
    if (form_take(f, S_RESTRICT_CTA)) return select_restricted(f, false);
    if (f->in->op == OP_FENCE && form_take(f, S_PROXY)) {
        if (form_take(f, S_FENCE_TENSORMAP)) { /* maps are read from memory itself: nothing to wait for */
            const bool acquires = form_take(f, S_ACQUIRE);
            if (!acquires && !form_take(f, S_RELEASE)) return form_refuse(f, "needs .acquire or .release");
            take_scope(f);
            f->fn = op_nothing;
            if (!form_operands(f, 2 * acquires, 2 * acquires)) return false;
            const ptx_operand *o = f->in->operand;
            if (!acquires) return true;
            if (o[1].kind != O_INT || o[1].value.i != 128) return form_refuse(f, "needs the size 128");
            form_address(f, &o[0]);
            return true;
        }
        const bool async = form_take(f, S_ASYNC);
        if (!async && !form_take(f, S_ALIAS)) return form_refuse(f, "has a proxy that is not supported here");
        enum ptx_suffix space = form_take_any(f, (const uint16_t[]){S_GLOBAL, S_SHARED_CTA, S_SHARED_CLUSTER, S_NONE});
        f->fn = async && space != S_GLOBAL ? op_proxy_fence : op_nothing; /* for race checks */
        return form_operands(f, 0, 0);
    }
    if (f->in->op == OP_FENCE) {
        bool init = form_take(f, S_MBARRIER_INIT);
        enum ptx_suffix order = form_take_any(f, (const uint16_t[]){S_SC, S_ACQ_REL, S_ACQUIRE, S_RELEASE, S_NONE});
        f->mod = order == S_ACQUIRE   ? ORDER_ACQUIRE
                 : order == S_RELEASE ? ORDER_RELEASE
                 : order == S_SC      ? ORDER_SC
                                      : ORDER_ACQ_REL;
        if (init && order != S_RELEASE) return form_refuse(f, "needs .release");
        if (init) f->fn = op_object_fence;
    }
    enum ptx_suffix scope = form_take_any(f, (const uint16_t[]){S_CTA, S_CLUSTER, S_GPU, S_GL, S_SYS, S_NONE});
    if (!scope) return form_refuse(f, "needs a scope");
    f->mod |= scope == S_CTA       ? ORDER_SCOPE_CTA
              : scope == S_CLUSTER ? ORDER_SCOPE_CLUSTER
              : scope == S_SYS     ? ORDER_SCOPE_SYS
                                   : ORDER_SCOPE_GPU;
    return form_operands(f, 0, 0);
}

bool SIM_NAME(select_sync)(form *f)
{
    switch (f->in->op) {
    case OP_BAR:
    case OP_BARRIER: return select_bar(f);
    case OP_MEMBAR:
    case OP_FENCE: return select_fence(f);
    case OP_NANOSLEEP:
        if (form_type(f) != T_U32) return form_refuse(f, "needs .u32");
        f->splits = true;
        f->fn = op_nanosleep;
        f->cls = SIM_CLASS_OTHER;
        if (!form_operands(f, 1, 1)) return false;
        skip(f);
        form_use(f, &f->in->operand[0], T_U32);
        return true;
    case OP_GRIDDEPCONTROL:
        f->fn = form_take(f, S_WAIT) ? op_grid_wait : op_grid_launch;
        if (f->fn == op_grid_launch && !form_take(f, S_LAUNCH_DEPENDENTS))
            return form_refuse(f, "needs .wait or .launch_dependents");
        f->cls = SIM_CLASS_OTHER;
        return form_operands(f, 0, 0);
    case OP_SETMAXNREG: {
        const ptx_operand *o = f->in->operand;
        f->mod = form_take(f, S_INC);
        if (!f->mod && !form_take(f, S_DEC)) return form_refuse(f, "needs .inc or .dec");
        if (!form_take(f, S_SYNC) || !form_take(f, S_ALIGNED)) return form_refuse(f, "needs .sync.aligned");
        if (form_type(f) != T_U32) return form_refuse(f, "needs .u32");
        if (!form_operands(f, 1, 1)) return false;
        if (o->kind != O_INT || o->value.i < 24 || o->value.i > 256 || o->value.i % 8)
            return form_refuse(f, "needs a multiple of 8 from 24 to 256");
        f->fn = op_registers;
        f->mod2 = (uint32_t)o->value.i;
        f->splits = true;
        f->cls = SIM_CLASS_OTHER;
        return true;
    }
    default: return form_refuse(f, "is not supported here");
    }
}
