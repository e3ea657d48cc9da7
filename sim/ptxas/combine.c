/* combine.c: what several PTX instructions become together, on cards whose compilers look at more
 * than one (code_module.schedules). Each rule was seen in what ptxas 13 makes for compute 9.0, and
 * holds wherever its pattern does:
 *
 *   - A result used once, by an integer instruction of the same block, becomes part of it: a shift by
 *     a constant, up or down, and an addition (LEA, LEA.HI), two additions (IADD3), two logic
 *     operations (LOP3), a product and an addition (IMAD). A sum with a constant is part of the
 *     address of the load or store that uses it. Rounding to whole numbers is part of the conversion
 *     that follows.
 *   - For compute 9.0, so is a sum that goes into a minimum or maximum (VIADDMNMX), and a minimum or
 *     maximum that goes into another (VIMNMX3).
 *   - An addition after a mul.wide is one multiply-add with it (IMAD.WIDE). One after a product of 64
 *     bits is part of the IMAD.WIDE in it. Any other integer instruction on 64 bits is two.
 *   - A product that is only added to something is made in each sum with it.
 *   - These cost nothing: 64 bits seen as two registers, conversions that do not change registers,
 *     constants that only say how to shuffle, a mask that changes nothing in what was loaded.
 *   - The sign of a float and its absolute value are part of an operand; so is a constant, if there is
 *     no other. A jump or a comparison may depend on two predicates at no cost.
 *   - An addition of 64 bits widens its summand, with the sign or without (LEA.HI.X.SX32). 31 less the
 *     zeros in front is what the card counts (FLO).
 *   - predicates.c has the rules for predicates and what chooses by them.
 *   - A branch around a few simple instructions is none: they are predicated, both sides of an "if"
 *     with an "else" too, and issue even when no lane is on. Nor is a jump to the next instruction
 *     one. A branch around a jump is that jump, under the opposite condition.
 *   - Where a multiply-add is as quick as an addition, additions, shifts and moves go to either unit,
 *     so that both are busy.
 */
#include "rules.h"
#include "predicates.h"
#include <stdlib.h>

static bool is_short_shift(const ptx_insn *in)
{
    return in->op == OP_SHL && in->operand_count == 3 && in->operand[2].kind == O_INT;
}
static bool is_shift_down(const ptx_insn *in)
{
    return in->op == OP_SHR && in->operand_count == 3 && in->operand[2].kind == O_INT;
}
static bool is_extreme(const ptx_insn *in) { return (in->op == OP_MIN || in->op == OP_MAX) && in->operand_count == 3; }
static bool is_product(const ptx_insn *in) { return in->op == OP_MUL && ptx_has(in, S_LO); }

static void count(uint8_t *names, const ptx_operand *op)
{
    if (op->reg >= 0 && (op->kind == O_REG || op->kind == O_ADDRESS) && names[op->reg] < UINT8_MAX) names[op->reg]++;
    for (int i = 0; i < ptx_inside(op); i++) count(names, &op->elements[i]);
}

static void count_all(combiner *c, const ptx_func *f)
{
    for (int k = 0; k < 4; k++) memset(c->names + (size_t)k * c->most, 0, (size_t)f->reg_count + 1);
    for (int k = 0; k < f->insn_count; k++) {
        const ptx_insn *in = &f->insns[k];
        for (int o = 0; o < in->operand_count; o++) {
            count(c->names, &in->operand[o]);
            if (in->op != OP_SHFL || o < 2) count(c->named_else, &in->operand[o]);
            if (in->op != OP_ADD || !o || !is_sum(in) || bits_of(in) != 64) count(c->not_added, &in->operand[o]);
        }
        if (in->guard >= 0 && c->names[in->guard] < UINT8_MAX) c->names[in->guard]++;
    }
}

