/* control.c: control, and the bookkeeping between the program's instructions: block entries,
 * guards, special registers.
 *
 * A basic block begins with an ENTER. It charges the block's instructions to the warp's slice and
 * counts them all at once. Where lanes may reconverge, it checks whether the running split has
 * reached its join.
 */
#include "branch.h"
#include "exec.h"

OP_FN(op_enter) { return enter(w, in); }

OP_FN(op_enter_join) { return enter_join(w, in); }

/* The next instruction runs only in the lanes whose predicate agrees. */
OP_FN(op_guard)
{
    uint32_t p = pred_get(w, in->o[0]), all = w->mask;
    if (in->mod) p = ~p;
    p &= all;
    const uint32_t lanes = (uint32_t)count_lanes(p);
    slot_counts *c = &w->worker->slot_counts[in->slot];
    c->requests++;
    c->lanes += lanes;
    if (is_sparse(w, lanes)) c->sparse++;
    if (!p) return in + 2;
    if (p == all) return in + 1;
    set_mask(w, p);
    const insn *next = in[1].fn(w, in + 1);
    if (next) set_mask(w, all);
    return next;
}

OP_FN(op_branch) { return branch(w, in, pred_get(w, in->o[0])); }

OP_FN(op_jump) { return go_to(w, insn_target(in)); }

OP_FN(op_jump_table)
{
    const uint32_t *index = SRC(uint32_t, in->o[0]), *list = in->ext;
    uint32_t pc[32];
    bool uniform = true;
    int first = first_lane(w->mask);
    for (int l = 0; l < 32; l++) {
        if (!(w->mask >> l & 1)) continue;
        if (index[l] >= in->mod)
            return fault_raise(w, in, SIM_FAULT_BAD_OPERAND, l, 1u << l, "", 0, 0,
                               "a jump table of %u targets is indexed with %u", in->mod, index[l]);
        pc[l] = list[index[l]];
        uniform &= pc[l] == pc[first];
    }
    slot_counts *c = &w->worker->slot_counts[in->slot];
    c->requests++;
    if (uniform) return w->worker->launch->code->insns + pc[first];
    c->worst++;
    return warp_many_ways(w, in, pc);
}

OP_FN(op_kernel_end) { return warp_end_lanes(w, in); }

/* ---- calls ---- */

static void copy_out(struct warp *w, const call_copy *c, uint32_t n, uint32_t from, uint32_t to, bool into_callee)
{
    for (uint32_t i = 0; i < n; i++)
        for (int l = 0; l < 32; l++) {
            if (!(w->mask >> l & 1)) continue;
            char *mem = w->local + (size_t)l * w->local_stride;
            if (into_callee) memmove(mem + to + c[i].callee, mem + from + c[i].caller, c[i].bytes);
            else memmove(mem + to + c[i].caller, mem + from + c[i].callee, c[i].bytes);
            if (w->local_init)
                init_local_copy(w, l, into_callee ? to + c[i].callee : to + c[i].caller,
                                into_callee ? from + c[i].caller : from + c[i].callee, c[i].bytes);
        }
}

static uint32_t formals_needed(const call_info *c)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < c->in_count; i++)
        if (c->in[i].callee + c->in[i].bytes > most) most = c->in[i].callee + c->in[i].bytes;
    for (uint32_t i = 0; i < c->out_count; i++)
        if (c->out[i].callee + c->out[i].bytes > most) most = c->out[i].callee + c->out[i].bytes;
    return most;
}

/* Where a callee's frame may begin, from `frame` on. Other lanes of the warp may be inside functions: a frame of theirs
 * has its registers elsewhere, so that this one must not lie over it, unless it is the same function's at the same
 * place: then each lane has its own. Lanes that are together now may have come from several callers. */
static bool frame_over(const struct warp *w, const code_func *f, uint32_t at, uint32_t lanes, const code_func *callee,
                       uint32_t *frame)
{
    const code_module *m = w->worker->launch->code;
    while (at + f->frame_bytes > *frame) {
        const bool same = f == callee && at == *frame;
        if (!same && at < *frame + callee->frame_bytes) {
            *frame = at + f->frame_bytes;
            return true;
        }
        if (!at) break;
        const uint32_t *back = (const uint32_t *)(const void *)(w->reg_memory + at);
        const uint32_t pc = back[first_lane(lanes)], caller = back[32 + first_lane(lanes)];
        LANE_BITS(others, (back[l] != pc) | (back[32 + l] != caller));
        others &= lanes;
        if (others && frame_over(w, f, at, others, callee, frame)) return true;
        lanes &= ~others;
        at = caller;
        f = m->info[pc - 1].func->code;
    }
    return false;
}
static uint32_t free_frame(const struct warp *w, const code_func *callee, uint32_t frame)
{
    const code_module *m = w->worker->launch->code;
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < w->split_high; i++) {
            const split *o = &w->splits[i];
            if (i == w->current || o->state == SPLIT_FREE || !o->mask) continue;
            again |= frame_over(w, m->info[o->ip - m->insns].func->code, o->frame, o->mask, callee, &frame);
        }
        for (int i = 0; i < w->join_high; i++) {
            const join *j = &w->joins[i];
            if (!j->used || !(j->arrived & ~w->mask)) continue;
            again |= frame_over(w, m->info[j->pc - m->insns].func->code, j->frame, j->arrived, callee, &frame);
        }
    }
    return frame;
}

