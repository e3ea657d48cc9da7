/* combine.c: what several PTX instructions together become on cards whose compilers look at more than one (code_module.schedules). Each rule was seen in
 * what ptxas 13 makes for compute 9.0, and holds wherever its pattern does:
 *
 *   - a result that is used once, by an integer instruction of the same block, is part of that one: a shift by a constant and
 *     an addition (LEA), two additions (IADD3), two logic operations (LOP3), a product and an addition (IMAD); a sum with a constant is part of the address
 *     of the load or store that uses it; rounding to whole numbers is part of the conversion that follows;
 *   - so is, for compute 9.0, a sum of which the smaller or larger one of it and another number is wanted (VIADDMNMX), and such a choice from which another one follows
 *     (VIMNMX3);
 *   - an addition behind a mul.wide is one multiply-add with it (IMAD.WIDE), and one behind a product of 64 bits is part of the IMAD.WIDE in it; any other integer
 *     instruction on 64 bits is two;
 *   - the sign of a float, and its absolute value, are those of an operand; so is a constant, if there is no other one; that a jump or a comparison depends
 *     on two predicates costs nothing;
 *   - the smaller or the larger of two integers, as a predicate says, is two instructions, not three;
 *   - a branch around a few simple instructions is no branch: they are predicated, both sides of an "if" with an "else" too, and issued even when no lane
 *     is on; neither is a jump to what stands next;
 *   - where a multiply-add is as quick as an addition, additions, shifts and moves go to the unit of either, so that both are busy.
 *
 * Nor does such a card watch the results of its arithmetic: each instruction says how many clocks the warp is to wait before its next one, worked
 * out by the compiler as if loads took no time, and one more where a result goes from one unit to another. So what a comparison takes is waited for behind a load, too, though it was over long ago. Loads,
 * special functions and the like are waited for when they are needed (state_stalls).
 */
#include "time.h"
#include <stdlib.h>

enum { FULL = 1, HOLDS_CONSTANT = 2 }; /* bits of `full` */
enum { PREDICATED = 7 /* instructions on one side of a branch that is none */, NEAR = 64 /* instructions to the one that takes another in */ };

typedef struct combiner {
    program *p;
    const code_module *m;
    const sim_timing *t;
    const exec_table *ops;
    uint8_t *names;   /* by register of the function: how often it is named, up to 3 */
    uint8_t *full;    /* by pc: has taken in another one already, a constant */
    uint8_t *entered; /* by pc: some jump goes there */
    bool minimum_of_three; /* there are instructions for the smallest or largest of three numbers, and of a sum and another */
} combiner;

static int bits_of(const ptx_insn *in) { return in->type_count && ptx_types[in->type[0]].kind != 'F' ? ptx_bits((enum ptx_type)in->type[0]) : 0; }
static bool is_sum(const ptx_insn *in) { return (in->op == OP_ADD || in->op == OP_SUB) && !ptx_has(in, S_SAT) && !ptx_has(in, S_CC); }
static bool is_logic(const ptx_insn *in) { return in->op == OP_AND || in->op == OP_OR || in->op == OP_XOR || in->op == OP_NOT; }
static bool is_short_shift(const ptx_insn *in) { return in->op == OP_SHL && in->operand_count == 3 && in->operand[2].kind == O_INT; }
static bool is_extreme(const ptx_insn *in) { return (in->op == OP_MIN || in->op == OP_MAX) && in->operand_count == 3; }
static bool is_product(const ptx_insn *in) { return in->op == OP_MUL && ptx_has(in, S_LO); }

static void count(combiner *c, const ptx_operand *op)
{
    if (op->reg >= 0 && (op->kind == O_REG || op->kind == O_ADDRESS) && c->names[op->reg] < 3) c->names[op->reg]++;
    for (int i = 0; i < op->count; i++)
        if (op->elements) count(c, &op->elements[i]);
    if (op->second) count(c, op->second);
}

