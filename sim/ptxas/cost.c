/* cost.c: what a PTX instruction costs on a card.
 *
 * PTX is not machine code: it has more instructions and no limit to its registers. What machine
 * code does not have is free:
 *   - ld.param: parameters are operands from constant memory;
 *   - cvta: addresses need no conversion;
 *   - an index times a constant (mul.wide): the addition to the base after it is one instruction with it.
 * On cards with 32-bit addresses also
 *   - the widening of an index;
 *   - that addition, if the compiler steps the address instead of the index: one addition for both.
 * Without a 32-bit multiplier a multiplication is four instructions, and a multiply-add is a
 * multiplication and then an addition that waits for it. A shared word used once is an operand
 * there.
 *
 * How many instructions the innermost loops have here, and in what ptxas 13 makes of the same PTX
 * for compute 7.5:
 *
 *     lesson 1   v1 6 and 7   v3 to v7 6 and 6   v5's serial sum 7 and 6   v6's tree 15 and 11
 *                v7's tree 12 and 10
 *     lesson 2   naive 8 and 13   kahan 12 and 17   row 12 and 12   padded 107 and 96
 *
 * ptxas has more where a 64-bit addition is two and values are moved between registers, fewer where
 * it turns short branches into predicates and fuses integer operations.
 */
#include "rules.h"
#include "ptxas.h"
#include <stdlib.h>

static bool constant_operand(const ptx_insn *in, int i)
{
    return i < in->operand_count && in->operand[i].kind == O_INT;
}

/* Where all arithmetic has one unit, an instruction that is several native ones keeps the scheduler
 * for all of them. */
static void set(step *s, enum unit unit, double busy, double latency, enum sim_stall cause, const sim_timing *t)
{
    if (busy <= 0) busy = t->issue;
    s->unit = (uint8_t)unit;
    s->busy = clocks_of(busy);
    s->slot = clocks_of(t->units == 1 && unit != UNIT_SPECIAL && busy > t->issue ? busy : t->issue);
    s->latency = clocks_of(latency);
    s->cause = (uint8_t)cause;
}

static bool is_multiply_add(const ptx_insn *in) { return in->op == OP_MAD || in->op == OP_MADC; }

bool cost_native_multiply(const sim_timing *t)
{
    return t->multiply_issue <= (t->float_issue > 0 ? t->float_issue : t->issue) ||
           (t->units == 2 && t->multiply_latency <= t->latency + 1);
}

static bool is_native_multiply(const ptx_insn *in, const sim_timing *t)
{
    return in->op == OP_MUL24 || in->op == OP_MAD24 || cost_native_multiply(t);
}

/* `indexes`: a product of 64 bits with a constant counts as part of an address; else combine.c
 * decides. */
static void multiply(step *s, const ptx_insn *in, bool indexes, const sim_timing *t)
{
    if (indexes && ptx_has(in, S_WIDE) && !is_multiply_add(in) && constant_operand(in, 2)) s->free = true;
    if (in->op == OP_MUL24 || in->op == OP_MAD24)
        set(s, UNIT_FLOAT, t->float_issue, t->latency, SIM_STALL_ARITHMETIC, t);
    else
        set(s, cost_product_unit(t), ptx_has(in, S_WIDE) && t->wide_issue > 0 ? t->wide_issue : t->multiply_issue,
            t->multiply_latency, SIM_STALL_ARITHMETIC, t);
}

static bool widens_address(const ptx_insn *in, const sim_timing *t)
{
    return t->address_bits == 32 && in->type_count == 2 && ptx_bits((enum ptx_type)in->type[0]) == 64 &&
           ptx_bits((enum ptx_type)in->type[1]) == 32 && ptx_types[in->type[0]].kind != 'F';
}

/* Bits of a factor's elements in the machine code: for compute 9.0 ptxas makes f16 of 8-bit floats,
 * and bytes of 4 bits. That conversion is not counted. */
static int factor_bits(const ptx_insn *in)
{
    /* wmma names the types of sums only where factors have 16 */
    const enum ptx_type t = in->type_count > 2 ? (enum ptx_type)in->type[1] : T_F16;
    return t == T_E4M3 || t == T_E5M2 ? 16 : t == T_S4 || t == T_U4 ? 8 : ptx_bits(t);
}

/* A product of matrices. One machine instruction makes 16 x 8 results, to a depth of at most 256
 * bits; of doubles 8 x 8, to a depth of 4. */
