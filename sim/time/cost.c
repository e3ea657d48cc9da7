/* cost.c: what a PTX instruction costs on a card. This is the one place that estimates what ptxas would have made of the PTX.
 *
 * PTX is not machine code: it has more instructions and no limit to its registers. What the machine code does not have costs nothing here:
 *   - ld.param: parameters are operands from constant memory;
 *   - cvta, and on cards with 32-bit addresses the widening of an index: addresses need no conversion;
 *   - an index times a constant (mul.wide) added to a base: the compiler steps the address instead of the index, with one addition
 *     for both.
 * What takes several machine instructions costs so: on cards without a 32-bit multiplier a multiplication is four, and a
 * multiply-add is a multiplication and then an addition that waits for it.
 */
#include "time.h"
#include <stdlib.h>

static bool has(const ptx_insn *in, enum ptx_suffix s)
{
    for (int i = 0; i < in->suffix_count; i++)
        if (in->suffix[i] == s) return true;
    return false;
}

static bool constant_operand(const ptx_insn *in, int i) { return i < in->operand_count && in->operand[i].kind == O_INT; }

static void set(cost *c, double issue, double latency)
{
    c->issue = ticks_of(issue);
    c->latency = ticks_of(latency);
}

static void multiply(cost *c, const ptx_insn *in, const sim_timing *t)
{
    bool add = in->op == OP_MAD || in->op == OP_MAD24 || in->op == OP_MADC;
    bool easy = in->op == OP_MUL24 || in->op == OP_MAD24 || t->multiply_issue <= t->issue;
    if (has(in, S_WIDE) && !add && constant_operand(in, 2)) {
        set(c, 0, 0);
        return;
    }
    if (easy) {
        set(c, t->issue, t->latency);
        return;
    }
    set(c, t->multiply_issue, t->multiply_latency);
    if (add) {
        c->second_issue = ticks_of(t->issue);
        c->second_latency = ticks_of(t->latency);
    }
}

static void estimate(cost *c, const code_info *info, const sim_timing *t)
{
    const ptx_insn *in = info->src;
    set(c, t->issue, t->latency);
    switch ((enum sim_class)info->cls) {
    case SIM_CLASS_MOVE:
        if (in->op == OP_CVTA) set(c, 0, 0);
        break;
    case SIM_CLASS_CONSTANT:
        if (in->op == OP_LD && has(in, S_PARAM)) set(c, 0, 0);
        break;
    case SIM_CLASS_CONVERT:
        if (t->address_bits == 32 && in->type_count == 2 && ptx_bits((enum ptx_type)in->type[0]) == 64 &&
            ptx_bits((enum ptx_type)in->type[1]) == 32 && ptx_types[in->type[0]].kind != 'F')
            set(c, 0, 0);
        break;
    case SIM_CLASS_INT_MUL: multiply(c, in, t); break;
    case SIM_CLASS_INT_DIV: set(c, t->divide_issue, t->divide_latency); break;
    case SIM_CLASS_SPECIAL: set(c, t->special_issue, t->special_latency); break;
    case SIM_CLASS_FP64: set(c, t->double_issue, t->double_latency); break;
    case SIM_CLASS_BRANCH:
    case SIM_CLASS_CALL:
        set(c, t->issue, t->branch_latency);
        c->branch = true;
        break;
    case SIM_CLASS_BARRIER:
        set(c, t->issue, t->barrier_latency);
        c->branch = true;
        break;
    case SIM_CLASS_SHARED_LOAD:
    case SIM_CLASS_SHARED_STORE:
        set(c, t->issue, t->shared_latency);
        c->memory = true;
        break;
    case SIM_CLASS_GLOBAL_LOAD:
    case SIM_CLASS_GLOBAL_STORE:
    case SIM_CLASS_LOCAL:
    case SIM_CLASS_ATOMIC:
        set(c, t->issue, 0);
        c->memory = true;
        break;
    case SIM_CLASS_WARP: set(c, t->issue, t->shared_latency); break;
    default: break;
    }
}

static bool steps(const code_module *m, uint32_t pc, int bits)
{
    const ptx_insn *in = m->info[pc].src;
    return m->info[pc].real && in->op == OP_ADD && ptx_bits((enum ptx_type)in->type[0]) == bits && ptx_types[in->type[0]].kind != 'F' &&
           m->insns[pc].o[0] == m->insns[pc].o[1];
}

/* A pointer and an index stepped in one block, as unrolled and strength-reduced loops do: one addition serves both. */
static bool steps_with_index(const code_module *m, uint32_t pc)
{
    if (!steps(m, pc, 64)) return false;
    const code_block *b = &m->blocks[m->info[pc].block];
    for (uint32_t k = b->first; k <= b->last; k++)
        if (steps(m, k, 32)) return true;
    return false;
}

/* base + index * constant, just computed by a mul.wide that costs nothing: neither does the addition. */
static bool steps_address(const code_module *m, const cost *table, uint32_t pc)
{
    const ptx_insn *in = m->info[pc].src, *before = pc ? m->info[pc - 1].src : NULL;
    if (in->op != OP_ADD || ptx_bits((enum ptx_type)in->type[0]) != 64 || ptx_types[in->type[0]].kind == 'F' || !before || !m->info[pc - 1].real ||
        before->op != OP_MUL || table[pc - 1].issue)
        return false;
    uint32_t product = m->insns[pc - 1].o[0];
    return m->insns[pc].o[1] == product || m->insns[pc].o[2] == product;
}

/* Registers numbered densely: predicates, then 128-byte places. */
static uint16_t number(const code_func *f, uint32_t place)
{
    uint32_t flat = (FRAME_HEADER + 4 * (uint32_t)f->regp + 127) & ~127u;
    return (uint16_t)(place < flat ? (place - FRAME_HEADER) / 4 : (uint32_t)f->regp + (place - flat) / 128);
}

cost *cost_table(const code_module *m, const sim_timing *t, uint32_t *registers)
{
    cost *table = calloc((size_t)m->count + 1, sizeof *table);
    *registers = 1;
    for (uint32_t pc = 0; table && pc < m->count; pc++) {
        const code_info *info = &m->info[pc];
        cost *c = &table[pc];
        if (info->real) estimate(c, info, t);
        if (info->real && (steps_address(m, table, pc) || steps_with_index(m, pc))) set(c, 0, 0);
        const code_func *f = info->func->code;
        for (uint32_t i = 0; i < info->places; i++) {
            uint32_t place = m->insns[pc].o[i];
            if (place == UINT32_MAX || place & 1 || place < FRAME_HEADER) continue;
            uint16_t n = number(f, place);
            if (n + 1u > *registers) *registers = n + 1u;
            if (info->role[i] != DEF && c->sources < 8) c->source[c->sources++] = n;
            if (info->role[i] != USE && c->targets < 4) c->target[c->targets++] = n;
        }
    }
    return table;
}