static bool reads(const ptx_insn *in, int reg)
{
    for (int i = 1; i < in->operand_count; i++)
        if (in->operand[i].kind == O_REG && in->operand[i].reg == reg) return true;
    return false;
}

static bool plain(const combiner *c, uint32_t pc) { return c->m->info[pc].real && !c->m->info[pc].guarded && c->p->first[pc] < c->p->first[pc + 1]; }

/* The one instruction of the block that uses what `pc` makes; 0: there is none, or more. */
static uint32_t only_user(const combiner *c, uint32_t pc)
{
    const ptx_insn *in = c->m->info[pc].src;
    uint32_t last = c->m->blocks[c->m->info[pc].block].last;
    if (!in->operand_count || in->operand[0].kind != O_REG || in->operand[0].reg < 0 || c->names[in->operand[0].reg] != 2) return 0;
    for (uint32_t k = pc + 1; k <= last && k <= pc + NEAR; k++)
        if (c->m->info[k].real && reads(c->m->info[k].src, in->operand[0].reg)) return plain(c, k) ? k : 0;
    return 0;
}

/* The sum with a constant at `pc` is where one access of the block reaches: part of its address. */
static bool is_address(const combiner *c, uint32_t pc)
{
    const ptx_insn *in = c->m->info[pc].src;
    const uint32_t last = c->m->blocks[c->m->info[pc].block].last;
    if (!is_sum(in) || in->operand_count != 3 || in->operand[0].kind != O_REG || in->operand[0].reg < 0 || in->operand[2].kind != O_INT || c->names[in->operand[0].reg] != 2)
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

/* The bits of a float as an integer's, or back: in the machine code they are in one kind of registers. */
static bool is_view(const combiner *c, uint32_t pc)
{
    const ptx_insn *in = c->m->info[pc].src;
    if (in->op != OP_MOV || in->operand_count != 2 || in->operand[0].kind != O_REG || in->operand[1].kind != O_REG || in->operand[0].reg < 0 || in->operand[1].reg < 0) return false;
    const ptx_reg *regs = c->m->info[pc].func->regs;
    const int to = regs[in->operand[0].reg].type, from = regs[in->operand[1].reg].type;
    return ptx_bits((enum ptx_type)to) == ptx_bits((enum ptx_type)from) && (ptx_types[to].kind == 'F') != (ptx_types[from].kind == 'F');
}

/* What is an operand, or part of one. */
static bool is_operand(combiner *c, uint32_t pc)
{
    const ptx_insn *in = c->m->info[pc].src;
    if (is_view(c, pc)) return true;
    char kind = in->type_count ? ptx_types[in->type[0]].kind : 0;
    if (kind == 'F' && (in->op == OP_NEG || in->op == OP_ABS)) return true;
    if (kind == 'P' && (in->op == OP_AND || in->op == OP_OR || in->op == OP_NOT)) return true;
    uint32_t k = in->op == OP_MOV && is_constant(&in->operand[1]) ? only_user(c, pc) : 0;
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
    const uint32_t k = only_user(c, pc);
    if (!k) return false;
    const ptx_insn *user = c->m->info[k].src;
    return user->op == OP_CVT && user->type_count == 2 && ptx_types[user->type[0]].kind != 'F' && ptx_has(user, S_RZI);
}

/* What makes the operand of the instruction at `pc`, in the same block and for it alone; else NULL. */
static const ptx_insn *made_for(const combiner *c, uint32_t pc, const ptx_operand *o)
{
    if (o->kind != O_REG || o->reg < 0 || c->names[o->reg] != 2) return NULL;
    for (uint32_t k = pc; k-- > c->m->blocks[c->m->info[pc].block].first;) {
        const ptx_insn *in = c->m->info[k].src;
        if (c->m->info[k].real && in->operand_count && in->operand[0].kind == O_REG && in->operand[0].reg == o->reg) return plain(c, k) ? in : NULL;
    }
    return NULL;
}

static bool same_registers(const ptx_operand *a, const ptx_operand *b) { return a->kind == O_REG && b->kind == O_REG && a->reg == b->reg; }

/* Of two numbers the smaller or the larger one, as a predicate says: the one, and the other under the predicate. */
static bool is_either(const combiner *c, uint32_t pc)
{
    const ptx_insn *in = c->m->info[pc].src;
    if (in->op != OP_SELP || in->operand_count != 4) return false;
    const ptx_insn *a = made_for(c, pc, &in->operand[1]), *b = made_for(c, pc, &in->operand[2]);
    if (!a || !b || !((a->op == OP_MIN && b->op == OP_MAX) || (a->op == OP_MAX && b->op == OP_MIN)) || bits_of(a) != 32 || bits_of(b) != 32) return false;
    const ptx_operand *x = a->operand, *y = b->operand;
    return (same_registers(&x[1], &y[1]) && same_registers(&x[2], &y[2])) || (same_registers(&x[1], &y[2]) && same_registers(&x[2], &y[1]));
}

static void take_in(combiner *c, uint32_t pc)
{
    const ptx_insn *in = c->m->info[pc].src;
    if (is_operand(c, pc) || is_address(c, pc) || is_rounding(c, pc) || is_either(c, pc) || c->p->narrow[pc] == NARROW_FREE) {
        c->p->steps[c->p->first[pc]].free = true;
        return;
    }
    int bits = bits_of(in);
    uint32_t k = bits == 32 || bits == 64 ? only_user(c, pc) : 0;
    if (!k || (c->full[pc] | c->full[k]) & FULL) return;
    const ptx_insn *user = c->m->info[k].src;
    bool wide = in->op == OP_MUL && (ptx_has(in, S_WIDE) || c->p->narrow[pc] == NARROW_PRODUCT);
    if (bits_of(user) != bits && !(wide && bits_of(user) == 64)) return;
    if (bits == 64 && is_product(in) && !wide && c->p->narrow[pc] != NARROW_32 && user->op == OP_ADD) {
        step *sum = &c->p->steps[c->p->first[k]];
        sum->latency = 0;
        sum->free = user->operand[2].kind == O_REG; /* the two halves of a constant are moved to where the product is made */
        c->full[k] |= FULL;
        return;
    }
    step *s = &c->p->steps[c->p->first[pc]], *with = &c->p->steps[c->p->first[k]];
    if (wide && user->op == OP_ADD) {
        s->free = true;
        with->unit = UNIT_FLOAT;
        with->slot = clocks_of(c->t->issue);
        with->busy = clocks_of(2 * c->t->multiply_issue);
        with->latency = clocks_of(c->t->multiply_latency);
    } else if ((is_short_shift(in) && user->op == OP_ADD) || (bits == 32 && is_sum(in) && is_sum(user)) ||
               (bits == 32 && is_product(in) && user->op == OP_ADD && cost_native_multiply(c->t))) {
        s->free = true;
        if (is_product(in)) {
            with->unit = s->unit;
            with->busy = s->busy;
            with->latency = s->latency;
        }
    } else if (bits == 32 && c->minimum_of_three && is_extreme(user) && (is_sum(in) || (is_extreme(in) && in->op == user->op))) {
        s->free = true;
    } else if (bits == 32 && (is_logic(in) || in->op == OP_LOP3) && is_logic(user)) {
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
    if (s->free || c->p->narrow[pc] || !in->type_count || ptx_bits((enum ptx_type)in->type[0]) != 64 || s->unit != UNIT_INT || c->p->first[pc] + 1 < c->p->first[pc + 1]) return;
    switch ((enum sim_class)c->m->info[pc].cls) {
    case SIM_CLASS_INT:
    case SIM_CLASS_LOGIC:
    case SIM_CLASS_COMPARE: break;
    default: return;
    }
    s->slot *= 2;
    s->busy *= 2;
}

/* ---- branches that are none ---- */

static bool simple_block(const combiner *c, uint32_t of, bool may_jump)
{
    const code_module *m = c->m;
    const code_block *b = &m->blocks[of];
    uint32_t steps = 0;
    for (uint32_t i = c->p->first[b->first]; i < c->p->first[b->last + 1]; i++) steps += !c->p->steps[i].free;
    if (c->entered[b->first] || steps > PREDICATED) return false;
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
        const bool reaches = cls == SIM_CLASS_SHARED_LOAD || cls == SIM_CLASS_SHARED_STORE || cls == SIM_CLASS_GLOBAL_LOAD || cls == SIM_CLASS_GLOBAL_STORE;
        s->port = reaches && i == c->p->first[s->pc]; /* the one that is the act when lanes are on */
        program_names(s, c->m, branch, &c->p->registers);
    }
}

static void drop(combiner *c, uint32_t pc)
{
    for (uint32_t i = c->p->first[pc]; i < c->p->first[pc + 1]; i++) c->p->steps[i].free = true;
}

static void drop_branch(combiner *c, uint32_t pc)
{
    const code_module *m = c->m;
    uint32_t side = m->info[pc].block + 1;
    if (m->info[pc].src->op == OP_BRA && m->insns[pc].fn == c->ops->jump && side < m->block_count && (uint32_t)(insn_target(&m->insns[pc]) - m->insns) == m->blocks[side].first) drop(c, pc);
    if (m->insns[pc].fn != c->ops->branch || pc != m->blocks[m->info[pc].block].last || side + 1 >= m->block_count) return;
    uint32_t target = (uint32_t)(insn_target(&m->insns[pc]) - m->insns), next = side + 1;
    if (!simple_block(c, side, true)) return;
    if (target == m->blocks[next].first && !(m->insns[m->blocks[side].last].fn == c->ops->jump)) {
        predicate(c, side, pc);
        drop(c, pc);
        c->p->over[pc] = m->blocks[next].first;
        return;
    }
    /* if, else: the first side jumps over the second one, to which only this branch goes */
    uint32_t last = m->blocks[side].last;
    if (target != m->blocks[next].first || c->entered[target] != 1 || next + 1 >= m->block_count) return;
    uint8_t was = c->entered[target];
    c->entered[target] = 0;
    bool simple = simple_block(c, next, false);
    c->entered[target] = was;
    if (!simple || (uint32_t)(insn_target(&m->insns[last]) - m->insns) != m->blocks[next + 1].first) return;
    predicate(c, side, pc);
    predicate(c, next, pc);
    drop(c, pc);
    drop(c, last);
    c->p->over[pc] = m->blocks[next].first;
    c->p->over[last] = m->blocks[next + 1].first;
}

static void find_entries(combiner *c)
{
    for (uint32_t pc = 0; pc < c->m->count; pc++) {
        const insn *in = &c->m->insns[pc];
        if (in->fn == c->ops->branch || in->fn == c->ops->jump) {
            uint32_t to = (uint32_t)(insn_target(in) - c->m->insns);
            if (to < c->m->count && c->entered[to] < 2) c->entered[to]++;
        } else if (in->fn == c->ops->jump_table) {
            const uint32_t *list = in->ext;
            for (uint32_t i = 0; i < in->mod; i++) c->entered[list[i]] = 2;
        }
    }
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
        if (s->free || s->branch || s->unit != UNIT_INT || !(bits == 32 ? is_sum(in) || is_short_shift(in) || in->op == OP_MOV : bits == 64 && (is_sum(in) || is_product(in)))) continue;
        if (busy[UNIT_FLOAT] + there >= busy[UNIT_INT]) return;
        busy[UNIT_INT] -= s->busy;
        busy[UNIT_FLOAT] += there;
        s->unit = UNIT_FLOAT;
        s->busy = there;
    }
}