OP_FN(op_call)
{
    const call_info *c = in->ext;
    const code_module *m = w->worker->launch->code;
    uint32_t target = c->target;
    if (target == UINT32_MAX) {
        const uint64_t *address = SRC(uint64_t, in->o[0]);
        int first = first_lane(w->mask);
        uint32_t others = 0;
        for (int l = first; l < 32; l++)
            if (w->mask >> l & 1 && address[l] != address[first]) others |= 1u << l;
        if (others) return warp_split_off(w, in, others, in);
        uint64_t f = address[first] - CODE_FUNCTION_BASE;
        if (f % 16 || f / 16 >= (uint64_t)m->ptx->func_count || !m->ptx->funcs[f / 16]->has_body ||
            m->ptx->funcs[f / 16]->is_entry)
            return fault_raise(w, in, SIM_FAULT_BAD_CALL, first, w->mask, "", address[first], 0,
                               "the called address 0x%llx is not a function", (unsigned long long)address[first]);
        if (m->funcs[f / 16].formal_bytes < formals_needed(c))
            return fault_raise(w, in, SIM_FAULT_BAD_CALL, first, w->mask, "", address[first], 0,
                               "this call passes parameters that do not match those of function %s",
                               m->ptx->funcs[f / 16]->name);
        target = m->funcs[f / 16].entry;
    }
    const code_func *callee = m->info[target].func->code;
    split *s = &w->splits[w->current];
    uint32_t frame = free_frame(w, callee, s->frame + c->caller_frame), local = s->local + c->caller_local;
    if ((uint64_t)frame + callee->frame_bytes > w->reg_bytes || (uint64_t)local + callee->local_bytes > w->local_stride)
        return fault_raise(w, in, SIM_FAULT_STACK_OVERFLOW, -1, w->mask, "", 0, 0,
                           "the call of %s overflows the stack (%u bytes per thread)", callee->src->name,
                           w->local_stride);
    copy_out(w, c->in, c->in_count, s->local, local, true);
    uint32_t *back = (uint32_t *)(void *)(w->reg_memory + frame);
    const uint32_t caller = s->frame;
    uint32_t pc = (uint32_t)(in + 1 - m->insns);
    for (int l = 0; l < 32; l++)
        if (w->mask >> l & 1) back[l] = pc, back[32 + l] = caller;
    s->frame = frame;
    s->local = local;
    warp_load_split(w, w->current);
    return m->insns + target;
}

OP_FN(op_function_end)
{
    const code_module *m = w->worker->launch->code;
    split *s = &w->splits[w->current];
    const uint32_t *back = (const uint32_t *)(const void *)w->regs;
    const uint32_t pc = back[first_lane(w->mask)], frame = back[32 + first_lane(w->mask)];
    const insn *to = m->insns + pc;
    LANE_BITS(elsewhere, (back[l] != pc) | (back[32 + l] != frame));
    elsewhere &= w->mask;
    /* they reconverged in here but were called from another place */
    if (SIM_UNLIKELY(elsewhere)) return warp_split_off(w, in, elsewhere, in);
    const call_info *c = to[-1].ext;
    uint32_t callee_local = s->local;
    s->frame = frame;
    s->local -= c->caller_local;
    copy_out(w, c->out, c->out_count, callee_local, s->local, false);
    warp_load_split(w, w->current);
    return to;
}

static uint64_t argument(const struct warp *w, const call_info *c, uint32_t i, int lane)
{
    uint64_t v = 0;
    if (i < c->in_count)
        memcpy(&v, w->local + (size_t)lane * w->local_stride + w->local_base + c->in[i].caller,
               c->in[i].bytes < 8 ? c->in[i].bytes : 8);
    return v;
}

OP_FN(op_builtin)
{
    const call_info *c = in->ext;
    uint64_t a[32], b[32];
    for (uint32_t i = 0; i < c->in_count && w->watch & WATCH_INIT; i++)
        for (int l = 0; l < 32; l++)
            if (w->mask >> l & 1 && !init_looked_at(w, in, l, SPACE_LOCAL, w->local_base + c->in[i].caller,
                                                    c->in[i].bytes, "passes as an argument"))
                return NULL;
    for (int l = 0; l < 32; l++) {
        a[l] = w->mask >> l & 1 ? argument(w, c, 0, l) : 0;
        b[l] = w->mask >> l & 1 ? argument(w, c, 1, l) : 0;
    }
    return builtin_call(w, in, c, a, b);
}

