/* predicates.c: predicates and what chooses by them, as ptxas 13 writes it for compute 9.0 (see
 * combine.c):
 *
 *   - The smaller or the larger of two integers, as a predicate says, is two instructions, not three.
 *   - Of two constants, the one that a predicate chooses is added to something: one is added in any
 *     case. Then a predicated instruction moves the old value back, or adds the other constant. Both
 *     can go to either unit; a selection cannot.
 *   - What arithmetic makes of a number, or that number as it was, as a predicate says: if the number
 *     is not used any more, it is that arithmetic, predicated.
 *   - Whether a logic operation leaves only zeros is a second result of it.
 */
#include "predicates.h"

static bool same_registers(const ptx_operand *a, const ptx_operand *b)
{
    return a->kind == O_REG && b->kind == O_REG && a->reg == b->reg;
}

/* What makes the operand, in the block and for this instruction alone; else NULL. */
static const ptx_insn *made_alone(const combiner *c, uint32_t pc, const ptx_operand *o)
{
    const uint32_t k = o->kind == O_REG && o->reg >= 0 && c->names[o->reg] == 2 ? combine_maker(c, pc, o) : 0;
    return k && plain(c, k - 1) ? c->m->info[k - 1].src : NULL;
}

/* Of two numbers the smaller or the larger, as a predicate says: the one, and then the other under
 * the predicate. */
bool choose_either(const combiner *c, uint32_t pc)
{
    const ptx_insn *in = c->m->info[pc].src;
    if (in->op != OP_SELP || in->operand_count != 4) return false;
    const ptx_insn *a = made_alone(c, pc, &in->operand[1]), *b = made_alone(c, pc, &in->operand[2]);
    if (!a || !b || !((a->op == OP_MIN && b->op == OP_MAX) || (a->op == OP_MAX && b->op == OP_MIN)) ||
        bits_of(a) != 32 || bits_of(b) != 32)
        return false;
    const ptx_operand *x = a->operand, *y = b->operand;
    return (same_registers(&x[1], &y[1]) && same_registers(&x[2], &y[2])) ||
           (same_registers(&x[1], &y[2]) && same_registers(&x[2], &y[1]));
}

/* The step chooses: it names its predicate last. */
static uint16_t predicate_of(const step *s) { return s->source[s->sources - 1]; }

bool choose_sum(combiner *c, uint32_t pc)
{
    const ptx_insn *in = c->m->info[pc].src;
    if (in->op != OP_SELP || bits_of(in) != 32 || in->operand_count != 4 || in->operand[1].kind != O_INT ||
        in->operand[2].kind != O_INT)
        return false;
    const uint32_t k = combine_only_user(c, pc);
    step *one = &c->p->steps[c->p->first[pc]], *sum = k ? &c->p->steps[c->p->first[k]] : NULL;
    if (!k || c->full[k] & FULL || !is_sum(c->m->info[k].src) || bits_of(c->m->info[k].src) != 32 || one->sources != 1)
        return false;
    c->full[k] |= FULL;
    c->full[pc] |= EITHER_UNIT;
    sum->source[sum->sources++] = predicate_of(one);
    one->sources = 0;
    return true;
}

static int times(const ptx_operand *o, int reg)
{
    int n = o->reg == reg && (o->kind == O_REG || o->kind == O_ADDRESS);
    for (int i = 0; i < ptx_inside(o); i++) n += times(&o->elements[i], reg);
    return n;
}

/* The register is named in the block up to `pc`, and nowhere else. */
static bool ends_at(const combiner *c, uint32_t pc, int reg)
{
    int n = 0;
    for (uint32_t k = c->m->blocks[c->m->info[pc].block].first; k <= pc; k++) {
        const ptx_insn *in = c->m->info[k].src;
        if (!c->m->info[k].real) continue;
        for (int i = 0; i < in->operand_count; i++) n += times(&in->operand[i], reg);
        n += in->guard == reg;
    }
    return n < UINT8_MAX && n == c->names[reg];
}

/* The arithmetic at `k` is one instruction on 32 bits. */
static bool may_be_done(const combiner *c, uint32_t k)
{
    const ptx_insn *in = c->m->info[k].src;
    const enum sim_class cls = (enum sim_class)c->m->info[k].cls;
    return plain(c, k) && (cls == SIM_CLASS_INT || cls == SIM_CLASS_INT_MUL || cls == SIM_CLASS_FP32) &&
           in->type_count && ptx_bits((enum ptx_type)in->type[0]) == 32 && c->p->first[k] + 1 == c->p->first[k + 1] &&
           !c->p->steps[c->p->first[k]].free;
}

bool choose_done(combiner *c, uint32_t pc)
{
    const ptx_insn *in = c->m->info[pc].src;
    step *s = &c->p->steps[c->p->first[pc]];
    if (in->op != OP_SELP || in->operand_count != 4 || !in->type_count || ptx_bits((enum ptx_type)in->type[0]) != 32 ||
        c->p->first[pc] + 1 != c->p->first[pc + 1] || s->sources < 3)
        return false;
    for (int i = 1; i <= 2; i++) {
        const ptx_operand *made = &in->operand[i], *was = &in->operand[3 - i];
        if (made->kind != O_REG || made->reg < 0 || was->kind != O_REG || was->reg < 0 || c->names[made->reg] != 2)
            continue;
        const uint32_t k = combine_maker(c, pc, made);
        if (!k || !may_be_done(c, k - 1) || !reads(c->m->info[k - 1].src, was->reg) || !ends_at(c, pc, was->reg))
            continue;
        step *done = &c->p->steps[c->p->first[k - 1]];
        s->unit = done->unit;
        s->slot = done->slot;
        s->busy = done->busy;
        s->latency = done->latency;
        s->done_or_not = true;
        done->free = true;
        return true;
    }
    return false;
}

/* The logic operation at `pc` also says whether its result is zero. */
void choose_test(combiner *c, uint32_t pc)
{
    const ptx_insn *in = c->m->info[pc].src;
    step *s = &c->p->steps[c->p->first[pc]];
    if (!(is_logic(in) || in->op == OP_LOP3) || bits_of(in) != 32 || in->operand[0].kind != O_REG ||
        in->operand[0].reg < 0 || s->free || s->targets != 1 || c->p->first[pc] + 1 != c->p->first[pc + 1])
        return;
    const uint32_t last = c->m->blocks[c->m->info[pc].block].last;
    for (uint32_t k = pc + 1; k <= last && k <= pc + NEAR; k++) {
        const ptx_insn *test = c->m->info[k].src;
        if (!c->m->info[k].real) continue;
        if (test->operand_count && same_registers(&test->operand[0], &in->operand[0])) return;
        if (test->op != OP_SETP || test->operand_count != 3 || !plain(c, k) || bits_of(test) != 32 ||
            !(ptx_has(test, S_EQ) || ptx_has(test, S_NE)) || !same_registers(&test->operand[1], &in->operand[0]) ||
            test->operand[2].kind != O_INT || test->operand[2].value.i)
            continue;
        step *t = &c->p->steps[c->p->first[k]];
        if (t->free || t->targets != 1 || c->p->first[k] + 1 != c->p->first[k + 1]) return;
        s->target[s->targets++] = t->target[0];
        s->tested = (uint8_t)t->latency;
        t->free = true;
        t->targets = t->sources = 0;
        return;
    }
}
