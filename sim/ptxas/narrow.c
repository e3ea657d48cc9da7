/* narrow.c: instructions on 64 bits of which only 32 matter.
 *
 * ptxas knows of many 64-bit numbers that the upper half is empty or only repeats the sign: those
 * that were widened from 32 bits, masked or shifted down. It also knows where only the lower half
 * of a result is used. What it makes of 64-bit instructions then (seen in code of ptxas 13 for
 * compute 9.0):
 *
 *   - The product of two such numbers is one multiplication with a 64-bit result, and a sum after it
 *     is part of it (combine.c). If one factor is such a number, one multiplication less is needed.
 *   - A product or a sum of which only the lower half is used is one of 32 bits.
 *   - Logic with a number without an upper half is on the lower half: the upper half of the other
 *     operand stays, or becomes empty. Likewise with a number whose lower half is zero, and sums with
 *     it are on the upper half alone. One of each kind together are a pair of registers, at no cost.
 *   - So is a number shifted up by 32, or down where only 32 bits of it are used; else the upper half
 *     is a move.
 *   - Taking the lower half costs nothing. What has no upper half is shifted down as 32 bits.
 *
 * Registers are followed through the whole function, in any order: each counts as narrow until one
 * of its definitions is not.
 */
#include "rules.h"
#include "ptxas.h"
#include <stdlib.h>

enum {
    EMPTY = 1,
    SIGN = 2 /* EMPTY: the upper half is empty; SIGN: it repeats the sign */,
    UP = 4 /* the lower half is zero */,
    ANY = EMPTY | SIGN | UP
};
enum { PASSES = 8 };

typedef struct halves {
    uint8_t *narrow; /* by register: EMPTY, SIGN, UP */
    uint8_t *low;    /* by register: nobody uses the upper half */
} halves;

static bool is_mask(const ptx_operand *o) { return o->kind == O_INT && o->value.i == UINT32_MAX; }
static bool takes_low(const ptx_insn *in)
{
    return in->op == OP_AND && in->operand_count == 3 && (is_mask(&in->operand[1]) || is_mask(&in->operand[2]));
}
/* Shifted so, by a constant from `least` to 63. */
static bool shifts(const ptx_insn *in, enum ptx_op op, int64_t least)
{
    return in->op == op && in->operand_count == 3 && in->operand[2].kind == O_INT && in->operand[2].value.i >= least &&
           in->operand[2].value.i < 64;
}
static bool by_half(const ptx_insn *in, enum ptx_op op) { return shifts(in, op, 32) && in->operand[2].value.i == 32; }

static int of_operand(const halves *h, const ptx_operand *o)
{
    if (o->kind == O_REG && o->reg >= 0) return h->narrow[o->reg];
    if (o->kind != O_INT) return 0;
    const int64_t v = o->value.i;
    return (v >= 0 && v <= (int64_t)UINT32_MAX ? EMPTY : 0) | (v >= INT32_MIN && v <= INT32_MAX ? SIGN : 0) |
           (v & (int64_t)UINT32_MAX ? 0 : UP);
}

/* What the instruction makes. */
static int made(const halves *h, const ptx_insn *in)
{
    if (!in->type_count || in->operand_count < 2 || ptx_types[in->type[0]].kind == 'F') return 0;
    const enum ptx_type to = (enum ptx_type)in->type[0];
    const int a = of_operand(h, &in->operand[1]), b = in->operand_count > 2 ? of_operand(h, &in->operand[2]) : 0;
    switch (in->op) {
    case OP_LD:
    case OP_LDU: return ptx_bits(to) > 32 ? 0 : ptx_types[to].kind == 'S' ? SIGN : EMPTY;
    case OP_CVT: {
        if (in->type_count != 2 || ptx_types[in->type[1]].kind == 'F') return 0;
        const enum ptx_type from = (enum ptx_type)in->type[1];
        return ptx_bits(from) > 32 ? 0 : ptx_types[from].kind != 'S' ? EMPTY | (ptx_bits(from) < 32 ? SIGN : 0) : SIGN;
    }
    case OP_SHR:
        if (shifts(in, OP_SHR, 32))
            return ptx_types[to].kind == 'S' ? SIGN : EMPTY | (in->operand[2].value.i > 32 ? SIGN : 0);
        return shifts(in, OP_SHR, 0) ? a & EMPTY : 0;
    case OP_SHL: return shifts(in, OP_SHL, 32) || (shifts(in, OP_SHL, 0) && a & UP) ? UP : 0;
    case OP_ADD:
    case OP_SUB: return a & b & UP;
    case OP_AND: return ((a | b) & (EMPTY | UP)) | (a & b);
    case OP_OR:
    case OP_XOR:
    case OP_SELP: return a & b;
    case OP_MOV: return in->operand_count == 2 ? a : 0;
    default: return 0;
    }
}