uint32_t combine_only_user(const combiner *c, uint32_t pc)
{
    const ptx_insn *in = c->m->info[pc].src;
    uint32_t last = c->m->blocks[c->m->info[pc].block].last;
    if (!in->operand_count || in->operand[0].kind != O_REG || in->operand[0].reg < 0 ||
        c->names[in->operand[0].reg] != 2)
        return 0;
    for (uint32_t k = pc + 1; k <= last && k <= pc + NEAR; k++)
        if (c->m->info[k].real && reads(c->m->info[k].src, in->operand[0].reg)) return plain(c, k) ? k : 0;
    return 0;
}

/* One access of the block uses the sum with a constant at `pc` as its address: it is part of
 * that. */
static bool is_address(const combiner *c, uint32_t pc)
{
    const ptx_insn *in = c->m->info[pc].src;
    const uint32_t last = c->m->blocks[c->m->info[pc].block].last;
    if (!is_sum(in) || in->operand_count != 3 || in->operand[0].kind != O_REG || in->operand[0].reg < 0 ||
        in->operand[2].kind != O_INT || c->names[in->operand[0].reg] != 2)
        return false;
    for (uint32_t k = pc + 1; k <= last && k <= pc + NEAR; k++) {
        if (!c->m->info[k].real) continue;
        const ptx_insn *user = c->m->info[k].src;
        for (int i = 0; i < user->operand_count; i++)
            if (user->operand[i].kind == O_ADDRESS && user->operand[i].reg == in->operand[0].reg) return true;
    }
    return false;
}

static bool is_constant(const ptx_operand *o) { return o->kind == O_INT || o->kind == O_F32; }

/* The bits of a float as an integer's, or back: the machine code has one kind of registers for
 * both. 64 bits as two halves are two of these anyway. */
static bool is_view(const combiner *c, uint32_t pc)
{
    const ptx_insn *in = c->m->info[pc].src;
    const bool pair = in->op == OP_MOV && in->operand_count == 2 &&
                      (in->operand[0].kind == O_VECTOR || in->operand[1].kind == O_VECTOR);
    if (pair && in->type_count && ptx_bits((enum ptx_type)in->type[0]) == 64) return true;
    /* instructions on 16 bits say which half */
    if (pair && in->operand[0].kind == O_VECTOR && in->operand[0].count == 2) return true;
    if (in->op != OP_MOV || in->operand_count != 2 || in->operand[0].kind != O_REG || in->operand[1].kind != O_REG ||
        in->operand[0].reg < 0 || in->operand[1].reg < 0)
        return false;
    const ptx_reg *regs = c->m->info[pc].func->regs;
    const int to = regs[in->operand[0].reg].type, from = regs[in->operand[1].reg].type;
    return ptx_bits((enum ptx_type)to) == ptx_bits((enum ptx_type)from) &&
           (ptx_types[to].kind == 'F') != (ptx_types[from].kind == 'F');
}

/* An operand, or part of one. */
static bool is_operand(combiner *c, uint32_t pc)
{
    const ptx_insn *in = c->m->info[pc].src;
    if (is_view(c, pc)) return true;
    char kind = in->type_count ? ptx_types[in->type[0]].kind : 0;
    if (kind == 'F' && (in->op == OP_NEG || in->op == OP_ABS)) return true;
    if (kind == 'P' && (in->op == OP_AND || in->op == OP_OR || in->op == OP_NOT)) return true;
    uint32_t k = in->op == OP_MOV && is_constant(&in->operand[1]) ? combine_only_user(c, pc) : 0;
    if (!k || c->full[k] & HOLDS_CONSTANT) return false;
    const ptx_insn *user = c->m->info[k].src;
    switch ((enum sim_class)c->m->info[k].cls) {
    case SIM_CLASS_INT:
    case SIM_CLASS_INT_MUL:
    case SIM_CLASS_LOGIC:
    case SIM_CLASS_COMPARE:
    case SIM_CLASS_FP32: break;
    default: return false;
    }
    for (int i = 1; i < user->operand_count; i++)
        if (is_constant(&user->operand[i])) return false;
    if (in->operand[1].value.i) c->full[k] |= HOLDS_CONSTANT;
    return true;
}

