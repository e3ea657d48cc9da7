/* lower.c: the instructions of a function become nodes.
 *
 * build_lower walks over them. Most go through lower_plain. It asks the selector of the
 * instruction's group (exec/) for the function that performs it, and gives each operand a virtual
 * register or a constant. Branches, jump tables and calls have their own functions. A form that no
 * selector takes is refused here, with its line.
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

static uint32_t constant_list(const builder *b, uint64_t bits, bool wide)
{
    return ((uint32_t)((bits * UINT64_C(0x9e3779b97f4a7c15)) >> 32) ^ (wide ? 1 : 0)) & (b->constant_lists - 1);
}

static void more_lists(builder *b)
{
    b->constant_lists = b->constant_lists ? 4 * b->constant_lists : 1024;
    b->constant_hash = arena_array(b->whole, b->constant_lists, sizeof *b->constant_hash);
    for (uint32_t i = 0; i < b->constant_count; i++) {
        struct constant *c = &b->constants[i];
        int32_t *first = &b->constant_hash[constant_list(b, c->bits, c->wide)];
        c->next = *first - 1;
        *first = (int32_t)i + 1;
    }
}

static uint32_t build_constant(builder *b, uint64_t bits, bool wide)
{
    if (b->constant_count >= b->constant_lists) more_lists(b);
    const uint32_t h = constant_list(b, bits, wide);
    for (int32_t i = b->constant_hash[h] - 1; i >= 0; i = b->constants[i].next)
        if (b->constants[i].bits == bits && b->constants[i].wide == wide) return b->constants[i].place;
    uint32_t at = b->constant_count;
    struct constant *c = ARENA_PUSH(b->whole, b->constants, b->constant_count, b->constant_capacity);
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
    } else if ((op->kind == O_F64 && bits != 64) || (op->kind == O_F32 && bits != 32) ||
               (op->kind == O_INT && is_float && v)) {
        return complain(b, in, SIM_E_SYNTAX, "has a constant of the wrong type");
    }
    if (t == T_PRED) v = v ? UINT32_MAX : 0;
    else if (bits < 64) v &= (UINT64_C(1) << bits) - 1;
    else if (bits > 64) return complain(b, in, SIM_E_SYNTAX, "cannot take a constant");
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

/* The value of an operand that is not a register: a constant, or a temporary filled by a node made
 * here. */
static int source_ref(builder *b, const ptx_insn *in, const ptx_operand *op, enum ptx_type t, int32_t *ref)
{
    switch (op->kind) {
    case O_INT:
    case O_F32:
    case O_F64: return constant_ref(b, in, op, t, ref);
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
    default: return complain(b, in, SIM_E_SYNTAX, "has an operand that is not a value");
    }
}

static int slot_ref(builder *b, const form *f, const struct form_slot *s, node_ref *out)
{
    out->role = s->role;
    out->type = (uint8_t)s->type;
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
            snprintf(what, sizeof what, "has an operand (%s) of %d bits where %d are expected",
                     f->func->regs[op->reg].name, ptx_bits(b->reg_type[op->reg]), ptx_bits(s->type));
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
#define GROUP_MOVE    t->move
#define GROUP_ARITH   t->arith
#define GROUP_INT     t->intg
#define GROUP_VIDEO   t->video
#define GROUP_FLOAT   t->flt
#define GROUP_COMPARE t->compare
#define GROUP_CONVERT t->convert
#define GROUP_MEMORY  t->memory
#define GROUP_ATOMIC  t->atomic
#define GROUP_SYNC    t->sync
#define GROUP_WARP    t->warp
#define GROUP_FLOW    t->flow
#define GROUP_ASYNC   t->async
#define GROUP_TEXTURE t->texture
#define GROUP_TENSOR  t->tensor
#define GROUP_PRODUCT t->product
#define GROUP_NONE    NULL
#define OP(id, name, group, touches, effect) \
    case OP_##id:                            \
        return GROUP_##group;
#include "ptx/ops.def"
#undef OP
    default: return NULL;
    }
}

/* How often the function names a register: an atom whose result is named only there is a
 * reduction. */
static void count_names(const ptx_operand *op, uint8_t *count)
{
    if (op->reg >= 0 && (op->kind == O_REG || op->kind == O_ADDRESS) && count[op->reg] < 2) count[op->reg]++;
    for (int i = 0; i < ptx_inside(op); i++) count_names(&op->elements[i], count);
}