/* ---- values that are not in registers ---- */

OP_FN(op_local_address)
{
    uint64_t v = w->local_base + (uint64_t)in->imm;
    for (int l = 0; l < 32; l++) {
        if (!(w->mask >> l & 1)) continue;
        if (in->size == 8) DST(uint64_t, in->o[0])[l] = v;
        else DST(uint32_t, in->o[0])[l] = (uint32_t)v;
    }
    return in + 1;
}

/* Reading a special register: mod says which, mod2 its component. */
NEVER_INLINE const insn *any_sreg(struct warp *w, const insn *in)
{
    uint64_t v[32];
    const bool same = sreg_read(w, in->mod, in->mod2, v);
    if (same && in->size == 4) {
        const uint32_t value = (uint32_t)v[0];
        LANE_STORE(uint32_t, value);
    }
    for (int l = 1; l < 32 && same; l++) v[l] = v[0];
    if (in->size == 1) {
        LANE_BITS(m, v[l] != 0);
        pred_set(w, in->o[0], m);
        return in + 1;
    }
    if (in->size == 8) { LANE_STORE(uint64_t, v[l]); }
    LANE_STORE(uint32_t, v[l]);
}

/* Those with which every kernel begins. */
OP_FN(op_sreg)
{
    const uint32_t i = in->mod2;
    uint32_t value;
    if (in->size != 4 || i > 2) return any_sreg(w, in);
    switch (in->mod) {
    case SR_TID: {
        const uint32_t *tid = w->tid[i];
        LANE_STORE(uint32_t, tid[l]);
    }
    case SR_NTID: value = w->worker->launch->block[i]; break;
    case SR_CTAID: value = w->block->id[i]; break;
    case SR_NCTAID: value = w->worker->launch->grid[i]; break;
    default: return any_sreg(w, in);
    }
    LANE_STORE(uint32_t, value);
}

OP_FN(op_barrier_result)
{
    uint32_t v = w->splits[w->current].result;
    if (in->size == 1) {
        pred_set(w, in->o[0], v ? UINT32_MAX : 0);
        return in + 1;
    }
    LANE_STORE(uint32_t, v);
}

OP_FN(op_trap) { return fault_raise(w, in, SIM_FAULT_TRAP, -1, w->mask, "", 0, 0, "the kernel executed a trap"); }

OP_FN(op_brkpt)
{
    return fault_raise(w, in, SIM_FAULT_BREAKPOINT, -1, w->mask, "", 0, 0, "the kernel reached a breakpoint");
}

OP_FN(op_nothing)
{
    (void)w;
    return in + 1;
}

bool SIM_NAME(select_flow)(form *f)
{
    f->cls = SIM_CLASS_OTHER;
    f->splits = true;
    switch (f->in->op) {
    case OP_TRAP: f->fn = op_trap; return form_operands(f, 0, 0);
    case OP_BRKPT: f->fn = op_brkpt; return form_operands(f, 0, 0);
    case OP_PMEVENT:
        form_take(f, S_MASK);
        f->fn = op_nothing;
        return form_operands(f, 1, 1);
    default: return form_refuse(f, "is not supported here");
    }
}

const exec_table SIM_NAME(sim_exec) = {
    .name = SIM_STRING(SIM_ISA),
    .move = SIM_NAME(select_move),
    .arith = SIM_NAME(select_arith),
    .intg = SIM_NAME(select_intg),
    .video = SIM_NAME(select_video),
    .flt = SIM_NAME(select_flt),
    .compare = SIM_NAME(select_compare),
    .convert = SIM_NAME(select_convert),
    .memory = SIM_NAME(select_memory),
    .atomic = SIM_NAME(select_atomic),
    .sync = SIM_NAME(select_sync),
    .warp = SIM_NAME(select_warp),
    .flow = SIM_NAME(select_flow),
    .async = SIM_NAME(select_async),
    .texture = SIM_NAME(select_texture),
    .tensor = SIM_NAME(select_tensor),
    .product = SIM_NAME(select_wgmma),
    .enter = op_enter,
    .enter_join = op_enter_join,
    .guard = op_guard,
    .sreg = op_sreg,
    .local_address = op_local_address,
    .branch = op_branch,
    .jump = op_jump,
    .jump_table = op_jump_table,
    .call = op_call,
    .builtin = op_builtin,
    .kernel_end = op_kernel_end,
    .function_end = op_function_end,
    .barrier_result = op_barrier_result,
    .fused = SIM_NAME(fused_op),
    .with_branch = SIM_NAME(setp_with_branch),
    .view_first = SIM_NAME(view_first),
    .view_next = SIM_NAME(view_next),
    .comparison = SIM_NAME(comparison),
};
