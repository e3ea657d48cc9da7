/* places.c: where variables lie. code_formals and build_locals give each function's parameters and
 * local variables their offsets, build_shared does so for shared memory, and build_stack adds up
 * what calls need.
 */
#include "places.h"

uint32_t code_formals(const ptx_func *f, uint32_t *offsets, uint32_t *ret_bytes)
{
    uint64_t at = 0;
    for (int i = 0; i < f->ret_count + f->param_count; i++) {
        const ptx_var *v = i < f->ret_count ? f->rets[i] : f->params[i - f->ret_count];
        uint64_t align = v->align ? v->align : 1;
        at = (at + align - 1) / align * align;
        if (offsets) offsets[i] = (uint32_t)at;
        at += v->size;
        if (ret_bytes && i + 1 == f->ret_count) *ret_bytes = (uint32_t)at;
        if (at > 1u << 20) at = 1u << 20;
    }
    return (uint32_t)((at + 15) & ~UINT64_C(15));
}

int build_locals(builder *b, ptx_func *f, code_func *cf)
{
    uint32_t *offsets = arena_array(b->pass, (size_t)f->ret_count + (size_t)f->param_count + 1, sizeof *offsets);
    cf->formal_bytes = code_formals(f, offsets, &cf->ret_bytes);
    for (int i = 0; i < f->ret_count + f->param_count; i++) {
        ptx_var *v = i < f->ret_count ? f->rets[i] : f->params[i - f->ret_count];
        v->address = offsets[i];
        v->index = i;
        v->owner = f;
        v->placed = true;
    }
    uint64_t at = f->is_entry ? 0 : cf->formal_bytes;
    for (int i = 0; i < f->var_count; i++) {
        ptx_var *v = f->vars[i];
        if (v->space != SPACE_LOCAL && v->space != SPACE_PARAM) continue;
        if (v->placed) continue;
        v->index = -1;
        uint64_t align = v->align ? v->align : 1;
        at = (at + align - 1) / align * align;
        v->address = at;
        v->placed = true;
        at += v->size;
        if (at > (1u << 24)) {
            sim_fail(b->err, SIM_E_LIMIT, "function %s needs more than 16 MiB of local memory per thread", f->name);
            return SIM_E_LIMIT;
        }
    }
    cf->local_bytes = (uint32_t)((at + 15) & ~UINT64_C(15));
    cf->local_spare = cf->local_bytes - (uint32_t)at;
    return SIM_OK;
}

int code_reach(const ptx_module *m, const ptx_func *f, uint8_t *seen, int *list)
{
    int count = 0;
    list[count++] = f->index;
    seen[f->index] = 1;
    for (int at = 0; at < count; at++) {
        const ptx_func *g = m->funcs[list[at]];
        for (int i = 0; i < g->insn_count; i++) {
            if (g->insns[i].op != OP_CALL) continue;
            bool indirect = true;
            for (int k = 0; k < g->insns[i].operand_count; k++) {
                const ptx_operand *op = &g->insns[i].operand[k];
                if (op->kind != O_FUNC) continue;
                indirect = false;
                if (!seen[op->func->index]) {
                    seen[op->func->index] = 1;
                    list[count++] = op->func->index;
                }
            }
            for (int k = 0; indirect && k < m->func_count; k++)
                if (!m->funcs[k]->is_entry && m->funcs[k]->has_body && !seen[k]) {
                    seen[k] = 1;
                    list[count++] = k;
                }
        }
    }
    return count;
}

static bool operand_names(const ptx_operand *op, const ptx_var *v)
{
    if ((op->kind == O_VAR || op->kind == O_ADDRESS) && op->var == v) return true;
    for (int i = 0; i < ptx_inside(op); i++)
        if (operand_names(&op->elements[i], v)) return true;
    return false;
}

static bool function_names(const ptx_func *f, const ptx_var *v)
{
    for (int i = 0; i < f->insn_count; i++)
        for (int k = 0; k < f->insns[i].operand_count; k++)
            if (operand_names(&f->insns[i].operand[k], v)) return true;
    return false;
}