static void multiply_matrices(step *s, const code_info *info, const sim_timing *t)
{
    enum { PASS = 16 * 8 * 8 * 16, DOUBLES = 8 * 8 * 4, PASSES_AT_ONCE = 2 };
    const double products = info->matrix / 2.0;
    const int bits = factor_bits(info->src);
    if (bits == 64 && t->tensor_double_issue > 0) {
        const double all = products / DOUBLES * t->tensor_double_issue;
        set(s, UNIT_TENSOR, all, t->tensor_double_latency + all - t->tensor_double_issue, SIM_STALL_ARITHMETIC, t);
    } else if (bits < 64 && t->tensor_pass > 0) {
        const double passes = products * bits / PASS, each = passes < PASSES_AT_ONCE ? passes : PASSES_AT_ONCE,
                     one = t->tensor_issue + each * t->tensor_pass;
        set(s, UNIT_TENSOR, passes / each * one,
            t->tensor_latency + each * t->tensor_pass_latency + (passes / each - 1) * one, SIM_STALL_ARITHMETIC, t);
    }
}

/* A warpgroup's product takes each warp's tensor unit for as long: a quarter of D each. The warp goes
 * on at once; what it waits for later is the clock's business. */
static void cost_product(step *s, const code_module *m, uint32_t pc, const sim_timing *t)
{
    const code_info *info = &m->info[pc];
    const ptx_insn *in = info->src;
    set(s, UNIT_MEMORY, t->issue, t->issue, SIM_STALL_ARITHMETIC, t);
    if (t->product_column <= 0) return;
    if (info->matrix) {
        enum { BITS = 256, ROWS = 16, FLOPS = 2 }; /* of k; of a warp's share of D; per product */
        const double depth = (double)BITS / ptx_bits((enum ptx_type)in->type[1]),
                     columns = info->matrix / (FLOPS * ROWS * depth), sums = columns * t->product_column,
                     reads = t->product_read + columns * t->product_read_column;
        const bool in_registers = in->operand[1].kind == O_VECTOR;
        const double latency = in_registers ? t->product_latency_registers : t->product_latency,
                     later =
                         sums < reads ? reads - sums : 0; /* reading for the next product: its end is not waited for */
        s->product = STEP_PRODUCT;
        s->product_busy = (uint16_t)clocks_of(sums > reads ? sums : reads);
        s->product_latency = (uint16_t)clocks_of(latency > later ? latency - later : 0);
    } else if (ptx_has(in, S_COMMIT_GROUP)) {
        s->product = STEP_PRODUCT_COMMIT;
    } else if (ptx_has(in, S_WAIT_GROUP)) {
        s->product = STEP_PRODUCT_WAIT;
        s->product_keep = m->insns[pc].mod2;
    }
}

/* A fence, or an arrival that releases, for more threads than those of the block: the card does it for all of
 * its memory, whatever the scope (tests/fidelity/hopper.txt). */
static bool fences(const ptx_insn *in)
{
    if (in->op == OP_MBARRIER)
        return ptx_has(in, S_RELEASE) && ptx_has(in, S_CLUSTER) &&
               (ptx_has(in, S_ARRIVE) || ptx_has(in, S_ARRIVE_DROP));
    return !ptx_has(in, S_PROXY) && !ptx_has(in, S_MBARRIER_INIT) && !ptx_has(in, S_CTA);
}

/* Copies themselves only issue. What waits for one asks again when it has not landed. */
static void wait_for_copies(step *s, const ptx_insn *in, const sim_timing *t)
{
    const bool tests = ptx_has(in, S_TEST_WAIT) || ptx_has(in, S_TRY_WAIT),
               groups = ptx_has(in, S_WAIT_GROUP) || ptx_has(in, S_WAIT_ALL);
    s->object = in->op == OP_MBARRIER;
    if (s->object || groups)
        set(s, UNIT_MEMORY, t->issue, t->shared_latency, tests || groups ? SIM_STALL_COPY : SIM_STALL_SHARED, t);
    else set(s, UNIT_MEMORY, t->issue, t->issue, SIM_STALL_MEMORY, t);
    s->branch = groups;
}