static int lower_plain(builder *b, const ptx_insn *in, int i, const uint8_t *named)
{
    form f;
    memset(&f, 0, sizeof f);
    f.in = in;
    f.func = b->func;
    f.module = b->ptx;
    f.arena = b->arena;
    f.cls = SIM_CLASSES; /* not said: its selector must */
    if (in->op == OP_ATOM && in->operand_count && in->operand[0].kind == O_REG)
        f.dead_result = named[in->operand[0].reg] < 2;
    select_fn *select = selector(b, (enum ptx_op)in->op);
    bool ok = select && select(&f);
    int code = form_finish(&f, ok, b->err);
    if (code) return code;
    if (f.cls == SIM_CLASSES) return complain(b, in, SIM_E_REFUSED, "has no class: its selector must say one");

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
    n->hflops = f.hflops;
    n->matrix = f.matrix;
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
            if (n->refs[s].role == DEF) n->refs[s].role = USE_DEF; /* inactive lanes keep theirs */
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
    static const struct {
        const char *name;
        enum call_builtin id;
    } table[] = {{"vprintf", BUILTIN_VPRINTF},
                 {"malloc", BUILTIN_MALLOC},
                 {"free", BUILTIN_FREE},
                 {"__assertfail", BUILTIN_ASSERTFAIL}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (!strcmp(table[i].name, name)) return table[i].id;
    return BUILTIN_UNDEFINED;
}

static int call_copies(builder *b, const ptx_insn *in, const ptx_operand *list, ptx_var **formals, int count,
                       const uint32_t *offsets, call_copy **out, uint32_t *n)
{
    int given = list ? list->count : 0;
    if (given != count) return complain(b, in, SIM_E_SYNTAX, "passes the wrong number of values");
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
        if (op->kind == O_LIST && !callee) rets = op;
        else if (op->kind == O_LIST) args = op;
        else if (op->kind == O_TABLE) table = op;
        else if (!callee) callee = op;
    }
    if (!callee || (callee->kind != O_FUNC && callee->kind != O_REG))
        return complain(b, in, SIM_E_SYNTAX, "needs a function to call");
    for (int k = 0; k < in->suffix_count; k++)
        if (in->suffix[k] != S_UNI) return complain(b, in, SIM_E_REFUSED, "is not supported here");
    const ptx_func *type = callee->kind == O_FUNC ? callee->func : NULL;
    if (!type && table)
        type = table->table->kind == 'p'   ? table->table->prototype
               : table->table->kind == 'c' ? table->table->funcs[0]
                                           : NULL;
    if (!type) return complain(b, in, SIM_E_SYNTAX, "calls through a register without a prototype");

    if (in->guard >= 0) lower_branch_around(b, in, i);
    call_info *c = arena_alloc(b->arena, sizeof *c);
    uint32_t *offsets = arena_array(b->pass, (size_t)type->ret_count + (size_t)type->param_count + 1, sizeof *offsets);
    code_formals(type, offsets, NULL);
    int code = call_copies(b, in, rets, type->rets, type->ret_count, offsets, &c->out, &c->out_count);
    if (!code)
        code =
            call_copies(b, in, args, type->params, type->param_count, offsets + type->ret_count, &c->in, &c->in_count);
    if (code) return code;
    c->target = UINT32_MAX;
    node *n = new_node(b, NODE_CALL, b->ops->call, in, 1);
    n->call = c;
    n->real = true;
    n->cls = SIM_CLASS_CALL;
    n->ends_block = true;
    if (callee->kind == O_REG) {
        if (ptx_bits(b->reg_type[callee->reg]) != 64)
            return complain(b, in, SIM_E_SYNTAX, "needs a 64-bit function address");
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
    if (in->operand_count != 2 || in->operand[0].kind != O_REG || in->operand[1].kind != O_TABLE ||
        in->operand[1].table->kind != 'b' || in->operand[1].table->count < 1)
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
        if (in->operand_count != 1 || in->operand[0].kind != O_LABEL)
            return complain(b, in, SIM_E_SYNTAX, "needs a label");
        for (int k = 0; k < in->suffix_count; k++)
            if (in->suffix[k] != S_UNI) return complain(b, in, SIM_E_REFUSED, "is not supported here");
        n = new_node(b, in->guard >= 0 ? NODE_BRANCH : NODE_JUMP, in->guard >= 0 ? b->ops->branch : b->ops->jump, in,
                     1);
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

int build_lower(builder *b)
{
    const ptx_func *f = b->func;
    b->reg_count = b->reg_capacity = 0;
    b->reg_type = NULL;
    b->node_count = b->node_capacity = 0;
    b->nodes = NULL;
    for (int i = 0; i < f->reg_count; i++) new_reg(b, f->regs[i].type);
    uint8_t *named = arena_array(b->pass, (size_t)f->reg_count + 1, 1);
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
    return SIM_OK;
}