/* (int)floorf(x) and the like are one conversion. */
static bool is_rounding(const combiner *c, uint32_t pc)
{
    const ptx_insn *in = c->m->info[pc].src;
    if (in->op != OP_CVT || in->type_count != 2 || in->type[0] != T_F32 || in->type[1] != T_F32) return false;
    if (!ptx_has(in, S_RMI) && !ptx_has(in, S_RPI) && !ptx_has(in, S_RNI) && !ptx_has(in, S_RZI)) return false;
    const uint32_t k = combine_only_user(c, pc);
    if (!k) return false;
    const ptx_insn *user = c->m->info[k].src;
    return user->op == OP_CVT && user->type_count == 2 && ptx_types[user->type[0]].kind != 'F' && ptx_has(user, S_RZI);
}

uint32_t combine_maker(const combiner *c, uint32_t pc, const ptx_operand *o)
{
    if (o->kind != O_REG || o->reg < 0) return 0;
    for (uint32_t k = pc; k-- > c->m->blocks[c->m->info[pc].block].first;) {
        const ptx_insn *in = c->m->info[k].src;
        if (c->m->info[k].real && in->operand_count && in->operand[0].kind == O_REG && in->operand[0].reg == o->reg)
            return k + 1;
    }
    return 0;
}

/* The instruction of the same block that makes the operand of the one at `pc`; else NULL. */
static const ptx_insn *made_by(const combiner *c, uint32_t pc, const ptx_operand *o)
{
    const uint32_t k = combine_maker(c, pc, o);
    return k && plain(c, k - 1) ? c->m->info[k - 1].src : NULL;
}

/* It goes only into sums, which widen it themselves; a sum can widen only one of its summands. */
static bool widened_by_sums(const combiner *c, uint32_t pc)
{
    const ptx_operand *to = &c->m->info[pc].src->operand[0];
    const uint32_t last = c->m->blocks[c->m->info[pc].block].last;
    if (to->kind != O_REG || to->reg < 0 || c->not_added[to->reg] != 1) return false;
    for (uint32_t k = pc + 1; k <= last && k <= pc + NEAR; k++) {
        const ptx_insn *sum = c->m->info[k].src;
        if (!c->m->info[k].real || !reads(sum, to->reg)) continue;
        for (int i = 1; i < sum->operand_count; i++) {
            const uint32_t other = combine_maker(c, k, &sum->operand[i]);
            if (other && other - 1 != pc && c->m->info[other - 1].src->op == OP_CVT &&
                c->p->steps[c->p->first[other - 1]].free)
                return false;
        }
    }
    return true;
}

/* A conversion that leaves the registers as they are: to fewer bits; to 64 without a sign, where
 * the upper half is none; of what was loaded that wide. */
static bool is_the_same(const combiner *c, uint32_t pc)
{
    const ptx_insn *in = c->m->info[pc].src;
    if (in->op != OP_CVT || in->type_count != 2 || ptx_has(in, S_SAT) || ptx_types[in->type[0]].kind == 'F' ||
        ptx_types[in->type[1]].kind == 'F')
        return false;
    const int to = ptx_bits((enum ptx_type)in->type[0]), from = ptx_bits((enum ptx_type)in->type[1]);
    if (to == 64 && from == 32 && ptx_types[in->type[1]].kind == 'S') return c->t->units == 2 && widened_by_sums(c, pc);
    if (to == 32 || (to == 64 && ptx_types[in->type[1]].kind != 'S')) {
        if (from >= 32) return true;
        const ptx_insn *load = to == 32 ? made_by(c, pc, &in->operand[1]) : NULL;
        return load && load->op == OP_LD && load->type_count && ptx_bits((enum ptx_type)load->type[0]) <= from &&
               ptx_types[load->type[0]].kind == ptx_types[in->type[1]].kind;
    }
    return false;
}

/* How many lower bits can be other than zero, as far as the block tells: what was loaded narrower
 * than a register, and widened. */