/* ---- what the machine code says about waiting ---- */

static bool is_watched(const step *s) { return s->unit == UNIT_MEMORY || s->unit == UNIT_SPECIAL || s->branch || s->cause != SIM_STALL_ARITHMETIC; }

/* Which of the two units of arithmetic a step is for, one of them or none; that of a comparison does not matter, its latency being longer anyway. */
static enum unit side_of(const step *s) { return s->unit == UNIT_FLOAT || s->unit == UNIT_INT ? (enum unit)s->unit : UNITS; }
static bool crosses(enum unit from, enum unit to) { return from != UNITS && to != UNITS && from != to; }

static void state_stalls(program *p, const code_module *m, uint32_t *ready, uint8_t *from_unit, uint32_t crossing)
{
    for (uint32_t k = 0; k < m->block_count; k++) {
        uint32_t from = p->first[m->blocks[k].first], to = p->first[m->blocks[k].last + 1], now = 0;
        step *before = NULL;
        for (uint32_t i = from; i < to; i++)
            for (int r = 0; r < p->steps[i].targets; r++) ready[p->steps[i].target[r]] = 0;
        for (uint32_t i = from; i < to; i++)
            for (int r = 0; r < p->steps[i].sources; r++) ready[p->steps[i].source[r]] = 0;
        for (uint32_t i = from; i < to; i++) {
            step *s = &p->steps[i];
            uint32_t at = before && !s->free ? now + before->slot : 0;
            for (int r = 0; r < s->sources; r++) {
                uint32_t there = ready[s->source[r]];
                if (there && !s->free && crosses((enum unit)from_unit[s->source[r]], side_of(s))) there++;
                if (there > at) at = there;
            }
            if (!s->free) {
                if (before) before->stall = at - now;
                now = at;
                before = s;
            }
            for (int r = 0; r < s->targets; r++) {
                ready[s->target[r]] = s->free ? at : is_watched(s) ? 0 : at + s->latency;
                from_unit[s->target[r]] = (uint8_t)(s->free ? (s->sources == 1 ? from_unit[s->source[0]] : UNITS) : s->latency > crossing ? UNITS : side_of(s));
            }
        }
    }
}

