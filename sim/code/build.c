/* build.c: from a parsed module to one that runs.
 *
 * Read from the bottom: code_build places the variables (places.c). It then turns each function
 * into nodes (lower.c), finds its blocks (flow.c), contracts what ptxas would (fuse.c), orders each
 * block (schedule.c), gives every register a place (liveness.c) and emits the insns. Calls and
 * branches are patched at the end, when every pc is known.
 */
#include "rules.h"
#include "flow.h"
#include "liveness.h"
#include "places.h"
#include "schedule.h"

/* ---- emission ---- */

static uint32_t ref_place(const node_ref *r, const uint32_t *place)
{
    if (r->ref == REF_NONE) return UINT32_MAX;
    return r->ref < 0 ? (uint32_t)~r->ref : place[r->ref];
}

static void emit(builder *b, insn **in, code_info **info)
{
    code_module *m = b->m;
    uint32_t at = m->count;
    *in = ARENA_PUSH(b->arena, m->insns, m->count, b->insn_capacity);
    uint32_t count = at;
    *info = ARENA_PUSH(b->arena, m->info, count, b->info_capacity);
    memset(*in, 0, sizeof **in);
    memset(*info, 0, sizeof **info);
    if (!m->keeps_names) return;
    count = at;
    *ARENA_PUSH(b->arena, m->names, count, b->name_capacity) = NULL;
}

/* What the text calls the registers of the last insn. */
static void keep_names(builder *b, const node *n)
{
    if (!n->ref_count) return;
    const ptx_reg **list = arena_array(b->arena, n->ref_count, sizeof *list);
    for (uint32_t i = 0; i < n->ref_count; i++) {
        const int32_t r = n->refs[i].ref;
        list[i] = r >= 0 && r < b->func->reg_count ? &b->func->regs[r] : NULL;
    }
    b->m->names[b->m->count - 1] = list;
}

static void emit_node(builder *b, node *n, const uint32_t *place, uint32_t block)
{
    code_module *m = b->m;
    insn *in;
    code_info *info;
    emit(b, &in, &info);
    n->pc = m->count - 1;
    in->fn = n->fn;
    for (uint32_t i = 0; i < 8; i++) in->o[i] = i < n->ref_count ? ref_place(&n->refs[i], place) : UINT32_MAX;
    in->imm = n->imm;
    if (n->ref_count > 8) {
        uint32_t *list = arena_array(b->arena, (size_t)n->ref_count + 2, sizeof *list);
        for (uint32_t i = 0; i < n->ref_count; i++) list[i] = ref_place(&n->refs[i], place);
        uint64_t imm = (uint64_t)n->imm;
        list[n->ref_count] = (uint32_t)imm; /* the address offset, for those that have one */
        list[n->ref_count + 1] = (uint32_t)(imm >> 32);
        in->ext = list;
    }
    if (n->kind == NODE_CALL) {
        n->call->caller_frame = b->cf->frame_bytes;
        n->call->caller_local = b->cf->local_bytes;
        in->ext = n->call;
    }
    if (n->has_slot) in->slot = m->slots++;
    in->size = n->size;
    in->count = n->count;
    in->space = n->space;
    in->order = n->order;
    in->mod = n->mod;
    in->mod2 = n->mod2;
    info->src = n->src;
    info->func = b->func;
    info->block = block;
    info->slot = in->slot;
    info->cls = n->cls;
    info->flops = n->flops;
    info->dflops = n->dflops;
    info->hflops = n->hflops;
    info->matrix = n->matrix;
    info->real = n->real;
    info->guarded = n->guarded;
    info->refs = (uint16_t)n->ref_count;
    if (n->ref_count > 8) {
        uint8_t *roles = arena_array(b->arena, 2 * (size_t)n->ref_count, sizeof *roles);
        for (uint32_t i = 0; i < n->ref_count; i++) {
            roles[i] = n->refs[i].role;
            roles[n->ref_count + i] = n->refs[i].type;
        }
        info->roles = roles;
    }
    info->places = (uint8_t)(n->ref_count < 8 ? n->ref_count : 8);
    for (uint32_t i = 0; i < info->places; i++) {
        info->role[i] = n->refs[i].role;
        info->type[i] = n->refs[i].type;
    }
    if (m->keeps_names) keep_names(b, n);
    if (n->guarded && n->pc) info->guard_slot = m->info[n->pc - 1].slot;
    if (n->group && n[-1].group != n->group)
        info->joined = (uint8_t)b->groups[n->group - 1].count, info->joined_bytes = b->groups[n->group - 1].bytes;
}