static int bits_in(const combiner *c, uint32_t pc, const ptx_operand *o)
{
    for (int steps = 0; steps < 4; steps++) {
        const uint32_t k = combine_maker(c, pc, o);
        const ptx_insn *in = k && plain(c, k - 1) ? c->m->info[k - 1].src : NULL;
        if (!in || !in->type_count) return 64;
        const char kind = ptx_types[in->type[0]].kind;
        if (in->op == OP_LD) return kind == 'U' || kind == 'B' ? ptx_bits((enum ptx_type)in->type[0]) : 64;
        if (in->op != OP_CVT || in->type_count != 2 || ptx_has(in, S_SAT) || kind == 'F' || kind == 'S' ||
            ptx_types[in->type[1]].kind == 'F' || ptx_types[in->type[1]].kind == 'S')
            return 64;
        pc = k - 1;
        o = &in->operand[1];
    }
    return 64;
}

/* A mask of ones that takes nothing away. */
static bool masks_nothing(const combiner *c, uint32_t pc)
{
    const ptx_insn *in = c->m->info[pc].src;
    if (in->op != OP_AND || in->operand_count != 3 || in->operand[2].kind != O_INT || bits_of(in) > 32) return false;
    const int bits = bits_in(c, pc, &in->operand[1]);
    return bits < 32 && in->operand[2].value.i == (INT64_C(1) << bits) - 1;
}

/* A short number becomes a float as a wide one does, by ordinary arithmetic. If others want it too,
 * it stays short, and the special unit converts it. */
static void convert(combiner *c, uint32_t pc)
{
    const ptx_insn *in = c->m->info[pc].src;
    if (c->t->units != 2 || in->op != OP_CVT || in->type_count != 2 || in->type[0] != T_F32 ||
        ptx_types[in->type[1]].kind == 'F' || ptx_bits((enum ptx_type)in->type[1]) != 16)
        return;
    if (in->operand[1].kind == O_REG && in->operand[1].reg >= 0 && c->names[in->operand[1].reg] > 2)
        sequence_cost(&c->p->steps[c->p->first[pc]], 'c', c->t);
}

/* 31 less the zeros in front is the place of the first one, which the card finds. */
static void find_first(combiner *c, uint32_t pc)
{
    const uint32_t k = c->m->info[pc].src->op == OP_CLZ && bits_of(c->m->info[pc].src) == 32 ? combine_only_user(c, pc)
                                                                                             : 0,
                   first = c->p->first[pc];
    const ptx_insn *user = k ? c->m->info[k].src : NULL;
    if (!k || user->op != OP_SUB || user->operand[1].kind != O_INT || user->operand[1].value.i != 31 ||
        first + 2 != c->p->first[pc + 1])
        return;
    step *found = &c->p->steps[first], *rest = found + 1;
    memcpy(found->target, rest->target, sizeof found->target);
    found->targets = rest->targets;
    rest->targets = rest->sources = 0;
    rest->free = c->p->steps[c->p->first[k]].free = true;
    c->full[k] |= FULL;
}

/* A constant that only says how to shuffle. */
static bool is_for_shuffles(const combiner *c, uint32_t pc)
{
    const ptx_insn *in = c->m->info[pc].src;
    return in->op == OP_MOV && in->operand_count == 2 && in->operand[0].kind == O_REG && in->operand[0].reg >= 0 &&
           is_constant(&in->operand[1]) && c->named_else[in->operand[0].reg] == 1;
}

/* Products that are only added to something, in one sum or several, as an index to the starts of
 * arrays: each sum is a multiply-add. */
static bool is_in_sums(combiner *c, uint32_t pc)
{
    const ptx_insn *in = c->m->info[pc].src;
    if (c->t->units != 2 || in->op != OP_MUL || !ptx_has(in, S_WIDE) || in->operand[0].kind != O_REG ||
        in->operand[0].reg < 0 || c->not_added[in->operand[0].reg] != 1)
        return false;
    c->in_sum[in->operand[0].reg] = 1;
    return true;
}