static bool define(halves *h, const ptx_operand *o, int as)
{
    bool changed = false;
    if (o->kind == O_REG && o->reg >= 0 && (h->narrow[o->reg] & ~as)) h->narrow[o->reg] &= (uint8_t)as, changed = true;
    for (int i = 0; i < ptx_inside(o); i++) changed |= define(h, &o->elements[i], as);
    return changed;
}

/* The upper half of the operand is read too. */
static void whole(halves *h, const ptx_operand *o)
{
    if ((o->kind == O_REG || o->kind == O_ADDRESS) && o->reg >= 0) h->low[o->reg] = 0;
    for (int i = 0; i < ptx_inside(o); i++) whole(h, &o->elements[i]);
}

static void find(halves *h, const ptx_func *f)
{
    memset(h->narrow, ANY, (size_t)f->reg_count + 1);
    memset(h->low, 1, (size_t)f->reg_count + 1);
    bool changed = true;
    for (int pass = 0; pass < PASSES && changed; pass++) {
        changed = false;
        for (int i = 0; i < f->insn_count; i++) {
            const ptx_insn *in = &f->insns[i];
            if (in->operand_count) changed |= define(h, &in->operand[0], made(h, in));
        }
    }
    if (changed) memset(h->narrow, 0, (size_t)f->reg_count + 1);
    for (int i = 0; i < f->insn_count; i++) {
        const ptx_insn *in = &f->insns[i];
        const bool cuts =
            takes_low(in) || (in->op == OP_CVT && !ptx_has(in, S_SAT) && in->type_count == 2 &&
                              ptx_types[in->type[0]].kind != 'F' && ptx_bits((enum ptx_type)in->type[0]) <= 32);
        const bool writes = in->operand_count && in->operand[0].kind == O_REG && in->op != OP_ST;
        /* the operand of which 32 bits are stored */
        const int value = in->op == OP_ST && in->type_count && ptx_bits((enum ptx_type)in->type[0]) <= 32 ? 1 : 0;
        for (int k = writes; !cuts && k < in->operand_count; k++)
            if (!value || k != value) whole(h, &in->operand[k]);
    }
}

static uint8_t of_product(int a, int b)
{
    return a & b ? NARROW_PRODUCT : (a | b) & EMPTY ? NARROW_FACTOR : NARROW_NOT;
}

/* Logic or a sum with a number that has an empty half. */
static uint8_t of_pair(const ptx_insn *in, int a, int b)
{
    const bool apart = (a & UP && b & EMPTY) || (a & EMPTY && b & UP);
    switch (in->op) {
    case OP_AND:
    case OP_OR:
    case OP_XOR: return apart ? NARROW_FREE : (a | b) & (EMPTY | UP) ? NARROW_32 : NARROW_NOT;
    case OP_ADD: return apart ? NARROW_FREE : (a | b) & UP ? NARROW_32 : NARROW_NOT;
    case OP_SUB: return b & UP ? NARROW_32 : NARROW_NOT;
    default: return NARROW_NOT;
    }
}

static uint8_t of_insn(const halves *h, const ptx_insn *in)
{
    if (!in->type_count || ptx_types[in->type[0]].kind == 'F' || ptx_bits((enum ptx_type)in->type[0]) != 64 ||
        in->operand_count < 3 || in->operand[0].kind != O_REG || in->operand[0].reg < 0)
        return NARROW_NOT;
    if (ptx_has(in, S_CC)) return NARROW_NOT; /* the carry comes from the upper half */
    const bool low = h->low[in->operand[0].reg];
    const int a = of_operand(h, &in->operand[1]), b = of_operand(h, &in->operand[2]);
    if ((in->op == OP_MUL || in->op == OP_MAD) && ptx_has(in, S_LO)) return low ? NARROW_32 : of_product(a, b);
    if (takes_low(in) || by_half(in, OP_SHL) || (low && by_half(in, OP_SHR))) return NARROW_FREE;
    if (shifts(in, OP_SHR, 32) || shifts(in, OP_SHL, 32) || (shifts(in, OP_SHR, 0) && a & EMPTY)) return NARROW_32;
    return (in->op == OP_ADD || in->op == OP_SUB) && low ? NARROW_32 : of_pair(in, a, b);
}

uint8_t *narrow_find(const code_module *m)
{
    const size_t most = program_most_registers(m);
    halves h = {.narrow = malloc(most), .low = malloc(most)};
    uint8_t *found = h.narrow && h.low ? calloc((size_t)m->count + 1, 1) : NULL;
    for (int i = 0; found && m->schedules && !rule_left_out(RULE_narrow) && i < m->ptx->func_count; i++) {
        const ptx_func *f = m->ptx->funcs[i];
        if (!f->has_body) continue;
        find(&h, f);
        for (uint32_t pc = m->funcs[i].entry; pc < m->count && m->info[pc].func == f; pc++)
            if (m->info[pc].real) found[pc] = of_insn(&h, m->info[pc].src);
    }
    free(h.narrow);
    free(h.low);
    return found;
}