bool combine_steps(program *p, const code_module *m, const sim *card)
{
    combiner c = {.p = p, .m = m, .t = &card->card.timing, .ops = card->ops, .minimum_of_three = card->card.cc_major >= 9};
    c.names = malloc(program_most_registers(m));
    c.full = calloc((size_t)m->count + 1, 1);
    c.entered = calloc((size_t)m->count + 1, 1);
    bool made = c.names && c.full && c.entered;
    if (made) find_entries(&c);
    for (int i = 0; made && i < m->ptx->func_count; i++) {
        const ptx_func *f = m->ptx->funcs[i];
        if (!f->has_body) continue;
        memset(c.names, 0, (size_t)f->reg_count + 1);
        for (int k = 0; k < f->insn_count; k++) {
            for (int o = 0; o < f->insns[k].operand_count; o++) count(&c, &f->insns[k].operand[o]);
            if (f->insns[k].guard >= 0 && c.names[f->insns[k].guard] < 3) c.names[f->insns[k].guard]++;
        }
        for (uint32_t pc = m->funcs[i].entry; pc < m->count && m->info[pc].func == f; pc++) {
            if (!m->info[pc].real || !plain(&c, pc)) continue;
            take_in(&c, pc);
            double_up(&c, pc);
        }
        for (uint32_t pc = m->funcs[i].entry; pc < m->count && m->info[pc].func == f; pc++)
            if (m->info[pc].real) drop_branch(&c, pc);
    }
    for (uint32_t k = 0; made && cost_native_multiply(c.t) && k < m->block_count; k++) balance(&c, k);
    uint32_t *ready = made ? calloc((size_t)p->registers + 1, sizeof *ready) : NULL;
    uint8_t *from_unit = made ? calloc((size_t)p->registers + 1, 1) : NULL;
    made = made && ready && from_unit;
    if (made) state_stalls(p, m, ready, from_unit, c.t->units == 2 ? clocks_of(c.t->latency) : 0);
    free(ready);
    free(from_unit);
    free(c.names);
    free(c.full);
    free(c.entered);
    return made;
}