void cost_estimate(step *s, const code_module *m, uint32_t pc, const sim_timing *t)
{
    const code_info *info = &m->info[pc];
    const ptx_insn *in = info->src;
    set(s, UNIT_INT, t->integer_issue, t->latency, SIM_STALL_ARITHMETIC, t);
    switch ((enum sim_class)info->cls) {
    case SIM_CLASS_MOVE: s->free = in->op == OP_CVTA; break;
    case SIM_CLASS_CONSTANT: s->free = in->op == OP_LD && ptx_has(in, S_PARAM); break;
    case SIM_CLASS_CONVERT: s->free = widens_address(in, t); break;
    case SIM_CLASS_FP32:
    case SIM_CLASS_FP16: set(s, UNIT_FLOAT, t->float_issue, t->latency, SIM_STALL_ARITHMETIC, t); break;
    case SIM_CLASS_INT_MUL: multiply(s, in, !m->schedules || t->units != 2, t); break;
    case SIM_CLASS_INT_DIV: set(s, UNIT_INT, t->divide_issue, t->divide_latency, SIM_STALL_ARITHMETIC, t); break;
    case SIM_CLASS_SPECIAL: set(s, UNIT_SPECIAL, t->special_issue, t->special_latency, SIM_STALL_ARITHMETIC, t); break;
    case SIM_CLASS_FP64: set(s, UNIT_DOUBLE, t->double_issue, t->double_latency, SIM_STALL_ARITHMETIC, t); break;
    case SIM_CLASS_BRANCH:
    case SIM_CLASS_CALL:
        set(s, UNIT_INT, t->issue, t->branch_latency, SIM_STALL_BRANCH, t);
        s->branch = true;
        break;
    case SIM_CLASS_BARRIER:
        set(s, UNIT_MEMORY, t->barrier_issue, t->barrier_latency, SIM_STALL_BARRIER, t);
        s->branch = true;
        break;
    case SIM_CLASS_TENSOR:
        if (in->op == OP_WGMMA) cost_product(s, m, pc, t);
        else if (info->matrix) multiply_matrices(s, info, t);
        else set(s, UNIT_MEMORY, t->issue, t->shared_latency, SIM_STALL_SHARED, t);
        break;
    case SIM_CLASS_SHARED_LOAD:
    case SIM_CLASS_SHARED_STORE:
    case SIM_CLASS_WARP:
        if (in->op == OP_VOTE || in->op == OP_ACTIVEMASK) /* together with integers: micro.txt, vote */
            set(s, UNIT_FLOAT, t->float_issue, t->latency, SIM_STALL_ARITHMETIC, t);
        else set(s, UNIT_MEMORY, t->issue, t->shared_latency, SIM_STALL_SHARED, t);
        s->port = in->op == OP_SHFL;
        break;
    case SIM_CLASS_ASYNC:
        wait_for_copies(s, in, t);
        if (s->object && fences(in)) s->fence = (uint16_t)clocks_of(t->fence);
        break;
    case SIM_CLASS_FENCE:
        if (fences(in)) s->fence = (uint16_t)clocks_of(t->fence);
        break;
    case SIM_CLASS_GLOBAL_LOAD:
    case SIM_CLASS_GLOBAL_STORE:
    case SIM_CLASS_LOCAL:
    case SIM_CLASS_TEXTURE:
    case SIM_CLASS_ATOMIC: set(s, UNIT_MEMORY, t->issue, t->issue, SIM_STALL_MEMORY, t); break;
    default: break;
    }
    if (in->op == OP_SETP && in->type_count && in->type[0] == T_F64 && t->units == 2)
        s->unit = UNIT_DOUBLE, s->busy = clocks_of(t->double_issue);
    if ((in->op == OP_SETP || (in->op == OP_VOTE && in->type[0] == T_PRED)) && t->predicate_latency > 0)
        s->latency = clocks_of(t->predicate_latency);
}

bool cost_second(step *s, const code_module *m, uint32_t pc, const sim_timing *t)
{
    const ptx_insn *in = m->info[pc].src;
    if (m->info[pc].cls != SIM_CLASS_INT_MUL || !is_multiply_add(in) || is_native_multiply(in, t)) return false;
    set(s, UNIT_INT, t->integer_issue, t->latency, SIM_STALL_ARITHMETIC, t);
    return true;
}

/* ---- several instructions together ---- */

static bool is_integer_add(const ptx_insn *in, int bits)
{
    return in->op == OP_ADD && ptx_bits((enum ptx_type)in->type[0]) == bits && ptx_types[in->type[0]].kind != 'F';
}

static bool steps_itself(const code_module *m, uint32_t pc, int bits)
{
    return m->info[pc].real && is_integer_add(m->info[pc].src, bits) && m->insns[pc].o[0] == m->insns[pc].o[1];
}

/* A pointer and an index stepped in one block, as in unrolled and strength-reduced loops: one
 * addition serves both. */
static bool steps_with_index(const code_module *m, uint32_t pc)
{
    if (!steps_itself(m, pc, 64)) return false;
    const code_block *b = &m->blocks[m->info[pc].block];
    for (uint32_t k = b->first; k <= b->last; k++)
        if (steps_itself(m, k, 32)) return true;
    return false;
}