static void add_product(combiner *c, uint32_t pc)
{
    const ptx_insn *in = c->m->info[pc].src;
    if (!is_sum(in) || bits_of(in) != 64 || in->op != OP_ADD || c->full[pc] & FULL) return;
    for (int i = 1; i < in->operand_count; i++) {
        if (in->operand[i].kind != O_REG || in->operand[i].reg < 0 || !c->in_sum[in->operand[i].reg]) continue;
        sequence_cost(&c->p->steps[c->p->first[pc]], 'w', c->t);
        c->full[pc] |= FULL;
        return;
    }
}

static void take_in(combiner *c, uint32_t pc)
{
    const ptx_insn *in = c->m->info[pc].src;
    add_product(c, pc);
    if (is_operand(c, pc) || is_address(c, pc) || is_rounding(c, pc) || is_the_same(c, pc) || masks_nothing(c, pc) ||
        is_for_shuffles(c, pc) || choose_either(c, pc) || is_in_sums(c, pc) || c->p->narrow[pc] == NARROW_FREE) {
        c->p->steps[c->p->first[pc]].free = true;
        return;
    }
    if (choose_sum(c, pc) || choose_done(c, pc)) return;
    find_first(c, pc);
    convert(c, pc);
    int bits = bits_of(in);
    uint32_t k = bits == 32 || bits == 64 ? combine_only_user(c, pc) : 0;
    if (!k || (c->full[pc] | c->full[k]) & FULL) return;
    const ptx_insn *user = c->m->info[k].src;
    bool wide = in->op == OP_MUL && (ptx_has(in, S_WIDE) || c->p->narrow[pc] == NARROW_PRODUCT);
    if (bits_of(user) != bits && !(wide && bits_of(user) == 64)) return;
    if (bits == 64 && is_product(in) && !wide && c->p->narrow[pc] != NARROW_32 && user->op == OP_ADD) {
        step *sum = &c->p->steps[c->p->first[k]];
        sum->latency = 0;
        /* else the two halves of a constant are moved to where the product is made */
        sum->free = user->operand[2].kind == O_REG;
        c->full[k] |= FULL;
        return;
    }
    step *s = &c->p->steps[c->p->first[pc]], *with = &c->p->steps[c->p->first[k]];
    if (wide && user->op == OP_ADD) {
        s->free = true;
        sequence_cost(with, 'w', c->t);
    } else if (((is_short_shift(in) || (bits == 32 && is_shift_down(in))) && user->op == OP_ADD) ||
               (bits == 32 && is_sum(in) && is_sum(user)) ||
               (bits == 32 && is_product(in) && user->op == OP_ADD && cost_native_multiply(c->t))) {
        s->free = true;
        if (is_product(in)) {
            with->unit = s->unit;
            with->busy = s->busy;
            with->latency = s->latency;
        }
    } else if (bits == 32 && c->minimum_of_three && is_extreme(user) &&
               (is_sum(in) || (is_extreme(in) && in->op == user->op))) {
        s->free = true;
    } else if (c->p->narrow[pc] == c->p->narrow[k] && (is_logic(in) || in->op == OP_LOP3) && is_logic(user)) {
        s->free = true;
    } else {
        return;
    }
    c->full[k] |= FULL;
}

static void double_up(combiner *c, uint32_t pc)
{
    const ptx_insn *in = c->m->info[pc].src;
    step *s = &c->p->steps[c->p->first[pc]];
    if (s->free || c->p->narrow[pc] || !in->type_count || ptx_bits((enum ptx_type)in->type[0]) != 64 ||
        s->unit != UNIT_INT || c->p->first[pc] + 1 < c->p->first[pc + 1])
        return;
    switch ((enum sim_class)c->m->info[pc].cls) {
    case SIM_CLASS_INT:
    case SIM_CLASS_LOGIC:
    case SIM_CLASS_COMPARE: break;
    default: return;
    }
    s->slot *= 2;
    s->busy *= 2;
    /* the upper halves come after the lower ones */
    if (c->m->info[pc].cls == SIM_CLASS_COMPARE) s->latency += clocks_of(c->t->select_latency);
}