static uint32_t count_meets(const builder *b)
{
    uint32_t count = 1; /* entry 0 is not used */
    for (uint32_t k = 0; k < b->block_count; k++) {
        for (const flow_meet *f = b->blocks[k].meets; f; f = f->next) count++;
        count++;
    }
    return count;
}

/* Where lanes that diverge at `pc`, the end of the block, reconverge. */
static void place_meets(code_module *m, const flow_block *fb, uint32_t first_block, uint32_t pc)
{
    insn *in = &m->insns[pc];
    if (!fb->meets) return;
    in->o[2] = m->blocks[first_block + fb->meets->block].first - pc;
    if (!fb->meets->next) return;
    if (!m->meet_count) m->meet_count++;
    in->o[3] = m->meet_count;
    for (const flow_meet *f = fb->meets; f; f = f->next)
        m->meets[m->meet_count++] = m->blocks[first_block + f->block].first;
    m->meets[m->meet_count++] = UINT32_MAX;
}

static int emit_function(builder *b, const uint32_t *place)
{
    code_module *m = b->m;
    uint32_t first_block = m->block_count;
    b->cf->entry = m->count;
    for (uint32_t k = 0; k < b->block_count; k++) {
        flow_block *fb = &b->blocks[k];
        code_block *cb = ARENA_PUSH(b->arena, m->blocks, m->block_count, b->block_capacity);
        memset(cb, 0, sizeof *cb);
        insn *in;
        code_info *info;
        emit(b, &in, &info);
        cb->first = m->count - 1;
        in->fn = fb->is_join ? b->ops->enter_join : b->ops->enter;
        in->o[0] = first_block + k;
        info->src = b->nodes[fb->first].src;
        info->func = b->func;
        info->block = first_block + k;
        info->cls = SIM_CLASS_OTHER;
        uint32_t real = 0;
        for (uint32_t i = fb->first; i <= fb->last; i++) {
            if (b->nodes[i].removed) continue;
            emit_node(b, &b->nodes[i], place, first_block + k);
            real += b->nodes[i].real;
        }
        cb = &m->blocks[first_block + k];
        cb->last = m->count - 1;
        cb->instructions = real;
        if (!m->as_written) build_views(b, k);
        m->insns[cb->first].imm = real ? real : 1;
        m->insns[cb->first].mod = real;
        if (m->count > 8000000) return sim_fail(b->err, SIM_E_LIMIT, "the module has too many instructions");
    }
    /* targets, now that every block has a pc */
    m->meets = arena_grow(b->arena, m->meets, m->meet_count, m->meet_count + count_meets(b), sizeof *m->meets);
    for (uint32_t k = 0; k < b->block_count; k++) {
        const flow_block *fb = &b->blocks[k];
        m->insns[m->blocks[first_block + k].first].o[1] = fb->place;
        const node *n = &b->nodes[fb->last];
        insn *in = &m->insns[n->pc];
        if (n->kind == NODE_BRANCH || n->kind == NODE_JUMP || n->kind == NODE_TABLE || n->kind == NODE_CALL ||
            n->kind == NODE_FUNCTION_END) {
            if (n->kind == NODE_BRANCH && in[-1].o[0] == in->o[0] && !m->info[n->pc - 1].guarded) {
                op_fn *both = b->ops->with_branch(in[-1].fn);
                if (both) in[-1].fn = both;
            }
            if (n->kind == NODE_BRANCH && !m->as_written && b->nodes[b->node_of[n->target]].block == k)
                in->ext = build_loop(b, k, m->blocks[first_block + k].first);
            if (n->kind == NODE_BRANCH || n->kind == NODE_JUMP) {
                uint32_t to = m->blocks[first_block + b->nodes[b->node_of[n->target]].block].first;
                in->o[1] = to - n->pc;
            }
            in->o[2] = n->kind == NODE_CALL ? 1 : 0;
            in->o[3] = 0;
            if (n->kind == NODE_BRANCH || n->kind == NODE_TABLE) place_meets(m, fb, first_block, n->pc);
        }
        if (n->kind == NODE_TABLE) {
            uint32_t *list = arena_array(b->arena, (size_t)n->target_count, sizeof *list);
            for (int t = 0; t < n->target_count; t++)
                list[t] = m->blocks[first_block + b->nodes[b->node_of[n->targets[t]]].block].first;
            in->ext = list;
            in->mod = (uint32_t)n->target_count;
        }
    }
    return SIM_OK;
}

