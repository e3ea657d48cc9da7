/* build.c: from a parsed module to one that runs.
 *
 * Read from the bottom: code_build places the variables, then turns each function into nodes (lower_function), lets flow.c
 * find its blocks, fuse.c contract what ptxas would, live.c give every register a place, and emits the insns. Calls and
 * branches are patched at the end, when every pc is known.
 */
#include "build.h"
#include <stdio.h>

static int complain(builder *b, const ptx_insn *in, int code, const char *what)
{
    char text[160];
    sim_fail(b->err, code, "`%s` %s", ptx_form(in, text, sizeof text), what);
    if (b->err) {
        snprintf(b->err->file, sizeof b->err->file, "%s", b->ptx->name);
        b->err->line = in->line;
        b->err->column = in->column;
    }
    return code;
}

/* ---- constants ---- */

uint32_t build_constant(builder *b, uint64_t bits, bool wide)
{
    uint32_t h = (uint32_t)((bits * UINT64_C(0x9e3779b97f4a7c15)) >> 54) ^ (wide ? 1 : 0);
    h &= 1023;
    for (int32_t i = b->constant_hash[h] - 1; i >= 0; i = b->constants[i].next)
        if (b->constants[i].bits == bits && b->constants[i].wide == wide) return b->constants[i].place;
    uint32_t at = b->constant_count;
    struct constant *c = ARENA_PUSH(b->scratch, b->constants, b->constant_count, b->constant_capacity);
    c->bits = bits;
    c->wide = wide;
    c->place = b->constant_bytes | 1;
    b->constant_bytes += wide ? 256 : 128;
    c->next = b->constant_hash[h] - 1;
    b->constant_hash[h] = (int32_t)at + 1;
    return c->place;
}

static int constant_ref(builder *b, const ptx_insn *in, const ptx_operand *op, enum ptx_type t, int32_t *ref)
{
    int bits = ptx_bits(t);
    bool is_float = ptx_types[t].kind == 'F';
    uint64_t v = (uint64_t)op->value.i;
    if (op->kind == O_F64 && t != T_F64 && bits == 32) {
        double d;
        memcpy(&d, &v, sizeof d);
        float f = (float)d;
        uint32_t u;
        memcpy(&u, &f, sizeof u);
        v = u;
    } else if ((op->kind == O_F64 && bits != 64) || (op->kind == O_F32 && bits != 32) || (op->kind == O_INT && is_float && v)) {
        return complain(b, in, SIM_E_SYNTAX, "has a constant whose type does not fit");
    }
    if (t == T_PRED)
        v = v ? UINT32_MAX : 0;
    else if (bits < 64)
        v &= (UINT64_C(1) << bits) - 1;
    else if (bits > 64)
        return complain(b, in, SIM_E_SYNTAX, "cannot take a constant");
    *ref = ~(int32_t)build_constant(b, v, bits == 64);
    return SIM_OK;
}

/* ---- nodes ---- */

static int new_reg(builder *b, enum ptx_type t)
{
    uint8_t *p = ARENA_PUSH(b->scratch, b->reg_type, b->reg_count, b->reg_capacity);
    *p = (uint8_t)t;
    return (int)b->reg_count - 1;
}

static node *new_node(builder *b, enum node_kind kind, op_fn *fn, const ptx_insn *src, uint32_t refs)
{
    node *n = ARENA_PUSH(b->scratch, b->nodes, b->node_count, b->node_capacity);
    memset(n, 0, sizeof *n);
    n->kind = (uint8_t)kind;
    n->fn = fn;
    n->src = src;
    n->cls = SIM_CLASS_OTHER;
    n->target = -1;
    n->target_func = -1;
    n->ref_count = refs;
    n->refs = refs ? arena_array(b->scratch, refs, sizeof *n->refs) : NULL;
    for (uint32_t i = 0; i < refs; i++) n->refs[i].ref = REF_NONE;
    return n;
}

static int width_class(enum ptx_type t)
{
    int bits = ptx_bits(t);
    return bits == 1 ? 0 : bits <= 32 ? 1 : bits == 64 ? 2 : 3;
}

static bool is_frame_var(const ptx_var *v)
{
    return v->space == SPACE_LOCAL || (v->space == SPACE_PARAM && !(v->owner && v->owner->is_entry && v->index >= 0));
}