/* ---- branches that are none ---- */

static bool simple_block(const combiner *c, uint32_t of, bool may_jump)
{
    const code_module *m = c->m;
    const code_block *b = &m->blocks[of];
    uint32_t steps = 0;
    for (uint32_t i = c->p->first[b->first]; i < c->p->first[b->last + 1]; i++) steps += !c->p->steps[i].free;
    if (steps > PREDICATED) return false;
    for (uint32_t pc = b->first; pc <= b->last; pc++) {
        if (!m->info[pc].real) continue;
        switch ((enum sim_class)m->info[pc].cls) {
        case SIM_CLASS_MOVE:
        case SIM_CLASS_INT:
        case SIM_CLASS_INT_MUL:
        case SIM_CLASS_LOGIC:
        case SIM_CLASS_COMPARE:
        case SIM_CLASS_CONVERT:
        case SIM_CLASS_FP32:
        case SIM_CLASS_FP64:
        case SIM_CLASS_FP16:
        case SIM_CLASS_CONSTANT:
        case SIM_CLASS_GLOBAL_LOAD:
        case SIM_CLASS_GLOBAL_STORE:
        case SIM_CLASS_SHARED_LOAD:
        case SIM_CLASS_SHARED_STORE: break;
        case SIM_CLASS_BRANCH:
            if (may_jump && pc == b->last && m->insns[pc].fn == c->ops->jump) break;
            return false;
        default: return false;
        }
    }
    return true;
}

static void predicate(combiner *c, uint32_t of, uint32_t branch)
{
    const code_block *b = &c->m->blocks[of];
    for (uint32_t i = c->p->first[b->first]; i < c->p->first[b->last + 1]; i++) {
        step *s = &c->p->steps[i];
        const enum sim_class cls = (enum sim_class)c->m->info[s->pc].cls;
        const bool reaches = cls == SIM_CLASS_SHARED_LOAD || cls == SIM_CLASS_SHARED_STORE ||
                             cls == SIM_CLASS_GLOBAL_LOAD || cls == SIM_CLASS_GLOBAL_STORE;
        s->port |= reaches && i == c->p->first[s->pc]; /* the one that is the event when lanes are on */
        program_names(s, c->m, branch, &c->p->registers);
    }
}

static void drop(combiner *c, uint32_t pc)
{
    for (uint32_t i = c->p->first[pc]; i < c->p->first[pc + 1]; i++) c->p->steps[i].free = true;
}

static uint32_t goes_to(const code_module *m, uint32_t pc) { return (uint32_t)(insn_target(&m->insns[pc]) - m->insns); }

/* The branch at `pc` is around a jump: the machine code has that jump, under the opposite
 * condition. */
static bool is_around_jump(const combiner *c, uint32_t pc, uint32_t of)
{
    const code_module *m = c->m;
    const code_block *b = &m->blocks[of];
    if (of + 2 >= m->block_count || c->p->entered[b->first] || m->insns[b->last].fn != c->ops->jump ||
        goes_to(m, pc) != m->blocks[of + 1].first || goes_to(m, b->last) <= b->last)
        return false;
    for (uint32_t k = b->first; k < b->last; k++)
        if (m->info[k].real) return false;
    return true;
}

/* Nothing else may go to what becomes predicated: to a side after a branch around a jump only that
 * branch, to the second side only what goes around the first. */