/* A shared variable has one address for all kernels of a module: it goes after everything that the
 * kernels that use it have so far. Unsized extern arrays are the dynamic part and go last.
 *
 * shared_bytes counts where a card would put a variable. Here an unused gap lies between any two,
 * so that an overrun is seen and does not land in the next one. PTX promises no layout. Bank
 * conflicts and alignment stay as on the card: addresses differ from the card's by a multiple of
 * SHARED_STEP and of the variable's alignment. */
enum { SHARED_GAP = 1024, SHARED_STEP = 128, SHARED_MOST = 1 << 28 };

typedef struct placing {
    builder *b;
    code_func *cfs;
    int **reached; /* by kernel: the functions that it may reach, up to a -1; NULL: not a kernel */
    uint8_t *uses; /* the functions that name the variable */
} placing;

static bool kernel_uses(const placing *p, int kernel)
{
    for (const int *g = p->reached[kernel]; g && *g >= 0; g++)
        if (p->uses[*g]) return true;
    return false;
}

/* One list per kernel: of a million kernels most reach only themselves. */
static void find_reached(placing *p, const ptx_module *m, arena *a)
{
    int *stack = arena_array(a, (size_t)m->func_count + 1, sizeof *stack);
    uint8_t *seen = arena_array(a, (size_t)m->func_count + 1, 1);
    p->reached = arena_array(a, (size_t)m->func_count + 1, sizeof *p->reached);
    for (int i = 0; i < m->func_count; i++) {
        if (!m->funcs[i]->is_entry) continue;
        const int count = code_reach(m, m->funcs[i], seen, stack);
        p->reached[i] = arena_array(a, (size_t)count + 1, sizeof **p->reached);
        memcpy(p->reached[i], stack, (size_t)count * sizeof *stack);
        p->reached[i][count] = -1;
        for (int k = 0; k < count; k++) seen[stack[k]] = 0;
    }
}

static int place_shared(placing *p, ptx_var *v)
{
    const bool dynamic = v->size == 0;
    uint64_t at = 0, end = 0, align = v->align ? v->align : 1;
    const int kernels = p->b->ptx->func_count;
    for (int k = 0; k < kernels; k++) {
        if (!kernel_uses(p, k)) continue;
        if (p->cfs[k].shared_bytes > at) at = p->cfs[k].shared_bytes;
        if (p->cfs[k].shared_end > end) end = p->cfs[k].shared_end;
    }
    if (dynamic && align < 16) align = 16;
    at = (at + align - 1) / align * align;
    const uint64_t step = align > SHARED_STEP ? align : SHARED_STEP;
    v->address = end ? end + SHARED_GAP : at;
    v->address += (at % step + step - v->address % step) % step;
    v->placed = true;
    if (v->address + v->size > SHARED_MOST) {
        sim_fail(p->b->err, SIM_E_LIMIT, "shared variable %s is larger than any card's shared memory", v->name);
        return SIM_E_LIMIT;
    }
    for (int k = 0; k < kernels; k++) {
        code_func *cf = &p->cfs[k];
        if (!kernel_uses(p, k)) continue;
        if (dynamic) {
            if (!cf->has_dynamic || cf->dynamic_from > v->address) cf->dynamic_from = (uint32_t)v->address;
            if (cf->dynamic_to < v->address) cf->dynamic_to = (uint32_t)v->address;
            if (cf->dynamic_base < at) cf->dynamic_base = (uint32_t)at;
            cf->has_dynamic = true;
            continue;
        }
        cf->shared_bytes = (uint32_t)(at + v->size);
        cf->shared_end = (uint32_t)(v->address + v->size);
        if (!(cf->part_count & (cf->part_count + 1))) { /* 0, 1, 3, 7: full */
            shared_part *more = arena_array(p->b->arena, 2 * (size_t)cf->part_count + 1, sizeof *more);
            if (cf->part_count) memcpy(more, cf->parts, cf->part_count * sizeof *more);
            cf->parts = more;
        }
        cf->parts[cf->part_count++] = (shared_part){(uint32_t)v->address, cf->shared_end, v};
    }
    return SIM_OK;
}