/* The value of an operand that is not a register: a constant, or a temporary that a node made here fills. */
static int source_ref(builder *b, const ptx_insn *in, const ptx_operand *op, enum ptx_type t, int32_t *ref)
{
    switch (op->kind) {
    case O_INT:
    case O_F32:
    case O_F64:
        return constant_ref(b, in, op, t, ref);
    case O_SREG: {
        const ptx_sreg_info *s = &ptx_sregs[op->sreg];
        bool wide = ptx_bits(t) == 64;
        int temp = new_reg(b, t == T_PRED ? T_PRED : wide ? T_U64 : T_U32);
        node *n = new_node(b, NODE_PLAIN, b->ops->sreg, in, 1);
        n->refs[0].ref = temp;
        n->refs[0].role = DEF;
        n->mod = op->sreg;
        n->mod2 = op->component;
        n->size = (uint8_t)(wide ? 8 : 4);
        if (t == T_PRED || s->type == T_PRED) n->size = 1;
        *ref = temp;
        return SIM_OK;
    }
    case O_VAR:
    case O_FUNC: {
        uint64_t address = op->kind == O_FUNC ? CODE_FUNCTION_BASE + 16 * (uint64_t)op->func->index : op->var->address;
        address += (uint64_t)op->value.i;
        if (op->kind == O_VAR && is_frame_var(op->var) && !b->func->is_entry) {
            int temp = new_reg(b, ptx_bits(t) == 64 ? T_U64 : T_U32);
            node *n = new_node(b, NODE_PLAIN, b->ops->local_address, in, 1);
            n->refs[0].ref = temp;
            n->refs[0].role = DEF;
            n->imm = (int64_t)address;
            n->size = (uint8_t)(ptx_bits(t) / 8);
            *ref = temp;
            return SIM_OK;
        }
        *ref = ~(int32_t)build_constant(b, ptx_bits(t) == 64 ? address : (uint32_t)address, ptx_bits(t) == 64);
        return SIM_OK;
    }
    default:
        return complain(b, in, SIM_E_SYNTAX, "has an operand that is not a value");
    }
}

static int slot_ref(builder *b, const form *f, const struct form_slot *s, node_ref *out)
{
    out->role = s->role;
    out->ref = REF_NONE;
    if (s->role == SLOT_UNUSED) return SIM_OK;
    const ptx_operand *op = s->op;
    if (!op || op->kind == O_NONE) {
        if (s->role == USE) return complain(b, f->in, SIM_E_SYNTAX, "reads the sink `_`");
        out->ref = new_reg(b, s->type);
        return SIM_OK;
    }
    if ((op->kind == O_REG || op->kind == O_ADDRESS) && op->reg >= 0) {
        if (width_class(b->reg_type[op->reg]) != width_class(s->type)) {
            char what[160];
            snprintf(what, sizeof what, "has an operand (%s) of %d bits where %d are expected", f->func->regs[op->reg].name,
                     ptx_bits(b->reg_type[op->reg]), ptx_bits(s->type));
            return complain(b, f->in, SIM_E_SYNTAX, what);
        }
        out->ref = op->reg;
        return SIM_OK;
    }
    if (s->role != USE) return complain(b, f->in, SIM_E_SYNTAX, "writes to something that is not a register");
    return source_ref(b, f->in, op, s->type, &out->ref);
}

/* ---- lowering instructions ---- */

static void lower_branch_around(builder *b, const ptx_insn *in, int i)
{
    node *n = new_node(b, NODE_BRANCH, b->ops->branch, in, 1);
    n->refs[0].ref = in->guard;
    n->refs[0].role = USE;
    n->mod = !in->guard_negated;
    n->target = i + 1;
    n->cls = SIM_CLASS_BRANCH;
    n->has_slot = true;
}

static select_fn *selector(const builder *b, enum ptx_op op)
{
    const exec_table *t = b->ops;
    switch (op) {
#define GROUP_MOVE t->move
#define GROUP_ARITH t->arith
#define GROUP_INT t->intg
#define GROUP_VIDEO t->video
#define GROUP_FLOAT t->flt
#define GROUP_COMPARE t->compare
#define GROUP_CONVERT t->convert
#define GROUP_MEMORY t->memory
#define GROUP_ATOMIC t->atomic
#define GROUP_SYNC t->sync
#define GROUP_WARP t->warp
#define GROUP_FLOW t->flow
#define GROUP_ASYNC t->async
#define GROUP_TEXTURE t->texture
#define GROUP_TENSOR t->tensor
#define GROUP_NONE NULL
#define OP(id, name, group, effect)                                                                              \
    case OP_##id: return GROUP_##group;
#include "../ptx/ops.def"
#undef OP
    default: return NULL;
    }
}