static void drop_branch(combiner *c, uint32_t pc)
{
    const code_module *m = c->m;
    uint32_t side = m->info[pc].block + 1, from = pc; /* the instruction that goes around the side */
    if (m->info[pc].src->op == OP_BRA && m->insns[pc].fn == c->ops->jump && side < m->block_count &&
        goes_to(m, pc) == m->blocks[side].first)
        drop(c, pc);
    if (m->insns[pc].fn != c->ops->branch || pc != m->blocks[m->info[pc].block].last || side + 1 >= m->block_count)
        return;
    const bool around = is_around_jump(c, pc, side);
    if (around) {
        from = m->blocks[side++].last;
        drop(c, from);
    }
    const uint32_t target = goes_to(m, from), next = side + 1, last = m->blocks[side].last;
    if (next >= m->block_count || target != m->blocks[next].first || c->p->entered[m->blocks[side].first] != around ||
        !simple_block(c, side, true))
        return;
    /* if, else: the first side jumps over the second, which only this branch reaches */
    if (m->insns[last].fn == c->ops->jump) {
        if (next + 1 >= m->block_count || goes_to(m, last) != m->blocks[next + 1].first ||
            c->p->entered[m->blocks[next].first] != 1 || !simple_block(c, next, false))
            return;
        predicate(c, next, pc);
        drop(c, last);
        c->p->over[last] = m->blocks[next + 1].first;
    }
    predicate(c, side, pc);
    drop(c, pc);
    c->p->over[from] = m->blocks[next].first;
}

/* ---- units ---- */

static void balance(combiner *c, uint32_t of)
{
    const code_block *b = &c->m->blocks[of];
    uint64_t busy[UNITS] = {0};
    for (uint32_t i = c->p->first[b->first]; i < c->p->first[b->last + 1]; i++)
        if (!c->p->steps[i].free) busy[c->p->steps[i].unit] += c->p->steps[i].busy;
    for (uint32_t i = c->p->first[b->first]; i < c->p->first[b->last + 1]; i++) {
        step *s = &c->p->steps[i];
        const ptx_insn *in = c->m->info[s->pc].src;
        const int bits = bits_of(in);
        const uint32_t there = clocks_of(c->t->multiply_issue) * (bits == 64 && is_sum(in) ? 2 : 1);
        if (s->free || s->branch || s->unit != UNIT_INT ||
            !(bits == 32 ? is_sum(in) || is_short_shift(in) || in->op == OP_MOV || c->full[s->pc] & EITHER_UNIT
                         : bits == 64 && (is_sum(in) || is_product(in))))
            continue;
        if (busy[UNIT_FLOAT] + busy[UNIT_PRODUCT] + there >= busy[UNIT_INT]) return;
        busy[UNIT_INT] -= s->busy;
        busy[UNIT_PRODUCT] += there;
        s->unit = (uint8_t)cost_product_unit(c->t);
        s->busy = there;
    }
}

bool combine_steps(program *p, const code_module *m, const sim *card)
{
    combiner c = {
        .p = p, .m = m, .t = &card->card.timing, .ops = card->ops, .minimum_of_three = card->card.cc_major >= 9};
    c.most = program_most_registers(m);
    c.names = malloc(4 * c.most);
    c.full = calloc((size_t)m->count + 1, 1);
    bool made = c.names && c.full;
    if (made) c.named_else = c.names + c.most, c.not_added = c.named_else + c.most, c.in_sum = c.not_added + c.most;
    for (int i = 0; made && i < m->ptx->func_count; i++) {
        const ptx_func *f = m->ptx->funcs[i];
        if (!f->has_body) continue;
        count_all(&c, f);
        for (uint32_t pc = m->funcs[i].entry; pc < m->count && m->info[pc].func == f; pc++) {
            if (!m->info[pc].real || !plain(&c, pc) || rule_left_out(RULE_combine)) continue;
            take_in(&c, pc);
            double_up(&c, pc);
        }
        for (uint32_t pc = m->funcs[i].entry; pc < m->count && m->info[pc].func == f; pc++)
            if (m->info[pc].real && plain(&c, pc) && !rule_left_out(RULE_predicates)) choose_test(&c, pc);
        for (uint32_t pc = m->funcs[i].entry; pc < m->count && m->info[pc].func == f; pc++)
            if (m->info[pc].real && !rule_left_out(RULE_predicates)) drop_branch(&c, pc);
    }
    for (uint32_t k = 0; made && cost_native_multiply(c.t) && k < m->block_count; k++) balance(&c, k);
    free(c.names);
    free(c.full);
    return made;
}