int build_shared(builder *b, code_func *cfs)
{
    ptx_module *m = b->ptx;
    placing p = {.b = b, .cfs = cfs};
    find_reached(&p, m, b->pass);
    p.uses = arena_array(b->pass, (size_t)m->func_count + 1, 1);
    for (int pass = 0; pass < 2; pass++) /* sized ones, then the dynamic array */
        for (int owner = -1; owner < m->func_count; owner++) {
            int n = owner < 0 ? m->var_count : m->funcs[owner]->var_count;
            for (int i = 0; i < n; i++) {
                ptx_var *v = owner < 0 ? m->vars[i] : m->funcs[owner]->vars[i];
                if (v->space != SPACE_SHARED || (v->size == 0) != (pass == 1)) continue;
                for (int k = 0; k < m->func_count; k++)
                    p.uses[k] = owner < 0 ? function_names(m->funcs[k], v) : k == owner;
                int code = place_shared(&p, v);
                if (code) return code;
            }
        }
    return SIM_OK;
}

static uint8_t asks_of(const ptx_insn *in)
{
    uint8_t asks = 0;
    if (in->op == OP_ATOM && ptx_has(in, S_CAS) && !ptx_has(in, S_SHARED) && !ptx_has(in, S_SHARED_CTA))
        asks = FUNC_SWAPS;
    for (int o = 0; o < in->operand_count; o++) {
        if (in->operand[o].kind != O_SREG) continue;
        switch (in->operand[o].sreg) {
        case SR_CLOCK:
        case SR_CLOCK_HI:
        case SR_CLOCK64:
        case SR_GLOBALTIMER:
        case SR_GLOBALTIMER_LO:
        case SR_GLOBALTIMER_HI: asks |= FUNC_CLOCK; break;
        case SR_GRIDID: asks |= FUNC_LAUNCH; break;
        default: break;
        }
    }
    return asks;
}

/* Function k, if `in` may call it: by its name, or through a register any that is not a kernel. */
static bool may_call(const ptx_module *m, const ptx_insn *in, int k)
{
    bool indirect = true;
    if (in->op != OP_CALL || !m->funcs[k]->has_body) return false;
    for (int o = 0; o < in->operand_count; o++) {
        if (in->operand[o].kind != O_FUNC) continue;
        if (in->operand[o].func->index == k) return true;
        indirect = false;
    }
    return indirect && !m->funcs[k]->is_entry;
}

/* Stack needs: the deepest chain of calls. Functions on a cycle are marked recursive. */
static void measure_stack(const ptx_module *m, code_func *cfs, int f, uint8_t *state, int depth)
{
    code_func *cf = &cfs[f];
    state[f] = 1;
    uint32_t deep_frame = 0, deep_local = 0;
    for (int i = 0; i < m->funcs[f]->insn_count; i++) {
        const ptx_insn *in = &m->funcs[f]->insns[i];
        cf->asks |= asks_of(in);
        if (in->op != OP_CALL) continue;
        for (int k = 0; k < m->func_count; k++) {
            if (!may_call(m, in, k)) continue;
            if (state[k] == 1 || depth > 200) {
                cf->recursive = true;
                continue;
            }
            if (state[k] == 0) measure_stack(m, cfs, k, state, depth + 1);
            cf->recursive |= cfs[k].recursive;
            if (cfs[k].stack_frame > deep_frame) deep_frame = cfs[k].stack_frame;
            if (cfs[k].stack_local > deep_local) deep_local = cfs[k].stack_local;
        }
    }
    cf->stack_frame = cf->frame_bytes + deep_frame;
    cf->stack_local = cf->local_bytes + deep_local;
    state[f] = 2;
}

/* What a function asks, so do its callers. True: one of them did not yet. */
static bool pass_asks_on(const ptx_module *m, code_func *cfs)
{
    bool more = false;
    for (int f = 0; f < m->func_count; f++)
        for (int i = 0; i < m->funcs[f]->insn_count; i++)
            for (int k = 0; m->funcs[f]->insns[i].op == OP_CALL && k < m->func_count; k++)
                if (cfs[k].asks & ~cfs[f].asks && may_call(m, &m->funcs[f]->insns[i], k)) {
                    cfs[f].asks |= cfs[k].asks;
                    more = true;
                }
    return more;
}

void build_stack(builder *b)
{
    uint8_t *state = arena_array(b->pass, (size_t)b->ptx->func_count + 1, 1);
    for (int i = 0; i < b->ptx->func_count; i++)
        if (!state[i]) measure_stack(b->ptx, b->m->funcs, i, state, 0);
    while (pass_asks_on(b->ptx, b->m->funcs)) {}
}