/* How often a register is named in the function: an atom whose result is named once, by itself, is a reduction. */
static void count_names(const ptx_operand *op, uint8_t *count)
{
    if (op->reg >= 0 && (op->kind == O_REG || op->kind == O_ADDRESS) && count[op->reg] < 2) count[op->reg]++;
    for (int i = 0; i < op->count; i++)
        if (op->elements) count_names(&op->elements[i], count);
    if (op->second) count_names(op->second, count);
}

static int lower_plain(builder *b, const ptx_insn *in, int i, const uint8_t *named)
{
    form f;
    memset(&f, 0, sizeof f);
    f.in = in;
    f.func = b->func;
    f.module = b->ptx;
    f.arena = b->arena;
    f.cls = SIM_CLASS_OTHER;
    if (in->op == OP_ATOM && in->operand_count && in->operand[0].kind == O_REG && in->guard < 0)
        f.dead_result = named[in->operand[0].reg] < 2;
    select_fn *select = selector(b, in->op);
    bool ok = select && select(&f);
    int code = form_finish(&f, ok, b->err);
    if (code) return code;

    if (in->guard >= 0 && f.splits) lower_branch_around(b, in, i);
    node_ref refs[sizeof f.slot / sizeof f.slot[0]];
    for (int s = 0; s < f.slots; s++) {
        code = slot_ref(b, &f, &f.slot[s], &refs[s]);
        if (code) return code;
    }
    bool guarded = in->guard >= 0 && !f.splits;
    if (guarded) {
        node *g = new_node(b, NODE_GUARD, b->ops->guard, in, 1);
        g->refs[0].ref = in->guard;
        g->refs[0].role = USE;
        g->mod = in->guard_negated;
        g->has_slot = true;
    }
    node *n = new_node(b, NODE_PLAIN, f.fn, in, (uint32_t)f.slots);
    if (f.slots) memcpy(n->refs, refs, sizeof *refs * (size_t)f.slots);
    n->real = true;
    n->guarded = guarded;
    n->cls = (uint8_t)f.cls;
    n->flops = f.flops;
    n->dflops = f.dflops;
    n->size = f.size;
    n->count = f.count;
    n->space = f.space;
    n->order = f.order;
    n->imm = f.imm;
    n->mod = f.mod;
    n->mod2 = f.mod2;
    n->has_slot = f.has_slot;
    n->ends_block = f.ends_block;
    n->fusible = f.fusible && !((in->op == OP_MUL || in->op == OP_NEG) && in->guard >= 0);
    if (guarded)
        for (uint32_t s = 0; s < n->ref_count; s++)
            if (n->refs[s].role == DEF) n->refs[s].role = USE_DEF; /* lanes that sit out keep the old value */
    if (in->op == OP_BAR || in->op == OP_BARRIER) {
        for (int s = 0; s < in->suffix_count; s++)
            if (in->suffix[s] == S_RED) {
                node *r = new_node(b, NODE_PLAIN, b->ops->barrier_result, in, 1);
                const ptx_operand *d = &in->operand[0];
                if (d->kind != O_REG) return complain(b, in, SIM_E_SYNTAX, "needs a destination register");
                r->refs[0].ref = d->reg;
                r->refs[0].role = USE_DEF;
                r->size = ptx_bits(b->reg_type[d->reg]) == 1 ? 1 : 4;
            }
    }
    return SIM_OK;
}