/* base + index * constant, right after a mul.wide that is free: so is the addition. */
static bool steps_address(const code_module *m, const program *p, uint32_t pc)
{
    if (!pc || !is_integer_add(m->info[pc].src, 64) || !m->info[pc - 1].real || m->info[pc - 1].src->op != OP_MUL ||
        !p->steps[p->first[pc - 1]].free)
        return false;
    uint32_t product = m->insns[pc - 1].o[0];
    return m->insns[pc].o[1] == product || m->insns[pc].o[2] == product;
}

/* How often a function names each of its registers. */
static void count_names(const ptx_operand *op, uint8_t *count)
{
    if (op->reg >= 0 && (op->kind == O_REG || op->kind == O_ADDRESS) && count[op->reg] < 3) count[op->reg]++;
    for (int i = 0; i < ptx_inside(op); i++) count_names(&op->elements[i], count);
}

static bool reads(const code_module *m, uint32_t pc, uint32_t place)
{
    for (uint32_t i = 0; i < m->info[pc].places; i++)
        if (m->insns[pc].o[i] == place && m->info[pc].role[i] != DEF) return true;
    return false;
}

static bool takes_shared_operand(const code_info *info)
{
    switch (info->src->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_MAD:
    case OP_FMA:
    case OP_MUL24:
    case OP_MAD24: return info->real && !info->guarded && ptx_bits((enum ptx_type)info->src->type[0]) == 32;
    default: return false;
    }
}

/* A word loaded from shared memory and used once, by arithmetic after it, is an operand of that on
 * cards with such operands. The two together keep the scheduler for shared_operand clocks, and the
 * result is as late as if the word had been loaded. An instruction can have one such operand. */
static void fold_shared_operands(program *p, const code_module *m, const ptx_func *f, uint32_t from, uint32_t to,
                                 const sim_timing *t)
{
    uint8_t *names = calloc((size_t)f->reg_count + 1, 1);
    uint32_t taken = 0; /* the instruction that has its shared operand already */
    for (int i = 0; names && i < f->insn_count; i++) {
        for (int k = 0; k < f->insns[i].operand_count; k++) count_names(&f->insns[i].operand[k], names);
        if (f->insns[i].guard >= 0 && names[f->insns[i].guard] < 3) names[f->insns[i].guard]++;
    }
    for (uint32_t pc = from; names && pc < to; pc++) {
        const code_info *info = &m->info[pc];
        if (info->cls != SIM_CLASS_SHARED_LOAD || !info->real || info->guarded || m->insns[pc].size != 4 ||
            m->insns[pc].count != 1)
            continue;
        const ptx_operand *d = &info->src->operand[0];
        if (d->kind != O_REG || d->reg < 0 || names[d->reg] != 2) continue;
        uint32_t user = pc + 1, last = m->blocks[info->block].last;
        while (user <= last && !reads(m, user, m->insns[pc].o[0])) user++;
        if (user > last || user == taken || !takes_shared_operand(&m->info[user])) continue;
        step *load = &p->steps[p->first[pc]], *with = &p->steps[p->first[user]];
        taken = user;
        load->folded = true;
        load->slot = load->busy = load->latency =
            clocks_of(t->shared_operand > t->issue ? t->shared_operand - t->issue : 0);
        if (t->shared_latency > t->latency) with->latency += clocks_of(t->shared_latency - t->latency);
    }
    free(names);
}

void cost_fold(program *p, const code_module *m, const sim_timing *t)
{
    const bool folds = t->shared_operand > 0 && !rule_left_out(RULE_fold);
    for (int i = 0; folds && i < m->ptx->func_count; i++) {
        const code_func *f = &m->funcs[i];
        uint32_t end = f->entry;
        if (!m->ptx->funcs[i]->has_body) continue;
        while (end < m->count && m->info[end].func == m->ptx->funcs[i]) end++;
        fold_shared_operands(p, m, m->ptx->funcs[i], f->entry, end, t);
    }
    /* Reading the clock is one instruction. The text has a mov of a value that is read for it. */
    for (uint32_t pc = 1; pc < m->count; pc++)
        if (m->info[pc].real && m->info[pc].src->op == OP_MOV && !m->info[pc - 1].real && p->act[pc - 1] == ACT_LOCAL &&
            p->first[pc - 1] < p->first[pc])
            p->steps[p->first[pc]].free = true;
    for (uint32_t pc = 0; pc < m->count; pc++)
        if (m->info[pc].real && p->first[pc] < p->first[pc + 1] && t->address_bits == 32 &&
            (steps_address(m, p, pc) || steps_with_index(m, pc)))
            p->steps[p->first[pc]].free = true;
}