static int build_function(builder *b, ptx_func *f, code_func *cf)
{
    b->func = f;
    b->cf = cf;
    cf->src = f;
    f->code = cf;
    static int (*const passes[])(builder *) = {build_lower, build_fuse, build_flow, build_in_flight, build_live};
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        int code = passes[i](b);
        if (code) return code;
        arena_empty(b->pass);
    }
    b->groups = NULL;
    b->operand = NULL;
    b->lean = 0;
    b->group_count = b->group_capacity = 0;
    if (b->m->schedules && !b->m->as_written && !rule_left_out(RULE_order)) build_schedule(b);
    arena_empty(b->pass);
    uint32_t *place = arena_array(b->scratch, (size_t)b->reg_count + 1, sizeof *place);
    int code = build_places(b, place);
    arena_empty(b->pass);
    if (!code) code = emit_function(b, place);
    if (code) return code;
    for (uint32_t i = 0; i < b->node_count; i++) {
        node *k = &b->nodes[i];
        if (k->kind == NODE_CALL) {
            /* direct targets are patched when all functions have been emitted */
            k->call->target = k->target_func >= 0 ? (uint32_t)k->target_func | 0x80000000u : UINT32_MAX;
        }
    }
    arena_empty(b->scratch);
    return SIM_OK;
}

static void fill_constants(builder *b)
{
    code_module *m = b->m;
    m->constant_bytes = b->constant_bytes + 512;
    char *raw = arena_alloc(b->arena, m->constant_bytes + 64);
    m->constants = raw + (64 - (uintptr_t)raw % 64) % 64;
    for (uint32_t i = 0; i < b->constant_count; i++) {
        const struct constant *c = &b->constants[i];
        char *p = m->constants + (c->place & ~1u);
        uint32_t narrow = (uint32_t)c->bits;
        for (int l = 0; l < 32; l++) {
            if (c->wide) memcpy(p + 8 * l, &c->bits, 8);
            else memcpy(p + 4 * l, &narrow, 4);
        }
    }
}

static int build_module(builder *b)
{
    ptx_module *ptx = b->ptx;
    code_module *m = b->m;
    m->ptx = ptx;
    m->slots = 1;
    m->funcs = arena_array(b->arena, (size_t)ptx->func_count + 1, sizeof *m->funcs);
    for (int i = 0; i < ptx->func_count; i++) {
        ptx->funcs[i]->index = i;
        int code = build_locals(b, ptx->funcs[i], &m->funcs[i]);
        if (code) return code;
    }
    int code = build_shared(b, m->funcs);
    arena_empty(b->pass);
    for (int i = 0; !code && i < ptx->func_count; i++) {
        m->funcs[i].src = ptx->funcs[i];
        if (ptx->funcs[i]->has_body) code = build_function(b, ptx->funcs[i], &m->funcs[i]);
    }
    if (code) return code;
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->insns[i].fn != b->ops->call || !m->insns[i].ext) continue;
        const call_info *c = m->insns[i].ext;
        if (c->target == UINT32_MAX || !(c->target & 0x80000000u)) continue;
        call_info *changed = arena_alloc(b->arena, sizeof *changed);
        *changed = *c;
        changed->target = m->funcs[c->target & 0x7fffffffu].entry;
        m->insns[i].ext = changed;
    }
    build_stack(b);
    for (int i = 0; i < ptx->func_count; i++)
        for (int k = 0; k < ptx->funcs[i]->insn_count; k++)
            for (int o = 0; o < ptx->funcs[i]->insns[k].operand_count; o++)
                if (ptx->funcs[i]->insns[k].operand[o].kind == O_SREG &&
                    ptx->funcs[i]->insns[k].operand[o].sreg == SR_ENVREG)
                    m->uses_grid_sync = true;
    fill_constants(b);
    return SIM_OK;
}

int code_build(code_module *m, ptx_module *ptx, const exec_table *ops, arena *a, sim_error *err)
{
    arena spare[3] = {{0}}; /* builder.whole, scratch, pass */
    jmp_buf *outer = a->oom, here;
    builder b;
    memset(&b, 0, sizeof b);
    b.m = m;
    b.ptx = ptx;
    b.ops = ops;
    b.arena = a;
    b.whole = &spare[0];
    b.scratch = &spare[1];
    b.pass = &spare[2];
    for (int i = 0; i < 3; i++) spare[i].budget = a->budget, spare[i].oom = &here;
    b.err = err;
    volatile int code = SIM_E_MEMORY;
    if (setjmp(here) == 0) {
        a->oom = &here;
        code = build_module(&b);
    } else {
        sim_no_memory(err);
    }
    a->oom = outer;
    for (int i = 0; i < 3; i++) arena_free(&spare[i]);
    return code;
}