static enum call_builtin builtin_named(const char *name)
{
    static const struct { const char *name; enum call_builtin id; } table[] = {
        {"vprintf", BUILTIN_VPRINTF}, {"malloc", BUILTIN_MALLOC}, {"free", BUILTIN_FREE}, {"__assertfail", BUILTIN_ASSERTFAIL}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (!strcmp(table[i].name, name)) return table[i].id;
    return BUILTIN_UNDEFINED;
}

static int call_copies(builder *b, const ptx_insn *in, const ptx_operand *list, ptx_var **formals, int count,
                       const uint32_t *offsets, call_copy **out, uint32_t *n)
{
    int given = list ? list->count : 0;
    if (given != count) return complain(b, in, SIM_E_SYNTAX, "passes another number of values than the function takes");
    *out = arena_array(b->arena, (size_t)count + 1, sizeof **out);
    *n = (uint32_t)count;
    for (int i = 0; i < count; i++) {
        const ptx_operand *op = &list->elements[i];
        if (op->kind != O_VAR || !op->var || op->var->space != SPACE_PARAM)
            return complain(b, in, SIM_E_REFUSED, "passes something other than .param variables");
        (*out)[i].caller = (uint32_t)op->var->address;
        (*out)[i].callee = offsets[i];
        (*out)[i].bytes = (uint32_t)(op->var->size < formals[i]->size ? op->var->size : formals[i]->size);
    }
    return SIM_OK;
}

static int lower_call(builder *b, const ptx_insn *in, int i)
{
    const ptx_operand *rets = NULL, *args = NULL, *callee = NULL, *table = NULL;
    for (int k = 0; k < in->operand_count; k++) {
        const ptx_operand *op = &in->operand[k];
        if (op->kind == O_LIST && !callee)
            rets = op;
        else if (op->kind == O_LIST)
            args = op;
        else if (op->kind == O_TABLE)
            table = op;
        else if (!callee)
            callee = op;
    }
    if (!callee || (callee->kind != O_FUNC && callee->kind != O_REG))
        return complain(b, in, SIM_E_SYNTAX, "names no function to call");
    for (int k = 0; k < in->suffix_count; k++)
        if (in->suffix[k] != S_UNI) return complain(b, in, SIM_E_REFUSED, "is not supported here");
    const ptx_func *type = callee->kind == O_FUNC ? callee->func : NULL;
    if (!type && table) type = table->table->kind == 'p' ? table->table->prototype : table->table->count ? table->table->funcs[0] : NULL;
    if (!type) return complain(b, in, SIM_E_SYNTAX, "calls through a register without a prototype");

    if (in->guard >= 0) lower_branch_around(b, in, i);
    call_info *c = arena_alloc(b->arena, sizeof *c);
    uint32_t *offsets = arena_array(b->scratch, (size_t)type->ret_count + (size_t)type->param_count + 1, sizeof *offsets);
    code_formals(type, offsets, NULL);
    int code = call_copies(b, in, rets, type->rets, type->ret_count, offsets, &c->out, &c->out_count);
    if (!code) code = call_copies(b, in, args, type->params, type->param_count, offsets + type->ret_count, &c->in, &c->in_count);
    if (code) return code;
    c->target = UINT32_MAX;
    node *n = new_node(b, NODE_CALL, b->ops->call, in, 1);
    n->call = c;
    n->real = true;
    n->cls = SIM_CLASS_CALL;
    n->ends_block = true;
    if (callee->kind == O_REG) {
        if (ptx_bits(b->reg_type[callee->reg]) != 64) return complain(b, in, SIM_E_SYNTAX, "needs a 64-bit function address");
        n->refs[0].ref = callee->reg;
        n->refs[0].role = USE;
    } else if (callee->func->has_body) {
        n->target_func = callee->func->index;
    } else {
        c->builtin = builtin_named(callee->func->name);
        if (c->builtin == BUILTIN_UNDEFINED) {
            char what[200];
            snprintf(what, sizeof what, "calls %s, which has no body in this module", callee->func->name);
            return complain(b, in, SIM_E_REFUSED, what);
        }
        n->fn = b->ops->builtin;
    }
    return SIM_OK;
}

static int lower_table(builder *b, const ptx_insn *in, int i)
{
    if (in->operand_count != 2 || in->operand[0].kind != O_REG || in->operand[1].kind != O_TABLE || in->operand[1].table->kind != 'b' ||
        in->operand[1].table->count < 1)
        return complain(b, in, SIM_E_SYNTAX, "needs an index and a .branchtargets list");
    if (width_class(b->reg_type[in->operand[0].reg]) != 1) return complain(b, in, SIM_E_SYNTAX, "needs a 32-bit index");
    if (in->guard >= 0) lower_branch_around(b, in, i);
    node *n = new_node(b, NODE_TABLE, b->ops->jump_table, in, 1);
    n->refs[0].ref = in->operand[0].reg;
    n->refs[0].role = USE;
    n->targets = in->operand[1].table->labels;
    n->target_count = in->operand[1].table->count;
    n->real = true;
    n->cls = SIM_CLASS_BRANCH;
    n->has_slot = true;
    return SIM_OK;
}

static int lower_insn(builder *b, const ptx_insn *in, int i, const uint8_t *named)
{
    int end = b->func->insn_count;
    node *n;
    switch (in->op) {
    case OP_BRA:
        if (in->operand_count != 1 || in->operand[0].kind != O_LABEL) return complain(b, in, SIM_E_SYNTAX, "needs a label");
        for (int k = 0; k < in->suffix_count; k++)
            if (in->suffix[k] != S_UNI) return complain(b, in, SIM_E_REFUSED, "is not supported here");
        n = new_node(b, in->guard >= 0 ? NODE_BRANCH : NODE_JUMP, in->guard >= 0 ? b->ops->branch : b->ops->jump, in, 1);
        if (in->guard >= 0) {
            n->refs[0].ref = in->guard;
            n->refs[0].role = USE;
            n->mod = in->guard_negated;
            n->has_slot = true;
        }
        n->target = in->operand[0].label;
        break;
    case OP_BRX: return lower_table(b, in, i);
    case OP_CALL: return lower_call(b, in, i);
    case OP_RET:
        if (in->guard >= 0) {
            n = new_node(b, NODE_BRANCH, b->ops->branch, in, 1);
            n->refs[0].ref = in->guard;
            n->refs[0].role = USE;
            n->mod = in->guard_negated;
            n->has_slot = true;
        } else {
            n = new_node(b, NODE_JUMP, b->ops->jump, in, 0);
        }
        n->target = end;
        break;
    case OP_EXIT:
        if (in->guard >= 0) lower_branch_around(b, in, i);
        n = new_node(b, NODE_END_LANES, b->ops->kernel_end, in, 0);
        break;
    default: return lower_plain(b, in, i, named);
    }
    n->real = true;
    n->cls = SIM_CLASS_BRANCH;
    return SIM_OK;
}

/* ---- variables of functions ---- */

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

static int place_locals(builder *b, ptx_func *f, code_func *cf)
{
    uint32_t *offsets = arena_array(b->scratch, (size_t)f->ret_count + (size_t)f->param_count + 1, sizeof *offsets);
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
    return SIM_OK;
}

/* Which functions a function may reach; calls through registers may reach every function that is not a kernel. */
static void reach(const ptx_module *m, const ptx_func *f, uint8_t *seen, int *stack)
{
    int top = 0;
    stack[top++] = f->index;
    seen[f->index] = 1;
    while (top) {
        const ptx_func *g = m->funcs[stack[--top]];
        for (int i = 0; i < g->insn_count; i++) {
            if (g->insns[i].op != OP_CALL) continue;
            bool indirect = true;
            for (int k = 0; k < g->insns[i].operand_count; k++) {
                const ptx_operand *op = &g->insns[i].operand[k];
                if (op->kind != O_FUNC) continue;
                indirect = false;
                if (!seen[op->func->index]) {
                    seen[op->func->index] = 1;
                    stack[top++] = op->func->index;
                }
            }
            for (int k = 0; indirect && k < m->func_count; k++)
                if (!m->funcs[k]->is_entry && m->funcs[k]->has_body && !seen[k]) {
                    seen[k] = 1;
                    stack[top++] = k;
                }
        }
    }
}

static bool operand_names(const ptx_operand *op, const ptx_var *v)
{
    if (op->var == v) return true;
    for (int i = 0; i < op->count && op->elements; i++)
        if (operand_names(&op->elements[i], v)) return true;
    return op->second && operand_names(op->second, v);
}

static bool function_names(const ptx_func *f, const ptx_var *v)
{
    for (int i = 0; i < f->insn_count; i++)
        for (int k = 0; k < f->insns[i].operand_count; k++)
            if (operand_names(&f->insns[i].operand[k], v)) return true;
    return false;
}

/* Shared variables have one address each, but kernels of a module do not share them: a variable goes behind whatever the
 * kernels that use it have already. Unsized extern arrays are the dynamic part and go last. */
static int place_shared(builder *b, code_func *cfs)
{
    ptx_module *m = b->ptx;
    uint8_t **seen = arena_array(b->scratch, (size_t)m->func_count + 1, sizeof *seen);
    int *stack = arena_array(b->scratch, (size_t)m->func_count + 1, sizeof *stack);
    for (int i = 0; i < m->func_count; i++)
        if (m->funcs[i]->is_entry) {
            seen[i] = arena_array(b->scratch, (size_t)m->func_count + 1, 1);
            reach(m, m->funcs[i], seen[i], stack);
        }
    uint8_t *uses = arena_array(b->scratch, (size_t)m->func_count + 1, 1);
    for (int pass = 0; pass < 2; pass++) /* sized ones, then the dynamic array */
        for (int owner = -1; owner < m->func_count; owner++) {
            int n = owner < 0 ? m->var_count : m->funcs[owner]->var_count;
            for (int i = 0; i < n; i++) {
                ptx_var *v = owner < 0 ? m->vars[i] : m->funcs[owner]->vars[i];
                bool dynamic = v->size == 0;
                if (v->space != SPACE_SHARED || dynamic != (pass == 1)) continue;
                for (int k = 0; k < m->func_count; k++) uses[k] = owner < 0 ? function_names(m->funcs[k], v) : k == owner;
                uint64_t at = 0, align = v->align ? v->align : 1;
                for (int k = 0; k < m->func_count; k++)
                    for (int g = 0; seen[k] && g < m->func_count; g++)
                        if (seen[k][g] && uses[g] && cfs[k].shared_bytes > at) at = cfs[k].shared_bytes;
                if (dynamic && align < 16) align = 16;
                at = (at + align - 1) / align * align;
                v->address = at;
                v->placed = true;
                if (at + v->size > (1u << 28)) {
                    sim_fail(b->err, SIM_E_LIMIT, "shared variable %s is larger than any card's shared memory", v->name);
                    return SIM_E_LIMIT;
                }
                for (int k = 0; k < m->func_count; k++)
                    for (int g = 0; seen[k] && g < m->func_count; g++)
                        if (seen[k][g] && uses[g]) {
                            if (dynamic) {
                                if (cfs[k].dynamic_base < at) cfs[k].dynamic_base = (uint32_t)at;
                            } else {
                                cfs[k].shared_bytes = (uint32_t)(at + v->size);
                            }
                        }
            }
        }
    return SIM_OK;
}

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
    info->real = n->real;
    info->guarded = n->guarded;
    info->places = (uint8_t)(n->ref_count < 8 ? n->ref_count : 8);
    for (uint32_t i = 0; i < info->places; i++) info->role[i] = n->refs[i].role;
    if (n->guarded && n->pc) info->guard_slot = m->info[n->pc - 1].slot;
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
        m->insns[cb->first].imm = real ? real : 1;
        m->insns[cb->first].mod = real;
        if (m->count > 8000000) return sim_fail(b->err, SIM_E_LIMIT, "the module has too many instructions");
    }
    /* targets, now that every block has a pc */
    for (uint32_t k = 0; k < b->block_count; k++) {
        const flow_block *fb = &b->blocks[k];
        uint32_t joins = fb->ipdom == UINT32_MAX ? UINT32_MAX : m->blocks[first_block + fb->ipdom].first;
        m->blocks[first_block + k].ipdom = joins;
        const node *n = &b->nodes[fb->last];
        insn *in = &m->insns[n->pc];
        if (n->kind == NODE_BRANCH || n->kind == NODE_JUMP || n->kind == NODE_TABLE || n->kind == NODE_CALL) {
            if (n->kind == NODE_BRANCH || n->kind == NODE_JUMP) {
                uint32_t to = m->blocks[first_block + b->nodes[b->node_of[n->target]].block].first;
                in->o[1] = to - n->pc;
            }
            in->o[2] = joins == UINT32_MAX ? 0 : joins - n->pc;
        }
        if (n->kind == NODE_CALL) in->o[2] = 1;
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

static int lower_function(builder *b, ptx_func *f, code_func *cf)
{
    b->func = f;
    b->cf = cf;
    cf->src = f;
    f->code = cf;
    b->reg_count = b->reg_capacity = 0;
    b->reg_type = NULL;
    b->node_count = b->node_capacity = 0;
    b->nodes = NULL;
    for (int i = 0; i < f->reg_count; i++) new_reg(b, f->regs[i].type);
    uint8_t *named = arena_array(b->scratch, (size_t)f->reg_count + 1, 1);
    for (int i = 0; i < f->insn_count; i++) {
        for (int k = 0; k < f->insns[i].operand_count; k++) count_names(&f->insns[i].operand[k], named);
        int g = f->insns[i].guard;
        if (g >= 0 && named[g] < 2) named[g]++;
    }
    b->node_of = arena_array(b->scratch, (size_t)f->insn_count + 2, sizeof *b->node_of);
    for (int i = 0; i < f->insn_count; i++) {
        b->node_of[i] = (int32_t)b->node_count;
        int code = lower_insn(b, &f->insns[i], i, named);
        if (code) return code;
    }
    b->node_of[f->insn_count] = (int32_t)b->node_count;
    node *n = new_node(b, NODE_FUNCTION_END, f->is_entry ? b->ops->kernel_end : b->ops->function_end,
                       f->insn_count ? &f->insns[f->insn_count - 1] : NULL, 0);
    n->cls = SIM_CLASS_BRANCH;
    int code = build_fuse(b);
    if (!code) code = build_flow(b);
    if (code) return code;
    uint32_t *place = arena_array(b->scratch, (size_t)b->reg_count + 1, sizeof *place);
    code = build_places(b, place);
    if (!code) code = emit_function(b, place);
    if (code) return code;
    for (uint32_t i = 0; i < b->node_count; i++) {
        node *k = &b->nodes[i];
        if (k->kind == NODE_CALL) {
            /* direct targets are patched when all functions have been emitted */
            k->call->target = k->target_func >= 0 ? (uint32_t)k->target_func | 0x80000000u : UINT32_MAX;
        }
    }
    return SIM_OK;
}

/* Stack needs: the deepest chain of calls; functions on a cycle are marked recursive. */
static void measure_stack(const ptx_module *m, code_func *cfs, int f, uint8_t *state, int depth)
{
    code_func *cf = &cfs[f];
    state[f] = 1;
    uint32_t deep_frame = 0, deep_local = 0;
    for (int i = 0; i < m->funcs[f]->insn_count; i++) {
        const ptx_insn *in = &m->funcs[f]->insns[i];
        if (in->op != OP_CALL) continue;
        bool indirect = true;
        for (int k = 0; k < m->func_count; k++) {
            bool called = false;
            for (int o = 0; o < in->operand_count; o++)
                if (in->operand[o].kind == O_FUNC) {
                    indirect = false;
                    called |= in->operand[o].func->index == k;
                }
            if (indirect ? m->funcs[k]->is_entry || !m->funcs[k]->has_body : !called) continue;
            if (!m->funcs[k]->has_body) continue;
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
            if (c->wide)
                memcpy(p + 8 * l, &c->bits, 8);
            else
                memcpy(p + 4 * l, &narrow, 4);
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
        int code = place_locals(b, ptx->funcs[i], &m->funcs[i]);
        if (code) return code;
    }
    int code = place_shared(b, m->funcs);
    for (int i = 0; !code && i < ptx->func_count; i++) {
        m->funcs[i].src = ptx->funcs[i];
        if (ptx->funcs[i]->has_body) code = lower_function(b, ptx->funcs[i], &m->funcs[i]);
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
    uint8_t *state = arena_array(b->scratch, (size_t)ptx->func_count + 1, 1);
    for (int i = 0; i < ptx->func_count; i++)
        if (!state[i]) measure_stack(ptx, m->funcs, i, state, 0);
    for (int i = 0; i < ptx->func_count; i++)
        for (int k = 0; k < ptx->funcs[i]->insn_count; k++)
            for (int o = 0; o < ptx->funcs[i]->insns[k].operand_count; o++)
                if (ptx->funcs[i]->insns[k].operand[o].kind == O_SREG && ptx->funcs[i]->insns[k].operand[o].sreg == SR_ENVREG)
                    m->uses_grid_sync = true;
    fill_constants(b);
    return SIM_OK;
}

int code_build(code_module *m, ptx_module *ptx, const exec_table *ops, arena *a, sim_error *err)
{
    arena scratch = {0};
    scratch.limit = (size_t)1 << 31;
    scratch.oom = a->oom;
    jmp_buf *outer = a->oom, here;
    builder b;
    memset(&b, 0, sizeof b);
    b.m = m;
    b.ptx = ptx;
    b.ops = ops;
    b.arena = a;
    b.scratch = &scratch;
    b.err = err;
    volatile int code = SIM_E_MEMORY;
    if (setjmp(here) == 0) {
        a->oom = scratch.oom = &here;
        code = build_module(&b);
    } else {
        sim_fail(err, SIM_E_MEMORY, "out of memory while preparing %s", ptx->name);
    }
    a->oom = outer;
    arena_free(&scratch);
    return code;
}
